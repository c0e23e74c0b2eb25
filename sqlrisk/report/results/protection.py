"""What the protection of a file did: how many records it took out or flagged, and the measures before and after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Terms
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.wording import amount, shown

Row = dict[str, Any]
SINGLED = {"synthetic": "replicated uniques", "original": "uniques"}
NUMBERS = ("numerator", "denominator", "value")
WORDS = ("measure", "target", "unit")
COLUMNS = (*WORDS, *(f"{when}_{name}" for when in ("before", "after") for name in NUMBERS))


@dataclass(frozen=True)
class Protection(Forms):
    """A protected file. ``records`` were read, ``singled_out`` of them were taken out, or flagged when there is a ``flag``.

    ``before`` and ``after`` are result rows as of a Report; ``after`` is None where nothing was taken out of the file that is
    written, or nothing is left.
    """

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
        afters: Sequence[Row | None] = [None] * len(self.before) if self.after is None else self.after
        return [
            {
                **{name: before[name] for name in WORDS},
                "before": {name: before[name] for name in NUMBERS},
                "after": None if after is None else {name: after[name] for name in NUMBERS},
            }
            for before, after in zip(self.before, afters, strict=True)
        ]

    def __repr__(self) -> str:
        return f"<Protection of {self.source}: {self.singled_out} of {self.records} records {self._done()}>"

    def _document(self) -> dict[str, object]:
        return {
            **self._named("side", "source", "output", "records", "singled_out", "written", "flag"),
            "label": None if self.label is None else {self.label[0]: self.label[1]},
            **self._named("scenario", "measures"),
        }

    def _table(self) -> Lines:
        sides = [[row["before"], row["after"] or dict.fromkeys(NUMBERS)] for row in self.measures]
        rows = [
            [*(row[word] for word in WORDS), *(side[name] for side in each for name in NUMBERS)]
            for row, each in zip(self.measures, sides, strict=True)
        ]
        return COLUMNS, rows

    def _done(self) -> str:
        return "flagged" if self.flag else "taken out"

    def _blocks(self) -> list[Block]:
        counts = [
            ("read", f"{shown(self.source)}: {amount(self.records)} records"),
            (self._done(), f"{amount(self.singled_out)} {SINGLED[self.side]}"),
            ("written", f"{shown(self.output)}: {amount(self.written)} records"),
        ]
        if self.flag:
            counts.append(("flag", shown(self.flag)))
        if self.label:
            counts.append(("label", f"{shown(self.label[0])} is {shown(self.label[1])} in every record"))
        blocks: list[Block] = [Heading(f"Protected {self.side} file", 1), Terms(counts), self._grid()]
        notes = list(self._notes())
        return [*blocks, Items(notes, quiet=True)] if notes else blocks

    def _grid(self) -> Grid:
        """Draw the people and percentages of each measure, before and after side by side."""
        targets = any(row["target"] is not None for row in self.measures)
        whens = ["before", *(["after"] if self.after is not None else [])]
        columns = [Column("measure", label=True, number=False)]
        columns += [Column("target", label=True, number=False)] if targets else []
        columns += [Column(name, above=when) for when in whens for name in ("people", "percent")]
        rows: list[list[str]] = []
        for row in self.measures:
            label = [] if not targets else ["" if row["target"] is None else shown(row["target"])]
            sides = [(amount(row[when]["numerator"]), amount(row[when]["value"], row["unit"])) for when in whens]
            rows.append([str(row["measure"]), *label, *(text for side in sides for text in side)])
        return Grid(columns, rows)

    def _notes(self) -> Iterator[str]:
        yield from (f"{unit.capitalize()}." for unit in dict.fromkeys(str(row["unit"]) for row in self.measures))
        if self.after is None and not self.flag and self.singled_out:
            yield "No record is left, so there is nothing to measure."
        if self.after is not None:
            yield "After: the written file, asked the same question."
        if self.after is not None and self.scenario.get("bins") and self.singled_out:
            yield (
                "Bins are cut anew over the records that are left, so records may have become unique that were not: "
                "protect the written file again if the numbers are not low enough."
            )
        if self.side == "original":
            yield "The written file holds records of real people: keep it where the original is kept."
        elif self.flag:
            yield "The flag tells which records have a real person's keys: keep the file where the original is kept."
