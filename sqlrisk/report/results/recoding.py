"""What the recoding of a release did: which files it wrote, and the measures before and after."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sqlrisk.report.blocks import Block, Cell, Column, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import word
from sqlrisk.report.wording import amount, shown

NUMBERS = ("numerator", "denominator", "value")
WORDS = ("measure", "target", "synthesis", "unit")
COLUMNS = (*WORDS, *(f"{when}_{name}" for when in ("before", "after") for name in NUMBERS))


@dataclass(frozen=True)
class Recoding(Forms):
    """Recoded files in a ``folder``: ``files`` has a row for each, with source, output and records.

    ``assessment`` is that of the recoded files, ``before`` and ``after`` are result rows, as of a Report.
    """

    assessment: list[Row]
    folder: str
    files: list[Row]
    scenario: dict[str, object]
    before: list[Row]
    after: list[Row]
    _types: ClassVar = {name: "string" if name in WORDS else "double" for name in COLUMNS}

    @property
    def measures(self) -> list[Row]:
        """One row per measure, target and synthesis: these and unit, and numerator, denominator, value before and after."""
        return [
            {
                **{name: before[name] for name in WORDS},
                "before": {name: before[name] for name in NUMBERS},
                "after": {name: after[name] for name in NUMBERS},
            }
            for before, after in zip(self.before, self.after, strict=True)
        ]

    def __repr__(self) -> str:
        return f"<Recoding: {len(self.files)} files in {self.folder}>"

    def _document(self) -> dict[str, object]:
        return self._named("assessment", "folder", "files", "scenario", "measures")

    def _table(self) -> Lines:
        sides = ((row["before"], row["after"]) for row in self.measures)
        numbers = [[side[name] for side in each for name in NUMBERS] for each in sides]
        return COLUMNS, [[*(row[word] for word in WORDS), *each] for row, each in zip(self.before, numbers, strict=True)]

    def _blocks(self) -> list[Block]:
        """Show which files were written, and the people and percentages of each measure, before and after side by side."""
        targets = any(row["target"] is not None for row in self.before)
        cells: list[Cell[Row] | None] = [
            word("measure"),
            (Column("target", label=True), lambda row: "" if row["target"] is None else shown(row["target"]))
            if targets
            else None,
            word("synthesis"),
            *(
                (Column(name, above=when), partial(_side, when, name))
                for when in ("before", "after")
                for name in ("people", "percent")
            ),
        ]
        files: list[Cell[Row] | None] = [
            (Column("file", label=True), lambda row: shown(row["source"])),
            (Column("written to", label=True), lambda row: shown(row["output"])),
            (Column("records"), lambda row: amount(row["records"])),
        ]
        assessed = assessment.blocks(self.assessment)
        tables = {"files": [table(files, self.files)], "measures": [table(cells, self.measures)]}
        return said("recoding", self, assessment=assessed, **tables)


def _side(when: str, name: str, row: Row) -> str:
    return amount(row[when]["numerator"]) if name == "people" else amount(row[when]["value"], row["unit"])
