"""What was found before: the functions that judge, sign, compare, repeat and ask results, manifests
and saved runs.
"""

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any

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


def check(
    result: "Report | Reports | Utility | str | PathLike[str]", policy: "PolicyFile"
) -> "Report | Reports | Utility":
    """Judge a result by a policy, without counting anything again. A rule that is not met raises
    nothing: see ``Report.require``.

    Args:
        result: a Report, the Reports of several scenarios or a Utility, or the JSON file of one.
        policy: a TOML file of rules, as of ``score``.

    Returns:
        It with what each number comes to, in ``policy`` and as the table ``verdicts()``.

    Raises:
        InputError: a file that cannot be read, or a rule that is about no number of the result.

    Example:
        >>> report = sqlrisk.score(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> sqlrisk.check(report, "policy.toml").policy["verdict"]
        'pass'
    """
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.reading import read_result

    found = read_result(result) if isinstance(result, str | PathLike) else result
    return found.judged(read_policy(policy))


def sign(
    result: str | PathLike[str],
    decision: str | None = None,
    *,
    by: Annotated[str, Field(SIGNATURE, "NAME", "Who signs")],
    comment: str = "",
    findings: Mapping[str, str] | None = None,
) -> "Signatures":
    """Write down a decision on a result, ``risk.json``: in ``risk.signatures.json`` beside it and
    in its pages, HTML and PDF.

    The signature holds the SHA-256 of the result, of its manifest, of the pages that show it, and
    of the signature before. It is no cryptographic one: whoever can write all these files can make
    them anew, so write the seal down elsewhere.

    Args:
        result: the JSON file that ``sqlrisk score -o risk.json`` wrote, with its manifest beside
            it.
        decision: ``approve``, ``approve-with-conditions`` or ``refuse``; none where only findings
            are commented on.
        comment: what there is to say of the decision; the conditions, where there are any.
        findings: finding -> comment. A finding is called as a rule of a policy calls it,
            ``"DiSCO:income"`` or ``"repU"``; of several scenarios with its scenario before it,
            ``"neighbour/repU"``.

    Returns:
        The Signatures: those of the file, what was signed, and the ``seal``.

    Raises:
        InputError: no result with a manifest of the same run, a finding that it does not have, or
            something that was signed has changed since; nothing is written.

    Example:
        >>> import json
        >>> from pathlib import Path
        >>> report = sqlrisk.score(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> _ = (
        ...     report.to_json("risk.json"),
        ...     Path("risk.json.manifest.json").write_text(json.dumps(report.manifest())),
        ... )
        >>> sqlrisk.sign(
        ...     "risk.json", "approve", by="A. Custodian", findings={"DiSCO:ill": "Known anyway."}
        ... ).same
        True
    """
    from sqlrisk.analyses.results import signing

    return signing.sign(fspath(result), decision, by, comment, findings or {})


def signatures(result: str | PathLike[str]) -> "Signatures":
    """Say who has signed a result, and whether anything that was signed has changed since.

    Args:
        result: the JSON file that was signed; its manifest, its pages and its signatures are beside
            it.

    Returns:
        The Signatures: ``same`` says whether all is as it was, ``changed`` has a row for each thing
            that is not.

    Raises:
        InputError: nobody has signed it, or the file of signatures cannot be read.

    Example:
        >>> import json
        >>> from pathlib import Path
        >>> report = sqlrisk.score(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> _ = (
        ...     report.to_json("risk.json"),
        ...     Path("risk.json.manifest.json").write_text(json.dumps(report.manifest())),
        ... )
        >>> _ = sqlrisk.sign("risk.json", "refuse", by="A. Custodian")
        >>> _ = Path("risk.json").write_text("{}")
        >>> [name for _, name, *_ in sqlrisk.signatures("risk.json").changed]
        ['risk.json']
    """
    from sqlrisk.analyses.results import signing

    return signing.verify(fspath(result))


def diff(
    old: "Report | Reports | Utility | str | PathLike[str]",
    new: "Report | Reports | Utility | str | PathLike[str]",
    *,
    tolerance: Annotated[
        float | str | None,
        Field(
            OUTPUT,
            "NUMBER",
            "A change of at most so much, in the unit of the number, is no difference",
        ),
    ] = None,
    # recipe: add an option of a command
) -> "Diff":
    """Compare the results of two releases, number by number.

    Args:
        old, new: a Report each, or the JSON file of one; or both of several scenarios, or of
            ``utility``.

    Returns:
        A Diff: for each number old, new, the change, and whether it is worse by what its measure
        says of itself. A change that is within the spread between the syntheses of the two results
        is no difference.

    Raises:
        InputError: a file that cannot be read; results of two kinds; a tolerance that is no number
            from 0 on.

    Example:
        >>> first, second = (
        ...     sqlrisk.score(
        ...         "original.parquet", f"syn_{n}.parquet", keys=["sex", "age"], targets=["ill"]
        ...     )
        ...     for n in (1, 2)
        ... )
        >>> sqlrisk.diff(first, second).comparable
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


def rerun(
    manifest: str | PathLike[str],
    *,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Rerun":
    """Repeat the run of a manifest with the same settings, and say whether inputs and numbers are
    the same.

    Args:
        manifest: the ``.manifest.json`` that ``sqlrisk score -o`` wrote, the output that it stands
            beside, or a JSON file of ``Report.manifest()``. Names of files in it are as they were
            given, from the folder that it is run in.
        tell: called with a line for each input that changed, before the run begins.
        progress, trace: as of ``score``.

    Returns:
        A Rerun: what was compared, whether it is the same, and the repeated report.

    Raises:
        InputError: no such manifest, an input that is gone, or one that was held in Python.
            EngineError: the database failed.

    Example:
        >>> from pathlib import Path
        >>> import json
        >>> report = sqlrisk.score(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... )
        >>> _ = Path("risk.manifest.json").write_text(json.dumps(report.manifest()))
        >>> sqlrisk.rerun("risk.manifest.json").same
        True
    """
    from sqlrisk.analyses.results import reruns
    from sqlrisk.api.scores import score, score_again

    again: dict[str, Any] = {"progress": progress, "trace": trace}
    return reruns.repeat(
        reruns.read_manifest(manifest), partial(score, **again), partial(score_again, **again), tell
    )


def query(saved: str, statement: str) -> "Listing":
    """Ask a saved run in SQL. It is opened to be read only, and nothing else can be read.

    Args:
        saved: a file that ``score(..., save=...)`` wrote.
        statement: SQL over its tables and views.

    Returns:
        A Listing with the columns and rows of the answer.

    Raises:
        InputError: no saved run, or a statement that the database refuses.

    Example:
        >>> _ = sqlrisk.score(
        ...     "original.parquet",
        ...     "syn_1.parquet",
        ...     keys=["sex", "age"],
        ...     targets=["ill"],
        ...     save="run.duckdb",
        ... )
        >>> sqlrisk.query("run.duckdb", "SELECT COUNT(*) AS rows FROM results").columns
        ['rows']
    """
    from sqlrisk.analyses.saved_runs import open_saved

    with open_saved(saved) as run:
        return run.query(statement)
