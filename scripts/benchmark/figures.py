"""Ratios and limits, the bars that they are held to, and the verdicts."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from benchmark.children import Cost
from benchmark.tables import table, times

QUANTITIES = ("CPU", "wall", "peak")


def medians(costs: Sequence[Cost]) -> dict[str, float]:
    """The median CPU, wall clock and peak of several runs of one command."""
    of: dict[str, Callable[[Cost], float]] = {
        "CPU": lambda c: c.cpu,
        "wall": lambda c: c.wall,
        "peak": lambda c: c.peak,
    }
    return {quantity: statistics.median(map(take, costs)) for quantity, take in of.items()}


@dataclass(frozen=True)
class Bar:
    """The most that a ratio may be; `goal` is what to go for."""

    quantity: str
    most: float
    goal: float | None = None

    def __str__(self) -> str:
        return f"{self.quantity} {times(self.most)}" + (
            f", goal {times(self.goal)}" if self.goal is not None else ""
        )


@dataclass(frozen=True)
class Ratio:
    """What sqlrisk takes over what something else takes for the same, in the same run.

    Attributes:
        shares: what one run of sqlrisk, and of the other, is divided by first: records, attacks.
        missing: why the other was not run.
        command: what measures it again.
    """

    name: str
    ours: Sequence[Cost]
    theirs: Sequence[Cost]
    bars: Sequence[Bar] = ()
    shares: tuple[float, float] = (1, 1)
    missing: str = ""
    command: str = ""

    @property
    def values(self) -> dict[str, float]:
        """The ratio of the medians of each quantity. A peak is divided by nothing."""
        ours, theirs = medians(self.ours), medians(self.theirs)
        per = self.shares[1] / self.shares[0]
        return {
            each: ours[each] / theirs[each] * (1 if each == "peak" else per) for each in QUANTITIES
        }

    @property
    def verdict(self) -> str:
        """Whether every bar is met; the goal, where it is."""
        if self.missing:
            return f"not run: {self.missing}"
        if not self.bars:
            return ""
        values = self.values
        if any(values[bar.quantity] > bar.most for bar in self.bars):
            return "missed"
        return (
            "goal met"
            if any(bar.goal is not None and values[bar.quantity] <= bar.goal for bar in self.bars)
            else "met"
        )


@dataclass(frozen=True)
class Figure:
    """A value that has a bar of its own: a name, the value measured, the bar, how to print both,
    and what measures it again.
    """

    name: str
    value: float
    bar: float
    form: str
    command: str = ""

    @property
    def verdict(self) -> str:
        """Whether the value stays within the bar."""
        return "met" if self.value <= self.bar else "missed"


@dataclass
class Findings:
    """What a part of the benchmark found: the costs of each command, ratios, figures, and tables of
    its own.
    """

    costs: dict[str, list[Cost]] = field(default_factory=dict)
    ratios: list[Ratio] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, other: "Findings", command: str = "") -> None:
        """Those of another part, which a command found, after these; what ran in both has the runs
        of both.
        """
        for name, each in other.costs.items():
            self.costs[name] = [*self.costs.get(name, []), *each]
        self.ratios += [replace(each, command=command) for each in other.ratios]
        self.figures += [replace(each, command=command) for each in other.figures]
        self.texts += other.texts


def ratio_table(ratios: Sequence[Ratio]) -> str:
    """A row for each ratio: CPU, wall clock and peak, the bar, the verdict, the command."""
    rows = []
    for ratio in ratios:
        shown = (
            [""] * len(QUANTITIES)
            if ratio.missing
            else [times(ratio.values[each]) for each in QUANTITIES]
        )
        rows.append(
            [ratio.name, *shown, "; ".join(map(str, ratio.bars)), ratio.verdict, ratio.command]
        )
    return table(["sqlrisk / the other", *QUANTITIES, "bar", "verdict", "command"], rows)


def figure_table(figures: Sequence[Figure]) -> str:
    """A row for each figure: the value, the bar, the verdict, the command."""
    rows = [
        [
            each.name,
            each.form.format(each.value),
            each.form.format(each.bar),
            each.verdict,
            each.command,
        ]
        for each in figures
    ]
    return table(["figure", "measured", "bar", "verdict", "command"], rows)
