"""Levels that a user types: each is one value of the column, exactly, or none."""

from decimal import Decimal

import pyarrow as pa
import pytest
from quickly import few

import sqlrisk

LONG = "123456789012345678901234567890123456.78"  # 38 digits and a point
TABLE = pa.table(
    {
        "key": ["a", "a", "b", "b"],
        "whole": pa.array([10**18, 10**18 + 1, 5, -5], pa.int64()),
        "exact": pa.array(
            [Decimal("0.10"), Decimal("0.11"), Decimal(LONG), Decimal("19.50")],
            pa.decimal128(38, 2),
        ),
        "real": [float("inf"), 0.1, 1e300, float("-inf")],
    }
)


@pytest.mark.parametrize(
    ("column", "text", "people"),
    few([
        ("whole", "1e18", 1), ("whole", "1000000000000000001", 1), ("whole", "+5", 1),
        ("whole", "-0.5e1", 1),
        ("exact", "1e-1", 1), ("exact", "19.5", 1), ("exact", " .11 ", 1), ("exact", LONG, 1),
        ("real", "inf", 1), ("real", "-Infinity", 1), ("real", "1e300", 1), ("real", "0.10", 1),
    ], 4),
)  # fmt: skip
def test_a_level_is_one_value(column: str, text: str, people: int) -> None:
    report = sqlrisk.score(
        TABLE,
        TABLE,
        keys=["key"],
        targets=[column],
        exclude_level={column: [text]},
        measures=["DiSCO"],
    )
    assert [row["records"] for row in report.exclusions if row["side"] == "original"] == [people]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("whole", "1e999"),
        ("whole", "1e-999"),
        ("whole", "inf"),
        ("whole", "٥"),
        ("exact", "1." + "0" * 40),
        ("real", "infinite"),
        ("real", "٥"),
        ("real", "\u0131nf"),
    ],
)
def test_what_no_level_can_be_is_refused(column: str, text: str) -> None:
    with pytest.raises(sqlrisk.InputError, match="cannot be one of its levels"):
        sqlrisk.score(
            TABLE,
            TABLE,
            keys=["key"],
            targets=[column],
            exclude_level={column: [text]},
            measures=["DiSCO"],
        )
