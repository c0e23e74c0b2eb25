"""The Spark session of a run: its settings, and how classic Spark and Spark Connect differ."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pyspark.errors import PySparkException

LOOPBACK = ("127.0.0.1", "localhost")
# Settings of statements that read only rows held by the driver: one job with one task. Each shuffle
# of an adaptive plan and each broadcast would be a job of its own, and compiling a plan would take
# longer than running it.
FOR_FEW = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
# Settings that make every run give the same numbers, whatever the user's session has set.
SAME_NUMBERS = {
    "spark.sql.ansi.enabled": "true",  # a sum that overflows is an error
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # ${...} in a name or level is text
    # Decimals keep all their digits.
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(2**17),
}


@dataclass(frozen=True)
class SparkLimits:
    """Limits of a Spark session that is started here.

    Attributes:
        folder: the path for Spark's own files, in the run's private folder. It does not exist yet.
        memory: bytes of this machine or of each worker. None for the workers' own limit.
        threads: total number of cores, None for all.
    """

    folder: Path
    memory: int | None
    threads: int | None


class RunSession(ABC):
    """A Spark session for one run. `open` begins it, from the user's session or an address."""

    sees_files: ClassVar[bool]
    """True if the workers find the files of this machine under the same paths."""
    checkpoints: ClassVar[bool]
    """True if workers can hold rows for this program until it frees them."""

    @property
    def outlives_run(self) -> bool:
        """True if tables in the session's catalog still exist after the session has ended."""
        return True

    def __init__(self, given: Any) -> None:
        """Store the address or the user's session. Nothing is opened yet."""
        self.given = given
        self.user: Any = None  # the session that knows the user's tables
        self.session: Any = None
        self.tag = ""

    def open(self, tag: str, limits: SparkLimits) -> None:
        """Begin the session with the settings `SAME_NUMBERS`, and tag everything that it runs.

        Call it in the thread that runs every statement.
        """
        self.tag, self.limits = tag, limits
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Start the session and apply its settings."""

    @abstractmethod
    def bring(self, frame: Any, name: str) -> Any:
        """Return a frame of the user's session as a frame of this session, possibly through a view
        called ``name``.
        """

    @abstractmethod
    def forget(self, name: str) -> None:
        """Drop everything that `bring` made under this name."""

    @abstractmethod
    def interrupt(self) -> None:
        """Stop all Spark jobs that have this run's tag."""

    @abstractmethod
    def look(self) -> tuple[float, bool]:
        """Return the share of work that is done, 0 to 1, and True if one of our jobs waits for a
        worker.
        """

    @abstractmethod
    def close(self) -> None:
        """End everything that was started here, and leave the user's session unchanged."""

    @property
    def master(self) -> str:
        """Spark's name of the place where it runs, such as ``local[4]``. Empty if unknown."""
        try:
            return str(self.session.conf.get("spark.master", ""))
        except PySparkException:
            return ""
