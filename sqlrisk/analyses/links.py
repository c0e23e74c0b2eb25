"""Find the synthetic records nearest to each person, for measures of linkability.

A link is two sets of columns (sides) that an intruder joins. Each side is searched by itself, then
both together. The radius is the number of columns that may differ. It grows until every class of
people has a nearest record.
"""

from math import comb

from sqlrisk.analyses import limits
from sqlrisk.analyses.neighbours import ROW
from sqlrisk.analyses.session import Session
from sqlrisk.plan.layout import Comparison, Layout, Link
from sqlrisk.plan.subsets import links as plan


def find(layout: Layout, session: Session) -> None:
    """Make the tables of all links of a layout.

    Raises InputError if a search takes more than the work limit.
    """
    for link in layout.links:
        session.create(plan.classes(layout, link))
        for comparison in layout.of_original:
            for side in range(len(link.sides)):
                _find_side(layout, link, comparison, side, session)
            session.create([plan.sides(layout, link, comparison)])
            _find_both(layout, link, comparison, session)


def _find_side(
    layout: Layout, link: Link, comparison: Comparison, side: int, session: Session
) -> None:
    held = _rows(plan.side_classes(link, side), session)
    for radius in range(1, len(link.sides[side]) + 1):
        found = plan.unmatched(link, comparison, side, radius)
        still = _rows(found, session) if radius > 1 else held
        if not still:
            break
        _require_work(layout, link, comb(len(link.sides[side]), radius) * (still + held))
        session.create(plan.nearest(layout, link, comparison, side, radius))


def _find_both(layout: Layout, link: Link, comparison: Comparison, session: Session) -> None:
    """Add the synthetic records nearest on both sides together to the link's neighbor table.

    Classes of people with the same two distances, one per side, to their nearest records are
    searched together. Raises InputError if a search takes more than the work limit.
    """
    sides = plan.link_sides(link, comparison)
    for one, other, classes in session.fetch(
        f"SELECT radius_a, radius_b, COUNT(*) AS n_classes FROM {sides} GROUP BY radius_a, "
        "radius_b ORDER BY radius_a, radius_b"
    ):
        radii = int(one), int(other)
        sets = comb(len(link.sides[0]), radii[0]) * comb(len(link.sides[1]), radii[1])
        _require_work(layout, link, sets * int(classes))
        session.create(plan.on_both(layout, link, comparison, radii))


def _rows(table: str, session: Session) -> int:
    return session.number(f"SELECT COUNT(*) FROM {table}")


def _require_work(layout: Layout, link: Link, rows: int) -> None:
    """Raise InputError if grouping and joining ``rows`` rows takes more than the work limit."""
    what = f"link: finding the records nearest on the sides of {link.name!r}"
    limits.require(
        layout.scenario.work_limit, rows * ROW, what, "steps", "name fewer columns on a side"
    )
