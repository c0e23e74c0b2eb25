"""CSV files: their form (encoding, delimiter and so on), given by the user or found in the header,
and their text.
"""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from sqlrisk.common import objects
from sqlrisk.common.errors import InputError

_DELIMITERS = (",", ";", "\t", "|")
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
# Compared after UTF-32, because the mark of UTF-32 begins with that of UTF-16.
_MARKS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# The first bytes of files of other formats, and what to do about them.
_OTHERS = {
    b"PK\x03\x04": "a zip archive, such as an Excel workbook: call it .xlsx, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Excel workbook: save it as .xlsx without a password",
    b"PAR1\x15": "a Parquet file: call it .parquet",
    b"\x1f\x8b": "compressed by gzip: call it .csv.gz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: call it .csv.zst",
    b"$FL2@(#)": "an SPSS file: call it .sav",
    b"$FL3@(#)": "an SPSS file: call it .zsav",
    b"<stata_dta>": "a Stata file: call it .dta",
    b"ARROW1\0": "an Arrow file: call it .arrow",
}
# The first line in which Excel looks for the separator.
_SEPARATED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_HEADER_BYTES = 2**20
_FIRST_RECORDS = 100  # records read to find row names
_PIECE = 2**22  # bytes converted at a time


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written, as the user says. An empty encoding or delimiter is found in the
    file.
    """

    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    quote: str = '"'  # empty: no character


@dataclass(frozen=True)
class Header:
    """The start of a CSV file: its columns and form.

    ``compression`` is ``gzip``, ``zstd`` or ``none``. ``skipped`` counts the lines before the
    header. If the records have row names that the header does not name, ``names`` begins with an
    empty name. An empty ``quote`` means no quote character.
    """

    names: tuple[str, ...]
    delimiter: str
    compression: str = "none"
    encoding: str = "utf-8"
    decimal: str = "."
    quote: str = '"'
    skipped: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, without an unnamed first column (row names of R or a pandas index)."""
        return self.names[1:] if self.has_row_names else self.names

    @property
    def has_row_names(self) -> bool:
        """True if there are several columns and the first has no name."""
        return len(self.names) > 1 and not self.names[0]

    @property
    def is_utf8(self) -> bool:
        """True if the file is encoded in UTF-8."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")


def opened(path: str, compression: str) -> BinaryIO:
    """Open a file or remote object, uncompressing ``gzip`` or ``zstd``.

    Errors are raw: `reading` turns them into InputError.
    """
    stored: BinaryIO | str = objects.stream(path) if objects.is_address(path) else path
    if compression == "gzip":
        return cast("BinaryIO", gzip.open(stored, "rb"))
    if compression == "zstd":
        import pyarrow as pa

        return cast("BinaryIO", pa.input_stream(stored, compression="zstd"))
    return Path(stored).open("rb") if isinstance(stored, str) else stored


def header_of(path: str, form: CsvForm, named: str) -> Header:
    """Read the header of a CSV file. Messages call it ``named``. Raises InputError if unreadable.

    The delimiter is the first that is known: the user's, that of a first line ``sep=;``, a tab if
    the file name implies it, or the most frequent of ``, ; tab |`` outside quotes.
    """
    suffixes = [each.lower() for each in Path(path).suffixes]
    compression = _COMPRESSIONS.get(suffixes[-1] if suffixes else "", "none")
    with reading(named, compression), opened(path, compression) as file:
        start = file.read(_HEADER_BYTES)
        if other := next(
            (what for begins, what in _OTHERS.items() if start.startswith(begins)), None
        ):
            raise InputError(
                f"The CSV {named} cannot be read: its first bytes are those of {other}."
            )
        encoding = form.encoding or next(
            (name for mark, name in _MARKS.items() if start.startswith(mark)), "utf-8"
        )
        text = Decoder(encoding, named).text(start, last=len(start) < _HEADER_BYTES)
    separated = _SEPARATED.match(text)
    text = text[separated.end() :] if separated else text
    quote = re.escape(form.quote)
    quoted = f"{quote}[^{quote}]*{quote}" if quote else r"(?!)"
    record = re.match(rf"(?:{quoted}|[^{quote}\r\n])*", text)
    head = record[0] if record else ""
    bare = re.sub(quoted, "", head)
    tabs = "\t" if {".tsv", ".tab"}.intersection(suffixes[-2:]) else ""
    said = separated[1] if separated else ""
    delimiter = form.delimiter or said or tabs or max(_DELIMITERS, key=bare.count)
    if not head.strip():
        raise InputError(f"The CSV {named} has no header: its first line must name the columns.")
    lines = [head] if "\n" not in head and "\r" not in head else head.splitlines(keepends=True)
    with long_fields():
        names = next(csv.reader(lines, delimiter=delimiter, **quoting(form.quote)))
        records = csv.reader(
            io.StringIO(text[len(head) :], newline=""), delimiter=delimiter, **quoting(form.quote)
        )
        if names[0] and _have_row_names(records, len(names), cut=len(start) == _HEADER_BYTES):
            names.insert(0, "")
    return Header(
        tuple(names),
        delimiter,
        compression,
        encoding,
        form.decimal,
        form.quote,
        1 if separated else 0,
    )


def _have_row_names(records: Iterator[list[str]], names: int, *, cut: bool) -> bool:
    """Return True if the first records have one field more than the header, as R writes row names.

    The first fields must differ. At least two records are needed, as one may have an extra field by
    mistake. An empty last field (a separator at the end of each record) does not count. ``cut`` is
    True if the last record may be incomplete.
    """
    with suppress(csv.Error):
        first = list(islice(records, _FIRST_RECORDS))
        if cut and len(first) < _FIRST_RECORDS:
            del first[-1:]
        first = [record for record in first if any(map(str.strip, record))]
        own = [record[0] for record in first]
        alike = (
            all(len(record) == names + 1 for record in first)
            and len({*own}) == len(own)
            and all(own)
        )
        return alike and len(own) > 1 and any(record[-1] for record in first)
    return False


@contextmanager
def reading(named: str, compression: str) -> Iterator[None]:
    """Raise InputError if the block cannot open or uncompress a file."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(
            f"The CSV {named} cannot be read: it is damaged or incomplete as a gzip file. "
            "Compress it again."
        ) from None
    except OSError as error:
        if compression == "zstd" and not error.errno:
            raise InputError(
                f"The CSV {named} cannot be read: it is damaged or incomplete as a zstd file. "
                "Compress it again."
            ) from None
        raise InputError(f"The CSV {named} cannot be opened: {error.strerror}.") from None


class Decoder:
    """Decodes the bytes of a file piece by piece.

    Raises InputError with the line number of bytes that are invalid in the encoding.
    """

    def __init__(self, encoding: str, named: str) -> None:
        self._encoding, self._named = encoding, named
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._feeds = self._returns = 0
        self._begun = False

    def text(self, piece: bytes, *, last: bool) -> str:
        """Return the text of the next bytes. ``last`` is True for the last piece. A byte order mark
        is dropped.
        """
        try:
            text = self._decoder.decode(piece, last)
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                self._count(codecs.decode(error.object[: error.start], self._encoding, "ignore"))
            line = max(self._feeds, self._returns) + 1
            plain = codecs.lookup(self._encoding).name == "utf-8"
            what, name = (
                ("UTF-8", "its encoding, as in --encoding windows-1252")
                if plain
                else (self._encoding, "its encoding")
            )
            raise InputError(
                f"The CSV {self._named} cannot be read: line {line} is not {what} text. Save it "
                f"as UTF-8, or name {name}."
            ) from None
        self._count(text)
        if text and not self._begun:
            self._begun, text = True, text.removeprefix("\ufeff")
        return text

    def _count(self, text: str) -> None:
        self._feeds += text.count("\n")
        self._returns += text.count("\r")


def utf8(path: str, header: Header, named: str) -> Iterator[bytes]:
    """Yield a CSV file's uncompressed text as UTF-8, a piece at a time."""
    decoder = Decoder(header.encoding, named)
    with reading(named, header.compression), opened(path, header.compression) as file:
        while piece := file.read(_PIECE):
            yield decoder.text(piece, last=False).encode()
        yield decoder.text(b"", last=True).encode()


def quoting(quote: str) -> dict[str, Any]:
    """Return the arguments of Python's csv readers for this quote character. Empty stands for
    none.
    """
    return {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}


@contextmanager
def long_fields() -> Iterator[None]:
    """Let Python's csv read fields of up to 2 billion characters, until the block ends."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)
