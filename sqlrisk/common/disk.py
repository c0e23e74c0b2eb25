"""Disk space: check it before writing, and explain errors of a full disk."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlrisk.common.errors import EngineError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ELSEWHERE = "Make room there, or point --temp-directory to a larger disk."


def require(size: int, folder: str | Path, remedy: str = ELSEWHERE) -> None:
    """Raise EngineError with a ``remedy`` if a folder's disk has no room for ``size`` bytes."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise EngineError(
            f"The run needs about {_shown(size)} of disk in {str(folder)!r}, where {_shown(free)} "
            f"are free. {remedy}"
        )


@contextmanager
def filling(what: str, remedy: str = "Make room there, or name another folder.") -> Iterator[None]:
    """Turn a full-disk error of the block into an EngineError with a ``remedy``. ``what`` names the
    output in the message.
    """
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise EngineError(
            f"{what} cannot be written: {os.strerror(error.errno or errno.ENOSPC)}. {remedy}"
        ) from None


def is_full(error: BaseException) -> bool:
    """Return True if an error is about a full disk or quota."""
    return any(os.strerror(number) in str(error) for number in FULL)


def _shown(size: int) -> str:
    for unit, power in (("GB", 9), ("MB", 6)):
        if size >= 10**power:
            return f"{size / 10**power:.1f} {unit}"
    return f"{size / 10**3:.0f} kB"
