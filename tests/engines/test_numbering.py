"""Record numbers follow the order of the input, whatever its kind; an export keeps the order that
it is asked for.
"""

import gzip
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.common.output_files import standing_in
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.sources import read_source

ROWS = 300_000


def numbers(
    given: object, column: str, *, others: Sequence[str] = (), threads: int = 2
) -> list[Any]:
    """The values of a column by record number; the numbers must be 1, 2, 3, ..."""
    with DuckDB(threads=threads) as engine:
        relation, kinds, record = engine.attach(
            read_source(given, "the original"), [column, *others], "source_0", numbered=True
        )
        engine.fix_types({relation: kinds})
        rows = engine.run(f'SELECT {record} AS record, "{column}" FROM {relation}')
    found = dict(rows)
    assert sorted(found) == list(range(1, len(rows) + 1))
    return [found[number] for number in sorted(found)]


def shuffled(rows: int, start: int = 0) -> list[int]:
    """Values whose order cannot be restored by sorting."""
    return [start + (place * 7919) % rows for place in range(rows)]


def test_a_parquet_file_of_many_row_groups(tmp_path: Path) -> None:
    values = shuffled(ROWS)
    pq.write_table(pa.table({"v": values}), tmp_path / "a.parquet", row_group_size=5_000)
    assert numbers(tmp_path / "a.parquet", "v") == values


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_parts_of_a_glob_run_on_in_sorted_path_order(tmp_path: Path, kind: str) -> None:
    parts = {
        "10": shuffled(500, 10_000),
        "9": shuffled(7),
        "[a]": shuffled(300, 20_000),
        "b": shuffled(40_000, 30_000),
    }
    for name, values in parts.items():
        table = pa.table({"v": values, f"only_{name}": values})
        path = tmp_path / f"part_{name}.{kind}"
        pq.write_table(table, path, row_group_size=1_000) if kind == "parquet" else pc.write_csv(
            table, path
        )
    expected = [value for name in ("10", "9", "[a]", "b") for value in parts[name]]
    assert numbers(f"{tmp_path}/part_*.{kind}", "v") == expected


def test_a_folder_with_partitions(tmp_path: Path) -> None:
    expected: list[tuple[int, int]] = []
    for year in (2019, 2020, 2021):
        folder = tmp_path / "data" / f"year={year}"
        folder.mkdir(parents=True)
        for part in ("a", "b"):
            values = shuffled(3_000, len(expected))
            pq.write_table(pa.table({"v": values}), folder / f"{part}.parquet", row_group_size=700)
            expected += [(value, year) for value in values]
    assert numbers(tmp_path / "data", "v", others=["year"]) == [value for value, _ in expected]
    assert numbers(tmp_path / "data", "year") == [year for _, year in expected]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", few([".csv", ".csv.gz"], 2))
def test_a_csv_file_whose_columns_change_their_type(tmp_path: Path, suffix: str) -> None:
    values, more = shuffled(300_000), "x" * 50  # 20 MB, read in parts
    text = "v,w,more\n" + "".join(f"{value},{value / 4},{more}\n" for value in values)
    (tmp_path / f"a{suffix}").write_bytes(
        gzip.compress(text.encode(), 1) if suffix.endswith("gz") else text.encode()
    )
    assert numbers(tmp_path / f"a{suffix}", "v", others=["w"]) == values


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_of_python(make: Any) -> None:
    values = shuffled(ROWS)
    assert numbers(make({"v": values, "w": values}), "v") == values


@pytest.mark.parametrize("kind", few(["parquet", "parts", "csv", "frame"], 2))
@pytest.mark.parametrize("name", few(["file_row_number", "File_Index", "ROWID", "record"], 4))
def test_a_column_with_the_name_of_a_number_of_the_engine(
    tmp_path: Path, kind: str, name: str
) -> None:
    values = shuffled(12_000)
    table = pa.table({name: values, "v": values[::-1], "record_1": values, "rowid_": values})
    given: object = table
    if kind == "csv":
        given = tmp_path / "a.csv"
        pc.write_csv(table, given)
    elif kind != "frame":
        for part in range(2 if kind == "parts" else 1):
            pq.write_table(
                table.slice(part * 5_000, 5_000), tmp_path / f"{part}.parquet", row_group_size=700
            )
        given = f"{tmp_path}/*.parquet"
        values = values[: 10_000 if kind == "parts" else 5_000]
    expected = table.column("v").to_pylist()[: len(values)]
    assert numbers(given, name, others=["v", "record_1", "rowid_"]) == values
    assert numbers(given, "v", others=[name, "record_1", "rowid_"]) == expected
    assert numbers(given, "v") == expected


def test_records_are_not_numbered_unless_asked(tmp_path: Path) -> None:
    pq.write_table(pa.table({"v": [1]}), tmp_path / "a.parquet")
    with DuckDB() as engine:
        assert (
            engine.attach(read_source(tmp_path / "a.parquet", "the original"), ["v"], "source_0")[2]
            is None
        )


# ---- export


def exported(tmp_path: Path, sql: str, path: Path, form: str, **options: Any) -> None:
    with standing_in(path) as temporary, DuckDB(temp_directory=str(tmp_path), threads=2) as engine:
        engine.output(str(temporary))
        engine.fix_types({})
        engine.export(sql, str(temporary), form, **options)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_an_export_keeps_the_order_of_its_query(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"it's [a] name\n.{form}"
    query = (
        "SELECT value, value * 2 AS double FROM RANGE(300000) AS r(value) ORDER BY value * "
        "7919 % 300000"
    )
    exported(tmp_path, query, path, form)
    table = pq.read_table(path) if form == "parquet" else pc.read_csv(path)
    assert table.column("value").to_pylist() == sorted(
        range(ROWS), key=lambda value: value * 7919 % ROWS
    )
    assert table.column_names == ["value", "double"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("compressed", [False, True])
def test_missing_and_empty_text_stay_apart_in_csv(tmp_path: Path, compressed: bool) -> None:
    query = (
        "SELECT * FROM (VALUES (1, 'a;b'), (2, ''), (3, NULL), (4, 'say \"x\"'), (5, '1,5')) "
        "AS t(n, s) ORDER BY n"
    )
    exported(tmp_path, query, tmp_path / "a", "csv", delimiter=";", compressed=compressed)
    data = (tmp_path / "a").read_bytes()
    text = (gzip.decompress(data) if compressed else data).decode()
    assert text == 'n;s\n1;"a;b"\n2;""\n3;\n4;"say ""x"""\n5;1,5\n'


def test_an_export_goes_nowhere_else(tmp_path: Path) -> None:
    with DuckDB(temp_directory=str(tmp_path)) as engine:
        engine.output(str(tmp_path / "a.csv"))
        engine.fix_types({})
        with pytest.raises(sqlrisk.EngineError):
            engine.export("SELECT 1 AS n", str(tmp_path / "b.csv"), "csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_full_disk_is_an_engine_error_with_advice(tmp_path: Path, form: str) -> None:
    with DuckDB(temp_directory=str(tmp_path)) as engine:
        engine.output("/dev/full")
        engine.fix_types({})
        with pytest.raises(sqlrisk.EngineError, match="disk space"):
            engine.export("SELECT range AS n FROM RANGE(1000000)", "/dev/full", form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_export_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "a.csv").write_text("old")

    def fail() -> None:
        with standing_in(tmp_path / "a.csv") as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.csv", "old")]


def test_the_mode_of_a_file_for_all_is_that_of_the_user(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        with standing_in(tmp_path / "a.csv", shared=True) as temporary:
            temporary.write_text("x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o640
