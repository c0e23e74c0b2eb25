"""One part of a report as a table of its own."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.report.columns import COLUMNS, PARTS
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table

WHOSE = ("target", "synthesis", "population", "people", "weighted", "of")
DISTRIBUTIONS = (*WHOSE, "statistic", "percent", "low", "high", "value")
TRENDS = (
    *("measure", "at", "target", "method", "population", "people", "weighted", "points", "intercept", "intercept_error", "slope"),
    *("slope_error", "t", "df", "p", "note"),
)
TEXTS = ("measure", "family", "target", "synthesis", "population", "people", "unit", "of", "statistic", "method", "note")


def part_of(report: Findings, part: str) -> Table:
    """Return one part of a report as a table.

    Raises InputError for a part that is none, or that was not asked for.
    """
    if part not in PARTS:
        raise InputError(f"There is no part {part!r} of a report{suggestion(part, PARTS)}; there are {', '.join(PARTS)}.")
    setting = {"distributions": "distributions", "trends": "trend"}.get(part)
    if setting is not None and not report.scenario.get(setting):
        raise InputError(f"This report has no {part}: ask for them with --{setting} ({setting}=True).")
    if part == "results":
        return _part(part, "Results", COLUMNS, lines(COLUMNS, report.results))
    if part == "trends":
        title = "Trend over the number of pooled syntheses"
        return _part(part, title, TRENDS, lines(TRENDS, report.trends))
    rows = [line for row in report.distributions for line in _lines(row)]
    return _part(part, "Distributions over people", DISTRIBUTIONS, rows)


def _part(name: str, title: str, columns: Sequence[str], rows: list[tuple[object, ...]]) -> Table:
    """Return a table whose columns have their types whatever is in them: a column may hold nothing at all."""
    types = {column: "string" if column in TEXTS else "bool" if column == "weighted" else "double" for column in columns}
    return Table("part", name, title, list(columns), rows, types=types)


def _lines(row: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """Yield each number of a distribution in a row of its own."""
    whose = tuple(row[name] for name in WHOSE)
    yield (*whose, "counted", None, None, None, row["counted"])
    yield (*whose, "mean", None, None, None, row["mean"])
    for each in row["quantiles"]:
        yield (*whose, "quantile", each["percent"], None, None, each["value"])
    for each in row["histogram"]:
        yield (*whose, "bin", None, each["low"], each["high"], each["counted"])
