"""What all tests share: the settings of random tests and of the engine, the order, and the servers."""

import gc
import os
from collections.abc import Iterator

import pyspark.sql
import pytest
import threads
from hypothesis import HealthCheck, settings
from servers import Server, postgres, spark_session

settings.register_profile(
    "sqlrisk",
    deadline=None,  # two slow cores are no defect
    max_examples=8,
    derandomize="CI" in os.environ,
    database=None,  # a failing example is printed with the code that reproduces it
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", settings.get_profile("sqlrisk"), max_examples=3)
settings.register_profile("thorough", settings.get_profile("sqlrisk"), max_examples=30)  # --hypothesis-profile thorough
settings.load_profile("sqlrisk")

threads.use_one()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what is slow first, so that no process waits for another at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Look no more for garbage among the thousands of tests; it was done again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Let the libraries tidy up as they end."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def spark() -> Iterator[pyspark.sql.SparkSession]:
    """A session of the user's, with settings under which Spark gives other numbers; its tests are one group."""
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server of this test process."""
    with postgres() as server:
        yield server
