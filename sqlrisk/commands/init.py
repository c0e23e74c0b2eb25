"""`sqlrisk init`: draft a scenario from a look at the files."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import named, running


@click.command()
@options.original
@options.synthetic
@options.named_syntheses
@options.once("--output", "FILE", options.OUTPUT, "Where to save it: scenario.toml; default: standard output", short="-o")
@options.switch("--overwrite", panel=options.OUTPUT, words="Replace that file if it is there already")
@options.run
def init(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    output: str | None,
    overwrite: bool,
    **given: Any,
) -> None:
    """Draft a scenario file from a look at the files, for you to edit.

    It names every column with its type, its number of levels and missing values and how many people it singles out,
    and suggests keys, targets and bins. It holds counts, no value of a record.

    \b
    Examples:
      sqlrisk init original.parquet synthetic.parquet -o scenario.toml
      sqlrisk score --scenario scenario.toml
    """
    import sqlrisk

    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    with running(given) as run:
        text = sqlrisk.init(original, named(synthesis) if synthesis else list(synthetic), output, overwrite=overwrite, **run)
    if output is None:
        terminal.put(text.encode())
    elif not given["quiet"]:
        terminal.note(f"{output} is a draft: edit its keys and targets, then run sqlrisk score --scenario {output}")
