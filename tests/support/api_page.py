"""Write the guide's page of all public functions and classes from their signatures and
docstrings.
"""

import inspect
import re
from collections.abc import Collection, Iterator
from textwrap import dedent, fill
from typing import Any, ForwardRef

import sqlrisk
from sqlrisk.inputs.fields import FIELDS, own, table_of
from sqlrisk.report.result import Forms, Frames

WIDE = 78
HEAD = """# Every function

What each public function and class of sqlrisk takes, returns and raises.

```python
import sqlrisk

report = sqlrisk.score("original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"])
report.value("DiSCO", target="ill")
```

`help(sqlrisk.score)` shows the same text, with types and every setting. Begin with
[Python](python.md). For all functions:

- `original`, `synthetic` and `control` are what `score` takes: files, tables or relations.
- `**settings` are the [settings](settings.md) by name, e.g. `keys=["age", "sex"]`. Give
  COLUMN=VALUE as a dict (`bins={"age": 10}`), several values as a list, a switch as `True`.
  Most functions need `keys`. Other settings are optional.
- Most functions that read files also take `scenario`: a TOML file with the same settings, which
  arguments override. `attack` and `reference` refuse one with exclusions, `split` one with a
  control or split. `utility` reads only its own settings.
- Most take the CSV settings `encoding`, `delimiter`, `decimal` and `quote` (they call the file of
  `uniques` `original`), and the settings of the run `engine`, `memory_limit`,
  `threads`, `temp_directory`, `scratch`, `progress` and `trace`.
- A wrong question or file, or more work than the limit, raises InputError. A failure of the
  database raises EngineError.
- Files written about data are readable only by you, except external reports. An existing file
  is replaced when the new one is complete (by `init` only with `overwrite`), except a signed
  result or page. `inputs` (of `protect`, `records` and `sweep`) names files never to replace.
- Each row of a report names the `unit` of its number: percent of people, records, ... Shares run
  from 0 to 1. In results, `assessment`, `labels` and `policy` are as in a [Report](#report).
  Reports and Utility also have the methods `require` and `verdicts` of a Report.
- The examples use original.parquet, syn_1.parquet and syn_2.parquet, with the columns sex, age,
  region, income and ill. scenario.toml asks about the first two files: keys sex and age, target
  ill. `sqlrisk score --scenario scenario.toml -o risk.json` wrote the result and its manifest.
"""
NEXT = """## Next

- [Python](python.md): tables in and out, notebooks, schedulers.
- [Every setting](settings.md): what `**settings` may be.
"""
# arguments that the top of the page explains once for all functions
RUN = {
    "engine",
    "memory_limit",
    "threads",
    "temp_directory",
    "scratch",
    "progress",
    "trace",
    "scenario",
    "encoding",
    "delimiter",
    "decimal",
    "quote",
    "inputs",
}
EVERY: dict[str, Any] = {**vars(Frames), **vars(Forms)}
MANY = 30  # a function with more settings than this is shown with `**settings`
ERRORS = {"InputError", "EngineError"}
KNOWN = {
    "as `score`",
    "as `score`, or the dialect is unknown",
    "as `score`, or there is more work than the limit",
    "the database failed",
    "the kind is unknown",
}
# members that only reports and the command line call
INTERNAL = {"by_command", "document", "farthest", "headers", "judged", "lacking", "lines", "names"}
JUDGED = {"require", "verdicts"}  # explained at Report, and the same in other judged results
INTERNAL |= {"family", "of", "risks", "rounding", "section", "shared", "told", "ways"}
INTERNAL |= {"with_evidence", "worst"}
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$", re.MULTILINE)
_TITLES = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Raises": "Raises",
    "Example": "Example",
}


def page() -> str:
    """Return the page as Markdown."""
    public = [name for name in sqlrisk.__all__ if not name.startswith("__")]
    classes = [name for name in public if inspect.isclass(getattr(sqlrisk, name))]
    functions = [name for name in public if name not in classes]
    parts = [HEAD, *("\n".join(_function(name)) for name in functions)]
    parts += [
        "\n".join(_every_result()),
        *("\n".join(_class(getattr(sqlrisk, name))) for name in classes),
    ]
    return "\n".join([*parts, NEXT])


def _function(name: str) -> Iterator[str]:
    function = getattr(sqlrisk, name)
    yield f"## {name}\n"
    yield f"```python\n{_signature(name, function)}\n```\n"
    yield from _document(function)


def _every_result() -> Iterator[str]:
    yield "## Methods of every result\n"
    yield (
        "Python shows the first rows of a result, `pyarrow.table(result)` takes all. With a "
        "`path`, a method writes a file and returns the path. Records have only the first three "
        "methods.\n"
    )
    yield from _methods(EVERY)


def _class(kind: type) -> Iterator[str]:
    yield f"## {kind.__name__}\n"
    yield from _document(kind)
    if not issubclass(kind, Exception):
        said = JUDGED if kind is not sqlrisk.Report else set()
        yield from _methods(
            {
                name: each
                for part in _parts(kind)
                for name, each in vars(part).items()
                if name not in said and not _as_every(name, each)
            }
        )


def _parts(kind: type) -> Iterator[type]:
    """Yield a class, and those of its bases that have no section of their own."""
    yield kind
    yield from (
        base
        for base in kind.__bases__
        if base.__module__.startswith("sqlrisk") and base.__name__ not in sqlrisk.__all__
    )


def _as_every(name: str, member: Any) -> bool:
    """Return True if every result class has a method of this name with the same arguments."""
    general = EVERY.get(name)
    return callable(general) and [*inspect.signature(member).parameters] == [
        *inspect.signature(general).parameters
    ]


def _methods(members: Any) -> Iterator[str]:
    """Yield a list of public methods, with the first paragraph of their docstrings, and of
    properties.
    """
    lines = []
    for name, member in members.items():
        if (
            name.startswith("_")
            or name in INTERNAL
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
    """Yield a docstring as Markdown, with its sections as lists."""
    text, *sections = _SECTION.split(inspect.getdoc(thing) or "")
    for part in text.strip().split("\n\n"):
        yield (f"```python\n{part}\n```" if part.startswith(">>>") else _paragraph(part)) + "\n"
    for name, body in zip(sections[::2], sections[1::2], strict=True):
        inside, _, after = dedent(body.strip("\n")).partition("\n\n")
        if name == "Example":
            yield f"**Example**\n\n```python\n{inside.strip()}\n```\n"
        elif name == "Returns":
            yield f"**Returns** {_paragraph(inside)}\n"
        else:
            entries = re.split(r"\n(?! )", inside)
            mine = own(thing) if inspect.isroutine(thing) else {}
            if name == "Args":
                told = {each for entry in entries for each in entry.partition(": ")[0].split(", ")}
                entries += [
                    f"{each}: {field.help[0].lower()}{field.help[1:]}."
                    for each, field in mine.items()
                    if each not in told
                ]
            entries = [_entry(each) for each in entries if not _said_once(name, each, mine)]
            if entries:
                yield f"**{_TITLES[name]}**\n"
                yield "\n".join(f"- {each}" for each in entries) + "\n"
        for part in filter(None, map(str.strip, after.split("\n\n"))):
            yield (f"```python\n{part}\n```" if part.startswith(">>>") else _paragraph(part)) + "\n"


def _said_once(section: str, text: str, mine: Collection[str]) -> bool:
    """Return True if the top of the page, or the page of settings, already explains an entry.
    ``mine`` are the options that only this function has.
    """
    names, _, told = _paragraph(text).partition(": ")
    every, told = {*names.split(", ")}, told.strip(".")
    if section == "Raises":
        return every <= ERRORS and told in KNOWN
    if section == "Attributes":
        return told == "as in a Report"
    meanings = {_paragraph(FIELDS[each].says).strip(".") for each in every if each in FIELDS}
    as_score = {"as for `score`", "the settings of a scenario, as for `score`"}
    return section == "Args" and (every <= RUN.difference(mine) or told in meanings | as_score)


def _entry(text: str) -> str:
    """Format an entry of ``Args`` or ``Raises``: its names as code, then their meaning."""
    names, colon, told = _paragraph(text).partition(": ")
    return f"{', '.join(f'`{name}`' for name in names.split(', '))}{colon}{told}"


def _paragraph(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _signature(name: str, function: Any) -> str:
    """Format a call with its arguments and their defaults, without arguments about the run. If a
    function takes all settings, they are ``**settings``.
    """
    signature, mine = inspect.signature(function), own(function)
    parts, keywords = [], False
    for each in signature.parameters.values():
        if each.name in RUN and each.name not in mine:
            continue
        if each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD) and not keywords:
            parts.append("*")
            keywords = True
        if each.kind is not each.VAR_KEYWORD:
            parts.append(_parameter(each.name, each.default))
            continue
        table = table_of(function)
        taken = [*table.__annotations__] if table else []
        shared = [name for name in taken if name not in mine and name not in RUN]
        many = len(shared) > MANY or re.search(r"\bsettings: ", function.__doc__ or "")
        listed = [name for name in taken if name in mine and name not in RUN]
        listed += [] if many else shared
        if not listed and parts[-1] == "*":
            parts.pop()
        parts += [_parameter(name, None) for name in listed]
        if not table or many:
            parts.append(f"**{each.name}")
    returned = (
        f" -> {_type(signature.return_annotation)}".replace(", ", ",\0")
        if signature.return_annotation is not signature.empty
        else ""
    )
    call = f"{name}({', '.join(parts)}){returned}"
    lines = fill(
        call, WIDE, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")


def _parameter(name: str, default: Any) -> str:
    """Format an argument with its default. NUL characters stand for blanks where no line may
    break.
    """
    shown = "" if default is inspect.Parameter.empty else f"={_default(default)}"
    return f"{name}{shown}".replace(" ", "\0")


def _default(value: object) -> str:
    return "..." if callable(value) else repr(value)


def _type(annotation: Any) -> str:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text).replace("'", "").replace('"', "")
