"""The stages of a plan, as `sqlrisk sql --stages` lists them."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlrisk
from sqlrisk.cli.main import main
from sqlrisk.engines import duckdb_sources

SQL = Path(__file__).resolve().parents[3] / "sql"
PLAIN: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["income"]}


def test_stages_are_listed_in_their_order() -> None:
    text = sqlrisk.sql(stages=True, **PLAIN)
    lines = text.splitlines()
    assert lines[0] == "  1. original, synthetic_1 --> levels_k1"
    assert re.fullmatch(r" +stages/[\w/]*levels.sql < stages/[\w/]*values.sql", lines[1])
    assert lines[2].startswith(
        "     one row per value of one column, with its code in the order of the column's "
        "categories, else by "
    )
    made = re.findall(r"^ *\d+\. .* --> (\w+)", text, re.MULTILINE)
    assert [
        each for each in made if each in ("records", "classes", "cells_t1", "cell_parts", "results")
    ] == [
        *("records", "classes", "cells_t1", "cell_parts", "results", "results"),
    ]
    for path in re.findall(r"\w+/[\w/]+\.sql", text):
        assert (SQL / path).is_file()


def test_a_stage_is_made_before_it_is_read() -> None:
    made = {"original", "synthetic_1"}
    for reads, makes in re.findall(
        r"^ *\d+\. (.*) --> (\w+)", sqlrisk.sql(stages=True, **PLAIN), re.MULTILINE
    ):
        assert set(reads.split(", ")) <= made
        made.add(makes)


def test_the_stages_of_a_measure_are_those_of_its_script() -> None:
    listed = sqlrisk.sql("UiO", stages=True, **PLAIN)
    script = sqlrisk.sql("UiO", **PLAIN)
    made = set(re.findall(r" --> (\w+)", listed))
    assert made == set(re.findall(r"CREATE TABLE (\w+)", script))
    assert "cells_t1" not in made
    (left,) = re.findall(r"It leaves the tables ([^:]*): drop", script.replace("\n-- ", " "))
    dropped = re.findall(r"DROP TABLE (\w+)", script)
    assert {*left.split(", ")} == made - {*dropped}


def test_a_script_names_the_tables_and_views_that_it_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_sources, "_TOGETHER", 1)  # the CSV file counts as wide
    people = tmp_path / "people" / "region=north"
    people.mkdir(parents=True)
    days = [date(2020, 1, 1), date(2020, 1, 2)]
    pq.write_table(pa.table({"born": days, "ill": days}), people / "a.parquet")
    made = tmp_path / "made.csv"
    made.write_text("region,born,ill\nnorth,2020-01-01,2020-01-02\n", encoding="utf-8")
    script = sqlrisk.sql("UiO", people.parent, made, keys="region,born", targets="ill")
    said = re.search(
        r"It leaves the tables (.*) and the views (.*): drop", script.replace("\n-- ", " ")
    )
    con = duckdb.connect()
    con.execute(script)
    assert said is not None
    for kind, names in zip(("table", "view"), said.groups(), strict=True):
        left = con.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE NOT internal")
        assert {name for (name,) in left.fetchall()} == {*names.split(", ")}
    assert said[2] == "source_0"
    assert "DROP TABLE source_1_untyped" in script


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "--stages", "--keys", "sex,age", "--targets", "income"])
    assert capsys.readouterr().out == sqlrisk.sql(stages=True, **PLAIN)
    with pytest.raises(sqlrisk.InputError, match="--one prints one SELECT"):
        sqlrisk.sql("DiSCO", stages=True, one=True, **PLAIN)


def test_a_measure_of_one_s_own_is_listed_if_none_is_named(tmp_path: Path) -> None:
    own = sqlrisk.measures()["t_closeness"].sql.replace('"t_closeness"', '"mine"')
    (tmp_path / "mine.sql").write_text(own, encoding="utf-8")
    how: dict[str, Any] = {**PLAIN, "stages": True, "measures_from": str(tmp_path)}
    listed = sqlrisk.sql(**how)
    assert listed == sqlrisk.sql(**how, measures=["identity", "attribute", "cap", "own"])
    assert len(listed) > len(sqlrisk.sql(**PLAIN, stages=True))


@pytest.mark.parametrize(
    ("measure", "asked"),
    [
        ("DiSCO", {}),
        ("DiSCO", {"targets": ["ill"], "exclude_level": {"ill": ["no"]}}),
        ("CAP_within", {"within": "income=10"}),
    ],
)
def test_an_example_stands_only_for_what_is_not_given(measure: str, asked: dict[str, Any]) -> None:
    assert sqlrisk.sql(measure, **asked) == sqlrisk.sql(measure, **{**PLAIN, **asked})


def test_a_measure_is_needed_for_its_sql() -> None:
    with pytest.raises(sqlrisk.InputError, match="Name a measure"):
        sqlrisk.sql(**PLAIN)
