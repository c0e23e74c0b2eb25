"""A run's session of the database: every statement passes it, with progress, a tracer and a log."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlrisk.engines.engine import Engine, Row
from sqlrisk.inputs.sources import Source
from sqlrisk.plan.steps import Step

if TYPE_CHECKING:
    from sqlrisk.analyses.audit import Log
    from sqlrisk.engines.duckdb import DuckDB

Progress = Callable[[str, int, int, float], None]
Tracer = Callable[[str, float], None]


class Session:
    """The only way to the engine during a run: shows progress, traces, logs, and remembers which tables it has made."""

    def __init__(self, engine: Engine, progress: Progress | None = None, trace: Tracer | None = None) -> None:
        self.engine = engine
        self.progress = progress
        self.trace = trace
        self.log: Log | None = None
        self._tables: set[str] = set()
        self._stage = ("files", 0, 1)
        self.turn: tuple[str, int, int] | None = None  # shown in the place of the steps
        if progress is not None:
            engine.on_wait = self._show

    def fetch(self, sql: str) -> list[Row]:
        """Run one query and return its rows."""
        return self._run("reading", sql)

    def number(self, sql: str) -> int:
        """Run a query of one whole number and return it."""
        ((found,),) = self.fetch(sql)
        return int(found)

    def _run(self, stage: str, sql: str, work: Callable[[], list[Row]] | None = None) -> list[Row]:
        """Run a statement, or the ``work`` that does what it says."""
        started = time.perf_counter()
        rows = self.engine.run(sql) if work is None else work()
        seconds = time.perf_counter() - started
        if self.trace is not None:
            self.trace(sql, seconds)
        if self.log is not None:
            self.log.add(stage, sql, seconds)
        return rows

    def create(self, steps: Iterable[Step]) -> None:
        """Run steps in order; a temporary table is made anew, any other is added to."""
        every = list(steps)
        for number, step in enumerate(every, start=1):
            self._begin(step.name, number, len(every))
            work = partial(self.writer().write_parts, step.table, step.in_parts, adds=step.adds) if step.in_parts else None
            if step.table in self._tables and (step.adds or not step.temporary):
                self._run(step.name, f"INSERT INTO {step.table}\n{step.sql}", work)
            else:
                if step.temporary:
                    self._run(step.name, f"DROP TABLE IF EXISTS {step.table}")
                self._run(step.name, f"CREATE {'TEMPORARY ' if step.temporary else ''}TABLE {step.table} AS\n{step.sql}", work)
                self._tables.add(step.table)
            if step.drops is not None:
                self._run(step.name, f"DROP TABLE {step.drops}")
                self._tables.remove(step.drops)

    def read_parts(self, table: str, parts: Mapping[str, Collection[int]]) -> None:
        """Make a table that was written in parts readable, and some of its ``parts`` by name; none of them is remembered."""
        self._tables.discard(table)
        for name, numbers in {table: None, **parts}.items():
            self.writer().read_parts(name, table, numbers)

    def load(self, name: str, frame: Any, role: str = "") -> str:
        """Make an Arrow table readable and return what FROM reads; ``role`` is how messages name it. It is not remembered."""
        relation, *_ = self.engine.attach(Source(name, "frame", frame=frame, role=role), frame.column_names, name)
        return relation

    def writer(self, refusal: str = "A file of rows cannot be written") -> "DuckDB":
        """Return the engine as one that writes files. Raises InputError that begins with ``refusal`` where it writes none."""
        from sqlrisk.engines.duckdb import file_writer

        return file_writer(self.engine, refusal)

    def output(self, path: str) -> None:
        """Name a file that `export` will write. Before the files are read."""
        self.writer().output(path)

    def private_file(self, name: str) -> str:
        """Return the path of a file that `export` may write and another session may read; gone with this one."""
        return self.writer().scratch(name)

    def export(self, name: str, sql: str, path: str, form: str, *, delimiter: str = ",", compressed: bool = False) -> None:
        """Write the rows of a query to a file that was named as an output."""
        self._begin(name)
        started = time.perf_counter()
        self.writer().export(sql, path, form, delimiter=delimiter, compressed=compressed)
        if self.trace is not None:
            self.trace(sql, time.perf_counter() - started)

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it has made."""
        return frozenset(self._tables)

    def clear(self, keep: Collection[str] = ()) -> None:
        """Drop the tables that it has made, but for those to ``keep``."""
        for table in sorted(self._tables.difference(keep)):
            self.fetch(f"DROP TABLE {table}")
        self._tables.intersection_update(keep)

    def show(self, name: str, number: int, steps: int, done: float) -> None:
        """Show the progress of work that is no statement, unless turns are shown."""
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


Opener = Callable[[], AbstractContextManager[Session]]  # begins a session that ends with the block


def opener(open_engine: Callable[[], AbstractContextManager[Engine]], progress: Progress | None, trace: Tracer | None) -> Opener:
    """Return a function that opens a fresh session of a database."""

    @contextmanager
    def opened() -> Iterator[Session]:
        with open_engine() as engine:
            yield Session(engine, progress, trace)

    return opened
