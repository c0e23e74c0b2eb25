"""Count many subsets of the keys, one after another, from one encoding of the files.

Sweeps of keys and comparisons of tables of columns use it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from sqlrisk.analyses.preparation.encoding import choose_passes, fits_in_memory
from sqlrisk.analyses.session import Session
from sqlrisk.plan import encoding
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange, pack
from sqlrisk.plan.columns import Column
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.subsets.supersets import Superset


@dataclass(frozen=True)
class Subset:
    """A subset of the keys. Its classes are counted from ``superset`` if that is set, otherwise
    from the table ``records`` in ``passes``.

    Attributes:
        number: its place in the list of subsets, from 1.
        layout: the layout with only these keys.
        superset: a larger subset whose classes and cells are still there, or None.
    """

    number: int
    layout: Layout
    superset: Superset | None
    passes: Sequence[KeyRange]


def each(
    layout: Layout,
    subsets: Sequence[Sequence[Column]],
    session: Session,
    keep: Collection[str],
    *,
    in_passes: bool,
    merges: bool,
) -> Iterator[Subset]:
    """Yield the subsets in the cheapest order. The records of a subset are made first, if counting
    needs them.

    The table ``coded_records`` must exist. The tables of a subset are dropped when the next subset
    is requested.

    Args:
        keep: tables that stay, besides those that exist now.
        in_passes: choose passes, for groups that may not fit in memory.
        merges: count subsets from the classes and cells of larger subsets if those are few.
    """
    own = session.tables.union(keep)
    supersets: list[Superset] = []
    for place, number in enumerate(_widest_first(layout, subsets), start=1):
        chosen = subsets[number - 1]
        session.turn = (f"{len(chosen)} of {len(layout.keys)} keys", place, len(subsets))
        while supersets and not supersets[-1].has(chosen):
            supersets.pop()
        superset = supersets[-1] if supersets else None
        projected = project(layout, chosen, superset)
        if superset is None:
            record(projected, session)
        yield Subset(
            number,
            projected,
            superset,
            choose_passes(projected, session) if in_passes else (EVERY_CLASS,),
        )
        if merges:
            supersets += _kept(projected, superset, len(supersets), session)
        session.clear(keep=own.union(*(each.tables for each in supersets)))
    session.turn = None


def record(layout: Layout, session: Session) -> None:
    """Make ``records`` with a class key of only the layout's keys, from ``coded_records``."""
    session.create([encoding.project(layout, in_memory=fits_in_memory(layout, session))])


def project(layout: Layout, keys: Sequence[Column], superset: Superset | None = None) -> Layout:
    """Return the layout with only some of its keys, packed as in ``superset``.

    Exclusions of missing values and pairs that name other keys are dropped.
    """
    names = [key.name for key in keys]
    gone = [key.name for key in layout.keys if key.name not in names]
    scenario = replace(
        layout.scenario,
        keys=tuple(names),
        exclude_missing=tuple(name for name in layout.scenario.exclude_missing if name not in gone),
        exclude_pair=tuple(pair for pair in layout.scenario.exclude_pair if pair.key not in gone),
    )
    sizes = [layout.part(name).size or 1 for name in names]
    return replace(
        layout,
        scenario=scenario,
        keys=tuple(keys),
        key_columns=superset.key_columns(keys) if superset else pack(keys, sizes),
    )


def _widest_first(layout: Layout, subsets: Sequence[Sequence[Column]]) -> list[int]:
    """Return the numbers of the subsets in the order to count them.

    A subset comes after the superset that it is counted from, and few supersets are kept at a time.
    The cheapest superset has one more key, the one with the fewest levels, because it has the
    fewest cells.
    """
    by_levels = sorted(layout.keys, key=lambda key: layout.part(key.name).size or 1, reverse=True)
    numbers = range(1, len(subsets) + 1)
    return sorted(numbers, key=lambda number: [key not in subsets[number - 1] for key in by_levels])


def _kept(
    layout: Layout, superset: Superset | None, number: int, session: Session
) -> Iterator[Superset]:
    """Keep the classes and cells of a subset if they have at most half as many rows as the tables
    from which they were counted.

    The row counts of supersets thus halve at each step, so all kept tables together are no larger
    than the first source: the records, once for the classes and once for each target.
    """
    counted = Superset(layout, number, 0)
    rows = sum(session.number(f"SELECT COUNT(*) FROM {each}") for each in counted.tables.values())
    if 2 * rows <= (superset.rows if superset else sum(layout.records) * len(counted.tables)):
        session.create(counted.keep())
        yield replace(counted, rows=rows)
