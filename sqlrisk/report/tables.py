"""One table of numbers in every form: a part of a report, or a layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Column, Grid, Heading
from sqlrisk.report.document import NOTHING, shown
from sqlrisk.report.frames import Frames

if TYPE_CHECKING:
    import pyarrow as pa

Path = str | PathLike[str]


@dataclass(frozen=True)
class Table(Frames):
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

    def to_dict(self) -> dict[str, object]:
        """Return name, title, columns and rows (a list of lists) in the types of JSON, and the runs behind them."""
        from sqlrisk import __version__
        from sqlrisk.report.formats import plain

        table = {"name": self.name, "title": self.title, "columns": list(self.columns), "rows": plain(self.rows)}
        return {"sqlrisk": __version__, self.kind: table, **({"runs": plain(self.runs)} if self.runs else {})}

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        from sqlrisk.report.formats import to_arrow

        return to_arrow(self.columns, [tuple(map(_number, row)) for row in self.rows], self.types)

    def to_json(self, path: Path | None = None) -> str:
        """Return the table as JSON text, written to ``path`` too when there is one."""
        from sqlrisk.report.formats import to_json

        return _write(to_json(self.to_dict()), path)

    def to_csv(self, path: Path | None = None) -> str:
        """Return the rows as CSV text, written to ``path`` too when there is one."""
        from sqlrisk.report.formats import to_csv

        return _write(to_csv(self.columns, self.rows), path)

    def to_markdown(self, path: Path | None = None) -> str:
        """Return the table as GitHub Markdown, written to ``path`` too when there is one."""
        from sqlrisk.report.markdown import markdown

        return _write(markdown(self._blocks()), path)

    def to_html(self, path: Path | None = None) -> str:
        """Return it as one HTML page, written to ``path`` too when there is one."""
        from sqlrisk.report.html.page import plain_page

        return _write(plain_page(self._blocks()), path)

    def to_text(self, *, width: int = 80, colour: bool = False) -> str:
        """Return the table as text for a terminal ``width`` characters wide."""
        from sqlrisk.report.text import text

        return text(self._blocks(), width=width, colour=colour)

    def to_parquet(self, path: Path) -> None:
        """Write the rows to a Parquet file."""
        from sqlrisk.report.formats import to_parquet

        _store(to_parquet(self.to_arrow()), path)

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


def _write(text: str, path: Path | None) -> str:
    if path is not None:
        _store(text.encode(), path)
    return text


def _store(data: bytes, path: Path) -> None:
    from sqlrisk.report.files import replacing

    with replacing(fspath(path)) as file:
        file.write(data)
