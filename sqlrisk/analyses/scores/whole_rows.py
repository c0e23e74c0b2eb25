"""Measures of whole rows (copies): compare all columns that the files share. These measures have
their own encodings and passes.
"""

from dataclasses import dataclass, field, replace
from itertools import chain

from sqlrisk.analyses import limits, result_rows
from sqlrisk.analyses.preparation.encoding import record_all
from sqlrisk.analyses.preparation.files import with_class_key
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.scores import differences
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.request import Question
from sqlrisk.plan import totals, whole_rows
from sqlrisk.plan.layout import Layout

STEPS = 3  # steps to look up one record without one set of columns


@dataclass(frozen=True)
class Copies:
    """The numbers of the ``measures`` of whole rows: their result rows, and their rows of
    `differences`.
    """

    measures: tuple[Measure, ...] = ()
    results: Rows = field(default_factory=list)
    differences: Rows = field(default_factory=list)


def lay_out(question: Question, layout: Layout, session: Session) -> Layout:
    """Make the dictionaries of whole rows, and return the layout in which all shared columns are
    keys.

    ``layout`` is the encoded layout of the question. Raises InputError if the files share no
    comparable column.
    """
    whole = whole_rows.of_rows(layout, [each for each in question.computed if each.of_rows])
    if not whole.keys:
        raise InputError(
            "copies: the files share no column, besides those of weights, ids and the split, "
            "whose values compare."
        )
    session.create(whole_rows.dictionaries(whole, session.tables))
    return with_class_key(whole, session)


def measure(question: Question, layout: Layout, session: Session) -> Copies:
    """Count whole rows and read the numbers. The tables made on the way are dropped.

    ``layout`` is the encoded layout of the keys. Its records must not exist yet. Raises InputError
    above the work limit, and the errors of `lay_out`.
    """
    wanted = question.of_rows
    kept = session.tables
    whole = lay_out(question, layout, session)
    _require_work(whole)
    passes = record_all(whole, session)
    session.create(whole_rows.steps(whole, passes))
    session.create(
        chain(
            totals.measure(whole, passes, rewrites_many=session.engine.rewrites_many),
            totals.collect(whole),
        )
    )
    measured = result_rows.results(replace(question, measures=wanted), whole, session)
    added = differences.differences(whole, measured, session)
    session.clear(keep=kept)
    return Copies(wanted, differences.inserted(measured, added, wanted), added)


def _require_work(layout: Layout) -> None:
    """Raise InputError if finding near rows takes more steps than the work limit."""
    columns, sets = len(layout.keys), whole_rows.sets(layout)
    what = (
        f"Rows that differ in up to {layout.row_radius} of {columns} columns: {sets:,} sets of "
        "columns left out"
    )
    limits.require(
        layout.scenario.work_limit,
        sets * sum(layout.records) * STEPS,
        what,
        "steps",
        "lower --row-radius",
    )
