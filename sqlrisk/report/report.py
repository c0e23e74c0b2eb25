"""The report of a run: what it found, in every form it can take."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.common.errors import InputError, PolicyError, suggestion
from sqlrisk.inputs.judging import judge
from sqlrisk.inputs.policy import UNMET, Policy
from sqlrisk.report.blocks import Block
from sqlrisk.report.columns import TYPES, Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import Frames, Path, written
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.table import Table
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.results.verdicts import Verdicts
from sqlrisk.report.sections.parts import part_of
from sqlrisk.report.sections.report_sections import report_blocks
from sqlrisk.report.wording import left_out

if TYPE_CHECKING:
    import altair as alt


class UnknownMeasureError(InputError, KeyError):
    """The report holds no measure of that name."""

    def __str__(self) -> str:
        return "\n".join(self.problems)


@dataclass(frozen=True)
class MeasureRows(Frames):
    """The result rows of one measure, and the SQL text that defines it."""

    name: str
    rows: list[Row]
    sql: str
    _types: ClassVar = TYPES

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.rows)} rows>"


@dataclass(frozen=True)
class Report(Findings):
    """What a run found. ``results`` has one dict per measure, target and synthesis, with the keys of ``COLUMNS``.

    ``scenario`` holds every setting by its TOML name, ``engine`` the database, its version and how it compares values, ``texts``
    the SQL text of each measure by name. ``listings`` has the riskiest cells where the run was to list them, which are disclosive
    and in no form of the report but an internal page; ``rerun`` repeats the run to list cells. ``version`` is that of the
    sqlrisk that made it, ``trail`` what its manifest is made of. ``policy`` holds what the results come to by a policy, empty
    without one; ``rounding`` how the figures of an external report are rounded, and what was proven, empty for exact ones.
    ``without_exclusions`` has the rows of ``results`` as they are when nobody is left out, none where nobody is.
    ``assessment`` says, for each synthetic file (``target`` None) and each target, whether numbers about it tell
    anything: ``state`` is assessable, doubtful or not assessable, with ``reasons``, each a code and a text. ``copies`` counts
    people and records with the same whole row, ``columns`` those at levels of one side alone.
    """

    def __getitem__(self, measure: str) -> MeasureRows:
        """Return the rows of ``measure``. Raises UnknownMeasureError, an InputError and a KeyError."""
        rows = [row for row in self.results if row["measure"] == measure]
        if not rows:
            names = list(dict.fromkeys(str(row["measure"]) for row in self.results))
            near = suggestion(measure, names) or f"; it has {', '.join(names)}"
            raise UnknownMeasureError(f"This report has no measure {measure!r}{near}.")
        return MeasureRows(measure, rows, self.texts.get(measure, ""))

    def __repr__(self) -> str:
        measures = len({row["measure"] for row in self.results})
        files = len(self.synthetic)
        return f"<Report: {measures} measures, {files} synthetic file{'s' * (files != 1)}, {len(self.results)} rows>"

    def by_command(self, command: str) -> "Report":
        """Return the report with the command line that asked for it, for its manifest."""
        return self if self.trail is None else replace(self, trail=self.trail.by_command(command))

    def judged(self, policy: Policy) -> "Report":
        """Return the report with what it comes to by ``policy``.

        Raises InputError where a rule is about no number of the report.
        """
        unexcluded = self.without_exclusions if any(left_out(self.scenario)) else None
        return replace(self, policy=judge(policy, self.results, self.assessment, unexcluded))

    def require(self) -> "Report":
        """Return the report itself where its policy is met or for review. Raises PolicyError, with the report, otherwise."""
        if self.policy.get("verdict") in UNMET:
            raise PolicyError(self.verdicts().failure, self)
        return self

    def verdicts(self) -> Verdicts:
        """Return what each number comes to by the policy, as a table. Raises InputError for a report without a policy."""
        if not self.policy:
            raise InputError("This report was not judged by a policy: score or check it with --policy (policy=...).")
        return Verdicts.of(self)

    def table(self, part: str) -> Table:
        """Return one part as a table of its own: ``results``, ``distributions`` (one number a row) or ``trends``.

        Raises InputError for a part that the report does not have.
        """
        return part_of(self, part)

    def external(self, threshold: int = 10) -> "Report":
        """Return the report as it may leave the house, in any form: every figure rounded, no level, no cell.

        An audit by attack proves that no count below ``threshold`` can be worked out from it; see `sqlrisk guide reports`.

        Raises:
            InputError: the audit fails, so that nothing may be written; scipy is missing (``pip install 'sqlrisk[stats]'``).
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
        """Return the report as one HTML page to sign off, written to ``path`` too when there is one.

        Args:
            level: ``internal`` names levels and lists risky cells (of a run without ``listings``, the run is repeated to find
                them); ``external`` is the page of ``report.external(threshold)``.
            threshold: the least count that is not small, in an external report; 10 by default.
            attacks, sweep, uniques: what the functions of these names found of the same files, to be shown in an internal one.

        Raises:
            InputError: a level that is none; a library that draws the figures is missing (``pip install 'sqlrisk[report]'``).
        """
        from sqlrisk.report.html.page import page

        text = page(self, level=level, threshold=threshold, attacks=attacks, sweep=sweep, uniques=uniques)
        return written(text, path, shared=self.shared or level == "external")

    def plot(self, figure: str | None = None) -> "alt.TopLevelMixin":
        """Return a figure as a chart of Altair, which a notebook shows and which can be changed.

        Args:
            figure: ``arrows`` (the default: Dorig to DiSCO, CAPd to DCAP), ``curves`` (CAP_at_least over tau), ``pools`` (over
                the number of syntheses), ``accuracies`` (ways of guessing), ``persons`` (box plots) and ``shares`` (levels of
                targets), both with ``distributions``, ``sizes`` (of classes), ``radii`` (of nearest records).

        Raises:
            InputError: an unknown figure, or one that the report has no rows for; Altair is missing.
        """
        from sqlrisk.report.html.charts import plot

        chart: alt.TopLevelMixin = plot(self, figure)
        return chart

    def _repr_html_(self) -> str:
        from sqlrisk.report.html.summary import notebook

        return notebook(self)

    def _blocks(self) -> list[Block]:
        return report_blocks(self)
