"""A real ClickHouse inside the test process (package chdb): load tables, run a script, read
rows.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


class ClickHouse:
    """A session with its own tables, in its own folder."""

    def __init__(self, folder: Path) -> None:
        from chdb import session

        self._folder = folder
        self._session = session.Session(str(folder / "clickhouse"))

    def load(self, name: str, table: pa.Table) -> None:
        """Create a table. All of its columns may be NULL, as in files."""
        path = self._folder / f"{name.replace('.', '_')}.parquet"
        pq.write_table(table, path)
        self.run(
            [
                (
                    f"CREATE TABLE {name} ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM "
                    f"file('{path}', Parquet)"
                )
            ]
        )

    def run(self, statements: Iterable[str]) -> list[dict[str, Any]]:
        """Run statements one by one and return the rows of the last one."""
        found: Any = None
        for statement in statements:
            found = self._session.query(statement, "JSON")
        text = found.data() if found is not None else ""
        return json.loads(text)["data"] if text else []

    def close(self) -> None:
        """End the session."""
        self._session.close()


@contextmanager
def clickhouse(folder: Path) -> Iterator[ClickHouse]:
    """Yield a session that is closed at the end of the block."""
    opened = ClickHouse(folder)
    try:
        yield opened
    finally:
        opened.close()


def statements(script: str) -> list[str]:
    """Split a script into its statements, without comments."""
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("--")]
    return [each.strip() for each in "\n".join(lines).split(";\n") if each.strip(" \n;")]
