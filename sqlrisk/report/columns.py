"""The columns of result rows, and the parts and layouts of a report."""

from typing import Any

TITLE = "Disclosure risk of synthetic data"  # of reports and their pages
MOST = 10  # cells of a measure that an internal page lists
THRESHOLD = 10  # default of external reports, which round counts to multiples of it

Row = dict[str, Any]

DECISIONS = {
    "approve": "Approved",
    "approve-with-conditions": "Approved with conditions",
    "refuse": "Refused",
}
"""Each decision of a signature, as typed and in words."""

PARTS = ("results", "distributions", "trends", "utility", "maps")
WANTED = {"distributions": "distributions", "trends": "trend"}  # part -> setting that it needs
LAYOUTS = ("raab", "raab2", "raab3", "taub", "taub2", "taub4")
OF_KEY_SETS = ("taub", "taub2")  # layouts with a block for each of several key sets
TYPES = {
    **dict.fromkeys(("measure", "family"), "string"),
    "at": "double",
    **dict.fromkeys(("target", "synthesis", "population", "people"), "string"),
    "weighted": "bool",
    **dict.fromkeys(("numerator", "denominator", "value"), "double"),
    "unit": "string",
}
COLUMNS = tuple(TYPES)
BANDS = tuple(
    f"{name}_{end}" for name in ("numerator", "denominator", "value") for end in ("low", "high")
)
"""Columns that an external report adds: the lowest and highest value of each rounded number."""
MARKS = ("words", "rounded", "hidden")
"""Further keys of rows of an external report: text for a number, and whether it is rounded or
hidden.
"""
