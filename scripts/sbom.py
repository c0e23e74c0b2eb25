"""Write data/sbom.cdx.json and data/licences.md from a CycloneDX bill of materials on stdin.

Called by scripts/lock. Only sqlrisk's version, and facts that the lock decides or a license check
needs, are kept. So the same version and lock give the same bytes on every machine. Home pages,
descriptions, license texts and the versions of the tools are dropped.
"""

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"
VERSION = DATA.parent / "sqlrisk" / "common" / "version.py"
HEAD = """# Licenses of the libraries that sqlrisk uses

These libraries are needed by the command or by one of its extras. None is in the wheel: your
installer fetches them. Versions are those of scripts/locks/requirements.lock, licenses as each
library declares them. `scripts/lock` writes this page from [sbom.cdx.json](sbom.cdx.json).

| library | version | licence |
| --- | --- | --- |
"""


def pick(found: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the entries of ``found`` with these names, in the order of the names. Names that it
    lacks are skipped.
    """
    return {name: found[name] for name in names if name in found}


def licences(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the name of each license. If a license is declared only as text, its first line is the
    name.
    """
    for each in found:
        licence = each.get("license", {})
        if "text" in licence:
            if len(found) == 1:
                yield {"license": {"name": licence["text"]["content"].lstrip().splitlines()[0]}}
        elif "name" in licence:
            yield {"license": {"name": licence["name"].removeprefix("License :: OSI Approved :: ")}}
        else:
            yield each


def component(found: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a component to keep."""
    return pick(found, "type", "bom-ref", "name", "version", "purl") | {
        "licenses": [*licences(found.get("licenses", []))]
    }


def bill(found: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a bill of materials to keep, with the version of sqlrisk."""
    found["metadata"]["component"]["version"] = runpy.run_path(str(VERSION))["__version__"]
    metadata = {
        "tools": {
            "components": [
                pick(tool, "type", "name") for tool in found["metadata"]["tools"]["components"]
            ]
        },
        "component": component(found["metadata"]["component"]),
    }
    components = sorted(
        map(component, found["components"]), key=lambda each: each["name"].casefold()
    )
    rest = {"metadata": metadata, "components": components, "dependencies": found["dependencies"]}
    return pick(found, "bomFormat", "specVersion", "version") | rest


def table(made: dict[str, Any]) -> str:
    """Return a Markdown table of the components with their licenses."""
    text = HEAD
    for each in made["components"]:
        found = ({**licence, **licence.get("license", {})} for licence in each["licenses"])
        names = ", ".join(
            next(iter(pick(licence, "expression", "id", "name").values())) for licence in found
        )
        text += f"| {each['name']} | {each['version']} | {names} |\n"
    return text


if __name__ == "__main__":
    made = bill(json.load(sys.stdin))
    (DATA / "sbom.cdx.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    (DATA / "licences.md").write_text(table(made), encoding="utf-8")
