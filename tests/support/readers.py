"""A process that reads files of other formats. It is a fork of a process that has already imported
the libraries.

Importing them takes ten times as long as reading a small file. test_damaged_files.py and tests of
commands use the real process.
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
    """The parts of subprocess.Popen that sqlrisk uses: the streams, the end and the exit status."""

    def __init__(self) -> None:
        """Fork the process, and open its streams in the order in which the fork opens them."""
        with TemporaryDirectory() as folder:
            requests, answers = (Path(folder, name) for name in ("requests", "answers"))
            os.mkfifo(requests)
            os.mkfifo(answers)
            self._pid = forks.read_files(folder)
            self.stdin = requests.open("wb")
            self.stdout = answers.open("rb")
        self._status: int | None = None

    def kill(self) -> None:
        """Kill the process."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end and return the exit status."""
        if self._status is None:
            self._status = forks.end(self._pid)
        return self._status

    def __exit__(self, *_: object) -> None:
        """Close the streams and wait for the end."""
        try:
            self.stdout.close()
            self.stdin.close()
        finally:
            self.wait()


@contextmanager
def forked() -> Iterator[None]:
    """Use forks for reading in this process, until the block ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader_process, "_started", Reader)
        yield
