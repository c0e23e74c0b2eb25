"""What SQL may use: an allow-list of node types and functions (sql/README.md, The portable subset)."""

from functools import cache
from typing import Any

import sqlglot

CLAUSES = {
    "Select", "Union", "Subquery", "With", "CTE", "From", "Join", "Where", "Group", "Order", "Ordered", "Limit",
    "Distinct", "Alias", "TableAlias", "Table", "Column", "Identifier", "Star", "Literal", "Null", "Paren",
}  # fmt: skip
OPERATORS = {
    "And", "Or", "Not", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Is", "In", "Add", "Sub", "Mul", "Div", "Mod", "Neg",
}  # fmt: skip
FUNCTIONS = {
    "Case", "If", "Cast", "DataType", "DataTypeParam", "Coalesce", "Nullif", "Sum", "Count", "Min", "Max", "Avg",
    "Window", "WindowSpec", "RowNumber", "Lead", "Ln", "Exp", "Sqrt",
}  # fmt: skip
ALLOWED = CLAUSES | OPERATORS | FUNCTIONS


@cache
def parsed(sql: str) -> Any:
    """The tree of a query."""
    return sqlglot.parse_one(sql, dialect="duckdb")
