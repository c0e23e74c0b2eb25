"""What public functions have in common: keyword arguments from the tables of settings, and what a call does with them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from textwrap import fill
from typing import Any, TypeVar, cast, get_args

from sqlrisk.analyses import session as sessions
from sqlrisk.analyses.preparation.files import sources_of
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.engines.connect import EngineOptions, tables_of
from sqlrisk.engines.engine import Opener
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import REPEATABLE, SETTINGS, Attackers, Run, rows
from sqlrisk.inputs.sources import Source, Tables, unchanged

KEYWORD = Parameter.KEYWORD_ONLY
Function = TypeVar("Function", bound=Callable[..., Any])


class OpenFiles:
    """Files that stay open from one question to the next, in one session of the database."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._session: Session | None = None
        self._first: tuple[Call, request.Question] | None = None

    @contextmanager
    def session(self, call: "Call", question: request.Question) -> Iterator[Session]:
        """Yield the session for a question; the first opens it.

        Raises InputError for a question with other settings than the first, but for its measures, and where a file is not what
        it was then.
        """
        if self._session is None or self._first is None:
            engine = self._closing.enter_context(call.machine.opener(sources_of(question), watched=False)())
            self._session, self._first = Session(engine, call.progress, call.trace, keeps=True), (call, question)
        self._require_same(call, question, *self._first)
        self._session.next_question()
        try:
            with unchanged(sources_of(self._first[1])):
                yield self._session
        except InputError:  # nothing can be asked of files that were not read to their end
            if self._session.layout is None:
                self.close()
            raise
        except BaseException:  # nobody knows what a statement that failed, or was interrupted, has left
            self.close()
            raise

    def close(self) -> None:
        """End the session: what it has made is gone."""
        self._session = self._first = None
        self._closing.close()

    @staticmethod
    def _require_same(call: "Call", question: request.Question, first: "Call", asked: request.Question) -> None:
        mine, theirs = question.scenario.settings(), asked.scenario.settings()
        other = [name for name in mine.keys() | theirs.keys() if name != "measures" and mine.get(name) != theirs.get(name)]
        other += [name for name in RUN if getattr(call, name) != getattr(first, name)]
        if other:
            raise InputError(
                f"{', '.join(sorted(other))}: settings of a Release hold for all of its questions; make another one for others."
            )


RUN = ("machine", "measures_from", "progress", "trace")  # of a call: how it is run, which a session has from its first question
OPEN: ContextVar[OpenFiles | None] = ContextVar("OPEN", default=None)
"""The files of the Release that calls a function."""


@dataclass(frozen=True)
class Call:
    """What a function was given by name: the settings of a scenario, where others come from, and how to run it."""

    settings: Mapping[str, Any]
    who: Mapping[str, Any]  # attacks, as of the table `Attackers`
    scenario: str | None
    measures_from: str | None
    machine: EngineOptions
    progress: Callable[[str, int, int, float], None] | None
    trace: Callable[[str, float], None] | None

    @classmethod
    def of(cls, given: Mapping[str, Any], *, attacks: bool = False) -> "Call":
        """Sort keyword arguments; those of attackers where it ``attacks``.

        What is nothing else is a setting, in the order of the table; an unknown one comes last.
        """
        left = dict(given)
        others = {name: left.pop(name, None) for name in ("scenario", "measures_from", "progress", "trace")}
        who = {name: left.pop(name, None) for name in rows(Attackers) if attacks}
        machine = EngineOptions(**{each.name: left.pop(each.name) for each in fields(EngineOptions) if each.name in left})
        settings = {name: left.pop(name) for name in SETTINGS if name in left}
        return cls({**settings, **left}, who, machine=machine, **others)

    @property
    def repeatable(self) -> dict[str, Any]:
        """What a manifest needs of it besides the settings, to run it again."""
        known = {"measures_from": self.measures_from, **vars(self.machine)}
        return {name: known[name] for name in REPEATABLE}

    @property
    def tables(self) -> Tables:
        """What a source that is no file names in the database that counts."""
        return tables_of(self.machine.engine)

    @property
    def where(self) -> request.Where:
        """Where else a question comes from."""
        return {"scenario_file": self.scenario, "measures_from": self.measures_from, "tables": self.tables}

    def ask(self, original: Any, synthetic: Any, control: Any = None, **beside: Any) -> request.Question:
        """Return the question that is put to these files. Raises InputError as `sqlrisk.inputs.request.ask`."""
        return request.ask(original, synthetic, self.settings, control=control, **beside, **self.where)

    def opener(self, question: request.Question) -> Opener:
        """Return a function that opens the database over the files of a question, without progress and tracer."""
        return self.machine.opener(sources_of(question))

    def sessions(self, sources: Iterable[Source] = ()) -> sessions.Opener:
        """Return a function that opens a fresh session of the database over sources, with progress and tracer."""
        return sessions.opener(self.machine.opener(sources), self.progress, self.trace)

    def session(self, question: request.Question) -> AbstractContextManager[Session]:
        """Open a session over the files of a question, or go on with that of a Release."""
        files = OPEN.get()
        return self.sessions(sources_of(question))() if files is None else files.session(self, question)


def signed(shown: str | None = None) -> Callable[[Function], Function]:
    """Show a function that takes a table as keyword arguments with those arguments, and in its text what its settings mean.

    Args:
        shown: names of keyword arguments, in order; by default all settings, and then what the function has of its own. How to
            run comes last. Settings that are not shown stand behind ``**settings``: a slip in a name is found by whoever reads
            them, with those that are near. Where all are shown, it is a TypeError, as ever in Python.
    """

    def sign(function: Function) -> Function:
        plain = signature(function)
        *own, given = plain.parameters.values()
        table = get_args(given.annotation)[0]
        last = [name for name in table.__annotations__ if name in Run.__annotations__ and name not in SETTINGS]
        known = {each.name: each for each in own if each.kind is KEYWORD}
        order = [*(name for name in table.__annotations__ if name not in last), *known] if shown is None else shown.split()
        for name, hint in table.__annotations__.items():
            default = getattr(EngineOptions, name, None)  # of an engine: which one
            known[name] = Parameter(name, KEYWORD, default=default, annotation=getattr(hint, "__origin__", hint))
        parameters = [each for each in own if each.kind is not KEYWORD]
        parameters += [known[name] for name in dict.fromkeys((*order, *last))]
        closed = known.keys() <= {each.name for each in parameters}
        if not closed:
            parameters.append(Parameter("settings", Parameter.VAR_KEYWORD, annotation=Any))
        signed = _closed(function, {each.name for each in parameters}) if closed else function
        vars(signed)["__signature__"] = plain.replace(parameters=parameters)
        if function.__doc__:  # Python can leave it out
            signed.__doc__ = function.__doc__.replace("        {settings}", explained(table))
        return signed

    return sign


def explained(table: type) -> str:
    """Say what the settings of a table mean, as in the text of a function: one without help is told of by the one before."""
    texts: list[tuple[list[str], str]] = []
    for name, field in rows(table).items():
        if field.says:
            texts.append(([name], field.says))
        elif name in SETTINGS:
            texts[-1][0].append(name)
    return "\n".join(
        fill(f"{', '.join(names)}: {says}", 130, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)
        for names, says in texts
    )


def _closed(function: Function, names: set[str]) -> Function:
    """Return the function, refusing keyword arguments of other names."""

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in names:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{suggestion(name, names)}")
        return function(*args, **given)

    return cast("Function", call)
