"""Find people singled out by predicates that are unique in a synthetic file. A predicate is a set
of keys with one level each.
"""

from sqlrisk.analyses import limits
from sqlrisk.analyses.neighbours import ROW
from sqlrisk.analyses.session import Session
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.pass_tables import WHOLE
from sqlrisk.plan.subsets import singling_out as plan


def find(layout: Layout, session: Session) -> None:
    """Make the tables of predicates of each comparison.

    Raises InputError if trying all sets of keys takes more than the work limit.
    """
    classes = session.number(f"SELECT COUNT(*) FROM {WHOLE}")
    sets, comparisons = plan.sets(layout), len(layout.of_original)
    what = (
        f"singling out: trying {sets:,} sets of up to {plan.largest(layout)} of "
        f"{len(layout.keys)} keys"
    )
    way = "name fewer keys, or smaller --set-sizes"
    limits.require(
        layout.scenario.work_limit, sets * comparisons * classes * ROW, what, "steps", way
    )
    session.create(plan.steps(layout))
