"""Run a child process to its end and measure its cost."""

import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

from benchmark.tables import tell

SCRIPTS = Path(__file__).resolve().parent.parent
CACHE = SCRIPTS.parent / ".bench"
FOLDER = "{folder}"  # in a command: stands for a private folder, which is deleted afterwards
_EACH = 0.2  # seconds between two looks at the folder's size

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Failed(Exception):  # noqa: N818 - an outcome, not always an error of ours
    """A child process failed. The message says how."""


@dataclass(frozen=True)
class Cost:
    """The cost of one child process: seconds of wall clock and CPU, peak bytes of memory, and peak
    bytes of its private folder (``disk``).
    """

    wall: float
    cpu: float
    peak: int
    disk: int = 0

    def __str__(self) -> str:
        return f"{self.wall:.2f} s, CPU {self.cpu:.2f} s, peak {self.peak / 1e9:.2f} GB"


def apart(
    work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Run a function in a separate process and return its result. A child's measured peak includes
    its parent's memory, so this process must stay small.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args, **kwargs).result()


def run(command: Sequence[str], read: Callable[[Path, str], Result]) -> tuple[Cost, Result]:
    """Run one command to its end. Return the cost of the command, and the result of ``read``, which
    gets the command's private folder and printed text.

    Raises Failed if the command fails. Its messages are already on stderr.
    """
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="run-") as folder:
        arguments = [argument.replace(FOLDER, folder) for argument in command]
        printed = Path(folder) / "printed"
        redirect = [(os.POSIX_SPAWN_OPEN, 1, str(printed), os.O_WRONLY | os.O_CREAT, 0o600)]
        with _sizes(Path(folder)) as sizes:
            start = time.perf_counter()
            child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=redirect)
            _end_first(child)
            try:
                _, status, usage = os.wait4(child, 0)
            # If this process must end, end the child first, so that it removes its files.
            except BaseException:
                os.kill(child, signal.SIGTERM)
                os.wait4(child, 0)
                raise
            wall = time.perf_counter() - start
        if code := os.waitstatus_to_exitcode(status):
            raise Failed(f"ended by signal {-code}" if code < 0 else f"ended with status {code}")
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Cost(wall, usage.ru_utime + usage.ru_stime, peak, max(sizes)), read(
            Path(folder), printed.read_text()
        )


def _end_first(child: int) -> None:
    """Tell the system to kill the child before any other process if memory runs out."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{child}/oom_score_adj").write_text("1000")


@contextlib.contextmanager
def _sizes(folder: Path) -> Iterator[list[int]]:
    """Yield a list to which the folder's size in bytes is added every ``_EACH`` seconds."""
    sizes, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(_EACH):
            sizes.append(_size(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield sizes
    finally:
        ended.set()
        watcher.join()


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # the file may have been removed
                total += (Path(place) / name).stat().st_blocks * 512
    return total


def warm(paths: Sequence[Path]) -> None:
    """Read files once, so that the first command does not pay for a cold disk."""
    for path in paths:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass


def write(path: Path, query: str) -> None:
    """Write the rows of a query to a Parquet file, completely or not at all. An existing file is
    kept.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        tell(f"making {path.relative_to(CACHE.parent)}")
        apart(_write, path, query)


def _write(path: Path, query: str) -> None:
    import duckdb

    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"COPY ({query}) TO '{literal(part)}' (FORMAT parquet, COMPRESSION zstd, "
            "ROW_GROUP_SIZE 500000)"
        )
    part.rename(path)


def literal(path: Path) -> str:
    """Return the path for use inside an SQL text literal."""
    return str(path).replace("'", "''")
