"""`sqlrisk list`: what each measure means."""

import rich_click as click

from sqlrisk import options, terminal


@click.command("list")
@click.argument("names", nargs=-1, shell_complete=options.measure_names, panel=options.FILES, help="Default: all")
@options.measures_from
@options.form
@options.trace
def list_measures(*, names: tuple[str, ...], measures_from: str | None, form: str | None) -> None:
    """List the measures: what each one means, its formula and its source.

    Names are those of measures or of families: identity, attribute, cap, protection, k_anonymity, l_diversity,
    population_risk, neighbours, bounds, within, matches, intruder.

    \b
    Examples:
      sqlrisk list
      sqlrisk list identity TCAP
      sqlrisk list --format json
    """
    from sqlrisk.catalog import catalog
    from sqlrisk.report.measures import listed

    known = catalog(measures_from)
    measures = list(known.select(names) if names else known)
    text = listed(measures, form or "text", width=terminal.width(), colour=terminal.colour())
    terminal.put(text.encode() if form in ("json", "csv") else terminal.encoded(text))
