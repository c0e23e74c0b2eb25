"""What is written keeps every value as it is stored, or says by column what it does not hold."""

import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from quickly import few

import sqlrisk

PEOPLE: dict[str, list[Any]] = {
    "town": [1, 1, 2, 3, 3, 2, 1, 3],
    "age": [30, 31, 30, 44, 44, 31, 30, 52],
    "answer": [1.0, 97.0, 2.0, 98.0, 1.0, 99.0, -8.0, 2.0],
    "told": ["a", "NA", "", "b", "a", "NA", "c", "a"],
}
LABELS = {
    "answer": {1: "yes", 2: "no", 97: "refused", 98: "not asked", -8: "lost"},
    "town": {1: "Ahlen", 2: "Brake", 3: "Celle"},
}
DECLARED: Any = {"missing_ranges": {"answer": [{"lo": 97, "hi": 99}, -8], "told": ["NA"]}}
ABOUT: Any = {
    "file_label": "Survey",
    "note": ["of people"],
    "column_labels": {"town": "Where one lives"},
    "variable_format": {"age": "F3.0"},
    "variable_measure": {"town": "nominal"},
}
ASKED: dict[str, Any] = {"keys": "town,age"}
LETTER = 12345.0  # its bytes in a file become those of .a


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(PEOPLE)
    pyreadstat.write_sav(frame, "original.sav", variable_value_labels=LABELS, **DECLARED, **ABOUT)
    pyreadstat.write_sav(
        frame.iloc[[0, 1, 2, 3, 4, 5, 6]],
        "synthetic.sav",
        variable_value_labels=LABELS,
        **DECLARED,
        **ABOUT,
    )
    letters = frame.astype({"answer": object})
    letters["answer"] = [
        {97.0: "a", 98.0: "b", 99.0: "c"}.get(value, value) for value in frame["answer"]
    ]
    for name, rows in (("original.dta", letters), ("synthetic.dta", letters.iloc[:7])):
        said = {
            "variable_value_labels": {"answer": {"a": "refused", 1: "yes"}},
            "column_labels": ABOUT["column_labels"],
        }
        pyreadstat.write_dta(
            rows.astype({"age": "int32"}),
            name,
            missing_user_values={"answer": ["a", "b", "c"]},
            **said,
        )


def told(found: Any) -> list[tuple[str, str, list[str] | None]]:
    return [(row["column"], row["what"], row["codes"]) for row in found.not_kept]


@pytest.mark.parametrize("output", few(["out.parquet", "out.csv"], 2))
def test_protect_writes_what_spss_declares_missing(output: str) -> None:
    found = sqlrisk.protect("original.sav", "synthetic.sav", output=output, flag=True, **ASKED)
    written = (
        pd.read_parquet(output)
        if output.endswith("parquet")
        else pd.read_csv(output, keep_default_na=False)
    )
    assert list(written["answer"].astype(float)) == PEOPLE["answer"][:7]
    assert list(written["told"]) == PEOPLE["told"][:7]
    kept = "Of SPSS and Stata files, a file of their own format keeps them."
    if output.endswith("parquet"):
        assert told(found) == [("town", "codes", None), ("answer", "codes", None)]
        said = (
            "Labels of town, answer are in the metadata of the Parquet file (tableschema), where "
            "sqlrisk reads those of columns. It does not read the labels of the codes of town, "
            f"answer there, and shows codes. {kept}"
        )
    else:
        assert told(found) == [("town", "labels", None), ("answer", "labels", None)]
        said = f"Labels are not in the file: of town, answer. {kept}"
    assert said in " ".join(found.to_text().split())
    assert "refused" not in found.to_text() + found.to_json()


def test_protect_says_which_reasons_of_stata_are_not_in_the_file() -> None:
    found = sqlrisk.protect(
        "original.dta", "synthetic.dta", output="out.parquet", flag=True, **ASKED
    )
    reasons = ("answer", "reasons", [".a", ".b", ".c"])
    assert told(found) == [("town", "metadata", None), reasons, ("answer", "codes", None)]
    assert Counter(pd.read_parquet("out.parquet")["answer"].isna()) == {True: 3, False: 4}
    said = (
        "answer: the reasons of 3 missing values (.a, .b, .c) are not in the file, which is "
        "empty there."
    )
    assert said in " ".join(found.to_text().split())
    assert found.to_dict()["not_kept"] == found.not_kept
    plain = pd.DataFrame(PEOPLE)
    assert sqlrisk.protect(plain, plain, output="plain.parquet", **ASKED).not_kept == []


@pytest.mark.slow
def test_a_recode_says_once_which_reasons_its_files_lack() -> None:
    found = sqlrisk.recode(
        "original.sav",
        "synthetic.sav",
        output="release",
        targets="answer",
        column={"answer": {"merge": {"some": [1, 2]}}},
        **ASKED,
    )
    assert [row["records"] for row in found.not_kept if row["what"] == "reasons"] == [4, 4]
    assert (
        "answer: the reasons of 8 missing values (-8, 97, 97 to 99, 98) are not in the files "
        "(original.sav, synthetic.sav), which are empty there."
    ) in " ".join(found.to_text().split())


def test_protect_says_which_columns_are_not_recoded_in_the_file() -> None:
    said = "The file holds age as they were, not recoded as they were counted: sqlrisk recode"
    for column, is_said in (({"age": {"width": 5}}, True), ({"age": {"label": "Age"}}, False)):
        found = sqlrisk.protect(
            "original.sav",
            "synthetic.sav",
            output=f"out_{is_said}.sav",
            column=column,
            **ASKED,
        )
        assert (said in " ".join(found.to_text().split())) == is_said


@pytest.mark.parametrize("level", few(["refused", "97", "-8", ""], 2))
def test_a_key_that_is_declared_missing_is_named_so(level: str) -> None:
    with pytest.raises(sqlrisk.InputError, match="is a missing value: say so by --missing-keys"):
        sqlrisk.lookup("synthetic.sav", key={"answer": level})
    assert len(sqlrisk.lookup("synthetic.sav", key={"told": "c"}, targets="age").rows) == 1


def test_a_label_that_is_no_level_says_what_to_name() -> None:
    asked: dict[str, Any] = {**ASKED, "keys": "age", "targets": "answer,town"}
    for column, level, said in (
        ("answer", "refused", "not a level: use --exclude-missing answer"),
        ("town", "Ahlenn", "did you mean 'Ahlen'"),
    ):
        with pytest.raises(sqlrisk.InputError, match=said):
            sqlrisk.score("original.sav", "synthetic.sav", exclude_level={column: level}, **asked)


@pytest.mark.slow
def test_what_is_missing_is_counted_so_before_and_after() -> None:
    """A written file holds 97, and is measured as the file was counted."""
    asked: dict[str, Any] = {"keys": "town,answer", "targets": "age"}
    found = sqlrisk.protect("original.sav", "synthetic.sav", output="out.parquet", **asked)
    assert found.singled_out
    frame = pd.DataFrame(PEOPLE)
    lost = frame.assign(answer=frame["answer"].where(frame["answer"].between(0, 9)))
    expected = sqlrisk.protect(lost, lost.iloc[:7], output="expected.parquet", **asked)
    assert found.measures == expected.measures
    kept = pd.read_parquet("out.parquet")
    assert len(kept) == len(pd.read_parquet("expected.parquet"))
    assert set(kept["answer"]) & {97, 98, 99, -8}


@pytest.mark.slow
def test_protect_writes_codes_and_counts_labels() -> None:
    frame = pd.DataFrame(PEOPLE)
    other = frame.assign(town=frame["town"].map({1: 3, 2: 2, 3: 1})).iloc[:7]
    swapped = {**LABELS, "town": {3: "Ahlen", 2: "Brake", 1: "Celle"}}
    pyreadstat.write_sav(other, "other.sav", variable_value_labels=swapped, **DECLARED)
    found = sqlrisk.protect(
        "original.sav", "other.sav", output="out.parquet", **ASKED, targets="told"
    )
    expected = sqlrisk.protect(
        "original.sav", "synthetic.sav", output="expected.parquet", **ASKED, targets="told"
    )
    assert found.measures == expected.measures
    kept = pd.read_parquet("out.parquet")
    assert list(kept["town"].map({1: 3, 2: 2, 3: 1})) == list(
        pd.read_parquet("expected.parquet")["town"]
    )
    assert ("town", "codes", None) in told(found)


def stored(path: str) -> tuple[dict[str, list[Any]], Any]:
    """Return the values of a file as they are stored, and what it says of its columns."""
    read = pyreadstat.read_dta if path.endswith("dta") else pyreadstat.read_sav
    values, about = read(
        path, user_missing=True, disable_datetime_conversion=True, output_format="dict"
    )
    return {name: list(each) for name, each in values.items()}, about


SAID = (
    "variable_value_labels",
    "missing_ranges",
    "missing_user_values",
    "column_names_to_labels",
    "file_label",
    "notes",
)
MORE = (
    "original_variable_types",
    "variable_measure",
    "variable_display_width",
    "readstat_variable_types",
)


@pytest.mark.parametrize("ending", few(["sav", "zsav", "dta"]))
def test_protect_writes_the_format_that_it_read(ending: str) -> None:
    source = f"synthetic.{ending.removeprefix('z')}"
    asked = {**ASKED, "flag": "alone", "label": "origin=synthetic"}
    found = sqlrisk.protect(
        source.replace("synthetic", "original"), source, output=f"out.{ending}", **asked
    )
    (before, of_before), (after, of_after) = stored(source), stored(f"out.{ending}")
    assert list(after) == [*before, "alone", "origin"]
    assert {name: after[name] for name in before} == before
    assert sum(after["alone"]) == found.singled_out == 3
    assert set(after["origin"]) == {"synthetic"}
    assert told(found) == []
    for name in (*SAID, *(MORE if ending != "zsav" else ())):
        was, now = getattr(of_before, name), getattr(of_after, name)
        assert now == (
            was
            if not isinstance(was, dict)
            else {**was, **{added: now[added] for added in ("alone", "origin") if added in now}}
        )
    assert of_after.variable_value_labels["alone"] == {0: "no", 1: "yes"}
    without = sqlrisk.protect(
        source.replace("synthetic", "original"), source, output=f"less.{ending}", **ASKED
    )
    kept = [place for place, alone in enumerate(after["alone"]) if not alone]
    assert stored(f"less.{ending}")[0] == {
        name: [values[place] for place in kept] for name, values in before.items()
    }
    assert without.written == 4


@pytest.mark.parametrize("ending", ["sav", "dta", "por"])
@pytest.mark.parametrize("records", few([2000, 2001], 2))
def test_a_file_that_is_read_in_pieces_is_copied_whole(
    ending: str, records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces of a thousand, also where the last of them is full; a letter stands in one piece
    alone.
    """
    monkeypatch.setattr("sqlrisk.engines.formats.stat_copies._PIECE", 1)
    frame = pd.DataFrame(
        {"TOWN": [row % 7 for row in range(records)], "TOLD": [f"t{row}" for row in range(records)]}
    )
    if ending == "dta":
        frame["ANSWER"] = ["a" if row == 1500 else row % 3 for row in range(records)]
        pyreadstat.write_dta(frame, "many.dta", missing_user_values={"ANSWER": ["a"]})
    else:
        (pyreadstat.write_por if ending == "por" else pyreadstat.write_sav)(frame, f"many.{ending}")
    halves = sqlrisk.split(f"many.{ending}", output="halves", seed=1)
    assert [row["output"] for row in halves.files] == [
        f"many_{half}.{ending.replace('por', 'sav')}" for half in ("in", "control")
    ]
    drawn, control = (stored(f"halves/{row['output']}")[0] for row in halves.files)
    rows = [*zip(*drawn.values(), strict=True), *zip(*control.values(), strict=True)]
    assert sorted(rows, key=lambda row: row[1]) == sorted(
        frame.itertuples(index=False, name=None), key=lambda row: row[1]
    )


@pytest.mark.parametrize("values", [[38.6, 0.1, LETTER, None], [LETTER, None]])
def test_a_float_of_stata_keeps_its_decimals_beside_a_letter(values: list[float | None]) -> None:
    frame = pd.DataFrame({"pay": pd.Series(values, dtype="float32"), "row": range(len(values))})
    frame.to_stata("pay.dta", write_index=False, byteorder="<")
    written = Path("pay.dta").read_bytes()
    letter = written.replace(struct.pack("<f", LETTER), bytes.fromhex("0008007f"))  # .a
    Path("pay.dta").write_bytes(letter)
    sqlrisk.protect("pay.dta", "pay.dta", output="out.dta", flag=True, keys="row")
    pay, about = stored("out.dta")
    assert pay["pay"] == ["a" if value == LETTER else value for value in values]
    assert about.readstat_variable_types["pay"] == "double"


def test_a_copy_says_what_it_cannot_be() -> None:
    frame = pd.DataFrame(PEOPLE)
    refused = (
        r"The output 'out.sav' can be written only from one SPSS file, and synthesis 1 "
        r"\(pandas.DataFrame\) is not one"
    )
    with pytest.raises(sqlrisk.InputError, match=refused):
        sqlrisk.protect("original.sav", frame, output="out.sav", **ASKED)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"the columns that are added \('my flag'\) may have a name that this format does "
        "not allow",
    ):
        sqlrisk.protect("original.sav", "synthetic.sav", output="out.sav", flag="my flag", **ASKED)
    assert not Path("out.sav").exists()


def test_a_copy_of_more_than_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlrisk.analyses.people.release.size_of", lambda *_: 10**12)
    with pytest.raises(sqlrisk.InputError, match=r"takes some 1000.0 GB: raise --memory-limit"):
        sqlrisk.protect("original.sav", "synthetic.sav", output="out.sav", **ASKED)
    assert not Path("out.sav").exists()


@pytest.mark.parametrize("ending", few(["sav", "dta"], 2))
def test_split_and_recode_keep_the_format(ending: str) -> None:
    halves = sqlrisk.split(f"original.{ending}", output="halves", seed=1)
    (values, about), *parts = (
        stored(path)
        for path in (f"original.{ending}", *map(str, Path("halves").glob(f"*.{ending}")))
    )
    assert [each.variable_value_labels for _, each in parts] == [about.variable_value_labels] * 2
    assert sorted(map(str, parts[0][0]["answer"] + parts[1][0]["answer"])) == sorted(
        map(str, values["answer"])
    )
    column = {"age": {"bands": [0, 40]}, "answer": {"bands": [-10, 2]}}
    found = sqlrisk.recode(
        f"original.{ending}", f"synthetic.{ending}", output="release", **ASKED, column=column
    )
    written, said = stored(f"release/original.{ending}")
    assert written["age"] == [1, 1, 1, 2, 2, 1, 1, 2]
    assert said.variable_value_labels["age"] == {1: "[0,40)", 2: "40+"}
    assert [written["town"], written["told"]] == [values["town"], values["told"]]
    assert said.column_names_to_labels["town"] == "Where one lives"
    reasons = ["-8", "97", "97 to 99", "98"] if ending == "sav" else [".a", ".b", ".c"]
    assert told(found) == [("answer", "reasons", reasons)] * 2
    assert told(halves) == []
    asked = {"keys": "town,age", "measures": "UiO,repU"}
    files = [f"release/{name}.{ending}" for name in ("original", "synthetic")]
    expected = sqlrisk.score(
        f"original.{ending}", f"synthetic.{ending}", **asked, column={"age": column["age"]}
    )
    assert sqlrisk.score(*files, **asked).results == expected.results


@pytest.mark.slow
def test_recoded_levels_are_labels_where_codes_mean_other_things() -> None:
    """Each file keeps its own codes and labels; what is recoded has the same of both."""
    frame = pd.DataFrame(PEOPLE)
    swapped = {**LABELS, "town": {3: "Ahlen", 2: "Brake", 1: "Celle"}}
    pyreadstat.write_sav(
        frame.assign(town=frame["town"].map({1: 3, 2: 2, 3: 1})),
        "other.sav",
        variable_value_labels=swapped,
    )
    found = sqlrisk.recode(
        "original.sav", "other.sav", output="release", **ASKED, column={"age": {"bands": [0, 40]}}
    )
    (own, about), (other, said) = stored("release/original.sav"), stored("release/other.sav")
    assert [about.variable_value_labels["town"][each] for each in own["town"]] == [
        said.variable_value_labels["town"][each] for each in other["town"]
    ]
    assert own["age"] == other["age"]
    assert told(found) == []
    merged = {"town": {"merge": {"West": ["Ahlen", "Brake"]}}}
    sqlrisk.recode("original.sav", "other.sav", output="again", **ASKED, column=merged)
    (own, about), (other, said) = stored("again/original.sav"), stored("again/other.sav")
    assert about.variable_value_labels["town"] == said.variable_value_labels["town"]
    assert [about.variable_value_labels["town"][each] for each in own["town"]] == [
        {3: "Celle"}.get(code, "West") for code in PEOPLE["town"]
    ]
    assert own["town"] == other["town"]


@pytest.mark.slow
def test_parts_of_a_recode_are_parquet_and_say_what_is_lost() -> None:
    """A file of several parts is written as one Parquet file, with labels in its metadata."""
    Path("parts").mkdir()
    for number in (1, 2):
        Path(f"parts/{number}.sav").write_bytes(Path("synthetic.sav").read_bytes())
    found = sqlrisk.recode(
        "original.sav", "parts/*.sav", output="release", **ASKED, column={"age": {"bands": [0, 40]}}
    )
    assert found.files[0]["output"] == "original.sav"
    assert told(found) == [("town", "codes", None), ("answer", "codes", None)]
    assert "It does not read the labels of the codes of town, answer" in " ".join(
        found.to_text().split()
    )
