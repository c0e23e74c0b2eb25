"""Guess the role of a column from its name and the counts of its levels.

The recognized words are in ``ideas.toml``.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlrisk.common import toml
from sqlrisk.inputs import datatypes

# The roles in `dictionary.ROLES`.
IDENTIFIER, KEY, SENSITIVE, WEIGHT, NONE = "identifier", "key", "sensitive", "weight", "other"
# Entries of an idea in ideas.toml. Any other entry lists words of one language.
_TABLES = ("role", "known_by", "levels", "numbers", "different")
# Maximum number of words of a label that counts as a name. Longer labels are survey questions.
_WORDS = 5
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


@dataclass(frozen=True)
class Idea:
    """A kind of content that a column may have, such as an age.

    Attributes:
        name: the idea in words.
        role: the role in a scenario of a column with this content.
        words: words of column names that show the idea, in lower case without accents.
        beginnings: beginnings of words that show the idea, in the same form.
        levels: the allowed texts, if each level must be one of them.
        numbers: the minimum and maximum of the allowed whole numbers.
        different: the minimum number of different levels.
        known_by: the intruders in a drafted scenario who know the column: neighbor, employer.
    """

    name: str
    role: str
    words: frozenset[str]
    beginnings: tuple[str, ...]
    levels: tuple[str, ...] = ()
    numbers: tuple[int, int] | None = None
    different: int = 1
    known_by: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """The allowed texts in lower case, in capitals, and capitalized."""
        return tuple(
            dict.fromkeys(
                form for each in self.levels for form in (each, each.upper(), each.capitalize())
            )
        )

    def asks_of(self, kind: str) -> bool:
        """Return True if levels of this type can show the idea. False if the idea has neither
        ``levels`` nor ``numbers``.
        """
        if self.levels:
            return datatypes.is_text(kind)
        return self.numbers is not None and datatypes.is_whole(kind)


@dataclass(frozen=True)
class Content:
    """Facts about a column, from which its role is guessed.

    Attributes:
        levels: the number of levels.
        unique: the number of people who are unique on the column.
        names_records: True if nearly all people are unique on it.
        ideas: the names of the ideas that all levels fit.
        label: the label in the files, "" if there is none.
    """

    name: str
    type: str
    levels: int
    unique: int
    names_records: bool
    ideas: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Guess:
    """A guess about a column.

    Attributes:
        idea: the idea, or another reason for the role.
        seen: what shows the idea: ``name``, ``label`` or ``levels``. Empty for another reason.
        sure: True if the user need not be asked.
        further: True if the column could be a key, but there are enough keys.
    """

    content: Content
    role: str
    idea: str = ""
    seen: str = ""
    sure: bool = False
    further: bool = False

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.content.name

    @property
    def known_by(self) -> tuple[str, ...]:
        """The intruders in a drafted scenario who know the column."""
        return next((idea.known_by for idea in ideas() if idea.name == self.idea), ())

    @property
    def words(self) -> str:
        """The reason for the guess in words."""
        why = f"{self.idea}, by its {self.seen}" if self.seen else self.idea
        return f"{why}; people may know it too" if self.further else why


def guess(content: Content) -> Guess:
    """Guess the role of a column from its name, then from its label, then from its levels.

    If nothing fits, a column of texts or whole numbers that names records is an identifier. Other
    columns are sensitive.
    """
    idea, whole = by_name(content.name)
    seen = "name"
    if idea is None and len(content.label.split()) <= _WORDS:
        (idea, _), seen = by_name(content.label), "label"
    if idea is None:
        idea, seen = next((each for each in ideas() if each.name in content.ideas), None), "levels"
    kind = content.type
    decimals = re.fullmatch(r"DECIMAL\(\d+,\s*0*[1-9]\d*\)", kind) is not None
    if idea is None:
        if content.names_records and (datatypes.is_text(kind) or datatypes.is_whole(kind)):
            return Guess(content, IDENTIFIER, "nearly every record has a level of its own")
        return Guess(content, SENSITIVE)
    if idea.role == IDENTIFIER:
        if content.names_records and not decimals and not datatypes.is_date(kind):
            return Guess(content, IDENTIFIER, idea.name, seen, sure=whole)
        return Guess(content, NONE, f"{idea.name}, by its {seen}, but records share levels")
    if idea.role == WEIGHT:  # it may be a body weight, so the user is always asked
        if datatypes.is_numeric(kind):
            return Guess(content, WEIGHT, idea.name, seen)
        return Guess(content, SENSITIVE)
    return Guess(content, idea.role, idea.name, seen, sure=whole and seen == "name")


def by_name(name: str) -> tuple[Idea | None, bool]:
    """Return the idea with the longest matching word in a column's name (None if no word matches),
    and True if the word is the whole name.
    """
    parts = _parts(name)
    spans = {
        "".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    }
    best: tuple[int, Idea | None] = (0, None)
    for idea in ideas():
        found = [len(span) for span in spans if span in idea.words]
        found += [
            len(word) for word in idea.beginnings if any(part.startswith(word) for part in parts)
        ]
        if found and max(found) > best[0]:
            best = (max(found), idea)
    return best[1], best[1] is not None and "".join(parts) in best[1].words


@cache
def ideas() -> tuple[Idea, ...]:
    """Return every idea, in the order of ideas.toml."""
    path = Path(__file__).with_name("ideas.toml")
    return tuple(
        _idea(name, said) for name, said in toml.read_file(path, "The table of ideas").items()
    )


def _idea(name: str, said: dict[str, Any]) -> Idea:
    words = [
        word for language, several in said.items() if language not in _TABLES for word in several
    ]
    beginnings = tuple(form for word in words if word.endswith("*") for form in _forms(word))
    whole = frozenset(form for word in words if not word.endswith("*") for form in _forms(word))
    more = {each: tuple(said[each]) for each in ("levels", "numbers", "known_by") if each in said}
    return Idea(name, said["role"], whole, beginnings, different=said.get("different", 1), **more)


def _forms(word: str) -> Iterator[str]:
    """Yield the spellings of a word in names of columns: without accents, and with ae for ä and so
    on.
    """
    for each in (word, word.casefold().translate(_UMLAUTS)):
        yield "".join(_parts(each))


def _parts(name: str) -> list[str]:
    """Return the parts of a name in lower case: split at signs, digits and inner capitals."""
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each)
    )
    return [
        part.casefold()
        for part in re.findall(r"[^\W\d_]+", re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", plain))
    ]
