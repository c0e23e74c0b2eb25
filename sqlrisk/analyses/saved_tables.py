"""Risky cells and the risk of each record as tables in a schema of the database that counts, which
`score` leaves there if it is asked to (`--save SCHEMA`). They are microdata.
"""

from collections.abc import Iterable

from sqlrisk.analyses.exports import views
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.inputs.request import Question
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step


def refuse(session: Session, schema: str, measures: Iterable[Measure]) -> None:
    """Raise InputError where no tables can be left in the schema, before anything is counted."""
    risky = [views.RISKY + measure.column for measure in measures if measure.risky is not None]
    session.engine.refuse_kept(schema, [*risky, views.RECORD_RISK])


def keep(question: Question, layout: Layout, session: Session, schema: str) -> list[str]:
    """Leave the tables, all or none, and return their names. The last thing that is done."""
    queries = dict(views.views(layout, question.measures))
    queries |= views.of_records(layout, session.tables, question.scenario.id)
    kept = {name: each for name, each in queries.items() if not name.startswith(views.NAMED)}
    session.create(
        Step("saving", name, query, temporary=True)
        for name, query in queries.items()
        if name not in kept
    )
    session.engine.keep(schema, kept)
    return [*kept]
