"""Make sources readable in a DuckDB session: files, Python tables, tables of a database.

It also finds the types of their columns and numbers their records.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, count, groupby
from pathlib import Path
from typing import Unpack

import duckdb

from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.common import disk
from sqlrisk.common.errors import EngineError, InputError, ProblemList, suggestion
from sqlrisk.engines import duckdb_csv, frames
from sqlrisk.engines.duckdb_memory import Memory, stored_text
from sqlrisk.engines.duckdb_messages import UNREADABLE, broken
from sqlrisk.engines.engine import Attached, Engine, Names, Reading, SqlRow, among
from sqlrisk.engines.fetched import Fetched
from sqlrisk.engines.formats import streams
from sqlrisk.engines.formats.reader_process import ReaderProcess
from sqlrisk.inputs import codebooks
from sqlrisk.inputs.csv_files.headers import Header, utf8
from sqlrisk.inputs.csv_files.numbers import is_one
from sqlrisk.inputs.datatypes import INSTANT, family, is_float, is_whole
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.python_tables import parquet_periods
from sqlrisk.inputs.sources import (
    NO_VALUE,
    Source,
    folder_values,
    part_name,
    partitions,
    read_header,
    texts_of_folders,
)

_NAME = re.compile(r'"(?:[^"]|"")+"|[^."]+')  # the parts of schema.table
DATABASE = "warehouse"  # the name under which a database is attached
# A piece of a file takes at most one eighth of the memory, and this many bytes.
_SHARE, _MOST_ROOM = 8, 2**30
_READER = 75_000_000  # bytes of the reader process without the piece (measured)
# Columns per statement that finds types: planning time grows with their square.
_TOGETHER = 50
_WIDE = 500  # columns
# An a with a combining accent. Every collation except C equals it to one of the others: the same
# letter in one character, in upper case, or without the accent.
_ACCENTED, _MERGED = "'a\u0301'", "('\u00e1', 'A\u0301', 'a')"
_DECIMAL_DIGITS = 38  # of the longest decimal. Longer ones are read as floats.
# If two Parquet files differ in this for a column, DuckDB reads it as different types.
_SHAPE = (
    "CONCAT_WS(':', name, type, converted_type, CAST(logical_type AS VARCHAR), scale, precision)"
)


class Sources(Engine):
    """The part of a DuckDB session that makes sources readable, each once."""

    _connection: duckdb.DuckDBPyConnection
    memory: Memory
    _folder: Path  # holds the tables that sources are copied into

    def __init__(self) -> None:
        self._attached: list[Source] = []
        # Parquet sources, and the query that reads the columns asked for.
        self._scans: list[tuple[Source, str]] = []
        # Table copied from CSV -> its columns that mix numbers and other text.
        self._mixed: dict[str, set[str]] = {}
        # Relation, its columns of folder names, and the function that gives them types.
        self._folders: list[tuple[str, list[str], Callable[..., object]]] = []
        self.loads: list[str] = []
        self._open: dict[object, streams.Stored] = {}  # by file and how it is read
        self._codebooks: dict[str, FileLabels] = {}  # by the label of a Parquet source
        self._by_label: frozenset[str] = frozenset()
        self._apart = ReaderProcess()
        self._fetched: dict[str, Fetched] = {}  # by the source's label
        # The source that is being copied, which knows its progress.
        self._reading: streams.Stored | Fetched | None = None
        self._left_out: dict[str, dict[str, object]] = {}  # by the source's name
        self._numbers = count(1)  # numbers for private files
        # Copies are TEMPORARY next to a saved run, which is read-only.
        self._kept = ""

    def _local(self, source: Source, columns: Sequence[str] = ()) -> Source:
        """Return a remote source as local files, any other source unchanged.

        Of Parquet objects only these columns are fetched, other formats whole, each byte once.
        """
        if not source.is_remote:
            return source
        if source.label not in self._fetched:
            self._fetched[source.label] = Fetched(
                source, self._folder / f"objects_{next(self._numbers)}", self.on_wait
            )
        fetched = self._reading = self._fetched[source.label]
        try:
            found = fetched.with_columns(columns)
        finally:
            self._reading = None
        return replace(source, paths=found.paths, folder=found.folder, called=found.called)

    def columns(self, source: Source) -> Sequence[str]:
        source = self._local(source)
        if source.kind == "table":
            parts = [list(self._types(source, f"SELECT * FROM {self._table(source)}"))]
        elif source.kind == "frame":
            parts = [frames.names(source)]
        elif source.kind == "csv":
            parts = [list(read_header(path, source).columns) for path in source.paths]
        elif source.kind in streams.READERS:
            parts = [list(part.schema.names) for part in self._stored(source).parts]
        else:
            parts = [list(names) for names in dict.fromkeys(self._schemas(source).values())]
        for names in parts:
            _check_names(source, names)
        return [name for name in parts[0] if all(name in names for names in parts)]

    def attach(self, source: Source, columns: Names, name: str, **how: Unpack[Reading]) -> Attached:
        beside, numbered = how.get("beside", ()), how.get("numbered", False)
        source = self._local(source, [*columns, *beside])
        self._attached.append(source)
        # This optimizer's time grows with the square of the columns of a GROUP BY: 20 s for 10,000.
        if len(columns) + len(beside) > _WIDE:
            self.run("SET disabled_optimizers = 'compressed_materialization'")
        attached = self._attach_local(source, columns, name, beside=beside, numbered=numbered)
        self.leave_out_columns(source, beside, attached[1])
        return attached

    def leave_out_columns(self, source: Source, beside: Names, kept: Collection[str]) -> None:
        """Record which columns ``beside`` are not compared, because they are not ``kept``."""
        if uncompared := [each for each in beside if each not in kept]:
            self._leave_out(source, columns=uncompared)

    def _leave_out(self, source: Source, **what: object) -> None:
        """Record which parts of a source are not read, by the source's name: two Python tables may
        share a label.
        """
        self._left_out[source.name] = {**self._left_out.get(source.name, {}), **what}

    def _attach_local(
        self, source: Source, columns: Names, name: str, *, beside: Names, numbered: bool
    ) -> Attached:
        """Make a local source readable, as `attach` does."""
        match source.kind:
            case "csv":  # every column can be read as text
                return self._attach_csv(source, [*columns, *beside], name, numbered=numbered)
            case "frame":
                return self._attach_frame(source, columns, name, beside=beside, numbered=numbered)
            case kind if kind in streams.READERS:
                return self._attach_stored(source, columns, name, beside=beside, numbered=numbered)
        if source.kind == "table":
            columns = [*columns, *beside]
            relation, record = self._table(source), None
            types = self._types(source, f"SELECT {_chosen(columns)} FROM {relation}")
            relation = self._by_bytes(source, f"{name}_texts", relation, types)
            query = f"SELECT {_chosen(columns)} FROM {relation}"
        else:
            relation, types = self._parquet(source, columns, beside)
            columns = list(types)
            query = f"SELECT {_chosen(columns)} FROM {relation}"
            self._scans.append((source, query))
            # A query has no record numbers.
            plain = relation.startswith("read_parquet")
            record = self._parquet_number(source) if numbered and plain else None
            texts = texts_of_folders(source, types)
            if (source.called or texts) and not (numbered and record is None):
                view = partial(self._view, source, name, relation, types, record)
                self._folders.append((name, texts, view))
                return view()
        if not numbered or record is not None:
            return relation, types, record
        # Tables have no record numbers, and a Parquet column may have a name that they need.
        self._folders.append((name, texts_of_folders(source, types), partial(self._change, name)))
        return name, types, self._copy(source, name, query, columns, numbered=True)

    def _by_bytes(self, source: Source, name: str, relation: str, types: Mapping[str, str]) -> str:
        """Return a table, or a view of it that compares texts by bytes if any column has another
        collation.
        """
        texts = [column for column, kind in types.items() if kind == "VARCHAR"]
        if not texts:
            return relation
        asked = ", ".join(f"{quote(text)} IN {_MERGED}" for text in texts)
        (merges,) = self._read(
            source,
            f"SELECT {asked} FROM (SELECT {_chosen(texts)} FROM {relation} WHERE false UNION ALL "
            f"SELECT {', '.join(_ACCENTED for _ in texts)})",
        )
        collated = {text for text, merged in zip(texts, merges, strict=True) if merged}
        if not collated:
            return relation
        chosen = ", ".join(
            f"{quote(column)} COLLATE C AS {quote(column)}" if column in collated else quote(column)
            for column in types
        )
        view = f"CREATE TEMPORARY VIEW {name} AS\nSELECT {chosen} FROM {relation}"
        self._read(source, view)
        self._note(source, view)
        return name

    def _note(self, source: Source, load: str) -> None:
        """Record a statement for scripts. Local copies of remote files get their addresses again,
        and the path of the private folder is removed, because it varies.
        """
        for path, address in source.called.items():
            load = load.replace(listed([path]), literal(address))
        self.loads.append(load.replace(f"{self._folder}{os.sep}", ""))

    def _view(
        self,
        source: Source,
        name: str,
        relation: str,
        types: Mapping[str, str],
        record: str | None,
        again: Mapping[str, str] = {},
    ) -> Attached:
        """Create a view over Parquet files, with record numbers unless ``record`` is None.

        Other statements read the view, so they do not contain the path of the private folder.
        ``again`` maps columns of folder names to their new types, and replaces an earlier view.
        """
        number = None if record is None else _number_beside(types)
        quoted = [(column, quote(column)) for column in types]
        read = [
            f"CAST({each} AS {again[column]}) AS {each}" if column in again else each
            for column, each in quoted
        ]
        chosen = ", ".join([*read, *([] if number is None else [f"{record} AS {number}"])])
        view = (
            f"CREATE {'OR REPLACE ' if again else ''}TEMPORARY VIEW {name} AS\nSELECT {chosen} "
            f"FROM {relation}"
        )
        self._read(source, view)
        self._note(source, view)
        return name, types, number

    def _attach_csv(
        self, source: Source, columns: Sequence[str], name: str, *, numbered: bool
    ) -> Attached:
        """Copy CSV files as text in one reading. Types are then chosen from whole columns instead
        of a sample.
        """
        headers = [(read_header(path, source), path) for path in source.paths]
        if any(header.has_row_names for header, _ in headers):
            self._leave_out(source, row_names=True)
        disk.require(
            sum(round(stored_text(header, path, columns)) for header, path in headers),
            self._folder.parent,
        )
        with ExitStack() as closing:
            headers = [
                closing.enter_context(self._in_utf8(header, path, source))
                for header, path in headers
            ]
            alike = [  # only neighbors, so that the parts stay in order
                (header, listed([path for _, path in parts]))
                for header, parts in groupby(headers, key=lambda each: each[0])
            ]
            query = "\nUNION ALL\n".join(
                duckdb_csv.select(*each, columns, source) for each in alike
            )
            record = self._copy(source, name, query, columns, numbered=numbered)
            # Looking at every field is slow, so do it only if the columns read have an empty
            # record.
            if self.run(duckdb_csv.may_be_empty(name, columns))[0][0]:
                counts = "\nUNION ALL\n".join(duckdb_csv.count_empty(*each) for each in alike)
                if empty := sum(int(each) for (each,) in self._read(source, counts)):
                    self._leave_out(source, empty_rows=empty)
                    query = "\nUNION ALL\n".join(
                        duckdb_csv.select(*each, columns, source)
                        + f" WHERE NOT ({duckdb_csv.is_empty(each[0])})"
                        for each in alike
                    )
                    self.run(f"DROP TABLE {name}")
                    record = self._copy(source, name, query, columns, numbered=numbered)
            self._note(source, f"CREATE TABLE {name} AS\n{query}")
        mark = source.csv.decimal
        types: dict[str, str] = {}
        for start in range(0, len(columns), _TOGETHER):
            some = columns[start : start + _TOGETHER]
            if len(columns) > _TOGETHER:
                short = self.run(duckdb_csv.are_short(name, some))[0]
                types |= {
                    column: "BIGINT" for column, answer in zip(some, short, strict=True) if answer
                }
                some = [column for column in some if column not in types]
            if some:
                kinds = self.run(duckdb_csv.types(name, some, mark))[0]
                types |= zip(some, map(str, kinds), strict=True)
        types = {column: types[column] for column in columns}
        for column in [each for each, kind in types.items() if kind == "DOUBLE" and mark != "."]:
            self._alter(duckdb_csv.with_points(name, column, mark))
        mixed = {column for column, kind in types.items() if kind == duckdb_csv.MIXED}
        self._mixed[name] = mixed
        return name, {**types, **dict.fromkeys(mixed, "VARCHAR")}, record

    @contextmanager
    def _in_utf8(self, header: Header, path: str, source: Source) -> Iterator[tuple[Header, str]]:
        """Yield header and path of a CSV file in UTF-8. Another encoding is converted into a
        temporary file.
        """
        if header.is_utf8:
            yield header, path
            return
        anew = self._folder / f"utf8_{next(self._numbers)}.csv"
        with disk.filling("The temporary folder", disk.ELSEWHERE), anew.open("wb") as file:
            for piece in utf8(path, header, part_name(path, source)):
                file.write(piece)
                self.on_wait()
        try:
            yield replace(header, encoding="utf-8", compression="none"), str(anew)
        finally:
            anew.unlink()

    def text_among_numbers(self, tables: Sequence[str], column: str, *, apart: bool) -> bool:
        if not all(column in self._mixed.get(table, ()) for table in tables):
            return False
        if any(self.run(duckdb_csv.holds_codes(table, column))[0][0] for table in tables):
            return False
        return not apart or bool(self.run(duckdb_csv.written_otherwise(tables, column))[0][0])

    def text_type(self, table: str, column: str, kinds: Sequence[str]) -> str:
        value = quote(column)
        first = f"(SELECT {value} FROM {table} WHERE {value} IS NOT NULL LIMIT 1) AS first"
        for place in (first, table):  # for most columns, one text rules out every type
            ((kind,),) = self.run(duckdb_csv.text_type(place, column, kinds))
            if kind == "VARCHAR":
                break
        return str(kind)

    def _attach_frame(
        self, source: Source, columns: Names, name: str, *, beside: Names, numbered: bool
    ) -> Attached:
        """Copy a Python table into a table of the session."""
        together = [*columns, *beside]
        try:
            self._connection.register(f"{name}_stream", frames.stream(source, together))
        except (TypeError, duckdb.Error):
            read = [column for column in beside if not frames.is_foreign(source, column)]
            if len(read) < len(beside):
                return self._attach_frame(source, columns, name, beside=read, numbered=numbered)
            raise InputError(frames.unreadable(source, columns)) from None
        query = f"SELECT {_chosen(together)} FROM {name}_stream"
        record = self._copy(source, name, query, together, numbered=numbered)
        self._connection.unregister(f"{name}_stream")
        return name, self._types(source, f"SELECT {_chosen(together)} FROM {name}"), record

    def labels(self, source: Source) -> Sequence[FileLabels]:
        if source.kind in streams.LABELLED:
            return [part.labels for part in self._stored(source).parts]
        if source.kind == "parquet":
            return [self._codebook(source)]
        return [FileLabels()]

    def _codebook(self, source: Source) -> FileLabels:
        """Return the codebook of a Parquet source. It is read from the first part."""
        if source.label not in self._codebooks:
            path = self._local(source).paths[0]
            rows = self._read(
                source,
                f"SELECT value FROM parquet_kv_metadata([{listed([path])}]) WHERE key = "
                f"{literal(codebooks.KEY)}::BLOB",
            )
            fields = [field for (text,) in rows for field in codebooks.fields_in(text)]
            self._codebooks[source.label] = FileLabels(
                codebooks.titles(fields), codebook=tuple(fields)
            )
        return self._codebooks[source.label]

    @property
    def by_label(self) -> frozenset[str]:
        return self._by_label

    def read_by_label(self, columns: Collection[str]) -> None:
        self._by_label = frozenset(columns)

    def texts_among(self, table: str, column: str, *lists: Collection[str]) -> tuple[int, ...]:
        return tuple(map(int, self.run(among(table, column, lists))[0]))

    def missing(self, source: Source) -> Mapping[str, Mapping[str, int]]:
        return self._stored(source).missing if source.kind in streams.LABELLED else {}

    def left_out(self, source: Source) -> Mapping[str, object]:
        return self._left_out.get(source.name, {})

    def _stored(self, source: Source) -> streams.Stored:
        """Open a file that DuckDB cannot read itself (SPSS, Excel and so on). Each file is opened
        once.
        """
        words = (source.missing, source.missing_of) if source.kind == "excel" else ()
        own = tuple((name, source.missing_in(name)) for name in sorted(self._by_label))
        how = (source.label, source.version, source.csv.encoding, own, words, source.as_stored)
        if how not in self._open:
            self._open[how] = streams.stored(
                self._local(source), self._room, self._apart, self._by_label
            )
        return self._open[how]

    @property
    def _room(self) -> int:
        """The bytes that a batch of a file may take in memory before it is copied into a table."""
        return min(self.memory.size // _SHARE, _MOST_ROOM)

    def _attach_stored(
        self, source: Source, columns: Names, name: str, *, beside: Names, numbered: bool
    ) -> Attached:
        """Copy a file that DuckDB cannot read itself into a table.

        If the format has only floats, columns in which all values are whole become BIGINT.
        """
        stored = self._reading = self._stored(source)
        if empty := sum(part.empty_rows for part in stored.parts):
            self._leave_out(source, empty_rows=empty)
        if any(part.row_names for part in stored.parts):
            self._leave_out(source, row_names=True)
        # A piece and the reader process need memory next to DuckDB, which takes up to a fifth more
        # than its limit.
        size = max(self.memory.size - 2 * self._room - _READER, self.memory.size // 4)
        self.run(f"SET memory_limit = '{size} bytes'")
        try:
            framed = replace(source, frame=stored)
            attached = self._attach_frame(
                framed, columns, f"{name}_read", beside=beside, numbered=numbered
            )
        except InputError:
            if not stored.failures:
                raise
            failed = stored.failures.pop()
            if not isinstance(failed, streams.UnheldError) or failed.column not in beside:
                raise failed from None
            read = [column for column in beside if column != failed.column]
            return self._attach_stored(source, columns, name, beside=read, numbered=numbered)
        finally:
            self._reading = None
        relation, types, record = attached
        numbers = [
            column
            for column, kind in types.items()
            if is_float(kind) and source.kind in streams.UNTYPED
        ]
        tests = [
            f"BOOL_AND({each} = TRUNC({each}) AND ABS({each}) < {2**53})"
            for each in map(quote, numbers)
        ]
        found = self.run(f"SELECT {', '.join(tests)} FROM {relation}")[0] if tests else ()
        whole = [column for column, answer in zip(numbers, found, strict=True) if answer]
        self.run(f"SET memory_limit = '{self.memory.size} bytes'")
        # Changing the type in the table would rewrite every column in memory: too much for 10 GB.
        chosen = [
            f"CAST({quote(each)} AS BIGINT) AS {quote(each)}" if each in whole else quote(each)
            for each in types
        ]
        number = None if record is None else _number_beside(types)
        chosen += [] if number is None else [f"{record} AS {number}"]
        self.run(f"CREATE TEMPORARY VIEW {name} AS\nSELECT {', '.join(chosen)} FROM {relation}")
        return name, {**types, **dict.fromkeys(whole, "BIGINT")}, number

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        self._apart.close()  # all files are read, and the reader's memory is needed
        for name, texts, read_again in self._folders:
            read = {
                text: types[name][text]
                for text in texts
                if types.get(name, {}).get(text, "VARCHAR") != "VARCHAR"
            }
            if read:
                read_again(again=read)
        for table in sorted(self._mixed):
            kinds = {
                column: kind
                for column, kind in types.get(table, {}).items()
                if kind not in ("VARCHAR", '"NULL"')
            }
            if len(kinds) > _TOGETHER:
                self._rewrite(table, kinds)
            else:
                self._change(table, kinds)

    def _change(self, table: str, again: Mapping[str, str]) -> None:
        """Change the types of columns of a table."""
        for column, kind in again.items():
            self._alter(f"ALTER TABLE {table} ALTER {quote(column)} TYPE {kind}")

    def _rewrite(self, table: str, kinds: Mapping[str, str]) -> None:
        """Rewrite a table with many new types at once. Altering a single column would take as
        long.
        """
        # Not * REPLACE (...), whose time grows with the square of the columns.
        casts = {
            column: f"CAST({quote(column)} AS {kind}) AS {quote(column)}"
            for column, kind in kinds.items()
        }
        names = (str(column) for column, *_ in self.run(f"DESCRIBE {table}"))
        chosen = ", ".join(casts.get(name, quote(name)) for name in names)
        self.run("SET preserve_insertion_order = true")
        for statement in (
            f"ALTER TABLE {table} RENAME TO {table}_untyped",
            f"CREATE {self._kept}TABLE {table} AS SELECT {chosen} FROM {table}_untyped",
            f"DROP TABLE {table}_untyped",
        ):
            self.loads.append(statement)
            self.run(statement)
        self.run("SET preserve_insertion_order = false")

    def _alter(self, statement: str) -> None:
        """Run a statement that rewrites a column. Then write the column to disk to free memory."""
        self.loads.append(statement)
        self.run(statement)
        self.run("CHECKPOINT")

    def _schemas(self, source: Source) -> dict[str, tuple[str, ...]]:
        """Return the column names of every part, partition columns included."""
        inside = {
            file: [name for name, *_ in fields] for file, fields in self._inside(source).items()
        }
        outside = [
            name
            for name in partitions(source)
            if not any(name in names for names in inside.values())
        ]
        return {file: (*names, *outside) for file, names in inside.items()}

    def _inside(self, source: Source) -> dict[str, list[tuple[str, int, bool]]]:
        """Return (name, digits, whether it has floats of 2 bytes) of the top-level columns inside
        every part. Only decimals have digits.
        """
        # From the file's own schema: a relation would rename columns that differ only in case.
        schemas: dict[str, list[SqlRow]] = {}
        for file, *row in self._read(
            source,
            "SELECT file_name, name, num_children, COALESCE(precision, 0), "
            "COALESCE(CAST(logical_type AS VARCHAR) = 'Float16Type()', FALSE) FROM "
            f"parquet_schema([{listed(source.paths)}])",
        ):
            schemas.setdefault(str(file), []).append(tuple(row))
        # The first row is the schema itself.
        return {file: list(_top_level(rows[1:])) for file, rows in schemas.items()}

    def _parquet(
        self, source: Source, columns: Sequence[str], beside: Sequence[str]
    ) -> tuple[str, dict[str, str]]:
        """Return the relation that FROM reads (all parts, matched by column name) and the column
        types.

        Raises InputError if the types differ by more than the size of whole numbers. Columns
        ``beside`` that cannot be read are left out instead.
        """
        chosen = _chosen([*columns, *beside])
        problems: dict[str, str] = {}  # by column
        fields = self._inside(source)
        inside: dict[str, int] = {}
        for name, digits, _ in chain(*fields.values()):
            inside[name] = max(digits, inside.get(name, 0))
        twice = inside.keys() & set(partitions(source))
        hive = bool(partitions(source)) and not twice

        # DuckDB would read instants as times, without their offset.
        texts = ", ".join(
            f"{literal(name)}: VARCHAR"
            for name in partitions(source)
            if any(is_one(each, INSTANT) for each in folder_values(source, name))
        )

        def relation(paths: Sequence[str], parts: Collection[str]) -> str:
            options = ", union_by_name = true" if len(paths) > 1 else ""
            # DuckDB would prefer folder names to columns of the same name.
            if any("=" in path for path in paths):
                options += f", hive_partitioning = {str(hive).lower()}"
                options += f", hive_types = {{{texts}}}" if hive and texts else ""
            read = f"read_parquet([{listed(paths)}]{options})"
            short = set.intersection(
                *({each[0] for each in fields[part] if each[2]} for part in parts)
            )
            if not short:
                return read
            shortest = ", ".join(
                f"{_shortest(quote(each))} AS {quote(each)}" for each in sorted(short)
            )
            return f"(SELECT * REPLACE ({shortest}) FROM {read})"

        every = relation(source.paths, fields)
        whole = self._types(source, f"SELECT {chosen} FROM {every}")
        for name in twice & whole.keys():
            problems |= self._two_values(source, name, whole[name])
        rounded = [
            name
            for name, digits in inside.items()
            if digits > _DECIMAL_DIGITS and whole.get(name) == "DOUBLE"
        ]
        what = (
            f"decimals of more than {_DECIMAL_DIGITS} digits, which would be rounded. Store it "
            "with fewer, or as text."
        )
        problems |= {name: f"The column {name!r} of {source.name} holds {what}" for name in rounded}
        if len(source.paths) > 1:
            shapes = self._read(
                source,
                f"SELECT MIN(file_name) FROM (SELECT file_name, STRING_AGG({_SHAPE}, ',' ORDER BY "
                f"name) AS shape FROM parquet_schema([{listed(source.paths)}]) GROUP BY "
                "file_name) AS shapes GROUP BY shape",
            )
            given = {str(Path(path).absolute()): path for path in source.paths}
            for (file,) in sorted(shapes, key=str):
                part = given.get(str(Path(str(file)).absolute()), str(file))
                # Partition columns take their type from all parts together.
                own = self._types(source, f"SELECT {chosen} FROM {relation([part], [str(file)])}")
                for column, kind in own.items():
                    alike = kind in (whole[column], '"NULL"') or (
                        is_whole(kind) and is_whole(whole[column])
                    )
                    if not alike and not (hive and column in partitions(source)):
                        problems.setdefault(
                            column,
                            f"The parts of {source.name} hold the column {column!r} as "
                            f"{family(whole[column])} and as {family(kind)} "
                            f"({source.part(part)!r}). Store it alike in all parts.",
                        )
        if any(is_whole(whole[column]) for column in columns):
            problems |= {
                column: problem
                for column, problem in self._periods(source).items()
                if column in columns
            }
        ProblemList(problem for column, problem in problems.items() if column in columns).stop()
        return every, {column: kind for column, kind in whole.items() if column not in problems}

    def _periods(self, source: Source) -> dict[str, str]:
        """Return messages about columns with pandas periods, by column.

        Parquet stores them as whole numbers, with their meaning only in the metadata.
        """
        known = (
            f"SELECT DISTINCT value FROM parquet_kv_metadata([{listed(source.paths)}]) WHERE "
            "key = 'ARROW:schema'"
        )
        found: dict[str, str] = {}
        for (schema,) in self._read(source, known):
            try:
                periods = parquet_periods(bytes(schema))
            except ValueError as error:
                raise InputError(broken(source, str(error))) from None
            for name, frequency in periods.items():
                found[name] = (
                    f"The column {name!r} of {source.name} holds periods of pandas ({frequency}), "
                    "which Parquet stores as whole numbers. Store their text, as astype(str) "
                    "makes it."
                )
        return found

    def _two_values(self, source: Source, name: str, kind: str) -> dict[str, str]:
        """Return {name: message} if a column has different values in folder names and in files,
        otherwise an empty mapping.
        """
        folder = (
            'NULLIF(REGEXP_EXTRACT("sqlrisk part", '
            f"{literal(f'.*/{re.escape(name)}=([^/]+)/')}, 1), {literal(NO_VALUE)})"
        )
        files = (
            f"read_parquet([{listed(source.paths)}], union_by_name = true, hive_partitioning "
            "= false, filename = 'sqlrisk part')"
        )
        differs = f"{quote(name)} IS DISTINCT FROM TRY_CAST(URL_DECODE({folder}) AS {kind})"
        ((part,),) = self._read(source, f'SELECT MIN("sqlrisk part") FROM {files} WHERE {differs}')
        if part is None:
            return {}
        message = (
            f"The folder names of {source.name} give values of {name!r} that differ from those in "
            f"the files, first in {source.part(str(part))!r}. Rename one of the two, or give only "
            f"the files: {source.label}/**/*.parquet."
        )
        return {name: message}

    def _copy(
        self, source: Source, name: str, query: str, columns: Sequence[str], *, numbered: bool
    ) -> str | None:
        """Copy a source into a table. Return the SQL of its record numbers if ``numbered``,
        otherwise None.
        """
        if not numbered:
            self._read(source, f"CREATE {self._kept}TABLE {name} AS\n{query}")
            return None
        number = "rowid" if "rowid" not in map(str.casefold, columns) else _number_beside(columns)
        # A column named rowid hides the table's own. A window without ORDER BY keeps the file's
        # order.
        if number != "rowid":
            query = f"SELECT *, ROW_NUMBER() OVER () - 1 AS {number} FROM (\n{query}\n) AS source"
        # By default records may be stored in any order, which is faster.
        self.run("SET preserve_insertion_order = true")
        self._read(source, f"CREATE TABLE {name} AS\n{query}")
        self.run("SET preserve_insertion_order = false")
        return f"{number} + 1"

    def _parquet_number(self, source: Source) -> str | None:
        """Return the SQL of record numbers over all parts, or None if a column has a name that this
        SQL needs.
        """
        schemas = self._schemas(source)
        hidden = {name.casefold() for names in schemas.values() for name in names}
        if "file_row_number" in hidden:
            return None
        if len(source.paths) == 1:
            return "file_row_number + 1"
        if "file_index" in hidden:
            return None
        rows = self._read(
            source,
            f"SELECT file_name, num_rows FROM parquet_file_metadata([{listed(source.paths)}])",
        )
        found = {str(Path(str(file)).absolute()): int(records) for file, records in rows}
        sizes = [found[str(Path(path).absolute())] for path in source.paths]
        firsts = ", ".join(str(first) for first in accumulate([1, *sizes[:-1]]))
        return f"file_row_number + CAST(([{firsts}])[CAST(file_index AS BIGINT) + 1] AS BIGINT)"

    def _table(self, source: Source) -> str:
        """Return the full SQL name of a table that the user named. Raises InputError if it is
        missing or ambiguous.
        """
        parts = _NAME.findall(source.label)
        names = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts]
        pairs = zip(("table_name", "schema_name"), names[::-1], strict=False)
        where = " AND ".join(f"LOWER({column}) = LOWER({literal(name)})" for column, name in pairs)
        tables = (
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = "
            f"'{DATABASE}'"
        )
        views = (
            "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = "
            f"'{DATABASE}' AND NOT internal"
        )
        known = f"({tables} UNION ALL {views})"
        found = (
            self.run(f"SELECT schema_name, table_name FROM {known} WHERE {where}")
            if len(names) in (1, 2)
            else []
        )
        found = [place for place in found if place[0] == "main"] or found
        if len(found) > 1:
            schemas = ", ".join(sorted(str(schema) for schema, _ in found))
            raise InputError(
                f"The table {source.name} is in several schemas ({schemas}): name one, as "
                "schema.table."
            )
        if not found:
            rows = self.run(f"SELECT schema_name, table_name FROM {known}")
            near = [".".join(map(str, row[-len(names) :])) for row in rows]
            raise InputError(
                f"There is no table {source.name} in the "
                f"database{suggestion('.'.join(names), near)}."
            )
        return ".".join([DATABASE, *(quote(str(part)) for part in found[0])])

    def _types(self, source: Source, query: str) -> dict[str, str]:
        return {str(row[0]): str(row[1]) for row in self._read(source, f"DESCRIBE {query}")}

    def _read(self, source: Source, sql: str) -> list[SqlRow]:
        """Run a statement that reads a source. Raises InputError without values if it fails."""
        try:
            return self.run(sql)
        except EngineError as error:
            if isinstance(error.cause, duckdb.OutOfMemoryException) or (
                error.cause is not None and disk.is_full(error.cause)
            ):
                raise
            if source.kind == "table" and isinstance(
                error.cause, duckdb.BinderException | duckdb.CatalogException
            ):
                raise InputError(UNREADABLE.format(source.name)) from None
            raise InputError(broken(source, str(error.cause))) from None

    def failure(self, sql: str) -> BaseException | None:
        """Run a query and return its error, or None if it succeeds."""

    def _blame(self, error: BaseException) -> None:
        """Raise InputError if a source is at fault."""
        if isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException):
            raise InputError(
                "A column holds values that do not fit the type it has in another file, such as a "
                "date beyond the range of another file's timestamps. Store it alike in all files."
            ) from None
        if isinstance(
            error, duckdb.InvalidInputException | duckdb.IOException | duckdb.SerializationException
        ):
            for source in self._attached:
                if any(path in str(error) for path in source.paths):
                    raise InputError(broken(source, str(error))) from None
        # For most broken pages DuckDB does not name the file, so each is read again on its own.
        if type(error) is duckdb.Error or isinstance(error, duckdb.InvalidInputException):
            for source, query in self._scans:
                if failed := self.failure(f"SELECT MAX(HASH(COLUMNS(*))) FROM ({query})"):
                    raise InputError(broken(source, str(failed))) from None
        if "corrupt" in str(error) or "exceeded total groups" in str(error):
            names = ", ".join(dict.fromkeys(source.name for source, _ in self._scans))
            raise InputError(
                "A Parquet file is broken: its statistics do not match its values. Write "
                f"again: {names}."
            ) from None


def _chosen(columns: Sequence[str]) -> str:
    return ", ".join(map(quote, columns))


def _number_beside(columns: Iterable[str]) -> str:
    """Return a name for the column of record numbers that differs from all ``columns``."""
    hidden = set(map(str.casefold, columns))
    return next(
        each for each in chain(("record",), map("record_{}".format, count(1))) if each not in hidden
    )


def listed(paths: Iterable[str]) -> str:
    """Return paths as a list in SQL, each read as one file."""
    return ", ".join(literal(one_file(path)) for path in paths)


def one_file(path: str) -> str:
    """Return a path that DuckDB reads as one file: glob characters are escaped."""
    path = re.sub(r"[*?\[]", r"[\g<0>]", path)
    return f"./{path}" if path.startswith("~") else path


def _top_level(rows: Iterable[SqlRow]) -> Iterator[tuple[str, int, bool]]:
    """Yield the top-level columns of a Parquet schema, as `Sources._inside` does. Skip nested
    fields, which follow their parent in ``rows``.
    """
    inside = 0  # number of fields of the column that still follow
    for name, children, digits, is_short in rows:
        if not inside:
            yield str(name), int(digits), bool(is_short)
        inside += int(children or 0) - (1 if inside else 0)


def _shortest(value: str) -> str:
    """Return the SQL of the decimal with the fewest digits that a 2-byte float stands for: 0.1,
    where DuckDB reads 0.09997559.
    """
    exact = f"CAST({value} AS DOUBLE)"
    decimals = ", ".join(
        f"CAST(FORMAT('{{:.{digits}e}}', {each}) AS DOUBLE)"
        for digits in range(5)
        for each in (exact, f"1.00001 * {exact}")  # a tie may also be rounded up
    )
    step = "2 ** (GREATEST(FLOOR(LOG2(ABS(sqlrisk_near))), -14) - 10)"  # between 2-byte floats
    stored = f"ROUND_EVEN(sqlrisk_near / {step}, 0) * {step}"
    return (
        f"COALESCE(LIST_FILTER([{decimals}], lambda sqlrisk_near: {stored} = {exact})[1], {exact})"
    )


def _check_names(source: Source, names: Sequence[str]) -> None:
    if not names:
        raise InputError(f"{source.name} has no columns.")
    if not all(names):
        raise InputError(f"{source.name} has a column without a name.")
    first: dict[str, str] = {}
    problems = ProblemList()
    for place, name in enumerate(names):
        other = first.setdefault(name.casefold(), name)
        if other != name:
            problems.append(
                f"{source.name} has the columns {other!r} and {name!r}, which differ only in "
                "case; rename one."
            )
        elif name in names[:place]:
            problems.append(f"{source.name} has the column {name!r} twice; rename one.")
    problems.stop()
