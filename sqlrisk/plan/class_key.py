"""The class key (the codes of all keys, packed into as few integers as possible) and ranges
of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlrisk.plan.columns import Column

# A column of the class key stays below it, so that sums of digits fit into a BIGINT.
KEY_COLUMN_LIMIT = 2**62
# Combinations of key levels counted in one reading of the records (measured).
KEY_RUN_LIMIT = 20_000


@dataclass(frozen=True)
class PackedKey:
    """One key inside the class key. Its packed code is its code times ``stride``, added into
    ``key_column``.

    If ``size`` (its number of codes) is None, no other key shares the column. ``last`` marks a
    column's last key.
    """

    column: Column
    key_column: str
    stride: int = 1
    size: int | None = None
    last: bool = True

    @property
    def digit(self) -> str:
        """The SQL of the key's packed code, taken from the class key."""
        return self.digit_in(self.key_column)

    def digit_of(self, table: str) -> str:
        """Return the SQL of the key's packed code in the class key of a table."""
        return self.digit_in(f"{table}.{self.key_column}")

    def digit_in(self, column: str) -> str:
        """Return the SQL of the key's packed code, taken from any column that holds this part of
        the class key.
        """
        return _digits(self, self, column)

    def packed(self, code: str) -> str:
        """Return the SQL of a packed code: ``code``, the SQL of the key's code, times the
        stride.
        """
        return code if self.stride == 1 else f"CAST({code} AS BIGINT) * {self.stride}"


@dataclass(frozen=True)
class KeyRun:
    """Adjacent keys of one class key column. They have few enough combinations to be counted
    together.
    """

    number: int
    parts: tuple[PackedKey, ...]

    @property
    def digits(self) -> str:
        """The SQL of the packed codes of all these keys together, taken from the class key."""
        return _digits(self.parts[0], self.parts[-1], self.parts[0].key_column)


def _digits(first: PackedKey, last: PackedKey, column: str) -> str:
    """Return the SQL of the packed codes of adjacent keys, ``first`` to ``last``, taken together
    from a column that holds them.
    """
    upper = column if last.last or last.size is None else f"{column} % {last.stride * last.size}"
    return upper if first.stride == 1 else f"({upper} - {column} % {first.stride})"


@dataclass(frozen=True)
class KeyColumn:
    """One BIGINT column of the class key and the keys packed into it."""

    name: str
    parts: tuple[PackedKey, ...]


@dataclass(frozen=True)
class KeyRange:
    """A range of classes that one pass counts: their first class key column is in [``low``,
    ``high``). None stands for no bound.

    ``records`` is the table to read their records from. It may hold other records, too.
    """

    low: int | None = None
    high: int | None = None
    records: str = "records"

    def takes(self, class_key: str = "class_key", also: str = "") -> str:
        """Return the SQL condition that a class is in the range, combined with the condition
        ``also``. Empty without bounds and ``also``.
        """
        bounds = {f"{class_key} >= {self.low}": self.low, f"{class_key} < {self.high}": self.high}
        conditions = [condition for condition, bound in bounds.items() if bound is not None]
        return " AND ".join([*conditions, also] if also else conditions)


EVERY_CLASS = KeyRange()


def pack(keys: Sequence[Column], sizes: Sequence[int | None] | None) -> tuple[KeyColumn, ...]:
    """Pack keys into as few BIGINT columns as possible, by mixed radix. ``sizes`` are the numbers
    of codes of the keys, None if unknown.

    Without sizes each key has its own column. A key with a tolerance comes first, in the lowest
    digit. So classes that differ only in this key have neighboring class keys.
    """
    groups: list[list[tuple[Column, int, int | None]]] = []
    product = KEY_COLUMN_LIMIT
    sized = zip(keys, sizes or [None] * len(keys), strict=True)
    for key, size in sorted(sized, key=lambda each: each[0].tolerance is None):
        if size is None or product * size >= KEY_COLUMN_LIMIT:
            groups.append([])
            product = 1
        groups[-1].append((key, product, size))
        product *= size or 1
    names = ["class_key", *(f"class_key_{number}" for number in range(2, len(groups) + 1))]
    return tuple(
        KeyColumn(
            name,
            tuple(
                PackedKey(key, name, stride, size, last=(key is group[-1][0]))
                for key, stride, size in group
            ),
        )
        # Without keys there is a name but no group.
        for name, group in zip(names, groups, strict=False)
    )


def key_runs(parts: Sequence[PackedKey]) -> list[KeyRun]:
    """Join adjacent keys with few combinations into runs, since reading records costs more than
    summing.
    """
    groups: list[list[PackedKey]] = []
    for part in parts:
        first = groups[-1][0] if groups else part
        neighbours = bool(groups) and first.key_column == part.key_column
        if neighbours and part.size and part.stride * part.size // first.stride <= KEY_RUN_LIMIT:
            groups[-1].append(part)
        else:
            groups.append([part])
    return [KeyRun(number, tuple(group)) for number, group in enumerate(groups, start=1)]
