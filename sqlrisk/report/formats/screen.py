"""A text that fits a screen: whole sections, as many as there is room for."""

from collections.abc import Sequence
from itertools import pairwise

from sqlrisk.report.blocks import Block, Heading, Paragraph
from sqlrisk.report.formats.text import text

LINES = 40  # of a screen
NAMED = 3  # sections that the last line names


def fitting(blocks: Sequence[Block], first: Sequence[str], width: int) -> list[Block]:
    """Return blocks that fit a screen of ``width`` characters: the opening, the first section, then
    whole sections, those whose headings are in ``first`` before others. If any are left out, a last
    paragraph says so.
    """
    headings = [
        place
        for place, block in enumerate(blocks)
        if isinstance(block, Heading) and block.level == 2
    ]
    bounds = pairwise([0, *headings[1:], len(blocks)])
    opening, *sections = [blocks[begin:end] for begin, end in bounds]
    room = LINES - 3 - _lines(opening, width)  # the last paragraph takes three lines
    kept: set[int] = set()
    for place in sorted(
        range(len(sections)), key=lambda place: _title(sections[place]) not in first
    ):
        lines = _lines(sections[place], width) + 1
        if lines <= room:
            kept.add(place)
            room -= lines
    shown = [block for place in sorted(kept) for block in sections[place]]
    left = [_title(section) for place, section in enumerate(sections) if place not in kept]
    return [*opening, *shown, *_left_out(left)]


def _title(section: Sequence[Block]) -> str:
    return getattr(section[0], "text", "")


def _lines(blocks: Sequence[Block], width: int) -> int:
    return text(blocks, width=width).count("\n")


def _left_out(titles: Sequence[str]) -> list[Block]:
    if not titles:
        return []
    more = f" and {len(titles) - NAMED} more" if len(titles) > NAMED else ""
    named = "; ".join(titles[:NAMED]) + more
    return [
        Paragraph(f"Not shown: {named}. Everything: --verbose (Python: to_text()).", quiet=True)
    ]
