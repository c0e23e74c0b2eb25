"""Steps that count all passes and sum the measures over them. Pure: nothing here touches a database."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import PROFILE_STAGES, Catalog
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import Column
from sqlrisk.plan.comparisons import compared_cells, compared_classes, matches, patterns, posteriors, profiles, within
from sqlrisk.plan.counted_measures import BY_RECORD, OF_TARGETS, TOTALS, CountBasis, MeasureColumn
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.pass_tables import (
    candidates,
    cell_counts,
    cells,
    classes,
    count_populations,
    joined_cells,
    members,
    near_cells,
    summed_classes,
    within_counts,
)
from sqlrisk.plan.steps import Step


def count(layout: Layout, catalog: Catalog, passes: Sequence[Pass], *, rewrites: bool = True) -> Iterator[Step]:
    """Classes, cells and the sums over them, in disjoint passes over the class keys: sums over passes add up.

    ``rewrites``: records are written once more with the counts of their class, so that no target looks its classes up again.
    """
    return _Counting(layout, rewrites, templates.risky(catalog["DiSCO"]), overlaps=True).steps(passes)


def measure(
    layout: Layout, passes: Sequence[Pass] = (EVERY_CLASS,), *, overlaps: bool = False, rewrites: bool = True
) -> Iterator[Step]:
    """Classes, cells and the totals of the measures alone: what the script of a measure shows, in one pass."""
    return _Counting(layout, rewrites, None, overlaps=overlaps).steps(passes)


def collect(layout: Layout) -> Iterator[Step]:
    """Results from the totals, then those of the measures that are made of other measures."""
    counts = layout.counts
    for basis in counts.bases:
        kept = [column for stage in TOTALS for column in counts.of(stage, basis).columns]
        if kept:
            yield _results(_summed(column, basis) for column in kept)
    derived = counts.of("results").columns
    if derived:
        known = {column.measure.name: column for stage in ("classes", "cells") for column in counts.of(stage).columns}
        parts = [known[name] for name in dict.fromkeys(name for column in derived for name in column.measure.parts)]
        pivot = templates.stage("stages/results/pivot.sql", parts=parts, results="results")
        yield _results(
            templates.stage("stages/results/derived_results.sql", measure_column=column, pivot=pivot) for column in derived
        )


def _results(queries: Iterable[str]) -> Step:
    return Step("results", "results", templates.stage("stages/results/results.sql", results=templates.union_all(queries)))


def _summed(column: MeasureColumn, basis: CountBasis) -> str:
    """The query of a measure's result from the totals of each pass."""
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
    """How passes are counted: with the ``disclosed`` condition of a cell, also what checks, exclusions and differences read."""

    layout: Layout
    rewrites: bool
    disclosed: str | None
    overlaps: bool

    @property
    def checks(self) -> bool:
        """Whether more is counted than the totals of the measures."""
        return self.disclosed is not None

    @cached_property
    def targets(self) -> tuple[Column, ...]:
        """The targets whose cells are counted: by a measure, or by the checks."""
        return self.layout.targets if self.checks or self.layout.counts.reads(*OF_TARGETS) else ()

    @cached_property
    def needs_members(self) -> bool:
        """Whether single records meet the counts of their class, whatever is cheap."""
        return self.layout.counts.reads("matches") or not self.layout.counts.of_everybody_alone

    @property
    def cells_first(self) -> bool:
        """Whether classes are summed from the cells of the one target: a third less than to write the records once more."""
        return self.rewrites and len(self.layout.targets) == len(self.targets) == 1 and not self.needs_members

    def has_members(self, turn: Pass) -> bool:
        """Whether a pass writes the records once more."""
        worthwhile = bool(self.targets) and not self.cells_first and (self.rewrites or turn != EVERY_CLASS)
        return self.needs_members or worthwhile

    def steps(self, passes: Sequence[Pass]) -> Iterator[Step]:
        """Count each pass: classes, who is in them, then the cells of each target."""
        for turn in passes:
            yield from self._classes(turn)
            for target in self.targets:
                yield from self._cells(turn, target)

    def _classes(self, turn: Pass) -> Iterator[Step]:
        layout = self.layout
        if self.cells_first:
            yield cell_counts(layout, layout.targets[0], turn)
            yield summed_classes(layout)
        else:
            yield classes(layout, turn)
        for comparison in layout.comparisons if self.overlaps else ():
            compared = compared_classes(layout, comparison)
            yield Step("overlap", "overlap", templates.stage("tables/overlap.sql", comparison=comparison, compared=compared))
        if self.has_members(turn):
            yield members(layout, turn)
        if not layout.counts.of_everybody_alone:
            yield count_populations(layout)
        if layout.counts.reads("matches"):
            yield from candidates(layout)
            for comparison in layout.of_original:
                for basis in layout.counts.bases:
                    yield from self._totals("matches", comparison, None, basis)
        for comparison in layout.comparisons:
            for basis in layout.counts.bases:
                yield from self._totals("classes", comparison, None, basis)

    def _cells(self, turn: Pass, target: Column) -> Iterator[Step]:
        layout = self.layout
        yield cells(layout, target) if self.has_members(turn) else joined_cells(layout, target, counted=self.cells_first)
        if not layout.counts.of_everybody_alone:
            yield count_populations(layout, target)
        if target.tolerance is not None and layout.counts.reads("within"):
            yield from within_counts(layout, target)
        for comparison in layout.comparisons:
            if any(measure.of_neighbours for measure in layout.measures):
                votes = any(measure.stage == "neighbour_profiles" for measure in layout.measures)
                yield from near_cells(layout, comparison, target, turn, every_level=votes)
            for basis in layout.counts.bases:
                for stage in OF_TARGETS:
                    yield from self._totals(stage, comparison, target, basis)
                if self.checks and layout.scenario.distributions:
                    yield person_caps(layout, comparison, target, basis)
                if not comparison.people.control and not basis.weighted:
                    yield from self._checks(comparison, target, basis)

    def _totals(self, stage: str, comparison: Comparison, target: Column | None, basis: CountBasis) -> Iterator[Step]:
        """Sum the measures over a stage, if there are any; beside the checks also how people's values are spread."""
        measured = self.layout.counts.of(stage, basis)
        knows_nothing = stage == "posteriors" and comparison.people.control  # who knows the rest of the original
        if not measured.columns or knows_nothing or (stage == "within" and target is not None and target.tolerance is None):
            return
        population_counts = basis.population_counts(target)
        place = {
            "comparison": comparison,
            "target_number": 0 if target is None else target.number,
            "population_counts": population_counts,
        }
        compared = _read(self.layout, stage, comparison, target, basis)
        sql = templates.stage(
            "stages/results/totals.sql", measure_columns=measured.columns, compared=compared, stage=stage, **place
        )
        yield Step("measures", basis.parts(stage), sql)
        if self.checks and measured.means:
            persons = _person_values(stage, compared, measure_columns=measured.means, population_counts=population_counts)
            sql = templates.stage("stages/results/moments.sql", measure_columns=measured.means, persons=persons, **place)
            yield Step("measures", basis.moments(stage), sql)

    def _checks(self, comparison: Comparison, target: Column, basis: CountBasis) -> Iterator[Step]:
        """Sum what the checks and the counts of exclusions read of the cells of one target for one comparison."""
        if not self.checks:
            return
        scenario = self.layout.scenario
        names = {
            "comparison": comparison,
            "target_number": target.number,
            "compared": compared_cells(self.layout, comparison, target, basis),
            "class_key": self.layout.class_key,
            "population_counts": basis.population_counts(target),
        }
        stages = [("checks", "disclosed"), ("checks", "suspects")]
        for name, stage in [*stages, *([("exclusions", "excluded")] if scenario.excludes and basis.everybody else [])]:
            sql = templates.stage(f"stages/results/{stage}.sql", disco=self.disclosed, two_way=scenario.two_way, **names)
            yield Step(name, stage, sql)


def _person_values(stage: str, compared: str, **names: object) -> str:
    """The query of people's values; many classes have the same ones, and are taken together."""
    of = "_of" if stage == "classes" else ""
    persons = templates.stage("stages/results/person_values.sql", compared=compared, stage=stage, of=of, **names)
    return templates.stage("stages/results/alike_values.sql", persons=persons, **names) if stage == "classes" else persons


def person_caps(layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD) -> Step:
    """How many people have each CAP and lift, in one pass."""
    sql = templates.stage(
        "stages/results/person_caps.sql",
        patterns=patterns(layout, comparison, target, basis),
        comparison=comparison,
        target_number=target.number,
        baseline=target.name in layout.baselines,
        population_counts=basis.population_counts(target),
    )
    return Step("distributions", basis.table("person_caps"), sql)


def _read(layout: Layout, stage: str, comparison: Comparison, target: Column | None, basis: CountBasis) -> str:
    """What a measure over a stage reads."""
    if target is None:
        return (matches if stage == "matches" else compared_classes)(layout, comparison, basis)
    if stage == "posteriors":
        return posteriors(layout, comparison, target, basis)
    if stage == "within":
        return within(layout, comparison, target, basis)
    make = profiles if stage in PROFILE_STAGES else patterns
    return make(layout, comparison, target, basis, nearest=stage.startswith("neighbour"))
