"""The slow oracle of membership: compare every person inside with every person outside, and try
every threshold.

The oracle shares no code and no SQL with sqlrisk. Numbers are Fractions, except roots.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist


@dataclass(frozen=True)
class Curve:
    """The scores of people in the synthesis and of people outside it, at least one of each."""

    inside: Sequence[Fraction | float]
    outside: Sequence[Fraction | float]

    @cached_property
    def points(self) -> list[tuple[Fraction, Fraction]]:
        """Return rates of false and true positives: nobody flagged, then each threshold from the
        highest down.
        """
        thresholds = sorted({*self.inside, *self.outside}, reverse=True)
        return [
            (Fraction(0), Fraction(0)),
            *((_reach(self.outside, each), _reach(self.inside, each)) for each in thresholds),
        ]

    @cached_property
    def area(self) -> Fraction:
        """Return the share of pairs in which the person inside has the higher score. Ties count
        half.
        """
        won = sum(_halves(one, other) for one in self.inside for other in self.outside)
        return Fraction(won, 2 * len(self.inside) * len(self.outside))

    @property
    def error(self) -> float | None:
        """Return DeLong's standard error of the area, or None if there is only one person on a
        side. The error comes from the share of the other side that each person beats.
        """
        if min(len(self.inside), len(self.outside)) < 2:
            return None
        variance = Fraction(0)
        for own, others, sign in ((self.inside, self.outside, 1), (self.outside, self.inside, -1)):
            values = [
                Fraction(
                    sum(_halves(sign * one, sign * other) for other in others), 2 * len(others)
                )
                for one in own
            ]
            variance += (
                sum(((value - self.area) ** 2 for value in values), Fraction(0))
                / (len(own) - 1)
                / len(own)
            )
        return math.sqrt(variance)

    @property
    def advantage(self) -> Fraction:
        """Return the greatest difference between the true and the false positive rate."""
        return max(true - false for false, true in self.points)

    def step(self, allowed: Fraction) -> tuple[Fraction, Fraction]:
        """Return the false and the true positive rate at the lowest threshold whose false positive
        rate is at most ``allowed``.
        """
        return max(point for point in self.points if point[0] <= allowed)

    def drawn(self, allowed: Fraction) -> Fraction:
        """Return the true positive rate at exactly the false positive rate ``allowed``, on the line
        between the two nearest points.
        """
        before = self.step(allowed)
        after = min((point for point in self.points if point[0] > allowed), default=before)
        way = (allowed - before[0]) / (after[0] - before[0]) if after > before else 0
        return before[1] + way * (after[1] - before[1])


def precision(base: Fraction, false: Fraction, true: Fraction) -> Fraction | None:
    """Return the share of members among the flagged people. ``base`` is the share of members among
    all people who are tested.
    """
    flagged = base * true + (1 - base) * false
    return base * true / flagged if flagged else None


def wilson(share: Fraction, people: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the ends of Wilson's interval (1927, as Agresti & Coull write it)."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = float(share)
    centre, width = (
        p + z * z / (2 * people),
        z * math.sqrt((p * (1 - p) + z * z / (4 * people)) / people),
    )
    return ((centre - width) / (1 + z * z / people), (centre + width) / (1 + z * z / people))


def _reach(scores: Sequence[Fraction | float], least: Fraction | float) -> Fraction:
    return Fraction(sum(score >= least for score in scores), len(scores))


def _halves(one: Fraction | float, other: Fraction | float) -> int:
    return 1 if one == other else 2 * (one > other)
