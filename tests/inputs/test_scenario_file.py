"""Files of several scenarios: what they share, what each has, and what is given besides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlrisk
from sqlrisk.analyses.scores import several_scenarios
from sqlrisk.inputs.request import Question, with_file
from sqlrisk.inputs.scenario_file import read_file
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

PEOPLE = "sex,age,town,ill\n" + "".join(
    f"{'fm'[each % 2]},{20 + each},town {each % 3},{'yes' if each % 5 else 'no'}\n"
    for each in range(60)
)
FILES = 'original = "people.csv"\nsynthetic = "made.csv"\nmeasures = ["DiSCO"]\n'
ONE = '[scenario.one]\nkeys = ["sex", "age"]\ntargets = ["ill"]\n'
TWO = '[scenario.two]\nkeys = ["town"]\ntargets = ["ill"]\n'
KEY = '[scenario.two]\nkeys = ["ill"]\ntargets = ["town"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("people.csv", "made.csv"):
        (tmp_path / name).write_text(PEOPLE)
    (tmp_path / "towns.csv").write_text("level,group\ntown 0,north\ntown 1,north\ntown 2,south\n")
    (tmp_path / "shares.csv").write_text("level,share\nyes,0.7\nno,0.3\n")
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    return tmp_path


def asked(folder: Path, text: str, **given: Any) -> dict[str, Question]:
    (folder / "several.toml").write_text(FILES + text)
    return several_scenarios.ask(folder / "several.toml", (None, None, None), given)


def settings(folder: Path, text: str, name: str, **given: Any) -> dict[str, Any]:
    """The settings of one scenario, which are those of the run of all, too."""
    together = asked(folder, text, **given)[name].scenario.settings()
    alone, _ = with_file(given, (None, None), f"{folder / 'several.toml'}#{name}", tables="")
    assert sqlrisk.inputs.scenario.read(alone).settings() == together
    return together


OF_TWO = {
    "towns.csv": '[scenario.two.column.town]\nhierarchy = "towns.csv"\nstep = 1\n',
    "logo.svg": '[scenario.two.release]\nlogo = "logo.svg"\n',
}


@pytest.mark.parametrize("file", list(OF_TWO))
@pytest.mark.parametrize("name", ["", "#one"])
def test_no_output_replaces_an_input_of_any_scenario(folder: Path, file: str, name: str) -> None:
    before = (folder / file).read_text()
    (folder / "several.toml").write_text(FILES + ONE + TWO + OF_TWO[file])
    # a picture is no form of a report, so the logo is in the way of a figure
    asking = ["score", "--scenario", f"several.toml{name}", "-o", file]
    assert f"is the input '{file}'" in fails(*asking, folder=folder)
    assert (folder / file).read_text() == before


@pytest.mark.parametrize(
    ("file", "typed"),
    [
        ("logo.svg", ("--release", "logo=logo.svg")),
        ("towns.csv", ("--column", "town.hierarchy=towns.csv", "--column", "town.step=1")),
        ("shares.csv", ("--baseline", "town=towns.csv,ill=shares.csv")),
    ],
)
def test_no_output_replaces_a_file_that_is_typed(
    folder: Path, file: str, typed: tuple[str, ...]
) -> None:
    files = ["people.csv", "made.csv", "--keys", "sex", "--targets", "ill,town"]
    message = fails("score", *files, *typed, "-o", file, folder=folder)
    assert f"is the input '{file}'" in message


def test_columns_baselines_and_releases_are_lines_too(folder: Path) -> None:
    """Their files are relative to the folder of the scenario file, as those of tables are."""
    lines = '["town.hierarchy=towns.csv", "town.step=1", "sex.label=Sex, as told"]'
    text = f'column = {lines}\nbaseline = ["ill=shares.csv"]\nrelease = "logo=logo.svg"\n{ONE}{TWO}'
    said = settings(folder, text, "two")
    assert said["baseline"] == {"ill": str(folder / "shares.csv")}
    assert said["column"]["town"]["hierarchy"] == str(folder / "towns.csv")
    assert said["release"]["logo"].startswith("data:image/svg+xml")
    assert command("score", "--scenario", "several.toml", folder=folder)[0] == 0


@pytest.mark.parametrize(
    "said", ['encoding."parts/a.csv" = "utf-16"', 'encoding = "parts/a.csv=utf-16"']
)
def test_csv_options_name_a_file_from_the_folder_of_the_scenario_file(
    folder: Path, said: str
) -> None:
    """A role, and a file without its folder, stay as they are."""
    text = f'{said}\n[quote]\noriginal = "none"\n"made.csv" = "|"\n'
    (folder / "s.toml").write_text(text)
    assert read_file(folder / "s.toml") == {
        "encoding": {str(folder / "parts/a.csv"): "utf-16"},
        "quote": {"original": "", "made.csv": "|"},
    }


def test_what_is_shared_may_be_empty(folder: Path) -> None:
    empty = "".join(
        f"{name} = []\n"
        for name in ("bins", "special", "within", "exclude_level", "exclude_missing", "baseline")
    )
    assert settings(folder, empty + ONE + TWO, "two")["exclude_missing"] == []


@pytest.mark.parametrize("targets", ['targets = ["town"]\n', ""])
def test_what_is_shared_about_a_target_is_of_those_who_want_it(folder: Path, targets: str) -> None:
    """It is no setting of a scenario whose key the column is, whatever its targets are."""
    text = (
        'exclude_level = { ill = ["no"] }\nbaseline = { ill = "shares.csv" }\nbins = { age = 4 }\n'
    )
    text += ONE + KEY.replace('targets = ["town"]\n', targets)
    one, two = (settings(folder, text, name) for name in ("one", "two"))
    assert (one["exclude_level"], [*one["baseline"]], one["bins"]) == (
        {"ill": ["no"]},
        ["ill"],
        {"age": 4},
    )
    assert (two["exclude_level"], two["baseline"]) == ({}, {})
    with pytest.raises(sqlrisk.InputError, match="exclude_level: 'sex' is no target of any"):
        asked(folder, 'exclude_level = { sex = ["f"] }\n' + ONE + TWO)


def test_what_is_shared_about_several_columns_is_of_those_who_use_them_all(folder: Path) -> None:
    """`one` knows sex and age, `two` the town. Both want ill."""
    pairs = 'exclude_pair = ["ill=no,sex=f", "ill=yes,town=town 1"]\n'
    text = f'{pairs}link = ["sex/age", "sex/town"]\n{ONE}{TWO}'
    with pytest.raises(sqlrisk.InputError, match="no scenario has all columns of 'sex/town' as"):
        asked(folder, text)
    text = text.replace(', "sex/town"', "")
    one, two = (settings(folder, text, name) for name in ("one", "two"))
    assert [pair["key"] for pair in one["exclude_pair"]] == ["sex"]
    assert [pair["key"] for pair in two["exclude_pair"]] == ["town"]
    assert (one["link"], two["link"]) == (["sex/age"], [])
    given = asked(folder, text, exclude_pair="ill=no,age=20")
    assert [len(given[name].scenario.exclude_pair) for name in ("one", "two")] == [1, 0]
    message = r"no scenario has the target 'ill' and the key 'agee' \(did you mean 'age'\?\)"
    with pytest.raises(sqlrisk.InputError, match=message):
        asked(folder, text, exclude_pair="ill=no,agee=20")


@pytest.mark.parametrize("said", ["column.age.role = 'other'", "id = 'age'"])
def test_a_column_that_is_no_target_by_default_is_not_used(folder: Path, said: str) -> None:
    text = f"{ONE}[scenario.two]\nkeys = ['town']\n"
    binned = f"{said}\nbins = {{ age = 4 }}\n{text}"
    assert [settings(folder, binned, name)["bins"] for name in ("one", "two")] == [{"age": 4}, {}]
    assert [*sqlrisk.score_all(folder / "several.toml")] == ["one", "two"]
    with pytest.raises(sqlrisk.InputError, match="exclude_level: 'age' is no target of any scen"):
        asked(folder, f"{said}\nexclude_level = {{ age = ['20'] }}\n{text}")


BY = {
    "links": '[scenario.one]\nlink = ["age/town"]\nmeasures = ["linkability"]\ntargets = ["ill"]\n',
    "roles": '[scenario.one]\ntargets = ["ill"]\n[scenario.one.column.age]\nrole = "key"\n',
}


@pytest.mark.parametrize("way", list(BY))
def test_keys_by_links_and_roles_are_keys(folder: Path, way: str) -> None:
    text = f"bins = {{ age = 4 }}\nexclude_missing = ['age']\n{BY[way]}{TWO}"
    said = settings(folder, text, "one")
    assert (said["bins"], said["exclude_missing"]) == ({"age": 4}, ["age"])
    assert settings(folder, text, "two")["bins"] == {}


def test_names_of_scenarios_may_have_a_number_sign(folder: Path) -> None:
    (folder / "several.toml").write_text(FILES + ONE.replace("one", '"a#1"') + TWO)
    one = ("score", "--format", "csv", "--scenario")
    assert command(*one, "several.toml#a#1", folder=folder)[0] == 0
    assert "holds no scenario 'a'" in fails(*one, "several.toml#a", folder=folder)
    (folder / "several#a.toml").write_text(FILES + ONE)
    assert command(*one, "several#a.toml#one", folder=folder)[0] == 0
    assert "cannot read" not in fails(*one, "none.toml#a", folder=folder)


def test_columns_that_are_given_join_those_of_the_file(folder: Path) -> None:
    text = (
        '[column.town]\nlabel = "Town"\nmerge = { A = ["town 0"], B = ["town 1"] }\n'
        "[column.age]\nwidth = 5\n"
        f'{ONE}{TWO}[scenario.two.column.town]\nlabel = "Place"\nrare = 3\n'
    )
    given = {"column": ["age.width=10", "town.label=Where", "town.merge.C=town 2"]}
    merge = {"A": ["town 0"], "B": ["town 1"], "C": ["town 2"]}
    town = {"label": "Where", "merge": merge}
    both = {"age": {"width": "10"}, "town": town}
    assert settings(folder, text, "one", **given)["column"] == both
    assert settings(folder, text, "two", **given)["column"] == {
        **both,
        "town": {**town, "rare": 3},
    }
    again = settings(folder, text, "two", column=["town.merge.A=town 2"])["column"]["town"]
    assert (again["label"], again["merge"]) == ("Place", {"A": ["town 2"], "B": ["town 1"]})


def test_keys_that_are_given_decide_what_is_shared(folder: Path) -> None:
    text = f"bins = {{ age = 4 }}\n{ONE}{TWO}"
    assert settings(folder, text, "two", keys="town,age")["bins"] == {"age": 4}
    assert settings(folder, text, "one", keys=["sex"], targets="ill,age")["bins"] == {"age": 4}
    alone, _ = with_file({"keys": ["sex"]}, (), f"{folder / 'several.toml'}#one", tables="")
    assert alone["bins"] == {}


def test_sets_of_keys_have_the_bins_of_their_columns(folder: Path) -> None:
    """Of all sets, also of those that the scenario does not have."""
    (folder / "several.toml").write_text(f"{FILES}bins = {{ age = 4 }}\n{ONE}{TWO}")
    sets = [["town"], ["age", "town"]]
    where = {"scenario": f"{folder / 'several.toml'}#two", "measures": None}
    found = sqlrisk.tabulate("taub", keys=sets, **where)
    alone = sqlrisk.tabulate("taub", keys=sets[1], bins={"age": 4}, **where)
    assert [row for row in found.rows if "age" in str(row[0])] == alone.rows
    with pytest.raises(sqlrisk.InputError, match=r"'agee' is neither .*did you mean 'age'"):
        sqlrisk.tabulate("taub", keys=sets, bins={"agee": 4}, **where)


TABLES: dict[str, Callable[..., object]] = {
    "raab": lambda **how: sqlrisk.tabulate("raab", **how),
    "sweep": sqlrisk.sweep,
    "reference": lambda **how: sqlrisk.reference(**how, random=2),
}


def test_a_table_in_the_place_of_a_setting_may_be_meant_as_an_intruder(folder: Path) -> None:
    (folder / "s.toml").write_text('[neighbour]\nkeys = ["age"]\n', encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=r"'neighbour'; the table .* is \[scenario.neighb"):
        sqlrisk.score(scenario=folder / "s.toml")


@pytest.mark.parametrize("name", list(TABLES))
def test_a_scenario_file_in_another_folder_names_tables(folder: Path, name: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{folder}/people.csv'")
        (folder / "tables.toml").write_text(
            f'original = "people"\nsynthetic = "people"\n{ONE}{TWO}'
        )
        assert TABLES[name](scenario=f"{folder}/tables.toml#two", engine=connection)


def test_addresses_stay_as_they_are_typed(folder: Path) -> None:
    there = ["s3a://bucket/people.parquet", "https://somewhere/made.csv"]
    (folder / "there.toml").write_text(f"original = '{there[0]}'\nsynthetic = ['{there[1]}']\n")
    assert read_file(folder / "there.toml") == {"original": there[0], "synthetic": [there[1]]}
