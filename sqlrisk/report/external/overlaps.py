"""Which populations overlap: whether one condition excludes or implies another, for any data.

A level may be a number, a date or a text, and a report does not say which. So something follows
only if it follows however the levels can be read. The order of texts is a database's own, so
nothing follows from it.
"""

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlrisk.inputs.conditions import Predicate
from sqlrisk.inputs.datatypes import is_number

Condition = Collection[Predicate]
Test = Callable[[int, int], bool]
_IN_ORDER: dict[str, Test] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TESTS: dict[str, Test] = {
    "=": operator.eq,
    "IN": operator.eq,
    "<>": operator.ne,
    **_IN_ORDER,
}


def apart(one: Condition, other: Condition, cut: Collection[str]) -> bool:
    """Return True if nobody can meet both conditions. ``cut`` are columns whose numbers become
    bands, so that two numbers may be one level.
    """
    return any(_never((True, True), one, other, each.column, cut) for each in one)


def implies(one: Condition, other: Condition, cut: Collection[str]) -> bool:
    """Return True if everybody who meets ``one`` meets the other. ``cut`` is as in `apart`."""
    rest = {*other}.difference(one)
    return all(_never((True, False), one, rest, each.column, cut) for each in rest)


def _never(
    outcome: tuple[bool, bool],
    one: Condition,
    other: Condition,
    column: str,
    cut: Collection[str],
) -> bool:
    """Return True if no level of the column meets, or fails, the two conditions like this."""
    sides = [[each for each in side if each.column == column] for side in (one, other)]
    both = [*sides[0], *sides[1]]
    if column in cut and any(each.operator not in _IN_ORDER for each in both):
        return False
    ranks = [*_ranks(both)]
    return bool(ranks) and not any(
        (_meets(sides[0], rank, places), _meets(sides[1], rank, places)) == outcome
        for places in ranks
        for rank in range(2 * len(places) + 1)
    )


def _ranks(comparisons: Sequence[Predicate]) -> Iterator[dict[str, int]]:
    """Yield the rank of each level, for each way to read the levels. Ranks are odd: other levels
    may be before, between and after them.
    """
    levels = {level for each in comparisons for level in each.levels}
    ways: list[Callable[[str], Any]] = [_number, datetime.fromisoformat]
    if _IN_ORDER.keys().isdisjoint(each.operator for each in comparisons):
        ways.append(str)
    for read in ways:
        try:
            values = {level: read(level) for level in levels}
            places = sorted({*values.values()})
        except (ValueError, TypeError):  # another kind of level; times with and without a zone
            continue
        yield {level: 2 * places.index(value) + 1 for level, value in values.items()}


def _number(text: str) -> Decimal:
    if not is_number(text):
        raise ValueError
    return Decimal(text.strip())


def _meets(comparisons: Sequence[Predicate], rank: int, places: Mapping[str, int]) -> bool:
    return all(
        any(_TESTS[each.operator](rank, places[level]) for level in each.levels)
        for each in comparisons
    )
