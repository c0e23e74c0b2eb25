"""Commands about intruders: attack, sweep."""

from pathlib import Path
from typing import Any

import rich_click as click

import sqlrisk
from sqlrisk.cli import options, running
from sqlrisk.cli.command import command
from sqlrisk.inputs.fields import CLOSER


@command()
@options.files
@options.columns
@options.named_syntheses
@options.settings("split", "split_in", "control", "id")
@options.own(sqlrisk.attack)
@options.verbose
@options.drawn_result_of_run
def attack(**given: Any) -> None:
    """Guess people's targets from their keys, after learning from the synthetic files, and count
    who is right.

    Attackers learn from each synthetic file, from the original itself (the upper reference) and
    from control. They guess for the people of the original and of control. baselines (majority,
    marginal, uniform) know no keys. sql (exact_match, naive_bayes, one_rule) learn from whole
    files. sklearn (CategoricalNB, SVC, KNeighbors, RandomForest, LogisticRegression, ENS) need the
    extra attack and learn from samples.

    \b
    Examples:
      sqlrisk attack original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk attack original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --control control.parquet -o attacks.json
      sqlrisk attack original.parquet synthetic.parquet --keys age,sex \\
          --attackers baselines,sql,sklearn --sample 5000 --seed 7
    """
    running.run(sqlrisk.attack, given, draws="attack")


PARTS = ("subsets", "summary", "contributions")
LAYOUTS = ("hittmeir",)


@command()
@options.files
@options.own(sqlrisk.sweep)
@options.choice(
    "--layout",
    LAYOUTS,
    CLOSER,
    "Print the table of Hittmeir 2020: a row for each file and for the reference",
)
@options.choice("--part", PARTS, CLOSER, "Show one part of the result only, as a table")
@options.question
@options.people
@options.intruder
@options.named_syntheses
@options.setting("work_limit")
@options.verbose
@options.drawn_result_of_run
def sweep(**given: Any) -> None:
    """Compute the measures for every subset of the keys, for intruders who know only some of them.

    The result has the riskiest subsets, what each key adds, and mean, standard deviation, minimum
    and maximum by number of keys. On the screen, the last line names any section that did not fit.
    A .parquet, .csv or .json file holds a row for every subset.
    Default measures: UiO, Dorig, DiSCO, baseCAPd, CAPd, DCAP and accuracy_ICAP.

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
    from sqlrisk.inputs.scenario_file import read_file
    from sqlrisk.report.papers.hittmeir import MEASURES

    form, output, layout, part = (given[name] for name in ("form", "output", "layout", "part"))
    if layout is not None and part is not None:
        raise click.UsageError("--layout prints its own table; leave out --part.")
    if layout is not None:
        given["reference"] = True
        if given["scenario"] is None or "measures" not in read_file(given["scenario"]):
            given["measures"] = given["measures"] or MEASURES
    inputs = list(running.input_paths(given))
    if (
        form is None
        and layout is None
        and part in (None, "subsets")
        and given["figure"] is None  # refused below
        and Path(output or "").suffix.lower() == ".parquet"
    ):
        with running.called(sqlrisk.sweep, given) as how:
            found = sqlrisk.sweep(inputs=inputs, **how)
        running.tell(given, found)
        running.remark(given, f"{found.count:,} subsets of the keys in {output}.")
        return
    draws = "layout" if layout is not None else "sweep" if part is None else None
    with running.destination(output, form, inputs, draws=draws, figure=given["figure"]) as (
        file,
        shape,
    ):
        with running.called(sqlrisk.sweep, {**given, "output": None}) as how:
            found = sqlrisk.sweep(**how)
        name = layout or part
        shown = found if name is None else found.table(name)
        how = running.brief(given, shape, file)
        running.write_result(shown, shape, file, figure=given["figure"], **how)
    running.tell(given, found)
