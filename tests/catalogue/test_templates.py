"""Compiled templates are kept where Python keeps what it has compiled, and missed nowhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILL = (
    "from sqlrisk.catalogue import templates; "
    "print(templates.stage('stages/assessment/some_people.sql', **NAMES))"
)
NAMES = {"columns": ["k1"], "records": "records", "every": 3}


def filled(kept: Path, **environment: str) -> str:
    """What a template gives in a process of its own that keeps compiled files under a folder."""
    code = FILL.replace("NAMES", repr(NAMES))
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**known, "PYTHONPYCACHEPREFIX": str(kept), **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout


def compiled(kept: Path) -> list[Path]:
    return sorted(path for path in kept.rglob("*") if path.is_file() and path.suffix != ".pyc")


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    first = filled(tmp_path)
    (kept,) = compiled(tmp_path)
    before = kept.stat().st_mtime_ns
    assert filled(tmp_path) == first
    assert kept.stat().st_mtime_ns == before
    kept.write_bytes(b"damaged")
    assert filled(tmp_path) == first
    assert kept.stat().st_size > len(b"damaged")


@pytest.mark.parametrize("why", ["a file is in the way", "Python keeps none"])
@pytest.mark.slow
def test_where_nothing_is_kept_a_template_is_compiled_again(why: str, tmp_path: Path) -> None:
    asked = {"PYTHONDONTWRITEBYTECODE": "1"} if why == "Python keeps none" else {}
    kept = tmp_path / "kept"
    if not asked:
        kept.write_text("")
    assert filled(kept, **asked) == filled(tmp_path / "elsewhere")
    assert compiled(kept) == []
