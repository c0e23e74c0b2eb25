"""What a file itself says of its columns: their labels, those of their values, and which values stand for a missing one."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ColumnLabels:
    """What is said of a column.

    Attributes:
        label: of the column; None where it has none.
        values: code, as a text -> label, in the order of the file.
        missing: codes that stand for a missing value, as texts; a range is ``(from, to)``.
    """

    label: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str | tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FileLabels:
    """What a file says of its columns, by name."""

    columns: Mapping[str, ColumnLabels] = field(default_factory=dict)


def code_text(code: object) -> str:
    """Return a code as a text that is read in its column's type: 1 for 1.0."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)
