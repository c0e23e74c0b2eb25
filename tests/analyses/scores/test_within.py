"""Numeric targets within a tolerance: every number counted again by looking at all pairs of
records.
"""

import csv
import math
import random
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from quickly import few

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.cli.main import main
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask

EXACT = {  # each measure, and the same of equal values
    "baseCAPd_within": "baseCAPd",
    "baseCAPd_counted_within": "baseCAPd_counted",
    "CAPd_within": "CAPd",
    "CAP_within": "DCAP",
    "CAP_within_matched": "DCAP_matched",
    "Dorig_within": "Dorig",
    "DiSCO_within": "DiSCO",
}
Records = Sequence[Mapping[str, Any]]
Near = Callable[[Any, Any], bool]

# --------------------------------------------------------------------------------------------------
# all pairs, by hand


def reach(truth: Any, text: str, floor: str | None) -> Any:
    """The tolerance of one true value, exact for exact numbers, in floating point for those."""
    share = Fraction(text.rstrip("%")) / 100 if text.endswith("%") else None
    least = Fraction(floor or 0) if share is not None else Fraction(text)
    if isinstance(truth, float):
        return float(least) if share is None else max(float(share) * abs(truth), float(least))
    return least if share is None else max(share * abs(Fraction(truth)), least)


def difference(a: Any, b: Any) -> Any:
    """How far two numbers are apart, as `reach` counts."""
    return abs(a - b) if isinstance(a, float) else abs(Fraction(a) - Fraction(b))


def lonely(value: Any, special: Sequence[Any]) -> bool:
    """Whether a value matches itself alone."""
    return value is None or value in special


def persons_values(
    people: Records,
    original: Records,
    synthetic: Records,
    text: str,
    floor: str | None,
    special: Sequence[Any],
) -> list[dict[str, tuple[Any, bool, bool]]]:
    """Of each person and measure the value, record by record; whether it is of the counted alone,
    and in the denominator.
    """

    def near(truth: Any, value: Any) -> bool:
        if lonely(truth, special) or lonely(value, special):
            return (truth is None) == (value is None) and truth == value
        return bool(difference(truth, value) <= reach(truth, text, floor))

    def close(truth: Any, values: Sequence[Any]) -> bool:
        if not values or not all(near(truth, value) for value in values):
            return False
        return lonely(truth, special) or difference(max(values), min(values)) <= reach(
            truth, text, floor
        )

    def share(truth: Any, values: Sequence[Any]) -> Fraction:
        return (
            Fraction(sum(near(truth, value) for value in values), len(values))
            if values
            else Fraction(0)
        )

    @cache
    def values_of(q: str, truth: Any) -> dict[str, tuple[Any, bool, bool]]:
        own, theirs, base = (
            [row["x"] for row in rows if row["q"] == q] for rows in (people, synthetic, original)
        )
        guess, right = share(truth, [row["x"] for row in original]), share(truth, theirs)
        return {
            "baseCAPd_within": (guess, False, True),
            "baseCAPd_counted_within": (guess, True, True),
            "CAPd_within": (share(truth, base), True, True),
            "CAP_within": (right, True, True),
            "CAP_within_matched": (right, True, bool(theirs)),
            "Dorig_within": (close(truth, own), True, True),
            "DiSCO_within": (close(truth, theirs), True, True),
        }

    return [values_of(person["q"], person["x"]) for person in people]


def added_up(
    people: Records, values: Sequence[Mapping[str, tuple[Any, bool, bool]]],
    who: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    counted: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    weight: Callable[[Mapping[str, Any]], Any] = lambda _: 1,
) -> dict[str, tuple[Any, Any]]:  # fmt: skip
    """Numerator and denominator of every measure, person by person."""
    sums: dict[str, list[Any]] = {measure: [0, 0] for measure in EXACT}
    for person, own in zip(people, values, strict=True):
        if who(person):
            w = weight(person)
            for measure, (value, of_counted, among) in own.items():
                sums[measure][0] += w * value if counted(person) or not of_counted else 0
                sums[measure][1] += w if among else 0
    return {measure: (numerator, denominator) for measure, (numerator, denominator) in sums.items()}


def enumerated(
    people: Records, synthetic: Records, text: str, floor: str | None, special: Sequence[Any]
) -> dict[str, tuple[Any, Any]]:
    """Numerator and denominator of every measure where the people are the original and all are
    counted.
    """
    return added_up(people, persons_values(people, people, synthetic, text, floor, special))


def rows_of(report: sqlrisk.Report, **place: Any) -> dict[str, tuple[Any, Any]]:
    """Numerators and denominators of the family at one place of the report."""
    usual = {
        "synthesis": "1",
        "population": "all",
        "people": "original",
        "weighted": False,
        **place,
    }
    rows: list[dict[str, Any]] = [row for row in report.results if row["family"] == "within"]
    return {
        row["measure"]: (row["numerator"], row["denominator"])
        for row in rows
        if all(row[name] == value for name, value in usual.items())
    }


def close_to(expected: Mapping[str, tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """What the report must hold: people to the last one, sums of shares to 1e-12."""
    return {
        measure: tuple(pytest.approx(float(number), rel=1e-12, abs=1e-12) for number in pair)
        for measure, pair in expected.items()
    }


def table(rows: Records, kind: pa.DataType) -> pa.Table:
    columns: dict[str, Any] = {
        "q": pa.array([row["q"] for row in rows]),
        "x": pa.array([row["x"] for row in rows], kind),
    }
    return pa.table(
        columns
        | {
            name: [row[name] for row in rows]
            for name in (rows[0] if rows else {})
            if name not in columns
        }
    )


# --------------------------------------------------------------------------------------------------
# random tables

WHOLE = st.one_of(
    st.integers(-12, 12),
    st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**15, -8]),
)
CENTS = st.integers(-3000, 3000).map(lambda cents: Decimal(cents) / 100)
TENTHS = st.one_of(
    st.integers(-30, 30).map(lambda tenths: tenths / 10),
    st.sampled_from(
        [1e16, 1e16 + 2, -8.0, 1e-300, 5e-324, 1e300, -1e300, 0.0, -0.0, 1e9 + 1e-7, -1e9]
    ),
    st.floats(-50, 50),
)


def shortest(single: float) -> float:
    """The double with the shortest text that is this number in 4 bytes."""
    return float(str(np.float32(single)))


KINDS: dict[str, tuple[pa.DataType, Any, Any]] = {
    "whole": (pa.int64(), WHOLE, -8),
    "small": (pa.int8(), st.integers(-12, 12), -8),
    "decimal": (pa.decimal128(10, 2), CENTS, Decimal("-8.00")),
    "double": (pa.float64(), TENTHS, -8.0),
    # counts as its shortest text, not as the double of the same bits
    "single": (pa.float32(), st.floats(-50, 50, width=32).map(shortest), -8.0),
}
TOLERANCES = st.sampled_from(
    [
        *(
            (text, None)
            for text in ("0", "3", "0.3", "0.1", "2.5", "1000000000", "999999999999999")
        ),
        *((text, None) for text in ("0%", "0.001%", "5%", "50%", "100%")),
        *(("10%", "0.3"), ("7%", "2"), ("250%", "0.1")),
    ]
)


def records(values: Any, special: Any, least: int) -> Any:
    value = st.one_of(values, values, values, st.just(special), st.none())
    return st.lists(
        st.fixed_dictionaries({"q": st.sampled_from("ab"), "x": value}), min_size=least, max_size=12
    )


@pytest.mark.parametrize("kind", few(KINDS, 3))
@examples(15)
@given(data=st.data())
def test_the_measures_are_those_of_all_pairs(kind: str, data: st.DataObject) -> None:
    stored, values, special = KINDS[kind]
    original = data.draw(records(values, special, 1))
    first, second = data.draw(records(values, special, 1)), data.draw(records(values, special, 1))
    text, floor = data.draw(TOLERANCES)
    specials = [special] if data.draw(st.booleans()) else []
    report = sqlrisk.score(
        table(original, stored), [table(first, stored), table(second, stored)], keys=["q"],
        targets=["x"], measures=["within"],
        within={"x": text}, within_floor={"x": floor} if floor else None,
        special={"x": "-8"} if specials else None,
    )  # fmt: skip
    # as they are compared: one that could overflow matches itself alone
    if kind in ("double", "single"):
        specials += [
            row["x"]
            for row in chain(original, first, second)
            if row["x"] is not None and abs(row["x"]) > 1e290
        ]
    for synthesis, rows in (("1", first), ("2", second), ("pooled 1-2", [*first, *second])):
        expected = enumerated(original, rows, text, floor, specials)
        assert rows_of(report, synthesis=synthesis) == close_to(expected), synthesis


@pytest.mark.parametrize("kind", few(["whole", "decimal", "double"]))
@examples(10)
@given(data=st.data())
def test_a_tolerance_of_nothing_is_the_exact_measure(kind: str, data: st.DataObject) -> None:
    stored, values, special = KINDS[kind]
    original, synthetic = (
        data.draw(records(values, special, 1)),
        data.draw(records(values, special, 1)),
    )
    text = data.draw(st.sampled_from(["0", "0.0", "0%"]))
    report = sqlrisk.score(
        table(original, stored),
        table(synthetic, stored),
        keys=["q"],
        targets=["x"],
        within={"x": text},
    )
    number = {
        row["measure"]: (row["numerator"], row["denominator"], row["value"])
        for row in report.results
    }
    for measure, exact in EXACT.items():
        if measure in ("Dorig_within", "DiSCO_within"):
            assert number[measure] == number[exact]
        else:
            assert number[measure] == tuple(
                each if each is None else pytest.approx(each, rel=1e-12) for each in number[exact]
            )


@pytest.mark.slow
def test_a_tolerance_as_wide_as_everything_finds_every_number() -> None:
    original = [
        {"q": q, "x": x}
        for q, x in zip("aaabbbc", [1, -(2**63), None, 5, 7, 2**63 - 1, 3], strict=True)
    ]
    synthetic = [
        {"q": q, "x": x} for q, x in zip("aabbb", [9, 10**18, None, 4, 2**62], strict=True)
    ]
    for text, floor in (("999999999999999%", None), ("0%", "999999999999999")):
        report = sqlrisk.score(
            table(original, pa.int64()), table(synthetic, pa.int64()), keys="q", targets="x",
            within={"x": text}, within_floor={"x": floor} if floor else None,
        )  # fmt: skip
        expected = enumerated(original, synthetic, text, floor, [])
        assert rows_of(report) == close_to(expected)
    assert rows_of(sqlrisk.score(table(original[3:5], pa.int64()), table(original[3:5], pa.int64()),
        keys="q", targets="x",
                                 within={"x": "999999999999999"}))["CAP_within"] == (2.0,
                                     2)  # fmt: skip


# ------------------------------------------------------------------------------- populations,
# weights, control, exclusions


def persons(seed: int, count: int, **more: Sequence[object]) -> list[dict[str, Any]]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [
        {
            "q": rng.choice("abcde"),
            "x": rng.choice([None, -8, *range(-40, 90, 3)]),
            **{n: rng.choice(v) for n, v in more.items()},
        }
        for _ in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "passes"), [("10", 3), ("25%", 1)])
@pytest.mark.parametrize("excludes", [True, False])
def test_who_is_counted(text: str, passes: int, excludes: bool) -> None:
    """Everybody, uniques, a condition, levels of a column; counted and weighted; control; with
    exclusions and without.
    """
    more: dict[str, Any] = {"w": [0.5, 1.0, 2.0], "town": ["x", "y"]}
    original, control = persons(1, 60, **more), persons(2, 40, **more)
    syntheses = [persons(3, 30), persons(4, 50)]

    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return passes

    excluded: dict[str, Any] = (
        {"exclude_missing": ["x"], "exclude_level": {"x": ["-8", "2", "5"]}} if excludes else {}
    )
    gone = (None, -8, 2, 5) if excludes else ()
    question = ask(
        table(original, pa.int32()), [table(each, pa.int32()) for each in syntheses],
        {"keys": "q", "targets": "x", "within": {"x": text}, "special": {"x": -8},
            "weights": "w", "by": "town",
         "populations": ["all", "uniques"], "population": {"d": "q = d"}, "measures": "within",
         **excluded},
        control=table(control, pa.int32()),
    )  # fmt: skip
    with Passes() as engine:
        report = scoring.score(question, Session(engine))
    groups: list[tuple[str, Records]] = [("original", original), ("control", control)]
    for people, rows in groups:
        classes = [row["q"] for row in rows]
        populations: list[tuple[str, Callable[[Mapping[str, Any]], bool]]] = [
            ("all", lambda _: True),
            ("uniques", lambda row, classes=classes: classes.count(row["q"]) == 1),
            ("d", lambda row: row["q"] == "d"),
            ("town=x", lambda row: row["town"] == "x"),
        ]
        for synthesis, records_of in (
            ("2", syntheses[1]),
            ("pooled 1-2", [*syntheses[0], *syntheses[1]]),
        ):
            values = persons_values(rows, original, records_of, text, None, [-8])
            for population, who in populations:
                for weighted in (False, True):
                    expected = added_up(
                        rows, values, who,
                        counted=lambda row: row["x"] not in gone,
                        weight=lambda row, weighted=weighted: row["w"] if weighted else 1,
                    )  # fmt: skip
                    place = {
                        "synthesis": synthesis,
                        "population": population,
                        "people": people,
                        "weighted": weighted,
                    }
                    assert rows_of(report, **place) == close_to(expected), place


@pytest.mark.slow
def test_welch_s_t_of_every_person_s_value() -> None:
    original, control, synthetic = persons(6, 40), persons(7, 30), persons(8, 60)
    report = sqlrisk.score(
        table(original, pa.int32()), table(synthetic, pa.int32()),
        control=table(control, pa.int32()), keys="q", targets="x",
        within="x=10", measures="within",
    )  # fmt: skip
    found = {row["measure"]: row for row in report.differences}
    for measure in ("CAP_within", "CAP_within_matched", "CAPd_within", "baseCAPd_within"):
        groups = []
        for rows in (original, control):
            sums = persons_values(rows, original, synthetic, "10", None, [])
            groups.append([float(each[measure][0]) for each in sums if each[measure][2]])
        variances = [statistics.variance(each) / len(each) for each in groups]
        t = (statistics.fmean(groups[0]) - statistics.fmean(groups[1])) / math.sqrt(sum(variances))
        assert found[measure]["t"] == pytest.approx(t, rel=1e-9), measure
    assert found["DiSCO_within"]["adjusted_low"] is not None  # Wilson's, of people among people
    assert found["DiSCO_within"]["t"] is None


@pytest.mark.slow
def test_each_target_has_its_own_tolerance_and_others_have_none() -> None:
    original = pa.table(
        {"q": list("aabb"), "x": [1, 5, 9, 9], "y": [1.5, 2.5, 3.5, None], "z": [1, 2, 3, 4]}
    )
    report = sqlrisk.score(original, original, keys="q", within="x=4,y=25%", within_floor="y=1")
    found = {
        (row["measure"], row["target"]): row["numerator"]
        for row in report.results
        if row["family"] == "within"
    }
    assert {target for _, target in found} == {"x", "y"}
    assert found["DiSCO_within", "x"] == 4  # 1 and 5 are 4 apart, 9 is 9
    assert found["DiSCO_within", "y"] == 2  # 1 apart; in b a number and a missing value
    assert report.scenario["within"] == {"x": "4", "y": "25%"}
    assert report.scenario["measures"] == ["identity", "attribute", "cap", "within"]
    # the exact levels are counted as always
    assert {row["target"] for row in report["DCAP"]} == {"x", "y", "z"}


# --------------------------------------------------------------------------------------------------
# one large class


def test_a_class_of_many_records_is_sorted_not_paired() -> None:
    """20,000 records on each side in one class, all different: no stage has a row for a pair."""
    rng = random.Random(5)  # noqa: S311 - no secret
    count = 20_000
    people, synthetic = (rng.sample(range(10**7), count) for _ in range(2))
    sizes: dict[str, int] = {}

    class Counting(DuckDB):
        def run(self, sql: str) -> list[Any]:
            rows = super().run(sql)
            if made := re.match(r"CREATE (?:TEMPORARY )?TABLE (\w+) AS", sql):
                sizes[made[1]] = super().run(f"SELECT COUNT(*) FROM {made[1]}")[0][0]
            return rows

    question = ask(
        pa.table({"q": [1] * count, "x": people}), pa.table({"q": [1] * count, "x": synthetic}),
        {"keys": "q", "targets": "x", "within": "x=1000", "measures": "within"},
    )  # fmt: skip
    with Counting() as engine:
        report = scoring.score(question, Session(engine))
    assert sizes["tolerance_intervals_t1"] == sizes["levels_t1"] == len({*people, *synthetic})
    assert sizes["within_counts_t1"] == count
    assert sizes["class_ranges_t1"] == 1
    import numpy as np

    ordered = np.sort(np.array(synthetic))
    near = np.searchsorted(ordered, np.array(people) + 1000, "right") - np.searchsorted(
        ordered, np.array(people) - 1000, "left"
    )
    assert rows_of(report)["CAP_within"] == (pytest.approx(near.sum() / count, rel=1e-12), count)


# --------------------------------------------------------------------------------------------------
# what is refused

PEOPLE = pa.table(
    {"q": list("aab"), "x": [1, 5, 9], "name": ["u", "v", "w"], "seen": [True, False, None]}
)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"within": "name=3"},
            "within: 'name' is VARCHAR; only numbers and dates can have a tolerance",
        ),
        (
            {"within": "seen=1"},
            "within: 'seen' is BOOLEAN; only numbers and dates can have a tolerance",
        ),
        (
            {"within": "x=3", "bins": "x=2"},
            "within: 'x' has bins, so it cannot also have a tolerance",
        ),
        ({"within": "x=3e"}, "within: 'x' needs a number"),
        ({"within": "z=3"}, "within: 'z' is neither a key nor a target of the scenario"),
        (
            {"within": "nane=3"},
            (
                r"within: 'nane' is neither a key nor a target of the scenario \(did you mean "
                r"'name'\?\)"
            ),
        ),
        ({"within": "q=3"}, "within: 'q' is VARCHAR; only numbers and dates can have a tolerance"),
        (
            {"within": "x=3d"},
            "within: 'x' holds numbers; write its tolerance as a number, as in 500",
        ),
        ({"within": "x=3", "within_floor": "x=1"}, "within_floor: 'x' has no tolerance in percent"),
        ({"within_floor": "x=1"}, "within_floor: 'x' has no tolerance in percent"),
        (
            {"within": "x=3%", "within_floor": "x=1%"},
            "within_floor: 'x' needs a number, 0 or more, as in 500; got '1%'",
        ),
        (
            {"within": "x=3", "baseline": {"x": "b.csv"}},
            "within: 'x' has a baseline, which gives shares of exact levels",
        ),
        (
            {"measures": "CAP_within"},
            (
                "measures: CAP_within needs a tolerance: say how far a guess may be from the "
                "truth, as in --within income=5%"
            ),
        ),
        ({"special": "x=1"}, "special: 'x' has neither bins nor a tolerance"),
    ],
)
def test_what_cannot_be_asked_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(PEOPLE, PEOPLE, keys="q", targets="x,name,seen", **more)


def test_an_unknown_column_is_said_once() -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.score(PEOPLE, PEOPLE, keys="q", targets="x", within_floor="z=1", special="z=2")
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "special",
        "within_floor",
    ]


@pytest.mark.slow
def test_numbers_that_leave_no_room_for_the_places_of_the_tolerance() -> None:
    wide = pa.table(
        {"q": ["a", "b"], "x": pa.array([Decimal(10) ** 27, Decimal(1)], pa.decimal128(38, 10))}
    )
    narrow = pa.table(
        {"q": ["a", "b"], "x": pa.array([Decimal(10), Decimal(1)], pa.decimal128(38, 10))}
    )
    with pytest.raises(
        sqlrisk.InputError, match=r"within: 'x' has numbers in .* too large to be compared exactly"
    ) as caught:
        sqlrisk.score(wide, narrow, keys="q", within="x=0.123456789012")
    assert "0000" not in str(caught.value)
    assert rows_of(sqlrisk.score(narrow, narrow, keys="q", within="x=0.123456789012"))[
        "CAP_within"
    ] == (2.0, 2)
    deep = pa.table({"q": ["a"], "x": pa.array([Decimal("0.5")], pa.decimal128(38, 37))})
    with pytest.raises(
        sqlrisk.InputError,
        match="within: 'x' and its tolerance together have more than the 38 digits",
    ):
        sqlrisk.score(deep, deep, keys="q", within="x=0.1234%")


# -------------------------------------------------------------------------------------------------
# commands, files, listings


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    original = pa.table({"q": list("aabbc"), "x": [100, 110, 300, 900, 50], "y": ["u"] * 5})
    synthetic = pa.table({"q": list("aabb"), "x": [104, 109, 310, 700], "y": ["u"] * 4})
    for name, each in (("original", original), ("synthetic", synthetic)):
        pq.write_table(each, tmp_path / f"{name}.parquet")
    return [str(tmp_path / f"{name}.parquet") for name in ("original", "synthetic")]


@pytest.mark.slow
def test_the_command_and_a_scenario_file(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.toml").write_text(
        'keys = ["q"]\ntargets = ["x"]\nwithin = {x = "5%"}\nwithin_floor = {x = 10}\nmeasures = '
        '["within"]\n',
        encoding="utf-8",
    )
    flags = [
        "--keys",
        "q",
        "--targets",
        "x",
        "--within",
        "x=5%",
        "--within-floor",
        "x=10",
        "--measures",
        "within",
    ]
    assert main(["score", *files, *flags, "--format", "csv"]) == 0
    by_flags = capsys.readouterr().out
    assert main(["score", *files, "--scenario", str(tmp_path / "s.toml"), "--format", "csv"]) == 0
    assert capsys.readouterr().out == by_flags
    # a: 100 +- 10 holds both, 110 +- 10 too; b: 300 +- 15 holds 310, 900 +- 45 nothing -> (2 + 0.5)
    # of 5
    (row,) = [
        row for row in csv.DictReader(by_flags.splitlines()) if row["measure"] == "CAP_within"
    ]
    assert (float(row["numerator"]), float(row["denominator"]), float(row["value"])) == (2.5, 5, 50)
    assert (
        main(
            ["score", *files, "--keys", "q", "--within", "y=5%", "-o", str(tmp_path / "none.json")]
        )
        == 2
    )
    assert (
        "within: 'y' is VARCHAR; only numbers and dates can have a tolerance"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "none.json").exists()


def test_the_cells_behind_the_number_and_those_of_a_saved_run(
    files: list[str], tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"keys": "q", "targets": "x,y", "within": "x=10"}
    expected = [("a", "x", 100, 1, 0, 2, 2), ("a", "x", 110, 1, 0, 2, 2)]
    saved = str(tmp_path / "run.duckdb")
    report = sqlrisk.score(*files, save=saved, **asked)
    assert rows_of(report)["DiSCO_within"] == (2, 5)
    by_file, by_run = (
        sqlrisk.cells("DiSCO_within", *files, **asked),
        sqlrisk.cells("DiSCO_within", saved),
    )
    for listing in (by_file, report.cells("DiSCO_within"), by_run):
        assert listing.columns == [
            "q",
            "target",
            "level",
            "n_orig",
            "n_syn",
            "n_orig_class",
            "n_syn_class",
        ]
        assert listing.rows == expected
    assert sqlrisk.query(saved, "SELECT COUNT(*) AS n FROM record_risk").rows == [(5,)]
    for target in (None, "y"):
        with pytest.raises(sqlrisk.InputError, match="DiSCO_within needs a tolerance"):
            sqlrisk.cells("DiSCO_within", *files, target=target, keys="q", targets="y")
    with pytest.raises(sqlrisk.InputError, match="DiSCO_within needs a tolerance of 'y'"):
        sqlrisk.cells("DiSCO_within", *files, target="y", **asked)


@pytest.mark.slow
def test_each_person_of_the_records(files: list[str], tmp_path: Path) -> None:
    output = tmp_path / "risk.parquet"
    assert sqlrisk.records(*files, output, keys="q", targets="x,y", within="x=5%") == 5
    rows = pq.read_table(output).to_pylist()
    assert [row["cap_within_x"] for row in rows] == [0.5, 0.5, 0.5, 0.0, None]
    assert "cap_within_y" not in rows[0]
    report = sqlrisk.score(*files, keys="q", targets="x,y", within="x=5%")
    assert rows_of(report)["CAP_within"][0] == sum(row["cap_within_x"] or 0 for row in rows)
    assert (
        sqlrisk.records(*files, output, side="synthetic", keys="q", targets="x,y", within="x=5%")
        == 4
    )
    assert "cap_within_x" not in pq.read_schema(output).names


@pytest.mark.slow
def test_the_printed_script_gives_the_number(files: list[str]) -> None:
    import duckdb

    asked: dict[str, Any] = {"keys": "q", "targets": "x", "within": "x=10"}
    for script in (sqlrisk.sql("CAP_within", *files, **asked), sqlrisk.sql("CAP_within", **asked)):
        with duckdb.connect() as connection:
            for name, path in zip(("original", "synthetic"), files, strict=True):
                connection.execute(f"CREATE TABLE {name} AS SELECT q, x FROM '{path}'")
            rows = connection.execute(script).fetchall()
        assert [(row[0], *row[-3:]) for row in rows] == [("CAP_within", 2.5, 5.0, 50.0)]
    with pytest.raises(sqlrisk.InputError, match="CAP_within needs a tolerance"):
        sqlrisk.sql("CAP_within")


def test_nothing_of_it_is_computed_unless_it_is_asked_for(files: list[str]) -> None:
    statements: list[str] = []
    sqlrisk.score(*files, keys="q", trace=lambda sql, _: statements.append(sql))
    assert statements
    assert not any("within_counts" in sql or "tolerance_intervals" in sql for sql in statements)


@pytest.mark.slow
def test_commands_that_know_no_tolerance_leave_it_out_of_a_scenario_file(
    files: list[str], tmp_path: Path
) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'keys = ["q"]\ntargets = ["x"]\nwithin = {x = 5}\nspecial = {x = 100}\n', encoding="utf-8"
    )
    assert sqlrisk.reference(files[0], scenario=str(scenario), random=2).rows
    protected = sqlrisk.protect(
        files[0], files[1], output=tmp_path / "out.parquet", scenario=str(scenario)
    )
    assert protected.written == 4
    report = sqlrisk.attack(*files, scenario=str(scenario), attackers="majority")
    assert report.rows
