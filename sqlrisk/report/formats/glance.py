"""A result as Python and notebooks show it: the first rows, and values that all rows share."""

from collections.abc import Iterator, Sequence

from sqlrisk.report.blocks import Block, Paragraph
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.wording import number, or_nothing

MOST = 10  # maximum number of rows shown
_LONGEST = 30  # maximum length of a label
_LABELS = 56  # characters for all labels of a row, which leaves room for numbers


def glance(
    columns: Sequence[str], rows: Sequence[Sequence[object]], count: int | None = None
) -> Iterator[Block]:
    """Yield the first rows as a table, without empty columns. Texts and booleans with one value in
    all rows follow below the table, and the names of columns for which there is no room.

    If ``rows`` are only the first rows, ``count`` is the number of all rows. Then the shared values
    are not shown.
    """
    every = range(len(columns))
    places = [place for place in every if any(row[place] is not None for row in rows)]
    whole = count is None or count == len(rows)
    same = [
        place
        for place in places[1:]
        if whole
        and isinstance(rows[0][place], str | bool)
        and len({str(row[place]) for row in rows}) == 1
    ]
    first = [
        [_cut(told(value)) if isinstance(value, str | list | tuple) else value for value in row]
        for row in rows[:MOST]
    ]
    drawn: list[int] = []
    narrow: list[int] = []
    room = _LABELS
    for place in (place for place in places if place not in same):
        labels = [each for row in first if isinstance(each := row[place], str)]
        room -= max(map(len, (columns[place], *labels))) + 2 if labels else 0
        (drawn if room >= 0 or not labels or not drawn else narrow).append(place)
    if drawn:
        yield plain_grid(
            [columns[place] for place in drawn],
            [[row[place] for place in drawn] for row in first],
            told,
        )
    if more := (len(rows) if count is None else count) - len(rows[:MOST]):
        yield Paragraph(
            f"... and {more:,} more: to_pandas(), to_polars(), to_arrow() have all rows.",
            quiet=True,
        )
    if narrow:
        yield Paragraph(
            f"Columns for which there is no room: {', '.join(columns[place] for place in narrow)}.",
            quiet=True,
        )
    if same:
        yield Paragraph(
            "In all rows: "
            f"{', '.join(f'{columns[place]} {told(rows[0][place])}' for place in same)}.",
            quiet=True,
        )


def told(value: object) -> str:
    """Return a value as text for a table in Python: floats to six digits, lists in one line."""
    if isinstance(value, list | tuple):
        return ", ".join(map(told, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float) else or_nothing(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
