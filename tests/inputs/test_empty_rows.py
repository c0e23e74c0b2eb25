"""Rows that hold nothing are no records in sheets and CSV files, and files say how many there were;
long numbers in sheets.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.cli.main import cli

PEOPLE = [(1, "a", "y"), (2, "b", "n"), (2, "b", "y"), (3, None, "n")]
ASKED: dict[str, Any] = {
    "keys": ["k", "town"],
    "targets": ["t"],
    "measures": ["UiO", "iS", "Dorig"],
}
CSV = "k,town,t\n1,a,y\n2,b,n\n2,b,y\n3,,n\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(
        pa.table(dict(zip(("k", "town", "t"), map(list, zip(*PEOPLE, strict=True)), strict=True))),
        "truth.parquet",
    )
    return tmp_path


def sheet(rows: list[Any], name: str = "a.xlsx") -> str:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(name)
    return name


def numbers(original: str, synthetic: str, **more: Any) -> list[object]:
    with unasked():
        report = sqlrisk.score(original, synthetic, **ASKED, **more)
    return [
        report.original["records"],
        *((row["measure"], row["numerator"], row["denominator"]) for row in report.results),
    ]


SHEETS = {
    "at the end": [("k", "town", "t"), *PEOPLE, *[(" ", "", None)] * 3],
    "amid": [("k", "town", "t"), *PEOPLE[:2], (), (), (" ", None, "\t"), *PEOPLE[2:]],
    "before": [("k", "town", "t"), (), ("\u00a0", "", None), (None, "  ", None), *PEOPLE],
    "above the header": [
        (),
        ("", " ", ""),
        ("k", "town", "t"),
        *PEOPLE[:1],
        (),
        (),
        (),
        *PEOPLE[1:],
    ],
}


@pytest.mark.parametrize("where", few(SHEETS))
def test_empty_rows_of_a_sheet(where: str) -> None:
    name = sheet(SHEETS[where])
    truth = numbers("truth.parquet", "truth.parquet")
    assert numbers(name, "truth.parquet") == truth == numbers("truth.parquet", name)
    with unasked():
        report = sqlrisk.score(name, name, **ASKED)
    assert (report.original["empty_rows"], report.synthetic[0]["empty_rows"]) == (3, 3)


ROWS = [
    CSV + ",,\n" * 3,
    CSV.replace("2,b,n\n", '2,b,n\n,,\n"","",""\n  ,\t,\n'),
    CSV.replace("town,t\n", "town,t\n\u00a0,,\n,,\n,\u3000,\n"),
    CSV.replace("k,", "u,k,").replace("\n1", "\n,1").replace("\n2", "\n,2").replace("\n3", "\nz,3")
    + ",,,\n" * 3,
    CSV.replace(",", ";") + ";;\r\n".replace("\r", "") * 3,
]


@pytest.mark.parametrize("data", some(ROWS[1:2], ROWS))
def test_empty_rows_of_a_csv_file(data: str) -> None:
    Path("a.csv").write_text(data, encoding="utf-8")
    Path("b.csv.gz").write_bytes(gzip.compress(data.encode("utf-8")))
    Path("c.csv").write_bytes(data.encode("utf-16"))
    truth = numbers("truth.parquet", "truth.parquet")
    assert numbers("truth.parquet", "a.csv") == truth
    for name in ("a.csv", "b.csv.gz", "c.csv"):
        assert numbers(name, "truth.parquet") == truth
        found: Any = sqlrisk.inspect(name, "truth.parquet", keys=["k", "town"], targets=["t"])
        assert [each.get("empty_rows") for each in found.files] == [3, None]


def test_a_row_that_says_something_anywhere_is_a_record() -> None:
    """Also where nobody asks of that column, where its words stand for a missing value, and in a
    file that keeps types.
    """
    Path("a.csv").write_text("k,town,t,u\n1,a,y,\n,,,x\n,,,\n,NA,,\n")
    pq.write_table(
        pa.table({"k": [1, None, None], "town": ["a", None, None], "t": ["y", None, None]}),
        "b.parquet",
    )
    with unasked():
        report = sqlrisk.score("a.csv", "b.parquet", **ASKED, missing="NA")
    assert (report.original["records"], report.original["empty_rows"]) == (3, 1)
    assert report.synthetic[0]["records"] == 3
    assert "empty_rows" not in report.synthetic[0]


@pytest.mark.slow
def test_parts_and_columns_of_one() -> None:
    Path("parts").mkdir()
    for number, data in enumerate(("k,t\n1,y\n,\n2,n\n", "k,t\n,\n,\n", "t;k\nn;2\n;\n")):
        Path(f"parts/{number}.csv").write_text(data)
    with unasked():
        report = sqlrisk.score("parts", "parts", keys=["k"], targets=["t"], measures=["UiO"])
    assert (report.original["records"], report.original["empty_rows"]) == (3, 4)
    Path("one.csv").write_text('k\n1\n\n2\n""\n2\n')
    assert sqlrisk.uniques("one.csv", keys=["k"]).records == 3


@pytest.mark.slow
def test_report_manifest_and_other_commands_say_it() -> None:
    Path("a.csv").write_text(CSV + ",,\n" * 1200)
    name = sheet(SHEETS["amid"])
    with unasked():
        report = sqlrisk.score("a.csv", name, **ASKED)
    assert "a.csv: 1,200 empty rows." in report.to_text()
    assert "a.xlsx: 3 empty rows." in report.to_html()
    inputs: Any = report.manifest()["inputs"]
    assert [each["empty_rows"] for each in inputs] == [1200, 3]
    assert "empty" not in report.to_html(level="external")
    found = sqlrisk.inspect("a.csv", name, keys=["k", "town"], targets=["t"])
    assert "a.csv: 1,200 empty rows." in found.to_text()
    assert json.loads(found.to_json())["files"][1]["empty_rows"] == 3
    assert sqlrisk.uniques("a.csv", keys=["k"]).records == 4
    with unasked():
        assert (
            sqlrisk.sweep("a.csv", name, keys=["k", "town"], targets=["t"]).original["empty_rows"]
            == 1200
        )


@pytest.mark.parametrize("names", few([False, True], 2))
def test_commands_about_single_files_say_it(names: bool) -> None:
    """One sentence for each file that lacks something, in text, in JSON and in the manifest of a
    folder.
    """
    data = CSV + ",,\n" * 1200
    if names:  # such as R writes
        data = (
            "".join(f"{number or ''},{line}\n" for number, line in enumerate(CSV.splitlines()))
            + ",,,\n" * 1200
        )
    Path("a.csv").write_text(data)
    name = sheet(SHEETS["amid"])
    first = {"empty_rows": 1200, **({"row_names": True} if names else {})}
    both = [{"source": "a.csv", **first}, {"source": name, "empty_rows": 3}]
    asked: Any = {"keys": ["k", "town"]}
    one: Any = sqlrisk.uniques("a.csv", **asked)
    half = sqlrisk.split("a.csv", output="halves")
    assert one.to_dict()["file"] == {"source": "a.csv", "records": 4, "classes": 3, **first}
    assert (
        half.to_dict()["left_out"]
        == json.loads(Path("halves/split.manifest.json").read_text())["left_out"]
        == both[:1]
    )
    with unasked():
        attack = sqlrisk.attack("a.csv", name, **asked, targets=["t"], attackers=["majority"])
        protected = sqlrisk.protect("a.csv", name, **asked, output="out.csv")
        several = sqlrisk.protect("a.csv", [name, "truth.parquet"], **asked, output="out")
        original = sqlrisk.protect("a.csv", **asked, side="original", output="own.csv")
        recoded = sqlrisk.recode(
            "a.csv", name, output="recoded", **asked, column={"k": {"bands": [0, 2, 9]}}
        )
    files: Any = attack.to_dict()["files"]
    assert [
        {key: each[key] for key in each if key not in ("file", "records")} for each in files
    ] == both
    for each in (protected, several, recoded):
        assert each.left_out == both
        assert f"{name}: 3 empty rows." in each.to_text()
    assert protected.to_dict()["left_out"] == recoded.to_dict()["left_out"] == both
    assert original.to_dict()["left_out"] == both[:1]
    assert (
        json.loads(Path("recoded/recode.manifest.json").read_text())["inputs"][0]["empty_rows"]
        == 1200
    )
    words = "a.csv: 1,200 empty rows" + (
        " and the first column, which has no name." if names else "."
    )
    for result in (one, half, attack, protected, several, original, recoded):
        assert words in " ".join(result.to_text(width=200).split())
        assert words in " ".join(result.to_markdown().split())
    for path in ("out.csv", "own.csv", "halves/a_in.csv", "recoded/a.csv"):
        assert ",,\n" not in Path(path).read_text()
    plain = sqlrisk.protect("truth.parquet", "truth.parquet", **asked, output="plain.csv")
    assert plain.left_out == []
    assert "left_out" not in plain.to_dict()


@pytest.mark.parametrize(
    ("number", "text"),
    few(
        [
            (1234567890123451, "1234567890123451"),
            (2**53, "9007199254740992"),
            (-(2**53) + 1, "-9007199254740991"),
            (100000, "100000"),
            (0.1, "0.1"),
            (0.1234567890123456, "0.1234567890123456"),  # openpyxl writes no more digits
            (1e22, "1e+22"),
            (2.5e-7, "2.5e-07"),
        ]
    ),
)
def test_a_number_in_a_column_of_text_is_all_its_digits(number: float, text: str) -> None:
    name = sheet([("k", "t"), (number, 1), ("none", 1)])
    pq.write_table(pa.table({"k": [text, "none"], "t": [1, 1]}), "b.parquet")
    with unasked():
        report = sqlrisk.score(name, "b.parquet", keys=["k"], targets=["t"], measures=["iS"])
    assert report.results[0]["numerator"] == 2


def test_long_numbers_that_differ_stay_apart() -> None:
    name = sheet([("k", "t"), (1234567890123451, 1), (1234567890123452, 1), ("none", 1)])
    assert sqlrisk.uniques(name, keys=["k"]).uniques == 3


@pytest.mark.parametrize("original", ["original.csv", "original.parquet"])
def test_a_column_of_a_sheet_without_values_goes_with_any_type(original: str) -> None:
    pq.write_table(pa.table({"k": [3, 4], "t": ["a", "b"]}), "original.parquet")
    for name, mark in (("original.csv", ".0"), ("made.csv", "")):
        Path(name).write_text(f"k,t\n3{mark},a\n4{mark},b\n")
    blank = sheet([("k", "t"), (None, "a"), ("NA", "b")])
    asked: dict[str, Any] = {"keys": ["k"], "targets": ["t"], "measures": ["repU"]}
    with unasked():
        found = sqlrisk.score(original, ["made.csv", blank], missing=["NA"], **asked)
    assert [row["numerator"] for row in found["repU"].rows[:2]] == [2, 0]


@pytest.mark.parametrize("values", [[3, "x"], ["x", 3]])
def test_a_part_without_values_of_a_column_goes_with_the_others(values: list[Any]) -> None:
    Path("sheets").mkdir()
    Path("typed").mkdir()
    for number, column in enumerate(([None, None], values, [None, None])):
        sheet([("k", "t"), *((each, 1) for each in column)], f"sheets/{number}.xlsx")
        texts = [each and str(each) for each in column]
        pq.write_table(pa.table({"k": texts}), f"typed/{number}.parquet")
    for folder in ("sheets", "typed"):
        assert sqlrisk.uniques(folder, keys=["k"]).uniques == 2


@pytest.mark.slow
@pytest.mark.parametrize("words", few([["NA", "-9"], ["-9", ".", "NA"]]))
def test_words_for_missing_values_are_taken_out_of_a_sheet_before_its_types(
    words: list[str],
) -> None:
    rows = [(1, "a", "y"), (2.5, "NA", "n"), ("NA", "b", "n"), (-9, "b", "y"), (None, "c", ".")]
    name = sheet([("k", "town", "t"), *rows])
    columns = {
        "k": [1, 2.5, None, None, None],
        "town": ["a", None, "b", "b", "c"],
        "t": ["y", "n", "n", "y", "."],
    }
    pq.write_table(pa.table(columns), "b.parquet")
    truth, said = numbers("b.parquet", "b.parquet", missing=words), {"missing": words}
    assert numbers(name, "b.parquet", **said) == truth == numbers("b.parquet", name, **said)
    assert numbers(name, name, **said, bins={"k": 2}) == numbers(
        "b.parquet", "b.parquet", **said, bins={"k": 2}
    )
    dictionary = {
        "column": {
            "k": {"missing": words},
            "town": {"missing": ["NA"]},
            "t": {"missing": [word for word in words if word == "."]},
        }
    }
    assert numbers(name, "b.parquet", **dictionary) == truth
    recoded = CliRunner().invoke(
        cli,
        [
            "recode",
            name,
            "b.parquet",
            "-o",
            "out",
            "--keys",
            "k",
            "--column",
            "k.bands=0,2,9",
            "--missing",
            "NA,-9",
        ],
    )
    assert recoded.exit_code == 0, recoded.output
    assert [pq.read_table(f"out/{each}.parquet")["k"].null_count for each in "ab"] == [3, 3]
