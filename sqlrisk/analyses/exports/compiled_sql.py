"""Compile a scenario to SQL files for a database that sqlrisk is not connected to: stages,
measures, results, risky cells, views, and a file that drops everything.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from itertools import chain
from textwrap import wrap
from typing import Any

from sqlrisk.analyses.exports import layout_without_data, stages, views
from sqlrisk.analyses.result_rows import methods_of_several
from sqlrisk.analyses.scores import risky_cells
from sqlrisk.analyses.scores.differences import ADJUSTED_UNIT
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import NOT_RUN, Dialect, Overrides
from sqlrisk.catalogue.measures import Measure
from sqlrisk.catalogue.translation import Statement, table_named, translate, write
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.sources import Source
from sqlrisk.plan import encoding, result_queries
from sqlrisk.plan.columns import Column
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step

VIEWS = "views"  # the part that makes views
RESULTS = "results"  # the table that users read. The stage of this name becomes `measured`.
MEASURED = "measured"
PARTS = ("dictionaries", "stages", "measures", "results")  # parts that make the results, in order
LISTED = 20  # maximum number of risky cells listed for each measure and target
_COLUMNS = 120
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")


@dataclass(frozen=True)
class Piece:
    """One statement of the compiled SQL.

    Attributes:
        part: the file that the statement goes to, such as ``stages`` or ``results``.
        kind: create, view, insert or select.
        table: the compiled name of the table or view that it makes or fills. Empty for a select.
        sql: the query in DuckDB's dialect, over the names of the stage tables.
        names: stage table -> its name in the compiled SQL at this point.
    """

    part: str
    kind: str
    table: str
    sql: str
    names: Mapping[str, str]


@dataclass
class Pieces:
    """The statements of a plan in order.

    If a table is created twice, the second one gets a new name, so no table is dropped in between.
    """

    made: list[Piece] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _last: dict[str, Step] = field(default_factory=dict)

    @property
    def tables(self) -> Collection[str]:
        """The tables that exist so far, by their names in the stages."""
        return self._names.keys()

    def add(self, part: str, steps: Iterable[Step]) -> None:
        """Add the statements of steps to a part. Steps of measures and results go to the parts
        ``measures`` and ``results``.
        """
        for step in steps:
            own = step.name if step.name in PARTS else part
            if step.table not in self._last:
                self.create(own, step, MEASURED if step.table == RESULTS else step.table)
            elif step.adds or not step.in_memory:
                self.name(own, "insert", self._names[step.table], step.sql)
            elif self._last[step.table] != step:
                number = sum(
                    each.kind == "create" and each.table.startswith(f"{step.table}_v")
                    for each in self.made
                )
                self.create(own, step, f"{step.table}_v{number + 2}")
            self._last[step.table] = step

    def name(self, part: str, kind: str, table: str, sql: str) -> None:
        """Add a statement that reads the tables made so far. The arguments are those of `Piece`."""
        self.made.append(Piece(part, kind, table, sql, dict(self._names)))

    def create(self, part: str, step: Step, table: str) -> None:
        """Add a statement that creates the table of a step as ``table``. Later statements that read
        the table of this stage read the new one.
        """
        self.name(part, "create", table, step.sql)
        self._names[step.table] = table


@dataclass(frozen=True)
class Plan:
    """A compiled scenario: the layout, its statements, and how tables are named in the database.

    Attributes:
        sources: the user's tables, by their names in the stages.
        prefix: the prefix of the names of tables that sqlrisk makes.
        scratch: the schema of tables that sqlrisk makes, or None for the default.
        own: the measures' own SQL for the dialect.
    """

    question: Question
    layout: Layout
    pieces: tuple[Piece, ...]
    sources: Mapping[str, Source]
    dialect: Dialect
    prefix: str
    scratch: str | None
    own: Overrides

    def translated(self, piece: Piece, table: Callable[[str], Any]) -> Statement:
        """Return a statement in the dialect. ``table`` maps the name of a table, ours or the
        user's, to a sqlglot table.
        """
        sql = piece.sql if piece.kind == "select" else f"CREATE TABLE made AS\n{piece.sql}"
        return translate(
            sql,
            self.dialect.name,
            lambda name: table(piece.names.get(name, name)),
            own=self.own,
            pretty=True,
        )

    def table(self, name: str) -> Any:
        """Return a sqlglot table: the user's own, or one of ours."""
        if name in self.sources:
            return table_named(self.sources[name].label, self.dialect.name)
        return table_named(
            f"{self.scratch}.{self.prefix}{name}" if self.scratch else f"{self.prefix}{name}",
            self.dialect.name,
        )

    def named(self, name: str) -> str:
        """Return a table name quoted as SQL."""
        return str(self.table(name).sql(self.dialect.name))


def lay_out(
    question: Question,
    dialect: Dialect,
    *,
    prefix: str,
    scratch: str | None,
    types: object,
    measures_from: str | None,
) -> Plan:
    """Return the plan of a compiled question, with every statement in order.

    ``prefix`` and ``scratch`` are those of `Plan`. ``types`` names the types of columns, which
    cannot be read from the data. ``measures_from`` is the folder of the user's own measures, or
    None. Raises InputError for anything that cannot be compiled.
    """
    if not _PREFIX.fullmatch(prefix):
        raise InputError(
            f"prefix: {prefix!r} cannot begin the names of tables; use letters, digits and _, "
            "such as sqlrisk_."
        )
    given = question.sources
    files = [each for each in given if each.kind != "table"]
    if files:
        raise InputError(
            f"{', '.join(each.name for each in files)}: compiled SQL reads only tables of the "
            "database; name tables, as schema.table, or use `sqlrisk score` for files."
        )
    sources = {f"source_{number}": source for number, source in enumerate(given)}
    with (problems := ProblemList(question.unread)):
        layout = layout_without_data.lay_out(
            *(question.scenario, list(sources), question.syntheses, question.computed, types),
            universe=question.universe is not None,
        )
    problems.stop()
    pieces = Pieces()
    pieces.add("dictionaries", encoding.encode(layout))
    pieces.add(
        "stages", [step for step in layout_without_data.steps(layout) if step.name != "levels"]
    )
    pieces.name("results", "create", RESULTS, named_results(question, layout))
    for measure in question.measures:
        if measure.risky is not None or measure.least is not None:
            for target in layout.targets_of(measure.stage):
                _list_cells(pieces, layout, measure, target)
    for name, query in chain(
        views.views(layout, question.measures),
        views.of_records(layout, pieces.tables, question.scenario.id),
    ):
        pieces.name(VIEWS, "view", name, query)
    own = own_sql(layout.counts, measures_from, dialect.name)
    compiled = Plan(question, layout, tuple(pieces.made), sources, dialect, prefix, scratch, own)
    compiled.table(MEASURED)  # raises at once if the scratch schema is not a name
    return compiled


def named_results(question: Question, layout: Layout) -> str:
    """Return the query of the result rows with the names that a report uses. The report's ``at`` is
    called ``point``.
    """
    weights = layout.scenario.weights is not None
    measures = []
    for measure in question.measures:
        kinds = [part.kind for part in question.catalog.parts_of(measure)]
        of_people, of_control = (
            all(getattr(each, name) for each in kinds) for name in ("of_people", "of_control")
        )
        flags = {
            "of_people": of_people,
            "of_control": measure.knows_control and of_control,
            "weighable": weights and all(each.weighable for each in kinds),
            "is_share": measure.is_share,
            "untargeted": measure.untargeted,
        }
        names = {"measure_name": measure.name, "family": measure.family, "unit_name": measure.unit}
        measures.append(names | {name: int(flag) for name, flag in flags.items()})
    everybody = [(0, "all")] if "all" in layout.scenario.populations else []
    populations = [*everybody, *((each.number, each.name) for each in layout.populations)]
    numbers = templates.stage(
        "stages/results/report_numbers.sql",
        results="results",
        comparisons=[
            {"number": each.number, "label": each.label, "who": each.people.who}
            for each in layout.comparisons
        ],
        summaries=[
            {
                "method": method,
                "who": people.who,
                "query": result_queries.summary(layout, method, people),
            }
            for people in layout.people_files
            for method in methods_of_several(layout)
        ],
        differences=result_queries.differences(layout, spread=False)
        if len(layout.people_files) > 1
        else "",
    )
    return templates.stage(
        "tables/named_results.sql",
        report_numbers=numbers,
        measures=measures,
        targets=[{"number": each.number, "target_name": each.name} for each in layout.numbered],
        populations=[{"number": number, "population_name": name} for number, name in populations],
        adjusted_unit=ADJUSTED_UNIT,
    )


def scripts(compiled: Plan) -> dict[str, str]:
    """Return the numbered SQL files by name, and a README with instructions to run them."""
    files: dict[str, list[str]] = {part: [] for part in (*PARTS, "risky_cells", VIEWS, "drop")}
    for piece in compiled.pieces:
        statement = compiled.translated(piece, compiled.table)
        if piece.kind == "select":
            files[piece.part].append(statement.sql)
        else:
            kind = Statement(piece.kind, piece.table, statement.sql, statement.ctes)
            written = write(kind, compiled.dialect.name, compiled.named(piece.table))
            files[piece.part].append(
                written
                if piece.kind == "insert"
                else f"{comment(stages.grain(piece.sql))}\n{written}"
            )
    made = [piece for piece in reversed(compiled.pieces) if piece.kind in ("create", "view")]
    files["drop"] = [
        write(
            Statement("drop view" if each.kind == "view" else "drop", each.table, ""),
            compiled.dialect.name,
            compiled.named(each.table),
        )
        # Results are dropped last.
        for each in sorted(made, key=lambda each: each.table == RESULTS)
    ]
    texts = {}
    for number, (part, statements) in enumerate(
        ((part, each) for part, each in files.items() if each), start=1
    ):
        settings = compiled.dialect.preamble if part != "drop" else ()
        texts[f"{number:02}_{part}.sql"] = (
            f"{heading(compiled, SAYS[part])}\n\n" + ";\n\n".join([*settings, *statements]) + ";\n"
        )
    names = {
        "sources": compiled.sources.values(),
        "prefix": compiled.prefix,
        "scratch": compiled.scratch,
        "id": compiled.question.scenario.id,
        "risky": files["risky_cells"],
        "views": [compiled.named(each.table) for each in compiled.pieces if each.kind == "view"],
    }
    return texts | {
        "README.md": readme(
            "scripts", compiled, files=list(texts), results=compiled.named(RESULTS), **names
        )
    }


SAYS = {
    "dictionaries": "Each column's levels get numbers; records of files and levels are counted.",
    "stages": (
        "The records as integers, then classes and cells: equal keys, and equal keys and "
        "target. No value is read again."
    ),
    "measures": "Numerators and denominators of every measure, for each comparison and target.",
    "results": "The result rows, by name.",
    "risky_cells": (
        f"For each measure, the {LISTED} risky cells with the most people. "
        "Disclosive: do not share."
    ),
    VIEWS: (
        "Views of the cells with your names and levels, risky_* of those that make a measure, and "
        "record_risk of each record. Disclosive: do not share."
    ),
    "drop": "Drops every table and view that the other files make, the results included.",
}


def heading(compiled: Plan, says: str) -> str:
    """Return the comment at the top of every file."""
    dialect = compiled.dialect
    state = "run in the tests of sqlrisk" if dialect.run else NOT_RUN
    return f"{comment(says)}\n-- Written by sqlrisk for {dialect.product} ({state})."


def comment(text: str) -> str:
    """Write a text as SQL comments. Semicolons are replaced, because some clients would end a
    statement there.
    """
    return "\n".join(f"-- {line}" for line in wrap(text.replace(";", ","), _COLUMNS))


def _list_cells(pieces: Pieces, layout: Layout, measure: Measure, target: Column | None) -> None:
    """Add a table of the riskiest cells of a measure against the first synthesis, and a query to
    show the table.
    """
    found = risky_cells.step(layout, measure, layout.comparisons[0], target, LISTED)
    ending = "" if target is None else f"_{target.id}"
    for step in (found, *risky_cells.gathered(layout, measure)):
        pieces.create("risky_cells", step, f"{step.table}_{measure.column}{ending}")
    pieces.name("risky_cells", "select", "", risky_cells.query(layout, measure, target))


def own_text(name: str) -> str:
    """Return the text of a file in ``templates``."""
    return (resources.files("sqlrisk.analyses.exports") / "templates" / name).read_text(
        encoding="utf-8"
    )


def readme(kind: str, compiled: Plan, **names: object) -> str:
    """Return the README of compiled files of a kind: ``scripts`` or ``dbt``."""
    return (
        templates.fill(
            own_text(f"{kind}.md.j2"), dialect=compiled.dialect, not_run=NOT_RUN, **names
        )
        + "\n"
    )
