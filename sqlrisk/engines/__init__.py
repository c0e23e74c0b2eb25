"""Where the SQL runs. An engine is a small protocol; each lives in a module of its own."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

from sqlrisk.sources import Source

Row = tuple[Any, ...]  # what a database returns


class Engine(Protocol):
    """One database session that owns its stage tables until it is closed."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    loads: list[str]
    """The statements that copied sources into tables, for a script that others run. A table of Python has none."""

    def columns(self, source: Source) -> Sequence[str]:
        """The column names of a source. Raises InputError where it cannot be read."""

    def attach(
        self, source: Source, columns: Sequence[str], name: str, *, numbered: bool = False
    ) -> tuple[str, Mapping[str, str]]:
        """Make some columns of a source readable: (what FROM reads, type of each column). Raises InputError.

        Its records can be numbered by ``record_number`` when that is asked for here.
        """

    def record_number(self, source: Source, relation: str) -> str:
        """A record's number in what ``attach`` returned, from 1 in the order of the source, as SQL; ask before ``settle``."""

    def settle(self, types: Mapping[str, Mapping[str, str]]) -> None:
        """Give what was attached as text its settled types (relation -> column -> type), and shut out all other files."""

    def run(self, sql: str) -> list[Row]:
        """Run one statement and return its rows. Raises EngineError, or KeyboardInterrupt when cancelled."""

    def export(self, sql: str, file: BinaryIO, form: str) -> None:
        """Write the rows of a query to a file as ``parquet`` or ``csv``, in the query's order, without holding them."""

    on_wait: Callable[[], None]
    """Called again and again while a statement runs; a run hangs its progress display here."""

    def progress(self) -> float:
        """How much of the running statement is done, 0 to 1."""

    def passes(self, records: int, groups: int, columns: int) -> int:
        """In how many passes so many records and groups, of so many columns, are best counted within the memory limit."""

    def fits(self, size: int) -> bool:
        """Whether a table of so many bytes may stay in memory beside the groups of a pass."""

    def estimate_groups(self, table: str, columns: Sequence[str]) -> int:
        """About how many distinct combinations of columns a table has. Plans a run; enters no result."""
