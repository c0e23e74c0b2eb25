"""An external report: every figure rounded, and no small count that can be worked out, by attacks
that know the definitions.
"""

import ctypes
import itertools
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.reasons import is_note, reasons
from sqlrisk.inputs.columns.links import read_links
from sqlrisk.inputs.fields import FREE_TEXTS, SETTINGS
from sqlrisk.inputs.policy import PLACE
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.settings import read_column, read_distinct, read_names, read_targets
from sqlrisk.report.columns import BANDS, COLUMNS
from sqlrisk.report.decision.margins import nearest
from sqlrisk.report.external import audit, definitions, everybody, figures, release, words
from sqlrisk.report.external import worlds as attempts
from sqlrisk.report.external.definitions import (
    _NOBODY,
    MANY,
    PEOPLES,
    RECORDS,
    CellLimits,
    Counted,
)
from sqlrisk.report.external.figures import Group, PublishedFigure
from sqlrisk.report.external.grid import band
from sqlrisk.report.external.words import UNNAMED
from tests.report.test_report import FAMILIES, TEXTS, report, row

ROOT = Path(__file__).resolve().parents[2]

# ---- the grid
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [2, 3, 5, 10])
@pytest.mark.parametrize("whole", [0, 1, 9, 10, 14, 25, 29, 30, 31, 77])
def test_every_number_is_in_one_band_and_no_band_holds_fewer_numbers_than_the_step(step, whole):
    bands = {band(number, step, whole) for number in range(whole + 1)}
    assert sorted(
        number for each in bands for number in range(int(each.low), int(each.high) + 1)
    ) == [*range(whole + 1)]
    assert all(
        each.high - each.low + 1 >= min(step, whole + 1) and each.shown % step == 0
        for each in bands
    )


def test_a_count_is_rounded_to_the_nearest_multiple_and_the_ends_are_open():
    told = [band(number, 10, 203) for number in (0, 14, 15, 24, 25, 190, 203)]
    assert [(each.low, each.high, each.shown) for each in told] == [
        (0, 14, 10), (0, 14, 10), (15, 24, 20), (15, 24, 20), (25, 34, 30), (185, 203, 190),
        (185, 203, 190),
    ]  # fmt: skip
    assert band(0, 10, 203).open_low
    assert band(203, 10, 203).open_high


# ---- a slow attack: every small world
# --------------------------------------------------------------------------------------

PEOPLE = 10
MEASURES = ("UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO")
BESIDE = ("classes", "synthetic classes", "UiS")  # which people add to, and are no counts of them
EVERY = (-np.inf, np.inf)


def of_class(people, records):
    """What a class of two levels adds to the measures, in words of the papers rather than of the
    program's SQL.
    """
    size, found = sum(people), sum(records)
    certain = found > 0 and max(records) == found
    right = people[records.index(found)] if certain else 0
    return (
        int(size == 1), int(size == 1 and found > 0), int(size == 1 and found == 1),
        size if max(people) == size else 0,
        size if found else 0, size if certain else 0, right, right if right == size else 0,
        1, int(found > 0), int(found == 1),
    )  # fmt: skip


@pytest.fixture(scope="module")
def worlds():
    """The counts of every original of ten people, two levels and any number of classes, with any
    synthetic file.
    """
    # Each count of a world has 4 bits of one whole number, so that worlds are added at once.
    bits = 4 * np.arange(len(MEASURES + BESIDE))[::-1]
    records = [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)]
    kinds = {
        size: [
            of_class((first, size - first), each) for first in range(size + 1) for each in records
        ]
        @ (1 << bits)
        for size in range(1, PEOPLE + 1)
    }
    reached = [np.array([0])]
    for people in range(1, PEOPLE + 1):
        more = [np.add.outer(kinds[size], reached[people - size]) for size in range(1, people + 1)]
        reached.append(np.unique(np.concatenate([each.ravel() for each in more])))
    return (reached[PEOPLE][:, None] >> bits & 15).astype(np.int16)


def may_be(worlds, told, beside):
    """Say in which worlds all figures can be as they are told, where nobody has any number of the
    synthetic classes.
    """
    rows = [
        (each["numerator_low"], each["numerator_high"]) if each["numerator"] is not None else EVERY
        for each in told.results
    ]
    *people, unique = rows
    agree = np.ones(len(worlds), dtype=bool)
    for place, (low, high) in enumerate(people):
        agree &= (worlds[:, place] >= low) & (worlds[:, place] <= high)
    own, found, alone = worlds[:, len(MEASURES) :].T
    classes, there = beside[PEOPLES["classes"]], beside[RECORDS["classes"]]
    agree &= (own >= classes[0]) & (own <= classes[1])
    # Classes of one record that nobody has make up for unique records that are missing.
    return agree & (alone <= unique[1]) & (found + np.maximum(unique[0] - alone, 0) <= there[1])


@pytest.fixture
def beside(monkeypatch):
    """The ends of what is told of each number that is in no result row, by its text, once a report
    is made.
    """
    found, tell = {}, release._Release._told_beside

    def told(self, people, text, row, field):
        band = tell(self, people, text, row, field)
        found[text] = EVERY if band is None else (band.low, band.high)
        return band

    monkeypatch.setattr(release._Release, "_told_beside", told)
    return found


@pytest.fixture(scope="module")
def sums(worlds):
    """Each sum and difference of up to three counts, and of everybody, that is a number of people
    in every world.
    """
    found = []
    for size, whole in itertools.product((1, 2, 3), (0, 1)):
        for places in itertools.combinations(range(len(MEASURES)), size):
            for signs in itertools.product((1, -1), repeat=size):
                values = whole * PEOPLE + sum(
                    sign * worlds[:, place] for place, sign in zip(places, signs, strict=True)
                )
                if values.min() == 0 and values.max() <= PEOPLE:
                    found.append(([MEASURES[place] for place in places], signs, whole, values))
    return found


@pytest.mark.parametrize(
    ("threshold", "releases", "seconds", "at_once"),
    [
        (4, 2, 0.001, 200),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (4, 4, 0.001, 200),
                (3, 15, 20, 200),
                (4, 30, 20, 200),
                (5, 10, 20, 200),
                (4, 30, 20, 0),
            )
        ),
    ],
)
def test_no_pair_or_triple_of_figures_gives_a_small_count_away(
    worlds, sums, beside, threshold, releases, seconds, at_once, monkeypatch
):
    """Random releases: in the worlds that agree with what is published, a count that may be small
    is of as many numbers.

    Where there is hardly time to look for worlds, figures are coarser or nothing is published.
    Where whole people are looked for after fractions of them, it holds if no count is left to
    these.
    """
    monkeypatch.setattr(audit, "EACH", seconds)
    monkeypatch.setattr(attempts, "WHOLE", at_once)
    proven = 0
    assert len(sums) > 50
    chosen, coarser = random.Random(threshold), 0  # noqa: S311 - nobody guards a secret with it
    for _ in range(releases):
        truth = worlds[chosen.randrange(len(worlds))]
        classes, found, alone = (int(count) for count in truth[len(MEASURES) :])
        # synthetic classes of one record, and of more
        of_nobody = [chosen.choice((0, 0, 2, 9)) for _ in range(2)]
        rows = [
            row(
                name,
                10.0 * count,
                int(count),
                PEOPLE,
                target=None if name in MEASURES[:3] else "income",
            )
            for name, count in zip(MEASURES, truth, strict=False)
        ]
        made = report(
            [*rows, row("UiS", 10.0, alone + of_nobody[0], 100)],
            original={"source": "o", "records": PEOPLE, "classes": classes},
            synthetic=[{"source": "s", "synthesis": "1", "classes": found + sum(of_nobody)}],
            scenario={"targets": ["income"]},
        )
        try:
            told = made.external(threshold)
        except sqlrisk.InputError:
            assert seconds < 1
            continue
        coarser += told.rounding["coarser"] + told.rounding["hidden"]
        agree = may_be(worlds, told, beside)
        assert (worlds[agree] == truth).all(axis=1).any()
        if told.rounding["fractions"]:
            assert not at_once
            continue
        proven += told.rounding["whole"]
        for *about, values in sums:
            believed = values[agree]
            assert believed.min() >= threshold or np.ptp(believed) + 1 >= threshold, (
                truth,
                about,
                set(believed),
            )
    assert coarser or threshold != 4 or seconds < 1  # some were too fine
    assert proven or seconds < 1


@pytest.fixture
def searches(monkeypatch):
    """Each search for whole people that ended well: its reader, the world, and the limits of the
    rows.
    """
    seen, readers = [], {}
    reading, looking = audit.Reader.__init__, attempts.Worlds.in_whole_people

    def read(self, *about, **how):
        reading(self, *about, **how)
        readers[self._search] = self

    def look(self, aim, low, high, begin, **how):
        world = looking(self, aim, low, high, begin, **how)
        seen.extend([] if world is None else [(readers[self], world, low, high)])
        return world

    monkeypatch.setattr(audit.Reader, "__init__", read)
    monkeypatch.setattr(attempts.Worlds, "in_whole_people", look)
    monkeypatch.setattr(attempts, "WHOLE", 0)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([3], range(4)))
def test_every_world_of_whole_people_is_one(seed, searches):
    """Random files of two syntheses and two targets: block by block, and counted anew, with
    Python's own whole numbers.
    """
    draw = np.random.default_rng(seed)

    def records(size):
        return pd.DataFrame(
            {
                "k": draw.integers(0, 12, size),
                "t": draw.integers(0, 3, size),
                "v": draw.integers(0, 2, size),
            }
        ).astype(str)

    original, files = records(60), [records(60), records(40)]
    asked = ["identity", "attribute"] if seed % 2 else ["DiSCO", "iS", "UiO", "DCAP"]
    made = sqlrisk.score(original, files, keys=["k"], targets=["t", "v"], measures=asked)
    told = made.external(5)
    whole, fractions = told.rounding["whole"], told.rounding["fractions"]
    assert isinstance(whole, int)
    assert isinstance(fractions, int)
    assert whole > fractions
    assert searches
    for reader, world, low, high in searches:
        assert (world >= 0).all()
        assert np.array_equal(world, np.round(world))
        sums, keys_of = iter(range(len(reader._fixed), len(low))), defaultdict(list)
        for block, part in zip(reader._blocks, reader._parts, strict=True):
            own = [int(number) for number in world[part]]
            assert sum(number for number, one in zip(own, block.people, strict=True) if one) == 60
            for name, keys in block.links.items():
                tally = Counter()
                for key, number, one in zip(keys, own, block.people, strict=True):
                    tally[key] += number if one else 0
                keys_of[name].append(+tally)
            for adds, place in zip(block.figures.values(), sums, strict=False):
                value = sum(number * float(each) for number, each in zip(own, adds, strict=True))
                # as far from the band as a band's limits are: 1e-6
                assert low[place] - 1e-8 <= value <= high[place] + 1e-8
        assert any(len(tallies) > 1 for tallies in keys_of.values())
        assert all(tally == tallies[0] for tallies in keys_of.values() for tally in tallies)


def test_a_world_that_presolve_misses_is_found_without_it(monkeypatch):
    rows = [row(name, 20.0, 4, 20, target="income") for name in ("DiSCO", "iS")]
    made = report(rows, original={"source": "o", "records": 20}, scenario={"targets": ["income"]})
    monkeypatch.setattr(audit, "BEFORE", 0)  # each count is searched for on its own
    found, solved = made.external(), attempts._solved
    asked = []

    def missed(*given, presolve=True):
        return (None, False) if presolve else solved(*given, presolve=presolve)

    def impossible(aim, limits, *given, presolve=True):
        """Miss worlds that need not be the best, which are searched for first."""
        asked.append((len(limits), presolve))
        return (None, False) if len(limits) > 1 else solved(aim, limits, *given, presolve=True)

    for each in (missed, impossible):
        monkeypatch.setattr(attempts, "_solved", each)
        assert made.external().to_json() == found.to_json()
    assert found.rounding["attacked"] > 0
    # The search for the best world comes before any without presolve.
    assert {*asked} == {(1, True), (2, True)}


def test_what_is_proven_in_fractions_of_people_is_told(monkeypatch):
    made = scored(measures=["identity", "attribute"], targets=["t", "w"])
    monkeypatch.setattr(attempts, "WHOLE", 0)
    monkeypatch.setattr(audit, "AGAIN", 300)  # however slow the machine
    monkeypatch.setattr(attempts, "_STEP", 60)
    found = made.external()
    monkeypatch.setattr(audit, "AGAIN", 0)
    missed = made.external()
    assert (
        found.rounding["whole"]
        == missed.rounding["whole"] + missed.rounding["fractions"]
        > missed.rounding["whole"]
    )
    assert found.rounding["fractions"] == 0
    assert found.results == missed.results  # what is told does not hang on it
    said = "more are proven only with fractions of people"
    assert said in " ".join(missed.to_text().split())
    assert said not in " ".join(found.to_text().split())


def test_nothing_is_published_that_was_not_proven_in_time(monkeypatch):
    def made(people):
        rows = [
            row("DiSCO", 20.0, people // 5, people, target="income"),
            row("iS", 30.0, people * 3 // 10, people, target="income"),
        ]
        return report(
            rows, original={"source": "o", "records": people}, scenario={"targets": ["income"]}
        )

    exact = made(1000).external()
    monkeypatch.setattr(audit, "EACH", 0)
    # no count is small: nothing is looked for
    assert made(1000).external().to_json() == exact.to_json()
    with pytest.raises(sqlrisk.InputError, match="could not keep a small count"):
        made(20).external()
    monkeypatch.setattr(audit, "ALL", 0)
    with pytest.raises(sqlrisk.InputError, match="its audit takes more than 0 minutes"):
        made(20).external()


def test_a_count_that_a_sum_of_shares_repeats_is_attacked_as_before():
    """CAP_at_least at 1 counts whom DiSCO counts, as a sum of shares."""
    numbers = {"UiO": 2, "repU": 1, "Dorig": 6, "iS": 8, "DiS": 4, "DiSCO": 3, "DiSDiO": 2}
    rows = [
        row(name, 10.0 * count, count, PEOPLE, target=None if name in MEASURES[:3] else "income")
        for name, count in numbers.items()
    ]
    about = {"original": {"source": "o", "records": PEOPLE}, "scenario": {"targets": ["income"]}}
    alone = report(rows, **about).external(4)
    again = report(
        [*rows, row("CAP_at_least", 30.0, 3.0, PEOPLE, target="income", at=1.0)], **about
    ).external(4)
    assert again.rounding["attacked"] == alone.rounding["attacked"]
    assert [each["numerator_high"] for each in again.results[:-1]] == [
        each["numerator_high"] for each in alone.results
    ]


def test_figures_that_nobody_can_have_are_hidden():
    rows = [row("UiO", 20.0, 20, 100), row("repU", 60.0, 60, 100)]
    told = report(rows, original={"source": "o", "records": 100}).external()
    assert [each["numerator"] for each in told.results].count(None) == 1
    assert told.rounding["hidden"] == 1


# ---- ten attacks that found hidden counts
# ----------------------------------------------------------------------------------

SMALL, EVERYBODY = 4, 104


def people(**columns):
    """A file in which each column is given by runs: how many records have which level."""
    return pd.DataFrame(
        {
            name: [level for level, size in runs for _ in range(size)]
            for name, runs in columns.items()
        }
    )


def spread(levels, size, last="z"):
    """Runs of as many records at each of some levels, and of few at the last."""
    return [*((f"{level:02}", size) for level in range(levels)), (last, SMALL)]


# Keys: 20 classes of five people, and one of four, whom no synthetic record has. Target: yes and no
# by turns; of w, four are yes.
ORIGINAL = people(
    k=spread(20, 5), w=[("n", 100), ("y", SMALL)], s=[("f", 50), ("m", 50), ("x", SMALL)]
).assign(t=["y", "n"] * 52, v=[float(number % 7) for number in range(EVERYBODY)])
SYNTHETIC = people(k=[*spread(20, 5)[:-1], ("q", SMALL)]).assign(
    t=["y", "n", "n", "y", "n"] * 20 + ["y"] * 4,
    w="n",
    s="f",
    v=[float(number % 5) for number in range(EVERYBODY)],
)


def scored(*synthetic, original=ORIGINAL, keys=("k",), targets=("t",), **settings):
    return sqlrisk.score(
        original, [*synthetic] or [SYNTHETIC], keys=list(keys), targets=list(targets), **settings
    )


def attacked(made, work_out, truth, **how):
    """Check that a count is worked out of exact values, and not of those of an external report, at
    the ends of their bands.
    """

    def value(found, end="value", **about):
        about = {"synthesis": "1", "population": "all", "at": None, **about}
        (each,) = [
            row for row in found.results if all(row[name] == what for name, what in about.items())
        ]
        return each["value"] if end == "value" else each.get(f"value_{end}")

    measures = how.pop("measures")
    exact = [value(made, **about) for about in measures]
    assert work_out(*exact) == pytest.approx(truth, abs=1e-6)
    assert 0 < truth < 10
    told = made.external(10)
    ends = [[value(told, end, **about) for end in ("low", "high")] for about in measures]
    if any(None in pair for pair in ends):
        return  # one of the two is hidden
    found = [work_out(*corner) for corner in itertools.product(*ends)]
    assert min(found) - 1e-9 <= truth <= max(found) + 1e-9
    assert max(found) - min(found) >= 9


def rest(one, matched):
    """People whose keys are not found: the same numerator over everybody, and over those whose keys
    are found.
    """
    return EVERYBODY * (1 - one / matched) if matched else EVERYBODY


@pytest.mark.parametrize(
    ("one", "matched", "settings"),
    [
        ("accuracy_0CAP", "accuracy_ICAP", {}),
        ("min_DCAP_at_totals", "min_DCAP_matched_at_totals", {}),
        ("DCAP_shuffled", "DCAP_matched_shuffled", {}),
        ("CAP_within", "CAP_within_matched", {"targets": ["v"], "within": {"v": "1"}}),
    ],
)
def test_the_people_found_do_not_follow_from_two_numbers_of_the_same_people(one, matched, settings):
    made = scored(**settings, measures=[one, matched, "iS"])
    attacked(made, rest, SMALL, measures=[{"measure": one}, {"measure": matched}])


def test_the_rare_one_of_two_levels_does_not_follow_from_the_sum_of_squares():
    made = scored(
        targets=["w"],
        measures=["baseCAPd", "accuracy_mode_orig", "accuracy_mode", "accuracy_marginal"],
    )

    def rare(value):
        return EVERYBODY * (1 - max(2 * value / 100 - 1, 0) ** 0.5) / 2

    attacked(made, rare, SMALL, measures=[{"measure": "baseCAPd"}])
    attacked(
        made,
        lambda value: EVERYBODY * (1 - value / 100),
        SMALL,
        measures=[{"measure": "accuracy_mode_orig"}],
    )


def test_the_excluded_people_do_not_follow_from_two_baselines():
    made = scored(
        targets=["w"], exclude_level={"w": ["y"]}, measures=["baseCAPd", "baseCAPd_counted"]
    )
    assert {(each["side"], each["records"]) for each in made.exclusions} >= {("original", SMALL)}
    attacked(
        made, lambda all_, counted: (all_ - counted) / 100 * EVERYBODY / (SMALL / EVERYBODY), SMALL,
        measures=[{"measure": "baseCAPd"}, {"measure": "baseCAPd_counted"}],
    )  # fmt: skip
    assert {each["records"] for each in made.external().exclusions} <= {None, 10}


def test_people_with_a_missing_key_are_in_no_measure_of_identity():
    """Half of 200 people have no key, the others are in classes of ten."""
    original = people(k=[(None, 100), *((str(number), 10) for number in range(10))])
    original = original.assign(t=["y", "n"] * 100)
    made = scored(
        original.assign(t="y"), original=original, exclude_missing=["k"],
        measures=["class_size", "excluded_identity"],
    )  # fmt: skip
    found = {
        (inside["measure"], inside["at"]): (
            inside["numerator"],
            *(told[f"numerator{end}"] for end in ("", "_low", "_high")),
        )
        for inside, told in zip(made.results, made.external().results, strict=True)
    }
    assert found["class_size", 10] == (100, 100, 95, 104)
    exact, _, low, high = found["excluded_identity", None]
    assert low <= exact == 100 <= high


def test_whether_bins_are_quantiles_is_not_told():
    """Levels of one person that the synthetic file lacks decide it."""
    made = report([row("UiO", 50.0, 400, 800)])
    made = replace(made, scenario={**made.scenario, "bins": {"children": 3}}, merges=[{}])
    told = [replace(made, equal_width=columns).external() for columns in ([], ["children"])]
    assert told[0].to_json() == told[1].to_json()
    assert [(each.equal_width, each.merges) for each in told] == [([], [])] * 2
    pages = [" ".join(each.to_text().split()) for each in told]
    assert pages[0] == pages[1]
    assert "bins children in 3 bins" in pages[0]


def test_by_which_reason_nobody_is_excluded_is_not_told():
    """Five people have an excluded level of w, and nobody or three have none."""
    told, reasons_found = [], []
    for missing in (0, 3):
        levels = [*[None] * missing, *["x"] * 5, *["n"] * (EVERYBODY - missing - 5)]
        made = scored(
            original=ORIGINAL.assign(w=levels), targets=["w", "t"], measures=["iS"],
            exclude_level={"w": ["x"]}, exclude_missing=["w"],
        )  # fmt: skip
        reasons_found.append({row["reason"] for row in made.exclusions})
        told.append(made.external().exclusions)
    assert reasons_found == [{"target level"}, {"target level", "missing target"}]
    assert told[0] == told[1]
    about = ("target", "reason", "side", "cells", "records")
    assert [[row[name] for name in about] for row in told[0]] == [
        ["w", "any reason", "original", None, 10]
    ]
    assert [row["words"] for row in told[0]] == [{"cells": "[c]", "records": "<15"}]


@pytest.mark.parametrize(
    ("asked", "excludable"),
    few(
        [
            ({"exclude_level": {"w": ["x"]}}, {"w"}),
            ({"exclude_missing": ["t"]}, {"t"}),
            ({"exclude_missing": ["k"]}, {"t", "w"}),
            ({"exclude_pair": ["w=x,k=01"]}, {"w"}),
            ({"max_cell": 90}, {"t", "w"}),
            ({"max_cell_syn": 90}, {"t", "w"}),
        ]
    ),
)
def test_exclusions_are_told_of_targets_that_a_setting_is_about(asked, excludable):
    levels = ["x"] * 20 + ["n"] * (EVERYBODY - 20)
    original = ORIGINAL.assign(w=levels)
    made = scored(original, original=original, targets=["w", "t"], measures=["iS"], **asked)
    assert {row["target"] for row in made.external().exclusions} == excludable


def test_synthetic_records_exclude_other_people_in_each_synthesis():
    """No figure contradicts that of another synthesis or of the pool, so that all are told."""
    original = pd.concat([ORIGINAL, ORIGINAL])
    made = scored(
        SYNTHETIC, SYNTHETIC.iloc[:50], original=original, measures=["Dorig", "iS"], max_cell_syn=2
    )
    told = made.external()
    for each in (made, told):
        assert [row["records"] for row in each.exclusions] == [100, 50, 150]
    assert told.rounding["hidden"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["iS", "UiOiS"])
def test_who_is_found_in_one_synthesis_alone_does_not_follow_from_the_pool(measure):
    size = 5 if measure == "iS" else 1
    original = (
        people(k=spread(100 // size, size))
        if size > 1
        else people(k=[(f"{n:03}", 1) for n in range(104)])
    )
    original = original.assign(t="y")
    first = original.iloc[:100]
    second = original.iloc[20:104]
    made = scored(first, second, original=original, measures=[measure])
    attacked(
        made, lambda pool, most: EVERYBODY * (pool - most) / 100, SMALL,
        measures=[{"measure": measure, "synthesis": "pooled 1-2"},
            {"measure": measure, "synthesis": "max"}],
    )  # fmt: skip


def test_people_of_small_shares_do_not_follow_from_two_points():
    """Four people of a class have a level that a quarter of its synthetic records has; all others
    are certain.
    """
    original = people(k=spread(20, 5)).assign(t="y")
    synthetic = original.assign(t=["y"] * 101 + ["n"] * 3)
    made = scored(synthetic, original=original, measures=["DCAP", "CAP_at_least"])
    attacked(
        made, lambda all_, sure: EVERYBODY * (all_ - sure) / 100 / 0.25, SMALL,
        measures=[{"measure": "DCAP"}, {"measure": "CAP_at_least", "at": 0.5}],
    )  # fmt: skip


@pytest.mark.slow
def test_people_of_no_population_do_not_follow_from_differences_of_populations():
    made = scored(
        population={"women": "s = f", "men": "s = m"},
        populations=["all", "women", "men"],
        measures=["iS", "Dorig"],
    )
    names = {"women": "population 1", "men": "population 2"}
    told = made.external(10)
    sides = {}
    for found, own in ((made, {name: name for name in names}), (told, names)):
        ends = ("denominator_low", "denominator_high") if found is told else ("denominator",) * 2
        rows = {
            each["population"]: [each[end] for end in ends]
            for each in found.results
            if each["measure"] == "iS"
        }
        sides[found is told] = [
            rows["all"][end] - rows[own["women"]][1 - end] - rows[own["men"]][1 - end]
            for end in (0, 1)
        ]
    assert sides[False] == [SMALL, SMALL]
    assert sides[True][1] - max(sides[True][0], 0) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("population", [{"women": "s = f"}, {"women": "s = f", "men": "s = m"}])
def test_whether_anybody_is_in_no_population_is_not_told(population):
    """50 women are not everybody where only they are requested, and 53 men are not the rest."""
    told = []
    for last in ("f", None):
        original = ORIGINAL.assign(s=["f"] * 50 + ["m"] * 53 + [last])
        asked = {"population": population, "populations": [*population]}
        made = scored(original=original, **asked, measures=["iS"])
        told.append(made.external().results)
    assert told[0] == told[1]
    women = told[0][0]
    assert (women["denominator_low"], women["denominator_high"]) == (50, 69)


def test_special_uniques_do_not_follow_from_all_uniques():
    """They are at least a tenth of the uniques."""
    rows = [
        row("iS", 50.0, people // 2, people, target="income", population=name)
        for name, people in (("all", 1000), ("uniques", 80), ("special", 8))
    ]
    told = report(
        rows, original={"source": "o", "records": 1000}, scenario={"targets": ["income"]}
    ).external(10)
    bands = {
        each["population"]: (each["denominator_low"], each["denominator_high"])
        for each in told.results
    }
    assert bands["uniques"] == (75, 84)
    least, most = bands["special"]
    assert least <= 8 <= most
    assert most - max(least, 75 / 10) >= 9


BANDED = {"age": {"bands": ["0", "18", "65"], "label": "Years"}}
AGED = {"age": {"bands": ["0", "18", "65"], "age_at": "2020-01-01"}}


@pytest.mark.parametrize(
    ("one", "other", "column", "told"),
    [
        # what a person may be in: neither, one, the other, both
        ("age < 65", "age >= 65", {}, "neither one other"),
        ("s = m", "s <> m", {}, "neither one other"),
        ("s IN (m, x)", "s = f", {}, "neither one other"),
        ("born < 2000-01-01", "born >= '2000-01-01 00:00'", {}, "neither one other"),
        ("age >= 65 AND s = m", "age > 18", {}, "neither other both"),
        ("s = f", "s IN (f, x)", {}, "neither other both"),
        ("s = f", "s <> x", {}, "neither other both"),
        ("age < 65", "age > 18", {}, "neither one other both"),
        ("age < 65", "income >= 65", {}, "neither one other both"),
        # one number, two texts
        ("zip = 1", "zip = 01", {}, "neither one other both"),
        # of two texts a database knows the order, of one text it does not matter
        ("name < k", "name > m", {}, "neither one other both"),
        ("name < k", "name >= k", {}, "neither one other"),
        ("name = k", "name < k", {}, "neither one other both"),  # k may be a name of other levels
        ("born < 2000-06", "born >= 2000-06", {"born": {"date": "month"}}, "neither one other"),
        ("born < 2000-Q2", "born >= 2000-Q3", {"born": {"date": "quarter"}}, "neither one other"),
        ("born < 2000", "born < 2000-06", {"born": {"date": "month"}}, "neither other both"),
        # 20 stands for the band from 18
        ("age = [0,18)", "age = [18,65)", BANDED, "neither one other"),
        ("age = 10", "age = 20", BANDED, "neither one other"),
        ("age = 20", "age = 18-64", BANDED, "neither both"),
        ("age <> 20", "age = 30", BANDED, "neither one other"),
        ("age = [0,18)", "age >= 18", BANDED, "neither one other"),
        ("age = 20", "age < 19", BANDED, "neither one other both"),
        ("age < 19", "age >= 19", BANDED, "neither one other"),
        ("age = 20", "age < 18", AGED, "neither one other both"),  # of ages, bands are compared
        ("n = 0", "n = 1", {"n": {"top": "3"}}, "neither one other"),
        ("n = 3", "n = 4", {"n": {"top": "3"}}, "neither both"),
        ("n = -1", "n = 19", {"n": {"width": "20"}}, "neither one other"),
        ("n = 0", "n = 19", {"n": {"width": "20"}}, "neither both"),
        ("n = none", "n = 4", {"n": {"top": "3"}}, "neither one other"),
    ],
)
def test_which_populations_overlap_follows_from_their_conditions(one, other, column, told):
    rows = [row("UiO", 50.0, 4, population=name) for name in ("one", "other")]
    scenario = {"population": {"one": one, "other": other}, "column": column}
    made = report(rows, scenario=scenario)
    found = [" ".join(sorted(each)) for each in words.Words(made, [made]).overlapping()]
    names = {"": "neither", "one other": "both"}
    assert " ".join(names.get(each, each) for each in found) == told


@pytest.mark.slow
def test_three_numbers_of_one_measure_are_attacked_across_populations(monkeypatch):
    """People of no population: all, without women and men."""
    attacked_counts = []

    def noted(people, kept, links, counts, *floors):
        attacked_counts.extend(signs for signs, _ in counts)
        return audit.Block(people, kept, links, counts, *floors)

    monkeypatch.setattr(figures, "Block", noted)
    scored(
        population={"women": "s = f", "men": "s = m"},
        populations=["all", "women", "men"],
        measures=["iS", "Dorig"],
    ).external(10)
    found = [sorted(key[0].population for key in signs if key) for signs in attacked_counts]
    assert sum(each == ["all", "men", "women"] for each in found) >= 3


@pytest.mark.slow
def test_the_users_own_populations_have_means_and_verdicts(tmp_path):
    """Their rows are found by the names that they have outside."""
    policy = tmp_path / "n.toml"
    policy.write_text(
        'name = "n"\n[[rule]]\nrule = "iS >= 5"\nreason = "so"\n'
        'populations = ["women"]\nsyntheses = ["1"]\n'
    )
    told = scored(
        SYNTHETIC,
        SYNTHETIC,
        original=pd.concat([ORIGINAL] * 11),
        population={"women": "s = f"},
        populations=["all", "women"],
        measures=["iS"],
        policy=str(policy),
    ).external()
    values = {
        each["synthesis"]: each["value"]
        for each in told.results
        if each["population"] == "population 1"
    }
    assert values["1"] > 90
    assert values["mean"] == values["1"] == values["2"]
    assert [each["verdict"] for each in told.policy["verdicts"] if each["measure"] == "iS"] == [
        "pass"
    ]


def test_which_figure_is_coarsened_does_not_depend_on_the_order_in_which_they_are_met():
    """Two runs that hide different figures tell together what each of them must hide."""
    women, men = (PublishedFigure("t", bytes(8), population=who) for who in ("women", "men"))
    found = []
    for met in ([women, men], [men, women]):
        group = Group(10, 3, {}, kept=["DiSCO"], names=dict.fromkeys((women, men), "DiSCO"))
        group._coarsen(met)
        found.append(group.coarse)
    assert found[0] == found[1]
    assert len(found[0]) == 1


def test_files_of_the_same_name_keep_their_encodings(tmp_path: Path):
    encodings = {}
    for folder, encoding in (("old", "utf-8"), ("new", "windows-1252")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "a.csv"
        file.write_text("k,t\n" + "a,x\nb,y\n" * 20)
        encodings[str(file)] = encoding
    told = sqlrisk.score(*encodings, keys=["k"], targets=["t"], encoding=encodings).external()
    assert told.scenario["encoding"] == {"a.csv": "utf-8 or windows-1252"}


def test_a_sum_of_shares_has_one_band_in_whatever_order_it_was_added_up():
    told = set()
    for number in (15.0, 14.999999999999998, 15.000000000000002):
        figure = PublishedFigure("t", np.ones(1).tobytes())
        group = Group(100, 3, {})
        group.add(figure, "1", number, 10, "CAPd")
        told.add(group.told(figure, "1"))
    assert told == {band(15, 10, 100)}


AGAIN = """import sqlrisk
from tests.report.test_external import ORIGINAL, SYNTHETIC
told = sqlrisk.score(
    ORIGINAL, [SYNTHETIC, SYNTHETIC], keys=["k"], targets=["t"], measures=["identity", "attribute"],
    population={"women": "s = f", "men": "s = m"}, populations=["all", "women", "men"],
).external()
print([row["value"] for row in told.results])
"""


@pytest.mark.slow
def test_each_run_publishes_the_same_numbers():
    """Whatever the order in which a set of Python has its texts, which each process draws anew."""
    told = {
        subprocess.run(
            [sys.executable, "-c", AGAIN],
            capture_output=True, text=True, check=True, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    (numbers,) = told
    assert "None" in numbers
    assert re.search(r"\d\.\d", numbers)


@pytest.mark.slow
def test_no_exact_number_is_in_any_form(tmp_path):
    original = pd.concat([ORIGINAL] * 11 + [ORIGINAL.iloc[:7]])
    made = scored(
        SYNTHETIC,
        original=original,
        measures=["identity", "attribute", "cap", "protection", "k_anonymity"],
    )
    exact = {
        f"{number:.12g}"
        for each in made.results if each["people"] == "original"
        for number in (each["numerator"], each["denominator"], each["value"])
        if number is not None and number % 10 and number > 20 and abs(number - round(number,
            1)) > 1e-9
    } | {"1151", "1,151"}  # fmt: skip
    told = made.external()
    told.to_parquet(tmp_path / "told.parquet")
    frame = pd.read_parquet(tmp_path / "told.parquet")
    forms = [
        told.to_json(),
        told.to_csv(),
        told.to_markdown(),
        told.to_text(),
        told.to_html(),
        frame.to_csv(),
    ]
    for text in forms:
        numbers = set(
            re.findall(
                r"(?<![\w.#])\d[\d,]*\.?\d*(?![\w%])",
                re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL),
            )
        )
        assert not numbers & exact
    assert list(frame.columns) == [*COLUMNS, *BANDS]
    page = told.to_html()
    for value, source in re.findall(r'<data value="([^"]*)" data-source="([^"]*)"', page):
        place = json.loads(told.to_json())
        for step in source.strip("/").split("/"):
            place = place[int(step)] if isinstance(place, list) else place[step]
        assert json.loads(value) == place
    for each in told.results:
        for side in ("numerator", "denominator"):
            if each[side] is not None and "scaled" not in each["measure"]:
                assert each[side] % 10 == 0


# ---- what else is told
# --------------------------------------------------------------------------------------------------


def test_what_is_not_defined_is_not_told_apart_from_what_is_small():
    """That nobody is there to divide by is a count of people, too."""
    numbers = [
        row("TCAP_disclosive", None, 0, 0, target="income"),
        row("max_denom", None, None, None, target="income"),
    ]
    told = report(numbers, original={"source": "o", "records": 100}).external()
    few = [
        row("TCAP_disclosive", 50.0, 2, 4, target="income"),
        row("max_denom", 2, None, None, target="income"),
    ]
    other = report(few, original={"source": "o", "records": 100}).external()
    assert told.to_json() == other.to_json()


def test_a_difference_that_is_not_defined_is_not_told_apart_from_one_of_few():
    """Of 500 people of control, nobody or five are told one level for certain."""
    numbers = ("original", "control", "difference", "adjusted", "adjusted_low", "adjusted_high")
    few = (75.0, 40.0, 35.0, 0.5833, 0.1, 0.8)
    told = []
    for side, values in (((0, 0), (75.0, *[None] * 5)), ((2, 5), few)):
        own = row("TCAP_disclosive", values[0], 300, 400, target="income")
        other = row("TCAP_disclosive", values[1], *side, target="income", people="control")
        about = {name: own[name] for name in PLACE if name != "people"}
        added = [
            {**own, "people": people, "numerator": None, "denominator": None, "value": value}
            for people, value in zip(("difference", "adjusted"), values[2:4], strict=True)
        ]
        made = report(
            [own, other, *added], original={"source": "o", "records": 1000},
            control={"source": "c", "records": 500},
            differences=[{**about, **dict(zip(numbers, values, strict=True)), "p": None,
                "note": None}],
        )  # fmt: skip
        told.append(made.external())
    assert told[0].differences == told[1].differences
    assert told[0].differences[0]["original"] == 75.0
    hidden = dict.fromkeys((*numbers[1:], "p"), "[c]")
    assert told[0].differences[0]["words"] == hidden
    texts = [" ".join(each.to_text().split()) for each in told]
    assert texts[0] == texts[1]
    assert "TCAP_disclosive 75.00 [c] [c] [c] [c] –" in texts[0]  # nobody is told p


@pytest.mark.slow
def test_families_of_which_nothing_can_be_told_are_named_and_left_out():
    made = scored(original=pd.concat([ORIGINAL] * 9), measures=["attribute", "others", "guesses"])
    told = made.external()
    assert told.rounding["left_out"] == ["others", "guesses"]
    assert {each["value"] for each in told.results if each["family"] in ("others", "guesses")} == {
        None
    }
    for page in (told.to_markdown(), told.to_html()):
        assert (
            "Left out, because none of their figures can be published: Others: what the rest of "
            "the original reveals about a person" in page
        )
        assert page.count("Guesses: coverage and precision") == 1
        assert "Attributes: what could be revealed" in page


def test_means_are_those_of_rounded_numbers():
    rows = [
        row("DiSCO", value / 10, value, 1000, target="income", synthesis=str(place))
        for place, value in ((1, 203), (2, 308))
    ]
    rows += [
        row("DiSCO", value, None, None, target="income", synthesis=word)
        for word, value in (("mean", 25.55), ("min", 20.3))
    ]
    told = report(rows, original={"source": "o", "records": 1000}).external()
    assert [each["value"] for each in told.results] == [20.0, 31.0, 25.5, 20.0]


def test_what_sums_up_joined_numbers_is_told_as_they_are():
    rows = [
        row("DiSCO", count / 10, count, 1000, target=target, synthesis=str(place))
        for target, counts in (("income", (3, 0)), ("job", (3, 203)), ("age", (203, 997)))
        for place, count in enumerate(counts, 1)
    ]
    rows += [
        row("DiSCO", 1.0, None, None, target=target, synthesis=word)
        for target in ("income", "job", "age")
        for word in ("mean", "min", "max")
    ]
    told = report(rows, original={"source": "o", "records": 1000}).external()
    said = {
        (each["target"], each["synthesis"]): each["words"].get("value") for each in told.results
    }
    assert {said["income", label] for label in ("1", "2", "mean", "min", "max")} == {"<1.41"}
    # the least of two numbers is as open below as one of them, the largest as open above
    assert [said["job", label] for label in ("1", "2", "mean", "min", "max")] == [
        "<1.41", None, None, "<1.41", None,
    ]  # fmt: skip
    assert [said["age", label] for label in ("1", "2", "mean", "min", "max")] == [
        None, "≥98.11", None, None, "≥98.11",
    ]  # fmt: skip


def test_weighted_numbers_are_rounded_to_as_many_people():
    rows = [
        row("DiSCO", 30.0, 300, 1000, target="income"),
        row("DiSCO", 33.333, 50123.4, 150321.7, target="income", weighted=True),
    ]
    told = report(rows, original={"source": "o", "records": 1000}).external()
    assert told.results[1]["numerator"] % 2000 == 0  # 10 people stand for 1,503
    assert told.results[1]["denominator"] % 2000 == 0


def test_a_weighted_number_of_all_people_is_between_its_bounds():
    """2,099.6 rounds to 2,000, since 2,100 is the first number that does not."""
    rows = [row("UiO", 30.0, 629.88, 2099.6, weighted=True)]
    (told,) = report(rows, original={"source": "o", "records": 200}).external().results
    assert (told["denominator_low"], told["denominator"]) == (1900, 2000)
    assert told["denominator_high"] == 2100


@pytest.mark.parametrize(
    ("weight", "alone", "found"),
    [(2, 110.0, 10.0), (2, 116.0, 10.0), (2, 60.0, 10.0), (1, 55.5, 4.5)],
)
def test_weight_is_attacked_as_people_are(weight, alone, found):
    """60 people weigh 120, or 60. Of those who are not alone, what they weigh can be anything
    within what ten people do on average.
    """
    whole = 60.0 * weight
    rows = [
        row("UiO", 100 * alone / whole, alone, whole, weighted=True),
        row("repU", 100 * found / whole, found, whole, weighted=True),
    ]
    told = report(
        rows, original={"source": "o", "records": 60}, synthetic=[{"source": "s", "synthesis": "1"}]
    ).external()
    assert told.rounding["attacked"] > 0
    low, high = (told.results[0][f"numerator_{end}"] for end in ("low", "high"))
    low, high = 0 if low is None else low, whole if high is None else min(high, whole)
    assert whole - high >= 10 * weight or high - low >= 10 * weight


def judged(count, verdicts):
    """A report in which DiSCO counts so many of 1,000 people, with a verdict and perhaps an
    exception by limit.
    """
    number = row("DiSCO", count / 10, count, 1000, target="income")
    about = {name: number[name] for name in (*PLACE, "unit", "value")} | {"reason": "so"}
    policy = {"name": "p", "about": "", "source": "", "verdict": "fail", "verdicts": [
        {"rule": f"DiSCO <= {limit}", "verdict": verdict, **about, "limit": limit,
            "exception": exception}
        for limit, (verdict, exception) in verdicts.items()
    ]}  # fmt: skip
    return report(
        [number],
        original={"source": "o", "records": 1000},
        scenario={"targets": ["income"]},
        policy=policy,
    )


def test_a_verdict_is_that_of_what_is_told():
    exact = {10: "fail", 20.2: "fail", 20.4: "pass", 30: "pass"}
    made = judged(203, {limit: (verdict, None) for limit, verdict in exact.items()})
    told = made.external().policy
    assert [each["verdict"] for each in told["verdicts"]] == ["fail", "review", "review", "pass"]
    assert {each["value"] for each in told["verdicts"]} == {20.0}
    text = " ".join(made.external().verdicts().to_text(width=160).split())
    assert re.search(
        r"review DiSCO <= 20\.2 income 20\.00 20\.20 rounded: 19\.\d\d to 2\d\.\d\d, so it "
        r"may or may not be met",
        text,
    )
    assert "fail DiSCO <= 10 income 20.00 10.00 review" in text  # of which nothing is to be said


@pytest.mark.parametrize(
    ("population", "numerator", "denominator"), [("all", 0.0, 0.0), ("uniques", 20.5, 40.5)]
)
def test_weighted_numbers_without_an_average_weight_are_hidden(population, numerator, denominator):
    """All weights are 0, or no number is about all people."""
    rows = [
        row("iS", 50.0, 30, 60, target="income"),
        row("iS", None, numerator, denominator, target="income", weighted=True,
            population=population),
    ]  # fmt: skip
    told = report(rows, original={"source": "o", "records": 60}).external()
    counted, weighed = told.results
    assert counted["value"] == 50.0
    assert weighed["hidden"]
    assert {weighed[name] for name in ("numerator", "denominator", "value")} == {None}


@pytest.mark.parametrize(
    ("count", "exact", "told"),
    [
        (0, ("pass", None), ("<1.41", None)),
        (3, ("review", "small"), ("<1.41", None)),
        (203, ("review", "small"), (None, "small")),
    ],
)
def test_an_exception_is_told_only_where_what_is_told_breaks_the_rule(count, exact, told):
    """It is of exact numbers beyond their limit, so it would tell nobody from few."""
    made = judged(count, {0: exact}).external()
    (found,) = made.policy["verdicts"]
    assert (found["words"].get("value"), found["exception"]) == told
    assert found["verdict"] == "review"
    assert ("Excepted" in made.verdicts().to_text()) == (told[1] is not None)


@pytest.mark.parametrize("exclusions", ["both", "without"])
def test_no_verdict_is_met_by_numbers_that_are_not_told(tmp_path, exclusions):
    """Exclusions take the people out who break a rule, and an external report tells no number
    without exclusions.
    """
    policy = tmp_path / "n.toml"
    rule = f'[[rule]]\nrule = "DiSCO <= 30"\nreason = "all but n"\nexclusions = "{exclusions}"\n'
    policy.write_text(f'name = "but n"\nabout = "people, but n"\nsource = "N"\n{rule}')
    asked = {"targets": ["w"], "measures": ["attribute", "left_out"], "policy": str(policy)}
    with pytest.raises(sqlrisk.PolicyError) as failed:
        scored(**asked, exclude_level={"w": ["n"]})
    inside = failed.value.report
    assert inside.verdicts().verdict == "fail"
    told = inside.external()
    assert [each["verdict"] for each in told.policy["verdicts"] if each["measure"] == "DiSCO"] == [
        "review"
    ]
    assert told.policy["verdict"] == "review"
    text = " ".join(told.verdicts().to_text(width=160).split())
    assert re.search(r"review DiSCO <= 30 w <\d+\.\d\d 30\.00 not shown without exclusions", text)
    assert [told.policy[name] for name in ("name", "about", "source")] == [
        "but (a level)",
        "people, but (a level)",
        "(a level)",
    ]


def but_n(tmp_path, *rules):
    """The verdicts inside and of an external report, by a rule and which numbers it judges. Those
    with w = n are excluded: DiSCO is 0 with exclusions, 96.15 without.
    """
    policy = tmp_path / "n.toml"
    tables = (
        f'[[rule]]\nrule = "{rule}"\nreason = "so"\nexclusions = "{judges}"\n'
        for rule, judges in rules
    )
    policy.write_text(f'name = "n"\n{"".join(tables)}')
    asked = {"targets": ["w"], "measures": ["attribute", "left_out"], "policy": str(policy)}
    with pytest.raises(sqlrisk.PolicyError) as failed:
        scored(**asked, exclude_level={"w": ["n"]})
    inside = failed.value.report
    return (
        [each for each in of.policy["verdicts"] if each["measure"] is not None]
        for of in (inside, inside.external())
    )


def test_the_baseline_of_a_rule_is_that_of_the_people_who_are_counted(tmp_path):
    inside, told = but_n(tmp_path, ("DiSCO >= baseCAPd", "with"))
    assert [round(each["limit"], 3) for each in inside] == [0.148]  # baseCAPd is 92.604
    assert [(each["verdict"], each["words"]["limit"]) for each in told] == [("review", "<33.33")]


def test_a_verdict_tells_nothing_of_numbers_without_exclusions(tmp_path):
    """A rule that judges only them is for review, whether it is met or not, and is not nearest."""
    unseen = "not shown without exclusions"
    rounded = "rounded: 0.00 to 14.74, so it may or may not be met"
    expected = {
        ("DiSCO >= 30", "without"): ("pass", "review", unseen),
        ("DiSCO >= 99", "without"): ("fail", "review", unseen),
        ("DiSCO <= 30", "both"): ("fail", "review", unseen),
        ("DiSCO >= 30", "both"): ("fail", "fail", None),
        ("DiSCO <= 30", "with"): ("pass", "pass", None),
        ("DiSCO >= 99", "with"): ("fail", "fail", None),
        ("DiSCO <= 5", "with"): ("pass", "review", rounded),
        ("R_known_DiSCO <= 101", "without"): ("pass", "pass", None),
    }
    inside, told = but_n(tmp_path, *expected)
    found = [
        (own["verdict"], each["verdict"], each["words"].get("verdict"))
        for own, each in zip(inside, told, strict=True)
    ]
    assert found == [*expected.values()]
    assert nearest({"verdict": "review", "verdicts": told[:2]}) is None


def test_no_verdict_is_met_where_populations_are_left_out(tmp_path):
    policy = tmp_path / "n.toml"
    policy.write_text('name = "n"\n[[rule]]\nrule = "iS >= 50"\nreason = "so"\nsyntheses = ["1"]\n')
    with pytest.raises(sqlrisk.PolicyError) as failed:
        scored(by=["s"], measures=["attribute"], policy=str(policy))
    released = failed.value.report.external()
    told = released.policy
    assert {each["verdict"] for each in told["verdicts"]} == {"pass"}
    assert told["verdict"] == "review"
    assert "Numbers of populations that are not shown here need review." in " ".join(
        released.to_text().split()
    )


def test_what_was_added_is_worked_out_from_what_is_told():
    rows = [
        row("DiSCO", 20.3, 203, 1000, target="income"),
        row("DiSCO", 10.6, 53, 500, target="income", people="control"),
    ]
    rows += [row("DiSCO", 9.7, None, None, target="income", people="difference")]
    about = {
        name: rows[0][name]
        for name in ("measure", "at", "target", "synthesis", "population", "weighted")
    }
    numbers = {"original": 20.3, "control": 10.6, "difference": 9.7, "p": 0.012, "note": None}
    told = report(
        rows, original={"source": "o", "records": 1000}, control={"source": "c", "records": 500},
        differences=[{**about, **numbers, "adjusted": None, "adjusted_low": None,
            "adjusted_high": None}],
    ).external()  # fmt: skip
    assert [each["value"] for each in told.results] == [20.0, 10.0, 10.0]
    assert [told.differences[0][name] for name in ("original", "control", "difference", "p")] == [
        20.0,
        10.0,
        10.0,
        None,
    ]


@pytest.mark.slow
def test_a_measure_of_the_users_own_is_proven_by_its_sql(tmp_path):
    text = """/*---
name    = "found_wrong"
title   = "Found, and told a wrong level for certain"
formula = "100 * (DiS - DiSCO)"
source  = "an example"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "more risk"
order   = 1
says    = "Of {denominator} people, {numerator} are told a wrong level."
raises  = "Nothing."
do      = "Nothing."
---*/
SELECT
    SUM(CASE WHEN n_syn_class > 0 AND n_syn = 0 AND n_orig > 0 THEN counted_orig ELSE 0 END)
        AS numerator,
    SUM(people) AS denominator
FROM {{ cells }}
"""
    (tmp_path / "found_wrong.sql").write_text(text)
    made = scored(measures=["attribute", "own"], measures_from=str(tmp_path))
    told = made.external()
    (own,) = [each for each in told.results if each["measure"] == "found_wrong"]
    assert own["numerator"] is not None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "found_wrong.sql").write_text(
        text.replace("n_syn = 0", "n_orig_level + n_syn = n_orig_level")
    )
    made = scored(measures=["attribute", "own"], measures_from=str(tmp_path / "other"))
    (own,) = [each for each in made.external().results if each["measure"] == "found_wrong"]
    assert own["numerator"] is None  # it reads what the audit has no people for


def test_nothing_typed_and_no_level_is_left():
    secret = "Xanadu"
    numbers = {
        "All": 9,
        "PctLevelAll": 1.0,
        "totalDisclosive": 9,
        "nLevelDis": 9,
        "PctLevelDis": 100.0,
    }
    made = report(
        [
            row("DiSCO", 10.0, 100, 1000, target="income"),
            row("DiSCO", 12.5, 50, 400, target="income", population=f"region={secret}"),
            row("DiSCO", 15.0, 60, 400, target="income", population="Xanadu only"),
        ],
        checks={"one_way": [{"target": "income", "synthesis": "1", "Level": secret, **numbers}],
            "two_way": []},
        exclusions=[
            {"reason": "target level", "target": "income", "synthesis": "1", "side": "original",
                "cells": 3, "records": 30}
        ],
        distributions=[{"target": secret}], shares=[{"level": secret}],
        trends=[{"measure": secret}],
    )  # fmt: skip
    settings = {
        **made.scenario, "exclude_level": {"income": [secret]}, "special": {"age": [secret]},
        "split": "s", "split_in": secret,
        "exclude_pair": [{"target": "income", "target_level": secret, "key": "sex",
            "key_level": secret}], "by": ["region"],
        "population": {"Xanadu only": f"region = {secret} AND age > 77"},
        "populations": ["all", "Xanadu only"],
        "baseline": {"income": f"{secret}/shares.csv"},
        **dict.fromkeys(FREE_TEXTS, f"All of {secret} know, from 77 on. xanadu!"),
    }  # fmt: skip
    made = replace(
        made, scenario=settings, original={"source": f"{secret}/original.parquet", "records": 1000}
    )
    made = replace(
        made,
        synthetic=[{**made.synthetic[0], "source": f"made/region={secret}"}, *made.synthetic[1:]],
    )
    told = made.external()
    assert secret.lower() not in json.dumps(told.to_dict()).lower()
    assert told.original["source"] == "original.parquet"
    assert told.synthetic[0]["source"] == "region=…"
    assert told.scenario["exclude_level"] == {"income": [UNNAMED]}
    entry = {"sex": {}, "age": {"role": "key", "label": "Years"}}
    said = replace(made, scenario={**made.scenario, "column": entry}).external().scenario["column"]
    assert said == {"sex": {}, "age": {"role": "key", "label": UNNAMED}}
    assert "justification" in FREE_TEXTS
    assert {told.scenario[name] for name in FREE_TEXTS} == {
        "All of (a level) know, from (a level) on. (a level)!"
    }
    assert {each["population"] for each in told.results} <= {"all", "population 1"}
    assert (told.checks, told.levels) == ({}, [])
    assert told.exclusions[0]["cells"] is None
    assert told.rerun is None


def test_the_report_says_that_it_leaves_out_groups_by_a_column() -> None:
    told = " ".join(scored(by=["s"], measures=["repU"]).external().to_text().split())
    assert "Left out, because their names are levels: the groups by s." in told
    assert "the groups by" not in scored(measures=["repU"]).external().to_text()


SECRET = "Xanadu"
# Each reader takes one of these values, unless it reads names, words or numbers.
VALUES: tuple[Any, ...] = (
    SECRET,
    {"income": f"{SECRET}/shares.csv"},
    {"women": f"sex = {SECRET}"},
    {"purpose": f"Made for {SECRET}"},
    {"income": {"label": SECRET, "missing": [SECRET], "merge": {SECRET: [SECRET]}}},
    [{"target": "income", "target_level": SECRET, "key": "sex", "key_level": SECRET}],
    *({f"{SECRET}/people.csv": form} for form in ("utf-8", ";", ",")),
)


def with_secret(name: str) -> Iterator[object]:
    """The values of a setting that hold the secret, as a result has them."""
    for value in VALUES:
        with suppress(sqlrisk.InputError):
            setting: Any = {name: SETTINGS[name].reader(value, name)}
            told = Scenario(**setting).settings()[name]
            if SECRET in str(told):
                yield told


OF_NAMES = (read_names, read_distinct, read_targets, read_column, read_links)
HOLDING = {
    name: told
    for name, field in SETTINGS.items()
    if field.reader not in OF_NAMES and (told := next(with_secret(name), None)) is not None
}


@pytest.mark.parametrize("name", HOLDING)
def test_a_setting_tells_neither_levels_nor_folders(name: str) -> None:
    typed = {"exclude_level": {"income": [SECRET]}, name: HOLDING[name]}
    made = report([row("UiO", 50.0, 400, 800)])
    told = replace(made, scenario={**made.scenario, **typed}).external().scenario
    assert SECRET not in str(told)


# ---- nothing is told that is not attacked
# ------------------------------------------------------------------------------------

CASES: dict[str, dict[str, Any]] = {
    "as it is": {"targets": ["t", "v"], "within": {"v": "1"}},
    "exclusions": {"exclude_level": {"w": ["y"]}, "targets": ["w"], "max_cell": 4},
    "populations": {
        "population": {"women": "s = f", "men": "s = m"},
        "populations": ["all", "uniques", "women", "men"],
    },
    "weights": {"weights": "weight"},
    "control": {"control": SYNTHETIC.assign(weight=1.5)},
}


@pytest.fixture
def audited(monkeypatch):
    """The releases that are made, their readers, who look for no world, and what is told of numbers
    in no result row.
    """
    seen = {"releases": [], "readers": [], "beside": []}
    released, reading, tell = (
        release._Release.__init__,
        audit.Reader.__init__,
        release._Release._told_beside,
    )

    def begin(self, *about):
        released(self, *about)
        seen["releases"].append(self)

    def read(self, blocks, *about, **how):
        reading(self, blocks, *about, **how)
        seen["readers"].append((self, blocks))

    def told(self, *about):
        band = tell(self, *about)
        seen["beside"].append((self._beside(*about), self._label(about[2]), band))
        return band

    monkeypatch.setattr(release._Release, "__init__", begin)
    monkeypatch.setattr(audit.Reader, "__init__", read)
    monkeypatch.setattr(audit.Reader, "small", lambda *about: ())
    monkeypatch.setattr(release._Release, "_told_beside", told)
    return seen


def shown_in(row):
    """The sides of a row that are shown, and not worked out from other rows."""
    worked_out = {
        "{{ results }}" in TEXTS.get(row["measure"], ""),
        row["people"] == "difference",
        row["people"] == "adjusted",
    }
    return (
        []
        if True in worked_out
        else [side for side in ("numerator", "denominator") if row[side] is not None]
    )


@pytest.mark.parametrize("case", some(["as it is"], CASES))
@pytest.mark.slow
def test_every_number_is_one_that_the_worlds_of_the_audit_agree_with(case, audited):
    """Of all measures, and of what is told beside them; where it counts people it is attacked as
    well.
    """
    settings = {"targets": ["t"], **CASES[case]}
    asked = [
        name
        for name in dict.fromkeys(FAMILIES.values())
        if name not in ("matches", "intruder", "population_risk", "near_keys")
    ]
    asked = [name for name in asked if name != "within" or "within" in settings]
    # their pairs are many
    asked = ["identity", "attribute", "cap"] if case == "populations" else asked
    told = sqlrisk.score(
        ORIGINAL.assign(weight=1.5), SYNTHETIC, keys=["k"], measures=asked, **settings
    ).external()
    (made,) = audited["releases"]
    places = [
        (
            made._groups[everybody.who_of(row)],
            made._sides[place][side == "denominator"],
            str(row["synthesis"]),
            row["measure"],
        )
        for place, row in enumerate(told.results)
        for side in shown_in(row)
    ]
    places += [
        (*found, label, "beside") for found, label, band in audited["beside"] if band is not None
    ]
    held, counts = {}, {}
    for group, (reader, blocks) in zip(made._groups.values(), audited["readers"], strict=True):
        held[id(group)] = {key for key, _, _ in reader._figures}
        counts[id(group)] = {vector.tobytes() for block in blocks for _, vector in block.counts}
    assert len({measure for *_, measure in places}) > 20
    for group, figure, label, measure in places:
        assert figure is not None, measure
        parts = [part for part in group.made.get(figure, [figure]) if part is not None]
        assert {(part, label) for part in parts} <= held[id(group)], measure
        if figure.public:
            assert measure in ("UiS", "Dsyn", "CAPs", "repU_syn", "beside")
        elif (
            figure not in group.sums
            and np.isin(figure.adds, (0, 1)).all()
            and np.ptp(figure.adds[: -len(_NOBODY)])
        ):
            assert figure.vector in counts[id(group)], measure
    hidden = {
        (row["measure"], side)
        for row in told.results
        for side in ("numerator", "denominator")
        if row[side] is None
    }
    # synthetic records of people, of whom no kind has the most
    assert ("mean_denom_syn", "numerator") in hidden


# ---- whether the files can be assessed
# ---------------------------------------------------------------------------------------


def assessed(told):
    return [
        (
            each["synthesis"],
            each["target"],
            each["state"],
            [reason["code"] for reason in each["reasons"]],
        )
        for each in told
    ]


@pytest.mark.parametrize(
    ("one", "other", "codes"),
    [
        # Nobody's keys are found, and those of five people.
        (
            SYNTHETIC.assign(k="nobody"),
            SYNTHETIC.assign(k=["00"] + ["nobody"] * 103),
            ["levels_apart", "few_matches"],
        ),
        # No level of the target in common, and one that is one person's right answer.
        (
            SYNTHETIC.assign(t="maybe"),
            SYNTHETIC.assign(t=["y"] + ["maybe"] * 103),
            ["levels_apart"],
        ),
        # A copy, and what holds most of the people.
        (ORIGINAL, pd.concat([ORIGINAL.iloc[:100], SYNTHETIC.iloc[:4]]), ["copied_records"]),
    ],
)
def test_nobody_is_not_told_apart_from_few(one, other, codes):
    original = ORIGINAL.assign(n=range(EVERYBODY))
    made = [
        scored(
            each.assign(n=range(EVERYBODY)), original=original, measures=["identity", "attribute"]
        )
        for each in (one, other)
    ]
    inside = [
        {reason["code"] for row in each.assessment for reason in row["reasons"]} for each in made
    ]
    assert inside[0] != inside[1]
    found = [assessed(each.external().assessment) for each in made]
    assert found[0] == found[1]
    assert [state for _, _, state, own in found[0] if own] == ["not assessable"]
    assert [own for _, _, _, own in found[0] if own] == [codes]


def test_what_an_external_report_calls_assessable_is_what_its_figures_say():
    """Of 40 people ten are found, a fourth: the band that is told is 0 to 14, in which a fifth
    lies.
    """
    original = people(k=[("a", 10), ("b", 30)]).assign(t=["y", "n"] * 20)
    synthetic = people(k=[("a", 10), ("c", 1)]).assign(t="y")
    made = scored(synthetic, original=original, measures=["attribute"])
    assert "few_matches" not in str(made.assessment)
    assert assessed(made.external().assessment)[0] == (
        "1",
        None,
        "not assessable",
        ["levels_apart", "few_matches"],
    )


def test_every_reason_is_told_with_others_that_say_the_opposite():
    told = defaultdict(set)
    for reason in (each for each in reasons() if not is_note(each.name)):  # a note is left out
        told[words.told_of(reason.name)[0]].add(reason.name)
    assert told.pop("exchanged") == {"exchanged"}  # which people a file is nearer to is no count
    # at least ten and a hundredth, and not how many
    assert told.pop("many_empty_rows") == {"many_empty_rows"}
    assert "other" not in told
    assert all(len(together) > 1 for together in told.values())


def test_a_verdict_of_the_assessment_is_that_of_what_is_told(tmp_path):
    """That few matches are accepted would say that there are some."""
    policy = tmp_path / "few.toml"
    accepted = (
        '[[accept]]\ncode = "few_matches"\ntext = "so"\n[[accept]]\ncode = '
        '"levels_apart"\ntext = "so"\n'
    )
    policy.write_text(f'name = "n"\n[[rule]]\nrule = "DiSCO <= 50"\nreason = "so"\n{accepted}')
    few = SYNTHETIC.assign(k=["00"] + ["nobody"] * 103)
    made = scored(few, measures=["attribute"], policy=str(policy))
    assert made.policy["verdict"] == "pass"
    told = made.external().policy
    first = told["verdicts"][:2]
    assert [(each["rule"], each["verdict"], each["exception"]) for each in first] == [
        ("assessable: levels_apart", "not assessable", None),
        ("assessable: few_matches", "not assessable", None),
    ]
    assert told["verdict"] == "not assessable"


def test_what_the_solver_prints_is_not_in_the_output(capfd: pytest.CaptureFixture[str]) -> None:
    """It prints from C, some of it late."""
    sys.stdout.write("before\n")
    with attempts.muted():
        ctypes.CDLL(None).printf(b"of the solver\n")
        os.write(1, b"of the system\n")
    sys.stdout.write("after\n")
    assert capfd.readouterr().out == "before\nafter\n"


@pytest.mark.parametrize(
    ("measure", "columns"),
    [
        ("UiO", {"n_orig", "counted_orig", "people"}),
        ("DiSCO", {"n_syn", "n_syn_class", "n_orig", "counted_orig", "people"}),
        ("baseCAPd", {"people", "share_level"}),
        ("l_distinct", set()),  # no sum
    ],
)
def test_the_columns_that_a_measure_reads_decide_the_kinds(measure, columns):
    """Not the words of its header, which names other columns."""
    text = catalog()[measure].sql
    made = definitions.Definitions({text: []}, [frozenset()], excluded=[], control=False)
    assert made.columns[text] == columns
    assert ("share_level" in made.kinds[0].level) == ("share_level" in columns)


@pytest.mark.parametrize(
    ("measure", "excluded"),
    [
        ("UiO", {Counted(cells=0)}),
        ("perceived_match_risk", {Counted(cells=0)}),
        ("DiSCO", set()),
    ],
)
def test_of_those_excluded_only_people_with_a_missing_key_add_nothing_to_measures_of_keys(
    measure, excluded
):
    text = catalog()[measure].sql
    ways = [Counted(cells=0), Counted(0, 0)]
    made = definitions.Definitions({text: []}, [frozenset()], excluded=ways, control=False)
    numerator, _ = made.adds(text, None, "all")
    added = zip(made.kinds, numerator.vector, strict=True)
    assert {kind.counted for kind, number in added if number} == {Counted(), *excluded}


@pytest.mark.parametrize(
    ("measure", "limits", "told"),
    [
        # people whose class has one level, by its size
        ("Dorig", CellLimits(max_cell=2), {(1, 1), (2, 1), (3, 0), (MANY, 0)}),
        # people of a class, by what the synthetic file shows of it
        (
            "iS",
            CellLimits(max_cell_syn=1),
            {("N", 0), ("R1", 1), ("R", 0), ("W1", 1), ("W", 1), ("O", 1), ("X", 0), ("X", 1)},
        ),
    ],
)
def test_only_cells_over_the_limit_are_excluded(measure, limits, told):
    text = catalog()[measure].sql
    made = definitions.Definitions(
        {text: []}, [frozenset()], excluded=[], control=False, limits=limits
    )
    numerator, _ = made.adds(text, None, "all")
    added = [*zip(made.kinds, numerator.vector, strict=True)][: -len(_NOBODY)]
    assert told == {
        (kind.all if measure == "Dorig" else kind.seen.code, number)
        for kind, number in added
        if kind.own == kind.all
    }


@pytest.mark.parametrize("prior", ["uniform", "baseline"])
def test_people_whose_level_a_baseline_excludes_are_not_in_the_mean_gain(tmp_path, prior):
    """Half of the people have y, which the intruder's baseline excludes."""
    (tmp_path / "only_n.csv").write_text("level,share\nn,1\n")
    made = scored(
        measures="posterior_gain,prior_of_truth",
        assume="saturated",
        prior=1,
        intruder_prior=prior,
        baseline={"t": str(tmp_path / "only_n.csv")},
    )
    gains, priors = made.results
    of_all = EVERYBODY if prior == "uniform" else EVERYBODY // 2
    assert (gains["denominator"], priors["denominator"]) == (of_all, EVERYBODY)
    gains, priors = made.external(10).results
    assert gains["denominator_low"] <= of_all <= gains["denominator_high"]
    assert priors["denominator"] == pytest.approx(EVERYBODY, abs=10)
    assert (gains["denominator"] == priors["denominator"]) == (prior == "uniform")
