"""Spark, for real: on this machine, and beside a session of the user's, against DuckDB."""

import datetime as dt
import decimal
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import compiled
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clickhouse import statements
from kept_tables import KEPT, SAVED, assert_kept
from on_spark import (
    assert_same,
    assert_same_from_files,
    assert_two_runs_do_not_meet,
    left_behind,
    people,
    run,
)
from processes import sqlrisk as sqlrisk_command
from processes import without
from servers import QUICK_SPARK
from waiting import until

import sqlrisk
from sqlrisk.engines.spark import Spark, engine, java, numbering, stage_tables
from tests.engines.test_postgresql import people as levels_and_numbers

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("unassessed")]
FEW: dict[str, Any] = {"measures": ["UiO", "DiSCO", "DCAP"]}
MOMENTS = [
    dt.datetime.fromisoformat(each)
    for each in ("1969-12-31 23:59:59.999999", "2024-03-31 02:30:00")
]
HOSTILE = [
    "it's",
    'a"b',
    "back\\slash",
    "\\n",
    "a\nb",
    "${x}",
    "$1",
    "`tick`",
    "é\u2028ü",
    "{}",
    "%s",
    "",
    " ",
    "NULL",
    "A",
    "a",
    "a ",
]


@pytest.fixture
def session(spark: Any) -> Any:
    return spark


# ---- the same numbers --------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_line_counts_parquet_files_on_this_machine(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    assert_same_from_files(
        tmp_path,
        "--engine",
        "spark",
        "--threads",
        "2",
        "--memory-limit",
        "2GB",
        "--temp-directory",
        "spill",
    )
    assert list(spill.iterdir()) == []


@pytest.mark.slow
def test_special_uniques_and_the_nearest_records(session: Any) -> None:
    question = {
        "keys": ["sex", "income", "workab"],
        "targets": ["mood"],
        "measures": ["GCAP", "UiO"],
    }
    report = assert_same(
        people(0).slice(0, 300),
        people(1).slice(0, 300),
        session,
        populations=["all", "special"],
        **question,
    )
    assert {row["population"] for row in report.results} == {"all", "special"}
    assert any(row["measure"] == "GCAP" and row["numerator"] for row in report.results)


def hostile(seed: int) -> pa.Table:
    """Names and levels that mean something to a shell, to SQL, or to Spark."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    rows = 400
    return pa.table({
        'k`e"y.${x}': rng.choices([*HOSTILE, None], k=rows),
        "a,b;{}\n\\t": rng.choices([0.0, -0.0, float("nan"), None, float("inf"), 1e300, -5.5],
            k=rows),
        "the 'date'": pa.array(rng.choices([dt.date(1500, 2, 28), dt.date(2024, 2, 29), None],
            k=rows)),
        "when": pa.array(rng.choices([MOMENTS[0], MOMENTS[1]],
                                     k=rows), pa.timestamp("us")),
        "price": pa.array(rng.choices([decimal.Decimal("0.10"), decimal.Decimal("-99999999.99"),
            None], k=rows),
                          pa.decimal128(12, 2)),
        "huge": pa.array(rng.choices([2**63, 2**64 - 1, 0], k=rows), pa.uint64()),
        "select": rng.choices([True, False, None], k=rows),
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "frame", "parquet"])
def test_hostile_names_and_levels(form: str, session: Any, tmp_path: Path) -> None:
    files: list[Any] = [hostile(1), hostile(2)]
    keys = list(files[0].column_names[:4])
    if form != "frame":
        for number, table in enumerate(files):
            path = tmp_path / f"{number}.{form}"
            if form == "csv":
                plain = table.rename_columns(['k`e"y.${x}', *map(str, range(6))])
                plain.to_pandas().to_csv(path, index=False)
                keys = ['k`e"y.${x}', "0", "1", "2"]
            else:
                pq.write_table(table, path)
            files[number] = str(path)
    levels = ["it's", "back\\slash", "\\n", "a\nb", "${x}", "é\u2028ü", "a"]
    name = 'k`e"y.${x}'
    report = assert_same(
        files[0],
        files[1],
        session,
        keys=keys[1:],
        targets=[name],
        exclude_level={name: levels},
        **FEW,
    )
    assert {row["reason"] for row in report.exclusions} == {"target level"}
    if form == "parquet":  # the frames are read as these files are
        assert_same(files[0], files[1], session, keys=[name, keys[3]], bins={"price": 3},
            exclude_missing=[name],
                    targets=["price"], **FEW)  # fmt: skip
        assert_same(
            files[0],
            files[1],
            session,
            keys=["price", "huge"],
            targets=["select", "the 'date'"],
            by=["when"],
            **FEW,
        )


@pytest.mark.slow
def test_sums_that_leave_their_type_fail(session: Any) -> None:
    with Spark(session) as engine:
        engine.run(
            "CREATE TABLE numbers AS SELECT 9223372036854775807 AS n UNION ALL SELECT 1 AS n"
        )
        with pytest.raises(sqlrisk.EngineError, match="left the range of its type"):
            engine.run("SELECT SUM(n) AS total FROM numbers")
        assert engine.run(
            "SELECT CAST(SUM(CAST(n AS HUGEINT)) AS HUGEINT) AS total FROM numbers"
        ) == [(2**63,)]


@pytest.mark.slow
def test_the_dialect_means_the_same(session: Any) -> None:
    with Spark(session) as engine:
        engine.run(
            "CREATE TABLE one AS SELECT 'a\\b''c' || CHR(10) || CHR(8232) AS text, -7 AS n, "
            "CAST('NaN' AS DOUBLE) AS x"
        )
        assert engine.run(
            "SELECT text, n % 3 AS rest, TRY_CAST('x' AS DOUBLE) AS nothing, ISNAN(x) AS missing,"
            " CAST('2024-03-10 02:30:00' AS TIMESTAMP) AS moment, text = 'a\\b''c' || CHR(10) || "
            "CHR(8232) AS same FROM one"
        ) == [("a\\b'c\n\u2028", -1, None, True, dt.datetime.fromisoformat("2024-03-10 02:30:00"),
            True)]  # fmt: skip
        engine.run("INSERT INTO one SELECT 'z' AS text, 1 AS n, CAST(NULL AS DOUBLE) AS x")
        assert engine.run("SELECT text FROM one ORDER BY x, n DESC LIMIT 1") == [
            ("a\\b'c\n\u2028",)
        ]
        assert engine.estimate_groups("one", ["text", "n"]) == 2


# ---- tables of the session ---------------------------------------------------------------


@pytest.mark.slow
def test_tables_of_the_users_session(session: Any, tmp_path: Path) -> None:
    plain = (
        people(0).select(["sex", "born", "income", "mood"]),
        people(1).select(["sex", "born", "income", "mood"]),
    )
    for number, table in enumerate(plain):
        pq.write_table(table, tmp_path / f"{number}.parquet")
        session.read.parquet(str(tmp_path / f"{number}.parquet")).createOrReplaceTempView(
            f"people_{number}"
        )
    session.sql("CREATE SCHEMA IF NOT EXISTS own")
    session.table("people_0").write.saveAsTable("own.original", path=str(tmp_path / "own"))
    before = session.conf.getAll
    question: dict[str, Any] = {
        "keys": ["sex", "born"],
        "targets": ["income", "mood"],
        "measures": ["identity", "DiSCO"],
    }
    try:
        assert_same("people_0", "people_1", session, theirs=plain, **question)
        assert_same(
            (session, "own.original"), (session, "`people_1`"), "duckdb", theirs=plain, **question
        )
        # A place that the workers reach, and this process need not.
        places = (f"file://{tmp_path}/0.parquet", f"file://{tmp_path}/1.parquet")
        assert_same(*places, session, theirs=plain, **question)
        with pytest.raises(
            sqlrisk.InputError, match="cannot be read: Spark finds no Parquet files there"
        ):
            sqlrisk.score(places[0], f"file://{tmp_path}/2.parquet", engine=session, **question)
        with pytest.raises(sqlrisk.InputError, match="There is no table 'people_3'"):
            sqlrisk.score("people_0", "people_3", engine=session, **question)
        with pytest.raises(sqlrisk.InputError, match="is not a valid table name"):
            sqlrisk.score("people_0", "peo ple", engine=session, **question)
        with pytest.raises(sqlrisk.InputError, match="no schema 'nowhere'"):
            sqlrisk.score("people_0", "people_1", engine=session, scratch="nowhere", **question)
    finally:
        session.sql("DROP TABLE own.original")
    assert session.conf.getAll == before
    assert left_behind(session) == []


@pytest.fixture
def schema(session: Any) -> Iterator[Callable[[], set[str]]]:
    """A function that returns the tables of the schema `kept`, beside views of people."""
    for name, seed in (("people", 1), ("made", 3)):
        session.createDataFrame(levels_and_numbers(seed)).createOrReplaceTempView(name)
    session.sql("CREATE SCHEMA kept")
    yield lambda: {
        row.tableName for row in session.sql("SHOW TABLES IN kept").collect() if not row.isTemporary
    }
    session.sql("DROP SCHEMA kept CASCADE")


@pytest.mark.slow
def test_a_run_leaves_risky_cells_and_the_risk_of_records_in_a_schema(
    session: Any, schema: Callable[[], set[str]]
) -> None:
    report = sqlrisk.score("people", "made", engine=session, save="kept", **SAVED)
    assert schema() == {*report.kept} == KEPT
    assert left_behind(session) == []

    def read(name: str) -> list[dict[str, Any]]:
        return [row.asDict() for row in session.table(f"kept.{name}").collect()]

    assert_kept(read, levels_and_numbers(1), levels_and_numbers(3))
    # What is there already is never written over.
    for name in ("kept", "spark_catalog.kept"):
        with pytest.raises(sqlrisk.InputError, match=r"already holds risky_disco, record_risk;"):
            sqlrisk.score("people", "made", engine=session, save=name,
                          keys="age", targets="income", measures="DiSCO")  # fmt: skip
    for name in ("nowhere", "nowhere.work"):
        with pytest.raises(sqlrisk.InputError, match=f"no schema '{name}'"):
            sqlrisk.score("people", "made", engine=session, save=name, **SAVED)
    assert schema() == KEPT


@pytest.mark.slow
def test_tables_do_not_stay_in_a_spark_that_ends_with_the_run(tmp_path: Path) -> None:
    for number in (0, 1):
        pq.write_table(people(number).select(["sex", "mood"]), tmp_path / f"{number}.parquet")
    done = run(
        *("-m", "sqlrisk", "score", "0.parquet", "1.parquet", "--keys", "sex", "--targets", "mood"),
        *("--engine", "spark", "--save", "default", "--memory-limit", "2GB"),
        folder=tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "save: Spark was started only for this run, so its tables end with the run" in done.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize("at", ["a table", "a name", "the end"])
def test_a_run_that_fails_leaves_no_table_in_the_schema(
    at: str, session: Any, schema: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, keep = stage_tables.StageTables.planned, Spark.keep
    seen: list[set[str]] = []
    stop = {"a table": "_named_records", "a name": "RENAME TO `record_risk`"}.get(at)

    def stopped(self: Any, query: str) -> Any:
        if stop is not None and stop in query:  # behind the risky cells
            seen.append(schema())
            raise OSError
        return planned(self, query)

    def kept(self: Any, place: str, queries: Any) -> None:
        keep(self, place, queries)
        seen.append(schema())
        raise KeyboardInterrupt

    monkeypatch.setattr(stage_tables.StageTables, "planned", stopped)
    if at == "the end":
        monkeypatch.setattr(Spark, "keep", kept)
    with pytest.raises((KeyboardInterrupt, sqlrisk.EngineError)):
        sqlrisk.score("people", "made", engine=session, save="kept", **SAVED)
    there = {"a table": set(), "a name": KEPT - {"record_risk"}, "the end": KEPT}
    assert len(seen) == 1
    assert seen[0] & KEPT == there[at]
    assert len(seen[0]) == len(KEPT) - (at == "a table")
    assert schema() == set()
    assert left_behind(session) == []


@pytest.mark.slow
def test_tables_of_hive_folders_and_of_a_second_catalog(session: Any, tmp_path: Path) -> None:
    """Delta and Iceberg come by catalogs of this kind; their jars are not here."""
    columns = ["sex", "workab", "income"]
    plain = [people(number).select(columns) for number in (0, 1)]
    catalog = "spark.sql.catalog.lake"
    settings = {
        catalog: "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
        f"{catalog}.url": f"jdbc:derby:memory:{tmp_path.name};create=true",
        f"{catalog}.driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
    }
    for name, value in settings.items():
        session.conf.set(name, value)
    session.createDataFrame(plain[0]).write.partitionBy("sex", "workab").saveAsTable(
        "hived", path=str(tmp_path / "hived")
    )
    session.createDataFrame(plain[1]).writeTo("lake.APP.made").create()
    question: dict[str, Any] = {
        "keys": ["sex", "workab"],
        "targets": ["income"],
        "measures": ["identity", "DiSCO"],
    }
    try:
        assert (tmp_path / "hived" / "sex=F").is_dir()
        assert_same("hived", "lake.APP.made", session, theirs=tuple(plain), **question)
        assert_same(
            f"file://{tmp_path}/hived",
            (session, "`lake`.`APP`.made"),
            session,
            theirs=tuple(plain),
            **question,
        )
    finally:
        session.sql("DROP TABLE hived")
        session.sql("DROP TABLE lake.APP.made")
        for name in settings:
            session.conf.unset(name)
    assert left_behind(session) == []


def test_the_folder_of_a_lake_table_is_not_read_as_plain_files(
    session: Any, tmp_path: Path
) -> None:
    """Its files also hold records that were deleted. Secrets in addresses would be shown."""
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["workab"], "engine": session}
    for kind, inside in (("Delta", "_delta_log/0.json"), ("Iceberg", "metadata/1.metadata.json")):
        folder = tmp_path / kind
        (folder / inside).parent.mkdir(parents=True)
        (folder / inside).write_text("{}\n")
        pq.write_table(people(0), folder / "part.parquet")
        with pytest.raises(sqlrisk.InputError, match=f"is the folder of an? {kind} table, whose"):
            sqlrisk.score(f"file://{folder}", people(1), **asked)
    with pytest.raises(sqlrisk.InputError, match="holds a user, a password") as caught:
        sqlrisk.score("s3a://key:secret@people/original", people(1), **asked)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_text_of_another_collation_and_moments_of_a_zone(session: Any) -> None:
    rows = "VALUES ('a', 1), ('A', 2), ('a ', 3), ('\u00e4', 3), (NULL, 4) AS t(x, n)"
    session.sql(
        f"SELECT x COLLATE UNICODE_CI AS x, n, timestamp_seconds(n) AS w FROM {rows}"
    ).createOrReplaceTempView("caseless")
    plain = pa.table({"x": ["a", "A", "a ", "ä", None], "n": [1, 2, 3, 3, 4], "w": [1, 2, 3, 3, 4]})
    report = assert_same(
        "caseless", "caseless", session, theirs=(plain, plain), keys=["x"], targets=["n"], **FEW
    )
    assert report["UiO"].rows[0]["numerator"] == 5
    moments = sqlrisk.score(
        "caseless", "caseless", engine=session, keys=["w"], targets=["x"], **FEW
    )
    assert moments["UiO"].rows[0]["numerator"] == 3


@pytest.mark.slow
def test_whole_numbers_of_one_byte(session: Any) -> None:
    rows = "VALUES (1, 'a'), (2, 'b'), (2, 'b') AS t(n, ill)"
    session.sql(f"SELECT CAST(n AS TINYINT) AS n, ill FROM {rows}").createOrReplaceTempView("bytes")
    plain = pa.table({"n": [1, 2, 2], "ill": ["a", "b", "b"]})
    report = assert_same(
        "bytes", "bytes", session, theirs=(plain, plain), keys=["n"], targets=["ill"], **FEW
    )
    assert report["UiO"].rows[0]["numerator"] == 1


@pytest.mark.slow
def test_stage_tables_of_a_scratch_schema_are_dropped(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_tables, "FEW_VALUES", 10)  # few rows would not be stored
    session.sql("CREATE SCHEMA IF NOT EXISTS scratch")
    seen: set[str] = set()

    def look(_sql: str, _seconds: float) -> None:
        seen.update(left_behind(session, "scratch"))

    question: dict[str, Any] = {
        "keys": ["sex", "income"],
        "targets": ["workab"],
        "measures": ["identity", "DiSCO"],
    }
    assert_same(people(0), people(1), session, scratch="scratch", trace=look, **question)
    assert any(name.endswith("_records") for name in seen)
    assert left_behind(session, "scratch") == []
    session.sql("DROP SCHEMA scratch")


@pytest.mark.slow
def test_two_runs_side_by_side_do_not_meet(session: Any) -> None:
    assert_two_runs_do_not_meet(
        session, keys=["sex", "income"], targets=["workab"], measures=["identity", "DiSCO"]
    )


# ---- cancel, failure, cleaning up --------------------------------------------------------


def interrupt(_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("stop", "error", "message"),
    [
        (interrupt, KeyboardInterrupt, "^$"),
        (
            lambda session: session.sparkContext.cancelAllJobs(),
            sqlrisk.EngineError,
            r"another program cancelled the job\.",
        ),
    ],
    ids=["Ctrl-C", "another program"],
)
def test_a_job_is_cancelled(
    session: Any, stop: Callable[[Any], None], error: type[BaseException], message: str
) -> None:
    tracker = session.sparkContext.statusTracker()
    executors = session.sparkContext._jsc.sc().statusTracker().getExecutorInfos

    def tasks() -> int:
        return sum(executor.numRunningTasks() for executor in executors())

    def stop_it() -> None:
        if tracker.getActiveJobsIds() and tasks():
            stop(session)

    with Spark(session) as engine:
        engine.run(
            "CREATE TABLE numbers AS SELECT "
            + " UNION ALL SELECT ".join(f"{number} AS n" for number in range(40))
        )
        # A task looks for a cancellation at each row of its first table, so that there have to be
        # many of them.
        engine.load("many", {"n": "BIGINT"}, pa.table({"n": range(100_000)}).to_reader())
        crossed = " CROSS JOIN ".join(["many", *(f"numbers AS n{number}" for number in (1, 2, 3))])
        engine.on_wait = stop_it
        with pytest.raises(error, match=message):
            engine.run(
                f"SELECT SUM(many.n * n3.n % 7) AS total FROM {crossed} WHERE n1.n + n2.n <> "
                "many.n - n3.n"
            )
        engine.on_wait = lambda: None
        # Spark's listeners hear of it later
        until(lambda: not tracker.getActiveJobsIds() and not tasks())
        assert engine.run("SELECT COUNT(*) AS n FROM numbers") == [(40,)]
    assert left_behind(session) == []


def test_a_statement_over_few_rows_is_one_job(session: Any) -> None:
    """However many tables it joins and sums; the settings for it are not those of the user."""
    tracker, before = session.sparkContext.statusTracker(), session.conf.getAll
    numbers = pa.table({"n": range(40)})

    def heard() -> int:
        # Spark's listeners hear of a job after it is done.
        session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        return len(tracker.getJobIdsForGroup(opened.prefix))

    with Spark(session) as opened:
        for name in ("one", "other"):
            opened.load(name, {"n": "BIGINT"}, numbers.to_reader())
        jobs = heard()
        sums = " UNION ALL ".join(
            f"SELECT a.n % {number} AS n, COUNT(*) AS m FROM one AS a JOIN (SELECT n, SUM(n) AS s "
            f"FROM other GROUP BY n) AS b ON a.n = b.n GROUP BY a.n % {number}"
            for number in (2, 3)
        )
        assert sorted(opened.run(sums)) == [(0, 14), (0, 20), (1, 13), (1, 20), (2, 13)]
        assert heard() == jobs + 1
    assert session.conf.getAll == before


@pytest.mark.slow
def test_rows_are_numbered_by_ranges(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one window over all rows numbers them, whatever they are; and by several workers."""
    monkeypatch.setattr(engine, "ONE_WORKER", 1000)
    for limit in ("FEW_VALUES", "_FEW_BYTES"):
        monkeypatch.setattr(stage_tables, limit, 0)
    own = session.newSession()
    # ranges of so few rows would be made one
    own.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    own.conf.set("spark.sql.shuffle.partitions", "5")
    rng = random.Random(1)  # noqa: S311 - no secret
    texts = list(
        {"".join(rng.choices("aAé\u2028\\' ~", k=rng.randint(0, 6))) for _ in range(20_000)}
    )
    number = "ROW_NUMBER() OVER (ORDER BY CASE WHEN value IS NULL THEN 1 ELSE 0 END, value)"
    codes = f"CASE WHEN value IS NULL THEN 0 ELSE CAST({number} AS INTEGER) END AS code"
    with Spark(own) as opened:
        opened.load("texts", {"x": "VARCHAR"}, pa.table({"x": [*texts, None, *texts]}).to_reader())
        opened.run(
            f"CREATE TABLE levels AS SELECT value, {codes}, n FROM (SELECT x AS value, COUNT(*) "
            "AS n FROM texts GROUP BY x) AS counted"
        )
        found = opened.run("SELECT value, code, n FROM levels")
        assert opened.run("SELECT COUNT(*) AS n FROM levels") == [(len(texts) + 1,)]
        ranked = sorted(texts, key=str.encode)
        assert sorted(found, key=lambda row: row[1]) == [
            (None, 0, 1),
            *((text, n, 2) for n, text in enumerate(ranked, start=1)),
        ]
        numbers = numbering.numbering(
            f"SELECT x, ROW_NUMBER() OVER (ORDER BY x) AS n FROM {opened.place('texts')} AS t"
        )
        assert numbers is not None
        opened.create("placed", numbers.in_ranges(opened.place("texts")))
        opened.create("before", numbers.before(opened.place("placed")))
        assert opened.run("SELECT COUNT(*) AS n FROM before") == [(5,)]
    assert left_behind(session) == []


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_whatever_stops_a_run(
    error: type[BaseException], session: Any, tmp_path: Path
) -> None:
    def stop(stage: str, *_: object) -> None:
        if stage == "classes":
            raise error

    session.sql("CREATE SCHEMA IF NOT EXISTS stopped")
    with pytest.raises(error):
        sqlrisk.score(people(0), people(1), engine=session, scratch="stopped", keys=["sex"],
            targets=["mood"],
                      temp_directory=str(tmp_path), progress=stop)  # fmt: skip
    assert left_behind(session, "stopped") == []
    assert list(tmp_path.iterdir()) == []
    session.sql("DROP SCHEMA stopped")


def test_messages_hold_no_value(session: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with Spark(session) as engine:
        engine.run("CREATE TABLE texts AS SELECT 'secret' AS x")
        with pytest.raises(
            sqlrisk.EngineError, match=r"Spark failed \(CAST_INVALID_INPUT\)"
        ) as caught:
            engine.run("SELECT CAST(x AS DOUBLE) AS n FROM texts")
        assert "secret" not in str(caught.value)
        with pytest.raises(sqlrisk.EngineError, match="TABLE_OR_VIEW_NOT_FOUND"):
            engine.run("SELECT x FROM nowhere")
    assert "secret" not in "".join(capfd.readouterr())


def test_a_java_that_is_too_old_or_missing(tmp_path: Path) -> None:
    with pytest.raises(sqlrisk.InputError, match="openjdk-17-jre-headless"):
        java.find_java({"PATH": ""}, ())
    for number, text in ((8, 'JAVA_VERSION="1.8.0_402"'), (17, 'JAVA_VERSION="17.0.1"')):
        (tmp_path / f"jdk-{number}" / "bin").mkdir(parents=True)
        (tmp_path / f"jdk-{number}" / "release").write_text(f"{text}\n")
        program = tmp_path / f"jdk-{number}" / "bin" / "java"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    old = {"PATH": "", "JAVA_HOME": str(tmp_path / "jdk-8")}
    with pytest.raises(sqlrisk.InputError, match="is Java 8"):
        java.find_java(old, ())
    assert java.find_java(old, (str(tmp_path / "*"),)) == tmp_path / "jdk-17"


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("spark://127.0.0.1:{port}", "No Spark master answers"),
        ("spark://nowhere.invalid:7077", "No Spark master answers"),
        ("spark://here", "is not the address of a Spark cluster"),
        ("spark://here:port", "is not the address of a Spark cluster"),
    ],
)
def test_a_cluster_that_is_none(engine: str, message: str, silent_port: int) -> None:
    address = engine.format(port=silent_port)
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(people(0), people(1), engine=address, keys=["sex"], targets=["mood"])


def test_spark_connect_without_its_packages(tmp_path: Path) -> None:
    """Pyspark itself would end a program that has no file, silently and with status 0."""
    pq.write_table(people(0), tmp_path / "people.parquet")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        done = sqlrisk_command(
            "score", "people.parquet", "people.parquet", "--keys", "sex",
            "--engine", f"sc://127.0.0.1:{listening.getsockname()[1]}",
            program=without("grpc"), folder=tmp_path,
        )  # fmt: skip
    assert (done.status, done.out) == (2, "")
    assert "Spark Connect needs packages of its own: pip install" in done.err


def test_settings_that_are_none() -> None:
    with pytest.raises(sqlrisk.InputError, match="Spark needs 1GB"):
        Spark("spark", memory_limit="100MB")
    with pytest.raises(sqlrisk.InputError, match="threads: 0"):
        Spark("spark", threads=0)


def test_a_second_session_in_one_process(session: Any) -> None:
    with pytest.raises(sqlrisk.InputError, match="has a Spark session already"):
        sqlrisk.score(people(0), people(1), engine="spark", keys=["sex"], targets=["mood"])
    assert session.range(3).count() == 3


@pytest.mark.slow
def test_compiled_sql_gives_the_rows_of_a_report(session: Any) -> None:
    # with Spark's own settings where they may change a number, as a user's would have
    own = session.newSession()
    for name, value in QUICK_SPARK.items():
        own.conf.set(name, value)
    question = "bins"
    # A view that stays reads no temporary one.
    for name, table in compiled.tables(question).items():
        own.createDataFrame(table).write.saveAsTable(name)
    syntheses = compiled.SYNTHESES[:2]
    files = compiled.compile_question(question, "spark", syntheses)
    for name, text in sorted(files.items()):
        if name[3:-4] in compiled.RUN:
            for statement in statements(text):
                own.sql(statement)
    rows = [row.asDict() for row in own.sql(compiled.SELECT).collect()]
    compiled.assert_same(
        compiled.found(rows), compiled.reported(compiled.score_question(question, syntheses))
    )
    compiled.assert_views(
        question, lambda select: [row.asDict() for row in own.sql(select).collect()], syntheses
    )
    for name, text in files.items():
        if name.endswith("drop.sql"):
            for statement in statements(text):
                own.sql(statement)
    for name in compiled.tables(question):
        own.sql(f"DROP TABLE {name}")
    assert [row.tableName for row in own.sql("SHOW TABLES").collect() if not row.isTemporary] == []
