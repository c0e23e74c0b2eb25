"""The clients that run compiled SQL: nothing that stands in a level or a name is taken for a
variable or a command of theirs.

psql, sqlite3 and spark-sql run for real. What snow and sqlcmd put values in the place of is
modelled as their manuals have it; snow 3.30's own reader of files was tried by hand.
"""

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import compiled
import psycopg
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from psycopg.rows import dict_row
from quickly import few
from servers import QUICK_JAVA

import sqlrisk
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import DIALECTS
from sqlrisk.catalogue.translation import translate
from sqlrisk.engines.spark.java import find_java
from tests.catalogue.test_dialects import text_of
from tests.engines.test_postgresql import database, fill

__all__ = ["database"]  # a fixture
Client = Callable[[str], str]
NAMES = ("original", "syn")


def substituting(pattern: str) -> Client:
    """A client that puts a value in the place of each variable, wherever it stands."""
    return lambda text: re.sub(pattern, "VALUE", text)


SNOW = r"&(&|\w+|\{\s*\w+\s*\})|<%.*?%>"
MUSTACHE = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
SPARK = r"\$\{(?:(\w+?):)?(\S+?)\}"
SUBSTITUTING: dict[str, tuple[str, str]] = {  # what a client substitutes, and its switch
    "snowflake": (f"{SNOW}|{MUSTACHE}", "--enable-templating NONE"),
    "tsql": (r"\$\([^)]*\)", " -x "),
    "spark": (SPARK, "--conf spark.sql.variable.substitute=false"),
    "databricks": (rf"{SPARK}|\$\w+|\{{\{{.*?\}}\}}", ""),  # notebooks and the SQL editor
}
PIECES = st.sampled_from(
    [
        *"&%<>${}()#:'\"\\@?!;`[]- \nxX1",
        *compiled.HOSTILE.values(),
        *re.findall(r"\S+", str(compiled.HOSTILE)),
    ]
)


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "duckdb"])
@given(level=st.lists(PIECES, max_size=6).map("".join))
def test_no_client_touches_a_level(dialect: str, level: str) -> None:
    written = translate(f"SELECT x FROM t WHERE x = {templates.literal(level)}", dialect).sql
    substituted, _ = SUBSTITUTING.get(dialect, ("(?!)", ""))
    read = substituting(substituted)(written)
    comparison = sqlglot.parse_one(read, read=dialect).find(sqlglot.exp.EQ)
    assert comparison is not None
    assert text_of(comparison.expression) == level
    assert not re.search(r"^\s*[.\\:!]|^\s*GO\s*$", read, re.MULTILINE)  # commands begin a line


@pytest.mark.parametrize("dialect", few(SUBSTITUTING, 4))
def test_a_name_needs_the_switch_of_its_client(dialect: str) -> None:
    """A name cannot be written otherwise, so the README turns off what would change it."""
    files = sqlrisk.compile_sql(*NAMES, dialect=dialect, **compiled.HOSTILE_QUESTION)
    substituted, switch = SUBSTITUTING[dialect]
    client = substituting(substituted)
    assert any(client(text) != text for name, text in files.items() if name.endswith(".sql"))
    commands = [line for line in files["README.md"].splitlines() if re.match(r"    .*\.sql", line)]
    assert len(commands) > 3
    assert all(f"{switch}" in line for line in commands)
    assert switch or "SET spark.sql.variable.substitute = false" in files["README.md"]


def run(folder: Path, files: dict[str, str], database: str) -> None:
    """Run the commands of the README, as they stand there, but for the name of the database."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    commands = re.findall(r"^    (.*\.sql.*)$", files["README.md"], re.MULTILINE)
    assert len(commands) == len(files) - 2  # all but the last, which drops, and the README
    for command in commands:
        done = subprocess.run(
            ["sh", "-c", command.replace("DATABASE", database)],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), done.stderr


def quoted(names: list[str], kind: str = "") -> str:
    return ", ".join(f"{templates.quote(name)} {kind}".strip() for name in names)


def test_psql_runs_the_files_with_hostile_names(database: str, tmp_path: Path) -> None:
    tables = compiled.hostile_tables(2)
    with psycopg.connect(database, autocommit=True, row_factory=dict_row) as connection:
        for name, table in zip(NAMES, tables, strict=True):
            fill(connection, name, table, f"({quoted(table.column_names, 'text')})")
        run(
            tmp_path,
            sqlrisk.compile_sql(*NAMES, dialect="postgres", **compiled.HOSTILE_QUESTION),
            database,
        )
        rows = connection.execute(compiled.SELECT).fetchall()
    report = sqlrisk.score(*tables, **compiled.HOSTILE_QUESTION)
    compiled.assert_same(compiled.found(rows), compiled.reported(report))


@pytest.mark.slow
def test_sqlite3_runs_the_files_with_hostile_names(tmp_path: Path) -> None:
    tables = compiled.hostile_tables(2)
    with sqlite3.connect(tmp_path / "people.db") as connection:
        for name, table in zip(NAMES, tables, strict=True):
            connection.execute(f"CREATE TABLE {name} ({quoted(table.column_names)})")
            rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
            connection.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * table.num_columns)})", rows
            )
    connection.close()
    run(
        tmp_path,
        sqlrisk.compile_sql(*NAMES, dialect="sqlite", **compiled.HOSTILE_QUESTION),
        "people",
    )
    connection = sqlite3.connect(tmp_path / "people.db")
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute(compiled.SELECT)]
    connection.close()
    compiled.assert_same(
        compiled.found(found),
        compiled.reported(sqlrisk.score(*tables, **compiled.HOSTILE_QUESTION)),
    )


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_sql_leaves_levels_and_names_as_they_are(tmp_path: Path) -> None:
    """Variables that it has values for: in a level never read, in a name not with the switch."""
    import pyspark

    texts = ["${env:HOME}", "${system:user.name} $1", "it's ${spark.app.name}"]
    levels = [translate(f"SELECT {templates.literal(text)} AS x", "spark").sql for text in texts]
    named = [translate(f"SELECT 7 AS {quoted([text])}", "spark").sql for text in texts]
    names = [f"SELECT TO_JSON(STRUCT(*)) FROM ({each})" for each in named]
    (tmp_path / "levels.sql").write_text(";\n".join(levels) + ";\n", encoding="utf-8")
    (tmp_path / "both.sql").write_text(";\n".join([*levels, *names]) + ";\n", encoding="utf-8")
    programs = Path(pyspark.__file__).parent / "bin"
    where = {
        **os.environ,
        **QUICK_JAVA,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "JAVA_HOME": str(find_java()),
    }
    for command, expected in (
        ("spark-sql -f levels.sql", texts),
        (
            DIALECTS["spark"].client.replace("FILE", "both.sql"),
            [*texts, *(json.dumps({text: 7}, separators=(",", ":")) for text in texts)],
        ),
    ):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=where,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == expected
