"""Page one: what it says, in which order, and that it needs neither a symbol nor an option to be
understood.
"""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from quickly import few

import sqlrisk
from sqlrisk.catalogue.measures import catalog
from sqlrisk.catalogue.reasons import reasons
from sqlrisk.cli import terminal
from sqlrisk.inputs.fields import SETTINGS
from sqlrisk.inputs.policy import VERDICTS
from sqlrisk.inputs.settings import RATIOS
from sqlrisk.report.blocks import Grid, Items, Paragraph
from sqlrisk.report.decision import intruders, sentences
from sqlrisk.report.decision.glance import IN_WORDS, in_words
from sqlrisk.report.decision.intruders import Board
from sqlrisk.report.decision.page_one import TOLD, decide_on, page_one, worries
from sqlrisk.report.decision.page_one import findings as every_finding
from sqlrisk.report.formats.text import text
from sqlrisk.report.html import decision_figures
from sqlrisk.report.html.look import Figure
from sqlrisk.report.html.page import _run_of, _sections
from sqlrisk.report.listing import worth
from sqlrisk.report.report import Report
from sqlrisk.report.results.verdicts import Verdicts
from sqlrisk.report.section import in_text
from sqlrisk.report.sections.criteria import criteria
from sqlrisk.report.sections.meaning import SYMBOLS
from tests.report.test_figures import rows_of
from tests.report.test_report import ONE, SEVERAL, TEXTS, UNITS, report, row

PNG = bytes.fromhex("89504e470d0a1a0a")  # how such a file begins


def said(made: Report) -> str:
    """Page one as one line of text."""
    return " ".join(text([*in_text(page_one(decide_on(made)))], width=400).split())


def revealed(
    target: str, percent: float, baseline: float = 0.0, **more: Any
) -> list[dict[str, Any]]:
    """What is revealed of a target, of 1,000 people, and how often a guess from its shares is
    right.
    """
    return [
        row("DiSCO", percent, round(10 * percent), 1000, target=target, **more),
        row("baseCAPd_counted", baseline, 1, 1000, target=target, **more),
    ]


def judged(verdict: str, target: str) -> dict[str, Any]:
    about = {
        "measure": "DiSCO",
        "at": None,
        "target": target,
        "synthesis": "1",
        "population": "all",
        "people": "original",
    }
    numbers = {"weighted": False, "value": 1.0, "limit": 5.0, "unit": UNITS["DiSCO"]}
    rule = {"rule": "DiSCO <= 5", "verdict": verdict, "reason": "Why.", "exception": None}
    return {
        "name": "Board",
        "about": "",
        "source": "",
        "verdict": verdict,
        "verdicts": [about | numbers | rule],
    }


def told(state: str, words: list[str]) -> list[dict[str, Any]]:
    found = [{"code": str(place), "text": each} for place, each in enumerate(words)]
    return [{"synthesis": "1", "target": None, "state": state, "reasons": found}]


ONE_WAY = {
    "target": "income",
    "synthesis": "1",
    "Level": "low",
    "All": 8,
    "PctLevelAll": 50.0,
    "totalDisclosive": 60,
}
CHECKS: dict[str, list[dict[str, Any]]] = {
    "one_way": [ONE_WAY | {"nLevelDis": 58, "PctLevelDis": 96.6}],
    "two_way": [{"target": "income", "synthesis": "1"}],
}
ROUNDED = {
    "threshold": 10,
    "left_out": [],
    "attacked": 1,
    "whole": 1,
    "fractions": 0,
    "coarser": 0,
    "hidden": 0,
}
REASONS = [re.sub(r"\{\w+\}", "5", reason.says) for reason in reasons()]
NOT_TOLD = {"hidden": True, "value": None, "numerator": None, "denominator": None, "words": {}}
# what page one does without: names of measures, options and quantities
SYMBOLIC = {
    *(measure.name for measure in catalog() if not measure.name.islower() or "_" in measure.name),
    *(name for name in SETTINGS if "_" in name),
    *("tau", "d_tq", "s_q", "N_d"),
}
EVERY = [
    row(name, 12.5, 1, 8, target=None if name in ("repU", "UiO") else "income") for name in TEXTS
]


def symbols(words: str) -> set[str]:
    """Return the symbols, option names and placeholders in a text."""
    signs = r"\w*_\w+|[<>]=|[{}]|--|\bdelta\b(?!-)|\bat most [b-z]\b"
    return {*re.findall(signs, words)} | (SYMBOLIC & {*re.findall(r"\w+", words)})


@pytest.mark.parametrize(
    "made",
    [
        report(ONE),
        report(EVERY),
        report(SEVERAL),
        report(ONE, assessment=told("doubtful", REASONS[:3]), checks=CHECKS),
        *(report(ONE, assessment=told("not assessable", [each])) for each in REASONS),
        *(report(ONE, policy=judged(verdict, "income")) for verdict in VERDICTS),
        report(ONE, rounding=ROUNDED),
        report([each | NOT_TOLD for each in EVERY], rounding=ROUNDED),
        report(
            [row("linked", 12.5, 1, target="sex,age/income")],
            labels={"sex": "Sex at birth", "age": "Age"},
        ),
        report([]),
    ],
    ids=str,
)
def test_page_one_needs_no_symbol_and_no_option(made: Report) -> None:
    assert len(SYMBOLIC) > 100
    words = said(replace(made, scenario={**made.scenario, "link": ["sex,age/income"]}))
    assert "[" not in words
    words += " ".join(text([in_words(made, decide_on(made).targets)], width=400).split()) + IN_WORDS
    assert not symbols(words)


def test_no_measure_brings_a_symbol_to_page_one() -> None:
    """Each is asked for on its own, as a rule of a policy, and by several intruders."""
    found = {}
    for measure in catalog():
        failed = rule(5, 12.5, "fail", measure=measure.name, unit=measure.unit, scenario="boss")
        made = report(
            [row(measure.name, 12.5, 1, 8, target="income")],
            policy=judged("fail", "income") | {"verdicts": [failed]},
            texts={measure.name: measure.sql},
        )
        decision = decide_on(made)
        pair = [dict.fromkeys(("boss", "friend"), each) for each in (made, decision)]
        board = in_text(intruders.page_one(Board(pair[0], made.policy, pair[1])))
        parts = [*in_text(page_one(decision)), *board, every_finding(decision)]
        drawn = [*decision_figures.first(made, decision)]
        words = [text(parts, width=400), *(f"{each.title} {each.caption}" for each in drawn)]
        assert "not met" in decision.policy
        found[measure.name] = symbols(" ".join(words))
    assert {name: words for name, words in found.items() if words} == {}


def test_labels_stand_in_the_place_of_names() -> None:
    results = [*revealed("AHGA", 40.0), *revealed("marital_status", 30.0)]
    words = said(report(results, labels={"AHGA": "Education", "sex": "Sex at birth"}))
    assert "Education: Of 1,000 people, 400 (40.00 %) would have Education revealed" in words
    assert "Marital status: 300 of 1,000 people (30.00 %)." in words
    assert "who knows Sex at birth and age and holds only" in words
    assert "AHGA" not in words


def test_a_sentence_agrees_with_a_count_of_one() -> None:
    words = said(report([row("repU", 0.1, 1, 1000), *revealed("income", 0.1)]))
    assert "Of 1,000 people, 1 (0.10 %) is unique on sex and age in the original file, and" in words
    assert "Of 1,000 people, 1 (0.10 %) would have income revealed" in words
    assert "Of 1,000 people, 11 (1.10 %) are unique on" in said(
        report([row("repU", 1.1, 11, 1000)])
    )


def test_one_unique_is_special_and_two_are() -> None:
    def told(ages: list[int]) -> str:
        found = sqlrisk.uniques(
            pa.table({"sex": [1] * len(ages), "age": ages}), keys=["sex", "age"]
        )
        blocks = [*found._blocks(), *criteria(report(ONE), found)]
        return " ".join(
            text([each for each in blocks if not isinstance(each, Grid)], width=400).split()
        )

    one, two = told([1, 1, 2]), told([1, 2])
    assert "1 of 3 records (33.33 %) is unique on all keys" in one
    assert "(100.00 %) has a SUDA score" in one
    assert "Of 1 unique 1 is special (SUDA)" in one
    assert "2 of 2 records (100.00 %) are unique on all keys" in two
    assert "(100.00 %) have a SUDA score" in two
    assert "Of 2 uniques 2 are special (SUDA)" in two


def test_no_measure_says_a_plural_of_one() -> None:
    plural = r"people|records|groups|levels|cells|columns|rows|descriptions|members"
    verb = r"are|were|have|share|fit|differ"
    wrong = re.compile(
        rf"(?<!\d)1 (synthetic |fewer |different )?({plural})\b"
        rf"|\b1(\.00)?( [(][^)]+[)])? ({verb})\b|%[)] ({verb})\b"
        rf"|\b(person|record) (who )?({verb})\b"
    )
    said_of_one = {}
    for measure in catalog():
        of_one = row(measure.name, 1, 1, 1, target="income", at=1)
        said_of_one[measure.name] = sentences._said(measure.says, of_one, report([of_one]), "")
    assert {name: words for name, words in said_of_one.items() if wrong.search(words)} == {}


def test_who_is_left_out_is_said_in_words() -> None:
    left_out = {
        "exclude_level": {"AHGA": ["none"]},
        "exclude_missing": ["wage_per_hour"],
        "exclude_pair": [
            {"target": "AHGA", "target_level": "low", "key": "full_time", "key_level": "no"}
        ],
    }
    made = report(revealed("AHGA", 40.0), labels={"AHGA": "Education"})
    words = said(replace(made, scenario={**made.scenario, **left_out}))
    assert "Left out: Education is “none”; missing wage per hour; Education is “low” where" in words
    assert not re.search(r"\w_\w|AHGA", words)


def test_a_finding_is_short_only_right_below_one_of_the_same_measure() -> None:
    found = [*revealed("trade", 40.0), *revealed("town", 30.0)]
    between = row("repU", 35.0, 350, 1000, target=None)
    assert "Town: 300 of 1,000 people (30.00 %)." in said(report(found))
    words = said(report([*found, between]))
    assert words.index("Trade: ") < words.index("Who could be singled out: ")
    assert "Town: Of 1,000 people, 300 (30.00 %) would have town revealed" in words


def test_the_worst_comes_first_less_a_guess_and_what_a_policy_fails_before_all() -> None:
    # 60 % of people less the 90 % that a guess gets right: 6; 20 % less a half: 10; 11 % of which
    # nothing is guessed: 11.
    results = [
        *revealed("common", 60.0, 90.0),
        *revealed("half", 20.0, 50.0),
        *revealed("rare", 11.0),
        row("repU", 10.5, 1),
    ]
    made = report(results)
    assert [each.id for each in decide_on(made).findings] == [
        "DiSCO:rare",
        "repU",
        "DiSCO:half",
        "DiSCO:common",
    ]
    failed = decide_on(replace(made, policy=judged("fail", "half"))).findings
    assert [each.id for each in failed] == ["DiSCO:half", "DiSCO:rare", "repU", "DiSCO:common"]
    assert decide_on(replace(made, policy=judged("pass", "half"))).findings[0].id == "DiSCO:rare"


def test_a_finding_is_held_against_the_numbers_of_its_own_method() -> None:
    """The figure of page one shows the same method, and its caption names it."""
    revealed_by = {
        "cart 1": (20.0, 4.0),
        "cart 2": (16.0, 2.0),
        "cart mean": (18.0, 3.0),
        "far 1": (1.0, 8.0),
    }
    results = [
        row(name, value, round(10 * value), 1000, target=target, synthesis=label)
        for label, values in revealed_by.items()
        for target, disco in zip(("income", "ill"), values, strict=True)
        for name, value in (
            *(("Dorig", 50.0), ("DiSCO", disco)),
            *(("baseCAPd_counted", 10.0), ("DCAP", 2 * disco), ("CAPd", 60.0)),
        )
    ]
    made = report(results)
    made = replace(made, scenario={**made.scenario, "targets": ["income", "ill"]})
    words = " ".join(text([every_finding(decide_on(made))], width=400).split())
    for lead, right in (
        ("Income: In synthesis cart 1, where it is highest, ", "36.00"),
        ("Ill: In synthesis far 1, where it is highest, ", "16.00"),
    ):
        _, _, sentences_of = words.partition(lead)
        _, _, guesses = sentences_of.partition("A guess is right for 10.00 % ")
        assert guesses.startswith(
            "of all people from the shares of its levels alone, "
            f"for {right} % from the synthetic file, for 60.00 % from the original."
        )
    (figure,) = decision_figures.first(made, decide_on(made))
    drawn = [
        (line["target"].split("\n")[0], line["original"], line["synthetic"])
        for line in rows_of(figure.chart)
    ]
    assert drawn == [("income", 50.0, 18.0), ("ill", 50.0, 8.0)]
    assert (
        "Filled bar: what the synthetic files of one method reveal (income: cart mean; ill: far 1)."
    ) in figure.caption


@pytest.mark.parametrize("more", [[], [row("DiSCO", 9.0, 90, 1000, target="income")]])
def test_without_a_target_to_compare_the_figure_of_page_one_has_the_uniques(
    more: list[dict[str, Any]],
) -> None:
    """DiSCO without Dorig has nothing to be compared with."""
    ends = {"cart 1": 3.0, "cart mean": 2.0, "far 1": 1.0}
    rows = [
        row(name, value, round(10 * value), 1000, synthesis=label)
        for label, repu in ends.items()
        for name, value in (("UiO", 4.5), ("repU", repu))
    ]
    made = report([*rows, *more])
    (figure,) = decision_figures.first(made, decide_on(made))
    (drawn,) = rows_of(figure.chart)
    assert drawn["target"] == "unique people\n4.50 → 2.00"
    assert (drawn["original"], drawn["synthetic"]) == (4.5, 2.0)
    assert figure.words == (
        "How many people are unique, and how many of them seem to be found. "
        "unique people: 2.00 %, by the original 4.50 %"
    )
    assert figure.caption == (
        "Hollow bar: people who are unique in the original. Filled bar: those whom the synthetic "
        "files of one method reveal (unique people: cart mean). Arrow: the difference."
    )
    alone = [each for each in made.results if each["measure"] == "repU"]
    assert not [*decision_figures.first(report(alone), decide_on(report(alone)))]


def test_a_measure_with_points_is_said_at_the_one_its_header_names() -> None:
    points = [row("singled_out", 0.1 * at, at, 1000, at=at, target=None) for at in (1, 2)]
    others = [row("CAP_at_least", 10.0 * at, 1, 1000, at=at) for at in (0.5, 1.0)]
    curve = [row("membership_FPR", 1.0 * at, 1, 1000, at=at, target=None) for at in (1, 5)]
    assert "2 (0.20 %) are the only one with levels of at most 2 of their" in said(report(points))
    assert [each.id for each in decide_on(report([*others, *points])).findings] == ["singled_out"]
    assert "a share of at least 1.0 among these records" in said(report(others))
    assert not decide_on(report(curve)).findings


def test_bounds_are_no_worry() -> None:
    bounds = [row("max_DiSCO_at_totals", 92.0, 920, 1000), row("DCAP_shuffled", 9.0, 90, 1000)]
    alone, beside = (
        report(bounds),
        report([*bounds, row("marketer_risk", 3.0, 30, 1000, target=None)]),
    )
    decision = decide_on(alone)
    assert (len(decision.findings), decision.worries) == (2, [])
    assert "None of the measures asked for is a risk by itself" in said(alone)
    assert "What was measured, in words" in text([*alone._blocks()], width=400)
    assert [each.id for each in decide_on(beside).worries] == ["marketer_risk"]


def test_page_one_has_three_findings_and_the_rest_follow() -> None:
    many = report([each for place in range(5) for each in revealed(f"q{place}", 50.0 - place)])
    (first,) = (each for each in worries(decide_on(many)) if isinstance(each, Items))
    assert [each[:4] for each in first.texts] == ["Q0: ", "Q1: ", "Q2: "]
    page = many.to_html()
    front = page[page.index('id="decision"') : page.index("Reservations")]
    assert re.findall(r"<li>(Q\d): ", front) == ["Q0", "Q1", "Q2"]
    assert len(articles(page)) == 5
    few = report(revealed("q0", 50.0))
    assert len(decide_on(few).worries) == 1


def test_what_is_found_of_nobody_is_no_worry() -> None:
    none = [*revealed("income", 0.0), row("repU", 0.0, 0, 1000, target=None)]
    made, some = report(none), report([*none, *revealed("job", 5.0)])
    decision = decide_on(made)
    assert (len(decision.findings), decision.worries) == (2, [])
    words = said(made)
    assert words.count("Nothing was found: each measure that is explained in words counts 0") == 1
    assert "Of 1,000 people, 0" not in words
    assert [each.id for each in decide_on(some).worries] == ["DiSCO:job"]
    assert "Nothing was found" not in said(some)


def test_a_count_that_rounds_to_nobody_may_be_of_somebody() -> None:
    rounded = row("DiSCO", 0.0, 0, 1000, target="income") | {
        "rounded": True,
        "numerator_high": 14,
        "words": {"numerator": "<15", "value": "<1.50"},
    }
    words = said(report([rounded], rounding=ROUNDED))
    assert "Nothing was found" not in words
    assert (
        "Income: Of about 1,000 people, fewer than 15 (<1.50 %) would have income revealed" in words
    )
    nobody = said(report([rounded | {"numerator_high": 0, "words": {}}], rounding=ROUNDED))
    assert "Nothing was found" in nobody


def test_what_is_released_is_said_and_what_is_not_said_is_named_in_one_line() -> None:
    made = report(ONE)
    assert "Not stated: what is released, by whom, to whom and for what." in said(made)
    release = {
        "organisation": "Statistics\nOffice",
        "purpose": "Teaching",
        "logo": "data:image/png;base64,AA==",
    }
    words = said(replace(made, scenario={**made.scenario, "release": release}))
    assert (
        "Released by Statistics\\nOffice Purpose Teaching Not stated: “data set”, "
        "“version”, “reference”, “recipients”, "
    ) in words
    assert "base64" not in words


def test_it_is_said_whether_it_may_go_out() -> None:
    made = report(ONE, assessment=told("doubtful", ["Few.", "Many.", "Apart.", "Odd."]))
    words = said(made)
    assert "Can it be judged? Hardly: the numbers may say less than they seem to." in words
    assert "The policy None given: nothing says that the file may be released." in words
    assert "Few. • Many. • Apart. • In the annex: 1 more doubt." in words
    assert "Odd." not in words
    words = said(replace(made, policy=judged("fail", "income")))
    assert (
        "The policy Board: not met, so it does not allow the release. Of 1 number judged: 0 pass, "
        "0 for review, 1 fail."
    ) in words


def rule(limit: float, value: float | None, verdict: str, **more: Any) -> dict[str, Any]:
    (made,) = judged(verdict, "income")["verdicts"]
    return {**made, "rule": f"DiSCO <= {limit}", "value": value, "limit": limit, **more}


def without(value: float | None, limit: float) -> dict[str, float | None]:
    return {"value_without_exclusions": value, "limit_without_exclusions": limit}


@pytest.mark.parametrize(
    ("rules", "said_of"),
    [
        (  # in percent of the limit, not in points
            [rule(90, 80.0, "pass"), rule(2, 1.9, "pass", target="AHGA")],
            "Nearest to its limit: Education: 1.90 % (limit 2.00 %, margin 0.10).",
        ),
        (
            [rule(90, 80.0, "pass"), rule(50, 60.0, "fail", population="north"),
             rule(5, 5.5, "fail")],
            "beyond its limit: income, in a subgroup: 60.00 % (limit 50.00 %, margin -10.00).",
        ),
        (
            [rule(90, 89.9, "pass"), rule(9, 9.5, "review", measure="repU", target=None)],
            "beyond its limit: Who could be singled out: 9.50 % (limit 9.00 %, margin -0.50).",
        ),
        (  # the side without exclusions decides
            [rule(5, 0.3, "fail", **without(11.46, 5))],
            "beyond its limit: income: 11.46 % (limit 5.00 %, margin -6.46 without exclusions).",
        ),
        (
            [rule(9, 5.0, "pass"), rule(5, 0.3, "pass", **without(4.9, 5))],
            "Nearest to its limit: income: 4.90 % (limit 5.00 %, margin 0.10 without exclusions).",
        ),
        (
            [rule(5, 6.0, "fail", **without(5.5, 5))],
            "beyond its limit: income: 6.00 % (limit 5.00 %, margin -1.00).",
        ),
        (  # which a rule may not judge
            [rule(5, 0.3, "pass", **without(11.46, 5), judges="with")],
            "Nearest to its limit: income: 0.30 % (limit 5.00 %, margin 4.70).",
        ),
        (
            [rule(5, 3.0, "pass", **without(4.9, 5), judges="with")],
            "Nearest to its limit: income: 3.00 % (limit 5.00 %, margin 2.00).",
        ),
        (
            [rule(5, 6.0, "fail", **without(20.0, 5), judges="with"),
             rule(5, 7.0, "fail", **without(8.0, 5), judges="with")],
            "beyond its limit: income: 7.00 % (limit 5.00 %, margin -2.00).",
        ),
        (
            [rule(5, 11.46, "fail", **without(6.0, 5), judges="without")],
            "beyond its limit: income: 6.00 % (limit 5.00 %, margin -1.00 without exclusions).",
        ),
        ([rule(5, 4.9, "review", **without(None, 5), judges="without")], ""),
        ([rule(5, None, "review")], ""),
        ([rule(5, 1.0, "pass", words={"value": "hidden"})], ""),
        ([rule(5, 1.0, "pass"), rule(5, None, "not assessable", measure=None)], ""),
    ],
)  # fmt: skip
def test_the_number_that_decides_a_policy_is_told(
    rules: list[dict[str, Any]], said_of: str
) -> None:
    verdict = max((each["verdict"] for each in rules), key=VERDICTS.index)
    policy = {**judged(verdict, "income"), "verdicts": rules}
    words = said(replace(report(ONE, labels={"AHGA": "Education"}), policy=policy))
    assert ("its limit: " in words) == bool(said_of)
    assert said_of in words
    assert "north" not in words


def test_the_worst_of_many_failures_is_named_first() -> None:
    rules = [rule(limit, 20.0, "fail") for limit in (19, 18, 17, 2, 16)]
    policy = {**judged("fail", "income"), "verdicts": [*rules, rule(50, 20.0, "pass")]}
    assert Verdicts.of(replace(report(ONE), policy=policy)).failure == (
        "The policy 'Board' is not met: 5 of 6 numbers fail: DiSCO <= 2 (income, synthesis 1: "
        "20.00); DiSCO <= 16 (income, synthesis 1: 20.00); DiSCO <= 17 (income, synthesis 1: "
        "20.00) and 2 more."
    )
    rules = [rule(5, 20.0, "fail"), *(rule(4, 1.0, "fail", **without(20.0, 4)),) * 3]
    policy = {**judged("fail", "income"), "verdicts": rules}
    failure = Verdicts.of(replace(report(ONE), policy=policy)).failure
    assert failure.endswith("1.00; 20.00 without exclusions) and 1 more.")


def test_reservations_say_who_is_not_counted_what_is_flagged_and_what_was_not_measured() -> None:
    words = said(report(ONE, checks=CHECKS))
    assert "Not everybody is counted (no reason is given). Left out: income is “none”;" in words
    assert (
        "which anybody might guess: of income “low” (96.60 % of them, 50.00 % of all people)."
        in words
    )
    assert "One of these columns nearly determines some levels of income." in words
    assert "who was in the original" in words
    several = {**ONE_WAY, "nLevelDis": 58, "PctLevelDis": 96.6}
    women, both, second = (
        several | {"population": "women", "PctLevelDis": 99.0},
        several | {"synthesis": "pooled 1-2", "population": "all", "PctLevelDis": 98.0},
        several | {"synthesis": "2", "population": "all", "PctLevelDis": 97.0},
    )
    rows = [women, *({**each, "population": "women"} for each in CHECKS["two_way"])]
    assert "flagged" not in report(ONE, checks={"one_way": rows[:1], "two_way": rows[1:]}).to_text()
    assert "of income" not in said(report(ONE, checks={"one_way": rows[:1], "two_way": rows[1:]}))
    files = [{"source": "a", "records": 6, "synthesis": label} for label in "12"]
    told = said(report(ONE, checks={"one_way": [women, both, second]}, synthetic=files))
    assert "of income “low” (97.00 % of them in synthesis 2, 50.00 % of all people)." in told
    told = said(report(ONE, checks={"one_way": [women, both]}, synthetic=files))
    assert "of income “low” (98.00 % of them in pooled 1-2, 50.00 % of all people)." in told
    nobody = said(
        report(
            [row("membership_AUC", 50.0, 1), row("linked", 1.0, 1, target="a/b")],
            scenario={"keys": ["sex"]},
        )
    )
    assert "Everybody is counted." in nobody
    assert "in the original;" not in nobody
    assert "two sources" not in nobody


def test_an_external_page_does_not_say_that_what_it_lacks_was_not_measured() -> None:
    made = report(
        [row("DiSCO", 50.0, 500, 1000, target="income")],
        original={"source": "o", "records": 1000},
        scenario={"targets": ["income"]},
        universe={"source": "u", "records": 2000},
    )
    inside, outside = said(made), said(made.external())
    assert "Not measured: whether two" in inside
    assert "stands out" not in inside
    assert "Not measured, or not shown here: whether two" in outside
    assert "; who stands out in the population; utility. What was not" in outside


def test_a_hidden_number_is_said_as_far_as_it_is_told() -> None:
    some = row("DiSCO", None, target="income") | NOT_TOLD | {"numerator": 5, "numerator_high": 14}
    none = row("DiSCO", None, target="income") | NOT_TOLD
    anything = some | {"numerator_high": 8, "words": {"numerator": "[c]"}}
    average = row("membership_advantage", None) | NOT_TOLD
    for found, told in [
        (some, "Income: Fewer than 15 people would have income revealed, correctly"),
        (none, "Income: A hidden number of people would have income revealed, correctly"),
        (anything, "Income: A hidden number of people would have income revealed, correctly"),
        (average, "Who could be shown to be in the original: The number is hidden."),
    ]:
        assert told in said(report([found], rounding=ROUNDED))
    files = [{**row("DiSCO", 20.0, 2, 10, target="income"), "synthesis": "1"}]
    files += [{**none, "synthesis": "2"}]
    assert "In synthesis 1, where it is highest of those not hidden, of 10 people, 2" in said(
        report(files, rounding=ROUNDED)
    )
    out = row("excluded", 10.0, 1, 10, target="income")
    excluded = report([files[0], out], rounding=ROUNDED, without_exclusions=[none])
    assert (
        "This leaves out 1 person (10.00 % of all) who is not counted; with them it is hidden."
        in (said(excluded))
    )


@pytest.mark.parametrize(
    ("hidden", "words"),
    few(
        [
            (
                [],
                "levels alone, for 12.00 % from the synthetic file, for 12.00 % from the original.",
            ),
            (["DCAP"], "original. How often a guess from the synthetic file is right is hidden."),
            (
                ["baseCAPd_counted"],
                "for 12.00 % of all people from the synthetic file, for 12.00 %",
            ),
            (
                ["baseCAPd_counted"],
                "a guess from the shares of its levels alone is right is hidden.",
            ),
            (
                ["DCAP", "CAPd"],
                "12.00 % of all people from the shares of its levels alone. How often",
            ),
            (
                ["DCAP", "CAPd"],
                "How often a guess from the synthetic file or the original is right",
            ),
            (
                ["baseCAPd_counted", "DCAP", "CAPd"],
                "would reveal it for 12.00 % of all people. How ",
            ),
            (
                ["Dorig"],
                "file. For how many people the original would reveal it is hidden. A guess",
            ),
        ]
    ),
)
def test_what_a_finding_is_held_against_reads_well_if_it_is_hidden(
    hidden: list[str], words: str
) -> None:
    names = ("Dorig", "DiSCO", "baseCAPd_counted", "CAPd", "DCAP", "repU")
    rows = [
        row(name, 12.0, 3, 25, target=None if name == "repU" else "income")
        | (NOT_TOLD if name in hidden else {})
        for name in names
    ]
    made = report(rows, rounding=ROUNDED)
    findings = " ".join(text([every_finding(decide_on(made))], width=400).split())
    assert words in findings
    assert "[c]" not in findings
    page = made.to_html(level="external")
    front = page[page.index("The numbers in words") : page.index("Sign-off")]
    for told in (front, made.to_text(brief=True)):
        assert ("[c]: this number is hidden" in " ".join(told.split())) == bool(hidden)


def test_three_targets_and_three_files_fit_a_screen() -> None:
    """The worst finding is said in full, the others of its measure briefly; the keys have a line
    below the table.
    """
    targets = ("income", "country birth", "citizenship")
    results = [
        {**each, "synthesis": label}
        for label in ("1", "2", "3", "mean")
        for place, target in enumerate(targets)
        for each in (*revealed(target, 40.0 - place), row("UiO", 3.0, 30), row("repU", 1.5, 15))
    ]
    checks = {
        name: [
            {**row, "target": target, "Level": f"Native- Born in the {target}"}
            for target in targets
            for row in rows
        ]
        for name, rows in CHECKS.items()
    }
    keys = ["age", "sex", "race", "marital_status", "education"]
    brief = report(results, checks=checks, scenario={"keys": keys}).to_text(brief=True)
    assert len(brief.splitlines()) <= 40
    words = " ".join(brief.split())
    assert (
        "Income: In synthesis 1, where it is highest, of 1,000 people, 400 (40.00 %) would have "
        "income revealed"
    ) in words
    assert "Country birth: 390 of 1,000 people (39.00 %), in synthesis 1." in words
    assert "Who could be singled out: UiO 3.00 (original), repU 1.50 (synthetic)." in words
    assert "Not stated" not in words
    assert "Everybody is counted" not in words


def test_long_labels_and_many_reservations_fit_a_screen() -> None:
    """Labels are cut after a word, but not if they begin alike; the last reservations are
    counted.
    """
    targets = [f"q{number}" for number in (1, 2, 3)]
    labels = {
        "q1": "Total net income of the household per month, all sources, in groups",
        "q2": "Trust in institutions of the country: the police",
        "q3": "Trust in institutions of the country: the courts",
        "age": "Age of the respondent in years at the time of the interview",
    }
    results = [
        each for place, target in enumerate(targets) for each in revealed(target, 40.0 - place)
    ]
    checks = {"one_way": [{**CHECKS["one_way"][0], "target": target} for target in targets]}
    doubts = told("doubtful", ["Only few of the people can be looked up. " * 3] * 4)
    made = report(results, checks=checks, labels=labels, assessment=doubts)
    brief = made.to_text(brief=True)
    assert len(brief.splitlines()) <= 40
    words = " ".join(brief.split())
    assert "Total net income of the…: Of 1,000 people" in words
    assert "Trust in institutions of the country: the police: 390 of 1,000 people" in words
    assert "who knows sex and Age of the respondent in… and holds only" in words
    assert re.search(r"• \d more in the whole report\.", words)
    assert "Not measured" not in words
    assert "Not measured" in said(made)


@pytest.mark.slow
def test_who_holds_all_files_learns_more_than_from_one() -> None:
    people = pa.table({"k": ["a", "b"], "t": ["x", "y"]})
    asked: Any = {"keys": "k", "targets": "t"}
    apart = sqlrisk.score(people, [people.slice(0, 1), people.slice(1)], **asked)
    more = "Somebody who holds all 2 files learns more: t 100.00 % of all people (those whom at"
    assert more in said(apart)
    assert more in " ".join(apart.to_text(brief=True).split())
    alike = sqlrisk.score(people, [people.slice(0, 1)] * 2, **asked)
    assert "Somebody who holds" not in said(alike)
    named = {"a": [people.slice(0, 1), people.slice(1)], "b": [people.slice(0, 1)] * 3}
    of_two = said(sqlrisk.score(people, named, **asked))
    assert of_two.count("Somebody who holds") == 1
    assert "Somebody who holds all 2 files of a learns more: t 100.00 %" in of_two
    assert "Somebody who holds" not in said(sqlrisk.score(people, people.slice(0, 1), **asked))


@pytest.mark.parametrize("several", [False, True])
def test_of_many_statements_about_a_release_a_screen_names_the_last(several: bool) -> None:
    names = ["version", "data_set", "purpose", "recipients", "release_type", "model_told"]
    scenario = {"keys": ["sex"], "release": {name: f"{name}: a text" for name in names}}
    made = report(revealed("income", 40.0), scenario=scenario)
    shown = sqlrisk.Reports({"a": made, "b": made}) if several else made
    screen = " ".join(shown.to_text(brief=True).split())
    assert "Data set data_set: a text Version version: a text Also stated recipients, purpose" in (
        screen
    )
    assert "purpose, type of release and published about the synthesis" in screen
    assert "purpose: a text" not in screen
    whole = " ".join(shown.to_text().split())
    assert all(f"{name}: a text" in whole for name in names)
    scenario["release"] = dict.fromkeys(names[:3], "a text")
    few = " ".join(report(revealed("income", 40.0), scenario=scenario).to_text(brief=True).split())
    assert "Data set a text Version a text Purpose a text" in few


def test_a_doubt_about_several_files_is_told_once() -> None:
    """The files after the first are counted. Reasons of one file are all told."""
    reasons = {
        "1": [("unknown_levels", "a in 1."), ("unknown_levels", "b in 1."), ("copied", "Copied.")],
        "2": [("unknown_levels", "a in 2."), ("copied", "Copied.")],
        "3": [("unknown_levels", "a in 3.")],
    }
    assessment = [
        {
            "synthesis": label,
            "target": None,
            "state": "doubtful",
            "reasons": [{"code": code, "text": text} for code, text in found],
        }
        for label, found in reasons.items()
    ]
    assert decide_on(report(ONE, assessment=assessment)).reservations[:3] == [
        "a in 1.",
        "b in 1. 2 more of this kind in other files.",
        "Copied.",
    ]


def test_a_doubt_is_told_without_the_command_that_it_names() -> None:
    doubt = "w: no level in common; if it only names records, say so: --column w.role=identifier."
    made = report(ONE, assessment=told("doubtful", [doubt]))
    assert decide_on(made).reservations[0] == "w: no level in common."


@pytest.mark.parametrize(("measures", "discounted"), [("DiSCO,baseCAPd", True), ("DiSCO", False)])
def test_the_order_says_what_is_discounted_if_a_guess_is_measured(
    measures: str, discounted: bool
) -> None:
    made = sqlrisk.score(PEOPLE, PEOPLE, keys=["town"], targets=["ill"], measures=measures)
    text = " ".join(made.to_text().split())
    assert "worst first" in text
    assert ("worst first (discounting what anybody could guess):" in text) == discounted


@pytest.mark.parametrize(
    ("measures", "sections"),
    [
        ("identity,attribute,cap", []),
        ("DiSCO,baseCAPd", []),  # the numbers at a glance hold these
        ("DiSCO,UiS", ["Identity: who could be singled out"]),
    ],
)
def test_a_screen_has_the_tables_that_were_asked_for(measures: str, sections: list[str]) -> None:
    made = sqlrisk.score(PEOPLE, PEOPLE, keys=["town"], targets=["ill"], measures=measures)
    first, told, numbers, *asked = _headings(made.to_text(brief=True))
    assert (first, told, numbers) == ("What worries us", "Reservations", "Percent of people")
    assert asked == sections
    assert {*sections} < {*_headings(made.to_text())}


def test_what_may_lie_far_below_zero_is_on_no_screen_unasked_and_is_explained() -> None:
    made = sqlrisk.score(PEOPLE, PEOPLE, keys=["town"], targets=["ill"])
    assert "scaled" not in made.to_text(brief=True)
    told = (
        "TCAP_scaled Correct disclosure among the people whose keys are found, above the baseline "
        "(percent of the way from the baseline to certainty)"
    )
    assert told in " ".join(made.to_text().split())
    named = sqlrisk.score(PEOPLE, PEOPLE, keys=["town"], targets=["ill"], measures="TCAP_scaled")
    assert told in " ".join(named.to_text(brief=True).split())


def test_a_screen_has_the_numbers_of_populations_and_weights() -> None:
    people = PEOPLE.append_column("w", [[1.0, 2.0, 3.0, 4.0]])
    asked: dict[str, Any] = {"keys": ["town"], "targets": ["ill"]}
    made = sqlrisk.score(people, people, **asked, population={"ill": "ill = yes"}, weights="w")
    screen = made.to_text(brief=True)
    assert _headings(screen)[2:] == ["Percent of people"]
    lines = [line.split() for line in screen.splitlines()]
    for population, counted, dorig, dcap in (
        ("all", "people", "100.00", "100.00"),
        ("all", "weight", "100.00", "100.00"),
        ("ill", "people", "100.00", "100.00"),
    ):
        numbers = next(line for line in lines if line[:3] == ["ill", population, counted])
        assert (numbers[-4], numbers[-1]) == (dorig, dcap)
    assert ["UiO", "Unique", "in", "original", "all", "people", "2", "50.00"] in lines
    assert ["all", "weight", "5.00", "50.00"] in lines
    assert ["ill", "people", "1", "100.00"] in lines
    many = sqlrisk.score(
        people, people, **asked, population={f"p{each}": "ill = yes" for each in range(13)}
    )
    screen = many.to_text(brief=True)
    assert "The whole report has the numbers of 13 populations." in screen
    assert "p12" not in screen


@pytest.mark.slow
def test_a_screen_has_only_the_new_tables_if_all_usual_measures_are_measured() -> None:
    both = PEOPLE.append_column("sex", [["f", "m", "f", "m"]])
    made = sqlrisk.score(both, both, keys=["town", "sex"], targets=["ill"], link="town/sex")
    assert len(_headings(made.to_text(brief=True))) == 4
    assert _headings(made.to_text(brief=True))[3].startswith("Linkability")


def test_the_screen_of_several_intruders_has_the_numbers_that_one_asked_for() -> None:
    made = sqlrisk.score_all(
        {
            "usual": {"keys": ["town"], "targets": ["ill"]},
            "named": {"keys": ["town"], "targets": ["ill"], "measures": ["DiSCO"]},
            "some": {"keys": ["town"], "targets": ["ill"], "population": {"a": "town = a"}},
        },
        PEOPLE,
        PEOPLE,
    )
    text = made.to_text(brief=True)
    assert "Intruder usual" not in text
    named, some = text.index("Intruder named"), text.index("Intruder some")
    assert _headings(text[named:some]) == ["Percent of people"]
    assert " a  " in text[some:]


def test_a_screen_has_what_settings_and_control_add_to_the_measures_named() -> None:
    made = sqlrisk.score(
        PEOPLE,
        PEOPLE,
        keys=["town"],
        targets=["ill"],
        measures=["DiSCO"],
        control=PEOPLE,
        distributions=True,
        utility="all",
    )
    assert _headings(made.to_text(brief=True))[-3:] == [
        "Person by person",
        "Added risk",
        "Risk and utility",
    ]


def _headings(page: str) -> list[str]:
    return re.findall(r"^(\w[^─\n]*) ─+$", page, re.MULTILINE)


def test_of_many_targets_ten_are_told_and_a_screen_is_enough() -> None:
    targets = [f"column_{place}" for place in range(147)]
    results = [each for place, name in enumerate(targets) for each in revealed(name, place / 2)]
    made = report(results, scenario={"targets": targets})
    page = made.to_text()
    assert f"Findings, worst first ({TOLD} of 147; the rest in the tables)" in page
    findings = page[page.index("Findings, worst first") : page.index("Ordered by the percent")]
    assert findings.count("•") == TOLD
    assert findings.index("Column 146") < findings.index("Column 145")
    brief = made.to_text(brief=True)
    assert len(brief.splitlines()) <= 40
    assert "Percent of people, for the 4 worst of 147 targets" in brief
    assert made.to_markdown().index("## What worries us") < made.to_markdown().index("## Findings")


def test_targets_without_a_finding_are_on_a_screen_and_counted() -> None:
    """Of measures with words for page one, repU alone was computed, which is about no target."""
    results = [
        row("DCAP", 40.0 + place, 400, 1000, target=f"column_{place}", population=population)
        for population in ("all", "women")
        for place in range(5)
    ]
    rules = [row("membership_ratio_AUC", 60.0, None, None, target="ratio")]  # no target
    scenario = {"targets": [f"column_{place}" for place in range(5)]}
    screen = report([row("repU", 1.5, 15, 1000), *results, *rules], scenario=scenario).to_text(
        brief=True
    )
    assert "Percent of people, for 4 of 5 targets" in screen
    lines = [line.split() for line in screen.splitlines()]
    assert ["column_3", "women", "43.00"] in lines
    assert "column_4" not in screen


def test_links_and_ratios_of_membership_are_no_targets() -> None:
    """A page of many targets has them, and no finding is about a target."""
    targets = [f"column_{place}" for place in range(TOLD + 1)]
    results = [
        *(row("DCAP", 40.0, 400, 1000, target=target) for target in targets),
        *(row("membership_ratio_AUC", 0.5, 1, 2, target=each) for each in RATIOS),
        row("linked", 12.5, 1, target="sex/age"),
    ]
    made = report(results, scenario={"targets": targets, "link": ["sex/age"]})
    assert decide_on(made).targets == targets
    assert f"for 4 of {TOLD + 1} targets" in made.to_text(brief=True)
    parts = {each.id: each.parts for each in _sections(made, _run_of(made), inside=False)}
    (ratios,) = (part for part in parts["family-membership"] if isinstance(part, Grid))
    assert [line[0] for line in ratios.rows] == [*RATIOS]


def of_two_targets(measures: str, **more: Any) -> sqlrisk.Report:
    asked: dict[str, Any] = {"keys": "town", "targets": "ill,pet", "measures": measures}
    return sqlrisk.score(pa.table(ORIGINAL), pa.table(FIRST_FILE), **asked, **more)


def test_a_page_without_a_finding_about_a_target_has_the_figures_of_all_targets() -> None:
    made = of_two_targets("repU,CAPd,DCAP", distributions=True)
    parts = {each.id: each.parts for each in _sections(made, _run_of(made), inside=True)}
    numbers, persons = (
        [part.name for part in parts[name] if isinstance(part, Figure)]
        for name in ("numbers", "persons")
    )
    assert numbers == ["arrows CAPd 1", "slopes DCAP pet", "slopes DCAP ill"]
    assert persons == ["persons ill", "persons pet", "shares ill", "shares pet"]
    words = [part.text for part in parts["persons"] if isinstance(part, Paragraph)]
    assert {"ill, synthesis 1: 6 people", "pet, synthesis 1: 6 people"} < {*words}


# ---- what may be said of a release
# -----------------------------------------------------------------------------------------

PEOPLE = pa.table({"town": ["a", "b", "b", "c"], "ill": ["yes", "no", "no", "no"]})


def test_a_release_is_read_from_a_scenario_file_with_its_logo(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG)
    (tmp_path / "scenario.toml").write_text(
        "keys = ['town']\nmeasures = 'DiSCO'\nexclude_level = {ill = ['yes']}\n"
        "[release]\norganisation = 'Office'\npurpose = 'who is yes'\n"
        "logo = 'logo.png'\n"
    )
    made = sqlrisk.score(PEOPLE, PEOPLE, scenario=str(tmp_path / "scenario.toml"))
    page = made.to_html()
    assert '<img class="logo" src="data:image/png;base64,iVBORw0KGgo=" alt="Office">' in page
    assert "img-src data:" in page
    assert str(tmp_path) not in made.to_json()
    assert sqlrisk.diff(
        sqlrisk.score(PEOPLE, PEOPLE, keys="town", exclude_level="ill=yes", measures="DiSCO"), made
    ).comparable
    outside = made.external().scenario["release"]
    assert isinstance(outside, dict)
    assert outside["purpose"] == "who is (a level)"


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ({"purpos": "x"}, "release: there is no 'purpos' (did you mean 'purpose'?)"),
        ("purpose=", "release.purpose: expected a text that is not empty"),
        (["purpose=A", "purpose = B"], "release.purpose is given twice; keep one."),
        (["logo=missing.png"], "release.logo: the file 'missing.png' cannot be read"),
        ({"logo": "logo.gif"}, "release.logo: 'logo.gif' is not a picture for a page"),
        ({"logo": "large.png"}, "release.logo: 'large.png' has 100,001 bytes"),
    ],
)
def test_what_cannot_be_said_of_a_release(
    release: object, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("large.png").write_bytes(b"0" * 100_001)
    with pytest.raises(sqlrisk.InputError, match=re.escape(words)):
        sqlrisk.score(PEOPLE, PEOPLE, keys="town", release=release)


@pytest.mark.parametrize(("lines", "paged"), [(50, True), (3, False)])
def test_what_does_not_fit_a_terminal_goes_through_a_pager(
    lines: int,
    paged: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda page, color: shown.append(page))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("LINES", "24")
    terminal.show("line\n" * lines)
    assert bool(shown) is paged
    assert bool(capsysbinary.readouterr().out) is not paged


# ---- the articles of findings
# ------------------------------------------------------------------------------------------------


def articles(page: str) -> dict[str, str]:
    """The text of each finding on a page by its id, with `(picture)` for each figure."""
    found = {}
    for article in re.findall(r'<article class="finding">(.*?)</article>', page, re.DOTALL):
        drawn = re.sub(r"<svg.*?</svg>", "(picture)", article.replace("<t", " <t"), flags=re.DOTALL)
        words = " ".join(unescape(re.sub(r"<[^>]*>", "", drawn)).replace("\u200b", "").split())
        found[words.rpartition("Finding ")[2]] = words
    return found


ORIGINAL = {"town": [*"aabbcd"], "ill": [*"yynnnn"], "pet": [*"xxxxzz"]}
# Synthesis 1 reveals the pet of c and d, and the illness of nobody; synthesis 2 the illness of a.
FIRST_FILE = {"town": [*"aabbcd"], "ill": [*"ynynyy"], "pet": [*"zxzxzz"]}
SECOND_FILE = {"town": [*"aabbdd"], "ill": [*"yyynyn"], "pet": [*"zxzxxz"]}


@pytest.mark.parametrize("listings", [True, False])
def test_each_finding_has_its_sentence_its_figure_and_the_cells_of_its_file(
    listings: bool,
) -> None:
    made = sqlrisk.score(
        pa.table(ORIGINAL),
        [pa.table(FIRST_FILE), pa.table(SECOND_FILE)],
        keys="town",
        targets="ill,pet",
        distributions=True,
        listings=listings,
    )
    found = articles(made.to_html())
    assert [*found] == ["repU", "DiSCO:ill", "DiSCO:pet"]
    unique, ill, pet = found.values()
    for words, synthesis, told in [
        (unique, 1, "are unique on town"),
        (ill, 2, "would have ill revealed"),
        (pet, 1, "would have pet revealed"),
    ]:
        sentence = f"In synthesis {synthesis}, where it is highest, of 6 people, 2 (33.33 %) {told}"
        assert sentence in words
        assert "(picture)" in words
    assert "How sure a right guess is" in ill
    assert "How common its levels are" in pet
    assert "Uniques and replicated uniques" in unique
    assert "Cells of synthesis 2:" in ill
    assert " a y 2 2 33.33 % of all people have this level" in ill
    assert "Cells of synthesis 1:" in unique
    assert "c 1 1 16.67 %" in unique
    # without listings, the run is repeated only for the file of each measure's worst finding
    assert ("c z 1 1 33.33 % of all people have this level" in pet) == listings
    assert ("Cells of synthesis 1:" in pet) == listings


@pytest.mark.slow
def test_a_page_has_the_legend_of_symbols_in_its_annex_and_its_hashes() -> None:
    made = sqlrisk.score(pa.table(ORIGINAL), pa.table(FIRST_FILE), keys="town", targets="ill,pet")
    page = made.to_html()
    assert page.index('id="findings"') < page.index('id="meaning"')
    annex = page[page.index('id="meaning"') :]
    legend = " ".join(unescape(re.sub(r"<[^>]*>", "", annex[annex.index("Symbols") :])).split())
    for symbol, meaning in SYMBOLS:
        assert f"{symbol}{meaning}" in legend.replace("\u200b", "")
    hashes = {made.manifest()[f"{name}_sha256"] for name in ("results", "verdicts")}
    assert {*re.findall(r"[0-9a-fA-F]{64}", page)} == hashes
    both = sqlrisk.Reports({"near": replace(made, trail=None)}, trail=made.trail)
    for shown in (page, both.to_html()):
        assert shown.count("In Python, manifest() returns it.") == 1
    for without in (both["near"], replace(both, trail=None)):
        assert "manifest()" not in without.to_html()


def test_an_external_page_has_the_headings_of_the_decision() -> None:
    made = of_two_targets("repU,DiSCO")
    found = [
        re.findall(r"<h([23])[^>]*>(.*?)</h", page[page.index('id="decision"') :])
        for page in (made.to_html(), made.to_html(level="external"))
    ]
    inside, outside = (headings[: headings.index(("2", "Sign-off")) + 1] for headings in found)
    assert [text for _, text in inside] == [
        "The decision",
        "What worries us",
        "Reservations",
        "The numbers in words",
        "Sign-off",
    ]
    assert outside == inside


# ---- cells worth looking at
# ------------------------------------------------------------------------------------------------


def test_cells_worth_looking_at_are_of_sensitive_targets_of_rare_levels_and_of_many_people() -> (
    None
):
    people = pa.table(
        {
            "town": ["a"] * 5 + ["b"] * 3 + ["c", "d"],
            "ill": ["no"] * 5 + ["yes"] * 3 + ["yes", "no"],
            "pet": ["cat"] * 9 + ["dog"],
        }
    )
    made = sqlrisk.score(
        people, people, keys="town", targets="ill,pet", column={"ill": {"role": "sensitive"}}
    )
    listing = made.cells("DiSCO", worth=True)
    found = [(row[0], row[1], row[-2], row[-1]) for row in listing.rows]
    # 4 of 10 are ill, 3 of them in b; 6 are not, 5 of them in a; then pet, though a dog is rarer.
    assert found[:4] == [
        ("b", "ill", 4, 10),
        ("c", "ill", 4, 10),
        ("a", "ill", 6, 10),
        ("d", "ill", 6, 10),
    ]
    assert found[4:] == [
        ("d", "pet", 1, 10),
        ("a", "pet", 9, 10),
        ("b", "pet", 9, 10),
        ("c", "pet", 9, 10),
    ]
    told, why = worth(listing)
    assert told.columns == ["town", "target", "level", "n_orig", "n_syn", "why"]
    # of the ill, 3 are in b and 1 in c; the dog lives alone
    assert [row[-1] for row in told.rows[:5]] == [
        "declared sensitive; 40.00 % of all people have this level; 3 of them with these keys",
        "declared sensitive; 40.00 % of all people have this level; 1 of them with these keys",
        "declared sensitive; 60.00 % of all people have this level; 5 of them with these keys",
        "declared sensitive; 60.00 % of all people have this level; 1 of them with these keys",
        "10.00 % of all people have this level",
    ]
    assert " tie, and" not in why
    # most people first, and no columns more
    assert [row[-1] for row in made.cells("DiSCO").rows[:2]] == [5, 5]
    alike = worth(replace(listing, rows=[*listing.rows, listing.rows[0]]))[1]
    assert "2 of the 9 listed tie, and their order means nothing." in alike
    first, of_first = worth(replace(listing, rows=[*listing.rows, listing.rows[0]]), 3)
    assert first.rows == told.rows[:3]
    assert "tie" not in of_first  # the other of the two is not listed


def test_people_alone_are_worth_looking_at_by_the_rarest_of_their_levels() -> None:
    people = pa.table(
        {
            "town": ["a"] * 5 + ["b"] * 3 + ["c", "d"],
            "sex": ["f", *"mmmmmff", "x", "f"],
            "ill": ["no"] * 10,
        }
    )

    def alone(keys: str) -> sqlrisk.Listing:
        return sqlrisk.score(people, people, keys=keys, targets="ill").cells("repU", worth=True)

    # the one of b and m lives with two others, the one of a and f with four
    found = alone("town,sex")
    assert [(row[:2], *row[-2:]) for row in found.rows] == [
        (("c", "x"), 1, 10),
        (("d", "f"), 1, 10),
        (("b", "m"), 3, 10),
        (("a", "f"), 4, 10),
    ]
    told, why = worth(found)
    assert told.columns == ["town", "sex", "n_orig", "n_syn", "why"]
    assert told.rows[2] == ("b", "m", 1, 1, "30.00 % of all people have the rarest of these levels")
    assert why.startswith("Classes with the rarest level of a key come first")
    assert " 2 of the 4 listed tie" in why
    # with one key, and without what makes a class worth it
    assert [row[0] for row in alone("sex").rows] == ["x"]
    assert sqlrisk.cells("repU", people, people, keys="sex").columns == ["sex", "n_orig", "n_syn"]


def test_ties_of_cells_are_shuffled_alike_in_each_run() -> None:
    people = pa.table({"town": [*"abcdefghijkl"], "ill": ["yes", "no"] * 6})
    made = sqlrisk.score(people, people, keys="town", targets="ill")
    for measure in ("repU", "DiSCO"):
        found = [made.cells(measure, worth=True, limit=12) for _ in range(2)]
        towns = [row[0] for row in found[0].rows]
        assert sorted(towns) == [*"abcdefghijkl"]
        assert towns not in (sorted(towns), sorted(towns, reverse=True))
        assert found[0].rows == found[1].rows
        assert "12 of the 12 listed tie, and their order means nothing." in worth(found[0])[1]
