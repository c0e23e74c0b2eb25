"""Utility as other results are: judged by a policy, compared with a later one, and beside the risk
of the same files.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.utility import utility_measures
from sqlrisk.report.sections import risk_utility
from tests.analyses.scores.test_utility import people
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command_line

QUESTION = {"keys": ["sex", "town"], "targets": ["ill"]}
COLUMNS = "sex,town,ill"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, seed in (("o", 1), ("s1", 2), ("s2", 3)):
        pq.write_table(people(seed), tmp_path / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def policy(folder: Path, *rules: str) -> str:
    text = "\n".join(f"[[rule]]\nrule = '{rule}'\nreason = 'so'" for rule in rules)
    (folder / "policy.toml").write_text(f"name = 'ours'\n{text}\n", encoding="utf-8")
    return str(folder / "policy.toml")


def of(found: sqlrisk.Utility, ways: int, statistic: str, measure: str = "S_pMSE") -> float:
    (value,) = (
        row[measure]
        for row in found.overall
        if (row["ways"], row["statistic"]) == (ways, statistic)
    )
    return float(value)


def test_a_rule_is_about_the_worst_of_all_tables_or_their_mean(files: Path) -> None:
    found = sqlrisk.utility(people(1), people(2), measures="S_pMSE,ContingencySimilarity")
    worst, mean = of(found, 2, "max"), of(found, 2, "mean")
    between = (worst + mean) / 2
    assert mean < between < worst
    judged = sqlrisk.check(
        found, policy(files, f"S_pMSE[2] <= {between:.9f}", f"mean(S_pMSE)[2] <= {between:.9f}")
    )
    rows: Any = judged.policy["verdicts"]
    assert [(row["measure"], row["at"], row["verdict"], row["value"]) for row in rows] == [
        ("worst(S_pMSE)", 2, "fail", worst),
        ("mean(S_pMSE)", 2, "pass", mean),
    ]
    # Of a measure of which more is better the worst is the least; without a point both are judged,
    # one and two columns
    rows = sqlrisk.check(found, policy(files, "ContingencySimilarity >= 0.5")).policy["verdicts"]
    assert [row["value"] for row in rows] == [
        of(found, ways, "min", "ContingencySimilarity") for ways in (1, 2)
    ]
    with pytest.raises(
        sqlrisk.PolicyError, match=r"1 of 1 numbers fails: mean\(SPECKS\)\[2\] <= 0"
    ) as caught:
        sqlrisk.utility(people(1), people(2), policy=policy(files, "mean(SPECKS)[2] <= 0"))
    assert "SPECKS" in caught.value.report.names  # which the policy reads


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("DiSCO <= 5", "there is no utility measure DiSCO"),
        ("S_pMS <= 5", r"there is no utility measure S_pMS \(did you mean 'S_pMSE'"),
        ("control_adjusted(S_pMSE) <= 5", "there is no utility measure S_pMSE"),
        (
            "worst(S_pMSE)[3] <= 5",
            r"worst\(S_pMSE\) is not computed at 3, but at 1, 2 columns \(--ways\)",
        ),
        (
            "worst(cells) <= 5",
            r"cells grows with the size of a table, so no table is the worst; write mean\(cells\)",
        ),
        ("median(S_pMSE) <= 5", "cannot read the rule"),
    ],
)
def test_a_rule_about_no_number_of_utility_is_refused(files: Path, rule: str, message: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.utility(people(1), people(2), policy=policy(files, rule))


@pytest.mark.slow
def test_two_saved_results_are_compared_and_judged(files: Path) -> None:
    for name in ("s1", "s2"):
        assert command_line("utility", "o.parquet", f"{name}.parquet", "-o", f"{name}.json")[0] == 0
    old, new = (sqlrisk.utility(people(1), people(seed)) for seed in (2, 3))
    found = sqlrisk.diff("s1.json", "s2.json")
    rows = {(row["measure"], row["at"]): row for row in json.loads(found.to_json())["rows"]}
    assert len(rows) == 6 * 2 * 2
    for (measure, statistic), ways in (
        (each, ways) for each in (("worst", "max"), ("mean", "mean")) for ways in (1, 2)
    ):
        row = rows[f"{measure}(S_pMSE)", ways]
        assert (row["old"], row["new"]) == (of(old, ways, statistic), of(new, ways, statistic))
        assert row["outcome"] == ("worse" if row["new"] > row["old"] else "better")
    assert found.comparable
    text = found.to_text()
    assert "less utility than before" in text
    assert "risk" not in text
    narrow = sqlrisk.diff(old, sqlrisk.utility(people(1), people(3), columns="sex,town"))
    assert ("columns", ["sex", "town", "ill"], ["sex", "town"]) in narrow.settings
    code, out, _ = command_line("check", "s1.json", "--policy", policy(files, "worst(S_pMSE) <= 0"))
    assert (code, "worst(S_pMSE)" in out) == (1, True)
    assert (
        command_line(
            "utility", "o.parquet", "s1.parquet", "--policy", "policy.toml", "-o", "judged.json"
        )[0]
        == 1
    )
    assert json.loads((files / "judged.json").read_text())["policy"]["verdict"] == "fail"
    assert (
        command_line("score", "o.parquet", "s1.parquet", "--keys", "sex", "-o", "risk.json")[0] == 0
    )
    assert "one of risk" in fails("diff", "s1.json", "risk.json", "-o", "no.csv", folder=files)
    broken = json.loads((files / "s1.json").read_text())
    del broken["tables"][0]["S_pMSE"]
    (files / "broken.json").write_text(json.dumps(broken))
    assert "broken.json' is not a result" in fails(
        "check", "broken.json", "--policy", "policy.toml", "-o", "no.csv", folder=files
    )


@pytest.mark.slow
def test_beside_the_risk_the_numbers_are_those_of_each_alone(files: Path) -> None:
    original, syntheses = people(1), {"a": [people(2), people(3)], "b": [people(4)]}
    report = sqlrisk.score(
        original, syntheses, utility={"columns": COLUMNS, "ways": [1, 3]}, **QUESTION
    )
    alone = sqlrisk.utility(original, syntheses, columns=COLUMNS, ways=[1, 3])
    plain = sqlrisk.score(original, syntheses, **QUESTION)
    assert report.utility == alone
    assert report.results == plain.results
    assert sqlrisk.diff(plain, report).outcomes["only new"] == len(alone.results)
    (files / "risk.json").write_text(report.to_json())
    again = sqlrisk.read_report("risk.json")
    assert again.to_dict() == report.to_dict()
    for text in (report.to_text(), report.to_markdown(), again.to_text()):
        for words in (
            "Utility of tables",
            "Utility: overall",
            "DiSCO and mean(S_pMSE) of three-way tables",
        ):
            assert words in text
    assert report.table("utility").to_csv() == alone.table("overall").to_csv()
    assert report.external().to_dict().keys().isdisjoint({"utility", "maps"})
    # ---- the map: the original with its own risk and the best utility, then each synthesis
    values = {
        (row["measure"], row["synthesis"]): row["value"]
        for row in report.results
        if row["population"] == "all"
    }
    of_tables = {
        row["synthesis"]: row["S_pMSE"]
        for row in alone.overall
        if (row["ways"], row["statistic"]) == (3, "mean")
    }
    assert [(row["point"], row["risk_value"], row["utility_value"]) for row in report.maps] == [
        ("original", values["Dorig", "a 1"], 0.0),
        *((label, values["DiSCO", label], of_tables[label]) for label in ("a 1", "a 2", "b 1")),
    ]
    assert {(row["safer"], row["more_useful"]) for row in report.maps} == {
        ("less is safer", "less is more useful")
    }
    assert report.table("maps").to_arrow().num_rows == 4
    from bs4 import BeautifulSoup

    page = BeautifulSoup(report.to_html(), "html.parser").find(id="utility")
    assert page is not None
    drawn = page.find("svg")
    assert drawn is not None
    for words in ("original", "a 1", "b 1", "less is safer", "less is more useful"):
        assert words in drawn.get_text(" ")
    chart = report.plot("map").to_dict()
    assert chart["title"]["text"] == ["ill, DiSCO"]
    assert [(each["y"], each["x"]) for each in chart["data"]["values"]] == [
        (row["risk_value"], row["utility_value"]) for row in report.maps
    ]


def test_any_risk_is_held_against_any_utility(files: Path) -> None:
    """Of keys alone is repU; of CAP_at_least one point is taken; a copy stands where the
    original does.
    """
    maps = ["repU,worst(ContingencySimilarity)[1]", "CAP_at_least[0.9],TVD"]
    report = sqlrisk.score(people(1), [people(2), people(1)], utility=True, maps=maps, **QUESTION)
    first, second = risk_utility.maps(report.maps)
    useful = {
        (row["measure"], row["at"], row["synthesis"]): row["value"]
        for row in report.utility.results
    }
    assert [row["point"] for row in first] == ["original", "1", "2"]
    assert first[1]["utility_value"] == useful["worst(ContingencySimilarity)", 1, "1"]
    assert (first[0]["risk_value"], first[0]["utility_value"]) == (
        first[2]["risk_value"],
        first[2]["utility_value"],
    )
    assert first[0]["utility_value"] == 1
    assert {row["more_useful"] for row in first} == {"more is more useful"}
    assert [(row["point"], row["at"], row["utility"]) for row in second] == [
        ("1", 0.9, "worst(TVD)"),
        ("2", 0.9, "worst(TVD)"),
    ]
    assert [row["target"] for row in (*first, *second)] == [None] * 3 + ["ill"] * 2


def test_without_all_people_a_map_has_the_risk_of_the_first_population() -> None:
    """Both men are unique on their keys, and one of them is replicated."""
    original = pa.table({"sex": ["m", "m", "f"], "town": ["a", "b", "a"], "ill": [1, 2, 1]})
    synthetic = original.take([0, 2])
    report = sqlrisk.score(
        original, synthetic, utility=True, maps="repU,TVD", population="men: sex = m",
        populations="men,uniques", **QUESTION,
    )  # fmt: skip
    assert [(row["point"], row["risk_value"]) for row in report.maps] == [
        ("original", 100),
        ("1", 50),
    ]
    assert "repU of men and worst(TVD)" in report.to_text()


def test_the_corner_of_the_original_is_what_a_copy_of_it_has() -> None:
    """In risk what a measure of the original says, in utility the best: of every measure that is
    drawn so.
    """
    table = people(1)
    numeric = table.append_column("n", pa.array(range(60)))
    risk = sqlrisk.score(
        numeric, numeric, keys=["sex", "n"], targets=["ill", "town"], within={"ill": 1, "n": 2},
        measures="identity,attribute,cap,within,near_keys",
    )  # fmt: skip
    values = {(row["measure"], row["target"]): row["value"] for row in risk.results}
    for (measure, target), value in values.items():
        if (own := catalog()[measure].shown.get("of_original")) is not None:
            assert value == pytest.approx(values[own, target], rel=1e-12)
    assert {measure for measure, _ in values} >= {
        each.name for each in catalog() if "of_original" in each.shown
    }
    found = sqlrisk.utility(table, table, measures="all", ways=[1, 2, 3])
    for measure in utility_measures():
        if measure.name not in risk_utility.NO_BEST and measure.higher in risk_utility.BEST:
            assert {row[measure.name] for row in found.tables} == {
                risk_utility.BEST[measure.higher]
            }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"utility": "sex,toun"}, "columns: .* has no column 'toun'"),
        (
            {"utility": {"collumns": "sex"}},
            r"utility: there is no argument 'collumns' \(did you mean 'columns'",
        ),
        (
            {"maps": "DiSCO,S_pMSE"},
            "maps: a map draws risk against utility, so it needs --utility all",
        ),
        ({"utility": True, "maps": "DiSCO"}, "maps: write a measure of risk and one of utility"),
        ({"utility": True, "maps": {"DiSCO,TVD"}}, "maps: write a measure of risk and one"),
        ({"utility": True, "maps": "DiSC,TVD"}, "There is no measure or family 'DiSC'"),
        (
            {"utility": True, "maps": "DiSCO,TV"},
            r"maps: there is no utility measure 'TV' \(did you mean 'TVD'",
        ),
        (
            {"utility": True, "maps": "CAP_at_least,TVD"},
            r"maps: each point needs one number of a measure, such as CAP_at_least\[",
        ),
        ({"utility": True, "maps": "DiSCO,TVD[3]"}, "maps: no table has 3 columns; ways are 1, 2"),
        ({"utility": True, "scratch": "here"}, "utility: it cannot be measured with --scratch"),
    ],
)
def test_what_cannot_be_beside_the_risk_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score(people(1), people(2), **QUESTION, **given)


def test_the_command_and_its_manifest(files: Path) -> None:
    rules = policy(files, "worst(S_pMSE) <= 1000", "DiSCO <= 100")
    asked = (
        "score",
        "o.parquet",
        "s1.parquet",
        "s2.parquet",
        "--keys",
        "sex,town",
        "--targets",
        "ill",
        "--matched",
        "1",
    )
    assert "utility is not measured here" in fails(
        *asked, "--policy", rules, "-o", "no.json", folder=files
    )
    given = ("--utility", COLUMNS, "--maps", "DCAP,mean(TVD)", "--policy", rules)
    code, _, err = command_line(*asked, *given, "-o", "risk.json")
    assert code == 0, err
    report = sqlrisk.read_report("risk.json")
    judged: Any = report.policy["verdicts"]
    assert [row["verdict"] for row in judged if row["measure"] == "worst(S_pMSE)"] == ["pass"] * 6
    assert [row["point"] for row in report.maps] == ["original", "1", "2"]
    code, out, _ = command_line("rerun", "risk.json.manifest.json")
    assert (code, "differ" in out) == (0, False)
    code, out, _ = command_line(*asked, "--utility", COLUMNS, "--part", "maps", "--format", "csv")
    assert (code, out.count("\n")) == (0, 4)
    for more in (("--layout", "raab"), ("--report", "external"), ("--steps", "ill.width=1,2")):
        assert "--utility" in fails(
            *asked, "--utility", "all", *more, "-o", "no.json", folder=files
        )


def test_options_of_files_that_only_risk_reads_are_allowed(tmp_path: Path) -> None:
    text = "sex,ill\nf,J\u00fcl\nm,no\nf,no\nm,J\u00fcl\n"
    for name, encoding in (("o", "utf-8"), ("s", "utf-8"), ("held_out", "latin-1")):
        (tmp_path / f"{name}.csv").write_text(text, encoding=encoding)
    names = [str(tmp_path / f"{name}.csv") for name in ("o", "s", "held_out")]
    own: dict[str, Any] = {"control": names[2], "encoding": {names[2]: "latin-1"}, "keys": ["sex"]}
    report = sqlrisk.score(*names[:2], **own, utility=["sex", "ill"])
    assert report.utility is not None
    (tmp_path / "s.toml").write_text(
        f"original = '{names[0]}'\nsynthetic = '{names[1]}'\ncontrol = '{names[2]}'\n"
        f"keys = ['sex']\nencoding = {{'{names[2]}' = 'latin-1'}}\n"
    )
    assert sqlrisk.utility(scenario=str(tmp_path / "s.toml")).tables == report.utility.tables
    with pytest.raises(sqlrisk.InputError, match="is not a file of this question"):
        sqlrisk.utility(*names[:2], encoding={names[2]: "latin-1"})


def test_a_run_whose_utility_is_refused_saves_nothing(tmp_path: Path) -> None:
    saved = tmp_path / "run.duckdb"
    common = {"sex": ["f", "m"], "ill": ["no", "yes"]}
    original, synthetic = (pa.table({**common, "x": values}) for values in ([1, 2], ["a", "b"]))
    asked: dict[str, Any] = {"targets": "ill", "utility": True, "save": str(saved)}
    with pytest.raises(sqlrisk.InputError, match="'x'"):
        sqlrisk.score(original, synthetic, keys="sex", **asked)
    with pytest.raises(sqlrisk.InputError, match="'x'"):
        sqlrisk.score_all({"friend": {"keys": "sex"}}, original, synthetic, **asked)
    assert not saved.exists()


@pytest.mark.slow
def test_a_run_whose_policy_fits_no_number_saves_nothing(tmp_path: Path) -> None:
    saved = tmp_path / "run.duckdb"
    ours = Path(policy(tmp_path, "DiSCO <= 100"))
    ours.write_text(f'{ours.read_text(encoding="utf-8")}syntheses = ["9"]\n', encoding="utf-8")
    people = pa.table({"sex": ["f", "m"], "ill": ["no", "yes"]})
    asked: dict[str, Any] = {"targets": "ill", "policy": str(ours), "save": str(saved)}
    with pytest.raises(sqlrisk.InputError, match=r"rule 'DiSCO <= 100': .*'9'"):
        sqlrisk.score(people, people, keys="sex", **asked)
    with pytest.raises(sqlrisk.InputError, match=r"rule 'DiSCO <= 100': .*'9'"):
        sqlrisk.score_all({"friend": {"keys": "sex"}}, people, people, **asked)
    assert not saved.exists()
    # One that is not met is told of numbers that are there, and saved.
    policy(tmp_path, "DiSCO <= 50")
    with pytest.raises(sqlrisk.PolicyError):
        sqlrisk.score(people, people, keys="sex", **asked)
    assert saved.exists()


def test_columns_of_a_frame_may_be_named_as_they_are() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"], "ill": ["no", "yes"], "age": [3, 4]})
    report = sqlrisk.score(frame, frame, keys=["sex"], utility=frame.columns[:2])
    assert report.utility is not None
    assert {name for row in report.utility.tables for name in row["columns"]} == {"sex", "ill"}
