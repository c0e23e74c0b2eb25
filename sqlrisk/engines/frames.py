"""Python tables for a database: their columns, a stream of their rows, and columns that cannot be
read.
"""

from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from sqlrisk.catalogue.templates import quote
from sqlrisk.common.errors import InputError, SqlriskError
from sqlrisk.engines.formats import streams
from sqlrisk.inputs import python_tables
from sqlrisk.inputs.sources import Source, is_dataset, is_lazy


def names(source: Source) -> list[str]:
    """Return the column names of a table. Raises InputError if it has none, or if it is a polars
    query that fails.
    """
    import pyarrow as pa

    frame = source.frame
    try:
        if is_dataset(frame):
            return list(
                (frame.schema if hasattr(frame, "schema") else frame.projected_schema).names
            )
        if is_lazy(frame):
            return list(_of_query(frame.collect_schema).names())
        found = (
            frame.schema.names
            if isinstance(frame, pa.Table | pa.RecordBatch | pa.RecordBatchReader)
            else list(frame.columns)
        )
        return [str(name) for name in found]
    except AttributeError:
        pass
    try:
        return [str(name) for name in pa.RecordBatchReader.from_stream(frame).schema.names]
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError(
            f"The {type(frame).__name__} of {source.name} is not a table with named columns."
        ) from None


def _of_query(run: Callable[[], Any]) -> Any:
    """Return the result of a polars query. Raises InputError if the query fails."""
    try:
        return run()
    except Exception as error:
        raise _failed("polars", "collect()", error) from None


def _failed(library: str, run: str, error: Exception) -> InputError:
    """Return the error for a query that failed, without the library's message, which may quote
    values. ``run`` is the method that runs the query.
    """
    return InputError(
        f"The {library} query failed ({type(error).__name__}): run it yourself with {run} to see "
        "why."
    )


def whole(frame: Any) -> Any:
    """Return a table with all its columns. An Arrow dataset or a polars query is first read into
    memory.
    """
    if is_dataset(frame):
        return frame.to_table()
    return _of_query(frame.collect) if is_lazy(frame) else frame


def narrow(frame: Any, columns: Sequence[str]) -> Any:
    """Return the table with only the wanted columns, so that no other column or index gets in the
    way.
    """
    if type(frame).__module__.partition(".")[0] == "pandas":
        known = {str(name): place for place, name in reversed([*enumerate(frame.columns)])}
        places = [known[column] for column in columns]
        return frame.iloc[:, places].set_axis(list(columns), axis=1).reset_index(drop=True)
    if isinstance(frame, streams.Stored):
        return frame.select(columns)
    if is_dataset(frame):  # the columns of a scanner are fixed
        scanner = (
            frame.scanner(columns=list(columns), **streams.AHEAD)
            if hasattr(frame, "scanner")
            else frame
        )
        return scanner.to_reader()
    if is_lazy(frame):  # reads only what is asked for
        return whole(frame.select(columns))
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return frame.project(", ".join(map(quote, columns)))
    if type(frame).__module__.partition(".")[0] in ("polars", "pyarrow") and hasattr(
        frame, "select"
    ):
        return frame.select(columns)
    return frame


def stream(source: Source, columns: Sequence[str]) -> Any:
    """Return the requested columns as a stream of Arrow batches, with types that databases have.

    Raises TypeError if a column cannot be converted.
    """
    import pyarrow as pa

    try:
        taken = python_tables.as_arrow_takes_it(narrow(source.frame, columns))
        found = python_tables.of_a_database(pa.RecordBatchReader.from_stream(taken))
    except (SqlriskError, MemoryError):
        raise
    except (duckdb.DataError, duckdb.OperationalError) as error:
        raise _failed("DuckDB", "fetchall()", error) from None
    except Exception as error:  # each library raises its own errors, which may quote values
        raise TypeError(type(error).__name__) from None
    kinds = [
        field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        for field in found.schema
    ]
    if any(map(pa.types.is_decimal256, kinds)):  # DuckDB would round them
        raise TypeError("digits")
    return found


def is_foreign(source: Source, column: str) -> bool:
    """Return True if DuckDB cannot read a column of a frame as an Arrow column."""
    try:
        stream(source, [column])
    except TypeError:
        return True
    return False


def unreadable(source: Source, columns: Sequence[str]) -> list[str]:
    """Return a message for each column of a frame that cannot be read."""
    return [
        f"The column {column!r} of {source.name} holds values of mixed types, or of a type that no "
        "database has. Make it one type, for example text."
        for column in columns
        if is_foreign(source, column)
    ] or [f"{source.name} cannot be read as a table."]
