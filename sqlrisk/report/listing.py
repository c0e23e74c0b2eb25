"""Rows to look at: the risky cells of a measure, or the answer to a lookup."""

from dataclasses import dataclass, field

from sqlrisk.report.blocks import Block, Heading, Paragraph
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections import assessment
from sqlrisk.report.wording import shown

COUNTS = ("n_orig", "n_syn", "n_orig_class", "n_syn_class")  # the columns of a measure's cells that hold numbers
DISCLOSIVE = "This listing shows levels and counts of real people. It is disclosive: keep it where the original is kept."


@dataclass(frozen=True)
class Listing(Forms):
    """Rows to look at: the risky cells of one measure, most people first; or the answer to a lookup or query (no measure).

    ``rows`` has one tuple per row, in the order of ``columns``; a missing level is None. ``disclosive``: about real people.
    ``assessment`` is that of the files behind them, as of a Report; empty where nobody has looked.
    """

    measure: str
    title: str
    columns: list[str]
    rows: list[tuple[object, ...]]
    disclosive: bool = True
    assessment: list[Row] = field(default_factory=list, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Listing of {self.measure or self.title}: {len(self.rows)} rows>"

    def _document(self) -> dict[str, object]:
        about = {"measure": self.measure} if self.measure else {}
        return {
            **self._named(*(["assessment"] if self.assessment else []), "disclosive"),
            **about,
            **self._named("title", "columns", "rows"),
        }

    def _table(self) -> Lines:
        return self.columns, self.rows

    def _blocks(self) -> list[Block]:
        title = f"{self.measure}: {self.title}" if self.measure else self.title
        blocks: list[Block] = [Heading(title, 1)]
        if self.disclosive:
            blocks.append(Paragraph(DISCLOSIVE))
        blocks += assessment.blocks(self.assessment)
        if not self.rows:
            return [*blocks, Paragraph("No cell is risky." if self.measure else "No rows.")]
        return [*blocks, plain_grid(self.columns, self.rows, self._cell, COUNTS if self.measure else None)]

    def _cell(self, value: object) -> str:
        """Return a value for reading; in the answer to a lookup a fraction to six digits."""
        return f"{value:.6g}" if isinstance(value, float) and not self.measure else shown(value)
