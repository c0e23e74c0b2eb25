"""Families of measures: what ``family.toml`` beside the files of a family says of it."""

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
    *(
        "arrows",
        "heat",
        "slopes",
        "control",
        "people",
        "curves",
        "pools",
        "accuracies",
        "persons",
        "shares",
        "sizes",
    ),
    *("presence", "radii", "guesses", "others", "map", "links", "singled", "nearness", "roc"),
)
"""What figures of a report are called."""
OVER_POINTS = ("curves", "sizes", "presence", "radii", "guesses", "singled", "nearness")
OF_MEASURES = (*OVER_POINTS, "accuracies", "others", "links")
"""Those that draw the measures whose headers name them; some draw the points at which a measure is
taken.
"""
OWN_LIMITS = "A measure of the user's own; its formula and source are what its file says."
_REQUIRED: Allowed = {"title": str, "limits": str}
_OPTIONAL: Allowed = {"order": int, "section": int, "figures": list}


@dataclass(frozen=True)
class Family:
    """A family of measures.

    Attributes:
        title: the heading of its table.
        limits: what its numbers do not say.
        order: its place in the catalogue; those of a user come last.
        section: its place on the page of a report, last as well.
        figures: what is drawn below its table.
    """

    name: str
    title: str
    limits: str = OWN_LIMITS
    order: int = 1000
    section: int = 1000
    figures: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def shipped() -> dict[str, Family]:
    """Return the families that come with the program, by name, in catalogue order."""
    found = [load(path, path.parent.name) for path in (sql_folder() / "measures").glob(f"*/{FILE}")]
    return {family.name: family for family in sorted(found, key=lambda family: family.order)}


def load(path: Path, name: str, *, own: bool = False) -> Family:
    """Read what a file says of a family, perhaps of a user's ``own``. Raises InputError that names
    the file and what is wrong.
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
