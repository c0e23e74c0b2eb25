"""The numbers of a policy's verdicts against their limits: the worst of each rule, how far each is
from its limit, and how both are told.
"""

import re
from math import inf

from sqlrisk.inputs.policy import VERDICTS
from sqlrisk.report.blocks import Number
from sqlrisk.report.wording import Row, amount, number, number_of, unit_of

WITHOUT = "_without_exclusions"  # the ends of names of numbers of everybody
NUMBERED = {"value", "limit"}  # in words, they are no numbers


def worst_of_rules(policy: Row) -> list[Row]:
    """Return the worst number of each rule, in the order of the policy."""
    return [min(of, key=order) for of in by_rule(policy).values()]


def by_rule(policy: Row) -> dict[tuple[str, str], list[Row]]:
    """Return the verdicts of each rule and reason."""
    rules: dict[tuple[str, str], list[Row]] = {}
    for row in policy["verdicts"]:
        rules.setdefault((row["rule"], row["reason"]), []).append(row)
    return rules


def of_limit(row: Row) -> float | None:
    """Return the percent of its limit that a number takes up: over 100 it is beyond it, also where
    the rule asks for more. None where there is no number, or none is told.
    """
    value, limit = row["value"], row["limit"]
    if (
        margin_of(row, "") is None
        or NUMBERED & row.get("words", {}).keys()
        or min(value, limit) < 0
    ):
        return None
    part, whole = (value, limit) if "<" in sides_of(row)[0] else (limit, value)
    if not whole:
        return inf if part else 100.0
    return 100 * float(part) / float(whole)


def told_beside(row: Row) -> str:
    """Return a number of a verdict and its limit, as the tables have them."""
    return f"{number_told('value', row)} of {number_told('limit', row)}"


def order(row: Row) -> tuple[int, float]:
    """Return what verdicts are ordered by: the worst first, of these what is furthest beyond its
    limit, or nearest to it.
    """
    margins = [margin for side in ("", WITHOUT) if (margin := margin_of(row, side)) is not None]
    return -VERDICTS.index(row["verdict"]), min(margins, default=inf)


def margin_of(row: Row, side: str) -> float | None:
    """Return what is left to the limit, less than 0 beyond it; None where there is no number, or
    none is told.
    """
    value, limit = row.get(f"value{side}"), row.get(f"limit{side}")
    operator, _ = sides_of(row)
    if value is None or limit is None or not operator or not isinstance(value, int | float):
        return None
    return float(limit - value if "<" in operator else value - limit)


def number_told(field: str, row: Row) -> Number:
    """Return a number of a verdict, or its limit, as a cell of a table."""
    value, told = row.get(field), number_of(row, field)
    if not isinstance(value, int | float) or field in row.get("words", {}):
        return told
    text = as_told(row, value)
    typed = field.startswith("limit") and sides_of(row)[1][:1] in "-0123456789"
    exact = number(100 * value if in_parts(row) else value)
    # A limit that somebody typed has all of its digits.
    return Number(exact if typed and len(exact.partition(".")[2]) > 2 else text, row, field)


def as_told(row: Row, value: float) -> str:
    """Return a number of a verdict as the tables of a report have it."""
    return amount(100 * value, "percent") if in_parts(row) else amount(value, unit_of(row))


def in_parts(row: Row) -> bool:
    """Return whether a number is a part of 1 that tables of a report have in percent."""
    return str(row["people"]) == "adjusted"


def sides_of(row: Row) -> tuple[str, str]:
    """Return the operator of a rule and what stands behind it, which no name of a target is."""
    _, *found = re.split(r"(<=|<|>=|>)", row["rule"])
    return (found[-2], found[-1].strip()) if found else ("", "")
