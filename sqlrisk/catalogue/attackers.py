"""Attackers as SQL files: what each learns from, and how it guesses."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sqlrisk.common import toml
from sqlrisk.common.errors import InputError
from sqlrisk.common.resources import sql_folder
from sqlrisk.common.suggestions import suggestion

WORK = ("1", "keys", "levels", "levels * keys")  # what an attacker looks at for one class
_REQUIRED = {"name": str, "title": str, "source": str, "order": int, "says": str}
_OPTIONAL = {"knows": ("keys", "nothing"), "picks": ("best", "drawn"), "work": WORK, "needs": ("", "neighbours")}
_FILE = re.compile(r"\A/\*---\n(?P<header>.*?)\n---\*/\n(?P<body>.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Attacker:
    """One attacker: what its file says.

    Attributes:
        name: also the name of its file.
        title, source, says: from the header; ``says`` is a sentence with ``{target}`` and ``{keys}``.
        knows: ``keys``, or ``nothing`` of a person but how the target is distributed: then it guesses the same for everybody.
        picks: ``best``, the level with the highest score, ties shared evenly; ``drawn``, levels in proportion to their scores.
        work: what it looks at for one class, one of ``WORK``.
        needs: ``neighbours``: the tables that `sqlrisk.analyses.neighbours` makes have to be there; or empty.
    """

    name: str
    title: str
    source: str
    order: int
    says: str
    knows: str
    picks: str
    work: str
    needs: str
    sql: str

    @property
    def baseline(self) -> bool:
        """Whether it knows nothing of a person, so that others are compared with it."""
        return self.knows == "nothing"

    def looks(self, keys: int, levels: int) -> int:
        """How much it looks at for one class."""
        return {"1": 1, "keys": keys, "levels": levels, "levels * keys": levels * keys}[self.work]


@lru_cache(maxsize=1)
def attackers() -> tuple[Attacker, ...]:
    """All attackers, in their order.

    Raises:
        InputError: a file does not have the form of an attacker.
    """
    found = [load(path) for path in sorted((sql_folder() / "attackers").glob("*.sql"))]
    return tuple(sorted(found, key=lambda each: (each.order, each.name)))


def load(path: Path) -> Attacker:
    """One attacker from its file. Raises InputError that names the file and what is wrong in it."""
    text = toml.text_of(path, path.name)
    match = _FILE.match(text)
    if not match:
        raise InputError(f"{path.name}: an attacker starts with a header between '/*---' and '---*/', each on a line of its own.")
    header = toml.read(match["header"], f"{path.name}: the header")
    problems = [f"the header lacks {key!r}" for key in _REQUIRED if key not in header]
    problems += [
        f"unknown header key {key!r}{suggestion(key, [*_REQUIRED, *_OPTIONAL])}"
        for key in header
        if key not in _REQUIRED and key not in _OPTIONAL
    ]
    problems += [
        f"{key!r} must be a {kind.__name__}" for key, kind in _REQUIRED.items() if key in header and type(header[key]) is not kind
    ]
    problems += [
        f"{key} {header[key]!r} is none of {', '.join(known)}"
        for key, known in _OPTIONAL.items()
        if key in header and header[key] not in known
    ]
    if "name" in header and header["name"] != path.stem:
        problems.append(f"the attacker {header['name']!r} belongs in a file of that name")
    if not re.search(r"\bAS score\b", match["body"]):
        problems.append("the query must give each class (class key), level_code and score")
    if problems:
        raise InputError([f"{path.name}: {problem}." for problem in problems])
    return Attacker(
        **{key: header[key] for key in _REQUIRED},
        **{key: header.get(key, known[0]) for key, known in _OPTIONAL.items()},
        sql=text,
    )
