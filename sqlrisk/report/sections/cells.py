"""Columns of tables, each with a function that reads its text from a row."""

from collections.abc import Mapping
from typing import Any

from sqlrisk.report.blocks import Cell, GridColumn
from sqlrisk.report.wording import Row, number_of, plain_text, shown, value_of


def label(field: str | int, head: str = "", *, once: bool = False) -> Cell[Any]:
    """Return a column of names or levels."""
    return GridColumn(head or str(field), label=True, once=once), lambda row: shown(row[field])


def word(field: str) -> Cell[Any]:
    """Return a column of the program's own words."""
    return GridColumn(field, label=True), lambda row: plain_text(row[field])


def number(field: str, head: str = "", unit: str = "", above: str = "") -> Cell[Any]:
    """Return a column of numbers that know their place in the report."""
    return GridColumn(head or field, above=above), lambda row: number_of(row, field, unit)


def value(values: Mapping[Any, Row], name: object, column: GridColumn) -> Cell[Any]:
    """Return a column of values by ``name`` (such as a measure). Each line holds the rest of a
    row's place.
    """
    return column, lambda line: value_of(values.get((name, *line)))
