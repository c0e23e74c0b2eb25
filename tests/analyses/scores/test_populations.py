"""Whom a measure is about: populations, weights, control and given baselines, against each person's
own numbers.
"""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import people as slow
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask

KEYS, TARGETS = ["sex", "town"], ["ill", "income"]
Condition = Callable[[dict[str, Any]], bool]
POPULATIONS: dict[str, tuple[str, Condition]] = {
    "old": ("age >= 40", lambda row: row["age"] is not None and row["age"] >= 40),
    "old women": ("sex = f AND age > 40", lambda row: row["sex"] == "f" and (row["age"] or 0) > 40),
    "west": (
        """region IN ('the west', 'it''s "far" ') and AGE_2 <> 3""",
        lambda row: region(row) and row["AGE_2"] not in (3, None),
    ),
    "nobody": ("age < 0", lambda row: False),
}


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    """A result row in which sums of ratios may differ in their last digits: their order is the
    engine's.
    """
    near = {"rel": 1e-12, "abs": 1e-12}
    return {
        name: pytest.approx(value, **near) if isinstance(value, float) else value
        for name, value in row.items()
    }


def region(row: dict[str, Any]) -> bool:
    return row["region"] in ("the west", 'it\'s "far" ')


def file(seed: int, rows: int = 150) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
            "town": rng.choices([*"abcdefghijkl", None], k=rows),
            "ill": rng.choices(["y", "n", None], [2, 6, 1], k=rows),
            "income": rng.choices([1, 2, 3], k=rows),
            "age": pa.array(rng.choices([10, 39, 40, 41, 80, None], k=rows), pa.int8()),
            "AGE_2": pa.array(rng.choices([1.0, 3.0, None, float("nan")], k=rows)),
            "region": rng.choices(["the west", 'it\'s "far" ', "east", None], k=rows),
            "weight": rng.choices([0.0, 0.5, 1.25, 3.0, 1000.0], k=rows),
        }
    )


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Rows with NaN as missing."""
    return [{k: None if v != v else v for k, v in row.items()} for row in table.to_pylist()]


@pytest.fixture(scope="module")
def report() -> sqlrisk.Report:
    return sqlrisk.score(
        file(1),
        [file(2), file(3)],
        keys=KEYS,
        targets=TARGETS,
        measures=list(slow.MEASURES),
        populations="all,uniques",
        population={name: text for name, (text, _) in POPULATIONS.items()},
        by=["region", "sex", "income"],
        weights="weight",
        control=file(4, 90),
    )


def expected(synthetic: Sequence[Any]) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """(measure, target, population, people, weighted) -> numerator, denominator."""
    original, control = rows_of(file(1)), rows_of(file(4, 90))
    found: dict[tuple[Any, ...], tuple[Any, Any]] = {}
    for group_name, group in (("original", original), ("control", control)):
        for target in TARGETS:
            persons = list(
                zip(slow.people(group, original, synthetic, KEYS, target), group, strict=True)
            )
            chosen: dict[str, Callable[[Any], bool]] = {
                "all": lambda each: True,
                "uniques": lambda each: each[0].n_orig_class == 1,
            }
            chosen |= {
                name: lambda each, test=test: test(each[1])
                for name, (_, test) in POPULATIONS.items()
            }
            for column in ("region", "sex", "income"):
                for level in {row[column] for row in original}:
                    name = f"{column} missing" if level is None else f"{column}={level}"
                    chosen[name] = lambda each, column=column, level=level: each[1][column] == level
            for population, test in chosen.items():
                inside = [each for each in persons if test(each)]
                for measure in slow.MEASURES:
                    for weighted in (False, True):
                        numbers = [
                            (Fraction(row["weight"]) if weighted else 1, person.value(measure))
                            for person, row in inside
                            if person.among(measure)
                        ]
                        found[measure, target, population, group_name, weighted] = (
                            sum(weight * value for weight, value in numbers),
                            sum(weight for weight, _ in numbers),
                        )
    return found


@pytest.mark.parametrize(
    ("synthesis", "seeds"), few([("1", [2]), ("2", [3]), ("pooled 1-2", [2, 3])])
)
def test_every_row_is_the_sum_over_its_people(
    report: sqlrisk.Report, synthesis: str, seeds: list[int]
) -> None:
    wanted = expected([row for seed in seeds for row in rows_of(file(seed))])
    found = {}
    for row in report.results:
        if row["synthesis"] == synthesis:
            for target in [row["target"]] if row["target"] else TARGETS:
                key = (row["measure"], target, row["population"], row["people"], row["weighted"])
                found[key] = (row["numerator"], row["denominator"], row["value"])
    assert (
        found.keys() - {key for key in found if key[3] in ("difference", "adjusted")}
        == wanted.keys()
    )
    for key, (top, bottom) in wanted.items():
        value = None if not bottom else 100 * float(top) / float(bottom)
        numbers = (top, bottom, value)
        assert found[key] == tuple(
            None if n is None else pytest.approx(float(n), rel=1e-12, abs=1e-12) for n in numbers
        ), key
        if not key[4] and isinstance(top, int):
            assert isinstance(found[key][0], int)


@pytest.mark.slow
def test_a_measure_of_synthetic_records_is_of_everybody() -> None:
    settings = {
        "keys": KEYS,
        "targets": ["ill"],
        "measures": "UiS,Dsyn,CAPs,repU_syn",
        "by": "sex",
        "weights": "weight",
    }
    rows = sqlrisk.score(file(1), file(2), control=file(4), **settings).results
    assert [
        (row["measure"], row["population"], row["people"], row["weighted"]) for row in rows
    ] == [(name, "all", "original", False) for name in ("UiS", "repU_syn", "Dsyn", "CAPs")]


@pytest.mark.slow
def test_control_changes_no_other_number() -> None:
    settings: dict[str, Any] = {
        "keys": ["age", "town"], "targets": TARGETS, "bins": {"age": 3, "income": 2},
        "measures": "identity,attribute,cap",
        "one_way": [0, 0], "two_way": [0, 0], "exclude_missing": ["town"], "max_cell": 9,
    }  # fmt: skip
    wild = file(9).set_column(4, "age", pa.array([-120, 120, *([50] * 148)], pa.int8()))
    alone = sqlrisk.score(file(1), [file(2), file(3)], **settings)
    compared = sqlrisk.score(file(1), [file(2), file(3)], control=wild, **settings)
    assert [row for row in compared.results if row["people"] == "original"] == [
        rounded(row) for row in alone.results
    ]
    for part in ("checks", "exclusions", "levels", "overlap", "original", "synthetic"):
        assert getattr(compared, part) == getattr(alone, part), part
    assert compared.control == {
        "source": "pyarrow.Table",
        "records": 150,
        "classes": compared.control["classes"],
    }


@pytest.mark.slow
def test_control_that_is_the_original_has_its_numbers() -> None:
    report = sqlrisk.score(
        file(1), file(2), control=file(1), keys=KEYS, targets=TARGETS, by="sex", weights="weight"
    )
    own = [row | {"people": ""} for row in report.results if row["people"] == "original"]
    others = [row | {"people": ""} for row in report.results if row["people"] == "control"]
    synthetic = {"UiS", "repU_syn", "Dsyn", "CAPs", "mean_denom_syn"}
    assert others == [rounded(row) for row in own if row["measure"] not in synthetic]


@pytest.mark.parametrize(
    ("passes", "seeds"),
    [(2, [2]), pytest.param(7, [2, 3], marks=pytest.mark.slow)],
)
@pytest.mark.slow
def test_passes_add_up(passes: int, seeds: list[int]) -> None:
    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return passes

    settings = {
        "keys": KEYS, "targets": TARGETS, "populations": "all,uniques", "by": "sex",
        "weights": "weight", "max_cell": "6",
        "population": {"old": "age > 40"}, "one_way": [0, 0], "two_way": [0, 0],
    }  # fmt: skip
    question = ask(file(1), [file(seed) for seed in seeds], settings, control=file(4))
    with DuckDB() as engine:
        whole = scoring.score(question, Session(engine)).to_dict()
    with Passes() as engine:
        parts = scoring.score(question, Session(engine)).to_dict()
    for name in ("results", "without_exclusions"):
        for one, other in zip(whole.pop(name), parts.pop(name), strict=True):
            assert other == rounded(one)
    spread = ("t", "df", "p", "adjusted_centre", "adjusted_error", "adjusted_low", "adjusted_high")
    for one, other in zip(whole.pop("differences"), parts.pop("differences"), strict=True):
        near = {
            name: pytest.approx(one[name], rel=1e-9, abs=1e-9)
            for name in spread
            if one[name] is not None
        }
        assert other == rounded(one) | near
    assert parts == whole


@pytest.mark.slow
def test_the_checks_of_a_population_flag_its_own_people() -> None:
    report = sqlrisk.score(
        file(1),
        file(2),
        keys=KEYS,
        targets=["ill"],
        measures="DiSCO",
        by="sex",
        one_way=[0, 0],
        two_way=[0, 0],
    )
    disclosed = {row["population"]: row["numerator"] for row in report.results}
    assert {row["population"]: row["totalDisclosive"] for row in report.checks["one_way"]} == {
        name: number for name, number in disclosed.items() if number
    }
    everybody = {
        (r["target_level"], r["key"], r["key_level"]): r
        for r in report.checks["two_way"]
        if r["population"] == "all"
    }
    women = [row for row in report.checks["two_way"] if row["population"] == "sex=f"]
    assert women
    for row in women:
        whole: dict[str, Any] = everybody[row["target_level"], row["key"], row["key_level"]]
        assert 0 < int(str(row["npairs"])) <= whole["npairs"]
        assert {**row, "npairs": 0, "population": ""} == {**whole, "npairs": 0, "population": ""}


def test_a_baseline_of_ones_own(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"level": ["y", "n", "x", None], "share": [0.25, 0.5, 0.125, 0.125]}),
        tmp_path / "ill.parquet",
    )
    (tmp_path / "income.csv").write_text("level,share\n1,0.5\n2,0.5\n")
    given = {"ill": str(tmp_path / "ill.parquet"), "income": str(tmp_path / "income.csv")}
    report = sqlrisk.score(
        file(1),
        file(2),
        keys=KEYS,
        targets=TARGETS,
        baseline=given,
        measures="baseCAPd,DCAP_scaled,DCAP",
    )
    shares: dict[str, dict[Any, float]] = {
        "ill": {"y": 0.25, "n": 0.5, None: 0.125},
        "income": {1: 0.5, 2: 0.5, 3: 0.0},
    }
    found = {(row["measure"], row["target"]): row for row in report.results}
    for target in TARGETS:
        base = 100 * sum(shares[target][row[target]] for row in rows_of(file(1))) / 150
        assert found["baseCAPd", target]["value"] == pytest.approx(base, rel=1e-12)
        dcap: Any = found["DCAP", target]["value"]
        assert found["DCAP_scaled", target]["value"] == pytest.approx(
            100 * (dcap - base) / (100 - base), rel=1e-12
        )


@pytest.mark.parametrize("engine", ["duckdb", "sqlite://"])
@pytest.mark.parametrize(
    ("levels", "share"),
    few(
        [
            ([1, 2, 40_000], 0.5),  # no SMALLINT
            ([1, 2, -1], 0.5),
            ([1.0, 1.4, 2.0], 0.5),
            ([1.4, 2.4, 3.0], 0.0),
        ]
    ),
)
def test_a_baseline_of_other_numbers(
    engine: str, levels: list[float], share: float, tmp_path: Path
) -> None:
    """A level of which the target's type knows nothing is nobody's, and not rounded to another."""
    table = pa.table({"sex": ["f", "m"], "pay": pa.array([1, 1], pa.int16())})
    given = str(tmp_path / "given.parquet")
    pq.write_table(pa.table({"level": levels, "share": [0.5, 0.25, 0.25]}), given)
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["pay"], "measures": "baseCAPd"}
    report = sqlrisk.score(table, table, baseline={"pay": given}, engine=engine, **asked)
    assert report["baseCAPd"].rows[0]["value"] == 100 * share


def test_a_baseline_has_the_missing_values_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("k,grade\na,1\nb,2\nb,NA\nc,1\n")
    (tmp_path / "grade.csv").write_text("level,share\n1,0.5\n2,0.125\nNA,0.375\n")
    report = sqlrisk.score(
        tmp_path / "o.csv",
        tmp_path / "o.csv",
        keys="k",
        targets="grade",
        column=["grade.missing=NA"],
        baseline={"grade": str(tmp_path / "grade.csv")},
        measures="baseCAPd",
    )
    (row,) = report.results
    assert row["value"] == 100 * (0.5 + 0.125 + 0.375 + 0.5) / 4


@pytest.mark.slow
def test_a_split_is_an_original_and_a_control() -> None:
    table = file(1)
    inside = [row["region"] == "east" for row in rows_of(table)]
    halves = [
        table.filter(pa.array([each is wanted for each in inside])) for wanted in (True, False)
    ]
    settings = {"keys": KEYS, "targets": TARGETS, "measures": "identity,cap"}
    split = sqlrisk.score(table, file(2), split="region", split_in="east", **settings)
    apart = sqlrisk.score(halves[0], file(2), control=halves[1], **settings)
    assert split.results == [rounded(row) for row in apart.results]
    assert (split.original["records"], split.control["records"]) == (sum(inside), 150 - sum(inside))


@pytest.mark.parametrize(
    ("settings", "message"),
    {
        "unreadable": (
            {"population": "old: age >="},
            "population: cannot read the condition 'age >='",
        ),
        "no column": (
            {"population": "old: aeg > 3"},
            "population: 'pyarrow.Table' has no column 'aeg' (did you mean 'age'?)",
        ),
        "wrong type": (
            {"population": "old: age > x"},
            "population 'old': The column 'age' is TINYINT; 'x' cannot be one",
        ),
        "unknown": (
            {"populations": "unique"},
            "populations: there is no population 'unique' (did you mean 'uniques'?)",
        ),
        "taken": ({"population": "all: age > 3"}, "population: the name 'all' is reserved"),
        "by": ({"by": "sexx"}, "by: 'pyarrow.Table' has no column 'sexx'"),
        "text weights": ({"weights": "region"}, "weights: 'region' is VARCHAR in"),
        "missing weights": ({"weights": "AGE_2"}, "'AGE_2' is missing or negative for "),
        "key weights": (
            {"weights": "sex"},
            "weights: the column 'sex' cannot also be a key; take it out of the keys.",
        ),
        "empty half": (
            {"split": "region", "split_in": "Nowhere"},
            "split: no record of the original has 'Nowhere'",
        ),
        "no baseline": ({"baseline": {"ill": "no.parquet"}}, "There is no file 'no.parquet'"),
        "nobody to compare": (
            {"confidence": 0.9},
            "comparisons with people who were not in the synthesis; give these people",
        ),
        "no weights": (
            {"measures": "population_risk"},
            (
                "measures: population_risk needs weights: name the column of survey weights with "
                "--weights"
            ),
        ),
        "bins": (
            {"baseline": {"income": "x.csv"}, "bins": "income=2"},
            "baseline: 'income' has bins",
        ),
    }.values(),
)
def test_what_is_wrong_is_said(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.score(file(1), file(2), **{"keys": KEYS, "targets": TARGETS, **settings})
    assert message.replace("'pyarrow.Table'", "the original (pyarrow.Table)") in str(caught.value)


def test_a_weight_is_a_number_from_zero_on() -> None:
    weights = [2.0, 0.0, None, -1.0, float("nan"), float("inf"), float("-inf")]
    table = pa.table({"sex": ["f"] * 7, "ill": ["y"] * 7, "weight": weights})
    settings: dict[str, Any] = {"keys": "sex", "targets": "ill", "weights": "weight"}
    with pytest.raises(
        sqlrisk.InputError,
        match=r"weights: 'weight' is missing or negative for 5 of \d+ records of ",
    ):
        sqlrisk.score(table, table, **settings)
    assert sqlrisk.score(table[:2], table, **settings).original["records"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    few(
        {
            "level,share\ny,0.5\nn,0.6\n": "must be numbers from 0 to 1 that sum to 1",
            "level,share\ny,0.5\nn,NaN\n": "must be numbers from 0 to 1 that sum to 1",
            "level,share\ny,0.5\ny,0.5\n": "names a level twice",
            "level,part\ny,1\n": "has no column 'share'",
            "level,share\ny,most\n": "shares numbers",
        }.items(),
        4,
    ),
)
def test_a_baseline_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "ill.csv").write_text(text)
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(
            file(1),
            file(2),
            keys=KEYS,
            targets=["ill"],
            baseline={"ill": str(tmp_path / "ill.csv")},
        )


@pytest.mark.parametrize(
    ("condition", "levels"),
    [
        ("sex = f", ["'f'"]),
        ("sex IN (F, Q) AND age <> 999", ["'Q'", "'999'"]),
        ("sex <> X", ["'X'"]),
    ],
)
def test_a_level_that_nobody_has_is_refused(condition: str, levels: list[str]) -> None:
    people = pa.table({"age": [30, 40, 50], "sex": ["F", "M", "F"], "job": ["a", "b", "b"]})
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.score(people, people, keys=["age"], targets=["job"], population={"some": condition})
    assert [problem.partition(" in the column")[0] for problem in raised.value.problems] == [
        f"population 'some': nobody has {level}" for level in levels
    ]


def test_people_who_are_named_twice_are_measured_once() -> None:
    people = pa.table({"age": [30, 40, 50], "job": ["a", "b", "b"]})
    report = sqlrisk.score(
        people, people, keys="age", targets="job", measures="DiSCO", populations="all,uniques,all",
        by=["job", "job"],
    )  # fmt: skip
    names = [row["population"] for row in report.results]
    assert sorted(names) == ["all", "job=a", "job=b", "uniques"]


def test_a_range_may_hold_nobody() -> None:
    people = pa.table({"age": [30, 40, 50], "job": ["a", "b", "b"]})
    report = sqlrisk.score(
        people,
        people,
        keys=["age"],
        targets=["job"],
        population={"old": "age > 99"},
        measures=["DiSCO"],
    )
    assert [row["denominator"] for row in report.results if row["population"] == "old"] == [0]


@pytest.mark.parametrize("in_parts", [False, True])
def test_people_by_the_last_target(in_parts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is among the targets that later statements code, or the records are in parts."""

    class Parts(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 2

        def fits_in_memory(self, size: int) -> bool:
            return not in_parts

    monkeypatch.setattr("sqlrisk.plan.encoding.FEW_JOINS", 2)
    monkeypatch.setattr("sqlrisk.plan.encoding.LISTED", 0)
    people = pa.table({"k": list("aabb"), "x": list("eeef"), "y": list("ghgh"), "z": list("ijjj")})
    asked = {"keys": "k", "targets": "x,y,z", "measures": "DiSCO", "by": "z"}
    with Parts() as engine:
        report = scoring.score(ask(people, [people], asked), Session(engine))
    found = {(row["target"], row["population"]): row["numerator"] for row in report.results}
    assert found == {
        ("x", "all"): 2, ("x", "z=i"): 1, ("x", "z=j"): 1,
        ("y", "all"): 0, ("y", "z=i"): 0, ("y", "z=j"): 0,
        ("z", "all"): 2, ("z", "z=i"): 0, ("z", "z=j"): 2,
    }  # fmt: skip


def test_weights_count_nobody_twice_in_checks() -> None:
    weighted = file(1).append_column("ones", pa.array([1] * len(file(1))))
    asked: dict[str, Any] = {
        "keys": KEYS, "targets": ["ill"], "measures": "DiSCO", "one_way": [0, 0], "two_way": [0, 0],
    }  # fmt: skip
    plain, counted = (
        sqlrisk.score(weighted, file(2), **asked, **more).checks
        for more in ({}, {"weights": "ones"})
    )
    assert plain["one_way"]
    assert plain["two_way"]
    assert counted == plain


def test_the_original_is_named_where_a_half_lacks_a_weight() -> None:
    original = pa.table({"k": [1, 2], "t": ["a", "b"], "w": [1, None], "g": ["in", "out"]})
    with pytest.raises(sqlrisk.InputError, match=r"negative for 1 of 1 records of the original"):
        sqlrisk.score(
            original, pa.table({"k": [1], "t": ["a"]}), keys="k", targets="t", weights="w",
            split="g", split_in="in",
        )  # fmt: skip
