"""The wheel, built from the source distribution and installed in a clean environment far from the checkout, works."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.xdist_group("wheel")  # one worker, so that one build and one installation serve all
SHIPPED = {name: f"sqlrisk/{name}" for name in ("sql", "data/census", "data/policies")}


def run(*command: str | Path, cwd: Path) -> str:
    """The command's stdout; without the variables by which an environment could still find the checkout."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run([*map(str, command)], cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the source distribution and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a clean environment that holds the wheel and its dependencies only."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet")
    (wheel,) = distributions.glob("*.whl")
    run(*pip, "--constraint", ROOT / "requirements.lock", wheel, cwd=folder)
    return folder / "bin"


def test_wheel_holds_package_sql_and_demo_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sqlrisk").rglob("*.py")} | {"sqlrisk/py.typed"}
    expected |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "sqlrisk/report/html/templates").iterdir()}
    for source, place in SHIPPED.items():
        files = (path for path in (ROOT / source).rglob("*") if path.is_file())
        expected |= {f"{place}/{path.relative_to(ROOT / source).as_posix()}" for path in files}
    assert names == expected


def test_source_distribution_holds_what_a_build_and_the_tests_need(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.split("/", 1)[1] for name in file.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "requirements.lock",
        "scripts/test",
        "tests/test_wheel.py",
    } <= names
    assert not {name for name in names if name.startswith((".venv", ".git/", ".bench")) or "__pycache__" in name}


@pytest.mark.slow
def test_installed_program_scores_a_file_elsewhere(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text("sex,age,job\nF,30,cook\nF,30,cook\nM,41,smith\nM,55,cook\n")
    (tmp_path / "synthetic.csv").write_text("sex,age,job\nF,30,cook\nM,41,cook\nM,41,smith\nM,60,cook\n")
    question = ("original.csv", "synthetic.csv", "--keys", "sex,age", "--targets", "job")
    run(installed / "sqlrisk", "score", *question, "-o", "risk.json", cwd=tmp_path)
    report = json.loads((tmp_path / "risk.json").read_text())
    disco = next(row for row in report["results"] if row["measure"] == "DiSCO")
    assert (disco["numerator"], disco["denominator"], disco["value"]) == (2, 4, 50.0)
    assert report["sqlrisk"] == run(installed / "sqlrisk", "--version", cwd=tmp_path).split()[-1]


@pytest.mark.slow
def test_installed_program_finds_its_sql_and_its_demo(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", "import sqlrisk; print(sqlrisk.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert "DiSCO" in run(installed / "sqlrisk", "list", cwd=tmp_path)
    assert "SELECT" in run(installed / "sqlrisk", "sql", "DiSCO", cwd=tmp_path)
    assert "DiSCO" in run(installed / "sqlrisk", "demo", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
