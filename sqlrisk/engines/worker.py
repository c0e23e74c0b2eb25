"""Run a session's statements in a thread, while the main thread shows progress and receives
Ctrl-C.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")
POLL_SECONDS = 0.05
_STEPS = 10_000  # of SQLite's virtual machine: a fraction of a millisecond
_INTERRUPTED = "SQLITE_INTERRUPT"


class Worker:
    """A thread that runs statements one after the other."""

    def __init__(self, interrupt: Callable[[], object], on_wait: Callable[[], None]) -> None:
        """Start a thread. ``interrupt`` stops the running statement, if there is one."""
        self._interrupt = interrupt
        self._on_wait = on_wait
        self._thread = ThreadPoolExecutor(max_workers=1)

    def do(self, statement: Callable[[], Result]) -> Future[Result]:
        """Run a statement to its end and return its future. ``on_wait`` is called repeatedly
        meanwhile.

        If ``on_wait`` or Ctrl-C raises, the statement is interrupted first. So nothing is running
        after this call.
        """
        try:
            running = self._thread.submit(statement)
            while wait([running], POLL_SECONDS).not_done:
                self._on_wait()
            self._on_wait()
        except BaseException:  # Ctrl-C, SIGTERM, a failed display
            self._stop()
            raise
        return running

    def close(self) -> None:
        """End the thread once it is idle."""
        self._thread.shutdown(wait=False)

    def _stop(self) -> None:
        """Interrupt the running statement and return once nothing runs.

        Closing a connection under a running statement would crash the program.
        """
        idle = self._thread.submit(lambda: None)
        while not idle.done():
            with suppress(BaseException):  # a second Ctrl-C: it is stopping already
                # Repeated, because an interrupt before the statement has begun is lost.
                self._interrupt()
                wait([idle], POLL_SECONDS)


class Here(Worker):
    """Run statements in the caller's thread, for connections that no other thread may use.

    The database regularly calls a function that can stop the statement.
    """

    def __init__(
        self, ask_by: Callable[[Callable[[], int] | None, int], object], on_wait: Callable[[], None]
    ) -> None:
        """Make a worker. `do` passes ``ask_by`` a check for Ctrl-C, which the database calls
        regularly.
        """
        self._ask_by = ask_by
        self._on_wait = on_wait
        self._stopped: list[BaseException] = []
        self._asked = 0.0

    def do(self, statement: Callable[[], Result]) -> Future[Result]:
        done: Future[Result] = Future()
        self._stopped.clear()
        self._ask_by(self._is_over, _STEPS)
        try:
            self._on_wait()
            done.set_result(statement())
        except Exception as error:
            if getattr(error, "sqlite_errorname", "") == _INTERRUPTED:  # only this check raises it
                raise (*self._stopped, KeyboardInterrupt())[0] from None
            done.set_exception(error)
        finally:
            self._ask_by(None, _STEPS)
        return done

    def close(self) -> None:
        """Do nothing, because there is no thread to end."""

    def _is_over(self) -> int:
        """Return 1 to stop the statement, after Ctrl-C, SIGTERM or an error of the progress
        display.
        """
        if time.monotonic() - self._asked > POLL_SECONDS:
            try:
                self._on_wait()
            except BaseException as error:
                self._stopped.append(error)
                return 1
            self._asked = time.monotonic()
        return 0
