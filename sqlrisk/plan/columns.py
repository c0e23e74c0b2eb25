"""The files and columns of a comparison, and their names in SQL."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256

from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.columns.dictionary import PERIODS
from sqlrisk.inputs.columns.recodes import Band, Recode
from sqlrisk.inputs.conditions import EQUAL
from sqlrisk.inputs.tolerances import Tolerance

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class File:
    """One file: 0 is the original, i is synthesis i, then universe and control, if any.

    Attributes:
        relation: the relation that FROM reads.
        types: column -> type. Empty if unknown.
        record: the SQL of a record's number in the file, from 1. None unless records are numbered.
        times: a column that is 1 if the row's comparison uses the file, otherwise 0. Counts are
            multiplied by it. Empty if all comparisons of a query use the file.
    """

    number: int
    relation: str
    types: Mapping[str, str] = field(default_factory=dict)
    record: str | None = None
    control: bool = False
    times: str = ""
    universe: bool = False

    @property
    def of_people(self) -> bool:
        """True if the records are people: for the original and control."""
        return self.control or self.number == 0

    @property
    def synthetic(self) -> bool:
        """True if the records are synthetic."""
        return not self.of_people and not self.universe

    @property
    def who(self) -> str:
        """The word in reports for the people of this file, if it is the original or control."""
        return "control" if self.control else "original"

    @property
    def held(self) -> str:
        """The column that marks that a class has records of this file."""
        return f"in_{self.number}"

    @property
    def count(self) -> str:
        """The column that counts this file's records."""
        return self._count("")

    @property
    def count_class(self) -> str:
        """The column that counts this file's records in the whole class."""
        return self._count("_class")

    @property
    def count_all(self) -> str:
        """The column that counts all records of this file."""
        return self._count("_all")

    def _count(self, whole: str) -> str:
        if self.of_people:
            return f"n_control{whole}" if self.control else f"n_orig{whole}"
        return f"n_universe{whole}" if self.universe else f"n_syn{whole}_{self.number}"


@dataclass(frozen=True)
class Column:
    """A key (``k1`` ...), a target (``t1`` ...), or a column with another role.

    The other roles are columns of whole rows (``a1`` ...), ``by`` columns of people (``b1`` ...),
    people's columns in a condition (``c1`` ...), and the id that aligns files (``i1``). ``name`` is
    the user's name, ``type`` the type that all files share (None: unknown). Instants are ``zoned``:
    stored as times in UTC and shown with +00.
    """

    role: str
    number: int
    name: str
    type: str | None = None
    bins: int | None = None
    special: tuple[str, ...] = ()  # as SQL literals
    missing: tuple[str, ...] = ()  # values that mean missing, as SQL literals
    labels: tuple[tuple[str, str], ...] = ()  # (level, label) in the files
    tolerance: Tolerance | None = None  # only for a key or target
    recode: Recode | None = None  # how values become levels, if they are not levels themselves
    order: tuple[str, ...] = ()  # the order of the values, if it is not the sorted one
    zoned: bool = False

    def __post_init__(self) -> None:
        """Change the type of an instant to a time in UTC."""
        if self.type == datatypes.INSTANT:
            object.__setattr__(self, "type", datatypes.IN_UTC)
            object.__setattr__(self, "zoned", True)

    @property
    def kind(self) -> str | None:
        """The shared type as files have it: an instant stays an instant. None if unknown."""
        return datatypes.INSTANT if self.zoned else self.type

    @property
    def shares_codes(self) -> bool:
        """True if several values may share a level, because the column has bins or recodes."""
        return bool(self.bins or self.recode)

    @property
    def binned(self) -> str:
        """The SQL, over a row of values, of the number to put into bins."""
        return self.recode.binned if self.recode else datatypes.as_double(self.type, "value")

    @property
    def shown(self) -> str:
        """The SQL, over a row of the dictionary, of a level that is not a range of numbers."""
        named = bool(self.recode and self.recode.named)
        text = datatypes.as_text(self.type, "value") + (" || '+00'" if self.zoned else "")
        if self.label_table is None:
            plain = datatypes.as_double(self.type, "value") if self.type == "FLOAT" else "value"
            return f"COALESCE(label, {text})" if named else text if self.zoned else plain
        return f"COALESCE({'levels.label, ' if named else ''}value_labels.label, {text})"

    @property
    def shown_as_value(self) -> str:
        """The SQL of the shown level, with the alias ``value``."""
        return self.shown if self.shown == "value" else f"{self.shown} AS value"

    def text_of(self, shown: str) -> str:
        """Return the SQL of a shown level as text. ``shown`` is its SQL."""
        number = not self.named and datatypes.is_float(self.type or "")
        return datatypes.as_text("DOUBLE" if number else None, shown)

    @property
    def named(self) -> bool:
        """True if levels may be shown by names instead of values."""
        return bool(self.labels or (self.recode and self.recode.named))

    @property
    def label_table(self) -> str | None:
        """The name of the table with the column's labels, or None without labels.

        The name holds a hash of the labels. Manifests hold the SQL, and must not show levels that
        nobody typed.
        """
        return named_by_hash("labels", self.labels)

    @property
    def order_table(self) -> str | None:
        """The name of the table with the order of the column's values, or None without an order.
        The name holds a hash of the values.
        """
        return named_by_hash("order", self.order)

    @property
    def id(self) -> str:
        """The name of the column in every stage after the first, such as ``k1``."""
        return f"{self.role}{self.number}"

    def value_in(self, file: File) -> str:
        """Return the SQL of the column's value in one file, cast to the common type. NaN becomes
        missing.
        """
        value = name = quote(self.name)
        own = None if self.type is None else file.types[self.name]
        if own is not None:
            value = datatypes.as_type(own, name, str(self.type))
        # A text may be NaN.
        if own is not None and datatypes.is_text(own) and datatypes.is_float(str(self.type)):
            value = f"CASE WHEN ISNAN({value}) THEN NULL ELSE {value} END"
        if own is not None and datatypes.is_float(own):
            # Parquet statistics leave NaN out, and DuckDB 2.0 concludes from a bound of 0 that
            # ISNAN of the bare column is false.
            value = (
                f"CASE WHEN ISNAN(CASE WHEN {name} IS NULL THEN NULL ELSE {name} END) THEN "
                f"NULL ELSE {value} END"
            )
        if self.missing:
            return f"CASE WHEN {value} IN ({', '.join(self.missing)}) THEN NULL ELSE {value} END"
        return value

    def with_missing(self, texts: Iterable[str]) -> "Column":
        """Return the column with these texts as its only missing values, except texts it cannot
        hold.
        """
        return replace(self, missing=self.values_of(texts))

    def values_of(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return texts as SQL literals of the column's values, without texts that cannot be values.
        A label is not a value.
        """
        plain, values = replace(self, labels=()), []
        for text in texts:
            with suppress(InputError):
                values.append(plain.level(text))
        return tuple(values)

    def with_labels(self, labels: Mapping[str, str]) -> "Column":
        """Return the column with these labels (level -> label), without labels of texts that the
        column cannot hold.
        """
        plain = replace(self, labels=())
        return replace(self, labels=tuple(each for each in labels.items() if plain.may_be(each[0])))

    def may_be(self, level: str) -> bool:
        """Return True if a text can be cast to the column's type."""
        with suppress(InputError):
            self.level(level)
            # A cast would round it.
            return not datatypes.is_whole(self.type or "") or level.lstrip("-").isdecimal()
        return False

    def with_order(self, texts: Iterable[str]) -> "Column":
        """Return the column with its values in this order, without texts that it cannot hold. A
        column with bins or a tolerance is returned unchanged.
        """
        plain = replace(self, labels=())
        if self.bins or self.tolerance:
            return self
        return replace(self, order=tuple(filter(plain.may_be, texts)))

    @property
    def ordered(self) -> bool:
        """True if the levels have an order: ordered categories, dates, or unlabeled numbers."""
        kind = self.type or ""
        return bool(self.order) or (
            not self.named and (datatypes.is_numeric(kind) or datatypes.is_date(kind))
        )

    def has(self, stage: str) -> bool:
        """Return True if the column can be the target of measures over a stage."""
        needed = {"within": self.tolerance is not None, "ordered_classes": self.ordered}
        return needed.get(stage, True)

    @property
    def place(self) -> str:
        """The SQL of a value's rank in the order, for a query that reads ``order_table``. Values
        without a rank come last.
        """
        return f"COALESCE(level_places.place, {len(self.order) + 1})"

    def level(self, text: str) -> str:
        """Return the SQL of a level or label that the user typed, in the column's type. Raises
        InputError if the column cannot have it.
        """
        text = next((level for level, label in self.labels if label == text), text)
        if self.type is None or self.type == "VARCHAR":
            return literal(text)
        if datatypes.is_numeric(self.type):
            number = {"true": "1", "false": "0"}.get(text.lower(), text.strip())
            if datatypes.is_float(self.type) and (
                _NUMBER.fullmatch(number) or _INFINITE.fullmatch(number)
            ):
                return f"CAST('{number}' AS {self.type})"
            # Written out, because a number with an exponent is a DOUBLE, which many whole numbers
            # equal. Not cast to the column's type, which would round 19.5 to a level that was not
            # meant.
            if _NUMBER.fullmatch(number) and _is_exact(written := f"{Decimal(number):f}"):
                return written
        elif self.type == "BOOLEAN" and text.lower() in ("true", "false"):
            return text.upper()
        elif self.type == "DATE" or self.type.startswith("TIMESTAMP"):
            with suppress(ValueError, OverflowError):
                when = (
                    date.fromisoformat(text)
                    if self.type == "DATE"
                    else self._moment(datetime.fromisoformat(text))
                )
                return f"CAST('{when}' AS {self.type})"
        elif self.type != "BOOLEAN":
            return f"TRY_CAST({literal(text)} AS {self.type})"
        kind = datatypes.family(self.kind or "")
        raise InputError(
            f"The column {self.name!r} is {kind}; {text!r} cannot be one of its levels"
            f"{suggestion(text, [label for _, label in self.labels])}."
        )

    def ordered_level(self, text: str) -> str:
        """Return the SQL of a typed level for <, <=, > or >=. Raises InputError also if the column
        is text and the level a number: as text, 7 comes after 65.
        """
        if self.type == "VARCHAR" and _NUMBER.fullmatch(text.strip()):
            raise InputError(
                f"The column {self.name!r} is VARCHAR; {text!r} cannot be compared with text by "
                "size. If text there means a missing value, name it, as in --missing NA "
                '(missing=["NA"]). Otherwise store the column as numbers.'
            )
        return self.level(text)

    def _moment(self, when: datetime) -> datetime:
        """Return a time that the user typed, converted to UTC for instants. A time without an
        offset is unchanged. Raises ValueError for a time with an offset in other columns.
        """
        if not self.zoned and when.tzinfo is not None:
            raise ValueError
        return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo is not None else when

    def matches(self, text: str, levels: str = "levels") -> str:
        """Return the SQL condition that a row of the table ``levels`` is the typed level, or the
        bin that contains it. Raises InputError if the column cannot have it.
        """
        if self.recode is not None and not self.bins:
            return self._matches_recoded(self.recode, text, levels)
        if self.recode is not None and self.recode.age_at:
            age = replace(self, type="INTEGER").level(text)
            return f"({_in_bin(self.recode.binned_number(age), levels)})"
        value = self.level(text)
        if not self.bins:
            return f"{levels}.value = {value}"
        number = self._bound(value)
        if self.recode is not None:
            number = self.recode.binned_number(number)
        plain = "".join(f" AND {value} <> {each}" for each in self.special)
        return f"({levels}.value = {value} OR {_in_bin(number, levels)}{plain})"

    def _bound(self, value: str) -> str:
        """Make ``value``, the SQL of a typed number, comparable with the ends of bins and bands."""
        return datatypes.as_double(self.type, value) if self.type == "FLOAT" else value

    def _matches_recoded(self, recode: Recode, text: str, levels: str) -> str:
        """Return the SQL condition that a recoded level is the typed one. The user types its name,
        a number in it, or its band.
        """
        found = []
        if recode.named or self.type in (None, "VARCHAR"):
            found.append(f"{levels}.label = {literal(text)}")
        value = None
        with suppress(InputError):
            value = replace(self, type="INTEGER" if recode.age_at else self.type).level(text)
        if value is not None and not (recode.date or recode.age_at):
            found.append(
                f"{levels}.label IS NULL AND {levels}.low IS NULL AND {levels}.value = {value}"
            )
        if recode.age_at or recode.bands or recode.width:
            if value is not None:
                number = self._bound(value)
                found.append(
                    f"{levels}.low <= {number} AND ({number} < {levels}.high OR {number} = "
                    f"{levels}.low)"
                )
            elif band := Band.read(text):
                found.append(f"{levels}.low = {band.low} AND {levels}.high = {band.high}")
        if not found:
            raise InputError(
                f"The column {self.name!r} is recoded; {text!r} cannot be one of its levels."
            )
        return f"({' OR '.join(found)})"

    def compared(self, operator: str, texts: Sequence[str]) -> str:
        """Return the SQL condition that compares a record's recoded level with texts that the user
        typed.

        The condition is never true for a missing level. With =, IN and <>, a number in a band
        stands for the band. Otherwise ages and periods are compared in their order, and numbers
        in bands by their original value. Raises InputError if the column cannot have a level.
        """
        row = self.id
        if operator in EQUAL:
            held = " OR ".join(self.matches(text, row) for text in texts)
            return (
                f"{row}.code <> 0 AND CASE WHEN {held} THEN 1 ELSE 0 END = "
                f"{0 if operator == '<>' else 1}"
            )
        if self.recode and self.recode.date:
            known = PERIODS[self.recode.date]
            if operator in (">=", "<"):  # as texts, a year is before its months and quarters
                known += f"|{PERIODS['year']}"
            if not re.fullmatch(known, texts[0]):
                raise InputError(
                    f"The column {self.name!r} is recoded to a {self.recode.date}; {texts[0]!r} "
                    "is none: write a year as 2021, a quarter as 2021-Q1, a month as 2021-03."
                )
            return f"{row}.label {operator} {literal(texts[0])}"
        if self.recode and self.recode.age_at:
            return (
                f"{row}.low {operator} {replace(self, type='INTEGER', recode=None).level(texts[0])}"
            )
        return f"{row}.value {operator} {self.ordered_level(texts[0])}"


def named_by_hash(what: str, rows: Sequence[object]) -> str | None:
    """Return a table name made from the hash of the rows, or None without rows. With a hash the
    name is short enough for PostgreSQL, which cuts names after 63 bytes.
    """
    return f"{what}_{sha256(json.dumps(rows).encode()).hexdigest()[:32]}" if rows else None


def _in_bin(number: str, levels: str) -> str:
    """Return the SQL condition that a number is in the bin of a row of the table ``levels``."""
    return (
        f"{levels}.low <= {number} AND ({number} < {levels}.high OR {levels}.closed = 1 AND "
        f"{number} = {levels}.high)"
    )


def _is_exact(number: str) -> bool:
    """Return True if SQL reads a number literal exactly: up to 39 digits, or 38 with a decimal
    point.
    """
    whole, _, fraction = number.lstrip("-").partition(".")
    return len(whole.lstrip("0") + fraction) <= (38 if fraction else 39)


def table(stage: str, column: Column | None = None) -> str:
    """Return the name of a stage's table, with the column's id if there is one table per column."""
    return stage if column is None else f"{stage}_{column.id}"
