"""Stage tables of a run. The driver holds tables of few rows. Workers or a schema hold the
others.
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
from pyspark.errors import PySparkException

from sqlrisk.common.errors import InputError
from sqlrisk.engines.spark.reading import quote
from sqlrisk.engines.spark.run_session import FOR_FEW, LOOPBACK, RunSession

FEW_VALUES = 2**19  # most values of a table that the driver holds: about 4 MB of numbers
_FEW_BYTES = 2**20
_PARTS = 16  # parts of a growing table before they are merged
_KEPT = ("delta", "iceberg")  # formats that their own catalogs require


class Held(ABC):
    """Rows that were computed once. They are kept until `forget`."""

    @abstractmethod
    def add(self, frame: Any) -> None:
        """Compute the rows of a frame now and add them. So later stages read them and do not
        compute them again.
        """

    @property
    @abstractmethod
    def frame(self) -> Any:
        """The rows as a frame that can be read any number of times."""

    def few_rows(self) -> Any:
        """Return the rows as an Arrow table if they are few enough for the driver to hold,
        otherwise None.
        """
        frame = self.frame
        most = FEW_VALUES // len(frame.columns)
        rows = frame.limit(most + 1).toArrow()  # one job counts the rows and brings them
        return rows if rows.num_rows <= most else None

    @abstractmethod
    def condense(self) -> None:
        """Merge the parts if there are many."""

    @abstractmethod
    def forget(self) -> None:
        """Free the rows now, or drop the table that holds them. Further calls do nothing."""


class Parts(Held):
    """Rows in parts. Each `add` makes one part."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.parts: list[Any] = []

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of tasks that read the rows."""

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
        """Release some parts, and the memory of their rows."""


class FewRows(Parts):
    """Rows that the driver holds.

    Spark then knows that the rows are few. It sends them to every worker in a join instead of
    moving the records, and sums them without an exchange. The rows survive if a worker is lost.
    """

    width = 1

    def hold(self, rows: pa.Table, schema: Any = None) -> None:
        """Add Arrow rows, with the types of a Spark schema."""
        self.parts.append(self.session.createDataFrame(rows, schema=schema).coalesce(1))

    def add(self, frame: Any) -> None:
        self.hold(frame.toArrow(), frame.schema)

    @property
    def frame(self) -> Any:
        return super().frame.coalesce(1) if len(self.parts) > 1 else self.parts[0]

    def free(self, parts: Sequence[Any]) -> None:
        """Do nothing: the rows are only in the memory of this process."""


class Checkpoints(Parts):
    """Rows that workers hold. With ``by_two``, two workers hold each row, so that one worker may be
    lost.
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

    def few_rows(self) -> Any:
        rdds = [_rdd(part) for part in self.parts]
        numbers = {rdd.id() for rdd in rdds}
        kept = [each for each in rdds[0].context().getRDDStorageInfo() if each.id() in numbers]
        size = sum(int(each.memSize() + each.diskSize()) for each in kept)
        return self.frame.toArrow() if size <= _FEW_BYTES else None


class StoredTable(Held):
    """Rows in a table of a schema. They survive if a worker is lost.

    The columns have numbers as names, because few catalogs accept every name.
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
        """Do nothing: a table has no parts."""

    def forget(self) -> None:
        self.session.sql(f"DROP TABLE IF EXISTS {self.place}")


class StageTables:
    """The stage tables of a session. Each is visible as a view with a name that is unique to this
    run.
    """

    def __init__(self, session: Any, prefix: str, make: Callable[[str], Held]) -> None:
        """Begin without tables. ``make`` takes a free name and returns a holder for many rows."""
        self._session = session
        self._prefix = prefix
        self._make = make
        self._shown: dict[str, Held] = {}
        self._begun: dict[str, list[Held]] = {}  # holders, also of tables never shown as a view
        self._usual = _changeable(session)
        self._for_few = False

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
        """Make a table of one or more Arrow record batches."""
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
        """Drop a table and everything that holds its rows."""
        if self._shown.pop(name, None) is not None:
            self._session.catalog.dropTempView(self._view(name))
        for held in self._begun.get(name, ()):
            held.forget()
        self._begun.pop(name, None)

    def has_at_most(self, rows: int, name: str) -> bool:
        """Return True if a table has at most this many rows, or if the driver holds it."""
        held = self._shown[name]
        return isinstance(held, FewRows) or held.frame.count() <= rows

    def place(self, name: str) -> str:
        """Return the SQL name of a table. This also works after a failed drop, if only the stored
        rows are left.
        """
        stored = [held.place for held in self._begun.get(name, ()) if isinstance(held, StoredTable)]
        return stored[-1] if stored and name not in self._shown else self._view(name)

    def planned(self, query: str) -> tuple[Any, bool]:
        """Return a query as a lazy frame, and True if the driver holds all of our tables that it
        reads. In this case the session gets the settings `FOR_FEW`, otherwise its usual settings.
        """
        read = re.findall(rf"\b{self._prefix}(\w+)", query)
        few = all(isinstance(self._shown.get(name), FewRows) for name in read)
        if self._for_few is not few:
            for name, usual in self._usual.items():
                self._session.conf.set(name, FOR_FEW[name] if few else usual)
            self._for_few = few
        return self._session.sql(query), few

    def _made(self, name: str, frame: Any, few: bool) -> Held:
        rows = FewRows(self._session)
        if few:
            rows.add(frame)
            return rows
        held = self._new(name)
        held.add(frame)
        found = held.few_rows()
        if found is None:
            return held
        rows.hold(found, frame.schema)
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
    """Return the schema of stage tables, or None, and a function that makes a holder of rows.

    Rows are stored in the schema that the user named. Otherwise, if Spark is one process on one
    machine, that process holds them. On a cluster, a worker may be lost at any time, so the user's
    current schema stores them if all workers write to one place and this user may write there.
    Otherwise two workers hold each row. Raises InputError if that is impossible (Spark Connect), or
    if the named schema is missing.
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
    if may_store(own, place, prefix):
        return schema, stored
    if own.checkpoints:
        return None, lambda _: Checkpoints(session, by_two=True)
    raise InputError(
        "Spark Connect needs a schema for stage tables, but this user may not make tables in "
        f"{schema}, or the workers do not share its folder; name another with --scratch "
        "SCHEMA."
    )


def may_store(own: RunSession, schema: str, prefix: str) -> bool:
    """Return True if all workers write to the same place in a schema, and this user may."""
    probe = StoredTable(own.session, f"{schema}.{quote(f'{prefix}probe')}")
    return _is_one_place(own, schema) and _may_write(own.session, probe)


def _is_one_place(own: RunSession, schema: str) -> bool:
    """Return True if all workers see the files that one of them writes into a schema: all run on
    this machine, or the schema's location is not on a local disk.

    A schema whose catalog does not tell its location counts as one place.
    """
    if own.master.startswith("local") or urlsplit(own.master).hostname in LOOPBACK:
        return True
    told = {row[0]: row[1] for row in own.session.sql(f"DESCRIBE SCHEMA {schema}").collect()}
    location = told.get("Location")  # a catalog that does not tell its location counts as one place
    return not location or urlsplit(location).scheme not in ("", "file")


def _may_write(session: Any, table: StoredTable) -> bool:
    try:
        table.add(session.range(1))
    except Exception:  # catalogs and file systems raise errors of their own
        return False
    finally:
        with suppress(Exception):
            table.forget()
    return True


def _changeable(session: Any) -> dict[str, str]:
    """Return the settings of `FOR_FEW` that a session lets us change, with their values now."""
    usual = {}
    for name in FOR_FEW:
        with suppress(PySparkException):  # serverless lets few settings be changed
            value = session.conf.get(name)
            session.conf.set(name, value)
            usual[name] = value
    return usual


def _rdd(part: Any) -> Any:
    """Return the RDD of a checkpointed frame."""
    plan = part._jdf.queryExecution().analyzed()  # noqa: SLF001 - pyspark knows cached tables only
    return plan.rdd()
