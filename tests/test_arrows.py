"""The packages of sqlrisk: who may import whom. Imports for types count, and so do those inside functions."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "sqlrisk"
PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")
# From the command line down. A package imports those to the right of it alone, but for the pairs below.
FLOORS = ("__main__", "cli", "__init__", "api", "analyses", "report", "engines", "plan", "inputs", "catalogue", "common")
WITHOUT_CIRCLES = set(FLOORS) - {"report", "__init__", "__main__"}
STRANGERS = {("report", "engines"), ("report", "plan"), ("engines", "plan")}  # what is planned, run and shown is told by analyses


def imports(path: Path) -> Iterator[str]:
    """The packages that a module imports of sqlrisk: ``__init__`` stands for the public names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "sqlrisk":
            rooms = [node.module.split(".")[1]] if "." in node.module else [each.name for each in node.names]
        elif isinstance(node, ast.Import):
            rooms = [
                each.name.partition(".")[2].partition(".")[0] for each in node.names if each.name.partition(".")[0] == "sqlrisk"
            ]
        else:
            continue
        yield from (room if room in FLOORS else "__init__" for room in rooms)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    below = {room for room in FLOORS[FLOORS.index(own) :] if (own, room) not in STRANGERS}
    assert set(imports(path)) <= below


def test_no_module_of_these_rooms_is_in_a_circle() -> None:
    """Imports for types and those inside functions included."""
    names = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom) and node.module]
        found = {each for node in nodes for alias in node.names for each in (node.module, f"{node.module}.{alias.name}")}
        graph[name] = {each for each in found if each in names and each.split(".")[1] in WITHOUT_CIRCLES}
    TopologicalSorter({name: graph[name] for name in names if name.split(".")[1] in WITHOUT_CIRCLES}).prepare()  # or CycleError


def test_a_room_is_seen_at_a_glance() -> None:
    rooms = [path for path in PACKAGE.iterdir() if path.is_dir() and list(path.glob("*.py"))]
    assert {room.name for room in rooms} == set(FLOORS) - {"__main__", "__init__"}
    assert max(len(list(folder.glob("*.py"))) for room in rooms for folder in [room, *room.rglob("*")] if folder.is_dir()) <= 15


def test_the_picture_of_the_packages_has_their_floors() -> None:
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    floors = [floor for line in picture.splitlines() if (floor := re.findall(r"\[ (\w+) \]", line))]
    assert [room for floor in floors for room in floor] == [room for room in FLOORS if "__" not in room]
    assert {(one, other) for floor in floors for one in floor for other in floor[floor.index(one) + 1 :]} == STRANGERS


def test_the_table_of_the_packages_has_their_imports() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", PAGE, re.MULTILINE))
    for room, told in rows.items():
        found = {other for path in (PACKAGE / room).rglob("*.py") for other in imports(path)} - {room}
        assert told == (", ".join(f"`{other}`" for other in FLOORS if other in found) or "nothing")
    assert set(rows) == {room for room in FLOORS if "__" not in room}
