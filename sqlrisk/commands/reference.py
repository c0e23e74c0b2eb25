"""`sqlrisk reference`: what chance alone would do."""

from typing import Any

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import asked, deliver, destination, read_by, running


@click.command()
@options.original
@options.often("--keys", "COLUMNS", options.QUESTION, "What the intruder knows: age,sex")
@options.often("--targets", "COLUMNS", options.QUESTION, "What the intruder wants to learn; default: every other column")
@options.often("--bins", "COLUMN=N", options.QUESTION, "Cut a numeric column into N quantile bins: age=10")
@options.often("--special", "COLUMN=VALUE", options.QUESTION, "A value that stays a level of its own beside the bins: income=-8")
@options.once("--scenario", "FILE", options.QUESTION, "Settings from a TOML file, named as here with _ for -; options win")
@options.once("--random", "N", options.QUESTION, "How many random tables; default: 1000", type=int, default=1000)
@options.once(
    "--seed", "S", options.QUESTION, "Begins the random numbers: the same tables again; default: 1", type=int, default=1
)
@options.result
@options.run
def reference(*, original: str | None, random: int, seed: int, form: str | None, output: str | None, **given: Any) -> None:
    """Show the average CAP of random tables of the original's size.

    For small tables: each record falls into any class and level of the original alike. The original's own average CAP is
    compared with theirs. Up to 10 million counts (classes by levels by tables) for each target.

    \b
    Examples:
      sqlrisk reference original.parquet --keys smoking --targets ill
      sqlrisk reference original.csv --keys age,sex --bins age=4 \\
          --targets ill --random 5000 --seed 7 -o reference.json
    """
    import sqlrisk

    inputs = read_by(original, None, {"measures_from": None, **given})
    with destination(output, form, inputs) as (file, chosen):
        with running(given) as run:
            result = sqlrisk.reference(original, random=random, seed=seed, **asked(given), **run)
        deliver(result, chosen, file)
