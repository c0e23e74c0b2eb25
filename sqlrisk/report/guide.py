"""The guide, sqlrisk/guide/*.md: its pages in order, as plain text, for a terminal or a browser."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import groupby, pairwise
from operator import attrgetter
from types import MappingProxyType
from typing import ClassVar

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.version import __version__

FIRST = "start"  # the page whose headings and links are the table of contents
INDEX = "index.html"  # the file that a browser shows for the folder
# comments tell the tests which examples to run, and are not for readers
COMMENT = re.compile(r"<!--.*?-->\n", re.DOTALL)
LINK = re.compile(r"\[([^\[\]]+)\]\((\w+)\.md(?:#[\w-]+)?\)")
HERE = re.compile(r"\[([^\[\]]+)\]\(#[\w-]+\)")  # a link to a heading of the same page

# Topics that are part of other pages, most of them former pages. Messages and habits use them.
FORMER: Mapping[str, str] = MappingProxyType(
    {
        "aligned": "linkability",
        "assessment": "files",
        "audit": "policy",
        "benchmarks": "security",
        "bounds": "attack",
        "copies": "linkability",
        "distributions": "records",
        "example": "results",
        "exclusions": "scoring",
        "faults": "security",
        "figures": "reports",
        "fuzzing": "security",
        "intruder": "attack",
        "layouts": "r",
        "licences": "security",
        "licenses": "security",
        "lookup": "records",
        "membership": "control",
        "neighbours": "attack",
        "notebook_from_r": "r",
        "notebook_survey": "python",
        "notebook_synthpop": "python",
        "notebook_warehouse": "python",
        "others": "control",
        "pipelines": "python",
        "populations": "scoring",
        "protect": "recodes",
        "saved": "sql",
        "scenarios": "scoring",
        "sign": "policy",
        "speed": "security",
        "supply": "security",
        "supply chain": "security",
        "sweep": "attack",
        "testing": "security",
        "tests": "security",
        "tolerance": "scoring",
        "trend": "results",
        "tutorial": "results",
        "uniques": "records",
        "universe": "records",
        "walkthrough": "results",
        "warehouse": "sql",
        "warehouses": "databases",
    }
)
# Pages for builders. Only the source code and its site have them; the page "security" names them.
BUILDERS = ("sql/docs/testing.md", "sql/docs/speed.md", "data/licences.md")


@dataclass(frozen=True)
class Page:
    """A page of the guide: its topic, the heading above it in the contents, and its Markdown."""

    topic: str
    group: str
    text: str

    @property
    def title(self) -> str:
        """The heading of the page."""
        return self.text.partition("\n")[0].removeprefix("# ")


def pages() -> dict[str, Page]:
    """Return the pages by topic, in the order of the contents."""
    first = _read(FIRST, "")
    groups = [
        part.partition("\n") for part in re.split(r"^## ", first.text, flags=re.MULTILINE)[1:]
    ]
    others = [_read(topic, group) for group, _, links in groups for _, topic in LINK.findall(links)]
    return {page.topic: page for page in (replace(first, group=groups[0][0]), *others)}


def page(topic: str) -> Page:
    """Return the page of a present or former topic. Raises InputError for an unknown topic."""
    known = pages()
    topic = FORMER.get(topic, topic)
    if topic not in known:
        near = suggestion(topic, [*known, *FORMER])
        raise InputError(f"The guide has no page {topic!r}{near}; sqlrisk guide lists them.")
    return known[topic]


def listed() -> str:
    """Return the topics and titles as text."""
    known = pages()
    wide = max(map(len, known))
    return "".join(f"{each.topic:{wide}}  {each.title}\n" for each in known.values())


def plain(shown: Page) -> str:
    """Return a page as Markdown. A link to another page becomes the command that shows it, and a
    link within the page becomes its text.
    """
    return HERE.sub(r"\1", LINK.sub(r"\1 (`sqlrisk guide \2`)", shown.text))


def coloured(shown: Page, width: int) -> str:
    """Return a page for a terminal with colors, ``width`` characters wide."""
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import CodeBlock, Markdown
    from rich.text import Text

    class Example(CodeBlock):
        """A code block that is never wrapped: output of programs at 80 columns would break."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Text(str(self.text).rstrip(), style="cyan")

    class Printed(Markdown):
        """Markdown with unwrapped code."""

        elements: ClassVar = {**Markdown.elements, "fence": Example, "code_block": Example}

    console = Console(width=width, force_terminal=True)
    with console.capture() as capture:
        console.print(Printed(plain(shown)))
    return capture.get()


def browsed(more: Iterable[Page] = ()) -> Mapping[str, str]:
    """Return the guide as a web site, a dict of file name to HTML. There is a file for each page of
    the guide and of ``more``, and no file loads another. index.html repeats the first page. A page
    of ``more`` replaces the guide's on the same topic.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sqlrisk.report.html"), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("guide.html.j2")
    known = {**pages(), **{each.topic: each for each in more}}.values()
    contents = [(group, [*some]) for group, some in groupby(known, key=attrgetter("group"))]
    site = {
        f"{each.topic}.html": template.render(
            page=each, body=_html(each.text), contents=contents, version=__version__
        )
        for each in known
    }
    return {INDEX: site[f"{FIRST}.html"], **site}


def anchor(heading: str) -> str:
    """Return the anchor of a heading in a link, without #, as other Markdown viewers make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _html(text: str) -> str:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(content.content))
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", str(child.attrs["href"]).replace(".md", ".html"))
    return str(reader.renderer.render(tokens, reader.options, {}))


def _read(topic: str, group: str) -> Page:
    text = (files("sqlrisk") / "guide" / f"{topic}.md").read_text(encoding="utf-8")
    return Page(topic, group, COMMENT.sub("", text))
