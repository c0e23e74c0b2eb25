"""The session: private while it lasts, gone afterwards, closed to every file that is no input."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreement import agree
from quickly import few
from waiting import until

import sqlrisk
from sqlrisk.common.errors import OutOfMemoryError
from sqlrisk.common.output_files import replacing
from sqlrisk.engines import duckdb as engine
from sqlrisk.inputs.sources import read_source

ROOT = Path(__file__).resolve().parents[2]
QUESTION: dict[str, Any] = {"keys": ["k"], "targets": ["t"]}
SMALL = pa.table({"k": range(100), "t": [1] * 100})


@pytest.fixture
def spill(tmp_path: Path) -> Path:
    folder = tmp_path / "spill"
    folder.mkdir()
    return folder


def test_files_are_private_during_a_run_and_gone_after_it(spill: Path) -> None:
    modes: dict[str, int] = {}

    def look(_sql: str, _seconds: float) -> None:
        modes.update({path.name: path.stat().st_mode & 0o777 for path in spill.rglob("*")})

    before = os.umask(0o022)
    try:
        sqlrisk.score(SMALL, SMALL, temp_directory=str(spill), trace=look, **QUESTION)
        after = os.umask(0o022)
    finally:
        os.umask(before)
    assert after == 0o022
    folders = {name: mode for name, mode in modes.items() if name.startswith("sqlrisk-")}
    assert list(folders.values()) == [0o700]
    assert "stages.duckdb" in modes
    assert {mode for name, mode in modes.items() if name not in folders} <= {0o600, 0o700}
    assert list(spill.iterdir()) == []


def test_a_shared_file_has_the_mode_of_the_user_during_sessions_that_overlap(
    tmp_path: Path,
) -> None:
    before = os.umask(0o022)
    try:
        with ExitStack() as second:
            with engine.DuckDB():
                second.enter_context(engine.DuckDB())
            with replacing(tmp_path / "shared.json", shared=True) as file:
                file.write(b"{}")
            (tmp_path / "private").touch()
        after = os.umask(0o022)
    finally:
        os.umask(before)
    assert (tmp_path / "shared.json").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600
    assert after == 0o022


def test_nothing_is_written_out_that_is_removed_then() -> None:
    with engine.DuckDB() as session:
        session.run("CREATE TABLE numbers AS SELECT * FROM range(1000)")
        (place,) = Path(session.scratch("")).glob("stages.duckdb")
        file = place.open("rb")
        before = os.fstat(file.fileno()).st_size
    with file:
        assert not place.exists()
        assert os.fstat(file.fileno()).st_size == before


def test_a_statement_is_parsed_once_in_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PARSED", {})
    statements: list[str] = []
    first = sqlrisk.score(SMALL, SMALL, trace=lambda sql, _: statements.append(sql), **QUESTION)
    parsed = {sql: engine._PARSED[sql] for sql in statements}
    other = SMALL.set_column(0, "k", pa.array(range(100, 200)))
    assert sqlrisk.score(other, SMALL, **QUESTION)["iS"].rows[0]["value"] == 0
    assert agree(sqlrisk.score(SMALL, SMALL, **QUESTION).results, first.results)
    assert {
        sql for sql, statement in parsed.items() if engine._PARSED[sql] is not statement
    } == set()


def test_few_parsed_statements_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PARSED", {})
    monkeypatch.setattr(engine, "_MOST_PARSED", 3)
    assert sqlrisk.score(SMALL, SMALL, **QUESTION)["iS"].rows[0]["value"] == 100
    assert 0 < len(engine._PARSED) <= 3


@pytest.mark.parametrize("error", few([KeyboardInterrupt, SystemExit, ValueError]))
def test_nothing_is_left_whatever_stops_a_run(spill: Path, error: type[BaseException]) -> None:
    def stop(*_: object) -> None:
        raise error

    with pytest.raises(error):
        sqlrisk.score(SMALL, SMALL, temp_directory=str(spill), progress=stop, **QUESTION)
    assert list(spill.iterdir()) == []


def test_nothing_is_left_after_bad_input(spill: Path) -> None:
    with pytest.raises(sqlrisk.InputError):
        sqlrisk.score(SMALL, SMALL.slice(0, 0), temp_directory=str(spill), **QUESTION)
    assert list(spill.iterdir()) == []


def test_too_little_memory_is_an_engine_error_with_advice(spill: Path) -> None:
    rows = 1_000_000
    table = pa.table({"k": range(rows), "t": [1] * rows})
    with pytest.raises(sqlrisk.EngineError, match="--memory-limit"):
        sqlrisk.score(table, table, temp_directory=str(spill), memory_limit="3MB", **QUESTION)
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("bins", few([{}, {"age": 3}], 2))
def test_a_dictionary_that_does_not_fit_in_memory_is_made_in_parts(
    bins: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole dictionaries run out of memory here, and their parts do not. No number changes."""
    people = pa.table(
        {
            "age": [*range(40), None, None, 7, 7],
            "ill": ["yes", "no", None, "yes"] * 11,
        }
    )
    synthetic = people.slice(3, 30)
    asked: dict[str, Any] = {"keys": ["age"], "targets": ["ill"], "bins": bins}
    whole = sqlrisk.score(people, synthetic, **asked)
    run, refused = engine.DuckDB.run, []

    def little(self: engine.DuckDB, sql: str) -> Any:
        if "GROUP BY value" in sql and "HASH(value) %" not in sql:
            refused.append(sql)
            raise OutOfMemoryError("too little")
        return run(self, sql)

    monkeypatch.setattr(engine.DuckDB, "run", little)
    parted = sqlrisk.score(people, synthetic, **asked)
    assert len(refused) >= 2
    assert parted.results == whole.results
    assert parted.levels == whole.levels


@pytest.mark.parametrize(("limit", "joins"), [("450MB", 18), ("1GB", 53), ("2GB", 103)])
def test_less_memory_joins_fewer_dictionaries(limit: str, joins: int) -> None:
    with engine.DuckDB(memory_limit=limit) as opened:
        assert opened.joins() == joins


@pytest.mark.parametrize("size", ["abc", "10 apples", "-1", "-1GB", "0GB", "1", ""])
def test_a_memory_limit_that_is_none(size: str, spill: Path) -> None:
    with pytest.raises(sqlrisk.InputError, match=r"memory_limit.*as in 4GB"):
        sqlrisk.score(SMALL, SMALL, memory_limit=size, temp_directory=str(spill), **QUESTION)
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("threads", [0, -1])
def test_too_few_threads(threads: int) -> None:
    with pytest.raises(sqlrisk.InputError, match="threads"):
        sqlrisk.score(SMALL, SMALL, threads=threads, **QUESTION)


def test_a_temporary_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("none", "file"):
        with pytest.raises(sqlrisk.InputError, match=name):
            sqlrisk.score(SMALL, SMALL, temp_directory=str(tmp_path / name), **QUESTION)


@pytest.mark.parametrize(
    "statement", ["SUM(people) + (SELECT COUNT(*) FROM read_text('{}'))", "SUM(people)"]
)
def test_a_measure_reads_no_other_file(tmp_path: Path, statement: str) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "own").mkdir()
    text = (ROOT / "sql" / "measures" / "attribute" / "disco.sql").read_text(encoding="utf-8")
    text = text.replace('"DiSCO"', '"mine"').replace(
        "SUM(people)", statement.format(tmp_path / "secret.txt")
    )
    (tmp_path / "own" / "mine.sql").write_text(text, encoding="utf-8")
    pq.write_table(SMALL, tmp_path / "a.parquet")
    own = {"measures": ["mine"], "measures_from": str(tmp_path / "own"), **QUESTION}
    path = str(tmp_path / "a.parquet")
    if statement == "SUM(people)":
        assert sqlrisk.score(path, path, **own).results[0]["denominator"] == 100
    else:
        with pytest.raises(sqlrisk.SqlriskError):
            sqlrisk.score(path, path, **own)


def test_the_session_is_locked(tmp_path: Path) -> None:
    from sqlrisk.engines.duckdb import DuckDB
    from sqlrisk.inputs.sources import read_source

    for name in ("a", "b"):
        pq.write_table(SMALL, tmp_path / f"{name}.parquet")
    with DuckDB(temp_directory=str(tmp_path)) as engine:
        relation, kinds, _ = engine.attach(
            read_source(tmp_path / "a.parquet", "the original"), ["k"], "source_0"
        )
        engine.fix_types({relation: kinds})
        assert engine.run(f"SELECT COUNT(*) FROM {relation}") == [(100,)]
        engine.run("CREATE TABLE kept AS SELECT 1 AS x")
        for refused in (
            f"SELECT * FROM read_parquet('{tmp_path}/b.parquet')",
            f"COPY kept TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/other.duckdb'",
            "SET enable_external_access = true",
        ):
            with pytest.raises(sqlrisk.SqlriskError):
                engine.run(refused)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)
def test_a_signal_in_the_middle_of_a_statement(
    tmp_path: Path, spill: Path, number: int, status: int
) -> None:
    numbers = np.arange(2_000_000)
    pq.write_table(pa.table({"k": numbers, "t": numbers % 7}), tmp_path / "a.parquet")
    command = [
        sys.executable,
        "-m",
        "sqlrisk",
        "score",
        "a.parquet",
        "a.parquet",
        "--keys",
        "k",
        "--targets",
        "t",
    ]
    limits = ("--threads", "1", "--memory-limit", "300MB")
    with (tmp_path / "trace").open("wb") as trace:
        process = subprocess.Popen(
            [*command, *limits, "--temp-directory", str(spill), "--trace"],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
            stderr=trace,
        )  # fmt: skip

    # The first long statement runs out of memory, and goes on for seconds.
    until(lambda: list(spill.glob("*/spill/*")) or process.poll() is not None)
    ended = (tmp_path / "trace").read_text()
    process.send_signal(number)
    out, _ = process.communicate()
    assert (process.returncode, out) == (status, b"")
    more = (tmp_path / "trace").read_text().removeprefix(ended)
    assert more.strip() in ("", "Interrupted.")  # the statement did not run to its end
    assert list(spill.iterdir()) == []


def test_a_file_that_breaks_while_it_is_handed_over_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "late.parquet")
    table = pa.table({"k": np.random.default_rng(1).integers(0, 2**62, 300_000)})
    pq.write_table(table, path, row_group_size=50_000, use_dictionary=False)
    page = pq.read_metadata(path).row_group(5).column(0).data_page_offset
    with Path(path).open("r+b") as file:
        file.seek(page)
        file.write(b"\xff" * 40)
    with engine.DuckDB() as session:
        relation, _, _ = session.attach(read_source(path, "the original"), ["k"], "people")
        batches = session.batches(f"SELECT k FROM {relation}", 2**16)
        assert next(batches).num_rows == 2**16
        with pytest.raises(
            sqlrisk.InputError, match=r"late\.parquet' cannot be read: it is broken"
        ):
            list(batches)


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """A database with the tables people, "made up".people and a view of them."""
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT n % 7 AS age, n % 3 AS sex, n % 5 AS income FROM "
            "range(300) AS t(n)"
        )
        connection.execute('CREATE SCHEMA "made up"')
        made = "SELECT n % 6 AS age, n % 2 AS sex, n % 5 AS income FROM range(280) AS t(n)"
        connection.execute(f'CREATE TABLE "made up".people AS {made}')
        connection.execute(
            'CREATE SCHEMA other; CREATE TABLE other.twice (x int); CREATE TABLE "made up".twice '
            "(x int)"
        )
        connection.execute('CREATE VIEW made AS SELECT * FROM "made up".people')
    return path


ASKED: dict[str, Any] = {"keys": ["age", "sex"], "targets": ["income"]}


def expected(warehouse: Path) -> list[dict[str, Any]]:
    with duckdb.connect(warehouse, read_only=True) as connection:
        tables = [
            connection.sql(f"SELECT * FROM {name}").to_arrow_table() for name in ("people", "made")
        ]
    return sqlrisk.score(*tables, **ASKED).results


def test_tables_of_a_database_are_sources(warehouse: Path) -> None:
    wanted = expected(warehouse)
    for original, made in (
        ("people", "made"),
        ("main.people", '"made up".people'),
        ("PEOPLE", "MADE"),
    ):
        assert agree(sqlrisk.score(original, made, engine=str(warehouse), **ASKED).results, wanted)
    with duckdb.connect(warehouse) as connection:
        assert agree(
            sqlrisk.score((connection, "people"), (connection, "made"), **ASKED).results, wanted
        )
        with pytest.raises(sqlrisk.InputError, match="There is no table 'poeple'"):
            sqlrisk.score((connection, "poeple"), (connection, "made"), **ASKED)
    assert sqlrisk.cells("Dorig", "people", "made", engine=str(warehouse), **ASKED).columns[:3] == [
        "age",
        "sex",
        "target",
    ]


@pytest.mark.parametrize("collation", few(["NOCASE", "NOACCENT", "NFC", "de"], 2))
def test_texts_of_a_database_compare_by_bytes(collation: str, tmp_path: Path) -> None:
    """Neither a level nor a target is merged, in records with and without numbers."""
    levels = ["a\u0301", "\u00e1", "A\u0301", "a"]
    texts = pa.table({"sex": levels, "n": [1, 2, 3, 4], "ill": levels[::-1]})
    database = tmp_path / "folded.duckdb"
    with duckdb.connect(database) as connection:
        text = f"VARCHAR COLLATE {collation}"
        connection.execute(f"CREATE TABLE folded (sex {text}, n INTEGER, ill {text})")
        connection.execute("INSERT INTO folded SELECT * FROM texts")
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["ill"]}
    found = sqlrisk.score("folded", "folded", engine=str(database), **asked)
    assert agree(found.results, sqlrisk.score(texts, texts, **asked).results)
    rows = sqlrisk.records("folded", "folded", engine=str(database), **asked)
    assert list(rows["unique"]) == [True] * 4


def test_a_scratch_schema_keeps_the_stage_tables(warehouse: Path) -> None:
    wanted = expected(warehouse)
    assert agree(
        sqlrisk.score("people", "made", engine=str(warehouse), scratch="risk", **ASKED).results,
        wanted,
    )
    assert not warehouse.with_name(f"{warehouse.name}.wal").exists()
    with duckdb.connect(warehouse) as connection:
        assert connection.execute("SELECT COUNT(*) FROM risk.records").fetchall() == [(580,)]
        found = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'risk'"
        ).fetchall()
        assert {"classes", "cells_t1", "levels_k1", "results"} <= {name for (name,) in found}
    with pytest.raises(sqlrisk.InputError, match="has the schema 'risk' already"):
        sqlrisk.score("people", "made", engine=str(warehouse), scratch="risk", **ASKED)
    with pytest.raises(sqlrisk.InputError, match="no file has a column 'nobody'"):
        sqlrisk.score(
            "people",
            "made",
            engine=str(warehouse),
            scratch="unmade",
            **{**ASKED, "keys": ["nobody"]},
        )
    with duckdb.connect(warehouse) as connection:
        schemas = {
            name
            for (name,) in connection.execute("SELECT schema_name FROM duckdb_schemas()").fetchall()
        }
        assert schemas >= {"risk", "made up"}
        assert "unmade" not in schemas


def schemas(database: Path) -> set[str]:
    with duckdb.connect(database) as connection:
        rows = connection.execute("SELECT schema_name FROM duckdb_schemas()").fetchall()
    return {name for (name,) in rows}


def test_a_release_that_fails_leaves_no_scratch_schema(warehouse: Path) -> None:
    stop = ["TABLE records"]

    def trace(sql: str, _: float) -> None:
        if stop and stop[0] in sql:
            stop.clear()
            raise KeyboardInterrupt

    wanted = expected(warehouse)
    how: dict[str, Any] = {**ASKED, "engine": str(warehouse), "scratch": "risk", "trace": trace}
    with sqlrisk.Release("people", "made", **how) as release:
        with pytest.raises(KeyboardInterrupt):
            release.score()
        assert "risk" not in schemas(warehouse)
        assert agree(release.score().results, wanted)
    assert "risk" in schemas(warehouse)
    with (
        sqlrisk.Release("people", "made", **{**how, "scratch": "no", "keys": ["nobody"]}) as other,
        pytest.raises(sqlrisk.InputError, match="no file has a column 'nobody'"),
    ):
        other.score()
    assert "no" not in schemas(warehouse)


def scored_in_a_release(policy: Path, **how: Any) -> None:
    with sqlrisk.Release("people", "made", **ASKED, **how) as release:
        release.score(policy=str(policy))


def scored_together(policy: Path, **how: Any) -> None:
    scenarios = {"both": ASKED, "one": {**ASKED, "keys": ["age"]}}
    sqlrisk.score_all(scenarios, "people", "made", policy=str(policy), **how)


def compared(policy: Path, **how: Any) -> None:
    sqlrisk.utility("people", "made", columns=["age"], ways=[1], policy=str(policy), **how)


@pytest.mark.parametrize(
    ("run", "measure"),
    few([(scored_in_a_release, "DCAP"), (scored_together, "DCAP"), (compared, "S_pMSE")]),
)
def test_only_a_policy_that_can_be_applied_leaves_a_scratch_schema(
    run: Callable[..., None], measure: str, warehouse: Path, tmp_path: Path
) -> None:
    before, policy = schemas(warehouse), tmp_path / "policy.toml"
    for schema, scope, error in (
        # only the results show that there is no second synthesis
        ("none", 'syntheses = ["2"]', sqlrisk.InputError),
        ("risk", "", sqlrisk.PolicyError),
    ):
        rule = f'rule = "{measure} <= 0"\nreason = "r"'
        policy.write_text(f'name = "p"\n[[rule]]\n{rule}\n{scope}\n')
        with pytest.raises(error):
            run(policy, engine=str(warehouse), scratch=schema)
    assert schemas(warehouse) - before == {"risk"}


def test_an_error_of_the_caller_leaves_the_scratch_schema_of_a_release(warehouse: Path) -> None:
    how: dict[str, Any] = {**ASKED, "engine": str(warehouse), "scratch": "risk"}
    with pytest.raises(ZeroDivisionError), sqlrisk.Release("people", "made", **how) as release:
        raise ZeroDivisionError(len(release.score(measures="DCAP").results))
    assert "risk" in schemas(warehouse)


@pytest.mark.slow
def test_a_run_in_a_scratch_schema_can_be_asked_again(warehouse: Path, tmp_path: Path) -> None:
    with duckdb.connect(warehouse) as connection:
        connection.execute("CREATE TABLE few AS SELECT n AS k, n % 2 AS t FROM range(5) AS r(n)")
    files, how = ("few", "few"), {"engine": str(warehouse), "scratch": "risk", **QUESTION}
    report = sqlrisk.score(*files, **how)
    assert report.value("Dorig") == 100
    assert len(report.cells("Dorig")) == 5
    manifest = tmp_path / "risk.json.manifest.json"
    manifest.write_text(json.dumps(report.manifest()))
    assert sqlrisk.rerun(str(manifest)).changed == []


def test_a_scratch_schema_is_refused_by_runs_of_several_sessions(
    warehouse: Path, tmp_path: Path
) -> None:
    how: dict[str, Any] = {"engine": str(warehouse), "scratch": "risk", "targets": ["t"]}
    message = "scratch: a schema of a DuckDB file keeps the tables of one session"
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.tabulate("taub", SMALL, SMALL, keys=[["k"], ["k"]], **how)
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.protect(SMALL, SMALL, keys=["k"], output=tmp_path / "o.parquet", **how)
    assert "DiSCO" in sqlrisk.tabulate("raab", SMALL, SMALL, keys=["k"], **how).columns


def test_a_saved_run_does_not_replace_the_database_of_its_sources(
    warehouse: Path, tmp_path: Path
) -> None:
    before, scenarios = warehouse.read_bytes(), tmp_path / "scenarios.toml"
    scenarios.write_text(
        '[scenario.young]\nkeys = ["age"]\n[scenario.all]\nkeys = ["age", "sex"]\n'
    )
    how: dict[str, Any] = {"engine": str(warehouse), "save": str(warehouse), "targets": ["income"]}
    with pytest.raises(sqlrisk.InputError, match="is the input"):
        sqlrisk.score("people", "made", keys=["age"], **how)
    with pytest.raises(sqlrisk.InputError, match="is the input"):
        sqlrisk.score_all(str(scenarios), "people", "made", **how)
    assert warehouse.read_bytes() == before


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"engine": "none.duckdb"}, "cannot be opened"),
        (
            {"engine": "none.duckdb", "scratch": "risk"},
            "scratch: there is no database '.*none.duckdb",
        ),
        ({"engine": "duckbd"}, "There is no engine 'duckbd' .did you mean 'duckdb'"),
        (
            {"original": "poeple"},
            "There is no table 'poeple' in the database .did you mean 'people'",
        ),
        ({"original": "main.poeple"}, "There is no table 'main.poeple' .* mean 'main.people'"),
        ({"original": "a.b.c"}, "There is no table 'a.b.c' in the database"),
        (
            {"original": "twice"},
            "The table 'twice' is in several schemas .made up, other.: name one, as schema.table.",
        ),
        ({"engine": "duckdb", "scratch": "risk"}, "name the database that holds the schema"),
    ],
)
def test_a_database_that_cannot_be_read(
    asked: dict[str, str], message: str, warehouse: Path, tmp_path: Path
) -> None:
    engine = asked.get("engine", str(warehouse)).replace("none", str(tmp_path / "none"))
    original, scratch = asked.get("original", "people"), asked.get("scratch")
    files = (SMALL, SMALL) if engine == "duckdb" else (original, "made")
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(*files, engine=engine, scratch=scratch, **ASKED)
    assert [path.name for path in tmp_path.iterdir()] == ["warehouse.duckdb"]
