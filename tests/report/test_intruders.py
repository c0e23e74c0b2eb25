"""Several scenarios on one page: a row for each intruder, the worst findings of all, and a chapter
each.
"""

from dataclasses import replace
from typing import Any

import pytest

import sqlrisk
from sqlrisk.inputs.policy import Clause, Exemption, Policy, Scope, for_each
from sqlrisk.inputs.policy_rules import read
from sqlrisk.report.html.figures import of
from tests.report.test_decision import CHECKS, revealed, told
from tests.report.test_figures import rows_of
from tests.report.test_report import report, row

# The neighbour finds most people, and for them the most of income; of illness the employer, who
# also guesses better.
NEIGHBOUR: list[dict[str, Any]] = [
    row("repU", 2.5, 25, 1000),
    *revealed("income", 40.0),
    *revealed("ill", 10.0),
    row("DCAP", 50.0, 500, 1000, target="income"),
    row("DCAP", 60.0, 600, 1000, target="ill"),
]
EMPLOYER = [
    row("repU", 1.25, 12, 1000),
    *revealed("income", 20.0),
    *revealed("ill", 30.0),
    row("DCAP", 70.0, 700, 1000, target="income"),
]
ROWS = {"neighbour": NEIGHBOUR, "employer": EMPLOYER}
KEYS = {"neighbour": ["sex", "town"], "employer": ["sex", "age", "job"]}


def reports(**more: dict[str, Any]) -> sqlrisk.Reports:
    """The reports of both; ``more`` is what each has besides."""
    return sqlrisk.Reports(
        {
            name: report(ROWS[name], scenario={"keys": KEYS[name]}, **more.get(name, {}))
            for name in ROWS
        }
    )


def words(page: str) -> str:
    return " ".join(page.split())


def test_page_one_has_a_row_for_each_intruder_with_the_worst_of_all_targets() -> None:
    page = reports().to_text(brief=True, width=100)
    rows = [
        line.split()
        for line in page.splitlines()
        if line.split()[:1] in (["neighbour"], ["employer"])
    ]
    assert rows[:2] == [
        ["neighbour", "2.50", "40.00", "income", "60.00", "ill", "3"],
        ["employer", "1.25", "30.00", "ill", "70.00", "income", "3"],
    ]
    assert "neighbour knows sex and town employer knows sex, age and job" in words(page)
    assert len(reports().to_text(brief=True).splitlines()) <= 40


def test_a_screen_ends_with_the_tables_that_an_intruder_asked_for() -> None:
    made = reports()
    scenario = {"keys": KEYS["neighbour"], "measures": ["repU", "DiSCO"]}
    asked = replace(made["neighbour"], scenario=scenario)
    page = replace(made, reports={**made.reports, "neighbour": asked}).to_text(brief=True)
    before, after = page.split("Intruder neighbour\n")
    assert made.to_text(brief=True).startswith(before)
    assert "\n  repU " in after
    assert "Intruder employer" not in page


def test_the_worst_finding_of_all_intruders_is_said_with_whose_it_is() -> None:
    page = words(reports().to_text(brief=True))
    assert "• neighbour. Income: Of 1,000 people, 400 (40.00 %) would have income revealed" in page
    assert "300 (30.00 %)" not in page  # what the employer finds is in the chapter of the employer
    better = reports()
    better = sqlrisk.Reports(
        {**better, "neighbour": replace(better["neighbour"], results=NEIGHBOUR[:1])}
    )
    assert "• employer. Ill: Of 1,000 people, 300 (30.00 %)" in words(better.to_text(brief=True))


def test_the_three_worst_findings_of_all_intruders_are_on_the_page() -> None:
    """Each subject is there once, from the intruder who finds most. Only a finding of the same
    intruder and measure is said in short, since others know other columns.
    """
    front, _, _ = words(reports().to_text()).partition("Reservations")
    _, _, worries = front.partition("What worries us most")
    said = "Of 1,000 people, {} would have {} revealed, correctly, by someone who knows {}"
    first, second, third = worries.split(" • ")[1:]
    assert first.startswith(
        f"neighbour. Income: {said.format('400 (40.00 %)', 'income', 'sex and town')}"
    )
    assert second.startswith(
        f"employer. Ill: {said.format('300 (30.00 %)', 'ill', 'sex, age and job')}"
    )
    assert third.startswith("neighbour. Who could be singled out: Of 1,000 people, 25 (2.50 %)")
    alone = {**reports(), "employer": replace(reports()["employer"], results=EMPLOYER[:1])}
    assert "• neighbour. Ill: 100 of 1,000 people (10.00 %)." in words(
        sqlrisk.Reports(alone).to_text()
    )


def test_the_release_is_that_of_any_scenario_and_says_whose_it_is_if_they_differ() -> None:
    every = {**reports(), "third": reports()["employer"]}
    said = {
        "neighbour": {},
        "employer": {"purpose": "Teaching", "logo": "data:image/png;base64,AA=="},
        "third": {"purpose": "Science", "organisation": "The bureau"},
    }
    made = sqlrisk.Reports(
        {
            name: replace(each, scenario={**each.scenario, "release": said[name]})
            for name, each in every.items()
        }
    )
    page = words(made.to_text(width=200))
    for text in (
        "Released by The bureau",
        "Purpose (employer) Teaching",
        "Purpose (third) Science",
    ):
        assert text in page
    assert "Not stated: “data set”, “version”, “reference”, “recipients”, “type of release”" in page
    assert "Not stated" not in words(made.to_text(brief=True, width=200))
    html = made.to_html()
    assert '<img class="logo" src="data:image/png;base64,AA==" alt="The bureau">' in html


def test_whether_the_files_can_be_judged_is_that_of_the_worst_who_is_named() -> None:
    doubted = reports(
        neighbour={"assessment": told("assessable", [])},
        employer={"assessment": told("doubtful", ["Few."])},
    )
    page = doubted.to_text(brief=True)
    assert "Hardly: the numbers may say less than they seem to (for employer)." in words(page)
    both = {"assessment": told("doubtful", ["Few."])}
    page = words(reports(neighbour=both, employer=both).to_text(brief=True))
    assert "Hardly: the numbers may say less than they seem to. The policy" in page
    assert "• Few." in page


def test_what_is_said_against_the_numbers_of_all_stands_once_and_the_rest_has_a_name() -> None:
    flagged = reports(employer={"checks": CHECKS})
    page = words(flagged.to_text())
    first = page[: page.index("Intruder neighbour")]
    assert first.count("Not measured: whether two sources can be joined") == 1
    assert "• employer: Nearly all people revealed have one level" in first
    assert "• employer: One of these columns nearly determines some levels of income" in first
    brief = words(flagged.to_text(brief=True))
    assert "• And 2 of employer: see their chapters." in brief
    assert "Nearly all" not in brief


def test_who_is_left_out_has_a_column_where_somebody_is() -> None:
    assert "left" not in reports().to_text(brief=True)
    out = row("excluded", 12.5, 125, 1000, target="income")
    some = sqlrisk.Reports(
        {**reports(), "employer": report([*EMPLOYER, out], scenario={"keys": KEYS["employer"]})}
    )
    lines = [line.split() for line in some.to_text(brief=True, width=120).splitlines()]
    assert ["neighbour", "2.50", "40.00", "income", "60.00", "ill", "–", "3"] in lines
    assert ["employer", "1.25", "30.00", "ill", "70.00", "income", "12.50", "income", "3"] in lines


def test_the_words_under_the_table_are_about_its_columns() -> None:
    page = words(reports().to_text(brief=True))
    assert "for certain, whose target a guess gets right. More is in" in page
    no_guess = sqlrisk.Reports(
        {
            name: replace(each, results=[r for r in each.results if r["measure"] != "DCAP"])
            for name, each in reports().items()
        }
    )
    page = words(no_guess.to_text(brief=True))
    assert "who seem to be found, of whom a target is revealed for certain. More is in" in page


def test_the_figure_of_page_one_says_whose_it_is() -> None:
    both = {
        name: [*rows, row("Dorig", 50.0, 500, 1000, target="income")] for name, rows in ROWS.items()
    }
    scenarios = {name: {"keys": keys, "targets": ["income", "ill"]} for name, keys in KEYS.items()}
    page = sqlrisk.Reports(
        {name: report(rows, scenario=scenarios[name]) for name, rows in both.items()}
    ).to_html()
    assert (
        page.count("<strong>For how many people it is revealed, rightly and for certain</strong>")
        == 2
    )  # each chapter has its own
    assert (
        page.count(
            "<strong>Intruder neighbour: for how many people it is revealed, rightly and for "
            "certain</strong>"
        )
        == 1
    )


def test_a_picture_has_a_row_for_each_intruder_and_a_mark_for_each_target() -> None:
    drawn = {
        figure.title: sorted(
            (line["who"], line["file"], line["value"]) for line in rows_of(figure.chart)
        )
        for figure in of("several", reports(), "intruders")
    }
    # the highest of its files: as the row of page one, but for each target
    assert drawn == {
        "Revealed (DiSCO)": [
            ("employer", "ill", 30.0),
            ("employer", "income", 20.0),
            ("neighbour", "ill", 10.0),
            ("neighbour", "income", 40.0),
        ],
        "Guessed right (DCAP)": [
            ("employer", "income", 70.0),
            ("neighbour", "ill", 60.0),
            ("neighbour", "income", 50.0),
        ],
        "Singled out (repU)": [("employer", "", 1.25), ("neighbour", "", 2.5)],
    }
    words = reports().plot().to_dict()["description"]
    assert (
        "Singled out (repU). Highest: neighbour, 2.50 %. neighbour: 2.50 %; employer: 1.25 %."
        in words
    )
    assert "neighbour income: 40.00 %" in reports().to_svg()
    assert reports().to_png(figure="intruders").startswith(b"\x89PNG\r\n")


def test_a_picture_of_many_targets_has_the_worst_and_one_of_a_policy_the_rules() -> None:
    many = {
        name: report(
            [row("DiSCO", share, 10, 1000, target=f"t{share:g}") for share in shares],
            scenario={"keys": KEYS[name]},
        )
        for name, shares in {"neighbour": [1.0, 2.0, 3.0], "employer": [4.0, 5.0, 6.0]}.items()
    }
    (figure,) = of("several", sqlrisk.Reports(many), "intruders")
    assert [line["file"] for line in rows_of(figure.chart)] == ["t6", "t5", "t4", "t3", "t2"]
    assert figure.caption.startswith("The 5 worst targets.")
    alone = sqlrisk.Reports({"employer": report(EMPLOYER[-1:], scenario={"keys": ["sex"]})})
    assert next(iter(of("several", alone, "intruders"))).title == "Guessed right (DCAP): income"
    with pytest.raises(sqlrisk.InputError, match="no rows for the figure 'policy': it needs a"):
        reports().plot("policy")
    policy = Policy("Board", (Clause(read("DiSCO:income <= 30", "rule"), "Why."),))
    (figure,) = of("several", reports().judged(policy), "policy")
    assert "DiSCO:income <= 30: 40.00 of 30.00, fail" in figure.words


def test_each_chapter_is_the_report_of_its_scenario() -> None:
    made = reports()
    page, chapters = made.to_markdown(), ("# Intruder neighbour\n", "# Intruder employer\n")
    assert all(page.count(chapter) == 1 for chapter in chapters)
    for name, chapter in zip(made, chapters, strict=True):
        alone = made[name].to_markdown().partition("\n")[2]
        assert alone.strip() in page[page.index(chapter) :]


def test_a_policy_has_a_column_and_judges_by_the_worst() -> None:
    policy = Policy("Board", (Clause(read("DiSCO:income <= 30", "rule"), "Why."),))
    made = reports().judged(policy)
    lines = [line.split() for line in made.to_text(brief=True, width=120).splitlines()]
    assert ["neighbour", "2.50", "40.00", "income", "60.00", "ill", "fail", "3"] in lines
    assert ["employer", "1.25", "30.00", "ill", "70.00", "income", "pass", "3"] in lines
    assert (
        "The policy Board: not met, so it does not allow the release. Of 2 numbers judged: 1 pass, "
        "0 for review, 1 fail."
    ) in words(made.to_text())
    decides = (
        "Furthest beyond its limit: neighbour, income: 40.00 % (limit 30.00 %, margin -10.00)."
    )
    assert decides in words(made.to_text())
    assert len(made.to_text(brief=True).splitlines()) <= 40
    rows = [row[:3] for row in made.verdicts().rows]
    assert rows == [
        ("neighbour", "DiSCO:income <= 30", "fail"),
        ("employer", "DiSCO:income <= 30", "pass"),
    ]
    document: Any = made.to_dict()
    assert document["policy"] == {"name": "Board", "about": "", "source": "", "verdict": "fail"}
    assert [each["policy"]["verdict"] for each in document["scenarios"]] == ["fail", "pass"]
    with pytest.raises(
        sqlrisk.PolicyError,
        match=r"1 of 2 numbers fails: DiSCO:income <= 30 \(neighbour, income, synthesis 1",
    ):
        made.require()


def test_a_rule_without_a_target_judges_a_report_without_measures_of_identity() -> None:
    policy = Policy(
        "Board",
        tuple(Clause(read(text, "rule"), "Why.") for text in ("DiSCO <= 0", "DiSCO:income <= 100")),
    )
    one, other = reports().values()
    judged = sqlrisk.Reports({"one": one, "other": replace(other, results=EMPLOYER[1:])}).judged(
        policy
    )
    assert {row[:3] for row in judged.verdicts().rows} == {
        (name, rule, verdict)
        for name in ("one", "other")
        for rule, verdict in (("DiSCO <= 0", "fail"), ("DiSCO:income <= 100", "pass"))
    }


def test_a_rule_judges_the_reports_that_have_its_targets() -> None:
    excepted = Exemption("Known.", scope=Scope(targets=("b",)))
    clauses = (
        Clause(read("DiSCO <= 5", "rule"), "All."),
        Clause(read("DiSCO:b <= 5", "rule"), "b."),
        Clause(
            read("DiSCO <= 5", "rule"),
            "a and b.",
            scope=Scope(targets=("a", "b")),
            exception=excepted,
        ),
    )
    policy = Policy("Board", clauses, accepted=(("exchanged", excepted),))
    found = for_each(policy, {"one": ["a"], "both": ["a", "b"]})
    assert found["both"] == policy
    assert [
        (clause.reason, clause.scope.targets, clause.exception) for clause in found["one"].clauses
    ] == [
        ("All.", (), None),
        ("a and b.", ("a",), None),
    ]
    assert found["one"].accepted == ()
