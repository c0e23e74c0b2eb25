"""The special uniques of a file: how many and which keys single people out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlrisk.report.blocks import Block, GridColumn, table
from sqlrisk.report.prose import said
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import label, number
from sqlrisk.report.wording import precise, share

SCORES = {"suda_score": "double", "records": "int64", "dis_suda": "double"}


@dataclass(frozen=True, repr=False)
class Uniques(ResultKind):
    """The special uniques of a file.

    Attributes:
        source: the file as it was given.
        records, classes: its number of records, and of combinations of their keys.
        uniques, paired: records that are unique on the keys, and records that share their keys with
            exactly one other.
        dis: the chance that a match with a unique is right, None without uniques and pairs.
        special, special_from: special uniques (the tenth of the uniques with the highest scores,
            ties included), and their lowest score.
        settings: every setting of the run.
        sizes: for each number of keys, the minimal sets of this size that single a record out, and
            the records whose smallest set has this size.
        scores: each SUDA score above 0, the highest first, with its number of records and its
            DIS-SUDA.
        contributions: each key's share of all scores, in percent.
        labels: as in a Report.
        left_out: parts that were not read, such as ``empty_rows``.
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
    left_out: Mapping[str, object] = field(default_factory=dict, kw_only=True)
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _kind: ClassVar = "uniques"
    _below: ClassVar = {"How many keys it takes": ("sizes",), "Which keys": ("keys",)}
    _types: ClassVar = SCORES
    _rows: ClassVar = "scores"
    _first: ClassVar = ("The highest scores",)
    highest: ClassVar = 10  # scores that text shows; JSON has all

    def _line(self) -> str:
        return f"<Uniques of {self.source}: {self.uniques} of {self.records} records>"

    def _document(self) -> dict[str, object]:
        return {
            **self._present("labels"),
            "settings": self.settings,
            "file": {
                "source": self.source,
                "records": self.records,
                "classes": self.classes,
                **self.left_out,
            },
            **self._named("uniques", "paired", "dis"),
            "special": {"records": self.special, "suda_score_from": self.special_from},
            **self._named("sizes", "scores", "contributions"),
        }

    def _blocks(self) -> list[Block]:
        sizes = (
            number("keys", "keys in\nthe set"),
            number("minimal_uniques", "minimal\nuniques"),
            number("records", "people with\nno smaller set"),
            (GridColumn("percent of\nrecords"), lambda row: share(row["records"], self.records)),
        )
        percent = GridColumn("percent of\nall scores")
        keys = label("key"), (percent, lambda row: precise(row, "percent", ".2f"))
        scores = (
            (GridColumn("SUDA score"), lambda row: f"{row['suda_score']:,.6g}"),
            number("records"),
            (GridColumn("DIS-SUDA"), lambda row: f"{row['dis_suda']:.4f}"),
        )
        return said(
            "uniques",
            self,
            left_out=assessment.left_out([{"source": self.source, **self.left_out}]),
            sizes=[table(sizes, self.sizes)],
            keys=[table(keys, self.contributions)],
            scores=[table(scores, self.scores[: self.highest])],
        )
