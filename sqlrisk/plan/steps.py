"""The statement of a plan."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlrisk.catalogue import templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Step:
    """A step of a plan: a statement whose ``sql`` fills ``table``.

    Attributes:
        name: the stage of the run, for progress and logs.
        in_memory: True for a table that each of its steps creates again, for example in each pass.
            If False, the first step creates the table, and later steps add rows.
        adds: True if the step adds rows to a table ``in_memory`` that an earlier step made.
        drops: a table to drop after the step, because no later step reads it, or None.
        in_parts: the query that assigns a part to each row, if the table is written in parts. See
            `Session.read_parts`.
        smaller: a function that returns steps that make the same rows with less memory, or None.
            They run if the statement runs out of memory.
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
