"""Files of hierarchies. A line has a level of a column, its group, the larger group of that group,
and so on.
"""

import csv
from io import StringIO
from itertools import islice, pairwise

from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.columns.dictionary import Groups
from sqlrisk.inputs.csv_files.headers import long_fields, quoting, utf8
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Source, read_header, read_source


def files_of(scenario: Scenario) -> dict[str, Source]:
    """Return the hierarchy files by column. Raises InputError that names every unreadable file."""
    problems = ProblemList()
    found: dict[str, Source] = {}
    for column, entry in scenario.column.items():
        if entry.hierarchy is not None:
            try:
                found[column] = scenario.as_written(
                    "hierarchy", read_source(entry.hierarchy, f"the hierarchy of {column}")
                )
                _rows_of(found[column])
            except InputError as error:
                problems += [f"{_place(column)}: {each}" for each in error.problems]
    problems.stop()
    return found


def groups_of(scenario: Scenario, column: str) -> Groups:
    """Return group -> levels of a column: the merged groups, or those at a step of its hierarchy.

    Raises InputError for an unreadable hierarchy, a missing step or group, or two parents.
    """
    entry = scenario.column[column]
    if entry.hierarchy is None or entry.step == 0:
        return entry.merge
    source, step, problems = files_of(scenario)[column], entry.step or 1, ProblemList()
    names, rows = _rows_of(source)
    if step >= len(names):
        raise InputError(
            f"{_place(column)}: {source.name} has {len(names) - 1} steps above the level; "
            f"there is no step {step}."
        )
    # Item n: a level (n = 0) or a group of step n -> its group of step n + 1.
    above: list[dict[str, str]] = [{} for _ in names[1:]]
    for line, row in rows:
        if len(row) != len(names) or not all(row[1:]):
            problems.append(
                f"{_place(column)}: line {line} of {source.name} leaves a level without a group."
            )
            continue
        for number, (lower, upper) in enumerate(pairwise(row)):
            if above[number].setdefault(lower, upper) != upper:
                what = "level" if number == 0 else f"group of step {number}"
                problems.append(
                    f"{_place(column)}: line {line} of {source.name} puts a {what} below a "
                    "second parent; keep one parent."
                )
    if not problems and not above[0]:
        problems.append(
            f"{_place(column)}: {source.name} has no lines below its header; it needs one for "
            "each level."
        )
    problems.stop()
    groups: dict[str, list[str]] = {}
    for level in above[0]:
        group = level
        for each in above[:step]:
            group = each[group]
        groups.setdefault(group, []).append(level)
    return {group: tuple(levels) for group, levels in groups.items()}


def _place(column: str) -> str:
    return f"column.{column}.hierarchy"


def _rows_of(source: Source) -> tuple[tuple[str, ...], list[tuple[int, list[str]]]]:
    """Return a hierarchy's column names, and (number of its last line, fields) of each row. Raises
    InputError if the source is not one CSV file.
    """
    if source.kind != "csv" or len(source.paths) != 1:
        raise InputError(
            f"{source.name} is not one CSV file; it needs a line for each level: level, "
            "group, group above."
        )
    header = read_header(source.paths[0], source)
    text = b"".join(utf8(source.paths[0], header, source.name)).decode()
    with long_fields():
        rows = csv.reader(
            StringIO(text, newline=""), delimiter=header.delimiter, **quoting(header.quote)
        )
        *_, names = islice(rows, header.skipped + 1)  # as written, without a name for row names
        first = 1 if len(names) > 1 and not names[0] else 0  # row names of R or a pandas index
        return tuple(names[first:]), [(rows.line_num, row[first:]) for row in rows if row]
