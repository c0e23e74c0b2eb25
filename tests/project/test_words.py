"""The words of docstrings and comments: a function's docstring begins with what it does, a property's names what it is."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from sqlrisk.common.resources import sql_folder

PACKAGE = Path(__file__).resolve().parents[2] / "sqlrisk"
# What functions do, in one word each. ruff's D401 takes most nouns, and "whether", for verbs, so the verbs are listed.
VERBS = """
add ask assess average begin check choose code compare complete connect copy count create decide describe do draft draw drop
encode end estimate explain fill find fix free give group guess hand hash have hold indent infer interrupt join judge keep
lay let list load lock look make mark match measure name note number open pack print put quote raise read refuse remove
repeat return run sample say score show sort split start stop sum take tell tie train translate turn widen write yield
"""
# What users read by help() and --help, as it always was.
PUBLIC = """
api/exports.py: compile_sql
api/exports.py: sql
api/people.py: lookup
catalogue/measures.py: catalog
cli/main.py: cli
report/results/verdicts.py: failure
"""
VAGUE = re.compile(r"\bso (?:many|much)\b|\bthe same of those\b|\bsuch\b(?! as\b)", re.IGNORECASE)


def functions(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield the name and docstring of each function, and whether it is a property."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
            yield node.name, text, any("property" in ast.unparse(each) for each in node.decorator_list)


def comments(path: Path) -> Iterator[str]:
    """Yield the comments and docstrings of a module, or the grain and the comments of a template."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        yield from re.findall(r"^grain.*?(?=^\w+ =|^---)|--.*?$", text, re.DOTALL | re.MULTILINE)
        return
    yield from (each.string for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type == tokenize.COMMENT)
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    yield from (ast.get_docstring(node) or "" for node in nodes)


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    for path in PACKAGE.rglob("*.py"):
        for name, text, is_property in functions(path):
            place, verb = f"{path.relative_to(PACKAGE).as_posix()}: {name}", re.split(r"\W", text)[0].lower()
            if place not in PUBLIC.splitlines():
                assert (verb in VERBS.split()) != is_property, f"{place} begins with {verb!r}"


def test_comments_name_what_they_are_about() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if path.parent.name not in ("api", "cli")]  # whose texts are for users
    for path in (*modules, *sql_folder().rglob("*.sql")):
        for text in comments(path):
            assert not VAGUE.search(text), f"{path.name}: {text}"
