"""Maps of risk and utility: a point for each synthesis, and the original as a corner. The two
numbers are shown separately and never combined.

The original's risk is the corresponding measure of the original, if it was computed: Dorig is the
DiSCO of a published original. The original's utility is the best possible. A file with independent
columns is a point only if you give it as a synthesis, because no formula gives its risk.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sqlrisk.inputs.policy_rules import Term
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.declared import sense
from sqlrisk.report.findings import Findings, first_population, of_first_population
from sqlrisk.report.sections.cells import text
from sqlrisk.report.wording import (
    NOTHING,
    WAYS,
    distinct,
    number,
    of_population,
    shown,
    split,
    synthesis_name,
)

ORIGINAL = "original"
# utility of the original itself, by the meaning of a higher number
BEST = {"less utility": 0.0, "more utility": 1.0}
NO_BEST = ("U",)  # counts pairs of records, so its best depends on the sizes of the files
SAFER = {"more risk": "less is safer", "less risk": "more is safer"}
USEFUL = {"less utility": "less is more useful", "more utility": "more is more useful"}


def points(report: Findings, risk: Term, useful: Term) -> Iterator[Row]:
    """Yield the points of a map by target: the original if its risk is known, then syntheses.

    Yield nothing if the report has no utility.
    """
    if report.utility is None:
        return
    ways = useful.at[0] if useful.at else report.utility.scenario["ways"][-1]
    found = {
        row["synthesis"]: row
        for row in report.utility.results
        if (row["measure"], row["at"]) == (useful.measure, ways)
    }
    header = report.utility.headers[useful.measure]
    best = None if header["name"] in NO_BEST else BEST.get(header["higher"])
    rows = [row for row in of_first_population(report) if not risk.at or row["at"] == risk.at[0]]
    labels = [str(each["synthesis"]) for each in report.synthetic]
    about = {
        "risk": risk.measure,
        "utility": useful.measure,
        "ways": ways,
        "safer": SAFER.get(sense(report.headers.get(risk.measure, {}))),
        "more_useful": USEFUL.get(header["higher"]),
    }
    of_original = report.declared.get(risk.measure, {}).get("of_original")
    originals = {row["target"]: row for row in reversed(rows) if row["measure"] == of_original}
    measured = [row for row in rows if row["measure"] == risk.measure]
    for target, of_target in split(measured, "target"):
        if target in originals:
            yield _point(about, target, ORIGINAL, originals[target], best)
        for row in of_target:
            if row["synthesis"] in labels:
                yield _point(about, target, row["synthesis"], row, found[row["synthesis"]]["value"])


def _point(about: Row, target: object, name: object, row: Row, useful: float | None) -> Row:
    return {
        **about,
        "at": row["at"],
        "target": target,
        "point": name,
        "risk_value": row["value"],
        "risk_unit": row["unit"],
        "utility_value": useful,
    }


def maps(rows: Sequence[Row]) -> list[list[Row]]:
    """Return a list of points (rows) for each map."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        which = tuple(row[name] for name in ("risk", "at", "utility", "ways"))
        found.setdefault(which, []).append(row)
    return [*found.values()]


def axes(report: Findings, rows: Sequence[Row]) -> tuple[str, str]:
    """Return the names of a map's two axes, risk and utility, without directions."""
    first, whom = rows[0], of_population(first_population(report))
    at = "" if first["at"] is None else f" at {number(first['at'])}"
    return f"{first['risk']}{at}{whom}", f"{first['utility']} of {WAYS[int(first['ways'])]} tables"


def blocks(report: Findings) -> Iterator[Block]:
    """Yield each map as a table: a row for each point, columns for each target and for utility."""
    for rows in maps(report.maps):
        risk, useful = axes(report, rows)
        yield Heading(f"{risk} and {useful}")
        yield _grid(rows)
        yield Paragraph(
            f"{risk}: {rows[0]['safer'] or 'neither way is safer by itself'}. "
            f"{useful}: {rows[0]['more_useful']}. "
            "The original has the best utility, and its own risk; nothing sums up the two.",
            quiet=True,
        )


def _grid(rows: Sequence[Row]) -> Grid:
    risk, utility = rows[0]["risk"], rows[0]["utility"]
    columns = [text("file", lambda name: synthesis_name(shown(name)))]
    for target, of_target in split(rows, "target"):
        head = GridColumn(risk) if target is None else GridColumn(shown(target), above=risk)
        by_point = {row["point"]: row for row in of_target}
        columns.append((head, partial(_number, by_point, "risk_value")))
    by_point = {row["point"]: row for row in rows}
    columns.append((GridColumn(utility), partial(_number, by_point, "utility_value")))
    return table(columns, distinct(rows, "point"))


def _number(of: Mapping[object, Row], field: str, point: object) -> str:
    return number(of[point][field], ".4g") if point in of else NOTHING
