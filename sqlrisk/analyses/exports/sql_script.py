"""Print a plan as one SQL script instead of running it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from textwrap import wrap

from sqlrisk.analyses.exports import layout_without_data
from sqlrisk.analyses.preparation import baselines
from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.scores import whole_rows
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import DIALECTS, NOT_RUN, Dialect
from sqlrisk.catalogue.measures import Catalog, Measure, catalog
from sqlrisk.common.errors import InputError
from sqlrisk.engines.engine import Engine
from sqlrisk.engines.formats.streams import READERS
from sqlrisk.inputs.request import REMEDIES, Question, offered, require, with_families
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.sources import Source, Synthesis, read_source
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.wording import shown

NEEDED = {  # need of a measure -> how to meet it
    **REMEDIES,
    "a reference": (
        "a script does not know the order of the people of control; use sqlrisk score "
        "--membership-ratio"
    ),
    "control": (
        "give people who were not in the synthesis with --split and --split-in; a script has "
        "no other control"
    ),
}
_MAKES = re.compile(r"(CREATE|DROP) (?:OR REPLACE )?(?:TEMPORARY )?(TABLE|VIEW) (\w+)")
EXAMPLE = {"keys": ["sex", "age"], "targets": ["income"]}


def own_select(measure: Measure) -> str:
    """Return the SQL file of a measure: its header, and its SELECT from the table of its stage.

    If the measure combines other measures, one SELECT covers all its points.
    """
    header = measure.sql.partition("---*/\n")[0]
    if not measure.at or measure.parts:
        return f"{header}---*/\n{templates.select(measure)}\n"
    points = [
        templates.select(measure, at).replace("SELECT\n", f"SELECT\n    {at} AS point,\n", 1)
        for at in measure.at
    ]
    return f"{header}---*/\n" + "\nUNION ALL\n".join(points) + "\n"


def with_files(
    measure: str | None, question: Question, engine: Engine, *, listed: bool = False
) -> str:
    """Return the script of a measure, using facts of the files: types, level counts, class keys.

    With ``listed``, or without a measure, return a list of the stages instead. CSV files are first
    copied to the tables ``source_0`` (original), ``source_1`` and so on. Tables held in Python must
    be loaded under these names. Comments in the script name what else to load. Raises InputError if
    the question lacks what the measure needs.
    """
    session = Session(engine)
    layout = encode(
        question, session, whole_rows=measure is not None and question.catalog[measure].of_rows
    )
    if measure is None:
        return _listed(layout, question.catalog, every=True)
    wanted = require(question.catalog[measure], question.offered, NEEDED)
    if wanted.of_rows:
        layout = whole_rows.lay_out(replace(question, measures=(wanted,)), layout, session)
    if not layout.targets and not wanted.untargeted:
        raise InputError(
            f"{measure} needs a target, but no column besides the keys is in all files."
        )
    layout = replace(layout, measures=question.catalog.with_parts([wanted]))
    if listed:
        return _listed(layout, question.catalog, every=False)
    steps = [
        *DIALECTS["duckdb"].preamble,
        *engine.loads,
        *statements_of(layout_without_data.steps(layout)),
        _result(layout, wanted),
    ]
    expected = [f"-- {' '.join(each.split())}" for each in _expected(layout, question, engine)]
    return _joined("\n".join([_heading(wanted), *expected, _leaves(steps)]), steps)


def _expected(layout: Layout, question: Question, engine: Engine) -> Iterator[str]:
    """Yield what the script reads but does not make, each as the table to load: files that no
    database can read, and the order of levels. The script itself must not show levels.
    """
    for file, source in zip(layout.files, question.sources, strict=False):
        if source.kind in READERS:
            typed = [f"{templates.quote(name)} {kind}" for name, kind in file.types.items()]
            said = _unread(source, file.relation, typed)
            called = ", ".join(shown(name) for name in file.types if name in engine.by_label)
            yield f"{said}, with labels instead of the codes of {called}" if called else said
    for target, baseline in layout.baselines.items():
        source = read_source(layout.scenario.baseline[target], f"the baseline of {target}")
        if source.kind in READERS:
            yield _unread(source, baseline.relation, map(templates.quote, baselines.COLUMNS))
    columns = (*layout.columns, *layout.own_columns)
    for table, name in {each.order_table: each.name for each in columns}.items():
        if table is not None:
            yield (
                f"Load the order of the levels of {shown(name)} first as {table} (level VARCHAR, "
                "place BIGINT), with places from 1"
            )


def _unread(source: Source, table: str, columns: Iterable[str]) -> str:
    return f"No database can read {source.name}: load it first as {table} ({', '.join(columns)})"


def without_files(
    measure: str | None,
    settings: Mapping[str, object],
    dialect: Dialect,
    *,
    one: bool,
    types: object,
    measures_from: str | None,
    listed: bool = False,
) -> str:
    """Return the script of a measure over the tables ``original`` and ``synthetic``, without
    knowing data.

    Every key has its own class key column. A measure that needs people outside the synthesis, or
    the whole population, reads ``control`` or ``universe``. ``types`` names the types of columns.
    ``measures_from`` is the folder of the user's own measures, or None. ``one`` returns only the
    measure's SELECT. With ``listed``, or without a measure, return a list of the stages. Without
    keys, those of `EXAMPLE` are used, and its target if there is none. Raises InputError if the
    settings lack what the measure needs.
    """
    known = catalog(measures_from)
    wanted = None if measure is None else known[measure]
    if one and wanted is not None:
        return own_select(wanted)
    scenario = read(settings)
    if not scenario.keys:
        example = {name: own for name, own in EXAMPLE.items() if not getattr(scenario, name)}
        scenario = read({**settings, **example})
    if settings.get("measures") is None:
        scenario = with_families(scenario, known)
    known = known.taken_at(scenario.points)
    # need of a measure -> the table that meets it
    beside = {"a universe": "universe", "control": "control"}
    had = offered(scenario, **dict.fromkeys(beside.values(), "given"))
    wanted = None if wanted is None else require(known[wanted.name], had, NEEDED)
    asked = known.select(scenario.measures) if wanted is None else (wanted,)
    chosen = known.with_parts(each for each in asked if each.needs is None or had[each.needs])
    synthesis = Synthesis("", 1, Source("synthetic", "table", ("synthetic",)))
    relations = [
        table for need, table in beside.items() if any(each.needs == need for each in chosen)
    ]
    universe = "universe" in relations
    layout = layout_without_data.lay_out(
        scenario,
        ("original", "synthetic", *relations),
        [synthesis],
        chosen,
        types,
        universe=universe,
    )
    if wanted is None or listed:
        return _listed(layout, known, every=wanted is None)
    parts = [*statements_of(layout_without_data.steps(layout)), _result(layout, wanted)]
    heading, leaves = _heading(wanted), _leaves(parts)
    if dialect.name != "duckdb":
        from sqlrisk.catalogue.translation import translate, write
        from sqlrisk.plan.counted_measures import own_sql

        own = own_sql(layout.counts, measures_from, dialect.name)
        translated = [translate(sql, dialect.name, own=own, pretty=True) for sql in parts]
        parts = [*(write(each, dialect.name, each.table or "") for each in translated)]
        heading += f"\n-- {dialect.product}{'' if dialect.run else f': {NOT_RUN}'}"
    return _joined(f"{heading}\n{leaves}", [*dialect.preamble, *parts])


def _listed(layout: Layout, known: Catalog, *, every: bool) -> str:
    """Return the stages of a measure, or with ``every`` the stages of a whole run."""
    from sqlrisk.analyses.exports import stages

    return stages.text(
        layout, stages.of_a_run(layout, known) if every else layout_without_data.steps(layout)
    )


def _result(layout: Layout, measure: Measure) -> str:
    """Return the SELECT that gives a measure's result rows."""
    place = [
        "point",
        "target",
        "comparison",
        *(["population", "weighted"] if not layout.counts.of_everybody_alone else []),
    ]
    return (
        f"SELECT measure, {', '.join(place)}, numerator, denominator, value\nFROM results\n"
        f"WHERE measure = {templates.literal(measure.name)}\nORDER BY {', '.join(place)}"
    )


def _joined(heading: str, statements: Iterable[str]) -> str:
    return f"{heading}\n\n" + ";\n\n".join(statements) + ";\n"


def _leaves(statements: Iterable[str]) -> str:
    """Return an SQL comment: what statements in DuckDB's SQL make and do not drop."""
    made: dict[str, dict[str, None]] = {"TABLE": {}, "VIEW": {}}
    for verb, kind, name in (found.groups() for found in map(_MAKES.match, statements) if found):
        if verb == "CREATE":
            made[kind][name] = None
        else:
            made[kind].pop(name, None)
    left = f"tables {', '.join(made['TABLE'])}"
    left += f" and the views {', '.join(made['VIEW'])}" if made["VIEW"] else ""
    text = f"It leaves the {left}: drop them before you run it again."
    return "\n".join(f"-- {line}" for line in wrap(text, 100))


def _heading(measure: Measure) -> str:
    return (
        f"-- {measure.name}: {measure.title}\n-- {measure.formula} ({measure.unit})\n-- "
        f"Source: {measure.source}"
    )


def statements_of(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the SQL statements of steps in order.

    The first step of a table creates it. Later steps add rows, but a different step for a table in
    memory replaces it.
    """
    made: dict[str, Step] = {}
    for step in steps:
        if step.table not in made:
            yield f"CREATE TABLE {step.table} AS\n{step.sql}"
        elif step.adds or not step.in_memory:
            yield f"INSERT INTO {step.table}\n{step.sql}"
        elif made[step.table] != step:
            yield f"DROP TABLE {step.table}"
            yield f"CREATE TABLE {step.table} AS\n{step.sql}"
        made[step.table] = step
        if step.drops is not None:
            yield f"DROP TABLE {step.drops}"
            del made[step.drops]
