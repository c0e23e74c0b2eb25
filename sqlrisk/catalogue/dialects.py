"""The SQL dialects: their names, the first statements of a script, and whether the tests run their
SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.extras import install

NOT_RUN = "generated, parsed, not run"


@dataclass(frozen=True)
class Overrides:
    """A dialect's own SQL for measures. The keys are the columns of their aggregates, such as
    ``dcap_numerator``.

    ``texts`` has the aggregates in the dialect's SQL. ``places`` has the measure's name and the
    path of the file for this SQL, which may not exist yet.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)


AS_THEY_ARE = Overrides()


@dataclass(frozen=True)
class Dialect:
    """A dialect of SQL, by its name in sqlglot.

    Attributes:
        client: the command that runs one file. Some need a switch that stops them from replacing
            variables. Texts contain no variables (see ``translation.RULES``), but column names may.
        run: True if the tests run its SQL on a real database. Otherwise each output says that they
            do not.
        settings: statements to run first in the session.
        zone: the statement that sets the session's time zone to UTC, so that instants are cast
            equally everywhere. Empty if sessions have no zone.
        advice: what users must know about names and texts in the dialect.
    """

    name: str
    product: str
    client: str
    run: bool = False
    settings: tuple[str, ...] = ()
    zone: str = ""
    advice: tuple[str, ...] = ()

    @property
    def preamble(self) -> tuple[str, ...]:
        """The statements at the beginning of a script."""
        return (*self.settings, self.zone) if self.zone else self.settings


_PROBE = (
    "Texts compare by the collation of their column. Where 'a' = 'A' or 'a' = 'a ', different "
    "levels count as one."
)
_FOLDED = "Column names are quoted, so write them in the scenario as the database stores them"

DIALECTS: Mapping[str, Dialect] = {
    each.name: each
    for each in (
        Dialect(
            "duckdb",
            "DuckDB",
            run=True,
            client="duckdb DATABASE.duckdb < FILE",
            zone="SET TimeZone = 'UTC'",
        ),
        Dialect(
            "postgres",
            "PostgreSQL",
            run=True,
            client="psql -v ON_ERROR_STOP=1 -f FILE DATABASE",
            zone="SET TimeZone = 'UTC'",
            advice=(
                _FOLDED + ": in lower case, unless they were created in quotes.",
                _PROBE,
                "DataFusion runs the same SQL.",
            ),
        ),
        Dialect(
            "spark",
            "Spark",
            run=True,
            client="spark-sql --conf spark.sql.variable.substitute=false -f FILE",
            zone="SET TIME ZONE 'UTC'",
        ),
        Dialect(
            "databricks",
            "Databricks",
            client="dbsqlcli -e FILE",
            zone="SET TIME ZONE 'UTC'",
            advice=(
                "An SQL warehouse, or a cluster with Databricks Runtime 13 or newer.",
                (
                    "A name of a column with `${` in it needs `SET spark.sql.variable.substitute = "
                    "false` before."
                ),
            ),
        ),
        Dialect(
            "clickhouse",
            "ClickHouse",
            run=True,
            client="clickhouse-client --queries-file FILE",
            # ClickHouse's defaults: an outer join without a match gives 0, an empty sum is 0, and
            # an alias hides a column of the same name. A parallel join that swaps its sides adds an
            # empty row (seen in 26.9).
            settings=(
                "SET join_use_nulls = 1",
                "SET aggregate_functions_null_for_empty = 1",
                "SET prefer_column_name_to_alias = 1",
                "SET cast_keep_nullable = 1",
                "SET union_default_mode = 'ALL'",
                "SET join_algorithm = 'hash'",
                # A weight next to a count is a number, as everywhere else.
                "SET allow_lossy_numeric_supertype = 1",
            ),
            zone="SET session_timezone = 'UTC'",
            advice=(
                (
                    "The settings stand at the head of every file: without them the numbers are "
                    "wrong, silently."
                ),
            ),
        ),
        Dialect(
            "sqlite",
            "SQLite",
            run=True,
            client="sqlite3 DATABASE.db < FILE",
            advice=(
                (
                    "It has to be built with its mathematical functions "
                    "(SQLITE_ENABLE_MATH_FUNCTIONS), as most are."
                ),
            ),
        ),
        Dialect(
            "snowflake",
            "Snowflake",
            client="snow sql --enable-templating NONE -f FILE",
            zone="ALTER SESSION SET TIMEZONE = 'UTC'",
            advice=(_FOLDED + ": in capitals, unless they were created in quotes.", _PROBE),
        ),
        Dialect(
            "bigquery",
            "BigQuery",
            client="bq query --use_legacy_sql=false < FILE",
            zone="SET @@time_zone = 'UTC'",
            advice=(
                (
                    "Every table stands in a dataset: give it with --scratch, and write sources as "
                    "dataset.table."
                ),
            ),
        ),
        Dialect(
            "redshift",
            "Redshift",
            client="psql -v ON_ERROR_STOP=1 -f FILE DATABASE",
            zone="SET timezone = 'UTC'",
            advice=(_FOLDED + ": in lower case.", _PROBE),
        ),
        Dialect(
            "trino",
            "Trino",
            client="trino --catalog CATALOG --schema SCHEMA -f FILE",
            zone="SET TIME ZONE 'UTC'",
            advice=("A CHAR column is compared without its trailing blanks: give it as VARCHAR.",),
        ),
        Dialect(
            "tsql",
            "SQL Server",
            client="sqlcmd -b -x -i FILE",
            advice=(
                _PROBE + " Most servers have one by default; 'a' = 'a ' holds in all of them.",
            ),
        ),
    )
}


def named(name: str) -> Dialect:
    """Return the dialect with this name.

    Raises InputError if there is none, or if the package that writes its SQL is missing.
    """
    if name not in DIALECTS:
        raise InputError(
            f"There is no dialect {name!r}{suggestion(name, DIALECTS)}; there are "
            f"{', '.join(DIALECTS)}."
        )
    if name != "duckdb":
        require_sqlglot()
    return DIALECTS[name]


def require_sqlglot(wanted: str = "Other dialects than DuckDB's need") -> None:
    """Raise InputError if sqlglot is not installed. ``wanted`` begins the message."""
    if find_spec("sqlglot") is None:
        raise InputError(f"{wanted} the package sqlglot: {install('sql')}.")
