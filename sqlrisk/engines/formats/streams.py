"""Read files that no database can read, as streams of Arrow batches.

The formats are SPSS, Stata, SAS, Excel, Arrow and ORC, and lake tables.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlrisk.common.errors import InputError, SqlriskError
from sqlrisk.common.extras import install
from sqlrisk.inputs.labels import FileLabels
from sqlrisk.inputs.sources import FORMATS, Source, part_name

# Kind of source -> the module that reads it, and the package it needs besides those of sqlrisk.
READERS = {
    "spss": ("stat_files", "pyreadstat"),
    "stata": ("stat_files", "pyreadstat"),
    "sas": ("stat_files", "pyreadstat"),
    "excel": ("excel_files", "python_calamine"),
    "arrow": ("arrow_files", ""),
    "orc": ("arrow_files", ""),
    "delta": ("lake_tables", ""),
    "iceberg": ("lake_tables", ""),
}
# The first bytes of an encrypted file of SPSS, and of Excel.
_ENCRYPTED = (b"ENCRYPTEDSAV", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
AHEAD = {"fragment_readahead": 1, "batch_readahead": 1}  # read ahead of an Arrow dataset
LABELLED = ("spss", "stata", "sas")  # formats with labels for codes
UNTYPED = (*LABELLED, "excel")  # formats that do not say which numbers are whole


class UnheldError(InputError):
    """A ``column`` of a file holds values that no database can store."""

    def __init__(self, column: str, file: str, what: str) -> None:
        """Make the message from ``what`` the column holds and what to do about it."""
        super().__init__(f"The column {column!r} of {file} holds {what}.")
        self.column = column
        self.said = (column, file, what)


@dataclass(frozen=True)
class Part:
    """One file: an Arrow schema, a function that yields batches of some columns, and labels.

    Attributes:
        records: how many there are. None if the file does not say.
        missing: column that was read -> code declared missing -> number of records.
        empty_rows: number of rows without any value. They are no records.
        row_names: True if the first column has no name and is skipped.
    """

    schema: Any
    batches: Callable[[Sequence[str]], Iterator[Any]]
    labels: FileLabels = field(default_factory=FileLabels)
    records: int | None = None
    missing: dict[str, Counter[str]] = field(default_factory=dict)
    empty_rows: int = 0
    row_names: bool = False


@dataclass(frozen=True)
class Stored:
    """A source in one of these formats, as a table that is streamed.

    The first of ``failures`` is the error that ended the stream. ``handed`` has the number of
    records of each batch that was read.
    """

    source: Source
    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    failures: list[Exception] = field(default_factory=list, compare=False)
    handed: list[int] = field(default_factory=list, compare=False)

    def select(self, columns: Sequence[str]) -> "Stored":
        """Return the table with some of its columns."""
        return replace(self, columns=tuple(columns))

    @property
    def progress(self) -> float:
        """The share that was read, 0 to 1. It is 0 if a part does not state its number of
        records.
        """
        records = [part.records for part in self.parts]
        if None in records:
            return 0.0
        return min(1.0, sum(self.handed) / max(1, sum(filter(None, records))))

    @property
    def missing(self) -> dict[str, Counter[str]]:
        """Column that was read -> code that the file declares missing -> number of records."""
        return {
            name: sum((part.missing.get(name, Counter()) for part in self.parts), Counter())
            for name in self.columns
        }

    def __arrow_c_stream__(self, requested: object = None) -> object:
        """Return the records of all parts as a stream of the Arrow C interface (a PyCapsule).

        pyarrow casts to the schema ``requested``. Reading the stream fails if the types of a column
        differ between parts. A part without values of a column has any type.
        """
        import pyarrow as pa

        fields = pa.schema([self._field(name) for name in self.columns])
        return pa.RecordBatchReader.from_batches(fields, self._batches(fields)).__arrow_c_stream__(
            requested
        )

    def _field(self, name: str) -> Any:
        """Return a column's field from the first part that gives it a type."""
        import pyarrow as pa

        fields = [part.schema.field(name) for part in self.parts]
        return next((each for each in fields if not pa.types.is_null(each.type)), fields[0])

    def _batches(self, fields: Any) -> Iterator[Any]:
        import pyarrow as pa

        self.handed.clear()
        try:
            for path, part in zip(self.source.paths, self.parts, strict=True):
                own = [part.schema.field(name).type for name in self.columns]
                apart = [
                    field.name
                    for field, kind in zip(fields, own, strict=True)
                    if kind not in (field.type, pa.null())
                ]
                if apart:
                    raise InputError(
                        f"The parts of {self.source.name} have different types for the column "
                        f"{apart[0]!r} (in {self.source.part(path)!r}). Store it alike in all "
                        "parts."
                    )
                with readable(path, self.source):
                    for batch in part.batches(self.columns):
                        self.handed.append(batch.num_rows)
                        yield batch.cast(fields) if pa.null() in own else batch
        except (SqlriskError, MemoryError) as error:
            self.failures.append(error)
            raise


def stored(source: Source, room: int, apart: Any, by_label: Collection[str] = ()) -> Stored:
    """Open a source as a stream of batches (SPSS, Stata, SAS: of about ``room`` bytes).

    ``apart`` (a `ReaderProcess`) reads these and Excel, because their packages may crash. Columns
    ``by_label`` are read as labels if a part has labels for them. Raises InputError if the source
    cannot be read or the package is missing.
    """
    by_labels = import_module("sqlrisk.engines.formats.by_labels").by_labels
    reads = apart if READERS[source.kind][1] else reader(source)
    parts = []
    for path in source.paths:
        with readable(path, source):
            parts.append(reads.part(path, source, room))
    labelled = {
        name
        for part in parts
        for name, said in part.labels.columns.items()
        if name in by_label and said.levels
    }
    parts = [by_labels(part, labelled, source) for part in parts] if labelled else parts
    first, *others = (tuple(part.schema.names) for part in parts)
    return Stored(
        source,
        tuple(parts),
        tuple(name for name in first if all(name in names for names in others)),
    )


def reader(source: Source) -> Any:
    """Return the module that reads a source. Raises InputError if its package is missing."""
    module, package = READERS[source.kind]
    try:
        if package:
            import_module(package)
    except ModuleNotFoundError:
        raise InputError(
            f"{FORMATS[source.kind]} files, as {source.name}, need the package "
            f"{package.replace('_', '-')}: {install('formats')}."
        ) from None
    return import_module(f"sqlrisk.engines.formats.{module}")


@contextmanager
def readable(path: str, source: Source) -> Iterator[None]:
    """Raise InputError if the block fails. The original message is dropped, because it may quote
    values.
    """
    try:
        yield
    except (SqlriskError, GeneratorExit, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in Rust is no Exception
        what = f"The {FORMATS[source.kind]} {part_name(path, source)} cannot be read"
        if isinstance(error, OSError) and error.errno and not source.version:
            raise InputError(f"{what}: {error.strerror}.") from None
        if isinstance(error, UnicodeError) or any(
            word in str(error) for word in ("encoding", "character set")
        ):
            said = source.csv.encoding
            other = "utf-8" if source.kind == "stata" and not said else "latin-1"
            raise InputError(
                f"{what}: its text is not in {said or 'the encoding that it says'}; name "
                f"another, as in --encoding {Path(source.label).name}={other}. If parts of it "
                "are in several, save it again as UTF-8."
            ) from None
        if source.version:
            raise InputError(
                f"{what}: the table uses a feature that its library does not know, or files "
                "of it are missing or may not be read. Write it again as Parquet."
            ) from None
        with Path(path).open("rb") as file:
            encrypted = file.read(len(max(_ENCRYPTED, key=len))).startswith(_ENCRYPTED)
        why = (
            "it is encrypted. Save it without a password."
            if encrypted
            else "it is damaged, or of another format. Write it again."
        )
        raise InputError(f"{what}: {why}") from None
