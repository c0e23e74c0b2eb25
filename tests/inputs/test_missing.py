"""Numbers beside other text in CSV files, and the texts that stand for a missing value."""

import csv
import gzip
from pathlib import Path
from typing import Any

import forks
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few, some
from unassessed import unasked

import sqlrisk

SECRET = "Kowalska"
NUMBERS = "k,t\n1,1\n2,1\n3,2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text(data: str | bytes, name: str = "a.csv") -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(data.encode() if isinstance(data, str) else data)
    return name


def parquet(keys: Any, name: str = "b.parquet") -> str:
    pq.write_table(pa.table({"k": keys, "t": [1] * len(keys)}), name)
    return name


def found(original: Any, synthetic: Any, **more: Any) -> tuple[object, object]:
    """(unique people, people whose key is in the synthetic file)."""
    with unasked():
        report = sqlrisk.score(
            original, synthetic, keys=["k"], targets=["t"], measures=["UiO", "iS"], **more
        )
    rows = {row["measure"]: row["numerator"] for row in report.results}
    return rows["UiO"], rows["iS"]


def refusal(original: Any, synthetic: Any, **more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as caught:
        found(original, synthetic, **more)
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "line"),
    few(
        [
            (f"k,t\n1.0,1\n2.0,1\n{SECRET},1\n3.0,2\n", "line 4"),
            (f"k,t\n1,1\n\n2,1\n\n{SECRET},1\n", "line 6"),  # an empty line is a line
            # so are those inside of quotes
            (f'u,k,t\n"{SECRET}\n,""1\n",1.0,1\n"a\r\nb",2,1\n"",{SECRET},1\n', "line 7"),
            (f'k,t\r\n"1",1\r\n"2",1\r\n"{SECRET}\r\n",1\r\n', "line 4"),
            (f"t;k\r1;1.5\r1;{SECRET}\r", "line 3"),
            (f'"k\nu",k,t\n,1,1\n,{SECRET},1\n', "line 4"),
            (f"\ufeffk|t\n1|1\n{SECRET}|1\n", "line 3"),
            ('k,t\n1,1\n"",1\n,1\n', "line 3"),  # quoted, nothing is text
            ("k,t\n,1\n1,1\n 2 3,1\n", "line 4"),
            ("k,t\n1,1\n2,1\n1e5000,1\n", "line 4"),
            ("k,t\n" + "".join(f"{i},1\n" for i in range(20_000)) + f"{SECRET},1\n", "line 20002"),
            ("k,t\n" + f"{SECRET},1\n" * 9 + "1,1\n", "line 2"),  # a tenth are numbers
            # longer than Python's csv reads
            (f'k,u,t\n1,"{"u" * 200_000}\n",1\n2,{"u" * 200_000},1\n3 "",,1\n', "line 5"),
            (f"k,t,{'u' * 200_000}\n1,1,1\n{SECRET},1,1\n", "line 3"),
        ],
        5,
    ),
)
def test_text_among_the_numbers_of_another_file(data: str, line: str) -> None:
    for original, synthetic in (
        (text(data), text(NUMBERS, "b.csv")),
        (text(NUMBERS, "b.csv"), text(data)),
    ):
        message = refusal(original, synthetic)
        assert "'k' of 'a.csv'" in message
        assert f"the first in {line}, while 'b.csv' holds only numbers" in message
        assert "--missing NA" in message
    zipped = text(gzip.compress(data.encode()), "c.csv.gz")
    assert (
        f"'c.csv.gz' holds numbers and other text, the first in {line}, while 'b.parquet'"
        in refusal(zipped, parquet([1, 2]))
    )
    assert f"the first in {line}, while" in refusal(zipped, parquet([1.0, 2.5]))
    assert csv.field_size_limit() == 131_072


def test_the_part_is_named_that_the_line_is_in() -> None:
    text(NUMBERS, "parts/1.csv")
    text("t,k\n1,3\n1,NA\n", "parts/2.csv")
    assert "'parts' holds numbers and other text, the first in line 3 of 'parts/2.csv'" in refusal(
        "parts", text(NUMBERS)
    )


def test_every_such_column_and_file_is_named_at_once() -> None:
    bad = text("k,t\n1,1\n2,2\nx,x\n", "bad.csv")
    message = refusal(bad, [text(NUMBERS, "b.csv"), bad], population="old: n > 3")
    assert message.count("'k' of 'bad.csv'") == message.count("'t' of 'bad.csv'") == 1
    assert "has no column 'n'" in message


@pytest.mark.parametrize("column", [None, {"age": {"rare": 2}}])
def test_text_is_not_compared_with_numbers_by_size(column: object) -> None:
    """As text, 7 is more than 65, and 100 less. Days are in order as text, too."""
    people = text(
        "k,t,age,born\n1,1,7,2018-01-05\n2,1,70,1950-02-28\n3,1,100,NA\n4,1,NA,1996-04-01\n"
    )
    made = text("k,t\n1,1\n", "made.csv")
    asked: dict[str, Any] = {"column": column, "population": {"old": "age >= 65"}}
    message = refusal(people, made, **asked)
    assert message.startswith("population 'old': The column 'age' is VARCHAR; '65' cannot be comp")
    assert "--missing NA" in message
    asked["population"]["young"] = "born >= 1996-04-01"
    report = sqlrisk.score(
        people, made, keys="k", targets="t", measures="UiO", missing="NA", **asked
    )
    rows = {row["population"]: row["denominator"] for row in report.results}
    assert rows == {"all": 4, "old": 2, "young": 2}


def test_numbers_that_two_files_write_in_different_ways_beside_text() -> None:
    one = text("k,t\n1.0,1\n2.5,1\nNA,1\n", "one.csv")
    two = text("k,t\n1,1\n2.5,1\nNA,1\n", "two.csv")
    message = refusal(one, two)
    assert (
        "'one.csv' holds numbers and other text, the first in line 4, while the files write some"
        in message
    )
    assert (
        "'two.csv' holds numbers and other text, the first in line 4, while the files write some"
        in message
    )
    assert found(one, one) == (3, 3)
    assert found(two, text("k,t\n2.5,1\nx,1\n3,1\n")) == (3, 1)
    assert "'two.csv'" in refusal(one, [one, two])
    # whoever drew from the original writes as it does
    both = text("k,t\n1,1\n1.0,1\nNA,1\n", "both.csv")
    assert found(both, two) == (3, 2)


@pytest.mark.parametrize(
    ("data", "people"),
    [
        ("k,t\n01,1\n2,1\nx,1\n", (3, 1)),  # leading zeros: a code
        ("k,t\n1,1\n2,1\n007,1\n", (3, 2)),
        ("k,t\n2020-01-01,1\n2021-01-01,1\n", (2, 0)),
        ("k,t\nA1,1\nB2,1\n", (2, 0)),
        # fewer than a tenth are numbers
        ("k,t\n1,1\n" + "".join(f"A{i},1\n" for i in range(10)), (11, 1)),
        # too long for a number, and no other text
        ("k,t\n1,1\n12345678901234567890.5,1\n", (2, 1)),
    ],
)
def test_text_stays_text(data: str, people: tuple[int, int]) -> None:
    assert found(text(data), text(NUMBERS, "b.csv")) == people


def test_a_file_that_keeps_types_says_that_its_text_is_text() -> None:
    ages = text("k,t\n1,1\n2,1\n6+,1\n")
    assert found(ages, parquet(["1", "2", "3"])) == (3, 2)
    assert found(ages, [parquet(["1", "2", "3"]), text(NUMBERS, "b.csv")])[0] == 3


@pytest.mark.parametrize(
    "given", some(["NA,.", ("NA", ".")], ["NA,.", ["NA", "."], ("NA", "."), "NA,.,Na"])
)
def test_texts_that_stand_for_a_missing_value(given: Any) -> None:
    original = text("k,t\n1.0,1\nNA,1\n.,1\n,1\n2.0,1\n")
    assert found(original, text(NUMBERS, "b.csv"), missing=given) == (2, 2)
    assert found(original, parquet([1, None]), missing=given) == (2, 4)
    assert found(original, original, missing=given, bins={"k": 2}) == (2, 5)
    assert "'k' of 'a.csv'" in refusal(original, text(NUMBERS, "b.csv"), missing="NA")
    assert "line 4" in refusal(original, text(NUMBERS, "b.csv"), missing="NA")


@pytest.mark.parametrize(
    ("values", "given", "people"),
    few(
        [
            (["a", "NA", None, "b"], "NA", (2, 4)),
            (["a", "", None, "b"], '""', (2, 4)),
            (["a,b", "NA", None, "b"], '"a,b",NA', (1, 4)),
            ([1, -9, None, 2], "-9", (2, 4)),
            ([1, -9, None, 2], [-9, "NA"], (2, 4)),
            ([1, -9, None, 2], "NA", (4, 4)),  # no whole number is NA
            ([1.5, -9.0, None, float("nan")], [-9], (1, 4)),
            (pa.array(["a", "NA", None, "b"]).dictionary_encode(), "NA", (2, 4)),
            ([True, False, None, None], "false", (1, 4)),
        ]
    ),
)
def test_in_every_kind_of_file(values: Any, given: Any, people: tuple[int, int]) -> None:
    assert found(parquet(values), "b.parquet", missing=given) == people
    table = pa.table({"k": values, "t": [1] * 4})
    assert found(table, table, missing=given) == people
    frame = pd.DataFrame(
        {"k": pd.Series(pa.array(values).to_pylist(), dtype="object"), "t": [1] * 4}
    )
    if pa.types.is_string(pa.array(values).type):
        assert found(frame, frame, missing=given) == people
        rows = [",1\n" if each is None else f'"{each}",1\n' for each in values]
        assert found(text("k,t\n" + "".join(rows)), "a.csv", missing=given) == people


@pytest.mark.slow
def test_in_weights_populations_splits_and_baselines() -> None:
    original = text("k,t,w,g\n1,NA,1,a\n1,1,2.0,b\n2,1,1,NA\n2,NA,1,-9\n")
    synthetic = text("k,t\n1,1\n2,NA\n", "b.csv")
    shares = text("level,share\n1,0.5\nNA,0.5\n", "shares.csv")
    given: dict[str, Any] = {"keys": "k", "targets": "t", "missing": "NA"}
    report = sqlrisk.score(
        original,
        synthetic,
        **given,
        weights="w",
        by="g",
        baseline={"t": shares},
        exclude_missing="t",
    )
    assert {row["population"] for row in report.results} == {
        "all",
        "g missing",
        "g=a",
        "g=b",
        "g=-9",
    }
    assert (
        sum(int(str(row["records"])) for row in report.exclusions if row["side"] == "original") == 2
    )
    with pytest.raises(sqlrisk.InputError, match="nobody has 'NA' in the column 'g'"):
        sqlrisk.score(original, synthetic, **given, population="none: g = NA")
    with pytest.raises(sqlrisk.InputError, match="no record of the original has 'NA'"):
        sqlrisk.score(original, synthetic, **given, split="g", split_in="NA")
    with pytest.raises(sqlrisk.InputError, match="'NA' cannot be one of its levels"):
        sqlrisk.score(original, synthetic, **given, exclude_level={"t": "NA"})
    with pytest.raises(
        sqlrisk.InputError, match=r"is missing or negative for 1 of \d+ records of 'a.csv'; give"
    ):
        sqlrisk.score(original, synthetic, **{**given, "missing": "NA,2.0"}, weights="w")


@pytest.mark.slow
def test_every_function_that_reads_files_takes_it() -> None:
    original = text("k,j,t\n1.0,a,1\nNA,a,1\n2.0,b,NA\n")
    synthetic = text("k,j,t\n1,a,1\nNA,a,1\n3,b,2\n", "b.csv")
    files: tuple[Any, Any] = (original, synthetic)
    given: dict[str, Any] = {"keys": "k", "targets": "t", "missing": "NA"}
    assert sqlrisk.records(*files, "rows.csv", **given) == 3
    assert "1,1,1,True,True" in Path("rows.csv").read_text().replace("true", "True")
    for done in (
        sqlrisk.sweep(*files, **{**given, "keys": "k,j"}),
        sqlrisk.attack(*files, **given),
        sqlrisk.reference(original, random=2, **given),
        sqlrisk.explain(*files, record=1, **given),
        sqlrisk.cells("repU", *files, **given),
        sqlrisk.tabulate("raab", *files, **given),
    ):
        assert done.to_text()
    several = {
        "one": {"keys": ["k"], "targets": ["t"]},
        "two": {"keys": ["j", "k"], "targets": ["t"]},
    }
    assert [
        report.scenario["missing"]
        for report in sqlrisk.score_all(several, *files, missing="NA").values()
    ] == [["NA"]] * 2
    assert "IN ('NA')" in sqlrisk.sql("DiSCO", *files, **given)
    for asked in (sqlrisk.records, sqlrisk.explain):
        more: dict[str, Any] = {"output": "no.csv"} if asked is sqlrisk.records else {"record": 1}
        with pytest.raises(sqlrisk.InputError, match="line 3"):
            asked(*files, keys="k", targets="j", **more)
    assert not Path("no.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("given", [-9, -9.0, np.int64(-9)])
def test_one_number_stands_for_a_missing_value(given: Any) -> None:
    file = parquet([1, -9, None, 2])
    assert found(file, file, missing=given) == (2, 4)
    assert found(file, file, column={"k": {"missing": given}}) == (2, 4)
    assert sqlrisk.uniques(file, keys=["k"], missing_value=given).uniques == 2


def test_one_number_of_a_scenario_file_stands_for_a_missing_value() -> None:
    parquet([1, -9, None, 2])
    files = 'original = "b.parquet"\nsynthetic = "b.parquet"\n'
    report = sqlrisk.score(scenario=text(f'{files}keys = ["k"]\nmissing = -9\n', "s.toml"))
    assert report.scenario["missing"] == ["-9"]
    assert report.value("UiO") == 50


def test_protect_counts_it_as_missing_and_writes_what_was_there() -> None:
    original = text("k,t\n1.0,1\nNA,1\n2.0,1\n2.0,1\n")
    synthetic = text("k,t\n1,1\nNA,1\n3,x\n", "b.csv")
    done = sqlrisk.protect(original, synthetic, output="p.csv", keys="k", missing="NA")
    assert Path("p.csv").read_text() == "k,t\n3,x\n"
    assert done.singled_out == 2
    sqlrisk.protect(original, synthetic, output="p.csv", keys="k", missing="NA", flag=True)
    assert Path("p.csv").read_text().splitlines()[2].startswith("NA,")
    sqlrisk.protect(original, synthetic, output="p.parquet", keys="k", missing="NA,x", flag=True)
    assert pq.read_table("p.parquet")["k"].to_pylist() == [1, None, 3]
    assert pq.read_table("p.parquet")["t"].to_pylist() == [1, 1, None]


@pytest.mark.slow
def test_the_command_line_a_scenario_and_the_manifest_hold_it() -> None:
    text("k,t\n1.0,1\nNA,1\n2.0,1\n")
    text("k,t\n1,1\n-9,1\n3,1\n", "b.csv")
    done = forks.run(
        "score",
        "a.csv",
        "b.csv",
        "--keys",
        "k",
        "--missing",
        "NA,.",
        "--missing",
        "-9",
        "-o",
        "a.json",
    )
    assert done.returncode == 0, done.stderr
    text(
        'original = "a.csv"\nsynthetic = "b.csv"\nkeys = ["k"]\nmissing = ["NA", ".", -9]\n',
        "s.toml",
    )
    filed = sqlrisk.score(scenario="s.toml")
    report = sqlrisk.read_report("a.json")
    assert report.scenario["missing"] == filed.scenario["missing"] == ["NA", ".", "-9"]
    assert report.results == filed.results
    assert "missing values  NA, ., -9" in filed.to_text()
    assert sqlrisk.diff(report, filed).comparable
    assert not sqlrisk.diff(
        sqlrisk.score("b.csv", "b.csv", keys="k", missing="-9"),
        sqlrisk.score("b.csv", "b.csv", keys="k"),
    ).comparable


def test_init_lists_a_column_of_numbers_and_text_as_none() -> None:
    text("k,t,u\n1,1,1\nNA,1,1\n2,2,2\n2,2,2\n")
    text("k,t,u\n1,1,1\n2,2,2\n", "b.csv")
    draft = sqlrisk.init("a.csv", "b.csv")
    assert "first in line 3" in draft


@pytest.mark.parametrize("given", [[None], {"k": "NA"}, [["NA"]]])
def test_what_is_no_list_of_values(given: Any) -> None:
    assert "missing: expected a value, or a list of values" in refusal(
        text(NUMBERS), "a.csv", missing=given
    )


def test_sql_without_files_needs_the_types_of_the_columns() -> None:
    asked: dict[str, Any] = {"keys": "k", "targets": "t", "missing": "NA,-9"}
    with pytest.raises(
        sqlrisk.InputError, match=r"missing: .* the types of k, t, as in --types k=VARCHAR"
    ):
        sqlrisk.sql("DiSCO", **asked)
    with pytest.raises(sqlrisk.InputError, match="the types of t, as"):
        sqlrisk.compile_sql("o", "s", types="k=INTEGER", **asked)
    sql = sqlrisk.sql("DiSCO", **asked, types="k=INTEGER,t=TEXT")
    assert 'CASE WHEN "k" IN (-9) THEN NULL' in sql
    assert "CASE WHEN \"t\" IN ('NA', '-9') THEN NULL" in sql
