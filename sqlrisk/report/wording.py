"""The words of text and page: how names, levels, numbers and labels of syntheses are shown, what a
setting is called.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Protocol, TypeVar

from sqlrisk.report.blocks import Number
from sqlrisk.report.declared import Declared, having, headlines

Row = Mapping[str, Any]
R = TypeVar("R", bound=Row)


class Shown(Protocol):
    """A result with numbers of measures."""

    @property
    def scenario(self) -> Row:
        """Its settings."""

    @property
    def declared(self) -> Declared:
        """How measures are shown, by measure."""


MISSING = "(missing)"  # a missing level
NOTHING = "–"  # a number that is not defined
WAYS = {1: "one-way", 2: "two-way", 3: "three-way"}  # tables, by how many columns they have
HIDDEN = "[c]"  # a number that is hidden because it is confidential, as official statistics mark it


def shown(value: object) -> str:
    """Return a name or a level as one line of printable text; a missing level is ``(missing)``."""
    if value is None:
        return MISSING
    text = str(value)
    if text == "":
        return '""'
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def or_nothing(value: object) -> str:
    """Return a name or a level as ``shown`` does, and a dash for None."""
    return NOTHING if value is None else shown(value)


def plain_text(value: object) -> str:
    """Return a value as text, None as no text."""
    return "" if value is None else str(value)


def listed(value: object) -> list[Any]:
    """Return the items of a setting: of a list all, of None none, else the setting itself."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def names(value: object) -> str:
    """Return the items of a setting with commas between them."""
    return ", ".join(shown(name) for name in listed(value)) or NOTHING


def pairs(value: object) -> list[tuple[str, str]]:
    """Return (name, setting) pairs of a mapping whose settings may be lists."""
    if isinstance(value, Mapping):
        return [
            (shown(name), shown(item)) for name, items in value.items() for item in listed(items)
        ]
    return [
        (name, setting)
        for name, _, setting in (shown(item).partition("=") for item in listed(value))
    ]


def distinct(rows: Iterable[Row], field: str) -> list[Any]:
    """Return the values of a field in their first order."""
    return list(dict.fromkeys(row[field] for row in rows))


def split(rows: Sequence[R], field: str) -> list[tuple[Any, list[R]]]:
    """Return each value of a field, in their first order, with its rows."""
    return [
        (value, [row for row in rows if row[field] == value]) for value in distinct(rows, field)
    ]


def varying(rows: Sequence[Row], fields: Iterable[str]) -> list[str]:
    """Return the fields in which the rows differ."""
    return [field for field in fields if len({row[field] for row in rows}) > 1]


# ---- numbers
# --------------------------------------------------------------------------------------------------


def amount(value: object, unit: str = "") -> str:
    """Return a number for reading: percentages with two decimals, shares with four, counts with
    thousands set apart by commas.

    A percentage that is not 0 never reads 0.00, and one below 100 never reads 100.00.
    """
    if value is None:
        return NOTHING
    if not isinstance(value, int | float):
        return shown(value)
    if unit.startswith("share "):
        return f"{value:.4f}"
    if not unit.startswith("percent"):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    rounded = f"{value:.2f}"
    if value != 0 and rounded in ("0.00", "-0.00"):
        return "<0.01" if value > 0 else ">-0.01"
    return ">99.99" if value < 100 and rounded == "100.00" else rounded


def percent(value: object) -> str:
    """Return a percentage with its sign."""
    return f"{amount(value, 'percent')} %"


def share(part: int, whole: int) -> str:
    """Return what percent of the whole a part is."""
    return f"{100 * part / whole:.2f}" if whole else NOTHING


def number(value: object, form: str = ".6g") -> str:
    """Return a number in a format of Python, by default to as many digits as tell it from a near
    one.
    """
    return format(value, form) if isinstance(value, int | float) else NOTHING


def probability(value: object) -> str:
    """Return a p value; a small one never reads 0."""
    return "<0.0001" if isinstance(value, int | float) and value < 0.0001 else number(value, ".4f")


def count(value: object) -> float:
    """Return a number to compare by; what is not defined is 0."""
    return float(value) if isinstance(value, int | float) else 0.0


def number_of(row: Row, field: str, unit: str = "") -> Number:
    """Return a field of a row as ``amount`` does; one that is hidden, or at an end of what is
    possible, says so.
    """
    return Number(_told(row, field) or amount(row.get(field), unit), row, field)


def spoken(row: Row, field: str) -> Number:
    """Return a count as a sentence has it: a rounded one is said to be so."""
    text = number_of(row, field)
    if row.get("rounded") and (sign := text[:1]) and row.get(field) is not None:
        words = {"<": f"fewer than {text[1:]}", "≥": f"{text[1:]} or more"}.get(
            sign, f"about {text}"
        )
        return Number(words, row, field)
    return text


def precise(row: Row, field: str, form: str = ".6g") -> Number:
    """Return a field of a row as ``number`` does; one that is hidden, or at an end of what is
    possible, says so.
    """
    return Number(_told(row, field) or number(row[field], form), row, field)


def _told(row: Row, field: str) -> str | None:
    """Return what an external report says in the place of a number, None where it is the rounded
    one.
    """
    said: str | None = row.get("words", {}).get(field)
    return said or (HIDDEN if row.get("hidden") and row.get(field) is None else None)


def value_of(row: Row | None) -> str:
    """Return the value of a result row, and a dash where there is no row."""
    return NOTHING if row is None else number_of(row, "value", unit_of(row))


def unit_of(row: Row) -> str:
    """Return the unit of a result row."""
    return plain_text(row["unit"])


# ---- labels of syntheses
# --------------------------------------------------------------------------------------------------


def label_name(label: str) -> str:
    """Return the name of the syntheses that a label belongs to: ``cart`` of ``cart 1`` and ``cart
    pooled 1-2``; else empty.
    """
    return " ".join(label.split(" ")[: -2 if pooled(label) else -1])


def pooled(label: str) -> bool:
    """Return whether a label stands for several syntheses pooled."""
    words = label.split(" ")
    return words[-2:-1] == ["pooled"] and "-" in words[-1]


def pools(labels: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yield (name, m, label): the first synthesis of a name alone, then its first 2, 3
    ... pooled.
    """
    for name in dict.fromkeys(map(label_name, labels)):
        own = [label for label in labels if label_name(label) == name]
        for m, label in enumerate([own[0], *filter(pooled, own)], start=1):
            yield name, m, label


def synthesis_name(label: object) -> str:
    """Return a label with ``synthesis`` before a bare number."""
    text = shown(label)
    return f"synthesis {text}" if text.isdecimal() else text


def representatives(labels: Iterable[str], summary: str = "") -> list[str]:
    """Return one label per name: of one synthesis its own, of several the ``summary`` (mean) or
    else the widest pool.
    """
    chosen: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        wanted = label.split(" ")[-1] == summary if summary else pooled(label)
        if wanted or label_name(label) not in chosen:
            chosen[label_name(label)] = label
    return list(chosen.values())


def means(rows: Iterable[Row]) -> list[str]:
    """Return one label per name among result rows: of one synthesis its own, of several
    their mean.
    """
    return representatives((str(row["synthesis"]) for row in rows), "mean")


# ---- exclusions
# --------------------------------------------------------------------------------------------------


def base_of(found: Shown, measure: str) -> str:
    """Return the baseline to compare with in the place of one: that over the people who are
    counted, if not all are.
    """
    return _in_place(found).get(measure, measure)


def baselines(found: Shown) -> list[str]:
    """Return the baselines to compare the headlines of a result with."""
    return list(
        dict.fromkeys(
            base_of(found, each.baseline)
            for each in headlines(found.declared)
            if each.baseline is not None
        )
    )


def comparable(rows: Iterable[R], found: Shown) -> list[R]:
    """Return the rows without a baseline over other people than are counted, or one that would be
    there twice.
    """
    others = _in_place(found)
    return [row for row in rows if row["measure"] not in others]


def _in_place(found: Shown) -> dict[str, str]:
    """Return which baseline stands in the place of one over other people than are counted."""
    counted = having("of_counted", found.declared)
    return (
        counted
        if any(left_out(found.scenario))
        else {each: everybody for everybody, each in counted.items()}
    )


def left_out(scenario: Row) -> Iterator[str]:
    """Say in words who is not counted by the settings of ``scenario``."""
    if levels := pairs(scenario.get("exclude_level")):
        yield ", ".join(f"{target} is {level}" for target, level in levels)
    if missing := scenario.get("exclude_missing"):
        yield "missing " + names(missing)
    for pair in listed(scenario.get("exclude_pair")):
        if isinstance(pair, Mapping):
            target, key = (
                f"{pair['target']} is {pair['target_level']}",
                f"{pair['key']} is {pair['key_level']}",
            )
            yield shown(f"{target} where {key}")
        else:
            yield shown(pair)
    if (limit := scenario.get("max_cell")) is not None:
        yield f"cells of more than {limit} records"
    if (limit := scenario.get("max_cell_syn")) is not None:
        yield f"cells of more than {limit} synthetic records"


def file_name(path: str) -> str:
    """Return a file by its own name alone; a folder that is named after a level, as
    ``region=North`` is, without the level.
    """
    column, sign, _ = PurePath(path).name.partition("=")
    return f"{column}=…" if sign else column
