"""Run the user's SQL over an open session, as if it were a saved run with its tables and views."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from sqlrisk.analyses import saved_runs
from sqlrisk.analyses.level_names import level_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.request import Question
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.listing import Listing

if TYPE_CHECKING:
    from sqlrisk.engines.engine import Row

_OF_RECORDS = ("people", "record_risk", "replicated_uniques")


@dataclass(frozen=True)
class _Stages:
    """The ``queries`` of the tables and views that a statement may read, by name."""

    queries: Mapping[str, str]
    assessment: Rows


def ask(question: Question, session: Session, statement: str) -> Listing:
    """Return the rows of a statement. Raises InputError if it does more than read, or if the
    database refuses it.
    """
    stages = session.once("query", lambda: _stages(question, session))
    if statement.strip(" \t\r\n;").casefold().split() == ["show", "tables"]:
        columns = ["name"]
        rows: list[Row] = [(name,) for name in sorted(stages.queries)]
    else:
        columns, rows = session.answer(statement, stages.queries)
    return Listing("", "Answer of the release", columns, rows, assessment=stages.assessment)


def _stages(question: Question, session: Session) -> _Stages:
    """Score the files, and keep what queries read."""
    queries: dict[str, str] = {}

    def keep(layout: Layout, results: Rows, assessment: Rows) -> None:
        saved_runs.load(question, layout, results, assessment, session)
        queries.update(_queries(layout, session))

    report = scoring.score(question, session, stays=keep)
    return _Stages(queries, report.assessment)


def _queries(layout: Layout, session: Session) -> dict[str, str]:
    """Return the query of each table and view, each after those that it reads."""
    counts = [file.count for file in layout.files]
    of_cells = ["level_code", *(file.count_class for file in layout.files), *counts]
    counted = {"classes": counts} | {table("cells", each): of_cells for each in layout.targets}
    queries = {}
    for name, columns in counted.items():
        # else there was one pass, and they are its own; engines beside DuckDB note more of a cell
        made = kept if (kept := f"{saved_runs.KEPT}{name}") in session.tables else name
        read = ", ".join([*layout.key_column_names, *columns])
        queries[name] = f"SELECT {read} FROM {made}"
    queries |= saved_runs.tables(layout)
    queries |= {
        table("labels", column): _labels(layout, column, session)
        for column in layout.columns
        if column.shares_codes
    }
    queries |= saved_runs.views(layout)
    if layout.files[0].record is None:  # a table of a database has no order to number them by
        for name in _OF_RECORDS:
            del queries[name]
    return queries


def _labels(layout: Layout, column: Column, session: Session) -> str:
    """Load the labels of a column with bins, and return their query: no two databases write a
    number as the same text.
    """
    levels = level_names(column, None, session)
    loaded = {
        "code": pa.array([*levels], pa.int64()),
        "level": pa.array([*levels.values()], pa.string()),
    }
    relation = session.load(
        f"loaded_{table('labels', column)}", pa.table(loaded), "the labels of the run"
    )
    digit = saved_runs.digit(layout, column)
    return f"SELECT code, {digit} AS digit, level FROM {relation}"
