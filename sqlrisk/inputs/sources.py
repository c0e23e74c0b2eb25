"""Sources of records: files and remote objects by path, glob or folder, lake tables, and Python
tables.
"""

import glob
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

from sqlrisk.common import lake_tables, objects
from sqlrisk.common.errors import InputError, ProblemList, SqlriskError
from sqlrisk.inputs.csv_files.headers import CsvForm, Header, header_of

# Kind -> its name in messages and results, and its extensions.
_ENDINGS = {
    "parquet": ("Parquet", ".parquet .pq"),
    "csv": ("CSV", ".csv .tsv .tab .txt"),
    "spss": ("SPSS", ".sav .zsav .por"),
    "stata": ("Stata", ".dta"),
    "sas": ("SAS", ".sas7bdat .xpt"),
    "excel": ("Excel", ".xlsx"),
    "arrow": ("Arrow", ".arrow .feather .ipc"),
    "orc": ("ORC", ".orc"),
    "delta": ("Delta table", ""),
    "iceberg": ("Iceberg table", ""),
}
FORMATS = {kind: name for kind, (name, _) in _ENDINGS.items()}
_SUFFIXES = {ending: kind for kind, (_, endings) in _ENDINGS.items() for ending in endings.split()}
_COMPRESSED = (".gz", ".zst")  # after the extension of a CSV file
# If a folder has files with these extensions, its other files are ignored.
_IN_FOLDERS = (".parquet", ".pq", *(f".csv{each}" for each in ("", *_COMPRESSED)))
# What results list as not read, if a file was not read completely.
NOT_READ = ("empty_rows", "row_names", "columns")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # stands for a missing value in folder names (year=...)
_END_BYTES = 2**16  # number of bytes that are hashed at the end of a file without a footer
_PARQUET = b"PAR1"
_TRAILER = 8  # bytes after a footer: its length, and the name of the format
_AT_ONCE = 16  # maximum number of objects that are asked about in parallel
# What a text may name if it is not a file: nothing, a table of the database, or also the address of
# a table.
Tables = Literal["", "named", "named or addressed"]
Stamp = TypeVar("Stamp")


@dataclass(frozen=True)
class FileStamp:
    """The state of a file: its size in bytes, its time of writing in nanoseconds, and a hash of its
    end (of the footer, if it is a Parquet file).

    For a remote object: its size, 0 as ``written`` and, as ``end``, its version or ETag.
    """

    size: int
    written: int
    end: str


def stamp(path: str) -> FileStamp:
    """Return the present stamp of a file or object. Raises InputError if it cannot be read."""
    if objects.is_address(path):
        found = objects.opened(path)
        return FileStamp(found.size, 0, found.version)
    try:
        with Path(path).open("rb") as file:
            now = os.fstat(file.fileno())
            return FileStamp(now.st_size, now.st_mtime_ns, _end(file, now.st_size))
    except OSError as error:
        raise InputError(f"The input {path!r} cannot be read: {error.strerror}.") from None


def stamps(paths: Sequence[str]) -> tuple[FileStamp, ...]:
    """Return the present stamps of files."""
    return tuple(_ask_each(stamp, paths))


def _stamp_or_none(path: str) -> FileStamp | None:
    """Return the present stamp of a file, or None if it is gone."""
    try:
        return stamp(path) if objects.is_address(path) or Path(path).exists() else None
    except objects.NoObjectError:
        return None


def _ask_each(ask: Callable[[str], Stamp], paths: Sequence[str]) -> list[Stamp]:
    """Call a function for each file and return the results. Remote objects are asked in
    parallel.
    """
    if not any(map(objects.is_address, paths)):
        return [*map(ask, paths)]
    with ThreadPoolExecutor(_AT_ONCE) as several:
        return [*several.map(ask, paths)]


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
        label: the source as the user gave it, or the type of a Python table.
        kind: one of ``FORMATS``, ``frame``, or ``table`` for a table of the database of the run.
        paths: the parts in sorted order, files or addresses. Empty for a frame or a table.
        folder: the folder of the parts, if one was named.
        frame: the Python table or DuckDB relation, the connection of a table, the library's object
            of a lake table, or None.
        role: ``the original`` or ``synthesis 2``, used as the name of a Python table.
        missing: texts in CSV files and sheets that mean missing, replaced before types are found.
        missing_of: (column, texts): further texts that mean missing in one column.
        csv: the form of a CSV file, as far as the user gave it.
        as_stored: columns in which values that the file declares missing are read as stored.
        stamps: the stamps of the parts at the time when the source was named. Empty for a file that
            the run itself writes, and for a lake table.
        version: the version of a lake table at which it is read.
        called: for parts that were fetched, path in the private folder -> name in messages.
    """

    label: str
    kind: str
    paths: tuple[str, ...] = ()
    folder: str = ""
    frame: Any = field(default=None, repr=False, compare=False)
    role: str = ""
    missing: tuple[str, ...] = ()
    csv: CsvForm = field(default_factory=CsvForm)
    missing_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    as_stored: frozenset[str] = frozenset()
    stamps: tuple[FileStamp, ...] = field(default=(), repr=False, compare=False)
    version: str = ""
    called: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_remote(self) -> bool:
        """True if the parts are remote objects that the run fetches. False for a lake table."""
        return not self.version and any(map(objects.is_address, self.paths))

    @property
    def as_texts(self) -> "Source":
        """The source with all texts unchanged: none means missing, and decimal marks stay."""
        return replace(self, missing=(), missing_of=(), csv=replace(self.csv, decimal="."))

    def part(self, path: str) -> str:
        """Return the name of a part for messages."""
        return self.called.get(path, path)

    def missing_in(self, column: str) -> tuple[str, ...]:
        """Return the texts that mean missing in a column."""
        return (*self.missing, *dict(self.missing_of).get(column, ()))

    @property
    def name(self) -> str:
        """The name of the source for messages."""
        if self.paths or self.kind == "table":
            return repr(self.label)
        return f"{self.role} ({self.label})"


@dataclass(frozen=True)
class Synthesis:
    """One synthetic file: its method (empty if unnamed), and its number within the method,
    from 1.
    """

    method: str
    number: int
    source: Source

    @property
    def label(self) -> str:
        """The label in results: ``1``, or ``cart 1``."""
        return f"{self.method} {self.number}".strip()


def read_header(path: str, source: Source) -> Header:
    """Read the header of a CSV file of a source, using the form that the user gave."""
    return header_of(path, source.csv, part_name(path, source))


def csv_as_read(source: Source) -> dict[str, str]:
    """Return encoding, delimiter, decimal and quote of a CSV source's first part, as given or
    found.
    """
    header = read_header(source.paths[0], source)
    return {name: getattr(header, name) for name in ("encoding", "delimiter", "decimal", "quote")}


def part_name(path: str, source: Source) -> str:
    """Return the name of one file of a source for messages."""
    return source.name if len(source.paths) == 1 else f"{source.name} (in {source.part(path)!r})"


def column_names_of(path: str) -> list[str]:
    """Return the columns of a source's first part, reading only the beginning.

    Empty if the source is unreadable, remote, or neither CSV nor Parquet.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        if objects.is_address(path):  # completing a word must not wait for a network
            return []
        source = read_source(path, "the file")
        first = source.paths[0]
        if source.kind == "csv":
            return [name for name in read_header(first, source).names if name]
        return list(parquet.read_schema(first).names) if source.kind == "parquet" else []
    except (InputError, OSError, pa.ArrowException):
        return []


def partitions(source: Source) -> list[str]:
    """Return the columns that are encoded in the folder names of all parts
    (``year=2020/part.parquet``).
    """
    found = [[name for name, _ in each] for each in _folder_names(source)]
    return found[0] if found and all(names == found[0] for names in found) else []


def folder_values(source: Source, column: str) -> set[str]:
    """Return the values of a column in folder names, as the names spell them."""
    return {value for each in _folder_names(source) for name, value in each if name == column}


def _folder_names(source: Source) -> list[list[tuple[str, str]]]:
    """Return the columns and values in the folder names of each part. Empty if the source is no
    folder.
    """
    return [
        re.findall(r"([^/=]+)=([^/]+)/", _inside(path, source.folder))
        for path in source.paths
        if source.folder
    ]


def texts_of_folders(source: Source, types: Mapping[str, str]) -> list[str]:
    """Return the columns in folder names that are text. Like texts of CSV files, they may get other
    types.
    """
    return [name for name in partitions(source) if types.get(name) == "VARCHAR"]


def read_source(given: Any, role: str, *, tables: Tables = "") -> Source:
    """Return the source of a path, address, glob, folder, Python table, lake table or (connection,
    name of a table). ``role`` is as in `Source`.

    With ``tables``, a text that is not a file names a table. A given Source gets this role. Raises
    InputError if the source does not exist or cannot hold records.
    """
    if isinstance(given, Source):
        return replace(given, role=role)
    if isinstance(given, str) and may_be_table(given, tables):
        if "://" in given:
            objects.require_no_secret(given)
        return Source(given, "table", role=role)
    if isinstance(given, str | os.PathLike):
        return replace(_files(os.fspath(given)), role=role)
    if isinstance(given, tuple) and _is_table(given):
        connection, table = given
        if type(connection).__name__ == "DuckDBPyConnection":
            return Source(table, "frame", frame=_relation(connection, table), role=role)
        return Source(table, "table", frame=connection, role=role)
    if (lake := lake_tables.held(given)) is not None:
        kind, place, table = lake
        return replace(_lake_table(kind, place, table), role=role)
    if hasattr(given, "__arrow_c_stream__") or is_dataset(given) or is_lazy(given):
        package = type(given).__module__.partition(".")[0]
        frame = given.to_native() if package == "narwhals" else given
        return Source(f"{package}.{type(given).__name__}", "frame", frame=frame, role=role)
    raise InputError(
        f"Cannot read records from a {type(given).__name__}: give a path, a pandas, polars or "
        "Arrow table or a DuckDB relation, or (connection, table)."
    )


def is_dataset(frame: object) -> bool:
    """Return True for an Arrow dataset, or a scanner of one."""
    return type(frame).__module__ == "pyarrow._dataset"


def is_lazy(frame: object) -> bool:
    """Return True for a polars query that has not run yet (LazyFrame)."""
    return type(frame).__module__.startswith("polars.") and type(frame).__name__ == "LazyFrame"


def require_repeatable(sources: Iterable[Source]) -> None:
    """Raise InputError for sources that can be read only once: Arrow readers."""
    once = (
        each.name
        for each in sources
        if any(kind.__name__ == "RecordBatchReader" for kind in type(each.frame).__mro__)
    )
    ProblemList(
        f"{name} can be read only once, and is needed again: pass a table, such as "
        "reader.read_all()."
        for name in dict.fromkeys(once)
    ).stop()


def may_be_table(given: str, tables: Tables) -> bool:
    """Return True if a text may name a table: it is an address, or it is not a file and does not
    look like a file name. ``tables`` says whether tables, and addresses of tables, are accepted at
    all.
    """
    if not tables or (tables == "named" and objects.is_address(given)):
        return False
    return "://" in given or (
        _kind(given) is None
        and sheet_of(given) is None
        and not os.path.exists(given)
        and not glob.has_magic(given)
    )


def _relation(connection: Any, table: str) -> Any:
    try:
        return connection.table(table)
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
            raise
        lacking = re.search(r'name "?(.+?)"? does', str(error))
        # The missing table is not the one asked for.
        if lacking is not None and not f".{table}".replace('"', "").endswith(f".{lacking[1]}"):
            raise InputError(
                f"The view {table!r} cannot be read: it reads a table that does not exist, or "
                "is in a database that is not attached here."
            ) from None
        raise InputError(f"There is no table {table!r} in the database.") from None


def read_syntheses(given: object, *, tables: Tables = "") -> list[Synthesis]:
    """Read syntheses in order: one source, a list, or a mapping from method names to one source or
    a list.

    In a mapping, every file that matches a glob is a synthesis. Elsewhere a glob is one synthesis
    in several parts, as a folder always is. Raises InputError with every problem.
    """
    problems = ProblemList()
    syntheses: list[Synthesis] = []
    methods = given if isinstance(given, Mapping) else {"": given}
    for method, sources in methods.items():
        several: list[object] = [sources]
        if (
            isinstance(sources, Sequence)
            and not isinstance(sources, str)
            and not _is_table(sources)
        ):
            several = list(sources)
        with problems:
            if method:
                several = [path for each in several for path in _expand(each)]
            if not several:
                raise InputError(
                    f"Synthesis {method!r}: give at least one file."
                    if method
                    else "Give at least one synthetic file."
                )
            for number, each in enumerate(several, start=1):
                role = f"synthesis {method} {number}".replace("  ", " ")
                with problems:
                    syntheses.append(
                        Synthesis(str(method), number, read_source(each, role, tables=tables))
                    )
    if not methods:
        problems.append("Give at least one synthetic file.")
    problems.stop()
    return syntheses


def _is_table(given: object) -> bool:
    """Return True for (connection, table), but not for a pair of files."""
    return (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[1], str)
        and not isinstance(given[0], str | os.PathLike)
    )


def _expand(given: object) -> list[object]:
    """Return the files that a glob matches, sorted. Anything else, also a glob that matches no
    local file, is returned as a list of one.
    """
    if isinstance(given, str) and objects.is_address(given) and glob.has_magic(given):
        return [*objects.find(given)[1]]
    if (
        isinstance(given, str | os.PathLike)
        and glob.has_magic(os.fspath(given))
        and not os.path.exists(given)
    ):
        return [*sorted(glob.glob(os.fspath(given), recursive=True))] or [given]
    return [given]


def _files(path: str) -> Source:
    folder, paths = _found(path)
    if kind := _lake_kind(path, folder, paths):
        return _lake_table(kind, path, lake_tables.opened(kind, path))
    if folder:
        paths = [each for each in paths if _kind(each) and not _hidden(_inside(each, folder))]
        paths = [each for each in paths if each.lower().endswith(_IN_FOLDERS)] or paths
        if not paths:
            raise InputError(
                f"The folder {path!r} holds no file with a known extension: {_known()}."
            )
    kinds = {_kind(each) for each in paths}
    if None in kinds:
        raise InputError(f"{path!r} has an unknown extension; known ones are: {_known()}.")
    if len(kinds) > 1:
        raise InputError(
            f"{path!r} mixes {' and '.join(sorted(FORMATS[str(kind)] for kind in kinds))} files; "
            "give one kind."
        )
    for each in paths:
        try:
            each.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"The name of the file {each!r} is not UTF-8 text; rename it."
            ) from None
    found = stamps(paths)
    if empty := [each for each, now in zip(paths, found, strict=True) if now.size == 0]:
        raise InputError(f"The file {empty[0]!r} is empty.")
    return Source(path, str(kinds.pop()), tuple(paths), folder, stamps=found)


def _found(path: str) -> tuple[str, list[str]]:
    """Return a path's folder (empty if the path is not a folder) and its files. Raises InputError
    if there are none.
    """
    sheet = sheet_of(path)
    plain = path if sheet is None else path[: -len(sheet) - 1]
    if objects.is_address(path):
        is_folder, paths = objects.find(plain)
        return plain.rstrip("/") if is_folder else "", paths
    if os.path.isdir(path):
        return path, sorted(str(each) for each in Path(path).rglob("*") if each.is_file())
    if os.path.exists(path):
        return "", [path]
    if os.path.exists(plain):
        return "", [plain]
    if "://" in path:
        objects.require_no_secret(path)
        raise InputError(
            f"{path!r} is not an address that sqlrisk can read; it reads {objects.KNOWN}."
        )
    if glob.has_magic(path):
        paths = sorted(each for each in glob.glob(path, recursive=True) if os.path.isfile(each))
        if not paths:
            raise InputError(f"No file matches {path!r}.")
        return "", paths
    raise InputError(f"There is no file {path!r}.")


def _lake_kind(path: str, folder: str, paths: Sequence[str]) -> str | None:
    """Return ``iceberg`` for an Iceberg table's metadata, ``delta`` for a Delta folder, otherwise
    None.
    """
    if path.endswith(lake_tables.METADATA):
        return "iceberg"
    # The folder also holds files that are no longer part of the table.
    if folder and (states := [each for each in paths if each.endswith(lake_tables.METADATA)]):
        raise InputError(
            f"{path!r} is the folder of an Iceberg table; name its current metadata file, as "
            f"in {states[-1]!r}."
        )
    if folder and any(lake_tables.LOG in _inside(each, folder).split("/") for each in paths):
        return "delta"
    return None


def _lake_table(kind: str, place: str, table: Any) -> Source:
    return Source(place, kind, (place,), frame=table, version=lake_tables.version_of(kind, table))


def _known() -> str:
    return f"{', '.join(_SUFFIXES)}; those of CSV also with {' or '.join(_COMPRESSED)}"


def sheet_of(label: str) -> str | None:
    """Return the sheet name after the path of an Excel file (``people.xlsx#Sheet 1``), if there is
    one.
    """
    places = (
        place
        for place, letter in enumerate(label)
        if letter == "#" and _kind(label[:place]) == "excel"
    )
    return next((label[place + 1 :] for place in places), None)


def _kind(name: str) -> str | None:
    plain, suffix = os.path.splitext(name.lower())
    if suffix in _COMPRESSED:
        kind = _SUFFIXES.get(os.path.splitext(plain)[1])
        return kind if kind == "csv" else None
    return _SUFFIXES.get(suffix)


def _inside(path: str, folder: str) -> str:
    """Return a part's path relative to the folder of its source."""
    if objects.is_address(path):
        return path.removeprefix(f"{folder}/")
    return Path(path).relative_to(folder).as_posix()


def _hidden(inside: str) -> bool:
    # Writers of partitioned data leave _SUCCESS and .crc files next to the parts.
    return any(part.startswith((".", "_")) for part in inside.split("/"))


@contextmanager
def unchanged(sources: Iterable["Source"]) -> Iterator[None]:
    """Raise InputError at the end of the block if a file of the sources was changed or removed.
    This error replaces an SqlriskError of the block, which the change may have caused.
    """
    try:
        yield
    except SqlriskError:
        _compare(sources)
        raise
    _compare(sources)


def _compare(sources: Iterable["Source"]) -> None:
    problems = []
    before = {  # only inputs have stamps
        path: then
        for source in sources
        for path, then in zip(source.paths, source.stamps, strict=False)
    }
    for (path, then), now in zip(before.items(), _ask_each(_stamp_or_none, [*before]), strict=True):
        if now is None:
            problems.append(
                f"The input {path!r} was removed since the run began. Put it back, and run again."
            )
        elif now != then:
            problems.append(
                f"The input {path!r} changed during the run. Run again when nothing writes to it."
            )
    if problems:
        raise InputError(problems) from None
