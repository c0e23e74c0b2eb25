"""Steps that find the synthetic records nearest to people on each side of a link (a set of
columns), and on both sides.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from sqlrisk.catalogue import templates
from sqlrisk.plan.layout import Comparison, Layout, Link
from sqlrisk.plan.pass_tables import WHOLE
from sqlrisk.plan.steps import Step, fill, in_pass
from sqlrisk.plan.subsets.nearness import dropped

SETS = 16  # maximum number of sets of columns in one statement, which is planned as a whole


def steps(layout: Layout) -> Iterator[Step]:
    """Yield the steps of all links, for every radius on both sides. A script needs all of them,
    because it cannot look at the data and stop early.
    """
    for link in layout.links:
        yield from classes(layout, link)
        for comparison in layout.of_original:
            for side, columns in enumerate(link.sides):
                for radius in range(1, len(columns) + 1):
                    yield from nearest(layout, link, comparison, side, radius)
            yield sides(layout, link, comparison)
            for radii in product(*(range(len(columns) + 1) for columns in link.sides)):
                yield from on_both(layout, link, comparison, radii)


def classes(layout: Layout, link: Link) -> Iterator[Step]:
    """Count the classes by all columns of a link, and by the columns of each side."""
    for kept, table in (
        (link.columns, link_classes(link)),
        *((each, side_classes(link, side)) for side, each in enumerate(link.sides)),
    ):
        others = [part for part in layout.parts if part.column not in kept]
        if others:
            names = {**layout.names, "superset": WHOLE, "dropped": others, "target": None}
            yield fill("links", table, "stages/classes/merged_counts.sql", **names)


def nearest(
    layout: Layout, link: Link, comparison: Comparison, side: int, radius: int
) -> Iterator[Step]:
    """Find synthetic records at a radius from people on one side. Then find the classes that have
    no record within that radius.
    """
    counted, found = side_classes(link, side), side_neighbours(link, comparison, side)
    if radius == 1:
        yield _open(layout, link, comparison, side, 1)
    subsets, left = dropped(link.sides[side], radius), unmatched(link, comparison, side, radius)
    yield from _neighbours(layout, comparison, found, radius, subsets, left, counted)
    if radius < len(link.sides[side]):
        yield _open(layout, link, comparison, side, radius + 1)


def sides(layout: Layout, link: Link, comparison: Comparison) -> Step:
    """Join the nearest records of the two sides, with their distances and counts, by class of
    people.
    """
    near = [
        templates.stage(
            "stages/links/near_sides.sql",
            **layout.names,
            comparison=comparison,
            side_classes=side_classes(link, side),
            side_neighbours=side_neighbours(link, comparison, side),
        )
        for side in range(len(link.sides))
    ]
    ids = [[column.id for column in columns] for columns in link.sides]
    table = link_sides(link, comparison)
    names = {
        "near_sides": near,
        "sides": ids,
        "link_classes": _link_classes(layout, link),
        "people_files": layout.people_files,
    }
    return fill("links", table, "stages/links/link_sides.sql", **layout.names, **names)


def on_both(
    layout: Layout, link: Link, comparison: Comparison, radii: Sequence[int]
) -> Iterator[Step]:
    """Find the synthetic records that are nearest to people on both sides of a link together.

    ``radii`` are the distances to the nearest record on each side. Only people with exactly these
    distances are searched.
    """
    one, other = map(dropped, link.sides, radii)
    subsets = [(*first, *second) for first, second in product(one, other)]
    open_classes = (
        f"{link_sides(link, comparison)} WHERE radius_a = {radii[0]} AND radius_b = {radii[1]}"
    )
    found = link_neighbours(link, comparison)
    yield from _neighbours(
        layout, comparison, found, sum(radii), subsets, open_classes, _link_classes(layout, link)
    )


def linked_classes(layout: Layout, link: Link, comparison: Comparison) -> Step:
    """Make the classes of people of the pass with the counts of a link."""
    names = {**layout.names, "classes": "classes"}
    names |= {
        "link_sides": link_sides(link, comparison),
        "link_neighbours": link_neighbours(link, comparison),
    }
    others = [key.id for key in layout.keys if key not in link.columns]
    return in_pass(
        "links", "linked_classes", "stages/links/linked_classes.sql", **names, others=others
    )


def link_sides(link: Link, comparison: Comparison) -> str:
    """Name the table of the nearest records on each side."""
    return f"link_sides_{link.place}_{comparison.number}"


def link_neighbours(link: Link, comparison: Comparison) -> str:
    """Name the table of the nearest records on both sides together."""
    return f"link_neighbours_{link.place}_{comparison.number}"


def link_classes(link: Link) -> str:
    """Name the table of the classes by all columns of a link, if those are not all keys."""
    return f"link_classes_{link.place}"


def side_classes(link: Link, side: int) -> str:
    """Return the name of the table of equivalence classes over the columns of one side."""
    return f"side_classes_{link.place}{'ab'[side]}"


def side_neighbours(link: Link, comparison: Comparison, side: int) -> str:
    """Name the table of the nearest records on one side, for people whom no record matches on that
    side.
    """
    return f"side_neighbours_{link.place}{'ab'[side]}_{comparison.number}"


def unmatched(link: Link, comparison: Comparison, side: int, radius: int) -> str:
    """Name the table of one side's classes that have no synthetic record nearer than a radius."""
    return f"open_sides_{link.place}{'ab'[side]}_{comparison.number}_{radius}"


def _link_classes(layout: Layout, link: Link) -> str:
    return WHOLE if len(link.columns) == len(layout.keys) else link_classes(link)


def _open(layout: Layout, link: Link, comparison: Comparison, side: int, radius: int) -> Step:
    names = {
        "synthetic": comparison.members,
        "people_files": layout.people_files,
        "classes": side_classes(link, side),
        "unmatched_classes": unmatched(link, comparison, side, radius - 1),
        "found": side_neighbours(link, comparison, side) if radius > 1 else "",
        "radius": radius - 1,
    }
    table = unmatched(link, comparison, side, radius)
    return fill("links", table, "stages/nearest/unmatched_classes.sql", **layout.names, **names)


def _neighbours(
    layout: Layout,
    comparison: Comparison,
    table: str,
    radius: int,
    subsets: Sequence[Sequence[str]],
    open_classes: str,
    counted: str,
) -> Iterator[Step]:
    for first in range(0, len(subsets), SETS):
        names = {
            "unmatched_classes": open_classes,
            "synthetic_cells": counted,
            "of_target": False,
            "near_key": None,
            "near_ids": (),
            "comparison": comparison,
            "radius": radius,
            "subsets": subsets[first : first + SETS],
        }
        yield fill("links", table, "stages/nearest/neighbours.sql", **layout.names, **names)
