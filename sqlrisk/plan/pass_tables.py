"""Steps that count one pass: classes, cells, populations, aligned records, nearest records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.plan.class_key import EVERY_CLASS, KeyRange
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.encoding import tolerance_intervals
from sqlrisk.plan.layout import EVERYBODY, Comparison, Layout, Population
from sqlrisk.plan.steps import Step, in_pass
from sqlrisk.plan.subsets.nearness import EQUAL, REACHED, Nearness
from sqlrisk.plan.subsets.supersets import Superset

WHOLE = "every_class"  # the classes of all passes


def classes(layout: Layout, key_range: KeyRange = EVERY_CLASS) -> Step:
    """Make the classes of a pass, with one row for each class."""
    names = {**_of_pass(layout, key_range), "files": layout.files}
    return in_pass("classes", "classes", "stages/classes/classes.sql", **names)


def every_class(layout: Layout, passes: Sequence[KeyRange] = (EVERY_CLASS,)) -> Iterator[Step]:
    """Make a table of the classes of all passes, for searches by only some of the keys. Classes
    that agree on these keys may be in different passes.
    """
    for key_range in passes:
        yield classes(layout, key_range)
        yield replace(kept_classes(layout, "classes"), table=WHOLE, in_memory=False)


def kept_classes(layout: Layout, counted: str, key_range: KeyRange = EVERY_CLASS) -> Step:
    """Copy the classes of a pass from a table of counted classes."""
    names = {**layout.names, "counted": counted, "key_range": key_range, "of_target": False}
    return in_pass("classes", "classes", "stages/classes/superset.sql", **names)


def _of_pass(layout: Layout, key_range: KeyRange) -> dict[str, Any]:
    """Return the names for a stage that reads the records of a pass."""
    return {**layout.names, "records": key_range.records, "key_range": key_range}


def _counted(layout: Layout, table: str = "") -> str:
    """Return the condition that a record's file has targets. Empty if all files have targets."""
    return f"{table}file <> {layout.universe.number}" if layout.universe else ""


def members(
    layout: Layout, key_range: KeyRange = EVERY_CLASS, targets: Sequence[Column] | None = None
) -> Step:
    """Make the table of the records of a pass with the counts of their class and the levels of
    ``targets``.
    """
    return in_pass(
        "classes",
        "members",
        "stages/classes/members.sql",
        **_of_pass(layout, key_range),
        counted=_counted(layout, "records."),
        targets=layout.targets if targets is None else targets,
        persons=layout.person_columns,
        identifiers=layout.identifiers,
        classes="classes",
    )


def near_classes(layout: Layout, key_range: KeyRange = EVERY_CLASS) -> Step:
    """Make the table of the whole rows of a pass with the radius of the nearest row of each
    file.
    """
    names = {
        **layout.names,
        "key_range": key_range,
        "classes": "classes",
        "row_radii": "row_radii",
        "beyond": layout.row_radius + 1,
    }
    return in_pass("classes", "near_classes", "stages/whole_rows/near_classes.sql", **names)


def cells(layout: Layout, target: Column) -> Step:
    """Make the cells of a target, one row per cell."""
    names = {**layout.names, "target": target, "members": "members"}
    return in_pass(
        f"cells of {target.name}", table("cells", target), "stages/classes/cells.sql", **names
    )


def cell_counts(layout: Layout, target: Column, key_range: KeyRange = EVERY_CLASS) -> Step:
    """Count the records of every file by class and level, before the classes are counted."""
    names = {**_of_pass(layout, key_range), "target": target, "counted": _counted(layout)}
    return in_pass("classes", "cell_counts", "stages/classes/cell_counts.sql", **names)


def summed_classes(layout: Layout) -> Step:
    """Sum the classes of a pass from the counts of its cells."""
    return in_pass(
        "classes",
        "classes",
        "stages/classes/summed_classes.sql",
        **layout.names,
        cell_counts="cell_counts",
    )


def merged_classes(layout: Layout, superset: Superset) -> Step:
    """Sum the classes of a subset of keys from the classes of a superset."""
    return replace(Step("classes", "classes", superset.merged(layout)), in_memory=True)


def windowed_cells(layout: Layout, target: Column, key_range: KeyRange = EVERY_CLASS) -> Step:
    """Make the cells of a target directly from the records. Window functions add the sums of their
    classes.
    """
    names = {
        **layout.names,
        "cell_counts": templates.nested(cell_counts(layout, target, key_range).sql),
    }
    return in_pass(
        f"cells of {target.name}",
        table("cells", target),
        "stages/classes/windowed_cells.sql",
        **names,
    )


def classes_of_cells(layout: Layout, target: Column) -> Step:
    """Read the classes of a pass from the windowed cells of a target."""
    names = {**layout.names, "cells": table("cells", target)}
    return in_pass("classes", "classes", "stages/classes/classes_of_cells.sql", **names)


def joined_cells(layout: Layout, target: Column, superset: Superset | None) -> Step:
    """Make cells without a table of members, from counted cells or from the cells of a superset."""
    counts = templates.nested(superset.merged(layout, target)) if superset else "cell_counts"
    names = {**layout.names, "cell_counts": counts, "classes": "classes"}
    return in_pass(
        f"cells of {target.name}",
        table("cells", target),
        "stages/classes/joined_cells.sql",
        **names,
    )


def count_populations(layout: Layout, target: Column | None = None) -> Step:
    """Count the people of each population, and their weight, in the classes or in a target's
    cells.
    """
    by = {} if target is None else {"level_code": target.id}
    people = [(file, f"members.file = {file.number}") for file in layout.people_files]
    sql = _count_populations(layout, "members", people, by)
    return Step("populations", table("population_counts", target), sql, in_memory=True)


def candidates(layout: Layout) -> Iterator[Step]:
    """Find the records of aligned files that are in the classes of a pass.

    With populations or weights, also count the people among them.
    """
    original = layout.files[0]
    yield in_pass(
        "matches",
        "candidates",
        "stages/aligned/candidates.sql",
        **layout.names,
        original=original,
        syntheses=layout.syntheses,
        persons=layout.person_columns,
        members="members",
    )
    if not layout.counts.of_everybody_alone:
        held = {file.held: file.held for file in layout.syntheses}
        sql = _count_populations(layout, "candidates", [(original, "members.person = 1")], held)
        yield Step("matches", "candidate_counts", sql, in_memory=True)


def _count_populations(
    layout: Layout, members: str, people: Sequence[tuple[File, str]], by: Mapping[str, str]
) -> templates.Query:
    """Return the query that counts the people of each population by class, and by the further
    columns in ``by`` (name -> SQL).

    ``people`` are the files to count, each with a condition on its records.
    """
    weighted = layout.scenario.weights is not None
    return templates.union_all(
        templates.stage(
            "stages/classes/population_counts.sql",
            key_columns=layout.key_columns,
            people_file=file,
            population=f"{population.number} + members.{population.flag}"
            if population.kind == "level"
            else population.number,
            members=members,
            special=f"special_{file.number}" if population.kind == "special" else "",
            conditions=[condition, *_membership(population, file)],
            by=by,
            grouped=[*by.values(), *([population.flag] if population.kind == "level" else [])],
            weights=weighted,
        )
        for population in (*((EVERYBODY,) if weighted else ()), *layout.populations)
        for file, condition in people
    )


def _membership(population: Population, file: File) -> list[str]:
    """Return the condition that a person of a file is in a population, as a list of at most one.

    It is empty for all people, for the populations of levels (found by grouping), and for special
    uniques (found by a join).
    """
    tests = {
        "uniques": f"members.{file.count_class} = 1",
        "condition": f"members.{population.flag} = 1",
    }
    return [tests[population.kind]] if population.kind in tests else []


def near_cells(
    layout: Layout,
    comparison: Comparison,
    target: Column,
    key_range: KeyRange = EVERY_CLASS,
    *,
    nearness: Nearness = EQUAL,
    every_level: bool = True,
) -> Iterator[Step]:
    """Join the cells of people with their nearest synthetic records.

    With ``every_level`` also include levels that a class lacks.
    """
    reached = nearness == REACHED
    for stage in ("same_key_cells", "near_key_levels" if every_level else "near_key_cells"):
        step = in_pass(
            f"neighbours of {target.name}",
            table("near_cells", target),
            f"stages/nearest/{stage}.sql",
            **layout.names,
            comparison=comparison,
            synthetic=within_reach(comparison.members) if reached else comparison.members,
            people_files=layout.people_files,
            cells=table("cells", target),
            found_cells=table("reached_cells" if reached else "cells", target),
            classes="classes",
            neighbours=nearness.neighbours(layout, comparison, target),
            key_range=key_range,
        )
        yield replace(step, adds=stage != "same_key_cells")


def within_reach(members: Iterable[File], *, of_class: bool = False) -> list[Mapping[str, str]]:
    """For each file, name the columns that count its records within the tolerance of a cell or
    class.
    """
    return [
        {
            "count": f"reached_{file.count_class if of_class else file.count}",
            "count_class": f"reached_{file.count_class}",
            "times": file.times,
        }
        for file in members
    ]


def within_counts(layout: Layout, target: Column) -> Iterator[Step]:
    """Count the records within the tolerance of each cell of a target. Find the lowest and highest
    number in each class, among its people and among the synthetic records of each comparison.

    Done once per pass, for all comparisons.
    """
    tables = {
        "cells": table("cells", target),
        "tolerance_intervals": table("tolerance_intervals", target),
    }
    for stage in ("within_counts", "class_ranges"):
        names = {**layout.names, **tables, "comparisons": layout.of_original}
        yield in_pass(
            f"cells of {target.name}",
            table(stage, target),
            f"stages/tolerance/{stage}.sql",
            **names,
        )


def reached_classes(layout: Layout) -> Step:
    """Make the classes of people with the number of records within the tolerance of the keys, from
    the classes of the pass.
    """
    names = _reached(layout, "classes")
    return in_pass(
        "classes",
        "reached_classes",
        "stages/near_keys/reached_classes.sql",
        **names,
        classes="classes",
    )


def reached_cells(layout: Layout, target: Column) -> Step:
    """Make the cells of people with the number of records within the tolerance of the keys.

    Reads the cells of the pass and `reached_classes`.
    """
    cells = table("cells", target)
    names = {
        **_reached(layout, cells, of_cells=True),
        "cells": cells,
        "reached_classes": "reached_classes",
    }
    return in_pass(
        f"cells of {target.name}",
        table("reached_cells", target),
        "stages/near_keys/reached_cells.sql",
        **names,
    )


def reached_of_run(layout: Layout, target: Column | None) -> Iterator[Step]:
    """Yield the steps that recompute near-key counts from the dictionaries, classes and cells of a
    saved run. Without a ``target``, only classes are counted.
    """
    yield from tolerance_intervals(layout.part(*layout.scenario.near_keys).column)
    yield reached_classes(layout)
    if target is not None:
        yield reached_cells(layout, target)


def _reached(layout: Layout, counted: str, *, of_cells: bool = False) -> dict[str, Any]:
    """Return the names to fill the stages ``reached_classes`` and ``reached_cells`` with.
    ``counted`` is the table whose rows get counts within the tolerance.
    """
    near_key = layout.part(*layout.scenario.near_keys)
    names = {**layout.names, "people_files": layout.people_files}
    counts = templates.stage(
        "stages/near_keys/reached_counts.sql",
        **names,
        counted=counted,
        near_key=near_key,
        of_cells=of_cells,
        tolerance_intervals=table("tolerance_intervals", near_key.column),
    )
    return {**names, "reached_counts": counts}
