"""Translate DuckDB's SQL into other dialects with sqlglot, which does not report its mistakes.

The tree is therefore checked first: only constructs known to be translated correctly pass. If
sqlglot's output is wrong for a database, a rule corrects it. Each dialect has a table of rules.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.transforms import move_ctes_to_top_level

from sqlrisk.catalogue.dialects import AS_THEY_ARE, DIALECTS, Overrides
from sqlrisk.common.errors import InputError

# What SQL may use (sql/docs/dialects.md, The portable subset): types of tree nodes.
ALLOWED = {
    # Clauses.
    "Select", "Union", "Subquery", "With", "CTE", "From", "Join", "Where", "Group", "Order",
    "Ordered", "Limit",
    "Distinct", "Alias", "TableAlias", "Table", "Column", "Identifier", "Star", "Literal", "Null",
    "Paren",
    # Operators.
    "And", "Or", "Not", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Is", "In", "Exists", "Add", "Sub",
    "Mul", "Div", "Mod", "Neg",
    # Functions.
    "Case", "If", "Cast", "DataType", "DataTypeParam", "Coalesce", "Nullif", "Sum", "Count", "Min",
    "Max", "Avg",
    "Window", "WindowSpec", "RowNumber", "Lead", "Abs", "Ln", "Exp", "Sqrt",
}  # fmt: skip
# What templates may use as named exceptions, and the statements around a query.
EXCEPTIONS = {"IsNan", "TryCast", "Boolean", "DPipe", "Chr", "Pow"} | {
    *("Lower", "Upper", "Trim", "Replace", "Substring", "Floor", "BitwiseAnd", "DateDiff", "Var")
}
STATEMENTS = {"Create", "Insert", "Drop", "Properties", "TemporaryProperty", "Schema"}
TRANSLATED = ALLOWED | EXCEPTIONS | STATEMENTS

NAMED = {"this", "db", "catalog"}  # the parts of a table's name

Rule = Callable[[Any], Any]
"""Changes a node for a dialect, or returns it unchanged."""


@dataclass(frozen=True)
class Statement:
    """A translated statement. ``kind`` is create, view, insert, drop, drop view or select.

    ``table`` is the table that it makes, adds to or drops, or None. ``sql`` is its query in the
    dialect (empty for a drop), with tables renamed. ``ctes`` is the query's WITH clause if the
    dialect needs it before the whole statement, else empty.
    """

    kind: str
    table: str | None
    sql: str
    ctes: str = ""


@cache
def parsed(sql: str) -> Any:
    """Parse a query into a sqlglot tree. The tree is cached, so do not change it."""
    return sqlglot.parse_one(sql, dialect="duckdb")


def translate(
    sql: str,
    dialect: str,
    place: Callable[[str], Any] | None = None,
    *,
    own: Overrides = AS_THEY_ARE,
    pretty: bool = False,
) -> Statement:
    """Translate one statement of DuckDB.

    ``place`` turns our name of a table into a sqlglot Table. If it is None, names stay. ``own`` has
    aggregates in the dialect's own SQL. Raises InputError if the SQL may be translated wrongly, or
    not at all.
    """
    tree = sqlglot.parse_one(sql, read="duckdb")
    refuse_unknown(tree, dialect, own)
    kind, table, query = "select", None, tree
    if isinstance(tree, exp.Create | exp.Insert):
        kind, table, query = type(tree).__name__.lower(), tree.this.name, tree.expression
    elif isinstance(tree, exp.Drop):
        return Statement("drop", next(tree.find_all(exp.Table)).name, "")
    if place is not None:
        _rename(query, place)
    for rule in (_texts_without_values, *RULES.get(dialect, ())):
        query = query.transform(rule, copy=False)
    for alias in [each for each in query.find_all(exp.Alias) if each.alias in own.texts]:
        alias.this.replace(_own_expression(alias.alias, dialect, own))
    ctes = ""
    if dialect == "tsql" and kind != "select":
        # SQL Server allows WITH only before the statement, also for inner queries.
        query = move_ctes_to_top_level(query)
        if query.args.get("with_"):
            ctes = query.args["with_"].pop().sql(dialect, pretty=pretty, comments=False)
    try:
        # Raises if sqlglot knows that the dialect cannot express it.
        written = query.sql(
            dialect, unsupported_level=sqlglot.ErrorLevel.IMMEDIATE, pretty=pretty, comments=False
        )
    except sqlglot.UnsupportedError as error:
        raise InputError(f"The SQL cannot be written in {dialect}: {error}") from None
    return Statement(kind, table, written, ctes)


def write(statement: Statement, dialect: str, table: str, *, kind: str = "") -> str:
    """Write a whole statement for a script.

    ``table`` is the database's name of the table that the statement makes, adds to or drops.
    ``kind`` is the text before TABLE in a CREATE.
    """
    before = f"{statement.ctes}\n" if statement.ctes else ""
    match statement.kind:
        # a view must be the only statement of a batch in SQL Server, so tables are made instead
        case "create" | "view" if dialect == "tsql":
            return f"{before}SELECT * INTO {table} FROM (\n{statement.sql}\n) AS made"
        case "create":
            return (
                f"CREATE {f'{kind} ' if kind else ''}TABLE {table}{STORED.get(dialect, '')} "
                f"AS\n{statement.sql}"
            )
        case "view":
            return f"CREATE VIEW {table} AS\n{_with_settings(statement.sql, dialect)}"
        case "insert":
            return f"{before}INSERT INTO {table}\n{statement.sql}"
        case "drop view" if dialect != "tsql":
            return f"DROP VIEW IF EXISTS {table}"
        case "drop" | "drop view":
            return f"DROP TABLE IF EXISTS {table}"
    return statement.sql


def _with_settings(sql: str, dialect: str) -> str:
    """Return the query of a view with the settings that it needs, since its readers may have
    different settings.
    """
    known = DIALECTS[dialect]
    if not known.settings:
        return sql
    settings = ", ".join(each.removeprefix("SET ") for each in known.preamble)
    return f"SELECT * FROM (\n{sql}\n) AS made\nSETTINGS {settings}"


def refuse_unknown(tree: Any, dialect: str, own: Overrides = AS_THEY_ARE) -> None:
    """Raise InputError for the first construct that may be translated wrongly.

    Aggregates that ``own`` has in the dialect's SQL are not checked. If the construct is in another
    aggregate of a measure, the message names the measure and the file for its own SQL.
    """
    for node in tree.walk(
        prune=lambda each: isinstance(each, exp.Alias) and each.alias in own.texts
    ):
        if type(node).__name__ in TRANSLATED or _is_hash(node):
            continue
        construct = f"{node.sql('duckdb').partition('(')[0]!r} ({type(node).__name__})"
        unknown = f"{construct}, which is not known to mean the same in {dialect}. "
        way = "Write it with what sql/docs/dialects.md lists under The portable subset"
        measure, path = _written_in(node, own)
        if measure:
            raise InputError(
                f"The measure {measure} uses {unknown}{way}, or give its aggregates in "
                f"{dialect}'s own SQL in {path}."
            )
        raise InputError(f"The SQL uses {unknown}{way}.")


def table_named(name: str, dialect: str) -> Any:
    """Return the sqlglot Table of a table name that the user typed. Raises InputError if the name
    is invalid.
    """
    try:
        table = exp.to_table(name, dialect=dialect)
    except sqlglot.errors.SqlglotError:
        table = None
    if (
        not isinstance(table, exp.Table)
        or not table.name
        or {each for each, value in table.args.items() if value} - NAMED
    ):
        raise InputError(
            f"{name!r} is not a valid table name in {dialect}; write schema.table, in quotes "
            "where needed."
        )
    return table


def _written_in(node: Any, own: Overrides) -> tuple[str, str]:
    """Return (measure, path): the measure whose aggregate contains a construct, and the file for
    this measure's SQL in the dialect. Two empty texts if none does.
    """
    parent = node
    while parent is not None:
        if isinstance(parent, exp.Alias) and parent.alias in own.places:
            return own.places[parent.alias]
        parent = parent.parent
    return "", ""


def _own_expression(alias: str, dialect: str, own: Overrides) -> Any:
    try:
        return sqlglot.parse_one(own.texts[alias], read=dialect)
    except sqlglot.errors.SqlglotError:
        measure, path = own.places[alias]
        raise InputError(f"The SQL of {measure} in {path} is not valid in {dialect}.") from None


def _rename(query: Any, place: Callable[[str], Any]) -> None:
    """Replace our table names by the database's, with our name as the alias."""
    known = {cte.alias for cte in query.find_all(exp.CTE)}
    for table in [node for node in query.find_all(exp.Table) if node.name not in known]:
        renamed = place(table.name)
        renamed.set(
            "alias", table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name))
        )
        table.replace(renamed)


# ---- rules
# --------------------------------------------------------------------------------------------------


def _typed(written: str, *types: Any, dialect: str | None = None) -> Rule:
    """Replace column types by types with this spelling in a dialect."""
    built = exp.DataType.build(written, dialect=dialect)
    return lambda node: (
        built.copy() if isinstance(node, exp.DataType) and node.this in types else node
    )


def _is_hash(node: Any) -> bool:
    """Return True for a hash of values.

    No measure depends on the values of hashes, so these may differ between databases.
    """
    return isinstance(node, exp.Anonymous) and node.name == "HASH"


def _hashed_by(function: Callable[[Sequence[Any]], Any]) -> Rule:
    """Replace the hash by the database's own function."""
    return lambda node: function(node.expressions) if _is_hash(node) else node


def _call(name: str, *values: Any) -> Any:
    return exp.Anonymous(this=name, expressions=list(values))


def _joined(*texts: Any) -> Any:
    """Join texts by ||."""
    return reduce(lambda first, each: exp.DPipe(this=first, expression=each, safe=True), texts)


def _as_text(values: Sequence[Any]) -> Any:
    """Join values into one text, in which a missing value differs from all others."""
    one = (_joined(exp.Literal.string("+"), exp.cast(each, "TEXT")) for each in values)
    return _joined(
        *(exp.Coalesce(this=each, expressions=[exp.Literal.string("-")]) for each in one)
    )


def _bits_of_sha(values: Sequence[Any]) -> Any:
    """Return 56 bits of a longer hash, because SQL Server has no 64-bit hash."""
    digest = _call("HASHBYTES", exp.Literal.string("SHA2_256"), _as_text(values))
    return exp.cast(
        exp.Substring(this=digest, start=exp.Literal.number(1), length=exp.Literal.number(7)),
        "BIGINT",
    )


def _bits_of_md5(values: Sequence[Any]) -> Any:
    """Return 60 bits of a longer hash, because MariaDB has no 64-bit hash."""
    digits = _call("LEFT", _call("MD5", _as_text(values)), exp.Literal.number(15))
    return exp.cast(_call("CONV", digits, exp.Literal.number(16), exp.Literal.number(10)), "BIGINT")


_row_hash = _hashed_by(
    lambda values: _call("HASH_RECORD_EXTENDED", _call("ROW", *values), exp.Literal.number(0))
)
_long_hash = _hashed_by(lambda values: _call("XXHASH64", *values))
_city_hash = _hashed_by(lambda values: _call("cityHash64", _call("tuple", *values)))
# `sqlrisk.engines.dbapi.connections` provides it.
_own_hash = _hashed_by(lambda values: _call("SQLRISK_HASH", *values))
_farm_hash = _hashed_by(lambda values: _call("FARM_FINGERPRINT", _as_text(values)))
_farm_hash_64 = _hashed_by(lambda values: _call("FARMFINGERPRINT64", _as_text(values)))
_xx_hash = _hashed_by(
    lambda values: _call(
        "FROM_BIG_ENDIAN_64", _call("XXHASH64", _call("TO_UTF8", _as_text(values)))
    )
)


def _numbered_by_all(node: Any) -> Any:
    """Give rows numbers in an arbitrary order on each worker of Spark. A window would move all rows
    to one worker.
    """
    if (
        isinstance(node, exp.Window)
        and isinstance(node.this, exp.RowNumber)
        and not node.args.get("order")
    ):
        return exp.func("MONOTONICALLY_INCREASING_ID")
    return node


def _nan_is_greatest(node: Any) -> Any:
    """Find NaN by comparison. PostgreSQL, Redshift and Snowflake have no ISNAN, but there NaN =
    NaN.
    """
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=node.this, expression=exp.cast(exp.Literal.string("NaN"), "DOUBLE"))
    return node


def _iso_days(node: Any) -> Any:
    """Write the text of a day as 2021-03-31. PostgreSQL, Redshift and Snowflake write it as a
    setting of the session says.
    """
    if not (isinstance(node, exp.Cast) and node.is_type("TEXT") and node.this.is_type("DATE")):
        return node
    dash = exp.Literal.string("-")

    def part(name: str, digits: int) -> Any:
        number = exp.Extract(this=exp.var(name), expression=node.this.copy())
        filled = exp.Literal.number(digits), exp.Literal.string("0")
        return _call("LPAD", exp.cast(number, "TEXT"), *filled)

    return _joined(part("YEAR", 4), dash, part("MONTH", 2), dash.copy(), part("DAY", 2))


def _finite(greatest: str) -> Rule:
    """Replace tests for NaN by false, NaN by NULL, and infinities by numbers. SQL Server, MariaDB
    and SQLite have no names for them.
    """
    ends = {
        "NaN": exp.Null(),
        "Infinity": exp.Literal.number(greatest),
        "-Infinity": exp.Literal.number(f"-{greatest}"),
    }

    def rule(node: Any) -> Any:
        if isinstance(node, exp.IsNan):
            return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))
        if isinstance(node, exp.Cast) and node.this.is_string and node.this.name in ends:
            return ends[node.this.name].copy()
        return node

    return rule


def _signed_counts(node: Any) -> Any:
    """Make counts signed. ClickHouse's counts are unsigned and do not compare with negative
    numbers.
    """
    counted = node.this if isinstance(node, exp.Window) else node
    inside = isinstance(node.parent, exp.Cast) or (
        isinstance(node.parent, exp.Window) and node.arg_key == "this"
    )
    if isinstance(counted, exp.Count | exp.RowNumber) and not inside:
        return exp.cast(node, "BIGINT")
    return node


def _characters(node: Any) -> Any:
    """Write characters directly instead of by CHR. Spark and Databricks take its numbers modulo
    256, and MariaDB's CHAR returns bytes.
    """
    if isinstance(node, exp.Chr):
        return exp.Literal.string("".join(chr(int(each.name)) for each in node.expressions))
    return node


def _wide_constants(node: Any) -> Any:
    """Widen constant columns. ClickHouse makes them as narrow as the constant, which cuts larger
    values added later.
    """
    if isinstance(node, exp.Alias) and isinstance(node.parent, exp.Select) and node.this.is_int:
        node.set("this", exp.cast(node.this, "BIGINT"))
    return node


def _wide_texts(written: str = "TEXT", dialect: str | None = None) -> Rule:
    """Widen constant texts to a type with this spelling in a dialect. Columns are as wide as their
    first texts and reject longer ones.
    """
    wide = exp.DataType.build(written, dialect=dialect)

    def rule(node: Any) -> Any:
        text = isinstance(node, exp.Literal) and node.is_string
        none = (
            isinstance(node, exp.Cast) and isinstance(node.this, exp.Null) and node.is_type("TEXT")
        )
        if (text and node.arg_key in ("true", "default")) or (
            (text or none) and isinstance(node.parent, exp.Alias)
        ):
            return exp.cast(node.copy(), wide)
        return node

    return rule


def _wide_decimals(node: Any) -> Any:
    """Widen decimals for BigQuery. Its NUMERIC has 29 digits before the point, its BIGNUMERIC has
    38.
    """
    if isinstance(node, exp.DataType) and node.this == exp.DataType.Type.DECIMAL:
        node.set("this", exp.DataType.Type.BIGDECIMAL)
    return node


def _parted_by_text(node: Any) -> Any:
    """Partition windows by texts, except by class keys, which are whole numbers. BigQuery cannot
    partition by floating-point numbers, and other types are unknown here.
    """
    if isinstance(node, exp.Window):
        by = [
            each if each.name.startswith("class_key") else exp.cast(each, "TEXT")
            for each in node.args.get("partition_by") or ()
        ]
        node.set("partition_by", by)
    return node


def _no_decimals(node: Any) -> Any:
    """Refuse decimals, which SQLite silently turns into floating-point numbers."""
    if isinstance(node, exp.DataType) and node.this == exp.DataType.Type.DECIMAL:
        raise InputError(
            "SQLite has no decimal type, which exact numbers with a tolerance need: store the "
            "column as floating-point numbers. For SQL to compile, name it as such: --types "
            "income=DOUBLE."
        )
    return node


def _no_days(node: Any) -> Any:
    """Refuse SQL that counts days between dates."""
    if isinstance(node, exp.DateDiff):
        raise InputError(
            "SQLite has no date type, so a date cannot have a tolerance there; store it as a "
            "number of days, months or years."
        )
    return node


def _by_number(characters: str) -> Rule:
    """Write misleading characters of a text by number. They are ASCII, for which CHR means the same
    everywhere.

    A database may read them as an escape, or a client as a variable. Many clients replace variables
    inside texts, too.
    """
    pattern = re.compile("([" + re.escape(characters) + "])")

    def rule(node: Any) -> Any:
        if not (isinstance(node, exp.Literal) and node.is_string and pattern.search(node.this)):
            return node
        parts: list[Any] = [
            exp.Chr(expressions=[exp.Literal.number(ord(part))])
            if part in characters
            else exp.Literal.string(part)
            for part in pattern.split(node.this)
            if part
        ]
        joined = _joined(*parts)
        return exp.Paren(this=joined) if len(parts) > 1 else joined

    return rule


def _nulls_last(node: Any) -> Any:
    """Sort NULL last: before each ascending column, sort by a flag that tells if it is NULL.

    SQL Server, MariaDB and BigQuery sort NULL first, and have no NULLS LAST in windows.
    """
    if not isinstance(node, exp.Order):
        return node
    columns: list[Any] = []
    for each in node.expressions:
        if not each.args.get("desc") and not each.args.get("nulls_first"):
            each.set("nulls_first", True)  # as the database does by itself
            if not _is_flag(each.this):
                missing = exp.Is(this=each.this.copy(), expression=exp.Null())
                last = exp.case().when(missing, exp.Literal.number(1)).else_(exp.Literal.number(0))
                if not columns or columns[-1].this != last:
                    columns.append(exp.Ordered(this=last, nulls_first=True))
        columns.append(each)
    node.set("expressions", columns)
    return node


def _is_flag(node: Any) -> bool:
    """Return True for a CASE of constants, which is never NULL."""
    if not isinstance(node, exp.Case):
        return False
    results = [node.args.get("default"), *(branch.args["true"] for branch in node.args["ifs"])]
    return all(isinstance(each, exp.Literal) for each in results)


def _concatenated(node: Any) -> Any:
    """Join texts by CONCAT: || is new in SQL Server 2025, and is OR in MariaDB."""
    if isinstance(node, exp.DPipe):
        return exp.Concat(expressions=list(node.flatten()), safe=True, coalesce=False)
    return node


def _national(node: Any) -> Any:
    """Mark texts with N. Without it SQL Server loses characters outside the database's code
    page.
    """
    if isinstance(node, exp.Literal) and node.is_string and not node.this.isascii():
        return exp.National(this=node.this)
    return node


def _whole_texts(node: Any) -> Any:
    """Write texts of times as ISO, and of numbers with their digits. SQL Server's CAST gives a
    DATETIME as Jan  1 2020 12:00AM, and a number 6 digits.
    """
    if not (isinstance(node, exp.Cast) and node.is_type("TEXT")) or isinstance(node.this, exp.Null):
        return node
    if isinstance(node.this, exp.Cast) and node.this.is_type("DOUBLE"):  # all digits that it needs
        return _call("FORMAT", node.this, exp.Literal.string("R"), exp.Literal.string("en-US"))
    # Style 1 gives a number of 4 bytes, which is read by its text, 8 digits. Decimals ignore it.
    read = isinstance(node.parent, exp.Cast) and node.parent.is_type("DOUBLE")
    style = exp.Literal.number(1 if read else 121)
    return _call("CONVERT", exp.DataType.build("NVARCHAR(MAX)", dialect="tsql"), node.this, style)


def _bits(node: Any) -> Any:
    """Write true and false that are compared, or results of a CASE, as bits. SQL Server has no
    words for them, and sqlglot writes a condition.
    """
    if isinstance(node, exp.Boolean) and (
        node.arg_key in ("true", "default") or isinstance(node.parent, exp.Predicate)
    ):
        return exp.cast(exp.Literal.number(int(node.this)), "BOOLEAN")
    return node


def _quoted(*words: str) -> Rule:
    """Quote our names that are reserved words of the dialect."""

    def rule(node: Any) -> Any:
        if isinstance(node, exp.Identifier) and node.name in words:
            node.set("quoted", True)
        return node

    return rule


def _floating_division(node: Any) -> Any:
    """Make all divisions floating-point. Division of integers gives four decimals in MariaDB, six
    in Snowflake.
    """
    if isinstance(node, exp.Div) and not any(
        each.to.this == exp.DataType.Type.DOUBLE for each in node.find_all(exp.Cast)
    ):
        node.set("this", exp.cast(node.this, "DOUBLE"))
    return node


_LARGEST = "1.7976931348623157e308"
# Only DuckDB has a type for columns without values.
_texts_without_values = _typed("TEXT", exp.DataType.Type.NULL)
# Whole numbers of 128 bits are decimals elsewhere.
_exact = _typed("DECIMAL(38, 0)", exp.DataType.Type.INT128, exp.DataType.Type.UINT128)
# MariaDB's default has only whole seconds.
_microseconds = _typed("DATETIME(6)", exp.DataType.Type.TIMESTAMP)
# Other dates of ClickHouse begin in 1970.
_long_dates = _typed("Nullable(Date32)", exp.DataType.Type.DATE, dialect="clickhouse")
# SQLite has no dates. Written as text, they sort as days.
_dates_as_text = _typed("TEXT", exp.DataType.Type.DATE)
# SQL Server's VARCHAR loses characters outside the database's code page.
_unicode = _typed("NVARCHAR(MAX)", exp.DataType.Type.TEXT, dialect="tsql")
# Spark's TIMESTAMP is a moment, with another hour in another time zone. DuckDB's has no zone.
_without_zone = _typed("TIMESTAMPNTZ", exp.DataType.Type.TIMESTAMP)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "postgres": (_exact, _nan_is_greatest, _iso_days, _row_hash),
    "redshift": (
        _exact, _nan_is_greatest, _iso_days, _farm_hash_64, _wide_texts(), _by_number("\\'"),
        _quoted("within"),
    ),
    "spark": (_exact, _without_zone, _characters, _by_number("\\$"), _long_hash, _numbered_by_all),
    "databricks": (
        _exact, _without_zone, _characters, _by_number("\\${"), _long_hash, _numbered_by_all,
    ),
    "clickhouse": (_signed_counts, _wide_constants, _long_dates, _by_number("\\"), _city_hash),
    "snowflake": (
        _exact, _nan_is_greatest, _iso_days, _floating_division, _wide_texts(),
        _by_number("\\'&%{"),
    ),
    "bigquery": (
        _exact, _wide_decimals, _farm_hash, _parted_by_text, _by_number("\\"), _nulls_last,
        _quoted("within"),
    ),
    "trino": (_exact, _xx_hash, _wide_texts(), _by_number("\\")),
    "mysql": (
        _exact, _microseconds, _finite(_LARGEST), _hashed_by(_bits_of_md5), _floating_division,
        _wide_texts("CHAR(255)", "mysql"), _concatenated, _characters, _nulls_last,
    ),
    "sqlite": (_no_decimals, _finite("9e999"), _dates_as_text, _own_hash, _no_days),
    "tsql": (
        _exact, _bits, _finite(_LARGEST), _hashed_by(_bits_of_sha), _whole_texts, _wide_texts(),
        _unicode, _by_number("$"), _national, _concatenated, _nulls_last, _quoted("file"),
    ),
}  # fmt: skip
STORED: Mapping[str, str] = {
    "clickhouse": " ENGINE = MergeTree ORDER BY tuple()",
    "spark": " USING PARQUET",
}
"""The storage clause of CREATE TABLE, for dialects that need one."""
