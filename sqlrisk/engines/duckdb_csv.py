"""The SQL by which DuckDB reads CSV files: as text, which is typed by whole columns and never guessed."""

from collections.abc import Sequence

from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.inputs.csv_files.headers import Header
from sqlrisk.inputs.csv_files.numbers import CODE, DECIMAL, FLOAT_DIGITS, HUGE, WHOLE, WHOLE_DIGITS, decimal
from sqlrisk.inputs.sources import Source

MIXED = "mixed"  # text among which a tenth or more are numbers
_LEAST = 10
_DAY = r"\d{4}-\d{2}-\d{2}"


def select(header: Header, paths: str, columns: Sequence[str], source: Source) -> str:
    """Return the SELECT of some columns of files that begin alike; ``paths`` are literals."""
    places = {name: f"c{place}" for place, name in enumerate(header.names)}
    read = {name: places[name] for name in columns}
    for name, value in read.items():
        if missing := source.missing_in(name):
            read[name] = f"CASE WHEN {value} IN ({', '.join(map(literal, missing))}) THEN NULL ELSE {value} END"
    chosen = ", ".join(f"{value} AS {quote(name)}" for name, value in read.items())
    texts = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(header.names)))
    # Nothing is guessed: every column is text; quoted empty text is '', unquoted is NULL.
    return (
        f"SELECT {chosen} FROM read_csv([{paths}], auto_detect = false, columns = {{{texts}}}, header = true, "
        f"delim = {literal(header.delimiter)}, quote = {literal(header.quote)}, escape = {literal(header.quote)}, nullstr = '', "
        f"compression = {literal(header.compression)}, allow_quoted_nulls = false, strict_mode = true, "
        "null_padding = false, ignore_errors = false, hive_partitioning = false)"
    )


def type_of(column: str, mark: str = ".") -> str:
    """Return the SQL of a column's type: BIGINT, HUGEINT or DOUBLE if every value is one, else VARCHAR, or ``MIXED``.

    Decimals follow the ``mark``.
    """
    value = quote(column)
    digits = f"LENGTH(REGEXP_REPLACE(REGEXP_REPLACE({value}, '[eE].*', ''), '[^0-9]', '', 'g'))"
    most = f"CASE WHEN REGEXP_FULL_MATCH({value}, '-?[0-9]+') THEN {WHOLE_DIGITS} ELSE {FLOAT_DIGITS} END"
    is_number = f"REGEXP_FULL_MATCH({value}, {literal(decimal(mark))})"
    return (
        f"CASE WHEN COUNT({value}) = 0 THEN '\"NULL\"'"
        f" WHEN BOOL_AND(REGEXP_FULL_MATCH({value}, {literal(WHOLE)})) THEN 'BIGINT'"
        f" WHEN BOOL_AND(REGEXP_FULL_MATCH({value}, {literal(HUGE)})) THEN 'HUGEINT'"
        f" WHEN BOOL_AND({is_number} AND {digits} <= {most}) THEN 'DOUBLE'"
        f" WHEN COUNT(CASE WHEN {is_number} THEN 1 END) BETWEEN COUNT({value}) / {_LEAST} AND COUNT({value}) - 1 THEN '{MIXED}'"
        " ELSE 'VARCHAR' END"
    )


def date_type(table: str, column: str) -> str:
    """Return the query of the type that holds every text of a column: DATE (2021-03-31), TIMESTAMP, else VARCHAR."""
    value = quote(column)
    forms = {"DATE": _DAY, "TIMESTAMP": rf"{_DAY}[ T]\d{{2}}:\d{{2}}:\d{{2}}(\.\d{{1,6}})?"}
    tests = " ".join(
        f"WHEN COUNT({value}) = COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(form)}) AND {value} >= '0001'"
        f" THEN TRY_CAST({value} AS {kind}) END) THEN '{kind}'"
        for kind, form in forms.items()
    )
    return f"SELECT CASE {tests} ELSE 'VARCHAR' END FROM {table}"


def with_points(table: str, column: str, mark: str) -> str:
    """Return the statement that writes the numbers of a column with points in the place of the mark."""
    value = quote(column)
    return f"ALTER TABLE {table} ALTER {value} TYPE VARCHAR USING REPLACE({value}, {literal(mark)}, '.')"


def holds_codes(table: str, column: str) -> str:
    """Return the query of how many values of a column are codes: digits that begin with a zero."""
    return f"SELECT COUNT(*) FROM {table} WHERE REGEXP_FULL_MATCH({quote(column)}, {literal(CODE)})"


def written_otherwise(tables: Sequence[str], column: str) -> str:
    """Return the query of how many numbers the first table and another have without one text in common: 1.0 and 1."""
    numbers = "\nUNION ALL\n".join(
        f"SELECT DISTINCT {place} AS place, {quote(column)} AS text, CAST({quote(column)} AS DOUBLE) AS number FROM {table}"
        f" WHERE REGEXP_FULL_MATCH({quote(column)}, {literal(DECIMAL)}) AND LENGTH({quote(column)}) <= {WHOLE_DIGITS}"
        for place, table in enumerate(tables)
    )
    return (
        f"WITH numbers AS (\n{numbers}\n)\nSELECT COUNT(*) FROM (SELECT theirs.place, number"
        " FROM numbers AS ours JOIN numbers AS theirs USING (number) WHERE ours.place = 0 AND theirs.place > 0"
        " GROUP BY theirs.place, number HAVING NOT BOOL_OR(ours.text = theirs.text)) AS apart"
    )
