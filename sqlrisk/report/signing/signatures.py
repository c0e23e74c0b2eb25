"""The signatures of a result, and the check that the signed files are unchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlrisk.report.blocks import Grid, GridColumn
from sqlrisk.report.columns import DECISIONS
from sqlrisk.report.prose import said
from sqlrisk.report.results.table import Table
from sqlrisk.report.wording import shown

COLUMNS = ("what", "name", "outcome", "then", "now")
SAME, CHANGED, MISSING, UNSIGNED = "same", "changed", "missing", "not signed"
REMARK = "Remarked"  # for a comment on findings without a decision


@dataclass(frozen=True, repr=False)
class Signatures(Table):
    """One row for each item: a result, its manifest, its signatures, and its pages, also those that
    are ``not signed``. The columns ``then`` and ``now`` have the SHA-256 when signed and now.

    ``signatures`` are all signatures of the file, oldest first. ``seal`` is the SHA-256 of the
    last signature.
    """

    signatures: list[dict[str, Any]] = field(default_factory=list)
    seal: str = ""

    @property
    def same(self) -> bool:
        """True if no item has changed or is missing since it was signed."""
        return not self.changed

    @property
    def changed(self) -> list[tuple[object, ...]]:
        """The rows of items that changed or are missing."""
        return [row for row in self.rows if row[2] in (CHANGED, MISSING)]

    @property
    def told(self) -> list[dict[str, Any]]:
        """The signatures in words."""
        return in_words(self.signatures)

    def _document(self) -> dict[str, object]:
        return {
            "same": self.same,
            "seal": self.seal,
            "signatures": self.signatures,
            "rows": self._objects(),
        }


def of_files(
    signatures: Sequence[dict[str, Any]], seal: str, rows: Sequence[tuple[object, ...]]
) -> Signatures:
    """Return signatures as a result. ``rows`` compare signed items in the columns ``COLUMNS``."""
    found = Signatures(
        "signatures",
        "signatures",
        "Sign-off",
        list(COLUMNS),
        list(rows),
        signatures=list(signatures),
        seal=seal,
    )
    grid = Grid(
        [GridColumn(name, label=True) for name in COLUMNS[:3]],
        [[shown(value) for value in row[:3]] for row in rows],
    )
    return replace(found, blocks=said("signatures", found, compared=[grid]))


def in_words(signatures: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return signatures with the texts to show: ``words`` for the decision, ``by`` for the name,
    and ``at`` for the time.
    """
    return [
        {
            **each,
            "words": DECISIONS.get(each["decision"], REMARK),
            "at": _time(each["signed"]),
            "by": shown(each["by"]),
        }
        for each in signatures
    ]


def _time(text: str) -> str:
    at = datetime.fromisoformat(text)
    return f"{at.day} {at:%B %Y, %H:%M} UTC"
