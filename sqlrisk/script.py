"""A plan printed as one SQL script, instead of run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sqlrisk import nearest, plan, render, special, tolerances
from sqlrisk.catalog import Catalog, Measure, catalog
from sqlrisk.engines import Engine
from sqlrisk.errors import InputError
from sqlrisk.layout import Column, File, Layout, compare, pack
from sqlrisk.plan import Step
from sqlrisk.question import Question
from sqlrisk.run import statements
from sqlrisk.scenario import Scenario, read
from sqlrisk.sources import Source, Synthesis

NEEDED = {
    "weights": "name the column of survey weights with --weights",
    "a tolerance": "name a numeric target and how near is right with --within",
    "aligned files": "say that they are with --aligned",
    "a stated synthesiser": "say how the files were made with --assume and --prior",
}  # what a measure needs, and how to give it
EXAMPLE = Scenario(keys=("sex", "age"), targets=("income",))


def own_select(measure: Measure) -> str:
    """A measure's file: its header and its SELECT over the name of its stage."""
    header = measure.sql.partition("---*/\n")[0]
    if not measure.at:
        return f"{header}---*/\n{render.select(measure)}\n"
    points = [render.select(measure, at).replace("SELECT\n", f"SELECT\n    {at} AS point,\n", 1) for at in measure.at]
    return f"{header}---*/\n" + "\nUNION ALL\n".join(points) + "\n"


def with_files(measure: str, question: Question, engine: Engine) -> str:
    """The script of a question with the facts of its files: types, level counts, class keys.

    CSV files are copied into the tables ``source_0`` (original), ``source_1`` ... first. A table held in Python is expected
    under that name.
    """
    layout = statements(question, engine)
    return _script(layout, question.catalog[measure], question.catalog, engine.loads)


def without_files(measure: str, settings: Mapping[str, object], *, one: bool, measures_from: str | None) -> str:
    """The script over the tables ``original`` and ``synthetic``, every key in a class key column of its own."""
    known = catalog(measures_from)
    wanted = known[measure]
    if one:
        return own_select(wanted)
    scenario = read(settings)
    scenario = scenario if scenario.keys else EXAMPLE
    if not scenario.targets:
        raise InputError("Without files there are no columns to choose from: name the targets too (--targets).")
    synthesis = Synthesis("", 1, Source("synthetic", "table", ("synthetic",)))
    record, own_id = None, None
    if scenario.aligned:
        if scenario.id is None:
            raise InputError("aligned: the records of a table have no order; name the column that says which is whose with --id.")
        record, own_id = f"ROW_NUMBER() OVER (ORDER BY {render.quote(scenario.id)})", Column("i", 1, scenario.id)
    files = (File(0, "original", record=record), File(1, "synthetic", record=record))
    keys = tuple(Column("k", number, name, bins=scenario.bins.get(name)) for number, name in enumerate(scenario.keys, start=1))
    targets = tuple(
        Column("t", number, name, bins=scenario.bins.get(name), tolerance=_tolerance(scenario, name))
        for number, name in enumerate(scenario.targets, start=1)
    )
    known = known.taken_at(scenario.points)
    scenario = replace(scenario, id=None)  # the name of a record is in no measure
    layout = Layout(scenario, files, keys, targets, compare([synthesis], files), (), limbs=pack(keys, None), own_id=own_id)
    return _script(layout, known[measure], known)


def _tolerance(scenario: Scenario, name: str) -> tolerances.Tolerance | None:
    """The tolerance of a target whose type is not seen: its values are compared as floating-point numbers."""
    if name not in scenario.within:
        return None
    special = tuple(render.literal(text) for text in scenario.special.get(name, ()))
    return tolerances.tolerance(name, None, scenario.within[name], scenario.within_floor.get(name), special)


def _script(layout: Layout, measure: Measure, known: Catalog, loads: Sequence[str] = ()) -> str:
    """Every statement that a measure's number needs, then the SELECT of its result rows."""
    if measure.needs in NEEDED and not layout.scenario.offered[measure.needs]:
        raise InputError(f"{measure.name} needs {measure.needs}: {NEEDED[measure.needs]}.")
    names = {measure.name, *measure.parts}
    wanted = tuple(each for each in known if each.name in names)
    layout = Layout(**{**vars(layout), "measures": wanted})
    steps = [*plan.encode(layout), plan.record(layout), *special.population_steps(layout)]
    steps += nearest.steps(layout) if nearest.sought(layout) else []
    steps += [*plan.measure(layout), *plan.collect(layout)]
    parts = [_heading(measure), *loads, *statements_of(steps)]
    place = ["point", "target", "comparison", *(["population", "weighted"] if len(plan.ledgers(layout)) > 1 else [])]
    parts.append(
        f"SELECT measure, {', '.join(place)}, numerator, denominator, value\nFROM results\n"
        f"WHERE measure = {render.literal(measure.name)}\nORDER BY {', '.join(place)}"
    )
    return ";\n\n".join(parts).replace(";\n\n", "\n\n", 1) + ";\n"


def _heading(measure: Measure) -> str:
    lines = [f"{measure.name}: {measure.title}", f"{measure.formula} ({measure.unit})", f"Source: {measure.source}"]
    return "\n".join(f"-- {line}" for line in lines)


def statements_of(steps: Iterable[Step]) -> Iterator[str]:
    """The statements of steps in order: a temporary table is made anew where it changes, any other is added to."""
    made: dict[str, Step] = {}
    for step in steps:
        if step.table not in made:
            yield f"CREATE TABLE {step.table} AS\n{step.sql}"
        elif not step.temporary:
            yield f"INSERT INTO {step.table}\n{step.sql}"
        elif made[step.table] != step:
            yield f"DROP TABLE {step.table}"
            yield f"CREATE TABLE {step.table} AS\n{step.sql}"
        made[step.table] = step
