"""Blocks as HTML: texts are escaped, and each number carries the place in the JSON that it is from."""

import json
from collections.abc import Mapping

from markupsafe import Markup, escape

from sqlrisk.report.blocks import Column, Grid, Number, Sentence

SHORT, LONG, CODE = 16, 26, 40  # in characters
WIDE = 9  # columns from which a table is set smaller on paper

Places = Mapping[int, str]  # id of a row -> its JSON pointer (RFC 6901)


def places(value: object, pointer: str = "") -> dict[int, str]:
    """Return the JSON pointer of every mapping inside ``value``, by identity."""
    found: dict[int, str] = {}
    if isinstance(value, Mapping):
        found[id(value)] = pointer
        for name, item in value.items():
            found |= places(item, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            found |= places(item, f"{pointer}/{place}")
    return found


def drawn(text: str, where: Places) -> Markup:
    """Return a text, the numbers in it marked with what they are: ``<data value="1.25" data-source="/results/3/value">``."""
    match text:
        case Sentence():
            return Markup("").join(drawn(part, where) for part in text.parts)
        case Number() if id(text.row) in where:
            value = json.dumps(None if text.row.get("hidden") else text.row.get(text.field))
            source = f"{where[id(text.row)]}/{text.field}"
            return Markup('<data value="{}" data-source="{}">{}</data>').format(value, source, str(text))
    return folded(text) if len(text) > SHORT and " " not in text else escape(str(text).replace("\n", " "))


def folded(text: str) -> Markup:
    """Return a text that may be folded after an underscore."""
    return Markup("_<wbr>").join(escape(part) for part in text.replace("\n", " ").split("_"))


def heads(grid: Grid) -> list[tuple[str, int]]:
    """Return what stands above the columns of a grid, and over how many of them; empty where nothing does."""
    if not any(column.above for column in grid.columns):
        return []
    found: list[tuple[str, int]] = []
    for column in grid.columns:
        if found and column.above and found[-1][0] == column.above:
            found[-1] = (column.above, found[-1][1] + 1)
        else:
            found.append((column.above, 1))
    return found


def numeric(column: Column) -> bool:
    """Whether a column stands to the right."""
    return column.number and not column.label


def sortable(grid: Grid) -> bool:
    """Whether the rows of a grid may change places: they do not where a row goes on with the one before."""
    return len(grid.rows) > 2 and not grid.starts and all(row[0] for row in grid.rows)


def extent(text: str) -> str:
    """Say how a text of a table may be folded: ``short`` not at all, ``long`` in lines of some length, ``code`` anywhere."""
    if len(text) <= SHORT:
        return "short"
    return "code" if " " not in text and len(text) > CODE else "long" if len(text) > LONG else "text"
