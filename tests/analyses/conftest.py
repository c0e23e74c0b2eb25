"""Thousands of small scores: those of test_assessment.py, and of what reads its result, ask whether
files can be assessed.
"""

from collections.abc import Iterator

import pytest
from unassessed import unasked

ASSESSED = (
    "test_assessment",
    "test_audit",
    "test_diff",
    "test_look_alikes",
    "test_membership",
    "test_near_keys",
    "test_saved_scenarios",
    "test_scenarios",
    "test_steps",
    "test_universe",
)


@pytest.fixture(scope="module", autouse=True)
def unassessed(request: pytest.FixtureRequest) -> Iterator[None]:
    """No file is assessed, but in these modules."""
    if request.module.__name__.rpartition(".")[2] in ASSESSED:
        yield
    else:
        with unasked():
            yield
