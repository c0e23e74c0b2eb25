"""A saved run: a DuckDB file with the stage tables and readable views, written by `score` and read again without rescoring.

Tables: ``levels_*``, ``labels_*``, ``files``, ``marginals_*``, ``records`` (codes), ``classes``, ``cells_*``, ``results``,
``columns`` (which key or target is k1, t1 ...), ``comparisons``, ``about``. Views: ``people``, ``record_risk``,
``replicated_uniques`` and ``risky_<measure>``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlrisk.analyses.people import record_risk
from sqlrisk.analyses.preparation.encoding import named
from sqlrisk.analyses.scores import risky_cells
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure, catalog
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import is_file
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.engines.engine import Engine, Row
from sqlrisk.inputs import tolerances
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.plan import comparisons, encoding, pass_tables
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Baseline, Layout, compare
from sqlrisk.plan.steps import Step
from sqlrisk.report.columns import COLUMNS, TYPES
from sqlrisk.report.formats.tabular import to_arrow
from sqlrisk.report.listing import Listing

SCHEMA = "saved"
SUFFIX = ".duckdb"
VERSION = 1
_LOADED = "loaded_results"
_RISK_COLUMNS = (
    *("cap_original", "cap_synthetic", "cap_baseline", "lift", "disclosive_synthetic", "correct", "top_share", "predicted_share"),
    "excluded",
)
_TAKEN = (
    *("synthesis", "target", "level", "record", "n_orig", "n_syn", "n_orig_class", "n_syn_class"),
    *("unique", "replicated_unique", "population_risk"),
)


# ---- writing


def kept(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps of the passes, each that makes classes or cells followed by one that keeps them."""
    for step in steps:
        yield step
        if step.table == "classes" or step.table.startswith("cells_"):
            yield Step("save", f"{SCHEMA}.{step.table}", f"SELECT * FROM {step.table}")


def size(layout: Layout, engine: Engine) -> int:
    """Estimate the bytes of the classes and cells that are kept."""
    key_columns = [key_column.name for key_column in layout.key_columns]
    grouped = [key_columns, *([*key_columns, target.id] for target in layout.targets)]
    return sum(engine.estimate_groups("records", names) * 8 * (len(names) + 2 * len(layout.files)) for names in grouped)


def load_results(rows: Sequence[Mapping[str, Any]], session: Session) -> None:
    """Make the results a table. They are handed over, never written as SQL: of ``--by`` a level names a population."""
    frame = to_arrow(COLUMNS, [[row[name] for name in COLUMNS] for row in rows], TYPES)
    session.load(_LOADED, frame, "the results")


def finish(question: Question, layout: Layout) -> Iterator[Step]:
    """Yield the steps that keep what is not made in passes; the results are loaded."""
    tables = ["files", "records", *(table("levels", column) for column in layout.columns)]
    tables += [table("marginals", target) for target in layout.targets]
    for name in tables:
        yield Step("save", f"{SCHEMA}.{name}", f"SELECT * FROM {name}")
    for column in layout.columns:
        yield Step("save", f"{SCHEMA}.{table('labels', column)}", _labels(layout, column))
    yield Step("save", f"{SCHEMA}.columns", _values(_column_rows(layout), _COLUMN_TYPES))
    comparisons = [[each.number, each.label, each.method] for each in layout.of_original]
    yield Step(
        "save", f"{SCHEMA}.comparisons", _values(comparisons, {"number": "INTEGER", "synthesis": "VARCHAR", "method": "VARCHAR"})
    )
    yield Step("save", f"{SCHEMA}.results", f"SELECT * FROM {_LOADED}")
    about = {
        "version": VERSION,
        "scenario": layout.scenario.settings(),
        "original": question.original.label,
        "syntheses": [[each.method, each.number, each.source.label] for each in question.syntheses],
        "control": any(file.control for file in layout.files),
        "baselines": list(layout.baselines),
        "records": list(layout.records),
    }
    yield Step("save", f"{SCHEMA}.about", _values([[json.dumps(about)]], {"document": "VARCHAR"}))


def views(layout: Layout) -> Iterator[str]:
    """Yield the statements that create the views, to be run where the saved tables are the default."""
    names = column_names(layout)
    # Weights and populations are not kept, nor what is near a cell: a view is of everybody, and of exact levels.
    targets = tuple(replace(target, tolerance=None) for target in layout.targets)
    layout = replace(layout, scenario=replace(layout.scenario, weights=None, id=None), populations=(), targets=targets)
    record = templates.quote("record")
    shown = [
        {
            "table": table("labels", part.column),
            "name": names[part.column.id],
            "digit": part.digit_of("records"),
            "by": "digit",
        }
        for part in layout.parts
    ]
    shown += [
        {"table": table("labels", target), "name": names[target.id], "digit": f"records.{target.id}", "by": "code"}
        for target in layout.targets
    ]
    yield f"CREATE VIEW people AS\n{templates.stage('saved/people.sql', record=record, columns=shown)}"
    members = f"(\n{pass_tables.members(layout).sql}\n)"
    parts = []
    for comparison in layout.of_original:
        counted = record_risk.record_counts(layout, comparison, "original", members=members)
        counts = f"(\n{counted}\n) AS counts"
        risk = record_risk.risk(layout, comparison, "original", record_counts=counts, ordered=False)
        parts.append({"synthesis": templates.literal(comparison.label), "risk": risk})
    yield f"CREATE VIEW record_risk AS\n{templates.stage('saved/record_risk.sql', parts=parts, record=record)}"
    unique = ["record", *(each["name"] for each in shown)]
    yield f"CREATE VIEW replicated_uniques AS\n{templates.stage('saved/replicated_uniques.sql', columns=unique)}"
    for measure in catalog():
        if measure.risky is not None and measure.stage in ("classes", "cells"):
            yield f"CREATE VIEW {templates.quote('risky_' + measure.column)} AS\n{_risky(layout, measure, names)}"


def column_names(layout: Layout) -> dict[str, str]:
    """Each column's name in the views, quoted, by id: the user's own, but for one that a view needs itself."""
    risk = [f"{measure}_{target.name}" for measure in _RISK_COLUMNS for target in layout.targets]
    taken = {name.casefold() for name in (*_TAKEN, *risk)}
    roles = {"k": "key", "t": "target"}
    return {
        column.id: templates.quote(f"{roles[column.role]}_{column.name}" if column.name.casefold() in taken else column.name)
        for column in layout.columns
    }


def _risky(layout: Layout, measure: Measure, names: Mapping[str, str]) -> str:
    keys = [
        {"table": table("labels", part.column), "name": names[part.column.id], "digit": part.digit_of("cells")}
        for part in layout.parts
    ]
    parts: list[dict[str, object]] = []
    for comparison in layout.of_original:
        label = templates.literal(comparison.label)
        if measure.stage == "classes":
            parts.append({"synthesis": label, "target": "", "compared": comparisons.compared_classes(layout, comparison)})
            continue
        parts += [
            {
                "synthesis": label,
                "target": table("labels", target),
                "target_name": templates.literal(target.name),
                "compared": comparisons.Cells(layout, comparison, target).compared,
            }
            for target in layout.targets
        ]
    return templates.stage(
        "saved/risky.sql", parts=parts, keys=keys, risky=risky_cells.condition(measure), counted=risky_cells.counted_side(measure)
    )


def _labels(layout: Layout, column: Column) -> str:
    digit = next((part.packed("code") for part in layout.parts if part.column == column), "code")
    return templates.stage(
        "saved/labels.sql", column=column, digit=digit, labels=encoding.labels(column), levels=table("levels", column)
    )


_COLUMN_TYPES = {
    "id": "VARCHAR", "role": "VARCHAR", "number": "INTEGER", "name": "VARCHAR", "type": "VARCHAR", "bins": "INTEGER",
    "levels": "BIGINT", "limb": "VARCHAR", "stride": "BIGINT",
}  # fmt: skip


def _column_rows(layout: Layout) -> list[list[object]]:
    roles = {"k": "key", "t": "target"}
    parts = {part.column.id: part for part in layout.parts}
    rows: list[list[object]] = []
    for column in layout.columns:
        part = parts.get(column.id)
        packing = [part.size, part.key_column, part.stride] if part is not None else [None, None, None]
        rows.append([column.id, roles[column.role], column.number, column.name, column.type, column.bins, *packing])
    return rows


def _values(rows: Sequence[Sequence[object]], types: Mapping[str, str]) -> str:
    """Return a query of rows of our own: names, settings, counts; never values of records."""
    names = [templates.quote(name) for name in types]
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in zip(names, types.values(), strict=True))
    lines = ",\n".join(f"({', '.join(_literal(value) for value in row)})" for row in rows)
    return f"SELECT {columns}\nFROM (VALUES\n{lines}\n) AS listed({', '.join(names)})"


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return templates.literal(value if value is None or isinstance(value, str | int | float) else str(value))


# ---- reading


def is_saved(source: object) -> bool:
    """Return whether a source names a saved run."""
    return isinstance(source, str | PathLike) and Path(source).suffix == SUFFIX


def open_saved(path: str) -> "Saved":
    """Return the saved run in a file. Raises InputError where there is none."""
    if not is_file(path):
        raise InputError(f"There is no file {str(path)!r}.")
    engine = DuckDB(saved=str(path))
    try:
        return Saved(engine)
    except BaseException:
        engine.__exit__(None, None, None)
        raise


class Saved:
    """A saved run, opened to be read only; a context manager."""

    def __init__(self, engine: DuckDB) -> None:
        """Read what the file says about itself.

        Raises:
            InputError: it was not saved by sqlrisk, or by a version that keeps other tables.
        """
        self._engine = engine
        self._session = Session(engine)
        names = {name for (name,) in self._session.fetch("SELECT table_name FROM duckdb_tables() WHERE database_name = 'saved'")}
        if not {"about", "columns", "records", "classes"} <= names:
            raise InputError("The file was not saved by sqlrisk (score --save), or its saving was broken off.")
        try:
            about = json.loads(self._session.fetch("SELECT document FROM about")[0][0])
            if about["version"] != VERSION:
                raise InputError(
                    f"The file was saved in form {about['version']}; this version reads form {VERSION}. Save it again."
                )
            self.layout = self._layout(about)
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
            raise InputError("What the file says about itself cannot be read: it was changed after it was saved.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._engine.__exit__(kind, error, trace)

    def query(self, sql: str) -> Listing:
        """Return the answer to a query of the user's own over the tables and views.

        Raises:
            InputError: the database refuses the query.
        """
        columns, rows = self._engine.query(sql)
        return Listing("", "Answer of the saved run", columns, rows)

    def cells(self, measure: Measure, *, synthesis: str = "1", target: str | None = None, limit: int = 20) -> Listing:
        """List the riskiest cells of a measure, as `sqlrisk.cells` does. Raises InputError as that does."""
        risky_cells.check(measure)
        comparison = named(synthesis, self.layout)
        if target is not None and target not in self.layout.scenario.targets:
            raise InputError(f"{target!r} is no target of the saved run{suggestion(target, self.layout.scenario.targets)}.")
        targets = risky_cells.targets_of(self.layout, measure, target)
        for column in targets:
            steps = [risky_cells.step(self.layout, measure, comparison, column, limit)]
            if column is not None and measure.stage == "within":
                steps = [*encoding.tolerance_intervals(column), *pass_tables.within_counts(self.layout, column), *steps]
            self._session.create([replace(step, temporary=True) for step in steps])
        return risky_cells.read(self.layout, measure, targets, limit, self._session)

    def lookup(self, known: Mapping[str, str | None], targets: Sequence[str]) -> list[Row]:
        """(target's position, comparison, radius, level, records, percent) of the synthetic records nearest to the known keys."""
        keys: list[dict[str, str]] = []
        for name, text in known.items():
            if name not in self.layout.scenario.keys:
                raise InputError(f"key: {name!r} is no key of the saved run{suggestion(name, self.layout.scenario.keys)}.")
            part = self.layout.part(name)
            keys.append(
                {
                    "levels": table("levels", part.column),
                    "match": "levels.code = 0" if text is None else part.column.matches(text),
                    "digit": part.digit_of("cells"),
                    "code": part.packed(f"known_{len(keys) + 1}.code"),
                }
            )
        parts = [
            {
                "position": targets.index(column.name),
                "comparison": comparison.number,
                "count": " + ".join(f"cells.{file.count}" for file in comparison.members),
                "cells": table("cells", column),
                "labels": table("labels", column),
            }
            for column in self.layout.targets
            if column.name in targets
            for comparison in self.layout.singles
        ]
        return self._session.fetch(templates.stage("saved/lookup.sql", parts=parts, keys=keys))

    def _layout(self, about: Mapping[str, Any]) -> Layout:
        """Return the layout of the run, as it was when it was saved."""
        scenario = read(about["scenario"])
        syntheses = [Synthesis(method, number, Source(label, "saved")) for method, number, label in about["syntheses"]]
        count = len(syntheses) + 1
        files = [File(number, "", record="record") for number in range(count)]
        if about["control"]:
            files.append(File(count, "", control=True))
        rows = self._session.fetch("SELECT id, number, name, type, bins, levels FROM columns ORDER BY role, number")
        columns: dict[str, list[Column]] = {"k": [], "t": []}
        sizes: list[int] = []
        for identity, number, name, kind, bins, levels in rows:
            column = Column(identity[0], number, name, kind, bins)
            special = tuple(column.level(text) for text in scenario.special.get(name, ()))
            tolerance = None
            if column.role == "t" and name in scenario.within:
                tolerance = tolerances.tolerance(name, kind, scenario.within[name], scenario.within_floor.get(name), special)
            columns[column.role].append(replace(column, special=special, tolerance=tolerance))
            if column.role == "k":
                sizes.append(int(levels))
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
