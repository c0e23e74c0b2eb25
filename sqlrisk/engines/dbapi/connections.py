"""Connections that the user hands over, of DB-API drivers or of SQLAlchemy."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.dbapi import products
from sqlrisk.engines.dbapi.products import Product

# A product, and the packages of its drivers.
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
_HASH = "SQLRISK_HASH"  # as `sqlrisk.catalogue.translation` calls it


@dataclass(frozen=True)
class Connected:
    """A connection, and what it is of.

    ``again`` opens another one like it, where that is known; ``release`` closes one that was opened
    here (``own``), or gives back one of a pool.
    """

    connection: Any
    product: Product
    again: Callable[[], Any] | None = None
    release: Callable[[], object] = lambda: None
    own: bool = False

    def prepare(self) -> None:
        """Give SQLite the hash by which rows are looked at for copies: it has none."""
        if self.product.dialect == "sqlite":
            self.connection.create_function(_HASH, -1, _hash, deterministic=True)

    def close(self) -> None:
        """Give the connection back as it was."""
        if self.product.dialect == "sqlite" and not self.own:
            self.connection.create_function(_HASH, -1, None)
        self.release()


def is_connection(engine: Any) -> bool:
    """Return whether it is a connection of a driver that is known, or of SQLAlchemy."""
    return bool(_packages(engine) & {*_PRODUCT_OF, "sqlalchemy"})


def of_user(engine: Any) -> Connected:
    """Take a DB-API connection, or what SQLAlchemy holds: a connection, or a pool of them (an
    Engine). Raises InputError.
    """
    pooled = engine.raw_connection() if hasattr(engine, "raw_connection") else None
    held = getattr(engine, "connection", engine) if "sqlalchemy" in _packages(engine) else engine
    driver = getattr(held if pooled is None else pooled, "driver_connection", held)
    known = _packages(driver) & {*_PRODUCT_OF}
    if not known:
        package = type(driver).__module__.partition(".")[0]
        raise InputError(
            f"A connection of {package} is of no database that is known here; `sqlrisk guide "
            "databases` lists them."
        )
    product = _PRODUCT_OF[known.pop()]
    return (
        Connected(driver, product)
        if pooled is None
        else Connected(driver, product, engine.raw_connection, pooled.close)
    )


def _packages(given: Any) -> set[str]:
    return {each.__module__.partition(".")[0] for each in type(given).__mro__}


def _hash(*values: object) -> int:
    return int.from_bytes(blake2b(repr(values).encode(), digest_size=7).digest())
