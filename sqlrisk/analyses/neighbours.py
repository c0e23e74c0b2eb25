"""Find the nearest synthetic records for people whose keys match no synthetic record.

The radius is the number of keys that may differ. It grows until every class has a neighbor.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import comb

from sqlrisk.analyses import limits
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.plan import pass_tables
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.plan.subsets.nearness import EQUAL, REACHED, Nearness, dropped, sought

# The unit of work: comparing one class without a neighbor to one synthetic cell (measured: 25 ns of
# CPU).
PAIR = 1
# Steps to group and join a class or cell by one set of keys (measured: 70 to 210 ns).
ROW = 5
LEAST = 2_000_000  # Fewer steps cost less than planning the joins by sets of keys.
BATCH = 1_000_000  # maximum number of rows that one statement groups and joins, over all its sets
SETS = 16  # maximum number of sets of keys in one statement, which is planned as a whole


def find(
    layout: Layout,
    comparisons: tuple[Comparison, ...],
    passes: Sequence[KeyRange],
    session: Session,
    by: tuple[Nearness, ...] = (EQUAL,),
) -> None:
    """Make the neighbor tables of some comparisons for every target, unless they exist.

    ``by`` says how keys may match: equal, or within a tolerance. Raises InputError if a radius
    takes more than the work limit.
    """
    left = [
        near
        for near in by
        if any(near.unmatched_classes(each, 1) not in session.tables for each in comparisons)
    ]
    if not left:
        return  # a measure or attacker of this run has made them
    new = synthetic_cells(layout.targets[0]) not in session.tables
    session.create(begin(layout, comparisons, passes, left, cells=new))
    cells = {
        target: session.number(f"SELECT COUNT(*) FROM {synthetic_cells(target)}")
        for target in layout.targets
    }
    for near, comparison in product(left, comparisons):
        _find(layout, near, comparison, cells, session)


def _find(
    layout: Layout,
    near: Nearness,
    comparison: Comparison,
    cells: Mapping[Column, int],
    session: Session,
) -> None:
    """Find the neighbors of one comparison. At each radius, use the cheaper of two methods.

    Joining on sets of keys finds the neighbors of one radius. Comparing each class with each
    synthetic cell finds those of all remaining radii at once. If the upper bound of the work is
    above the limit, the matches of the join are counted first to get the exact work.
    """
    for radius in range(1, len(layout.keys) + 1):
        classes = session.number(
            f"SELECT COUNT(*) FROM {near.unmatched_classes(comparison, radius)}"
        )
        if radius > 1 and not classes:
            return
        sets = comb(len(layout.keys), radius)
        rows = sum(sets * (classes + cells[target]) for target in layout.targets)
        pairs = sum(classes * cells[target] for target in layout.targets)
        if pairs * PAIR <= max(rows * ROW, LEAST):
            _require_work(layout, radius, classes, pairs * PAIR)
            session.create(by_pairs(layout, comparison, radius, near))
            return
        if (
            rows + _most_found(layout, near, classes, sets, pairs, session)
        ) * ROW > layout.scenario.work_limit:
            met = sum(
                session.number(_pairs_met(layout, near, comparison, radius, target))
                for target in layout.targets
            )
            _require_work(layout, radius, classes, min((rows + met) * ROW, pairs * PAIR))
            if pairs * PAIR <= (rows + met) * ROW:
                session.create(by_pairs(layout, comparison, radius, near))
                return
        session.create(
            by_sets(
                layout, comparison, radius, near, batch=min(SETS, max(1, BATCH // (rows // sets)))
            )
        )


def steps(layout: Layout, passes: Sequence[KeyRange] = (EVERY_CLASS,)) -> Iterator[Step]:
    """Yield the steps of the search for a script, which cannot look at the data. They join on sets
    of keys at every radius.
    """
    by = sought(layout)
    yield from begin(layout, layout.of_original, passes, by)
    for near, comparison in product(by, layout.of_original):
        for radius in range(1, len(layout.keys) + 1):
            yield from by_sets(layout, comparison, radius, near, batch=SETS)


def begin(
    layout: Layout,
    comparisons: tuple[Comparison, ...],
    passes: Sequence[KeyRange],
    by: Sequence[Nearness],
    *,
    cells: bool = True,
) -> Iterator[Step]:
    """Yield the steps that make the classes of people without a match. With ``cells``, also make
    the synthetic cells to search.
    """
    files = tuple(
        file
        for file in layout.files
        if any(file in comparison.members for comparison in comparisons)
    )
    for key_range in passes:
        yield pass_tables.classes(layout, key_range)
        if REACHED in by:
            yield pass_tables.reached_classes(layout)
        for near, comparison in product(by, comparisons):
            yield _open_classes(layout, near, comparison, 1)
        names = {
            **layout.names,
            "files": files,
            "records": key_range.records,
            "key_range": key_range,
        }
        for target in layout.targets if cells else ():
            sql = templates.stage("stages/nearest/synthetic_cells.sql", **names, target=target)
            yield Step("synthetic cells", synthetic_cells(target), sql)


def by_sets(
    layout: Layout, comparison: Comparison, radius: int, near: Nearness, batch: int
) -> Iterator[Step]:
    """Yield the steps that search one radius by joins on the keys that must agree.

    One statement joins on at most ``batch`` sets of keys. Except at the largest radius, the last
    step makes the classes that still have no neighbor.
    """
    subsets = dropped(layout.keys, radius)
    for target in layout.targets:
        for first in range(0, len(subsets), batch):
            names = {"subsets": subsets[first : first + batch]}
            yield _neighbours(layout, near, comparison, target, radius, "neighbours", **names)
    if radius < len(layout.keys):
        yield _open_classes(layout, near, comparison, radius + 1)


def by_pairs(layout: Layout, comparison: Comparison, radius: int, near: Nearness) -> Iterator[Step]:
    """Yield the steps that search this and all larger radii. They compare each synthetic cell with
    each class that has no neighbor yet.
    """
    for target in layout.targets:
        yield _neighbours(
            layout, near, comparison, target, radius, "neighbours_by_pairs", parts=layout.parts
        )


def synthetic_cells(target: Column) -> str:
    """Return the name of the table with the cells of all syntheses."""
    return table("synthetic_cells", target)


def _open_classes(layout: Layout, near: Nearness, comparison: Comparison, radius: int) -> Step:
    reached = near == REACHED
    sql = templates.stage(
        "stages/nearest/unmatched_classes.sql",
        **layout.names,
        synthetic=pass_tables.within_reach(comparison.members, of_class=True)
        if reached
        else comparison.members,
        people_files=layout.people_files,
        classes="reached_classes" if reached else "classes",
        unmatched_classes=near.unmatched_classes(comparison, radius - 1),
        found=near.neighbours(layout, comparison, layout.targets[0]) if radius > 1 else "",
        radius=radius - 1,
    )
    return Step("open classes", near.unmatched_classes(comparison, radius), sql)


def _neighbours(
    layout: Layout,
    near: Nearness,
    comparison: Comparison,
    target: Column,
    radius: int,
    form: str,
    **names: object,
) -> Step:
    """Return the step that searches one radius with the template ``form`` of stages/nearest.
    ``names`` are further names in the template.
    """
    near_key = layout.part(*layout.scenario.near_keys) if near == REACHED else None
    sql = templates.stage(
        f"stages/nearest/{form}.sql",
        **layout.names,
        **names,
        comparison=comparison,
        radius=radius,
        unmatched_classes=near.unmatched_classes(comparison, radius),
        synthetic_cells=synthetic_cells(target),
        near_key=near_key,
        near_ids=(near_key.column.id,) if near_key else (),
        tolerance_intervals=table("tolerance_intervals", near_key.column) if near_key else "",
        of_target=True,
    )
    return Step(f"neighbours of {target.name}", near.neighbours(layout, comparison, target), sql)


def _most_found(
    layout: Layout, near: Nearness, classes: int, sets: int, pairs: int, session: Session
) -> int:
    """Return an upper bound of the number of rows that a join on key sets finds at one radius, for
    all targets.

    ``classes`` have no neighbor yet, ``sets`` is the number of key sets, and ``pairs`` is the
    number of pairs of a class and a synthetic cell. A class meets each target level at most once
    per set of keys. If a key has a tolerance, a target level counts once for each level of that
    key. No more rows than ``pairs`` are possible.
    """
    levels = sum(
        session.number(f"SELECT COUNT(*) FROM {table('marginals', target)}")
        for target in layout.targets
    )
    for key in layout.scenario.near_keys if near == REACHED else ():
        levels *= session.number(
            f"SELECT COUNT(*) FROM {table('tolerance_intervals', layout.column(key))}"
        )
    return min(classes * sets * levels, pairs)


def _pairs_met(
    layout: Layout, near: Nearness, comparison: Comparison, radius: int, target: Column
) -> str:
    """Return the query that counts the pairs of a class without a neighbor and a synthetic cell at
    this distance.
    """
    subsets = dropped(layout.keys, radius)
    step = _neighbours(layout, near, comparison, target, radius, "neighbour_pairs", subsets=subsets)
    return step.sql


def _require_work(layout: Layout, radius: int, classes: int, takes: int) -> None:
    """Raise InputError if the next radius takes more than the work limit."""
    what = (
        f"neighbours: {classes:,} classes of people have no synthetic record within "
        f"{radius - 1} of {len(layout.keys)} keys, "
    )
    limits.require(
        layout.scenario.work_limit, takes, f"{what}and the next radius", "steps", "name fewer keys"
    )
