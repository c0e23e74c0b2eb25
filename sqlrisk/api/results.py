"""What was found before: the functions that judge, compare, repeat and ask results, manifests and saved runs."""

from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.diffs import Diff
    from sqlrisk.report.results.reruns import Rerun


def check(result: "Report | str | PathLike[str]", policy: "PolicyFile") -> "Report":
    """Judge a result by a policy, without counting anything again. A rule that is not met raises nothing: see ``Report.require``.

    Args:
        result: a Report, or the JSON file of one.
        policy: a TOML file of rules, as of ``score``.

    Returns:
        The Report with what each number comes to, in ``policy`` and as the table ``verdicts()``.

    Raises:
        InputError: a file that cannot be read, or a rule that is about no number of the result.
    """
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.reading import read_report

    report = read_report(result) if isinstance(result, str | PathLike) else result
    return report.judged(read_policy(policy))


def diff(
    old: "Report | str | PathLike[str]", new: "Report | str | PathLike[str]", *, tolerance: float | str | None = None
) -> "Diff":
    """Compare the results of two releases, number by number.

    Args:
        old, new: Reports, or the JSON files of them.
        tolerance: a change of at most so much is no difference, in the unit of the number (percentage points for percentages).

    Returns:
        A Diff: for each number old, new, the change, and whether it is worse by what its measure says of itself. A change that
        is within the spread between the syntheses of the two results is no difference.

    Raises:
        InputError: a file that cannot be read; a tolerance that is no number from 0 on.
    """
    from sqlrisk.inputs import settings
    from sqlrisk.report.reading import read_report
    from sqlrisk.report.results import diffs

    before, after = (read_report(each) if isinstance(each, str | PathLike) else each for each in (old, new))
    return diffs.diff(before, after, 0.0 if tolerance is None else settings.read_change(tolerance, "tolerance"))


def rerun(
    manifest: str | PathLike[str],
    *,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[str, int, int, float], None] | None = None,
    trace: Callable[[str, float], None] | None = None,
) -> "Rerun":
    """Repeat the run of a manifest with the same settings, and say whether inputs and numbers are the same.

    Args:
        manifest: the ``.manifest.json`` that ``sqlrisk score -o`` wrote, the output that it stands beside, or a JSON file of
            ``Report.manifest()``. Names of files in it are as they were given, from the folder that it is run in.
        tell: called with a line for each input that changed, before the run begins.
        progress, trace: as of ``score``.

    Returns:
        A Rerun: what was compared, whether it is the same, and the repeated report.

    Raises:
        InputError: no such manifest, an input that is gone, or one that was held in Python. EngineError: the database failed.
    """
    from sqlrisk.analyses.results import reruns
    from sqlrisk.api.scores import score

    return reruns.repeat(reruns.read_manifest(manifest), partial(score, progress=progress, trace=trace), tell)


def query(saved: str, statement: str) -> "Listing":
    """Ask a saved run in SQL. It is opened to be read only, and nothing else can be read.

    Args:
        saved: a file that ``score(..., save=...)`` wrote.
        statement: SQL over its tables and views.

    Returns:
        A Listing with the columns and rows of the answer.

    Raises:
        InputError: no saved run, or a statement that the database refuses.
    """
    from sqlrisk.analyses.saved_runs import open_saved

    with open_saved(saved) as run:
        return run.query(statement)
