"""Where the SQL runs. An engine is a small protocol; each lives in a module of its own."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypedDict

from sqlrisk.catalogue.dialects import Overrides
from sqlrisk.catalogue.templates import literal, quote
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.sources import Source

Row = tuple[Any, ...]  # what a database returns
Names = Sequence[str]  # of columns
# what FROM reads, the type of each column, the record's number
Attached = tuple[str, Mapping[str, str], str | None]


class Limits(TypedDict, total=False):
    """What a session may use of this machine; the engine's own default where it is None.

    ``memory_limit`` as in ``4GB``; ``threads``, one per core; ``temp_directory``, a folder that the
    private one is made in.
    """

    memory_limit: str | None
    threads: int | None
    temp_directory: str | None


# How a database compares values, asked of each session: a yes to one of the first three would make
# levels one that differ.
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
    """How messages name the database."""

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
        """Return name and version, and how values are compared: see `COMPARES`."""
        (answers,) = self.run(_PROBE)
        compared = {name: bool(answer) for name, answer in zip(COMPARES, answers, strict=True)}
        return {"name": self.product, "version": self.version(), **compared}

    rewrites_records: ClassVar[bool]
    """Whether to write the records once more with the counts of their class is cheaper than to read
    them once a target.

    Where it is not, the cells of each target sum their classes beside them; and statements and
    scans have a price too: one counts several comparisons and targets.
    """

    loads: list[str]
    """The statements that copied sources into tables, for a script that others run. A table of
    Python has none.
    """

    # ---- sources

    odd_texts: ClassVar[str] = "value IS NOT NULL"
    """Which texts of a dictionary are not plain (`look_alikes.plain`), in SQL: perhaps all if the
    database cannot tell.
    """

    typed: Names = ()
    """The columns that are asked for, as they were typed: a database may store them in other
    letters.
    """

    def columns(self, source: Source) -> Sequence[str]:
        """Return the column names of a source: those that all its parts have. Raises InputError
        where it cannot be read.
        """

    def labels(self, source: Source) -> Sequence[FileLabels]:
        """Return what each part of a file says of its columns and their values; most formats say
        nothing.
        """

    @property
    def by_label(self) -> frozenset[str]:
        """The columns whose codes are read as the labels that their file has for them."""

    def read_by_label(self, columns: Collection[str]) -> None:
        """Read files from now on with labels in the place of codes in these columns, and in no
        others.
        """

    def texts_among(self, table: str, column: str, *lists: Collection[str]) -> tuple[int, ...]:
        """Return how many records of what FROM reads have a value in a column, and how many one of
        each list of texts.

        Before `fix_types`. The statement is not recorded, so that no text of a file is.
        """

    def missing(self, source: Source) -> Mapping[str, Mapping[str, int]]:
        """Return how many records of each column, of a file that was read, have which of the codes
        that it declares missing.
        """

    def left_out(self, source: Source) -> Mapping[str, object]:
        """Return what of a file that was attached is not read: its ``empty_rows``, its
        ``row_names``, if it has some.

        Its ``columns`` are those that nobody asked for and no database can hold.
        """

    def attach(
        self,
        source: Source,
        columns: Names,
        name: str,
        *,
        beside: Names = (),
        numbered: bool = False,
        by: Names = (),
    ) -> Attached:
        """Make some columns of a source readable: what FROM reads, the type of each column, and the
        record's number.

        Of the columns ``beside`` them those are left out that cannot be read, or have a type that
        the database cannot hold. The number is SQL over what FROM reads, from 1 in the order of the
        source, its parts one after the other; None unless ``numbered``. Records of a database that
        keeps no order are numbered ``by`` columns. The number stands in a SELECT
        list: a condition beside it could leave out whole parts before they are numbered. Raises
            InputError.
        """

    def text_among_numbers(self, tables: Sequence[str], column: str, *, apart: bool) -> bool:
        """Return whether text stands among numbers in CSV files whose column is text: a tenth or
        more, and no code such as 007.

        ``tables``: what FROM reads; the answer is yes where it is that of each. With ``apart`` only
        where besides the first of them and another write a number in different ways. Before
        `fix_types`.
        """

    def text_type(self, table: str, column: str, kinds: Sequence[str]) -> str:
        """Return the first of some types (DATE, TIMESTAMP, an instant, BOOLEAN) that holds every
        text of a column of a CSV file.

        VARCHAR if none does. Before `fix_types`.
        """

    def held_texts(self, table: str, column: str, kind: str) -> str:  # noqa: ARG002 - for those that lack types
        """Return the type that holds texts of a CSV file that `fix_types` will read as of a type:
        this one, or text.
        """
        return kind

    def as_text(self, table: str) -> Mapping[str, str]:  # noqa: ARG002 - likewise
        """Return the types of columns of a file of which the database has the text alone."""
        return {}

    def fix_types(self, types: Mapping[str, Mapping[str, str]]) -> None:
        """Give texts their settled types (relation -> column -> type; others stay text), and shut
        out all other files.
        """

    # ---- statements

    def use_overrides(self, overrides: Callable[[str], Overrides]) -> None:
        """Take what measures are in this database's own SQL, given the name of its dialect. Raises
        InputError.
        """

    def run(self, sql: str) -> list[Row]:
        """Run one statement and return its rows. Raises EngineError, or KeyboardInterrupt when
        cancelled.
        """

    on_wait: Callable[[], None]
    """Called again and again while a statement runs; a run hangs its progress display here."""

    def progress(self) -> float:
        """Return how much of the running statement is done, 0 to 1; 0 where the database does not
        tell.
        """
        return 0.0

    # ---- planning

    def passes(self, records: int, groups: Callable[[], int], columns: int) -> int:  # noqa: ARG002 - for those with a limit
        """Return in how many passes records are best counted within a limit of memory; ``groups``,
        a scan, estimates theirs.
        """
        return 1

    @property
    def keeps_parts(self) -> bool:
        """Whether a table may be written in parts, of which some are read without the others."""
        return False

    def fits_in_memory(self, size: int) -> bool:  # noqa: ARG002 - for those with a limit
        """Return whether a table of ``size`` bytes may stay in memory; EngineError where it may
        not, and the disk has no room.
        """
        return False

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        """Estimate the number of distinct combinations of columns in a table. Plans a run; enters
        no result.
        """


Opener = Callable[[], AbstractContextManager[Engine]]  # begins a session that ends with the block


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
