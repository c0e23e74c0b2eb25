"""Queries that measures read: the cells and classes of one comparison, and what is made of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import PROFILE_STAGES
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.counted_measures import BY_RECORD, CountBasis
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.pass_tables import reached_classes
from sqlrisk.plan.steps import Step, fill

# What the intruder sees of a cell, before the people's file is called n_orig.
_SEEN = (
    *("n_own", "n_syn", "n_own_class", "n_syn_class", "n_orig_level", "n_syn_level", "n_orig_all", "n_syn_all"),
    *("n_base", "n_base_class"),
)
_ALIKE = ("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_orig_level", "n_orig_all")
_NEAREST = {"count": "n_near", "count_class": "n_near_class"}  # of the synthetic records nearest to a class, in place of a file's
_WITHIN = ("n_orig_within", "n_syn_within", "n_base_within", "n_level_within", "close_orig", "close_syn")


@dataclass(frozen=True)
class Cells:
    """The cells of a target for one comparison, in which people are summed by one count basis.

    ``nearest``: the synthetic records are those nearest to a class, in the place of those with its keys. ``reached``: they are
    those within reach of it by a key with a tolerance.
    """

    layout: Layout
    comparison: Comparison
    target: Column
    basis: CountBasis = BY_RECORD
    nearest: bool = False
    reached: bool = False

    def read_by(self, stage: str) -> str:
        """Return what a measure over a stage reads."""
        if stage in ("within", "posteriors"):
            return self.within() if stage == "within" else self.posteriors()
        cells = replace(self, nearest=stage.startswith("neighbour"), reached=stage == "reached_cells")
        if stage not in PROFILE_STAGES:
            return cells.distinct()
        return cells.profiles(whole=any(measure.of_spread for measure in self.layout.measures if measure.stage == stage))

    @cached_property
    def compared(self) -> str:
        """The cells, each with who is counted."""
        population_counts = self.basis.population_counts
        columns = [*_SEEN, *self._carried, *self._alone]
        query = templates.stage(
            "stages/comparisons/seen_cells.sql",
            **self._names,
            synthetic=self._synthetic,
            carried=self._carried,
            each_file=bool(self._alone),
            cells=table("near_cells" if self.nearest else "reached_cells" if self.reached else "cells", self.target),
        )
        if population_counts is not None:
            tables = {"class_counts": table("population_counts"), "cell_counts": table("population_counts", self.target)}
            names = {**self._names, **tables, "seen_cells": query, "columns": columns}
            query = templates.stage("stages/comparisons/population_cells.sql", **names)
        if self._excludes:
            counted = [] if population_counts is None else ["population", "people", "people_class"]
            query = self._excluded(query, [*columns, *counted])
        return templates.stage(
            "stages/comparisons/compared_cells.sql",
            **self._names,
            cells=query,
            columns=[*columns, *self.basis.by],
            people="n_own" if population_counts is None else "people",
            people_class="n_own_class" if population_counts is None else "people_class",
            excludes=self._excludes,
            grouped_by=", ".join([self.layout.class_key, *self.basis.by]),
        )

    def distinct(self) -> str:
        """Return what a measure over cells reads, or over neighbours where the records are the nearest ones."""
        base = ["n_base", "n_base_class"] if self.comparison.people.control else []
        return templates.stage(
            "stages/comparisons/distinct_cells.sql",
            compared=self.compared,
            alike=[*_ALIKE, *base, *self._carried, *self._alone, *self.basis.by],
            reasons=["excluded_orig", "excluded_syn"] if self._excludes else [],
            carried=[*(name for name in self._carried if name != "share_given"), *self._alone, *self.basis.by],
            control=self.comparison.people.control,
            baseline="share_given" in self._carried,
            number=self.basis.number,
        )

    def profiles(self, *, whole: bool = True) -> str:
        """Return what a measure over profiles reads; unless it is ``whole``, how the synthetic records vote alone."""
        columns = [*self.layout.key_column_names, *self.basis.by]
        names = {"class": ", ".join(columns), "class_columns": columns, "number": self.basis.number, "whole": whole}
        names["compared"] = self.compared
        names["level_totals"] = templates.stage("stages/comparisons/level_totals.sql", **self._names) if whole else ""
        tops = templates.stage("stages/comparisons/class_tops.sql", **names)
        ranked = templates.stage("stages/comparisons/ranked_cells.sql", **names, class_tops=tops)
        spread = templates.union_all(
            templates.stage(f"stages/comparisons/{classes}.sql", **names, ranked_cells=ranked)
            for classes in ("lone_classes", "spread_classes")
        )
        of_all = " ".join(["PARTITION BY", *self.basis.by]) if self.basis.by else ""
        return templates.stage("stages/comparisons/profiles.sql", **names, spread_classes=spread, of_all=of_all)

    def within_cells(self) -> str:
        """Return the cells of a target with a tolerance, each with the records near it."""
        seen = ("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_base_class", "n_orig_all")
        return templates.stage(
            "stages/tolerance/within_cells.sql",
            # A range is that of the syntheses compared, whoever the people are.
            **self._names | {"number": self.layout.of_the_original(self.comparison).number},
            columns=[*self.basis.by, *seen],
            counted=["people", "counted_orig", *self._reasons_within],
            compared=self.compared,
            within_counts=table("within_counts", self.target),
            class_ranges=table("class_ranges", self.target),
            tolerance_intervals=table("tolerance_intervals", self.target),
        )

    def within(self) -> str:
        """Return what a measure within the tolerance reads."""
        seen = ("n_orig_class", "n_syn_class", "n_base_class", "n_orig_all")
        return templates.stage(
            "stages/tolerance/within.sql",
            cells=self.within_cells(),
            alike=[*seen, *_WITHIN, *self.basis.by],
            reasons=self._reasons_within,
            number=self.basis.number,
        )

    def posteriors(self) -> str:
        """Return what a measure over posteriors reads."""
        return templates.stage(
            "stages/intruder/posteriors.sql",
            **self._names,
            alpha=f"CAST({templates.literal(self.layout.scenario.prior)} AS DOUBLE)",
            compared=self.compared,
            cells=table("cells", self.target),
        )

    def _excluded(self, seen: str, columns: list[str]) -> templates.Query:
        """Return the cells with the reasons why their people, and their synthetic records, are not counted."""
        layout, scenario = self.layout, self.layout.scenario
        pairs = []
        for pair in scenario.exclude_pair:
            if pair.target == self.target.name:
                part = layout.part(pair.key)
                query = templates.stage(
                    "stages/comparisons/excluded_pair.sql",
                    part=part,
                    target_levels=table("levels", self.target),
                    key_levels=table("levels", part.column),
                    target_match=self.target.matches(pair.target_level, "target"),
                    key_match=part.column.matches(pair.key_level, "key_levels"),
                )
                pairs.append({"part": part, "query": query})
        return templates.stage(
            "stages/comparisons/excluded_cells.sql",
            **self._names,
            seen_cells=seen,
            columns=columns,
            max_cell=scenario.max_cell,
            max_cell_syn=scenario.max_cell_syn,
            n_same=self._same,
            missing_target=self.target.name in scenario.exclude_missing,
            missing_keys=layout.missing_keys,
            pairs=pairs,
        )

    @property
    def _names(self) -> dict[str, Any]:
        """What its stages are filled in with."""
        of_target = {"marginals": table("marginals", self.target), "nearest": self.nearest}
        of_basis = {"number": self.basis.number, "population_counts": self.basis.population_counts}
        return {**self.layout.names, "comparison": self.comparison, **of_target, **of_basis}

    @property
    def _carried(self) -> dict[str, str]:
        """What some cells have besides their counts, by name: a share of a baseline, a radius, the people within reach."""
        carried = {"share_given": "marginals.share"} if self.target.name in self.layout.baselines else {}
        if self.nearest:
            carried["radius"] = "cells.radius"
        if self.reached:
            own = self.comparison.people
            carried |= {
                "n_orig_reached": f"cells.reached_{own.count}",
                "n_orig_class_reached": f"cells.reached_{own.count_class}",
            }
            carried["share_orig_reached"] = "cells.share_orig_reached"
        if self.reached and self._excludes:
            carried["n_syn_same"] = " + ".join(f"cells.{file.count}" for file in self.comparison.members)
        return carried

    @property
    def _synthetic(self) -> Sequence[File | Mapping[str, str]]:
        """The columns that count its synthetic records."""
        return (_NEAREST,) if self.nearest else within_reach(self.comparison) if self.reached else self.comparison.members

    @property
    def _same(self) -> str:
        """The synthetic records of a cell that have its keys: of the nearest ones those at radius 0."""
        return "CASE WHEN radius = 0 THEN n_syn ELSE 0 END" if self.nearest else "n_syn_same" if self.reached else "n_syn"

    @property
    def _alone(self) -> list[str]:
        """The column that tells what the files of a pool reveal, each taken alone, where a measure asks."""
        return ["n_revealing"] if self.layout.each_file and not self.nearest else []

    @property
    def _reasons_within(self) -> list[str]:
        """The column that tells why the people of a cell are not counted, where anybody is left out."""
        return ["excluded_orig"] if self._excludes else []

    @property
    def _excludes(self) -> bool:
        """Whether exclusions leave anybody out."""
        return self.layout.scenario.excludes and self.basis.excludes


def within_reach(comparison: Comparison, *, of_class: bool = False) -> list[Mapping[str, str]]:
    """Return the columns that count the records of the syntheses compared within reach of a cell, or of a class."""
    return [
        {"count": f"reached_{file.count_class if of_class else file.count}", "count_class": f"reached_{file.count_class}"}
        for file in comparison.members
    ]


def compared_classes(layout: Layout, comparison: Comparison, basis: CountBasis = BY_RECORD, *, reached: bool = False) -> str:
    """Return what a measure over classes reads; ``reached``: with the records within reach, by a key with a tolerance."""
    population_counts = basis.population_counts
    carried = {"n_orig_reached": f"reached_{comparison.people.count_class}"} if reached else {}
    alone = [*(["n_replicating"] if layout.each_file else []), *carried]
    names = {**layout.names, "comparison": comparison, "population_counts": population_counts}
    names |= {"class_counts": table("population_counts"), "columns": ["n_own", "n_syn", *alone]}
    columns = alone
    query = templates.stage(
        "stages/comparisons/seen_classes.sql",
        **names,
        classes="reached_classes" if reached else "classes",
        synthetic=within_reach(comparison, of_class=True) if reached else comparison.members,
        carried=carried,
        each_file=layout.each_file,
    )
    if population_counts is not None:
        columns = [*alone, "population"]
        query = templates.stage("stages/comparisons/population_classes.sql", **names, seen_classes=query)
    if population_counts is not None and layout.scenario.weights is not None:
        columns = [*alone, "population", "population_risk"]
        query = templates.stage("stages/comparisons/sampled_classes.sql", **names, population_classes=query)
    names["columns"] = columns
    return templates.stage(
        "stages/comparisons/compared_classes.sql",
        **names,
        classes=query,
        people="n_own" if population_counts is None else "people",
        missing_keys=layout.missing_keys if basis.excludes else [],
    )


def of_classes(layout: Layout, comparison: Comparison, basis: CountBasis, stage: str) -> str:
    """Return what a measure over a stage about no target reads."""
    if stage == "matches":
        return matches(layout, comparison, basis)
    return compared_classes(layout, comparison, basis, reached=stage == "reached_classes")


def overlaps(layout: Layout, asked: Iterable[Comparison]) -> Iterator[Step]:
    """Count, for each of some comparisons, the classes and records of a pass that both sides have, or one alone.

    With a key that has a tolerance also those of people who have records within reach, from the table that is made for it.
    """
    near = bool(layout.scenario.near_keys)
    if near:
        yield reached_classes(layout)
    for comparison, reached in product(asked, (False, True) if near else (False,)):
        compared = compared_classes(layout, comparison, reached=reached)
        made = "reached_overlap" if reached else "overlap"
        yield fill("overlap", made, "tables/overlap.sql", comparison=comparison, compared=compared)


def matches(layout: Layout, comparison: Comparison, basis: CountBasis = BY_RECORD) -> str:
    """Return what a measure over matches reads."""
    population_counts = basis.population_counts
    names = {**layout.names, "comparison": comparison, "population_counts": population_counts}
    query = templates.stage("stages/aligned/found_candidates.sql", **names, candidates="candidates")
    if population_counts is not None:
        counts = {"candidate_counts": "candidate_counts", "found_candidates": query}
        query = templates.stage("stages/aligned/population_matches.sql", **names, **counts)
    return templates.stage(
        "stages/aligned/matches.sql",
        matches=query,
        people="class_people" if population_counts is None else "population_people",
        missing_keys=layout.missing_keys if basis.excludes else [],
        grouped_by=["n_candidates", "found", *basis.by],
        number=basis.number,
    )
