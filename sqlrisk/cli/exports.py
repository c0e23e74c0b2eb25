"""Commands that write texts: init, sql, compile, list, schema, guide."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.shell_completion import CompletionItem

import sqlrisk
from sqlrisk.cli import options, questions, running, terminal
from sqlrisk.cli.command import command
from sqlrisk.inputs.fields import FILES, MACHINE, OUTPUT

if TYPE_CHECKING:
    from sqlrisk.inputs.columns.guesses import Guess

SCHEMAS = ("result", "manifest", "scenario", "policy", "signature")


@command()
@options.files
@options.named_syntheses
@options.output("Where to save it: scenario.toml; default: standard output")
@options.own(sqlrisk.init)
@options.flag("--yes", panel=OUTPUT, words="Ask nothing, and draft from the files, as in a script")
@options.written
@options.run_options
def init(*, output: str | None, yes: bool, **given: Any) -> None:
    """Draft a scenario file from a look at the files, for you to edit.

    The draft lists every column with its type, its numbers of levels and of missing values, and how
    many people it singles out. It suggests which columns people may know (keys), which identify
    records and which are weights, judged by names and levels. On a terminal, init asks about each
    column in doubt. The draft holds counts, and no value of a record.

    \b
    Examples:
      sqlrisk init original.parquet synthetic.parquet -o scenario.toml
      sqlrisk score --scenario scenario.toml
    """
    with ExitStack() as shown:
        how = shown.enter_context(running.called(sqlrisk.init, given))

        def asked(doubtful: "Sequence[Guess]") -> Mapping[str, str]:
            shown.close()  # stop the progress bar before asking
            return questions.roles(doubtful)

        text = sqlrisk.init(
            path=output, ask=asked if questions.can_ask() and not yes else None, **how
        )
    if output is None:
        terminal.put(text.encode())
    else:
        # The draft knows whether its tables need an engine.
        run = next(line[1:].strip() for line in text.splitlines() if line.startswith("#     "))
        running.remark(given, f"{output} is a draft: edit its keys and targets, then run {run}")


@command()
@options.measure("; optional with --stages", required=False)
@options.files
@options.question
@options.setting("id")
@options.universe
@options.intruder
@options.own(sqlrisk.sql)
@options.trace
def sql(**given: Any) -> None:
    """Print the SQL of a measure, from the files to the number, ready to run.

    Without files, the SQL assumes one integer column for each key and target.

    \b
    Examples:
      sqlrisk sql DiSCO
      sqlrisk sql DiSCO --one
      sqlrisk sql DiSCO original.parquet synthetic.parquet \\
          --keys age,sex --targets income
      sqlrisk sql DCAP --keys age,sex --targets income --dialect clickhouse
      sqlrisk sql --stages --scenario scenario.toml
    """
    from sqlrisk.catalogue.measures import catalog

    measure, stages = given["measure"], given["stages"]
    # with --stages and no measure, the first word is a file
    if stages and measure is not None and measure not in catalog(given["measures_from"]):
        given["synthetic"] = [
            *([given["original"]] if given["original"] else []),
            *(given["synthetic"] or []),
        ] or None
        given |= {"measure": None, "original": measure}
    if measure is None and not stages:
        raise click.MissingParameter(param_hint="'MEASURE'", param_type="argument")
    text = sqlrisk.sql(**running.asked(sqlrisk.sql, given))
    terminal.put(text.rstrip().encode() + b"\n")


@command(name="compile")
@options.file("scenario", "A TOML file with a scenario that names tables as original and synthetic")
@options.setting("measures_from")
@options.own(sqlrisk.compile_sql)
@options.output("A new or empty folder to write to", "DIR", required=True)
@options.flag("-q", "--quiet", panel=MACHINE, words="No notes, only errors")
@options.trace
def compile_scenario(*, output: str, quiet: bool, **given: Any) -> None:
    """Write a scenario as SQL for a database, without a connection to it.

    The scenario names tables instead of files. The folder gets numbered files and a README
    that says how to run them. All results are in one table, with a row for each number that
    sqlrisk score reports.

    \b
    Examples:
      sqlrisk compile scenario.toml --dialect snowflake -o risk_sql
      sqlrisk compile scenario.toml --dialect bigquery --scratch work -o risk_sql
      sqlrisk compile scenario.toml --dbt --rule 'DiSCO<=5' -o risk_dbt
      sqlrisk compile scenario.toml --dbt --policy policy.toml -o risk_dbt
    """
    from sqlrisk.common.output_files import write_folder

    texts = sqlrisk.compile_sql(**running.asked(sqlrisk.compile_sql, given))
    write_folder(output, texts)
    if not quiet:
        terminal.note(f"{len(texts)} files in {output}; begin with {Path(output) / 'README.md'}")


@command("list")
@click.argument(
    "names",
    nargs=-1,
    shell_complete=options.measure_names,
    panel=FILES,
    help="Names of measures or families; default: all",
)
@options.setting("measures_from")
@options.form
@options.trace
def list_measures(*, names: tuple[str, ...], measures_from: str | None, form: str | None) -> None:
    """List the measures: what each one means, its formula and its source.

    Names are those of measures or of families. Without names, all are listed.

    \b
    Examples:
      sqlrisk list
      sqlrisk list identity TCAP
      sqlrisk list --format json
    """
    from sqlrisk.catalogue.measures import catalog
    from sqlrisk.report.measure_catalogue import listed

    known = catalog(measures_from)
    measures = list(known.select(names) if names else known)
    text = listed(measures, form or "text", width=terminal.width(), colour=terminal.colour())
    terminal.put(text.encode() if form in ("json", "csv") else terminal.encoded(text))


@command()
@click.argument("kind", type=click.Choice(SCHEMAS), panel=FILES, help="The kind of file")
@options.output(
    "Where to save it: scenario.schema.json; default: standard output", type=click.Path()
)
@options.trace
def schema(*, kind: str, output: str | None) -> None:
    """Print the JSON Schema of a file that sqlrisk writes or reads, for programs and editors.

    If scenario.schema.json is in the folder, sqlrisk init begins its draft with the line that
    points editors to it.

    \b
    Examples:
      sqlrisk schema result
      sqlrisk schema scenario -o scenario.schema.json
    """
    from sqlrisk.common.output_files import replacing
    from sqlrisk.report.formats.tabular import to_json

    data = to_json(sqlrisk.schema(kind)).encode()
    if output is None:
        terminal.put(data)
        return
    with replacing(output, shared=True) as file:
        file.write(data)


def topics(
    _context: click.Context, _parameter: click.Parameter, start: str
) -> list[CompletionItem]:
    """Complete the name of a topic."""
    from sqlrisk.report.guide import pages

    return [
        CompletionItem(page.topic, help=page.title)
        for page in pages().values()
        if page.topic.startswith(start)
    ]


@command()
@click.argument(
    "topic",
    required=False,
    shell_complete=topics,
    panel=FILES,
    help="A page; without one, all are listed",
)
@options.output("A new or empty folder: all pages, for a browser", "FOLDER", type=click.Path())
@options.trace
def guide(*, topic: str | None, output: str | None) -> None:
    """Show a page of the guide, list the pages, or write them for a browser.

    The guide comes with sqlrisk and needs no network.

    \b
    Examples:
      sqlrisk guide
      sqlrisk guide records
      sqlrisk guide -o guide
    """
    from sqlrisk.common.output_files import write_folder
    from sqlrisk.report import guide as written

    if topic is not None and output is not None:
        raise click.UsageError("-o writes all pages: leave out the topic.")
    if output is not None:
        site = written.browsed()
        write_folder(output, site)
        terminal.note(f"{len(written.pages())} pages in {output}; begin with {written.INDEX}")
        return
    if topic is None:
        text = written.listed()
    elif terminal.colour():
        text = written.coloured(written.page(topic), terminal.width())
    else:
        text = written.plain(written.page(topic))
    terminal.put(terminal.encoded(text))
