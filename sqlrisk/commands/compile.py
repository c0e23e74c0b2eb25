"""`sqlrisk compile`: write a scenario as SQL for a database that is not connected to."""

from pathlib import Path
from typing import Any

import rich_click as click

from sqlrisk import options, terminal


@click.command(name="compile")
@click.argument("scenario", type=click.Path(), panel=options.FILES, help="A TOML file that names tables: original, synthetic")
@options.dialect
@click.option("-o", "--output", metavar="DIR", required=True, panel=options.OUTPUT, help="A new or empty folder to write to")
@options.types
@options.measures_from
@options.once("--prefix", "TEXT", options.OUTPUT, "Begins the names of the tables made; default: sqlrisk_", default="sqlrisk_")
@options.once("--scratch", "SCHEMA", options.OUTPUT, "The schema to make the tables in; default: that of the session")
@options.switch("--dbt", panel=options.OUTPUT, words="A dbt project in the place of numbered files")
@options.often("--limit", "RULE", options.OUTPUT, "With --dbt, a test of the results: 'DiSCO<=5', 'TCAP:income<=20'")
@options.once("--policy", "FILE", options.OUTPUT, "With --dbt, a test of each rule of a TOML file; for review: a warning")
@options.switch("-q", "--quiet", panel=options.MACHINE, words="No notes, only errors")
@options.trace
def compile_scenario(
    *, scenario: str, output: str, limit: tuple[str, ...], types: tuple[str, ...], quiet: bool, **given: Any
) -> None:
    """Write a scenario as SQL for a database, without a connection to it.

    The scenario names tables in the place of files. The folder gets numbered files and a README that says how to run them; their
    results are in one table, a row for each number that sqlrisk score reports.

    \b
    Examples:
      sqlrisk compile scenario.toml --dialect snowflake -o risk_sql
      sqlrisk compile scenario.toml --dialect bigquery --scratch work -o risk_sql
      sqlrisk compile scenario.toml --dbt --limit 'DiSCO<=5' -o risk_dbt
      sqlrisk compile scenario.toml --dbt --policy policy.toml -o risk_dbt
    """
    import sqlrisk
    from sqlrisk.report.files import write_folder

    texts = sqlrisk.compile_sql(scenario=scenario, types=types or None, limits=list(limit) or None, **given)
    write_folder(output, texts)
    if not quiet:
        terminal.note(f"{len(texts)} files in {output}; begin with {Path(output) / 'README.md'}")
