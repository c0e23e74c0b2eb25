"""Listings: the risky cells of a measure, or the answer to a lookup or query."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlrisk.report.blocks import Block, Heading, Paragraph
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.result import Forms, Lines, amount_of
from sqlrisk.report.sections import assessment
from sqlrisk.report.wording import percent, shown

COUNTS = {
    "n_orig": ("in this cell", "people"),
    "n_syn": ("in this cell", "synthetic"),
    "n_orig_class": ("with these keys", "people"),
    "n_syn_class": ("with these keys", "synthetic"),
    "n_level": ("with this level", "people"),
    "n_all": ("in all", "people"),
}
"""The numeric columns of a measure's cells: the words above them, and what they count."""
DISCLOSIVE = (
    "This listing shows levels and counts of real people. It is disclosive: keep it "
    "where the original is kept."
)


@dataclass(frozen=True, repr=False)
class Listing(Forms):
    """A listing: the risky cells of one measure, or the answer to a lookup or query (without a
    measure).

    ``rows`` has one tuple per row, in the order of ``columns``. A missing level is None.
    ``disclosive`` is True if the rows are about real people.
    """

    measure: str
    title: str
    columns: list[str]
    rows: list[tuple[Any, ...]]
    disclosive: bool = True
    assessment: list[Row] = field(default_factory=list, repr=False, compare=False)
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    # the count that orders the rows, the highest first, if there is one
    by: str = field(default="", repr=False, compare=False)
    # the columns that the dictionary calls sensitive
    sensitive: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    # the label of the synthesis whose cells are listed, empty for a lookup or query
    synthesis: str = field(default="", repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def _line(self) -> str:
        disclosive = ", disclosive" * self.disclosive
        return (
            f"<Listing of {self.measure or self.title}: "
            f"{amount_of(len(self.rows), 'row')}{disclosive}>"
        )

    def _document(self) -> dict[str, object]:
        return {
            **self._present("assessment", "labels"),
            **self._named("disclosive"),
            **self._present("measure"),
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
        return [
            *blocks,
            *([Paragraph(self._order())] if self.by else []),
            plain_grid(self.columns, self.rows, self._cell, COUNTS if self.measure else None),
        ]

    def _order(self) -> str:
        """Return a text about the order of the cells, and the number of ties."""
        level, place = (_place(self.columns, name) for name in ("level", self.by))
        of_cells = _of_cells(self.columns)
        found = [(of_cells and row[level] is None, row[place]) for row in self.rows]
        most = {"n_syn": "synthetic records", "n_orig_class": "people with these keys"}
        first = f"with the most {most.get(self.by, 'people')} come first"
        text = f"Cells {first}, those without a level last." if of_cells else f"Classes {first}."
        return text + _tied(found)

    def of(self, target: object, most: int) -> Block | None:
        """Return the first ``most`` rows of a target as a table, without the column ``target``. If
        ``target`` is None, return the first ``most`` of all rows. Return None if there are no rows.
        """
        place = -1 if target is None else _place(self.columns, "target")
        rows = [row for row in self.rows if place < 0 or row[place] == target][:most]
        # the target is named above the table
        kept = [at for at in range(len(self.columns)) if at != place]
        names, lines = [self.columns[at] for at in kept], [[row[at] for at in kept] for row in rows]
        return plain_grid(names, lines, self._cell, COUNTS) if rows else None

    def _cell(self, value: object) -> str:
        """Return a value as readable text. Fractions in the answer to a lookup have six digits."""
        return f"{value:.6g}" if isinstance(value, float) and not self.measure else shown(value)


def worth(listing: Listing, most: int | None = None) -> tuple[Listing, str]:
    """Return the first ``most`` rows of a listing (all if None), and a text about their order and
    the number of ties.

    The listing was made with ``worth`` (see `Findings.cells`). A column ``why`` replaces all counts
    after ``n_syn``. It gives the reasons for the place of a cell: whether its target is declared
    sensitive, and how rare its level is. If equally rare cells differ in their number of people, it
    also gives that number.
    """
    cells = _of_cells(listing.columns)
    # the keys, the target, its level, people and records
    shown_too = slice(_place(listing.columns, "n_syn") + 1)
    places = [_place(listing.columns, name) for name in ("n_orig", "n_level", "n_all")]
    found = [tuple(row[place] for place in places) for row in listing.rows]
    target = _place(listing.columns, "target") if cells else -1
    declared = [cells and row[target] in listing.sensitive for row in listing.rows]
    sizes: dict[Hashable, set[int]] = {}
    for first, (people, *rare) in zip(declared, found, strict=True):
        sizes.setdefault((first, *rare), set()).add(people)
    rarity = "people have this level" if cells else "people have the rarest of these levels"
    why = [
        "declared sensitive; " * first
        + f"{percent(100 * level / everybody)} of all {rarity}"
        + f"; {people:,} of them with these keys" * (len(sizes[first, level, everybody]) > 1)
        for first, (people, level, everybody) in zip(declared, found, strict=True)
    ]
    text = (
        "Sensitive targets come first, then cells with the rarest levels, which a guess would not "
        "have found, then cells with the most people."
        if cells
        else "Classes with the rarest level of a key come first, since they are found most easily, "
        "then classes with the most people."
    )
    text += _tied(found[:most])
    rows = [(*row[shown_too], reason) for row, reason in zip(listing.rows, why, strict=True)]
    return replace(listing, columns=[*listing.columns[shown_too], "why"], rows=rows[:most]), text


def _place(columns: Sequence[str], name: str) -> int:
    """Return the index of the last column with this name, or -1 if there is none. Keys come first,
    and a key may have the name of a count, so the first column could be a key.
    """
    return max((at for at, each in enumerate(columns) if each == name), default=-1)


def _of_cells(columns: Sequence[str]) -> bool:
    """Return True if the rows are cells of a target. Rows about classes lack ``n_orig_class``."""
    return _place(columns, "n_orig_class") > _place(columns, "n_syn")


def _tied(places: Sequence[Hashable]) -> str:
    """Return a sentence about the number of ties. ``places`` has what orders each row."""
    ties = sum(times for times in Counter(places).values() if times > 1)
    told = f" {ties} of the {len(places)} listed tie, and their order means nothing."
    return told if ties else ""
