"""One table of numbers in every form: a part of a report, or a layout."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Heading
from sqlrisk.report.findings import Findings
from sqlrisk.report.formats.tabular import to_arrow
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.results.subset_rows import SubsetRows
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
        return to_arrow(self.columns, [tuple(map(_number, row)) for row in self.rows], self.types)

    def _table(self) -> Lines:
        return self.columns, self.rows

    def _objects(self) -> list[dict[str, object]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _blocks(self) -> Sequence[Block]:
        return self.blocks or [Heading(self.title, 1), plain_grid(self.columns, self.rows, _shown)]


def _shown(value: object) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4g}" if isinstance(value, float) else shown(value)


def _number(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def asked(runs: Iterable[Findings | SubsetRows]) -> list[dict[str, object]]:
    """Return what the runs behind the table of a paper were asked."""
    return [{"scenario": each.scenario, "original": each.original, "synthetic": each.synthetic} for each in runs]
