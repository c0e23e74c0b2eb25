"""Student's t distribution without a library, so that p-values are always available."""

from functools import cache
from math import exp, lgamma, log, log1p, pi, sqrt

# From here on the series of the quotient of gamma functions is exact to the last digit.
_LARGE = 100
_ENOUGH = 1e-15  # smaller changes of a sum are ignored


def p_value(t: float | None, df: float | None) -> float | None:
    """Return the two-sided p-value of Student's t. None if t or df is None, or df is 0 or less."""
    return None if t is None or df is None or df <= 0 else _tails(t, df)


@cache
def quantile(confidence: float, df: int) -> float:
    """Return the t for which Student's variable lies in [-t, t] with probability ``confidence``."""
    low, high = 0.0, 1.0
    while _tails(high, df) > 1 - confidence:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tails(middle, df) > 1 - confidence else (low, middle)
    return high


def _tails(t: float, df: float) -> float:
    """Return P(|T| > t), which is I(x; df / 2, 1 / 2), the incomplete beta function at
    x = df / (df + t^2).

    Abramowitz & Stegun 1964, 26.5.27.
    """
    # beyond is 1 - x, with all its digits.
    a, b, x, beyond = df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)
    # The factor before the fraction is x^a (1 - x)^b / B(a, b).
    front = exp(_log_quotient(a) - log(pi) / 2 - a * log1p(t * t / df)) * sqrt(beyond)
    if (a + b) * beyond >= b:
        return front * _fraction(a, b, x, beyond)
    return 1 - front * _fraction(b, a, beyond, x)


def _log_quotient(a: float) -> float:
    """Return ln of gamma(a + 1/2) / gamma(a). For a large a, use its series (DLMF 5.11.13)."""
    if a < _LARGE:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _fraction(a: float, b: float, x: float, beyond: float) -> float:
    """Return I(x; a, b) B(a, b) / (x^a (1 - x)^b) for x up to a / (a + b), by a continued fraction.

    Didonato & Morris 1992, eq. 9. ``beyond`` is 1 - x: computed from x it would lose the digits
    that matter if ``a`` is large.
    """
    above = 1 + ((a + b) * beyond - b if a > b else a - (a + b) * x)
    numerators, denominators, step, last = (0.0, 1.0), (1.0, above / (1 + 1 / a)), 0, 0.0
    found = numerators[1] / denominators[1]
    while abs(found - last) > _ENOUGH * found:
        step, last = step + 1, found
        share, wide, weight = step / a, a + 2 * step - 1, step * (b - step) * x
        alpha = (1 + (step - 1) / a) * (1 + (step - 1) / a + b / a) * (a / wide) ** 2 * weight * x
        beta = (
            step
            + weight / wide
            + (1 + share) / (1 + 1 / a + 2 * share) * (above + step * (1 + beyond))
        )
        denominator = alpha * denominators[0] + beta * denominators[1]
        numerators = (
            numerators[1] / denominator,
            (alpha * numerators[0] + beta * numerators[1]) / denominator,
        )
        denominators = denominators[1] / denominator, 1.0
        found = numerators[1]
    return found
