"""Steps that count, in one pass, the records within reach: those whose near key is within its tolerance of a person's.

A pass has all classes that differ in the near key alone (`sqlrisk.plan.encoding.pass_bounds`), so that none is within reach of
another pass.
"""

from collections.abc import Iterator
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.encoding import tolerance_intervals
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, in_pass


def reached_classes(layout: Layout) -> Step:
    """Make the classes of people with the records within their reach, from the classes of the pass."""
    names = _names(layout, "classes")
    return in_pass("classes", "reached_classes", "stages/near_keys/reached_classes.sql", **names, classes="classes")


def reached_cells(layout: Layout, target: Column) -> Step:
    """Make the cells of people with the records within their reach, from the cells of the pass and `reached_classes`."""
    cells = table("cells", target)
    names = {**_names(layout, cells, of_cells=True), "cells": cells, "reached_classes": "reached_classes"}
    return in_pass(f"cells of {target.name}", table("reached_cells", target), "stages/near_keys/reached_cells.sql", **names)


def after_passes(layout: Layout, target: Column | None) -> Iterator[Step]:
    """Make what the records within reach are known by, from the dictionaries, classes and cells of a whole run."""
    yield from tolerance_intervals(layout.part(*layout.scenario.near_keys).column)
    yield reached_classes(layout)
    if target is not None:
        yield reached_cells(layout, target)


def _names(layout: Layout, counted: str, *, of_cells: bool = False) -> dict[str, Any]:
    """Return what both are filled in with, the counts within reach of each row of the table ``counted`` among it."""
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
