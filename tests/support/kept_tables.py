"""Shared by the tests of `score --save SCHEMA`: the saved tables have the rows of `cells` and
`records`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from compiled import _plain, _readable, _rounded

import sqlrisk

KEPT = {
    *("risky_repu", "risky_repu_syn", "risky_uio", "risky_uis", "risky_uiois"),
    *("risky_disco", "record_risk"),
}
"""The tables that `SAVED` leaves."""
SAVED: dict[str, Any] = {
    "keys": ["the key", "age", "income"],
    "targets": ['odd"Name'],
    "measures": "identity,DiSCO",
    "bins": {"income": 3},
    "column": {"age": {"bands": [0, 4, 9]}},
}


def assert_kept(
    read: Callable[[str], Sequence[Mapping[str, Any]]], original: pa.Table, synthetic: pa.Table
) -> None:
    """Assert that the tables saved by `SAVED` have the rows of `cells` and `records` in DuckDB.
    ``read`` returns the rows of a table.
    """
    asked = {name: each for name, each in SAVED.items() if name != "measures"}
    for measure in ("DiSCO", "repU"):
        listed = sqlrisk.cells(measure, original, synthetic, limit=1000, **asked).rows
        cells = [_readable(row) for row in read(f"risky_{measure.lower()}")]
        about = 2 if measure == "DiSCO" else 1
        expected = [
            tuple(map(_plain, row if about == 1 else (*row[:3], *row[4:]))) for row in listed
        ]
        assert len(cells) == len(expected) > 0
        assert sorted(str(row[about:]) for row in cells) == sorted(map(str, expected))
    records = sqlrisk.records(
        original, synthetic, with_columns='"the key","odd""Name"', **SAVED
    ).to_arrow()
    shared = [name for name in records.column_names if name != "record"]
    rows = read("record_risk")
    assert len(rows) == len(original)
    assert sorted(str([_rounded(row[name]) for name in shared]) for row in rows) == sorted(
        str([_rounded(row[name]) for name in shared]) for row in records.to_pylist()
    )
