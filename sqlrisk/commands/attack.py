"""`sqlrisk attack`: guess people's targets from a file, and count who is right."""

from typing import Any

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import asked, deliver, destination, named, read_by, running

ATTACKERS = "Who attacks"


@click.command()
@options.original
@options.synthetic
@options.often("--keys", "COLUMNS", options.QUESTION, "What the intruder knows: age,sex")
@options.often("--targets", "COLUMNS", options.QUESTION, "What the intruder wants to learn; default: every other column")
@options.often("--bins", "COLUMN=N", options.QUESTION, "Cut a numeric column into N quantile bins: age=10")
@options.often("--special", "COLUMN=VALUE", options.QUESTION, "A value that stays a level of its own beside the bins: income=-8")
@options.once("--scenario", "FILE", options.QUESTION, "Settings from a TOML file, named as here with _ for -; options win")
@options.named_syntheses
@options.often(
    "--attackers", "NAMES", ATTACKERS, "Attackers, or groups: baselines, sql, sklearn; default: baselines,sql"
)  # fmt: skip
@options.once("--sample", "N", ATTACKERS, "The most records that those of sklearn learn from and are tried on; default: 10000")
@options.once("--seed", "S", ATTACKERS, "Begins the random numbers of samples and models; default: 1")
@options.once("--preset", "NAME", ATTACKERS, "current: the library's defaults; sklearn-0.20: those of that version")
@options.once("--split", "COLUMN", options.PEOPLE, "With --split-in: the original's people with that level were in the synthesis")
@options.once("--split-in", "LEVEL", options.PEOPLE, "That level; all other people are control")
@options.once("--control", "FILE", options.PEOPLE, "People who were not in the synthesis, to compare with", type=click.Path())
@options.identity
@options.once("--confidence", "LEVEL", options.PEOPLE, "Of the intervals; default: 0.95")
@options.work_limit
@options.result
@options.run
def attack(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    attackers: tuple[str, ...],
    sample: str | None,
    seed: str | None,
    preset: str | None,
    control: str | None,
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Guess people's targets from their keys, after learning from the synthetic files, and count who is right.

    Attackers learn from each synthetic file, from the original itself (the upper reference) and from control, and are tried on
    the people of the original and of control. baselines (majority, marginal, uniform) know no keys. sql (exact_match,
    naive_bayes, one_rule) learn from whole files. sklearn (CategoricalNB, SVC, KNeighbors, RandomForest, LogisticRegression,
    ENS) need the extra attack and learn from samples.

    \b
    Examples:
      sqlrisk attack original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk attack original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --control control.parquet -o attacks.json
      sqlrisk attack original.parquet synthetic.parquet --keys age,sex \\
          --attackers baselines,sql,sklearn --sample 5000 --seed 7
    """
    import sqlrisk

    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    files = named(synthesis) if synthesis else list(synthetic) or None
    settings: dict[str, Any] = {"sample": sample, "seed": seed, "preset": preset}
    inputs = read_by(original, files, {"measures_from": None, "control": control, **given})
    with destination(output, form, inputs) as (file, chosen):
        with running(given) as run:
            result = sqlrisk.attack(
                original, files, control=control, attackers=list(attackers) or None, **settings, **asked(given), **run,
            )  # fmt: skip
        deliver(result, chosen, file)
