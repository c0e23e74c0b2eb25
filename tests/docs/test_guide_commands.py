"""The commands that the README and the guide show without their output run in the order of their
page, on small files with the names of the page. What one writes, the next may read.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import forks
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pyreadstat
import pytest
from quickly import some

import sqlrisk
from tests.docs.test_readme import CENSUS, KEYS, PAGES, README, ROOT

SHOWN = {"README": README, **PAGES}
OTHER_CODE = re.compile(r"^```(?!console)\w+\n.*?^```$", re.DOTALL | re.MULTILINE)
# An example's output is compared by test_golden_pages; here it runs if it writes what others read.
COMMAND = re.compile(r"^(?:    (sqlrisk (?:.*\\\n)*.*)|\$ (sqlrisk .* -o \S+))$", re.MULTILINE)
COMMANDS = {
    page: [written or example for written, example in COMMAND.findall(OTHER_CODE.sub("", text))]
    for page, text in SHOWN.items()
    if re.search(r"^    sqlrisk ", OTHER_CODE.sub("", text), re.MULTILINE)
}
# Commands with these words need a server, the network or Java: these tests run the like.
ELSEWHERE = {
    "postgresql://": "engines/test_postgresql.py::test_the_command_line",
    "--save review": "engines/test_postgresql.py::"
    "test_a_run_leaves_risky_cells_and_the_risk_of_records_in_a_schema",
    "--engine spark": "engines/test_spark.py::"
    "test_the_command_line_counts_parquet_files_on_this_machine",
    "s3://": "inputs/test_objects.py::test_a_folder_and_globs",
    "https://": "inputs/test_objects.py::test_https",
}
HERE = {
    page: here
    for page, commands in COMMANDS.items()
    if (here := [each for each in commands if not any(word in each for word in ELSEWHERE)])
}
# Columns of the examples, and the census columns they are made of.
PEOPLE = {name: name for name in (*KEYS, "income", "country_birth", "major_occupation")}
PEOPLE |= {"town": "citizenship", "ill": "income"}
SURVEY = {"age": "age", "sex": "sex", "income": "weeks_worked", "region": "citizenship"}
SURVEY |= {"school": "education"}
FILES = {
    "original": ["data/census/original", "original"],
    # my_synthesizer would write syn
    "cart_1": ["data/census/cart_1", "cart_1", "rf_1", "syn", "syn_1", "synthetic"],
    "cart_2": ["cart_2", "rf_2", "syn_2"],
    "control": ["control"],
}
QUESTION = """original = "original{0}"
synthetic = "cart_1{0}"
keys = ["age", "sex"]
targets = ["income"]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages take for granted."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("data/census", "my_measures"):
        (folder / name).mkdir(parents=True)
    for file, names in FILES.items():
        census = pq.read_table(CENSUS / f"{file}.parquet").slice(0, 200)
        people, survey = (
            pa.table({name: census[column] for name, column in columns.items()})
            for columns in (PEOPLE, SURVEY)
        )
        survey = survey.append_column("job", [["bus", "train", "nurse", "-9"] * 50])
        for name in names:
            pq.write_table(people, folder / f"{name}.parquet")
        pyarrow.csv.write_csv(survey, folder / f"{names[-1]}.csv")
        pyreadstat.write_sav(survey.to_pandas(), folder / f"{names[-1]}.sav")
    for file in ("cart_1", "cart_2"):
        report = sqlrisk.score(
            *(str(folder / f"{name}.parquet") for name in ("original", file)), keys=["sex"],
            targets=["income"],
        )  # fmt: skip
        report.to_json(str(folder / f"release_{file[-1]}.json"))
    (measure,) = re.findall(
        r"^```sql\n(/\*---.*?)^```", PAGES["measures"], re.DOTALL | re.MULTILINE
    )
    for name, text in {
        "my_measures/majority.sql": measure,
        "policy.toml": 'name = "p"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "r"\n',
        "scenario.toml": QUESTION.format(".parquet"),
        "tables.toml": QUESTION.format(""),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def words(command: str, folder: Path) -> list[str]:
    """Return the words of a command as a shell reads them: without comments, with globs' files."""
    shell = ["sh", "-c", f"printf '%s\\0' {command.partition(' > ')[0]}"]
    return subprocess.check_output(shell, cwd=folder, text=True).split("\0")[1:-1]


@pytest.mark.parametrize("page", some(("control", "python", "security"), HERE))
def test_the_commands_of_a_page_run_in_its_order(page: str, files: Path, tmp_path: Path) -> None:
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    if "-o scenario.toml" in SHOWN[page]:  # the page shows how to draft it
        (tmp_path / "scenario.toml").unlink()
    for command in HERE[page]:
        asked = words(command.replace("/mnt/encrypted", "."), tmp_path)
        done = forks.run(*asked, cwd=tmp_path, env={**os.environ, "COLUMNS": "80"})
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        for name in re.findall(r" (?:-o|--save) (\S+)", command):
            assert (tmp_path / name).exists(), command
        if "-o scenario.toml" in command:  # a reader edits it; of all measures a PDF takes seconds
            draft = tmp_path / "scenario.toml"
            draft.write_text(f'measures = "repU,DiSCO"\n{draft.read_text()}')


@pytest.mark.parametrize("word", ELSEWHERE)
def test_what_runs_elsewhere_is_shown_and_has_a_test(word: str) -> None:
    assert [each for commands in COMMANDS.values() for each in commands if word in each]
    file, _, name = ELSEWHERE[word].partition("::")
    assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")
