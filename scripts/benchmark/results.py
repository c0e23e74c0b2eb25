"""Whether the numbers are right: those of sqlrisk beside those of others, or beside what is known
of the files.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def percents(report: Any, target: str) -> dict[str, float | None]:
    """The values of measures in a report of one synthesis, by name; None where one cannot be
    computed.
    """
    return {name: row["value"] for name, row in _rows(report, target).items()}


def _rows(report: Any, target: str) -> dict[str, Any]:
    """The results of the measures of identity and of one target, by name; not those at several
    points.
    """
    return {
        row["measure"]: row
        for row in report["results"]
        if row["target"] in (None, target) and row["at"] is None
    }


def agree(
    name: str, found: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float = 1e-9
) -> None:
    """Raises SystemExit where a figure differs from the expected one: a fast wrong answer is no
    benchmark.
    """
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
    """Raises SystemExit where a numerator or a denominator is not the expected one; counts are
    compared to the last record.
    """
    rows = _rows(report, target)
    for place, part in enumerate(("numerator", "denominator")):
        wanted = {measure: float(each[place]) for measure, each in expected.items()}
        agree(
            f"{name}, {target}, {part}",
            {measure: rows[measure][part] for measure in expected},
            wanted,
            1e-13,
        )
