"""The page of every function is made of their docstrings, whose examples run as they
are written.
"""

import ast
import inspect
import re
from pathlib import Path

import api_page
import pytest
import small_files
import snapshots
from doctests import as_printed
from quickly import some

import sqlrisk
from sqlrisk.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = [name for name in sqlrisk.__all__ if name[0].islower() and not name.startswith("__")]


@pytest.mark.parametrize("name", some([*FUNCTIONS[::4], "Release"], [*FUNCTIONS, "Release"]))
def test_an_example_shows_what_comes_out_golden(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = getattr(sqlrisk, name)
    path = Path(inspect.getfile(inspect.unwrap(public)))
    source = path.read_text(encoding="utf-8")
    (document,) = (
        text
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == public.__name__
        if (text := ast.get_docstring(node, clean=False))
    )
    for section in ("Raises:", "Example:") if name in FUNCTIONS else ():
        assert f"\n    {section}\n" in document, name
    assert re.search(rf"^ *(?:>>>|\.\.\.) .*\bsqlrisk\.{name}\(", document, re.MULTILINE)
    small_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    if "risk.json" in document:
        assert main(["score", "--scenario", "scenario.toml", "-o", "risk.json"]) == 0
    printed = as_printed(document, sqlrisk=sqlrisk)
    public.__doc__ = printed  # the page of every function, which follows, shows it
    snapshots.compare(str(path), source.replace(document, printed))


def test_the_page_of_every_function_is_golden() -> None:
    text = api_page.page()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert {name for name in sqlrisk.__all__ if not name.startswith("__")} <= set(headings)
    snapshots.compare(str(ROOT / "sqlrisk" / "guide" / "api.md"), text)
