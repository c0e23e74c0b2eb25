"""Building blocks for readers of settings: one value, several values, values by column or by file,
and tables.

A reader is a function of a value that the user typed, as text or in TOML, and the name of its
setting. It returns the value of the setting. It raises InputError for anything else and says what
it expected. Most functions here make a reader from a simpler function, ``read``, that returns None
for a value that it cannot read.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from math import inf, isfinite
from numbers import Integral
from typing import Any, TypeVar

from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs.conditions import BAND

T = TypeVar("T")
N = TypeVar("N", int, float)
Reader = Callable[[Any, str], T]
ALL_FILES = "all"  # stands for all files in a setting by file
# Short, because a number with a long exponent is infinite, or a fraction of millions of digits.
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?")
# The message for a value that cannot be read.
REFUSED = "{setting}: expected {expected}; got {value!r}{near}."
UNKNOWN = "there is no setting {name!r}{near}; there are {known}"


def one(
    read: Callable[[Any], T | None],
    expected: str,
    refused: str = REFUSED,
    known: Collection[str] = (),
) -> Reader[T]:
    """Make a reader of one value.

    ``refused`` is the message for a value that cannot be read, with the fields of ``REFUSED``. Its
    field ``near`` suggests the nearest ``known`` value.
    """

    def reader(value: object, setting: str) -> T:
        found = read(value)
        if found is None:
            near = suggestion(str(value), known)
            raise InputError(
                refused.format(setting=setting, expected=expected, value=value, near=near)
            )
        return found

    return reader


def several(
    read: Callable[[Any], T | None], expected: str, made: Callable[[list[T]], Any] = tuple
) -> Reader[Any]:
    """Make a reader of a list of values, one value, or one text with commas.

    ``made`` turns the list of values into the setting, or returns None if it cannot.
    """

    def values(value: object) -> object:
        parts = value.split(",") if isinstance(value, str) else as_list(value)
        found = [read(part) for part in (parts if isinstance(parts, Sequence) else [parts])]
        if found and None not in found:
            return made([each for each in found if each is not None])
        return None

    return one(values, expected)


def as_list(value: Any) -> Any:
    """Return an array of NumPy, or an index or series of pandas, as a list. Return other values as
    they are.
    """
    return value.tolist() if hasattr(value, "tolist") else value


def rising(values: list[T]) -> tuple[T, ...]:
    """Return values in ascending order, without repeats."""
    return tuple(sorted({*values}))  # type: ignore[type-var]


def word(*words: str, refused: str = REFUSED) -> Reader[str]:
    """Make a reader of one of these words. For any other word, the message suggests the nearest
    one.
    """
    expected = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    return one(lambda value: value if value in words else None, expected, refused, words)


def by_column(read: Callable[[Any], T | None], needs: str) -> Reader[dict[str, T]]:
    """Make a reader of a value for each column, from a table or from ``column=value`` texts
    separated by commas. ``needs`` says in messages what the value must be.
    """

    def reader(value: object, setting: str) -> dict[str, T]:
        found: dict[str, T] = {}
        problems = ProblemList()
        for column, each in assignments(value, setting):
            meant = read(each)
            if meant is None:
                problems.append(f"{setting}: {column!r} needs {needs}; got {each!r}.")
            elif column in found:
                problems.append(f"{setting}: the column {column!r} is named twice.")
            else:
                found[column] = meant
        problems.stop()
        return found

    return reader


def by_file(read: Callable[[str], str | None], expected: str) -> Reader[dict[str, str]]:
    """Make a reader of a text for each file, from a table, lines ``FILE=TEXT``, or one text for all
    files. A text without a file is under the name ``ALL_FILES``.
    """

    def reader(value: object, setting: str) -> dict[str, str]:
        if isinstance(value, Mapping):
            given = [(str(file), each) for file, each in value.items()]
        elif (lines := texts(value)) is None:
            raise InputError(f"{setting}: expected {expected}, or a table with one for each file.")
        else:
            split = [(line, *line.rpartition("=")) for line in lines]
            given = [
                (file, text) if file and text else (ALL_FILES, line)
                for line, file, _, text in split
            ]
        found: dict[str, str] = {}
        problems = ProblemList()
        for file, each in given:
            meant = read(each) if isinstance(each, str) else None
            if meant is None:
                problems.append(f"{setting}: expected {expected}; got {each!r}.")
            elif file in found:
                problems.append(f"{setting}: {file!r} is given twice; keep one.")
            else:
                found[file] = meant
        problems.stop()
        return found

    return reader


def table(
    readers: Mapping[str, Reader[Any]],
    needed: Collection[str] = (),
    *,
    between: str = ": ",
    example: str = "",
    unknown: str = UNKNOWN,
) -> Reader[dict[str, Any]]:
    """Make a reader of a table with a reader for each name. It reports all problems at once.

    ``needed`` names must be there. In messages, ``between`` joins the place of the table and a name
    in it, ``example`` is shown if the value is no table, and ``unknown`` is the text for an unknown
    name.
    """

    def reader(value: object, place: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise InputError(f"{place}: it must be a table{example and f': {example}'}.")
        found: dict[str, Any] = {}
        problems = ProblemList(
            f"{place}: {name} is missing." for name in needed if name not in value
        )
        for name, each in value.items():
            if name not in readers:
                near = suggestion(str(name), readers)
                problems.append(
                    f"{place}: {unknown.format(name=name, near=near, known=', '.join(readers))}."
                )
                continue
            with problems:
                found[name] = readers[name](each, f"{place}{between}{name}")
        problems.stop()
        return found

    return reader


def listed(read: Reader[T], refused: str) -> Reader[tuple[T, ...]]:
    """Make a reader of a list of tables, as TOML writes ``[[rule]]``. ``refused`` is the message
    for an empty list or any other value. The reader reports all problems, each with the number of
    its table.
    """

    def reader(value: object, place: str) -> tuple[T, ...]:
        if not isinstance(value, list) or not value:
            raise InputError(f"{place}: {refused}.")
        found: list[T] = []
        problems = ProblemList()
        for number, each in enumerate(value, start=1):
            with problems:
                found.append(read(each, f"{place} {number}"))
        problems.stop()
        return tuple(found)

    return reader


def limit(unit: str = "", least: int = 1) -> Reader[int]:
    """Make a reader of whole numbers from ``least``. ``unit`` (records, steps) is for messages."""
    return one(
        within(least, inf, whole), f"a whole number{unit and f' of {unit}'}, {least} or more"
    )


# ---- values


def within(
    least: float,
    most: float,
    read: Callable[[object], N | None],
    *,
    above: bool = False,
    below: bool = False,
) -> Callable[[object], N | None]:
    """Make a function that reads numbers from ``least`` to ``most``, and returns None for any other
    value. ``above`` excludes ``least``, and ``below`` excludes ``most``.
    """

    def read_within(value: object) -> N | None:
        found = read(value)
        ends = (least,) * above + (most,) * below
        return found if found is not None and least <= found <= most and found not in ends else None

    return read_within


def whole(value: object) -> int | None:
    """Read a whole number, also from text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value):
        return int(value)
    return None


def number(value: object) -> float | None:
    """Read a finite number, also from text. A whole number stays an int."""
    found = whole(value)
    if found is not None:
        return found
    if isinstance(value, float):
        return value if abs(value) < inf else None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return None


def real(value: object) -> float | None:
    """Read a number as a float."""
    found = number(value)
    return None if found is None else float(found)


def in_digits(value: object) -> object:
    """Return a finite number, also from text, as decimal text without an exponent. Return other
    values unchanged.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, float) and isfinite(value):
        return f"{Decimal(repr(float(value))):f}"  # the repr of a NumPy number names its type
    if isinstance(value, str) and value.isascii() and _NUMBER.fullmatch(value.strip()):
        return f"{Decimal(value.strip()):f}"
    return value


def texts(value: object) -> Sequence[str] | None:
    """Read one text or several as a sequence. Return None for other values."""
    lines = [value] if isinstance(value, str) else value
    if isinstance(lines, Sequence) and all(isinstance(line, str) for line in lines):
        return lines
    return None


# ---- lines


def assignments(value: object, setting: str) -> list[tuple[str, object]]:
    """Read the name -> value pairs of a mapping, of one CSV line, or of a list of CSV lines.

    A name may occur more than once. Raises InputError for a name without a value in a line, and
    for anything else.
    """
    if isinstance(value, Mapping):
        return [(str(name), each) for name, each in value.items()]
    lines = texts(value)
    if lines is None:
        raise InputError(f"{setting}: expected name=value, or a table of them.")
    pairs = [pair for line in lines for pair in split_line(line, setting, assigned=True)]
    ProblemList(
        f"{setting}: {name!r} needs a value, as in {name}=..."
        for name, each in pairs
        if each is None
    ).stop()
    return [(name, each) for name, each in pairs]


# A quoted part keeps commas, equals signs and line breaks. A quote inside is doubled, as in CSV.
_QUOTED = r'"(?:[^"]|"")*"'
_VALUE = rf"{_QUOTED}|{BAND}|[^,]*"
_FIELD = re.compile(
    rf"\s*(?P<name>{_QUOTED}|[^,=\"][^,=]*|)(?:=(?P<value>{_VALUE}))?\s*(?P<end>,|\Z)", re.DOTALL
)


def split_line(line: str, setting: str, *, assigned: bool = False) -> list[tuple[str, str | None]]:
    """Split a CSV line into ``name`` or ``name=value`` fields. A field is split at its first
    unquoted ``=``.

    ``assigned`` is for lines in which each name needs a value: a field that is quoted as a whole is
    also split at its first ``=``. So ``"income, net=10"`` is the column ``income, net`` with value
    10. A name without a value gets None. Raises InputError for an open quote or an empty name.
    """
    parts: list[tuple[str, str | None]] = []
    position = 0
    while position <= len(line):
        match = _FIELD.match(line, position)
        if not match or not match["name"].strip():
            raise InputError(
                f"{setting}: cannot read {line!r}; separate names by commas, and put a name with "
                "a comma in double quotes."
            )
        name, value = _unquote(match["name"]), match["value"]
        if value is not None:
            value = _unquote(value)
        elif match["name"].startswith('"') and "=" in name and assigned:
            name, value = name.split("=", 1)
        parts.append((name, value))
        if match["end"] != ",":
            break
        position = match.end()
    return parts


def _unquote(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.strip()
