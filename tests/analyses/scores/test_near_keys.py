"""A key that matches within a tolerance: every number counted again by looking at all pairs of
records.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import some

import sqlrisk
from sqlrisk.analyses import neighbours
from sqlrisk.catalogue.measures import catalog
from sqlrisk.engines.duckdb import DuckDB

EXACT = {  # each measure, and the same of equal keys
    "UiO_near": "UiO",
    "iS_near": "iS",
    "UiOiS_near": "UiOiS",
    "repU_near": "repU",
    "CAPd_near": "CAPd",
    "DCAP_near": "DCAP",
    "DCAP_near_matched": "DCAP_matched",
    "Dorig_near": "Dorig",
    "DiSCO_near": "DiSCO",
    "GCAP_near": "GCAP",
}
UNTARGETED = ("UiO_near", "iS_near", "UiOiS_near", "repU_near")
KEYS = ("town", "age", "sex")  # age is the one with a tolerance
Records = Sequence[Mapping[str, Any]]
Who = Callable[[Mapping[str, Any]], bool]

# --------------------------------------------------------------------------------------------------
# all pairs, by hand


def near(own: Any, other: Any, text: str, special: Sequence[Any] = ()) -> bool:
    """Whether a record's value is within the tolerance of a person's."""
    if own is None or other is None or own in special or other in special:
        return bool((own is None) == (other is None) and own == other)
    if text.endswith("d"):
        days = [each.date() if isinstance(each, datetime) else each for each in (own, other)]
        return bool(abs(days[0] - days[1]) <= timedelta(days=int(text[:-1])))
    if isinstance(own, float):
        reach = float(text[:-1]) / 100 * abs(own) if text.endswith("%") else float(text)
        return bool(abs(own - other) <= reach)
    share = Fraction(text[:-1]) / 100 * abs(Fraction(own)) if text.endswith("%") else Fraction(text)
    return abs(Fraction(own) - Fraction(other)) <= share


def persons_values(
    people: Records, original: Records, synthetic: Records, text: str, special: Sequence[Any] = ()
) -> list[dict[str, tuple[Any, bool]]]:
    """Of each person and measure the value, and whether the person is in the denominator."""

    def reached(person: Mapping[str, Any], records: Records) -> list[Any]:
        alike = (
            each for each in records if all(each[key] == person[key] for key in ("town", "sex"))
        )
        return [each["ill"] for each in alike if near(person["age"], each["age"], text, special)]

    def nearest(person: Mapping[str, Any]) -> Fraction:
        far = [
            sum(each[key] != person[key] for key in ("town", "sex"))
            + (not near(person["age"], each["age"], text, special))
            for each in synthetic
        ]
        found = [
            each["ill"]
            for each, distance in zip(synthetic, far, strict=True)
            if distance == min(far)
        ]
        return Fraction(found.count(person["ill"]), len(found))

    def values(person: Mapping[str, Any]) -> dict[str, tuple[Any, bool]]:
        own, base, theirs = (reached(person, records) for records in (people, original, synthetic))
        unique = sum(all(each[key] == person[key] for key in KEYS) for each in people) == 1
        right = [
            Fraction(found.count(person["ill"]), len(found)) if found else Fraction(0)
            for found in (base, theirs)
        ]
        return {
            "UiO_near": (len(own) == 1, True),
            "iS_near": (len(theirs) > 0, True),
            "UiOiS_near": (unique and len(theirs) > 0, True),
            "repU_near": (unique and len(theirs) == 1, True),
            "CAPd_near": (right[0], True),
            "DCAP_near": (right[1], True),
            "DCAP_near_matched": (right[1], len(theirs) > 0),
            "Dorig_near": ({*own} == {person["ill"]}, True),
            "DiSCO_near": ({*theirs} == {person["ill"]}, True),
            "GCAP_near": (nearest(person), True),
        }

    return [values(person) for person in people]


def added_up(
    people: Records, values: Sequence[Mapping[str, tuple[Any, bool]]], who: Who = lambda _: True,
    counted: Who = lambda _: True,
    weight: Callable[[Mapping[str, Any]], Any] = lambda _: 1,
) -> dict[str, tuple[Any, Any]]:  # fmt: skip
    """Numerator and denominator of every measure, person by person; exclusions by a target matter
    where there is one.
    """
    sums: dict[str, list[Any]] = {measure: [0, 0] for measure in EXACT}
    for person, own in zip(people, values, strict=True):
        if who(person):
            for measure, (value, among) in own.items():
                sums[measure][0] += (
                    weight(person) * value if counted(person) or measure in UNTARGETED else 0
                )
                sums[measure][1] += weight(person) if among else 0
    return {
        measure: tuple(pytest.approx(float(number), rel=1e-12, abs=1e-12) for number in pair)
        for measure, pair in sums.items()
    }


def rows_of(report: sqlrisk.Report, **place: Any) -> dict[str, tuple[Any, Any]]:
    """Numerators and denominators of the family at one place of the report."""
    usual = {
        "synthesis": "1",
        "population": "all",
        "people": "original",
        "weighted": False,
        **place,
    }
    return {
        row["measure"]: (row["numerator"], row["denominator"])
        for row in report.results
        if row["measure"] in EXACT and all(row[name] == value for name, value in usual.items())
    }


def table(rows: Records, kind: pa.DataType) -> pa.Table:
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return pa.table(columns | {"age": pa.array(columns["age"], kind)})


# --------------------------------------------------------------------------------------------------
# random tables

FIRST = date(1968, 2, 20)
MIDNIGHT = datetime.fromisoformat("1968-02-20")
AGES: dict[str, tuple[pa.DataType, Callable[[int], Any], str]] = {
    "whole": (pa.int32(), int, "2"),
    "nothing is near": (pa.int32(), int, "0"),
    "share of a whole number": (pa.int64(), int, "20%"),
    "decimal": (pa.decimal128(9, 2), lambda age: Decimal(age) / 4, "0.5"),
    "double": (pa.float64(), lambda age: age / 2, "1"),
    "share of a double": (pa.float64(), lambda age: age / 2, "12.5%"),
    "date": (pa.date32(), lambda age: FIRST + timedelta(days=age), "3d"),
    "timestamp": (
        pa.timestamp("us"),
        lambda age: MIDNIGHT + timedelta(days=age, hours=age % 24),
        "1d",
    ),
    "from pandas": (pa.timestamp("ns"), lambda age: MIDNIGHT + timedelta(days=age), "3d"),
}


def persons(seed: int, rows: int, made: Callable[[int], Any] = int) -> list[dict[str, Any]]:
    """A file in which many share the other keys; every column has missing values."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [
        {
            "town": rng.choice(["a", "b", "b", None]),
            "age": None if (age := rng.randrange(-2, 30)) == -2 else made(age),
            "sex": rng.choice(["f", "f", "m", None]),
            "ill": rng.choice(["y", "n", "n", None]),
            "weight": rng.choice([1, 2.5, 4]),
            "county": rng.choice(["east", "west"]),
        }
        for _ in range(rows)
    ]


@pytest.mark.parametrize("passes", some([5], [1, 5]))
@pytest.mark.parametrize("kind", some(["date"], AGES))
def test_the_measures_are_those_of_all_pairs(
    kind: str, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    monkeypatch.setattr(DuckDB, "fits_in_memory", lambda *_: passes == 1)
    # the nearest by pairs, or by sets of keys
    monkeypatch.setattr(neighbours, "PAIR", 1 if passes == 1 else 10**9)
    held, made, text = AGES[kind]
    original, *syntheses = (persons(seed, 70, made) for seed in range(3))
    tables = [table(rows, held) for rows in (original, *syntheses)]
    report = sqlrisk.score(
        tables[0], tables[1:], keys=KEYS, targets=["ill"], within={"age": text}, measures=[*EXACT]
    )
    for synthesis, records in (
        ("1", syntheses[0]),
        ("2", syntheses[1]),
        ("pooled 1-2", [*syntheses[0], *syntheses[1]]),
    ):
        expected = added_up(original, persons_values(original, original, records, text))
        assert rows_of(report, synthesis=synthesis) == expected


@pytest.mark.parametrize("passes", some([4], [1, 4]))
@pytest.mark.slow
def test_who_is_counted(passes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exclusions are those of a person's own cell; populations, weights and control as
    everywhere.
    """
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: passes)
    original, synthetic, control = persons(1, 90), persons(2, 80), persons(3, 50)
    tables = [table(rows, pa.int32()) for rows in (original, synthetic, control)]
    report = sqlrisk.score(
        tables[0], tables[1], control=tables[2], keys=KEYS, targets=["ill"], within={"age": "2"},
        special={"age": ["7", "8"]},
        exclude_level={"ill": ["y"]}, max_cell=2, max_cell_syn=1, measures=[*EXACT],
        weights="weight", by="county",
        populations=["all", "uniques"],
    )  # fmt: skip
    for people, rows in (("original", original), ("control", control)):
        values = persons_values(rows, original, synthetic, "2", [7, 8])

        def alike(person: Mapping[str, Any], records: Records, *names: str) -> int:
            return sum(all(each[name] == person[name] for name in names) for each in records)

        def counted(person: Mapping[str, Any], rows: Records = rows) -> bool:
            cell = (*KEYS, "ill")
            return (
                person["ill"] != "y"
                and alike(person, rows, *cell) <= 2
                and alike(person, synthetic, *cell) <= 1
            )

        groups: dict[str, Who] = {
            "all": lambda _: True,
            "uniques": lambda person, rows=rows: alike(person, rows, *KEYS) == 1,
            "county=west": lambda person: person["county"] == "west",
        }
        for population, who in groups.items():
            for weighted in (False, True):
                weight = (lambda person: person["weight"]) if weighted else (lambda _: 1)
                place = {"people": people, "population": population, "weighted": weighted}
                assert rows_of(report, **place) == added_up(rows, values, who, counted, weight), (
                    place
                )


@pytest.mark.slow
def test_with_a_tolerance_of_0_each_is_the_measure_of_equal_keys() -> None:
    tables = [table(persons(seed, 200), pa.int32()) for seed in range(3)]
    asked = {
        "keys": KEYS,
        "targets": ["ill", "county"],
        "exclude_missing": ["ill", "sex"],
        "control": tables[2],
    }
    report = sqlrisk.score(
        *tables[:2], **asked, within={"age": 0}, measures=[*EXACT, *EXACT.values()]
    )
    found = {
        (row["measure"], row["target"], row["people"]): (row["numerator"], row["denominator"])
        for row in report.results
    }
    for (measure, target, people), sides in found.items():
        if measure in EXACT and (measure != "iS_near" or people == "original"):
            exact = found[
                EXACT[measure], target or ("county" if measure == "iS_near" else None), people
            ]
            assert sides == tuple(pytest.approx(each, rel=1e-12) for each in exact), (
                measure,
                people,
            )


@pytest.mark.slow
def test_the_published_measures_stay_as_they_are() -> None:
    tables = [table(persons(seed, 200), pa.int32()) for seed in range(2)]
    asked = {
        "keys": KEYS,
        "targets": ["ill"],
        "measures": ["identity", "attribute", "cap", "protection", "neighbours"],
    }
    without, with_it = (
        sqlrisk.score(*tables, **asked, **more).results for more in ({}, {"within": {"age": "2"}})
    )
    sides = ("numerator", "denominator", "value")
    assert [
        {**row, **{side: pytest.approx(row[side], rel=1e-12) for side in sides}} for row in without
    ] == with_it


@pytest.mark.slow
def test_moving_every_birth_date_by_a_day_hides_nobody() -> None:
    """The one-day move takes repU from nearly everybody to nearly nobody; within a day they are
    found as before.
    """
    rng = random.Random(5)  # noqa: S311 - no secret
    born = [FIRST + timedelta(days=each) for each in rng.sample(range(29_000), 2000)]
    people = pa.table(
        {"born": born, "sex": rng.choices("mf", k=2000), "ill": rng.choices("yn", k=2000)}
    )
    moved = people.set_column(0, "born", pa.array([each + timedelta(days=1) for each in born]))
    asked = {
        "keys": ["sex", "born"],
        "targets": ["ill"],
        "within": {"born": "1d"},
        "measures": ["repU", "UiOiS_near", "repU_near"],
    }
    of = [
        {row["measure"]: row["value"] for row in sqlrisk.score(people, each, **asked).results}
        for each in (people, moved)
    ]
    assert of[0]["repU"] > 95
    assert of[1]["repU"] < 5
    assert of[1]["UiOiS_near"] > 95
    assert of[1]["repU_near"] > 85
    assert sqlrisk.score(people, moved, **asked).assessment[0]["state"] == "assessable"


# ---------------------------------------------------------------------------------------- who is
# listed, and what is refused


def test_each_person_of_the_records_and_the_listings(tmp_path: Path) -> None:
    original, synthetic = persons(1, 80), persons(2, 70)
    tables = [table(rows, pa.int32()) for rows in (original, synthetic)]
    asked: dict[str, Any] = {"keys": KEYS, "targets": ["ill"], "within": {"age": "2"}}
    sqlrisk.records(*tables, **asked, output=str(tmp_path / "records.parquet"))
    rows = pq.read_table(tmp_path / "records.parquet").to_pylist()
    values = persons_values(original, original, synthetic, "2")
    for row, own in zip(rows, values, strict=True):
        assert row["cap_near_ill"] == (
            pytest.approx(float(own["DCAP_near"][0])) if row["n_syn_near"] else None
        )
        assert (row["n_orig_near"] == 1) == own["UiO_near"][0]
        assert (row["unique"] and row["n_syn_near"] == 1) == own["repU_near"][0]
    assert any(row["n_syn_near"] > row["n_syn_class"] for row in rows)
    sqlrisk.score(
        *tables, **asked, measures=["repU_near", "DiSCO_near"], save=str(tmp_path / "run.duckdb")
    )
    for measure, columns in (("repU_near", KEYS), ("DiSCO_near", (*KEYS, "ill"))):
        found = {
            tuple(person[name] for name in columns)
            for person, own in zip(original, values, strict=True)
            if own[measure][0]
        }
        listed = sqlrisk.cells(measure, *tables, **asked, limit=1000)
        places = [listed.columns.index("level" if name == "ill" else name) for name in columns]
        assert {tuple(row[place] for place in places) for row in listed.rows} == found
        assert sqlrisk.cells(measure, str(tmp_path / "run.duckdb"), limit=1000).rows == listed.rows


@pytest.mark.slow
def test_a_hundred_thousand_people_with_the_same_other_keys_take_no_longer_than_a_sort() -> None:
    rng = np.random.default_rng(1)
    people, synthetic = (np.sort(rng.integers(10**6, size=100_000)) for _ in range(2))
    tables = [
        pa.table({"age": each, "sex": ["f"] * len(each), "ill": ["y"] * len(each)})
        for each in (people, synthetic)
    ]
    report = sqlrisk.score(
        *tables,
        keys=["sex", "age"],
        targets=["ill"],
        within={"age": 5},
        measures=["iS_near", "repU_near"],
    )
    near = np.searchsorted(synthetic, people + 5, "right") - np.searchsorted(
        synthetic, people - 5, "left"
    )
    _, own, times = np.unique(people, return_inverse=True, return_counts=True)
    expected = {"iS_near": (near > 0).sum(), "repU_near": ((near == 1) & (times[own] == 1)).sum()}
    assert {measure: sides[0] for measure, sides in rows_of(report).items()} == expected


DATED = pa.table(
    {
        "q": list("aab"),
        "age": [1, 2, 3],
        "born": [FIRST] * 3,
        "at": pa.array([1, 2, 3], pa.time64("us")),
        "t": list("yyn"),
    }
)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"within": "age=2,born=3d"},
            "within: the keys 'age' and 'born' have a tolerance, but only one key may have one",
        ),
        (
            {"within": "age=2", "bins": "age=2"},
            "within: 'age' has bins, so it cannot also have a tolerance",
        ),
        (
            {"within": "age=2d"},
            "within: 'age' holds numbers; write its tolerance as a number, as in 500",
        ),
        (
            {"within": "born=2"},
            "within: 'born' holds dates; write its tolerance as days, as in 30d",
        ),
        (
            {"within": "born=2%"},
            "within: 'born' holds dates; write its tolerance as days, as in 30d",
        ),
        ({"within": "born=٣d"}, "within: 'born' needs a number, 0 or more, as in 500, 5% or 30d"),
        ({"within": "born=1.5d"}, "within: 'born' needs a number, 0 or more, as in 500, 5% or 30d"),
        ({"within": "at=2"}, "within: 'at' is TIME; only numbers and dates can have a tolerance"),
        ({"within": "q=2"}, "within: 'q' is VARCHAR; only numbers and dates can have a tolerance"),
        (
            {"within": "aeg=2"},
            r"within: 'aeg' is neither a key nor a target of the scenario \(did you mean 'age'\?\)",
        ),
        (
            {"measures": "repU_near"},
            (
                "repU_near needs a tolerance on a key: say how far a key may be from a "
                "person's value, as in --within age=2"
            ),
        ),
        (
            {"measures": "CAP_within", "within": "age=2"},
            "CAP_within needs a tolerance: say how far a guess may be from the truth",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(DATED, DATED, keys="q,age,born,at", targets="t", **more)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["repU_near", "DiSCO_near"])
def test_no_cells_are_listed_without_a_near_key(measure: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"keys": "q,age", "targets": "t"}
    saved = str(tmp_path / "run.duckdb")
    report = sqlrisk.score(DATED, DATED, measures="repU", save=saved, **asked)
    for listed in (
        partial(sqlrisk.cells, measure, DATED, DATED, **asked),
        partial(sqlrisk.cells, measure, saved),
        partial(report.cells, measure),
    ):
        with pytest.raises(
            sqlrisk.InputError, match=f"^{measure} needs a tolerance on a key: say how far"
        ):
            listed()


def test_a_sweep_matches_equal_keys() -> None:
    with pytest.raises(
        sqlrisk.InputError,
        match="within: a sweep matches equal keys; leave the tolerance of 'age' out",
    ):
        sqlrisk.sweep(DATED, DATED, keys="q,age", targets="t", within="age=2")


def test_dates_are_no_guess_of_numbers_but_within_days() -> None:
    """A target of dates is right within days, too."""
    report = sqlrisk.score(
        pa.table({"q": ["a", "a", "b"], "born": [FIRST, FIRST + timedelta(days=40), FIRST]}),
        pa.table({"q": ["a", "b"], "born": [FIRST + timedelta(days=days) for days in (30, 31)]}),
        keys="q", targets="born", within={"born": "30d"}, measures="CAP_within",
    )  # fmt: skip
    assert [(row["numerator"], row["denominator"]) for row in report.results] == [(2, 3)]


@pytest.mark.slow
def test_a_measure_of_ones_own_says_that_it_needs_a_near_key(tmp_path: Path) -> None:
    text = catalog()["repU_near"].sql.replace('name    = "repU_near"', 'name    = "own"')
    asked: dict[str, Any] = {"keys": "q,age", "targets": "t", "within": "age=0", "measures": "own"}
    for folder, need in (("says", 'needs   = "a tolerance on a key"\n'), ("says nothing", "")):
        (tmp_path / folder).mkdir()
        own = text.replace('needs   = "a tolerance on a key"\n', need)
        (tmp_path / folder / "own.sql").write_text(own, encoding="utf-8")
    report = sqlrisk.score(DATED, DATED, **asked, measures_from=str(tmp_path / "says"))
    assert [row["numerator"] for row in report.results] == [3]
    with pytest.raises(
        sqlrisk.InputError,
        match=r"own\.sql: a measure over reached_classes needs a key that matches within a tol",
    ):
        sqlrisk.score(DATED, DATED, **asked, measures_from=str(tmp_path / "says nothing"))


def test_who_is_found_is_asked_without_a_target() -> None:
    files = DATED.select(["q", "age"])
    report = sqlrisk.score(files, files, keys="q,age", within="age=100%", within_floor="age=1")
    found = {
        row["measure"]: row["numerator"] for row in report.results if row["family"] == "near_keys"
    }
    assert found == {"UiO_near": 1, "iS_near": 3, "UiOiS_near": 3, "repU_near": 1}
