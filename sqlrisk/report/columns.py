"""The columns of result rows, and the parts and layouts of a report."""

from typing import Any

MOST = 10  # cells of a measure that an internal page lists

Row = dict[str, Any]

DECISIONS = {
    "approve": "Approved",
    "approve-with-conditions": "Approved with conditions",
    "refuse": "Refused",
}
"""What a signature may say, and how it is read."""

PARTS = ("results", "distributions", "trends", "utility", "maps")
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
"""What an external report adds to a row: the least and the greatest that each rounded number may
be.
"""
MARKS = ("words", "rounded", "hidden")
"""What rows of an external report have beside their columns: what stands in the place of a number,
and whether one is missing.
"""
