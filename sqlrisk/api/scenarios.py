"""Score several scenarios about the same files, or one scenario at several steps of a recode."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Unpack

from sqlrisk.api.calls import Call, require_own
from sqlrisk.api.scores import Compared, Maps, Policy, is_compared, with_utility
from sqlrisk.common.errors import Problems
from sqlrisk.inputs.fields import Run, RunOfSeveral, SaveSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlrisk.analyses.audit import Log
    from sqlrisk.analyses.scores.risk_utility import UtilityAsked
    from sqlrisk.inputs.policy import Policy as Judge
    from sqlrisk.inputs.policy import PolicyFile
    from sqlrisk.inputs.request import Question
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.several_reports import Reports, Steps


def score_all(
    scenarios: Any,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    listings: bool = False,
    cube: bool = False,
    policy: Policy = None,
    utility: Compared = None,
    maps: Maps = None,
    **settings: Unpack[RunOfSeveral],
) -> "Reports":
    """Score several scenarios about the same files, which are read and encoded only once.

    Args:
        scenarios: a TOML file with a table ``[scenario.NAME]`` for each, and shared settings at its
            head; or a mapping of names to settings.
        original, synthetic, control, universe: as for ``score``; if None, the head of the file
            names them.
        settings: settings of every scenario, as for ``score``. Those about columns (bins, special,
            within, within_floor, exclude_level, exclude_missing, baseline) apply to the scenarios
            that use the column. All scenarios share missing, weights, id, aligned, split, split_in,
            baseline and the CSV settings.
        listings, cube, save: as for ``score``.
        policy: a TOML file of rules. Each rule judges the scenarios that have its target.
        utility, maps: as for ``score``. The files are compared once. A recode applies if no
            scenario recodes that column differently.

    Returns:
        A Reports: the Report of each scenario by name, with the same numbers as ``score``.

    Raises:
        InputError, EngineError: as ``score``. A problem that not all scenarios share begins with
            the scenario's name.
        PolicyError: a scenario does not meet the policy. Its ``report`` has the verdicts.

    Example:
        >>> scenarios = {"friend": {"keys": ["sex", "age"]}, "stranger": {"keys": ["sex"]}}
        >>> reports = sqlrisk.score_all(
        ...     scenarios, "original.parquet", "syn_1.parquet", targets=["ill"]
        ... )
        >>> reports["friend"].value("DiSCO")
        53.5
    """
    from sqlrisk.analyses.scores import several_scenarios

    require_own(score_all, settings)
    call = Call.of(settings, SaveSettings)
    shared = {**call.settings, "scenario": call.scenario}  # refused as an unknown setting
    files = (original, synthetic, control, universe)
    asked = several_scenarios.ask(
        scenarios, files, shared, measures_from=call.measures_from, tables=call.tables
    )
    return _judged(
        asked, call, listings=listings, cube=cube, policy=policy, utility=utility, maps=maps
    )


def score_again(
    scenarios: "Mapping[str, Mapping[str, object]]",
    original: Any,
    synthetic: Any,
    *,
    control: Any = None,
    universe: Any = None,
    policy: "PolicyFile | None" = None,
    utility: Any = None,
    maps: Any = None,
    **given: Any,
) -> "Reports":
    """Score several scenarios from the full settings of each, including shared ones, as a manifest
    holds them.
    """
    from sqlrisk.analyses.scores import several_scenarios

    call, files = (
        Call.of(given),
        {"original": original, "synthetic": synthetic, "control": control, "universe": universe},
    )
    asked = several_scenarios.ask_again(
        scenarios, files, measures_from=call.measures_from, tables=call.tables
    )
    return _judged(asked, call, policy=policy, utility=utility, maps=maps)


def _judged(
    asked: "Mapping[str, Question]",
    call: Call,
    *,
    policy: "PolicyFile | None",
    utility: Any,
    maps: Any,
    listings: bool = False,
    cube: bool = False,
) -> "Reports":
    """Score questions about the same files together, and require that they meet the policy."""
    from sqlrisk.analyses import audit
    from sqlrisk.analyses.scores import risk_utility, several_scenarios
    from sqlrisk.inputs.policy import read_policy
    from sqlrisk.report.results.several_reports import Reports

    judge = None if policy is None else read_policy(policy)
    besides: dict[str, UtilityAsked] = {}
    if is_compared(call, utility, maps, next(iter(asked.values()))):
        besides, asked = risk_utility.ask_all(
            utility,
            maps,
            asked,
            judge,
            {"measures_from": call.measures_from, "tables": call.tables},
        )
    if judge is not None:
        asked = several_scenarios.judged_by(judge, asked, useful=bool(besides))
    options = {"policy": policy, **call.repeatable}
    trail = audit.watch(
        [*asked.values()], options | ({"utility": utility, "maps": maps} if besides else {})
    )
    found = _together(asked, call, besides, judge, log=trail.log, listings=listings, cube=cube)
    return Reports(found, trail=trail.end()).require()


def _together(
    asked: "Mapping[str, Question]",
    call: Call,
    besides: "Mapping[str, UtilityAsked] | None" = None,
    judge: "Judge | None" = None,
    *,
    log: "Log | None" = None,
    listings: bool = False,
    cube: bool = False,
) -> "dict[str, Report]":
    """Score questions about the same files together, measure the utility in ``besides``, and judge
    the results.
    """
    from sqlrisk.analyses.scores import scoring, several_scenarios
    from sqlrisk.api import places
    from sqlrisk.inputs import request
    from sqlrisk.report import declared
    from sqlrisk.report.results.several_reports import Reports

    questions = {name: request.with_excluded(question) for name, question in asked.items()}
    first, *_ = questions.values()
    problems = Problems(questions)
    for name, question in questions.items():
        with problems[name]:
            request.require_control(question)
    problems.stop()
    shown = {each.name: each.shown for question in questions.values() for each in question.measures}
    listed = declared.listed(shown, shown) if listings else ()
    # An error in this block leaves nothing saved, as in `score`. The error of a policy comes later,
    # so the saved tables stay.
    with places.of_several(questions, call) as saved, ExitStack() as sessions:
        session = sessions.enter_context(call.session(first))
        reports = several_scenarios.score(
            questions, session, saved=saved, log=log, listed=listed, cube=cube
        )
        reports = with_utility(reports, besides or {}, call, sessions, log)
        if judge is not None:
            reports = Reports(reports).judged(judge).reports
    opener = call.opener(first)
    return {
        name: scoring.with_rerun(report, questions[name], opener)
        for name, report in reports.items()
    }


def score_steps(
    steps: Any = None,
    original: Any = None,
    synthetic: Any = None,
    *,
    control: Any = None,
    universe: Any = None,
    **settings: Unpack[Run],
) -> "Steps":
    """Score one question at several steps of a recode together: the files are read and encoded
    once.

    Args:
        steps: the values to compare: ``{"region": [0, 1, 2]}`` for steps of a hierarchy,
            ``{"age.width": [1, 5, 10]}`` for a recode (step, bands, width, top, bottom, date or
            rare), or a line ``"age.width=1,5,10"``. ``"none"`` stands for no recode. By default
            the steps of the scenario file.
        original, synthetic, control, universe: as for ``score``; if None, the scenario file
            names them.
        settings: the settings of a scenario, as for ``score``.

    Returns:
        A Steps: the Report of each step by its name, ``"region=1"``, as ``score`` returns it.

    Raises:
        InputError, EngineError: as ``score``. A problem that not all steps share begins with the
            step's name.

    Example:
        >>> steps = sqlrisk.score_steps(
        ...     {"age.width": [1, 5]},
        ...     "original.parquet",
        ...     "syn_1.parquet",
        ...     keys=["sex", "age"],
        ...     targets=["ill"],
        ... )
        >>> {name: report.value("repU") for name, report in steps.items()}
        {'age.width=1': 3.0, 'age.width=5': 0.0}
    """
    from sqlrisk.analyses.scores import coarsening
    from sqlrisk.report.results.several_reports import Steps

    require_own(score_steps, settings)
    call = Call.of(settings)
    found, questions = coarsening.ask(
        steps, (original, synthetic, control, universe), call.settings, **call.where
    )
    return Steps(_together(questions, call), found.stepped, found.labels())
