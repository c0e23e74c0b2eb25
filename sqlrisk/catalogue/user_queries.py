"""The user's own SQL over named queries of sqlrisk, which are written before it as a WITH
clause.
"""

import re
from collections.abc import Iterable, Mapping

from sqlrisk.common.errors import InputError

REFUSED = "The query cannot be run: it may only read. Write one SELECT."
_OWN_WITH = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*WITH\s+(?P<recursive>RECURSIVE\s+)?", re.DOTALL | re.IGNORECASE
)
_WRITES = (
    "Insert", "Update", "Delete", "Merge", "Create", "Drop", "Alter", "TruncateTable", "Copy",
    "Into", "Lock", "Command", "Set", "Use", "Pragma", "Transaction", "Commit", "Rollback",
)  # fmt: skip


def tables_read(statement: str, dialect: str) -> set[str]:
    """Return the tables that a statement names without a schema. Raises InputError if it is not one
    SELECT that only reads.
    """
    import sqlglot  # imported late: scoring on DuckDB does not need it
    from sqlglot import exp

    try:
        trees = [tree for tree in sqlglot.parse(statement, read=dialect) if tree is not None]
    except sqlglot.errors.SqlglotError:
        raise InputError(
            "The query cannot be run: it is not valid SQL. Check it for a missing comma or bracket."
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InputError(REFUSED)
    if any(type(node).__name__ in _WRITES for node in trees[0].walk()):
        raise InputError(REFUSED)
    return {table.name for table in trees[0].find_all(exp.Table) if not table.db}


def needed(read: Iterable[str], queries: Mapping[str, str]) -> dict[str, str]:
    """Return the queries with these names and all queries that they read, in the order of
    ``queries``, where each query comes after those it reads.
    """
    wanted = {name.casefold() for name in read}
    for name in reversed([*queries]):
        if name in wanted:
            wanted.update(re.findall(r"\w+", queries[name]))
    return {name: query for name, query in queries.items() if name in wanted}


def with_queries(statement: str, queries: Mapping[str, str]) -> str:
    """Return a statement with the given queries in its WITH clause, so that it can read them by
    name.
    """
    if not queries:
        return statement
    named = ",\n".join(f"{name} AS (\n{query}\n)" for name, query in queries.items())
    begins = _OWN_WITH.match(statement)
    if begins is None:
        return f"WITH {named}\n{statement}"
    return f"WITH {begins['recursive'] or ''}{named},\n{statement[begins.end() :]}"
