"""The risk of each record as a Python object. The rows stay in a private file and are read on
demand.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.temporary_files import TemporaryPath
from sqlrisk.engines.duckdb import private_folder
from sqlrisk.report.blocks import Block
from sqlrisk.report.columns import Row
from sqlrisk.report.formats.glance import MOST, glance
from sqlrisk.report.result import Frames, amount_of, as_pandas

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ROWS = "records.parquet"  # the file in the private folder


@contextmanager
def held(temp_directory: str | None) -> Iterator[TemporaryPath]:
    """Yield a private folder in ``temp_directory``, by default in the system's temporary folder. If
    the block fails, remove it. Otherwise the object that gets the folder removes it later.
    """
    folder = private_folder(temp_directory)
    try:
        yield folder
    except BaseException:
        folder.remove()
        raise


class Records(Frames):
    """The risk of each record, as `sqlrisk.records` returns it without an output. It is microdata.

    It is a frame on disk: ``len`` and ``records["unique"]`` work as in pandas, and a loop gives
    rows as dicts. The private file is removed with this object. Loops, ``reader`` and functions
    that take an Arrow stream (``polars.DataFrame``) read it in pieces. ``to_arrow``, ``to_pandas``
    and ``to_polars`` hold all rows in memory.
    """

    def __init__(self, folder: TemporaryPath, count: int, assessment: list[Row]) -> None:
        self.assessment = assessment
        self._path = folder.path / ROWS
        self._count = count
        weakref.finalize(self, folder.remove)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.reader():
            yield from batch.to_pylist()

    def __getitem__(self, column: str) -> "pd.Series[Any]":
        if not isinstance(column, str):
            raise InputError(
                "records[...] takes the name of one column. To select rows or several columns, "
                "call to_pandas() or to_polars() first."
            )
        if column not in self.columns:
            near = suggestion(column, self.columns) or f"; there are {', '.join(self.columns)}"
            raise InputError(f"The records have no column {column!r}{near}.")
        # If asked for "a.b", read also returns a nested column "a" with a field "b".
        frame: pd.DataFrame = as_pandas(self._file().read(columns=[column]))
        return frame[column]

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        names: list[str] = self._file().schema_arrow.names
        return names

    def head(self, rows: int = 5) -> "pd.DataFrame":
        """Return the first rows as a pandas DataFrame."""
        return as_pandas(self._first(rows))

    def reader(self) -> "pa.RecordBatchReader":
        """Return the rows as a pyarrow RecordBatchReader, which holds one batch at a time."""
        import pyarrow as pa

        file = self._file()
        return pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        return self.reader().read_all()

    def _file(self) -> Any:
        """Open the file. It can be read to its end even after this object is gone."""
        from pyarrow import parquet

        # With a buffer, the whole file is read ahead and stays in memory.
        return parquet.ParquetFile(self._path, pre_buffer=False)

    def _first(self, rows: int) -> "pa.Table":
        import pyarrow as pa

        reader = self.reader()
        found = reader.schema.empty_table()
        for batch in reader:
            found = pa.concat_tables([found, pa.Table.from_batches([batch])])
            if len(found) >= rows:
                break
        return found.slice(0, rows)

    def _line(self) -> str:
        rows = amount_of(self._count, "row")
        return f"<Records: {rows} of {len(self.columns)} columns, microdata>"

    def _glance(self) -> Iterator[Block]:
        first = self._first(MOST).to_pylist()
        yield from glance(self.columns, [[*row.values()] for row in first], self._count)
