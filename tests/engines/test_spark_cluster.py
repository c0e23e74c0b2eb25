"""Spark on a cluster: the same numbers, and what a lost worker or master does to a run."""

import random
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import assert_same_from_files, run
from servers import spark_cluster

import sqlrisk

pytestmark = [
    pytest.mark.slow,  # a cluster of processes: minutes
    pytest.mark.xdist_group("spark"),
]


def test_a_cluster_of_two_workers(tmp_path: Path) -> None:
    with spark_cluster() as cluster:
        assert_same_from_files(tmp_path, "--engine", cluster.address, "--memory-limit", "1GB")


# A run for each list of STAGE=PROCESS. When the stage is done, the process is killed a little
# later, in the middle of the next statement.
LOSING = """
import json, os, signal, sys, threading
import sqlrisk
address, schema, *runs = sys.argv[1:]
asked = {"keys": ["a", "b"], "targets": ["t"], "measures": ["DiSCO"], "memory_limit": "1GB"}
if schema:
    from pyspark.sql import SparkSession
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF"}
    options = {
        **local, **quiet, "spark.executor.memory": "768m", "spark.sql.warehouse.dir": schema
    }
    engine = SparkSession.builder.master(address).config(map=options).getOrCreate()
    engine.sql(f"CREATE SCHEMA locked LOCATION 'file:{schema}/locked'")
    engine.catalog.setCurrentDatabase("locked")
    os.rmdir(f"{schema}/locked")
    open(f"{schema}/locked", "w").close()  # no folder: nobody makes tables in it
else:
    engine = address
for run in runs:
    left = [each.split("=") for each in run.split(",")]
    def lose(sql, seconds):
        if left and f"TABLE {left[0][0]}" in sql:
            threading.Timer(0.2, os.kill, (int(left.pop(0)[1]), 9)).start()
    try:
        report = sqlrisk.score("0.parquet", "1.parquet", engine=engine, trace=lose, **asked)
        print("done", report["DiSCO"].rows[0]["numerator"], left)
    except sqlrisk.EngineError as error:
        print("failed", error)
"""


@pytest.fixture
def expected(tmp_path: Path) -> int:
    """What the score of two files comes to that are written here: so many records that the driver
    holds none of them.
    """
    rng = random.Random(1)  # noqa: S311 - no secret
    for number in (0, 1):
        many = {
            "a": rng.choices(range(400), k=300_000),
            "b": rng.choices(range(400), k=300_000),
            "t": [1, 2, 3] * 100_000,
        }
        pq.write_table(pa.table(many), tmp_path / f"{number}.parquet")
    report = sqlrisk.score(
        tmp_path / "0.parquet", tmp_path / "1.parquet", keys=["a", "b"], targets=["t"]
    )
    return int(report["DiSCO"].rows[0]["numerator"])


def test_a_run_outlives_a_worker_in_each_stage(expected: int, tmp_path: Path) -> None:
    stages = ["levels", "records", "cells", "classes"]
    with spark_cluster(workers=len(stages) + 1) as cluster:
        lost = cluster.workers[:-1]
        killed = [f"{stage}={each.pid}" for stage, each in zip(stages, lost, strict=True)]
        told = run("-c", LOSING, cluster.address, "", ",".join(killed), folder=tmp_path)
        assert (told.returncode, told.stderr) == (0, "")
        assert told.stdout == f"done {expected} []\n"
        assert [process.wait() for process in lost] == [-signal.SIGKILL] * len(stages)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.parquet", "1.parquet"]


def test_a_run_without_a_schema_that_loses_a_worker_and_one_that_loses_the_master(
    expected: int, tmp_path: Path
) -> None:
    with spark_cluster(workers=3) as cluster:
        killed = [f"classes={each.pid}" for each in (cluster.workers[0], cluster.master)]
        told = run("-c", LOSING, cluster.address, str(tmp_path), *killed, folder=tmp_path)
        assert told.returncode == 0
        outlived, lost, *_ = told.stdout.splitlines()
        assert outlived == f"done {expected} []"
        # Spark goes on with the workers it has, or says in one sentence that it cannot.
        assert lost == f"done {expected} []" or lost.startswith(
            "failed The Spark session ended during the run"
        ), told.stdout
        assert cluster.master.wait() == -signal.SIGKILL
