"""`sqlrisk sql`: print the SQL of a measure."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import asked


@click.command()
@options.measure
@options.original
@options.synthetic
@options.question
@options.identity
@options.intruder
@options.types
@options.dialect
@options.switch("--one", panel=options.OUTPUT, words="Only the measure's own SELECT over the stages")
@options.trace
def sql(
    *,
    measure: str,
    original: str | None,
    synthetic: tuple[str, ...],
    dialect: str,
    one: bool,
    types: tuple[str, ...],
    **given: Any,
) -> None:
    """Print the SQL of a measure, from the files to the number, ready to run.

    Without files it is written for one integer column per key and target.

    \b
    Examples:
      sqlrisk sql DiSCO
      sqlrisk sql DiSCO --one
      sqlrisk sql DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk sql DCAP --keys age,sex --targets income --dialect clickhouse
    """
    import sqlrisk

    text = sqlrisk.sql(measure, original, list(synthetic) or None, dialect=dialect, one=one, types=types or None, **asked(given))
    terminal.put(text.rstrip().encode() + b"\n")
