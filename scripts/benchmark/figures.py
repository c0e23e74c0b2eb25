"""Ratios and figures, their bars and verdicts."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from benchmark.children import Cost
from benchmark.tables import table, times

QUANTITIES = ("CPU", "wall", "peak")


def medians(costs: Sequence[Cost]) -> dict[str, float]:
    """Return the median CPU, wall clock and peak of several runs of one command."""
    of: dict[str, Callable[[Cost], float]] = {
        "CPU": lambda c: c.cpu,
        "wall": lambda c: c.wall,
        "peak": lambda c: c.peak,
    }
    return {quantity: statistics.median(map(take, costs)) for quantity, take in of.items()}


@dataclass(frozen=True)
class Bar:
    """The maximum allowed value of a ratio. ``goal`` is the value that we aim for."""

    quantity: str
    most: float
    goal: float | None = None

    def __str__(self) -> str:
        return f"{self.quantity} {times(self.most)}" + (
            f", goal {times(self.goal)}" if self.goal is not None else ""
        )


@dataclass(frozen=True)
class Ratio:
    """The cost of sqlrisk divided by that of another program for the same work, in one run.

    Attributes:
        shares: the units of work (records, attacks) in one run of sqlrisk and of the other program.
            Each cost is first divided by its program's units.
        missing: why the other program did not run.
        command: the command that repeats the measurement.
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
        """The ratio of the medians of each quantity. Peaks are not divided by ``shares``."""
        ours, theirs = medians(self.ours), medians(self.theirs)
        per = self.shares[1] / self.shares[0]
        return {
            each: ours[each] / theirs[each] * (1 if each == "peak" else per) for each in QUANTITIES
        }

    @property
    def verdict(self) -> str:
        """The verdict: ``missed`` if any bar is missed, ``goal met`` if any goal is met, otherwise
        ``met``. Empty without bars. If the other program did not run, the reason.
        """
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
    """A measured value with its own bar. ``form`` formats the value and the bar. ``command``
    repeats the measurement.
    """

    name: str
    value: float
    bar: float
    form: str
    command: str = ""

    @property
    def verdict(self) -> str:
        """The verdict, ``met`` or ``missed``."""
        return "met" if self.value <= self.bar else "missed"


@dataclass
class Findings:
    """The results of a part: the costs of each command, ratios, figures and other tables."""

    costs: dict[str, list[Cost]] = field(default_factory=dict)
    ratios: list[Ratio] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, other: "Findings", command: str = "") -> None:
        """Add the results of another part, found by ``command``. If a command ran in both parts,
        keep all of its runs.
        """
        for name, each in other.costs.items():
            self.costs[name] = [*self.costs.get(name, []), *each]
        self.ratios += [replace(each, command=command) for each in other.ratios]
        self.figures += [replace(each, command=command) for each in other.figures]
        self.texts += other.texts


def ratio_table(ratios: Sequence[Ratio]) -> str:
    """Return a table with a row for each ratio."""
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
    """Return a table with a row for each figure."""
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
