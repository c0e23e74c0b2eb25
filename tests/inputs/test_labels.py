"""What a file says of its columns, and what the dictionary says, where people read it: names keep
their place for machines.
"""

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyreadstat
import pytest
from quickly import few
from unassessed import unasked

import sqlrisk
from sqlrisk.cli import options
from sqlrisk.inputs.sources import FORMATS
from tests.cli.test_cli import sqlrisk as command

PEOPLE = {"sex": [1, 1, 2, 2, 2, 3], "town": [7, 7, 8, 8, 7, 8], "ill": [0, 0, 1, 1, 0, -9]}
VALUES = {"sex": {1: "Male", 2: "Female"}, "ill": {0: "No", 1: "Yes", -9: "Refused"}}
NAMES = {"sex": "Sex at birth", "ill": "Ill since a year"}
ASKED: dict[str, Any] = {"keys": "sex,town", "targets": "ill"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spss(name: str, values: dict[str, dict[int, str]] = VALUES, **more: Any) -> str:
    pyreadstat.write_sav(
        pd.DataFrame(PEOPLE), name, variable_value_labels=values, column_labels=NAMES, **more
    )
    return name


def test_the_labels_of_columns_are_shown_beside_their_names() -> None:
    report = sqlrisk.score(
        spss("a.sav"),
        "a.sav",
        column={"sex": {"label": "Sex, as told"}, "town": {"role": "key"}},
        measures="repU,DiSCO",
        **ASKED,
    )
    said = "labels sex: Sex, as told; ill: Ill since a year"  # the user's own label wins
    assert said in " ".join(report.to_text().split())
    assert "by someone who knows Sex, as told and town" in " ".join(
        report.to_text(brief=True).split()
    )
    assert "sex: Sex, as told; ill: Ill since a year" in report.to_html()
    found = json.loads(report.to_json())
    assert found["labels"] == {"sex": "Sex, as told", "ill": "Ill since a year"}
    assert found["scenario"]["keys"] == ["sex", "town"]
    Path("risk.json").write_text(report.to_json())
    assert said in " ".join(sqlrisk.read_report("risk.json").to_text().split())


def test_inspect_shows_the_labels_of_columns() -> None:
    found = sqlrisk.inspect(spss("a.sav"), "a.sav", **ASKED)
    assert "sex  Sex at birth" in found.to_text(width=100)
    assert json.loads(found.to_json())["labels"] == NAMES
    pd.DataFrame(PEOPLE).to_csv("a.csv", index=False)
    plain = sqlrisk.inspect("a.csv", "a.csv", **ASKED)
    assert "labels" not in json.loads(plain.to_json())
    assert "  column  type" in plain.to_text()


def test_an_external_report_has_no_labels_of_columns() -> None:
    report = sqlrisk.score(spss("a.sav"), "a.sav", **ASKED, measures="UiO")
    assert report.external().labels == {}


def test_codes_meet_labels_where_the_dictionary_says_so() -> None:
    spss("a.sav")
    told = pd.DataFrame(PEOPLE).astype(object)
    for name, values in VALUES.items():
        told[name] = [values.get(code, str(code)) for code in told[name]]
    told.to_csv("told.csv", index=False)
    by_labels: dict[str, Any] = {**ASKED, "column": ["sex.codes=labels", "ill.codes=labels"]}

    def counted(*files: str, **asked: Any) -> list[tuple[object, ...]]:
        return [
            (row["measure"], row["numerator"], row["denominator"])
            for row in sqlrisk.score(*files, **asked, measures="UiO,iS,DiSCO,DCAP").results
        ]

    expected = counted("told.csv", "told.csv", **ASKED)
    for files in (("a.sav", "told.csv"), ("told.csv", "a.sav"), ("a.sav", "a.sav")):
        assert counted(*files, **by_labels) == expected
    found = sqlrisk.cells("DiSCO", "a.sav", "told.csv", **by_labels, exclude_level="ill=Refused")
    assert {row[0] for row in found.rows} == {"Male", "Female"}
    told.replace({"No": "no one", "Yes": "some", "Refused": "?"}).to_csv("other.csv", index=False)
    with pytest.raises(sqlrisk.InputError) as caught:
        sqlrisk.score("a.sav", "other.csv", **ASKED)
    assert caught.value.problems[-1] == (
        "The column 'ill' has types that cannot be compared: whole numbers in 'a.sav', text "
        "in 'other.csv'. If the text is labels of codes, say so: --column ill.codes=labels. "
        "Otherwise store it alike in all files."
    )


@pytest.mark.parametrize(
    ("typed", "counts"),
    few(
        [
            ({"population": "they: sex = Female"}, [(3, 6), (1, 3)]),
            ({"population": "they: sex IN (Female, Male)"}, [(3, 6), (3, 5)]),
            ({"split": "sex", "split_in": "Female"}, [(1, 3), (2, 3)]),
            ({"bins": "ill=2", "special": "ill=Refused"}, [(3, 6)]),
        ]
    ),
)
def test_options_take_labels_of_columns_besides_keys_and_targets(
    typed: dict[str, str], counts: list[tuple[int, int]]
) -> None:
    """In town 7 nobody is ill. It has two men and one woman."""
    coded = {
        name: text.replace("Female", "2").replace("Male", "1").replace("Refused", "-9")
        for name, text in typed.items()
    }
    asked: dict[str, Any] = {"keys": "town", "targets": "ill", "measures": "DiSCO"}
    spss("a.sav")
    with unasked():
        found, expected = (
            sqlrisk.score("a.sav", "a.sav", **asked, **said).results for said in (typed, coded)
        )
    pairs = [(row["numerator"], row["denominator"]) for row in found]
    assert [pair for pair in pairs if pair != (None, None)] == counts
    assert found == expected


def test_special_levels_are_labels_in_a_saved_run_and_a_search_too() -> None:
    asked: dict[str, Any] = {"bins": "ill=2", "special": "ill=Refused"}
    more: dict[str, Any] = {"measures": "DiSCO", "save": "run.duckdb"}
    sqlrisk.score(spss("a.sav"), "a.sav", keys="town", targets="ill", **asked, **more)
    (row,) = sqlrisk.cells("DiSCO", "run.duckdb").rows
    assert row[0] == 7
    assert sqlrisk.uniques("a.sav", keys="ill,town", **asked).uniques == 1


def test_codes_that_have_no_labels_or_one_twice_are_refused() -> None:
    pd.DataFrame(PEOPLE).to_csv("a.csv", index=False)
    with pytest.raises(
        sqlrisk.InputError,
        match=r"column\.sex\.codes: no file has labels for the codes of 'sex'; leave it out",
    ):
        sqlrisk.score("a.csv", "a.csv", column="sex.codes=labels", **ASKED)
    spss("a.sav", {"sex": {1: "Kowalska", 2: "Kowalska"}})
    with pytest.raises(
        sqlrisk.InputError, match=r"column 'sex' of 'a\.sav' holds two codes with the same label"
    ) as caught:
        sqlrisk.score("a.sav", "a.sav", column="sex.codes=labels", **ASKED)
    assert "Kowalska" not in str(caught.value)
    with pytest.raises(
        sqlrisk.InputError, match=r"column\.sex\.codes: expected labels; got 'label'"
    ):
        sqlrisk.score("a.sav", "a.sav", column="sex.codes=label", **ASKED)


@pytest.mark.slow
def test_levels_that_no_recode_touches_are_shown_by_their_labels() -> None:
    spss("a.sav")

    def shown(said: str, asked: str) -> set[object]:
        people = sqlrisk.score(
            "a.sav", "a.sav", keys="town", targets="ill", by=asked, column=said
        ).results
        return {row["population"] for row in people}

    assert shown("sex.merge.Other=3", "sex") == {"all", "sex=Male", "sex=Female", "sex=Other"}
    assert shown("sex.top=2", "sex") == {"all", "sex=Male", "sex=2+"}
    merged: dict[str, Any] = {
        "keys": "town",
        "targets": "sex",
        "measures": "DiSCO",
        "column": "sex.merge.Other=3",
    }
    typed, coded = (
        sqlrisk.score("a.sav", "a.sav", **merged, exclude_level=f"sex={text}").results
        for text in ("Male", "1")
    )
    assert typed == coded


@pytest.mark.slow
def test_a_saved_run_knows_the_labels() -> None:
    sqlrisk.score(spss("a.sav"), "a.sav", **ASKED, save="run.duckdb")
    assert sqlrisk.query("run.duckdb", "SELECT level FROM labels_k1 ORDER BY code").rows == [
        ("Male",),
        ("Female",),
        ("3",),
    ]
    assert {row[0] for row in sqlrisk.cells("UiO", "run.duckdb").rows} == {"3", "Female"}
    assert {row[3] for row in sqlrisk.cells("DiSCO", "run.duckdb").rows} <= {"No", "Yes", "Refused"}


def test_inspect_tells_declared_missing_values_apart() -> None:
    table = pd.DataFrame({
        "k": [1.0, 2.0, -8.0, -8.0, 97.0, 98.0, 99.0, -9.0],
        "s": ["a", "NA", "b", "", "a", "b", "c", "NA"], "t": [1] * 8
    })  # fmt: skip
    more: Any = {"missing_ranges": {"k": [-8, {"lo": 97, "hi": 99}], "s": ["NA"]}}
    pyreadstat.write_sav(
        table, "a.sav", variable_value_labels={"k": {-8: "Refused", 98: "Not asked"}}, **more
    )
    found = sqlrisk.inspect("a.sav", "a.sav", keys="k", targets="s")
    told = [
        ("k", "-8", "Refused", 2),
        ("k", "97 to 99", None, 2),
        ("k", "98", "Not asked", 1),
        ("s", "NA", None, 2),
    ]
    assert [
        tuple(row[name] for name in ("column", "code", "label", "records")) for row in found.missing
    ] == told * 2
    assert "a.sav  k       -8        Refused          2" in found.to_text()
    assert json.loads(found.to_json())["missing"] == found.missing
    odd = pd.DataFrame({"k": pd.Series([1, 2, "a", "z", "a", None], dtype=object), "t": [1] * 6})
    pyreadstat.write_dta(odd, "a.dta", missing_user_values={"k": ["a", "z"]})
    found = sqlrisk.inspect("a.dta", "a.sav", keys="k", targets="t")
    assert [(row["code"], row["records"]) for row in found.missing if row["file"] == "a.dta"] == [
        (".a", 2),
        (".z", 1),
    ]
    # 1, 2 and the missing one
    assert next(row["levels_original"] for row in found.columns if row["column"] == "k") == 3


def test_progress_is_shown_while_a_file_is_read_and_ctrl_c_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from sqlrisk.engines import duckdb_sources

    monkeypatch.setattr(duckdb_sources, "_MOST_ROOM", 1)  # pieces of a thousand records
    table = pd.DataFrame({"k": [*range(300)] * 1000, "t": [0, 1] * 150_000})
    pyreadstat.write_sav(table, "a.sav")
    seen: list[float] = []

    def watch(stage: str, _number: int, _steps: int, done: float) -> None:
        if stage == "files":
            seen.append(done)
            if 0 < done < 1 and len(set(seen)) > 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sqlrisk.score("a.sav", "a.sav", keys="k", targets="t", progress=watch)
    assert seen == sorted(seen)
    assert seen[-1] < 1


def test_a_script_says_which_table_a_file_has_to_be_loaded_into() -> None:
    script = sqlrisk.sql("DiSCO", spss("a.sav"), "a.sav", **ASKED)
    columns = '("sex" BIGINT, "town" BIGINT, "ill" BIGINT)'
    assert f"-- No database can read 'a.sav': load it first as source_0 {columns}\n" in script
    assert f"-- No database can read 'a.sav': load it first as source_1 {columns}\n" in script
    con = duckdb.connect()
    for number in (0, 1):
        con.execute(f"CREATE TABLE source_{number} (sex BIGINT, town BIGINT, ill BIGINT)")
        con.executemany(
            f"INSERT INTO source_{number} VALUES (?, ?, ?)", [*zip(*PEOPLE.values(), strict=True)]
        )
    found = con.execute(script).fetchall()
    (row,) = sqlrisk.score("a.sav", "a.sav", **ASKED, measures="DiSCO")["DiSCO"].rows
    assert [each[-3] for each in found] == [row["numerator"]]


def test_the_help_names_every_format() -> None:
    assert options.KNOWN.replace(" or ", ", ").split(", ") == [*FORMATS.values()]


@pytest.mark.slow
def test_a_file_with_labels_goes_from_a_draft_to_a_page_that_shows_them(folder: Path) -> None:
    """By the command line alone: `init` knows columns by what the file calls them, and every table
    of the page has labels.
    """
    table = pd.DataFrame({
        "v1": [1, 1, 2, 2, 2, 2], "v2": [7, 7, 8, 8, 7, 9], "v3": [0, 0, 1, 1, 0, -9],
        "v4": [31, 31, 31, 52, 52, 52]
    })  # fmt: skip
    told: Any = {
        "variable_value_labels": {
            "v1": {1: "Man", 2: "Woman"}, "v2": {7: "Köln", 8: "Bonn"},
            "v3": {0: "Well", 1: "Ill", -9: "Refused"}
        },
        "column_labels": ["Sex", "Place of residence", "State of health",
            "How old were you when you moved in here?"],
        "missing_ranges": {"v3": [-9]},
    }  # fmt: skip
    for name, rows in (("people.sav", table), ("made.sav", table.iloc[[0, 0, 2, 3, 4, 5]])):
        pyreadstat.write_sav(rows, name, **told)
    code, _, err = command(
        "init", "people.sav", "made.sav", "--yes", "-o", "scenario.toml", folder=folder
    )
    assert (code, err.count("\n")) == (0, 1)
    draft = Path("scenario.toml").read_text()
    assert re.findall(r'^    "(v\d)",', draft, re.MULTILINE) == ["v1", "v2"]
    assert '# role = "key"  # a guess: sex, by its label' in draft
    assert '# role = "sensitive"  # a guess: health, by its label' in draft
    assert "a guess: age" not in draft  # a question is no name of a column
    code, _, err = command(
        "score", "--scenario", "scenario.toml", "--distributions", "-o", "page.html", folder=folder
    )
    assert (code, "Traceback" in err) == (0, False)
    page = Path("page.html").read_text()
    assert "v1: Sex; v2: Place of residence; v3: State of health" in page
    cells = [
        re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row)
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    ]
    # people who DiSCO counts
    well = "50.00 % of all people have this level; 2 of them with these keys"
    assert ["Man", "Köln", "Well", "2", "2", well] in cells
    rarest = "16.67 % of all people have the rarest of these levels"
    assert ["Woman", "9", "1", "1", rarest] in cells  # one whom repU counts: 9 has no label
    assert "Shares of the levels of v3. Highest: Well, 50.00 % of original. Well: " in page
    assert not [row for row in cells if row[:2] in (["1", "7"], ["2", "9"])]
    assert sorted(path.name for path in folder.iterdir()) == [
        "made.sav", "page.html", "page.html.manifest.json", "people.sav", "scenario.toml"
    ]  # fmt: skip


def test_untouched_levels_of_a_recoded_text_are_shown_by_their_labels() -> None:
    frame = pd.DataFrame({"town": ["a", "b", "a", "b"], "sex": ["M", "F", "X", "M"]})
    labels = {"sex": {"M": "Male", "F": "Female", "X": "Other sex"}}
    pyreadstat.write_sav(frame, "t.sav", variable_value_labels=labels)
    asked: dict[str, Any] = {"targets": "sex", "keys": "town", "column": "sex.merge.Rest=X"}
    report = sqlrisk.score("t.sav", "t.sav", **asked, by="sex", exclude_level="sex=Male")
    assert {row["population"] for row in report.results} == {
        "all", "sex=Male", "sex=Female", "sex=Rest",
    }  # fmt: skip
    assert [row["records"] for row in report.exclusions if row["side"] == "original"] == [2]
