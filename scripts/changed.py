"""Read the paths of changed files, one a line, and print their nearest tests, one a line, as pytest names them.

Nearest are those that use a changed file in the fewest steps: by imports, as sqlrisk.NAME, by the path of an SQL file or by the
name of a measure in a worked case. Of a test file the functions count that name it, or that call or take what does.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOUND = [path for folder in ("sqlrisk", "sql", "tests") for path in sorted((ROOT / folder).rglob("*.*"))]
TEXTS = {path: path.read_text(encoding="utf-8") for path in FOUND if path.suffix in (".py", ".sql", ".toml")}
TREES = {path: ast.parse(text) for path, text in TEXTS.items() if path.suffix == ".py"}
NAMES: dict[str, Path] = {}  # modules (of tests also without their folders), SQL by path, measures
for file, text in TEXTS.items():
    parts = (file.parent if file.stem == "__init__" else file.with_suffix("")).relative_to(ROOT).parts
    NAMES |= {".".join(parts[start:]): file for start in range(len(parts) if parts[0] == "tests" else 1)}
    if file.suffix == ".sql":
        NAMES["/".join(parts[1:]) + ".sql"] = file
        NAMES |= dict.fromkeys(re.findall(r'^name *= *"(.*)"', text, re.MULTILINE), file)


def named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Tell every name in a piece of Python, and what it stands for where an import says so."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from ((alias.asname or alias.name, alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases):
                yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in aliases)
            case ast.Constant(value=str(text)) if text.endswith(".sql"):
                yield text, text
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name, ""
            case ast.Attribute(value=ast.Name(id="sqlrisk"), attr=name):
                yield f"sqlrisk.{name}", PUBLIC.get(name, "")


PUBLIC: dict[str, str] = {}
PUBLIC |= dict(named(TREES[NAMES["sqlrisk"]]))


def used(path: Path) -> dict[str, Path]:
    """Return the files that a file names, by these names; but for the public face of the package, which names everything."""
    if path.suffix == ".py" and path != NAMES["sqlrisk"]:
        known = ((name, NAMES.get(full) or NAMES.get(full.rpartition(".")[0])) for name, full in named(TREES[path]))
        return {name: file for name, file in known if file and file != NAMES["sqlrisk"]}
    names = re.findall(r'"(\w+/[\w/]+\.sql)"|measure *= *"(.*?)"', "" if path.suffix == ".py" else TEXTS[path])
    return {name: NAMES[name] for name in map("".join, names) if name in NAMES}


USED = {path: used(path) for path in TEXTS}


def tests_in(path: Path, wanted: set[Path]) -> set[str]:
    """Return the tests of a file that name one of the files, or call or take what does; of a worked case the one that runs it."""
    if path.suffix == ".toml":
        runner = next((file for file in TREES if file.name == "test_measures.py"), path)
        return {f"{runner.relative_to(ROOT)}::test_a_case_worked_by_hand[{path.stem}]"}
    if not path.name.startswith("test_"):
        return set()
    names = {name for name, file in USED[path].items() if file in wanted}
    functions = {each.name: {*dict(named(each))} for each in TREES[path].body if isinstance(each, ast.FunctionDef)}
    while more := {name for name, words in functions.items() if words & names} - names:
        names |= more
    return {f"{path.relative_to(ROOT)}::{name}" for name in functions if name in names and name.startswith("test_")}


def nearest(path: Path) -> set[str]:
    """Return the nearest tests of a file: itself, where it is one; of what is no code, the test files that tell its name."""
    if path.name.startswith("test_"):
        return {str(path.relative_to(ROOT))}
    if path not in TEXTS:
        return {str(file.relative_to(ROOT)) for file in TREES if file.name.startswith("test_") and path.name in TEXTS[file]}
    seen = here = {path}
    tests = tests_in(path, here)
    while here and not tests:
        here = {each for each, names in USED.items() if each not in seen and here & {*names.values()}}
        tests = {test for each in here for test in tests_in(each, seen)}
        seen |= here
    return tests


def main() -> None:
    """Print the tests of the files; of SQL also the golden files and, where it is no measure, all that is worked by hand."""
    changed = {ROOT / line for line in sys.stdin.read().splitlines()}
    stages = [path for path in changed if path.suffix == ".sql" and "measures" not in path.parts]
    changed |= {NAMES["snapshots"]} if any(path.suffix == ".sql" for path in changed) else set()
    changed |= {NAMES["worked"]} if stages else set()
    print(*sorted({test for path in changed for test in nearest(path)}), sep="\n")


if __name__ == "__main__":
    main()
