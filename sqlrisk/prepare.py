"""From a question to a layout: which columns, of which common type, with how many levels. The only facts a plan needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlrisk import datatypes
from sqlrisk.engines import Engine
from sqlrisk.errors import InputError
from sqlrisk.layout import Column, File, Layout, compare, pack, table
from sqlrisk.question import Question
from sqlrisk.render import quote
from sqlrisk.scenario import Scenario
from sqlrisk.sources import Source
from sqlrisk.suggest import suggestion


def lay_out(question: Question, engine: Engine) -> Layout:
    """Columns and files of a question, with the types that all files share; still without the class key.

    Raises:
        InputError: a column that a file lacks, a type that cannot be counted or cannot meet another, a level that cannot be
            one of its column.
    """
    sources = (question.original, *(synthesis.source for synthesis in question.syntheses))
    names = [list(engine.columns(source)) for source in sources]
    scenario = _with_targets(question.scenario, names)
    _check_columns(scenario, sources, names)
    wanted = [*scenario.keys, *scenario.targets]
    files = []
    for number, source in enumerate(sources):
        relation, kinds = engine.attach(source, wanted, f"source_{number}")
        files.append(File(number, relation, kinds))
    files, kinds = _meet(wanted, files, sources)
    keys = _columns("k", scenario.keys, scenario, kinds)
    targets = _columns("t", scenario.targets, scenario, kinds)
    layout = Layout(scenario, tuple(files), keys, targets, compare(question.syntheses, files), question.computed)
    _check_levels(layout)
    _check_exact(layout, engine, sources)
    return layout


def with_class_key(layout: Layout, engine: Engine, sources: Sequence[Source]) -> Layout:
    """The layout with its class key, once the dictionaries are made.

    Raises:
        InputError: a file without records, or an excluded level that does not occur.
    """
    counts = engine.run("SELECT " + ", ".join(file.count for file in layout.files) + " FROM files")[0]
    problems = [f"{source.label!r} has no records." for source, count in zip(sources, counts, strict=True) if not count]
    for column, texts in _typed_levels(layout.scenario, layout):
        for text in texts:
            (found,) = engine.run(f"SELECT COUNT(*) FROM {table('levels', column)} AS levels WHERE {column.matches(text)}")[0]
            if not found:
                problems.append(f"The column {column.name!r} has no level {text!r} in any file.")
    if problems:
        raise InputError(problems)
    sizes = [int(str(engine.run(f"SELECT MAX(code) + 1 FROM {table('levels', key)}")[0][0])) for key in layout.keys]
    return replace(layout, limbs=pack(layout.keys, sizes))


def sources_of(question: Question) -> tuple[Source, ...]:
    """The original, then the syntheses, in the order of the layout's files."""
    return (question.original, *(synthesis.source for synthesis in question.syntheses))


def _with_targets(scenario: Scenario, names: Sequence[Sequence[str]]) -> Scenario:
    """The scenario with its targets: by default every column that all files have and that is no key."""
    if scenario.targets:
        return scenario
    targets = tuple(name for name in names[0] if name not in scenario.keys and all(name in each for each in names[1:]))
    if not targets:
        raise InputError("No column besides the keys is in all files: there is no target to protect. Name targets with --targets.")
    settings = {**scenario.settings(), "targets": targets}
    from sqlrisk.scenario import read

    return read(settings)


def _check_columns(scenario: Scenario, sources: Sequence[Source], names: Sequence[Sequence[str]]) -> None:
    problems = []
    for setting in ("keys", "targets"):
        for column in getattr(scenario, setting):
            lacking = [source.label for source, known in zip(sources, names, strict=True) if column not in known]
            near = suggestion(column, dict.fromkeys(name for known in names for name in known))
            if len(lacking) == len(sources):
                problems.append(f"{setting}: no file has a column {column!r}{near}.")
            else:
                problems += [f"{setting}: {label!r} has no column {column!r}{near}." for label in lacking]
    if problems:
        raise InputError(problems)


def _meet(wanted: Sequence[str], files: Sequence[File], sources: Sequence[Source]) -> tuple[list[File], dict[str, str]]:
    """The files with settled CSV types, and the one type of every column."""
    problems: list[str] = []
    kinds: dict[str, str] = {}
    settled = [dict(file.types) for file in files]
    for name in wanted:
        # A CSV column is text that looks like numbers: where another file holds the column as text, it is text here too.
        if any(each[name] == "VARCHAR" or each[name].startswith("ENUM") for each in settled):
            for each, source in zip(settled, sources, strict=True):
                each[name] = "VARCHAR" if source.kind == "csv" else each[name]
        nested = [source.label for source, each in zip(sources, settled, strict=True) if datatypes.is_nested(each[name])]
        if nested:
            problems.append(f"The column {name!r} of {nested[0]!r} holds lists or structures; score it as plain columns.")
            continue
        kind = datatypes.common([each[name] for each in settled])
        if kind is None:
            seen = dict.fromkeys(
                f"{datatypes.family(each[name])} in {source.label!r}" for source, each in zip(sources, settled, strict=True)
            )
            problems.append(f"The column {name!r} has types that cannot meet: {', '.join(seen)}. Store it alike in all files.")
        else:
            kinds[name] = kind
    if problems:
        raise InputError(problems)
    return [replace(file, types=each) for file, each in zip(files, settled, strict=True)], kinds


def _columns(role: str, names: Sequence[str], scenario: Scenario, kinds: Mapping[str, str]) -> tuple[Column, ...]:
    problems = [f"bins: {name!r} is {datatypes.family(kinds[name])}; only numbers can be binned." for name in names if name in scenario.bins and not datatypes.is_numeric(kinds[name])]
    if problems:
        raise InputError(problems)
    columns = []
    for number, name in enumerate(names, start=1):
        column = Column(role, number, name, kinds[name], scenario.bins.get(name))
        special = tuple(column.level(text) for text in scenario.special.get(name, ()))
        columns.append(replace(column, special=special))
    return tuple(columns)


def _typed_levels(scenario: Scenario, layout: Layout) -> list[tuple[Column, list[str]]]:
    """The levels that the user typed, by column."""
    typed = [(layout.column(name), list(levels)) for name, levels in scenario.exclude_level.items()]
    for pair in scenario.exclude_pair:
        typed += [(layout.column(pair.target), [pair.target_level]), (layout.column(pair.key), [pair.key_level])]
    return typed


def _check_levels(layout: Layout) -> None:
    problems: list[str] = []
    for column, texts in _typed_levels(layout.scenario, layout):
        for text in texts:
            try:
                column.matches(text)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def _check_exact(layout: Layout, engine: Engine, sources: Sequence[Source]) -> None:
    """Whole numbers that meet floats must be small enough for a float to hold each of them."""
    problems: list[str] = []
    for column in layout.columns:
        limit = datatypes.EXACT_INTEGERS.get(column.type or "")
        for file, source in zip(layout.files, sources, strict=True):
            if limit is not None and datatypes.is_whole(file.types[column.name]):
                name = quote(column.name)
                (beyond,) = engine.run(f"SELECT COUNT(*) FROM {file.relation} WHERE {name} > {limit} OR {name} < -{limit}")[0]
                if beyond:
                    problems.append(
                        f"The column {column.name!r} has whole numbers in {source.label!r} that are too large to meet "
                        f"{column.type} in another file exactly. Store it alike in all files."
                    )
    if problems:
        raise InputError(problems)
