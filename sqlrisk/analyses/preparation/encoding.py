"""Encode the files as integers: dictionaries, class keys, records, and the passes that count the
records. Every run starts here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

from sqlrisk.analyses.preparation.files import lay_out, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs.request import Question
from sqlrisk.plan import encoding
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Comparison, Layout, taken, unpacked
from sqlrisk.plan.steps import Step
from sqlrisk.plan.subsets.nearness import sought
from sqlrisk.plan.totals import TOGETHER

MOST_RANGES = 256  # maximum number of ranges of class keys. Each pass counts one range or more.
# Maximum number of parts of the records, each with its own files. 256 parts take twice as long to
# write. With few parts a pass reads too many records.
MOST_PARTS = 32


def encode(
    question: Question,
    session: Session,
    *,
    numbered: bool = False,
    every_target: bool = True,
    whole_rows: bool = False,
) -> Layout:
    """Make the dictionaries, and return the layout with its class key.

    The options are passed to `lay_out`. A session that keeps its tables opens the files only once,
    all of them. It numbers the records if they have an order or an id, because a later question may
    need the numbers. Raises the errors of `lay_out` and `with_class_key`, and InputError if a later
    question needs numbers that the session lacks.
    """
    opened = replace(question, **session.beside)
    if session.keeps:
        # A table without an id has no order to number its records by.
        ordered = all(source.kind != "table" for source in opened.sources)
        numbered = numbered or ordered or question.scenario.id is not None
        whole_rows = bool(question.syntheses)
    if session.layout is not None:
        scenario = replace(session.layout.scenario, measures=question.scenario.measures)
        layout = replace(
            session.layout,
            scenario=scenario,
            measures=taken(question.computed, session.layout.targets),
        )
        if numbered and layout.files[0].record is None:
            raise InputError(
                f"The records of the table {question.original.name} have no order to number them "
                "by: name a column that identifies them with id when you make the Release."
            )
    else:
        (layout,) = lay_out(
            {"": opened},
            session.engine,
            numbered=numbered,
            every_target=every_target,
            whole_rows=whole_rows,
        )
    session.engine.use_overrides(partial(own_sql, layout.counts, question.measures_from))
    session.create(encoding.encode(layout))
    if session.layout is not None:
        return layout
    layout = with_class_key(layout, session, checked=question.checked)
    if session.keeps:
        session.layout = layout
    return layout


def record_all(layout: Layout, session: Session) -> Sequence[KeyRange]:
    """Make the records, and choose the passes in which to count them.

    Records that do not fit in memory are written in parts, if the database can, so that each pass
    reads only its own part.
    """
    fits = fits_in_memory(layout, session)
    lows = [] if fits or not session.engine.keeps_parts else _split(layout, session)
    size = ceil((len(lows) + 1) / MOST_PARTS)  # ranges per part
    session.create(records(layout, session, in_memory=fits, lows=lows[size - 1 :: size]))
    return _passes_of_parts(lows, size, layout, session) if lows else choose_passes(layout, session)


def _split(layout: Layout, session: Session) -> list[int]:
    """Return the class keys at which the second and later ranges of records begin. Empty if one
    pass is enough.
    """
    ranges = min(_passes(layout, session, lambda: sum(layout.records)), MOST_RANGES)
    if ranges == 1:
        return []
    shares = [encoding.SAMPLED / max(1, records) for records in layout.records]
    samples = [
        session.writer().sample(file.relation, f"sample_{file.number}", share)
        for file, share in zip(layout.files, shares, strict=True)
    ]
    return _lows(encoding.part_bounds(layout, ranges, samples), session)


def _passes_of_parts(
    lows: Sequence[int], size: int, layout: Layout, session: Session
) -> Sequence[KeyRange]:
    """Choose the passes over records that are written in parts of ``size`` ranges each.

    ``lows`` are the class keys at which the second and later ranges begin. Neighboring ranges that
    fit in memory together are one pass.
    """
    ranges = list(pairwise([None, *lows, None]))
    count = ceil(len(ranges) / size)
    # All ranges have about the same number of cells, so the middle part stands for the others.
    session.read_parts("records", {"some_records": [count // 2]})
    cell = _cell(layout)
    passes = _passes(
        layout, session, lambda: session.engine.estimate_groups("some_records", cell) * count
    )
    together = max(1, len(ranges) // passes)
    # Ranges that are read together are those of one part, or of several whole parts.
    read = size * max(1, together // size)
    parts = {
        f"part_{first // read + 1}": range(first, min(first + read, len(ranges)))
        for first in range(0, len(ranges), read)
    }
    session.read_parts(
        "records",
        {name: sorted({each // size for each in inside}) for name, inside in parts.items()},
    )
    counted = [
        (name, inside[start : start + together])
        for name, inside in parts.items()
        for start in range(0, read, together)
    ]
    return [KeyRange(ranges[run[0]][0], ranges[run[-1]][1], name) for name, run in counted if run]


def record_unpacked(layout: Layout, session: Session) -> Layout:
    """Make ``coded_records``, with one column per key, and return its layout. Any subset of the
    keys can be selected from it.
    """
    coded = unpacked(layout)
    fits = fits_in_memory(coded, session)
    session.create(records(coded, session, in_memory=fits, into="coded_records"))
    return coded


def records(layout: Layout, session: Session, **how: Any) -> Iterator[Step]:
    """Yield the steps that write the records in the way of the session's engine. ``how`` is passed
    to `sqlrisk.plan.encoding.record`.
    """
    engine = session.engine
    return encoding.record(layout, joins=engine.joins(), lists=engine.searches_lists, **how)


def size(layout: Layout) -> int:
    """Estimate the size of the records in bytes."""
    numbers = 8 * (layout.files[0].record is not None)
    return sum(layout.records) * (
        4 + 8 * len(layout.key_columns) + 4 * len(layout.targets) + numbers
    )


def fits_in_memory(layout: Layout, session: Session) -> bool:
    """Return True if the records may stay in memory. Raises EngineError if they may not and the
    disk has no room.
    """
    return session.engine.fits_in_memory(size(layout))


def choose_passes(layout: Layout, session: Session) -> Sequence[KeyRange]:
    """Choose passes over ranges of class keys, so that the groups of each fit the memory limit."""
    cell = _cell(layout)
    wanted = count_passes(layout, session, "records", cell)
    if wanted == 1:
        return (EVERY_CLASS,)
    lows = _lows(encoding.pass_bounds(layout, wanted, cell), session)
    return [KeyRange(low, high) for low, high in pairwise([None, *lows, None])]


def _lows(bounds: str, session: Session) -> list[int]:
    """Return the class keys at which passes or parts begin, without the first one, in ascending
    order.

    ``bounds`` is the query of where each pass or part begins, lowest first.
    """
    return sorted({int(low) for (low,) in session.fetch(bounds)[1:]})


def count_passes(
    layout: Layout, session: Session, recorded: str, cell: Sequence[str] | None = None
) -> int:
    """Estimate the number of passes that count the records of a table. ``cell`` has the columns of
    a group, by default those of `_cell`.
    """
    by = _cell(layout) if cell is None else cell
    return _passes(layout, session, lambda: session.engine.estimate_groups(recorded, by))


def _passes(layout: Layout, session: Session, cells: Callable[[], int]) -> int:
    """Return the number of passes that count the records, given a function that estimates the
    number of cells.
    """
    # There are at most as many classes as cells. Neighbors, or records within a tolerance, need
    # the people's cells again.
    times = 4 if sought(layout) or layout.scenario.near_keys else 2
    columns = len(layout.files) + len(layout.key_columns) + min(len(layout.targets), TOGETHER)
    return session.engine.passes(sum(layout.records), lambda: times * cells(), columns=columns)


def _cell(layout: Layout) -> list[str]:
    """Return the columns that identify a cell of the target with most levels, or a class if there
    is no target.
    """
    largest = sorted(layout.targets, key=lambda target: layout.codes[target.id])[-1:]
    return [*layout.key_column_names, *(target.id for target in largest)]


def named(synthesis: object, layout: Layout) -> Comparison:
    """Return the comparison of the original's people that has this label, which may be a number.
    Raises InputError with similar labels if there is none.
    """
    labels = {comparison.label: comparison for comparison in layout.of_original}
    label = str(synthesis)
    if label not in labels:
        raise InputError(
            f"There is no synthesis {label!r}{suggestion(label, labels)}; there are "
            f"{', '.join(labels)}."
        )
    return labels[label]
