"""Shared by all tests: the settings of random tests and of the engine, the order, and the
servers.
"""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import readers
import threads
from examples import ALL, PLAIN
from hypothesis import HealthCheck, settings
from servers import Server, postgres, reserved_port, spark_session
from unassessed import unasked
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

TESTS = Path(__file__).parent
# Folders with thousands of small scores, and their modules that look at what an assessment says.
UNASSESSED = ("analyses", "inputs")
ASSESSED = {
    *("test_assessment", "test_audit", "test_diff", "test_look_alikes", "test_membership"),
    *("test_near_keys", "test_saved_scenarios", "test_scenarios", "test_steps", "test_universe"),
    *("test_column_types", "test_labels_decide", "test_policy", "test_python_tables"),
}

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
    """Add the options of scripts/test."""
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
    """Set the number of random examples before tests are read, and whether slow tests run."""
    settings.load_profile("all" if config.getoption("all") else "plain")
    config.option.slow |= (
        config.getoption("all") or config.args_source is pytest.Config.ArgsSource.ARGS
    )


class ByModule(LoadGroupScheduling):
    """Run each group of tests in one process, and the other tests of each module, so that they make
    once what they share.
    """

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule:
    """Schedule tests by module, the largest first, so that no large one is left at the end."""
    return ByModule(config, log)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case by the beginning of a long text. Each process of a run tells all names, and some
    texts are megabytes.
    """
    return ascii(val[:80]) if isinstance(val, str | bytes) and len(val) > 80 else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of other parts, and slow tests unless they were requested."""
    part, parts = config.getoption("part")
    asked = set(sorted(items, key=lambda item: item.nodeid)[part - 1 :: parts])
    if not config.getoption("slow"):
        asked = {item for item in asked if item.get_closest_marker("slow") is None}
    config.hook.pytest_deselected(items=[item for item in items if item not in asked])
    items[:] = [item for item in items if item in asked]


def pytest_collectstart() -> None:
    """Disable garbage collection while tests are read, because imports stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Stop searching the thousands of tests for garbage again and again."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True, scope="module")
def _garbage() -> Iterator[None]:
    """Collect a module's garbage at its end, so that no warning about it appears in another module.
    What stays, such as imported libraries, is not searched again.
    """
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _unassessed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Skip the assessment of files where no test looks at it."""
    folder = request.path.relative_to(TESTS).parts[0]
    if folder in UNASSESSED and request.path.stem not in ASSESSED:
        with unasked():
            yield
    else:
        yield


@pytest.fixture(autouse=True, scope="module")
def _forked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fork the process that reads files of other formats, except in tests of that process."""
    if request.module.__name__.rpartition(".")[2] == "test_damaged_files":
        yield
    else:
        with readers.forked():
            yield


def pytest_sessionfinish() -> None:
    """Let libraries clean up at exit."""
    gc.unfreeze()


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Yield a port of loopback on which nobody listens."""
    with reserved_port() as port:
        yield port


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Yield a user's session, with settings that change Spark's numbers unless sqlrisk overrides
    them. Its tests are one group.
    """
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """Yield this test process's PostgreSQL server."""
    with postgres() as server:
        yield server
