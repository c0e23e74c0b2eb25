"""The special uniques of a file, summed up: how many keys it takes to single people out, and which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections.report_sections import NOTHING, shown

if TYPE_CHECKING:
    import pyarrow as pa


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
        sizes: for each number of keys: the minimal uniques of so many, and the records whose smallest has so many.
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

    def __repr__(self) -> str:
        return f"<Uniques of {self.source}: {self.uniques} of {self.records} records>"

    def to_dict(self) -> dict[str, object]:
        """Return everything in the types of JSON, keys in the documented order."""
        from sqlrisk.report.formats.tabular import plain

        return {
            "sqlrisk": __version__,
            "settings": plain(self.settings),
            "file": {"source": self.source, "records": self.records, "classes": self.classes},
            "uniques": self.uniques,
            "paired": self.paired,
            "dis": self.dis,
            "special": {"records": self.special, "suda_score_from": self.special_from},
            "sizes": plain(self.sizes),
            "scores": plain(self.scores),
            "contributions": plain(self.contributions),
        }

    def to_arrow(self) -> "pa.Table":
        """Return the scores as a pyarrow Table, the highest first: suda_score, records that have it, dis_suda."""
        from sqlrisk.report.formats.tabular import to_arrow

        return to_arrow(*self._table(), SCORES)

    def _table(self) -> Lines:
        return list(SCORES), [[row[name] for name in SCORES] for row in self.scores]

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
        sizes = [
            [str(row["keys"]), f"{row['minimal_uniques']:,}", f"{row['records']:,}", _percent(row["records"], self.records)]
            for row in self.sizes
        ]
        names = ("keys in\nthe set", "minimal\nuniques", "people whose\nsmallest it is", "percent of\nrecords")
        blocks.append(Grid([Column(name) for name in names], sizes))
        blocks.append(Heading("Which keys"))
        shares = [[shown(row["key"]), _number(row["percent"])] for row in self.contributions]
        blocks.append(Grid([Column("key", number=False, label=True), Column("percent of\nall scores")], shares))
        blocks.append(Paragraph("A set counts for each of its keys, so that these sum to more than 100.", quiet=True))
        blocks.append(Heading("The highest scores"))
        highest = [
            [f"{row['suda_score']:,.6g}", f"{row['records']:,}", f"{row['dis_suda']:.4f}"] for row in self.scores[:HIGHEST]
        ]
        if highest:
            blocks.append(Grid([Column(name) for name in ("SUDA score", "records", "DIS-SUDA")], highest))
        rest = self.scores[HIGHEST:]
        if rest:
            people = sum(int(row["records"]) for row in rest)
            blocks.append(Paragraph(f"{people:,} records have one of {len(rest):,} lower scores.", quiet=True))
        return [*blocks, Heading("Notes"), Items(NOTES, quiet=True)]

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


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else NOTHING
