"""Which texts of CSV files are numbers, true or false, dates and times: as other programs write them, and beside other files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from unassessed import unasked

import sqlrisk
from sqlrisk.cli.main import cli

INF = float("inf")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def csv(texts: Sequence[str], name: str = "a.csv") -> str:
    Path(name).write_text("k,t\n" + "".join(f"{text},{number}\n" for number, text in enumerate(texts)))
    return name


def parquet(values: Any, name: str = "b.parquet", kind: pa.DataType | None = None) -> str:
    pq.write_table(pa.table({"k": pa.array(values, kind), "t": range(len(values))}), name)
    return name


def found(original: Any, synthetic: Any, **more: Any) -> tuple[object, ...]:
    with unasked():
        report = sqlrisk.score(original, synthetic, keys=["k"], targets=["t"], measures=["UiO", "iS", "DiSCO"], **more)
    return tuple((row["measure"], row["numerator"], row["denominator"]) for row in report.results)


def kind_of(name: str) -> object:
    return next(row["type"] for row in sqlrisk.inspect(name, name, keys=["k"], targets=["t"]).columns if row["column"] == "k")


NUMBERS: list[tuple[list[str], list[float | None], str]] = [
    ([".5", "-.25", "1.5", "2"], [0.5, -0.25, 1.5, 2], "DOUBLE"),  # Stata
    (["5.", "-0.", "1.5", "7"], [5, 0, 1.5, 7], "DOUBLE"),
    (["+5", "-3", "+0", "12"], [5, -3, 0, 12], "BIGINT"),
    ([" 39", "  5", "7 ", "\t8"], [39, 5, 7, 8], "BIGINT"),  # UCI Adult
    ([" +.5 ", "5", " -1e3", "2."], [0.5, 5, -1000, 2], "DOUBLE"),
    (["1e-100", "1E+005", "2.5e100", "1.7976931348623157e308"], [1e-100, 1e5, 2.5e100, 1.7976931348623157e308], "DOUBLE"),
    (["Inf", "-Inf", "1", "2.5"], [INF, -INF, 1, 2.5], "DOUBLE"),  # R
    (["inf", "+inf", "-infinity", "2.5"], [INF, INF, -INF, 2.5], "DOUBLE"),
    (["NaN", "1", "nan", "2.5"], [None, 1, None, 2.5], "DOUBLE"),
    ([" 1234567890123451", "1234567890123452 ", "+7", "8"], [1234567890123451, 1234567890123452, 7, 8], "BIGINT"),
]


@pytest.mark.parametrize(("texts", "values", "kind"), NUMBERS)
def test_numbers_as_other_programs_write_them(texts: list[str], values: list[float | None], kind: str) -> None:
    name = csv(texts)
    truth = parquet(values, "truth.parquet", pa.int64() if kind == "BIGINT" else pa.float64())
    plain = csv(["" if each is None else f"{each:.17g}".replace("inf", "Inf") for each in values], "plain.csv")
    expected = found(truth, truth)
    for pair in ((name, truth), (truth, name), (name, plain), (plain, name), (name, name)):
        assert found(*pair) == expected
    assert kind_of(name) == kind
    if INF not in values:
        assert found(name, name, bins={"k": 2}) == found(truth, truth, bins={"k": 2})


@pytest.mark.parametrize(
    ("texts", "people"),
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
)
def test_text_stays_text(texts: list[str], people: int) -> None:
    with unasked():
        assert sqlrisk.uniques(csv(texts), keys=["k"]).uniques == people
    truth = parquet(texts, "truth.parquet")
    assert found("a.csv", truth) == found(truth, truth) == found(truth, "a.csv")


def test_two_csv_files_are_typed_together() -> None:
    """Text in one file is text in the other, as it is written there."""
    one, other = csv([".5", "0.5", "x1"], "one.csv"), csv(["01", ".5", "0.50"], "other.csv")
    both = parquet([".5", "0.5", "x1"], "one.parquet"), parquet(["01", ".5", "0.50"], "other.parquet")
    assert found(one, other) == found(*both)
    files = csv([".5", "1", "n"], "one.csv"), csv(["0.5", "1", "n"], "two.csv")
    with pytest.raises(sqlrisk.InputError, match="write some of the numbers in different ways"):
        found(*files)


def test_a_recoded_and_a_protected_file_have_the_numbers() -> None:
    texts = [" .5", "NaN", "5.", "+7"] * 3
    csv(texts, "a.csv"), parquet([0.5, None, 5, 7] * 3, "b.parquet", pa.float64())
    asked = ["--keys", "k", "--column", "k.bands=0,6,9"]
    result = CliRunner().invoke(cli, ["recode", "a.csv", "b.parquet", "-o", "out", *asked])
    assert result.exit_code == 0, result.output
    lines = Path("out/a.csv").read_text().splitlines()[1:]
    read = pq.read_table("out/b.parquet")["k"].to_pylist()
    assert [line.rpartition(",")[0].strip('"') or None for line in lines] == read
    result = CliRunner().invoke(cli, ["protect", "b.parquet", "a.csv", "-o", "p.csv", "--keys", "k"])
    assert result.exit_code in (0, 1), result.output
    assert Path("p.csv").read_text() == Path("a.csv").read_text()
