"""DuckDB by one thread, where nothing else is asked for: other tests run beside on the other cores.

To hand few records from thread to thread takes longer than to count them: a fifth of the time of a
small score.
"""

from typing import Any

import duckdb

_connect = duckdb.connect


def connect(
    database: Any = ":memory:", read_only: bool = False, config: Any = None
) -> duckdb.DuckDBPyConnection:
    """Open a database as DuckDB does, by one thread."""
    return _connect(database, read_only, {"threads": 1, **(config or {})})


def use_one() -> None:
    """Let this process open every database so."""
    duckdb.connect = connect
