"""Write the guide as a site into a new folder, together with the notebooks and pages for
builders.
"""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

from sqlrisk.common.output_files import write_folder
from sqlrisk.report import guide

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "data" / "notebooks"
LINK = re.compile(r"\[([^\[\]]+)\]\((?!https?:)([^()]+)\)")


def built() -> list[guide.Page]:
    """Return the pages of the site: the guide, the notebooks, and the pages for builders.

    If the guide names a source file that is a page of the site, the name becomes a link. The
    installed guide does not link to these pages, because it does not include them.
    """
    added = {
        **{
            path.relative_to(ROOT).as_posix(): guide.Page(
                f"notebook_{path.stem}", "Notebooks", notebook(path)
            )
            for path in sorted(NOTEBOOKS.glob("*.ipynb"))
        },
        **{
            path: guide.Page(
                Path(path).stem, "For builders", (ROOT / path).read_text(encoding="utf-8")
            )
            for path in guide.BUILDERS
        },
    }
    known = guide.pages()
    there = {*known, *(each.topic for each in added.values())}

    def kept(link: re.Match[str]) -> str:
        """Return a link without its folder if it leads to a page of the site, otherwise only its
        words.
        """
        words, place = link.groups()
        target = Path(place.partition("#")[0])
        inside = target.suffix == ".md" and target.stem in there
        return f"[{words}]({Path(place).name})" if inside else words

    def linked(name: re.Match[str]) -> str:
        return f"[{name[0]}]({added[name[1]].topic}.md)"

    named = re.compile(rf"`?({'|'.join(map(re.escape, added))})`?")
    return [
        *(replace(each, text=named.sub(linked, each.text)) for each in known.values()),
        *(replace(each, text=LINK.sub(kept, each.text)) for each in added.values()),
    ]


def notebook(path: Path) -> str:
    """Return a notebook as Markdown: its prose, its code, and below each piece what it printed.

    Notebooks hold only printed text, because tests run them and store nothing else. Any other
    output has no ``text`` and raises KeyError, so that it is not left out silently.
    """
    drawn = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        drawn.append(text if cell["cell_type"] == "markdown" else fenced(text, "python"))
        drawn += [fenced("".join(each["text"]), "text") for each in cell.get("outputs", ())]
    source = path.relative_to(ROOT).as_posix()
    end = f"This page is `{source}` of the source code. Tests run it and compare what it prints."
    return "\n\n".join([*drawn, end]) + "\n"


def fenced(text: str, language: str) -> str:
    """Return text as a block of code, whose fence is longer than any in the text."""
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", text))]))
    return f"{fence}{language}\n{text}\n{fence}"


if __name__ == "__main__":
    write_folder(sys.argv[1], guide.browsed(built()))
