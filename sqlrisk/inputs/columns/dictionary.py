"""The column dictionary: the user's entry for each column, ``[column.NAME]`` in a scenario file.

Recodes apply in this order: missing values, dates or ages, groups of levels (``merge``,
``hierarchy``), bands, rare levels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs.readers import Reader, in_digits, limit, one, table, texts, word
from sqlrisk.inputs.settings import read_missing, read_text

ROLES = ("identifier", "key", "sensitive", "weight", "other")
LEFT_OUT = ("identifier", "weight", "other")  # roles of columns that are not targets by default
# Fields of an entry that change how files are read, in every question.
AS_READ = ("missing", "codes")
# Fields of an entry that recode nothing.
NO_RECODES = ("label", "role", *AS_READ)
# The periods that may replace a date -> what their levels look like.
PERIODS = {"year": "[0-9]{4}", "quarter": "[0-9]{4}-Q[1-4]", "month": "[0-9]{4}-(0[1-9]|1[0-2])"}
AS_LABELS = ("labels",)
OTHER = "Other"  # the default name of the level that joins rare levels
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,12})?")
Groups = Mapping[str, tuple[str, ...]]  # name of a group -> its levels as text


@dataclass(frozen=True)
class ColumnEntry:
    """The user's entry for one column, with the names of a scenario file. Numbers are stored as
    text.

    Attributes:
        label: a description of the column.
        role: the role of the column in a scenario, one of ``ROLES``.
        missing: values that mean missing in this column.
        codes: ``labels`` if labels in the file replace codes as levels.
        bands: the lower end of each band.
        top: this value and all above it are one level.
        bottom: all values below this one are one level.
        width: width of equal bands, one of which begins at 0.
        date: the period that replaces a date, one of ``PERIODS``.
        age_at: the day for which a date becomes an age in full years.
        hierarchy: the CSV file of the groups of each level.
        step: the step of the hierarchy to use (0: the level as it is; None: 1).
        merge: group -> the levels that it joins.
        rare: levels with fewer people of the original than this are joined.
        rare_as: the name of the level that joins them (None: ``Other``).
    """

    label: str | None = None
    role: str | None = None
    missing: tuple[str, ...] = ()
    codes: str | None = None
    bands: tuple[str, ...] = ()
    top: str | None = None
    bottom: str | None = None
    width: str | None = None
    date: str | None = None
    age_at: str | None = None
    hierarchy: str | None = None
    step: int | None = None
    merge: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rare: int | None = None
    rare_as: str | None = None

    @property
    def cuts(self) -> bool:
        """True if the entry turns numbers into bands."""
        return bool(self.bands or self.top or self.bottom or self.width)

    @property
    def recodes(self) -> bool:
        """True if the entry merges or changes values."""
        return bool(
            self.cuts
            or self.date
            or self.age_at
            or self.merge
            or self.rare
            or (self.hierarchy and self.step != 0)
        )

    @property
    def as_read(self) -> "ColumnEntry | None":
        """The fields of the entry that change how files are read, or None if it has none."""
        said = ColumnEntry(**{name: getattr(self, name) for name in AS_READ})
        return said if said.plain() else None

    @property
    def no_numbers(self) -> tuple[str, ...]:
        """The recodes in the entry, by name, after which levels are not numbers."""
        asked = {
            "date": self.date,
            "merge": self.merge,
            "hierarchy": self.step != 0 and self.hierarchy,
            "bands": self.bands,
        }
        return tuple(name for name, value in {**asked, "rare": self.rare}.items() if value)

    def plain(self) -> dict[str, object]:
        """Return the entry as plain JSON values by name, without empty ones."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said["merge"] = {group: list(levels) for group, levels in self.merge.items()}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in said.items()
            if value is not None and value not in ((), {})
        }


NAMES = tuple(each.name for each in fields(ColumnEntry))
_LINE = re.compile(
    r"(?P<column>.+?)\.(?:merge\.(?P<group>.+?)|"
    rf"(?P<name>{'|'.join(name for name in NAMES if name != 'merge')}))=(?P<value>.*)",
    re.DOTALL,
)


def read_columns(value: object, setting: str) -> dict[str, ColumnEntry]:
    """Read column -> entry, from a table of tables or lines ``COLUMN.NAME=VALUE``."""
    problems = ProblemList()
    entries: dict[str, ColumnEntry] = {}
    for column, said in _tables(value, setting).items():
        with problems:
            entries[column] = _entry(said, f"{setting}.{column}")
    problems.stop()
    return entries


def readable(value: object, setting: str) -> tuple[dict[str, dict[str, object]], list[str]]:
    """Return the readable part of a dictionary, and messages about the rest.

    A column with a mistake keeps only the fields in ``NO_RECODES``. If the mistake is in one of
    these, the column loses its whole entry. Raises InputError if the value is not a dictionary.
    """
    left: dict[str, dict[str, object]] = {}
    problems = ProblemList()
    for column, said in _tables(value, setting).items():
        wrong = ProblemList()
        with wrong:
            _entry(said, f"{setting}.{column}")
        plain = {name: each for name, each in said.items() if name in NO_RECODES}
        with suppress(InputError):
            _entry(plain, setting)
            left[column] = plain if wrong else said
        problems += wrong
    return left, problems


def joined(*given: object) -> dict[str, dict[str, object]]:
    """Merge column dictionaries into one: column -> its settings, unchecked. A later setting, or
    group of levels under ``merge``, replaces an earlier one. None is an empty dictionary.
    """
    every: dict[str, dict[str, object]] = {}
    for each in given:
        for column, said in _tables(each or {}, "column").items():
            before = every.get(column, {})
            merges: list[Any] = [
                one["merge"] for one in (before, said) if isinstance(one.get("merge"), dict)
            ]
            every[column] = before | said
            if len(merges) > 1:
                every[column]["merge"] = merges[0] | merges[1]
    return every


def _tables(value: object, setting: str) -> dict[str, dict[str, object]]:
    """Return column -> table of its settings, unchecked."""
    if isinstance(value, Mapping):
        odd = [
            str(column)
            for column, said in value.items()
            if not isinstance(said, Mapping | ColumnEntry)
        ]
        ProblemList(
            f"{setting}.{column}: expected a table, as in [column.age] bands = [0, 18, 65]."
            for column in odd
        ).stop()
        return {
            str(column): said.plain() if isinstance(said, ColumnEntry) else dict(said)
            for column, said in value.items()
        }
    lines = texts(value)
    if lines is None:
        raise InputError(
            f"{setting}: expected COLUMN.NAME=VALUE, as in age.bands=0,18,65, or a table for each "
            "column."
        )
    tables: dict[str, dict[str, object]] = {}
    problems = ProblemList()
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            name = line.partition("=")[0].rpartition(".")[2]
            near = suggestion(name, NAMES) if name not in NAMES else ""
            form = (
                "expected COLUMN.NAME=VALUE, as in age.bands=0,18,65 or "
                "job.merge.Transport=bus,train"
            )
            problems.append(
                f"{setting}: {form}; got {line.partition('=')[0]!r}{near}. NAME is one of "
                f"{', '.join(NAMES)}."
            )
            continue
        said: Any = tables.setdefault(found["column"], {})
        name = found["name"]
        if name is None:
            said, name = said.setdefault("merge", {}), found["group"]
        if name in said:
            place = line[: found.start("value") - 1]
            problems.append(f"{setting}.{place} is given twice; keep one.")
        said[name] = found["value"]
    problems.stop()
    return tables


def _entry(said: Mapping[str, object], place: str) -> ColumnEntry:
    """Read the entry of one column. Raises InputError with every problem."""
    entry = ColumnEntry(**_READ(said, place))
    ProblemList(_contradictions(entry, place)).stop()
    return entry


def _contradictions(entry: ColumnEntry, place: str) -> Iterator[str]:
    """Yield messages about recodes that contradict each other, and about bands that overlap or are
    not in ascending order.
    """
    ways = {
        "date": entry.date, "age_at": entry.age_at, "hierarchy": entry.hierarchy,
        "merge": entry.merge, "bands": entry.bands,
        "width": entry.width,
    }  # fmt: skip
    given = [name for name, value in ways.items() if value]
    together = ({"merge", "bands"}, {"merge", "width"}, {"age_at", "bands"}, {"age_at", "width"})
    if len(given) > 1 and set(given) not in together:
        yield f"{place}: {' and '.join(given)} exclude each other; keep one of them."
    elif (entry.top or entry.bottom) and (entry.date or entry.hierarchy):
        yield (
            f"{place}: top and bottom are for numbers, and {given[0]} makes levels that are "
            "not numbers; leave top and bottom out."
        )
    if entry.step is not None and entry.hierarchy is None:
        yield (
            f"{place}.step: a step needs a hierarchy; name its file, as in hierarchy = "
            '"regions.csv".'
        )
    if entry.rare_as is not None and entry.rare is None:
        yield (
            f"{place}.rare_as: it needs rare; give the number of people below which a level "
            "is rare, as in rare = 10."
        )
    bands = [Decimal(each) for each in entry.bands]
    for before, after in pairwise(bands):
        if after <= before:
            yield (
                f"{place}.bands: {after} comes after {before}; write the bands in ascending order."
            )
    bottom, top = (None if each is None else Decimal(each) for each in (entry.bottom, entry.top))
    if bottom is not None and top is not None and bottom >= top:
        yield f"{place}: bottom, {bottom}, must be below top, {top}."
    if bottom is not None and bands and bottom > bands[0]:
        yield (
            f"{place}.bottom: {bottom} is above the first band, which begins at {bands[0]}; "
            "they would overlap."
        )
    if top is not None and bands and top < bands[-1]:
        yield (
            f"{place}.top: {top} is below the last band, which begins at {bands[-1]}; they "
            "would overlap."
        )
    for name, end in (("bottom", bottom), ("top", top)):
        if end is not None and entry.width is not None and end % Decimal(entry.width):
            yield (
                f"{place}.{name}: {end} is inside a band, because bands begin at multiples of "
                f"{entry.width}; use a multiple of it."
            )


def _decimal(value: object) -> str | None:
    """Read a number, and return it as decimal text."""
    value = in_digits(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return None
    number = Decimal(value.strip())
    return f"{number.normalize():f}" if number else "0"


_END = one(_decimal, "a number, such as 65")


def _bands(value: object, place: str) -> tuple[str, ...]:
    """Read the lower ends of bands, from a list or one CSV line."""
    several = value.split(",") if isinstance(value, str) else value
    if not isinstance(several, Sequence) or not several:
        raise InputError(
            f"{place}: expected the lower bound of each band, as in 0,18,65; got {value!r}."
        )
    return tuple(_END(each, place) for each in several)


def _day(value: object) -> str | None:
    """Read a day, from a TOML date or ISO text."""
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        return None


def _groups(value: object, place: str) -> dict[str, tuple[str, ...]]:
    """Read group -> levels. Raises InputError for a group without a name or level, and for a level
    in two groups.
    """
    if not isinstance(value, Mapping) or not value:
        raise InputError(
            f'{place}: expected groups with their levels, as in {{ "Transport" = ["bus", "train"] '
            f"}}."
        )
    groups = {str(group): read_missing(levels, place) for group, levels in value.items()}
    owners: dict[str, str] = {}
    problems = ProblemList(
        f"{place}: the group {group!r} has no level."
        for group, levels in groups.items()
        if not levels
    )
    if "" in groups:
        problems.append(f"{place}: a group needs a name.")
    for group, levels in groups.items():
        for level in levels:
            if owners.setdefault(level, group) != group:
                problems.append(
                    f"{place}: the level {level!r} is in two groups, {owners[level]!r} and "
                    f"{group!r}."
                )
    problems.stop()
    return groups


_READERS: Mapping[str, Reader[Any]] = {
    "label": read_text, "role": word(*ROLES), "missing": read_missing, "codes": word(*AS_LABELS),
    "bands": _bands, "top": _END, "bottom": _END,
    "width": lambda value, place: str(limit()(value, place)),
    "date": word(*PERIODS), "age_at": one(_day, "a day, as in 2021-03-21"), "hierarchy": read_text,
    "step": limit(least=0),
    "merge": _groups, "rare": limit("people", least=2), "rare_as": read_text,
}  # fmt: skip
_READ = table(
    _READERS, between=".", unknown="there is no {name!r}{near}; a column may have {known}"
)
