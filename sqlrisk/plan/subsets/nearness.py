"""Distances of synthetic records from a class, as numbers of differing keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlrisk.catalogue.reads import PROFILES
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout


@dataclass(frozen=True)
class Nearness:
    """A distance between a class and synthetic records.

    ``stages`` are the stages of measures that read the nearest records by this distance. ``mark``
    begins the names of the tables.
    """

    stages: tuple[str, ...]
    mark: str = ""

    @property
    def votes(self) -> bool:
        """True if a measure uses the majority level of the nearest records."""
        return any(stage in PROFILES for stage in self.stages)

    def neighbours(self, layout: Layout, comparison: Comparison, target: Column) -> str:
        """Name the table of the synthetic records nearest to classes that no synthetic record
        matches exactly (for `REACHED`: that have no synthetic record within the tolerance).

        Control uses the table of the original.
        """
        return table(f"{self.mark}neighbours_{layout.of_the_original(comparison).number}", target)

    def unmatched_classes(self, comparison: Comparison, radius: int) -> str:
        """Name the table of the classes that have no synthetic record nearer than a radius."""
        return f"{self.mark}open_classes_{comparison.number}_{radius}"


EQUAL = Nearness(("neighbours", "neighbour_profiles"))  # the number of keys that differ
# The number of keys that differ by more than their tolerance.
REACHED = Nearness(("neighbours_reached",), "reached_")

EVERY = (EQUAL, REACHED)


def dropped(columns: Sequence[Column], radius: int) -> list[tuple[str, ...]]:
    """Return the ids of every set of ``radius`` columns, in which a record may differ."""
    return [tuple(column.id for column in each) for each in combinations(columns, radius)]


def sought(layout: Layout) -> tuple[Nearness, ...]:
    """Return the kinds of distance by which the layout's measures seek the nearest synthetic
    records.
    """
    stages = {measure.stage for measure in layout.measures}
    return tuple(each for each in EVERY if stages.intersection(each.stages))
