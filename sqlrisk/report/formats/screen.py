"""A text that fits a screen: whole sections, and the first rows of those that matter most."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlrisk.report.blocks import Block, Grid, Heading, Paragraph
from sqlrisk.report.formats.text import text
from sqlrisk.report.wording import some

LINES = 40  # of a screen
NAMED = 3  # sections that the last line names
ROWS = 3  # fewest rows of a table that is not shown as a whole


def fitting(blocks: Sequence[Block], first: Sequence[str], width: int) -> list[Block]:
    """Return blocks that fit a screen of ``width`` characters: the opening with the first section,
    then other whole sections. If any are left out, a last paragraph says so.

    Sections whose headings are in ``first`` get room first, in its order. If one is too long, its
    last table is cut. If that is not enough, the section is left out. The opening is cut too, but
    never left out.
    """
    headings = [
        place
        for place, block in enumerate(blocks)
        if isinstance(block, Heading) and block.level == 2
    ]
    bounds = pairwise([0, *headings[1:], len(blocks)])
    opening, *sections = [blocks[begin:end] for begin, end in bounds]
    room = LINES - 3  # the last paragraph takes three lines
    shown = {-1: _cut(opening, room, width) or opening}
    room -= _lines(shown[-1], width)
    ranks = {title: rank for rank, title in enumerate(first)}
    for place in sorted(
        range(len(sections)), key=lambda place: ranks.get(_title(sections[place]), len(first))
    ):
        section = sections[place]
        cut = _cut(section, room - 1, width) if _title(section) in first else section
        if cut and (lines := _lines(cut, width) + 1) <= room:
            shown[place] = cut
            room -= lines
    left = [_title(each) for place, each in enumerate(sections) if place not in shown]
    return [*(block for place in sorted(shown) for block in shown[place]), *_left_out(left)]


def _cut(section: Sequence[Block], room: int, width: int) -> Sequence[Block]:
    """Return a section, with its last table cut if needed to fit ``room`` lines. Empty if it does
    not fit and has no table to cut, or fewer than ``ROWS`` rows fit.
    """
    if _lines(section, width) <= room:
        return section
    tables = [(place, block) for place, block in enumerate(section) if isinstance(block, Grid)]
    for place, grid in tables[-1:]:
        for rows in range(min(len(grid.rows) - 1, room), ROWS - 1, -1):
            told = Paragraph(f"The first {rows} of {len(grid.rows)}.", quiet=True)
            first = replace(grid, rows=grid.rows[:rows])
            cut = [*section[:place], first, told, *section[place + 1 :]]
            if _lines(cut, width) <= room:
                return cut
    return []


def _title(section: Sequence[Block]) -> str:
    return getattr(section[0], "text", "")


def _lines(blocks: Sequence[Block], width: int) -> int:
    return text(blocks, width=width).count("\n")


def _left_out(titles: Sequence[str]) -> list[Block]:
    if not titles:
        return []
    text = f"Not shown: {some(titles, NAMED)}. Everything: --verbose (Python: to_text())."
    return [Paragraph(text, quiet=True)]
