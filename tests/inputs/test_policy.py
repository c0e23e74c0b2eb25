"""Policies: what a rule may say, what numbers come to by it, and that no rule seems to be met by
judging nothing.
"""

import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import forks
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few, some

import sqlrisk
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.judging import judge
from sqlrisk.inputs.policy import BESIDE, NUMBERS, PLACE, read_policy
from sqlrisk.report.results.verdicts import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
POLICIES = sorted((ROOT / "data" / "policies").glob("*.toml"))
GUIDE = ROOT / "sqlrisk" / "guide"

ORIGINAL = {
    "sex": ["F", "F", "F", "M", "M", "M", "M", "F"],
    "age": [30, 30, 40, 30, 40, 40, 50, 50],
    "income": ["hi", "hi", "lo", "lo", "hi", "lo", None, "lo"],
    "job": ["a", "a", "a", "b", "b", "b", "a", "b"],
}
SYNTHETIC = {
    "sex": ["F", "F", "M", "M", "M", "F"],
    "age": [30, 40, 30, 40, 40, 60],
    "income": ["hi", "lo", "hi", "hi", "hi", "lo"],
    "job": ["a", "b", "b", "b", "b", "a"],
}
# By hand, income: DiSCO is F30 hi (2 people), F40 lo (1), M40 hi (1): 4 of 8. job: F30 a (2), M30 b
# (1), M40 b (2): 5 of 8.
# Unique on both sides are F40 and M30: repU is 2 of 8.


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with orig.parquet, syn.parquet, syn2.parquet (the original itself) and other.parquet
    (people of control).
    """
    for name, table in (
        ("orig", ORIGINAL),
        ("syn", SYNTHETIC),
        ("syn2", ORIGINAL),
        ("other", SYNTHETIC),
    ):
        pq.write_table(pa.table(table), tmp_path / f"{name}.parquet")
    return tmp_path


def policy_of(folder: Path, *tables: str, head: str = 'name = "ours"') -> Path:
    """A policy file of some rules, each the text of a table; ``reason`` is added where it is
    missing.
    """
    path = folder / "policy.toml"
    given = (text if "reason" in text else f'{text}\nreason = "we say so"' for text in tables)
    path.write_text("\n".join([head, *(f"[[rule]]\n{text}" for text in given)]), encoding="utf-8")
    return path


def accepted(*codes: str) -> str:
    """The head of a policy that knows that its files are hardly synthetic."""
    return 'name = "ours"\n' + "".join(
        f'[[accept]]\ncode = "{code}"\ntext = "a test"\n' for code in codes
    )


def rule(text: str, **more: str) -> str:
    return "\n".join(
        [f"rule = {json.dumps(text)}", *(f"{name} = {value}" for name, value in more.items())]
    )


def scored(folder: Path, *synthetic: str, **settings: Any) -> sqlrisk.Report:
    names = synthetic or ("syn.parquet",)
    settings = {"keys": "sex,age", "targets": "income,job", **settings}
    return sqlrisk.score(
        str(folder / "orig.parquet"), [str(folder / name) for name in names], **settings
    )


@cache
def plain() -> sqlrisk.Report:
    """The report that no policy has judged yet."""
    return sqlrisk.score(
        pa.table(ORIGINAL), pa.table(SYNTHETIC), keys="sex,age", targets="income,job"
    )


@cache
def left_out() -> sqlrisk.Report:
    """The report of those who are left over by LEFT_OUT."""
    return sqlrisk.score(pa.table(ORIGINAL), pa.table(SYNTHETIC), keys="sex,age", **LEFT_OUT)


def verdicts(report: sqlrisk.Report) -> list[dict[str, Any]]:
    held: Any = report.policy["verdicts"]
    return list(held)


def of_numbers(report: sqlrisk.Report) -> list[dict[str, Any]]:
    """What the numbers come to, without the reasons of the assessment."""
    return [row for row in verdicts(report) if row["measure"] is not None]


def command(folder: Path, *arguments: str | Path, **environment: str) -> tuple[int, str, str]:
    done = forks.run(*arguments, cwd=folder, env={**os.environ, "COLUMNS": "80", **environment})
    return done.returncode, done.stdout, done.stderr


SCORE = ["score", "orig.parquet", "syn.parquet", "--keys", "sex,age", "--targets", "income,job"]


# ---- what a rule may say
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left", "operator", "right", "target"),
    [
        ("DiSCO <= 5", ("DiSCO", (), False), "<=", 5, None),
        ("DiSCO:it's {% income %}<=0.5", ("DiSCO", (), False), "<=", 0.5, "it's {% income %}"),
        ("DiSCO : a<=b > 5", ("DiSCO", (), False), ">", 5, "a<=b"),
        (" CAP_at_least[0.9] : x y < 5 ", ("CAP_at_least", (0.9,), False), "<", 5, "x y"),
        ("class_size[1, 2,3] <= 0", ("class_size", (1, 2, 3), False), "<=", 0, None),
        ("TCAP_scaled >= -3.5", ("TCAP_scaled", (), False), ">=", -3.5, None),
        ("DiSCO <= baseCAPd", ("DiSCO", (), False), "<=", ("baseCAPd", (), False), None),
        ("UiO-repU >= repU", ("UiO-repU", (), False), ">=", ("repU", (), False), None),
        ("control_adjusted(DiSCO) <= 0.02", ("DiSCO", (), True), "<=", 0.02, None),
        ("DCAP <= 12.3400000000000012", ("DCAP", (), False), "<=", 12.3400000000000012, None),
        (
            "control_adjusted( CAP_at_least[0.9] ):t <= control_adjusted(DCAP)",
            ("CAP_at_least", (0.9,), True), "<=", ("DCAP", (), True), "t",
        ),
    ],
)  # fmt: skip
def test_a_rule_is_read(
    text: str, left: Any, operator: str, right: Any, target: str | None
) -> None:
    found = policy_rules.read(text, "rule")
    wanted = policy_rules.Term(*right) if isinstance(right, tuple) else right
    assert (found.left, found.operator, found.right, found.target) == (
        policy_rules.Term(*left),
        operator,
        wanted,
        target,
    )
    assert found.text == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    ["", "DiSCO", "<= 5", "DiSCO <=", "DiSCO = 5", "DiSCO == 5", "DiSCO <> 5", "DiSCO <= 1e5",
        "DiSCO <= 5 %", "DiSCO <= .5",
     "DiSCO[x] <= 1", "DiSCO[] <= 1", "DiSCO <= CAP_at_least[0.5,0.9]",
     "control_adjusted(DiSCO <= 5", "adjusted(DiSCO) <= 5",
     "DiSCO <= 5, repU <= 1", "5 >= DiSCO"],
)  # fmt: skip
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(sqlrisk.InputError, match="cannot read the rule"):
        policy_rules.read(text, "rule")


@pytest.mark.parametrize(
    ("operator", "below", "equal", "above"),
    [
        ("<=", True, True, False),
        ("<", True, False, False),
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_numbers_that_differ_by_rounding_are_equal(
    operator: str, below: bool, equal: bool, above: bool
) -> None:
    found = policy_rules.read(f"DCAP {operator} 30", "rule")
    assert [found.holds(value, 30) for value in (29.99, 30, 30.01)] == [below, equal, above]
    assert [found.holds(value, 30) for value in (30 - 1e-11, 30 + 1e-11, 0.1 + 0.2 + 29.7)] == [
        equal
    ] * 3
    assert found.holds(1e-13, 0) is equal


# ---- what numbers come to
# --------------------------------------------------------------------------------------------


def test_a_policy_judges_every_number_of_the_people(files: Path) -> None:
    path = policy_of(files, rule("DiSCO <= 50"), rule("repU <= 25.0"))
    with pytest.raises(sqlrisk.PolicyError) as failed:
        scored(files, policy=path)
    report = failed.value.report
    assert report.policy["verdict"] == "fail"
    assert [
        (row["rule"], row["target"], row["value"], row["limit"], row["verdict"])
        for row in verdicts(report)
    ] == [
        ("DiSCO <= 50", "income", 50.0, 50, "pass"),
        ("DiSCO <= 50", "job", 62.5, 50, "fail"),
        ("repU <= 25.0", None, 25.0, 25.0, "pass"),
    ]
    assert str(failed.value) == (
        "The policy 'ours' is not met: 1 of 3 numbers fails: DiSCO <= 50 (job, synthesis 1: 62.50)."
    )
    assert list(report.to_dict())[-1] == "policy"
    assert report.to_dict()["policy"] == report.policy
    assert {name: report.policy[name] for name in ("name", "about", "source")} == {
        "name": "ours",
        "about": "",
        "source": "",
    }
    wanted = {"rule", "verdict", *PLACE, *NUMBERS, "reason", "exception"}
    assert all(row.keys() == wanted for row in verdicts(report))
    assert "policy" not in plain().to_dict()


@pytest.mark.slow
def test_summaries_and_pools_are_judged_too(files: Path) -> None:
    head = accepted("copy_of_original")
    policy = policy_of(files, rule("DiSCO <= 100", targets='["job"]'), head=head)
    report = scored(files, "syn.parquet", "syn2.parquet", policy=policy)
    assert [row["synthesis"] for row in of_numbers(report)] == [
        "1",
        "2",
        "mean",
        "min",
        "max",
        "pooled 1-2",
    ]
    policy = policy_of(files, rule("DiSCO:job <= 100", syntheses='["max"]'), head=head)
    report = scored(files, "syn.parquet", "syn2.parquet", policy=policy)
    assert [(row["target"], row["synthesis"]) for row in of_numbers(report)] == [("job", "max")]


def test_a_rule_may_hold_a_measure_against_another(files: Path) -> None:
    report = scored(files, policy=policy_of(files, rule("DiSCO <= Dorig"), rule("DCAP <= CAPd")))
    limits = {(row["measure"], row["target"]): row["value"] for row in report.results}
    for row in verdicts(report):
        other = {"DiSCO": "Dorig", "DCAP": "CAPd"}[row["measure"]]
        assert row["limit"] == limits[other, row["target"]]
        assert row["verdict"] == ("pass" if row["value"] <= row["limit"] else "fail")


def test_an_original_that_is_its_own_synthesis_meets_equalities_of_sums(files: Path) -> None:
    """DCAP and CAPd are then the same sum, by two ways."""
    policy = policy_of(
        files, rule("DCAP <= CAPd"), rule("DCAP >= CAPd"), head=accepted("copy_of_original")
    )
    report = scored(files, "syn2.parquet", policy=policy)
    assert report.policy["verdict"] == "pass"


@pytest.mark.slow
def test_points_are_judged_each_or_as_named(files: Path) -> None:
    every = scored(files, policy=policy_of(files, rule("CAP_at_least:job <= 100")))
    points = [row["at"] for row in every["CAP_at_least"].rows if row["target"] == "job"]
    assert [row["at"] for row in verdicts(every)] == points
    assert len(points) > 2
    one = scored(
        files,
        policy=policy_of(
            files,
            rule("CAP_at_least[0.5]:job <= 100"),
            rule("CAP_at_least[0.9]:job <= CAP_at_least[0.5]"),
        ),
    )
    assert [row["at"] for row in verdicts(one)] == [0.5, 0.9]
    (half,) = [
        row["value"]
        for row in one["CAP_at_least"].rows
        if row["target"] == "job" and row["at"] == 0.5
    ]
    assert verdicts(one)[1]["limit"] == half
    same = scored(files, policy=policy_of(files, rule("CAP_at_least <= CAP_at_least")))
    assert all(row["value"] == row["limit"] for row in verdicts(same))


def test_the_risk_adjusted_by_control(files: Path) -> None:
    """A proportion: (r - c) / (1 - c) of the shares."""
    control = str(files / "other.parquet")
    report = scored(
        files, control=control, policy=policy_of(files, rule("control_adjusted(DiSCO) <= 1.0"))
    )
    found: list[Any] = report["DiSCO"].rows
    rows = [row for row in found if row["people"] == "adjusted"]
    assert [(row["value"], row["people"]) for row in verdicts(report)] == [
        (row["value"], "adjusted") for row in rows
    ]
    shares: dict[str, list[Any]] = {
        people: [row["numerator"] / row["denominator"] for row in found if row["people"] == people]
        for people in ("original", "control")
    }
    for value, r, c in zip(
        [row["value"] for row in rows], shares["original"], shares["control"], strict=True
    ):
        assert value is None if c == 1 else value == pytest.approx((r - c) / (1 - c))


def test_populations_and_weights(files: Path) -> None:
    table = pa.table({**ORIGINAL, "w": [1.0, 2, 3, 1, 1, 1, 1, 1]})
    pq.write_table(table, files / "orig.parquet")
    path = policy_of(files, rule("DiSCO:job <= 100", populations='["women"]'))
    report = scored(files, policy=path, population={"women": "sex = F"}, weights="w")
    assert [(row["population"], row["weighted"]) for row in verdicts(report)] == [
        ("women", False),
        ("women", True),
    ]


def test_a_number_that_is_not_defined_is_for_review(files: Path) -> None:
    pq.write_table(pa.table({**SYNTHETIC, "age": [1, 2, 3, 4, 5, 6]}), files / "syn.parquet")
    head = accepted("no_matches", "no_level_in_common")
    report = scored(
        files,
        policy=policy_of(files, rule("DCAP_matched <= 1"), rule("iS <= DCAP_matched"), head=head),
    )
    assert {(row["verdict"], row["value"], row["limit"]) for row in of_numbers(report)} == {
        ("review", None, 1),
        ("review", 0.0, None),
    }
    assert report.policy["verdict"] == "review"
    assert "4 are not defined, so somebody has to review them" in " ".join(report.to_text().split())


def test_an_exception_and_a_verdict_of_review(files: Path) -> None:
    path = policy_of(
        files,
        rule(
            "DiSCO <= 1",
            exception='{ text = "jobs are public", by = "data board", targets = ["job"] }',
        ),
        rule("repU <= 1", verdict='"review"'),
        rule("UiO <= 100", exception='{ text = "not needed" }'),
    )
    report = sqlrisk.check(plain(), path)
    assert [
        (row["measure"], row["target"], row["verdict"], row["exception"])
        for row in verdicts(report)
    ] == [
        ("DiSCO", "income", "fail", None),
        ("DiSCO", "job", "review", "jobs are public (data board)"),
        ("repU", None, "review", None),
        ("UiO", None, "pass", None),
    ]
    passes = policy_of(
        files,
        rule("DiSCO <= 1", exception='{ text = "a pilot" }'),
        rule("repU <= 1", verdict='"review"'),
    )
    assert sqlrisk.check(plain(), passes).require().policy["verdict"] == "review"


# ---- no rule seems to be met by judging nothing
# -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "said"),
    few([
        (rule("DiSC <= 5"), r"no measure .*'DiSC' \(did you mean 'DiSCO'"),
        (rule("DiSCO <= baseCAP"), r"'baseCAP' \(did you mean 'baseCAPd'"),
        (rule("DiSCO:incme <= 5"), r"'incme'.*\(did you mean 'income'"),
        (rule("DiSCO <= 5", targets='["income", "jobs"]'), r"'jobs'.*\(did you mean 'job'"),
        (rule("DiSCO <= 5", populations='["women"]'),
            "populations: no number has 'women'; there are all"),
        (rule("DiSCO <= 5", syntheses='["2"]'),
            "syntheses: no number has '2'; there are 1"),
        (rule("repU <= 5", targets='["income"]'), "targets: no number has 'income'"),
        (rule("control_adjusted(DiSCO) <= 5"),
            "no DiSCO adjusted by control; .*--control or --split"),
        (rule("CAP_at_least[0.55] <= 5"), "CAP_at_least is not computed at 0.55, but at 0.5, 0.6"),
        (rule("DiSCO[1] <= 5"), "DiSCO is not computed at 1, nor at any other point"),
        (rule("DiSCO <= repU"), "repU has no number for the same target"),
        (rule("DiSCO <= CAP_at_least"), "give its point"),
        (rule("DiSCO <= 5", exception='{ text = "x", targets = ["jbo"] }'),
            r"exception, targets: .*'jbo'.*did you mean 'job'"),
        (rule("DCAP_scaled <= 5", targets='["income"]', populations='["none"]'),
            "populations: no number has 'none'"),
    ]),
)  # fmt: skip
def test_a_rule_about_no_number_is_an_error(files: Path, table: str, said: str) -> None:
    path = policy_of(files, rule("UiO <= 100"), table)
    with pytest.raises(sqlrisk.InputError, match=said):
        scored(files, policy=path)
    with pytest.raises(sqlrisk.InputError, match=said.replace("no measure .*", "")):
        sqlrisk.check(plain(), path)


def test_every_problem_of_a_policy_is_said_at_once(tmp_path: Path) -> None:
    """With its place, near names, and what was given; braces in the name of the file are no place
    to fill in.
    """
    path = tmp_path / "{p}.toml"
    path.write_text(
        """nam = "x"
about = 1
[[rule]]
rule = "DiSCO is low"
reasons = "y"
targets = "a"
verdict = "reveiw"
exclusions = "whit"
exception = { tex = "z", by = 2 }
[[rule]]
rule = 5
reason = " "
exception = "why"
[[accept]]
code = "levels_aprt"
text = "x"
""",
        encoding="utf-8",
    )
    with pytest.raises(sqlrisk.InputError) as refused:
        read_policy(path)
    who = f"The policy {str(path)!r}: "
    assert all(each.startswith(who) for each in refused.value.problems)
    told = [each.removeprefix(who) for each in refused.value.problems]
    cannot = next(each for each in told if "cannot read" in each)
    assert cannot.startswith("rule 1: cannot read the rule 'DiSCO is low'; write MEASURE")
    scope = "targets, populations, syntheses."
    known = (
        "there are rule, reason, targets, populations, syntheses, verdict, exclusions, exception"
    )
    accepted = next(each for each in told if "levels_aprt" in each)
    assert accepted.startswith(
        "accept 1: there is no reason 'levels_aprt' (did you mean 'levels_apart'"
    )
    assert [each for each in told if each not in (cannot, accepted)] == [
        "name is missing.",
        (
            "there is no setting 'nam' (did you mean 'name'?); there are name, about, source, "
            "rule, accept."
        ),
        "about must be a text; got 1.",
        "rule 1: reason is missing.",
        f"rule 1: there is no setting 'reasons' (did you mean 'reason'?); {known}.",
        "rule 1: targets must be a list of names; got 'a'.",
        (
            "rule 1: verdict must be fail or review (the verdict if the rule is not met); got "
            "'reveiw' (did you mean 'review'?)."
        ),
        (
            "rule 1: exclusions must be with, without or both (which numbers the rule judges); got "
            "'whit' (did you mean 'with'?)."
        ),
        "rule 1: exception: text is missing.",
        "rule 1: exception: there is no setting 'tex' (did you mean 'text'?); there are text, by, "
        + scope,
        "rule 1: exception: by must be a text; got 2.",
        "rule 2: rule must be a text; got 5.",
        "rule 2: reason must be a text; got ' '.",
        'rule 2: exception: it must be a table: exception = { text = "why" }.',
    ]


def test_targets_and_populations_may_miss_each_other(files: Path) -> None:
    held: Any = [
        {"measure": "DiSCO", "at": None, "target": target, "synthesis": "1",
            "population": population, "people": "original",
         "weighted": False, "value": 1.0, "unit": "percent of original records"}
        for target, population in (("a", "x"), ("b", "y"))
    ]  # fmt: skip
    policy = read_policy(policy_of(files, rule("DiSCO <= 5", targets='["a"]', populations='["y"]')))
    with pytest.raises(
        sqlrisk.InputError,
        match="no number has one of these targets, populations and syntheses at once",
    ):
        judge(policy, held)


def test_a_message_shows_no_level_of_the_data(files: Path) -> None:
    """The names of populations by a column hold its levels."""
    path = policy_of(files, rule("DiSCO <= 5", populations='["sex=f"]'))
    with pytest.raises(sqlrisk.InputError) as refused:
        scored(files, policy=path, by="sex")
    assert "'sex=f'" in str(refused.value)
    assert "sex=F" not in str(refused.value)
    path = policy_of(files, rule("DiSCO <= 0", populations='["sex=F"]'))
    with pytest.raises(sqlrisk.PolicyError) as failed:
        scored(files, policy=path, by="sex")
    assert "sex=F" not in str(failed.value)


def test_measures_that_a_policy_reads_are_added(files: Path) -> None:
    path = policy_of(files, rule("class_size[1] <= 100"), rule("DiSCO <= iS"))
    report = scored(files, measures="repU", policy=path)
    assert list(dict.fromkeys(row["measure"] for row in report.results)) == [
        "repU",
        "iS",
        "DiSCO",
        "class_size",
    ]
    assert report.scenario["measures"] == ["repU", "class_size", "DiSCO", "iS"]
    with pytest.raises(sqlrisk.InputError, match="population_risk needs weights: name the column"):
        scored(files, policy=policy_of(files, rule("population_risk <= 9")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "name is missing"),
        ('name = "x"', "there are no rules"),
        ('name = "x"\nrule = "DiSCO <= 5"', "there are no rules"),
        ('name = "x"\n[[rule]]\nrule = "DiSCO <= 5"', "rule 1: reason is missing"),
        ('name = "x"\n[[rule]]\nreason = "y"', "rule 1: rule is missing"),
        ('name = "x"\n[[rule]]\nrule = 5\nreason = "y"', "rule 1: rule must be a text"),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO is low"\nreason = "y"',
            "rule 1: cannot read the rule 'DiSCO is low'",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\ntarget = ["a"]',
            r"'target' \(did you mean 'targets'\?\)",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\ntargets = "a"',
            "targets must be a list of names",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\ntargets = []',
            "targets must be a list of names",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO:a <= 5"\nreason = "y"\ntargets = ["a"]',
            "names its target already",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\nverdict = "pass"',
            "verdict must be fail or review",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\nexception = "z"',
            "exception: it must be a table",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\nexception = {}',
            "exception: text is missing",
        ),
        (
            'name = "x"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "y"\nexception = { txt = "z" }',
            "did you mean 'text'",
        ),
        ("name = ", "is not TOML"),
    ],
)
def test_a_policy_that_cannot_be_read_says_why(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=said) as refused:
        read_policy(path)
    assert all(repr(str(path)) in problem for problem in refused.value.problems)


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    path = policy_of(tmp_path, rule("DiSCO"), rule("repU <= 1", verdict='"no"'), head="")
    with pytest.raises(sqlrisk.InputError) as refused:
        read_policy(path)
    assert len(refused.value.problems) == 3
    with pytest.raises(sqlrisk.InputError, match="cannot be read: No such file"):
        read_policy(tmp_path / "none.toml")


# ---- what the assessment says of the files
# ---------------------------------------------------------------------------

COPY = {"code": "copy_of_original", "text": "syn.parquet is a copy of orig.parquet."}
FOREIGN = {"code": "levels_apart", "text": "job of syn.parquet has no level of orig.parquet."}


def assessed(report: sqlrisk.Report, **states: tuple[str, list[dict[str, str]]]) -> sqlrisk.Report:
    """The report with an assessment: ``file`` and targets by name; what is not named is
    assessable.
    """
    rows = [{"synthesis": "1", "target": target} for target in (None, "income", "job")]
    found = [(row, *states.get(row["target"] or "file", ("assessable", []))) for row in rows]
    return replace(
        report,
        assessment=[{**row, "state": state, "reasons": reasons} for row, state, reasons in found],
    )


@pytest.mark.parametrize(
    ("states", "limit", "verdict"),
    [
        ({}, 100, "pass"),
        ({"job": ("doubtful", [FOREIGN])}, 100, "review"),
        ({"job": ("doubtful", [FOREIGN])}, 1, "fail"),
        ({"job": ("not assessable", [FOREIGN])}, 100, "not assessable"),
        ({"file": ("not assessable", [COPY])}, 1, "not assessable"),
        ({"file": ("not assessable", [])}, 100, "not assessable"),
        (
            {"file": ("doubtful", [COPY]), "job": ("not assessable", [FOREIGN])},
            100,
            "not assessable",
        ),
    ],
)
def test_a_verdict_is_at_best_what_the_assessment_lets_it_be(
    files: Path, states: Any, limit: int, verdict: str
) -> None:
    judged = sqlrisk.check(assessed(plain(), **states), policy_of(files, rule(f"DiSCO <= {limit}")))
    assert judged.policy["verdict"] == judged.verdicts().verdict == verdict
    numbers = [row for row in verdicts(judged) if row["measure"] is not None]
    # a number is within its limit or not
    assert [row["verdict"] for row in numbers] == ["pass" if limit == 100 else "fail"] * 2
    if verdict in ("fail", "not assessable"):
        with pytest.raises(sqlrisk.PolicyError):
            judged.require()
    else:
        assert judged.require() is judged


@pytest.mark.slow
def test_reasons_are_verdicts_of_a_rule_that_no_policy_writes(files: Path) -> None:
    states = {"file": ("not assessable", [COPY, FOREIGN]), "job": ("doubtful", [FOREIGN])}
    judged = sqlrisk.check(assessed(plain(), **states), policy_of(files, rule("DiSCO <= 100")))
    told = [row for row in verdicts(judged) if row["measure"] is None]
    assert [
        (row["rule"], row["target"], row["synthesis"], row["verdict"], row["reason"])
        for row in told
    ] == [
        ("assessable: copy_of_original", None, "1", "not assessable", COPY["text"]),
        ("assessable: levels_apart", None, "1", "not assessable", FOREIGN["text"]),
        ("assessable: levels_apart", "job", "1", "review", FOREIGN["text"]),
    ]
    assert all(row.keys() == set(COLUMNS) for row in told)
    with pytest.raises(sqlrisk.PolicyError) as failed:
        judged.require()
    assert str(failed.value) == (
        "The policy 'ours' is not met, as this cannot be assessed: syn.parquet is a copy of "
        "orig.parquet (assessable: "
        "copy_of_original); job of syn.parquet has no level of orig.parquet (assessable: "
        "levels_apart)."
    )
    text = " ".join(judged.verdicts().to_text().split())
    assert (
        "Not assessable: these numbers have no meaning. Numbers judged: 2; pass 2, "
        "review 0, fail 0."
    ) in text
    assert "are not defined" not in text
    for form in (
        judged.to_markdown(),
        judged.to_html(),
        judged.verdicts().to_csv(),
        judged.to_json(),
    ):
        assert COPY["text"] in form.replace("\\", "")
    assert 'class="verdict not assessable"' in judged.to_html()


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ("", "pass"),
        ('targets = ["job"]\nsyntheses = ["1"]', "pass"),
        ('targets = ["income"]', "not assessable"),
    ],
)
def test_a_policy_may_accept_a_reason(files: Path, more: str, verdict: str) -> None:
    report = assessed(plain(), job=("not assessable", [FOREIGN]))
    accept = (
        '\n[[accept]]\ncode = "levels_apart"\ntext = "jobs were coded anew"\nby = "data '
        f'board"\n{more}'
    )
    judged = sqlrisk.check(
        report, policy_of(files, rule("DiSCO <= 100"), head=f'name = "ours"{accept}')
    )
    first, *_ = verdicts(judged)
    assert (judged.policy["verdict"], first["verdict"]) == (verdict, verdict)
    assert first["exception"] == (
        "jobs were coded anew (data board)" if verdict == "pass" else None
    )
    assert ("Excepted:" in judged.to_text()) is (verdict == "pass")


def test_of_two_reasons_both_have_to_be_accepted(files: Path) -> None:
    accept = '\n[[accept]]\ncode = "levels_apart"\ntext = "jobs were coded anew"'
    report = assessed(plain(), job=("doubtful", [FOREIGN, COPY]))
    judged = sqlrisk.check(
        report, policy_of(files, rule("DiSCO <= 100"), head=f'name = "ours"{accept}')
    )
    assert [row["verdict"] for row in verdicts(judged)] == ["pass", "review", "pass", "pass"]


@pytest.mark.parametrize(
    ("accept", "said"),
    [
        ('code = "levels_apart"', "accept 1: text is missing"),
        ('text = "x"', "accept 1: code is missing"),
        ('code = "Other levels"\ntext = "x"', "accept 1: there is no reason 'Other levels'"),
        (
            'code = "levels_apart"\ntext = "x"\nreason = "y"',
            "accept 1: there is no setting 'reason'",
        ),
        (
            'code = "levels_apart"\ntext = "x"\npopulations = ["all"]',
            "accept 1: there is no setting 'populations'",
        ),
        ('code = "levels_apart"\ntext = "x"\ntargets = ["jbo"]', "'jbo' \\(did you mean 'job'"),
    ],
)
def test_what_is_accepted_is_checked(files: Path, accept: str, said: str) -> None:
    path = policy_of(files, rule("DiSCO <= 100"), head=f'name = "ours"\n[[accept]]\n{accept}')
    with pytest.raises(sqlrisk.InputError, match=said):
        sqlrisk.check(assessed(plain()), path)
    path = policy_of(files, rule("DiSCO <= 100"), head='name = "ours"\naccept = "all"')
    with pytest.raises(sqlrisk.InputError, match=r"write what it accepts as tables \[\[accept\]\]"):
        read_policy(path)


@pytest.mark.slow
def test_the_assessment_is_in_json_manifest_and_the_saved_result(files: Path) -> None:
    plain().to_json(files / "old.json")
    old: Any = json.loads((files / "old.json").read_text(encoding="utf-8"))
    del old["assessment"]
    (files / "old.json").write_text(json.dumps(old), encoding="utf-8")
    assert sqlrisk.read_report(files / "old.json").assessment == []
    report = assessed(plain(), file=("not assessable", [COPY]))
    assert report.manifest()["assessment"] == report.assessment == report.to_dict()["assessment"]
    report.to_json(files / "risk.json")
    assert sqlrisk.read_report(files / "risk.json").assessment == report.assessment
    policy_of(files, rule("DiSCO <= 100"))
    code, out, err = command(files, "check", "risk.json", "--policy", "policy.toml")
    assert (
        code,
        err.startswith("sqlrisk: The policy 'ours' is not met, as this cannot be assessed: "),
    ) == (1, True)
    assert re.search(r"^Not assessable: ", out, re.MULTILINE)
    for wrong in (
        "x",
        {"synthesis": 1},
        {"reasons": ["x"]},
        {"state": "fine"},
        {"reasons": [{"code": 1, "text": "x"}]},
    ):
        document = report.to_dict()
        document["assessment"] = [
            wrong if isinstance(wrong, str) else {**report.assessment[0], **wrong}
        ]
        (files / "x.json").write_text(json.dumps(document), encoding="utf-8")
        with pytest.raises(sqlrisk.InputError, match="is not a result of"):
            sqlrisk.read_report(files / "x.json")


def test_the_external_page_names_no_typed_level_in_a_reason(files: Path) -> None:
    report = scored(files, exclude_level={"job": ["a"]})
    told = {"code": "levels_apart", "text": "the level a of job"}
    judged = sqlrisk.check(
        assessed(report, job=("doubtful", [told])), policy_of(files, rule("DiSCO <= 100"))
    )
    page = judged.to_html(level="external")
    assert "A column has few levels in common, or none, or they are written differently." in page
    assert "the level a of job" not in page


# ---- exclusions
# --------------------------------------------------------------------------------------------------

# By hand, job: DiSCO is 5 of 8 people. Without the 4 of 8 who have job b, it is F30 a: 2 of 8.
# baseCAPd is (16 + 16) / 64, of those who are counted 16 / 64.
LEFT_OUT: dict[str, Any] = {"targets": "job", "exclude_level": {"job": ["b"]}}


@pytest.mark.parametrize(
    ("text", "exclusions", "verdict", "limits"),
    [
        ("DiSCO <= 50", None, "fail", (50, 50)),
        ("DiSCO <= 50", "both", "fail", (50, 50)),
        ("DiSCO <= 50", "with", "pass", (50, 50)),
        ("DiSCO <= 50", "without", "fail", (50, 50)),
        ("DiSCO <= 70", None, "pass", (70, 70)),
        ("DiSCO >= 50", "with", "fail", (50, 50)),
        ("DiSCO >= 50", "without", "pass", (50, 50)),
        ("DiSCO <= baseCAPd", "with", "pass", (25.0, 50.0)),
        ("DiSCO <= baseCAPd", "without", "fail", (25.0, 50.0)),
        ("DiSCO < baseCAPd", "with", "fail", (25.0, 50.0)),
    ],
)
def test_a_rule_is_about_the_numbers_with_exclusions_and_without(
    files: Path, text: str, exclusions: str | None, verdict: str, limits: Any
) -> None:
    more = {} if exclusions is None else {"exclusions": json.dumps(exclusions)}
    report = sqlrisk.check(left_out(), policy_of(files, rule(text, **more)))
    (row,) = verdicts(report)
    assert row["verdict"] == report.policy["verdict"] == verdict
    assert (row["value"], row["value_without_exclusions"], row["excluded"]) == (25.0, 62.5, 50.0)
    assert (row["limit"], row["limit_without_exclusions"]) == limits
    assert row["judges"] == (exclusions or "both")
    text = " ".join(report.to_text().split())
    assert "Up to 50.00 % of the people are not counted" in text
    assert re.search(rf"{verdict} {re.escape(row['rule'])} job 25\.00 [0-9.]+ 50\.00 62\.50", text)


@pytest.mark.parametrize(
    ("text", "exclusions", "margin"),
    [
        ("DiSCO <= 70", "both", "7.50 without exclusions"),
        ("DiSCO <= 70", "with", "45.00"),
        ("DiSCO <= 60", "with", "35.00"),
        ("DiSCO >= 20", "without", "42.50 without exclusions"),
        ("DiSCO >= 30", "without", "32.50 without exclusions"),
    ],
)
def test_what_is_nearest_to_its_limit_is_a_number_that_the_rule_judges(
    files: Path, text: str, exclusions: str, margin: str
) -> None:
    given = rule(text, exclusions=json.dumps(exclusions))
    found = sqlrisk.check(left_out(), policy_of(files, given))
    assert found.verdicts().success == (
        f"Policy met, 1 of 1; nearest to its limit: {text} (job, synthesis 1: 25.00; 62.50 "
        f"without exclusions, margin {margin})."
    )


def test_a_policy_bounds_who_may_be_left_out(files: Path) -> None:
    path = policy_of(files, rule("excluded <= 10"), rule("excluded_identity <= 10"))
    report = sqlrisk.check(left_out(), path)
    assert [
        (row["measure"], row["target"], row["value"], row["verdict"]) for row in verdicts(report)
    ] == [
        ("excluded", "job", 50.0, "fail"),
        ("excluded_identity", None, 0.0, "pass"),
    ]
    with pytest.raises(
        sqlrisk.PolicyError,
        match=r"1 of 2 numbers fails: excluded <= 10 \(job, synthesis 1: 50.00; 0.00 without",
    ):
        report.require()
    saved = sqlrisk.check(plain(), path)  # which nobody asked for the share
    assert [
        (row["measure"], row["target"], row["value"], row["verdict"]) for row in verdicts(saved)
    ] == [
        ("excluded", "income", 0, "pass"),
        ("excluded", "job", 0, "pass"),
        ("excluded_identity", None, 0, "pass"),
    ]
    one = sqlrisk.check(plain(), policy_of(files, rule("excluded:job < 0")))
    assert {(row["target"], row["verdict"]) for row in verdicts(one)} == {("job", "fail")}
    path = policy_of(files, rule("excluded <= 10"), rule("excluded_identity <= 10"))
    every = scored(files, policy=path)  # where nobody is left out the bound is met
    assert [row["value"] for row in verdicts(every)] == [0.0, 0.0, 0.0]
    assert {row[name] for row in verdicts(every) for name in (*BESIDE, "judges")} == {None}


def test_exclusions_leave_nobody_out_of_copies_and_utility(files: Path) -> None:
    asked: dict[str, Any] = {"measures": "DiSCO,copied_people", "utility": "sex,job"}
    given = policy_of(files, *map(rule, ("DiSCO < 99", "copied_people < 99", "S_pMSE < 999")))
    report = scored(files, **LEFT_OUT, **asked, policy=given)
    assert [(row["measure"], row["excluded"], row["judges"]) for row in verdicts(report)] == [
        ("DiSCO", 50.0, "both"),
        ("copied_people", None, "with"),
        ("worst(S_pMSE)", None, "with"),
        ("worst(S_pMSE)", None, "with"),
    ]


@pytest.mark.slow
def test_populations_weights_and_summaries_have_their_own_numbers_beside_them(files: Path) -> None:
    table = pa.table({**ORIGINAL, "w": [1.0, 2, 3, 1, 1, 1, 1, 1]})
    pq.write_table(table, files / "orig.parquet")
    pq.write_table(pa.table({**SYNTHETIC, "w": [1.0] * 6}), files / "other.parquet")
    settings: dict[str, Any] = {
        "population": {"women": "sex = F"},
        "weights": "w",
        "control": str(files / "other.parquet"),
    }
    report = scored(files, "syn.parquet", "syn2.parquet", **LEFT_OUT, **settings)
    judged = sqlrisk.check(
        report, policy_of(files, rule("DiSCO <= 100"), rule("control_adjusted(DiSCO) <= 1"))
    )
    beside = {tuple(row[name] for name in PLACE): row["value"] for row in report.without_exclusions}
    left: dict[Any, Any] = {
        tuple(row[name] for name in ("synthesis", "population", "weighted")): row["value"]
        for row in report["excluded"].rows
        if row["people"] == "original"
    }
    numbers = of_numbers(judged)
    assert len(numbers) == 6 * 4 + 3 * 4
    for row in numbers:
        assert row["value_without_exclusions"] == beside[tuple(row[name] for name in PLACE)]
        assert row["excluded"] == left[row["synthesis"], row["population"], row["weighted"]]
    assert len({row["excluded"] for row in numbers}) > 2


@pytest.mark.parametrize("exclusions", ["both", "without"])
def test_a_measure_of_exclusions_has_no_number_without_them(files: Path, exclusions: str) -> None:
    given = rule("R_known_DiSCO <= 1", exclusions=json.dumps(exclusions))
    (row,) = verdicts(scored(files, **LEFT_OUT, policy=policy_of(files, given)))
    assert (row["verdict"], row["value_without_exclusions"], row["judges"]) == (
        "pass",
        None,
        "with",
    )


def test_an_older_result_that_does_not_tell_is_for_review(files: Path) -> None:
    report = replace(left_out(), without_exclusions=[])
    assert (
        sqlrisk.check(report, policy_of(files, rule("DiSCO <= 100"))).policy["verdict"] == "review"
    )
    assert (
        sqlrisk.check(report, policy_of(files, rule("DiSCO <= 100", exclusions='"with"'))).policy[
            "verdict"
        ]
        == "pass"
    )
    with pytest.raises(sqlrisk.InputError, match="exclusions must be with, without or both"):
        read_policy(policy_of(files, rule("DiSCO <= 100", exclusions='"none"')))


# ---- the command line
# ------------------------------------------------------------------------------------------------


def test_a_failed_rule_is_exit_status_1_and_all_is_written(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 50"))
    code, out, err = command(files, *SCORE, "--policy", "policy.toml", "-o", "risk.json")
    assert (code, out) == (1, "")
    assert err == (
        "Written: risk.json, risk.json.manifest.json.\n"
        "sqlrisk: The policy 'ours' is not met: 1 of 2 numbers fails: DiSCO <= 50 (job, "
        "synthesis 1: 62.50).\n"
    )
    written = json.loads((files / "risk.json").read_text(encoding="utf-8"))
    assert written["policy"]["verdict"] == "fail"
    assert (files / "risk.json.manifest.json").exists()
    code, out, err = command(files, *SCORE, "--policy", "policy.toml", "--verbose")
    assert code == 1
    assert re.search(r"^Policy: ours ─+$", out, re.MULTILINE)
    assert re.search(r"^  fail +DiSCO <= 50 +job +62\.50 +50\.00$", out, re.MULTILINE)
    code, out, err = command(
        files, "check", "risk.json", "--policy", "policy.toml", "--format", "json"
    )
    assert code == 1
    assert json.loads(out) == {
        "sqlrisk": written["sqlrisk"],
        "schema": 1,
        "policy": written["policy"],
    }
    policy_of(files, rule("DiSCO <= 50", verdict='"review"'))
    assert command(files, "check", "risk.json", "--policy", "policy.toml")[0] == 0
    assert command(files, *SCORE, "--policy", "policy.toml", "-q")[0] == 0


def test_each_rule_has_its_worst_number_and_the_margin_also_where_it_is_met(files: Path) -> None:
    """By hand, above: DiSCO is 50 of income and 62.5 of job, repU 25; Dorig of income is 75, of all
    but the two of M40.
    """
    rules = (
        "DiSCO <= 60",
        "DiSCO >= 40",
        "repU <= 25",
        "DiSCO:job <= 62.503",
        "DiSCO:income < Dorig",
    )
    text = sqlrisk.check(plain(), policy_of(files, *map(rule, rules))).verdicts().to_text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[lines.index("verdict rule target worst limit margin met") + 2 :][:5] == [
        "fail DiSCO <= 60 job 62.50 60.00 -2.50 1 of 2",
        "pass DiSCO >= 40 income 50.00 40.00 10.00 2 of 2",
        "pass repU <= 25 – 25.00 25.00 0.00 1 of 1",
        "pass DiSCO:job <= 62.503 job 62.50 62.503 0.003 1 of 1",
        "pass DiSCO:income < Dorig income 50.00 75.00 25.00 1 of 1",
    ]


def test_a_risk_adjusted_by_control_is_in_percent_as_in_the_tables(files: Path) -> None:
    """Of income: of people 4 of 8, of control M40 hi alone, 1 of 4; (1/2 - 1/4) / (3/4)
    is a third.
    """
    control = {
        "sex": ["F", "F", "M", "M"],
        "age": [30, 40, 40, 40],
        "income": ["lo", "hi", "hi", "lo"],
        "job": ["a"] * 4,
    }
    rules = [
        rule("control_adjusted(DiSCO):income <= 0.00125"),
        rule("control_adjusted(DiSCO):income <= 0.5"),
    ]
    report = sqlrisk.score(
        pa.table(ORIGINAL),
        pa.table(SYNTHETIC),
        keys="sex,age",
        targets="income",
        control=pa.table(control),
    )
    text = " ".join(
        sqlrisk.check(report, policy_of(files, *rules)).verdicts().to_text(width=160).split()
    )
    assert "fail control_adjusted(DiSCO):income <= 0.00125 income 33.33 0.125 -33.21 0 of 1" in text
    assert "pass control_adjusted(DiSCO):income <= 0.5 income 33.33 50.00 16.67 1 of 1" in text
    assert "are in percent" in text


@pytest.mark.slow
def test_of_whom_a_number_is_stands_in_one_column_and_why_it_is_for_review(files: Path) -> None:
    policy = policy_of(
        files,
        rule("DiSCO <= 50", exception='{ text = "all of this is public" }'),
        rule("CAP_at_least[0.9] <= 100"),
        head=accepted("copy_of_original"),
    )
    report = scored(
        files, "syn.parquet", "syn2.parquet", policy=policy, population={"women": "sex = F"}
    )
    text = " ".join(report.verdicts().to_text(width=160).split())
    assert "review DiSCO <= 50 job, synthesis 2 100.00 50.00 6 excepted" in text
    # Of the copy: the income of each class of women is one.
    assert (
        "pass CAP_at_least[0.9] <= 100 at 0.9, income, synthesis 2, women 100.00 100.00 0.00"
        in text
    )


def test_what_is_met_and_written_is_said_when_it_is_done(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 70"), rule("repU <= 1", verdict='"review"'))
    said = (
        "Policy met, 2 of 3; 1 for review; furthest beyond its limit: repU <= 1 (synthesis 1: "
        "25.00, margin -24.00). Written:"
    )
    done = command(files, *SCORE, "--policy", "policy.toml", "-o", "risk.json", "-o", "risk.csv")
    assert done == (0, "", f"{said} risk.json, risk.csv, risk.json.manifest.json.\n")
    assert command(files, *SCORE, "--policy", "policy.toml", "-o", "risk.json", "-q") == (0, "", "")
    assert command(files, "check", "risk.json", "--policy", "policy.toml", "-o", "v.csv") == (
        0,
        "",
        f"{said} v.csv.\n",
    )
    assert command(files, "check", "risk.json", "--policy", "policy.toml")[2] == ""


def test_a_policy_that_only_exact_numbers_fail_is_not_said_to_be_met(files: Path) -> None:
    for name, table in (("orig", ORIGINAL), ("syn", SYNTHETIC)):
        many = pa.table({column: 20 * levels for column, levels in table.items()})
        pq.write_table(many, files / f"{name}.parquet")
    policy_of(files, rule("DiSCO:job <= 62"))
    asked = (*SCORE, "--policy", "policy.toml", "--report", "external", "-o", "risk.json")
    code, _, err = command(files, *asked)
    published = json.loads((files / "risk.json").read_text())["policy"]
    assert (code, published["verdict"]) == (1, "review")
    assert "Policy met" not in err
    assert "not met: 1 of 1 numbers fails: DiSCO:job <= 62 (job, synthesis 1: 62.50)" in err


def test_a_policy_that_judges_nothing_is_exit_status_2_and_nothing_is_written(files: Path) -> None:
    policy_of(files, rule("DiSC <= 50"))
    before = sorted(files.iterdir())
    code, out, err = command(files, *SCORE, "--policy", "policy.toml", "-o", "risk.json")
    assert (code, out) == (2, "")
    assert "did you mean 'DiSCO'" in err
    assert sorted(files.iterdir()) == before
    code, _, err = command(files, *SCORE, "--policy", "policy.toml", "-o", "policy.toml")
    assert code == 2
    assert command(files, *SCORE, "--policy", "policy.toml", "--layout", "raab")[0] == 2


@pytest.mark.parametrize("suffix", some([".json"], [".txt", ".csv", ".md", ".parquet", ".json"]))
def test_check_writes_every_format(files: Path, suffix: str) -> None:
    policy_of(files, rule("DiSCO <= 100"), rule("CAP_at_least[0.9] <= 100"))
    plain().to_json(files / "risk.json")
    said = (
        "Policy met, 4 of 4; nearest to its limit: DiSCO <= 100 (job, synthesis 1: 62.50, margin "
        f"37.50). Written: v{suffix}.\n"
    )
    assert command(files, "check", "risk.json", "--policy", "policy.toml", "-o", f"v{suffix}") == (
        0,
        "",
        said,
    )
    if suffix == ".parquet":
        assert tuple(pq.read_table(files / "v.parquet").column_names) == COLUMNS
        assert pq.read_table(files / "v.parquet")["verdict"].to_pylist() == ["pass"] * 4
    else:
        assert "DiSCO <= 100" in (files / f"v{suffix}").read_text(encoding="utf-8").replace(
            "&lt;", "<"
        ).replace("\\<", "<")
    assert (
        command(files, "check", "risk.json", "--policy", "policy.toml", "-o", "policy.toml")[0] == 2
    )
    assert (
        command(files, "check", "risk.json", "--policy", "policy.toml", "-o", "risk.json")[0] == 2
    )


def test_colour_is_of_verdicts_alone_and_can_be_left_out(files: Path) -> None:
    path = policy_of(
        files, rule("DiSCO <= 50"), rule("repU <= 1", verdict='"review"'), rule("UiO <= 100")
    )
    judged = sqlrisk.check(plain(), path).verdicts()
    coloured = judged.to_text(colour=True)
    for verdict, code in (("pass", "32"), ("review", "33"), ("fail", "1;31")):
        assert re.search(rf"\x1b\[{code}m{verdict} *\x1b\[0m", coloured)
    assert "\x1b" not in judged.to_text()
    assert not re.search(r"\x1b\[(1;)?3[0-9]m", plain().to_text(colour=True))


@pytest.mark.slow
def test_a_report_read_back_is_the_report(files: Path) -> None:
    settings: dict[str, Any] = {
        "control": str(files / "other.parquet"), "distributions": True, "trend": True,
        "exclude_level": {"job": ["a"]},
    }  # fmt: skip
    report = sqlrisk.check(
        scored(files, "syn.parquet", "syn2.parquet", **settings),
        policy_of(files, rule("UiO <= 100")),
    )
    report.to_json(files / "risk.json")
    again = sqlrisk.read_report(files / "risk.json")
    assert again.to_dict() == report.to_dict()
    assert again.to_text() == report.to_text()
    assert again["DiSCO"].sql == report["DiSCO"].sql
    for refused in (again.manifest, lambda: again.cells("DiSCO")):
        with pytest.raises(sqlrisk.InputError, match="not made by a run"):
            refused()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sqlrisk": "1"}', "\x00", "[" * 100_000])
def test_what_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=r"is not JSON|is not a result of"):
        sqlrisk.read_report(tmp_path / "x.json")
    with pytest.raises(sqlrisk.InputError, match="cannot be read: No such file"):
        sqlrisk.read_report(tmp_path / "none.json")


def test_a_result_with_a_text_for_a_number_is_refused(files: Path) -> None:
    document: Any = plain().to_dict()
    document["results"][0]["value"] = "5"
    (files / "x.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match="is not a result of"):
        sqlrisk.read_report(files / "x.json")


@pytest.mark.parametrize("schema", [{}, {"schema": 1}, {"schema": 2}])
def test_a_result_of_a_newer_form_is_refused(files: Path, schema: dict[str, int]) -> None:
    document = {
        name: value for name, value in plain().to_dict().items() if name != "schema"
    } | schema
    (files / "x.json").write_text(json.dumps(document | {"sqlrisk": "9.1"}), encoding="utf-8")
    if schema == {"schema": 2}:
        with pytest.raises(
            sqlrisk.InputError,
            match=r"'.*x\.json' has a newer form \(schema 2\): read it by sqlrisk 9\.1\.",
        ):
            sqlrisk.read_report(files / "x.json")
    else:
        assert sqlrisk.read_report(files / "x.json").results == plain().results


# ---- the examples
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_an_example_policy_is_marked_and_cited(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    policy = read_policy(path)
    assert text.startswith("# EXAMPLE.")
    assert policy.name.startswith("Example: ")
    assert policy.source
    assert "synthetic" in policy.about
    assert all(clause.verdict == "review" for clause in policy.clauses)


@pytest.mark.slow
def test_three_examples_judge_class_sizes(tmp_path: Path) -> None:
    """Everybody alone: no class is large enough. Everybody alike: each is. The synthetic file, a
    copy, is no matter.
    """
    assert len(POLICIES) == 3
    head = accepted("copy_of_original").removeprefix('name = "ours"')
    for count, verdict in ((1, "review"), (12, "pass")):
        people = pa.table({"k": [str(number // count) for number in range(24)], "t": ["x"] * 24})
        for path in POLICIES:
            (least,) = {int(p) for clause in read_policy(path).clauses for p in clause.rule.left.at}
            sizes = [1, least] if least != 10 else None
            policy = tmp_path / path.name
            policy.write_text(path.read_text(encoding="utf-8") + head, encoding="utf-8")
            report = sqlrisk.score(
                people, people, keys="k", targets="t", class_sizes=sizes, policy=policy
            )
            assert report.policy["verdict"] == verdict, path.name
            if least != 10:  # with sizes that do not show it, nothing seems to be met
                with pytest.raises(
                    sqlrisk.InputError, match=f"class_size is not computed at {least}"
                ):
                    sqlrisk.score(people, people, keys="k", targets="t", policy=path)


@pytest.mark.slow
def test_four_kinds_of_rules_on_the_census(tmp_path: Path) -> None:
    census = ROOT / "data" / "census"
    texts = ("DiSCO <= 5", "repU <= 1", "DiSCO <= baseCAPd", "control_adjusted(DiSCO) <= 0.02")
    with pytest.raises(sqlrisk.PolicyError) as failed:
        sqlrisk.score(
            census / "original.parquet", census / "cart_1.parquet",
            control=census / "control.parquet",
            keys=["age", "sex", "race"], targets=["income", "country_birth"],
            population={"old": "age >= 80"},
            policy=policy_of(tmp_path, *(rule(text) for text in texts)),
        )  # fmt: skip
    report = failed.value.report
    values = {
        tuple(row[name] for name in ("measure", "target", "population", "people")): row["value"]
        for row in report.results if row["at"] is None
    }  # fmt: skip
    found = verdicts(report)
    # three rules on two targets and two populations, one on two populations
    assert len(found) == 3 * 4 + 2
    for row in found:
        text = row["rule"]
        where = (row["target"], row["population"])
        people = "adjusted" if "control" in text else "original"
        measure = "repU" if "repU" in text else "DiSCO"
        limit = (
            values["baseCAPd", *where, "original"]
            if "base" in text
            else float(text.rpartition(" ")[2])
        )
        assert (row["value"], row["limit"]) == (values[measure, *where, people], limit)
        assert row["verdict"] == ("pass" if row["value"] <= limit else "fail")
    assert {(row["rule"], row["verdict"]) for row in found} >= {
        (texts[0], "fail"),
        (texts[1], "pass"),
        (texts[2], "pass"),
    }
