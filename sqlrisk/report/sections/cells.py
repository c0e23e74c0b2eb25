"""Columns of printed tables, each with a function that makes a cell's text from a row."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlrisk.report.blocks import Cell, GridColumn
from sqlrisk.report.wording import Row, number_of, plain_text, shown, value_of


def text(head: str, read: Callable[[Any], str], *, once: bool = False) -> Cell[Any]:
    """Return a column of text under the heading ``head``. ``read`` makes the text from a row.
    ``once`` is explained in GridColumn.
    """
    return GridColumn(head, label=True, once=once), read


def label(field: str | int, head: str = "", *, once: bool = False) -> Cell[Any]:
    """Return a column with a name or level from the ``field`` of each row. ``head`` is its heading,
    by default the field.
    """
    return text(head or str(field), lambda row: shown(row[field]), once=once)


def word(field: str) -> Cell[Any]:
    """Return a column whose texts are words of the program, not of the data."""
    return text(field, lambda row: plain_text(row[field]))


def number(field: str, head: str = "", unit: str = "", above: str = "") -> Cell[Any]:
    """Return a column with the number in the ``field`` of each row, written as `amount` does for
    the ``unit``. The numbers keep their source in the report (see `blocks.Number`).

    ``head`` is the heading, by default the field. ``above`` is the heading above it.
    """
    return GridColumn(head or field, above=above), lambda row: number_of(row, field, unit)


def value(values: Mapping[Any, Row], name: object, column: GridColumn) -> Cell[Any]:
    """Return a column with the values of ``name``, such as a measure.

    A line of the table is a tuple, such as (target, synthesis). ``values`` maps the name followed
    by this tuple to a result row.
    """
    return column, lambda line: value_of(values.get((name, *line)))
