"""`sqlrisk query`: ask a saved run in SQL."""

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import deliver, destination


@click.command()
@click.argument("saved", type=click.Path(), panel=options.FILES, help="A file that score --save wrote")
@click.argument("statement", panel=options.QUESTION, help="SQL over its tables and views; see sqlrisk guide saved")
@options.result
@options.trace
def query(*, saved: str, statement: str, form: str | None, output: str | None) -> None:
    """Ask a saved run in SQL; it is opened to be read only.

    \b
    Examples:
      sqlrisk query risk.duckdb "SHOW TABLES"
      sqlrisk query risk.duckdb "SELECT target, count(*) FROM risky_disco GROUP BY ALL"
    """
    import sqlrisk

    with destination(output, form, [saved], private=True) as (file, chosen):
        deliver(sqlrisk.query(saved, statement), chosen, file)
