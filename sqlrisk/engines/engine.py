"""The protocol of an engine: what a database must do to run sqlrisk's SQL."""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypedDict, Unpack

from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.sources import Source

SqlRow = tuple[Any, ...]  # as a database returns it
Names = Sequence[str]  # of columns
# What FROM reads, the type of each column, the SQL of the record number.
Attached = tuple[str, Mapping[str, str], str | None]


class Limits(TypedDict, total=False):
    """The limits of a session on this machine. None stands for the engine's own default.

    ``memory_limit`` is a text such as ``4GB``. ``threads`` is by default one per core. The private
    folder is made in ``temp_directory``.
    """

    memory_limit: str | None
    threads: int | None
    temp_directory: str | None


class Reading(TypedDict, total=False):
    """How `Engine.attach` reads a source.

    Attributes:
        beside: further columns. They are left out if they cannot be read or stored.
        numbered: number the records from 1 in the order of the source, its parts in turn.
            Otherwise the record number is None.
        by: the columns to order records by, for a database that keeps no order.
    """

    beside: Names
    numbered: bool
    by: Names


# How a database compares values, tested in each session. A database for which one of the first
# three is true would merge levels that differ.
COMPARES = {
    "case_folded": "'a' = 'A'",
    "trailing_blanks_ignored": "'a' = 'a '",
    "empty_text_missing": "'' IS NULL",
    "nan_equals_nan": "CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE)",
}
_PROBE = "SELECT " + ", ".join(
    f"CASE WHEN {test} THEN 1 ELSE 0 END AS {name}" for name, test in COMPARES.items()
)


class Engine(Protocol):
    """One database session that owns its stage tables until it is closed."""

    product: str
    """The name of the database in messages."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def version(self) -> str:
        """Return the database's own version."""

    def describe(self) -> Mapping[str, object]:
        """Return the name and version of the engine, and how it compares values (see
        `COMPARES`).
        """
        (answers,) = self.run(_PROBE)
        compared = {name: bool(answer) for name, answer in zip(COMPARES, answers, strict=True)}
        return {"name": self.product, "version": self.version(), **compared}

    rewrites_many: ClassVar[bool]
    """True if it is cheaper to rewrite many records with class counts than to read them per target.

    If False, the cells of each target also sum their classes. In such a database each statement
    and scan costs much, so one statement counts several comparisons and targets.
    """

    searches_lists: ClassVar[bool]
    """True if its SQL can find the position of a value in a list stored in a row. Then short
    dictionaries need no join.
    """

    loads: list[str]
    """The statements that made files readable as tables or views. Python tables have none."""

    # ---- sources

    odd_texts: ClassVar[str] = "value IS NOT NULL"
    """SQL condition for texts of a dictionary that are not in plain form (`look_alikes.plain`).

    If the database cannot test it, the condition selects all texts.
    """

    typed: Names = ()
    """The user's column names as typed. A database may store them in another case."""

    def columns(self, source: Source) -> Sequence[str]:
        """Return the columns that all parts of a source have.

        Raises InputError if the source cannot be read.
        """

    def labels(self, source: Source) -> Sequence[FileLabels]:
        """Return the labels of columns and values in each part of a source. Empty for most
        formats.
        """

    @property
    def by_label(self) -> frozenset[str]:
        """The columns for which labels are read instead of codes."""

    def read_by_label(self, columns: Collection[str]) -> None:
        """From now on, read labels instead of codes for these columns only."""

    def texts_among(self, table: str, column: str, *lists: Collection[str]) -> tuple[int, ...]:
        """Return how many records have a value in a column, and how many have a value of each list.

        ``table`` is what FROM reads. Call this before `fix_types`. The statement is not recorded,
        because it holds texts of a file.
        """

    def missing(self, source: Source) -> Mapping[str, Mapping[str, int]]:
        """Return column -> code that the file declares missing -> number of records. Call this
        after `attach`, which counts the records.
        """

    def left_out(self, source: Source) -> Mapping[str, object]:
        """Return what is not read of an attached file: ``empty_rows`` (number), ``row_names``
        (True: a nameless first column), ``columns`` (those ``beside`` that cannot be stored).
        """

    def attach(self, source: Source, columns: Names, name: str, **how: Unpack[Reading]) -> Attached:
        """Make columns of a source readable. Return the relation that FROM reads, the column types,
        and the record number.

        The record number is SQL for a SELECT list. Use it without a WHERE, which could skip whole
        parts before they are numbered.

        Raises InputError if a column cannot be read or stored, or if records are to be numbered
        and have no order.
        """

    def text_among_numbers(self, tables: Sequence[str], column: str, *, apart: bool) -> bool:
        """Return True if at least 10 % of the texts in a CSV column are numbers, and no text is a
        code such as 007.

        This must hold in each of ``tables`` (texts to put after FROM). With ``apart``, two tables
        must also write a number differently: the first one and any other. Call this before
        `fix_types`.
        """

    def text_type(self, table: str, column: str, kinds: Sequence[str]) -> str:
        """Return the first type of ``kinds`` that fits every text of a CSV column, else VARCHAR.

        ``kinds`` may hold DATE, TIMESTAMP, an instant and BOOLEAN. Call this before `fix_types`.
        """

    def held_texts(self, table: str, column: str, kind: str) -> str:  # noqa: ARG002 - for those that lack types
        """Return the type that stores a CSV column whose common type is ``kind``: ``kind`` itself,
        or text.
        """
        return kind

    def as_text(self, table: str) -> Mapping[str, str]:  # noqa: ARG002 - likewise
        """Return column -> type, for the columns that the database can store only as text."""
        return {}

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        """Convert texts to their common types (relation -> column -> type), and lock all other
        files.

        Texts that are not listed stay texts.
        """

    # ---- statements

    def use_overrides(self, overrides: Callable[[str], Overrides]) -> None:
        """Use the SQL that measures have for this engine's dialect. ``overrides`` returns it for
        the name of a dialect. Raises InputError if that SQL is unusable.
        """

    def run(self, sql: str) -> list[SqlRow]:
        """Run one statement and return its rows.

        Raises EngineError if the statement fails, InputError if a source is at fault, and
        KeyboardInterrupt if it is cancelled.
        """

    def answer(self, statement: str, queries: Mapping[str, str]) -> tuple[list[str], list[SqlRow]]:
        """Run the user's own query, in the database's SQL, and return (columns, rows).

        It may read ``queries`` by their names (lower case). These are in DuckDB's SQL, and each may
        read earlier ones. Raises InputError if the user's query does more than read, or if the
        database refuses it.
        """

    name_bytes: int | None = None
    """The bytes after which the database cuts the name of a column, or None if it does not."""

    def cut_alike(self, names: Iterable[str], place: str) -> dict[str, str]:
        """Return the names of columns in ``place`` that the database cuts to the same name as an
        earlier one, each with a message.
        """
        first: dict[str, str] = {}
        problems = {}
        for name in names:
            cut = name.encode()[: self.name_bytes].decode(errors="ignore")
            if (other := first.setdefault(cut, name)) != name:
                problems[name] = (
                    f"The columns {other!r} and {name!r} of {place} begin with the same "
                    f"{self.name_bytes} bytes, and {self.product} cuts longer names; rename a "
                    "column of the data."
                )
        return problems

    keeps_tables: ClassVar[bool] = False
    """True if a run can leave tables in a schema of the database."""

    on_wait: Callable[[], None]
    """Called repeatedly while a statement runs, for the progress display."""

    def progress(self) -> float:
        """Return the share of the running statement that is done, 0 to 1, or 0 if unknown."""
        return 0.0

    def refuse_kept(self, schema: str, names: Names) -> None:  # noqa: ARG002 - for those that keep
        """Raise InputError if tables of these names cannot be kept in a schema of the database."""
        raise InputError(
            f"save: {schema!r} is a schema, and {self.product} cannot keep tables of a run in "
            "one; only PostgreSQL and Spark can. Score files, and save to a .duckdb file."
        )

    def keep(self, schema: str, queries: Mapping[str, str]) -> None:
        """Make tables with these names from queries in a schema, all or none. They are kept if the
        run succeeds.
        """
        self.refuse_kept(schema, [*queries])

    # ---- planning

    def passes(self, records: int, groups: Callable[[], int], columns: int) -> int:  # noqa: ARG002 - for those with a limit
        """Return the number of passes in which to count ``records`` records. ``groups`` estimates
        the classes and cells by a scan. ``columns`` is the number of columns of their tables.
        """
        return 1

    @property
    def keeps_parts(self) -> bool:
        """True if a table can be written in parts that are read separately."""
        return False

    def joins(self) -> int:
        """Return the number of dictionaries that one statement has memory to join."""
        return sys.maxsize

    def fits_in_memory(self, size: int) -> bool:  # noqa: ARG002 - for those with a limit
        """Return True if a table of ``size`` bytes may stay in memory.

        Raises EngineError if it may not, and the disk has no room for it.
        """
        return False

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        """Estimate how many combinations of values these columns have, for planning only."""


EngineOpener = Callable[[], AbstractContextManager[Engine]]


def among(table: str, column: str, lists: Sequence[Collection[str]]) -> str:
    """Return the query of `Engine.texts_among`."""
    value = f"CAST({quote(column)} AS VARCHAR)"
    counts = [
        f"COUNT(CASE WHEN {value} IN ({', '.join(map(literal, sorted(texts)))}) THEN 1 END)"
        if texts
        else "0"
        for texts in lists
    ]
    return f"SELECT {', '.join([f'COUNT({value})', *counts])} FROM {table}"
