"""The scripts, the locks and what a new machine meets: light checks, nothing is installed and
nothing timed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from processes import lack

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SHELL = sorted(
    path for path in (ROOT / "scripts").iterdir() if path.is_file() and path.suffix in ("", ".sh")
)
FOLDER = ROOT / "scripts" / "locks"
LOCKS = ("requirements.lock", "requirements-lowest.lock")
# of environments of their own
APART = ("requirements-dbt.lock", "requirements-fakesnow.lock", "requirements-peers.lock")


def sh(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", *map(str, command)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def requirements() -> Iterator[Requirement]:
    """Every requirement of pyproject.toml but the project's own extras."""
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]:
        if (requirement := Requirement(text)).name != PROJECT["name"]:
            yield requirement


def pins(lock: str) -> list[Requirement]:
    lines = (FOLDER / lock).read_text().splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_shell_parses(path: Path) -> None:
    assert sh("-n", path).stderr == ""


@pytest.mark.parametrize("name", ["test", "check", "lock", "docs", "picture", "release"])
def test_help_is_the_head_comment(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    result = sh(tmp_path / "scripts" / name, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith(f"sh scripts/{name}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scripts"]


def test_the_nearest_tests_of_what_changed(tmp_path: Path) -> None:
    """By import, from afar, by public name, by the path of SQL and by the measure of a worked case;
    a changed test is its own.
    """
    files = {
        "sqlrisk/__init__.py": "from sqlrisk.face import score\n",
        "sqlrisk/face.py": "from sqlrisk import plan\ndef score(): plan.SQL\n",
        "sqlrisk/plan.py": "SQL = 'stages/cells.sql'\n",
        "sqlrisk/words.py": "",
        "sql/stages/cells.sql": "",
        "sql/measures/identity/uio.sql": 'name = "UiO"\n',
        "tests/cases/one.toml": 'measure = "UiO"\n',
        "tests/oracles/worked.py": "CASES = {}\n",
        "tests/support/snapshots.py": "def compare(): ...\n",
        "tests/sql/test_measures.py": (
            "from worked import CASES\ndef test_a_case_worked_by_hand(): CASES\n"
        ),
        "tests/plan/test_plan.py": "import snapshots\nfrom sqlrisk import words\nimport sqlrisk\n"
        "def run(): return sqlrisk.score()\ndef test_runs(): run()\ndef test_words(): words\n"
        "def test_golden(): snapshots.compare()\ndef test_other(): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "changed.py", tmp_path / "scripts")
    plan, case = (
        "tests/plan/test_plan.py::test_",
        "tests/sql/test_measures.py::test_a_case_worked_by_hand",
    )
    for path, tests in {
        "sqlrisk/words.py": [f"{plan}words"],
        "sqlrisk/plan.py": [f"{plan}runs"],
        "sql/stages/cells.sql": [f"{plan}golden", f"{plan}runs", case],
        "sql/measures/identity/uio.sql": [f"{plan}golden", f"{case}[one]"],
        "tests/plan/test_plan.py": ["tests/plan/test_plan.py"],
        "nothing.md": [],
    }.items():
        command = [sys.executable, str(tmp_path / "scripts" / "changed.py")]
        done = subprocess.run(command, input=path, capture_output=True, text=True, check=True)
        assert done.stdout.split() == tests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "passed"),
    [(("--all",), 4), ((), 2), (("--all", "--part", "1/4"), 1), (("test_some.py",), 4)],
)
def test_which_tests_run(arguments: tuple[str, ...], passed: int, tmp_path: Path) -> None:
    """Each process of tests decides alike whether slow ones are asked for."""
    for name in ("conftest.py", "support", "oracles"):
        (tmp_path / name).symlink_to(ROOT / "tests" / name)
    (tmp_path / "pytest.toml").write_text(
        '[pytest]\npythonpath = ["support", "oracles"]\nmarkers = ["slow"]\ntestpaths = ["."]\n'
    )
    (tmp_path / "test_some.py").write_text(
        "import pytest\nfrom quickly import some\n@pytest.mark.parametrize('n', some([1, 2], "
        "range(4)))\ndef test(n): ...\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *arguments]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"\n{passed} passed in " in result.stdout, result.stdout + result.stderr


def test_build_machine_runs_all_tests() -> None:
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("exec sh scripts/test")


def test_the_top_of_the_repository_is_short() -> None:
    shown = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    made = {"dist", "PKG-INFO"}  # by builds
    assert shown - made == {
        *("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml"),
        *("data", "scripts", "sql", "sqlrisk", "tests"),
    }


def test_a_commit_runs_what_the_check_runs() -> None:
    text = (ROOT / "scripts" / "check").read_text()
    checked = [
        line.removeprefix("exec ")
        for line in text.replace('"$venv/bin/', '".venv/bin/').replace('"', "").splitlines()
    ]
    hooks = re.findall(
        r"^ +entry: (.*)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.MULTILINE
    )
    last = checked.index(".venv/bin/ruff format --check")
    assert hooks == [line.removesuffix(" $@") for line in checked[last:]]


@pytest.mark.parametrize("lock", [*LOCKS, *APART])
def test_lock_holds_names_and_versions_only(lock: str) -> None:
    for line in (FOLDER / lock).read_text().splitlines()[1:]:
        assert re.fullmatch(
            r"[a-z0-9-]+==[0-9a-z.]+( ; [a-z_]+ [=<>!]+ '[\w.]+'( (or|and) \(?[a-z_]+ [=<>!]+ "
            r"'[\w.]+'\)?)*)?",
            line,
        )


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_has_every_requirement_in_its_range(lock: str) -> None:
    locked = pins(lock)
    for requirement in requirements():
        versions = [
            str(pin.specifier).removeprefix("==") for pin in locked if pin.name == requirement.name
        ]
        assert versions, f"{requirement.name} is not in {lock}: run scripts/lock"
        assert all(requirement.specifier.contains(version) for version in versions), (
            f"{requirement}: run scripts/lock"
        )


def test_lowest_lock_is_where_the_ranges_begin() -> None:
    oldest = {"python_full_version": "3.11.0"}  # newer ones need newer wheels of some
    wanted = [
        pin
        for pin in pins("requirements-lowest.lock")
        if pin.marker is None or pin.marker.evaluate(oldest)
    ]
    locked = {pin.name: Version(str(pin.specifier).removeprefix("==")) for pin in wanted}
    for requirement in map(Requirement, PROJECT["dependencies"]):
        begin = next(part.version for part in requirement.specifier if part.operator == ">=")
        assert locked[requirement.name] == Version(begin)


@pytest.mark.parametrize(
    ("python", "says"),
    [
        ('case "$*" in *print*) echo 3.9.2 ;; *) exit 1 ;; esac', "python3 is 3.9.2, too old."),
        (
            'case "$*" in *print*) echo 3.12.1 ;; *ensurepip*) exit 1 ;; esac',
            "apt install python3-venv",
        ),
        ("exit 127", "None was found."),
    ],
    ids=["old", "no venv", "none"],
)
def test_unsuitable_python_gets_a_clear_message(python: str, says: str, tmp_path: Path) -> None:
    checkout, commands = tmp_path / "checkout", tmp_path / "bin"
    shutil.copytree(ROOT / "scripts", checkout / "scripts")
    shutil.copy(ROOT / "pyproject.toml", checkout)
    commands.mkdir()
    for tool in ("cat", "cmp", "dirname"):
        (commands / tool).symlink_to(shutil.which(tool) or lack(f"no {tool}"))
    (commands / "python3").write_text(f"#!/bin/sh\n{python}\n")
    (commands / "python3").chmod(0o755)
    result = sh(checkout / "scripts" / "demo", PATH=str(commands), PYTHON="")
    assert result.returncode == 2
    assert result.stderr.startswith("sqlrisk: needs Python 3.11 or newer.")
    assert says in result.stderr
    assert not (checkout / ".venv").exists()


def bench(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The benchmark as a program of its own, with its scripts (a copy, unless they are there) and
    its records under `folder`.
    """
    if not (folder / "scripts").exists():
        shutil.copytree(ROOT / "scripts", folder / "scripts")
    command = [sys.executable, str(folder / "scripts" / "bench.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# Like Python, but an environment is ready only when both scripts have begun.
STUB = """#!/bin/sh
case "$*" in
    *print*) echo 3.11.9 ;;
    "-m venv"*)
        echo made >>made
        mkdir -p "$4/bin"
        cp "$0" "$4/bin/python"
        until [ -e first ] && [ -e second ]; do sleep 0.1; done
        ;;
esac
"""


def test_two_scripts_at_once_make_one_environment(tmp_path: Path) -> None:
    if shutil.which("flock") is None:
        lack("no flock")
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "python").write_text(STUB)
    (tmp_path / "python").chmod(0o700)
    (tmp_path / "scripts" / "made").write_text(
        'set -eu\n>"$1"\n. "$(dirname -- "$0")/environment.sh"\nenvironment\n'
    )
    running = [
        subprocess.Popen(
            ["/bin/sh", "scripts/made", name],
            cwd=tmp_path,
            env=os.environ | {"PYTHON": "./python"},
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    said = [each.communicate()[1] for each in running]
    assert [each.returncode for each in running] == [0, 0], said
    assert (tmp_path / "made").read_text() == "made\n"
    assert sum("setting up .venv" in each for each in said) == 1


def test_bench_help_names_every_option_and_part(tmp_path: Path) -> None:
    text = bench("--help", folder=tmp_path).stdout
    assert all(
        option in text
        for option in ("--records", "--repeat", "--threads", "--memory-limit", "--billion")
    )
    parts = [path.stem for path in (ROOT / "scripts" / "benchmark" / "parts").glob("[a-z]*.py")]
    assert len(parts) > 5
    assert all(f"\n  {part}: " in text for part in parts)


@pytest.mark.slow
def test_bench_measures_and_repeats(tmp_path: Path) -> None:
    pair = tmp_path / ".bench"
    first = bench("bare", "start", "--records", "3000", "--repeat", "1", folder=tmp_path)
    assert first.returncode == 0, first.stderr
    for line in (
        "bare, 5 targets",
        "sqlrisk, 5 targets",
        "bare GROUP BY, 1 target",
        "greatest peak, 5 targets",
    ):
        assert f"| {line}" in first.stdout
    assert re.search(r"heavy imports of sqlrisk --help +\| +0 \|", first.stdout)
    made = {path.relative_to(pair): path.read_bytes() for path in pair.rglob("*.parquet")}
    assert len(made) == 4
    shutil.rmtree(pair)
    again = bench(
        "bare", "start", "--records", "3000", "--repeat", "1", "--threads", "1", folder=tmp_path
    )
    assert again.returncode == 0, again.stderr
    assert {path.relative_to(pair): path.read_bytes() for path in pair.rglob("*.parquet")} == made


@pytest.mark.slow
def test_bench_compares_what_an_analyst_would_write_and_explains_stages(tmp_path: Path) -> None:
    result = bench("analysts", "stages", "--records", "500", "--repeat", "1", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    for library in ("polars", "pandas"):
        assert re.search(rf"\| {library}, 500 records +\| +[0-9.]+x \|", result.stdout)
    assert "| stages, 5 targets: records " in result.stdout
    assert re.search(
        r"CREATE (TEMPORARY )?TABLE records AS(.|\n)*Hash Join",
        (tmp_path / ".bench" / "stages-5.txt").read_text(),
    )


@pytest.mark.slow
def test_bench_tells_a_wrong_answer(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    program = tmp_path / "scripts" / "benchmark" / "programs" / "with_pandas.py"
    program.write_text("import json\nprint(json.dumps({'UiO': 1.5}))\n")
    result = bench("analysts", "--records", "100", "--repeat", "1", folder=tmp_path)
    assert result.returncode != 0
    assert "bench: pandas, 1 records: UiO is 100.0 instead of 1.5" in result.stderr


def other_programs(folder: Path, body: str) -> None:
    """An environment of the peers whose interpreter does what `body` says, but for telling its
    version.
    """
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    python = folder / ".venv-peers" / "bin" / "python"
    python.parent.mkdir(parents=True)
    shutil.copy(FOLDER / "requirements-peers.lock", folder / ".venv-peers" / "recipe")
    python.write_text(f'#!/bin/sh\n[ "$1" != -c ] || {{ echo 3.11.0; exit; }}\n{body}\n')
    python.chmod(0o755)


@pytest.mark.slow
def test_bench_goes_on_without_a_program_that_fails(tmp_path: Path) -> None:
    other_programs(tmp_path, "exit 7")
    result = bench("peers", "--records", "40", "--repeat", "1", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("not run: it ended with status 7") == 3


@pytest.mark.slow
def test_bench_goes_on_without_the_programs_of_others(tmp_path: Path) -> None:
    (tmp_path / ".venv-peers").write_text("in the way of the environment")
    result = bench("peers", "--records", "40", "--repeat", "1", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "They need Python 3.11 or 3.12" in result.stderr
    assert result.stdout.count("not run: .venv-peers could not be made") == 3


@pytest.mark.slow
def test_bench_compares_the_numbers_of_peers(tmp_path: Path) -> None:
    other_programs(tmp_path, """echo '{"score": 0.125}'""")
    result = bench("peers", "--records", "40", "--repeat", "1", folder=tmp_path)
    assert result.returncode != 0
    assert "SDMetrics, CategoricalCAP, 40 records: DCAP_matched is" in result.stderr


@pytest.mark.slow
def test_bench_of_scale_and_growth_gets_the_figures_that_are_known(tmp_path: Path) -> None:
    result = bench("scale", "growth", "--records", "2000", "--repeat", "1", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    for case, records in (
        ("records", "20,000"),
        ("wide", "200"),
        ("key", "16,660"),
        ("class", "2,000"),
    ):
        assert re.search(rf"\| scale, {case} +\| +{records} \|.* (met|missed) \|", result.stdout)
    assert re.findall(r"\| growth, per record: ([0-9,]+ / [0-9,]+) ", result.stdout) == [
        "6,000 / 200",
        "12,000 / 1,200",
    ]
    assert (
        sorted(path.name for path in (tmp_path / ".bench").iterdir() if "known" not in path.name)
        == []
    )


def test_bench_runs_nothing_that_the_disk_has_no_room_for(tmp_path: Path) -> None:
    result = bench("--billion", "--records", str(10**12), folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert re.search(r"not run: needs [0-9]+ GB of disk, [0-9]+ GB are free", result.stdout)


@pytest.mark.slow
def test_bench_runs_one_case_alone(tmp_path: Path) -> None:
    result = bench("scale", "--only", "class", "--records", "2000", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert re.findall(r"\| scale, (\w+)", result.stdout) == ["class"]


def test_bench_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from benchmark.children import Cost
    from benchmark.figures import Bar, Findings, Ratio, ratio_table

    ours, theirs = (
        [Cost(wall=3, cpu=2, peak=5), Cost(wall=1, cpu=4, peak=5)],
        [Cost(wall=20, cpu=2, peak=50)],
    )
    assert Ratio("", ours, theirs).values == pytest.approx({"CPU": 1.5, "wall": 0.1, "peak": 0.1})
    assert Ratio("", ours, theirs, shares=(10, 1)).values == pytest.approx(
        {"CPU": 0.15, "wall": 0.01, "peak": 0.1}
    )
    for bars, verdict in (
        ([], ""),
        ([Bar("CPU", 1.5)], "met"),
        ([Bar("CPU", 1.5, goal=1.0)], "met"),
        ([Bar("wall", 0.2, goal=0.1)], "goal met"),
        ([Bar("wall", 1.0), Bar("CPU", 1.4)], "missed"),
    ):
        assert Ratio("", ours, theirs, bars).verdict == verdict
    findings = Findings()
    findings.add(
        Findings(ratios=[Ratio("other", ours, theirs, [Bar("wall", 1 / 50)], (10, 1))]), "again"
    )
    row = ratio_table(findings.ratios).splitlines()[-1]
    assert row.replace(" ", "") == "|other|0.15x|1/100|0.10x|wall1/50|met|again|"
    assert Ratio("", ours, [], missing="it is not there").verdict == "not run: it is not there"


def test_bench_fits_what_spark_moves_and_reads_its_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from benchmark.parts.shuffles import Moved, fit, shuffled

    asked = (
        (2000, 1, 1, 31),
        (2000, 2, 1, 54),
        (2000, 5, 1, 123),
        (3000, 1, 2, 33),
        (4000, 1, 3, 35),
    )
    moved = [
        Moved(records, targets, syntheses, each * records, 0)
        for records, targets, syntheses, each in asked
    ]
    assert fit(moved) == pytest.approx((31, 23, 2))
    events: list[dict[str, object]] = [
        {
            "Event": "SparkListenerJobStart",
            "Stage IDs": [0, 1],
            "Properties": {"spark.jobGroup.id": "sqlrisk_a_"},
        },
        {"Event": "SparkListenerJobStart", "Stage IDs": [2], "Properties": {}},
        {
            "Event": "SparkListenerJobStart",
            "Stage IDs": [3],
            "Properties": {"spark.jobGroup.id": "sqlrisk_b_"},
        },
    ]
    for stage, size, rows in ((0, 10, 1), (1, 20, 2), (0, 30, 3), (2, 1000, 1000), (3, 40, 4)):
        written = {"Shuffle Bytes Written": size, "Shuffle Records Written": rows}
        events.append(
            {
                "Event": "SparkListenerTaskEnd",
                "Stage ID": stage,
                "Task Metrics": {"Shuffle Write Metrics": written},
            }
        )
    # of a task that failed
    events.append({"Event": "SparkListenerTaskEnd", "Stage ID": 3, "Task Metrics": None})
    (tmp_path / "log").write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    assert shuffled(tmp_path) == [(60, 6), (40, 4)]
