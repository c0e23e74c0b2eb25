"""Open DuckDB with one thread by default, since other tests run on the other cores.

Passing a few records between threads takes longer than counting them, and a fifth of a small
score's time.
"""

from typing import Any

import duckdb

_connect = duckdb.connect


def connect(
    database: Any = ":memory:", read_only: bool = False, config: Any = None
) -> duckdb.DuckDBPyConnection:
    """Open a database with one thread, unless ``config`` says otherwise."""
    return _connect(database, read_only, {"threads": 1, **(config or {})})


def use_one() -> None:
    """Make this process open every database with one thread."""
    duckdb.connect = connect
