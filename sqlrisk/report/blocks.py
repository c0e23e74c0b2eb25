"""The blocks of a printed result, such as headings and grids, for text, Markdown and HTML."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Self, TypeVar

T = TypeVar("T")


class Number(str):
    """The text of a number, with its source: the ``field`` of a ``row`` of the report."""

    row: Mapping[str, object]
    field: str

    def __new__(cls, text: str, row: Mapping[str, object], field: str) -> Self:
        """Make a number from its text. ``row`` and ``field`` are its source."""
        number = super().__new__(cls, text)
        number.row, number.field = row, field
        return number


class Sentence(str):
    """A sentence made of ``parts``. A part that is a Number keeps its source."""

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """Make a sentence from its pieces."""
        sentence = super().__new__(cls, "".join(parts))
        sentence.parts = parts
        return sentence


@dataclass(frozen=True)
class Heading:
    """A heading: level 1 for the document's title, 2 for a section, 3 for its parts."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """One or more sentences. A ``quiet`` paragraph is a note: it is drawn dimmed or smaller."""

    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Items:
    """A bulleted list of sentences. ``quiet`` is explained in Paragraph."""

    texts: Sequence[str]
    quiet: bool = False


@dataclass(frozen=True)
class Terms:
    """Pairs of a word and its meaning. ``quiet`` is explained in Paragraph."""

    pairs: Sequence[tuple[str, str]]
    quiet: bool = False


@dataclass(frozen=True)
class GridColumn:
    """A column of a Grid: its name, and the heading above the name (original, baseline, synthetic).

    A ``label`` column holds text, is left-aligned and may wrap. Other columns hold numbers and are
    right-aligned. A column that ``judges`` holds verdicts, such as pass, which a terminal shows in
    color. A column shown ``once`` is empty except in the first row of a group.
    """

    name: str
    above: str = ""
    label: bool = False
    judges: bool = False
    once: bool = False

    @property
    def in_one_line(self) -> str:
        """The heading above the column and its name, in one line."""
        return f"{self.above} {self.name}".replace("-\n", "-").replace("\n", " ").strip()


@dataclass(frozen=True)
class Grid:
    """A table: each row has a text per column. Rows with an index in ``starts`` begin a group."""

    columns: Sequence[GridColumn]
    rows: Sequence[Sequence[str]]
    starts: frozenset[int] = field(default_factory=frozenset)

    def groups(self) -> list[list[int]]:
        """Group the indexes of columns: adjacent columns with the same heading above them are one
        group. A column without a heading is its own group.
        """
        places = range(len(self.columns))
        groups = groupby(places, key=lambda place: self.columns[place].above or place)
        return [[*group] for _, group in groups]


Block = Heading | Paragraph | Items | Terms | Grid
Cell = tuple[GridColumn, Callable[[T], str]]


def table(
    cells: Iterable[Cell[T] | None], rows: Sequence[T], group: Callable[[T], object] | None = None
) -> Grid:
    """Return a grid with a line for each row. Each of ``cells`` is a column with a function that
    makes the cell's text from a row.

    Columns that are None are left out. Consecutive rows for which ``group`` returns an equal value
    form a group. Without ``group`` there are no groups.
    """
    told = [cell for cell in cells if cell is not None]
    groups = [] if group is None else [group(row) for row in rows]
    starts = {at for at, each in enumerate(groups) if not at or each != groups[at - 1]}
    lines = [
        [
            "" if column.once and groups and place not in starts else read(row)
            for column, read in told
        ]
        for place, row in enumerate(rows)
    ]
    return Grid([column for column, _ in told], lines, frozenset(starts))
