"""Spark Connect: a session over the network, for Databricks serverless and other thin clients."""

import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

from pyspark.errors import PySparkException

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # about pandas, which is not used
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

from sqlrisk.engines.spark.run_session import FOR_FEW, SAME_NUMBERS, RunSession

_PATIENCE_SECONDS = 60  # seconds for a server that does not answer
_CALM_SECONDS = 20  # seconds without failure, after which the next counts as new
_LONGEST_PAUSE = 5000  # ms, between two tries


class Patience(DefaultPolicy):
    """Repeat failed requests for a minute in total. Spark's own policy takes ten minutes for each
    request.
    """

    def __init__(self) -> None:
        super().__init__(max_retries=None, max_backoff=_LONGEST_PAUSE)
        self._first = self._last = float("-inf")  # times of the first and last failure in a row

    def can_retry(self, e: BaseException) -> bool:
        now = time.monotonic()
        if now - self._last > _CALM_SECONDS:
            self._first = now
        self._last = now
        return now - self._first < _PATIENCE_SECONDS and super().can_retry(e)


class Connect(RunSession):
    """A session at an address, or a clone of the user's session.

    Before Spark 4.1 the user's session is used itself, and its settings are restored at the end.
    """

    sees_files: ClassVar[bool] = False
    checkpoints: ClassVar[bool] = False

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        # Settings of the user's session, if it is used itself.
        self._before: dict[str, str] | None = None
        self._changed = [*FOR_FEW]
        self._done = 0.0

    def begin(self) -> None:
        if isinstance(self.given, str):
            self.session = SparkSession(connection=self.given)
        else:
            # Uses the session: one that was never used is not on the server and cannot be cloned.
            before = self.given.conf.getAll
            try:
                self.session = self.given.cloneSession()
            except (AttributeError, PySparkException):
                self.session, self._before = self.given, before
        self.user = self.session  # a clone also has the user's views
        if self._before is None:
            self.session.client.set_retry_policies([Patience()])
        self.session.addTag(self.tag)
        self.session.registerProgressHandler(self._note)
        for name, value in SAME_NUMBERS.items():
            # Serverless lets few settings be changed. The others are already as needed.
            with suppress(PySparkException):
                # Setting some of them is deprecated, even to their current value.
                if self.session.conf.get(name) != value:
                    self.session.conf.set(name, value)
                    self._changed.append(name)

    def bring(self, frame: Any, name: str) -> Any:
        return frame.alias(name)

    def forget(self, name: str) -> None:
        """Do nothing, because `bring` leaves nothing behind in Spark Connect."""

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
                # `stop` would also end a server that the user's session started in this process.
                self.session.client.release_session()
                self.session.client.close()
            else:
                for name in self._changed:
                    if name in self._before:
                        self.session.conf.set(name, self._before[name])
                    else:
                        self.session.conf.unset(name)
