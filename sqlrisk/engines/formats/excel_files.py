"""Excel workbooks, by calamine: one sheet, whose first row names the columns.

The type of a column is found from all its values. Empty rows are skipped anywhere, because a sheet
extends to the last cell that was ever formatted or got a formula.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.streams import Part
from sqlrisk.inputs.datatypes import EXACT_INTEGERS
from sqlrisk.inputs.sources import Source, sheet_of

_ROWS = 2**16


def part(path: str, source: Source, _room: int) -> Part:
    """Open the named sheet of a workbook, or its only one.

    Raises InputError if the sheet is missing, if there are several and none is named, or if two
    columns have the same name.
    """
    import pyarrow as pa
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    book = CalamineWorkbook.from_path(path)
    sheets = [each.name for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    name = sheet_of(source.label) or (sheets[0] if len(sheets) == 1 else None)
    if name not in sheets:
        raise InputError(
            f"The Excel {source.name} has the sheets {', '.join(map(repr, sheets))}: name one of "
            f"them, as in {source.part(path)}#{sheets[0]}."
        )
    sheet = book.get_sheet_by_name(name)

    def rows() -> Iterator[Sequence[Any]]:
        if sheet.start is not None:
            yield from islice(sheet.iter_rows(), sheet.start[0], None)

    def records() -> Iterator[Sequence[Any]]:
        return (row for row in rows() if not _is_empty(row))

    table = rows()
    head = [_text(each) for each in next((row for row in table if not _is_empty(row)), [])]
    words = [source.missing_in(name) for name in head]
    seen: list[set[type]] = [set() for _ in head]
    count = empty = 0
    for row in table:
        if _is_empty(row):
            empty += 1
            continue
        count += 1
        for types, value, missing in zip(seen, row, words, strict=True):
            if not _is_missing(value, missing):
                types.add(type(value))
    kept = [place for place, types in enumerate(seen) if head[place] or types]
    row_names = len(kept) > 1 and not head[kept[0]]  # as in the index that pandas writes
    kept = kept[1:] if row_names else kept
    kinds = [_kind(seen[place]) for place in kept]
    makes = {
        head[place]: (place, kind, make) for place, (kind, make) in zip(kept, kinds, strict=True)
    }
    if len(makes) < len(kept):
        again = next(
            head[place] for place in kept if [head[each] for each in kept].count(head[place]) > 1
        )
        raise InputError(f"{source.name} has the column {again!r} twice; rename one.")

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        table = records()
        next(table)
        while piece := list(islice(table, _ROWS)):
            arrays = []
            for column in columns:
                place, kind, make = makes[column]
                cells = (row[place] for row in piece)
                arrays.append(
                    pa.array(
                        [None if _is_missing(each, words[place]) else make(each) for each in cells],
                        kind,
                    )
                )
            yield pa.record_batch(arrays, list(columns))

    schema = pa.schema([(column, kind) for column, (_, kind, _) in makes.items()])
    return Part(schema, batches, records=count, empty_rows=empty, row_names=row_names)


def _is_empty(row: Sequence[object]) -> bool:
    """Return True if all cells of a row are empty or blank."""
    return all(isinstance(value, str) and not value.strip() for value in row)


def _is_missing(value: object, words: Container[str]) -> bool:
    """Return True if a cell is empty, or one of the words for a missing value."""
    return value == "" or (bool(words) and _text(value) in words)


def _kind(seen: set[type]) -> tuple[Any, Callable[[Any], object]]:
    """Return the Arrow type for values of these Python types, and a function that converts a value
    to it.

    Mixed types become text. A column without values goes with any type.
    """
    import pyarrow as pa

    if not seen:
        return pa.null(), _text
    if seen <= {float, int}:
        return pa.float64(), float
    if seen == {bool}:
        return pa.bool_(), bool
    if seen == {date}:
        return pa.date32(), lambda value: value
    if seen <= {date, datetime}:
        return pa.timestamp("us"), _moment
    if seen == {time}:
        return pa.time64("us"), lambda value: value
    return pa.string(), _text


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _text(value: object) -> str:
    """Write a value as text so that different numbers have different texts. Integers up to 2**53
    are written by their digits.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT_INTEGERS["DOUBLE"]:
        return str(int(value))
    return str(value)
