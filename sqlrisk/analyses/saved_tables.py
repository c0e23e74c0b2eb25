"""Risky cells and the risk of each record as tables in a schema of the database (`score --save
SCHEMA`).

These tables are microdata.
"""

from collections.abc import Collection, Iterable

from sqlrisk.analyses.exports import views
from sqlrisk.analyses.places import Place
from sqlrisk.analyses.preparation import alignment
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import ProblemList
from sqlrisk.inputs.request import Question
from sqlrisk.plan.columns import table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.report import Report


class SavedTables(Place):
    """A schema of the database in which risky cells and record risks are kept."""

    def __init__(self, schema: str, measures: Iterable[Measure]) -> None:
        self._schema = schema
        self._measures = [each for each in measures if each.risky is not None]

    def begin(self, session: Session) -> None:
        """Raise InputError if the tables that `keep` makes cannot be made in the schema."""
        risky = [views.RISKY + each.column for each in self._measures]
        session.engine.refuse_kept(self._schema, [*risky, views.RECORD_RISK])

    def check(self, question: Question, layout: Layout, session: Session) -> None:
        """Raise InputError for ids that are missing or shared, and for names that the database
        cannot tell apart.
        """
        alignment.require_identified(
            question.scenario, layout.files[0], question.original.name, session.engine
        )
        cells = [table("cells", target) for target in layout.counted_targets]
        ProblemList(
            f"save: {problem}"
            for name, query in self._queries(question, layout, cells).items()
            for problem in session.engine.cut_alike(views.names_of(query), name).values()
        ).stop()

    def keep(self, question: Question, layout: Layout, _report: Report, session: Session) -> None:
        """Make the tables in the schema, all or none. Results stay with the report."""
        queries = self._queries(question, layout, session.tables)
        kept = {name: each for name, each in queries.items() if not name.startswith(views.NAMED)}
        session.create(
            Step("saving", name, query, in_memory=True)
            for name, query in queries.items()
            if name not in kept
        )
        session.engine.keep(self._schema, kept)
        self.kept = tuple(kept)

    def _queries(
        self, question: Question, layout: Layout, tables: Collection[str]
    ) -> dict[str, str]:
        """Return table -> query, for the tables to keep and the tables that their queries read.

        ``tables`` are the names of the stage tables of the run.
        """
        queries = dict(views.views(layout, self._measures))
        return queries | dict(views.of_records(layout, tables, question.scenario.id))
