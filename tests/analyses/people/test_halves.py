"""A file in two halves: nothing is lost, the same records give the same halves, and records alike
are drawn one by one.
"""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlrisk
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.sources import column_names_of

LINES = [f"{number % 7};a,{number % 3};{number % 5 or 'NA'};1.50" for number in range(101)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CSV file, in two orders, one of them compressed."""
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text("\n".join(["n;text;gone;size", *LINES, ""]))
    shuffled = random.Random(3).sample(LINES, len(LINES))  # noqa: S311 - no secret
    with gzip.open("p.csv.gz", "wt") as file:
        file.write("\n".join(["n;text;gone;size", *shuffled, ""]))


def lines(path: str) -> list[str]:
    data = Path(path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode().splitlines()[1:]


def test_halves_hold_every_record_once_in_its_order_and_do_not_depend_on_the_order() -> None:
    done = sqlrisk.split("o.csv", output="halves", seed=7)
    inside, outside = lines("halves/o_in.csv"), lines("halves/o_control.csv")
    assert [tuple(row.values()) for row in done.files] == [
        ("in", "o_in.csv", 51),
        ("control", "o_control.csv", 50),
    ]
    assert sorted([*inside, *outside]) == sorted(LINES)
    assert [line for line in LINES if line in {*inside}] == inside  # in the order of the file
    sqlrisk.split("p.csv.gz", output="again", seed=7, threads=1)
    assert sorted(lines("again/p_in.csv.gz")) == sorted(inside)
    sqlrisk.split("o.csv", output="other", seed=8)
    assert sorted(lines("other/o_in.csv")) != sorted(inside)
    manifest = json.loads(Path("halves/split.manifest.json").read_text())
    assert (manifest["share"], manifest["seed"], manifest["files"]) == (0.5, 7, done.files)
    assert len(manifest["original"]["sha256"]) == 64
    assert Path("halves/o_in.csv").stat().st_mode & 0o777 == 0o600


def test_records_that_are_alike_are_drawn_one_by_one() -> None:
    table = pa.table({"x": ["same"] * 1000})
    done = sqlrisk.split(table, output="halves", share="0.3")
    assert [row["records"] for row in done.files] == [300, 700]
    alone = pa.table(
        {
            "x": [f"{number % 500}" for number in range(1000)],
            "at": pa.array([0, None] * 500, pa.timestamp("ms")),
        }
    )
    sqlrisk.split(alone, output="pairs")
    inside = pq.read_table("pairs/original_in.parquet")
    assert inside.schema.equals(alone.schema, check_metadata=True)  # types stay
    both = sum(inside["x"].to_pylist().count(str(number)) == 2 for number in range(500))
    assert 85 < both < 165  # of 500 pairs a quarter is expected, with a standard deviation below 10


@pytest.mark.parametrize(
    ("name", "made"),
    [("a.b.tsv", "a.b_{}.tsv"), ("p.TXT.GZ", "p_{}.TXT.GZ"), ("p.tab.zst", "p_{}.tab")],
)
def test_halves_have_names_that_can_be_read(name: str, made: str) -> None:
    codec = {".GZ": "gzip", ".zst": "zstd"}.get(Path(name).suffix)
    with pa.output_stream(name, compression=codec) as file:
        file.write(b"x\ty\n1\ta\n2\ta\n3\tb\n4\tb\n")
    done = sqlrisk.split(name, output="halves")
    names = [made.format(half) for half in ("in", "control")]
    assert [row["output"] for row in done.files] == names
    assert [column_names_of(f"halves/{each}") for each in names] == [["x", "y"]] * 2


def test_halves_of_a_pandas_table_do_not_depend_on_its_index() -> None:
    table = pd.DataFrame({"x": range(100)})
    shuffled = table.sample(frac=1, random_state=3)
    for name, each in (("a", table), ("b", shuffled), ("c", shuffled.reset_index(drop=True))):
        sqlrisk.split(each, output=name, seed=7)
    first, second, third = (pd.read_parquet(f"{name}/original_in.parquet") for name in "abc")
    assert [*first["x"]] == sorted(second["x"]) == sorted(third["x"])
    assert len(first) == 50
    assert [*second.index] == [*second["x"]]  # Parquet keeps the index


def test_parts_may_have_row_names() -> None:
    Path("parts").mkdir()
    Path("parts/1.csv").write_text('"","x"\n"1","a"\n"2","b"\n')
    Path("parts/2.csv").write_text('"","x"\n"1","c"\n"2","d"\n')
    done = sqlrisk.split("parts", output="halves")
    assert done.left_out == [{"source": "parts", "row_names": True}]
    inside, outside = (lines(f"halves/parts_{half}.csv") for half in ("in", "control"))
    assert (len(inside), len(outside)) == (2, 2)
    assert sorted([*inside, *outside]) == ["a", "b", "c", "d"]


def test_a_scenario_file_may_say_how_other_files_are_written() -> None:
    Path("s.toml").write_text('original = "o.csv"\nencoding = { "syn.csv" = "latin-1" }\n')
    done = sqlrisk.split(scenario="s.toml", output="halves", delimiter="original=;")
    assert [row["records"] for row in done.files] == [51, 50]


def test_what_cannot_be_split_is_told_and_nothing_is_written() -> None:
    Path("s.toml").write_text('original = "o.csv"\ncontrol = "p.csv.gz"\n')
    Path("x.db").touch()
    wrong: dict[str, dict[str, Any]] = {
        "share: expected a share between 0 and 1": {"share": 1},
        "seed: expected a whole number": {"seed": "x"},
        "of the 101 records": {"share": 0.001},
        "encoding: 'orignal' is not a file of this question": {"encoding": "orignal=latin-1"},
        "control: the people who were not in the synthesis are known already": {
            "scenario": "s.toml"
        },
        "written by": {"engine": "sqlite:///x.db"},
    }
    for words, asked in wrong.items():
        with pytest.raises(InputError, match=words):
            sqlrisk.split(None if "scenario" in asked else "o.csv", output="halves", **asked)
    with pytest.raises(
        InputError, match=r"'halves' would be a part of '\.'; choose another folder"
    ):
        sqlrisk.split(".", output="halves")
    with pytest.raises(InputError, match=r"Name the original file"):
        sqlrisk.split(output="halves")
    assert not Path("halves").exists()
