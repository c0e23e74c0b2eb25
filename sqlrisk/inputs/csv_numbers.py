"""Numbers in CSV files: which texts are numbers, and the first line of a column that holds another text."""

import csv
import gzip
import re
from collections.abc import Iterable, Iterator

from sqlrisk.inputs.sources import Header, Source, long_fields, read_header

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
            if text not in source.missing_in(column) and not re.fullmatch(DECIMAL, text):
                return f"line {line}" if len(source.paths) == 1 else f"line {line} of {path!r}"
    return "a line"


def _texts(path: str, header: Header, column: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a column, each with the line that its record begins in; without those that are missing."""
    place, lines = header.names.index(column), list[str]()

    def kept(file: Iterable[str]) -> Iterator[str]:
        for line in file:
            lines.append(line)
            yield line

    opened = (gzip.open if header.compressed else open)(path, "rt", encoding="utf-8-sig", newline="")
    with long_fields(), opened as file:
        records = csv.reader(kept(file), delimiter=header.delimiter)
        next(records)
        lines.clear()
        for record in records:
            found = record[place] if place < len(record) else ""  # a line may be empty
            # A reader does not say whether nothing was in quotes, which is text: each quoted text is one mark here.
            if found or '"' in re.sub(r'"(?:[^"]|"")*"', '"', "".join(lines)).split(header.delimiter)[place : place + 1]:
                yield records.line_num - len(lines) + 1, found
            lines.clear()
