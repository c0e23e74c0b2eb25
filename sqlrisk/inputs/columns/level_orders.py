"""The order of levels in Python tables and Arrow files: ordered categories, Enum, dictionaries."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from sqlrisk.common import objects
from sqlrisk.inputs import python_tables
from sqlrisk.inputs.labels import code_text
from sqlrisk.inputs.sources import Source

KEEPING = ("frame", "arrow")  # kinds of sources that keep an order
MOST = 1000  # maximum number of levels whose order is kept. More are numbered in sorted order.


def order_of(column: str, sources: Sequence[Source]) -> tuple[str, ...]:
    """Return the levels of a column as texts, in the order of the first source that has one.

    The sources are of kinds that keep an order. Empty if none has an order, or if there are more
    than `MOST` levels.
    """
    levels = next(filter(None, (_levels(source, column) for source in sources)), [])
    return tuple(map(code_text, levels)) if len(levels) <= MOST else ()


def _levels(source: Source, column: str) -> list[Any]:
    """Return the levels of a column in order. Empty if the source has no column of this name, or
    its levels have no order.
    """
    first = (
        _of_arrow_file(source.paths[0], column)
        if source.kind == "arrow"
        else _of_frame(source.frame, column)
    )
    if first is None or not _is_ordered(first.schema.field(0).type):
        return []
    # Convert levels to the form in which they are counted.
    (first,) = python_tables.of_a_database(first.to_reader()).read_all().columns
    return [
        level
        for chunk in first.unify_dictionaries().chunks[:1]
        for level in chunk.dictionary.to_pylist()
        if level is not None
    ]


def _is_ordered(kind: Any) -> bool:
    """Return True if an Arrow type stores ordered levels."""
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def _of_frame(frame: Any, column: str) -> Any:
    """Return an Arrow table of one column with its levels, perhaps with only its first record.

    None if the table lacks the column, or is not a pandas, polars or Arrow table. Also None for a
    polars column of another type than Enum or Categorical.
    """
    import pyarrow as pa

    package = type(frame).__module__.partition(".")[0]
    if package == "pandas":
        places = [place for place, name in enumerate(frame.columns) if str(name) == column]
        if not places:
            return None
        first = frame.iloc[:1, places].reset_index(drop=True)  # Arrow would add another index
        return pa.table(python_tables.as_arrow_takes_it(first))
    if package == "polars":
        query = frame.lazy()  # a query stays one, and only this column is computed
        kind = str(query.collect_schema().get(column))
        if kind.startswith(("Enum", "Categorical")):
            return pa.table(query.select(column).head(1).collect())
        return None
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if isinstance(frame, pa.Table) and column in frame.column_names:
        return frame.select([column])
    return None


def _of_arrow_file(path: str, column: str) -> Any:
    """Return an Arrow table of one column of a file's first batch. None if the file lacks the
    column, or its levels have no order.
    """
    import pyarrow as pa

    with objects.stream(path) if objects.is_address(path) else pa.memory_map(path) as file:
        try:
            batches = pa.ipc.open_file(file)
            several = (batches.get_batch(number) for number in range(batches.num_record_batches))
        except pa.ArrowInvalid:
            file.seek(0)
            batches = several = pa.ipc.open_stream(file)
        if column not in batches.schema.names or not _is_ordered(batches.schema.field(column).type):
            return None
        return pa.Table.from_batches(islice(several, 1), batches.schema).select([column])
