"""How far two numbers may be apart and still count as the same: ``--within income=500`` or ``--within income=5%``, as SQL.

Whole numbers and decimals are compared exactly, as decimals with all the places that the tolerance asks for; floating-point
numbers as the engine subtracts them.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sqlrisk.common.errors import InputError
from sqlrisk.inputs import datatypes

FORM = re.compile(r"\d{1,15}(\.\d{1,12})?\s?%?")  # as the user types it
PLACES = 38  # of the widest decimal of every engine
GREATEST = "1e290"  # beyond it a floating-point number and its tolerance could overflow; it matches itself alone


@dataclass(frozen=True)
class Tolerance:
    """The tolerance of a numeric target.

    ``number`` is a level's value as a number and ``reach`` how far from it another may be, both as SQL over ``value``.
    ``plain`` is the condition of a value that has neighbours at all. ``limit``: what an exact value must stay below.
    """

    number: str
    reach: str
    plain: str
    exact: bool
    limit: int | None = None


def tolerance(column: str, kind: str | None, text: str, floor: str | None, special: tuple[str, ...]) -> Tolerance:
    """Return the tolerance of a target whose common type is ``kind`` (None: unknown, taken as floating-point).

    ``text`` is as typed, ``500`` or ``5%``; ``floor`` the least that a relative one comes to; ``special`` are values that match
    themselves alone, as SQL literals. Raises InputError for no number, or more digits than can be compared exactly.
    """
    if kind is not None and not datatypes.is_numeric(kind):
        raise InputError(f"within: {column!r} is {datatypes.family(kind)}; only numbers have a tolerance.")
    relative = text.endswith("%")
    share = Decimal(text.rstrip("% ")) / 100 if relative else Decimal(0)
    least = Decimal(floor or 0) if relative else Decimal(text)
    plain = "value IS NOT NULL" + "".join(f" AND value <> {each}" for each in special)
    if kind is None or datatypes.is_float(kind):
        number = "CAST(value AS DOUBLE)"
        return Tolerance(
            number,
            _reach(number, f"CAST('{_digits(share)}' AS DOUBLE)" if relative else "", f"CAST('{_digits(least)}' AS DOUBLE)"),
            f"{plain} AND {number} <= CAST('{GREATEST}' AS DOUBLE) AND {number} >= CAST('-{GREATEST}' AS DOUBLE)",
            exact=False,
        )
    whole, scale = datatypes.digits(kind)
    places = max(scale + _places(share), _places(least))
    limit = _limit(places, share, least)
    if limit < 1:
        raise InputError(
            f"within: {column!r} and its tolerance have more digits together than the {PLACES} that can be compared exactly; "
            "write the tolerance with fewer."
        )
    value = f"CAST(value AS DECIMAL({PLACES},{scale}))"
    number = f"CAST(value AS DECIMAL({PLACES},{places}))"
    wide = f"DECIMAL({PLACES},{places})"
    return Tolerance(
        number,
        _reach(value, _digits(share) if relative else "", f"CAST({_digits(least)} AS {wide})", wide),
        plain,
        exact=True,
        limit=None if 10**whole <= limit else limit,
    )


def _reach(number: str, share: str, least: str, wide: str = "") -> str:
    """Return how far from a value another may be: an amount, or a share of the value's size and at least an amount."""
    if not share:
        return least
    part = f"CASE WHEN {number} < 0 THEN -{number} ELSE {number} END * {share}"
    part = f"CAST({part} AS {wide})" if wide else part
    return f"CASE WHEN {part} < {least} THEN {least} ELSE {part} END"


def _limit(places: int, share: Decimal, least: Decimal) -> int:
    """Return what a value's size must stay below, so that neither its interval's ends nor a difference of two leave the type."""
    bound = Fraction(10) ** (PLACES - places)
    return int(min((bound - Fraction(least)) / (1 + Fraction(share)), bound / 2)) - 1 if places <= PLACES else 0


def _places(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _digits(number: Decimal) -> str:
    """Write a number without an exponent."""
    return f"{number.normalize():f}"
