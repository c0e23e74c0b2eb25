"""The recodes of a column, as SQL: how its values become levels.
`sqlrisk.inputs.columns.dictionary` has what the user says.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from sqlrisk.inputs.columns.dictionary import OTHER, ColumnEntry

_BAND = re.compile(r"\[(-?[\d.]+),\s*(-?[\d.]+)\)|(-?\d+)-(-?\d+)|(-?[\d.]+)\+|<(-?[\d.]+)")


@dataclass(frozen=True)
class Band:
    """Numbers from ``begin`` on and below ``end``, decimals as text; one that is open has None
    there.
    """

    begin: str | None
    end: str | None

    @property
    def low(self) -> str:
        """Where it begins, as DOUBLE."""
        return f"CAST('{self.begin or '-Infinity'}' AS DOUBLE)"

    @property
    def high(self) -> str:
        """Where it ends, as DOUBLE."""
        return f"CAST('{self.end or 'Infinity'}' AS DOUBLE)"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Read a band as a person writes it: ``[20,40)``, ``20-39`` of whole numbers, ``90+``,
        ``<16``; None for others.
        """
        if not (found := _BAND.fullmatch(text.strip())):
            return None
        low, high, first, last, begin, end = found.groups()
        return cls(low or first or begin, high or end or (last and str(int(last) + 1)))


@dataclass(frozen=True)
class Recode:
    """The recodes of a column, in the order in which they are done; what is not there is not done.

    Attributes:
        date: what a date becomes, one of ``dictionary.PERIODS``; ``age_at``: or the age on a day.
        groups: levels that are one, as SQL literals, by the name of their group; ``all_grouped``:
            each level has to be in one.
        bands: bands of numbers; ``all_banded``: each number has to be in one; ``width``: others
            that are as wide.
        rare: levels of fewer people are one, called ``rare_as``.
        value: a value where it is a number, as SQL that is exact.
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
        """Whether a level may have a name that is none of the values."""
        return bool(self.date or self.groups or self.all_grouped or self.rare)

    @property
    def complete(self) -> bool:
        """Whether each value has to be in a group or a band, or be a date."""
        return bool(self.date or self.age_at or self.all_grouped or self.all_banded)

    @property
    def number(self) -> str:
        """The number that a band is of, as SQL over what was recoded before."""
        return "low" if self.age_at else self.value

    @property
    def cuts_values(self) -> bool:
        """Whether bands are of the values themselves, which are numbers then."""
        return bool(self.bands or self.width) and not self.age_at

    @property
    def binned(self) -> str:
        """The number that bins are cut of, as SQL over what was recoded: a band's begin, else its
        end.
        """
        end = "CASE WHEN low > CAST('-Infinity' AS DOUBLE) THEN low ELSE high END"
        return end if self.age_at else f"COALESCE({end}, CAST({self.value} AS DOUBLE))"

    @property
    def stages(self) -> tuple[str, ...]:
        """What is done to values, in this order."""
        asked = {
            "dated": self.date, "aged": self.age_at, "grouped": self.groups, "banded": self.bands,
            "equally_banded": self.width,
            "rare_joined": self.rare,
        }  # fmt: skip
        return tuple(stage for stage, wanted in asked.items() if wanted)


def bands_of(entry: ColumnEntry) -> tuple[Band, ...]:
    """Return the bands that a column's entry says, but for those of equal width."""
    ends = tuple(
        dict.fromkeys(each for each in (entry.bottom, *entry.bands, entry.top) if each is not None)
    )
    between = [Band(*each) for each in pairwise(ends)] if entry.bands else []
    below = [Band(None, ends[0])] if entry.bottom is not None else []
    above = [Band(ends[-1], None)] if entry.bands or entry.top is not None else []
    return tuple(below + between + above)
