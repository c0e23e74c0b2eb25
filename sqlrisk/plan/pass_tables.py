"""Steps that count one pass: classes, cells, populations, aligned records, nearest records."""

from collections.abc import Iterator, Mapping, Sequence

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import EVERY_CLASS, Pass
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import EVERYBODY, Comparison, Layout, Population
from sqlrisk.plan.steps import Step, identifiers, person_columns, stage_names


def classes(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """One row per class."""
    sql = templates.stage("stages/classes/classes.sql", **stage_names(layout), turn=turn)
    return Step("classes", "classes", sql, temporary=True)


def members(layout: Layout, turn: Pass = EVERY_CLASS) -> Step:
    """The records of a pass with the counts of their class."""
    sql = templates.stage(
        "stages/classes/members.sql",
        **stage_names(layout),
        targets=layout.targets,
        persons=person_columns(layout),
        identifiers=identifiers(layout),
        classes="classes",
        turn=turn,
    )
    return Step("classes", "members", sql, temporary=True)


def cells(layout: Layout, target: Column) -> Step:
    """One row per cell of a target."""
    sql = templates.stage("stages/classes/cells.sql", **stage_names(layout), target=target, members="members")
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def cell_counts(layout: Layout, target: Column, turn: Pass = EVERY_CLASS) -> Step:
    """The records of every file by class and level, before anything is known of the classes."""
    return Step("classes", "cell_counts", _cell_counts(layout, target, turn), temporary=True)


def _cell_counts(layout: Layout, target: Column, turn: Pass) -> str:
    return templates.stage("stages/classes/cell_counts.sql", **stage_names(layout), target=target, turn=turn)


def summed_classes(layout: Layout) -> Step:
    """The classes of one pass from the counts of its cells."""
    sql = templates.stage("stages/classes/summed_classes.sql", **stage_names(layout), cell_counts="cell_counts")
    return Step("classes", "classes", sql, temporary=True)


def joined_cells(layout: Layout, target: Column, *, counted: bool) -> Step:
    """The cells where no members are made, from ``counted`` cells or in one pass from records."""
    query = "cell_counts" if counted else templates.nested(_cell_counts(layout, target, EVERY_CLASS))
    names = {"cell_counts": query, "classes": "classes"}
    sql = templates.stage("stages/classes/joined_cells.sql", **stage_names(layout), **names, target=target)
    return Step(f"cells of {target.name}", table("cells", target), sql, temporary=True)


def count_populations(layout: Layout, target: Column | None = None) -> Step:
    """Who is counted of each population, and what they weigh: in the classes, or in the cells of a target."""
    by = {} if target is None else {"level_code": target.id}
    people = [(file, f"members.file = {file.number}") for file in layout.people_files]
    return Step(
        "populations", table("population_counts", target), _count_populations(layout, "members", people, by), temporary=True
    )


def candidates(layout: Layout) -> Iterator[Step]:
    """Which records of aligned files are in the classes of a pass, and with populations or weights the people among them."""
    persons = person_columns(layout)
    original, *_ = layout.files
    names = {"limbs": layout.limbs, "class_key": layout.class_key}
    sql = templates.stage(
        "stages/aligned/candidates.sql",
        **names,
        original=original,
        syntheses=layout.syntheses,
        persons=persons,
        members="members",
    )
    yield Step("matches", "candidates", sql, temporary=True)
    if not layout.counts.of_everybody_alone:
        held = {file.held: file.held for file in layout.syntheses}
        sql = _count_populations(layout, "candidates", [(original, "members.person = 1")], held)
        yield Step("matches", "candidate_counts", sql, temporary=True)


def _count_populations(
    layout: Layout, members: str, people: Sequence[tuple[File, str]], by: Mapping[str, str]
) -> templates.Query:
    """The query of who is counted of each population. ``people``: files, each with the condition on its people."""
    weighted = layout.scenario.weights is not None
    return templates.union_all(
        templates.stage(
            "stages/classes/population_counts.sql",
            limbs=layout.limbs,
            people_file=file,
            population=f"{population.number} + members.{population.flag}" if population.kind == "level" else population.number,
            members=members,
            special=f"special_{file.number}" if population.kind == "special" else "",
            conditions=[condition, *_who_is_of(population, file)],
            by=by,
            grouped=[*by.values(), *([population.flag] if population.kind == "level" else [])],
            weights=weighted,
        )
        for population in (*((EVERYBODY,) if weighted else ()), *layout.populations)
        for file, condition in people
    )


def _who_is_of(population: Population, file: File) -> list[str]:
    """Condition on a person of a file: it belongs to a population. Everybody does; special uniques are found by a join."""
    if population.kind == "uniques":
        return [f"members.{file.count_class} = 1"]
    return [f"members.{population.flag} = 1"] if population.kind == "condition" else []


def near_cells(
    layout: Layout, comparison: Comparison, target: Column, turn: Pass = EVERY_CLASS, *, every_level: bool = True
) -> Iterator[Step]:
    """The cells of people with the synthetic records nearest to them; ``every_level``: also at levels that their class lacks."""
    for stage in ("same_key_cells", "near_key_levels" if every_level else "near_key_cells"):
        sql = templates.stage(
            f"stages/nearest/{stage}.sql",
            class_key=layout.class_key,
            limbs=layout.limbs,
            comparison=comparison,
            people_files=layout.people_files,
            cells=table("cells", target),
            classes="classes",
            neighbours=neighbours(layout, comparison, target),
            turn=turn,
        )
        adds = stage != "same_key_cells"
        yield Step(f"neighbours of {target.name}", table("near_cells", target), sql, temporary=True, adds=adds)


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
            f"cells of {target.name}",
            table(stage, target),
            templates.stage(f"stages/tolerance/{stage}.sql", **names),
            temporary=True,
        )
