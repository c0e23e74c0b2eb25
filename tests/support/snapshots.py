"""Golden files and golden parts of pages: compare them with a text, or write them anew.

    sh scripts/test --golden

Then read the change with git diff. Other dialects are stored as differences.
"""

import os
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
UPDATE = "SQLRISK_UPDATE_GOLDEN"
Lines = tuple[str, ...]


def compare(name: str, text: str) -> None:
    """Fail if a golden file differs from a text. On request, write the text to the file instead."""
    path = GOLDEN / name
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text == known, (
        f"{name} differs; write it anew with `sh scripts/test --golden`, and read the change with "
        "git diff"
    )


def passage(page: Path, after: str, shown: str, text: str) -> None:
    """Fail if a page does not show a text right after some words. On request, write the text there
    instead.
    """
    before, _, rest = page.read_text(encoding="utf-8").partition(after)
    assert rest.startswith(shown), f"{page.name} does not show this behind {after!r}"
    if os.environ.get(UPDATE):
        page.write_text(before + after + text + rest[len(shown) :], encoding="utf-8")
        shown = text
    assert text == shown, (
        f"{page.name} shows other lines; write them anew with `sh scripts/test --golden`, and "
        "read the change"
    )


def elided(shown: str, printed: list[str]) -> str:
    """Return the printed lines that an example shows. A line ``...`` of the example stands for
    omitted lines. If lines have changed, return the most similar ones.
    """
    parts = [part.splitlines() for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    if len(parts) == 1:
        return "".join(f"{line}\n" for line in printed)
    found, start = [], 0
    for number, part in enumerate(parts):
        last = len(printed) - len(part)
        ends = {0: [0], len(parts) - 1: [last]}
        start = max(
            ends.get(number, range(start, last + 1)),
            key=lambda at: _likeness(printed[at : at + len(part)], part),
        )
        found.append("".join(f"{line}\n" for line in printed[start : start + len(part)]))
        start += len(part)
    return "...\n".join(found)


def _likeness(lines: list[str], others: list[str]) -> float:
    """Return the similarity of two lists of lines, from 0 to 1."""
    return (
        1
        if lines == others
        else SequenceMatcher(None, "\n".join(lines), "\n".join(others)).ratio() / 2
    )


def without_repetition(scripts: Mapping[str, str]) -> str:
    """Write the statements of several scripts. A repeated statement is shortened to its first line
    and the name of the script that contains all of it.
    """
    first: dict[str, str] = {}
    parts = []
    for name, script in scripts.items():
        parts.append(f"-- ======== {name}")
        for statement in script.split(";\n\n"):
            if statement in first:
                parts.append(f"-- {statement.splitlines()[0]} ... (as in {first[statement]})")
            else:
                first[statement] = name
                parts.append(f"{statement.removesuffix(chr(10)).removesuffix(';')};")
    return "\n\n".join(parts) + "\n"


def differences(plain: Mapping[str, str], others: Mapping[str, Mapping[str, str]]) -> str:
    """Write how dialects differ from the plain dialect. Each plain line that changes is written
    once, and below it the changed line of each dialect.

    ``plain`` holds the files of a dialect by name, ``others`` the files of each other dialect. Two
    lines count as equal if they differ only in the numbers of files and columns or in the names of
    tables, or if a column has its own name as alias. If a dialect changes a line in one place and
    not in another, the output has both lines.
    """
    becomes: dict[Lines, dict[Lines, list[str]]] = {}
    shown: dict[Lines, Lines] = {}
    first: dict[Lines, tuple[str, int]] = {}
    for name, text in plain.items():
        for dialect, files in others.items():
            for place, *change in _changes(text.splitlines(), files[name].splitlines()):
                old, new = (tuple(map(_alike, lines)) for lines in change)
                shown |= {
                    key: lines
                    for key, lines in zip((old, new), change, strict=True)
                    if key not in shown
                }
                dialects = becomes.setdefault(old, {}).setdefault(new, [])
                if dialect not in dialects:
                    dialects.append(dialect)
                if old not in first or (name, place) < first[old]:
                    first[old] = name, place
    parts = dict.fromkeys(plain, "")
    for old in sorted(becomes, key=lambda each: first[each]):
        changed = {
            dialect for new, dialects in becomes[old].items() if new != old for dialect in dialects
        }
        if changed:
            parts[first[old][0]] += "\n" + "\n".join(shown[old] or ["(more)"]) + "\n"
        for new, dialects in becomes[old].items():
            if told := [each for each in dialects if each in changed]:
                lines = ["(as it is)"] if new == old else shown[new] or ["(nothing)"]
                parts[first[old][0]] += (
                    f"    {', '.join(told)}: "
                    + "\n        ".join(line for line in lines if line)
                    + "\n"
                )
    return "\n".join(f"======== {name}\n{part}" for name, part in parts.items())


def _changes(plain: list[str], other: list[str]) -> Iterator[tuple[int, Lines, Lines]]:
    """Yield (line number, lines of a text, lines of the other text in their place), also for equal
    lines.

    Lines are yielded one by one if as many replace them, otherwise together.
    """
    plain, other = ([_without_own_alias(line) for line in lines] for lines in (plain, other))
    for kind, start, end, other_start, other_end in SequenceMatcher(
        None, plain, other, autojunk=False
    ).get_opcodes():
        old, new = plain[start:end], other[other_start:other_end]
        if kind == "equal" or len(old) == len(new):
            yield from (
                (start + place, (line,), (becomes,))
                for place, (line, becomes) in enumerate(zip(old, new, strict=True))
            )
        else:
            yield start, tuple(old), tuple(new)


def _without_own_alias(line: str) -> str:
    return re.sub(r"\b(\w+) AS \1\b", r"\1", line).strip()


def _alike(line: str) -> str:
    """Replace in a line everything that distinguishes tables, files and columns."""
    return re.sub(
        r"(?<=_)\d+|(?<=\b[kt])\d+|(?<=file = )\d+", "", re.sub(r"\bwork\.\w+", "work.table", line)
    )
