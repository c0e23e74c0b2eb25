"""Steps that count all passes and sum the measures over them. Pure: nothing here touches a database."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Catalog
from sqlrisk.plan import pass_tables
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column
from sqlrisk.plan.comparisons import Cells, of_classes, overlaps
from sqlrisk.plan.counted_measures import OF_TARGETS, TOTALS, CountBasis, CountPlan, MeasureColumn
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step, fill
from sqlrisk.plan.supersets import Superset

UNEXCLUDED = "unexcluded_results"  # the results without exclusions
TOGETHER = 40  # targets whose levels are written beside each other with the counts of their class


def count(layout: Layout, catalog: Catalog, passes: Sequence[KeyRange], *, rewrites: bool = True) -> Iterator[Step]:
    """Count classes, cells and the sums over them, in disjoint passes over the class keys: sums over passes add up.

    ``rewrites``: records are written once more with the counts of their class, so that no target looks its classes up again.
    """
    return _Counting(layout, rewrites, templates.risky(catalog["DiSCO"]), overlaps=True).steps(passes)


def measure(
    layout: Layout,
    passes: Sequence[KeyRange] = (EVERY_CLASS,),
    *,
    overlaps: bool = False,
    rewrites: bool = True,
    superset: Superset | None = None,
) -> Iterator[Step]:
    """Count classes, cells and the totals of the measures alone: what the script of a measure shows, in one pass.

    ``superset``: classes and cells are those of more keys, merged; records are not read.
    """
    return _Counting(layout, rewrites, None, overlaps=overlaps, superset=superset).steps(passes)


def collect(layout: Layout) -> Iterator[Step]:
    """Make results from the totals, then those of the measures that are made of other measures."""
    yield from _collected(layout.counts, layout.counts.bases, "results")


def collect_unexcluded(layout: Layout) -> Iterator[Step]:
    """Make the results without exclusions, where there are any, in a table of their own."""
    yield from _collected(layout.counts, layout.counts.unexcluded, UNEXCLUDED)


def _collected(counts: CountPlan, bases: Sequence[CountBasis], table: str) -> Iterator[Step]:
    for basis in bases:
        kept = [column for stage in TOTALS for column in counts.of(stage, basis).columns]
        if kept:
            yield _results(table, (_summed(column, basis) for column in kept))
    derived = counts.of("results").columns if bases else ()
    if derived:
        known = {column.measure.name: column for stage in ("classes", "cells") for column in counts.of(stage).columns}
        parts = [known[name] for name in dict.fromkeys(name for column in derived for name in column.measure.parts)]
        pivot = templates.stage("stages/results/pivot.sql", parts=parts, results=table)
        yield _results(
            table,
            (templates.stage("stages/results/derived_results.sql", measure_column=column, pivot=pivot) for column in derived),
        )


def _results(table: str, queries: Iterable[str]) -> Step:
    return fill("results", table, "stages/results/results.sql", results=templates.union_all(queries))


def _summed(column: MeasureColumn, basis: CountBasis) -> str:
    """Return the query of a measure's result from the totals of each pass."""
    sides = column.measure.aggregates
    kind = "least" if "least" in sides else "plain" if "value" in sides else "summed"
    return templates.stage(
        f"stages/results/{kind}_results.sql",
        measure_column=column,
        weighted=int(basis.weighted),
        parts=basis.parts(column.measure.stage),
        condition=basis.condition(column.measure),
    )


@dataclass(frozen=True)
class _Counting:
    """How passes are counted: with the ``disclosive`` condition of a cell, also what checks, exclusions and differences read.

    Then all is also counted without the exclusions, where there are any.
    """

    layout: Layout
    rewrites: bool
    disclosive: str | None
    overlaps: bool
    superset: Superset | None = None

    @property
    def checks(self) -> bool:
        """Whether more is counted than the totals of the measures."""
        return self.disclosive is not None

    @property
    def bases(self) -> tuple[CountBasis, ...]:
        """By what people are summed."""
        counts = self.layout.counts
        return counts.bases + counts.unexcluded if self.checks else counts.bases

    @cached_property
    def targets(self) -> tuple[Column, ...]:
        """The targets whose cells are counted: by a measure, or by the checks."""
        return self.layout.targets if self.checks else self.layout.counted_targets

    @property
    def cells_first(self) -> bool:
        """Whether classes are summed from the cells of the one target: a third less than to write the records once more."""
        few = len(self.layout.targets) == len(self.targets) == 1
        return self.rewrites and few and not self.layout.counts.of_records and self.superset is None

    def has_members(self, key_range: KeyRange) -> bool:
        """Return whether a pass writes the records once more."""
        worthwhile = bool(self.targets) and not self.cells_first and (self.rewrites or key_range != EVERY_CLASS)
        return self.layout.counts.of_records or (worthwhile and self.superset is None)

    def steps(self, passes: Sequence[KeyRange]) -> Iterator[Step]:
        """Count each pass: classes, who is in them, then the cells of each target."""
        for key_range in passes:
            groups = self._groups(key_range)
            yield from self._classes(key_range, groups[0])
            # recipe: add a stage
            for group in groups:
                if group != groups[0]:
                    yield pass_tables.members(self.layout, key_range, group)
                for target in group:
                    yield from self._cells(key_range, target)

    def _groups(self, key_range: KeyRange) -> list[Sequence[Column]]:
        """Return the targets in groups, each with members of its own where they are made: those of many targets are large."""
        size = TOGETHER if self.has_members(key_range) else max(1, len(self.targets))
        return [self.targets[start : start + size] for start in range(0, len(self.targets), size)] or [()]

    def _classes(self, key_range: KeyRange, targets: Sequence[Column]) -> Iterator[Step]:
        layout, counts = self.layout, self.layout.counts
        if self.superset is not None:
            yield pass_tables.merged_classes(layout, self.superset)
        elif self.cells_first:
            yield pass_tables.cell_counts(layout, layout.targets[0], key_range)
            yield pass_tables.summed_classes(layout)
        else:
            yield pass_tables.classes(layout, key_range)
        if self.overlaps:
            yield from overlaps(layout, layout.comparisons)
        elif counts.reads("reached_classes", "reached_cells"):
            yield pass_tables.reached_classes(layout)
        if self.has_members(key_range):
            yield pass_tables.members(layout, key_range, targets)
        if not counts.of_everybody_alone:
            yield pass_tables.count_populations(layout)
        if counts.reads("matches"):
            yield from pass_tables.candidates(layout)
            for comparison, basis in product(layout.of_original, self.bases):
                yield from self._totals("matches", comparison, basis)
        for comparison, basis, stage in product(layout.comparisons, self.bases, ("classes", "reached_classes")):
            yield from self._totals(stage, comparison, basis)

    def _cells(self, key_range: KeyRange, target: Column) -> Iterator[Step]:
        layout, counts = self.layout, self.layout.counts
        if self.has_members(key_range):
            yield pass_tables.cells(layout, target)
        else:
            yield pass_tables.joined_cells(layout, target, counted=self.cells_first, superset=self.superset)
        if not counts.of_everybody_alone:
            yield pass_tables.count_populations(layout, target)
        if target.tolerance is not None and counts.reads("within"):
            yield from pass_tables.within_counts(layout, target)
        if counts.reads("reached_cells"):
            yield pass_tables.reached_cells(layout, target)
        for comparison in layout.comparisons:
            if counts.reads("neighbours", "neighbour_profiles"):
                votes = counts.reads("neighbour_profiles")
                yield from pass_tables.near_cells(layout, comparison, target, key_range, every_level=votes)
            for basis in self.bases:
                cells = Cells(layout, comparison, target, basis)
                for stage in OF_TARGETS:
                    yield from self._totals(stage, comparison, basis, cells)
                if not self.checks or not basis.excludes:
                    continue
                if layout.scenario.distributions:
                    yield _person_caps(cells)
                if not comparison.people.control and not basis.weighted:
                    yield from self._checks(cells)

    def _totals(self, stage: str, comparison: Comparison, basis: CountBasis, cells: Cells | None = None) -> Iterator[Step]:
        """Sum the measures over a stage, if there are any; beside the checks also how people's values are spread."""
        measured = self.layout.counts.of(stage, basis)
        target = None if cells is None else cells.target
        knows_nothing = stage == "posteriors" and comparison.people.control  # who knows the rest of the original
        if not measured.columns or knows_nothing or (stage == "within" and target is not None and target.tolerance is None):
            return
        place = _place(comparison, target, basis)
        compared = of_classes(self.layout, comparison, basis, stage) if cells is None else cells.read_by(stage)
        names = {**place, "compared": compared, "stage": stage, "measure_columns": measured.columns}
        yield fill("measures", basis.parts(stage), "stages/results/totals.sql", **names)
        if self.checks and measured.means:
            place["measure_columns"] = names["measure_columns"] = measured.means
            of = "_of" if stage == "classes" else ""
            persons = templates.stage("stages/results/person_values.sql", **names, of=of)
            if stage == "classes":  # many classes have the same values, and are taken together
                persons = templates.stage("stages/results/alike_values.sql", **place, persons=persons)
            yield fill("measures", basis.moments(stage), "stages/results/moments.sql", **place, persons=persons)

    def _checks(self, cells: Cells) -> Iterator[Step]:
        """Sum what the checks and the counts of exclusions read of the cells of one target for one comparison."""
        scenario = self.layout.scenario
        stages = [("checks", "disclosive_levels"), ("checks", "two_way_candidates")]
        if scenario.excludes and cells.basis.everybody:
            stages.append(("exclusions", "excluded"))
        names = {
            **_place(cells.comparison, cells.target, cells.basis),
            "compared": cells.compared,
            "class_key": self.layout.class_key,
        }
        for name, stage in stages:
            path = f"stages/results/{stage}.sql"
            yield fill(name, stage, path, **names, disco=self.disclosive, two_way=scenario.two_way)


def _person_caps(cells: Cells) -> Step:
    """Count the people with each CAP and lift, in one pass."""
    baseline = cells.target.name in cells.layout.baselines
    names = {**_place(cells.comparison, cells.target, cells.basis), "distinct_cells": cells.distinct(), "baseline": baseline}
    return fill("distributions", cells.basis.table("person_caps"), "stages/results/person_caps.sql", **names)


def _place(comparison: Comparison, target: Column | None, basis: CountBasis) -> dict[str, Any]:
    """Return what totals are of: a comparison, a target (0: none), and who is counted."""
    number = 0 if target is None else target.number
    return {"comparison": comparison, "target_number": number, "population_counts": basis.population_counts}
