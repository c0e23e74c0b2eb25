"""The result of attacks: how often each attacker guesses right, in every form a report can take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Terms
from sqlrisk.report.columns import Row
from sqlrisk.report.result import Forms, Lines, lines, objects
from sqlrisk.report.wording import amount, distinct, names, shown, synthesis_name

TYPES = {
    **dict.fromkeys(("attacker", "kind", "target", "trained_on", "people"), "string"),
    "correct": "double",
    "tested": "int64",
    **dict.fromkeys(("accuracy", "low", "high"), "double"),
    "trained_records": "int64",
    **dict.fromkeys(("sampled", "converged"), "bool"),
}
COLUMNS = tuple(TYPES)
NOTES = (
    "Trained on original is what somebody reaches who holds the original itself: the upper reference, not an attack.",
    "Majority, marginal and uniform know nothing of a person: what an attacker adds to them is learned from the keys.",
    "Levels that tie share a guess evenly, so that correct need not be a whole number.",
)
SAMPLED = "Attackers marked * learn from samples and are tried on samples; low and high are of the people tried alone."
UNFINISHED = "Attackers marked ! stopped before their training had converged."


@dataclass(frozen=True)
class Attacks(Forms):
    """How often attackers guess right. ``rows`` has one dict per attacker, target, training file and people, by ``COLUMNS``.

    ``settings`` holds every setting; ``files`` the files by what they are called in ``trained_on`` and ``people``, their source
    and records; ``library`` the version of scikit-learn, None where it was not used; ``words`` says what each attacker does.

    Of a row: ``kind`` is baseline, sql or sklearn; ``correct`` of ``tested`` people are guessed right, ``accuracy`` percent, with
    the interval from ``low`` to ``high``; ``trained_records`` were learned from; ``sampled`` says whether these are samples;
    ``converged`` whether the training of a model did (None: it has none).
    """

    settings: Row
    files: list[Row]
    library: str | None
    rows: list[Row]
    words: Mapping[str, str]
    _types: ClassVar = TYPES

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Attacks: {len(self.rows)} rows>"

    def _document(self) -> dict[str, object]:
        return {
            "settings": self.settings,
            "files": self.files,
            "scikit_learn": self.library,
            "attackers": self.words,
            "attacks": objects(COLUMNS, self.rows),
        }

    def _table(self) -> Lines:
        return COLUMNS, lines(COLUMNS, self.rows)

    def _blocks(self) -> list[Block]:
        said = [
            (synthesis_name(each["file"]), f"{shown(each['source'])}, {amount(each['records'])} records") for each in self.files
        ]
        said.append(("keys", names(self.settings["keys"])))
        notes = list(NOTES)
        if any(row["sampled"] for row in self.rows):
            said.append(("samples", f"up to {amount(self.settings['sample'])} records, seed {self.settings['seed']}"))
            notes.append(SAMPLED)
        if self.library is not None:
            said.append(("models", f"scikit-learn {self.library}, preset {self.settings['preset']}"))
        if any(row["converged"] is False for row in self.rows):
            notes.append(UNFINISHED)
        blocks: list[Block] = [Heading("Guessing from the files", 1), Terms(said)]
        for target in distinct(self.rows, "target"):
            blocks.append(Heading(f"Percent of people whose {shown(target)} is guessed"))
            blocks.append(_grid([row for row in self.rows if row["target"] == target]))
        meanings = Terms([(name, shown(said)) for name, said in self.words.items()], quiet=True)
        return [*blocks, meanings, Heading("Notes"), Items(notes, quiet=True)]


def _grid(rows: Sequence[Row]) -> Grid:
    """Draw a line for each attacker and training file, the people of each file side by side."""
    groups = distinct(rows, "people")
    columns = [Column("attacker", label=True, number=False), Column("trained on", label=True, number=False)]
    columns += [Column(name, above=f"{group}'s people" if len(groups) > 1 else "") for group in groups for name in
                ("percent", "low", "high")]  # fmt: skip
    drawn: dict[tuple[object, object], list[str]] = {}
    starts: dict[object, int] = {}
    for row in rows:
        marks = ("*" if row["sampled"] else "") + ("!" if row["converged"] is False else "")
        place = (row["attacker"], row["trained_on"])
        if place not in drawn:
            first = row["attacker"] not in starts
            starts.setdefault(row["attacker"], len(drawn))
            drawn[place] = [f"{row['attacker']}{marks}" if first or marks else "", synthesis_name(row["trained_on"])]
        drawn[place] += [amount(row[name], "percent") for name in ("accuracy", "low", "high")]
    return Grid(columns, list(drawn.values()), frozenset(starts.values()))
