"""The packages of sqlrisk: who may import whom. Imports for types count, and so do those inside
functions.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "sqlrisk"
PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")
# From the command line down. A package imports those to the right of it alone, but for the pairs
# below.
FLOORS = (
    "__main__",
    "cli",
    "__init__",
    "api",
    "analyses",
    "report",
    "engines",
    "plan",
    "inputs",
    "catalogue",
    "common",
)
# what is planned, run and shown is told by analyses
STRANGERS = {("report", "engines"), ("report", "plan"), ("engines", "plan")}


def imports(path: Path) -> Iterator[str]:
    """The packages that a module imports of sqlrisk: ``__init__`` stands for the public names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "sqlrisk"
        ):
            rooms = (
                [node.module.split(".")[1]]
                if "." in node.module
                else [each.name for each in node.names]
            )
        elif isinstance(node, ast.Import):
            rooms = [
                each.name.partition(".")[2].partition(".")[0]
                for each in node.names
                if each.name.partition(".")[0] == "sqlrisk"
            ]
        else:
            continue
        yield from (room if room in FLOORS else "__init__" for room in rooms)


def test_imports_run_one_way() -> None:
    upward = {}
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        below = {room for room in FLOORS[FLOORS.index(own) :] if (own, room) not in STRANGERS}
        if found := set(imports(path)) - below:
            upward[path] = found
    assert upward == {}


def test_every_package_has_its_floor() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and list(path.glob("*.py"))}
    assert rooms == set(FLOORS) - {"__main__", "__init__"}


def test_the_picture_of_the_packages_has_their_floors() -> None:
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    floors = [floor for line in picture.splitlines() if (floor := re.findall(r"\[ (\w+) \]", line))]
    assert [room for floor in floors for room in floor] == [
        room for room in FLOORS if "__" not in room
    ]
    assert {
        (one, other) for floor in floors for one in floor for other in floor[floor.index(one) + 1 :]
    } == STRANGERS


def test_the_table_of_the_packages_has_their_imports() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", PAGE, re.MULTILINE))
    for room, told in rows.items():
        found = {other for path in (PACKAGE / room).rglob("*.py") for other in imports(path)} - {
            room
        }
        assert told == (", ".join(f"`{other}`" for other in FLOORS if other in found) or "nothing")
    assert set(rows) == {room for room in FLOORS if "__" not in room}


def modules_imported(path: Path, known: frozenset[str]) -> set[str]:
    """The modules of sqlrisk that a module imports, at its head, inside functions, or for types."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{each.name}" for each in node.names}
            found |= (
                {node.module}
                if any(f"{node.module}.{each.name}" not in known for each in node.names)
                else set()
            )
    return found & known


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """One circle of imports, from a module back to itself; empty where there is none."""
    done: set[str] = set()

    def walk(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module not in done:
            for each in sorted(arrows[module]):
                if found := walk(each, [*way, module]):
                    return found
            done.add(module)
        return []

    return next(filter(None, (walk(module, []) for module in sorted(arrows))), [])


def test_no_imports_run_in_a_circle() -> None:
    paths = {
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", "."): path
        for path in PACKAGE.rglob("*.py")
    }
    files = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    assert (
        circle({name: modules_imported(path, frozenset(files)) for name, path in files.items()})
        == []
    )


def test_a_report_as_text_loads_no_figures_and_no_data_frames() -> None:
    used = (
        "sys",
        "sqlrisk.report.report",
        "sqlrisk.report.sections.report_sections",
        "sqlrisk.report.formats.text",
    )
    script = f"import {', '.join(used)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"altair", "jinja2", "pandas", "polars", "pyarrow", "vl_convert"})
