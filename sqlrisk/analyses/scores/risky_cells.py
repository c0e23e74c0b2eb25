"""List the cells behind a number: find a measure's riskiest cells in each pass, and read them.
Listings are disclosive.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from sqlrisk.analyses.level_names import level_text, stored_levels
from sqlrisk.analyses.preparation.encoding import named
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.engines.engine import SqlRow
from sqlrisk.inputs.request import offered, require
from sqlrisk.plan import comparisons, encoding
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.counted_measures import BY_RECORD
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.listing import Listing

# Counts of the original's people: those with the cell's level (or the rarest key level of the
# class), and all.
WORTH = ["n_level", "n_all"]


def step(
    layout: Layout,
    measure: Measure,
    comparison: Comparison,
    target: Column | None,
    limit: int,
    *,
    worth: bool = False,
) -> Step:
    """Return the step that selects the cells to list from one pass, at most ``limit``.

    These are the cells in which the measure counts most. Cells with a missing level come last. For
    a measure that is a minimum (``least``), select the cells with the least value. Without a
    target, classes are listed.

    With ``worth``, cells of the rarest levels come first, because they are most worth a look. For
    classes, those with the rarest level of any key come first. Ties go to cells with most people.
    """
    layout = layout.listing(measure)
    cells = None if target is None else comparisons.Cells(layout, (comparison,), (target,))
    placed = {"comparison": comparison.number}
    if target is not None:
        placed["target"] = target.number
    if measure.least is not None and cells is not None:
        sql = templates.stage(
            "tables/least_cells.sql",
            **layout.names,
            placed=placed,
            least=measure.least,
            comparison=comparison,
            profiles=cells.profiles(),
            compared=cells.compared,
            marginals=table("marginals", target),
            limit=limit,
        )
        return Step("risky cells", "least_cells", sql)
    if cells is None:
        compared = comparisons.of_classes(layout, [comparison], BY_RECORD, measure.stage)
        if worth:
            compared = comparisons.rare_classes(layout, compared)
    else:
        reached = replace(cells, reached=measure.stage == "reached_cells")
        compared = cells.within_cells() if measure.stage == "within" else reached.compared
    sql = templates.stage(
        "tables/risky_cells.sql",
        placed=placed,
        key_columns=layout.key_columns,
        columns=_columns(layout, measure, worth=worth),
        worth=worth,
        compared=compared,
        marginals=table("marginals", target) if worth and target is not None else "",
        original=layout.files[0],
        stage=measure.stage,
        risky=condition(measure),
        counted=counted_side(measure),
        limit=limit,
    )
    return Step("risky cells", _table(measure), sql)


def gathered(layout: Layout, measure: Measure) -> list[Step]:
    """Return the step that selects the cells with the least value over all passes. Return no step
    for a measure that is not a minimum (``least``).
    """
    if measure.least is None:
        return []
    columns = ["comparison", "target", *_columns(layout, measure)]
    path = "tables/smallest_cells.sql"
    sql = templates.stage(path, columns=columns, least_cells="least_cells")
    return [Step("risky cells", _table(measure), sql, in_memory=True)]


def _table(measure: Measure) -> str:
    """Return the name of the table with the risky cells of a measure, of all targets and
    comparisons.
    """
    return "risky_classes" if measure.untargeted else "risky_cells"


def query(layout: Layout, measure: Measure, target: Column | None) -> str:
    """Return the query of the selected cells with readable levels, the riskiest first.

    For each key and the target it selects value, low, high and closed (see `level_text`), then the
    counts.
    """
    entries = _keys(layout)
    if target is not None:
        entries.append((target, f"{target.id}.code", "risky_cells.level_code"))
    return _listing(layout, measure, entries, _counts(measure))


def read(
    layout: Layout,
    measure: Measure,
    targets: Sequence[Column | None],
    comparisons: Sequence[Comparison],
    limit: int,
    session: Session,
    *,
    worth: bool = False,
) -> list[Listing]:
    """Read the risky cells of a measure with readable levels, a listing for each comparison, with
    the riskiest of all targets first.

    At most ``limit`` cells are listed over all targets. With ``worth`` it is ``limit`` cells of
    each target, sensitive targets first.
    """
    session.create(gathered(layout, measure))
    placed = ["comparison", *([] if measure.untargeted else ["target"])]
    columns = _columns(layout, measure, worth=worth)[len(layout.key_columns) :]
    sql = _listing(layout, measure, _keys(layout), [*placed, *columns], worth=worth)
    levels = 4 * len(layout.parts)
    begin = levels + len(placed)
    found: dict[SqlRow, list[SqlRow]] = defaultdict(list)
    for row in session.fetch(sql):
        found[row[levels:begin]].append((*row[:levels], *row[begin:]))
    listed: dict[int, list[tuple[Column | None, SqlRow]]] = {
        each.number: [] for each in comparisons
    }
    for target in targets:
        place = () if target is None else (target.number,)
        first = {number: found[number, *place][:limit] for number in listed}
        if target is not None:
            codes = {int(row[levels]) for rows in first.values() for row in rows}
            named = stored_levels(target, codes, session)
            first = {
                number: [(*row[:levels], *named[row[levels]], *row[levels + 1 :]) for row in rows]
                for number, rows in first.items()
            }
        for number, rows in first.items():
            listed[number] += [(target, row) for row in rows]
    listings = [
        replace(_readable(measure, layout, listed[each.number], worth=worth), synthesis=each.label)
        for each in comparisons
    ]
    return listings if worth else [replace(each, rows=each.rows[:limit]) for each in listings]


def _keys(layout: Layout) -> list[tuple[Column, str, str]]:
    """Return (key, code, digit) for each key. ``code`` is the SQL of a level's code as it is packed
    in the class key. ``digit`` is the SQL of a cell's part of the class key.
    """
    parts = sorted(layout.parts, key=lambda part: layout.keys.index(part.column))
    return [
        (part.column, part.packed(f"{part.column.id}.code"), part.digit_of("risky_cells"))
        for part in parts
    ]


def _listing(
    layout: Layout,
    measure: Measure,
    entries: Sequence[tuple[Column, str, str]],
    counts: Sequence[str],
    *,
    worth: bool = False,
) -> str:
    """Return the query of cells, or of classes for a measure without targets. The columns in
    ``entries`` are shown with readable levels. For several targets and comparisons, ``counts``
    includes ``target`` and ``comparison``.
    """
    return templates.stage(
        "tables/listing.sql",
        entries=[
            (column.id, encoding.labels(column), code, digit) for column, code, digit in entries
        ],
        counts=counts,
        risky_cells=_table(measure),
        key_columns=layout.key_columns,
        columns=_places(layout, measure),
        shown=shown_side(measure),
        least=measure.least,
        worth=worth,
    )


def beside(
    steps: Iterable[Step],
    layout: Layout,
    measures: Collection[Measure],
    comparisons: Sequence[Comparison],
    limit: int,
) -> Iterator[Step]:
    """Yield the steps of the passes. After each step that makes classes or cells, yield those that
    list the risky ones of each comparison. At most one measure may read classes, and one cells,
    because their listings share a table.
    """
    targets = {"classes": None} | {table("cells", target): target for target in layout.targets}
    for each in steps:
        yield each
        if each.table in targets:
            target = targets[each.table]
            for measure, comparison in product(measures, comparisons):
                if (measure.stage == "classes") == (target is None):
                    yield step(layout, measure, comparison, target, limit, worth=True)


def asked(
    layout: Layout, measure: Measure, synthesis: object, target: object, whose: str
) -> tuple[Comparison, list[Column | None]]:
    """Return the comparison and the targets of a listing. Raises InputError if the synthesis or
    target is unknown, the run lacks what the measure needs, or the measure has nothing to list.

    ``whose`` names the owner of the targets in messages, such as ``scenario``.
    """
    comparison = named(synthesis, layout)
    wanted = None if target is None else str(target)  # a pandas column may be named by a number
    if wanted is not None and wanted not in layout.scenario.targets:
        raise InputError(
            f"{wanted!r} is not a target of the "
            f"{whose}{suggestion(wanted, layout.scenario.targets)}."
        )
    require(measure, offered(layout.scenario, layout.control, layout.universe))
    return comparison, targets_of(layout, measure, wanted)


def check(measure: Measure) -> None:
    """Raise InputError if a measure has no risky cells to list, because its number does not come
    from single cells.
    """
    if measure.least is None:
        condition(measure)


def targets_of(layout: Layout, measure: Measure, target: str | None) -> list[Column | None]:
    """Return the targets for which a measure's cells are listed. None stands for the classes.

    Raises InputError if there is no target, or no target with the tolerance that the measure needs.
    """
    targets = [
        each
        for each in layout.targets_of(measure.stage)
        if each is None or target in (None, each.name)
    ]
    if not layout.targets and not targets:
        raise InputError(
            f"{measure.name} needs a target, but no column besides the keys is in all files."
        )
    if not targets:
        raise InputError(f"{measure.name} needs a tolerance of {target!r}: give it with --within.")
    return targets


def condition(measure: Measure) -> str:
    """Return the SQL condition of the cells that contribute to a measure.

    If the measure has several points, the condition is that of the last one (CAP_at_least: 1).
    """
    return templates.risky(measure, measure.at[-1] if measure.at else None)


def counted_side(measure: Measure) -> str:
    """Return the count that a measure sums: ``counted_orig`` (people), ``counted_orig_class``
    (people of a cell's class) or ``counted_syn`` (synthetic records).
    """
    text = next(iter(measure.aggregates.values()))
    return next(
        (name for name in ("counted_orig_class", "counted_syn") if name in text), "counted_orig"
    )


def shown_side(measure: Measure) -> str:
    """Return the column of a listing that shows the summed count.

    A ``least`` measure lists the classes with the fewest people, so this is the people of the
    class.
    """
    if measure.least is not None:
        return "n_orig_class"
    return counted_side(measure).replace("counted_", "n_")


def _counts(measure: Measure, *, worth: bool = False) -> list[str]:
    """Return the names of the listed counts, of cells or of classes."""
    return [
        "n_orig",
        "n_syn",
        *([] if measure.untargeted else ["n_orig_class", "n_syn_class"]),
        *(WORTH if worth else []),
    ]


def _places(layout: Layout, measure: Measure) -> list[str]:
    """Return the names of the columns that tell the cells of a target, or classes, apart."""
    return [*layout.key_column_names, *([] if measure.untargeted else ["level_code"])]


def _columns(layout: Layout, measure: Measure, *, worth: bool = False) -> list[str]:
    """Return the names of the listed columns of cells, or of classes."""
    return [*_places(layout, measure), *_counts(measure, worth=worth)]


def _readable(
    measure: Measure,
    layout: Layout,
    listed: Sequence[tuple[Column | None, SqlRow]],
    *,
    worth: bool = False,
) -> Listing:
    """Make a readable listing of (target, row) pairs. Rows with the highest count (`shown_side`)
    come first. With ``worth``, the order is sensitive targets, rarest levels, most people. Rows
    with a missing level come last.
    """
    of_cells = not measure.untargeted
    counts = _counts(measure, worth=worth)
    columns = [
        *(key.name for key in layout.keys),
        *(["target", "level"] if of_cells else []),
        *counts,
    ]
    rows: list[SqlRow] = []
    for target, row in listed:
        shown = len(row) - len(counts)
        levels = [_shown(*row[place : place + 4]) for place in range(0, shown, 4)]
        rows.append(
            (*levels, *row[shown:])
            if target is None
            else (*levels[:-1], target.name, levels[-1], *row[shown:])
        )
    level = columns.index("level", len(layout.keys)) if of_cells else None
    sensitive = {
        column for column, entry in layout.scenario.column.items() if entry.role == "sensitive"
    }
    if worth:
        rare, people = (columns.index(name, len(layout.keys)) for name in ("n_level", "n_orig"))
        rows.sort(
            key=lambda row: (
                level is not None and row[level - 1] not in sensitive,
                row[rare],
                -row[people],
            )
        )
    else:
        rows.sort(key=lambda row: -int(row[columns.index(shown_side(measure), -len(counts))]))
    if level is not None:
        rows.sort(key=lambda row: row[level] is None)
    by = "" if worth else shown_side(measure)
    return Listing(
        measure.name, measure.title, columns, rows, by=by, sensitive=frozenset(sensitive)
    )


def _shown(value: object, low: object, high: object, closed: object) -> object:
    """Return a level for a listing: the value itself, or a bin as text."""
    if low is not None:
        return level_text(value, low, high, closed)
    return value + 0.0 if isinstance(value, float) else value
