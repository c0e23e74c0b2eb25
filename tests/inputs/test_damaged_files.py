"""Damaged files of formats that libraries of C and Rust read: each is refused in one message or
read, and none ends sqlrisk.
"""

import gzip
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from processes import SQLRISK, environment, found, sqlrisk
from quickly import few, some
from waiting import until

from sqlrisk import EngineError
from sqlrisk.common.errors import ProblemList
from sqlrisk.engines.formats.reader_process import ReaderProcess
from sqlrisk.engines.formats.streams import stored
from sqlrisk.inputs.sources import read_source

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = (
    "people.sav",
    "people.zsav",
    "people.por",
    "iris.dta",
    "rows.xpt",
    "iris.sas7bdat",
    "book.xlsx",
)
ROOM = 2**25
TRIES = 100
HEAD = 2000  # bytes, of which most say how the rest is read
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes by /proc")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def reader() -> Iterator[ReaderProcess]:
    process = ReaderProcess()
    yield process
    process.close()


def whole(name: str) -> bytes:
    if name == "book.xlsx":
        book = openpyxl.Workbook()
        for row in (["town", "ill"], ["Bonn", 1], ["Köln", 0]):
            book.active.append(row)
        book.save(name)
        return Path(name).read_bytes()
    packed = DATA / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (DATA / name).read_bytes()


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(1, len(data))]


def flipped(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    end = draw.choice([len(data), min(HEAD, len(data))])
    for _ in range(draw.choice([1, 3, 20])):
        changed[draw.randrange(end)] = draw.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("name", some(NAMES[:1], NAMES))
@pytest.mark.parametrize("harm", [cut, flipped])
def test_damage_anywhere(
    name: str, harm: Callable[[bytes, random.Random], bytes], reader: ReaderProcess
) -> None:
    data, draw = whole(name), random.Random(name)  # noqa: S311 - no secret
    refused = 0
    for number in range(TRIES):
        path = f"{number}{Path(name).suffix}"
        Path(path).write_bytes(harm(data, draw))
        problems = ProblemList()
        with problems:
            table = stored(read_source(path, "the original"), ROOM, reader)
            assert sum(
                batch.num_rows for part in table.parts for batch in part.batches(table.columns)
            ) <= len(data)
        assert len(problems) <= 1
        assert all(repr(path) in each for each in problems)
        assert not any(level in each for each in problems for level in ("Bonn", "Köln", "setosa"))
        refused += bool(problems)
    assert refused


# A library that is well until it reads records; then it does what a test asks of it.
STUB = """
import os, signal, sys, time
from pathlib import Path
sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path(__file__).resolve().parent]
del sys.modules[__name__]
import pyreadstat
own = pyreadstat.read_sav
def read_sav(path, **how):
    if "row_limit" in how:
        Path("reader").write_text(str(os.getpid()))
        {what}
    return own(path, **how)
pyreadstat.read_sav = read_sav
"""
COMMAND = (
    "score",
    "a.sav",
    "b.sav",
    "--keys",
    "sex,town",
    "--targets",
    "ill",
    "-o",
    "risk.json",
    "-q",
)


def with_library(folder: Path, what: str) -> None:
    (folder / "pyreadstat.py").write_text(STUB.format(what=what))
    for name in ("a.sav", "b.sav"):
        shutil.copy(DATA / "people.sav", folder / name)


def left(folder: Path) -> list[str]:
    return [name for name in found(folder) if "__pycache__" not in name]


LACKING = "The machine has too little memory for this: end other programs, or lower --memory-limit."
CRASHED = "The SPSS 'a.sav' cannot be read: it is damaged, or of another format. Write it again."


CRASHES = [
    ("os.kill(os.getpid(), signal.SIGSEGV)", 2, CRASHED),
    ("os.abort()", 2, CRASHED),
    (
        "os.write(1, b'noise'); os.write(2, b'noise'); os.kill(os.getpid(), signal.SIGBUS)",
        2,
        CRASHED,
    ),
    ("raise BaseException('a town')", 2, CRASHED),
    ("os.kill(os.getpid(), signal.SIGKILL)", 3, LACKING),  # as the system does that lacks memory
    ("raise MemoryError", 3, LACKING),
]


@pytest.mark.parametrize("case", some(CRASHES[:1], CRASHES))
def test_a_crash_of_the_library_is_one_message(case: tuple[str, int, str], folder: Path) -> None:
    what, status, words = case
    with_library(folder, what)
    done = sqlrisk(*COMMAND, folder=folder, under=("env",))
    assert (done.status, done.out, done.err) == (status, "", f"sqlrisk: {words}\n")
    assert left(folder) == ["a.sav", "b.sav", "pyreadstat.py", "reader"]


def test_a_library_that_does_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reader: ReaderProcess
) -> None:
    with_library(folder, "pass")
    monkeypatch.setattr(sys, "executable", str(folder / "nowhere"))
    with pytest.raises(
        EngineError,
        match=r"process that reads files of other formats cannot be started .*No such file",
    ):
        stored(read_source("a.sav", "the original"), ROOM, reader)
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    (folder / "json").mkdir()
    (folder / "json" / "__init__.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(
        EngineError, match=r"process that reads files of other formats cannot be started"
    ):
        stored(read_source("a.sav", "the original"), ROOM, reader)


@LINUX
@pytest.mark.parametrize(
    ("number", "status"), few([(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
)
def test_the_reader_ends_with_the_run(number: signal.Signals, status: int, folder: Path) -> None:
    """Even where the library never comes back: nor does it wait for the end of a piece."""
    with_library(folder, "any(iter(int, 1))")  # for ever, without a step of Python
    with subprocess.Popen(
        [*SQLRISK, *COMMAND], cwd=folder, env=environment(), stderr=subprocess.PIPE
    ) as run:
        until(lambda: (folder / "reader").exists() and (folder / "reader").read_text())
        process = Path("/proc") / (folder / "reader").read_text()
        assert process.exists()
        run.send_signal(number)
        assert run.wait() == status
    until(
        lambda: (
            not process.exists()
            or process.joinpath("stat").read_text().rpartition(")")[2].split()[0] == "Z"
        )
    )
    assert not (folder / "risk.json").exists()


@pytest.mark.slow
def test_a_file_is_read_after_a_damaged_one(folder: Path, reader: ReaderProcess) -> None:
    """What is not read to its end ends the process, too, and the next file has another."""
    shutil.copy(DATA / "people.sav", folder / "a.sav")
    table = stored(read_source("a.sav", "the original"), ROOM, reader)
    first = next(table.parts[0].batches(("sex",)))
    assert first.num_rows == 8
    assert pa.table(table.select(["sex"])).num_rows == 8
    reader.kill()
    with pytest.raises(MemoryError):
        [*table.parts[0].batches(("sex",))]
    assert pa.table(table).num_rows == 8
