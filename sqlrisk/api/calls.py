"""Shared code of public functions: sort keyword arguments by the tables of settings, make a
question, and open a session.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING, Any

from sqlrisk.common.errors import InputError, suggestion, unexpected
from sqlrisk.inputs.fields import REPEATABLE, SETTINGS, RunOptions, arguments, rows

if TYPE_CHECKING:
    from sqlrisk.analyses import session as sessions
    from sqlrisk.analyses.session import Session
    from sqlrisk.engines.connect import EngineOptions
    from sqlrisk.engines.engine import Engine, EngineOpener
    from sqlrisk.inputs import request
    from sqlrisk.inputs.sources import Source, Tables


class OpenFiles:
    """The files of a Release, which stay open for several questions in one session.

    ``given`` has the arguments original, synthetic, control and universe.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._closing = ExitStack()
        # Threads ask one after the other: their tables would have the same names.
        self._turn = RLock()
        self._session: Session | None = None
        self._first: tuple[Call, request.Question] | None = None

    @contextmanager
    def session(self, call: "Call", question: "request.Question") -> "Iterator[Session]":
        """Yield the session for a question, once no other thread uses it. The first question opens
        it, with all files.

        Raises InputError if anything but the measures differs from the first question, or if a file
        has changed since. An error in the block closes the session, except an InputError after all
        files were read.
        """
        from sqlrisk.analyses.session import Session
        from sqlrisk.inputs.sources import unchanged

        with self._turn:
            if self._session is None or self._first is None:
                every = call.ask(**self._given, with_universe=True, keyless=True)
                # A universe has only keys, so without keys it cannot be opened.
                universe = every.universe if question.scenario.keys else None
                beside: dict[str, Any] = {"control": every.control, "universe": universe}
                first = replace(question, **beside)
                engine = self._closing.enter_context(
                    call.machine.opener(first.sources, watched=False)()
                )
                self._session = Session(engine, call.progress, call.trace, keeps=True)
                self._session.beside, self._first = beside, (call, first)
            self._require_same(call, question, *self._first)
            self._session.next_question()
            try:
                with unchanged(self._first[1].sources):
                    yield self._session
            except InputError as error:  # without a layout, the files were not read to their end
                if self._session.layout is None:
                    self.close(error)
                raise
            # a failed or interrupted statement may have left tables in any state
            except BaseException as error:
                self.close(error)
                raise

    def close(self, error: BaseException | None = None) -> None:
        """End the session, and drop its tables. After an ``error``, none stay in a schema."""
        kind = None if error is None else type(error)
        with self._turn:
            self._session = self._first = None
            self._closing.__exit__(kind, error, None if error is None else error.__traceback__)

    @staticmethod
    def _require_same(
        call: "Call", question: "request.Question", first: "Call", asked: "request.Question"
    ) -> None:
        mine, theirs = question.scenario.settings(), asked.scenario.settings()
        other = [
            name
            for name in mine.keys() | theirs.keys()
            if name != "measures" and mine.get(name) != theirs.get(name)
        ]
        other += [name for name in RUN if getattr(call, name) != getattr(first, name)]
        if other:
            raise InputError(
                f"{', '.join(sorted(other))}: all questions of a Release share these "
                "settings; make another Release for other values."
            )


# Fields of a Call about how it is run, which must not change within a session.
RUN = ("machine", "measures_from", "progress", "trace")
OPEN: ContextVar[OpenFiles | None] = ContextVar("OPEN", default=None)
"""The open files of a Release while one of its methods calls a function, else None."""


@dataclass(frozen=True)
class Call:
    """The keyword arguments of a public function: settings of a scenario, the file with further
    settings, and how to run it.
    """

    settings: Mapping[str, Any]
    own: Mapping[str, Any]  # the arguments that only this function has
    scenario: str | None
    measures_from: str | None
    machine: "EngineOptions"
    progress: Callable[[str, int, int, float], None] | None
    trace: Callable[[str, float], None] | None

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any],
        own: type | None = None,
        *,
        function: Callable[..., Any] | None = None,
    ) -> "Call":
        """Sort the keyword arguments ``given``: fields of the class ``own``, run options, settings.

        Settings come in the order of `SETTINGS`, unknown ones last (reported when they are read).
        With a ``function``, raise TypeError for an argument that it does not take.
        """
        from sqlrisk.engines.connect import EngineOptions

        if function is not None:
            require_known(function, given)
        left = dict(given)
        others = {
            name: left.pop(name, None)
            for name in ("scenario", "measures_from", "progress", "trace")
        }
        apart = {name: left.pop(name) for name in (rows(own) if own else ()) if name in left}
        machine = EngineOptions(
            **{name: left.pop(name) for name in rows(RunOptions) if name in left}
        )
        settings = {name: left.pop(name) for name in SETTINGS if name in left}
        return cls({**settings, **left}, apart, machine=machine, **others)

    @property
    def repeatable(self) -> dict[str, Any]:
        """The arguments besides settings that a manifest stores to repeat the run."""
        known = {"measures_from": self.measures_from, **vars(self.machine)}
        return {name: known[name] for name in REPEATABLE}

    @property
    def tables(self) -> "Tables":
        """How a source may name a table of the engine: see `sqlrisk.engines.connect.tables_of`."""
        from sqlrisk.engines.connect import tables_of

        return tables_of(self.machine.engine)

    @property
    def where(self) -> "request.Where":
        """The scenario file, own measures and tables: arguments of `sqlrisk.inputs.request.ask`."""
        return {
            "scenario_file": self.scenario,
            "measures_from": self.measures_from,
            "tables": self.tables,
        }

    def ask(
        self, original: Any, synthetic: Any, control: Any = None, **beside: Any
    ) -> "request.Question":
        """Return the question about these files. ``beside`` goes to `sqlrisk.inputs.request.ask`,
        whose errors are raised.
        """
        from sqlrisk.inputs import request

        return request.ask(
            original, synthetic, self.settings, control=control, **beside, **self.where
        )

    def ask_several(self, original: Any, synthetic: Any) -> "dict[str, request.Question]":
        """Return the questions by name if the scenario file holds several scenarios, otherwise an
        empty dict.

        It is also empty in a Release, which answers one scenario: `ask` refuses a file of several.
        """
        from sqlrisk.inputs.scenario_file import read_scenarios

        if self.scenario is None or OPEN.get() is not None:
            return {}
        if not read_scenarios(self.scenario, tables=self.tables)[1]:
            return {}
        from sqlrisk.analyses.scores import several_scenarios

        return several_scenarios.ask(
            self.scenario,
            (original, synthetic, None, None),
            self.settings,
            measures_from=self.measures_from,
            tables=self.tables,
        )

    def opener(self, question: "request.Question") -> "EngineOpener":
        """Return a function that opens the database again for the files of a question, without
        progress and tracing. It raises InputError for Arrow readers.
        """
        from sqlrisk.inputs.sources import require_repeatable

        keeps = self.machine.keeps_tables
        machine = replace(self.machine, scratch=None) if keeps else self.machine
        opened = machine.opener(question.sources)

        def again() -> "AbstractContextManager[Engine]":
            require_repeatable(question.sources)
            return opened()

        return again

    def sessions(
        self, sources: "Iterable[Source]" = (), *, several: bool = False
    ) -> "sessions.SessionOpener":
        """Return a function that opens a new session for these sources, with progress and
        tracing.

        Raises InputError if ``several`` sessions would have to leave their tables in one schema, or
        read Arrow readers.
        """
        from sqlrisk.analyses import session as sessions
        from sqlrisk.inputs.sources import require_repeatable

        read = tuple(sources)
        if several:
            require_repeatable(read)
        if several and self.machine.keeps_tables:
            raise InputError(
                "scratch: a schema of a DuckDB file keeps the tables of one session, and this run "
                "has several; leave it out."
            )
        return sessions.session_opener(self.machine.opener(read), self.progress, self.trace)

    def session(self, question: "request.Question") -> "AbstractContextManager[Session]":
        """Open a session for the files of a question, or continue the session of a Release."""
        files = OPEN.get()
        return self.sessions(question.sources)() if files is None else files.session(self, question)


def require_known(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise TypeError, as Python does, for the first keyword argument that a function does not
    take. The message suggests similar names.
    """
    known = arguments(function)
    for name in given:
        if name not in known:
            raise unexpected(function, name, known)


def require_own(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise TypeError for an unknown keyword argument similar to one of the function's own. Others
    are reported with all problems of the settings.
    """
    own = [name for name in arguments(function) if name not in SETTINGS]
    require_known(function, [name for name in given if suggestion(name, own)])
