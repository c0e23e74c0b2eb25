"""Make a layout without looking at data, for SQL that others will run. The layout has only the
types that the user names, and not how many levels a column has.

Packing several keys into one integer needs the numbers of levels, so every key has its own class
key column.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sqlrisk.analyses import neighbours, special_uniques
from sqlrisk.analyses.preparation import populations, recodes
from sqlrisk.analyses.preparation.column_types import column_of
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs.fields import BEYOND, SETTINGS
from sqlrisk.inputs.readers import split_line, texts
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Synthesis
from sqlrisk.plan import encoding, pass_tables, totals, whole_rows
from sqlrisk.plan.class_key import EVERY_CLASS, pack
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout, Population, compare, taken
from sqlrisk.plan.steps import Step
from sqlrisk.plan.subsets import links, singling_out
from sqlrisk.plan.subsets.nearness import sought

TYPES = (
    "BIGINT", "INTEGER", "SMALLINT", "DOUBLE", "FLOAT", "DECIMAL(p,s)", "VARCHAR", "BOOLEAN",
    "DATE", "TIMESTAMP",
)  # fmt: skip
MOST_KEYS = 8  # All 255 sets of this many keys are written out to find the nearest records.
_DECIMAL = re.compile(r"DECIMAL\(\d{1,2},\s*\d{1,2}\)")
# Setting -> the facts of the data that it needs.
_FACTS = {
    "by": "the levels of the column; define populations with a condition",
    "split": "a separate file for each half; give the control people as a table",
    "baseline": "a file beside the tables; leave it out",
    **{name: f"{SETTINGS[name].beyond}; use `sqlrisk score` with files" for name in BEYOND},
}


def lay_out(
    scenario: Scenario,
    relations: Sequence[str],
    syntheses: Sequence[Synthesis],
    measures: Sequence[Measure],
    types: object,
    *,
    universe: bool = False,
) -> Layout:
    """Return the layout of a scenario over relations: the original, its syntheses, then universe
    and control, if any.

    ``types`` names the types of columns, see `_read_types`. Typed levels are written in these
    types. Without a named type, a column with bins or bands is DOUBLE, and a recoded date is DATE.
    DOUBLE is treated as a float, in which NaN counts as missing. Raises InputError for settings and
    measures for which the data must be known.
    """
    dates = {name: "DATE" for name, entry in scenario.column.items() if entry.date or entry.age_at}
    numbers = {name: "DOUBLE" for name, entry in scenario.column.items() if entry.cuts}
    known = {**dict.fromkeys(scenario.bins, "DOUBLE"), **numbers, **dates, **_read_types(types)}
    _refuse(scenario, measures, known)
    # A column typed as DOUBLE may be stored as any numeric type. FLOAT makes the SQL cast it.
    held = {name: "FLOAT" if kind == "DOUBLE" else kind for name, kind in known.items()}
    if scenario.aligned and scenario.id is None:
        raise InputError(
            "aligned: the records of a table have no order; name the column that "
            "identifies them with --id."
        )
    own_id = Column("i", 1, scenario.id) if scenario.aligned and scenario.id else None
    last = len(syntheses) + universe

    def record(number: int) -> str | None:
        if own_id is None:
            return None
        # Universe and control may lack the id.
        by = [own_id.name] if number <= len(syntheses) else scenario.keys
        return f"ROW_NUMBER() OVER (ORDER BY {', '.join(map(templates.quote, by))})"

    files = tuple(
        File(
            number,
            relation,
            held,
            record(number),
            control=number > last,
            universe=universe and number == last,
        )
        for number, relation in enumerate(relations)
    )
    keys, targets = (
        tuple(
            column_of(role, number, name, scenario, known.get(name), {})
            for number, name in enumerate(names, start=1)
        )
        for role, names in (("k", scenario.keys), ("t", scenario.targets))
    )
    plain = replace(scenario, id=None)  # no measure reads the ids of records
    people = _populations(scenario, files, {key.name: key for key in keys}, known)
    parts = (files, keys, targets, compare(syntheses, files), taken(measures, targets), people)
    return Layout(plain, *parts, key_columns=pack(keys, None), own_id=own_id)


def steps(layout: Layout) -> Iterator[Step]:
    """Yield every step from reading the files to the results of the layout's measures, in one
    pass.
    """
    yield from begin(layout)
    yield from totals.measure(layout, rewrites_many=False)
    yield from totals.collect(layout)


def begin(layout: Layout) -> Iterator[Step]:
    """Yield the steps before records are counted in classes: dictionaries, records, special
    uniques, and `looked_up`.
    """
    yield from encoding.encode(layout)
    yield from encoding.record(layout)
    yield from special_uniques.population_steps(layout)
    yield from looked_up(layout)


def looked_up(layout: Layout) -> Iterator[Step]:
    """Yield the steps that find nearest records, links, predicates and whole rows. They come before
    records are counted.
    """
    if sought(layout):
        yield from neighbours.steps(layout)
    if layout.links or layout.most_keys:
        yield from pass_tables.every_class(layout)
        yield from links.steps(layout)
        yield from singling_out.steps(layout)
    if any(measure.of_rows for measure in layout.measures):
        yield from whole_rows.steps(layout, (EVERY_CLASS,))


def _refuse(scenario: Scenario, measures: Sequence[Measure], types: Collection[str]) -> None:
    """Raise InputError that names every setting and measure for which the data must be known."""
    if not scenario.targets and not all(measure.untargeted for measure in measures):
        raise InputError(
            "Without files the columns are unknown: name the targets, too (--targets)."
        )
    usual = Scenario()
    problems = ProblemList(
        f"{name}: SQL that is written without the data cannot use it, as it needs {why}."
        for name, why in _FACTS.items()
        if getattr(scenario, name) != getattr(usual, name)
    )
    read = (*scenario.keys, *scenario.targets, *populations.settings(scenario))
    compared = (each.column for each in chain(*scenario.conditions.values()))
    used = [*read, *compared, *scenario.column, *([scenario.id] if scenario.id else [])]
    problems += [
        f"types: {name!r} is not a column of the scenario{suggestion(name, used)}."
        for name in types
        if name not in used
    ]
    if untyped := [
        name for name in dict.fromkeys(read) if scenario.missing_in(name) and name not in types
    ]:
        problems.append(
            "missing: which of these values a column can have depends on its type; name the types "
            f"of {', '.join(untyped)}, as in --types {untyped[0]}=VARCHAR."
        )
    if any(len(one) + len(other) > MOST_KEYS for one, other in scenario.links.values()):
        problems.append(
            f"link: SQL that is written without the data joins at most {MOST_KEYS} columns in "
            "a link; name fewer."
        )
    if rows := [measure.name for measure in measures if measure.of_rows]:
        problems.append(
            f"measures: {', '.join(rows)} compare whole rows, and only the files show which "
            "columns they share; leave them out, or use `sqlrisk score`."
        )
    if len(scenario.keys) > MOST_KEYS and any(measure.of_neighbours for measure in measures):
        problems.append(
            "measures: SQL that is written without the data finds nearest records of at most "
            f"{MOST_KEYS} keys, not {len(scenario.keys)}; leave out "
            f"{', '.join(m.name for m in measures if m.of_neighbours)}."
        )
    problems.stop()


def _read_types(given: object) -> dict[str, str]:
    """Return DuckDB types by column. ``given`` is a mapping, a text such as
    ``"age=INTEGER,income=DOUBLE"``, or several of these texts. None stands for no types.

    TEXT and INT are accepted for VARCHAR and INTEGER. Raises InputError for any type not in
    `TYPES`, for a column that is named twice, and for any other value.
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        named = {str(name): str(kind) for name, kind in given.items()}
    else:
        lines = texts(given)
        if lines is None:
            raise InputError("types: expected COLUMN=TYPE, or a table of them.")
        # The comma in DECIMAL(p,s) does not separate columns.
        whole = [re.sub(r"(\(\d+),\s*(\d+\))", r"\1;\2", line) for line in lines]
        typed = [pair for line in whole for pair in split_line(line, "types", assigned=True)]
        names = [name for name, _ in typed]
        ProblemList(
            f"types: the column {name!r} is named twice." for name in names if names.count(name) > 1
        ).stop()
        named = {name: (kind or "").replace(";", ",") for name, kind in typed}
    problems = ProblemList()
    for name, kind in named.items():
        named[name] = {"TEXT": "VARCHAR", "INT": "INTEGER"}.get(
            kind.strip().upper(), kind.strip().upper()
        )
        if named[name] not in TYPES and not _DECIMAL.fullmatch(named[name]):
            problems.append(
                f"types: {kind!r} of {name!r} is not a type{suggestion(kind.upper(), TYPES)}; "
                f"use one of {', '.join(TYPES)}."
            )
    problems.stop()
    return named


def _populations(
    scenario: Scenario,
    files: Sequence[File],
    columns: Mapping[str, Column],
    types: Mapping[str, str],
) -> tuple[Population, ...]:
    """Return the populations with their numbers. The population ``all`` is not listed."""

    def typed(role: str, number: int, name: str) -> Column:
        column = Column(role, number, name, types.get(name)).with_missing(scenario.missing_in(name))
        told = role == "b" and name in scenario.recoded
        return recodes.recoded(column, scenario) if told else column

    people = [file for file in files if file.of_people]
    found = (
        populations.named_population(name, scenario, people, columns, typed)
        for name in scenario.populations
        if name != "all"
    )
    return tuple(
        replace(population, number=number) for number, population in enumerate(found, start=1)
    )
