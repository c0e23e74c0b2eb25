"""Mark cases as slow, so that a plain run tests only some of many similar ones."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(chosen: Collection[Any], every: Iterable[Any]) -> list[Any]:
    """Return all cases for ``parametrize``. Cases that are not in ``chosen`` are marked as slow
    tests.
    """
    return [
        each if each in chosen else pytest.param(each, marks=pytest.mark.slow) for each in every
    ]


def few(every: Iterable[Any], of: int = 3) -> list[Any]:
    """Return all cases for ``parametrize``. Of every ``of`` cases, all but the first are marked as
    slow tests.

    A case that is a tuple holds several parameters.
    """
    cases = [each if isinstance(each, tuple) else (each,) for each in every]
    return [
        pytest.param(*each, marks=[pytest.mark.slow] if place % of else [])
        for place, each in enumerate(cases)
    ]


def marks(engine: str, *, quick: bool) -> list[pytest.MarkDecorator]:
    """Return the marks of a test that asks an engine. All Spark tests run in one process, and tests
    that are not ``quick`` are slow tests.
    """
    group = [pytest.mark.xdist_group("spark")] if engine == "spark" else []
    return [*group, *([] if quick else [pytest.mark.slow])]
