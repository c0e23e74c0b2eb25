"""The tutorial, a walk through the census files, is run as it is written."""

from pathlib import Path

import pytest
import snapshots
from doctests import as_printed

ROOT = Path(__file__).resolve().parents[2]
CENSUS = ROOT / "data" / "census"
PAGE = ROOT / "sqlrisk" / "guide" / "results.md"


def test_the_tutorial_shows_what_comes_out_golden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CENSUS)
    before = sorted(CENSUS.iterdir())
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("\n>>> ") > 15
    snapshots.compare(str(PAGE), as_printed(text))
    assert sorted(CENSUS.iterdir()) == before
