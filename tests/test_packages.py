"""The packages of sqlrisk: arrows run one way only, and sqlrisk/README.md draws them as they are."""

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "sqlrisk"
PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
MOST = 9  # packages beside each other


def imported(path: Path) -> set[str]:
    """The packages whose modules a file imports, anywhere in it, for types too; `sqlrisk` is the public face."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say where from in full"
            names |= {f"{node.module}.{each.name}" for each in node.names}
    own = [[*name.split("."), ""] for name in names if name.split(".")[0] == "sqlrisk"]
    return {room if room in ROOMS else "sqlrisk" for _, room, *_ in own}


def arrows() -> dict[str, set[str]]:
    """The packages that each package imports."""
    found = defaultdict[str, set[str]](set)
    for room in ROOMS:
        for path in (PACKAGE / room).rglob("*.py"):
            found[room] |= imported(path) - {room}
    return found


def test_arrows_run_down_the_picture() -> None:
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    floors = [re.findall(r"\[ (\w+) \]", line) for line in picture.splitlines() if "[" in line]
    place = {room: number for number, floor in enumerate(floors) for room in floor}
    assert set(place) == ROOMS
    assert len(ROOMS) <= MOST
    up = {(one, other) for one, others in arrows().items() for other in others & ROOMS if place[other] <= place[one]}
    assert up == set()
    # Commands alone speak to the public face.
    assert {room for room, others in arrows().items() if "sqlrisk" in others} == {"cli"}


def test_the_table_of_packages_is_that_of_the_imports() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]*) \|$", PAGE, re.MULTILINE)
    assert {room: {*re.findall(r"\w+", others)} - {"nothing"} for room, others in rows} == {
        room: others - {"sqlrisk"} for room, others in arrows().items()
    }
