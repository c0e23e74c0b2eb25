"""What the protection of a file did: how many records it took out or flagged, and the measures before and after."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlrisk.common.version import __version__
from sqlrisk.report.result import Forms, Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from sqlrisk.report.blocks import Block


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

    @property
    def written(self) -> int:
        """How many records the written file has."""
        return self.records if self.flag else self.records - self.singled_out

    @property
    def measures(self) -> list[Row]:
        """One row per measure and target: measure, target, unit, and numerator, denominator, value before and after."""
        rows: list[Row] = []
        for place, row in enumerate(self.before):
            later = self.after[place] if self.after is not None else None
            rows.append(
                {
                    **{name: row[name] for name in ("measure", "target", "unit")},
                    "before": {name: row[name] for name in NUMBERS},
                    "after": None if later is None else {name: later[name] for name in NUMBERS},
                }
            )
        return rows

    def __repr__(self) -> str:
        return f"<Protection of {self.source}: {self.singled_out} of {self.records} records {self._done()}>"

    def to_dict(self) -> dict[str, object]:
        """Return everything in the types of JSON."""
        from sqlrisk.report.formats.tabular import plain

        return {
            "sqlrisk": __version__,
            "side": self.side,
            "source": self.source,
            "output": self.output,
            "records": self.records,
            "singled_out": self.singled_out,
            "written": self.written,
            "flag": self.flag,
            "label": None if self.label is None else {self.label[0]: self.label[1]},
            "scenario": plain(self.scenario),
            "measures": plain(self.measures),
        }

    def to_arrow(self) -> "pa.Table":
        """Return the measures as a pyarrow Table, one row per measure and target; numbers are doubles."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(*self._table(), {name: "string" if name in WORDS else "double" for name in COLUMNS})

    def _table(self) -> Lines:
        sides = [[row["before"], row["after"] or dict.fromkeys(NUMBERS)] for row in self.measures]
        rows = [
            [*(row[word] for word in WORDS), *(side[name] for side in each for name in NUMBERS)]
            for row, each in zip(self.measures, sides, strict=True)
        ]
        return COLUMNS, rows

    def _done(self) -> str:
        return "flagged" if self.flag else "taken out"

    def _blocks(self) -> "list[Block]":
        from sqlrisk.report.blocks import Column, Grid, Heading, Items, Terms
        from sqlrisk.report.sections.report_sections import amount, shown

        counts = [
            ("read", f"{shown(self.source)}: {amount(self.records)} records"),
            (self._done(), f"{amount(self.singled_out)} {SINGLED[self.side]}"),
            ("written", f"{shown(self.output)}: {amount(self.written)} records"),
        ]
        if self.flag:
            counts.append(("flag", shown(self.flag)))
        if self.label:
            counts.append(("label", f"{shown(self.label[0])} is {shown(self.label[1])} in every record"))
        targets = any(row["target"] is not None for row in self.measures)
        whens = ["before", *(["after"] if self.after is not None else [])]
        columns = [Column("measure", label=True, number=False)]
        columns += [Column("target", label=True, number=False)] if targets else []
        columns += [Column(name, above=when) for when in whens for name in ("people", "percent")]
        rows: list[list[str]] = []
        for row in self.measures:
            numbers = [
                text
                for when in whens
                for text in (amount(row[when]["numerator"]), amount(row[when]["value"], row["unit"]))
            ]  # fmt: skip
            label = [] if not targets else ["" if row["target"] is None else shown(row["target"])]
            rows.append([str(row["measure"]), *label, *numbers])
        blocks: list[Block] = [Heading(f"Protected {self.side} file", 1), Terms(counts), Grid(columns, rows)]
        notes = list(self._notes())
        return [*blocks, Items(notes, quiet=True)] if notes else blocks

    def _notes(self) -> "Sequence[str]":
        units = dict.fromkeys(str(row["unit"]) for row in self.measures)
        notes = [f"{unit.capitalize()}." for unit in units]
        if self.after is None and not self.flag and self.singled_out:
            notes.append("No record is left, so there is nothing to measure.")
        if self.after is not None:
            notes.append("After: the written file, asked the same question.")
        if self.after is not None and self.scenario.get("bins") and self.singled_out:
            notes.append(
                "Bins are cut anew over the records that are left, so records may have become unique that were not: "
                "protect the written file again if the numbers are not low enough."
            )
        if self.side == "original":
            notes.append("The written file holds records of real people: keep it where the original is kept.")
        elif self.flag:
            notes.append("The flag tells which records have a real person's keys: keep the file where the original is kept.")
        return notes
