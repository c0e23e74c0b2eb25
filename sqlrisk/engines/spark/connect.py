"""Spark Connect: a session over the network, all that Databricks serverless and thin
clients have.
"""

import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

from pyspark.errors import PySparkException

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # of a pandas that nothing here uses
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

from sqlrisk.engines.spark.run_session import COMPILED, SAME_NUMBERS, RunSession

_PATIENCE_SECONDS = 60  # for a server that does not answer
_CALM_SECONDS = 20  # without a failure before the next one is a new trouble
_LONGEST_PAUSE = 5000  # ms, between two tries


class Patience(DefaultPolicy):
    """Tries again for a minute, and for all that is asked after that not at all; Spark's own way
    takes ten minutes each time.
    """

    def __init__(self) -> None:
        super().__init__(max_retries=None, max_backoff=_LONGEST_PAUSE)
        self._first = self._last = float("-inf")  # failures of this trouble

    def can_retry(self, e: BaseException) -> bool:
        now = time.monotonic()
        if now - self._last > _CALM_SECONDS:
            self._first = now
        self._last = now
        return now - self._first < _PATIENCE_SECONDS and super().can_retry(e)


class Connect(RunSession):
    """A clone of the user's session; where Spark is too old for clones (before 4.1) that session,
    whose settings are put back.
    """

    sees_files: ClassVar[bool] = False
    checkpoints: ClassVar[bool] = False

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        # settings of the user's session, where it is the one that is used
        self._before: dict[str, str] | None = None
        self._changed = [COMPILED]
        self._done = 0.0

    def begin(self) -> None:
        if isinstance(self.given, str):
            self.session = SparkSession(connection=self.given)
        else:
            # asked first: a session that was never used is not on the server yet, to be cloned
            before = self.given.conf.getAll
            try:
                self.session = self.given.cloneSession()
            except (AttributeError, PySparkException):
                self.session, self._before = self.given, before
        self.user = self.session  # a clone has the user's views as well
        if self._before is None:
            self.session.client.set_retry_policies([Patience()])
        self.session.addTag(self.tag)
        self.session.registerProgressHandler(self._note)
        for name, value in SAME_NUMBERS.items():
            # serverless lets few be set, and has the others as they are needed
            with suppress(PySparkException):
                # to set some of them is deprecated, even to what they are
                if self.session.conf.get(name) != value:
                    self.session.conf.set(name, value)
                    self._changed.append(name)

    def bring(self, frame: Any, name: str) -> Any:
        return frame.alias(name)

    def forget(self, name: str) -> None:
        """Drop nothing: `bring` made nothing."""

    def interrupt(self) -> None:
        if self.session is not None:
            self.session.interruptTag(self.tag)

    def look(self) -> tuple[float, bool]:
        return self._done, False

    def _note(self, stages: Iterable[Any] | None, **_: Any) -> None:
        every = list(stages or ())
        tasks = sum(stage.num_tasks for stage in every)
        self._done = sum(stage.num_completed_tasks for stage in every) / tasks if tasks else 0.0

    def close(self) -> None:
        if self.session is None:
            return
        self.session.removeProgressHandler(self._note)
        self.session.removeTag(self.tag)
        with suppress(PySparkException, OSError):
            if self._before is None:
                # Not `stop`, which also ends a server that the user's session may have started in
                # this process.
                self.session.client.release_session()
                self.session.client.close()
            else:
                for name in self._changed:
                    if name in self._before:
                        self.session.conf.set(name, self._before[name])
                    else:
                        self.session.conf.unset(name)
