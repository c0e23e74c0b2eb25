"""Advice on the form of the code: full folders, class names used twice, a long glossary.

`sh scripts/check` prints the advice, and never fails because of it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES, WORDS = 15, 40  # a folder or list up to this size can be read at a glance
GLOSSARY = "\n| standard term | here | what it is | symbols |\n"


def said(package: Path, sql: Path) -> Iterator[str]:
    """Yield each piece of advice as a line that begins with the place in the code."""
    for folder in sorted({path.parent for path in package.rglob("*.py")}):
        if (modules := len(list(folder.glob("*.py")))) > MODULES:
            yield (
                f"{folder.relative_to(package.parent)}: {modules} modules; what goes together "
                "may have a folder of its own"
            )
    yield from _names_of_two(package)
    page = sql / "README.md"
    lines = (
        page.read_text(encoding="utf-8")
        .partition(GLOSSARY)[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    )
    if len(lines) > WORDS:
        yield f"{page.relative_to(sql.parent)}: the glossary has {len(lines)} words"


def _names_of_two(package: Path) -> Iterator[str]:
    """Yield each class name that is used twice."""
    places: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.relative_to(package).as_posix())
    for name, paths in places.items():
        if len(paths) > 1:
            yield f"{', '.join(paths)}: each has a class {name}"


if __name__ == "__main__":
    for each in said(ROOT / "sqlrisk", ROOT / "sql"):
        print(f"form: {each}")
