"""How many random examples a test makes, where it is not the usual number."""

from hypothesis import settings

USUAL = 15


def examples(count: int) -> settings:
    """Settings of so many examples, where a run makes the usual number; else fewer or more in the
    same proportion.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
