"""Compare the average CAP of the original with that of random tables over the same cells. This
shows the CAP that chance gives.

Python draws the tables by one of two laws, and SQL computes their CAP
(``sql/tables/reference_*.sql``). Baillargeon & Charest (2020, section 4) draw uniformly among all
tables with the original's number of records.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import encode, records
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import ProblemList, suggestion
from sqlrisk.inputs.fields import EXCLUSIONS, Columns, rows
from sqlrisk.inputs.request import (
    NO_KEYS,
    Question,
    not_given,
    read_original,
    set_aside,
    with_file,
)
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.sources import Tables
from sqlrisk.plan import pass_tables, steps
from sqlrisk.plan.columns import Column, table
from sqlrisk.report.results.reference import BINS, QUANTILES, Reference

# Maximum number of counts for one target, cells times tables. They take some seconds and 200 MB.
WORK_LIMIT = 10_000_000
USED = tuple(rows(Columns))
LAWS = ("tables", "records")  # what is equally likely: each table, or each cell for a record
# measure -> its average over random tables, as tables/reference_averages.sql names it
VERSIONS = {"DCAP": "dcap", "DCAP_matched": "dcap_matched"}
SUMMARY = (
    "original",
    "mean",
    "sd",
    "min",
    *(f"q{k}" for k in QUANTILES),
    "max",
    "below",
    "share_below",
)
_CHUNK = 1_000_000  # counts drawn at a time


def ask(
    original: object,
    settings: Mapping[str, object],
    *,
    random: object,
    seed: object,
    draw: object,
    scenario_file: str | None,
    tables: Tables = "",
) -> Question:
    """Return a question about only the original.

    ``random`` is the number of tables, ``draw`` a law in `LAWS`. Raises InputError with every
    problem of the settings, of ``random``, ``seed`` and ``draw``, and of the source.
    """
    given, (original, *_) = with_file(
        settings, (original, None, None), scenario_file, tables=tables
    )
    given, waiting = set_aside(given)
    problems = ProblemList()
    unknown = [name for name in settings if name not in USED]
    problems += [f"There is no setting {name!r} here{suggestion(name, USED)}." for name in unknown]
    with problems:
        scenario = read({name: value for name, value in given.items() if name not in unknown})
        if not scenario.keys:
            problems.append(NO_KEYS)
        named = [name for name in EXCLUSIONS if getattr(scenario, name)]
        problems += [
            f"{name}: random tables are compared with the whole original; leave this setting out."
            for name in named
        ]
    problems += [
        f"{name}: expected a whole number, {least} or more; got {number!r}."
        for name, number, least in (("random", random, 1), ("seed", seed, 0))
        if isinstance(number, bool) or not isinstance(number, int) or number < least
    ]
    if draw not in LAWS:
        problems.append(
            f"draw: {draw!r} is not one of {', '.join(LAWS)}{suggestion(str(draw), LAWS)}."
        )
    with problems:
        source = read_original(original, tables=tables)
    problems.stop(waiting)
    scenario = read(scenario.settings_of(USED))
    ProblemList(scenario.names_no_file([source], not_given(settings))).stop(waiting)
    return Question(
        scenario, scenario.as_written("original", source), (), catalog(), (), unread=waiting
    )


def compare(
    question: Question, session: Session, *, random: int, seed: int, draw: str
) -> Reference:
    """Compare the average CAP of the original with that of random tables of the same size.

    The cells of the tables are the original's classes times the levels of each target. ``random``
    is the number of tables, ``draw`` a law in `LAWS`. Raises InputError if the tables of a target
    have more than `WORK_LIMIT` counts.
    """
    layout = encode(question, session)
    (people,) = layout.records
    session.create([*records(layout, session, in_memory=True), pass_tables.classes(layout)])
    classes = session.number("SELECT COUNT(*) FROM classes")
    levels = {
        each: session.number(f"SELECT COUNT(*) FROM {table('marginals', each)} WHERE n_orig > 0")
        for each in layout.targets
    }
    _check(classes, levels, random)
    session.create([pass_tables.members(layout)])
    generator = np.random.Generator(np.random.PCG64(seed))
    rows: list[dict[str, object]] = []
    tables = {"reference_cells": "reference_cells", "reference_averages": "reference_averages"}
    for target in layout.targets:
        cells = {
            "cells": table("cells", target),
            "marginals": table("marginals", target),
            "classes": "classes",
        }
        session.create(
            [pass_tables.cells(layout, target), _step("reference_cells", **layout.names, **cells)]
        )
        for number, chunk in enumerate(
            _draws(generator, people, classes * levels[target], random, draw), start=1
        ):
            relation = session.load(f"drawn_{target.id}_{number}", chunk, "the random tables")
            sql = f"SELECT draw, place, n FROM {relation}"
            session.create([steps.Step("random tables", table("draws", target), sql)])
            session.fetch(f"DROP TABLE {relation}")
        session.create(
            [
                _step(
                    "reference_averages",
                    **layout.names,
                    **tables,
                    people=people,
                    draws=table("draws", target),
                )
            ]
        )
        summary = _step(
            "reference_summary", **tables, versions=VERSIONS.values(), quantiles=QUANTILES
        )
        histogram = _step("reference_histogram", **tables, versions=VERSIONS.values(), n_bins=BINS)
        bins = sorted(session.fetch(histogram.sql))
        for (version, *numbers), measure in zip(
            sorted(session.fetch(summary.sql)), VERSIONS, strict=True
        ):
            about = {
                "target": target.name,
                "measure": measure,
                "classes": classes,
                "levels": levels[target],
            }
            own = [
                {"from": low, "to": high, "tables": n_tables, "original": bool(original)}
                for of, _, low, high, n_tables, original in bins
                if of == version
            ]
            rows.append({**about, **dict(zip(SUMMARY, numbers, strict=True)), "histogram": own})
    settings = {name: value for name, value in layout.scenario.settings().items() if name in USED}
    settings |= {"random": random, "seed": seed, "draw": draw}
    original = {"source": question.original.label, "records": people}
    labels = column_labels(layout.columns, layout.scenario, [question.original], session.engine)
    return Reference(settings, original, rows, labels=labels)


def _check(classes: int, levels: Mapping[Column, int], random: int) -> None:
    """Raise InputError for each target whose random tables have more than `WORK_LIMIT` counts."""
    problems = ProblemList()
    for target, number in levels.items():
        cells = classes * number
        if cells * random > WORK_LIMIT:
            most = WORK_LIMIT // cells
            help_ = (
                f"ask for {most:,} tables or fewer (--random)"
                if most
                else "name fewer keys, or bins for them"
            )
            problems.append(
                f"{random:,} random tables of {classes:,} classes by {number:,} levels of "
                f"{target.name!r} are {cells * random:,} counts; the limit is {WORK_LIMIT:,}: "
                f"{help_}."
            )
    problems.stop()


def _draws(
    generator: np.random.Generator, people: int, cells: int, random: int, law: str
) -> Iterator[pa.Table]:
    """Yield random tables of ``people`` records over ``cells`` cells, in chunks of several tables.

    A chunk has the columns draw (the table, from 1), place (the cell, from 1) and n (its records).
    Cells without records have no row. With flat Dirichlet weights (law ``tables``), the multinomial
    gives every table an equal chance. With equal weights (law ``records``), each record falls into
    each cell with an equal chance.
    """
    # Weights have their own generator, so tables do not depend on how many are drawn at once.
    weigher = generator.spawn(1)[0]
    at_once = max(_CHUNK // cells, 1)
    for first in range(0, random, at_once):
        shape = (min(at_once, random - first), cells)
        weights = weigher.standard_exponential(shape) if law == "tables" else np.ones(shape)
        counts = generator.multinomial(people, weights / weights.sum(axis=1, keepdims=True))
        draw, place = np.nonzero(counts)
        yield pa.table({"draw": draw + 1 + first, "place": place + 1, "n": counts[draw, place]})


def _step(stage: str, **names: object) -> steps.Step:
    return steps.Step(
        "random tables", stage, templates.stage(f"tables/{stage}.sql", **names), in_memory=True
    )
