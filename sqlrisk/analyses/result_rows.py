"""What a run found, read back from the engine: result rows, checks, overlap, listings, with readable levels."""

from collections.abc import Mapping
from typing import Any

from sqlrisk.analyses.session import Door
from sqlrisk.catalogue.measures import Measure
from sqlrisk.engines.engine import Row
from sqlrisk.inputs.request import Question
from sqlrisk.plan import encoding, result_queries
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Layout

Rows = list[dict[str, Any]]
SUMMARIES = ("mean", "min", "max")  # over the syntheses of a method


def results(question: Question, layout: Layout, door: Door) -> Rows:
    """The result rows of DESIGN section 6, in their order: each synthesis, then mean, min and max, then pooled."""
    values: dict[tuple[object, ...], dict[int, Row]] = {}
    for name, at, target, comparison, population, weighted, *numbers in door.ask(
        "SELECT measure, point, target, comparison, population, weighted, numerator, denominator, value FROM results"
    ):
        key = (str(name), at, int(target), int(population), bool(weighted))
        values.setdefault(key, {})[int(comparison)] = tuple(numbers)
    summaries = {people.number: _summaries(layout, people, door) for people in layout.people_files}
    populations = population_names(layout, door)
    rows: Rows = []
    for measure in question.measures:
        for at in measure.points:
            for target in layout.targets_of(measure.stage):
                for label in synthesis_labels(layout):
                    for population, people, weighted in crowds(question, measure, layout, populations):
                        key = (measure.name, at, 0 if target is None else target.number, population, weighted)
                        shown = summaries[people.number].get(key, {}).get(label)
                        if shown is None:
                            each = [c.number for c in layout.comparisons if c.label == label and c.people == people]
                            shown = _numbers(measure, values.get(key, {}).get(each[0]), whole=not weighted) if each else None
                        if shown is None:
                            continue
                        rows.append(
                            {
                                "measure": measure.name,
                                "family": measure.family,
                                "at": at,
                                "target": None if target is None else target.name,
                                "synthesis": label,
                                "population": populations[population],
                                "people": "control" if people.control else "original",
                                "weighted": weighted,
                                "numerator": shown[0],
                                "denominator": shown[1],
                                "value": shown[2],
                                "unit": measure.unit,
                            }
                        )
    return rows


def population_names(layout: Layout, door: Door) -> dict[int, str]:
    """The names of the populations by number, in the order of results; a column's levels are ``column=level``."""
    names = {number: "all" for number in [0] if "all" in layout.scenario.populations}
    for population in layout.populations:
        if population.column is None:
            names[population.number] = population.name
            continue
        codes = {int(code) for (code,) in door.ask(f"SELECT code FROM {table('levels', population.column)} WHERE n_orig > 0")}
        levels = level_names(population.column, codes, door)
        for code in sorted(codes):
            text = levels[code]
            names[population.number + code] = f"{population.name} missing" if text is None else f"{population.name}={text}"
    return names


def crowds(question: Question, measure: Measure, layout: Layout, populations: Mapping[int, str]) -> list[tuple[int, File, bool]]:
    """(population, people, weighted) of the rows that a measure has: one of synthetic records is of everybody alone."""
    parts = [question.catalog[name] for name in measure.parts] or [measure]
    weighted = layout.scenario.weights is not None and all(part.weighable for part in parts)
    of_people = all(part.of_people for part in parts)
    return [
        (population, people, by_weight)
        for population in populations
        for people in layout.people_files
        for by_weight in ([False, True] if weighted else [False])
        if (of_people or (population, people.control) == (0, False)) and (measure.knows_control or not people.control)
    ]


def _summaries(layout: Layout, people: File, door: Door) -> dict[tuple[object, ...], dict[str, Row]]:
    """Mean, min and max over the syntheses of each method that has several, for the people of one file."""
    summaries: dict[tuple[object, ...], dict[str, Row]] = {}
    for method in methods_of_several(layout):
        for name, at, target, population, weighted, *values in door.ask(result_queries.summary(layout, method, people)):
            each = summaries.setdefault((str(name), at, int(target), int(population), bool(weighted)), {})
            for word, value in zip(SUMMARIES, values, strict=True):
                each[f"{method} {word}".strip()] = (None, None, value)
    return summaries


def synthesis_labels(layout: Layout) -> list[str]:
    """Synthesis labels in the order of results."""
    labels: list[str] = []
    several = methods_of_several(layout)
    for method in dict.fromkeys(comparison.method for comparison in layout.of_original):
        members = [comparison for comparison in layout.of_original if comparison.method == method]
        labels += [comparison.label for comparison in members if comparison.single]
        labels += [f"{method} {word}".strip() for word in SUMMARIES if method in several]
        labels += [comparison.label for comparison in members if not comparison.single]
    return labels


def methods_of_several(layout: Layout) -> list[str]:
    """Methods with more than one synthesis."""
    return list(dict.fromkeys(comparison.method for comparison in layout.comparisons if not comparison.single))


def _numbers(measure: Measure, row: Row | None, *, whole: bool) -> Row:
    """Numerator, denominator and value; counts as whole numbers again (the results table holds them as DOUBLE).

    A population without people has no row: its sums are empty.
    """
    if row is None:
        empty = measure.stage != "results" and "value" not in measure.aggregates
        return (0, 0, None) if empty else (None, None, None)
    sides = dict(zip(("numerator", "denominator", "value"), row, strict=True))
    for side in (side for side in sides if whole and side in measure.aggregates):
        if sides[side] is not None and measure.counts(side):
            sides[side] = int(float(sides[side]))
    return sides["numerator"], sides["denominator"], sides["value"]


def overlap(layout: Layout, door: Door) -> Rows:
    """Classes and records on both sides and on one side only, by comparison."""
    names = (
        "classes_both", "classes_only_original", "classes_only_synthetic", "records_both", "records_only_original",
        "synthetic_records_both", "synthetic_records_only_synthetic",
    )  # fmt: skip
    sums = ", ".join(f"CAST(SUM({name}) AS BIGINT)" for name in names)
    found = {row[0]: row[1:] for row in door.ask(f"SELECT comparison, {sums} FROM overlap GROUP BY comparison")}
    return [
        {"synthesis": comparison.label, **dict(zip(names, found[comparison.number], strict=True))}
        for comparison in layout.of_original
    ]


def files(question: Question, layout: Layout, overlaps: Rows) -> tuple[dict[str, Any], Rows]:
    """What the report says of the original, and of each synthesis: source, records, classes."""
    rows = {row["synthesis"]: row for row in overlaps}
    first = overlaps[0]
    original = {
        "source": question.original.label,
        "records": layout.records[0],
        "classes": first["classes_both"] + first["classes_only_original"],
    }
    synthetic = [
        {
            "synthesis": synthesis.label,
            "source": synthesis.source.label,
            "records": count,
            "classes": rows[synthesis.label]["classes_both"] + rows[synthesis.label]["classes_only_synthetic"],
        }
        for synthesis, count in zip(question.syntheses, layout.records[1 : 1 + len(question.syntheses)], strict=True)
    ]
    return original, synthetic


def control(question: Question, layout: Layout, door: Door) -> dict[str, Any] | None:
    """What the report says of control: where the people come from, records, classes."""
    comparison = next((each for each in layout.comparisons if each.people.control), None)
    if comparison is None:
        return None
    ((classes,),) = door.ask(
        f"SELECT CAST(SUM(classes_both + classes_only_original) AS BIGINT) FROM overlap WHERE comparison = {comparison.number}"
    )
    source = question.original.label if question.control is None else question.control.label
    return {"source": source, "records": layout.records[-1], "classes": classes}


def checks(layout: Layout, door: Door) -> dict[str, Rows]:
    """The flagged rows of the one-way and two-way checks, with readable levels, by target, population and synthesis."""
    labels = {comparison.number: comparison.label for comparison in layout.of_original}
    order = {comparison.number: place for place, comparison in enumerate(layout.of_original)}
    populations = population_names(layout, door)
    places = {number: place for place, number in enumerate(populations)}
    found: dict[str, Rows] = {"one_way": [], "two_way": []}

    def named(population: int) -> dict[str, object]:
        return {"population": populations[population]} if layout.populations else {}

    for target in layout.targets:
        flagged = [row for row in door.ask(result_queries.one_way(layout, target)) if row[1] in populations]
        level = level_names(target, {int(row[2]) for row in flagged}, door)
        for number, population, code, records, percent, disclosed, level_disclosed, disclosed_percent in sorted(
            flagged, key=lambda row: (places[row[1]], order[row[0]], row[2])
        ):
            found["one_way"].append(
                {
                    "target": target.name,
                    "synthesis": labels[number],
                    **named(population),
                    "Level": level[int(code)],
                    "All": records,
                    "PctLevelAll": percent,
                    "totalDisclosive": int(disclosed),
                    "nLevelDis": int(level_disclosed),
                    "PctLevelDis": disclosed_percent,
                }
            )
        door.make([result_queries.pair(layout, target)])
        keys = {int(key) for (key,) in door.ask(f"SELECT DISTINCT key_number FROM {table('pairs', target)}")}
        pairs = [row for row in door.ask(result_queries.two_way(layout, target, keys)) if row[1] in populations] if keys else []
        level = level_names(target, {int(row[3]) for row in pairs}, door)
        key_places = {key.number: place for place, key in enumerate(layout.keys)}
        key_levels = {
            key.number: level_names(key, {int(row[4]) for row in pairs if row[2] == key.number}, door) for key in layout.keys
        }
        # Most people first; ties by key and level, so that no order of records shows.
        for number, population, key, code, key_code, npairs, both, total, percent in sorted(
            pairs, key=lambda row: (places[row[1]], order[row[0]], -int(row[5]), key_places[int(row[2])], row[3], row[4])
        ):
            found["two_way"].append(
                {
                    "target": target.name,
                    "synthesis": labels[number],
                    **named(population),
                    "target_level": level[int(code)],
                    "key": layout.keys[key_places[int(key)]].name,
                    "key_level": key_levels[int(key)][int(key_code)],
                    "npairs": int(npairs),
                    "key_target_total": int(both),
                    "key_total": int(total),
                    "PctTargetKeyLevel": percent,
                }
            )
    return found


def level_names(column: Column, codes: set[int], door: Door) -> dict[int, str | None]:
    """Return readable levels by code; the missing level is None."""
    if not codes:
        return {}
    chosen = ", ".join(str(code) for code in sorted(codes))
    rows = door.ask(
        f"SELECT code, value, low, high, closed FROM (\n{encoding.labels(column)}\n) AS labels WHERE code IN ({chosen})"
    )
    return {int(code): level_text(*rest) for code, *rest in rows}


def level_text(value: Any, low: Any = None, high: Any = None, closed: Any = None) -> str | None:
    """A level as a person reads it: ``Married``, ``[16,30)``; the last bin ``[30,97]``; None for the missing level."""
    if low is not None:
        ends = [f"{float(end):.8g}" for end in (low, high)]
        return ends[0] if ends[0] == ends[1] and closed else f"[{ends[0]},{ends[1]}{']' if closed else ')'}"
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        value += 0.0  # -0.0 and 0.0 are one level; which of them the engine kept must not show
    return str(value).lower() if isinstance(value, bool) else str(value)


def exclusions(layout: Layout, door: Door) -> Rows:
    """What is not counted, by reason; only reasons that took something out."""
    if not layout.scenario.excludes:
        return []
    rows = {
        tuple(row[:4]): row[4:]
        for row in door.ask(
            "SELECT target, comparison, reason, side, CAST(SUM(cells) AS BIGINT), CAST(SUM(records) AS BIGINT) FROM excluded "
            "GROUP BY target, comparison, reason, side"
        )
    }
    return [
        {
            "reason": reason,
            "target": target.name,
            "synthesis": comparison.label,
            "side": side,
            "cells": found[0],
            "records": found[1],
        }
        for target in layout.targets
        for comparison in layout.of_original
        for reason in result_queries.REASONS
        for side in ("original", "synthetic")
        if (found := rows.get((target.number, comparison.number, reason, side)))
    ]


def one_sided_levels(layout: Layout, door: Door) -> Rows:
    """How many levels of each column the original alone has, and each synthesis alone."""
    labels = {comparison.number: comparison.label for comparison in layout.singles}
    found = sorted(door.ask(result_queries.one_sided_levels(layout)), key=lambda row: (int(row[0]), int(row[1])))
    return [
        {
            "column": layout.columns[int(place)].name,
            "synthesis": labels[int(number)],
            "only_original": original,
            "only_synthetic": synthetic,
        }
        for place, number, original, synthetic in found
    ]
