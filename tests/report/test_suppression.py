"""The external level: no level, no cell, and no small count of people that can be seen or worked out."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pandas as pd
import pytest
from sqlrisk.report.html.hidden_rows import NESTED, PARTITIONS, hidden_rows
from sqlrisk.report.html.suppression import THRESHOLD, UNNAMED, external

import sqlrisk
from sqlrisk.inputs.fields import FREE_TEXTS
from tests.report.test_report import report, row

N = 1000


def count(measure, numerator, denominator=N, **more):
    return row(measure, 100 * numerator / denominator, numerator, denominator, **{"target": "income", **more})


def hidden(*rows, threshold=THRESHOLD):
    return [rows[place]["measure"] for place in sorted(hidden_rows(rows, threshold))]


@pytest.mark.parametrize(
    ("numerator", "gone"), [(0, False), (1, True), (9, True), (10, False), (990, False), (991, True), (999, True), (1000, False)]
)
def test_small_numerators_and_small_rests_are_hidden(numerator, gone):
    assert bool(hidden(count("DiSCO", numerator))) is gone
    assert bool(hidden(count("DiSCO", numerator), threshold=2)) is (numerator in (1, 999))


def test_a_small_denominator_is_hidden():
    assert hidden(count("DiSCO", 0, 7, population="uniques")) == ["DiSCO"]


def test_a_small_difference_of_nested_measures_is_hidden_the_less_important_one_first():
    assert hidden(count("iS", 900), count("DiS", 205), count("DiSCO", 200)) == ["DiS"]
    assert hidden(count("UiO", 60, target=None), count("UiOiS", 54, target=None), count("repU", 50, target=None)) == ["UiOiS"]
    assert hidden(count("UiO", 60, target=None), count("Dorig", 63)) == ["Dorig"]
    # What they are worked out into goes with them.
    rows = [count("iS", 900), count("DiS", 205), count("DiSCO", 200), count("TCAP_disclosive", 200, 205), count("TCAP", 200, 900)]
    assert hidden(*rows) == ["DiS", "TCAP_disclosive"]


def test_measures_made_of_a_hidden_one_go_with_it():
    assert hidden(count("DiSCO", 5), count("iS", 900), count("TCAP", 5, 900)) == ["DiSCO", "TCAP"]
    assert hidden(count("Dorig", 300), count("DiSCO", 5), count("Dorig-DiSCO", 295)) == ["DiSCO", "Dorig-DiSCO"]


def test_one_hidden_part_of_a_whole_takes_another_with_it():
    sizes = [count("class_size", n, target=None, at=at) for n, at in ((4, 1), (30, 2), (200, 3), (766, 10))]
    assert sorted(hidden_rows(sizes, 10)) == [0, 1]
    sizes = [count("class_size", n, target=None, at=at) for n, at in ((4, 1), (3, 2), (200, 3), (793, 10))]
    assert sorted(hidden_rows(sizes, 10)) == [0, 1, 2]  # 7 together are small
    parts = [count(f"{word}_protected", n) for word, n in (("better", 5), ("equally", 600), ("worse", 395))]
    assert hidden(*parts) == ["better_protected", "worse_protected"]


def test_populations_are_hidden_when_their_difference_is_small():
    def crowd(name, numerator, denominator):
        return count("DiSCO", numerator, denominator, population=name)

    assert not hidden(crowd("all", 300, 1000), crowd("uniques", 100, 400))
    assert sorted(hidden_rows([crowd("all", 300, 1000), crowd("uniques", 295, 400)], 10)) == [1]
    assert sorted(hidden_rows([crowd("all", 300, 1000), crowd("a", 140, 400), crowd("b", 155, 500)], 10)) == [
        1,
        2,
    ]  # 5 in neither
    assert sorted(hidden_rows([crowd("all", 5, 1000), crowd("uniques", 0, 400)], 10)) == [0, 1]


def test_mean_min_and_max_go_with_a_synthesis():
    rows = [count("DiSCO", n, synthesis=str(place)) for place, n in enumerate((5, 100, 110), 1)]
    rows += [
        row("DiSCO", value, None, None, target="income", synthesis=word)
        for word, value in (("mean", 7.1), ("min", 0.5), ("max", 11.0))
    ]
    rows.append(count("DiSCO", 130, synthesis="pooled 1-3"))
    assert sorted(hidden_rows(rows, 10)) == [0, 3, 4, 5]


def test_the_same_count_under_another_name_or_weighted_is_hidden():
    rows = [count("DiSCO", 200), count("DiSDiO", 195), count("repU_syn", 195, 800, target=None)]
    assert hidden(*rows) == ["DiSDiO", "repU_syn"]
    rows = [count("DiSCO", 5), count("DiSCO", 4321.5, 99999.5, weighted=True)]
    assert sorted(hidden_rows(rows, 10)) == [0, 1]


def test_what_was_added_goes_with_the_people_it_is_of():
    rows = [count("DiSCO", 100), count("DiSCO", 3, 500, people="control")]
    rows += [row("DiSCO", 9.4, None, None, target="income", people=people) for people in ("difference", "adjusted")]
    about = {name: rows[0][name] for name in ("measure", "at", "target", "synthesis", "population", "weighted")}
    made = report(rows, differences=[{**about, "original": 10.0, "control": 0.6, "difference": 9.4, "p": 0.1, "note": None}])
    told = external(made)
    assert [each["value"] for each in told.results] == [10.0, None, None, None]
    assert [told.differences[0][name] for name in ("original", "control", "difference", "p")] == [None] * 4


def test_nothing_typed_and_no_level_is_left():
    secret = "Xanadu"
    numbers = {"All": 9, "PctLevelAll": 1.0, "totalDisclosive": 9, "nLevelDis": 9, "PctLevelDis": 100.0}
    made = report(
        [
            count("DiSCO", 100),
            count("DiSCO", 50, 400, population=f"region={secret}"),
            count("DiSCO", 60, 400, population="Xanadu only"),
        ],
        checks={"one_way": [{"target": "income", "synthesis": "1", "Level": secret, **numbers}], "two_way": []},
        exclusions=[
            {"reason": "target level", "target": "income", "synthesis": "1", "side": "original", "cells": 3, "records": 30}
        ],
        distributions=[{"target": secret}], shares=[{"level": secret}], trends=[{"measure": secret}],
    )  # fmt: skip
    settings = {
        **made.scenario, "exclude_level": {"income": [secret]}, "special": {"age": [secret]}, "split": "s", "split_in": secret,
        "exclude_pair": [{"target": "income", "target_level": secret, "key": "sex", "key_level": secret}], "by": ["region"],
        "population": {"Xanadu only": f"region = {secret} AND age > 77"}, "populations": ["all", "Xanadu only"],
        "baseline": {"income": f"{secret}/shares.csv"}, **dict.fromkeys(FREE_TEXTS, f"All of {secret} know, from 77 on. xanadu!"),
    }  # fmt: skip
    made = replace(made, scenario=settings, original={**made.original, "source": f"{secret}/original.parquet"})
    told = external(made)
    assert secret.lower() not in json.dumps(told.to_dict()).lower()
    assert told.original["source"] == "original.parquet"
    assert told.scenario["exclude_level"] == {"income": [UNNAMED]}
    assert "justification" in FREE_TEXTS
    assert {told.scenario[name] for name in FREE_TEXTS} == {"All of (a level) know, from (a level) on. (a level)!"}
    assert {each["population"] for each in told.results} <= {"all", "population 1"}
    assert told.checks["one_way"][0]["target"] == "income"
    assert told.exclusions[0]["records"] is None  # 3 cells are few
    assert told.rerun is None


def test_overlap_and_exclusions_hide_small_counts():
    made = report(
        [count("iS", 995)], overlap=[{"synthesis": "1", "classes_both": 50, "classes_only_original": 12, "records_both": 995}]
    )
    assert external(made).overlap[0] == {
        **dict.fromkeys(("classes_both", "classes_only_original", "records_both")), "synthesis": "1", "hidden": True,
    }  # fmt: skip


# ---- can it be worked out? -----------------------------------------------------------------------------------------------


def equations(rows):
    """What is known to hold between numerators: ``{place: factor}`` and what the sum comes to."""
    found = []
    groups = {}
    for place, each in enumerate(rows):
        if each["weighted"] or not isinstance(each["numerator"], int):
            continue
        key = (each["target"], each["synthesis"], each["population"], each["people"])
        groups.setdefault(key, {}).setdefault((each["measure"], each["at"]), place)
    for group in groups.values():
        for names in PARTITIONS:
            parts = [place for (measure, _), place in group.items() if measure in names]
            if len(parts) > 1 and sum(rows[place]["numerator"] for place in parts) == rows[parts[0]]["denominator"]:
                found.append((dict.fromkeys(parts, 1), rows[parts[0]]["denominator"]))
        for whole, part, name in (("Dorig", "DiSCO", "Dorig-DiSCO"), ("UiO", "repU", "UiO-repU")):
            places = [group.get((each, None)) for each in (whole, part, name)]
            if None not in places:
                found.append((dict(zip(places, (1, -1, -1), strict=True)), 0))
        for one, other in combinations(group.values(), 2):
            if {rows[one]["measure"], rows[other]["measure"]} in (
                {"DiSCO", "TCAP"},
                {"DiSCO", "TCAP_disclosive"},
                {"TCAP", "TCAP_disclosive"},
            ):
                found.append(({one: 1, other: -1}, 0))
    by_line = {}
    for place, each in enumerate(rows):
        if not each["weighted"]:
            by_line.setdefault((each["measure"], each["at"], each["target"], each["population"], each["people"]), {})[
                each["synthesis"]
            ] = place
    for line in by_line.values():
        members = [place for label, place in line.items() if label.isdecimal()]
        if "mean" in line and len({rows[place]["denominator"] for place in members}) == 1:
            mean = line["mean"]
            found.append(({mean: -len(members), **dict.fromkeys(members, 1)}, 0))
            for member in members:  # the original alone: the same in each
                found += [({member: 1, mean: -1}, 0)] * (rows[member]["measure"] in ("UiO", "Dorig"))
    return found


def worked_out(rows, gone):
    """The places of hidden numerators that the equations and the shown numbers settle (exact elimination)."""
    places = sorted({place for factors, _ in equations(rows) for place in factors if place in gone})
    column = {place: number for number, place in enumerate(places)}
    matrix = []
    for factors, total in equations(rows):
        if any(rows[place]["numerator"] is None and rows[place]["value"] is None for place in factors):
            continue
        line = [Fraction(0)] * (len(places) + 1)
        line[-1] = Fraction(total)
        for place, factor in factors.items():
            if place in column:
                line[column[place]] += factor
            else:
                value = rows[place]["numerator"]
                value = value if value is not None else Fraction(rows[place]["value"]).limit_denominator(10**6) * N / 100
                line[-1] -= factor * Fraction(value)
        matrix.append(line)
    pivots = []
    for number in range(len(places)):
        pivot = next((line for line in matrix if line[number] and not any(line is each for _, each in pivots)), None)
        if pivot is None:
            continue
        pivots.append((number, pivot))
        pivot[:] = [value / pivot[number] for value in pivot]
        for line in matrix:
            if line is not pivot and line[number]:
                line[:] = [value - line[number] * other for value, other in zip(line, pivot, strict=True)]
    return [places[number] for number, line in pivots if sum(bool(value) for value in line[:-1]) == 1]


def small_groups(rows, gone, threshold):
    """The small groups of people that two shown numbers of nested measures single out."""
    shown = {}
    for place, each in enumerate(rows):
        if place not in gone and each["at"] is None and isinstance(each["numerator"], int) and not each["weighted"]:
            shown[each["measure"], each["target"], each["synthesis"], each["population"], each["people"]] = each["numerator"]
    for (measure, target, *rest), numerator in shown.items():
        for chain in NESTED:
            for other in chain if measure in chain else ():
                found = shown.get((other, target, *rest), shown.get((other, None, *rest)))
                if found is not None and 0 < abs(found - numerator) < threshold:
                    yield measure, other


@pytest.mark.parametrize("seed", range(8))
def test_no_small_count_can_be_worked_out(seed):
    """Real runs on small files, where nearly every count is small."""
    rng = random.Random(seed)  # noqa: S311 - nobody guards a secret with it
    people, levels, threshold = rng.randint(20, 300), rng.randint(2, 5), rng.randint(2, 12)

    def file(size):
        return pd.DataFrame({name: [str(rng.randrange(levels)) for _ in range(size)] for name in ("a", "b", "c", "t", "u")})

    made = sqlrisk.score(
        file(people), [file(people), file(people)], keys=["a", "b", "c"], targets=["t", "u"],
        measures=["identity", "attribute", "cap", "protection", "k_anonymity"], populations=["all", "uniques"],
    )  # fmt: skip
    rows: list[dict[str, Any]] = made.results
    gone = hidden_rows(rows, threshold)
    for place, each in enumerate(rows):
        for number in (each["numerator"], each["denominator"]):
            if (
                place not in gone
                and number is not None
                and each["unit"].startswith("percent of")
                and "scaled" not in each["measure"]
            ):
                assert not 0 < number < threshold
    counts = {place: rows[place]["numerator"] or 0 for place in worked_out(rows, gone) if "points" not in rows[place]["unit"]}
    assert not [rows[place] for place, numerator in counts.items() if 0 < numerator < threshold]
    assert not list(small_groups(rows, gone, threshold))
    told = external(made, threshold)
    assert not [each for place, each in enumerate(told.results) if place in gone and each["numerator"] is not None]


def test_what_is_large_is_shown():
    """On the census files nearly everything is large: little is hidden."""
    made = sqlrisk.score(
        "data/census/original.parquet", "data/census/cart_1.parquet", keys=["age", "sex", "race", "marital_status", "education"],
        targets=["income", "country_birth"],
    )  # fmt: skip
    gone = hidden_rows(made.results, THRESHOLD)
    assert not gone
