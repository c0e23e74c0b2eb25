"""Reasons why files are not assessable or doubtful, read from SQL files with a sentence each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.headers import Allowed
from sqlrisk.common.errors import ProblemList
from sqlrisk.common.resources import sql_folder

# States from good to bad.
ASSESSABLE, DOUBTFUL, NOT_ASSESSABLE = STATES = ("assessable", "doubtful", "not assessable")
TABLES = (
    "copies", "matched_people", "level_sides", "label_sides", "cut_numbers", "determined",
    "look_alikes", "empty_rows"
)  # fmt: skip
_REQUIRED: Allowed = {
    **dict.fromkeys(("name", "title", "says"), str), "state": STATES, "reads": TABLES, "order": int
}  # fmt: skip
_OPTIONAL: Allowed = {"unit": ("percent", "count")}


@dataclass(frozen=True)
class Reason:
    """A reason, read from its file. sql/docs/extensions.md explains its SQL.

    Attributes:
        title: the reason in a word or two, without a number or name.
        state: the resulting state, ``doubtful`` or ``not assessable``. It is ``assessable`` for a
            mere note.
        reads: the table that its SQL reads. If the table does not exist, the reason does not apply.
        says: the sentence, with placeholders such as ``{names}``.
        unit: the unit of the amount that its SQL returns, ``percent`` or ``count``.
    """

    name: str
    title: str
    state: str
    reads: str
    order: int
    says: str
    unit: str = "percent"

    @property
    def names_labels(self) -> bool:
        """True if the reason's sentence quotes labels of a file."""
        return "{labels}" in self.says

    @property
    def path(self) -> str:
        """The path of the reason's SQL file below sql/."""
        return f"reasons/{self.name}.sql"


def state_of(reason: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return the state that a reason of a result leads to. In results of earlier versions only the
    whole row has a state.
    """
    return str(reason.get("state", row["state"]))


@lru_cache(maxsize=1)
def reasons() -> tuple[Reason, ...]:
    """Return all reasons in their order.

    Raises InputError with the file and what is wrong in it.
    """
    found = []
    for path in sorted((sql_folder() / "reasons").glob("*.sql")):
        header, _, problems = headers.read_named(path, "a reason", _REQUIRED, _OPTIONAL)
        ProblemList(f"{path.name}: {problem}." for problem in problems).stop()
        found.append(Reason(**header))
    return tuple(sorted(found, key=lambda each: each.order))


def is_note(code: str) -> bool:
    """Return True if the reason with this code is only a note."""
    return any(reason.name == code and reason.state == ASSESSABLE for reason in reasons())
