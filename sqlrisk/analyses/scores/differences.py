"""Read the differences between the people of the original and those of control. They show what the
synthesis added.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.student_t import p_value
from sqlrisk.plan import result_queries
from sqlrisk.plan.layout import Layout

# The columns that identify a row of `differences`, and its numbers from tables/differences.sql.
PLACE = ("measure", "at", "target", "synthesis", "population", "weighted")
NUMBERS = (
    *("difference", "adjusted", "original_rate", "original_error", "control_rate", "control_error"),
    *("adjusted_centre", "adjusted_error", "adjusted_low", "adjusted_high", "t", "df"),
)
ADJUSTED_UNIT = "proportion of what is left above control"


def differences(layout: Layout, results: Rows, session: Session, table: str = "results") -> Rows:
    """Return a row for each measure of people, target, synthesis (single or pooled) and population,
    in the order of the results. Return no rows if there is no control.

    Only the table ``results`` has tests. For other tables the spread of values was not counted. The
    formulas and their sources are in ``sql/tables/differences.sql``.

    - ``original``, ``control``: the values in the results. ``difference``: original minus control.
    - ``adjusted``: (r - c) / (1 - c) for the shares r of the original and c of control. None if c
      is 1 or the measure is not a share.
    - ``original_rate``, ``control_rate``: the center of the interval of each share (Wilson), or the
      mean. ``*_error``: half the width of the interval. For a mean it is z times the standard
      error, with z the normal quantile of the confidence level.
    - ``adjusted_low``, ``adjusted_high``: the interval of the adjusted risk, around
      ``adjusted_centre``.
    - ``t``, ``df``, ``p``: Welch's test of the two means, if the measure is a mean of people's
      values.
    - ``note``: always None. Earlier versions used it when p was missing.
    """
    if len(layout.people_files) < 2 or not results:
        return []
    targets = {each.number: each.name for each in layout.numbered}
    labels = {comparison.number: comparison.label for comparison in layout.of_original}
    populations = population_names(layout, session)
    query = result_queries.differences(layout, table, spread=table == "results")
    found = {
        (
            name,
            at,
            targets.get(target),
            labels[comparison],
            populations[population],
            bool(weighted),
        ): numbers
        for name, at, target, comparison, population, weighted, *numbers in session.fetch(query)
        if population in populations
    }
    groups: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in results:
        groups.setdefault(tuple(row[name] for name in PLACE), {})[row["people"]] = row["value"]
    rows: Rows = []
    for place, values in groups.items():
        if "control" not in values or place[PLACE.index("synthesis")] not in labels.values():
            continue
        numbers = dict(zip(NUMBERS, found.get(place, [None] * len(NUMBERS)), strict=True))
        if all(isinstance(value, int) for value in values.values()):
            numbers["difference"] = int(numbers["difference"])
        about = dict(zip(PLACE, place, strict=True)) | {
            "original": values["original"],
            "control": values["control"],
        }
        rows.append({**about, **numbers, "p": p_value(numbers["t"], numbers["df"]), "note": None})
    return rows


def inserted(results: Rows, found: Rows, measures: Iterable[Measure]) -> Rows:
    """Return the result rows with the differences inserted after the rows of control.

    ``found`` are the rows of `differences`. Each gives a row with ``people`` = ``difference`` and,
    if the measure is a share, a row with ``people`` = ``adjusted``. None are inserted for summaries
    over syntheses (mean, min, max): the mean of the differences is not the difference that an
    intruder sees.
    """
    known = {measure.name: measure for measure in measures}
    added: dict[tuple[Any, ...], Rows] = {}
    for row in found:
        added.setdefault(tuple(row[name] for name in PLACE[:-1]), []).append(row)
    rows: Rows = []
    for place, group in groupby(results, key=lambda row: tuple(row[name] for name in PLACE[:-1])):
        own = list(group)
        rows += own
        measure = known[own[0]["measure"]]
        for people, unit in (("difference", measure.unit), ("adjusted", ADJUSTED_UNIT)):
            if people == "difference" or measure.is_share:
                shown = own[0] | {
                    "people": people,
                    "numerator": None,
                    "denominator": None,
                    "unit": unit,
                }
                rows += [
                    {**shown, "weighted": row["weighted"], "value": row[people]}
                    for row in added.get(place, ())
                ]
    return rows
