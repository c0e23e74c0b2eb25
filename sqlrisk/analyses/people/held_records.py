"""The risk of each record as a Python object. The rows stay in a private file and are read on
demand.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlrisk.common.temporary_files import TemporaryPath
from sqlrisk.engines.duckdb import private_folder
from sqlrisk.report.blocks import Block
from sqlrisk.report.columns import Row
from sqlrisk.report.formats.glance import MOST, glance
from sqlrisk.report.result import Frames, amount_of

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = "records.parquet"  # the file in the private folder


@contextmanager
def held(temp_directory: str | None) -> Iterator[TemporaryPath]:
    """Yield a private folder. If the block fails, remove it. Otherwise the object that gets the
    folder removes it later.
    """
    folder = private_folder(temp_directory)
    try:
        yield folder
    except BaseException:
        folder.remove()
        raise


class Records(Frames):
    """The risk of each record, as `sqlrisk.records` returns it without an output. It is microdata.

    The rows are in a private file, which is removed with this object. ``reader`` and functions that
    take an Arrow stream (``duckdb.from_arrow``, ``polars.DataFrame``) read them in pieces.
    ``to_arrow``, ``to_pandas`` and ``to_polars`` hold all rows in memory. ``len`` counts them.
    """

    def __init__(self, folder: TemporaryPath, count: int, assessment: list[Row]) -> None:
        self.assessment = assessment
        self._path = folder.path / ROWS
        self._count = count
        weakref.finalize(self, folder.remove)

    def __len__(self) -> int:
        return self._count

    def reader(self) -> "pa.RecordBatchReader":
        """Return the rows as a pyarrow RecordBatchReader, which holds one batch of rows at a
        time.
        """
        import pyarrow as pa
        from pyarrow import parquet

        # An open file can be read to its end even after this object is gone.
        file = parquet.ParquetFile(self._path)
        return pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        return self.reader().read_all()

    def _line(self) -> str:
        return f"<Records: {amount_of(self._count, 'row')}, microdata>"

    def _glance(self) -> Iterator[Block]:
        first = self.reader()
        rows = first.read_next_batch().slice(0, MOST).to_pylist() if self._count else []
        yield from glance(first.schema.names, [[*row.values()] for row in rows], self._count)
