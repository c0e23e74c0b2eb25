"""Blocks as text for a terminal, a pipe or a file: as wide as asked for, readable without colour."""

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms

PROSE = 96  # a longer line is hard to read, whatever the terminal's width
LABEL = 44  # a longer label is folded
SHORT = 8  # a label is not folded to less than this
GAP = 2
INDENT = 2
# Styles of verdicts; the word itself is there without colour.
VERDICTS = {"pass": "green", "review": "yellow", "fail": "bold red", "not assessable": "bold red"}
PLAIN = str.maketrans({"─": "-", "–": "-", "…": "...", "•": "*", **dict.fromkeys("▏▎▍", " "), **dict.fromkeys("▌▋▊▉█", "#")})


def text(blocks: Sequence[Block], *, width: int = 80, colour: bool = False) -> str:
    """Return ``blocks`` as text, no line longer than ``width``; ``colour`` adds bold and dim for a terminal."""
    drawn = StringIO()
    console = Console(
        file=drawn,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        force_jupyter=False,  # in a notebook it would show the text beside the cell, and return none
    )
    for place, block in enumerate(blocks):
        before = blocks[place - 1] if place else None
        if before and not (isinstance(before, Heading) and before.level > 1):
            console.print()
        for line in _drawn(block, width, console):
            console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"


def in_encoding(value: str, encoding: str) -> str:
    """Return ``value`` with the signs that ``encoding`` lacks replaced by plain ones."""
    try:
        value.encode(encoding)
    except UnicodeEncodeError:
        return value.translate(PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return value


def _drawn(block: Block, width: int, console: Console) -> Iterator[Text]:
    match block:
        case Heading():
            yield from _heading(block, min(width, PROSE), console)
        case Paragraph():
            yield from Text(block.text, style="dim" if block.quiet else "").wrap(console, min(width, PROSE))
        case Items():
            yield from _pairs([("•", item) for item in block.texts], 1, width, block.quiet, console)
        case Terms():
            yield from _pairs(block.pairs, GAP, width, block.quiet, console)
        case Grid():
            yield from _Drawing(block, width - INDENT, console).tables()


def _heading(heading: Heading, width: int, console: Console) -> Iterator[Text]:
    """Draw a heading; a rule beside it makes it stand out without colour."""
    lines = Text(heading.text, style="bold").wrap(console, width)
    if heading.level > 1 and lines[-1].cell_len < width - 1:
        lines[-1].append(" " + "─" * (width - 1 - lines[-1].cell_len), style="not bold dim")
    yield from lines


def _pairs(pairs: Sequence[tuple[str, str]], gap: int, width: int, quiet: bool, console: Console) -> Iterator[Text]:
    """Draw words in one column and what they stand for, folded, in the next."""
    first = min(max((cell_len(word) for word, _ in pairs), default=0), width // 3)
    rest = max(min(width, PROSE) - INDENT - first - gap, 20)
    for word, meaning in pairs:
        lefts = [line.plain for line in Text(word).wrap(console, max(first, 1))]
        rights = [line.plain for part in meaning.split("\n") for line in Text(part).wrap(console, rest)]
        for left, right in zip_longest(lefts, rights, fillvalue=""):
            yield Text(f"{' ' * INDENT}{_fitted(left, first)}{' ' * gap}{right}", style="dim" if quiet else "")


class _Drawing:
    """A grid as text; where it is too wide its labels are folded, then its numbers go into several tables."""

    def __init__(self, grid: Grid, width: int, console: Console) -> None:
        self.grid, self.width, self.console = grid, width, console
        self.heads = [_head(column) for column in grid.columns]
        texts = [[*head, *(row[place] for row in grid.rows)] for place, head in enumerate(self.heads)]
        self.widths = [
            min(max(map(cell_len, lines)), LABEL) if column.label else max(map(cell_len, lines))
            for column, lines in zip(grid.columns, texts, strict=True)
        ]

    def tables(self) -> Iterator[Text]:
        """Draw the grid as one table, or as several that repeat the labels."""
        labels = [place for place, column in enumerate(self.grid.columns) if column.label]
        numbers = [place for place, column in enumerate(self.grid.columns) if not column.label]
        counted = sum(self.widths[place] + GAP for place in numbers)
        # A table of few numbers stays whole, its labels folded; one of many is easier to read in parts than with folded labels.
        self._shrink(labels, self.width - counted, SHORT if counted < self.width // 2 else max(self.width // 3, SHORT))
        self._shrink(labels, self.width - max((self._extent([place]) + GAP for place in numbers), default=0), 4)
        for number, part in enumerate(self._parts(numbers, self.width - sum(self.widths[place] + GAP for place in labels))):
            if number:
                yield Text()
            yield from self._table([*labels, *part])

    def _shrink(self, labels: Sequence[int], room: int, least: int) -> None:
        """Take from the widest label until all labels fit into ``room`` or none is wider than ``least``."""
        while labels and self._size(labels) > room:
            widest = max(labels, key=lambda place: self.widths[place])
            if self.widths[widest] <= least:
                return
            self.widths[widest] -= 1

    def _parts(self, numbers: Sequence[int], room: int) -> list[list[int]]:
        """Split the numbers into runs that fit beside the labels; a group under one heading stays whole if possible."""
        parts: list[list[int]] = [[]]
        for group in self.grid.groups(numbers):
            for piece in [group] if self._extent(group) <= room else [[place] for place in group]:
                if parts[-1] and self._extent(parts[-1] + piece) > room:
                    parts.append([])
                parts[-1] += piece
        for group in (group for part in parts for group in self.grid.groups(part)):
            self.widths[group[0]] += self._extent(group) - self._size(group)  # a longer heading widens its first column
        return parts

    def _size(self, places: Sequence[int]) -> int:
        """Return the width of columns with the gaps between them."""
        return sum(self.widths[place] + GAP for place in places) - GAP

    def _extent(self, places: Sequence[int]) -> int:
        """Return the width of columns and of the headings above them, of which a long one is folded."""
        longest = min(LABEL, self.width // 2)
        groups = [(self._size(group), cell_len(self.grid.columns[group[0]].above)) for group in self.grid.groups(places)]
        return sum(max(size, min(above, longest)) + GAP for size, above in groups) - GAP

    def _table(self, part: Sequence[int]) -> Iterator[Text]:
        columns, margin = self.grid.columns, " " * INDENT
        groups = [(columns[group[0]].above, self._size(group)) for group in self.grid.groups(part)]
        above = [[line.plain for line in Text(heading).wrap(self.console, size)] if heading else [] for heading, size in groups]
        for level in range(-max(map(len, above)), 0):
            lines = [lines[level] if -level <= len(lines) else "" for lines in above]
            spans = [_span(line, size) for line, (_, size) in zip(lines, groups, strict=True)]
            yield Text(margin + (" " * GAP).join(spans), style="dim")
        for level in range(-max(len(self.heads[place]) for place in part), 0):
            names = [self.heads[place][level] if -level <= len(self.heads[place]) else "" for place in part]
            yield Text(margin + (" " * GAP).join(self._aligned(part, names)), style="bold")
        yield Text(margin + "─" * self._size(part), style="dim")
        for number, row in enumerate(self.grid.rows):
            if number and number in self.grid.starts:
                yield Text()
            folded = [[line.plain for line in Text(row[p]).wrap(self.console, self.widths[p])] or [""] for p in part]
            for values in zip_longest(*folded, fillvalue=""):
                styles = [VERDICTS.get(value, "") if columns[p].judges else "" for p, value in zip(part, values, strict=True)]
                cells = [Text(cell, style) for cell, style in zip(self._aligned(part, values), styles, strict=True)]
                yield Text(margin) + Text(" " * GAP).join(cells)

    def _aligned(self, part: Sequence[int], texts: Sequence[str]) -> Iterator[str]:
        """Yield texts as wide as their columns, numbers to the right."""
        for place, text in zip(part, texts, strict=True):
            yield _fitted(text, self.widths[place], right=self.grid.columns[place].numeric)


def _span(label: str, size: int) -> str:
    """Draw a heading over several columns: ``──── synthetic ────``."""
    spare = size - cell_len(label)
    if not label or spare < 4:
        return _fitted(label, size, right=True)
    left = (spare - 2) // 2
    return "─" * left + f" {label} " + "─" * (spare - 2 - left)


def _fitted(value: str, size: int, *, right: bool = False) -> str:
    space = " " * max(size - cell_len(value), 0)
    return space + value if right else value + space


def _head(column: Column) -> list[str]:
    """Return a column's name in lines; a long name of a measure is folded after an underscore."""
    name = column.name
    cuts = [place + 1 for place, letter in enumerate(name) if letter == "_"]
    if len(name) > 8 and cuts and not column.label:
        cut = min(cuts, key=lambda place: max(place, len(name) - place))
        return [name[:cut], name[cut:]]
    return name.split("\n")
