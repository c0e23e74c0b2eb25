"""Tolerances as SQL: how far two numbers may differ and still match.

Examples are ``--within income=500``, ``income=5%`` and ``born=30d`` (days). Whole numbers and
decimals are compared exactly, as decimals with all places that the tolerance needs. Floating-point
numbers are compared by the engine's own subtraction. Dates are compared by whole days, without the
time of day.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sqlrisk.common.errors import InputError
from sqlrisk.inputs import datatypes

NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,12})?")  # as the user types it
FORM = re.compile(rf"{NUMBER.pattern}\s?%?|[0-9]{{1,6}}\s?d")
PLACES = 38  # digits of the widest decimal that every engine has
# A float above this size could overflow together with its tolerance, so it matches only itself.
GREATEST = "1e290"
# Between these two days, every engine counts days alike.
DATES = "CAST('0001-01-01' AS DATE)", "CAST('9999-12-31' AS DATE)"


@dataclass(frozen=True)
class Tolerance:
    """The tolerance of a key or target that holds numbers or dates. The SQL reads the level
    as ``value``.

    Attributes:
        number: the SQL of the value as a number. A date counts in days.
        reach: the SQL of the greatest allowed difference from the number.
        plain: the SQL condition that the value can match values other than itself.
        exact: True if values are compared exactly, as decimals or days.
        limit: absolute values must be below this to be compared exactly. None if there is no limit.
    """

    number: str
    reach: str
    plain: str
    exact: bool
    limit: int | None = None


def tolerance(
    column: str, kind: str | None, text: str, floor: str | None, special: tuple[str, ...]
) -> Tolerance:
    """Return the tolerance of a column of type ``kind``. If it is None, the type is unknown, and
    the column is taken for a float, or for a date if the tolerance is in days.

    ``text`` is the setting as typed: ``500``, ``5%`` or ``30d``. ``floor`` is the minimum of a
    relative tolerance, or None. ``special`` are values, as SQL literals, that match only equal
    values.
    Raises InputError if the type allows no tolerance of this kind, or if there are more digits than
    can be compared exactly.
    """
    dates = text.endswith("d") if kind is None else datatypes.is_date(kind)
    if not dates and kind is not None and not datatypes.is_numeric(kind):
        raise InputError(
            f"within: {column!r} is {datatypes.family(kind)}; only numbers and dates can have "
            "a tolerance."
        )
    if dates != text.endswith("d"):
        holds, write = ("dates", "days, as in 30d") if dates else ("numbers", "a number, as in 500")
        raise InputError(f"within: {column!r} holds {holds}; write its tolerance as {write}.")
    if dates:
        day, first, last = "CAST(value AS DATE)", *DATES
        plain = "".join(f" AND value <> {each}" for each in special)
        return Tolerance(
            f"CAST(DATE_DIFF('day', {first}, {day}) AS BIGINT)",
            f"CAST({text.removesuffix('d')} AS BIGINT)",
            f"{day} >= {first} AND {day} <= {last}{plain}",
            exact=True,
        )
    relative = text.endswith("%")
    share = Decimal(text.rstrip("% ")) / 100 if relative else Decimal(0)
    least = Decimal(floor or 0) if relative else Decimal(text)
    plain = "value IS NOT NULL" + "".join(f" AND value <> {each}" for each in special)
    if kind is None or datatypes.is_float(kind):
        number = datatypes.as_double(kind, "value")
        return Tolerance(
            number,
            _reach(
                number,
                f"CAST('{_digits(share)}' AS DOUBLE)" if relative else "",
                f"CAST('{_digits(least)}' AS DOUBLE)",
            ),
            f"{plain} AND {number} <= CAST('{GREATEST}' AS DOUBLE) AND {number} >= "
            f"CAST('-{GREATEST}' AS DOUBLE)",
            exact=False,
        )
    whole, scale = datatypes.digits(kind)
    places = max(scale + _places(share), _places(least))
    limit = _limit(places, share, least)
    if limit < 1:
        raise InputError(
            f"within: {column!r} and its tolerance together have more than the {PLACES} "
            "digits that can be compared exactly; write the tolerance with fewer."
        )
    value = f"CAST(value AS DECIMAL({PLACES},{scale}))"
    number = f"CAST(value AS DECIMAL({PLACES},{places}))"
    wide = f"DECIMAL({PLACES},{places})"
    return Tolerance(
        number,
        _reach(
            value, _digits(share) if relative else "", f"CAST({_digits(least)} AS {wide})", wide
        ),
        plain,
        exact=True,
        limit=None if 10**whole <= limit else limit,
    )


def _reach(number: str, share: str, least: str, wide: str = "") -> str:
    """Return the SQL of the greatest allowed difference: an amount, or a share of the value's size
    with a minimum.
    """
    if not share:
        return least
    part = f"CASE WHEN {number} < 0 THEN -{number} ELSE {number} END * {share}"
    part = f"CAST({part} AS {wide})" if wide else part
    return f"CASE WHEN {part} < {least} THEN {least} ELSE {part} END"


def _limit(places: int, share: Decimal, least: Decimal) -> int:
    """Return the size below which a value can be compared exactly: the value, its tolerance and
    differences then fit the widest decimal.

    ``places`` is the number of decimal places, ``share`` and ``least`` the tolerance.
    """
    bound = Fraction(10) ** (PLACES - places)
    if places <= PLACES:
        return int(min((bound - Fraction(least)) / (1 + Fraction(share)), bound / 2)) - 1
    return 0


def _places(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _digits(number: Decimal) -> str:
    """Write a number as text without an exponent."""
    return f"{number.normalize():f}"
