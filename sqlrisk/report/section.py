"""The sections of a report, in one order for text, Markdown and pages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeAlias

from sqlrisk.report.blocks import Block, Heading, Paragraph

if TYPE_CHECKING:
    from sqlrisk.report.html.look import Figure


@dataclass(frozen=True)
class OnPage:
    """Content that only a page shows."""

    blocks: "Sequence[Part]"


@dataclass(frozen=True)
class InText:
    """Blocks that only text and Markdown show."""

    blocks: Sequence[Block]


@dataclass(frozen=True)
class Figures:
    """The place of figures with these names. A page draws those that exist. Text draws none."""

    names: Sequence[str]


@dataclass(frozen=True)
class Article:
    """A finding on a page: its heading, sentences and blocks. ``name`` is shown below them. A user
    types it to sign the finding.
    """

    title: str
    said: Sequence[Paragraph]
    blocks: "Sequence[Part]"
    name: str


@dataclass(frozen=True)
class Template:
    """A part of a page that is rendered from its own template with these values."""

    file: str
    values: Mapping[str, object]


Part: TypeAlias = "Block | OnPage | InText | Figures | Article | Template | Figure"


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        id: the section's anchor in a page.
        title: the section's heading.
        parts: the section's content, in order.
        kind: the CSS classes of the section's element in a page.
        place: ``front`` (before the table of contents), ``findings``, or empty for the annex behind
            both.
    """

    id: str
    title: str
    parts: Sequence[Part]
    kind: str = ""
    place: str = ""

    @classmethod
    def of(cls, name: str, blocks: Iterable[Part]) -> Self:
        """Make a section from blocks. The first heading becomes its title, the rest its content."""
        title, parts = "", list[Part]()
        for block in blocks:
            if isinstance(block, Heading) and not title:
                title = block.text
            else:
                parts += below([block])
        return cls(name, title, parts)


def below(blocks: Iterable[Part]) -> Iterator[Part]:
    """Yield blocks with their headings at level 3, to become part of another section."""
    for block in blocks:
        yield replace(block, level=3) if isinstance(block, Heading) else block


def in_text(parts: Iterable[Part]) -> Iterator[Block]:
    """Yield the blocks of these parts that text and Markdown show."""
    for part in parts:
        if isinstance(part, InText):
            yield from part.blocks
        elif isinstance(part, Block):
            yield part


def text_of(sections: Iterable[Section]) -> Iterator[Block]:
    """Yield sections as text and Markdown show them. Sections only for pages are dropped."""
    for section in sections:
        if shown := [*in_text(section.parts)]:
            yield from (Heading(section.title), *shown)


def page_of(sections: Iterable[Section], figures: "Mapping[str, Drawn]") -> Iterator[Section]:
    """Yield the sections that a page shows, with figures in their places."""
    for section in sections:
        if shown := [*_on_page(section.parts, figures)]:
            yield replace(section, parts=shown)


@dataclass(frozen=True)
class Drawn:
    """The figures that share a name, with their heading and words."""

    figures: "Sequence[Figure]"
    title: str = ""
    words: str = ""


def _on_page(parts: Iterable[Part], figures: Mapping[str, Drawn]) -> Iterator[Part]:
    for part in parts:
        match part:
            case InText():
                continue
            case OnPage():
                yield from _on_page(part.blocks, figures)
            case Article():
                yield replace(part, blocks=[*_on_page(part.blocks, figures)])
            case Figures():
                for drawn in (figures[name] for name in part.names if name in figures):
                    yield from [Heading(drawn.title, 3)] if drawn.title else []
                    yield from [Paragraph(drawn.words, quiet=True)] if drawn.words else []
                    yield from drawn.figures
            case _:
                yield part
