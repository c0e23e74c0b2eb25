"""The process that reads files of other formats, as a fork of one that has imported their
libraries.

To import them takes ten times as long as to read a small file. test_damaged_files.py, and every
command, have the process itself.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import forks
import pytest

from sqlrisk.engines.formats import reader_process

STARTED = reader_process._started


class Reader:
    """What the program asks of such a process: its streams, its end, and how it ended."""

    def __init__(self) -> None:
        """Fork it, and open its streams in the order in which it does."""
        with TemporaryDirectory() as folder:
            requests, answers = (Path(folder, name) for name in ("requests", "answers"))
            os.mkfifo(requests)
            os.mkfifo(answers)
            self._pid = forks.read_files(folder)
            self.stdin = requests.open("wb")
            self.stdout = answers.open("rb")
        self._status: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; return its status."""
        if self._status is None:
            self._status = forks.end(self._pid)
        return self._status

    def __exit__(self, *_: object) -> None:
        """Close its streams and wait for its end."""
        try:
            self.stdout.close()
            self.stdin.close()
        finally:
            self.wait()


@contextmanager
def forked() -> Iterator[None]:
    """Let this process read files so, until the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader_process, "_started", Reader)
        yield
