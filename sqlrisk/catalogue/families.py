"""Families of measures, as the ``family.toml`` next to their files describes them."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sqlrisk.catalogue import headers
from sqlrisk.catalogue.headers import Allowed
from sqlrisk.common import toml
from sqlrisk.common.errors import ProblemList, suggestion
from sqlrisk.common.resources import sql_folder

FILE = "family.toml"
FIGURES = (
    "arrows", "heat", "slopes", "control", "replicated", "policy", "people", "curves", "pools",
    "accuracies", "persons", "shares", "sizes", "presence", "radii", "guesses", "others", "map",
    "links", "singled", "nearness", "roc",
)  # fmt: skip
"""The names of all figures of a report."""
OVER_POINTS = ("curves", "sizes", "presence", "radii", "guesses", "singled", "nearness")
OF_MEASURES = (*OVER_POINTS, "accuracies", "others", "links")
"""Figures that a measure asks for in its header. Those of ``OVER_POINTS`` draw its points."""
OWN_LIMITS = "A measure of the user's own; its formula and source are what its file says."
_REQUIRED: Allowed = {"title": str, "limits": str}
_OPTIONAL: Allowed = {"order": int, "section": int, "figures": list, "a_risk": bool}


@dataclass(frozen=True)
class Family:
    """A family of measures.

    Attributes:
        title: the heading of its table.
        limits: what the numbers of the family do not tell.
        order: the place of the family in the catalog. A user's families come last.
        section: the place of the family on the page of a report. A user's families come last.
        figures: the names of the figures below its table.
        a_risk: True if its numbers are risks by themselves. Bounds, for example, only help to read
            others.
    """

    name: str
    title: str
    limits: str = OWN_LIMITS
    order: int = 1000
    section: int = 1000
    figures: tuple[str, ...] = ()
    a_risk: bool = True


@lru_cache(maxsize=1)
def shipped() -> dict[str, Family]:
    """Return the families that sqlrisk includes, by name, in catalog order."""
    found = [load(path, path.parent.name) for path in (sql_folder() / "measures").glob(f"*/{FILE}")]
    return {family.name: family for family in sorted(found, key=lambda family: family.order)}


def load(path: Path, name: str, *, own: bool = False) -> Family:
    """Read the file of a family. ``own`` is True for a user's family.

    Raises InputError with the file and what is wrong in it.
    """
    named = f"{name}/{path.name}"
    said = toml.read(toml.text_of(path, named), named)
    problems = headers.problems(said, _REQUIRED, _OPTIONAL, "it")
    if own and name in shipped():
        problems = [
            f"the family {name!r} comes with sqlrisk and has a file; give yours another name"
        ]
    figures = said.get("figures", [])
    problems += [
        f"there is no figure {each!r}{suggestion(str(each), FIGURES)}"
        for each in (figures if isinstance(figures, list) else ())
        if each not in FIGURES
    ]
    ProblemList(f"{named}: {problem}." for problem in problems).stop()
    return Family(name, **said | {"figures": tuple(figures)})
