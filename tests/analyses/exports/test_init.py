"""`sqlrisk init` drafts a scenario that runs as it is, from counts that hold, without a level of
the data.
"""

import os
import re
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import processes
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from processes import on_terminal
from quickly import few

import sqlrisk
from sqlrisk.inputs.release import SAID
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
    return sum(
        n == 1
        for n in Counter(zip(*(ORIGINAL[column] for column in columns), strict=True)).values()
    )


def row(text: str, column: str) -> list[str]:
    """The counts of one column, as the file's comments have them."""
    (found,) = re.findall(rf"^# {re.escape(column)}  +(\S.*)$", text, re.MULTILINE)
    return str(found).split()


def test_the_draft_runs_as_it_is(folder: Path) -> None:
    code, out, err = command(
        "init", "original.parquet", "syn.parquet", "-o", "scenario.toml", folder=folder
    )
    assert (code, out) == (0, "")
    assert err == (
        "scenario.toml is a draft: edit its keys and targets, then run sqlrisk score "
        "--scenario scenario.toml\n"
    )
    assert command("score", "--scenario", "scenario.toml", "-q", folder=folder)[::2] == (0, "")
    settings = tomllib.loads((folder / "scenario.toml").read_text())
    assert settings.keys() == {"original", "synthetic", "keys", "targets", "column"}
    assert settings["column"]["person"]["role"] == "identifier"
    assert targets(folder / "scenario.toml") == ["pay", "odd = one"]


def test_a_draft_has_every_statement_of_page_one_to_fill_in(folder: Path) -> None:
    path = folder / "scenario.toml"
    text = sqlrisk.init(str(folder / "original.parquet"), str(folder / "syn.parquet"), path)
    assert text.count("page one of a report shows it") == 1
    assert text.count('\n# logo = "FILE" ') == 1
    filled = text.replace("\n# [release]\n", "\n[release]\n")
    for name, heading in SAID.items():
        (line,) = re.findall(rf'\n# {name} = "TEXT" +# {heading}\n', text)
        filled = filled.replace(line, line.replace("\n# ", "\n").replace("TEXT", f"My {name}"))
    path.write_text(filled)
    page = sqlrisk.score(scenario=str(path), measures="identity").to_text()
    assert [name for name in SAID if f"My {name}" not in page] == []
    assert "Not stated" not in page
    path.write_text(text)
    assert "Not stated" in sqlrisk.score(scenario=str(path), measures="identity").to_text()


@pytest.mark.slow
def test_two_intruders_of_a_draft_can_be_asked_as_they_stand(tmp_path: Path) -> None:
    """Each knows one column of an idea, and no target, of which there are three: health, money,
    what nothing is known of.
    """
    columns = {
        "age": [1, 2, 3, 4],
        "town": ["a", "b", "a", "b"],
        "job": ["x", "y", "x", "y"],
        "job2": ["p", "p", "q", "q"],
    }
    more = {
        "pay": [1, 2, 1, 2],
        "ill": ["n", "y", "n", "y"],
        "q1": ["u", "v", "u", "v"],
        "q2": ["u", "v", "v", "v"],
    }
    file = write(tmp_path, **columns, **more)
    path = tmp_path / "scenario.toml"
    assert draft_of(tmp_path, file, file)["targets"] == ["pay", "ill", "q1"]
    text = path.read_text()
    for line in (
        "[scenario.neighbor]",
        'keys = ["age", "town"]',
        "[scenario.employer]",
        'keys = ["age", "job"]',
    ):
        assert text.count(f"\n# {line}\n") == 1
        text = text.replace(f"\n# {line}\n", f"\n{line}\n")
    path.write_text(text)
    found = {
        name: report.scenario
        for name, report in sqlrisk.score_all(str(path), measures="DCAP").items()
    }
    assert {name: (each["keys"], each["targets"]) for name, each in found.items()} == {
        "neighbor": (["age", "town"], ["pay", "ill", "q1"]),
        "employer": (["age", "job"], ["pay", "ill", "q1"]),
    }
    few = write(tmp_path, town=["a", "b", "a"], pay=[1, 2, 1])
    assert "employer" not in sqlrisk.init(str(few), str(few))


def test_missing_values_are_those_of_each_file(folder: Path) -> None:
    """Of more than three files that differ they are told from the least to the most."""
    for number in range(1, 5):
        sexes = [None] * number + ["Xf"] * (50 - number)
        pq.write_table(pa.table({**SYNTHETIC, "secret sex": sexes}), folder / f"m{number}.parquet")
    for last, told in ((1, "1"), (3, "1; 2; 3"), (4, "1 to 4")):
        text = sqlrisk.init(
            str(folder / "original.parquet"),
            [str(folder / f"m{n}.parquet") for n in range(1, last + 1)],
        )
        assert row(text, "secret sex")[5:-2] == told.split()
        assert row(text, "age")[5:-2] == ["0"]


@pytest.mark.slow
def test_its_counts_are_those_of_the_files(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    # type, levels, only in original, only in synthetic, missing in original, missing in synthetic,
    # alone, percent
    assert row(text, "secret sex") == ["VARCHAR", "2", "0", "0", "20", "16", "0", "0.00"]
    assert row(text, "town") == ["VARCHAR", "7", "0", "2", "0", "0", "0", "0.00"]
    assert row(text, "pay")[-2:] == [str(unique("pay")), f"{100 * unique('pay') / PEOPLE:.2f}"]
    assert row(text, "person")[1:] == ["60", "10", "0", "0", "0", "60", "100.00"]
    assert '# id = "person"' in text
    assert "# weight: only in " in text
    assert "# extra: only in " in text
    assert re.search(r"^# when: .* types that cannot be compared", text, re.MULTILINE)
    assert "# bins.age = 10  # 30 levels" in text
    assert "bins.town" not in text


@pytest.mark.slow
def test_keys_single_out_most_people_where_nothing_looks_known(tmp_path: Path) -> None:
    """Columns without a name that says anything; it is asked of a slow count of all that could be
    chosen.
    """
    columns = {"q1": "secret sex", "q2": "age", "q3": "town", "q4": "pay", "q5": "odd = one"}
    pq.write_table(
        pa.table({name: ORIGINAL[column] for name, column in columns.items()}),
        tmp_path / "o.parquet",
    )
    text = sqlrisk.init(str(tmp_path / "o.parquet"), [str(tmp_path / "o.parquet")])
    said = dict(re.findall(r'^    "(.*?)", +# (\d+) of 60 people', text, re.MULTILINE))
    assert len(said) == 4
    best = max(unique(column) for column in columns.values())
    assert [name for name in said if unique(columns[name]) == best]
    for number, people in enumerate(said.values(), start=1):
        assert int(people) == unique(*(columns[name] for name in [*said][:number]))
    chosen = {columns[name] for name in said}
    assert unique(*chosen) == max(unique(*each) for each in combinations(columns.values(), 4))


def test_what_people_may_know_is_suggested_and_how_many_are_alone_with_it(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    said = re.findall(r'^    "(.*?)", +# (\d+) of 60 people', text, re.MULTILINE)
    assert [key for key, _ in said] == ["secret sex", "age", "town"]
    for number, (_, people) in enumerate(said, start=1):
        assert int(people) == unique(*("secret sex", "age", "town")[:number])


def test_it_holds_no_level(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), [str(folder / "syn.parquet")])
    for level in ("Xf", "Xm", "Xtown", "Xday", "Xextra", "P001"):
        assert level not in text


@pytest.mark.slow
def test_paths_are_those_seen_from_the_file(folder: Path) -> None:
    (folder / "scenarios").mkdir()
    code, _, err = command(
        "init", "original.parquet", "syn.parquet", "-q", "-o", "scenarios/one.toml", folder=folder
    )
    assert (code, err) == (0, "")
    assert (
        tomllib.loads((folder / "scenarios" / "one.toml").read_text())["original"]
        == "../original.parquet"
    )
    assert command("score", "--scenario", "scenarios/one.toml", folder=folder)[0] == 0


def test_csv_options_of_a_file_follow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The draft names the file as it names the source, and `score` finds it from there."""
    monkeypatch.chdir(tmp_path)
    text = "age,town\n" + "".join(f"{20 + each},Z\u00fcrich\n" for each in range(9))
    for folder in ("data", "project"):
        Path(folder).mkdir()
    for name, encoding in (("o", "utf-8"), ("s", "latin-1")):
        Path("data", f"{name}.csv").write_text(text, encoding=encoding)
    asked = {"data/s.csv": "latin-1"}
    draft = sqlrisk.init("data/o.csv", "data/s.csv", path="project/s.toml", encoding=asked)
    said = tomllib.loads(draft)
    assert (said["synthetic"], said["encoding"]) == (
        ["../data/s.csv"],
        {"../data/s.csv": "latin-1"},
    )
    report = sqlrisk.score(scenario="project/s.toml", keys=["age"], targets=["town"])
    assert report.value("DiSCO", target="town") == 100


@pytest.mark.slow
def test_methods_globs_and_csv(folder: Path) -> None:
    for name in ("a_1", "a_2", "b_1"):
        pa.csv.write_csv(pa.table(SYNTHETIC), folder / f"{name}.csv")
    named = ["--synthesis", "a=a_*.csv", "--synthesis", "the b=b_1.csv"]
    code, out, err = command("init", "original.parquet", *named, folder=folder)
    assert (code, err) == (0, "")
    assert tomllib.loads(out)["synthetic"] == {"a": ["a_1.csv", "a_2.csv"], "the b": ["b_1.csv"]}
    (folder / "scenario.toml").write_text(out)
    code, out, _ = command(
        "score", "--scenario", "scenario.toml", "--measures", "iS", "--format", "csv", folder=folder
    )
    assert code == 0
    assert "the b 1" in out


def test_it_overwrites_only_when_told(folder: Path) -> None:
    (folder / "scenario.toml").write_text("mine")
    arguments = ["init", "original.parquet", "syn.parquet", "-o", "scenario.toml"]
    assert "already exists" in fails(*arguments, folder=folder)
    assert (folder / "scenario.toml").read_text() == "mine"
    assert command(*arguments, "--overwrite", folder=folder)[0] == 0
    assert "keys = [" in (folder / "scenario.toml").read_text()
    for output, message in (("syn.parquet", "is the input"), (".", "is not a file; name one")):
        assert message in fails(*arguments[:3], "-o", output, "--overwrite", folder=folder)


def test_what_cannot_be_a_scenario_is_said(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), folder / "one.parquet")
    pq.write_table(pa.table({"b": [1, 2]}), folder / "other.parquet")
    pq.write_table(
        pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}),
        folder / "empty.parquet",
    )
    assert "there is nothing to score" in fails(
        "init", "one.parquet", "other.parquet", folder=folder
    )
    assert "needs a key and a target" in fails("init", "one.parquet", "one.parquet", folder=folder)
    assert "'empty.parquet' has no records" in fails(
        "init", "empty.parquet", "empty.parquet", folder=folder
    )
    assert "Name the original file" in fails("init", "one.parquet", folder=folder)
    for made in ([pa.table(SYNTHETIC)], pd.DataFrame(SYNTHETIC), pl.DataFrame(SYNTHETIC)):
        with pytest.raises(sqlrisk.InputError, match="can name only files and tables"):
            sqlrisk.init(pa.table(ORIGINAL), made)


def test_hostile_names_are_quoted(tmp_path: Path) -> None:
    names = ['a"b', "c\nd", "e\\f", "g\x7fh", "# i", "żółć"]
    table = pa.table({name: [1, 2, 3, 1, 2, 1] for name in names})
    pq.write_table(table, tmp_path / "o.parquet")
    text = sqlrisk.init(
        str(tmp_path / "o.parquet"), str(tmp_path / "o.parquet"), str(tmp_path / "s.toml")
    )
    settings = tomllib.loads(text)
    assert {*settings["keys"], *targets(tmp_path / "s.toml")} == set(names)
    assert sqlrisk.score(scenario=str(tmp_path / "s.toml")).scenario["keys"] == settings["keys"]


@pytest.mark.slow
def test_the_census_files(tmp_path: Path) -> None:
    """Hand-worked: what everybody knows of others, one column of each idea, and not the weeks
    somebody worked.
    """
    draft = draft_of(tmp_path, CENSUS / "original.parquet", CENSUS / "cart_1.parquet")
    assert draft["keys"] == ["age", "sex", "race", "marital_status", "education", "country_birth"]
    assert (
        draft["targets"]
        == ["weeks_worked", "wage_per_hour", "income"]
        == targets(tmp_path / "scenario.toml")
    )
    assert draft["bins"] == {"wage_per_hour": 10}  # of 1,240 levels
    text = (tmp_path / "scenario.toml").read_text()
    assert '\n    # "citizenship",\n' in text
    intruders = text.partition("# [scenario.neighbor]")[2].replace("# ", "")
    assert tomllib.loads(f"[scenario.neighbor]{intruders}")["scenario"] == {
        "neighbor": {
            "keys": ["age", "sex", "race", "marital_status", "household_summary", "country_birth"]
        },
        "employer": {"keys": ["age", "sex", "race", "education", "class_of_worker"]},
    }
    assert (
        '    # "major_occupation",  # occupation, by its name'
        in (tmp_path / "scenario.toml").read_text()
    )


def draft_of(folder: Path, original: Path, synthetic: Path, **given: Any) -> dict[str, Any]:
    """The settings of a draft that is saved in a folder."""
    return tomllib.loads(
        sqlrisk.init(str(original), str(synthetic), str(folder / "scenario.toml"), **given)
    )


def targets(scenario: Path) -> list[str]:
    """The targets that a scenario is scored with."""
    found: Any = sqlrisk.score(scenario=str(scenario), measures="DCAP").scenario
    return list(found["targets"])


def write(folder: Path, **columns: list[Any]) -> Path:
    """A file of its own in a folder."""
    pq.write_table(pa.table(columns), folder / "people.parquet")
    return folder / "people.parquet"


def test_a_synthetic_file_that_changes_meanwhile_is_told(tmp_path: Path) -> None:
    original, synthetic = write(tmp_path, a=[1, 2, 2]), tmp_path / "syn.parquet"
    pq.write_table(pa.table({"a": [1, 1, 2]}), synthetic)

    def touch(_sql: str, _seconds: float) -> None:
        os.utime(synthetic, (1, 1))

    with pytest.raises(sqlrisk.InputError, match=r"syn\.parquet' changed during the run"):
        draft_of(tmp_path, original, synthetic, trace=touch)
    assert not (tmp_path / "scenario.toml").exists()


def test_where_keys_are_edited_targets_follow(folder: Path) -> None:
    draft_of(folder, folder / "original.parquet", folder / "syn.parquet")
    path = folder / "scenario.toml"
    path.write_text(path.read_text().replace('    "town", ', '    # "town", '))
    assert targets(path) == ["town", "pay", "odd = one"]
    path.write_text(path.read_text().replace('    "age", ', '    "age", "pay", '))
    assert targets(path) == ["town", "odd = one"]


@pytest.mark.slow
def test_others_are_meant_by_the_word_and_a_column_by_a_list(tmp_path: Path) -> None:
    file = str(write(tmp_path, a=[1, 2, 2], b=["x", "y", "y"], others=["p", "q", "q"]))
    for given, expected in (
        ("others", ["b", "others"]),
        (["others"], ["others"]),
        (None, ["b", "others"]),
        ("b", ["b"]),
    ):
        assert (
            sqlrisk.score(file, file, keys="a", targets=given, measures="DCAP").scenario["targets"]
            == expected
        )
    roles = {"b": {"role": "sensitive"}}  # they name targets where none are named; others are all
    assert sqlrisk.score(file, file, keys="a", column=roles, measures="DCAP").scenario[
        "targets"
    ] == ["b"]
    report = sqlrisk.score(file, file, keys="a", targets="others", column=roles, measures="DCAP")
    assert report.scenario["targets"] == ["b", "others"]
    code, out, _ = command(
        "score",
        file,
        file,
        "--keys",
        "a",
        "--targets",
        "others",
        "--format",
        "csv",
        folder=tmp_path,
    )
    assert code == 0
    assert ",b," in out
    assert ",others," in out


@pytest.mark.slow
def test_scenarios_that_share_others_and_a_dictionary(folder: Path) -> None:
    draft_of(folder, folder / "original.parquet", folder / "syn.parquet")
    text = (folder / "scenario.toml").read_text()
    keys = re.search(r"^keys = \[.*?^\]$", text, re.MULTILINE | re.DOTALL)
    assert keys is not None
    both = '\n[scenario.one]\nkeys = ["age"]\n[scenario.two]\nkeys = ["town", "age"]\n'
    (folder / "scenario.toml").write_text(text.replace(keys[0], "bins = { pay = 3 }") + both)
    reports = sqlrisk.score_all(str(folder / "scenario.toml"))
    assert reports["one"].scenario["targets"] == ["secret sex", "town", "pay", "odd = one"]
    assert reports["two"].scenario["targets"] == ["secret sex", "pay", "odd = one"]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    few(
        [
            (
                "income",
                [1000 + 17 * n for n in range(PEOPLE)],
                "sensitive",
            ),  # many values, and no name
            ("v1", [n + 0.5 for n in range(PEOPLE)], "sensitive"),
            ("v1", [f"{n:04}" for n in range(PEOPLE)], "identifier"),
            ("v1", [7000 + n for n in range(PEOPLE)], "identifier"),
            ("person_id", [n + 0.0 for n in range(PEOPLE)], "identifier"),
            ("household_id", [n // 3 for n in range(PEOPLE)], "other"),
            ("weight", [0.5 + n % 7 for n in range(PEOPLE)], "weight"),
            ("weight", ["light", "heavy"] * 30, "sensitive"),
            ("v1", ["FEMALE", "Male", None] * 20, "key"),  # by its levels
            # weeks: too few different ones for ages
            ("v1", [n % 53 for n in range(PEOPLE)], "sensitive"),
        ]
    ),
)
def test_what_is_counted_decides_beside_the_name(
    tmp_path: Path, name: str, values: list[Any], role: str
) -> None:
    people = len(values)
    more = {"age": [n % 30 for n in range(people)], "ill": [n % 2 for n in range(people)]}
    file = write(tmp_path, **{name: values}, **more)
    found: dict[str, str] = {}

    def ask(doubtful: Any) -> dict[str, str]:
        found.update({each.name: each.role for each in doubtful})
        return {}

    draft = draft_of(tmp_path, file, file, ask=ask)
    said = draft["column"][name].get("role")
    assert said == (role if role in ("identifier", "weight", "other") else None)
    assert found.get(name, "sensitive" if name == "income" else role) == role
    assert (name in draft["keys"]) == (role == "key")


def test_levels_say_what_a_name_does_not(tmp_path: Path) -> None:
    """Hand-worked: a column is of an idea when all levels of the original are, whatever the
    synthetic file has.
    """
    ages = [*range(0, 121, 2)]  # 61 people, each of another age
    more = len(ages) - 3
    original = {
        "a1": ages,
        "a2": [*ages[:-1], 121],
        "a3": [-1, *ages[1:]],
        "m1": ["Ledig", "WIDOWED", "geschieden", *[None] * more],
        "m2": ["Ledig", "WIDOWED", "?", *[None] * more],
        "m3": ["leDig", "married", "married", *[None] * more],
        "m4": [None] * len(ages),
    }
    synthetic = original | {
        "a1": [1, -5, 500, *ages[3:]],
        "m1": ["verwitwet", "?", *["Ledig"] * (more + 1)],
        "m2": ["Ledig"] * len(ages),
    }
    pq.write_table(pa.table(original), tmp_path / "o.parquet")
    pq.write_table(pa.table(synthetic), tmp_path / "s.parquet")
    text = sqlrisk.init(str(tmp_path / "o.parquet"), str(tmp_path / "s.parquet"))
    assert tomllib.loads(text)["keys"] == ["a1", "m1"]
    assert '# role = "key"  # a guess: age, by its levels' in text
    assert '# role = "key"  # a guess: marital status, by its levels' in text


@pytest.mark.slow
def test_a_weight_and_an_id_of_the_original_alone_are_named(folder: Path) -> None:
    text = sqlrisk.init(str(folder / "original.parquet"), str(folder / "syn.parquet"))
    assert '\n# weights = "weight"\n' in text


def test_answers_are_the_draft(folder: Path) -> None:
    asked: list[str] = []

    def ask(doubtful: Any) -> dict[str, str]:
        asked.extend(each.name for each in doubtful)
        return {"odd = one": "key", "secret sex": "other"}

    draft = draft_of(folder, folder / "original.parquet", folder / "syn.parquet", ask=ask)
    # the others are what their whole name says
    assert asked == ["person", "secret sex", "odd = one"]
    assert draft["keys"] == ["age", "town", "odd = one"]
    assert draft["column"]["odd = one"]["role"] == "key"
    assert targets(folder / "scenario.toml") == ["pay"]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"odd = one": "kee"}, "expected identifier, key"),
        (
            {"old = one": "key"},
            "ask: 'old = one' is not a column in doubt (did you mean 'odd = one'?).",
        ),
        ({"person": "weight", "secret sex": "other", "odd = one": "other"}, None),
    ],
)
def test_wrong_answers_leave_nothing(
    folder: Path, answers: dict[str, str], message: str | None
) -> None:
    path = folder / "scenario.toml"
    if message is None:
        draft_of(folder, folder / "original.parquet", folder / "syn.parquet", ask=lambda _: answers)
        assert 'weights = "person"' in path.read_text()
        return
    with pytest.raises(sqlrisk.InputError, match=re.escape(message)):
        draft_of(folder, folder / "original.parquet", folder / "syn.parquet", ask=lambda _: answers)
    assert not path.exists()


def test_no_column_is_left_to_be_a_target(tmp_path: Path) -> None:
    file = write(tmp_path, age=[1, 1, 2], v1=[0, 0, 1], v2=[1, 1, 0])
    for answers, why in (
        ({"v1": "key", "v2": "key"}, "left to be a target"),
        ({"v1": "other", "v2": "other"}, "left to be a"),
    ):
        with pytest.raises(sqlrisk.InputError, match=why):
            sqlrisk.init(str(file), str(file), ask=lambda _, given=answers: given)


def test_a_terminal_is_asked(tmp_path: Path) -> None:
    files = (CENSUS / "original.parquet", CENSUS / "cart_1.parquet")
    typed = [
        ("1/6 class_of_worker", "\r"),
        ("2/6", "o\r"),
        ("3/6", "x\r"),
        ("it is one of identifier, key", "KEY\r"),
    ]
    typed += [
        ("4/6 household_summary (8 levels; household", "\r"),
        ("5/6", "\r"),
        ("6/6 weeks_worked", "s\r"),
    ]
    done = on_terminal("init", *files, "-o", "scenario.toml", folder=tmp_path, typed=typed)
    assert done.status == 0, done.out
    assert "scenario.toml is a draft" in done.out
    draft = tomllib.loads((tmp_path / "scenario.toml").read_text())
    assert draft["keys"] == [
        "age",
        "sex",
        "race",
        "marital_status",
        "education",
        "major_occupation",
        "country_birth",
    ]
    assert draft["column"]["major_industry"] == {"role": "other"}
    assert draft["column"]["weeks_worked"] == {"role": "sensitive"}
    assert targets(tmp_path / "scenario.toml") == ["weeks_worked", "wage_per_hour", "income"]


@pytest.mark.parametrize("key", few(["\x03", "\x04"]))
def test_ctrl_c_leaves_nothing(folder: Path, key: str) -> None:
    before = processes.found(folder)
    done = on_terminal(
        "init",
        "original.parquet",
        "syn.parquet",
        "-o",
        "scenario.toml",
        folder=folder,
        typed=[("1/3", key)],
    )
    assert done.status == 130
    assert done.out.rstrip().endswith("Interrupted.")
    assert processes.found(folder) == before


@pytest.mark.slow
def test_yes_asks_nothing(folder: Path) -> None:
    arguments = ("init", "original.parquet", "syn.parquet", "--yes", "-o")
    done = on_terminal(*arguments, "yes.toml", folder=folder, typed=[])
    assert done.status == 0
    assert "What are these" not in done.out
    # off a terminal
    assert (
        command("init", "original.parquet", "syn.parquet", "-o", "off.toml", folder=folder)[0] == 0
    )
    off = (folder / "off.toml").read_text().replace("off.toml", "yes.toml")
    assert (folder / "yes.toml").read_text() == off
