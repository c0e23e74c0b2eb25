"""The session that a run has for itself: its settings, and what classic Spark and Spark Connect do
differently.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pyspark.errors import PySparkException

LOOPBACK = ("127.0.0.1", "localhost")
COMPILED = "spark.sql.codegen.wholeStage"  # set anew for each statement
# What each run needs for the same numbers, whatever else the session is used for.
SAME_NUMBERS = {
    "spark.sql.ansi.enabled": "true",  # a sum that leaves its type is an error
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # ${...} in a name or level is text
    # digits after the point are never cut off
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
class Limits:
    """What a session that is started here may use.

    Attributes:
        folder: private; not there yet, and gone at the end.
        memory: of this machine, or of each worker, in bytes; None for as much as the workers give.
        threads: cores, in all; None for all.
    """

    folder: Path
    memory: int | None
    threads: int | None


class RunSession(ABC):
    """A session of the run's own, begun by `open`: beside one of the user's, or one that is started
    for the run.
    """

    sees_files: ClassVar[bool]
    """Whether the workers find the files of this machine by the same paths."""
    checkpoints: ClassVar[bool]
    """Whether workers can hold rows for this program, until it lets them go."""

    def __init__(self, given: Any) -> None:
        """Keep an address, or the user's session."""
        self.given = given
        self.user: Any = None  # the session that knows the user's tables
        self.session: Any = None
        self.tag = ""

    def open(self, tag: str, limits: Limits) -> None:
        """Begin, with settings for the same numbers and a tag for all that runs; in the thread that
        runs every statement.
        """
        self.tag, self.limits = tag, limits
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Make the session, and set it."""

    @abstractmethod
    def bring(self, frame: Any, name: str) -> Any:
        """Return a frame of the user's session as one of ours; ``name`` is free for whatever that
        takes.
        """

    @abstractmethod
    def forget(self, name: str) -> None:
        """Drop what `bring` made by that name."""

    @abstractmethod
    def interrupt(self) -> None:
        """Stop what runs with the tag."""

    @abstractmethod
    def look(self) -> tuple[float, bool]:
        """Return how much of what runs is done, 0 to 1, and whether a job of ours waits for a
        worker.
        """

    @abstractmethod
    def close(self) -> None:
        """End what was begun here; the user's session is as it was."""

    @property
    def master(self) -> str:
        """Where Spark runs, as it calls that itself; empty where it does not say."""
        try:
            return str(self.session.conf.get("spark.master", ""))
        except PySparkException:
            return ""
