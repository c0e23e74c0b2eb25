"""People in the synthesis and outside, as in table 3 of Raab 2024: All, Train, Ctrl and R."""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter

from sqlrisk.report.blocks import Block, Cell, GridColumn, Heading, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.papers.raab_taub import (
    MEASURES,
    Line,
    about,
    in_percent,
    told_without,
    values_of,
)
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.sections.cells import text
from sqlrisk.report.wording import number, plain_text, representatives, shown

# name of a synthesis of everybody: the people in the other syntheses and those outside
ALL = "all"
SIDES = {"all": "All", "original": "Train", "control": "Ctrl", "adjusted": "R"}
TITLE = "People in the synthesis and outside, as in Raab 2024, table 3"
COLUMNS = (
    "target",
    "counted",
    "synthesis",
    *(f"{measure}_{side}" for measure in MEASURES["raab3"] for side in SIDES.values()),
)
WORDS = (
    "Percent of people. Train are the people in the synthesis, Ctrl those outside. R = (Train - "
    "Ctrl) / (1 - Ctrl), computed from shares, is what the synthesis added of what control leaves."
)
OF_ALL = "All: everybody, measured with the synthesis named all."
POOLED = "If a name has several syntheses, they are pooled."


def added(runs: Sequence[tuple[Findings | None, Findings]]) -> Table:
    """Return a table with the targets as rows, highest DiSCO first: for all people, then for people
    left after exclusions.

    ``runs`` has the run without exclusions, and possibly the run with them. A run has two reports:

    - about all people, by a synthesis made from all of them (or None)
    - about people in a synthesis, compared with people outside it

    If several syntheses share a name, they are pooled.
    """
    (_, first), *_ = runs
    rows = _compared(first)
    labels = representatives(str(row["synthesis"]) for row in rows)
    revealed = {
        row["target"]: row["original"] or 0
        for row in rows
        if row["measure"] == "DiSCO" and row["synthesis"] == labels[0]
    }
    lines: list[Line] = []
    for target in sorted(revealed, key=lambda target: -revealed[target]):
        for place, run in enumerate(runs):
            if counted := told_without(run[1].scenario, target) if place else "all":
                lines += [(target, counted, each, *_numbers(run, target, each)) for each in labels]
    of_all = [place for place, column in enumerate(COLUMNS) if column.endswith("_All")]
    whole = any(line[place] for line in lines for place in of_all)
    words = [WORDS, *([OF_ALL] if whole else [])]
    if any("pooled" in label for label in labels):
        words.append(POOLED)
    blocks: list[Block] = [
        Heading(TITLE, 1),
        Paragraph(f"{about(first)}.", quiet=True),
        table(_cells(several=len(labels) > 1, whole=whole), lines, itemgetter(0)),
        Paragraph(" ".join(words), quiet=True),
    ]
    reports = [report for run in runs for report in run if report is not None]
    return paper("raab3", TITLE, COLUMNS, lines, blocks, reports)


def _compared(report: Findings) -> list[Row]:
    """Return the unweighted rows of people in and out of the synthesis, of the first population."""
    rows = [row for row in report.differences if row["at"] is None and not row["weighted"]]
    rows = [row for row in rows if row["target"] is not None]
    return [
        row
        for row in rows
        if row["population"] == rows[0]["population"] and row["measure"] in MEASURES["raab3"]
    ]


def _numbers(run: tuple[Findings | None, Findings], target: object, label: str) -> list[object]:
    """Return All, Train, Ctrl and R of each measure."""
    everybody, compared = run
    found = {(row["measure"], row["target"], row["synthesis"]): row for row in _compared(compared)}
    values = {} if everybody is None else values_of(everybody)
    labels = representatives(str(label) for *_, label in values)
    told: list[object] = []
    for measure in MEASURES["raab3"]:
        row = found[measure, target, label]
        told += [values.get((measure, target, each)) for each in labels[:1]] or [None]
        told += [row[side] for side in ("original", "control", "adjusted")]
    return told


def _cells(*, several: bool, whole: bool) -> list[Cell[Line]]:
    columns = [text("target", lambda line: shown(line[0] if line[1] == "all" else line[1]))]
    if several:
        columns.append(text("synthesis", lambda line: plain_text(line[2])))
    for place, column in enumerate(COLUMNS[3:], start=3):
        measure, _, side = column.partition("_")
        if side != "All" or whole:
            columns.append((GridColumn(side, above=measure), partial(_number, place)))
    return columns


def _number(place: int, line: Line) -> str:
    return number(line[place], ".4f") if COLUMNS[place].endswith("_R") else in_percent(line[place])
