"""Figures by their names: from Python, from the command line, in a notebook; what they show, in
words as well.
"""

import inspect
import json
import math
import operator
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.report.decision.page_one import decide_on
from sqlrisk.report.declared import names_in
from sqlrisk.report.html import change_charts, decision_figures, drawing, look, marks, target_charts
from sqlrisk.report.html.figures import FIGURES
from sqlrisk.report.results.diffs import diff
from sqlrisk.report.sections.control import compared, conclusions
from tests.api.test_frames import results
from tests.cli.test_cli import sqlrisk as command
from tests.report.test_report import report as report_of
from tests.report.test_report import row as row_of

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def people(town: str, ill: str, age: str = "") -> pa.Table:
    """People by one letter a column; ages are letters from a: 20, and so on."""
    ages = [20 + ord(letter) - ord("a") for letter in age or "abcdefgh"]
    return pa.table({"age": ages, "town": list(town), "ill": list(ill), "job": list("pqpqppqq")})


ORIGINAL = people("xxxxyyyy", "nnnmnmmm")
SYNTHESES = [people("xxxxyyyy", "nnnnmmmm"), people("xxxyyyyx", "nmnnmmnm", "aabbccdd")]
KEYS = ["town", "age"]


@pytest.fixture(scope="module")
def report() -> sqlrisk.Report:
    return sqlrisk.score(ORIGINAL, SYNTHESES, keys=KEYS, targets=["ill", "job"], by="town")


def rows_of(chart: Any) -> list[dict[str, Any]]:
    """The rows that a chart and the charts inside it are drawn from."""
    document = chart.to_dict()
    return [row for each in _data(document) for row in each]


def _data(value: Any) -> list[list[dict[str, Any]]]:
    if isinstance(value, list):
        return [found for each in value for found in _data(each)]
    if not isinstance(value, dict):
        return []
    return [
        rows
        for name, each in value.items()
        for rows in ([each["values"]] if name == "data" else _data(each))
    ]


def values(report: sqlrisk.Report, measure: str) -> dict[tuple[str, str], float]:
    return {
        (row["target"], row["synthesis"]): row["value"]
        for row in report[measure]
        if row["population"] == "all"
    }


def test_heat_maps_show_each_target_and_file(report: sqlrisk.Report) -> None:
    disco, dorig = values(report, "DiSCO"), values(report, "Dorig")
    first = next(each for each in FIGURES["score"]["heat"][0](report) if each.name == "heat DiSCO")
    wanted = {
        (target, label): disco[target, label] for target in ("ill", "job") for label in ("1", "2")
    }
    wanted |= {(target, "original"): dorig[target, "1"] for target in ("ill", "job")}
    drawn = {(row["target"], row["place"]): row for row in rows_of(first.chart)}
    assert {place: row["value"] for place, row in drawn.items()} == wanted
    shades = sorted((row["value"], row["shade"]) for row in drawn.values())
    # the more, the bluer, on a light screen and on a dark one
    assert [shade for _, shade in shades] == sorted(shade for _, shade in shades)
    assert shades[-1][1] == len(look.SHADES) - 1
    (target, label), most = max(
        ((place, disco[place]) for place in disco if place[1] in "12"), key=lambda each: each[1]
    )
    assert first.words.startswith(
        f"DiSCO by target and file. Highest: {target}, synthesis {label}, {most:.2f} %"
    )


def test_slopes_show_the_difference_and_the_whole_beside_it(report: sqlrisk.Report) -> None:
    disco, dorig = values(report, "DiSCO"), values(report, "Dorig")
    drawn = {each.name: each for each in FIGURES["score"]["slopes"][0](report)}
    assert list(drawn)[:2] == sorted(
        list(drawn)[:2], key=lambda name: -max(disco[name.split()[-1], each] for each in "12")
    )
    near, whole = drawn["slopes DiSCO ill"].chart.to_dict()["hconcat"]
    ends = [
        next(layer["encoding"]["y"]["scale"]["domain"] for layer in side["layer"])
        for side in (near, whole)
    ]
    assert ends[1] == [0, 100]
    shown = [dorig["ill", "1"], disco["ill", "1"], disco["ill", "2"]]
    assert ends[0][0] <= min(shown) <= max(shown) <= ends[0][1]
    assert ends[0] != ends[1]
    rows = rows_of(drawn["slopes DiSCO ill"].chart)
    assert {row["value"] for row in rows} == set(shown)
    assert (
        f"original {dorig['ill', '1']:.2f} %, synthesis 1 {disco['ill', '1']:.2f} %"
        in drawn["slopes DiSCO ill"].words
    )
    change = max(disco["ill", "1"], disco["ill", "2"]) - dorig["ill", "1"]
    said = (
        f"{abs(change):.2f} points {'more' if change > 0 else 'less'} than the original"
        if change
        else "as in the original"
    )
    assert said in drawn["slopes DiSCO ill"].words


def test_slopes_of_guesses_have_the_baseline_in_both_panels(report: sqlrisk.Report) -> None:
    base = values(report, "baseCAPd")
    drawn = {each.name: each for each in FIGURES["score"]["slopes"][0](report)}
    for target in ("ill", "job"):
        figure = drawn[f"slopes DCAP {target}"]
        for side in figure.chart.to_dict()["hconcat"]:
            (rule,) = (layer for layer in side["layer"] if layer["mark"]["type"] == "rule")
            assert rule["data"]["values"] == [{"value": base[target, "1"]}]
            assert rule["mark"]["color"] == look.PALETTE["baseline"]
            low, high = rule["encoding"]["y"]["scale"]["domain"]
            assert low <= base[target, "1"] <= high
        assert "Broken line: baseCAPd" in figure.caption
        certain = drawn[f"slopes DiSCO {target}"].chart.to_dict()["hconcat"]
        assert all(layer["mark"]["type"] != "rule" for side in certain for layer in side["layer"])


def test_words_begin_with_the_finding() -> None:
    files = [{"source": label, "records": 8, "synthesis": label} for label in "12"]
    values = {"ill": (50.0, 20.0, 15.0), "job": (60.0, 30.0, 35.0)}
    rows = [
        row_of(name, value, 1, target=target, synthesis=label)
        for target, (dorig, disco, both) in values.items()
        for name, label, value in (
            ("Dorig", "mean", dorig),
            ("DiSCO", "mean", disco),
            ("DiSCO", "1", disco),
            ("DiSCO", "pooled 1-2", both),
        )
    ]
    rows += [row_of("CAP_at_least", 60 - 40 * at, target="ill", at=at) for at in (0.5, 1.0)]
    rows += [row_of("class_size", 100 - 45.0 * at, at=at) for at in (1, 2)]
    made = report_of(rows, synthetic=files)
    words = {
        figure.name: figure.words
        for name in ("arrows", "curves", "pools", "sizes")
        for figure in FIGURES["score"][name][0](made)
    }
    assert words["arrows Dorig mean"].startswith(
        "Dorig to DiSCO, mean. Highest: job, original 60.00 %, synthetic 30.00 %. job: original 60"
    )
    assert words["curves ill"].startswith(
        "CAP_at_least of ill. From 40.00 % at 0.5 to 20.00 % at 1.0. 40.00 % at 0.5; 20.00 % at"
    )
    assert words["pools ill"].startswith(
        "ill, by syntheses pooled. Highest: DiSCO of 1, 20.00 %. DiSCO of 1: 20.00 %; DiSCO of 2"
    )
    assert words["pools job"].startswith("job, by syntheses pooled. Highest: DiSCO of 2, 35.00 %. ")
    assert words["sizes"] == (
        "People by the size of their class (people who share all keys). Highest: 1, 55.00 %. "
        "1: 55.00 %; 2+: 10.00 %"
    )


def test_the_words_about_persons_and_members_begin_with_the_finding() -> None:
    made = sqlrisk.score(
        ORIGINAL, SYNTHESES, control=people("xxxxxxxy", "nnnnnnnm", "ijklmnop"), keys=KEYS,
        targets="ill", measures="DCAP,membership_AUC", distributions=True,
    )  # fmt: skip
    (persons,) = FIGURES["score"]["persons"][0](made)
    assert persons.words.startswith(
        "CAP of ill person by person, mean of the original 1.00. "
        "Highest: synthesis 1, mean 0.75, half of the people from 0.00 to 1.00. synthesis 1: mean"
    )
    (roc,) = FIGURES["score"]["roc"][0](made)
    assert "who are called members, at a percentage of the people out of it. Most" in roc.words
    assert ". Most beyond chance: keys, pooled 1-2 at 0.10 %, 100.00 %. keys, pooled" in roc.words


def test_class_sizes_are_those_of_the_result() -> None:
    town = people("xyyzzzzz", "nnnmnmmm")
    report = sqlrisk.score(town, town, keys="town", measures=["class_size"])
    drawn = [(row["size"], row["percent"]) for row in rows_of(report.plot("sizes"))]
    rows = [row for row in report["class_size"] if row["synthesis"] == "1"]
    assert [percent for _, percent in drawn] == [row["value"] for row in rows]
    # one person alone, two who share their keys, five who do
    assert {size: percent for size, percent in drawn if percent} == {
        "1": 12.5,
        "2": 25,
        "5\N{EN DASH}9": 62.5,
    }


@pytest.mark.slow
def test_the_people_of_each_level_are_shown(report: sqlrisk.Report) -> None:
    rows = {
        (row["target"], row["population"]): row["value"]
        for row in report["DiSCO"]
        if row["synthesis"] == "mean"
    }
    chart = next(
        each
        for each in FIGURES["score"]["people"][0](report)
        if each.name == "people town ill mean"
    ).chart
    drawn = {row["who"]: row["percent"] for row in rows_of(chart) if row["role"] == "synthetic"}
    assert drawn == {town: rows["ill", f"town={town}"] for town in "xy"}
    by_age = sqlrisk.score(
        *(pa.table({"age": list(range(first, first + 30)),
            "ill": list("nm" * 15)}) for first in (20, 25)),
        keys=["age"], targets=["ill"], by="age",
    )  # fmt: skip
    line = [row for row in rows_of(by_age.plot("people")) if row["synthesis"] == "synthetic"]
    assert [row["at"] for row in line] == [*range(20, 50)]
    wanted = {row["population"]: row["value"] for row in by_age["DiSCO"]}
    assert [row["value"] for row in line] == [wanted[f"age={age}"] for age in range(20, 50)]


def test_the_lattice_joins_the_riskiest_subset_of_each_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweep = sqlrisk.sweep(
        ORIGINAL, SYNTHESES[0], keys=[*KEYS, "job"], targets=["ill"], measures=["DiSCO"]
    )
    (figure,) = FIGURES["sweep"]["lattice"][0](sweep)
    subsets = {tuple(row["keys"]): row["value"] for row in sweep.subsets}
    most = {
        size: max(value for keys, value in subsets.items() if len(keys) == size)
        for size in (1, 2, 3)
    }
    rows = rows_of(figure.chart)
    assert {row["size"]: row["value"] for row in rows if "keys" in row} == {
        str(size): value for size, value in most.items()
    }
    assert all(
        subsets[tuple(row["keys"].split(", "))] == row["value"] for row in rows if "keys" in row
    )
    assert sorted(row["value"] for row in rows if row.keys() == {"size", "value"}) == sorted(
        subsets.values()
    )
    # 3 subsets of two keys have two below them, that of three has three
    assert sum("more" in row for row in rows) == 9
    assert f"1 key: {most[1]:.2f} % by" in figure.words
    from sqlrisk.report.html import result_charts

    monkeypatch.setattr(result_charts, "DRAWN", 6)
    (figure,) = FIGURES["sweep"]["lattice"][0](sweep)
    assert {row["size"]: row["high"] for row in rows_of(figure.chart) if "high" in row} == {
        str(n): most[n] for n in most
    }


def test_a_sweep_without_targets_is_drawn_once_by_number_of_keys() -> None:
    sweep = sqlrisk.sweep(ORIGINAL, SYNTHESES[0], keys=KEYS, measures="repU")
    (figure,) = FIGURES["sweep"]["sizes"][0](sweep)
    assert figure.title == "repU"
    assert figure.words.endswith(". repU with 1 key: 50.00 %; repU with 2 keys: 100.00 %")
    assert repr(sweep).startswith("<Sweep: 3 subsets of 2 keys, 1 measure>")
    one = sqlrisk.sweep(ORIGINAL, SYNTHESES[0], keys="town", measures="repU", key_length=[1])
    assert repr(one).startswith("<Sweep: 1 subset of 1 key, 1 measure>")


def test_people_singled_out_are_told_by_the_number_of_keys() -> None:
    report = sqlrisk.score(ORIGINAL, SYNTHESES[0], keys=KEYS, measures="singled_out")
    (figure,) = FIGURES["score"]["singled"][0](report)
    assert figure.words == (
        "singled_out. Highest: original, 1 key, 100.00 %. original, 1 key: 100.00 %; "
        "original, 2 keys: 100.00 %; original, 3 keys: 100.00 %"
    )


@pytest.mark.slow
def test_keys_are_shown_by_what_they_add_to_each_target() -> None:
    sweep = sqlrisk.sweep(
        ORIGINAL, SYNTHESES[0], keys=KEYS, targets=["ill", "job"], measures=["DiSCO"]
    )
    drawn = {(row["key"], row["place"]): row["value"] for row in rows_of(sweep.plot("heat"))}
    assert drawn == {(row["key"], row["target"]): row["mean"] for row in sweep.contributions}


@pytest.mark.slow
def test_two_releases_are_shown_by_what_changed_most(report: sqlrisk.Report) -> None:
    new = sqlrisk.score(ORIGINAL, SYNTHESES[:1] * 2, keys=KEYS, targets=["ill", "job"], by="town")
    found = diff(
        sqlrisk.score(ORIGINAL, SYNTHESES[1:] * 2, keys=KEYS, targets=["ill", "job"], by="town"),
        new,
    )
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    changed = [
        row
        for row in rows
        if row["outcome"] in ("worse", "better", "changed")
        and str(row["unit"]).startswith("percent")
        and not str(row["unit"]).startswith("percent of the way")
    ]
    changed = [row for row in changed if (row["synthesis"], row["population"]) == ("mean", "all")]
    drawn = rows_of(found.plot())
    assert len(drawn) == min(10, len(changed)) > 3
    values = {(row["old"], row["new"], row["outcome"]) for row in changed}
    assert {(row["before"], row["after"], row["role"]) for row in drawn} <= values
    for row in drawn:  # the row has both numbers, in words as well
        assert row["name"].endswith(f"\n{row['before']:.2f} → {row['after']:.2f}")
        assert row["said"].startswith(f"{row['before']:.2f} % to {row['after']:.2f} %, ")
        assert row["said"] in found.plot().to_dict()["description"]
    roles = [row["role"] for row in drawn]
    assert roles == sorted(roles, key=["worse", "better", "changed"].index)
    text = found.to_html()
    assert text.count("<figure>") == 1
    with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'changes'"):
        diff(new, new).plot()


def test_a_file_that_only_one_release_has_hides_no_change_of_the_others() -> None:
    """In scenario a the new release has a file less, so no mean; in scenario b it has both."""
    rest: dict[str, Any] = {
        "measure": "DiSCO",
        "at": None,
        "population": "all",
        "people": "original",
    }
    rest |= {"weighted": False, "unit": "percent", "target": "ill"}
    worse = {"old": 1.0, "new": 2.0, "change": 1.0, "outcome": "worse"}
    gone = {"old": 1.0, "new": None, "change": None, "outcome": "only old"}
    rows = [
        {**rest, "scenario": scenario, "synthesis": label, **(gone if only_old else worse)}
        for scenario, label, only_old in [
            *(("a", "1", False), ("a", "2", True), ("a", "mean", True)),
            *(("b", "1", False), ("b", "2", False), ("b", "mean", False)),
        ]
    ]
    figure = next(iter(change_charts.releases(rows, {})))
    assert figure.title.startswith("What changed: 2 worse")
    names = [row["name"] for row in rows_of(figure.chart)]
    assert names == ["DiSCO\na\nsynthesis 1\n1.00 → 2.00", "DiSCO\nb\nmean\n1.00 → 2.00"]
    alone = next(iter(change_charts.releases([*rows[:1], {**rows[3], "outcome": "equal"}], {})))
    assert [row["name"] for row in rows_of(alone.chart)] == ["DiSCO\na\n1.00 → 2.00"]


def test_both_ends_of_a_change_are_seen_where_they_are_one_dot() -> None:
    """The ring is open and below the mark. Shapes tell worse, better and neither without color."""
    roles = ("worse", "better", "changed")
    lines = [
        {"name": role, "before": 60.0, "after": 60.0 + place, "role": role}
        for place, role in enumerate(roles)
    ]
    document = marks.dumbbells(lines).to_dict()
    ring, *others = document["layer"]
    assert (ring["mark"]["filled"], ring["encoding"]["x"]["field"]) == (False, "before")
    ends = [layer for layer in others if layer["mark"]["type"] == "point"]
    assert len({layer["mark"]["shape"] for layer in ends}) == len(roles)
    for layer, role in zip(ends, roles, strict=True):
        assert layer["transform"] == [{"filter": f"datum.role == '{role}'"}]
        assert layer["encoding"]["x"]["field"] == "after"
        assert layer["mark"]["size"] < ring["mark"]["size"]
    joined = [layer["encoding"] for layer in others if layer["mark"]["type"] == "rule"]
    assert {(each["x"]["field"], each["x2"]["field"]) for each in joined} == {("before", "after")}
    # the axis shows the difference: it does not begin at 0
    assert ring["encoding"]["x"]["scale"]["domain"] == [60, 62]


@pytest.mark.slow
def test_names_that_begin_alike_are_told_apart_by_the_words_that_differ() -> None:
    asked = "How much do you personally trust each of the following institutions:"
    names = [f"{asked} {each}" for each in ("the parliament", "the police", "my bank")]
    told = decision_figures.told_apart([*names, "Income", "Income of all"])
    wanted = ["… the parliament", "… the police", "… my bank", "Income", "Income of all"]
    assert [*told.values()] == wanted
    columns = [f"trust{place}" for place, _ in enumerate(names)]
    ill = ORIGINAL["ill"]
    table = ORIGINAL.select(KEYS)
    for column in columns:
        table = table.append_column(column, ill)
    said = {column: {"label": name} for column, name in zip(columns, names, strict=True)}
    made = sqlrisk.score(table, table, keys=KEYS, targets=columns, column=said)
    figure = next(iter(decision_figures.first(made, decide_on(made))))
    drawn = {" ".join(row["target"].split("\n")[:-1]) for row in rows_of(figure.chart)}
    assert drawn == {*wanted[:3]}
    assert all(name in figure.words for name in names)
    # Names whose first two lines are equal keep all their words, or their rows would be one.
    ends = ("national parliament of today", "national parliament of the past", "police")
    said = {
        column: {"label": f"{asked} the members of the {end}"}
        for column, end in zip(columns, ends, strict=True)
    }
    made = sqlrisk.score(table, table, keys=KEYS, targets=columns, column=said)
    figure = next(iter(decision_figures.first(made, decide_on(made))))
    drawn = {" ".join(row["target"].split("\n")[:-1]) for row in rows_of(figure.chart)}
    assert drawn == {f"… {end}" for end in ends}


LABELS = {
    "town": "Place",
    "age": "Years of life",
    "job": "Work",
    "ill": "Health of the past twelve months of all",
}
TOLD: dict[str, Any] = {"column": {name: {"label": label} for name, label in LABELS.items()}}
ASKED = {**TOLD, "keys": KEYS, "targets": ["ill", "job"]}
POLICY = 'name = "Board"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "Why."\n'


def reports(folder: Path, **settings: Any) -> sqlrisk.Report:
    """A report of people with labels, judged by a policy."""
    policy = folder / "policy.toml"
    policy.write_text(POLICY)
    return sqlrisk.score(ORIGINAL, SYNTHESES, **ASKED, policy=policy, **settings)


@pytest.mark.parametrize(
    ("kind", "make", "names"),
    few(
        [
            (
                "score",
                lambda folder: reports(
                    folder,
                    by="town",
                    distributions=True,
                    utility=True,
                    control=ORIGINAL,
                ),
                "arrows heat slopes control policy people curves persons shares map",
            ),
            (
                "score",
                lambda _: sqlrisk.score(
                    ORIGINAL, SYNTHESES, **ASKED, measures="linkability", link="town/age"
                ),
                "links",
            ),
            ("check", lambda folder: reports(folder).verdicts(), "policy"),
            (
                "inspect",
                lambda _: sqlrisk.inspect(ORIGINAL, SYNTHESES[1], **TOLD),
                "columns",
            ),
            ("attack", lambda _: sqlrisk.attack(ORIGINAL, SYNTHESES[0], **ASKED), "attackers"),
            (
                "sweep",
                lambda _: sqlrisk.sweep(ORIGINAL, SYNTHESES[0], **ASKED),
                "lattice sizes adds heat",
            ),
            ("uniques", lambda _: sqlrisk.uniques(ORIGINAL, keys=KEYS, **TOLD), "keys"),
            ("utility", lambda _: sqlrisk.utility(ORIGINAL, SYNTHESES[0], **TOLD), "columns pairs"),
            ("reference", lambda _: sqlrisk.reference(ORIGINAL, random=9, **ASKED), "averages"),
            (
                "diff",
                lambda _: diff(*(sqlrisk.score(ORIGINAL, each, **ASKED) for each in SYNTHESES)),
                "changes",
            ),
        ]
    ),
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_figures_show_the_labels_of_the_columns_that_they_name(
    kind: str, make: Any, names: str, tmp_path: Path
) -> None:
    result, drawn = make(tmp_path), set()
    for name, (draw, _) in FIGURES[kind].items():
        for figure in draw(result):
            texts = [(figure.title, "")]
            for row in rows_of(figure.chart):
                for field, each in row.items():
                    if field in ("target", "who", "key", "column", "row", "name", "rule", "place"):
                        # marks along an axis have no room: the caption has their labels
                        beside = figure.caption if field == "place" or name == "pairs" else ""
                        texts.append((str(each), beside))
            for text, beside in texts:
                for column, label in LABELS.items():
                    if re.search(rf"\b{column}\b", text):
                        drawn.add(name)
                        assert label[:20] in f"{text} {beside}".replace("\n", " "), (name, text)
    assert drawn >= {*names.split()}


def asked_of_a_saved_run(ask: Callable[[str], Any]) -> Callable[[Path], Any]:
    """What is asked of a saved run of the people with labels."""

    def make(folder: Path) -> Any:
        run = str(folder / "run.duckdb")
        sqlrisk.score(ORIGINAL, SYNTHESES, **ASKED, measures="DiSCO", save=run)
        return ask(run)

    return make


@pytest.mark.parametrize(
    "make",
    few(
        [
            reports,
            lambda folder: reports(folder).verdicts(),
            lambda folder: reports(folder).table("results"),
            lambda _: sqlrisk.cells("DiSCO", ORIGINAL, SYNTHESES[0], **ASKED),
            lambda _: sqlrisk.explain(ORIGINAL, SYNTHESES[0], record=1, **ASKED),
            lambda _: sqlrisk.attack(ORIGINAL, SYNTHESES[0], **ASKED),
            lambda _: sqlrisk.sweep(ORIGINAL, SYNTHESES[0], **ASKED),
            lambda _: sqlrisk.sweep(ORIGINAL, SYNTHESES[0], **ASKED).table("summary"),
            lambda _: sqlrisk.uniques(ORIGINAL, keys=KEYS, **TOLD),
            lambda _: sqlrisk.utility(ORIGINAL, SYNTHESES[0], **TOLD),
            lambda _: sqlrisk.utility(ORIGINAL, SYNTHESES[0], **TOLD).table("overall"),
            lambda _: sqlrisk.reference(ORIGINAL, random=9, **ASKED),
            lambda _: diff(*(sqlrisk.score(ORIGINAL, each, **ASKED) for each in SYNTHESES)),
            lambda _: sqlrisk.tabulate("raab", ORIGINAL, SYNTHESES[0], **ASKED),
            asked_of_a_saved_run(lambda run: sqlrisk.cells("DiSCO", run)),
            asked_of_a_saved_run(lambda run: sqlrisk.lookup(run, key={"town": "x", "age": 20})),
            asked_of_a_saved_run(lambda run: sqlrisk.query(run, "SELECT town, age FROM people")),
        ],
        8,
    ),
    ids=[
        *("score", "check", "results", "cells", "explain", "attack", "sweep", "summary"),
        *("uniques", "utility", "overall", "reference", "diff"),
        *("layout", "saved cells", "saved lookup", "query"),
    ],
)
def test_text_pages_and_json_have_the_labels(make: Any, tmp_path: Path) -> None:
    result = make(tmp_path)
    for label in ("Place", "Years of life"):
        assert label in result.to_text()
        assert label in result.to_markdown()
        assert f">{label}<" in result.to_html() or f'title="{label}"' in result.to_html()
        assert label in json.loads(result.to_json())["labels"].values()


def test_curves_and_pools_name_their_measures(report: sqlrisk.Report) -> None:
    assert report.plot("curves").to_dict()["vconcat"][0]["title"]["text"] == ["ill: CAP_at_least"]
    assert report.plot("pools").to_dict()["vconcat"][0]["title"]["text"] == ["ill: DiSCO and DCAP"]


@pytest.mark.slow
def test_a_protected_file_is_shown_before_and_after(tmp_path: Path) -> None:
    files = [people("xxxxyyyy", "nnnmnmmm", ages) for ages in ("aabbcdef", "aabbcdgh")]
    question: dict[str, Any] = {"keys": KEYS, "targets": ["ill"]}
    done = sqlrisk.protect(*files, output=str(tmp_path / "release.parquet"), **question)
    assert done.singled_out == 2
    drawn = {
        row["name"].split("\n")[0]: (row["before"], row["after"], row["role"])
        for row in rows_of(done.plot())
    }
    wanted = [row for row in done.measures if row["unit"].startswith("percent")]
    assert drawn == {
        row["measure"]: (old, new, "worse" if new > old else "better" if new < old else "equal")
        for row in wanted
        for old, new in [(row["before"]["value"], row["after"]["value"])]
    }
    assert "<figure>" in done.to_html()
    flagged = sqlrisk.protect(
        *files, output=str(tmp_path / "flagged.parquet"), flag=True, **question
    )
    assert {(row["before"] == row["after"], row["role"]) for row in rows_of(flagged.plot())} == {
        (True, "")
    }


def test_a_notebook_shows_a_chart_without_a_network(report: sqlrisk.Report) -> None:
    shown = report.plot("heat").properties(title="mine")._repr_mimebundle_(None, None)
    assert list(shown) == ["image/svg+xml"]
    assert "mine" in shown["image/svg+xml"]
    assert not re.search(r"https?://(?!www\.w3\.org)", shown["image/svg+xml"])
    assert "<script" not in shown["image/svg+xml"]


def test_pictures_have_words_letters_of_11_points_and_both_screens(
    report: sqlrisk.Report, tmp_path: Path
) -> None:
    from xml.etree import ElementTree as ET

    names = [name for name, (draw, _) in FIGURES["score"].items() if [*draw(report)]]
    assert {"arrows", "heat", "slopes", "people", "curves", "replicated"} <= {*names}
    for name in names:
        root = ET.parse(report.to_svg(tmp_path / "figure.svg", figure=name)).getroot()  # noqa: S314 - it was made here
        assert root.tag == f"{SVG}svg"
        words = root.find(f"{SVG}desc")
        assert words is not None
        assert words.text == " ".join(
            f"{each.words}." for each in FIGURES["score"][name][0](report)
        )
        sizes = [
            float(size)
            for text in root.iter(f"{SVG}text")
            for size in re.findall(r"([\d.]+)px", text.get("font-size", ""))
        ]
        assert sizes
        assert min(sizes) * 72 / 96 >= 11
        style = root.find(f"{SVG}style")
        assert style is not None
        assert "prefers-color-scheme:dark" in str(style.text)
    assert report.to_png(figure="heat").startswith(b"\x89PNG\r\n")
    # Altair saves the chart as it is
    assert report.plot("heat").to_dict()["config"]["background"] == drawing.PAPER
    # A page is dark in the same colours, and knows each colour of a figure.
    css = (ROOT / "sqlrisk" / "report" / "html" / "templates" / "style.css").read_text()
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w+);", part))
        for part in re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2]
    )
    assert {name: light[name] for name in look.PALETTE} == look.PALETTE
    assert {name: dark[name] for name in look.DARK} == look.DARK
    assert all(f'="{colour}"] {{' in css for colour in look.PALETTE.values())


# Machado, Oliveira & Fernandes 2009, severity 1: what a color, in linear RGB, is mistaken for.
BLIND = {
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998)),
}  # fmt: skip
# linear RGB to XYZ, in parts of its white
XYZ = (
    (0.433953, 0.376219, 0.189828),
    (0.212673, 0.715152, 0.072175),
    (0.017757, 0.109473, 0.872770),
)


def lab(colour: str, seen: Any) -> list[float]:
    """A color in CIE Lab, as people with this matrix see it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    for matrix in (seen, XYZ):
        linear = [min(max(sum(map(operator.mul, row, linear)), 0.0), 1.0) for row in matrix]
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 4 / 29 for part in linear)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("seen", BLIND)
def test_the_color_blind_can_tell_marks_apart(seen: str) -> None:
    assert lab("#ffffff", BLIND[seen]) == pytest.approx([100, 0, 0], abs=0.01)
    # they confuse this red and this green
    assert (
        math.dist(lab("#b4322a", BLIND["deuteranopia"]), lab("#946200", BLIND["deuteranopia"])) < 13
    )
    for palette in (look.PALETTE, look.DARK):
        alike = {
            pair: distance
            for pair in combinations(look.SERIES, 2)
            if (distance := math.dist(*(lab(palette[name], BLIND[seen]) for name in pair))) < 20
        }
        assert alike == {}


def test_bars_begin_at_zero_and_the_arrow_has_an_axis_of_the_difference() -> None:
    def sides(*numbers: tuple[float, float]) -> tuple[Any, Any]:
        lines = [
            {"target": f"t{place}", "original": old, "synthetic": new, "baseline": None}
            for place, (old, new) in enumerate(numbers)
        ]
        drawn = marks.arrows(lines, based=False).to_dict()["hconcat"]
        return tuple(
            next(
                layer["encoding"]["x"]
                for layer in side["layer"]
                if "field" in layer["encoding"]["x"]
            )
            for side in drawn
        )

    bars, change = sides((54.19, 53.74), (13.0, 13.2))
    assert (bars["field"], bars["scale"]["domainMin"]) == ("original", 0)
    assert (change["field"], change["title"]) == ("change", ["change,", "in points"])
    # 0.45 points are most of the axis: at a common axis from 0 they were less than a mark
    assert change["scale"]["domain"] == pytest.approx([-0.5, 0.2], abs=0.11)
    for numbers, ends in (
        ([(90.0, 10.0), (1.0, 1.0)], [-80, 0]),
        ([(10.0, 90.0)], [0, 80]),
        ([(5.0, 5.0)], [0, 0.1]),
    ):
        assert sides(*numbers)[1]["scale"]["domain"] == ends
    lines = [{"target": "t", "original": 54.19, "synthetic": 53.74, "baseline": 60.0}]
    assert look.PALETTE["baseline"] in look.drawn(marks.arrows(lines, based=True))
    assert look.PALETTE["baseline"] not in look.drawn(marks.arrows(lines, based=False))


@pytest.mark.slow
def test_every_name_is_drawn_or_said_to_be_missing(report: sqlrisk.Report) -> None:
    for name, (draw, wants) in FIGURES["score"].items():
        if [*draw(report)]:
            assert report.plot(name).to_dict()["description"]
        else:
            lacks = wants.format(**names_in(report.declared, name))
            with pytest.raises(
                sqlrisk.InputError, match=re.escape(f"no rows for the figure {name!r}: {lacks}.")
            ):
                report.plot(name)
    bare = report.table("results")
    with pytest.raises(sqlrisk.InputError, match="Table has no figure"):
        bare.plot()
    assert report.plot().to_dict()["description"] == report.plot("arrows").to_dict()["description"]
    # The first that there is, where the first of all has no rows.
    keys_alone = sqlrisk.score(ORIGINAL, SYNTHESES, keys=KEYS, measures=["class_size"])
    assert (
        keys_alone.plot().to_dict()["description"].startswith("People by the size of their class")
    )
    assert drawing.chosen(FIGURES["diff"], None, "") == "changes"


@pytest.mark.slow
def test_every_result_has_a_figure_or_says_that_it_has_none(tmp_path: Path) -> None:
    found = results(tmp_path)
    none = ("Explanation", "Halves", "Listing", "Records", "Rerun", "Signatures")
    for name, result in found.items():
        if name in (*none, "Table"):
            with pytest.raises(sqlrisk.InputError, match=f"^{name} has no figure"):
                result.plot()
        elif name == "Diff":  # of two releases without a change that counts
            with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'changes'"):
                result.plot()
        else:
            assert rows_of(result.plot()), name
    for name in ("Protection", "Recoding"):
        drawn = [(row["before"], row["after"]) for row in rows_of(found[name].plot("changes"))]
        measured = [row for row in found[name].risks if row["unit"].startswith("percent")]
        assert drawn == [(row["before"]["value"], row["after"]["value"]) for row in measured]
        assert {"repU", "DiSCO", "DCAP"} <= {row["measure"] for row in measured}


@pytest.mark.slow
def test_one_measure_is_drawn_with_what_it_is_compared_with() -> None:
    numbers = {"Dorig": 50.0, "DiSCO": 20.0, "baseCAPd": 30.0, "CAPd": 60.0, "DCAP": 40.0}
    rows = [row_of(name, value, 1, target="ill") for name, value in numbers.items()]
    rows += [row_of(name, value, 1) for name, value in {"UiO": 9.0, "repU": 3.0, "iS": 8.0}.items()]
    made = report_of(rows)
    for names, ends in (
        (("Dorig", "DiSCO"), (50.0, 20.0)),
        (("baseCAPd", "CAPd", "DCAP"), (60.0, 40.0)),
        (("UiO", "repU"), (9.0, 3.0)),
    ):
        for name in names:
            (line,) = rows_of(made[name].plot())
            assert (line["original"], line["synthetic"]) == ends
    assert len(rows_of(made.plot())) == 2
    with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'slopes': it shows Dorig"):
        made["repU"].plot("slopes")
    with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'arrows'"):
        made["iS"].plot()
    for name in ("persons", "shares", "map", "policy"):
        with pytest.raises(sqlrisk.InputError, match=rf"report\.plot\('{name}'\) draws it"):
            made["DiSCO"].plot(name)


def test_records_have_no_figure() -> None:
    records = sqlrisk.records(ORIGINAL, SYNTHESES[0], keys=KEYS, targets=["ill"])
    with pytest.raises(sqlrisk.InputError, match=r"^Records has no figure\.$"):
        records.plot()


def test_an_inspection_draws_the_columns_whose_levels_do_not_meet() -> None:
    made = people("xxxxyyzz", "nnnmnmmm")  # z is new to the original, and nobody lost y
    found = sqlrisk.inspect(ORIGINAL, made, column={"town": {"label": "Place"}})
    lines = [(row["who"], row["role"], row["percent"]) for row in rows_of(found.plot())]
    assert lines[:2] == [("town\nPlace", "original", 0), ("town\nPlace", "synthetic", 25)]
    assert {row["percent"] for row in rows_of(sqlrisk.inspect(ORIGINAL, ORIGINAL).plot())} == {0}


def test_people_who_are_unique_are_drawn_with_those_who_are_found(report: sqlrisk.Report) -> None:
    value = {
        (row["measure"], row["synthesis"]): row["value"]
        for row in report.results
        if row["measure"] in ("UiO", "repU") and row["population"] == "all"
    }
    drawn = [(row["original"], row["synthetic"]) for row in rows_of(report.plot("replicated"))]
    assert drawn == [(value["UiO", each], value["repU", each]) for each in ("1", "2")]


@pytest.mark.slow
def test_figures_say_of_joined_numbers_what_the_tables_say() -> None:
    """An external report tells only that 3 of 1,000 people are fewer than 1.41 %."""
    targets, about = ["ill", "income", "job"], (0.3, 3, 1000)
    rows = [row_of(measure, *about) for measure in ("UiO", "repU")]
    rows += [
        row_of(measure, *about, target=target)
        for measure in ("Dorig", "DiSCO", "baseCAPd", "DCAP")
        for target in targets
    ]
    told = report_of(
        rows, original={"source": "o", "records": 1000}, scenario={"targets": targets}
    ).external()
    names = ("arrows", "heat", "slopes", "replicated")
    drawn = [figure for name in names for figure in FIGURES["score"][name][0](told)]
    drawn += decision_figures.first(told, decide_on(told))
    drawn += decision_figures.intruders({"one": told, "two": told})
    assert {figure.name.split()[0] for figure in drawn} == {*names, "decision", "intruders"}
    for figure in drawn:
        assert "<1.41 %" in figure.words
        assert "1.00" not in f"{figure.words} {figure.caption}"
        assert "as in the original" not in figure.words  # nobody knows how far they differ
        for line in rows_of(figure.chart):
            assert "1.00" not in f"{line.get('target')} {line.get('text')}"
    heat = next(figure for figure in drawn if figure.name == "heat DiSCO")
    assert {line["text"] for line in rows_of(heat.chart)} == {"<1.41"}


def test_people_in_the_synthesis_and_out_of_it_are_paired_with_their_intervals() -> None:
    report = sqlrisk.score(
        ORIGINAL, SYNTHESES[0], control=SYNTHESES[1], keys="town", targets="ill", measures="DCAP"
    )
    (row,) = report.differences
    (figure,) = target_charts.control(report)
    inside, outside = rows_of(figure.chart)
    assert [inside["percent"], outside["percent"]] == [row["original"], row["control"]]
    assert inside["who"] == f"in the synthesis\n{row['original']:.2f} %"
    assert outside["who"] == f"never in it\n{row['control']:.2f} %"
    for each, side in ((inside, "original"), (outside, "control")):
        assert each["low"] < each["percent"] < each["high"]
        assert each["high"] - each["low"] == pytest.approx(200 * row[f"{side}_error"])
    said = f"in the synthesis {row['original']:.2f} %; never in it {row['control']:.2f} %"
    assert said in figure.words


def test_what_several_methods_add_is_told_of_each_by_its_name() -> None:
    methods = {"near": [SYNTHESES[0]], "far": SYNTHESES}
    asked: dict[str, Any] = {"keys": "town", "targets": "ill", "measures": "DCAP"}
    report = sqlrisk.score(ORIGINAL, methods, control=SYNTHESES[1], **asked)
    near, far = conclusions(report, compared(report))
    assert near.startswith(
        "Ill, by near 1, is guessed right for 75.00 % of the people in the synthesis, and for 50.00"
    )
    assert far.startswith("Ill, by far pooled 1-2, is guessed right for 62.50 % of the people in")
    drawn = target_charts.control(report)
    assert [(each.title, rows_of(each.chart)[0]["percent"]) for each in drawn] == [
        ("ill: DCAP in and out of the synthesis, near 1", 75),
        ("ill: DCAP in and out of the synthesis, far pooled 1-2", 62.5),
    ]
    pooled = sqlrisk.score(ORIGINAL, SYNTHESES, control=SYNTHESES[1], **asked)
    (said,) = conclusions(pooled, compared(pooled))
    assert said.startswith("Ill, by the files pooled, is guessed right for 62.50 %")
    assert [each.title for each in target_charts.control(pooled)] == [
        "ill: DCAP in and out of the synthesis"
    ]


def test_the_mean_of_one_person_of_control_has_no_interval_to_draw() -> None:
    one = SYNTHESES[1].slice(1, 1)
    report = sqlrisk.score(
        ORIGINAL, SYNTHESES[0], control=one, keys="town", targets="ill", measures="DCAP"
    )
    (row,) = report.differences
    # x in town, all n in the synthesis: the person of control is m
    assert [row["original"], row["control"], row["control_error"]] == [75, 0, None]
    assert row["original_error"] > 0
    assert list(target_charts.control(report)) == []
    assert "Added risk" in report.to_html()


def test_near_rows_are_drawn_only_for_the_measure_that_was_asked_for() -> None:
    report = sqlrisk.score(
        ORIGINAL, SYNTHESES[0], control=SYNTHESES[1], keys="town", measures="people_within"
    )
    (figure,) = FIGURES["score"]["nearness"][0](report)
    assert figure.words == (
        "People with a synthetic record near by, by columns that differ at most. Highest: in, 1, "
        "100.00 %. in, 0: 75.00 %; out, 0: 12.50 %; in, 1: 100.00 %; out, 1: 87.50 %"
    )


def test_control_is_not_drawn_as_a_synthetic_file() -> None:
    made, control = people("xxxxyyyy", "nnmmmmmm"), people("xxxxyyyy", "mmmmmmmm")
    report = sqlrisk.score(
        ORIGINAL, made, control=control, keys="town", targets="ill", distributions=True
    )
    assert {row["file"] for row in report.shares} == {"original", "1", "control"}
    (figure,) = FIGURES["score"]["shares"][0](report)
    drawn = {(row["named"], row["level"]): row["percent"] for row in rows_of(figure.chart)}
    assert drawn == {
        ("original", "n"): 50,
        ("original", "m"): 50,
        ("1", "n"): 25,
        ("1", "m"): 75,
    }
    assert "control" not in figure.words


def test_plot_says_how_its_figure_is_saved(report: sqlrisk.Report, tmp_path: Path) -> None:
    assert "``to_svg(path)`` and\n``to_png(path)`` save it" in str(inspect.getdoc(report.plot))
    report.to_svg(tmp_path / "heat.svg", figure="heat")
    assert (tmp_path / "heat.svg").read_text(encoding="utf-8").startswith("<svg")


def test_each_rule_is_drawn_against_its_limit() -> None:
    def judged(rule: str, verdict: str, value: float | None, limit: float) -> dict[str, object]:
        place = {"measure": "DiSCO", "at": None, "target": "ill", "synthesis": "1"}
        told = {"population": "all", "people": "original", "weighted": False, "unit": "percent"}
        said = {"rule": rule, "verdict": verdict, "value": value, "limit": limit}
        return place | told | said | {"reason": "", "exception": None}

    verdicts = [
        judged("DiSCO <= 40", "pass", 10.0, 40),
        judged("DiSCO <= 40", "pass", 30.0, 40),
        judged("UiO >= 5", "fail", 4.0, 5),
        judged("repU <= 1", "review", 9.0, 1),
        judged("repU < 0", "fail", 1.0, 0),
        judged("DCAP <= 5", "fail", None, 5),
        judged("CAPs <= 5", "fail", 10.0, 5) | {"words": {"value": "more than 5"}},
    ]
    (figure,) = target_charts.policy({"verdicts": verdicts})
    drawn = [(row["part"], row["role"]) for row in rows_of(figure.chart)]
    assert drawn == [(75, "pass"), (125, "fail"), (250, "review"), (250, "fail")]
    assert "3 of 4 beyond the limit" in figure.words
    assert "DiSCO <= 40: 30.00 of 40.00, pass" in figure.words
    assert [*target_charts.policy({})] == []
    long = [
        judged("DiSCO:weeks_worked_in_year <= 40", "pass", 10.0, 40)
        | {"target": "weeks_worked_in_year"},
        judged("control_adjusted(DiSCO) <= 2", "pass", 1.0, 2) | {"target": "major_occupation"},
        judged("DiSCO <= 5", "fail", 0.3, 5)
        | {"value_without_exclusions": 7.5, "limit_without_exclusions": 5},
    ]
    (figure,) = target_charts.policy({"verdicts": long})
    assert [row["rule"].split("\n") for row in rows_of(figure.chart)] == [
        ["DiSCO:weeks_", "worked_in_", "year <= 40", "10.00 of 40.00"],
        ["control_", "adjusted(DiSCO)", "<= 2", "major_", "occupation", "1.00 of 2.00"],
        ["DiSCO <= 5", "ill", "7.50 of 5.00", "without", "exclusions"],
    ]
    assert [row["part"] for row in rows_of(figure.chart)] == [25, 50, 150]
    assert "…" not in look.drawn(figure.chart)  # nothing is cut


@pytest.mark.slow
def test_verdicts_draw_the_figure_of_the_report(tmp_path: Path) -> None:
    """In Python, on their page, and at the command line, which has no figure of signatures."""
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "Board"\n[[rule]]\nrule = "DiSCO <= 90"\nreason = "Why."\n')
    report = sqlrisk.score(
        ORIGINAL, SYNTHESES[0], keys="town", targets="ill", measures="DiSCO", policy=policy
    )
    verdicts = report.verdicts()
    assert rows_of(verdicts.plot()) == rows_of(report.plot("policy")) != []
    assert verdicts.to_html().count("<svg") == 1
    report.to_json(tmp_path / "risk.json")
    code, out, _ = command(
        "check", "risk.json", "--policy", "policy.toml", "--format", "svg", folder=tmp_path
    )
    assert (code, out[:4]) == (0, "<svg")
    code, out, _ = command("check", "risk.json", "--format", "svg", folder=tmp_path)
    assert (code, out) == (2, "")


def test_a_name_is_broken_after_signs_and_nothing_of_it_is_lost() -> None:
    assert look.in_lines("country_birth") == "country_birth"
    assert look.in_lines("major_occupation") == "major_\noccupation"
    assert look.in_lines("the bank that I trust") == "the bank that I\ntrust"
    assert look.in_lines("Income over 50,000 dollars") == "Income over\n50,000 dollars"
    whole = look.in_lines("x" * 40)
    assert whole.replace("\n", "") == "x" * 40
    assert max(map(len, whole.split("\n"))) == 15


def test_the_guide_lists_every_figure() -> None:
    page = (ROOT / "sqlrisk" / "guide" / "reports.md").read_text(encoding="utf-8")
    lists = re.findall(r"^(`[^\n]+):\n\n((?:- `\w+`: [^\n]+\n)+)", page, re.MULTILINE)
    kinds = {
        "`score` with several intruders": "several",
        "`sweep --layout hittmeir`": "layout",
        "`score --steps`": "steps",
        "`protect`, `recode`": "protect",
    }
    listed = {
        kinds.get(shown, shown.strip("`")): re.findall(r"^- `(\w+)`", names, re.MULTILINE)
        for shown, names in lists
    }
    assert listed == {result: [*names] for result, names in FIGURES.items()}
    assert [*listed] == [*FIGURES]


@pytest.mark.parametrize("name", ["uniques", "sweep"])
def test_a_file_of_rows_has_no_figure(name: str, tmp_path: Path) -> None:
    pq.write_table(ORIGINAL, tmp_path / "people.parquet")
    files = ["people.parquet"] * (1 if name == "uniques" else 2)
    asked = [*files, "--keys", "town,age", "--figure", "sizes", "-o", "rows.parquet"]
    code, out, err = command(name, *asked, folder=tmp_path)
    assert (code, out) == (2, "")
    assert "--figure needs a picture as output: add -o figure.svg or --format png." in err
    assert not (tmp_path / "rows.parquet").exists()


@pytest.mark.slow
def test_the_command_line_draws_one_figure(tmp_path: Path) -> None:
    for name, table in {"original": ORIGINAL, "one": SYNTHESES[0], "two": SYNTHESES[1]}.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    asked = ["original.parquet", "one.parquet", "--keys", "town,age", "--targets", "ill,job"]
    code, out, err = command(
        "score", *asked, "--figure", "slopes", "-o", "slopes.svg", "-q", folder=tmp_path
    )
    assert (code, out, err) == (0, "", "")
    assert "ill: CAPd to DCAP" in (tmp_path / "slopes.svg").read_text()
    assert json.loads((tmp_path / "slopes.svg.manifest.json").read_text())["command"]
    code, out, _ = command("sweep", *asked, "--format", "svg", folder=tmp_path)
    assert code == 0
    assert out.startswith("<svg")
    for words, said in (
        (
            ["score", *asked, "--figure", "slope", "-o", "x.svg"],
            "no figure 'slope' (did you mean 'slopes'",
        ),
        (
            ["score", *asked, "--figure", "slopes"],
            "--figure needs a picture as output: add -o figure.svg",
        ),
        (["score", *asked, "--part", "results", "--format", "svg"], "has no figure"),
        (
            ["cells", "DiSCO", *asked, "-o", "x.svg"],
            "has the suffix '.svg' of a picture; use one of .txt",
        ),
        (
            ["score", *asked, "-o", "x.svg", "--format", "png"],
            "is svg by its suffix, but --format says png",
        ),
    ):
        code, out, err = command(*words, folder=tmp_path)
        assert (code, out) == (2, ""), words
        assert said in err
    assert not (tmp_path / "x.svg").exists()
    code, out, _ = command(
        "protect", *asked, "-o", "p.parquet", "--format", "svg", "-q", folder=tmp_path
    )
    assert (code, out[:4]) == (0, "<svg")
