"""The numbers of every subset of the keys, and which are shown. `sweeps` adds the formats."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sqlrisk.report.columns import Row
from sqlrisk.report.declared import Declared, declared, headers
from sqlrisk.report.wording import comparable, distinct, label_name, means, shown, synthesis_name

ORIGINAL = "original"  # the original against itself, shown like a synthesis


@dataclass(frozen=True, repr=False)
class SubsetRows:
    """The rows of a sweep. ``Sweep`` documents the fields and adds the output formats."""

    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    control: dict[str, object] | None
    units: dict[str, str]
    subsets: list[Row]
    summary: list[Row]
    contributions: list[Row]
    sort: str
    top: int
    assessment: list[Row] = field(default_factory=list)
    membership_worst: list[Row] = field(default_factory=list)
    unfinished: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def declared(self) -> Declared:
        """The headers of all shipped measures and those of the sweep, by measure."""
        return declared(headers(self.texts))

    @property
    def measured(self) -> Collection[str]:
        """The measures and attackers of every subset."""
        return self.units

    @property
    def count(self) -> int:
        """The number of subsets."""
        return sum({row["key_length"]: int(row["subsets"]) for row in self.summary}.values())


def own(sweep: SubsetRows, rows: Sequence[Row]) -> list[Row]:
    """Return the rows to show: people of the original without weights, in the first population. For
    several syntheses, show their mean.
    """
    rows = [
        row
        for row in comparable(rows, sweep)
        if row["people"] == "original" and not row["weighted"]
    ]
    labels = files(sweep)
    return [
        row
        for row in rows
        if row["population"] == rows[0]["population"] and row["synthesis"] in labels
    ]


def files(sweep: SubsetRows) -> list[str]:
    """Return the labels to show: the original against itself, then one per name of syntheses."""
    itself = [label for label in distinct(sweep.summary, "synthesis") if label == ORIGINAL]
    return [*itself, *means(row for row in sweep.summary if row["synthesis"] != ORIGINAL)]


def file_name(sweep: SubsetRows, label: str) -> str:
    """Return the display name of a label: the name of its syntheses, or ``synthesis 1``."""
    name = label_name(label)
    several = sum(label_name(str(each["synthesis"])) == name for each in sweep.synthetic) > 1
    if label == ORIGINAL:
        return ORIGINAL
    return shown(label if several else name) if name else synthesis_name(label)


def named(row: Row) -> str:
    """Return a row's measure and the point at which it was computed."""
    return shown(row["measure"]) if row["at"] is None else f"{shown(row['measure'])} {row['at']}"


def targets(rows: Sequence[Row]) -> list[object]:
    """Return the distinct targets of rows. If no row has a target, return a list with only None."""
    return [target for target in distinct(rows, "target") if target is not None] or [None]
