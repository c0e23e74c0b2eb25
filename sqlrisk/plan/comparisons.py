"""Queries that measures read: the cells and classes of one comparison, and what is made of them."""

from sqlrisk.catalogue import templates
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.counted_measures import EVERYBODY_COUNTED, Ledger
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import missing_keys


def matches(layout: Layout, comparison: Comparison, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over matches reads."""
    return templates.stage(
        "stages/matches.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        missing_keys=missing_keys(layout),
        candidates="candidates",
        crowd_candidates="crowds_candidates",
        crowd=ledger.crowd(None),
    )


def patterns(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """What a measure over cells reads, or with the ``nearest`` synthetic records one over neighbours."""
    return templates.stage(
        "stages/patterns.sql",
        comparison=comparison,
        compared=compared_cells(layout, comparison, target, ledger, nearest=nearest),
        nearest=nearest,
        excludes=layout.scenario.excludes,
        baseline=target.name in layout.baselines,
        crowd=ledger.crowd(target),
    )


def profiles(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """What a measure over profiles reads, or over those of the ``nearest`` synthetic records."""
    return templates.stage(
        "stages/profiles.sql",
        class_key=layout.class_key,
        comparison=comparison,
        compared=compared_cells(layout, comparison, target, ledger, nearest=nearest),
        marginals=table("marginals", target),
        crowd=ledger.crowd(target),
    )


def within_cells(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """The cells of a target with a tolerance for one comparison, each with the records near it."""
    return templates.stage(
        "stages/within_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        # An extent is that of the syntheses compared, whoever the people are.
        number=next(each.number for each in layout.of_original if each.members == comparison.members),
        crowd=ledger.crowd(target),
        excludes=layout.scenario.excludes,
        compared=compared_cells(layout, comparison, target, ledger),
        within_counts=table("within_counts", target),
        extents=table("extents", target),
        reaches=table("reaches", target),
    )


def within(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure within the tolerance reads."""
    return templates.stage(
        "stages/within.sql",
        crowd=ledger.crowd(target),
        excludes=layout.scenario.excludes,
        cells=within_cells(layout, comparison, target, ledger),
    )


def posteriors(layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over posteriors reads."""
    return templates.stage(
        "stages/posteriors.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        alpha=f"CAST({templates.literal(layout.scenario.prior)} AS DOUBLE)",
        compared=compared_cells(layout, comparison, target, ledger),
        cells=table("cells", target),
        marginals=table("marginals", target),
        crowd=ledger.crowd(target),
    )


def compared_classes(layout: Layout, comparison: Comparison, ledger: Ledger = EVERYBODY_COUNTED) -> str:
    """What a measure over classes reads."""
    return templates.stage(
        "stages/compared_classes.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        missing_keys=missing_keys(layout),
        classes="classes",
        crowd=ledger.crowd(None),
        risk=layout.scenario.weights is not None,
    )


def compared_cells(
    layout: Layout, comparison: Comparison, target: Column, ledger: Ledger = EVERYBODY_COUNTED, *, nearest: bool = False
) -> str:
    """The cells of a target for one comparison, each with who is counted; or with the ``nearest`` synthetic records."""
    scenario = layout.scenario
    pairs = [
        {
            "part": layout.part(pair.key),
            "target_levels": table("levels", target),
            "key_levels": table("levels", layout.column(pair.key)),
            "target_match": target.matches(pair.target_level, "target"),
            "key_match": layout.column(pair.key).matches(pair.key_level, "key_levels"),
        }
        for pair in scenario.exclude_pair
        if pair.target == target.name
    ]
    return templates.stage(
        "stages/compared_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        crowd=ledger.crowd(target),
        baseline=target.name in layout.baselines,
        excludes=scenario.excludes,
        max_cell=scenario.max_cell,
        max_cell_syn=scenario.max_cell_syn,
        missing_target=target.name in scenario.exclude_missing,
        missing_keys=missing_keys(layout),
        pairs=pairs,
        cells=table("near_cells" if nearest else "cells", target),
        nearest=nearest,
        marginals=table("marginals", target),
    )
