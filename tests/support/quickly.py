"""Mark cases as slow, so that a plain run tests only some of many similar ones."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(chosen: Collection[Any], every: Iterable[Any]) -> list[Any]:
    """Return all cases for ``parametrize``. Those that are not chosen are slow tests."""
    return [
        each if each in chosen else pytest.param(each, marks=pytest.mark.slow) for each in every
    ]


def few(every: Iterable[Any], of: int = 3) -> list[Any]:
    """Return all cases for ``parametrize``. Only the first of every ``of`` cases is not a slow
    test.

    If a case is a tuple, it holds several parameters.
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
