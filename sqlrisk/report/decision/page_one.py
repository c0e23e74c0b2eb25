"""Page one of a report: the release, the assessment of the files, the policy's verdict, the
findings that worry, and reservations.

Text, Markdown and HTML draw page one from the same blocks. Readers need no symbols, no option
names, and no names of columns that have labels. A test checks this. The findings and the annex
below give every fact of page one in full.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import Any

from sqlrisk.inputs.policy import FAIL, NOT_ASSESSABLE, PASS, REVIEW, VERDICTS
from sqlrisk.inputs.release import SAID, release_of
from sqlrisk.report.blocks import Block, Heading, Items, Paragraph, Sentence, Terms
from sqlrisk.report.decision import sentences
from sqlrisk.report.decision.glance import rows_at_a_glance
from sqlrisk.report.decision.margins import in_parts, margin_told, nearest, numbers_told, place_told
from sqlrisk.report.decision.sentences import conjoined, in_words
from sqlrisk.report.declared import CERTAIN, GUESSED, LINKABILITY, criteria, of_targets
from sqlrisk.report.findings import Findings, checked, not_measured
from sqlrisk.report.result import amount_of
from sqlrisk.report.section import Figures, Part
from sqlrisk.report.sections.assessment import doubts, worst
from sqlrisk.report.wording import (
    HIDDEN,
    Row,
    base_of,
    baselines,
    capitalized,
    count,
    distinct,
    in_percent,
    label_name,
    left_out,
    listed,
    number_of,
    pooled,
    shown,
    split,
    synthesis_name,
    unit_of,
    valued,
)

FIRST = 3  # findings on page one
LABEL = 30  # maximum characters of a label on a screen
STATED = 2  # statements about the release on a screen: if there are more than 3, the first 2
TOLD = 10  # findings with a part of their own; the rest are in the annex
ASSESSED = {
    "assessable": "Yes: no problem with the files was found.",
    "doubtful": "Hardly: the numbers may say less than they seem to.",
    "not assessable": "No: no number says that these files are safe.",
}
MET = {
    NOT_ASSESSABLE: "not met, as the files cannot be assessed",
    FAIL: "not met, so it does not allow the release",
    REVIEW: "met, except for what needs review",
    PASS: "met",
}
EVERYBODY = "Everybody is counted."
NO_RISK = "None of the measures asked for is a risk by itself: read the tables."
NOBODY = "Nothing was found: each measure that is explained in words counts 0 people."
NO_POLICY = "None given: nothing says that the file may be released."
ORDER = (
    "Ordered by the percent of people, less those for whom a guess from only the shares would "
    "be right anyway. What fails a policy comes first."
)


@dataclass(frozen=True)
class Finding:
    """A finding: how many people are found in the synthetic file, or have a target revealed.

    Attributes:
        id: the measure and, if there is one, the target: ``DiSCO:income``.
        title: the subject in words, such as the label of the target.
        sentence: the finding in words.
        again: a short form of the sentence, for use right below another finding of the same
            measure. Empty if the full sentence is needed.
        original, guesses: comparisons: what the original would reveal, what is revealed about
            people who were not in the synthesis, and how often guesses are right. Empty if unknown.
        row: the result row of the number.
        weight: the sort key. First 1 if a policy fails because of the finding, -1 if the finding is
            no risk by itself, else 0. Then the percent of people, less those for whom a guess from
            only the shares would be right anyway (see `_weight`).
    """

    id: str
    title: str
    sentence: Sentence
    again: Sentence
    original: Sentence
    guesses: Sentence
    row: Row
    weight: tuple[int, float]


@dataclass(frozen=True)
class Decision:
    """The content of page one, which shows the first ``FIRST`` of the `worries`.

    Attributes:
        release, unstated: as in `stated`.
        assessed, policy: sentences about the assessment of the files and the policy's verdict.
        known: the keys that an intruder is assumed to know, in words.
        findings: all findings, the worst first.
        targets: the targets of the findings in their order, then those without a finding. Links
            and ratios of membership are not targets.
        reservations: sentences.
    """

    release: list[tuple[str, str]]
    unstated: str
    assessed: str
    policy: str
    known: str
    findings: list[Finding]
    targets: list[object]
    reservations: list[str]

    @property
    def worries(self) -> list[Finding]:
        """The findings that are risks on their own, except those about nobody. A rounded number is
        about nobody only if its upper limit is 0.
        """
        return [
            each
            for each in self.risks
            if each.row["numerator"] != 0 or each.row.get("numerator_high")
        ]

    @property
    def risks(self) -> list[Finding]:
        """The findings of measures that are risks on their own."""
        return [each for each in self.findings if each.weight[0] >= 0]


def decide_on(report: Findings) -> Decision:
    """Return the content of page one of a report."""
    release, unstated = stated({"": release_of(report.scenario)})
    found = sorted(_findings(report), key=lambda each: each.weight, reverse=True)
    named = listed(report.scenario.get("targets"))
    targets = distinct([*(each.row for each in found), *report.results], "target")
    decision = Decision(
        release=release,
        unstated=unstated,
        assessed=ASSESSED[worst(report.assessment)]
        if report.assessment
        else "The files were not assessed.",
        policy=judged_by(report.policy, lambda _row: report),
        known=sentences.known(report),
        findings=found,
        targets=[target for target in targets if target in named],
        reservations=[],
    )
    return replace(decision, reservations=[*_reservations(report, decision.worries)])


def stated(releases: Mapping[str, Mapping[str, str]]) -> tuple[list[tuple[str, str]], str]:
    """Return the statements about the release as pairs of heading and text, and a sentence about
    missing statements (empty if none is missing). ``releases`` has the statements of each scenario.
    If they differ, the headings name the scenarios.
    """
    found: list[tuple[str, str]] = []
    for name, heading in SAID.items():
        texts = {each[name]: list[str]() for each in releases.values() if name in each}
        for scenario, each in releases.items():
            texts.get(each.get(name, ""), []).append(shown(scenario))
        found += [
            (heading if len(texts) == 1 else f"{heading} ({conjoined(whose)})", shown(text))
            for text, whose in texts.items()
        ]
    said = {name for each in releases.values() for name in each}
    missing = [f"“{heading.lower()}”" for name, heading in SAID.items() if name not in said]
    if not said:
        return found, "Not stated: what is released, by whom, to whom and for what."
    return found, f"Not stated: {', '.join(missing)}." if missing else ""


def page_one(decision: Decision) -> Iterator[Part]:
    """Yield the parts of page one, including the place of its figure."""
    yield from said_of_release(decision.release, decision.unstated)
    yield Terms([("Can it be judged?", decision.assessed), ("The policy", decision.policy)])
    yield Heading("What worries us")
    yield from worries(decision)
    yield Figures(("decision",))
    yield Heading("Reservations")
    yield Items(decision.reservations)


def said_of_release(release: list[tuple[str, str]], unstated: str) -> Iterator[Block]:
    """Yield the statements about the release, and the facts that nobody has stated."""
    if release:
        yield Terms(release)
    if unstated:
        yield Paragraph(unstated, quiet=True)


def brief(report: Findings) -> Decision:
    """Return the content of page one with less text, so that it fits a screen: long labels are cut,
    and most statements about the release, the unstated facts and the note that everybody is counted
    are left out.
    """
    decision = decide_on(replace(report, labels=_cut(report.labels)))
    return replace(
        decision,
        release=first_stated(decision.release),
        unstated="",
        reservations=[each for each in decision.reservations if each != EVERYBODY],
    )


def first_stated(release: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the first ``STATED`` statements about the release, and the headings of the others in
    one line. If there is only one more, return all.
    """
    if len(release) <= STATED + 1:
        return release
    others = conjoined([heading[:1].lower() + heading[1:] for heading, _ in release[STATED:]])
    return [*release[:STATED], ("Also stated", others)]


def _cut(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels of at most ``LABEL`` characters, cut after a word. A label stays whole if
    another begins with the same words, or if its first word is too long.
    """
    short = {name: shorten(label, LABEL, placeholder="…") for name, label in labels.items()}
    times = Counter(("…", *short.values()))
    return {
        name: short[name] if times[short[name]] == 1 else label for name, label in labels.items()
    }


def worries(decision: Decision) -> Iterator[Block]:
    """Yield the intruder's assumed knowledge and the first findings, or why there are none."""
    first = decision.worries[:FIRST]
    if not first:
        yield Paragraph(nothing(decision))
        return
    yield Paragraph(knowing(decision), quiet=True)
    yield in_turn([("", each) for each in first])


def in_turn(found: Iterable[tuple[str, Finding]]) -> Items:
    """Return findings in words, each with the text before it, which says whose it is. A finding of
    the same intruder and measure as the one above it is said in short.
    """
    said, last = [], None
    for before, each in found:
        alike = (before, each.row["measure"])
        said.append(led(each, each.again if alike == last else None, before))
        last = alike
    return Items(said)


def nothing(decision: Decision) -> str:
    """Return in words why there are no worrying findings."""
    if decision.risks:
        return NOBODY
    return NO_RISK if decision.findings else "No measure that is explained in words was computed."


def findings(decision: Decision) -> Items:
    """Return the sentences of the findings that have a section of their own."""
    told = decision.findings[:TOLD]
    return Items([Sentence(*parts(led(each)), *_spaced(each.guesses)) for each in told])


def counted(decision: Decision) -> str:
    """Return the title of the findings. If only some are shown, it says how many of how many."""
    all_of, told = len(decision.findings), min(len(decision.findings), TOLD)
    title = "Findings, worst first" if decision.worries else "What was measured, in words"
    return f"{title} ({told} of {all_of}; the rest in the tables)" if all_of > told else title


def knowing(decision: Decision) -> str:
    """Return a sentence about the keys that the intruder knows in all findings."""
    if not decision.worries:
        return f"These columns are {decision.known}."
    guessed = any(0 < each.weight[1] < count(each.row["value"]) for each in decision.worries)
    return (
        f"What somebody could learn about a person if they know {decision.known} (these columns), "
        f"worst first{' (discounting what anybody could guess)' if guessed else ''}:"
    )


def led(finding: Finding, again: Sentence | None = None, before: str = "") -> Sentence:
    """Return a finding in words: its subject, the finding, and what the original would reveal.

    ``again`` is used instead of the finding's full sentence, unless it is empty. ``before`` is the
    beginning of the text.
    """
    said = again or finding.sentence
    return Sentence(
        f"{before}{capitalized(finding.title)}: ", *parts(said), *_spaced(finding.original)
    )


def parts(sentence: str) -> tuple[str, ...]:
    """Return the pieces of a sentence. A sentence that is plain text has one piece."""
    return sentence.parts if isinstance(sentence, Sentence) else (sentence,)


def _spaced(sentence: str) -> tuple[str, ...]:
    return (" ", *parts(sentence)) if sentence else ()


# ---- findings


def _titled(report: Findings, measure: str, target: object) -> str:
    """Return the title of a number in words: its measure's ``finding``, or title and target."""
    words = "" if target is None else in_words(report, target)
    if finding := report.declared.get(measure, {}).get("finding"):
        return str(finding).replace("{target}", words)
    title = str(report.headers.get(measure, {}).get("title", measure))
    return f"{title}, {words}" if words else title


def _findings(report: Findings) -> Iterator[Finding]:
    verdicts: Any = report.policy.get("verdicts", ())
    failed = [row for row in verdicts if row["verdict"] in (FAIL, NOT_ASSESSABLE)]
    broken = {(row["measure"], row["target"]) for row in failed}
    values: dict[tuple[object, str], list[tuple[str, Row]]] = {}
    for (name, target, label), found in rows_at_a_glance(report).items():
        values.setdefault((target, label_name(label)), []).append((name, found))
    for row, sentence in sentences.of_rows(report):
        measure, target = str(row["measure"]), row["target"]
        beside = values.get((target, label_name(row["synthesis"])), [])
        weight = (
            int((measure, target) in broken) or -int(not report.family(str(row["family"])).a_risk),
            _weight(report, row, beside),
        )
        yield Finding(
            measure if target is None else f"{measure}:{target}",
            _titled(report, measure, target),
            sentence,
            sentences.again(report, row),
            *_beside(report, row, beside),
            row,
            weight,
        )


def _weight(report: Findings, row: Row, values: Sequence[tuple[str, Row]]) -> float:
    """Return the percent of people of a row, less those for whom a guess from only the target's
    shares would be right anyway: value * (1 - percent right / 100). ``values`` is as in `_beside`.

    Return 0 if the row is not a percentage or not a risk.
    """
    header = report.headers.get(str(row["measure"]), {})
    if not in_percent(row) or header.get("higher") != "more risk":
        return 0.0
    bases = baselines(report)
    right = max((count(found["value"]) for name, found in values if name in bases), default=0)
    return count(row["value"]) * (1 - right / 100)


def _beside(
    report: Findings, row: Row, values: Sequence[tuple[str, Row]]
) -> tuple[Sentence, Sentence]:
    """Return two sentences: what the original would reveal of the row's target (and what is
    revealed about people outside the synthesis), and how often guesses are right. Both are empty
    unless the row is about certain disclosure.

    ``values`` has the measures and rows of the target and the row's method from `rows_at_a_glance`,
    so several files are represented by their mean.
    """
    number = {name: number_of(each, "value", "percent") for name, each in values}
    told = {name for name, text in number.items() if text != HIDDEN}
    original, guesses = Sentence(), Sentence()
    headlines = of_targets(report.declared)
    place = (row["measure"], CERTAIN)
    certain = next((each for each in headlines if (each.name, each.word) == place), None)
    if certain is None:
        return original, guesses
    excluded = sentences.excluded(report, row) is not None
    if certain.original in told:
        original = Sentence(
            "Publishing the original would reveal it for ",
            number[certain.original],
            f" % of all people{', counting nobody left out' * excluded}.",
        )
    elif certain.original in number:
        original = Sentence("For how many people the original would reveal it is hidden.")
    if others := _of_others(report, row):
        original = Sentence(*parts(original), *_spaced(others)) if original else others
    for each in headlines:
        base = "" if each.baseline is None else base_of(report, each.baseline)
        sides = {
            "the shares of its levels alone": base,
            "the synthetic file": each.name,
            "the original": each.original,
        }
        if each.word == GUESSED and not guesses and {*sides.values()} <= number.keys():
            right = {side: number[name] for side, name in sides.items()}
            guesses = _guessed(right, excluded=excluded)
    return original, guesses


def _guessed(right: Mapping[str, str], *, excluded: bool) -> Sentence:
    """Return a sentence about how often guesses are right. ``right`` has their percentages by what
    the guess is made from. Those that are hidden have a sentence of their own. ``excluded``: they
    do not count everybody.
    """
    first = "Counting nobody left out, a" if excluded else "A"
    said: list[str] = []
    for side, number in right.items():
        if number != HIDDEN:
            people = "" if said else "of all people "
            lead = ", for " if said else f"{first} guess is right for "
            said += [lead, number, f" % {people}from {side}"]
    if said:
        said.append(".")
    if hidden := " or ".join(side for side, number in right.items() if number == HIDDEN):
        said += [" " if said else "", f"How often a guess from {hidden} is right is hidden."]
    return Sentence(*said)


def _of_others(report: Findings, row: Row) -> Sentence:
    """Return in words for how many people outside the synthesis the target is revealed. Empty
    without control, or if the number is unknown.
    """
    if report.control is None:
        return Sentence()
    place = ("target", "synthesis", "population", "at", "weighted")
    rows = [each for each in report.of_measure[str(row["measure"])] if each["people"] == "control"]
    same = (each for each in valued(rows) if all(each[name] == row[name] for name in place))
    found = next(same, None)
    if found is None:
        return Sentence()
    return Sentence(
        "Of people who were not in the synthesis, the same is revealed for ",
        number_of(found, "value", "percent"),
        " %.",
    )


# ---- what else page one says


def judged_by(policy: Mapping[str, Any], report_of: Callable[[Row], Findings]) -> str:
    """Return in words the verdict in ``policy``, and the number that decides it.

    ``policy`` is as in a Report, empty without a policy. ``report_of`` takes a verdict and returns
    the report that it is about.
    """
    if not policy:
        return NO_POLICY
    found = [str(row["verdict"]) for row in policy["verdicts"] if row["measure"] is not None]
    counts = ", ".join(
        f"{found.count(verdict)} {words}"
        for verdict, words in zip(VERDICTS, ("pass", "for review", "fail"), strict=False)
    )
    return (
        f"{shown(policy['name'])}: {MET[policy['verdict']]}. "
        f"Of {amount_of(len(found), 'number')} judged: {counts}.{_decisive(policy, report_of)}"
    )


def _decisive(policy: Mapping[str, Any], report_of: Callable[[Row], Findings]) -> str:
    row = nearest(dict(policy))
    if row is None:
        return ""
    whose = f"{shown(row['scenario'])}, " if "scenario" in row else ""
    group = "" if row["population"] in (None, "all") else ", in a subgroup"
    title = _titled(report_of(row), str(row["measure"]), row["target"])
    percent = " %" * (in_parts(row) or in_percent(row))
    value, limit = numbers_told(row)
    return (
        f" {place_told(row).capitalize()}: {whose}{title}{group}: "
        f"{value}{percent} (limit {limit}{percent}, {margin_told(row)})."
    )


def _reservations(report: Findings, worries: Sequence[Finding]) -> Iterator[str]:
    reasons = [*map(_untyped, doubts(report.assessment))]
    yield from reasons[:FIRST]
    if len(reasons) > FIRST:
        yield f"In the annex: {amount_of(len(reasons) - FIRST, 'more doubt')}."
    if out := [*left_out(report.scenario, partial(in_words, report))]:
        why = report.scenario.get("justification")
        because = "no reason is given" if why is None else f"because: {str(why).rstrip('.')}"
        told = f"Not everybody is counted ({shown(because)}). Left out: {'; '.join(out)}."
        yield Sentence(told, *_with_all(report, worries))
    else:
        yield EVERYBODY
    yield from sentences.of_all_files(report, [each.row for each in worries[:FIRST]])
    yield from _flagged(report)
    if report.rounding:
        yield (
            f"Every figure is rounded, to multiples of {report.rounding['threshold']} people or "
            "coarser; the levels that people have, and single combinations, are not named."
        )
    if unmeasured := [*_unmeasured(report)]:
        said = f"{not_measured(report)}: {'; '.join(unmeasured)}."
        yield f"{said} What was not measured may still be a risk."


def _with_all(report: Findings, worries: Sequence[Finding]) -> Iterator[str]:
    """Yield the pieces of a sentence: the worst number that exclusions change, without and with."""
    if report.rounding:
        yield " The numbers with them are not in an external report."
        return
    for each in worries:
        if both := sentences.without_exclusions(report, each.row):
            unit, percent = unit_of(each.row), " %" * in_percent(each.row)
            yield f" {capitalized(each.title)}: "
            yield number_of(each.row, "value", unit)
            yield f"{percent} without them, "
            yield number_of(both[1], "value", unit)
            yield f"{percent} with them."
            return


def _untyped(text: str) -> str:
    """Return the text of a reason without commands to type, which the annex has."""
    kept = [part for part in re.split(r"(?<=[.;]) ", text) if " --" not in part]
    return re.sub(r";$", ".", " ".join(kept))


def _flagged(report: Findings) -> Iterator[str]:
    told: list[str] = []
    one_way = split(checked(report, "one_way"), "target")
    for target, rows in one_way[:FIRST]:
        # a single file if there is one, as findings are about single files
        row = max(rows, key=lambda each: (not pooled(each["synthesis"]), each["PctLevelDis"]))
        of = f" in {synthesis_name(row['synthesis'])}" if len(report.synthetic) > 1 else ""
        told += [
            "; " if told else "",
            f"of {in_words(report, target)} “{shown(row['Level'])}” (",
            number_of(row, "PctLevelDis", "percent"),
            f" % of them{of}, ",
            number_of(row, "PctLevelAll", "percent"),
            " % of all people)",
        ]
    if told:
        more = f"; and of {len(one_way) - FIRST} more" if len(one_way) > FIRST else ""
        lead = "Nearly all people revealed have one level, which anybody might guess: "
        yield Sentence(lead, *told, f"{more}.")
    settled = distinct(checked(report, "two_way"), "target")
    if settled:
        names = conjoined(in_words(report, target) for target in settled[:FIRST])
        more = f" (and of {len(settled) - FIRST} more)" if len(settled) > FIRST else ""
        yield (
            f"One of these columns nearly determines some levels of {names}{more}. "
            "Is this a rule that everybody knows?"
        )


def _unmeasured(report: Findings) -> Iterator[str]:
    measures = {*report.measured}
    if measures.isdisjoint(criteria(report.declared)[LINKABILITY]):
        yield "whether two sources can be joined"
    if "membership" not in {report.headers.get(name, {}).get("theme") for name in measures}:
        yield "who was in the original"
    if report.control is None:
        yield "risk to people outside the synthesis"
    if not report.population_uniques and report.universe is None:
        yield "who stands out in the population"
    if report.utility is None:
        yield "utility"
