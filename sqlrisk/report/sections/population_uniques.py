"""How many people in the population are unique on their keys, by model, as blocks."""

from collections.abc import Iterator

from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Number, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections.cells import label, number
from sqlrisk.report.wording import Row, amount, are

TITLE = "Population uniques: how many people of the population are unique on their keys, by model"
SAYS = (
    "Of {sample:,} people of a population of {population:,}, {sample_uniques:,} {are} unique on "
    "their keys in the original. No sample can tell how many are unique in the population, or "
    "how many of these people are. Each model assumes how class sizes are distributed. For a "
    "small share of the population, the models differ widely."
)


def blocks(report: Findings) -> Iterator[Block]:
    """Yield a table with a row for each model, and notes about it."""
    rows = report.population_uniques
    yield Heading(TITLE)
    yield table(
        [
            label("model"),
            (GridColumn("of the population"), _number),
            number("percent", "percent of sample uniques", "percent"),
        ],
        rows,
    )
    yield Items(
        [
            SAYS.format(**rows[0], are=are(rows[0]["sample_uniques"])),
            *(str(row["note"]) for row in rows if row["note"] is not None),
        ],
        quiet=True,
    )


def _number(row: Row) -> Number:
    value, name = row["population_uniques"], "population_uniques"
    text = f"{value:,.1f}" if isinstance(value, float) else amount(value)
    return Number(text, row, name)
