"""One statement of a plan."""

from dataclasses import dataclass, replace
from typing import Any

from sqlrisk.catalogue import templates


@dataclass(frozen=True)
class Step:
    """One statement: ``sql`` fills ``table``.

    A ``temporary`` table is created again and stays in memory; any other is added to. A step that
    ``adds`` belongs to the step before it, which created the table. A step that ``drops`` a table
    is the last to read it. If the table is written in parts, ``in_parts`` is the query that gives
    each row its part: see `Session.read_parts`.
    """

    name: str
    table: str
    sql: str
    temporary: bool = False
    adds: bool = False
    drops: str | None = None
    in_parts: str = ""


def fill(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return the step that fills a table from the template at a path under ``sql/``."""
    return Step(name, table, templates.stage(path, **names))


def in_pass(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return a step of one pass, whose table is created again."""
    return replace(fill(name, table, path, **names), temporary=True)
