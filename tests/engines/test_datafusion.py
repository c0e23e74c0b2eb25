"""DataFusion, a database inside the test process, runs compiled SQL as it is: sqlrisk has no engine
for it.
"""

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
    """The results of DataFusion; its views are looked at, too, if they are those of a question."""
    import datafusion

    context = datafusion.SessionContext()
    for name, table in tables.items():
        context.register_record_batches(name, [table.to_batches()])
    for statement in statements(files):
        context.sql(statement).collect()

    def read(select: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = pa.Table.from_batches(
            context.sql(select).collect()
        ).to_pylist()
        return found

    if question is not None:
        compiled.assert_views(question, read)
    return read(compiled.SELECT)


# It reads the SQL of PostgreSQL.
@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(question: str) -> None:
    rows = run(compiled.tables(question), compiled.compile_question(question, "postgres"), question)
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
            "original", "synthetic", dialect="postgres", types="size=DOUBLE", **settings
        ),
    )
    compiled.assert_same(
        compiled.found(rows), compiled.reported(sqlrisk.score(*held.values(), **settings))
    )
