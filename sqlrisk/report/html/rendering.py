"""Render blocks as HTML: the templates that all pages share, and the form of texts and numbers.

Texts are escaped. Each number of a report has the JSON pointer of its source.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup, escape

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Grid, Heading, Number, Sentence
from sqlrisk.report.columns import TITLE
from sqlrisk.report.prose import environment
from sqlrisk.report.section import Part, Section, Template

if TYPE_CHECKING:
    from sqlrisk.report.html.look import Figure

SHORT, LONG, CODE = 16, 26, 40  # lengths of texts, in characters
QUOTED = re.compile(f"(“[^”]{{1,{SHORT}}}”)")  # a short level
WIDE = 9  # tables with this many columns or more are set smaller on paper

COLUMNS = {"target", "column", "key"}  # headings of table columns that hold names of columns

Places = Mapping[int, str]  # id of a row -> its JSON pointer (RFC 6901)
Labels = Mapping[str, str]  # name of a column -> its label
# The places and labels of the page that is being rendered. A template variable cannot hold them:
# templates are compiled once for all pages.
_PAGE: ContextVar[tuple[Places, Labels]] = ContextVar("page", default=({}, {}))


def plain_page(
    blocks: Sequence[Block],
    figures: "Mapping[str, Sequence[Figure]] | None" = None,
    labels: Labels = MappingProxyType({}),
) -> str:
    """Return blocks as an HTML page. The first heading of level 1 is its title, and every other
    heading begins a section. Blocks before the first section are in a section named Result.

    ``figures`` maps the text of a heading to the figures that follow it. ``labels`` stand below the
    names of columns in tables.
    """
    title, found = "", list[tuple[str, list[Part]]]()
    for block in drawn_below(blocks, figures or {}):
        if isinstance(block, Heading) and block.level == 1 and not title:
            title = block.text
        elif isinstance(block, Heading):
            found.append((block.text, []))
        else:
            found = found or [("Result", [])]
            found[-1][1].append(block)
    sections = [Section(f"part-{place}", *each) for place, each in enumerate(found, start=1)]
    return render("page.html.j2", {}, labels=labels, title=title or TITLE, sections=sections)


def drawn_below(
    blocks: Sequence[Block], figures: "Mapping[str, Sequence[Figure]]"
) -> "Iterator[Block | Figure]":
    """Yield the blocks, with the figures of each heading after that heading."""
    for block in blocks:
        yield block
        if isinstance(block, Heading):
            yield from figures.get(block.text, ())


def fragment(blocks: Sequence[Block], label: str) -> str:
    """Return blocks without headings as HTML for a notebook. ``label`` describes the tables."""
    macros: Any = _environment().get_template("blocks.html.j2").module
    return str(macros.body([block for block in blocks if not isinstance(block, Heading)], label))


def render(
    template: str,
    where: Places,
    *scripts: str,
    labels: Labels = MappingProxyType({}),
    **names: object,
) -> str:
    """Return a page. ``where`` has the JSON pointer of each row, to mark its numbers. ``scripts``
    are added to ``tables.js``. ``labels`` stand with the names of columns in tables and figures.
    ``template`` and ``scripts`` are file names, ``names`` the other variables of the template.
    """
    script = "\n".join(map(_file, ("tables.js", *scripts)))
    digest = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
    given = {
        "title": TITLE,
        "subtitle": "",
        "banner": "",
        "level": "",
        "logo": "",
        "organisation": "",
        "results": "",
        "chapters": (),
        "version": __version__,
        **names,
    }
    return _rendered(
        template,
        (where, labels),
        style=Markup(_file("style.css")),  # noqa: S704 - files of this package
        script=Markup(script),  # noqa: S704
        script_hash=f"sha256-{digest}",
        **given,
    )


def part(template: str, **names: object) -> str:
    """Return a part of a page, rendered from its own template."""
    return _rendered(template, ({}, {}), **names)


def _rendered(template: str, page: tuple[Places, Labels], **names: object) -> str:
    outer = _PAGE.set(page)
    try:
        return _environment().get_template(template).render(**names)
    finally:
        _PAGE.reset(outer)


def places(value: Mapping[Any, Any] | list[Any], pointer: str = "") -> dict[int, str]:
    """Return the JSON pointer of every mapping inside ``value``, by the ``id()`` of the mapping."""
    found = {id(value): pointer} if isinstance(value, Mapping) else {}
    inside = value.items() if isinstance(value, Mapping) else enumerate(value)
    for name, item in inside:
        # Most items are numbers and texts. The first test excludes them faster than the second.
        if not isinstance(item, str | float | int | None) and isinstance(item, Mapping | list):
            within = str(name).replace("~", "~0").replace("/", "~1")
            found |= places(item, f"{pointer}/{within}")
    return found


@cache
def _environment() -> Environment:
    templates = environment(
        "sqlrisk.report.html",
        drawn=_drawn,
        called=_called,
        below=_below,
        folded=_folded,
        heads=_heads,
        extent=_extent,
        svg=_svg,
        filled=_filled,
    )
    templates.globals["WIDE"] = WIDE
    templates.tests["sortable"] = _sortable
    return templates


def _drawn(text: str) -> Markup:
    """Return a text as HTML, its numbers marked with their value and source: ``<data value="1.25"
    data-source="/results/3/value">``.
    """
    where, _ = _PAGE.get()
    match text:
        case Sentence():
            drawn = Markup("").join(map(_drawn, text.parts))
            # No line ends between a number and its sign.
            return drawn.replace(Markup("</data> %"), Markup("</data>\N{NO-BREAK SPACE}%"))
        case Number() if id(text.row) in where:
            value = json.dumps(text.row.get(text.field))
            source = f"{where[id(text.row)]}/{text.field}"
            return Markup('<data value="{}" data-source="{}">{}</data>').format(
                value, source, str(text)
            )
    if len(text) > SHORT and " " not in text:
        return _folded(text)
    # No line ends inside a short level, such as “- 50000.”.
    parts = QUOTED.split(str(text).replace("\n", " "))
    return Markup("").join(
        Markup('<span class="short">{}</span>').format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def _called(name: str) -> str:
    """Return the label of a column, empty if it has none."""
    return _PAGE.get()[1].get(name, "")


def _below(text: str, heading: str, before: object) -> Markup:
    """Return the label to show below the name of a column in a table. The browser cuts it to fit.
    Empty without a label, or if the cell above (``before``) has the same name.
    """
    label = _called(text) if heading in COLUMNS and text != before else ""
    return Markup(' <small title="{0}">{0}</small>').format(label) if label else Markup("")


def _folded(text: str) -> Markup:
    """Return a text as HTML that may break after an underscore or an equals sign."""
    parts = re.split(r"(?<=[_=])", text.replace("\n", " "))
    return Markup("<wbr>").join(map(escape, parts))


def _heads(grid: Grid) -> list[tuple[str, int]]:
    """Return the headings above a grid's columns, each with the number of columns that it spans.
    The list is empty if there are none.
    """
    if not any(column.above for column in grid.columns):
        return []
    return [(grid.columns[group[0]].above, len(group)) for group in grid.groups()]


def _sortable(grid: Grid) -> bool:
    """Return True if a grid can be sorted: over two rows, no groups, and no empty first cell."""
    return len(grid.rows) > 2 and not grid.starts and all(row[0] for row in grid.rows)


def _extent(text: str) -> str:
    """Return how a table cell's text may break: ``short`` never, ``text`` between words, ``long``
    between words with a minimum width, ``code`` anywhere.
    """
    if len(text) <= SHORT:
        return "short"
    if " " not in text and len(text) > CODE:
        return "code"
    return "long" if len(text) > LONG else "text"


def _svg(figure: "Figure") -> Markup:
    from sqlrisk.report.html.look import svg

    return Markup(svg(figure))  # noqa: S704 - drawn by the library, which escapes


def _filled(template: Template) -> Markup:
    return Markup(part(template.file, **template.values))  # noqa: S704 - a template of this package


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")
