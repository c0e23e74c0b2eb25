"""The published rows of an external report, by what each is about."""

from collections.abc import Iterator
from typing import Any

from sqlrisk.inputs.policy import PLACE
from sqlrisk.report.columns import Row

VALUE = ("value", "value_low", "value_high")


class PublishedRows:
    """Rows with published numbers. All other numbers of the report are computed from them."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Any, ...], Row] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def add(self, row: Row) -> None:
        """Add a row with its published numbers."""
        self._rows[_subject(row)] = row

    def about(self, row: Row, **other: object) -> Row | None:
        """Return the published row with the measure, target, synthesis and so on (``PLACE``) of
        ``row``, some of which ``other`` replaces. None if there is none.
        """
        return self._rows.get(_subject({**row, **other}))

    def valued(self, row: Row, **other: object) -> Row | None:
        """Return the row as `about` does, or None if its value is hidden."""
        found = self.about(row, **other)
        return None if found is None or found["value"] is None else found


def _subject(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in PLACE)
