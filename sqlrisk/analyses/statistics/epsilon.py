"""A lower bound of the epsilon of differential privacy, from the curve of a score of membership.

Where a file is made with (epsilon, delta)-differential privacy, nobody calls people in it members
more than e^epsilon times as often as people out of it, plus delta (Wasserman & Zhou 2010; Kairouz,
Oh & Viswanath 2015). So ln((true - delta) / false) of the rates of any threshold is no more than
epsilon. The rates are those of some people: the true one is taken at the lower end of its interval
and the false one at its upper end (Clopper & Pearson 1934; so do Jagielski, Ullman & Oprea 2020),
each with the chance of an error divided by the number of both ends of all thresholds (Bonferroni),
since the best one is chosen by looking.
"""

from collections.abc import Sequence
from math import log
from typing import Any


def lower_bound(
    curve: Sequence[dict[str, Any]],
    people_in: int,
    people_out: int,
    *,
    delta: float,
    confidence: float,
) -> dict[str, Any]:
    """Return the bound and the threshold that it is of, with its rates at the ends of their
    intervals, in percent.

    ``curve`` has its points from nobody flagged to everybody; these two ends tell nothing, and are
    no ``thresholds``. ``bound`` is 0 where none of these shows more, and what is said of a
    threshold None.
    """
    thresholds = curve[1:-1]
    bound, found = (
        0.0,
        dict.fromkeys(("score", "flagged_in", "flagged_out", "true_low", "false_high")),
    )
    for point in thresholds:
        chance = (1 - confidence) / (2 * len(thresholds))
        low = _share_above(point["flagged_in"], people_in, chance)
        high = _share_below(point["flagged_out"], people_out, chance)
        if low > delta and (epsilon := log((low - delta) / high)) > bound:
            bound = epsilon
            of = {name: point[name] for name in ("score", "flagged_in", "flagged_out")}
            found = {**of, "true_low": 100 * low, "false_high": 100 * high}
    return {"delta": delta, "bound": bound, "thresholds": len(thresholds), **found}


def _share_above(hits: int, people: int, chance: float) -> float:
    """Return the share that the true one is above but for this chance (Clopper & Pearson 1934)."""
    from scipy.special import betaincinv

    return float(betaincinv(hits, people - hits + 1, chance)) if hits else 0.0


def _share_below(hits: int, people: int, chance: float) -> float:
    """Return the share that the true one is below but for this chance (Clopper & Pearson 1934)."""
    from scipy.special import betainccinv

    return float(betainccinv(hits + 1, people - hits, chance)) if hits < people else 1.0
