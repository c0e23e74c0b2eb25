"""`sqlrisk rerun`: repeat a run from its manifest."""

from typing import Any

import rich_click as click

from sqlrisk import options, terminal
from sqlrisk.commands import deliver, destination, running


@click.command()
@click.argument(
    "manifest", type=click.Path(), panel=options.FILES, help="The .manifest.json that sqlrisk score -o wrote beside its result"
)
@options.result
@options.once("--result", "FILE", options.OUTPUT, "Also write the repeated result: a .json file for sqlrisk diff")
@options.shown
def rerun(*, manifest: str, form: str | None, output: str | None, result: str | None, **given: Any) -> int:
    """Repeat a run with the same settings, and say whether its inputs, its SQL and its numbers are the same.

    Run it in the folder that the run was in: names of files are as they were given. Exit status 1: an input, a number or the
    verdict of a policy is not the same. A policy that fails as it did before is the same. Commands other than score write no
    manifest, and neither does score with --layout.

    \b
    Examples:
      sqlrisk rerun risk.manifest.json
      sqlrisk rerun risk.manifest.json --result again.json
      sqlrisk diff risk.json again.json
    """
    import sqlrisk
    from sqlrisk.reruns import files_of, read_manifest

    if output is not None and output == result:
        raise click.UsageError("-o and --result name one file; give each its own.")
    inputs = [manifest, *files_of(read_manifest(manifest))]
    with destination(output, form, inputs) as (file, chosen), destination(result, None, inputs) as (second, again):
        with running(given) as run:
            found = sqlrisk.rerun(manifest, tell=lambda line: None if given["quiet"] else terminal.note(line), **run)
        if second is not None and found.report is not None:
            deliver(found.report, again, second)
        deliver(found, chosen, file)
    return 0 if found.same else 1
