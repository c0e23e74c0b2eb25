"""Run the code of notebooks and R Markdown, and make sections of the guide from code and output."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "data" / "notebooks"
WIDE = 80  # columns of the terminal that the guide is written for


@dataclass(frozen=True)
class Part:
    """A part of a notebook: prose in Markdown, or code in ``language`` with its output."""

    text: str
    language: str = ""
    printed: str = ""


def section(parts: list[Part], source: str) -> str:
    """Return a section of the guide: title, prose, code with output, and where to find the
    notebook.
    """
    drawn = []
    for part in parts:
        drawn.append(
            f"```{part.language}\n{part.text}\n```"
            if part.language
            else re.sub(r"^#", "##", part.text, flags=re.MULTILINE)
        )
        if part.printed:
            drawn.append(f"```text\n{part.printed}\n```")
    return (
        "\n\n".join(
            [
                *drawn,
                f"This whole analysis is in `data/notebooks/{source}` of the source code.",
            ]
        )
        + "\n"
    )


def run_notebook(path: Path, execute: Callable[[str], str]) -> tuple[str, list[Part]]:
    """Run the cells of a notebook in order. Return the notebook's text with the new outputs, and
    its parts.
    """
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(Part(text))
            continue
        printed = execute(text).rstrip("\n")
        lines = [f"{line}\n" for line in printed.split("\n")]
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": [*lines[:-1], lines[-1][:-1]]}]
            if printed
            else []
        )
        parts.append(Part(text, "python", printed))
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", parts


def chunks(text: str) -> Iterator[Part]:
    """Yield the parts of an R Markdown page, without outputs. Its title becomes a heading."""
    _, header, body = text.split("---\n", 2)
    title = re.search(r'^title: "(.*)"$', header, re.MULTILINE)
    assert title
    found = re.split(r"^```\{r\}\n(.*?)^```$", body, flags=re.DOTALL | re.MULTILINE)
    found[0] = f"# {title[1]}\n\n{found[0].strip()}"
    for place, part in enumerate(found):
        if part.strip():
            yield Part(part.strip(), "r" if place % 2 else "")
