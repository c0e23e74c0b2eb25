"""A lower bound of the epsilon of differential privacy, from the ROC curve of a membership score.

If a file was made with (epsilon, delta)-differential privacy, no threshold flags people in the file
more than e^epsilon times as often as people outside it, plus delta (Wasserman & Zhou 2010; Kairouz,
Oh & Viswanath 2015). So ln((T - delta) / F) is at most epsilon, with T the true positive rate and F
the false positive rate of any threshold.

The rates are estimates. So T is taken at the lower end of its interval, and F at the upper end
(Clopper & Pearson 1934; as in Jagielski, Ullman & Oprea 2020). The best threshold is chosen after
seeing the rates. So the chance of an error is divided by the number of interval ends, two for each
threshold (Bonferroni).
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
    """Return the largest bound over all thresholds, with the threshold that gives it.

    ``curve`` has points (``score``, ``flagged_in``, ``flagged_out``) from nobody flagged to
    everybody flagged. These two end points give no bound and are not counted in ``thresholds``.
    ``true_low`` and ``false_high`` are the rates at the ends of their intervals, in percent. If no
    threshold gives a bound above 0, ``bound`` is 0 and the values of the threshold are None.

    Args:
        people_in: number of people in the file.
        people_out: number of people outside the file.
        delta: the delta of differential privacy, from 0.
        confidence: the chance, below 1, that the true epsilon is at least the bound.
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
    """Return the lower end of the interval of the share ``hits`` / ``people``.

    The chance that the true share is lower is at most ``chance`` (Clopper & Pearson 1934).
    """
    from scipy.special import betaincinv

    return float(betaincinv(hits, people - hits + 1, chance)) if hits else 0.0


def _share_below(hits: int, people: int, chance: float) -> float:
    """Return the upper end of the interval of the share ``hits`` / ``people``.

    The chance that the true share is higher is at most ``chance`` (Clopper & Pearson 1934).
    """
    from scipy.special import betainccinv

    return float(betainccinv(hits + 1, people - hits, chance)) if hits < people else 1.0
