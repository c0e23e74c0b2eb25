"""`sqlrisk check`: judge a saved result by a policy."""

import rich_click as click

from sqlrisk import options
from sqlrisk.commands import deliver, destination


@click.command()
@click.argument("result", type=click.Path(), panel=options.FILES, help="The JSON file that sqlrisk score -o wrote")
@options.once("--policy", "FILE", options.FILES, "The rules to judge by: a TOML file", required=True)
@options.result
@options.trace
def check(*, result: str, policy: str, form: str | None, output: str | None) -> None:
    """Judge a saved result by a policy, without counting anything again.

    Exit status 1: a number fails. What is for review does not fail, nor what the policy excepts.

    \b
    Examples:
      sqlrisk check risk.json --policy policy.toml
      sqlrisk check risk.json --policy policy.toml -o verdicts.csv
    """
    import sqlrisk

    with destination(output, form, [result, policy]) as (file, chosen):
        judged = sqlrisk.check(result, policy)
        deliver(judged.verdicts(), chosen, file)
    judged.require()
