"""The databases that the same questions are asked of: ``on_NAME`` is what a call is given to count
there.
"""

import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any

import duckdb
import pg8000.dbapi
import pymysql
import pytest
from on_spark import connect_session
from servers import ConnectServer, Server, fakesnow, mariadb, spark_connect_server
from unassessed import unasked


@pytest.fixture
def unassessed() -> Iterator[None]:
    """No file is assessed: each database is asked for that in a test of test_engines.py."""
    with unasked():
        yield


@pytest.fixture
def on_postgresql(postgres_server: Server) -> dict[str, Any]:
    return {"engine": postgres_server.address()}


@pytest.fixture
def on_spark(spark: Any) -> dict[str, Any]:
    return {"engine": spark}


@pytest.fixture(scope="session")
def connect_server() -> Iterator[ConnectServer]:
    with spark_connect_server() as server:
        yield server


@pytest.fixture
def on_spark_connect(connect_server: ConnectServer) -> Iterator[dict[str, Any]]:
    session = connect_session()(connection=connect_server.address)
    yield {"engine": session}
    session.stop()


@pytest.fixture
def on_sqlite() -> Iterator[dict[str, Any]]:
    connection = sqlite3.connect(":memory:")
    yield {"engine": connection}
    connection.close()


@pytest.fixture
def on_duckdb() -> Iterator[dict[str, Any]]:
    with duckdb.connect() as connection:
        yield {"engine": connection}


@pytest.fixture
def on_pg8000(postgres_server: Server) -> Iterator[dict[str, Any]]:
    with pg8000.dbapi.connect(
        postgres_server.user, host="127.0.0.1", port=postgres_server.port, database="postgres"
    ) as connection:
        yield {"engine": connection}


@pytest.fixture(scope="module")
def on_clickhouse() -> Iterator[dict[str, Any]]:
    """One connection for a module: a process holds no more than one."""
    from chdb import dbapi as chdb

    with tempfile.TemporaryDirectory(prefix="sqlrisk-clickhouse-") as folder:
        connection = chdb.connect(f"{folder}/data")
        yield {"engine": connection}
        connection.close()


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[int]:
    """The port of a MariaDB server of this test process."""
    with mariadb() as port:
        yield port


@pytest.fixture
def on_mariadb(mariadb_server: int) -> Iterator[dict[str, Any]]:
    connection = pymysql.connect(host="127.0.0.1", port=mariadb_server, user="root")
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE IF NOT EXISTS work")
        cursor.execute("USE work")
        yield {"engine": connection}


@pytest.fixture(scope="session")
def snowflake_server() -> Iterator[int]:
    """The port of an emulator of Snowflake of this test process."""
    with fakesnow() as port:
        yield port


@pytest.fixture
def on_snowflake(snowflake_server: int) -> Iterator[dict[str, Any]]:
    import snowflake.connector

    given = {
        "user": "fake",
        "password": "snow",
        "account": "fakesnow",
        "host": "127.0.0.1",
        "protocol": "http",
    }
    settings = {"CLIENT_OUT_OF_BAND_TELEMETRY_ENABLED": False, "FAKESNOW_DB_PATH": ":isolated:"}
    with snowflake.connector.connect(
        **given, port=snowflake_server, session_parameters=settings
    ) as connection:
        cursor = connection.cursor()
        for statement in (
            "CREATE DATABASE work",
            "USE DATABASE work",
            "CREATE SCHEMA data",
            "USE SCHEMA data",
        ):
            cursor.execute(statement)
        yield {"engine": connection}


@pytest.fixture
def unheard() -> Iterator[int]:
    """A port of loopback that is taken, and on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
