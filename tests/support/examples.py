"""How many random examples a test makes, where it is not the usual number."""

from hypothesis import settings

USUAL = 15  # the numbers in the tests are for this one
PLAIN = USUAL // 5
ALL = 3 * PLAIN  # a slow oracle takes seconds for an example; the next run has others


def examples(count: int) -> settings:
    """Settings of so many examples, if a run makes the usual number; of fewer in the same
    proportion.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
