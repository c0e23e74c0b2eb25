"""Write names, levels, numbers, labels of syntheses and settings for text and pages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Protocol, TypeVar

from sqlrisk.report.blocks import Number
from sqlrisk.report.declared import Declared, having, headlines

Row = Mapping[str, Any]
R = TypeVar("R", bound=Row)


class Shown(Protocol):
    """A result that contains numbers of measures."""

    @property
    def scenario(self) -> Row:
        """The settings of the result."""

    @property
    def declared(self) -> Declared:
        """The headers of measures, by measure."""

    @property
    def measured(self) -> Collection[str]:
        """The names of the measures that the result has numbers of."""


MISSING = "(missing)"  # a missing level
NOTHING = "–"  # an undefined number
PLACES = (2, 3, 4)  # decimals of a percentage: more where it would read 0 or 100
COUNTED = ("people", "synthetic records")  # beginnings of units of counts: no decimals if whole
WAYS = {1: "one-way", 2: "two-way", 3: "three-way"}  # number of columns of a table -> its kind
HIDDEN = "[c]"  # a hidden number: official statistics mark confidential numbers like this
SUMMARIES = ("mean", "min", "max")  # last words of labels that stand for several syntheses


def shown(value: object) -> str:
    """Return a name or level as one line of printable text. A missing level is ``(missing)``."""
    if value is None:
        return MISSING
    text = str(value)
    if text == "":
        return '""'
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def of_population(name: object) -> str:
    """Return a population as the end of a phrase: `` of women``, or an empty text for ``all``."""
    return "" if name == "all" else f" of {shown(name)}"


def with_label(column: object, labels: Mapping[str, str]) -> str:
    """Return a column's name and its label, if it has one: ``health (Self-rated health)``."""
    label = labels.get(plain_text(column))
    return f"{shown(column)} ({shown(label)})" if label else shown(column)


def with_target(title: str, target: object, labels: Mapping[str, str]) -> str:
    """Return a title followed by the target, if there is one: ``DiSCO, health``."""
    return title if target is None else f"{title}, {with_label(target, labels)}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case. All other letters stay as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def or_nothing(value: object) -> str:
    """Return a name or level as `shown` does, or a dash for None."""
    return NOTHING if value is None else shown(value)


def or_blank(value: object) -> str:
    """Return a name or level as `shown` does, or an empty text for None."""
    return "" if value is None else shown(value)


def plain_text(value: object) -> str:
    """Return a value as text, or an empty text for None."""
    return "" if value is None else str(value)


def listed(value: object) -> list[Any]:
    """Return the items of a setting as a list: empty for None, one item for a single value."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def names(value: object) -> str:
    """Return the items of a setting, separated by commas, or a dash if there are none."""
    return ", ".join(shown(name) for name in listed(value)) or NOTHING


def pairs(value: object) -> list[tuple[str, str]]:
    """Return (name, setting) pairs from a mapping or from NAME=SETTING texts. A name with several
    settings gives several pairs.
    """
    if isinstance(value, Mapping):
        return [
            (shown(name), shown(item)) for name, items in value.items() for item in listed(items)
        ]
    return [
        (name, setting)
        for name, _, setting in (shown(item).partition("=") for item in listed(value))
    ]


def some(texts: Sequence[str], most: int, between: str = "; ") -> str:
    """Return the first ``most`` texts and the number of others: ``a; b and 3 more``."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return between.join(texts[:most]) + more


def distinct(rows: Iterable[Row], field: str) -> list[Any]:
    """Return the distinct values of a field in order of appearance."""
    return list(dict.fromkeys(row[field] for row in rows))


def split(rows: Sequence[R], field: str) -> list[tuple[Any, list[R]]]:
    """Return each value of a field with its rows, in order of appearance."""
    found: dict[Any, list[R]] = {}
    for row in rows:
        found.setdefault(row[field], []).append(row)
    return [*found.items()]


def varying(rows: Sequence[Row], fields: Iterable[str]) -> list[str]:
    """Return the names of those fields in which rows differ."""
    return [field for field in fields if len({row[field] for row in rows}) > 1]


def valued(rows: Iterable[R]) -> list[R]:
    """Return the rows that have a value."""
    return [row for row in rows if row["value"] is not None]


# ---- numbers


def amount(value: object, unit: str = "") -> str:
    """Return a number for display: percentages with two decimals (near 0 and 100 with up to four),
    shares with four, counts with commas between thousands.

    A percentage other than 0 is never shown as 0, and a percentage below 100 never as 100. None is
    a dash, and anything else that is not a number is written as `shown` does.
    """
    if value is None:
        return NOTHING
    if not isinstance(value, int | float):
        return shown(value)
    if unit.startswith("share "):
        return f"{value:.4f}"
    if not unit.startswith("percent"):
        if isinstance(value, float) and value.is_integer() and unit.startswith(COUNTED):
            value = int(value)
        return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    for places in PLACES:
        rounded = f"{value:.{places}f}"
        if value in (0, 100) or float(rounded) not in (0, 100):
            return rounded
    ends = {"0": "<0.0001", "-": ">-0.0001", "1": ">99.9999" if value < 100 else rounded}
    return ends[rounded[0]]


def percent(value: object) -> str:
    """Return a percentage with a percent sign."""
    return f"{amount(value, 'percent')} %"


def share(part: int, whole: int) -> str:
    """Return a part as percent of the whole (without a sign), or a dash if the whole is 0."""
    return amount(100 * part / whole, "percent") if whole else NOTHING


def are(number: int) -> str:
    """Return the verb behind a count: ``is`` behind 1."""
    return "is" if number == 1 else "are"


def number(value: object, form: str = ".6g") -> str:
    """Return a number in a Python format, by default with six digits. Anything else is a dash."""
    return format(value, form) if isinstance(value, int | float) else NOTHING


def probability(value: object) -> str:
    """Return a p value for display. A small one is never shown as 0."""
    return "<0.0001" if isinstance(value, int | float) and value < 0.0001 else number(value, ".4f")


def count(value: object) -> float:
    """Return a number to compare or sort by, 0 if undefined."""
    return float(value) if isinstance(value, int | float) else 0.0


def number_of(row: Row, field: str, unit: str = "") -> Number:
    """Return a field of a row as `amount` writes it.

    In an external report, a hidden number is ``[c]``. A number whose rounding interval reaches an
    end of its possible range is shown as a limit, such as ``<15`` or ``≥40``.
    """
    return Number(_told(row, field) or amount(row.get(field), unit), row, field)


def percent_of(row: Row) -> str:
    """Return the value of a row with a percent sign, as `number_of` writes it: ``<1.41 %``."""
    return f"{number_of(row, 'value', 'percent')} %"


def spoken(row: Row, field: str) -> Number:
    """Return a count for use in a sentence. A rounded count reads "about 40" or "fewer than 15"."""
    text = number_of(row, field)
    if row.get("rounded") and (sign := text[:1]) and row.get(field) is not None:
        words = {"<": f"fewer than {text[1:]}", "≥": f"{text[1:]} or more"}
        return Number(words.get(sign, f"about {text}"), row, field)
    return text


def precise(row: Row, field: str, form: str = ".6g") -> Number:
    """Return a field of a row as `number` writes it. A hidden number or a limit is as in
    `number_of`.
    """
    return Number(_told(row, field) or number(row[field], form), row, field)


def _told(row: Row, field: str) -> str | None:
    """Return the words instead of a number in an external report, or None if it is shown."""
    said: str | None = row.get("words", {}).get(field)
    return said or (HIDDEN if row.get("hidden") and row.get(field) is None else None)


def value_of(row: Row | None) -> str:
    """Return the value of a result row, or a dash without a row."""
    return NOTHING if row is None else number_of(row, "value", unit_of(row))


def unit_of(row: Row) -> str:
    """Return the unit of a result row."""
    return plain_text(row["unit"])


def in_percent(row: Row) -> bool:
    """Return True if the value of a result row is a percentage, or a difference of percentages.

    Only the unit decides: rows of saved results and of utility have no other property of a measure.
    """
    return unit_of(row).startswith("percent")


def interval(scenario: Row) -> str:
    """Return the name of the intervals of a result: ``95 % interval``."""
    confidence = scenario.get("confidence")
    return "interval" if confidence is None else f"{100 * confidence:g} % interval"


# ---- labels of syntheses


def label_name(label: str) -> str:
    """Return the name in a label: ``cart`` for ``cart 1``, ``cart mean`` and ``cart pooled 1-2``.

    It is empty for a label without a name, such as ``1`` or ``pooled 1-2``.
    """
    return " ".join(label.split(" ")[: -2 if pooled(label) else -1])


def pooled(label: str) -> bool:
    """Return True if a label stands for several pooled syntheses."""
    words = label.split(" ")
    return words[-2:-1] == ["pooled"] and "-" in words[-1]


def is_single(label: str) -> bool:
    """Return True if a label stands for one file, not for a pool or a summary of several."""
    return not pooled(label) and label.rpartition(" ")[2] not in SUMMARIES


def pools(labels: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yield (name, m, label) for each name of syntheses and each number m of pooled ones: the first
    synthesis (m = 1), then the first 2, 3 ... pooled.
    """
    for name in dict.fromkeys(map(label_name, labels)):
        own = [label for label in labels if label_name(label) == name]
        for m, label in enumerate([own[0], *filter(pooled, own)], start=1):
            yield name, m, label


def synthesis_name(label: object) -> str:
    """Return a label, with ``synthesis`` before a bare number."""
    text = shown(label)
    return f"synthesis {text}" if text.isdecimal() else text


def representatives(labels: Iterable[str], summary: str = "") -> list[str]:
    """Return one label for each name of syntheses. A single synthesis has only its own label.

    For several syntheses, return the label of their ``summary`` (such as mean), or of the widest
    pool if ``summary`` is empty.
    """
    chosen: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        wanted = label.split(" ")[-1] == summary if summary else pooled(label)
        if wanted or label_name(label) not in chosen:
            chosen[label_name(label)] = label
    return list(chosen.values())


def means(rows: Iterable[Row]) -> list[str]:
    """Return a label for each name of syntheses in result rows: the mean, or the only synthesis."""
    return representatives((str(row["synthesis"]) for row in rows), "mean")


def by_mean(rows: Sequence[R]) -> Iterator[tuple[str, list[R]]]:
    """Yield each label of `means` with its rows."""
    for label in means(rows):
        yield label, [row for row in rows if row["synthesis"] == label]


# ---- exclusions


def base_of(found: Shown, measure: str) -> str:
    """Return the baseline to use for the baseline ``measure``: with exclusions the one over the
    people who are counted, otherwise the one over all people.
    """
    return _in_place(found).get(measure, measure)


def baselines(found: Shown) -> list[str]:
    """Return the names of the baselines with which to compare the headline measures of a result."""
    return list(
        dict.fromkeys(
            base_of(found, each.baseline)
            for each in headlines(found.declared)
            if each.baseline is not None
        )
    )


def comparable(rows: Iterable[R], found: Shown) -> list[R]:
    """Return the rows without misleading baselines. With exclusions, drop baselines over all
    people. Without exclusions, drop baselines over the people who are counted if the result has the
    same number as a baseline over all people.
    """
    others = _in_place(found)
    return [row for row in rows if row["measure"] not in others]


def _in_place(found: Shown) -> dict[str, str]:
    """Return a dict of each misleading baseline to the baseline to use instead."""
    counted = having("of_counted", found.declared)
    return (
        counted
        if any(left_out(found.scenario))
        else {each: everybody for everybody, each in counted.items() if everybody in found.measured}
    )


def left_out(scenario: Row, told: Callable[[object], str] = str) -> Iterator[str]:
    """Yield in words which people are excluded. ``told`` makes the text of a column's name."""
    if levels := pairs(scenario.get("exclude_level")):
        yield ", ".join(f"{told(target)} is “{level}”" for target, level in levels)
    if missing := scenario.get("exclude_missing"):
        yield "missing " + ", ".join(shown(told(each)) for each in listed(missing))
    for pair in listed(scenario.get("exclude_pair")):
        if isinstance(pair, Mapping):
            target = f"{told(pair['target'])} is “{pair['target_level']}”"
            yield shown(f"{target} where {told(pair['key'])} is “{pair['key_level']}”")
        else:
            yield shown(pair)
    if (limit := scenario.get("max_cell")) is not None:
        yield f"cells of more than {limit} records"
    if (limit := scenario.get("max_cell_syn")) is not None:
        yield f"cells of more than {limit} synthetic records"


def file_name(path: str) -> str:
    """Return the name of a file without its folder. From a folder named after a level, such as
    ``region=North``, the level is dropped.
    """
    column, sign, _ = PurePath(path).name.partition("=")
    return f"{column}=…" if sign else column
