"""Temporary files and folders. They are private and locked while in use, and a later run removes
them after a crash.

The operating system holds the lock and releases it when the process ends, also after a crash. If a
lock can be taken, nobody uses the file any more. If files cannot be locked (some network folders,
Windows), no file counts as left over.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

try:
    import fcntl

    LOCKS = True
except ModuleNotFoundError:  # Windows
    LOCKS = False

LOCK = "sqlrisk.lock"  # the locked file in a folder; a folder without it is not ours
_NAMES = re.compile(r"sqlrisk-[a-z0-9_]{8}|\.sqlrisk-[a-z0-9_]{8}\.tmp(\..*)?")
# The umask of the user, then the private one for each further block of `private_files`.
_MASKS: list[int] = []
_MASKING = RLock()  # the garbage collector may end a block in any thread, also in this one


class TemporaryPath:
    """A temporary file or folder, and the lock of the process that uses it."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    def settle(self) -> None:
        """Flush the file to the disk, before it is renamed. Raises OSError."""
        os.fsync(self._lock)

    def release(self) -> None:
        """Release the lock. Files that still exist then count as left over."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def remove(self) -> None:
        """Remove the file or folder, even if a second Ctrl-C interrupts this."""
        try:
            self._remove()
        except BaseException:
            self._remove()
            raise

    def _remove(self) -> None:
        self.release()  # where there are no locks, open files cannot be removed
        if self.path.is_dir():
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            self.path.unlink(missing_ok=True)


@contextmanager
def private_files() -> Iterator[None]:
    """Make every new file of the process private, until the last of overlapping blocks ends."""
    with _MASKING:
        _MASKS.append(os.umask(0o077))
    try:
        yield
    finally:
        with _MASKING:
            os.umask(_MASKS.pop())


def umask() -> int:
    """Return the umask of the user, whether or not files are private now."""
    with private_files():
        return _MASKS[0]


def claim_folder(parent: str | None = None) -> TemporaryPath:
    """Make a folder (0700) in ``parent``, or in the system's temporary folder. Raises OSError."""
    while True:
        path = Path(tempfile.mkdtemp(prefix="sqlrisk-", dir=parent))
        try:
            lock = os.open(path / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:
            path.rmdir()
            raise
        if _is_ours(lock, path):
            return TemporaryPath(path, lock)


def claim_file(parent: Path, suffix: str) -> TemporaryPath:
    """Make a file (0600) in ``parent`` whose name ends in ``suffix``. Raises OSError."""
    while True:
        lock, name = tempfile.mkstemp(dir=parent, prefix=".sqlrisk-", suffix=f".tmp{suffix}")
        if _is_ours(lock, Path(name)):
            return TemporaryPath(Path(name), lock)


def remove_left_over(parent: str | Path | None = None) -> None:
    """Remove temporary files that dead processes of this user left in ``parent``, if possible."""
    if not LOCKS:
        return
    for path in _left(parent or tempfile.gettempdir()):
        with suppress(OSError):
            lock = os.open(path / LOCK if path.is_dir() else path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(lock)


def _left(parent: str | Path) -> Iterator[Path]:
    """Yield the temporary paths of this user, in use or left over, without links."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if (
                _NAMES.fullmatch(entry.name)
                and not entry.is_symlink()
                and entry.stat().st_uid == os.geteuid()
            ):
                yield Path(entry.path)


def _is_ours(lock: int, path: Path) -> bool:
    """Lock a file or folder that was just made.

    Return False and close the lock if another run has taken it for left over.
    """
    try:
        if LOCKS:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = path.exists()
    except BlockingIOError:
        found = False
    except OSError:  # no run can lock anything here
        found = True
    if not found:
        os.close(lock)
    return found
