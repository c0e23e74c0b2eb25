"""The tutorial, a walk through the census files, is run as it is written."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CENSUS = ROOT / "data" / "census"


def test_the_tutorial_shows_what_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CENSUS)
    before = sorted(CENSUS.iterdir())
    failed, tried = doctest.testfile(
        str(ROOT / "sqlrisk" / "guide" / "results.md"), module_relative=False, encoding="utf-8"
    )
    assert tried > 15
    assert failed == 0
    assert sorted(CENSUS.iterdir()) == before
