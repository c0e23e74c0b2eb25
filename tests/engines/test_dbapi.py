"""Databases by their DB-API drivers: tables where they are, whose the connection is, what is left
behind, and every message.
"""

import dataclasses
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import nullcontext, suppress
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import compiled
import duckdb
import forks
import pg8000.dbapi
import psycopg
import pyarrow as pa
import pymysql
import pytest
import sqlglot
from agreement import agree
from quickly import few, some
from servers import Server
from waiting import until

import sqlrisk
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.translation import translate
from sqlrisk.engines.connect import EngineOptions
from sqlrisk.engines.dbapi import connections, products
from sqlrisk.engines.dbapi.addresses import ADDRESSES
from sqlrisk.engines.dbapi.session import DbApi

KINDS = {
    "sex": "text",
    "age": "int",
    "town": "text",
    "ill": "text",
    "income": "bigint",
    "weight": "double",
    "person": "bigint",
}
ASKED: dict[str, Any] = {
    "keys": ["sex", "age", "town"],
    "targets": ["ill", "income"],
    "measures": ["identity", "attribute", "cap", "GCAP"],
    **compiled.EXCLUSIONS,
}
# What its users would write in the place of these types.
WRITTEN = {
    "clickhouse": {
        "text": "Nullable(String)",
        "int": "Nullable(Int32)",
        "bigint": "Nullable(UInt8)",
        "double": "Float64",
    },
    "mariadb": {"text": "varchar(20)", "bigint": "tinyint unsigned"},
    "pg8000": {"double": "double precision", "text": "varchar(20)"},
    "snowflake": {"bigint": "number(3, 0)"},
}
EACH = ("sqlite", "duckdb", "pg8000", "clickhouse", "mariadb", "snowflake")


def people(seed: int) -> pa.Table:
    return compiled.people(seed).select(list(KINDS))


@cache
def expected() -> sqlrisk.Report:
    """What DuckDB counts, once for all databases."""
    return sqlrisk.score(people(0), people(1), **ASKED)


def expected_of(**more: Any) -> sqlrisk.Report:
    return sqlrisk.score(people(0), people(1), **{**ASKED, **more})


def fill(
    connection: Any, engine: str, table: str, frame: pa.Table, kinds: dict[str, str] | None = None
) -> None:
    """Make a table as its users would."""
    written = WRITTEN.get(engine, {})
    columns = ", ".join(
        f"{name} {written.get(kind, kind)}" for name, kind in (kinds or KINDS).items()
    )
    cursor = connection.cursor() if engine != "duckdb" else connection
    cursor.execute(
        f"CREATE TABLE {table} ({columns}){' ENGINE = Memory' if engine == 'clickhouse' else ''}"
    )
    mark = "?" if engine in ("sqlite", "duckdb") else "%s"
    rows = [
        tuple(row) for row in zip(*(column.to_pylist() for column in frame.columns), strict=True)
    ]
    cursor.executemany(
        f"INSERT INTO {table} VALUES ({', '.join(mark for _ in frame.column_names)})", rows
    )


@pytest.fixture(params=some(["mariadb"], EACH))
def given(request: pytest.FixtureRequest) -> Any:
    """A connection of the user's that holds the tables people and made."""
    engine = request.param
    connection = request.getfixturevalue(f"on_{engine}")["engine"]
    cursor = connection if engine == "duckdb" else connection.cursor()
    for name, seed in (("people", 0), ("made", 1)):
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        fill(connection, engine, name, people(seed))
    connection.commit()
    return connection


def names_left(connection: Any) -> list[Any]:
    """What a run has left of its tables."""
    kind = type(connection).__module__.partition(".")[0]
    sql = {
        "sqlite3": "SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_temp_master",
        "_duckdb": (
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
        ),
        "duckdb": (
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"
        ),
        "pg8000": "SELECT relname FROM pg_class",
        "chdb": "SELECT name FROM system.tables",
        "pymysql": "SELECT table_name FROM information_schema.tables",
        "snowflake": "SHOW TABLES",
    }[kind]
    cursor = connection if "duckdb" in kind else connection.cursor()
    cursor.execute(sql)
    return [row for row in cursor.fetchall() if "sqlrisk" in str(row).lower()]


def test_tables_where_they_are(given: Any) -> None:
    """A collation of MariaDB's tables that merges levels is not heard; unsigned and narrow numbers
    meet others.
    """
    found = sqlrisk.score("people", "made", engine=given, **ASKED)
    assert agree(found.results, expected().results)
    assert [
        found.engine[name]
        for name in ("case_folded", "trailing_blanks_ignored", "empty_text_missing")
    ] == [False] * 3
    assert names_left(given) == []


@pytest.mark.slow
def test_a_connection_with_the_name_of_a_table(given: Any) -> None:
    found = sqlrisk.score((given, "people"), people(1), **ASKED)
    assert agree(found.results, expected().results)
    assert names_left(given) == []


def test_no_table_stays_in_a_schema(on_sqlite: dict[str, Any]) -> None:
    fill(on_sqlite["engine"], "sqlite", "people", people(0))
    with pytest.raises(
        sqlrisk.InputError, match="'main' is a schema, and SQLite cannot keep tables"
    ):
        sqlrisk.score("people", people(1), **on_sqlite, **ASKED, save="main")
    assert names_left(on_sqlite["engine"]) == []


@pytest.mark.slow
def test_names_match_as_the_database_would(
    on_snowflake: dict[str, Any], on_mariadb: dict[str, Any]
) -> None:
    """Snowflake stores capitals, which a scenario may write in small letters, or in capitals;
    MariaDB knows no difference.
    """
    connection = on_snowflake["engine"]
    fill(connection, "snowflake", "known", people(0))
    fill(connection, "snowflake", "drawn", people(1))
    asked: dict[str, Any] = {"keys": ["sex", "age"], "measures": ["identity", "DiSCO"]}
    small = sqlrisk.score("known", "drawn", engine=connection, targets=["ill"], **asked)
    large = sqlrisk.score(
        "known", "drawn", engine=connection, **{**asked, "keys": ["SEX", "AGE"]}, targets=["ILL"]
    )
    beside = sqlrisk.score("known", people(1), engine=connection, targets=["ill"], **asked)
    told = expected_of(
        **asked,
        targets=["ill"],
        exclude_pair=[],
        exclude_level={},
        exclude_missing=[],
        max_cell=None,
        max_cell_syn=None,
    )
    assert agree(small.results, told.results)
    assert agree(beside.results, told.results)
    assert [row["numerator"] for row in large.results] == [row["numerator"] for row in told.results]
    assert {row["target"] for row in large.results} == {None, "ILL"}
    every = sqlrisk.score("known", "drawn", engine=connection, **{**asked, "keys": ["SEX", "age"]})
    assert {row["target"] for row in every.results} == {
        None,
        "town",
        "ill",
        "income",
        "weight",
        "person",
    }
    mixed = 'CREATE TABLE "Mixed" ("Sex" text, y text)'
    connection.cursor().execute(mixed)
    with pytest.raises(sqlrisk.InputError, match="no file has a column 'SEX'"):
        sqlrisk.score('"Mixed"', '"Mixed"', engine=connection, keys=["SEX"], targets=["y"])
    with pytest.raises(sqlrisk.InputError, match="'Mixed' cannot be read: its name needs quotes"):
        sqlrisk.score("Mixed", "Mixed", engine=connection, keys=["sex"], targets=["y"])
    other = on_mariadb["engine"]
    with other.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS known")
    fill(other, "mariadb", "known", people(0))
    found = sqlrisk.score(
        "known",
        people(1).rename_columns([each.upper() for each in KINDS]),
        engine=other,
        keys="SEX,AGE",
        targets="ILL",
        measures="identity,DiSCO",
    )
    assert [row["numerator"] for row in found.results] == [row["numerator"] for row in told.results]


def test_names_of_columns_to_compare_match_as_the_database_would(
    on_sqlite: dict[str, Any],
) -> None:
    kinds = {name.upper(): kind for name, kind in KINDS.items()}
    for name, seed in (("people", 0), ("made", 1)):
        fill(on_sqlite["engine"], "sqlite", name, people(seed), kinds)
    asked: dict[str, Any] = {"columns": ["age", "sex"], "bins": {"age": 3}}
    found = sqlrisk.utility("people", "made", **asked, **on_sqlite)
    assert agree(found.tables, sqlrisk.utility(people(0), people(1), **asked).tables)
    roles = {"weight": {"role": "weight"}, "person": {"role": "identifier"}}
    found = sqlrisk.utility("people", "made", column=roles, ways=1, **on_sqlite)
    assert found.scenario["columns"] == ["SEX", "AGE", "TOWN", "ILL", "INCOME"]


def test_a_transaction_of_the_user_goes_on(postgres_server: Server, tmp_path: Path) -> None:
    with pg8000.dbapi.connect(
        postgres_server.user, host="127.0.0.1", port=postgres_server.port, database="postgres"
    ) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE mine AS SELECT 1 AS x")
        assert agree(
            sqlrisk.score(people(0), people(1), engine=connection, **ASKED).results,
            expected().results,
        )
        with pytest.raises(sqlrisk.InputError, match="There is no table 'nobody'"):
            sqlrisk.score("nobody", "nobody", engine=connection, **ASKED)
        cursor.execute("SELECT x FROM mine")
        assert cursor.fetchall() == ([1],)
        connection.rollback()
        cursor.execute("SELECT to_regclass('mine')")
        assert cursor.fetchall() == ([None],)  # it was theirs to end
    connection = sqlite3.connect(tmp_path / "theirs.db")
    connection.execute("CREATE TABLE mine (x)")
    connection.execute("INSERT INTO mine VALUES (1)")
    sqlrisk.score(people(0), people(1), engine=connection, **ASKED)
    states = [connection.in_transaction]
    connection.rollback()
    assert connection.execute("SELECT COUNT(*) FROM mine").fetchone() == (0,)
    sqlrisk.score(people(0), people(1), engine=connection, **ASKED)
    assert [*states, connection.in_transaction] == [True, False]
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["pg8000", "psycopg"])
def test_a_failed_transaction_of_the_user_is_theirs_to_end(
    driver: str, postgres_server: Server
) -> None:
    given = {"host": "127.0.0.1", "port": postgres_server.port, "user": postgres_server.user}
    opened: Any = (
        pg8000.dbapi.connect(database="postgres", **given)
        if driver == "pg8000"
        else psycopg.connect(dbname="postgres", **given)
    )
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["ill"], "measures": ["UiO"]}
    with opened as connection:
        with pytest.raises((pg8000.dbapi.Error, psycopg.Error)):
            connection.cursor().execute("SELECT 1 / 0")
        with pytest.raises(sqlrisk.InputError, match=r"has failed .* call its rollback\(\) first"):
            sqlrisk.score(people(0), people(1), engine=connection, **asked)
        connection.rollback()
        assert agree(
            sqlrisk.score(people(0), people(1), engine=connection, **asked).results,
            sqlrisk.score(people(0), people(1), **asked).results,
        )


def test_a_connection_of_the_user_whose_rows_are_dicts() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = lambda cursor, row: {
        name: value for (name, *_), value in zip(cursor.description, row, strict=True)
    }
    with DbApi(connection) as engine:
        assert engine.version() == sqlite3.sqlite_version
        assert engine.run("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'") == [(1, "x"), (2, "y")]
        with pytest.raises(sqlrisk.InputError, match="rows as dicts, which lose columns of the"):
            engine.run("SELECT 1 AS a, 2 AS a")
    connection.close()


def test_a_second_table_of_one_name_replaces_the_first(on_sqlite: dict[str, Any]) -> None:
    with DbApi(on_sqlite["engine"]) as engine:
        session = Session(engine)
        for number in (1, 2):
            session.load("heads", pa.table({"head": [number, 3]}))
            assert session.fetch("SELECT head FROM heads ORDER BY head") == [(number,), (3,)]


@pytest.mark.slow
def test_settings_of_the_user_are_put_back(
    on_mariadb: dict[str, Any], on_clickhouse: dict[str, Any]
) -> None:
    for connection, asking in (
        (
            on_mariadb["engine"],
            (
                "SELECT @@sql_mode, @@time_zone, @@collation_connection, @@join_cache_level, "
                "@@max_sort_length, @@in_transaction"
            ),
        ),
        (
            on_clickhouse["engine"],
            (
                "SELECT name, value FROM system.settings WHERE name IN ('join_use_nulls', "
                "'union_default_mode', 'session_timezone')"
            ),
        ),
    ):
        cursor = connection.cursor()
        cursor.execute(asking)
        before = cursor.fetchall()
        sqlrisk.score(people(0), people(1), engine=connection, **ASKED)
        cursor.execute(asking)
        assert cursor.fetchall() == before


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["postgresql", "pg8000"])
def test_texts_do_not_depend_on_settings_of_the_user(
    driver: str, request: pytest.FixtureRequest
) -> None:
    """A year is cut out of the text of a date, and a number of 4 bytes is read by its text."""
    given = request.getfixturevalue(f"on_{driver}")["engine"]
    born = [date(2019, 12, 31), date(2020, 1, 31), date(2020, 1, 31), date(2020, 3, 31)]
    size = pa.array([123456.7, 123456.8, 123456.8, 1.5], pa.float32())
    file = pa.table({"born": born, "size": size, "ill": list("abbc")})
    column = {"born": {"date": "year"}, "size": {"bands": [0, 123456.75]}}
    asked: dict[str, Any] = {"keys": ["born", "size"], "targets": ["ill"], "column": column}
    with nullcontext(given) if driver == "pg8000" else psycopg.connect(given) as connection:
        fill(connection, "pg8000", "born", file, {"born": "date", "size": "real", "ill": "text"})
        cursor = connection.cursor()
        cursor.execute("SET DateStyle = 'German'")
        cursor.execute("SET extra_float_digits = 0")
        found = sqlrisk.cells("DiSCO", "born", "born", engine=connection, **asked).rows
        cursor.execute("SELECT current_setting('DateStyle'), current_setting('extra_float_digits')")
        assert [*cursor.fetchone()] == ["German, DMY", "0"]
        connection.rollback()
    assert found == sqlrisk.cells("DiSCO", file, file, **asked).rows
    assert {row[:2] for row in found} == {
        ("2020", "123456.75+"), ("2019", "[0,123456.75)"), ("2020", "[0,123456.75)"),
    }  # fmt: skip


def test_texts_do_not_depend_on_the_character_set_of_the_user(
    on_mariadb: dict[str, Any], mariadb_server: int
) -> None:
    file = pa.table({"town": ["Köln", "Łódź", "Łódź", "Bonn"], "ill": list("abba")})
    on_mariadb["engine"].cursor().execute("DROP TABLE IF EXISTS towns")
    kinds = dict.fromkeys(file.column_names, "varchar(20) CHARACTER SET utf8mb4")
    fill(on_mariadb["engine"], "mariadb", "towns", file, kinds)
    on_mariadb["engine"].commit()
    asked: dict[str, Any] = {"keys": ["town"], "targets": ["ill"]}
    expected = sqlrisk.cells("DiSCO", file, file, **asked).rows
    assert {row[0] for row in expected} == {"Köln", "Łódź", "Bonn"}
    told = {"charset": "latin1", "collation": "latin1_german1_ci", "database": "work"}
    with (
        pymysql.connect(host="127.0.0.1", port=mariadb_server, user="root", **told) as connection,
        connection.cursor() as cursor,
    ):
        for files in (("towns", "towns"), ("towns", file), (file, "towns")):
            assert sqlrisk.cells("DiSCO", *files, engine=connection, **asked).rows == expected
        assert (connection.encoding, connection.collation) == ("cp1252", told["collation"])
        cursor.execute("SELECT @@character_set_client, @@collation_connection, 'ö'")
        assert cursor.fetchone() == ("latin1", told["collation"], "ö")


SEEN = ["2019-12-31 23:30:00", "2020-01-01 00:30:00", "2020-01-01 00:30:00", "2020-07-01 12:00:00"]
ZONED = {  # how the user's session has another zone than UTC, and the type of an instant
    "duckdb": ("SET TimeZone = 'America/New_York'", "timestamptz"),
    "pg8000": ("SET TIME ZONE 'America/New_York'", "timestamp(3) with time zone"),
    "mariadb": ("SET time_zone = '-05:00'", "timestamp"),
    "snowflake": ("SELECT 1", "timestamp_tz"),  # the emulator knows no zones of sessions
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", some(["mariadb"], ZONED))
def test_instants_of_a_table_are_those_of_files(
    engine: str, request: pytest.FixtureRequest
) -> None:
    """They are read in UTC, whatever the zone of the session; against a time without a zone they
    are refused.
    """
    connection = request.getfixturevalue(f"on_{engine}")["engine"]
    cursor = connection if engine == "duckdb" else connection.cursor()
    elsewhere, kind = ZONED[engine]
    cursor.execute("DROP TABLE IF EXISTS seen")
    cursor.execute(f"CREATE TABLE seen (seen {kind}, ill varchar(9))")
    cursor.execute("SET time_zone = '+00:00'" if engine == "mariadb" else "SELECT 1")
    offset = "" if engine == "mariadb" else "+00:00"
    rows = ", ".join(
        f"('{moment}{offset}', '{ill}')" for moment, ill in zip(SEEN, "abbb", strict=True)
    )
    cursor.execute(f"INSERT INTO seen VALUES {rows}")
    cursor.execute(elsewhere)
    moments = pa.array(SEEN).cast(pa.timestamp("us"))
    file = pa.table({"seen": moments.cast(pa.timestamp("us", "UTC")), "ill": list("abbb")})
    for more in ({}, {"column": {"seen": {"date": "year"}}}):
        asked: dict[str, Any] = {"keys": ["seen"], "targets": ["ill"], **more}
        expected = sqlrisk.cells("DiSCO", file, file, **asked).rows
        assert len(expected) == (2 if more else 3)
        for files in (("seen", "seen"), ("seen", file), (file, "seen")):
            assert sqlrisk.cells("DiSCO", *files, engine=connection, **asked).rows == expected
    with pytest.raises(
        sqlrisk.InputError, match="Times with and without a time zone cannot be compared"
    ):
        sqlrisk.score("seen", file.set_column(0, "seen", moments), engine=connection, keys=["seen"])
    cursor.execute("DROP TABLE seen")


@pytest.mark.parametrize("engine", some(["sqlite"], ["sqlite", "clickhouse"]))
def test_instants_in_a_database_without_times(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """There they are texts in UTC, those of a CSV file too; and still meet no time
    without a zone.
    """
    where = request.getfixturevalue(f"on_{engine}")
    moments = pa.array(SEEN).cast(pa.timestamp("us"))
    file = pa.table({"seen": moments.cast(pa.timestamp("us", "UTC")), "ill": list("abbb")})
    plain = file.set_column(0, "seen", moments)
    texts = {name: str(tmp_path / f"{name}.csv") for name in ("z", "bare", "true")}
    for name, end in (("z", "Z"), ("bare", "")):
        lines = [
            f"{moment.replace(' ', 'T')}{end},{ill}\n"
            for moment, ill in zip(SEEN, "abbb", strict=True)
        ]
        Path(texts[name]).write_text("seen,ill\n" + "".join(lines), encoding="utf-8")
    asked: dict[str, Any] = {"keys": ["seen"], "targets": ["ill"]}
    for one, text in ((file, texts["z"]), (plain, texts["bare"])):
        expected = sqlrisk.cells("DiSCO", one, one, **asked).rows
        assert len(expected) == 3
        assert [
            tuple(map(str, row)) for row in sqlrisk.cells("DiSCO", one, text, **where, **asked).rows
        ] == [tuple(map(str, row)) for row in expected]
    for files in (
        (file, plain),
        (plain, texts["z"]),
        (texts["bare"], file),
        (texts["bare"], texts["z"]),
    ):
        with pytest.raises(
            sqlrisk.InputError, match="Times with and without a time zone cannot be compared"
        ):
            sqlrisk.score(*files, **where, keys=["seen"])
    Path(texts["true"]).write_text("seen,ill\nT,a\nf,b\nT,a\n", encoding="utf-8")
    booleans = pa.table({"seen": [True, False, True], "ill": ["a", "b", "a"]})
    assert len(sqlrisk.cells("DiSCO", booleans, texts["true"], **where, **asked).rows) == 2


@pytest.mark.parametrize("kind", some(["engine"], ["engine", "connection"]))
@pytest.mark.parametrize(
    "driver", some(["sqlite"], ["sqlite", "postgresql+pg8000", "mysql+pymysql"])
)
def test_sqlalchemy(
    driver: str, kind: str, tmp_path: Path, postgres_server: Server, mariadb_server: int
) -> None:
    import sqlalchemy

    address = {
        "sqlite": f"sqlite:///{tmp_path / 'x.db'}",
        "postgresql+pg8000": postgres_server.address().replace("postgresql:", "postgresql+pg8000:"),
        "mysql+pymysql": f"mysql+pymysql://root@127.0.0.1:{mariadb_server}/mysql",
    }[driver]
    engine = sqlalchemy.create_engine(address)
    given = engine if kind == "engine" else engine.connect()
    assert agree(
        sqlrisk.score(people(0), people(1), engine=given, **ASKED).results, expected().results
    )
    if kind == "connection":
        assert given.execute(sqlalchemy.text("SELECT 1")).scalar() == 1
        given.close()
    engine.dispose()


@pytest.mark.slow
def test_who_may_only_read_and_make_temporary_tables(
    mariadb_server: int, postgres_server: Server, tmp_path: Path
) -> None:
    with (
        pymysql.connect(
            host="127.0.0.1", port=mariadb_server, user="root", autocommit=True
        ) as root,
        root.cursor() as cursor,
    ):
        for statement in ("DROP DATABASE IF EXISTS census", "CREATE DATABASE census", "USE census"):
            cursor.execute(statement)
        fill(root, "mariadb", "people", people(0))
        fill(root, "mariadb", "made", people(1))
        cursor.execute("CREATE OR REPLACE USER reader@'127.0.0.1'")
        cursor.execute("GRANT SELECT ON census.* TO reader@'127.0.0.1'")
        address = f"mariadb://reader@127.0.0.1:{mariadb_server}/census"
        with pytest.raises(
            sqlrisk.EngineError,
            match=r"MariaDB failed.*check that this user may .* make temporary tables",
        ):
            sqlrisk.score("people", "made", engine=address, **ASKED)
        cursor.execute("GRANT CREATE TEMPORARY TABLES ON census.* TO reader@'127.0.0.1'")
        assert agree(
            sqlrisk.score("people", "made", engine=address, **ASKED).results, expected().results
        )
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as connection:
        fill(connection, "sqlite", "people", people(0))
        fill(connection, "sqlite", "made", people(1))
    connection.close()
    path.chmod(0o400)
    before = path.read_bytes()
    assert agree(
        sqlrisk.score("people", "made", engine=f"sqlite:///{path}", **ASKED).results,
        expected().results,
    )
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["people.db"]
    with psycopg.connect(postgres_server.address(), autocommit=True) as root:
        root.execute("DROP ROLE IF EXISTS a_reader")
        root.execute("CREATE ROLE a_reader LOGIN")
    with pg8000.dbapi.connect(
        "a_reader", host="127.0.0.1", port=postgres_server.port, database="postgres"
    ) as reader:
        assert agree(
            sqlrisk.score(people(0), people(1), engine=reader, **ASKED).results, expected().results
        )


def run(*arguments: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "sqlrisk", "score", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def opened(pid: int, path: Path) -> bool:
    """Whether a process holds a file open."""
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(each.readlink())
    return path in found


@pytest.fixture
def census(mariadb_server: int) -> Any:
    """A connection of an administrator to a database with the tables people and made, and a slow
    view of them.
    """
    with (
        pymysql.connect(
            host="127.0.0.1", port=mariadb_server, user="root", autocommit=True
        ) as root,
        root.cursor() as cursor,
    ):
        for statement in ("DROP DATABASE IF EXISTS census", "CREATE DATABASE census", "USE census"):
            cursor.execute(statement)
        fill(root, "mariadb", "people", people(0))
        fill(root, "mariadb", "made", people(1))
        cursor.execute("CREATE VIEW slow AS SELECT sex, age, ill, SLEEP(0.2) AS income FROM people")
        yield root


@pytest.mark.slow
def test_two_runs_side_by_side_do_not_meet(
    census: Any, mariadb_server: int, tmp_path: Path
) -> None:
    arguments = (
        "people", "made", "--keys", "sex,age", "--targets", "ill", "--scratch", "census",
        "--format", "json",
        "--engine", f"mariadb://root@127.0.0.1:{mariadb_server}/census",
    )  # fmt: skip
    both = [run(*arguments, folder=tmp_path) for _ in range(2)]
    found = [json.loads(each.communicate()[0]) for each in both]
    assert agree(found[0], found[1])
    assert agree(
        found[0]["results"],
        sqlrisk.score(people(0), people(1), keys="sex,age", targets="ill").results,
    )
    assert names_left(census) == []


@pytest.mark.slow
@pytest.mark.parametrize("scratch", some([("--scratch", "census")], [(), ("--scratch", "census")]))
def test_a_cancelled_run_leaves_nothing(
    scratch: tuple[str, ...], census: Any, mariadb_server: int, tmp_path: Path
) -> None:
    address = f"mariadb://root@127.0.0.1:{mariadb_server}/census"
    running = run(
        "slow",
        "slow",
        "--keys",
        "sex",
        "--targets",
        "income",
        "--engine",
        address,
        *scratch,
        folder=tmp_path,
    )
    asking = (
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%slow%' AND id "
        "<> CONNECTION_ID()"
    )
    with census.cursor() as cursor:
        until(lambda: cursor.execute(asking) and cursor.fetchone()[0])
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
        assert (running.returncode, out) == (130, ""), err
        cursor.execute(asking)
        assert cursor.fetchone()[0] == 0
    assert names_left(census) == []


@pytest.mark.parametrize("error", few([KeyboardInterrupt, ValueError], 2))
def test_nothing_is_left_whatever_stops_a_run(error: type[BaseException], given: Any) -> None:
    def stop(stage: str, *_: object) -> None:
        if stage == "classes":
            raise error

    with pytest.raises(error):
        sqlrisk.score("people", people(1), engine=given, progress=stop, **ASKED)
    assert names_left(given) == []
    assert sqlrisk.score("people", "made", engine=given, **ASKED).results


def test_ctrl_c_stops_a_statement_of_sqlite(tmp_path: Path) -> None:
    """Its connection is of one thread, which asks as it counts whether to go on."""
    with sqlite3.connect(tmp_path / "slow.db") as connection:
        connection.execute(
            "CREATE VIEW slow AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r "
            "WHERE n < 1000000000) SELECT n % 5 AS sex, n % 7 AS income FROM r"
        )
    connection.close()
    running = run(
        "slow",
        "slow",
        "--keys",
        "sex",
        "--targets",
        "income",
        "--engine",
        "sqlite:///slow.db",
        folder=tmp_path,
    )
    until(lambda: opened(running.pid, tmp_path / "slow.db"))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert (running.returncode, out) == (130, ""), err
    assert [each.name for each in tmp_path.iterdir()] == ["slow.db"]


def disconnect(census: Any) -> None:
    """End all other connections to the database census."""
    with census.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() "
            "AND db = 'census'"
        )
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")


@pytest.mark.parametrize("scratch", some(["census"], [None, "census"]))
def test_a_lost_connection_leaves_nothing(
    scratch: str | None, census: Any, mariadb_server: int
) -> None:
    def lose(sql: str, seconds: float) -> None:
        if "classes" in sql:
            disconnect(census)

    with pytest.raises(sqlrisk.EngineError, match="The connection to MariaDB was lost"):
        sqlrisk.score(
            "people",
            "made",
            engine=f"mariadb://root@127.0.0.1:{mariadb_server}/census",
            scratch=scratch,
            trace=lose,
            **ASKED,
        )
    assert names_left(census) == []


@pytest.mark.slow
def test_a_connection_that_is_lost_before_a_table_is_dropped_ends_the_run(
    census: Any, mariadb_server: int
) -> None:
    """A new connection would lack the settings of the run."""
    where = {"engine": f"mariadb://root@127.0.0.1:{mariadb_server}/census", "scratch": "census"}
    run: list[str] = []
    sqlrisk.score("people", "made", **where, trace=lambda sql, seconds: run.append(sql), **ASKED)
    before = next(place for place, sql in enumerate(run) if sql.startswith("DROP TABLE"))
    statements = count(1)

    def lose(sql: str, seconds: float) -> None:
        if next(statements) == before:
            disconnect(census)

    with pytest.raises(sqlrisk.EngineError, match="The connection to MariaDB was lost"):
        sqlrisk.score("people", "made", **where, trace=lose, **ASKED)
    assert names_left(census) == []


def test_a_lost_connection_of_the_user_names_what_is_left(census: Any, mariadb_server: int) -> None:
    """Nobody can open it anew but they."""
    with pymysql.connect(
        host="127.0.0.1", port=mariadb_server, user="root", database="census"
    ) as theirs:

        def lose(sql: str, seconds: float) -> None:
            if "TABLE classes" in sql:
                with census.cursor() as cursor:
                    cursor.execute(f"KILL {theirs.thread_id()}")

        with pytest.raises(
            sqlrisk.EngineError, match=r"MariaDB was lost\. MariaDB could not drop the"
        ) as caught:
            sqlrisk.score("people", "made", engine=theirs, scratch="census", trace=lose, **ASKED)
        theirs.connect()  # for what closes it
    left = [name for (name,) in names_left(census)]
    assert left
    with census.cursor() as cursor:
        for name in left:
            assert f"census.{name}" in str(caught.value)
            cursor.execute(f"DROP TABLE {name}")


def test_ctrl_c_stops_a_statement_on_a_connection_of_the_user() -> None:
    asked = count()

    def stop() -> None:
        if next(asked) == 10:
            raise KeyboardInterrupt

    with duckdb.connect() as connection, DbApi(connection) as engine:
        engine.run("CREATE TABLE numbers AS SELECT 1 AS n")
        for _ in range(12):
            engine.run("INSERT INTO numbers SELECT n + 1 AS n FROM numbers")
        crossed = " CROSS JOIN ".join(f"numbers AS n{number}" for number in range(4))
        engine.on_wait = stop
        with pytest.raises(KeyboardInterrupt):
            engine.run(f"SELECT SUM(n0.n * n3.n) AS total FROM {crossed} WHERE n1.n <> n2.n")
        engine.on_wait = lambda: None
        assert engine.run("SELECT COUNT(*) AS n FROM numbers") == [(4096,)]


def test_a_collation_that_merges_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.table({"sex": ["a", "A", "a", "b"] * 9, "ill": ["x", "y", "x", "y"] * 9})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE folded (sex VARCHAR COLLATE NOCASE, ill VARCHAR)")
    connection.execute("INSERT INTO folded SELECT * FROM texts")
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["ill"], "measures": ["identity", "DiSCO"]}
    found = sqlrisk.score("folded", "folded", engine=connection, **asked)
    assert agree(found.results, sqlrisk.score(texts, texts, **asked).results)
    careless = dataclasses.replace(products.DUCKDB, bytes_of="{}")
    for package in ("duckdb", "_duckdb"):
        monkeypatch.setitem(connections._PRODUCT_OF, package, careless)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"DuckDB treats different levels as the same \(case_folded\): give these",
    ):
        sqlrisk.score("folded", "folded", engine=connection, **asked)
    connection.close()
    with sqlite3.connect(":memory:") as other:
        other.execute("CREATE TABLE folded (sex TEXT COLLATE NOCASE, ill TEXT COLLATE RTRIM)")
        other.executemany(
            "INSERT INTO folded VALUES (?, ?)", list(zip(*texts.to_pydict().values(), strict=True))
        )
        assert agree(
            sqlrisk.score("folded", "folded", engine=other, **asked).results, found.results
        )
    trimmed = dataclasses.replace(products.SQLITE, bytes_of="{}")
    monkeypatch.setitem(connections._PRODUCT_OF, "sqlite3", trimmed)
    # blanks at the end are no matter where there are none
    with sqlite3.connect(":memory:") as other:
        other.execute("CREATE TABLE trimmed (sex TEXT COLLATE RTRIM, ill TEXT)")
        other.executemany(
            "INSERT INTO trimmed VALUES (?, ?)", list(zip(*texts.to_pydict().values(), strict=True))
        )
        assert agree(
            sqlrisk.score("trimmed", "trimmed", engine=other, **asked).results, found.results
        )
        other.execute("UPDATE trimmed SET sex = 'a ' WHERE rowid = 1")
        with pytest.raises(
            sqlrisk.InputError, match=r"treats different levels .* \(trailing_blanks_ignored\)"
        ):
            sqlrisk.score("trimmed", "trimmed", engine=other, **asked)
    other.close()


def test_types_of_sqlite_are_those_of_its_values() -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(
            "CREATE TABLE kinds (n INTEGER, x, mixed INTEGER, day DATE, raw BLOB, none TEXT)"
        )
        rows = [
            (
                n % 3,
                n / 4 if n % 2 else 1,
                n if n % 2 else "x",
                f"2020-01-{1 + n % 9:02}",
                b"1",
                None,
            )
            for n in range(40)
        ]
        connection.executemany("INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", rows)
        table = pa.table(
            {
                "n": [row[0] for row in rows],
                "x": [float(row[1]) for row in rows],
                "day": [row[3] for row in rows],
                "none": pa.nulls(40, pa.string()),
            }
        )
        asked: dict[str, Any] = {
            "keys": ["n", "day"],
            "targets": ["x", "none"],
            "measures": ["identity", "attribute"],
        }
        found = sqlrisk.score("kinds", "kinds", engine=connection, **asked)
        assert agree(found.results, sqlrisk.score(table, table, **asked).results)
        for column, kind in (("mixed", "TEXT AMONG NUMBERS"), ("raw", "BLOB")):
            with pytest.raises(
                sqlrisk.InputError,
                match=f"'{column}' of 'kinds' holds {kind}, which cannot be loaded into SQLite",
            ):
                sqlrisk.score("kinds", "kinds", engine=connection, keys=["n"], targets=[column])
    connection.close()


def test_unsigned_numbers_of_mariadb_are_numbers(on_mariadb: dict[str, Any]) -> None:
    kinds = {
        "paid": "DECIMAL(10,2) UNSIGNED",
        "rate": "DOUBLE UNSIGNED",
        "code": "INT ZEROFILL",
        "due": "DECIMAL(6,1) ZEROFILL",
        "ill": "TEXT",
    }
    table = pa.table(
        {
            "paid": [Decimal("1.50"), Decimal("2.25"), Decimal("2.25")],
            "rate": [0.5, 1.5, 1.5],
            "code": [1, 2, 2],
            "due": [Decimal("7.5"), Decimal("8.5"), Decimal("8.5")],
            "ill": ["a", "b", "a"],
        }
    )
    with on_mariadb["engine"].cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS unsigned_numbers")
    fill(on_mariadb["engine"], "mariadb", "unsigned_numbers", table, kinds)
    asked: dict[str, Any] = {"keys": [*kinds][:-1], "targets": ["ill"], "measures": ["repU", "iS"]}
    found = sqlrisk.score("unsigned_numbers", table, **asked, **on_mariadb)
    assert [row["numerator"] for row in found.results] == [1, 3]
    assert agree(found.results, sqlrisk.score(table, table, **asked).results)


@pytest.mark.slow
def test_a_column_without_values_goes_with_any_type(
    on_sqlite: dict[str, Any], tmp_path: Path
) -> None:
    files = [str(tmp_path / f"{name}.csv") for name in ("original", "made", "blank")]
    for path, (first, second) in zip(files, (("3.0", "4.0"), ("3", "4"), ("", "")), strict=True):
        Path(path).write_text(f"income,ill\n{first},a\n{second},b\n", encoding="utf-8")
    original, *made = files
    asked: dict[str, Any] = {"keys": ["income"], "targets": ["ill"], "measures": ["repU"]}
    found = sqlrisk.score(original, made, **asked, **on_sqlite)
    numbers = {row["synthesis"]: row["numerator"] for row in found["repU"].rows}
    assert (numbers["1"], numbers["2"]) == (2, 0)
    binned = {**asked, "bins": {"income": 2}}
    found = sqlrisk.score(original, made, **binned, **on_sqlite)
    assert agree(found.results, sqlrisk.score(original, made, **binned).results)
    connection = on_sqlite["engine"]
    connection.execute("CREATE TABLE blank (income REAL, ill TEXT)")
    connection.execute("INSERT INTO blank VALUES (NULL, 'a'), (NULL, 'b')")
    found = sqlrisk.score(original, "blank", **asked, **on_sqlite)
    assert found["repU"].rows[0]["numerator"] == 0


def test_columns_that_a_database_cannot_hold_are_left_out_and_told(
    on_sqlite: dict[str, Any],
) -> None:
    connection = on_sqlite["engine"]
    connection.execute("CREATE TABLE people (sex TEXT, ill TEXT, photo BLOB, income REAL)")
    connection.executemany(
        "INSERT INTO people VALUES (?, ?, ?, ?)", [("f", "a", b"1", 1.5), ("m", "b", b"2", 2.5)]
    )
    file = pa.table(
        {
            "sex": ["f", "m"],
            "ill": ["a", "a"],
            "photo": ["1", "2"],
            "income": [Decimal("1.5"), Decimal("2.5")],
        }
    )
    report = sqlrisk.score("people", file, keys=["sex"], targets=["ill"], **on_sqlite)
    assert report.original["columns"] == ["photo"]
    assert report.synthetic[0]["columns"] == ["income"]


@pytest.mark.parametrize("columns", [["sex", "ill", "tags"], ["tags"]])
def test_lists_are_not_loaded(on_sqlite: dict[str, Any], columns: list[str]) -> None:
    rows = {"sex": ["f", "m"], "ill": ["a", "b"], "tags": [[1], [2]]}
    table = pa.table({name: rows[name] for name in columns})
    asked: dict[str, Any] = {"keys": columns[:1], "measures": "identity,copies"}
    if columns == ["tags"]:
        with pytest.raises(sqlrisk.InputError, match=r"'tags' .* holds lists or structures"):
            sqlrisk.score(table, table, **asked, **on_sqlite)
    else:
        found = sqlrisk.score(table, table, targets=["ill"], **asked, **on_sqlite)
        expected = sqlrisk.score(table, table, targets=["ill"], **asked)
        assert found["copied_people"].rows[0]["numerator"] == 2
        assert agree(found.results, expected.results)
    assert names_left(on_sqlite["engine"]) == []


@pytest.mark.slow
def test_an_enum_of_any_texts(on_mariadb: dict[str, Any]) -> None:
    rows = {"sex": ["f", "m", "m", "f"] * 5, "ill": ["a)", "(b", "c, d", "a)", "it's"] * 4}
    with on_mariadb["engine"].cursor() as cursor:
        cursor.execute(
            "CREATE TABLE sorted (sex ENUM('f', 'm'), ill ENUM('a)', '(b', 'c, d', 'it''s'))"
        )
        cursor.executemany(
            "INSERT INTO sorted VALUES (%s, %s)", list(zip(*rows.values(), strict=True))
        )
        asked: dict[str, Any] = {
            "keys": ["sex"],
            "targets": ["ill"],
            "measures": ["identity", "DiSCO"],
        }
        found = sqlrisk.score("sorted", "sorted", **on_mariadb, **asked)
        assert agree(found.results, sqlrisk.score(pa.table(rows), pa.table(rows), **asked).results)
        cursor.execute("DROP TABLE sorted")


@pytest.mark.parametrize(
    ("engine", "values", "message"),
    [
        ("mariadb", pa.array([1.0, float("inf")]), "MariaDB cannot hold an infinite number"),
        (
            "sqlite",
            pa.array([1.0, 2.0], pa.float32()),
            "'x' of .* holds FLOAT, which cannot be loaded into SQLite",
        ),
        pytest.param(
            "clickhouse",
            pa.array([0, 1], pa.date32()).cast(pa.int32()).cast(pa.date32()),
            "",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "clickhouse",
            pa.array([-40_000, 1], pa.int32()).cast(pa.date32()),
            "ClickHouse holds dates of the years 1900 to 2299",
            marks=pytest.mark.slow,
        ),
        (
            "pg8000",
            pa.array(["a", "b\0c"]),
            "text with a NUL character, which PostgreSQL cannot store",
        ),
    ],
)
def test_what_a_database_cannot_hold_is_refused(
    engine: str, values: Any, message: str, request: pytest.FixtureRequest
) -> None:
    table = pa.table({"sex": ["f", "m"], "x": values})
    where = request.getfixturevalue(f"on_{engine}")
    if not message:
        assert sqlrisk.score(table, table, keys=["sex"], targets=["x"], **where).results
        return
    with pytest.raises(sqlrisk.InputError, match=message) as raised:
        sqlrisk.score(table, table, keys=["sex"], targets=["x"], **where)
    assert "b\0c" not in str(raised.value)
    assert names_left(where["engine"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("pg8000", "begin with the same 63 bytes, and PostgreSQL cuts longer names"),
        ("mariadb", "has a name of 66 characters, and MariaDB takes 64; rename it"),
    ],
)
def test_names_that_a_database_cuts_or_refuses(
    engine: str, message: str, request: pytest.FixtureRequest
) -> None:
    """A file whose columns have long names is refused only if the question needs these columns."""
    first, second = (f"satisfied with {'the help ' * 5}{end}" for end in ("today ", "today?"))
    file = pa.table({"sex": ["f", "m", "m"], "ill": list("aab"), first: [1, 2, 3]})
    file = file.append_column(second, [[1, 1, 2]])
    where = request.getfixturevalue(f"on_{engine}")
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(file, file, keys=[first], targets=[second], **where)
    found = sqlrisk.score(file, file, keys=["sex"], targets=["ill"], **where)
    assert agree(found.results, sqlrisk.score(file, file, keys=["sex"], targets=["ill"]).results)
    assert names_left(where["engine"]) == []


@pytest.mark.parametrize(
    "rest",
    [
        *("se/cret@host/x", "se?cret@host", "se#cret@host", "s@cret@host", "12,3@host"),
        *("12@[::1]:3/x", "1/cret@host/x", "1/cret=@host/x", "1?cret@host", "1#cret@host"),
        *("1,2/cret@host:3306/x", "/cret@host"),
    ],
)
def test_a_password_of_any_characters_is_refused(rest: str) -> None:
    with pytest.raises(sqlrisk.InputError, match="leave the password") as caught:
        EngineOptions(f"mariadb://me:{rest}").opener()
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "mariadb://me@host:3306/x@y",
        "postgresql://one:5432,two:5433/x?user=me@y",
        "postgresql://[::1]:5432/x@y",
        "sqlite:///a:b@c.db",
        "postgresql://host:5432?user=me@y",
        "postgresql://host:5432/x%40y",
        "sc://host:15002/;user_id=me@y",
    ],
)
def test_a_port_is_no_password(address: str) -> None:
    EngineOptions(address).opener()


@pytest.mark.parametrize(
    ("address", "message"),
    few(
        [
            ("sqlite:///nowhere.db", "There is no file 'nowhere.db'; write sqlite:///FILE"),
            ("sqlite://nowhere.db", "There is no file 'nowhere.db'; write sqlite:///FILE"),
            ("sqlite:///notes.txt", "'notes.txt' is not an SQLite database"),
            (
                "people.db",
                "'people.db' is an SQLite database: name it with --engine sqlite:///people.db.",
            ),
            ("sqlite", "There is no engine 'sqlite' (did you mean 'sqlite://'?)"),
            ("snowflakes://x", "There is no engine 'snowflakes' (did you mean 'snowflake://'?)"),
            ("mariadb://me:secret@127.0.0.1/x", "leave the password or token out of the address"),
            ("snowflake://work?password=secret", "leave the password or token out of the address"),
            ("postgresql://h/x?password=secret", "leave the password or token out of the address"),
            ("sc://h/;use_ssl=true;token=secret", "leave the password or token out of the address"),
            (
                "mariadb://me@127.0.0.1:{port}/x",
                "MariaDB: mariadb://127.0.0.1/x cannot be opened (OperationalError)",
            ),
            (
                "clickhouse://me@127.0.0.1:{port}/x",
                "ClickHouse: clickhouse://127.0.0.1/x cannot be opened (OperationalError)",
            ),
            (
                "trino://me@127.0.0.1:{port}/lake/data",
                "Trino: trino://127.0.0.1/lake/data cannot be opened (TrinoConnectionError)",
            ),
            (
                "mssql://me@127.0.0.1:{port}/x",
                "SQL Server: mssql://127.0.0.1/x cannot be opened (OperationalError)",
            ),
            (
                "redshift://me@127.0.0.1:{port}/x?iam=",
                "Redshift: redshift://127.0.0.1/x cannot be opened (InterfaceError)",
            ),
            (
                "bigquery://project/data",
                "BigQuery: bigquery://project/data cannot be opened (DefaultCredentialsError)",
            ),
            ("snowflake://nobody", "Snowflake: snowflake://nobody cannot be opened (Error)"),
            (
                "postgresql://me:secret@127.0.0.1/x",
                "leave the password or token out of the address",
            ),
        ],
        4,
    ),
)
def test_an_address_that_opens_nothing(
    address: str, message: str, unheard: int, tmp_path: Path
) -> None:
    """Each driver takes what it is given: it fails because nobody answers, or nobody is
    signed in.
    """
    (tmp_path / "notes.txt").write_text(
        "no database, and long enough to be none\n" * 200, encoding="utf-8"
    )
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (x)")
    connection.close()
    done = forks.run(
        "score", "a", "b", "--keys", "x", "--targets", "y", "--engine",
        address.format(port=unheard), cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "COLUMNS": "500"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert message in " ".join(done.stderr.split())
    assert "secret" not in done.stderr


@pytest.mark.slow
def test_texts_that_differ_far_behind(on_mariadb: dict[str, Any]) -> None:
    """Servers sort by the first thousand bytes of a text, if nobody says otherwise."""
    texts = [5000 * "x" + end for end in "abca"] * 10
    table = pa.table({"text": texts, "ill": ["yes", "no", "no", "no"] * 10})
    asked: dict[str, Any] = {
        "keys": ["text"],
        "targets": ["ill"],
        "measures": ["identity", "DiSCO"],
    }
    assert agree(
        sqlrisk.score(table, table, **asked, **on_mariadb).results,
        sqlrisk.score(table, table, **asked).results,
    )


def test_a_view_that_reads_what_is_not_attached(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "house.duckdb") as connection:
        connection.execute(f"ATTACH '{tmp_path / 'other.duckdb'}' AS other")
        connection.execute("CREATE TABLE other.people AS SELECT 1 AS sex, 2 AS ill")
        connection.execute("CREATE VIEW people AS SELECT * FROM other.people")
    message = (
        "The view 'people' cannot be read: it reads a table that does not exist, or is in a "
        "database that is not attached here."
    )
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["ill"]}
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.score("people", "people", engine=str(tmp_path / "house.duckdb"), **asked)
    assert str(raised.value) == message
    with (
        duckdb.connect(tmp_path / "house.duckdb") as connection,
        pytest.raises(sqlrisk.InputError) as raised,
    ):
        sqlrisk.score((connection, "people"), (connection, "people"), **asked)
    assert str(raised.value) == message
    with duckdb.connect(tmp_path / "house.duckdb") as connection:
        for name in ("persons", "main.persons", '"persons"', "nowhere.people"):
            with pytest.raises(sqlrisk.InputError, match="There is no table"):
                sqlrisk.score((connection, name), (connection, name), **asked)


@pytest.mark.parametrize("engine", few(["sqlite", "duckdb", "pg8000", "mariadb"]))
def test_a_name_that_is_known_and_cannot_be_read(
    engine: str, request: pytest.FixtureRequest
) -> None:
    """Not that there is none, and that its own name may be meant."""
    connection = request.getfixturevalue(f"on_{engine}")["engine"]
    cursor = connection if engine == "duckdb" else connection.cursor()
    made = {
        "pg8000": ("CREATE SCHEMA elsewhere", "CREATE TABLE elsewhere.seen (sex text, ill text)"),
    }.get(
        engine,
        (
            "CREATE TABLE gone (sex int, ill int)",
            "CREATE VIEW seen AS SELECT * FROM gone",
            "DROP TABLE gone",
        ),
    )
    for statement in made:
        cursor.execute(statement)
    message = (
        "^'seen' cannot be read: its name needs quotes, it is in another schema, it is a "
        "view of a table that does not exist, or "
    )
    message += "this user may not read it.$"
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score("seen", "seen", engine=connection, keys=["sex"], targets=["ill"])
    cursor.execute("DROP SCHEMA elsewhere CASCADE" if engine == "pg8000" else "DROP VIEW seen")


@pytest.mark.slow
def test_a_connection_that_is_lost_while_a_table_is_described(
    on_mariadb: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = dataclasses.replace(products.MARIADB, describe="KILL CONNECTION_ID()")
    monkeypatch.setitem(connections._PRODUCT_OF, "pymysql", ended)
    with pytest.raises(
        sqlrisk.EngineError, match="The connection to MariaDB was lost; its temporary"
    ):
        sqlrisk.score("people", "made", **on_mariadb, **ASKED)
    on_mariadb["engine"].connect()  # for what closes it


def test_a_database_without_temporary_tables_wants_a_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lasting = dataclasses.replace(products.SQLITE, name="A lake", temporary=None)
    monkeypatch.setitem(connections._PRODUCT_OF, "sqlite3", lasting)
    with sqlite3.connect(":memory:") as connection:
        with pytest.raises(
            sqlrisk.InputError,
            match=r"A lake keeps no temporary tables .* name a schema with --scratch",
        ):
            sqlrisk.score(people(0), people(1), engine=connection, **ASKED)
        assert agree(
            sqlrisk.score(people(0), people(1), engine=connection, scratch="main", **ASKED).results,
            expected().results,
        )
        assert names_left(connection) == []
    connection.close()


def test_partitions_are_no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Databricks describes them after the columns."""
    described = [
        ("sex", "string"),
        ("ill", "string"),
        ("# Partition Information", ""),
        ("# col_name", "data_type"),
        ("sex", "string"),
    ]
    lake = dataclasses.replace(
        products.SQLITE,
        describe=" UNION ALL ".join(f"SELECT '{name}', '{kind}'" for name, kind in described),
        types=products.DATABRICKS.types,
        seen="",
    )
    monkeypatch.setitem(connections._PRODUCT_OF, "sqlite3", lake)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE visits (sex TEXT, ill TEXT)")
        connection.execute("INSERT INTO visits VALUES ('f', 'a'), ('f', 'b'), ('m', 'a')")
        found = sqlrisk.score(
            "visits", "visits", engine=connection, keys=["sex"], measures=["UiO", "copies"]
        )
    connection.close()
    assert found.value("UiO") == pytest.approx(100 / 3)


@pytest.mark.parametrize(
    "product", [each for each, *_ in ADDRESSES.values()], ids=lambda product: product.name
)
def test_the_statements_of_a_product_are_of_its_dialect(product: products.Product) -> None:
    """Also of those that nobody runs here."""
    names = {"table": "a.b", "text": "'a.b'", "name": "'b'", "schema": "a.", "schema_text": "'a'"}
    texts = [product.describe.format(**names), product.tables, product.version]
    texts += [
        (
            f"SELECT {product.bytes_of.format('x')} AS x, {product.reads.format('x', type='INT')} "
            "AS y FROM t"
        )
    ]
    moment = f"SELECT {product.instants.format('x')} AS x FROM t"
    assert (
        sqlglot.parse_one(moment, dialect=product.dialect)
        .sql(product.dialect)
        .replace("TIMESTAMPNTZ", "TIMESTAMP_NTZ")
        == moment
    )
    for text in texts:
        assert sqlglot.parse_one(text, dialect=product.dialect).sql(product.dialect)
    for number in product.numbers.values():
        assert translate(f"SELECT {number}", product.dialect).sql
    hashed = translate(
        'SELECT HASH(a, "b c", 0) & 7 AS h, CAST(a AS DATE) AS d FROM t', product.dialect
    ).sql
    assert sqlglot.parse_one(hashed, dialect=product.dialect).sql(product.dialect)
    assert "HASH(a" not in hashed or product.dialect in (
        "snowflake",
        "databricks",
        "sqlite",
        "clickhouse",
    )
