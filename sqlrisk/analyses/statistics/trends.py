"""The regression line of each measure over the number of pooled syntheses, read from the engine."""

from typing import Any

from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.common.student_t import p_value
from sqlrisk.plan import result_queries
from sqlrisk.plan.layout import Layout

WHOSE = ("measure", "at", "target", "population", "people", "weighted")
# A smaller standard error only reflects the order in which shares were added, as in
# sql/tables/trend.sql.
ROUNDING = 1e-9
NESTED = "p is descriptive: the pooled files are nested, so the points are not independent."


def read(layout: Layout, results: Rows, session: Session) -> Rows:
    """Read the lines: one row per measure, point, target, method, population, file of people and
    weighting, in the order of results.

    ``slope`` is the change in the measure's unit with each further synthesis. A measure without a
    value at some number of syntheses has no row. With fewer than three syntheses all numbers of a
    row but ``points`` are None.
    """
    populations = population_names(layout, session)
    targets = {0: None, **{each.number: each.name for each in layout.numbered}}
    found: dict[tuple[object, ...], dict[str, dict[str, Any]]] = {}
    for method in dict.fromkeys(comparison.method for comparison in layout.of_original):
        for people in layout.people_files:
            query = result_queries.trend(result_queries.pools(layout, method, people))
            for name, at, target, population, weighted, *line in session.fetch(query):
                whose = (
                    name,
                    at,
                    targets[target],
                    populations.get(population),
                    people.who,
                    bool(weighted),
                )
                found.setdefault(whose, {})[method] = _line(*line)
    return [
        {**dict(zip(WHOSE[:3], whose[:3], strict=True)), "method": method or None}
        | {**dict(zip(WHOSE[3:], whose[3:], strict=True)), **line, "note": NESTED}
        for whose in dict.fromkeys(tuple(row[name] for name in WHOSE) for row in results)
        for method, line in found.get(whose, {}).items()
    ]


def _line(
    n: int,
    slope: Any,
    slope_error: Any,
    t: Any,
    intercept: Any,
    intercept_error: Any,
    intercept_t: Any,
) -> dict[str, Any]:
    df = None if slope is None else n - 2
    if slope_error is not None and slope_error < ROUNDING:  # all points are on the line
        slope_error, t, intercept_error, intercept_t = 0.0, None, 0.0, None
    line = {"points": n, "intercept": intercept, "intercept_error": intercept_error}
    line |= {"intercept_t": intercept_t, "intercept_p": p_value(intercept_t, df)}
    return {
        **line,
        "slope": slope,
        "slope_error": slope_error,
        "t": t,
        "df": df,
        "p": p_value(t, df),
    }
