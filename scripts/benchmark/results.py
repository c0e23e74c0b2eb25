"""Check the numbers of sqlrisk against those of other programs, or against exact figures."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def percents(report: Any, target: str) -> dict[str, float | None]:
    """Return measure -> value for a report of one synthesis. Undefined values are None."""
    return {name: row["value"] for name, row in _rows(report, target).items()}


def _rows(report: Any, target: str) -> dict[str, Any]:
    """Return measure -> result row, for the measures without a target and of one target. Curves are
    left out.
    """
    return {
        row["measure"]: row
        for row in report["results"]
        if row["target"] in (None, target) and row["at"] is None
    }


def agree(
    name: str, found: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float = 1e-9
) -> None:
    """Raise SystemExit if a figure differs from the expected one."""
    for measure, value in expected.items():
        other = found[measure]
        alike = (
            value is other
            if None in (value, other)
            else math.isclose(value, other, rel_tol=tolerance, abs_tol=1e-12)
        )
        if not alike:
            raise SystemExit(f"bench: {name}: {measure} is {other} instead of {value}")


def agree_exactly(
    name: str, report: Any, target: str, expected: Mapping[str, tuple[Fraction, int]]
) -> None:
    """Raise SystemExit if a numerator or denominator differs, even by one record."""
    rows = _rows(report, target)
    for place, part in enumerate(("numerator", "denominator")):
        wanted = {measure: float(each[place]) for measure, each in expected.items()}
        agree(
            f"{name}, {target}, {part}",
            {measure: rows[measure][part] for measure in expected},
            wanted,
            1e-13,
        )
