"""Run a template over tables of a few rows and compare its rows with a count by hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqlrisk.catalogue import templates
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.plan.class_key import pack


@dataclass(frozen=True)
class Inner:
    """A template that is nested in another one. It is filled in when the outer template runs."""

    path: str
    names: Mapping[str, Any]

    def query(self) -> str:
        return templates.stage(self.path, **filled(self.names))

    def paths(self) -> Iterator[str]:
        """Yield the path of this template and of the templates nested in it."""
        return paths(self.path, self.names)


def filled(names: Mapping[str, Any]) -> dict[str, Any]:
    """Replace each nested template among the names by its query."""
    return {name: each.query() if isinstance(each, Inner) else each for name, each in names.items()}


def paths(path: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of a template and of the templates nested in it."""
    yield path
    for each in names.values():
        if isinstance(each, Inner):
            yield from each.paths()


class ByHand:
    """A template, the small tables that it reads, the names to fill in, and the expected rows.

    Calling the object runs the template and compares the rows. The call takes a folder, as for each
    `witnesses.Witness`.
    """

    def __init__(
        self,
        path: str,
        tables: Mapping[str, str],
        *answers: tuple[Mapping[str, Any], Sequence[tuple[Any, ...]]],
        columns: str = "*",
    ) -> None:
        self.path = path
        self.paths = {each for names, _ in answers for each in paths(path, names)}
        self._tables = tables
        self._answers = answers
        self._columns = columns

    def __call__(self, _: Path) -> None:
        with DuckDB(threads=1) as engine:
            for name, rows in self._tables.items():
                engine.run(f"CREATE TEMPORARY TABLE {name} AS\n{rows}")
            for names, expected in self._answers:
                query = (
                    f"SELECT {self._columns} FROM "
                    f"(\n{templates.stage(self.path, **filled(names))}\n) AS asked"
                )
                found = sorted(engine.run(query), key=repr)
                assert len(found) == len(expected)
                for row, other in zip(found, sorted(expected, key=repr), strict=True):
                    assert row == tuple(
                        pytest.approx(each, rel=1e-3, abs=1e-15)
                        if isinstance(each, float)
                        else each
                        for each in other
                    )


def values(columns: str, *rows: str) -> str:
    """Return the query of a small table. Semicolons separate its rows."""
    made = "; ".join(rows).split("; ")
    return f"SELECT * FROM (VALUES {', '.join(f'({row})' for row in made)}) AS made({columns})"


NUMBERED_KEYS: list[Any] = [
    SimpleNamespace(id=f"k{number}", number=number, tolerance=None) for number in (1, 2, 3)
]
# Two keys, each in its own key column, so that both have the same digits.
KEY_COLUMNS = pack(NUMBERED_KEYS[:2], [None, None])
PARTS = [part for each in KEY_COLUMNS for part in each.parts]
