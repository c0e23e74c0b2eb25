"""The result of random tables: average CAP by chance alone, in every form a report can take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Terms
from sqlrisk.report.result import Forms, Lines

if TYPE_CHECKING:
    import pyarrow as pa

    from sqlrisk.report.columns import Row


QUANTILES = (5, 25, 50, 75, 95)
COLUMNS = (
    *("target", "measure", "classes", "levels", "original", "mean", "sd", "min"),
    *(f"q{k}" for k in QUANTILES),
    *("max", "below", "share_below"),
)
NOTES = (
    "Each random table has as many records as the original; each record falls into any of its classes and levels alike.",
    "Averages are percentages, sd percentage points. Original is the average CAP of the original on itself (CAPd).",
    "Below is how many random tables have a smaller average than the original.",
    "DCAP counts a person whose keys a table lacks as zero, DCAP_matched leaves them out.",
)


@dataclass(frozen=True)
class Reference(Forms):
    """Average CAP of random tables. ``rows`` has one dict per target and version, with the keys of ``COLUMNS``, in percent.

    ``scenario`` holds the settings, with ``random`` (how many tables) and ``seed``; ``original`` its source and records.
    """

    scenario: dict[str, object]
    original: dict[str, object]
    rows: "list[Row]"

    def __repr__(self) -> str:
        return f"<Reference: {self.scenario['random']} random tables, {len(self.rows)} rows>"

    def to_dict(self) -> dict[str, object]:
        """Return everything in the types of JSON."""
        from sqlrisk.report.formats.tabular import plain

        rows = [{name: plain(row[name]) for name in COLUMNS} for row in self.rows]
        return {"sqlrisk": __version__, "scenario": plain(self.scenario), "original": plain(self.original), "reference": rows}

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table."""
        from sqlrisk.report.formats.tabular import to_arrow

        whole = ("classes", "levels", "below")
        types = {name: "int64" if name in whole else "double" for name in COLUMNS[2:]}
        return to_arrow(*self._table(), types)

    def _table(self) -> Lines:
        return COLUMNS, [[row[name] for name in COLUMNS] for row in self.rows]

    def _blocks(self) -> list[Block]:
        from sqlrisk.report.sections.report_sections import amount, shown

        keys = self.scenario["keys"]
        names = ", ".join(shown(name) for name in keys) if isinstance(keys, list | tuple) else shown(keys)
        tables = f"{amount(self.scenario['random'])}, seed {self.scenario['seed']}"
        said = [("original", f"{shown(self.original['source'])}, {amount(self.original['records'])} records")]
        said += [("keys", names), ("random tables", tables)]
        columns = [Column("target", label=True), Column("measure", label=True), Column("original")]
        columns += [Column(name, above="random tables") for name in COLUMNS[5:]]
        units = {"below": "tables"}
        lines = [
            [
                shown(row["target"]),
                shown(row["measure"]),
                *(amount(row[name], units.get(name, "percent")) for name in COLUMNS[4:]),
            ]
            for row in self.rows
        ]
        return [
            Heading("Average correct attribution of random tables", 1),
            Terms(said),
            Grid(columns, lines),
            Heading("Notes"),
            Items(NOTES, quiet=True),
        ]
