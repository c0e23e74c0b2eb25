"""Write the result to standard output, and everything else to standard error."""

import os
import shutil
import sys
from typing import NoReturn, TextIO

from sqlrisk.common.errors import EngineError

WIDEST = 160  # wider lines are hard to read


def reopen() -> None:
    """Open each standard stream that the shell closed (``>&-``), before a file gets its number.
    Standard output stays unwritable, since a result must not be lost without a message.
    """
    for name, flags, mode in (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def put(data: bytes) -> None:
    """Write the result to standard output. If its reader has closed it, end with status 141, as
    SIGPIPE would. Raises EngineError if it cannot be written.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _end_unread(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise EngineError(f"Standard output cannot be written: {error.strerror}.") from None


def show(text: str) -> None:
    """Write text to standard output. If it is longer than the terminal, use a pager (PAGER)."""
    lines = text.count("\n")
    if sys.stdout.isatty() and sys.stdin.isatty() and lines >= shutil.get_terminal_size().lines:
        from click import echo_via_pager

        # like git: show colors, and leave the text on the screen
        os.environ.setdefault("LESS", "FRX")
        echo_via_pager(text, color=colour())
    else:
        put(encoded(text))


def note(text: str) -> None:
    """Write a message to standard error. If its reader has closed it, end as `put` does."""
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        _end_unread(sys.stderr)


def _end_unread(closed: TextIO) -> NoReturn:
    _give_up(closed)
    raise SystemExit(141) from None  # 1 would mean that the answer is no


def _give_up(stream: TextIO) -> None:
    """Discard the rest of a stream, or Python would report the error again when closing it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def encoded(text: str) -> bytes:
    """Encode text in the encoding of standard output. Files for programs are always UTF-8."""
    from sqlrisk.report.formats.text import in_encoding

    encoding = sys.stdout.encoding or "utf-8"
    return in_encoding(text, encoding).encode(encoding)


def width() -> int:
    """Return the width to print in: COLUMNS, the terminal's, or 80; from 40 to `WIDEST`."""
    return min(max(shutil.get_terminal_size().columns, 40), WIDEST)


def colour() -> bool:
    """Return True if standard output is a terminal that shows color."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def printable(text: str) -> str:
    """Return ``text`` in one line with control characters escaped: a column name could control the
    terminal.
    """
    line = " ".join(text.splitlines())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
