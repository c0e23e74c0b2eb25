"""What chance alone would do: the average CAP of random tables over the original's cells.

Python draws the random tables, by one of two laws; all counting is SQL (``sql/tables/reference_*.sql``). Baillargeon & Charest
(2020, section 4) draw uniformly among all tables with the original's number of records.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.common.suggestions import suggestion
from sqlrisk.inputs.fields import EXCLUSIONS, Columns, rows
from sqlrisk.inputs.request import NO_KEYS, Question, read_original, with_file
from sqlrisk.inputs.scenario import read
from sqlrisk.plan import encoding, pass_tables, steps
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.results.reference import BINS, QUANTILES, Reference

WORK_LIMIT = 10_000_000  # counts of one target's tables together: cells times tables; some seconds and 200 MB
USED = tuple(rows(Columns))
LAWS = ("tables", "records")  # what is equally likely: every table, or for every record each cell
VERSIONS = {"DCAP": "dcap", "DCAP_matched": "dcap_matched"}
_CHUNK = 1_000_000  # counts that are drawn at a time


def ask(
    original: object, settings: Mapping[str, object], *, random: object, seed: object, draw: object, scenario_file: str | None
) -> Question:
    """Return a question about the original alone.

    Raises:
        InputError: with every problem of settings and source.
    """
    given, (original, *_) = with_file(settings, (original, None, None), scenario_file)
    problems = ProblemList()
    unknown = [name for name in settings if name not in USED]
    problems += [f"There is no setting {name!r} here{suggestion(name, USED)}." for name in unknown]
    with problems:
        scenario = read({name: value for name, value in given.items() if name not in unknown})
        if not scenario.keys:
            problems.append(NO_KEYS)
        named = [name for name in EXCLUSIONS if getattr(scenario, name)]
        problems += [f"{name}: random tables are compared with the whole original; leave this setting out." for name in named]
    problems += [
        f"{name}: expected a whole number, {least} or more; got {number!r}."
        for name, number, least in (("random", random, 1), ("seed", seed, 0))
        if isinstance(number, bool) or not isinstance(number, int) or number < least
    ]
    if draw not in LAWS:
        problems.append(f"draw: {draw!r} is none of {', '.join(LAWS)}{suggestion(str(draw), LAWS)}.")
    with problems:
        source = read_original(original)
    problems.stop()
    scenario = read(scenario.settings_of(USED))
    return Question(scenario, source, (), catalog(), ())


def compare(question: Question, session: Session, *, random: int, seed: int, draw: str) -> Reference:
    """Average CAP of random tables of the original's size, over its classes and the levels of each target.

    Args:
        question: about the original alone; random: how many tables; seed: begins the random numbers; draw: one of ``LAWS``.

    Raises:
        InputError: what only the data shows to be wrong; tables that are too many or too large.
        EngineError: the database failed.
    """
    layout = encode(question, session)
    (people,) = layout.records
    session.create([*encoding.record(layout, temporary=True), pass_tables.classes(layout)])
    sizes = {target: _size(target, session) for target in layout.targets}
    _check(sizes, random)
    session.create([pass_tables.members(layout)])
    generator = np.random.Generator(np.random.PCG64(seed))
    rows: list[dict[str, object]] = []
    for target in layout.targets:
        classes, levels = sizes[target]
        session.create(_reference_cells(layout, target))
        draws = _draws(generator, people, classes * levels, random, draw)
        for number, chunk in enumerate(draws, start=1):
            _load(session, chunk, target, number)
        session.create([_averages(layout, target, people)])
        summary = templates.stage(
            "tables/reference_summary.sql",
            versions=VERSIONS.values(),
            quantiles=QUANTILES,
            reference_averages="reference_averages",
        )
        histograms = _histograms(session)
        for (version, *numbers), measure in zip(sorted(session.fetch(summary)), VERSIONS, strict=True):
            original, mean, sd, least, *quantiles, most, below, share_below = numbers
            rows.append(
                {
                    "target": target.name,
                    "measure": measure,
                    "classes": classes,
                    "levels": levels,
                    "original": original,
                    "mean": mean,
                    "sd": sd,
                    "min": least,
                    **{f"q{k}": value for k, value in zip(QUANTILES, quantiles, strict=True)},
                    "max": most,
                    "below": int(below),
                    "share_below": share_below,
                    "histogram": histograms[version],
                }
            )
    settings = {name: value for name, value in layout.scenario.settings().items() if name in USED}
    source = {"source": question.original.label, "records": people}
    return Reference({**settings, "random": random, "seed": seed, "draw": draw}, source, rows)


def _size(target: Column, session: Session) -> tuple[int, int]:
    """Classes of the original, and levels that a target has in it."""
    classes = session.number("SELECT COUNT(*) FROM classes")
    return classes, session.number(f"SELECT COUNT(*) FROM {table('marginals', target)} WHERE n_orig > 0")


def _check(sizes: Mapping[Column, tuple[int, int]], random: int) -> None:
    """Refuse what would take too long, with what it would take."""
    problems = []
    for target, (classes, levels) in sizes.items():
        cells = classes * levels
        if cells * random > WORK_LIMIT:
            most = WORK_LIMIT // cells
            help_ = f"ask for {most:,} tables or fewer (--random)" if most else "name fewer keys, or bins for them"
            problems.append(
                f"{random:,} random tables of {classes:,} classes by {levels:,} levels of {target.name!r} are "
                f"{cells * random:,} counts; the limit is {WORK_LIMIT:,}: {help_}."
            )
    if problems:
        raise InputError(problems)


def _draws(generator: np.random.Generator, people: int, cells: int, random: int, law: str) -> Iterator[pa.Table]:
    """Draw tables of ``people`` records: (draw, place, n), both from 1, without zeros.

    With flat Dirichlet weights every table is equally likely: that is the law of a multinomial mixed over them.
    """
    weigher = generator.spawn(1)[0]  # of its own, so that tables do not depend on how many are drawn at once
    at_once = max(_CHUNK // cells, 1)
    for first in range(0, random, at_once):
        weights = np.ones((min(at_once, random - first), cells))
        if law == "tables":
            weights = weigher.standard_exponential(weights.shape)
        counts = generator.multinomial(people, weights / weights.sum(axis=1, keepdims=True))
        draw, place = np.nonzero(counts)
        yield pa.table({"draw": draw + 1 + first, "place": place + 1, "n": counts[draw, place]})


def _load(session: Session, drawn: pa.Table, target: Column, number: int) -> None:
    """Add drawn tables to those of a target."""
    relation = session.load(f"drawn_{target.id}_{number}", drawn, "the random tables")
    session.create([steps.Step("random tables", table("draws", target), f"SELECT draw, place, n FROM {relation}")])
    session.fetch(f"DROP TABLE {relation}")


def _histograms(session: Session) -> dict[int, list[dict[str, object]]]:
    """Return the bins of each version of the average, in order."""
    bins = templates.stage(
        "tables/reference_histogram.sql", versions=VERSIONS.values(), n_bins=BINS, reference_averages="reference_averages"
    )
    found: dict[int, list[dict[str, object]]] = {}
    for version, _, begins, ends, tables, original in sorted(session.fetch(bins)):
        told = {"from": begins, "to": ends, "tables": int(tables), "original": bool(original)}
        found.setdefault(version, []).append(told)
    return found


def _reference_cells(layout: Layout, target: Column) -> list[steps.Step]:
    sql = templates.stage(
        "tables/reference_cells.sql",
        key_columns=layout.key_columns,
        class_key=layout.class_key,
        classes="classes",
        cells=table("cells", target),
        marginals=table("marginals", target),
    )
    return [pass_tables.cells(layout, target), steps.Step("random tables", "reference_cells", sql, temporary=True)]


def _averages(layout: Layout, target: Column, people: int) -> steps.Step:
    sql = templates.stage(
        "tables/reference_averages.sql",
        key_columns=layout.key_columns,
        class_key=layout.class_key,
        people=people,
        reference_cells="reference_cells",
        draws=table("draws", target),
    )
    return steps.Step("random tables", "reference_averages", sql, temporary=True)
