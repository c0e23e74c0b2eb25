"""Page one of several scenarios: a row for each intruder, the worst findings of all, and
reservations about the numbers.

Like page one of a single report it uses no symbols. Each intruder has a chapter with the full text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlrisk.inputs.release import release_of
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report.blocks import (
    Grid,
    GridColumn,
    Heading,
    Items,
    Paragraph,
    Sentence,
    Terms,
    table,
)
from sqlrisk.report.columns import TITLE
from sqlrisk.report.decision.page_one import (
    ASSESSED,
    EVERYBODY,
    FIRST,
    Decision,
    Finding,
    brief,
    decide_on,
    first_stated,
    in_turn,
    judged_by,
    nothing,
    parts,
    said_of_release,
    stated,
)
from sqlrisk.report.decision.sentences import conjoined, in_words, of_files
from sqlrisk.report.declared import CERTAIN, GUESSED, UNIQUE, headlines
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.result import amount_of
from sqlrisk.report.section import Figures, Part
from sqlrisk.report.sections import cells
from sqlrisk.report.sections.assessment import worst
from sqlrisk.report.wording import Row, count, shown, value_of, valued

LEFT_OUT = "left out"
WORDS = {
    UNIQUE: "singled\nout, %",
    CERTAIN: "revealed,\n%",
    GUESSED: "guessed\nright, %",
    LEFT_OUT: "left\nout, %",
}
SAID = {
    UNIQUE: "who seem to be found",
    CERTAIN: "of whom a target is revealed for certain",
    GUESSED: "whose target a guess gets right",
}


@dataclass(frozen=True)
class Board:
    """The content of page one about several reports.

    ``reports`` and ``decisions`` are by scenario name. ``policy`` is the joint verdict, empty
    without a policy. ``is_brief`` is True if the content is shortened to fit a screen.
    """

    reports: Mapping[str, Findings]
    policy: Mapping[str, Any]
    decisions: Mapping[str, Decision]
    is_brief: bool = False

    @classmethod
    def of(cls, reports: Mapping[str, Findings], policy: Mapping[str, Any]) -> "Board":
        """Return the board of these reports, with the content of page one for each."""
        return cls(reports, policy, {name: decide_on(report) for name, report in reports.items()})

    @property
    def worst(self) -> str:
        """The scenario with the worst finding, or the first if there is none."""
        found = {
            name: decision.findings[0].weight
            for name, decision in self.decisions.items()
            if decision.findings
        }
        return max(found, key=found.__getitem__, default=next(iter(self.decisions)))

    @property
    def worries(self) -> list[tuple[str, Finding]]:
        """The worrying findings of all scenarios as pairs of scenario and finding, worst first.
        Each subject is there once, from the scenario in which it is worst.
        """
        found: dict[str, tuple[str, Finding]] = {}
        for name, decision in self.decisions.items():
            for each in decision.worries:
                if each.id not in found or each.weight > found[each.id][1].weight:
                    found[each.id] = (name, each)
        return sorted(found.values(), key=lambda pair: pair[1].weight, reverse=True)

    def brief(self) -> "Board":
        """Return the board with less content, so that page one fits a screen."""
        return replace(
            self,
            decisions={name: brief(each) for name, each in self.reports.items()},
            is_brief=True,
        )


def title(board: Board) -> str:
    """Return the title of the page."""
    return f"{TITLE}: {amount_of(len(board.reports), 'intruder')}"


def page_one(board: Board) -> Iterator[Part]:
    """Yield the parts of page one, including the place of its figure."""
    release, unstated = stated(
        {name: release_of(report.scenario) for name, report in board.reports.items()}
    )
    if board.is_brief:
        release, unstated = first_stated(release), ""
    yield from said_of_release(release, unstated)
    policy = judged_by(board.policy, lambda row: board.reports[str(row["scenario"])])
    yield Terms([("Can it be judged?", _assessed(board)), ("The policy", policy)])
    yield Heading("The intruders")
    highest = {word: found for word in WORDS if any((found := _highest(board, word)).values())}
    yield _rows(board, highest)
    yield Terms(
        [(shown(name), f"knows {decision.known}") for name, decision in board.decisions.items()]
    )
    if said := [SAID[word] for word in highest if word in SAID]:
        yield Paragraph(
            "Percent of the people of the original, the highest of all targets and single files: "
            f"{', '.join(said)}. More is in the chapter of each.",
            quiet=True,
        )
    yield Heading("What worries us most")
    if worries := board.worries[: 1 if board.is_brief else FIRST]:
        yield in_turn([(f"{shown(name)}. ", each) for name, each in worries])
    else:
        yield Paragraph(nothing(board.decisions[board.worst]))
    yield Heading("Reservations")
    yield Items([*_reservations(board)])
    yield Figures(("decision",))


def _assessed(board: Board) -> str:
    """Return a sentence about the assessment of the files: the worst state of all intruders. If the
    states differ, the sentence names the intruders with the worst.
    """
    states = {
        name: worst(report.assessment)
        for name, report in board.reports.items()
        if report.assessment
    }
    if not states:
        return "The files were not assessed."
    state = worst([{"state": each} for each in states.values()])
    whose = [name for name, each in states.items() if each == state]
    if len(whose) == len(states):
        return ASSESSED[state]
    return f"{ASSESSED[state].removesuffix('.')} (for {conjoined(map(shown, whose))})."


def _rows(board: Board, highest: Mapping[str, Mapping[str, Row | None]]) -> Grid:
    """Draw a row for each intruder: the ``highest`` number of each headline and its target, the
    policy's verdict, and the number of findings.
    """
    columns = [cells.text("intruder", shown)]
    for word, found in highest.items():
        columns.append((GridColumn(WORDS[word]), partial(_value, found)))
        if any(row is not None and row["target"] is not None for row in found.values()):
            columns.append(cells.text("target", partial(_target, board.reports, found)))
    if board.policy:
        verdict = GridColumn("policy", label=True, judges=True)
        columns.append((verdict, lambda name: str(board.reports[name].policy["verdict"])))
    columns.append((GridColumn("findings"), lambda name: str(len(board.decisions[name].findings))))
    return table(columns, [*board.reports])


def _highest(board: Board, word: str) -> dict[str, Row | None]:
    """Return for each report its row with the highest value of all targets and files, or None if no
    row has a value.

    Only rows about all people count, of the headline measures with this ``word`` (such as CERTAIN).
    If it is LEFT_OUT, the measures are those of excluded people.
    """
    found: dict[str, Row | None] = {}
    for name, report in board.reports.items():
        measures = [each.name for each in headlines(report.declared) if each.word == word]
        if word == LEFT_OUT:
            measures = [*EXCLUDED]
        rows = [row for each in measures for row in numbers(report, each)]
        found[name] = max(rows, key=lambda row: count(row["value"]), default=None)
    return found


def numbers(report: Findings, measure: str) -> list[Row]:
    """Return the rows of a measure for all people and a single file that have a value. Leave out
    rows at a point (``at``), such as a tau.
    """
    everybody = {id(row) for row in of_everybody(report)}
    rows = [row for row in of_files(report, measure) if id(row) in everybody]
    return valued(row for row in rows if row["at"] is None)


def _value(highest: Mapping[str, Row | None], name: str) -> str:
    return value_of(highest[name])


def _target(reports: Mapping[str, Findings], highest: Mapping[str, Row | None], name: str) -> str:
    row = highest[name]
    return "" if row is None or row["target"] is None else in_words(reports[name], row["target"])


def _reservations(board: Board) -> Iterator[str]:
    """Yield the reservations about all intruders, then those about each (brief: their number)."""
    of = {name: decision.reservations for name, decision in board.decisions.items()}
    first, *_ = of.values()
    common = [each for each in first if all(each in texts for texts in of.values())]
    own = {
        shown(name): [each for each in texts if each not in (*common, EVERYBODY)]
        for name, texts in of.items()
    }
    yield from common
    if not board.is_brief:
        yield from (
            Sentence(f"{name}: ", *parts(each)) for name, texts in own.items() for each in texts
        )
    elif told := [f"{len(texts)} of {name}" for name, texts in own.items() if texts]:
        yield f"And {conjoined(told)}: see their chapters."
