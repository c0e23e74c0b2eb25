"""How much compiled SQL asks of a database: statements, and scans of cells, however many targets
and syntheses there are.
"""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from quickly import few
from sqlglot import exp

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask

GUIDE = Path(sqlrisk.__file__).parent / "guide" / "sql.md"
TOLD = [
    tuple(map(int, row))
    for row in re.findall(
        r"^\| (\d+), (\d+) \| (\d+) \| (\d+) \|$", GUIDE.read_text("utf-8"), re.MULTILINE
    )
]
PARTS = ("01_dictionaries.sql", "02_stages.sql", "03_measures.sql", "04_results.sql")
CLASSES = 1  # the classes are read from the cells of the first target, in the place of records
# characters of a statement that ClickHouse takes, the shortest of the limits; others have one of a
# million
LONGEST = 262_144


def statements(targets: int, syntheses: int, dialect: str = "duckdb", **settings: Any) -> list[Any]:
    """The statements from the tables of a database to the results."""
    asked = {
        "keys": ["sex", "age"],
        "targets": [f"t {number}" for number in range(targets)],
        **settings,
    }
    files = sqlrisk.compile_sql(
        "people", [f"made_{number}" for number in range(syntheses)], dialect=dialect, **asked
    )
    found = [each for name in PARTS for each in sqlglot.parse(files[name], read=dialect)]
    # settings of the session cost nothing
    return [each for each in found if not isinstance(each, exp.Set | exp.Command)]


def scans(found: list[Any], table: str = r"cells_t\d+") -> int:
    """How often cells are read, or other tables."""
    read = [node.name for each in found for node in each.expression.find_all(exp.Table)]
    return sum(re.fullmatch(f"sqlrisk_{table}", name) is not None for name in read)


def test_the_guide_has_the_cases_that_are_to_be_held() -> None:
    assert [row[:2] for row in TOLD] == [(1, 1), (5, 5), (20, 5)]
    assert TOLD[0][2:] == (13, 1)  # one target and one synthesis asked as little before
    assert TOLD[-1][2] <= 80
    assert TOLD[-1][3] <= 40


@pytest.mark.parametrize(("targets", "syntheses", "asked", "scanned"), few(TOLD))
def test_statements_and_scans_are_those_of_the_guide(
    targets: int, syntheses: int, asked: int, scanned: int
) -> None:
    found = statements(targets, syntheses)
    assert (len(found), scans(found)) == (asked, scanned + CLASSES)
    assert scans(found, "records") == targets
    assert scans(found, "classes") == 1  # by the measures: no cell looks its class up


@pytest.mark.slow
def test_control_is_counted_in_the_same_scan() -> None:
    found = statements(3, 2, control="held_back")
    assert scans(found) == 3 + CLASSES
    assert scans(found, "class_parts") == scans(statements(3, 2), "class_parts")


@pytest.mark.slow
def test_all_populations_are_counted_in_one_more_scan() -> None:
    found = statements(
        3, 2, population={"young": "age < 30", "old": "age > 60"}, populations=["all", "uniques"]
    )
    assert scans(found) == 6  # populations have members, and classes of their own


def test_how_often_cells_are_read_follows_from_the_measures_alone() -> None:
    """Profiles read them in three places, and numbers within a tolerance four times before."""
    measures = {
        "measures": ["l_diversity", "DCAP", "CAP_within"],
        "within": {"t 0": "5"},
        "types": "t 0=INTEGER",
    }
    assert scans(statements(3, 1, **measures)) == scans(statements(3, 5, **measures))


@pytest.mark.parametrize(("measures", "targets"), few([("cap", 6), ("bounds", 20)]))
@pytest.mark.slow
def test_no_statement_is_longer_than_databases_take(measures: str, targets: int) -> None:
    exclusions = {
        "exclude_missing": ["sex", "t 1"],
        "exclude_level": {"t 0": ["none"]},
        "max_cell": 5,
    }
    files = sqlrisk.compile_sql(
        "people", [f"made_{number}" for number in range(9)], dialect="clickhouse",
        keys=["sex", "age"], targets=[f"t {number}" for number in range(targets)],
        control="held_back", measures=[measures], **exclusions,
    )  # fmt: skip
    longest = max(len(each) for name in PARTS for each in files[name].split(";\n"))
    assert 1000 < longest < LONGEST


def test_a_run_over_few_records_asks_five_syntheses_little_more_than_one() -> None:
    made = [
        pa.table({"sex": [0, 0, 1, 1], "ill": [0, seed % 2, 1, 1], "job": [0, 1, 2, 2]})
        for seed in range(6)
    ]

    def asked(syntheses: int) -> int:
        found: list[str] = []
        question = ask(
            made[0], made[1 : syntheses + 1], {"keys": ["sex"], "targets": ["ill", "job"]}
        )
        with DuckDB() as engine:
            scoring.score(question, Session(engine, trace=lambda sql, _: found.append(sql)))
        return sum(not sql.startswith("DROP") for sql in found)

    assert asked(5) == asked(1) + 2  # the table of comparisons, and mean, min and max
