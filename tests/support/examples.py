"""The number of random examples, for tests that make more or fewer than usual."""

from hypothesis import settings

USUAL = 15  # the numbers in the tests are for this one
PLAIN = USUAL // 5
ALL = 3 * PLAIN  # a slow oracle takes seconds for an example; the next run has others


def examples(count: int) -> settings:
    """Return settings for ``count`` examples if a run makes `USUAL` examples, else proportionally
    many.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
