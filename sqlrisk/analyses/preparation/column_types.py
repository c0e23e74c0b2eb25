"""Find one common type per column over all files, and the levels and numbers that do not fit it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from sqlrisk.analyses.preparation import recodes
from sqlrisk.analyses.preparation.opening import labels_by_column
from sqlrisk.catalogue.templates import quote
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import datatypes, tolerances
from sqlrisk.inputs.columns.level_orders import KEEPING, order_of
from sqlrisk.inputs.csv_files.numbers import first_text, is_one
from sqlrisk.inputs.labels import merged
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Source, texts_of_folders
from sqlrisk.plan.columns import Column, File


def settled_types(
    files: Sequence[File],
    sources: Sequence[Source],
    engine: Engine,
    asked: Collection[str],
    dated: Collection[str] = (),
) -> list[File]:
    """Return the files with the final types of CSV columns.

    A CSV column is read as text, or as numbers if all its texts are numbers. If another file stores
    the column as text, it is text in the CSV file too. Text columns from folder names are treated
    likewise.

    In the columns ``asked`` for, texts that are all dates or times become dates or times if every
    typed file stores the column as dates or times. Likewise for booleans. In ``dated`` columns,
    dates are also found if no typed file has the column. If only CSV files have the column,
    `_kinds_of_instants` says when texts become instants (times with a zone).
    """
    settled = [dict(file.types) for file in files]
    folders = [texts_of_folders(sources[file.number], file.types) for file in files]
    for name in dict.fromkeys(chain(*settled)):
        own = [
            (each, file.relation, sources[file.number].kind == "csv" or name in folder)
            for each, file, folder in zip(settled, files, folders, strict=True)
            if name in each
        ]
        if not any(datatypes.is_text(each[name]) for each, _, _ in own):
            continue
        kept = [
            engine.as_text(table).get(name, each[name]) for each, table, text in own if not text
        ]
        read = [
            (each, table) for each, table, text in own if text and datatypes.is_text(each[name])
        ]
        kinds = _kinds_of_text(kept, dated=name in dated) if name in asked else ()
        if name in asked and not kinds and len(read) == len(own):
            kinds = _kinds_of_instants(name, [table for _, table in read], engine)
        for each, table in read if kinds else ():
            each[name] = engine.held_texts(table, name, engine.text_type(table, name, kinds))
        for each, _, text in own:
            if text and not kinds:
                each[name] = "VARCHAR"
    return [replace(file, types=each) for file, each in zip(files, settled, strict=True)]


_TIMES = ("DATE", "TIMESTAMP", datatypes.INSTANT)


def _kinds_of_text(kept: Sequence[str], *, dated: bool) -> tuple[str, ...]:
    """Return the types that a CSV column may get besides text, or none.

    ``kept`` are the types of the column in typed files. ``dated`` is True if texts may
    become dates without a typed file.
    """
    known = [kind for kind in kept if kind != '"NULL"']
    if bool(known or dated) and all(kind in _TIMES or datatypes.is_date(kind) for kind in known):
        return _TIMES
    return ("BOOLEAN",) if known and all(kind == "BOOLEAN" for kind in known) else ()


def _kinds_of_instants(name: str, tables: Sequence[str], engine: Engine) -> tuple[str, ...]:
    """Return the types for a column that only CSV files have, if all texts of one file are
    instants. Otherwise return no types.

    In each other file, all texts must be dates or times. Those without a zone cannot be compared
    with instants, and a later check reports them.
    """
    found = [engine.text_type(table, name, (datatypes.INSTANT,)) for table in tables]
    if datatypes.INSTANT not in found:
        return ()
    others = [table for table, kind in zip(tables, found, strict=True) if kind != datatypes.INSTANT]
    return (
        ()
        if any(engine.text_type(table, name, _TIMES) == "VARCHAR" for table in others)
        else _TIMES
    )


def text_among_numbers(
    files: Sequence[File], sources: Sequence[Source], names: Iterable[str], engine: Engine
) -> dict[str, list[str]]:
    """Return messages about numeric columns that would become text because a CSV file has other
    text in them, by column name.

    As text, 1.0 is not 1. So text among numbers is refused in two cases: another file has only
    numbers, or the files write a number in different ways. It is allowed if a typed file holds
    text, a value is a code such as 007, or less than 10 % of a file's texts are numbers.
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        own = [(file, sources[file.number]) for file in files if name in file.types]
        texts = [(file, source) for file, source in own if datatypes.is_text(file.types[name])]
        numbers = [source.name for file, source in own if datatypes.is_numeric(file.types[name])]
        if (
            not texts
            or len(texts) + len(numbers) < 2
            or any(source.kind != "csv" for _, source in texts)
        ):
            continue
        if engine.text_among_numbers([file.relation for file, _ in texts], name, apart=not numbers):
            why = (
                f"{numbers[0]} holds only numbers"
                if numbers
                else "the files write some of the numbers in different ways"
            )
            found[name] = [_among_numbers(name, source, why) for _, source in texts]
    return found


def _among_numbers(name: str, source: Source, why: str) -> str:
    place, text = first_text(source, name)
    return (
        f"The column {name!r} of {source.name} holds numbers and other text, the first in "
        f"{place}, while {why}: as text, 1.0 and 1 are two levels. "
        f"{_with_comma(source, text)}If that text means a missing value, name it, as in --missing "
        'NA (missing=["NA"]). Otherwise correct the line, or, if the text belongs there, give a '
        "Parquet file, where the column is text."
    )


def columns_of(
    scenario: Scenario,
    wanted: Collection[str],
    files: Sequence[File],
    sources: Sequence[Source],
    engine: Engine,
) -> tuple[dict[str, Column], list[str]]:
    """Return the keys and targets in ``wanted`` by name, and messages about unusable columns and
    typed levels.
    """
    columns: dict[str, Column] = {}
    problems = ProblemList()
    for role, names in (("k", scenario.keys), ("t", scenario.targets)):
        for number, name in enumerate(names, start=1):
            if name in wanted:
                with problems:
                    columns[name] = labelled(
                        shared_column(role, number, name, scenario, files, sources, engine),
                        sources,
                        engine,
                    )
    for setting, column, text in typed_levels(scenario, columns):
        try:
            column.matches(text)
        except InputError as error:
            problems += [f"{setting}: {problem}" for problem in error.problems]
    for column in columns.values():
        for file, source in (
            (each, sources[each.number]) for each in files if column.name in each.types
        ):
            for beyond, says in _inexact(column, file, source.name):
                if (
                    beyond
                    and engine.run(f"SELECT COUNT(*) FROM {file.relation} WHERE {beyond}")[0][0]
                ):
                    problems.append(says)
    return columns, problems


def shared_column(
    role: str,
    number: int,
    name: str,
    scenario: Scenario,
    files: Sequence[File],
    sources: Sequence[Source],
    engine: Engine,
) -> Column:
    """Return a key or target with the type that all files share. Raises InputError if they share
    none.

    ``role`` (k or t) and ``number`` make the id of the column. A universe has no targets, so its
    type counts only for keys.
    """
    known = [(file, sources[file.number]) for file in files if role != "t" or not file.universe]
    kinds = [file.types[name] for file, _ in known]
    told = [engine.as_text(file.relation).get(name, file.types[name]) for file, _ in known]
    if any(map(datatypes.is_text, told)) and _with_codes(name, sources, engine):
        remedy = (
            f"If the text is labels of codes, say so: --column {name}.codes=labels. Otherwise "
            "store it alike in all files."
        )
    else:
        remedy = f"{_what_is_text(name, known)}Store it alike in all files."
    for each in (told, kinds) if told != kinds else (kinds,):
        shared = datatypes.shared(
            name, list(zip(each, (source.name for _, source in known), strict=True)), remedy
        )
    labels = labels_of(name, sources, engine) if name in scenario.special else {}
    return column_of(role, number, name, scenario, shared, labels)


# How CSV files must write the values of typed files.
_WRITTEN = {
    "dates": "Dates are written 2021-03-31 in CSV",
    "times": "Times are written 2021-03-31 10:15:00 in CSV",
    "times with a zone": (
        "Times with a zone are written 2021-03-31 10:15:00+02:00 in CSV, or with Z"
    ),
    "true and false": "True and false are written true and false in CSV, or T and F",
    "whole numbers": "Numbers are written 12 or -3.5 in CSV",
    "numbers": "Numbers are written 12 or -3.5 in CSV",
}
_KINDS = {
    "dates": "DATE",
    "times": "TIMESTAMP",
    "times with a zone": datatypes.INSTANT,
    "true and false": "BOOLEAN",
}


def _what_is_text(name: str, known: Sequence[tuple[File, Source]]) -> str:
    """Return a sentence that says where a CSV file first has a text that does not fit the type of
    other files. Return "" if no CSV file has text, or if no other file has a type that text could
    fit.
    """
    texts = [
        source
        for file, source in known
        if source.kind == "csv" and datatypes.is_text(file.types[name])
    ]
    others = [datatypes.in_words(file.types[name]) for file, _ in known]
    other = next((each for each in others if each in _WRITTEN), None)
    if not texts or other is None:
        return ""
    place, text = first_text(texts[0], name, _KINDS.get(other, "DOUBLE"))
    comma = _with_comma(texts[0], text) if other.endswith("numbers") else ""
    return (
        f"{_WRITTEN[other]}; the first text of {texts[0].name} in another form is in {place}. "
        f"{comma}"
    )


def _with_comma(source: Source, text: str) -> str:
    """Return advice to declare a decimal comma if the text is a number with one, otherwise ""."""
    if source.csv.decimal == "," or "," not in text or not is_one(text, "DOUBLE", ","):
        return ""
    return f"If its decimals follow a comma, say so: --decimal {Path(source.label).name}=,. "


def _with_codes(name: str, sources: Sequence[Source], engine: Engine) -> bool:
    """Return True if a file has labels for a column that is compared by code."""
    return name not in engine.by_label and name in labels_by_column(sources, engine)


def labelled(column: Column, sources: Sequence[Source], engine: Engine) -> Column:
    """Return the column with the labels of its levels and their order, both as the files declare
    them.
    """
    labels = labels_of(column.name, sources, engine)
    column = column.with_labels(labels) if labels else column
    keeping = [source for source in sources if source.kind in KEEPING]
    return column.with_order(order_of(column.name, keeping)) if keeping else column


def attach_labels(columns: Iterable[Column], engine: Engine) -> None:
    """Load the labels of columns, and the orders of their values, as tables named by a hash of
    their content.
    """
    labels, orders = {}, {}
    for column in columns:
        if column.label_table is not None:
            labels[column.label_table] = column.labels
        if column.order_table is not None:
            orders[column.order_table] = column.order
    for name, named in labels.items():
        attach_levels(
            name,
            {"level": [level for level, _ in named], "label": [label for _, label in named]},
            engine,
        )
    for name, order in orders.items():
        attach_levels(name, {"level": list(order), "place": list(range(1, len(order) + 1))}, engine)


def attach_levels(name: str, values: Mapping[str, Sequence[object]], engine: Engine) -> None:
    """Load levels as a table. SQL that is recorded then names only this table, and shows no level.

    ``values`` maps the columns of the table to their values.
    """
    import pyarrow as pa

    frame = pa.table(dict(values))
    engine.attach(Source(name, "frame", frame=frame, role="the labels"), frame.column_names, name)


def labels_of(name: str, sources: Sequence[Source], engine: Engine) -> dict[str, str]:
    """Return level -> label over all files. If two files label a level differently, the earlier
    file wins.

    If two levels have the same label, the level is added in parentheses. Empty if the column is
    compared by label.
    """
    labels: dict[str, str] = {}
    for source in sources:
        own = merged(engine.labels(source)).get(name)
        labels = {**(own.values if own and name not in engine.by_label else {}), **labels}
    counts = Counter(labels.values())
    return {
        level: label if counts[label] == 1 else f"{label} ({level})"
        for level, label in labels.items()
    }


def column_labels(
    columns: Iterable[Column], scenario: Scenario, sources: Sequence[Source], engine: Engine
) -> dict[str, str]:
    """Return column -> label: the user's label, otherwise the label in the first file that has
    one.
    """
    files = [merged(engine.labels(source)) for source in sources]
    found = {}
    for name in (column.name for column in columns):
        said = scenario.column[name].label if name in scenario.column else None
        labels = (said, *(file[name].label for file in files if name in file))
        if label := next(filter(None, labels), None):
            found[name] = label
    return found


def comparable(names: Sequence[str], files: Sequence[File], scenario: Scenario) -> Iterator[Column]:
    """Yield a column for each name that all files have and whose types have a common type. Nested
    types have none. The scenario says which texts stand for missing values.
    """
    for number, name in enumerate(names, start=1):
        kinds = [file.types.get(name, "") for file in files]
        if (
            all(kinds)
            and not any(map(datatypes.is_nested, kinds))
            and (kind := datatypes.common(kinds))
        ):
            yield Column("a", number, name, kind).with_missing(scenario.missing_in(name))


def column_of(
    role: str,
    number: int,
    name: str,
    scenario: Scenario,
    kind: str | None,
    labels: Mapping[str, str],
    *,
    hierarchies: bool = True,
) -> Column:
    """Return a key or target as a column of the type ``kind``. None stands for an unknown type.
    Special levels may be typed as ``labels`` (level -> label), which the column itself lacks.

    Without ``hierarchies``, hierarchy files are not read (their levels must exist). Raises
    InputError if the type does not allow the given bins, recodes, special levels or tolerance.
    """
    aged = name in scenario.column and scenario.column[name].age_at
    if name in scenario.bins and kind is not None and not datatypes.is_numeric(kind) and not aged:
        raise InputError(f"bins: {name!r} is {datatypes.family(kind)}; only numbers can be binned.")
    column = Column(role, number, name, kind, scenario.bins.get(name)).with_missing(
        scenario.missing_in(name)
    )
    if name in scenario.recoded:
        column = recodes.recoded(column, scenario, hierarchies=hierarchies)
    told = column.with_labels(labels)
    column = replace(
        column, special=tuple(told.level(text) for text in scenario.special.get(name, ()))
    )
    if name not in scenario.within:
        return column
    given = scenario.within[name], scenario.within_floor.get(name)
    return replace(column, tolerance=tolerances.tolerance(name, kind, *given, column.special))


def typed_levels(
    scenario: Scenario, columns: Mapping[str, Column]
) -> list[tuple[str, Column, str]]:
    """List (setting, column, text) of the levels that the user typed in exclusions."""
    typed = [
        ("exclude_level", name, level)
        for name, levels in scenario.exclude_level.items()
        for level in levels
    ]
    for pair in scenario.exclude_pair:
        typed += [
            ("exclude_pair", pair.target, pair.target_level),
            ("exclude_pair", pair.key, pair.key_level),
        ]
    return [(setting, columns[name], text) for setting, name, text in typed if name in columns]


def _inexact(column: Column, file: File, source: str) -> Iterator[tuple[str | None, str]]:
    """Yield (SQL condition, message) for each reason why numbers of a column cannot be counted
    exactly.

    The condition holds for a number that has the problem. It is None if the column cannot have it.
    """
    name, value, kind = quote(column.name), column.value_in(file), file.types[column.name]
    # Exact numbers compared with floats must be so small that a float holds the whole ones exactly.
    most = datatypes.EXACT_INTEGERS.get(column.type or "")
    large = most and datatypes.is_exact(kind) and datatypes.digits(kind)[0] >= len(str(most))
    beyond = f"{name} > {most} OR {name} < -{most}" if large else None
    found = (
        f"The column {column.name!r} has {datatypes.in_words(kind)} in {source} that are too large "
        f"to be compared with {column.type} in another file"
    )
    yield beyond, f"{found} exactly. Store it alike in all files."
    # Breaks of bins are DOUBLE. A number with more digits could fall on the wrong side of a break.
    beyond = datatypes.beyond_double(kind, name) if column.bins else None
    found = f"bins: {column.name!r} has numbers in {source} with more digits than bins can have"
    yield beyond, f"{found}, {datatypes.EXACT_DIGITS}. Store it with fewer."
    # Numbers must leave room for the decimal places of their tolerance.
    room = column.tolerance.limit if column.tolerance else None
    beyond = f"{value} >= {room} OR {value} <= -{room}" if room else None
    found = (
        f"within: {column.name!r} has numbers in {source} that are too large to be compared "
        "exactly with the decimal places"
    )
    yield (
        beyond,
        f"{found} of the tolerance. Write the tolerance with fewer, or store the column as DOUBLE.",
    )
