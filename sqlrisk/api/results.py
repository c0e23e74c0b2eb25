"""Functions that judge, sign, compare, repeat and query saved results, manifests and saved runs."""

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any

from sqlrisk.common.errors import suggesting
from sqlrisk.inputs.fields import OUTPUT, SIGNATURE, Field

if TYPE_CHECKING:
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.diffs import Diff
    from sqlrisk.report.results.reruns import Rerun
    from sqlrisk.report.results.several_reports import Reports
    from sqlrisk.report.signing.signatures import Signatures
    from sqlrisk.report.utility import Utility


@suggesting
def check(
    result: "Report | Reports | Utility | str | PathLike[str]", policy: "PolicyFile"
) -> "Report | Reports | Utility":
    """Judge a saved result by a policy, without scoring again.

    To raise PolicyError if the policy is not met, call ``require`` of the result.

    Args:
        result: a Report, the Reports of several scenarios or a Utility, or the JSON file of one.
        policy: a TOML file of rules, as for ``score``.

    Returns:
        The result with a verdict for each number, in ``policy`` and as the table ``verdicts()``.

    Raises:
        InputError: a file cannot be read, or a rule matches no number of the result.

    Example:
        >>> sqlrisk.check("risk.json", "policy.toml").policy["verdict"]
        'pass'
    """
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.reading import read_result

    found = read_result(result) if isinstance(result, str | PathLike) else result
    return found.judged(read_policy(policy))


@suggesting
def sign(
    result: str | PathLike[str],
    decision: str | None = None,
    *,
    by: Annotated[str, Field(SIGNATURE, "NAME", "Who signs")],
    comment: str = "",
    findings: Mapping[str, str] | None = None,
) -> "Signatures":
    """Sign a result: write a decision to ``risk.signatures.json`` and into its HTML and PDF pages.

    The signature holds the SHA-256 of the result, its manifest, its pages and the previous
    signature. It has no secret key, so it does not prove who signed. Anyone who can write all these
    files can replace them. Keep the ``seal``, the hash of the last signature, in another place.

    Args:
        result: the JSON file that ``sqlrisk score -o risk.json`` wrote, with its manifest in the
            same folder.
        decision: ``approve``, ``approve-with-conditions`` or ``refuse``. None: only comment on
            findings.
        comment: reasons for the decision, or its conditions, which
            ``approve-with-conditions`` needs.
        findings: finding -> comment. Name a finding as a policy does, ``"DiSCO:income"`` or
            ``"repU"``. If there are several scenarios, add the name: ``"neighbor/repU"``.

    Returns:
        The Signatures of the result, with the ``seal``.

    Raises:
        InputError: there is no manifest of the same run, a finding is unknown, or something signed
            has changed since. Nothing is written.

    Example:
        >>> sqlrisk.sign(
        ...     "risk.json", "approve", by="A. Custodian", findings={"DiSCO:ill": "Known anyway."}
        ... ).same
        True
    """
    from sqlrisk.analyses.results import signing

    return signing.sign(fspath(result), decision, by, comment, findings or {})


@suggesting
def signatures(result: str | PathLike[str]) -> "Signatures":
    """Return who signed a result, and whether anything signed has changed since.

    Args:
        result: the signed JSON file, with its manifest, pages and signatures in the same folder.

    Returns:
        The Signatures. ``same`` is True if nothing is changed or missing.

    Raises:
        InputError: the result is not signed, or its signatures cannot be read.

    Example:
        >>> _ = sqlrisk.sign("risk.json", "refuse", by="A. Custodian")
        >>> sqlrisk.signatures("risk.json").same
        True
    """
    from sqlrisk.analyses.results import signing

    return signing.verify(fspath(result))


@suggesting
def diff(
    old: "Report | Reports | Utility | str | PathLike[str]",
    new: "Report | Reports | Utility | str | PathLike[str]",
    *,
    tolerance: Annotated[
        float | str | None,
        Field(
            OUTPUT,
            "NUMBER",
            "Ignore changes of up to this size, in the unit of the number",
        ),
    ] = None,
    # recipe: add an option of a command
) -> "Diff":
    """Compare the results of two releases, number by number.

    Args:
        old, new: two results of one kind (Report, Reports or Utility), or their JSON files.

    Returns:
        A Diff, with a row for each number.

    Raises:
        InputError: a file cannot be read, the results differ in kind, or the tolerance is not a
            number of 0 or more.

    Example:
        >>> new = sqlrisk.score(synthetic="syn_2.parquet", scenario="scenario.toml")
        >>> sqlrisk.diff("risk.json", new).comparable
        True
    """
    from sqlrisk.inputs.settings import read_change
    from sqlrisk.report.reading import read_result
    from sqlrisk.report.results import diffs

    # recipe: use an option of a command
    before, after = (
        read_result(each) if isinstance(each, str | PathLike) else each for each in (old, new)
    )
    return diffs.diff(
        before, after, 0.0 if tolerance is None else read_change(tolerance, "tolerance")
    )


@suggesting
def rerun(
    manifest: str | PathLike[str],
    *,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Rerun":
    """Repeat the run of a manifest, and compare inputs and numbers with the first run.

    Pages and saved tables are not made again, so the SQL may differ.

    Args:
        manifest: the ``.manifest.json`` that ``sqlrisk score -o`` wrote, or the output in the same
            folder, or a JSON file of ``Report.manifest()``. Relative paths in the manifest start
            in the current folder.
        tell: called with a line for each changed input, before the run.
        progress, trace: as for ``score``.

    Raises:
        InputError: the manifest or an input is missing, or a table, connection or policy was a
            Python object.
        EngineError: the database failed.

    Example:
        >>> sqlrisk.rerun("risk.json.manifest.json").same
        True
    """
    from sqlrisk.analyses.results import reruns
    from sqlrisk.api.scenarios import score_again
    from sqlrisk.api.scores import score

    again: dict[str, Any] = {"progress": progress, "trace": trace}
    return reruns.repeat(
        reruns.read_manifest(manifest), partial(score, **again), partial(score_again, **again), tell
    )


@suggesting
def query(saved: str, statement: str) -> "Listing":
    """Run SQL on a saved run, which is opened read-only. The SQL can read nothing else.

    Args:
        saved: ``FILE`` or ``FILE#NAME`` that ``score(..., save=...)`` wrote.
        statement: SQL over its tables and views.

    Returns:
        A Listing with the columns and rows of the answer.

    Raises:
        InputError: the file is not a saved run, or the database refuses the statement.

    Example:
        >>> _ = sqlrisk.score(scenario="scenario.toml", save="run.duckdb")
        >>> sqlrisk.query("run.duckdb", "SELECT COUNT(*) AS rows FROM results").columns
        ['rows']
    """
    from sqlrisk.analyses.saved_runs import open_saved

    with open_saved(saved) as run:
        return run.query(statement)
