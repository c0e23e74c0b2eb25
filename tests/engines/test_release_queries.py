"""SQL over an open release on other databases: the same tables and rows as in a saved run, and
nothing is written.
"""

from pathlib import Path

import pytest

from tests.analyses.results import test_queries
from tests.analyses.results.test_queries import Asked

saved = test_queries.saved
SLOW = pytest.mark.slow
ENGINES = [
    "postgresql",
    *(pytest.param(name, marks=SLOW) for name in ("sqlite", "mariadb")),  # as for each driver
    pytest.param("spark", marks=[SLOW, pytest.mark.xdist_group("spark")]),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("unassessed")
def test_it_answers_as_a_saved_run_and_only_reads(
    engine: str,
    saved: Asked,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    one = test_queries.Open(saved[0], **request.getfixturevalue(f"on_{engine}"))
    with one.release:
        test_queries.answers_as_a_saved_run(one, saved)
        test_queries.refuses(one, test_queries.REFUSALS)
    assert list(tmp_path.iterdir()) == []
