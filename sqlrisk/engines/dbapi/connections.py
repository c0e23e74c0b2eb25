"""Connections that the user passes in: of a DB-API driver or of SQLAlchemy."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.dbapi import products
from sqlrisk.engines.dbapi.products import Product

# Each product with the packages of its drivers.
_DRIVERS = (
    (products.SQLITE, "sqlite3"),
    (products.DUCKDB, "duckdb, _duckdb"),
    (products.POSTGRESQL, "pg8000, psycopg2"),
    (products.MARIADB, "pymysql, mariadb, MySQLdb"),
    (products.CLICKHOUSE, "chdb, clickhouse_connect, clickhouse_driver"),
    (products.SNOWFLAKE, "snowflake"),
    (products.REDSHIFT, "redshift_connector"),
    (products.DATABRICKS, "databricks"),
    (products.BIGQUERY, "google"),
    (products.TRINO, "trino"),
    (products.SQL_SERVER, "pymssql, pyodbc"),
)
_PRODUCT_OF = {
    package: product for product, packages in _DRIVERS for package in packages.split(", ")
}
_HASH = "SQLRISK_HASH"  # the name of the function in `sqlrisk.catalogue.translation`


@dataclass(frozen=True)
class Connected:
    """A connection to a database product.

    ``again`` opens a second connection with the same settings, or is None if that is impossible.
    ``release`` closes a connection that was opened here (``own``), or returns it to its pool.
    """

    connection: Any
    product: Product
    again: Callable[[], Any] | None = None
    release: Callable[[], object] = lambda: None
    own: bool = False

    def prepare(self) -> Callable[[], object]:
        """Prepare the connection, and return a function that undoes it.

        SQLite gets a hash function, which the search for copied rows needs. Drivers of MariaDB
        write and read texts in a character set of their own. It is set to utf8mb4, as in our
        session.
        """
        connection = self.connection
        if self.product.dialect == "sqlite":
            connection.create_function(_HASH, -1, _hash, deterministic=True)
            return lambda: connection.create_function(_HASH, -1, None)
        if hasattr(connection, "set_character_set"):
            former = connection.character_set_name(), getattr(connection, "collation", None)
            connection.set_character_set("utf8mb4")
            return lambda: connection.set_character_set(*former)
        return lambda: None


def is_connection(engine: Any) -> bool:
    """Return True for a connection of a known driver, or any object of SQLAlchemy."""
    return bool(_packages(engine) & {*_PRODUCT_OF, "sqlalchemy"})


def of_user(engine: Any) -> Connected:
    """Wrap a DB-API connection, or an SQLAlchemy connection or Engine. Raises InputError if its
    driver is unknown.
    """
    pooled = engine.raw_connection() if hasattr(engine, "raw_connection") else None
    held = getattr(engine, "connection", engine) if "sqlalchemy" in _packages(engine) else engine
    driver = getattr(held if pooled is None else pooled, "driver_connection", held)
    known = _packages(driver) & {*_PRODUCT_OF}
    if not known:
        package = type(driver).__module__.partition(".")[0]
        raise InputError(
            f"sqlrisk does not know the database of a {package} connection; `sqlrisk guide "
            "databases` lists those it knows."
        )
    product = _PRODUCT_OF[known.pop()]
    if pooled is None:
        return Connected(driver, product)
    return Connected(driver, product, engine.raw_connection, pooled.close)


def _packages(given: Any) -> set[str]:
    return {each.__module__.partition(".")[0] for each in type(given).__mro__}


def _hash(*values: object) -> int:
    return int.from_bytes(blake2b(repr(values).encode(), digest_size=7).digest())
