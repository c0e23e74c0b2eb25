"""Utility next to risk: compare the files column by column, and compute the points of risk-utility
maps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlrisk.analyses.scores import utility
from sqlrisk.analyses.scores.utility import Comparing
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue.utility import utility_measures
from sqlrisk.common.errors import InputError, ProblemList, Problems, suggestion
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.columns.dictionary import NO_RECODES
from sqlrisk.inputs.fields import ONE_COLUMN
from sqlrisk.inputs.policy import Policy
from sqlrisk.inputs.policy_rules import MEAN, WORST, Term, over_tables
from sqlrisk.inputs.request import Question, Where, with_measures
from sqlrisk.report.declared import targets_first
from sqlrisk.report.report import Report
from sqlrisk.report.sections import risk_utility as drawn

ARGUMENTS = ("columns", "ways", "groups", "complete", "measures", "sort", "top", "work_limit")
Pair = tuple[Term, Term]


@dataclass(frozen=True)
class UtilityAsked:
    """The utility to measure in addition to risk.

    ``tables`` are the tables of columns to compare. Each of the ``maps`` has one risk measure and
    one utility measure.
    """

    tables: Comparing
    maps: tuple[Pair, ...]


def ask(
    given: object,
    maps: object,
    question: Question,
    files: Sequence[object],
    settings: Mapping[str, object],
    policy: Policy | None,
    where: Where,
) -> tuple[UtilityAsked, Question]:
    """Return the utility to measure, and the question with the risk measures that the maps need.

    ``given`` names columns (True or ``all``: all of them) or holds arguments of
    ``sqlrisk.utility``. ``maps`` are lines such as ``DiSCO,mean(S_pMSE)``. By default there is one
    map, of the first headline measure in the question, or no map if it has none. ``files``,
    ``settings``, ``policy`` and the entries of ``where`` are passed to `utility.ask`. Raises
    InputError with every problem.
    """
    whole = given is True or (isinstance(given, str) and given == "all")
    own: Mapping[str, Any] = (
        given if isinstance(given, Mapping) else {"columns": None if whole else given}
    )
    ProblemList(
        f"utility: there is no argument {name!r}{suggestion(str(name), ARGUMENTS)}; there are "
        f"{', '.join(ARGUMENTS)}."
        for name in own
        if name not in ARGUMENTS
    ).stop()
    problems = ProblemList()
    pairs: list[Pair] = []
    listed = isinstance(maps, Sequence) and not isinstance(maps, str)
    lines: Any = () if maps is None else maps if listed else [maps]
    for line in lines:
        with problems:
            pairs.append(_pair(line, question))
    problems.stop()
    tables = utility.ask(files, settings, **own, policy=policy, risks=question.catalog, **where)
    read = {useful.of_tables for _, useful in pairs}.difference(
        each.name for each in tables.measures
    )
    tables = replace(
        tables,
        measures=tuple(
            each for each in utility_measures() if each in tables.measures or each.name in read
        ),
    )
    for _, useful in pairs:
        if strange := [point for point in useful.at if point not in tables.ways]:
            problems.append(
                f"maps: no table has {strange[0]:g} columns; ways are "
                f"{', '.join(map(str, tables.ways))}."
            )
    problems.stop()
    shown = {each.name: each.shown for each in question.catalog}
    if not pairs:
        measured = {each.name for each in question.measures}
        first = Term(over_tables(MEAN, tables.sort))
        pairs = [
            (Term(each.name), first) for each in targets_first(shown) if each.name in measured
        ][:1]
    needed = [
        name
        for risk, _ in pairs
        for name in (risk.measure, shown[risk.measure].get("of_original"))
        if name is not None
    ]
    return UtilityAsked(tables, tuple(pairs)), with_measures(
        question, needed, "maps"
    ) if needed else question


def ask_all(
    given: object,
    maps: object,
    questions: Mapping[str, Question],
    policy: Policy | None,
    where: Where,
) -> tuple[dict[str, UtilityAsked], dict[str, Question]]:
    """Call `ask` for each of several scenarios by name. All scenarios use one set of utility
    tables.

    A column is recoded as in the scenarios that recode it. If two recode it differently, it is not
    recoded.
    """
    first, *_ = questions.values()
    said: list[Any] = [each.scenario.settings_of(utility.USED) for each in questions.values()]
    settings = _agreed(said)
    for column in {*settings["column"], *settings["bins"]}:
        # Recodes that are merged entry by entry would be those of no scenario.
        recodes = [recode for each in said if (recode := _recode(each, column))]
        if any(each != recodes[0] for each in recodes):
            settings["bins"].pop(column, None)
            entry = settings["column"].get(column, {})
            settings["column"][column] = {name: entry[name] for name in NO_RECODES if name in entry}
    settings["special"] = {
        column: values
        for column, values in settings["special"].items()
        if column in settings["bins"]
    }
    own = {name: getattr(first.scenario, name) for name in ONE_COLUMN}
    synthetic: dict[str, list[object]] = {}
    for each in first.syntheses:
        synthetic.setdefault(each.method, []).append(each.source)
    files = first.original, synthetic
    problems = Problems(questions)
    besides: dict[str, UtilityAsked] = {}
    asked: dict[str, Question] = {}
    for name, question in questions.items():
        with problems[name]:
            besides[name], asked[name] = ask(
                given, maps, question, files, {**settings, **own}, policy, where
            )
    problems.stop()
    return besides, asked


def _recode(settings: Mapping[str, Any], column: str) -> dict[str, Any]:
    """Return how a scenario recodes a column: its entries by name, and its bins."""
    entry = settings["column"].get(column, {})
    recode = {name: value for name, value in entry.items() if name not in NO_RECODES}
    bins = settings["bins"].get(column)
    return recode if bins is None else {**recode, "bins": bins}


def _agreed(said: Sequence[Any]) -> Any:
    """Merge mappings recursively. An entry that has different values in two mappings is dropped."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for each in said for name in each):
        values = [each[name] for each in said if name in each]
        if all(isinstance(value, Mapping) for value in values):
            found[name] = _agreed(values)
        elif all(value == values[0] for value in values):
            found[name] = values[0]
    return found


def _pair(line: object, question: Question) -> Pair:
    """Parse the two axes of a map, such as ``DiSCO,mean(S_pMSE)``.

    Raises InputError if it does not name one number of a risk measure and one of utility.
    """
    risk, _, useful = str(line).rpartition(",")
    sides = []
    for side in (risk, useful):
        try:
            sides.append(policy_rules.read(f"{side} <= 0", "maps").left)
        except InputError:
            raise InputError(
                "maps: write a measure of risk and one of utility, as in 'DiSCO,mean(S_pMSE)'; "
                f"got {line!r}."
            ) from None
    first, second = sides
    known = [each.name for each in utility_measures()]
    if second.of_tables not in known or second.adjusted or len(second.at) > 1:
        raise InputError(
            "maps: there is no utility measure "
            f"{useful.strip()!r}{suggestion(second.of_tables, known)}."
        )
    if second.measure == second.of_tables:
        second = replace(second, measure=over_tables(WORST, second.measure))
    points = [point for point in question.catalog[first.measure].points if point is not None]
    if first.adjusted or len(first.at) != bool(points) or not {*first.at} <= {*points}:
        one = f"{first.measure}[{points[0]:g}]" if points else first.measure
        raise InputError(
            f"maps: each point needs one number of a measure, such as {one}; got {risk.strip()!r}."
        )
    return first, second


def compare(
    besides: Mapping[str, UtilityAsked], reports: Mapping[str, Report], session: Session
) -> dict[str, Report]:
    """Return the risk reports with utility added.

    ``besides`` maps the names of reports to the utility asked for. All reports get the same
    utility, but the points of their own maps.
    """
    first, *_ = besides.values()
    useful = utility.compare(first.tables, session)
    wholes = {name: replace(report, utility=useful) for name, report in reports.items()}
    return {
        name: replace(
            whole,
            maps=[row for pair in besides[name].maps for row in drawn.points(whole, *pair)],
        )
        for name, whole in wholes.items()
    }
