"""Compare the numbers of a policy's verdicts with their limits: the worst number of each rule, its
distance from the limit, and the text of both.
"""

import re
from math import inf
from operator import itemgetter

from sqlrisk.inputs.policy import VERDICTS, WITH, WITHOUT
from sqlrisk.report.blocks import Number
from sqlrisk.report.wording import Row, amount, number, number_of, unit_of

UNEXCLUDED = "_without_exclusions"  # suffix of fields that were computed without exclusions
SIDES = {"": "", UNEXCLUDED: " without exclusions"}  # suffix -> words behind its numbers
JUDGED = {WITH: [""], WITHOUT: [UNEXCLUDED]}  # what a verdict judges -> suffixes, if not both
NUMBERED = {"value", "limit"}  # fields that cannot be compared if they are given in words


def worst_of_rules(policy: Row) -> list[Row]:
    """Return the verdicts on the worst numbers: one for each rule, in the order of the policy."""
    return [min(of, key=order) for of in by_rule(policy).values()]


def by_rule(policy: Row) -> dict[tuple[str, str], list[Row]]:
    """Return a dict of (rule, reason) to the verdicts by this rule."""
    rules: dict[tuple[str, str], list[Row]] = {}
    for row in policy["verdicts"]:
        rules.setdefault((row["rule"], row["reason"]), []).append(row)
    return rules


def of_limit(row: Row) -> float | None:
    """Return a number in percent of its limit. If the limit is a minimum, return the limit in
    percent of the number. So a number over 100 always breaks the rule.

    Instead of a division by 0, return infinity, or 100 if both are 0. Return None if the number or
    limit is missing, negative or only given in words.
    """
    side = deciding(row)
    in_words = NUMBERED & row.get("words", {}).keys()
    if margin_of(row, side) is None or in_words:
        return None
    value, limit = row[f"value{side}"], row[f"limit{side}"]
    if min(value, limit) < 0:
        return None
    part, whole = (value, limit) if "<" in sides_of(row)[0] else (limit, value)
    if not whole:
        return inf if part else 100.0
    return 100 * float(part) / float(whole)


def nearest(policy: Row) -> Row | None:
    """Return the verdict that decides a policy: of those with the policy's own verdict, the one
    furthest beyond its limit, or nearest to it, in percent of the limit. None if no number decides.
    """
    parts = [
        (part, row)
        for row in worst_of_rules(policy)
        if row["verdict"] == policy["verdict"] and (part := of_limit(row)) is not None
    ]
    return max(parts, key=itemgetter(0))[1] if parts else None


def margin_told(row: Row) -> str:
    """Return the margin of a verdict with its name, as ``check`` shows it: ``margin 0.74``."""
    side = deciding(row)
    return f"margin {as_told(row, margin_of(row, side) or 0.0)}{SIDES[side]}"


def place_told(row: Row) -> str:
    """Return in words where the number of a verdict lies."""
    beyond = (margin_of(row, deciding(row)) or 0.0) < 0
    return "furthest beyond its limit" if beyond else "nearest to its limit"


def told_beside(row: Row) -> str:
    """Return a verdict's number with its limit for a table cell: ``12.00 of 10``."""
    value, limit = numbers_told(row)
    return f"{value} of {limit}{SIDES[deciding(row)]}"


def order(row: Row) -> tuple[int, float]:
    """Return the sort key of a verdict: worst verdict first, then furthest beyond the limit."""
    margin = margin_of(row, deciding(row))
    return -VERDICTS.index(row["verdict"]), inf if margin is None else margin


def deciding(row: Row) -> str:
    """Return the judged side of a verdict, with or without exclusions, that is furthest beyond its
    limit, or nearest to it. Both sides count in an older result, which does not say what is judged.

    A side is the suffix of its fields: empty, or ``UNEXCLUDED``.
    """
    sides = JUDGED.get(str(row.get("judges")), [*SIDES])
    margins = {side: each for side in sides if (each := margin_of(row, side)) is not None}
    return min(margins, key=margins.__getitem__, default=sides[0])


def margin_of(row: Row, side: str) -> float | None:
    """Return the distance from a number to its limit, negative beyond the limit. None if the number
    or the limit is missing. ``side`` is as in `deciding`.
    """
    value, limit = row.get(f"value{side}"), row.get(f"limit{side}")
    operator, _ = sides_of(row)
    if value is None or limit is None or not operator or not isinstance(value, int | float):
        return None
    return float(limit - value if "<" in operator else value - limit)


def numbers_told(row: Row) -> tuple[Number, Number]:
    """Return the number and the limit that decide a verdict as table cells."""
    side = deciding(row)
    return number_told(f"value{side}", row), number_told(f"limit{side}", row)


def number_told(field: str, row: Row) -> Number:
    """Return the number or the limit of a verdict as a table cell. ``field`` is the name of its
    field, such as ``value`` or ``limit``.
    """
    value, told = row.get(field), number_of(row, field)
    if not isinstance(value, int | float) or field in row.get("words", {}):
        return told
    text = as_told(row, value)
    typed = field.startswith("limit") and sides_of(row)[1][:1] in "-0123456789"
    exact = number(100 * value if in_parts(row) else value)
    # a limit that somebody typed keeps all of its digits
    return Number(exact if typed and len(exact.partition(".")[2]) > 2 else text, row, field)


def as_told(row: Row, value: float) -> str:
    """Return a value as text, in the unit in which tables show the number of this verdict."""
    return amount(100 * value, "percent") if in_parts(row) else amount(value, unit_of(row))


def in_parts(row: Row) -> bool:
    """Return True if a number is an adjusted risk: a share of 1, which tables show in percent."""
    return str(row["people"]) == "adjusted"


def sides_of(row: Row) -> tuple[str, str]:
    """Return the last operator of a rule and the text after it. A target's name may contain an
    operator, so only the last one counts. Both are empty if the rule has no operator.
    """
    _, *found = re.split(r"(<=|<|>=|>)", row["rule"])
    return (found[-2], found[-1].strip()) if found else ("", "")
