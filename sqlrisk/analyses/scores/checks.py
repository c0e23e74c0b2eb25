"""Read the parts of a report other than its results: files, overlap, checks, exclusions and levels
that occur on one side only.
"""

from collections.abc import Collection
from typing import Any

from sqlrisk.analyses.level_names import level_names, population_names
from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.engines.engine import SqlRow
from sqlrisk.inputs.request import Question
from sqlrisk.plan import result_queries
from sqlrisk.plan.columns import Column
from sqlrisk.plan.layout import Layout

OVERLAP = (
    "classes_both", "classes_only_original", "classes_only_synthetic", "records_both",
    "records_only_original", "synthetic_records_both", "synthetic_records_only_synthetic",
)  # fmt: skip
# The counts of sql/tables/one_way.sql and two_way.sql, with synthpop's names.
ONE_WAY = ("All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
TWO_WAY = ("npairs", "key_target_total", "key_total", "PctTargetKeyLevel")


def overlap(layout: Layout, session: Session) -> Rows:
    """Count the classes and records that occur on both sides, and on one side only, by
    comparison.
    """
    sums = ", ".join(f"CAST(SUM({name}) AS BIGINT)" for name in OVERLAP)
    found = {
        row[0]: row[1:]
        for row in session.fetch(f"SELECT comparison, {sums} FROM overlap GROUP BY comparison")
    }
    return [
        {"synthesis": each.label, **dict(zip(OVERLAP, found[each.number], strict=True))}
        for each in layout.of_original
    ]


def files(
    question: Question, layout: Layout, overlaps: Rows, session: Session
) -> tuple[dict[str, Any], Rows]:
    """Describe the original and each synthesis: source, records, classes if there are keys, and the
    parts of the file that were not read.

    ``overlaps`` are the rows of `overlap`. Returns (original, list of syntheses).
    """
    left_out = session.engine.left_out
    classes = {
        row["synthesis"]: {"classes": row["classes_both"] + row["classes_only_synthetic"]}
        for row in overlaps
    }
    own = (
        {"classes": overlaps[0]["classes_both"] + overlaps[0]["classes_only_original"]}
        if overlaps
        else {}
    )
    original = {
        "source": question.original.label,
        "records": layout.records[0],
        **own,
        **left_out(question.original),
    }
    synthetic = [
        {
            "synthesis": each.label,
            "source": each.source.label,
            "records": count,
            **classes.get(each.label, {}),
        }
        | dict(left_out(each.source))
        for each, count in zip(question.syntheses, layout.records[1:], strict=False)
    ]
    return original, synthetic


def control(layout: Layout, session: Session) -> dict[str, Any] | None:
    """Describe control: its source, records, classes, and the parts that were not read. None if
    there is no control.
    """
    comparison = next((each for each in layout.comparisons if each.people.control), None)
    if comparison is None:
        return None
    classes = (
        "SELECT CAST(SUM(classes_both + classes_only_original) AS BIGINT) FROM overlap "
        "WHERE comparison"
    )
    source = layout.sources[-1]
    described = {
        "source": source.label,
        "records": layout.records[-1],
        **session.engine.left_out(source),
    }
    return {**described, "classes": session.number(f"{classes} = {comparison.number}")}


def universe(layout: Layout, session: Session) -> dict[str, Any] | None:
    """Describe the universe: its source, records, and the parts that were not read. None if there
    is no universe.
    """
    if layout.universe is None:
        return None
    source = layout.sources[layout.universe.number]
    return {
        "source": source.label,
        "records": layout.records[layout.universe.number],
        **session.engine.left_out(source),
    }


def checks(layout: Layout, session: Session, *, cells: bool) -> dict[str, Rows]:
    """Read the rows that the one-way and two-way checks flag, with readable levels.

    Rows are sorted by target, population and synthesis. ``cells`` is True if one pass counted all
    records, so that the tables of cells still exist.
    """
    labels = {comparison.number: comparison.label for comparison in layout.of_original}
    populations = population_names(layout, session)
    numbers, places = list(labels), list(populations)
    keys = {key.number: key for key in layout.keys}
    found: dict[str, Rows] = {"one_way": [], "two_way": []}

    def place(row: SqlRow) -> tuple[int, int]:
        return places.index(row[1]), numbers.index(row[0])

    def about(target: Column, number: int, population: int) -> dict[str, object]:
        named = {"population": populations[population]} if layout.populations else {}
        return {"target": target.name, "synthesis": labels[number], **named}

    flagged = _flagged(layout, session, populations, cells=cells)
    codes: dict[str, set[int]] = {column.id: set() for column in layout.columns}
    for target, levels, pairs in flagged:
        codes[target.id] |= {row[2] for row in levels} | {row[3] for row in pairs}
        for _, _, key, _, key_code, *_ in pairs:
            codes[keys[key].id].add(key_code)
    text = {column.id: level_names(column, codes[column.id], session) for column in layout.columns}
    for target, levels, pairs in flagged:
        for number, population, code, *counts in sorted(
            levels, key=lambda row: (place(row), row[2])
        ):
            row = about(target, number, population) | {"Level": text[target.id][code]}
            found["one_way"].append(row | dict(zip(ONE_WAY, counts, strict=True)))
        # Most people first. Ties are sorted by key and level, so the order of records never shows.
        pairs.sort(key=lambda row: (place(row), -row[5], row[2:5]))
        for number, population, key, code, key_code, *counts in pairs:
            row = about(target, number, population) | {"target_level": text[target.id][code]}
            row |= {"key": keys[key].name, "key_level": text[keys[key].id][key_code]}
            found["two_way"].append(row | dict(zip(TWO_WAY, counts, strict=True)))
    return found


def _flagged(
    layout: Layout, session: Session, populations: Collection[int], *, cells: bool
) -> list[tuple[Column, list[SqlRow], list[SqlRow]]]:
    """Return each target with the rows that its one-way and its two-way check flag, of these
    populations. ``cells`` is as for ``result_queries.two_way``.
    """
    if not layout.counted_targets:
        return []
    session.create([result_queries.one_way_candidates(layout), result_queries.pairs(layout)])
    # Most targets have no candidates. They need no query of their own.
    alone = {
        number for (number,) in session.fetch("SELECT DISTINCT target FROM one_way_candidates")
    }
    keys: dict[int, set[int]] = {}  # target number -> numbers of the keys in its pairs
    for number, key in session.fetch("SELECT DISTINCT target, key_number FROM pairs"):
        keys.setdefault(number, set()).add(key)

    def known(query: str) -> list[SqlRow]:
        return [row for row in session.fetch(query) if row[1] in populations]

    return [
        (
            target,
            known(result_queries.one_way(layout, target)) if target.number in alone else [],
            known(result_queries.two_way(layout, target, keys[target.number], cells=cells))
            if target.number in keys
            else [],
        )
        for target in layout.counted_targets
    ]


def exclusions(layout: Layout, session: Session) -> Rows:
    """Count the excluded cells and records by reason, target, synthesis and side. Reasons that
    excluded nothing have no row.
    """
    if not layout.scenario.excludes or not layout.counted_targets:
        return []
    place, sums = (
        "target, comparison, reason, side",
        "CAST(SUM(cells) AS BIGINT), CAST(SUM(records) AS BIGINT)",
    )
    found = session.fetch(f"SELECT {place}, {sums} FROM excluded GROUP BY {place}")
    rows = {tuple(row[:4]): row[4:] for row in found}
    return [
        {
            "reason": reason,
            "target": target.name,
            "synthesis": each.label,
            "side": side,
            "cells": row[0],
            "records": row[1],
        }
        for target in layout.counted_targets
        for each in layout.of_original
        for reason in result_queries.REASONS
        for side in ("original", "synthetic")
        if (row := rows.get((target.number, each.number, reason, side)))
    ]


def one_sided_levels(layout: Layout, session: Session) -> Rows:
    """Count the levels of each column that occur only in the original, and only in each
    synthesis.
    """
    labels = {comparison.number: comparison.label for comparison in layout.singles}
    return [
        {
            "column": layout.columns[place].name,
            "synthesis": labels[number],
            "only_original": own,
            "only_synthetic": synthetic,
        }
        for place, number, own, synthetic in sorted(
            session.fetch(result_queries.one_sided_levels(layout))
        )
    ]
