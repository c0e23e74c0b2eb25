"""What the protection of a file, or the recoding of a release, did: what was written, and the measures before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from sqlrisk.report.blocks import Block, Cell, Column, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import word
from sqlrisk.report.wording import amount, shown

NUMBERS = ("numerator", "denominator", "value")
WORDS = ("measure", "target", "unit")
COLUMNS = (*WORDS, *(f"{when}_{name}" for when in ("before", "after") for name in NUMBERS))
TYPES = {name: "string" if name in WORDS else "double" for name in COLUMNS}


@dataclass(frozen=True)
class Protection(Forms):
    """A protected file. ``records`` were read, ``singled_out`` of them were taken out, or flagged when there is a ``flag``.

    ``assessment`` is that of the synthetic file as it was read, as of a Report; empty where the original is protected.
    ``before`` and ``after`` are result rows as of a Report; ``after`` is None where nothing was taken out of the file that is
    written, or nothing is left.
    """

    assessment: list[Row]
    side: str
    source: str
    output: str
    records: int
    singled_out: int
    flag: str | None
    label: tuple[str, str] | None
    scenario: dict[str, object]
    before: list[Row]
    after: list[Row] | None
    _types: ClassVar = TYPES

    @property
    def written(self) -> int:
        """How many records the written file has."""
        return self.records if self.flag else self.records - self.singled_out

    @property
    def measures(self) -> list[Row]:
        """One row per measure and target: measure, target, unit, and numerator, denominator, value before and after."""
        afters: list[Any] = [None] * len(self.before) if self.after is None else [*self.after]
        return [
            {
                **{name: before[name] for name in WORDS},
                "before": {name: before[name] for name in NUMBERS},
                "after": None if after is None else {name: after[name] for name in NUMBERS},
            }
            for before, after in zip(self.before, afters, strict=True)
        ]

    def __repr__(self) -> str:
        done = "flagged" if self.flag else "taken out"
        return f"<Protection of {self.source}: {self.singled_out} of {self.records} records {done}>"

    def _document(self) -> dict[str, object]:
        return {
            **self._named("assessment", "side", "source", "output", "records", "singled_out", "written", "flag"),
            "label": None if self.label is None else dict([self.label]),
            **self._named("scenario", "measures"),
        }

    def _table(self) -> Lines:
        nothing = dict.fromkeys(NUMBERS)
        sides = ((row["before"], row["after"] or nothing) for row in self.measures)
        numbers = [[side[name] for side in each for name in NUMBERS] for each in sides]
        return COLUMNS, [[*(row[word] for word in WORDS), *each] for row, each in zip(self.before, numbers, strict=True)]

    def _blocks(self) -> list[Block]:
        """Show what was done, and the people and percentages of each measure, before and after side by side."""
        assessed = assessment.blocks(self.assessment)
        measures = _drawn(self.measures, ["before", *(["after"] if self.after is not None else [])])
        return said("protection", self, assessment=assessed, measures=[measures])


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
    _types: ClassVar = {"synthesis": "string", **TYPES}

    @property
    def measures(self) -> list[Row]:
        """One row per measure, target and synthesis: these and unit, and numerator, denominator, value before and after."""
        return [
            {
                **{name: before[name] for name in ("synthesis", *WORDS)},
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
        lines = [
            [
                *(row[word] for word in ("synthesis", *WORDS)),
                *(row[when][name] for when in ("before", "after") for name in NUMBERS),
            ]
            for row in self.measures
        ]
        return ("synthesis", *COLUMNS), lines

    def _blocks(self) -> list[Block]:
        """Show which files were written, and the people and percentages of each measure, before and after side by side."""
        files: list[Cell[Row] | None] = [
            (Column("file", label=True), lambda row: shown(row["source"])),
            (Column("written to", label=True), lambda row: shown(row["output"])),
            (Column("records"), lambda row: amount(row["records"])),
        ]
        measures = _drawn(self.measures, ["before", "after"], word("synthesis"))
        assessed = assessment.blocks(self.assessment)
        return said("recoding", self, assessment=assessed, files=[table(files, self.files)], measures=[measures])


def _drawn(measures: list[Row], whens: Sequence[str], *more: Cell[Row]) -> Block:
    """Draw the people and percentages of each measure, before and after side by side."""
    targets = any(row["target"] is not None for row in measures)
    cells: list[Cell[Row] | None] = [
        word("measure"),
        (Column("target", label=True), lambda row: "" if row["target"] is None else shown(row["target"])) if targets else None,
        *more,
        *((Column(name, above=when), partial(_side, when, name)) for when in whens for name in ("people", "percent")),
    ]
    return table(cells, measures)


def _side(when: str, name: str, row: Row) -> str:
    return amount(row[when]["numerator"]) if name == "people" else amount(row[when]["value"], row["unit"])
