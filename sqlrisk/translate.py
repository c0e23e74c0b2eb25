"""DuckDB's SQL in the dialect of another database, by sqlglot, which does not say what it gets wrong.

So the tree is walked first: only what is known to be translated right passes, and what sqlglot writes differently from what a
database understands is put right here, in one table of rules for each dialect.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp

from sqlrisk.errors import InputError
from sqlrisk.portable import ALLOWED

# What templates may use by a named exception (sql/README.md, The portable subset), and the statements around a query.
EXCEPTIONS = {"IsNan", "TryCast", "Boolean", "DPipe", "Chr", "Pow"}
STATEMENTS = {"Create", "Insert", "Drop", "Properties", "TemporaryProperty", "Schema"}
TRANSLATED = ALLOWED | EXCEPTIONS | STATEMENTS

Rule = Callable[[Any], Any]
"""What a node becomes in a dialect; the node itself where nothing is to change."""


@dataclass(frozen=True)
class Statement:
    """A statement of ours: ``kind`` is create, insert, drop or select; ``table`` is what it makes, adds to or drops, or None.

    ``sql`` is its query in the dialect (empty for a drop), its tables renamed.
    """

    kind: str
    table: str | None
    sql: str


def translate(sql: str, dialect: str, place: Callable[[str], Any] | None = None) -> Statement:
    """One statement in a dialect; ``place`` says what becomes of the name of one of our tables (a sqlglot Table, unaliased).

    Raises:
        InputError: it uses something that is not known to be translated right.
    """
    tree = sqlglot.parse_one(sql, read="duckdb")
    refuse_unknown(tree, dialect)
    kind, table, query = "select", None, tree
    if isinstance(tree, exp.Create | exp.Insert):
        kind, table, query = type(tree).__name__.lower(), tree.this.name, tree.expression
    elif isinstance(tree, exp.Drop):
        return Statement("drop", next(tree.find_all(exp.Table)).name, "")
    if place is not None:
        _rename(query, place)
    for rule in RULES.get(dialect, ()):
        query = query.transform(rule, copy=False)
    return Statement(kind, table, query.sql(dialect, unsupported_level=sqlglot.ErrorLevel.IMMEDIATE))


def refuse_unknown(tree: Any, dialect: str) -> None:
    """Stop at the first construct that is not known to be translated right.

    Raises:
        InputError: it names the construct.
    """
    for node in tree.walk():
        if type(node).__name__ not in TRANSLATED:
            raise InputError(
                f"The SQL uses {node.sql('duckdb').partition('(')[0]!r} ({type(node).__name__}), which is not known to mean the "
                f"same in {dialect}. Write it with what sql/README.md lists under The portable subset."
            )


def _rename(query: Any, place: Callable[[str], Any]) -> None:
    """Put the database's names in the place of ours; a column keeps the name of its table by an alias."""
    known = {cte.alias for cte in query.find_all(exp.CTE)}
    for table in [node for node in query.find_all(exp.Table) if node.name not in known]:
        renamed = place(table.name)
        renamed.set("alias", table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name)))
        table.replace(renamed)


def _exact(node: Any) -> Any:
    """Whole numbers of 128 bits are decimals elsewhere."""
    if isinstance(node, exp.DataType) and node.this in (exp.DataType.Type.INT128, exp.DataType.Type.UINT128):
        return exp.DataType.build("DECIMAL(38, 0)", dialect="duckdb")
    return node


def _nan_is_greatest(node: Any) -> Any:
    """PostgreSQL has no ISNAN: there a NaN equals itself."""
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=node.this, expression=exp.cast(exp.Literal.string("NaN"), "DOUBLE"))
    return node


def _signed_counts(node: Any) -> Any:
    """ClickHouse counts in unsigned numbers, which meet no negative one."""
    counted = node.this if isinstance(node, exp.Window) else node
    inside = isinstance(node.parent, exp.Cast) or (isinstance(node.parent, exp.Window) and node.arg_key == "this")
    if isinstance(counted, exp.Count | exp.RowNumber) and not inside:
        return exp.cast(node, "BIGINT")
    return node


def _without_zone(node: Any) -> Any:
    """Spark's TIMESTAMP is a moment, which has another hour in another time zone; DuckDB's has none."""
    if isinstance(node, exp.DataType) and node.this == exp.DataType.Type.TIMESTAMP:
        return exp.DataType.build("TIMESTAMP_NTZ", dialect="spark")
    return node


def _characters(node: Any) -> Any:
    """Spark's CHR takes numbers by their remainder of 256; the character itself stands in a text as well."""
    if isinstance(node, exp.Chr):
        return exp.Literal.string("".join(chr(int(each.name)) for each in node.expressions))
    return node


RULES: Mapping[str, tuple[Rule, ...]] = {
    "postgres": (_exact, _nan_is_greatest),
    "spark": (_exact, _without_zone, _characters),
    "clickhouse": (_signed_counts,),
}
