"""P values, by scipy (the extra ``stats``); without it there are none."""

MISSING = "p values need scipy, which is not installed: pip install 'sqlrisk[stats]'."


def two_sided(t: float | None, df: float | None) -> float | None:
    """How often Student's t with ``df`` degrees of freedom is as far from 0 as ``t``; None without t, or without scipy."""
    if t is None or df is None:
        return None
    try:
        from scipy.special import stdtr
    except ImportError:
        return None
    return float(2 * stdtr(df, -abs(t)))
