"""Copy Parquet files and tables with all columns and Arrow types, and leave out or flag some
records.

The engine would change some types (times in milliseconds, categories, decimals with many digits)
and drop the pandas metadata. A copy is read and written in pieces.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sqlrisk.common import disk
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.engines import frames
from sqlrisk.inputs import python_tables
from sqlrisk.inputs.sources import NO_VALUE, Source, partitions

_PIECE = 2**17  # records per piece
_BUFFER = 2**20  # bytes of a column read at a time, for row groups of any size
_FOLDER_TYPES = {"BIGINT": pa.int64(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us")}
_FOLDER = re.compile(r"([^/=]+)=([^/]+)/")


def held(source: Source) -> Source:
    """Return the source, with a table held in Python converted to an Arrow table, which can be read
    repeatedly.

    Raises InputError if the table cannot be converted.
    """
    if source.kind != "frame":
        return source
    try:
        table = pa.table(python_tables.as_arrow_takes_it(frames.whole(source.frame)))
        # Convert it as for counting, so that the file gives the same numbers as the table.
        table = python_tables.of_a_database(table.to_reader()).read_all()
        fields = [each.with_type(_without_view(each.type)) for each in table.schema]
        return replace(source, frame=table.cast(pa.schema(fields, table.schema.metadata)))
    except (TypeError, ValueError, OverflowError, NotImplementedError, pa.ArrowException):
        raise InputError(
            f"{source.name} cannot be written: a column holds values of mixed types, or of a type "
            "that no file has. Make it one type, for example text."
        ) from None


def _without_view(kind: Any) -> Any:
    """Return an Arrow type without views, also of categories: pyarrow may not write them."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type), kind.ordered)
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    return views.get(str(kind), kind)


def kept(source: Source) -> Source:
    """Return the source, with a stream converted to an Arrow table (see `held`), since a stream can
    be read only once. A table held in Python counts as a stream if it has no length.
    """
    streamed = hasattr(source.frame, "__arrow_c_stream__") and not hasattr(source.frame, "__len__")
    return held(source) if streamed else source


def copy(
    source: Source,
    path: str,
    left_out: Callable[[int, int], Sequence[int]],
    *,
    folder_types: Mapping[str, str],
    folder_value: Callable[[str, str], object],
    flag: str | None = None,
    label: tuple[str, str] | None = None,
    progress: Callable[[int], None] = lambda _records: None,
) -> int:
    """Copy a Parquet source or an Arrow table to a Parquet file in the same order. Return the
    number of records read.

    Raises InputError if the source cannot be copied, EngineError if the file cannot be written, and
    OSError if the disk is full.

    Args:
        left_out: takes a first and a last record number (from 1), and returns the numbers in this
            range of the records to leave out.
        folder_types: the engine's types of columns that are encoded in folder names.
        folder_value: takes the name of a column in folder names and its text, and returns the
            engine's value.
        flag: the name of a new column that is true for the records in ``left_out``. They are then
            kept.
        label: the name of a new column, and its text in every record.
        progress: called with the number of records read so far.
    """
    read = 0
    try:
        schema = _schema(source, folder_types)
        added = [
            *([pa.field(flag, pa.bool_())] if flag else []),
            *([pa.field(label[0], pa.string())] if label else []),
        ]
        with pq.ParquetWriter(path, pa.schema([*schema, *added], schema.metadata)) as writer:
            for piece in _pieces(source, schema, folder_value):
                hit = np.zeros(piece.num_rows, dtype=bool)
                hit[
                    np.asarray(left_out(read + 1, read + piece.num_rows), dtype=np.int64) - read - 1
                ] = True
                read += piece.num_rows
                table = (
                    piece.append_column(added[0], pa.array(hit))
                    if flag
                    else piece.filter(pa.array(~hit))
                )
                if label:
                    table = table.append_column(added[-1], pa.repeat(label[1], table.num_rows))
                writer.write_table(table)
                progress(read)
    except OSError as error:
        if error.errno is None:
            raise InputError(_unreadable(source)) from None
        if disk.is_full(error):  # reported by the caller, who knows the name of the output
            raise
        raise EngineError(
            f"The output cannot be written ({os.strerror(error.errno)}): check its folder and disk."
        ) from None
    except pa.ArrowException:
        raise InputError(_unreadable(source)) from None
    return read


def _unreadable(source: Source) -> str:
    if source.kind == "frame":
        return (
            f"{source.name} cannot be written as Parquet: it holds a type that a file cannot "
            "hold. Convert that column to another type."
        )
    several = " or its parts have different types for a column" if len(source.paths) > 1 else ""
    return f"The Parquet {source.name} cannot be copied: it is broken{several}. Write it again."


def _schema(source: Source, folder_types: Mapping[str, str]) -> Any:
    """Return the Arrow schema of the whole source, including columns from folder names. If its
    parts have different types for a column, the column has the type that holds both.
    """
    if source.kind == "frame":
        return source.frame.schema
    schemas = [pq.read_schema(path) for path in source.paths]
    whole = schemas[0]
    if not all(each.equals(whole) for each in schemas):
        whole = pa.unify_schemas(schemas, promote_options="permissive").with_metadata(
            whole.metadata
        )
    for name in partitions(source):
        if name not in whole.names:
            whole = whole.append(pa.field(name, _FOLDER_TYPES.get(folder_types[name], pa.string())))
    return whole


def _pieces(
    source: Source, schema: Any, folder_value: Callable[[str, str], object]
) -> Iterator[Any]:
    """Yield the source in order, as tables with this schema. ``folder_value`` fills columns from
    folder names.
    """
    if source.kind == "frame":
        for start in range(0, source.frame.num_rows, _PIECE):
            yield source.frame.slice(start, _PIECE)
        return
    for path in source.paths:
        folders = {
            name: pa.scalar(
                None if text == NO_VALUE else folder_value(name, unquote(text)),
                schema.field(name).type,
            )
            for name, text in _FOLDER.findall(Path(path).as_posix())
            if name in partitions(source)
        }
        # With pre_buffer, the whole file is read ahead and stays in memory.
        with pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
            for batch in file.iter_batches(_PIECE):
                piece = pa.Table.from_batches([batch])
                for name in partitions(source):
                    if name not in piece.column_names:
                        piece = piece.append_column(name, pa.repeat(folders[name], piece.num_rows))
                piece = piece.select(schema.names)
                yield piece if piece.schema.equals(schema) else piece.cast(schema)
