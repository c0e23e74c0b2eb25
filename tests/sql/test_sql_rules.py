"""House rules of the templates under sql/: few flags, short lines, no comma logic, and a head that says what a row is.

A flag is a name that a condition of a template tests: in ``{% if %}`` and ``{% elif %}``, in ``{{ a if b }}`` and in
``{% for a in b if c %}``; with the attributes that are read of it, and what a loop names counts as well. What a stage says may
depend on two of them. Where more varies, the plan chooses among stages, or hands down a query.
"""

import re
import tomllib
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from sqlrisk.common.resources import sql_folder

SQL = sql_folder()
MACROS = sorted(SQL.glob("macros/*.sql"))
TEMPLATES = sorted(set(SQL.rglob("*.sql")) - set(MACROS))
OWN_HEADERS = ("measures", "attackers", "reasons")  # whose header has a form of its own, checked where they are loaded
FLAGS, WIDTH = 2, 120
WORDS = re.compile(r"loop\.(first|last)|\|\s*replace\b|\.replace\(")


def name_of(path: Path) -> str:
    """The template as its tests and stages name it."""
    return path.relative_to(SQL).as_posix()


def head_and_body(text: str) -> tuple[str, str]:
    """The TOML of a template's head and the rest of the file."""
    head, _, body = text.partition("---*/\n")
    return head.removeprefix("/*---\n"), body


def names_in(node: nodes.Node) -> set[str]:
    """The names in a condition, each with the attributes that are read of it: ``file.of_people``."""
    parts, inner = [], node
    while isinstance(inner, nodes.Getattr):
        parts.append(inner.attr)
        inner = inner.node
    if isinstance(inner, nodes.Name):
        return {".".join([inner.name, *reversed(parts)])}
    return {name for child in node.iter_child_nodes() for name in names_in(child)}


def flags(text: str) -> set[str]:
    """The flags of a template."""
    tree = jinja2.Environment(autoescape=False).parse(text)  # noqa: S701 - nothing is rendered
    tests: list[nodes.Node] = [node.test for node in tree.find_all(nodes.If)]
    tests += [node.test for node in tree.find_all(nodes.CondExpr)]
    tests += [node.test for node in tree.find_all(nodes.For) if node.test is not None]
    return {name for test in tests for name in names_in(test)}


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_a_template_has_at_most_two_flags(path: Path) -> None:
    found = flags(path.read_text(encoding="utf-8"))
    assert len(found) <= FLAGS, sorted(found)


@pytest.mark.parametrize("path", [*TEMPLATES, *MACROS], ids=name_of)
def test_no_line_of_sql_is_long(path: Path) -> None:
    head, body = head_and_body(path.read_text(encoding="utf-8"))
    own_header = path.relative_to(SQL).parts[0] in OWN_HEADERS  # texts that a report shows: each is one line
    text = body if own_header else head + body
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_lists_and_texts_are_made_by_macros(path: Path) -> None:
    assert WORDS.search(path.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_the_head_says_what_a_row_is_and_what_is_read(path: Path) -> None:
    if path.relative_to(SQL).parts[0] in OWN_HEADERS:
        return
    head = tomllib.loads(head_and_body(path.read_text(encoding="utf-8"))[0])
    assert head["grain"].startswith("one row")
    assert head["reads"].strip()


@pytest.mark.parametrize("path", MACROS, ids=name_of)
def test_every_macro_says_what_it_gives(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    made = [number for number, line in enumerate(lines) if line.startswith("{% macro ")]
    assert made
    assert all(lines[number - 1].endswith("-#}") for number in made)


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_a_template_imports_the_macros_that_it_uses(path: Path) -> None:
    body = head_and_body(path.read_text(encoding="utf-8"))[1]
    imported = [name for names in re.findall(r'{% from "macros/\w+\.sql" import ([\w, ]+?)(?: with context)? %}', body)
                for name in names.split(", ")]  # fmt: skip
    rest = re.sub(r"{% from [^\n]*", "", body)
    assert [name for name in imported if not re.search(rf"\b{name}\(", rest)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{% if a and b.c == 1 %}{% elif d %}{% endif %}", {"a", "b.c", "d"}),
        ("{{ 1 if a else 2 }}{% for x in y if x.z and w %}{% endfor %}", {"a", "x.z", "w"}),
        ("{% for x in y %}{{ x.z }}{% endfor %}{{ a.b }}", set()),
        ("{% if names(a)[b.c] %}{% endif %}", {"names", "a", "b.c"}),
    ],
    ids=["if", "inline", "none", "call"],
)
def test_flags_are_found(text: str, found: set[str]) -> None:
    assert flags(text) == found
