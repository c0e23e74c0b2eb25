"""DuckDB on this machine.

Stage tables live in a private folder that is removed with the session.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Unpack

import duckdb

from sqlrisk.catalogue import user_queries
from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.common import disk, temporary_files
from sqlrisk.common.errors import EngineError, InputError, OutOfMemoryError
from sqlrisk.common.look_alikes import ODD
from sqlrisk.engines import duckdb_memory
from sqlrisk.engines.duckdb_memory import Memory
from sqlrisk.engines.duckdb_messages import explain, refused, refused_query, unopened, unusable
from sqlrisk.engines.duckdb_sources import DATABASE, Sources, listed, one_file
from sqlrisk.engines.engine import Engine, Limits, SqlRow
from sqlrisk.engines.worker import POLL_SECONDS, Result, Worker
from sqlrisk.inputs import codebooks

# SQL -> parsed statement, which belongs to no session and no table.
_PARSED: dict[str, duckdb.Statement] = {}
_MOST_PARSED = 1000
_TRIES = 100  # to close a connection
_DESCRIBES = re.compile(r"\s*(DESC|DESCRIBE|SHOW|SUMMARIZE)\b", re.IGNORECASE)
_OPEN_PARTS, _HELD_BACK = 1000, 100_000  # files, rows


class DuckDB(Sources):
    """A DuckDB session. Use it as a context manager: leaving it removes everything it wrote."""

    product = "DuckDB"
    rewrites_many: ClassVar[bool] = True
    searches_lists: ClassVar[bool] = True
    odd_texts: ClassVar[str] = (
        f"(regexp_matches(value, {literal(ODD.pattern)}) OR value <> nfc_normalize(value))"
    )

    def __init__(
        self,
        database: str | None = None,
        *,
        saved: str | None = None,
        scratch: str | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        """Open a private database in a private folder (mode 0700), within limits.

        Args:
            database: a DuckDB database whose tables are sources. It is only read, except for
                ``scratch``.
            saved: a saved run to read. Queries name its tables directly, and can read nothing else.
            scratch: a schema to create in the database for the stage tables. They stay there
                unless the run fails.

        Raises InputError if a limit is invalid, if the private folder or a database cannot be
        used, or if the schema exists already. Raises EngineError if the folder's disk fails.
        """
        memory_limit, threads = limits.get("memory_limit"), limits.get("threads")
        # DuckDB would take a negative size to mean no limit.
        if memory_limit is not None and memory_limit.strip().startswith("-"):
            raise InputError(refused(memory_limit, threads))
        self._claim = private_folder(limits.get("temp_directory"))
        self._folder = self._claim.path
        self._closing = ExitStack()  # closes in reverse order
        # DuckDB's own threads create files while it runs.
        self._closing.enter_context(temporary_files.private_files())
        self._closing.callback(self._claim.remove)
        super().__init__()
        self._closing.callback(self._apart.close)
        self.on_wait: Callable[[], None] = lambda: None
        self._scratch: str | None = None  # the schema that holds the stage tables
        self._outputs: list[str] = []
        try:
            config = self._config(memory_limit, threads, lasting=scratch is not None)
            self._connection = duckdb.connect(self._folder / "stages.duckdb", config=config)
            self._closing.callback(self._disconnect)
            self._worker = Worker(self._interrupt, self._wait)
            self._closing.callback(self._worker.close)
            self.run("SET TimeZone = 'UTC'")  # an instant has the same text on every machine
            # In a notebook DuckDB's progress bar needs ipywidgets. Without them there is no
            # progress.
            with suppress(EngineError):
                self.run("SET enable_progress_bar = true")
                self.run("SET enable_progress_bar_print = false")
            # The private database is deleted at the end, so nothing has to be written out before.
            if scratch is None:
                self.run("PRAGMA disable_checkpoint_on_shutdown")
            self.memory = self._limit_memory(own=memory_limit is None)
        except BaseException as error:
            self._closing.close()
            if isinstance(error, duckdb.IOException):
                raise unusable(error, self._folder.parent) from None
            if isinstance(error, duckdb.Error | EngineError):
                raise InputError(refused(memory_limit, threads, error)) from None
            raise
        if saved is not None:
            self._attach(saved, "saved", "saved run", read_only=True)
            self.run("USE saved")
            self._kept = "TEMPORARY "
            self._lock([], [str(self._folder)])
        if database is not None:
            self._open_database(database, scratch)

    def _config(
        self, memory_limit: str | None, threads: int | None, *, lasting: bool
    ) -> dict[str, str | bool | int | float | list[str]]:
        return {
            # Nobody reads the private database after a crash, so no statement waits for the disk.
            "fsync_mode": "STANDARD" if lasting else "NONE",
            # A checkpoint compresses what was written. A run of few records ends before the first.
            **({} if lasting else {"checkpoint_threshold": "256MB"}),
            "temp_directory": str(self._folder / "spill"),
            "preserve_insertion_order": False,
            "checkpoint_on_detach": "ENABLED",  # a saved run is one file
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
            # Files of a partitioned table stay open until it is written. Each thread buffers rows
            # for all of its files.
            "partitioned_write_max_open_files": _OPEN_PARTS,
            "partitioned_write_flush_threshold": _HELD_BACK,
            **({} if memory_limit is None else {"memory_limit": memory_limit}),
            **({} if threads is None else {"threads": threads}),
        }

    def _limit_memory(self, *, own: bool) -> Memory:
        """Return the memory that the session may use. With ``own``, that is DuckDB's default limit.
        Otherwise the user's limit is for the whole process, so DuckDB's own limit is set below it.
        """
        ((text,),) = self.run("SELECT current_setting('memory_limit')")
        if own:
            return Memory(duckdb_memory.of_text(str(text)), self._folder)
        size = duckdb_memory.limited(str(text))
        self.run(f"SET memory_limit = '{size} bytes'")
        return Memory(size, self._folder)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._scratch is not None:
            with suppress(EngineError):
                self.run("USE stages")
                self.run(f"DROP SCHEMA {self._scratch} CASCADE")
        self._closing.close()

    def version(self) -> str:
        return duckdb.__version__

    # ---- sources

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        """Fix the types of texts, and lock the session: from now on it can only read inputs and
        write outputs.
        """
        super().fix_types(types)
        files = [
            path for source in self._attached if source.kind == "parquet" for path in source.paths
        ]
        paths = [
            each for path in (*files, *self._outputs) for each in (path, str(Path(path).absolute()))
        ]
        # A path with glob characters needs its whole folder to be allowed.
        folders = [str(Path(path).absolute().parent) for path in files if one_file(path) != path]
        self._lock(paths, [str(self._folder), *folders])

    def _lock(self, paths: Iterable[str], folders: Iterable[str]) -> None:
        self.run(f"SET allowed_paths = [{', '.join(map(literal, paths))}]")
        self.run(f"SET allowed_directories = [{', '.join(map(literal, folders))}]")
        self.run("SET enable_external_access = false")
        self.run("SET lock_configuration = true")

    # ---- statements

    def use_overrides(self, overrides: Callable[[str], Overrides]) -> None:
        """Do nothing, because DuckDB runs the SQL of the templates unchanged."""

    def run(self, sql: str) -> list[SqlRow]:
        if self._scratch is not None:  # tables of a scratch schema are kept
            sql = re.sub(r"\ACREATE TEMPORARY TABLE", "CREATE TABLE", sql)
        return self._do(lambda: self._connection.execute(self._parsed(sql)).fetchall())

    def _parsed(self, sql: str) -> duckdb.Statement:
        """Return a parsed statement. The process keeps at most ``_MOST_PARSED``, since parsing
        takes a quarter of the time if records are few.
        """
        statement = _PARSED.get(sql)
        if statement is None:
            (statement,) = self._connection.extract_statements(sql)
            if len(_PARSED) >= _MOST_PARSED:
                _PARSED.clear()
            _PARSED[sql] = statement
        return statement

    def batches(self, sql: str, rows: int) -> Iterator[Any]:
        """Return the rows of a query as Arrow record batches of about ``rows`` rows. Iterating
        over them raises the errors that `run` raises.
        """
        import pyarrow as pa

        reader = self._do(lambda: self._connection.sql(sql).to_arrow_reader(rows))

        def read() -> Iterator[Any]:
            try:
                yield from reader
            except (OSError, pa.ArrowException) as error:
                failed = error
            else:
                return
            # Arrow's error does not say which file is broken. DuckDB's own does.
            self.run(f"SELECT MAX(HASH(COLUMNS(*))) FROM ({sql})")
            raise EngineError(explain(failed, self._folder.parent), failed)

        return read()

    def query(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        """Run the user's own query, and return (columns, rows).

        Raises InputError if the database refuses it.
        """

        def work() -> tuple[list[str], list[SqlRow]] | None:
            if len(self._connection.extract_statements(sql)) != 1:
                return None
            found = self._connection.execute(sql)
            return [str(name) for name, *_ in found.description or ()], found.fetchall()

        try:
            answer = self._do(work)
        except (EngineError, InputError) as error:
            raise InputError(f"The query cannot be run: {refused_query(error)}") from None
        if answer is None:
            raise InputError("Write one SELECT over the tables of the saved run.")
        return answer

    def answer(self, statement: str, queries: Mapping[str, str]) -> tuple[list[str], list[SqlRow]]:
        def look() -> tuple[list[object], set[str]]:
            kinds: list[object] = [
                each.type for each in self._connection.extract_statements(statement)
            ]
            one = kinds == [duckdb.StatementType.SELECT]
            return kinds, self._connection.get_table_names(statement) if one else set()

        try:
            kinds, read = self._do(look)
        except (EngineError, InputError) as error:
            raise InputError(f"The query cannot be run: {refused_query(error)}") from None
        if kinds != [duckdb.StatementType.SELECT]:
            raise InputError(user_queries.REFUSED)
        if _DESCRIBES.match(statement):  # this statement takes no WITH
            statement = f"FROM ({statement.rstrip().rstrip(';')}\n)"
        return self.query(user_queries.with_queries(statement, user_queries.needed(read, queries)))

    def _do(self, statement: Callable[[], Result]) -> Result:
        """Run a statement in the worker thread.

        Raises EngineError, or InputError if a source is at fault.
        """
        done = self._worker.do(statement)
        error = done.exception()
        if error is None:
            return done.result()
        if not disk.is_full(error):
            self._blame(error)
        kind = OutOfMemoryError if isinstance(error, duckdb.OutOfMemoryException) else EngineError
        raise kind(explain(error, self._folder.parent), error)

    def failure(self, sql: str) -> BaseException | None:
        return self._worker.do(lambda: self._connection.execute(sql)).exception()

    def _interrupt(self) -> None:
        self._connection.interrupt()
        self._apart.kill()

    def _disconnect(self) -> None:
        """Close the connection. A statement that Ctrl-C has stopped may still hold it for a moment:
        then try again, for some seconds.
        """
        for _ in range(_TRIES):
            with suppress(duckdb.ResourceInUseException):
                self._connection.close()
                return
            time.sleep(POLL_SECONDS)
        self._connection.close()

    def _wait(self) -> None:
        self.on_wait()

    def progress(self) -> float:
        if self._reading is not None:  # DuckDB cannot foresee the length of a stream
            return self._reading.progress
        return min(max(self._connection.query_progress(), 0.0) / 100, 1.0)

    # ---- files

    def output(self, path: str) -> None:
        """Name a file for `export`. Call this before `fix_types`, which locks all other files."""
        self._outputs.append(path)

    def scratch(self, name: str) -> str:
        """Return the path of a private file that `export` writes and another session may read.

        The file is removed with this session.
        """
        return str(self._folder / name)

    def export(
        self,
        sql: str,
        path: str,
        form: str,
        *,
        delimiter: str = ",",
        compressed: bool = False,
        codebook: Sequence[codebooks.Field] = (),
    ) -> None:
        """Write the rows of a query, in its order, to a file named by `output` or `scratch`.

        The rows need not fit in memory. ``form`` is ``parquet`` or ``csv``. CSV has a header,
        missing values unquoted and empty text quoted. ``delimiter`` and ``compressed`` (by gzip)
        are only for CSV, ``codebook`` only for Parquet. After an EngineError the file may hold
        only some of the rows.
        """
        csv = (
            f"HEADER true, DELIMITER {literal(delimiter)}, COMPRESSION "
            f"{'gzip' if compressed else 'none'}"
        )
        parquet = "COMPRESSION snappy"
        if codebook:
            parquet += f", KV_METADATA {{{codebooks.KEY}: {literal(codebooks.text_of(codebook))}}}"
        options = f"FORMAT {form}, {csv if form == 'csv' else parquet}, USE_TMP_FILE false"
        try:
            self.run(f"COPY (\n{sql}\n) TO ({literal(path)}) ({options})")
        except EngineError as error:
            elsewhere = str(self._folder) not in str(error.cause)
            if isinstance(error.cause, duckdb.IOException) and elsewhere:
                raise EngineError(
                    "The output cannot be written: check the disk space of its folder.", error.cause
                ) from None
            raise

    def together(self, paths: Iterable[str], order: Sequence[str]) -> str:
        """Return the query of the rows of Parquet files that `export` wrote, sorted by the columns
        ``order``, which it leaves out. A column that a file lacks is NULL.
        """
        by = ", ".join(order)
        read = f"read_parquet([{listed(paths)}], union_by_name = true)"
        return f"SELECT * EXCLUDE ({by}) FROM {read} ORDER BY {by}"

    # ---- a table in parts

    @property
    def keeps_parts(self) -> bool:
        return self._scratch is None

    def sample(self, relation: str, name: str, share: float) -> str:
        """Create a view of a random ``share`` (0 to 1) of a relation's blocks and return its name.
        Other blocks are not read.
        """
        self.run(
            f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {relation} TABLESAMPLE SYSTEM "
            f"({100 * min(1, share)}%)"
        )
        return name

    def write_parts(self, table: str, sql: str, *, adds: bool) -> list[SqlRow]:
        """Write a query to private files, one folder per value of its column ``part``.

        ``adds`` keeps the existing files. Otherwise they are replaced. Return DuckDB's answer:
        one row with the number of rows written.
        """
        if not adds:
            shutil.rmtree(self.scratch(table), ignore_errors=True)
        # Version 2 of the format stores differences, so whole numbers near each other take few
        # bytes.
        options = (
            "FORMAT parquet, PARQUET_VERSION v2, COMPRESSION uncompressed, PARTITION_BY "
            "(part), APPEND true"
        )
        return self.run(f"COPY (\n{sql}\n) TO {literal(self.scratch(table))} ({options})")

    def read_parts(self, name: str, table: str, parts: Iterable[int] | None) -> None:
        """Create a view ``name`` of parts of a table that `write_parts` wrote. ``parts`` are their
        numbers, or None for all parts.
        """
        folder = one_file(self.scratch(table))
        paths = ", ".join(
            literal(f"{folder}/part={each}/*.parquet")
            for each in (["*"] if parts is None else parts)
        )
        self.run(
            f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet([{paths}], "
            "hive_partitioning = false)"
        )

    # ---- a database of the user's, and a saved run

    def _open_database(self, path: str, scratch: str | None) -> None:
        if scratch is not None and not Path(path).expanduser().is_file():  # DuckDB would make it
            self._closing.close()
            raise InputError(f"scratch: there is no database {path!r}.")
        self._attach(path, DATABASE, "DuckDB database of this version", read_only=scratch is None)
        if scratch is None:
            return
        schema = f"{DATABASE}.{quote(scratch)}"
        try:
            self.run(f"CREATE SCHEMA {schema}")
        except (EngineError, InputError):
            self._closing.close()
            raise InputError(
                f"scratch: {path!r} has the schema {scratch!r} already; name a new one."
            ) from None
        self._scratch = schema
        self.run(f"USE {schema}")

    def _attach(self, path: str, name: str, what: str, *, read_only: bool) -> None:
        """Open a database file together with the stage tables. Raises InputError if that fails."""
        try:
            self.run(f"ATTACH {literal(path)} AS {name}{' (READ_ONLY)' if read_only else ''}")
        except (EngineError, InputError):
            self._closing.close()
            raise InputError(unopened(path, what)) from None

    def begin_saved(self, schemas: Iterable[str] = ()) -> None:
        """Make an empty database ``saved`` beside the stage tables. It has the given ``schemas``.

        Call this before `fix_types`.
        """
        self.run(f"ATTACH {literal(str(self._folder / 'saved.duckdb'))} AS saved")
        for each in schemas:
            self.run(f"CREATE SCHEMA saved.{quote(each)}")

    def write_saved(self, views: Mapping[str, Mapping[str, str]], file: BinaryIO) -> None:
        """Create views in the attached database ``saved``, detach it and copy it into ``file``.

        ``views`` maps the name of each schema to its views: name -> query.
        """
        for schema, queries in views.items():
            self.run(f"USE saved.{quote(schema)}")
            for name, query in queries.items():
                self.run(f"CREATE VIEW {quote(name)} AS\n{query}")
        self.run(f"USE {self._scratch or 'stages'}")
        self.run("DETACH saved")
        with (self._folder / "saved.duckdb").open("rb") as kept:
            shutil.copyfileobj(kept, file)

    # ---- planning

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        sql = f"SELECT approx_count_distinct(hash({', '.join(columns)})) FROM {table}"
        ((found,),) = self.run(sql)
        return int(found)

    def fits_in_memory(self, size: int) -> bool:
        return self.memory.fits(size)

    def joins(self) -> int:
        return self.memory.joins()

    def passes(self, records: int, groups: Callable[[], int], columns: int) -> int:
        return self.memory.passes(records, groups(), columns)


def file_writer(engine: Engine, refusal: str, instead: str) -> DuckDB:
    """Return the engine if it is DuckDB, the only engine that writes files.

    Otherwise raise InputError with a message that begins with ``refusal``. It ends with
    ``instead`` if the engine can leave tables in a schema.
    """
    if not isinstance(engine, DuckDB):
        raise InputError(
            f"{refusal} by {engine.product}, only by DuckDB: name files, without --engine "
            "(engine=...). Export tables to Parquet first."
            + (f" Or {instead}." if instead and engine.keeps_tables else "")
        )
    return engine


def private_folder(temp_directory: str | None = None) -> temporary_files.TemporaryPath:
    """Make a folder that only this user can read. Raises InputError if that fails, and EngineError
    if the disk is full.

    The folder is in ``temp_directory``, by default in the system's temporary folder. Temporary
    files that dead processes of this user left there are removed first.
    """
    parent = temp_directory or tempfile.gettempdir()
    try:
        with disk.filling(f"The temporary folder {parent!r}", disk.ELSEWHERE):
            temporary_files.remove_left_over(parent)
            return temporary_files.claim_folder(parent)
    except OSError as error:
        raise InputError(
            f"No temporary folder can be made in {parent!r}: {error.strerror}."
        ) from None
