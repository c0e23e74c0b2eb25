"""CSV files that other programs write: their encodings, separators, decimals, quotes and
compressions, file by file.
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.cli.main import cli

SECRET = "Kowalska"
TOWNS = ["Łódź", "Kraków", "Kraków", "Żywiec", "Gdańsk"]
INCOME = [1.5, 2.25, 2.25, -3.0, 1e6]
POLISH = (
    "town;income;ill\nŁódź;1,5;yes\nKraków;2,25;no\nKraków;2,25;no\nŻywiec;-3;yes\nGdańsk;1e6;no\n"
)
HEAD = b"town,income,ill\n"
MEASURES = ["UiO", "iS", "DiSCO", "DCAP"]
TRUTH = pa.table({"town": TOWNS, "income": INCOME, "ill": ["yes", "no", "no", "yes", "no"]})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(TRUTH, "truth.parquet")
    return tmp_path


def numbers(original: Any, synthetic: Any, **more: Any) -> list[tuple[object, ...]]:
    """Score by measures of keys and of levels, which a wrong reading would change."""
    asked = {"keys": ["town", "income"], "targets": ["ill"], "measures": MEASURES}
    with unasked():
        report = sqlrisk.score(original, synthetic, **{**asked, **more})
    return [
        (row["measure"], row["target"], row["numerator"], row["denominator"])
        for row in report.results
    ]


def refusal(**more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as caught:
        numbers("truth.parquet", "a.csv", **more)
    assert SECRET not in str(caught.value)
    return str(caught.value)


ENCODINGS = ["windows-1250", "iso-8859-2", "utf-16", "utf-16-le", "utf-16-be", "utf-8", "cp852"]


def zstd(data: bytes, path: str) -> None:
    with pa.CompressedOutputStream(path, "zstd") as file:
        file.write(data)


@pytest.mark.slow
@pytest.mark.parametrize("ends", some(["\r\n"], ["\n", "\r\n"]))
@pytest.mark.parametrize("encoding", some(["windows-1250", "utf-16-le"], ENCODINGS))
def test_the_numbers_are_those_of_parquet_in_any_encoding(encoding: str, ends: str) -> None:
    data = POLISH.replace("\n", ends).encode(encoding)
    Path("a.csv").write_bytes(data)
    Path("a.csv.gz").write_bytes(gzip.compress(data))
    zstd(data, "a.csv.zst")
    truth = numbers("truth.parquet", "truth.parquet")
    for files in (
        ("truth.parquet", "a.csv"),
        ("a.csv", "truth.parquet"),
        ("a.csv.gz", "a.csv.zst"),
        ("a.csv.zst", "a.csv.gz"),
    ):
        assert numbers(*files, encoding=encoding, decimal=",") == truth


def test_a_folder_keeps_its_compressed_parts() -> None:
    Path("parts").mkdir()
    Path("parts/1.csv").write_bytes(HEAD + b"a,1,yes\n")
    Path("parts/2.csv.gz").write_bytes(gzip.compress(HEAD + b"b,1,yes\n"))
    zstd(HEAD + b"c,1,yes\n", "parts/3.csv.zst")
    Path("parts/README.txt").write_text("notes")
    assert sqlrisk.uniques("parts", keys=["town"]).records == 3


def test_a_file_of_many_pieces_in_an_encoding_of_several_bytes() -> None:
    towns = [f"{'ó' * (i % 7)}{i}" for i in range(200_000)]
    data = "town,income,ill\n" + "".join(f"{town},1,yes\n" for town in towns)
    Path("a.csv").write_bytes(data.encode("utf-16-be"))
    pq.write_table(
        pa.table({"town": towns, "income": [1] * len(towns), "ill": ["yes"] * len(towns)}),
        "b.parquet",
    )
    asked: dict[str, Any] = {"measures": ["repU", "UiO"]}
    assert numbers("a.csv", "b.parquet", encoding="original=utf-16-be", **asked) == numbers(
        "b.parquet", "b.parquet", **asked
    )


@pytest.mark.slow
def test_utf_16_and_utf_32_are_known_by_their_mark() -> None:
    truth = numbers("truth.parquet", "truth.parquet")
    for encoding in ("utf-16", "utf-32"):
        Path("a.csv").write_bytes(POLISH.encode(encoding))
        assert numbers("truth.parquet", "a.csv", decimal=",") == truth


@pytest.mark.parametrize(
    ("name", "data", "said"),
    few(
        [
            ("a.tsv", POLISH.replace(";", "\t"), {"decimal": ","}),
            (
                "a.tab",
                POLISH.replace(";", "\t").replace("town", "town, of birth, or none"),
                {"decimal": ","},
            ),
            ("a.txt", POLISH.replace(";", "|"), {"decimal": ","}),
            ("a.txt", POLISH.replace(";", "~"), {"decimal": ",", "delimiter": "~"}),
            ("a.csv", POLISH.replace(";", "\t"), {"decimal": ",", "delimiter": "tab"}),
            ("a.csv", POLISH.replace("Łódź", "'Łódź'"), {"decimal": ",", "quote": "'"}),
            (
                "a.csv",
                POLISH.replace("town;income", "'to;wn';income"),
                {"decimal": ",", "quote": "'"},
            ),
            ("a.csv", POLISH.replace(",", ".").replace(";", ","), {}),
        ]
    ),
)
def test_how_files_are_written(name: str, data: str, said: dict[str, str]) -> None:
    Path(name).write_text(data)
    column = {"a.tab": "town, of birth, or none"}.get(name, "to;wn" if "to;wn" in data else "town")
    report = sqlrisk.score(
        name, name, keys=[column, "income"], targets=["ill"], measures=["UiO"], **said
    )
    assert [row["numerator"] for row in report.results] == [3]
    typed = sqlrisk.inspect(name, name, keys=[column, "income"], targets=["ill"], **said)
    assert {row["column"]: row["type"] for row in typed.columns} == {
        column: "VARCHAR",
        "income": "DOUBLE",
        "ill": "VARCHAR",
    }


def test_a_quote_is_text_where_none_quotes() -> None:
    Path("a.csv").write_text('town,income,ill\n"a,1,yes\na",2,no\n')
    pq.write_table(
        pa.table({"town": ['"a', 'a"'], "income": [1, 2], "ill": ["yes", "no"]}), "b.parquet"
    )
    assert numbers("a.csv", "b.parquet", quote="none") == numbers("b.parquet", "b.parquet")


def test_a_comma_is_a_decimal_in_columns_of_numbers_alone() -> None:
    Path("a.csv").write_text("town;income;ill\n1,5;1,50;yes\n1.5;2;no\n")
    report = sqlrisk.inspect(
        "a.csv", "a.csv", keys=["town", "income"], targets=["ill"], decimal=","
    )
    types = {row["column"]: row["type"] for row in report.columns}
    assert types == {"town": "VARCHAR", "income": "DOUBLE", "ill": "VARCHAR"}
    pq.write_table(
        pa.table({"town": ["1,5", "1.5"], "income": [1.5, 2.0], "ill": ["yes", "no"]}), "b.parquet"
    )
    assert numbers("a.csv", "b.parquet", decimal=",") == numbers("b.parquet", "b.parquet")


@pytest.mark.slow
def test_every_file_may_be_written_in_its_own_way() -> None:
    Path("a.csv").write_bytes(POLISH.encode("windows-1250"))
    Path("b.csv").write_text(POLISH.replace(",", ".").replace(";", ","))
    Path("c.csv").write_bytes(POLISH.encode("utf-16"))
    truth = numbers("truth.parquet", ["truth.parquet", "truth.parquet"])
    said = {
        "encoding": {"original": "windows-1250", "c.csv": "utf-16"},
        "decimal": {"all": ",", "b.csv": "."},
    }
    assert numbers("a.csv", ["b.csv", "c.csv"], **said) == truth
    lines = {"encoding": ["original=windows-1250", "c.csv=utf-16"], "decimal": [",", "b.csv=."]}
    assert numbers("a.csv", ["b.csv", "c.csv"], **lines) == truth
    settings = (
        "original = 'a.csv'\nsynthetic = ['b.csv', 'c.csv']\nkeys = ['town', "
        f"'income']\ntargets = ['ill']\nmeasures = {MEASURES}\n"
    )
    written = (
        "decimal = { all = ',', 'b.csv' = '.' }\n[encoding]\noriginal = "
        "'windows-1250'\n'c.csv' = 'utf-16'\n"
    )
    Path("folder").mkdir()
    Path("folder/scenario.toml").write_text(
        (settings + written)
        .replace("'a.csv'\n", "'../a.csv'\n")
        .replace("['b.csv', 'c.csv']", "['../b.csv', '../c.csv']")
    )
    report = sqlrisk.score(scenario="folder/scenario.toml")
    assert [
        (row["measure"], row["target"], row["numerator"], row["denominator"])
        for row in report.results
    ] == truth
    assert report.scenario["decimal"] == {"all": ",", "b.csv": "."}


@pytest.mark.parametrize(
    ("data", "said", "words"),
    [
        (POLISH, {"encoding": "utf-9"}, ["encoding", "'utf-9'", "latin-1"]),
        (POLISH, {"encoding": "base64"}, ["encoding", "'base64'"]),
        (POLISH, {"encoding": "z.csv=utf-8"}, ["encoding", "'z.csv'", "a.csv", "not a file"]),
        (POLISH, {"encoding": ["utf-8", "utf-8"]}, ["encoding", "twice"]),
        (POLISH, {"delimiter": ";;"}, ["delimiter", "one character", "';;'"]),
        (POLISH, {"decimal": "x"}, ["decimal", "comma or a point"]),
        (POLISH, {"quote": "ab"}, ["quote", "none"]),
        (f"town,income,ill\na,1,no\n{SECRET}€,1,no\n".encode("windows-1252"), {},
            ["line 3", "not UTF-8", "--encoding"]),
        (HEAD + f"a,1,no\n{SECRET}\x98,1,no\n".encode("latin-1"), {"encoding": "windows-1250"},
            ["line 3", "name its encoding"]),
        (HEAD + b"a,1,no\n" * 900_000 + SECRET.encode() + b"\x98,1,no\n",
            {"encoding": "windows-1250"}, ["line 900002"]),
        (f"town,income,ill\na,1,no\n{SECRET},1,no\n".encode("utf-16")[:-1], {},
            ["line 3", "utf-16"]),
        (f"town,income,ill\na,1,no\n{SECRET}é,1,no\n".encode(), {"encoding": "ascii"},
            ["line 3", "ascii"]),
        (f"town;income;ill\na;1,5;no\n{SECRET};x;no\n" * 9, {"decimal": ","}, ["income", "line 3"]),
    ],
)  # fmt: skip
def test_bad_files(data: str | bytes, said: dict[str, Any], words: list[str]) -> None:
    Path("a.csv").write_bytes(data.encode() if isinstance(data, str) else data)
    message = refusal(**said)
    assert [word for word in words if word not in message] == [], message


def test_lookup_takes_no_option_for_another_file() -> None:
    Path("a.csv").write_text(POLISH)
    said = r"decimal: 'b\.csv' is not a file of this question"
    with pytest.raises(sqlrisk.InputError, match=said):
        sqlrisk.lookup("a.csv", key={"town": "Kraków"}, decimal="b.csv=,")


BESIDE: dict[str, Callable[[], object]] = {
    "cells": lambda: sqlrisk.cells("DiSCO", scenario="s.toml").rows,
    "protect": lambda: sqlrisk.protect(scenario="s.toml", output="out.csv").records,
    "sweep": lambda: sqlrisk.sweep(scenario="s.toml", key_length=1).subsets,
    "tabulate": lambda: sqlrisk.tabulate("raab", scenario="s.toml").rows,
}


@pytest.mark.parametrize("name", few(BESIDE, 4))
def test_a_scenario_file_may_say_how_a_universe_is_written_that_is_not_read(name: str) -> None:
    files = 'original = "truth.parquet"\nsynthetic = "truth.parquet"\nuniverse = "all.csv"\n'
    said = f'{files}keys = ["town"]\ntargets = ["ill"]\n'
    Path("s.toml").write_text(said)
    plain = BESIDE[name]()
    Path("out.csv").unlink(missing_ok=True)
    Path("s.toml").write_text(f'{said}delimiter = {{ "all.csv" = ";" }}\n')
    assert BESIDE[name]() == plain
    Path("out.csv").unlink(missing_ok=True)
    Path("s.toml").write_text(f'{said}delimiter = {{ "al.csv" = ";" }}\n')
    with pytest.raises(sqlrisk.InputError, match=r"delimiter: 'al\.csv' is not a file of this"):
        BESIDE[name]()


def test_protecting_the_original_needs_no_other_file_of_the_scenario() -> None:
    Path("a.csv").write_bytes(POLISH.encode("windows-1250"))
    Path("s.toml").write_text(
        'original = "a.csv"\nsynthetic = "draws/*.csv"\nkeys = ["town"]\n'
        'encoding = { original = "windows-1250", "draw_1.csv" = "utf-16" }\n'
    )
    done = sqlrisk.protect(scenario="s.toml", side="original", output="out.csv")
    assert (done.records, done.singled_out) == (5, 3)
    assert Path("out.csv").read_text() == "town;income;ill\n" + "Kraków;2,25;no\n" * 2


@pytest.mark.parametrize("suffix", few(["gz", "zst"], 2))
@pytest.mark.parametrize("cut", [None, -9])
def test_a_broken_compression(suffix: str, cut: int | None) -> None:
    name, data = f"a.csv.{suffix}", (POLISH * 500).encode()
    if suffix == "gz":
        Path(name).write_bytes(gzip.compress(data))
    else:
        zstd(data, name)
    Path(name).write_bytes(Path(name).read_bytes()[:cut] if cut else data)
    for said in ({}, {"encoding": "windows-1250"}):
        with pytest.raises(
            sqlrisk.InputError, match=r"(?s)a\.csv\.(gz|zst).*(damaged|broken|line)"
        ):
            numbers("truth.parquet", name, **said)


@pytest.mark.slow
def test_the_command_line_and_other_functions_take_them() -> None:
    Path("a.csv").write_bytes(POLISH.encode("windows-1250"))
    said = ["--encoding", "windows-1250", "--decimal", ",", "--delimiter", ";", "--quote", "none"]
    asked = ["--keys", "town,income"]
    for command in (
        ["score", "a.csv", "a.csv", "--targets", "ill", *asked],
        ["inspect", "a.csv", "a.csv", "--targets", "ill", *asked],
        ["uniques", "a.csv", *asked],
        ["init", "a.csv", "a.csv", "-o", "scenario.toml"],
        ["lookup", "a.csv", "--key", "town=Łódź"],
        ["attack", "a.csv", "a.csv", "--targets", "ill", *asked],
        ["reference", "a.csv", "--targets", "ill", *asked],
        ["protect", "a.csv", "a.csv", "-o", "out.csv", *asked],
    ):
        result = CliRunner().invoke(cli, [*command, *said])
        assert result.exit_code in (0, 1), result.output
        assert "Error" not in result.output, result.output
    assert 'encoding.all = "windows-1250"' in Path("scenario.toml").read_text()
    assert sqlrisk.score(scenario="scenario.toml").original["records"] == 5
    # The released file is UTF-8; its texts are those that it had.
    assert Path("out.csv").read_text().splitlines() == [
        "town;income;ill",
        "Kraków;2,25;no",
        "Kraków;2,25;no",
    ]


def test_how_files_were_read_is_told() -> None:
    Path("a.csv").write_bytes(POLISH.encode("windows-1250"))
    Path("b.tsv").write_bytes(POLISH.replace(";", "\t").encode("utf-16"))
    asked: dict[str, Any] = {
        "keys": ["town", "income"],
        "targets": ["ill"],
        "decimal": ",",
        "encoding": {"a.csv": "windows-1250"},
    }
    seen = sqlrisk.inspect("a.csv", ["b.tsv", "truth.parquet"], **asked)
    form = {"format": "CSV", "decimal": ",", "quote": '"'}
    assert seen.files == [
        {"file": "a.csv", **form, "encoding": "windows-1250", "delimiter": ";"},
        {"file": "b.tsv", **form, "encoding": "utf-16", "delimiter": "\t"},
        {"file": "truth.parquet", "format": "Parquet"},
    ]
    assert json.loads(seen.to_json())["files"] == seen.files
    assert "windows-1250" in seen.to_text()
    inputs: Any = sqlrisk.score("a.csv", "b.tsv", **asked).manifest()["inputs"]
    assert [each["csv"]["encoding"] for each in inputs] == ["windows-1250", "utf-16"]


DAYS = ["1999-12-31", "2000-02-29", "2000-03-01", None, "2021-03-31"]
NEXT = ["2000-01-01", "2000-03-01", "2000-03-02", None, "2021-04-01"]


def born(days: list[str | None], path: str, kind: pa.DataType | None = None) -> str:
    """Write a file of people by their birthdays: as text, or as a type."""
    column = pa.array(days)
    table = pa.table(
        {"born": column if kind is None else column.cast(kind), "ill": ["y", "n", "n", "y", "n"]}
    )
    pq.write_table(table, path) if path.endswith("parquet") else pyarrow.csv.write_csv(table, path)
    return path


@pytest.mark.parametrize("kind", few([pa.date32(), pa.timestamp("us")], 2))
def test_dates_of_a_csv_file_meet_those_of_a_file_that_keeps_types(kind: pa.DataType) -> None:
    clock = "" if kind == pa.date32() else " 10:15:30.5"
    ours, theirs = ([day and day + clock for day in days] for days in (DAYS, NEXT))
    plain: dict[str, Any] = {"keys": ["born"], "targets": ["ill"], "measures": ["repU", "DiSCO"]}
    asked: dict[str, Any] = {**plain, "measures": ["repU", "near_keys"], "within": {"born": "1d"}}
    typed = [born(days, path, kind) for days, path in ((ours, "a.parquet"), (theirs, "b.parquet"))]
    texts = [born(days, path) for days, path in ((ours, "a.csv"), (theirs, "b.csv"))]
    expected = sqlrisk.score(*typed, **asked)
    assert (expected["repU"].rows[0]["numerator"], expected["repU_near"].rows[0]["numerator"]) == (
        2,
        4,
    )
    for pair in ([typed[0], texts[1]], [texts[0], typed[1]], texts):
        assert sqlrisk.score(*pair, **asked).results == expected.results
    merged = sqlrisk.score(*texts, **asked, column={"ill": {"merge": {"any": ["y", "n"]}}})
    assert merged["repU_near"].rows[0]["numerator"] == 4
    nobody = [born([None] * 5, "c.csv"), born([None] * 5, "c.parquet", kind)]  # of no type
    assert (
        sqlrisk.score(texts[0], nobody[0], **asked).results
        == sqlrisk.score(typed[0], nobody[1], **asked).results
    )
    assert (
        sqlrisk.score(typed[0], texts[1], **plain).results == sqlrisk.score(*typed, **plain).results
    )
    years = {**plain, "column": {"born": {"date": "year"}}}
    assert (
        sqlrisk.score(typed[0], texts[1], **years).results == sqlrisk.score(*texts, **years).results
    )


@pytest.mark.parametrize(
    "odd", few(["31.12.1999", "1999-02-29", "0000-01-01", "1999-12-31 25:00:00", "soon"])
)
def test_what_is_no_date_stays_text(odd: str) -> None:
    born(DAYS, "a.parquet", pa.date32())
    born([odd, *NEXT[1:]], "b.csv")
    asked: dict[str, Any] = {"keys": ["born"], "targets": ["ill"]}
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.score("a.parquet", "b.csv", **asked)
    assert str(caught.value) == (
        "The column 'born' has types that cannot be compared: dates in 'a.parquet', text in "
        "'b.csv'. Dates are written 2021-03-31 in CSV; the first text of 'b.csv' in another "
        "form is in line 2. Store it alike in all files."
    )
    with pytest.raises(
        sqlrisk.InputError, match=r"dates in 'a\.csv', text in 'b\.csv'\. Dates are written"
    ):
        sqlrisk.score(born(DAYS, "a.csv"), "b.csv", **asked, within={"born": "1d"})


def test_dates_that_nobody_needs_stay_text() -> None:
    files = born(DAYS, "a.csv"), born(NEXT, "b.csv")
    found = sqlrisk.inspect(*files, keys=["born"], targets=["ill"])
    assert {row["type"] for row in found.columns if row["column"] == "born"} == {"VARCHAR"}
