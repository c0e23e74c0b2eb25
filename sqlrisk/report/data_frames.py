"""Results as the data frames that people work with: an Arrow table, as pandas or polars."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from sqlrisk.common.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Frames(ABC):
    """What has rows as an Arrow table has them as a pandas and as a polars DataFrame, with the same columns."""

    @abstractmethod
    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows of ``to_arrow`` as a pandas DataFrame; what is missing is pandas.NA, never NaN."""
        import pandas as pd
        import pyarrow as pa

        nullable = {
            pa.string(): pd.StringDtype(),
            pa.float64(): pd.Float64Dtype(),
            pa.int64(): pd.Int64Dtype(),
            pa.bool_(): pd.BooleanDtype(),
        }
        frame: pd.DataFrame = self.to_arrow().to_pandas(types_mapper=nullable.get)
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows of ``to_arrow`` as a polars DataFrame; what is missing is null, never NaN.

        Raises InputError where polars is not installed.
        """
        try:
            import polars as pl
        except ModuleNotFoundError:
            raise InputError("A polars DataFrame needs the package polars: pip install polars.") from None
        return pl.DataFrame(self.to_arrow())
