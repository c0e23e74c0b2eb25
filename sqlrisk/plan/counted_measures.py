"""Measures as columns of totals, which sum records, people of populations, or weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.measures import UNTARGETED, Measure, load
from sqlrisk.catalogue.measures import column as column_of
from sqlrisk.common.errors import InputError
from sqlrisk.common.resources import sql_folder

TOTALS = {
    "classes": "class",
    "cells": "cell",
    "neighbours": "neighbour",
    "neighbours_reached": "neighbour_reached",
    "profiles": "profile",
    "neighbour_profiles": "neighbour_profile",
    "ordered_classes": "ordered_class",
    "within": "within",
    "reached_classes": "reached_class",
    "linked_classes": "linked_class",
    "singled_classes": "singled_class",
    "predicate_counts": "predicate_count",
    "reached_cells": "reached_cell",
    "guessed_cells": "guessed_cell",
    "whole_rows": "whole_row",
    "near_rows": "near_row",
    "matches": "match",
    "thresholds": "threshold",
    "ratio_thresholds": "ratio_threshold",
    "posteriors": "posterior",
}  # the totals of each stage that measures read

# Those made for each target.
OF_TARGETS = tuple(stage for stage in TOTALS if stage not in UNTARGETED)


@dataclass(frozen=True)
class CountBasis:
    """A basis on which people are summed: everybody, by population, or by weight.

    Attributes:
        name: the prefix of its tables.
        everybody: True if it reports results of everybody, who are population 0.
        weighted: True if weights are summed instead of people counted.
        by_population: True if populations are counted separately.
        excludes: True if the scenario's exclusions apply.
    """

    name: str
    everybody: bool = True
    weighted: bool = False
    by_population: bool = False
    excludes: bool = True

    @property
    def unexcluded(self) -> "CountBasis":
        """The same basis without exclusions."""
        return replace(self, name=f"unexcluded_{self.name}", excludes=False)

    def table(self, stage: str) -> str:
        """Name the table of a stage for this basis."""
        return f"{self.name}{stage}"

    def parts(self, stage: str) -> str:
        """Name the table of the totals over a stage."""
        return f"{self.name}{TOTALS[stage]}_parts"

    def moments(self, stage: str) -> str:
        """Name the table of means and squared deviations over a stage."""
        return f"{self.name}{TOTALS[stage]}_moments"

    def condition(self, measure: Measure) -> str:
        """Return the SQL condition that keeps the populations whose results this basis reports.
        Empty if it reports all.
        """
        return "" if self.everybody or measure.needs == "weights" else "population <> 0"

    @property
    def sql_type(self) -> str:
        """The SQL type for a number of people, or for a sum of their weights."""
        return "DOUBLE" if self.weighted else "BIGINT"

    @property
    def by(self) -> list[str]:
        """The population column, if people are counted by population."""
        return ["population"] if self.by_population else []

    @property
    def population_counts(self) -> "CountBasis | None":
        """The basis itself if it counts people by population, otherwise None."""
        return self if self.by_population else None

    @property
    def counts(self) -> str:
        """The column of people, or of sums of weights, in the table ``population_counts``."""
        return "weight_people" if self.weighted else "n_people"


BY_RECORD = CountBasis("")
BY_POPULATION = CountBasis("population_", everybody=False, by_population=True)
BY_WEIGHT = CountBasis("weight_", weighted=True, by_population=True)


@dataclass(frozen=True)
class MeasureColumn:
    """A measure at one of its points, such as a lower bound (``at``, None without points).

    The columns of its numerator and denominator begin with ``column``. They hold whole numbers if
    ``whole``.
    """

    measure: Measure
    at: str | None
    column: str
    whole: bool = True

    def derived(self, side: str) -> str:
        """Return the SQL of one side (``numerator`` or ``denominator``) of a measure that combines
        others. The SQL reads the columns of these measures.
        """
        return templates.fill(self.measure.aggregates[side], **self.parts)

    @property
    def parts(self) -> dict[str, str]:
        """The columns of the measures that this measure combines, by name, at this point."""
        return {
            name: column_of(name) + self.column.removeprefix(self.measure.column)
            for name in self.measure.parts
        }

    @property
    def each(self) -> str:
        """The SQL of one person's value in a mean."""
        return templates.each(self.measure, self.at)

    @property
    def among(self) -> str:
        """The SQL that counts the people of a row who enter the mean."""
        return self._of_those("people")

    @property
    def counted(self) -> str:
        """The SQL that counts the people of a row who enter the mean with the value of `each`. All
        others enter it with 0.
        """
        return self._of_those(self.measure.kind.averaged)

    def _of_those(self, people: str) -> str:
        among = templates.among(self.measure, self.at)
        return f"CASE WHEN {among} THEN {people} ELSE 0 END" if among else people

    @property
    def combined(self) -> dict[str, str]:
        """Side -> the SQL that combines the passes: the sum of sums, the minimum of minima or the
        maximum of maxima.
        """
        kinds = {side: text.partition("(")[0] for side, text in self.measure.aggregates.items()}
        return {
            side: f"{kind if kind in ('MIN', 'MAX') else 'SUM'}({self.column}_{side})"
            for side, kind in kinds.items()
        }

    @property
    def aggregates(self) -> list[tuple[str, str]]:
        """(side, SQL) of each aggregate. Numbers are whole unless people are weighted."""
        return [
            (side, templates.aggregate(self.measure, side, self.at, whole=self.whole))
            for side in self.measure.aggregates
        ]


@dataclass(frozen=True)
class StageMeasures:
    """The measures over one stage by one count basis. ``means`` are those for which squared
    deviations of people's values are kept, to compare the original with control.
    """

    stage: str
    basis: CountBasis
    columns: tuple[MeasureColumn, ...]
    means: tuple[MeasureColumn, ...]


@dataclass(frozen=True)
class CountPlan:
    """The plan of what to count: count bases, and the measures over each stage by each basis.

    ``unexcluded`` are the bases without exclusions, which show the effect of exclusions. Empty if
    there are no exclusions.
    """

    bases: tuple[CountBasis, ...]
    unexcluded: tuple[CountBasis, ...]
    stages: Mapping[tuple[CountBasis, str], StageMeasures]

    @property
    def of_everybody_alone(self) -> bool:
        """True if there is only one count basis."""
        return len(self.bases) == 1

    @property
    def of_records(self) -> bool:
        """True if measures need the class counts of single records, even if that is expensive."""
        return self.reads("matches") or not self.of_everybody_alone

    def of(self, stage: str, basis: CountBasis = BY_RECORD) -> StageMeasures:
        """Return the measures of a stage, counted on a basis."""
        return self.stages[basis, stage]

    def reads(self, *stages: str) -> bool:
        """Return True if a measure reads one of these stages, on any basis."""
        return any(self.of(stage, basis).columns for stage in stages for basis in self.bases)


def count_plan(
    measures: Sequence[Measure],
    *,
    populations: bool,
    weights: bool,
    control: bool,
    exclusions: bool,
) -> CountPlan:
    """Choose the count bases: always all people, and populations and weights if requested.

    Measures of synthetic records have no populations, and only sums of people have a weighted form.
    With ``control``, the spread of people's values is kept, because means are compared. With
    ``exclusions``, everything is also counted without exclusions, except the measures of the
    exclusions.
    """
    bases = (
        BY_RECORD,
        *([BY_POPULATION] if populations or weights else []),
        *([BY_WEIGHT] if weights else []),
    )
    unexcluded = tuple(basis.unexcluded for basis in bases) if exclusions else ()
    stages = {}
    for basis, stage in product(bases + unexcluded, (*TOTALS, "results")):
        columns = tuple(
            MeasureColumn(
                measure,
                at,
                measure.column if at is None else f"{measure.column}_{number}",
                not basis.weighted,
            )
            for measure in measures
            if measure.stage == stage and _kept(measure, basis)
            for number, at in enumerate(measure.at or (None,), start=1)
        )
        spread = control and not basis.weighted and basis.excludes and stage != "matches"
        means = tuple(column for column in columns if spread and column.measure.each is not None)
        stages[basis, stage] = StageMeasures(stage, basis, columns, means)
    return CountPlan(bases, unexcluded, stages)


def _kept(measure: Measure, basis: CountBasis) -> bool:
    if measure.needs == "exclusions" and not basis.excludes:
        return False
    if not basis.by_population:
        return measure.needs != "weights"
    return measure.knows_populations and (measure.kind.weighable or not basis.weighted)


def own_sql(counts: CountPlan, measures_from: str | None, dialect: str) -> Overrides:
    """Return SQL that replaces measures in a dialect, if there is any.

    The files are ``sql/dialects/<dialect>/measures/<family>/<measure>.sql``. For measures in the
    user's own folder they are ``DIR/<dialect>/<measure>.sql``. Each has the form of a measure, with
    aggregates in the dialect's SQL. Raises InputError for an invalid file.
    """
    texts: dict[str, str] = {}
    places: dict[str, tuple[str, str]] = {}
    for column in (
        column
        for each in counts.stages.values()
        if each.stage != "results"
        for column in each.columns
    ):
        measure, folder = column.measure, sql_folder()
        if measure.path.is_relative_to(folder) or measures_from is None:
            path = folder / "dialects" / dialect / measure.path.relative_to(folder)
        else:
            path = Path(measures_from) / dialect / measure.path.relative_to(measures_from)
        shown = (
            f"sql/{path.relative_to(folder).as_posix()}"
            if path.is_relative_to(folder)
            else str(path)
        )
        places |= {f"{column.column}_{side}": (measure.name, shown) for side in measure.aggregates}
        if path.is_file():
            written = load(path, measure.family)
            same = written.name == measure.name and written.stage == measure.stage
            if not same or written.aggregates.keys() != measure.aggregates.keys():
                sides = " and ".join(measure.aggregates)
                raise InputError(
                    f"{shown}: it must define the measure {measure.name}, over {{{{ "
                    f"{measure.stage} }}}}, with {sides}."
                )
            for side in measure.aggregates:
                own = replace(written, at=measure.at)
                texts[f"{column.column}_{side}"] = templates.aggregate(
                    own, side, column.at, whole=False
                )
    return Overrides(texts, places)
