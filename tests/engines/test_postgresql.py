"""PostgreSQL, a real server: tables where they are, rights, collations, types, and what happens
when something goes wrong.
"""

import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import compiled
import forks
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet
import pyreadstat
import pytest
from agreement import agree
from kept_tables import KEPT, SAVED, assert_kept
from psycopg.rows import dict_row
from quickly import few
from servers import Server
from waiting import until

import sqlrisk
from sqlrisk.engines.postgresql import PostgreSQL
from sqlrisk.engines.translated import TranslatedEngine
from tests.analyses.preparation import test_recodes

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ["a", "A", "a ", "", "ä", "b'\"\\", "x\ny", None]


def people(seed: int, records: int = 400) -> pa.Table:
    """Levels that a careless database would merge, numbers, dates."""
    return pa.table(
        {
            "the key": pa.array([LEVELS[(number * seed) % 8] for number in range(records)]),
            "age": pa.array([(number * 7 + seed) % 13 for number in range(records)], pa.int32()),
            'odd"Name': pa.array([LEVELS[(number // seed) % 8] for number in range(records)]),
            "income": pa.array(
                [None if number % 17 == 0 else (number % 11) / 4 for number in range(records)],
                pa.float64(),
            ),
        }
    )


KEYS, TARGETS = ["the key", "age"], ['odd"Name', "income"]
ASKED: dict[str, Any] = {
    "keys": KEYS,
    "targets": TARGETS,
    "measures": "identity,attribute,cap,GCAP",
}
SLOW = (
    "CREATE VIEW data.slow AS SELECT age, CASE WHEN pg_sleep(0.1)::text = '' THEN income END "
    "AS income FROM data.people"
)
COLUMNS = '("the key" text, age int4, "odd""Name" text, income float8)'


@pytest.fixture
def database(postgres_server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database of its own, with the tables data.people and data.made."""
    name = f"db_{os.getpid()}_{abs(hash(request.node.nodeid)) % 10**9}"
    with administrator(postgres_server, "postgres") as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with administrator(postgres_server, name) as connection:
        connection.execute("CREATE SCHEMA data")
        fill(connection, "data.people", people(1))
        fill(connection, "data.made", people(3))
    yield postgres_server.address(database=name)
    with administrator(postgres_server, "postgres") as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def administrator(server: Server, database: str) -> Iterator[Any]:
    with psycopg.connect(server.address(database=database), autocommit=True) as connection:
        yield connection


def fill(connection: Any, table: str, frame: pa.Table, columns: str = COLUMNS) -> None:
    connection.execute(f"CREATE TABLE {table} {columns}")
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for row in zip(*(column.to_pylist() for column in frame.columns), strict=True):
            copy.write_row(row)


@cache
def expected() -> list[dict[str, Any]]:
    """What DuckDB finds in the records of data.people and data.made."""
    return sqlrisk.score(people(1), people(3), **ASKED).results


def right(report: sqlrisk.Report) -> bool:
    """Whether a report of data.people and data.made is what DuckDB finds in the same records."""
    return agree(report.results, expected())


def left_over(address: str) -> list[str]:
    with psycopg.connect(address) as connection:
        return [
            name
            for (name,) in connection.execute(
                "SELECT relname FROM pg_class WHERE relname LIKE 'sqlrisk%'"
            ).fetchall()
        ]


def cli(*arguments: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    done = forks.run(*arguments, cwd=folder, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def test_tables_where_they_are(database: str) -> None:
    found = sqlrisk.score("data.people", "data.made", engine=database, **ASKED)
    assert right(found)
    assert found.engine["name"] == "PostgreSQL"
    assert str(found.engine["version"]).startswith(("13", "14", "15", "16", "17", "18"))
    compares = ("case_folded", "trailing_blanks_ignored", "empty_text_missing", "nan_equals_nan")
    assert [found.engine[name] for name in compares] == [False, False, False, True]
    assert left_over(database) == []


@pytest.mark.slow
def test_labels_of_files_are_shown_there_too(database: str, tmp_path: Path) -> None:
    names: dict[float, str] = {0: "no", 1: "yes"}
    table = pd.DataFrame({"sex": [1, 1, 2, 3, 3], "town": [7, 7, 7, 8, 8], "ill": [0, 0, 1, 1, 1]})
    table.to_stata(
        tmp_path / "a.dta", write_index=False, value_labels={"ill": names, "town": names}
    )
    asked: dict[str, Any] = {
        "keys": "sex,town",
        "targets": "ill",
        "by": ["ill"],
        "measures": "DiSCO",
    }
    found, known = (
        sqlrisk.score(*[str(tmp_path / "a.dta")] * 2, engine=engine, **asked)
        for engine in (database, "duckdb")
    )
    assert {row["population"] for row in found.results} == {"all", "ill=no", "ill=yes"}
    assert agree(found.results, known.results)
    assert left_over(database) == []


@pytest.mark.slow
def test_a_measure_in_the_database_s_own_sql(database: str, tmp_path: Path) -> None:
    (tmp_path / "odd.sql").write_text(
        compiled.OWN.format(counted="counted_orig * (BIT_COUNT(n_orig) % 2)"), encoding="utf-8"
    )
    asked: dict[str, Any] = {**ASKED, "measures": ["Odd"], "measures_from": str(tmp_path)}
    with pytest.raises(
        sqlrisk.InputError, match=r"The measure Odd uses 'BIT_COUNT'.*own SQL in .*postgres/odd.sql"
    ):
        sqlrisk.score(people(1), people(3), engine=database, **asked)
    (tmp_path / "postgres").mkdir()
    counted = "counted_orig * (LENGTH(REPLACE(CAST(CAST(n_orig AS BIT(64)) AS TEXT), '0', '')) % 2)"
    (tmp_path / "postgres" / "odd.sql").write_text(
        compiled.OWN.format(counted=counted), encoding="utf-8"
    )
    found = sqlrisk.score(people(1), people(3), engine=database, **asked)
    assert agree(found.results, sqlrisk.score(people(1), people(3), **asked).results)
    assert found["Odd"].rows[0]["numerator"]
    assert left_over(database) == []


def test_the_command_line(database: str, tmp_path: Path) -> None:
    quoted = ("the key,age", '"odd""Name",income')
    code, out, err = cli(
        "score", "data.people", "data.made", "--keys", quoted[0], "--targets", quoted[1],
        "--measures", "DiSCO,repU", "--engine",
        database, "--format", "json", folder=tmp_path,
    )  # fmt: skip
    assert code == 0
    assert err.startswith("Doubtful: the key determines odd")
    assert err.count("\n") == 1
    expected = sqlrisk.score(people(1), people(3), **{**ASKED, "measures": "DiSCO,repU"})
    assert agree(json.loads(out)["results"], expected.results)


def test_a_file_beside_a_table(database: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(people(3), tmp_path / "made.parquet")
    found = sqlrisk.score("data.people", str(tmp_path / "made.parquet"), engine=database, **ASKED)
    assert right(found)


def test_a_file_beside_a_table_whatever_the_encoding_of_the_connection(database: str) -> None:
    file = pa.table({"town": ["Köln", "Bonn", "Bonn"], "ill": ["yes", "no", "no"]})
    asked: dict[str, Any] = {"keys": ["town"], "targets": ["ill"], "measures": ["repU"]}
    with psycopg.connect(database, client_encoding="latin1") as connection:
        fill(connection, "data.towns", file, "(town text, ill text)")
        found = sqlrisk.score("data.towns", file, engine=connection, **asked)
        assert connection.execute("SHOW client_encoding").fetchone() == ("LATIN1",)
    assert found["repU"].rows[0]["numerator"] == 1


@pytest.mark.parametrize(
    "kind", few(["psycopg", "in a transaction", "sqlalchemy connection", "sqlalchemy engine"], 2)
)
def test_a_connection_of_the_user_stays_theirs(kind: str, database: str) -> None:
    if kind.startswith("sqlalchemy"):
        import sqlalchemy

        engine = sqlalchemy.create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
        given = engine if kind.endswith("engine") else engine.connect()
        assert right(sqlrisk.score((given, "data.people"), (given, "data.made"), **ASKED))
        if kind.endswith("connection"):
            assert given.execute(sqlalchemy.text("SELECT 1")).scalar() == 1
            given.close()
        engine.dispose()
        return
    with psycopg.connect(database) as connection:
        if kind == "in a transaction":
            connection.execute("CREATE TABLE mine AS SELECT 1 AS x")
        assert right(sqlrisk.score((connection, "data.people"), (connection, "data.made"), **ASKED))
        assert not connection.closed
        if kind == "in a transaction":
            with pytest.raises(sqlrisk.InputError):
                sqlrisk.score((connection, "data.people"), (connection, "data.nobody"), **ASKED)
            assert connection.execute("SELECT x FROM mine").fetchall() == [(1,)]  # it goes on
        rows = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'sqlrisk%'"
        ).fetchall()
        assert rows == [(0,)]


@pytest.mark.slow
def test_a_connection_of_the_user_whose_rows_are_dicts(database: str) -> None:
    with psycopg.connect(database, row_factory=dict_row) as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        assert right(sqlrisk.score((connection, "data.people"), (connection, "data.made"), **ASKED))
        zone = connection.execute("SELECT current_setting('TimeZone') AS zone").fetchone()
    assert zone == {"zone": "Asia/Tokyo"}


def test_the_planner_is_told_for_one_statement_alone(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a transaction of the user's, too, whose settings are then what they were."""
    asking = "SELECT " + ", ".join(
        f"current_setting('{name}')"
        for name in (
            "enable_nestloop",
            "enable_hashagg",
            "parallel_tuple_cost",
            "parallel_setup_cost",
        )
    )
    told: dict[str, Any] = {}
    create = TranslatedEngine.create

    def look(engine: TranslatedEngine, name: str, query: str) -> None:
        told[name.partition("_")[0]] = engine.execute(asking)[0]
        create(engine, name, query)

    monkeypatch.setattr(TranslatedEngine, "create", look)
    with psycopg.connect(database) as connection:
        connection.execute("SET LOCAL parallel_setup_cost = 77")
        assert right(sqlrisk.score((connection, "data.people"), (connection, "data.made"), **ASKED))
        assert connection.execute(asking).fetchone() == ("on", "on", "0.1", "77")
    assert told["cells"] == ("off", "off", "0.1", "77")
    assert told["records"] == told["levels"] == ("off", "on", "0.001", "10")
    assert told["classes"] == told["results"] == ("off", "on", "0.1", "77")


@pytest.mark.slow
def test_who_may_only_read_and_make_temporary_tables(
    database: str, postgres_server: Server
) -> None:
    reader = f"reader_{uuid4().hex}"
    name = database.rpartition("/")[2]
    with administrator(postgres_server, name) as connection:
        connection.execute(f"CREATE ROLE {reader} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA data TO {reader}")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA data TO {reader}")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    address = postgres_server.address(reader, name)
    assert right(sqlrisk.score("data.people", "data.made", engine=address, **ASKED))
    with pytest.raises(sqlrisk.EngineError, match="CREATE on the schema"):
        sqlrisk.score("data.people", "data.made", engine=address, scratch="data", **ASKED)
    with administrator(postgres_server, name) as connection:
        connection.execute(f"REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC")
    with pytest.raises(sqlrisk.EngineError, match="may not make temporary tables"):
        sqlrisk.score("data.people", "data.made", engine=address, **ASKED)


@pytest.mark.slow
def test_a_scratch_schema_is_left_empty(database: str, postgres_server: Server) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute('CREATE SCHEMA "Scratch pad"')
    seen: list[list[str]] = []

    def look(*_: object) -> None:
        seen.append(left_over(database))

    found = sqlrisk.score(
        "data.people", "data.made", engine=database, scratch="Scratch pad", trace=look, **ASKED
    )
    assert right(found)
    assert max(map(len, seen)) > 5
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'sqlrisk%'"
        ).fetchall() == [(0,)]
    with pytest.raises(sqlrisk.InputError, match="no schema 'pads'"):
        sqlrisk.score("data.people", "data.made", engine=database, scratch="pads", **ASKED)


@pytest.mark.slow
def test_two_runs_side_by_side_do_not_meet(
    database: str, postgres_server: Server, tmp_path: Path
) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE SCHEMA pad")
    arguments = [
        sys.executable, "-m", "sqlrisk", "score", "data.people", "data.made", "--keys",
        "the key,age", "--targets", "income",
        "--engine", database, "--scratch", "pad", "--format", "json",
    ]  # fmt: skip
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=tmp_path) for _ in range(2)]
    found = [json.loads(each.communicate()[0]) for each in both]
    assert found[0] == found[1]
    wanted = sqlrisk.score(people(1), people(3), keys=KEYS, targets="income")
    assert agree(found[0]["results"], wanted.results)
    assert left_over(database) == []


def test_a_collation_that_merges_levels_is_not_heard(
    database: str, postgres_server: Server
) -> None:
    folded = COLUMNS.replace("text", "text COLLATE folded")
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute(
            "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level1', deterministic = "
            "false)"
        )
        fill(connection, "folded_people", people(1), folded)
        fill(connection, "folded_made", people(3), folded)
        rows = connection.execute('SELECT count(DISTINCT "the key") FROM folded_people').fetchall()
        assert rows[0][0] < len(LEVELS) - 1  # the table itself merges them
    assert right(sqlrisk.score("folded_people", "folded_made", engine=database, **ASKED))


def test_types(database: str, postgres_server: Server) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('good', 'bad')")
        connection.execute(
            "CREATE TABLE kinds AS SELECT (n % 3)::int2 AS small, n % 5 = 0 AS flag, (n % 4 / "
            "4.0)::numeric(6, 3) AS exact,"
            " date '2020-01-31' + n % 6 AS day, timestamp '2020-01-31 10:00' + n % 7 * interval "
            "'1 h' AS moment,"
            " (ARRAY['good', 'bad'])[1 + n % 2]::mood AS mood, rpad('x', 1 + n % 3)::char(4) AS "
            "padded,"
            " lpad((n % 9)::text, 36, 'a0000000-0000-4000-8000-00000000000')::uuid AS uuid,"
            " CASE WHEN n % 8 = 0 THEN 'NaN' ELSE (n % 3)::float4 END::float4 AS number,"
            " n::numeric AS loose, ARRAY[n] AS list, '1 h'::interval AS wait,"
            " '{}'::json AS json, '<a/>'::xml AS xml, point(n, n) AS place, 'a'::bytea AS bytes, "
            "'b'::tsvector AS words"
            " FROM generate_series(1, 300) AS n"
        )
        rows = connection.execute(
            "SELECT small, flag, exact, day, moment, mood, uuid::text, padded::text, number FROM "
            "kinds"
        ).fetchall()
    names = ["small", "flag", "exact", "day", "moment", "mood", "uuid", "padded", "number"]
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    table = table.set_column(8, "number", table["number"].cast(pa.float32()))
    asked = {
        "keys": ["small", "flag", "exact", "day"],
        "targets": names[4:],
        "measures": "identity,attribute,cap",
    }
    found = sqlrisk.score("kinds", "kinds", engine=database, **asked)
    assert agree(found.results, sqlrisk.score(table, table, **asked).results)
    for column, kind in (
        ("loose", "NUMERIC without digits"),
        ("wait", "INTERVAL"),
        ("list", "lists or structures|_INT4"),
    ):
        with pytest.raises(sqlrisk.InputError, match=f"'{column}' of 'kinds' holds .*({kind})"):
            sqlrisk.score("kinds", "kinds", engine=database, keys=["small"], targets=[column])


@pytest.mark.slow
@pytest.mark.parametrize("kind", few(["int2", "int4", "int8"]))
def test_true_and_false_beside_numbers(
    kind: str, database: str, postgres_server: Server, tmp_path: Path
) -> None:
    """As a key, as a target with shares of its levels, and in a column of whole rows only."""
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        for table, held in (("flags", "boolean"), ("numbers", kind)):
            connection.execute(f"CREATE TABLE {table} (k {held}, t {held}, other {held})")
            connection.execute(
                f"INSERT INTO {table} VALUES ('0', '0', '0'), ('1', '0', '0'), ('0', '0', '1'), "
                "('1', '1', '1')"
            )
    flags = pa.table(
        {
            "k": [False, True, False, True],
            "t": [False, False, False, True],
            "other": [False, False, True, True],
        }
    )
    shares = tmp_path / "shares.parquet"
    pyarrow.parquet.write_table(pa.table({"level": [0, 1], "share": [0.5, 0.5]}), shares)
    asked: dict[str, Any] = {
        "keys": ["k"],
        "targets": ["t"],
        "measures": "identity,attribute,cap,copies",
        "baseline": {"t": str(shares)},
    }
    found = sqlrisk.score("flags", "numbers", engine=database, **asked)
    assert agree(found.results, sqlrisk.score(flags, flags, **asked).results)


@pytest.mark.parametrize(
    ("asked", "message"),
    few(
        [
            ({"original": "data.poeple"}, "There is no table 'data.poeple'"),
            (
                {"original": "data..people; DROP TABLE x"},
                "There is no table 'data..people; DROP TABLE x'",
            ),
            (
                {"original": "people(1)"},
                "'people(1)' is not a valid table name in postgres; write schema.table",
            ),
            ({"keys": "thekey"}, "no file has a column 'thekey' (did you mean 'the key'?)"),
            ({"port": True}, "no server answers there"),
            ({"database": "nowhere"}, "the server has no such database"),
            ({"password": "secret"}, "leave the password or token out of the address"),
            ({"save": "risk.duckdb"}, "cannot be saved by PostgreSQL"),
        ],
        2,
    ),
)
def test_wrong_input_gets_one_clear_message(
    asked: dict[str, Any], message: str, database: str, unheard: int, tmp_path: Path
) -> None:
    address = database
    if "port" in asked:
        address = f"postgresql://somebody@127.0.0.1:{unheard}/nowhere"
    if "database" in asked:
        address = f"{database.rpartition('/')[0]}/nowhere"
    if "password" in asked:
        address = database.replace("@", ":secret@")
    more = [f"--save={tmp_path / asked['save']}"] if "save" in asked else []
    code, out, err = cli(
        "score", asked.get("original", "data.people"), "data.made", "--keys",
        asked.get("keys", "age"), "--targets", "income",
        "--engine", address, *more, folder=tmp_path,
    )  # fmt: skip
    assert (code, out) == (2, "")
    assert message in err
    assert "secret" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "message"),
    few(
        [
            (
                ("records", "-o", "risk.parquet"),
                "Or let `sqlrisk score --save SCHEMA --id COLUMN` make the table record_risk",
            ),
            (("sweep", "-o", "rows.parquet"), "A file of rows cannot be written by PostgreSQL"),
            (
                ("attack", "--attackers", "RandomForest"),
                "'data.people' have no order to number them by: name a column that identifies them",
            ),
            (
                ("score", "--aligned"),
                (
                    "have no order to number them by: name a column that identifies them with --id "
                    "(id), or give files instead."
                ),
            ),
        ],
        2,
    ),
)
def test_what_only_duckdb_does_is_refused(
    command: tuple[str, ...], message: str, database: str, tmp_path: Path
) -> None:
    verb, *options = command
    code, out, err = cli(
        verb,
        "data.people",
        "data.made",
        "--keys",
        "age",
        "--targets",
        "income",
        *options,
        "--engine",
        database,
        folder=tmp_path,
    )
    assert (code, out) == (2, ""), err
    assert message in " ".join(err.split()), err
    assert list(tmp_path.iterdir()) == []
    assert left_over(database) == []


@pytest.mark.slow
def test_advice_is_about_tables(database: str, tmp_path: Path) -> None:
    """What a message says to do works for tables of a database, too."""
    drafting = "init", "data.people", "data.made", "--engine", database, "-o", "a.toml"
    run = "sqlrisk score --scenario a.toml --engine ADDRESS"
    assert f"then run {run}\n" in cli(*drafting, folder=tmp_path)[2]
    assert f"#     {run}\n" in (tmp_path / "a.toml").read_text(encoding="utf-8")
    (tmp_path / "two.toml").write_text(
        'original = "data.people"\nsynthetic = "data.made"\ntargets = ["income"]\n'
        '[scenario.near]\nkeys = ["age"]\n[scenario.far]\nkeys = ["the key"]\n',
        encoding="utf-8",
    )

    def saved(scenario: str, place: str) -> str:
        asked = "score", "--scenario", scenario, "--engine", database, "--save", place
        return cli(*asked, "-o", "risk.json", folder=tmp_path)[2]

    assert "--scenario FILE#near --save work" in saved("two.toml", "work")
    assert "in a schema of the database: --save SCHEMA" in saved("two.toml", "two.duckdb")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA work")
    assert "sqlrisk:" not in saved("two.toml#near", "work")
    for name, near in (("data.poeple", "data.people"), ("poeple", "people")):
        err = cli("init", name, "data.made", "--engine", database, folder=tmp_path)[2]
        assert f"There is no table '{name}' (did you mean '{near}'" in err


@pytest.mark.slow
def test_a_run_of_tables_repeated(database: str, tmp_path: Path) -> None:
    """Tables have no hash, and what the first run left in a schema is not repeated."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA work")
    asked = "score", "data.people", "data.made", "--keys", "age", "--targets", "income"
    run = *asked, "--engine", database, "--save", "work", "-o", "a.json", "-o", "a.html"
    cli(*run, folder=tmp_path)
    found = cli("rerun", "a.json", folder=tmp_path)[1]
    assert "\nThe numbers are the same.\n" in found
    assert "changed" not in found
    assert "SHA-256 of every input file" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_records_of_a_table_are_found_by_their_id(database: str) -> None:
    """An id orders the records of a table: a release explains people, and has their views."""
    frames = [
        table.append_column("pid", pa.array([f"p{number:03}" for number in range(len(table))]))
        for table in (people(1), people(3))
    ]
    with psycopg.connect(database, autocommit=True) as connection:
        columns = f"{COLUMNS[:-1]}, pid text)"
        fill(connection, "data.named", frames[0], columns)
        fill(connection, "data.renamed", frames[1], columns)
    risk = "SELECT record, unique, cap_synthetic_income FROM record_risk ORDER BY record"
    found = []
    for files, engine in ((frames, "duckdb"), (["data.named", "data.renamed"], database)):
        given: dict[str, Any] = {"keys": ["age"], "targets": ["income"], "id": "pid"}
        with sqlrisk.Release(*files, **given, engine=engine) as release:
            release.score("DiSCO")
            explained = release.explain("p007")
            rows = release.query(risk.replace("unique", '"unique"')).rows
            found.append((explained.keys, explained.targets, rows))
            if engine == database:
                with pytest.raises(sqlrisk.InputError, match="only by DuckDB: name files, without"):
                    release.records()
    assert found[0] == found[1]


def test_no_rows_of_several_scenarios_are_written_here(database: str, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        'original = "data.people"\nsynthetic = "data.made"\n'
        '[scenario.a]\nkeys = ["age"]\n[scenario.b]\nkeys = ["income"]\n'
    )
    words = ["records", "--scenario", "two.toml", "--engine", database, "-o", "risk.parquet"]
    code, out, said = cli(*words, folder=tmp_path)
    assert (code, out) == (2, "")
    assert "make the table record_risk in a schema of the database, one scenario at a time" in said
    assert [each.name for each in tmp_path.iterdir()] == ["two.toml"]


@pytest.mark.slow
def test_attackers_that_learn(database: str) -> None:
    asked: dict[str, Any] = {
        "keys": KEYS,
        "targets": ['odd"Name'],
        "attackers": "CategoricalNB,RandomForest",
    }
    found = sqlrisk.attack(people(1), people(3), **asked, engine=database)
    assert len(found) == 4
    assert agree(found.to_dict(), sqlrisk.attack(people(1), people(3), **asked).to_dict())


def test_a_text_with_nul_is_refused(database: str) -> None:
    hidden = people(1).set_column(
        0, "the key", pa.array([f"level{number % 3}\0" for number in range(400)])
    )
    with pytest.raises(
        sqlrisk.EngineError, match="text with a NUL character, which PostgreSQL cannot store"
    ) as raised:
        sqlrisk.score(hidden, people(3), engine=database, **ASKED)
    assert "level" not in str(raised.value).replace("levels", "")


@pytest.mark.slow
def test_aligned_tables_meet_by_their_id(database: str, postgres_server: Server) -> None:
    original = people(1).append_column("id", pa.array(range(400)))
    frames = [
        original,
        original.set_column(3, "income", people(3)["income"]).take(pa.array(range(399, -1, -1))),
    ]
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        for name, frame in zip(("known", "drawn"), frames, strict=True):
            fill(connection, f"data.{name}", frame, f"{COLUMNS[:-1]}, id int8)")
    asked: dict[str, Any] = {**ASKED, "measures": "matches", "aligned": True, "id": "id"}
    found = sqlrisk.score("data.known", "data.drawn", engine=database, **asked)
    assert any(row["numerator"] for row in found.results)
    assert agree(found.results, sqlrisk.score(*frames, **asked).results)


@pytest.mark.slow
def test_special_uniques_of_a_table(database: str) -> None:
    found = sqlrisk.uniques("data.people", keys=[*KEYS, *TARGETS], engine=database)
    expected = sqlrisk.uniques(people(1), keys=[*KEYS, *TARGETS])
    assert (found.source, expected.source) == ("data.people", "pyarrow.Table")
    assert agree(
        dataclasses.replace(found, source="").to_dict(),
        dataclasses.replace(expected, source="").to_dict(),
    )


def test_ctrl_c_cancels_the_statement_and_leaves_nothing(
    database: str, postgres_server: Server
) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE SCHEMA pad")
        connection.execute(SLOW)

    def stop(name: str, number: int, steps: int, done: float) -> None:
        if name != "files":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sqlrisk.score(
            "data.slow",
            "data.made",
            engine=database,
            scratch="pad",
            keys="age",
            targets="income",
            progress=stop,
        )
    assert left_over(database) == []
    with administrator(postgres_server, "postgres") as connection:
        running = (
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sqlrisk' AND "
            "state = 'active'"
        )
        until(lambda: connection.execute(running).fetchall() == [(0,)])


def test_a_lost_connection_is_one_clear_error_that_names_what_is_left(
    database: str, postgres_server: Server
) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE SCHEMA pad")

    def cut(sql: str, _seconds: float) -> None:
        if "TABLE records" in sql:
            with administrator(postgres_server, "postgres") as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                    "application_name = 'sqlrisk'"
                )

    for scratch in (None, "pad"):
        with pytest.raises(
            sqlrisk.EngineError, match="connection to PostgreSQL was lost"
        ) as caught:
            sqlrisk.score(
                "data.people", "data.made", engine=database, scratch=scratch, trace=cut, **ASKED
            )
        if scratch is None:
            # the server tidies up after a lost session in its own time
            until(lambda: left_over(database) == [])
        left = left_over(database)
        assert bool(left) == (scratch is not None)
        assert all(f'"pad".{name}' in str(caught.value) for name in left)


def test_an_error_that_loses_no_connection(database: str, postgres_server: Server) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute(
            "CREATE MATERIALIZED VIEW data.stale AS SELECT * FROM data.people WITH NO DATA"
        )
    with pytest.raises(
        sqlrisk.EngineError, match=r"PostgreSQL failed \(ObjectNotInPrerequisiteState, 55000\)"
    ):
        sqlrisk.score("data.stale", "data.made", engine=database, **ASKED)
    with PostgreSQL(database) as engine:
        for error, message in (
            (psycopg.errors.LockNotAvailable(), "PostgreSQL failed (LockNotAvailable, 55P03)."),
            (psycopg.errors.DeadlockDetected(), "PostgreSQL failed (DeadlockDetected, 40P01)."),
            (psycopg.errors.ProgramLimitExceeded(), "PostgreSQL holds at most 1,600 columns in a"),
        ):
            assert engine.explain(error).startswith(message)


@pytest.mark.slow
def test_a_limit_of_the_server_is_named(database: str, postgres_server: Server) -> None:
    name = database.rpartition("/")[2]
    with administrator(postgres_server, name) as connection:
        connection.execute(SLOW)
        connection.execute(f"ALTER DATABASE {name} SET statement_timeout = '2s'")
    with pytest.raises(sqlrisk.EngineError, match="statement_timeout"):
        sqlrisk.score("data.slow", "data.made", engine=database, keys="age", targets="income")


def test_no_value_of_a_record_is_in_a_message(database: str, postgres_server: Server) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute(
            "CREATE VIEW data.broken AS SELECT age, (income::text || 'marker')::float8 AS income "
            "FROM data.people"
        )
    with pytest.raises(sqlrisk.EngineError) as caught:
        sqlrisk.score("data.broken", "data.made", engine=database, keys="age", targets="income")
    assert "marker" not in str(caught.value)
    assert "PostgreSQL failed" in str(caught.value)


@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(question: str, database: str) -> None:
    kinds = {pa.int32(): "int4", pa.int64(): "int8", pa.float64(): "float8", pa.string(): "text"}
    with psycopg.connect(database, autocommit=True, row_factory=dict_row) as connection:
        for name, table in compiled.tables(question).items():
            fill(
                connection,
                name,
                table,
                f"({', '.join(f'{field.name} {kinds[field.type]}' for field in table.schema)})",
            )
        files = compiled.compile_question(question, "postgres")
        parts = [text for name, text in sorted(files.items()) if name[3:-4] in compiled.RUN]
        connection.execute("\n".join(parts))
        rows = connection.execute(compiled.SELECT).fetchall()
        compiled.assert_same(
            compiled.found(rows), compiled.reported(compiled.score_question(question))
        )
        compiled.assert_views(question, lambda select: connection.execute(select).fetchall())
        for name in sorted(files):
            if name.endswith("drop.sql"):
                connection.execute(files[name])
    assert left_over(database) == []


def in_schema(address: str, schema: str) -> set[str]:
    with psycopg.connect(address) as connection:
        found = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema]
        )
        return {name for (name,) in found.fetchall()}


def test_a_run_leaves_risky_cells_and_the_risk_of_records_in_a_schema(
    database: str, postgres_server: Server, tmp_path: Path
) -> None:
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute('CREATE SCHEMA "My work"')
        connection.row_factory = dict_row
        report = sqlrisk.score("data.people", "data.made", engine=database, save="My work", **SAVED)
        assert in_schema(database, "My work") == {*report.kept} == KEPT
        assert left_over(database) == []
        assert_kept(
            lambda name: connection.execute(f'SELECT * FROM "My work".{name}').fetchall(),
            people(1),
            people(3),
        )
        # What is there already is never written over.
        with pytest.raises(sqlrisk.InputError, match=r"already holds record_risk, risky_disco"):
            sqlrisk.score("data.people", "data.made", engine=database, save="My work", **SAVED)
        assert in_schema(database, "My work") == {*report.kept}
        with pytest.raises(sqlrisk.InputError, match="no schema 'nowhere'"):
            sqlrisk.score("data.people", "data.made", engine=database, save="nowhere", **SAVED)
        connection.execute("CREATE SCHEMA other")
        # A join by an id that several people share would pair their risks with each other.
        with pytest.raises(sqlrisk.InputError, match=r"id: .* has 13 different ids for 400"):
            sqlrisk.score(
                *("data.people", "data.made"), engine=database, save="other", id="age",
                keys=["the key"], targets=["income"],
            )  # fmt: skip
        assert in_schema(database, "other") == set()
    status, _, said = cli(
        "score", "data.people", "data.made", "--engine", database, "--keys", "age", "--targets",
        "income", "--measures", "DiSCO", "--save", "other",
        folder=tmp_path,
    )  # fmt: skip
    assert status == 0, said
    assert "In the schema other: risky_disco, record_risk." in said
    assert in_schema(database, "other") == {"risky_disco", "record_risk"}


@pytest.mark.slow
def test_long_names_are_refused_only_if_the_database_cuts_them_alike(
    database: str, postgres_server: Server
) -> None:
    """`correct_TARGET` is longer than the name of the target."""
    first, second = (f"{'how satisfied are you ' * 2}{end}" for end in ("with us", "with it"))
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE SCHEMA work")
        connection.execute(f'ALTER TABLE data.people RENAME income TO "{first}"')
        connection.execute(f'ALTER TABLE data.people RENAME "odd""Name" TO "{second}"')
    asked: dict[str, Any] = {"keys": ["age"], "measures": "DiSCO", "engine": database}
    files = ("data.people", "data.people")
    problem = (
        f"save: The columns 'disclosive_synthetic_{first}' and 'disclosive_synthetic_{second}' of "
        "record_risk begin with the same 63 bytes, and PostgreSQL cuts longer names"
    )
    with pytest.raises(sqlrisk.InputError, match=problem):
        sqlrisk.score(*files, targets=[first, second], save="work", **asked)
    assert in_schema(database, "work") == set()
    sqlrisk.score(*files, targets=[first], save="work", **asked)
    assert in_schema(database, "work") == {"risky_disco", "record_risk"}
    table = people(1).rename_columns(["the key", first * 2, "name", first * 2 + "!"])
    long = {**asked, "keys": [first * 2], "targets": ["name"]}
    assert agree(
        sqlrisk.score(table, table, **long).results,
        sqlrisk.score(table, table, **{**long, "engine": "duckdb"}).results,
    )


@pytest.mark.slow
def test_the_risk_of_records_is_joined_by_the_id_as_the_guide_says(
    database: str, postgres_server: Server, tmp_path: Path
) -> None:
    page = (ROOT / "sqlrisk" / "guide" / "databases.md").read_text(encoding="utf-8")
    section = page.partition("## Leave the risk in the database")[2].partition("\n## ")[0]
    command = section.split("\n    sqlrisk ", 1)[1].split("\n", 1)[0]
    (join,) = re.findall(r"^```sql\n(.*?)^```", section, re.DOTALL | re.MULTILINE)

    def survey(seed: int) -> pa.Table:
        numbers = range(300)
        return pa.table(
            {
                "person": [1000 - number for number in numbers],
                "age": [number * seed % 23 for number in numbers],
                "sex": [number // seed % 2 for number in numbers],
                "race": [number % 3 for number in numbers],
                "income": [number * 7 % 13 // 6 for number in numbers],
                "region": [number % 5 for number in numbers],
            }
        )

    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        for schema in ("survey", "review"):
            connection.execute(f"CREATE SCHEMA {schema}")
        columns = f"({', '.join(f'{name} int4' for name in survey(1).column_names)})"
        fill(connection, "survey.people", survey(1), columns)
        fill(connection, "survey.cart_1", survey(3), columns)
        words = re.sub("postgresql://[^ ]+", database, command).split()
        status, _, said = cli(*words, folder=tmp_path)
        assert status == 0, said
        shown = dict(connection.execute(join).fetchall())
    asked: dict[str, Any] = {"keys": ["age", "sex", "race"], "targets": ["income"]}
    found = sqlrisk.records(survey(1), survey(3), with_columns=["region"], **asked).to_pandas()
    counted = found[found["correct_income"]].groupby("region").size().to_dict()
    assert shown == counted
    assert len(counted) > 1


@pytest.mark.parametrize("at", few(["the tables", "the end", "the policy"]))
def test_a_run_that_fails_leaves_no_table_in_the_schema(
    at: str,
    database: str,
    postgres_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    rules = 'name = "p"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "r"\n'
    policy = tmp_path / "policy.toml"
    # No number is of a second synthesis, which only the results show.
    policy.write_text(f'{rules}syntheses = ["2"]\n' if at == "the policy" else rules)
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        connection.execute("CREATE SCHEMA work")
    execute, keep = PostgreSQL.execute, PostgreSQL.keep
    made = []

    def stopped(self: Any, sql: str, values: Any = None) -> Any:
        if '."record_risk" AS' in sql:  # behind the risky cells
            raise psycopg.errors.DiskFull
        return execute(self, sql, values)

    def kept(self: Any, schema: str, queries: Any) -> None:
        keep(self, schema, queries)
        made.extend(in_schema(database, "work"))
        if at == "the end":
            raise KeyboardInterrupt

    if at == "the tables":
        monkeypatch.setattr(PostgreSQL, "execute", stopped)
    else:
        monkeypatch.setattr(PostgreSQL, "keep", kept)
    asked: dict[str, Any] = {**SAVED, "engine": database, "save": "work", "policy": policy}
    with pytest.raises((KeyboardInterrupt, sqlrisk.EngineError, sqlrisk.InputError)):
        sqlrisk.score("data.people", "data.made", **asked)
    assert (len(made) > 0) is (at != "the tables")
    assert in_schema(database, "work") == set()
    assert left_over(database) == []


@pytest.mark.slow
def test_text_among_numbers_missing_values_and_no_target(database: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k,t\n1.0,x\nNA,x\n2.0,-9\n3.0,y\n")
    (tmp_path / "b.csv").write_text("k,t\n1,x\n2,NA\n2,y\n")
    files = (tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(
        sqlrisk.InputError,
        match=r"a.csv' holds numbers and other text, the first in line 3, while .*b.csv'",
    ):
        sqlrisk.score(*files, keys="k", targets="t", engine=database)
    asked: dict[str, Any] = {"missing": "NA,-9"}
    for question in ({"keys": "k", "targets": "t"}, {"keys": "k,t"}):
        there = sqlrisk.score(*files, **question, **asked, engine=database)
        agree(there.results, sqlrisk.score(*files, **question, **asked).results)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE data.codes (k int4, t text)")
        connection.execute(
            "INSERT INTO data.codes VALUES (1, 'x'), (NULL, 'x'), (-9, NULL), (3, 'NA')"
        )
    there = sqlrisk.score(
        "data.codes", "data.codes", keys="k", targets="t", **asked, engine=database
    )
    rows = pa.table({"k": pa.array([1, None, None, 3], pa.int32()), "t": ["x", "x", None, None]})
    agree(there.results, sqlrisk.score(rows, rows, keys="k", targets="t").results)


@pytest.mark.slow
def test_dates_of_csv_files(database: str, tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "b.parquet"]
    days = ["1999-12-31", "2000-02-29", None], ["2000-01-01", "2000-03-02", None]
    for path, own in zip(paths, days, strict=False):
        pd.DataFrame({"born": own, "ill": ["y", "n", "y"]}).to_csv(path, index=False)
    table = pa.table({"born": pa.array(days[1]).cast(pa.date32()), "ill": ["y", "n", "y"]})
    pa.parquet.write_table(table, paths[2])
    asked: dict[str, Any] = {"keys": "born", "targets": "ill", "within": {"born": "1d"}}
    expected = sqlrisk.score(paths[0], paths[2], **asked)
    assert expected["repU_near"].rows[0]["numerator"] == 2
    for synthetic in paths[1:]:
        assert agree(
            sqlrisk.score(paths[0], synthetic, engine=database, **asked).results, expected.results
        )


@pytest.mark.slow
def test_a_file_of_spss_with_its_labels(database: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"sex": [1, 1, 2, 2, 2, 3], "ill": [0, 0, 1, 1, 0, -9]})
    labels = {"sex": {1: "Male", 2: "Female"}, "ill": {0: "No", 1: "Yes", -9: "Refused"}}
    file = str(tmp_path / "a.sav")
    pyreadstat.write_sav(table, file, variable_value_labels=labels, missing_ranges={"ill": [-9]})
    asked: dict[str, Any] = {"keys": "sex", "targets": "ill"}
    assert agree(
        sqlrisk.score(file, file, engine=database, **asked).results,
        sqlrisk.score(file, file, **asked).results,
    )
    assert sqlrisk.cells("DiSCO", file, file, engine=database, **asked).rows[0][:1] == ("Male",)
    missing = sqlrisk.inspect(file, file, engine=database, **asked).missing
    assert [(row["code"], row["label"], row["records"]) for row in missing] == [
        ("-9", "Refused", 1)
    ] * 2
    as_labels = sqlrisk.score(file, file, engine=database, column="sex.codes=labels", **asked)
    assert agree(as_labels.results, sqlrisk.score(file, file, **asked).results)


@pytest.mark.slow
def test_recodes_of_tables_where_they_are(
    database: str, postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(test_recodes.PLACES)
    files = (test_recodes.ORIGINAL, test_recodes.SYNTHETIC)
    columns = "(age float8, born date, job text, place int8, income float8, ill text)"
    with administrator(postgres_server, database.rpartition("/")[2]) as connection:
        for name, frame in zip(("recoded", "recoded_made"), files, strict=True):
            fill(connection, f"data.{name}", pa.Table.from_pandas(frame), columns)
    column, _ = test_recodes.RECODES["everything"]
    asked: dict[str, Any] = {
        **test_recodes.QUESTION,
        "column": column,
        "measures": "UiO,repU,DiSCO,DCAP",
    }
    found = sqlrisk.score("data.recoded", "data.recoded_made", engine=database, **asked)
    assert agree(found.results, sqlrisk.score(*files, **asked).results)
    near: dict[str, Any] = {
        "keys": ["born", "place"],
        "targets": ["ill"],
        "within": "born=30d",
        "measures": "near_keys",
    }
    found = sqlrisk.score("data.recoded", "data.recoded_made", engine=database, **near)
    assert agree(found.results, sqlrisk.score(*files, **near).results)


@pytest.mark.slow
@pytest.mark.parametrize("zone", few(["America/New_York", "Asia/Tokyo"], 2))
def test_instants_are_those_of_utc_in_a_session_of_another_zone(database: str, zone: str) -> None:
    hours = "timestamptz '2019-12-31 23:30:00+00' + n * interval '1 h'"
    moments = f"SELECT {hours} AS seen, n % 2 AS ill FROM generate_series(0, 3) AS n"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE data.seen AS {moments}")
        connection.execute("GRANT SELECT ON data.seen TO PUBLIC")
        connection.execute(f"SET TIME ZONE '{zone}'")
        seen = [row[0] for row in connection.execute("SELECT seen FROM data.seen")]
        file = pa.table(
            {
                "seen": pa.array(seen, pa.timestamp("us", "Europe/Zurich")),
                "ill": pa.array([0, 1, 0, 1], pa.int32()),
            }
        )
        asked: dict[str, Any] = {"keys": ["seen"], "targets": ["ill"], "engine": connection}
        shown = [row[0] for row in sqlrisk.cells("DiSCO", "data.seen", file, **asked).rows]
        assert shown == [
            f"{hour}:30:00+00"
            for hour in ("2019-12-31 23", "2020-01-01 00", "2020-01-01 01", "2020-01-01 02")
        ]
        years = sqlrisk.score(
            "data.seen", file, **asked, column={"seen": {"date": "year"}}, measures=["UiO", "iS"]
        )
        assert [row["numerator"] for row in years.results] == [1, 4]
        with pytest.raises(
            sqlrisk.InputError, match="Times with and without a time zone cannot be compared"
        ):
            sqlrisk.score(
                "data.seen",
                file.set_column(0, "seen", file["seen"].cast(pa.timestamp("us"))),
                **asked,
            )
        assert connection.execute("SELECT current_setting('TimeZone')").fetchone()[0] == zone


@pytest.mark.parametrize(("kind", "time"), few([("date", ""), ("timestamp", " 00:00:00")]))
def test_a_date_that_python_lacks_is_shown_as_text(kind: str, time: str, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE data.born AS SELECT CAST(born AS {kind}) AS born, ill FROM (VALUES "
            "('-infinity', 'a'), ('0044-03-15 BC', 'b'), ('2020-01-31', 'c'), ('12020-01-01', 'd'),"
            " ('infinity', 'e')) AS people (born, ill)"
        )
        files = ("data.born", "data.born")
        for keys, targets, place in (("born", "ill", 0), ("ill", "born", 2)):
            found = sqlrisk.cells("DiSCO", *files, engine=connection, keys=keys, targets=targets)
            assert [str(row[place]) for row in found.rows] == [
                "-infinity", f"0044-03-15{time} BC", f"2020-01-31{time}", f"12020-01-01{time}",
                "infinity",
            ]  # fmt: skip
        seen = sqlrisk.lookup((connection, "data.born"), key="ill=b", targets="born").rows
        assert [str(row[3]) for row in seen] == [f"0044-03-15{time} BC"]
        with pytest.raises(psycopg.DataError):  # the user's own rows are what they were
            connection.execute("SELECT born FROM data.born").fetchall()
