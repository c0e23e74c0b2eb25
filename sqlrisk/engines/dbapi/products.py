"""A table of how the databases with a DB-API driver differ."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlrisk.catalogue.dialects import DIALECTS
from sqlrisk.inputs.datatypes import INSTANT


def _types(**names: str) -> dict[str, str]:
    """Return type name of the database -> type name of DuckDB."""
    return {name.strip(): kind for kind, each in names.items() for name in each.split(",")}


def _attributes(table: str) -> str:
    """Return the query for the columns and types of a table, as in PostgreSQL."""
    columns = "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
    return f"{columns} WHERE attrelid = {table} AND attnum > 0 AND NOT attisdropped ORDER BY attnum"


_COMMON = _types(
    BOOLEAN="boolean, bool",
    SMALLINT="smallint",
    INTEGER="integer, int",
    BIGINT="bigint",
    FLOAT="real",
    DOUBLE="double precision, double",
    DECIMAL="numeric, decimal",
    VARCHAR="char, character, varchar, character varying, text, string",
    DATE="date",
    TIMESTAMP="timestamp, timestamp without time zone",
) | {"timestamp with time zone": INSTANT}
_EXACT = ("SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "VARCHAR", "DATE")
_NUMBERS = {
    "nan": "CAST('NaN' AS DOUBLE)",
    "inf": "CAST('inf' AS DOUBLE)",
    "-inf": "CAST('-inf' AS DOUBLE)",
}
_NO_NAN = {"nan": "NULL"}  # NaN counts as missing


@dataclass(frozen=True)
class Product:
    """A database product, described by its differences from others.

    Statements are in the product's own SQL. ``{}`` stands for a column, or in ``cancel`` for the
    session's number.

    Attributes:
        dialect: the name of its SQL in sqlglot.
        describe: query for the columns of ``{table}`` and their types, in two columns. No rows if
            the table is missing. ``{text}`` is the full name as a string literal, ``{name}`` the
            bare name, ``{schema_text}`` the schema or NULL, ``{schema}`` the prefix before the name
            as SQL, including its dot.
        tables: query for the names of all tables, to suggest similar ones in messages.
        types: the database's names of types -> DuckDB's. Other types cannot be read. Empty if they
            are the same.
        seen: SQL that lists the types of the values in a column, separated by commas, for a
            database whose columns may mix types.
        holds: the families of types that the database can store. BOOLEAN and TIMESTAMP become text
            if they are not listed.
        ddl: DuckDB type -> the type to create columns with, if sqlglot would write another.
        numbers: ``nan``, ``inf`` and ``-inf`` -> the SQL to write it as, in DuckDB's dialect.
            Others cannot be stored.
        name_length: the most characters in the name of a column.
        name_bytes: the bytes after which it cuts that name, or None if it does not.
        years: the first and last year that a date can hold.
        reads: SQL that reads a column. ``{type}`` is the column's type.
        floats: SQL that reads a floating-point column so that 0 equals -0.
        bytes_of: SQL that reads a text column so that texts compare by bytes.
        instants: SQL that reads a time with a time zone as a time in UTC.
        temporary: the word before TABLE for a temporary table, or None if the database has none.
        prefix: text before the name of a temporary table.
        dropped: the word before TABLE when a temporary table is dropped.
        case: what happens to an unquoted name: ``lower``, ``upper``, ``ignored`` or ``kept``.
        settings: statements to run first.
        former: query whose rows are statements that restore the earlier settings.
        cursors: True if statements need a cursor. A cursor of DuckDB is a session of its own.
        transactions: True if a statement opens a transaction that must be ended.
        within: query that tells whether the user has an open transaction, if the driver cannot
            tell.
        savepoints: True if a savepoint keeps a failed statement from ending that transaction.
        session: query for the number of the session.
        cancel: statement with which another session cancels the running statement.
        version: query for the version of the database.
    """

    name: str
    dialect: str
    describe: str
    tables: str = "SELECT table_name FROM information_schema.tables"
    types: Mapping[str, str] = field(default_factory=lambda: _COMMON)
    seen: str = ""
    holds: tuple[str, ...] = (*_EXACT, "BOOLEAN", "FLOAT", "DOUBLE", "TIMESTAMP")
    ddl: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=lambda: _NUMBERS)
    name_length: int = sys.maxsize
    name_bytes: int | None = None
    years: tuple[int, int] = (1, 9999)
    reads: str = "{}"
    floats: str = "{}"
    bytes_of: str = "{}"
    instants: str = "{} AT TIME ZONE 'UTC'"
    temporary: str | None = "TEMPORARY"
    prefix: str = ""
    dropped: str = ""
    case: str = "kept"
    settings: tuple[str, ...] = ()
    former: str = ""
    cursors: bool = True
    transactions: bool = False
    within: str = ""
    savepoints: bool = False
    session: str = ""
    cancel: str = ""
    version: str = "SELECT VERSION()"


SQLITE = Product(
    "SQLite",
    "sqlite",
    "SELECT name, type FROM pragma_table_xinfo({name}, {schema_text})",
    tables="SELECT name FROM sqlite_master",
    types={
        "": '"NULL"',  # a column without values
        "text": "VARCHAR",
        "integer": "BIGINT",
        "real": "DOUBLE",
        "integer,real": "DOUBLE",
        **dict.fromkeys(("integer,text", "integer,real,text", "real,text"), "TEXT AMONG NUMBERS"),
    },
    seen="GROUP_CONCAT(DISTINCT NULLIF(TYPEOF({}), 'null'))",
    holds=("SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "DATE"),
    ddl={"DATE": "TEXT"},
    numbers={"nan": "NULL", "inf": "9e999", "-inf": "-9e999"},
    bytes_of="CAST({} AS TEXT) || ''",  # an expression has no collation
    case="ignored",
    transactions=True,
    version="SELECT SQLITE_VERSION()",
)
DUCKDB = Product(
    "DuckDB",
    "duckdb",
    "DESCRIBE {table}",
    types={},
    bytes_of="CAST({} AS VARCHAR) COLLATE C",
    case="ignored",
    cursors=False,
)
POSTGRESQL = Product(
    "PostgreSQL",
    "postgres",
    _attributes("to_regclass({text})"),
    types={**_COMMON, **_types(VARCHAR="name, citext, uuid")},
    ddl={"VARCHAR": 'TEXT COLLATE "C"'},
    name_bytes=63,
    bytes_of='CAST({} AS TEXT) COLLATE "C"',
    case="lower",
    settings=("SET DateStyle = 'ISO'", "SET extra_float_digits = 1"),
    former="SELECT CONCAT('SET DateStyle = ''', current_setting('DateStyle'), '''')"
    " UNION ALL SELECT CONCAT('SET extra_float_digits = ', current_setting('extra_float_digits'))",
    transactions=True,
    within="SELECT pg_current_xact_id_if_assigned() IS NOT NULL",  # NULL if it has written nothing
    savepoints=True,
    session="SELECT pg_backend_pid()",
    cancel="SELECT pg_cancel_backend({})",
    version="SHOW server_version",
)
MARIADB = Product(
    "MariaDB",
    "mysql",
    "DESCRIBE {table}",
    types={
        **_COMMON,
        **_types(
            SMALLINT="tinyint, tinyint unsigned, smallint",
            INTEGER="mediumint, smallint unsigned, mediumint unsigned, int",
        ),
        **_types(
            BIGINT="int unsigned, bigint",
            UBIGINT="bigint unsigned",
            DECIMAL="decimal unsigned",
            DOUBLE="double unsigned",
            TIMESTAMP="datetime",
            FLOAT="float",
        ),
        "timestamp": INSTANT,
        **_types(VARCHAR="char, varchar, tinytext, text, mediumtext, longtext, enum, uuid"),
    },
    holds=(*_EXACT, "DOUBLE", "TIMESTAMP"),
    ddl={
        "VARCHAR": "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        "TIMESTAMP": "DATETIME(6)",
    },
    numbers=_NO_NAN,
    name_length=64,
    bytes_of="CONVERT({} USING utf8mb4) COLLATE utf8mb4_nopad_bin",
    instants="CAST({} AS DATETIME(6))",
    dropped="TEMPORARY",  # plain DROP TABLE needs a privilege of its own
    case="ignored",
    settings=(
        "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin",
        "SET sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
        "SET time_zone = '+00:00'",
        "SET join_cache_level = 4",  # a hash join for tables without an index
        "SET max_sort_length = 16384",  # bytes compared when sorting texts, not 1024
        "SET sort_buffer_size = 16777216",  # room for about sixty of these texts
    ),
    former="SELECT CONCAT('SET NAMES ', @@character_set_connection, ' COLLATE ', "
    "@@collation_connection)"
    " UNION ALL SELECT CONCAT('SET sql_mode = ''', @@sql_mode, '''')"
    " UNION ALL SELECT CONCAT('SET time_zone = ''', @@time_zone, '''')"
    " UNION ALL SELECT CONCAT('SET join_cache_level = ', @@join_cache_level)"
    " UNION ALL SELECT CONCAT('SET max_sort_length = ', @@max_sort_length)"
    " UNION ALL SELECT CONCAT('SET sort_buffer_size = ', @@sort_buffer_size)",
    transactions=True,
    within="SELECT @@in_transaction",
    session="SELECT CONNECTION_ID()",
    cancel="KILL QUERY {}",
)
CLICKHOUSE = Product(
    "ClickHouse",
    "clickhouse",
    "DESCRIBE TABLE {table}",
    types=_types(
        BOOLEAN="bool",
        SMALLINT="int8, int16, uint8",
        INTEGER="int32, uint16",
        BIGINT="int64, uint32",
        UBIGINT="uint64",
        FLOAT="float32",
        DOUBLE="float64",
        DECIMAL="decimal",
        VARCHAR="string, uuid, enum8, enum16",
        DATE="date, date32",
    ),
    holds=(*_EXACT, "BOOLEAN", "FLOAT", "DOUBLE"),
    ddl={"DATE": "Nullable(Date32)"},
    years=(1900, 2299),
    reads="CAST({} AS {type})",  # unsigned numbers do not compare with signed ones
    floats="CAST({} + 0 AS {type})",
    bytes_of="CAST({} AS Nullable(String))",
    settings=DIALECTS["clickhouse"].preamble,
    former="SELECT concat('SET ', name, ' = ''', value, '''') FROM system.settings WHERE name IN ('"
    + "', '".join(setting.split()[1] for setting in DIALECTS["clickhouse"].preamble)
    + "')",
)
SNOWFLAKE = Product(
    "Snowflake",
    "snowflake",
    "DESCRIBE TABLE {table}",
    types={
        **_COMMON,
        **_types(NUMBER="number", DOUBLE="float", TIMESTAMP="timestamp_ntz"),
        **dict.fromkeys(("timestamp_ltz", "timestamp_tz"), INSTANT),
    },
    holds=(*_EXACT, "BOOLEAN", "HUGEINT", "DOUBLE", "TIMESTAMP"),
    ddl={"TIMESTAMP": "TIMESTAMP_NTZ"},
    instants="CAST(CONVERT_TIMEZONE('UTC', {}) AS TIMESTAMP_NTZ)",
    case="upper",
    session="SELECT CURRENT_SESSION()",
    cancel="SELECT SYSTEM$CANCEL_ALL_QUERIES({})",
    version="SELECT CURRENT_VERSION()",
)
# ---- translated and parsed in the tests, but never run there
REDSHIFT = Product(
    "Redshift",
    "redshift",
    _attributes("{text}::regclass"),
    ddl={"VARCHAR": "VARCHAR(65535)", "DOUBLE": "DOUBLE PRECISION"},
    bytes_of="CAST({} AS VARCHAR(65535))",
    case="lower",
    transactions=True,
    session="SELECT pg_backend_pid()",
    cancel="CANCEL {}",
)
DATABRICKS = Product(
    "Databricks",
    "databricks",
    "DESCRIBE TABLE {table}",
    types={
        **_COMMON,
        **_types(SMALLINT="tinyint, smallint", FLOAT="float", TIMESTAMP="timestamp_ntz"),
        "timestamp": INSTANT,
    },
    bytes_of="CAST({} AS STRING) COLLATE UTF8_BINARY",
    instants="CAST({} AS TIMESTAMP_NTZ)",  # in the session's time zone
    temporary=None,
    case="ignored",
    settings=(DIALECTS["databricks"].zone,),
    former="SELECT CONCAT('SET TIME ZONE ''', CURRENT_TIMEZONE(), '''')",
    version="SELECT CURRENT_VERSION().dbsql_version",
)
BIGQUERY = Product(
    "BigQuery",
    "bigquery",
    "SELECT column_name, data_type FROM {schema}INFORMATION_SCHEMA.COLUMNS WHERE table_name = "
    "{name}",
    tables="SELECT schema_name FROM INFORMATION_SCHEMA.SCHEMATA",
    types={
        **_types(
            BOOLEAN="bool",
            BIGINT="int64",
            DOUBLE="float64",
            VARCHAR="string",
            DATE="date",
            TIMESTAMP="datetime",
        ),
        "timestamp": INSTANT,
    },
    holds=(*_EXACT, "BOOLEAN", "DOUBLE", "TIMESTAMP"),
    ddl={"TIMESTAMP": "DATETIME"},
    bytes_of="COLLATE({}, '')",
    instants="DATETIME({}, 'UTC')",
    temporary=None,
    case="ignored",
    version="SELECT 'a service'",
)
TRINO = Product(
    "Trino",
    "trino",
    "DESCRIBE {table}",
    types={**_COMMON, **_types(SMALLINT="tinyint, smallint", VARCHAR="char, varchar, uuid")},
    numbers={
        name: f"CAST('{written}' AS DOUBLE)"
        for name, written in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity"))
    },
    bytes_of="CAST({} AS VARCHAR)",
    instants="CAST(AT_TIMEZONE({}, 'UTC') AS TIMESTAMP(6))",
    temporary=None,
    case="ignored",
    version="SELECT MAX(node_version) FROM system.runtime.nodes",
)
SQL_SERVER = Product(
    "SQL Server",
    "tsql",
    "SELECT c.name, CONCAT(t.name, '(', c.precision, ',', c.scale, ')') FROM sys.columns AS c"
    " JOIN sys.types AS t ON t.user_type_id = c.system_type_id WHERE c.object_id = "
    "OBJECT_ID({text}) ORDER BY c.column_id",
    types=_types(
        SMALLINT="bit, tinyint, smallint",
        INTEGER="int",
        BIGINT="bigint",
        FLOAT="real",
        DOUBLE="float",
        DECIMAL="decimal, numeric",
        VARCHAR="char, varchar, nchar, nvarchar",
        DATE="date",
        TIMESTAMP="datetime2",
    )
    | {"datetimeoffset": INSTANT},
    holds=(*_EXACT, "FLOAT", "DOUBLE", "TIMESTAMP"),
    ddl={"VARCHAR": "NVARCHAR(MAX) COLLATE Latin1_General_BIN2", "TIMESTAMP": "DATETIME2"},
    numbers=_NO_NAN,
    bytes_of="CAST({} AS NVARCHAR(MAX)) COLLATE Latin1_General_BIN2",
    instants="CAST(SWITCHOFFSET({}, '+00:00') AS DATETIME2)",
    temporary="",
    prefix="#",
    case="ignored",
    transactions=True,
    within="SELECT @@TRANCOUNT",
    version="SELECT SERVERPROPERTY('ProductVersion')",
)
