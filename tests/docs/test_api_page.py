"""The page of every function is made of their docstrings, whose examples run as they
are written.
"""

import doctest
import inspect
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import api_page
import pytest
import small_files
import snapshots
from quickly import some

import sqlrisk

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = [name for name in sqlrisk.__all__ if name[0].islower() and not name.startswith("__")]


def test_the_page_of_every_function_is_golden() -> None:
    text = api_page.page()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert {name for name in sqlrisk.__all__ if not name.startswith("__")} <= set(headings)
    snapshots.compare(str(ROOT / "sqlrisk" / "guide" / "api.md"), text)


@pytest.mark.parametrize("name", some(FUNCTIONS[::4], FUNCTIONS))
def test_the_example_of_a_function_shows_what_comes_out(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = inspect.getdoc(getattr(sqlrisk, name)) or ""
    for section in ("Raises:", "Example:"):
        assert f"\n{section}\n" in document, name
    small_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(document, {"sqlrisk": sqlrisk}, name, None, None)
    assert any(f"sqlrisk.{name}(" in example.source for example in test.examples)
    said = io.StringIO()
    with redirect_stdout(said):
        runner = doctest.DocTestRunner()
        runner.run(test, out=said.write)
    assert runner.failures == 0, said.getvalue()
