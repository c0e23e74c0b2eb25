"""One statement of a plan."""

from dataclasses import dataclass, replace
from typing import Any

from sqlrisk.catalogue import templates


@dataclass(frozen=True)
class Step:
    """One statement: ``sql`` fills ``table``. A ``temporary`` one is made anew and lives in memory,
    any other is added to.

    One that ``adds`` belongs to the step before it, which made the table. One that ``drops`` a
    table is the last to read it. Where the table is written in parts, ``in_parts`` is the query
    that says of each row to which: see `Session.read_parts`.
    """

    name: str
    table: str
    sql: str
    temporary: bool = False
    adds: bool = False
    drops: str | None = None
    in_parts: str = ""


def fill(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return the step that fills a table by a stage: the template at a path under ``sql/``, filled
    in with names.
    """
    return Step(name, table, templates.stage(path, **names))


def in_pass(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return a step of one pass, whose table is made anew."""
    return replace(fill(name, table, path, **names), temporary=True)
