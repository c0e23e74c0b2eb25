"""ClickHouse for real, inside the test process: printed and compiled SQL gives the numbers of a
run, and needs its settings.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clickhouse
import compiled
import pytest
from quickly import some

import sqlrisk
from sqlrisk.catalogue.dialects import DIALECTS

Row = tuple[Any, ...]
DEFAULTS = [f"{each.partition(' = ')[0]} = DEFAULT" for each in DIALECTS["clickhouse"].preamble]
SETTINGS: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill", "income"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clickhouse.ClickHouse]:
    """One session for the module: a process holds no more than one."""
    with clickhouse.clickhouse(tmp_path_factory.mktemp("clickhouse")) as opened:
        yield opened


@pytest.fixture
def database(server: clickhouse.ClickHouse) -> clickhouse.ClickHouse:
    """An empty database with the default settings."""
    server.run(["DROP DATABASE IF EXISTS fresh", "CREATE DATABASE fresh", "USE fresh"])
    server.run(DEFAULTS)
    return server


def printed(database: clickhouse.ClickHouse, measure: str, **settings: Any) -> dict[Row, Row]:
    """The rows of a printed script: numerator, denominator and value by point and target."""
    script = sqlrisk.sql(measure, dialect="clickhouse", **settings)
    return numbers(database.run(clickhouse.statements(script)))


def numbers(rows: list[dict[str, Any]]) -> dict[Row, Row]:
    """Rows of ClickHouse, which writes whole numbers as texts."""
    return {
        tuple(
            None if row[name] is None else float(row[name]) for name in ("point", "target")
        ): tuple(
            None if row[name] is None else float(row[name])
            for name in ("numerator", "denominator", "value")
        )
        for row in rows
        if not int(row.get("population", 0)) and not int(row.get("weighted", 0))
    }


def scored(measure: str, **settings: Any) -> dict[Row, Row]:
    """The same of a report."""
    report = sqlrisk.score(compiled.people(0), compiled.people(1), measures=[measure], **settings)
    targets = [None, *settings["targets"]]
    return {
        (row["at"], targets.index(row["target"])): (
            row["numerator"],
            row["denominator"],
            row["value"],
        )
        for row in report.results
        if row["measure"] == measure  # who is left out is told beside it
    }


PRINTED = [
    "UiO",
    "DiSCO",
    "CAP_at_least",
    "TCAP_scaled",
    "l_recursive",
    "min_DCAP_cells",
    "accuracy_GCAP",
]


def load(database: clickhouse.ClickHouse, **tables: Any) -> None:
    for name, table in tables.items():
        database.load(f"fresh.{name}", table)


@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(
    question: str, database: clickhouse.ClickHouse
) -> None:
    load(database, **compiled.tables(question))
    # A plain run counts no pools here, which double its time and are the same SQL.
    syntheses = compiled.SYNTHESES[: 1 if question == "bins" else None]
    files = compiled.compile_question(question, "clickhouse", syntheses)
    for name, text in files.items():
        if name.endswith(".sql") and "drop" not in name:
            database.run(clickhouse.statements(text))
    compiled.assert_same(
        compiled.found(database.run([compiled.SELECT])),
        compiled.reported(compiled.score_question(question, syntheses)),
    )
    database.run(DEFAULTS)  # who reads a view need not know of the settings
    compiled.assert_views(question, lambda select: database.run([select]), syntheses)
    (drop,) = [text for name, text in files.items() if "drop" in name]
    database.run(clickhouse.statements(drop))
    assert {row["name"] for row in database.run(["SHOW TABLES"])} == compiled.tables(
        question
    ).keys()


@pytest.mark.slow
@pytest.mark.parametrize("measure", some(["l_recursive"], PRINTED))
def test_a_printed_script_gives_the_number_of_a_report(
    measure: str, database: clickhouse.ClickHouse
) -> None:
    load(database, original=compiled.people(0), synthetic=compiled.people(1))
    settings = {**SETTINGS, **compiled.EXCLUSIONS}
    mine, theirs = printed(database, measure, **settings), scored(measure, **settings)
    assert mine.keys() == theirs.keys() != set()
    for place, row in theirs.items():
        assert mine[place] == tuple(
            None if each is None else pytest.approx(each, rel=1e-12) for each in row
        )


def test_without_the_settings_the_numbers_would_be_wrong(database: clickhouse.ClickHouse) -> None:
    """Why they are there: by default a join that finds nothing gives 0 or '', an empty sum 0, and
    an alias hides its column.
    """
    script = clickhouse.statements(sqlrisk.sql("baseCAPd", dialect="clickhouse", **SETTINGS))
    assert [each for each in script if each.startswith("SET ")] == list(
        DIALECTS["clickhouse"].preamble
    )
    (joined,) = database.run(
        [
            (
                "SELECT b.y AS y FROM (SELECT 1 AS x) AS a LEFT JOIN (SELECT 2 AS x, 'b' AS y) AS "
                "b ON a.x = b.x"
            )
        ]
    )
    (summed,) = database.run(["SELECT SUM(x) AS total FROM (SELECT 1 AS x) AS a WHERE x > 1"])
    (hidden,) = database.run(["SELECT 5 AS x, x + 1 AS y FROM (SELECT 1 AS x) AS a"])
    assert (joined["y"], int(summed["total"]), int(hidden["y"])) == ("", 0, 6)
    database.run(DIALECTS["clickhouse"].preamble)
    (joined,) = database.run(
        [
            (
                "SELECT b.y AS y FROM (SELECT 1 AS x) AS a LEFT JOIN (SELECT 2 AS x, 'b' AS y) AS "
                "b ON a.x = b.x"
            )
        ]
    )
    (summed,) = database.run(["SELECT SUM(x) AS total FROM (SELECT 1 AS x) AS a WHERE x > 1"])
    (hidden,) = database.run(["SELECT 5 AS x, x + 1 AS y FROM (SELECT 1 AS x) AS a"])
    assert (joined["y"], summed["total"], int(hidden["y"])) == (None, None, 2)


def test_names_and_levels_of_any_letters(database: clickhouse.ClickHouse) -> None:
    key, target = 'it\'s a "key" \\ of `mine`', "two\nlines \\n"
    names = {"sex": key, "ill": target}
    tables = [compiled.people(seed).select(list(names)).rename_columns(names) for seed in (0, 1)]
    load(database, original=tables[0], synthetic=tables[1])
    settings: dict[str, Any] = {
        "keys": [key],
        "targets": [target],
        "exclude_level": {target: ["it's", "a\\b", "two\nlines"]},
    }
    mine = printed(database, "DCAP", **settings)
    row = sqlrisk.score(*tables, **settings, measures=["DCAP"])["DCAP"].rows[0]
    assert mine == {
        (None, 1.0): (
            pytest.approx(row["numerator"], rel=1e-12),
            row["denominator"],
            pytest.approx(row["value"]),
        )
    }
    without = sqlrisk.score(*tables, keys=[key], targets=[target], measures=["DCAP"])["DCAP"].rows[
        0
    ]
    assert float(str(without["numerator"])) > float(str(row["numerator"]))  # the levels are there


@pytest.mark.slow
def test_a_measure_in_its_own_words(database: clickhouse.ClickHouse, tmp_path: Path) -> None:
    (tmp_path / "odd.sql").write_text(
        compiled.OWN.format(counted="counted_orig * (BIT_COUNT(n_orig) % 2)"), encoding="utf-8"
    )
    load(database, original=compiled.people(0), synthetic=compiled.people(1))
    settings: dict[str, Any] = {**SETTINGS, "measures_from": str(tmp_path)}
    with pytest.raises(
        sqlrisk.InputError,
        match=r"The measure Odd uses 'BIT_COUNT'.*own SQL in .*clickhouse/odd.sql",
    ):
        sqlrisk.sql("Odd", dialect="clickhouse", **settings)
    (tmp_path / "clickhouse").mkdir()
    own = tmp_path / "clickhouse" / "odd.sql"
    own.write_text(
        compiled.OWN.format(counted="counted_orig * (bitCount(toInt64(n_orig)) % 2)"),
        encoding="utf-8",
    )
    mine, theirs = printed(database, "Odd", **settings), scored("Odd", **settings)
    assert mine == {
        place: (*row[:2], pytest.approx(row[2], rel=1e-12)) for place, row in theirs.items()
    }
    assert {row[0] for row in mine.values()} != {0.0}
    assert (
        "bitCount"
        in sqlrisk.compile_sql("a", "b", dialect="clickhouse", measures=["Odd"], **settings)[
            "03_measures.sql"
        ]
    )
    own.write_text(
        compiled.OWN.format(counted="counted_orig").replace("cells", "classes"), encoding="utf-8"
    )
    with pytest.raises(
        sqlrisk.InputError,
        match=r"clickhouse/odd.sql: it must define the measure Odd, over {{ cells }}",
    ):
        sqlrisk.sql("Odd", dialect="clickhouse", **settings)
