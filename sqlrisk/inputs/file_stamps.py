"""What tells that a file was written to while it was read: its size, its time, and its end, where Parquet has its footer."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlrisk.common.errors import InputError

_END = 2**16  # bytes of a file that has no footer
_PARQUET = b"PAR1"
_TRAILER = 8  # bytes after a footer: how long it is, and the name of the format


@dataclass(frozen=True)
class FileStamp:
    """A file as it was: its size in bytes, when it was last written in nanoseconds, and the hash of its end."""

    size: int
    written: int
    end: str


def stamp(path: str) -> FileStamp:
    """The stamp of a file now. Raises InputError where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            return FileStamp(found.st_size, found.st_mtime_ns, _end(file, found.st_size))
    except OSError as error:
        raise InputError(f"The input {path!r} cannot be read: {error.strerror}.") from None


def _end(file: BinaryIO, size: int) -> str:
    def last(length: int) -> bytes:
        file.seek(-min(length, size), os.SEEK_END)
        return file.read()

    end = last(_TRAILER)
    length = int.from_bytes(end[:4], "little") + _TRAILER if end.endswith(_PARQUET) else _END
    return hashlib.sha256(last(length)).hexdigest()
