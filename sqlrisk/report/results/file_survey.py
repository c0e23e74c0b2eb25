"""Facts about the columns of files, collected to draft a scenario."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlrisk.inputs import datatypes
from sqlrisk.inputs.columns.dictionary import LEFT_OUT
from sqlrisk.inputs.columns.guesses import IDENTIFIER, WEIGHT, Guess

MANY_LEVELS = 20  # a numeric column with more levels can be binned
# a numeric column with more levels is not suggested as a key: nobody knows exact amounts of others
TOO_MANY_LEVELS = 100
FIRST_TARGETS = 3  # targets of a draft, few enough to read their first score at one sitting
NAMES_RECORDS = 0.9  # a column that singles out a greater share of the people may name them


@dataclass(frozen=True)
class ColumnCounts:
    """Counts of a column that all files have.

    Attributes:
        name, type: its name, and the type that the files share.
        levels: number of distinct values in the original, without missing.
        only_original, only_synthetic: number of levels on one side only.
        missing_original, missing_synthetic: number of records without a value. The latter has a
            number for each synthesis.
        unique: number of people whose value nobody else has.
    """

    name: str
    type: str
    levels: int
    only_original: int
    only_synthetic: int
    missing_original: int
    missing_synthetic: tuple[int, ...]
    unique: int

    @property
    def is_numeric(self) -> bool:
        """True if the column can be binned."""
        return datatypes.is_numeric(self.type)


@dataclass(frozen=True)
class Look:
    """The survey of an original and its syntheses.

    Attributes:
        records: the number of records in the original and in each synthesis.
        columns: the columns that all files have, in the order of the original.
        apart: column -> why it can be neither key nor target, for the other columns.
        keys: suggested keys. Each has the number of people who are unique on this key and those
            before it together.
        guesses: the guessed role of each of ``columns``.
        answers: the roles that the user gave, by column.
        labels: the labels of columns in the files.
        unmet: the columns of ``apart`` that all files have.
        own: column of the original that cannot be compared -> its possible role.
    """

    records: tuple[int, ...]
    columns: tuple[ColumnCounts, ...]
    apart: dict[str, str]
    keys: tuple[tuple[str, int], ...]
    guesses: tuple[Guess, ...]
    answers: Mapping[str, str]
    labels: Mapping[str, str]
    unmet: tuple[str, ...]
    own: Mapping[str, str]

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns that are neither suggested keys nor excluded by their role."""
        taken = [
            *(name for name, _ in self.keys),
            *(each.name for each in self.guesses if each.role in LEFT_OUT),
        ]
        return tuple(column.name for column in self.columns if column.name not in taken)

    @property
    def first_targets(self) -> list[str]:
        """The suggested targets, at most ``FIRST_TARGETS``, in file order. Columns that look
        sensitive are chosen first, then columns of unknown role.
        """
        rank = {each.name: 2 if each.further else 0 if each.idea else 1 for each in self.guesses}
        chosen = sorted(self.targets, key=lambda name: rank[name])[:FIRST_TARGETS]
        return [name for name in self.targets if name in chosen]

    def known_by(self, intruder: str) -> list[str]:
        """Return the columns that an ``intruder`` (such as a neighbor) may know, without the
        suggested targets. Of several columns with the same kind of content (idea), return one.
        """
        found: dict[str, str] = {}
        for each in self.guesses:
            if (
                intruder in each.known_by
                and each.role not in LEFT_OUT
                and each.name not in self.first_targets
            ):
                found.setdefault(each.idea, each.name)
        return [*found.values()]

    @property
    def further_keys(self) -> list[Guess]:
        """Other columns that people may know, besides the suggested keys."""
        return [each for each in self.guesses if each.further and each.name not in self.answers]

    @property
    def identifiers(self) -> list[str]:
        """The columns that may identify the records."""
        return self._in_role(IDENTIFIER)

    @property
    def weights(self) -> list[str]:
        """The columns that may be survey weights."""
        return self._in_role(WEIGHT)

    def _in_role(self, role: str) -> list[str]:
        """Return the columns of a role, including columns that only the original has."""
        roles = [*((each.name, each.role) for each in self.guesses), *self.own.items()]
        return [name for name, own in roles if own == role]
