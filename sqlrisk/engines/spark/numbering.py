"""Number sorted rows on all workers. A window over all rows would use only one worker.

Spark sorts in ranges, and each worker has some ranges. A row's number is its place in its range,
from 1, plus the rows in earlier ranges.
"""

from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp

ONE_WORKER = 2**20  # rows that one worker sorts as fast as many do
_NUMBERED = "ROW_NUMBER() OVER (ORDER BY"
_PLACE_BITS = 33  # of Spark's monotonically increasing id. The higher bits number the range.


@dataclass(frozen=True)
class Numbering:
    """A query over one relation that numbers all its rows in an order.

    Attributes:
        tree: the parsed query.
        relation: the query that returns the rows.
        alias: the relation's name in the query.
    """

    tree: Any
    relation: str
    alias: str

    def over(self, rows: str) -> str:
        """Return the numbering query over a table of the relation's rows."""
        return self._query(f"{rows} AS {self.alias}")

    def in_ranges(self, rows: str) -> str:
        """Return the query that sorts these rows. It gives each row a range, and a place within the
        range.
        """
        order = _window(self.tree).args["order"].sql("spark")
        numbered = (
            f"SELECT *, MONOTONICALLY_INCREASING_ID() AS id FROM (SELECT * FROM {rows} AS "
            f"{self.alias} {order}) AS ordered"
        )
        places = f"SHIFTRIGHT(id, {_PLACE_BITS}) AS in_range, id & {2**_PLACE_BITS - 1} AS place"
        return f"SELECT *, {places} FROM ({numbered}) AS placed"

    @staticmethod
    def before(placed: str) -> str:
        """Return the query that counts the rows before each range."""
        counted = f"SELECT in_range, COUNT(*) AS n FROM {placed} GROUP BY in_range"
        return (
            "SELECT in_range, SUM(n) OVER (ORDER BY in_range) - n AS rows_before FROM "
            f"({counted}) AS counted"
        )

    def from_ranges(self, placed: str, before: str) -> str:
        """Return the numbering query over the tables made by `in_ranges` and `before`."""
        relation = (
            f"{placed} AS {self.alias} JOIN {before} AS ranges ON ranges.in_range = "
            f"{self.alias}.in_range"
        )
        return self._query(relation, f"ranges.rows_before + {self.alias}.place + 1")

    def _query(self, relation: str, number: str = "") -> str:
        tree = self.tree.copy()
        if number:
            _window(tree).replace(sqlglot.parse_one(number, read="spark"))
        return f"SELECT {', '.join(each.sql('spark') for each in tree.expressions)} FROM {relation}"


def numbering(query: str) -> Numbering | None:
    """Return the numbering in a query that only numbers the rows of one relation, otherwise
    None.
    """
    if _NUMBERED not in query:
        return None
    tree = sqlglot.parse_one(query, read="spark")
    clauses = {name for name, value in tree.args.items() if value}
    if (
        clauses != {"expressions", "from_"}
        or len(list(tree.find_all(exp.Window))) != 1
        or _window(tree).args.get("partition_by")
    ):
        return None
    relation = tree.args["from_"].this
    rows = (
        relation.this.sql("spark")
        if isinstance(relation, exp.Subquery)
        else f"SELECT * FROM {relation.sql('spark')}"
    )
    return Numbering(tree, rows, relation.alias)


def _window(tree: Any) -> Any:
    return next(tree.find_all(exp.Window))
