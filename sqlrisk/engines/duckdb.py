"""DuckDB on this machine: the only module that imports it. Stage tables live in a private folder, gone with the session."""

import math
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain, count, groupby
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Self

import duckdb

from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.common import disk, temporary_files
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import PROBE, Row, compared
from sqlrisk.engines.worker import Failed, Result, Worker
from sqlrisk.inputs.datatypes import family, is_whole
from sqlrisk.inputs.sources import Header, Source, partitions, read_header

_SIZE = re.compile(r"(?!0+(\.0+)?\s*[a-zA-Z])[0-9]+(\.[0-9]+)?\s*([KMGT]i?B|B|bytes)", re.IGNORECASE)
_NAME = re.compile(r'"(?:[^"]|"")+"|[^."]+')  # the parts of schema.table
_UNOPENED = "cannot be opened: it is no {}, another program is writing to it, or files cannot be locked in its folder."
_DATABASE = "warehouse"  # what an attached database is called
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
# A number in a CSV file: no leading zeros, and short enough that its type holds it: a float holds every whole number
# of 15 digits, and floats are written with up to 17.
_WHOLE = r"-?(0|[1-9][0-9]{0,17})"
_HUGE = r"-?(0|[1-9][0-9]{0,36})"
_DECIMAL = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
_WHOLE_DIGITS = 15
_FLOAT_DIGITS = 17
_DECIMAL_DIGITS = 38  # of the longest decimal; longer ones are read as floats


# What tells the columns of two Parquet files apart, where the engine would read them as different types.
_SHAPE = "CONCAT_WS(':', name, type, converted_type, CAST(logical_type AS VARCHAR), scale, precision)"


class DuckDB:
    """A DuckDB session. Use it as a context manager: leaving it removes everything it wrote."""

    rewrites: ClassVar[bool] = True

    def __init__(
        self,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_directory: str | None = None,
        saved: str | None = None,
        database: str | None = None,
        scratch: str | None = None,
    ) -> None:
        """Open a private database.

        Args:
            memory_limit: for example ``"4GB"``; by default DuckDB's own, 80 % of the machine's memory.
            threads: by default one per core.
            temp_directory: an existing folder; the private folder (0700) is made inside it.
            saved: a saved run to read; its tables are the default, and nothing else can be read.
            database: a DuckDB database whose tables are sources. It is only read, but for ``scratch``.
            scratch: a schema to make in it for the stage tables, which stay there; gone again when the run fails.

        Raises:
            InputError: a limit that is none, a folder that cannot be written, a database that cannot be opened, or a schema that
                is there already.
        """
        # The engine takes a negative size for no limit.
        if memory_limit is not None and memory_limit.strip().startswith("-"):
            raise InputError(_refused(memory_limit, threads))
        parent = temp_directory or tempfile.gettempdir()
        try:
            with disk.filling(f"The temporary folder {parent!r}", disk.ELSEWHERE):
                temporary_files.remove_left_over(parent)
                self._claim = temporary_files.claim_folder(parent)
        except OSError as error:
            raise InputError(f"No temporary folder can be made in {parent!r}: {error.strerror}.") from None
        self._folder = self._claim.path
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(self._folder / "spill"),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
        }
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        if threads is not None:
            config["threads"] = threads
        # Files are made by the engine's own threads while it runs; the mask keeps each of them to this user (DESIGN 8).
        self._mask = os.umask(0o077)
        self.on_wait: Callable[[], None] = lambda: None
        self._sources: list[Source] = []
        self._scans: list[tuple[Source, str]] = []  # of the Parquet files, the query that reads what is asked of them
        self._scratch: str | None = None  # the schema that holds the stage tables
        self._texts: set[str] = set()
        self._outputs: list[str] = []
        self.loads: list[str] = []
        self._worker = Worker(self._interrupt)
        try:
            self._connection = duckdb.connect(self._folder / "stages.duckdb", config=config)
            self.run("SET enable_progress_bar = true")
            self.run("SET enable_progress_bar_print = false")
            self._memory = _bytes(str(self.run("SELECT current_setting('memory_limit')")[0][0]))
            if memory_limit is not None:  # it is the process's: the engine's own stays below it
                self._memory -= max(self._memory // 5, min(_BESIDE, self._memory // 4))
                self.run(f"SET memory_limit = '{self._memory} bytes'")
        except BaseException as error:
            self._close()
            if isinstance(error, duckdb.IOException):
                raise _unusable(error, self._folder.parent) from None
            if isinstance(error, duckdb.Error | EngineError):
                raise InputError(_refused(memory_limit, threads)) from None
            raise
        if saved is not None:
            self._open_saved(saved)
        if database is not None:
            self._open_database(database, scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and self._scratch is not None:
            with suppress(EngineError):
                self.run("USE stages")
                self.run(f"DROP SCHEMA {self._scratch} CASCADE")
        self._close()

    def _close(self) -> None:
        try:
            self._worker.close()
            if hasattr(self, "_connection"):  # not when opening it failed
                self._connection.close()
        finally:
            self._remove()

    def _remove(self) -> None:
        try:
            self._claim.remove()
        finally:
            os.umask(self._mask)

    def about(self) -> Mapping[str, object]:
        return {"name": "DuckDB", "version": duckdb.__version__, **compared(self.run(PROBE))}

    # ---- sources

    def columns(self, source: Source) -> Sequence[str]:
        """Those that all its parts have, in the order of the first."""
        if source.kind == "table":
            parts = [list(self._types(source, f"SELECT * FROM {self._table(source)}"))]
        elif source.kind == "frame":
            parts = [_frame_names(source)]
        elif source.kind == "csv":
            parts = [list(read_header(path, source).names) for path in source.paths]
        else:
            parts = [list(names) for names in dict.fromkeys(self._schemas(source).values())]
        for names in parts:
            _check_names(source, names)
        return [name for name in parts[0] if all(name in names for names in parts)]

    def attach(
        self,
        source: Source,
        columns: Sequence[str],
        name: str,
        *,
        numbered: bool = False,
        by: Sequence[str] = (),  # noqa: ARG002 - its tables have an order
    ) -> tuple[str, Mapping[str, str], str | None]:
        chosen = ", ".join(quote(column) for column in columns)
        self._sources.append(source)
        if source.kind == "table":
            relation = self._table(source)
            query = f"SELECT {chosen} FROM {relation}"
            types = self._types(source, query)
            if not numbered:
                return relation, types, None
            return name, types, self._copy(source, name, query, columns, numbered=True)
        if source.kind == "parquet":
            relation, types = self._attach_parquet(source, chosen)
            self._scans.append((source, f"SELECT {chosen} FROM {relation}"))
            if not numbered:
                return relation, types, None
            if record := self._parquet_number(source):
                return relation, types, record
            # A column of the file hides what the numbers are made of.
            return name, types, self._copy(source, name, f"SELECT {chosen} FROM {relation}", columns, numbered=True)
        if source.kind == "csv":
            # Text is read once and typed by the whole column, not by a sample.
            headers = [(read_header(path, source), path) for path in source.paths]
            disk.require(sum(round(_stored_text(header, path, columns)) for header, path in headers), self._folder.parent)
            alike = groupby(headers, key=lambda each: each[0])  # neighbours only: the parts stay in order
            query = "\nUNION ALL\n".join(_csv(header, [path for _, path in parts], columns) for header, parts in alike)
            self.loads.append(f"CREATE TABLE {name} AS\n{query}")
            record = self._copy(source, name, query, columns, numbered=numbered)
            self._texts.add(name)
            return name, {column: self._csv_type(name, column) for column in columns}, record
        import pyarrow as pa

        try:
            stream = pa.RecordBatchReader.from_stream(_narrow(source.frame, columns))
            self._connection.register(f"{name}_stream", stream)
        except (TypeError, ValueError, pa.ArrowException, duckdb.Error):
            raise InputError(_unreadable(source, columns)) from None
        record = self._copy(source, name, f"SELECT {chosen} FROM {name}_stream", columns, numbered=numbered)
        self._connection.unregister(f"{name}_stream")
        return name, self._types(source, f"SELECT {chosen} FROM {name}"), record

    def output(self, path: str) -> None:
        self._outputs.append(path)

    def scratch(self, name: str) -> str:
        return str(self._folder / name)

    def settle(self, types: Mapping[str, Mapping[str, str]]) -> None:
        """Store what was read as text in its settled types, and lock: from here the session reads the inputs alone."""
        for table in sorted(self._texts):
            for column, kind in types.get(table, {}).items():
                if kind not in ("VARCHAR", '"NULL"'):
                    self.loads.append(f"ALTER TABLE {table} ALTER {quote(column)} TYPE {kind}")
                    self.run(self.loads[-1])
        inputs = [path for source in self._sources if source.kind == "parquet" for path in source.paths]
        # A path with glob characters is looked up in its folder, so that the folder has to be open.
        folders = [
            str(self._folder),
            *(str(Path(path).absolute().parent) for path in inputs if _plain(path) != path),
        ]
        paths = [literal(each) for path in (*inputs, *self._outputs) for each in (path, str(Path(path).absolute()))]
        self.run(f"SET allowed_paths = [{', '.join(paths)}]")
        self.run(f"SET allowed_directories = [{', '.join(literal(folder) for folder in folders)}]")
        self.run("SET enable_external_access = false")
        self.run("SET lock_configuration = true")

    def _schemas(self, source: Source) -> dict[str, tuple[str, ...]]:
        """The column names of every part, partition columns included."""
        # Names come from the file's own schema: a relation would rename columns that differ only in case.
        rows = self._read(
            source,
            f"SELECT file_name, name, num_children FROM parquet_schema([{_listed(source.paths)}])",
        )
        schemas: dict[str, list[Row]] = {}
        for file, *row in rows:
            schemas.setdefault(str(file), []).append(tuple(row))
        inside = {file: [str(name) for name, _ in _top_level(schema)] for file, schema in schemas.items()}
        outside = [name for name in partitions(source) if not any(name in names for names in inside.values())]
        return {file: (*names, *outside) for file, names in inside.items()}

    def _attach_parquet(self, source: Source, chosen: str) -> tuple[str, dict[str, str]]:
        """Parts are matched by column names. Their types must agree, except in the size of whole numbers."""
        inside = self._read(
            source,
            f"SELECT name, MAX(COALESCE(precision, 0)) FROM parquet_schema([{_listed(source.paths)}]) GROUP BY name",
        )
        hive = bool(partitions(source)) and not {name for name, _ in inside} & set(partitions(source))

        def relation(paths: Sequence[str]) -> str:
            options = ", union_by_name = true" if len(paths) > 1 else ""
            if partitions(source):
                options += f", hive_partitioning = {str(hive).lower()}"
            return f"read_parquet([{_listed(paths)}]{options})"

        whole = self._types(source, f"SELECT {chosen} FROM {relation(source.paths)}")
        if rounded := [str(name) for name, digits in inside if digits > _DECIMAL_DIGITS and whole.get(str(name)) == "DOUBLE"]:
            raise InputError([_too_many_digits(source, name) for name in rounded])
        if len(source.paths) > 1:
            shapes = self._read(
                source,
                f"SELECT MIN(file_name) FROM (SELECT file_name, STRING_AGG({_SHAPE}, ',' ORDER BY name) AS shape"
                f" FROM parquet_schema([{_listed(source.paths)}]) GROUP BY file_name) AS shapes GROUP BY shape",
            )
            given = {str(Path(path).absolute()): path for path in source.paths}
            for (file,) in sorted(shapes, key=str):
                part = given.get(str(Path(str(file)).absolute()), str(file))
                # Partition columns take their type from all parts, and are left to the whole.
                own = self._types(source, f"SELECT {chosen} FROM {relation([part])}")
                for column, kind in own.items():
                    alike = kind == whole[column] or (is_whole(kind) and is_whole(whole[column]))
                    if not alike and not (hive and column in partitions(source)):
                        raise InputError(
                            f"The parts of {source.name} hold the column {column!r} as {family(whole[column])} and as "
                            f"{family(kind)} ({part!r}). Store it alike in all parts."
                        )
        return relation(source.paths), whole

    def _copy(self, source: Source, name: str, query: str, columns: Sequence[str], *, numbered: bool) -> str | None:
        """Copy a source into a table; return its records' number when they are numbered, None otherwise."""
        if not numbered:
            self._read(source, f"CREATE TABLE {name} AS\n{query}")
            return None
        hidden = {column.casefold() for column in columns}
        number = next(each for each in chain(("rowid", "record"), map("record_{}".format, count(1))) if each not in hidden)
        if number != "rowid":  # a column of that name hides the table's own; a window without an order keeps that of the file
            query = f"SELECT *, ROW_NUMBER() OVER () - 1 AS {number} FROM (\n{query}\n) AS source"
        # Records may be stored in any order otherwise, which is faster.
        self.run("SET preserve_insertion_order = true")
        self._read(source, f"CREATE TABLE {name} AS\n{query}")
        self.run("SET preserve_insertion_order = false")
        return f"{number} + 1"

    def _parquet_number(self, source: Source) -> str | None:
        """The record's number: its place in its part, after the parts before; None where a column of the file is in the way."""
        schemas = self._schemas(source)
        hidden = {name.casefold() for names in schemas.values() for name in names}
        if "file_row_number" in hidden:
            return None
        if len(source.paths) == 1:
            return "file_row_number + 1"
        if "file_index" in hidden:
            return None
        rows = self._read(source, f"SELECT file_name, num_rows FROM parquet_file_metadata([{_listed(source.paths)}])")
        found = {str(Path(str(file)).absolute()): int(records) for file, records in rows}
        sizes = [found[str(Path(path).absolute())] for path in source.paths]
        firsts = ", ".join(str(first) for first in accumulate([1, *sizes[:-1]]))
        return f"file_row_number + CAST(([{firsts}])[CAST(file_index AS BIGINT) + 1] AS BIGINT)"

    def _table(self, source: Source) -> str:
        """A table that the user named, with its schema if given."""
        parts = _NAME.findall(source.label)
        names = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts]
        pairs = zip(("table_name", "schema_name"), names[::-1], strict=False)
        where = " AND ".join(f"LOWER({column}) = LOWER({literal(name)})" for column, name in pairs)
        tables = f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{_DATABASE}'"
        views = f"SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '{_DATABASE}' AND NOT internal"
        known = f"({tables} UNION ALL {views})"
        found = self.run(f"SELECT schema_name, table_name FROM {known} WHERE {where}") if len(names) in (1, 2) else []
        if len(found) > 1 and ("main", names[-1]) in found:
            found = [("main", names[-1])]
        if len(found) != 1:
            near = [str(each) for (each,) in self.run(f"SELECT table_name FROM {known}")]
            raise InputError(f"There is no table {source.name} in the database{suggestion(names[-1] if names else '', near)}.")
        return ".".join([_DATABASE, *(quote(str(part)) for part in found[0])])

    def _types(self, source: Source, query: str) -> dict[str, str]:
        return {str(row[0]): str(row[1]) for row in self._read(source, f"DESCRIBE {query}")}

    def _csv_type(self, table: str, column: str) -> str:
        """BIGINT, HUGEINT or DOUBLE if every value is such a number, else VARCHAR."""
        value = quote(column)
        digits = f"LENGTH(REGEXP_REPLACE(REGEXP_REPLACE({value}, '[eE].*', ''), '[^0-9]', '', 'g'))"
        most = f"CASE WHEN REGEXP_FULL_MATCH({value}, '-?[0-9]+') THEN {_WHOLE_DIGITS} ELSE {_FLOAT_DIGITS} END"
        whole, huge, number, filled = self.run(
            f"SELECT COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(_WHOLE)}) THEN 1 END),"
            f" COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(_HUGE)}) THEN 1 END),"
            f" COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(_DECIMAL)}) AND {digits} <= {most} THEN 1 END),"
            f" COUNT({value}) FROM {table}"
        )[0]
        if not filled:
            return '"NULL"'
        return "BIGINT" if whole == filled else "HUGEINT" if huge == filled else "DOUBLE" if number == filled else "VARCHAR"

    def _read(self, source: Source, sql: str) -> list[Row]:
        """Run a statement that reads a source; what fails is the input, and its values are kept out of the message."""
        try:
            return self.run(sql)
        except EngineError as error:
            if isinstance(error.cause, duckdb.OutOfMemoryException) or (error.cause is not None and disk.is_full(error.cause)):
                raise
            raise InputError(_broken(source, str(error.cause))) from None

    # ---- statements

    def use_overrides(self, overrides: Callable[[str], Overrides]) -> None:
        """Nothing: DuckDB's SQL is that of the templates."""

    def run(self, sql: str) -> list[Row]:
        if self._scratch is not None:  # there a temporary table is one that stays, too
            sql = re.sub(r"\ACREATE TEMPORARY TABLE", "CREATE TABLE", sql)
        return self._do(lambda: self._connection.execute(sql).fetchall())

    def batches(self, sql: str) -> Any:
        """The rows of a query as a pyarrow RecordBatchReader, for another database to load."""
        return self._do(lambda: self._connection.sql(sql).to_arrow_reader(_BATCH))

    def query(self, sql: str) -> tuple[list[str], list[Row]]:
        def work() -> tuple[list[str], list[Row]]:
            found = self._connection.execute(sql)
            return [str(name) for name, *_ in found.description or ()], found.fetchall()

        try:
            return self._do(work)
        except (EngineError, InputError) as error:
            cause = error.cause if isinstance(error, EngineError) else None
            # These speak of names and syntax; other messages may quote values.
            told = isinstance(cause, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException)
            why = cause if told else "a value does not fit its type." if cause is None else error
            raise InputError(f"The query cannot be run: {why}") from None

    def _do(self, statement: Callable[[], Result]) -> Result:
        """Run a statement beside the main thread. Raises EngineError, or InputError where it is the input that fails."""
        try:
            return self._worker.do(statement, self._wait)
        except Failed as failed:
            error = failed.__cause__ or failed
            if not disk.is_full(error):
                self._blame(error)
            raise EngineError(_explain(error, self._folder.parent), error) from None

    def _wait(self) -> None:
        self.on_wait()

    def _interrupt(self) -> None:
        self._connection.interrupt()

    def export(self, sql: str, path: str, form: str, *, delimiter: str = ",", compressed: bool = False) -> None:
        csv = f"HEADER true, DELIMITER {literal(delimiter)}, COMPRESSION {'gzip' if compressed else 'none'}"
        options = f"FORMAT {form}, {csv if form == 'csv' else 'COMPRESSION snappy'}, USE_TMP_FILE false"
        try:
            self.run(f"COPY (\n{sql}\n) TO ({literal(path)}) ({options})")
        except EngineError as error:
            if isinstance(error.cause, duckdb.IOException) and str(self._folder) not in str(error.cause):
                raise EngineError("The output cannot be written: check the disk space of its folder.", error.cause) from None
            raise

    def _blame(self, error: BaseException) -> None:
        """Raise InputError where it is the input that makes a statement fail."""
        if isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException):
            raise InputError(
                "A column holds values that do not fit the type it has in another file, such as a date beyond the range "
                "of another file's timestamps. Store it alike in all files."
            ) from None
        if isinstance(error, duckdb.InvalidInputException | duckdb.IOException | duckdb.SerializationException):
            for source in self._sources:
                if any(path in str(error) for path in source.paths):
                    raise InputError(_broken(source, str(error))) from None
        # Of most broken pages the engine does not say whose they are: each file is read once more, alone.
        if type(error) is duckdb.Error or isinstance(error, duckdb.InvalidInputException):
            for source, query in self._scans:
                try:
                    self._worker.do(partial(self._connection.execute, f"SELECT MAX(HASH(COLUMNS(*))) FROM ({query})"), self._wait)
                except Failed as failed:
                    raise InputError(_broken(source, str(failed.__cause__))) from None
        if "corrupt" in str(error):
            names = ", ".join(dict.fromkeys(source.name for source, _ in self._scans))
            raise InputError(
                f"A Parquet file is broken: its statistics are not those of its values. Write again: {names}."
            ) from None

    def progress(self) -> float:
        return min(max(self._connection.query_progress(), 0.0) / 100, 1.0)

    # ---- a database of the user's

    def _open_database(self, path: str, scratch: str | None) -> None:
        try:
            self.run(f"ATTACH {literal(path)} AS {_DATABASE}{' (READ_ONLY)' if scratch is None else ''}")
        except (EngineError, InputError):
            self._close()
            raise InputError(f"{path!r} {_UNOPENED.format('DuckDB database of this version')}") from None
        if scratch is None:
            return
        schema = f"{_DATABASE}.{quote(scratch)}"
        try:
            self.run(f"CREATE SCHEMA {schema}")
        except (EngineError, InputError):
            self._close()
            raise InputError(f"scratch: {path!r} has the schema {scratch!r} already; name a new one.") from None
        self._scratch = schema
        self.run(f"USE {schema}")

    # ---- a saved run

    def _open_saved(self, path: str) -> None:
        try:
            self.run(f"ATTACH {literal(path)} AS saved (READ_ONLY)")
        except (EngineError, InputError):
            self._close()
            raise InputError(f"{path!r} {_UNOPENED.format('saved run')}") from None
        self.run("USE saved")
        self.run(f"SET allowed_directories = [{literal(str(self._folder))}]")
        self.run("SET enable_external_access = false")
        self.run("SET lock_configuration = true")

    def keep(self) -> None:
        self.run(f"ATTACH {literal(str(self._folder / 'saved.duckdb'))} AS saved")

    def hand_over(self, views: Iterable[str], file: BinaryIO) -> None:
        self.run("USE saved")
        for view in views:
            self.run(view)
        self.run(f"USE {self._scratch or 'stages'}")
        self.run("DETACH saved")
        with (self._folder / "saved.duckdb").open("rb") as kept:
            shutil.copyfileobj(kept, file)

    # ---- planning

    @property
    def memory(self) -> int:
        """How many bytes it may use: the limit, or most of this machine's memory."""
        return self._memory

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        return int(str(self.run(f"SELECT approx_count_distinct(hash({', '.join(columns)})) FROM {table}")[0][0]))

    def fits(self, size: int) -> bool:
        if size < self._memory * _RECORDS_SHARE:
            return True
        disk.require(_stored(size), self._folder.parent)
        return False

    def require_room(self, size: int, file: BinaryIO) -> None:
        needed, folder = _stored(size), Path(file.name).parent
        both = 2 if folder.stat().st_dev == self._folder.stat().st_dev else 1  # it is made here, and copied there
        disk.require(both * needed, self._folder.parent)
        disk.require(needed, folder, "Make room there, or save it elsewhere.")

    def passes(self, records: int, groups: Callable[[], int], columns: int) -> int:
        counted = groups()
        needed = records * _COLUMN_BYTES * columns + counted * (_GROUP_BYTES + _COLUMN_BYTES * columns)
        fit = math.ceil(needed / (self._memory * _MEMORY_SHARE))
        return max(1, fit, min(math.ceil(counted / _GROUPS_PER_PASS), _FAST_PASSES))


# Measured (scripts/bench): what a record and a group of a pass take in stored rows and hash tables, what share of the limit
# they may take, how many groups of a pass still use the processor's caches well, and in how many passes that is worth reading
# the records once more.
_BESIDE = 100_000_000  # bytes of Python and its libraries; and beyond its own limit the engine takes up to a fifth more
_MEMORY_SHARE = 0.75
_RECORDS_SHARE = 0.4
_STORED_SHARE = 0.2  # of the bytes of a table that are left when it is stored, compressed
_TEXT_SHARE = 0.25  # and of those of a CSV file
_SMALL_TABLES = 4_000_000  # bytes that all tables take beside the large ones: each has blocks of its own
_COLUMN_BYTES = 8
_GROUP_BYTES = 64
_GROUPS_PER_PASS = 6_000_000
_FAST_PASSES = 16
_BATCH = 2**16  # rows that are handed to another database together


def _csv(header: Header, paths: Sequence[str], columns: Sequence[str]) -> str:
    """The SELECT of some columns of files that begin alike."""
    chosen = ", ".join(f"c{header.names.index(name)} AS {quote(name)}" for name in columns)
    texts = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(header.names)))
    # Nothing is guessed: every column is text; quoted empty text is '', unquoted is NULL.
    return (
        f"SELECT {chosen} FROM read_csv([{_listed(paths)}], auto_detect = false, columns = {{{texts}}}, header = true, "
        f"delim = {literal(header.delimiter)}, quote = '\"', escape = '\"', nullstr = '', "
        f"compression = {literal('gzip' if header.compressed else 'none')}, allow_quoted_nulls = false, strict_mode = true, "
        "null_padding = false, ignore_errors = false, hive_partitioning = false)"
    )


def _stored(size: int) -> int:
    """About how many bytes of disk a run takes whose large tables have so many."""
    return round(size * _STORED_SHARE) + _SMALL_TABLES


def _stored_text(header: Header, path: str, columns: Sequence[str]) -> float:
    """About how many bytes some columns of a CSV file take as a table: what compression leaves of their share of it."""
    return Path(path).stat().st_size * len(columns) / len(header.names) * (1 if header.compressed else _TEXT_SHARE)


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(literal(_plain(path)) for path in paths)


def _plain(path: str) -> str:
    """A path as the engine has to read it: one file, whatever characters its name has."""
    path = re.sub(r"[*?\[]", r"[\g<0>]", path)
    return f"./{path}" if path.startswith("~") else path


def _frame_names(source: Source) -> list[str]:
    import pyarrow as pa

    frame = source.frame
    try:
        names = frame.schema.names if isinstance(frame, pa.Table | pa.RecordBatch | pa.RecordBatchReader) else list(frame.columns)
        return [str(name) for name in names]
    except AttributeError:
        pass
    try:
        return [str(name) for name in pa.RecordBatchReader.from_stream(frame).schema.names]
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError(f"The {type(frame).__name__} of {source.name} is no table with named columns.") from None


def _narrow(frame: Any, columns: Sequence[str]) -> Any:
    """Only the columns that are asked for: no other, nor an index, can stand in the way."""
    if type(frame).__module__.partition(".")[0] == "pandas":
        places = [[str(name) for name in frame.columns].index(column) for column in columns]
        return frame.iloc[:, places].set_axis(list(columns), axis=1).reset_index(drop=True)
    if type(frame).__module__.partition(".")[0] in ("polars", "pyarrow") and hasattr(frame, "select"):
        return frame.select(columns)
    return frame


def _unreadable(source: Source, columns: Sequence[str]) -> list[str]:
    """Which columns of a frame do not become Arrow columns."""
    import pyarrow as pa

    found = []
    for column in columns:
        try:
            (field,) = (
                each for each in pa.RecordBatchReader.from_stream(_narrow(source.frame, [column])).schema if each.name == column
            )
            foreign = pa.types.is_decimal256(field.type) or pa.types.is_float16(field.type)
        except (TypeError, ValueError, pa.ArrowException):
            foreign = True
        if foreign:
            found.append(
                f"The column {column!r} of {source.name} holds values of mixed types, or of a type that no database has. "
                "Make it one type, for example text."
            )
    return found or [f"{source.name} cannot be read as a table."]


def _too_many_digits(source: Source, column: str) -> str:
    return (
        f"The column {column!r} of {source.name} holds decimals of more than {_DECIMAL_DIGITS} digits, which would be rounded. "
        "Store it with fewer, or as text."
    )


def _broken(source: Source, message: str) -> str:
    """Why a source cannot be read. Of the engine's message only numbers are repeated: the rest may quote records."""
    part = next((path for path in source.paths if len(source.paths) > 1 and path in message), None)
    where = f"{source.name} (in {part!r})" if part else source.name
    if source.kind == "frame":
        return f"The table {where} cannot be read: it holds values of mixed types."
    if source.kind == "parquet":
        if "UTF8" in message or "UTF-8" in message or "unicode" in message.lower():
            return f"The Parquet {where} cannot be read: it holds text that is not UTF-8. Write it again as UTF-8."
        return f"The Parquet {where} cannot be read: it is broken or no Parquet file. Write it again."
    line = re.search(r"Line: (\d+)", message)
    if not line or "maximum line size" in message.lower():
        return (
            f"The CSV {where} cannot be read: it is broken, mixes kinds of line ends, or has a line of over 2 MB. Write it "
            "again as UTF-8 with one kind of line end."
        )
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return f"The CSV {where} cannot be read: line {line[1]} is not UTF-8 text. Save it as UTF-8."
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    why = "has a quote that is not closed or not doubled"
    if columns:
        why = f"has the wrong number of fields ({columns[2]} instead of {columns[1]})"
    mend = "Mend that line; put text that holds a separator in double quotes."
    return f"The CSV {where} cannot be read: line {line[1]} {why}. {mend}"


def _refused(memory_limit: str | None, threads: int | None) -> list[str]:
    problems = []
    if memory_limit is not None and not _SIZE.fullmatch(memory_limit.strip()):
        problems.append(f"memory_limit: {memory_limit!r} is no size; give a number and a unit, as in 4GB or 500MB.")
    if threads is not None and threads < 1:
        problems.append(f"threads: {threads} is too few; give 1 or more threads.")
    return problems or [f"The engine refuses its settings: memory_limit {memory_limit!r}, threads {threads!r}."]


def _top_level(rows: list[Row]) -> list[tuple[str, int]]:
    """The columns of a Parquet schema without the fields inside them; the first row is the schema itself."""
    columns: list[tuple[str, int]] = []
    position = 1

    def skip(index: int) -> int:
        children = int(rows[index][1] or 0)
        index += 1
        for _ in range(children):
            index = skip(index)
        return index

    while position < len(rows):
        columns.append((str(rows[position][0]), int(rows[position][1] or 0)))
        position = skip(position)
    return columns


def _check_names(source: Source, names: Sequence[str]) -> None:
    if not names or any(not name for name in names):
        raise InputError(f"{source.name} has a column without a name.")
    folded: dict[str, str] = {}
    seen: set[str] = set()
    problems: list[str] = []
    for name in names:
        other = folded.setdefault(name.casefold(), name)
        if other == name and name in seen:
            problems.append(f"{source.name} has the column {name!r} twice; rename one.")
        elif other != name:
            problems.append(f"{source.name} has the columns {other!r} and {name!r}, which differ only in case; rename one.")
        seen.add(name)
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def _bytes(text: str) -> int:
    number, unit = text.split()
    return int(float(number) * _UNITS[unit])


def _explain(error: BaseException, folder: Path) -> str:
    """What failed, without a value: messages of the engine may quote records. ``folder`` holds the temporary one."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return (
            "The engine ran out of memory or temporary disk space: raise --memory-limit, "
            "or point --temp-directory to a larger disk."
        )
    if disk.is_full(error):
        return f"The disk of the temporary folder {str(folder)!r} is full. {disk.ELSEWHERE}"
    if isinstance(error, duckdb.IOException):
        return f"The engine could not read or write a file: check the temporary folder {str(folder)!r} and its disk."
    if isinstance(error, duckdb.InternalException):
        return "The engine failed (InternalException). An input file that is broken can be why: write it again."
    return f"The engine failed ({type(error).__name__})."


def _unusable(error: BaseException, folder: Path) -> InputError | EngineError:
    """Why the engine cannot begin in a folder."""
    if "lock on file" in str(error):
        return InputError(
            f"Files cannot be locked in the temporary folder {str(folder)!r}, as on some network drives: "
            "point --temp-directory to a folder of this machine."
        )
    return EngineError(_explain(error, folder))
