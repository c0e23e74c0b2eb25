"""Facts about each person besides keys and targets: populations, survey weights, and membership in
control. Only files of people have them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sqlrisk.analyses.preparation import recodes
from sqlrisk.analyses.preparation.column_types import labelled
from sqlrisk.catalogue.templates import quote
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.conditions import EQUAL, Predicate
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Population

Typed = Callable[[str, int, str], Column]  # makes a column from a role, a number and a name
NOBODY = (
    "population {name!r}: nobody has {text!r} in the column {column!r}; check its spelling "
    "and case."
)
RECORD = '"sqlrisk record"'  # the number of a record in the file that is split


def columns_wanted(scenario: Scenario) -> tuple[str, ...]:
    """Return the columns that files of people must have and synthetic files need not. Only the id
    may be missing in control.
    """
    return (*settings(scenario), *(() if scenario.id is None else (scenario.id,)))


def settings(scenario: Scenario) -> dict[str, str]:
    """Return column -> setting for the columns of `columns_wanted`. The id is left out, since
    control may lack it.
    """
    conditions = [
        scenario.conditions[name] for name in scenario.conditions if name in scenario.populations
    ]
    asked = {comparison.column: "population" for comparison in chain(*conditions)} | dict.fromkeys(
        scenario.by, "by"
    )
    given = {"weights": scenario.weights, "split": scenario.split}
    return asked | {name: setting for setting, name in given.items() if name is not None}


def split(
    scenario: Scenario, files: Sequence[File], sources: Sequence[Source], engine: Engine
) -> list[File]:
    """Return the files. If the scenario splits the original, it becomes two files: the people in
    the synthesis, and the rest as control.

    Raises InputError if one of the halves is empty.
    """
    if scenario.split is None or scenario.split_in is None:
        return list(files)
    column = Column("c", 0, scenario.split, files[0].types[scenario.split]).with_missing(
        scenario.missing_in(scenario.split)
    )
    column = labelled(column, sources, engine)
    chosen = f"{column.value_in(files[0])} = {column.level(scenario.split_in)}"
    number = f", {files[0].record} AS {RECORD}" if files[0].record is not None else ""
    whole = f"SELECT *{number} FROM {files[0].relation}"
    halves = [
        f"(SELECT * FROM ({whole}) AS whole_{half} WHERE CASE WHEN {chosen} THEN 1 ELSE 0 END "
        f"= {half})"
        for half in (1, 0)
    ]
    for relation, word in zip(halves, ("no", "every"), strict=True):
        if not engine.run(f"SELECT COUNT(*) FROM {relation} AS half")[0][0]:
            raise InputError(
                f"split: {word} record of the original has {scenario.split_in!r} in the column "
                f"{scenario.split!r}; "
                "name a level that some people have and others have not."
            )
    record = None if files[0].record is None else RECORD
    return [
        replace(files[0], relation=f"{halves[0]} AS half_1", record=record),
        *files[1:],
        File(len(files), f"{halves[1]} AS half_0", files[0].types, record, control=True),
    ]


def populations(
    scenario: Scenario,
    files: Sequence[File],
    columns: Mapping[str, Column],
    sources: Sequence[Source],
    engine: Engine,
) -> tuple[Population, ...]:
    """Return the populations of a scenario, without numbers. The population ``all`` is not listed.

    ``columns`` are the keys and targets by name. Raises InputError for unknown levels and unusable
    weights.
    """
    people = [file for file in files if file.of_people]
    problems = ProblemList()
    found: list[Population] = []
    names = [sources[file.number].name for file in people]

    def typed(role: str, number: int, name: str) -> Column:
        kind = datatypes.shared(
            name, list(zip((file.types[name] for file in people), names, strict=True))
        )
        bins = scenario.bins.get(name) if role == "b" else None
        column = Column(role, number, name, kind, bins).with_missing(scenario.missing_in(name))
        told = role == "b" and name in scenario.recoded
        column = recodes.recoded(column, scenario) if told else column
        return labelled(column, sources, engine)

    for name in scenario.populations:
        with problems:
            if name != "all":
                found.append(named_population(name, scenario, people, columns, typed))
                problems += _unknown_levels(name, scenario, people, typed, engine)
    for number, name in enumerate(scenario.by, start=1):
        with problems:
            column = columns.get(name) or typed("b", number, name)
            found.append(Population(0, name, "level", column=column))
    problems += _weight_problems(scenario.weights, people, names, engine)
    problems.stop()
    return tuple(found)


def named_population(
    name: str,
    scenario: Scenario,
    people: Sequence[File],
    columns: Mapping[str, Column],
    typed: Typed,
) -> Population:
    """Return a population by its name. It has no number yet. ``typed`` makes the columns that are
    neither key nor target.

    Raises InputError if a condition has a level or operator that its column cannot have.
    """
    if name not in scenario.population:
        return Population(0, name, name)
    conditions: dict[int, list[str]] = {file.number: [] for file in people}
    recoded: list[tuple[Column, Predicate]] = []
    for comparison in scenario.conditions[name]:
        column = of_condition(comparison.column, scenario, columns, typed)
        try:
            if column.recode is not None:
                column.compared(comparison.operator, comparison.levels)  # raises if impossible
                recoded.append((column, comparison))
                continue
            level = column.level if comparison.operator in EQUAL else column.ordered_level
            levels = [level(text) for text in comparison.levels]
        except InputError as error:
            raise InputError(
                [f"population {name!r}: {problem}" for problem in error.problems]
            ) from None
        right = f"({', '.join(levels)})" if comparison.operator == "IN" else levels[0]
        for file in people:
            conditions[file.number].append(f"{column.value_in(file)} {comparison.operator} {right}")
    sql = {number: " AND ".join(each) or "1 = 1" for number, each in conditions.items()}
    return Population(0, name, "condition", sql, recoded=tuple(recoded))


def of_condition(
    name: str, scenario: Scenario, columns: Mapping[str, Column], typed: Typed
) -> Column:
    """Return the column ``name`` for a comparison in a condition.

    A recoded column is compared by its dictionary. If the column is also a key without bins, this
    is the dictionary of the key.
    """
    if name not in scenario.recoded:
        return typed("c", 0, name)
    if name in scenario.keys and name not in scenario.bins:
        return columns[name]
    others = [
        comparison.column for condition in scenario.conditions.values() for comparison in condition
    ]
    several = list(dict.fromkeys((*scenario.by, *others)))
    if name in scenario.bins:  # conditions compare the numbers, not their bins
        return replace(typed("b", 1 + len(several) + several.index(name), name), bins=None)
    return typed("b", 1 + several.index(name), name)


def _unknown_levels(
    name: str, scenario: Scenario, people: Sequence[File], typed: Typed, engine: Engine
) -> list[str]:
    """Return messages about levels that a condition names and nobody has. A misspelled level would
    silently empty the population.
    """
    named = [each for each in scenario.conditions.get(name, ()) if each.operator in EQUAL]
    # Levels of recoded columns are checked later, in their dictionaries.
    plain = [each for each in named if each.column not in scenario.recoded]
    levels = [(typed("c", 0, each.column), text) for each in plain for text in each.levels]
    held = [False] * len(levels)
    for file in people if levels else ():
        tests = [
            f"MAX(CASE WHEN {column.value_in(file)} = {column.level(text)} THEN 1 ELSE 0 END)"
            for column, text in levels
        ]
        (row,) = engine.run(f"SELECT {', '.join(tests)} FROM {file.relation}")
        held = [before or bool(found) for before, found in zip(held, row, strict=True)]
    return [
        NOBODY.format(name=name, text=text, column=column.name)
        for (column, text), known in zip(levels, held, strict=True)
        if not known
    ]


def _weight_problems(
    weights: str | None, people: Sequence[File], names: Sequence[str], engine: Engine
) -> list[str]:
    """Return messages about unusable weights. A weight must be a finite number, at least 0, and not
    missing.
    """
    if weights is None:
        return []
    problems: list[str] = []
    for file, source in zip(people, names, strict=True):
        if not datatypes.is_numeric(file.types[weights]):
            problems.append(
                f"weights: {weights!r} is {datatypes.family(file.types[weights])} in {source}; "
                "weights are numbers."
            )
            continue
        weight = f"CAST({quote(weights)} AS DOUBLE)"
        good = f"{weight} >= 0 AND {weight} < CAST('Infinity' AS DOUBLE)"
        counts = (
            f"COUNT(*), COUNT(CASE WHEN {good} THEN 1 END), SUM(CASE WHEN {good} THEN {weight} END)"
        )
        ((records, weighted, total),) = engine.run(f"SELECT {counts} FROM {file.relation}")
        if count := records - weighted:
            problems.append(
                f"weights: {weights!r} is missing or negative for {count:,} of {records:,} records "
                f"of {source}; give each a weight."
            )
        elif total is not None and not math.isfinite(total):
            problems.append(
                f"weights: the weights of {source} in {weights!r} have a sum beyond the "
                "largest number; divide all of them by a constant."
            )
    return problems
