"""The guide's recipes for schedulers are run as they stand there: steps of a CI job, cron's script,
an event of OpenLineage.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analyses.exports.test_dbt import PROGRAMS, read_yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "sqlrisk" / "guide" / "python.md").read_text(encoding="utf-8")
SCENARIO = """original = "{census}/original.parquet"
synthetic = "{census}/cart_1.parquet"
keys = ["age", "sex", "race", "marital_status", "education"]
targets = ["income"]
measures = ["DiSCO"]
"""


def block(heading: str) -> str:
    """The code of a recipe."""
    found = re.search(rf"^### {heading}\n.*?^```\w+\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    assert len(found[1].splitlines()) <= 30
    return found[1]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder with a scenario, a policy that it meets, and the result of the last release."""
    (tmp_path / "scenario.toml").write_text(
        SCENARIO.format(census=ROOT / "data" / "census"), encoding="utf-8"
    )
    allow(tmp_path, 100)
    assert shell("sqlrisk score --scenario scenario.toml -q -o last.json", tmp_path) == (0, "")
    return tmp_path


def allow(folder: Path, limit: int) -> None:
    rule = f'[[rule]]\nrule = "DiSCO <= {limit}"\nreason = "an example"\n'
    (folder / "policy.toml").write_text(f'name = "ours"\n{rule}', encoding="utf-8")


def shell(command: str, folder: Path) -> tuple[int, str]:
    """Run a command of a recipe; its status, and what it says."""
    where = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "WAIT": "0",
    }
    done = subprocess.run(
        ["sh", "-e", "-c", command],
        cwd=folder,
        env=where,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_steps_of_the_ci_job(release: Path) -> None:
    steps = read_yaml(block("A CI job"))["jobs"]["disclosure-risk"]["steps"]
    run = [step["run"] for step in steps if "run" in step]
    assert run.pop(0) == "pip install './sqlrisk[report,stats]'"
    assert [shell(command, release) for command in run[:2]] == [(0, "")] * 2
    assert shell(run[2], release)[0] == 0
    kept = steps[-1]["with"]["path"].split()
    assert all(
        (release / name).exists()
        for name in ("risk.json", "risk.json.manifest.json", "changes.md", *kept)
    )
    allow(release, 0)
    (release / "risk.json").unlink()
    status, said = shell(run[0], release)
    assert (status, (release / "risk.json").exists()) == (1, True)
    assert "The policy 'ours' is not met" in said
    worse = json.loads((release / "last.json").read_text(encoding="utf-8"))
    for row in worse["results"]:
        row["value"] = row["value"] / 2
    (release / "last.json").write_text(json.dumps(worse), encoding="utf-8")
    assert shell(run[1], release)[0] == 1


@pytest.mark.slow
def test_the_script_of_cron(release: Path) -> None:
    (release / "risk.sh").write_text(block("cron"), encoding="utf-8")
    (line,) = re.findall(r"`[\d* ]+ cd /srv/release && (.*?)`", PAGE)
    assert shell(line, release) == (0, "")
    assert (
        json.loads((release / "runs" / "last.json").read_text(encoding="utf-8"))["policy"][
            "verdict"
        ]
        == "pass"
    )
    (release / "runs" / "last.json").unlink()
    allow(release, 0)
    status, said = shell(line, release)
    assert status == 1
    assert re.match(
        r"The policy is not met; runs/\d{4}-\d\d-\d\d\.json has the numbers\.\n.*DiSCO <= 0", said
    )
    assert not (release / "runs" / "last.json").exists()
    (release / "scenario.toml").write_text("keys = 5", encoding="utf-8")
    status, said = shell(line, release)
    assert (status, said.startswith("sqlrisk: ")) == (2, True)
    with (release / "risk.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert shell(line, release) == (0, "")  # another run is at work


@pytest.mark.slow
def test_the_task_of_airflow(release: Path) -> None:
    """Its command, that is; the file is read as Python alone."""
    code = block("Airflow")
    compile(code, "airflow.py", "exec")
    (question,) = re.findall(r"question = \[(.*)\]", code)
    (command,) = re.findall(r"command = \[(.*)\]", code)
    words = re.findall(r'"(.*?)"', command.replace("*question", question))
    assert words.pop(0).endswith("/bin/sqlrisk")
    assert shell(f"sqlrisk {' '.join(words)}", release) == (0, "")
    assert (release / "risk.json").exists()


def test_the_asset_of_dagster() -> None:
    """Read as Python alone."""
    compile(block("Dagster"), "dagster.py", "exec")


@pytest.mark.slow
def test_the_event_of_openlineage(release: Path) -> None:
    (release / "lineage.py").write_text(block("OpenLineage"), encoding="utf-8")
    log = release / "events.json"
    where = {
        "OPENLINEAGE__TRANSPORT__TYPE": "file",
        "OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(log),
    }
    where["OPENLINEAGE__TRANSPORT__APPEND"] = "true"
    done = subprocess.run([PROGRAMS / "python", "lineage.py", "last.json"], cwd=release,
        env={**os.environ, **where},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    event = json.loads(log.read_text(encoding="utf-8"))
    manifest = json.loads((release / "last.json.manifest.json").read_text(encoding="utf-8"))
    assert event["eventType"] == "COMPLETE"
    assert [each["name"] for each in event["inputs"]] == [
        each["name"] for each in manifest["inputs"]
    ]
    assert [each["name"] for each in event["outputs"]] == ["last.json"]
    assert event["producer"] == f"sqlrisk/{manifest['sqlrisk']}"
