"""The result of random tables: average CAP by chance alone, in every form a report can take."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Terms, table
from sqlrisk.report.columns import Row
from sqlrisk.report.result import Forms, Lines, lines, objects
from sqlrisk.report.sections.distributions import bar
from sqlrisk.report.wording import amount, names, shown

QUANTILES = (5, 25, 50, 75, 95)
BINS = 20
COLUMNS = (
    *("target", "measure", "classes", "levels", "original", "mean", "sd", "min"),
    *(f"q{k}" for k in QUANTILES),
    *("max", "below", "share_below"),
)
LAW_NOTES = {
    "tables": "Random tables have as many records as the original: all such tables of its classes and levels are equally likely.",
    "records": "Random tables have as many records as the original: each falls into any class and level alike.",
}
NOTES = (
    "Averages are percentages, sd percentage points. Original is the average CAP of the original on itself (CAPd).",
    "Below is how many random tables have a smaller average than the original.",
    "DCAP counts a person whose keys a table lacks as zero, DCAP_matched leaves them out.",
)


@dataclass(frozen=True)
class Reference(Forms):
    """Average CAP of random tables. ``rows`` has one dict per target and version, with the keys of ``COLUMNS``, in percent, and
    ``histogram``: bins of equal width, each with its ends (``from``, ``to``, in percent), how many random ``tables`` it
    holds, and whether the ``original`` lies in it.

    ``scenario`` holds the settings, with ``random`` (how many tables), ``seed`` and ``draw`` (the law); ``original`` its source
    and records.
    """

    scenario: dict[str, object]
    original: dict[str, object]
    rows: list[Row]
    _types: ClassVar = {name: "int64" if name in ("classes", "levels", "below") else "double" for name in COLUMNS[2:]}

    def __repr__(self) -> str:
        return f"<Reference: {self.scenario['random']} random tables, {len(self.rows)} rows>"

    def _document(self) -> dict[str, object]:
        return {**self._named("scenario", "original"), "reference": objects((*COLUMNS, "histogram"), self.rows)}

    def _table(self) -> Lines:
        return COLUMNS, lines(COLUMNS, self.rows)

    def _blocks(self) -> list[Block]:
        tables = f"{amount(self.scenario['random'])}, seed {self.scenario['seed']}"
        said = [("original", f"{shown(self.original['source'])}, {amount(self.original['records'])} records")]
        said += [("keys", names(self.scenario["keys"])), ("random tables", tables)]
        columns = [Column("target", label=True), Column("measure", label=True), Column("original")]
        columns += [Column(name, above="random tables") for name in COLUMNS[5:]]
        units = {"below": "tables"}
        drawn = [
            [shown(row["target"]), shown(row["measure"]), *(amount(row[n], units.get(n, "percent")) for n in COLUMNS[4:])]
            for row in self.rows
        ]
        return [
            Heading("Average correct attribution of random tables", 1),
            Terms(said),
            Grid(columns, drawn),
            *(block for row in self.rows for block in _histogram(row)),
            Heading("Notes"),
            Items((LAW_NOTES[str(self.scenario["draw"])], *NOTES), quiet=True),
        ]


def _histogram(row: Row) -> Iterator[Block]:
    """Draw how many random tables have which average, with a mark where the original's lies."""
    bins: list[Row] = row["histogram"]
    most = max(each["tables"] for each in bins)
    yield Heading(f"{shown(row['target'])}, {shown(row['measure'])}: the random tables, and the original")
    yield table(
        (
            (Column("average", label=True), lambda each: f"{each['from']:.2f} to {each['to']:.2f}"),
            (Column("tables"), lambda each: f"{each['tables']:,}"),
            (Column("", number=False), lambda each: bar(each["tables"], most)),
            (Column("", number=False), lambda each: "◂ original" if each["original"] else ""),
        ),
        bins,
    )
