"""The wheel, built from the source distribution and installed in a clean environment far from the
checkout, works.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from trove_classifiers import classifiers, deprecated_classifiers  # hatchling brings them

import sqlrisk

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NOT_FOR_USERS = ("bench", "test", "dev")
LOCK = ROOT / "scripts" / "locks" / "requirements.lock"
SBOM = ROOT / "data" / "sbom.cdx.json"
SHIPPED = {name: f"sqlrisk/{name}" for name in ("sql", "data/census", "data/policies")}


def run(*command: str | Path, cwd: Path, umask: int = -1, **environment: str) -> str:
    """The command's stdout; without the variables by which an environment could still find the
    checkout.
    """
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    } | environment
    result = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=clean,
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def build(source: Path, folder: Path, **settings: object) -> None:
    """Makes the source distribution, and the wheel from it."""
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        folder,
        source,
        cwd=folder,
        **settings,
    )


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the source distribution and the wheel built from it."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a clean environment that holds the wheel and its dependencies only. These
    are links, because an index may be out of reach and copies take long.
    """
    folder = tmp_path_factory.mktemp("clean")
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile")
    (wheel,) = distributions.glob("*.whl")
    run(*pip, "--no-index", "--no-deps", wheel, cwd=folder)
    (site,) = folder.glob("lib/python*/site-packages")
    (own,) = metadata.distributions(name="sqlrisk", path=[str(site)])
    for each in needed(own):
        for name in {path.parts[0] for path in each.files or ()} - {"..", "__pycache__"}:
            (site / name).symlink_to(str(each.locate_file(name)))
    return folder / "bin"


def needed(own: metadata.Distribution) -> set[metadata.Distribution]:
    """All that a distribution needs without extras, as installed here."""
    found: dict[str, metadata.Distribution] = {}
    asking = [own]
    while asking:
        for requirement in map(Requirement, asking.pop().requires or ()):
            name = canonicalize_name(requirement.name)
            if name not in found and (
                not requirement.marker or requirement.marker.evaluate({"extra": ""})
            ):
                found[name] = metadata.distribution(name)
                asking.append(found[name])
    return {*found.values()}


def test_wheel_holds_package_sql_and_demo_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = set()
    for source, place in {"sqlrisk": "sqlrisk", **SHIPPED}.items():
        files = (
            path
            for path in (ROOT / source).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        )
        expected |= {f"{place}/{path.relative_to(ROOT / source).as_posix()}" for path in files}
    assert names == expected


@pytest.mark.slow
def test_source_distribution_holds_what_a_build_and_the_tests_need(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.split("/", 1)[1] for name in file.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "data/sbom.cdx.json",
        "CHANGELOG.md",
        "CITATION.cff",
        "scripts/locks/requirements.lock",
        "scripts/test",
        "tests/project/test_wheel.py",
    } <= names
    assert not {
        name
        for name in names
        if name.startswith((".venv", ".git/", ".bench")) or "__pycache__" in name
    }


def test_the_release_script_finds_what_does_not_fit(
    distributions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import release

    assert [*release.problems(distributions)] == []
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as made, zipfile.ZipFile(tmp_path / wheel.name, "w") as changed:
        for name in made.namelist():
            if name.endswith("/METADATA"):
                changed.writestr(
                    name, made.read(name).replace(b"Metadata-Version: 2.", b"Metadata-Version: 9.")
                )
    monkeypatch.setattr(release, "VERSION", "9.9.9")
    told = " ".join(release.problems(tmp_path))
    for part in (
        "one source distribution and one wheel",
        wheel.name,
        "CITATION.cff does not say",
        "section ## 9.9.9",
    ):
        assert part in told


def test_classifiers_are_those_of_the_index_and_name_the_pythons_that_are_tried() -> None:
    said = PROJECT["classifiers"]
    assert {*said} <= classifiers - {*deprecated_classifiers}
    assert len({*said}) == len(said)
    named = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(said), re.MULTILINE
    )
    script = (ROOT / "scripts" / "release").read_text(encoding="utf-8")
    assert re.findall(r"^for number in (.*); do$", script, re.MULTILINE) == [" ".join(named)]
    assert script.count(f"from {named[0]} to {named[-1]}") == 2
    newest = int(named[-1].removeprefix("3."))
    every = [f"3.{minor}" for minor in range(newest + 1)]
    assert named == [*SpecifierSet(PROJECT["requires-python"]).filter(every)]


@pytest.mark.slow
def test_a_release_is_built_installed_and_tried(tmp_path: Path) -> None:
    run("/bin/sh", ROOT / "scripts" / "release", tmp_path / "dist", cwd=tmp_path)
    names = sorted(path.name for path in (tmp_path / "dist").iterdir())
    assert names == [
        f"sqlrisk-{sqlrisk.__version__}-py3-none-any.whl",
        f"sqlrisk-{sqlrisk.__version__}.tar.gz",
    ]


@pytest.mark.slow
def test_the_same_source_makes_the_same_bytes(distributions: Path, tmp_path: Path) -> None:
    """Elsewhere, another day, by somebody whose files are nobody else's, in another time zone."""
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "elsewhere", filter="data")
    (source,) = (tmp_path / "elsewhere").iterdir()
    source = source.rename(source.with_name("of another name"))
    for path in source.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (10**9, 10**9))
    again = tmp_path / "again"
    again.mkdir()
    build(source, again, umask=0o077, TZ="Pacific/Chatham")
    assert sorted(path.name for path in again.iterdir()) == sorted(
        path.name for path in distributions.iterdir()
    )
    for path in again.iterdir():
        assert path.read_bytes() == (distributions / path.name).read_bytes(), path.name


def test_wheel_holds_the_bill_of_materials(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if "/sboms/" in name)
        assert name.endswith(".dist-info/sboms/sbom.cdx.json")
        assert archive.read(name) == SBOM.read_bytes()


def test_bill_of_materials_is_of_the_lock_and_of_what_users_install() -> None:
    """Its libraries are those that the extras for users want, and what these want, in the versions
    of the lock.
    """
    bill = json.loads(SBOM.read_text())
    wants = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    product, libraries = (
        bill["metadata"]["component"],
        {each["bom-ref"]: each for each in bill["components"]},
    )
    names = {ref: canonicalize_name(each["name"]) for ref, each in libraries.items()}

    extras = PROJECT["optional-dependencies"].items()
    texts = [
        *PROJECT["dependencies"],
        *(text for name, some in extras if name not in NOT_FOR_USERS for text in some),
    ]
    wanted = {Requirement(text).name for text in texts} - {PROJECT["name"]}
    # What the tests want by themselves stands beside it, where a driver brings it along.
    tested = {
        Requirement(text).name for name, some in extras if name in NOT_FOR_USERS for text in some
    }
    assert wanted <= {names[ref] for ref in wants[product["bom-ref"]]} <= wanted | tested, (
        "run scripts/lock"
    )

    reached, new = set[str](), {product["bom-ref"]}
    while new:
        reached |= new
        new = {ref for each in new for ref in wants[each]} - reached
    assert reached == {product["bom-ref"], *libraries}
    assert (product["name"], product["version"]) == (PROJECT["name"], sqlrisk.__version__)

    lines = LOCK.read_text().splitlines()[1:]
    newest = {
        "python_full_version": "3.14.0",
        "python_version": "3.14",
        "os_name": "posix",
        "implementation_name": "cpython",
    }
    pins = [
        pin for pin in map(Requirement, lines) if pin.marker is None or pin.marker.evaluate(newest)
    ]
    locked = {pin.name: str(pin.specifier).removeprefix("==") for pin in pins}
    assert {
        names[ref]: each["version"] for ref, each in libraries.items()
    }.items() <= locked.items(), "run scripts/lock"


def test_bill_of_materials_names_licences_and_no_place() -> None:
    bill = json.loads(SBOM.read_text())
    assert all(each["licenses"] for each in bill["components"])
    assert not {"serialNumber", "timestamp"} & {*bill, *bill["metadata"]}
    assert not re.search(
        r"https?:|file:|[\w-]\.(org|com|net|io)\b|/(home|root|tmp|usr|work)\b", SBOM.read_text()
    )


def test_licences_are_those_of_the_bill_of_materials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from sbom import table

    bill = json.loads(SBOM.read_text())
    assert (ROOT / "data" / "licences.md").read_text() == table(bill)
    for each in bill["components"]:
        assert re.search(
            rf"^\| {each['name']} \| {each['version']} \| [A-Z0-9].* \|$", table(bill), re.MULTILINE
        )


def test_installed_program_scores_a_file_elsewhere(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text(
        "sex,age,job\nF,30,cook\nF,30,cook\nM,41,smith\nM,55,cook\n"
    )
    (tmp_path / "synthetic.csv").write_text(
        "sex,age,job\nF,30,cook\nM,41,cook\nM,41,smith\nM,60,cook\n"
    )
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
    assert "DiSCO" in run(installed / "sqlrisk", "demo", "--full", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
