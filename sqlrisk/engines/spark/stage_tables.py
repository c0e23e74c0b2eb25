"""Stage tables of a run: few rows are held by the driver, others by the workers, or in tables of a
schema.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import chain, islice
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from sqlrisk.common.errors import InputError
from sqlrisk.engines.spark.reading import quote
from sqlrisk.engines.spark.run_session import COMPILED, LOOPBACK, RunSession

FEW_VALUES = 2**17  # of a table that the driver holds: about 1 MB
_FEW_BYTES = 2**20
_PARTS = 16  # parts of a table that is added to, before they are made one
_KEPT = ("delta", "iceberg")  # formats that catalogs of their own want for their tables


class Held(ABC):
    """Rows that were made once, and stay until they are let go."""

    @abstractmethod
    def add(self, frame: Any) -> None:
        """Make the rows of a frame now: a plan that grows from stage to stage would be run again
        and again.
        """

    @property
    @abstractmethod
    def frame(self) -> Any:
        """The rows, as often as they are read."""

    def are_few(self) -> bool:
        """Return whether the driver may hold them."""
        frame = self.frame
        return bool(frame.count() * len(frame.columns) <= FEW_VALUES)

    @abstractmethod
    def condense(self) -> None:
        """Make many parts one, where the rows are in parts."""

    @abstractmethod
    def forget(self) -> None:
        """Free what holds them now, and not when the driver's memory is next cleaned; as often as
        it is asked for.
        """


class Parts(Held):
    """Rows in parts, one for each time that some were added."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.parts: list[Any] = []

    @property
    @abstractmethod
    def width(self) -> int:
        """How many tasks read them."""

    @property
    def frame(self) -> Any:
        return reduce(lambda one, other: one.union(other), self.parts)

    def condense(self) -> None:
        if len(self.parts) > _PARTS:
            parts = list(self.parts)
            self.add(self.frame.coalesce(self.width))
            self.parts = self.parts[-1:]
            self.free(parts)

    def forget(self) -> None:
        self.free(self.parts)
        self.parts = []

    @abstractmethod
    def free(self, parts: Sequence[Any]) -> None:
        """Let go what holds some parts."""


class FewRows(Parts):
    """Rows that the driver holds.

    Spark then knows how few they are, sends them to every worker instead of moving the records of a
    join, and needs no exchange to sum them. They outlive any worker.
    """

    width = 1

    def hold(self, rows: pa.Table, schema: Any = None) -> None:
        """Add rows of Arrow, with the types of a schema of Spark's."""
        self.parts.append(self.session.createDataFrame(rows, schema=schema).coalesce(1))

    def add(self, frame: Any) -> None:
        self.hold(frame.toArrow(), frame.schema)

    @property
    def frame(self) -> Any:
        return super().frame.coalesce(1) if len(self.parts) > 1 else self.parts[0]

    def free(self, parts: Sequence[Any]) -> None:
        """Let go nothing but memory of this program."""


class Checkpoints(Parts):
    """Rows that the workers hold: by one of them each, or by two, so that the other has them when
    one is lost.
    """

    def __init__(self, session: Any, *, by_two: bool) -> None:
        from pyspark import StorageLevel

        super().__init__(session)
        self._level = StorageLevel.MEMORY_AND_DISK_2 if by_two else StorageLevel.MEMORY_AND_DISK

    def add(self, frame: Any) -> None:
        self.parts.append(frame.localCheckpoint(eager=True, storageLevel=self._level))

    def free(self, parts: Sequence[Any]) -> None:
        for part in parts:
            _rdd(part).unpersist(False)

    @property
    def width(self) -> int:
        return int(self.session.sparkContext.defaultParallelism)

    def are_few(self) -> bool:
        rdds = [_rdd(part) for part in self.parts]
        numbers = {rdd.id() for rdd in rdds}
        kept = [each for each in rdds[0].context().getRDDStorageInfo() if each.id() in numbers]
        return sum(int(each.memSize() + each.diskSize()) for each in kept) <= _FEW_BYTES


class StoredTable(Held):
    """Rows in a table of a schema, which outlives any worker. Its columns are numbered: few
    catalogs take every name.
    """

    def __init__(self, session: Any, place: str) -> None:
        self.session = session
        self.place = place
        self._names: list[str] = []

    def add(self, frame: Any) -> None:
        numbered = frame.toDF(*(f"c{number}" for number in range(len(frame.columns))))
        if self._names:
            numbered.write.insertInto(self.place)
            return
        kept = self.session.conf.get("spark.sql.sources.default")
        numbered.write.format(kept if kept in _KEPT else "parquet").saveAsTable(self.place)
        self._names = frame.columns

    @property
    def frame(self) -> Any:
        return self.session.table(self.place).toDF(*self._names)

    def condense(self) -> None:
        """Keep it as it is: a table is one."""

    def forget(self) -> None:
        self.session.sql(f"DROP TABLE IF EXISTS {self.place}")


class StageTables:
    """The stage tables of a session, each shown as a view of a name of this run."""

    def __init__(self, session: Any, prefix: str, make: Callable[[str], Held]) -> None:
        """Begin with none; ``make`` returns what holds many rows, given a free name."""
        self._session = session
        self._prefix = prefix
        self._make = make
        self._shown: dict[str, Held] = {}
        self._begun: dict[str, list[Held]] = {}  # also what never came to be shown
        self._compiled: bool | None = None

    def create(self, name: str, query: str) -> None:
        """Make a table of the rows of a query."""
        self._show(name, self._made(name, *self.planned(query)))

    def insert(self, name: str, query: str) -> None:
        """Add the rows of a query to a table."""
        held = self._shown[name]
        frame, few = self.planned(query)
        if isinstance(held, FewRows) and not few:
            added = self._made(name, frame, few)
            if isinstance(added, FewRows):
                held.parts += added.parts
            else:
                added.add(held.frame)
                held = added
        else:
            held.add(frame)
        held.condense()
        self._show(name, held)

    def load(self, name: str, batches: Iterable[Any]) -> None:
        """Make a table of Arrow record batches; of one at least."""
        first, *more = islice(tables := (pa.Table.from_batches([batch]) for batch in batches), 2)
        if not more and first.num_rows * first.num_columns <= FEW_VALUES:
            few = FewRows(self._session)
            few.hold(first)
            self._show(name, few)
            return
        held = self._new(name)
        for rows in chain([first, *more], tables):
            held.add(self._session.createDataFrame(rows))
        self._show(name, held)

    def drop(self, name: str) -> None:
        """Drop a table, and all that holds rows of it."""
        if self._shown.pop(name, None) is not None:
            self._session.catalog.dropTempView(self._view(name))
        for held in self._begun.get(name, ()):
            held.forget()
        self._begun.pop(name, None)

    def has_at_most(self, rows: int, name: str) -> bool:
        """Return whether a table has no more rows than that, or than the driver holds."""
        held = self._shown[name]
        return isinstance(held, FewRows) or held.frame.count() <= rows

    def place(self, name: str) -> str:
        """Return what names a table in SQL; one that could not be dropped, by its name in the
        schema.
        """
        stored = [held.place for held in self._begun.get(name, ()) if isinstance(held, StoredTable)]
        return stored[-1] if stored and name not in self._shown else self._view(name)

    def planned(self, query: str) -> tuple[Any, bool]:
        """Return a query that has not run yet, and whether it reads only tables that the driver
        holds.
        """
        read = re.findall(rf"\b{self._prefix}(\w+)", query)
        few = all(isinstance(self._shown.get(name), FewRows) for name in read)
        # to compile a plan takes longer than to run it over few rows
        if self._compiled is not (not few):
            self._session.conf.set(COMPILED, str(not few).lower())
            self._compiled = not few
        return self._session.sql(query), few

    def _made(self, name: str, frame: Any, few: bool) -> Held:
        rows = FewRows(self._session)
        if few:
            rows.add(frame)
            return rows
        held = self._new(name)
        held.add(frame)
        if not held.are_few():
            return held
        rows.add(held.frame)
        held.forget()
        self._begun[name].remove(held)
        return rows

    def _new(self, name: str) -> Held:
        begun = self._begun.setdefault(name, [])
        held = self._make(f"{self._view(name)}_{len(begun)}" if begun else self._view(name))
        begun.append(held)
        return held

    def _show(self, name: str, held: Held) -> None:
        self._shown[name] = held
        held.frame.createOrReplaceTempView(self._view(name))

    def _view(self, name: str) -> str:
        return f"{self._prefix}{name}"


def storage(
    own: RunSession, scratch: str | None, prefix: str
) -> tuple[str | None, Callable[[str], Held]]:
    """Return the schema that stage tables are stored in, if they are, and what holds many rows,
    given a free name.

    On one machine, in one process, that process holds them. On a cluster a worker may be lost at
    any time: rows are stored in the schema that the user named, else in the user's current one,
    where all workers write to one place and this user may; elsewhere two workers hold each row.
    Spark Connect cannot do that. Raises InputError where no schema can be had.
    """
    session = own.session
    if scratch is None and own.checkpoints and re.match(r"local(\[|$)", own.master):
        return None, lambda _: Checkpoints(session, by_two=False)
    schema = scratch or f"{own.user.catalog.currentCatalog()}.{own.user.catalog.currentDatabase()}"
    place = ".".join(map(quote, schema.split(".")))

    def stored(name: str) -> StoredTable:
        return StoredTable(session, f"{place}.{quote(name)}")

    if scratch is not None:
        if not session.catalog.databaseExists(place):
            raise InputError(
                f"scratch: Spark has no schema {scratch!r}, or this user may not see it."
            )
        return schema, stored
    if _is_one_place(own, place) and _may_write(session, stored(f"{prefix}probe")):
        return schema, stored
    if own.checkpoints:
        return None, lambda _: Checkpoints(session, by_two=True)
    raise InputError(
        f"Spark Connect keeps stage tables in a schema, and {schema} is none in which this user "
        "may make tables, or its folder "
        "is not one for all workers; name another with --scratch SCHEMA."
    )


def _is_one_place(own: RunSession, schema: str) -> bool:
    """Return whether what one worker writes into a schema is seen by all: no folder that each has
    for itself.
    """
    if own.master.startswith("local") or urlsplit(own.master).hostname in LOOPBACK:
        return True
    told = {row[0]: row[1] for row in own.session.sql(f"DESCRIBE SCHEMA {schema}").collect()}
    location = told.get("Location")  # a catalog that keeps it to itself has one place
    return not location or urlsplit(location).scheme not in ("", "file")


def _may_write(session: Any, table: StoredTable) -> bool:
    try:
        table.add(session.range(1))
    except Exception:  # what a catalog or a file system raises is not always Spark's
        return False
    finally:
        with suppress(Exception):
            table.forget()
    return True


def _rdd(part: Any) -> Any:
    """Return what the workers hold of a checkpoint."""
    plan = part._jdf.queryExecution().analyzed()  # noqa: SLF001 - pyspark knows cached tables only
    return plan.rdd()
