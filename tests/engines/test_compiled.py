"""Compiled SQL runs as it is in SQLite, of the standard library, and in DataFusion, a database
inside the test process: sqlrisk has no engine for the latter, which reads PostgreSQL's SQL.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import compiled
import pyarrow as pa
import pytest
from clickhouse import statements
from quickly import some

import sqlrisk

Read = Callable[[str], list[dict[str, Any]]]
Database = Callable[[dict[str, pa.Table]], AbstractContextManager[Read]]


@contextmanager
def sqlite(tables: dict[str, pa.Table]) -> Iterator[Read]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.row_factory = sqlite3.Row
        for name, table in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(table.column_names)})")
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            marks = ", ".join("?" * table.num_columns)
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        yield lambda sql: [dict(row) for row in connection.execute(sql)]


@contextmanager
def datafusion(tables: dict[str, pa.Table]) -> Iterator[Read]:
    from datafusion import SessionContext

    context = SessionContext()
    for name, table in tables.items():
        context.register_record_batches(name, [table.to_batches()])
    yield lambda sql: [row for part in context.sql(sql).collect() for row in part.to_pylist()]


DIALECT: dict[Database, str] = {sqlite: "sqlite", datafusion: "postgres"}


def run(files: dict[str, str], read: Read) -> None:
    """Run the files that make tables and views, in order."""
    for name in sorted(files):
        if name[3:-4] in compiled.RUN:
            for statement in statements(files[name]):
                read(statement)


@pytest.mark.parametrize("database", DIALECT)
@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(database: Database, question: str) -> None:
    # Within a tolerance SQLite compares floating-point numbers; whole ones are exact there too.
    more = {"types": "age=DOUBLE,income=DOUBLE"} if database is sqlite else {}
    report = compiled.score_question(question)
    with database(compiled.tables(question)) as read:
        run(compiled.compile_question(question, DIALECT[database], **more), read)
        compiled.assert_same(compiled.found(read(compiled.SELECT)), compiled.reported(report))
        compiled.assert_views(question, read)


@pytest.mark.parametrize("database", some([datafusion], DIALECT))
def test_nan_of_a_named_column_is_missing(database: Database) -> None:
    asked: dict[str, Any] = {
        "keys": ["sex"],
        "targets": ["size"],
        "measures": ["identity", "attribute", "cap"],
    }
    held = {"original": compiled.people(0), "synthetic": compiled.people(1)}
    report = sqlrisk.score(*held.values(), **asked)
    with database(held) as read:
        run(
            sqlrisk.compile_sql(*held, dialect=DIALECT[database], types="size=DOUBLE", **asked),
            read,
        )
        compiled.assert_same(compiled.found(read(compiled.SELECT)), compiled.reported(report))
