"""The column dictionary as a user gives it: tables, lines of the command line, and what is wrong
with them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import sqlrisk
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.columns.dictionary import ColumnEntry, joined, read_columns
from sqlrisk.inputs.columns.recodes import Band, bands_of
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.scenario_file import read_file

TABLES = {
    "age, net": {
        "bands": [0, 5.5, 10],
        "bottom": "-1",
        "top": 90,
        "missing": [-8, "NA"],
        "label": "Age",
        "role": "key",
    },
    "job": {"merge": {"Transport": ["bus", "train"], "x y": ["7"]}, "rare": 10, "rare_as": "Few"},
    "born": {"age_at": "2021-03-21", "width": 5},
    "place": {"hierarchy": "places.csv", "step": 2},
}
LINES = [
    *(
        "age, net.bands=0,5.5,10",
        "age, net.bottom=-1",
        "age, net.top=90",
        "age, net.missing=-8,NA",
        "age, net.label=Age",
    ),
    *(
        "age, net.role=key",
        "job.merge.Transport=bus,train",
        "job.merge.x y=7",
        "job.rare=10",
        "job.rare_as=Few",
    ),
    *("born.age_at=2021-03-21", "born.width=5", "place.hierarchy=places.csv", "place.step=2"),
]


def test_tables_and_lines_say_the_same() -> None:
    found = read_columns(TABLES, "column")
    assert found == read_columns(LINES, "column")
    assert found["age, net"] == ColumnEntry(
        "Age", "key", missing=("-8", "NA"), bands=("0", "5.5", "10"), bottom="-1", top="90"
    )
    assert found["job"].merge == {"Transport": ("bus", "train"), "x y": ("7",)}


def test_settings_are_read_again_as_they_are_written() -> None:
    scenario = read({"keys": ["job"], "column": LINES})
    assert read(json.loads(json.dumps(scenario.settings()))) == scenario
    assert json.loads(json.dumps(scenario.settings()))["column"]["born"] == {
        "width": "5",
        "age_at": "2021-03-21",
    }


def test_what_is_said_later_holds() -> None:
    assert joined(TABLES, ["born.width=10", "age.top=3"]) == TABLES | {
        "born": {"age_at": "2021-03-21", "width": "10"},
        "age": {"top": "3"},
    }


def test_a_file_shares_its_dictionary_and_finds_hierarchies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(
        'keys = ["age"]\n[column.age]\nbands = [0, 18]\n[column.place]\nhierarchy = "places.csv"\n'
        "[scenario.one]\n[scenario.two]\n"
        "[scenario.two.column.age]\nbands = [0, 65]\n"
    )
    one, two = (read_file(f"{path}#{name}")["column"] for name in ("one", "two"))
    assert one == {"age": {"bands": [0, 18]}, "place": {"hierarchy": str(tmp_path / "places.csv")}}
    assert two == one | {"age": {"bands": [0, 65]}}


def test_roles_name_keys_and_targets_where_none_are_named() -> None:
    roles = {"a": {"role": "key"}, "b": {"role": "sensitive"}, "c": {"role": "key"}}
    assert (read({"column": roles}).keys, read({"column": roles}).targets) == (("a", "c"), ("b",))
    assert (
        read({"column": roles, "keys": "b"}).keys,
        read({"column": roles, "keys": "b"}).targets,
    ) == (("b",), ())


@pytest.mark.parametrize(
    ("entry", "ends"),
    [
        ({"bands": [0, 5, 10]}, [("0", "5"), ("5", "10"), ("10", None)]),
        ({"bands": [0, 5], "bottom": 0, "top": 5}, [(None, "0"), ("0", "5"), ("5", None)]),
        (
            {"bands": [0], "bottom": -5, "top": 9},
            [(None, "-5"), ("-5", "0"), ("0", "9"), ("9", None)],
        ),
        ({"top": 90}, [("90", None)]),
        ({"bottom": 16, "width": 2}, [(None, "16")]),
    ],
)
def test_a_band_goes_up_to_the_next(
    entry: dict[str, object], ends: list[tuple[str | None, str | None]]
) -> None:
    assert bands_of(read_columns({"age": entry}, "column")["age"]) == tuple(
        Band(*each) for each in ends
    )


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("[20,40)", ("20", "40")), ("[-1.5, 2)", ("-1.5", "2")), ("20-39", ("20", "40")),
        ("90+", ("90", None)),
        ("<16", (None, "16")), ("[.5,1.)", (".5", "1.")), ("20", None), ("a-b", None),
        ("1.2.3+", None), (".+", None), ("<-", None), ("[1,2.3.4)", None), ("٣+", None),
    ],
)  # fmt: skip
def test_a_band_is_read_as_people_write_it(
    text: str, band: tuple[str | None, str | None] | None
) -> None:
    assert Band.read(text) == (band and Band(*band))


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            {"band": [1]},
            "column.a: there is no 'band' (did you mean 'bands'?); a column may have label, role",
        ),
        ({"bands": [1, 1]}, "column.a.bands: 1 comes after 1; write the bands in ascending order"),
        ({"bands": ["x"]}, "column.a.bands: expected a number, such as 65; got 'x'."),
        ({"bands": []}, "column.a.bands: expected the lower bound of each band"),
        ({"bands": [1], "width": 2}, "column.a: bands and width exclude each other"),
        (
            {"bands": [1], "bottom": 2},
            "column.a.bottom: 2 is above the first band, which begins at 1; they would overlap.",
        ),
        (
            {"bands": [1, 9], "top": 8},
            "column.a.top: 8 is below the last band, which begins at 9; they would overlap.",
        ),
        ({"top": 1, "bottom": 1}, "column.a: bottom, 1, must be below top, 1."),
        (
            {"top": 88, "width": 5},
            (
                "column.a.top: 88 is inside a band, because bands begin at multiples of 5; "
                "use a multiple of it."
            ),
        ),
        ({"width": 0}, "column.a.width: expected a whole number, 1 or more; got 0."),
        ({"date": "week"}, "column.a: expected year, quarter or month"),
        (
            {"date": "year", "top": 3},
            "column.a: top and bottom are for numbers, and date makes levels that are not numbers",
        ),
        (
            {"age_at": "2021-02-30"},
            "column.a.age_at: expected a day, as in 2021-03-21; got '2021-02-30'.",
        ),
        ({"step": 1}, "column.a.step: a step needs a hierarchy; name its file"),
        ({"rare_as": "x"}, "column.a.rare_as: it needs rare; give the number of people"),
        ({"rare": 1}, "column.a.rare: expected a whole number of people, 2 or more; got 1."),
        (
            {"merge": {"x": ["1", "2"], "y": [2]}},
            "column.a.merge: the level '2' is in two groups, 'x' and 'y'.",
        ),
        ({"merge": {"x": []}}, "column.a.merge: the group 'x' has no level."),
        (
            {"role": "keys"},
            (
                "column.a.role: expected identifier, key, sensitive, weight or other; got 'keys' "
                "(did you mean 'key'?)."
            ),
        ),
        (3, "column.a: expected a table"),
    ],
)
def test_what_is_wrong_with_a_column_is_said(entry: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read({"keys": ["a"], "column": {"a": entry}})
    place = says.replace("column.a: expected year", "column.a.date: expected year")
    assert [problem for problem in caught.value.problems if problem.startswith(place)], (
        caught.value.problems
    )


def test_all_problems_of_all_columns_are_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        read({"column": {"a": {"rare": 1, "width": "x"}, "b": {"date": "day"}}, "bins": "c=1"})
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    "line", ["age.band=1", "age=1", "merge=1", "job.merge=1", "age.top.x=1", "age"]
)
def test_a_line_that_says_nothing_is_told(line: str) -> None:
    with pytest.raises(InputError, match=r"expected COLUMN\.NAME=VALUE"):
        read_columns([line], "column")


@pytest.mark.parametrize("name", ["age.top", "age.merge.over 65"])
def test_a_thing_is_said_once(name: str) -> None:
    with pytest.raises(InputError, match=f"^column.{name} is given twice; keep one.$"):
        read_columns([f"{name}=1", f"{name}=2", "age.label=A"], "column")


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        ({"rare": 3}, "rare"), ({"bands": [0, 9]}, "bands"), ({"date": "year"}, "date"),
        ({"hierarchy": "a.csv"}, "hierarchy"),
        ({"merge": {"x": ["1"]}, "width": 5, "rare": 2}, "merge and rare"),
    ],
)  # fmt: skip
def test_bins_are_cut_of_numbers_alone(entry: dict[str, object], left: str) -> None:
    with pytest.raises(
        InputError,
        match=f"bins: 'a' has {left} in the dictionary, which makes levels that are not numbers",
    ):
        read({"keys": "a", "column": {"a": entry}, "bins": {"a": 3}})


@pytest.mark.parametrize(
    ("setting", "value"), [("baseline", {"b": "x.csv"}), ("within", {"b": "3"})]
)
def test_a_recoded_column_is_cut_in_one_way(setting: str, value: object) -> None:
    recodes = {name: {"rare": 3} for name in "ab"}
    with pytest.raises(InputError, match=rf"{setting}: 'b' is recoded in the dictionary"):
        read({"keys": "a", "targets": "b", "column": recodes, setting: value})
    labels = {name: {"label": "x", "missing": "9"} for name in "ab"}
    read({"keys": "a", "targets": "b", "column": labels, setting: value})


HIERARCHY = "level,county,country\nN1,North,All\nS1,South,All\n"


@pytest.mark.parametrize(
    ("text", "step", "says"),
    [
        (
            f"{HIERARCHY}N1,South,All\n",
            1,
            "line 4 of '{}' puts a level below a second parent; keep one parent.",
        ),
        (
            f"{HIERARCHY}N2,North,None\n",
            1,
            "line 4 of '{}' puts a group of step 1 below a second parent; keep one parent.",
        ),
        (f"{HIERARCHY}N2,,All\n", 1, "line 4 of '{}' leaves a level without a group."),
        (f"{HIERARCHY}N2,North\n", 1, "line 4 of '{}' leaves a level without a group."),
        # no row name
        ("level,county\nN1,North,All\n", 1, "line 2 of '{}' leaves a level without a group."),
        (f"sep=,\n{HIERARCHY}N2,North\n", 1, "line 5 of '{}' leaves a level without a group."),
        (HIERARCHY, 3, "'{}' has 2 steps above the level; there is no step 3."),
        ("level,county\n", 1, "'{}' has no lines below its header; it needs one for each level."),
        (
            "level,county\nN1,N\xf6rd\n",
            1,
            (
                "The CSV '{}' cannot be read: line 2 is not UTF-8 text. "
                "Save it as UTF-8, or name its encoding, as in --encoding windows-1252."
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_hierarchy_is_said_by_line(
    tmp_path: Path, text: str, step: int, says: str
) -> None:
    path, original = tmp_path / "places.csv", tmp_path / "original.csv"
    path.write_text(text, encoding="latin-1")
    original.write_text("place,ill\nN1,yes\nS1,no\n")
    column = {"place": {"hierarchy": str(path), "step": step}}
    with pytest.raises(InputError) as caught:
        sqlrisk.score(original, original, keys=["place"], targets=["ill"], column=column)
    assert caught.value.problems == [f"column.place.hierarchy: {says.format(path)}"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere.csv", "There is no file 'nowhere.csv'."),
        (
            "places.sav",
            (
                "'places.sav' is not one CSV file; it needs a line for each level: level, "
                "group, group above."
            ),
        ),
        ("blank.csv", "The CSV 'blank.csv' has no header: its first line must name the columns."),
    ],
)
def test_what_is_no_hierarchy_is_said_of_it(
    tmp_path: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.sav").write_text("another format")
    Path("blank.csv").write_text("\n")
    Path("people.csv").write_text("place,ill\nN1,yes\nS1,no\n")
    with pytest.raises(InputError) as caught:
        sqlrisk.score(
            "people.csv",
            "people.csv",
            keys=["place"],
            column={"place": {"hierarchy": name}},
            measures=["nonsense"],
        )
    first, second = caught.value.problems
    assert first == f"column.place.hierarchy: {says}"
    assert "nonsense" in second


def test_row_names_and_empty_lines_of_a_hierarchy_are_left_out(tmp_path: Path) -> None:
    path, original = tmp_path / "places.csv", tmp_path / "original.csv"
    path.write_text('"","place","county"\n"1",1,"North"\n"2",2,"North"\n"3",3,"South"\n\n')
    original.write_text("place,ill\n1,yes\n2,no\n3,no\n")
    report = sqlrisk.score(
        *(original, original), keys=["place"], targets=["ill"], measures=["class_size"],
        column={"place": {"hierarchy": str(path)}},
    )  # fmt: skip
    assert {row["at"]: row["numerator"] for row in report.results if row["numerator"]} == {
        1.0: 1,
        2.0: 2,
    }


def test_a_line_names_a_column_with_the_names_of_settings() -> None:
    lines = ["birth.date.role=key", "job.label.merge.A=x,y", "age.top.bands=0,18"]
    assert read_columns(lines, "column") == {
        "birth.date": ColumnEntry(role="key"),
        "job.label": ColumnEntry(merge={"A": ("x", "y")}),
        "age.top": ColumnEntry(bands=("0", "18")),
    }


def test_numbers_may_be_those_of_numpy() -> None:
    entry = {"top": np.int64(90), "bottom": np.float64(0.5), "rare": np.int64(3)}
    assert read_columns({"age": entry}, "column") == {
        "age": ColumnEntry(top="90", bottom="0.5", rare=3)
    }
    within = {"age": np.float64(2.5), "income": np.int64(5)}
    assert read({"keys": "age", "targets": "income", "within": within}).within == {
        "age": "2.5",
        "income": "5",
    }


@pytest.mark.parametrize(
    "known",
    [
        {"column": {"age": {"role": "key"}, "sex": {"role": "key"}}},
        {"link": "age/sex"},
        {"keys": "age,sex"},
    ],
)
def test_a_tolerance_of_a_key_adds_its_measures_however_the_key_is_named(
    known: dict[str, object],
) -> None:
    measures = read({**known, "within": {"age": 1}, "targets": "ill"}).measures
    assert "near_keys" in measures
    assert "within" not in measures
