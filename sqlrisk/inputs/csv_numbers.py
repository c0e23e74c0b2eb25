"""Numbers in CSV files: which texts are numbers, and the first line of a column that holds another text."""

import gzip
import re
from collections.abc import Iterator

from sqlrisk.inputs.sources import Header, Source, read_header

# A number has no leading zeros, and is short enough that its type holds it: a float holds every whole number of 15 digits, and
# floats are written with up to 17.
WHOLE = r"-?(0|[1-9][0-9]{0,17})"
HUGE = r"-?(0|[1-9][0-9]{0,36})"
DECIMAL = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
WHOLE_DIGITS = 15
FLOAT_DIGITS = 17
CODE = r"0[0-9]+"  # a column that holds one holds codes, which are text


def first_text(source: Source, column: str) -> str:
    """Say where a column of a CSV file first holds a text that is neither a number nor missing: ``line 17``, as editors count.

    Of several parts the name of the part is said, too.
    """
    for path in source.paths:
        header = read_header(path, source)
        for line, text in _texts(path, header, column):
            if text not in source.missing and not re.fullmatch(DECIMAL, text):
                return f"line {line}" if len(source.paths) == 1 else f"line {line} of {path!r}"
    return "a line"


def _texts(path: str, header: Header, column: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a column, each with the line that its record begins in; without those that are missing."""
    place, delimiter = header.names.index(column), re.escape(header.delimiter)
    field = rf'"(?:[^"]|"")*"|[^"{delimiter}\r\n][^{delimiter}\r\n]*|'
    whole = re.compile(rf"(?:{field})(?:{delimiter}(?:{field}))*[\r\n]*")
    each = re.compile(rf"({field})(?:{delimiter}|[\r\n]*\Z)")
    begins, record = 1, ""
    with (gzip.open if header.compressed else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
        for line, text in enumerate(file, start=1):
            record += text
            if '"' not in record:
                fields = record.rstrip("\r\n").split(header.delimiter)
            elif whole.fullmatch(record):
                fields = each.findall(record)
            else:  # a line break inside quotes
                continue
            if begins > 1 and place < len(fields) and fields[place]:  # the header comes first; a line may be empty
                found = fields[place]
                yield begins, found[1:-1].replace('""', '"') if found.startswith('"') else found
            begins, record = line + 1, ""
