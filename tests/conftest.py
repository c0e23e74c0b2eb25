"""One setting for all random tests: no clock, and in CI the same examples every time; and the servers of all tests."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from servers import Server, postgres

settings.register_profile(
    "sqlrisk",
    deadline=None,  # two slow cores are no defect
    max_examples=15,
    derandomize="CI" in os.environ,
    database=None,  # a failing example is printed with the code that reproduces it
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", settings.get_profile("sqlrisk"), max_examples=4)
settings.load_profile("sqlrisk")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server of this test process."""
    with postgres() as server:
        yield server
