"""`sqlrisk lookup`: what an intruder would see."""

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import deliver, destination


@click.command()
@options.synthetic
@options.often("--key", "COLUMN=LEVEL", options.QUESTION, "What the intruder knows of one person: age=57")
@options.often("--missing", "COLUMNS", options.QUESTION, "Keys whose level is known to be missing")
@options.often("--targets", "COLUMNS", options.QUESTION, "What to look up; default: every column that is no key")
@options.result
@options.trace
def lookup(
    *,
    synthetic: tuple[str, ...],
    key: tuple[str, ...],
    missing: tuple[str, ...],
    targets: tuple[str, ...],
    form: str | None,
    output: str | None,
) -> None:
    """Show what someone who knows a person's keys would see in the synthetic files.

    Instead of files, name a run that score --save wrote: there a level stands for its bin.

    \b
    Examples:
      sqlrisk lookup synthetic.parquet --key age=57 --key sex=F --targets income
      sqlrisk lookup risk.duckdb --key age=57 --key sex=F
    """
    import sqlrisk

    with destination(output, form, synthetic) as (file, chosen):
        found = sqlrisk.lookup(
            list(synthetic), key=list(key), missing=",".join(missing) or None, targets=",".join(targets) or None
        )
        deliver(found, chosen, file)
