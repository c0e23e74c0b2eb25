"""A table of values as CSV, JSON, Arrow or Parquet."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


Row = Sequence[object]


def to_json(document: object) -> str:
    """Return JSON text that ends with a line break. Dates become ISO text."""
    return json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return CSV text with a header. A missing value is an empty field, an empty text is quoted. In
    a file of one column both are ``""``, because readers skip empty lines.
    """
    lines = [columns, *rows]
    return "".join((",".join(map(_field, line)) or '""') + "\n" for line in lines)


def csv_line(value: object) -> object:
    """Return a list as one CSV line without line break. Return anything else unchanged."""
    if not isinstance(value, list):
        return value
    return ",".join(
        '"' + each.replace('"', '""') + '"' if set(each) & set(',"=\r\n') else each
        for each in map(str, value)
    )


def to_arrow(
    columns: Sequence[str], rows: Sequence[Row], types: Mapping[str, str | None] | None = None
) -> "pa.Table":
    """Return a pyarrow table. ``types`` maps columns to names of Arrow types, such as double. A
    column without a type, or with None, gets one from its values.
    """
    import pyarrow as pa

    arrays = []
    for position, column in enumerate(columns):
        values = [row[position] for row in rows]
        wanted = types.get(column) if types else None
        if wanted is not None:
            kind = pa.type_for_alias(wanted)
            values = [_number(v, wanted) for v in values]
        elif (kind := _holding(values)) == pa.string():
            values = [None if v is None else str(plain(v)) for v in values]
        arrays.append(pa.array(values, type=kind))
    return pa.Table.from_arrays(arrays, names=list(columns))


def _holding(values: Sequence[object]) -> "pa.DataType | None":
    """Return a type that holds all values of a column, or None if Arrow itself finds one. Whole
    numbers beyond 64 bits are decimals, as in `sqlrisk.inputs.python_tables`.
    """
    import pyarrow as pa

    if len({type(value) for value in values if value is not None}) > 1:
        return pa.string()  # a column of levels and bins can only be text
    whole = [value for value in values if isinstance(value, int)]
    if all(-(2**63) <= value < 2**63 for value in whole):
        return None
    return pa.decimal128(38) if all(abs(value) < 10**38 for value in whole) else pa.string()


def to_parquet(table: "pa.Table") -> bytes:
    """Return a table as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def plain(value: object) -> object:
    """Return a value in JSON types: text, numbers, booleans, None, lists, and dicts with text keys.

    NaN becomes None, infinity and other types become text, bytes become hexadecimal digits.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _field(value: object) -> str:
    # Before Python 3.12 the csv module writes None and '' alike.
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if text and not any(character in text for character in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _number(value: object, wanted: str) -> object:
    return float(value) if wanted == "double" and isinstance(value, int) else value
