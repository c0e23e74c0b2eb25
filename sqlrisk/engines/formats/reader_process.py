"""Run libraries in a separate process, because a damaged file may crash them. The run survives.

A request is a pickle: the file, and the columns to read (None requests its schema and labels). An
answer is a series of messages. Each is a line of JSON, ``[kind, what, bytes]``, followed by that
many bytes of an Arrow schema or batch. The last message is not a batch.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, BinaryIO, cast

from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.engines.formats import streams
from sqlrisk.engines.formats.streams import Part, UnheldError
from sqlrisk.inputs.labels import ColumnLabels, FileLabels
from sqlrisk.inputs.sources import Source

_ROWS = 2**16  # rows of a batch that is handed over: only the reader holds a whole piece of a file
# It imports what this process would, and ends only when its pipes close: Ctrl-C or a closed
# terminal are for the main process.
_COMMAND = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import serve; serve()"
# For Linux: end this process with its parent, even if a library never returns. Write no core dump,
# which would hold records.
_ORDERS = ((1, signal.SIGTERM), (4, 0))  # PR_SET_PDEATHSIG, PR_SET_DUMPABLE
_NOT_RUN = f"The process that reads files of other formats cannot be started with {sys.executable}"


class ReaderProcess:
    """The reader process.

    It starts with the first file, and again with the next file after a crash.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def part(self, path: str, source: Source, room: int) -> Part:
        """Open a file as a part, as the modules of this package do.

        If the process crashes, `streams.readable` reports a damaged file.
        """
        import pyarrow as pa

        [(_, (labels, unsaid, records, empty_rows, row_names), data)] = self._ask(
            path, source, room, None
        )
        schema = pa.ipc.read_schema(pa.py_buffer(data))
        missing: dict[str, Counter[str]] = {}

        def batches(columns: Sequence[str]) -> Iterator[Any]:
            fields = pa.schema([schema.field(name) for name in columns])
            for kind, what, data in self._ask(path, source, room, list(columns)):
                if kind == "batch":
                    batch = pa.ipc.read_record_batch(pa.py_buffer(data), fields)
                    # A file may have corrupted the process without killing it yet.
                    batch.validate(full=True)
                    yield batch
                else:
                    missing.update({name: Counter(counts) for name, counts in what.items()})

        said = FileLabels({name: _labels(*each) for name, each in labels.items()}, unsaid)
        return Part(schema, batches, said, records, missing, empty_rows, row_names)

    def kill(self) -> None:
        """End the process at once, from any thread. A thread that waits for an answer gets none."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process and wait for its end."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):  # a request that it has not read
                process.__exit__(None, None, None)

    def _ask(self, *request: object) -> Iterator[tuple[str, Any, bytes]]:
        """Send a request, yield its answer. End the process if the caller stops reading early."""
        process = self._process = self._process or _started()
        requests, answers = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        kind = "batch"
        try:
            with suppress(BrokenPipeError):  # the process died, which reading the answer reports
                pickle.dump(request, requests)
                requests.flush()
            while kind == "batch":
                line = answers.readline()
                if not line:
                    raise _ended(process.wait())
                kind, what, size = json.loads(line)
                if kind in _RAISED:
                    raise _RAISED[kind](what)
                yield kind, what, answers.read(size)
        finally:
            if kind == "batch":
                self.close()


def _started() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _COMMAND, *sys.path]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(  # noqa: S603
            command, stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=True
        )
    except OSError as error:
        raise EngineError(f"{_NOT_RUN}: {error.strerror}.") from None


def _ended(status: int) -> Exception:
    """Return the error for a process that ended before it answered."""
    if status == -signal.SIGKILL:  # by the system, which lacks memory
        return MemoryError()
    return EngineError(f"{_NOT_RUN}.") if status == 1 else ValueError("it crashed")


# Errors that the process reports, raised again here.
_RAISED: dict[str, Callable[[Any], Exception]] = {
    "unheld": lambda said: UnheldError(*said),
    "refused": InputError,
    "no memory": lambda _: MemoryError(),
}


def _labels(
    label: str | None, values: dict[str, str], missing: Sequence[Any], cut_to: int | None
) -> ColumnLabels:
    return ColumnLabels(
        label,
        values,
        tuple(each if isinstance(each, str) else tuple(each) for each in missing),
        cut_to,
    )


def serve() -> None:
    """Read requests until standard input ends, and write answers. This is the main loop of the
    process.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print to standard output, which must hold answers only
    if sys.platform == "linux":
        import ctypes

        for order in _ORDERS:
            ctypes.CDLL(None).prctl(*order)
    with suppress(EOFError, BrokenPipeError):  # the main process has ended
        while True:
            path, source, room, columns = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the process that started this one
            for kind, what, data in _answer(path, source, room, columns):
                answers.write(json.dumps([kind, what, len(data)]).encode() + b"\n")
                answers.write(data)
                answers.flush()


@cache
def _opened(path: str, source: Source, room: int) -> Part:
    part: Part = streams.reader(source).part(path, source, room)
    return part


def _answer(
    path: str, source: Source, room: int, columns: Sequence[str] | None
) -> Iterator[tuple[str, object, Any]]:
    """Yield the messages of an answer: its kind, facts and bytes. Without ``columns`` it says what
    the file holds, else it has its rows, in pieces. An error is the last message.
    """
    try:
        with streams.readable(path, source):
            part = _opened(path, source, room)
            if columns is None:
                labels = {
                    name: (each.label, each.values, each.missing, each.cut_to)
                    for name, each in part.labels.columns.items()
                }
                said = (
                    labels,
                    part.labels.encoding_unsaid,
                    part.records,
                    part.empty_rows,
                    part.row_names,
                )
                yield "opened", said, part.schema.serialize()
                return
            for batch in part.batches(columns):
                for first in range(0, batch.num_rows, _ROWS):
                    yield "batch", None, batch.slice(first, _ROWS).serialize()
            yield "read", part.missing, b""
    except UnheldError as error:
        yield "unheld", error.said, b""
    except InputError as error:
        yield "refused", error.problems, b""
    except MemoryError:
        yield "no memory", None, b""
