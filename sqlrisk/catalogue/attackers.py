"""Attackers, read from SQL files that say what each learns from and how it guesses."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from sqlrisk.catalogue import headers, templates
from sqlrisk.common.errors import ProblemList
from sqlrisk.common.resources import sql_folder

# Formulas for the number of levels that an attacker looks at for one class.
WORK = ("1", "keys", "levels", "levels * keys")
_REQUIRED = {"name": str, "title": str, "source": str, "order": int, "says": str}
_OPTIONAL = {"knows": ("keys", "nothing"), "picks": ("best", "drawn"), "work": WORK}


@dataclass(frozen=True)
class Attacker:
    """One attacker, read from its file. sql/docs/extensions.md explains the header keys."""

    name: str
    title: str
    source: str
    order: int
    says: str
    knows: str
    picks: str
    work: str
    sql: str

    @property
    def baseline(self) -> bool:
        """True if the attacker knows nothing about a person. Other attackers are compared with
        baselines.
        """
        return self.knows == "nothing"

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables in its query, such as ``training_keys`` and ``neighbours``, and its other
        names. Some tables are made only for a chosen attacker that has them.
        """
        return templates.names_in(self.sql)

    def looks(self, keys: int, levels: int) -> int:
        """Return the number of levels that the attacker looks at for one class, given the numbers
        of keys and of target levels.
        """
        return {"1": 1, "keys": keys, "levels": levels, "levels * keys": levels * keys}[self.work]


@lru_cache(maxsize=1)
def attackers() -> tuple[Attacker, ...]:
    """Return all attackers by their ``order``."""
    found = [load(path) for path in sorted((sql_folder() / "attackers").glob("*.sql"))]
    return tuple(sorted(found, key=lambda each: (each.order, each.name)))


def load(path: Path) -> Attacker:
    """Read one attacker from its file. Raises InputError with the file and what is wrong in it."""
    header, text, problems = headers.read_named(path, "an attacker", _REQUIRED, _OPTIONAL)
    if not re.search(r"\bAS score\b", headers.parts(text)[1]):
        problems.append("the query must give each class (class key), level_code and score")
    ProblemList(f"{path.name}: {problem}." for problem in problems).stop()
    return Attacker(**{**{key: known[0] for key, known in _OPTIONAL.items()}, **header}, sql=text)
