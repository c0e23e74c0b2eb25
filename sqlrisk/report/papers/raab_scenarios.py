"""Scenarios side by side, like the sets of excluded people in table 2 of Raab 2024."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.papers.raab_taub import ABOVE, IDENTITY, Line, in_percent, own_rows, values_of
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.sections.cells import label, text
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
    numbers = [values_of(report) for report in reports.values()]
    rows = [row for report in reports.values() for row in own_rows(report)]
    labels, first = means(rows), numbers[0]
    targets = [target for target in distinct(rows, "target") if target is not None]
    targets.sort(key=lambda target: -(first.get(("DiSCO", target, labels[0])) or 0))
    lines: list[Line] = [
        (target, file, measure, label, *(found.get((measure, target, label)) for found in numbers))
        for target, measures in [(None, IDENTITY), *((target, ABOVE) for target in targets)]
        for measure, file in measures.items()
        for label in labels
    ]
    asked = (
        text("scenario", lambda each: shown(each[0])),
        text("keys", lambda each: names(each[1]["keys"])),
        text("not counted", lambda each: "; ".join(left_out(each[1])) or "nobody"),
    )
    blocks: list[Block] = [
        Heading(TITLE, 1),
        table(asked, [(name, report.scenario) for name, report in reports.items()]),
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
    columns = [
        text("target", lambda line: or_nothing(line[0]), once=True),
        label(1, "file"),
        label(2, "measure"),
        *([label(3, "synthesis")] if several else []),
    ]
    columns += [
        (GridColumn(shown(name)), partial(_number, place))
        for place, name in enumerate(scenarios, start=len(PLACE))
    ]
    return table(columns, lines, itemgetter(0))


def _number(place: int, line: Line) -> str:
    return in_percent(line[place])
