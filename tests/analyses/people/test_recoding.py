"""Recoded files: their levels, their numbers, and that nothing is written where
something is wrong.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pyreadstat
import pytest
from pyarrow import feather
from quickly import few

import sqlrisk
from sqlrisk.common.errors import InputError

TEXT = (
    "age;size;born;job;note\n3;1.50;2018-01-05;bus;a\n25;2.50;1996-04-01;tram;NA\n"
    '-8;NA;1930-03-21;vet;\n91;4.00;1930-03-22;vet;""\n'
)
COLUMN: dict[str, Any] = {
    "age": {"bands": [0, 20], "top": 90, "missing": [-8], "label": "Age"},
    "born": {"age_at": "2021-03-21"},
    "job": {"merge": {"public; transport": ["bus", "tram"]}},
}
MEASURES = "UiO,repU,Dorig,DiSCO,baseCAPd,CAPd,DCAP"
ASKED: dict[str, Any] = {"keys": ["age", "born"], "targets": ["job"], "column": COLUMN}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CSV file and a synthetic one, compressed."""
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text(TEXT)
    with gzip.open("s.csv.gz", "wt") as file:
        file.write(TEXT.replace("3;1.50", "33;1.50"))


def test_a_text_file_keeps_all_other_texts(tmp_path: Path) -> None:
    done = sqlrisk.recode("o.csv", "s.csv.gz", output="release", **ASKED)
    assert Path("release/o.csv").read_text() == (
        'age;size;born;job;note\n[0,20);1.50;3;"public; transport";a\n[20,90);2.50;24;"public; '
        'transport";NA\n'
        ';NA;91;vet;\n90+;4.00;90;vet;""\n'
    )
    assert (
        gzip.decompress(Path("release/s.csv.gz").read_bytes()).decode().splitlines()[1]
        == '[20,90);1.50;3;"public; transport";a'
    )
    assert (Path("release/o.csv").stat().st_mode & 0o777) == 0o600
    assert [tuple(row.values()) for row in done.files] == [
        ("o.csv", "o.csv", 4),
        ("s.csv.gz", "s.csv.gz", 4),
    ]
    manifest = json.loads(Path("release/recode.manifest.json").read_text())
    assert (
        manifest["scenario"]["column"]
        == sqlrisk.score("o.csv", "s.csv.gz", **ASKED).scenario["column"]
    )
    assert manifest["written"] == ["o.csv", "s.csv.gz"]


def test_extensions_in_capitals_mean_the_same() -> None:
    Path("s.csv.gz").rename("S.CSV.GZ")
    with pa.output_stream("O.CSV.ZST", compression="zstd") as file:
        file.write(TEXT.encode())
    done = sqlrisk.recode("O.CSV.ZST", "S.CSV.GZ", output="release", **ASKED)
    assert [row["output"] for row in done.files] == ["O.CSV", "S.CSV.GZ"]
    plain = Path("release/O.CSV").read_text()
    packed = gzip.decompress(Path("release/S.CSV.GZ").read_bytes()).decode()
    assert plain.splitlines()[1] == '[0,20);1.50;3;"public; transport";a'
    assert packed.splitlines()[1] == '[20,90);1.50;3;"public; transport";a'


def test_written_files_have_the_numbers_that_are_told() -> None:
    done = sqlrisk.recode("o.csv", "s.csv.gz", output="release", **ASKED)
    question: dict[str, Any] = {"keys": ASKED["keys"], "targets": ["job"], "measures": MEASURES}
    assert done.after == sqlrisk.score("release/o.csv", "release/s.csv.gz", **question).results
    missing = {"age": {"missing": [-8]}}
    assert done.before == sqlrisk.score("o.csv", "s.csv.gz", column=missing, **question).results
    assert [row["before"]["numerator"] for row in done.measures][:2] == [4, 3]
    assert [row["after"]["numerator"] for row in done.measures][:2] == [4, 3]


@pytest.mark.slow
def test_a_coarser_target_is_told_beside_its_baseline_and_the_original(tmp_path: Path) -> None:
    """By hand. A guess is right for sum of squares over 16: 4 of 16 with four jobs, 16 of 16 with
    one.

    Each key has one person in both files, of his own job but for d, who has that of c. Before that
    is 3 of 4 people, after 4.
    """
    original = pd.DataFrame({"k": ["a", "b", "c", "d"], "job": ["bus", "tram", "train", "taxi"]})
    synthetic = original.assign(job=["bus", "tram", "train", "train"])
    column = {"job": {"merge": {"transport": ["bus", "tram", "train", "taxi"]}}}
    done = sqlrisk.recode(
        original, synthetic, output="release", keys=["k"], targets=["job"], column=column
    )
    lines = [" ".join(line.split()) for line in done.to_text().splitlines()]
    above = lines.index("measure target before after before after before after")
    assert lines[above - 1].replace("─", "").split() == ["baseline", "original", "synthetic"]
    assert lines[above + 2 : above + 4] == [
        "DiSCO job 100.00 100.00 75.00 100.00",
        "DCAP job 25.00 100.00 100.00 100.00 75.00 100.00",
    ]
    assert [row["measure"] for row in done.risks] == ["UiO", "repU", "DiSCO", "DCAP"]
    assert [row["measure"] for row in done.measures] == MEASURES.split(",")
    alone = sqlrisk.recode(
        original, synthetic, output="alone", keys=["k", "job"], column=column
    ).to_text()
    assert "baseline" not in alone


@pytest.mark.slow
def test_bins_are_of_the_measures_alone() -> None:
    """They are cut anew of what was recoded; before that a date of birth has none."""
    column = {"age": {"top": 90, "missing": [-8]}, "born": {"age_at": "2021-03-21"}}
    bins: dict[str, Any] = {"bins": {"age": 2, "born": 2}, "special": {"born": ["2018-01-05"]}}
    question: dict[str, Any] = {"keys": ["age", "born"], "targets": ["job"], "measures": MEASURES}
    done = sqlrisk.recode(
        "o.csv", "s.csv.gz", output="release", **ASKED | {"column": column}, **bins
    )
    assert (
        done.after == sqlrisk.score("o.csv", "s.csv.gz", column=column, **question, **bins).results
    )
    missing = {"age": {"missing": [-8]}}
    assert (
        done.before
        == sqlrisk.score("o.csv", "s.csv.gz", column=missing, bins={"age": 2}, **question).results
    )
    assert Path("release/o.csv").read_text().splitlines()[1] == "3;1.50;3;bus;a"


def test_special_values_of_a_tolerance_are_left_out_with_it(tmp_path: Path) -> None:
    """A scenario file of score may have a tolerance, which is about scores alone."""
    Path("q.toml").write_text(
        'original = "o.csv"\nsynthetic = "s.csv.gz"\nkeys = ["born"]\ntargets = ["age"]\n'
        "within = { age = 1 }\nspecial = { age = [-8] }\n[column.born]\ndate = 'year'\n"
    )
    done = sqlrisk.recode(output="release", scenario=str(tmp_path / "q.toml"))
    plain = sqlrisk.score("o.csv", "s.csv.gz", keys="born", targets="age", measures=MEASURES)
    assert done.before == plain.results
    assert Path("release/o.csv").read_text().splitlines()[1] == "3;1.50;2018;bus;a"


@pytest.mark.slow
def test_tables_of_python_are_written_as_parquet() -> None:
    frame = pd.read_csv("o.csv", sep=";")
    sqlrisk.recode(frame, [frame, frame], output="release", **ASKED)
    assert sorted(path.name for path in Path("release").iterdir()) == [
        "original.parquet", "recode.manifest.json", "synthesis_1.parquet", "synthesis_2.parquet",
    ]  # fmt: skip
    found = pd.read_parquet("release/synthesis_2.parquet")
    assert found["age"].fillna("missing").tolist() == ["[0,20)", "[20,90)", "missing", "90+"]
    assert found["born"].tolist() == [3, 24, 91, 90]
    assert found["size"].dtype == frame["size"].dtype


def test_streams_are_read_before_and_after_and_to_be_written() -> None:
    table = pyarrow.csv.read_csv("o.csv", parse_options=pyarrow.csv.ParseOptions(delimiter=";"))
    asked = {**ASKED, "column": {"job": {"merge": {"public": ["bus", "tram"]}}}}
    expected = sqlrisk.recode(table, table, output="tables", **asked)
    done = sqlrisk.recode(table.to_reader(), table.to_reader(), output="streams", **asked)
    assert (done.before, done.after) == (expected.before, expected.after)
    written = pq.read_table("streams/original.parquet")
    assert written["job"].to_pylist() == ["public", "public", "vet", "vet"]
    assert pq.read_table("streams/synthesis_1.parquet").equals(written)


@pytest.mark.parametrize(
    ("change", "says"),
    few(
        [
            ({"column": {}}, "column: no column is recoded"),
            ({"output": ""}, "Name the folder to write to"),
            ({"output": "."}, "The output '.' already exists; name a new or empty folder."),
            (
                {"column": {"age": {"bands": [20]}}},
                "column.age: 2 values have no level: they are below the first band",
            ),
            (
                {"column": {"size": {"rare": 2}, "job": {"merge": {"x": ["foot"]}}}},
                "column.job.merge: the column has no level 'foot'",
            ),
            ({"keys": []}, "keys: name at least one column that the intruder knows"),
            ({"synthetic": "o.csv"}, "Two of the files would be called 'o.csv'"),
            ({"original": "."}, "The output 'release' would be a part of '.'; choose another"),
            (
                {"synthetic": "**/s.csv.gz"},
                "The output 'release/s.csv.gz' would be a part of the input ",
            ),
        ],
        2,
    ),
)
def test_nothing_is_written_where_something_is_wrong(change: dict[str, Any], says: str) -> None:
    before = sorted(Path().rglob("*"))
    with pytest.raises(InputError, match=says.replace(".", r"\.")):
        sqlrisk.recode(
            **{"original": "o.csv", "synthetic": "s.csv.gz", "output": "release", **ASKED, **change}
        )
    assert sorted(Path().rglob("*")) == before


def test_a_recoded_column_is_in_every_file() -> None:
    Path("s.csv").write_text("age,pay\n3,1\n")
    column = {"age": {"top": 90}, "job": {"rare": 2}}
    with pytest.raises(InputError) as caught:
        sqlrisk.recode("o.csv", "s.csv", output="release", keys=["age", "siz"], column=column)
    assert caught.value.problems == [
        "column.job: 's.csv' has no column 'job'; recode columns that all files have.",
        "keys: no file has a column 'siz' (did you mean 'size'?).",
    ]


@pytest.mark.slow
def test_files_of_other_formats_become_parquet(tmp_path: Path) -> None:
    """The name of a file says what it is: no Parquet is called .feather, and no plain CSV .zst."""
    table = pa.table({"age": [3, 25, 44, 90], "ill": ["y", "n", "y", "n"]})
    feather.write_feather(table, str(tmp_path / "people.feather"))
    with pa.output_stream(str(tmp_path / "drawn.csv.zst"), compression="zstd") as file:
        pyarrow.csv.write_csv(table, file)
    made = sqlrisk.recode(
        tmp_path / "people.feather",
        tmp_path / "drawn.csv.zst",
        output=tmp_path / "release",
        keys=["age"],
        targets=["ill"],
        column={"age": {"top": 40}},
    )
    assert [row["output"] for row in made.files] == ["people.parquet", "drawn.csv"]
    expected = ["3", "25", "40+", "40+"]
    assert pq.read_table(tmp_path / "release" / "people.parquet")["age"].to_pylist() == expected
    assert pyarrow.csv.read_csv(tmp_path / "release" / "drawn.csv")["age"].to_pylist() == expected


def test_sheets_of_a_workbook_are_files_of_their_own() -> None:
    book = openpyxl.Workbook()
    book.active.title = "people"
    for sheet, ages in ((book.active, [3, 44]), (book.create_sheet('draw "2"'), [25, 90])):
        for row in (["age", "ill"], *([age, "y"] for age in ages)):
            sheet.append(row)
    book.save("book.xlsx")
    files = "book.xlsx#people", 'book.xlsx#draw "2"'
    column = {"age": {"top": 40}}
    done = sqlrisk.recode(*files, output="release", keys=["age"], targets=["ill"], column=column)
    names = [row["output"] for row in done.files]
    assert names == ["book_people.parquet", "book_draw _2_.parquet"]
    assert [pq.read_table(f"release/{name}")["age"].to_pylist() for name in names] == [
        ["3", "40+"],
        ["25", "40+"],
    ]


def test_decimals_after_a_comma_stay_as_they_were_written() -> None:
    for name, size in (("o.csv", "1,50"), ("s.csv", "9,50")):
        text = f"size;town;pay\n{size};Köln;1.000,5\n2,50;Köln;2\n;Bonn;3\n"
        Path(name).write_bytes(text.encode("latin-1"))
    asked: dict[str, Any] = {"keys": ["size", "town"], "encoding": "latin-1", "decimal": ","}
    sqlrisk.recode(
        "o.csv",
        "s.csv",
        output="towns",
        column={"town": {"merge": {"Rhine": ["Köln", "Bonn"]}}},
        **asked,
    )
    assert (
        Path("towns/o.csv").read_text()
        == "size;town;pay\n1,50;Rhine;1.000,5\n2,50;Rhine;2\n;Rhine;3\n"
    )
    sqlrisk.recode("o.csv", "s.csv", output="sizes", column={"size": {"width": 2}}, **asked)
    assert (
        Path("sizes/s.csv").read_text()
        == "size;town;pay\n[8,10);Köln;1.000,5\n[2,4);Köln;2\n;Bonn;3\n"
    )


@pytest.mark.parametrize(
    ("sizes", "recode", "levels"),
    [
        (pa.array([1.5, 9.5], pa.float32()), {"width": 2}, ["[0,2)", "[8,10)"]),
        (pa.array(["1.5", "9.5"]), {"merge": {"small": ["1.5"]}}, ["small", "9.5"]),
    ],
)
def test_decimals_after_a_comma_have_the_levels_of_another_type(
    sizes: pa.Array, recode: dict[str, Any], levels: list[str]
) -> None:
    pq.write_table(pa.table({"size": sizes}), "o.parquet")
    Path("s.csv").write_text("size;pay\n1,5;2,5\n9,5;3,5\n")
    sqlrisk.recode(
        "o.parquet",
        "s.csv",
        output="release",
        keys="size",
        decimal=",",
        column={"size": recode},
    )
    assert Path("release/s.csv").read_text() == f"size;pay\n{levels[0]};2,5\n{levels[1]};3,5\n"
    assert pq.read_table("release/o.parquet")["size"].to_pylist() == levels


def test_a_hierarchy_is_read_as_it_is_written_and_roles_name_no_targets() -> None:
    Path("towns.csv").write_bytes("level,river\nKöln,Rhine\nBonn,Rhine\n".encode("latin-1"))
    Path("o.csv").write_text("town,pay,ill\nKöln,1,y\nBonn,2,n\n")
    Path("s.csv").write_text("town,pay\nBonn,2\n")
    asked: dict[str, Any] = {"keys": "town", "targets": "pay", "encoding": {"hierarchy": "latin-1"}}
    column = {"town": {"hierarchy": "towns.csv"}, "ill": {"role": "sensitive"}}
    sqlrisk.recode("o.csv", "s.csv", output="release", column=column, **asked)
    assert Path("release/o.csv").read_text() == "town,pay,ill\nRhine,1,y\nRhine,2,n\n"
    assert Path("release/s.csv").read_text() == "town,pay\nRhine,2\n"


@pytest.mark.slow
def test_labels_in_the_place_of_codes_are_written() -> None:
    """One file has codes, the other their labels: both are written by labels, and compared by them
    before and after.
    """
    people = pd.DataFrame({"sex": [1, 1, 2, 2], "town": [1, 2, 2, 3], "ill": [0, 0, 1, 0]})
    labels = {
        "sex": {1: "Man", 2: "Woman"},
        "town": {1: "a", 2: "b", 3: "c"},
        "ill": {0: "no", 1: "yes"},
    }
    pyreadstat.write_sav(people, "people.sav", variable_value_labels=labels)
    told = pd.DataFrame({name: people[name].map(labels[name]) for name in people})
    told.to_csv("told.csv", index=False)
    column: dict[str, Any] = {name: {"codes": "labels"} for name in people}
    column["town"]["merge"] = {"ab": ["a", "b"]}
    done = sqlrisk.recode(
        "people.sav",
        "told.csv",
        output="release",
        keys=["sex", "town"],
        targets=["ill"],
        column=column,
    )
    expected = told.assign(town=["ab", "ab", "ab", "c"])
    written, _ = pyreadstat.read_sav("release/people.sav", apply_value_formats=True)
    assert written.astype(str).to_dict("list") == expected.to_dict("list")
    assert pd.read_csv("release/told.csv").to_dict("list") == expected.to_dict("list")
    assert [row["before"]["numerator"] for row in done.measures][:2] == [4, 4]
    assert [row["after"]["numerator"] for row in done.measures][:2] == [2, 2]
