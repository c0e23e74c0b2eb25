"""Print the nearest tests of changed files, as pytest names them. Standard input has one path per
line.

The nearest tests reach a changed file in the fewest steps. A step leads from a function, class or
constant to a name that it uses, or to an SQL file whose path it contains. A step also leads from a
worked case to its measures.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOUND = [
    path for folder in ("sqlrisk", "sql", "tests") for path in sorted((ROOT / folder).rglob("*.*"))
]
TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in FOUND
    if path.suffix in (".py", ".sql", ".toml")
}
TREES = {path: ast.parse(text) for path, text in TEXTS.items() if path.suffix == ".py"}
# module (of tests also without their folders), path of SQL or name of a measure -> file
FILES: dict[str, Path] = {}
for file, text in TEXTS.items():
    parts = (
        (file.parent if file.stem == "__init__" else file.with_suffix("")).relative_to(ROOT).parts
    )
    FILES |= {
        ".".join(parts[start:]): file for start in range(len(parts) if parts[0] == "tests" else 1)
    }
    if file.suffix == ".sql":
        FILES["/".join(parts[1:]) + ".sql"] = file
        FILES |= dict.fromkeys(re.findall(r'^name *= *"(.*)"', text, re.MULTILINE), file)

Node = tuple[Path, str]
"""A file and a name in it. An empty name means the whole file."""


def imported(path: Path) -> dict[str, Node]:
    """Return imported name -> the node it stands for."""
    found: dict[str, Node] = {}
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import | ast.ImportFrom):
            before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                module, _, name = (before + alias.name).rpartition(".")
                if whole := FILES.get(before + alias.name):
                    found[alias.asname or alias.name] = whole, ""
                elif module in FILES:
                    found[alias.asname or alias.name] = FILES[module], name
    return found


IMPORTED = {path: imported(path) for path in TREES}


def uses(path: Path, statement: ast.AST) -> set[Node]:
    """Return the nodes that a statement uses."""
    found: set[Node] = set()
    # A test that lists SQL files in a table is about all of them, so no single file is its own.
    listed = path.name.startswith("test_") and isinstance(statement, ast.Assign)
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(IMPORTED[path].get(name, (path, name)))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in IMPORTED[path]:
                module, _ = IMPORTED[path][name]
                found.add(
                    IMPORTED[module].get(attribute, (module, attribute))
                    if module in TREES
                    else (module, "")
                )
            case ast.Constant(value=str(text)) if (
                text.endswith(".sql") and text in FILES and not listed
            ):
                found.add((FILES[text], ""))
    return found


def graph() -> dict[Node, set[Node]]:
    """Return node -> the nodes it uses, for Python names, SQL files and worked cases."""
    found: dict[Node, set[Node]] = {}
    for path, text in TEXTS.items():
        if path.suffix != ".py":
            names = map("".join, re.findall(r'"(\w+/[\w/]+\.sql)"|measure *= *"(.*?)"', text))
            found[path, ""] = {(FILES[name], "") for name in names if name in FILES}
            continue
        for statement in TREES[path].body:
            targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
            for each in targets:
                if name := getattr(each, "name", getattr(each, "id", "")):
                    found.setdefault((path, name), set()).update(uses(path, statement))
    return found


def nearest(path: Path, uses_of: dict[Node, set[Node]]) -> set[str]:
    """Return the nearest tests of a file. For a test file, return its own path. For a file that is
    not code, return the test files that contain its name.
    """
    if path.name.startswith("test_"):
        return {str(path.relative_to(ROOT))}
    if path not in TEXTS:
        return {
            str(file.relative_to(ROOT))
            for file in TREES
            if file.name.startswith("test_") and path.name in TEXTS[file]
        }
    here = {(path, "")} | {node for node in uses_of if node[0] == path}
    seen: set[Node] = set()
    tests: set[str] = set()
    while here and not tests:
        tests = {test for node in here for test in tests_of(*node)}
        seen |= here
        here = {node for node, used in uses_of.items() if node not in seen and used & here}
    return tests


def tests_of(path: Path, name: str) -> set[str]:
    """Return the test that a node stands for: the node itself if it is a test, or the test that
    runs a worked case. For any other node, return an empty set.
    """
    if path.suffix == ".toml":
        runner = next((file for file in TREES if file.name == "test_measures.py"), path)
        return {f"{runner.relative_to(ROOT)}::test_a_case_worked_by_hand[{path.stem}]"}
    return (
        {f"{path.relative_to(ROOT)}::{name}"}
        if path.name.startswith("test_") and name.startswith("test_")
        else set()
    )


def main() -> None:
    """Print the tests. If SQL has changed, also print the tests of golden files. If SQL other than
    measures has changed, also print all worked cases.
    """
    changed = {ROOT / line for line in sys.stdin.read().splitlines()}
    stages = [path for path in changed if path.suffix == ".sql" and "measures" not in path.parts]
    changed |= {FILES["snapshots"]} if any(path.suffix == ".sql" for path in changed) else set()
    changed |= {FILES["worked"]} if stages else set()
    uses_of = graph()
    print(*sorted({test for path in changed for test in nearest(path, uses_of)}), sep="\n")


if __name__ == "__main__":
    main()
