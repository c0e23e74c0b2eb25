"""The result of `inspect`: whether files can be assessed, before any measure of risk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sqlrisk.catalogue.reasons import state_of
from sqlrisk.report.blocks import Block, Heading
from sqlrisk.report.columns import Row
from sqlrisk.report.result import Lines
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.assessment import LOOK_ALIKES, SAME_LEVELS

COLUMNS = ("synthesis", "target", "state", "code", "text")


@dataclass(frozen=True, repr=False)
class Inspection(ResultKind):
    """The assessment of files before any measure. ``assessment``, ``copies``, ``columns``,
    ``labels``, ``scenario``, ``original`` and ``synthetic`` are as in a Report.

    ``merges`` has the recode that joins levels that look the same: ``column``, ``level``,
    ``levels``. It shows levels of the data. ``files`` has a row for each file: how a CSV file is
    read, and what is left out. ``missing`` has the number of records with each code that a file
    declares missing.
    """

    assessment: list[Row]
    copies: list[Row]
    columns: list[Row]
    labels: Mapping[str, str] = field()
    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    merges: list[Row]
    files: list[Row] = field(default_factory=list)
    missing: list[Row] = field(default_factory=list)
    _kind: ClassVar = "inspect"
    _below: ClassVar = {SAME_LEVELS: ()}
    # messages send users here for the recode
    _first: ClassVar = (LOOK_ALIKES, SAME_LEVELS)
    _types: ClassVar = dict.fromkeys(COLUMNS, "string")

    @property
    def state(self) -> str:
        """The worst state of all files and targets: ``assessable``, ``doubtful`` or ``not
        assessable``.
        """
        return assessment.worst(self.assessment)

    def _line(self) -> str:
        return f"<Inspection: {self.state}>"

    def _document(self) -> dict[str, object]:
        return {
            **self._named("assessment", "copies", "columns"),
            **self._present("labels"),
            **self._named("scenario", "original", "synthetic", "files"),
            **self._present("missing", "merges"),
        }

    def _table(self) -> Lines:
        """Return a row for each reason. An assessment without reasons has a row without a code."""
        nothing = [{"code": None, "text": None}]
        return COLUMNS, [
            (row["synthesis"], row["target"], state_of(reason, row), reason["code"], reason["text"])
            for row in self.assessment
            for reason in row["reasons"] or nothing
        ]

    def _blocks(self) -> list[Block]:
        return [
            Heading("Assessment of synthetic data", 1),
            *assessment.blocks(self.assessment, self.copies, keyless=not self.scenario["keys"]),
            *assessment.columns(self.columns),
            *assessment.files(self.files),
            *assessment.left_out(self.files),
            *assessment.missing(self.missing),
            *assessment.merges(self.merges),
        ]
