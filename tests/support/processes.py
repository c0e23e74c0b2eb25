"""Run the command line as a process that can be stopped anywhere, and fail tests that
the machine does not permit.
"""

import fcntl
import os
import pty
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import forks
import pytest
from waiting import until

ROOT = Path(__file__).resolve().parents[2]
SQLRISK = (sys.executable, "-m", "sqlrisk")
# A process that opens a terminal in a session without one owns it: Ctrl-C then sends a signal.
CLAIM = "import os, sys; os.open(os.ttyname(0), os.O_RDWR); os.execv(sys.argv[1], sys.argv[1:])"
PIPE = 4096  # bytes, Linux's minimum: a process that writes more of its trace waits for a reader


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}


@dataclass(frozen=True)
class Done:
    """A process that has ended."""

    status: int
    out: str
    err: str


def sqlrisk(
    *arguments: object,
    folder: Path,
    under: tuple[str, ...] = (),
    program: tuple[str, ...] = SQLRISK,
) -> Done:
    """Run a command in a folder. ``under`` is a program that starts it, such as env."""
    if not under and program is SQLRISK:
        forked = forks.run(*arguments, cwd=folder, env=environment())
        return Done(forked.returncode, forked.stdout, forked.stderr)
    command = [*under, *program, *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def without(*packages: str) -> tuple[str, ...]:
    """Return a program that runs as if some packages were not installed. It runs in a new process,
    so that earlier imports do not matter.
    """
    gone = "; ".join(f"sys.modules[{package!r}] = None" for package in packages)
    return (
        sys.executable,
        "-c",
        f"import sys; {gone}; from sqlrisk.cli.main import main; sys.exit(main())",
    )


def confined(rule: str) -> tuple[str, ...]:
    """Return the program that runs a command under a rule of `confined.py`. Coverage is not
    measured, because the coverage files would break the rule first.
    """
    return (
        "env",
        "--unset=COVERAGE_PROCESS_CONFIG",
        sys.executable,
        str(ROOT / "tests" / "support" / "confined.py"),
        rule,
    )


class Running:
    """A running command with ``--trace``. The trace goes to a pipe. If nobody reads on, the pipe
    fills up and the command soon waits.
    """

    def __init__(self, pid: int, wait: Callable[[], int], trace: int, out: Path) -> None:
        """Watch process ``pid``.

        ``wait()`` waits for its end and returns the exit status. ``trace`` is the file descriptor
        of the pipe with the trace, and ``out`` is the output file.
        """
        self.pid = pid
        self.err = ""
        self._wait, self._trace, self._out = wait, trace, out
        self._done: Done | None = None

    def reach(self, words: str) -> None:
        """Read the trace until some words appear. The statement with these words has then run, but
        the run is far from its end.
        """
        while words not in self.err:
            more = os.read(self._trace, 256).decode(errors="replace")
            assert more, f"it ended before {words!r}:\n{self.err[-2000:]}"
            self.err += more
        assert Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"

    def leave_memory(self, size: int) -> None:
        """Limit the process to this many bytes more than it uses now.

        A limit from the start could be hit anywhere, e.g. while a library is loaded. Then the C
        library ends the process.
        """
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + size
        resource.prlimit(self.pid, resource.RLIMIT_AS, (limit, limit))

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def stop(self, number: int) -> Done:
        """Send a signal and wait for the end."""
        self.send(number)
        return self.end()

    def end(self) -> Done:
        """Let the process finish and return its result. Later calls return the stored result."""
        if self._done is None:
            while more := os.read(self._trace, 2**16):
                self.err += more.decode(errors="replace")
            os.close(self._trace)
            self._done = Done(self._wait(), self._out.read_text(encoding="utf-8"), self.err)
        return self._done

    def kill(self) -> None:
        """Kill the process if it has not ended."""
        if self._done is None:
            self.stop(signal.SIGKILL)


@contextmanager
def running(*arguments: object, folder: Path, under: tuple[str, ...] = ()) -> Iterator[Running]:
    """Start a command in a folder and kill it at the end of the block. It is a new process instead
    of a fork if ``under`` names a program that starts the command.
    """
    words, env = [*map(str, arguments), "--trace"], environment()
    with TemporaryDirectory() as streams:
        out, err = Path(streams, "out"), Path(streams, "err")
        os.mkfifo(err)
        trace = os.open(
            err, os.O_RDONLY | os.O_NONBLOCK
        )  # otherwise opening would wait for a writer
        os.set_blocking(trace, True)
        fcntl.fcntl(trace, fcntl.F_SETPIPE_SZ, PIPE)
        if not under and forks.can_fork(env):
            pid = forks.start(words, cwd=folder, env=env, folder=streams)
            run = Running(pid, lambda: forks.end(pid), trace, out)
        else:
            with out.open("wb") as printed, err.open("wb") as traced:
                process = subprocess.Popen(
                    [*under, *SQLRISK, *words],
                    cwd=folder,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=traced,
                )
            run = Running(process.pid, process.wait, trace, out)
        try:
            yield run
        finally:
            run.kill()


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk of this size (``64k``) on a folder."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lack(f"no tmpfs can be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def lack(what: str) -> NoReturn:
    """Fail the test because the machine lacks a permission or program that the test needs. A
    skipped test would count as passed.
    """
    pytest.fail(f"The machine has to permit this test: {what}")


def found(folder: Path) -> list[str]:
    """List all files and folders below a folder, sorted by path."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def on_terminal(*arguments: object, folder: Path, typed: Iterable[tuple[str, str]]) -> Done:
    """Run a command in a terminal. ``typed`` has pairs ``(text, keys)``: the keys are typed once
    the text is shown.

    The result's ``out`` is what the terminal showed.
    """
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIM, *SQLRISK, *map(str, arguments)],
        cwd=folder, env=environment(TERM="xterm"), stdin=there, stdout=there, stderr=there,
        start_new_session=True,
    )  # fmt: skip
    os.close(there)
    shown, seen = "", 0
    waiting = [*typed]
    while True:
        try:
            more = os.read(here, 4096).decode(errors="replace")
        except OSError:  # the other side is closed
            break
        shown += more
        if waiting and waiting[0][0] in shown[seen:]:
            seen = len(shown)
            # Python loses a Ctrl-C that arrives after its output and before it reads
            until(lambda: _reads(process.pid))
            os.write(here, waiting.pop(0)[1].encode())
    os.close(here)
    return Done(process.wait(), shown, "")


def _reads(pid: int) -> bool:
    """Return True if a process has ended, or waits in a system call that reads its input."""
    try:
        # The first argument of read() is file 0. For select() it is 1, one more than its last file.
        return Path(f"/proc/{pid}/syscall").read_text().split()[1:2] in (["0x0"], ["0x1"])
    except (FileNotFoundError, ProcessLookupError):
        return True
