"""Several scenarios about the same records: the files are encoded once, and each scenario selects
its columns from them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from sqlrisk.analyses import assessment
from sqlrisk.analyses.audit import Log
from sqlrisk.analyses.preparation.encoding import choose_passes, fits_in_memory, record_unpacked
from sqlrisk.analyses.preparation.files import lay_out, missing_levels, sources_of, with_class_key
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
from sqlrisk.plan import encoding
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Layout, Population
from sqlrisk.report.report import Report


def ask(
    scenarios: object,
    files: Sequence[object],
    settings: Mapping[str, object],
    **where: Unpack[Where],
) -> dict[str, Question]:
    """Return the questions by name, from a file of several scenarios or from a mapping.

    ``settings`` apply to all scenarios and override theirs. Raises InputError with every problem.
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
    """Return the questions with every measure that the policy reads.

    ``useful`` is True if utility is measured too. Raises the errors of
    `sqlrisk.inputs.judging.asked_by`.
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
    first, *_ = questions.values()
    of_keys = {name: question.of_keys for name, question in questions.items()}
    numbered = saved is not None or any(each.numbers_control for each in questions.values())
    together, layouts = joined(lay_out(of_keys, session.engine, numbered=numbered, whole_rows=True))
    session.create(encoding.dictionaries(together))
    problems = Problems(questions)
    for name, layout in zip(questions, layouts, strict=True):
        problems[name] += missing_levels(layout, session)
    problems.stop()
    together = with_class_key(together, session, sources_of(first))
    whole: dict[str, whole_rows.Copies] = {}
    for (name, question), layout in zip(questions.items(), layouts, strict=True):
        with while_scoring(name):
            whole[name] = (
                whole_rows.measure(question, layout, session)
                if question.of_rows
                else scoring.NO_COPIES
            )
    if log is not None:
        log.loads += session.engine.loads
    record_unpacked(together, session)
    membership = any(question.asks_who_was_in for question in questions.values())
    copies = assessment.compare_rows(together, session, membership=membership)
    kept = session.tables
    reports: dict[str, Report] = {}
    for number, ((name, question), layout) in enumerate(
        zip(of_keys.items(), layouts, strict=True), start=1
    ):
        session.turn = (name, number, len(layouts))
        with while_scoring(name):
            own = projected(layout, together)
            session.create(
                [
                    *encoding.marginals(own),
                    encoding.project(own, temporary=fits_in_memory(own, session)),
                ]
            )
            session.engine.use_overrides(partial(own_sql, own.counts, question.measures_from))
            passes = choose_passes(own, session)
            place = scoring.NOWHERE if saved is None else saved.place(name, own)
            place.check(question, own, session)
            reports[name] = scoring.measure(
                question,
                own,
                passes,
                copies,
                session,
                whole=whole[name],
                place=place,
                listed=listed,
                cube=cube,
            )
            place.keep(question, own, reports[name], session)
            session.clear(keep=kept)
    if saved is not None:
        saved.end(session)
    return reports


def joined(layouts: list[Layout]) -> tuple[Layout, list[Layout]]:
    """Return a joint layout of several, and the layouts that select from it. The joint layout has
    all columns and populations as keys, each encoded once.

    A column has several dictionaries if scenarios bin it differently or give it different
    tolerances. With a universe, targets stay targets, because a universe has only the keys.
    """
    shared = _Shared(targets=layouts[0].universe is not None)
    over = []
    for layout in layouts:
        keys, targets = (
            tuple(shared.column(each) for each in columns)
            for columns in (layout.keys, layout.targets)
        )
        populations = tuple(shared.population(population) for population in layout.populations)
        over.append(replace(layout, keys=keys, targets=targets, populations=populations))
    # Recodes and typed levels are checked in each layout.
    every_record = any(layout.scenario.every_record for layout in layouts)
    scenario = replace(
        layouts[0].scenario,
        exclude_level={},
        exclude_pair=(),
        column={},
        every_record=every_record,
    )
    plain = replace(layouts[0], scenario=scenario, targets=shared.of("t"), measures=())
    return replace(plain, keys=shared.of("k"), populations=tuple(shared.populations.values())), over


def projected(layout: Layout, together: Layout) -> Layout:
    """Return a layout from `joined` with a class key of its own. Record counts and population
    numbers come from the joint layout ``together``.
    """
    sizes = {part.column.id: part.size for part in together.parts}
    numbered = {_definition(population): population for population in together.populations}
    return replace(
        layout,
        key_columns=pack(layout.keys, [sizes[key.id] or 1 for key in layout.keys]),
        records=together.records,
        populations=tuple(numbered[_definition(population)] for population in layout.populations),
    )


class _Shared:
    """The columns and populations of several layouts, each once. With ``targets``, targets are
    separate from keys.
    """

    def __init__(self, *, targets: bool) -> None:
        self._apart = ("b", "t") if targets else ("b",)
        self._columns: dict[object, Column] = {}
        self.populations: dict[object, Population] = {}

    def of(self, role: str) -> tuple[Column, ...]:
        """Return the columns of all files (``k``), of all but the universe (``t``), or of only
        people (``b``).
        """
        return tuple(column for column in self._columns.values() if column.role == role)

    def column(self, column: Column) -> Column:
        """Return the shared column that corresponds to this one. A target is encoded as a key,
        unless targets are separate.
        """
        role = column.role if column.role in self._apart else "k"
        alike = (role, replace(column, role=role, number=0))
        return self._columns.setdefault(
            alike, replace(column, role=role, number=len(self.of(role)) + 1)
        )

    def population(self, population: Population) -> Population:
        """Return the shared population that corresponds to this one."""
        if population.column is not None:
            population = replace(population, column=self.column(population.column))
        recoded = tuple(
            (self.column(column), comparison) for column, comparison in population.recoded
        )
        population = replace(population, recoded=recoded)
        return self.populations.setdefault(_definition(population), population)


def _definition(population: Population) -> object:
    """Return everything that defines a population, without its number. Two populations with equal
    definitions are one.
    """
    return (
        population.name,
        population.kind,
        tuple(sorted(population.conditions.items())),
        population.column,
        population.recoded,
    )
