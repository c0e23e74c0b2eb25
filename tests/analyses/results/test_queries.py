"""SQL over an open release: each table and view has the columns and rows that a saved run of the
same files has, each question is one statement, and a statement can only read.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.saved_runs import open_saved
from sqlrisk.catalogue.user_queries import needed, with_queries
from sqlrisk.engines.duckdb import DuckDB
from tests.analyses.results import test_saved

REFUSALS = (
    *("DROP TABLE classes", "DROP TABLE people", "CREATE TABLE x AS SELECT 1"),
    *("CREATE VIEW people AS SELECT 1", "UPDATE results SET value = 0", "DELETE FROM records"),
    *("INSERT INTO files SELECT * FROM files", "SELECT 1; DROP TABLE records", "", "SELEC 1"),
    *("SELECT * INTO x FROM people", "SELECT nothing FROM people", "SELECT * FROM nothing"),
)
OF_DUCKDB = (
    *("COPY results TO 'out.csv'", "ATTACH 'new.duckdb'", "SET threads = 1", "USE temp"),
    *("EXPLAIN ANALYZE DELETE FROM records", "SELECT CAST(sex AS INTEGER) FROM people"),
    *("SELECT * FROM '/etc/passwd'", "SELECT * FROM read_text('other.txt')"),
)
Asked = tuple[Path, dict[str, sqlrisk.Listing]]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A folder of files, and what a saved run of them has, by name."""
    folder = tmp_path_factory.mktemp("saved")
    for seed in (1, 2, 3):
        pq.write_table(test_saved.file(seed), folder / f"{seed}.parquet")
    path = str(folder / "risk.duckdb")
    sqlrisk.score(*files(folder), **test_saved.SETTINGS, save=path)
    with open_saved(path) as run:
        names = [name for (name,) in run.query("SHOW TABLES").rows]
        return folder, {name: run.query(f"SELECT * FROM {name}") for name in names}


def files(folder: Path) -> tuple[str, list[str]]:
    return str(folder / "1.parquet"), [str(folder / f"{seed}.parquet") for seed in (2, 3)]


class Open:
    """A release of the files, and the statements that it has run."""

    def __init__(self, folder: Path, engine: Any = "duckdb", **how: Any) -> None:
        self.run: list[str] = []
        self.release = sqlrisk.Release(
            *files(folder),
            **test_saved.SETTINGS,
            engine=engine,
            trace=lambda sql, _: self.run.append(sql),
            **how,
        )

    def __call__(self, statement: str) -> list[Any]:
        return self.release.query(statement).rows


@pytest.fixture(scope="module")
def opened(saved: Asked) -> Iterator[Open]:
    one = Open(saved[0])
    with one.release:
        yield one


def plain(rows: Any) -> list[str]:
    """Rows in an order of their own, without what databases write differently of a number."""
    return sorted(
        repr([f"{each:.9g}" if isinstance(each, int | float) else each for each in map(known, row)])
        for row in rows
    )


def known(value: Any) -> Any:
    if value in ("true", "false"):  # of a database without booleans, where others are 0 and 1
        return value == "true"
    return None if isinstance(value, float) and math.isnan(value) else value


def answers_as_a_saved_run(one: Open, saved: Asked) -> None:
    """All that can be asked has the columns and rows of a saved run, in a statement each."""
    _, expected = saved
    assert {name for (name,) in one("SHOW TABLES")} == {*expected}
    one.run.clear()
    for name, listing in expected.items():
        found = one.release.query(f"SELECT * FROM {name}")
        assert found.columns == listing.columns, name
        # what it says of the run names the files of this one
        assert name == "about" or plain(found.rows) == plain(listing.rows), name
    assert one.run == [f"SELECT * FROM {name}" for name in expected]


def refuses(one: Open, statements: tuple[str, ...]) -> None:
    before = one("SELECT COUNT(*) FROM records"), one("SHOW TABLES")
    for statement in statements:
        with pytest.raises(sqlrisk.InputError, match="The query cannot be run") as told:
            one(statement)
        assert "'f'" not in str(told.value), statement
    assert (one("SELECT COUNT(*) FROM records"), one("SHOW TABLES")) == before


@pytest.mark.slow
def test_it_answers_as_a_saved_run(opened: Open, saved: Asked) -> None:
    answers_as_a_saved_run(opened, saved)


def test_it_only_reads(opened: Open, saved: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(saved[0])
    Path("other.txt").write_text("nobody's", encoding="utf-8")
    refuses(opened, (*REFUSALS, *OF_DUCKDB))
    assert not {"out.csv", "new.duckdb"} & {path.name for path in saved[0].iterdir()}


@pytest.mark.parametrize(
    "statement",
    few(
        [
            "WITH own AS (SELECT * FROM people) SELECT COUNT(*) FROM own",
            "/* a */ with recursive n(i) AS (SELECT 300 UNION SELECT i FROM n, People) FROM n",
            "-- first\nSELECT COUNT(*) FROM record_risk WHERE synthesis = '1';\n",
            "(SELECT COUNT(*) FROM people) UNION SELECT COUNT(*) FROM people",
            "SELECT (SELECT COUNT(*) FROM people), 'WITH'",
        ],
        2,
    ),
)
def test_a_statement_is_taken_as_it_is_written(opened: Open, statement: str) -> None:
    ((found, *_),) = opened(statement)
    assert found == 300


def test_tables_are_described(opened: Open, saved: Asked) -> None:
    described = opened("DESCRIBE people;")
    assert [name for name, *_ in described] == saved[1]["people"].columns
    assert opened("SUMMARIZE people")[0][0] == "record"


@pytest.mark.slow
def test_after_another_question_it_answers_the_same(opened: Open, saved: Asked) -> None:
    statement = "SELECT * FROM risky_disco"
    opened(statement)
    opened.release.score(["iS"])
    opened.release.sweep()
    assert plain(opened(statement)) == plain(saved[1]["risky_disco"].rows)
    opened.run.clear()
    opened(statement)
    assert opened.run == [statement]


def test_files_are_encoded_once_for_scores_and_queries(saved: Asked) -> None:
    one = Open(saved[0])
    with one.release as release:
        release.score()
        one.run.clear()
        one("SELECT * FROM people")
    made = {sql.split(" AS")[0].split()[-1] for sql in one.run if sql.startswith("CREATE")}
    encoded = {"levels_k1", "levels_t2", "records", "files", "marginals_t1"}
    assert not made & {*encoded, "classes", "cells_t1", "cells_t2", "class_parts", "cell_parts"}


@pytest.mark.slow
def test_in_several_passes(saved: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDB, "passes", lambda *_, **__: 3)
    one = Open(saved[0])
    with one.release as release:
        answers_as_a_saved_run(one, saved)
        release.score(["iS"])
        assert plain(one("FROM classes")) == plain(saved[1]["classes"].rows)


@pytest.mark.parametrize(
    ("statement", "expected"),
    few(
        [
            ("SELECT 1", "WITH a AS (\nx\n)\nSELECT 1"),
            ("with b AS (c) d", "WITH a AS (\nx\n),\nb AS (c) d"),
            ("-- WITH\nWITH RECURSIVE b", "WITH RECURSIVE a AS (\nx\n),\nb"),
            ("WITHIN", "WITH a AS (\nx\n)\nWITHIN"),
        ],
        4,
    ),
)
def test_ours_stand_before_those_of_the_user(statement: str, expected: str) -> None:
    assert with_queries(statement, {"a": "x"}) == expected
    assert with_queries(statement, {}) == statement


def test_only_what_is_read_is_written() -> None:
    queries = {"a": "FROM a", "b": "FROM a", "c": "FROM x", "d": "FROM b JOIN y"}
    assert [*needed({"D"}, queries)] == ["a", "b", "d"]
    assert [*needed({"c", "z"}, queries)] == ["c"]
