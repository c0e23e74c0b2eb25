"""Several scenarios about the same records: the files are encoded once, and each scenario selects
its columns from them.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from sqlrisk.analyses import assessment
from sqlrisk.analyses.audit import Log
from sqlrisk.analyses.preparation import joint
from sqlrisk.analyses.preparation.encoding import choose_passes, record_unpacked
from sqlrisk.analyses.saved_scenarios import SavedScenarios
from sqlrisk.analyses.scores import scoring, whole_rows
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, ProblemList, Problems, while_scoring
from sqlrisk.inputs import request
from sqlrisk.inputs.judging import asked_by
from sqlrisk.inputs.policy import Policy, for_each
from sqlrisk.inputs.request import Question, Where
from sqlrisk.inputs.scenario_file import ColumnsUsed, combined, read_scenarios, unused
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.plan.layout import Layout
from sqlrisk.report.report import Report


def ask(
    scenarios: object,
    files: Sequence[object],
    settings: Mapping[str, object],
    **where: Unpack[Where],
) -> dict[str, Question]:
    """Return the questions by name, from a file of several scenarios or from a mapping.

    ``files`` are the original, the syntheses, control and, where allowed, the universe. One that is
    None is taken from the file of scenarios. ``settings`` apply to all scenarios and override
    theirs. Raises InputError with every problem.
    """
    if isinstance(scenarios, Mapping):
        shared: dict[str, object] = {}
        several = {str(name): dict(own) for name, own in scenarios.items()}
    else:
        shared, several = read_scenarios(str(scenarios), tables=where.get("tables", ""))
    if not several:
        raise InputError(
            f"There are no scenarios with names in {scenarios!r}: a file has a table "
            "[scenario.NAME] for each."
        )
    given = {name: value for name, value in settings.items() if value is not None}
    # If ``files`` has no place for a universe, the universe remains a setting, and reading the
    # settings refuses it.
    named = [
        (shared.pop(name, None), file) for name, file in zip(FILE_SETTINGS, files, strict=False)
    ]
    original, synthetic, *others = (of_file if given is None else given for of_file, given in named)
    control, universe = (*others, None)[:2]
    beside: request.OtherFiles = {
        "control": control,
        "universe": universe,
        "with_universe": len(others) > 1,
    }
    problems = Problems(several)
    questions: dict[str, Question] = {}
    used: list[ColumnsUsed] = []
    for name, own in several.items():
        with problems[name]:
            asked = combined(shared, own, given)
            used.append(ColumnsUsed.of(asked))
            questions[name] = request.ask(original, synthetic, asked, **beside, **where)
    waiting = request.unread(questions)
    problems.stop(waiting)
    ProblemList(unused({**shared, **given}, used)).stop(waiting)
    return questions


def ask_again(
    scenarios: Mapping[str, Mapping[str, object]], files: Mapping[str, Any], **where: Unpack[Where]
) -> dict[str, Question]:
    """Return the questions by name, given all settings of each scenario, as a manifest records
    them.
    """
    return {
        name: request.ask(settings=settings, with_universe=True, **files, **where)
        for name, settings in scenarios.items()
    }


def judged_by(
    policy: Policy, questions: Mapping[str, Question], *, useful: bool
) -> dict[str, Question]:
    """Return the questions, each with the risk measures of the rules that judge it.

    ``useful`` is True if utility is measured too. Raises the errors of
    `sqlrisk.inputs.policy.for_each` and `sqlrisk.inputs.judging.asked_by`.
    """
    # Without named targets, a scenario may have any that a rule names, except its keys.
    abouts = {
        name: {*question.scenario.abouts, *policy.targets}.difference(question.scenario.keys)
        if not question.scenario.targets
        else question.scenario.abouts
        for name, question in questions.items()
    }
    own = for_each(policy, abouts)
    problems = Problems(questions)
    asked: dict[str, Question] = {}
    for name, question in questions.items():
        with problems[name]:
            asked[name] = asked_by(own[name], question, useful=useful)
    problems.stop()
    return asked


def score(
    questions: Mapping[str, Question],
    session: Session,
    *,
    saved: SavedScenarios | None = None,
    log: Log | None = None,
    listed: Sequence[str] = (),
    cube: bool = False,
) -> dict[str, Report]:
    """Run every measure of every question. Return one report per question, equal to that of a
    separate run.

    ``saved`` is a file that keeps the tables of all questions. The other arguments are those of
    `scoring.score`.
    """
    session.log = log
    if saved is not None:
        saved.begin(session)
    of_keys = {name: question.of_keys for name, question in questions.items()}
    numbered = saved is not None or any(each.numbers_control for each in questions.values())
    together, layouts = joint.encode(of_keys, session, numbered=numbered)
    whole: dict[str, whole_rows.Copies] = {}
    for name, question in questions.items():
        with while_scoring(name):
            whole[name] = (
                whole_rows.measure(question, layouts[name], session)
                if question.of_rows
                else scoring.NO_COPIES
            )
    if log is not None:
        log.loads += session.engine.loads
    record_unpacked(together, session)
    compare_rows = partial(
        assessment.compare_rows,
        session=session,
        membership=any(question.asks_who_was_in for question in questions.values()),
    )
    copies = compare_rows(together) if joint.compares_alike(layouts) else None

    def measure(name: str, question: Question, layout: Layout) -> Report:
        passes = choose_passes(layout, session)
        place = scoring.NOWHERE if saved is None else saved.place(name, layout)
        place.check(question, layout, session)
        report = scoring.measure(
            question,
            layout,
            passes,
            compare_rows(layout) if copies is None else copies,
            session,
            whole=whole[name],
            place=place,
            listed=listed,
            cube=cube,
        )
        place.keep(question, layout, report, session)
        return report

    reports = joint.in_turn(of_keys, layouts, together, session, measure)
    if saved is not None:
        saved.end(session)
    return reports
