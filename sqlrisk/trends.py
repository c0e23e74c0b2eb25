"""The line of each measure over the number of pooled syntheses, read back from the engine."""

from typing import Any

from sqlrisk import plan, significance
from sqlrisk.door import Door
from sqlrisk.layout import Column, Layout
from sqlrisk.question import Question
from sqlrisk.readout import population_names

Rows = list[dict[str, Any]]
NESTED = "p is descriptive: the pooled files are nested, so the points are not independent."


def read(question: Question, layout: Layout, door: Door) -> Rows:
    """One row per measure, point, target, method, population and group of people, counted or weighted.

    ``slope`` is the change in the measure's unit with each further synthesis. A measure without a value at some number of
    syntheses has no row; below three syntheses all numbers of a row are None.
    """
    note = NESTED if significance.available() else f"{NESTED} {significance.MISSING}"
    populations = population_names(layout, door)
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    methods = list(dict.fromkeys(comparison.method for comparison in layout.of_original))
    for method in methods:
        for people in layout.people_files:
            for name, at, target, population, weighted, n, slope, slope_error, t, intercept, intercept_error in door.ask(
                plan.trend(plan.pools(layout, method, people))
            ):
                df = int(n) - 2 if slope is not None else None
                found[str(name), at, int(target), method, int(population), people.number, bool(weighted)] = {
                    "points": int(n),
                    "intercept": intercept,
                    "intercept_error": intercept_error,
                    "slope": slope,
                    "slope_error": slope_error,
                    "t": t,
                    "df": df,
                    "p": significance.two_sided(t, df),
                }
    targets: list[Column | None] = list(layout.targets)
    return [
        {
            "measure": measure.name,
            "at": at,
            "target": None if target is None else target.name,
            "method": method or None,
            "population": populations[population],
            "people": "control" if people.control else "original",
            "weighted": weighted,
            **line,
            "note": note,
        }
        for measure in question.measures
        for at in measure.points
        for target in ([None] if measure.stage == "classes" else targets)
        for method in methods
        for population in populations
        for people in layout.people_files
        for weighted in (False, True)
        if (
            line := found.get(
                (measure.name, at, 0 if target is None else target.number, method, population, people.number, weighted)
            )
        )
    ]
