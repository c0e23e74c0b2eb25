"""The result of a run: rows of measures, what was counted, and every form it can take."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.common.version import __version__
from sqlrisk.report.data_frames import Frames
from sqlrisk.report.result import Forms, Lines, Path, written

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sqlrisk.inputs.policy import Policy
    from sqlrisk.report.blocks import Block
    from sqlrisk.report.results.attacks import Attacks
    from sqlrisk.report.results.sweeps import Sweep
    from sqlrisk.report.results.table import Table
    from sqlrisk.report.results.uniques import Uniques
    from sqlrisk.report.results.verdicts import Verdicts
from sqlrisk.report.columns import COLUMNS, TYPES, Row, _results
from sqlrisk.report.listing import Listing


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

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.rows)} rows>"

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table, columns as in the report."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(*_results(self.rows), TYPES)


class Trail(Protocol):
    """What a run remembers of itself, for the manifest of its report."""

    def by_command(self, command: str) -> "Trail":
        """Return the trail with the command line that asked for the run."""

    def manifest(self, report: "Report") -> dict[str, object]:
        """Return the manifest of ``report``. Raises InputError for an input that changed since the run."""


@dataclass(frozen=True)
class Report(Forms):
    """What a run found. ``results`` has one dict per measure, target and synthesis, with the keys of ``COLUMNS``.

    ``scenario`` holds every setting by its TOML name, ``engine`` the database, its version and how it compares values, ``texts``
    the SQL text of each measure by name. ``listings`` has the riskiest cells where the run was to list them, which are disclosive
    and in no form of the report but an internal page; ``rerun`` repeats the run to list cells. ``version`` is that of the
    sqlrisk that made it, ``trail`` what its manifest is made of. ``policy`` holds what the results come to by a policy, empty
    without one.
    """

    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    results: list[Row]
    checks: dict[str, list[Row]] = field(default_factory=dict)
    exclusions: list[Row] = field(default_factory=list)
    levels: list[Row] = field(default_factory=list)
    overlap: list[Row] = field(default_factory=list)
    control: dict[str, object] | None = None
    differences: list[Row] = field(default_factory=list)
    distributions: list[Row] = field(default_factory=list)
    shares: list[Row] = field(default_factory=list)
    trends: list[Row] = field(default_factory=list)
    engine: dict[str, object] = field(default_factory=dict)
    version: str = __version__
    policy: dict[str, object] = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list, repr=False, compare=False)
    rerun: Callable[..., Listing] | None = field(default=None, repr=False, compare=False)
    trail: Trail | None = field(default=None, repr=False, compare=False)
    texts: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

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

    @cached_property
    def headers(self) -> dict[str, dict[str, Any]]:
        """The header of each measure's SQL file, by measure: title, formula, source, says …"""
        return {name: _header(text) for name, text in self.texts.items()}

    def cells(self, measure: str, *, target: str | None = None, synthesis: str = "1", limit: int = 20) -> Listing:
        """List the risky cells behind a number, most people first. The listing is disclosive.

        Raises InputError for a measure, target or synthesis that the report does not have.
        """
        if self.rerun is None:
            raise InputError("This report was not made by a run, so it has no cells to list.")
        return self.rerun(measure, target=target, synthesis=synthesis, limit=limit)

    def to_dict(self) -> dict[str, object]:
        """Return the whole report in the types of JSON, keys in the documented order."""
        from sqlrisk.report.formats.tabular import plain

        return {
            "sqlrisk": self.version,
            "scenario": plain(self.scenario),
            "original": plain(self.original),
            "synthetic": plain(self.synthetic),
            **({} if self.control is None else {"control": plain(self.control)}),
            "results": [{name: plain(row[name]) for name in COLUMNS} for row in self.results],
            **({} if self.control is None else {"differences": plain(self.differences)}),
            "checks": {name: plain(self.checks.get(name, [])) for name in ("one_way", "two_way")},
            "exclusions": plain(self.exclusions),
            "levels": plain(self.levels),
            "overlap": plain(self.overlap),
            **(
                {"distributions": plain(self.distributions), "shares": plain(self.shares)}
                if self.scenario.get("distributions")
                else {}
            ),
            **({"trends": plain(self.trends)} if self.scenario.get("trend") else {}),
            "engine": plain(self.engine),
            **({"policy": plain(self.policy)} if self.policy else {}),
        }

    def by_command(self, command: str) -> "Report":
        """Return the report with the command line that asked for it, for its manifest."""
        return self if self.trail is None else replace(self, trail=self.trail.by_command(command))

    def manifest(self) -> dict[str, object]:
        """Return what an audit asks for: versions, command, scenario, inputs and SQL with SHA-256, exclusions, times, warnings.

        The first time the inputs are read once more, to hash them. Raises InputError for a report that was not made by a run in
        this process, and where an input was written to since the run began.
        """
        from sqlrisk.report.formats.tabular import plain

        if self.trail is None:
            raise InputError(
                "This report was not made by a run here, so it has no manifest; `score -o` writes one beside its result."
            )
        return {name: plain(value) for name, value in self.trail.manifest(self).items()}

    def judged(self, policy: "Policy") -> "Report":
        """Return the report with what it comes to by ``policy``.

        Raises InputError where a rule is about no number of the report.
        """
        from sqlrisk.inputs.policy import judge

        return replace(self, policy=judge(policy, self.results))

    def require(self) -> "Report":
        """Return the report itself where its policy is met or for review. Raises PolicyError, with the report, where it fails."""
        if self.policy.get("verdict") == "fail":
            raise PolicyError(self.verdicts().failure, self)
        return self

    def verdicts(self) -> "Verdicts":
        """Return what each number comes to by the policy, as a table. Raises InputError for a report without a policy."""
        from sqlrisk.report.results.verdicts import Verdicts

        if not self.policy:
            raise InputError("This report was not judged by a policy: score or check it with --policy (policy=...).")
        return Verdicts.of(self)

    def table(self, part: str) -> "Table":
        """Return one part as a table of its own: ``results``, ``distributions`` (one number a row) or ``trends``.

        Raises InputError for a part that the report does not have.
        """
        from sqlrisk.report.results.parts import part_of

        return part_of(self, part)

    def to_arrow(self) -> "pa.Table":
        """Return the result rows as a pyarrow Table; numbers are doubles, the rest text and a boolean."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(*self._table(), TYPES)

    def _table(self) -> Lines:
        return _results(self.results)

    def to_html(
        self,
        path: Path | None = None,
        *,
        level: str = "internal",
        threshold: int | None = None,
        attacks: "Attacks | None" = None,
        sweep: "Sweep | None" = None,
        uniques: "Uniques | None" = None,
    ) -> str:
        """Return the report as one HTML page to sign off, written to ``path`` too when there is one.

        Args:
            level: ``internal`` names levels and lists risky cells (of a run without ``listings``, the run is repeated to find
                them); ``external`` holds no level and no cell, and hides small counts of people with what would give them away.
            threshold: the least count that is not small, in an external report; 10 by default.
            attacks, sweep, uniques: what the functions of these names found of the same files, to be shown in an internal one.

        Raises:
            InputError: a level that is none; a library that draws the figures is missing (``pip install 'sqlrisk[report]'``).
        """
        from sqlrisk.report.html.page import page

        return written(page(self, level=level, threshold=threshold, attacks=attacks, sweep=sweep, uniques=uniques), path)

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

        return plot(self, figure)

    def _repr_html_(self) -> str:
        from sqlrisk.report.html.page import notebook

        return notebook(self)

    def _blocks(self) -> "list[Block]":
        from sqlrisk.report.sections.report_sections import report_blocks

        return report_blocks(self)


def _header(text: str) -> dict[str, Any]:
    import tomllib

    _, _, rest = text.partition("/*---")
    return tomllib.loads(rest.partition("---*/")[0])
