"""Times sqlrisk on each engine against that engine's own GROUP BY of the same columns.

Two files of 5 million records each (6 keys, 1 target) are loaded into a private PostgreSQL server and read by a Spark cluster of
this machine (a master and two workers), both on loopback. For each engine, by turns:
  plain    SELECT keys, target, count(*) GROUP BY keys, target of each file, in the engine itself
  sqlrisk  `sqlrisk.score` of both files: families identity, attribute, cap; wall clock of each stage
On PostgreSQL twice: with temporary tables, which its planner never reads in parallel, and with unlogged ones of a scratch schema.
--skewed gives half of the records of each file the keys of its first record: one class holds half of everybody.
"""

import argparse
import io
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))  # the servers of the tests

import duckdb
from bench import KEYS, TARGETS, literal, make_pair, spread, table, tell

import sqlrisk

COLUMNS = (*KEYS, TARGETS[0])
BAR = 3.0
MADE = re.compile(r"\A(?:CREATE (?:TEMPORARY )?TABLE|INSERT INTO) ([a-z]+(?:_[a-z]+)*)")
Seconds = dict[str, float]
Job = Callable[[], Seconds]
"""Runs once and returns the seconds of each of its parts."""


def grouped(relation: str) -> str:
    """The plain query of one file or table."""
    names = ", ".join(COLUMNS)
    counted = f"SELECT {names}, COUNT(*) AS n FROM {relation} GROUP BY {names}"
    return f"SELECT COUNT(*) AS cells, SUM(n) AS records FROM ({counted}) AS counted"


def scored(original: Any, synthetic: Any, **where: Any) -> Seconds:
    """Seconds of each stage of a score, by the name of its table."""
    seconds: Seconds = {}

    def note(sql: str, took: float) -> None:
        found = MADE.match(sql)
        name = found[1] if found else "other"
        seconds[name] = seconds.get(name, 0.0) + took

    sqlrisk.score(original, synthetic, keys=list(KEYS), targets=[TARGETS[0]], trace=note, **where)
    return seconds


def skewed(pair: Sequence[Path]) -> list[Path]:
    """Copies of the files in which every other record has the keys of the first one."""
    made = [path.with_name(f"{path.stem}-skewed.parquet") for path in pair]
    for path, copy in zip(pair, made, strict=True):
        if not copy.exists():
            keys = ", ".join(f"CASE WHEN n % 2 = 0 THEN FIRST({key}) OVER (ORDER BY n) ELSE {key} END AS {key}" for key in KEYS)
            numbered = f"SELECT *, file_row_number AS n FROM read_parquet('{literal(path)}', file_row_number = true)"
            with duckdb.connect() as connection:
                connection.execute("SET enable_progress_bar = false")
                connection.execute(f"COPY (SELECT {keys}, {TARGETS[0]} FROM ({numbered})) TO '{literal(copy)}' (FORMAT parquet)")
    return made


def timed(job: Job) -> tuple[float, Seconds]:
    """Wall clock of a job, and of its parts."""
    start = time.perf_counter()
    parts = job()
    return time.perf_counter() - start, parts


@contextmanager
def on_duckdb(pair: Sequence[Path], memory: str) -> Iterator[dict[str, Job]]:
    """The jobs of DuckDB, which reads the files."""

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
    """The jobs of PostgreSQL, once the files are loaded."""
    import psycopg
    from pyarrow.csv import WriteOptions, write_csv
    from servers import postgres

    settings = ("shared_buffers = '512MB'", "work_mem = '256MB'", "max_parallel_workers_per_gather = 2", "max_wal_size = '4GB'")
    with postgres(*settings) as server, psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA pad")
        for name, path in zip(("original", "synthetic"), pair, strict=True):
            tell(f"PostgreSQL: loading {name}")
            with duckdb.connect() as reader:
                reader.execute("SET enable_progress_bar = false")
                batches = reader.sql(f"SELECT {', '.join(COLUMNS)} FROM '{literal(path)}'").to_arrow_reader(100_000)
                fields = ", ".join(f"{field.name} {'integer' if field.name == 'age' else 'text'}" for field in batches.schema)
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
    """The jobs of a Spark cluster, whose workers read the files."""
    from pyspark.sql import SparkSession
    from servers import spark_cluster

    with spark_cluster(memory="3g") as cluster:
        builder = SparkSession.builder.master(cluster.address).config("spark.executor.memory", "2g")
        builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        session = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        for name, path in zip(("original", "synthetic"), pair, strict=True):
            session.read.parquet(str(path)).createOrReplaceTempView(name)

        def plain() -> Seconds:
            for name in ("original", "synthetic"):
                session.sql(grouped(name)).collect()
            return {}

        yield {"plain": plain, "sqlrisk": lambda: scored(*map(str, pair), engine=session, memory_limit=memory)}
        session.stop()


ENGINES = {"DuckDB": on_duckdb, "PostgreSQL": on_postgresql, "Spark, 2 workers": on_spark}


def main() -> None:
    """Runs the jobs of each engine by turns, and prints what each took and the bars."""
    parser = argparse.ArgumentParser(
        prog="sh scripts/bench engines", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=5_000_000, metavar="N", help="in each file (%(default)s)")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="runs of each job (%(default)s)")
    parser.add_argument("--only", choices=[name.split(",")[0].lower() for name in ENGINES], help="one engine alone")
    parser.add_argument("--skewed", action="store_true", help="one class holds half of the records")
    parser.add_argument("--memory-limit", default="2GB", metavar="SIZE", help="of DuckDB, also where it only reads (%(default)s)")
    options = parser.parse_args(sys.argv[2:] if sys.argv[1:2] == ["engines"] else sys.argv[1:])
    pair: Sequence[Path] = make_pair(options.records)
    if options.skewed:
        pair = skewed(pair)
    rows, stages = [], []
    for engine, opened in ENGINES.items():
        if options.only not in (None, engine.split(",")[0].lower()):
            continue
        with ExitStack() as stack:
            jobs = stack.enter_context(opened(pair, options.memory_limit))
            took: dict[str, list[tuple[float, Seconds]]] = {name: [] for name in jobs}
            for turn in range(1, options.repeat + 1):
                for name, job in jobs.items():
                    took[name].append(timed(job))
                    tell(f"{turn}/{options.repeat} {engine}, {name}: {took[name][-1][0]:.1f} s")
        bare = statistics.median(seconds for seconds, _ in took["plain"])
        for name, each in took.items():
            ratio = statistics.median(seconds for seconds, _ in each) / bare
            verdict = "" if name == "plain" else "met" if ratio <= BAR else "missed"
            rows.append([f"{engine}: {name}", spread([seconds for seconds, _ in each], "{:.1f}"), f"{ratio:.2f}x", verdict])
            longest = sorted(each[-1][1].items(), key=lambda item: -item[1])
            stages += [[f"{engine}: {name}", stage, f"{seconds:.1f}"] for stage, seconds in longest[:8]]
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "psycopg", "pyspark"))
    shape = ", half of them in one class" if options.skewed else ""
    print(f"{options.records:,} + {options.records:,} records{shape}; {versions}, Python {platform.python_version()}")
    print(f"wall clock, median (least-greatest) of {options.repeat}; bar {BAR:.2f}x of plain\n")
    print(table(["job", "wall clock, s", "of plain", "verdict"], rows), end="\n\n")
    print(table(["job", "stage", "s (last run)"], stages))


if __name__ == "__main__":
    main()
