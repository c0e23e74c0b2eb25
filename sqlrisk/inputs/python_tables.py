"""Convert values of Python tables to text or numbers if no database has their type.

Intervals and periods become text, also as categories. Whole numbers beyond 64 bits become decimals
of up to 38 digits, and longer ones text. DuckDB's UHUGEINT and BIGNUM become text. A 2-byte float
becomes the number that its shortest text writes, like a 4-byte float. Other columns do not change.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

_PERIOD = "pandas.period"  # Arrow's name for periods of pandas
_WIDTH = 38  # maximum number of digits of a number in a database
_OF_PANDAS = (_PERIOD, "pandas.interval")
# Types of DuckDB that would be changed, or become text, on their way through Arrow.
_NO_NUMBERS = ("UHUGEINT", "BIGNUM")
_Convert = Callable[[Any], Any]  # a function from one Arrow array to another


def as_arrow_takes_it(frame: Any) -> Any:
    """Return a pandas or polars table, or a DuckDB relation, with only types that Arrow takes.

    The given table is not changed. Tables of other packages are returned as they are. Raises
    TypeError for objects in polars, since Arrow would get their memory addresses.
    """
    package = type(frame).__module__.partition(".")[0]
    if package == "pandas":
        taken = frame.copy(deep=False)
        for place in range(frame.shape[1]):
            column = frame.iloc[:, place]
            if (now := _of_pandas(column)) is not column:
                taken.isetitem(place, now)  # by position, because a name need not be text
        return taken
    if package == "polars":
        kinds = {name: str(kind) for name, kind in frame.schema.items()}
        if "Object" in kinds.values():
            raise TypeError("objects")
        return frame.with_columns(
            _of_polars(frame[name]) for name, kind in kinds.items() if kind in ("Int128", "UInt128")
        )
    if type(frame).__name__ == "DuckDBPyRelation" and any(
        str(kind) in _NO_NUMBERS for kind in frame.types
    ):
        names = ['"{}"'.format(name.replace('"', '""')) for name in frame.columns]
        chosen = [
            f"CAST({name} AS VARCHAR) AS {name}" if str(kind) in _NO_NUMBERS else name
            for name, kind in zip(names, frame.types, strict=True)
        ]
        return frame.project(", ".join(chosen))
    return frame


def _of_pandas(column: Any) -> Any:
    """Return a sparse pandas column, one of objects, or of categories of objects, converted for
    Arrow. Other columns are unchanged.
    """
    import pandas as pd

    if isinstance(column.dtype, pd.SparseDtype):
        return _of_pandas(column.sparse.to_dense())
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories.to_series()
        taken = _of_pandas(levels)
        return column if taken is levels else column.cat.rename_categories(list(taken))
    if column.dtype != object:
        return column
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("interval", "period"):
        return column.map(str, na_action="ignore")
    if kind == "integer":
        held = column.dropna()
        return _digits(column, int(held.min()), int(held.max()))
    return column


def _digits(column: Any, least: int, most: int) -> Any:
    """Return whole numbers beyond 64 bits as decimals, or as text if too long for a decimal.

    ``least`` and ``most`` are the minimum and maximum of the column. If both fit 64 bits, it stays.
    """
    from decimal import Decimal

    if least >= -(2**63) and most < 2**63:
        return column
    fit = max(-least, most) < 10**_WIDTH
    return column.map(
        lambda number: Decimal(int(number)) if fit else str(int(number)), na_action="ignore"
    )


def _of_polars(column: Any) -> Any:
    import polars as pl

    bounds = [abs(each) for each in (column.min(), column.max()) if each is not None]
    return column.cast(pl.Decimal(_WIDTH, 0) if max(bounds, default=0) < 10**_WIDTH else pl.String)


def of_a_database(reader: Any) -> Any:
    """Return a RecordBatchReader over the batches of another, with only types that a database has.

    Types of pandas, 2-byte floats and long numbers are converted. Decimals with over 38 digits and
    a fraction stay, although no database has them.
    """
    import pyarrow as pa

    found = [_plain(field.type) for field in reader.schema]
    if not any(found):
        return reader
    fields = [
        field if change is None else pa.field(field.name, change[0])
        for field, change in zip(reader.schema, found, strict=True)
    ]
    changed = [
        field.name for field, change in zip(reader.schema, found, strict=True) if change is not None
    ]
    schema = pa.schema(fields, _without(changed, reader.schema.metadata))

    def batches() -> Iterator[Any]:
        for batch in reader:
            arrays = [
                array if change is None else change[1](array)
                for array, change in zip(batch.columns, found, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def unread(schema: Any) -> list[str]:
    """Return the columns of an Arrow schema with pandas types that Arrow does not know.

    Empty if pandas is installed: if there are such columns, it is imported, and registers its types
    with Arrow.
    """
    columns = [
        field.name
        for field in schema
        if (field.metadata or {}).get(b"ARROW:extension:name", b"").decode() in _OF_PANDAS
    ]
    with suppress(ImportError):
        if columns:
            import pandas as pd
            import pyarrow as pa

            # pandas registers its types with Arrow when it first needs them.
            pa.array(pd.period_range("2020", periods=1))
            return []
    return columns


def parquet_periods(schema: bytes) -> dict[str, str]:
    """Return the columns of a Parquet file that are pandas periods, with their frequency.

    ``schema`` is the Arrow schema in the file's metadata, in base64. Raises ValueError if it is not
    a schema.
    """
    import pyarrow as pa

    try:
        return _periods(pa.ipc.read_schema(pa.py_buffer(b64decode(schema))))
    except (OSError, LookupError, TypeError, NotImplementedError) as error:
        raise ValueError(error) from None


def _periods(schema: Iterable[Any]) -> dict[str, str]:
    import pyarrow as pa

    found: dict[str, str] = {}
    for field in schema:
        if isinstance(field.type, pa.ExtensionType):  # if pandas is imported
            said = {
                "name": field.type.extension_name,
                "metadata": field.type.__arrow_ext_serialize__(),
            }
        else:
            said = {
                key: (field.metadata or {}).get(f"ARROW:extension:{key}".encode(), b"")
                for key in ("name", "metadata")
            }
            said["name"] = said["name"].decode()
        if said["name"] == _PERIOD:
            found[field.name] = str(json.loads(said["metadata"])["freq"])
    return found


def _without(changed: Sequence[str], metadata: Mapping[bytes, bytes] | None) -> dict[bytes, bytes]:
    """Return a table's metadata without pandas' descriptions of the changed columns."""
    kept = dict(metadata or {})
    if b"pandas" in kept:
        said = json.loads(kept[b"pandas"])
        said["columns"] = [each for each in said["columns"] if each["field_name"] not in changed]
        kept[b"pandas"] = json.dumps(said).encode()
    return kept


def _plain(kind: Any) -> tuple[Any, _Convert] | None:
    """Return the type that replaces an Arrow type, and the function that converts a column. None if
    the type stays.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        if (change := _plain(kind.value_type)) is None:
            return None
        plain, convert = change

        def of_levels(array: Any) -> Any:
            return pa.DictionaryArray.from_arrays(
                array.indices, convert(array.dictionary), ordered=kind.ordered
            )

        return pa.dictionary(kind.index_type, plain, ordered=kind.ordered), of_levels
    if getattr(kind, "extension_name", "") in _OF_PANDAS:
        return pa.string(), _texts
    if pa.types.is_float16(kind):
        return pa.float64(), _shortest
    if pa.types.is_decimal256(kind) and (kind.precision <= _WIDTH or kind.scale == 0):
        plain = (
            pa.decimal128(kind.precision, kind.scale) if kind.precision <= _WIDTH else pa.string()
        )
        return plain, lambda array: array.cast(plain)
    return None


def _texts(array: Any) -> Any:
    """Return pandas periods or intervals as text. Each distinct value is converted once."""
    import pandas as pd
    import pyarrow as pa

    levels = pd.Series(array.to_pandas()).astype("category").cat.rename_categories(str)
    return pa.array(levels.astype(object), pa.string(), from_pandas=True)


def _shortest(array: Any) -> Any:
    """Return 2-byte floats as the numbers that their shortest texts write."""
    import numpy as np
    import pyarrow as pa

    numbers = array.to_numpy(zero_copy_only=False).astype(np.float16)
    return pa.array(
        _of_two_bytes()[numbers.view(np.uint16)],
        mask=array.is_null().to_numpy(zero_copy_only=False),
    )


@cache
def _of_two_bytes() -> Any:
    """Return an array with the number that the shortest text of each of the 65,536 2-byte floats
    writes.
    """
    import numpy as np

    return np.arange(2**16, dtype=np.uint16).view(np.float16).astype(str).astype(np.float64)
