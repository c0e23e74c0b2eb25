"""How settings are read: from what a user typed, as text or in a TOML file, to a value. `sqlrisk.inputs.fields` says which."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import conditions, tolerances

Setting = Any  # a list, a mapping or a CSV line; what a user may give
FILE_SETTINGS = ("original", "synthetic", "control", "universe")  # a scenario file may also say which files to compare
ALL_FILES = "all"  # whom a setting is about that files may have each
OTHERS = "others"  # targets: all columns that are no key
ASSUMPTIONS = ("saturated",)  # how a synthesiser may be said to have worked
BASELINE = "baseline"
# How the share of a file is held against that of a reference, by name -> by what stages/membership/ratio_scores.sql calls it.
RATIOS = {
    "ratio, 0/0 is 0": "0",
    "ratio, 0/0 is 1": "1",
    "ratio plus one": "plus one",
    "share, same people": "same people",
}
INTRUDER_PRIORS = ("uniform", OTHERS, BASELINE)  # what an intruder may have thought before


@dataclass(frozen=True)
class Pair:
    """A target level and a key level that go together anyway: cells that have both are not counted."""

    target: str
    target_level: str
    key: str
    key_level: str


Reader = Callable[[Any, str], object]


def read_names(value: object, setting: str) -> tuple[str, ...]:
    """Read a list of names, or one CSV line; names may be numbers, as those of a pandas frame. Raises InputError otherwise."""
    if isinstance(value, str):
        return tuple(name if rest is None else f"{name}={rest}" for name, rest in split_line(value, setting))
    value = value.tolist() if hasattr(value, "tolist") else value  # the columns of a frame are no list
    several = [value] if _is_name(value) else value
    if isinstance(several, Sequence) and all(map(_is_name, several)):
        return tuple(map(str, several))
    raise InputError(f"{setting}: expected a list of names.")


def _is_name(value: object) -> bool:
    """Return whether a value names a column: a text, or a number, as frames have them that were given no names."""
    return isinstance(value, str) or (hasattr(value, "__index__") and not isinstance(value, bool))


def read_column(value: object, setting: str) -> str:
    """Read the name of one column."""
    return read_text(str(value) if _is_name(value) else value, setting)


def read_targets(value: object, setting: str) -> tuple[str, ...]:
    """Read a list of names, or one CSV line; the word ``others`` names none, so that all columns are meant that are no key."""
    return () if value == OTHERS else read_names(value, setting)


def _assignments(value: object, setting: str) -> list[tuple[str, object]]:
    """Read the name -> value pairs of a mapping, of one CSV line, or of a list of CSV lines."""
    if isinstance(value, Mapping):
        return [(str(name), each) for name, each in value.items()]
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
        raise InputError(f"{setting}: expected name=value, or a table of them.")
    pairs = [pair for line in lines for pair in split_line(line, setting, assigned=True)]
    ProblemList(f"{setting}: {name!r} needs a value, as in {name}=..." for name, each in pairs if each is None).stop()
    return [(name, each) for name, each in pairs]


def read_bins(value: object, setting: str) -> dict[str, int]:
    """Read column -> number of bins."""
    bins: dict[str, int] = {}
    problems = ProblemList()
    for column, each in _assignments(value, setting):
        number = whole(each)
        if number is None or number < 2:
            problems.append(f"{setting}: {column!r} needs a whole number of bins, 2 or more; got {each!r}.")
        elif column in bins:
            problems.append(f"{setting}: the column {column!r} is named twice.")
        else:
            bins[column] = number
    problems.stop()
    return bins


def read_tolerances(value: object, setting: str) -> dict[str, str]:
    """Read column -> tolerance as text: 500, 0.5, and where it is more than the least of one, 5% or 30d."""
    found: dict[str, str] = {}
    problems = ProblemList()
    for column, each in _assignments(value, setting):
        text = f"{Decimal(repr(each)):f}" if isinstance(each, float) and isfinite(each) else read_level(each, setting).strip()
        form, example = (tolerances.FORM, "500, 5% or 30d (days)") if setting == "within" else (tolerances.NUMBER, "500")
        if not form.fullmatch(text):
            problems.append(f"{setting}: {column!r} needs a number, 0 or more, as in {example}; got {each!r}.")
        elif column in found:
            problems.append(f"{setting}: the column {column!r} is named twice.")
        else:
            found[column] = text.replace(" ", "")
    problems.stop()
    return found


def read_levels(value: object, setting: str) -> dict[str, tuple[str, ...]]:
    """Read column -> levels as text."""
    levels: dict[str, list[str]] = {}
    for column, each in _assignments(value, setting):
        several = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        levels.setdefault(column, []).extend(read_level(level, setting) for level in several)
    return {column: tuple(dict.fromkeys(each)) for column, each in levels.items()}


def read_pairs(value: object, setting: str) -> tuple[Pair, ...]:
    """Read pairs of levels: mappings, or lines ``target=level,key=level``."""
    items = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(items, Sequence):
        raise InputError(f"{setting}: expected target=level,key=level, or a list of them.")
    pairs: list[Pair] = []
    for item in items:
        if isinstance(item, str):
            parts = split_line(item, setting, assigned=True)
            if len(parts) != 2 or any(level is None for _, level in parts):
                raise InputError(f"{setting}: expected exactly target=level,key=level; got {item!r}.")
            (target, target_level), (key, key_level) = parts
            pairs.append(Pair(target, str(target_level), key, str(key_level)))
        else:
            names = [each.name for each in fields(Pair)]
            if not isinstance(item, Mapping) or sorted(item) != sorted(names):
                raise InputError(f"{setting}: each pair needs {', '.join(names)}.")
            pairs.append(Pair(**{name: read_level(item[name], setting) for name in names}))
    return tuple(dict.fromkeys(pairs))


def read_limit(value: object, setting: str, unit: str = "", least: int = 1) -> int:
    """Read a whole number, of a unit where it has one: records, steps."""
    number = whole(value)
    if number is None or number < least:
        raise InputError(f"{setting}: expected a whole number{unit and f' of {unit}'}, {least} or more; got {value!r}.")
    return number


def read_sizes(value: object, setting: str, unit: str = "records", example: str = "1,2,3,5,10") -> tuple[int, ...]:
    """Read sizes in rising order, each once."""
    several = value.split(",") if isinstance(value, str) else value
    if isinstance(several, Sequence) and several:
        sizes = [whole(each) for each in several]
        if all(size is not None and size >= 1 for size in sizes):
            return tuple(sorted({int(size) for size in sizes if size is not None}))
    raise InputError(f"{setting}: expected whole numbers of {unit}, 1 or more, as in {example}; got {value!r}.")


def read_percents(value: object, setting: str) -> tuple[float, ...]:
    """Read percentages above 0 and below 100 in rising order, each once; whole ones as whole numbers."""
    several = value.split(",") if isinstance(value, str) else value
    if isinstance(several, Sequence) and several:
        found = [_number(each) for each in several]
        rising = sorted({each for each in found if each is not None and 0 < each < 100 and each == round(each, 6)})
        if None not in found and {*found} == {*rising}:
            return tuple(int(each) if each == int(each) else each for each in rising)
    raise InputError(
        f"{setting}: expected percentages above 0 and below 100 with at most 6 decimals, as in 1,10,50; got {value!r}."
    )


def read_thresholds(value: object, setting: str) -> tuple[float, float]:
    """Read a number of records and a percentage."""
    parts = value.split(",") if isinstance(value, str) else value
    if isinstance(parts, Sequence) and len(parts) == 2:
        records, percent = (_number(part) for part in parts)
        if records is not None and percent is not None and records >= 0 and 0 <= percent <= 100:
            return records, percent
    raise InputError(f"{setting}: expected records,percent, for example 50,90; got {value!r}.")


def read_fraction(value: object, setting: str) -> Fraction:
    """Read a share between 0 and 1, exactly as it is written."""
    number = _number(value)
    if number is None or not 0 < number < 1:
        raise InputError(f"{setting}: expected a share between 0 and 1, as in 0.5; got {value!r}.")
    return Fraction(str(value).strip())


def read_confidence(value: object, setting: str) -> float:
    """Read a share between 0 and 1."""
    number = _number(value)
    if number is None or not 0 < number < 1:
        raise InputError(f"{setting}: expected a number between 0 and 1, such as 0.95; got {value!r}.")
    return number


def read_sampled(value: object, setting: str) -> float:
    """Read a share above 0 and up to 1."""
    number = _number(value)
    if number is None or not 0 < number <= 1:
        raise InputError(
            f"{setting}: expected the share of the population that is in the file, over 0 and up to 1; got {value!r}."
        )
    return number


def read_delta(value: object, setting: str) -> float:
    """Read a delta of differential privacy, a share from 0 on and below 1."""
    number = _number(value)
    if number is None or not 0 <= number < 1:
        raise InputError(f"{setting}: expected a delta of differential privacy, from 0 on and below 1; got {value!r}.")
    return number


def read_assumption(value: object, setting: str) -> str:
    """Read one of ``ASSUMPTIONS``."""
    return _one_of(ASSUMPTIONS, value, setting)


def read_intruder_prior(value: object, setting: str) -> str:
    """Read one of ``INTRUDER_PRIORS``."""
    return _one_of(INTRUDER_PRIORS, value, setting)


def _one_of(words: Sequence[str], value: object, setting: str) -> str:
    if value not in words:
        raise InputError(f"{setting}: expected {' or '.join(words)}; got {value!r}{suggestion(str(value), words)}.")
    return str(value)


def read_prior(value: object, setting: str) -> float:
    """Read a number above 0."""
    number = _number(value)
    if number is None or not 1e-100 <= number <= 1e100:
        raise InputError(f"{setting}: expected a number above 0 in decimals, such as 1 or 0.5; got {value!r}.")
    return float(number)


def read_change(value: object, setting: str) -> float:
    """Read how far numbers may change: a number from 0 on."""
    number = _number(value)
    if number is None or number < 0:
        raise InputError(f"{setting}: expected a number from 0 on, such as 0.5; got {value!r}.")
    return float(number)


def read_percent(value: object, setting: str) -> float:
    """Read a percentage, above 0 and at most 100."""
    number = _number(value)
    if number is None or not 0 < number <= 100:
        raise InputError(f"{setting}: expected a percentage above 0 and at most 100, such as 50; got {value!r}.")
    return number


def read_level(value: object, setting: str) -> str:
    """Read a level as text; it is read in its column's own type later. NULL is never a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None:
        raise InputError(f"{setting}: a missing value is no text; use exclude_missing for it.")
    return str(value)


def read_missing(value: object, setting: str) -> tuple[str, ...]:
    """Read values that stand for a missing one as text: a list of texts and numbers, or one CSV line."""
    if isinstance(value, str):
        return tuple(dict.fromkeys(read_names(value, setting)))
    if not isinstance(value, Sequence) or not all(isinstance(each, str | int | float) for each in value):
        raise InputError(f"{setting}: expected a value, or a list of values; a value that is missing already needs none.")
    return tuple(dict.fromkeys(read_level(each, setting) for each in value))


def _by_file(value: object, setting: str, known: Callable[[str], str | None], expected: str) -> dict[str, str]:
    """Read file -> text: a mapping, lines ``FILE=TEXT``, or one text for all files; ``known`` returns what it stands for."""
    if isinstance(value, Mapping):
        given = [(str(file), each) for file, each in value.items()]
    else:
        lines = [value] if isinstance(value, str) else value
        if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
            raise InputError(f"{setting}: expected {expected}, or a table of one for each file.")
        split = [(line, *line.rpartition("=")) for line in lines]
        given = [(file, text) if file and text else (ALL_FILES, line) for line, file, _, text in split]
    found: dict[str, str] = {}
    problems = ProblemList()
    for file, each in given:
        meant = known(each) if isinstance(each, str) else None
        if meant is None:
            problems.append(f"{setting}: expected {expected}; got {each!r}.")
        elif file in found:
            problems.append(f"{setting}: it is said twice of {file!r}.")
        else:
            found[file] = meant
    problems.stop()
    return found


def read_encodings(value: object, setting: str) -> dict[str, str]:
    """Read file -> name of an encoding."""

    def known(text: str) -> str | None:
        try:
            "".encode(text)
        except (LookupError, ValueError):
            return None
        return text

    return _by_file(value, setting, known, "the name of an encoding that Python knows, such as utf-8, latin-1 or windows-1252")


def read_delimiters(value: object, setting: str) -> dict[str, str]:
    """Read file -> the character that separates its fields."""

    def known(text: str) -> str | None:
        mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
        return mark if len(mark) == 1 and not mark.isalnum() and mark not in '"\r\n' else None

    return _by_file(value, setting, known, "one character that is no letter, digit or quote, or tab")


def read_decimals(value: object, setting: str) -> dict[str, str]:
    """Read file -> what stands before decimals."""
    return _by_file(value, setting, lambda text: text if text in (",", ".") else None, "a comma or a point")


def read_quotes(value: object, setting: str) -> dict[str, str]:
    """Read file -> the character that quotes its texts, empty for none."""

    def known(text: str) -> str | None:
        mark = "" if text == "none" else text
        return mark if not mark or (len(mark) == 1 and not mark.isalnum() and mark.isprintable()) else None

    return _by_file(value, setting, known, "one character that is no letter or digit, or none")


def read_yes_or_no(value: object, setting: str) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise InputError(f"{setting}: expected true or false; got {value!r}.")


def whole(value: object) -> int | None:
    """Read a whole number, also from text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value) else None


def _number(value: object) -> float | None:
    number = whole(value)
    if number is not None:
        return number
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return float(value) if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\.\d{1,18}\s*", value) else None


def read_text(value: object, setting: str) -> str:
    """Read one text."""
    if isinstance(value, str) and value:
        return value
    raise InputError(f"{setting}: expected one text; got {value!r}.")


def read_conditions(value: object, setting: str) -> dict[str, str]:
    """Read name -> condition, of a mapping or of lines ``NAME: condition``."""
    if isinstance(value, Mapping):
        named = {str(name): str(condition) for name, condition in value.items()}
    else:
        lines = [value] if isinstance(value, str) else value
        if not isinstance(lines, Sequence) or not all(isinstance(line, str) and ":" in line for line in lines):
            raise InputError(f"{setting}: expected NAME: condition, as in 'older women: sex = F AND age >= 65'.")
        named = {}
        for name, condition in (line.split(":", 1) for line in lines):
            if name.strip() in named:
                raise InputError(f"{setting}: the population {name.strip()!r} is defined twice.")
            named[name.strip()] = condition.strip()
    if not all(named):
        raise InputError(f"{setting}: a population needs a name, as in 'older women: sex = F AND age >= 65'.")
    for condition in named.values():
        conditions.read(condition, setting)
    return named


def read_paths(value: object, setting: str) -> dict[str, str]:
    """Read target -> file."""
    return {name: str(path) for name, path in _assignments(value, setting)}


# A quoted part keeps commas, equals signs and line breaks; a quote inside it is doubled, as in CSV.
_QUOTED = r'"(?:[^"]|"")*"'
_VALUE = rf"{_QUOTED}|{conditions.BAND}|[^,]*"
_FIELD = re.compile(rf"\s*(?P<name>{_QUOTED}|[^,=\"][^,=]*|)(?:=(?P<value>{_VALUE}))?\s*(?P<end>,|\Z)", re.DOTALL)


def split_line(line: str, setting: str, *, assigned: bool = False) -> list[tuple[str, str | None]]:
    """Split one CSV line into ``name`` or ``name=value`` fields, each at its first ``=`` outside quotes.

    With ``assigned`` each name needs a value: then a field that is quoted as a whole is also split at its first ``=``, and
    ``"income, net=10"`` is the column ``income, net`` with value 10. Raises InputError for an open quote or an empty name.
    """
    parts: list[tuple[str, str | None]] = []
    position = 0
    while position <= len(line):
        match = _FIELD.match(line, position)
        if not match or not match["name"].strip():
            raise InputError(
                f"{setting}: cannot read {line!r}; separate names by commas, and put a name with a comma in double quotes."
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
