"""The number of random examples, for tests that make more or fewer than usual."""

from hypothesis import settings

USUAL = 15  # the tests state their numbers for a run of this size
PLAIN = USUAL // 5
ALL = 3 * PLAIN  # a slow oracle takes seconds an example; each run draws new ones


def examples(count: int) -> settings:
    """Return settings for ``count`` examples if a run makes `USUAL` examples, else proportionally
    many.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
