"""Why one person is at risk, in sentences, and as data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlrisk.report.blocks import Block, Column, Heading, Items, Paragraph, Terms, table
from sqlrisk.report.result import Forms, Lines, lines, objects
from sqlrisk.report.wording import MISSING, percent, shown

Row = dict[str, Any]
DISCLOSIVE = "Disclosive: this is about one real person. Keep it where the original is kept."
TYPES = {
    **dict.fromkeys(("target", "level"), "string"),
    **dict.fromkeys(("cap_original", "cap_synthetic", "cap_baseline", "lift"), "double"),
    **dict.fromkeys(("disclosive_synthetic", "correct"), "bool"),
    "top_level": "string",
    **dict.fromkeys(("top_records", "tied"), "int64"),
    **dict.fromkeys(("top_share", "predicted_share"), "double"),
    "excluded": "string",
}
COLUMNS = tuple(TYPES)


@dataclass(frozen=True)
class Explanation(Forms):
    """The risk of one record of the original. It is disclosive.

    Attributes:
        record: its number from 1, or its id; source: the original; records: how many there are in it.
        synthesis: what it is compared with: ``1``, ``pooled 1-2``.
        keys: one dict per key: ``key``, ``level``, ``agree_on_others``: people who agree on all other keys, this one included.
        n_orig_class, n_syn_class: people, this one included, and synthetic records with the same levels of all keys.
        unique, replicated_unique: alone in the original; and so is one synthetic record.
        targets: one dict per target, with the keys of ``COLUMNS``; shares run from 0 to 1 and mean what they mean in
            `sqlrisk.records`; ``top_level`` is the most frequent level among ``n_syn_class`` records, in ``top_records`` of
            them, the first of those that are ``tied``.
    """

    record: str
    source: str
    synthesis: str
    records: int
    keys: list[Row]
    n_orig_class: int
    n_syn_class: int
    unique: bool
    replicated_unique: bool
    targets: list[Row]
    _types: ClassVar = TYPES

    def _document(self) -> dict[str, object]:
        return {
            "disclosive": True,
            "record": self.record,
            "original": {"source": self.source, "records": self.records},
            **self._named("synthesis", "keys", "n_orig_class", "n_syn_class", "unique", "replicated_unique"),
            "targets": objects(COLUMNS, self.targets),
        }

    def _table(self) -> Lines:
        return COLUMNS, lines(COLUMNS, self.targets)

    def _blocks(self) -> list[Block]:
        return [
            Heading(f"Record {self.record} of {shown(self.source)}", 1),
            Paragraph(DISCLOSIVE),
            Heading("Whom an intruder looks for"),
            Terms([(shown(row["key"]), shown(row["level"])) for row in self.keys]),
            Heading("Who has these keys"),
            Items([self._in_original(), self._in_synthetic()]),
            *self._rare(),
            *(block for row in self.targets for block in self._target(row)),
        ]

    def _in_original(self) -> str:
        others = self.n_orig_class - 1
        if self.unique:
            return f"Nobody else of the {self.records:,} people: the person is unique."
        return f"{others:,} other{'s' * (others != 1)} of the {self.records:,} people."

    def _in_synthetic(self) -> str:
        where = (
            f"in synthesis {self.synthesis}" if not self.synthesis.startswith("pooled") else f"in the syntheses {self.synthesis}"
        )
        if not self.n_syn_class:
            return f"No record {where}: whoever looks for the person finds nobody."
        if self.replicated_unique:
            return f"One record {where}: a replicated unique. Whoever looks for the person seems to have found them."
        return f"{self.n_syn_class:,} record{'s' * (self.n_syn_class != 1)} {where}."

    def _rare(self) -> Iterator[Block]:
        yield Heading("What makes the person rare")
        without = Column("without", label=True), lambda row: shown(row["key"])
        others = Column("people with\nall other keys"), lambda row: f"{row['agree_on_others']:,}"
        yield table([without, others], self.keys)

    def _target(self, row: Row) -> Iterator[Block]:
        yield Heading(f"What could be learned: {shown(row['target'])}")
        yield Items([*self._known_anyway(row), *self._seen(row), *_uncounted(row)])

    def _known_anyway(self, row: Row) -> Iterator[str]:
        yield (
            f"The true level is {_level(row['level'])}. {_percent(row['cap_baseline'])} of all people have it (the baseline), "
            f"and {_percent(row['cap_original'])} of those with these keys (CAP in the original)."
        )

    def _seen(self, row: Row) -> Iterator[str]:
        if not self.n_syn_class:
            yield "No synthetic record has these keys, so none says anything; the person counts as zero in DCAP."
            return
        top = _level(row["top_level"])
        if row["disclosive_synthetic"]:
            one = self.n_syn_class == 1
            who = "The only synthetic record" if one else f"All {self.n_syn_class:,} synthetic records"
            becomes = (
                "it would be revealed, correctly. The person is in DiSCO"
                if row["correct"]
                else "an intruder would be sure, and wrong"
            )
            yield f"{who} with these keys {'says' if one else 'say'} {top}: {becomes}."
        else:
            tied = f", as often as {row['tied'] - 1} more" if row["tied"] > 1 else ""
            right = "right" if row["predicted_share"] == 1 else "wrong" if not row["predicted_share"] else "undecided"
            yield (
                f"Of the {self.n_syn_class:,} synthetic records with these keys, {row['top_records']:,} say {top}, the most "
                f"frequent level{tied}: a guess by the majority is {right}."
            )
        lift = "" if row["lift"] is None else f", {row['lift']:.2f} times the baseline (lift)"
        yield f"The share of the true level there is {_percent(row['cap_synthetic'])}: CAP in the synthetic file{lift}."


def _level(value: object) -> str:
    """Return a level within a sentence: in quotes, for it may end in a full stop."""
    return MISSING if value is None else f"'{shown(value)}'"


def _percent(share: float) -> str:
    return percent(100 * share)


def _uncounted(row: Row) -> Iterator[str]:
    if row["excluded"] is not None:
        yield f"The person is not counted in the measures of this target: {row['excluded']}."
