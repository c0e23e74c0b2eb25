"""A thread of its own for the statements of a session, so that the main one can show progress and hear Ctrl-C."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")
POLL_SECONDS = 0.05


class Worker:
    """Runs one statement after the other, each in the same thread."""

    def __init__(self, interrupt: Callable[[], object], on_wait: Callable[[], None]) -> None:
        """Start a thread; ``interrupt`` stops the statement that the database runs, and may be called when none runs."""
        self._interrupt = interrupt
        self._on_wait = on_wait
        self._thread = ThreadPoolExecutor(max_workers=1)

    def do(self, statement: Callable[[], Result]) -> Future[Result]:
        """Run a statement to its end and return what became of it; ``on_wait`` is called all the while.

        Where that, or Ctrl-C, raises, the statement is interrupted first: nothing runs any more when this returns.
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
        """Interrupt what runs and return when nothing does; a connection closed under a statement would end the program."""
        idle = self._thread.submit(lambda: None)
        while not idle.done():
            with suppress(BaseException):  # a second Ctrl-C: it is stopping already
                # Again and again: an interrupt that comes before the statement has begun is lost.
                self._interrupt()
                wait([idle], POLL_SECONDS)
