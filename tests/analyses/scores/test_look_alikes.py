"""Texts that look the same: levels, names of columns and misread files, in every command, with what
is counted by hand.
"""

import json
import tomllib
from pathlib import Path
from typing import Any
from unicodedata import normalize

import forks
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.analyses import assessment as analysis

LEVELS, COLUMNS, MISREAD = "levels_look_alike", "columns_look_alike", "texts_misread"
TOWNS = ["Bonn"] * 6 + ["Köln"] * 3 + ["O'Brien"] * 2
ILL = ["ja", "nein", "ja", "nein", "ja", "ja", "nein", "ja", "nein", "nein", "ja"]
ASKED: dict[str, Any] = {"keys": ["town"], "targets": ["ill"]}
NFD = normalize("NFD", "Köln")
NFC_TOLD = (
    "town: a file lacks a level, but has one that looks the same (records: {}). They differ in "
    "how accents are stored (NFC): "
    "U+00F6 in the original, U+006F U+0308 in synthesis 1 ({}). sqlrisk inspect shows the recode "
    "that makes them one."
)


def made(towns: list[Any] = TOWNS, ill: list[Any] = ILL, **more: list[Any]) -> Any:
    """A file of towns and ills."""
    return pa.table(
        {"town": pa.array(towns, pa.string()), "ill": pa.array(ill, pa.string()), **more}
    )


def written(**levels: str) -> Any:
    """The file with some towns written differently."""
    return made([levels.get(each, each) for each in TOWNS])


def told(found: Any, *codes: str) -> list[tuple[str | None, str | None, str, str]]:
    """What is said of look-alikes: synthesis, target, code and text."""
    return [
        (row["synthesis"], row["target"], reason["code"], reason["text"])
        for row in found.assessment
        for reason in row["reasons"]
        if reason["code"] in (codes or (LEVELS, COLUMNS, MISREAD))
    ]


# ---- levels


@pytest.mark.parametrize(
    ("level", "other", "records", "words"),
    few(
        [
            (
                "Köln",
                NFD,
                6,
                (
                    "how accents are stored (NFC): U+00F6 in the original, U+006F U+0308 in "
                    "synthesis 1"
                ),
            ),
            (
                "Köln",
                "KÃ¶ln",
                6,
                (
                    "UTF-8 that was read as Latin-1: U+00F6 in the original, U+00C3 U+00B6 in "
                    "synthesis 1"
                ),
            ),
            (
                "Köln",
                "K&ouml;ln",
                6,
                (
                    "HTML entities: U+00F6 in the original, U+0026 U+006F U+0075 U+006D U+006C "
                    "U+003B in"
                ),
            ),
            ("Köln", "Köln\xa0", 6, "blanks: nothing in the original, U+00A0 in synthesis 1"),
            (
                "Bonn",
                "Bo\u200bnn",
                12,
                "zero-width characters: nothing in the original, U+200B in synthesis 1",
            ),
            ("Bonn", "Bonn\t", 12, "blanks: nothing in the original, U+0009 in synthesis 1"),
            ("O'Brien", "O’Brien", 4, "quotes: U+0027 in the original, U+2019 in synthesis 1"),
        ],
        4,
    ),
)
def test_levels_that_look_the_same_are_a_doubt_at_any_share(
    level: str, other: str, records: int, words: str
) -> None:
    original, synthetic = made(), written(**{level: other})
    found = sqlrisk.inspect(original, synthetic, **ASKED)
    ((synthesis, target, code, text),) = told(found)
    assert (synthesis, target, code) == ("1", None, LEVELS)
    assert f"(records: {records}). They differ in {words}" in text
    assert found.merges == [{"column": "town", "level": level, "levels": sorted([level, other])}]
    assert told(sqlrisk.score(original, synthetic, **ASKED)) == told(found)
    ((_, target, _, of_target),) = told(
        sqlrisk.inspect(original, synthetic, keys=["ill"], targets=["town"])
    )
    assert (target, of_target) == ("town", text)
    # without keys every column is a target
    assert told(sqlrisk.inspect(original, synthetic)) == [("1", "town", LEVELS, text)]


def test_one_record_of_very_many_is_told() -> None:
    original, synthetic = (
        made(TOWNS * 1000, ILL * 1000),
        made([*TOWNS * 1000, NFD], [*ILL * 1000, "ja"]),
    )
    found = sqlrisk.score(original, synthetic, **ASKED)
    # NFD is a level that the original lacks, though the file has NFC, too.
    assert [text for *_, text in told(found)] == [NFC_TOLD.format(1, found.synthetic[0]["source"])]


@pytest.mark.parametrize(
    "other",
    few(
        [
            made(),
            made(["Bonn"] * 11),  # levels that the file lacks, and none that look the same
            made(["bonn"] * 11),
            made(["Koeln"] * 11),
            made(["Köln", "O'Brien", "A&B", "A&C", "-", ""] + ["Bonn"] * 5),
            made([None, "東京", "Aßlar"] + ["Bonn"] * 8),
        ]
    ),
    ids=["the same", "fewer", "case", "letters", "more", "beyond ASCII"],
)
def test_other_levels_are_no_doubt(other: Any) -> None:
    assert told(sqlrisk.inspect(made(), other, **ASKED)) == []
    assert sqlrisk.inspect(made(), other, **ASKED).merges == []


@pytest.mark.slow
def test_levels_of_ascii_are_no_doubt_unless_blanks_differ() -> None:
    original = made(
        ["New York", "A-1", "x;y", "it's", "a & b", "<p>", "100 %", "a_b", "#1", "~", '"q"']
    )
    other = made(["New-York", "A1", "x,y", "its", "a and b", "p", "100%", "a b", "# 1", "", "q"])
    assert told(sqlrisk.inspect(original, other, **ASKED)) == []
    ((*_, text),) = told(sqlrisk.inspect(original, made(["New  York"] + ["it's"] * 10), **ASKED))
    assert "(records: 2). They differ in blanks: nothing in the original, U+0020 in" in text


@pytest.mark.slow
def test_what_both_files_have_in_two_forms_is_no_doubt() -> None:
    """Two levels are two in either file: only one that a file lacks is told."""
    both = made([NFD] * 5 + ["Köln"] * 6)
    assert told(sqlrisk.inspect(both, both, **ASKED)) == []
    ((*_, text),) = told(sqlrisk.inspect(both, made(["Köln"] * 11), **ASKED))
    assert "(records: 5)" in text
    assert "U+006F U+0308 in the original, U+00F6 in synthesis 1" in text


@pytest.mark.slow
def test_the_pair_of_most_records_is_told_and_all_are_in_the_recode() -> None:
    synthetic = made(["Bonn "] * 1 + [NFD] * 3 + ["O’Brien"] * 7)
    found = sqlrisk.inspect(made(), synthetic, **ASKED)
    ((*_, text),) = told(found)
    assert (
        "(records: 22). They differ in quotes: U+0027 in the original, U+2019 in synthesis 1"
        in text
    )
    assert {row["level"] for row in found.merges} == {"Bonn", "Köln", "O'Brien"}
    shown = found.to_text()
    assert '[column.town.merge]        "Köln" = ["Ko\\u0308ln", "Köln"]' in shown
    assert '"O\'Brien" = ["O\'Brien", "O\\u2019Brien"]' in shown
    assert json.loads(found.to_json())["merges"] == found.merges
    assert "merges" not in json.loads(sqlrisk.inspect(made(), made(), **ASKED).to_json())
    assert "merges" not in json.loads(sqlrisk.score(made(), synthetic, **ASKED).to_json())


@pytest.mark.slow
def test_the_recode_that_is_shown_makes_them_one(tmp_path: Path) -> None:
    synthetic = written(**{"Köln": NFD, "O'Brien": "O’Brien"})
    found = sqlrisk.inspect(made(), synthetic, **ASKED)
    lines = [
        line.split("]  ", 1)[1].strip()
        for line in found.to_text().splitlines()
        if "[column.town.merge]" in line
    ]
    merge = tomllib.loads("\n".join(lines))
    after = sqlrisk.inspect(made(), synthetic, **ASKED, column={"town": {"merge": merge}})
    assert (told(after), after.merges) == ([], [])
    part = sqlrisk.inspect(
        made(), synthetic, **ASKED, column={"town": {"merge": {"Köln": merge["Köln"]}}}
    )
    ((*_, text),) = told(part)
    assert "(records: 4). They differ in quotes" in text
    rows = sqlrisk.score(
        made(), synthetic, **ASKED, column={"town": {"merge": merge}}, measures=["iS"]
    )
    assert rows.value("iS", target="ill") == 100


@pytest.mark.slow
def test_many_levels_are_shown_in_part() -> None:
    towns = [f"Stadt\xa0{number}" for number in range(25)]
    original, synthetic = (
        made(towns, ["ja"] * 25),
        made([town.replace("\xa0", " ") for town in towns], ["ja"] * 25),
    )
    found = sqlrisk.inspect(original, synthetic, **ASKED)
    assert len(found.merges) == 25
    assert found.to_text().count("[column.town.merge]") == 20
    assert "5 more in JSON, which has all of them." in found.to_text()


@pytest.mark.slow
def test_each_synthesis_and_control_are_told_by_themselves() -> None:
    control = made(["Bonn"] * 9 + ["O’Brien"] * 2)
    syntheses = [written(Köln=NFD), made(), written(**{"O'Brien": "O&#39;Brien"})]
    found = sqlrisk.inspect(made(), syntheses, control=control, **ASKED)
    texts = {synthesis: text for synthesis, *_, text in told(found)}
    assert {*texts} == {"1", "2", "3"}
    # 3 people and 3 records by accents, and the 2 people of control by quotes, whom the file has as
    # 2 others.
    assert "(records: 10). They differ in how accents are stored" in texts["1"]
    assert (
        "(records: 4). They differ in quotes: U+2019 in the control, U+0027 in synthesis 2"
        in texts["2"]
    )
    # Two people of the original, two of control, and the two records, which are counted once.
    assert "(records: 6). They differ in HTML entities" in texts["3"]
    alone = sqlrisk.inspect(made(), syntheses, **ASKED)
    assert [synthesis for synthesis, *_ in told(alone)] == ["1", "3"]


@pytest.mark.slow
def test_the_universe_is_told_of_no_synthesis() -> None:
    universe = pa.table({"town": [*(NFD if town == "Köln" else town for town in TOWNS), "Bonn"]})
    found = sqlrisk.score(made(), made(), universe=universe, **ASKED)
    ((synthesis, _, _, text),) = told(found)
    assert synthesis is None
    assert "(records: 6)" in text
    assert "U+00F6 in the original, U+006F U+0308 in the universe" in text


@pytest.mark.slow
def test_a_column_of_very_many_levels_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    synthetic = written(Köln=NFD)
    monkeypatch.setattr(analysis, "FOLDED", 3)
    assert len(told(sqlrisk.inspect(made(), synthetic, **ASKED))) == 1
    monkeypatch.setattr(analysis, "FOLDED", 2)
    assert told(sqlrisk.inspect(made(), synthetic, **ASKED)) == []


def test_levels_of_look_alikes_are_no_codes() -> None:
    """A cause that is not the one is not said beside it."""
    original, synthetic = (
        made(["Köln", "Düren"] * 5, ILL[:10]),
        made(["KÃ¶ln", "DÃ¼ren"] * 5, ILL[:10]),
    )
    found = sqlrisk.inspect(original, synthetic, **ASKED)
    texts = [reason["text"] for row in found.assessment for reason in row["reasons"]]
    assert any("have no level in common." in text for text in texts)
    assert not any("perhaps codes" in text for text in texts)


def test_no_message_names_a_level() -> None:
    found = sqlrisk.score(made(), written(**{"Köln": NFD, "O'Brien": "O’Brien"}), **ASKED)
    assert not any(
        level in text
        for *_, text in told(found)
        for level in ("Köln", NFD, "O’Brien", "O'Brien", "Bonn")
    )
    external = found.external()
    reasons = [reason for row in external.assessment for reason in row["reasons"]]
    assert {reason["code"] for reason in reasons} == {"few_matches", "levels_apart"}
    assert not any("U+" in reason["text"] for reason in reasons)


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(None, marks=pytest.mark.slow),
        "postgresql",
        pytest.param("spark", marks=[pytest.mark.xdist_group("spark"), pytest.mark.slow]),
        "sqlite",
    ],
)
def test_every_engine_says_the_same(
    engine: str | None, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    where: dict[str, Any] = {}
    match engine:
        case "postgresql":
            where = {"engine": request.getfixturevalue("postgres_server").address()}
        case "spark":
            where = {"engine": request.getfixturevalue("spark")}
        case "sqlite":
            where = {"engine": "sqlite:///"}
    synthetic = written(**{"Köln": NFD, "O'Brien": "O’Brien", "Bonn": "Bo\u200bnn"})
    found = sqlrisk.inspect(made(), synthetic, **ASKED, **where)
    expected = sqlrisk.inspect(made(), synthetic, **ASKED)
    ((*_, text),) = told(found)
    assert (
        "(records: 22). They differ in zero-width characters: nothing in the original, U+200B"
        in text
    )
    assert (found.assessment, found.merges) == (expected.assessment, expected.merges)


COMMANDS = {
    "score": ["score", "a.csv", "b.csv"],
    "sweep": ["sweep", "a.csv", "b.csv"],
    "attack": ["attack", "a.csv", "b.csv", "--attackers", "majority"],
    "cells": ["cells", "DiSCO", "a.csv", "b.csv"],
    "records": ["records", "a.csv", "b.csv", "-o", "risk.parquet"],
    "explain": ["explain", "--record", "2", "a.csv", "b.csv"],
    "protect": ["protect", "a.csv", "b.csv", "-o", "safe.csv"],
    "inspect": ["inspect", "a.csv", "b.csv", "--exit-zero"],
}


@pytest.mark.parametrize("command", some(["score", "records"], COMMANDS))
def test_every_command_says_it(command: str, tmp_path: Path) -> None:
    for name, table in (("a", made()), ("b", written(Köln=NFD))):
        pcsv.write_csv(table, tmp_path / f"{name}.csv")
    done = forks.run(*COMMANDS[command], "--keys", "town", "--targets", "ill", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"Doubtful: {NFC_TOLD.format(6, 'b.csv')}" in done.stderr.splitlines()


# ---- names of columns


def test_columns_whose_names_look_the_same_are_a_doubt() -> None:
    original = made().append_column("größe", pa.array(ILL))
    synthetic = made().append_column(normalize("NFD", "größe"), pa.array(ILL))
    for asked in (ASKED, {"keys": ["town"]}, {}):
        found = told(sqlrisk.inspect(original, [synthetic, original], control=original, **asked))
        ((synthesis, target, code, text),) = found
        assert (synthesis, target, code) == ("1", None, COLUMNS)
        assert text.startswith(
            "Columns of the files have names that look the same and differ: "
            f"'{normalize('NFD', 'größe')}', in how accents are stored (NFC): U+00F6 in the "
            "original, U+006F U+0308 in synthesis 1"
        )
        assert text.count("U+00F6") == 1  # control says nothing new
    both = original.append_column(normalize("NFD", "größe"), pa.array(ILL))
    assert told(sqlrisk.inspect(both, both, **ASKED)) == []
    assert [code for *_, code, _ in told(sqlrisk.inspect(both, original, **ASKED))] == [COLUMNS]


def test_a_key_whose_name_looks_the_same_is_refused_with_what_differs() -> None:
    synthetic = made().rename_columns(["to\u200bwn", "ill"])
    with pytest.raises(
        sqlrisk.InputError,
        match=r"no column 'town' \(did you mean 'to\\u200bwn'\? It looks the same, but",
    ) as raised:
        sqlrisk.inspect(made(), synthetic, **ASKED)
    assert "zero-width characters: U+200B for nothing" in str(raised.value)


# ---- files of Stata


def stata(path: Path, version: int, *, misread: bool, towns: list[str]) -> str:
    """A file of Stata, whose texts are UTF-8 or Latin-1."""
    read = (lambda text: text.encode().decode("latin-1")) if misread else str
    people = pd.DataFrame({"town": [read(town) for town in towns], "ill": ILL})
    people.to_stata(path, write_index=False, version=version)
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("version", few([114, 117], 2))
def test_utf_8_in_an_old_file_of_stata_is_a_doubt_that_names_the_option(
    version: int, tmp_path: Path
) -> None:
    towns = ["Bonn"] * 9 + ["Köln", "Zürich"]
    old = stata(tmp_path / "old.dta", version, misread=True, towns=towns)
    (_, _, code, text), *others = told(sqlrisk.inspect(old, old, **ASKED), MISREAD)
    assert code == MISREAD
    assert [synthesis for synthesis, *_ in others] == ["1"]
    assert text == (
        "The texts of old.dta are UTF-8, but were read as Windows-1252: Stata files up to version "
        "13 do not state their encoding. "
        "Name it: --encoding old.dta=utf-8."
    )
    assert told(sqlrisk.inspect(old, old, **ASKED, encoding={"old.dta": "utf-8"})) == []
    found = sqlrisk.inspect(made(towns), old, **ASKED)
    assert [(synthesis, code) for synthesis, _, code, _ in told(found)] == [
        ("1", LEVELS),
        ("1", MISREAD),
    ]
    mended = sqlrisk.inspect(made(towns), old, **ASKED, encoding={"old.dta": "utf-8"})
    assert told(mended) == []


@pytest.mark.slow
def test_other_files_of_stata_are_no_doubt(tmp_path: Path) -> None:
    latin = stata(
        tmp_path / "latin.dta", 117, misread=False, towns=["Bonn"] * 9 + ["Köln", "Zürich"]
    )
    plain = stata(tmp_path / "plain.dta", 117, misread=False, towns=["Bonn"] * 10 + ["Ulm"])
    mixed = stata(
        tmp_path / "mixed.dta", 117, misread=False, towns=["Bonn"] * 9 + ["KÃ¶ln", "Zürich"]
    )
    # which says that it is UTF-8
    people = pd.DataFrame({"town": ["Bonn"] * 10 + ["KÃ¶ln"], "ill": ILL})
    people.to_stata(tmp_path / "new.dta", write_index=False, version=118)
    for path in (latin, plain, mixed, str(tmp_path / "new.dta")):
        assert told(sqlrisk.inspect(path, path, **ASKED)) == []


@pytest.mark.slow
def test_labels_of_an_old_file_of_stata_are_texts_too(tmp_path: Path) -> None:
    people = pd.DataFrame({"town": [1, 2] * 5 + [1], "ill": ILL})
    people.to_stata(
        tmp_path / "old.dta",
        write_index=False,
        version=117,
        value_labels={"town": {1: "Bonn", 2: "KÃ¶ln"}},
    )
    old = str(tmp_path / "old.dta")
    assert [code for *_, code, _ in told(sqlrisk.inspect(old, old, **ASKED))] == [MISREAD, MISREAD]


def test_a_byte_that_windows_lacks_is_refused_with_utf_8_as_the_remedy(tmp_path: Path) -> None:
    """The second byte of Á is none of Windows-1252: the file cannot be read as that."""
    old = stata(tmp_path / "old.dta", 117, misread=True, towns=["Bonn"] * 10 + ["Ágfalva"])
    with pytest.raises(sqlrisk.InputError, match=r"--encoding old\.dta=utf-8\."):
        sqlrisk.inspect(old, old, **ASKED)
    assert told(sqlrisk.inspect(old, old, **ASKED, encoding={"old.dta": "utf-8"})) == []
