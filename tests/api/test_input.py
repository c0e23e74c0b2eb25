"""Bad input: one clear message that says what is wrong and where, without a value of a record;
nothing is written.
"""

import datetime as dt
import os
from pathlib import Path
from typing import Any

import forks
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from processes import sqlrisk as sqlrisk_command
from processes import without
from quickly import few

import sqlrisk
from sqlrisk.common import resources, toml

MARKER = "Kowalska"  # stands in every text column of every file; no message may repeat it
NUMBER = 8712  # and the same among the numbers
PEOPLE = {
    "sex": ["f", "m", "f", MARKER],
    "age": [30, 41, 52, NUMBER],
    "name": [MARKER, "a", "b", "c"],
    "ill": ["y", "n", "y", MARKER],
}
FILES = ("people.parquet", "synthetic.parquet")
QUESTION = {"keys": ["sex", "age"], "targets": ["ill"]}


def people(**columns: Any) -> pa.Table:
    return pa.table(
        {name: values for name, values in (PEOPLE | columns).items() if values is not None}
    )


def refused(original: Any = None, synthetic: Any = None, **options: Any) -> str:
    """The message of the InputError that this question raises."""
    question = {name: value for name, value in (QUESTION | options).items() if value is not None}
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.score(
            people() if original is None else original,
            people() if synthetic is None else synthetic,
            **question,
        )
    message = str(caught.value)
    assert message == "\n".join(caught.value.problems)
    assert all(problem.strip() for problem in caught.value.problems)
    assert MARKER not in message
    assert str(NUMBER) not in message
    assert "Traceback" not in message
    return message


def says(message: str, *words: str) -> None:
    assert [word for word in words if word.casefold() not in message.casefold()] == [], message


# --------------------------------------------------------------------------------------------------
# the question


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keys": ["sexx", "age"]}, ("sexx", "did you mean 'sex'")),
        ({"keys": ["SEX", "age"]}, ("SEX", "'sex'")),
        ({"keys": ["weight"]}, ("weight", "column")),
        ({"targets": ["il"]}, ("'il'", "did you mean 'ill'")),
        ({"targets": ["sex", "ill"]}, ("sex", "key", "target")),
        ({"keys": None}, ("keys",)),
        ({"measures": ["DiSKO"]}, ("DiSKO", "did you mean 'DiSCO'")),
        ({"measures": ["atribute"]}, ("atribute", "did you mean", "attribute")),
        ({"bins": {"sex": 5}}, ("bins", "sex", "number")),
        ({"bins": {"name": 3}}, ("bins", "name", "neither")),
        ({"special": {"sex": ["f"]}}, ("special", "sex")),
        ({"bins": {"age": 2}, "special": {"age": ["old"]}}, ("age", "BIGINT", "old")),
        ({"exclude_level": {"ill": ["maybe"]}}, ("ill", "level", "maybe")),
        # levels have no near names
        ({"exclude_level": {"ill": ["Kowalsk"]}}, ("ill", "level", "Kowalsk")),
        ({"exclude_level": {"ill": [""]}}, ("ill", "level", "''")),  # NULL is never a text
        ({"exclude_level": {"sex": ["f"]}}, ("exclude_level", "sex", "target")),
        ({"exclude_level": {"illl": ["y"]}}, ("exclude_level", "illl", "did you mean 'ill'")),
        ({"targets": ["age"], "keys": ["sex"], "exclude_level": {"age": ["young"]}},
            ("age", "BIGINT", "young")),
        ({"targets": ["age"], "keys": ["sex"], "exclude_level": {"age": ["31"]}},
            ("age", "level", "31")),
        ({"exclude_missing": ["name"]}, ("exclude_missing", "name")),
        ({"exclude_missing": ["aeg"]}, ("exclude_missing", "aeg", "did you mean 'age'")),
        ({"exclude_pair": ["ill=y,name=a"]}, ("exclude_pair", "name", "key")),
        ({"exclude_pair": ["sex=f,age=30"]}, ("exclude_pair", "sex", "target")),
        ({"exclude_pair": ["ill=maybe,sex=f"]}, ("ill", "level", "maybe")),
        ({"exclude_pair": ["ill=y,sex=x"]}, ("sex", "level", "'x'")),
        ({"one_way": (50, 101)}, ("one_way", "percent")),
        ({"keys": 'sex,"age'}, ("keys", "quote")),
        ({"bins": ["age=2", "age=3"]}, ("bins", "age", "twice")),
        ({"exclude_level": {"ill": [None]}}, ("exclude_level", "exclude_missing")),
        ({"id": 5}, ("id", "no column '5'")),  # a pandas frame may have such names
        ({"population": ["old: age > 40", "old: age > 50"]}, ("population", "old", "twice")),
        ({"population": {"old": "age > 40 OR age < 3"}}, ("population", "OR age < 3")),
        ({"population": {"old": "age IN (40, 41"}}, ("population", "IN (40, 41")),
        ({"population": {"old": "age = 'forty"}}, ("population", "'forty")),
        ({"control": "people.parquet", "split": "name", "split_in": "a"},
            ("control and split", "give one of them")),
        ({"engine": "duckbd"}, ("engine", "duckbd", "duckdb")),
        ({"engine": 5}, ("An object of type int is not an engine", "SparkSession")),
        ({"baseline": {"sex": "people.csv"}}, ("baseline", "sex", "not a target")),
        ({"memory_limit": "plenty"}, ("memory",)),
        ({"threads": 0}, ("thread",)),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_question(options: dict[str, Any], words: tuple[str, ...]) -> None:
    says(refused(**options), *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [("a = " + "[" * 10**5, "too deeply"), ("a = " + "9" * 5000, "too many digits")],
)
def test_toml_that_is_too_much_for_its_reader_is_one_message(text: str, words: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=f"^The policy cannot be read: .*{words}"):
        toml.read(text, "The policy")


@pytest.mark.parametrize(
    ("engine", "package"), few([("spark", "pyspark"), ("postgres://host/database", "psycopg")])
)
def test_an_engine_that_is_not_installed(engine: str, package: str, tmp_path: Path) -> None:
    question = (
        "score",
        "people",
        "synthetic",
        "--engine",
        engine,
        "--keys",
        "sex",
        "--targets",
        "ill",
    )
    done = sqlrisk_command(*question, folder=tmp_path, program=without(package))
    assert (done.status, done.out) == (2, "")
    says(done.err, f"needs the package {package}: pip install ", package)
    assert "sqlrisk[" not in done.err


def test_an_installation_without_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "sqlrisk")
    with pytest.raises(sqlrisk.EngineError, match="no folder 'sql': install it again"):
        resources.sql_folder()


def test_all_problems_at_once() -> None:
    message = refused(
        "peopel.parquet",
        keys=["age", "age"],
        measures=["DiSKO"],
        bins={"age": 1},
        max_cell=0,
        two_way="4",
    )
    says(message, "peopel.parquet", "twice", "DiSKO", "bins", "max_cell", "two_way")


def test_all_problems_that_need_the_data_at_once() -> None:
    message = refused(people(), people(sex=[1, 2, 3, 4]), keys=["sex", "aeg"], bins={"ill": 3})
    says(message, "sex", "whole numbers", "aeg", "did you mean 'age'", "bins", "ill")


def test_a_level_that_only_a_synthesis_has_exists() -> None:
    report = sqlrisk.score(
        people(), people(ill=["y", "n", "y", "m"]), exclude_level={"ill": ["m"]}, **QUESTION
    )
    assert {row["side"] for row in report.exclusions} == {"synthetic"}


# --------------------------------------------------------------------------------------------------
# the columns


def test_a_column_that_one_file_lacks() -> None:
    says(refused(people(), [people(), people(age=None)]), "age", "synthe", "2")
    says(refused(people(ill=None), people()), "ill", "original")


@pytest.mark.parametrize(
    ("theirs", "names"),
    [
        (pa.array([1, 2, 3, 4]), ("text", "whole numbers")),
        (pa.array([True, False, True, False]), ("text", "true and false")),
        (pa.array([dt.date(2000, 1, 1)] * 4), ("text", "dates")),
        (pa.array([1.5, 2.0, 3.0, 4.0]), ("text", "numbers in")),
    ],
    ids=["integer", "boolean", "date", "float"],
)
def test_types_that_cannot_meet(theirs: pa.Array, names: tuple[str, ...]) -> None:
    says(refused(people(), people(sex=theirs)), "sex", *names)


def test_a_category_that_cannot_meet_keeps_its_levels_to_itself() -> None:
    categories = pa.array(PEOPLE["sex"]).dictionary_encode()
    says(refused(people(sex=categories), people(sex=[1, 2, 3, 4])), "sex", "whole numbers")


def test_integers_that_a_float_cannot_hold() -> None:
    says(
        refused(people(age=[1, 2, 3, 2**53 + 1]), people(age=[1.0, 2.0, 3.0, 4.0])),
        "age",
        "large",
        "DOUBLE",
    )


def test_a_nested_column() -> None:
    says(refused(people(sex=[["f"], ["m"], ["f"], [MARKER]])), "sex")


def test_columns_that_differ_only_in_case(tmp_path: Path) -> None:
    pq.write_table(people(SEX=PEOPLE["name"]), tmp_path / "people.parquet")
    says(refused(tmp_path / "people.parquet"), "sex", "SEX", "case")


def test_a_repeated_column() -> None:
    table = pa.Table.from_arrays(
        [pa.array(PEOPLE[name]) for name in ("sex", "sex", "age", "ill")],
        ["sex", "sex", "age", "ill"],
    )
    says(refused(table), "sex")


def test_no_column_is_left_to_be_a_target() -> None:
    table = people(name=None, ill=None)
    for options in (
        {"measures": "DiSCO,cap"},
        {"exclude_level": {"sex": "f"}},
        {"distributions": True},
    ):
        says(
            refused(table, table, targets=None, **options),
            "no column besides the keys is in all files",
            "--targets",
        )


# --------------------------------------------------------------------------------------------------
# the files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two good files and one of every kind of bad one."""
    pq.write_table(people(), tmp_path / "people.parquet")
    pq.write_table(people(), tmp_path / "synthetic.parquet")
    pq.write_table(people().slice(0, 0), tmp_path / "no_records.parquet")
    (tmp_path / "nothing.parquet").write_bytes(b"")
    (tmp_path / "nothing.csv").write_bytes(b"")
    (tmp_path / "no_records.csv").write_text("sex,age,ill\n")
    (tmp_path / "broken.parquet").write_bytes(
        (tmp_path / "people.parquet").read_bytes()[:-40] + MARKER.encode()
    )
    (tmp_path / "garbage.parquet").write_text(f"{MARKER},{MARKER}\n" * 20)
    (tmp_path / "ragged.csv").write_text(f"sex,age,ill\nf,30,y\nm,41,n,{MARKER},{NUMBER}\n")
    (tmp_path / "quote.csv").write_text(f'sex,age,ill\nf,30,y\nm,41,"{MARKER}\n')
    (tmp_path / "latin1.csv").write_bytes(
        f"sex,age,ill\nf,30,y\nm,41,{MARKER}\xf6\n".encode("latin-1")
    )
    (tmp_path / "zeros.csv").write_text("sex,age,ill\nf,007,y\nm,041,n\n")
    (tmp_path / "people.xlsx").write_bytes(b"PK")
    (tmp_path / "empty").mkdir()
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "a.csv").write_text("sex,age,ill\nf,30,y\n")
    pq.write_table(people(), tmp_path / "mixed" / "b.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    ["peopel.parquet", "no_records.parquet", "nothing.parquet", "nothing.csv", "no_records.csv",
        "broken.parquet",
     "garbage.parquet", "ragged.csv", "quote.csv", "latin1.csv", "people.xlsx", "empty", "mixed",
     "nowhere_*.parquet"],
)  # fmt: skip
@pytest.mark.parametrize("side", ["original", "synthetic"])
def test_a_bad_file(folder: Path, name: str, side: str) -> None:
    good, bad = folder / "people.parquet", folder / name
    says(refused(*((bad, good) if side == "original" else (good, bad))), name)


def test_two_bad_files_are_named_at_once(folder: Path) -> None:
    says(
        refused(
            folder / "peopel.parquet", [folder / "synthetic.parquet", folder / "nothing.parquet"]
        ),
        "peopel",
        "nothing.parquet",
    )


def test_numbers_with_leading_zeros_are_text(folder: Path) -> None:
    says(
        refused(folder / "people.parquet", folder / "zeros.csv"),
        "age",
        "whole numbers in",
        "text in",
    )


@pytest.mark.parametrize("synthetic", [[], {}, {"cart": []}], ids=str)
def test_no_synthesis(synthetic: object) -> None:
    says(refused(synthetic=synthetic), "synthe")


@pytest.mark.parametrize("given", [3, {"sex": ["f"]}], ids=str)
def test_something_that_holds_no_records(given: object) -> None:
    says(refused(given), type(given).__name__, "table")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("keys = [", ("bad.toml", "TOML")),
        ('kyes = ["sex"]', ("kyes", "keys")),
        ("keys = 3", ("keys",)),
        ('exclude_level = "ill"', ("exclude_level", "ill")),
    ],
    ids=str,
)
def test_a_bad_scenario_file(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "bad.toml").write_text(text)
    says(refused(keys=None, scenario=tmp_path / "bad.toml"), *words)


def test_a_missing_scenario_file(tmp_path: Path) -> None:
    says(refused(scenario=tmp_path / "none.toml"), "none.toml")


# -------------------------------------------------------------------------------------------------
# the command line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["peopel.parquet", "synthetic.parquet", "--keys", "sex,age"], ("peopel.parquet",)),
        (["people.parquet", "broken.parquet", "--keys", "sex,age"], ("broken.parquet",)),
        ([*FILES, "--keys", "sexx,age"], ("sexx", "sex")),
        ([*FILES, "--keys", "sex", "--measures", "DiSKO"], ("DiSKO", "DiSCO")),
        ([*FILES, "--keys", "sex", "--targets", "ill", "--exclude-level", "ill=maybe"], ("maybe",)),
        ([*FILES, "--kyes", "sex"], ("--kyes", "--keys")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)  # fmt: skip
def test_the_command_line(folder: Path, options: list[str], words: tuple[str, ...]) -> None:
    done = score(folder, *options, "-o", "risk.json")
    assert done.returncode == 2
    assert not (folder / "risk.json").exists()
    says(done.stderr.replace("\n", " "), *words)


@pytest.mark.parametrize(
    "output", ["no/such/folder/risk.json", "empty", "people.parquet", "risk.docx"]
)
def test_an_output_that_cannot_be_written(folder: Path, output: str) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    done = score(folder, *FILES, "--keys", "sex,age", "--targets", "ill", "-o", output)
    assert done.returncode == 2
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    says(done.stderr, Path(output).name)


def score(folder: Path, *options: str) -> forks.Done:
    """`sqlrisk score` in that folder; whatever happens, no traceback, nothing on stdout, no value
    of a record.
    """
    done = forks.run(
        "score", *options, cwd=folder, env={**os.environ, "COLUMNS": "400", "PATH": ""}
    )
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert MARKER not in done.stderr
    return done
