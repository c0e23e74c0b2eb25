"""What a report says beside its results: files, overlap, checks, exclusions, levels, read back from the engine."""

from typing import Any

from sqlrisk.analyses.level_names import level_names, population_names
from sqlrisk.analyses.preparation.files import sources_of
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.inputs.request import Question
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import table
from sqlrisk.plan.layout import Layout


def overlap(layout: Layout, session: Session) -> Rows:
    """Read classes and records on both sides and on one side only, by comparison."""
    names = (
        "classes_both", "classes_only_original", "classes_only_synthetic", "records_both", "records_only_original",
        "synthetic_records_both", "synthetic_records_only_synthetic",
    )  # fmt: skip
    sums = ", ".join(f"CAST(SUM({name}) AS BIGINT)" for name in names)
    found = {row[0]: row[1:] for row in session.fetch(f"SELECT comparison, {sums} FROM overlap GROUP BY comparison")}
    return [
        {"synthesis": comparison.label, **dict(zip(names, found[comparison.number], strict=True))}
        for comparison in layout.of_original
    ]


def files(question: Question, layout: Layout, overlaps: Rows) -> tuple[dict[str, Any], Rows]:
    """Describe the original, and each synthesis: source, records, classes."""
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


def control(question: Question, layout: Layout, session: Session) -> dict[str, Any] | None:
    """Describe control: where the people come from, records, classes."""
    comparison = next((each for each in layout.comparisons if each.people.control), None)
    if comparison is None:
        return None
    classes = session.number(
        f"SELECT CAST(SUM(classes_both + classes_only_original) AS BIGINT) FROM overlap WHERE comparison = {comparison.number}"
    )
    return {"source": sources_of(question, layout)[-1].label, "records": layout.records[-1], "classes": classes}


def checks(layout: Layout, session: Session) -> dict[str, Rows]:
    """Read the flagged rows of the one-way and two-way checks, with readable levels, by target, population and synthesis."""
    labels = {comparison.number: comparison.label for comparison in layout.of_original}
    order = {comparison.number: place for place, comparison in enumerate(layout.of_original)}
    populations = population_names(layout, session)
    places = {number: place for place, number in enumerate(populations)}
    found: dict[str, Rows] = {"one_way": [], "two_way": []}

    def named(population: int) -> dict[str, object]:
        return {"population": populations[population]} if layout.populations else {}

    for target in layout.targets:
        flagged = [row for row in session.fetch(result_queries.one_way(layout, target)) if row[1] in populations]
        level = level_names(target, {int(row[2]) for row in flagged}, session)
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
        session.create([result_queries.pair(layout, target)])
        keys = {int(key) for (key,) in session.fetch(f"SELECT DISTINCT key_number FROM {table('pairs', target)}")}
        pairs = (
            [row for row in session.fetch(result_queries.two_way(layout, target, keys)) if row[1] in populations] if keys else []
        )
        level = level_names(target, {int(row[3]) for row in pairs}, session)
        key_places = {key.number: place for place, key in enumerate(layout.keys)}
        key_levels = {
            key.number: level_names(key, {int(row[4]) for row in pairs if row[2] == key.number}, session) for key in layout.keys
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


def exclusions(layout: Layout, session: Session) -> Rows:
    """Read what is not counted, by reason; only reasons that took something out."""
    if not layout.scenario.excludes:
        return []
    rows = {
        tuple(row[:4]): row[4:]
        for row in session.fetch(
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


def one_sided_levels(layout: Layout, session: Session) -> Rows:
    """Read how many levels of each column the original alone has, and each synthesis alone."""
    labels = {comparison.number: comparison.label for comparison in layout.singles}
    found = sorted(session.fetch(result_queries.one_sided_levels(layout)), key=lambda row: (int(row[0]), int(row[1])))
    return [
        {
            "column": layout.columns[int(place)].name,
            "synthesis": labels[int(number)],
            "only_original": original,
            "only_synthetic": synthetic,
        }
        for place, number, original, synthetic in found
    ]
