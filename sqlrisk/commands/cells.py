"""`sqlrisk cells`: list the cells behind a number."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import asked, deliver, destination, read_by, running

DISCLOSIVE = "Disclosive: this listing shows levels and counts of real people. Keep it where the original is kept."


@click.command()
@options.measure
@options.original
@options.synthetic
@options.question
@options.once("--synthesis", "WHICH", options.OUTPUT, "Which synthesis; default: 1", default="1")
@options.once("--limit", "N", options.OUTPUT, "How many cells; default: 20", type=click.IntRange(min=1), default=20)
@options.result
@options.run
def cells(
    *,
    measure: str,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: str,
    limit: int,
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """List the cells that make a measure, most people first.

    The listing shows levels and counts of real people: it is disclosive, and a file of it is readable by you alone.

    \b
    Examples:
      sqlrisk cells DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk cells repU original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --synthesis 2 --limit 100 -o cells.csv
    """
    import sqlrisk

    question, files = asked(given), list(synthetic) or None
    with destination(output, form, read_by(original, files, given), private=True) as (file, chosen):
        with running(given) as run:
            listing = sqlrisk.cells(measure, original, files, synthesis=synthesis, limit=limit, **question, **run)
        deliver(listing, chosen, file)
    if not given["quiet"]:
        terminal.note(DISCLOSIVE)
