"""Find dead links between the pages (.html, .md) of some folders, including links to headings."""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from sqlrisk.report.guide import anchor

HIDDEN = ("tests", "node_modules")  # pages there are test data, or of other authors


class Page(HTMLParser):
    """A page: its ``links``, and its ``places`` that other pages can link to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        text = path.read_text(encoding="utf-8")
        self.feed(text if path.suffix == ".html" else self.drawn(text))

    def drawn(self, text: str) -> str:
        """Convert Markdown to HTML and note its headings as places."""
        reader = MarkdownIt("commonmark", {"html": False}).enable("table")
        tokens = reader.parse(text)
        for number, token in enumerate(tokens):
            if token.type == "heading_open":
                self.places.add(anchor(tokens[number + 1].content))
        return str(reader.renderer.render(tokens, reader.options, {}))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the id of an element as a place, and its href or src as a link."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append(unquote(value))


def pages(folder: Path) -> Iterator[Path]:
    """Yield the pages under a folder, except those in hidden folders and in HIDDEN."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith(".") and path.name not in HIDDEN:
            yield from pages(path)
        elif path.suffix in (".html", ".md"):
            yield path


def dead(*folders: Path) -> list[str]:
    """Return the dead links as ``page: link``. Links to other sites (https:) are not checked."""
    known = {path.resolve(): Page(path) for folder in folders for path in pages(folder)}
    found = []
    for path, page in known.items():
        for link in page.links:
            name, _, place = link.partition("#")
            if ":" in name:
                continue
            target = (path.parent / name).resolve() if name else path
            if not target.exists() or (
                place and target in known and place not in known[target].places
            ):
                found.append(f"{path}: {link}")
    return found


if __name__ == "__main__":
    lost = dead(*(Path(argument) for argument in sys.argv[1:]))
    print("\n".join(lost) or "no dead links", file=sys.stderr)
    sys.exit(bool(lost))
