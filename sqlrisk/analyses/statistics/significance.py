"""Tail probabilities, and bounds of shares, from scipy where it is installed (the extra ``stats``)."""

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


def share_above(hits: int, people: int, chance: float) -> float:
    """Return the share that the true one is above but for this chance (Clopper & Pearson 1934); scipy has to be there."""
    from scipy.special import betaincinv

    return float(betaincinv(hits, people - hits + 1, chance)) if hits else 0.0


def share_below(hits: int, people: int, chance: float) -> float:
    """Return the share that the true one is below but for this chance (Clopper & Pearson 1934); scipy has to be there."""
    from scipy.special import betainccinv

    return float(betainccinv(hits + 1, people - hits, chance)) if hits < people else 1.0
