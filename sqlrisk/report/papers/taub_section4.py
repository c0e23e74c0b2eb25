"""Differential confidentiality as in Taub, Elliot, Pampaka & Smith 2018, section 4.3: people in the
synthesis against people outside.

Columns are the two means of the record-level CAP, their difference, Welch's t, its degrees of
freedom and p: once with non-matches as zero, once without non-matches. Rows are numbers of pooled
syntheses.
"""

from functools import partial
from operator import itemgetter

from sqlrisk.common.errors import InputError
from sqlrisk.report.blocks import Block, Cell, GridColumn, Heading, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.sections.cells import label, number, text
from sqlrisk.report.wording import (
    amount,
    distinct,
    plain_text,
    pools,
    probability,
    shown,
    split,
    varying,
)

# measure -> how it counts a non-match, which begins the names of its columns
RULES = {"DCAP": "zero", "DCAP_matched": "left_out"}
SPOKEN = {"zero": "non-matches as zero", "left_out": "non-matches left out"}
# name of a number in this table -> its name in the report
NUMBERS = {
    "in": "original",
    "out": "control",
    "difference": "difference",
    "t": "t",
    "df": "df",
    "p": "p",
}
COLUMNS = (
    "target",
    "population",
    "method",
    "m",
    *(f"{rule}_{name}" for rule in RULES.values() for name in NUMBERS),
)
TITLE = "Differential confidentiality: record-level CAP of those in the synthesis and outside"
WORDS = (
    "in and out are means in percent, m is the number of pooled syntheses, t is Welch's. If those "
    "outside are guessed as well as those in the synthesis, the synthesis did not add the risk."
)


def differential(report: Findings) -> Table:
    """Return a table that compares people in the synthesis with those outside, with a row for each
    number m of pooled syntheses.

    The means are percentages. Undefined numbers are None. Raises InputError if the report has no
    control or lacks DCAP or DCAP_matched.
    """
    measured = {row["measure"] for row in report.differences}
    if report.control is None or not measured.issuperset(RULES):
        raise InputError(
            "taub4 compares people in the synthesis with people outside, by the measures DCAP and "
            "DCAP_matched: give the others as --control FILE, or as a half of the original with "
            "--split COLUMN --split-in LEVEL."
        )
    columns = (
        text("", itemgetter("half")),
        label("source", "file"),
        number("records", "N_d"),
        number("classes"),
    )
    halves = [{"half": "in", **report.original}, {"half": "out", **report.control}]
    blocks: list[Block] = [Heading(TITLE, 1), table(columns, halves)]
    rows = _rows(report)
    cells: list[Cell[Row] | None] = [
        *(label(name, once=True) for name in varying(rows, ("population", "method"))),
        label("m"),
        *(
            (GridColumn(name, above=SPOKEN[rule]), partial(_number, rule, name))
            for rule in RULES.values()
            for name in NUMBERS
        ),
    ]
    for target, own in split(rows, "target"):
        blocks += [
            Heading(shown(target)),
            table(cells, own, lambda row: (row["population"], row["method"])),
        ]
    blocks.append(Paragraph(plain_text(WORDS), quiet=True))
    return paper("taub4", TITLE, COLUMNS, lines(COLUMNS, rows), blocks, [report])


def _rows(report: Findings) -> list[Row]:
    """Return a row for each target, population, name of syntheses, and number m of pooled ones."""
    found = {
        (row["target"], row["population"], row["synthesis"], row["measure"]): row
        for row in report.differences
        if row["at"] is None and not row["weighted"] and row["measure"] in RULES
    }
    told: list[Row] = []
    for target, population in dict.fromkeys(place[:2] for place in found):
        for method, m, synthesis in pools(distinct(report.differences, "synthesis")):
            row = {"target": target, "population": population, "method": method or None, "m": m}
            for measure, rule in RULES.items():
                own = found.get((target, population, synthesis, measure), {})
                row |= {f"{rule}_{name}": own.get(of) for name, of in NUMBERS.items()}
            told.append(row)
    return told


def _number(rule: str, name: str, row: Row) -> str:
    value = row[f"{rule}_{name}"]
    if name == "p":
        return probability(value)
    return amount(value, "percent" if name in ("in", "out", "difference") else "")
