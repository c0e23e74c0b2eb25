"""Which special uniques are looked for, in which file: from what the user gave to a `Question`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlrisk.analyses import limits
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.common.suggestions import suggestion
from sqlrisk.inputs.request import NO_KEYS
from sqlrisk.inputs.scenario import WORK_LIMIT, Scenario, read
from sqlrisk.inputs.settings import read_limit
from sqlrisk.inputs.sources import Source, read_source
from sqlrisk.plan import minimal_uniques
from sqlrisk.plan.minimal_uniques import Search


@dataclass(frozen=True)
class Question:
    """What is asked of which file. ``scenario`` holds the keys; ``missing`` are values (as text) that stand for a missing one."""

    source: Source
    scenario: Scenario
    search: Search
    missing: tuple[str, ...]
    work_limit: int


def ask(
    file: object,
    settings: Mapping[str, object],
    *,
    missing_value: object = None,
    max_size: object = None,
    sampling_fraction: object = None,
    scoring: object = None,
    work_limit: object = None,
    tables: bool = False,
) -> Question:
    """Return a question from what the user gave; None is the default. With ``tables`` a source that is no file is a table.

    Raises:
        InputError: with every problem that can be seen without the data.
    """
    problems = ProblemList()
    with problems:
        scenario = read(settings)
        problems += _key_problems(scenario)
    with problems:
        if file is None:
            raise InputError("Name the file.")
        source = read_source(file, "the file", tables=tables)
    with problems:
        size = None if max_size is None else read_limit(max_size, "max_size", "keys")
    with problems:
        fraction = minimal_uniques.FRACTION if sampling_fraction is None else _fraction(sampling_fraction)
    chosen = minimal_uniques.SCORINGS[0] if scoring is None else str(scoring)
    if chosen not in minimal_uniques.SCORINGS:
        near = suggestion(chosen, minimal_uniques.SCORINGS)
        problems.append(f"scoring: there is no scoring {chosen!r}{near}; it is {' or '.join(minimal_uniques.SCORINGS)}.")
    with problems:
        limit = WORK_LIMIT if work_limit is None else read_limit(work_limit, "work_limit", "class visits")
    with problems:
        missing = _texts(missing_value)
    problems.stop()
    question = Question(source, scenario, Search(size, fraction, chosen), missing, limit)
    require_work(question, 0)
    return question


def require_work(question: Question, classes: int) -> None:
    """Raise InputError where sets of keys take more class visits than the work limit."""
    keys = len(question.scenario.keys)
    size = minimal_uniques.largest(keys, question.search)
    takes = minimal_uniques.work(keys, size, classes)
    most = minimal_uniques.most_keys(keys, classes, question.work_limit)
    sets = takes // max(classes, minimal_uniques.LEAST_WORK)
    way = f"--max-size {most} stays within it" if most else "name fewer keys"
    what = f"Looking at {sets:,} sets of up to {size} of the {keys} keys"
    limits.require(question.work_limit, takes, what, "class visits", way)


def _key_problems(scenario: Scenario) -> list[str]:
    if not scenario.keys:
        return [NO_KEYS]
    return [
        f"{name}: {column!r} is no key{suggestion(column, scenario.keys)}."
        for name in ("bins", "special")
        for column in getattr(scenario, name)
        if column not in scenario.keys
    ]


def _texts(value: object) -> tuple[str, ...]:
    """Values as text; they are read in the type of each key later."""
    several = value if isinstance(value, Sequence) and not isinstance(value, str) else () if value is None else (value,)
    if not all(isinstance(each, str | int | float) for each in several):
        raise InputError("missing_value: expected a value, or a list of values; a value that is missing already needs none.")
    return tuple(dict.fromkeys(str(each).lower() if isinstance(each, bool) else str(each) for each in several))


def _fraction(value: object) -> float:
    """Return a number over 0 and up to 1, also as text. Raises InputError."""
    with suppress(ValueError):
        number = float(str(value))
        if 0 < number <= 1:
            return number
    raise InputError(
        f"sampling_fraction: expected the share of the population that is in the file, over 0 and up to 1; got {value!r}."
    )
