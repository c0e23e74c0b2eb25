"""Record the statements of a run in DuckDB with their inputs and outputs, and replay them.

A run is recorded once. To try a changed template, only the affected statements run again: those
that contain the template, and those that read a changed table. A change is noticed if the program
would receive other rows, or write other rows to a file.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any

import duckdb
import jinja2
import pytest

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.templates import quote
from sqlrisk.common.resources import sql_folder
from sqlrisk.engines.duckdb import DuckDB

_MADE = re.compile(
    r"\A\s*CREATE (?:TEMPORARY )?(?P<kind>TABLE|VIEW) (?P<name>\w+) AS\n(?P<query>.*)\Z", re.DOTALL
)
# in a saved run
_KEPT = re.compile(
    r'\A\s*CREATE (?:VIEW "\w+"|VIEW \w+|TABLE saved\.\w+) AS\n(?P<query>.*)\Z', re.DOTALL
)
_ADDED = re.compile(r"\A\s*INSERT INTO (?P<name>\w+)\n(?P<query>.*)\Z", re.DOTALL)
_CHANGED = re.compile(r"\A\s*ALTER TABLE (?P<name>\w+) ")
_DROPPED = re.compile(r"\A\s*DROP (?:TABLE|VIEW) (?:IF EXISTS )?(?P<name>\w+)\Z")
_WRITTEN = re.compile(r"\A\s*COPY \(\n(?P<query>.*)\n\) TO \(", re.DOTALL)
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
_REMARKS = re.compile(r"\A(?:\s|--[^\n]*\n)*")  # comments before a query
# sources that only the session itself can read
_OUTSIDE = re.compile(r"\b(?:read_parquet|read_csv|\w+_stream)\b")
_ASKED = re.compile(r"(?:SELECT|WITH)\s+(?!approx_count_distinct)")  # an estimate changes no result
_ORDERED = re.compile(r"^ORDER BY ", re.MULTILINE)  # only that of the whole query is not indented

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Filling:
    """A template, the names that it was filled in with, and the resulting text."""

    path: str
    names: Mapping[str, Any]
    text: str

    def anew(self) -> str:
        """Return the text that the template gives now, filled with the recorded names."""
        return str(templates.stage(self.path, **self.names))


@dataclass(frozen=True)
class Statement:
    """A statement that was run: its query, the tables that it read, and its result (a table or
    rows).
    """

    query: str
    reads: Mapping[str, str]  # name -> the table with a copy of what was read
    fillings: Sequence[Filling]  # templates in the query, outer ones before inner ones
    makes: str | None = None  # the table with a copy of what it made
    adds_to: str | None = None  # the table with a copy of the rows before
    rows: Rows = field(default_factory=list)


@dataclass
class Recording:
    """The recorded statements of a run, and the ``paths`` of the templates and macros used."""

    statements: list[Statement] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)

    def tells(self, path: str) -> bool:
        """Return True if the program would receive other rows with the present text of a template
        or macro.
        """
        changed: dict[str, str] = {}  # recorded table -> the table with its changed content
        try:
            return self._tells(path, changed)
        finally:
            for made in changed.values():
                _drop(made)

    def _tells(self, path: str, changed: dict[str, str]) -> bool:
        for statement in self.statements:
            query = statement.query
            for filling in statement.fillings:
                if path == filling.path or path in macros(filling.path):
                    try:
                        text = filling.anew()
                    except jinja2.TemplateError:
                        return True
                    if text != filling.text:
                        query = _pattern(filling.text).sub(text.replace("\\", r"\\"), query)
            reads = {name: changed.get(table, table) for name, table in statement.reads.items()}
            before = statement.adds_to and changed.get(statement.adds_to, statement.adds_to)
            if (
                query == statement.query
                and reads == statement.reads
                and before == statement.adds_to
            ):
                continue
            try:
                if statement.makes is None:
                    if not _alike(
                        _rows(_with(query, reads)),
                        statement.rows,
                        ordered=bool(_ORDERED.search(statement.query)),
                    ):
                        return True
                else:
                    made = _make(_with(query, reads), before)
                    if _print(made) == _print(statement.makes):
                        _drop(made)
                    else:
                        changed[statement.makes] = made
            except duckdb.Error:
                return True
        return False


class Recorder:
    """Patch DuckDB to record every statement, what it reads, and what it returns."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.recording = Recording()
        self._fillings: dict[tuple[str, str], Filling] = {}
        self._plain: dict[str, Filling] = {}
        # session -> name -> the table with a copy of its present content
        self._held: dict[int, dict[str, str]] = {}
        self._engines: list[DuckDB] = []  # kept alive, so that no other session gets its id
        patch.setattr(templates, "stage", self._noting(templates.stage))
        patch.setattr(DuckDB, "run", self._running(DuckDB.run))

    def _noting(self, usual: Callable[..., templates.Query]) -> Callable[..., templates.Query]:
        def noting(path: str, **names: Any) -> templates.Query:
            query = usual(path, **names)
            self.recording.paths |= {path, *macros(path)}
            self._plain.setdefault(" ".join(query.split()), Filling(path, names, str(query)))
            return query

        return noting

    def _running(self, usual: Callable[[DuckDB, str], Rows]) -> Callable[[DuckDB, str], Rows]:
        def running(engine: DuckDB, sql: str) -> Rows:
            rows = usual(engine, sql)
            if engine not in self._engines:
                self._engines.append(engine)
            self._add(engine, sql, rows)
            return rows

        return running

    def _add(self, engine: DuckDB, sql: str, rows: Rows) -> None:
        held = self._held.setdefault(id(engine), {})
        kept = _KEPT.match(sql)
        if kept and self._inside(kept["query"]):
            self._shown(engine, kept["query"])
        if made := _MADE.match(sql):
            if made["kind"] == "VIEW" or _OUTSIDE.search(sql):
                held[made["name"]] = _copied(engine, made["name"])
            else:
                self._made(engine, held, made)
        elif added := _ADDED.match(sql):
            self._made(engine, held, added, held[added["name"]])
        elif altered := _CHANGED.match(sql):
            held[altered["name"]] = _copied(engine, altered["name"])
        elif dropped := _DROPPED.match(sql):
            held.pop(dropped["name"], None)
        elif written := _WRITTEN.match(sql):
            self._fetched(held, written["query"], named=True)
        elif _ASKED.match(_REMARKS.sub("", sql)) and not _OUTSIDE.search(sql):
            if held:
                self._fetched(held, sql, rows)
            elif self._inside(sql):
                self._shown(engine, sql)

    def _made(
        self,
        engine: DuckDB,
        held: dict[str, str],
        found: re.Match[str],
        before: str | None = None,
    ) -> None:
        """Record how a table was made, and copy the table that the session made."""
        name, query = found["name"], found["query"]
        reads = {each: held[each] for each in _READ.findall(query) if each in held}
        held[name] = _held(engine._connection.sql(f"FROM {name}"))
        self.recording.statements.append(
            Statement(query, reads, self._inside(query), held[name], before)
        )

    def _fetched(
        self, held: Mapping[str, str], query: str, rows: Rows | None = None, *, named: bool = False
    ) -> None:
        """Record the rows that a query returns. If the program reads columns by name (``named``),
        other columns do not matter.
        """
        reads = {name: held[name] for name in _READ.findall(query) if name in held}
        if reads:
            if named:
                columns = _database().execute(_with(query, reads)).description or ()
                query = (
                    f"SELECT {', '.join(quote(str(each[0])) for each in columns)} FROM "
                    f"(\n{query}\n) AS shown"
                )
            if rows is None:
                rows = _rows(_with(query, reads))
            self.recording.statements.append(
                Statement(query, reads, self._inside(query), rows=rows)
            )

    def _shown(self, engine: DuckDB, query: str) -> None:
        """Record a query of a saved run. Its tables are copied first, because they are not among
        the recorded stages.
        """
        found: dict[str, str] = {}
        for name in {*_READ.findall(query)}:
            with suppress(duckdb.Error):  # a name that the query defines itself is not a table
                found[name] = _copied(engine, name)
        self._fetched(found, query, named=True)

    def _inside(self, query: str) -> list[Filling]:
        plain = " ".join(query.split())
        found = [text for text in self._plain if text in plain]
        return [self._plain[text] for text in sorted(found, key=len, reverse=True)]


def record(run: Callable[[], object]) -> Recording:
    """Record the statements of a function."""
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(patch)
        run()
    return recorder.recording


@cache
def macros(path: str) -> frozenset[str]:
    """Return the macros that a template imports, directly or through other macros."""
    text = (sql_folder() / path).read_text(encoding="utf-8")
    own = re.findall(r'"(macros/\w+\.sql)"', text)
    return frozenset([*own, *(each for macro in own for each in macros(macro))])


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern that matches a text with any whitespace, because a nested query is
    indented.
    """
    return re.compile(r"\s+".join(map(re.escape, text.split())))


# ---- the database that holds what was recorded


@cache
def _database() -> duckdb.DuckDBPyConnection:
    # A mutant that joins everything with everything fails at the limit instead of filling the disk.
    return duckdb.connect(config={"threads": 1, "memory_limit": "1GB", "temp_directory": ""})


_NUMBERS = count(1)


def _with(query: str, reads: Mapping[str, str]) -> str:
    """Return a query that reads recorded tables. ``reads`` maps the names in the query to these
    tables.
    """
    named = ", ".join(f"{name} AS (FROM {table})" for name, table in reads.items())
    plain = _REMARKS.sub("", query)
    if not named:
        return plain
    own = re.match(r"WITH\s", plain)
    return f"WITH {named}, {plain[own.end() :]}" if own else f"WITH {named}\n{plain}"


def _rows(query: str) -> Rows:
    return _database().execute(query).fetchall()


def _make(query: str, before: str | None) -> str:
    """Make a table from a query and return its name. The rows of the table ``before`` come
    first.
    """
    name = f"held_{next(_NUMBERS)}"
    both = query if before is None else f"FROM {before} UNION ALL (\n{query}\n)"
    _database().execute(f"CREATE TEMPORARY TABLE {name} AS {both}")
    return name


def _drop(table: str) -> None:
    """Drop a table. Otherwise the tables of earlier mutants could exhaust the memory, and the error
    would look as if a mutant was noticed.
    """
    _database().execute(f"DROP TABLE {table}")


def _copied(engine: DuckDB, name: str) -> str:
    """Copy a table of a session in its present state, with row numbers. Return the copy's name."""
    connection = engine._connection
    try:
        found = connection.sql(f"SELECT *, rowid AS row_number FROM {name}")
    except duckdb.BinderException:
        return _held(connection.sql(f"FROM {name}"))
    return _held(found, "rowid")


def _held(found: duckdb.DuckDBPyRelation, *last: str) -> str:
    """Copy rows of a session to this database, with equal column types. Return the table's name."""
    asked = found.columns
    names = [*asked[: len(asked) - len(last)], *last]
    columns = ", ".join(
        f"CAST({quote(each)} AS {kind}) AS {quote(name)}"
        for each, kind, name in zip(asked, found.types, names, strict=True)
    )
    copy = f"held_{next(_NUMBERS)}"
    _database().register("copied", found.to_arrow_table())
    _database().execute(f"CREATE TEMPORARY TABLE {copy} AS SELECT {columns} FROM copied")
    _database().unregister("copied")
    return copy


@cache
def _print(table: str) -> tuple[list[str], Rows]:
    """Return a fingerprint of a table that does not depend on the order of rows."""
    names = [
        str(each[0]) for each in _database().execute(f"FROM {table} LIMIT 0").description or ()
    ]
    return names, _rows(
        f"SELECT COUNT(*), BIT_XOR(HASH(t)), SUM(HASH(t) % 1000000007) FROM {table} AS t"
    )


def _alike(found: Rows, expected: Rows, *, ordered: bool) -> bool:
    """Return True if two lists of rows are equal, except for rounding."""
    if len(found) != len(expected):
        return False
    if not ordered:
        found, expected = sorted(found, key=_rank), sorted(expected, key=_rank)
    return all(_same(one, other) for one, other in zip(found, expected, strict=True))


def _rank(row: Iterable[object]) -> list[str]:
    return [f"{each:.9e}" if isinstance(each, float) else repr(each) for each in row]


def _same(row: Sequence[object], other: Sequence[object]) -> bool:
    for one, two in zip(row, other, strict=True):
        if isinstance(one, float) and isinstance(two, float):
            if not (
                math.isclose(one, two, rel_tol=1e-12, abs_tol=1e-15) or (one != one and two != two)
            ):
                return False
        elif one != two:
            return False
    return len(row) == len(other)


def replaced(patch: pytest.MonkeyPatch, path: str, text: str) -> None:
    """Make the template loader return this text for one file."""
    environment = templates._environment()
    usual, changed = environment.get_template, environment.from_string(text)
    patch.setattr(
        environment,
        "get_template",
        lambda name, *more: changed if name == path else usual(name, *more),
    )
