"""Which texts of CSV files are numbers, true or false, dates and times: as other programs write
them, and beside other files.
"""

import datetime as dt
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.cli.main import cli

INF = float("inf")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def csv(texts: Sequence[str], name: str = "a.csv") -> str:
    Path(name).write_text(
        "k,t\n" + "".join(f"{text},{number}\n" for number, text in enumerate(texts))
    )
    return name


def parquet(values: Any, name: str = "b.parquet", kind: pa.DataType | None = None) -> str:
    pq.write_table(pa.table({"k": pa.array(values, kind), "t": range(len(values))}), name)
    return name


def found(original: Any, synthetic: Any, **more: Any) -> tuple[object, ...]:
    with unasked():
        report = sqlrisk.score(
            original, synthetic, keys=["k"], targets=["t"], measures=["UiO", "iS", "DiSCO"], **more
        )
    return tuple((row["measure"], row["numerator"], row["denominator"]) for row in report.results)


def kind_of(name: str) -> object:
    return next(
        row["type"]
        for row in sqlrisk.inspect(name, name, keys=["k"], targets=["t"]).columns
        if row["column"] == "k"
    )


NUMBERS: list[tuple[list[str], list[float | None], str]] = [
    ([".5", "-.25", "1.5", "2"], [0.5, -0.25, 1.5, 2], "DOUBLE"),  # Stata
    (["5.", "-0.", "1.5", "7"], [5, 0, 1.5, 7], "DOUBLE"),
    (["+5", "-3", "+0", "12"], [5, -3, 0, 12], "BIGINT"),
    ([" 39", "  5", "7 ", "\t8"], [39, 5, 7, 8], "BIGINT"),  # UCI Adult
    ([" +.5 ", "5", " -1e3", "2."], [0.5, 5, -1000, 2], "DOUBLE"),
    (
        ["1e-100", "1E+005", "2.5e100", "1.7976931348623157e308"],
        [1e-100, 1e5, 2.5e100, 1.7976931348623157e308],
        "DOUBLE",
    ),
    (["Inf", "-Inf", "1", "2.5"], [INF, -INF, 1, 2.5], "DOUBLE"),  # R
    (["inf", "+inf", "-infinity", "2.5"], [INF, INF, -INF, 2.5], "DOUBLE"),
    (["NaN", "1", "nan", "2.5"], [None, 1, None, 2.5], "DOUBLE"),
    (
        [" 1234567890123451", "1234567890123452 ", "+7", "8"],
        [1234567890123451, 1234567890123452, 7, 8],
        "BIGINT",
    ),
]


@pytest.mark.parametrize("case", some(NUMBERS[::12], NUMBERS))
def test_numbers_as_other_programs_write_them(
    case: tuple[list[str], list[float | None], str],
) -> None:
    texts, values, kind = case
    name = csv(texts)
    truth = parquet(values, "truth.parquet", pa.int64() if kind == "BIGINT" else pa.float64())
    plain = csv(
        ["" if each is None else f"{each:.17g}".replace("inf", "Inf") for each in values],
        "plain.csv",
    )
    expected = found(truth, truth)
    for pair in ((name, truth), (truth, name), (name, plain), (plain, name), (name, name)):
        assert found(*pair) == expected
    assert kind_of(name) == kind
    if INF not in values:
        assert found(name, name, bins={"k": 2}) == found(truth, truth, bins={"k": 2})


@pytest.mark.parametrize(
    ("texts", "people"),
    few(
        [
            (["007", "7", "07"], 3),  # codes
            (["+007", "7", " 7"], 3),
            (["00.5", ".5", "0.5"], 3),
            (["1e400", "1e401", "x"], 3),  # both would be infinite
            (["1e-400", "0", "1e-500"], 3),
            (["+ 5", "5", "-"], 3),
            (["nan", "Anna", "nan"], 1),
            (["nan", "nan", "NaN", "b"], 2),
        ],
        4,
    ),
)
def test_text_stays_text(texts: list[str], people: int) -> None:
    with unasked():
        assert sqlrisk.uniques(csv(texts), keys=["k"]).uniques == people
    truth = parquet(texts, "truth.parquet")
    assert found("a.csv", truth) == found(truth, truth) == found(truth, "a.csv")


def test_two_csv_files_are_typed_together() -> None:
    """Text in one file is text in the other, as it is written there."""
    one, other = csv([".5", "0.5", "x1"], "one.csv"), csv(["01", ".5", "0.50"], "other.csv")
    both = (
        parquet([".5", "0.5", "x1"], "one.parquet"),
        parquet(["01", ".5", "0.50"], "other.parquet"),
    )
    assert found(one, other) == found(*both)
    files = csv([".5", "1", "n"], "one.csv"), csv(["0.5", "1", "n"], "two.csv")
    with pytest.raises(sqlrisk.InputError, match="write some of the numbers in different ways"):
        found(*files)


@pytest.mark.slow
def test_a_recoded_and_a_protected_file_have_the_numbers() -> None:
    texts = [" .5", "NaN", "5.", "+7"] * 3
    csv(texts, "a.csv"), parquet([0.5, None, 5, 7] * 3, "b.parquet", pa.float64())
    asked = ["--keys", "k", "--column", "k.bands=0,6,9"]
    result = CliRunner().invoke(cli, ["recode", "a.csv", "b.parquet", "-o", "out", *asked])
    assert result.exit_code == 0, result.output
    lines = Path("out/a.csv").read_text().splitlines()[1:]
    read = pq.read_table("out/b.parquet")["k"].to_pylist()
    assert [line.rpartition(",")[0].strip('"') or None for line in lines] == read
    result = CliRunner().invoke(
        cli, ["protect", "b.parquet", "a.csv", "-o", "p.csv", "--keys", "k"]
    )
    assert result.exit_code in (0, 1), result.output
    assert Path("p.csv").read_text() == Path("a.csv").read_text()


DAYS = [dt.date(2020, 1, day) for day in (1, 2, 2, 9)]
TIMES = [dt.datetime(2020, 1, day, 9, 30 * (day % 2)) for day in (1, 2, 2, 9)]  # noqa: DTZ001 - a time without a zone
TYPED: list[tuple[list[str], Sequence[object]]] = [
    (["True", "False", "False", ""], [True, False, False, None]),  # pandas
    (["TRUE", "FALSE", "TRUE", "TRUE"], [True, False, True, True]),  # R
    (["T", "f", "true", "F"], [True, False, True, False]),
    (["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-09"], DAYS),
    ([str(each) for each in TIMES], TIMES),
    ([each.isoformat() for each in TIMES], TIMES),
    ([each.isoformat()[:16] for each in TIMES], TIMES),
]


@pytest.mark.parametrize("case", some(TYPED[::12], TYPED))
def test_texts_that_meet_a_type_are_read_as_it(case: tuple[list[str], Sequence[object]]) -> None:
    texts, values = case
    name, truth = csv(texts), parquet(values, "truth.parquet")
    book = openpyxl.Workbook()
    for row in (("k", "t"), *zip(values, range(len(values)), strict=True)):
        book.active.append(row)
    book.save("truth.xlsx")
    expected = found(truth, truth)
    for other in (truth, "truth.xlsx"):
        assert found(name, other) == expected == found(other, name)
    where: dict[str, Any] = {"keys": ["t"], "population": [f"some: k = '{str(values[1]).lower()}'"]}
    with unasked():
        told = [
            sqlrisk.score(one, truth, control=one, **where, measures=["UiO"]).results
            for one in (name, truth)
        ]
    assert told[0] == told[1]


@pytest.mark.slow
def test_folders_named_by_dates_meet_csv() -> None:
    for place, day in enumerate(DAYS):
        folder = Path(f"parts/k={day}")
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"t": [place]}), folder / f"{place}.parquet")
    truth = parquet(DAYS, "truth.parquet")
    assert found("parts", csv(list(map(str, DAYS)))) == found(truth, truth)


@pytest.mark.parametrize(
    ("values", "texts", "words"),
    [
        (
            [True, False],
            ["true", "no", "F"],
            (
                "true and false in 'b.parquet', text in 'a.csv'. True and false are written true "
                "and false"
            ),
        ),
        (
            DAYS[:2],
            ["2020-01-01", "2020-02-30"],
            "dates in 'b.parquet', text in 'a.csv'. Dates are written 2021-03-31 in CSV",
        ),
        (
            TIMES[:2],
            ["2020-01-01 09:30:00", "yesterday"],
            "times in 'b.parquet', text in 'a.csv'. Times are written",
        ),
        ([1, 2], ["1x", "b"], "whole numbers in 'b.parquet', text in 'a.csv'. Numbers are written"),
        ([1.5, 2], ["x", "b"], "numbers in 'b.parquet', text in 'a.csv'. Numbers are written"),
    ],
)
def test_a_refusal_says_where_the_first_other_text_is(
    values: list[Any], texts: list[str], words: str
) -> None:
    with pytest.raises(sqlrisk.InputError) as caught:
        found(parquet(values), csv(texts))
    line = 2 if values[0] in (1, 1.5) and values[0] is not True else 3
    assert words in str(caught.value)
    assert f"the first text of 'a.csv' in another form is in line {line}." in str(caught.value)
    assert "VARCHAR" not in str(caught.value)
    assert not any(
        text in str(caught.value).replace("2021-", "") for text in ("yesterday", "2020-02-30", "1x")
    )


def test_decimal_commas_are_answered_with_the_option() -> None:
    truth = parquet([1.5, 2.5], "truth.parquet")
    Path("a.csv").write_text("k;t\n1,5;0\n2,5;1\n")
    Path("whole.csv").write_text("k;t\n1,5;0\n2;1\n")
    for name in ("a.csv", "whole.csv"):
        with pytest.raises(sqlrisk.InputError, match=rf"say so: --decimal {name}=,\. "):
            found(name, truth)
    assert found("a.csv", truth, decimal="a.csv=,") == found(truth, truth)


def test_files_are_looked_up_as_they_are_typed_together() -> None:
    files = [csv(["01", "7", "01"], "one.csv"), csv(["7", "8", "7"], "two.csv")]
    seen: Any = sqlrisk.lookup(files, key="k=7").to_dict()["rows"]
    assert [(row[1], row[3], row[4]) for row in seen] == [
        ("1", "1", 1),
        ("2", "0", 1),
        ("2", "2", 1),
    ]


def folder_of(values: Sequence[str], rows: Sequence[int] = (0, 0, 1), name: str = "named") -> str:
    """Write a folder with a part for each value, which its name alone says."""
    for place, value in enumerate(values):
        part = Path(name) / f"k={value}"
        part.mkdir(parents=True)
        pq.write_table(pa.table({"t": [each + place for each in rows]}), part / "part.parquet")
    return name


@pytest.mark.parametrize(
    ("texts", "values", "kind"),
    few(
        [
            (["true", "false"], [True, False], "BOOLEAN"),
            (["T", "F"], [True, False], "BOOLEAN"),
            (["False", "TRUE"], [False, True], "BOOLEAN"),
            (["2020-01-31", "2021-03-01"], [dt.date(2020, 1, 31), dt.date(2021, 3, 1)], "DATE"),
            (["2020-01-31 10%3A00", "2021-03-01"],
                [dt.datetime(2020, 1, 31, 10), dt.datetime(2021, 3, 1)], "TIMESTAMP"),  # noqa: DTZ001
            (
                ["2020-01-31T10%3A00%3A00+02%3A00", "2021-03-01T00%3A00%3A00Z"],
                [dt.datetime(2020, 1, 31, 8, tzinfo=dt.UTC),
                    dt.datetime(2021, 3, 1, tzinfo=dt.UTC)],
                "TIMESTAMP WITH TIME ZONE",
            ),
            (
                ["2020-01-31 10:00:00+02", "2021-03-01 00:00:00Z"],
                [dt.datetime(2020, 1, 31, 8, tzinfo=dt.UTC),
                    dt.datetime(2021, 3, 1, tzinfo=dt.UTC)],
                "TIMESTAMP WITH TIME ZONE",
            ),
        ],
        6,
    ),
)  # fmt: skip
def test_folder_names_are_read_as_what_another_file_keeps(
    texts: list[str], values: list[Any], kind: str
) -> None:
    named = folder_of(texts)
    table = pa.table({"k": [each for each in values for _ in range(3)], "t": [0, 0, 1, 1, 1, 2]})
    pq.write_table(table, "kept.parquet")
    assert (
        found(named, "kept.parquet")
        == found("kept.parquet", named)
        == found("kept.parquet", "kept.parquet")
    )
    asked: dict[str, Any] = {"keys": ["t"], "targets": ["k"]}
    assert (
        sqlrisk.cells("DiSCO", named, table, **asked).rows
        == sqlrisk.cells("DiSCO", table, table, **asked).rows
        != []
    )
    report = sqlrisk.inspect(named, "kept.parquet", **asked)
    assert "copy_of_original" in str(report.assessment)  # the column is compared there, too
    assert kind in {row["type"] for row in report.columns}
    script = sqlrisk.sql("DiSCO", named, "kept.parquet", **asked)
    with duckdb.connect() as connection:
        for statement in script.split(";\n\n"):
            rows = connection.execute(statement).fetchall()
    assert [row[-1] for row in rows] == [
        sqlrisk.score("kept.parquet", table, **asked, measures="DiSCO").results[0]["value"]
    ]


def test_folder_names_stay_text() -> None:
    """Where another file has text, or one of the names is of no other type, or has an offset that
    times would lose.
    """
    zoned = folder_of(["2020-01-31 10:00:00+02", "2021-03-01 00:00:00"], name="zoned")
    assert {row["column"]: row["type"] for row in sqlrisk.inspect(zoned, zoned).columns} == {
        "k": "VARCHAR",
        "t": "BIGINT",
    }
    named = folder_of(["T", "F"])
    text = parquet(["T", "T", "T", "F", "F", "F"])
    pq.write_table(pq.read_table(text).set_column(1, "t", pa.array([0, 0, 1, 1, 1, 2])), text)
    assert found(named, text) == found(text, named) == found(text, text)
    other = folder_of(["true", "unknown"], name="other")
    with pytest.raises(
        sqlrisk.InputError, match=r"true and false in 'kept\.parquet', text in 'other'"
    ):
        found(parquet([True, False], "kept.parquet"), other)


@pytest.mark.parametrize("engine", [{}, pytest.param({"engine": "sqlite"}, id="sqlite")])
def test_folder_names_in_the_order_of_their_records(engine: dict[str, Any], tmp_path: Path) -> None:
    """Aligned records are numbered; a column of the file hides the number, so that it is copied."""
    for name in ("one", "two"):
        for place, value in enumerate(("T", "f")):
            part = Path(name) / f"k={value}"
            part.mkdir(parents=True)
            pq.write_table(
                pa.table({"t": [place, 1], "file_row_number": [7, 8]}), part / "part.parquet"
            )
    table = pa.table(
        {"k": [True, True, False, False], "t": [0, 1, 1, 1], "file_row_number": [7, 8, 7, 8]}
    )
    with sqlite3.connect(tmp_path / "x.db") as connection:
        where = {"engine": connection} if engine else {}
        asked: dict[str, Any] = {
            "keys": ["k"],
            "targets": ["t"],
            "aligned": True,
            "measures": ["matches"],
        }
        with unasked():
            results = [
                sqlrisk.score(one, table, **asked, **where).results for one in ("one", table)
            ]
    assert results[0] == results[1] != []
