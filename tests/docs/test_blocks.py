"""Every block of code that the README and the guide show has a test. Those that no other file runs
are run here.
"""

import io
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
import small_files

import sqlrisk
from sqlrisk.cli import questions
from tests.docs.test_golden_pages import EXAMPLE
from tests.docs.test_notebooks import rscript
from tests.docs.test_readme import CENSUS, PAGES, README, ROOT

BLOCK = re.compile(
    r"^(?P<example><!-- example.* -->\n)? *```(?P<kind>\w*)\n(?P<text>(?s:.*?))^ *```$",
    re.MULTILINE,
)
HERE = "docs/test_blocks.py::"
EXAMPLES = "docs/test_golden_pages.py::test_golden_examples"
FROM_R = "docs/test_notebooks.py::test_the_page_of_r_shows_what_comes_out_golden"
RECODE = "docs/test_recodes.py::test_a_dictionary_makes_the_levels_that_are_shown_golden"
OF_PYTHON = "docs/test_readme.py::test_the_python_examples_run"
# Page and kind -> the test of all of them.
EVERY = {
    "api python": "docs/test_api_page.py::test_the_page_of_every_function_is_golden",
    "results python": "docs/test_walkthrough.py::test_the_tutorial_shows_what_comes_out_golden",
}
# Page and kind -> the test of each, in the order of the page.
TESTS = {
    "README sql": ["docs/test_readme.py::test_the_select_is_the_measure"],
    "README toml": ["docs/test_readme.py::test_the_five_questions_are_answered"],
    "databases python": [f"{HERE}test_the_tables_of_a_connection_are_scored"],
    "databases sql": [
        "engines/test_postgresql.py::test_the_risk_of_records_is_joined_by_the_id_as_the_guide_says"
    ],
    "measures sql": ["docs/test_guide_commands.py::test_the_commands_of_a_page_run_in_its_order"],
    "policy toml": [EXAMPLES, "docs/test_readme.py::test_what_the_guide_accepts_is_accepted"],
    "python python": [
        *[OF_PYTHON] * 3,
        "docs/test_pipelines.py::test_the_task_of_airflow",
        "docs/test_pipelines.py::test_the_asset_of_dagster",
        "docs/test_pipelines.py::test_the_event_of_openlineage",
    ],
    "python sh": ["docs/test_pipelines.py::test_the_script_of_cron"],
    "python yaml": ["docs/test_pipelines.py::test_the_steps_of_the_ci_job"],
    "r r": [f"{HERE}test_files_go_to_r_and_come_back", *[FROM_R] * 5],
    "r text": [FROM_R] * 4,
    "r toml": [EXAMPLES],
    "recodes csv": [RECODE] * 2,
    "recodes python": [f"{HERE}test_the_python_of_a_page_runs"],
    "recodes toml": [
        *[RECODE] * 3,
        "docs/test_recodes.py::test_bins_are_cut_of_what_is_shown_golden",
        *[RECODE] * 6,
    ],
    "reports python": [f"{HERE}test_the_python_of_a_page_runs"],
    "reports toml": [f"{HERE}test_a_scenario_says_what_is_released"],
    "scoring text": [f"{HERE}test_init_asks_what_is_shown"],
    "scoring toml": [
        "docs/test_readme.py::test_the_scenario_file_runs",
        "docs/test_readme.py::test_the_file_of_several_scenarios_runs",
    ],
    "sql sql": [
        "docs/test_guide.py::test_the_questions_to_a_saved_run_have_the_answers_shown_golden"
    ],
    "utility sql": [f"{HERE}test_the_other_corner_is_shuffled"],
}


def blocks(page: str, kind: str) -> list[str]:
    """Return the text of each block of a kind on a page."""
    text = {"README": README, **PAGES}[page]
    return [block["text"] for block in BLOCK.finditer(text) if block["kind"] == kind]


def test_every_block_has_a_test() -> None:
    found = Counter[str]()
    for page, text in {"README": README, **PAGES}.items():
        every = [*BLOCK.finditer(text)]
        assert 2 * len(every) == len(re.findall(r"^ *```", text, re.MULTILINE)), page
        # test_golden_pages compares the output of these, test_sign what is of its day
        examples = [block["example"] for block in every if block["kind"] == "console"]
        assert examples.count("<!-- example -->\n") == len(EXAMPLE.findall(text)), page
        of_its_day = {"<!-- example: of its day -->\n"} if page == "policy" else set()
        assert {*examples} <= {"<!-- example -->\n"} | of_its_day, page
        found.update(f"{page} {block['kind']}" for block in every if block["kind"] != "console")
    assert all(block.startswith(">>> ") for block in blocks("results", "python"))  # by doctest
    assert {name: count for name, count in found.items() if name not in EVERY} == {
        name: len(tests) for name, tests in TESTS.items()
    }
    for test in {*EVERY.values(), *chain.from_iterable(TESTS.values())}:
        file, _, name = test.partition("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), test


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with small files of the names that the pages use."""
    small_files.write(tmp_path)
    for name in ("synthetic", "cart_1"):
        shutil.copy(tmp_path / "syn_1.parquet", tmp_path / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "name", "kind"), [("reports", "report", "Report"), ("recodes", "steps", "Steps")]
)
def test_the_python_of_a_page_runs(page: str, name: str, kind: str, folder: Path) -> None:
    names: dict[str, object] = {"sqlrisk": sqlrisk}
    exec("\n".join(blocks(page, "python")), names)
    assert type(names[name]).__name__ == kind
    if page == "reports":
        assert "<svg" in (folder / "slopes.svg").read_text(encoding="utf-8")


def test_the_tables_of_a_connection_are_scored(folder: Path) -> None:
    (code,) = blocks("databases", "python")
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA survey")
        for table, file in (("people", "original"), ("cart_1", "cart_1")):
            connection.execute(f"CREATE TABLE survey.{table} AS FROM '{file}.parquet'")
        names: dict[str, Any] = {"sqlrisk": sqlrisk, "connection": connection}
        exec(f"report = {code}", names)
        assert connection.execute("SELECT COUNT(*) FROM survey.people").fetchone() == (200,)
    same = sqlrisk.score(
        "original.parquet", "cart_1.parquet", keys=["age", "sex"], targets=["income"]
    )
    assert names["report"].results == same.results


def test_a_scenario_says_what_is_released(folder: Path) -> None:
    (said,) = blocks("reports", "toml")
    (folder / "logo.png").write_bytes((ROOT / "data" / "page.png").read_bytes()[:1000])
    scenario = folder / "scenario.toml"
    scenario.write_text(f'measures = ["DiSCO"]\n{scenario.read_text()}{said}', encoding="utf-8")
    report = sqlrisk.score(scenario=str(scenario))
    release = tomllib.loads(said)["release"]
    assert report.scenario["release"] == release | {"logo": report.scenario["release"]["logo"]}
    assert report.scenario["release"]["logo"].startswith("data:image/png;base64,")
    page = report.to_text()
    assert "Not stated" not in page
    assert all(text in " ".join(page.split()) for name, text in release.items() if name != "logo")


def test_init_asks_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = blocks("scoring", "text")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 6))
    files = (str(CENSUS / f"{name}.parquet") for name in ("original", "cart_1"))
    sqlrisk.init(*files, ask=questions.roles)
    assert f" {shown.strip()} " in capsys.readouterr().err


def test_the_other_corner_is_shuffled(folder: Path) -> None:
    (statement,) = blocks("utility", "sql")
    duckdb.execute(statement)
    before, after = (
        pq.read_table(f"{name}.parquet").select(["age", "sex"])
        for name in ("original", "independent")
    )
    assert before != after
    for column in ("age", "sex"):
        assert sorted(before[column].to_pylist()) == sorted(after[column].to_pylist())


@pytest.mark.slow
def test_files_go_to_r_and_come_back(folder: Path) -> None:
    """Those of CSV: R's package arrow is not in the tests, and its lines are read as R alone."""
    code = blocks("r", "r")[0]
    (folder / "whole.R").write_text(code, encoding="utf-8")
    lines = "\n".join(line for line in code.splitlines() if "arrow::" not in line)
    assert len(code.splitlines()) - len(lines.splitlines()) == 2
    (folder / "run.R").write_text(
        'parse("whole.R")\npeople <- data.frame(sex = c("NA", NA), age = c(30, NA))\n'
        f'{lines}\ncat(nrow(risk), sum(is.na(risk$target)) > 0, "\\n")\n',
        encoding="utf-8",
    )
    report = sqlrisk.score(
        "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"], weights="income"
    )
    report.to_csv("risk.csv")
    done = subprocess.run(
        [rscript(), "--vanilla", "run.R"], check=True, capture_output=True, text=True
    )
    plain = [row for row in report.results if not row["weighted"]]
    assert 0 < len(plain) < len(report.results)
    assert done.stdout.splitlines()[-1].split() == [str(len(plain)), "TRUE"]
    assert (folder / "original.csv").read_text() == '"sex","age"\n"NA",30\n,\n'
