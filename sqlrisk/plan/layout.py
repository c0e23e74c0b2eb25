"""What the templates are filled with: files, columns, class keys, comparisons, and the name of every stage table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlrisk.catalogue.measures import UNTARGETED, Measure
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import Synthesis
from sqlrisk.plan.class_key import KeyColumn, PackedKey
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.counted_measures import CountPlan, count_plan


@dataclass(frozen=True)
class Comparison:
    """The people of one file against a choice of syntheses: one alone, or the first few of a method pooled."""

    number: int
    label: str
    method: str
    members: tuple[File, ...]
    single: bool
    people: File


@dataclass(frozen=True)
class Population:
    """Some of the people, by ``number`` in the stages; with a ``column`` each of its levels is one, from ``number`` on.

    ``kind``: ``all``, ``uniques``, ``special``, ``condition`` (``conditions``: SQL by file number) or ``level``.
    """

    number: int
    name: str
    kind: str
    conditions: Mapping[int, str] = field(default_factory=dict)
    column: Column | None = None

    @property
    def flag(self) -> str:
        """The column of the records that tells who fulfils its condition."""
        return f"p{self.number}"


@dataclass(frozen=True)
class Baseline:
    """The user's distribution of a target: ``relation`` has a row per level with its ``share``; ``level`` is its value in SQL."""

    relation: str
    level: str


EVERYBODY = Population(0, "all", "all")


@dataclass(frozen=True)
class Layout:
    """A scenario laid out over its files.

    ``populations`` are those besides everybody. ``own_id`` is the column by which aligned files are (None: by their order).
    ``key_columns`` and ``records`` (of each file) are empty until the dictionaries
    are made. Table names are those of the files under
    ``sql/stages``, with the id of their column where there is one table per column.
    """

    scenario: Scenario
    files: tuple[File, ...]
    keys: tuple[Column, ...]
    targets: tuple[Column, ...]
    comparisons: tuple[Comparison, ...]
    measures: tuple[Measure, ...]
    populations: tuple[Population, ...] = ()
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    key_columns: tuple[KeyColumn, ...] = ()
    records: tuple[int, ...] = ()
    own_id: Column | None = None

    @cached_property
    def counts(self) -> CountPlan:
        """What is counted of it."""
        weights, control = self.scenario.weights is not None, len(self.people_files) > 1
        return count_plan(self.measures, populations=bool(self.populations), weights=weights, control=control)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Keys, then targets."""
        return self.keys + self.targets

    @property
    def class_key(self) -> str:
        """The columns of the class key, separated by commas."""
        return ", ".join(key_column.name for key_column in self.key_columns)

    @property
    def parts(self) -> tuple[PackedKey, ...]:
        """The keys inside the class key, in the order of the scenario."""
        return tuple(part for key_column in self.key_columns for part in key_column.parts)

    @property
    def people_files(self) -> tuple[File, ...]:
        """The files whose records are people: the original, and control where there is one."""
        return tuple(file for file in self.files if file.of_people)

    @property
    def by_columns(self) -> tuple[Column, ...]:
        """The columns whose levels are populations."""
        return tuple(population.column for population in self.populations if population.column is not None)

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """Those of them that are neither key nor target, and have a dictionary of people's levels."""
        return tuple(column for column in self.by_columns if column not in self.columns)

    @property
    def of_original(self) -> tuple[Comparison, ...]:
        """The comparisons of the original's people."""
        return tuple(each for each in self.comparisons if not each.people.control)

    @property
    def syntheses(self) -> tuple[File, ...]:
        """The synthetic files."""
        return tuple(file for file in self.files if not file.of_people)

    @property
    def singles(self) -> tuple[Comparison, ...]:
        """Those of them with one synthesis."""
        return tuple(each for each in self.of_original if each.single)

    def targets_of(self, stage: str) -> list[Column | None]:
        """The targets that the measures over a stage are taken of; None for those about no target."""
        every = [target for target in self.targets if stage != "within" or target.tolerance is not None]
        return [None] if stage in UNTARGETED else list(every)

    def column(self, name: str) -> Column:
        """A key or target by the user's name."""
        return next(column for column in self.columns if column.name == name)

    def part(self, name: str) -> PackedKey:
        """A key inside the class key by the user's name."""
        return next(part for part in self.parts if part.column.name == name)


def unpacked(layout: Layout) -> Layout:
    """The layout with a column for each key instead of the class key, so that any choice of the keys can be packed later."""
    return replace(layout, key_columns=tuple(KeyColumn(key.id, (PackedKey(key, key.id),)) for key in layout.keys))


def compare(syntheses: Sequence[Synthesis], files: Sequence[File]) -> tuple[Comparison, ...]:
    """Each synthesis alone, and per method the first 2, 3, ... pooled in the order given (an intruder holds them all).

    First for the people of the original, then for control.
    """
    plans: list[tuple[str, str, tuple[File, ...], bool, File]] = []
    synthetic = [file for file in files if not file.of_people]
    for people in (file for file in files if file.of_people):
        for method in dict.fromkeys(synthesis.method for synthesis in syntheses):
            members = [(each, file) for each, file in zip(syntheses, synthetic, strict=True) if each.method == method]
            plans += [(synthesis.label, method, (file,), True, people) for synthesis, file in members]
            plans += [
                (f"{method} pooled 1-{upto}".strip(), method, tuple(file for _, file in members[:upto]), False, people)
                for upto in range(2, len(members) + 1)
            ]
    return tuple(Comparison(number, *plan) for number, plan in enumerate(plans, start=1))
