"""From sections to a page: what a section holds, and the one template that all pages share."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Grid, Heading
from sqlrisk.report.html import drawing, words

if TYPE_CHECKING:
    from sqlrisk.report.html.marks import Figure


TITLE = "Disclosure risk of synthetic data"


@dataclass(frozen=True)
class Figures:
    """Figures beside each other under one heading."""

    title: str
    caption: str
    figures: "Sequence[Figure]"


@dataclass(frozen=True)
class Form:
    """What people fill in by hand to sign off."""

    checklist: Sequence[str] = words.CHECKLIST
    decisions: Sequence[str] = words.DECISIONS
    blanks: Sequence[str] = words.BLANKS


Part = Block | Figures | Form


@dataclass(frozen=True)
class Section:
    """A part of the page that the contents list; ``verdict`` colours it, where a policy has one."""

    id: str
    title: str
    parts: Sequence[Part]
    verdict: str = ""


def plain_page(blocks: Sequence[Block]) -> str:
    """Return blocks as a page of their own: the first heading is its title, each further one begins a section."""
    title, sections = "", list[Section]()
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1 and not title:
            title = block.text
        elif isinstance(block, Heading):
            sections.append(Section(f"part-{len(sections) + 1}", block.text, []))
        else:
            if not sections:
                sections.append(Section("part-1", "Result", []))
            sections[-1] = Section(sections[-1].id, sections[-1].title, [*sections[-1].parts, block])
    return render(title or TITLE, sections, {})


def plain_table(grid: Grid, label: str) -> str:
    """Return a grid as an HTML table, as a notebook shows it."""
    macros: Any = _environment({}).get_template("blocks.html.j2").module
    return str(macros.table(grid, label))


def render(title: str, sections: Sequence[Section], where: drawing.Places, **more: str) -> str:
    """Return sections as a page; ``where`` has the place of each row in the JSON, which numbers are marked with."""
    script = _file("tables.js")
    digest = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
    return (
        _environment(where)
        .get_template("page.html.j2")
        .render(
            title=title,
            sections=sections,
            style=Markup(_file("style.css")),  # noqa: S704 - files of this package
            script=Markup(script),  # noqa: S704
            script_hash=f"sha256-{digest}",
            version=__version__,
            **{"subtitle": "", "banner": "", "level": "", **more},
        )
    )


def _environment(where: drawing.Places) -> Environment:
    environment = Environment(
        loader=PackageLoader("sqlrisk.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["WIDE"] = drawing.WIDE
    environment.filters["drawn"] = partial(drawing.drawn, where=where)
    environment.filters["folded"] = drawing.folded
    environment.filters["heads"] = drawing.heads
    environment.filters["extent"] = drawing.extent
    environment.filters["svg"] = _svg
    environment.tests["numeric"] = drawing.numeric
    environment.tests["sortable"] = drawing.sortable
    environment.tests["figures"] = lambda part: isinstance(part, Figures)
    environment.tests["form"] = lambda part: isinstance(part, Form)
    return environment


def _svg(figure: "Figure") -> Markup:
    from sqlrisk.report.html.marks import svg

    return Markup(svg(figure))  # noqa: S704 - drawn by the library, which escapes


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")
