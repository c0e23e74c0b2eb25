"""Estimates of the memory and disk that DuckDB needs, and of the passes in which it counts the
records.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlrisk.common import disk
from sqlrisk.inputs.csv_files.headers import Header

# Measured (scripts/bench).
_BESIDE = 165_000_000  # bytes of Python and its libraries
_MEMORY_SHARE = 0.75  # share of the limit for the rows and hash tables of a pass
_RECORDS_SHARE = 0.4  # share of the limit for a table that stays in memory
_STORED_SHARE = 0.25  # share of a table's bytes that it takes when stored, compressed or in parts
_TEXT_SHARE = 0.25  # share of a CSV file's bytes that its stored table takes
_SMALL_TABLES = 4_000_000  # bytes of all small tables together: each has blocks of its own
_JOIN_BYTES = 15_000_000  # bytes for a join of a dictionary, however small: it takes about 10 MB
_COLUMN_BYTES = 8
_GROUP_BYTES = 64  # bytes of a group in a hash table, besides its columns
_GROUPS_PER_PASS = 6_000_000  # groups for which the processor's caches still work well
_FAST_PASSES = 16  # most passes made only for the caches: each reads all records
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


@dataclass(frozen=True)
class Memory:
    """Limits of a session: ``size`` bytes of memory, and the disk of its private ``folder``."""

    size: int
    folder: Path

    def fits(self, size: int) -> bool:
        """Return True if a table of ``size`` bytes may stay in memory.

        Raises EngineError if it may not, and the disk has no room for it.
        """
        if size < self.size * _RECORDS_SHARE:
            return True
        disk.require(_stored(size), self.folder.parent)
        return False

    def joins(self) -> int:
        """Return the number of dictionaries that one statement may join."""
        return max(1, self.size // _JOIN_BYTES)

    def require_room(self, size: int, path: str) -> None:
        """Raise EngineError if a disk has no room for a saved run of ``size`` bytes in memory.

        The run is written to the private folder first and then copied to ``path``, so both disks
        are checked.
        """
        needed, folder = _stored(size), Path(path).parent
        both = 2 if folder.stat().st_dev == self.folder.stat().st_dev else 1
        disk.require(both * needed, self.folder.parent)
        disk.require(needed, folder, "Make room there, or save it elsewhere.")

    def passes(self, records: int, groups: int, columns: int) -> int:
        """Return the number of passes in which to count ``records`` records in ``groups`` classes
        and cells.
        """
        needed = records * _COLUMN_BYTES * columns + groups * (
            _GROUP_BYTES + _COLUMN_BYTES * columns
        )
        fit = math.ceil(needed / (self.size * _MEMORY_SHARE))
        return max(1, fit, min(math.ceil(groups / _GROUPS_PER_PASS), _FAST_PASSES))


def limited(given: str) -> int:
    """Return DuckDB's own memory limit in bytes, given the limit of the process as DuckDB writes
    it. Python needs a part, and DuckDB takes up to a fifth more than its own limit.
    """
    size = of_text(given)
    return size - max(size // 5, min(_BESIDE, 2 * size // 5))


def of_text(text: str) -> int:
    """Return the bytes of a size that DuckDB wrote (bytes, KiB to TiB): ``3.7 GiB``."""
    number, unit = text.split()
    return int(float(number) * _UNITS[unit])


def stored_text(header: Header, path: str, columns: Sequence[str]) -> float:
    """Estimate the bytes of a compressed table with these columns of a CSV file."""
    return (
        Path(path).stat().st_size
        * len(columns)
        / len(header.names)
        * (_TEXT_SHARE if header.compression == "none" else 1)
    )


def _stored(size: int) -> int:
    """Estimate a run's bytes on disk, given that its large tables have ``size`` bytes in memory."""
    return round(size * _STORED_SHARE) + _SMALL_TABLES
