"""Queries that measures read: the cells and classes of one comparison, and what is made of them."""

from dataclasses import dataclass

from sqlrisk.catalogue import templates
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.counted_measures import BY_RECORD, CountBasis
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import missing_keys

# What the intruder sees of a cell, before the people's file is called n_orig.
_SEEN = (
    *("n_own", "n_syn", "n_own_class", "n_syn_class", "n_orig_level", "n_syn_level", "n_orig_all", "n_syn_all"),
    *("n_base", "n_base_class"),
)
_ALIKE = ("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_orig_level", "n_orig_all")
_WITHIN = ("n_orig_within", "n_syn_within", "n_base_within", "n_level_within", "close_orig", "close_syn")


@dataclass(frozen=True)
class _Nearest:
    """The counts of the synthetic records nearest to a class, in the place of those of a file."""

    count: str = "n_near"
    count_class: str = "n_near_class"


def matches(layout: Layout, comparison: Comparison, basis: CountBasis = BY_RECORD) -> str:
    """What a measure over matches reads."""
    names = {"class_key": layout.class_key, "limbs": layout.limbs, "comparison": comparison}
    query = templates.stage("stages/aligned/found_candidates.sql", **names, candidates="candidates")
    population_counts = basis.population_counts(None)
    if population_counts is not None:
        counts = {"population_counts": population_counts, "candidate_counts": "candidate_counts"}
        query = templates.stage("stages/aligned/population_matches.sql", **names, **counts, found_candidates=query)
    return templates.stage(
        "stages/aligned/matches.sql",
        matches=query,
        people="class_people" if population_counts is None else "crowd_people",
        missing_keys=missing_keys(layout),
        grouped_by=["n_candidates", "found", *_population(basis)],
        number=basis.number,
    )


def patterns(
    layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD, *, nearest: bool = False
) -> str:
    """What a measure over cells reads, or with the ``nearest`` synthetic records one over neighbours."""
    given = _carried(layout, target, nearest=nearest)
    base = ["n_base", "n_base_class"] if comparison.people.control else []
    return templates.stage(
        "stages/comparisons/patterns.sql",
        compared=compared_cells(layout, comparison, target, basis, nearest=nearest),
        alike=[*_ALIKE, *base, *given, *_population(basis)],
        reasons=["excluded_orig", "excluded_syn"] if layout.scenario.excludes else [],
        carried=[*(["radius"] if nearest else []), *_population(basis)],
        control=comparison.people.control,
        baseline="share_given" in given,
        number=basis.number,
    )


def profiles(
    layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD, *, nearest: bool = False
) -> str:
    """What a measure over profiles reads, or over those of the ``nearest`` synthetic records."""
    compared = compared_cells(layout, comparison, target, basis, nearest=nearest)
    names = {"class": ", ".join([layout.class_key, *_population(basis)]), "number": basis.number}
    totals = templates.stage("stages/comparisons/level_totals.sql", comparison=comparison, marginals=table("marginals", target))
    ranked = templates.stage("stages/comparisons/ranked_cells.sql", **names, compared=compared)
    spread = templates.stage("stages/comparisons/spread_classes.sql", **names, ranked_cells=ranked, level_totals=totals)
    of_all = " ".join(["PARTITION BY", *_population(basis)]) if _population(basis) else ""
    return templates.stage("stages/comparisons/profiles.sql", **names, spread_classes=spread, of_all=of_all)


def within_cells(layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD) -> str:
    """The cells of a target with a tolerance for one comparison, each with the records near it."""
    return templates.stage(
        "stages/tolerance/within_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        columns=[
            *_population(basis),
            *("n_orig", "n_syn", "n_orig_class", "n_syn_class", "n_base_class", "n_orig_all"),
        ],
        counted=["people", "counted_orig", *_reasons_within(layout)],
        # An extent is that of the syntheses compared, whoever the people are.
        number=next(each.number for each in layout.of_original if each.members == comparison.members),
        compared=compared_cells(layout, comparison, target, basis),
        within_counts=table("within_counts", target),
        extents=table("extents", target),
        reaches=table("reaches", target),
    )


def within(layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD) -> str:
    """What a measure within the tolerance reads."""
    return templates.stage(
        "stages/tolerance/within.sql",
        cells=within_cells(layout, comparison, target, basis),
        alike=["n_orig_class", "n_syn_class", "n_base_class", "n_orig_all", *_WITHIN, *_population(basis)],
        reasons=_reasons_within(layout),
        number=basis.number,
    )


def posteriors(layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD) -> str:
    """What a measure over posteriors reads."""
    return templates.stage(
        "stages/intruder/posteriors.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        alpha=f"CAST({templates.literal(layout.scenario.prior)} AS DOUBLE)",
        compared=compared_cells(layout, comparison, target, basis),
        cells=table("cells", target),
        marginals=table("marginals", target),
        population_counts=basis.population_counts(target),
    )


def compared_classes(layout: Layout, comparison: Comparison, basis: CountBasis = BY_RECORD) -> str:
    """What a measure over classes reads."""
    names = {"class_key": layout.class_key, "limbs": layout.limbs, "comparison": comparison}
    columns: list[str] = []
    query = templates.stage("stages/comparisons/seen_classes.sql", **names, classes="classes")
    population_counts = basis.population_counts(None)
    if population_counts is not None:
        columns = ["population"]
        query = templates.stage(
            "stages/comparisons/population_classes.sql", **names, population_counts=population_counts, seen_classes=query
        )
    if population_counts is not None and layout.scenario.weights is not None:
        columns = ["population", "population_risk"]
        query = templates.stage(
            "stages/comparisons/sampled_classes.sql", **names, population_counts=population_counts, population_classes=query
        )
    return templates.stage(
        "stages/comparisons/compared_classes.sql",
        **names,
        classes=query,
        columns=columns,
        people="n_own" if population_counts is None else "people",
        missing_keys=missing_keys(layout),
    )


def compared_cells(
    layout: Layout, comparison: Comparison, target: Column, basis: CountBasis = BY_RECORD, *, nearest: bool = False
) -> str:
    """The cells of a target for one comparison, each with who is counted; or with the ``nearest`` synthetic records."""
    names = {"class_key": layout.class_key, "limbs": layout.limbs, "comparison": comparison, "nearest": nearest}
    carried = _carried(layout, target, nearest=nearest)
    columns = [*_SEEN, *carried]
    query = templates.stage(
        "stages/comparisons/seen_cells.sql",
        **names,
        synthetic=(_Nearest(),) if nearest else comparison.members,
        carried=carried,
        cells=table("near_cells" if nearest else "cells", target),
        marginals=table("marginals", target),
    )
    population_counts = basis.population_counts(target)
    if population_counts is not None:
        query = templates.stage(
            "stages/comparisons/population_cells.sql",
            **names,
            population_counts=population_counts,
            seen_cells=query,
            columns=columns,
        )
    if layout.scenario.excludes:
        counted = [] if population_counts is None else ["population", "people", "people_class"]
        query = _excluded_cells(layout, target, query, [*columns, *counted], names)
    return templates.stage(
        "stages/comparisons/compared_cells.sql",
        **names,
        cells=query,
        columns=[*columns, *_population(basis)],
        people="n_own" if population_counts is None else "people",
        people_class="n_own_class" if population_counts is None else "people_class",
        excludes=layout.scenario.excludes,
        grouped_by=", ".join([layout.class_key, *_population(basis)]),
        number=basis.number,
    )


def _excluded_cells(layout: Layout, target: Column, seen: str, columns: list[str], names: dict[str, object]) -> templates.Query:
    """The cells with the reasons why their people, and their synthetic records, are not counted."""
    scenario = layout.scenario
    pairs = [
        {
            "part": layout.part(pair.key),
            "query": templates.stage(
                "stages/comparisons/excluded_pair.sql",
                part=layout.part(pair.key),
                target_levels=table("levels", target),
                key_levels=table("levels", layout.column(pair.key)),
                target_match=target.matches(pair.target_level, "target"),
                key_match=layout.column(pair.key).matches(pair.key_level, "key_levels"),
            ),
        }
        for pair in scenario.exclude_pair
        if pair.target == target.name
    ]
    return templates.stage(
        "stages/comparisons/excluded_cells.sql",
        **names,
        seen_cells=seen,
        columns=columns,
        max_cell=scenario.max_cell,
        max_cell_syn=scenario.max_cell_syn,
        missing_target=target.name in scenario.exclude_missing,
        missing_keys=missing_keys(layout),
        pairs=pairs,
    )


def _carried(layout: Layout, target: Column, *, nearest: bool) -> dict[str, str]:
    """What some cells have besides their counts, by name: the share of a baseline, the radius of the nearest records."""
    baseline = {"share_given": "marginals.share"} if target.name in layout.baselines else {}
    return {**baseline, **({"radius": "cells.radius"} if nearest else {})}


def _population(basis: CountBasis) -> list[str]:
    """The column that tells populations apart, where people are counted by population."""
    return [] if basis == BY_RECORD else ["population"]


def _reasons_within(layout: Layout) -> list[str]:
    """The column that tells why the people of a cell are not counted, where anybody is left out."""
    return ["excluded_orig"] if layout.scenario.excludes else []
