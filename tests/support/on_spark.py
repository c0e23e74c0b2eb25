"""Shared by the tests of Spark: ask Spark and DuckDB one question, and look for tables that a run
leaves behind.
"""

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import portable
import pyarrow as pa
import pyarrow.parquet as pq
from agreement import agree
from servers import QUICK_JAVA

import sqlrisk

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age in years", "sex", "born"]


def connect_session() -> Any:
    """Return the session class of Spark Connect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pyspark uses an older pandas API
        return import_module("pyspark.sql.connect.session").SparkSession


def people(seed: int) -> pa.Table:
    """Return the table of all types, except the type that Spark lacks."""
    return portable.people(seed).drop_columns(["region"])


def assert_same(
    original: Any, synthetic: Any, engine: Any, theirs: Any = None, **settings: Any
) -> sqlrisk.Report:
    """Assert that Spark and DuckDB give equal reports. If ``theirs`` is given, DuckDB reads these
    sources instead.
    """
    by_spark = sqlrisk.score(original, synthetic, engine=engine, **settings)
    original, synthetic = theirs or (original, synthetic)
    by_duckdb = sqlrisk.score(original, synthetic, **{**settings, "scratch": None})
    ours: Any = by_spark.to_dict()
    others: Any = by_duckdb.to_dict()
    assert ours.pop("engine")["name"] == "Spark"
    assert others.pop("engine")["name"] == "DuckDB"
    for each in (ours, others):
        for column in each["columns"]:
            del column["type"]  # named by the engine: Spark has no UUID and no unsigned numbers
        if theirs:
            del each["assessment"]  # its sentences name the sources
            for file in (each["original"], *each["synthetic"]):
                del file["source"]
    assert agree(ours, others)
    assert by_spark.results
    return by_spark


def assert_two_runs_do_not_meet(session: Any, **settings: Any) -> None:
    """Assert that two simultaneous runs in one Spark session do not disturb each other."""
    with ThreadPoolExecutor() as pool:
        list(
            pool.map(
                lambda number: assert_same(people(number), people(number + 1), session, **settings),
                (0, 1),
            )
        )
    assert left_behind(session) == []


def left_behind(session: Any, schema: str = "default") -> list[str]:
    """Return the names of our tables and views that a session still has."""
    places = (schema, "global_temp")
    rows = [row for place in places for row in session.sql(f"SHOW TABLES IN `{place}`").collect()]
    return [row.tableName for row in rows if "sqlrisk_" in row.tableName]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a new Python process in a folder: the command line, if the arguments are ``-m
    sqlrisk``.
    """
    environment = {**os.environ, **QUICK_JAVA, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )


def assert_same_from_files(folder: Path, *options: str) -> None:
    """Assert that the command line gives equal reports of two files with Spark and with DuckDB, and
    that Spark leaves nothing behind.
    """
    for number in (0, 1):
        pq.write_table(people(number), folder / f"{number}.parquet")
    before = sorted(path.name for path in folder.iterdir())
    asked = (
        "-m",
        "sqlrisk",
        "score",
        "0.parquet",
        "1.parquet",
        "--keys",
        ",".join(KEYS),
        "--targets",
        "income,workab",
    )
    ours = run(*asked, "--measures", "UiO,DiSCO,DCAP", "--format", "json", *options, folder=folder)
    assert (ours.returncode, ours.stderr) == (0, ""), ours.stderr
    theirs = run(*asked, "--measures", "UiO,DiSCO,DCAP", "--format", "json", folder=folder)
    assert agree(_without_engine(ours.stdout), _without_engine(theirs.stdout))
    assert sorted(path.name for path in folder.iterdir()) == before


def _without_engine(text: str) -> dict[str, Any]:
    report = json.loads(text)
    assert report.pop("engine")["name"] in ("Spark", "DuckDB")
    return dict(report)
