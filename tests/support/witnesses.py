"""Witnesses: small runs that fill templates and check the numbers. The expected numbers are
computed by hand or by an independent slow program.

Most witnesses run tests of other files again, whose assertions check the numbers. The others
compare with an oracle here.
"""

import inspect
import random
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference
import worked

import sqlrisk
from sqlrisk.analyses import neighbours
from sqlrisk.plan.layout import FEW_RECORDS
from tests.analyses.exports import test_init
from tests.analyses.intruders import test_attackers, test_sweep
from tests.analyses.people import test_cells, test_explain, test_protect, test_records, test_uniques
from tests.analyses.results import test_saved
from tests.analyses.scores import (
    test_aligned,
    test_control,
    test_copies,
    test_distributions,
    test_intruder,
    test_membership,
    test_neighbours,
    test_passes,
    test_populations,
    test_properties,
    test_random_tables,
    test_universe,
    test_within,
)

Witness = Callable[[Path], object]


def case(name: str, **more: Any) -> Witness:
    """Return the witness that runs a case of cases/, which was worked by hand. ``more`` replaces
    settings of the case, such as the number of passes.
    """

    def run(_: Path) -> None:
        changed = {**worked.CASES[name], **more}
        assert list(worked.disagreements(changed, worked.run(changed))) == []

    return run


def test_of(module: ModuleType, name: str, /, **given: Any) -> Witness:
    """Return the witness that runs a test of another file with these arguments, after making the
    test's fixtures. A fixture that yields is not resumed after the test.
    """

    def run(folder: Path) -> None:
        test = getattr(module, name)
        with pytest.MonkeyPatch.context() as patch:
            made: dict[str, Any] = {"tmp_path": folder, "monkeypatch": patch, **given}
            for each in inspect.signature(test).parameters:
                _make(module, each, made)
            test(**{each: made[each] for each in inspect.signature(test).parameters})

    return run


def _make(module: ModuleType, name: str, made: dict[str, Any]) -> None:
    """Make a fixture of a module, after the fixtures that it needs."""
    if name in made:
        return
    fixture = getattr(module, name)._get_wrapped_function()
    needs = [*inspect.signature(fixture).parameters]
    for each in needs:
        _make(module, each, made)
    value = fixture(**{each: made[each] for each in needs})
    made[name] = next(value) if inspect.isgenerator(value) else value


def _inner(test: Any) -> Any:
    """Return the function inside a random test, so that it can be called with chosen examples."""
    return test.hypothesis.inner_test


class Drawn:
    """A replacement for Hypothesis's ``data`` that returns chosen values instead of random ones."""

    def __init__(self, *values: Any) -> None:
        self._values: Iterator[Any] = iter(values)

    def draw(self, _: object) -> Any:
        return next(self._values)


def of_the_oracle(seed: int, **more: Any) -> Witness:
    """Return the witness that compares every measure of random tables with the slow oracle. The
    tables have numbers in bins, texts, missing values and exclusions.
    """

    def run(_: Path) -> None:
        rng = random.Random(seed)  # noqa: S311 - no secret

        def table(rows: int) -> dict[str, list[Any]]:
            return {
                "a": rng.choices([None, 1, 2, 3, 5, 8, 13, -8], k=rows),
                "b": rng.choices(["x", "x", "y", None], k=rows),
                "t": rng.choices([None, "p", "q", "q", "r"], k=rows),
                "u": rng.choices([None, -8, 1, 2, 3, 4, 5, 6], k=rows),
            }

        tables = [table(16), table(14), table(12)]
        kinds = [{"a": pa.int64(), "b": pa.string(), "t": pa.string(), "u": pa.float64()}] * 3
        question = reference.Question(("a", "b"), ("t", "u"), **more)
        world = test_properties.World(tables[0], tuple(tables[1:]), tuple(kinds), question)
        assert test_properties.differences(world.score(), world.answer(), question) == []

    return run


def of_many(witness: Witness) -> Witness:
    """Return the witness that counts as in files of many records, which are rewritten with the
    counts of their class.
    """

    def run(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sqlrisk.plan.layout.FEW_RECORDS", 0)
            witness(folder)

    return run


def nearest(way: str, name: str) -> Witness:
    """Return the witness that runs a test of the nearest records with one of the two methods to
    find them.
    """

    def run(_: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            pair, row = test_neighbours.ALWAYS[way]
            patch.setattr(neighbours, "PAIR", pair)
            patch.setattr(neighbours, "ROW", row)
            getattr(test_neighbours, name)(way)

    return run


def within(kind: str, text: str, floor: str | None, special: bool, *files: list[Any]) -> Witness:
    """Return the witness that compares guesses within a tolerance with all pairs of records."""

    def run(_: Path) -> None:
        rows = [
            [{"q": "aab"[place % 3], "x": value} for place, value in enumerate(file)]
            for file in files
        ]
        inner = _inner(test_within.test_the_measures_are_those_of_all_pairs)
        inner(kind, Drawn(*rows, (text, floor), special))

    return run


def explained(folder: Path) -> None:
    """Compare the numbers of ``explain`` for some people with the rows of their records."""
    original, synthetic = (
        pa.table(test_explain.ORIGINAL),
        [pa.table(test_explain.SYNTHETIC), pa.table(test_explain.ORIGINAL)],
    )
    settings: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"], "bins": {"age": 2}}
    sqlrisk.records(original, synthetic, folder / "explained.parquet", synthesis="1", **settings)
    for number, row in enumerate(
        pq.read_table(folder / "explained.parquet").to_pylist()[:6], start=1
    ):
        found = sqlrisk.explain(original, synthetic, record=number, synthesis="1", **settings)
        (target,) = found.targets
        assert [getattr(found, name) for name in ("n_orig_class", "n_syn_class")] == [
            row["n_orig_class"],
            row["n_syn_class"],
        ]
        for name in (
            "cap_original",
            "cap_synthetic",
            "cap_baseline",
            "lift",
            "correct",
            "top_share",
            "predicted_share",
        ):
            assert target[name] == row[f"{name}_ill"]


def looked_up(_: Path) -> None:
    """Look up one person's view of two files, worked by hand.

    The nearest records are at distance 0 in the first file and at distance 1 in the second.
    """
    first = pa.table(
        {"k": [1, 1, 1, 2, None], "l": ["a", "a", "a", "b", "a"], "t": ["x", "x", "y", None, "z"]}
    )
    second = pa.table({"k": [1, 3], "l": ["b", "a"], "t": ["x", "y"]})
    found = sqlrisk.lookup([first, second], key={"k": "1", "l": "a"}, targets=["t"])
    assert [row[1:5] for row in found.rows] == [
        ("1", 0, "x", 2),
        ("1", 0, "y", 1),
        ("2", 1, "x", 1),
        ("2", 1, "y", 1),
    ]
    assert [round(float(str(row[5])), 9) for row in found.rows] == [
        66.666666667,
        33.333333333,
        50.0,
        50.0,
    ]
    missing = sqlrisk.lookup(first, key={"l": "a"}, missing=["k"], targets=["t"])
    assert [row[2:5] for row in missing.rows] == [(0, "z", 1)]


def least_cells(_: Path) -> None:
    """List the cells with the fewest people, worked by hand: h has no y, f has no n, and class x
    and level z are only in the synthetic file.
    """
    original = pa.table({"k": [*"mmmhhhff"], "t": [*"yynnnnyy"]})
    synthetic = pa.table({"k": [*"mhhhhhfx"], "t": [*"yyynnzny"]})
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"]}
    found = sqlrisk.cells("min_DCAP", original, synthetic, **asked)
    assert found.columns == [
        "k",
        "target",
        "level",
        "n_orig",
        "n_syn",
        "n_orig_class",
        "n_syn_class",
    ]
    assert found.rows == [("h", "t", "y", 0, 2, 3, 5), ("f", "t", "n", 0, 1, 2, 1)]
    # Nobody with y is counted.
    found = sqlrisk.cells("min_DCAP", original, synthetic, **asked, exclude_level={"t": ["y"]})
    expected = [
        ("h", "y", 0, 2, 3, 5),
        ("m", "y", 2, 1, 3, 1),
        ("f", "n", 0, 1, 2, 1),
        ("f", "y", 2, 0, 2, 1),
    ]
    assert found.rows == [(k, "t", *more) for k, *more in expected]
    # Only g has w, one person. f is one person. Nobody of either file has w in h and m.
    original = pa.table({"k": [*"mmmhhhgggf"], "t": [*"yynnnnynwy"]})
    synthetic = pa.table({"k": [*"mhf"], "t": [*"nyw"]})
    found = sqlrisk.cells("min_DCAP", original, synthetic, **asked)
    expected = [
        ("h", "w", 0, 0, 3, 1),
        ("h", "y", 0, 1, 3, 1),
        ("m", "w", 0, 0, 3, 1),
        ("f", "n", 0, 0, 1, 1),
        ("f", "w", 0, 1, 1, 1),
    ]
    assert found.rows == [(k, "t", *more) for k, *more in expected]
    found = sqlrisk.cells(
        "min_DCAP", original, synthetic, **asked, exclude_level={"t": ["y"]}, limit=3
    )
    expected = [("g", "y", 1, 0, 3, 0), ("h", "w", 0, 0, 3, 1), ("h", "y", 0, 1, 3, 1)]
    assert found.rows == [(k, "t", *more) for k, *more in expected]


def swept_rows(folder: Path) -> None:
    """Compare the rows of a sweep that the database writes to a file with the returned rows."""
    tables = [pa.table({"a": [*first], "b": [*second], "t": [*third]}) for first, second, third in
              (("xxyyz", "11212", "pqppq"), ("xxyyy", "12212", "pqqqp"))]  # fmt: skip
    question: dict[str, Any] = {
        "keys": ["a", "b"],
        "targets": ["t"],
        "measures": ["UiO", "DCAP", "CAP_at_least"],
    }
    sqlrisk.sweep(tables[0], tables[1:], **question).to_parquet(folder / "rows.parquet")
    sqlrisk.sweep(tables[0], tables[1:], **question, output=folder / "engine.parquet")
    expected, found = (
        pq.read_table(folder / f"{name}.parquet").to_pylist() for name in ("rows", "engine")
    )
    assert found == [test_populations.rounded(row) for row in expected]


def aligned_populations(_: Path) -> None:
    """Compare matches in populations with plain enumeration. Some people lack a key."""
    people, syntheses = test_aligned.many(50, 2)
    region = ["north" if number % 4 else None for number in range(50)]
    report = sqlrisk.score(
        test_aligned.table(people, region=region), [test_aligned.table(each) for each in syntheses],
        keys=test_aligned.KEYS,
        targets=["ill"], aligned=True, by=["region"], populations="all,uniques",
        population={"b": "town = b"},
        exclude_missing=["town"],
    )  # fmt: skip
    sizes = [sum(other[:2] == person[:2] for other in people) for person in people]
    populations = {
        "all": [*range(50)],
        "uniques": [j for j, size in enumerate(sizes) if size == 1],
        "b": [j for j, person in enumerate(people) if person[0] == "b"],
        "region=north": [j for j in range(50) if region[j]],
    }
    for name, members in populations.items():
        counted = [j for j in members if people[j][0] is not None]
        answer = test_aligned.enumerated(people, syntheses, counted)
        own = {
            place: (top, bottom if place[0] == "false_match_rate" else len(members))
            for place, (top, bottom) in answer.items()
        }
        assert test_aligned.agree(test_aligned.found(report, name), own)


def within_populations(_: Path) -> None:
    """Compare counts within a tolerance with all pairs of records. Populations are uniques, a
    region and control, and two levels are excluded.
    """
    more: dict[str, Any] = {"w": [0.5, 1.0, 2.0], "town": ["x", "y"]}
    original, control = test_within.persons(1, 24, **more), test_within.persons(2, 16, **more)
    synthetic = test_within.persons(3, 20)
    tables = [test_within.table(each, pa.int32()) for each in (original, synthetic, control)]
    report = sqlrisk.score(
        tables[0], tables[1], control=tables[2], keys="q", targets="x", within={"x": "25%"},
        special={"x": -8}, weights="w",
        by="town", populations=["all", "uniques"], measures="within",
        exclude_level={"x": ["-8", "2"]},
    )  # fmt: skip
    for people, rows in (("original", original), ("control", control)):
        classes = [row["q"] for row in rows]
        values = test_within.persons_values(rows, original, synthetic, "25%", None, [-8])
        for population, who in (
            ("all", lambda _: True),
            ("uniques", lambda row, classes=classes: classes.count(row["q"]) == 1),
            ("town=x", lambda row: row["town"] == "x"),
        ):
            weights: dict[bool, Callable[[Mapping[str, Any]], Any]] = {
                False: lambda _: 1,
                True: lambda row: row["w"],
            }
            for weighted, weight in weights.items():
                expected = test_within.added_up(
                    rows, values, who, counted=lambda row: row["x"] not in (-8, 2), weight=weight
                )
                found = test_within.rows_of(
                    report, synthesis="1", population=population, people=people, weighted=weighted
                )
                assert found == test_within.close_to(expected)


def distributions_of_some(_: Path) -> None:
    """Compare the distributions of a run for only one population with those of this population in a
    run that also counts all people. Other tests check the second run.
    """
    rows = []
    for chosen in ("uniques", "all,uniques"):
        question = {**test_distributions.QUESTION, "targets": ["ill"], "populations": chosen}
        report = sqlrisk.score(test_populations.file(1), test_populations.file(2), **question)
        found: Any = report.to_dict()["distributions"]
        rows.append([row for row in found if row["population"] == "uniques"])
    assert rows[0] == rows[1] != []


def few_random_tables(_: Path) -> None:
    """Compare `reference` with random tables of people without missing values. A quantile between
    two tables is interpolated.
    """
    people = pa.table({"k": [*"aaaabbbccc"], "t": [*"xxyyyxxyyz"]})
    cells = [
        [sum(row == {"k": k, "t": t} for row in people.to_pylist()) for t in "xyz"] for k in "abc"
    ]
    for number in (22, 151):
        # The missing level has no records, and is a class and a level of no table.
        tables = test_random_tables.drawn(cells, number, 3, "records")
        asked: dict[str, Any] = {"random": number, "seed": 3, "draw": "records"}
        rows: list[dict[str, Any]] = sqlrisk.reference(
            people, keys=["k"], targets=["t"], **asked
        ).rows
        for place, row in enumerate(rows):
            values = [float(each[place]) for each in tables]
            cuts = statistics.quantiles(values, n=20, method="inclusive")
            expected = dict(
                zip(
                    ("q5", "q25", "q50", "q75", "q95"),
                    (cuts[each] for each in (0, 4, 9, 14, 18)),
                    strict=True,
                )
            )
            expected |= {
                "mean": statistics.fmean(values),
                "sd": statistics.stdev(values),
                "min": min(values),
                "max": max(values),
            }
            assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-12)
            assert row["below"] == sum(each < row["original"] * (1 - 1e-12) for each in values)


def guessed(*names: str) -> Witness:
    """Return the witness in which some attackers guess the original from one synthetic file. It
    compares them with slow enumeration.
    """

    def run(_: Path) -> None:
        rng = random.Random(6)  # noqa: S311 - no secret
        people, synthetic = (
            [{name: rng.choice([None, 0, 1, 2]) for name in "abct"} for _ in range(rows)]
            for rows in (11, 10)
        )
        result = sqlrisk.attack(
            test_attackers.arrow(people), [test_attackers.arrow(synthetic)], keys=["a", "b", "c"],
            targets=["t"],
            attackers=[*names],
        )  # fmt: skip
        for row in result.rows:
            training = {"1": synthetic, "original": people}[row["trained_on"]]
            correct = test_attackers.right(row["attacker"], training, people, ["a", "b", "c"])
            assert row["correct"] == pytest.approx(float(correct), rel=1e-12)

    return run


def special_uniques(seed: int, levels: Sequence[Any], rows: int) -> Witness:
    """Return the witness that compares the special uniques of random records with a slow search.
    The records have four keys.
    """

    def run(_: Path) -> None:
        rng = random.Random(seed)  # noqa: S311 - no secret
        records = [tuple(rng.choice(levels) for _ in range(4)) for _ in range(rows)]
        inner = _inner(test_uniques.test_it_agrees_with_a_slow_search)
        inner(Drawn(4, *[[*levels]] * 4, records, "elliot", None, 0.3, 12))

    return run


def saved_run(folder: Path) -> None:
    """Check a saved run: its views hold the cells of each measure and the people, and a lookup
    finds the bin of a number.
    """
    for seed in (1, 2, 3):
        pq.write_table(test_saved.file(seed), folder / f"{seed}.parquet")
    report = sqlrisk.score(
        folder / "1.parquet", [folder / "2.parquet", folder / "3.parquet"],
        save=str(folder / "risk.duckdb"),
        **test_saved.SETTINGS,
    )  # fmt: skip
    for measure in ("DiSCO", "Dorig", "TCAP", "Dsyn"):
        test_saved.test_risky_views_hold_the_cells_of_the_measure((folder, report), measure, "2")
    test_saved.test_people_are_readable((folder, report))
    test_saved.test_lookup_finds_the_bin((folder, report))


NUMBERS = [0.3, 0.1 + 0.2, -2.0, None, -8.0, 0.6, 0.9, -1.7, 5.0, 5.5, -5.5, 0.0]
KNOWN = [each for each in NUMBERS if each is not None]


WHO_IS_COUNTED = of_the_oracle(
    2,
    bins={"u": 4},
    exclude_level={"t": ["q"]},
    exclude_missing=("a", "u"),
    exclude_pair=(("t", "p", "b", "x"),),
    max_cell=2,
    max_cell_syn=2,
    one_way=(0, 10),
    two_way=(0, 10),
)

WITNESSES: dict[str, Witness] = {
    **{name: case(name) for name in worked.CASES},
    "exclusions, in passes": case("exclusions", passes=3),
    "oracle: who is counted": WHO_IS_COUNTED,
    "many records, who is counted": of_many(WHO_IS_COUNTED),
    "copies, pairs": test_of(
        test_copies, "test_all_pairs_of_records_give_the_same_numbers", passes=3
    ),
    "copies, a draw": test_of(
        test_copies, "test_a_draw_of_few_is_exact", small=3, large=60, alike=57
    ),
    "flags of populations": test_of(
        test_populations, "test_the_checks_of_a_population_flag_its_own_people"
    ),
    "many records, populations": of_many(
        test_of(test_populations, "test_the_checks_of_a_population_flag_its_own_people")
    ),
    "risky cells": test_of(test_cells, "test_the_cells_of_disco"),
    "least cells": least_cells,
    "within, whole": within(
        "whole", "3", None, True, [1, 4, 8, None, -8, 3], [2, 5, None, -8, 7, 7], [1, 11, 4, 5]
    ),
    "within, double": within("double", "0.3", None, True, NUMBERS[:8], NUMBERS[4:], NUMBERS[2:9]),
    "within, share of a double": within(
        "double", "10%", "0.3", False, *(KNOWN[start:] for start in (0, 2, 5))
    ),
    "within, populations": within_populations,
    "within, records": test_of(test_within, "test_each_person_of_the_records"),
    "sweep, keys": test_of(test_sweep, "test_what_each_key_adds_is_the_mean_of_the_changes"),
    "sweep, rows": swept_rows,
    "reference": test_of(
        test_random_tables, "test_every_number_equals_the_slow_loop", draw="records"
    ),
    "aligned, ties": test_of(test_aligned, "test_ties_are_equal_sums_of_different_fractions"),
    "aligned, populations": aligned_populations,
    "intruder, levels": test_of(
        test_intruder, "test_levels_of_other_syntheses_and_of_control_are_not_possible"
    ),
    "distributions by hand": test_of(test_distributions, "test_a_worked_example"),
    "distributions, exclusions": test_of(
        test_distributions, "test_excluded_people_are_in_no_distribution"
    ),
    "distributions, uniques": distributions_of_some,
    "shares of levels": test_of(test_distributions, "test_shares_count_the_levels_of_every_file"),
    "records, synthetic": test_of(test_records, "test_the_synthetic_side", synthesis="2"),
    "records, nearest": test_of(
        test_records, "test_the_nearest_synthetic_records_of_each_person", synthesis="2"
    ),
    "records, special uniques": test_of(test_records, "test_special_uniques_beside_the_rest"),
    "records, columns": test_of(
        test_records,
        "test_columns_of_the_file_are_beside_the_risk",
        side="synthetic",
        columns=["w"],
        rows=[(1, 1, 0.5, 1, 1.0), (2, 1, 0.25, 2, 1.0), (1, 2, 7.0, 2, 1.0)],
    ),
    "explain": explained,
    "protect, flag": test_of(test_protect, "test_a_flag_keeps_every_record", suffix="csv"),
    "init": test_of(test_init, "test_its_counts_are_those_of_the_files"),
    "init, keys": test_of(
        test_init, "test_what_people_may_know_is_suggested_and_how_many_are_alone_with_it"
    ),
    "init, levels": test_of(test_init, "test_levels_say_what_a_name_does_not"),
    "lookup": looked_up,
    "nearest by sets, populations": nearest(
        "sets", "test_populations_weights_and_control_are_sums_over_their_people"
    ),
    "nearest by pairs, keys in two numbers": nearest("pairs", "test_keys_in_two_numbers"),
    "welch": test_of(
        test_control,
        "test_welch_of_every_person_s_value",
        passes=1,
        settings={},
        excluded=lambda _: False,
    ),
    "certainty": test_of(test_control, "test_certainty_in_a_sum_of_ratios_leaves_nothing"),
    "many places": test_of(test_universe, "test_many_places", few_records=0),
    "together, places": test_of(test_universe, "test_many_places", few_records=FEW_RECORDS),
    "membership, in one pass": case("membership_of_who_is_counted", passes=1),
    "membership, one by one": test_of(
        test_membership, "test_every_pair_and_every_threshold_one_by_one", passes=1
    ),
    **{
        f"attack: {name}": test_of(test_attackers, "test_a_case_worked_by_hand", name=name)
        for name in test_attackers.CASES
    },
    "waiting targets": test_of(
        test_passes,
        "test_many_targets",
        joins=1,
        together=2,
        listed=0,
        settings={"weights": "weight", "by": ["age"]},
    ),
    "listed levels": test_of(
        test_passes, "test_many_targets", joins=1, together=40, listed=13, settings={}
    ),
    "together, within": test_of(
        test_passes, "test_the_report_of_few_records_is_the_same", scenario="within"
    ),
    "attack, naive Bayes": guessed("naive_bayes"),
    "reference, few tables": few_random_tables,
    "uniques by hand": test_of(test_uniques, "test_a_case_worked_by_hand"),
    "uniques, a single record": test_of(
        test_uniques, "test_the_only_record_needs_no_key_to_be_found"
    ),
    "uniques, missing values": special_uniques(1, [0, 1, 2, None], 24),
    "saved run": saved_run,
}
