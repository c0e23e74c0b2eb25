"""Classic Spark: the driver runs on this machine, in the user's session or in a Java process
started here.
"""

import os
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any, ClassVar
from urllib.parse import urlsplit

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sqlrisk.common.errors import InputError
from sqlrisk.engines.spark.java import is_running, start_java, stop_java
from sqlrisk.engines.spark.run_session import LOOPBACK, SAME_NUMBERS, RunSession

_QUIET = "status = off\nrootLogger.level = off\n"


class Classic(RunSession):
    """A new session of the user's Spark, or of a Spark started here for ``spark`` or an address."""

    sees_files: ClassVar[bool] = True
    checkpoints: ClassVar[bool] = True

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self._gateway: Any = None
        self._context: SparkContext | None = None

    @property
    def outlives_run(self) -> bool:
        return not isinstance(self.given, str)  # else its catalog is in the private folder

    def begin(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            # pyspark does this at its first call, with a warning about a pandas that nothing here
            # uses.
            import_module("pyspark.testing.utils")
        if isinstance(self.given, str):
            self._start()
        else:
            self.user = self.given
        self.session = self.user.newSession()
        for name, value in {**self.user.conf.getAll, **SAME_NUMBERS}.items():
            if name.startswith("spark.sql.catalog.") or (
                name.startswith("spark.sql.") and self.session.conf.isModifiable(name)
            ):
                self.session.conf.set(name, value)
        # For this thread, which runs every statement.
        self.session.sparkContext.setJobGroup(self.tag, "sqlrisk")

    def _start(self) -> None:
        if SparkContext._active_spark_context is not None:  # noqa: SLF001 - pyspark has no public way to ask
            raise InputError(
                "This process has a Spark session already; pass it with engine=, or stop it first."
            )
        settings = self._settings()
        if not is_running():
            self._gateway = start_java(settings)
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        self._context = SparkContext(gateway=self._gateway, conf=conf)
        self.user = SparkSession(self._context)

    def _settings(self) -> dict[str, str]:
        """Make the private folder, and return settings that keep all files of a session in it."""
        limits = self.limits
        folder = limits.folder
        folder.mkdir()
        quiet = folder / "log4j2.properties"
        quiet.write_text(_QUIET, encoding="utf-8")
        options = {
            "log4j2.configurationFile": quiet.as_uri(),
            "derby.system.home": folder,
            "java.io.tmpdir": folder,
        }
        settings = {
            "spark.app.name": "sqlrisk",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",  # messages of failed tasks may hold values of records
            "spark.executor.syncLogLevel.enabled": "true",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.jars.ivy": str(folder / "ivy"),
            "spark.driver.extraJavaOptions": " ".join(
                f'"-D{name}={value}"' for name, value in options.items()
            ),
        }
        if self.given == "spark":
            cores = limits.threads or len(os.sched_getaffinity(0))
            settings |= {
                "spark.master": f"local[{cores}]",
                "spark.sql.shuffle.partitions": str(2 * cores),
            }
        else:
            settings["spark.master"] = self.given
            if limits.threads is not None:
                settings["spark.cores.max"] = str(limits.threads)
        if limits.memory is not None:
            process = "driver" if self.given == "spark" else "executor"
            settings[f"spark.{process}.memory"] = f"{limits.memory // 2**20}m"
        if self.given == "spark" or urlsplit(self.given).hostname in LOOPBACK:
            settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        return settings

    def bring(self, frame: Any, name: str) -> Any:
        frame.createOrReplaceGlobalTempView(name)  # a view that all sessions see
        return self.session.table(f"{self.session.conf.get('spark.sql.globalTempDatabase')}.{name}")

    def forget(self, name: str) -> None:
        self.session.catalog.dropGlobalTempView(name)

    def interrupt(self) -> None:
        if self.session is not None:
            self.session.sparkContext.cancelJobGroup(self.tag)

    def look(self) -> tuple[float, bool]:
        done, waits = 0.0, False
        # If Spark has ended, the statement will report it.
        with suppress(Py4JError, PySparkException, OSError, AttributeError):
            tracker = self.session.sparkContext.statusTracker()
            own = set(tracker.getJobIdsForGroup(self.tag)) & set(tracker.getActiveJobsIds())
            jobs = [job for job in map(tracker.getJobInfo, own) if job is not None]
            stages = [
                stage
                for job in jobs
                for stage in map(tracker.getStageInfo, job.stageIds)
                if stage is not None
            ]
            tasks = sum(stage.numTasks for stage in stages)
            done = sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else 0.0
            waits = (
                self._context is not None
                and bool(jobs)
                and not any(stage.numActiveTasks for stage in stages)
            )
        return done, waits

    def close(self) -> None:
        with suppress(Py4JError, PySparkException, OSError):
            if self._context is not None:
                self._context.stop()
        if self._gateway is not None:
            stop_java(self._gateway)
