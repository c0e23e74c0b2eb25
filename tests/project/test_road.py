"""The road of a run, as sqlrisk/README.md lists it, against the functions that a run calls."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "sqlrisk"
PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")
_, _, ROAD = PAGE.partition("\n## One run, from the command to the page\n")
STOPS = re.findall(r"`([\w/]+\.py)`:\s+`([\w.]+)`", ROAD.partition("\n## ")[0])
CSV = "sex,age,ill\nf,30,yes\nm,40,no\nf,40,no\n"
# Runs the command of its arguments and prints the functions of the package, as first called.
WATCH = """
import json, sys
from types import FrameType

from sqlrisk.cli.main import main

called = {}

def watch(frame: FrameType, *_: object) -> None:  # returns no tracer, so lines are not traced
    called.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname))

sys.settrace(watch)
status = main(sys.argv[1:])
sys.settrace(None)
print(json.dumps([*called]))
sys.exit(status)
"""


def test_a_run_calls_the_functions_of_the_list_in_this_order(tmp_path: Path) -> None:
    for name in ("original.csv", "synthetic.csv"):
        (tmp_path / name).write_text(CSV)
    words = [
        "score", "original.csv", "synthetic.csv", "--keys", "sex,age", "--targets", "ill",
        "-o", "risk.html",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    called = [(file, name) for file, name in json.loads(done.stdout.splitlines()[-1])]
    stops = [(str(PACKAGE / file), name) for file, name in STOPS]
    assert [each for each in called if each in stops] == stops


def test_the_road_has_at_most_30_files() -> None:
    assert 20 < len({file for file, _ in STOPS}) <= 30
