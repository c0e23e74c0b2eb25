"""DuckDB on this machine: the only module that imports it. Stage tables live in a private folder that goes with the session."""

import math
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from sqlrisk.engines import Row
from sqlrisk.errors import EngineError, InputError
from sqlrisk.render import literal, quote
from sqlrisk.sources import Source

_POLL_SECONDS = 0.05
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
# A number in a CSV file: no leading zeros, and short enough that its type holds it exactly.
_WHOLE = r"-?(0|[1-9][0-9]{0,17})"
_DECIMAL = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
_DECIMAL_DIGITS = 15


class DuckDB:
    """A DuckDB session. Use it as a context manager: leaving it removes everything it wrote."""

    def __init__(self, *, memory_limit: str | None = None, threads: int | None = None, temp_directory: str | None = None) -> None:
        """Open a private database.

        Args:
            memory_limit: for example ``"4GB"``; by default DuckDB's own, 80 % of the machine's memory.
            threads: by default one per core.
            temp_directory: an existing folder; the private folder (0700) is made inside it.

        Raises:
            InputError: a limit that is none, or a folder that cannot be written.
        """
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="sqlrisk-", dir=temp_directory))
        except OSError as error:
            raise InputError(f"No temporary folder can be made in {temp_directory or tempfile.gettempdir()!r}: {error.strerror}.") from None
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(self._folder / "spill"),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        }
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        if threads is not None:
            config["threads"] = threads
        # Files are made by the engine's own threads while it runs; the mask keeps each of them to this user (DESIGN 8).
        self._mask = os.umask(0o077)
        self.on_wait: Callable[[], None] = lambda: None
        try:
            self._connection = duckdb.connect(self._folder / "stages.duckdb", config=config)
            self.run("SET enable_progress_bar = true")
            self.run("SET enable_progress_bar_print = false")
            self._memory = _bytes(str(self.run("SELECT current_setting('memory_limit')")[0][0]))
        except (duckdb.Error, EngineError) as error:
            self._remove()
            raise InputError(f"The engine refuses its settings: {_first_line(error)}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._connection.close()
        self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        os.umask(self._mask)

    # ---- sources

    def columns(self, source: Source) -> Sequence[str]:
        if source.kind == "frame":
            names = [str(name) for name in _schema_names(source)]
        elif source.kind == "parquet":
            # Names come from the file's own schema: a relation would rename columns that differ only in case.
            first = self._read(source, f"SELECT name, num_children FROM parquet_schema({literal(source.paths[0])})")
            names = [str(name) for name, children in _top_level(first)]
        else:
            header = self._read(source, f"SELECT * FROM {_csv(source, header=False)} LIMIT 1")
            names = ["" if name is None else str(name) for name in (header[0] if header else ())]
        _check_names(source, names)
        return names

    def attach(self, source: Source, columns: Sequence[str], name: str) -> tuple[str, Mapping[str, str]]:
        chosen = ", ".join(quote(column) for column in columns)
        if source.kind == "csv":
            # Text is read once and typed by the whole column, not by a sample.
            self._read(source, f"CREATE TABLE {name} AS SELECT {chosen} FROM {_csv(source, header=True)}")
            relation = name
            kinds = {column: self._csv_type(name, column) for column in columns}
        elif source.kind == "parquet":
            relation = f"read_parquet([{', '.join(literal(path) for path in source.paths)}])"
            kinds = self._types(source, f"SELECT {chosen} FROM {relation}")
        else:
            import pyarrow

            try:
                stream = pyarrow.RecordBatchReader.from_stream(source.frame)
                self._connection.register(f"{name}_stream", stream)
            except (TypeError, ValueError, pyarrow.ArrowException, duckdb.Error) as error:
                raise InputError(f"The table of {source.name} cannot be read as a table: {type(error).__name__}.") from None
            self._read(source, f"CREATE TABLE {name} AS SELECT {chosen} FROM {name}_stream")
            self._connection.unregister(f"{name}_stream")
            relation = name
            kinds = self._types(source, f"SELECT {chosen} FROM {name}")
        return relation, kinds

    def _types(self, source: Source, query: str) -> dict[str, str]:
        return {str(row[0]): str(row[1]) for row in self._read(source, f"DESCRIBE {query}")}

    def _csv_type(self, table: str, column: str) -> str:
        """BIGINT or DOUBLE if every value is such a number, else VARCHAR."""
        value = quote(column)
        digits = f"LENGTH(REGEXP_REPLACE(REGEXP_REPLACE({value}, '[eE].*', ''), '[^0-9]', '', 'g'))"
        whole, number, filled = self.run(
            f"SELECT COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(_WHOLE)}) THEN 1 END),"
            f" COUNT(CASE WHEN REGEXP_FULL_MATCH({value}, {literal(_DECIMAL)}) AND {digits} <= {_DECIMAL_DIGITS} THEN 1 END),"
            f" COUNT({value}) FROM {table}"
        )[0]
        if not filled:
            return '"NULL"'
        return "BIGINT" if whole == filled else "DOUBLE" if number == filled else "VARCHAR"

    def _read(self, source: Source, sql: str) -> list[Row]:
        """Run a statement that reads a source; what fails is the input, and its values are kept out of the message."""
        try:
            return self.run(sql)
        except EngineError as error:
            if isinstance(error.__cause__, duckdb.OutOfMemoryException):
                raise
            kind = {"parquet": "Parquet", "csv": "CSV"}.get(source.kind, "table")
            reason = "is broken, or its parts have different columns" if source.kind == "parquet" else "has rows that do not fit its header, or is not UTF-8 text"
            raise InputError(f"The {kind} {source.name} cannot be read: it {reason if source.kind != 'frame' else 'holds values of mixed types'}.") from None

    # ---- statements

    def run(self, sql: str) -> list[Row]:
        outcome: list[list[Row]] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                outcome.append(self._connection.execute(sql).fetchall())
            except BaseException as error:  # handed to the caller's thread, whatever it is
                failure.append(error)

        # A thread of its own leaves this one free to show progress and to hear Ctrl-C.
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_POLL_SECONDS)
                self.on_wait()
        except KeyboardInterrupt:
            self._connection.interrupt()
            worker.join()
            raise
        if failure:
            raise EngineError(_explain(failure[0])) from failure[0]
        return outcome[0]

    def progress(self) -> float:
        return min(max(self._connection.query_progress(), 0.0) / 100, 1.0)

    # ---- planning

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        return int(str(self.run(f"SELECT approx_count_distinct(hash({', '.join(columns)})) FROM {table}")[0][0]))

    def passes(self, records: int, groups: int, columns: int) -> int:
        needed = records * _COLUMN_BYTES * columns + groups * (_GROUP_BYTES + _COLUMN_BYTES * columns)
        return max(1, math.ceil(needed / (self._memory * _MEMORY_SHARE)), math.ceil(groups / _GROUPS_PER_PASS))


# Measured (scripts/bench): what a record and a group of a pass take in stored rows and hash tables, what share of the limit
# they may take, and how many groups of a pass still use the processor's caches well.
_MEMORY_SHARE = 0.75
_COLUMN_BYTES = 8
_GROUP_BYTES = 64
_GROUPS_PER_PASS = 6_000_000


def _csv(source: Source, *, header: bool) -> str:
    paths = ", ".join(literal(path) for path in source.paths)
    # Quoted empty text is '', unquoted is NULL; every column is text, so no value is guessed at.
    return (
        f"read_csv([{paths}], header = {str(header).lower()}, all_varchar = true, quote = '\"', escape = '\"', nullstr = '', "
        "allow_quoted_nulls = false, strict_mode = true, null_padding = false, ignore_errors = false, normalize_names = false)"
    )


def _schema_names(source: Source) -> list[str]:
    import pyarrow

    frame = source.frame
    if hasattr(frame, "columns"):  # pandas, polars, DuckDB relations: cheaper than a conversion
        names = list(frame.columns)
        if all(isinstance(name, str) for name in names):
            return names
    if isinstance(frame, pyarrow.Table):
        return list(frame.schema.names)
    return [str(name) for name in pyarrow.RecordBatchReader.from_stream(frame).schema.names]


def _top_level(rows: list[Row]) -> list[tuple[str, int]]:
    """The columns of a Parquet schema without the fields inside them; the first row is the schema itself."""
    columns: list[tuple[str, int]] = []
    position = 1

    def skip(index: int) -> int:
        children = int(str(rows[index][1] or 0))
        index += 1
        for _ in range(children):
            index = skip(index)
        return index

    while position < len(rows):
        columns.append((str(rows[position][0]), int(str(rows[position][1] or 0))))
        position = skip(position)
    return columns


def _check_names(source: Source, names: Sequence[str]) -> None:
    if not names or any(not name for name in names):
        raise InputError(f"{source.name} has a column without a name.")
    folded: dict[str, str] = {}
    problems: list[str] = []
    for name in names:
        other = folded.setdefault(name.casefold(), name)
        if other is not name:
            problems.append(f"{source.name} has the columns {other!r} and {name!r}, which differ in case at most; rename one.")
    if problems:
        raise InputError(problems)


def _bytes(text: str) -> int:
    number, unit = text.split()
    return int(float(number) * _UNITS[unit])


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _explain(error: BaseException) -> str:
    """What failed, without a value: messages of the engine may quote records."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return "The engine ran out of memory or temporary disk space: raise --memory-limit, or point --temp-directory to a larger disk."
    if isinstance(error, duckdb.IOException):
        return "The engine could not read or write a file: check the disk space of the temporary folder, and that no input changed during the run."
    return f"The engine failed ({type(error).__name__})."
