"""Blocks as GitHub Markdown."""

import re
from collections.abc import Sequence

from sqlrisk.report.blocks import Block, Grid, Heading, Items, Paragraph, Terms


def markdown(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown text. All texts are escaped, so they never act as markup."""
    return "\n\n".join(_drawn(block) for block in blocks) + "\n"


def _drawn(block: Block) -> str:
    match block:
        case Heading():
            return "#" * block.level + " " + escaped(block.text)
        case Paragraph():
            return _begun(block.text)
        case Items():
            return "\n".join("- " + _begun(item) for item in block.texts)
        case Terms():
            return "\n".join(
                f"- **{escaped(word)}**: {escaped(meaning)}" for word, meaning in block.pairs
            )
        case Grid():
            return _grid(block)


def _grid(grid: Grid) -> str:
    # Markdown has no headings across columns, so they are written before each column's name.
    head = [escaped(column.in_one_line) for column in grid.columns]
    rule = ["---" if column.label else "---:" for column in grid.columns]
    rows = [[escaped(value) for value in row] for row in grid.rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rows])


def escaped(value: str) -> str:
    """Return a text with Markdown's special characters escaped, and line breaks as ``<br>``."""
    value = re.sub(r"[\\`*\[\]<>|~&$]|(?<!\S)#|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", value)
    return value.replace("\n", "<br>")


def _begun(value: str) -> str:
    """Return an escaped text for the start of a line, where ``-``, ``+``, ``1.`` or ``1)`` would
    begin a list, and blanks would make it code.
    """
    return re.sub(r"^(\d*)([-+.)])(?=\s|-*$)", r"\1\\\2", escaped(value).lstrip())
