"""One table of numbers in every form: a part of a report, or a layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Column, Grid, Heading
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.wording import NOTHING, shown

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Table(Forms):
    """Rows of numbers with their labels. ``rows`` has one tuple per row, in the order of ``columns``; None is no number.

    ``kind`` is the key under which JSON holds it, ``layout`` or ``part``; ``blocks`` is how text and Markdown show it, by default
    as one grid. ``runs`` has the scenario and the files of each run behind it; ``types`` the Arrow types of columns.
    """

    kind: str
    name: str
    title: str
    columns: list[str]
    rows: list[tuple[object, ...]]
    blocks: Sequence[Block] = field(default=(), repr=False, compare=False)
    runs: list[dict[str, object]] = field(default_factory=list, repr=False)
    types: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self.rows)} rows>"

    def _document(self) -> dict[str, object]:
        table = {"name": self.name, "title": self.title, "columns": self.columns, "rows": self.rows}
        return {self.kind: table, **({"runs": self.runs} if self.runs else {})}

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(self.columns, [tuple(map(_number, row)) for row in self.rows], self.types)

    def _table(self) -> Lines:
        return self.columns, self.rows

    def _blocks(self) -> Sequence[Block]:
        if self.blocks:
            return self.blocks
        numeric = [all(isinstance(row[place], int | float | None) for row in self.rows) for place in range(len(self.columns))]
        columns = [Column(shown(name), label=not number) for name, number in zip(self.columns, numeric, strict=True)]
        return [Heading(self.title, 1), Grid(columns, [[_shown(value) for value in row] for row in self.rows])]


def _shown(value: object) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4g}" if isinstance(value, float) else shown(value)


def _number(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
