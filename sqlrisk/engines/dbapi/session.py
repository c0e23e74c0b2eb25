"""A session of any database with a DB-API 2.0 driver.

`sqlrisk.engines.dbapi.products` says how the products differ.
"""

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, Unpack

import sqlglot
from sqlglot import exp

from sqlrisk.catalogue.translation import STORED, Statement, table_named, write
from sqlrisk.common.errors import InputError
from sqlrisk.engines.dbapi.addresses import opened
from sqlrisk.engines.dbapi.connections import Connected, of_user
from sqlrisk.engines.dbapi.literals import rows_of
from sqlrisk.engines.engine import Attached, Limits, Names, Reading, SqlRow
from sqlrisk.engines.translated import (
    TranslatedEngine,
    failed_transaction,
    held,
    missing_table,
    read_as,
)
from sqlrisk.engines.worker import Here, Worker
from sqlrisk.inputs.datatypes import INSTANT
from sqlrisk.inputs.sources import Source

# An error code of a driver. The driver's message is not shown, because it may quote a record.
_CODE = re.compile(r"[A-Za-z0-9_]{1,40}")
_BIGINT_DIGITS = 18
_APART = 2  # distinct texts that a collation must find in a pair
# Pairs of texts that some collations treat as equal, under their names in `COMPARES`.
_PAIRS = {"case_folded": ("a", "A"), "trailing_blanks_ignored": ("a", "a ")}


class DbApi(TranslatedEngine):
    """A session with a database, over the user's connection or one opened from an address.

    It reads the user's tables in subqueries: not every user may create views, and not every
    database has temporary ones.
    """

    def __init__(
        self, engine: Any, *, scratch: str | None = None, **limits: Unpack[Limits]
    ) -> None:
        """Connect, or use the user's own connection, which stays open. Raises InputError if that
        fails.

        ``engine`` is an address, a DB-API connection, or an SQLAlchemy engine or connection.
        ``scratch`` is the schema to make tables in. If it is None, they are temporary.
        """
        writes = scratch is not None
        self._connected: Connected = (
            opened(engine, writes=writes) if isinstance(engine, str) else of_user(engine)
        )
        self._traits = self._connected.product
        self._connection = self._connected.connection
        self.product, self.dialect, self.holds = (
            self._traits.name,
            self._traits.dialect,
            self._traits.holds,
        )
        self.name_length, self.name_bytes = self._traits.name_length, self._traits.name_bytes
        self._ways = {
            "VARCHAR": self._traits.bytes_of,
            **dict.fromkeys(("FLOAT", "DOUBLE"), self._traits.floats),
            INSTANT: self._traits.instants,
        }
        self._cursor: Any = None
        self._read: list[str] = []  # the columns of the last answer
        self._ends = False  # True if an open transaction is ours to end
        self._unprepare: Callable[[], object] = lambda: None
        self._former: list[SqlRow] = []
        self._number: object = None  # of the session, to cancel its statements
        # Table of the database -> column as stored -> type.
        self._described: dict[str, dict[str, str]] = {}
        # Table of the database -> column as it is called here -> column as stored.
        self._stored: dict[str, dict[str, str]] = {}
        self._selects: dict[str, str] = {}  # our name of a table -> the subquery that stands for it
        self._texts: dict[str, list[str]] = {}  # what FROM reads -> its text columns
        try:
            self._schema = ""
            if scratch is not None:
                self._schema = f"{table_named(scratch, self.dialect).sql(self.dialect)}."
            if scratch is None and self._traits.temporary is None:
                raise InputError(
                    f"{self.product} keeps no temporary tables from one statement to the next: "
                    "name a schema with --scratch in which this user may make tables; they are "
                    "dropped at the end."
                )
        except InputError:
            self._connected.release()
            raise
        self.table_kind = "" if scratch is not None else str(self._traits.temporary)
        super().__init__(scratch=scratch, **limits)

    # ---- the session

    def worker(self) -> Worker:
        # A connection of SQLite may be used by one thread only.
        watch = getattr(self._connection, "set_progress_handler", None)
        return super().worker() if watch is None else Here(watch, self._wait)

    def open(self) -> None:
        self._cursor = self._connection.cursor() if self._traits.cursors else self._connection
        self._ends = self._is_idle() if self._traits.transactions else False
        if self._traits.former and not self._connected.own:
            self._former = self.execute(self._traits.former)
        self._unprepare = self._connected.prepare()
        for setting in self._traits.settings:
            self.execute(setting)
        if self._traits.session and self._connected.again is not None:
            ((self._number,),) = self.execute(self._traits.session)

    def _is_idle(self) -> bool:
        """Return False if the user has an open transaction, which a statement of ours could end.

        Raises InputError if a statement has failed in this transaction.
        """
        if self._connected.own:
            return True
        within = getattr(self._connection, "in_transaction", None)
        if within is None:  # if nothing can tell, assume one is open
            try:
                within = self._fetch(self._traits.within)[0][0] if self._traits.within else True
            except Exception as error:
                if _code(error) == "25P02":  # in_failed_sql_transaction
                    raise failed_transaction() from None
                raise
        return not within

    def version(self) -> str:
        ((text,),) = self._do(lambda: self.execute(self._traits.version))
        return str(text)

    def execute(self, sql: str) -> list[SqlRow]:
        guarded = (
            self._traits.savepoints
            and not self._ends
            and getattr(self._connection, "autocommit", False) is not True
        )
        if guarded:  # a failed statement must not end the user's transaction
            self._fetch("SAVEPOINT sqlrisk")
        try:
            rows = self._fetch(sql)
        except Exception:
            with suppress(Exception):
                if self._ends:
                    self._connection.rollback()
                elif guarded:
                    self._fetch("ROLLBACK TO SAVEPOINT sqlrisk")
            raise
        if self._ends:
            self._connection.commit()
        elif guarded:
            self._fetch("RELEASE SAVEPOINT sqlrisk")
        return rows

    def select(self, sql: str) -> tuple[list[str], list[SqlRow]]:
        rows = self.execute(sql)
        return self._read, rows

    def _fetch(self, sql: str) -> list[SqlRow]:
        self._cursor.execute(sql)
        if not self._cursor.description:
            return []
        self._read = [str(name) for name, *_ in self._cursor.description]
        rows = [
            each.values() if isinstance(each, Mapping) else each for each in self._cursor.fetchall()
        ]
        if rows and len(rows[0]) < len(self._read):
            raise InputError(
                "The connection returns rows as dicts, which lose columns of the same name: pass "
                "one whose rows are tuples."
            )
        return [tuple(map(_with_infinity, row)) for row in rows]

    def interrupt(self) -> None:
        """Stop the statement through the driver, or through a second session.

        If neither is possible, the statement runs to its end.
        """
        for owner, name in (
            (self._connection, "cancel"),
            (self._connection, "interrupt"),
            (self._cursor, "cancel"),
        ):
            if callable(way := getattr(owner, name, None)):
                way()
                return
        if self._number is not None and self._connected.again is not None:
            second = self._connected.again()
            try:
                second.cursor().execute(self._traits.cancel.format(self._number))
            finally:
                second.close()

    def close(self) -> None:
        with suppress(Exception):  # if the connection is lost there is nothing to restore
            self._unprepare()
            for (statement,) in self._former:
                self.execute(statement)
        with suppress(Exception):
            if self._traits.cursors:
                self._cursor.close()
        with suppress(Exception):
            self._connected.release()

    def explain(self, error: BaseException) -> str:
        if not self._worker.do(self._answers).result():
            gone = "; its temporary tables are gone with it" if self._scratch is None else ""
            return f"The connection to {self.product} was lost{gone}."
        code = _code(error)
        told = f", {code}" if code else ""
        where = "temporary tables" if self._scratch is None else f"tables in {self._scratch}"
        return (
            f"{self.product} failed ({type(error).__name__}{told}): check that this user may "
            f"read the tables and make {where}, and that the server has room."
        )

    # ---- our tables

    def place(self, name: str) -> str:
        return f"{self._schema or self._traits.prefix}{super().place(name)}"

    def table(self, name: str) -> Any:
        if name not in self._selects:
            return super().table(name)
        return exp.Subquery(this=sqlglot.parse_one(self._selects[name], dialect=self.dialect))

    def perform(self, statement: Statement) -> None:
        name = statement.table or ""
        if statement.kind == "drop":
            self._drop(name)
            return
        self.execute(write(statement, self.dialect, self.place(name), kind=self.table_kind))

    def drop(self, name: str) -> None:
        # Only at the end of a session: a new connection lacks the settings that a run needs.
        try:
            self._drop(name)
        except Exception:
            if self._scratch is None or not self._reconnect():
                raise
            self._drop(name)

    def _drop(self, name: str) -> None:
        if self._selects.pop(name, None) is None:
            kind = self._traits.dropped if self._scratch is None else ""
            self.execute(f"DROP {f'{kind} '.lstrip()}TABLE IF EXISTS {self.place(name)}")

    def _reconnect(self) -> bool:
        """Reopen a lost connection if possible, and return True if it was reopened.

        Tables of a scratch schema survive the loss.
        """
        again = self._connected.again
        if again is None or self._answers():
            return False
        with suppress(Exception):
            self._connected.release()
        self._connection = again()
        self._connected = replace(
            self._connected, connection=self._connection, release=self._connection.close
        )
        self._cursor = self._connection.cursor()
        return True

    def _answers(self) -> bool:
        try:
            self._fetch("SELECT 1")
        except Exception:
            return False
        return True

    def load(self, name: str, columns: Mapping[str, str], batches: Any) -> None:
        made = ", ".join(
            f"{self._quote(column)} {self._ddl(kind)}" for column, kind in columns.items()
        )
        kind = f"{self.table_kind} TABLE".strip()
        self.execute(f"CREATE {kind} {self.place(name)} ({made}){STORED.get(self.dialect, '')}")
        self._texts[self.place(name)] = [
            self._quote(column) for column, kind in columns.items() if kind == "VARCHAR"
        ]
        for rows in rows_of(self._traits, [*columns.values()], batches):
            self.execute(f"INSERT INTO {self.place(name)} VALUES {', '.join(rows)}")

    def held_as(self, kind: str) -> str:
        kind = held(kind)
        return "VARCHAR" if kind in ("BOOLEAN", "TIMESTAMP") and kind not in self.holds else kind

    def _ddl(self, kind: str) -> str:
        written = self._traits.ddl.get(kind)
        return written or str(exp.DataType.build(kind, dialect="duckdb").sql(self.dialect))

    def _quote(self, name: str) -> str:
        if "\0" in name:
            raise InputError("A column name holds a NUL character; rename the column.")
        return str(exp.to_identifier(name, quoted=True).sql(self.dialect))

    # ---- tables of the database

    def columns(self, source: Source) -> Sequence[str]:
        if source.kind != "table":
            return super().columns(source)
        known = self._do(lambda: self._describe(source))
        called = {name: _called(name, self.typed, known, self._traits.case) for name in known}
        self._stored[source.label] = {name: stored for stored, name in called.items()}
        return list(called.values())

    def attach(self, source: Source, columns: Names, name: str, **how: Unpack[Reading]) -> Attached:
        if source.kind == "table" and self._traits.seen:  # a column's type is that of its values
            known = self._do(lambda: self._describe(source))
            every = (*columns, *how.get("beside", ()))
            stored = [self._stored_name(source, column) for column in every]
            seen = ", ".join(self._traits.seen.format(self._quote(column)) for column in stored)
            (found,) = self._do(lambda: self.execute(f"SELECT {seen} FROM {self._table(source)}"))
            for column, kinds in zip(stored, found, strict=True):
                known[column] = self._named(",".join(sorted((kinds or "").split(","))))
        return super().attach(source, columns, name, **how)

    def table_types(self, source: Source) -> Mapping[str, str]:
        known = self._describe(source)
        stored = self._stored.get(source.label)
        return known if stored is None else {column: known[name] for column, name in stored.items()}

    def view(self, name: str, source: Source, columns: Mapping[str, str]) -> None:
        read = []
        for column, kind in columns.items():
            stored = self._quote(self._stored_name(source, column))
            way = self._ways.get(kind, self._traits.reads)
            read.append(f"{way.format(stored, type=self._ddl(kind))} AS {self._quote(column)}")
        self._selects[name] = f"SELECT {', '.join(read)} FROM {self._table(source)}"
        texts = [self._quote(column) for column, kind in columns.items() if kind == "VARCHAR"]
        self._texts[f"({self._selects[name]}) AS source"] = texts

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        super().fix_types(types)
        self.refuse_merging()  # check again, now with the tables that files were copied into

    def refuse_merging(self) -> None:
        """Raise InputError if the database's text comparison would treat different levels as equal,
        in a table that was read or made.

        The check adds two texts to a column by UNION, which gives them the column's collation. A
        collation that ignores trailing blanks is accepted if no text has any.
        """
        for place, texts in self._texts.items():
            if texts:
                merged = self._do(partial(self._merged, place, texts))
                if merged:
                    raise InputError(
                        f"{self.product} treats different levels as the same "
                        f"({', '.join(merged)}): give these columns a collation that compares "
                        "bytes."
                    )
        self._texts.clear()

    def _merged(self, place: str, texts: Sequence[str]) -> list[str]:
        counts = ", ".join(f"COUNT(DISTINCT {text})" for text in texts)
        asking = [
            (
                f"SELECT '{name}' AS pair, {counts} FROM (SELECT {', '.join(texts)} FROM {place} "
                "WHERE 1 = 0"
            )
            + "".join(f" UNION ALL SELECT {', '.join(_text(each) for _ in texts)}" for each in pair)
            + ") AS asked"
            for name, pair in _PAIRS.items()
        ]
        merged = [
            str(name)
            for name, *apart in self.execute(" UNION ALL ".join(asking))
            if min(map(int, apart)) < _APART
        ]
        if "trailing_blanks_ignored" in merged:
            ending = " OR ".join(f"{text} LIKE '% '" for text in texts)
            ((held_by,),) = self.execute(f"SELECT COUNT(*) FROM {place} WHERE {ending}")
            if not held_by:
                merged.remove("trailing_blanks_ignored")
        return merged

    def _describe(self, source: Source) -> dict[str, str]:
        if source.label in self._described:
            return self._described[source.label]
        table = table_named(source.label, self.dialect)
        schema = table.args.get("db")
        text = {
            "table": table.sql(self.dialect),
            "text": _text(table.sql(self.dialect)),
            "name": _text(table.name),
            "schema": "".join(f"{part.sql(self.dialect)}." for part in table.parts[:-1]),
            "schema_text": _text(schema.name) if schema else "NULL",
        }
        try:
            rows = self.execute(self._traits.describe.format(**text))
        except Exception:
            self._fetch("SELECT 1")  # if the connection is lost, the error says so
            rows = []
        if not rows:
            raise missing_table(source, [str(row[0]) for row in self.execute(self._traits.tables)])
        # A row without a type ends the columns, unless columns may have none. Databricks lists
        # those of the partitions after it.
        untyped = "" in self._traits.types
        rows = list(takewhile(lambda row: untyped or row[1], rows))
        self._described[source.label] = {str(row[0]): self._named(str(row[1])) for row in rows}
        return self._described[source.label]

    def _named(self, kind: str) -> str:
        """Return DuckDB's name for a type. A type that cannot be read keeps its own name, in
        capitals.
        """
        if not self._traits.types:
            return read_as(kind)
        plain = kind.lower().removesuffix(" zerofill")  # how clients of MariaDB show a number
        for around in ("lowcardinality", "nullable"):  # wrappers of ClickHouse, in this order
            plain = re.sub(rf"^{around}\((.*)\)$", r"\1", plain)
        bare = re.sub(r"\(.*\)", "", plain, flags=re.DOTALL).strip()
        found = read_as(self._traits.types.get(bare, kind.upper()))
        digits = re.search(r"\((\d+)(?:,\s*(-?\d+))?\)", plain)
        # Snowflake stores whole numbers as NUMBER without decimals.
        if found == "NUMBER" and digits and int(digits[2] or 0) == 0:
            return "HUGEINT" if int(digits[1]) > _BIGINT_DIGITS else "BIGINT"
        if found not in ("DECIMAL", "NUMBER"):
            return found
        return f"DECIMAL({digits[1]},{digits[2] or 0})" if digits else "NUMERIC without digits"

    def _stored_name(self, source: Source, column: str) -> str:
        return self._stored.get(source.label, {}).get(column, column)

    def _table(self, source: Source) -> str:
        return str(table_named(source.label, self.dialect).sql(self.dialect))


def _code(error: BaseException) -> str:
    """Return the code of a driver's error, or an empty text if it has none."""
    names = ("sqlstate", "pgcode", "errno", "sqlite_errorname", "code")
    codes = [getattr(error, name, None) for name in names]
    first = error.args[0] if error.args else None
    codes.append(
        first.get("C") if isinstance(first, dict) else first if isinstance(first, int) else None
    )
    return next(
        (str(code) for code in codes if code is not None and _CODE.fullmatch(str(code))), ""
    )


def _called(stored: str, typed: Names, known: Mapping[str, str], case: str) -> str:
    """Return the name of a column as the scenario writes it, if the database would accept that
    spelling. Otherwise return the stored name.

    If the database turns unquoted names into capitals, a stored name in capitals is returned in
    lower case, as users write it.
    """
    folds: Callable[[str], str] = {
        "lower": str.lower,
        "upper": str.upper,
        "ignored": str.lower,
    }.get(case, str)
    for name in typed:
        if (
            name != stored
            and name not in known
            and folds(name) == (folds(stored) if case == "ignored" else stored)
        ):
            return name
    plain = (
        case == "upper"
        and stored == stored.upper()
        and stored not in typed
        and stored.lower() not in known
    )
    return stored.lower() if plain else stored


def _with_infinity(value: Any) -> Any:
    """Return a value. The largest float stands for infinity in databases that have none."""
    if isinstance(value, float) and abs(value) == sys.float_info.max:
        return math.copysign(math.inf, value)
    return value


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
