"""How many random examples a test makes, where it is not the usual number."""

from hypothesis import settings

USUAL = settings.get_profile("sqlrisk").max_examples


def examples(count: int) -> settings:
    """Settings of so many examples; fewer in the same proportion where a run makes fewer than usual."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
