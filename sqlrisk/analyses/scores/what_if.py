"""Counts for the what-if part of an internal page, which recomputes numbers after coarser recodes:
every cell of each target by its keys. Disclosive.
"""

from collections.abc import Sequence
from typing import Any

from sqlrisk.analyses.level_names import level_names
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.inputs import datatypes
from sqlrisk.plan.class_key import PackedKey
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Layout
from sqlrisk.report.html.cube import CELLS, Cube, left_out
from sqlrisk.report.wording import MISSING, shown, synthesis_name


def count(layout: Layout, session: Session, passes: int) -> Cube:
    """Read the cells of each target of a finished run, or the classes if no target has cells.

    ``passes`` is the number of passes of the run. If the page cannot recompute the numbers from
    counts, return a cube without counts that gives the reason.
    """
    scenario = layout.scenario
    if passes > 1:
        return left_out("the records are counted in several passes")
    if scenario.exclude_pair or scenario.max_cell or scenario.max_cell_syn or layout.missing_keys:
        return left_out("it cannot recompute the exclusion of pairs, missing keys or large cells")
    targets: list[Column | None] = [
        target for target in layout.targets if table("cells", target) in session.tables
    ]
    of_classes = not targets
    targets = targets or [None]
    sizes = [session.fetch(f"SELECT COUNT(*) FROM {_counted(target)}") for target in targets]
    if sum(int(size) for ((size,),) in sizes) > CELLS:  # checked before any cell is read
        return left_out(f"it would need more than {CELLS:,} cells")
    parts = [next(part for part in layout.parts if part.column is key) for key in layout.keys]
    read = [_cells(layout, parts, target, session) for target in targets]
    codes = [sorted({code for cells in read for code in cells[key]}) for key in range(len(parts))]
    packed: list[dict[str, Any]] = []
    for target, cells in zip(targets, read, strict=True):
        levels = sorted({*cells[len(parts)]})
        places = [{code: place for place, code in enumerate(each)} for each in (*codes, levels)]
        for column, place in enumerate(places):
            cells[column] = [place[code] for code in cells[column]]
        packed.append({"cells": cells} | _target(layout, target, levels, session))
    counts = {
        "keys": [
            _key(part.column, found, session) for part, found in zip(parts, codes, strict=True)
        ],
        "files": [synthesis_name(each.label) for each in layout.singles],
        "people": layout.records[0],
        **({"targets": [], "classes": packed[0]["cells"]} if of_classes else {"targets": packed}),
    }
    return Cube(counts, sum(len(cells[0]) for cells in read)).fitting()


def _cells(
    layout: Layout, parts: Sequence[PackedKey], target: Column | None, session: Session
) -> list[list[int]]:
    """Read the columns of cells: the code of each key, the level, and the records of the original
    and of each synthesis. Cells are in the order of keys and level.
    """
    sql = templates.stage(
        "tables/cube.sql",
        digits=[part.digit_of("counted") for part in parts],
        level="0" if target is None else "level_code",
        files=[layout.files[0], *(each.members[0] for each in layout.singles)],
        counted=_counted(target),
    )
    # A cell whose records are all in control or the universe is dropped.
    rows = sorted(row for row in session.fetch(sql) if any(row[len(parts) + 1 :]))
    columns = [[*map(int, column)] for column in zip(*rows, strict=True)]
    digits = [
        [digit // part.stride for digit in column]
        for part, column in zip(parts, columns, strict=False)
    ]
    return [*digits, *columns[len(parts) :]]


def _counted(target: Column | None) -> str:
    return "classes" if target is None else table("cells", target)


def _key(column: Column, codes: Sequence[int], session: Session) -> dict[str, Any]:
    """Return the levels of a key in the order of their codes, and how the page may coarsen the key:
    ``width``, ``rare`` or not at all.
    """
    names = level_names(column, set(codes), session)
    levels = [names[code] for code in codes]
    plain = column.bins is None and column.tolerance is None
    whole = (
        column.recode is None
        and not column.labels
        and column.type is not None
        and datatypes.is_whole(column.type)
    )
    rare = plain and (column.recode is None or column.recode.rare is None)
    return _levels(column.name, levels) | {
        "coarsen": "width" if plain and whole else "rare" if rare else ""
    }


def _target(
    layout: Layout, column: Column | None, codes: Sequence[int], session: Session
) -> dict[str, Any]:
    """Return the levels of a target, marking the excluded ones. Return an empty result without a
    target.
    """
    if column is None:
        return {}
    names = level_names(column, set(codes), session)
    chosen = session.fetch(
        f"SELECT level_code FROM {table('marginals', column)} WHERE excluded_level = 1"
    )
    left = {int(code) for (code,) in chosen} | (
        {0} if column.name in layout.scenario.exclude_missing else set()
    )
    return _levels(column.name, [names[code] for code in codes]) | {
        "excluded": [place for place, code in enumerate(codes) if code in left]
    }


def _levels(name: str, levels: Sequence[str | None]) -> dict[str, Any]:
    return {
        "name": shown(name),
        "levels": [MISSING if level is None else shown(level) for level in levels],
        "missing": levels.index(None) if None in levels else None,
    }
