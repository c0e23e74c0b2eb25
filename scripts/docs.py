"""Write the guide as a site into a new folder, together with pages for builders."""

import re
import sys
from pathlib import Path

from sqlrisk.common.output_files import write_folder
from sqlrisk.report import guide

ROOT = Path(__file__).resolve().parents[1]
# Faults and fuzzing, benchmarks, the supply chain.
BUILDERS = ("sql/docs/testing.md", "sql/docs/speed.md", "data/licences.md")
GROUP = "For builders"
LINK = re.compile(r"\[([^\[\]]+)\]\((?!https?:)([^()]+)\)")


def built() -> list[guide.Page]:
    """Return the pages for builders. A link to a page outside the site becomes plain words."""
    texts = {Path(path).stem: (ROOT / path).read_text(encoding="utf-8") for path in BUILDERS}
    there = {*texts, *guide.pages()}

    def kept(link: re.Match[str]) -> str:
        words, place = link.groups()
        target = Path(place.partition("#")[0])
        inside = target.suffix == ".md" and target.stem in there
        return f"[{words}]({Path(place).name})" if inside else words

    return [guide.Page(topic, GROUP, LINK.sub(kept, text)) for topic, text in texts.items()]


if __name__ == "__main__":
    write_folder(sys.argv[1], guide.browsed(built()))
