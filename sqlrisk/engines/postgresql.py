"""PostgreSQL through psycopg. Stage tables are temporary, or unlogged in a scratch schema."""

import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime
from typing import Any, Unpack
from urllib.parse import urlsplit

import psycopg
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from pyarrow.csv import WriteOptions, write_csv

from sqlrisk.catalogue.templates import quote
from sqlrisk.catalogue.translation import table_named
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.engines.engine import Limits, Names, SqlRow
from sqlrisk.engines.translated import (
    TranslatedEngine,
    failed_transaction,
    missing_table,
    refuse_schema,
)
from sqlrisk.inputs.datatypes import INSTANT
from sqlrisk.inputs.sources import Source

# PostgreSQL's names of types -> DuckDB's. Other types cannot be read.
_TYPES = {
    "bool": "BOOLEAN", "int2": "SMALLINT", "int4": "INTEGER", "int8": "BIGINT", "float4": "FLOAT",
    "float8": "DOUBLE",
    "text": "VARCHAR", "varchar": "VARCHAR", "bpchar": "VARCHAR", "name": "VARCHAR",
    "citext": "VARCHAR", "uuid": "VARCHAR",
    "date": "DATE", "timestamp": "TIMESTAMP", "timestamptz": INSTANT, "e": "VARCHAR",
}  # fmt: skip
# Settings of the session. Instants are cast to times in this zone, and files are loaded as UTF-8.
# Dates and floating-point numbers have the same text everywhere.
_SESSION = {
    "TimeZone": "UTC",
    "client_encoding": "UTF8",
    "DateStyle": "ISO",
    "extra_float_digits": "1",
}
# Settings of the planner while one of our tables is made. Use nested loops only for joins without
# an alternative: for a join on two columns, the planner expects one row and then loops over
# thousands.
_JOINED = {"enable_nestloop": "off"}
# Rows leave the workers at less cost than the planner believes.
_PARALLEL = {"parallel_tuple_cost": "0.001", "parallel_setup_cost": "10"}
# First word of a table's name -> more settings. Cells are counted from sorted records, because
# most hash tables of cells would spill.
_PLANNED = {"cells": {"enable_hashagg": "off"}} | dict.fromkeys(
    ("records", "values", "levels", "sampled"), _PARALLEL
)
_DDL = {"FLOAT": "REAL", "DOUBLE": "DOUBLE PRECISION", "VARCHAR": 'TEXT COLLATE "C"'}


class PostgreSQL(TranslatedEngine):
    """A session of a PostgreSQL database."""

    dialect = "postgres"
    product = "PostgreSQL"
    keeps_tables = True
    name_bytes = 63
    bytes_of = 'CAST({} AS TEXT) COLLATE "C"'

    def __init__(
        self, engine: Any, *, scratch: str | None = None, **limits: Unpack[Limits]
    ) -> None:
        """Connect, or use the user's own connection, which stays open. Raises InputError if that
        fails, or if the schema ``scratch`` is missing.

        ``engine`` is an address ``postgresql://...`` (password from PGPASSWORD or a password file),
        or a connection of psycopg or SQLAlchemy. If ``scratch`` is None, stage tables are
        temporary.
        """
        # From the pool of an SQLAlchemy Engine.
        self._pooled = engine.raw_connection() if hasattr(engine, "raw_connection") else None
        self._own = isinstance(engine, str)
        self._connection = _connect(engine if self._pooled is None else self._pooled)
        self._former: dict[str, object] = {}  # the user's settings
        self.table_kind = "TEMPORARY" if scratch is None else "UNLOGGED"
        super().__init__(scratch=scratch, **limits)

    def open(self) -> None:
        if self._connection.info.transaction_status == TransactionStatus.INERROR:
            raise failed_transaction()
        schema = self._scratch
        if schema is not None and not self.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]
        ):
            raise InputError(
                f"scratch: the database has no schema {schema!r}, or this user may not see it."
            )
        self._former = self._settings(_SESSION)
        self._set(_SESSION)

    def create(self, name: str, query: str) -> None:
        with self._planned(name):
            super().create(name, query)
        self._analyze(name)

    def insert(self, name: str, query: str) -> None:
        with self._planned(name):
            super().insert(name, query)
        self._analyze(name)

    @contextmanager
    def _planned(self, name: str) -> Iterator[None]:
        """Change planner settings during the block, within the user's transaction if one is
        open.
        """
        settings = _JOINED | _PLANNED.get(name.partition("_")[0], {})
        with self._connection.transaction():
            before = self._settings(settings)
            self._set(settings, local=True)
            yield
            self._set(before, local=True)

    def _settings(self, names: Collection[str]) -> dict[str, object]:
        (values,) = self.execute(
            f"SELECT {', '.join('current_setting(%s)' for _ in names)}", [*names]
        )
        return dict(zip(names, values, strict=True))

    def _set(self, settings: Mapping[str, object], *, local: bool = False) -> None:
        """Change settings, for the session or only for the open transaction (``local``)."""
        each = f"set_config(%s, %s, {str(local).lower()})"
        values = [part for setting in settings.items() for part in setting]
        self.execute(f"SELECT {', '.join(each for _ in settings)}", values)

    def _analyze(self, name: str) -> None:
        """Run ANALYZE on a table, since autovacuum has not yet seen it."""
        self.execute(f"ANALYZE {self.place(name)}")

    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        made = ", ".join(
            f"{quote(column)} {_DDL.get(kind, kind)}" for column, kind in columns.items()
        )
        self.execute(f"CREATE {self.table_kind} TABLE {self.place(name)} ({made})")
        # Arrow writes missing values without quotes and empty texts with quotes.
        command = f"COPY {self.place(name)} FROM STDIN (FORMAT csv)"
        with (
            self._connection.transaction(),
            self._connection.cursor() as cursor,
            cursor.copy(command) as copy,
        ):
            for batch in batches:
                piece = io.BytesIO()
                write_csv(batch, piece, WriteOptions(include_header=False))
                copy.write(piece.getvalue())
        self._analyze(name)

    def table_types(self, source: Source) -> Mapping[str, str]:
        rows = self.execute(
            "SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'e' ELSE t.typname END, a.atttypmod "
            "FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = "
            "to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            [_table(source)],
        )
        if not rows:
            known = self.execute(
                "SELECT relname, nspname || '.' || relname FROM pg_class JOIN pg_namespace AS n ON "
                "n.oid = relnamespace WHERE relkind IN ('r', 'v', 'm', 'p', 'f')"
            )
            with_schema = "." in source.label
            raise missing_table(source, [str(each[with_schema]) for each in known])
        return {str(column): _named(str(kind), modifier) for column, kind, modifier in rows}

    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        read = []
        for column, kind in columns.items():
            quoted = quote(column)
            value = self.bytes_of.format(quoted) if kind == "VARCHAR" else quoted
            read.append(f"{value} AS {quoted}")
        kind = "TEMPORARY VIEW" if self._scratch is None else "VIEW"
        self.execute(
            f"CREATE {kind} {self.place(name)} AS SELECT {', '.join(read)} FROM {_table(source)}"
        )

    def refuse_kept(self, schema: str, names: Names) -> None:
        rows = self._do(
            lambda: self.execute(
                "SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = %s",
                [schema],
            )
        )
        if rows != [(True,)]:
            refuse_schema(schema, None)
        held = self._do(
            lambda: self.execute(
                "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
                "WHERE nspname = %s AND relname = ANY(%s) ORDER BY relname",
                [schema, [*names]],
            )
        )
        refuse_schema(schema, [name for (name,) in held])

    def keep(self, schema: str, queries: Mapping[str, str]) -> None:
        places = {name: f"{quote(schema)}.{quote(name)}" for name in queries}
        read = self.translated(queries)

        def make() -> None:
            with self._connection.transaction():
                for name, query in read.items():
                    self.execute(f"CREATE TABLE {places[name]} AS {query}")

        self._do(make)
        self._kept = [*places.values()]

    def version(self) -> str:
        ((text,),) = self._do(lambda: self.execute("SHOW server_version"))
        return str(text)

    def interrupt(self) -> None:
        self._connection.cancel_safe(timeout=5)

    def close(self) -> None:
        if not self._own and self._former:
            with suppress(psycopg.Error):
                self._set(self._former)
        if self._pooled is not None:
            self._pooled.close()  # back to its pool
        if self._own:
            with suppress(psycopg.Error):
                self._connection.close()

    def place(self, name: str) -> str:
        if self._scratch is None:
            return super().place(name)
        return f"{quote(self._scratch)}.{super().place(name)}"

    def explain(self, error: BaseException) -> str:
        # Messages of the server may quote records.
        match error:
            case psycopg.errors.InsufficientPrivilege():
                return (
                    "PostgreSQL: this user may not make temporary tables, or not write to the "
                    "scratch schema; ask for TEMPORARY on the database or CREATE on the schema."
                )
            case (
                psycopg.errors.DiskFull()
                | psycopg.errors.OutOfMemory()
                | psycopg.errors.ConfigurationLimitExceeded()
            ):
                return "PostgreSQL ran out of disk space or memory: make room on the server."
            case psycopg.errors.TooManyColumns() | psycopg.errors.ProgramLimitExceeded():
                return (
                    "PostgreSQL holds at most 1,600 columns in a table, fewer if its rows are "
                    "long, some of them for the run: leave columns that are not needed out of the "
                    "files, or run without --engine."
                )
            case psycopg.errors.QueryCanceled():
                return (
                    "PostgreSQL cancelled a statement: it took longer than the server allows "
                    "(statement_timeout)."
                )
            case psycopg.errors.UntranslatableCharacter():
                return (
                    "PostgreSQL: the encoding of this database lacks characters that the run "
                    "needs; use a database in UTF8, or run without --engine."
                )
            case psycopg.errors.CharacterNotInRepertoire():
                return (
                    "A file holds text with a NUL character, which PostgreSQL cannot store; "
                    "remove the character."
                )
            case psycopg.OperationalError() if self._connection.closed:
                return (
                    "The connection to PostgreSQL was lost; its temporary tables are gone with it."
                )
        state = getattr(error, "sqlstate", None)
        return f"PostgreSQL failed ({type(error).__name__}{f', {state}' if state else ''})."

    def execute(self, sql: str, values: list[object] | None = None) -> list[SqlRow]:
        # Within a transaction of the user's this is a savepoint, so a failed statement does not end
        # it.
        with self._connection.transaction(), self._cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall()) if cursor.description is not None else []

    def select(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        with self._connection.transaction(), self._cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")  # also for statements inside functions
            cursor.execute(sql)
            return [each.name for each in cursor.description], list(cursor.fetchall())

    def _cursor(self) -> Any:
        """Return a cursor whose rows are tuples, even if those of the user's connection are not.
        Dates that Python cannot hold are texts.
        """
        cursor = self._connection.cursor(row_factory=tuple_row)
        for kind in ("date", "timestamp", "timestamptz"):
            cursor.adapters.register_loader(kind, _DateOrText)
        return cursor

    def refused(self, error: EngineError) -> str:
        # Messages of this class are about names and syntax. Others may quote values.
        cause = error.cause
        if isinstance(cause, psycopg.Error) and (cause.sqlstate or "").startswith("42"):
            return f"{cause.diag.message_primary}."
        return super().refused(error)


class _DateOrText(Loader):
    """Read a date or time. If Python cannot hold it (infinity, or a year before 1 or after 9999),
    keep the database's text.
    """

    def load(self, data: Any) -> date | str:
        text = bytes(data).decode()
        try:
            return (datetime if " " in text else date).fromisoformat(text)
        except ValueError:
            return text


def _connect(engine: Any) -> Any:
    """Return a psycopg connection. Raises InputError if connecting fails, without the password in
    the message.
    """
    if isinstance(engine, psycopg.Connection):
        return engine
    if not isinstance(engine, str):
        return _of_sqlalchemy(engine)
    place = urlsplit(engine)
    try:
        connection = psycopg.connect(engine, autocommit=True, application_name="sqlrisk")
        # Compiling a statement that runs once costs more than it saves.
        connection.execute("SET jit = off")
    except psycopg.Error as error:
        where = (
            f"the database {place.path.lstrip('/') or place.username or ''!r} at "
            f"{place.hostname or 'this machine'}"
        )
        raise InputError(f"PostgreSQL: {where} cannot be opened: {_reason(error)}") from None
    return connection


def _of_sqlalchemy(engine: Any) -> Any:
    """Return the psycopg connection inside an SQLAlchemy connection, which may be pooled. Raises
    InputError if its driver is not psycopg 3.
    """
    raw = engine if hasattr(engine, "driver_connection") else getattr(engine, "connection", engine)
    driver = getattr(raw, "driver_connection", raw)
    if not isinstance(driver, psycopg.Connection):
        raise InputError(
            f"A {type(driver).__module__.partition('.')[0]} connection is not one of psycopg "
            "3; with SQLAlchemy, write the address as postgresql+psycopg://..."
        )
    return driver


def _reason(error: psycopg.Error) -> str:
    text = str(error).lower()
    if "password" in text or "authentication" in text:
        return "the server refuses this user; check the user's name and PGPASSWORD."
    if "does not exist" in text:
        return "the server has no such database or user."
    return "no server answers there; check host and port."


def _table(source: Source) -> str:
    """Return the quoted name of a table that the user typed, with its schema if given."""
    parts = table_named(source.label, "postgres").parts
    return ".".join(quote(part.name if part.quoted else part.name.lower()) for part in parts)


def _named(kind: str, modifier: int) -> str:
    """Return DuckDB's name of a type. A type that cannot be read keeps PostgreSQL's name, in
    capitals. DuckDB has no type for a numeric without a precision.
    """
    if kind != "numeric":
        return _TYPES.get(kind, kind.upper())
    if modifier < 0:
        return "NUMERIC without digits"
    return f"DECIMAL({(modifier - 4) >> 16},{(modifier - 4) & 0x7FF})"
