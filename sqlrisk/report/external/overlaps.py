"""Which populations overlap: whether one condition excludes or implies another, for any data.

A level may be a number, a date or a text, and a report does not say which. So something follows
only if it follows however the levels can be read. The order of texts is a database's own, so
nothing follows from it, except that of periods.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from math import floor
from typing import Any

from sqlrisk.inputs.columns.dictionary import PERIODS, ColumnEntry
from sqlrisk.inputs.columns.recodes import Band, bands_of
from sqlrisk.inputs.conditions import EQUAL, Predicate
from sqlrisk.inputs.datatypes import is_number

Condition = Collection[Predicate]
Level = Band | str
Comparison = tuple[str, Sequence[Level]]  # an operator and its levels
Entries = Mapping[str, ColumnEntry]
_TESTS: dict[str, Callable[[int, range], bool]] = {
    "=": lambda rank, level: rank in level,
    "IN": lambda rank, level: rank in level,
    "<>": lambda rank, level: rank not in level,
    "<": lambda rank, level: rank < level.start,
    "<=": lambda rank, level: rank < level.stop,
    ">": lambda rank, level: rank >= level.stop,
    ">=": lambda rank, level: rank >= level.start,
}


def apart(one: Condition, other: Condition, entries: Entries) -> bool:
    """Return True if certainly nobody can meet both conditions. ``entries`` maps each recoded
    column to its entry.
    """
    return any(_never((True, True), one, other, each.column, entries) for each in one)


def implies(one: Condition, other: Condition, entries: Entries) -> bool:
    """Return True if certainly everybody who meets ``one`` meets ``other``. ``entries`` is as in
    `apart`.
    """
    rest = {*other}.difference(one)
    return all(_never((True, False), one, rest, each.column, entries) for each in rest)


def _never(
    outcome: tuple[bool, bool], one: Condition, other: Condition, column: str, entries: Entries
) -> bool:
    """Return True if certainly no level of the column has this ``outcome``: for each condition,
    whether the level meets it.
    """
    entry = entries.get(column, ColumnEntry())
    first, second = (
        [_comparison(each, entry) for each in side if each.column == column]
        for side in (one, other)
    )
    ways = [*_ranks([*first, *second], entry)]
    return bool(ways) and not any(
        (_meets(first, rank, places), _meets(second, rank, places)) == outcome
        for places in ways
        for rank in range(max(level.stop for level in places.values()) + 1)
    )


def _comparison(written: Predicate, entry: ColumnEntry) -> Comparison:
    """Return a comparison as a run makes it: a level that is named stands for its band."""
    return written.operator, [
        _banded(level, entry) if entry.cuts and written.operator in EQUAL else level
        for level in written.levels
    ]


def _banded(level: str, entry: ColumnEntry) -> Level:
    if not is_number(level):
        return Band.read(level) or level
    number = Decimal(level.strip())
    for band in bands_of(entry):
        begin, end = _number(band)
        if begin <= number < end:
            return band
    if entry.width is None:
        return level
    width = int(entry.width)
    start = floor(number / width) * width
    return Band(str(start), str(start + width))


def _ranks(comparisons: Sequence[Comparison], entry: ColumnEntry) -> Iterator[dict[Level, range]]:
    """Yield the ranks of each level, for each way to read the levels. The ends of a level have odd
    ranks: other levels may be before, between and after them.
    """
    levels = {level for _, several in comparisons for level in several}
    named = {operator in EQUAL for operator, _ in comparisons}
    if len(named) > 1 and (entry.rare or (entry.age_at and entry.cuts)):
        return  # joined levels have a place of their own, and an age has that of its band
    ways: list[Callable[[Level], Sequence[Any]]] = [_number, _time, _period]
    if named == {True} or (named == {False} and len(levels) == 1):  # in any order
        ways.append(_name)
    for read in ways:
        try:
            ends = {level: read(level) for level in levels}
            places = sorted({end for each in ends.values() for end in each})
        except (ValueError, TypeError):  # another kind of level; times with and without a zone
            continue
        ranks = {level: [2 * places.index(end) + 1 for end in each] for level, each in ends.items()}
        yield {level: range(each[0], max(each[0] + 1, each[-1])) for level, each in ranks.items()}


def _number(level: Level) -> list[Decimal]:
    if isinstance(level, Band):
        return [Decimal(level.begin or "-Infinity"), Decimal(level.end or "Infinity")]
    if not is_number(level):
        raise ValueError
    return [Decimal(level.strip())]


def _time(level: Level) -> list[datetime]:
    return [datetime.fromisoformat(str(level))]


def _period(level: Level) -> list[str]:
    if not any(re.fullmatch(known, str(level)) for known in PERIODS.values()):
        raise ValueError
    return [str(level)]


def _name(level: Level) -> list[str]:
    return [str(level)]


def _meets(comparisons: Sequence[Comparison], rank: int, places: Mapping[Level, range]) -> bool:
    return all(
        any(_TESTS[operator](rank, places[level]) for level in levels)
        for operator, levels in comparisons
    )
