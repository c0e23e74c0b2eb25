"""One part of a report as a table of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlrisk.common.errors import InputError, Problems, suggestion
from sqlrisk.report.columns import COLUMNS, PARTS, WANTED, Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import all_labels, lines
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections.assessment import of_all

WHOSE = ("target", "synthesis", "population", "people", "weighted", "of")
DISTRIBUTIONS = (*WHOSE, "statistic", "percent", "low", "high", "value")
LINE = (  # columns of numbers of a regression line
    "points",
    "intercept",
    "intercept_error",
    "intercept_t",
    "intercept_p",
    "slope",
    "slope_error",
    "t",
    "df",
    "p",
)
OF_LINE = ("measure", "at", "target", "method", "population", "people", "weighted")
TRENDS = (*OF_LINE, *LINE, "note")
MAPS = (
    "risk",
    "at",
    "safer",
    "utility",
    "ways",
    "more_useful",
    "target",
    "point",
    "risk_value",
    "risk_unit",
    "utility_value",
)
TEXTS = (
    *("risk", "safer", "utility", "more_useful", "point", "risk_unit"),
    *(
        "measure",
        "family",
        "target",
        "synthesis",
        "population",
        "people",
        "unit",
        "of",
        "statistic",
        "method",
        "note",
    ),
)


def part_of(report: Findings, part: str) -> Table:
    """Return one part of a report as a table. The InputErrors are those of ``Report.table``."""
    if part not in PARTS:
        raise InputError(
            f"There is no part {part!r} of a report{suggestion(part, PARTS)}; there are "
            f"{', '.join(PARTS)}."
        )
    setting = WANTED.get(part)
    if setting is not None and not report.scenario.get(setting):
        raise InputError(
            f"This report has no {part}: ask for them with --{setting} ({setting}=True)."
        )
    if part in ("utility", "maps") and report.utility is None:
        raise InputError(
            f"This report has no {part}: ask for utility together with the risk, with "
            "--utility all (utility=True)."
        )
    if part == "utility" and report.utility is not None:
        found: Table = report.utility.table("overall")
        return found
    numbers = [*_numbers(report.distributions)]
    title, columns, rows = {
        "results": ("Results", COLUMNS, report.results),
        "trends": ("Trend over the number of pooled syntheses", TRENDS, report.trends),
        "maps": ("Risk and utility", MAPS, report.maps),
        "distributions": ("Distributions over people", DISTRIBUTIONS, numbers),
    }[part]
    # types are fixed by name: a column may hold nothing to infer one from
    types = {
        name: "string" if name in TEXTS else "bool" if name == "weighted" else "double"
        for name in columns
    }
    return Table(
        "part",
        part,
        title,
        list(columns),
        lines(columns, rows),
        types=types,
        assessment=report.assessment,
        labels=report.labels,
        shared=report.shared,
    )


def part_of_all(reports: Mapping[str, Findings], part: str) -> Table:
    """Return one part of several reports as a table. Its first column is the report's name.

    Utility is shared, so its rows appear once and without that column. Raises the InputErrors of
    `part_of` together, each with the report's name.
    """
    problems = Problems(reports)
    tables: dict[str, Table] = {}
    for name, report in reports.items():
        with problems[name]:
            tables[name] = part_of(report, part)
    problems.stop()
    first, *_ = tables.values()
    if part == "utility":
        return first
    return replace(
        first,
        columns=["scenario", *first.columns],
        rows=[(name, *row) for name, table in tables.items() for row in table.rows],
        types={"scenario": "string", **first.types},
        assessment=of_all({name: table.assessment for name, table in tables.items()}),
        labels=all_labels(tables.values()),
    )


def _numbers(distributions: Sequence[Row]) -> Iterator[Row]:
    """Yield each number of each distribution as a row."""
    for row in distributions:
        whose = {**dict.fromkeys(DISTRIBUTIONS), **{name: row[name] for name in WHOSE}}
        yield from (
            {**whose, "statistic": name, "value": row[name]} for name in ("counted", "mean")
        )
        yield from ({**whose, "statistic": "quantile", **each} for each in row["quantiles"])
        yield from (
            {**whose, "statistic": "bin", **each, "value": each["counted"]}
            for each in row["histogram"]
        )
