"""Addresses that open a database through its driver, such as `snowflake://...`.

An address never holds a password. The password is read where the product's own client looks, and
sqlrisk neither stores nor shows it.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install
from sqlrisk.engines.dbapi import products
from sqlrisk.engines.dbapi.connections import Connected
from sqlrisk.engines.dbapi.products import Product


def opened(address: str, *, writes: bool) -> Connected:
    """Open an address. ``writes`` asks for write access, which a scratch schema needs.

    Raises InputError if the driver is missing or the database does not answer.
    """
    scheme = address.partition(":")[0]
    product, package, extra, way = ADDRESSES[scheme]
    place = urlsplit(address)
    options = dict(parse_qsl(place.query, keep_blank_values=True))
    try:
        driver = import_module(package)
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise InputError(
            f"The engine {scheme} needs the package {missing}: {install(extra)}."
        ) from None

    def again() -> Any:
        return way(driver, place, {**options, "writes": writes} if scheme == "sqlite" else options)

    try:
        with ExitStack() as unanswered:
            connection = again()
            unanswered.callback(connection.close)
            cursor = connection.cursor()
            cursor.execute("SELECT 1")  # some drivers connect only now
            cursor.fetchall()
            unanswered.pop_all()
    except InputError:
        raise
    except Exception as error:
        # Messages of drivers may repeat credentials.
        raise InputError(
            f"{product.name}: {place.scheme}://{place.hostname or ''}{place.path} cannot be "
            f"opened ({type(error).__name__}): check the address, the user and password, and "
            "that the server can be reached."
        ) from None
    return Connected(connection, product, again, connection.close, own=True)


def _parts(place: SplitResult, *names: str) -> dict[str, str]:
    """Return the path of an address as driver parameters, by name."""
    return dict(zip(names, (unquote(part) for part in place.path.split("/") if part), strict=False))


def _server(place: SplitResult, **names: str) -> dict[str, Any]:
    """Return the host, port and user of an address, except missing ones, as arguments for a driver.
    ``names`` maps these words to the driver's names of arguments.
    """
    found = {
        "host": place.hostname,
        "port": place.port,
        "user": unquote(place.username) if place.username else None,
    }
    return {names.get(name, name): value for name, value in found.items() if value is not None}


def _secret(variable: str, name: str = "password") -> dict[str, str]:
    return {name: os.environ[variable]} if variable in os.environ else {}


def _sqlite(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Open a SQLite file, or a database in memory if the address has no path. A file is writable
    only for a scratch schema.

    Raises InputError if the file is missing, is not a database, or is locked.
    """
    path = unquote(place.path).removeprefix("/")
    mode = "rw" if options["writes"] else "ro"
    name = f"file:{quote(path)}?mode={mode}" if path else "file::memory:"
    if place.netloc or (path and not Path(path).is_file()):
        path = path or place.netloc
        raise InputError(
            f"There is no file {path!r}; write sqlite:///FILE, or sqlite:////FOLDER/FILE for a "
            "path from the root."
        )
    connection = driver.connect(name, uri=True, isolation_level=None)
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_master")
    except driver.Error:
        connection.close()
        raise InputError(
            f"{path!r} is not an SQLite database, or another program is writing to it."
        ) from None
    return connection


def _mariadb(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with MYSQL_PWD or the option file of MariaDB's own client."""
    file = Path.home() / ".my.cnf"
    own = {"read_default_file": str(file)} if file.exists() else {}
    return driver.connect(
        **own, **_server(place), **_secret("MYSQL_PWD"), **_parts(place, "database"), **options
    )


def _snowflake(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect by a name in connections.toml and the parameters in the address. Without any of them,
    connect by its default entry.
    """
    named = {"connection_name": place.netloc} if place.netloc else {}
    return driver.connect(**named, **_parts(place, "database", "schema"), **options)


def _bigquery(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with Application Default Credentials."""
    bigquery = import_module("google.cloud.bigquery")
    project = place.netloc or None
    dataset = _parts(place, "dataset").get("dataset")
    config = (
        None if dataset is None else bigquery.QueryJobConfig(default_dataset=f"{project}.{dataset}")
    )
    return driver.connect(
        bigquery.Client(project=project, default_query_job_config=config, **options)
    )


def _databricks(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with DATABRICKS_TOKEN, otherwise through the browser."""
    how = _secret("DATABRICKS_TOKEN", "access_token") or {"auth_type": "databricks-oauth"}
    return driver.connect(
        server_hostname=place.hostname, http_path=place.path, **{**how, **options}
    )


def _trino(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with TRINO_PASSWORD, as Trino's own client does, otherwise through the browser. Port
    8080 needs neither.
    """
    user = unquote(place.username or os.environ.get("USER", ""))
    how: dict[str, Any] = {"http_scheme": "http"}
    if place.port != 8080:  # the usual port of servers without authentication
        auth = import_module("trino.auth")
        password = os.environ.get("TRINO_PASSWORD")
        how = {
            "http_scheme": "https",
            "auth": auth.OAuth2Authentication()
            if password is None
            else auth.BasicAuthentication(user, password),
        }
    return driver.connect(
        **{**_server(place), "user": user}, **how, **_parts(place, "catalog", "schema"), **options
    )


def _clickhouse(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with CLICKHOUSE_PASSWORD, as ClickHouse's own client does."""
    server = _server(place, user="username")
    return driver.connect(
        **server, **_secret("CLICKHOUSE_PASSWORD"), **_parts(place, "database"), **options
    )


def _mssql(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with SQLCMDPASSWORD, as sqlcmd does."""
    return driver.connect(
        **_server(place), **_secret("SQLCMDPASSWORD"), **_parts(place, "database"), **options
    )


def _redshift(driver: Any, place: SplitResult, options: dict[str, Any]) -> Any:
    """Connect with PGPASSWORD, otherwise with the AWS identity of this user (IAM)."""
    how: dict[str, Any] = {**_secret("PGPASSWORD")} or {"iam": True}
    return driver.connect(**_server(place), **_parts(place, "database"), **{**how, **options})


_Way = Callable[[Any, SplitResult, dict[str, Any]], Any]
# Scheme -> the product, the module of its driver, the extra that installs it, how to connect.
ADDRESSES: Mapping[str, tuple[Product, str, str, _Way]] = {
    "sqlite": (products.SQLITE, "sqlite3", "sql", _sqlite),
    "mariadb": (products.MARIADB, "pymysql", "mariadb", _mariadb),
    "clickhouse": (products.CLICKHOUSE, "clickhouse_connect.dbapi", "clickhouse", _clickhouse),
    "snowflake": (products.SNOWFLAKE, "snowflake.connector", "snowflake", _snowflake),
    "bigquery": (products.BIGQUERY, "google.cloud.bigquery.dbapi", "bigquery", _bigquery),
    "databricks": (products.DATABRICKS, "databricks.sql", "databricks", _databricks),
    "redshift": (products.REDSHIFT, "redshift_connector", "redshift", _redshift),
    "trino": (products.TRINO, "trino.dbapi", "trino", _trino),
    "mssql": (products.SQL_SERVER, "pymssql", "mssql", _mssql),
    # recipe: add an engine
}
