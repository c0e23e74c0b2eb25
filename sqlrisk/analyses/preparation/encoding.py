"""The files as integers: dictionaries, class key, records, and in how many passes to count them. Where every run begins."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from sqlrisk.analyses import neighbours
from sqlrisk.analyses.preparation.files import lay_out, sources_of, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs.request import Question
from sqlrisk.plan import encoding
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import table
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Comparison, Layout, unpacked


def encode(
    question: Question, session: Session, *, numbered: bool = False, every_target: bool = True, whole_rows: bool = False
) -> Layout:
    """Make the dictionaries and return the layout with its class key; the choices are those of `lay_out`."""
    (layout,) = lay_out({"": question}, session.engine, numbered=numbered, every_target=every_target, whole_rows=whole_rows)
    session.engine.use_overrides(partial(own_sql, layout.counts, question.measures_from))
    session.create(encoding.encode(layout))
    return with_class_key(layout, session, sources_of(question))


def record_all(layout: Layout, session: Session) -> Sequence[KeyRange]:
    """Make the records, and choose the passes in which to count them."""
    session.create(encoding.record(layout, temporary=fits_in_memory(layout, session)))
    return choose_passes(layout, session)


def record_unpacked(layout: Layout, session: Session) -> Layout:
    """Make ``coded_records``, of which any keys are projected, and return their layout: each key has a column of its own."""
    coded = unpacked(layout)
    session.create(encoding.record(coded, temporary=fits_in_memory(coded, session), into="coded_records"))
    return coded


def size(layout: Layout) -> int:
    """Estimate the bytes that the records take."""
    numbers = 8 * (layout.files[0].record is not None)
    return sum(layout.records) * (4 + 8 * len(layout.key_columns) + 4 * len(layout.targets) + numbers)


def fits_in_memory(layout: Layout, session: Session) -> bool:
    """Return whether the records may stay in memory. Raises EngineError where there is no room on the disk either."""
    return session.engine.fits_in_memory(size(layout))


def choose_passes(layout: Layout, session: Session) -> Sequence[KeyRange]:
    """Choose the passes in which the records are counted, each of other classes, so that its groups fit the memory limit."""
    cell = _cell(layout, session)
    wanted = count_passes(layout, session, "records", cell)
    if wanted == 1:
        return (EVERY_CLASS,)
    lows = [int(low) for (low,) in session.fetch(encoding.pass_bounds(layout, wanted, cell))]
    return [KeyRange(low, high) for low, high in pairwise([None, *sorted(set(lows[1:])), None])]


def count_passes(layout: Layout, session: Session, recorded: str, cell: Sequence[str] | None = None) -> int:
    """Return in how many passes the records of a table are counted, as far as is known before keys are chosen."""
    by = _cell(layout, session) if cell is None else cell

    def groups() -> int:
        # Classes are no more than cells; with neighbours, people's cells once more.
        return session.engine.estimate_groups(recorded, by) * (4 if neighbours.sought(layout) else 2)

    columns = len(layout.files) + len(layout.key_columns) + len(layout.targets)
    return session.engine.passes(sum(layout.records), groups, columns=columns)


def _cell(layout: Layout, session: Session) -> list[str]:
    """Return the columns that tell cells apart: of the target with most estimated levels; none where only classes are counted."""
    sizes = {target: session.number(f"SELECT MAX(code) FROM {table('levels', target)}") for target in layout.targets}
    largest = sorted(layout.targets, key=sizes.__getitem__)[-1:]
    return [*layout.key_column_names, *(target.id for target in largest)]


def named(synthesis: str, layout: Layout) -> Comparison:
    """Return the comparison with the original's people by its label. Raises InputError with near labels."""
    labels = {comparison.label: comparison for comparison in layout.of_original}
    if synthesis not in labels:
        raise InputError(f"There is no synthesis {synthesis!r}{suggestion(synthesis, labels)}; there are {', '.join(labels)}.")
    return labels[synthesis]
