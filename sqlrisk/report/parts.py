"""One part of a report as a table of its own."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlrisk.errors import InputError
from sqlrisk.report.tables import Table
from sqlrisk.suggest import suggestion

if TYPE_CHECKING:
    from sqlrisk.report import Report

WHOSE = ("target", "synthesis", "population", "people", "weighted", "of")
DISTRIBUTIONS = (*WHOSE, "statistic", "percent", "low", "high", "value")
TRENDS = (
    *("measure", "at", "target", "method", "population", "people", "weighted", "points", "intercept", "intercept_error", "slope"),
    *("slope_error", "t", "df", "p", "note"),
)


def part_of(report: "Report", part: str) -> Table:
    """Return one part of a report as a table.

    Raises InputError for a part that is none, or that was not asked for.
    """
    from sqlrisk.report import COLUMNS, PARTS

    if part not in PARTS:
        raise InputError(f"There is no part {part!r} of a report{suggestion(part, PARTS)}; there are {', '.join(PARTS)}.")
    setting = {"distributions": "distributions", "trends": "trend"}.get(part)
    if setting is not None and not report.scenario.get(setting):
        raise InputError(f"This report has no {part}: ask for them with --{setting} ({setting}=True).")
    if part == "results":
        return Table("part", part, "Results", list(COLUMNS), [tuple(row[name] for name in COLUMNS) for row in report.results])
    if part == "trends":
        title = "Trend over the number of pooled syntheses"
        return Table("part", part, title, list(TRENDS), [tuple(row[name] for name in TRENDS) for row in report.trends])
    rows = [line for row in report.distributions for line in _lines(row)]
    return Table("part", part, "Distributions over people", list(DISTRIBUTIONS), rows)


def _lines(row: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """Each number of a distribution in a row of its own."""
    whose = tuple(row[name] for name in WHOSE)
    yield (*whose, "counted", None, None, None, row["counted"])
    yield (*whose, "mean", None, None, None, row["mean"])
    for each in row["quantiles"]:
        yield (*whose, "quantile", each["percent"], None, None, each["value"])
    for each in row["histogram"]:
        yield (*whose, "bin", None, each["low"], each["high"], each["counted"])
