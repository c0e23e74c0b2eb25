"""What is written keeps every value as it is stored, or says by column what it does not hold."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import sqlrisk

PEOPLE: dict[str, list[Any]] = {
    "town": [1, 1, 2, 3, 3, 2, 1, 3],
    "age": [30, 31, 30, 44, 44, 31, 30, 52],
    "answer": [1.0, 97.0, 2.0, 98.0, 1.0, 99.0, -8.0, 2.0],
    "told": ["a", "NA", "", "b", "a", "NA", "c", "a"],
}
LABELS = {"answer": {1: "yes", 2: "no", 97: "refused", 98: "not asked", -8: "lost"}, "town": {1: "Ahlen", 2: "Brake", 3: "Celle"}}
DECLARED: Any = {"missing_ranges": {"answer": [{"lo": 97, "hi": 99}, -8], "told": ["NA"]}}
ASKED: dict[str, Any] = {"keys": "town,age"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(PEOPLE)
    pyreadstat.write_sav(frame, "original.sav", variable_value_labels=LABELS, **DECLARED)
    pyreadstat.write_sav(frame.iloc[[0, 1, 2, 3, 4, 5, 6]], "synthetic.sav", variable_value_labels=LABELS, **DECLARED)
    letters = frame.astype({"answer": object})
    letters["answer"] = [{97.0: "a", 98.0: "b", 99.0: "c"}.get(value, value) for value in frame["answer"]]
    for name, rows in (("original.dta", letters), ("synthetic.dta", letters.iloc[:7])):
        pyreadstat.write_dta(rows, name, missing_user_values={"answer": ["a", "b", "c"]})


def told(found: Any) -> list[tuple[str, str, list[str] | None]]:
    return [(row["column"], row["what"], row["codes"]) for row in found.not_kept]


@pytest.mark.parametrize("output", ["out.parquet", "out.csv"])
def test_protect_writes_what_spss_declares_missing(output: str) -> None:
    found = sqlrisk.protect("original.sav", "synthetic.sav", output=output, flag=True, **ASKED)
    written = pd.read_parquet(output) if output.endswith("parquet") else pd.read_csv(output, keep_default_na=False)
    assert list(written["answer"].astype(float)) == PEOPLE["answer"][:7]
    assert list(written["told"]) == PEOPLE["told"][:7]
    assert told(found) == [("town", "labels", None), ("answer", "labels", None)]
    assert "Labels are not in the file, codes are: town, answer." in " ".join(found.to_text().split())
    assert "refused" not in found.to_text() + found.to_json()


def test_protect_says_which_reasons_of_stata_are_not_in_the_file() -> None:
    found = sqlrisk.protect("original.dta", "synthetic.dta", output="out.parquet", flag=True, **ASKED)
    assert told(found) == [("answer", "reasons", [".a", ".b", ".c"])]
    assert Counter(pd.read_parquet("out.parquet")["answer"].isna()) == {True: 3, False: 4}
    said = "answer: the reasons of 3 missing values (.a, .b, .c) are not in the file, which is empty there."
    assert said in " ".join(found.to_text().split())
    assert found.to_dict()["not_kept"] == found.not_kept
    plain = pd.DataFrame(PEOPLE)
    assert sqlrisk.protect(plain, plain, output="plain.parquet", **ASKED).not_kept == []


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


def test_protect_writes_codes_and_counts_labels() -> None:
    frame = pd.DataFrame(PEOPLE)
    other = frame.assign(town=frame["town"].map({1: 3, 2: 2, 3: 1})).iloc[:7]
    swapped = {**LABELS, "town": {3: "Ahlen", 2: "Brake", 1: "Celle"}}
    pyreadstat.write_sav(other, "other.sav", variable_value_labels=swapped, **DECLARED)
    found = sqlrisk.protect("original.sav", "other.sav", output="out.parquet", **ASKED, targets="told")
    expected = sqlrisk.protect("original.sav", "synthetic.sav", output="expected.parquet", **ASKED, targets="told")
    assert found.measures == expected.measures
    kept = pd.read_parquet("out.parquet")
    assert list(kept["town"].map({1: 3, 2: 2, 3: 1})) == list(pd.read_parquet("expected.parquet")["town"])
    assert ("town", "labels", None) in told(found)


def test_split_and_recode_keep_and_tell_it_too() -> None:
    halves = sqlrisk.split("original.sav", output="halves", seed=1)
    parts = [pd.read_parquet(path) for path in sorted(Path("halves").glob("*.parquet"))]
    assert sorted(pd.concat(parts)["answer"]) == sorted(PEOPLE["answer"])
    assert told(halves) == [("town", "labels", None), ("answer", "labels", None)]
    found = sqlrisk.recode("original.sav", "synthetic.sav", output="release", **ASKED, column={"age": {"bands": [0, 40]}})
    assert list(pd.read_parquet("release/original.parquet")["answer"]) == PEOPLE["answer"]
    assert told(found) == [("town", "labels", None), ("answer", "labels", None)] * 2
    assert "Labels are not in the file" in found.to_text()


def test_recode_writes_labels_where_codes_mean_other_things() -> None:
    frame = pd.DataFrame(PEOPLE)
    swapped = {**LABELS, "town": {3: "Ahlen", 2: "Brake", 1: "Celle"}}
    pyreadstat.write_sav(frame.assign(town=frame["town"].map({1: 3, 2: 2, 3: 1})), "other.sav", variable_value_labels=swapped)
    found = sqlrisk.recode("original.sav", "other.sav", output="release", **ASKED, column={"age": {"bands": [0, 40]}})
    written = [pd.read_parquet(f"release/{name}.parquet")["town"] for name in ("original", "other")]
    assert list(written[0]) == list(written[1]) == [LABELS["town"][code] for code in PEOPLE["town"]]
    assert ("town", "labels", None) not in told(found)
    again = sqlrisk.recode(
        "original.sav", "other.sav", output="again", **ASKED, column={"town": {"merge": {"West": ["Ahlen", "Brake"]}}}
    )
    assert again.measures
    assert list(pd.read_parquet("again/other.parquet")["town"]) == [{3: "Celle"}.get(code, "West") for code in PEOPLE["town"]]
