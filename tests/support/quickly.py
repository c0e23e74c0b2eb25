"""What a plain run asks of many cases that are alike."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(chosen: Collection[Any], every: Iterable[Any]) -> list[Any]:
    """Every case, for ``parametrize``; those that are not chosen are slow tests."""
    return [each if each in chosen else pytest.param(each, marks=pytest.mark.slow) for each in every]
