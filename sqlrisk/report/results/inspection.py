"""Whether files can be assessed, before any measure of risk."""

from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.report.blocks import Block, Heading
from sqlrisk.report.columns import Row
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections import assessment

COLUMNS = ("synthesis", "target", "state", "code", "text")


@dataclass(frozen=True)
class Inspection(Forms):
    """What was found before any measure; the fields are those of a Report."""

    assessment: list[Row]
    copies: list[Row]
    columns: list[Row]
    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    files: list[Row]
    _types: ClassVar = dict.fromkeys(COLUMNS, "string")

    @property
    def state(self) -> str:
        """The worst state of all: ``assessable``, ``doubtful`` or ``not assessable``."""
        return assessment.worst(self.assessment)

    def __repr__(self) -> str:
        return f"<Inspection: {self.state}>"

    def _document(self) -> dict[str, object]:
        return self._named("assessment", "copies", "columns", "scenario", "original", "synthetic", "files")

    def _table(self) -> Lines:
        """Return a row for each reason; one without a code where there is none."""
        nothing = [{"code": None, "text": None}]
        return COLUMNS, [
            (row["synthesis"], row["target"], row["state"], reason["code"], reason["text"])
            for row in self.assessment
            for reason in row["reasons"] or nothing
        ]

    def _blocks(self) -> list[Block]:
        return [
            Heading("Assessment of synthetic data", 1),
            *assessment.blocks(self.assessment, self.copies),
            *assessment.columns(self.columns),
            *assessment.files(self.files),
        ]
