"""Measures of utility, read from SQL files: how far tables of a synthesis are from the
original's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.headers import Allowed
from sqlrisk.common.errors import ProblemList, suggestion
from sqlrisk.common.resources import sql_folder

if TYPE_CHECKING:
    from sqlrisk.catalogue import templates

LESS, MORE, LARGER = HIGHER = ("less utility", "more utility", "larger tables")
ALL = "all"
_REQUIRED: Allowed = {
    **dict.fromkeys(("name", "title", "formula", "source", "unit"), str),
    "higher": HIGHER,
    "order": int,
    "says": str,
}
_OPTIONAL: Allowed = {"shown": ("no", "yes")}


@dataclass(frozen=True)
class UtilityMeasure:
    """One utility measure of a table, read from its file. sql/docs/extensions.md explains
    headers.
    """

    name: str
    title: str
    formula: str
    source: str
    unit: str
    higher: str
    order: int
    says: str
    shown: str = "no"

    @property
    def query(self) -> "templates.Query":
        """The SELECT of the measure, with a row per table and synthesis."""
        from sqlrisk.catalogue import templates  # late: a report read from a file needs none

        return templates.stage(f"utility/{self.name.lower()}.sql", scored_counts="scored_counts")


@lru_cache(maxsize=1)
def utility_measures() -> tuple[UtilityMeasure, ...]:
    """Return all measures in their order.

    Raises InputError with the file and what is wrong in it.
    """
    found = []
    for path in sorted((sql_folder() / "utility").glob("*.sql")):
        header, _, problems = headers.read_named(path, "a measure of utility", _REQUIRED, _OPTIONAL)
        ProblemList(f"{path.name}: {problem}." for problem in problems).stop()
        found.append(UtilityMeasure(**header))
    return tuple(sorted(found, key=lambda each: each.order))


def spelled(name: str) -> str:
    """Return the correct spelling of a utility measure's name. Any other name is returned
    unchanged.
    """
    own = (*(each.name for each in utility_measures()), ALL)
    if name in own:
        return name
    return next((each for each in own if each.casefold() == name.casefold()), name)


def select(names: Sequence[str]) -> tuple[UtilityMeasure, ...]:
    """Return utility measures in their order: those named, or every one if ``all`` is named.
    Without names, return those shown by default.

    Raises InputError with every unknown name.
    """
    known = {each.name: each for each in utility_measures()}
    names = [spelled(name) for name in names]
    ProblemList(
        f"measures: there is no utility measure {name!r}{suggestion(name, known)}; there are "
        f"{', '.join(known)} and {ALL}."
        for name in names
        if name not in known and name != ALL
    ).stop()
    return tuple(
        each
        for each in known.values()
        if each.name in names or ALL in names or (not names and each.shown == "yes")
    )
