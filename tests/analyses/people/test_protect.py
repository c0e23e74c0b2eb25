"""A protected file: the input's own records, types and order, without those that single people out;
or with a flag on them.
"""

import csv
import gzip
import io
import json
import os
import random
import re
import stat
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import forks
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.people import parquet_copy
from sqlrisk.inputs.sources import read_source

ROOT = Path(__file__).resolve().parents[3]
KEYS = ["sex", "town"]
BOTH: dict[str, Any] = {"keys": KEYS}


def table(seed: int, rows: int = 400) -> pa.Table:
    """A file whose classes are of all sizes; ``place`` tells where a record stood."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
            "town": rng.choices([*range(rows // 4), None], k=rows),
            "ill": rng.choices(["y", "n", None], [2, 6, 1], k=rows),
            "place": range(rows),
        }
    )


def expected(synthetic: pa.Table, original: pa.Table, keys: Sequence[str] = KEYS) -> list[bool]:
    """Which synthetic records are replicated uniques, counted one by one."""
    sides = [
        [tuple(row[key] for key in keys) for row in each.to_pylist()]
        for each in (synthetic, original)
    ]
    counts = [Counter(side) for side in sides]
    return [counts[0][key] == 1 and counts[1][key] == 1 for key in sides[0]]


def kept(synthetic: pa.Table, original: pa.Table, keys: Sequence[str] = KEYS) -> pa.Table:
    """What must be left."""
    return synthetic.filter(pa.array([not hit for hit in expected(synthetic, original, keys)]))


ORIGINAL, SYNTHETIC = table(1), table(2)
LEFT = kept(SYNTHETIC, ORIGINAL)
GONE = SYNTHETIC.num_rows - LEFT.num_rows
assert GONE > 20


@pytest.fixture
def original(tmp_path: Path) -> str:
    pq.write_table(ORIGINAL, tmp_path / "o.parquet")
    return str(tmp_path / "o.parquet")


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    """A folder for the output; nothing else may be in it afterwards."""
    folder = tmp_path / "out"
    folder.mkdir()
    yield folder
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


# ---- what is left


def test_the_records_that_are_left_are_those_of_the_input(
    original: str, tmp_path: Path, out: Path
) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "s.parquet", row_group_size=37)
    done = sqlrisk.protect(original, str(tmp_path / "s.parquet"), output=out / "p.parquet", **BOTH)
    found = pq.read_table(out / "p.parquet")
    assert found.equals(LEFT)
    assert (done.records, done.singled_out, done.written) == (400, GONE, 400 - GONE)
    assert stat.S_IMODE((out / "p.parquet").stat().st_mode) == 0o600


def test_no_replicated_unique_is_left_and_the_measures_are_those_of_score(
    original: str, out: Path
) -> None:
    question: dict[str, Any] = {
        **BOTH,
        "targets": ["ill"],
        "measures": ["UiO", "UiOiS", "repU", "DiSCO", "DCAP"],
    }
    done = sqlrisk.protect(
        original, SYNTHETIC, output=out / "p.parquet", keys=KEYS, targets=["ill"]
    )
    names = ("measure", "target", "numerator", "denominator", "value")
    for rows, file in ((done.before, SYNTHETIC), (done.after, str(out / "p.parquet"))):
        report = sqlrisk.score(original, file, **question)
        for row, scored in zip(rows, report.results, strict=True):
            assert [row[name] for name in names[:2]] == [scored[name] for name in names[:2]]
            assert [row[name] for name in names[2:]] == pytest.approx(
                [scored[name] for name in names[2:]], rel=1e-12
            )
    numbers = {row["measure"]: row for row in done.measures}
    assert numbers["repU"]["before"]["numerator"] == GONE
    assert numbers["repU"]["after"]["numerator"] == 0
    assert numbers["UiO"]["after"] == numbers["UiO"]["before"]


def test_uniques_of_the_original(original: str, out: Path) -> None:
    done = sqlrisk.protect(
        original=original, output=out / "p.parquet", side="original", keys=KEYS, targets=["ill"]
    )
    keys = [(row["sex"], row["town"]) for row in ORIGINAL.to_pylist()]
    left = ORIGINAL.filter(pa.array([Counter(keys)[key] > 1 for key in keys]))
    assert pq.read_table(out / "p.parquet").equals(left)
    assert done.singled_out == 400 - left.num_rows > 20
    report = sqlrisk.score(
        original, original, keys=KEYS, targets=["ill"], measures=["UiO", "Dorig"]
    )
    assert [row["numerator"] for row in done.before] == [row["numerator"] for row in report.results]
    after = {row["measure"]: row["after"] for row in done.measures}
    assert after["UiO"] == {"numerator": 0, "denominator": left.num_rows, "value": 0.0}
    assert after["Dorig"]["numerator"] == done.before[1]["numerator"] - done.singled_out


@pytest.mark.parametrize("threads", some([2], [1, 2]))
@pytest.mark.parametrize("form", few(["parquet", "csv"]))
def test_a_large_file_keeps_its_order(tmp_path: Path, out: Path, threads: int, form: str) -> None:
    rows = 130_000  # more than the engine keeps in one group of rows
    synthetic = table(5, rows).append_column(
        "text", pa.array([f"t{place * 7919 % rows}" for place in range(rows)])
    )
    people = table(6, rows)
    for name, each in (("s", synthetic), ("o", people)):
        pq.write_table(each, tmp_path / f"{name}.parquet", row_group_size=7_000)
    source, output = str(tmp_path / "s.parquet"), out / f"p.{form}"
    sqlrisk.protect(
        str(tmp_path / "o.parquet"),
        source,
        output=output,
        threads=threads,
        memory_limit="300MB",
        **BOTH,
    )
    left = kept(synthetic, people)
    found = pq.read_table(output) if form == "parquet" else pc.read_csv(output)
    assert found.column("place").equals(left.column("place"))
    assert found.column("text").equals(left.column("text"))
    assert rows > left.num_rows > rows / 2


@pytest.mark.slow
@pytest.mark.parametrize("group", some([3_000_000], [100_000, 3_000_000]))
def test_a_large_file_is_copied_in_pieces(tmp_path: Path, group: int) -> None:
    """Of 24 MB, only a few pieces of 1 MB are in memory."""
    numbers = pa.table({"place": range(3_000_000)})
    path = tmp_path / "s.parquet"
    pq.write_table(numbers, path, group, use_dictionary=False, compression="none")
    before, held = pa.total_allocated_bytes(), []
    read = parquet_copy.copy(
        read_source(str(path), "the file"),
        str(tmp_path / "p.parquet"),
        lambda first, _last: [first],
        folder_types={},
        folder_value=lambda _name, text: text,
        progress=lambda _records: held.append(pa.total_allocated_bytes() - before),
    )
    assert (read, path.stat().st_size > 24e6, len(held) > 20) == (3_000_000, True, True)
    assert max(held) < 12e6
    assert pq.read_metadata(tmp_path / "p.parquet").num_rows == read - len(held)


# ---- sources


def parts_of(synthetic: pa.Table, folder: Path, suffix: str) -> None:
    """Three parts, the second without records."""
    for name, part in (
        ("a", synthetic.slice(0, 150)),
        ("b", synthetic.slice(0, 0)),
        ("c", synthetic.slice(150)),
    ):
        path = folder / f"s_{name}{suffix}"
        if suffix == ".parquet":
            pq.write_table(part, path, row_group_size=40)
        else:
            pc.write_csv(part, path)


@pytest.mark.parametrize("suffix", few([".parquet", ".csv"], 2))
def test_parts_become_one_file(original: str, tmp_path: Path, out: Path, suffix: str) -> None:
    parts_of(SYNTHETIC, tmp_path, suffix)
    sqlrisk.protect(original, f"{tmp_path}/s_*{suffix}", output=out / "p.parquet", **BOTH)
    assert pq.read_table(out / "p.parquet").equals(LEFT)


@pytest.mark.parametrize(
    ("name", "value"),
    few(
        [
            # a time with an offset is text, as no other file has instants
            ("2020-01-01 12:30:00+01", "2020-01-01 12:30:00+01"),
            ("2020-01-01 12:30:00.25Z", "2020-01-01 12:30:00.25Z"),
            ("2020-01-01 12:30:00.25", datetime.fromisoformat("2020-01-01 12:30:00.250")),
            ("2020-1-1", date(2020, 1, 1)),
            (" 5", 5),
            ("05", "05"),
        ]
    ),
)
def test_a_folder_is_written_as_it_is_read(
    tmp_path: Path, out: Path, name: str, value: object
) -> None:
    (tmp_path / "data" / f"ts={name}").mkdir(parents=True)
    pq.write_table(pa.table({"k": [1, 1, 2]}), tmp_path / "data" / f"ts={name}" / "a.parquet")
    sqlrisk.protect(tmp_path / "data", tmp_path / "data", output=out / "p.parquet", keys="k,ts")
    assert pq.read_table(out / "p.parquet").to_pylist() == [{"k": 1, "ts": value}] * 2


@pytest.mark.slow
def test_a_folder_keeps_the_columns_of_its_folder_names(
    original: str, tmp_path: Path, out: Path
) -> None:
    folders = [
        ("New%20York", "2020-01-02"),
        ("__HIVE_DEFAULT_PARTITION__", "2020-01-03"),
        ("x", "2021-05-06"),
    ]
    for number, (city, day) in enumerate(folders):
        path = tmp_path / "data" / f"city={city}" / f"day={day}" / f"n={number}"
        path.mkdir(parents=True)
        pq.write_table(
            SYNTHETIC.slice(number * 100, 100 if number < 2 else 200), path / "part.parquet"
        )
    sqlrisk.protect(original, tmp_path / "data", output=out / "p.parquet", **BOTH)
    # in the order of the paths
    order = sorted(range(3), key=lambda number: folders[number])
    whole = pa.concat_tables([SYNTHETIC.slice(n * 100, 100 if n < 2 else 200) for n in order])
    found = pq.read_table(out / "p.parquet")
    assert found.select(SYNTHETIC.column_names).equals(kept(whole, ORIGINAL))
    cities = {0: "New York", 1: None, 2: "x"}
    places = [min(place // 100, 2) for place in found.column("place").to_pylist()]
    assert found.column("city").to_pylist() == [cities[place] for place in places]
    assert found.column("day").to_pylist() == [
        date.fromisoformat(folders[place][1]) for place in places
    ]
    assert found.column("n").to_pylist() == places
    # and as the engine reads them
    csv_too = out / "p.csv"
    sqlrisk.protect(original, tmp_path / "data", output=csv_too, **BOTH)
    assert (
        pc.read_csv(csv_too, convert_options=pc.ConvertOptions(strings_can_be_null=True))
        .select(["city", "day", "n"])
        .equals(found.select(["city", "day", "n"]))
    )


@pytest.mark.slow
def test_whole_numbers_of_parts_take_the_largest_size(
    original: str, tmp_path: Path, out: Path
) -> None:
    small = SYNTHETIC.set_column(3, "place", SYNTHETIC.column("place").cast(pa.int16()))
    pq.write_table(small.slice(0, 200), tmp_path / "s_1.parquet")
    pq.write_table(
        SYNTHETIC.slice(200).select(["place", "ill", "town", "sex"]), tmp_path / "s_2.parquet"
    )
    sqlrisk.protect(original, f"{tmp_path}/s_*.parquet", output=out / "p.parquet", **BOTH)
    assert pq.read_table(out / "p.parquet").equals(LEFT)


TYPED = {
    "small": pa.array([1, None, 3], pa.int8()),
    "half": pa.array([1.5, None, -0.0]).cast(pa.float16()),
    "long": pa.array(["a", "", None], pa.large_string()),
    "bytes": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "second": pa.array([1_577_836_800_000, None, -1], pa.timestamp("ms")),
    "zoned": pa.array([1_577_836_800_000_001, None, -1], pa.timestamp("us", tz="Europe/Vienna")),
    "time": pa.array([time(1, 2, 3), None, time(4)], pa.time32("ms")),
    "exact": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(9, 2)),
    "category": pa.array(["x", "y", None]).dictionary_encode(),
    "nothing": pa.nulls(3),
    "list": pa.array([[1], None, []], pa.list_(pa.int32())),
    "struct": pa.array([{"a": 1}, None, {"a": None}]),
    "id": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([uuid.UUID(int=n).bytes for n in range(3)], pa.binary(16))
    ),
}


def test_what_would_be_rounded_is_refused(tmp_path: Path, out: Path) -> None:
    huge = pa.array([Decimal("1.5"), None], pa.decimal256(60, 2))
    pq.write_table(pa.table({"k": [1, 2], "huge": huge}), tmp_path / "s.parquet")
    with pytest.raises(sqlrisk.InputError, match=r"'huge' .* decimals of more than 38 digits"):
        sqlrisk.protect(
            pa.table({"k": [2, 1]}), str(tmp_path / "s.parquet"), output=out / "p.parquet", keys="k"
        )
    assert not any(out.iterdir())


def test_a_frame_that_no_file_can_hold_is_refused(out: Path) -> None:
    mixed = pd.DataFrame({"k": [1, 2], "more": [1, "a"]})
    with pytest.raises(
        sqlrisk.InputError, match="cannot be written: a column holds values of mixed types"
    ):
        sqlrisk.protect(pa.table({"k": [2, 1, 3]}), mixed, output=out / "p.parquet", keys="k")
    assert not (out / "p.parquet").exists()


@pytest.mark.parametrize("flag", [False, True])
def test_types_and_metadata_stay(tmp_path: Path, out: Path, flag: bool) -> None:
    # record 2 of the synthetic file is unique on both sides
    synthetic = pa.table({"k": [1, 2, 1], **TYPED}).replace_schema_metadata({"made by": "hand"})
    pq.write_table(synthetic, tmp_path / "s.parquet", row_group_size=2)
    sqlrisk.protect(
        pa.table({"k": [2, 1, 3]}),
        str(tmp_path / "s.parquet"),
        output=out / "p.parquet",
        keys="k",
        flag=flag,
    )
    found = pq.read_table(out / "p.parquet")
    wanted = pq.read_table(tmp_path / "s.parquet")
    assert found.schema.metadata[b"made by"] == b"hand"
    if flag:
        assert found.column("replicated_unique").to_pylist() == [False, True, False]
        assert found.drop_columns("replicated_unique").equals(wanted)
    else:
        assert found.equals(wanted.filter(pa.array([True, False, True])))
        assert found.schema.equals(wanted.schema)


@pytest.mark.slow
def test_a_pandas_file_is_read_back_by_pandas(original: str, tmp_path: Path, out: Path) -> None:
    frame = (
        SYNTHETIC.to_pandas()
        .astype({"ill": "category"})
        .set_index(pd.Index([f"p{number}" for number in range(400)], name="person"))
    )
    frame.to_parquet(tmp_path / "s.parquet")
    for source, name in ((str(tmp_path / "s.parquet"), "p"), (frame, "q")):
        sqlrisk.protect(original, source, output=out / f"{name}.parquet", **BOTH)
        pd.testing.assert_frame_equal(
            pd.read_parquet(out / f"{name}.parquet"), frame.iloc[LEFT.column("place").to_pylist()]
        )


def lazily(table: pa.Table) -> pl.LazyFrame:
    return pl.DataFrame(table).lazy()


def with_categories(table: pa.Table) -> pl.DataFrame:
    return pl.DataFrame(table).with_columns(pl.col("sex").cast(pl.Enum(["m", "f"])))


@pytest.mark.parametrize("suffix", few(["parquet", "csv"]))
@pytest.mark.parametrize(
    "make",
    [
        pa.Table.to_pandas,
        pl.from_arrow,
        lazily,
        with_categories,
        pa.Table.to_reader,
        lambda each: each,
    ],
)
def test_tables_of_python(original: str, out: Path, make: Any, suffix: str) -> None:
    source = make(SYNTHETIC)
    sqlrisk.protect(original, source, output=out / f"p.{suffix}", **BOTH)
    found = pq.read_table(out / "p.parquet") if suffix == "parquet" else pc.read_csv(out / "p.csv")
    assert found.column("place").to_pylist() == LEFT.column("place").to_pylist()
    assert found.column_names == SYNTHETIC.column_names
    if isinstance(source, pl.DataFrame) and suffix == "parquet":
        assert pl.read_parquet(out / "p.parquet").equals(
            source.filter(pl.col("place").is_in(LEFT.column("place").to_pylist()))
        )


def test_a_csv_file_lacks_an_index_of_pandas_without_a_name(original: str, out: Path) -> None:
    frame = SYNTHETIC.to_pandas().sample(frac=1, random_state=3)
    for name, source in (("p", frame), ("q", frame.rename_axis("person"))):
        sqlrisk.protect(original, source, output=out / f"{name}.csv", **BOTH)
    found, named = pc.read_csv(out / "p.csv"), pc.read_csv(out / "q.csv")
    assert found.column_names == SYNTHETIC.column_names
    assert sorted(found["place"].to_pylist()) == LEFT["place"].to_pylist()
    assert named.column_names == [*SYNTHETIC.column_names, "person"]


def test_streams_are_read_for_the_measures_before_and_after(out: Path) -> None:
    for side, synthetic in (("synthetic", SYNTHETIC), ("original", None)):
        path, asked = out / f"{side}.parquet", {"side": side, **BOTH}
        expected = sqlrisk.protect(ORIGINAL, synthetic, output=out / "tables.parquet", **asked)
        streamed = synthetic and synthetic.to_reader()
        done = sqlrisk.protect(ORIGINAL.to_reader(), streamed, output=path, **asked)
        assert done.measures == expected.measures
        assert pq.read_table(path).equals(pq.read_table(out / "tables.parquet"))


# ---- CSV

TEXTS = [
    "007",
    "1.50",
    " lead",
    "",
    None,
    'say "x"',
    "a;b",
    "a,b",
    "line\nbreak",
    "é",
    "-0",
    "1e5",
    "NULL",
    "#",
    "x",
]


@pytest.mark.parametrize(
    ("suffix", "delimiter"),
    few([(".csv.gz", ";"), (".csv", ","), (".csv", ";"), (".csv.gz", ",")], 4),
)
def test_texts_of_csv_round_trip(tmp_path: Path, out: Path, suffix: str, delimiter: str) -> None:
    def field(text: str | None) -> str:
        return "" if text is None else '"' + text.replace('"', '""') + '"'

    rows = [(f"{number}.0", text, f"{number / 2:.3f}") for number, text in enumerate(TEXTS * 3)]
    lines = [delimiter.join([key, field(text), amount]) for key, text, amount in rows]
    text = (
        "\n".join([delimiter.join(["k", "te;xt" if delimiter == "," else "te,xt", "n"]), *lines])
        + "\n"
    )
    data = text.encode()
    (tmp_path / f"s{suffix}").write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    # the people with even keys are found
    people = pa.table({"k": [float(key) for key in range(0, len(rows), 2)]})
    done = sqlrisk.protect(
        people, str(tmp_path / f"s{suffix}"), output=out / f"p{suffix}", keys="k"
    )
    assert done.written == len(rows[1::2])
    written = (out / f"p{suffix}").read_bytes()
    written = gzip.decompress(written) if suffix.endswith("gz") else written
    found = list(csv.reader(io.StringIO(written.decode()), delimiter=delimiter))
    assert found[1:] == [[key, text or "", amount] for key, text, amount in rows[1::2]]
    # missing and empty text stay apart
    lines = written.decode().split("\n")
    for value, shown in (("", f'{delimiter}""{delimiter}'), (None, delimiter * 2)):
        there = [row[0] for row in rows[1::2] if row[1] == value]
        assert [line.partition(delimiter)[0] for line in lines if shown in line] == there != []


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("s.csv", "sep=^\nsex^age\nf^1\nm^2\nm^2\n", ["sex", "age"]),
        ("s.tsv", "pay, net\tage, years\tsex\n1\t2\tf\n3\t4\tm\n5\t6\tm\n", ["sex"]),
    ],
)
def test_a_delimiter_that_cannot_be_guessed_is_not(
    tmp_path: Path, out: Path, name: str, text: str, keys: list[str]
) -> None:
    (tmp_path / name).write_text(text)
    people = pa.table({"sex": ["f", "m", "m"], "age": [1, 2, 2]})
    done = sqlrisk.protect(people, str(tmp_path / name), output=out / "p.csv", keys=keys)
    assert (out / "p.csv").read_text().splitlines()[1:] == text.splitlines()[-2:]
    after = {row["measure"]: row["after"]["numerator"] for row in done.measures}
    assert after == {"UiO": 1, "UiOiS": 0, "repU": 0}


def test_csv_as_parquet_has_the_types_that_are_read(tmp_path: Path, out: Path) -> None:
    (tmp_path / "s.csv").write_text("k,zip,n,x,none\n1,01,5,1.5,\n2,02,6,2,\n3,03,7,,\n")
    # text in the original
    pq.write_table(pa.table({"k": ["2", "9"], "n": ["5", "6"]}), tmp_path / "o.parquet")
    sqlrisk.protect(
        str(tmp_path / "o.parquet"), str(tmp_path / "s.csv"), output=out / "p.parquet", keys="k"
    )
    assert pq.read_table(out / "p.parquet").to_pylist() == [
        {"k": "1", "zip": "01", "n": "5", "x": 1.5, "none": None},
        {"k": "3", "zip": "03", "n": "7", "x": None, "none": None},
    ]


def test_whole_numbers_beyond_64_bits_stay_exact_in_parquet(tmp_path: Path, out: Path) -> None:
    people, made = tmp_path / "people.csv", tmp_path / "made.csv"
    ids = [12345678901234567890123, 12345678901234567890124, 5]
    people.write_text(f"age,id\n30,{ids[0]}\n")
    made.write_text("age,id\n" + "".join(f"{40 + at},{each}\n" for at, each in enumerate(ids)))
    for key, left in (("age", ids), ("id", ids[1:])):
        sqlrisk.protect(people, made, keys=[key], output=out / f"{key}.parquet")
        table = pq.read_table(out / f"{key}.parquet")
        assert [int(each) for each in table["id"].to_pylist()] == left


def test_a_text_that_one_column_declares_missing_is_none_in_parquet(
    tmp_path: Path, out: Path
) -> None:
    (tmp_path / "s.csv").write_text("age,sex\n30,f\nNA,m\n40,NA\n")
    people = pa.table({"age": [30, 41], "sex": ["f", "m"]})
    sqlrisk.protect(
        people,
        str(tmp_path / "s.csv"),
        output=out / "p.parquet",
        keys=["age", "sex"],
        column=["age.missing=NA"],
    )
    assert pq.read_table(out / "p.parquet").to_pylist() == [
        {"age": None, "sex": "m"},
        {"age": 40, "sex": "NA"},
    ]


def test_what_text_cannot_say_is_still_measured(out: Path) -> None:
    original = pa.table({"born": [date(2000, 1, 1), date(2000, 1, 2)], "t": [1.0, float("nan")]})
    synthetic = pa.table({"born": [date(2000, 1, 1), date(2001, 1, 1)], "t": [float("nan"), 1.0]})
    done = sqlrisk.protect(original, synthetic, output=out / "p.csv", keys="born", targets="t")
    assert (out / "p.csv").read_text() == "born,t\n2001-01-01,1.0\n"
    after = {row["measure"]: row["after"]["numerator"] for row in done.measures}
    assert after == {"UiO": 2, "UiOiS": 0, "repU": 0, "DiSCO": 0, "DCAP": 0}


# ---- flag and label


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_flag_keeps_every_record(original: str, out: Path, suffix: str) -> None:
    done = sqlrisk.protect(
        original,
        SYNTHETIC,
        output=out / f"p.{suffix}",
        flag='fl"ag',
        label="origin=synthetic, 'of = 2020",
        **BOTH,
    )
    found = pq.read_table(out / "p.parquet") if suffix == "parquet" else pc.read_csv(out / "p.csv")
    assert found.column_names == [*SYNTHETIC.column_names, 'fl"ag', "origin"]
    assert found.column('fl"ag').to_pylist() == expected(SYNTHETIC, ORIGINAL)
    assert set(found.column("origin").to_pylist()) == {"synthetic, 'of = 2020"}
    assert found.column("place").to_pylist() == list(range(400))
    assert (done.singled_out, done.written, done.after) == (GONE, 400, None)


@pytest.mark.parametrize(
    ("side", "name"), [("synthetic", "replicated_unique"), ("original", "unique")]
)
def test_the_name_of_the_flag(original: str, out: Path, side: str, name: str) -> None:
    synthetic = None if side == "original" else SYNTHETIC
    sqlrisk.protect(
        original,
        synthetic,
        output=out / "p.parquet",
        side=side,
        flag=True,
        label={"a=b": ""},
        **BOTH,
    )
    found = pq.read_table(out / "p.parquet")
    assert found.column_names[-2:] == [name, "a=b"]
    assert 0 < sum(found.column(name).to_pylist()) < 400
    assert set(found.column("a=b").to_pylist()) == {""}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"flag": "TOWN"}, "flag: .* has a column 'town' already"),
        ({"label": "ill=x"}, "label: .* has a column 'ill' already"),
        ({"flag": "new", "label": "New=x"}, "label: .* has a column 'new' already"),
        ({"label": "no equals sign"}, "label: 'no equals sign' is not COLUMN=TEXT"),
        ({"label": "=x"}, "label: '=x' is not COLUMN=TEXT"),
        ({"side": "orignal"}, r"side: 'orignal' is not one of .*did you mean 'original'"),
        ({"side": "original"}, "leave the synthetic file out"),
        ({"keys": ["sex", "twon"]}, "did you mean 'town'"),
        ({"keys": None}, "--keys"),
        ({"targets": ["age"]}, "no file has a column 'age'"),
        ({"output": "p.json"}, "'p.json' has an extension that cannot be written"),
        ({"output": ""}, "-o FILE"),
        (
            {"synthetic": [SYNTHETIC, SYNTHETIC]},
            "'p.parquet' names one file, but there are 2 synthetic files; name a folder",
        ),
        (
            {"synthetic": [SYNTHETIC, SYNTHETIC], "output": ".."},
            "The output '..' already exists; name a new or empty folder",
        ),
        ({"synthetic": None}, "Name at least one synthetic file"),
        ({"original": None}, "Name the original file"),
        ({"synthetic": "no.parquet"}, "There is no file 'no.parquet'"),
    ],
)
def test_what_cannot_be_asked(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, more: Any, said: str
) -> None:
    monkeypatch.chdir(out)
    given = {
        "synthetic": SYNTHETIC,
        "output": "p.parquet",
        "original": ORIGINAL,
        "keys": KEYS,
        **more,
    }
    with pytest.raises(sqlrisk.InputError, match=said):
        sqlrisk.protect(**given)
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("output", ["folder", "p.sav"])
def test_outputs_of_unread_files_are_no_problem_of_their_own(tmp_path: Path, output: str) -> None:
    scenario = tmp_path / "two.toml"
    scenario.write_text("[scenario.a]\nkeys = ['sex']\n[scenario.b]\nkeys = ['age']\n", "utf-8")
    with pytest.raises(sqlrisk.InputError) as refused:
        sqlrisk.protect(ORIGINAL, SYNTHETIC, output=output, scenario=str(scenario))
    (problem,) = refused.value.problems
    assert "holds several scenarios: a, b" in problem


def test_synthetic_uniques_whose_keys_a_person_has(original: str, files: Path, out: Path) -> None:
    """As synthpop's rm.uniques.in.orig: whoever has the keys need not be alone with them."""
    people = {(row["sex"], row["town"]) for row in ORIGINAL.to_pylist()}
    keys = [(row["sex"], row["town"]) for row in SYNTHETIC.to_pylist()]
    hits = [Counter(keys)[key] == 1 and key in people for key in keys]
    done = sqlrisk.protect(
        original, SYNTHETIC, output=out / "p.parquet", uniques_in_original=True, **BOTH
    )
    assert pq.read_table(out / "p.parquet").equals(
        SYNTHETIC.filter(pa.array([not hit for hit in hits]))
    )
    assert done.singled_out == sum(hits) > GONE
    assert "uniques whose keys a person has" in done.to_text()
    assert done.to_dict()["uniques_in_original"] is True
    asked = [
        "o.parquet",
        "s.parquet",
        "--keys",
        "sex,town",
        "-o",
        "p.parquet",
        "--uniques-in-original",
        "--flag",
    ]
    assert run(*asked, folder=files)[0] == 0
    assert pq.read_table(files / "p.parquet").column("unique_in_original").to_pylist() == hits
    with pytest.raises(
        sqlrisk.InputError, match="uniques_in_original: it applies to synthetic records"
    ):
        sqlrisk.protect(
            original, output=out / "p.parquet", side="original", uniques_in_original=True, **BOTH
        )


# ---- several synthetic files, and the order of files


@pytest.mark.slow
def test_several_files_are_protected_each_by_itself(
    original: str, tmp_path: Path, out: Path
) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "a.parquet")
    other = table(3)
    pc.write_csv(other, tmp_path / "b.csv")
    files = [str(tmp_path / name) for name in ("a.parquet", "b.csv")]
    done = sqlrisk.protect(original, files, output=out / "release", keys=KEYS, targets=["ill"])
    assert isinstance(done, sqlrisk.Protections)
    alone = [
        sqlrisk.protect(original, file, output=out / f"alone.{form}", keys=KEYS, targets=["ill"])
        for file, form in zip(files, ("parquet", "csv"), strict=True)
    ]
    for name, each in (("a.parquet", "alone.parquet"), ("b.csv", "alone.csv")):
        assert (out / "release" / name).read_bytes() == (out / each).read_bytes()
        assert stat.S_IMODE((out / "release" / name).stat().st_mode) == 0o600
    assert [each.measures for each in done.files] == [each.measures for each in alone]
    assert done.measures == [
        {"synthesis": str(n), **row}
        for n, each in enumerate(alone, start=1)
        for row in each.measures
    ]
    assert (done.records, done.written) == (800, sum(each.written for each in alone))
    assert done.to_pandas()["synthesis"].tolist() == [*"11111", *"22222"]
    documents = json.loads(done.to_json())["files"]
    assert not {"sqlrisk", "schema"} & {key for document in documents for key in document}
    assert [document["output"] for document in documents] == [
        str(out / "release" / name) for name in ("a.parquet", "b.csv")
    ]
    text = done.to_text(width=400)
    assert text.startswith("Protected synthetic files\n")
    for protected in done.files:
        assert f"  {protected.source}  {protected.records}" in re.sub(" +", "  ", text)
    assert re.findall(r"^  repU  +(\d) ", text, re.MULTILINE) == ["1", "2"]


def test_a_table_of_several_files_says_why_one_has_no_numbers_after(
    original: str, tmp_path: Path, out: Path
) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "a.parquet")
    everybody = SYNTHETIC.filter(pa.array(expected(SYNTHETIC, ORIGINAL)))
    pq.write_table(everybody, tmp_path / "b.parquet")
    files = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    done = sqlrisk.protect(original, files, output=out / "release", keys=KEYS, targets=["ill"])
    assert isinstance(done, sqlrisk.Protections)
    assert [each.after is None for each in done.files] == [False, True]
    why = "–: no record of that file is left, so there is nothing to measure."
    assert why in done.to_text()
    assert why not in done.files[0].to_text()


def test_none_of_several_files_is_written_where_one_cannot_be(
    original: str, tmp_path: Path, out: Path
) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "a.parquet")
    pq.write_table(SYNTHETIC.append_column("new", pa.array([1] * 400)), tmp_path / "b.parquet")
    files = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    with pytest.raises(sqlrisk.InputError, match="has a column 'new' already"):
        sqlrisk.protect(original, files, output=out / "release", flag="new", **BOTH)
    assert list(out.iterdir()) == []


@pytest.mark.slow
def test_the_former_order_goes_on_with_a_note(files: Path, out: Path) -> None:
    protect: Any = sqlrisk.protect
    with pytest.warns(FutureWarning, match="give the original first"):
        done = protect(SYNTHETIC, out / "p.parquet", original=ORIGINAL, **BOTH)
    assert done.singled_out == GONE
    (files / "q.toml").write_text('original = "o.parquet"\nkeys = ["sex", "town"]\n')
    with pytest.warns(FutureWarning, match="give the original first"):
        done = protect(SYNTHETIC, output=out / "p.parquet", scenario=str(files / "q.toml"))
    assert done.singled_out == GONE
    asked = ["--keys", "sex,town", "-o", "p.parquet"]
    for former in (
        ["s.parquet", "--original", "o.parquet", *asked],
        ["s.parquet", "--scenario", "q.toml", "-o", "p.parquet"],
    ):
        code, _, notes = run(*former, folder=files)
        assert code == 0
        assert notes.startswith("Note: give the original first")
        assert notes.endswith(f"{400 - GONE} records in p.parquet.\n")
    code, _, notes = run("--side", "original", "--original", "o.parquet", *asked, folder=files)
    assert code == 0
    assert notes.startswith("Note: give the original first")


# ---- bins


@pytest.mark.slow
def test_bins_are_cut_anew_over_what_is_left(out: Path) -> None:
    people = pa.table({"age": [1, 2, 3, 4, 5, 6, 7, 20]})
    synthetic = pa.table({"age": [1, 2, 3, 4, 5, 6, 7, 30]})
    done = sqlrisk.protect(
        people,
        synthetic,
        output=out / "p.parquet",
        keys="age",
        bins={"age": 8},
        special={"age": ["30"]},
    )
    found = pq.read_table(out / "p.parquet").column("age").to_pylist()
    assert done.written == len(found)
    assert done.before[2]["numerator"] == 8 - len(found) > 0
    assert "Bins are cut anew" in " ".join(done.to_text().split())


# ---- what stays as it was


@pytest.mark.parametrize("kind", ["itself", "symlink", "hard link", "original", "glob", "folder"])
def test_an_input_is_never_overwritten(original: str, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "s.parquet"
    pq.write_table(SYNTHETIC, path)
    source, output = str(path), path
    if kind == "symlink":
        output = tmp_path / "link.parquet"
        output.symlink_to(path)
    elif kind == "hard link":
        output = tmp_path / "link.parquet"
        os.link(path, output)
    elif kind == "original":
        output = Path(original)
    elif kind == "glob":
        source = f"{folder}/*.parquet"
    elif kind == "folder":
        source, output = str(folder), folder / "new.parquet"
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    with pytest.raises(sqlrisk.InputError, match=r"is the input|would be a part of"):
        sqlrisk.protect(original, source, output=output, **BOTH)
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before


def test_the_old_file_stays_when_a_run_fails(original: str, out: Path, tmp_path: Path) -> None:
    (out / "p.parquet").write_text("old")
    spill = tmp_path / "spill"
    spill.mkdir()

    def stop(sql: str, _seconds: float) -> None:
        if "left_out WHERE" in sql:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sqlrisk.protect(
            original,
            SYNTHETIC,
            output=out / "p.parquet",
            trace=stop,
            temp_directory=str(spill),
            **BOTH,
        )
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("p.parquet", "old")]
    assert list(spill.iterdir()) == []


def test_a_broken_part_is_named_and_nothing_is_written(
    original: str, tmp_path: Path, out: Path
) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "s.parquet", compression="gzip", use_dictionary=False)
    data = bytearray((tmp_path / "s.parquet").read_bytes())
    place = pq.ParquetFile(tmp_path / "s.parquet").metadata.row_group(0).column(2)
    start = place.data_page_offset + 30  # inside the column that is no key
    data[start : start + 40] = b"\xff" * 40
    (tmp_path / "s.parquet").write_bytes(bytes(data))
    with pytest.raises(sqlrisk.InputError, match=r"s\.parquet' cannot be"):
        sqlrisk.protect(original, str(tmp_path / "s.parquet"), output=out / "p.parquet", **BOTH)
    assert list(out.iterdir()) == []


def test_parts_with_other_columns_are_refused(original: str, tmp_path: Path, out: Path) -> None:
    for suffix in ("parquet", "csv"):
        write = pq.write_table if suffix == "parquet" else pc.write_csv
        write(SYNTHETIC.slice(0, 9), tmp_path / f"s_1.{suffix}")
        write(SYNTHETIC.slice(9).drop_columns("ill"), tmp_path / f"s_2.{suffix}")
        with pytest.raises(sqlrisk.InputError, match="have different columns"):
            sqlrisk.protect(original, f"{tmp_path}/s_*.{suffix}", output=out / "p.parquet", **BOTH)
    assert list(out.iterdir()) == []


def test_when_nobody_is_left_the_file_is_empty(out: Path) -> None:
    same = pa.table({"k": [1, 2, 3]})
    done = sqlrisk.protect(same, same, output=out / "p.parquet", keys="k")
    assert (done.singled_out, done.written, done.after) == (3, 0, None)
    assert pq.read_table(out / "p.parquet").equals(same.slice(0, 0))
    assert "No record is left" in done.to_text()


def test_typed_levels_may_go_with_the_records(tmp_path: Path, out: Path) -> None:
    (tmp_path / "o.csv").write_text(
        "age,job,ill\n30,bus driver,flu\n45,train driver,no\n50,nurse,no\n50,nurse,no\n"
    )
    (tmp_path / "q.toml").write_text(
        'original = "o.csv"\nkeys = ["age", "job"]\ntargets = ["ill"]\n'
        'exclude_level = { ill = ["flu"] }\n'
        '[column.job.merge]\ndriver = ["bus driver", "train driver"]\n'
    )
    done = sqlrisk.protect(output=out / "p.csv", side="original", scenario=str(tmp_path / "q.toml"))
    assert (out / "p.csv").read_text() == "age,job,ill\n50,nurse,no\n50,nurse,no\n"
    after = {row["measure"]: row["after"]["numerator"] for row in done.measures}
    assert after == {"UiO": 0, "Dorig": 2}


def test_a_column_that_is_no_key_may_have_a_label(out: Path) -> None:
    people = pa.table({"age": [30, 30, 40], "note": ["a", "b", "c"]})
    done = sqlrisk.protect(
        people, output=out / "p.csv", side="original", keys="age", column=["note.label=Note"]
    )
    assert (out / "p.csv").read_text() == "age,note\n30,a\n30,b\n"
    assert [row["after"]["denominator"] for row in done.measures] == [2]


def test_text_among_numbers_may_go_with_the_records(tmp_path: Path, out: Path) -> None:
    (tmp_path / "o.csv").write_text("age\n30\n30\nunknown\n")
    file = str(tmp_path / "o.csv")
    done = sqlrisk.protect(file, file, output=out / "p.csv", keys="age")
    assert (out / "p.csv").read_text() == "age\n30\n30\n"
    after = {row["measure"]: row["after"]["numerator"] for row in done.measures}
    assert after == {"UiO": 1, "UiOiS": 0, "repU": 0}


def test_a_scenario_file_asks_the_question(original: str, tmp_path: Path, out: Path) -> None:
    pq.write_table(SYNTHETIC, tmp_path / "s.parquet")
    (tmp_path / "q.toml").write_text(
        'original = "o.parquet"\nsynthetic = "s.parquet"\nkeys = ["sex", "town"]\ntargets = '
        '["ill"]\nby = ["sex"]\n'
        'exclude_level = { ill = ["n"] }\nmeasures = ["cap"]\n'
    )
    done = sqlrisk.protect(output=out / "p.parquet", scenario=str(tmp_path / "q.toml"))
    assert pq.read_table(out / "p.parquet").equals(LEFT)
    assert [row["measure"] for row in done.measures] == ["UiO", "UiOiS", "repU", "DiSCO", "DCAP"]
    without = sqlrisk.score(
        original,
        SYNTHETIC,
        keys=KEYS,
        targets=["ill"],
        measures=["DiSCO"],
        exclude_level={"ill": ["n"]},
    )
    assert done.before[3]["numerator"] == without.results[0]["numerator"]


# ---- the command


def run(*arguments: object, folder: Path) -> tuple[int, str, str]:
    done = forks.run("protect", *arguments, cwd=folder, env={**os.environ, "COLUMNS": "80"})
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def files(tmp_path: Path) -> Path:
    pq.write_table(ORIGINAL, tmp_path / "o.parquet")
    pq.write_table(SYNTHETIC, tmp_path / "s.parquet")
    return tmp_path


def test_the_command_writes_the_file_and_prints_the_measures(files: Path) -> None:
    code, shown, notes = run(
        "o.parquet", "s.parquet", "--keys", "sex,town", "-o", "p.parquet", folder=files
    )
    assert (code, notes) == (0, f"{400 - GONE} records in p.parquet.\n")
    assert pq.read_table(files / "p.parquet").equals(LEFT)
    words = " ".join(shown.split())
    assert f"s.parquet 400 {GONE} {400 - GONE} p.parquet" in words
    assert "taken out ─" in words
    assert f"repU {GONE} {GONE / 4:.2f} 0 0.00" in words


@pytest.mark.slow
def test_the_command_prints_json_and_csv(files: Path) -> None:
    asked = [
        "o.parquet",
        "s.parquet",
        "--keys",
        "sex,town",
        "--targets",
        "ill",
        "-q",
        "-o",
        "p.parquet",
    ]
    code, shown, notes = run(*asked, "--format", "json", folder=files)
    assert (code, notes) == (0, "")
    document = json.loads(shown)
    assert (document["records"], document["singled_out"], document["written"]) == (
        400,
        GONE,
        400 - GONE,
    )
    assert document["measures"][2]["before"] == {
        "numerator": GONE,
        "denominator": 400,
        "value": GONE / 4,
    }
    code, shown, _ = run(*asked, "--format", "csv", folder=files)
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [row["measure"] for row in rows] == ["UiO", "UiOiS", "repU", "DiSCO", "DCAP"]
    assert rows[2]["after_numerator"] == "0"


@pytest.mark.slow
def test_the_command_flags_and_labels(files: Path) -> None:
    asked = [
        "o.parquet",
        "s.parquet",
        "--keys",
        "sex,town",
        "-o",
        "p.csv",
        "--label",
        "made=synthetic",
    ]
    for flag, name in (("--flag", "replicated_unique"), ("--flag=risky", "risky")):
        assert run(*asked, flag, folder=files)[0] == 0
        assert (files / "p.csv").read_text().splitlines()[0] == f"sex,town,ill,place,{name},made"


@pytest.mark.slow
def test_the_command_protects_the_original_alone(files: Path) -> None:
    code, shown, _ = run(
        "--side", "original", "o.parquet", "--keys", "sex,town", "-o", "p.parquet", folder=files
    )
    assert code == 0
    assert "Protected original file" in shown
    assert pq.read_table(files / "p.parquet").num_rows < 400


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["o.parquet", "s.parquet", "--keys", "sex", "-o", "s.parquet"],
            "is the input 's.parquet'",
        ),
        pytest.param(
            ["o.parquet", "s.parquet", "--keys", "sex"], "Missing option", marks=pytest.mark.slow
        ),
        (
            ["o.parquet", "--keys", "sex", "-o", "p.csv", "--flag", "s.parquet"],
            "--flag took the next word, 's.parquet', as the name of its column",
        ),
        pytest.param(
            ["--flag", "o.parquet", "s.parquet", "s.parquet", "--keys", "sex", "-o", "made"],
            "--flag took the next word, 'o.parquet', as the name of its column",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["o.parquet", "s.parquet", "--keys", "sex", "-o", "no/p.csv"],
            "does not exist",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_command_refuses(files: Path, arguments: list[str], said: str) -> None:
    before = {each: each.read_bytes() for each in files.iterdir()}
    code, shown, notes = run(*arguments, folder=files)
    assert (code, shown) == (2, "")
    assert said in notes
    assert {each: each.read_bytes() for each in files.iterdir()} == before
