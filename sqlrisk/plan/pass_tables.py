"""Steps that count one pass: classes, cells, populations, aligned records, nearest records."""

import textwrap
from collections.abc import Iterator

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.counted_measures import ledgers
from sqlrisk.plan.layout import EVERYBODY, Comparison, Layout
from sqlrisk.plan.steps import Step, person_columns, stage_names


def classes(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """One row per class."""
    sql = templates.stage("stages/classes.sql", **stage_names(layout), turn=turn)
    return Step("classes", "classes", sql, temporary=True)


def members(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """The records of a pass with the counts of their class."""
    sql = templates.stage(
        "stages/members.sql",
        **stage_names(layout),
        targets=layout.targets,
        persons=person_columns(layout),
        numbered=layout.files[0].record is not None,
        id=layout.scenario.id,
        classes="classes",
        turn=turn,
    )
    return Step("classes", "members", sql, temporary=True)


def cells(layout: Layout, target: Column) -> Step:
    """One row per cell of a target."""
    sql = templates.stage("stages/cells.sql", **stage_names(layout), target=target, members="members")
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def cell_counts(layout: Layout, target: Column, turn: Pass = EVERY_CLASS) -> Step:
    """The records of every file by class and level, before anything is known of the classes."""
    sql = templates.stage("stages/cell_counts.sql", **stage_names(layout), target=target, turn=turn)
    return Step("classes", "cell_counts", sql, temporary=True)


def summed_classes(layout: Layout) -> Step:
    """The classes of one pass from the counts of its cells."""
    sql = templates.stage("stages/summed_classes.sql", **stage_names(layout), cell_counts="cell_counts")
    return Step("classes", "classes", sql, temporary=True)


def joined_cells(layout: Layout, target: Column, *, counted: bool) -> Step:
    """The cells where no members are made, from ``counted`` cells or in one pass from records."""
    query = textwrap.indent(cell_counts(layout, target).sql, "    ")
    names = {"cell_counts": "cell_counts" if counted else f"(\n{query}\n)", "classes": "classes"}
    sql = templates.stage("stages/joined_cells.sql", **stage_names(layout), **names, target=target)
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def crowds(layout: Layout, target: Column | None = None) -> Step:
    """Who is counted of each population, and what they weigh: in the classes, or in the cells of a target."""
    weighted = layout.scenario.weights is not None
    sql = templates.stage(
        "stages/crowds.sql",
        limbs=layout.limbs,
        members="members",
        files=layout.people_files,
        populations=(*((EVERYBODY,) if weighted else ()), *layout.populations),
        target=target,
        weights=weighted,
        held=(),
    )
    return Step("populations", table("crowds", target), sql, temporary=True)


def candidates(layout: Layout) -> Iterator[Step]:
    """Which records of aligned files are in the classes of a pass, and with populations or weights the people among them."""
    persons = person_columns(layout)
    original, *_ = layout.files
    names = {"limbs": layout.limbs, "class_key": layout.class_key}
    sql = templates.stage(
        "stages/candidates.sql", **names, original=original, syntheses=layout.syntheses, persons=persons, members="members"
    )
    yield Step("matches", "candidates", sql, temporary=True)
    if len(ledgers(layout)) > 1:
        weighted = layout.scenario.weights is not None
        sql = templates.stage(
            "stages/crowds.sql",
            limbs=layout.limbs,
            members="candidates",
            files=(original,),
            populations=(*((EVERYBODY,) if weighted else ()), *layout.populations),
            target=None,
            weights=weighted,
            held=[file.held for file in layout.syntheses],
        )
        yield Step("matches", "crowds_candidates", sql, temporary=True)


def near_cells(
    layout: Layout, comparison: Comparison, target: Column, turn: Pass = EVERY_CLASS, *, every_level: bool = True
) -> Step:
    """The cells of people with the synthetic records nearest to them; ``every_level``: also at levels that their class lacks."""
    sql = templates.stage(
        "stages/near_cells.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        people_files=layout.people_files,
        cells=table("cells", target),
        classes="classes",
        neighbours=neighbours(layout, comparison, target),
        every_level=every_level,
        turn=turn,
    )
    return Step(f"neighbours of {target.name}", table("near_cells", target), sql, temporary=True)


def neighbours(layout: Layout, comparison: Comparison, target: Column) -> str:
    """The table of the synthetic records nearest to classes that have none with their keys; control has that of the original."""
    first = next(each for each in layout.of_original if each.members == comparison.members)
    return table(f"neighbours_{first.number}", target)


def within_counts(layout: Layout, target: Column) -> Iterator[Step]:
    """What a pass counts once for all comparisons of a target with a tolerance: records near each cell, extents of classes."""
    names = {
        "files": layout.files,
        "limbs": layout.limbs,
        "class_key": layout.class_key,
        "comparisons": layout.of_original,
        "cells": table("cells", target),
        "reaches": table("reaches", target),
    }
    for stage in ("within_counts", "extents"):
        yield Step(
            f"cells of {target.name}", table(stage, target), templates.stage(f"stages/{stage}.sql", **names), temporary=True
        )
