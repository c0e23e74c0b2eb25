"""What the protection of a file did: how many records it took out or flagged, and the measures before and after."""

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
    _types: ClassVar = {name: "string" if name in WORDS else "double" for name in COLUMNS}

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
        targets = any(row["target"] is not None for row in self.before)
        whens = ["before", *(["after"] if self.after is not None else [])]
        cells: list[Cell[Row] | None] = [
            word("measure"),
            (Column("target", label=True), lambda row: "" if row["target"] is None else shown(row["target"]))
            if targets
            else None,
            *((Column(name, above=when), partial(_side, when, name)) for when in whens for name in ("people", "percent")),
        ]
        assessed = assessment.blocks(self.assessment)
        return said("protection", self, assessment=assessed, measures=[table(cells, self.measures)])


def _side(when: str, name: str, row: Row) -> str:
    return amount(row[when]["numerator"]) if name == "people" else amount(row[when]["value"], row["unit"])
