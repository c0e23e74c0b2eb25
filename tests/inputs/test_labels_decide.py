"""Labels decide where files disagree on what a code is called: in every command, with the counts of
the same tables in CSV.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from unassessed import unasked

import sqlrisk
from sqlrisk.inputs.labels import ColumnLabels, disagreements, labels_decide

ORIGINAL = {
    "town": ["Ahlen", "Ahlen", "Brake", "Celle", "Celle", "Brake", "Ahlen", "Celle"],
    "age": [30, 31, 30, 44, 44, 31, 30, 52],
    "ill": ["no", "yes", "no", "yes", "yes", "no", "no", "no"],
}
SYNTHETIC = {
    "town": ["Celle", "Ahlen", "Celle", "Ahlen", "Ahlen", "Celle"],
    "age": [44, 30, 44, 31, 30, 52],
    "ill": ["yes", "no", "yes", "yes", "yes", "no"],
}
CODED = ("town", "ill")
ASKED: dict[str, Any] = {"keys": "town,age", "targets": "ill"}
FIRST = {"town": {1: "Ahlen", 2: "Brake", 3: "Celle"}, "ill": {0: "no", 1: "yes"}}
# as a program numbers the levels that a file has
OTHER = {"town": {1: "Ahlen", 2: "Celle"}, "ill": {0: "yes", 1: "no"}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(ORIGINAL).to_csv("original.csv", index=False)
    pd.DataFrame(SYNTHETIC).to_csv("synthetic.csv", index=False)
    written("a.sav", ORIGINAL, FIRST)
    written("b.sav", SYNTHETIC, OTHER)
    return tmp_path


def written(
    name: str, table: Mapping[str, Any], labels: Mapping[str, Mapping[Any, str]], **more: Any
) -> str:
    """Write a table of labels as codes."""
    frame = pd.DataFrame(table)
    for column, values in labels.items():
        codes = {label: code for code, label in values.items()}
        frame[column] = [codes.get(value, value) for value in frame[column]]
    write = pyreadstat.write_dta if name.endswith(".dta") else pyreadstat.write_sav
    write(
        frame,
        name,
        variable_value_labels={column: dict(values) for column, values in labels.items()},
        **more,
    )
    return name


def counted(*files: Any, **asked: Any) -> list[tuple[object, ...]]:
    """Return the numbers of a score, by measures of keys, of levels and of both."""
    with unasked():
        found = sqlrisk.score(*files, **{"measures": "UiO,iS,DiSCO,DCAP", **ASKED, **asked}).results
    return [
        tuple(row[name] for name in ("measure", "target", "population", "numerator", "denominator"))
        for row in found
    ]


def codes_of(found: Any) -> list[str]:
    return [each["code"] for row in found.assessment for each in row["reasons"]]


def stata(
    name: str, table: Mapping[str, Any], order: Callable[[list[str]], list[str]] = sorted
) -> str:
    """Write a table as pandas writes categories."""
    frame = pd.DataFrame(table)
    kinds = {column: pd.CategoricalDtype(order(sorted(frame[column].unique()))) for column in CODED}
    frame.astype(kinds).to_stata(name, write_index=False, version=118)
    return name


def test_files_that_label_codes_differently_are_compared_by_label() -> None:
    expected = counted("original.csv", "synthetic.csv")
    stata("a.dta", ORIGINAL)
    stata("b.dta", SYNTHETIC, lambda levels: levels[::-1])
    for files in (("a.sav", "b.sav"), ("a.dta", "b.dta"), ("a.sav", "b.dta"), ("a.dta", "b.sav")):
        assert counted(*files) == expected
    report = sqlrisk.score("a.sav", "b.sav", **ASKED)
    assert codes_of(report).count("compared_by_label") == 2
    assert "Note: town: compared by label." in " ".join(report.to_text().split())
    manifest = json.dumps(report.manifest())
    assert "compared by label" in manifest
    assert "Celle" not in manifest
    assert report.assessment[0]["state"] == "assessable"


def test_a_label_of_different_codes_is_enough() -> None:
    written("b.sav", SYNTHETIC, {"town": {5: "Ahlen", 6: "Brake", 7: "Celle"}, "ill": FIRST["ill"]})
    assert counted("a.sav", "b.sav") == counted("original.csv", "synthetic.csv")


@pytest.mark.slow
def test_codes_that_files_label_alike_are_counted_as_codes() -> None:
    written("b.sav", SYNTHETIC, FIRST)
    assert counted("a.sav", "b.sav") == counted("original.csv", "synthetic.csv")
    assert "compared_by_label" not in codes_of(sqlrisk.score("a.sav", "b.sav", **ASKED))
    capitals = {"town": {1: "AHLEN", 2: "Brake ", 3: "celle"}, "ill": FIRST["ill"]}
    pyreadstat.write_sav(pyreadstat.read_sav("b.sav")[0], "c.sav", variable_value_labels=capitals)
    # capitals and blanks are no matter
    assert "compared_by_label" not in codes_of(sqlrisk.inspect("a.sav", "c.sav", **ASKED))


@pytest.mark.slow
def test_the_parts_of_a_file_each_have_their_own_codes() -> None:
    frame = pd.DataFrame(ORIGINAL)
    Path("parts").mkdir()
    for place, part in enumerate((frame[frame.town != "Brake"], frame[frame.town == "Brake"])):
        stata(f"parts/{place}.dta", part)
    expected = counted("original.csv", "synthetic.csv")
    assert counted("parts", "synthetic.csv") == expected
    assert counted("parts", stata("b.dta", SYNTHETIC)) == expected
    assert counted("parts", "parts") == counted("original.csv", "original.csv")
    found = sqlrisk.uniques("parts", keys="town,age")
    assert found.to_csv() == sqlrisk.uniques("original.csv", keys="town,age").to_csv()


def test_codes_without_a_label_stay_numbers() -> None:
    told = {**ORIGINAL, "town": ["Ahlen", 7, 7, "Celle", "Celle", "Brake", "Ahlen", 8]}
    made = {**SYNTHETIC, "town": ["Celle", 7, "Celle", "Ahlen", 8, 7]}
    written("a.sav", told, FIRST)
    written("b.sav", made, OTHER)
    pd.DataFrame(told).to_csv("original.csv", index=False)
    pd.DataFrame(made).to_csv("synthetic.csv", index=False)
    assert counted("a.sav", "b.sav") == counted("original.csv", "synthetic.csv")
    asked = {**ASKED, "exclude_pair": "ill=no, town=7"}
    assert counted("a.sav", "b.sav", **asked) == counted("original.csv", "synthetic.csv", **asked)


@pytest.mark.slow
def test_a_translation_is_compared_by_codes_and_doubtful() -> None:
    written("b.sav", SYNTHETIC, FIRST)
    frame, _ = pyreadstat.read_sav("b.sav")
    translated = {"ill": {0: "nein", 1: "ja"}, "town": FIRST["town"]}
    pyreadstat.write_sav(frame, "c.sav", variable_value_labels=translated)
    assert counted("a.sav", "c.sav") == counted("original.csv", "synthetic.csv")
    report = sqlrisk.score("a.sav", "c.sav", **ASKED)
    (text,) = [
        each["text"]
        for row in report.assessment
        for each in row["reasons"]
        if each["code"] == "labelled_otherwise"
    ]
    assert text.startswith("ill: the code 0 is 'no' in 'a.sav' and 'nein' in 'c.sav'.")
    assert "nein" not in json.dumps(report.manifest())
    assert "A column has few levels in common" in str(report.external().assessment)


def test_one_label_on_two_codes_is_refused_where_labels_decide() -> None:
    frame, _ = pyreadstat.read_sav("b.sav")
    twice = {"town": {1: "Ahlen", 2: "Celle", 3: "Celle"}, "ill": OTHER["ill"]}
    pyreadstat.write_sav(frame, "b.sav", variable_value_labels=twice)
    with pytest.raises(
        sqlrisk.InputError, match=r"column 'town' of 'b\.sav' holds two codes with the same label"
    ) as caught:
        sqlrisk.score("a.sav", "b.sav", **ASKED)
    assert "Celle" not in str(caught.value)
    counted("a.sav", "b.sav", keys="age")  # nobody asks for it
    both = {"town": {**FIRST["town"], 9: "Celle"}, "ill": FIRST["ill"]}
    for name in ("a.sav", "c.sav"):
        written(name, ORIGINAL, both)
    assert counted("a.sav", "c.sav")  # by codes
    number = {"town": {1: "Ahlen", 2: "3"}, "ill": OTHER["ill"]}
    frame["town"] = [1, 2, 3, 1, 1, 3]
    # the code 3 would be the level of 2
    pyreadstat.write_sav(frame, "b.sav", variable_value_labels=number)
    with pytest.raises(sqlrisk.InputError, match="two codes with the same label"):
        sqlrisk.score("a.sav", "b.sav", **ASKED)


@pytest.mark.slow
def test_labels_of_missing_values_decide_nothing() -> None:
    lost = {"missing_ranges": {"ill": [8, {"lo": 90, "hi": 99}]}}
    for name, table, ill in (
        ("a.sav", ORIGINAL, {8: "lost", 98: "lost"}),
        ("b.sav", SYNTHETIC, {8: "gone", 98: "lost", 99: "lost"}),
    ):
        written(name, table, {"town": FIRST["town"], "ill": {0: "no", 1: "yes", **ill}}, **lost)
    assert counted("a.sav", "b.sav") == counted("original.csv", "synthetic.csv")
    assert codes_of(sqlrisk.score("a.sav", "b.sav", **ASKED)) == codes_of(
        sqlrisk.score("original.csv", "synthetic.csv", **ASKED)
    )
    assert ColumnLabels(None, {"1": "x", "97": "y", "a": "z"}, (("90", "99"), "a")).levels == {
        "1": "x"
    }


def test_what_the_user_calls_missing_is_a_code_still() -> None:
    told = {**ORIGINAL, "ill": ["no", "lost", "no", "yes", "yes", "lost", "no", "no"]}
    written("a.sav", told, {**FIRST, "ill": {0: "no", 1: "yes", -9: "lost"}})
    written("b.sav", SYNTHETIC, {**OTHER, "ill": {0: "yes", 1: "no", -9: "lost"}})
    pd.DataFrame(told).to_csv("original.csv", index=False)
    expected = counted("original.csv", "synthetic.csv", missing=["lost"])
    assert counted("a.sav", "b.sav", missing=[-9]) == expected
    assert counted("a.sav", "b.sav", missing=["lost"]) == expected


def test_against_a_file_without_labels_they_are_the_levels_where_its_texts_are_labels() -> None:
    pd.DataFrame(SYNTHETIC).to_parquet("synthetic.parquet")
    expected = counted("original.csv", "synthetic.csv")
    pyreadstat.write_sav(pd.DataFrame(SYNTHETIC), "texts.sav")
    for synthetic in ("synthetic.csv", "synthetic.parquet", pd.DataFrame(SYNTHETIC), "texts.sav"):
        assert counted("a.sav", synthetic) == expected
    frame, _ = pyreadstat.read_sav("b.sav")
    written("b.sav", SYNTHETIC, FIRST)
    pyreadstat.read_sav("b.sav")[0].astype({"town": int, "ill": int}).to_csv(
        "codes.csv", index=False
    )
    assert counted("a.sav", "codes.csv") == expected
    years = {**ORIGINAL, "age": ["2001", "2002", "2001", "2003", "2003", "2002", "2001", "2004"]}
    pd.DataFrame(years).to_csv("years.csv", index=False)
    written("years.sav", years, {**FIRST, "age": {1: "2001", 2: "2002", 3: "2003", 4: "2004"}})
    assert counted("years.sav", "years.csv") == counted("years.csv", "years.csv")
    assert counted("years.csv", "years.sav", control="years.csv", measures="repU") == counted(
        "years.csv", "years.csv", control="years.csv", measures="repU"
    )
    frame.to_csv("whose.csv", index=False)
    written("b.sav", SYNTHETIC, OTHER)
    refused = r"'a\.sav' and 'b\.sav' label its codes differently, and 'whose\.csv' holds codes"
    with pytest.raises(sqlrisk.InputError, match=refused):
        sqlrisk.score("a.sav", "b.sav", control="whose.csv", **ASKED)


@pytest.mark.slow
def test_every_command_compares_by_label(folder: Path) -> None:
    pd.DataFrame(SYNTHETIC).to_csv("a.csv", index=False)

    def told(original: str, synthetic: str) -> list[object]:
        return [
            sqlrisk.records(original, synthetic, **ASKED).to_arrow().to_pylist(),
            sqlrisk.sweep(original, synthetic, **ASKED, key_length=1).to_csv(),
            sqlrisk.attack(original, synthetic, **ASKED).to_csv(),
            sqlrisk.cells("DiSCO", original, synthetic, **ASKED).rows,
            counted(original, synthetic, control=original, measures="repU,DiSCO"),
            counted(original, synthetic, by="ill"),
            counted(original, synthetic, exclude_level="ill=yes"),
            counted(original, synthetic, column={"town": {"merge": {"West": ["Ahlen", "Brake"]}}}),
            sqlrisk.lookup(synthetic, key={"age": "44"}).rows,
        ]

    assert told("a.sav", "b.sav") == told("original.csv", "synthetic.csv")
    for name, files in {
        "one": ("a.sav", "b.sav"),
        "two": ("original.csv", "synthetic.csv"),
    }.items():
        sqlrisk.score(*files, **ASKED, save=f"{name}.duckdb")
    rows = [
        sqlrisk.query(f"{name}.duckdb", "SELECT level FROM labels_k1 ORDER BY level").rows
        for name in ("one", "two")
    ]
    assert rows[0] == rows[1]
    script = sqlrisk.sql("DiSCO", "a.sav", "b.sav", **ASKED)
    assert (
        '("town" VARCHAR, "age" BIGINT, "ill" VARCHAR), with labels instead of the codes of '
        "town, ill"
    ) in script
    assert "Celle" not in script


@pytest.mark.slow
def test_a_copy_with_other_codes_is_a_copy() -> None:
    stata("a.dta", ORIGINAL)
    stata(
        "copy.dta",
        pd.DataFrame(ORIGINAL).sample(frac=1, random_state=1),
        lambda levels: levels[::-1],
    )
    assert (
        sqlrisk.inspect("a.dta", "copy.dta", **ASKED).copies
        == sqlrisk.inspect("original.csv", "original.csv", **ASKED).copies
    )


@pytest.mark.slow
def test_a_note_is_no_doubt_for_a_policy() -> None:
    written("a.sav", ORIGINAL, FIRST)
    Path("policy.toml").write_text(
        'name = "p"\n\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "any"\n'
    )
    verdicts = sqlrisk.score("a.sav", "b.sav", **ASKED, policy="policy.toml").policy["verdicts"]
    assert "compared_by_label" not in str(verdicts)
    external = sqlrisk.score("a.sav", "b.sav", **ASKED).external()
    plain = sqlrisk.score("original.csv", "synthetic.csv", **ASKED).external()
    assert codes_of(external) == codes_of(plain)
    assert not any(
        "label" in reason["text"] for row in external.assessment for reason in row["reasons"]
    )


def test_which_labels_disagree() -> None:
    def pairs(*files: dict[str, str]) -> list[tuple[str | None, bool]]:
        return [(each.code, each.labels_meet) for each in disagreements(files)]

    assert pairs({"1": "x", "2": "y"}, {"1": "X ", "3": "z"}) == []
    assert pairs({"1": "x", "2": "y"}, {"2": "x", "1": "y"}) == [("1", True)]
    assert pairs({"1": "x"}, {"2": "x"}) == [(None, True)]
    assert pairs({"1": "x"}, {"1": "y"}) == [("1", False)]
    assert pairs({"1": "x", "2": "x"}, {"2": "x"}) == []
    assert not labels_decide([("a", {"1": "x"}), ("b", {"1": "y"})])
    assert labels_decide([("a", {"1": "x"}), ("a", {"1": "y"})])


def test_a_baseline_names_labels_where_labels_decide() -> None:
    asked: dict[str, Any] = {
        "measures": "baseCAPd,DCAP,accuracy_marginal",
        "baseline": {"ill": "shares.csv"},
    }
    pd.DataFrame({"level": ["no", "yes"], "share": [0.75, 0.25]}).to_csv("shares.csv", index=False)
    assert counted("a.sav", "b.sav", **asked) == counted("original.csv", "synthetic.csv", **asked)
    pd.DataFrame({"level": [0, 1], "share": [0.75, 0.25]}).to_csv("shares.csv", index=False)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"'ill' is compared by its labels, and 'shares\.csv' holds none of them",
    ):
        sqlrisk.score("a.sav", "b.sav", **ASKED, **asked)


def test_texts_of_which_few_are_labels_are_codes() -> None:
    """A column of text of which one code has a label, which is also a text of its own."""
    frame = pd.DataFrame(ORIGINAL)
    few: Any = {"town": {"Koeln": "Brake"}}
    all_of_them: Any = {"town": {"A": "Ahlen", "B": "Brake", "C": "Celle"}}
    pyreadstat.write_sav(frame, "texts.sav", variable_value_labels=few)
    expected = counted("original.csv", "synthetic.csv")
    assert counted("texts.sav", "synthetic.csv") == expected
    short = frame.replace({"Ahlen": "A", "Brake": "B", "Celle": "C"})
    pyreadstat.write_sav(short, "short.sav", variable_value_labels=all_of_them)
    assert counted("short.sav", "synthetic.csv") == expected


@pytest.mark.parametrize("files", [["codes.csv", "texts.csv"], ["texts.csv", "codes.csv"]])
def test_codes_without_labels_are_refused_in_any_order_of_files(files: list[str]) -> None:
    coded = pd.DataFrame(SYNTHETIC)
    coded.to_csv("texts.csv", index=False)
    coded.assign(ill=coded["ill"].map({"no": 0, "yes": 1})).to_csv("codes.csv", index=False)
    written("a.sav", ORIGINAL, {"ill": FIRST["ill"]})
    with pytest.raises(sqlrisk.InputError, match=r"'codes\.csv' holds codes without labels"):
        sqlrisk.score("a.sav", files, **ASKED)
