"""`sqlrisk.score` of the census files on a Spark cluster of this machine.

A master and two workers of one core each. The time is of three syntheses and two targets. The clock
starts before the session is opened and stops when it is closed. One further run has one synthesis
and four targets: its jobs are counted in Spark's event log.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import sqlrisk
from benchmark import spark
from benchmark.children import CACHE, SCRIPTS
from benchmark.figures import Figure, Findings
from benchmark.jobs import Settings
from benchmark.tables import tell

sys.path.append(str(SCRIPTS.parent / "tests" / "support"))  # the servers of the tests

FILES = SCRIPTS.parent / "data" / "census"
KEYS = ("age", "sex", "race", "marital_status", "education")
TARGETS = ("income", "country_birth", "citizenship", "class_of_worker")
BAR = 60.0  # seconds
JOBS = 225  # of one synthesis and four targets, before comparisons shared their statements


def asked(master: str, syntheses: int, targets: int) -> tuple[float, int]:
    """Score the first syntheses and targets in a session of its own. Return its seconds of wall
    clock and its jobs.
    """
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="run-") as place:
        folder, start = Path(place), time.perf_counter()
        options = {"spark.executor.memory": "2g", **spark.logging(folder)}
        with spark.opened(master, folder, options) as session:
            sqlrisk.score(
                str(FILES / "original.parquet"),
                [str(FILES / f"cart_{number}.parquet") for number in range(1, syntheses + 1)],
                keys=list(KEYS),
                targets=list(TARGETS[:targets]),
                engine=session,
            )
        seconds = time.perf_counter() - start
        started = (
            spark.group(event)
            for event in spark.events(folder)
            if event["Event"] == "SparkListenerJobStart"
        )
        return seconds, sum(group.startswith("sqlrisk_") for group in started)


def find(settings: Settings) -> Findings:
    """Score the files again and again, each time in a new session."""
    from servers import spark_cluster

    CACHE.mkdir(exist_ok=True)
    runs = []
    with spark_cluster(memory="3g") as cluster:
        for turn in range(1, settings.repeat + 1):
            runs.append(asked(cluster.address, 3, 2))
            tell(f"{turn}/{settings.repeat} census on Spark: {runs[-1][0]:.1f} s")
        _, fewer = asked(cluster.address, 1, 4)
    seconds, jobs = (statistics.median(each) for each in zip(*runs, strict=True))
    tell(f"jobs of three syntheses and two targets: {jobs:.0f}")
    return Findings(
        figures=[
            Figure("wall clock, census on Spark, two workers", seconds, BAR, "{:.0f} s"),
            Figure("jobs, one synthesis and four targets", fewer, JOBS, "{:.0f}"),
        ]
    )
