"""Counting in several passes over the class keys gives what one pass gives: a sum over disjoint
passes is the sum.
"""

import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.preparation import encoding as preparation
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.saved_runs import SavedRun
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import Question, ask
from sqlrisk.plan import encoding

MEASURES = [
    *("identity", "attribute", "cap", "others", "protection"),
    *("k_anonymity", "l_diversity", "neighbours", "bounds", "within"),
]
SCENARIOS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bins": {"bins": {"age": 3}, "special": {"age": ["-8"]}},
    "exclusions": {
        "exclude_level": {"illness": ["none"]},
        "exclude_missing": ["sex", "illness", "income"],
        "exclude_pair": [
            {"target": "income", "target_level": "2", "key": "town", "key_level": "c"}
        ],
        "max_cell": 6,
        "max_cell_syn": 7,
    },
    "within": {"within": {"income": "1"}},
    "near keys": {
        "within": {"age": "8"},
        "special": {"age": ["-8"]},
        "measures": [*MEASURES, "near_keys"],
    },
    "one target": {"targets": ["illness"]},
    "two key columns": {
        "keys": ["sex", "town", "age", *(f"long {number}" for number in range(6))],
        # by each set of nine keys, they take long
        "measures": [each for each in MEASURES if each != "neighbours"],
    },
}
MANY = 97  # more than there are classes in the smallest case


class Passes(DuckDB):
    """DuckDB that is told in how many passes to count, and whether records fit in memory; else in
    how many ``parts`` they are.
    """

    def __init__(self, *wanted: int, fits: bool = True) -> None:
        super().__init__()
        self._wanted, self._fits = [*wanted], fits

    def passes(self, *counts: Any, **named: Any) -> int:
        return self._wanted.pop(0) if len(self._wanted) > 1 else self._wanted[0]

    def fits_in_memory(self, size: int) -> bool:
        return self._fits


@cache
def people(seed: int, rows: int = 1000) -> pa.Table:
    """A file with missing values everywhere; no level count is divisible by 3 or 7."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    columns: dict[str, list[object]] = {
        "sex": rng.choices(["f", "m", "x", None], [8, 8, 1, 1], k=rows),
        "town": rng.choices(["a", "b", "c", "d", None], k=rows),
        "age": rng.choices([-8, None, *range(16, 60, 4)], k=rows),
        "illness": rng.choices(["none", "flu", "gout", None], [9, 2, 1, 1], k=rows),
        "income": rng.choices([1, 2, 3, None], [9, 3, 1, 1], k=rows),
    }
    return pa.table(
        columns | {f"long {number}": rng.sample(range(rows), rows) for number in range(6)}
    )


def question(scenario: str, seed: int = 1) -> Question:
    settings = {
        "keys": ["sex", "town", "age"],
        "targets": ["illness", "income"],
        "measures": MEASURES,
        "one_way": [0, 10],
        "two_way": [0, 10],
        **SCENARIOS[scenario.partition(" without ")[0]],
    }
    if scenario == QUICK:
        settings["measures"] = [each for each in MEASURES if each != "neighbours"]
    return ask(people(seed), [people(seed + 1), people(seed + 2)], settings)


def score(asked: Question, passes: int, *, fits: bool = True) -> sqlrisk.Report:
    """The report, counted as of many records, and a look at the statements: so many passes were
    really made.
    """
    statements: list[str] = []
    with Passes(passes, fits=fits) as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sqlrisk.plan.layout.FEW_RECORDS", 0)
        report = scoring.score(asked, Session(engine, trace=lambda sql, _: statements.append(sql)))
    first = "cell_counts" if len(asked.scenario.targets) == 1 else "members"
    made = sum(f"TABLE {first} AS" in sql for sql in statements)
    assert made == passes or MANY == passes > made > 10, "there are no more passes than classes"
    return report


def same(found: object, expected: object) -> bool:
    """Whole numbers and texts to the last one, floats to 1e-12."""
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(same(found[k], expected[k]) for k in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(map(same, found, expected))
        )
    if isinstance(expected, float):
        return isinstance(found, float) and found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    return type(found) is type(expected) and found == expected


@cache
def in_one(scenario: str) -> sqlrisk.Report:
    """The report in one pass."""
    return score(question(scenario), 1)


# For a plain run: test_neighbours.py counts neighbors in three passes, with exclusions.
QUICK = "exclusions without neighbors"
# In three passes or in seven, and in parts; a scenario is asked in one number of passes alone.
IN_PASSES = [
    (QUICK, 3, False),
    *((scenario, (3, 7)[number % 2], True) for number, scenario in enumerate(SCENARIOS)),
    *((scenario, 4, False) for scenario in SCENARIOS),
]


@pytest.mark.parametrize("case", some([(QUICK, 3, False)], IN_PASSES), ids=str)
def test_a_report_in_passes_is_the_report_in_one(case: tuple[str, int, bool]) -> None:
    scenario, passes, fits = case
    once, often = in_one(scenario), score(question(scenario), passes, fits=fits)
    for part in ("original", "synthetic", "results", "checks", "exclusions", "levels", "overlap"):
        assert same(getattr(often, part), getattr(once, part)), part
    assert scenario == "two key columns" or (once.checks["one_way"] and once.checks["two_way"])
    assert bool(once.exclusions) == scenario.startswith("exclusions")


@pytest.mark.parametrize("scenario", some(("exclusions",), SCENARIOS))
@pytest.mark.slow
def test_the_report_of_few_records_is_the_same(scenario: str) -> None:
    """As other databases are asked: cells counted from the records themselves.

    A witness of a template runs this test too, where files are assessed, and a report in one pass
    is kept for both: the assessment is not compared.
    """
    expected = in_one(scenario).to_dict()
    statements: list[str] = []
    with DuckDB() as engine:
        found = scoring.score(
            question(scenario), Session(engine, trace=lambda sql, _: statements.append(sql))
        ).to_dict()
    assert not any("TABLE members AS" in sql for sql in statements)
    unasked = dict.fromkeys(("assessment", "copies", "columns", "merges"))
    assert same(found | unasked, expected | unasked)


@pytest.mark.parametrize(("levels", "rewritten"), [(10, False), (31, True)])
def test_records_are_rewritten_if_they_may_have_many_classes(
    levels: int, rewritten: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three keys of 9 and of 30 levels, and missing: 10^3 and 31^3 possible classes of 2,000."""
    monkeypatch.setattr("sqlrisk.plan.layout.WINDOWED", 1)
    keys = {name: [None, *range(levels - 1)] for name in "abc"}
    rng = random.Random(1)  # noqa: S311 - no secret
    held = {name: [*each, *rng.choices(each, k=1000 - levels)] for name, each in keys.items()}
    files = pa.table(held | {name: rng.choices("yn", k=1000) for name in ("ill", "old")})
    statements: list[str] = []
    sqlrisk.score(
        files,
        files,
        keys=["a", "b", "c"],
        targets=["ill", "old"],
        measures=["DiSCO"],
        trace=lambda sql, _: statements.append(sql),
    )
    assert any("TABLE members AS" in sql for sql in statements) == rewritten


LISTED = ["DiSCO", "Dsyn", "CAP_at_least", "UiO", "repU", "min_DCAP", "min_DCAP_matched"]


# Every measure where somebody is left out, and one of them in every other scenario.
LISTINGS = [
    *(("exclusions", measure) for measure in LISTED),
    *zip((each for each in SCENARIOS if each != "exclusions"), LISTED, strict=False),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", some([("exclusions", "DiSCO")], LISTINGS), ids=" ".join)
def test_a_listing_in_passes_is_the_listing_in_one(case: tuple[str, str]) -> None:
    scenario, measure = case
    listings = []
    for passes in (1, 3, 7) if scenario == "exclusions" else (1, 3):
        with Passes(passes) as engine:
            listings.append(
                scoring.cells(
                    question(scenario), Session(engine), measure, synthesis="pooled 1-2", limit=12
                )
            )
    assert listings[0].rows or scenario == "two key columns"
    assert [each.rows for each in listings[1:]] == [listings[0].rows] * (len(listings) - 1)


@cache
def listed(scenario: str, measure: str, synthesis: str) -> sqlrisk.Listing:
    """The cells of a measure that are worth looking at, in a run of their own."""
    with DuckDB() as engine:
        asked, session = question(scenario), Session(engine)
        layout = encode(asked, session)
        return scoring.list_cells(
            asked, layout, session, measure, synthesis=synthesis, target=None, limit=10, worth=True
        )


@pytest.mark.slow
@pytest.mark.parametrize("scenario", some(["exclusions"], ["exclusions", "bins"]))
@pytest.mark.parametrize("passes", some([3], [1, 3]))
def test_a_run_lists_cells_as_a_run_of_their_own(scenario: str, passes: int) -> None:
    with Passes(passes) as engine:
        report = scoring.score(question(scenario), Session(engine), listed=("DiSCO", "repU"))
    found = {
        (each.measure, each.synthesis): replace(each, assessment=[]) for each in report.listings
    }
    labels = [side["synthesis"] for side in report.synthetic]
    assert len(labels) > 1
    assert found == {
        (measure, label): listed(scenario, measure, str(label))
        for measure in ("repU", "DiSCO")
        for label in labels
    }
    assert len(found["DiSCO", "1"]) > 10  # up to ten of each target
    assert "listings" not in report.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize(("joins", "together", "listed"), [(1, 2, 0), (4, 40, 0), (1, 40, 13)])
@pytest.mark.parametrize(
    "settings", few([{"weights": "weight", "by": ["age"]}, {}, {"id": "name", "aligned": True}])
)
def test_many_targets(
    joins: int,
    together: int,
    listed: int,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More targets than one statement joins, or than are written beside each other, are scored as
    few are; also if levels are looked up in lists. Ages have 13 levels.
    """
    targets = ["illness", "income", "age"]
    files = [
        people(seed)
        .append_column("weight", pa.array([0.5, 2.0] * 500))
        .append_column("name", pa.array(range(1000)))
        for seed in (1, 2, 3)
    ]
    asked = ask(
        files[0],
        files[1:2],
        {"keys": ["sex", "town"], "targets": targets, "measures": ["UiO", "DiSCO"], **settings},
        control=None if "id" in settings else files[2],
    )
    expected = score(asked, 1)
    statements: list[str] = []
    monkeypatch.setattr("sqlrisk.plan.encoding.JOINS", joins)
    monkeypatch.setattr("sqlrisk.plan.encoding.LISTED", listed)
    monkeypatch.setattr("sqlrisk.plan.totals.TOGETHER", together)
    with Passes(2) as engine:
        found = scoring.score(asked, Session(engine, trace=lambda sql, _: statements.append(sql)))
        left = {str(name) for (name,) in engine.run("SELECT table_name FROM duckdb_tables()")}
    turns = sum("AS begun" in sql for sql in statements)
    assert turns == (0 if listed else len(targets) - 1 if joins == 1 else 1)
    found_in_lists = {
        name for sql in statements for name in re.findall(r"LIST_POSITION\((\w+)_levels", sql)
    }
    assert found_in_lists == ({"k1", "k2", "t1", "t2", "t3"} if listed else set())
    # in each of two passes
    assert sum("TABLE members AS" in sql for sql in statements) == 2 * -(-len(targets) // together)
    assert not {name for name in left if name.startswith("records_")}
    assert same(found.to_dict(), expected.to_dict())


VALUES = {  # one column of each type, with levels that are easily confused
    "logical": "i % 3 = 0",
    "days": "DATE '1900-01-01' + i",
    "hours": "TIME '00:00:00' + i * INTERVAL 1 SECOND",
    "times": "TIMESTAMP '1969-12-31 23:59:58.5' + i * INTERVAL 1 HOUR",
    "instants": "TIMESTAMPTZ '1969-12-31 23:59:58+00' + i * INTERVAL 1 HOUR",
    "decimals": "CAST(i / 7 AS DECIMAL(12, 3))",
    "long_numbers": "CAST(i AS HUGEINT) * 18446744073709551616",
    "short_numbers": "CAST(i - 4 AS TINYINT)",
    "four_bytes": "CAST(['0.1', '-0', '0', 'nan', 'inf', '-inf', '16777217'][i % 7 + 1] AS FLOAT)",
    "eight_bytes": "CAST(['0.1', '-0', '0', 'nan', 'inf', '-inf', '1e308'][i % 7 + 1] AS DOUBLE)",
    "texts": "['é', 'e', '', ' ', 'a ', 'A', NULL, chr(34)][i % 8 + 1]",
    "kinds": "CAST(['high', 'low'][i % 2 + 1] AS ENUM ('low', 'high'))",
    "ids": "CAST('00000000-0000-0000-0000-00000000000' || i % 7 AS UUID)",
}


@pytest.mark.slow
def test_levels_of_every_type_are_in_lists_what_they_are_when_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = str(tmp_path / "files.duckdb")
    columns = ", ".join(f"{value} AS {name}" for name, value in VALUES.items())
    with duckdb.connect(database) as connection:
        for table, number in (("original", "n"), ("synthetic", "n * n % 11")):
            connection.execute(
                f"CREATE TABLE {table} AS SELECT i % 4 AS key, {columns} FROM (SELECT "
                f"CAST({number} AS INTEGER) AS i FROM range(40) AS numbers (n)) AS rows"
            )
    asked = {"keys": "key", "targets": [*VALUES], "measures": "UiO,DiSCO", "engine": database}
    # as with a limit of memory that has room for one join
    monkeypatch.setattr(DuckDB, "joins", lambda _: 1)
    reports: list[sqlrisk.Report] = []
    statements: list[str] = []
    for most in (0, 64):
        monkeypatch.setattr("sqlrisk.plan.encoding.LISTED", most)
        reports.append(
            sqlrisk.score(
                "original", "synthetic", **asked, trace=lambda sql, _: statements.append(sql)
            )
        )
    assert any("LIST_POSITION" in sql for sql in statements)
    told: list[dict[str, Any]] = [each.to_dict() for each in reports]
    joined, listed = told
    assert len({row["target"] for row in listed["results"]} - {None}) == len(VALUES)
    assert same(listed, joined)


@pytest.mark.slow
def test_more_passes_than_classes() -> None:
    settings = {"keys": ["sex", "town"], "targets": ["illness"], "two_way": [0, 10], "max_cell": 40}
    asked = ask(people(5), people(6), settings)
    once, often = score(asked, 1), score(asked, MANY)
    assert int(str(once.original["classes"])) < MANY
    assert same(
        [often.results, often.checks, often.exclusions, often.overlap],
        [once.results, once.checks, once.exclusions, once.overlap],
    )
    with Passes(1) as one, Passes(MANY) as many:
        assert (
            scoring.cells(asked, Session(many), "DiSCO").rows
            == scoring.cells(asked, Session(one), "DiSCO").rows
        )


def test_passes_have_about_as_many_cells_each_and_every_class_once() -> None:
    """However unevenly records are spread over the classes; 101 levels, as the sample of a
    hundredth would then see one alone.
    """
    rng = random.Random(5)  # noqa: S311 - no secret
    rows = 400_000
    file = pa.table(
        {
            "many": [min(int(rng.expovariate(0.05)), 99) for _ in range(rows)],
            "few": rng.choices(range(50), range(50, 0, -1), k=rows),
            "ill": rng.choices("abcde", [50, 20, 5, 2, 1], k=rows),
        }
    )
    asked = ask(file, file, {"keys": ["many", "few"], "targets": ["ill"]})
    with Passes(5) as engine:
        session = Session(engine)
        layout = encode(asked, session)
        passes = record_all(layout, session)
        cells = "SELECT COUNT(*) FROM (SELECT DISTINCT class_key, t1 FROM records"
        counts = [
            int(session.fetch(f"{cells} WHERE {each.takes()}) AS cells")[0][0]) for each in passes
        ]
        assert sum(counts) == int(session.fetch(f"{cells}) AS cells")[0][0])
    assert len(passes) == 5
    assert max(counts) < 1.2 * min(counts)


@pytest.mark.parametrize(
    ("together", "most", "parts", "made"),
    few([(1, 32, 7, 7), (2, 32, 7, 4), (7, 32, 7, 1), (1, 2, 2, 7), (2, 3, 3, 5), (6, 3, 3, 2)]),
)
def test_each_pass_reads_the_parts_that_it_counts_and_no_other(
    together: int, most: int, parts: int, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are neighbours, written once, to files that only their owner may read; all records are
    all parts.
    """
    # targets in two rounds, the last of which is written in parts
    monkeypatch.setattr(encoding, "JOINS", 5)
    monkeypatch.setattr(encoding, "LISTED", 0)
    monkeypatch.setattr(preparation, "MOST_PARTS", most)
    with Passes(7, 7 // together, fits=False) as engine:
        session = Session(engine)
        layout = encode(question("plain"), session)
        passes = record_all(layout, session)
        assert len(passes) == made
        of_each = [
            session.fetch(
                f"SELECT * FROM {each.records} WHERE {each.takes() or 'TRUE'} ORDER BY ALL"
            )
            for each in passes
        ]
        for each, rows in zip(passes, of_each, strict=True):
            assert (
                rows
                == session.fetch(
                    f"SELECT * FROM records WHERE {each.takes() or 'TRUE'} ORDER BY ALL"
                )
                != []
            )
        read = {
            each.records: session.number(f"SELECT COUNT(*) FROM {each.records}") for each in passes
        }
        assert (
            sum(read.values())
            == sum(map(len, of_each))
            == session.number("SELECT COUNT(*) FROM records")
            == 3000
        )
        assert sum(layout.records) == 3000
        files = list(Path(engine.scratch("records")).rglob("*"))
        assert {path.stat().st_mode & 0o777 for path in files if path.is_file()} == {0o600}
        assert {path.stat().st_mode & 0o777 for path in files if path.is_dir()} == {0o700}
        assert len([path for path in files if path.is_dir()]) == parts
    with Passes(1) as engine:
        session = Session(engine)
        record_all(encode(question("plain"), session), session)
        columns = "file, class_key, t1, t2"
        assert sorted(row for rows in of_each for row in rows) == sorted(
            session.fetch(f"SELECT {columns} FROM records")
        )


def test_records_in_parts_are_numbered_and_saved_as_others_are(tmp_path: Path) -> None:
    asked = ask(
        people(1),
        [people(2)],
        {"keys": ["sex", "town", "age"], "targets": ["illness"], "measures": ["DiSCO"]},
    )
    saved = {}
    for fits in (True, False):
        with Passes(3, fits=fits) as engine, (tmp_path / f"{fits}.duckdb").open("wb") as file:
            scoring.score(asked, Session(engine), place=SavedRun(file))
        saved[fits] = sqlrisk.query(
            str(tmp_path / f"{fits}.duckdb"), "SELECT * FROM records ORDER BY ALL"
        ).rows
    assert saved[False] == saved[True] != []


@pytest.mark.slow
def test_a_lost_pass_would_be_seen() -> None:
    first, second = in_one("plain"), score(question("plain", seed=2), 1)
    assert not same(first.results, second.results)
    assert same(first.results, first.results)
    assert not same([1], [1.0])
