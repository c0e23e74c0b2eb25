"""The synthetic records nearest to people whose keys no synthetic record has: radius by radius, until everybody has some."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from sqlrisk.analyses import limits
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.plan import pass_tables
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step

PAIR = 1  # a step of work: an open class and a synthetic cell held against each other; measured: 25 ns of CPU
ROW = 5  # steps that a class or cell takes where rows are grouped and joined by a set of keys; measured: 70 to 210 ns
LEAST = 2_000_000  # steps that are no more than what planning the sets of keys costs
BATCH = 1_000_000  # rows that one statement may group and join, over all its sets of keys
SETS = 16  # sets of keys in one statement, at most: it is planned as a whole


def sought(layout: Layout) -> bool:
    """Return whether a measure asks for the nearest synthetic records."""
    return any(measure.of_neighbours for measure in layout.measures)


def find(layout: Layout, comparisons: tuple[Comparison, ...], passes: Sequence[KeyRange], session: Session) -> None:
    """Make the tables ``neighbours`` of some comparisons and every target, unless they are made; within the work limit."""
    if all(unmatched_classes(each, 1) in session.tables for each in comparisons):
        return  # measures and attackers of one run ask for the same
    session.create(begin(layout, comparisons, passes))
    cells = {target: session.number(f"SELECT COUNT(*) FROM {synthetic_cells(target)}") for target in layout.targets}
    for comparison in comparisons:
        for radius in range(1, len(layout.keys) + 1):
            classes = session.number(f"SELECT COUNT(*) FROM {unmatched_classes(comparison, radius)}")
            if radius > 1 and not classes:
                break
            sets = comb(len(layout.keys), radius)
            rows = sum(sets * (classes + cells[target]) for target in layout.targets)
            pairs = sum(classes * cells[target] for target in layout.targets)
            if pairs * PAIR <= max(rows * ROW, LEAST):
                _require_work(layout, radius, classes, pairs * PAIR)
                session.create(by_pairs(layout, comparison, radius))
                break
            if (rows + _most_found(layout, classes, sets, pairs, session)) * ROW > layout.scenario.work_limit:
                met = sum(session.number(_pairs_met(layout, comparison, radius, target)) for target in layout.targets)
                _require_work(layout, radius, classes, min((rows + met) * ROW, pairs * PAIR))
                if pairs * PAIR <= (rows + met) * ROW:
                    session.create(by_pairs(layout, comparison, radius))
                    break
            session.create(by_sets(layout, comparison, radius, batch=min(SETS, max(1, BATCH // (rows // sets)))))


def steps(layout: Layout, passes: Sequence[KeyRange] = (EVERY_CLASS,)) -> Iterator[Step]:
    """Yield the steps that find neighbours without a look at the data, for a script: every radius by sets of keys."""
    yield from begin(layout, layout.of_original, passes)
    for comparison in layout.of_original:
        for radius in range(1, len(layout.keys) + 1):
            yield from by_sets(layout, comparison, radius, batch=SETS)


def begin(layout: Layout, comparisons: tuple[Comparison, ...], passes: Sequence[KeyRange]) -> Iterator[Step]:
    """Make the cells of the files to find neighbours in, and the classes of people that no record of a comparison is in."""
    files = tuple(file for file in layout.files if any(file in comparison.members for comparison in comparisons))
    for key_range in passes:
        yield pass_tables.classes(layout, key_range)
        for comparison in comparisons:
            yield _open_classes(layout, comparison, 1)
        names = {**layout.names, "files": files, "records": key_range.records, "key_range": key_range}
        for target in layout.targets:
            sql = templates.stage("stages/nearest/synthetic_cells.sql", **names, target=target)
            yield Step("synthetic cells", synthetic_cells(target), sql)


def by_sets(layout: Layout, comparison: Comparison, radius: int, batch: int) -> Iterator[Step]:
    """Find one radius by joins on every set of keys that agree, ``batch`` sets in a statement; then the classes still open."""
    subsets = _subsets(layout, radius)
    for target in layout.targets:
        for first in range(0, len(subsets), batch):
            yield _neighbours(layout, comparison, target, radius, "neighbours", subsets=subsets[first : first + batch])
    if radius < len(layout.keys):
        yield _open_classes(layout, comparison, radius + 1)


def by_pairs(layout: Layout, comparison: Comparison, radius: int) -> Iterator[Step]:
    """Find this radius and all further ones by comparing each open class with each synthetic cell."""
    for target in layout.targets:
        yield _neighbours(layout, comparison, target, radius, "neighbours_by_pairs", parts=layout.parts)


def unmatched_classes(comparison: Comparison, radius: int) -> str:
    """Return the table of the classes without a synthetic record nearer than a radius."""
    return f"open_classes_{comparison.number}_{radius}"


def synthetic_cells(target: Column) -> str:
    """Return the table of the cells of all syntheses."""
    return table("synthetic_cells", target)


def _open_classes(layout: Layout, comparison: Comparison, radius: int) -> Step:
    sql = templates.stage(
        "stages/nearest/unmatched_classes.sql",
        **layout.names,
        comparison=comparison,
        people_files=layout.people_files,
        classes="classes",
        unmatched_classes=unmatched_classes(comparison, radius - 1),
        found=pass_tables.neighbours(layout, comparison, layout.targets[0]) if radius > 1 else "",
        radius=radius - 1,
    )
    return Step("open classes", unmatched_classes(comparison, radius), sql)


def _neighbours(layout: Layout, comparison: Comparison, target: Column, radius: int, form: str, **names: object) -> Step:
    """Fill a stage that finds the synthetic records at a radius, of this ``form``."""
    sql = templates.stage(
        f"stages/nearest/{form}.sql",
        **layout.names,
        **names,
        comparison=comparison,
        radius=radius,
        unmatched_classes=unmatched_classes(comparison, radius),
        synthetic_cells=synthetic_cells(target),
    )
    return Step(f"neighbours of {target.name}", pass_tables.neighbours(layout, comparison, target), sql)


def _subsets(layout: Layout, radius: int) -> list[tuple[str, ...]]:
    """Return the sets of keys in which records at this distance differ."""
    return [tuple(key.id for key in dropped) for dropped in combinations(layout.keys, radius)]


def _most_found(layout: Layout, classes: int, sets: int, pairs: int, session: Session) -> int:
    """Return an upper bound on the number of neighbour rows: every class meets each level in each set, no pair twice."""
    levels = sum(session.number(f"SELECT COUNT(*) FROM {table('marginals', target)}") for target in layout.targets)
    return min(classes * sets * levels, pairs)


def _pairs_met(layout: Layout, comparison: Comparison, radius: int, target: Column) -> str:
    """Return the query of how many pairs of an open class and a synthetic cell are at this distance."""
    return _neighbours(layout, comparison, target, radius, "neighbour_pairs", subsets=_subsets(layout, radius)).sql


def _require_work(layout: Layout, radius: int, classes: int, takes: int) -> None:
    """Raise InputError where the next radius takes more than the work limit."""
    what = f"neighbours: {classes:,} classes of people have no synthetic record within {radius - 1} of {len(layout.keys)} keys, "
    limits.require(layout.scenario.work_limit, takes, f"{what}and the next radius", "steps", "name fewer keys")
