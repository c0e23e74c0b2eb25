"""The notebooks and the page of R are run as they are written. Notebooks hold what comes out, and
the guide shows what comes out of the page of R.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import snapshots
from notebooks import FOLDER, ROOT, WIDE, Part, chunks, run_notebook, section
from servers import QUICK_JAVA, QUICK_SPARK, Server

from tests.api.test_notebook import kernel

GUIDE = ROOT / "sqlrisk" / "guide"


def fits(parts: list[Part]) -> None:
    """Code and what it prints are no wider than a terminal, or hardly."""
    for part in parts:
        for line in f"{part.text}\n{part.printed}".splitlines() if part.language else []:
            assert len(line) <= WIDE + 40, line


def shows(page: str, parts: list[Part], source: str) -> None:
    """A page of the guide has the page of R as its section, from its title to the name of its
    file.
    """
    fits(parts)
    title, _, rest = section(parts, source).partition("\n")
    path, end = GUIDE / f"{page}.md", rest.splitlines()[-1] + "\n"
    shown, found, _ = path.read_text(encoding="utf-8").partition(f"{title}\n")[2].partition(end)
    snapshots.passage(path, f"{title}\n", shown + found, rest)


@pytest.fixture
def notebooks(tmp_path: Path) -> Iterator[Path]:
    """A copy of their folder beside the demo data, in which they leave nothing."""
    folder = tmp_path / "data" / FOLDER.name
    shutil.copytree(FOLDER, folder)
    (folder.parent / "census").symlink_to(FOLDER.parent / "census")
    before = sorted(folder.iterdir())
    yield folder
    assert sorted(folder.iterdir()) == before


def golden(path: Path, folder: Path, **environment: str) -> None:
    """Run a notebook of a folder; it holds what it printed."""
    with kernel(folder, TMPDIR=str(folder.parent), COLUMNS=str(WIDE), **environment) as client:

        def execute(cell: str) -> str:
            said: list[str] = []

            def hear(message: Any) -> None:
                content = message["content"]
                if message["msg_type"] == "execute_result":
                    said.append(content["data"]["text/plain"])
                elif message["msg_type"] == "stream" and content["name"] == "stdout":
                    said.append(content["text"])

            reply: Any = client.execute_interactive(cell, output_hook=hear)
            assert reply["content"]["status"] == "ok", "\n".join(reply["content"]["traceback"])
            return "".join(said)

        text, parts = run_notebook(path, execute)
    snapshots.compare(str(path), text)
    fits(parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["survey", "synthpop"])
def test_a_notebook_holds_what_comes_out_golden(name: str, notebooks: Path) -> None:
    golden(FOLDER / f"{name}.ipynb", notebooks)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_the_notebook_of_a_warehouse_holds_what_comes_out_golden(
    postgres_server: Server, notebooks: Path
) -> None:
    told = {**QUICK_SPARK, "spark.sql.warehouse.dir": notebooks.parent / "warehouse"}
    settings = " ".join(f"--conf {name}={value}" for name, value in told.items())
    quick = {**QUICK_JAVA, "PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell"}
    golden(FOLDER / "warehouse.ipynb", notebooks, DATABASE=postgres_server.address(), **quick)


def rscript() -> str:
    """R's own program."""
    found = shutil.which("Rscript")
    assert found is not None, (
        "R is not installed; on Debian and Ubuntu: apt-get install r-base-core"
    )
    return found


@pytest.mark.slow
def test_the_files_of_the_notebook_for_synthpop_are_as_r_writes_them(notebooks: Path) -> None:
    """R reads each file and writes it as the notebook says: not a byte differs."""
    cells = json.loads((notebooks / "synthpop.ipynb").read_text(encoding="utf-8"))["cells"]
    assert 'write.csv(syn, "syn_1.csv", row.names = FALSE, na = "")' in "".join(cells[0]["source"])
    environment = {**os.environ, "TMPDIR": str(notebooks.parent)}
    code = [sys.executable, "-c", "".join(cells[1]["source"])]
    subprocess.run(code, check=True, cwd=notebooks, env=environment, capture_output=True)
    files = sorted(notebooks.parent.glob("tmp*/*.csv"))
    assert [path.name for path in files] == ["ods.csv", "syn_1.csv", "syn_2.csv"]
    for path in files:
        again = path.with_suffix(".again")
        copied = f'write.csv(read.csv("{path}"), "{again}", row.names = FALSE, na = "")'
        subprocess.run([rscript(), "--vanilla", "-e", copied], check=True)
        assert again.read_bytes() == path.read_bytes()


def run_r(parts: list[Part], folder: Path, environment: Mapping[str, str]) -> list[Part]:
    """Run the code of an R Markdown page in a folder and one R, as knitr would; return it with what
    each piece prints.
    """
    end = "=====next====="
    code = [f'{part.text}\ncat("\\n{end}\\n")' for part in parts if part.language]
    script = folder.with_suffix(".R")
    script.write_text("options(width = 80)\n" + "\n".join(code), encoding="utf-8")
    done = subprocess.run(
        [rscript(), "--vanilla", str(script)],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    printed = iter(done.stdout.split(f"\n{end}\n"))
    return [
        replace(part, printed=next(printed).strip("\n")) if part.language else part
        for part in parts
    ]


@pytest.mark.slow
def test_the_page_of_r_shows_what_comes_out_golden(notebooks: Path) -> None:
    source = FOLDER / "from_r.Rmd"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "TMPDIR": str(notebooks.parent),
        "COLUMNS": str(WIDE),
    }
    parts = run_r([*chunks(source.read_text(encoding="utf-8"))], notebooks, environment)
    shows("r", parts, source.name)
