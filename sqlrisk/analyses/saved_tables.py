"""Write risky cells and the risk of each record to tables in a schema of the database (`score
--save SCHEMA`).

These tables are microdata.
"""

from collections.abc import Iterable

from sqlrisk.analyses.exports import views
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.inputs.request import Question
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step


def refuse(session: Session, schema: str, measures: Iterable[Measure]) -> None:
    """Raise InputError if the tables cannot be written to the schema. Call it before anything is
    counted.
    """
    risky = [views.RISKY + measure.column for measure in measures if measure.risky is not None]
    session.engine.refuse_kept(schema, [*risky, views.RECORD_RISK])


def keep(question: Question, layout: Layout, session: Session, schema: str) -> list[str]:
    """Make the tables in the schema, all or none, and return their names. Call it last in a run."""
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
