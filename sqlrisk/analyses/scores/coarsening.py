"""Make one question for each step of a recode. The questions differ only in one column's dictionary
entry.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Unpack

from sqlrisk.analyses.preparation import populations
from sqlrisk.common.errors import InputError, ProblemList, Problems, suggestion
from sqlrisk.inputs import request
from sqlrisk.inputs.columns.dictionary import joined
from sqlrisk.inputs.columns.steps import STEPPED, RecodeSteps, read_steps
from sqlrisk.inputs.request import OtherFiles, Question, Where, with_file
from sqlrisk.inputs.scenario import Scenario


def ask(
    steps: object, files: Sequence[object], settings: Mapping[str, object], **where: Unpack[Where]
) -> tuple[RecodeSteps, dict[str, Question]]:
    """Return the steps, and the question at each step by name, such as ``age.width=5``.

    ``files`` are the original, the syntheses, control and the universe. Steps or files that are
    None are taken from the scenario file. Raises InputError with every problem.
    """
    tables = where.get("tables", "")
    asked = with_file(settings, files, where.pop("scenario_file", None), tables=tables)
    given, (original, synthetic, control, universe) = asked
    beside: OtherFiles = {"control": control, "universe": universe, "with_universe": True}
    filed = given.pop("steps", None)
    found = read_steps(filed if steps is None else steps)
    if found.name == "step" and "hierarchy" not in joined(given.get("column")).get(
        found.column, {}
    ):
        _, point, name = found.column.rpartition(".")
        near = suggestion(name, STEPPED) if point else ""
        raise InputError(
            f"steps: {found.column!r} has no hierarchy in the dictionary{near}; name its file, as "
            "in --column region.hierarchy=regions.csv, or the recode that has steps, as in "
            "age.width=1,5."
        )
    named = [f"{found.stepped}={label}" for label in found.labels()]
    problems = Problems(named)
    questions: dict[str, Question] = {}
    for name, column in zip(named, found.dictionaries(given.get("column")), strict=True):
        with problems[name]:
            questions[name] = request.ask(
                original, synthetic, {**given, "column": column}, **beside, **where
            )
    waiting = request.unread(questions)
    problems.stop(waiting)
    first, *_ = questions.values()
    ProblemList(_without_use(found, first.scenario)).stop(waiting)
    return found, questions


def _without_use(steps: RecodeSteps, scenario: Scenario) -> Iterator[str]:
    """Yield a problem if the recoded column affects no number, since all steps would give equal
    results.
    """
    used = {*scenario.keys, *scenario.targets, *(populations.settings(scenario))} - {
        scenario.weights,
        scenario.split,
    }
    taken = steps.column in (scenario.weights, scenario.split, scenario.id)
    if taken or (scenario.targets and steps.column not in used):
        yield (
            f"steps: {steps.column!r} is neither a key nor a target, nor in a population: "
            "each step would give the same numbers."
        )
