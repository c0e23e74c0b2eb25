"""Ids, and aligned files: each synthetic record was made from one person, who is at the same row
of the original or has the same id.
"""

from collections.abc import Sequence

from sqlrisk.common.errors import ProblemList
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.plan.columns import Column, File


def line_up(
    scenario: Scenario, files: Sequence[File], sources: Sequence[str], engine: Engine
) -> Column | None:
    """Check that each synthetic record belongs to one person, by row or by id as the scenario says.

    Returns the id column, or None if the files are aligned by row. ``sources`` are the names of the
    files in messages, by file number. Raises InputError if the files have different lengths, or an
    id is missing, shared by several records, or not in the original and all syntheses. Messages
    show counts but no id.
    """
    original, syntheses = files[0], [file for file in files if file.synthetic]
    problems = ProblemList()
    counts = {
        file.number: _ask(engine, "COUNT(*)", file.relation)[0] for file in (original, *syntheses)
    }
    people = counts[0]
    if scenario.id is None:
        problems += [
            f"aligned: {sources[0]} has {people:,} records and {sources[file.number]} has "
            f"{counts[file.number]:,}; record i of each must be made from the same person. Give "
            "aligned files, or name the column that says which is whose: --id."
            for file in syntheses
            if counts[file.number] != people
        ]
        problems.stop()
        return None
    name = scenario.id
    kind = datatypes.shared(
        name, [(file.types[name], sources[file.number]) for file in (original, *syntheses)]
    )
    column = Column("i", 1, name, kind).with_missing(scenario.missing_in(name))
    for file in (original, *syntheses):
        problems += _unidentified("aligned", column, file, sources[file.number], engine)
    problems.stop()
    ids = [
        f"(SELECT {column.value_in(file)} AS id FROM {file.relation}) AS ids_{file.number}"
        for file in (original, *syntheses)
    ]
    for file, own in zip(syntheses, ids[1:], strict=True):
        records = counts[file.number]
        shared = _ask(
            engine, "COUNT(*)", f"{ids[0]} JOIN {own} ON ids_0.id = ids_{file.number}.id"
        )[0]
        if not people == shared == records:
            problems.append(
                f"aligned: {people - shared:,} of the {people:,} ids in the column {name!r} of "
                f"{sources[0]} are not in {sources[file.number]}, and {records - shared:,} of its "
                f"{records:,} are not in {sources[0]}; every person needs one record in each file."
            )
    problems.stop()
    return column


def require_identified(scenario: Scenario, original: File, source: str, engine: Engine) -> None:
    """Check that the scenario's id column, if any, identifies each person, because the risk of a
    record is joined to other tables by it.

    Raises InputError if an id is missing or shared by several records. Messages show counts but no
    id.
    """
    if scenario.id is None:
        return
    name = scenario.id
    column = Column("i", 0, name, original.types[name]).with_missing(scenario.missing_in(name))
    advice = " Give another column, or leave out the id."
    ProblemList(
        problem + advice for problem in _unidentified("id", column, original, source, engine)
    ).stop()


def _unidentified(
    setting: str, column: Column, file: File, source: str, engine: Engine
) -> list[str]:
    """Return messages about records without an id and ids that several records share."""
    value = column.value_in(file)
    records, known, distinct = _ask(
        engine, f"COUNT(*), COUNT({value}), COUNT(DISTINCT {value})", file.relation
    )
    problems = []
    if known < records:
        problems.append(
            f"{setting}: {records - known:,} of the {records:,} records of {source} have no id in "
            f"the column {column.name!r}; every record needs one."
        )
    if distinct < known:
        problems.append(
            f"{setting}: the column {column.name!r} of {source} has {distinct:,} different ids for "
            f"{known:,} records; each record needs one of its own."
        )
    return problems


def _ask(engine: Engine, counts: str, relation: str) -> tuple[int, ...]:
    return engine.run(f"SELECT {counts} FROM {relation}")[0]
