"""The SQL with which DuckDB reads CSV files: all columns as text. Types are found later from whole
columns, not guessed from a sample.
"""

from collections.abc import Sequence

from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.inputs.csv_files.headers import Header
from sqlrisk.inputs.csv_files.numbers import (
    CODE,
    DECIMAL,
    FLOAT,
    FLOAT_DIGITS,
    FORMS,
    HUGE,
    SHORT,
    WHOLE,
    WHOLE_DIGITS,
    decimal,
)
from sqlrisk.inputs.sources import Source

MIXED = "mixed"  # text, but a tenth or more of it are numbers
_LEAST = 10


def select(header: Header, paths: str, columns: Sequence[str], source: Source) -> str:
    """Return the SELECT that reads ``columns`` from files with the same header. ``paths`` lists the
    files as SQL literals. Values that mean missing become NULL.
    """
    places = {name: f"c{place}" for place, name in enumerate(header.names)}
    read = {name: places[name] for name in columns}
    for name, value in read.items():
        if missing := source.missing_in(name):
            read[name] = (
                f"CASE WHEN {value} IN ({', '.join(map(literal, missing))}) THEN NULL ELSE "
                f"{value} END"
            )
    chosen = ", ".join(f"{value} AS {quote(name)}" for name, value in read.items())
    return f"SELECT {chosen} FROM {_file(header, paths)}"


def count_empty(header: Header, paths: str) -> str:
    """Return the query that counts empty rows: rows whose fields are all empty or blank."""
    return f"SELECT COUNT(*) AS empty FROM {_file(header, paths)} WHERE {is_empty(header)}"


def is_empty(header: Header) -> str:
    """Return the SQL condition that all fields of a row (c0, c1, ...) are empty or blank."""
    return " AND ".join(_is_blank(f"c{place}") for place in range(len(header.names)))


def may_be_empty(table: str, columns: Sequence[str]) -> str:
    """Return the query that counts records without a value in any of these columns. A cheap test of
    the first character skips most records.
    """
    quickly = " AND ".join(
        f"({each} IS NULL OR {each} < '!' OR {each} > '~')" for each in map(quote, columns)
    )
    return (
        f"SELECT COUNT(*) FROM {table} WHERE {quickly} AND "
        f"{' AND '.join(map(_is_blank, map(quote, columns)))}"
    )


def _is_blank(value: str) -> str:
    return rf"({value} IS NULL OR REGEXP_FULL_MATCH({value}, '[\s\pZ]*'))"


def _file(header: Header, paths: str) -> str:
    texts = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(header.names)))
    skip = f"skip = {header.skipped}, " if header.skipped else ""
    # Nothing is guessed. Every column is text. Quoted empty text is '', unquoted is NULL.
    return (
        f"read_csv([{paths}], auto_detect = false, columns = {{{texts}}}, header = true, "
        f"{skip}delim = {literal(header.delimiter)}, quote = {literal(header.quote)}, escape = "
        f"{literal(header.quote)}, nullstr = '', compression = {literal(header.compression)}, "
        "allow_quoted_nulls = false, strict_mode = true, null_padding = false, ignore_errors = "
        "false, hive_partitioning = false)"
    )


def types(table: str, columns: Sequence[str], mark: str = ".") -> str:
    """Return a query for the types of columns: BIGINT, HUGEINT, DOUBLE, VARCHAR, ``MIXED`` (texts,
    of which many are numbers) or ``"NULL"`` (no values).

    A column has a type of numbers only if every value is a number. ``mark`` is the decimal mark.
    """
    kinds = ", ".join(
        f"{_kind(quote(column), mark)} AS c{place}" for place, column in enumerate(columns)
    )
    found = ", ".join(_type(f"c{place}") for place in range(len(columns)))
    return f"SELECT {found} FROM (SELECT {kinds} FROM {table}) AS kinds"


def are_short(table: str, columns: Sequence[str]) -> str:
    """Return the query of which columns hold only short whole numbers, and so are BIGINT.

    Most columns of a wide table are. If there are few values, the full query of `types` takes ten
    times as long.
    """
    tests = (
        f"COALESCE(BOOL_AND(REGEXP_FULL_MATCH({each}, {literal(SHORT)})), false)"
        for each in map(quote, columns)
    )
    return f"SELECT {', '.join(tests)} FROM {table}"


# Kinds of values. A whole number of up to 15 digits also counts as a float.
_WORD, _SHORT, _WHOLE, _HUGE, _FLOAT, _LONG, _TEXT = range(7)


def _kind(value: str, mark: str) -> str:
    digits = f"LENGTH(REGEXP_REPLACE(REGEXP_REPLACE({value}, '[eE].*', ''), '[^0-9]', '', 'g'))"
    whole = "".join(
        f" WHEN REGEXP_FULL_MATCH({value}, {literal(form)}) THEN {kind}"
        for form, kind in ((SHORT, _SHORT), (WHOLE, _WHOLE), (HUGE, _HUGE))
    )
    # Most floats are short. Checking the length is faster than counting digits.
    short = (
        f"LENGTH({value}) <= {FLOAT_DIGITS + 1} AND REGEXP_FULL_MATCH({value}, "
        f"{literal(decimal(mark, FLOAT))})"
    )
    return (
        f"CASE WHEN {value} IS NULL THEN NULL{whole} WHEN {short} THEN {_FLOAT} WHEN "
        f"REGEXP_FULL_MATCH({value}, {literal(decimal(mark))}) THEN CASE {digits} WHEN 0 THEN "
        f"{_WORD} ELSE CASE WHEN {digits} <= {FLOAT_DIGITS} THEN {_FLOAT} ELSE {_LONG} END END "
        f"ELSE {_TEXT} END"
    )


def _type(kind: str) -> str:
    return (
        f"CASE WHEN COUNT({kind}) = 0 THEN '\"NULL\"'"
        f" WHEN BOOL_AND({kind} IN ({_SHORT}, {_WHOLE})) THEN 'BIGINT'"
        f" WHEN BOOL_AND({kind} IN ({_SHORT}, {_WHOLE}, {_HUGE})) THEN 'HUGEINT'"
        f" WHEN BOOL_AND({kind} IN ({_WORD}, {_SHORT}, {_FLOAT})) THEN 'DOUBLE'"
        f" WHEN COUNT(CASE WHEN {kind} NOT IN ({_WORD}, {_TEXT}) THEN 1 END)"
        f" BETWEEN COUNT({kind}) / {_LEAST} AND COUNT({kind}) - 1 THEN '{MIXED}'"
        " ELSE 'VARCHAR' END"
    )


def text_type(table: str, column: str, kinds: Sequence[str]) -> str:
    """Return a query for the first type in ``kinds`` that fits every text of a column, else
    VARCHAR. `FORMS` has the form of texts of each type.
    """
    value = quote(column)
    tests = " ".join(
        f"WHEN COUNT({value}) = COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(FORMS[kind])})"
        f" THEN TRY_CAST({value} AS {kind}) END) THEN '{kind}'"
        for kind in kinds
    )
    return f"SELECT CASE {tests} ELSE 'VARCHAR' END FROM {table}"


def with_points(table: str, column: str, mark: str) -> str:
    """Return the statement that replaces a column's decimal mark with a point."""
    value = quote(column)
    return (
        f"ALTER TABLE {table} ALTER {value} TYPE VARCHAR USING REPLACE({value}, "
        f"{literal(mark)}, '.')"
    )


def holds_codes(table: str, column: str) -> str:
    """Return the query that counts the values of a column that are codes: digits that begin with a
    zero.
    """
    return f"SELECT COUNT(*) FROM {table} WHERE REGEXP_FULL_MATCH({quote(column)}, {literal(CODE)})"


def written_otherwise(tables: Sequence[str], column: str) -> str:
    """Return the query that counts numbers which two tables share but write differently, such as
    1.0 and 1. The first table is compared with each of the others.
    """
    numbers = "\nUNION ALL\n".join(
        f"SELECT DISTINCT {place} AS place, {quote(column)} AS text, CAST({quote(column)} AS "
        f"DOUBLE) AS number FROM {table} WHERE REGEXP_FULL_MATCH({quote(column)}, "
        f"{literal(DECIMAL)}) AND LENGTH({quote(column)}) <= {WHOLE_DIGITS} AND "
        f"REGEXP_MATCHES({quote(column)}, '[0-9]')"
        for place, table in enumerate(tables)
    )
    return (
        f"WITH numbers AS (\n{numbers}\n)\nSELECT COUNT(*) FROM (SELECT theirs.place, number"
        " FROM numbers AS ours JOIN numbers AS theirs USING (number) WHERE ours.place = 0 AND "
        "theirs.place > 0"
        " GROUP BY theirs.place, number HAVING NOT BOOL_OR(ours.text = theirs.text)) AS apart"
    )
