"""Scenarios side by side, like the exclusions in table 2 of Raab 2024: the numbers for each set of
excluded people.
"""

from collections.abc import Mapping
from functools import partial

from sqlrisk.report.blocks import Block, Cell, Grid, GridColumn, Heading, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.papers.raab_taub import ABOVE, IDENTITY, Line, in_percent, own_rows, values_of
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.wording import distinct, left_out, means, names, or_nothing, shown

TITLE = "Scenarios side by side, as in Raab 2024, table 2"
PLACE = ("target", "file", "measure", "synthesis")


def scenarios(reports: Mapping[str, Findings]) -> Table:
    """Return a table with scenarios as columns. Rows are the measures of each target. The targets
    with the highest DiSCO in the first scenario come first.

    Rows without a target are about identity. Several syntheses of a name are shown by their mean.
    The baseline is over the people that a scenario counts. A number is None if the scenario lacks
    the target or the measure.
    """
    values = {name: values_of(report) for name, report in reports.items()}
    rows = [row for report in reports.values() for row in own_rows(report)]
    labels, first = means(rows), next(iter(values.values()))
    targets = [target for target in distinct(rows, "target") if target is not None]
    targets.sort(key=lambda target: -(first.get(("DiSCO", target, labels[0])) or 0))
    places = [
        (None, file, measure, label) for measure, file in IDENTITY.items() for label in labels
    ]
    places += [
        (target, file, measure, label)
        for target in targets
        for measure, file in ABOVE.items()
        for label in labels
    ]
    lines: list[Line] = [
        (
            target,
            file,
            measure,
            label,
            *(found.get((measure, target, label)) for found in values.values()),
        )
        for target, file, measure, label in places
    ]
    asked = [
        [
            shown(name),
            names(report.scenario["keys"]),
            "; ".join(left_out(report.scenario)) or "nobody",
        ]
        for name, report in reports.items()
    ]
    blocks: list[Block] = [
        Heading(TITLE, 1),
        Grid([GridColumn(name, label=True) for name in ("scenario", "keys", "not counted")], asked),
        Heading("Disclosure"),
        _side_by_side(lines, list(reports), several=len(labels) > 1),
        Paragraph(
            "Percent of original records. Identity (without a target) depends only on the keys.",
            quiet=True,
        ),
    ]
    return paper("raab2", TITLE, (*PLACE, *reports), lines, blocks, [*reports.values()])


def _side_by_side(lines: list[Line], scenarios: list[str], *, several: bool) -> Grid:
    """Draw a line for each measure of a target and a column for each scenario."""
    cells: list[Cell[Line] | None] = [
        (GridColumn("target", label=True, once=True), lambda line: or_nothing(line[0])),
        (GridColumn("file", label=True), lambda line: shown(line[1])),
        (GridColumn("measure", label=True), lambda line: shown(line[2])),
        (GridColumn("synthesis", label=True), lambda line: shown(line[3])) if several else None,
    ]
    numbers = [
        (GridColumn(shown(name)), partial(_number, place))
        for place, name in enumerate(scenarios, start=len(PLACE))
    ]
    return table([*cells, *numbers], lines, lambda line: line[0])


def _number(place: int, line: Line) -> str:
    return in_percent(line[place])
