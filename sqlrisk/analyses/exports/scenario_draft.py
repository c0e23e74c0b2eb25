"""Survey files to draft a scenario: count every column, and guess its role.

All numbers are counts, computed in SQL (``column_counts.sql``, ``level_ideas.sql`` and
``uniques_together.sql`` in ``sql/tables``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqlrisk.analyses.preparation.encoding import record_unpacked
from sqlrisk.analyses.preparation.files import records_of, survey
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.columns.dictionary import LEFT_OUT, read_columns
from sqlrisk.inputs.columns.guesses import KEY, SENSITIVE, Content, Guess, by_name, guess, ideas
from sqlrisk.inputs.labels import merged
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.sources import Source, Synthesis, Tables, read_source, read_syntheses
from sqlrisk.plan import encoding
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.results.file_survey import NAMES_RECORDS, TOO_MANY_LEVELS, ColumnCounts, Look

KNOWN = 6  # maximum number of suggested keys. Further ones are only named.
KEYS = 4  # maximum number of keys if no column looks like one: those that single out most people
CANDIDATES = 8  # maximum number of columns to search for these keys, in 18 groupings of the records
Asking = Callable[[Sequence[Guess]], Mapping[str, str]]
"""Takes the columns whose role is uncertain, and returns the roles of some or all by name."""


def ask(
    original: Any,
    synthetic: Any,
    path: str | PathLike[str] | None,
    settings: Mapping[str, object],
    *,
    overwrite: bool,
    tables: Tables,
) -> tuple[Source, list[Synthesis], dict[str, dict[str, str]]]:
    """Return the original, the syntheses, and the CSV options among ``settings`` to read them with.

    The CSV options map a setting to its values by file name or role. ``path`` is the scenario file
    to write, or None. Raises InputError if this file exists and may not be overwritten, and for
    sources that a scenario file cannot name.
    """
    if original is None or synthetic is None:
        raise InputError("Name the original file, and at least one synthetic file.")
    if path is not None and Path(path).exists() and not overwrite:
        raise InputError(
            f"The file {fspath(path)!r} already exists. Name another, or add --overwrite "
            "(overwrite=True)."
        )
    source, syntheses = (
        read_source(original, "the original", tables=tables),
        read_syntheses(synthetic, tables=tables),
    )
    if any(
        each.frame is not None for each in (source, *(synthesis.source for synthesis in syntheses))
    ):
        raise InputError(
            "A scenario file can name only files and tables: give paths or names, not Python "
            "objects."
        )
    scenario = read(settings)
    ProblemList(scenario.names_no_file([source, *(each.source for each in syntheses)])).stop()
    source, syntheses = (
        scenario.as_written("original", source),
        scenario.syntheses_as_written(syntheses),
    )
    return source, syntheses, {name: own for name, own in scenario.written.items() if own}


def look(
    original: Source, syntheses: Sequence[Synthesis], session: Session, asking: Asking | None = None
) -> Look:
    """Count levels and people in each column of the files, and guess its role.

    ``asking`` takes the columns in doubt and returns roles. Raises InputError if a file cannot be
    read or has no records, or if no key or no target is left. Also raised if ``asking``
    returns an unknown role or another column.
    """
    sources = (original, *(synthesis.source for synthesis in syntheses))
    files, columns, apart = survey(sources, session.engine)
    if not columns:
        raise InputError(
            "No column is in all files with a type that they share, so there is nothing to score."
        )
    layout = Layout(Scenario(), tuple(files), tuple(columns), (), (), ())
    session.create(encoding.dictionaries(layout))
    records = records_of(files, session)
    ProblemList(
        f"{source.name} has no records."
        for source, count in zip(sources, records, strict=True)
        if not count
    ).stop()
    levels = {column.id: table("levels", column) for column in columns}
    sql = templates.stage(
        "tables/column_counts.sql", columns=columns, syntheses=files[1:], levels=levels
    )
    rows = {int(place): [int(count) for count in counted] for place, *counted in session.fetch(sql)}
    counts = [_counts(each, *rows[place]) for place, each in enumerate(columns)]
    people = replace(layout, files=layout.files[:1], records=records[:1])
    fitting, labels = _fitting(people, counts, levels, session), _labels(sources, session)
    contents = [
        Content(
            each.name, column.type or "", each.levels, each.unique,
            each.unique > NAMES_RECORDS * records[0], fit,
            labels.get(each.name, ""),
        )
        for each, column, fit in zip(counts, columns, fitting, strict=True)
    ]  # fmt: skip
    guesses = [guess(each) for each in contents]
    guesses = _proposed(guesses, people, counts, session)
    answers = (
        _answers(asking, [each for each in guesses if not each.sure]) if asking is not None else {}
    )
    guesses = [replace(each, role=answers.get(each.name, each.role)) for each in guesses]
    keys = [each.name for each in guesses if each.role == KEY]
    if not keys or all(each.role in (KEY, *LEFT_OUT) for each in guesses):
        what = "no column is left to be a target" if keys else "no column is a key"
        raise InputError(f"A scenario needs a key and a target: {what}.")
    _record(people, keys, session)
    names = [list(session.engine.columns(source)) for source in sources]
    own = {
        name: idea.role
        for name in names[0]
        if name in apart
        for idea, _ in [by_name(name)]
        if idea is not None
    }
    return Look(
        records,
        tuple(counts),
        apart,
        tuple(
            zip(
                keys,
                _unique_together(people, [keys[: end + 1] for end in range(len(keys))], session),
                strict=True,
            )
        ),
        tuple(guesses),
        answers,
        labels,
        tuple(name for name in apart if all(name in each for each in names)),
        own,
    )


def _counts(
    column: Column, levels: int, original: int, synthetic: int, missing: int, *others: int
) -> ColumnCounts:
    *missing_synthetic, unique = others
    kind = datatypes.family(column.type or "")
    return ColumnCounts(
        column.name, kind, levels, original, synthetic, missing, tuple(missing_synthetic), unique
    )


def _answers(asking: Asking, doubtful: Sequence[Guess]) -> dict[str, str]:
    """Ask for the roles of columns, and return the answers. Raises InputError for unknown roles,
    and for columns that are not in doubt.
    """
    given = asking(doubtful)
    entries = read_columns({name: {"role": role} for name, role in given.items()}, "ask")
    known = [each.name for each in doubtful]
    ProblemList(
        f"ask: {name!r} is not a column in doubt{suggestion(name, known)}."
        for name in given
        if name not in known
    ).stop()
    return {name: entry.role for name, entry in entries.items() if entry.role is not None}


def _fitting(
    layout: Layout, counts: Sequence[ColumnCounts], levels: Mapping[str, str], session: Session
) -> list[tuple[str, ...]]:
    """Return for each column the kinds of content (ideas, such as an age) that all its levels
    fit.
    """
    asked = [
        (column, place, number, idea)
        for place, column in enumerate(layout.keys)
        for number, idea in enumerate(ideas())
        if counts[place].levels >= idea.different and idea.asks_of(column.type or "")
    ]
    found = (
        session.fetch(templates.stage("tables/level_ideas.sql", asked=asked, levels=levels))
        if asked
        else []
    )
    fit = {
        (int(place), int(number))
        for place, number, fitting in found
        if int(fitting) == counts[int(place)].levels > 0
    }
    return [
        tuple(idea.name for number, idea in enumerate(ideas()) if (place, number) in fit)
        for place in range(len(layout.keys))
    ]


def _proposed(
    guesses: Sequence[Guess], layout: Layout, counts: Sequence[ColumnCounts], session: Session
) -> list[Guess]:
    """Choose the keys among the columns that people may know: one column of each idea (such as
    age), then a second one of each, and so on.

    If there are none, choose the columns that single out most people. One column is reserved as a
    target. Raises InputError if fewer than two columns are usable.
    """
    order = [idea.name for idea in ideas()]
    of_idea: dict[str, list[Guess]] = {}
    for each in guesses:
        if each.role == KEY:
            of_idea.setdefault(each.idea, []).append(each)
    turns = sorted(
        (turn, order.index(idea), each.name)
        for idea, several in of_idea.items()
        for turn, each in enumerate(several)
    )
    usable = [each.name for each in guesses if each.role not in LEFT_OUT]
    if len(usable) < 2:
        raise InputError(
            "A scenario needs a key and a target, but the files have fewer than two columns "
            "for them."
        )
    if turns:
        chosen = {name for *_, name in turns[: min(KNOWN, len(usable) - 1)]}
        return [
            replace(each, role=SENSITIVE, sure=False, further=True)
            if each.role == KEY and each.name not in chosen
            else each
            for each in guesses
        ]
    unknown = [each.name for each in guesses if each.role == SENSITIVE and not each.idea]
    singled = _greedy(
        layout,
        [each for each in counts if each.name in (unknown or usable)],
        len(usable) - 1,
        session,
    )
    why = "among the columns that single out most people"
    return [
        replace(each, role=KEY, idea=why, seen="", sure=False) if each.name in singled else each
        for each in guesses
    ]


def _greedy(
    layout: Layout, usable: Sequence[ColumnCounts], most: int, session: Session
) -> list[str]:
    """Choose keys one by one. Each time, take the column that makes most people unique together
    with the keys so far. Ties go to the column with most uniques of its own, then most levels.
    """
    known = [
        each for each in usable if not (each.is_numeric and each.levels > TOO_MANY_LEVELS)
    ] or usable
    candidates = [
        each.name
        for each in sorted(known, key=lambda each: (-each.unique, -each.levels))[:CANDIDATES]
    ]
    _record(layout, candidates, session)
    keys = [candidates.pop(0)]
    while candidates and len(keys) < min(KEYS, most):
        unique = _unique_together(layout, [[*keys, candidate] for candidate in candidates], session)
        keys.append(candidates.pop(unique.index(max(unique))))
    return keys


def _record(layout: Layout, names: Sequence[str], session: Session) -> None:
    """Make the table ``coded_records`` of the original for these columns, replacing an earlier
    one.
    """
    session.clear(keep=session.tables - {"coded_records"})
    record_unpacked(replace(layout, keys=tuple(layout.column(name) for name in names)), session)


def _unique_together(layout: Layout, sets: Sequence[Sequence[str]], session: Session) -> list[int]:
    """Return the number of people who are unique on each set of columns."""
    chosen = [[layout.column(name) for name in names] for names in sets]
    unique = sorted(
        session.fetch(
            templates.stage("tables/uniques_together.sql", sets=chosen, records="coded_records")
        )
    )
    return [int(count) for _, count in unique]


def _labels(sources: Sequence[Source], session: Session) -> dict[str, str]:
    """Return column -> label. If two files label a column, the earlier file wins."""
    labels: dict[str, str] = {}
    for source in sources:
        for name, said in merged(session.engine.labels(source)).items():
            if said.label:
                labels.setdefault(name, said.label)
    return labels
