"""One statement of a plan, and the names that stages are filled in with."""

from dataclasses import dataclass

from sqlrisk.plan.class_key import PackedKey
from sqlrisk.plan.layout import Layout


@dataclass(frozen=True)
class Step:
    """One statement: ``sql`` fills ``table``. A ``temporary`` one is made anew and lives in memory, any other is added to.

    One that ``adds`` belongs to the step before it, which made the table. One that ``drops`` a table is the last to read it.
    """

    name: str
    table: str
    sql: str
    temporary: bool = False
    adds: bool = False
    drops: str | None = None


def identifiers(layout: Layout) -> list[str]:
    """The columns of the records that say which record it is: its number in its file, the user's id."""
    return [*(["record"] if layout.files[0].record is not None else []), *(["record_id"] if layout.scenario.id else [])]


def person_columns(layout: Layout) -> list[str]:
    """The columns of the records that say who a person is: flags of populations, the weight."""
    flags = [each.flag for each in layout.populations if each.kind in ("condition", "level")]
    return [*flags, *(["weight"] if layout.scenario.weights is not None else [])]


def missing_keys(layout: Layout) -> list[PackedKey]:
    """The keys whose missing level is not counted."""
    return [part for part in layout.parts if part.column.name in layout.scenario.exclude_missing]


def key_column_names(layout: Layout) -> list[str]:
    """The columns that hold the class key."""
    return [key_column.name for key_column in layout.key_columns]


def stage_names(layout: Layout) -> dict[str, object]:
    """What most stages of one pass read."""
    return {"files": layout.files, "key_columns": layout.key_columns, "class_key": layout.class_key, "records": "records"}
