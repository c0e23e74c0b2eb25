"""The data of a report: its rows, counts, and how to repeat the run. `report` adds the formats."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

from sqlrisk.catalogue.families import Family, shipped
from sqlrisk.common.errors import InputError
from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block
from sqlrisk.report.columns import BANDS, MARKS, TYPES, Row
from sqlrisk.report.declared import Declared, declared, headers
from sqlrisk.report.formats.tabular import plain
from sqlrisk.report.html.cube import Cube
from sqlrisk.report.listing import Listing
from sqlrisk.report.result import Forms, Lines, lines, objects
from sqlrisk.report.wording import R, shown, split

UNRECORDED = (
    "This report was not made by a run here, so it has no manifest; `score -o` writes "
    "one to the folder of the result."
)


class ManifestMaker(Protocol):
    """The facts about a run from which the manifest of its report is made."""

    def by_command(self, command: str) -> "ManifestMaker":
        """Return a copy that records this command line as the one that started the run."""

    def manifest(self, report: "Findings") -> dict[str, object]:
        """Return the manifest of ``report``. Raises InputError if an input has changed."""

    def manifest_of_all(
        self, reports: "Mapping[str, Findings]", policy: Mapping[str, Any]
    ) -> dict[str, object]:
        """Return the manifest of reports judged by ``policy``. Errors are those of `manifest`."""


class Useful(Protocol):
    """A utility result for the files of a report."""

    @property
    def scenario(self) -> dict[str, Any]:
        """The settings of the utility comparison."""

    @property
    def results(self) -> list[Row]:
        """The summary numbers over all tables, as result rows."""

    @property
    def headers(self) -> dict[str, dict[str, Any]]:
        """The header of each measure of utility, by measure."""

    def document(self) -> dict[str, object]:
        """Return the JSON content of the utility result."""

    def section(self) -> list[Block]:
        """Return the section of a report that shows the utility result."""

    def table(self, name: str) -> Any:
        """Return a part of the utility result as a table."""


@dataclass(frozen=True, repr=False)
class Findings(Forms):
    """The data of a report. ``Report`` documents the fields and adds the output formats."""

    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    results: list[Row]
    checks: dict[str, list[Row]] = field(default_factory=dict)
    exclusions: list[Row] = field(default_factory=list)
    levels: list[Row] = field(default_factory=list)
    overlap: list[Row] = field(default_factory=list)
    control: dict[str, object] | None = None
    universe: dict[str, object] | None = None
    differences: list[Row] = field(default_factory=list)
    membership: list[Row] = field(default_factory=list)
    distributions: list[Row] = field(default_factory=list)
    shares: list[Row] = field(default_factory=list)
    trends: list[Row] = field(default_factory=list)
    population_uniques: list[Row] = field(default_factory=list)
    engine: dict[str, object] = field(default_factory=dict)
    version: str = __version__
    policy: dict[str, object] = field(default_factory=dict)
    rounding: dict[str, object] = field(default_factory=dict)
    assessment: list[Row] = field(default_factory=list)
    copies: list[Row] = field(default_factory=list)
    columns: list[Row] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    equal_width: list[str] = field(default_factory=list)
    without_exclusions: list[Row] = field(default_factory=list)
    utility: Useful | None = None
    maps: list[Row] = field(default_factory=list)
    evidence: bool = False
    merges: list[Row] = field(default_factory=list, repr=False, compare=False)
    listings: list[Listing] = field(default_factory=list, repr=False, compare=False)
    cube: Cube | None = field(default=None, repr=False, compare=False)
    rerun: Callable[..., Listing] | None = field(default=None, repr=False, compare=False)
    trail: ManifestMaker | None = field(default=None, repr=False, compare=False)
    kept: tuple[str, ...] = field(default=(), repr=False, compare=False)
    texts: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    families: dict[str, Family] = field(default_factory=dict, repr=False, compare=False)
    _types: ClassVar = TYPES
    _rows: ClassVar = "results"

    @property
    def shared(self) -> bool:
        """True for an external report, whose files others may read as the umask allows."""
        return bool(self.rounding)

    @cached_property
    def headers(self) -> dict[str, dict[str, Any]]:
        """The header of each measure's SQL file, by measure: title, formula, source, ..."""
        return headers(self.texts)

    @cached_property
    def declared(self) -> Declared:
        """The headers of all shipped measures and those of the report, by measure."""
        return declared(self.headers)

    @cached_property
    def of_measure(self) -> dict[str, list[Row]]:
        """The result rows of each measure, by its name."""
        return {str(measure): rows for measure, rows in split(self.results, "measure")}

    @property
    def measured(self) -> Collection[str]:
        """The measures with rows."""
        return self.of_measure

    def family(self, name: str) -> Family:
        """Return the family of measures with this name, shipped or the user's own. An unknown
        family has only a name and a title.
        """
        return {**shipped(), **self.families}.get(name) or Family(name, shown(name))

    def cells(
        self,
        measure: str,
        *,
        target: object = None,
        synthesis: object = "1",
        limit: int = 20,
        worth: bool = False,
    ) -> Listing:
        """List the risky cells behind a number, as `sqlrisk.cells` does. The listing is disclosive.

        With ``worth``, at most ``limit`` cells of each target are listed. Cells of targets that the
        dictionary calls sensitive come first. Among them, the rarest levels come first, because
        nobody would guess them, then cells with most people. Two more columns count people:
        ``n_level`` with the level (of a class, the rarest level of any key), ``n_all`` in total.

        The inputs are read again. Raises InputError if the measure is unknown or has no cells to
        list, if the report has no such target or synthesis, or if the report was not made by a run
        in this process.
        """
        if self.rerun is None:
            raise InputError("This report was not made by a run, so it has no cells to list.")
        how: Any = {"worth": True} if worth else {}
        listing = self.rerun(measure, target=target, synthesis=synthesis, limit=limit, **how)
        return replace(listing, assessment=self.assessment)

    def manifest(self) -> dict[str, object]:
        """Return what an audit needs: versions, command, scenario, inputs and SQL with SHA-256,
        exclusions, times, warnings.

        The first call reads the inputs once more to hash them. Raises InputError if the report was
        not made by a run in this process, or if an input was changed after the run began.
        """
        return dict(self._manifest)

    @cached_property
    def _manifest(self) -> dict[str, object]:
        # a page and its file of the manifest need it, and its hash of all numbers takes long
        if self.trail is None:
            raise InputError(UNRECORDED)
        return {name: plain(value) for name, value in self.trail.manifest(self).items()}

    def _table(self) -> Lines:
        names = self._columns()
        return names, lines(names, self.results)

    def _objects(self) -> list[dict[str, Any]]:
        return objects(self._columns(), self.results)

    def _columns(self) -> tuple[str, ...]:
        """Return the columns of result rows. Rounded rows also have the limits of each number."""
        return (*TYPES, *BANDS) if self.rounding else tuple(TYPES)

    def _document(self) -> dict[str, object]:
        asked = self.scenario.get
        document = {
            "sqlrisk": self.version,
            **self._named("assessment", "copies", "columns"),
            **self._present("labels", "equal_width"),
            **self._named("scenario", "original", "synthetic"),
            **self._present("universe", "control"),
            "results": self._objects(),
            **self._present("without_exclusions"),
            **(self._named("differences") if self.control is not None else {}),
            **self._present("membership"),
            "checks": {name: self.checks.get(name, []) for name in ("one_way", "two_way")},
            **self._named("exclusions", "levels", "overlap"),
            **(self._named("distributions", "shares") if asked("distributions") else {}),
            **(self._named("trends") if asked("trend") else {}),
        }
        if self.utility is not None:
            document |= {"utility": self.utility.document(), "maps": self.maps}
        document |= self._present("population_uniques")
        document |= {**self._named("engine"), **self._present("policy", "rounding")}
        if not self.rounding:
            return document
        return {
            name: part if name == "rounding" else _unmarked(part) for name, part in document.items()
        }


def _unmarked(part: object) -> object:
    """Return a part of a report without the fields ``MARKS``, which are for printing."""
    if isinstance(part, list):
        return [_unmarked(each) for each in part]
    if isinstance(part, dict):
        return {name: _unmarked(each) for name, each in part.items() if name not in MARKS}
    return part


def every_number(found: Findings) -> list[Row]:
    """Return the result rows of risk, then the rows of utility."""
    return [*found.results, *(found.utility.results if found.utility is not None else ())]


def not_measured(found: Findings) -> str:
    """Return "Not measured" to introduce what a report lacks, in an external report with "or not
    shown here".
    """
    return "Not measured, or not shown here" if found.rounding else "Not measured"


def of_people(found: Findings) -> list[Row]:
    """Return the unweighted result rows of the original's people, in every population."""
    return [row for row in found.results if row["people"] == "original" and not row["weighted"]]


def of_everybody(found: Findings) -> list[Row]:
    """Return the unweighted result rows of all people of the original."""
    return everybody(found.results)


def everybody(rows: Iterable[R]) -> list[R]:
    """Return the unweighted rows of all people of the original."""
    return [
        row
        for row in rows
        if row["people"] == "original" and row["population"] == "all" and not row["weighted"]
    ]


def first_population(found: Findings) -> str:
    """Return ``all``, or the first population if the results do not have all people."""
    return str(found.results[0]["population"]) if found.results else "all"  # all people come first


def of_first_population(found: Findings) -> list[Row]:
    """Return the unweighted result rows of the original's people in the `first_population`."""
    whom = first_population(found)
    return [row for row in of_people(found) if row["population"] == whom]


def checked(found: Findings, check: str) -> list[Row]:
    """Return the rows of a check about the `first_population`, and those without a population."""
    whom = first_population(found)
    return [row for row in found.checks.get(check, []) if row.get("population", whom) == whom]
