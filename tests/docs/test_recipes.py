"""Check sqlrisk/README.md: its picture of the imports, its places, and its recipes as written.

A recipe is followed in a copy of the package. What it says in these forms is done, one after the
other:

    Write `FILE`:                       a new file
    At the end of `FILE`, add:          more of it
    In `FILE`, below `LINE`, add:       after the only line that reads so
    $ sqlrisk ...                       run in the folder of the examples' files; it must show what
                                        is written, `...` stands for anything
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from quickly import some

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "sqlrisk" / "README.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### (Add [^\n]*)\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
# A step may begin within a line, and a line may end within a step.
STEP = re.compile(
    r"(?:^|(?<=\. ))(?P<what>Write|At\s+the\s+end\s+of|In)\s+`(?P<file>[^`]+)`"
    r"(?:,\s+below\s+`(?P<line>[^`]+)`)?(?:,\s+add)?:\n\n"
    r"```\w+\n(?P<text>.*?)^```$|^```console\n\$ (?P<command>[^\n]+)\n(?P<shown>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def change(path: Path, step: re.Match[str]) -> None:
    """Do what a step says to a file."""
    if step["what"] == "Write":
        assert not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step["text"], encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    if step["what"].startswith("At"):
        lines += ["", ""]
        place = len(lines)
    else:
        (place,) = [number for number, line in enumerate(lines, 1) if line.strip() == step["line"]]
    lines[place:place] = step["text"].splitlines()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(command: str, copy: Path, folder: Path) -> str:
    """What a command of the copy prints on both streams; `sh scripts/test` is the tests of the
    copy.
    """
    words = shlex.split(command)
    if words[0] == "sqlrisk":
        words[0:1] = [sys.executable, "-m", "sqlrisk"]
    else:
        assert words[:2] == ["sh", "scripts/test"]
        words[0:2] = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-q"]
        folder = copy
    done = subprocess.run(
        words,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(copy),
            "PYTHONDONTWRITEBYTECODE": "",
            "COLUMNS": "80",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a recipe may change or run."""
    folder = tmp_path_factory.mktemp("tree") / "copy"
    for name in ("sqlrisk", "sql", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("golden"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.mark.parametrize("name", some(["Add a measure"], RECIPES))
def test_a_recipe_works_as_it_is_written(name: str, tree: Path, tmp_path: Path) -> None:
    copy, folder = tmp_path / "copy", tmp_path / "data"
    shutil.copytree(tree, copy)
    folder.mkdir()
    for file, rows in re.findall(
        r"^`(\w+\.csv)`:\n\n```csv\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    ):
        (folder / file).write_text(rows, encoding="utf-8")
    for step in STEP.finditer(RECIPES[name]):
        if step["command"] is None:
            change(copy / step["file"], step)
            continue
        rest = "\n" + run(step["command"], copy, folder)
        for part in filter(str.strip, f"\n{step['shown']}".split("\n...\n")):
            assert f"\n{part.strip(chr(10))}\n" in rest, rest
            rest = rest.partition(part)[2]


@pytest.mark.parametrize("name", RECIPES)
def test_a_step_says_what_to_do_with_each_block_of_code(name: str) -> None:
    steps = [*STEP.finditer(RECIPES[name])]
    assert len(steps) == RECIPES[name].count("\n```") / 2
    assert steps[-1]["command"]


def test_the_recipes_are_there() -> None:
    assert [name.split()[-1] for name in RECIPES] == [
        "measure",
        "reason",
        "stage",
        "engine",
        "section",
        "result",
        "option",
        "command",
        "setting",
    ]


def test_every_place_is_there() -> None:
    """Each row of the tables of places names a file and something that is defined in it."""
    table = PAGE.partition("## Where to change what")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)`(?:: ([^|]+))? \|$", table, re.MULTILINE)
    assert len(rows) == table.count("\n| ") - table.count("\n|---") > 20  # each has a heading row
    for place, names in rows:
        path = ROOT / place
        assert path.exists(), place
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for name in re.findall(r"`([\w.]+)`", names):
            assert re.search(rf"^ *((def|class) {name}\b|{name}\b.* = )", text, re.MULTILINE), (
                place,
                name,
            )
