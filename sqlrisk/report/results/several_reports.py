"""The reports of several scenarios, or of several steps of a recode, that were run together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

from sqlrisk.common.errors import InputError, Problems
from sqlrisk.inputs.policy import VERDICTS, Policy, for_each
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, table
from sqlrisk.report.columns import COLUMNS, THRESHOLD, TYPES, Row
from sqlrisk.report.decision.intruders import Board, page_one, title
from sqlrisk.report.findings import UNRECORDED, ManifestMaker, every_number, of_first_population
from sqlrisk.report.formats.tabular import plain
from sqlrisk.report.prose import said
from sqlrisk.report.report import Report
from sqlrisk.report.result import Lines, Path, all_labels, lines, written
from sqlrisk.report.results import verdicts
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.results.table import Table
from sqlrisk.report.results.verdicts import Verdicts, require
from sqlrisk.report.section import in_text
from sqlrisk.report.sections import assessment, cells, numbers, worst_sets
from sqlrisk.report.sections.parts import part_of_all
from sqlrisk.report.sections.report_sections import MORE, asked_for, report_blocks
from sqlrisk.report.wording import (
    NOTHING,
    amount,
    means,
    number,
    or_blank,
    plain_text,
    shown,
    synthesis_name,
    unit_of,
    value_of,
)

DRAWN = "Step by step"  # the heading of templates/steps.j2 above the figures
_LINE = ("measure", "at", "target", "synthesis")  # identify a number about one population


@dataclass(frozen=True, repr=False)
class Several(ResultKind, Mapping[str, Report]):
    """Reports of one run by name."""

    reports: dict[str, Report]
    labels: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _types: ClassVar = {"scenario": "string", **TYPES}

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", all_labels(self.reports.values()))

    def __getitem__(self, name: str) -> Report:
        return self.reports[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    @property
    def rounding(self) -> dict[str, Any]:
        """How the figures of external reports are rounded, and what was proven of all of them
        together. Empty for other reports.
        """
        first = next(iter(self.values())).rounding
        return {name: value for name, value in first.items() if name != "left_out"}

    @property
    def shared(self) -> bool:
        """True for external reports: the umask decides who can read their files."""
        return bool(self.rounding)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self]

    def _line(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self)}>"

    def _glance(self) -> Iterator[Block]:
        from sqlrisk.report.decision.glance import at_a_glance

        for name, report in self.items():
            if (numbers := at_a_glance(report)) is not None:
                yield from (Heading(shown(name)), numbers)

    def _document(self) -> dict[str, object]:
        documents = [{"name": name, **report.to_dict()} for name, report in self.items()]
        once = ("sqlrisk", "schema")  # fields of the whole document, not of each report
        return {
            "scenarios": [
                {key: value for key, value in each.items() if key not in once} for each in documents
            ]
        }

    def _table(self) -> Lines:
        rows = [
            [name, *line] for name, each in self.items() for line in lines(COLUMNS, each.results)
        ]
        return ("scenario", *COLUMNS), rows


@dataclass(frozen=True, repr=False)
class Reports(Several):
    """The report of each scenario by its name, in the order of the scenarios.

    ``trail`` holds the facts of the run that its manifest records.
    """

    trail: ManifestMaker | None = field(default=None, repr=False, compare=False)
    _kind: ClassVar = "several"

    @property
    def policy(self) -> dict[str, Any]:
        """All verdicts, each with its scenario, and the worst verdict. Empty without a policy."""
        each: dict[str, dict[str, Any]] = {
            name: report.policy for name, report in self.items() if report.policy
        }
        if not each:
            return {}
        verdicts = [
            {"scenario": name, **row} for name, policy in each.items() for row in policy["verdicts"]
        ]
        verdict = max((str(policy["verdict"]) for policy in each.values()), key=VERDICTS.index)
        return {**next(iter(each.values())), "verdict": verdict, "verdicts": verdicts}

    @property
    def version(self) -> str:
        """The version of sqlrisk that made the reports."""
        return next(iter(self.values())).version

    def judged(self, policy: Policy) -> "Reports":
        """Return the reports with their verdicts by ``policy``. A rule about some targets judges
        the reports that have them.

        Raises InputError if a rule matches none of a report's numbers.
        """
        # a rule without a target is about every report, also about one whose rows all have targets
        targets = {
            name: {row["target"] for row in every_number(report)} - {None}
            for name, report in self.items()
        }
        own = for_each(policy, targets)
        problems = Problems(self)
        found: dict[str, Report] = {}
        for name, report in self.items():
            with problems[name]:
                found[name] = report.judged(own[name])
        problems.stop()
        return replace(self, reports=found)

    def require(self) -> "Reports":
        """Return the reports. If they do not meet their policy, raise PolicyError with them."""
        require(self)
        return self

    def verdicts(self) -> Verdicts:
        """Return the verdict on each number as a table. Raises InputError without a policy."""
        return Verdicts.of(self)

    def table(self, part: str) -> Table:
        """Return one part with a column ``scenario``. ``utility`` is the same for all scenarios,
        and has no such column.

        Raises InputError for a part that a report does not have.
        """
        return part_of_all(self, part)

    def by_command(self, command: str) -> "Reports":
        """Return the reports with the command line that asked for them, for their manifest."""
        return self if self.trail is None else replace(self, trail=self.trail.by_command(command))

    def with_evidence(self) -> "Reports":
        """Return the reports, each with an annex of evidence, as in a ``Report``."""
        return replace(
            self, reports={name: report.with_evidence() for name, report in self.items()}
        )

    def external(self, threshold: int = THRESHOLD) -> "Reports":
        """Return the reports that you can share together, checked by one audit.

        They are as ``Report.external`` returns them. Figures that no audit covers for several sets
        of keys are hidden, and subgroups are left out.

        Raises:
            InputError: as for one report, or if the scenarios exclude different people or recode a
                column differently.
        """
        from sqlrisk.report.external.release import external_of_all

        return replace(self, reports=external_of_all(self.reports, threshold))

    def manifest(self) -> dict[str, object]:
        """Return the manifest of the run, with a list ``scenarios``.

        Raises the errors of ``Report.manifest``.
        """
        if self.trail is None:
            raise InputError(UNRECORDED)
        manifest = self.trail.manifest_of_all(self, self.policy)
        return {name: plain(value) for name, value in manifest.items()}

    def to_text(self, *, width: int = 80, colour: bool = False, brief: bool = False) -> str:
        """Return the reports as text for a terminal ``width`` characters wide.

        A ``brief`` text has a row for each scenario, the worst findings, and the tables that the
        scenarios asked for. The full text has all tables.
        """
        from sqlrisk.report.formats.text import text

        return text(self._brief() if brief else self._blocks(), width=width, colour=colour)

    def to_html(self, path: Path | None = None) -> str:
        """Return the reports as one HTML page to sign off, with a chapter for each, or the path
        that it is written to.

        The page names levels and lists risky cells, unless the reports are external. If the run did
        not ask for ``listings``, it is repeated to find the cells. Raises InputError if a library
        that draws the figures is missing (``pip install '.[report]'``).
        """
        from sqlrisk.report.html.page import page_of_all

        run = {} if self.trail is None else self.manifest()
        return written(page_of_all(self._board(), self.labels, run), path, shared=self.shared)

    def _document(self) -> dict[str, object]:
        worst = worst_sets.worst_of(self)
        # verdicts are in each scenario
        overall = {name: value for name, value in self.policy.items() if name != "verdicts"}
        beside = {"membership_worst": worst, "policy": overall, "rounding": self.rounding}
        return super()._document() | {name: value for name, value in beside.items() if value}

    def _printed(self) -> "Reports":
        return replace(
            self, reports={name: replace(each, cube=None) for name, each in self.items()}
        )

    def _board(self) -> Board:
        return Board.of(self, self.policy)

    def _brief(self) -> list[Block]:
        board = self._board().brief()
        blocks: list[Block] = [
            Heading(title(board), 1),
            *in_text(page_one(board)),
            *worst_sets.blocks(self),
        ]
        for name, report in self.items():
            asked = [*asked_for(report, board.decisions[name])]
            if asked or numbers.measures_named(report):
                told = numbers.of_the_worst(report, board.decisions[name])
                blocks += [Heading(f"Intruder {shown(name)}", 1), *told, *asked]
        return [*blocks, MORE]

    def _blocks(self) -> list[Block]:
        board = self._board()
        blocks: list[Block] = [
            Heading(title(board), 1),
            *in_text(page_one(board)),
            *verdicts.blocks(self.policy, chapters=True),
            *worst_sets.blocks(self),
        ]
        for name, report in self.items():
            _, *rest = report_blocks(report)
            blocks += [Heading(f"Intruder {shown(name)}", 1), *rest]
        return blocks

    def _listed(self) -> list[Block]:
        return self._blocks()  # the settings of each report have its labels


@dataclass(frozen=True, repr=False)
class Steps(Several):
    """The Report of each step by its name, in the order of the steps: ``reports["age.width=5"]``.

    ``stepped`` names the recode that differs (``age.width``). ``steps`` has its values as texts.
    """

    stepped: str
    steps: tuple[str, ...]
    _kind: ClassVar = "steps"
    _below: ClassVar = {DRAWN: ()}

    @property
    def scenario(self) -> dict[str, object]:
        """The settings of the first step."""
        return next(iter(self.values())).scenario

    @property
    def assessment(self) -> list[Row]:
        """The assessments of all steps. A reason of only some steps begins with their names."""
        return assessment.of_all({name: report.assessment for name, report in self.items()})

    def lines(self) -> Iterator[list[Row]]:
        """Yield a row per step for each number of all people, or of the first population if there
        is none of all people. Several syntheses have their mean.

        If a step lacks the number, for example because it leaves no target ordered, its row has the
        value None.
        """
        every = [
            {tuple(row[name] for name in _LINE): row for row in of_first_population(report)}
            for report in self.values()
        ]
        found = {line: row for step in every for line, row in step.items()}
        labels = means(found.values())
        for line, row in found.items():
            if line[-1] in labels:
                yield [step.get(line, {**row, "value": None}) for step in every]

    def _document(self) -> dict[str, object]:
        return {"stepped": self.stepped, "steps": list(self.steps), **super()._document()}

    def _blocks(self) -> list[Block]:
        return said(
            "steps", self, assessment=assessment.blocks(self.assessment), measures=[self._drawn()]
        )

    def _drawn(self) -> Grid:
        """Draw each number at each step, and its change from the step before."""
        every = list(self.lines())
        file = cells.text("file", lambda rows: synthesis_name(shown(rows[0]["synthesis"])))
        population = cells.text("population", lambda rows: shown(rows[0]["population"]))
        columns = [
            cells.text("measure", _measure),
            cells.text("target", lambda rows: or_blank(rows[0]["target"])),
            *([file] if len({rows[0]["synthesis"] for rows in every}) > 1 else []),
            *([population] if {rows[0]["population"] for rows in every} - {"all"} else []),
        ]
        for place, step in enumerate(self):
            columns.append((GridColumn("value", above=shown(step)), partial(_value, place)))
            if place:
                columns.append((GridColumn("change", above=shown(step)), partial(_change, place)))
        return table(columns, every)


def _measure(rows: list[Row]) -> str:
    measure, at = rows[0]["measure"], rows[0]["at"]
    return plain_text(measure) if at is None else f"{measure} {number(at)}"


def _value(place: int, rows: list[Row]) -> str:
    return value_of(rows[place])


def _change(place: int, rows: list[Row]) -> str:
    before, after = (row["value"] for row in rows[place - 1 : place + 1])
    if before is None or after is None:
        return NOTHING
    return f"{'+' if after > before else ''}{amount(after - before, unit_of(rows[place]))}"
