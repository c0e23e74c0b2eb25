"""A scenario as files of SQL, for a database that nobody is connected to: stages, measures, results, risky cells, and the end."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlrisk.analyses.exports import layout_without_data
from sqlrisk.analyses.result_rows import SUMMARIES, methods_of_several
from sqlrisk.analyses.scores import risky_cells
from sqlrisk.analyses.scores.differences import ADJUSTED_UNIT
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import NOT_RUN, Dialect, Overrides
from sqlrisk.catalogue.measures import Measure
from sqlrisk.catalogue.translation import Statement, table_named, translate, write
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.sources import Source
from sqlrisk.plan import encoding, result_queries
from sqlrisk.plan.columns import Column
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step

RESULTS = "results"  # the table that is read in the end; the stage of that name is called MEASURED
MEASURED = "measured"
PARTS = ("dictionaries", "stages", "measures", "results")  # files that make tables, in their order
LISTED = 20  # risky cells of each measure and target
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")


@dataclass(frozen=True)
class Piece:
    """One statement: ``kind`` is create, insert or select. Tables have names of their own, given by ``names`` at this point."""

    part: str
    kind: str
    table: str
    sql: str
    names: Mapping[str, str]


@dataclass
class Pieces:
    """The statements of a plan in order. A table that is made anew gets a new name, so that nothing is dropped in between."""

    made: list[Piece] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _last: dict[str, Step] = field(default_factory=dict)

    def add(self, part: str, steps: Sequence[Step] | Iterator[Step]) -> None:
        """Add steps; those of measures and results go to parts of their own."""
        for step in steps:
            own = step.name if step.name in PARTS else part
            if step.table not in self._last:
                self._create(own, step, MEASURED if step.table == RESULTS else step.table)
            elif step.adds or not step.temporary:
                self.made.append(Piece(own, "insert", self._names[step.table], step.sql, dict(self._names)))
            elif self._last[step.table] != step:
                number = sum(each.kind == "create" and each.table.startswith(f"{step.table}_v") for each in self.made)
                self._create(own, step, f"{step.table}_v{number + 2}")
            self._last[step.table] = step

    def name(self, part: str, kind: str, table: str, sql: str) -> None:
        """Add a statement that reads what is there: one more table, or a query."""
        self.made.append(Piece(part, kind, table, sql, dict(self._names)))

    def create(self, part: str, step: Step, table: str) -> None:
        """Make a table under a name of its own, in the place of any that the stage had."""
        self._create(part, step, table)

    def _create(self, part: str, step: Step, table: str) -> None:
        self.made.append(Piece(part, "create", table, step.sql, dict(self._names)))
        self._names[step.table] = table


@dataclass(frozen=True)
class Plan:
    """What is compiled: the layout, its statements, and how the tables are named in the database.

    ``sources`` are the user's tables by the names that the stages know them by.
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
        """Return a statement in the dialect; ``table`` names our tables, by their own names, and the user's."""
        sql = piece.sql if piece.kind == "select" else f"CREATE TABLE made AS\n{piece.sql}"
        return translate(sql, self.dialect.name, lambda name: table(piece.names.get(name, name)), own=self.own, pretty=True)

    def table(self, name: str) -> Any:
        """Return the table of a name, as sqlglot has it: the user's own, or one of ours."""
        if name in self.sources:
            return table_named(self.sources[name].label, self.dialect.name)
        return table_named(f"{self.scratch}.{self.prefix}{name}" if self.scratch else f"{self.prefix}{name}", self.dialect.name)

    def named(self, name: str) -> str:
        """Return the table of a name as SQL."""
        return str(self.table(name).sql(self.dialect.name))

    @property
    def tables(self) -> list[str]:
        """Our tables, in the order they are made in."""
        return [piece.table for piece in self.pieces if piece.kind == "create"]


def lay_out(
    question: Question, dialect: Dialect, *, prefix: str, scratch: str | None, types: object, measures_from: str | None
) -> Plan:
    """Everything that is to be done, in order.

    Raises:
        InputError: sources that are no tables, settings that need facts of the data, a name that is none.
    """
    if not _PREFIX.fullmatch(prefix):
        raise InputError(f"prefix: {prefix!r} begins the names of tables: letters, digits and _, such as sqlrisk_.")
    given = [question.original, *(each.source for each in question.syntheses)]
    given += [] if question.control is None else [question.control]
    files = [each for each in given if each.kind != "table"]
    if files:
        raise InputError(
            f"{', '.join(each.name for each in files)}: compiled SQL reads tables of the database; name them, as schema.table. "
            "Files are read by `sqlrisk score`."
        )
    sources = {f"source_{number}": source for number, source in enumerate(given)}
    layout = layout_without_data.lay_out(
        question.scenario,
        list(sources),
        question.syntheses,
        question.computed,
        control=question.control is not None,
        types=layout_without_data.read_types(types),
    )
    pieces = Pieces()
    pieces.add("dictionaries", encoding.encode(layout))
    pieces.add("stages", [step for step in layout_without_data.steps(layout) if step.name != "levels"])
    pieces.name("results", "create", RESULTS, named_results(question, layout))
    for measure, target in _listed(question, layout):
        _list_cells(pieces, layout, measure, target)
    own = own_sql(layout.counts, measures_from, dialect.name)
    plan_made = Plan(question, layout, tuple(pieces.made), sources, dialect, prefix, scratch, own)
    plan_made.table(MEASURED)  # a scratch schema that is no name is found at once
    return plan_made


def named_results(question: Question, layout: Layout) -> str:
    """Return the query of the result rows as a report has them, by names; ``point`` is what a report calls ``at``."""
    weights = layout.scenario.weights is not None
    measures = []
    for measure in question.measures:
        parts = [question.catalog[name] for name in measure.parts] or [measure]
        measures.append(
            {
                "name": templates.literal(measure.name),
                "family": templates.literal(measure.family),
                "unit": templates.literal(measure.unit),
                "of_people": int(all(part.kind.of_people for part in parts)),
                "knows_control": int(measure.knows_control),
                "weighable": int(weights and all(part.kind.weighable for part in parts)),
                "is_share": int(measure.is_share),
                "untargeted": int(measure.untargeted),
            }
        )
    everybody = [(0, "all")] if "all" in layout.scenario.populations else []
    return templates.stage(
        "tables/named_results.sql",
        results="results",
        comparisons=[
            {"number": each.number, "label": templates.literal(each.label), "who": each.people.who} for each in layout.comparisons
        ],
        summaries=[
            {
                "labels": {word: templates.literal(f"{method} {word}".strip()) for word in SUMMARIES},
                "who": people.who,
                "query": result_queries.summary(layout, method, people),
            }
            for people in layout.people_files
            for method in methods_of_several(layout)
        ],
        differences=result_queries.differences(layout, spread=False) if len(layout.people_files) > 1 else "",
        measures=measures,
        targets=[{"number": each.number, "name": templates.literal(each.name)} for each in layout.targets],
        populations=[
            (number, templates.literal(name))
            for number, name in (*everybody, *((each.number, each.name) for each in layout.populations))
        ],
        adjusted_unit=templates.literal(ADJUSTED_UNIT),
    )


def scripts(compiled: Plan) -> dict[str, str]:
    """Return the numbered files, and a README that says how to run them."""
    files: dict[str, list[str]] = {part: [] for part in (*PARTS, "risky_cells", "drop")}
    for piece in compiled.pieces:
        statement = compiled.translated(piece, compiled.table)
        if piece.kind == "select":
            files[piece.part].append(statement.sql)
        else:
            kind = Statement(piece.kind, piece.table, statement.sql, statement.ctes)
            files[piece.part].append(write(kind, compiled.dialect.name, compiled.named(piece.table)))
    kept = [name for name in compiled.tables if name != RESULTS]
    files["drop"] = [f"DROP TABLE IF EXISTS {compiled.named(name)}" for name in (*reversed(kept), RESULTS)]
    texts = {}
    for number, (part, statements) in enumerate(((part, each) for part, each in files.items() if each), start=1):
        settings = compiled.dialect.settings if part != "drop" else ()
        texts[f"{number:02}_{part}.sql"] = f"{heading(compiled, SAYS[part])}\n\n" + ";\n\n".join([*settings, *statements]) + ";\n"
    return texts | {"README.md": _readme(compiled, list(texts))}


SAYS = {
    "dictionaries": "Each column's levels get numbers; records of files and levels are counted.",
    "stages": "The records as integers, then classes and cells: equal keys, and equal keys and target. No value is read again.",
    "measures": "Numerators and denominators of every measure, for each comparison and target.",
    "results": "The result rows, by name.",
    "risky_cells": f"The cells that make a measure, the {LISTED} with most people of each: disclosive, not for others.",
    "drop": "Drops every table that the other files make, the results included.",
}


def heading(compiled: Plan, says: str) -> str:
    """Return the comment that every file begins with."""
    dialect = compiled.dialect
    state = "run in the tests of sqlrisk" if dialect.run else NOT_RUN
    return f"-- {says}\n-- Written by sqlrisk for {dialect.product} ({state})."


def _listed(question: Question, layout: Layout) -> Iterator[tuple[Measure, Column | None]]:
    """Yield the measures that single cells make, with each target they are listed for."""
    for measure in question.measures:
        if measure.risky is None and measure.least is None:
            continue
        for target in layout.targets_of(measure.stage):
            yield measure, target


def _list_cells(pieces: Pieces, layout: Layout, measure: Measure, target: Column | None) -> None:
    """Add the riskiest cells of a measure against the first synthesis: a table of them, then the query that shows them."""
    steps = [risky_cells.step(layout, measure, layout.comparisons[0], target, LISTED)]
    steps += risky_cells.gathered(layout, measure, target)
    for step in steps:
        ending = "" if target is None else f"_{target.id}"
        stage = step.table.removesuffix(ending)
        pieces.create("risky_cells", step, f"{stage}_{measure.column}{ending}")
    pieces.name("risky_cells", "select", "", risky_cells.query(layout, measure, target, LISTED))


_COLUMNS = (
    "a row each as in the results of `sqlrisk score`: measure, family, point (what a report calls `at`), target, synthesis, "
    "population, people, weighted (1 or 0), numerator, denominator, value, unit. Numerators and denominators are floating-point "
    "numbers; a population without people has no row."
)
_PROVISOS = (
    "A number is that of `sqlrisk score` on the same records, with three provisos. A floating-point column has to be named as "
    "such (`--types income=DOUBLE`), so that NaN counts as missing. Texts are compared as the database compares them. Nothing is "
    "checked beforehand: tables without records, levels that do not occur, weights below zero or ids that are there twice are "
    "not refused."
)


def _readme(compiled: Plan, files: Sequence[str]) -> str:
    dialect, results = compiled.dialect, compiled.named(RESULTS)
    state = "run in the tests of sqlrisk." if dialect.run else f"{NOT_RUN}: no test of sqlrisk runs it on {dialect.product}."
    questions = ", ".join(f"`{source.label}`" for source in compiled.sources.values())
    lines = [
        f"# Disclosure risk in {dialect.product}",
        f"SQL for {dialect.product}, written by sqlrisk; {state}",
        f"It reads {questions} and makes tables whose names begin with `{compiled.prefix}`"
        + (f", in `{compiled.scratch}`." if compiled.scratch else "."),
        "Run the files in this order, all by one user, and stop at the first that fails:",
        *(f"    {dialect.client.replace('FILE', name)}" for name in files if "drop" not in name),
        f"The numbers are then in `{results}`, {_COLUMNS}",
        f"    SELECT * FROM {results} ORDER BY family, measure, point, target, synthesis, population, people, weighted;",
        "`risky_cells` lists records that carry the risk, against the first synthesis: keep what it shows where the original is.",
        f"`{files[-1]}` drops every table. Run it before you begin anew.",
        _PROVISOS,
        *(f"- {each}" for each in dialect.advice),
    ]
    return _paragraphs(lines)


def _paragraphs(lines: Sequence[str]) -> str:
    text = ""
    for before, line in zip(("", *lines), lines, strict=False):
        alike = (before[:4] == line[:4] == "    ") or (before[:2] == line[:2] == "- ")
        text += ("\n" if alike else "\n\n" if text else "") + line
    return text + "\n"
