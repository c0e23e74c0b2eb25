"""What the templates are filled with: files, columns, class keys, comparisons, and the name of every stage table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from sqlrisk import datatypes
from sqlrisk.catalog import Measure
from sqlrisk.errors import InputError
from sqlrisk.render import literal, quote
from sqlrisk.scenario import Scenario
from sqlrisk.sources import Synthesis
from sqlrisk.tolerances import Tolerance

LIMB_LIMIT = 2**62  # a column of the class key stays below it, so that sums of digits never leave a BIGINT
SPAN_LIMIT = 20_000  # combinations of key levels that are counted in one reading of the records; measured
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class File:
    """One file of the comparison: 0 is the original, i is synthesis i, and the last may be control.

    ``relation`` is what FROM reads; ``types`` maps its columns to their types (empty when they are not known); ``record`` is
    the number of a record in the file, as SQL, from 1 (None unless the records are numbered).
    """

    number: int
    relation: str
    types: Mapping[str, str] = field(default_factory=dict)
    record: str | None = None
    control: bool = False

    @property
    def of_people(self) -> bool:
        """Whether its records are people: the original and control."""
        return self.control or self.number == 0

    @property
    def held(self) -> str:
        """The column that tells whether a record of this file is in a class."""
        return f"in_{self.number}"

    @property
    def count(self) -> str:
        """The column that counts this file's records."""
        return self._count("")

    @property
    def count_class(self) -> str:
        """The same of the whole class."""
        return self._count("_class")

    @property
    def count_all(self) -> str:
        """The same of the whole file."""
        return self._count("_all")

    def _count(self, whole: str) -> str:
        if self.of_people:
            return f"n_control{whole}" if self.control else f"n_orig{whole}"
        return f"n_syn{whole}_{self.number}"


@dataclass(frozen=True)
class Column:
    """A key (``k1`` ...), a target (``t1`` ...), or a column of people alone: ``by`` (``b1`` ...), in a condition (``c1`` ...).

    Or ``i1``, that of the ids by which files are aligned.

    ``name`` is the user's, ``type`` the one that all files share (None: unknown).
    """

    role: str
    number: int
    name: str
    type: str | None = None
    bins: int | None = None
    special: tuple[str, ...] = ()  # as SQL literals
    missing: tuple[str, ...] = ()  # values that stand for a missing one, as SQL literals
    tolerance: Tolerance | None = None  # of a numeric target whose levels may also be near each other

    @property
    def id(self) -> str:
        """Its name in every stage after the first."""
        return f"{self.role}{self.number}"

    def value_in(self, file: File) -> str:
        """The column's value in one file, in the common type; NaN is missing."""
        value = self._held(file)
        return f"CASE WHEN {value} IN ({', '.join(self.missing)}) THEN NULL ELSE {value} END" if self.missing else value

    def _held(self, file: File) -> str:
        name = quote(self.name)
        if self.type is None:
            return name
        own = file.types[self.name]
        value = name if own == self.type else f"CAST({name} AS {self.type})"
        if not datatypes.is_float(own):
            return value
        # Parquet statistics leave NaN out, and DuckDB 2.0 concludes from a bound of 0 that ISNAN of the bare column is false.
        return f"CASE WHEN ISNAN(CASE WHEN {name} IS NULL THEN NULL ELSE {name} END) THEN NULL ELSE {value} END"

    def level(self, text: str) -> str:
        """A level that the user typed, as SQL in the column's own type. Raises InputError where it cannot be one."""
        if self.type is None or self.type == "VARCHAR":
            return literal(text)
        if datatypes.is_numeric(self.type):
            text = {"true": "1", "false": "0"}.get(text.lower(), text)
            if _NUMBER.fullmatch(text.strip()):
                # Not cast to a whole number, which would round 19.5 to a level that was not meant.
                return f"CAST('{text.strip()}' AS {self.type})" if datatypes.is_float(self.type) else text.strip()
        elif self.type == "BOOLEAN" and text.lower() in ("true", "false"):
            return text.upper()
        elif self.type == "DATE" or self.type.startswith("TIMESTAMP"):
            try:
                when = date.fromisoformat(text) if self.type == "DATE" else datetime.fromisoformat(text)
                return f"CAST('{when.isoformat(*(() if self.type == 'DATE' else (' ',)))}' AS {self.type})"
            except ValueError:
                pass
        elif not datatypes.is_numeric(self.type) and self.type != "BOOLEAN":
            return f"TRY_CAST({literal(text)} AS {self.type})"
        raise InputError(f"The column {self.name!r} is {datatypes.family(self.type)}; {text!r} cannot be one of its levels.")

    def matches(self, text: str, levels: str = "levels") -> str:
        """Condition on a row of the table ``levels``: it is the level that the user typed, or its bin holds it."""
        value = self.level(text)
        if not self.bins:
            return f"{levels}.value = {value}"
        inside = f"{levels}.low <= {value} AND ({value} < {levels}.high OR {levels}.closed = 1 AND {value} = {levels}.high)"
        plain = "".join(f" AND {value} <> {each}" for each in self.special)
        return f"({levels}.value = {value} OR {inside}{plain})"


@dataclass(frozen=True)
class Part:
    """One key inside the class key: digit ``code * stride`` of the column ``limb``; size None: the key has the limb to itself."""

    column: Column
    limb: str
    stride: int = 1
    size: int | None = None
    last: bool = True

    @property
    def digit(self) -> str:
        """The key's packed code, out of the class key, without a division."""
        return self._digit(self.limb)

    def digit_of(self, table: str) -> str:
        """The same, of a named table."""
        return self._digit(f"{table}.{self.limb}")

    def digit_in(self, column: str) -> str:
        """The same, of any column that holds this part of the class key."""
        return self._digit(column)

    def packed(self, code: str) -> str:
        """A level code as it stands in the class key."""
        return code if self.stride == 1 else f"CAST({code} AS BIGINT) * {self.stride}"

    def _digit(self, limb: str) -> str:
        upper = limb if self.last or self.size is None else f"{limb} % {self.stride * self.size}"
        return upper if self.stride == 1 else f"({upper} - {limb} % {self.stride})"


@dataclass(frozen=True)
class Span:
    """Keys side by side in one class key column, few enough in their combinations to be counted together."""

    number: int
    parts: tuple[Part, ...]

    @property
    def digits(self) -> str:
        """The digits of all its keys, out of the class key."""
        first, last = self.parts[0], self.parts[-1]
        upper = last.limb if last.last or last.size is None else f"{last.limb} % {last.stride * last.size}"
        return upper if first.stride == 1 else f"({upper} - {last.limb} % {first.stride})"


@dataclass(frozen=True)
class Limb:
    """One BIGINT column of the class key and the keys packed into it."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Pass:
    """The classes that are counted together: those whose (first) class key is at least ``low`` and below ``high``."""

    low: int | None = None
    high: int | None = None

    def takes(self, class_key: str = "class_key") -> str:
        """Condition on a class: it is one of them. Empty where all are."""
        bounds = {f"{class_key} >= {self.low}": self.low, f"{class_key} < {self.high}": self.high}
        return " AND ".join(condition for condition, bound in bounds.items() if bound is not None)


EVERY_CLASS = Pass()


@dataclass(frozen=True)
class Comparison:
    """The people of one file against a choice of syntheses: one alone, or the first few of a method pooled."""

    number: int
    label: str
    method: str
    members: tuple[File, ...]
    single: bool
    people: File


@dataclass(frozen=True)
class Population:
    """Some of the people, by ``number`` in the stages; with a ``column`` each of its levels is one, from ``number`` on.

    ``kind``: ``all``, ``uniques``, ``special``, ``condition`` (``conditions``: SQL by file number) or ``level``.
    """

    number: int
    name: str
    kind: str
    conditions: Mapping[int, str] = field(default_factory=dict)
    column: Column | None = None

    @property
    def flag(self) -> str:
        """The column of the records that tells who fulfils its condition."""
        return f"p{self.number}"


@dataclass(frozen=True)
class Baseline:
    """The user's distribution of a target: ``relation`` has a row per level with its ``share``; ``level`` is its value in SQL."""

    relation: str
    level: str


EVERYBODY = Population(0, "all", "all")


@dataclass(frozen=True)
class Layout:
    """A scenario laid out over its files.

    ``populations`` are those besides everybody. ``own_id`` is the column by which aligned files are (None: by their order).
    ``limbs`` and ``records`` (of each file) are empty until the dictionaries
    are made. Table names are those of the files under
    ``sql/stages``, with the id of their column where there is one table per column.
    """

    scenario: Scenario
    files: tuple[File, ...]
    keys: tuple[Column, ...]
    targets: tuple[Column, ...]
    comparisons: tuple[Comparison, ...]
    measures: tuple[Measure, ...]
    populations: tuple[Population, ...] = ()
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    limbs: tuple[Limb, ...] = ()
    records: tuple[int, ...] = ()
    own_id: Column | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Keys, then targets."""
        return self.keys + self.targets

    @property
    def class_key(self) -> str:
        """The columns of the class key, separated by commas."""
        return ", ".join(limb.name for limb in self.limbs)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The keys inside the class key, in the order of the scenario."""
        return tuple(part for limb in self.limbs for part in limb.parts)

    @property
    def people_files(self) -> tuple[File, ...]:
        """The files whose records are people: the original, and control where there is one."""
        return tuple(file for file in self.files if file.of_people)

    @property
    def by_columns(self) -> tuple[Column, ...]:
        """The columns whose levels are populations."""
        return tuple(population.column for population in self.populations if population.column is not None)

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """Those of them that are neither key nor target, and have a dictionary of people's levels."""
        return tuple(column for column in self.by_columns if column not in self.columns)

    @property
    def of_original(self) -> tuple[Comparison, ...]:
        """The comparisons of the original's people."""
        return tuple(each for each in self.comparisons if not each.people.control)

    @property
    def syntheses(self) -> tuple[File, ...]:
        """The synthetic files."""
        return tuple(file for file in self.files if not file.of_people)

    @property
    def singles(self) -> tuple[Comparison, ...]:
        """Those of them with one synthesis."""
        return tuple(each for each in self.of_original if each.single)

    def column(self, name: str) -> Column:
        """A key or target by the user's name."""
        return next(column for column in self.columns if column.name == name)

    def part(self, name: str) -> Part:
        """A key inside the class key by the user's name."""
        return next(part for part in self.parts if part.column.name == name)


def table(stage: str, column: Column | None = None) -> str:
    """The name of a stage's table; where there is one table per column, with the column's id."""
    return stage if column is None else f"{stage}_{column.id}"


def pack(keys: Sequence[Column], sizes: Sequence[int] | None) -> tuple[Limb, ...]:
    """Keys packed into as few BIGINT columns as hold them, by mixed radix over the level counts ``sizes``.

    Without sizes every key has a column of its own.
    """
    groups: list[list[tuple[Column, int, int | None]]] = []
    product = LIMB_LIMIT
    for index, key in enumerate(keys):
        size = sizes[index] if sizes is not None else None
        if size is None or product * size >= LIMB_LIMIT:
            groups.append([])
            product = 1
        groups[-1].append((key, product, size))
        product *= size or 1
    names = ["class_key", *(f"class_key_{number}" for number in range(2, len(groups) + 1))]
    return tuple(
        Limb(name, tuple(Part(key, name, stride, size, last=(key is group[-1][0])) for key, stride, size in group))
        for name, group in zip(names, groups, strict=True)
    )


def unpacked(layout: Layout) -> Layout:
    """The layout with a column for each key instead of the class key, so that any choice of the keys can be packed later."""
    return replace(layout, limbs=tuple(Limb(key.id, (Part(key, key.id),)) for key in layout.keys))


def spans(parts: Sequence[Part]) -> list[Span]:
    """Neighbouring keys joined while their combinations stay few: reading records costs more than summing some groups again."""
    groups: list[list[Part]] = []
    for part in parts:
        group = groups[-1] if groups else []
        low, high = (group[0] if group else part), part
        neighbours = bool(group) and group[-1].limb == part.limb
        if neighbours and low.size and high.size and high.stride * high.size // low.stride <= SPAN_LIMIT:
            group.append(part)
        else:
            groups.append([part])
    return [Span(number, tuple(group)) for number, group in enumerate(groups, start=1)]


def compare(syntheses: Sequence[Synthesis], files: Sequence[File]) -> tuple[Comparison, ...]:
    """Each synthesis alone, and per method the first 2, 3, ... pooled in the order given (an intruder holds them all).

    First for the people of the original, then for control.
    """
    plans: list[tuple[str, str, tuple[File, ...], bool, File]] = []
    synthetic = [file for file in files if not file.of_people]
    for people in (file for file in files if file.of_people):
        for method in dict.fromkeys(synthesis.method for synthesis in syntheses):
            members = [(each, file) for each, file in zip(syntheses, synthetic, strict=True) if each.method == method]
            plans += [(synthesis.label, method, (file,), True, people) for synthesis, file in members]
            plans += [
                (f"{method} pooled 1-{upto}".strip(), method, tuple(file for _, file in members[:upto]), False, people)
                for upto in range(2, len(members) + 1)
            ]
    return tuple(Comparison(number, *plan) for number, plan in enumerate(plans, start=1))
