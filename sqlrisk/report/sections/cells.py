"""Columns of tables, each with how its text is read from a row."""

from collections.abc import Mapping
from typing import Any

from sqlrisk.report.blocks import Cell, Column
from sqlrisk.report.wording import Row, number_of, plain_text, shown, value_of


def label(field: str | int, head: str = "", *, once: bool = False) -> Cell[Any]:
    """Return a column of names or levels."""
    return Column(head or str(field), label=True, once=once), lambda row: shown(row[field])


def word(field: str) -> Cell[Any]:
    """Return a column of words of the program."""
    return Column(field, label=True), lambda row: plain_text(row[field])


def number(field: str, head: str = "", unit: str = "", above: str = "") -> Cell[Any]:
    """Return a column of numbers, each of which knows its place in the report."""
    return Column(head or field, above=above), lambda row: number_of(row, field, unit)


def value(values: Mapping[Any, Row], name: object, column: Column) -> Cell[Any]:
    """Return a column of the values of what has a name, a measure for example, in lines that hold
    the rest of a row's place.
    """
    return column, lambda line: value_of(values.get((name, *line)))
