"""The section "Sign a report" of the guide: its commands in a row print what is shown; a time and a
seal are of their day.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import forks
import pytest
import snapshots

from tests.docs.test_readme import CENSUS

PAGE = (Path(__file__).resolve().parents[2] / "sqlrisk" / "guide" / "policy.md").read_text(
    encoding="utf-8"
)
EXAMPLES = re.findall(
    r"<!-- example: of its day -->\n```console\n\$ ([^\n]+)\n(.*?)```", PAGE, re.DOTALL
)
DAY, SEAL = r"\d+ \w+ \d{4}, \d\d:\d\d UTC", "[0-9a-f]{64}"


@pytest.mark.slow
def test_the_examples_print_what_is_shown(tmp_path: Path) -> None:
    for file in CENSUS.glob("*.parquet"):
        (tmp_path / file.name).symlink_to(file)
    statuses = []
    for command, shown in EXAMPLES:
        program, *words = shlex.split(command)
        if program != "sqlrisk":
            subprocess.run([program, *words], cwd=tmp_path, check=True)
            continue
        done = forks.run(*words, cwd=tmp_path, env={**os.environ, "COLUMNS": "80"})
        statuses.append((done.returncode, done.stderr))
        printed, told = (
            re.sub(DAY, "DAY", re.sub(SEAL, "SEAL", text)) for text in (done.stdout, shown)
        )
        if "DAY" in told:  # which is as long as its month
            assert printed.split() == told.split()
        else:
            assert snapshots.elided(told, printed.splitlines()) == told
    assert statuses == [(0, ""), (0, ""), (0, ""), (1, "")]
