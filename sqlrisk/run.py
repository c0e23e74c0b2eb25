"""The one loop that runs a plan, and what is read back from the engine: results, checks, listings."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from sqlrisk import plan
from sqlrisk.catalog import Measure
from sqlrisk.engines import Engine, Row
from sqlrisk.errors import InputError
from sqlrisk.layout import Column, Comparison, Layout, table
from sqlrisk.plan import Step
from sqlrisk.prepare import lay_out, sources_of, with_class_key
from sqlrisk.question import Question
from sqlrisk.report import Listing, Report
from sqlrisk.suggest import suggestion

Progress = Callable[[str, int, int, float], None]
Tracer = Callable[[str, float], None]
_Rows = list[dict[str, Any]]


class Door:
    """The only way to the engine during a run: shows progress, traces, and remembers which tables it has made."""

    def __init__(self, engine: Engine, progress: Progress | None = None, trace: Tracer | None = None) -> None:
        self._engine = engine
        self._progress = progress
        self._trace = trace
        self._tables: set[str] = set()
        self._stage = ("files", 0, 1)
        if progress is not None:
            engine.on_wait = self._show

    def ask(self, sql: str) -> list[Row]:
        """Run one query and return its rows."""
        started = time.perf_counter()
        rows = self._engine.run(sql)
        if self._trace is not None:
            self._trace(sql, time.perf_counter() - started)
        return rows

    def make(self, steps: Iterable[Step]) -> None:
        """Run steps in order; a temporary table is made anew, any other is added to."""
        every = list(steps)
        for number, step in enumerate(every, start=1):
            self._stage = (step.name, number, len(every))
            self._show()
            if step.table in self._tables and not step.temporary:
                self.ask(f"INSERT INTO {step.table}\n{step.sql}")
                continue
            if step.temporary:
                self.ask(f"DROP TABLE IF EXISTS {step.table}")
            self.ask(f"CREATE {'TEMPORARY ' if step.temporary else ''}TABLE {step.table} AS\n{step.sql}")
            self._tables.add(step.table)

    def _show(self) -> None:
        if self._progress is not None:
            self._progress(*self._stage, self._engine.progress())


def score(question: Question, engine: Engine, progress: Progress | None = None, trace: Tracer | None = None) -> Report:
    """Run every measure of a question.

    Raises:
        InputError: what only the data shows to be wrong: columns, types, levels.
        EngineError: the database failed.
    """
    door = Door(engine, progress, trace)
    layout = encode(question, engine, door)
    passes = _record(layout, engine, door)
    door.make(chain(plan.count(layout, question.catalog, passes), plan.collect(layout)))
    counts, overlap = _overlap(layout, door)
    files = [_file(source.label, counts[number], overlap, layout, number) for number, source in enumerate(sources_of(question))]
    synthetic = [{"synthesis": synthesis.label, **file} for synthesis, file in zip(question.syntheses, files[1:], strict=True)]
    return Report(
        scenario=layout.scenario.settings(),
        original=files[0],
        synthetic=synthetic,
        results=_results(question, layout, door),
        checks=_checks(layout, door),
        exclusions=_exclusions(layout, door),
        levels=_one_sided_levels(layout, door),
        overlap=overlap,
        texts={measure.name: measure.sql for measure in question.measures},
    )


def cells(
    question: Question,
    engine: Engine,
    measure: str,
    *,
    synthesis: str = "1",
    target: str | None = None,
    limit: int = 20,
    progress: Progress | None = None,
    trace: Tracer | None = None,
) -> Listing:
    """List the riskiest cells of a measure (classes, for an identity measure), most people first. Disclosive.

    With several targets and none named, the cells of all of them are ranked together.

    Raises:
        InputError: an unknown measure, synthesis or target, or a measure that no single cell makes.
    """
    wanted = question.catalog[measure]
    plan.condition(wanted)
    door = Door(engine, progress, trace)
    layout = encode(question, engine, door)
    comparison = _named(synthesis, layout)
    if target is not None and target not in layout.scenario.targets:
        raise InputError(f"{target!r} is no target of the scenario{suggestion(target, layout.scenario.targets)}.")
    targets: Sequence[Column | None] = [None]
    if wanted.stage == "cells":
        targets = [column for column in layout.targets if target in (None, column.name)]
    passes = _record(layout, engine, door)
    listed: list[tuple[Column | None, Row]] = []
    for turn in range(passes):
        door.make(
            [
                plan.classes(layout, passes, turn),
                *([plan.members(layout, passes, turn)] if wanted.stage == "cells" else []),
            ]
        )
        for column in targets:
            if column is not None:
                door.make([plan.cells(layout, column)])
            door.make([plan.risky_cells(layout, wanted, comparison, column, limit)])
    for column in targets:
        listed += [(column, row) for row in door.ask(plan.listing(layout, wanted, column, limit))]
    return _listing(wanted, layout, listed, limit)


def statements(question: Question, engine: Engine) -> Layout:
    """The layout of a question with the facts of its files, for printing its SQL."""
    return encode(question, engine, Door(engine))


def encode(question: Question, engine: Engine, door: Door) -> Layout:
    """Make the dictionaries and return the layout with its class key."""
    layout = lay_out(question, engine)
    door.make(plan.encode(layout))
    return with_class_key(layout, engine, sources_of(question))


def _record(layout: Layout, engine: Engine, door: Door) -> int:
    """Make the records, and say in how many passes to count them."""
    (counts,) = door.ask("SELECT " + ", ".join(file.count for file in layout.files) + " FROM files")
    records = sum(int(count) for count in counts)
    width = 4 + 8 * len(layout.limbs) + 4 * len(layout.targets)
    door.make([plan.record(layout, temporary=engine.fits(records * width))])
    return _passes(layout, engine, records)


def _passes(layout: Layout, engine: Engine, records: int) -> int:
    """How often the records are counted, each time other classes, so that the groups of a pass fit the memory limit.

    The target with most levels stands for all: an estimate shapes the run and enters no result.
    """
    limbs = [limb.name for limb in layout.limbs]
    sizes = {target: engine.run(f"SELECT MAX(code) FROM {table('levels', target)}")[0][0] for target in layout.targets}
    largest = max(layout.targets, key=lambda target: int(sizes[target]))
    groups = engine.estimate_groups("records", limbs) + engine.estimate_groups("records", [*limbs, largest.id])
    passes = engine.passes(records, groups, columns=len(layout.files) + len(limbs) + len(layout.targets))
    while passes > 1 and not plan.spreads(layout, passes):
        passes += 1
    return passes


def _named(synthesis: str, layout: Layout) -> Comparison:
    labels = {comparison.label: comparison for comparison in layout.comparisons}
    if synthesis not in labels:
        raise InputError(f"There is no synthesis {synthesis!r}{suggestion(synthesis, labels)}; there are {', '.join(labels)}.")
    return labels[synthesis]


# ---- reading back --------------------------------------------------------------------------------------------------------


def _results(question: Question, layout: Layout, door: Door) -> _Rows:
    """The result rows of DESIGN section 6, in their order: each synthesis, then mean, min and max, then pooled."""
    comparisons = {comparison.number: comparison for comparison in layout.comparisons}
    values: dict[tuple[str, object, object], dict[int, Row]] = {}
    for name, at, target, comparison, *numbers in door.ask(
        "SELECT measure, point, target, comparison, numerator, denominator, value FROM results"
    ):
        values.setdefault((str(name), at, target), {})[int(comparison)] = tuple(numbers)
    summaries = _summaries(layout, door)
    targets: list[Column | None] = list(layout.targets)
    rows: _Rows = []
    for measure in question.measures:
        for at in measure.points:
            for target in [None] if measure.stage == "classes" else targets:
                key = (measure.name, at, 0 if target is None else target.number)
                shown = {comparisons[number].label: _numbers(measure, row) for number, row in values[key].items()}
                shown |= {label: (None, None, value) for label, value in summaries.get(key, {}).items()}
                rows += [
                    {
                        "measure": measure.name,
                        "family": measure.family,
                        "at": at,
                        "target": None if target is None else target.name,
                        "synthesis": label,
                        "population": "all",
                        "people": "original",
                        "weighted": False,
                        "numerator": shown[label][0],
                        "denominator": shown[label][1],
                        "value": shown[label][2],
                        "unit": measure.unit,
                    }
                    for label in _labels(layout)
                    if label in shown
                ]
    return rows


def _summaries(layout: Layout, door: Door) -> dict[tuple[str, object, object], dict[str, object]]:
    """Mean, min and max over the syntheses of each method that has several."""
    summaries: dict[tuple[str, object, object], dict[str, object]] = {}
    for method in _several(layout):
        for name, at, target, mean, least, most in door.ask(plan.summary(layout, method)):
            each = summaries.setdefault((str(name), at, target), {})
            each |= {f"{method} {word}".strip(): value for word, value in (("mean", mean), ("min", least), ("max", most))}
    return summaries


def _labels(layout: Layout) -> list[str]:
    """Synthesis labels in the order of results."""
    labels: list[str] = []
    several = _several(layout)
    for method in dict.fromkeys(comparison.method for comparison in layout.comparisons):
        members = [comparison for comparison in layout.comparisons if comparison.method == method]
        labels += [comparison.label for comparison in members if comparison.single]
        labels += [f"{method} {word}".strip() for word in ("mean", "min", "max") if method in several]
        labels += [comparison.label for comparison in members if not comparison.single]
    return labels


def _several(layout: Layout) -> list[str]:
    """Methods with more than one synthesis."""
    return list(dict.fromkeys(comparison.method for comparison in layout.comparisons if not comparison.single))


def _numbers(measure: Measure, row: Row) -> tuple[object, object, object]:
    """Numerator, denominator and value; counts as whole numbers again (the results table holds them as DOUBLE)."""
    sides = dict(zip(("numerator", "denominator", "value"), row, strict=True))
    for side in measure.aggregates:
        if sides[side] is not None and measure.counts(side):
            sides[side] = int(float(sides[side]))
    return sides["numerator"], sides["denominator"], sides["value"]


def _overlap(layout: Layout, door: Door) -> tuple[dict[int, int], _Rows]:
    """Records of every file, and the overlap rows by comparison."""
    names = (
        "classes_both", "classes_only_original", "classes_only_synthetic", "records_both", "records_only_original",
        "synthetic_records_both", "synthetic_records_only_synthetic",
    )  # fmt: skip
    sums = ", ".join(f"CAST(SUM({name}) AS BIGINT)" for name in names)
    found = {row[0]: row[1:] for row in door.ask(f"SELECT comparison, {sums} FROM overlap GROUP BY comparison")}
    rows: _Rows = [
        {"synthesis": comparison.label, **dict(zip(names, found[comparison.number], strict=True))}
        for comparison in layout.comparisons
    ]
    (counts,) = door.ask("SELECT " + ", ".join(file.count for file in layout.files) + " FROM files")
    return {number: int(count) for number, count in enumerate(counts)}, rows


def _file(label: str, records: int, overlap: _Rows, layout: Layout, number: int) -> dict[str, object]:
    """What the report says of one file: source, records, classes."""
    by_file = {
        comparison.members[0].number: row
        for comparison, row in zip(layout.comparisons, overlap, strict=True)
        if comparison.single
    }
    row = overlap[0] if number == 0 else by_file[number]
    only = row["classes_only_original"] if number == 0 else row["classes_only_synthetic"]
    return {"source": label, "records": records, "classes": int(row["classes_both"]) + int(only)}


def _checks(layout: Layout, door: Door) -> dict[str, _Rows]:
    """The flagged rows of the one-way and two-way checks, with readable levels."""
    labels = {comparison.number: comparison.label for comparison in layout.comparisons}
    one_way: list[tuple[int, int, dict[str, object]]] = []
    two_way: list[tuple[int, int, dict[str, object]]] = []
    for target in layout.targets:
        flagged = door.ask(plan.one_way(layout, target))
        level = _level_names(target, {int(row[1]) for row in flagged}, door)
        for number, code, records, percent, disclosed, level_disclosed, disclosed_percent in sorted(
            flagged, key=lambda row: (row[0], row[1])
        ):
            row = {
                "target": target.name,
                "synthesis": labels[int(number)],
                "Level": level[int(code)],
                "All": records,
                "PctLevelAll": percent,
            }
            row |= {
                "totalDisclosive": int(disclosed),
                "nLevelDis": int(level_disclosed),
                "PctLevelDis": disclosed_percent,
            }
            one_way.append((target.number, int(number), row))
        door.make([plan.pair(layout, target)])
        keys = {int(key) for (key,) in door.ask(f"SELECT DISTINCT key_number FROM {table('pairs', target)}")}
        pairs = door.ask(plan.two_way(layout, target, keys)) if keys else []
        level = _level_names(target, {int(row[2]) for row in pairs}, door)
        key_levels = {
            key.number: _level_names(key, {int(row[3]) for row in pairs if row[1] == key.number}, door) for key in layout.keys
        }
        # Most people first; ties by key and level, so that no order of records shows.
        for number, key, code, key_code, npairs, both, total, percent in sorted(
            pairs, key=lambda row: (row[0], -int(row[4]), row[1], row[2], row[3])
        ):
            row = {"target": target.name, "synthesis": labels[int(number)], "target_level": level[int(code)]}
            row |= {
                "key": layout.keys[int(key) - 1].name,
                "key_level": key_levels[int(key)][int(key_code)],
            }
            row |= {
                "npairs": int(npairs),
                "key_target_total": int(both),
                "key_total": int(total),
                "PctTargetKeyLevel": percent,
            }
            two_way.append((target.number, int(number), row))
    order = {comparison.number: place for place, comparison in enumerate(layout.comparisons)}
    return {
        "one_way": [row for _, _, row in sorted(one_way, key=lambda each: (each[0], order[each[1]]))],
        "two_way": [row for _, _, row in sorted(two_way, key=lambda each: (each[0], order[each[1]]))],
    }


def _level_names(column: Column, codes: set[int], door: Door) -> dict[int, str | None]:
    """Readable levels by code."""
    if not codes:
        return {}
    chosen = ", ".join(str(code) for code in sorted(codes))
    rows = door.ask(f"SELECT code, value, low, high, closed FROM (\n{plan.labels(column)}\n) AS labels WHERE code IN ({chosen})")
    return {int(code): level_text(*rest) for code, *rest in rows}


def level_text(value: Any, low: Any = None, high: Any = None, closed: Any = None) -> str | None:
    """A level as a person reads it: ``Married``, ``[16,30)``; the last bin ``[30,97]``; None for the missing level."""
    if low is not None:
        ends = [f"{float(end):.8g}" for end in (low, high)]
        return ends[0] if ends[0] == ends[1] and closed else f"[{ends[0]},{ends[1]}{']' if closed else ')'}"
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _exclusions(layout: Layout, door: Door) -> _Rows:
    """What is not counted, by reason; only reasons that took something out."""
    if not layout.scenario.excludes:
        return []
    rows = {
        tuple(row[:4]): row[4:]
        for row in door.ask(
            "SELECT target, comparison, reason, side, CAST(SUM(cells) AS BIGINT), CAST(SUM(records) AS BIGINT) FROM excluded "
            "GROUP BY target, comparison, reason, side"
        )
    }
    return [
        {
            "reason": reason,
            "target": target.name,
            "synthesis": comparison.label,
            "side": side,
            "cells": found[0],
            "records": found[1],
        }
        for target in layout.targets
        for comparison in layout.comparisons
        for reason in plan.REASONS
        for side in ("original", "synthetic")
        if (found := rows.get((target.number, comparison.number, reason, side)))
    ]


def _one_sided_levels(layout: Layout, door: Door) -> _Rows:
    labels = {comparison.number: comparison.label for comparison in layout.singles}
    found = sorted(door.ask(plan.one_sided_levels(layout)), key=lambda row: (int(row[0]), int(row[1])))
    return [
        {
            "column": layout.columns[int(place)].name,
            "synthesis": labels[int(number)],
            "only_original": original,
            "only_synthetic": synthetic,
        }
        for place, number, original, synthetic in found
    ]


def _listing(measure: Measure, layout: Layout, listed: list[tuple[Column | None, Row]], limit: int) -> Listing:
    """Readable rows, the riskiest of all targets first."""
    keys = [key.name for key in layout.keys]
    counts = ["n_orig", "n_syn"] + (["n_orig_class", "n_syn_class"] if measure.stage == "cells" else [])
    by = counts.index(plan.shown_side(measure))
    rows: list[Row] = []
    for target, row in listed:
        columns = layout.keys if target is None else (*layout.keys, target)
        levels = [_shown(*row[4 * place : 4 * place + 4]) for place in range(len(columns))]
        numbers = row[4 * len(columns) :]
        rows.append((*levels, *numbers) if target is None else (*levels[:-1], target.name, levels[-1], *numbers))
    rows.sort(key=lambda row: -int(row[len(row) - len(counts) + by]))
    columns_shown = keys + ([] if measure.stage == "classes" else ["target", "level"]) + counts
    return Listing(measure.name, measure.title, columns_shown, rows[:limit])


def _shown(value: object, low: object, high: object, closed: object) -> object:
    """A level in a listing: the value itself where it is one, else its bin as text."""
    return value if low is None else level_text(value, low, high, closed)


def with_rerun(report: Report, question: Question, open_engine: Callable[[], Engine]) -> Report:
    """A report that can list the cells behind its numbers by running its question again."""

    def rerun(measure: str, *, target: str | None = None, synthesis: str = "1", limit: int = 20) -> Listing:
        with open_engine() as engine:
            return cells(question, engine, measure, target=target, synthesis=synthesis, limit=limit)

    return replace(report, rerun=rerun)
