"""`sqlrisk.score` on each engine against that engine's own GROUP BY of the same columns.

Two files of half the records each (6 keys, 1 target) are loaded into a private PostgreSQL server
and read by a Spark cluster of this machine (a master and two workers), both on loopback. For each
engine, the following alternate:
  plain    SELECT keys, target, count(*) GROUP BY keys, target of each file, in the engine itself
  sqlrisk  `sqlrisk.score` of both files: identity, attribute, cap (wall clock of each stage)
PostgreSQL runs twice: with temporary tables, which its planner never reads in parallel, and with
unlogged tables of a scratch schema. With --skewed, half of the records of each file get the keys of
its first record, so one class holds half of all records.
"""

import io
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb

import sqlrisk
from benchmark import spark
from benchmark.children import SCRIPTS, literal
from benchmark.figures import Findings
from benchmark.jobs import Settings
from benchmark.people import KEYS, TARGETS, make_pair
from benchmark.tables import spread, table, tell

sys.path.append(str(SCRIPTS.parent / "tests" / "support"))  # the servers of the tests

COLUMNS = (*KEYS, TARGETS[0])
BAR = 3.0
MEMORY = "2GB"  # the memory limit of DuckDB, also when it only reads
MADE = re.compile(r"\A(?:CREATE (?:TEMPORARY )?TABLE|INSERT INTO) ([a-z]+(?:_[a-z]+)*)")
Seconds = dict[str, float]
Job = Callable[[], Seconds]
"""A function that runs a job once and returns the seconds of each part."""


def grouped(relation: str) -> str:
    """Return the plain query of one file or table."""
    names = ", ".join(COLUMNS)
    counted = f"SELECT {names}, COUNT(*) AS n FROM {relation} GROUP BY {names}"
    return f"SELECT COUNT(*) AS cells, SUM(n) AS records FROM ({counted}) AS counted"


def scored(original: Any, synthetic: Any, **where: Any) -> Seconds:
    """Return the seconds of each stage of a score, by the name of its table."""
    seconds: Seconds = {}

    def note(sql: str, took: float) -> None:
        found = MADE.match(sql)
        name = found[1] if found else "other"
        seconds[name] = seconds.get(name, 0.0) + took

    sqlrisk.score(original, synthetic, keys=list(KEYS), targets=[TARGETS[0]], trace=note, **where)
    return seconds


def skewed(pair: Sequence[Path]) -> list[Path]:
    """Return copies of the files in which every second record has the keys of the first record."""
    made = [path.with_name(f"{path.stem}-skewed.parquet") for path in pair]
    for path, copy in zip(pair, made, strict=True):
        if not copy.exists():
            keys = ", ".join(
                f"CASE WHEN n % 2 = 0 THEN FIRST({key}) OVER (ORDER BY n) ELSE {key} END AS {key}"
                for key in KEYS
            )
            numbered = (
                f"SELECT *, file_row_number AS n FROM read_parquet('{literal(path)}', "
                "file_row_number = true)"
            )
            with duckdb.connect() as connection:
                connection.execute("SET enable_progress_bar = false")
                connection.execute(
                    f"COPY (SELECT {keys}, {TARGETS[0]} FROM ({numbered})) TO '{literal(copy)}' "
                    "(FORMAT parquet)"
                )
    return made


def timed(job: Job) -> tuple[float, Seconds]:
    """Run a job. Return its wall-clock seconds, in total and by part."""
    start = time.perf_counter()
    parts = job()
    return time.perf_counter() - start, parts


@contextmanager
def on_duckdb(pair: Sequence[Path], memory: str) -> Iterator[dict[str, Job]]:
    """Yield the jobs for DuckDB, which reads the files directly."""

    def plain() -> Seconds:
        with duckdb.connect() as connection:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET preserve_insertion_order = false")
            for path in pair:
                connection.execute(grouped(f"'{literal(path)}'")).fetchall()
        return {}

    yield {"plain": plain, "sqlrisk": lambda: scored(*map(str, pair), memory_limit=memory)}


@contextmanager
def on_postgresql(pair: Sequence[Path], memory: str) -> Iterator[dict[str, Job]]:
    """Load the files into PostgreSQL and yield the jobs that read them there."""
    import psycopg
    from pyarrow.csv import WriteOptions, write_csv
    from servers import postgres

    settings = (
        "shared_buffers = '512MB'",
        "work_mem = '256MB'",
        "max_parallel_workers_per_gather = 2",
        "max_wal_size = '4GB'",
    )
    with (
        postgres(*settings) as server,
        psycopg.connect(server.address(), autocommit=True) as connection,
    ):
        connection.execute("CREATE SCHEMA pad")
        for name, path in zip(("original", "synthetic"), pair, strict=True):
            tell(f"PostgreSQL: loading {name}")
            with duckdb.connect() as reader:
                reader.execute("SET enable_progress_bar = false")
                batches = reader.sql(
                    f"SELECT {', '.join(COLUMNS)} FROM '{literal(path)}'"
                ).to_arrow_reader(100_000)
                fields = ", ".join(
                    f"{field.name} {'integer' if field.name == 'age' else 'text'}"
                    for field in batches.schema
                )
                connection.execute(f"CREATE UNLOGGED TABLE {name} ({fields})")
                with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as copy:
                    for batch in batches:
                        piece = io.BytesIO()
                        write_csv(batch, piece, WriteOptions(include_header=False))
                        copy.write(piece.getvalue())
            connection.execute(f"VACUUM ANALYZE {name}")

        def plain() -> Seconds:
            for name in ("original", "synthetic"):
                connection.execute(grouped(name)).fetchall()
            return {}

        where = {"engine": server.address(), "memory_limit": memory}
        yield {
            "plain": plain,
            "sqlrisk, temporary tables": lambda: scored("original", "synthetic", **where),
            "sqlrisk, --scratch": lambda: scored("original", "synthetic", scratch="pad", **where),
        }


@contextmanager
def on_spark(pair: Sequence[Path], memory: str) -> Iterator[dict[str, Job]]:
    """Yield the jobs of a Spark cluster, whose workers read the files."""
    from servers import spark_cluster

    with (
        spark_cluster(memory="3g") as cluster,
        spark.opened(
            cluster.address, cluster.programs.folder, {"spark.executor.memory": "2g"}
        ) as session,
    ):
        for name, path in zip(("original", "synthetic"), pair, strict=True):
            session.read.parquet(str(path)).createOrReplaceTempView(name)

        def plain() -> Seconds:
            for name in ("original", "synthetic"):
                session.sql(grouped(name)).collect()
            return {}

        yield {
            "plain": plain,
            "sqlrisk": lambda: scored(*map(str, pair), engine=session, memory_limit=memory),
        }


ENGINES = {"DuckDB": on_duckdb, "PostgreSQL": on_postgresql, "Spark, 2 workers": on_spark}


def find(settings: Settings) -> Findings:
    """Run the jobs of each engine in turn."""
    records = max(settings.records // 2, 1)
    pair: Sequence[Path] = make_pair(records)
    if settings.skewed:
        pair = skewed(pair)
    rows, stages = [], []
    for engine, opened in ENGINES.items():
        if settings.only not in (None, engine.split(",")[0].lower()):
            continue
        with ExitStack() as stack:
            jobs = stack.enter_context(opened(pair, MEMORY))
            took: dict[str, list[tuple[float, Seconds]]] = {name: [] for name in jobs}
            for turn in range(1, settings.repeat + 1):
                for name, job in jobs.items():
                    took[name].append(timed(job))
                    tell(f"{turn}/{settings.repeat} {engine}, {name}: {took[name][-1][0]:.1f} s")
        bare = statistics.median(seconds for seconds, _ in took["plain"])
        for name, each in took.items():
            ratio = statistics.median(seconds for seconds, _ in each) / bare
            verdict = "" if name == "plain" else "met" if ratio <= BAR else "missed"
            rows.append(
                [
                    f"{engine}: {name}",
                    spread([seconds for seconds, _ in each], "{:.1f}"),
                    f"{ratio:.2f}x",
                    verdict,
                ]
            )
            longest = sorted(each[-1][1].items(), key=lambda item: -item[1])
            stages += [
                [f"{engine}: {name}", stage, f"{seconds:.1f}"] for stage, seconds in longest[:8]
            ]
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "psycopg", "pyspark"))
    shape = ", half of them in one class" if settings.skewed else ""
    head = f"Engines: {records:,} + {records:,} records{shape}; {versions}; bar {BAR:.2f}x of plain"
    jobs_table = table(["job", "wall clock, s", "of plain", "verdict"], rows)
    return Findings(
        texts=[f"{head}\n\n{jobs_table}", table(["job", "stage", "s (last run)"], stages)]
    )
