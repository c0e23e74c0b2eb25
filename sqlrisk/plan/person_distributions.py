"""What is distributed over people: CAP and lift, the percents of their quantiles, and the bins of their histograms."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sqlrisk.catalogue import templates

PERCENTS = (0, 5, 10, 25, 50, 75, 90, 95, 100)  # of the quantiles; the first and the last are the least and the greatest


@dataclass(frozen=True)
class Bin:
    """Amounts from ``low`` on and below ``high``; ``low`` alone where both are the same; without an end where ``high`` is None.

    A bin that begins where one amount alone is the bin before it begins above that amount.
    """

    number: int
    low: Fraction
    high: Fraction | None
    above: bool = False

    @property
    def begins(self) -> str:
        """The condition in SQL of an amount in this bin or a later one; 1/10 is written as a quotient, to be the same DOUBLE."""
        low = f"CAST({self.low.numerator} AS DOUBLE) / CAST({self.low.denominator} AS DOUBLE)"
        return f"amount {'>' if self.above else '>='} {low}"

    @property
    def text(self) -> str:
        """The bin as a person reads it: ``[0.1,0.2)``, ``1``, ``[100,...)``."""
        low = f"{float(self.low):g}"
        if self.low == self.high:
            return low
        high = "..." if self.high is None else f"{float(self.high):g}"
        return f"{'(' if self.above else '['}{low},{high})"


@dataclass(frozen=True)
class Quantity:
    """Something that each person has an amount of: ``amount`` and ``known`` (who has one) are SQL over person_caps."""

    name: str
    amount: str
    known: str
    bins: tuple[Bin, ...]

    @property
    def literal(self) -> str:
        """The name in SQL."""
        return templates.literal(self.name)


def _bins(*ends: Fraction | int | None) -> tuple[Bin, ...]:
    """Bins between neighbouring ends; an end that is named twice is a bin of its own."""
    pairs = list(pairwise(ends))
    return tuple(
        Bin(
            number,
            Fraction(low or 0),
            None if high is None else Fraction(high),
            above=low != high and number > 0 and pairs[number - 1][0] == low,
        )
        for number, (low, high) in enumerate(pairs)
    )


CAP_BINS = _bins(*(Fraction(tenth, 10) for tenth in range(11)), 1)
LIFT_BINS = _bins(0, 0, Fraction(1, 2), 1, Fraction(3, 2), 2, 5, 10, 100, None)
EVERYBODY, MATCHED = "cap_original IS NOT NULL", "cap_synthetic IS NOT NULL"
QUANTITIES = (
    Quantity("cap_original", "cap_original", EVERYBODY, CAP_BINS),
    Quantity("cap_synthetic", "COALESCE(cap_synthetic, 0)", EVERYBODY, CAP_BINS),
    Quantity("cap_synthetic_matched", "cap_synthetic", MATCHED, CAP_BINS),
    Quantity("lift", "lift", "lift IS NOT NULL", LIFT_BINS),
)
