"""Spark Connect, for real: a server of the tests' own, by its address and by sessions of the
user's, against DuckDB.
"""

import re
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import portable
import pyarrow as pa
import pytest
from on_spark import (
    assert_same,
    assert_same_from_files,
    assert_two_runs_do_not_meet,
    connect_session,
    left_behind,
    people,
)
from servers import ConnectServer, spark_connect_server

import sqlrisk
from sqlrisk.engines.spark import Spark, stage_tables

pytestmark = [
    # a server of its own, and a second Java; test_spark.py has a session in every run
    pytest.mark.slow,
    pytest.mark.xdist_group("spark_connect"),
    pytest.mark.usefixtures("unassessed"),
]
FEW: dict[str, Any] = {
    "keys": ["sex", "born"],
    "targets": ["income", "mood"],
    "measures": ["identity", "DiSCO"],
}


@pytest.fixture
def session(connect_server: ConnectServer) -> Iterator[Any]:
    """A session of the user's, which must be as it was when the test ends."""
    opened: Any = connect_session()(connection=connect_server.address)
    opened.createDataFrame(pa.table({"x": [1]})).createOrReplaceTempView("theirs")
    before = opened.conf.getAll, opened.catalog.listTables(), opened.getTags()
    yield opened
    assert before == (opened.conf.getAll, opened.catalog.listTables(), opened.getTags())
    assert left_behind(opened) == []
    opened.stop()
    assert list((connect_server.folder / "warehouse").glob("sqlrisk_*")) == []


def test_the_command_line_counts_files_on_a_server(
    connect_server: ConnectServer, session: Any, tmp_path: Path
) -> None:
    assert_same_from_files(tmp_path, "--engine", f"{connect_server.address}/;user_id=tests")


def test_a_question_has_the_numbers_of_duckdb(session: Any) -> None:
    """With every kind of exclusion: test_engines.py asks other questions, by the same SQL."""
    settings = {**portable.EACH, **portable.VARIANTS["everything"]}
    assert_same(
        portable.people(0),
        portable.nested(portable.syntheses_of("everything")),
        session,
        **settings,
    )


def test_stage_tables_of_many_rows_are_stored(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_tables, "FEW_VALUES", 10)
    seen: set[str] = set()

    def look(_sql: str, _seconds: float) -> None:
        seen.update(left_behind(session))

    assert_same(people(0), people(1), session, trace=look, **FEW)
    assert {name.split("_", 2)[2] for name in seen} >= {"records", "classes"}


def test_tables_of_the_users_session(session: Any) -> None:
    plain = (
        people(0).select(["sex", "born", "income", "mood"]),
        people(1).select(["sex", "born", "income", "mood"]),
    )
    session.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    session.sql("CREATE SCHEMA own")
    # folders as Hive has them
    session.createDataFrame(plain[0]).write.partitionBy("sex").saveAsTable("own.original")
    session.createDataFrame(plain[1]).createOrReplaceTempView("made")
    try:
        assert_same("own.original", "made", session, theirs=plain, **FEW)
        assert_same(
            (session, "spark_catalog.own.original"),
            (session, "`made`"),
            "duckdb",
            theirs=plain,
            scratch="own",
            **FEW,
        )
        assert {row.tableName for row in session.sql("SHOW TABLES IN own").collect()} == {
            "made",
            "original",
            "theirs",
        }
        with pytest.raises(sqlrisk.InputError, match="There is no table 'own\\.originals'"):
            sqlrisk.score("own.originals", "made", engine=session, **FEW)
        with pytest.raises(sqlrisk.InputError, match="no schema 'nowhere'"):
            sqlrisk.score("own.original", "made", engine=session, scratch="nowhere", **FEW)
    finally:
        session.sql("DROP TABLE own.original")
        session.sql("DROP SCHEMA own")
        session.catalog.dropTempView("made")
        session.conf.unset("spark.sql.timestampType")


def test_a_user_who_may_make_no_tables(session: Any, tmp_path: Path) -> None:
    session.sql(f"CREATE SCHEMA locked LOCATION 'file:{tmp_path}/locked'")
    (tmp_path / "locked").rmdir()
    (tmp_path / "locked").touch()  # no folder: nobody makes tables in it
    session.catalog.setCurrentDatabase("locked")
    try:
        with pytest.raises(
            sqlrisk.InputError,
            match=r"this user may not make tables in spark_catalog\.locked",
        ):
            sqlrisk.score(people(0), people(1), engine=session, **FEW)
        assert_same(people(0), people(1), session, scratch="default", **FEW)
    finally:
        session.catalog.setCurrentDatabase("default")


def test_a_session_that_cannot_be_cloned_gets_its_settings_back(
    connect_server: ConnectServer,
) -> None:
    old: Any = type(
        "a session of Spark before 4.1", (connect_session(),), {"cloneSession": property()}
    )
    session = old(connection=connect_server.address)
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.conf.set("spark.sql.codegen.wholeStage", "true")
    before = session.conf.getAll
    assert_same(people(0), people(1), session, **FEW)
    assert (session.conf.getAll, session.catalog.listTables(), session.getTags()) == (
        before,
        [],
        set(),
    )
    session.stop()


def test_two_runs_side_by_side_do_not_meet(session: Any) -> None:
    assert_two_runs_do_not_meet(session, **FEW)


NUMBERS = "SELECT " + " UNION ALL SELECT ".join(f"{number} AS n" for number in range(40))
# A task looks for a cancellation at each row of its first table, so that there have to be many.
CROSSED = " CROSS JOIN ".join(["many", *(f"numbers AS n{number}" for number in (1, 2, 3))])
LONG = f"SELECT SUM(many.n * n3.n % 7) AS total FROM {CROSSED} WHERE n1.n + n2.n <> many.n - n3.n"


def test_ctrl_c_cancels_what_runs_here_and_nothing_else(session: Any) -> None:
    asked = count()

    def stop() -> None:
        if next(asked) == 30:
            raise KeyboardInterrupt

    others: list[Any] = []
    theirs = threading.Thread(
        target=lambda: others.extend(
            session.range(2 * 10**7).selectExpr("SUM(id % 7) AS s").collect()
        )
    )
    with Spark(session) as engine:
        engine.run(f"CREATE TABLE numbers AS {NUMBERS}")
        engine.load("many", {"n": "BIGINT"}, pa.table({"n": range(100_000)}).to_reader())
        theirs.start()
        engine.on_wait = stop
        with pytest.raises(KeyboardInterrupt):
            engine.run(LONG)
        engine.on_wait = lambda: None
        assert engine.run("SELECT COUNT(*) AS n FROM numbers") == [(40,)]
    theirs.join()
    assert others[0].s > 0


def test_a_server_that_ends_is_one_clear_error() -> None:
    with spark_connect_server() as server:

        def lose(sql: str, _seconds: float) -> None:
            if "TABLE classes" in sql:
                server.process.kill()

        with pytest.raises(sqlrisk.EngineError, match=r"^The Spark session ended during the run"):
            sqlrisk.score(people(0), people(1), engine=server.address, trace=lose, **FEW)


def test_addresses_of_no_server(silent_port: int) -> None:
    asked = people(0), people(1)
    for place in (f"127.0.0.1:{silent_port}", "nowhere.invalid"):
        with pytest.raises(
            sqlrisk.InputError,
            match=rf"No server of Spark Connect answers at sc://{re.escape(place)}: ",
        ):
            sqlrisk.score(*asked, engine=f"sc://{place}/;user_id=me", **FEW)
    with pytest.raises(
        sqlrisk.InputError,
        match="'sc://' is not the address of a Spark Connect server; write sc://host:port",
    ):
        sqlrisk.score(*asked, engine="sc:///;user_id=me", **FEW)


def test_messages_hold_no_value(session: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with Spark(session) as engine:
        engine.run("CREATE TABLE texts AS SELECT 'secret' AS x")
        with pytest.raises(
            sqlrisk.EngineError, match=r"Spark failed \(CAST_INVALID_INPUT\)"
        ) as caught:
            engine.run("SELECT CAST(x AS DOUBLE) AS n FROM texts")
        assert "secret" not in str(caught.value)
        with pytest.raises(sqlrisk.EngineError, match="left the range of its type"):
            engine.run("SELECT CAST(9223372036854775807 AS BIGINT) + COUNT(*) AS n FROM texts")
    assert "secret" not in "".join(capfd.readouterr())
