"""`sqlrisk explain`: what a measure means and what to do about it."""

import rich_click as click

from sqlrisk import options, terminal


@click.command()
@click.argument("names", nargs=-1, required=True, shell_complete=options.measure_names, panel=options.FILES, help="Measures")
@options.measures_from
@options.form
@options.trace
def explain(*, names: tuple[str, ...], measures_from: str | None, form: str | None) -> None:
    """Explain measures: formula, source, a plain sentence, what raises the number and what to do about it.

    \b
    Examples:
      sqlrisk explain DiSCO
      sqlrisk explain repU DCAP --format markdown
      sqlrisk explain identity
    """
    from sqlrisk.catalog import catalog
    from sqlrisk.report.measures import explained

    form = form or "text"
    text = explained(catalog(measures_from).select(names), form, width=terminal.width(), colour=terminal.colour())
    terminal.put(text.encode() if form in ("json", "csv") else terminal.encoded(text))
