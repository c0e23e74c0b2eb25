"""How many random examples a test makes, where it is not the usual number."""

from hypothesis import settings

USUAL = 15  # to which the counts of the tests are said


def examples(count: int) -> settings:
    """Settings of so many examples; more or fewer in the same proportion where a run makes so."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
