"""Levels keep the order that the user's table gives them, wherever they are listed; no number
changes.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from quickly import some
from unassessed import unasked

import sqlrisk
from sqlrisk.inputs.columns.level_orders import MOST, order_of
from sqlrisk.inputs.sources import Source

ORDER = ["none", "school", "college", "a degree"]
LEVELS = ["college", "none", None, "a degree", "school", "none", "a degree", "college"]
ILL = ["yes", "no", "no", "no", "yes", "no", "yes", "no"]
ASKED: dict[str, Any] = {
    "keys": ["age"],
    "targets": ["ill"],
    "by": ["school"],
    "measures": ["UiO", "repU", "DiSCO"],
}


def plain(levels: list[str | None] = LEVELS) -> pd.DataFrame:
    """A table whose levels are text, in no order."""
    return pd.DataFrame({"school": levels, "age": [30, 31, 31, 40, 41, 42, 43, 43], "ill": ILL})


def pandas_table(order: list[str]) -> pd.DataFrame:
    return plain().assign(school=pd.Categorical(LEVELS, order, ordered=True))


def pandas_table_with_names(order: list[str]) -> pd.DataFrame:
    return pandas_table(order).set_index(pd.Index([*"abcdefgh"], name="person"))


def polars_table(order: list[str]) -> pl.DataFrame:
    return pl.from_pandas(plain()).with_columns(pl.Series("school", LEVELS, dtype=pl.Enum(order)))


def arrow_table(order: list[str]) -> pa.Table:
    codes = pa.array([None if level is None else order.index(level) for level in LEVELS], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, order, ordered=True)
    table = pa.Table.from_pandas(plain())
    return table.set_column(0, pa.field("school", column.type), column)


def narwhals_table(order: list[str]) -> nw.DataFrame[Any]:
    return nw.from_native(pandas_table(order))


def arrow_batch(order: list[str]) -> pa.RecordBatch:
    return arrow_table(order).to_batches()[0]


def arrow_file(order: list[str]) -> str:
    feather.write_feather(arrow_table(order), "school.feather")
    return "school.feather"


def arrow_stream(order: list[str]) -> str:
    table = arrow_table(order)
    with pa.OSFile("school.arrow", "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    return "school.arrow"


KINDS: list[Callable[[list[str]], Any]] = [
    pandas_table,
    pandas_table_with_names,
    polars_table,
    arrow_table,
    narwhals_table,
    arrow_batch,
    arrow_file,
    arrow_stream,
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for the files of a test."""
    monkeypatch.chdir(tmp_path)


def groups(original: object, synthetic: object, **more: Any) -> list[str]:
    """The populations of a report, in its order."""
    with unasked():
        report = sqlrisk.score(original, synthetic, **{**ASKED, **more})
    return [
        name.removeprefix("school=")
        for name in dict.fromkeys(str(row["population"]) for row in report.results)
    ]


@pytest.mark.parametrize("kind", some([pandas_table_with_names], KINDS))
def test_levels_are_listed_in_the_order_of_the_table(kind: Callable[[list[str]], Any]) -> None:
    ours = kind(ORDER)
    assert groups(plain(), plain()) == [
        "all",
        "school missing",
        "a degree",
        "college",
        "none",
        "school",
    ]
    assert groups(ours, plain()) == groups(ours, ours) == ["all", "school missing", *ORDER]
    asked: dict[str, Any] = {"keys": ["school", "ill"], "targets": ["age"]}
    listed = [row[:2] for row in sqlrisk.cells("UiO", ours, ours, **asked).rows]
    assert listed == [
        (None, "no"), ("college", "no"), ("a degree", "no"), ("school", "yes"), ("college", "yes"),
        ("a degree", "yes")
    ]  # fmt: skip
    sqlrisk.score(ours, plain(), **asked, measures="UiO", save="run.duckdb")
    assert sqlrisk.query(
        "run.duckdb", "SELECT level FROM labels_k1 WHERE code > 0 ORDER BY code"
    ).rows == [(each,) for each in ORDER]


def test_no_level_is_in_the_sql_of_a_manifest() -> None:
    ours = pandas_table(ORDER)
    statements = json.dumps(sqlrisk.score(ours, ours, **ASKED).manifest()["sql"])
    assert "order_" in statements
    assert [level for level in ORDER if f"'{level}'" in statements] == []


def test_a_script_names_the_order_and_the_baseline_to_load() -> None:
    shares = pa.table({"level": ORDER, "share": [0.1, 0.2, 0.3, 0.4]})
    feather.write_feather(shares, "shares.feather")
    files = [arrow_file(ORDER)] * 2
    asked: dict[str, Any] = {"keys": "ill", "targets": "school"}
    asked["baseline"] = {"school": "shares.feather"}
    script = sqlrisk.sql("t_closeness_ordered", *files, **asked)
    assert (
        "\n-- No database can read 'shares.feather': load it first as baseline_1 "
        '("level", "share")\n'
    ) in script
    ((order, columns),) = re.findall(
        r"^-- Load the order of the levels of school first as (\w+) \((.*)\), with places from 1$",
        script,
        re.MULTILINE,
    )
    con = duckdb.connect()
    con.register("baseline_1", shares)
    con.execute(f"CREATE TABLE {order} ({columns})")
    con.executemany(f"INSERT INTO {order} VALUES (?, ?)", [*zip(ORDER, range(1, 5), strict=True)])
    for number in (0, 1):
        con.register(f"source_{number}", pa.Table.from_pandas(plain()))
    found = con.execute(script).fetchall()
    (row,) = sqlrisk.score(*files, **asked, measures="t_closeness_ordered").results
    assert [each[-1] for each in found] == [row["value"]]


@pytest.mark.parametrize("kind", some([polars_table], KINDS))
def test_no_number_changes(kind: Callable[[list[str]], Any]) -> None:
    ours, theirs = (
        sqlrisk.score(table, plain(), **ASKED).results for table in (kind(ORDER), plain())
    )
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))


def test_of_two_orders_that_of_the_original_holds() -> None:
    other = pandas_table(ORDER[::-1])
    assert groups(pandas_table(ORDER), other)[2:] == ORDER
    assert groups(other, pandas_table(ORDER))[2:] == ORDER[::-1]
    assert groups(plain(), other)[2:] == ORDER[::-1]
    assert groups(pandas_table(sorted(ORDER)), other)[2:] == sorted(ORDER)


def test_levels_that_the_order_lacks_come_last() -> None:
    more = plain(
        [level and {"none": "at home", "school": "zoo"}.get(level, level) for level in LEVELS]
    )
    assert groups(more, pandas_table(ORDER))[2:] == ["college", "a degree", "at home", "zoo"]


def test_what_has_no_order_is_sorted() -> None:
    tables = [
        plain().assign(school=pd.Categorical(LEVELS, ORDER)),
        pl.from_pandas(plain()).with_columns(pl.Series("school", LEVELS, dtype=pl.Categorical)),
        pa.table(pandas_table(ORDER)).to_reader(),
        pandas_table([*ORDER, *map(str, range(MOST))]),
    ]
    assert [order_of("school", [Source("table", "frame", frame=table)]) for table in tables] == [
        ()
    ] * len(tables)
    assert order_of("school", [Source("table", "frame", frame=plain()[["age"]])]) == ()


def test_categories_of_numbers_keep_their_order_unless_numbers_are_compared() -> None:
    def ages(order: list[int]) -> pd.DataFrame:
        return plain().assign(
            school=pd.Categorical([3, 1, None, 2, 1, 3, 2, 2], order, ordered=True)
        )

    tables = ages([3, 1, 2]), ages([3, 1, 2])
    assert groups(*tables)[2:] == ["3", "1", "2"]
    assert groups(*tables, keys=["age", "school"], within="school=1", by=["school"])[2:] == [
        "1",
        "2",
        "3",
    ]
    near: dict[str, Any] = {
        "keys": ["age", "school"],
        "targets": ["ill"],
        "within": {"school": "1"},
        "measures": ["near_keys"],
    }
    found, expected = (
        sqlrisk.score(table, table, **near).results for table in (tables[0], ages([1, 2, 3]))
    )
    assert found == expected
    bins: dict[str, Any] = {"keys": ["age", "school"], "by": ["school"], "bins": "school=2"}
    assert groups(*tables, **bins)[2:] == ["[1,2)", "[2,3]"]


def test_groups_stand_where_the_first_of_their_levels_does() -> None:
    column: dict[str, Any] = {"school": {"merge": {"taught": ["college", "school"]}}}
    assert groups(pandas_table(ORDER), plain(), column=column)[2:] == ["none", "taught", "a degree"]
    asked: dict[str, Any] = {"column": column, "population": "learnt: school = taught"}
    assert groups(pandas_table(ORDER), plain(), **asked)[1:] == [
        "learnt",
        "school missing",
        "none",
        "taught",
        "a degree",
    ]
    column = {"age": {"bottom": 31, "top": 43}}
    assert groups(plain(), plain(), column=column, by=["age"])[1:] == [
        f"age={level}" for level in ("<31", 31, 40, 41, 42, "43+")
    ]
