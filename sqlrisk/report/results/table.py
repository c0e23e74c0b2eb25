"""A table of numbers in every output format: a part of a report, or the table of a paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Heading
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.formats.tabular import to_arrow
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.result import Lines, all_labels, amount_of
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.results.subset_rows import SubsetRows
from sqlrisk.report.sections import assessment
from sqlrisk.report.wording import NOTHING, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from sqlrisk.report.html.drawing import Named
    from sqlrisk.report.html.look import Figure


@dataclass(frozen=True, repr=False)
class Table(ResultKind):
    """Rows of numbers with their labels. ``rows`` has one tuple per row, in the order of
    ``columns``. None stands for a missing number.

    ``runs`` has the scenario and files of each run. ``shared`` is True in an external report.
    """

    kind: str  # its key in JSON: layout, part
    name: str
    title: str
    columns: list[str]
    rows: list[tuple[object, ...]]
    # its text, by default a grid
    blocks: Sequence[Block] = field(default=(), repr=False, compare=False)
    runs: list[dict[str, object]] = field(default_factory=list, repr=False)
    # Arrow types by column, by default those of the values
    types: Mapping[str, str] = field(default_factory=dict, repr=False)
    assessment: list[Row] = field(default_factory=list, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared: bool = field(default=False, repr=False)
    draws: "Callable[[], Mapping[str, Sequence[Figure]]]" = field(
        default=dict, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.rows)

    def _line(self) -> str:
        return f"<{type(self).__name__} {self.name}: {amount_of(len(self.rows), 'row')}>"

    def _document(self) -> dict[str, object]:
        table = {"name": self.name, "title": self.title, "columns": self.columns, "rows": self.rows}
        return {
            **self._present("assessment", "labels"),
            self.kind: table,
            **self._present("runs"),
        }

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        return to_arrow(self.columns, [tuple(map(_number, row)) for row in self.rows], self.types)

    def _table(self) -> Lines:
        return self.columns, self.rows

    def _objects(self) -> list[dict[str, object]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _blocks(self) -> Sequence[Block]:
        title, *rest = self.blocks or [
            Heading(self.title, 1),
            plain_grid(self.columns, self.rows, _shown),
        ]
        return [title, *assessment.blocks(self.assessment), *rest]

    def _pictures(self) -> "Named":
        from sqlrisk.report.html.figures import FIGURES

        return FIGURES["layout"] if self.draws is not dict else super()._pictures()

    def _figures(self) -> "Mapping[str, Sequence[Figure]]":
        return self.draws() or super()._figures()


def _shown(value: object) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4g}" if isinstance(value, float) else shown(value)


def _number(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def paper(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: list[tuple[object, ...]],
    blocks: Sequence[Block],
    runs: Sequence[Findings | SubsetRows],
) -> Table:
    """Return the table of a paper with the settings, files and assessments of its runs."""
    asked: list[dict[str, object]] = [
        {"scenario": each.scenario, "original": each.original, "synthetic": each.synthetic}
        for each in runs
    ]
    found = [row for each in runs for row in each.assessment]
    assessed = [row for place, row in enumerate(found) if row not in found[:place]]
    return Table(
        "layout",
        name,
        title,
        list(columns),
        rows,
        blocks,
        asked,
        assessment=assessed,
        labels=all_labels(runs),
    )
