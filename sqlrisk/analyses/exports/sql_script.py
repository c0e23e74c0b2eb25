"""A plan printed as one SQL script, instead of run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sqlrisk.analyses.exports import layout_without_data
from sqlrisk.analyses.scores.scoring import statements
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import NOT_RUN, Dialect
from sqlrisk.catalogue.measures import Catalog, Measure, catalog
from sqlrisk.common.errors import InputError
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.plan import counted_measures
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step

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
        return f"{header}---*/\n{templates.select(measure)}\n"
    points = [templates.select(measure, at).replace("SELECT\n", f"SELECT\n    {at} AS point,\n", 1) for at in measure.at]
    return f"{header}---*/\n" + "\nUNION ALL\n".join(points) + "\n"


def with_files(measure: str, question: Question, engine: Engine) -> str:
    """The script of a question with the facts of its files: types, level counts, class keys.

    CSV files are copied into the tables ``source_0`` (original), ``source_1`` ... first. A table held in Python is expected
    under that name.
    """
    layout = statements(question, engine)
    return _script(layout, question.catalog[measure], question.catalog, engine.loads)


def without_files(
    measure: str, settings: Mapping[str, object], dialect: Dialect, *, one: bool, types: object, measures_from: str | None
) -> str:
    """The script over the tables ``original`` and ``synthetic``, every key in a class key column of its own."""
    known = catalog(measures_from)
    wanted = known[measure]
    if one:
        return own_select(wanted)
    scenario = read(settings)
    scenario = scenario if scenario.keys else EXAMPLE
    known = known.taken_at(scenario.points)
    synthesis = Synthesis("", 1, Source("synthetic", "table", ("synthetic",)))
    chosen = _with_parts(known[measure], known)
    _refuse_needs(known[measure], scenario)
    layout = layout_without_data.lay_out(
        scenario, ("original", "synthetic"), [synthesis], chosen, types=layout_without_data.read_types(types)
    )
    parts = [*statements_of(layout_without_data.steps(layout)), _result(layout, known[measure])]
    heading = _heading(known[measure])
    if dialect.name != "duckdb":
        from sqlrisk.catalogue.translation import translate, write
        from sqlrisk.plan.dialect_overrides import own_sql

        own = own_sql(layout, measures_from, dialect.name)
        translated = [translate(sql, dialect.name, own=own, pretty=True) for sql in parts]
        parts = [*dialect.settings, *(write(each, dialect.name, each.table or "") for each in translated)]
        heading += f"\n-- {dialect.product}{'' if dialect.run else f': {NOT_RUN}'}"
    return _joined(heading, parts)


def _script(layout: Layout, measure: Measure, known: Catalog, loads: Sequence[str] = ()) -> str:
    """Every statement that a measure's number needs, then the SELECT of its result rows."""
    _refuse_needs(measure, layout.scenario)
    layout = replace(layout, measures=_with_parts(measure, known))
    return _joined(_heading(measure), [*loads, *statements_of(layout_without_data.steps(layout)), _result(layout, measure)])


def _with_parts(measure: Measure, known: Catalog) -> tuple[Measure, ...]:
    names = {measure.name, *measure.parts}
    return tuple(each for each in known if each.name in names)


def _refuse_needs(measure: Measure, scenario: Scenario) -> None:
    if measure.needs in NEEDED and not scenario.offered[measure.needs]:
        raise InputError(f"{measure.name} needs {measure.needs}: {NEEDED[measure.needs]}.")


def _result(layout: Layout, measure: Measure) -> str:
    """The SELECT of a measure's rows."""
    place = ["point", "target", "comparison", *(["population", "weighted"] if len(counted_measures.ledgers(layout)) > 1 else [])]
    return (
        f"SELECT measure, {', '.join(place)}, numerator, denominator, value\nFROM results\n"
        f"WHERE measure = {templates.literal(measure.name)}\nORDER BY {', '.join(place)}"
    )


def _joined(heading: str, statements: Iterable[str]) -> str:
    return f"{heading}\n\n" + ";\n\n".join(statements) + ";\n"


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
        if step.drops is not None:
            yield f"DROP TABLE {step.drops}"
            del made[step.drops]
