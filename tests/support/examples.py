"""The number of random examples, for tests that need more or fewer than the default."""

from hypothesis import settings

USUAL = 15  # the tests state their numbers for a run of this size
PLAIN = USUAL // 5  # in a plain run
# In a run of all tests. A slow oracle takes seconds per example, and each run draws new examples.
ALL = 2 * PLAIN


def examples(count: int) -> settings:
    """Return settings for ``count`` examples in a run with `USUAL` examples. In other runs, the
    number changes in proportion.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
