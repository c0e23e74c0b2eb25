"""`sqlrisk records`: the risk of each record, as a file."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import asked, named, read_by, running


@click.command()
@options.original
@options.synthetic
@options.question
@options.weights
@options.named_syntheses
@options.once("--of", "WHICH", options.OUTPUT, "Which synthesis: 1, cart 2; default: all pooled")
@options.once("--side", "SIDE", options.OUTPUT, "original: people; synthetic: its records; default: original", default="original")
@options.once("--output", "FILE", options.OUTPUT, "A .parquet or .csv file", required=True, short="-o")
@options.run
def records(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    of: str | None,
    side: str,
    output: str,
    **given: Any,
) -> None:
    """Write the risk of each record to a file: one row per person, in the order of the original.

    The file is microdata: readable by you alone, to be kept where the original is kept.

    \b
    Examples:
      sqlrisk records original.parquet synthetic.parquet \\
          --keys age,sex --targets income -o risk.parquet
      sqlrisk records original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income --of 2 --side synthetic -o weap.csv
    """
    import sqlrisk

    files = named(synthesis) if synthesis else list(synthetic) or None
    with running(given) as run:
        count = sqlrisk.records(
            original, files, output, synthesis=of, side=side, inputs=list(read_by(original, files, given)), **asked(given), **run
        )
    if not given["quiet"]:
        terminal.note(f"{count:,} records in {output}. They are microdata: keep the file where the original is kept.")
