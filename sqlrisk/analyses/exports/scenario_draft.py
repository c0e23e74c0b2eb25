"""A first look at files, for the draft of a scenario: counts of every column, and which few columns single most people out.

All numbers are SQL (``sql/tables/column_counts.sql``, ``sql/tables/uniques_together.sql``), and all are counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sqlrisk.analyses.preparation.encoding import record_unpacked
from sqlrisk.analyses.preparation.files import records_of, survey
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.sources import Source, Synthesis, read_source, read_syntheses
from sqlrisk.plan import encoding
from sqlrisk.plan.columns import table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.results.file_survey import NAMES_RECORDS, TOO_MANY_LEVELS, ColumnCounts, Look

KEYS = 4  # suggested at most
CANDIDATES = 8  # columns among which they are looked for: 18 groupings of the original's records


def ask(
    original: Any,
    synthetic: Any,
    path: str | PathLike[str] | None,
    settings: Mapping[str, object],
    *,
    overwrite: bool,
    tables: bool,
) -> tuple[Source, list[Synthesis], dict[str, dict[str, str]]]:
    """Return the sources to look at, all of which a file can name, and what ``settings`` say of how they are written.

    Raises InputError where ``path`` is there already.
    """
    if original is None or not synthetic:
        raise InputError("Name the original file, and at least one synthetic file.")
    if path is not None and Path(path).exists() and not overwrite:
        raise InputError(f"The file {fspath(path)!r} is there already; name another, or say --overwrite (overwrite=True).")
    source, syntheses = read_source(original, "the original", tables=tables), read_syntheses(synthetic, tables=tables)
    if any(each.frame is not None for each in (source, *(synthesis.source for synthesis in syntheses))):
        raise InputError("A scenario file names files or tables: give their paths or names, not what they hold.")
    scenario = read(settings)
    ProblemList(scenario.names_no_file([source, *(each.source for each in syntheses)])).stop()
    source, syntheses = scenario.as_written("original", source), scenario.syntheses_as_written(syntheses)
    return source, syntheses, {name: own for name, own in scenario.written.items() if own}


def look(original: Source, syntheses: Sequence[Synthesis], session: Session) -> Look:
    """Look at the columns of an original and its syntheses.

    Raises InputError for a file that cannot be read or has no records, and where fewer than two columns could be keys or targets.
    """
    sources = (original, *(synthesis.source for synthesis in syntheses))
    files, columns, apart = survey(sources, session.engine)
    if not columns:
        raise InputError("No column is in all files with a type that they share: there is nothing to ask about.")
    layout = Layout(Scenario(), tuple(files), tuple(columns), (), (), ())
    session.create(encoding.dictionaries(layout))
    records = records_of(files, session)
    ProblemList(f"{source.name} has no records." for source, count in zip(sources, records, strict=True) if not count).stop()
    levels = {column.id: table("levels", column) for column in columns}
    sql = templates.stage("tables/column_counts.sql", columns=columns, syntheses=files[1:], levels=levels)
    rows = {int(place): [int(count) for count in counted] for place, *counted in session.fetch(sql)}
    counts = [ColumnCounts(each.name, datatypes.family(each.type or ""), *rows[place]) for place, each in enumerate(columns)]
    names_records = tuple(each.name for each in counts if each.unique > NAMES_RECORDS * records[0])
    usable = [each for each in counts if each.name not in names_records]
    if len(usable) < 2:
        raise InputError("A scenario needs a key and a target: fewer than two columns of the files can be one.")
    keys = _greedy(replace(layout, records=records[:1]), usable, session)
    return Look(records, tuple(counts), apart, tuple(keys), names_records)


def _greedy(layout: Layout, usable: Sequence[ColumnCounts], session: Session) -> list[tuple[str, int]]:
    """Choose keys, one after the other: always the one with which most people are alone; of equal ones that with most levels."""
    known = [each for each in usable if not (each.is_numeric and each.levels > TOO_MANY_LEVELS)] or usable
    ranked = sorted(known, key=lambda each: (-each.unique, -each.levels))[:CANDIDATES]
    candidates = [layout.column(each.name) for each in ranked]
    people = replace(layout, files=layout.files[:1], keys=tuple(candidates))
    record_unpacked(people, session)
    keys = [candidates.pop(0)]
    found = [(keys[0].name, ranked[0].unique)]
    while candidates and len(keys) < min(KEYS, len(usable) - 1):
        sets = [[*keys, candidate] for candidate in candidates]
        sql = templates.stage("tables/uniques_together.sql", sets=sets, records="coded_records")
        unique = {int(place): int(count) for place, count in session.fetch(sql)}
        best = max(unique, key=lambda place: (unique[place], -place))
        keys.append(candidates.pop(best))
        found.append((keys[-1].name, unique[best]))
    return found
