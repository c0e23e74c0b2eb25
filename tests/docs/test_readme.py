"""What the README and the guide say is what the program does."""

import json
import os
import re
import shlex
import tomllib
from pathlib import Path

import duckdb
import forks
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreement import agree

import sqlrisk
from sqlrisk.inputs.judging import judge
from sqlrisk.inputs.policy import read_policy
from tests.docs.test_golden_pages import EXAMPLE

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SQL_PAGES = (
    "sql/README.md",
    *(
        f"sql/docs/{name}.md"
        for name in ("methods", "extensions", "python", "dialects", "decisions", "speed", "testing")
    ),
)
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "sqlrisk" / "guide").glob("*.md"))
}
TEXT = "\n".join([README, *PAGES.values()])
CENSUS = ROOT / "data" / "census"
KEYS = ["age", "sex", "race", "marital_status", "education"]


def run(command: str, folder: Path = CENSUS) -> list[str]:
    """The lines that a `sqlrisk ...` command prints, run among the census files at 80 columns."""
    words = shlex.split(command)
    assert words.pop(0) == "sqlrisk"
    done = forks.run(*words, cwd=folder, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_readme_is_short_and_has_a_picture() -> None:
    assert len(README.splitlines()) <= 200
    # in words for who cannot see it
    (picture,) = re.findall(r"^!\[[^\]]{40,}\]\(([^)]+)\)$", README, re.MULTILINE)
    data = (ROOT / picture).read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert 10_000 < len(data) < 150_000
    assert picture in (ROOT / "scripts" / "picture").read_text(encoding="utf-8")  # which draws it


def test_the_readme_says_what_it_is_in_three_sentences_and_shows_a_few_lines() -> None:
    _, what, *_ = README.split("\n\n")
    assert len(re.findall(r"[.?!](?=\s|$)", what)) == 3
    ((_, shown),) = EXAMPLE.findall(README)
    assert 8 <= len(shown.splitlines()) <= 15
    assert "An excerpt:\n\n<!-- example -->\n" in README
    parts = [part.strip() for part in f"\n{shown}".split("\n...\n") if part.strip()]
    assert all(re.match(r"[A-Z]", part) and part.endswith(".") for part in parts)


def test_the_pages_name_the_packages_of_a_pdf() -> None:
    message = (ROOT / "sqlrisk" / "report" / "html" / "printing.py").read_text(encoding="utf-8")
    (command,) = re.findall(r"apt-get install [^;]+", message)
    assert f"`{command}`" in README
    assert f"`{command}`" in PAGES["reports"]


def write_policy(folder: Path) -> None:
    """Write the policy of the README."""
    (policy,) = re.findall(r"^```toml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (folder / "policy.toml").write_text(policy, encoding="utf-8")


def test_the_five_questions_are_answered(tmp_path: Path) -> None:
    """By their commands, of the first people of the census files."""
    for name in ("original", "cart_1", "control"):
        pq.write_table(
            pq.read_table(CENSUS / f"{name}.parquet").slice(0, 500), tmp_path / f"{name}.parquet"
        )
    write_policy(tmp_path)
    questions = README.partition("\n## Five questions\n")[2].partition("\n## ")[0]
    commands = re.findall(r"^\| [^|]+\? \| `(sqlrisk [^`]+)` \|", questions, re.MULTILINE)
    answers = ["\n".join(run(command, tmp_path)) for command in commands]
    for answer, said in zip(answers, ("ssess", "repU", "DiSCO", "control", ""), strict=True):
        assert said in answer
    assert "DiSCO &lt;= Dorig" in (tmp_path / "risk.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_intruders_go_from_three_files_to_one_signed_page(tmp_path: Path) -> None:
    """By the commands below "With files of your own", when the `#` before the two intruders of the
    draft is removed.
    """
    for name, file in (("original", "original"), ("synthetic", "cart_1"), ("second", "cart_2")):
        pq.write_table(
            pq.read_table(CENSUS / f"{file}.parquet").slice(0, 300), tmp_path / f"{name}.parquet"
        )
    block = (
        README.partition("\n## With files of your own\n\n")[2]
        .partition("\n\n")[0]
        .replace(".csv", ".parquet")
    )
    write_policy(tmp_path)
    draft, *commands = [line.partition("  # ")[0].strip() for line in block.splitlines()]
    run(draft.replace("synthetic.parquet", "synthetic.parquet second.parquet"), tmp_path)
    head, sign, intruders = (
        (tmp_path / "scenario.toml").read_text(encoding="utf-8").partition("# [scenario.neighbor]")
    )
    assert sign
    (tmp_path / "scenario.toml").write_text(
        head + (sign + intruders).replace("# ", ""), encoding="utf-8"
    )
    screen, _, signed, checked = (run(command, tmp_path) for command in commands)
    assert len(screen) <= 40
    rows = [line.split()[0] for line in screen if line.split()[:1] in (["neighbor"], ["employer"])]
    assert rows[:2] == ["neighbor", "employer"]
    assert [
        len([line for line in lines if "risk.pdf" in line and "same" in line])
        for lines in (signed, checked)
    ] == [1, 1]


def test_the_sentences_quote_the_numbers() -> None:
    measures = ["repU", "DiSCO", "Dorig", "baseCAPd", "CAPd", "DCAP"]
    report = sqlrisk.score(
        str(CENSUS / "original.parquet"),
        str(CENSUS / "cart_1.parquet"),
        keys=KEYS,
        targets=["country_birth"],
        measures=measures,
    )
    for measure in measures:
        text = re.search(
            rf"^- .*?\*\*{measure}\*\*.*?(?=^- |\Z)", PAGES["results"], re.MULTILINE | re.DOTALL
        )
        assert text
        assert f"{report[measure].rows[0]['value']:.2f} %" in text[0]


def test_the_guide_quotes_what_chance_gives() -> None:
    found = sqlrisk.inspect(
        str(CENSUS / "original.parquet"),
        str(CENSUS / "cart_1.parquet"),
        keys=["sex"],
        targets=["income"],
    )
    (row,) = found.copies
    chance = 2 * row["pairs"]
    assert round((row["uniques_released"] - chance) / (row["uniques"] - chance), 2) == 0.1
    for said in (
        f"{row['uniques']:,} people",
        f"{row['pairs']:,} rows",
        f"{100 * chance / row['uniques']:.2f} %",
    ):
        assert said in PAGES["files"].replace("\n", " ")


@pytest.mark.slow
def test_the_exclusion_gives_what_is_said() -> None:
    said = re.search(
        r"--exclude-level (?P<level>\S+?)` gives DiSCO (?P<value>[\d.]+): (?P<people>\d+) people",
        PAGES["results"],
    )
    assert said
    report = sqlrisk.score(
        str(CENSUS / "original.parquet"),
        str(CENSUS / "cart_1.parquet"),
        keys=KEYS,
        targets=["country_birth"],
        exclude_level=[said["level"]],
    )
    row = report["DiSCO"].rows[0]
    assert row["numerator"] == int(said["people"])
    assert f"{row['value']:.2f}" == said["value"]


@pytest.mark.slow
def test_the_scenario_file_runs(tmp_path: Path) -> None:
    toml = re.search(r"```toml\n(.*?)```", PAGES["scoring"], re.DOTALL)
    assert toml
    path = CENSUS.parent / "census"
    (tmp_path / "scenario.toml").write_text(
        toml[1].replace('"original.', f'"{path}/original.').replace('"cart', f'"{path}/cart')
    )
    report = sqlrisk.score(scenario=str(tmp_path / "scenario.toml"))
    assert report.scenario["bins"] == {"age": 10}
    assert [file["synthesis"] for file in report.synthetic] == ["1", "2"]


@pytest.mark.slow
def test_the_file_of_several_scenarios_runs(tmp_path: Path) -> None:
    toml = re.findall(r"```toml\n(.*?)```", PAGES["scoring"], re.DOTALL)[1]
    assert "[scenario." in toml
    file = tmp_path / "scenarios.toml"
    file.write_text(
        toml.replace('"original.', f'"{CENSUS}/original.').replace('"cart', f'"{CENSUS}/cart')
    )
    reports = sqlrisk.score_all(str(file), measures=["UiO", "DiSCO"])
    assert list(reports) == ["neighbor", "employer"]
    assert reports["neighbor"].scenario["exclude_level"] == {}
    one = sqlrisk.score(scenario=f"{file}#employer", measures=["UiO", "DiSCO"])
    assert agree(one.results, reports["employer"].results)


def test_what_the_guide_accepts_is_accepted(tmp_path: Path) -> None:
    block = re.search(r"\[\[accept\]\].*?(?= *```)", PAGES["policy"], re.DOTALL)
    assert block
    file = tmp_path / "policy.toml"
    file.write_text(f'name = "p"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "r"\n{block[0]}')
    people = pa.table({"town": ["a", "b"], "income": ["high", "low"]})
    results = sqlrisk.score(people, people, keys=["town"], measures=["DiSCO"]).results
    accepted = read_policy(str(file))
    for code, verdict in (
        (tomllib.loads(block[0])["accept"][0]["code"], "pass"),
        ("exchanged", "review"),
    ):
        reasons = [{"code": code, "text": "t"}]
        doubt = {"synthesis": "1", "target": "income", "state": "doubtful", "reasons": reasons}
        assert judge(accepted, results, [doubt])["verdict"] == verdict


@pytest.mark.slow
def test_the_listing_command_runs() -> None:
    command = re.search(r"^    (sqlrisk cells DiSCO .*)$", PAGES["scoring"], re.MULTILINE)
    assert command
    listing = json.loads("\n".join(run(f"{command[1]} --format json")))
    assert len(listing["rows"]) == 5
    assert all(
        row[listing["columns"].index("target")] == "country_birth" for row in listing["rows"]
    )


def test_the_python_examples_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = PAGES["python"].partition("\n## Pipelines\n")[0]  # those have tests of their own
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    for path in CENSUS.glob("*.parquet"):
        pq.write_table(pq.read_table(path).slice(0, 500), tmp_path / path.name)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"duckdb": duckdb}
    exec(code, names)
    assert (tmp_path / "risk.json").stat().st_size > 1000


def test_the_select_is_the_measure() -> None:
    shown = re.search(r"This is DiSCO:\n\n```sql\n(.*?)\n```", README, re.DOTALL)
    assert shown
    own = sqlrisk.sql("DiSCO", one=True).partition("---*/\n")[2].strip()
    assert own.replace("(", "").replace(")", "") == shown[1].replace("(", "").replace(")", "")


@pytest.mark.parametrize(
    "page", ["README.md", *SQL_PAGES, "sqlrisk/README.md", "sqlrisk/guide/security.md"]
)
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    # by whoever follows the page
    written = {*re.findall(r"^Write `([^`]+)`:$", text, re.MULTILINE), "tests/cases/majority.toml"}
    named = (
        set(re.findall(r"(?<![\w/])(?:sqlrisk|sql|tests|scripts|data)/[\w/-]+(?:\.\w+)+", text))
        - written
    )
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    assert named
