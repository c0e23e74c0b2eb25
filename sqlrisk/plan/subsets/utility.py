"""Steps that compare tables of columns of the original and of syntheses, from classes to
measures.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.utility import UtilityMeasure
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, fill

COUNTS, RESULTS = "table_counts", "utility_results"
# Percents of the quantiles. The minimum and maximum would be the number of one person.
PERCENTS = (5, 25, 50, 75, 95)
TOGETHER = 50  # pairs of columns whose sums one statement makes


def counted(layout: Layout, table_number: int, *, complete: bool) -> Step:
    """Make the step that counts the cells of a table of columns by their numbers of records in the
    original and in each synthesis.

    ``complete`` drops cells with a missing value. ``table_number`` identifies the table in the
    rows.
    """
    names = {
        "syntheses": layout.syntheses,
        "classes": "classes",
        "left_out": layout.parts if complete else [],
    }
    return fill(
        "tables", COUNTS, "stages/utility/table_counts.sql", table_number=table_number, **names
    )


def measured(measures: Sequence[UtilityMeasure], pools: Mapping[int, Sequence[File]]) -> list[Step]:
    """Make the steps that compute the measures of all counted tables, then their means over
    syntheses.

    ``pools`` maps the number of a mean to its synthetic files.
    """
    steps = [
        fill("utility", "scored_counts", "stages/utility/scored_counts.sql", table_counts=COUNTS),
        fill("utility", RESULTS, "stages/utility/utility_results.sql", measures=measures),
    ]
    for number, files in pools.items():
        means = {"number": number, "syntheses": files, "utility_results": RESULTS}
        steps.append(fill("utility", RESULTS, "stages/utility/utility_means.sql", **means))
    return steps


def summary() -> templates.Query:
    """Return the query of each measure's mean, minimum and maximum over one-way, two-way ...
    tables.
    """
    return templates.stage(
        "tables/utility_summary.sql", utility_results=RESULTS, utility_tables="utility_tables"
    )


def by_column() -> templates.Query:
    """Return the query of each measure's mean by synthesis, number of columns and column, over the
    tables that contain the column.
    """
    return templates.stage(
        "tables/utility_by_column.sql", utility_results=RESULTS, utility_columns="utility_columns"
    )


def missing_shares(layout: Layout) -> templates.Query:
    """Return the query of how many records of each file have no value of each key."""
    names = {"columns": layout.keys, "files": layout.files, "levels": layout.dictionaries}
    return templates.stage("tables/missing_shares.sql", **names)


def quantiles(layout: Layout, columns: Sequence[Column]) -> templates.Query:
    """Return the query of the quantiles of numeric columns in each file."""
    names = {
        "columns": columns,
        "files": layout.files,
        "levels": layout.dictionaries,
        "percents": PERCENTS,
    }
    return templates.stage("tables/quantiles.sql", **names)


def correlations(
    layout: Layout, columns: Sequence[Column]
) -> Iterator[tuple[File, Step, templates.Query]]:
    """Yield (file, step, query): the step sums products, and the query computes correlations.

    Many pairs of columns are split over several steps.
    """
    pairs = list(combinations(columns, 2))
    for file, first in product(layout.files, range(0, len(pairs), TOGETHER)):
        some = pairs[first : first + TOGETHER]
        used = [column for column in columns if any(column in pair for pair in some)]
        made = f"number_sums_{file.number}_{first // TOGETHER + 1}"
        names = {"pairs": some, "columns": used, "file": file, "levels": layout.dictionaries}
        step = fill("utility", made, "stages/utility/number_sums.sql", **names)
        yield file, step, templates.stage("tables/correlations.sql", pairs=some, number_sums=made)
