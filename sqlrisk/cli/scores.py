"""Commands that score: score, cells, reference, demo."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import rich_click as click
from click import get_current_context

from sqlrisk.cli import options, running
from sqlrisk.common.output_files import MANIFEST
from sqlrisk.inputs.fields import OUTPUT, QUESTION

OUTSIDE = ".external-manifest.json"  # what the manifest of an external result adds to its name
THRESHOLD = 10
WANTED = {"distributions": "distributions", "trends": "trend"}  # the setting that a part needs


@click.command()
@options.files
@options.question
@options.people
@options.intruder
@options.closer
@options.setting("work_limit")
@options.named_syntheses
@options.policy
@options.setting("save")
@options.result
@options.page
@options.run_options
def score(*, original: str | None, synthetic: tuple[str, ...], synthesis: tuple[str, ...], **given: Any) -> None:
    """Score synthetic files against their original.

    A list is one CSV line: COLUMNS are names with commas between, and an option may be repeated. A name with a comma
    is put in double quotes. With -o risk.json the manifest of the run is written beside it, to risk.json.manifest.json, which
    sqlrisk rerun repeats; but not with --layout.

    \b
    Examples:
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --targets income
      sqlrisk score original.csv 'syn_*.csv' --keys age,sex -o risk.json
      sqlrisk score original.csv 'syn_*.csv' --keys age,sex -o risk.html
      sqlrisk score original.parquet --keys age,sex \\
          --synthesis cart='cart_*.parquet' --synthesis rf='rf_*.parquet'
      sqlrisk score original.parquet 'syn_*.parquet' --keys age,sex \\
          --distributions --trend
      sqlrisk score original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --keys age,sex,region --layout taub
      sqlrisk score original.parquet 'syn_*.parquet' --keys age,sex \\
          --aligned --id person
      sqlrisk score original.parquet 'syn_*.parquet' --keys age,sex \\
          --assume saturated --prior 1
      sqlrisk score --scenario scenario.toml --policy policy.toml -o risk.json
      sqlrisk score --scenario scenario.toml --format markdown
      sqlrisk score --scenario scenarios.toml#neighbour
    """
    run_score(original, running.synthetic_files(synthetic, synthesis), given)


def run_score(original: str | None, synthetic: running.Synthetic, given: Any) -> None:
    """Score, and write the report to a file, with its manifest beside it, or to standard output."""
    import sqlrisk
    from sqlrisk.inputs.scenario_file import read_scenarios
    from sqlrisk.report.formats.tabular import to_json

    question, output, scenario = running.scenario_settings(given), given["output"], given.get("scenario")
    layout, part = given.get("layout"), given.get("part")
    several = scenario is not None and bool(read_scenarios(scenario)[1])  # and none of them is named
    refuse_together(given, question, several=several)
    if part in WANTED:
        question[WANTED[part]] = True
    failure: sqlrisk.PolicyError | None = None
    inputs = list(running.input_paths(given, original, synthetic))
    outside = given.get("report") == "external"
    recorded = None if layout or several else output
    with (
        running.destination(output, given["form"], inputs, shared=outside) as (file, form),
        running.destination(recorded and recorded + MANIFEST, None, inputs) as (manifest, _),
        running.destination(recorded + OUTSIDE if recorded and outside else None, None, inputs, shared=True) as (told, _),
    ):
        whole = layout is None and part is None and not several
        how = of_page(given, form, whole=whole)
        page = whole and form == "html"
        if page:
            question |= drawn(question, scenario)
        with running.run_arguments(given) as limits:
            if several:
                del question["scenario"]
                result: sqlrisk.Report | sqlrisk.Reports | sqlrisk.Table = sqlrisk.score_all(
                    scenario, original, synthetic, **question, **limits
                )
            elif layout is not None:
                question["keys"] = key_sets(given["keys"]) if layout == "taub" else question.get("keys")
                result = sqlrisk.tabulate(layout, original, synthetic, **question, **limits)
            else:
                try:
                    question |= {name: given.get(name) for name in ("save", "policy")}
                    listings = page and not outside
                    result = sqlrisk.score(original, synthetic, listings=listings, **question, **limits)
                except sqlrisk.PolicyError as error:  # the numbers are there, and are what the custodian decides on
                    result, failure = error.report, error
        if isinstance(result, sqlrisk.Report):
            result = result.by_command(shlex.join(["sqlrisk", *get_current_context().find_root().obj]))
            if manifest is not None:
                manifest.write(to_json(result.manifest()).encode())
            if outside:
                result = result.external(how.pop("threshold", THRESHOLD))
            if told is not None:
                told.write(to_json(result.manifest()).encode())
            if part is not None:
                result = result.table(part)
        running.write_result(result, form, file, **how)
    running.tell(given, result)
    if outside and recorded:
        name = Path(recorded).name
        running.remark(
            given,
            f"{name} and {name}{OUTSIDE} may leave the house. {name}{MANIFEST} stays: "
            "it has levels as they were typed, and exact counts.",
        )
    if failure is not None:
        raise failure


def refuse_together(given: Mapping[str, Any], question: Mapping[str, Any], *, several: bool) -> None:
    """Refuse what a table of a paper, or several scenarios at once, have no place for."""
    of_one = [given.get(name) for name in ("part", "policy", "save")]
    if given.get("layout") is not None and (any(of_one) or {"distributions", "trend"} & question.keys()):
        raise click.UsageError(
            "--layout prints a table of its own; leave out --part, --policy, --distributions, --trend and --save."
        )
    if several and (given.get("layout") or any(of_one)):
        raise click.UsageError(
            f"--layout, --part, --policy and --save are of one scenario: name it, as in --scenario {given['scenario']}#NAME."
        )


def drawn(question: dict[str, Any], scenario: str | None) -> dict[str, Any]:
    """Return the settings that figures of a page need and that cost little, where the question does not say otherwise."""
    from sqlrisk.inputs.scenario import usual_measures
    from sqlrisk.inputs.scenario_file import read_file

    settings = {**(read_file(scenario) if scenario is not None else {}), **question}
    wanted = {"distributions": True, "measures": [*usual_measures(settings), "k_anonymity"]}
    return {name: value for name, value in wanted.items() if name not in settings}


def of_page(given: Any, form: str, *, whole: bool) -> dict[str, Any]:
    """Return how the page of a whole report is made, or its external form; what that lacks is found before the run."""
    how = {name: given[option] for name, option in (("level", "report"), ("threshold", "threshold")) if given.get(option)}
    if how and (not whole or (form != "html" and how.get("level") != "external")):
        raise click.UsageError(
            "--report internal is of a report as a page: name one: -o risk.html. --report external, and its --threshold, is of a "
            "whole report in any form: leave out --layout and --part, and name one scenario."
        )
    if how.get("level") == "external":
        from sqlrisk.report.external.release import check

        check(how.get("threshold", THRESHOLD))
    if form == "html" and whole:
        from sqlrisk.report.html.page import check_level

        check_level(how.get("level", "internal"), how.get("threshold"))
        return how
    how.pop("level", None)
    return how


def key_sets(lines: Sequence[str]) -> list[list[str]] | None:
    """Read each ``--keys`` as a set of keys of its own; None where there is none, so that a scenario file is heard."""
    from sqlrisk.inputs.settings import split_line

    sets = [split_line(line, "keys") for line in lines]
    return [[name if rest is None else f"{name}={rest}" for name, rest in each] for each in sets] or None


@click.command()
@options.files
@options.columns
@options.settings("control", "copied", "matched", "every_record")
@options.named_syntheses
@options.flag("--exit-zero", panel=OUTPUT, words="Exit status 0 also if files cannot be assessed")
@options.result_of_run
def inspect(
    *, original: str | None, synthetic: tuple[str, ...], synthesis: tuple[str, ...], exit_zero: bool, **given: Any
) -> int:
    """Tell whether files can be assessed at all: copies, other codes, keys that are none.

    Exit status 1: a file is not assessable. Doubtful files do not fail. Every command that counts synthetic files against an
    original asks the same, and shows the answer first.

    \b
    Examples:
      sqlrisk inspect original.parquet synthetic.parquet --keys age,sex
      sqlrisk inspect original.csv 'syn_*.csv' --keys age,sex -o risk.json
    """
    import sqlrisk

    found = running.run(sqlrisk.inspect, given, original, running.synthetic_files(synthetic, synthesis))
    return 1 if found.state == "not assessable" and not exit_zero else 0


DISCLOSIVE = "Disclosive: this listing shows levels and counts of real people. Keep it where the original is kept."


@click.command()
@options.measure()
@options.files
@options.question
@options.option("--synthesis", "WHICH", OUTPUT, "Which synthesis; default: 1", default="1")
@options.option("--limit", "N", OUTPUT, "How many cells; default: 20", type=click.IntRange(min=1), default=20)
@options.result_of_run
def cells(*, measure: str, original: str | None, synthetic: tuple[str, ...], **given: Any) -> None:
    """List the cells that make a measure, most people first.

    The listing shows levels and counts of real people: it is disclosive, and a file of it is readable by you alone.

    \b
    Examples:
      sqlrisk cells DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk cells repU original.parquet syn_1.parquet syn_2.parquet \\
          --keys age,sex --synthesis 2 --limit 100 -o cells.csv
    """
    import sqlrisk

    asked = partial(sqlrisk.cells, measure, **running.chosen(given, "synthesis", "limit"))
    running.run(asked, given, original, list(synthetic) or None)
    running.remark(given, DISCLOSIVE)


@click.command()
@options.original
@options.columns
@options.option("--random", "N", QUESTION, "How many random tables; default: 1000", type=int, default=1000)
@options.option("--seed", "S", QUESTION, "Begins the random numbers: the same tables again; default: 1", type=int, default=1)
@options.choice(
    "--draw",
    ("tables", "records"),
    QUESTION,
    "What is equally likely: every table, or for every record each cell; default: tables",
    default="tables",
)
@options.result_of_run
def reference(*, original: str | None, **given: Any) -> None:
    """Show the average CAP of random tables of the original's size.

    For small tables: every table with as many records, over the classes and levels of the original, is equally likely. The
    original's own average CAP is compared with theirs. Up to 10 million counts (classes by levels by tables) for each target.

    \b
    Examples:
      sqlrisk reference original.parquet --keys smoking --targets ill
      sqlrisk reference original.csv --keys age,sex --bins age=4 \\
          --targets ill --random 5000 --seed 7 -o reference.json
    """
    import sqlrisk

    running.run(sqlrisk.reference, given, original, **running.chosen(given, "random", "seed", "draw"))


DEMO = {"keys": ("age,sex,race,marital_status,education",), "targets": ("income,major_occupation,country_birth",)}


@click.command()
@options.result_of_run
def demo(**given: Any) -> None:
    """Score the census data that comes with sqlrisk.

    199,523 people of a public survey, and three syntheses of them. It takes seconds.

    \b
    Examples:
      sqlrisk demo
      sqlrisk demo -o demo.md
    """
    from sqlrisk.common.resources import demo_folder

    folder = demo_folder()
    original, synthetic = str(folder / "original.parquet"), [str(folder / f"cart_{i}.parquet") for i in (1, 2, 3)]
    question = ["--keys", *DEMO["keys"], "--targets", *DEMO["targets"]]
    running.remark(given, shlex.join(["sqlrisk", "score", original, *synthetic, *question]))
    run_score(original, synthetic, {**DEMO, **given})
