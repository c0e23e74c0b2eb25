"""Hundreds of small scores: in these modules alone they ask whether files can be assessed."""

from collections.abc import Iterator

import pytest
from unassessed import unasked

ASSESSED = ("test_column_types", "test_labels_decide", "test_policy", "test_python_tables")


@pytest.fixture(scope="module", autouse=True)
def unassessed(request: pytest.FixtureRequest) -> Iterator[None]:
    """No file is assessed, but in these modules."""
    if request.module.__name__.rpartition(".")[2] in ASSESSED:
        yield
    else:
        with unasked():
            yield
