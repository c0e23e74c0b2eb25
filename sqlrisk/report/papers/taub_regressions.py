"""Regression lines of correct attribution over the number of pooled syntheses, as in Taub, Elliot,
Pampaka & Smith 2018, tables 2 and 3.

There is a model for each population and each of the two rules for non-matches: six for the
populations all, uniques and special uniques.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from sqlrisk.common.errors import InputError
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings
from sqlrisk.report.papers.raab_taub import RULES
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.sections.parts import LINE
from sqlrisk.report.wording import NOTHING, distinct, names, number, shown, split

COLUMNS = ("keys", "target", "method", "population", "measure", *LINE)
TITLE = "Correct attribution over the number of pooled syntheses, as in Taub 2018"
TERMS = {
    "intercept": ("intercept", "intercept_error", "intercept_p"),
    "m": ("slope", "slope_error", "p"),
}
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
WORDS = (
    (
        "A column is a line through the percentages of right guesses at m = 1, 2, ... pooled "
        "syntheses, by least squares: where it starts (m = 0), what each further synthesis adds, "
        "and in brackets their standard errors."
    ),
    "* p < 0.05, ** p < 0.01, *** p < 0.001, by Student's t.",
    (
        "Non-matches, people whose keys no synthetic record has, count as 0 (DCAP) or are left out "
        "(DCAP_matched)."
    ),
)


def regressions(reports: Sequence[Findings]) -> Table:
    """Return a table with intercept and slope as rows, populations and rules as columns.

    Each report has its own key set. Each target and each name of syntheses is a table. Raises
    InputError if no name has three syntheses.
    """
    rows = [row for report in reports for row in _lines(report)]
    if all(row["slope"] is None for row in rows):
        raise InputError(
            "taub2 draws a line over the number of pooled syntheses, for which three are needed: "
            "give three files or more, of one name where they have names (--synthesis NAME=GLOB)."
        )
    models = [*product(distinct(rows, "population"), RULES)]
    columns = [
        GridColumn("", label=True),
        *(GridColumn(RULES[measure], above=shown(population)) for population, measure in models),
    ]
    blocks: list[Block] = [Heading(TITLE, 1)]
    for keys, own in split(rows, "keys"):
        for (target, method), found in _tables(own):
            said = f"Keys: {shown(keys)}; target: {shown(target)}"
            said += "" if method is None else f"; synthesis: {shown(method)}"
            line_of = {(row["population"], row["measure"]): row for row in found}
            grid = [*_shown([line_of.get(model) for model in models])]
            blocks += [Heading(said), Grid(columns, grid, frozenset({0, 2}))]
    notes = dict.fromkeys(str(row["note"]) for row in rows)
    blocks.append(Items([*WORDS, *notes], quiet=True))
    return paper("taub2", TITLE, COLUMNS, lines(COLUMNS, rows), blocks, reports)


def _lines(report: Findings) -> list[Row]:
    """Return the unweighted regression lines of the original's people, with their keys."""
    keys = names(report.scenario["keys"])
    return [
        {**row, "keys": keys}
        for row in report.trends
        if row["measure"] in RULES and row["people"] == "original" and not row["weighted"]
    ]


def _tables(rows: Sequence[Row]) -> Iterator[tuple[tuple[object, object], list[Row]]]:
    for target, own in split(rows, "target"):
        for method, found in split(own, "method"):
            yield (target, method), found


def _shown(models: Sequence[Row | None]) -> Iterator[list[str]]:
    """Yield two lines of text for each term: its numbers with stars, then their standard errors."""
    for term, (value, error, p) in TERMS.items():
        numbers, errors = [term], [""]
        for row in models:
            numbers.append(NOTHING if row is None else number(row[value], ".3f") + _stars(row[p]))
            errors.append("" if row is None or row[error] is None else f"({row[error]:.3f})")
        yield from (numbers, errors)


def _stars(p: object) -> str:
    return next((stars for limit, stars in STARS.items() if isinstance(p, float) and p < limit), "")
