"""What a plain run asks of many cases that are alike."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(chosen: Collection[Any], every: Iterable[Any]) -> list[Any]:
    """Every case, for ``parametrize``; those that are not chosen are slow tests."""
    return [
        each if each in chosen else pytest.param(each, marks=pytest.mark.slow) for each in every
    ]


def few(every: Iterable[Any], of: int = 3) -> list[Any]:
    """Every case, for ``parametrize``; all but the first, and each one in so many after it, are
    slow tests.

    A tuple is a case of several parameters.
    """
    cases = [each if isinstance(each, tuple) else (each,) for each in every]
    return [
        pytest.param(*each, marks=[pytest.mark.slow] if place % of else [])
        for place, each in enumerate(cases)
    ]


def marks(engine: str, *, quick: bool) -> list[pytest.MarkDecorator]:
    """The marks of a question to an engine: all of Spark run in one process, and what is not quick
    is a slow test.
    """
    group = [pytest.mark.xdist_group("spark")] if engine == "spark" else []
    return [*group, *([] if quick else [pytest.mark.slow])]
