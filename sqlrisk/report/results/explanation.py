"""Why one person is at risk, in sentences and as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sqlrisk.report.blocks import Block, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.result import Forms
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import label, number

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


@dataclass(frozen=True, repr=False)
class Explanation(Forms):
    """The risk of one record of the original. It is disclosive.

    Attributes:
        record: its number, from 1, or its id, as text.
        source, records: the original, and its number of records.
        synthesis: the synthesis that the record is compared with: ``1``, ``pooled 1-2``.
        keys: one dict per key: ``key``, ``level``, and ``agree_on_others``, the number of people
            who agree on all other keys.
        n_orig_class, n_syn_class: people and synthetic records with the same keys. All counts of
            people include this person.
        unique: True if no other person has these keys.
        replicated_unique: True if unique, and exactly one synthetic record has these keys.
        targets: one dict per target, with columns as in `sqlrisk.records`. ``top_level`` is the
            most frequent level among the ``n_syn_class`` records, or the first of several that tie
            (``tied`` is how many). ``top_records`` of the records have it.
        assessment, labels: as in a Report.
    """

    assessment: list[Row]
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
    labels: Mapping[str, str] = field(default_factory=dict)
    _types: ClassVar = TYPES
    _rows: ClassVar = "targets"
    disclosive: ClassVar = DISCLOSIVE

    def _document(self) -> dict[str, object]:
        return {
            "assessment": self.assessment,
            **self._present("labels"),
            "disclosive": True,
            "record": self.record,
            "original": {"source": self.source, "records": self.records},
            **self._named(
                "synthesis", "keys", "n_orig_class", "n_syn_class", "unique", "replicated_unique"
            ),
            "targets": self._objects(),
        }

    def _blocks(self) -> list[Block]:
        columns = label("key", "without"), number("agree_on_others", "people with\nall other keys")
        return said(
            "explanation",
            self,
            assessment=assessment.blocks(self.assessment),
            rare=[table(columns, self.keys)],
        )
