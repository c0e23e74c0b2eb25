"""What all tests share: the settings of random tests and of the engine, the order, and
the servers.
"""

import gc
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import readers
import threads
from examples import ALL, PLAIN
from hypothesis import HealthCheck, settings
from servers import Server, postgres, spark_session
from xdist.scheduler import LoadGroupScheduling

settings.register_profile(
    "all",
    deadline=None,  # two slow cores are no defect
    max_examples=ALL,
    derandomize=False,
    database=None,  # a failing example is printed with the code that reproduces it
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "plain", settings.get_profile("all"), max_examples=PLAIN, derandomize=True
)

threads.use_one()

# Processes that the tests start inherit ignored signals: SIGHUP under nohup, SIGINT of a script's
# background command.
for number, handler in (
    ("SIGHUP", signal.SIG_DFL),
    ("SIGINT", signal.default_int_handler),
    ("SIGTERM", signal.SIG_DFL),
):
    if signal.getsignal(getattr(signal, number)) == signal.SIG_IGN:
        signal.signal(getattr(signal, number), handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """What scripts/test says of its options."""
    parser.addoption(
        "--all",
        action="store_true",
        help="run the slow tests, too, and other random examples each time",
    )
    parser.addoption(
        "--slow", action="store_true", help="run the slow tests, too, as where tests are named"
    )
    parser.addoption(
        "--part",
        metavar="K/N",
        type=_part,
        default=(1, 1),
        help="run the K-th of N parts of the tests",
    )


def _part(text: str) -> tuple[int, int]:
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many random examples are made, before tests are read, and whether slow tests are
    asked for.
    """
    settings.load_profile("all" if config.getoption("all") else "plain")
    config.option.slow |= (
        config.getoption("all") or config.args_source is pytest.Config.ArgsSource.ARGS
    )


class ByModule(LoadGroupScheduling):
    """Tests of a group run in one process, and so do the others of a module: what they share is
    made once.
    """

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule:
    """Hand out the work by modules; the largest come first, so that none waits at the end."""
    return ByModule(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not asked for."""
    part, parts = config.getoption("part")
    asked = set(sorted(items, key=lambda item: item.nodeid)[part - 1 :: parts])
    if not config.getoption("slow"):
        asked = {item for item in asked if item.get_closest_marker("slow") is None}
    config.hook.pytest_deselected(items=[item for item in items if item not in asked])
    items[:] = [item for item in items if item in asked]


def pytest_collectstart() -> None:
    """Look for no garbage while tests are read: what is imported stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look no more for garbage among the thousands of tests; it was done again and again."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True, scope="module")
def _garbage() -> Iterator[None]:
    """What a module leaves behind is found at its end, so that a warning about it is not another
    module's; what stays, such as the libraries that it has imported, is not looked at again.
    """
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _forked(request: pytest.FixtureRequest) -> Iterator[None]:
    """The process that reads files of other formats is forked, but where that process is the
    matter.
    """
    if request.module.__name__.rpartition(".")[2] == "test_damaged_files":
        yield
    else:
        with readers.forked():
            yield


def pytest_sessionfinish() -> None:
    """Let the libraries tidy up as they end."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of the user's, with settings under which Spark gives other numbers; its tests are
    one group.
    """
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server of this test process."""
    with postgres() as server:
        yield server
