"""`sqlrisk score`: measure synthetic files against their original."""

from typing import Any

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import Synthetic, asked, deliver, destination, named, read_by, running


@click.command()
@options.original
@options.synthetic
@options.question
@options.people
@options.named_syntheses
@options.save
@options.result
@options.run
def score(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Score synthetic files against their original.

    A list is one CSV line: COLUMNS are names with commas between, and an option may be repeated. A name with a comma
    is put in double quotes.

    \b
    Examples:
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income
      sqlrisk score original.csv 'syn_*.csv' --keys age,sex -o risk.json
      sqlrisk score original.parquet --keys age,sex \\
          --synthesis cart='cart_*.parquet' --synthesis rf='rf_*.parquet'
      sqlrisk score --scenario scenario.toml --format markdown
    """
    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    run_score(original, named(synthesis) if synthesis else list(synthetic) or None, form, output, given)


def run_score(original: str | None, synthetic: Synthetic, form: str | None, output: str | None, given: Any) -> None:
    """Score, and write the report to ``output`` or to standard output."""
    import sqlrisk

    question = asked(given)
    with destination(output, form, read_by(original, synthetic, given)) as (file, chosen):
        with running(given) as run:
            report = sqlrisk.score(original, synthetic, control=given.get("control"), save=given.get("save"), **question, **run)
        deliver(report, chosen, file)
