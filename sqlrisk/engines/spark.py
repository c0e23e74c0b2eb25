"""Apache Spark: the one module that speaks to it. Stage tables are checkpoints, or tables of a scratch schema."""

import logging
import os
import re
import socket
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Unpack
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext, StorageLevel
from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as kinds

from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.engines.engine import Attached, Limits, Names, Row
from sqlrisk.engines.java import is_running, start_java, stop_java
from sqlrisk.engines.translated import TranslatedEngine, held, missing_table
from sqlrisk.inputs.sources import Source, partitions

# Spark's types -> DuckDB's names. A moment in time is read in UTC.
_TYPES: dict[str, str] = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT", "float": "FLOAT",
    "double": "DOUBLE", "string": "VARCHAR", "date": "DATE", "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP",
    "void": "VARCHAR", "struct": "STRUCT", "array": "LIST", "map": "MAP", "variant": "VARIANT",
}  # fmt: skip
_DDL = {"VARCHAR": "STRING", "TIMESTAMP": "TIMESTAMP_NTZ", "INTEGER": "INT"}
# What each run needs for the same numbers, whatever else the session is used for: they are set in a session of the run's own.
_SAME_NUMBERS = {
    "spark.sql.ansi.enabled": "true",  # a sum that leaves its type is an error
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # ${...} in a name or level is text
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",  # digits after the point are never cut off
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(2**17),
}
_PLAIN_PATH = re.compile(r"[\w /=+@,.-]+")  # others hold what Spark takes for a pattern
_SMALL_BYTES = 2**20  # of a table that the driver holds
_PARTS = 16  # parts of a table that is added to, before they are made one
_REACH_SECONDS = 5  # for a master to answer
_WORKER_SECONDS = 60  # without any running task before the workers count as lost
_LOOK_SECONDS = 1.0
_LEAST_MEMORY = 2**29
_CHECKPOINT = "LogicalRDD"  # what Spark calls the plan of one
_LOGGER = "SQLQueryContextLogger"
_QUIET = "status = off\nrootLogger.level = off\n"


class Spark(TranslatedEngine):
    """A session of Spark: a local one, one of a standalone cluster, or one beside a session of the user's."""

    dialect: ClassVar[str] = "spark"
    product: ClassVar[str] = "Spark"
    bytes_of: ClassVar[str] = "{} COLLATE UTF8_BINARY"
    batch_rows: ClassVar[int] = 2**19

    def __init__(self, engine: Any, *, scratch: str | None = None, **limits: Unpack[Limits]) -> None:
        """Start a session, or make one beside the user's SparkSession, which stays as it is and open.

        Memory is that of Spark on this machine (default: about half of it), or of each worker of a cluster; threads are cores on
        this machine, or of the cluster in all. Raises InputError where there is no Java, cluster or schema, and EngineError where
        no worker takes a job.
        """
        self._given = engine
        self._threads = limits.get("threads")
        self._limited = limits.get("memory_limit") is not None
        self._gateway: Any = None
        self._user: Any = None  # the session beside which ours is made
        self._session: Any = None
        self._thread: int | None = None
        self._context: SparkContext | None = None
        self._parts: dict[str, list[DataFrame]] = {}
        self._looked = self._busy = time.monotonic()
        self._done = 0.0
        if not isinstance(engine, str) and not hasattr(engine, "sparkContext"):
            raise InputError("A Spark Connect session cannot cancel what it runs here; give a SparkSession of the driver.")
        if isinstance(engine, str) and engine != "spark":
            _reach(engine)
        super().__init__(scratch=scratch, **limits)

    # ---- the session

    def open(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            # pyspark does so at its first call, and warns of a pandas that nothing here uses.
            import_module("pyspark.testing.utils")
        if isinstance(self._given, str):
            self._start()
        else:
            self._user = self._given
        self._session = self._user.newSession()
        self._thread = threading.get_ident()
        for name, value in {**self._user.conf.getAll, **_SAME_NUMBERS}.items():
            if name.startswith("spark.sql.") and self._session.conf.isModifiable(name):
                self._session.conf.set(name, value)
        PySparkLogger.getLogger(_LOGGER).addFilter(self._is_of_others)  # its messages quote the SQL and values
        self._session.sparkContext.setJobGroup(self.prefix, "sqlrisk")  # of this thread, which runs every statement
        self._session.range(1).count()  # waits for a worker
        if self._scratch is not None and not self._session.catalog.databaseExists(_quote(self._scratch)):
            raise InputError(f"scratch: Spark has no schema {self._scratch!r}, or this user may not see it.")

    def _start(self) -> None:
        memory = self._memory()
        if SparkContext._active_spark_context is not None:  # noqa: SLF001 - pyspark has no public way to ask
            raise InputError("This process has a Spark session already; hand it over with engine=, or stop it first.")
        settings = self._settings(Path(self._files.scratch("spark")).absolute(), memory)
        if not is_running():
            self._gateway = start_java(settings)
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        self._context = SparkContext(gateway=self._gateway, conf=conf)
        self._user = SparkSession(self._context)

    def _settings(self, folder: Path, memory: int) -> dict[str, str]:
        """Make the private folder, and return the settings of a session of ours: everything that it writes is in there."""
        folder.mkdir()
        quiet = folder / "log4j2.properties"
        quiet.write_text(_QUIET, encoding="utf-8")
        options = {"log4j2.configurationFile": quiet.as_uri(), "derby.system.home": folder, "java.io.tmpdir": folder}
        settings = {
            "spark.app.name": "sqlrisk",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",  # messages of failed tasks may hold values of records
            "spark.executor.syncLogLevel.enabled": "true",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.jars.ivy": str(folder / "ivy"),
            "spark.driver.extraJavaOptions": " ".join(f'"-D{name}={value}"' for name, value in options.items()),
        }
        if self._given == "spark":
            cores = self._threads or len(os.sched_getaffinity(0))
            settings |= {
                "spark.master": f"local[{cores}]",
                "spark.driver.memory": f"{memory // 2**20}m",
                "spark.sql.shuffle.partitions": str(2 * cores),
            }
        else:
            settings["spark.master"] = self._given
            if self._threads is not None:
                settings["spark.cores.max"] = str(self._threads)
            if self._limited:
                settings["spark.executor.memory"] = f"{memory // 2**20}m"
        if self._given == "spark" or (urlsplit(self._given).hostname or "") in ("127.0.0.1", "localhost"):
            settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        return settings

    def _memory(self) -> int:
        """Return the heap of a process of Spark, in bytes: three quarters of the limit, or half of this machine's memory."""
        share = 0.75 if self._limited else 0.6  # of what DuckDB may use: the limit, or 80 % of the machine
        memory = int(self._files.memory.size * share)
        if memory < _LEAST_MEMORY:
            raise InputError("memory_limit: Spark needs 1GB or more.")
        return memory

    def version(self) -> str:
        return str(self._session.version)

    def _is_of_others(self, record: logging.LogRecord) -> bool:
        """Return whether a message of pyspark comes from another thread than the one that runs the statements of this session."""
        return record.thread != self._thread

    def interrupt(self) -> None:
        if self._session is not None:
            self._session.sparkContext.cancelJobGroup(self.prefix)

    def close(self) -> None:
        PySparkLogger.getLogger(_LOGGER).removeFilter(self._is_of_others)
        with suppress(Py4JError, PySparkException, OSError):
            if self._context is not None:
                self._context.stop()
        if self._gateway is not None:
            stop_java(self._gateway)

    # ---- statements

    def execute(self, sql: str) -> list[Row]:
        return list(self._planned(sql)[0].collect())

    def create(self, name: str, query: str) -> None:
        if self._scratch is not None:
            self._session.sql(f"CREATE TABLE {self.place(name)} USING parquet AS {query}")
        else:
            self._parts[name] = [self._made_now(query)]
            self._show(name)

    def insert(self, name: str, query: str) -> None:
        if self._scratch is not None:
            super().insert(name, query)
            return
        parts = self._parts[name]
        parts.append(self._made_now(query))
        if len(parts) > _PARTS:
            one = self._held(reduce(DataFrame.union, parts).coalesce(self._session.sparkContext.defaultParallelism))
            for part in parts:
                _forget(part)
            parts[:] = [one]
        self._show(name)

    def drop(self, name: str) -> None:
        if name in self._views:
            self._session.catalog.dropGlobalTempView(super().place(name))
            self._session.catalog.dropTempView(super().place(name))
            self._views.discard(name)
        elif self._scratch is not None:
            self._session.sql(f"DROP TABLE IF EXISTS {self.place(name)}")
        else:
            self._session.catalog.dropTempView(self.place(name))
            for part in self._parts.pop(name, []):
                _forget(part)

    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        if self._scratch is not None:
            made = ", ".join(f"{_quote(column)} {_DDL.get(kind, kind)}" for column, kind in columns.items())
            self._session.sql(f"CREATE TABLE {self.place(name)} ({made}) USING parquet")
        parts = self._parts.setdefault(name, [])
        for batch in batches:
            frame = self._session.createDataFrame(pa.Table.from_batches([batch]))
            if self._scratch is not None:
                frame.write.insertInto(self.place(name))
            else:
                parts.append(self._held(frame))
        if self._scratch is None:
            if not parts:
                parts.append(self._held(self._session.createDataFrame(batches.schema.empty_table())))
            self._show(name)

    def _made_now(self, query: str) -> DataFrame:
        """Return the rows of a query: a plan that grows from stage to stage would be run again and again."""
        frame, small = self._planned(query)
        return self._small(frame.toArrow(), frame.schema) if small else self._held(frame)

    def _planned(self, query: str) -> tuple[DataFrame, bool]:
        """Return a query that has not run yet, and whether it reads only tables that the driver holds."""
        read = re.findall(rf"\b{self.prefix}(\w+)", query)
        small = all(name in self._parts and _are_small(self._parts[name]) for name in read)
        # To compile a plan takes longer than to run it over so few rows.
        self._session.conf.set("spark.sql.codegen.wholeStage", str(not small).lower())
        return self._session.sql(query), small

    def _held(self, frame: DataFrame) -> DataFrame:
        """Return the rows of a frame, held by the workers, or by the driver where they are few."""
        made = frame.localCheckpoint(eager=True, storageLevel=StorageLevel.MEMORY_AND_DISK)
        if _size(made) > _SMALL_BYTES:
            return made
        rows = made.toArrow()
        _forget(made)
        return self._small(rows, made.schema)

    def _small(self, rows: pa.Table, schema: kinds.StructType) -> DataFrame:
        """Return a table that the driver holds.

        Spark then knows how small it is, sends it to every worker instead of moving the records of a join, and needs no exchange
        to sum its rows.
        """
        frame: DataFrame = self._session.createDataFrame(rows, schema=schema)
        return frame.coalesce(1)

    def _show(self, name: str) -> None:
        parts = self._parts[name]
        frame = reduce(DataFrame.union, parts)
        (frame.coalesce(1) if len(parts) > 1 and _are_small(parts) else frame).createOrReplaceTempView(self.place(name))

    def place(self, name: str) -> str:
        plain = super().place(name)
        return plain if self._scratch is None or name in self._views else f"{_quote(self._scratch)}.{plain}"

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        sql = f"SELECT APPROX_COUNT_DISTINCT(XXHASH64({', '.join(columns)})) FROM {self.place(table)}"
        ((found,),) = self._do(lambda: self.execute(sql))
        return int(found)

    # ---- sources

    def attach(
        self, source: Source, columns: Names, name: str, *, beside: Names = (), numbered: bool = False, by: Names = ()
    ) -> Attached:
        if source.kind == "parquet" and not numbered and _is_plain(source, [*columns, *beside]):
            _, found, _ = self._files.attach(source, columns, name, beside=beside)
            in_utc = {column: held(kind).removesuffix(" WITH TIME ZONE") for column, kind in found.items()}
            types = self._handed(in_utc, source, columns)
            frame = self._do(partial(self._readable, source, types))
            if frame is not None:
                self._made[name] = None
                self._do(lambda: self._look_at(name, frame, types))
                return name, types, None
        return super().attach(source, columns, name, beside=beside, numbered=numbered, by=by)

    def table_types(self, source: Source) -> Mapping[str, str]:
        return {field.name: _named(field.dataType) for field in self._frame(source).schema}

    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        self._look_at(name, self._frame(source), columns)

    def _frame(self, source: Source) -> DataFrame:
        """Return a table that the user's session knows, or a folder of Parquet files that the workers can reach."""
        remote = "://" in source.label
        try:
            frame: DataFrame = self._session.read.parquet(source.label) if remote else self._user.table(source.label)
        except ParseException:
            raise InputError(f"{source.name} is no name of a table; write schema.table, in backquotes where needed.") from None
        except AnalysisException as error:
            if remote:
                raise InputError(f"{source.name} cannot be read: Spark finds no Parquet files there.") from None
            if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
                raise InputError(f"{source.name} cannot be read by Spark ({error.getCondition()}).") from None
            raise missing_table(source, [row.tableName for row in self._user.sql("SHOW TABLES").collect()]) from None
        return frame

    def _readable(self, source: Source, types: Mapping[str, str]) -> DataFrame | None:
        """Read Parquet files by Spark where it sees the types that DuckDB sees; None elsewhere."""
        try:
            frame: DataFrame = self._session.read.parquet(*(f"file:{Path(path).absolute()}" for path in source.paths))
        except PySparkException:
            return None
        seen = {field.name: _named(field.dataType) for field in frame.schema}
        return frame if all(seen.get(column) == kind for column, kind in types.items()) else None

    def _look_at(self, name: str, frame: DataFrame, columns: Mapping[str, str]) -> None:
        """Name some columns of a frame, which may be of another session: so it passes by a view that all sessions see."""
        shared = f"{self._session.conf.get('spark.sql.globalTempDatabase')}.{super().place(name)}"
        self._views.add(name)
        frame.createOrReplaceGlobalTempView(super().place(name))
        read = ", ".join(f"{_value(field)} AS {_quote(field.name)}" for field in frame.schema if field.name in columns)
        self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {super().place(name)} AS SELECT {read} FROM {shared}")

    # ---- while a statement runs

    def progress(self) -> float:
        return self._done

    def _wait(self) -> None:
        super()._wait()
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        if now - self._looked > 4 * _LOOK_SECONDS:  # nothing ran since
            self._busy = now
        self._looked = now
        with suppress(Py4JError, PySparkException, OSError, AttributeError):  # where it has ended, the statement says so
            self._look(now)
        if self._context is not None and now - self._busy > _WORKER_SECONDS:
            raise EngineError(
                f"No worker of the Spark cluster has taken a task for {_WORKER_SECONDS} s: they are lost, or busy with other "
                "programs, or have less free memory and cores than this one asks for (--memory-limit, --threads)."
            )

    def _look(self, now: float) -> None:
        """Note how far the running jobs of this session are, and whether any task runs."""
        tracker = self._session.sparkContext.statusTracker()
        own = set(tracker.getJobIdsForGroup(self.prefix)) & set(tracker.getActiveJobsIds())
        jobs = [job for job in map(tracker.getJobInfo, own) if job is not None]
        stages = [stage for job in jobs for stage in map(tracker.getStageInfo, job.stageIds) if stage is not None]
        tasks = sum(stage.numTasks for stage in stages)
        self._done = sum(stage.numCompletedTasks for stage in stages) / tasks if tasks else 0.0
        if not jobs or any(stage.numActiveTasks for stage in stages):
            self._busy = now

    def explain(self, error: BaseException) -> str:
        text = str(error)
        condition = error.getCondition() if isinstance(error, PySparkException) else None
        if condition in ("ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE", "CAST_OVERFLOW"):
            return "Spark: a number left the range of its type, as may happen to sums of very large weights or values."
        if any(sign in text for sign in ("OutOfMemory", "UNABLE_TO_ACQUIRE_MEMORY", "Java heap space", "GC overhead")):
            return "Spark ran out of memory: raise --memory-limit, or the memory of the session's driver and workers."
        if "No space left" in text:
            return "Spark ran out of disk space: make room where its workers write, or point --temp-directory to a larger disk."
        if "Checkpoint block" in text or "ExecutorLostFailure" in text or "CHECKPOINT" in (condition or ""):
            return (
                "A worker of Spark was lost, and the stage tables that it held: run again. Tables of --scratch SCHEMA outlive "
                "their worker."
            )
        if "FileNotFound" in text or "FAILED_READ_FILE" in (condition or ""):
            return "A worker of Spark cannot read a file: put it where every worker finds it by the same path, or name a table."
        if isinstance(error, Py4JError | OSError) or "SparkContext was shut down" in text or "stopped SparkContext" in text:
            return "The Spark session ended during the run: its driver or its cluster was stopped."
        if "cancelled" in text:
            return "Spark: another program cancelled the job."
        return f"Spark failed ({condition or type(error).__name__})."


def _reach(engine: str) -> None:
    """Raise InputError where no master of a cluster listens: Spark itself asks for a minute."""
    addresses: list[tuple[str | None, int | None]] = []
    with suppress(ValueError):
        places = [urlsplit(f"//{each}") for each in engine.removeprefix("spark://").split(",")]
        addresses = [(place.hostname, place.port) for place in places]
    if not addresses or not all(host and port for host, port in addresses):
        raise InputError(f"{engine!r} is no Spark cluster; write spark://host:port, as its master calls itself.")
    for address in addresses:
        with suppress(OSError), socket.create_connection(address, _REACH_SECONDS):
            return
    raise InputError(f"No Spark master answers at {engine}: check host and port, and that the cluster is up.")


def _rdd(made: DataFrame) -> Any:
    """Return what the workers hold of a checkpoint, or None of a table that the driver holds."""
    plan = made._jdf.queryExecution().analyzed()  # noqa: SLF001 - pyspark knows cached tables only
    return plan.rdd() if plan.nodeName() == _CHECKPOINT else None


def _are_small(parts: Sequence[DataFrame]) -> bool:
    """Return whether the driver holds all parts of a table."""
    return not any(_rdd(part) for part in parts)


def _size(made: DataFrame) -> int:
    """Return the bytes that the workers hold of a checkpoint."""
    rdd = _rdd(made)
    number = rdd.id()
    return sum(int(each.memSize() + each.diskSize()) for each in rdd.context().getRDDStorageInfo() if each.id() == number)


def _forget(part: DataFrame) -> None:
    """Free what the workers hold of a checkpoint now, and not when the driver's memory is next cleaned."""
    rdd = _rdd(part)
    if rdd is not None:
        rdd.unpersist(False)


def _is_plain(source: Source, columns: Sequence[str]) -> bool:
    """Return whether Spark finds in the files what is there: no columns in folder names, no patterns, parts of the same types."""
    paths = [Path(path).absolute() for path in source.paths]
    if partitions(source) or not all(_PLAIN_PATH.fullmatch(str(path)) and path.name[0] not in "._" for path in paths):
        return False
    try:
        schemas = [pq.read_schema(path) for path in source.paths]
        return len({tuple(str(schema.field(column).type) for column in columns) for schema in schemas}) == 1
    except (pa.ArrowException, OSError, KeyError):
        return False  # DuckDB says what is wrong


def _named(kind: kinds.DataType) -> str:
    """Return a type by DuckDB's name."""
    if isinstance(kind, kinds.DecimalType):
        return f"DECIMAL({kind.precision},{kind.scale})"
    plain = re.split(r"[(< ]", kind.simpleString())[0]
    return _TYPES.get("string" if plain in ("char", "varchar") else plain, plain.upper())


def _value(field: kinds.StructField) -> str:
    """Return a column as it is compared: text by its bytes, whatever its collation."""
    name = _quote(field.name)
    if isinstance(field.dataType, kinds.StringType) and "collate" in field.dataType.simpleString():
        return Spark.bytes_of.format(name)
    if isinstance(field.dataType, kinds.TimestampType):
        return f"CAST({name} AS TIMESTAMP_NTZ)"
    return f"CAST({name} AS STRING)" if isinstance(field.dataType, kinds.NullType) else name


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
