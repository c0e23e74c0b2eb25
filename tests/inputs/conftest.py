"""The process that reads files of other formats is forked in these modules; test_damaged_files.py has the process itself."""

from collections.abc import Iterator

import pytest
import readers

FORKED = ("test_empty_rows", "test_formats", "test_labels", "test_other_programs")


@pytest.fixture(scope="module", autouse=True)
def _forked(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.module.__name__.rpartition(".")[2] in FORKED:
        with readers.forked():
            yield
    else:
        yield
