"""A session of Spark that owns its stage tables.

`run_session` covers the differences between classic Spark and Spark Connect.
"""

import logging
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Unpack
from urllib.parse import urlsplit

from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.common.extras import install
from sqlrisk.engines.engine import Attached, Limits, Names, Reading, SqlRow
from sqlrisk.engines.spark import messages, reading, run_session
from sqlrisk.engines.spark.numbering import ONE_WORKER, numbering
from sqlrisk.engines.spark.run_session import RunSession
from sqlrisk.engines.spark.stage_tables import StageTables, may_store, storage
from sqlrisk.engines.translated import TranslatedEngine, read_as, refuse_schema
from sqlrisk.inputs.sources import Source

_REACH_SECONDS = 5  # seconds for a master or server to answer
_PORT = 15002  # default port of Spark Connect
_WORKER_SECONDS = 60  # seconds without any running task before the workers count as lost
_LOOK_SECONDS = 1.0
_LEAST_MEMORY = 2**29
_DDL = {"VARCHAR": "STRING", "TIMESTAMP": "TIMESTAMP_NTZ"}
_LOGGER = "SQLQueryContextLogger"


class Spark(TranslatedEngine):
    """A session of Spark: local, on a cluster or server, or beside a session that the user
    opened.
    """

    dialect = "spark"
    product = "Spark"
    keeps_tables = True
    bytes_of = reading.BYTES_OF
    batch_rows: ClassVar[int] = 2**19

    def __init__(
        self, engine: Any, *, scratch: str | None = None, **limits: Unpack[Limits]
    ) -> None:
        """Start a session, or make one next to the user's SparkSession, which stays unchanged.

        The memory limit is for Spark on this machine (default: about half of the machine's memory),
        or for each worker of a cluster. Threads are cores of this machine, or of the whole cluster.
        A SparkSession and a server of Spark Connect have their own limits.

        Raises InputError if there is no Java, cluster, server or schema, if a package is missing,
        or if the memory limit is too small. Also if a Spark must be started and this process has
        one already. Raises EngineError if no worker takes a job.
        """
        self._given = engine
        self._threads = limits.get("threads")
        self._limited = limits.get("memory_limit") is not None
        self._own = _run_session(engine)
        self._thread: int | None = None
        self._looked = self._busy = time.monotonic()
        self._done = 0.0
        super().__init__(scratch=scratch, **limits)

    # ---- the session

    def open(self) -> None:
        self._thread = threading.get_ident()
        # Its messages quote SQL and values.
        PySparkLogger.getLogger(_LOGGER).addFilter(self._is_of_others)
        folder = Path(self._files.scratch("spark")).absolute()
        self._own.open(self.prefix, run_session.SparkLimits(folder, self._memory(), self._threads))
        self._session = self._own.session
        self._session.range(1).collect()  # waits for a worker
        self._scratch, make = storage(self._own, self._scratch, self.prefix)
        self._tables = StageTables(self._session, self.prefix, make)

    def _memory(self) -> int | None:
        """Return the heap size in bytes: 60 % of the memory limit, or about half of this machine's
        memory. None if workers have their own limit. Raises InputError if it is below 512 MiB.
        """
        if self._given != "spark" and not self._limited:
            return None
        # Of what DuckDB may use: 80 % of the limit, or of the machine.
        share = 0.75 if self._limited else 0.6
        memory = int(self._files.memory.size * share)
        if memory < _LEAST_MEMORY:
            raise InputError("memory_limit: Spark needs 1GB or more.")
        return memory

    def version(self) -> str:
        return str(self._session.version)

    def _is_of_others(self, record: logging.LogRecord) -> bool:
        """Return True if a message of pyspark comes from another thread than our statements."""
        return record.thread != self._thread

    def interrupt(self) -> None:
        self._own.interrupt()

    def close(self) -> None:
        PySparkLogger.getLogger(_LOGGER).removeFilter(self._is_of_others)
        self._own.close()

    # ---- statements

    def execute(self, sql: str) -> list[SqlRow]:
        return list(self._tables.planned(sql)[0].collect())

    def select(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        frame, _ = self._tables.planned(sql)
        return list(frame.columns), [tuple(row) for row in frame.collect()]

    def create(self, name: str, query: str) -> None:
        numbers = numbering(query)
        if numbers is None:
            self._tables.create(name, query)
            return
        rows, placed, before = (f"{name}_{part}" for part in ("rows", "placed", "before"))
        self._beside(rows, numbers.relation)
        if self._tables.has_at_most(ONE_WORKER, rows):
            self._tables.create(name, numbers.over(self.place(rows)))
        else:
            self._beside(placed, numbers.in_ranges(self.place(rows)))
            self._beside(before, numbers.before(self.place(placed)))
            self._tables.create(name, numbers.from_ranges(self.place(placed), self.place(before)))
            self.drop(before)
            self.drop(placed)
        self.drop(rows)

    def _beside(self, name: str, query: str) -> None:
        """Make a helper table for another table. It is dropped at the latest when the session
        ends.
        """
        self._made[name] = None
        self._tables.create(name, query)

    def insert(self, name: str, query: str) -> None:
        self._tables.insert(name, query)

    def drop(self, name: str) -> None:
        if name in self._views:
            self._session.catalog.dropTempView(self.place(name))
            self._own.forget(self.place(name))
            self._views.discard(name)
        else:
            self._tables.drop(name)

    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        some = (batch for batch in batches if batch.num_rows)
        first = next(some, None)
        if first is None:
            empty = ", ".join(
                f"CAST(NULL AS {_DDL.get(kind, kind)}) AS {reading.quote(column)}"
                for column, kind in columns.items()
            )
            self._tables.create(name, f"SELECT {empty} LIMIT 0")
        else:
            self._tables.load(name, chain([first], some))

    def place(self, name: str) -> str:
        return self._tables.place(name)

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        sql = (
            f"SELECT APPROX_COUNT_DISTINCT(XXHASH64({', '.join(columns)})) FROM {self.place(table)}"
        )
        ((found,),) = self._do(lambda: self.execute(sql))
        return int(found)

    # ---- tables that stay

    def refuse_kept(self, schema: str, names: Names) -> None:
        if not self._own.outlives_run:
            raise InputError(
                "save: Spark was started only for this run, so its tables end with the run; "
                "pass a SparkSession in Python, or name a server (sc://host:port)."
            )
        refuse_schema(schema, self._do(partial(self._held, self._schema(schema), names)))

    def _held(self, schema: str, names: Names) -> list[str] | None:
        """Return the names that already exist in a schema. None if this run cannot write to the
        schema.
        """
        catalog = self._session.catalog
        with suppress(PySparkException):  # there may be no such catalog
            if catalog.databaseExists(schema) and may_store(self._own, schema, self.prefix):
                return [
                    name for name in names if catalog.tableExists(f"{schema}.{reading.quote(name)}")
                ]
        return None

    def keep(self, schema: str, queries: Mapping[str, str]) -> None:
        place = self._schema(schema)
        read = self.translated(queries)

        def make() -> None:
            # Spark has no transaction: all are written under names of this run, then renamed.
            for name, query in read.items():
                written = f"{place}.{reading.quote(self.prefix + name)}"
                self._kept.append(written)
                self._tables.planned(query)[0].write.saveAsTable(written)
            for number, name in enumerate(read):
                named = reading.quote(name)
                self.execute(f"ALTER TABLE {self._kept[number]} RENAME TO {named}")
                self._kept[number] = f"{place}.{named}"

        self._do(make)

    def _schema(self, schema: str) -> str:
        """Return the name of a schema as SQL. A name without a catalog gets the user's current
        one.
        """
        parts = schema.split(".")
        if len(parts) == 1:
            parts.insert(0, self._do(self._own.user.catalog.currentCatalog))
        return ".".join(map(reading.quote, parts))

    # ---- sources

    def attach(self, source: Source, columns: Names, name: str, **how: Unpack[Reading]) -> Attached:
        beside = how.get("beside", ())
        seen = self._own.sees_files and source.kind == "parquet" and not how.get("numbered")
        if seen and reading.is_plain(source, [*columns, *beside]):
            _, found, _ = self._files.attach(source, columns, name, beside=beside)
            read = {column: read_as(kind) for column, kind in found.items()}
            types = self._handed(read, source, columns)
            compared = {column: read[column] for column in types}
            frame = self._do(partial(reading.files, self._session, source, compared))
            if frame is not None:
                self._files.leave_out_columns(source, beside, types)
                self._made[name] = None
                self._do(lambda: self._look_at(name, frame, types))
                return name, compared, None
        return super().attach(source, columns, name, **how)

    def table_types(self, source: Source) -> Mapping[str, str]:
        known = reading.types_of(reading.table(self._own.user, source))
        return {column: read_as(kind) for column, kind in known.items()}

    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        self._look_at(
            name, self._own.bring(reading.table(self._own.user, source), self.place(name)), columns
        )

    def _look_at(self, name: str, frame: Any, columns: Mapping[str, str]) -> None:
        """Create a view ``name`` of some columns of a frame."""
        self._views.add(name)
        reading.compared(frame, columns).createOrReplaceTempView(self.place(name))

    # ---- while a statement runs

    def progress(self) -> float:
        return self._done

    def _wait(self) -> None:
        super()._wait()
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        if now - self._looked > 4 * _LOOK_SECONDS:  # nothing has run since
            self._busy = now
        self._looked = now
        self._done, waits = self._own.look()
        if not waits:
            self._busy = now
        if now - self._busy > _WORKER_SECONDS:
            raise EngineError(
                f"No worker of the Spark cluster has taken a task for {_WORKER_SECONDS} s: they "
                "are lost, or busy with other programs, or have less free memory and cores than "
                "this one asks for (--memory-limit, --threads)."
            )

    def explain(self, error: BaseException) -> str:
        return messages.explain(error)


def _run_session(engine: Any) -> RunSession:
    """Return an unopened session for an address, a name or the user's session.

    Modules are imported here, so only the packages of one kind of Spark are needed.
    """
    if isinstance(engine, str) and engine != "spark":
        _reach(engine)
    if (
        engine.startswith("sc://")
        if isinstance(engine, str)
        else not hasattr(engine, "sparkContext")
    ):
        try:
            from sqlrisk.engines.spark.connect import Connect
        except (ImportError, SystemExit):  # pyspark ends a `python -c` without grpc with status 0
            raise InputError(
                f"Spark Connect needs packages of its own: {install('spark')}."
            ) from None
        return Connect(engine)
    from sqlrisk.engines.spark.classic import Classic

    return Classic(engine)


def _reach(engine: str) -> None:
    """Raise InputError if nothing listens at an address. Spark itself would try for minutes."""
    remote = engine.startswith("sc://")
    places = engine.partition("://")[2].partition("/")[0]  # options may follow
    what = f"sc://{places}" if remote else engine
    addresses: list[tuple[str | None, int | None]] = []
    with suppress(ValueError):
        found = [urlsplit(f"//{each}") for each in places.split(",")]
        addresses = [(place.hostname, place.port or (_PORT if remote else None)) for place in found]
    if not addresses or not all(host and port for host, port in addresses):
        if remote:
            raise InputError(
                f"{what!r} is not the address of a Spark Connect server; write sc://host:port."
            )
        raise InputError(
            f"{what!r} is not the address of a Spark cluster; write spark://host:port, "
            "exactly as its master shows it."
        )
    for address in addresses:
        with suppress(OSError), socket.create_connection(address, _REACH_SECONDS):
            return
    who = "server of Spark Connect" if remote else "Spark master"
    raise InputError(
        f"No {who} answers at {what}: check host and port, and that the "
        f"{'server' if remote else 'cluster'} is up."
    )
