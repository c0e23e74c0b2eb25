"""The database session of a run. Every statement passes through it and can be shown, traced and
logged.
"""

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

from sqlrisk.common.errors import OutOfMemoryError
from sqlrisk.engines.engine import Engine, EngineOpener, SqlRow
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.steps import Step

if TYPE_CHECKING:
    from sqlrisk.analyses.audit import Log
    from sqlrisk.engines.duckdb import DuckDB
    from sqlrisk.plan.layout import Layout

# takes the name of a step, its number, the number of steps, and the share of the step that is done
Progress = Callable[[str, int, int, float], None]
Tracer = Callable[[str, float], None]  # takes a statement and its seconds
Found = TypeVar("Found")
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")  # tables that a query names, including CTEs


@dataclass(frozen=True)
class _Done:
    """A finished piece of work of `Session.once`.

    Attributes:
        found: its result.
        tables: name -> version of the tables that it made.
        statements: its (stage, statement) pairs.
    """

    found: Any
    tables: Mapping[str, str]
    statements: Sequence[tuple[str, str]]


class Session:
    """The database session of a run. All statements of the run pass through the session.

    A session shows progress, traces and logs statements, and remembers its tables. A session that
    ``keeps`` tables answers several questions about one set of files in turn. It reuses a table of
    an earlier question if the new question would make it by the same SQL from unchanged tables.
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
        # the layout of the encoded files, if the session keeps tables
        self.layout: Layout | None = None
        # control and universe of a Release, which not every question reads
        self.beside: Mapping[str, Any] = {}
        self.log: Log | None = None
        self._tables: set[str] = set()
        # the tables that the current question has made or reused
        self._made: set[str] = set()
        self._versions: dict[str, str] = {}  # table -> its version, a hash of what it was made from
        self._loaded: set[str] = set()
        self._in_parts: set[str] = set()  # tables written in parts, which are views
        self._done: dict[Hashable, _Done] = {}
        # lists that record each (stage, statement) while `once` works
        self._heard: list[list[tuple[str, str]]] = []
        self._numbers = count(1)  # numbers for the versions of tables that no SQL determines
        self._stage = ("files", 0, 1)
        self.turn: tuple[str, int, int] | None = None  # shown instead of the steps
        if progress is not None:
            engine.on_wait = self._show

    def next_question(self) -> None:
        """Begin the next question, without a log. A table that exists is reused if the new question
        makes it with the same SQL.
        """
        self.log = self.turn = None
        self._made.clear()

    def fetch(self, sql: str) -> list[SqlRow]:
        """Run one query and return its rows."""
        return self._run("reading", sql)

    def number(self, sql: str) -> int:
        """Run a query that returns one whole number, and return that number."""
        ((found,),) = self.fetch(sql)
        return int(found)

    def _run(
        self, stage: str, sql: str, work: Callable[[], list[SqlRow]] | None = None
    ) -> list[SqlRow]:
        """Run a statement. If ``work`` is given, call ``work`` instead, which does what the
        statement describes.
        """
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
        """Run steps in order.

        The first step of a question that fills a table replaces the table. The table is reused
        instead if the same SQL made it from unchanged tables. A later step adds rows. But if the
        table is in memory, a later step replaces it, unless the step says ``adds``.
        """
        every = list(steps)
        for number, step in enumerate(every, start=1):
            self._begin(step.name, number, len(every))
            adds = step.table in self._made and (step.adds or not step.in_memory)
            version = self._version(step, adds=adds)
            if (
                version is None
                or self._versions.get(step.table) != version
                or step.table in self._made
            ):
                try:
                    self._fill(step, adds=adds)
                except OutOfMemoryError:
                    if step.smaller is None:
                        raise
                    self.create(step.smaller())
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
        """Do work that makes tables, and return its result.

        ``what`` names the work. If the session keeps tables, work that was done before is repeated
        only if one of its tables has been replaced or dropped. Otherwise the earlier result is
        returned and its statements are logged again.
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
                self._heard.pop()
            self._done[what] = _Done(
                found, {name: self._versions[name] for name in self.tables - before}, statements
            )
            return found
        for stage, sql in known.statements:
            self._skip(stage, sql)
        self._made.update(known.tables)
        return cast("Found", known.found)

    def _skip(self, stage: str, sql: str) -> None:
        """Add to the log a statement that ran for an earlier question, because numbers of this
        question depend on it.
        """
        if self.log is not None:
            self.log.add(stage, sql, 0.0)

    def _fill(self, step: Step, *, adds: bool) -> None:
        """Make a step's table, or add rows to the table."""
        work = (
            partial(self.writer().write_parts, step.table, step.in_parts, adds=step.adds)
            if step.in_parts
            else None
        )
        if adds:
            self._run(step.name, f"INSERT INTO {step.table}\n{step.sql}", work)
            return
        if step.table in self._in_parts:
            self._run(step.name, f"DROP VIEW {step.table}")
            self._in_parts.discard(step.table)
        elif step.in_memory:
            self._run(step.name, f"DROP TABLE IF EXISTS {step.table}")
        elif step.table in self._tables:  # made by an earlier question
            self._run(step.name, f"DROP TABLE {step.table}")
        self._forget(step.table)
        self._run(step.name, _creation(step), work)

    def _version(self, step: Step, *, adds: bool) -> str | None:
        """Return the version of a table after a step: a hash of the step's SQL and of the versions
        of the tables that the SQL names.

        None if tables are not kept, or if the table is written in parts.
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
        """Give a table a new version, because its rows changed. Tables made from the old rows are
        then not reused.
        """
        self._versions[table] = f"{table} {next(self._numbers)}"

    def read_parts(self, table: str, parts: Mapping[str, Collection[int]]) -> None:
        """Make a table that was written in parts readable as a whole.

        ``parts`` maps further names to sets of part numbers. Each set becomes readable under its
        name. Neither these names nor ``table`` are then in `tables`, so `clear` does not drop them.
        A step that makes ``table`` again replaces it.
        """
        self._forget(table)
        self._in_parts.add(table)
        for name, numbers in {table: None, **parts}.items():
            self.writer().read_parts(name, table, numbers)
            self._is_new(name)

    def load(self, name: str, frame: Any, role: str = "") -> str:
        """Make an Arrow table readable, and return the text to put after FROM.

        Messages call the table ``role``. A second table with one name replaces the first. Loaded
        tables are not in `tables`, so `clear` does not drop them.
        """
        if name in self._loaded:  # the caller may have dropped it
            self._run("files", f"DROP TABLE IF EXISTS {name}")
        relation, *_ = self.engine.attach(
            Source(name, "frame", frame=frame, role=role), frame.column_names, name
        )
        self._loaded.add(name)
        self._is_new(name)
        return relation

    def answer(self, statement: str, queries: Mapping[str, str]) -> tuple[list[str], list[SqlRow]]:
        """Run the user's own query and return (columns, rows).

        The query may read ``queries`` by name, like tables. Raises InputError if the query is
        refused.
        """
        self._begin("query")
        started = time.perf_counter()
        found = self.engine.answer(statement, queries)
        if self.trace is not None:
            self.trace(statement, time.perf_counter() - started)
        return found

    def writer(
        self, refusal: str = "A file of rows cannot be written", instead: str = ""
    ) -> "DuckDB":
        """Return the engine if it can write files.

        If it cannot, raise InputError with a message that begins with ``refusal``. ``instead``
        says what to do in a database that can keep tables in a schema.
        """
        from sqlrisk.engines.duckdb import file_writer

        return file_writer(self.engine, refusal, instead)

    def output(self, path: str, instead: str = "") -> None:
        """Name a file that `export` will write. Call this before files are read. ``instead`` is
        passed to `writer`.
        """
        writer = self.writer(instead=instead)
        if not self.keeps:
            writer.output(path)

    def private_file(self, name: str) -> str:
        """Return the path of a file that `export` may write and another session may read.

        It is removed when this session ends.
        """
        return self.writer().scratch(name)

    def export(
        self,
        name: str,
        sql: str,
        path: str,
        form: str,
        **how: Any,
    ) -> None:
        """Write the rows of a query to a file named with `output`, or to a `private_file`.

        ``name`` is shown as progress. ``form`` is the format, ``parquet`` or ``csv``, and ``how``
        are the other arguments of the engine's `export`.
        """
        self._begin(name)
        started = time.perf_counter()
        # Once files are read, only the private folder can be written to.
        written = self.private_file(f"written_{next(self._numbers)}") if self.keeps else path
        self.writer().export(sql, written, form, **how)
        if written != path:
            shutil.move(written, path)
        if self.trace is not None:
            self.trace(sql, time.perf_counter() - started)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the current question has made or reused."""
        return frozenset(self._made)

    def clear(self, keep: Collection[str] = ()) -> None:
        """Drop the tables of the question, except tables in ``keep`` and tables of another
        database.
        """
        for table in sorted(self._made.difference(keep)):
            if "." not in table:
                self.fetch(f"DROP TABLE {table}")
                self._forget(table)

    def show(self, name: str, number: int, steps: int, done: float) -> None:
        """Show the progress of work that is not a statement: it is at step ``number`` of ``steps``,
        and the share ``done`` of this step is finished. Nothing is shown while ``turn`` is shown.
        """
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
    return f"CREATE {'TEMPORARY ' if step.in_memory else ''}TABLE {step.table} AS\n{step.sql}"


SessionOpener = Callable[[], AbstractContextManager[Session]]


def session_opener(
    open_engine: EngineOpener, progress: Progress | None, trace: Tracer | None
) -> SessionOpener:
    """Return a function that opens a new session of a database."""

    @contextmanager
    def opened() -> Iterator[Session]:
        with open_engine() as engine:
            yield Session(engine, progress, trace)

    return opened
