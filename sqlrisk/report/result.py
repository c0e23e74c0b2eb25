"""Every form that a result takes: data frames, JSON, CSV, Markdown, an HTML page, text for a terminal, Parquet."""

from abc import abstractmethod
from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING

from sqlrisk.report.data_frames import Frames

if TYPE_CHECKING:
    from sqlrisk.report.blocks import Block


Path = str | PathLike[str]
Lines = tuple[Sequence[str], Sequence[Sequence[object]]]
"""The names of columns, and rows of as many values."""


class Forms(Frames):
    """A result: all of it as a dict, what it says in blocks, and its rows as one table.

    Methods with a ``path`` return the text, and write it there, too, where there is one: the whole file or none of it.
    """

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return everything in the types of JSON, keys in the documented order."""

    @abstractmethod
    def _blocks(self) -> "Sequence[Block]":
        """What a person reads."""

    @abstractmethod
    def _table(self) -> Lines:
        """The columns and the rows of the one table that CSV and Parquet hold."""

    def to_json(self, path: Path | None = None) -> str:
        """Return everything as JSON text."""
        from sqlrisk.report.formats.tabular import to_json

        return written(to_json(self.to_dict()), path)

    def to_csv(self, path: Path | None = None) -> str:
        """Return the rows as CSV text."""
        from sqlrisk.report.formats.tabular import to_csv

        return written(to_csv(*self._table()), path)

    def to_markdown(self, path: Path | None = None) -> str:
        """Return it as GitHub Markdown."""
        from sqlrisk.report.formats.markdown import markdown

        return written(markdown(self._blocks()), path)

    def to_html(self, path: Path | None = None) -> str:
        """Return it as one HTML page that needs no other file."""
        from sqlrisk.report.html.page import plain_page

        return written(plain_page(self._blocks()), path)

    def to_text(self, *, width: int = 80, colour: bool = False) -> str:
        """Return it as text for a terminal ``width`` characters wide."""
        from sqlrisk.report.formats.text import text

        return text(self._blocks(), width=width, colour=colour)

    def to_parquet(self, path: Path) -> None:
        """Write the rows to a Parquet file."""
        from sqlrisk.report.formats.tabular import to_parquet

        store(to_parquet(self.to_arrow()), path)


def written(text: str, path: Path | None) -> str:
    """Return ``text``, written to ``path`` where there is one."""
    if path is not None:
        store(text.encode(), path)
    return text


def store(data: bytes, path: Path) -> None:
    """Write a file, whole or not at all."""
    from sqlrisk.common.output_files import replacing

    with replacing(fspath(path)) as file:
        file.write(data)
