"""Files that other programs wrote: every value is what another reader reads, or what was written,
and so are the numbers.
"""

import datetime as dt
import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.engines.formats import stat_files
from sqlrisk.engines.formats.streams import stored
from sqlrisk.inputs.sources import read_source

DATA = Path(__file__).resolve().parents[1] / "data"  # its README says where each file is from


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in DATA.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "iris.sas7bdat").write_bytes(
        gzip.decompress((DATA / "iris.sas7bdat.gz").read_bytes())
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def people(town: str) -> pa.Table:
    """The records of people.sps, without the values that it declares missing; ``town`` is what it
    calls Cologne.
    """
    half, new_year = dt.time(6, 30), moment("2000-01-01T00:00:03")
    eve, spring = moment("1999-12-31T23:59:58"), dt.date(1980, 3, 1)
    rows: list[tuple[Any, ...]] = [
        (1, -2.5, town, spring, eve, half, 0),
        (1, 12.25, town, dt.date(2000, 2, 29), eve, half, 0),
        (2, 12.25, "Bonn", spring, new_year, dt.time(23, 59, 59), 1),
        (2, -2.5, "Bonn", spring, new_year, dt.time(7, 15, 30), 1),
        (2, None, town, dt.date(1582, 10, 15), moment("1900-03-15T12:00:00"), None, None),
        (3, None, "Bonn", None, None, dt.time(0), None),
        (None, 96.0, None, dt.date(2024, 12, 31), moment("2000-02-29T00:00:00"), half, 1),
        (None, 0.125, "", dt.date(1600, 1, 1), eve, half, None),
    ]
    names = ("sex", "income", "town", "born", "seen", "woke", "ill")
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


def values(table: pa.Table) -> dict[str, list[Any]]:
    return {name: table[name].to_pylist() for name in table.column_names}


def by_pandas(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


# what is in a file, its keys and its targets
TRUTHS: dict[str, tuple[Callable[[], pa.Table], str, str]] = {
    "iris.sas7bdat": (
        lambda: by_pandas(pd.read_sas("iris.sas7bdat", encoding="ascii")),
        "Sepal_Length,Petal_Width", "Species,Petal_Length",
    ),
    "iris.dta": (lambda: by_pandas(pd.read_stata("iris.dta")), "sepallength,petalwidth",
        "species,petallength"),
    "rows.xpt": (lambda: by_pandas(pd.read_sas("rows.xpt", encoding="ascii")), "irow,trow", "frow"),
    "people.sav": (lambda: people("Köln"), "sex,town,born", "ill,income,seen,woke"),
    "people.zsav": (lambda: people("Köln"), "sex,town,born", "ill,income,seen,woke"),
    "people.por": (
        lambda: pa.table({name.upper(): column for name,
            column in values(people("Cologne")).items()}),
        "SEX,TOWN,BORN", "ILL,INCOME,SEEN,WOKE",
    ),
}  # fmt: skip


@pytest.mark.parametrize("least", some([3], [1000, 3]))  # records of a piece
@pytest.mark.parametrize("name", some(["iris.sas7bdat"], TRUTHS))
def test_a_file_of_another_program(name: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_files, "_LEAST_ROWS", least)
    made, keys, targets = TRUTHS[name]
    truth = made()
    read = stored(read_source(name, "the original"), 2**20 if least > 3 else 1, stat_files)
    assert values(pa.table(read)) == values(truth)
    pq.write_table(truth, "truth.parquet")
    asked: dict[str, Any] = {
        "keys": keys,
        "targets": targets,
        "exclude_missing": targets,
        "measures": "identity,attribute,cap",
    }
    with unasked():
        counted = [
            sqlrisk.score(*files, **asked).results
            for files in (
                ("truth.parquet", "truth.parquet"),
                (name, "truth.parquet"),
                ("truth.parquet", name),
                (name, name),
            )
        ]
    assert len(counted[0]) > 20
    assert counted[1:] == counted[:1] * 3


def test_labels_and_missing_values_of_another_program() -> None:
    for name in ("people.sav", "people.zsav"):
        found = sqlrisk.inspect(name, name, keys="sex,town", targets="ill,income")
        told = [
            (row["column"], row["code"], row["label"], row["records"])
            for row in found.missing[: len(found.missing) // 2]
        ]
        assert told == [
            ("sex", "9", None, 1), ("town", "a b", None, 1), ("ill", "-8", "Not asked", 1),
            ("ill", "-9", "Refused", 1),
            ("income", "97 to 99", None, 2),
        ]  # fmt: skip
        assert found.labels == {"sex": "Sex at birth", "ill": "Ill since a year"}
        shown = sqlrisk.cells("DiSCO", name, name, keys="sex,town", targets="ill")
        assert [row[:4] for row in shown.rows][:2] == [
            ("Female", "Bonn", "ill", "Yes"),
            ("Male", "Cologne", "ill", "No"),
        ]


def test_letters_that_a_portable_file_cannot_hold_are_no_level() -> None:
    Path("people.por").write_bytes(
        Path("people.por").read_bytes().replace(b"Bonn", "Bönn".encode("latin-1"))
    )
    with pytest.raises(
        sqlrisk.InputError,
        match=r"The column 'TOWN' of 'people\.por' holds letters that a portable file",
    ) as caught:
        sqlrisk.score("people.por", "people.por", keys="SEX,TOWN", targets="ILL")
    assert "B" not in str(caught.value)
    assert sqlrisk.score("people.por", "people.por", keys="SEX", targets="ILL").results


def by_duckdb(name: str) -> None:
    mark = "\t" if name.endswith(".tsv") else "|" if name.endswith(".txt") else ","
    packed = {"gz": "gzip", "zst": "zstd"}.get(name.rpartition(".")[2], "none")
    duckdb.sql(
        f"COPY (FROM 'truth.parquet') TO '{name}' (FORMAT csv, HEADER, DELIMITER '{mark}', "
        f"COMPRESSION {packed})"
    )


def by_frame(name: str) -> None:
    table = pd.read_parquet("truth.parquet", dtype_backend="pyarrow")
    text = table.to_csv(
        index=False, sep="\t" if name.endswith(".tsv") else ",", lineterminator="\r\n"
    )
    with pa.output_stream(name, compression="detect") as file:
        file.write(text.encode())


@pytest.mark.parametrize("write", few([by_duckdb, by_frame], 2))
@pytest.mark.parametrize(
    "name", some(["a.csv.gz", "a.txt"], ["a.csv", "a.csv.gz", "a.csv.zst", "a.tsv", "a.txt"])
)
def test_text_files_of_the_library_and_of_another(name: str, write: Callable[[str], None]) -> None:
    pq.write_table(people("Köln").select(["sex", "income", "ill"]), "truth.parquet")
    write(name)
    asked: dict[str, Any] = {"keys": "sex,income", "targets": "ill", "measures": "UiO,iS,DiSCO"}
    truth = sqlrisk.score("truth.parquet", "truth.parquet", **asked).results
    assert sqlrisk.score(name, "truth.parquet", **asked).results == truth
    assert sqlrisk.score("truth.parquet", name, **asked).results == truth
