"""The base class of all engines except DuckDB."""

import secrets
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, Unpack

from sqlglot import exp

from sqlrisk.catalogue import user_queries
from sqlrisk.catalogue.dialects import AS_THEY_ARE, Overrides
from sqlrisk.catalogue.templates import quote
from sqlrisk.catalogue.translation import Statement, translate
from sqlrisk.common.errors import EngineError, InputError, ProblemList, suggestion
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.engines.engine import (
    COMPARES,
    Attached,
    Engine,
    Limits,
    Names,
    Reading,
    SqlRow,
    among,
)
from sqlrisk.engines.worker import Worker
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.sources import Source, texts_of_folders

RECORD = "sqlrisk_record"  # the column of a loaded table with the record's number in its file
_VALUELESS = '"NULL"'  # the type of a column without values, which goes with any type
# DuckDB types that a database may lack -> the types that hold their values exactly.
_HELD_AS = {
    "UTINYINT": "SMALLINT", "TINYINT": "SMALLINT", "USMALLINT": "INTEGER", "UINTEGER": "BIGINT",
    "UBIGINT": "DECIMAL(20,0)",
    "HUGEINT": "DECIMAL(38,0)", "UHUGEINT": "DECIMAL(38,0)", "UUID": "VARCHAR", "ENUM": "VARCHAR",
    _VALUELESS: "VARCHAR",
    "TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP", datatypes.INSTANT: datatypes.IN_UTC,
}  # fmt: skip
# (Type that holds values, type found): columns that are still compared by the type found.
_COMPARED_AS_FOUND = {(datatypes.IN_UTC, datatypes.INSTANT), ("VARCHAR", _VALUELESS)}
_HELD = (
    "BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "DATE",
    "TIMESTAMP",
)  # fmt: skip


class TranslatedEngine(Engine, ABC):
    """A session of a database other than DuckDB.

    DuckDB reads files and Python tables, with its usual rules for types, and they are loaded into
    the database. Tables of the database are read directly. The names of stage tables are unique to
    the run. The stage tables are dropped when the session is closed.
    """

    dialect: str
    """The name of its SQL dialect in sqlglot."""
    holds: Sequence[str] = _HELD
    """The families of types that it can store."""
    rewrites_many: ClassVar[bool] = False
    searches_lists: ClassVar[bool] = False

    name_length: int = sys.maxsize
    """The most characters in the name of a column."""
    bytes_of: str = "{}"
    """Format of an SQL expression that compares a text by bytes, without a collation."""

    table_kind: str = "TEMPORARY"
    """What precedes TABLE when a stage table is created."""
    batch_rows: ClassVar[int] = 2**16
    """How many rows `load` gets at a time."""

    def __init__(self, *, scratch: str | None = None, **limits: Unpack[Limits]) -> None:
        """Open a session with stage tables in the schema ``scratch``, or temporary ones.

        ``limits`` are those of the DuckDB that reads the files.
        """
        self.on_wait: Callable[[], None] = lambda: None
        self.loads: list[str] = []
        self._scratch = scratch
        self.prefix = f"sqlrisk_{secrets.token_hex(4)}_"
        self._made: dict[str, None] = {}
        self._kept: list[str] = []  # tables that stay if all ends well, as SQL names them
        self._views: set[str] = set()
        self._as_text: dict[str, dict[str, str]] = {}
        self._unsettled: dict[str, tuple[str, Sequence[str], str | None]] = {}
        try:
            self._files = DuckDB(**limits)
        except BaseException:
            self.close()
            raise
        self._worker = self.worker()
        self._in_own_sql = AS_THEY_ARE
        try:
            self._do(self.open)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        left: list[str] = []
        kept = [] if error is None else self._kept
        self.on_wait = lambda: None  # no progress is shown any more
        with ExitStack() as closing:  # closes in reverse order
            # Closed last: the session may write in its private folder.
            closing.callback(self._files.__exit__, kind, error, trace)
            closing.callback(self.close)
            closing.callback(self._worker.close)
            closing.callback(self._made.clear)
            for place in kept:
                try:
                    self._do(partial(self.execute, f"DROP TABLE IF EXISTS {place}"))
                except EngineError:
                    left.append(place)
            for name in reversed(self._made):
                try:
                    self._do(partial(self.drop, name))
                except EngineError:
                    if self._scratch is not None:  # temporary tables go with the session
                        left.append(self.place(name))
        if left:
            told = (
                f"{self.product} could not drop the tables of this run; drop them by hand: "
                f"{', '.join(left)}."
            )
            raise EngineError(
                f"{error} {told}" if isinstance(error, EngineError) else told
            ) from error

    # ---- what each database does

    def worker(self) -> Worker:
        """Return the worker that runs the statements: a separate thread."""
        return Worker(self.interrupt, self._wait)

    def open(self) -> None:
        """Begin the session. Raises InputError if the schema is missing.

        It runs in the thread that runs statements. So it must not call a method that waits for a
        statement, such as `version`.
        """
        self.execute("SELECT 1")

    @abstractmethod
    def execute(self, sql: str) -> list[SqlRow]:
        """Run a statement in the database's own SQL and return its rows, if any."""

    @abstractmethod
    def select(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        """Run a query that only reads, in the database's own SQL. Return (columns, rows)."""

    def create(self, name: str, query: str) -> None:
        """Create one of our tables from a query."""
        self.execute(f"CREATE {self.table_kind} TABLE {self.place(name)} AS {query}")

    def insert(self, name: str, query: str) -> None:
        """Add the rows of a query to one of our tables."""
        self.execute(f"INSERT INTO {self.place(name)} {query}")

    def drop(self, name: str) -> None:
        """Drop one of our tables or views if it exists."""
        self.execute(
            f"DROP {'VIEW' if name in self._views else 'TABLE'} IF EXISTS {self.place(name)}"
        )

    @abstractmethod
    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        """Create a table from Arrow record batches. ``columns`` maps each name to its DuckDB
        type.
        """

    @abstractmethod
    def table_types(self, source: Source) -> Mapping[str, str]:
        """Return the columns of a database table with their DuckDB types.

        Raises InputError if the table cannot be read.
        """

    @abstractmethod
    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        """Make columns of a database table readable under our name. Texts compare by bytes."""

    @abstractmethod
    def interrupt(self) -> None:
        """Stop the running statement, if any."""

    @abstractmethod
    def close(self) -> None:
        """Close the session, unless the user opened it."""

    @abstractmethod
    def explain(self, error: BaseException) -> str:
        """Explain an error without a value of a record."""

    def place(self, name: str) -> str:
        """Return the name of one of our tables in the database, as SQL."""
        return f"{self.prefix}{name}"

    def table(self, name: str) -> Any:
        """Return one of our tables as a sqlglot tree without an alias, for use in a statement."""
        return exp.to_table(self.place(name), dialect=self.dialect)

    def perform(self, statement: Statement) -> None:
        """Run a statement that creates a table, adds to it, or drops it."""
        name = statement.table or ""
        match statement.kind:
            case "create":
                self.create(name, statement.sql)
            case "insert":
                self.insert(name, statement.sql)
            case "drop":
                self.drop(name)

    def held_as(self, kind: str) -> str:
        """Return the DuckDB type in which this database stores the values of a DuckDB type."""
        return held(kind)

    def refuse_merging(self) -> None:
        """Raise InputError if the database's text comparison, after reading texts through `view`,
        would merge different levels (see `COMPARES`).
        """
        a, upper, padded, empty = map(self.bytes_of.format, ("'a'", "'A'", "'a '", "''"))
        (row,) = self._do(
            lambda: self.execute(f"SELECT {a} = {upper}, {a} = {padded}, {empty} IS NULL")
        )
        merged = [COMPARES[name] for name, answer in zip(COMPARES, row, strict=False) if answer]
        if merged:
            raise InputError(
                f"{self.product} treats different levels as the same ({', '.join(merged)}): "
                "open it with a collation that compares bytes."
            )

    # ---- sources

    def columns(self, source: Source) -> Sequence[str]:
        if source.kind == "table":
            return list(self._do(lambda: self.table_types(source)))
        return self._files.columns(source)

    def labels(self, source: Source) -> Sequence[FileLabels]:
        return self._files.labels(source)

    @property
    def by_label(self) -> frozenset[str]:
        return self._files.by_label

    def read_by_label(self, columns: Collection[str]) -> None:
        self._files.read_by_label(columns)

    def texts_among(self, table: str, column: str, *lists: Collection[str]) -> tuple[int, ...]:
        if table in self._unsettled:
            return self._files.texts_among(self._unsettled[table][0], column, *lists)
        return tuple(map(int, self.run(among(table, column, lists))[0]))

    def missing(self, source: Source) -> Mapping[str, Mapping[str, int]]:
        return self._files.missing(source)

    def left_out(self, source: Source) -> Mapping[str, object]:
        return self._files.left_out(source)

    def attach(self, source: Source, columns: Names, name: str, **how: Unpack[Reading]) -> Attached:
        beside, by = how.get("beside", ()), how.get("by", ())
        numbered = how.get("numbered", False)
        if source.kind == "table":
            if numbered and not by:
                raise InputError(
                    f"The records of the table {source.name} have no order to number them by: "
                    "name a column that identifies them with --id (id), or give files instead."
                )
            known = self._do(lambda: self.table_types(source))
            read = {column: known[column] for column in (*columns, *beside)}
            types = self._handed(read, source, columns)
            self._files.leave_out_columns(source, beside, types)
            self._made[name] = None
            self._views.add(name)
            self._do(lambda: self.view(name, source, types))
            order = ", ".join(quote(column) for column in by)
            number = f"ROW_NUMBER() OVER (ORDER BY {order})" if numbered else None
            return name, {column: read[column] for column in types}, number
        relation, found, record = self._files.attach(
            source, columns, name, beside=beside, numbered=numbered
        )
        found = {**found, **self._whole_microseconds(relation, found)}
        held_as = {column: self.held_as(kind) for column, kind in found.items()}
        types = self._handed(held_as, source, columns)
        self._files.leave_out_columns(source, beside, types)
        self._as_text[name] = {
            column: found[column]
            for column, kind in types.items()
            if _is_text_of(found[column], kind)
        }
        # Their types are settled only after all files have been seen.
        if source.kind == "csv" or texts_of_folders(source, found):
            self._unsettled[name] = relation, list(types), record
        else:
            self._load(name, relation, types, record)
            if source.kind == "frame":  # the name may be loaded again
                self._files.run(f"DROP TABLE {relation}")
        compared = {
            column: found[column] if (kind, found[column]) in _COMPARED_AS_FOUND else kind
            for column, kind in types.items()
        }
        return name, compared, None if record is None else RECORD

    def text_among_numbers(self, tables: Sequence[str], column: str, *, apart: bool) -> bool:
        return self._files.text_among_numbers(tables, column, apart=apart)

    def text_type(self, table: str, column: str, kinds: Sequence[str]) -> str:
        return self._files.text_type(table, column, kinds)

    def held_texts(self, table: str, column: str, kind: str) -> str:
        if not _is_text_of(kind, self.held_as(kind)):
            return kind
        self._as_text[table][column] = kind
        return "VARCHAR"

    def as_text(self, table: str) -> Mapping[str, str]:
        return self._as_text.get(table, {})

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        self.refuse_merging()
        settled = {
            self._unsettled[name][0]: {**each, **self._as_text[name]}
            for name, each in types.items()
            if name in self._unsettled
        }
        self._files.fix_types(settled)
        for name, (relation, columns, record) in self._unsettled.items():
            held_as = {
                column: self.held_as(types.get(name, {}).get(column, "VARCHAR"))
                for column in columns
            }
            self._load(name, relation, held_as, record)
        self._unsettled.clear()

    def _load(self, name: str, relation: str, types: Mapping[str, str], record: str | None) -> None:
        # no nested column is compared, and few databases could store one
        types = {each: kind for each, kind in types.items() if not datatypes.is_nested(kind)}
        if not types:
            return
        chosen = [
            f"CAST({quote(column)} AS {kind}) AS {quote(column)}" for column, kind in types.items()
        ]
        if record is not None:
            chosen.append(f"CAST({record} AS BIGINT) AS {RECORD}")
            types = {**types, RECORD: "BIGINT"}
        batches = self._files.batches(
            f"SELECT {', '.join(chosen)} FROM {relation}", self.batch_rows
        )
        self._made[name] = None
        self._do(lambda: self.load(name, types, batches))

    def _whole_microseconds(self, relation: str, types: Mapping[str, str]) -> dict[str, str]:
        """Return the type TIMESTAMP for each column of nanoseconds that holds only whole
        microseconds.
        """
        fine = [column for column, kind in types.items() if kind == "TIMESTAMP_NS"]
        tests = [
            f"COALESCE(BOOL_AND(EPOCH_NS({quote(column)}) % 1000 = 0), TRUE)" for column in fine
        ]
        found = self._files.run(f"SELECT {', '.join(tests)} FROM {relation}")[0] if tests else ()
        return {column: "TIMESTAMP" for column, whole in zip(fine, found, strict=True) if whole}

    def _handed(self, types: Mapping[str, str], source: Source, columns: Names) -> dict[str, str]:
        """Return the columns whose types and names the database can store, with their types. A
        column without values is stored as text.

        Columns of nested types are returned, but they are not loaded. Raises InputError if one of
        ``columns`` cannot be stored.
        """
        holds = {*self.holds, *([datatypes.INSTANT] if datatypes.IN_UTC in self.holds else [])}
        stored = {
            column: "VARCHAR" if kind == _VALUELESS else kind for column, kind in types.items()
        }
        loaded = [each for each in (*columns, *stored) if not datatypes.is_nested(stored[each])]
        problems = self.cut_alike(loaded, source.name)
        for column in loaded:
            about = f"The column {column!r} of {source.name}"
            if (family := datatypes.family(stored[column])) not in holds:
                problems[column] = (
                    f"{about} holds {family}, which cannot be loaded into {self.product}; store it "
                    "as text or as a number."
                )
            elif len(column) > self.name_length:
                problems[column] = (
                    f"{about} has a name of {len(column)} characters, and {self.product} takes "
                    f"{self.name_length}; rename it."
                )
        ProblemList(problems[column] for column in columns if column in problems).stop()
        return {column: kind for column, kind in stored.items() if column not in problems}

    # ---- statements

    def use_overrides(self, overrides: Callable[[str], Overrides]) -> None:
        self._in_own_sql = overrides(self.dialect)

    def run(self, sql: str) -> list[SqlRow]:
        statement = translate(sql, self.dialect, self.table, own=self._in_own_sql)
        if statement.table is None:
            return [
                tuple(map(_plain, row)) for row in self._do(lambda: self.execute(statement.sql))
            ]
        if statement.kind == "create":
            self._made[statement.table] = None
        self._do(lambda: self.perform(statement))
        if statement.kind == "drop":
            self._made.pop(statement.table, None)
        return []

    def translated(self, queries: Mapping[str, str]) -> dict[str, str]:
        """Return queries over our tables in the database's own SQL."""
        return {
            name: translate(query, self.dialect, self.table, own=self._in_own_sql).sql
            for name, query in queries.items()
        }

    def answer(self, statement: str, queries: Mapping[str, str]) -> tuple[list[str], list[SqlRow]]:
        read = user_queries.needed(user_queries.tables_read(statement, self.dialect), queries)
        sql = user_queries.with_queries(
            statement.rstrip().rstrip(";"),
            {name: self._named_query(name, query, read) for name, query in read.items()},
        )
        try:
            columns, rows = self._do(lambda: self.select(sql))
        except EngineError as error:
            raise InputError(f"The query cannot be run: {self.refused(error)}") from None
        return columns, [tuple(map(_plain, row)) for row in rows]

    def _named_query(self, name: str, query: str, others: Collection[str]) -> str:
        """Translate a named query, which may read our tables and the other named queries."""

        def place(read: str) -> Any:
            return exp.to_table(read) if read in others and read != name else self.table(read)

        return translate(query, self.dialect, place, own=self._in_own_sql).sql

    def refused(self, error: EngineError) -> str:
        """Explain why the user's own query failed, without a value of a record."""
        return str(error)

    def _do(self, statement: Callable[[], Any]) -> Any:
        done = self._worker.do(statement)
        error = done.exception()
        if error is None or isinstance(error, InputError | EngineError):
            return done.result()
        raise EngineError(self.explain(error), error)

    def _wait(self) -> None:
        self.on_wait()

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        ((found,),) = self.run(
            f"SELECT COUNT(*) FROM (SELECT DISTINCT {', '.join(columns)} FROM {table}) AS seen"
        )
        return int(found)


def _is_text_of(kind: str, held_by: str) -> bool:
    """Return True if a database stores a date, time, instant or BOOLEAN as text, because it lacks
    the type.
    """
    return held_by == "VARCHAR" and (
        kind in (datatypes.INSTANT, "BOOLEAN") or datatypes.is_date(kind)
    )


def failed_transaction() -> InputError:
    """Return the error for a connection whose user has to end a failed transaction."""
    return InputError(
        "A statement has failed in the open transaction of this connection: call its rollback() "
        "first."
    )


def refuse_schema(schema: str, held: Names | None) -> None:
    """Raise InputError if a run cannot keep its tables in a schema. ``held`` are the tables of this
    run that already exist there, or None if it cannot make tables there.
    """
    if held is None:
        raise InputError(
            f"save: the database has no schema {schema!r}, or this user may not make tables "
            "in it; make one that only people with access to the original can read."
        )
    if held:
        raise InputError(
            f"save: the schema {schema!r} already holds {', '.join(held)}; drop these tables, "
            "or name another schema."
        )


def missing_table(source: Source, known: Sequence[str]) -> InputError:
    """Return the error for a table that is missing, or that is in ``known`` (the database's tables)
    but unreadable.
    """
    if source.label in known:
        why = (
            "its name needs quotes, it is in another schema, it is a view of a table that "
            "does not exist, or this user may not read it"
        )
        return InputError(f"{source.name} cannot be read: {why}.")
    return InputError(
        f"There is no table {source.name}{suggestion(source.label, known)}, or this user may not "
        "read it."
    )


def held(kind: str) -> str:
    """Replace a DuckDB type that databases may lack by one that holds its values exactly, such as
    HUGEINT by DECIMAL(38,0). Return any other type unchanged.
    """
    return _HELD_AS.get(datatypes.family(kind), kind)


def read_as(kind: str) -> str:
    """Return the DuckDB type of a column that is read in place, without loading it: the type from
    `held`. But instants and columns without values keep their type.
    """
    return kind if kind in (datatypes.INSTANT, _VALUELESS) else held(kind)


def _plain(value: Any) -> Any:
    """Return a value as DuckDB would return it: a sum of whole numbers as int."""
    return int(value) if isinstance(value, Decimal) and value.as_tuple().exponent == 0 else value
