"""The columns of result rows, the parts and the layouts of a report."""

from collections.abc import Sequence

from sqlrisk.report.result import Lines

OF_A_REPORT = ("DiSCO", "repU")  # what an internal page lists the cells of
MOST = 10  # of each

Row = dict[str, object]

PARTS = ("results", "distributions", "trends")
LAYOUTS = ("raab", "taub", "taub4")
COLUMNS = (
    "measure", "family", "at", "target", "synthesis", "population", "people", "weighted", "numerator", "denominator",
    "value", "unit",
)  # fmt: skip
TYPES = {
    **dict.fromkeys(("measure", "family", "target", "synthesis", "population", "people", "unit"), "string"),
    **dict.fromkeys(("at", "numerator", "denominator", "value"), "double"),
    "weighted": "bool",
}


def _results(rows: Sequence[Row]) -> Lines:
    return COLUMNS, [[row[name] for name in COLUMNS] for row in rows]
