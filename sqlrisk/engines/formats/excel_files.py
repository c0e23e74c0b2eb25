"""Excel workbooks, by calamine: one sheet, whose first row names the columns. Types are those of whole columns."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.engines.formats.streams import Part
from sqlrisk.inputs.sources import Source, sheet_of

_ROWS = 2**16


def part(path: str, source: Source, _room: int) -> Part:
    """Open a sheet: the one that is named, or the only one."""
    import pyarrow as pa
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    book = CalamineWorkbook.from_path(path)
    sheets = [each.name for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    name = sheet_of(source.label) or (sheets[0] if len(sheets) == 1 else None)
    if name not in sheets:
        raise InputError(
            f"The Excel {source.name} has the sheets {', '.join(map(repr, sheets))}: name one of them, as in {path}#{sheets[0]}."
        )
    sheet = book.get_sheet_by_name(name)

    def rows() -> Iterator[Sequence[Any]]:
        if sheet.start is not None:
            yield from islice(sheet.iter_rows(), sheet.start[0], None)

    table = rows()
    head = [_text(each) for each in next(table, [])]
    seen: list[set[type]] = [set() for _ in head]
    for row in table:
        for types, value in zip(seen, row, strict=True):
            if value != "":
                types.add(type(value))
    kept = [place for place, types in enumerate(seen) if head[place] or types]
    kinds = [_kind(seen[place]) for place in kept]
    makes = {head[place]: (place, kind, make) for place, (kind, make) in zip(kept, kinds, strict=True)}
    if len(makes) < len(kept):
        again = next(head[place] for place in kept if [head[each] for each in kept].count(head[place]) > 1)
        raise InputError(f"{source.name} has the column {again!r} twice; rename one.")

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        table = rows()
        next(table)
        while piece := list(islice(table, _ROWS)):
            arrays = []
            for column in columns:
                place, kind, make = makes[column]
                arrays.append(pa.array([None if row[place] == "" else make(row[place]) for row in piece], kind))
            yield pa.record_batch(arrays, list(columns))

    return Part(pa.schema([(column, kind) for column, (_, kind, _) in makes.items()]), batches, records=sheet.height - 1)


def _kind(seen: set[type]) -> tuple[Any, Callable[[Any], object]]:
    """Return the Arrow type that holds values of some types, and what makes a value of it: text where they are of several."""
    import pyarrow as pa

    if seen and seen <= {float, int}:
        return pa.float64(), float
    if seen == {bool}:
        return pa.bool_(), bool
    if seen == {date}:
        return pa.date32(), lambda value: value
    if seen and seen <= {date, datetime}:
        return pa.timestamp("us"), lambda value: value if isinstance(value, datetime) else datetime.combine(value, time())
    if seen == {time}:
        return pa.time64("us"), lambda value: value
    return pa.string(), _text


def _text(value: object) -> str:
    """Write a value as Excel shows it without a format."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)
