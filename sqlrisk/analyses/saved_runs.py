"""A saved run: a DuckDB file with the stage tables and readable views, written by `score` and read
again without rescoring. Several scenarios have a schema each: see `saved_scenarios`.

Tables: ``levels_*``, ``labels_*``, ``files``, ``marginals_*``, ``records`` (codes), ``classes``,
``cells_*``, ``results``, ``columns`` (which key or target is k1, t1 ...), ``comparisons``,
``about``. Views: ``people``, ``record_risk``, ``replicated_uniques`` and ``risky_<measure>``.
"""

import json
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from sqlrisk.analyses import places
from sqlrisk.analyses.level_names import shown_levels
from sqlrisk.analyses.people import record_risk
from sqlrisk.analyses.people.record_risk import OF_TARGET
from sqlrisk.analyses.preparation.column_types import attach_labels, column_of, labels_of
from sqlrisk.analyses.preparation.encoding import size as records_size
from sqlrisk.analyses.scores import risky_cells
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.view_columns import ROLES, column_names
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure, catalog
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.output_files import is_file
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.engines.engine import SqlRow
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.scenario_file import file_and_name
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.plan import comparisons, encoding, pass_tables
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Baseline, Comparison, Layout, compare
from sqlrisk.plan.steps import Step
from sqlrisk.report.columns import COLUMNS, TYPES
from sqlrisk.report.formats.tabular import to_arrow
from sqlrisk.report.listing import Listing
from sqlrisk.report.report import Report
from sqlrisk.report.sections.assessment import of_all

SCHEMA = "saved"
MAIN = "main"  # the schema of a run if its file holds no other
SUFFIX = ".duckdb"
VERSION = 1
# The views' own columns. A key or target with one of these names gets a prefix (`column_names`).
_TAKEN = (
    "synthesis", "target", "level", "record", "n_orig", "n_syn", "n_orig_class", "n_syn_class",
    "unique", "replicated_unique", "population_risk",
)  # fmt: skip

_COLUMN_TYPES = {
    "id": "string", "role": "string", "number": "int32", "name": "string", "type": "string",
    "bins": "int32",
    "levels": "int64", "limb": "string", "stride": "int64",
}  # fmt: skip
# Tables of names, settings and counts that no stage makes, with the Arrow types of their columns.
# Their rows are loaded and never written as SQL, because a level of --by in results is a value of
# records.
_OWN: Mapping[str, Mapping[str, str]] = {
    "columns": _COLUMN_TYPES,
    "comparisons": {"number": "int32", "synthesis": "string", "method": "string"},
    "results": TYPES,
    "about": {"document": "string"},
}


# ---- writing


class SavedRun(places.Place):
    """A file in which a run is saved."""

    numbered = True
    every_target = True

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def begin(self, session: Session) -> None:
        """Attach an empty database to the session, to be filled and written to the file."""
        writer(session).begin_saved()

    def check(self, _question: Question, layout: Layout, session: Session) -> None:
        """Raise EngineError if the disk has no room for the tables of the run."""
        writer(session).memory.require_room(size(layout, session), self._file.name)

    def beside(self, steps: Iterable[Step], layout: Layout) -> Iterable[Step]:
        """Return the steps, and steps that copy classes and cells."""
        return places.copies(steps, layout, f"{SCHEMA}.")

    def keep(self, question: Question, layout: Layout, report: Report, session: Session) -> None:
        """Copy the tables other than classes and cells, make the views, and write the file."""
        made = tables(question, layout, report, session)
        session.create(Step("save", f"{SCHEMA}.{name}", query) for name, query in made.items())
        writer(session).write_saved({MAIN: views(layout)}, self._file)


def writer(session: Session) -> DuckDB:
    """Return the DuckDB engine. Raises InputError for any other engine, which cannot write a saved
    run.
    """
    return session.writer(
        "A run cannot be saved",
        "leave its risky cells and record_risk in a schema of the database: --save SCHEMA "
        "(save=...)",
    )


def size(layout: Layout, session: Session) -> int:
    """Estimate the size in bytes of the records, classes and cells."""
    key_columns = [key_column.name for key_column in layout.key_columns]
    grouped = [key_columns, *([*key_columns, target.id] for target in layout.targets)]
    return records_size(layout) + sum(
        session.engine.estimate_groups("records", names) * 8 * (len(names) + 2 * len(layout.files))
        for names in grouped
    )


def tables(
    question: Question,
    layout: Layout,
    report: Report,
    session: Session,
    *,
    own: Layout | None = None,
) -> dict[str, str]:
    """Return table name -> query, for every table of a saved run except classes and cells.

    Tables that no stage makes are loaded: columns, comparisons, results, and facts about the run.
    ``own`` is the layout whose column ids (k1, t1 ...) the tables use. The default is ``layout``.
    """
    own = own or layout
    parts = {part.column.id: (part.size, part.key_column, part.stride) for part in own.parts}
    about = {
        "version": VERSION,
        "scenario": layout.scenario.settings(),
        "original": question.original.label,
        "syntheses": [[each.method, each.number, each.source.label] for each in question.syntheses],
        "control": any(file.control for file in layout.files),
        "universe": layout.universe is not None,
        "baselines": list(layout.baselines),
        "records": list(layout.records),
        "assessment": report.assessment,
        "column_labels": report.labels,
        "labels": {
            each.id: labels_of(each.name, question.sources, session.engine) for each in own.columns
        },
    }
    rows: dict[str, list[tuple[object, ...]]] = {
        "columns": [
            (
                each.id,
                ROLES[each.role],
                each.number,
                each.name,
                each.kind,
                each.bins,
                *parts.get(each.id, (None, None, None)),
            )
            for each in own.columns
        ],
        "comparisons": [(each.number, each.label, each.method) for each in layout.of_original],
        "results": [tuple(row[name] for name in COLUMNS) for row in report.results],
        "about": [(json.dumps(about),)],
    }
    for name, types in _OWN.items():
        session.load(
            f"loaded_{name}", to_arrow(list(types), rows[name], types), f"the {name} of the run"
        )
    queries = {name: f"SELECT * FROM {name}" for name in ("files", "records")}
    packed = {part.column: part.packed("code") for part in layout.parts}
    for column, named in zip(layout.columns, own.columns, strict=True):
        digit = packed.get(column, "code")  # the SQL of a code's part of the class key
        queries[table("levels", named)] = f"SELECT * FROM {table('levels', column)}"
        queries[table("labels", named)] = shown_levels(column, session, digit)
        if column in layout.targets:
            queries[table("marginals", named)] = f"SELECT * FROM {table('marginals', column)}"
    return queries | {name: f"SELECT * FROM loaded_{name}" for name in _OWN}


def views(layout: Layout) -> dict[str, str]:
    """Return the query of each view over the saved tables, by name. A view comes after the views
    that it reads.

    If the records are not numbered, views of records are left out.
    """
    names = _names(layout)
    layout = record_risk.of_everybody(layout)
    record = templates.quote("record")
    places = [(part.column, part.digit_of("records"), "digit") for part in layout.parts]
    places += [(target, f"records.{target.id}", "code") for target in layout.targets]
    shown = [(table("labels", column), names[column.id], digit, by) for column, digit, by in places]
    people = [record, *(name for _, name, *_ in shown)]
    queries = {}
    if layout.files[0].record is not None:  # the records of a database table have no order
        queries = {
            "people": templates.stage("saved/people.sql", record=record, columns=shown),
            "record_risk": _record_risk(layout, people),
            "replicated_uniques": templates.stage("saved/replicated_uniques.sql", columns=people),
        }
    for measure in catalog():
        if (
            measure.risky is not None
            and measure.stage in ("classes", "cells")
            and layout.targets_of(measure.stage)
        ):
            queries[f"risky_{measure.column}"] = _risky(layout, measure, names)
    return queries


def _record_risk(layout: Layout, people: Sequence[str]) -> str:
    """Return the query of the risk of each record, with the columns of ``people`` first."""
    own = {name: f"own_{number}" for number, name in enumerate(people, start=1)}
    read = ", ".join(f"{name} AS {each}" for name, each in own.items())
    members = f"(\n{pass_tables.members(layout).sql}\n)"
    queries = []
    for comparison in layout.of_original:
        asked = record_risk.Asked(layout, comparison)
        counts = (
            f"(\n{record_risk.record_counts(asked, members)}\n) AS counts\n"
            f"JOIN (SELECT {read} FROM people) AS own ON own_1 = record_number"
        )
        about = {"synthesis": templates.literal(comparison.label), **own}
        queries.append(record_risk.risk(asked, counts, ordered=False, identifiers=about))
    return templates.union_all(queries)


def _names(layout: Layout) -> dict[str, str]:
    """Return column id -> quoted name in the views."""
    risk = [f"{measure}_{target.name}" for measure in OF_TARGET for target in layout.targets]
    names = column_names(layout.columns, (*_TAKEN, *risk))
    return {each: templates.quote(name) for each, name in names.items()}


def _risky(layout: Layout, measure: Measure, names: Mapping[str, str]) -> str:
    layout = layout.listing(measure)
    keys = [
        (table("labels", part.column), names[part.column.id], part.digit_of("cells"))
        for part in layout.parts
    ]
    parts: list[tuple[Comparison, Column | None, str]] = []
    for comparison in layout.of_original:
        if measure.stage == "classes":
            parts.append((comparison, None, comparisons.compared_classes(layout, [comparison])))
        else:
            parts += [
                (comparison, each, comparisons.Cells(layout, (comparison,), (each,)).compared)
                for each in layout.targets
            ]
    risky, counted = risky_cells.condition(measure), risky_cells.counted_side(measure)
    return templates.stage("saved/risky.sql", parts=parts, keys=keys, risky=risky, counted=counted)


# ---- reading


def is_saved(source: object) -> bool:
    """Return True if a source names a saved run: ``FILE``, or ``FILE#NAME`` for one of several
    scenarios.
    """
    return isinstance(source, str | PathLike) and Path(file_and_name(source)[0]).suffix == SUFFIX


@contextmanager
def open_saved(path: str) -> Iterator["RunReader"]:
    """Open a saved run. ``FILE#NAME`` names one of several scenarios. Raises InputError if the file
    holds no saved run.
    """
    file, name = file_and_name(path)
    if not is_file(file):
        raise InputError(f"There is no file {file!r}.")
    with DuckDB(saved=file) as engine:
        yield RunReader(engine, file, name)


class RunReader:
    """A saved run, opened read-only. If it holds several scenarios, only `query` reads them
    together.
    """

    def __init__(self, engine: DuckDB, file: str, name: str | None) -> None:
        """Read the facts about the run ``name``, or all runs if None. Raises InputError if the file
        cannot be read, or holds no run of this name.
        """
        self._engine = engine
        self._session = Session(engine)
        runs = self._runs()
        if not runs:
            raise InputError(
                "The file was not saved by sqlrisk (score --save), or saving it was "
                "interrupted. Save the run again."
            )
        self._several = (
            f"The saved run {file!r} holds several scenarios: {', '.join(runs)}. Name one, as in "
            f"{file}#{runs[0]}."
        )
        asked = _asked(file, name, runs)
        try:
            about = {each: self._about(each) for each in asked}
            # Earlier versions saved no assessment, and no labels of columns.
            self.assessment = of_all({each: about[each].get("assessment", []) for each in asked})
            self.labels = dict(ChainMap(*(about[each].get("column_labels", {}) for each in asked)))
            self._layout = self._read_layout(asked[0], about[asked[0]]) if len(asked) == 1 else None
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            raise InputError(
                "The settings in the saved run cannot be read: the file was changed after it "
                "was saved. Save the run again."
            ) from None

    def _runs(self) -> list[str]:
        """Return the schemas that each hold a run, in the order of their scenarios."""
        held = self._session.fetch(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns "
            f"WHERE table_catalog = {templates.literal(SCHEMA)}"
        )
        tables: dict[str, set[str]] = {}
        for schema, name, _ in held:
            tables.setdefault(schema, set()).add(name)
        needed = {"about", "columns", "records", "classes"}
        runs = [schema for schema, names in tables.items() if needed <= names]
        if MAIN in runs:
            return runs
        if not {(MAIN, "scenarios", "number"), (MAIN, "scenarios", "name")} <= {*held}:
            return []  # a database of another program that has tables of these names
        scenarios = self._session.fetch("SELECT name FROM scenarios ORDER BY number")
        return [name for (name,) in scenarios if name in runs]

    def _about(self, schema: str) -> dict[str, Any]:
        """Return the facts about the run in a schema. Raises InputError if another version of the
        format wrote them.
        """
        ((document,), *_) = self._session.fetch(
            f"SELECT document FROM {SCHEMA}.{templates.quote(schema)}.about"
        )
        about: dict[str, Any] = json.loads(document)
        if about["version"] != VERSION:
            raise InputError(
                f"The file was saved in format {about['version']}; this version reads format "
                f"{VERSION}. Save it again."
            )
        return about

    @property
    def layout(self) -> Layout:
        """The layout of the run at the time it was saved. Raises InputError if the file holds
        several scenarios and none was named.
        """
        if self._layout is None:
            raise InputError(self._several)
        return self._layout

    def query(self, sql: str) -> Listing:
        """Return the answer to a user's query over the tables and views. Raises InputError if the
        database refuses it.
        """
        columns, rows = self._engine.query(sql)
        labels = {name: label for name, label in self.labels.items() if name in columns}
        title = "Answer of the saved run"
        return Listing("", title, columns, rows, assessment=self.assessment, labels=labels)

    def cells(
        self, measure: Measure, *, synthesis: str = "1", target: str | None = None, limit: int = 20
    ) -> Listing:
        """List the riskiest cells of a measure, with the errors of `sqlrisk.cells`."""
        risky_cells.check(measure)
        comparison, targets = risky_cells.asked(
            self.layout, measure, synthesis, target, "saved run"
        )
        for column in targets:
            found = risky_cells.step(self.layout, measure, comparison, column, limit)
            steps = [replace(found, adds=column is not targets[0])]
            if column is not None and measure.stage == "within":
                steps = [
                    *encoding.tolerance_intervals(column),
                    *pass_tables.within_counts(self.layout, column),
                    *steps,
                ]
            if measure.needs == "a tolerance on a key":
                steps = [*pass_tables.reached_of_run(self.layout, column), *steps]
            self._session.create([replace(step, in_memory=True) for step in steps])
        (listing,) = risky_cells.read(
            self.layout, measure, targets, [comparison], limit, self._session
        )
        return replace(listing, assessment=self.assessment, labels=self.labels)

    def lookup(self, known: Mapping[str, str | None], targets: Sequence[str]) -> list[SqlRow]:
        """Find the synthetic records nearest to known keys.

        ``known`` maps keys to levels, with None for a missing value. Returns tuples (position in
        ``targets``, comparison number, radius, level, records, percent). The radius is the number
        of known keys that differ. Targets that the run lacks have no rows. Raises InputError if a
        name in ``known`` is not a key of the run, or if the key cannot have the level.
        """
        keys: list[dict[str, str]] = []
        for number, (name, text) in enumerate(known.items(), start=1):
            if name not in self.layout.scenario.keys:
                raise InputError(
                    f"key: {name!r} is not a key of the saved "
                    f"run{suggestion(name, self.layout.scenario.keys)}."
                )
            part = self.layout.part(name)
            match = "levels.code = 0" if text is None else part.column.matches(text)
            places = {"digit": part.digit_of("cells"), "code": part.packed(f"known_{number}.code")}
            keys.append({"levels": table("levels", part.column), "match": match, **places})
        parts = [
            (targets.index(target.name), comparison, target)
            for target in self.layout.targets
            if target.name in targets
            for comparison in self.layout.singles
        ]
        return self._session.fetch(templates.stage("saved/lookup.sql", parts=parts, keys=keys))

    def _read_layout(self, schema: str, about: Mapping[str, Any]) -> Layout:
        """Return the layout of a run and make the run's schema the default. The layout's files have
        no relation, since only saved tables are read.
        """
        self._engine.run(f"USE {SCHEMA}.{templates.quote(schema)}")
        scenario = read(about["scenario"])
        syntheses = [
            Synthesis(method, number, Source(label, "saved"))
            for method, number, label in about["syntheses"]
        ]
        files = [File(number, "", record="record") for number in range(len(syntheses) + 1)]
        if about.get("universe"):  # earlier versions saved no universe
            files.append(File(len(files), "", universe=True))
        if about["control"]:
            files.append(File(len(files), "", control=True))
        columns: dict[str, list[Column]] = {"k": [], "t": []}
        sizes: list[int] = []
        rows = self._session.fetch(
            "SELECT id, number, name, type, levels FROM columns ORDER BY role, number"
        )
        for identity, number, name, kind, levels in rows:
            labels = about.get("labels", {}).get(identity, {})  # earlier versions saved none
            asked = (identity[0], number, name, scenario, kind, labels)
            column = column_of(*asked, hierarchies=False).with_labels(labels)
            columns[column.role].append(column)
            if column.role == "k":
                sizes.append(int(levels))
        attach_labels([*columns["k"], *columns["t"]], self._engine)
        return Layout(
            scenario,
            tuple(files),
            tuple(columns["k"]),
            tuple(columns["t"]),
            compare(syntheses, files),
            (),
            baselines={name: Baseline("", "") for name in about["baselines"]},
            key_columns=pack(columns["k"], sizes),
            records=tuple(about["records"]),
        )


def _asked(file: str, name: str | None, runs: Sequence[str]) -> Sequence[str]:
    """Return the schemas to read: that of the scenario ``name``, or all if it is None. Raises
    InputError if there is no scenario of this name.
    """
    if name is not None and MAIN in runs:
        raise InputError(
            f"The saved run {file!r} holds one scenario, without a name; leave #{name} out."
        )
    if name is not None and name not in runs:
        raise InputError(
            f"The saved run {file!r} holds no scenario {name!r}{suggestion(name, runs)}; it has "
            f"{', '.join(runs)}."
        )
    return runs if name is None else [name]
