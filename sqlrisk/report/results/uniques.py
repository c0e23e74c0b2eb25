"""The special uniques of a file, summed up: how many keys it takes to single people out, and which."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.report.blocks import Block, Column, Heading, Items, Paragraph, Terms, table
from sqlrisk.report.result import Forms, Lines, lines
from sqlrisk.report.wording import NOTHING, number, shown

SCORES = {"suda_score": "double", "records": "int64", "dis_suda": "double"}
HIGHEST = 10  # scores that are shown as text; JSON holds them all

NOTES = [
    "A minimal unique is a set of keys on which nobody agrees with a person, while on each smaller part of it somebody does.",
    "The fewer keys it takes, and the more such sets there are, the higher the SUDA score: look at these people first.",
    "DIS-SUDA estimates the chance that a match with this person is right, if the file is the given fraction of a population.",
    "A missing value is no level here: it singles nobody out.",
]


@dataclass(frozen=True)
class Uniques(Forms):
    """What was found in a file.

    Attributes:
        source: the file as it was given; records, classes: its records, and their different combinations of keys.
        uniques: records with a combination of their own; paired: records that share theirs with one other.
        dis: the chance that a match with a unique is right, or None where there are no uniques and no pairs.
        special: special uniques: the tenth of the uniques with the highest scores, ties included; special_from: their
            lowest score.
        settings: every setting of the run.
        sizes: for each number of keys: the minimal uniques of that size, and the records whose smallest has it.
        scores: each SUDA score above 0, the highest first: the records that have it, and their DIS-SUDA.
        contributions: each key's share of all scores, in percent.
    """

    source: str
    records: int
    classes: int
    uniques: int
    paired: int
    dis: float | None
    special: int
    special_from: float | None
    settings: Mapping[str, object]
    sizes: Sequence[Mapping[str, int]]
    scores: Sequence[Mapping[str, float]]
    contributions: Sequence[Mapping[str, object]]
    _types: ClassVar = SCORES

    def __repr__(self) -> str:
        return f"<Uniques of {self.source}: {self.uniques} of {self.records} records>"

    def _document(self) -> dict[str, object]:
        return {
            "settings": self.settings,
            "file": {"source": self.source, "records": self.records, "classes": self.classes},
            **self._named("uniques", "paired", "dis"),
            "special": {"records": self.special, "suda_score_from": self.special_from},
            **self._named("sizes", "scores", "contributions"),
        }

    def _table(self) -> Lines:
        return list(SCORES), lines(list(SCORES), self.scores)

    def _blocks(self) -> list[Block]:
        keys = [str(row["key"]) for row in self.contributions]
        found = sum(row["records"] for row in self.sizes)
        blocks: list[Block] = [
            Heading("Special uniques", 1),
            Terms(
                [
                    ("file", f"{shown(self.source)}: {self.records:,} records, {self.classes:,} classes"),
                    ("keys", ", ".join(shown(key) for key in keys)),
                    ("sets of keys", self._sets(len(keys))),
                    ("uniques", f"{_share(self.uniques, self.records, 'records')} have their levels of all keys to themselves"),
                    ("special", self._special()),
                    ("DIS", self._dis()),
                ]
            ),
        ]
        blocks.append(Heading("How many keys it takes"))
        if not found:
            return [*blocks, Paragraph("No set of keys singles anybody out."), Heading("Notes"), Items(NOTES, quiet=True)]
        sizes = (
            (Column("keys in\nthe set"), lambda row: str(row["keys"])),
            (Column("minimal\nuniques"), lambda row: f"{row['minimal_uniques']:,}"),
            (Column("people whose\nsmallest it is"), lambda row: f"{row['records']:,}"),
            (Column("percent of\nrecords"), lambda row: _percent(row["records"], self.records)),
        )
        shares = (
            (Column("key", number=False, label=True), lambda row: shown(row["key"])),
            (Column("percent of\nall scores"), lambda row: number(row["percent"], ".2f")),
        )
        blocks += [table(sizes, self.sizes), Heading("Which keys"), table(shares, self.contributions)]
        blocks.append(Paragraph("A set counts for each of its keys, so that these sum to more than 100.", quiet=True))
        return [*blocks, *self._highest(), Heading("Notes"), Items(NOTES, quiet=True)]

    def _highest(self) -> Iterator[Block]:
        yield Heading("The highest scores")
        if self.scores:
            scores = (
                (Column("SUDA score"), lambda row: f"{row['suda_score']:,.6g}"),
                (Column("records"), lambda row: f"{row['records']:,}"),
                (Column("DIS-SUDA"), lambda row: f"{row['dis_suda']:.4f}"),
            )
            yield table(scores, self.scores[:HIGHEST])
        if rest := self.scores[HIGHEST:]:
            people = sum(int(row["records"]) for row in rest)
            yield Paragraph(f"{people:,} records have one of {len(rest):,} lower scores.", quiet=True)

    def _sets(self, n_keys: int) -> str:
        size = self.settings["max_size"]
        upto = n_keys if not isinstance(size, int) else min(size, n_keys)
        return f"up to {upto} of the {n_keys} keys, {self.settings['scoring']} scoring"

    def _special(self) -> str:
        if self.special_from is None:
            return "there are no uniques"
        share = _share(self.special, self.uniques, "uniques")
        return f"{share} have a SUDA score of {self.special_from:,.6g} or more: the highest tenth, ties included"

    def _dis(self) -> str:
        if self.dis is None:
            return "there are no uniques and no pairs"
        return (
            f"{self.dis:.4f}, the chance that a match with a unique is right if the file is {self.settings['sampling_fraction']} "
            f"of the population ({self.paired:,} records are in pairs)"
        )


def _share(part: int, whole: int, words: str) -> str:
    return f"{part:,} of {whole:,} {words} ({_percent(part, whole)} %)"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else NOTHING
