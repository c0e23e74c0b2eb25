"""The recodes of a column as SQL, made from the user's entry in
`sqlrisk.inputs.columns.dictionary`.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from sqlrisk.inputs.columns.dictionary import OTHER, ColumnEntry

_NUMBER = r"(-?(?:\d+(?:\.\d*)?|\.\d+))"
_BAND = re.compile(rf"\[{_NUMBER},\s*{_NUMBER}\)|(-?\d+)-(-?\d+)|{_NUMBER}\+|<{_NUMBER}", re.ASCII)


@dataclass(frozen=True)
class Band:
    """The numbers in [``begin``, ``end``), both decimals as text. None is an open end."""

    begin: str | None
    end: str | None

    @property
    def low(self) -> str:
        """The lower end as SQL of type DOUBLE."""
        return f"CAST('{self.begin or '-Infinity'}' AS DOUBLE)"

    @property
    def high(self) -> str:
        """The upper end as SQL of type DOUBLE."""
        return f"CAST('{self.end or 'Infinity'}' AS DOUBLE)"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Read a band such as ``[20,40)``, ``20-39`` (whole numbers), ``90+`` or ``<16``. Return
        None for any other text.
        """
        if not (found := _BAND.fullmatch(text.strip())):
            return None
        low, high, first, last, begin, end = found.groups()
        return cls(low or first or begin, high or end or (last and str(int(last) + 1)))


@dataclass(frozen=True)
class Recode:
    """The recodes of a column, in the order in which they are applied.

    Attributes:
        date: the period that replaces a date, one of ``dictionary.PERIODS``.
        age_at: the day for which a date becomes an age instead.
        groups: group -> the levels that it joins, as SQL literals.
        all_grouped: True if every level must be in a group.
        bands: bands of numbers.
        all_banded: True if every number must be in a band.
        width: the width of further bands, for numbers that are not in ``bands``.
        rare: levels with fewer people of the original than this are joined.
        rare_as: the name of the level that joins rare levels.
        value: the SQL of a numeric value. A FLOAT is read by its shortest text.
    """

    date: str | None = None
    age_at: str | None = None
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    all_grouped: bool = False
    bands: tuple[Band, ...] = ()
    all_banded: bool = False
    width: str | None = None
    rare: int | None = None
    rare_as: str = OTHER
    value: str = "value"

    @property
    def named(self) -> bool:
        """True if levels may have names: periods, groups or rare levels. Bands have none."""
        return bool(self.date or self.groups or self.all_grouped or self.rare)

    @property
    def complete(self) -> bool:
        """True if every value must be in a group or a band, or be a date."""
        return bool(self.date or self.age_at or self.all_grouped or self.all_banded)

    @property
    def number(self) -> str:
        """The SQL of the number to put into bands: the value, or the age."""
        return "low" if self.age_at else self.value

    @property
    def cuts_values(self) -> bool:
        """True if bands are cut from the column's own numbers, not from ages."""
        return bool(self.bands or self.width) and not self.age_at

    @property
    def binned(self) -> str:
        """SQL expression of the number that is put into bins.

        For a value in a band it is the band's lower end (the upper end if the lower one is open).
        """
        end = "CASE WHEN low > CAST('-Infinity' AS DOUBLE) THEN low ELSE high END"
        return end if self.age_at else f"COALESCE({end}, CAST({self.value} AS DOUBLE))"

    def binned_number(self, number: str) -> str:
        """Return the SQL of the number to bin for ``number``, the SQL of a typed number or age."""
        double = f"CAST({number} AS DOUBLE)"
        ends = "".join(
            f"WHEN {double} < {band.high} THEN {band.high} "
            if band.begin is None
            else f"WHEN {double} >= {band.low} THEN {band.low} "
            for band in self.bands  # only `bottom` and `top`, because bins exclude others
        )
        if self.width:
            double = f"FLOOR({double} / CAST({self.width} AS DOUBLE)) * {self.width}"
        return f"CASE {ends}ELSE {double} END" if ends else double

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the recodes that apply to this column, in the order of their application."""
        asked = {
            "dated": self.date, "aged": self.age_at, "grouped": self.groups, "banded": self.bands,
            "equally_banded": self.width,
            "rare_joined": self.rare,
        }  # fmt: skip
        return tuple(stage for stage, wanted in asked.items() if wanted)


def bands_of(entry: ColumnEntry) -> tuple[Band, ...]:
    """Return the bands of a column's entry (``bands``, ``bottom`` and ``top``), without those of
    equal ``width``.
    """
    ends = tuple(
        dict.fromkeys(each for each in (entry.bottom, *entry.bands, entry.top) if each is not None)
    )
    between = [Band(*each) for each in pairwise(ends)] if entry.bands else []
    below = [Band(None, ends[0])] if entry.bottom is not None else []
    above = [Band(ends[-1], None)] if entry.bands or entry.top is not None else []
    return tuple(below + between + above)
