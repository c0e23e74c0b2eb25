"""Blocks as text of a given width for terminals, pipes and files, readable without color."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items, Paragraph, Terms

PROSE = 96  # maximum width of prose: longer lines are hard to read on any terminal
GAP = 2
INDENT = 2
MEANING = 20  # minimum width of the text next to a word
TEXT = GridColumn("", label=True)
# Styles of verdicts. Without color the word itself is enough.
VERDICTS = {"pass": "green", "review": "yellow", "fail": "bold red", "not assessable": "bold red"}
PLAIN = str.maketrans(
    {
        "─": "-",
        "–": "-",
        "…": "...",
        "•": "*",
        **dict.fromkeys("▏▎▍", " "),
        **dict.fromkeys("▌▋▊▉█", "#"),
    }
)


def text(blocks: Sequence[Block], *, width: int = 80, colour: bool = False) -> str:
    """Return blocks as text with lines up to ``width``. ``colour`` adds terminal styles."""
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
        # in a notebook, rich would display the text instead of returning it
        force_jupyter=False,
    )
    for place, block in enumerate(blocks):
        before = blocks[place - 1] if place else None
        if before and not (isinstance(before, Heading) and before.level > 1):
            console.print()
        for line in _drawn(block, width, console):
            console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"


def in_encoding(value: str, encoding: str) -> str:
    """Return a text with the characters that ``encoding`` lacks replaced by plain ones."""
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
            yield from Text(block.text, style="dim" if block.quiet else "").wrap(
                console, min(width, PROSE)
            )
        case Items():
            yield from _pairs([("•", item) for item in block.texts], 1, width, block.quiet, console)
        case Terms():
            yield from _pairs(block.pairs, GAP, width, block.quiet, console)
        case Grid():
            yield from _Drawing(block, width - INDENT, console).lines()


def _heading(heading: Heading, width: int, console: Console) -> Iterator[Text]:
    """Draw a heading. The heading of a section has a rule, which stands out without color."""
    lines = Text(heading.text, style="bold").wrap(console, width)
    if heading.level == 2 and lines[-1].cell_len < width - 1:
        lines[-1].append(" " + "─" * (width - 1 - lines[-1].cell_len), style="not bold dim")
    yield from lines


def _pairs(
    pairs: Sequence[tuple[str, str]], gap: int, width: int, quiet: bool, console: Console
) -> Iterator[Text]:
    """Draw terms in one column and their meanings, wrapped, in the next."""
    words, room = [word for word, _ in pairs], min(width, PROSE) - INDENT - gap
    longest = max(map(_longest_word, words), default=0)
    first = min(max(map(cell_len, words), default=0), max(longest, width // 3), room - MEANING)
    widths, style = [first, room - first], "dim" if quiet else ""
    for pair in pairs:
        yield from _line(pair, widths, [TEXT, TEXT], console, gap=gap, style=style)


class _Drawing:
    """A grid as text. If it is too wide, labels wrap, and if it still is, rows become columns."""

    def __init__(self, grid: Grid, width: int, console: Console) -> None:
        self.grid, self.width, self.console = grid, width, console
        self.heads = [_head(column) for column in grid.columns]
        self.widths, self.least = list[int](), list[int]()
        for place, (column, head) in enumerate(zip(grid.columns, self.heads, strict=True)):
            values, longest = [row[place] for row in grid.rows], max(map(cell_len, head))
            self.widths.append(max([longest, *map(cell_len, values)]))
            self.least.append(
                max([longest, *map(_longest_word, values)]) if column.label else self.widths[-1]
            )
        self.groups = grid.groups()
        for first, *more in self.groups:  # a word above several columns can be wider than they are
            above = _longest_word(grid.columns[first].above) - sum(
                self.least[place] + GAP for place in more
            )
            self.least[first] = max(self.least[first], above)
            self.widths[first] = max(self.widths[first], above)

    def lines(self) -> Iterator[Text]:
        """Draw the grid."""
        if _size(self.least) > self.width:
            return self._turned()
        while _size(self.widths) > self.width:
            wide = [place for place, least in enumerate(self.least) if self.widths[place] > least]
            self.widths[max(wide, key=lambda place: self.widths[place])] -= 1
        return self._table()

    def _turned(self) -> Iterator[Text]:
        """Draw the grid turned: each column becomes a line, and the rows of a group stand side by
        side. Rows that do not fit follow below.
        """
        columns, rows = self.grid.columns, list[Sequence[str]]()
        for row in self.grid.rows:
            before = rows[-1] if rows else [""] * len(columns)
            texts = zip(columns, row, before, strict=True)
            rows.append([text or (above if column.once else "") for column, text, above in texts])
        names = [column.in_one_line for column in columns]
        widest = max((cell_len(value) for row in rows for value in row), default=0)
        first = min(max(map(cell_len, names)), self.width - GAP - min(widest, MEANING))
        room = self.width - first - GAP
        widths = [min(max(map(cell_len, row)), room) for row in rows]
        start = 0
        while start < len(rows):
            end = start + 1
            while (
                end < len(rows)
                and end not in self.grid.starts
                and _size(widths[start : end + 1]) <= room
            ):
                end += 1
            if start:
                yield Text()
            for column, name, *values in zip(columns, names, *rows[start:end], strict=True):
                each = [TEXT, *[replace(column, label=True)] * len(values)]
                yield from _line([name, *values], [first, *widths[start:end]], each, self.console)
            start = end

    def _table(self) -> Iterator[Text]:
        columns, margin = self.grid.columns, " " * INDENT
        groups = [
            (columns[group[0]].above, _size([self.widths[place] for place in group]))
            for group in self.groups
        ]
        above = [
            [line.plain for line in Text(heading).wrap(self.console, size)] if heading else []
            for heading, size in groups
        ]
        for level in range(-max(map(len, above)), 0):
            lines = [lines[level] if -level <= len(lines) else "" for lines in above]
            spans = [_span(line, size) for line, (_, size) in zip(lines, groups, strict=True)]
            yield Text(margin + (" " * GAP).join(spans), style="dim")
        for level in range(-max(map(len, self.heads)), 0):
            names = [head[level] if -level <= len(head) else "" for head in self.heads]
            yield from _line(names, self.widths, columns, self.console, style="bold")
        yield Text(margin + "─" * _size(self.widths), style="dim")
        for number, row in enumerate(self.grid.rows):
            if number and number in self.grid.starts:
                yield Text()
            yield from _line(row, self.widths, columns, self.console)


def _line(
    texts: Sequence[str],
    widths: Sequence[int],
    columns: Sequence[GridColumn],
    console: Console,
    *,
    gap: int = GAP,
    style: str = "",
) -> Iterator[Text]:
    """Draw texts in columns, each wrapped to its width."""
    folded = []
    for text, width in zip(texts, widths, strict=True):
        wrapped = (Text(part).wrap(console, max(width, 1)) for part in text.split("\n"))
        folded.append([line.plain for lines in wrapped for line in lines] or [""])
    for parts in zip_longest(*folded, fillvalue=""):
        told = []
        for part, width, column in zip(parts, widths, columns, strict=True):
            colour = VERDICTS.get(part, "") if column.judges else ""
            told.append(Text(_fitted(part, width, right=not column.label), colour))
        line = Text(" " * INDENT, style) + Text(" " * gap).join(told)
        line.rstrip()
        yield line


def _size(widths: Sequence[int]) -> int:
    """Return the width of columns and the gaps between them."""
    return sum(widths) + GAP * (len(widths) - 1)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _span(label: str, size: int) -> str:
    """Draw a heading across columns: ``──── synthetic ────``."""
    spare = size - cell_len(label)
    if not label or spare < 4:
        return _fitted(label, size, right=True)
    left = (spare - 2) // 2
    return "─" * left + f" {label} " + "─" * (spare - 2 - left)


def _fitted(value: str, size: int, *, right: bool = False) -> str:
    space = " " * max(size - cell_len(value), 0)
    return space + value if right else value + space


def _head(column: GridColumn) -> list[str]:
    """Return a column's name in lines. A long name of a measure breaks after an underscore."""
    name = column.name
    cuts = [place + 1 for place, letter in enumerate(name) if letter == "_"]
    if len(name) > 8 and cuts and not column.label:
        cut = min(cuts, key=lambda place: max(place, len(name) - place))
        return [name[:cut], name[cut:]]
    return name.split("\n")
