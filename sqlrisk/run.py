"""The one loop that runs a plan on an engine: from a question to a report, or to a listing of cells."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from sqlrisk import distributions, plan, readout, trends
from sqlrisk.door import Door, Progress, Tracer
from sqlrisk.engines import Engine, Row
from sqlrisk.errors import InputError
from sqlrisk.layout import Column, Comparison, Layout, table
from sqlrisk.prepare import lay_out, sources_of, with_class_key
from sqlrisk.question import Question
from sqlrisk.report import Listing, Report
from sqlrisk.suggest import suggestion


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
    overlaps = readout.overlap(layout, door)
    original, synthetic = readout.files(question, layout, overlaps)
    results = readout.results(question, layout, door)
    return Report(
        scenario=layout.scenario.settings(),
        original=original,
        synthetic=synthetic,
        results=results,
        checks=readout.checks(layout, door),
        exclusions=readout.exclusions(layout, door),
        levels=readout.one_sided_levels(layout, door),
        overlap=overlaps,
        control=readout.control(question, layout, door),
        distributions=distributions.read(layout, door) if layout.scenario.distributions else [],
        trends=trends.read(layout, results, door) if layout.scenario.trend else [],
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
    return readout.listing(wanted, layout, listed, limit)


def statements(question: Question, engine: Engine) -> Layout:
    """The layout of a question with the facts of its files, for printing its SQL."""
    return encode(question, engine, Door(engine))


def encode(question: Question, engine: Engine, door: Door) -> Layout:
    """Make the dictionaries and return the layout with its class key."""
    layout = lay_out(question, engine)
    door.make(plan.encode(layout))
    return with_class_key(layout, door.ask, sources_of(question))


def _record(layout: Layout, engine: Engine, door: Door) -> int:
    """Make the records, and say in how many passes to count them."""
    records = sum(layout.records)
    width = 4 + 8 * len(layout.limbs) + 4 * len(layout.targets)
    door.make([plan.record(layout, temporary=engine.fits(records * width))])
    return _passes(layout, engine, door, records)


def _passes(layout: Layout, engine: Engine, door: Door, records: int) -> int:
    """How often the records are counted, each time other classes, so that the groups of a pass fit the memory limit.

    The target with most levels stands for all: an estimate shapes the run and enters no result.
    """
    limbs = [limb.name for limb in layout.limbs]
    sizes = {target: door.ask(f"SELECT MAX(code) FROM {table('levels', target)}")[0][0] for target in layout.targets}
    largest = max(layout.targets, key=lambda target: int(sizes[target]))
    groups = 2 * engine.estimate_groups("records", [*limbs, largest.id])  # there are no more classes than cells
    passes = engine.passes(records, groups, columns=len(layout.files) + len(limbs) + len(layout.targets))
    while passes > 1 and not plan.spreads(layout, passes):
        passes += 1
    return passes


def _named(synthesis: str, layout: Layout) -> Comparison:
    labels = {comparison.label: comparison for comparison in layout.of_original}
    if synthesis not in labels:
        raise InputError(f"There is no synthesis {synthesis!r}{suggestion(synthesis, labels)}; there are {', '.join(labels)}.")
    return labels[synthesis]


def with_rerun(report: Report, question: Question, open_engine: Callable[[], Engine]) -> Report:
    """A report that can list the cells behind its numbers by running its question again."""

    def rerun(measure: str, *, target: str | None = None, synthesis: str = "1", limit: int = 20) -> Listing:
        with open_engine() as engine:
            return cells(question, engine, measure, target=target, synthesis=synthesis, limit=limit)

    return replace(report, rerun=rerun)
