"""`sqlrisk init` drafts a scenario that runs as it is, from counts that hold, without a level of the data."""

import re
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import sqlrisk
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

CENSUS = Path(__file__).resolve().parents[3] / "data" / "census"
PEOPLE = 60
ORIGINAL: dict[str, list[Any]] = {
    "person": [f"P{number:03}" for number in range(PEOPLE)],
    "secret sex": ["Xf", "Xm", None] * 20,
    "age": [20 + number % 30 for number in range(PEOPLE)],
    "town": [f"Xtown {number % 7}" for number in range(PEOPLE)],
    "pay": [1000 + 13 * number % 997 if number % 4 else 0 for number in range(PEOPLE)],
    "when": [f"Xday {number % 2}" for number in range(PEOPLE)],
    "odd = one": [number % 5 == 0 for number in range(PEOPLE)],
    "weight": [1.5] * PEOPLE,
}
SYNTHETIC: dict[str, list[Any]] = {
    **{name: values[:50] for name, values in ORIGINAL.items() if name not in ("weight", "when")},
    "town": [f"Xtown {number % 9}" for number in range(50)],
    "when": list(range(50)),
    "extra": ["Xextra"] * 50,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table(ORIGINAL), tmp_path / "original.parquet")
    pq.write_table(pa.table(SYNTHETIC), tmp_path / "syn.parquet")
    return tmp_path


def unique(*columns: str) -> int:
    """How many people are alone with their levels of these columns."""
    return sum(n == 1 for n in Counter(zip(*(ORIGINAL[column] for column in columns), strict=True)).values())


def row(text: str, column: str) -> list[str]:
    """The counts of one column, as the file's comments have them."""
    (found,) = re.findall(rf"^# {re.escape(column)}  +(\S.*)$", text, re.MULTILINE)
    return str(found).split()


def test_the_draft_runs_as_it_is(folder: Path) -> None:
    code, out, err = command("init", "original.parquet", "syn.parquet", "-o", "scenario.toml", folder=folder)
    assert (code, out) == (0, "")
    assert err == "scenario.toml is a draft: edit its keys and targets, then run sqlrisk score --scenario scenario.toml\n"
    assert command("score", "--scenario", "scenario.toml", "-q", folder=folder)[::2] == (0, "")
    settings = tomllib.loads((folder / "scenario.toml").read_text())
    assert settings.keys() == {"original", "synthetic", "keys", "targets"}
    assert {*settings["keys"], *settings["targets"]} == {"secret sex", "age", "town", "pay", "odd = one"}


def test_its_counts_are_those_of_the_files(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    # type, levels, only in original, only in synthetic, missing in original, missing in synthetic, alone, percent
    assert row(text, "secret sex") == ["VARCHAR", "2", "0", "0", "20", "16", "0", "0.00"]
    assert row(text, "town") == ["VARCHAR", "7", "0", "2", "0", "0", "0", "0.00"]
    assert row(text, "pay")[-2:] == [str(unique("pay")), f"{100 * unique('pay') / PEOPLE:.2f}"]
    assert row(text, "person")[1:] == ["60", "10", "0", "0", "0", "60", "100.00"]
    assert '# id = "person"' in text
    assert "# weight: only in " in text
    assert "# extra: only in " in text
    assert re.search(r"^# when: .* types that cannot meet", text, re.MULTILINE)
    assert "# bins.age = 10  # 30 levels" in text
    assert "bins.town" not in text


def test_keys_single_out_most_people_one_after_the_other(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    said = re.findall(r'^    "(.*?)", +# (\d+) of 60 people', text, re.MULTILINE)
    keys = [key for key, _ in said]
    assert len(keys) == 4
    for number, (_, people) in enumerate(said, start=1):
        others = [name for name in ("secret sex", "age", "town", "pay", "odd = one") if name not in keys[: number - 1]]
        assert int(people) == unique(*keys[:number]) == max(unique(*keys[: number - 1], other) for other in others)
    assert len(list(combinations(keys, 2))) == 6


def test_it_holds_no_level(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    for level in ("Xf", "Xm", "Xtown", "Xday", "Xextra", "P001"):
        assert level not in text


def test_paths_are_those_seen_from_the_file(folder: Path) -> None:
    (folder / "scenarios").mkdir()
    code, _, err = command("init", "original.parquet", "syn.parquet", "-q", "-o", "scenarios/one.toml", folder=folder)
    assert (code, err) == (0, "")
    assert tomllib.loads((folder / "scenarios" / "one.toml").read_text())["original"] == "../original.parquet"
    assert command("score", "--scenario", "scenarios/one.toml", folder=folder)[0] == 0


def test_methods_globs_and_csv(folder: Path) -> None:
    for name in ("a_1", "a_2", "b_1"):
        pa.csv.write_csv(pa.table(SYNTHETIC), folder / f"{name}.csv")
    named = ["--synthesis", "a=a_*.csv", "--synthesis", "the b=b_1.csv"]
    code, out, err = command("init", "original.parquet", *named, folder=folder)
    assert (code, err) == (0, "")
    assert tomllib.loads(out)["synthetic"] == {"a": ["a_1.csv", "a_2.csv"], "the b": ["b_1.csv"]}
    (folder / "scenario.toml").write_text(out)
    code, out, _ = command("score", "--scenario", "scenario.toml", "--measures", "iS", "--format", "csv", folder=folder)
    assert code == 0
    assert "the b 1" in out


def test_it_overwrites_only_when_told(folder: Path) -> None:
    (folder / "scenario.toml").write_text("mine")
    arguments = ["init", "original.parquet", "syn.parquet", "-o", "scenario.toml"]
    assert "is there already" in fails(*arguments, folder=folder)
    assert (folder / "scenario.toml").read_text() == "mine"
    assert command(*arguments, "--overwrite", folder=folder)[0] == 0
    assert "keys = [" in (folder / "scenario.toml").read_text()
    assert "is the input" in fails("init", "original.parquet", "syn.parquet", "-o", "syn.parquet", "--overwrite", folder=folder)


def test_what_cannot_be_a_scenario_is_said(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), folder / "one.parquet")
    pq.write_table(pa.table({"b": [1, 2]}), folder / "other.parquet")
    pq.write_table(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}), folder / "empty.parquet")
    assert "there is nothing to ask about" in fails("init", "one.parquet", "other.parquet", folder=folder)
    assert "needs a key and a target" in fails("init", "one.parquet", "one.parquet", folder=folder)
    assert "'empty.parquet' has no records" in fails("init", "empty.parquet", "empty.parquet", folder=folder)
    assert "Name the original file" in fails("init", "one.parquet", folder=folder)
    with pytest.raises(sqlrisk.InputError, match="names files or tables"):
        sqlrisk.init(pa.table(ORIGINAL), [pa.table(SYNTHETIC)])


def test_hostile_names_are_quoted(tmp_path: Path) -> None:
    names = ['a"b', "c\nd", "e\\f", "g\x7fh", "# i", "żółć"]
    table = pa.table({name: [1, 2, 3, 1, 2, 1] for name in names})
    pq.write_table(table, tmp_path / "o.parquet")
    text = sqlrisk.init(str(tmp_path / "o.parquet"), str(tmp_path / "o.parquet"), str(tmp_path / "s.toml"))
    settings = tomllib.loads(text)
    assert {*settings["keys"], *settings["targets"]} == set(names)
    assert sqlrisk.score(scenario=str(tmp_path / "s.toml")).scenario["keys"] == settings["keys"]


def test_the_census_files() -> None:
    settings = tomllib.loads(sqlrisk.init(str(CENSUS / "original.parquet"), [str(CENSUS / "cart_1.parquet")]))
    assert settings["keys"] == ["age", "country_birth", "major_industry", "weeks_worked"]
    assert len(settings["targets"]) == 10
