"""Reasons why a release cannot be assessed, or hardly: SQL files, each with the sentence that it is
told by.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.headers import Allowed
from sqlrisk.common.errors import ProblemList
from sqlrisk.common.resources import sql_folder

# from good to bad
ASSESSABLE, DOUBTFUL, NOT_ASSESSABLE = STATES = ("assessable", "doubtful", "not assessable")
TABLES = (
    "copies", "matched_people", "level_sides", "label_sides", "cut_numbers", "determined",
    "look_alikes", "empty_rows"
)  # fmt: skip
_REQUIRED: Allowed = {
    "name": str,
    "title": str,
    "state": STATES,
    "reads": TABLES,
    "order": int,
    "says": str,
}
_OPTIONAL: Allowed = {"unit": ("percent", "count")}


@dataclass(frozen=True)
class Reason:
    """A reason: what its file says. What its SQL reads and gives is in sql/docs/extensions.md.

    Attributes:
        title: what it is in a word or two, without a number and a name.
        state: what a release comes to for it: ``doubtful`` or ``not assessable``; ``assessable``
            for a note, which is no doubt.
        reads: the table that its SQL reads; where that is not made, the reason does not hold.
        says: the sentence, with ``{names}`` of what was found.
        unit: of what its SQL calls the amount: ``percent`` or ``count``.
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
        """Whether its sentence quotes labels of a file."""
        return "{labels}" in self.says

    @property
    def path(self) -> str:
        """The file below sql/."""
        return f"reasons/{self.name}.sql"


def state_of(reason: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return what a reason of a row of an assessment comes to; a former version told that of the
    row alone.
    """
    return str(reason.get("state", row["state"]))


@lru_cache(maxsize=1)
def reasons() -> tuple[Reason, ...]:
    """Return all reasons in their order. Raises InputError that names the file and what is wrong in
    it.
    """
    found = []
    for path in sorted((sql_folder() / "reasons").glob("*.sql")):
        header, _, problems = headers.read(path, "a reason", _REQUIRED, _OPTIONAL)
        if "name" in header and header["name"] != path.stem:
            problems.append(f"the reason {header['name']!r} belongs in a file of that name")
        ProblemList(f"{path.name}: {problem}." for problem in problems).stop()
        found.append(Reason(**header))
    return tuple(sorted(found, key=lambda each: each.order))


def is_note(code: str) -> bool:
    """Return whether a reason, by its code, speaks against nothing."""
    return any(reason.name == code and reason.state == ASSESSABLE for reason in reasons())
