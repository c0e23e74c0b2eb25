"""Where the records come from: files named by a path, glob or folder, and tables held in Python."""

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from sqlrisk.common.errors import InputError, ProblemList, SqlriskError
from sqlrisk.inputs.csv_files.headers import CsvForm, Header, header_of

# How messages and results call each kind, and how its files end.
_ENDINGS = {
    "parquet": ("Parquet", ".parquet .pq"),
    "csv": ("CSV", ".csv .tsv .tab .txt"),
    "spss": ("SPSS", ".sav .zsav .por"),
    "stata": ("Stata", ".dta"),
    "sas": ("SAS", ".sas7bdat .xpt"),
    "excel": ("Excel", ".xlsx"),
    "arrow": ("Arrow", ".arrow .feather .ipc"),
    "orc": ("ORC", ".orc"),
}
FORMATS = {kind: name for kind, (name, _) in _ENDINGS.items()}
_SUFFIXES = {ending: kind for kind, (_, endings) in _ENDINGS.items() for ending in endings.split()}
_IN_FOLDERS = (
    ".parquet",
    ".pq",
    ".csv",
    ".csv.gz",
)  # a folder that holds one of these is of these alone
_COMPRESSED = (".gz", ".zst")  # behind the ending of a CSV file
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # in the name of a folder (year=...), for a missing one
_END_BYTES = 2**16  # bytes of a file that has no footer
_PARQUET = b"PAR1"
_TRAILER = 8  # bytes after a footer: how long it is, and the name of the format


@dataclass(frozen=True)
class FileStamp:
    """A file as it was: its bytes, when it was written in nanoseconds, and the hash of its end, where Parquet has its footer."""

    size: int
    written: int
    end: str


def stamp(path: str) -> FileStamp:
    """Return the stamp of a file now. Raises InputError where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            return FileStamp(found.st_size, found.st_mtime_ns, _end(file, found.st_size))
    except OSError as error:
        raise InputError(f"The input {path!r} cannot be read: {error.strerror}.") from None


def _end(file: BinaryIO, size: int) -> str:
    def last(length: int) -> bytes:
        file.seek(-min(length, size), os.SEEK_END)
        return file.read()

    end = last(_TRAILER)
    length = int.from_bytes(end[:4], "little") + _TRAILER if end.endswith(_PARQUET) else _END_BYTES
    return hashlib.sha256(last(length)).hexdigest()


@dataclass(frozen=True)
class Source:
    """One file of records, in one or more parts.

    Attributes:
        label: the source as the user gave it; for a table held in Python, its type.
        kind: one of ``FORMATS``, ``frame``, or ``table`` for one of the database that counts.
        paths: the parts, in sorted order; empty for a frame or a table.
        frame: a pandas, polars or Arrow table or a DuckDB relation, or None; of a table the connection it was given with.
        role: ``the original``, ``synthesis 2``: what names it where a table of Python has no name of its own.
        missing: texts that stand for a missing value, where it is CSV; ``missing_of``: others, of single columns.
        csv: how it is written, where it is CSV.
        stamps: of the parts, when the source was named; empty for a file that a run writes itself.
    """

    label: str
    kind: str
    paths: tuple[str, ...] = ()
    frame: Any = field(default=None, repr=False, compare=False)
    role: str = ""
    missing: tuple[str, ...] = ()
    csv: CsvForm = field(default_factory=CsvForm)
    missing_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    stamps: tuple[FileStamp, ...] = field(default=(), repr=False, compare=False)

    def missing_in(self, column: str) -> tuple[str, ...]:
        """Return the texts that stand for a missing value in a column."""
        return (*self.missing, *self.missing_of.get(column, ()))

    @property
    def name(self) -> str:
        """How a message names it."""
        return repr(self.label) if self.paths or self.kind == "table" else f"{self.role} ({self.label})"


@dataclass(frozen=True)
class Synthesis:
    """One synthetic file: the method it belongs to (empty without a name) and its number within the method, from 1."""

    method: str
    number: int
    source: Source

    @property
    def label(self) -> str:
        """How results name it: ``1``, or ``cart 1``."""
        return f"{self.method} {self.number}".strip()


def read_header(path: str, source: Source) -> Header:
    """Read the header of a CSV file of a source, as far as the user has not said how it is written."""
    return header_of(path, source.csv, part_name(path, source))


def csv_as_read(source: Source) -> dict[str, str]:
    """Return how the first part of a CSV source is written, as the user or its header says."""
    header = read_header(source.paths[0], source)
    return {name: getattr(header, name) for name in ("encoding", "delimiter", "decimal", "quote")}


def part_name(path: str, source: Source) -> str:
    """Return how a message names a file of a source."""
    return source.name if len(source.paths) == 1 else f"{source.name} (in {path!r})"


def column_names_of(path: str) -> list[str]:
    """Return the columns of the first part of a file, read from its head alone; none where they cannot be read."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        source = read_source(path, "the file")
        first = source.paths[0]
        if source.kind == "csv":
            return list(read_header(first, source).names)
        return list(parquet.read_schema(first).names) if source.kind == "parquet" else []
    except (InputError, OSError, pa.ArrowException):
        return []


def partitions(source: Source) -> list[str]:
    """Return the columns that stand in the folder names of all parts (``year=2020/part.parquet``)."""
    if not Path(source.label).is_dir():
        return []
    found = [re.findall(r"([^/=]+)=[^/]+/", Path(path).relative_to(source.label).as_posix()) for path in source.paths]
    return found[0] if found and all(names == found[0] for names in found) else []


def read_source(given: object, role: str, *, tables: bool = False) -> Source:
    """Return the source that a path, glob, folder or table stands for; with ``tables`` a text that is no file names a table."""
    if tables and isinstance(given, str) and may_be_table(given):
        return Source(given, "table", role=role)
    if isinstance(given, str | os.PathLike):
        return replace(_files(os.fspath(given)), role=role)
    if isinstance(given, tuple) and _is_table(given):
        connection, table = given
        if type(connection).__name__ == "DuckDBPyConnection":
            return Source(table, "frame", frame=_relation(connection, table), role=role)
        return Source(table, "table", frame=connection, role=role)
    if hasattr(given, "__arrow_c_stream__"):
        return Source(f"{type(given).__module__.partition('.')[0]}.{type(given).__name__}", "frame", frame=given, role=role)
    raise InputError(
        f"Cannot read records from a {type(given).__name__}: give a path, a pandas, polars or Arrow table or a DuckDB relation, "
        "or (connection, table)."
    )


def may_be_table(given: str) -> bool:
    """Return whether a text names a table of a database: no file that is there, or that is one by its name, on this machine."""
    return "://" in given or (
        _kind(given) is None and sheet_of(given) is None and not os.path.exists(given) and not glob.has_magic(given)
    )


def _relation(connection: Any, table: str) -> Any:
    try:
        return connection.table(table)
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
            raise
        raise InputError(f"There is no table {table!r} in the database.") from None


def read_syntheses(given: object, *, tables: bool = False) -> list[Synthesis]:
    """Read the syntheses, in the order given: one source, a list of them, or a mapping from method names to either.

    In a mapping every file that a glob matches is a synthesis of its own; elsewhere a glob or folder is one synthesis in parts.
    """
    problems = ProblemList()
    syntheses: list[Synthesis] = []
    methods = given if isinstance(given, Mapping) else {"": given}
    for method, sources in methods.items():
        listed = isinstance(sources, Sequence) and not isinstance(sources, str) and not _is_table(sources)
        several = list(sources) if listed else [sources]  # type: ignore[arg-type]
        if method:
            several = [path for each in several for path in _expand(each)]
        if not several:
            problems.append(f"Synthesis {method!r}: give at least one file." if method else "Give at least one synthetic file.")
        for number, each in enumerate(several, start=1):
            role = f"synthesis {method} {number}".replace("  ", " ")
            with problems:
                syntheses.append(Synthesis(str(method), number, read_source(each, role, tables=tables)))
    if not methods:
        problems.append("Give at least one synthetic file.")
    problems.stop()
    return syntheses


def _is_table(given: object) -> bool:
    """Return whether it is (connection, table), and no pair of files."""
    return (
        isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str) and not isinstance(given[0], str | os.PathLike)
    )


def _expand(given: object) -> list[object]:
    """Return the files that a glob matches, in sorted order; anything else as it is."""
    if isinstance(given, str | os.PathLike) and glob.has_magic(os.fspath(given)) and not os.path.exists(given):
        return [*sorted(glob.glob(os.fspath(given)))] or [given]
    return [given]


def _files(path: str) -> Source:
    if os.path.isdir(path):
        paths = sorted(
            str(each) for each in Path(path).rglob("*") if each.is_file() and _kind(each.name) and not _hidden(each, path)
        )
        paths = [each for each in paths if each.lower().endswith(_IN_FOLDERS)] or paths
        if not paths:
            raise InputError(f"The folder {path!r} holds no file of a known format; known endings: {_known()}.")
    elif os.path.exists(path) or (sheet_of(path) is not None and os.path.exists(path.rpartition("#")[0])):
        paths = [path if os.path.exists(path) else path.rpartition("#")[0]]
    elif glob.has_magic(path):
        paths = sorted(each for each in glob.glob(path, recursive=True) if os.path.isfile(each))
        if not paths:
            raise InputError(f"No file matches {path!r}.")
    else:
        raise InputError(f"There is no file {path!r}.")
    kinds = {_kind(each) for each in paths}
    if None in kinds:
        raise InputError(f"{path!r} is of no known format by its name; known endings: {_known()}.")
    if len(kinds) > 1:
        raise InputError(f"{path!r} mixes {' and '.join(sorted(FORMATS[str(kind)] for kind in kinds))} files; give one kind.")
    for each in paths:
        try:
            each.encode()
        except UnicodeEncodeError:
            raise InputError(f"The name of the file {each!r} is not UTF-8 text; rename it.") from None
    empty = [each for each in paths if os.path.getsize(each) == 0]
    if empty:
        raise InputError(f"The file {empty[0]!r} is empty.")
    return Source(path, str(kinds.pop()), tuple(paths), stamps=tuple(stamp(each) for each in paths))


def _known() -> str:
    return f"{', '.join(_SUFFIXES)}; those of CSV also with {' or '.join(_COMPRESSED)}"


def sheet_of(label: str) -> str | None:
    """Return the sheet that is named behind the path of an Excel file (``people.xlsx#Sheet 1``), if one is."""
    path, sign, sheet = label.rpartition("#")
    return sheet if sign and _kind(path) == "excel" else None


def _kind(name: str) -> str | None:
    plain, suffix = os.path.splitext(name.lower())
    if suffix in _COMPRESSED:
        kind = _SUFFIXES.get(os.path.splitext(plain)[1])
        return kind if kind == "csv" else None
    return _SUFFIXES.get(suffix)


def _hidden(path: Path, folder: str) -> bool:
    # Writers of partitioned data leave _SUCCESS and .crc files beside the parts.
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


@contextmanager
def unchanged(sources: Iterable["Source"]) -> Iterator[None]:
    """Raise InputError where a file of the sources is not, when the block ends, what it was when the source was named.

    That is said in the place of any other error that the block ends in: it may only be what follows from it.
    """
    try:
        yield
    except SqlriskError:
        _compare(sources)
        raise
    _compare(sources)


def _compare(sources: Iterable["Source"]) -> None:
    problems = []
    for source in sources:
        for path, before in zip(source.paths, source.stamps, strict=False):  # what the run itself writes has no stamps
            if not Path(path).exists():
                problems.append(f"The input {path!r} was removed since the run began. Put it back, and run again.")
            elif stamp(path) != before:
                problems.append(f"The input {path!r} was written to since the run began. Run again when nothing writes to it.")
    if problems:
        raise InputError(list(dict.fromkeys(problems))) from None
