"""House rules of the templates under sql/: few flags, little nesting, short files and lines, and a
head that says what a row is.

A flag is a name that a condition of a template tests: in ``{% if %}`` and ``{% elif %}``, in ``{{ a
if b }}`` and in ``{% for a in b if c %}``; with the attributes that are read of it, and what a loop
names counts as well. What a stage says may depend on two of them. Where more varies, the plan
chooses among stages, or hands down a query.
"""

import re
import tomllib

import jinja2
import pytest
from jinja2 import nodes

from sqlrisk.common.resources import sql_folder

SQL = sql_folder()
TEXTS = {
    path.relative_to(SQL).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SQL.rglob("*.sql"))
}
MACROS = {name: text for name, text in TEXTS.items() if name.startswith("macros/")}
TEMPLATES = {name: text for name, text in TEXTS.items() if name not in MACROS}
OWN_HEADERS = (
    "measures/",
    "attackers/",
    "reasons/",
    "utility/",
)  # whose header has a form of its own, checked where they are loaded
FLAGS, WIDTH, LENGTH, TAGS, DEPTH = 2, 120, 70, 36, 3
WORDS = re.compile(r"loop\.(first|last)|\|\s*replace\b|\.replace\(")
MACRO = re.compile(r"{% macro (\w+)\(.*?%}(.*?){%-? endmacro %}", re.DOTALL)
CALL = re.compile(  # one without another inside
    r"{% call(?:\(.*?\))? (\w+)\((?:(?!%}).)*%}((?:(?!{% call).)*?){% endcall \+?%}", re.DOTALL
)
BODIES = dict(each for text in MACROS.values() for each in MACRO.findall(text))


def has_own_header(name: str) -> bool:
    return name.startswith(OWN_HEADERS)


def head_and_body(text: str) -> tuple[str, str]:
    """The TOML of a template's head and the rest of the file."""
    head, _, body = text.partition("---*/\n")
    return head.removeprefix("/*---\n"), body


def names_in(node: nodes.Node) -> set[str]:
    """The names in a condition, each with the attributes that are read of it:
    ``file.of_people``.
    """
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


def expanded(text: str, macros: dict[str, str] = BODIES) -> str:
    """The template with the body of each macro in place of its calls."""
    macros = macros | dict(MACRO.findall(text))
    text = MACRO.sub("", text)
    while call := CALL.search(text):
        body = call[2].join(re.split(r"{{-? caller\(.*?}}", macros[call[1]]))
        text = text[: call.start()] + body + text[call.end() :]

    def bodies(braces: re.Match[str]) -> str:
        called = [name for name in re.findall(r"(\w+)\(", braces[0]) if name in macros]
        # a macro that calls itself is expanded once
        return " ".join(expanded(macros[name], {**macros, name: ""}) for name in called)

    return re.sub(r"{{.*?}}", bodies, text, flags=re.DOTALL)


def depth(sql: str) -> int:
    """How many levels of queries a template nests; a step of a WITH is read by itself, and begins
    anew.
    """
    text = re.sub(r"--[^\n]*|'[^'\n]*'|{#.*?#}|{%.*?%}|{{.*?}}", "", sql, flags=re.DOTALL)
    levels, deepest = [1], 1  # of each open parenthesis, behind the whole text
    for token in re.findall(r"AS \(|\(\s*SELECT\b|[()]", text):
        if token == ")":
            levels.pop()
        else:
            levels.append(1 if token == "AS (" else levels[-1] + token.endswith("SELECT"))
            deepest = max(deepest, levels[-1])
    return deepest


def test_a_template_has_at_most_two_flags() -> None:
    found = {name: sorted(flags(text)) for name, text in TEMPLATES.items()}
    assert {name: each for name, each in found.items() if len(each) > FLAGS} == {}


def test_a_template_is_read_in_one_go() -> None:
    """What is longer, or more template than SQL, is several stages; what stages say alike is a
    macro.
    """
    sizes = {
        name: (len(text.splitlines()), len(re.findall(r"{%|{{", text)))
        for name, text in TEMPLATES.items()
    }
    assert {name: size for name, size in sizes.items() if size[0] > LENGTH or size[1] > TAGS} == {}


def test_queries_nest_three_levels_at_most() -> None:
    """What goes deeper is one WITH, a noun a step, read from top to bottom."""
    depths = {name: depth(expanded(head_and_body(text)[1])) for name, text in TEMPLATES.items()}
    assert max(depths.values()) == DEPTH
    assert {name: each for name, each in depths.items() if each > DEPTH} == {}


def test_no_line_of_sql_is_long() -> None:
    checked = {name: head_and_body(text) for name, text in (TEMPLATES | MACROS).items()}
    # Texts that a report shows are in a header of its own form: each is one line.
    lines = {
        name: (body if has_own_header(name) else head + body).splitlines()
        for name, (head, body) in checked.items()
    }
    assert [
        (name, line) for name, each in lines.items() for line in each if len(line) > WIDTH
    ] == []


def test_lists_and_texts_are_made_by_macros() -> None:
    assert [name for name, text in TEMPLATES.items() if WORDS.search(text)] == []


def test_the_head_says_what_a_row_is_and_what_is_read() -> None:
    heads = {
        name: tomllib.loads(head_and_body(text)[0])
        for name, text in TEMPLATES.items()
        if not has_own_header(name)
    }
    assert heads
    assert [
        name
        for name, head in heads.items()
        if not head["grain"].startswith("one row") or not head["reads"].strip()
    ] == []


def test_every_macro_says_what_it_gives() -> None:
    for name, text in MACROS.items():
        lines = text.splitlines()
        made = [number for number, line in enumerate(lines) if line.startswith("{% macro ")]
        assert made, name
        assert all(lines[number - 1].endswith("-#}") for number in made), name


def test_a_template_imports_the_macros_that_it_uses() -> None:
    idle = []
    for name, text in TEMPLATES.items():
        body = head_and_body(text)[1]
        imported = re.findall(
            r'{% from "macros/\w+\.sql" import ([\w, ]+?)(?: with context)? %}', body
        )
        rest = re.sub(r"{% from [^\n]*", "", body)
        idle += [
            (name, each)
            for names in imported
            for each in names.split(", ")
            if not re.search(rf"\b{each}\(", rest)
        ]
    assert idle == []


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


@pytest.mark.parametrize(
    ("sql", "levels"),
    [
        ("SELECT MAX(x) FROM a", 1),
        (
            (
                "SELECT x FROM (\n{% call y() %}\n SELECT x FROM (SELECT x FROM b WHERE (x) > 0) "
                "AS "
                "c) AS d"
            ),
            3,
        ),
        ("SELECT x FROM (SELECT x FROM b) AS c JOIN (SELECT x FROM e) AS f ON c.x = f.x", 2),
        (
            (
                "WITH a AS (\n SELECT x FROM (SELECT x FROM b) AS c\n), d AS (SELECT x FROM "
                "a)\nSELECT x FROM d"
            ),
            2,
        ),
        ("-- (SELECT\nSELECT x {# (SELECT #} FROM {{ y('(SELECT') }}", 1),
        (
            (
                "{% macro y() %}SELECT x FROM ({{ caller() | indent }}) AS a{% endmacro %}"
                "{% macro z(b) %}(SELECT x FROM {{ b }}){% endmacro %}"
                "{% call y() %}{% call(c) y() %}SELECT x FROM {{ z(1) }} AS d"
                "{% endcall %}{% endcall %}"
            ),
            4,
        ),
    ],
    ids=["flat", "nested", "one beside the other", "steps", "comments", "macros"],
)
def test_levels_are_counted(sql: str, levels: int) -> None:
    assert depth(expanded(sql)) == levels
