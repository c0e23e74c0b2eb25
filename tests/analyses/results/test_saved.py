"""A saved run: its tables and views agree with the report, and query, cells and lookup read it
without scoring again.
"""

import random
import stat
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.saved_runs import SavedRun
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask

SETTINGS: dict[str, Any] = {
    "keys": ["sex", "age", "record"],
    "targets": ["ill", "level"],
    "bins": {"age": 4, "level": 2},
    "special": {"age": ["-8"]},
    "exclude_missing": ["ill"],
    "measures": "identity,attribute,cap,protection",
}


def file(seed: int, rows: int = 300) -> pa.Table:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
            "age": rng.choices([-8, None, *range(20, 90, 3)], k=rows),
            "record": rng.choices("abcdef", k=rows),  # a name that the views need themselves
            "ill": rng.choices(["y", "n", None], [2, 6, 1], k=rows),
            "level": rng.choices([1, 2, 3, 4], k=rows),
            "weight": rng.choices([1.0, 2.0], k=rows),
        }
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, sqlrisk.Report]:
    folder = tmp_path_factory.mktemp("saved")
    for seed in (1, 2, 3):
        pq.write_table(file(seed), folder / f"{seed}.parquet")
    synthetic = [folder / "2.parquet", folder / "3.parquet"]
    report = sqlrisk.score(
        folder / "1.parquet",
        synthetic,
        save=str(folder / "risk.duckdb"),
        by="sex",
        weights="weight",
        control=file(5),
        **SETTINGS,
    )
    return folder, report


def ask_it(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in sqlrisk.query(str(folder / "risk.duckdb"), sql).rows]


def test_it_is_a_database_of_its_owner_alone(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, _ = saved
    assert stat.S_IMODE((folder / "risk.duckdb").stat().st_mode) == 0o600
    # any DuckDB opens it
    with duckdb.connect(folder / "risk.duckdb", read_only=True) as connection:
        assert connection.execute("SELECT COUNT(*) FROM record_risk").fetchall() == [(900,)]
        tables = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    assert {
        "classes",
        "records",
        "cells_t1",
        "cells_t2",
        "levels_k1",
        "columns",
        "risky_disco",
        "replicated_uniques",
    } <= tables


def test_results_are_those_of_the_report(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, report = saved
    found = ask_it(folder, "SELECT * FROM results")
    rows = [tuple(row.values()) for row in report.results]
    assert sorted(found, key=repr) == sorted(rows, key=repr)


@pytest.mark.parametrize("measure", few(["DiSCO", "Dorig", "TCAP", "Dsyn"], 2))
@pytest.mark.parametrize("synthesis", few(["2", "pooled 1-2"], 2))
def test_risky_views_hold_the_cells_of_the_measure(
    saved: tuple[Path, sqlrisk.Report], measure: str, synthesis: str
) -> None:
    folder, report = saved
    count = "n_syn" if measure == "Dsyn" else "n_orig"
    view = f"risky_{measure.lower()}"
    found = dict(
        ask_it(
            folder,
            f"SELECT target, SUM({count})::BIGINT FROM {view} WHERE synthesis = '{synthesis}' "
            "GROUP BY ALL",
        )
    )
    expected = {
        row["target"]: row["numerator"]
        for row in report[measure]
        if (row["synthesis"], row["population"], row["people"], row["weighted"])
        == (synthesis, "all", "original", False)
    }
    assert found == expected


def test_people_are_readable(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, report = saved
    rows = ask_it(
        folder, "SELECT sex, age, key_record, ill, target_level FROM people ORDER BY record"
    )
    for row, person in zip(rows, file(1).to_pylist(), strict=True):
        assert (row[0], row[2], row[3]) == (person["sex"], person["record"], person["ill"])
        assert person["age"] is None or person["age"] == -8 or row[1][0] == "["
        assert {-8: "-8", None: None}.get(person["age"], row[1]) == row[1]
    uniques = ask_it(folder, "SELECT synthesis, COUNT(*) FROM replicated_uniques GROUP BY ALL")
    expected = {
        row["synthesis"]: row["numerator"]
        for row in report["repU"]
        if row["numerator"] is not None
        and (row["population"], row["people"], row["weighted"]) == ("all", "original", False)
    }
    assert dict(uniques) == expected


@pytest.mark.parametrize("measure", few(["DiSCO", "repU", "Dsyn"]))
def test_cells_read_it_without_rescoring(saved: tuple[Path, sqlrisk.Report], measure: str) -> None:
    folder, _ = saved
    synthetic = [str(folder / "2.parquet"), str(folder / "3.parquet")]
    scored = sqlrisk.cells(
        measure, folder / "1.parquet", synthetic, synthesis="2", limit=30, **SETTINGS
    )
    assert (
        sqlrisk.cells(measure, str(folder / "risk.duckdb"), synthesis="2", limit=30).rows
        == scored.rows
    )
    with pytest.raises(sqlrisk.InputError, match="its own files and settings"):
        sqlrisk.cells(measure, str(folder / "risk.duckdb"), keys=["sex"])
    with pytest.raises(sqlrisk.InputError, match="There is no synthesis '9'"):
        sqlrisk.cells(measure, str(folder / "risk.duckdb"), synthesis="9")


def test_lookup_finds_the_bin(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, _ = saved
    found = sqlrisk.lookup(
        str(folder / "risk.duckdb"), key={"age": "33", "sex": "f"}, targets=["ill"]
    )
    low, high = ask_it(
        folder, "SELECT DISTINCT low, high FROM levels_k2 WHERE 33 >= low AND 33 < high"
    )[0]
    for number in (1, 2):
        inside = [
            row["ill"]
            for row in file(number + 1).to_pylist()
            if row["sex"] == "f" and row["age"] not in (None, -8) and low <= row["age"] < high
        ]
        rows = [row for row in found.rows if row[1] == str(number)]
        assert {row[3]: row[4] for row in rows} == {
            level: inside.count(level) for level in set(inside)
        }
        assert {row[2] for row in rows} == {0}
        assert sum(row[5] for row in rows) == pytest.approx(100)


def test_lookup_in_a_saved_run_falls_back_to_the_nearest(
    saved: tuple[Path, sqlrisk.Report],
) -> None:
    folder, _ = saved
    found = sqlrisk.lookup(
        str(folder / "risk.duckdb"), key={"age": "33", "sex": "x"}, targets=["ill"]
    )
    low, high = ask_it(
        folder, "SELECT DISTINCT low, high FROM levels_k2 WHERE 33 >= low AND 33 < high"
    )[0]
    for number in (1, 2):
        ages = [(row["age"], row["ill"]) for row in file(number + 1).to_pylist()]
        inside = [ill for age, ill in ages if age not in (None, -8) and low <= age < high]
        rows = [row for row in found.rows if row[1] == str(number)]
        assert {row[3]: row[4] for row in rows} == {
            level: inside.count(level) for level in set(inside)
        }
        assert {row[2] for row in rows} == {1}


def test_lookup_in_files(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, _ = saved
    found = sqlrisk.lookup(str(folder / "2.parquet"), key=["age=32,record=a"], targets="ill")
    inside = [
        row["ill"] for row in file(2).to_pylist() if row["age"] == 32 and row["record"] == "a"
    ]
    assert inside
    assert {row[3]: row[4] for row in found.rows} == {
        level: inside.count(level) for level in set(inside)
    }
    missing = sqlrisk.lookup(str(folder / "2.parquet"), missing="age,sex", targets="ill")
    assert sum(row[4] for row in missing.rows) == sum(
        row["age"] is None and row["sex"] is None for row in file(2).to_pylist()
    )
    near = sqlrisk.lookup(str(folder / "2.parquet"), key={"age": "1", "record": "a"}, targets="ill")
    inside = [row["ill"] for row in file(2).to_pylist() if row["record"] == "a"]
    assert {row[3]: row[4] for row in near.rows} == {
        level: inside.count(level) for level in set(inside)
    }
    assert {row[2] for row in near.rows} == {1}
    assert near.title == (
        "What an intruder would see: no synthetic record has these keys; the nearest differ "
        "in 1 of 2 keys"
    )
    for key, message in (
        ({"aeg": 1}, "no such column 'aeg' in every file .did you mean 'age'"),
        ({"age": "x"}, "cannot be one of its levels"),
        (["age"], "'age' needs a level"),
        (["age=1", "age=2"], "named twice"),
        ([], "at least one key"),
    ):
        with pytest.raises(sqlrisk.InputError, match=message):
            sqlrisk.lookup(str(folder / "2.parquet"), key=key)


def test_lookup_writes_levels_of_any_type_as_in_files(tmp_path: Path) -> None:
    table, saved = str(tmp_path / "a.parquet"), str(tmp_path / "run.duckdb")
    levels = {
        "flag": (True, "true"),
        "count": (3, "3"),
        "pay": (1234567.5, "1234567.5"),
        "debt": (Decimal("1.50"), "1.50"),
    }
    held = {name: [level] * 2 for name, (level, _) in levels.items()}
    pq.write_table(pa.table({"sex": ["f", "m"], **held}), table)
    sqlrisk.score(table, table, keys="sex", measures="DiSCO", save=saved)
    for source in (saved, table):
        found = sqlrisk.lookup(source, key={"sex": "f"})
        assert {row[0]: row[3] for row in found.rows} == {
            name: text for name, (_, text) in levels.items()
        }


@pytest.mark.slow
def test_passes_save_the_same(saved: tuple[Path, sqlrisk.Report]) -> None:
    folder, _ = saved

    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 4

    question = ask(
        str(folder / "1.parquet"), [str(folder / "2.parquet"), str(folder / "3.parquet")], SETTINGS
    )
    with (folder / "passes.duckdb").open("wb") as out, Passes() as engine:
        scoring.score(question, Session(engine), place=SavedRun(out))
    for sql in (
        "FROM record_risk ORDER BY ALL",
        "FROM risky_dorig ORDER BY ALL",
        "SELECT COUNT(*) FROM classes WHERE n_orig > 0",
    ):
        assert (
            sqlrisk.query(str(folder / "passes.duckdb"), sql).rows
            == sqlrisk.query(str(folder / "risk.duckdb"), sql).rows
        )


@pytest.mark.parametrize(
    "statement",
    few(["DROP TABLE classes", "CREATE TABLE saved.x AS SELECT 1", "UPDATE results SET value = 0",
        "COPY results TO 'out.csv'",
     "SELECT * FROM '{folder}/1.parquet'", "ATTACH '{folder}/new.duckdb'", "INSTALL httpfs",
     "SELECT nothing FROM classes",
     "SELEC 1", "SELECT CAST(sex AS INTEGER) FROM people"], 9),
)  # fmt: skip
def test_it_cannot_be_changed_nor_anything_else_be_read(
    saved: tuple[Path, sqlrisk.Report], statement: str
) -> None:
    folder, _ = saved
    before = (folder / "risk.duckdb").read_bytes()
    with pytest.raises(sqlrisk.InputError, match="The query cannot be run") as caught:
        sqlrisk.query(str(folder / "risk.duckdb"), statement.format(folder=folder))
    assert "'f'" not in str(caught.value)
    assert (folder / "risk.duckdb").read_bytes() == before
    assert not (folder / "new.duckdb").exists()


def test_a_file_that_is_no_saved_run(tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("nothing")
    with duckdb.connect(tmp_path / "other.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    for name, message in (
        ("text", "cannot be opened"),
        ("other", "was not saved by sqlrisk"),
        ("none", "There is no file"),
    ):
        with pytest.raises(sqlrisk.InputError, match=message):
            sqlrisk.query(str(tmp_path / f"{name}.duckdb"), "SELECT 1")


def test_a_bad_place_is_found_before_the_run(
    saved: tuple[Path, sqlrisk.Report], tmp_path: Path
) -> None:
    folder, _ = saved
    for place, message in (
        (tmp_path / "risk.db", "must end in .duckdb"),
        (tmp_path / "no" / "risk.duckdb", "does not exist"),
    ):
        with pytest.raises(sqlrisk.InputError, match=message):
            sqlrisk.score(
                str(folder / "1.parquet"), str(folder / "2.parquet"), save=str(place), **SETTINGS
            )
    assert list(tmp_path.iterdir()) == []
