"""Every kind of source: the right number, or one message that says what is wrong and where, without
a record's value.
"""

import datetime as dt
import gzip
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.inputs.sources import read_syntheses

SECRET = "Kowalska"


def found(
    original: Any, synthetic: Any = None, keys: Any = ("k",), **more: Any
) -> tuple[object, ...]:
    """(people, unique people, people whose key is in the synthetic file): each counts something a
    wrong reading changes.
    """
    synthetic = original if synthetic is None else synthetic
    report = sqlrisk.score(
        original, synthetic, keys=list(keys), targets=["t"], measures=["UiO", "iS"], **more
    )
    rows = {row["measure"]: row for row in report.results}
    return rows["UiO"]["denominator"], rows["UiO"]["numerator"], rows["iS"]["numerator"]


def refusal(original: Any, synthetic: Any = None, **more: Any) -> str:
    with pytest.raises(sqlrisk.InputError) as caught:
        found(original, synthetic, **more)
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text(data: str | bytes, name: str = "a.csv") -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return name


def parquet(keys: Any, name: str = "a.parquet", **more: Any) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"k": keys, "t": [1] * len(keys), **more}), name)
    return name


def query(sql: str, name: str = "a.parquet") -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({sql}) TO 'made' (FORMAT parquet)")
    return str(Path("made").rename(name))


# ---- CSV
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "people", "unique"),
    few([
        ('k,t\n"",1\n,1\nx,1\n', 3, 3),  # '' is not NULL
        ("k,t\n,1\n,1\nx,1\n", 3, 1),
        ("k,t\nNA,1\nNULL,1\n,1\nnan,1\n", 4, 4),  # words are words
        ("k,t\n01,1\n1,1\n001,1\n", 3, 3),
        ("k,t\n1234567890123456789,1\n1234567890123456788,1\n", 2, 2),
        ("k,t\n-0,1\n0,1\n", 2, 0),
        ("k,t\n1.0,1\n1,1\n1.50,1\n1e0,1\n", 4, 1),
        ("k,t\n0.30000000000000004,1\n0.3,1\n", 2, 2),
        # too long for a number: text
        ("k,t\n12345678901234567890.5,1\n12345678901234567890.25,1\n", 2, 2),
        ("k,t\n" + "".join(f"{i},1\n" for i in range(30_000)) + "1.0,1\nabc,1\n", 30_002, 30_002),
        ("k;t\n1,5;1\n1,6;1\n", 2, 2),
        ("k\tt\na\t1\nb\t1\n", 2, 2),
        ("k|t\na|1\nb|1\n", 2, 2),
        ("k,t\na;b;c,1\nd;e;f,1\n", 2, 2),
        (b"\xef\xbb\xbfk,t\na,1\nb,1\n", 2, 2),
        (b'\xef\xbb\xbf"k","t"\na,1\nb,1\n', 2, 2),
        ("k,t\r\na,1\r\nb,1\r\n", 2, 2),
        ("k,t\ra,1\rb,1\r", 2, 2),
        ("k,t\n\na,1\n\nb,1", 2, 2),
        ('k,t\n"a\nb",1\n"a\r\nb",1\n"a,b",1\n"a ""b""",1\n', 4, 4),
        ("k,t\nO'Brien,1\n'a,1\n#c,1\na\\,1\n", 4, 4),
        ("k,t\na\0b,1\na,1\n", 2, 2),
        ("k,t\n,1\n,1\n", 2, 0),
        ("k,t,2020\n1,1,1\n2,1,2\n", 2, 2),
    ], 6),
)  # fmt: skip
def test_a_csv_file(data: str | bytes, people: int, unique: int) -> None:
    assert found(text(data)) == (people, unique, people)
    raw = data.encode() if isinstance(data, str) else data
    assert found(text(gzip.compress(raw), "b.csv.gz"), "a.csv") == (people, unique, people)


@pytest.mark.slow
def test_quoted_line_breaks_over_many_buffers() -> None:
    assert found(text("k,t\n" + "".join(f'"a\n{i}",1\n' for i in range(200_000)))) == (200_000,) * 3


def test_any_name_of_a_column() -> None:
    for name in ('k "q", ,\nz', "a'b", "{{ k }}", "ünï; --"):
        header = '"' + name.replace('"', '""') + '"'
        assert found(text(f"{header},t\na,1\nb,1\nb,1\n"), keys=[[name]][0]) == (3, 1, 3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (f"k,t\na,1\nb,2,{SECRET}\n", ["line 3", "3 instead of 2"]),
        (f"k,t\na,1\n{SECRET}\n", ["line 3", "1 instead of 2"]),
        ("k,t\n" + "a,1\n" * 50_000 + f"b,2,{SECRET}\n", ["line 50002", "3 instead of 2"]),
        (f'k,t\na,1\nb,"{SECRET}\n', ["line 3", "quote"]),
        (f"k,t\na,1\n{SECRET}ö,1\n".encode("latin-1"), ["line 3", "UTF-8"]),
        ("k,t\n" + "a,1\n" * 300_000, None),
        (("k,t\n" + "a,1\n" * 300_000 + f"{SECRET}ö,1\n").encode("latin-1"),
            ["line 300002", "UTF-8"]),
        (f"k,t\r\na,1\n{SECRET},1\r\n", ["line end"]),
        ("k,t\n" + SECRET * 400_000 + ",1\n", ["2 MB"]),
        ("", ["empty"]),
        ("\nk,t\na,1\n", ["no header", "first line"]),
        ("k,t\n", ["no records"]),
        ("k,t", ["no records"]),
        ("k\na\n", ["targets", "'t'"]),
        ("k,t,k\na,1,2\n", ["'k' twice"]),
        ("k,t,K\na,1,2\n", ["'k' and 'K'", "case"]),
        ("k,t,\na,1,\n", ["without a name"]),
    ],
)  # fmt: skip
def test_a_bad_csv_file(data: str | bytes, words: list[str] | None) -> None:
    name = text(data, "bad.csv")
    if words is None:  # the long file without its fault
        assert found(name)[0] == 300_000
        return
    message = refusal(parquet(["a"]), name)
    assert "bad.csv" in message or "targets" in message
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize("cut", [-12, 4])
def test_a_broken_gzip_file(cut: int) -> None:
    whole = gzip.compress(f"k,t\n{SECRET},1\n".encode())
    assert "gzip" in refusal(text(whole[:cut], "a.csv.gz"))
    assert "gzip" in refusal(text(f"k,t\n{SECRET},1\n", "plain.csv.gz"))


def test_csv_parts_are_matched_by_name() -> None:
    text("k,t\na,1\nb,1\n", "parts/1.csv")
    text("u;t;k\n9;1;a\n9;1;c\n", "parts/2.csv")
    text("k,t\n", "parts/3.csv")
    (Path("parts") / "_SUCCESS").touch()
    for source in ("parts", "parts/*.csv", Path("parts")):
        assert found(source) == (4, 2, 4)
    text(f"k,t\n{SECRET},1,2\n", "parts/4.csv")
    assert "4.csv" in refusal("parts")
    text("k\na\n", "parts/4.csv")
    assert "'t'" in refusal("parts")


@pytest.mark.parametrize(
    ("data", "theirs", "found_in"),
    few(
        [
            ("1\n2\n", ["1", "2"], 2),
            ("01\n2\n", ["1", "2"], 1),
            ("1.0\n2\n", ["1", "2"], 1),  # beside text it is text
            ("1\n2\n", [1, 2], 2),
            ("1\n2\n", pa.array([1, 2], pa.int8()), 2),
            ("1\n2\n", [1.0, 2.5], 1),
            ("1.50\n2\n", [1.5, 2.0], 2),
            ("1.5\n2\n", [Decimal("1.50"), Decimal("2.00")], 2),
            ("1\n0\n", [True, False], 2),
            ("1234567890123456789\n5\n", [1234567890123456789, 6], 1),
            ("x\ny\n", pa.array(["x", "z"]).dictionary_encode(), 1),
        ]
    ),
)
def test_csv_beside_parquet(data: str, theirs: Any, found_in: int) -> None:
    rows = "k,t\n" + data.replace("\n", ",1\n")
    assert found(text(rows), parquet(theirs)) == (2, 2, found_in)


def test_csv_that_cannot_meet_parquet() -> None:
    zeros = text("k,t\n01,1\n")
    assert "text in 'a.csv', whole numbers" in refusal(zeros, parquet([1]))
    large = text("k,t\n9007199254740993,1\n")
    assert "too large" in refusal(large, parquet([1.0]))


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 0.5])
def test_bins_of_csv_numbers_are_those_of_parquet(step: float) -> None:
    values = [i * step for i in range(-5, 200)]
    numbers = text("k,t\n" + "".join(f"{value},1\n" for value in values))
    two: dict[str, Any] = {"bins": {"k": 4}}
    assert found(numbers, **two) == found(parquet(values), **two) == (205, 0, 205)
    report = sqlrisk.score(numbers, parquet(values), keys=["k"], targets=["t"], **two)
    assert report.original["classes"] == 4


# ---- Parquet
# --------------------------------------------------------------------------------------------------

DAY = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - a column without a zone


@pytest.mark.parametrize(
    ("ours", "theirs", "found_in"),
    few(
        [
            (pa.array(["a", "b"]).dictionary_encode(), ["a", "c"], 1),
            ([Decimal("1.00"), Decimal("2.50")], [1, 2], 1),
            ([Decimal("1.00"), Decimal("2.50")], [Decimal("1.0"), Decimal("2.5")], 2),
            ([Decimal("1.10"), Decimal("2.50")], [1.1, 2.4], 1),
            ([True, False], [1, 2], 1),
            ([DAY.date(), dt.date(2020, 1, 2)], [DAY, dt.datetime(2020, 1, 2, 3)], 1),  # noqa: DTZ001
            ([DAY.date(), dt.date(2020, 1, 2)], pa.array([DAY, DAY], pa.timestamp("ns")), 1),
            ([1, 2**53], [1.0, 2.0**53], 2),
            (pa.array([Decimal(1), Decimal(2**53)], pa.decimal128(20, 0)), [1.0, 2.0**53], 2),
            (pa.array([Decimal("0.1"), Decimal(2)], pa.decimal128(38, 37)), [0.1, 3.0], 1),
            (pa.array([2**63 + 1, 1], pa.uint64()), [-1, 1], 1),
            (pa.array([0.1, 2.0], pa.float32()), [0.1, 3.0], 1),
            ([float("nan"), -0.0], [None, 0.0], 2),
            (pa.nulls(2), ["a", None], 2),
            (pa.array(["a", "b"], pa.large_string()), ["a", "c"], 1),
            ([b"a\xff", b"b"], [b"a\xff", b"c"], 1),
        ],
        4,
    ),
)
def test_types_that_meet(ours: Any, theirs: Any, found_in: int) -> None:
    assert found(parquet(ours), parquet(theirs, "b.parquet"))[2] == found_in
    assert (
        found(pa.table({"k": ours, "t": [1, 1]}), pa.table({"k": theirs, "t": [1, 1]}))[2]
        == found_in
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ([1], [SECRET], ["whole numbers in 'a.parquet'", "text in 'b.parquet'"]),
        ([True], [1.0], ["true and false in", "numbers in"]),
        ([2**53 + 1], [1.0], ["has whole numbers in 'a.parquet' that are too large"]),
        (
            pa.array([Decimal(2**53), Decimal(2**53 + 1)], pa.decimal128(20, 0)),
            [1.0, 2.0**53],
            ["has numbers in 'a.parquet' that are too large to be compared with DOUBLE"],
        ),
        (
            pa.array([Decimal(2**24 + 1)], pa.decimal128(12, 2)),
            pa.array([1.0], pa.float32()),
            ["too large to be compared with FLOAT"],
        ),
        ([b"a"], [SECRET], ["BLOB", "text"]),
        ([[SECRET]], [[SECRET]], ["structures"]),
        ([dt.date(9999, 1, 1)], pa.array([DAY], pa.timestamp("ns")), ["do not fit"]),
        (pa.array([0.5], pa.float32()), [1e300], ["do not fit"]),
        (pa.array([], pa.int64()), [1], ["no records"]),
    ],
)
def test_types_that_do_not_meet(ours: Any, theirs: Any, words: list[str]) -> None:
    message = refusal(parquet(ours), parquet(theirs, "b.parquet"))
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(
    "value",
    [
        "170141183460469231731687303715884105727::HUGEINT",
        "'a'::ENUM('a', 'b')",
        "uuid()",
        "TIME '10:00'",
    ],
)
def test_types_of_the_engine(value: str) -> None:
    assert found(query(f"SELECT {value} AS k, 1 AS t")) == (1, 1, 1)


def test_broken_parquet_files() -> None:
    whole = Path(query("SELECT i AS k, i AS t FROM range(10000) AS r(i)")).read_bytes()
    for name, data in (
        ("text.parquet", f"{SECRET},1\n".encode() * 50),
        ("cut.parquet", whole[:-100]),
        ("middle.parquet", whole[:2000] + b"\xff" * 3000 + whole[5000:]),
    ):
        message = refusal(text(data, name))
        assert name in message
        assert "broken" in message
    words = pa.array([SECRET.encode() + b"\xff"]).view(pa.string())
    assert "UTF-8" in refusal(parquet(words, "latin.parquet"))


def test_parquet_parts_are_matched_by_name() -> None:
    query("SELECT 'a' AS k, 1 AS t, 5 AS u", "parts/1.parquet")
    query("SELECT 2 AS x, 1 AS t, 'b' AS k", "parts/2.parquet")
    query("SELECT 1 AS t, 'b' AS k", "parts/deep/3.parquet")
    assert found("parts") == found("parts/**/*.parquet") == (3, 1, 3)
    assert "'u'" in refusal("parts", keys=["u"])


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ("1", "1.4::DOUBLE", ["'k'", "INTEGER", "DOUBLE", "2.parquet"]),
        ("1", f"'{SECRET}'", ["'k'", "INTEGER", "VARCHAR"]),
        ("1.5::DECIMAL(5,1)", "1.45::DECIMAL(5,2)", ["'k'", "DECIMAL"]),
        ("1", "2::BIGINT", None),
        ("1", "2::UBIGINT", None),
    ],
)
def test_types_of_parts(ours: str, theirs: str, words: list[str] | None) -> None:
    query(f"SELECT {ours} AS k, 1 AS t", "parts/1.parquet")
    query(f"SELECT {theirs} AS k, 1 AS t", "parts/2.parquet")
    if words is None:
        assert found("parts") == (2, 2, 2)
    else:
        message = refusal("parts")
        assert not [
            word for word in words if word not in message.replace("1.parquet", "2.parquet")
        ], message


@pytest.mark.slow
def test_floats_of_2_bytes_are_their_shortest_decimals() -> None:
    every = np.arange(2**16, dtype="uint16").view("float16")
    table = pa.table({"k": every.astype(str).astype(float), "t": [1] * len(every)})
    # Not unique are 0, -0 and those that are not a number.
    assert found(parquet(every), table) == (2**16, 2**16 - 2048, 2**16)
    near = pa.table({"near": pa.array(np.array([0.1], "float16")), "t": [1]})
    pq.write_table(near, "near.parquet")
    same = near.set_column(0, "near", pa.array([0.1]))
    report = sqlrisk.score("near.parquet", same, keys=["near"], targets=["t"], measures=["repU"])
    assert report["repU"].rows[0]["numerator"] == 1
    for number in (1, 2):
        parquet(np.array([0.1, number / 10], dtype="float16"), f"parts/{number}.parquet")
    assert found("parts", parquet([0.1], "tenth.parquet")) == (4, 1, 3)
    rows = sqlrisk.records("parts", "tenth.parquet", keys="k", targets="t")
    assert [row["n_syn_class"] for row in rows] == [1, 1, 1, 0]
    parquet(pa.array([0.1], pa.float32()), "parts/3.parquet")
    assert "'k' as FLOAT and as DOUBLE" in refusal("parts")


def test_partition_folders() -> None:
    for year in (2020, 2021):
        query(f"SELECT {year} % 2 AS k, 1 AS t", f"hive/year={year}/a.parquet")
    assert found("hive", keys=["year", "k"]) == (2, 2, 2)
    assert found("hive", keys=["k"]) == (2, 2, 2)
    # a column may be in the files, too, as some writers have it
    for k in ("1", "02", "__HIVE_DEFAULT_PARTITION__"):
        query(f"SELECT TRY_CAST('{k}' AS INTEGER) AS k, 1 AS t", f"both/k={k}/a.parquet")
    assert found("both") == (3, 3, 3)


def test_a_nested_field_is_no_column() -> None:
    for year in (2020, 2021):
        query(
            f"SELECT {year} % 2 AS k, 1 AS t, {{'year': 1999, 'month': 1}} AS born",
            f"hive/year={year}/a.parquet",
        )
    assert found("hive", keys=["year", "k"]) == (2, 2, 2)
    exact = pa.array([{"k": Decimal(10**39)}, {"k": None}], pa.struct({"k": pa.decimal256(40, 0)}))
    assert found(parquet([0.5, 1.5], income=exact)) == (2, 2, 2)


@pytest.mark.parametrize("inside", ["7", "1", "NULL::INTEGER", "'2'", None])
def test_a_folder_that_says_another_value_than_its_files(inside: str | None) -> None:
    query("SELECT 1 AS k, 1 AS t, 1 AS u", "both/k=1/a.parquet")
    query(
        f"SELECT {'' if inside is None else f'{inside} AS k, '}1 AS t, 2 AS u", "both/k=2/b.parquet"
    )
    if inside == "'2'":
        assert "hold the column 'k' as VARCHAR and as INTEGER" in refusal("both")
        return
    message = refusal("both")
    if inside is None:
        assert "k" in message
    else:
        assert (
            "The folder names of 'both' give values of 'k' that differ from those in the "
            "files, first in 'both/k=2/b.parquet'"
        ) in message
    assert found("both", keys=["u"]) == (2, 2, 2)
    if inside is not None:
        assert found("both/**/*.parquet") == (2, 0 if inside == "1" else 2, 2)


@pytest.mark.parametrize(
    "stem",
    few(
        [
            "it's",
            'a "b" c',
            "[1]",
            "a*b",
            "what?",
            "{x,y}",
            "ünï",
            "a\nb",
            "a;b",
            "-o",
            "~x",
            "$HOME",
            "%20",
        ],
        4,
    ),
)
def test_any_name_of_a_file(stem: str) -> None:
    for decoy in ("1", "aXb", "what!", "x"):
        query("SELECT i AS k, 1 AS t FROM range(9) AS r(i)", f"{decoy}.parquet")
        text("k,t\n" + "1,1\n" * 9, f"{decoy}.csv")
    assert found(
        query("SELECT 1 AS k, 1 AS t", f"{stem}.parquet"), text("k,t\n1,1\n", f"{stem}.csv")
    ) == (1, 1, 1)


def test_a_file_whose_name_is_no_text() -> None:
    name = os.fsdecode(b"a\xff.parquet")
    try:
        Path(query("SELECT 1 AS k, 1 AS t")).rename(name)
    except OSError:  # this file system takes no such name: then nobody can give one
        return
    assert "rename" in refusal(name)


# ---- tables
# --------------------------------------------------------------------------------------------------

MANY = 300_000  # more than one batch


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    few([
        (pd.DataFrame({"k": [1.0, float("nan")], "t": 1}), pa.table({"k": [1, None], "t": [1, 1]}),
            (2, 2, 2)),
        (pd.DataFrame({"k": ["a", None], "t": 1}), pa.table({"k": ["a", None], "t": [1, 1]}),
            (2, 2, 2)),
        (pd.DataFrame({"k": pd.Categorical(["a", "b"]), "t": 1}),
            pa.table({"k": ["a", "c"], "t": [1, 1]}), (2, 2, 1)),
        (pd.DataFrame({"k": pd.array([1, None], "Int64"), "t": 1}),
            pl.DataFrame({"k": [1, 2], "t": 1}), (2, 2, 1)),
        (pd.DataFrame({"k": [1, 2], "t": 1}, index=pd.Index([1, "x"], name="k")), None, (2, 2, 2)),
        (pd.DataFrame({"k": [1, 2, 3], "t": 1}).query("k > 1"), None, (2, 2, 2)),
        (pd.DataFrame({"k": [1, 2], "t": 1, "u": pd.Series([1, SECRET], dtype=object)}), None,
            (2, 2, 2)),
        (
            pl.DataFrame({"k": ["a", "b"], "t": 1}, schema_overrides={"k": pl.Categorical}),
            pl.DataFrame({"k": ["b"], "t": 1}),
            (2, 2, 1),
        ),
        (pl.DataFrame({"k": ["a", None], "t": 1}, schema_overrides={"k": pl.Enum(["a", "z"])}),
            None, (2, 2, 2)),
        (pl.DataFrame({"k": range(MANY), "t": 1}), None, (MANY, MANY, MANY)),
        (pa.concat_tables([pa.table({"k": [i] * MANY, "t": [1] * MANY}) for i in range(3)]), None,
            (3 * MANY, 0, 3 * MANY)),
        (pa.record_batch({"k": [1], "t": [1]}), None, (1, 1, 1)),
    ]),
)  # fmt: skip
def test_a_table(ours: Any, theirs: Any, expected: tuple[int, int, int]) -> None:
    assert found(ours, theirs) == expected


def test_a_relation_of_another_connection() -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS k, i % 3 AS t FROM range(5000) AS r(i)"
        )
        assert found(connection.table("people"), connection.sql("FROM people WHERE k < 10")) == (
            5000,
            5000,
            10,
        )
        message = refusal(
            connection.sql(f"SELECT '{SECRET}'::ENUM('{SECRET}') AS k, 1 AS t"), parquet([1])
        )
        assert "cannot be compared" in message


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pd.DataFrame({"k": [SECRET, 1], "t": 1}), ["'k'", "the original", "mixed types"]),
        (pd.DataFrame({"k": [1, SECRET], "t": 1}), ["'k'", "mixed types"]),
        (pd.DataFrame({"k": [1j], "t": 1}), ["'k'"]),
        (pd.DataFrame([[1, 2, 3]], columns=["k", "k", "t"]), ["'k' twice"]),
        (pd.DataFrame({"k": [], "t": []}), ["no records"]),
        # with pandas 2 it is nothing that could be one
        (pd.Series([1], name="k"), ["Series", "table"]),
        (pl.Series("k", [1]), ["Series", "not a table"]),
        (
            pl.DataFrame({"k": [SECRET], "t": 1}).lazy().with_columns(pl.col("k").cast(int)),
            ["polars query failed", "collect()"],
        ),
        (
            pl.DataFrame({"k": [1], "t": 1}).lazy().with_columns(pl.col("none")),
            ["polars query failed"],
        ),
        (
            duckdb.sql(
                f"SELECT CAST(text AS INTEGER) AS k, 1 AS t FROM (VALUES ('{SECRET}')) x(text)"
            ),
            ["DuckDB query failed (ConversionException)", "fetchall()"],
        ),
    ],
)
def test_a_bad_table(table: Any, words: list[str]) -> None:
    message = refusal(table, parquet([1]))
    assert [word for word in words if word not in message] == [], message


def test_each_file_below_a_folder_is_a_synthesis(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / "2024" / name).mkdir(parents=True)
        pq.write_table(pa.table({"k": [name]}), tmp_path / "2024" / name / "cart.parquet")
    found = read_syntheses({"cart": f"{tmp_path}/**/cart.parquet"})
    assert [(each.label, Path(each.source.label).parent.name) for each in found] == [
        ("cart 1", "a"),
        ("cart 2", "b"),
    ]
