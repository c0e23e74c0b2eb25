"""SQL in the dialects of databases: golden files, read back by two parsers; names and levels
survive; the unknown is refused.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import forks
import pytest
import snapshots
import sqlglot
from processes import sqlrisk as command_line
from processes import without
from quickly import few
from sqlglot import exp

import sqlrisk
from sqlrisk.catalogue.dialects import AS_THEY_ARE, DIALECTS, NOT_RUN
from sqlrisk.catalogue.translation import translate, write

OTHERS = [name for name in DIALECTS if name != "duckdb"]
NOT_HERE = ["databricks", "snowflake", "bigquery", "redshift", "trino", "tsql"]
LEVELS = ["it's", "a\\b", "trailing\\", "two\nlines", "naïve – Zürich", "{{ x }}"]
# Bins (windows, range joins), levels of every kind, a tolerance, a measure made of others, risky
# cells.
SCENARIO: dict[str, Any] = {
    "keys": ['my "key"', "age"],
    "targets": ["ill", "income"],
    "bins": {"age": 3},
    "special": {"age": ["-8"]},
    "exclude_level": {"ill": LEVELS},
    "exclude_missing": ['my "key"', "ill"],
    "within": {"income": "5%"},
    "within_floor": {"income": "0.5"},
    "measures": ["UiO", "DCAP_scaled", "CAP_within"],
    "types": 'income="DECIMAL(10,2)"',
    "scratch": "work",
}


@cache
def compiled(dialect: str) -> dict[str, str]:
    more = {"types": "income=DOUBLE"} if dialect == "sqlite" else {}  # it has no decimals
    return sqlrisk.compile_sql(
        "shop.people", "shop.synthetic", dialect=dialect, **{**SCENARIO, **more}
    )


def sql_of(dialect: str) -> dict[str, str]:
    """The files of SQL, without the README beside them."""
    return {name: text for name, text in compiled(dialect).items() if name.endswith(".sql")}


def statements(text: str) -> list[str]:
    """The statements of a file, each with its comments."""
    return [f"{each.rstrip(chr(10) + ';')};\n" for each in text.split(";\n\n")]


def test_the_golden_files() -> None:
    plain = compiled("duckdb")
    others = snapshots.differences(plain, {dialect: compiled(dialect) for dialect in OTHERS})
    for name, text in {
        **{f"duckdb/{name}": text for name, text in plain.items()},
        "dialects.txt": others,
    }.items():
        snapshots.compare(name, text)
    assert {path.name for path in (snapshots.GOLDEN / "duckdb").iterdir()} == plain.keys()


def test_every_dialect_says_whether_it_was_run() -> None:
    assert [name for name, each in DIALECTS.items() if not each.run] == NOT_HERE
    for dialect in DIALECTS:
        for name, text in compiled(dialect).items():
            assert (NOT_RUN in text) is (dialect in NOT_HERE), (dialect, name)


@pytest.mark.parametrize("dialect", few(DIALECTS))
def test_sqlglot_reads_every_file(dialect: str) -> None:
    kinds = set()
    for text in sql_of(dialect).values():
        trees = sqlglot.parse(text, read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
        assert len(trees) == len(statements(text))
        kinds |= {type(tree) for tree in trees}
        # Nothing was taken for a command that is not understood, but that of the time zone in three
        # dialects.
        assert {
            tree.sql(dialect, comments=False) for tree in trees if isinstance(tree, exp.Command)
        } <= {DIALECTS[dialect].zone}
    assert {exp.Insert, exp.Drop, exp.Select} <= kinds


@pytest.mark.slow
@pytest.mark.parametrize("dialect", NOT_HERE)
def test_sqlfluff_reads_every_file(dialect: str) -> None:
    """What a database here runs, in other tests, needs no second reader."""
    from sqlfluff.core import FluffConfig, Linter

    linter = Linter(
        config=FluffConfig(
            overrides={"dialect": dialect, "large_file_skip_byte_limit": 0, "templater": "raw"}
        )
    )
    seen = set()
    for name, text in sql_of(dialect).items():
        for statement in statements(text):
            form = re.sub(r"\d+", "", statement)
            if form in seen or (dialect, DIALECTS[dialect].zone) == (
                "trino",
                statement.strip(" ;\n").rpartition("\n")[2],
            ):
                continue  # the same but for numbers; sqlfluff does not know the time zone of Trino
            seen.add(form)
            parsed = linter.parse_string(statement)
            assert parsed.tree is not None
            assert [each.raw for each in parsed.tree.recursive_crawl("unparsable")] == [], name
            assert [str(each) for each in parsed.violations] == []
    assert len(seen) > 20


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_means_itself(dialect: str, level: str) -> None:
    """Read as the database reads it, the text is the level again."""
    literal = " || CHR(10) || ".join(
        "'" + part.replace("'", "''") + "'" for part in level.split("\n")
    )
    written = translate(f"SELECT x FROM t WHERE x = {literal}", dialect).sql
    comparison = sqlglot.parse_one(written, read=dialect).find(exp.EQ)
    assert comparison is not None
    assert text_of(comparison.expression) == level


def text_of(node: Any) -> str:
    """What an expression of constant texts comes to."""
    match node:
        case exp.Paren() | exp.Cast():
            return text_of(node.this)
        case exp.DPipe() | exp.Add():
            return text_of(node.this) + text_of(node.expression)
        case exp.Concat():
            return "".join(map(text_of, node.expressions))
        case exp.Chr():
            return chr(int(node.expressions[0].name))
        case exp.Literal() | exp.National():
            return str(node.this)
    raise AssertionError(repr(node))


@pytest.mark.parametrize("dialect", OTHERS)
def test_a_column_name_means_itself(dialect: str) -> None:
    for name in ('a "b"', "it's", "c [d] e", "f`g", "h\\i", "select"):
        quoted = name.replace('"', '""')
        written = translate(f'SELECT "{quoted}" AS x FROM t', dialect).sql
        column = sqlglot.parse_one(written, read=dialect).find(exp.Column)
        assert column is not None
        assert column.name == name, (dialect, written)


@pytest.mark.parametrize("dialect", OTHERS)
def test_nan_is_asked_for_in_the_words_of_the_database(dialect: str) -> None:
    written = translate("SELECT CASE WHEN ISNAN(x) THEN 1 END AS y FROM t", dialect).sql
    words = {
        "postgres": "x = CAST('NaN' AS DOUBLE PRECISION)",
        "redshift": "x = CAST('NaN' AS DOUBLE PRECISION)",
        "snowflake": "x = CAST('NaN' AS DOUBLE)", "spark": "ISNAN(x)", "databricks": "ISNAN(x)",
        "clickhouse": "isNaN(x)",
        "bigquery": "IS_NAN(x)", "trino": "IS_NAN(x)", "tsql": "1 = 0", "sqlite": "1 = 0",
    }  # fmt: skip
    assert f"WHEN {words[dialect]} THEN" in written


@pytest.mark.parametrize(
    ("dialect", "sql", "part"),
    [
        ("bigquery", "SELECT CAST(x AS DECIMAL(38, 2)) AS y FROM t", "CAST(x AS BIGNUMERIC)"),
        ("bigquery", "SELECT x % 3 AS y FROM t", "MOD(x, 3)"),
        ("bigquery", "SELECT MIN(x) OVER (PARTITION BY y, z) AS y, COUNT(*) OVER () AS n FROM t",
            "(PARTITION BY CAST(y AS STRING), CAST(z AS STRING)) AS y, COUNT(*) OVER () AS n"),
        ("tsql", "SELECT LN(x) AS y, COUNT(*) AS n FROM t", "LOG(x) AS y, COUNT_BIG(*) AS n"),
        ("tsql", "SELECT x FROM t WHERE x = 'ü'", "N'ü'"),
        ("tsql", ("SELECT SUM(x) OVER (ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT "
                 "ROW) AS z FROM t"),
         "ORDER BY CASE WHEN y IS NULL THEN 1 ELSE 0 END, y ROWS BETWEEN"),
        ("tsql", "SELECT x FROM t ORDER BY x LIMIT 3", "SELECT TOP 3"),
        ("tsql", "SELECT CASE WHEN x = 1 THEN TRUE ELSE FALSE END AS y FROM t",
            "CASE WHEN x = 1 THEN CAST(1 AS BIT) ELSE CAST(0 AS BIT) END AS y"),
        ("tsql", "SELECT x FROM t WHERE y < TRUE OR TRUE", "WHERE y < CAST(1 AS BIT) OR (1 = 1)"),
        ("tsql", "SELECT CAST(x AS VARCHAR) AS y FROM t", "CONVERT(NVARCHAR(MAX), x, 121) AS y"),
        ("tsql", "SELECT CAST(CAST(x AS VARCHAR) AS DOUBLE) AS y FROM t",
            "CAST(CONVERT(NVARCHAR(MAX), x, 1) AS FLOAT) AS y"),
        ("tsql", "SELECT CAST(NULL AS VARCHAR) AS y FROM t", "CAST(NULL AS NVARCHAR(MAX)) AS y"),
        *((dialect, "SELECT 'a' AS y, CASE WHEN x = 1 THEN 'b' END AS z FROM t",
            f"CAST('a' AS {wide}) AS y, CASE WHEN x = 1 THEN CAST('b' AS {wide}) END AS z")
          for dialect, wide in (("tsql", "NVARCHAR(MAX)"), ("redshift", "VARCHAR(MAX)"),
                                ("snowflake", "VARCHAR"), ("trino", "VARCHAR"))),
        ("clickhouse", "SELECT 300 AS x, COUNT(*) - 1 AS n FROM t",
            "CAST(300 AS Nullable(Int64)) AS x, CAST(COUNT(*) AS"),
        ("postgres", "SELECT CAST(x AS HUGEINT) AS y FROM t", "DECIMAL(38, 0)"),
        ("postgres", 'SELECT CAST(NULL AS "NULL") AS y FROM t', "CAST(NULL AS TEXT)"),
        ("postgres", "SELECT CAST(CAST(x AS DATE) AS VARCHAR) AS y FROM t",
            "|| '-' || LPAD(CAST(EXTRACT(DAY FROM CAST(x AS DATE)) AS TEXT), 2, '0') AS y"),
        ("spark", "SELECT ROW_NUMBER() OVER () AS n FROM t", "MONOTONICALLY_INCREASING_ID() AS n"),
    ],
)  # fmt: skip
def test_what_sqlglot_alone_gets_wrong(dialect: str, sql: str, part: str) -> None:
    assert part in translate(sql, dialect, own=AS_THEY_ARE).sql


def test_sql_server_has_every_step_of_a_with_before_the_statement() -> None:
    sql = (
        "CREATE TABLE m AS SELECT MAX(x) AS y FROM (WITH a AS (SELECT x FROM t), b AS (SELECT x "
        "FROM a) SELECT x FROM b) AS c"
    )
    steps, _, query = write(translate(sql, "tsql"), "tsql", "m").partition(
        "\nSELECT * INTO m FROM (\n"
    )
    assert steps.startswith("WITH a AS (SELECT")
    assert ", b AS (SELECT" in steps
    assert query.startswith("SELECT MAX(x)")
    assert "WITH" not in query


@pytest.mark.parametrize(("rare", "level"), [({}, "{}"), ({"rare": 2}, "COALESCE(label, {})")])
def test_sql_server_shows_all_digits_of_a_number(rare: dict[str, Any], level: str) -> None:
    settings: dict[str, Any] = {"keys": "age", "targets": "income", "measures": "DiSCO"}
    settings |= {"types": "income=DOUBLE", "column": {"income": {"label": "Income", **rare}}}
    views = sqlrisk.compile_sql("people", "synthetic", dialect="tsql", **settings)["06_views.sql"]
    value = "value" if rare else "t1.value"
    assert level.format(f"FORMAT(CAST({value} AS FLOAT), 'R', 'en-US')") in views


@pytest.mark.parametrize(
    "construct",
    ["MEDIAN(x)", "x // 2", "ROUND(x)", "STRFTIME(x, '%Y')", "LIST(x)", "x IS DISTINCT FROM 1"],
)
def test_what_is_not_known_to_be_right_is_refused(construct: str) -> None:
    with pytest.raises(sqlrisk.InputError, match="is not known to mean the same in snowflake"):
        translate(f"SELECT {construct} AS y FROM t", "snowflake")


def test_days_are_counted_where_there_are_dates() -> None:
    settings: dict[str, Any] = {
        "keys": "born,sex",
        "targets": "ill",
        "within": "born=3d",
        "types": "born=DATE",
    }
    with pytest.raises(
        sqlrisk.InputError,
        match="SQLite has no date type, so a date cannot have a tolerance there; store it as a "
        "number",
    ):
        sqlrisk.compile_sql("people", "synthetic", dialect="sqlite", **settings)


@pytest.mark.slow
def test_days_are_counted_elsewhere() -> None:
    settings: dict[str, Any] = {
        "keys": "born,sex",
        "targets": "ill",
        "within": "born=3d",
        "types": "born=DATE",
    }
    for counting in (
        "postgres",
        "clickhouse",
        "spark",
        "duckdb",
        "snowflake",
        "bigquery",
        "redshift",
        "trino",
        "tsql",
    ):
        assert sqlrisk.compile_sql("people", "synthetic", dialect=counting, **settings)


def test_sqlite_has_no_decimals() -> None:
    with pytest.raises(sqlrisk.InputError, match=r"no decimal type.*--types income=DOUBLE"):
        sqlrisk.compile_sql(
            "people", "synthetic", dialect="sqlite", **{**SCENARIO, "scratch": None}
        )


def test_a_script_is_printed_in_a_dialect() -> None:
    done = forks.run("sql", "DiSCO", "--keys", "age", "--targets", "ill", "--dialect", "bigquery")
    assert done.stdout.startswith("-- DiSCO: ")
    assert f"-- BigQuery: {NOT_RUN}" in done.stdout
    assert all(sqlglot.parse(done.stdout, read="bigquery"))


def test_an_unknown_dialect_and_files_are_refused() -> None:
    with pytest.raises(
        sqlrisk.InputError, match=r"no dialect 'postgresql' \(did you mean 'postgres'\?\)"
    ):
        sqlrisk.sql("DiSCO", dialect="postgresql")
    with pytest.raises(sqlrisk.InputError, match="Trino cannot read files as DuckDB does"):
        sqlrisk.sql(
            "DiSCO", "none.parquet", "none.parquet", dialect="trino", keys=["a"], targets=["b"]
        )


def test_without_sqlglot_the_message_says_what_to_install(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"folder": tmp_path, "program": without("sqlglot")}
    assert command_line("sql", "DiSCO", **asked).status == 0
    done = command_line("sql", "DiSCO", "--dialect", "trino", **asked)
    assert done.status == 2
    assert "need the package sqlglot: pip install 'sqlglot" in done.err
