"""Recognize texts of CSV files as numbers, dates or booleans, and find the first other text of a
column.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from sqlrisk.inputs.csv_files.headers import Header, long_fields, opened, quoting
from sqlrisk.inputs.datatypes import INSTANT
from sqlrisk.inputs.sources import Source, read_header

# A number has no leading zeros, and is short enough for its type: a float holds every whole number
# of 15 digits, and floats are written with up to 17. Programs write .5 (Stata), 5. and +5, blanks
# before, 1e+005, Inf: DuckDB casts them all. Exponents beyond a float are left out: different
# numbers would all become 0 or infinite.
_AROUND, _SIGN = r"[ \t]*{}[ \t]*", "[+-]?"
_EXPONENT = "[eE][+-]?0?[0-9]{1,2}"
_LARGE = "[eE]([+]?([12][0-9]{2}|30[0-7])|-([12][0-9]{2}|30[0-9]|31[0-9]|32[0-3]))"
_PLAIN = rf"((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)({_EXPONENT})?"
_FAR = rf"[1-9](\.[0-9]*)?{_LARGE}|1(\.[0-7][0-9]*)?[eE][+]?308"
FLOAT = r"-?(0|[1-9][0-9]*)\.[0-9]+"
SHORT = _AROUND.format(_SIGN + "(0|[1-9][0-9]{0,14})")
WHOLE = _AROUND.format(_SIGN + "(0|[1-9][0-9]{0,17})")
HUGE = _AROUND.format(_SIGN + "(0|[1-9][0-9]{0,36})")
DECIMAL = _AROUND.format(f"{_SIGN}({_PLAIN}|{_FAR}|(?i:inf(inity)?|nan))")
WHOLE_DIGITS = 15
FLOAT_DIGITS = 17
CODE = r"0[0-9]+"  # leading zeros show that a column holds codes, which are text


# The forms of texts that get another type if a typed file has it.
_DAY = r"([1-9]\d{3}|0[1-9]\d{2}|00[1-9]\d|000[1-9])-\d{2}-\d{2}"  # there is no year 0
_TIME = r"[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
FORMS = {
    "BOOLEAN": "(?i:true|false|t|f)",
    "DATE": _DAY,
    "TIMESTAMP": f"{_DAY}({_TIME})?",
    INSTANT: rf"{_DAY}{_TIME}(Z| UTC|[+-](0\d|1[0-5])(:?[0-5]\d)?)",
}


def decimal(mark: str, form: str = DECIMAL) -> str:
    """Return the regular expression of a number with this decimal mark. ``form`` is that of a
    number with a point.
    """
    return form.replace(r"\.", re.escape(mark))


def first_text(source: Source, column: str, kind: str = "DOUBLE") -> tuple[str, str]:
    """Return the first place where a CSV column holds a text that is not of a type, and that text.

    Missing values are skipped. The place is ``line 17``, as editors count lines. If the source has
    several parts, the place also names the part. If no text is found, return ``a line`` and "".
    """
    for path in source.paths:
        header = read_header(path, source)
        for line, text in _texts(path, header, column):
            if text not in source.missing_in(column) and not is_one(text, kind, header.decimal):
                part = f" of {path!r}" if len(source.paths) > 1 else ""
                return f"line {line}{part}", text
    return "a line", ""


def is_one(text: str, kind: str, mark: str = ".") -> bool:
    """Return True if a text fits a type in `FORMS`. For other types, return True if the text is a
    number with this decimal mark.
    """
    if re.fullmatch(FORMS.get(kind, decimal(mark)), text) is None:
        return False
    if kind not in ("DATE", "TIMESTAMP", INSTANT):
        return True
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text.removesuffix(" UTC")))
    return False


def _texts(path: str, header: Header, column: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a column, each with the number of the line on which its record begins.
    Empty fields without quotes are missing, and are skipped.
    """
    place, lines = header.names.index(column), list[str]()

    def kept(file: Iterable[str]) -> Iterator[str]:
        for line in file:
            lines.append(line)
            yield line

    quote = re.escape(header.quote)
    quoted = f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}"
    with long_fields(), opened(path, header.compression) as file:
        text = io.TextIOWrapper(
            file, encoding="utf-8-sig" if header.is_utf8 else header.encoding, newline=""
        )
        for _ in range(header.skipped):
            next(text)
        records = csv.reader(kept(text), delimiter=header.delimiter, **quoting(header.quote))
        next(records)
        lines.clear()
        for record in records:
            found = record[place] if place < len(record) else ""  # a line may be empty
            # Python's csv reads a quoted empty text like a missing value, but it is text. So
            # replace each quoted text with one quote, to see if the field is quoted.
            bare = re.sub(quoted, header.quote, "".join(lines)) if quote else ""
            if found or (quote and header.quote in bare.split(header.delimiter)[place : place + 1]):
                yield header.skipped + records.line_num - len(lines) + 1, found
            lines.clear()
