"""Steps that turn the files into integers: dictionaries, totals of levels, records."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any

from sqlrisk.catalogue import templates
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.steps import Step, fill

SAMPLED = 50_000  # about the fewest records in the sample that decides where passes begin
PARTS = 8  # parts of a dictionary that does not fit in memory as a whole
# Joins per statement, of many and of few records. Of many, 106 fit in 2 GB and 156 do not. Of few,
# fewer joins are faster: their time grows with the square of their number.
JOINS, FEW_JOINS = 100, 40
LISTED = 64  # most levels of a column that is looked up in a list, if not all columns are joined
LISTS = 20  # lists that one statement makes: they are joined, too


def encode(layout: Layout) -> Iterator[Step]:
    """Make all columns' dictionaries, count each file's records and, with keys, the targets'
    levels.
    """
    yield from dictionaries(layout)
    if layout.keys:
        yield from marginals(layout)


def dictionaries(layout: Layout) -> Iterator[Step]:
    """Make the dictionaries of all columns, and count the records of each file.

    A column with several recodes or binnings has one dictionary for each, but its values are
    counted only once.
    """
    columns = (*layout.columns, *layout.own_columns)
    known = {
        "k": layout.files,
        "t": layout.counted_files,
        "a": layout.counted_files,
        "b": layout.people_files,
    }
    files = {each: known[each.role] for each in columns}
    queries = {
        each: templates.stage("stages/encoding/values.sql", column=each, files=files[each], parts=0)
        for each in columns
    }
    shared = Counter(queries.values())
    counted: dict[str, str] = {}  # values that several columns share -> their table
    for column, query in queries.items():
        # Control and universe do not move the breaks.
        pooled = [file for file in files[column] if not (file.control or file.universe)]
        names = {
            "column": column,
            "files": files[column],
            "pooled": pooled,
            "recode": column.recode,
        }
        stages = ("uncoded", *column.recode.stages) if column.recode else ()
        values: str = counted.get(query) or templates.Query(f"(\n{query}\n)", [query])
        if query not in counted and (shared[query] > 1 or (column.bins and not stages)):
            values = counted[query] = table("values", column)
            yield Step(
                "levels", values, query, smaller=partial(_values_in_parts, column, files[column])
            )
        for stage in stages:
            recoded = templates.stage(f"stages/recodes/{stage}.sql", **names, values=values)
            values = templates.nested(recoded)
        if column.bins and stages:
            values = table("recoded", column)
            yield Step("levels", values, recoded)
        if column.bins:
            ranks = templates.stage("stages/encoding/value_ranks.sql", **names, values=values)
            bounds = templates.stage(
                "stages/encoding/bin_bounds.sql", **names, value_ranks="ranked"
            )
            inner = {"value_ranks": ranks, "bin_bounds": bounds}
            yield fill(
                "levels", table("breaks", column), "stages/encoding/breaks.sql", **names, **inner
            )
        made = {"values": values, "breaks": table("breaks", column)}
        form = "recodes/recoded_levels" if stages else "encoding/levels"
        form = "encoding/binned_levels" if column.bins else form
        whole = fill("levels", table("levels", column), f"stages/{form}.sql", **names, **made)
        if query not in counted and not stages:
            whole = replace(whole, smaller=partial(_levels_in_parts, names | made))
        yield whole
    if layout.own_id is not None:
        by = {"original": layout.files[0], "column": layout.own_id}
        yield fill("levels", "record_ids", "stages/encoding/record_ids.sql", **by)
    levels = table("levels", layout.columns[0])
    yield fill("levels", "files", "stages/encoding/files.sql", files=layout.files, levels=levels)


def _values_in_parts(column: Column, files: Sequence[File]) -> Iterator[Step]:
    """Make the table of a column's values part by part, by their hash. Only DuckDB runs these
    steps, if it runs out of memory, as with 50 million texts in 1.5 GB.
    """
    for part in range(PARTS):
        yield fill(
            "levels",
            table("values", column),
            "stages/encoding/values.sql",
            column=column,
            files=files,
            parts=PARTS,
            part=part,
        )


def _levels_in_parts(names: Mapping[str, Any]) -> Iterator[Step]:
    """Make the dictionary of a column without recode and bins from a table of values that is made
    part by part. ``names`` are those of the template.
    """
    column = names["column"]
    yield from _values_in_parts(column, names["files"])
    made = {**names, "values": table("values", column)}
    step = fill("levels", table("levels", column), "stages/encoding/levels.sql", **made)
    yield replace(step, drops=made["values"])


def marginals(layout: Layout) -> Iterator[Step]:
    """Count each target's levels, and find levels within a tolerance, from the dictionaries."""
    for target in layout.targets:
        yield fill(
            "levels",
            table("marginals", target),
            "stages/encoding/marginals.sql",
            target=target,
            files=layout.counted_files,
            levels=table("levels", target),
            files_row="files",
            excluded_levels=layout.scenario.exclude_level.get(target.name, ()),
            baseline=layout.baselines.get(target.name),
        )
        if target.tolerance is not None:
            yield from tolerance_intervals(target)
    for key in layout.keys:
        if key.tolerance is not None:
            yield from tolerance_intervals(key)


def record(
    layout: Layout,
    *,
    in_memory: bool = False,
    into: str = "records",
    lows: Sequence[int] = (),
    joins: int = JOINS,
    lists: bool = False,
) -> Iterator[Step]:
    """Yield the steps that write the records as integers. The layout must have the class key.

    ``into`` is the name of their table. A statement joins at most ``joins`` dictionaries, but
    always those of all keys and populations. Further targets and files take more statements. A
    target has values instead of codes until its statement. With ``lists``, short dictionaries of
    many columns are not joined. A table ``in_memory`` is not compressed, which is faster if it
    fits. With ``lows`` the records are written in parts. Each part but the first begins at one of
    these class keys.
    """
    joins = min(joins, JOINS, *([FEW_JOINS] if layout.few_records else []))
    listed = _listed(layout, joins) if lists else []
    tables: dict[str, str] = {}  # the id of a column -> the table with the list of its levels
    for start in range(0, len(listed), LISTS):
        columns, name = listed[start : start + LISTS], f"listed_levels_{start + 1}"
        path = "stages/encoding/listed_levels.sql"
        yield fill("records", name, path, columns=columns, levels=layout.dictionaries)
        tables |= {column.id: name for column in columns}
    # The first statement writes the populations, so it codes the targets that define them.
    defining = {population.column for population in layout.populations}
    joined = sorted(
        (target for target in layout.targets if target.id not in tables),
        key=lambda target: target not in defining,
    )
    beside = len(layout.own_columns) + sum(key.id not in tables for key in layout.keys)
    # joined targets that one statement codes
    size = max(1, joins - beside, sum(target in defining for target in joined))
    waiting = joined[size:]
    later = {target.id for target in waiting}
    coded = [target for target in layout.targets if target.id not in later]
    made = f"{into}_{size}" if waiting else into
    together = max(1, joins // (len(layout.keys) + len(layout.own_columns) + len(coded)))
    for start in range(0, len(layout.files), together):
        sql = templates.union_all(
            records_of(layout, file, coded, waiting, tables)
            for file in layout.files[start : start + together]
        )
        whole = Step("records", made, sql, in_memory and not waiting, adds=start > 0)
        yield whole if waiting else _in_parts(whole, lows)
    for start in range(size, len(joined), size):
        begun, end = made, start + size
        waiting = joined[end:]
        made = f"{into}_{end}" if waiting else into
        sql = templates.stage(
            "stages/encoding/partly_coded_records.sql",
            begun=begun,
            identifiers=layout.identifiers,
            coded=[*layout.key_column_names, *(target.id for target in coded)],
            targets=joined[start:end],
            waiting=waiting,
            persons=layout.person_columns,
            levels=layout.dictionaries,
        )
        whole = Step("records", made, sql, in_memory and not waiting, drops=begun)
        yield whole if waiting else _in_parts(whole, lows)
        coded += joined[start:end]


def _listed(layout: Layout, joins: int) -> list[Column]:
    """Return the columns whose levels are looked up in lists, if a statement cannot join all.

    ``joins`` is the maximum of a statement. Columns with bins or recodes are left out, as several
    of their values share a code.
    """
    if len(layout.columns) + len(layout.own_columns) <= joins:
        return []
    return [
        column
        for column in layout.columns
        if 0 < layout.codes.get(column.id, 0) <= LISTED + 1 and not column.shares_codes
    ]


def _in_parts(step: Step, lows: Sequence[int]) -> Step:
    """Return the step with a query that writes the records in parts. Without ``lows``, return it
    unchanged.
    """
    if not lows:
        return step
    path = "stages/encoding/records_in_parts.sql"
    return replace(step, in_parts=templates.stage(path, records=step.sql, lows=lows))


def records_of(
    layout: Layout,
    file: File,
    targets: Sequence[Column],
    waiting: Sequence[Column] = (),
    lists: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the query of one file's records. Targets in ``waiting`` keep their values instead of
    codes. ``lists`` maps ids of columns that are not joined to the table with their levels.
    """
    columns = [
        *layout.keys,
        *(() if file.universe else targets),
        *(layout.own_columns if file.of_people else ()),
    ]
    aligned_by = layout.own_id if file.synthetic else None
    weight = layout.scenario.weights and templates.quote(layout.scenario.weights)
    known, shown = {}, {}  # the SQL of a record's identifiers in the file, and in the records
    if file.record is not None:
        known["record"] = file.record
        shown["record"] = "own.record" if aligned_by else "source.record"
    if layout.scenario.id and file.number == 0:
        known["record_id"] = templates.quote(layout.scenario.id)
        shown["record_id"] = "source.record_id"
    elif layout.scenario.id:
        shown["record_id"] = f"CAST(NULL AS {layout.files[0].types.get(layout.scenario.id, '')})"
    values = templates.stage(
        "stages/encoding/file_values.sql",
        file=file,
        identifiers=known,
        columns=[
            *([aligned_by] if aligned_by else []),
            *(() if file.universe else waiting),
            *columns,
        ],
        conditions=[
            each for each in layout.populations if each.kind == "condition" and file.of_people
        ],
        weight=weight if file.of_people else None,
    )
    return templates.stage(
        "stages/encoding/records.sql",
        file=file,
        values=values,
        identifiers=shown,
        key_columns=layout.key_columns,
        columns=columns,
        lists=lists,
        targets=targets,
        waiting=waiting,
        levels=layout.dictionaries,
        populations=[each for each in layout.populations if each.kind in ("condition", "level")],
        weight=weight and ("weight" if file.of_people else "CAST(0 AS DOUBLE)"),
        aligned_by=aligned_by,
    )


def project(layout: Layout, *, in_memory: bool = False) -> Step:
    """Make records whose class key has only the layout's keys, from ``coded_records`` with a column
    per key.
    """
    step = fill(
        "records",
        "records",
        "stages/encoding/projected_records.sql",
        key_columns=layout.key_columns,
        targets=layout.targets,
        persons=layout.person_columns,
        identifiers=layout.identifiers,
        records="coded_records",
    )
    return replace(step, in_memory=in_memory)


def pass_bounds(layout: Layout, passes: int, cell: Sequence[str]) -> str:
    """Return the query of the lowest class key of each pass. The passes have about equal numbers of
    cells.

    The columns ``cell`` identify a cell.
    """
    return templates.stage(
        "stages/encoding/passes.sql",
        passes=passes,
        cell=", ".join(cell),
        together=_keys_together(layout),
        every=layout.every(max(1, sum(layout.records) // SAMPLED)),
        records="records",
    )


def part_bounds(layout: Layout, parts: int, samples: Sequence[str]) -> str:
    """Return the query of the lowest class key of each part, estimated from a sample of each file.
    ``samples`` are the relations to read, in the order of the files.
    """
    files = [
        replace(file, record=None, relation=sample)
        for file, sample in zip(layout.files, samples, strict=True)
    ]
    targets, plain = layout.targets[:1], replace(layout, populations=())
    cell = [*layout.key_column_names, *(target.id for target in targets)]
    records = templates.union_all(records_of(plain, file, targets) for file in files)
    names = {
        "passes": parts,
        "cell": ", ".join(cell),
        "every": 1,
        "records": templates.nested(records),
    }
    return templates.stage("stages/encoding/passes.sql", **names, together=_keys_together(layout))


def _keys_together(layout: Layout) -> int:
    """Return how many successive class keys must share a pass, because they differ only in keys
    with a tolerance.
    """
    return prod(layout.part(name).size or 1 for name in layout.scenario.near_keys)


def tolerance_intervals(column: Column) -> Iterator[Step]:
    """Find the levels of a column that are within its tolerance of each other. Needed once per
    run.
    """
    names = {
        "tolerance": column.tolerance,
        "levels": table("levels", column),
        "numbers": table("numbers", column),
    }
    yield fill("levels", table("numbers", column), "stages/tolerance/numbers.sql", **names)
    form = "exact_intervals"
    if column.tolerance is None or not column.tolerance.exact:
        form = "floating_intervals"
        names["reach_ends"] = templates.stage("stages/tolerance/reach_ends.sql", **names)
        names["doubtful_levels"] = templates.stage(
            "stages/tolerance/doubtful_levels.sql", **{**names, "reach_ends": "ends"}
        )
    yield fill(
        "levels", table("tolerance_intervals", column), f"stages/tolerance/{form}.sql", **names
    )


def labels(column: Column) -> str:
    """Return the query that lists a column's levels in the form that users see."""
    return templates.stage(
        "stages/encoding/labels.sql", column=column, levels=table("levels", column)
    )
