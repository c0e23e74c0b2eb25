"""What messages advise works when it is typed, and what programs add to files on their own is no
obstacle.
"""

import gzip
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.cli.main import cli
from sqlrisk.inputs.csv_files import headers

TABLE = pd.DataFrame(
    {"town": ["Köln", "Bonn", "Bonn", "Zürich"], "age": [4, 5, 5, 6], "ill": ["y", "n", "y", "n"]}
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    TABLE.to_parquet("truth.parquet", index=False)
    return tmp_path


def numbers(
    original: str, synthetic: str = "truth.parquet", keys: str = "town,age", **more: Any
) -> list[object]:
    asked: dict[str, Any] = {"keys": keys, "targets": "ill", "measures": "UiO,iS,DiSCO"}
    with unasked():
        report = sqlrisk.score(original, synthetic, **asked, **more)
    return [(row["measure"], row["numerator"], row["denominator"]) for row in report.results]


def refusal(*asked: Any, **more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as caught:
        numbers(*asked, **more)
    assert "Köln" not in str(caught.value)
    return str(caught.value)


NAMES = ["latin1", "latin_1", "ISO-8859-1", "iso8859_1", "cp1252", "L1", "windows-1252"]


@pytest.mark.parametrize("name", some(["latin_1", "windows-1252"], NAMES))
def test_encodings_by_any_name_of_python(name: str) -> None:
    TABLE.to_stata("a.dta", write_index=False, version=117)
    TABLE.to_csv("a.csv", index=False, encoding="latin-1")
    truth = numbers("truth.parquet")
    assert (
        numbers("a.dta", encoding={"original": name})
        == truth
        == numbers("a.csv", encoding={"original": name})
    )


@pytest.mark.slow
def test_sheets_with_a_sign_in_their_names_and_years_as_headers() -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in ("Wave #1", "#", "a.xlsx#b"):
        page = book.create_sheet(name)
        page.append(["town", 2020, "ill"])
        for row in TABLE.itertuples(index=False):
            page.append([each if isinstance(each, str) else int(each) for each in row])
    book.save("a.xlsx")
    Path("odd#1").mkdir()
    book.save("odd#1/b#.xlsx")
    TABLE.rename(columns={"age": "2020"}).to_parquet("years.parquet", index=False)
    truth = numbers("years.parquet", "years.parquet", "town,2020")
    assert "name one of them, as in a.xlsx#Wave #1." in refusal(
        "a.xlsx", "years.parquet", "town,2020"
    )
    for name in ("a.xlsx#Wave #1", "a.xlsx##", "a.xlsx#a.xlsx#b", "odd#1/b#.xlsx#Wave #1"):
        assert numbers(name, "years.parquet", "town,2020") == truth


def test_files_of_other_formats_called_csv_are_known_by_their_first_bytes() -> None:
    openpyxl.Workbook().save("book.xlsx")
    data = TABLE.to_csv(index=False).encode()
    with pa.CompressedOutputStream("z.zst", "zstd") as file:
        file.write(data)
    files = {
        "call it .xlsx": Path("book.xlsx").read_bytes(),
        "call it .parquet": Path("truth.parquet").read_bytes(),
        "call it .csv.gz": gzip.compress(data),
        "call it .csv.zst": Path("z.zst").read_bytes(),
    }
    for words, content in files.items():
        for name in ("a.csv", "a.txt"):
            Path(name).write_bytes(content)
            assert words in refusal(name)
            assert words in refusal(name, encoding="latin-1")
    result = CliRunner().invoke(cli, ["score", "a.csv", "truth.parquet", "--keys", "town"])
    assert isinstance(result.exception, sqlrisk.InputError)  # which main ends with 2
    Path("a.csv").write_text("PAR1,PK,town,age,ill\n1,2,Bonn,5,n\n")  # names alone
    numbers("a.csv")


def row_names(name: str) -> str:
    table = TABLE.reset_index().rename(columns={"index": ""})
    table.to_excel(name, index=False) if name.endswith("xlsx") else table.to_csv(name, index=False)
    return name


@pytest.mark.parametrize("name", few(["a.csv", "a.csv.gz", "a.xlsx", "a.tsv"], 2))
def test_row_names_and_an_index_are_left_out_and_told(name: str) -> None:
    if name == "a.tsv":
        Path(name).write_text(
            '""\ttown\tage\till\n"1"\tKöln\t4\ty\n"2"\tBonn\t5\tn\n"3"\tBonn\t5\ty\n"4"\tZürich\t6\tn\n'
        )
    else:
        row_names(name)
    assert numbers(name) == numbers("truth.parquet") == numbers("truth.parquet", name)
    with unasked():
        report = sqlrisk.score(name, name, keys="town")
    assert report.original["row_names"] is True
    assert f"{name}: the first column, which has no name." in report.to_text()
    inputs: Any = report.manifest()["inputs"]
    assert inputs[0]["row_names"] is True
    assert sqlrisk.inspect(name, name, keys="town", targets="ill").files[0]["row_names"] is True


def write_table(name: str, mark: str, *, quoted: bool = True) -> str:
    """A table as R's write.table writes it: the header has no name for the row names."""
    quote = '"' if quoted else ""
    lines = [
        [f"{quote}{each}{quote}" if isinstance(each, str) else str(each) for each in row]
        for row in TABLE.itertuples(index=False)
    ]
    head = mark.join(f"{quote}{each}{quote}" for each in TABLE)
    rows = [
        mark.join([f"{quote}{number}{quote}", *line]) for number, line in enumerate(lines, start=1)
    ]
    Path(name).write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mark"), few([("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t"), ("a.txt", " ")])
)
@pytest.mark.parametrize("quoted", some([True], [True, False]))
def test_row_names_for_which_the_header_has_no_name(name: str, mark: str, quoted: bool) -> None:
    write_table(name, mark, quoted=quoted)
    said: Any = {"delimiter": mark} if mark == " " else {}
    assert (
        numbers(name, **said) == numbers("truth.parquet") == numbers("truth.parquet", name, **said)
    )
    with unasked():
        report = sqlrisk.score(name, name, keys="town", **said)
    assert (report.original["records"], report.original["row_names"]) == (4, True)
    assert f"{name}: the first column, which has no name." in report.to_text()
    found = sqlrisk.protect(name, name, keys="town", output="out.csv", flag=True, **said)
    assert found.left_out == [{"source": name, "row_names": True}] * 2
    assert Path("out.csv").read_text(encoding="utf-8").splitlines()[0] == mark.join(
        [*TABLE, "replicated_unique"]
    )


@pytest.mark.slow
def test_row_names_of_parts_beside_an_empty_row_and_in_a_file_that_is_not_read_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(headers, "_HEADER_BYTES", 66)  # in the third record
    text = Path(write_table("a.csv", ",")).read_text(encoding="utf-8").replace('"2"', ',"",,\n"2"')
    Path("a.csv").write_text(text, encoding="utf-8")
    Path("parts").mkdir()
    Path("parts/1.csv").write_text(text, encoding="utf-8")
    Path("parts/2.csv").write_text("town,age,ill\n", encoding="utf-8")
    for name in ("a.csv", "parts"):
        assert numbers(name) == numbers("truth.parquet")
        with unasked():
            original = sqlrisk.score(name, name, keys="town").original
        assert (original["records"], original["row_names"], original["empty_rows"]) == (4, True, 1)


@pytest.mark.parametrize(
    "rows",
    [
        "1,Bonn,5,n\nUlm,6,y\n",  # not in all of them
        "1,Bonn,5,n\n1,Ulm,6,y\n",  # there twice
        "1,Bonn,5,n\n,Ulm,6,y\n",  # not there
        "1,x,Bonn,5,n\n2,y,Ulm,6,y\n",  # two more than names
        "Bonn,5,n,y\n",  # in a row alone
    ],
)
def test_rows_that_are_longer_than_the_header_for_another_reason_are_refused(rows: str) -> None:
    Path("a.csv").write_text(f"town,age,ill\n{rows}")
    assert "has the wrong number of fields" in refusal("a.csv")


def test_a_separator_behind_each_row_makes_no_row_names() -> None:
    Path("a.csv").write_text(
        TABLE.to_csv(index=False).replace("\n", ",\n").replace("ill,", "ill"), encoding="utf-8"
    )
    assert numbers("a.csv") == numbers("truth.parquet")


@pytest.mark.parametrize(
    "head", ["town,,ill\nBonn,5,n\n", "town,age,\nBonn,5,n\n", ",,town,ill\n1,2,Bonn,n\n"]
)
def test_other_columns_without_a_name_are_refused(head: str) -> None:
    Path("a.csv").write_text(head)
    assert "'a.csv' has a column without a name." in refusal("a.csv", keys="town")


@pytest.mark.parametrize("mark", some([";", "~"], [";", ",", "|", "\t", "~"]))
@pytest.mark.parametrize("first", few(["sep={}\n", "SEP={}\r\n", "\ufeffsep={}\n"]))
def test_the_separator_that_a_file_names_is_obeyed(mark: str, first: str) -> None:
    data = first.format(mark) + TABLE.to_csv(
        index=False, sep=mark, lineterminator="\r\n" if "\r" in first else "\n"
    )
    Path("a.csv").write_bytes(data.encode())
    Path("b.csv.gz").write_bytes(gzip.compress(data.removeprefix("\ufeff").encode("utf-16")))
    assert (
        numbers("a.csv")
        == numbers("truth.parquet")
        == numbers("b.csv.gz", encoding={"original": "utf-16"})
    )
    assert (
        sqlrisk.inspect("a.csv", "a.csv", keys="town", targets="ill").files[0]["delimiter"] == mark
    )


def test_lines_are_counted_with_the_one_that_names_the_separator() -> None:
    Path("a.csv").write_text("sep=;\ntown;age;ill\nBonn;5;y\nBonn;x;n\n")
    assert "first in line 4, while" in refusal("a.csv")
    Path("a.csv").write_text("sep=;\ntown;age;ill\nBonn;5;y\nBonn;6;n;n\n")
    assert "line 4 has the wrong number of fields" in refusal("a.csv")
