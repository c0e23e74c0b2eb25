"""Readers of the more complex settings: names, levels, tolerances, conditions, and the form of
files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import inf
from numbers import Real
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.inputs import conditions, tolerances
from sqlrisk.inputs.readers import (
    Reader,
    as_list,
    assignments,
    by_column,
    by_file,
    in_digits,
    number,
    one,
    real,
    rising,
    several,
    split_line,
    texts,
    whole,
    within,
)

Setting = Any  # a list, a mapping or a CSV line, as a user gives it
# The files to compare, which a scenario file may also name.
FILE_SETTINGS = ("original", "synthetic", "control", "universe")
# As targets: all columns except keys, ids, weights, the split and those with the role other.
OTHERS = "others"
ASSUMPTIONS = ("saturated",)  # values of ``assume``: how the files were synthesized
BASELINE = "baseline"
# Membership score by a ratio to a reference -> its rule in stages/membership/ratio_scores.sql.
RATIOS = {
    "ratio, 0/0 is 0": "0",
    "ratio, 0/0 is 1": "1",
    "ratio plus one": "plus one",
    "share, same people": "same people",
}
INTRUDER_PRIORS = ("uniform", OTHERS, BASELINE)  # prior beliefs of an intruder


@dataclass(frozen=True)
class Pair:
    """A target level and a key level that belong together, so that one reveals the other. People
    and synthetic records with both levels are excluded from the target's measures.
    """

    target: str
    target_level: str
    key: str
    key_level: str


# ---- names and levels


def read_names(value: object, setting: str) -> tuple[str, ...]:
    """Read a list of names, or one CSV line. Names can be numbers, as in pandas. Raises InputError
    for anything else.
    """
    if isinstance(value, str):
        return tuple(
            name if rest is None else f"{name}={rest}" for name, rest in split_line(value, setting)
        )
    value = as_list(value)  # the columns of a frame are not a list
    names = [value] if _is_name(value) else value
    if isinstance(names, Sequence) and all(map(_is_name, names)):
        return tuple(map(str, names))
    raise InputError(f"{setting}: expected a list of names.")


def read_distinct(value: object, setting: str) -> tuple[str, ...]:
    """Read names as `read_names` does, without repeats."""
    return tuple(dict.fromkeys(read_names(value, setting)))


def _is_name(value: object) -> bool:
    """Return True if a value names a column. It may be a text, or a number for frames whose columns
    are numbered.
    """
    return isinstance(value, str) or (hasattr(value, "__index__") and not isinstance(value, bool))


def read_column(value: object, setting: str) -> str:
    """Read the name of one column."""
    return read_text(str(value) if _is_name(value) else value, setting)


def read_targets(value: object, setting: str) -> tuple[str, ...]:
    """Read a list of names, or one CSV line. The text ``others`` gives (), which stands for the
    targets that ``OTHERS`` describes.
    """
    return () if isinstance(value, str) and value == OTHERS else read_names(value, setting)


def read_level(value: object, setting: str) -> str:
    """Read a level as text. The text is cast to the type of its column later. None raises
    InputError, because a missing value cannot be written as text.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None:
        raise InputError(
            f"{setting}: a missing value is not a level; exclude it with exclude_missing."
        )
    return str(value)


def read_levels(value: object, setting: str) -> dict[str, tuple[str, ...]]:
    """Read column -> levels as text."""
    levels: dict[str, list[str]] = {}
    for column, each in assignments(value, setting):
        given = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        levels.setdefault(column, []).extend(read_level(level, setting) for level in given)
    return {column: tuple(dict.fromkeys(each)) for column, each in levels.items()}


def read_missing(value: object, setting: str) -> tuple[str, ...]:
    """Read values that mean missing, from a number, a list of texts and numbers or a CSV line, and
    return them as texts.
    """
    if isinstance(value, str):
        return tuple(dict.fromkeys(read_names(value, setting)))
    values = [value] if isinstance(value, Real) else value
    if not isinstance(values, Sequence) or not all(isinstance(each, str | Real) for each in values):
        raise InputError(
            f"{setting}: expected a value, or a list of values; values that are missing "
            "already need not be named."
        )
    return tuple(dict.fromkeys(read_level(each, setting) for each in values))


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
                raise InputError(
                    f"{setting}: expected exactly target=level,key=level; got {item!r}."
                )
            (target, target_level), (key, key_level) = parts
            pairs.append(Pair(target, str(target_level), key, str(key_level)))
        else:
            names = [each.name for each in fields(Pair)]
            if not isinstance(item, Mapping) or sorted(item) != sorted(names):
                raise InputError(f"{setting}: each pair needs {', '.join(names)}.")
            pairs.append(Pair(**{name: read_level(item[name], setting) for name in names}))
    return tuple(dict.fromkeys(pairs))


def read_conditions(value: object, setting: str) -> dict[str, str]:
    """Read name -> condition, from a mapping or lines ``NAME: condition``. The conditions are
    checked, but returned as texts.
    """
    if isinstance(value, Mapping):
        named = {str(name): str(condition) for name, condition in value.items()}
    else:
        lines = texts(value)
        if lines is None or not all(":" in line for line in lines):
            raise InputError(
                f"{setting}: expected NAME: condition, as in 'older women: sex = F AND age >= 65'."
            )
        named = {}
        for name, condition in (line.split(":", 1) for line in lines):
            if name.strip() in named:
                raise InputError(f"{setting}: the population {name.strip()!r} is defined twice.")
            named[name.strip()] = condition.strip()
    if not all(named):
        raise InputError(
            f"{setting}: a population needs a name, as in 'older women: sex = F AND age >= 65'."
        )
    for condition in named.values():
        conditions.read(condition, setting)
    return named


# ---- words and numbers

read_text = one(lambda value: value if isinstance(value, str) and value else None, "one text")
read_yes_or_no = one(lambda value: value if isinstance(value, bool) else None, "true or false")
read_thresholds = several(
    number,
    "records,percent, for example 50,90",
    lambda each: tuple(each) if len(each) == 2 and each[0] >= 0 and 0 <= each[1] <= 100 else None,
)


def _percent(value: object) -> float | None:
    """Read a percentage above 0 and below 100 with at most 6 decimals. Return whole numbers as
    int.
    """
    found = within(0, 100, number, above=True, below=True)(value)
    if found is None or found != round(found, 6):
        return None
    return int(found) if found == int(found) else found


read_percents = several(
    _percent, "percentages above 0 and below 100 with at most 6 decimals, as in 1,10,50", rising
)


def sizes(unit: str, example: str) -> Reader[tuple[int, ...]]:
    """Return a reader of sizes, in ascending order without repeats. ``unit`` and ``example`` are
    for messages.
    """
    return several(
        within(1, inf, whole), f"whole numbers of {unit}, 1 or more, as in {example}", rising
    )


def _share(value: object) -> Fraction | None:
    """Read a share in (0, 1) as an exact Fraction."""
    if within(0, 1, number, above=True, below=True)(value) is None:
        return None
    return Fraction(str(value).strip())


def _tolerance(form: Any) -> Any:
    def read(value: object) -> str | None:
        text = "" if value is None else read_level(in_digits(value), "").strip()
        return "".join(text.split()) if form.fullmatch(text) else None

    return read


read_tolerances = by_column(
    _tolerance(tolerances.FORM), "a number, 0 or more, as in 500, 5% or 30d (days)"
)
read_floors = by_column(_tolerance(tolerances.NUMBER), "a number, 0 or more, as in 500")
read_percent = one(
    within(0, 100, number, above=True), "a percentage above 0 and at most 100, such as 50"
)
read_fraction = one(_share, "a share between 0 and 1, as in 0.5")
read_change = one(within(0, inf, real), "a number, 0 or more, as in 0.5")
read_bins = by_column(within(2, inf, whole), "a whole number of bins, 2 or more")
read_paths: Reader[dict[str, str]] = by_column(str, "a file")


# ---- how CSV files are written


def _encoding(text: str) -> str | None:
    try:
        "".encode(text)
    except (LookupError, ValueError):
        return None
    return text


def _delimiter(text: str) -> str | None:
    mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    return mark if len(mark) == 1 and not mark.isalnum() and mark not in '"\r\n' else None


def _quote(text: str) -> str | None:
    mark = "" if text == "none" else text
    return (
        mark if not mark or (len(mark) == 1 and not mark.isalnum() and mark.isprintable()) else None
    )


read_encodings = by_file(
    _encoding, "the name of an encoding that Python knows, such as utf-8, latin-1 or windows-1252"
)
read_delimiters = by_file(_delimiter, "one character except a letter, digit or quote; or tab")
read_decimals = by_file(lambda text: text if text in (",", ".") else None, "a comma or a point")
read_quotes = by_file(_quote, "one character except a letter or digit; or none")
