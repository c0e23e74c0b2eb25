"""Compute measures that are sums over people, and risk per record, in the slow way: one person
after the other.

Only the counts of classes and cells are computed in advance. ``None`` is an ordinary level.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = Mapping[str, object]


@dataclass(frozen=True)
class Person:
    """The numbers of one person. Proportions are exact. ``cap_synthetic`` and ``top_share`` are
    None if no synthetic record has the person's keys, ``cap_others`` if no other person has them.
    """

    n_orig_class: int
    n_syn_class: int
    cap_original: Fraction
    cap_synthetic: Fraction | None
    cap_baseline: Fraction
    disclosive_original: bool
    disclosive_synthetic: bool
    correct: bool
    top_share: Fraction | None
    predicted_share: Fraction
    cap_others: Fraction | None

    def value(self, measure: str) -> Any:
        """Return what the person adds to the numerator of a measure."""
        matched = self.n_syn_class > 0
        return {
            "UiO": int(self.n_orig_class == 1),
            "UiOiS": int(self.n_orig_class == 1 and matched),
            "repU": int(self.n_orig_class == 1 == self.n_syn_class),
            "iS": int(matched),
            "Dorig": int(self.disclosive_original),
            "DiS": int(self.disclosive_synthetic),
            "DiSCO": int(self.correct),
            "DiSDiO": int(self.correct and self.disclosive_original),
            "baseCAPd": self.cap_baseline,
            "CAPd": self.cap_original,
            "DCAP": self.cap_synthetic or Fraction(0),
            "DCAP_matched": self.cap_synthetic or Fraction(0),
            "CAPd_others": self.cap_others or Fraction(0),
            "CAPd_others_left_out": self.cap_others or Fraction(0),
            "DCAP-CAPd_others": (self.cap_synthetic or 0) - (self.cap_others or 0),
            "TCAP": int(self.correct),
            "TCAP_disclosive": int(self.correct),
            "better_protected": int((self.cap_synthetic or 0) < self.cap_original),
            "equally_protected": int((self.cap_synthetic or 0) == self.cap_original),
            "worse_protected": int((self.cap_synthetic or 0) > self.cap_original),
        }[measure]

    def among(self, measure: str) -> bool:
        """Return True if the person is in the denominator of a measure."""
        if measure in ("DCAP_matched", "TCAP"):
            return self.n_syn_class > 0
        if measure == "CAPd_others_left_out":
            return self.cap_others is not None
        return self.disclosive_synthetic if measure == "TCAP_disclosive" else True


MEASURES = (
    *("UiO", "UiOiS", "repU", "iS", "Dorig", "DiS", "DiSCO", "DiSDiO"),
    *("baseCAPd", "CAPd", "DCAP", "DCAP_matched", "TCAP", "TCAP_disclosive"),
    *("better_protected", "equally_protected", "worse_protected"),
)


def people(
    group: Sequence[Row],
    original: Sequence[Row],
    synthetic: Sequence[Row],
    keys: Sequence[str],
    target: str,
) -> list[Person]:
    """Return the numbers of every person of ``group``, which is the original itself or control.
    CAPd and the baseline always come from the original.
    """

    def counts(rows: Sequence[Row]) -> tuple[Counter[Any], Counter[Any], dict[Any, Counter[Any]]]:
        cells: Counter[Any] = Counter(
            (tuple(row[key] for key in keys), row[target]) for row in rows
        )
        classes: Counter[Any] = Counter()
        levels: dict[Any, Counter[Any]] = {}
        for (q, t), n in cells.items():
            classes[q] += n
            levels.setdefault(q, Counter())[t] += n
        return cells, classes, levels

    own_cells, own_classes, _ = counts(group)
    base_cells, base_classes, _ = counts(original)
    syn_cells, syn_classes, syn_levels = counts(synthetic)
    marginal = Counter(row[target] for row in original)
    found = []
    for row in group:
        q = tuple(row[key] for key in keys)
        cell = (q, row[target])
        s, s_all = syn_cells[cell], syn_classes[q]
        own = int(
            group is original
        )  # 1 if the person's own record must be subtracted from the others
        top = max(syn_levels[q].values()) if s_all else 0
        ties = sum(n == top for n in syn_levels[q].values()) if s_all else 0
        found.append(
            Person(
                own_classes[q],
                s_all,
                Fraction(base_cells[cell], base_classes[q]) if base_classes[q] else Fraction(0),
                Fraction(s, s_all) if s_all else None,
                Fraction(marginal[row[target]], len(original)),
                own_cells[cell] == own_classes[q],
                s_all > 0 and len(syn_levels[q]) == 1,
                0 < s == s_all,
                Fraction(top, s_all) if s_all else None,
                Fraction(1, ties) if s_all and s == top else Fraction(0),
                Fraction(base_cells[cell] - own, base_classes[q] - own)
                if base_classes[q] > own
                else None,
            )
        )
    return found
