"""A thread of its own for the statements of a session, so that the main one can show progress and hear Ctrl-C."""

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

Result = TypeVar("Result")
POLL_SECONDS = 0.05


class Failed(Exception):  # noqa: N818 - no error of ours: what the statement raised is its cause
    """A statement failed."""


class Worker:
    """Runs one statement after the other, each in the same thread."""

    def __init__(self, interrupt: Callable[[], object]) -> None:
        """Start the thread; ``interrupt`` stops the statement that the database runs, and may be called when none runs."""
        self._interrupt = interrupt
        self._requests: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._serve, daemon=True).start()

    def do(self, statement: Callable[[], Result], on_wait: Callable[[], None]) -> Result:
        """Return what the statement returns, or raise Failed from what it raises; ``on_wait`` is called all the while.

        Where that, or Ctrl-C, raises, the statement is interrupted first: nothing runs any more when this returns.
        """
        outcome: list[Result] = []
        failure: list[BaseException] = []
        done = threading.Event()

        def work() -> None:
            try:
                outcome.append(statement())
            except BaseException as error:
                failure.append(error)
            finally:
                done.set()

        try:
            self._requests.put(work)
            while not done.wait(POLL_SECONDS):
                on_wait()
            on_wait()
        except BaseException:  # Ctrl-C, SIGTERM, a failed display
            self._stop()
            raise
        if failure:
            raise Failed from failure[0]
        return outcome[0]

    def close(self) -> None:
        """End the thread once it is idle."""
        self._requests.put(None)

    def _serve(self) -> None:
        while (request := self._requests.get()) is not None:
            request()

    def _stop(self) -> None:
        """Interrupt what runs and return when nothing does; a connection closed under a statement would end the program."""
        idle = threading.Event()
        self._requests.put(idle.set)
        while not idle.is_set():
            with suppress(BaseException):  # a second Ctrl-C: it is stopping already
                # Again and again: an interrupt that comes before the statement has begun is lost.
                self._interrupt()
                idle.wait(POLL_SECONDS)
