"""Read tables of the user's session, and files that workers can reach, as frames with DuckDB
types.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.sql import types as kinds

from sqlrisk.common import lake_tables
from sqlrisk.common.errors import InputError
from sqlrisk.engines.translated import missing_table
from sqlrisk.inputs.datatypes import INSTANT
from sqlrisk.inputs.sources import Source, partitions

BYTES_OF = "{} COLLATE UTF8_BINARY"
# Spark's names of types -> DuckDB's. An instant is read as its time in UTC.
_TYPES: dict[str, str] = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER",
    "bigint": "BIGINT", "float": "FLOAT",
    "double": "DOUBLE", "string": "VARCHAR", "date": "DATE", "timestamp": INSTANT,
    "timestamp_ntz": "TIMESTAMP",
    "void": '"NULL"', "struct": "STRUCT", "array": "LIST", "map": "MAP", "variant": "VARIANT",
}  # fmt: skip
_PLAIN_PATH = re.compile(r"[\w /=+@,.-]+")  # Spark takes other characters for patterns


def table(user: Any, source: Source) -> Any:
    """Return a table of the user's session, or Parquet files at an address. Raises InputError if
    that fails.
    """
    remote = "://" in source.label
    if remote:
        _refuse_lake(user, source)
    try:
        frame = user.read.parquet(source.label) if remote else user.table(source.label)
        _ = frame.schema  # Spark Connect reports errors only now
    except ParseException:
        raise InputError(
            f"{source.name} is not a valid table name; write schema.table, in backquotes "
            "where needed."
        ) from None
    except AnalysisException as error:
        if remote:
            raise InputError(
                f"{source.name} cannot be read: Spark finds no Parquet files there."
            ) from None
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
            raise InputError(
                f"{source.name} cannot be read by Spark ({error.getCondition()})."
            ) from None
        raise missing_table(
            source, [row.tableName for row in user.sql("SHOW TABLES").collect()]
        ) from None
    return frame


def _refuse_lake(user: Any, source: Source) -> None:
    """Raise InputError for the folder of a Delta or Iceberg table, whose files also hold records
    that were deleted.
    """
    for inside, kind in (
        (lake_tables.LOG, "a Delta"),
        (f"*/*{lake_tables.METADATA}", "an Iceberg"),
    ):
        try:
            _ = user.read.text(f"{source.label.rstrip('/')}/{inside}").schema
        except PySparkException:
            continue  # no such path, or nothing to read: then reading the files says so
        raise InputError(
            f"{source.name} is the folder of {kind} table, whose files also hold deleted records. "
            "Name the table of your session's catalog."
        )


def types_of(frame: Any) -> dict[str, str]:
    """Return the DuckDB types of a frame's columns."""
    return {field.name: _named(field.dataType) for field in frame.schema}


def files(session: Any, source: Source, types: Mapping[str, str]) -> Any:
    """Return Parquet files as a frame. None if Spark cannot read them, or if it finds other types
    than ``types``, those of DuckDB by column.
    """
    try:
        frame = session.read.parquet(*(f"file:{Path(path).absolute()}" for path in source.paths))
        seen = types_of(frame)
    except PySparkException:
        return None
    return frame if all(seen.get(column) == kind for column, kind in types.items()) else None


def is_plain(source: Source, columns: Sequence[str]) -> bool:
    """Return True if Spark can read the files directly.

    This requires no columns in folder names, no patterns in paths, and equal types in all parts.
    """
    paths = [Path(path).absolute() for path in source.paths]
    if partitions(source) or not all(
        _PLAIN_PATH.fullmatch(str(path)) and path.name[0] not in "._" for path in paths
    ):
        return False
    try:
        schemas = [pq.read_schema(path) for path in source.paths]
        return (
            len({tuple(str(schema.field(column).type) for column in columns) for schema in schemas})
            == 1
        )
    except (pa.ArrowException, OSError, KeyError):
        return False  # DuckDB reports the error later


def compared(frame: Any, columns: Mapping[str, str]) -> Any:
    """Return columns of a frame in the form that is compared (see `_value`)."""
    return frame.selectExpr(
        *(
            f"{_value(field)} AS {quote(field.name)}"
            for field in frame.schema
            if field.name in columns
        )
    )


def quote(name: str) -> str:
    """Return a name in backquotes, as Spark SQL quotes identifiers."""
    return "`" + name.replace("`", "``") + "`"


def _named(kind: kinds.DataType) -> str:
    """Return DuckDB's name for a type."""
    if isinstance(kind, kinds.DecimalType):
        return f"DECIMAL({kind.precision},{kind.scale})"
    plain = re.split(r"[(< ]", kind.simpleString())[0]
    return _TYPES.get("string" if plain in ("char", "varchar") else plain, plain.upper())


def _value(field: kinds.StructField) -> str:
    """Return a column as it is compared: a text by its bytes, an instant by its time in UTC."""
    name = quote(field.name)
    if isinstance(field.dataType, kinds.StringType) and "collate" in field.dataType.simpleString():
        return BYTES_OF.format(name)
    if isinstance(field.dataType, kinds.TimestampType):
        return f"CAST({name} AS TIMESTAMP_NTZ)"
    return f"CAST({name} AS STRING)" if isinstance(field.dataType, kinds.NullType) else name
