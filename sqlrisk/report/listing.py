"""Rows to look at: the risky cells of a measure, or the answer to a lookup."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlrisk.common.version import __version__
from sqlrisk.report.result import Forms, Lines

if TYPE_CHECKING:
    import pyarrow as pa

    from sqlrisk.report.blocks import Block


@dataclass(frozen=True)
class Listing(Forms):
    """Rows to look at: the risky cells of one measure, most people first; or the answer to a lookup or query (no measure).

    ``rows`` has one tuple per row, in the order of ``columns``; a missing level is None. ``disclosive``: about real people.
    """

    measure: str
    title: str
    columns: list[str]
    rows: list[tuple[object, ...]]
    disclosive: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Listing of {self.measure or self.title}: {len(self.rows)} rows>"

    def to_dict(self) -> dict[str, object]:
        """Return measure, title, columns and rows (a list of lists) in the types of JSON."""
        from sqlrisk.report.formats.tabular import plain

        return {
            "sqlrisk": __version__,
            "disclosive": self.disclosive,
            **({"measure": self.measure} if self.measure else {}),
            "title": self.title,
            "columns": list(self.columns),
            "rows": plain(self.rows),
        }

    def to_arrow(self) -> "pa.Table":
        """Return the cells as a pyarrow Table."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(*self._table())

    def _table(self) -> Lines:
        return self.columns, self.rows

    def _blocks(self) -> "list[Block]":
        from sqlrisk.report.sections.report_sections import listing_blocks

        return listing_blocks(self)
