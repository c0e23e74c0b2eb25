"""`sqlrisk uniques`: which few keys single a person out."""

from pathlib import Path
from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import destination, read_by, running

DISCLOSIVE = "Disclosive: this file has a row for each person of the original. Keep it where the original is kept."
ROWS = (".parquet", ".csv")
SEARCH = "How it is scored"


@click.command()
@click.argument("file", required=False, type=click.Path(), panel=options.FILES, help="Parquet or CSV: a file, a glob or a folder")
@options.often("--keys", "COLUMNS", options.QUESTION, "What the intruder knows: age,sex")
@options.often("--bins", "COLUMN=N", options.QUESTION, "Cut a numeric key into N quantile bins: age=10")
@options.often("--special", "COLUMN=VALUE", options.QUESTION, "A value that stays a level of its own beside the bins: income=-8")
@options.often("--missing-value", "VALUE", options.QUESTION, "A value of any key that stands for a missing one: -9")
@options.once("--max-size", "N", SEARCH, "The most keys in a set; default: all of them")
@options.once("--sampling-fraction", "F", SEARCH, "The share of the population that is in the file; default: 0.01")
@options.once("--scoring", "NAME", SEARCH, "elliot or ihsn; default: elliot")
@options.once("--work-limit", "N", SEARCH, "The most class visits (sets of keys times classes); default: 20000000000")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "markdown")),
    metavar="text|json|markdown",
    panel=options.OUTPUT,
    help="Of the summary; default: text",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    panel=options.OUTPUT,
    help="A .parquet or .csv file: a row per record; a .txt .json or .md file: the summary",
)
@options.run
def uniques(
    *,
    file: str | None,
    keys: tuple[str, ...],
    bins: tuple[str, ...],
    special: tuple[str, ...],
    missing_value: tuple[str, ...],
    form: str | None,
    output: str | None,
    max_size: str | None,
    sampling_fraction: str | None,
    scoring: str | None,
    work_limit: str | None,
    **given: Any,
) -> None:
    """Find special uniques (SUDA): people whom few of the keys single out.

    Without -o a summary is printed. With -o FILE.parquet or FILE.csv each record gets a row, in the order of the file:
    record (from 1), suda_score, dis_suda and contribution_KEY, each key's share of the score; 0 for a person whom no keys
    single out. That file is readable by you alone.

    \b
    Examples:
      sqlrisk uniques original.parquet --keys age,sex,region
      sqlrisk uniques original.parquet --keys age,sex,region \\
          --sampling-fraction 0.05 -o scores.parquet
      sqlrisk uniques original.csv --keys age,sex,region,job,school \\
          --bins age=10 --missing-value -9 --max-size 3
    """
    import sqlrisk

    lists = {"keys": keys, "bins": bins, "special": special}
    settings: dict[str, Any] = {name: ",".join(lines) or None for name, lines in lists.items()}
    settings |= {"max_size": max_size, "sampling_fraction": sampling_fraction, "scoring": scoring, "work_limit": work_limit}
    settings["missing_value"] = list(missing_value)
    inputs = list(read_by(file, None, {"scenario": None, "measures_from": None}))
    if output is not None and Path(output).suffix.lower() in ROWS:
        if form is not None:
            raise click.UsageError(f"The output {output!r} holds rows; --format is of the summary, which is not written with it.")
        with running(given) as run:
            sqlrisk.uniques(file, output=output, **settings, **run)
        if not given["quiet"]:
            terminal.note(DISCLOSIVE)
        return
    with destination(output, form, inputs) as (opened, chosen):
        with running(given) as run:
            found = sqlrisk.uniques(file, **settings, **run)
        if opened is not None:
            opened.write(str(getattr(found, f"to_{chosen}")()).encode())
        elif chosen == "text":
            terminal.put(terminal.encoded(found.to_text(width=terminal.width(), colour=terminal.colour())))
        else:
            terminal.put(str(getattr(found, f"to_{chosen}")()).encode())
