"""What a message says to install: the packages that the project declares, not a name that no index
has.
"""

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sqlrisk.common import extras

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]


def names(extra: str) -> set[str]:
    """The packages of an extra, without versions, as the project file has them."""
    found: set[str] = set()
    for line in EXTRAS[extra]:
        if line.startswith("sqlrisk["):
            inner = line.removeprefix("sqlrisk[").removesuffix("]").split(",")
            found |= {name for each in inner for name in names(each)}
        else:
            found.add(line.partition(">")[0].partition("=")[0])
    return found


@pytest.mark.parametrize("extra", sorted({*EXTRAS} - {"test"}))
def test_the_packages_of_an_extra_are_those_that_the_project_declares(extra: str) -> None:
    command = extras.install(extra)
    assert command.startswith("pip install ")
    said = [each.strip("'") for each in command.removeprefix("pip install ").split(" ")]
    assert {each.partition(">")[0].partition("<")[0] for each in said} == names(extra)
    assert "sqlrisk[" not in command


def test_what_a_shell_would_take_for_a_file_is_quoted() -> None:
    assert "'scipy<" in extras.install("stats")


def test_without_an_installation_it_is_the_extra_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", missing)
    assert extras.install("pdf") == "pip install '.[pdf]'"


def test_scipy_is_imported_only_where_an_extra_brings_it() -> None:
    """The extra ``stats`` does, and ``attack`` with scikit-learn."""
    found: set[tuple[str, bool]] = set()
    for path in (ROOT / "sqlrisk").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if any(each.partition(".")[0] == "scipy" for each in named):
                found.add((path.stem, node in tree.body))
    assert found == {
        ("audit", False), ("worlds", False), ("epsilon", False), ("learners", False)
    }  # fmt: skip
    assert names("stats") == {"scipy"}
    assert names("attack") == {"scikit-learn"}


def test_the_readme_names_every_extra_once_and_says_what_it_is_for() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = readme.partition("`pip install '.[all]'`")[2].partition("\n![")[0]
    named = [
        extra
        for extras_of, _ in re.findall(r"^- ([^:]*): (\S.+)", listed, re.MULTILINE)
        for extra in re.findall(r"`(\w+)`", extras_of)
    ]
    assert sorted(named) == sorted({*EXTRAS} - {"all", "bench", "dev", "test"})


def test_every_page_installs_from_the_source() -> None:
    """`pip install '.[pdf]'`: no index has a package sqlrisk."""
    pages = [ROOT / "README.md", *(ROOT / "sqlrisk" / "guide").glob("*.md")]
    pages += [
        path for path in (ROOT / "data").rglob("*") if path.suffix in (".md", ".ipynb", ".Rmd")
    ]
    found = set()
    for path in pages:
        text = path.read_text(encoding="utf-8")
        for place, listed in re.findall(r"([\w./]+)\[([a-z,]+)\]'", text):
            assert place in (".", "./sqlrisk"), (path, place)
            assert {*listed.split(",")} <= {*EXTRAS}, (path, listed)
            found.add(path.name)
        assert not re.search(r"pip install '?sqlrisk", text), path
    assert found > {"README.md", "reports.md", "survey.ipynb", "warehouse.ipynb"}
