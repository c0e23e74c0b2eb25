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
@options.often(
    "--synthesis", "NAME", options.QUESTION, "Which one: 1, cart 2; default: all pooled. NAME=GLOB names files, as for score"
)
@options.once("--side", "SIDE", options.OUTPUT, "original: people; synthetic: its records; default: original", default="original")
@options.identity
@options.switch("--gcap", panel=options.OUTPUT, words="Add the nearest synthetic records: radius, share, vote")
@options.switch("--suda", panel=options.OUTPUT, words="Add the scores of special uniques")
@options.switch("--diversity", panel=options.OUTPUT, words="Add the l-diversity of each person's class")
@options.once("--output", "FILE", options.OUTPUT, "A .parquet or .csv file", required=True, short="-o")
@options.work_limit
@options.run
def records(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    side: str,
    gcap: bool,
    suda: bool,
    diversity: bool,
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
          --keys age,sex --targets income --synthesis 2 --side synthetic -o weap.csv
    """
    import sqlrisk

    groups = [value for value in synthesis if "=" in value]
    chosen = [value for value in synthesis if "=" not in value]
    if len(chosen) > 1:
        raise click.UsageError("Name one synthesis with --synthesis NAME, or leave it out for all of them pooled.")
    if groups and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    files = named(groups) if groups else list(synthetic) or None
    with running(given) as run:
        count = sqlrisk.records(
            original,
            files,
            output,
            synthesis=chosen[0] if chosen else None,
            side=side,
            gcap=gcap,
            suda=suda,
            diversity=diversity,
            inputs=list(read_by(original, files, given)),
            **asked(given),
            **run,
        )
    if not given["quiet"]:
        terminal.note(f"{count:,} records in {output}. They are microdata: keep the file where the original is kept.")
