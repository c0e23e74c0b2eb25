"""Errors, with a class for each group of people who can correct them. Each class has its own exit
status on the command line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

from sqlrisk.common.look_alikes import difference, plain

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class SqlriskError(Exception):
    """Base class of all errors that sqlrisk raises on purpose. ``exit_status`` is for the command
    line.
    """

    exit_status = 3


class InputError(SqlriskError):
    """The question or the input is wrong (exit status 2).

    ``problems`` holds every problem found, one sentence each. No sentence names a value of a
    record, except a level that the user typed.
    """

    exit_status = 2

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class PolicyError(SqlriskError):
    """A policy was not met: a verdict is ``fail`` or ``not assessable`` (exit status 1). ``report``
    is the Report, Reports or Utility, with verdicts.
    """

    exit_status = 1

    def __init__(self, message: str, report: Any) -> None:
        self.report = report
        super().__init__(message)


class EngineError(SqlriskError):
    """The database failed: out of disk or memory, a lost connection, a defect (exit status 3).

    ``cause`` is the error of the database. No traceback shows it, because its message may quote
    records.
    """

    exit_status = 3

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        self.cause = cause
        super().__init__(message)


class OutOfMemoryError(EngineError):
    """The database may not take the memory or temporary disk that a statement needs."""


class ProblemList(list[str]):
    """A list of problems that are reported together. Used as a context, it collects the InputError
    of its block.

    >>> problems = ProblemList()
    >>> with problems:
    ...     raise InputError("Name the original file.")
    >>> problems
    ['Name the original file.']
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, InputError):
            self += error.problems
        return isinstance(error, InputError)

    def stop(self, beside: Iterable[str] = ()) -> None:
        """Raise InputError with ``beside`` and this list, each problem once. An empty list raises
        nothing.
        """
        if self:
            raise InputError(list(dict.fromkeys((*beside, *self))))


class Problems(dict[str, ProblemList]):
    """The problems of several scenarios, by name. A problem that all scenarios share is reported
    once.
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__((name, ProblemList()) for name in names)

    def told(self) -> ProblemList:
        """Return all problems, each with the name of its scenario. Problems that all scenarios
        share have no name.
        """
        shared = set.intersection(*map(set, self.values())) if self else set()
        return ProblemList(
            problem if problem in shared else of_scenario(name, problem)
            for name, each in self.items()
            for problem in each
        )

    def stop(self, beside: Iterable[str] = ()) -> None:
        """Raise InputError with all problems, unless no scenario has any. Problems in ``beside``
        come first.
        """
        self.told().stop(beside)


def of_scenario(name: str, problem: str) -> str:
    """Return a problem that begins with the name of its scenario."""
    return f"scenario {name!r}: {problem}"


@contextmanager
def while_scoring(name: str) -> Iterator[None]:
    """Add the name of a scenario to the errors of a block."""
    try:
        yield
    except InputError as error:
        raise InputError([of_scenario(name, each) for each in error.problems]) from None
    except EngineError as error:
        raise EngineError(of_scenario(name, str(error)), error.cause) from None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x' or 'y'?)"`` for up to three similar names, or an empty text.

    The result is the end of a message. If a known name looks the same as ``name``, only that one is
    suggested, and the text explains how they differ.
    """
    names = list(dict.fromkeys(known))
    alike = next((each for each in names if each != name and plain(each) == plain(name)), None)
    if alike is not None:
        way, mine, theirs = difference(name, alike)
        return (
            f" (did you mean {alike!r}? It looks the same, but differs in {way}: {theirs} for "
            f"{mine})"
        )
    folded: dict[str, list[str]] = {}
    for each in names:
        folded.setdefault(each.casefold(), []).append(each)
    near = [
        original
        for match in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
        for original in folded[match]
    ][:3]
    return f" (did you mean {' or '.join(repr(each) for each in near)}?)" if near else ""


def unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> TypeError:
    """Return the error for a keyword argument that a function does not take, as Python raises it,
    with similar names.
    """
    return TypeError(
        f"{function.__qualname__}() got an unexpected keyword argument "
        f"{name!r}{suggestion(name, known)}"
    )


def suggesting(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Let the TypeError for an unknown keyword argument of a function suggest similar names."""
    known = [name for name in function.__annotations__ if name != "return"]

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Answer:
        for name in named:
            if name not in known:
                raise unexpected(function, name, known)
        return function(*given, **named)

    return called
