"""The database session of a run. Every statement passes it, with progress, a tracer and a log."""

import hashlib
import re
import shutil
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlrisk.engines.engine import Engine, Row
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.steps import Step

if TYPE_CHECKING:
    from sqlrisk.analyses.audit import Log
    from sqlrisk.engines.duckdb import DuckDB
    from sqlrisk.plan.layout import Layout

Progress = Callable[[str, int, int, float], None]
Tracer = Callable[[str, float], None]
Found = TypeVar("Found")
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")  # what a query names as a table; CTEs among them


@dataclass(frozen=True)
class _Done:
    """Finished work: what it found, the SQL versions of its tables, and its statements."""

    found: Any
    tables: Mapping[str, str]
    statements: Sequence[tuple[str, str]]


class Session:
    """The only way to the engine during a run. It shows progress, traces, logs, and remembers its
    tables.

    If it ``keeps`` tables, it answers several questions about the same files in turn. A table that
    a question would make by the same SQL from the same tables is reused.
    """

    def __init__(
        self,
        engine: Engine,
        progress: Progress | None = None,
        trace: Tracer | None = None,
        *,
        keeps: bool = False,
    ) -> None:
        self.engine = engine
        self.progress = progress
        self.trace = trace
        self.keeps = keeps
        # of the files, once they are encoded, where it keeps them
        self.layout: Layout | None = None
        self.log: Log | None = None
        self._tables: set[str] = set()
        # of these, what the question has made, or has found as it makes it
        self._made: set[str] = set()
        self._versions: dict[str, str] = {}  # what each table is made by
        self._loaded: set[str] = set()
        self._done: dict[Hashable, _Done] = {}
        # lists to which each statement is added, with its stage
        self._heard: list[list[tuple[str, str]]] = []
        self._numbers = count(1)  # of what nobody can tell to be the same
        self._stage = ("files", 0, 1)
        self.turn: tuple[str, int, int] | None = None  # shown in the place of the steps
        if progress is not None:
            engine.on_wait = self._show

    def next_question(self) -> None:
        """Begin the next question. Tables stay, and are reused if their SQL is the same."""
        self.log = self.turn = None
        self._made.clear()

    def fetch(self, sql: str) -> list[Row]:
        """Run one query and return its rows."""
        return self._run("reading", sql)

    def number(self, sql: str) -> int:
        """Run a query that returns one whole number, and return it."""
        ((found,),) = self.fetch(sql)
        return int(found)

    def _run(self, stage: str, sql: str, work: Callable[[], list[Row]] | None = None) -> list[Row]:
        """Run a statement, or call ``work``, which does what the statement says."""
        started = time.perf_counter()
        rows = self.engine.run(sql) if work is None else work()
        seconds = time.perf_counter() - started
        if self.trace is not None:
            self.trace(sql, seconds)
        if self.log is not None:
            self.log.add(stage, sql, seconds)
        for statements in self._heard:
            statements.append((stage, sql))
        return rows

    def create(self, steps: Iterable[Step]) -> None:
        """Run steps in order. A temporary table is made anew. Any other table is added to."""
        every = list(steps)
        for number, step in enumerate(every, start=1):
            self._begin(step.name, number, len(every))
            adds = step.table in self._made and (step.adds or not step.temporary)
            version = self._version(step, adds=adds)
            if (
                version is None
                or self._versions.get(step.table) != version
                or step.table in self._made
            ):
                self._fill(step, adds=adds)
            else:
                self._skip(step.name, _creation(step))
            self._tables.add(step.table)
            self._made.add(step.table)
            if version is not None:
                self._versions[step.table] = version
            if step.drops is not None:
                self._run(step.name, f"DROP TABLE {step.drops}")
                self._forget(step.drops)

    def once(self, what: Hashable, work: Callable[[], Found]) -> Found:
        """Do work that makes tables, and return what it finds. If tables are kept, do it only if it
        is new or its inputs changed.
        """
        if not self.keeps:
            return work()
        known = self._done.get(what)
        if known is None or any(
            self._versions.get(name) != version for name, version in known.tables.items()
        ):
            before, statements = self.tables, list[tuple[str, str]]()
            self._heard.append(statements)
            try:
                found = work()
            finally:
                self._heard.remove(statements)
            self._done[what] = _Done(
                found, {name: self._versions[name] for name in self.tables - before}, statements
            )
            return found
        for stage, sql in known.statements:
            self._skip(stage, sql)
        self._made.update(known.tables)
        return cast("Found", known.found)

    def _skip(self, stage: str, sql: str) -> None:
        """Log a statement that an earlier question ran, since numbers of this question depend on
        it.
        """
        if self.log is not None:
            self.log.add(stage, sql, 0.0)

    def _fill(self, step: Step, *, adds: bool) -> None:
        """Make the table of a step, or add rows to it."""
        work = (
            partial(self.writer().write_parts, step.table, step.in_parts, adds=step.adds)
            if step.in_parts
            else None
        )
        if adds:
            self._run(step.name, f"INSERT INTO {step.table}\n{step.sql}", work)
            return
        if step.temporary:
            self._run(step.name, f"DROP TABLE IF EXISTS {step.table}")
        elif step.table in self._tables:  # by another question
            self._run(step.name, f"DROP TABLE {step.table}")
        self._forget(step.table)
        self._run(step.name, _creation(step), work)

    def _version(self, step: Step, *, adds: bool) -> str | None:
        """Return the version of a table after a step: its SQL, and the versions of the tables it
        names.

        None if tables are not kept, or the table is written in parts.
        """
        if not self.keeps or step.in_parts:
            return None
        read = sorted(self._versions.keys() & set(_READ.findall(step.sql)))
        before = self._versions[step.table] if adds else ""
        return hashlib.sha256(
            repr((before, step.sql, [(name, self._versions[name]) for name in read])).encode()
        ).hexdigest()

    def _forget(self, table: str) -> None:
        self._tables.discard(table)
        self._made.discard(table)
        self._versions.pop(table, None)

    def _is_new(self, table: str) -> None:
        """Give a table a new version, since its rows changed: nothing made from it is reused."""
        self._versions[table] = f"{table} {next(self._numbers)}"

    def read_parts(self, table: str, parts: Mapping[str, Collection[int]]) -> None:
        """Make a table written in parts readable, and some of its ``parts`` by name. None of them
        is remembered.
        """
        self._forget(table)
        for name, numbers in {table: None, **parts}.items():
            self.writer().read_parts(name, table, numbers)
            self._is_new(name)

    def load(self, name: str, frame: Any, role: str = "") -> str:
        """Make an Arrow table readable, and return its name for FROM. Messages call it ``role``. It
        is not remembered: a later one of the same name takes its place.
        """
        if name in self._loaded:
            self._run("files", f"DROP TABLE {name}")
            self._loaded.remove(name)
        relation, *_ = self.engine.attach(
            Source(name, "frame", frame=frame, role=role), frame.column_names, name
        )
        self._loaded.add(name)
        self._is_new(name)
        return relation

    def answer(self, statement: str, queries: Mapping[str, str]) -> tuple[list[str], list[Row]]:
        """Run the user's own query over queries of ours by name: (columns, rows). Raises InputError
        if it is refused.
        """
        self._begin("query")
        started = time.perf_counter()
        found = self.engine.answer(statement, queries)
        if self.trace is not None:
            self.trace(statement, time.perf_counter() - started)
        return found

    def writer(self, refusal: str = "A file of rows cannot be written") -> "DuckDB":
        """Return the engine if it can write files. Otherwise raise InputError with a message that
        begins with ``refusal``.
        """
        from sqlrisk.engines.duckdb import file_writer

        return file_writer(self.engine, refusal)

    def output(self, path: str) -> None:
        """Register a file that `export` will write. Call this before files are read."""
        if not self.keeps:
            self.writer().output(path)

    def private_file(self, name: str) -> str:
        """Return the path of a file that `export` may write and another session may read. It is
        removed with this session.
        """
        return self.writer().scratch(name)

    def export(
        self,
        name: str,
        sql: str,
        path: str,
        form: str,
        *,
        delimiter: str = ",",
        compressed: bool = False,
    ) -> None:
        """Write the rows of a query to a registered output file."""
        self._begin(name)
        started = time.perf_counter()
        # Once files are read, nothing but the private folder can be written.
        written = self.private_file(f"written_{next(self._numbers)}") if self.keeps else path
        self.writer().export(sql, written, form, delimiter=delimiter, compressed=compressed)
        if written != path:
            shutil.move(written, path)
        if self.trace is not None:
            self.trace(sql, time.perf_counter() - started)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the question has made."""
        return frozenset(self._made)

    def clear(self, keep: Collection[str] = ()) -> None:
        """Drop the tables of the question, except those in ``keep``."""
        for table in sorted(self._made.difference(keep)):
            self.fetch(f"DROP TABLE {table}")
            self._forget(table)

    def show(self, name: str, number: int, steps: int, done: float) -> None:
        """Show the progress of work that is not a statement, unless turns are shown."""
        if self.progress is not None and self.turn is None:
            self.progress(name, number, steps, done)

    def _begin(self, name: str, number: int = 1, steps: int = 1) -> None:
        self._stage = (name, number, steps)
        self._show()

    def _show(self) -> None:
        if self.progress is None:
            return
        name, number, steps = self._stage
        done = self.engine.progress()
        if self.turn is not None:
            name, number, steps, done = *self.turn, (self._stage[1] - 1 + done) / self._stage[2]
        self.progress(name, number, steps, done)


def _creation(step: Step) -> str:
    return f"CREATE {'TEMPORARY ' if step.temporary else ''}TABLE {step.table} AS\n{step.sql}"


Opener = Callable[[], AbstractContextManager[Session]]  # begins a session that ends with the block


def opener(
    open_engine: Callable[[], AbstractContextManager[Engine]],
    progress: Progress | None,
    trace: Tracer | None,
) -> Opener:
    """Return a function that opens a new session of a database."""

    @contextmanager
    def opened() -> Iterator[Session]:
        with open_engine() as engine:
            yield Session(engine, progress, trace)

    return opened
