"""Queries that a report reads back: summaries, differences, distributions, checks."""

from collections.abc import Collection, Iterable, Sequence
from statistics import NormalDist

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.plan import person_distributions
from sqlrisk.plan.class_key import spans
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.counted_measures import TOTALS, Ledger, ledgers, means
from sqlrisk.plan.layout import Comparison, Layout

# The reasons of an exclusion, in the order in which they count (DESIGN 5); written in stages/comparisons/excluded_cells.sql.
REASONS = ("target level", "missing target", "missing key", "key-and-target pair", "cell over the size limit")


def summary(layout: Layout, method: str, people: File) -> str:
    """The query of mean, min and max over the syntheses of a method, of the people of one file."""
    singles = [each for each in layout.comparisons if each.single and each.method == method and each.people == people]
    return templates.stage("stages/results/summaries.sql", comparisons=singles, results="results")


def differences(layout: Layout, *, spread: bool = True) -> str:
    """The query of what the synthesis added: the original's people against control's, measure by measure.

    Without the ``spread`` of people's values, the means of two groups are not compared by a test.
    """
    spreads = [
        templates.stage(
            "stages/results/mean_spreads.sql",
            tally=tally,
            spreads=ledger.spreads(stage),
            condition=ledger.condition(tally.measure),
        )
        for ledger in ledgers(layout)
        for stage in TOTALS
        for tally in means(layout, stage, ledger)
    ]
    combined = templates.stage("stages/results/combined_spreads.sql", mean_spreads=templates.union_all(spreads))
    count = len(layout.of_original)
    return templates.stage(
        "tables/differences.sql",
        pairs=list(zip(layout.comparisons[:count], layout.comparisons[count:], strict=True)),
        spreads=combined if spread and spreads else "",
        shares=_one_of(measure for measure in layout.measures if measure.is_share),
        proportions=_one_of(measure for measure in layout.measures if measure.is_proportion),
        z=templates.literal(NormalDist().inv_cdf((1 + layout.scenario.confidence) / 2)),
        results="results",
    )


def _one_of(measures: Iterable[Measure]) -> str:
    """Condition on a row: it is of one of the measures."""
    names = [templates.literal(measure.name) for measure in measures]
    return f"measure IN ({', '.join(names)})" if names else "1 = 0"


def distributions(ledger: Ledger) -> str:
    """The query of people, mean and quantiles of each quantity."""
    return templates.stage(
        "tables/distributions.sql",
        percents=person_distributions.PERCENTS[1:-1],
        cap_counts=ledger.table("cap_counts"),
        number=ledger.number,
    )


def histograms(ledger: Ledger) -> str:
    """The query of the people in each bin of each quantity."""
    return templates.stage(
        "tables/histograms.sql",
        quantities=person_distributions.QUANTITIES,
        cap_counts=ledger.table("cap_counts"),
        number=ledger.number,
    )


def shares(layout: Layout, target: Column, limit: int) -> str:
    """The query of the levels of a target with most people, and of all others together, in each file."""
    return templates.stage("tables/shares.sql", files=layout.files, marginals=table("marginals", target), limit=limit)


def pools(layout: Layout, method: str, people: File) -> list[Comparison]:
    """The comparisons with the first 1, 2, 3 ... syntheses of a method, for the people of one file."""
    own = [each for each in layout.comparisons if each.method == method and each.people == people]
    return [next(each for each in own if each.single), *(each for each in own if not each.single)]


def trend(points: Sequence[Comparison]) -> str:
    """The query of the line of each measure over the number of pooled syntheses."""
    return templates.stage("tables/trend.sql", points=points, results="results")


def one_way(layout: Layout, target: Column) -> str:
    """The query of the one-way check of a target."""
    names = {"target": target, "disclosed": "disclosed", "marginals": table("marginals", target)}
    return templates.stage("tables/one_way.sql", one_way=layout.scenario.one_way, **names)


def two_way(layout: Layout, target: Column, keys: Collection[int]) -> str:
    """The query of the two-way check of a target, over the keys (by number) that have pairs to look at."""
    chosen = spans([part for part in layout.parts if part.column.number in keys])
    names = {"target": target, "spans": chosen, "pairs": table("pairs", target), "records": "records"}
    return templates.stage("tables/two_way.sql", two_way=layout.scenario.two_way, **names)


def one_sided_levels(layout: Layout) -> str:
    """The query of the levels that one side alone has."""
    entries = [{"number": number, "levels": table("levels", column)} for number, column in enumerate(layout.columns)]
    return templates.stage("tables/one_sided_levels.sql", entries=entries, comparisons=layout.singles)
