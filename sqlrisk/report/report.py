"""The report of a run, in every output format."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, SupportsIndex, overload

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs.judging import judge
from sqlrisk.inputs.policy import Policy
from sqlrisk.report.blocks import Block
from sqlrisk.report.columns import THRESHOLD, TYPES, Row
from sqlrisk.report.declared import drawn_with
from sqlrisk.report.findings import Findings, every_number
from sqlrisk.report.formats.one_row import one_row
from sqlrisk.report.result import Frames, Path, amount_of, written
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.table import Table
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.results.verdicts import Verdicts, require
from sqlrisk.report.sections.parts import part_of
from sqlrisk.report.sections.report_sections import brief_blocks, report_blocks
from sqlrisk.report.signing import evidence
from sqlrisk.report.wording import left_out

if TYPE_CHECKING:
    import altair as alt


class UnknownMeasureError(InputError, KeyError):
    """The report has no measure of this name."""

    def __str__(self) -> str:
        return "\n".join(self.problems)


_OF_REPORTS = ("persons", "shares", "map", "policy")  # figures of more than one measure


@dataclass(frozen=True, repr=False)
class MeasureRows(Frames):
    """The result rows of one measure, and the SQL text that defines it."""

    name: str
    rows: list[Row]
    sql: str
    _report: "Report" = field(repr=False, compare=False)
    _types: ClassVar = TYPES

    def plot(self, figure: str | None = None) -> "alt.TopLevelMixin":
        """Return one figure of the report (see ``Report.plot``), with only the numbers of this
        measure and of those that it is compared with. Raises InputError as ``Report.plot`` does,
        and for a figure of more than one measure.
        """
        if figure in _OF_REPORTS:
            raise InputError(
                f"The figure {figure!r} is not about one measure: report.plot({figure!r}) draws it."
            )
        whole = self._report
        drawn = drawn_with(self.name, whole.declared)
        of_members = self.rows[0]["family"] == "membership"
        return replace(
            whole,
            results=[row for row in whole.results if row["measure"] in drawn],
            differences=[row for row in whole.differences if row["measure"] in drawn],
            membership=whole.membership if of_members else [],
            distributions=[],
            shares=[],
            maps=[],
            policy={},
        ).plot(figure)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> Row | list[Row]:
        return self.rows[place]

    def value(
        self,
        *,
        target: object = None,
        synthesis: object = None,
        at: float | None = None,
        population: str | None = None,
        people: str | None = None,
        weighted: bool | None = None,
    ) -> float | None:
        """Return one number, as ``Report.value`` does."""
        place = {
            "at": at,
            "target": target,
            "synthesis": synthesis,
            "population": population,
            "people": people,
            "weighted": weighted,
        }
        number: float | None = one_row(self.name, self.rows, place)["value"]
        return number

    def _line(self) -> str:
        return f"<{self.name}: {amount_of(len(self.rows), 'row')}>"


@dataclass(frozen=True, repr=False)
class Report(Findings, ResultKind):
    """The results of a run. ``results`` has one dict per number, keyed by the CSV's columns.
    ``report["DiSCO"]`` has the ``rows`` and the ``sql`` of a measure.

    Attributes:
        original, synthetic, control, universe: sources and records. ``control`` and ``universe``
            are None if there is none.
        checks: the rows of the one-way and the two-way check.
        exclusions: how many cells and records are excluded, by reason.
        levels, overlap: how many levels only one file has, and how many classes both have.
        differences, membership: comparisons with control.
        distributions, shares, trends, population_uniques: further rows, if you asked for them.
        scenario: every setting by its TOML name.
        engine: the database, its version and how it compares values.
        listings, cube: the riskiest cells, and the counts of the what-if form, if you asked the run
            for them. Both are disclosive, and only internal pages show them.
        version, trail, kept: the version of sqlrisk, the facts for ``manifest()``, and the tables
            that the run left in a schema.
        policy: the verdicts of a policy, empty without one.
        rounding: how the figures of an external report are rounded, and what its audit proved.
        without_exclusions: the rows of ``results`` with nobody excluded. Empty without exclusions.
        assessment: the ``state`` of each synthetic file (``target`` None) and each target:
            assessable, doubtful or not assessable. Its ``reasons`` have a code and a text each.
        copies: for each synthetic file, how many people and records have the same whole row.
        columns: for each synthetic file and column, how many people and records have a level that
            the other file lacks.
        merges: levels that look the same, by column. Only `sqlrisk.inspect` shows them.
        labels: the labels of keys and targets by name.
        equal_width: columns with bins of equal width.
        evidence: True if pages have the annex of ``--evidence``.
        utility: the Utility of the same files, if it was asked for.
        maps: a row for each point of a map of risk and utility: each synthesis and, if its own risk
            is measured, the original.
    """

    _kind: ClassVar = "score"

    def __iter__(self) -> Iterator[str]:
        return iter(self.of_measure)

    def __getitem__(self, measure: str) -> MeasureRows:
        """Return the rows of ``measure``. Raises UnknownMeasureError (InputError and KeyError)."""
        known = self.of_measure
        if measure not in known:
            near = suggestion(str(measure), known) or f"; it has {', '.join(known)}"
            raise UnknownMeasureError(f"This report has no measure {measure!r}{near}.")
        return MeasureRows(measure, [*known[measure]], self.texts.get(measure, ""), self)

    def _line(self) -> str:
        return f"<Report of {amount_of(len(self.synthetic), 'synthetic file')}>"

    def value(
        self,
        measure: str,
        *,
        target: object = None,
        synthesis: object = None,
        at: float | None = None,
        population: str | None = None,
        people: str | None = None,
        weighted: bool | None = None,
    ) -> float | None:
        """Return one number of a measure, in the unit of its row; None if it is not defined.

        Args:
            measure: the measure's name, such as ``"DiSCO"``.
            target: a column.
            synthesis: a label such as ``1``, ``"pooled 1-2"`` or ``"cart mean"``.
            at: the point (such as a tau), for a measure that has several.
            population: by default all people.
            people: by default the people of the original.
            weighted: by default False, so that each person counts once.

        You can omit an argument if the report has only one value of it.

        >>> report.value("DiSCO", target="income", synthesis=1)  # doctest: +SKIP
        11.46

        Raises:
            InputError: The measure is unknown (an UnknownMeasureError), no number fits, or several
                do. The message says which argument to add.
        """
        return self[measure].value(
            target=target,
            synthesis=synthesis,
            at=at,
            population=population,
            people=people,
            weighted=weighted,
        )

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.of_measure]

    def by_command(self, command: str) -> "Report":
        """Return the report with the command line that asked for it, for its manifest."""
        return self if self.trail is None else replace(self, trail=self.trail.by_command(command))

    def judged(self, policy: Policy) -> "Report":
        """Return the report with its verdicts by ``policy``.

        Raises InputError if a rule matches none of the report's numbers.
        """
        unexcluded = self.without_exclusions if any(left_out(self.scenario)) else None
        return replace(self, policy=judge(policy, every_number(self), self.assessment, unexcluded))

    def require(self) -> "Report":
        """Return the report. If it does not meet its policy, raise PolicyError with the report."""
        require(self)
        return self

    def verdicts(self) -> Verdicts:
        """Return the verdict on each number as a table. Raises InputError without a policy."""
        return Verdicts.of(self)

    def with_evidence(self) -> "Report":
        """Return the report with an annex of evidence: the headings of NIST SP 800-188 and WP216,
        each with the part of the report that answers it or the reason why none does.
        """
        return replace(self, evidence=True)

    def table(self, part: str) -> Table:
        """Return one part as a table: ``results``, ``distributions`` (one number per row),
        ``trends``, ``utility`` or ``maps``.

        Raises InputError if the report does not have the part.
        """
        return part_of(self, part)

    def external(self, threshold: int = THRESHOLD) -> "Report":
        """Return the report that you can share, in any form: every figure rounded, no level, no
        cell, no utility.

        An audit proves that no count below ``threshold`` can be derived from its figures (see
        `sqlrisk guide reports`).

        Raises:
            InputError: The audit fails, ``threshold`` is below 3, or scipy is missing (``pip
                install '.[stats]'``).
        """
        from sqlrisk.report.external.release import external

        return external(self, threshold)

    def to_html(
        self,
        path: Path | None = None,
        *,
        level: str = "internal",
        threshold: int | None = None,
        attacks: Attacks | None = None,
        sweep: Sweep | None = None,
        uniques: Uniques | None = None,
    ) -> str:
        """Return the report as one HTML page to sign off.

        Args:
            level: ``internal`` names levels and lists risky cells. If the run did not ask for
                ``listings``, it is repeated to find the cells. ``external`` is the page of
                ``report.external(threshold)``.
            threshold: for an external page, counts below this are small. By default 10.
            attacks, sweep, uniques: results of the functions of these names for the same files.
                Only an internal page may show them.

        Raises:
            InputError: The level is unknown, or an argument does not fit the level. The external
                report cannot be made. Or a library that draws the figures is missing (``pip install
                '.[report]'``).
        """
        from sqlrisk.report.html.page import page

        text = page(
            self, level=level, threshold=threshold, attacks=attacks, sweep=sweep, uniques=uniques
        )
        return written(text, path, shared=self.shared or level == "external")

    def _printed(self) -> "Report":
        return replace(self, cube=None)

    def to_text(self, *, width: int = 80, colour: bool = False, brief: bool = False) -> str:
        """Return the report as text for a terminal ``width`` characters wide.

        A ``brief`` text has page one, the numbers of the worst targets, and the tables that the
        scenario asked for. The full text has all tables.
        """
        from sqlrisk.report.formats.text import text

        return text(brief_blocks(self) if brief else self._blocks(), width=width, colour=colour)

    def _glance(self) -> Iterator[Block]:
        from sqlrisk.report.decision.glance import at_a_glance

        numbers = at_a_glance(self)
        yield from super()._glance() if numbers is None else [numbers]

    def _document(self) -> dict[str, object]:
        return super()._document() | ({"evidence": evidence.rows(self)} if self.evidence else {})

    def _blocks(self) -> list[Block]:
        return report_blocks(self)

    def _listed(self) -> list[Block]:
        return self._blocks()  # its settings have the labels
