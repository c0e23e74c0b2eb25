"""Steps of a recode: each has the numbers of a score of its own, from files that are
encoded once.
"""

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from agreement import agree
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.scores import coarsening, several_scenarios
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.columns.steps import read_steps
from tests.analyses.scores.test_passes import Passes
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

PLACES = "place,county,country\n" + "".join(
    f"{place},{county},All\n" for place, county in zip("abcdef", "NNSSSI", strict=True)
)


def people(seed: int, records: int = 60) -> pd.DataFrame:
    """A small file, with missing levels, of another size for each seed."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pd.DataFrame(
        {
            "place": [rng.choice([*"abcdef", None]) for _ in range(records + seed)],
            "age": pd.array(
                [rng.choice([None, *range(0, 90, 7)]) for _ in range(records + seed)], dtype="Int64"
            ),
            "born": [
                f"20{rng.randrange(10, 13)}-{rng.randrange(1, 13):02}-01"
                for _ in range(records + seed)
            ],
            "ill": [rng.choice(["yes", "no", None]) for _ in range(records + seed)],
            "weight": [rng.randrange(1, 5) for _ in range(records + seed)],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "places.csv").write_text(PLACES)
    people(1).to_csv(tmp_path / "original.csv", index=False)
    people(2).to_csv(tmp_path / "syn.csv", index=False)
    return tmp_path


HIERARCHY: dict[str, Any] = {"place": {"hierarchy": "places.csv"}}
# What has steps, what the dictionary says beside it, and the other settings.
CASES: dict[str, tuple[dict[str, list[Any]], dict[str, Any], dict[str, Any]]] = {
    "a hierarchy of a key": ({"place": [0, 1, 2]}, HIERARCHY, {}),
    "a hierarchy of a target": (
        {"place": [0, 1, 2]},
        HIERARCHY,
        {"keys": ["age", "born"], "targets": ["place", "ill"]},
    ),
    # no multiples of each other
    "widths": ({"age.width": ["none", 10, 25]}, {"place": {"merge": {"ab": ["a", "b"]}}}, {}),
    "bands": ({"age.bands": [[0, 18, 65], [0, 40]]}, {"age": {"top": 80}}, {}),
    "periods": (
        {"born.date": ["none", "month", "quarter", "year"]},
        {},
        {"keys": ["born", "age"], "targets": ["place", "ill"]},
    ),
    "rare levels": ({"place.rare": [5, 9]}, {}, {}),
    "populations": (
        {"place": [1, 2]},
        HIERARCHY,
        {
            "by": ["place"],
            "population": {"young": "age < 40"},
            "populations": ["all", "uniques"],
            "weights": "weight",
        },
    ),
    "exclusions": (
        {"place": [0, 1]},
        HIERARCHY,
        {"exclude_level": {"ill": ["no"]}, "exclude_missing": ["place", "ill"], "max_cell": 4},
    ),
    "a universe": (
        {"place": [0, 2]},
        HIERARCHY,
        {"universe": people(7, 300)[["place", "age"]], "sampled": 0.2},
    ),
    "every target": ({"age.width": [1, 30]}, {}, {"targets": None, "distributions": True}),
}


@pytest.mark.parametrize("case", some([*CASES][:1], CASES))
def test_each_step_has_the_numbers_of_its_own_score(
    case: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    steps, beside, more = CASES[case]
    files = (people(1), [people(11), people(21)])
    settings = {"keys": ["place", "age"], "targets": ["ill", "born"], **more}
    found = sqlrisk.score_steps(steps, *files, column=beside, **settings)
    ((stepped, values),) = steps.items()
    column, _, name = stepped.partition(".")
    assert len(found) == len(values)
    for value, report in zip(values, found.values(), strict=True):
        own = {} if value == "none" else {name or "step": value}
        said = {**beside, column: {**beside.get(column, {}), **own}}
        alone = sqlrisk.score(*files, **settings, column=said)
        assert len(report.results) > 20
        assert agree({**report.to_dict(), "scenario": None}, {**alone.to_dict(), "scenario": None})


def test_the_scenario_file_has_the_steps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    people(1).to_parquet("people.parquet")
    (folder / "steps.toml").write_text(
        'original = "people.parquet"\nsynthetic = "people.parquet"\nkeys = ["age"]\n'
        'targets = ["ill"]\nsteps = { "age.width" = [1, 30] }\n',
        encoding="utf-8",
    )
    assert [*sqlrisk.score_steps(scenario="steps.toml")] == ["age.width=1", "age.width=30"]


@pytest.mark.parametrize("passes", some([7], [2, 7]))
@pytest.mark.slow
def test_several_passes_are_one(passes: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    files = (people(1), [people(2), people(3)])
    settings = {"keys": ["place", "age"], "targets": ["ill", "born"], "column": HIERARCHY}
    _, questions = coarsening.ask("place=0,1,2", (*files, None, None), settings)
    with Passes(passes) as engine:
        reports = several_scenarios.score(questions, Session(engine))
    for name, report in sqlrisk.score_steps("place=0,1,2", *files, **settings).items():
        assert agree(report.results, reports[name].results)


def test_records_are_read_once_and_other_columns_encoded_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    statements: list[str] = []
    sqlrisk.score_steps(
        "place=0,1,2",
        people(1),
        people(2),
        keys=["place", "age"],
        targets=["ill"],
        column=HIERARCHY,
        trace=lambda sql, _: statements.append(sql),
    )
    made = [
        sql.partition(" AS\n")[0].removeprefix("CREATE ").removeprefix("TEMPORARY ")
        for sql in statements
    ]
    assert made.count("TABLE coded_records") == 1
    # of place at each step, of age, of ill
    assert len([name for name in made if name.startswith("TABLE levels_")]) == 5
    readers = {
        name
        for name, sql in zip(made, statements, strict=True)
        if "FROM source_0" in sql and name.startswith("TABLE")
    }
    # Each column is looked through once, and each record coded once.
    columns = {each for each in readers if each.startswith(("TABLE levels_", "TABLE values_"))}
    assert (len(columns), columns & {"TABLE values_k1", "TABLE values_k2", "TABLE values_k3"}) == (
        3,
        {"TABLE values_k1"},
    )
    assert readers - columns == {"TABLE coded_records", "TABLE distinct_rows"}


def test_what_a_step_buys_is_worked_out_by_hand(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five people, at a, b, c, d and d: three are alone by place, nobody is by county (a, b: N; c,
    d: S) or by country.
    """
    monkeypatch.chdir(folder)
    original = pd.DataFrame({"place": ["a", "b", "c", "d", "d"], "ill": ["y", "y", "n", "n", "y"]})
    synthetic = pd.DataFrame({"place": ["a", "a", "c", "d", "e"], "ill": ["y", "y", "n", "n", "y"]})
    found = sqlrisk.score_steps(
        "place=0,1,2",
        original,
        synthetic,
        keys=["place"],
        targets=["ill"],
        column=HIERARCHY,
        measures=["UiO", "DiSCO"],
    )
    assert list(found) == ["place=0", "place=1", "place=2"]
    shown = {
        (row["measure"], step): row["numerator"]
        for step, report in found.items()
        for row in report.results
    }
    # a, b and c are alone at step 0; N has two people, S three, and the country all five.
    assert [shown["UiO", step] for step in found] == [3, 0, 0]
    # a's and c's records agree, as does one of d's; N's two records say y, those of S say n, n, y;
    # the country's are mixed.
    assert [shown["DiSCO", step] for step in found] == [3, 2, 0]
    lines = [line.split() for line in found.to_text(width=120).splitlines()]
    assert ["UiO", "60.00", "0.00", "-60.00", "0.00", "0.00"] in lines
    assert ["DiSCO", "ill", "60.00", "40.00", "-20.00", "0.00", "-40.00"] in lines


def test_steps_without_all_people_are_of_the_first_population(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the two well people at c and d, one is unique by place, nobody by county."""
    monkeypatch.chdir(folder)
    people = pd.DataFrame({"place": ["a", "b", "c", "d", "d"], "ill": ["y", "y", "n", "n", "y"]})
    found = sqlrisk.score_steps(
        "place=0,1", people, people, keys="place", targets="ill", column=HIERARCHY,
        measures="UiO", population="well: ill = n", populations="well",
    )  # fmt: skip
    lines = [line.split() for line in found.to_text(width=120).splitlines()]
    assert ["UiO", "well", "50.00", "0.00", "-50.00"] in lines


@pytest.mark.parametrize(
    ("steps", "shown"),
    [(["none", 2], ["0.5000", "–", "–"]), ([2, "none"], ["–", "0.5000", "–"])],
)
def test_a_number_of_some_steps_is_undefined_at_the_others(
    steps: list[Any], shown: list[str]
) -> None:
    """A column with rare levels has no order, so the distance of ordered levels is not measured."""
    original = pd.DataFrame({"place": [*"aab"], "income": [1, 2, 3]})
    found = sqlrisk.score_steps(
        {"income.rare": steps}, original, original, keys=["place"], targets=["income"],
        measures=["closeness"],
    )  # fmt: skip
    lines = [line.split() for line in found.to_text(width=120).splitlines()]
    assert ["t_closeness_ordered", "income", *shown] in lines


@pytest.mark.slow
def test_steps_of_bands_replace_those_of_the_column() -> None:
    asked: dict[str, Any] = {"keys": "age", "targets": "ill", "measures": "DiSCO"}
    banded = {"age": {"bands": [0, 18]}}
    steps: dict[str, Any] = {"age.width": ["none", 5]}
    found: Any
    plain: Any
    found, plain = (
        sqlrisk.score_steps(steps, people(1), people(2), **asked, **more).to_dict()["scenarios"]
        for more in ({"column": banded}, {})
    )
    for name in ("column", "keys"):
        assert [each["scenario"][name] for each in found] == [
            each["scenario"][name] for each in plain
        ]
    assert [each["results"] for each in found] == [each["results"] for each in plain]


WRONG: dict[str, tuple[str, list[str], str]] = {
    "no such step": (
        "place=0,3",
        [],
        "scenario 'place=3': column.place.hierarchy: 'places.csv' has 2 steps above the level",
    ),
    "no hierarchy": (
        "age=0,1",
        [],
        "steps: 'age' has no hierarchy in the dictionary; name its file",
    ),
    "a slip": (
        "age.wdth=1,5",
        [],
        "'age.wdth' has no hierarchy in the dictionary (did you mean 'width'?); name its file",
    ),
    "no key": ("weight.width=1,5", [], "'weight' is neither a key nor a target"),
    "no such column": ("agee.width=1,5", [], "'agee' is neither a key nor a target"),
    "one step": ("age.width=5", [], "age.width needs at least two steps"),
    "a step twice": ("age.width=5,5", [], "age.width=5 is given twice"),
    "no width": (
        "age.width=5,x",
        [],
        "column.age.width: expected a whole number, 1 or more; got 'x'",
    ),
    "no steps": ("age", [], "got 'age'"),
    "bands in a line": ("age.bands=0,18", [], "is a list of numbers"),
    "two columns": ("place=0,1", ["--steps", "age.width=5,10"], "one recode of one column"),
    "two lines": ("age.width=1", ["--steps", "age.width=5"], "steps, all in one line"),
    "another recode": (
        "age.date=month,year",
        ["--column", "age.bands=0,18"],
        "date and bands exclude each other",
    ),
    "a part": ("age.width=5,10", ["--part", "results"], "--steps compares scores of one scenario"),
    "a table of a paper": (
        "age.width=5,10",
        ["--layout", "raab"],
        "--steps compares scores of one scenario",
    ),
}


@pytest.mark.parametrize("case", few(WRONG, 2))
def test_a_mistake_is_told(case: str, folder: Path) -> None:
    steps, more, said = WRONG[case]
    asked = [
        "original.csv",
        "syn.csv",
        "--keys",
        "place,age",
        "--targets",
        "ill",
        "--column",
        "place.hierarchy=places.csv",
    ]
    message = fails("score", *asked, "--steps", steps, *more, "-o", "risk.json", folder=folder)
    assert said in message
    assert not (folder / "risk.json").exists()


@pytest.mark.slow
def test_a_reason_says_of_which_steps_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    files = [people(seed).fillna({"place": "a"}) for seed in (1, 2)]
    found = sqlrisk.score_steps(
        "place=0,2", *files, keys="place,age", targets="ill", column=HIERARCHY
    )
    same = "place is the same for all people, so it is useless as a key. Leave it out."
    assert f"Doubtful: place=2: {same}" in " ".join(found.to_text().split())
    every = sqlrisk.score_steps(
        "place=0,1", files[0], files[0], keys="place,age", targets="ill", column=HIERARCHY
    )
    assert "Not assessable: Synthesis 1" in every.to_text()  # which is so at every step
    assert [reason["text"] for row in found["place=2"].assessment for reason in row["reasons"]][
        -1
    ] == same


@pytest.mark.parametrize("steps", [{}, [], 3, {"age": "0,1"}, {"age": 3}, [1, 2]])
def test_steps_of_no_form_are_refused(steps: Any) -> None:
    with pytest.raises(sqlrisk.InputError, match="steps: "):
        sqlrisk.score_steps(steps, people(1), people(2), keys=["age"])


@pytest.mark.slow
def test_a_scenario_file_holds_steps_and_every_form_has_them(folder: Path) -> None:
    (folder / "steps.toml").write_text(
        'original = "original.csv"\nsynthetic = ["syn.csv"]\nkeys = ["place", "age"]\ntargets = '
        '["ill"]\n'
        'measures = ["UiO", "DCAP", "CAPd"]\nsteps = { place = [0, 1] '
        '}\n\n[column.place]\nhierarchy = "places.csv"\n'
    )
    code, out, err = command("score", "--scenario", "steps.toml", "--format", "json", folder=folder)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert (document["stepped"], document["steps"]) == ("place", ["0", "1"])
    assert [each["name"] for each in document["scenarios"]] == ["place=0", "place=1"]
    assert [each["scenario"]["column"]["place"]["step"] for each in document["scenarios"]] == [0, 1]
    out = command(
        "score",
        "--scenario",
        "steps.toml",
        "--steps",
        "age.width=5,10,20",
        "--format",
        "csv",
        folder=folder,
    )[1]
    assert [line.split(",")[:2] for line in out.splitlines() if ",UiO," in line] == [
        [f"age.width={width}", "UiO"] for width in (5, 10, 20)
    ]
    code, _, err = command("score", "--scenario", "steps.toml", "-o", "risk.html", folder=folder)
    page = (folder / "risk.html").read_text()
    assert (code, err) == (0, "")
    assert page.count("<figure>") == 2  # of the keys, of the one target
    assert page.count('<div class="figures">') == 1  # beside each other
    assert "UiO at 0: " in page
    assert not (folder / "risk.json.manifest.json").exists()
    report = sqlrisk.score_steps(None, scenario=str(folder / "steps.toml"))
    assert list(report) == ["place=0", "place=1"]
    assert [" ".join(each["title"]["text"]) for each in report.plot().to_dict()["vconcat"]] == [
        "UiO",
        "CAPd and DCAP, ill",
    ]
    plain = sqlrisk.score_steps(None, scenario=str(folder / "steps.toml"), measures=["iS"])
    assert "<figure>" not in plain.to_html()
    with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'steps'"):
        plain.plot()
    assert "sqlrisk.score_steps in Python" in fails(
        "records", "--scenario", "steps.toml", "-o", "r.csv", folder=folder
    )
    with pytest.raises(sqlrisk.InputError, match="leave them out here"):
        sqlrisk.score(scenario=str(folder / "steps.toml"))


def test_none_stands_for_no_recode() -> None:
    region = read_steps({"region": ["none", 1]}).dictionaries({"region": {"hierarchy": "r.csv"}})
    assert [each["region"]["step"] for each in region] == [0, 1]
    job = read_steps({"job.rare": ["none", 3]}).dictionaries({"job": {"rare_as": "Few"}})
    assert job == [{"job": {}}, {"job": {"rare_as": "Few", "rare": 3}}]
