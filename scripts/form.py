"""Advice on the form of the code: full folders, class names used twice, a long glossary,
discouraged words in docstrings and comments.

`sh scripts/check` prints the advice, and never fails because of it. A function's docstring should
begin with a verb, a property's with a noun.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES, WORDS = 15, 40  # a folder or list up to this size can be read at a glance
# Verbs that docstrings of functions may begin with. They are listed because ruff's D401 accepts
# most nouns, and "whether".
VERBS = """
accept add ask assess attach average begin call change check choose code compare complete
compute connect convert copy count create decide decode describe do draft draw drop encode end
estimate explain fill find fix free give group guess hand hash have hold indent infer interrupt
join judge keep lay let link list load lock look make mark match measure merge name note number
open pack parse prepare print prove put quote raise read record refuse register release remember
remove render repeat replace require restore return rewrite run sample say score search show
sign sort split start stop store sum take tell tie train translate turn use widen write yield
"""
# Exceptions: users read these by help() and --help.
PUBLIC = """
api/exports.py: compile_sql
api/exports.py: sql
api/people.py: lookup
catalogue/measures.py: catalog
cli/main.py: cli
report/results/verdicts.py: failure
"""
VAGUE = re.compile(r"\bso (?:many|much)\b|\bthe same of those\b|\bsuch\b(?! as\b)", re.IGNORECASE)
GLOSSARY = "\n| standard term | here | what it is | symbols |\n"


def said(package: Path, sql: Path) -> Iterator[str]:
    """Yield each piece of advice as a line that begins with the place in the code."""
    for folder in sorted({path.parent for path in package.rglob("*.py")}):
        if (modules := len(list(folder.glob("*.py")))) > MODULES:
            yield (
                f"{folder.relative_to(package.parent)}: {modules} modules; what goes together "
                "may have a folder of its own"
            )
    for path in sorted(package.rglob("*.py")):
        for name, text, is_property in _functions(path):
            place, verb = (
                f"{path.relative_to(package).as_posix()}: {name}",
                re.split(r"\W", text)[0].lower(),
            )
            if place not in PUBLIC.splitlines() and (verb in VERBS.split()) == is_property:
                yield f"{place}: its docstring begins with {verb!r}"
    yield from _names_of_two(package)
    modules_of_builders = (
        path for path in sorted(package.rglob("*.py")) if path.parent.name not in ("api", "cli")
    )
    for path in (*modules_of_builders, *sorted(sql.rglob("*.sql"))):
        for text in _comments(path):
            if vague := VAGUE.search(text):
                yield f"{path.relative_to(package.parent)}: say what {vague[0]!r} is about"
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


def _functions(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield (name, docstring, is a property) of each function that has a docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            text := ast.get_docstring(node)
        ):
            yield (
                node.name,
                text,
                any("property" in ast.unparse(each) for each in node.decorator_list),
            )


def _comments(path: Path) -> Iterator[str]:
    """Yield the comments and docstrings of a module. For an SQL template, yield the comments and
    the grain.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        yield from re.findall(r"^grain.*?(?=^\w+ =|^---)|--.*?$", text, re.DOTALL | re.MULTILINE)
        return
    yield from (
        each.string
        for each in tokenize.generate_tokens(io.StringIO(text).readline)
        if each.type == tokenize.COMMENT
    )
    nodes = (
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    )
    yield from (ast.get_docstring(node) or "" for node in nodes)


if __name__ == "__main__":
    for each in said(ROOT / "sqlrisk", ROOT / "sql"):
        print(f"form: {each}")
