"""The page of the guide about recodes: each of its dictionaries makes the levels that its table
shows.
"""

import csv
import re
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
import snapshots
from quickly import few

import sqlrisk

PATH = Path(__file__).resolve().parents[2] / "sqlrisk" / "guide" / "recodes.md"
PAGE = PATH.read_text(encoding="utf-8")
FILES = re.findall(r"`(\w+\.csv)`:\n\n```csv\n(.*?)```", PAGE, re.DOTALL)
RECODES = re.findall(
    r"```toml\n([^`]*?)```\n\n\| (\w+) \| becomes \|\n\|---\|---\|\n((?:\|[^\n]*\n)+)",
    PAGE,
    re.DOTALL,
)


@pytest.mark.parametrize(("dictionary", "column", "lines"), few(RECODES))
def test_a_dictionary_makes_the_levels_that_are_shown_golden(
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
    above = f"{dictionary}```\n\n| {column} | becomes |\n|---|---|\n"
    snapshots.passage(PATH, above, lines, table(zip(before, after, strict=True)))


def table(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"| {left} | {right} |\n".replace("  ", " ") for left, right in rows)


def test_bins_are_cut_of_what_is_shown_golden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        Path(name).write_text(text)
    ((said, lines),) = re.findall(
        r"```toml\n([^`]*?)```\n\n\| age \| bin \|\n\|---\|---\|\n((?:\|[^\n]*\n)+)", PAGE
    )
    ages = [line.split(",")[0] for line in dict(FILES)["people.csv"].splitlines()[1:]]
    asked = {**tomllib.loads(said), "keys": ["age"], "targets": ["region"]}
    files = ("people.csv", "people.csv")
    keys = [sqlrisk.explain(*files, record=number, **asked).keys[0] for number in range(1, 6)]
    bins = [key["level"] or "" for key in keys]
    snapshots.passage(
        PATH, f"{said}```\n\n| age | bin |\n|---|---|\n", lines, table(zip(ages, bins, strict=True))
    )


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
