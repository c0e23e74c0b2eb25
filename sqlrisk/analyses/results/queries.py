"""Answer the user's SQL queries over an open session, with the tables and views of a saved run."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sqlrisk.analyses import places, saved_runs
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.request import Question
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.listing import Listing
from sqlrisk.report.report import Report

if TYPE_CHECKING:
    from sqlrisk.engines.engine import SqlRow


class OpenStages(places.Place):
    """The place of tables that stay in the open session, so that the user can query them.

    ``queries`` maps each table and view that users can query to its own query. A query comes after
    the queries that it reads.
    """

    every_target = True
    queries: Mapping[str, str]
    _before = ""

    def beside(self, steps: Iterable[Step], layout: Layout) -> Iterable[Step]:
        """Copy classes and cells to further tables if there are several passes. After a single
        pass, the tables themselves stay.
        """
        every = list(steps)
        if [step.table for step in every].count("classes") == 1:
            return every
        self._before = "kept_"
        return places.copies(every, layout, self._before)

    def keep(self, question: Question, layout: Layout, report: Report, session: Session) -> None:
        """Fill ``queries`` with the tables and views of a saved run."""
        queries = saved_runs.tables(question, layout, report, session)
        for name, columns in places.counted(layout).items():
            queries[name] = f"SELECT {columns} FROM {self._before}{name}"
        self.queries = queries | saved_runs.views(layout)


def ask(question: Question, session: Session, statement: str) -> Listing:
    """Run a statement over the tables and views, or list their names for ``show tables``.

    Raises InputError if the statement does anything but read, or if the database refuses it.
    """
    queries, report = session.once("query", lambda: _counted(question, session))
    if statement.strip(" \t\r\n;").casefold().split() == ["show", "tables"]:
        columns = ["name"]
        rows: list[SqlRow] = [(name,) for name in sorted(queries)]
    else:
        columns, rows = session.answer(statement, queries)
    labels = {name: label for name, label in report.labels.items() if name in columns}
    title = "Answer of the release"
    return Listing("", title, columns, rows, assessment=report.assessment, labels=labels)


def _counted(question: Question, session: Session) -> tuple[Mapping[str, str], Report]:
    """Score the files. Return the queries of all tables and views, and the report."""
    place = OpenStages()
    report = scoring.score(question, session, place=place)
    return place.queries, report
