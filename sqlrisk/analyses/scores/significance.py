"""Tail probabilities, from scipy where it is installed (the extra ``stats``)."""

from importlib.util import find_spec

MISSING = "p values need scipy: install the extra `stats` (sqlrisk[stats])."


def available() -> bool:
    """Return whether tail probabilities can be computed here."""
    return find_spec("scipy") is not None


def two_sided(t: float | None, df: float | None) -> float | None:
    """Return the probability of a value of Student's t at least as far from 0; None without a value or without scipy."""
    if t is None or df is None or df <= 0 or not available():
        return None
    from scipy.special import stdtr

    return 2 * float(stdtr(df, -abs(t)))
