"""`sqlrisk protect`: write a file without the records that single people out."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import asked, read_by, running


@click.command()
@click.argument("synthetic", required=False, type=click.Path(), panel=options.FILES, help="Parquet or CSV: the file to protect")
@options.once("--original", "FILE", options.FILES, "The original: a file, a glob or a folder", type=click.Path())
@options.often("--keys", "COLUMNS", options.QUESTION, "What the intruder knows: age,sex")
@options.often("--targets", "COLUMNS", options.QUESTION, "Measure these too: DiSCO and DCAP; default: none")
@options.often("--bins", "COLUMN=N", options.QUESTION, "Cut a numeric column into N quantile bins: age=10")
@options.often("--special", "COLUMN=VALUE", options.QUESTION, "A value that stays a level of its own beside the bins")
@options.once("--scenario", "FILE", options.QUESTION, "Settings from a TOML file, named as here with _ for -; options win")
@options.once("--output", "FILE", options.OUTPUT, "What to write: .parquet .csv .csv.gz", short="-o", required=True)
@options.once(
    "--side", "SIDE", options.OUTPUT, "synthetic: without replicated uniques; original: without uniques; default: synthetic",
    default="synthetic",
)  # fmt: skip
@options.once(
    "--flag", "NAME", options.OUTPUT, "Keep all records; a column tells which are unique; default: replicated_unique",
    is_flag=False, flag_value="",
)  # fmt: skip
@options.once("--label", "COLUMN=TEXT", options.OUTPUT, "Mark every record with a text: origin=synthetic")
@options.form
@options.run
def protect(
    *,
    synthetic: str | None,
    original: str | None,
    output: str,
    side: str,
    flag: str | None,
    label: str | None,
    form: str | None,
    **given: Any,
) -> None:
    """Write a synthetic file without its replicated uniques, for release.

    A replicated unique is the only record with its keys, and one person of the original is the only one with them: whoever
    looks for that person finds it. All other records, their columns, types and order stay. The measures before and after
    are printed. The file is readable by you alone until you say otherwise.

    With --side original the original is written without its uniques, to make a synthesis from; it needs no synthetic file.

    \b
    Examples:
      sqlrisk protect synthetic.parquet --original original.parquet \\
          --keys age,sex -o release.parquet
      sqlrisk protect synthetic.csv --original original.csv \\
          --keys age,sex --label origin=synthetic -o release.csv --flag
      sqlrisk protect --side original --original original.parquet \\
          --keys age,sex -o common.parquet
    """
    import sqlrisk

    if synthetic is None and side == "synthetic" and flag and given["scenario"] is None:
        raise click.UsageError("Name the synthetic file. After --flag comes a name: put --flag last, or write --flag=NAME.")
    settings = {**dict.fromkeys((*options.SCENARIO, "measures_from")), **given}
    with running(given) as run:
        done = sqlrisk.protect(
            synthetic, output, original=original, side=side, flag=True if flag == "" else flag or False, label=label,
            inputs=list(read_by(original, [synthetic] if synthetic else None, settings)), **asked(settings), **run,
        )  # fmt: skip
    if form in (None, "text"):
        terminal.put(terminal.encoded(done.to_text(width=terminal.width(), colour=terminal.colour())))
    else:
        terminal.put(getattr(done, f"to_{form}")().encode())
    if not given["quiet"]:
        terminal.note(f"{done.written:,} records in {output}.")
