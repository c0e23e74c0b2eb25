"""Several scenarios in one file or mapping: each has the numbers of a run of its own, and the files
are encoded once.
"""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreement import agree
from pypdf import PdfReader
from quickly import few, some

import sqlrisk
from sqlrisk.analyses.scores import scoring
from sqlrisk.plan import assessment
from tests.analyses.exports.test_schemas import holds
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command


def table(seed: int, records: int = 400) -> pa.Table:
    """People with some missing levels and numbers that can be binned."""
    draw = np.random.default_rng(seed)
    age = draw.integers(16, 90, records)
    income = [None if each % 7 == 0 else int(each) for each in draw.integers(0, 60, records)]
    return pa.table(
        {
            "person": pa.array(range(records)),
            "sex": pa.array(draw.choice(["f", "m"], records)),
            "age": pa.array(age),
            "town": pa.array(
                [None if each == 5 else f"town {each}" for each in draw.integers(0, 6, records)]
            ),
            "income": pa.array(income, pa.int64()),
            "ill": pa.array(np.where(age > 60, "yes", draw.choice(["yes", "no"], records))),
            "weight": pa.array(draw.uniform(1, 5, records)),
        }
    )


ORIGINAL, SYNTHETIC, CONTROL = table(1), [table(2), table(3, 300)], table(4, 200)
ABROAD = table(5, 300).set_column(3, "town", pa.array(["abroad"] * 300)).drop_columns(["age"])
UNIVERSE = pa.concat_tables(
    [ORIGINAL, CONTROL, ABROAD.append_column("age", pa.array(range(100, 400)))],
    promote_options="default",
).select(["age", "ill", "income", "sex", "town"])
SCENARIOS: dict[str, dict[str, Any]] = {
    "neighbour": {"keys": ["town", "age"], "targets": ["ill", "income"], "bins": {"age": 8}},
    "doctor": {
        "keys": ["ill", "age", "sex"],
        "targets": ["income", "town"],
        "within": {"income": 2},
        "exclude_level": {"town": ["town 1"]},
        "measures": ["UiO", "DiSCO", "DCAP", "CAP_within", "DiSCO_within", "l_diversity", "GCAP"],
    },
    "employer": {
        "keys": ["income", "sex"],
        "targets": ["town"],
        "bins": {"income": 5},
        "exclude_missing": ["town", "income"],
        "distributions": True,
        "trend": True,
    },
}
SHARED: dict[str, dict[str, Any]] = {
    "plain": {},
    "people": {
        "populations": ["all", "uniques", "special", "older"],
        "population": {"older": "age >= 50"},
        "by": ["sex"],
        "weights": "weight",
        "id": "person",
    },
    "control": {"control": CONTROL, "weights": "weight", "id": "person"},
    # Everybody, and people with levels and numbers of their own, also in columns that are targets
    # elsewhere. A column that is a target alone, and the weight, is none of theirs.
    "universe": {
        "universe": UNIVERSE,
        "control": CONTROL,
        "weights": "weight",
        "by": ["sex"],
        "max_cell_syn": 9,
    },
    "split": {"split": "sex", "split_in": "f", "weights": "weight", "id": "person"},
}


@pytest.mark.parametrize("shared", some(["people"], SHARED))
@pytest.mark.slow
def test_each_has_the_numbers_of_its_own_run(shared: str) -> None:
    common = SHARED[shared]
    scenarios = SCENARIOS
    if shared == "universe":
        asked = {
            name: [*own.get("measures", ["cap", "l_diversity"]), "universe"]
            for name, own in SCENARIOS.items()
        }
        scenarios = {name: {**own, "measures": asked[name]} for name, own in SCENARIOS.items()}
    if shared == "split":  # sex is neither key nor target where it splits
        scenarios = {
            name: {**own, "keys": [key for key in own["keys"] if key != "sex"]}
            for name, own in SCENARIOS.items()
        }
    # who is split off is a control, too
    synthetic = SYNTHETIC[:1] if shared in ("people", "control", "universe") else SYNTHETIC
    reports = sqlrisk.score_all(scenarios, ORIGINAL, synthetic, **common)
    assert list(reports) == list(scenarios)
    for name, own in scenarios.items():
        alone = sqlrisk.score(ORIGINAL, synthetic, **{**common, **own})
        assert agree(reports[name].to_dict(), alone.to_dict())
        assert len(reports[name].results) > 20


FORTY = [*range(40)]
ROLES = pa.table(
    {
        "a": [f"a {each}" for each in FORTY],
        "b": [f"b {each % 7}" for each in FORTY],
        "nr": [str(each) for each in FORTY],
    }
)
# Each town is in one region.
TOWNS = pa.table(
    {
        "age": [each % 9 for each in FORTY],
        "town": [f"town {each % 6}" for each in FORTY],
        "sex": ["fm"[each % 5 % 2] for each in FORTY],
        "region": ["north" if each % 6 < 3 else "south" for each in FORTY],
        "ill": ["yes" if each % 4 else "no" for each in FORTY],
    }
)
ASSESSED: dict[str, tuple[pa.Table, pa.Table, dict[str, dict[str, Any]]]] = {
    "a copy but for a column of another role": (
        ROLES,
        ROLES.set_column(2, "nr", pa.array([f"new {each}" for each in FORTY])),
        {
            "one": {"keys": ["a"], "targets": ["b"]},
            "two": {"keys": ["b"], "targets": ["a"], "column": {"nr": {"role": "other"}}},
        },
    ),
    "a key that determines a target": (
        TOWNS,
        TOWNS,
        {
            "one": {"keys": ["age"], "targets": ["ill"]},
            "two": {"keys": ["age", "town", "sex"], "targets": ["region"]},
            "three": {"keys": ["town"], "targets": ["region"]},
        },
    ),
}


@pytest.mark.parametrize("case", list(ASSESSED))
def test_each_is_assessed_as_in_its_own_run(case: str) -> None:
    original, synthetic, scenarios = ASSESSED[case]
    reports = sqlrisk.score_all(scenarios, original, synthetic, measures=["DiSCO"])
    found = [row for each in reports.values() for row in each.assessment if row["reasons"]]
    assert found
    for name, own in scenarios.items():
        alone = sqlrisk.score(original, synthetic, **own, measures=["DiSCO"])
        assert reports[name].assessment == alone.assessment


@pytest.mark.slow
def test_targets_of_other_scenarios_change_no_difference() -> None:
    asked: dict[str, Any] = {
        "control": CONTROL,
        "measures": ["DiSCO", "max_denom", "membership"],
        "membership_ratio": True,
    }
    scenarios = {
        "a": {"keys": ["age", "sex", "town"], "targets": ["ill"]},
        "b": {"keys": ["age"], "targets": ["ill"]},
    }
    reports = sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC[0], **asked)
    alone = sqlrisk.score(ORIGINAL, SYNTHETIC[0], **scenarios["b"], **asked)
    assert agree(reports["b"].to_dict(), alone.to_dict())
    of_ill = [row for row in reports["b"].differences if row["target"] == "ill"]
    assert of_ill
    assert all(row["difference"] is not None for row in of_ill)


@pytest.mark.slow
def test_each_intruder_may_believe_in_baselines(tmp_path: Path) -> None:
    shares = pa.table({"level": ["yes", "no"], "share": [0.5, 0.5]})
    pq.write_table(shares, tmp_path / "shares.parquet")
    asked: dict[str, Any] = {
        "targets": ["ill"],
        "measures": ["intruder"],
        "assume": "saturated",
        "prior": 1,
        "intruder_prior": "baseline",
        "baseline": {"ill": str(tmp_path / "shares.parquet")},
    }
    scenarios: dict[str, Any] = {"one": {"keys": ["sex"]}, "two": {"keys": ["town"]}}
    reports = sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC[0], **asked)
    for name, own in scenarios.items():
        alone = sqlrisk.score(ORIGINAL, SYNTHETIC[0], **own, **asked)
        assert reports[name].results
        assert agree(reports[name].to_dict(), alone.to_dict())


def test_cells_have_their_levels_below_the_keys_in_any_order() -> None:
    scenarios = {
        name: {"keys": list(keys), "targets": ["ill"]}
        for name, keys in (("one", ("age", "sex")), ("two", ("sex", "age")))
    }
    reports = sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC[0], measures=["DiSCO"])
    one, two = (reports[name].cells("DiSCO") for name in scenarios)
    assert (one.columns[:2], two.columns[:2]) == (["age", "sex"], ["sex", "age"])
    assert {row[1] for row in one.rows} == {row[0] for row in two.rows} == {"f", "m"}


@pytest.mark.slow
def test_cells_are_listed_of_each() -> None:
    reports = sqlrisk.score_all(SCENARIOS, ORIGINAL, SYNTHETIC)
    alone = sqlrisk.score(ORIGINAL, SYNTHETIC, **SCENARIOS["employer"])
    assert reports["employer"].cells("DiSCO").rows == alone.cells("DiSCO").rows


@pytest.mark.slow
def test_aligned_files_too() -> None:
    common: dict[str, Any] = {"aligned": True, "measures": ["matches", "DiSCO"]}
    scenarios = {
        name: {role: own[role] for role in ("keys", "targets")} for name, own in SCENARIOS.items()
    }
    reports = sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC[0], **common)
    for name, own in scenarios.items():
        assert agree(
            reports[name].to_dict(),
            sqlrisk.score(ORIGINAL, SYNTHETIC[0], **common, **own).to_dict(),
        )


@pytest.mark.parametrize("universe", [None, pytest.param(UNIVERSE, marks=pytest.mark.slow)])
def test_a_column_is_encoded_once_and_records_are_read_once(universe: pa.Table | None) -> None:
    statements: list[str] = []
    sqlrisk.score_all(
        SCENARIOS,
        ORIGINAL,
        SYNTHETIC,
        universe=universe,
        trace=lambda sql, _: statements.append(sql),
    )
    made = [
        sql.partition(" AS\n")[0].removeprefix("CREATE ").removeprefix("TEMPORARY ")
        for sql in statements
    ]
    # sex and town once, age as it is and in bins, income as it is, within a tolerance and in bins,
    # ill once: town and ill are a key and a target, and a universe has levels of keys that must be
    # none of a target.
    assert len([name for name in made if name.startswith("TABLE levels_")]) == (
        8 if universe is None else 10
    )
    assert made.count("TABLE coded_records") == 1
    assert made.count("TABLE records") == 3
    readers = {
        name
        for name, sql in zip(made, statements, strict=True)
        if "FROM source_0" in sql and name.startswith("TABLE")
    }
    others = {name for name in readers if not name.startswith(("TABLE levels_", "TABLE values_"))}
    assert others == {"TABLE coded_records", "TABLE distinct_rows"}
    assert made.count("TABLE distinct_rows") == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(ORIGINAL, tmp_path / "original.parquet")
    pq.write_table(SYNTHETIC[0], tmp_path / "syn.parquet")
    (tmp_path / "scenarios.toml").write_text(
        'original = "original.parquet"\nsynthetic = ["syn.parquet"]\ntargets = ["ill", '
        '"income"]\nmeasures = ["repU", "DiSCO"]\n'
        'bins = { age = 8, income = 5 }\nexclude_missing = ["town"]\n\n'
        '[scenario.neighbour]\nkeys = ["town", "age"]\n\n'
        '[scenario.employer]\nkeys = ["sex", "age"]\ntargets = ["ill"]\nbins = { age = 4 }\n'
    )
    return tmp_path


@pytest.mark.slow
def test_a_file_of_several_runs_alone(folder: Path) -> None:
    code, out, err = command(
        "score", "--scenario", "scenarios.toml", "--format", "json", folder=folder
    )
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert [each["name"] for each in document["scenarios"]] == ["neighbour", "employer"]
    neighbour, employer = (each["scenario"] for each in document["scenarios"])
    assert (neighbour["bins"], neighbour["exclude_missing"]) == ({"age": 8, "income": 5}, ["town"])
    # Its own bins take the place of those that are shared; what is shared of a column that it lacks
    # is left out.
    assert (employer["bins"], employer["exclude_missing"], employer["targets"]) == (
        {"age": 4},
        [],
        ["ill"],
    )
    one = json.loads(
        command(
            "score", "--scenario", "scenarios.toml#employer", "--format", "json", folder=folder
        )[1]
    )
    alone = {key: value for key, value in one.items() if key not in ("sqlrisk", "schema")}
    assert agree({"name": "employer", **alone}, document["scenarios"][1])
    more = ["--measures", "DCAP", "--format", "csv"]
    lines = command("score", "--scenario", "scenarios.toml", *more, folder=folder)[1].splitlines()
    assert lines[0].startswith("scenario,measure,family")
    found = [line.split(",")[:2] for line in lines[1:]]
    assert [row for row in found if not row[1].startswith("excluded")] == [
        ["neighbour", "DCAP"],
        ["neighbour", "DCAP"],
        ["employer", "DCAP"],
    ]
    # where somebody is left out
    assert {row[0] for row in found if row[1].startswith("excluded")} == {"neighbour"}


def test_text_has_a_section_for_each(folder: Path) -> None:
    code, out, err = command("score", "--scenario", "scenarios.toml", folder=folder)
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("Intruder ")] == [
        "Intruder neighbour",
        "Intruder employer",
    ]
    assert max(map(len, out.splitlines())) <= 80
    markdown = command(
        "score", "--scenario", "scenarios.toml", "--format", "markdown", folder=folder
    )[1]
    assert "\n# Intruder employer\n" in markdown


PART = ("score", "--scenario", "scenarios.toml", "--part")


def rows_of(out: str) -> list[dict[str, str]]:
    return [*csv.DictReader(out.splitlines())]


@pytest.mark.slow
@pytest.mark.parametrize("part", few(["results", "distributions", "trends", "maps"], 4))
def test_a_part_has_the_rows_of_each(folder: Path, part: str) -> None:
    more = ["--utility", "all"] if part == "maps" else []
    code, out, err = command(*PART, part, *more, "--format", "csv", folder=folder)
    assert (code, err) == (0, "")
    rows = rows_of(out)
    assert [*dict.fromkeys(row["scenario"] for row in rows)] == ["neighbour", "employer"]
    for name in ("neighbour", "employer"):
        # alone, its own bins recode age for utility as well
        one = ("score", "--scenario", f"scenarios.toml#{name}", "--part", part, *more)
        alone = rows_of(command(*one, "--format", "csv", folder=folder)[1])
        mine = [{**row} for row in rows if row["scenario"] == name]
        for row in (*alone, *mine):
            row.pop("utility_value", None)
        assert mine == [{"scenario": name, **row} for row in alone]
        assert len(mine) >= 2


@pytest.mark.slow
def test_the_utility_of_the_files_is_a_part_once(folder: Path) -> None:
    asked = [*PART, "utility", "--utility", "all", "--format", "csv"]
    rows = rows_of(command(*asked, folder=folder)[1])
    assert "scenario" not in rows[0]
    assert len(rows) == len({tuple(row.values()) for row in rows})


@pytest.mark.slow
def test_a_part_is_a_page_and_a_pdf_too(folder: Path) -> None:
    text = command(*PART, "results", folder=folder)[1]
    for name in ("scenario", "neighbour", "employer"):
        assert re.search(rf"^  .*\b{name}\b", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 80
    outputs = [option for form in ("html", "pdf", "json") for option in ("-o", f"part.{form}")]
    code, out, err = command(*PART, "results", *outputs, folder=folder)
    assert (code, out) == (0, ""), err
    part = json.loads((folder / "part.json").read_text())
    assert part["part"]["columns"][:2] == ["scenario", "measure"]
    page = (folder / "part.html").read_text()
    printed = " ".join(
        text
        for each in PdfReader(folder / "part.pdf").pages
        for text in each.extract_text().split()
    )
    for name in {row[0] for row in part["part"]["rows"]}:
        assert page.count(f">{name}<") == sum(row[0] == name for row in part["part"]["rows"])
        assert name in printed


@pytest.mark.slow
def test_a_reason_of_one_intruder_is_told_with_the_name(folder: Path) -> None:
    lone = ORIGINAL.set_column(3, "town", pa.array([f"place {row % 9}" for row in range(400)]))
    pq.write_table(lone, folder / "syn.parquet")
    reports = sqlrisk.score_all(str(folder / "scenarios.toml"))
    told = [
        reason["text"] for row in reports.table("results").assessment for reason in row["reasons"]
    ]
    assert any(text.startswith("neighbour: ") for text in told)


def test_a_part_that_some_lack_is_refused(folder: Path) -> None:
    scenarios = {name: SCENARIOS[name] for name in ("doctor", "employer")}
    reports = sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC)
    with pytest.raises(
        sqlrisk.InputError, match="scenario 'doctor': This report has no trends"
    ) as caught:
        reports.table("trends")
    assert "employer" not in str(caught.value)
    with pytest.raises(
        sqlrisk.InputError, match=r"no part 'result' of a report .did you mean"
    ) as caught:
        reports.table("result")
    assert "scenario" not in str(caught.value)
    assert "leave out" in fails(*PART, "results", "--layout", "raab2", folder=folder)
    fails(*PART, "trends", "--report", "external", "-o", "part.html", folder=folder)
    assert not (folder / "part.html").exists()


RULE = '[[rule]]\nrule = "{}"\nreason = "An example."\n'


def policy_of(folder: Path, *rules: str) -> str:
    (folder / "policy.toml").write_text(
        'name = "Board"\n' + "".join(RULE.format(rule) for rule in rules)
    )
    return str(folder / "policy.toml")


def pointed_at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def test_several_are_judged_signed_checked_and_repeated_as_one(folder: Path) -> None:
    """By the commands: one page, one form to sign, one manifest, one policy over all."""
    policy_of(folder, "DCAP:income <= 0", "DiSCO:ill <= 100")
    judged = ["--policy", "policy.toml"]
    code, out, err = command(
        "score",
        "--scenario",
        "scenarios.toml",
        *judged,
        "-o",
        "risk.json",
        "-o",
        "risk.html",
        folder=folder,
    )
    # income is a target of the neighbour alone, who fails by it.
    assert (code, out) == (1, "")
    assert "1 of 3 numbers fails: DCAP:income <= 0 (neighbour, income, synthesis 1: " in err
    document = json.loads((folder / "risk.json").read_text())
    verdicts = [each["policy"]["verdict"] for each in document["scenarios"]]
    assert (document["policy"]["verdict"], verdicts) == ("fail", ["fail", "pass"])
    for each in document["scenarios"]:
        holding = ["--scenario", f"scenarios.toml#{each['name']}", "-o", "one.json"]
        assert command("score", *holding, folder=folder)[0] == 0
        alone = json.loads((folder / "one.json").read_text())
        # which the policy reads
        assert agree(alone["results"], [row for row in each["results"] if row["measure"] != "DCAP"])
        assert agree(alone["checks"], each["checks"])
    holds("result", document)
    holds("manifest", json.loads((folder / "risk.json.manifest.json").read_text()))
    # Each number of the page is one of the JSON, and says which.
    page = (folder / "risk.html").read_text()
    told = re.findall(r'<data value="([^"]*)" data-source="([^"]*)"', page)
    assert {pointer.split("/")[2] for _, pointer in told} == {"0", "1"}
    assert all(json.loads(value) == pointed_at(document, pointer) for value, pointer in told)
    assert page.count("Nobody has signed this yet.") == 1
    ids, links = (
        re.findall(r'<section id="([^"]+)"', page),
        re.findall(r'<li><a href="#([^"]+)"', page),
    )
    assert ids == links
    assert len(ids) == len(set(ids))

    code, out, err = command("check", "risk.json", *judged, "--format", "csv", folder=folder)
    assert code == 1
    assert [line.split(",")[:3] for line in out.splitlines()] == [
        ["scenario", "rule", "verdict"],
        ["neighbour", "DCAP:income <= 0", "fail"],
        ["neighbour", "DiSCO:ill <= 100", "pass"],
        ["employer", "DiSCO:ill <= 100", "pass"],
    ]
    assert "neighbour" in fails(
        "sign", "risk.json", "--by", "A", "--finding", "DiSCO:ill", "--comment", "x", folder=folder
    )
    finding = ["--finding", "employer/DiSCO:ill", "--comment", "Known anyway."]
    assert (
        command(
            "sign",
            "risk.json",
            "--decision",
            "refuse",
            "--by",
            "A. Custodian",
            *finding,
            folder=folder,
        )[0]
        == 0
    )
    signed = (folder / "risk.html").read_text()
    assert "Nobody has signed" not in signed
    assert signed.count("A. Custodian") == 2  # on page one, and below the decision
    assert command("check", "risk.json", folder=folder)[0] == 0
    assert command("rerun", "risk.json", "--result", "again.json", folder=folder)[0] == 0
    again = json.loads((folder / "again.json").read_text())
    assert agree(again["scenarios"], document["scenarios"])
    code, out, _ = command("diff", "risk.json", "again.json", "--format", "csv", folder=folder)
    assert {line.rpartition(",")[2] for line in out.splitlines()[1:]} == {"equal"}
    (folder / "risk.html").write_text(signed.replace("Known anyway.", "Not known."))
    assert command("check", "risk.json", folder=folder)[0] == 1
    pq.write_table(SYNTHETIC[1], folder / "syn.parquet")
    assert command("rerun", "risk.json", folder=folder)[0] == 1


@pytest.mark.slow
def test_utility_is_compared_once_and_each_has_its_map_and_its_annex(folder: Path) -> None:
    """By the command, beside each run alone. Of age the bins of the two differ: it has those of
    neither, 5 groups, as where nothing is said of it.
    """
    policy_of(folder, "DiSCO <= 100", "mean(S_pMSE)[2] <= 100")
    how = ["--utility", "all", "--maps", "repU,mean(S_pMSE)", "--maps", "DiSCO,TVD[1]"]
    how += ["--policy", "policy.toml", "--evidence"]
    asked = ["score", "--scenario", "scenarios.toml", *how, "-o", "risk.json", "-o", "risk.html"]
    assert command(*asked, "-o", "intruders.svg", folder=folder)[0] == 0
    assert "Revealed (DiSCO). Highest: neighbour ill" in (folder / "intruders.svg").read_text()
    document = json.loads((folder / "risk.json").read_text())
    holds("result", document)
    page = (folder / "risk.html").read_text()
    for place, each in enumerate(document["scenarios"], start=1):
        named = ["score", "--scenario", f"scenarios.toml#{each['name']}", *how, "-o", "one.json"]
        assert command(*named, folder=folder)[0] == 0
        alone = json.loads((folder / "one.json").read_text())
        risks = ("risk", "at", "target", "point", "risk_value")
        assert [[row[name] for name in risks] for row in each["maps"]] == [
            [row[name] for name in risks] for row in alone["maps"]
        ]
        assert len(each["maps"]) == 2 * (2 if each["name"] == "neighbour" else 1) + 2
        assert each["evidence"] == alone["evidence"]
        assert each["policy"]["verdict"] == "pass"
        for part in ("utility", "evidence"):
            assert page.count(f'id="intruder-{place}-{part}"') == 1
    plain: Any = sqlrisk.utility(
        str(folder / "original.parquet"), str(folder / "syn.parquet"), bins={"income": 5}
    ).to_dict()
    first, second = (each["utility"] for each in document["scenarios"])
    assert first == second
    for part in ("overall", "by_column", "tables"):
        numbers = [
            {name: row[name] for name in row if name in plain[part][0]} for row in first[part]
        ]
        assert numbers == [{name: row[name] for name in numbers[0]} for row in plain[part]]
    assert command("rerun", "risk.json", "--result", "again.json", folder=folder)[0] == 0
    again = json.loads((folder / "again.json").read_text())
    assert [each["maps"] for each in again["scenarios"]] == [
        each["maps"] for each in document["scenarios"]
    ]
    unknown = fails(*asked[:5], "--maps", "repU,S_pMS", folder=folder)
    assert unknown.count("there is no utility measure 'S_pMS' (did you mean 'S_pMSE'") == 1
    assert "it needs --utility" in fails(*asked[:3], *how[2:4], folder=folder)


@pytest.mark.slow
def test_files_are_compared_once(folder: Path) -> None:
    def statements(scenarios: int) -> int:
        ran: list[str] = []
        sqlrisk.score_all(
            {str(place): {"keys": ["sex"], "targets": ["ill"]} for place in range(scenarios)},
            ORIGINAL,
            SYNTHETIC[0],
            utility="sex,ill",
            trace=lambda sql, _: ran.append(sql),
        )
        return sum("utility" in sql.lower() for sql in ran)

    assert statements(1) == statements(2) > 0


def test_a_rule_about_a_key_says_so(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "ours"\n[[rule]]\nrule = "DiSCO:sex <= 5"\nreason = "so"\n')
    with pytest.raises(sqlrisk.InputError, match="make it a target, or"):
        sqlrisk.score(ORIGINAL, SYNTHETIC[0], keys=["sex"], targets=["ill"], policy=policy)


@pytest.mark.slow
def test_a_policy_says_whose_rule_is_about_nothing(folder: Path) -> None:
    file = str(folder / "scenarios.toml")
    with pytest.raises(sqlrisk.InputError, match="the scenario has no target 'agee'") as found:
        sqlrisk.score_all(file, policy=policy_of(folder, "DiSCO:agee <= 5", "DiSCO <= 5"))
    assert len(found.value.problems) == 1  # said once: it is so in both
    with pytest.raises(
        sqlrisk.InputError,
        match="scenario 'employer': The policy 'Board' has no rule for this scenario",
    ):
        sqlrisk.score_all(file, policy=policy_of(folder, "DiSCO:income <= 5"))
    reports = sqlrisk.score_all(file)
    with pytest.raises(sqlrisk.InputError, match="was not judged"):
        reports.verdicts()
    with pytest.raises(
        sqlrisk.InputError,
        match="scenario 'employer': The policy 'Board' has no rule for this scenario",
    ):
        sqlrisk.check(reports, policy_of(folder, "DiSCO:income <= 5"))
    judged = sqlrisk.check(reports, policy_of(folder, "DiSCO <= 0"))
    with pytest.raises(sqlrisk.PolicyError) as failed:
        judged.require()
    assert failed.value.report is judged


@pytest.mark.parametrize(
    "rules", few([["DCAP:town <= 100", "repU <= 100"], ["DCAP:income <= 100"]], 2)
)
def test_a_rule_may_be_about_a_target_that_nobody_names(folder: Path, rules: list[str]) -> None:
    """A scenario that names no targets has all columns that are no keys."""
    scenarios = {"any": {"keys": ["sex"]}, "one": {"keys": ["age"], "targets": ["income"]}}
    asked = {"measures": ["repU"], "policy": policy_of(folder, *rules)}
    files = (each.drop_columns(["person", "weight"]) for each in (ORIGINAL, SYNTHETIC[0]))
    judged = sqlrisk.score_all(scenarios, *files, **asked)
    target = rules[0].partition(":")[2].partition(" ")[0]
    having = {row["scenario"] for row in judged.policy["verdicts"] if row["target"] == target}
    assert having == ({"any"} if target == "town" else {"any", "one"})


@pytest.mark.slow
def test_releases_are_compared_scenario_by_scenario() -> None:
    scenarios: dict[str, Any] = {"one": {"keys": ["town"]}, "two": {"keys": ["sex", "age"]}}
    common: dict[str, Any] = {"targets": ["ill"], "measures": ["repU", "DiSCO"]}
    old, new = (sqlrisk.score_all(scenarios, ORIGINAL, each, **common) for each in SYNTHETIC)
    found = sqlrisk.diff(old, new)
    for name, own in scenarios.items():
        sides = (sqlrisk.score(ORIGINAL, each, **own, **common) for each in SYNTHETIC)
        assert [row[1:] for row in found.rows if row[0] == name] == sqlrisk.diff(*sides).rows
    assert found.comparable
    fewer = sqlrisk.diff(old, sqlrisk.Reports({"one": new["one"]}))
    assert {row[-1] for row in fewer.rows if row[0] == "two"} == {"only old"}
    assert ("scenarios", ["one", "two"], ["one"]) in fewer.settings
    assert fewer.comparable
    other = sqlrisk.score_all(
        {**scenarios, "two": {"keys": ["sex"]}}, ORIGINAL, SYNTHETIC[1], **common
    )
    changed = sqlrisk.diff(old, other)
    assert ("two: keys", ["sex", "age"], ["sex"]) in changed.settings
    assert not changed.comparable
    with pytest.raises(sqlrisk.InputError, match="of several scenarios, the other of one"):
        sqlrisk.diff(old, new["one"])


@pytest.mark.slow
def test_two_external_reports_tell_a_count_that_each_hides() -> None:
    """20 people have a town of their own; by their sex, too, two more are alone."""
    towns = [f"t{place}" for place in range(20)] + ["x"] * 190 + ["y"] * 190
    sexes = ["f", "m"] * 10 + (["d"] + ["f"] * 94 + ["m"] * 95) * 2
    people = pa.table({"town": towns, "sex": sexes, "ill": ["yes", "no"] * 200})
    told = []
    for keys, alone in ((["town"], 20), (["town", "sex"], 22)):
        report = sqlrisk.score(people, people, keys=keys, targets=["ill"], measures=["UiO"])
        (row,) = report["UiO"].rows
        assert row["numerator"] == alone
        (row,) = report.external()["UiO"].rows
        told.append((row["numerator_low"], row["numerator_high"]))
    assert told == [(15, 24), (15, 24)]
    # Who is alone by the town is so by town and sex: the second number is no smaller, and 9 larger
    # at most.
    assert told[1][1] - told[0][0] < 10
    both = sqlrisk.score_all(
        {"town": {"keys": ["town"]}, "sex": {"keys": ["town", "sex"]}},
        people,
        people,
        targets=["ill"],
        measures=["UiO"],
    )
    (few,), (many,) = (report["UiO"].rows for report in both.external().values())
    assert few["numerator_low"] <= 20 <= few["numerator_high"]
    assert many["numerator_low"] <= 22 <= many["numerator_high"]
    assert many["numerator_high"] - few["numerator_low"] >= 10


@pytest.mark.slow
def test_other_commands_ask_one_of_them(folder: Path) -> None:
    code, out, _ = command(
        "cells", "DiSCO", "--scenario", "scenarios.toml#employer", "--format", "csv", folder=folder
    )
    assert code == 0
    assert out.startswith("sex,age,target,level")
    message = fails("cells", "DiSCO", "--scenario", "scenarios.toml", folder=folder)
    assert "several scenarios: neighbour, employer" in message
    assert "did you mean 'employer'" in fails(
        "score", "--scenario", "scenarios.toml#employr", folder=folder
    )
    message = fails("explain", "--record", "1", "--scenario", "scenarios.toml", folder=folder)
    assert "Name one, as in scenarios.toml#neighbour" in message
    records = ["records", "--scenario", "scenarios.toml#neighbour", "-o", "risk.csv"]
    assert command(*records, folder=folder)[0] == 0
    with pytest.raises(sqlrisk.InputError, match="several scenarios"):
        sqlrisk.score(scenario=str(folder / "scenarios.toml"))
    assert "is the input" in fails(
        "score", "--scenario", "scenarios.toml#employer", "-o", "syn.parquet", folder=folder
    )


WRONG = {
    "a shared typo": (
        "exclude_missing = [",
        'special = { incme = "0" }\nexclude_missing = [',
        "'incme'",
        "did you mean 'income'",
    ),
    "an own typo": (
        "bins = { age = 4 }",
        "bins = { agee = 4 }",
        "scenario 'employer': bins: 'agee'",
        "did you mean 'age'",
    ),
    "no such column": (
        '["sex", "age"]',
        '["sx", "age"]',
        "scenario 'employer': keys: no file has a column 'sx'",
        "'sex'",
    ),
    "own weights": (
        "bins = { age = 4 }",
        'weights = "weight"',
        "scenario 'employer': weights says",
        "for all scenarios",
    ),
    "own missing values": (
        "bins = { age = 4 }",
        "column.age.missing = [-8]",
        "scenario 'employer': column.age.missing says how values",
        "for all scenarios",
    ),
    "own labels": (
        "bins = { age = 4 }",
        'column.sex.codes = "labels"',
        "scenario 'employer': column.sex.codes says how values",
        "for all scenarios",
    ),
    "no table": (
        "[scenario.employer]",
        "[scenario]\nemployer = 1\n[scenario.other]",
        "a table with a name",
        "",
    ),
    "unnamed": ("[scenario.neighbour]", "[[scenario]]", "a table with a name", ""),
    "a shared problem": (
        'targets = ["ill", "income"]',
        'targets = ["ill", "income"]\nconfidence = 2',
        "confidence: expected",
        "",
    ),
}


@pytest.mark.parametrize("name", few(list(WRONG)))
def test_a_problem_is_said_with_whose_it_is(folder: Path, name: str) -> None:
    before, after, *said = WRONG[name]
    file = folder / "scenarios.toml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after, 1))
    message = fails("score", "--scenario", "scenarios.toml", folder=folder)
    for words in said:
        assert words in message
    if name == "a shared problem":
        assert "scenario '" not in message


ASKED: dict[str, dict[str, Any]] = {
    "scored": {"populations": ["special"], "work_limit": 1},
    "compared with nobody": {"confidence": 0.9},
}


@pytest.mark.parametrize("name", few(list(ASKED), 2))
def test_an_error_of_one_scenario_has_its_name(name: str) -> None:
    scenarios = {"fine": {"keys": ["sex"]}, "other": {"keys": ["sex", "town"], **ASKED[name]}}
    with pytest.raises(sqlrisk.InputError, match=r"^scenario 'other': ") as caught:
        sqlrisk.score_all(scenarios, ORIGINAL, SYNTHETIC[0], targets=["ill"])
    assert len(caught.value.problems) == 1


def test_an_error_of_the_database_has_the_name_of_the_scenario(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cause = RuntimeError("full")

    def full(*_: object, **__: object) -> None:
        raise sqlrisk.EngineError("The disk is full.", cause)

    monkeypatch.setattr(scoring, "measure", full)
    with pytest.raises(
        sqlrisk.EngineError, match=r"^scenario 'one': The disk is full\.$"
    ) as caught:
        sqlrisk.score_all({"one": {"keys": ["sex"]}}, ORIGINAL, SYNTHETIC[0])
    assert caught.value.cause is cause


@pytest.mark.slow
def test_a_note_says_whose_it_is(folder: Path) -> None:
    lone = ORIGINAL.set_column(3, "town", pa.array([f"place {row % 9}" for row in range(400)]))
    pq.write_table(lone, folder / "syn.parquet")
    _, _, err = command("score", "--scenario", "scenarios.toml", folder=folder)
    assert re.search(r"^(Doubtful|Not assessable): neighbour: ", err, re.MULTILINE)


@pytest.mark.slow
def test_every_record_is_looked_at_if_any_scenario_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assessment, "ALL_LOOKED_AT", 100)
    monkeypatch.setattr(assessment, "LOOKED_AT", 100)
    scenarios = {"one": {"keys": ["sex"]}, "two": {"keys": ["town"], "every_record": True}}
    files = {"original": ORIGINAL, "synthetic": ORIGINAL, "control": CONTROL}
    asked = {"targets": ["ill"], "measures": ["repU", "membership"]}
    for report in sqlrisk.score_all(scenarios, **files, **asked).values():
        assert [row["looked_at"] for row in [*report.copies, *report.membership]] == [1] * 4
        assert "(400 rows, 7 columns)" in str(report.assessment)
    del scenarios["two"]
    (report,) = sqlrisk.score_all(scenarios, **files, **asked).values()
    assert [row["looked_at"] for row in report.copies] == [0.25, 0.25]
    assert "among the 1 in 4 rows that were compared" in str(report.assessment)


@pytest.mark.slow
def test_files_that_are_given_replace_those_of_the_scenario_file(folder: Path) -> None:
    scenarios, files = folder / "scenarios.toml", (SYNTHETIC[1], ORIGINAL)
    for name, report in sqlrisk.score_all(scenarios, *files, control=CONTROL).items():
        alone = sqlrisk.score(*files, control=CONTROL, scenario=f"{scenarios}#{name}")
        assert agree(report.results, alone.results)
        assert report.original["records"] == SYNTHETIC[1].num_rows


@pytest.mark.slow
def test_a_file_of_one_scenario_is_no_file_of_several(folder: Path) -> None:
    (folder / "one.toml").write_text('keys = ["sex"]\n')
    with pytest.raises(sqlrisk.InputError, match=r"\[scenario\.NAME\]"):
        sqlrisk.score_all(str(folder / "one.toml"), ORIGINAL, SYNTHETIC)
    with pytest.raises(sqlrisk.InputError, match="holds one scenario"):
        sqlrisk.score(ORIGINAL, SYNTHETIC, scenario=f"{folder / 'one.toml'}#x")


@pytest.mark.slow
def test_reports_are_frames(folder: Path) -> None:
    reports = sqlrisk.score_all(str(folder / "scenarios.toml"))
    frame = reports.to_pandas()
    assert list(frame.columns[:2]) == ["scenario", "measure"]
    assert isinstance(reports.to_polars(), pl.DataFrame)
    assert reports.to_polars()["scenario"].unique(maintain_order=True).to_list() == [
        "neighbour",
        "employer",
    ]
    reports.to_parquet(folder / "all.parquet")
    assert (
        pq.read_table(folder / "all.parquet").num_rows
        == len(frame)
        == sum(len(each.results) for each in reports.values())
    )
