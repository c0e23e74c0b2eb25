"""CSV and Parquet files have the properties that read.csv and arrow::read_parquet of R need.
test_notebooks runs R, with CSV.
"""

import csv
import io
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

from tests.cli.test_cli import sqlrisk as command

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "sqlrisk" / "guide" / "r.md").read_text(encoding="utf-8")
PLAIN = (pa.string(), pa.float64(), pa.int64(), pa.int32(), pa.bool_())
ORIGINAL = {
    "sex": ["F", "F", "m,\"x\"", "M", "M", None],
    "żona": ["a\nb", "tak", "nie", "nie", "", "tak"],
    "income": [1.5, 2.25, None, 1e-20, 3.0, 1.5],
}  # fmt: skip
WRITTEN = {
    "results": ["score", "-o"],
    "distributions": ["score", "--distributions", "--part", "distributions", "-o"],
    "one part": ["score", "--part", "results", "-o"],
    "trends": ["score", "--trend", "--part", "trends", "-o"],
    "cells": ["cells", "UiO", "-o"],
    "records": ["records", "-q", "-o"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table(ORIGINAL), tmp_path / "original.parquet")
    pq.write_table(pa.table(ORIGINAL).slice(1), tmp_path / "syn.parquet")
    pq.write_table(pa.table(ORIGINAL).slice(0, 4), tmp_path / "syn2.parquet")
    return tmp_path


def write(what: str, suffix: str, folder: Path) -> Path:
    name, *more = WRITTEN[what]
    first = ["UiO"] if name == "cells" else []
    more = [each for each in more if each != "UiO"]
    files = [
        "original.parquet",
        "syn.parquet",
        "syn2.parquet",
        "--keys",
        "sex,żona",
        "--targets",
        "income",
    ]
    code, _, err = command(name, *first, *files, *more, f"risk{suffix}", folder=folder)
    assert code == 0, err
    return folder / f"risk{suffix}"


@pytest.mark.parametrize("what", few(list(WRITTEN)))
def test_csv_has_what_read_csv_needs(folder: Path, what: str) -> None:
    data = write(what, ".csv", folder).read_bytes()
    text = data.decode("utf-8")
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert text.endswith("\n")
    header, *rows = csv.reader(io.StringIO(text))
    assert len(set(header)) == len(header)
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    for row in rows:
        for field in row:
            # A missing value is an empty field, a truth value is in lower case, a number has a
            # decimal point.
            assert field not in (
                "NA",
                "NaN",
                "nan",
                "None",
                "NULL",
                "null",
                "True",
                "False",
                "inf",
                "Infinity",
            )
            assert not re.fullmatch(r"-?\d+,\d+", field)


@pytest.mark.slow
@pytest.mark.parametrize("what", few(WRITTEN))
def test_parquet_has_plain_types(folder: Path, what: str) -> None:
    table = pq.read_table(write(what, ".parquet", folder))
    assert table.num_rows > 0
    for field in table.schema:
        assert field.type in PLAIN, field


def test_missing_values_are_empty_in_csv_and_null_in_parquet(folder: Path) -> None:
    rows = list(
        csv.DictReader(io.StringIO(write("records", ".csv", folder).read_text(encoding="utf-8")))
    )
    table = pq.read_table(write("records", ".parquet", folder)).to_pylist()
    assert [row["excluded_income"] for row in rows] == [""] * 6
    assert [row["excluded_income"] for row in table] == [None] * 6
    for one, other in zip(rows, table, strict=True):
        assert one["correct_income"] == str(other["correct_income"]).lower()
        assert float(one["cap_original_income"]) == other["cap_original_income"]


@pytest.mark.parametrize("sides", [("original", "syn"), ("syn", "original")])
def test_what_r_writes_is_read(folder: Path, sides: tuple[str, str]) -> None:
    """As write.csv(row.names = FALSE, na = "") writes it: texts and names quoted, missing values
    not.
    """
    lines = ['"sex","age","income"', '"F",30,"hi"', '"F",31,', '"M",30.5,"hi"', ',30,"lo"']
    for name in sides:
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    arguments = [
        "score",
        "original.csv",
        "syn.csv",
        "--keys",
        "sex,age",
        "--measures",
        "UiO,iS",
        "--format",
        "csv",
        "-q",
    ]
    code, out, err = command(*arguments, folder=folder)
    assert (code, err) == (0, "")
    assert [row["value"] for row in csv.DictReader(io.StringIO(out))] == ["100.0", "100.0"]


# The arguments of disclosure() and multi.disclosure(), as their manual pages list them.
SYNTHPOP = (
    *(
        "object",
        "data",
        "keys",
        "target",
        "targets",
        "cont.na",
        "ngroups_target",
        "ngroups_targets",
        "ngroups_keys",
    ),
    *(
        "usetargetNA",
        "usetargetsNA",
        "usekeysNA",
        "not.targetlev",
        "not.targetslev",
        "exclude.keys",
        "exclude.keylevs",
    ),
    *(
        "exclude.targetlevs",
        "denom_lim",
        "exclude_ov_denom_lim",
        "thresh_1way",
        "thresh_2way",
        "ident.meas",
        "attrib.meas",
    ),
    *("digits", "to.print", "print.flag", "plot", "compare.synorig"),
)


def test_every_argument_of_synthpop_is_in_the_table() -> None:
    table = PAGE.partition("## Moving from synthpop")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    there = {name for row in rows for name in re.findall(r"`([\w.]+)(?: = \w+)?`", row[1])}
    assert set(SYNTHPOP) - there == set()
    flags = {flag for row in rows for flag in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", row[2])}
    assert len(flags) > 10
    known = "".join(command(each, "--help-all")[1] for each in ("score", "protect", "utility"))
    assert {flag for flag in flags if not re.search(rf"(?<![\w-]){flag}\b", known)} == set()


def test_the_options_in_the_table_mean_what_synthpop_means(folder: Path) -> None:
    """The spellings of the table are accepted together."""
    options = [
        *(
            "--special",
            "income=-8",
            "--bins",
            "income=2",
            "--exclude-missing",
            "sex",
            "--exclude-level",
            "żona=tak",
        ),
        *(
            "--exclude-pair",
            "żona=nie,sex=M",
            "--max-cell",
            "5",
            "--one-way",
            "50,90",
            "--two-way",
            "4,80",
            "-q",
        ),
    ]
    files = [
        "original.parquet",
        "syn.parquet",
        "--keys",
        "sex,income",
        "--targets",
        "żona",
        "--measures",
        "repU,DiSCO",
    ]
    code, out, err = command("score", *files, *options, "--format", "json", folder=folder)
    assert (code, err) == (0, "")
    assert '"max_cell": 5' in out
