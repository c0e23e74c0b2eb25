"""Types of columns, with DuckDB's names, and the common type of a column in different files."""

import re
from collections.abc import Sequence
from decimal import Decimal

from sqlrisk.common.errors import InputError

# Each type holds every whole number up to this one exactly.
EXACT_INTEGERS = {"DOUBLE": 2**53, "FLOAT": 2**24}
# Maximum number of digits of a decimal that a DOUBLE holds exactly.
EXACT_DIGITS = 15
# Types of whole numbers, with their maximum digits.
_SIGNED = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "HUGEINT": 39}
_INTEGERS = _SIGNED | {"UTINYINT": 3, "USMALLINT": 5, "UINTEGER": 10, "UBIGINT": 20, "UHUGEINT": 39}
_FLOATS = ("FLOAT", "DOUBLE")
INSTANT = "TIMESTAMP WITH TIME ZONE"
IN_UTC = "TIMESTAMP"  # instants are counted by their time in UTC, the zone of every session
_DATES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_NESTED = re.compile(r"(\[\d*\]\Z)|\A(STRUCT|MAP|UNION|LIST|ARRAY|VARIANT|GEOMETRY)\b")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def family(kind: str) -> str:
    """Return the type without its details in parentheses, for messages. An ENUM's details
    are its levels, which are data.
    """
    return kind.partition("(")[0]


def in_words(kind: str) -> str:
    """Return the kind of values of a type in words, such as ``whole numbers``, for messages."""
    if is_text(kind):
        return "text"
    if is_date(kind):
        return "dates" if kind == "DATE" else "times"
    if kind == INSTANT:
        return "times with a zone"
    if is_numeric(kind):
        return "whole numbers" if is_whole(kind) else "numbers"
    return "true and false" if kind == "BOOLEAN" else family(kind)


def is_text(kind: str) -> bool:
    """Return True if the type holds text, also as categories."""
    return kind == "VARCHAR" or kind.startswith("ENUM")


def is_numeric(kind: str) -> bool:
    """Return True if the type is numeric, so that bins can be made."""
    return kind in _INTEGERS or kind in _FLOATS or kind.startswith("DECIMAL")


def is_float(kind: str) -> bool:
    """Return True if the type has NaN, which counts as missing."""
    return kind in _FLOATS


def is_exact(kind: str) -> bool:
    """Return True if the type holds whole numbers or decimals, which have no rounding."""
    return is_numeric(kind) and not is_float(kind)


def as_type(own: str, value: str, kind: str) -> str:
    """Return the SQL that casts a value of the type ``own`` to the type ``kind``. A BOOLEAN is cast
    to INTEGER first, the only numeric type that PostgreSQL casts it to.
    """
    if own == kind:
        return value
    if own == "BOOLEAN" and kind != "INTEGER":
        value = f"CAST({value} AS INTEGER)"
    return f"CAST({value} AS {kind})"


def as_double(kind: str | None, value: str) -> str:
    """Return the SQL that casts a number of a type (None: unknown) to DOUBLE. A FLOAT is cast
    through its shortest text, so it becomes 38.6 and not 38.59999847.
    """
    return f"CAST({f'CAST({value} AS VARCHAR)' if kind == 'FLOAT' else value} AS DOUBLE)"


def as_text(kind: str | None, value: str) -> str:
    """Return the SQL that casts a value of a type (None: unknown) to text. The SQL names the type
    of a DOUBLE, because SQL Server needs another function to write all its digits.
    """
    return f"CAST({f'CAST({value} AS DOUBLE)' if kind == 'DOUBLE' else value} AS VARCHAR)"


def is_date(kind: str) -> bool:
    """Return True if the type holds dates, with or without a time of day."""
    return kind in _DATES


def is_number(text: str) -> bool:
    """Return True if a text is a decimal number without an exponent."""
    return re.fullmatch(r"[+-]?\d+(\.\d*)?", text.strip()) is not None


def is_whole(kind: str) -> bool:
    """Return True if the type holds only whole numbers."""
    return kind in _INTEGERS


def digits(kind: str) -> tuple[int, int]:
    """Return the maximum numbers of digits before and after the point. The type must hold whole
    numbers or decimals.
    """
    match = _DECIMAL.fullmatch(kind)
    return (int(match[1]) - int(match[2]), int(match[2])) if match else (_INTEGERS[kind], 0)


def beyond_double(kind: str, value: str) -> str | None:
    """Return the SQL condition that a number has more digits than a DOUBLE holds exactly.

    ``value`` is the SQL of the number. Return None if no number of this type has that many digits.
    """
    if not is_exact(kind):
        return None
    before, after = digits(kind)
    if before + after <= EXACT_DIGITS:
        return None
    limit = (
        EXACT_INTEGERS["DOUBLE"]
        if is_whole(kind)
        else f"{Decimal(10**EXACT_DIGITS).scaleb(-after):f}"
    )
    return f"{value} > {limit} OR {value} < -{limit}"


def is_nested(kind: str) -> bool:
    """Return True for lists, structs or maps, which have no levels."""
    return bool(_NESTED.search(kind))


def common(kinds: Sequence[str]) -> str | None:
    """Return the type in which values of all these types are compared, or None if there is none.

    Text goes with categories. Whole numbers go with each other, decimals and floats. FLOAT and
    DOUBLE are compared as FLOAT, since the DOUBLE may once have been stored as FLOAT. A date is
    compared with a timestamp as midnight, a boolean with whole numbers as 0 and 1. Instants (times
    with a zone) go only with instants. The type ``"NULL"``, in double quotes, of a column without
    values goes with any type. If no column has values, return VARCHAR.
    """
    known = {"VARCHAR" if is_text(kind) else kind for kind in kinds if kind != '"NULL"'}
    if not known:
        return "VARCHAR"
    if len(known) == 1:
        return known.pop()
    if "BOOLEAN" in known and all(kind == "BOOLEAN" or kind in _INTEGERS for kind in known):
        known.remove("BOOLEAN")
    if all(kind in _INTEGERS for kind in known):
        return _integer(known)
    if all(is_numeric(kind) for kind in known):
        floats = [kind for kind in known if kind in _FLOATS]
        return _decimal(known) if not floats else min(floats, key=lambda kind: EXACT_INTEGERS[kind])
    if all(kind in _DATES for kind in known):
        return "TIMESTAMP_NS" if "TIMESTAMP_NS" in known else "TIMESTAMP"
    return None


def shared(
    column: str, kinds: Sequence[tuple[str, str]], remedy: str = "Store it alike in all files."
) -> str:
    """Return the common type of a column, given (type, name of the source) for each file.

    Raises InputError if there is none, or if a type is nested or INTERVAL. If there is none, the
    message ends with ``remedy`` (with another one for times with and without a zone).
    """
    for own, source in kinds:
        if is_nested(own):
            raise InputError(
                f"The column {column!r} of {source} holds lists or structures; split it into "
                "plain columns."
            )
        if own == "INTERVAL":  # it also drops parts of a microsecond
            raise InputError(
                f"The column {column!r} of {source} holds INTERVAL, in which one month and 30 days "
                "are the same level; store it as a number of one unit."
            )
    kind = common([own for own, _ in kinds])
    if kind is None:
        # If all kinds read the same in words, such as numbers, show the types themselves.
        apart = len({in_words(own) for own, _ in kinds}) > 1
        seen = dict.fromkeys(
            f"{(in_words if apart else family)(own)} in {source}" for own, source in kinds
        )
        if any(own == INSTANT for own, _ in kinds) and any(is_date(own) for own, _ in kinds):
            remedy = (
                "Times with and without a time zone cannot be compared: store them with a "
                "zone in all files, or in UTC without a zone in all files."
            )
        raise InputError(
            f"The column {column!r} has types that cannot be compared: {', '.join(seen)}. {remedy}"
        )
    return kind


def _integer(kinds: set[str]) -> str | None:
    for signed, most in _SIGNED.items():
        if all(kind == signed or _INTEGERS[kind] < most for kind in kinds):
            return signed
    return "UHUGEINT" if kinds.isdisjoint(_SIGNED) else None


def _decimal(kinds: set[str]) -> str | None:
    whole = scale = 0
    for kind in kinds:
        before, after = digits(kind)
        whole, scale = max(whole, before), max(scale, after)
    if whole + scale <= 38:
        return f"DECIMAL({whole + scale},{scale})"
    return None if scale or "UHUGEINT" in kinds else "HUGEINT"
