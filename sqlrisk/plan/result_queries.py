"""Queries that a report reads, and the steps they need.

They cover summaries, differences, distributions over people, and checks.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.plan.class_key import key_runs
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.counted_measures import CountBasis
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step, fill

# The reasons of an exclusion. The first one that applies counts. They are written in
# stages/comparisons/excluded_cells.sql.
REASONS = (
    "target level", "missing target", "missing key", "key-and-target pair",
    "cell over the size limit",
)  # fmt: skip


# Percents of the quantiles. 0 and 100 are the minimum and maximum.
PERCENTS = (0, 5, 10, 25, 50, 75, 90, 95, 100)


@dataclass(frozen=True)
class Bin:
    """A bin of amounts in [``low``, ``high``). If both ends are equal, the bin holds exactly
    ``low``.

    If ``high`` is None, the bin has no upper end. With ``above``, ``low`` itself is excluded,
    because it has its own bin.
    """

    number: int
    low: Fraction
    high: Fraction | None
    above: bool = False

    @property
    def begins(self) -> str:
        """The SQL condition that an amount is in this bin or a later one.

        1/10 is written as a quotient, because that gives one DOUBLE on all databases.
        """
        low = f"CAST({self.low.numerator} AS DOUBLE) / CAST({self.low.denominator} AS DOUBLE)"
        return f"amount {'>' if self.above else '>='} {low}"

    @property
    def text(self) -> str:
        """The bin as text for display: ``[0.1,0.2)``, ``1``, ``[100,...)``."""
        low = f"{float(self.low):g}"
        if self.low == self.high:
            return low
        high = "..." if self.high is None else f"{float(self.high):g}"
        return f"{'(' if self.above else '['}{low},{high})"


@dataclass(frozen=True)
class Quantity:
    """An amount that each person has. ``amount`` and ``known`` (True if there is one) are SQL over
    person_caps.
    """

    name: str
    amount: str
    known: str
    bins: tuple[Bin, ...]


def _bins(*ends: Fraction | int | None) -> tuple[Bin, ...]:
    """Return the bins between adjacent ends. A repeated end is a bin of its own."""
    pairs = list(pairwise(ends))
    return tuple(
        Bin(
            number,
            Fraction(low or 0),
            None if high is None else Fraction(high),
            above=low != high and (low, low) in pairs,
        )
        for number, (low, high) in enumerate(pairs)
    )


CAP_BINS = _bins(*(Fraction(tenth, 10) for tenth in range(11)), 1)
LIFT_BINS = _bins(0, 0, Fraction(1, 2), 1, Fraction(3, 2), 2, 5, 10, 100, None)
QUANTITIES = (
    Quantity("cap_original", "cap_original", "cap_original IS NOT NULL", CAP_BINS),
    Quantity("cap_synthetic", "COALESCE(cap_synthetic, 0)", "cap_original IS NOT NULL", CAP_BINS),
    Quantity("cap_synthetic_matched", "cap_synthetic", "cap_synthetic IS NOT NULL", CAP_BINS),
    Quantity("lift", "lift", "lift IS NOT NULL", LIFT_BINS),
)


def summary(layout: Layout, method: str, people: File, results: str = "results") -> str:
    """Return the query of mean, min and max over a method's syntheses, for the people of one
    file.
    """
    singles = [
        each
        for each in layout.comparisons
        if each.single and each.method == method and each.people == people
    ]
    return templates.stage("stages/results/summaries.sql", comparisons=singles, results=results)


def differences(layout: Layout, results: str = "results", *, spread: bool = True) -> str:
    """Return the query of the differences between the original's people and control's, which show
    what the synthesis added.

    ``spread`` is True if the spread of people's values was counted. Without it, no test compares
    the means of the two groups.
    """
    moments = [
        templates.stage(
            "stages/results/mean_moments.sql",
            measure_column=column,
            moments=each.basis.moments(each.stage),
            condition=each.basis.condition(column.measure),
        )
        for each in (layout.counts.stages.values() if spread else ())
        for column in each.means
    ]
    mean_moments = templates.union_all(moments)
    side_numbers = templates.stage(
        "stages/control/side_numbers.sql",
        pairs=layout.pairs,
        moments=templates.stage("stages/results/combined_moments.sql", mean_moments=mean_moments)
        if moments
        else "",
        shares=_one_of(measure for measure in layout.measures if measure.is_share),
        proportions=_one_of(measure for measure in layout.measures if measure.kind.proportion),
        results=results,
    )
    side_rates = templates.stage(
        "stages/control/side_rates.sql", z=quantile(layout), side_numbers=side_numbers
    )
    return templates.stage("tables/differences.sql", side_rates=side_rates)


def quantile(layout: Layout) -> str:
    """Return the SQL of z: a standard normal variable lies in [-z, z] with the probability
    ``confidence``.
    """
    return templates.literal(NormalDist().inv_cdf((1 + layout.scenario.confidence) / 2))


def _one_of(measures: Iterable[Measure]) -> str:
    """Return the SQL condition that a row belongs to one of the measures."""
    names = [templates.literal(measure.name) for measure in measures]
    return f"measure IN ({', '.join(names)})" if names else "1 = 0"


def cap_counts(bases: Iterable[CountBasis]) -> Iterator[Step]:
    """Count the people with each value of each quantity (CAP, lift), over all passes."""
    for basis in bases:
        names = {"quantities": QUANTITIES, "everybody": basis.everybody, "number": basis.sql_type}
        made, read = basis.table("cap_counts"), basis.table("person_caps")
        yield fill(
            "distributions", made, "stages/results/cap_counts.sql", **names, person_caps=read
        )


def distributions(basis: CountBasis) -> str:
    """Return the query of people, mean and quantiles of each quantity."""
    # By rounding, three weights of 0.3 sum to a bit less than three quarters of four.
    of_all = "n_all * (1 - 1e-12)" if basis.weighted else "n_all"
    names = {"cap_counts": basis.table("cap_counts"), "number": basis.sql_type, "of_all": of_all}
    return templates.stage("tables/distributions.sql", percents=PERCENTS[1:-1], **names)


def histograms(basis: CountBasis) -> str:
    """Return the query of the number of people in each bin of each quantity. Empty bins have no
    row.
    """
    names = {"cap_counts": basis.table("cap_counts"), "number": basis.sql_type}
    return templates.stage("tables/histograms.sql", quantities=QUANTITIES, **names)


def shares(layout: Layout, target: Column, limit: int) -> str:
    """Return the query of the records of each file with a target's ``limit`` most frequent levels
    in the original. All other levels are summed.
    """
    return templates.stage(
        "tables/shares.sql",
        files=layout.counted_files,
        marginals=table("marginals", target),
        limit=limit,
    )


def pools(layout: Layout, method: str, people: File) -> list[Comparison]:
    """Return the comparisons with the first 1, 2, 3 and so on pooled syntheses of a method, for one
    file's people.
    """
    own = [each for each in layout.comparisons if each.method == method and each.people == people]
    return [next(each for each in own if each.single), *(each for each in own if not each.single)]


def trend(points: Sequence[Comparison]) -> str:
    """Return the query of each measure's regression line over ``points``, as from `pools`."""
    pooled = templates.stage("stages/results/pooled_points.sql", points=points, results="results")
    return templates.stage("tables/trend.sql", points=points, pooled_points=pooled)


def one_way_candidates(layout: Layout) -> Step:
    """Find the levels that make up nearly all of a target's DiSCO. The one-way check flags them,
    unless exclusions leave the target no other level. They are found for all targets at once,
    because most targets have none.
    """
    return fill(
        "checks",
        "one_way_candidates",
        "stages/results/one_way_candidates.sql",
        disclosive_levels="disclosive_levels",
        one_way=layout.scenario.one_way,
    )


def one_way(layout: Layout, target: Column) -> str:
    """Return the query of the one-way check of a target."""
    return templates.stage(
        "tables/one_way.sql",
        target=target,
        one_way_candidates="one_way_candidates",
        marginals=table("marginals", target),
        missing_target=target.name in layout.scenario.exclude_missing,
    )


def pairs(layout: Layout) -> Step:
    """Return the step for the pairs of target and key level that the two-way check examines."""
    return fill(
        "checks",
        "pairs",
        "stages/results/pairs.sql",
        parts=layout.parts,
        two_way_candidates="two_way_candidates",
        levels=layout.dictionaries,
        two_way=layout.scenario.two_way,
    )


def two_way(layout: Layout, target: Column, keys: Collection[int], *, cells: bool) -> str:
    """Return the query of a target's two-way check. ``keys`` are the numbers of the keys that have
    pairs to examine.

    ``cells`` is True if the target's cells cover all records, not one pass. They are then read
    instead of records.
    """
    chosen = key_runs([part for part in layout.parts if part.column.number in keys])
    names = {
        "target": target,
        "key_runs": chosen,
        "pairs": "pairs",
        "original": layout.files[0],
    }
    names |= {"records": "records", "cells": table("cells", target) if cells else ""}
    return templates.stage("tables/two_way.sql", two_way=layout.scenario.two_way, **names)


def one_sided_levels(layout: Layout) -> str:
    """Return the query of the levels that only one side has."""
    entries = [
        {"number": number, "levels": table("levels", column), "shared": column.shares_codes}
        for number, column in enumerate(layout.columns)
    ]
    return templates.stage(
        "tables/one_sided_levels.sql", entries=entries, comparisons=layout.singles
    )
