"""Read how CAP, lift and the levels of targets are distributed over people."""

from itertools import product
from typing import Any

from sqlrisk.analyses.level_names import level_names, population_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.engines.engine import SqlRow
from sqlrisk.plan import result_queries
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.result_queries import PERCENTS, QUANTITIES, Quantity

LEVELS = 10  # the levels of a target with most people are shown. The others are added up.
NOBODY: SqlRow = (0, None, *(None for _ in PERCENTS))


def read(layout: Layout, session: Session) -> Rows:
    """Read how each quantity, such as the CAP, is distributed over people.

    Returns one row per target, comparison, population, file of people, weighting and quantity. Each
    row has ``counted`` (the people with a value, or their weights), ``mean``, ``quantiles`` and
    ``histogram``.
    """
    session.create(result_queries.cap_counts(layout.counts.bases))
    found: dict[tuple[object, ...], SqlRow] = {}
    bins: dict[tuple[object, ...], dict[int, Any]] = {}
    for basis in layout.counts.bases:
        for target, comparison, population, quantity, *numbers in session.fetch(
            result_queries.distributions(basis)
        ):
            found[target, comparison, population, basis.weighted, quantity] = tuple(numbers)
        for *place, quantity, number, counted in session.fetch(result_queries.histograms(basis)):
            bins.setdefault((*place, basis.weighted, quantity), {})[int(number)] = counted
    populations = population_names(layout, session)
    weighted = [False, True] if layout.scenario.weights is not None else [False]
    labelled: dict[str, list[Comparison]] = {}
    for each in layout.comparisons:
        labelled.setdefault(each.label, []).append(each)
    rows: Rows = []
    for column, (label, several), (number, population) in product(
        layout.targets, labelled.items(), populations.items()
    ):
        for each, by_weight, quantity in product(several, weighted, QUANTITIES):
            key = (column.number, each.number, number, by_weight, quantity.name)
            about = {
                "target": column.name,
                "synthesis": label,
                "population": population,
                "people": each.people.who,
                "weighted": by_weight,
            }
            rows.append(about | _described(quantity, found.get(key, NOBODY), bins.get(key, {})))
    return rows


def _described(quantity: Quantity, numbers: SqlRow, bins: dict[int, Any]) -> dict[str, Any]:
    counted, mean, *quantiles = numbers
    return {
        "of": quantity.name,
        "counted": counted,
        "mean": mean,
        "quantiles": [
            {"percent": percent, "value": value}
            for percent, value in zip(PERCENTS, quantiles, strict=True)
        ],
        "histogram": [
            {
                "bin": each.text,
                "low": float(each.low),
                "high": None if each.high is None else float(each.high),
                "counted": bins.get(each.number, 0),
            }
            for each in quantity.bins
        ],
    }


def level_shares(layout: Layout, session: Session) -> Rows:
    """Read one row per target, level and file: ``records`` with the level, and ``percent`` of the
    file's records.

    If a target has more than `LEVELS` levels, the last row of a file adds up all others: ``rest``
    is True and ``level`` is None.
    """
    names = {0: "original"} | {each.members[0].number: each.label for each in layout.singles}
    rows: Rows = []
    for target in layout.targets:
        found = sorted(
            tuple(row) for row in session.fetch(result_queries.shares(layout, target, LEVELS))
        )
        levels = level_names(
            target, {code for _, _, code, *_ in found if code is not None}, session
        )
        for file, _, code, records, percent in found:
            if code is not None or records:
                about = {
                    "target": target.name,
                    "file": names.get(file, "control"),
                    "level": levels.get(code),
                }
                rows.append({**about, "rest": code is None, "records": records, "percent": percent})
    return rows
