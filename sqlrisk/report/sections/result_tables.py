"""The numbers of a report: a table for each family of measures."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Paragraph, Terms, table
from sqlrisk.report.declared import drawn_in, having
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    SUMMARIES,
    Row,
    comparable,
    distinct,
    in_percent,
    is_single,
    label_name,
    number_of,
    plain_text,
    pooled,
    split,
    unit_of,
)

PERCENT = "percent of original records"
WHOSE = ("population", "counted by")  # names of the values that _whose returns
FEW = 5  # most syntheses of a name that are shown one by one, as in table 1 of Raab 2024


def family(report: Findings, name: str) -> Iterator[Block]:
    """Yield the tables of one family of measures. Rows of control are in a section of their own."""
    rows = [
        row
        for row in comparable(report.results, report)
        if row["family"] == name and row["people"] == "original"
    ]
    yield Heading(report.family(name).title)
    steps = [row for row in rows if row["at"] is not None]
    flat = [row for row in rows if row["at"] is None and row["target"] is not None]
    if whole := [row for row in rows if row["at"] is None and row["target"] is None]:
        yield _by_measure(report, whole)
    sides = having("above", report.declared)
    for shares in (True, False):
        if part := [row for row in flat if in_percent(row) == shares]:
            heads = [plain_text(row["measure"]) for row in part]
            if len(set(heads)) == 1 and len(_shown_syntheses(part)) > 1:
                yield _by_synthesis(report, part)
            else:
                yield _by_target(report, part, heads, sides)
    for measure, part in split(steps, "measure"):
        yield Paragraph(f"{measure}: {report.headers.get(measure, {}).get('title', '')}")
        heads = [f"{row['at']}" for row in part]
        yield _by_target(report, part, heads, dict.fromkeys(heads, "at"))
    yield from _near_rows(report, name)
    if words := [(measure, _meaning(report, row)) for measure, row in _first(flat).items()]:
        yield Terms(words, quiet=True)


def of_populations(
    report: Findings, rows: Sequence[Row], above: Mapping[str, str]
) -> Iterator[Grid]:
    """Yield a table of the measures of targets and a table of the measures of the keys, with a line
    for each population and each way to count (people, weight).

    ``above`` maps measures to the heading above their column.
    """
    if flat := [row for row in rows if row["target"] is not None]:
        yield _by_target(report, flat, [plain_text(row["measure"]) for row in flat], above)
    if whole := [row for row in rows if row["target"] is None]:
        yield _by_measure(report, whole)


def _near_rows(report: Findings, name: str) -> Iterator[Block]:
    """Yield the percentages of rows that have a near row on the other side (people or synthetic
    records), for the original and for control. Yield nothing without control, or if the family
    counts no near rows.

    There is a column for each maximum number of fields in which two near rows may differ.
    """
    near = drawn_in(report.declared, "nearness")
    rows = [row for row in report.results if row["family"] == name and row["measure"] in near]
    rows = [row for row in rows if row["population"] == "all" and not row["weighted"]]
    rows = [row for row in rows if row["people"] in ("original", "control")]
    if not any(row["people"] == "control" for row in rows):
        return
    values = {
        (f"{row['at']}", row["measure"], row["synthesis"], row["people"]): row for row in rows
    }
    labels = _shown_syntheses(rows)
    lines = dict.fromkeys(
        (row["measure"], row["synthesis"], row["people"])
        for row in rows
        if row["synthesis"] in labels
    )
    yield Paragraph(
        "The same, compared with control, by the maximum number of columns that differ:"
    )
    yield table(
        [
            cells.text("measure", itemgetter(0), once=True),
            cells.text("synthesis", itemgetter(1)) if len(labels) > 1 else None,
            cells.text("people", itemgetter(2)),
            *(
                cells.value(values, head, GridColumn(head, above="at"))
                for head in dict.fromkeys(f"{row['at']}" for row in rows)
            ),
        ],
        [*lines],
        itemgetter(0),
    )


def _by_measure(report: Findings, rows: Sequence[Row]) -> Grid:
    """Draw a row for each measure and a column for each shown synthesis."""
    labels, differ, first = _shown_syntheses(rows), differing(rows), _first(rows)
    values = {(row["synthesis"], row["measure"], *_whose(row)): row for row in rows}
    columns = [
        cells.text("measure", itemgetter(0), once=True),
        cells.text("in words", lambda line: _meaning(report, first[line[0]]), once=True),
        *(cells.label(place + 1, WHOSE[place]) for place in differ),
    ]
    if len(labels) == 1:
        value = GridColumn("percent" if all(map(in_percent, rows)) else "value")
        columns += [
            (
                GridColumn("count"),
                lambda line: number_of(values.get((labels[0], *line)) or {}, "numerator"),
            ),
            cells.value(values, labels[0], value),
        ]
    else:
        for label in labels:
            name = label_name(label)
            column = GridColumn(label.removeprefix(name).strip(), above=name)
            columns.append(cells.value(values, label, column))
    lines = dict.fromkeys((row["measure"], *_whose(row)) for row in rows)
    return table(
        columns,
        sorted(lines, key=lambda line: [*first].index(line[0])),
        itemgetter(0) if differ else None,
    )


def _by_target(
    report: Findings, rows: Sequence[Row], heads: Sequence[str], above: Mapping[str, str]
) -> Grid:
    """Draw a row for each target and shown synthesis, and a column for each measure or point.

    ``heads`` has the column name for each row. ``above`` maps some of these names to the heading
    above the column.
    """
    syntheses = _shown_syntheses(rows)
    several = len(syntheses) > 1
    values = {
        (head, row["target"], *_whose(row), row["synthesis"]): row
        for row, head in zip(rows, heads, strict=True)
    }
    targeted = any(row["target"] is not None for row in rows)
    name = cells.label(0, _about(report, rows[0]), once=True)
    if not targeted:
        name = cells.text("", lambda _: unit_of(rows[0]), once=True)
    return table(
        [
            name,
            *(cells.label(place + 1, WHOSE[place], once=True) for place in differing(rows)),
            cells.text("synthesis", itemgetter(-1)) if several else None,
            *(
                cells.value(values, head, GridColumn(head, above=above.get(head, "")))
                for head in dict.fromkeys(heads)
            ),
        ],
        [
            (*who, label)
            for who in dict.fromkeys((row["target"], *_whose(row)) for row in rows)
            for label in syntheses
        ],
        itemgetter(0, 1, 2) if several else None,
    )


def _by_synthesis(report: Findings, rows: Sequence[Row]) -> Grid:
    """Draw one measure: a row for each target and a column for each shown synthesis."""
    values = {(row["synthesis"], row["target"], *_whose(row)): row for row in rows}
    measure, differ = plain_text(rows[0]["measure"]), differing(rows)
    return table(
        [
            cells.label(0, _about(report, rows[0]), once=True),
            *(cells.label(place + 1, WHOSE[place]) for place in differ),
            *(
                cells.value(values, label, GridColumn(label, above=measure))
                for label in _shown_syntheses(rows)
            ),
        ],
        [*dict.fromkeys((row["target"], *_whose(row)) for row in rows)],
        itemgetter(0) if differ else None,
    )


def _about(report: Findings, row: Row) -> str:
    """Return what the field ``target`` of a row names: a link, a score or a target."""
    header = report.headers.get(plain_text(row["measure"]), {})
    if header.get("theme") == "membership":
        return "score"
    return "link" if header.get("needs") == "a link" else "target"


def _whose(row: Row) -> tuple[str, str]:
    return plain_text(row["population"]), "weight" if row["weighted"] else "people"


def differing(rows: Sequence[Row]) -> list[int]:
    """Return the indexes of the fields in `WHOSE` that differ between rows."""
    return [place for place in range(len(WHOSE)) if len({_whose(row)[place] for row in rows}) > 1]


def _shown_syntheses(rows: Sequence[Row]) -> list[str]:
    """Return the labels to show: for each name its syntheses, their mean and the widest pool.

    If a name has more than ``FEW`` syntheses, show mean, minimum and maximum instead of each. If
    its numbers have no mean, show all labels.
    """
    labels = distinct(rows, "synthesis")
    chosen: list[str] = []
    for name in dict.fromkeys(map(label_name, labels)):
        own = [label for label in labels if label_name(label) == name]
        spread = [label for label in own if label.split(" ")[-1] in SUMMARIES]
        singles = [label for label in own if is_single(label)]
        told = singles + spread[:1] if len(singles) <= FEW else spread
        chosen += told + [label for label in own if pooled(label)][-1:] if spread else own
    return chosen


def _meaning(report: Findings, row: Row) -> str:
    title = plain_text(report.headers.get(plain_text(row["measure"]), {}).get("title", ""))
    unit = unit_of(row)
    return title if unit == PERCENT else f"{title} ({unit})" if title else unit


def _first(rows: Sequence[Row]) -> dict[str, Row]:
    return {measure: own[0] for measure, own in split(rows, "measure")}
