"""What chance alone would do: the average CAP of tables that are dealt out at random over the original's cells.

Python draws the random numbers; all counting is SQL (``sql/tables/reference_*.sql``).
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.inputs.sources import Source, read_source
from sqlrisk.plan import encoding, pass_tables, steps
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.results.reference import QUANTILES, Reference

WORK_LIMIT = 10_000_000  # counts of one target's tables together: cells times tables; some seconds and 200 MB
USED = ("keys", "targets", "bins", "special")
UNCOUNTED = ("exclude_level", "exclude_missing", "exclude_pair", "max_cell", "max_cell_syn")
VERSIONS = {"DCAP": "dcap", "DCAP_matched": "dcap_matched"}
_CHUNK = 1_000_000  # counts that are drawn at a time


def ask(original: object, settings: Mapping[str, object], *, random: object, seed: object, scenario_file: str | None) -> Question:
    """A question about the original alone.

    Raises:
        InputError: with every problem of settings and source.
    """
    filed = read_file(scenario_file) if scenario_file is not None else {}
    given = {
        **{name: value for name, value in filed.items() if name not in FILE_SETTINGS},
        **{name: value for name, value in settings.items() if value is not None},
    }
    problems: list[str] = []
    unknown = [name for name in settings if name not in USED]
    problems += [f"There is no setting {name!r} here{suggestion(name, USED)}." for name in unknown]
    scenario = Scenario()
    try:
        scenario = read({name: value for name, value in given.items() if name not in unknown})
        if not scenario.keys:
            problems.append("Name the columns that an intruder may know: --keys a,b,c (keys=[...]).")
        named = [name for name in UNCOUNTED if getattr(scenario, name)]
        problems += [f"{name}: random tables are compared with the whole original; leave this setting out." for name in named]
    except InputError as error:
        problems += error.problems
    problems += [
        f"{name}: expected a whole number, {least} or more; got {number!r}."
        for name, number, least in (("random", random, 1), ("seed", seed, 0))
        if isinstance(number, bool) or not isinstance(number, int) or number < least
    ]
    source: Source | None = None
    original = filed.get("original") if original is None else original
    try:
        if original is None:
            raise InputError("Name the original file.")
        source = read_source(original, "the original")
    except InputError as error:
        problems += error.problems
    if problems or source is None:
        raise InputError(list(dict.fromkeys(problems)))
    scenario = read(scenario.settings_of(USED))
    return Question(scenario, source, (), catalog(), ())


def compare(
    question: Question, engine: Engine, *, random: int, seed: int, progress: Progress | None = None, trace: Tracer | None = None
) -> Reference:
    """Average CAP of random tables of the original's size, over its classes and the levels of each target.

    Raises:
        InputError: what only the data shows to be wrong; tables that are too many or too large.
        EngineError: the database failed.
    """
    door = Door(engine, progress, trace)
    layout = encode(question, engine, door)
    (people,) = layout.records
    door.make([*encoding.record(layout, temporary=True), pass_tables.classes(layout)])
    sizes = {target: _size(target, door) for target in layout.targets}
    _check(sizes, random)
    door.make([pass_tables.members(layout)])
    generator = np.random.Generator(np.random.PCG64(seed))
    rows: list[dict[str, object]] = []
    for target in layout.targets:
        classes, levels = sizes[target]
        door.make(_reference_cells(layout, target))
        draws = _draws(generator, people, classes * levels, random)
        for number, chunk in enumerate(draws, start=1):
            _load(engine, door, chunk, target, number)
        door.make([_averages(layout, target, people)])
        summary = templates.stage(
            "tables/reference_summary.sql",
            versions=VERSIONS.values(),
            quantiles=QUANTILES,
            reference_averages="reference_averages",
        )
        for (_, *numbers), measure in zip(sorted(door.ask(summary)), VERSIONS, strict=True):
            original, count, mean, sd, least, *quantiles, most, below = numbers
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
                    "share_below": 100 * int(below) / int(count),
                }
            )
    settings = {name: value for name, value in layout.scenario.settings().items() if name in USED}
    source = {"source": question.original.label, "records": people}
    return Reference({**settings, "random": random, "seed": seed}, source, rows)


def _size(target: Column, door: Door) -> tuple[int, int]:
    """Classes of the original, and levels that a target has in it."""
    ((classes,),) = door.ask("SELECT COUNT(*) FROM classes")
    ((levels,),) = door.ask(f"SELECT COUNT(*) FROM {table('marginals', target)} WHERE n_orig > 0")
    return int(classes), int(levels)


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


def _draws(generator: np.random.Generator, people: int, cells: int, random: int) -> Iterator[pa.Table]:
    """Tables of so many records, each of which falls into any cell alike: (draw, place, n), numbered from 1, without zeros."""
    at_once = max(_CHUNK // cells, 1)
    for first in range(0, random, at_once):
        counts = generator.multinomial(people, np.full(cells, 1 / cells), size=min(at_once, random - first))
        draw, place = np.nonzero(counts)
        yield pa.table({"draw": draw + 1 + first, "place": place + 1, "n": counts[draw, place]})


def _load(engine: Engine, door: Door, drawn: pa.Table, target: Column, number: int) -> None:
    """Add drawn tables to those of a target."""
    source = Source("random tables", "frame", frame=drawn, role="the random tables")
    relation, *_ = engine.attach(source, drawn.column_names, f"drawn_{target.id}_{number}")
    door.make([steps.Step("random tables", table("draws", target), f"SELECT draw, place, n FROM {relation}")])
    door.ask(f"DROP TABLE {relation}")


def _reference_cells(layout: Layout, target: Column) -> list[steps.Step]:
    sql = templates.stage(
        "tables/reference_cells.sql",
        limbs=layout.limbs,
        class_key=layout.class_key,
        classes="classes",
        cells=table("cells", target),
        marginals=table("marginals", target),
    )
    return [pass_tables.cells(layout, target), steps.Step("random tables", "reference_cells", sql, temporary=True)]


def _averages(layout: Layout, target: Column, people: int) -> steps.Step:
    sql = templates.stage(
        "tables/reference_averages.sql",
        limbs=layout.limbs,
        class_key=layout.class_key,
        people=people,
        reference_cells="reference_cells",
        draws=table("draws", target),
    )
    return steps.Step("random tables", "reference_averages", sql, temporary=True)
