"""Commands on results: check, diff, query, rerun."""

from functools import partial
from typing import Any

import rich_click as click

from sqlrisk.cli import options, running
from sqlrisk.inputs.fields import OUTPUT, QUESTION


@click.command()
@options.file("result", "The JSON file that sqlrisk score -o wrote")
@options.option("--policy", "FILE", options.FILES, "The rules to judge by: a TOML file", required=True)
@options.result
@options.trace
def check(*, result: str, policy: str, form: str | None, output: str | None) -> None:
    """Judge a saved result by a policy, without counting anything again.

    Exit status 1: a number fails, or the files cannot be assessed. What is for review does not fail, nor what the policy excepts.

    \b
    Examples:
      sqlrisk check risk.json --policy policy.toml
      sqlrisk check risk.json --policy policy.toml -o verdicts.csv
    """
    import sqlrisk

    with running.destination(output, form, [result, policy]) as (file, chosen):
        judged = sqlrisk.check(result, policy)
        running.write_result(judged.verdicts(), chosen, file)
    judged.require()


@click.command()
@options.file("old", "The JSON file that sqlrisk score -o wrote of one release")
@options.file("new", "That of the next")
@options.result
@options.option("--tolerance", "NUMBER", OUTPUT, "A change of at most so much, in the unit of the number, is no difference")
@options.flag("--fail-if-worse", panel=OUTPUT, words="Exit status 1 if a number got worse, or less can be assessed")
@options.trace
def diff(*, old: str, new: str, tolerance: str | None, fail_if_worse: bool, form: str | None, output: str | None) -> int:
    """Compare the saved results of two releases, and name what got worse.

    Settings that differ come first: numbers of different questions do not compare. Whether more is worse is what a measure says
    of itself; of some it says neither. Where the results are of several syntheses, a change within the spread between these is
    no difference.

    \b
    Examples:
      sqlrisk diff release_1.json release_2.json
      sqlrisk diff release_1.json release_2.json --tolerance 0.5
      sqlrisk diff release_1.json release_2.json --fail-if-worse -o changes.csv
    """
    import sqlrisk

    with running.destination(output, form, [old, new]) as (file, chosen):
        found = sqlrisk.diff(old, new, tolerance=tolerance)
        running.write_result(found, chosen, file)
    return 1 if fail_if_worse and (found.worse or found.less_assessable) else 0


@click.command()
@options.file("saved", "A file that score --save wrote")
@click.argument("statement", panel=QUESTION, help="SQL over its tables and views; see sqlrisk guide saved")
@options.result
@options.trace
def query(*, saved: str, statement: str, form: str | None, output: str | None) -> None:
    """Ask a saved run in SQL; it is opened to be read only.

    \b
    Examples:
      sqlrisk query risk.duckdb "SHOW TABLES"
      sqlrisk query risk.duckdb "SELECT target, count(*) FROM risky_disco GROUP BY ALL"
    """
    import sqlrisk

    with running.destination(output, form, [saved]) as (file, chosen):
        found = sqlrisk.query(saved, statement)
        running.write_result(found, chosen, file)
    running.tell({}, found)


@click.command()
@options.file("manifest", "The .manifest.json that sqlrisk score -o wrote, or the output that it stands beside")
@options.result
@options.option("--result", "FILE", OUTPUT, "Also write the repeated result: a .json file for sqlrisk diff")
@options.progress_options
def rerun(*, manifest: str, form: str | None, output: str | None, result: str | None, **given: Any) -> int:
    """Repeat a run with the same settings, and say whether its inputs, its SQL and its numbers are the same.

    Run it in the folder that the run was in: names of files are as they were given. Exit status 1: an input, a number or the
    verdict of a policy is not the same. A policy that fails as it did before is the same. Commands other than score write no
    manifest, and neither does score with --layout.

    \b
    Examples:
      sqlrisk rerun risk.html
      sqlrisk rerun risk.json.manifest.json --result again.json
      sqlrisk diff risk.json again.json
    """
    import sqlrisk
    from sqlrisk.analyses.results.reruns import files_of, manifest_of, read_manifest

    if output is not None and output == result:
        raise click.UsageError("-o and --result name one file; give each its own.")
    inputs = [manifest, manifest_of(manifest), *files_of(read_manifest(manifest))]
    with (
        running.destination(output, form, inputs) as (file, chosen),
        running.destination(result, None, inputs) as (second, again),
    ):
        with running.run_arguments(given) as limits:
            found = sqlrisk.rerun(manifest, tell=partial(running.remark, given), **limits)
        if second is not None and found.report is not None:
            running.write_result(found.report, again, second)
        running.write_result(found, chosen, file)
    return 0 if found.same else 1
