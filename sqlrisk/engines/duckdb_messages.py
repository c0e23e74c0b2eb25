"""Explain errors of DuckDB without its own messages, which may quote values of records."""

import re
from contextlib import suppress
from pathlib import Path

import duckdb

from sqlrisk.common import disk
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.inputs.sources import FORMATS, Source

UNREADABLE = (
    "The view {} cannot be read: it reads a table that does not exist, or is in a database "
    "that is not attached here."
)
# DuckDB refuses forbidden statements by several kinds of exceptions.
_FORBIDDEN = ("read-only mode", "configuration has been locked")
_SQLITE = b"SQLite format 3\0"  # the first bytes of an SQLite file
_SIZE = re.compile(
    r"(?!0+(\.0+)?\s*[a-zA-Z])[0-9]+(\.[0-9]+)?\s*([KMGT]i?B|B|bytes)", re.IGNORECASE
)


def broken(source: Source, message: str) -> str:
    """Explain why a source cannot be read. From DuckDB's message, take only numbers."""
    part = next((path for path in source.paths if len(source.paths) > 1 and path in message), None)
    where = f"{source.name} (in {source.part(part)!r})" if part else source.name
    if source.kind == "frame":
        return f"The table {where} cannot be read: it holds values of mixed types."
    if source.kind not in ("parquet", "csv"):
        return (
            f"The {FORMATS.get(source.kind, 'table')} {where} cannot be read: it holds values "
            "of mixed types, or is damaged."
        )
    if source.kind == "parquet":
        if "UTF8" in message or "UTF-8" in message or "unicode" in message.lower():
            return (
                f"The Parquet {where} cannot be read: it holds text that is not UTF-8. Write "
                "it again as UTF-8."
            )
        return (
            f"The Parquet {where} cannot be read: it is broken, or not a Parquet file. Write "
            "it again."
        )
    line = re.search(r"Line: (\d+)", message)
    if not line or "maximum line size" in message.lower():
        return (
            f"The CSV {where} cannot be read: it is broken, mixes kinds of line ends, or has a "
            "line of over 2 MB. Write it again as UTF-8 with one kind of line end."
        )
    if "unicode" in message.lower() or "utf-8" in message.lower():
        return (
            f"The CSV {where} cannot be read: line {line[1]} is not UTF-8 text. Save it as UTF-8."
        )
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    why = "has a quote that is not closed or not doubled"
    if columns:
        why = f"has the wrong number of fields ({columns[2]} instead of {columns[1]})"
    remedy = "Correct that line; put text that holds a separator in double quotes."
    return f"The CSV {where} cannot be read: line {line[1]} {why}. {remedy}"


def unopened(path: str, what: str) -> str:
    """Explain why a file cannot be opened. ``what`` is the kind of file expected."""
    with suppress(OSError), Path(path).open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return f"{path!r} is an SQLite database: name it with --engine sqlite:///{path}."
    return (
        f"{path!r} cannot be opened: it is not a {what}, another program is writing to it, or "
        "files cannot be locked in its folder."
    )


def refused(memory_limit: str | None, threads: int | None, error: object = "") -> list[str]:
    """Return the limits that are invalid, one sentence each. If all are valid, return DuckDB's
    message. It quotes no value, since no record is read yet.
    """
    problems = []
    if memory_limit is not None and not _SIZE.fullmatch(memory_limit.strip()):
        problems.append(
            f"memory_limit: {memory_limit!r} is not a size; give a number and a unit, as in "
            "4GB or 500MB."
        )
    if threads is not None and threads < 1:
        problems.append(f"threads: {threads} is too few; give 1 or more threads.")
    return problems or [
        (
            f"The engine refuses its settings: memory_limit {memory_limit!r}, threads {threads!r}. "
            f"{error}"
        ).strip()
    ]


def explain(error: BaseException, folder: Path) -> str:
    """Explain an error without a value of a record. ``folder`` is where the session writes
    temporary files.
    """
    if isinstance(error, duckdb.OutOfMemoryException):
        return (
            "The engine ran out of memory or temporary disk space: raise --memory-limit, "
            "or point --temp-directory to a larger disk."
        )
    if disk.is_full(error):
        return f"The disk of the temporary folder {str(folder)!r} is full. {disk.ELSEWHERE}"
    if isinstance(error, duckdb.IOException):
        return (
            "The engine could not read or write a file: check the temporary folder "
            f"{str(folder)!r} and its disk."
        )
    if isinstance(error, duckdb.InternalException):
        return (
            "The engine failed (InternalException): by a defect of its own, or by a broken input "
            "file. Run again, write the file again, or update duckdb."
        )
    return (
        f"The engine failed ({type(error).__name__}). It may have met one of its limits: ask "
        "for fewer columns at once, or remove columns that you do not need from the files."
    )


def refused_query(error: EngineError | InputError) -> object:
    """Explain why the user's own query failed.

    Only messages about names and syntax are repeated, because others may quote values.
    """
    cause = error.cause if isinstance(error, EngineError) else None
    if isinstance(cause, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
        return cause
    if isinstance(cause, duckdb.PermissionException) or any(
        words in str(cause) for words in _FORBIDDEN
    ):
        return "it may only read the saved run. Write a SELECT over its tables."
    if cause is None or isinstance(cause, duckdb.InvalidInputException):
        return "a value does not fit its type, or the argument of a function."
    return error


def unusable(error: BaseException, folder: Path) -> InputError | EngineError:
    """Return the error for a temporary folder that a session cannot use."""
    if "lock on file" in str(error):
        return InputError(
            f"Files cannot be locked in the temporary folder {str(folder)!r}, as on some network "
            "drives: point --temp-directory to a folder of this machine."
        )
    return EngineError(explain(error, folder))
