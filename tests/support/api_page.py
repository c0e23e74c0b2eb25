"""The page of the guide that lists every public function and class: made of their signatures and
docstrings, by inspect.
"""

import inspect
import re
from collections.abc import Iterator
from textwrap import dedent, fill
from typing import Annotated, Any, ForwardRef, get_origin

import sqlrisk
from sqlrisk.engines.connect import EngineOptions
from sqlrisk.inputs.fields import own, table_of
from sqlrisk.report.result import Forms, Frames

WIDE = 78
HEAD = """# Every function

What each public function and class of sqlrisk takes, returns and raises, from its own text.

It is what `help(sqlrisk.score)` shows. Functions take files, tables and settings in the same way:
`score` tells of them all. A number is in the unit that its row says (`unit`: percent of people,
records, ...); shares run from 0 to 1, counts are whole. The examples stand in a folder with small
files, original.parquet, syn_1.parquet and syn_2.parquet, whose columns are sex, age, region, income
and ill; the tests run them. [From Python](python.md) is where to begin.
"""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
_TITLES = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Raises": "Raises",
    "Example": "Example",
}


def page() -> str:
    """The page as Markdown."""
    public = [name for name in sqlrisk.__all__ if not name.startswith("__")]
    classes = [name for name in public if inspect.isclass(getattr(sqlrisk, name))]
    functions = [name for name in public if name not in classes]
    listed = "".join(f"| `{name}` | {_first(getattr(sqlrisk, name))} |\n" for name in functions)
    parts = [HEAD, f"| function | what it does |\n|---|---|\n{listed}"]
    parts += ["\n".join(_function(name)) for name in functions]
    parts += [
        "\n".join(_every_result()),
        *("\n".join(_class(getattr(sqlrisk, name))) for name in classes),
    ]
    return "\n".join(parts)


def _function(name: str) -> Iterator[str]:
    function = getattr(sqlrisk, name)
    yield f"## {name}\n"
    yield f"```python\n{_signature(name, function)}\n```\n"
    yield from _document(function)


def _every_result() -> Iterator[str]:
    yield "## What every result can\n"
    yield (
        "Python shows the first rows of a result, a notebook as a table of HTML; "
        "`pyarrow.table(result)` takes all of them.\n"
    )
    yield from _methods({**vars(Frames), **vars(Forms)})


def _class(kind: type) -> Iterator[str]:
    yield f"## {kind.__name__}\n"
    yield from _document(kind)
    if not issubclass(kind, Exception):
        yield from _methods(vars(kind))


def _methods(members: Any) -> Iterator[str]:
    """Its public methods, each with the first paragraph of its text, and its properties."""
    lines = []
    for name, member in members.items():
        if (
            name.startswith("_")
            or not (callable(member) or isinstance(member, property))
            or not inspect.getdoc(member)
        ):
            continue
        told = _paragraph((inspect.getdoc(member) or "").partition("\n\n")[0])
        if isinstance(member, property):
            lines.append(f"- `.{name}`: {told}")
        elif not inspect.isclass(member):
            signature = (
                _signature(f".{name}", member)
                .replace("\n    ", " ")
                .replace("(self, ", "(")
                .replace("(self)", "()")
            )
            lines.append(f"- `{signature}`: {told}")
    if lines:
        yield "\n".join(lines) + "\n"


def _document(thing: Any) -> Iterator[str]:
    """The text of a docstring as Markdown, its sections as lists."""
    text, *sections = _SECTION.split(inspect.getdoc(thing) or "")
    for part in text.strip().split("\n\n"):
        yield (f"```python\n{part}\n```" if part.startswith(">>>") else _paragraph(part)) + "\n"
    for name, body in zip(sections[::2], sections[1::2], strict=True):
        inside, _, after = dedent(body.strip("\n")).partition("\n\n")
        yield f"**{_TITLES[name]}**\n"
        if name == "Example":
            yield f"```python\n{inside.strip()}\n```\n"
        elif name == "Returns":
            yield _paragraph(inside) + "\n"
        else:
            entries = re.split(r"\n(?! )", inside)
            if name == "Args" and inspect.isroutine(thing):
                told = {each for entry in entries for each in entry.partition(": ")[0].split(", ")}
                entries += [
                    f"{each}: {field.help[0].lower()}{field.help[1:]}."
                    for each, field in own(thing).items()
                    if each not in told
                ]
            yield "\n".join(f"- {_entry(each)}" for each in entries) + "\n"
        for part in filter(None, map(str.strip, after.split("\n\n"))):
            yield (f"```python\n{part}\n```" if part.startswith(">>>") else _paragraph(part)) + "\n"


def _entry(text: str) -> str:
    """An argument or an error: its names as code, and what it is."""
    names, colon, told = _paragraph(text).partition(": ")
    return f"{', '.join(f'`{name}`' for name in names.split(', '))}{colon}{told}"


def _paragraph(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _first(thing: Any) -> str:
    """The first sentence of a docstring."""
    return re.split(r"(?<=\.)\s", _paragraph((inspect.getdoc(thing) or "").partition("\n\n")[0]))[0]


def _signature(name: str, function: Any) -> str:
    """A call with the types and defaults of its arguments; one that takes anything has no type.

    A table stands for its rows, but where the text tells of all its settings as one, those alone
    that no other function has.
    """
    signature, mine = inspect.signature(function), own(function)
    parts, keywords = [], False
    for each in signature.parameters.values():
        if each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD) and not keywords:
            parts.append("*")
            keywords = True
        if each.kind is not each.VAR_KEYWORD:
            parts.append(_parameter(each.name, each.annotation, each.default))
            continue
        table, defaults = table_of(function), vars(EngineOptions())
        as_one = table is None or re.search(r"\bsettings: ", inspect.getdoc(function) or "")
        shown = [
            row
            for row in (table.__annotations__.items() if table else ())
            if not as_one or row[0] in mine
        ]
        parts += [_parameter(*row, defaults.get(row[0])) for row in shown]
        if as_one:
            parts = [*(parts[:-1] if parts[-1] == "*" else parts), f"**{each.name}"]
    returned = (
        f" -> {_type(signature.return_annotation)}"
        if signature.return_annotation is not signature.empty
        else ""
    )
    call = f"{name}({', '.join(parts)}){returned}"
    lines = fill(
        call, WIDE, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")


def _parameter(name: str, annotation: Any, default: Any) -> str:
    """An argument, held together where lines are broken."""
    plain = annotation.__origin__ if get_origin(annotation) is Annotated else annotation
    kind = "" if plain in (Any, inspect.Parameter.empty) else f": {_type(plain)}"
    shown = (
        "" if default is inspect.Parameter.empty else f"{' = ' if kind else '='}{_default(default)}"
    )
    return f"{name}{kind}{shown}".replace(" ", "\0")


def _default(value: object) -> str:
    return "..." if callable(value) else repr(value)


def _type(annotation: Any) -> str:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text).replace("'", "").replace('"', "")
