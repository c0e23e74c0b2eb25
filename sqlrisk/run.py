"""The one loop that runs a plan on an engine: from a question to a report, or to a listing of cells."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import BinaryIO

from sqlrisk import differences, distributions, listings, nearest, plan, readout, saved, shares, special, trends
from sqlrisk.audit import Log
from sqlrisk.door import Door, Progress, Tracer
from sqlrisk.encoding import encode, named, record_all, size
from sqlrisk.engines import Engine, Opener
from sqlrisk.errors import InputError
from sqlrisk.layout import Layout, Pass
from sqlrisk.question import Question
from sqlrisk.report import Listing, Report
from sqlrisk.suggest import suggestion


def score(
    question: Question,
    engine: Engine,
    progress: Progress | None = None,
    trace: Tracer | None = None,
    *,
    save: BinaryIO | None = None,
    log: Log | None = None,
    listed: Sequence[str] = (),
) -> Report:
    """Run every measure of a question.

    ``save``: write the stage tables to this file as a DuckDB database; ``log``: note what ran; ``listed``: measures whose
    riskiest cells are listed as well, at most one over classes and one over cells.

    Raises:
        InputError: what only the data shows to be wrong: columns, types, levels.
        EngineError: the database failed.
    """
    door = Door(engine, progress, trace, log)
    if save is not None:
        engine.keep()
    layout = encode(question, engine, door, numbered=save is not None)
    if log is not None:
        log.loads += engine.loads
    passes = record_all(layout, engine, door)
    if save is not None:
        engine.require_room(size(layout) + saved.size(layout, engine), save)
    return measure(question, layout, passes, engine, door, save=save, listed=listed)


def measure(
    question: Question,
    layout: Layout,
    passes: Sequence[Pass],
    engine: Engine,
    door: Door,
    *,
    save: BinaryIO | None = None,
    listed: Sequence[str] = (),
) -> Report:
    """Count the records, which are made, and read the numbers back; the choices and errors are those of `score`."""
    if any(population.kind == "special" for population in layout.populations):
        special.refuse_work(layout, max(layout.records))
        door.make(special.population_steps(layout))
    if nearest.sought(layout):
        nearest.find(layout, layout.of_original, passes, door)
    wanted = [each for each in question.measures if each.name in listed]
    counted = plan.count(layout, question.catalog, passes, rewrites=engine.rewrites)
    counted = listings.beside(counted, layout, wanted, layout.of_original[0], listings.MOST)
    door.make(chain(counted if save is None else saved.kept(counted), plan.collect(layout)))
    overlaps = readout.overlap(layout, door)
    original, synthetic = readout.files(question, layout, overlaps)
    measured = readout.results(question, layout, door)
    added = differences.differences(layout, measured, door)
    rows = differences.inserted(measured, added, {measure.name: measure for measure in question.measures})
    if save is not None:
        saved.load_results(rows, engine)
        door.make(saved.finish(question, layout))
        engine.hand_over(saved.views(layout), save)
    return Report(
        scenario=layout.scenario.settings(),
        original=original,
        synthetic=synthetic,
        results=rows,
        checks=readout.checks(layout, door),
        exclusions=readout.exclusions(layout, door),
        levels=readout.one_sided_levels(layout, door),
        overlap=overlaps,
        control=readout.control(question, layout, door),
        differences=added,
        distributions=distributions.read(layout, door) if layout.scenario.distributions else [],
        shares=shares.read(layout, door) if layout.scenario.distributions else [],
        trends=trends.read(layout, measured, door) if layout.scenario.trend else [],
        engine=dict(engine.about()),
        listings=[listings.read(layout, each, listings.targets_of(layout, each, None), listings.MOST, door) for each in wanted],
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
    listings.check(wanted)
    door = Door(engine, progress, trace)
    layout = encode(question, engine, door)
    comparison = named(synthesis, layout)
    if target is not None and target not in layout.scenario.targets:
        raise InputError(f"{target!r} is no target of the scenario{suggestion(target, layout.scenario.targets)}.")
    targets = listings.targets_of(layout, wanted, target)
    passes = record_all(layout, engine, door)
    for turn in passes:
        door.make(
            [
                plan.classes(layout, turn),
                *([plan.members(layout, turn)] if wanted.stage != "classes" else []),
            ]
        )
        for column in targets:
            if column is not None:
                door.make([plan.cells(layout, column), *(plan.within_counts(layout, column) if wanted.stage == "within" else ())])
            door.make([listings.step(layout, wanted, comparison, column, limit)])
    return listings.read(layout, wanted, targets, limit, door)


def statements(question: Question, engine: Engine) -> Layout:
    """The layout of a question with the facts of its files, for printing its SQL."""
    return encode(question, engine, Door(engine))


def with_rerun(report: Report, question: Question, open_engine: Opener) -> Report:
    """A report that can list the cells behind its numbers by running its question again."""

    def rerun(measure: str, *, target: str | None = None, synthesis: str = "1", limit: int = 20) -> Listing:
        with open_engine() as engine:
            return cells(question, engine, measure, target=target, synthesis=synthesis, limit=limit)

    return replace(report, rerun=rerun)
