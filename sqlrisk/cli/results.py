"""Commands on results: check, sign, diff, query, rerun."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import rich_click as click
from click import get_current_context

import sqlrisk
from sqlrisk.cli import options, running, terminal
from sqlrisk.cli.command import command
from sqlrisk.inputs.fields import FILES, OUTPUT, QUESTION, SIGNATURE
from sqlrisk.report.columns import DECISIONS


@command()
@options.file("result", "The JSON file that sqlrisk score -o or utility -o wrote")
@options.option("--policy", "FILE", FILES, "The rules to judge by: a TOML file")
@options.drawn_result
@options.trace
def check(*, result: str, policy: str | None, **given: Any) -> int:
    """Judge a saved result by a policy without scoring again, and verify its signatures.

    Exit status 1: a number fails, the files cannot be assessed, or something signed has changed.
    A rule for review, or with an exception, does not fail.

    \b
    Examples:
      sqlrisk check risk.json --policy policy.toml
      sqlrisk check risk.json --policy policy.toml -o verdicts.csv
      sqlrisk check risk.json --policy policy.toml -o verdicts.svg
      sqlrisk check risk.json
    """
    from sqlrisk.analyses.results.signing import is_signed

    signed = sqlrisk.signatures(result) if is_signed(result) else None
    if policy is None and signed is None:
        raise click.UsageError(
            f"Nobody has signed {result}, so there is no signature to check. To judge its numbers "
            "again, name the rules: --policy FILE."
        )
    output, figure = given["output"], given["figure"]
    inputs = [result, *([policy] if policy else [])]
    draws = None if policy is None else "check"
    with running.destination(output, given["form"], inputs, draws=draws, figure=figure) as (
        file,
        form,
    ):
        judged = None if policy is None else sqlrisk.check(result, policy)
        shown: Any = signed if judged is None else judged.verdicts()
        running.write_result(shown, form, file, figure=figure)
    if judged is not None:
        for _, name, outcome, *_ in () if signed is None else signed.changed:
            terminal.note(f"Changed since it was signed: {name} is {outcome}.")
        running.decided({}, judged, output)
        judged.require()
    return 0 if signed is None or signed.same else 1


@command()
@options.file(
    "result", "The JSON file of sqlrisk score -o, in one folder with its manifest and pages"
)
@options.choice("--decision", tuple(DECISIONS), SIGNATURE, "What was decided")
@options.own(sqlrisk.sign)
@options.option(
    "--comment",
    "TEXT",
    SIGNATURE,
    "Comment on the decision, or on the --finding before it",
    multiple=True,
)
@options.option(
    "--finding",
    "ID",
    SIGNATURE,
    "A finding, as the page names it: repU, DiSCO:income; give its --comment next",
    multiple=True,
)
@options.trace
def sign(*, comment: tuple[str, ...], finding: tuple[str, ...], **given: Any) -> None:
    """Sign a result: write a decision into its folder and into its pages.

    risk.signatures.json holds the SHA-256 of risk.json, its manifest, and risk.html and risk.pdf
    with the signature. sqlrisk check tells you whether anything has changed since. A run does not
    replace signed files. Each further signature includes the one before.

    \b
    Examples:
      sqlrisk sign risk.json --decision approve --by 'A. Custodian'
      sqlrisk sign risk.json --decision approve-with-conditions \\
          --by 'A. Custodian' --comment 'For teaching, until 2028.' \\
          --finding DiSCO:income --comment 'Nearly all are children.'
      sqlrisk sign risk.json --decision refuse --by 'The board' \\
          --comment 'Too many people are singled out.'
    """
    from sqlrisk.analyses.results import signing

    of_decision, of_findings = comments_of(finding, comment)
    signed = sqlrisk.sign(
        **running.asked(sqlrisk.sign, given), comment=of_decision, findings=of_findings
    )
    running.write_result(signed, "text", None)
    if given["decision"] not in (None, "refuse") and (unmet := signing.unmet(given["result"])):
        terminal.note(unmet)


def comments_of(findings: Sequence[str], comments: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the comment on the decision and the comment on each finding, by the order of the
    options. Raises UsageError for any other order.
    """
    typed = [word.partition("=")[0] for word in get_current_context().find_root().obj]
    order = [word for word in typed if word in ("--finding", "--comment")]
    first = 0 if order[:1] == ["--finding"] else len(comments) - len(findings)
    alternate = ["--comment"] * first + ["--finding", "--comment"] * len(findings)
    if first > 1 or order != alternate or len(dict.fromkeys(findings)) < len(findings):
        raise click.UsageError(
            "Give --comment for the decision at most once and first, then each --finding "
            "once, followed by its --comment."
        )
    return "".join(comments[:first]), dict(zip(findings, comments[first:], strict=True))


@command()
@options.file("old", "The JSON file that sqlrisk score -o or utility -o wrote for one release")
@options.file("new", "The same file of the next release")
@options.drawn_result
@options.own(sqlrisk.diff)
@options.flag(
    "--fail-if-worse",
    panel=OUTPUT,
    words="Exit status 1 if a number got worse, or the files can be assessed less well",
)
@options.verbose
@options.trace
def diff(*, fail_if_worse: bool, **given: Any) -> int:
    """Compare the saved results of two releases, and name what got worse.

    Settings that differ come first, since answers to different questions cannot be compared. For
    each measure, higher is worse, better, or neither. If there are several syntheses, a change
    within the spread between them counts as no difference. On the screen, the last line names any
    section that did not fit.

    \b
    Examples:
      sqlrisk diff release_1.json release_2.json
      sqlrisk diff release_1.json release_2.json --tolerance 0.5
      sqlrisk diff release_1.json release_2.json --fail-if-worse -o changes.csv
      sqlrisk diff release_1.json release_2.json -o changes.svg
    """
    found = running.run(sqlrisk.diff, given, draws="diff")
    return 1 if fail_if_worse and (found.worse or found.less_assessable) else 0


@command()
@options.file("saved", "A file that score --save wrote; FILE#NAME for one of several runs")
@click.argument(
    "statement", panel=QUESTION, help="SQL over the run's tables and views; see sqlrisk guide sql"
)
@options.result
@options.trace
def query(**given: Any) -> None:
    """Run SQL on a saved run, which is opened read-only.

    \b
    Examples:
      sqlrisk query risk.duckdb "SHOW TABLES"
      sqlrisk query risk.duckdb \\
          "SELECT target, count(*) FROM risky_disco GROUP BY ALL"
    """
    running.run(sqlrisk.query, given)


@command()
@options.file(
    "manifest", "The .manifest.json that sqlrisk score -o wrote, or the output in the same folder"
)
@options.result
@options.option(
    "--result", "FILE", OUTPUT, "Also write the repeated result, to a .json file for sqlrisk diff"
)
@options.progress_options
def rerun(
    *, manifest: str, form: str | None, output: str | None, result: str | None, **given: Any
) -> int:
    """Repeat a run, and check whether its inputs, SQL and numbers are the same.

    Run it in the folder of the first run, since paths are relative. Exit status 1: an input, a
    number or the verdict of a policy has changed. A policy that fails as before has not changed.
    Only a score without --layout and --steps can be repeated.

    \b
    Examples:
      sqlrisk rerun risk.html
      sqlrisk rerun risk.json.manifest.json --result again.json
      sqlrisk diff risk.json again.json
    """
    from sqlrisk.analyses.results.reruns import files_of, manifest_of, read_manifest

    running.require_distinct(output, result)
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
