"""The statement of a plan."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlrisk.catalogue import templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Step:
    """A step of a plan: a statement whose ``sql`` fills ``table``.

    Each step creates a table ``in_memory`` again, for example in each pass, unless the step
    ``adds`` rows to it. Another table is created by its first step, and later steps add rows. A
    step that ``drops`` a table is the last one to read that table. If the table is written in
    parts, ``in_parts`` is the query that assigns a part to each row. See `Session.read_parts`. The
    ``smaller`` steps make the same rows with less memory. They run if the statement runs out of it.
    """

    name: str
    table: str
    sql: str
    in_memory: bool = False
    adds: bool = False
    drops: str | None = None
    in_parts: str = ""
    smaller: "Callable[[], Iterable[Step]] | None" = None


def fill(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return the step that fills a table with the query of the template at a path under
    ``sql/``.
    """
    return Step(name, table, templates.stage(path, **names))


def in_pass(name: str, table: str, path: str, /, **names: Any) -> Step:
    """Return the step that fills a table of one pass. Each pass creates the table again."""
    return replace(fill(name, table, path, **names), in_memory=True)
