"""Labels that a Parquet file holds in its metadata: what is written there, and what is read."""

import gzip
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sqlrisk
from sqlrisk.inputs.codebooks import KEY, described
from sqlrisk.inputs.labels import ColumnLabels

DATA = Path(__file__).resolve().parents[1] / "data"  # its README says where each file is from
PEOPLE = {"sex": [1, 1, 2, 2, 2, 3], "age": [30, 41, 30, 52, 41, 30], "ill": [0, 0, 1, 1, 0, -9]}
NAMES = {"sex": "Sex at birth", "age": "Age, in years", "ill": "Ill: since a year – «or two»"}
ASKED: dict[str, Any] = {"keys": "sex,age", "targets": "ill"}
CODES: dict[str, Any] = {
    "sex": {1: "Male", 2: "Female"},
    "ill": {0: "No", 1.5: "Partly", -9: "Refused"},
    "told": {"a": "Yes"},
}
BANDS = {"age": {"bands": [0, 40]}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fields(path: str) -> dict[str, dict[str, Any]]:
    """Return what a codebook says of each column, as another program reads it."""
    found = json.loads(pq.read_schema(path).metadata[KEY.encode()])
    return {each.pop("name"): each for each in found["fields"]}


def titles(names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"title": label} for name, label in names.items()}


def with_codebook(path: str, codebook: str) -> str:
    table = pa.table(PEOPLE).replace_schema_metadata({KEY: codebook})
    pq.write_table(table, path)
    return path


def test_what_only_the_second_of_several_protected_files_had_is_said() -> None:
    for name, labels in (("a.xpt", {}), ("s.xpt", {}), ("t.xpt", NAMES)):
        pyreadstat.write_xport(pd.DataFrame(PEOPLE), name, column_labels=labels)
    done = sqlrisk.protect("a.xpt", ["s.xpt", "t.xpt"], output="release", keys=ASKED["keys"])
    said = "Labels of sex, age, ill are in the metadata of the Parquet file"
    assert said in " ".join(done.to_text().split())


@pytest.mark.slow
def test_files_of_sas_keep_the_labels_of_columns_as_parquet() -> None:
    """From `recode` to the draft of a scenario and a report, which show them."""
    for name in ("a.xpt", "s.xpt"):
        pyreadstat.write_xport(pd.DataFrame(PEOPLE), name, column_labels=NAMES)
    found = sqlrisk.recode("a.xpt", "s.xpt", output="release", column=BANDS, **ASKED)
    said = (
        "Labels of sex, age, ill are in the metadata of the Parquet file (tableschema), where "
        "sqlrisk reads those of columns."
    )
    text = " ".join(found.to_text().split())
    assert said in text
    assert "a.xpt: reasons for missing values." in text  # pyreadstat does not read them
    assert "labels of the codes" not in text  # there are none
    assert {row["what"] for row in found.not_kept} == {"metadata"}
    files = ("release/a.parquet", "release/s.parquet")
    assert [fields(path) for path in files] == [titles(NAMES)] * 2
    assert sqlrisk.score(*files, **ASKED, measures="UiO").labels == NAMES
    assert sqlrisk.inspect(*files, **ASKED).labels == NAMES
    draft = sqlrisk.init(*files)
    assert all(
        f"label = {json.dumps(label, ensure_ascii=False)}" in draft for label in NAMES.values()
    )


def test_a_protected_file_of_sas_is_parquet_with_the_labels_of_columns() -> None:
    for name in ("a.xpt", "s.xpt"):
        pyreadstat.write_xport(pd.DataFrame(PEOPLE), name, column_labels=NAMES)
    found = sqlrisk.protect("a.xpt", "s.xpt", output="out.parquet", keys="sex,age")
    assert fields("out.parquet") == titles(NAMES)
    text = " ".join(found.to_text().split())
    assert "Labels of sex, age, ill are in the metadata" in text
    assert "s.xpt: reasons for missing values." in text
    with pytest.raises(sqlrisk.InputError, match=r"out\.xpt"):
        sqlrisk.protect("a.xpt", "s.xpt", output="out.xpt", keys="sex,age")


def test_reasons_that_a_file_of_sas_gives_are_named_as_lost() -> None:
    """Two values of iris.sas7bdat are changed to the reasons .A and .B as SAS stores them."""
    iris = gzip.decompress((DATA / "iris.sas7bdat.gz").read_bytes())
    for value, reason in ((5.1, b"\xfd"), (4.9, b"\xfc")):
        iris = iris.replace(struct.pack("<d", value), bytes(5) + reason + b"\xff\xff", 1)
    for name in ("a.sas7bdat", "s.sas7bdat"):
        Path(name).write_bytes(iris)
    asked = {"keys": "Sepal_Length,Species", "targets": "Petal_Width"}
    bands = {"Petal_Width": {"bands": [0, 1]}}
    found = sqlrisk.recode("a.sas7bdat", "s.sas7bdat", output="release", column=bands, **asked)
    said = "Sepal_Length: the reasons of 4 missing values (.a, .b) are not in the files"
    assert said in " ".join(found.to_text().split())
    written = pd.read_parquet("release/a.parquet")["Sepal_Length"]
    assert [*written.isna()] == [True, True, *[False] * (len(written) - 2)]


def test_a_lookup_in_a_file_shows_the_labels_of_its_codebook() -> None:
    with_codebook("s.parquet", json.dumps({"fields": [{"name": "sex", "title": "Sex at birth"}]}))
    found = sqlrisk.lookup("s.parquet", key={"sex": 1}, targets=["ill"])
    assert found.labels == {"sex": "Sex at birth"}
    assert "Sex at birth" in found.to_text()


def test_a_codebook_has_labels_of_codes_and_what_means_missing() -> None:
    answers = pd.DataFrame({**PEOPLE, "told": ["a", "b", "c", "a", "b", "c"]})
    pyreadstat.write_sav(
        answers,
        "a.sav",
        column_labels=NAMES,
        variable_value_labels=CODES,
        missing_ranges={"ill": [-9, {"lo": 97, "hi": 99}], "told": ["c"]},
    )
    sqlrisk.protect("a.sav", "a.sav", output="out.parquet", flag=True, **ASKED)
    found = fields("out.parquet")
    assert found["sex"]["categories"] == [
        {"value": 1, "label": "Male"},
        {"value": 2, "label": "Female"},
    ]
    assert found["ill"] == {
        "title": NAMES["ill"],
        "categories": [{"value": 0, "label": "No"}, {"value": 1.5, "label": "Partly"}],
        "missingValues": [{"value": "-9", "label": "Refused"}],
        "missingRanges": [[97, 99]],
    }
    assert found["told"] == {
        "categories": [{"value": "a", "label": "Yes"}],
        "missingValues": [{"value": "c"}],
    }
    assert list(pd.read_parquet("out.parquet")["ill"]) == PEOPLE["ill"]


def test_an_open_end_of_a_range_is_null() -> None:
    said = ColumnLabels(missing=(("-1.7976931348623157e+308", "0"), ("97.5", "1e301")))
    assert described({"a": said}, {"a": "DOUBLE"}) == [
        {"name": "a", "missingRanges": [[None, 0], [97.5, None]]}
    ]


def test_a_codebook_has_the_reasons_of_stata_that_have_labels() -> None:
    letters = pd.DataFrame({**PEOPLE, "ill": [0, 0, 1, 1, "a", "b"]})
    said: dict[str, Any] = {"ill": {"a": "Refused"}}
    pyreadstat.write_dta(
        letters,
        "a.dta",
        variable_value_labels=said,
        missing_user_values={"ill": ["a", "b"]},
    )
    sqlrisk.protect("a.dta", "a.dta", output="out.parquet", flag=True, **ASKED)
    assert fields("out.parquet") == {
        "ill": {"missingValues": [{"value": ".a", "label": "Refused"}]}
    }


@pytest.mark.parametrize("command", ["recode", "protect", "split"])
def test_a_parquet_file_keeps_its_codebook(command: str) -> None:
    """Also what another program wrote there; only of a recoded column nothing but its label."""
    kept = {"title": "Sex", "categories": [{"value": 1, "label": "Male"}], "unit": "none"}
    aged = {"name": "age", "title": "Age", "missingValues": [{"value": "-1"}]}
    book = json.dumps({"fields": [{"name": "sex", **kept}, aged, {"name": "gone", "title": "x"}]})
    with_codebook("a.parquet", book)
    if command == "recode":
        with_codebook("s.parquet", book)
        found: Any = sqlrisk.recode(
            "a.parquet", "s.parquet", output="release", column=BANDS, **ASKED
        )
        assert fields("release/s.parquet") == {"sex": kept, "age": {"title": "Age"}}
    elif command == "protect":
        found = sqlrisk.protect("a.parquet", "a.parquet", output="out.parquet", flag=True, **ASKED)
        assert fields("out.parquet")["sex"] == kept
    else:
        found = sqlrisk.split("a.parquet", output="halves", seed=1)
        assert fields("halves/a_in.parquet")["sex"] == kept
    assert found.not_kept == []


def test_codes_of_parquet_are_counted_and_shown_as_they_are() -> None:
    """Labels of codes in two files cannot contradict each other where nobody reads them."""
    books = (
        {"fields": [{"name": "sex", "categories": [{"value": each, "label": "Male"}]}]}
        for each in (1, 2)
    )
    files = [
        with_codebook(f"{number}.parquet", json.dumps(book)) for number, book in enumerate(books)
    ]
    plain = pd.DataFrame(PEOPLE)
    found, expected = sqlrisk.score(*files, **ASKED), sqlrisk.score(plain, plain, **ASKED)
    assert found.results == expected.results
    assert found.labels == {}


@pytest.mark.parametrize(
    "codebook",
    ["", "no JSON", "[]", '"fields"', '{"fields": {"sex": 1}}', '{"fields": [1, {"title": "x"}]}',
     '{"fields": [{"name": 3, "title": "x"}, {"name": "sex", "title": ["x"]}, {"name": "age"}]}'],
)  # fmt: skip
def test_metadata_of_another_form_say_nothing(codebook: str) -> None:
    with_codebook("a.parquet", codebook)
    assert sqlrisk.score("a.parquet", "a.parquet", **ASKED, measures="UiO").labels == {}


def test_a_folder_of_parquet_files_has_the_codebook_of_its_first_part() -> None:
    Path("parts").mkdir()
    for number, name in enumerate(("sex", "age")):
        book = {"fields": [{"name": name, "title": NAMES[name]}]}
        with_codebook(f"parts/{number}.parquet", json.dumps(book))
    assert sqlrisk.score("parts", "parts/0.parquet", **ASKED).labels == {"sex": NAMES["sex"]}
