"""Make the blocks of a result's text from the templates of this package and from plain rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sqlrisk.report import wording
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items, Paragraph, Terms

if TYPE_CHECKING:
    from jinja2 import Environment


def plain_grid(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    show: Callable[[object], str],
    counts: Mapping[str, tuple[str, str]] | None = None,
) -> Grid:
    """Return a grid of these rows. ``show`` makes the text of each value.

    ``counts`` maps each column to be right-aligned to its head, as two texts, one above the other.
    By default, all columns of numbers are right-aligned.
    """
    heads = []
    for place, name in enumerate(columns):
        number = (
            all(isinstance(row[place], int | float | None) for row in rows)
            if counts is None
            else name in counts
        )
        above, head = (counts or {}).get(name, ("", name))
        heads.append(GridColumn(wording.shown(head), above, label=not number))
    return Grid(heads, [[show(value) for value in row] for row in rows])


def said(template: str, found: object, **drawn: Sequence[Block]) -> list[Block]:
    """Render ``template``.j2 with the result ``found``, and return its parts as blocks. Empty lines
    separate the parts.

    A part is one of these. If items, terms or a paragraph begin with >, they are quiet.

    - a heading: # or ##
    - items: - before each
    - terms: = before each word, its meaning in the lines below. These lines are indented by two
      spaces, because a name in them may begin with a sign
    - a name in brackets: the blocks of this name in ``drawn``
    - anything else is a paragraph
    """
    text = _templates().get_template(f"{template}.j2").render(found=found)
    return [
        block
        for part in re.split(r"\n{2,}", text.strip("\n"))
        for block in drawn.get(part[1:-1], [_block(part)])
    ]


def _block(part: str) -> Block:
    quiet, text = part.startswith("> "), part.removeprefix("> ")
    sign, _, rest = text.partition(" ")
    items = [item.split("\n") for item in f"\n{text}".split(f"\n{sign} ")[1:]]
    match sign:
        case "#" | "##":
            return Heading(rest, len(sign))
        case "-":
            return Items([" ".join(lines) for lines in items], quiet)
        case "=":
            return Terms(
                [
                    (word, " ".join(line.removeprefix("  ") for line in meaning))
                    for word, *meaning in items
                ],
                quiet,
            )
    return Paragraph(text.replace("\n", " "), quiet)


@cache
def _templates() -> "Environment":
    return environment("sqlrisk.report")


def environment(package: str, **filters: Callable[..., object]) -> "Environment":
    """Return the Jinja environment of a package's templates. Its filters are some functions of
    `wording`, and ``filters``. Only templates of HTML escape their values.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    templates = Environment(
        autoescape=select_autoescape(("html.j2",)),
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("amount", "are", "names", "percent", "share", "shown", "synthesis_name")
    templates.filters |= {name: getattr(wording, name) for name in names} | filters
    return templates
