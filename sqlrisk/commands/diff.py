"""`sqlrisk diff`: compare the saved results of two releases."""

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import deliver, destination


@click.command()
@click.argument("old", type=click.Path(), panel=options.FILES, help="The JSON file that sqlrisk score -o wrote of one release")
@click.argument("new", type=click.Path(), panel=options.FILES, help="That of the next")
@options.result
@options.switch("--fail-if-worse", panel=options.OUTPUT, words="Exit status 1 if a number got worse")
@options.trace
def diff(*, old: str, new: str, fail_if_worse: bool, form: str | None, output: str | None) -> int:
    """Compare the saved results of two releases, and name what got worse.

    Settings that differ come first: numbers of different questions do not compare. Whether more is worse is what a measure says
    of itself; of some it says neither.

    \b
    Examples:
      sqlrisk diff release_1.json release_2.json
      sqlrisk diff release_1.json release_2.json --fail-if-worse -o changes.csv
    """
    import sqlrisk

    with destination(output, form, [old, new]) as (file, chosen):
        found = sqlrisk.diff(old, new)
        deliver(found, chosen, file)
    return 1 if fail_if_worse and found.worse else 0
