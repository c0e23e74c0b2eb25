"""Membership by score: the people with each score, and the people that every threshold flags."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.counted_measures import CountBasis
from sqlrisk.plan.layout import Comparison, Layout, Ratio
from sqlrisk.plan.result_queries import quantile
from sqlrisk.plan.steps import Step, fill, in_pass

# Allowed false positives in percent, as in membership_TPR.
RATES = ("0.1", "1", "5", "10")
ROWS = "row_scores"  # the table of scores by whole rows


def score_counts(basis: CountBasis, compared: str, place: Mapping[str, Any]) -> Step:
    """Count the people of a pass by score: the number of synthetic records with a person's keys."""
    path = "stages/membership/score_counts.sql"
    return fill("membership", basis.table("score_counts"), path, **place, compared=compared)


def row_scores(layout: Layout, distinct_rows: str) -> Step:
    """Count the people by score when the keys are all columns that the files share."""
    names = {"comparisons": layout.comparisons, "rows": distinct_rows}
    return fill("membership", ROWS, "stages/membership/row_scores.sql", **names)


def reference(layout: Layout) -> Step:
    """Find the number of the last record in the first half of control. The records after it are the
    reference. Needed once per run.
    """
    names = {"records": "records", "control": layout.control}
    path = "stages/membership/reference_record.sql"
    return fill("membership", "reference_record", path, **names)


def halves(layout: Layout, key_range: KeyRange) -> Step:
    """Count the records of both halves of control in the classes of a pass."""
    names = {
        **layout.names,
        "records": key_range.records,
        "key_range": key_range,
        "reference_record": "reference_record",
        "control": layout.control,
    }
    path = "stages/membership/control_halves.sql"
    return in_pass("membership", "control_halves", path, **names)


def ratio_counts(
    layout: Layout,
    basis: CountBasis,
    comparisons: Sequence[Comparison],
    compared: str,
    place: Mapping[str, Any],
) -> Step:
    """Make the step that counts the people of a pass by two numbers: the synthetic records and the
    reference people with their keys. The comparisons have only the original's people, or only
    control's.
    """
    names = {
        **layout.names,
        **place,
        "compared": compared,
        "of_control": comparisons[0].people.control,
        "control_halves": "control_halves",
    }
    path = "stages/membership/ratio_counts.sql"
    return fill("membership", basis.table("ratio_counts"), path, **names)


def ratio_scores(layout: Layout, basis: CountBasis, *ratios: Ratio) -> templates.Query:
    """Return the query of people's scores by each ratio rule, with `score_counts`' columns."""
    people = layout.records[-1]
    records = [
        (each, sum(layout.records[file.number] for file in each.members))
        for each in layout.comparisons
    ]
    names = {
        "comparisons": records,
        "n_reference_all": people - people // 2,
        "ratio_counts": basis.table("ratio_counts"),
    }
    queries = (
        templates.stage("stages/membership/ratio_scores.sql", **names, ratio=ratio)
        for ratio in ratios
    )
    return templates.nested(templates.union_all(queries))


def thresholds(layout: Layout, counts: str) -> templates.Query:
    """Return the query of each score, with the number of people who have at least this score.

    ``counts`` is a table of score counts, or a query of them. Populations with nobody in the
    synthesis, or nobody outside it, have no row.
    """
    scores = templates.stage(
        "stages/membership/sided_scores.sql", pairs=layout.pairs, score_counts=counts
    )
    return templates.stage("stages/membership/thresholds.sql", sided_scores=scores)


def areas(layout: Layout, counts: str) -> str:
    """Return the query of the area under each curve, with its confidence interval."""
    return templates.stage(
        "tables/membership_areas.sql", thresholds=thresholds(layout, counts), z=quantile(layout)
    )


def rates(layout: Layout, counts: str) -> str:
    """Return the query of the people flagged at each rate of false positives in ``RATES``: by the
    lowest threshold whose actual rate is not above it.
    """
    allowed = [(Fraction(rate) / 100).as_integer_ratio() for rate in RATES]
    bases = [Fraction(str(base)).as_integer_ratio() for base in layout.scenario.base_rates]
    names = {"rates": allowed, "base_rates": bases, "z": quantile(layout)}
    return templates.stage(
        "tables/membership_rates.sql", thresholds=thresholds(layout, counts), **names
    )


def curve(layout: Layout, counts: str) -> str:
    """Return the query of the points of each ROC curve, one for each score."""
    return templates.stage("tables/membership_curve.sql", thresholds=thresholds(layout, counts))
