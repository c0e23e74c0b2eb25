"""SQLite, of the standard library, runs compiled SQL as it is: sqlrisk has no engine for it."""

import sqlite3
from typing import Any

import compiled
import pyarrow as pa
import pytest

import sqlrisk


def statements(files: dict[str, str]) -> list[str]:
    """The statements of the files that make tables and views, in order."""
    text = "".join(files[name] for name in sorted(files) if name[3:-4] in compiled.RUN)
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [each for each in "\n".join(lines).split(";\n") if each.strip()]


def run(
    tables: dict[str, pa.Table], files: dict[str, str], question: str | None = None
) -> list[dict[str, Any]]:
    """The results of SQLite; its views are looked at, too, if they are those of a question."""
    connection = sqlite3.connect(":memory:")
    for name, table in tables.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(table.column_names)})")
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        connection.executemany(
            f"INSERT INTO {name} VALUES ({', '.join('?' * table.num_columns)})", rows
        )
    for statement in statements(files):
        connection.execute(statement)
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute(compiled.SELECT)]
    if question is not None:
        compiled.assert_views(
            question, lambda select: [dict(row) for row in connection.execute(select)]
        )
    connection.close()
    return found


# Within a tolerance it compares floating-point numbers; whole ones are exact there too.
@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(question: str) -> None:
    rows = run(
        compiled.tables(question),
        compiled.compile_question(question, "sqlite", types="age=DOUBLE,income=DOUBLE"),
        question,
    )
    compiled.assert_same(compiled.found(rows), compiled.reported(compiled.score_question(question)))


def test_nan_of_a_named_column_is_missing() -> None:
    settings: dict[str, Any] = {
        "keys": ["sex"],
        "targets": ["size"],
        "measures": ["identity", "attribute", "cap"],
    }
    held = {"original": compiled.people(0), "synthetic": compiled.people(1)}
    rows = run(
        held,
        sqlrisk.compile_sql(
            "original", "synthetic", dialect="sqlite", types="size=DOUBLE", **settings
        ),
    )
    compiled.assert_same(
        compiled.found(rows), compiled.reported(sqlrisk.score(*held.values(), **settings))
    )
