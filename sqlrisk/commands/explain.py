"""`sqlrisk explain`: what a measure means and what to do about it, or why one person is at risk."""

from typing import Any

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk import options, terminal
from sqlrisk.commands import asked, deliver, destination, named, read_by, running
from sqlrisk.errors import InputError


def measures_or_files(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a measure, or with --record that of a file."""
    if context.params.get("record") is not None:
        return [CompletionItem(start, type="file")]
    return options.measure_names(context, parameter, start)


@click.command()
@click.argument(
    "names",
    nargs=-1,
    metavar="MEASURE... | ORIGINAL SYNTHETIC...",
    shell_complete=measures_or_files,
    panel=options.FILES,
    help="Measures or families; with --record the original and the syntheses",
)
@options.once("--record", "N", options.FILES, "Explain one person: the record's number, or what --id holds")
@options.question
@options.often(
    "--synthesis", "NAME", options.QUESTION, "With --record: 1, cart 2; default: all pooled. Or NAME=GLOB, as for score"
)
@options.identity
@options.result
@options.run
def explain(
    *, names: tuple[str, ...], record: str | None, synthesis: tuple[str, ...], form: str | None, output: str | None, **given: Any
) -> None:
    """Explain measures: formula, source, a plain sentence, what raises the number and what to do about it.

    With --record, explain why one person of the original is at risk. That is disclosive.

    \b
    Examples:
      sqlrisk explain DiSCO
      sqlrisk explain identity --format markdown
      sqlrisk explain --record 17 original.parquet synthetic.parquet \\
          --keys age,sex --targets income
    """
    if record is None:
        explain_measures(names, synthesis, form, output, given)
        return
    import sqlrisk
    from sqlrisk.report.explanation import DISCLOSIVE

    groups = [value for value in synthesis if "=" in value]
    chosen = [value for value in synthesis if "=" not in value]
    original, *synthetic = names or (None,)
    if len(chosen) > 1:
        raise click.UsageError("Name one synthesis with --synthesis NAME, or leave it out for all of them pooled.")
    if groups and synthetic:
        raise click.UsageError("Name the synthetic files as SYNTHETIC or with --synthesis NAME=GLOB, not both.")
    files = named(groups) if groups else synthetic or None
    with destination(output, form, read_by(original, files, given), private=True) as (file, shape):
        with running(given) as run:
            found = sqlrisk.explain(
                original, files, record=record, synthesis=chosen[0] if chosen else None, **asked(given), **run
            )
        deliver(found, shape, file)
    if not given["quiet"]:
        terminal.note(DISCLOSIVE)


def explain_measures(
    names: tuple[str, ...], synthesis: tuple[str, ...], form: str | None, output: str | None, given: dict[str, Any]
) -> None:
    """Explain the measures of these names, or of these families."""
    from sqlrisk.catalog import catalog
    from sqlrisk.report.measures import explained

    settings = {name for name in asked(given) if name != "measures_from"} | ({"synthesis"} if synthesis else set())
    if settings:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(settings))
        raise click.UsageError(f"{flags}: these are about a person; name the person with --record.")
    if not names:
        raise click.UsageError("Name a measure, as in sqlrisk explain DiSCO; sqlrisk list shows all.")
    measures = catalog(given["measures_from"]).select(names)
    with destination(output, form, ()) as (file, shape):
        if shape == "parquet":
            raise InputError("An explanation of measures is text: name a .txt, .md, .json or .csv file.")
        to_screen = file is None and shape == "text"
        text = explained(measures, shape, width=terminal.width() if to_screen else 80, colour=to_screen and terminal.colour())
        if file is not None:
            file.write(text.encode())
        else:
            terminal.put(terminal.encoded(text) if shape in ("text", "markdown") else text.encode())
