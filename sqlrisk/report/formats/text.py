"""Blocks as text for a terminal, a pipe or a file: as wide as asked for, readable without colour."""

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms

PROSE = 96  # a longer line is hard to read, whatever the terminal's width
LABEL = 44  # a longer label is folded
SHORT = 8  # a label is not folded to less than this
GAP = 2
INDENT = 2
VERDICTS = {"pass": "green", "review": "yellow", "fail": "bold red"}  # styles; the word itself is there without colour
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
            yield from _grid(block, width - INDENT, console)


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
        lefts = Text(word).wrap(console, max(first, 1))
        rights = [line for part in meaning.split("\n") for line in Text(part).wrap(console, rest)]
        for place in range(max(len(lefts), len(rights))):
            line = Text(" " * INDENT, style="dim" if quiet else "")
            line.append(_fitted(lefts[place].plain if place < len(lefts) else "", first) + " " * gap)
            line.append(rights[place].plain if place < len(rights) else "")
            yield line


def _grid(grid: Grid, width: int, console: Console) -> Iterator[Text]:
    """Draw a grid; where it is wider than ``width`` its labels are folded, then its numbers go into several tables."""
    heads = [_head(column) for column in grid.columns]
    widths = [max(cell_len(line) for line in [*head, *(row[place] for row in grid.rows)]) for place, head in enumerate(heads)]
    labels = [place for place, column in enumerate(grid.columns) if column.label]
    numbers = [place for place, column in enumerate(grid.columns) if not column.label]
    for place in labels:
        widths[place] = min(widths[place], LABEL)
    counted = sum(widths[place] + GAP for place in numbers)
    # A table of few numbers stays whole, its labels folded; one of many is easier to read in parts than with folded labels.
    _shrink(widths, labels, width - counted, SHORT if counted < width // 2 else max(width // 3, SHORT))
    _shrink(widths, labels, width - max((widths[place] + GAP for place in numbers), default=0), 4)
    for number, part in enumerate(_parts(grid.columns, widths, labels, numbers, width)):
        if number:
            yield Text()
        yield from _table(grid, heads, widths, [*labels, *part], console)


def _shrink(widths: list[int], labels: list[int], room: int, least: int) -> None:
    """Take from the widest label until all labels fit into ``room`` or none is wider than ``least``."""
    while labels and sum(widths[place] + GAP for place in labels) - GAP > room:
        widest = max(labels, key=lambda place: widths[place])
        if widths[widest] <= least:
            return
        widths[widest] -= 1


def _parts(columns: Sequence[Column], widths: list[int], labels: list[int], numbers: list[int], width: int) -> list[list[int]]:
    """Split the numbers into runs that fit beside the labels; a group under one heading stays whole if possible."""
    room = width - sum(widths[place] + GAP for place in labels)
    parts: list[list[int]] = [[]]
    for group in _groups(columns, numbers):
        for piece in [group] if _extent(columns, widths, group) <= room else [[place] for place in group]:
            if parts[-1] and _extent(columns, widths, parts[-1] + piece) > room:
                parts.append([])
            parts[-1] += piece
    return parts


def _extent(columns: Sequence[Column], widths: list[int], part: Sequence[int]) -> int:
    """Return the width of some columns with the gaps between them and the headings above them."""
    groups = _groups(columns, part)
    sizes = [max(sum(widths[p] + GAP for p in group) - GAP, cell_len(columns[group[0]].above)) for group in groups]
    return sum(size + GAP for size in sizes) - GAP


def _groups(columns: Sequence[Column], places: Sequence[int]) -> list[list[int]]:
    """Group columns that stand under one heading; a column under none is a group of its own."""
    groups: list[list[int]] = []
    for place in places:
        if groups and columns[place].above and columns[groups[-1][-1]].above == columns[place].above:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _table(grid: Grid, heads: list[list[str]], widths: list[int], part: list[int], console: Console) -> Iterator[Text]:
    widths = list(widths)
    groups = _groups(grid.columns, part)
    for group in groups:  # a heading longer than its columns widens the first of them
        size = sum(widths[place] + GAP for place in group) - GAP
        widths[group[0]] += max(cell_len(grid.columns[group[0]].above) - size, 0)
    margin = " " * INDENT
    if any(grid.columns[place].above for place in part):
        key_runs = [_span(grid.columns[group[0]].above, sum(widths[p] + GAP for p in group) - GAP) for group in groups]
        yield Text(margin + (" " * GAP).join(key_runs), style="dim")
    height = max(len(heads[place]) for place in part)
    for level in range(height):
        cells = []
        for place in part:
            lines = [""] * (height - len(heads[place])) + heads[place]
            cells.append(_fitted(lines[level], widths[place], right=_right(grid.columns[place])))
        yield Text(margin + (" " * GAP).join(cells), style="bold")
    yield Text(margin + "─" * (sum(widths[place] + GAP for place in part) - GAP), style="dim")
    for number, row in enumerate(grid.rows):
        if number and number in grid.starts:
            yield Text()
        folded = [[line.plain for line in Text(row[place]).wrap(console, widths[place])] or [""] for place in part]
        for level in range(max(map(len, folded))):
            line = Text(margin)
            for place, lines in zip(part, folded, strict=True):
                column, value = grid.columns[place], lines[level] if level < len(lines) else ""
                gap = "" if place == part[0] else " " * GAP
                style = VERDICTS.get(value, "") if column.judges else ""
                line.append(gap).append(_fitted(value, widths[place], right=_right(column)), style=style)
            yield line


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


def _right(column: Column) -> bool:
    return column.number and not column.label


def _head(column: Column) -> list[str]:
    """Return a column's name in lines; a long name of a measure is folded after an underscore."""
    name = column.name
    cuts = [place + 1 for place, letter in enumerate(name) if letter == "_"]
    if len(name) > 8 and cuts and not column.label:
        cut = min(cuts, key=lambda place: max(place, len(name) - place))
        return [name[:cut], name[cut:]]
    return name.split("\n")
