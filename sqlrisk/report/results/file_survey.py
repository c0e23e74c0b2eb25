"""What the columns of files look like, before anything is asked of them."""

from dataclasses import dataclass

from sqlrisk.inputs import datatypes

MANY_LEVELS = 20  # a number with more can be binned
TOO_MANY_LEVELS = 100  # a number with more is no suggested key: nobody knows another's exact amounts
NAMES_RECORDS = 0.9  # a column that singles out more of the people by itself names them


@dataclass(frozen=True)
class ColumnCounts:
    """What is counted of a column that all files have.

    Attributes:
        name, type: its name and the type that the files share.
        levels: distinct values in the original, the missing one left out; only_original, only_synthetic: of one side alone.
        missing_original, missing_synthetic: records without a value; of all syntheses together.
        unique: people who are alone with their value.
    """

    name: str
    type: str
    levels: int
    only_original: int
    only_synthetic: int
    missing_original: int
    missing_synthetic: int
    unique: int

    @property
    def is_numeric(self) -> bool:
        """Whether it can be binned."""
        return datatypes.is_numeric(self.type)


@dataclass(frozen=True)
class Look:
    """What was found in the files.

    Attributes:
        records: of the original, and of each synthesis.
        columns: the columns that all files have, in the order of the original.
        apart: the others, and why none of them can be a key or a target.
        keys: suggested keys, and how many people are alone with their levels of this one and those before it.
        names_records: columns that by themselves single out nearly everybody.
    """

    records: tuple[int, ...]
    columns: tuple[ColumnCounts, ...]
    apart: dict[str, str]
    keys: tuple[tuple[str, int], ...]
    names_records: tuple[str, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """Every column that is no suggested key and names nobody."""
        taken = [*(name for name, _ in self.keys), *self.names_records]
        return tuple(column.name for column in self.columns if column.name not in taken)
