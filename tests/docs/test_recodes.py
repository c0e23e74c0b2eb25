"""The page of the guide about recodes: each of its dictionaries makes the levels that its table
shows.
"""

import csv
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from quickly import few

import sqlrisk
from tests.docs.test_readme import PAGES

PAGE = PAGES["recodes"]
FILES = re.findall(r"`(\w+\.csv)`:\n\n```csv\n(.*?)```", PAGE, re.DOTALL)
RECODES = re.findall(
    r"```toml\n([^`]*?)```\n\n\| (\w+) \| becomes \|\n\|---\|---\|\n((?:\|[^\n]*\n)+)",
    PAGE,
    re.DOTALL,
)


@pytest.mark.parametrize(("dictionary", "column", "lines"), few(RECODES))
def test_a_dictionary_makes_the_levels_that_are_shown(
    dictionary: str, column: str, lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        Path(name).write_text(text)
    shutil.copy("people.csv", "synthetic.csv")
    said = tomllib.loads(dictionary)["column"]
    assert list(said) == [column]
    sqlrisk.recode("people.csv", "synthetic.csv", keys=["age"], column=said, output="release")
    paths = ("people.csv", "release/people.csv")
    before, after = (
        [row[column] for row in csv.DictReader(Path(path).read_text().splitlines())]
        for path in paths
    )
    shown = [
        tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        for line in lines.splitlines()
    ]
    assert list(zip(before, after, strict=True)) == shown


def test_bins_are_cut_of_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        Path(name).write_text(text)
    ((said, lines),) = re.findall(
        r"```toml\n([^`]*?)```\n\n\| age \| bin \|\n\|---\|---\|\n((?:\|[^\n]*\n)+)", PAGE
    )
    shown = [line.strip("|").split("|") for line in lines.splitlines()]
    ages = [line.split(",")[0] for line in dict(FILES)["people.csv"].splitlines()[1:]]
    assert [age.strip() for age, _ in shown] == ages
    for number, (_, bin_shown) in enumerate(shown, start=1):
        asked = {**tomllib.loads(said), "keys": ["age"], "targets": ["region"]}
        key = sqlrisk.explain("people.csv", "people.csv", record=number, **asked).keys[0]
        assert (key["level"] or "") == bin_shown.strip()


def test_each_recode_is_shown() -> None:
    names = (
        "missing",
        "bands",
        "top",
        "bottom",
        "width",
        "date",
        "age_at",
        "merge",
        "hierarchy",
        "step",
        "rare",
        "rare_as",
    )
    assert all(
        any(re.search(rf"^{name} =", text, re.MULTILINE) for text, _, _ in RECODES)
        for name in names
    )
