"""Estimate the number of population uniques with three models of the sizes of population classes.

All three read ``frequencies``: f_i, the number of classes of the sample with i records, by i. This
is Python because databases find no roots, not all have a gamma function, and the numbers are few.
Bisection needs no library and cannot leave the interval.
"""

from collections.abc import Callable, Mapping
from math import exp, inf, lgamma, log, log1p, sqrt

Frequencies = Mapping[int, int]
"""Number of records in a class -> number of classes of that size."""

STEPS = 200  # steps of a bisection. Enough to use all digits of a double from any start.
PLACES = 4000  # points at which the equation of the third model is searched for a change of sign


def zayatz(frequencies: Frequencies, population: int) -> float | None:
    """Return the population uniques by Zayatz (1991), or None if the sample has no unique.

    From a class of i people, exactly one person is in the sample with the hypergeometric chance
    h(i). The sample's class sizes stand for those of the population. So the share of sample uniques
    that are population uniques is f_1 h(1) / sum of f_i h(i), with f_i the classes of i records in
    the sample. The estimate is f_1 times this share, divided by the sampling fraction.
    """
    uniques, sample = frequencies.get(1, 0), _sample(frequencies)
    if not uniques:
        return None
    # h(i) is i * chance: each of the i people may be the one who is drawn.
    chance, weighed = sample / population, 0.0
    for size in range(1, max(frequencies) + 1):
        weighed += frequencies.get(size, 0) * size * chance
        left = population - sample - size + 1
        if left <= 0 or chance == 0:
            break
        chance *= left / (population - size)
    return uniques * (uniques * sample / population / weighed) * population / sample


def pitman(frequencies: Frequencies, population: int) -> tuple[float | None, str]:
    """Return the population uniques by the model of Pitman (1996), and a note for the user, which
    may be empty.

    The parameters theta and 0 < alpha < 1 have maximum likelihood (Hoshino 2001). If there is no
    maximum in that range, alpha is 0, which is the model of Ewens (1972). The estimate is the
    expected number of classes of one person among N people: N G(theta+1) G(N+theta+alpha-1) /
    (G(theta+alpha) G(N+theta)), with G the gamma function. None if all records of the sample are
    unique, or all are in one class.
    """
    classes, sample = sum(frequencies.values()), _sample(frequencies)
    if classes in (1, sample):
        return (
            None,
            (
                "Pitman: the likelihood has no maximum if all records of the sample are "
                "unique, or all are alike."
            ),
        )

    # sum over 1 <= i < classes of 1 / (theta + i alpha)
    def per_theta(theta: float, alpha: float) -> float:
        if alpha == 0:
            return (classes - 1) / theta
        return (digamma(theta / alpha + classes) - digamma(theta / alpha + 1)) / alpha

    def best_theta(alpha: float) -> float:
        """Find the theta with the greatest likelihood for an alpha. The derivative by theta falls
        from above 0 to below 0.
        """
        return _falling(
            lambda theta: per_theta(theta, alpha) - digamma(theta + sample) + digamma(theta + 1),
            -alpha,
        )

    def slope(alpha: float) -> float:
        """Return the derivative of the log-likelihood by alpha, at the best theta for this
        alpha.
        """
        theta = best_theta(alpha)
        gained = (
            ((classes - 1) - theta * per_theta(theta, alpha)) / alpha
            if alpha
            else classes * (classes - 1) / (2 * theta)
        )
        return gained - sum(
            n * (digamma(size - alpha) - digamma(1 - alpha)) for size, n in frequencies.items()
        )

    if slope(0) <= 0:
        theta = best_theta(0)
        said = (
            "Pitman: the likelihood has no maximum with alpha above 0; alpha is 0, the model "
            "of Ewens."
        )
        return theta * population / (population + theta - 1), said
    alpha = _between(slope, 0, 1)
    theta = best_theta(alpha)
    in_all = _log_gamma_step(population + theta, alpha - 1) - _log_gamma_step(theta + 1, alpha - 1)
    return population * exp(in_all), ""


def snb(frequencies: Frequencies, population: int) -> tuple[float | None, str]:
    """Return the population uniques by the shifted negative binomial (Chen & Keller-McNulty 1998),
    and a note for the user, which may be empty.

    In the model a class of the population is unique with probability b^a, so the estimate is K b^a.
    K, the number of classes in the population, is that of `_shlosser`. The parameters a and b solve
    two equations: the expected numbers of sample classes of one and of two records equal those
    found, f_1 and f_2. The ratio of the two equations is quadratic in a, with one positive root for
    each b. This leaves one equation in b. The estimate is None if f_1 or f_2 is 0, or if that
    equation has no root or several.
    """
    ones, twos, sample = frequencies.get(1, 0), frequencies.get(2, 0), _sample(frequencies)
    if not ones or not twos:
        return None, "SNB: the sample needs classes of one record and of two."
    share = sample / population
    classes = _shlosser(frequencies, share)

    def shape(b: float) -> tuple[float, float]:
        z = (1 - share) * (1 - b)
        first, pairs = share * (1 - b), 2 * (1 - z) * twos / ones
        linear, last = first * (2 - z) - pairs * z, pairs * (1 - z)
        return 2 * last / (linear + sqrt(linear * linear + 4 * first * z * last)), z

    def surplus(b: float) -> float:  # ln(expected f_1 / observed f_1)
        a, z = shape(b)
        return log(classes * share) + a * log(b / (1 - z)) + log1p(a * z / (1 - z)) - log(ones)

    places = [1 / (1 + exp(-60 * (step / PLACES - 0.5))) for step in range(PLACES + 1)]
    signs = [surplus(place) > 0 for place in places]
    ends = [(places[n], places[n + 1]) for n in range(PLACES) if signs[n] != signs[n + 1]]
    if len(ends) != 1:
        return None, f"SNB: its equations have {'no' if not ends else 'several'} solutions here."
    (low, high), rising = ends[0], signs[-1]
    b = _between(lambda b: -surplus(b) if rising else surplus(b), low, high)
    return classes * exp(shape(b)[0] * log(b)), ""


def _shlosser(frequencies: Frequencies, share: float) -> float:
    """Return the estimated number of classes in the population, given the sampling fraction
    ``share``.

    This is the modified estimator of Shlosser (1981) that Haas & Stokes (1998) call Sh3.
    """
    found = sum(frequencies.values())
    if share == 1:
        return found
    left = {size: n * (1 - share) ** size for size, n in frequencies.items()}
    seen = sum(
        size * share**2 * (1 - share**2) ** (size - 1) * n for size, n in frequencies.items()
    )
    more = sum(n * (1 - share**2) ** size for size, n in frequencies.items()) - sum(left.values())
    drawn = sum(size * share * (1 - share) ** (size - 1) * n for size, n in frequencies.items())
    return float(found + frequencies.get(1, 0) * (seen / more) * (sum(left.values()) / drawn) ** 2)


def digamma(x: float) -> float:
    """Return the derivative of ln Gamma at x > 0. Below 12 use the recurrence (NIST DLMF 5.5.2),
    above the asymptotic series (5.11.2).
    """
    below = 0.0
    while x < 12:
        below, x = below + 1 / x, x + 1
    y = 1 / (x * x)
    return (
        log(x)
        - 0.5 / x
        - y
        * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))
        - below
    )


def _log_gamma_step(x: float, d: float) -> float:
    """Return ln Gamma(x + d) - ln Gamma(x). For x >= 1000, where the subtraction loses digits, use
    Stirling's series.
    """
    if x < 1000:
        return lgamma(x + d) - lgamma(x)
    return (x - 0.5) * log1p(d / x) + d * log(x + d) - d + (1 / (x + d) - 1 / x) / 12


def _sample(frequencies: Frequencies) -> int:
    return sum(size * classes for size, classes in frequencies.items())


def _falling(function: Callable[[float], float], least: float) -> float:
    """Return the argument at which a function, decreasing above ``least``, becomes negative."""
    width = 1.0
    while function(least + width) > 0 and width < inf:
        width *= 2
    return least + _between(lambda distance: function(least + distance), 0, width)


def _between(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the argument between ``low`` and ``high`` at which a function changes from positive to
    negative, by bisection. The function is never evaluated at the two ends.
    """
    for _ in range(STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2
