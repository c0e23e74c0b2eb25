"""The rules of the portable SQL subset, checked on the parsed tree of a query."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from sqlrisk.catalogue.translation import ALLOWED, parsed

NUMBERS = {"BIGINT", "INT", "DOUBLE"}
Tables = Mapping[str, list[str]]
"""Columns of the tables that a statement may read."""


def violations(sql: str, tables: Tables | None = None) -> Iterator[str]:
    """Yield a short text for every rule that a query breaks. It starts with the rule's name."""
    tree = parsed(sql)
    ctes = list(tree.find_all(exp.CTE))
    known = {**(tables or {}), **{cte.alias: _named(cte.this) for cte in ctes}}
    for node in tree.walk():
        kind = type(node).__name__
        if kind not in ALLOWED:
            yield f"node {kind}"
        match node:
            case exp.Column() if node.this.quoted:
                yield f"quoted name {node.name}"
            case exp.Union() if node.args.get("distinct") or node.args.get("by_name"):
                yield "UNION without ALL"
            case exp.Group() if node.args.get("all"):
                yield "GROUP BY ALL"
            case exp.Is() if not isinstance(node.expression, exp.Null):
                yield "IS other than NULL"
            case exp.Star() if not isinstance(node.parent, exp.Count):
                yield "star"
            case exp.Cast() if node.to.this.name not in NUMBERS:
                yield f"cast to {node.to.this.name}"
            case exp.Div() if not (is_double(node.this) and is_double(node.expression)):
                yield f"division {node.sql('duckdb')}"
            case exp.Window():
                yield from window_violations(node)
            case exp.Join():
                yield from join_violations(node)
            case exp.Select():
                yield from alias_violations(node, known)
    # A CTE that is read once is only a named subquery. If it is read twice, some engines compute
    # it twice.
    read = Counter(each.name for each in tree.find_all(exp.Table))
    if len([cte for cte in ctes if read[cte.alias] > 1]) > 2:
        yield "more than two steps of WITH that are read again"
    if len(list(tree.find_all(exp.With))) > 1:
        yield "WITH inside WITH"


def is_double(node: Any) -> bool:
    """Return True if an expression is a DOUBLE on every engine: a cast to DOUBLE, a square root, a
    logarithm, or arithmetic or NULLIF with such an operand.
    """
    match node:
        case exp.Paren() | exp.Nullif() | exp.Neg():
            return is_double(node.this)
        case exp.Mul() | exp.Add() | exp.Sub() | exp.Div():
            return is_double(node.this) or is_double(node.expression)
        case exp.Sqrt() | exp.Ln():
            return True
        case exp.Cast():
            return bool(node.to.this.name == "DOUBLE")
    return False


def window_violations(node: Any) -> Iterator[str]:
    """Yield violations of three rules: frames are written ROWS BETWEEN, a running sum has a frame,
    and no window is over ungrouped records.
    """
    spec = node.args.get("spec")
    running = (
        isinstance(node.this, exp.AggFunc)
        and not isinstance(node.this, exp.Lead)
        and node.args.get("order")
    )
    if (running and spec is None) or (
        spec is not None and (spec.args["kind"] != "ROWS" or not spec.args.get("end"))
    ):
        yield "window frame not spelled ROWS BETWEEN"
    read = [
        each
        for each in node.find_ancestor(exp.Select).find_all(exp.Table)
        if each.name == "records"
    ]
    if any(each.find_ancestor(exp.Select).args.get("group") is None for each in read):
        yield "window over records"


def join_violations(node: Any) -> Iterator[str]:
    """Yield violations of one rule: joins are inner or left joins on equal integers."""
    if node.args.get("using") or node.method:
        yield "USING or NATURAL join"
    if node.side not in ("", "LEFT"):
        yield f"{node.side} join"
    if node.kind == "CROSS":
        yield "cross join"
    elif not node.args.get("on"):
        yield "join without ON"
    elif not all(isinstance(part, exp.EQ) for part in conjuncts(node.args["on"])):
        yield "join on a range"
    elif any(
        side.name == "value"
        for part in conjuncts(node.args["on"])
        for side in (part.this, part.expression)
    ):
        yield "join on values"


def conjuncts(condition: Any) -> list[Any]:
    """Return the conditions that AND connects."""
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def alias_violations(select: Any, tables: Tables) -> Iterator[str]:
    """Yield violations of one rule: an alias is a new name, or the name of the column itself.
    ClickHouse silently replaces any other column of that name by the alias.
    """
    inputs = {name for source in sources(select) for name in columns(source, tables)}
    for each in select.expressions:
        itself = isinstance(each.unalias(), exp.Column) and each.unalias().name == each.alias
        if isinstance(each, exp.Alias) and each.alias in inputs and not itself:
            yield f"alias {each.alias} hides a column"
    names = [each.alias_or_name for each in select.expressions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two columns named {name}"


def sources(select: Any) -> list[Any]:
    """Return the tables and subqueries that a SELECT reads."""
    first = select.args.get("from_") or select.args.get("from")
    return (
        []
        if first is None
        else [first.this, *(join.this for join in select.args.get("joins") or ())]
    )


def columns(source: Any, tables: Tables) -> list[str]:
    """Return the columns of a table, a CTE or a subquery."""
    return tables[source.name] if isinstance(source, exp.Table) else _named(source)


def _named(query: Any) -> list[str]:
    return [str(name) for name in query.named_selects]
