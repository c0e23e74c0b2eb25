"""Commands about intruders: attack, sweep."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sqlrisk.cli import options, terminal
from sqlrisk.cli.running import asked, deliver, destination, named, read_by, running

if TYPE_CHECKING:
    from sqlrisk import Sweep


@click.command()
@options.original
@options.synthetic
@options.often("--keys", "COLUMNS", options.QUESTION, "What the intruder knows: age,sex")
@options.often("--targets", "COLUMNS", options.QUESTION, "What the intruder wants to learn; default: every other column")
@options.often("--bins", "COLUMN=N", options.QUESTION, "Cut a numeric column into N quantile bins: age=10")
@options.often("--special", "COLUMN=VALUE", options.QUESTION, "A value that stays a level of its own beside the bins: income=-8")
@options.once("--scenario", "FILE", options.QUESTION, "Settings from a TOML file, named as here with _ for -; options win")
@options.named_syntheses
@options.attackers
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


SUBSETS = "Which subsets"
PARTS = ("subsets", "summary", "contributions")
LAYOUTS = ("hittmeir",)


@click.command()
@options.original
@options.synthetic
@options.often("--key-length", "N", SUBSETS, "How many keys a subset has: 3,4; default: all, from 1 to all keys")
@options.switch("--reference", panel=options.CLOSER, words="Add the original against itself")
@options.once(
    "--sort", "ORDER", options.CLOSER, "Of the subsets in text: a measure, key_length, keys or nonmatches; default: DiSCO"
)
@options.once("--top", "N", options.CLOSER, "How many subsets text shows; default: 10", default="10")
@options.once(
    "--layout",
    "hittmeir",
    options.CLOSER,
    "A table as in Hittmeir 2020: files as rows, with the reference",
    type=click.Choice(LAYOUTS),
)
@options.once("--part", "|".join(PARTS), options.CLOSER, "One part of the result alone, as a table", type=click.Choice(PARTS))
@options.attackers
@options.question
@options.people
@options.intruder
@options.named_syntheses
@options.work_limit
@options.result
@options.run
def sweep(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    key_length: tuple[str, ...],
    reference: bool,
    attackers: tuple[str, ...],
    sample: str | None,
    seed: str | None,
    preset: str | None,
    sort: str | None,
    top: str,
    layout: str | None,
    part: str | None,
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Take the measures for every subset of the keys: what each intruder learns who knows some of them.

    Shown are mean, standard deviation, least and greatest by number of keys, what each key adds, and the riskiest subsets.
    A .parquet, .csv or .json file holds a row for every subset. Default measures: UiO, Dorig, DiSCO, baseCAPd, CAPd, DCAP
    and accuracy_ICAP.

    \b
    Examples:
      sqlrisk sweep original.parquet synthetic.parquet \\
          --keys age,sex,race,education --targets income
      sqlrisk sweep original.parquet synthetic.parquet \\
          --keys age,sex,race,education --key-length 2,3 -o subsets.parquet
      sqlrisk sweep original.parquet --keys age,sex,race --key-length 2 \\
          --synthesis cart='cart_*.parquet' --synthesis rf=rf.parquet \\
          --targets income --measures accuracy_ICAP --layout hittmeir
    """
    import sqlrisk

    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    if layout is not None and part is not None:
        raise click.UsageError("--layout prints a table of its own; leave out --part.")
    files = named(synthesis) if synthesis else list(synthetic) or None
    more: dict[str, Any] = {"key_length": ",".join(key_length) or None, "sort": sort, "top": top}
    more |= {"attackers": list(attackers) or None, "sample": sample, "seed": seed, "preset": preset}
    question = asked(given)
    if layout is not None:
        question.setdefault("measures", own_measures(given["scenario"]))
    inputs = list(read_by(original, files, given))

    def run_sweep(**to: Any) -> "Sweep":
        with running(given) as run:
            return sqlrisk.sweep(
                original,
                files,
                control=given.get("control"),
                reference=reference or layout is not None,
                **more,
                **question,
                **to,
                **run,
            )

    rows = output is not None and Path(output).suffix.lower() == ".parquet" and layout is None and part in (None, "subsets")
    if rows and form is None:
        found = run_sweep(output=output, inputs=inputs)
        if not given["quiet"]:
            terminal.note(f"{found.count:,} subsets of the keys in {output}.")
        return
    with destination(output, form, inputs) as (file, chosen):
        found = run_sweep()
        name = layout or part
        deliver(found if name is None else found.table(name), chosen, file)


def own_measures(scenario: str | None) -> list[str] | None:
    """Return the measures of the layout; None where a scenario file says which."""
    from sqlrisk.inputs.scenario_file import read_file
    from sqlrisk.report.papers.hittmeir import MEASURES

    if scenario is not None and "measures" in read_file(scenario):
        return None
    return list(MEASURES)
