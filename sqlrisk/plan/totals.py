"""Steps that count all passes and sum the measures over the passes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import CHECKED, OF_SCORES, UNTARGETED, Catalog
from sqlrisk.plan import membership, pass_tables, whole_rows
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column
from sqlrisk.plan.comparisons import Cells, listed, of_classes, overlaps, placed
from sqlrisk.plan.counted_measures import OF_TARGETS, TOTALS, CountBasis, CountPlan, MeasureColumn
from sqlrisk.plan.layout import Comparison, Layout, Link
from sqlrisk.plan.steps import Step, fill
from sqlrisk.plan.subsets import links, nearness, singling_out
from sqlrisk.plan.subsets.supersets import Superset

UNEXCLUDED = "unexcluded_results"  # the results without exclusions
TOGETHER = 40  # targets whose levels are written together with the counts of their class
# Targets counted by one statement, if it counts several: ClickHouse takes 262,144 characters.
AT_ONCE = 10
# Stages over tables that each comparison makes again.
NEAREST = tuple(stage for each in nearness.EVERY for stage in each.stages)
# Made again for each comparison, and each link.
LINKED, SINGLED = "linked_classes", "singled_classes"
ONCE = (*OF_SCORES, "predicate_counts")  # stages that need the counts of all passes
# Stages for which a query counts only one comparison, and one target if the stage has targets.
APART = ("posteriors", "matches")


def count(
    layout: Layout,
    catalog: Catalog,
    passes: Sequence[KeyRange],
    *,
    rewrites_many: bool = True,
    every_target: bool = False,
) -> Iterator[Step]:
    """Yield the steps that count classes and cells, and sum over them for measures and checks, pass
    by pass.

    Passes are disjoint ranges of class keys, so their sums add up. With ``rewrites_many``, each
    pass over many classes rewrites its records with the counts of their class. Then no target has
    to find its classes again, but each comparison of a target needs a statement. Without it, and
    for few classes, one statement counts all comparisons of several targets. With
    ``every_target``, cells are made even for targets that no measure reads.
    """
    targets = layout.targets if every_target else layout.counted_targets
    disclosive = templates.risky(catalog[CHECKED])
    return _Counting(layout, targets, passes, rewrites_many, disclosive, overlaps=True).steps()


def measure(
    layout: Layout,
    passes: Sequence[KeyRange] = (EVERY_CLASS,),
    *,
    overlaps: bool = False,
    rewrites_many: bool = True,
    superset: Superset | None = None,
) -> Iterator[Step]:
    """Yield the steps that count classes, cells and the totals of measures, without checks. The
    script of a measure needs no more.

    With ``overlaps``, also count the classes that both sides have. ``rewrites_many`` is as in
    `count`. With a ``superset``, classes and cells are merged from those of more keys, and no
    records are read.
    """
    return _Counting(
        layout,
        layout.counted_targets,
        passes,
        rewrites_many,
        None,
        overlaps=overlaps,
        superset=superset,
    ).steps()


def collect(layout: Layout) -> Iterator[Step]:
    """Make results from the totals, then the results of measures that combine other measures."""
    yield from _collected(layout.counts, layout.counts.bases, "results")


def collect_unexcluded(layout: Layout) -> Iterator[Step]:
    """Make the table of results without exclusions, if the scenario has exclusions."""
    yield from _collected(layout.counts, layout.counts.unexcluded, UNEXCLUDED)


def _collected(counts: CountPlan, bases: Sequence[CountBasis], table: str) -> Iterator[Step]:
    for basis in bases:
        kept = [column for stage in TOTALS for column in counts.of(stage, basis).columns]
        if kept:
            yield _results(table, (_summed(column, basis) for column in kept))
    made = counts.of("results").columns if bases else ()
    # A measure that is the maximum over points needs the results at these points.
    for pointed in (True, False):
        derived = [column for column in made if (column.at is not None) == pointed]
        if derived:
            yield _results(
                table,
                (
                    query
                    for at in dict.fromkeys(each.at for each in derived)
                    for query in _made(derived, at, table)
                ),
            )


def _made(derived: Sequence[MeasureColumn], at: str | None, table: str) -> Iterator[str]:
    """Yield the queries of measures that combine others, at one point or without points."""
    columns = [column for column in derived if column.at == at]
    parts = {part: name for column in columns for name, part in column.parts.items()}
    pivot = templates.stage("stages/results/pivot.sql", parts=parts, at=at, results=table)
    for column in columns:
        yield templates.stage(
            "stages/results/derived_results.sql", measure_column=column, pivot=pivot
        )


def _results(table: str, queries: Iterable[str]) -> Step:
    return fill(
        "results", table, "stages/results/results.sql", results=templates.union_all(queries)
    )


def _summed(column: MeasureColumn, basis: CountBasis) -> str:
    """Return the query of a measure's result, which adds up the totals of all passes."""
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
    """The steps that count the passes.

    ``disclosive`` is the SQL condition of a disclosive cell, or None. If it is given, checks,
    distributions and the spread of people's values are counted too, and everything a second time
    without exclusions, if there are any.
    """

    layout: Layout
    targets: tuple[Column, ...]  # the targets whose cells are made
    passes: Sequence[KeyRange]
    rewrites_many: bool
    disclosive: str | None
    overlaps: bool
    superset: Superset | None = None

    @property
    def rewrites_records(self) -> bool:
        """True if records are rewritten with the counts of their class. Not for few classes in
        one pass.
        """
        return self.rewrites_many and (len(self.passes) > 1 or not self.layout.few_classes)

    @property
    def checks(self) -> bool:
        """True if more is counted than the measures' totals, such as the checks."""
        return self.disclosive is not None

    @property
    def bases(self) -> tuple[CountBasis, ...]:
        """The count bases by which people are summed."""
        counts = self.layout.counts
        return counts.bases + counts.unexcluded if self.checks else counts.bases

    @cached_property
    def way(self) -> str:
        """The method that makes classes and cells, one of the following.

        - ``members``: records are rewritten with the counts of their class, for measures of
          single records or for several targets.
        - ``cells first``: classes are summed from the cells of the only target, which saves a
          third.
        - ``windows``: the cells of each target also sum their classes, and the classes are read
          from the cells of the first target.
        - ``superset``: classes and cells are merged from those of a superset of the keys.
        - ``classes``: there are no targets.

        With a universe, classes are counted from the records, except with a superset.
        """
        if self.superset is not None:
            return "superset"
        if self.layout.counts.of_records:
            return "members"
        if not self.targets:
            return "classes"
        if not self.rewrites_records:
            return "windows"
        return "cells first" if len(self.targets) == 1 else "members"

    @property
    def _choices(self) -> list[tuple[Comparison, ...]]:
        """The comparisons in groups. One statement counts a group. If records are rewritten, each
        comparison is a group of its own.
        """
        comparisons = self.layout.comparisons
        return [(each,) for each in comparisons] if self.rewrites_records else [comparisons]

    def steps(self) -> Iterator[Step]:
        """Yield the steps of each pass: classes, the people in them, then the cells of each
        target.
        """
        if not self.rewrites_records and len(self.layout.comparisons) > 1:
            yield listed(self.layout)
        size = 1 if self.rewrites_records or self.layout.baselines else AT_ONCE
        if self.layout.ratios:
            yield membership.reference(self.layout)
        for key_range in self.passes:
            groups = self._groups
            yield from self._classes(key_range, groups[0])
            # recipe: add a stage
            for group in groups:
                if group != groups[0]:
                    yield pass_tables.members(self.layout, key_range, group)
                for targets in _in_groups(group, size):
                    for target in targets:
                        yield from self._cells(key_range, target)
                    yield from self._compared(targets)
        for basis, stage in product(self.bases, ONCE):
            yield from self._once(stage, basis)

    @property
    def _groups(self) -> list[Sequence[Column]]:
        """The targets in groups. Each group has a table of members of its own, because these tables
        are large.
        """
        size = TOGETHER if self.way == "members" else max(1, len(self.targets))
        return _in_groups(self.targets, size) or [()]

    def _classes(self, key_range: KeyRange, targets: Sequence[Column]) -> Iterator[Step]:
        layout, counts = self.layout, self.layout.counts
        if self.superset is not None:
            yield pass_tables.merged_classes(layout, self.superset)
        elif self.way == "cells first":
            yield pass_tables.cell_counts(layout, self.targets[0], key_range)
            yield (
                pass_tables.summed_classes(layout)
                if layout.universe is None
                else pass_tables.classes(layout, key_range)
            )
        elif self.way == "windows":
            yield pass_tables.windowed_cells(layout, self.targets[0], key_range)
            of_cells = pass_tables.classes_of_cells(layout, self.targets[0])
            yield of_cells if layout.universe is None else pass_tables.classes(layout, key_range)
        elif counts.reads("near_rows"):
            yield pass_tables.kept_classes(layout, whole_rows.COUNTED, key_range)
        else:
            yield pass_tables.classes(layout, key_range)
        if self.overlaps:
            yield from overlaps(layout, layout.comparisons, together=not self.rewrites_records)
        elif counts.reads("reached_classes", "reached_cells", "neighbours_reached"):
            yield pass_tables.reached_classes(layout)
        if counts.reads("near_rows"):
            yield pass_tables.near_classes(layout, key_range)
        if self.checks and layout.scenario.sampled is not None:
            yield fill(
                "population uniques",
                "class_counts",
                "stages/results/class_counts.sql",
                classes="classes",
            )
        if self.way == "members":
            yield pass_tables.members(layout, key_range, targets)
        if not counts.of_everybody_alone:
            yield pass_tables.count_populations(layout)
        if counts.reads("matches"):
            yield from pass_tables.candidates(layout)
        if layout.ratios:
            yield membership.halves(layout, key_range)
            everybody = [basis for basis in self.bases if not basis.by_population]
            # People of the original and of control are counted in different columns.
            for each, basis in product(layout.comparisons, everybody):
                compared = of_classes(layout, (each,), basis, "classes")
                yield membership.ratio_counts(
                    layout, basis, (each,), compared, _place((each,), (), basis)
                )
        for comparisons, basis, stage in product(self._choices, self.bases, UNTARGETED):
            for group in _at_once(comparisons, stage, basis):
                if stage not in ONCE:
                    yield from self._measured(stage, basis, group)
                elif stage == "thresholds" and counts.of(stage, basis).columns:
                    compared = of_classes(layout, group, basis, "classes")
                    yield membership.score_counts(basis, compared, _place(group, (), basis))
        for original in layout.of_original:
            for link in layout.links:
                yield links.linked_classes(layout, link, original)
                yield from self._of_people(LINKED, original, link)
            if counts.reads(SINGLED):
                yield singling_out.singled_classes(layout, original)
                yield from self._of_people(SINGLED, original)

    def _of_people(
        self, stage: str, original: Comparison, link: Link | None = None
    ) -> Iterator[Step]:
        """Sum the measures over classes that were made for the comparison ``original``: for its
        people, and for the people of control against the same syntheses.
        """
        for comparison, basis in product(self.layout.comparisons, self.bases):
            if self.layout.of_the_original(comparison) == original:
                yield from self._measured(stage, basis, (comparison,), link=link)

    def _cells(self, key_range: KeyRange, target: Column) -> Iterator[Step]:
        """Yield the steps that make a target's cells, count its nearest records, and sum over
        both.
        """
        layout, counts = self.layout, self.layout.counts
        if self.way == "members":
            yield pass_tables.cells(layout, target)
        elif self.way != "windows":
            yield pass_tables.joined_cells(layout, target, self.superset)
        elif target != self.targets[0]:  # classes are read from the first target's cells
            yield pass_tables.windowed_cells(layout, target, key_range)
        if not counts.of_everybody_alone:
            yield pass_tables.count_populations(layout, target)
        if target.tolerance is not None and counts.reads("within"):
            yield from pass_tables.within_counts(layout, target)
        if counts.reads("reached_cells", "neighbours_reached"):
            yield pass_tables.reached_cells(layout, target)
        for near, comparison in product(nearness.sought(layout), layout.comparisons):
            votes = near.votes and counts.reads("neighbour_profiles")
            yield from pass_tables.near_cells(
                layout, comparison, target, key_range, nearness=near, every_level=votes
            )
            for basis, stage in product(self.bases, near.stages):
                yield from self._measured(
                    stage, basis, (comparison,), Cells(layout, (comparison,), (target,), basis)
                )

    def _compared(self, targets: Sequence[Column]) -> Iterator[Step]:
        """Sum over the cells of targets for measures and checks."""
        for comparisons, basis in product(self._choices, self.bases):
            cells = Cells(self.layout, comparisons, tuple(targets), basis)
            for stage in OF_TARGETS:
                for group, some in product(
                    _at_once(comparisons, stage, basis), _targets_at_once(cells.targets, stage)
                ):
                    yield from self._measured(stage, basis, group, cells.of(group, some))
            if self.checks and basis.excludes:
                yield from self._checks(cells)

    def _measured(
        self,
        stage: str,
        basis: CountBasis,
        comparisons: tuple[Comparison, ...],
        cells: Cells | None = None,
        link: Link | None = None,
    ) -> Iterator[Step]:
        """Sum the measures over a stage in one query, if there are any. If checks are counted, also
        compute the spread of people's values for the measures that are means.
        """
        measured = self.layout.counts.of(stage, basis)
        if not measured.columns:
            return
        about = cells.targets if cells is not None else () if link is None else (link,)
        place = _place(comparisons, about, basis)
        compared = (
            of_classes(self.layout, comparisons, basis, stage)
            if cells is None
            else cells.read_by(stage)
        )
        names = {**place, "compared": compared, "stage": stage, "measure_columns": measured.columns}
        yield fill("measures", basis.parts(stage), "stages/results/totals.sql", **names)
        if self.checks and measured.means:
            place["measure_columns"] = names["measure_columns"] = measured.means
            # Many classes have the same values and are counted together.
            alike = stage in ("classes", LINKED)
            of = "_of" if alike else ""
            persons = templates.stage("stages/results/person_values.sql", **names, of=of)
            if alike:
                persons = templates.stage(
                    "stages/results/alike_values.sql", **place, persons=persons
                )
            yield fill(
                "measures",
                basis.moments(stage),
                "stages/results/moments.sql",
                **place,
                persons=persons,
            )

    def _once(self, stage: str, basis: CountBasis) -> Iterator[Step]:
        """Yield the steps of measures that need the counts of all passes, if there are any."""
        columns = self.layout.counts.of(stage, basis).columns
        if columns:
            names = {
                **placed(target=(), comparison=(), population=()),
                "stage": stage,
                "measure_columns": columns,
            }
            if stage == "predicate_counts":
                compared = singling_out.predicate_counts(self.layout, basis)
            elif stage == "ratio_thresholds":
                compared = membership.thresholds(
                    self.layout, membership.ratio_scores(self.layout, basis, *self.layout.ratios)
                )
            else:
                compared = membership.thresholds(self.layout, basis.table("score_counts"))
            yield fill(
                "measures",
                basis.parts(stage),
                "stages/results/totals.sql",
                **names,
                compared=compared,
            )

    def _checks(self, every: Cells) -> Iterator[Step]:
        """Yield the steps that sum cells for distributions, checks and counts of exclusions."""
        scenario, basis = self.layout.scenario, every.basis
        stages = [("checks", "disclosive_levels"), ("checks", "two_way_candidates")]
        if scenario.excludes and basis.everybody:
            stages.append(("exclusions", "excluded"))
        for comparisons in _at_once(every.comparisons, "cells", basis):
            if scenario.distributions:
                yield _person_caps(every.of(comparisons, every.targets))
            original = tuple(each for each in comparisons if not each.people.control)
            if not original or basis.weighted:
                continue
            cells = every.of(original, every.targets)
            names = {
                **_place(original, cells.targets, basis),
                "compared": cells.compared,
                "class_key": self.layout.class_key,
                "everybody": basis.everybody,
            }
            for name, stage in stages:
                path = f"stages/results/{stage}.sql"
                yield fill(
                    name, stage, path, **names, disco=self.disclosive, two_way=scenario.two_way
                )


def _person_caps(cells: Cells) -> Step:
    """Count the people with each value of CAP and lift, in one pass."""
    baseline = cells.targets[0].name in cells.layout.baselines
    names = {
        "distinct_cells": cells.distinct(),
        "baseline": baseline,
        "number": cells.basis.sql_type,
    }
    place = _place(cells.comparisons, cells.targets, cells.basis)
    return fill(
        "distributions",
        cells.basis.table("person_caps"),
        "stages/results/person_caps.sql",
        **place,
        **names,
    )


def _at_once(
    comparisons: tuple[Comparison, ...], stage: str, basis: CountBasis
) -> list[tuple[Comparison, ...]]:
    """Return the comparisons in groups. One query over a stage counts one group. Empty for stages
    over tables that each comparison makes again.
    """
    if stage in (*NEAREST, LINKED, SINGLED):
        return []
    # An intruder who knows the rest of the original, or looks for the record made of a person,
    # knows nothing of control.
    if stage in APART:
        return [(each,) for each in comparisons if not each.people.control]
    if not basis.by_population and stage != "within":
        return [comparisons]
    groups = [
        tuple(each for each in comparisons if each.people.control == control)
        for control in (False, True)
    ]
    return [group for group in groups if group]


def _targets_at_once(targets: tuple[Column, ...], stage: str) -> list[tuple[Column, ...]]:
    """Return the targets to which the stage applies, in groups. One query counts one group."""
    if stage in APART:
        return [(target,) for target in targets]
    known = tuple(target for target in targets if target.has(stage))
    return [known] if known else []


def _place(
    comparisons: Sequence[Comparison], targets: Sequence[Column | Link], basis: CountBasis
) -> dict[str, Any]:
    """Return the names of `placed` for totals: their comparison, target and population.

    Target 0 stands for no target.
    """
    numbers = {
        "target": [target.number for target in targets] or [0],
        "comparison": [each.number for each in comparisons],
    }
    return placed(**numbers, population=[] if basis.by_population else [0])


def _in_groups(targets: Sequence[Column], size: int) -> list[Sequence[Column]]:
    return [targets[start : start + size] for start in range(0, len(targets), size)]
