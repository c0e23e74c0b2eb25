"""`sqlrisk score`: measure synthetic files against their original."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import Synthetic, asked, deliver, destination, named, read_by, running

if TYPE_CHECKING:
    from sqlrisk import Report, Table

WANTED = {"distributions": "distributions", "trends": "trend"}  # the setting that a part needs


@click.command()
@options.original
@options.synthetic
@options.question
@options.people
@options.intruder
@options.closer
@options.work_limit
@options.named_syntheses
@options.save
@options.result
@options.page
@options.run
def score(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    synthesis: tuple[str, ...],
    form: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Score synthetic files against their original.

    A list is one CSV line: COLUMNS are names with commas between, and an option may be repeated. A name with a comma
    is put in double quotes.

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
      sqlrisk score --scenario scenario.toml --format markdown
    """
    if synthesis and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    run_score(original, named(synthesis) if synthesis else list(synthetic) or None, form, output, given)


def run_score(original: str | None, synthetic: Synthetic, form: str | None, output: str | None, given: Any) -> None:
    """Score, and write the report to ``output`` or to standard output."""
    import sqlrisk

    question = asked(given)
    layout, part = given.get("layout"), given.get("part")
    if layout is not None and (part or given.get("save") or {"distributions", "trend"} & question.keys()):
        raise click.UsageError("--layout prints a table of its own; leave out --part, --distributions, --trend and --save.")
    if part in WANTED:
        question[WANTED[part]] = True
    with destination(output, form, read_by(original, synthetic, given)) as (file, chosen):
        how = of_page(given, whole=chosen == "html" and layout is None and part is None)
        if chosen == "html" and layout is None:
            question |= drawn(question, given["scenario"])
        with running(given) as run:
            if layout is not None:
                question["keys"] = key_sets(given["keys"]) if layout == "taub" else question.get("keys")
                result: Report | Table = sqlrisk.tabulate(
                    layout, original, synthetic, control=given.get("control"), **question, **run
                )
            else:
                result = sqlrisk.score(
                    original, synthetic, control=given.get("control"), save=given.get("save"), **question, **run
                )
        deliver(result.table(part) if isinstance(result, sqlrisk.Report) and part is not None else result, chosen, file, **how)


def drawn(question: dict[str, Any], scenario: str | None) -> dict[str, Any]:
    """Return the settings that figures of a page need and that cost little, where the question does not say otherwise."""
    from sqlrisk.scenario import read_file, usual_measures

    settings = {**(read_file(scenario) if scenario is not None else {}), **question}
    wanted = {"distributions": True, "measures": [*usual_measures(settings), "k_anonymity"]}
    return {name: value for name, value in wanted.items() if name not in settings}


def of_page(given: Any, *, whole: bool) -> dict[str, Any]:
    """Return how the HTML page of a whole report is made; what it lacks is found before the run."""
    how = {name: given[option] for name, option in (("level", "report"), ("threshold", "threshold")) if given.get(option)}
    if not whole:
        if how:
            raise click.UsageError("--report and --threshold are of a report as a page; name one: -o risk.html.")
        return {}
    from sqlrisk.report.charts import require
    from sqlrisk.report.html.page import check_level

    require()
    check_level(how.get("level", "internal"), how.get("threshold"))
    return how


def key_sets(lines: Sequence[str]) -> list[list[str]] | None:
    """Read each ``--keys`` as a set of keys of its own; None where there is none, so that a scenario file is heard."""
    from sqlrisk.scenario import split_line

    sets = [split_line(line, "keys") for line in lines]
    return [[name if rest is None else f"{name}={rest}" for name, rest in each] for each in sets] or None
