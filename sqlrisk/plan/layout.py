"""The layout, from which templates are filled: files, columns, class keys, comparisons, table
names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, product
from math import gcd, prod
from typing import Any

from sqlrisk.catalogue.measures import OF_SCORES, UNTARGETED, Measure
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.conditions import Predicate as Condition
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.settings import RATIOS
from sqlrisk.inputs.sources import Source, Synthesis
from sqlrisk.plan.class_key import KeyColumn, PackedKey
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.counted_measures import OF_TARGETS, CountPlan, count_plan


@dataclass(frozen=True)
class Comparison:
    """The people of one file compared with one synthesis, or with the first few pooled syntheses of
    a method.

    ``number`` counts the comparisons from 1. ``label`` and ``method`` name the syntheses in
    results. ``members`` are their files. ``single`` is False for pooled syntheses.
    """

    number: int
    label: str
    method: str
    members: tuple[File, ...]
    single: bool
    people: File


@dataclass(frozen=True)
class Together:
    """Comparisons counted by one query. If there are several, the table `comparisons` has the files
    of each.
    """

    comparisons: tuple[Comparison, ...]

    @property
    def names(self) -> dict[str, Any]:
        """The names to fill templates of stages that read counts of files.

        ``together`` has the numbers of the comparisons. It is empty for one comparison.
        """
        together = [each.number for each in self.comparisons] if self.apart else []
        return {
            "together": together,
            "comparisons": "comparisons",
            "own": self.own,
            "members": self.members,
        }

    @property
    def apart(self) -> dict[str, str]:
        """The column that tells several comparisons apart -> its SQL. Empty for one comparison."""
        return {"comparison": "chosen.comparison"} if len(self.comparisons) > 1 else {}

    @property
    def own(self) -> list[File]:
        """The files that hold the people of these comparisons."""
        return self._taken("of", lambda comparison: (comparison.people,))

    @property
    def members(self) -> list[File]:
        """The files that hold the synthetic records of these comparisons."""
        return self._taken("with", lambda comparison: comparison.members)

    @property
    def control(self) -> bool:
        """True if control is among the people."""
        return any(file.control for file in self.own)

    def _taken(self, word: str, files: Callable[[Comparison], Sequence[File]]) -> list[File]:
        """Return the files of one side. A file that only some comparisons use has ``times``, the
        column ``WORD_NUMBER`` of the table `comparisons`, which is 1 or 0.
        """
        every = {file.number: file for comparison in self.comparisons for file in files(comparison)}
        return [
            file
            if all(file in files(each) for each in self.comparisons)
            else replace(file, times=f"chosen.{word}_{number}")
            for number, file in every.items()
        ]


@dataclass(frozen=True)
class Population:
    """A population: some of the people. Stages know it by its ``number``.

    ``kind`` is ``all``, ``uniques``, ``special``, ``condition`` or ``level``. With ``level``, each
    level of ``column`` is a population, numbered from ``number`` on. With ``condition``,
    ``conditions`` maps the number of a file to SQL over its columns. ``recoded`` has the parts of
    the condition about recoded columns, which are tested on levels instead of values.
    """

    number: int
    name: str
    kind: str
    conditions: Mapping[int, str] = field(default_factory=dict)
    column: Column | None = None
    recoded: tuple[tuple[Column, Condition], ...] = ()

    @property
    def in_dictionaries(self) -> str:
        """The SQL condition on recoded columns, over their dictionaries. May be empty."""
        return " AND ".join(
            column.compared(each.operator, each.levels) for column, each in self.recoded
        )

    @property
    def flag(self) -> str:
        """The column of the records that marks people who meet the condition."""
        return f"p{self.number}"


@dataclass(frozen=True)
class Baseline:
    """The user's distribution of a target. Each row of ``relation`` has a level and its ``share``.

    ``level`` is the SQL of the level's value, and ``value`` that of a level of the files that is
    compared with it.
    """

    relation: str
    level: str
    value: str = "dictionary.value"


@dataclass(frozen=True)
class Link:
    """Two sets of keys (sides) that an intruder wants to join. ``name`` is the link as
    `sqlrisk.inputs.columns.links.read_links` writes it.

    ``place`` is its position among the links, from 1. In the target column of stages, ``number``
    stands for the link.
    """

    place: int
    number: int
    name: str
    sides: tuple[tuple[Column, ...], tuple[Column, ...]]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns on both sides of the link."""
        one, other = self.sides
        return one + other


@dataclass(frozen=True)
class Ratio:
    """A rule of ``RATIOS``: how to score membership by a synthetic file and a reference. In the
    target column of stages, ``number`` stands for the rule.
    """

    number: int
    name: str
    rule: str


EVERYBODY = Population(0, "all", "all")
# With fewer records in all files, fewer joins and statements may be faster (sql/docs/decisions.md).
FEW_RECORDS = 1_000_000
WINDOWED = 50_000  # fewer records are counted by few statements, however many classes they may have


@dataclass(frozen=True)
class Layout:
    """A scenario laid out over its files.

    Attributes:
        populations: the populations without everybody.
        key_columns: the class key. Empty until the dictionaries are made.
        records: the number of records of each file. Empty until the dictionaries are made.
        codes: the number of codes of each key, target and column of a population, by id. Empty
            until the dictionaries are made.
        own_id: the id column that aligns files, or None.
        shared: the columns of whole rows (``a1`` ...), if whole rows are compared: all that the
            files except the universe have in common, without weights, ids, the split and columns
            with the role identifier, weight or other.
        file_columns: the names of all columns of each file.
        sources: the source of each file. Both halves of a split original have the same.

    Tables are named like their files in ``sql/stages``, with the id of a column if there is one
    table per column.
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
    codes: Mapping[str, int] = field(default_factory=dict)
    own_id: Column | None = None
    shared: tuple[Column, ...] = ()
    file_columns: tuple[tuple[str, ...], ...] = ()
    sources: tuple[Source, ...] = ()

    @cached_property
    def counts(self) -> CountPlan:
        """The plan of what to count."""
        return count_plan(
            self.measures,
            populations=bool(self.populations),
            weights=self.scenario.weights is not None,
            control=self.control is not None,
            exclusions=self.scenario.excludes,
        )

    @cached_property
    def each_file(self) -> bool:
        """True if a measure evaluates each file of a pool separately."""
        return any(measure.of_each_file for measure in self.measures)

    @cached_property
    def others(self) -> bool:
        """True if a measure needs what the original reveals about a person without that person's
        own record.
        """
        return any(measure.of_others for measure in self.measures)

    @cached_property
    def row_radius(self) -> int:
        """The maximum number of columns in which near rows may differ, over all measures."""
        asked = [measure for measure in self.measures if measure.stage == "near_rows"]
        most = [int(at) for measure in asked for at in measure.at or (self.scenario.row_radius,)]
        return min(len(self.keys), max(most, default=0))

    @property
    def few_records(self) -> bool:
        """True if the files have so few records that a statement of fewer joins is faster."""
        return 0 < sum(self.records) < FEW_RECORDS

    @property
    def few_classes(self) -> bool:
        """True if there are few records, and at most as many possible classes, or very few records.
        Windows over the cells then cost less than the statements that they save.
        """
        records = sum(self.records)
        return self.few_records and (
            records < WINDOWED or prod(self.codes[key.id] for key in self.keys) <= records
        )

    @property
    def close(self) -> bool:
        """True if a measure compares the level shares of a class with the level shares of all
        people.
        """
        return any(measure.of_closeness for measure in self.measures)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Keys, then targets."""
        return self.keys + self.targets

    @property
    def key_column_names(self) -> list[str]:
        """The columns that hold the class key."""
        return [key_column.name for key_column in self.key_columns]

    @property
    def class_key(self) -> str:
        """The columns of the class key, separated by commas."""
        return ", ".join(self.key_column_names)

    @property
    def names(self) -> dict[str, Any]:
        """The names to fill most stages of a pass with. Only classes also read the universe."""
        return {
            "files": self.counted_files,
            "key_columns": self.key_columns,
            "class_key": self.class_key,
            "records": "records",
        }

    @property
    def parts(self) -> tuple[PackedKey, ...]:
        """The keys inside the class key, in packing order."""
        return tuple(part for key_column in self.key_columns for part in key_column.parts)

    @property
    def universe(self) -> File | None:
        """The file of the whole population, if there is one."""
        return next((file for file in self.files if file.universe), None)

    @property
    def control(self) -> File | None:
        """The file of people who were not in the synthesis, if there is one."""
        return next((file for file in self.files if file.control), None)

    def every(self, least: int) -> int:
        """Return the smallest step, from ``least``, through the class keys that skips no level.

        It shares no divisor with the number of codes of a key in the first class key column.
        """
        sizes = [part.size or 1 for part in self.key_columns[0].parts]
        return next(step for step in count(least) if all(gcd(step, size) == 1 for size in sizes))

    @property
    def counted_files(self) -> tuple[File, ...]:
        """The files with targets: all but the universe."""
        return tuple(file for file in self.files if not file.universe)

    @property
    def people_files(self) -> tuple[File, ...]:
        """The files of people: the original, and control if there is one."""
        return tuple(file for file in self.files if file.of_people)

    @property
    def missing_keys(self) -> list[PackedKey]:
        """The keys for which the missing level is not counted."""
        return [part for part in self.parts if part.column.name in self.scenario.exclude_missing]

    @property
    def identifiers(self) -> list[str]:
        """The columns that identify a record: its number in the file, and the user's id."""
        return [
            *(["record"] if self.files[0].record is not None else []),
            *(["record_id"] if self.scenario.id else []),
        ]

    @property
    def person_columns(self) -> list[str]:
        """The columns of the records with facts about a person: population flags and the weight."""
        flags = [each.flag for each in self.populations if each.kind in ("condition", "level")]
        return [*flags, *(["weight"] if self.scenario.weights is not None else [])]

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """Columns that define populations, by their levels or in a condition, and are neither key
        nor target.

        Each has a dictionary of people's levels.
        """
        by = [population.column for population in self.populations if population.column is not None]
        by += [column for population in self.populations for column, _ in population.recoded]
        return tuple(column for column in dict.fromkeys(by) if column not in self.columns)

    @property
    def dictionaries(self) -> dict[str, str]:
        """Column id -> the name of the table with the column's levels."""
        return {column.id: table("levels", column) for column in (*self.columns, *self.own_columns)}

    @property
    def of_original(self) -> tuple[Comparison, ...]:
        """The comparisons in which the people are those of the original."""
        return tuple(each for each in self.comparisons if not each.people.control)

    @property
    def pairs(self) -> list[tuple[Comparison, Comparison]]:
        """The comparisons in pairs: the people of the original and the people of control, against
        the same syntheses.
        """
        return [
            (self.of_the_original(each), each) for each in self.comparisons if each.people.control
        ]

    @property
    def syntheses(self) -> tuple[File, ...]:
        """The synthetic files."""
        return tuple(file for file in self.files if file.synthetic)

    @property
    def singles(self) -> tuple[Comparison, ...]:
        """The comparisons of the original's people with a single synthesis."""
        return tuple(each for each in self.of_original if each.single)

    def listing(self, measure: Measure) -> "Layout":
        """Return the layout with another measure, so that cells have the columns that it reads."""
        return replace(self, measures=(*self.measures, measure))

    def of_the_original(self, comparison: Comparison) -> Comparison:
        """Return the comparison of the original's people with the syntheses of ``comparison``."""
        return next(each for each in self.of_original if each.members == comparison.members)

    @property
    def counted_targets(self) -> tuple[Column, ...]:
        """The targets whose cells a measure or a distribution reads."""
        read = self.scenario.distributions or self.counts.reads(*OF_TARGETS)
        return self.targets if read else ()

    @property
    def _last_target(self) -> int:
        """The greatest number of a target. Several scenarios number their targets together."""
        return max((target.number for target in self.targets), default=0)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links that a measure reads."""
        if not any(measure.stage == "linked_classes" for measure in self.measures):
            return ()
        keys = {key.name: key for key in self.keys}
        laid = []
        for place, (name, (one, other)) in enumerate(self.scenario.links.items(), start=1):
            sides = tuple(keys[each] for each in one), tuple(keys[each] for each in other)
            laid.append(Link(place, self._last_target + place, name, sides))
        return tuple(laid)

    @property
    def asks_who_was_in(self) -> bool:
        """True if a measure asks who was in the synthesis."""
        return any(measure.stage in OF_SCORES for measure in self.measures)

    @cached_property
    def ratios(self) -> tuple[Ratio, ...]:
        """The rules that compare membership scores with a reference. Empty unless asked for."""
        asked = self.scenario.membership_ratio and self.asks_who_was_in
        taken = self._last_target + len(self.links)
        if asked:
            return tuple(
                Ratio(taken + place, *each) for place, each in enumerate(RATIOS.items(), start=1)
            )
        return ()

    @property
    def most_keys(self) -> int:
        """The maximum number of keys of a predicate that a measure asks for, or 0."""
        asked = [
            measure
            for measure in self.measures
            if measure.stage in ("singled_classes", "predicate_counts")
        ]
        return max((int(at) for measure in asked for at in measure.at), default=0)

    @property
    def numbered(self) -> tuple[Column | Link | Ratio, ...]:
        """The subjects of results, in the order of their numbers in the stages: targets, links,
        ratios.
        """
        return self.targets + self.links + self.ratios

    def about(self, stage: str) -> Sequence[Column | Link | Ratio | None]:
        """Return what the measures over a stage are about: links, ratios or targets, or [None] for
        a stage without targets.
        """
        others: Mapping[str, Sequence[Link | Ratio]] = {
            "linked_classes": self.links,
            "ratio_thresholds": self.ratios,
        }
        return others[stage] if stage in others else self.targets_of(stage)

    def targets_of(self, stage: str) -> list[Column | None]:
        """Return the targets that measures over a stage apply to, or [None] if the stage has no
        targets.
        """
        if stage in UNTARGETED:
            return [None]
        return [target for target in self.targets if target.has(stage)]

    def column(self, name: str) -> Column:
        """Return the key or target with this user's name."""
        return next(column for column in self.columns if column.name == name)

    def part(self, name: str) -> PackedKey:
        """Return the key inside the class key with this user's name."""
        return next(part for part in self.parts if part.column.name == name)


def unpacked(layout: Layout) -> Layout:
    """Return the layout with one column per key instead of a packed class key. The keys are packed
    later.
    """
    return replace(
        layout,
        key_columns=tuple(KeyColumn(key.id, (PackedKey(key, key.id),)) for key in layout.keys),
    )


def compare(syntheses: Sequence[Synthesis], files: Sequence[File]) -> tuple[Comparison, ...]:
    """Return the comparisons of people with each synthesis, and with the first 2, 3 and so on
    pooled of each method.

    The intruder of a pooled comparison has all its files. The people of the original come first,
    then those of control.
    """
    synthetic = list(zip(syntheses, (file for file in files if file.synthetic), strict=True))
    choices: list[tuple[str, str, tuple[File, ...], bool]] = []
    for method in dict.fromkeys(synthesis.method for synthesis in syntheses):
        choices += [
            (synthesis.label, method, (file,), True)
            for synthesis, file in synthetic
            if synthesis.method == method
        ]
        members = tuple(file for synthesis, file in synthetic if synthesis.method == method)
        pooled = range(2, len(members) + 1)
        choices += [
            (f"{method} pooled 1-{upto}".strip(), method, members[:upto], False) for upto in pooled
        ]
    every = product((file for file in files if file.of_people), choices)
    return tuple(
        Comparison(number, *choice, people)
        for number, (people, choice) in enumerate(every, start=1)
    )


def taken(measures: Sequence[Measure], targets: Sequence[Column]) -> tuple[Measure, ...]:
    """Return the measures that apply to a target of the layout, or need no target. Raises
    InputError if there are targets, but no measure applies.
    """
    found = tuple(
        each
        for each in measures
        if each.untargeted or any(target.has(each.stage) for target in targets)
    )
    if targets and measures and not found:
        raise InputError(
            f"{', '.join(each.name for each in measures)}: no target has ordered levels. "
            "Ordered are numbers that are not codes, dates, and ordered categories. If the "
            "tables are not read, name types with --types."
        )
    return found
