"""Steps that compare whole rows: all shared columns are keys, so a class is a set of equal
records.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil, comb
from types import SimpleNamespace

from sqlrisk.catalogue.measures import Measure
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.plan import encoding, pass_tables
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, fill, in_pass

COUNTED = "row_counts"  # the classes of all passes, if near rows are asked for
# A random draw may have none of several equal people. The chance of this counts as 0 if it is below
# exp(-42) = 6e-19.
NEGLIGIBLE = 42
# Settings about whole rows. All others are about keys and targets.
_KEPT = (
    "populations", "population", "by", "weights", "confidence", "work_limit", "row_radius",
    "measures",
)  # fmt: skip


def of_rows(layout: Layout, measures: Sequence[Measure]) -> Layout:
    """Return the layout whose keys are the columns of whole rows.

    Values are compared unchanged, without bins and recodes. There is no population of uniques here,
    since that is about the original keys.
    """
    kept = {name: getattr(layout.scenario, name) for name in _KEPT}
    return replace(
        layout,
        scenario=replace(Scenario(keys=tuple(key.name for key in layout.shared)), **kept),
        files=layout.counted_files,
        keys=layout.shared,
        targets=(),
        measures=tuple(measures),
        populations=tuple(
            each for each in layout.populations if each.kind in ("all", "condition", "level")
        ),
        baselines={},
        own_id=None,
    )


def sets(layout: Layout) -> int:
    """Return in how many ways columns are left out to find near rows."""
    return sum(comb(len(layout.keys), size) for size in range(1, layout.row_radius + 1))


def dictionaries(layout: Layout, made: Collection[str]) -> Iterator[Step]:
    """Make the dictionaries of the columns. Skip the tables that are already ``made``."""
    return (step for step in encoding.dictionaries(layout) if step.table not in made)


def steps(layout: Layout, passes: Sequence[KeyRange]) -> Iterator[Step]:
    """Yield the steps of the tables that measures read besides the classes of a pass: chances and
    radii.
    """
    if any(measure.of_draws for measure in layout.measures):
        yield _chances(layout)
    if any(measure.stage == "near_rows" for measure in layout.measures):
        yield from _radii(layout, passes)


def _chances(layout: Layout) -> Step:
    """Make the table of the probability that a random draw of people contains at least one of x
    equal people, by file and x.

    The draw has as many people as the smallest file of people.
    """
    sizes = zip(layout.files, layout.records, strict=True)
    people = {file.number: records for file, records in sizes if file in layout.people_files}
    drawn = min(people.values())
    files = []
    for number, records in people.items():
        most = min(records - drawn, ceil(NEGLIGIBLE * records / drawn))
        units = [10**place for place in range(len(str(most)))]  # one unit for each number of digits
        files.append(
            SimpleNamespace(number=number, records=records, drawn=drawn, most=most, units=units)
        )
    return fill("chances", "row_chances", "stages/whole_rows/row_chances.sql", files=files)


def _radii(layout: Layout, passes: Sequence[KeyRange]) -> Iterator[Step]:
    """Make the table of rows that have near rows, over all passes.

    Two near rows may differ in any column, so they may be in different passes.
    """
    sides = {
        "people_files": layout.people_files,
        "synthetic_files": [file for file in layout.files if not file.of_people],
    }
    names = {**layout.names, **sides, "row_counts": COUNTED}
    for number, key_range in enumerate(passes):
        counted = pass_tables.classes(layout, key_range)
        yield Step("near rows", COUNTED, counted.sql, adds=number > 0)
    chosen = [
        each
        for size in range(min(1, layout.row_radius), layout.row_radius + 1)
        for each in combinations(layout.keys, size)
    ]
    for number, left_out in enumerate(chosen):
        own = {**names, "dropped": [column.id for column in left_out], "radius": len(left_out)}
        for table in ("alike_records", "alike_rows"):
            yield in_pass("near rows", table, f"stages/whole_rows/{table}.sql", **own)
            own[table] = table
        step = fill("near rows", "near_hits", "stages/whole_rows/near_hits.sql", **own)
        yield replace(step, adds=number > 0)
    made = fill(
        "near rows", "row_radii", "stages/whole_rows/row_radii.sql", **names, near_hits="near_hits"
    )
    yield replace(made, drops="near_hits")
