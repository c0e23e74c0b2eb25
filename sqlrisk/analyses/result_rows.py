"""Read the numbers of a run from the engine as result rows, in the documented order."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from sqlrisk.analyses.level_names import population_names
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.measures import Measure
from sqlrisk.engines.engine import SqlRow
from sqlrisk.inputs.request import Question
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import File
from sqlrisk.plan.layout import Layout
from sqlrisk.report.columns import COLUMNS

Rows = list[dict[str, Any]]
SUMMARIES = ("mean", "min", "max")  # over the syntheses of a method


def results(question: Question, layout: Layout, session: Session, table: str = "results") -> Rows:
    """Return the result rows in the documented order: by measure, point, target, synthesis,
    population, people and weighting.

    ``table`` is the table that holds the numbers. Syntheses are followed by their mean, minimum and
    maximum, then by pools.
    """
    if not question.measures:
        return []
    values: dict[tuple[object, ...], dict[int, SqlRow]] = {}
    for name, at, target, comparison, population, weighted, *numbers in session.fetch(
        "SELECT measure, point, target, comparison, population, weighted, numerator, "
        f"denominator, value FROM {table}"
    ):
        key = (str(name), at, int(target), int(population), bool(weighted))
        values.setdefault(key, {})[int(comparison)] = tuple(numbers)
    summaries = {
        people.number: _summaries(layout, people, session, table) for people in layout.people_files
    }
    populations, labels = population_names(layout, session), synthesis_labels(layout)
    compared = {(each.label, each.people.number): each.number for each in layout.comparisons}
    rows: Rows = []
    for measure in question.measures:
        counted = counted_people(question, measure, layout, populations)
        for at, target, label, (population, people, weighted) in product(
            measure.points, layout.about(measure.stage), labels, counted
        ):
            place, name = (0, None) if target is None else (target.number, target.name)
            key = (measure.name, at, place, population, weighted)
            shown = summaries[people.number].get(key, {}).get(label)
            number = compared.get((label, people.number))
            if shown is None and number is not None:
                shown = _numbers(measure, values.get(key, {}).get(number), whole=not weighted)
            if shown is not None:
                about = (measure.name, measure.family, at, name, label)
                whose = (populations[population], people.who, weighted)
                row = (*about, *whose, *shown, measure.unit)
                rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def counted_people(
    question: Question, measure: Measure, layout: Layout, populations: Mapping[int, str]
) -> list[tuple[int, File, bool]]:
    """List (population number, file of people, weighted) for each row of a measure.

    A measure that cannot be computed for populations (of synthetic records, or a ratio to a
    reference) is listed only for everybody. A measure that cannot be computed for control is not
    listed for control.
    """
    parts = question.catalog.parts_of(measure)
    weighted = layout.scenario.weights is not None and all(part.kind.weighable for part in parts)
    of_people = all(part.knows_populations for part in parts)
    of_control = measure.knows_control and all(part.kind.of_control for part in parts)
    return [
        (population, people, by_weight)
        for population in populations
        for people in layout.people_files
        for by_weight in ([False, True] if weighted else [False])
        if (of_people or population == 0) and (of_control or not people.control)
    ]


def _summaries(
    layout: Layout, people: File, session: Session, table: str
) -> dict[tuple[object, ...], dict[str, SqlRow]]:
    """Read mean, minimum and maximum over the syntheses of each method with several syntheses.

    ``people`` is the file of people. Returns (measure, point, target, population, weighted) ->
    label of the summary -> (None, None, value).
    """
    summaries: dict[tuple[object, ...], dict[str, SqlRow]] = {}
    for method in methods_of_several(layout):
        for name, at, target, population, weighted, *values in session.fetch(
            result_queries.summary(layout, method, people, table)
        ):
            each = summaries.setdefault(
                (str(name), at, int(target), int(population), bool(weighted)), {}
            )
            for word, value in zip(SUMMARIES, values, strict=True):
                each[f"{method} {word}".strip()] = (None, None, value)
    return summaries


def synthesis_labels(layout: Layout) -> list[str]:
    """List the labels of syntheses, summaries and pools in the order of results."""
    labels: list[str] = []
    several = methods_of_several(layout)
    for method in dict.fromkeys(each.method for each in layout.of_original):
        labels += [each.label for each in layout.singles if each.method == method]
        labels += [f"{method} {word}".strip() for word in SUMMARIES if method in several]
        labels += [
            each.label for each in layout.of_original if each.method == method and not each.single
        ]
    return labels


def methods_of_several(layout: Layout) -> list[str]:
    """List the methods with more than one synthesis."""
    return list(
        dict.fromkeys(
            comparison.method for comparison in layout.comparisons if not comparison.single
        )
    )


def _numbers(measure: Measure, row: SqlRow | None, *, whole: bool) -> SqlRow:
    """Return numerator, denominator and value. With ``whole``, counts become int again, since the
    results table stores DOUBLE.

    ``row`` is None if the population has no people. A numerator and a denominator that are sums are
    then 0. All other numbers are None.
    """
    if row is None:
        empty = measure.stage != "results" and "value" not in measure.aggregates
        return (0, 0, None) if empty else (None, None, None)
    counts = [
        whole and side in measure.kind.whole for side in ("numerator", "denominator", "value")
    ]
    return tuple(
        int(float(n)) if count and n is not None else n
        for n, count in zip(row, counts, strict=True)
    )
