"""What the README and the guide show is what the program prints. `sh scripts/test --golden` writes
it; a line `...` stays.
"""

import os
import re
import shlex
from pathlib import Path

import every_format
import forks
import measures_page
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import snapshots
from quickly import some

import sqlrisk
from sqlrisk.catalogue import templates
from sqlrisk.inputs.fields import ScoreRun, explained, reference

ROOT = Path(__file__).resolve().parents[2]
SQL = ROOT / "sql"
STAGES = SQL / "docs" / "stages.md"
GUIDE = ROOT / "sqlrisk" / "guide"
PAGES = {path.stem: path for path in (ROOT / "README.md", *sorted(GUIDE.glob("*.md")))}
NEXT = "\n## Next\n"  # ends each page
EXAMPLE = re.compile(
    r"<!-- example -->\n```console\n\$ sqlrisk (?P<command>.+)\n(?P<shown>(?:.*\n)*?)```"
)
WITH_EXAMPLES = [
    name for name, path in PAGES.items() if EXAMPLE.search(path.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The census files, the original in another order, a synthesis in which sex is written
    otherwise, and small files.
    """
    folder = tmp_path_factory.mktemp("files")
    for file in (ROOT / "data" / "census").glob("*.parquet"):
        (folder / file.name).symlink_to(file)
    original, cart = (pq.read_table(folder / f"{name}.parquet") for name in ("original", "cart_1"))
    pq.write_table(original.sort_by("age"), folder / "shuffled.parquet")
    codes = pa.array([{"Male": "1", "Female": "2"}[level] for level in cart["sex"].to_pylist()])
    pq.write_table(
        cart.set_column(cart.column_names.index("sex"), "sex", codes), folder / "codes.parquet"
    )
    (scenarios,) = re.findall(
        r"```toml\n(.*?)```", PAGES["r"].read_text(encoding="utf-8"), re.DOTALL
    )
    (folder / "exclusions.toml").write_text(scenarios, encoding="utf-8")
    scenarios = re.findall(
        r"```toml\n(.*?)```", PAGES["scoring"].read_text(encoding="utf-8"), re.DOTALL
    )[1]
    (folder / "scenarios.toml").write_text(scenarios, encoding="utf-8")
    every_format.write(folder)
    (policy,) = re.findall(
        r"```toml\n(#:schema .*?)```", PAGES["policy"].read_text(encoding="utf-8"), re.DOTALL
    )
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", some(WITH_EXAMPLES[:1], WITH_EXAMPLES))
def test_golden_examples(page: str, files: Path, tmp_path: Path) -> None:
    for file in files.iterdir():
        (tmp_path / file.name).symlink_to(file)
    for example in [*EXAMPLE.finditer(PAGES[page].read_text(encoding="utf-8"))]:
        command, shown = example.groups()
        snapshots.passage(
            PAGES[page], f"{command}\n", shown, snapshots.elided(shown, run(command, tmp_path))
        )


def run(command: str, folder: Path) -> list[str]:
    """The lines that a command of sqlrisk prints at 80 columns, and its exit status where it is
    asked for.
    """
    command, asked, _ = command.partition("; echo $?")
    done = forks.run(*shlex.split(command), cwd=folder, env={**os.environ, "COLUMNS": "80"})
    assert asked or done.returncode == 0, done.stderr
    return [*done.stdout.splitlines(), *[str(done.returncode)] * bool(asked)]


def test_golden_list_of_measures() -> None:
    page, start = PAGES["measures"], "## Every measure\n\n"
    _, _, rest = page.read_text(encoding="utf-8").partition(start)
    intro, gap, shown = rest.partition(NEXT)[0].partition("\n\n")
    snapshots.passage(page, f"{start}{intro}{gap}", shown, measures_page.every_measure())


def test_golden_help_of_score() -> None:
    """What `help(sqlrisk.score)` says of the settings stands in its source."""
    page, start = ROOT / "sqlrisk" / "api" / "scores.py", "method names to\n            lists.\n"
    shown = page.read_text(encoding="utf-8").partition(start)[2].partition("        listings: ")[0]
    snapshots.passage(page, start, shown, explained(ScoreRun) + "\n")


def test_the_page_of_measures_has_a_question_for_each_family() -> None:
    page, start = PAGES["measures"], "Families of measures:\n\n"
    _, _, rest = page.read_text(encoding="utf-8").partition(start)
    rows = re.findall(r"^- (\w+): .+\?.*$", rest.partition("\n\n")[0], re.MULTILINE)
    assert sorted(rows) == sorted({measure.family for measure in sqlrisk.measures()})


def test_golden_settings() -> None:
    start = "including output, memory and threads.\n\n"
    page = PAGES["settings"]
    shown = page.read_text(encoding="utf-8").partition(start)[2].partition(NEXT)[0]
    snapshots.passage(page, start, shown, reference())


def test_golden_stages() -> None:
    """What one row of each table is and what its file reads, by the header of the file."""
    folders = [
        SQL / "saved",
        *sorted(path for path in (SQL / "stages").iterdir() if path.is_dir()),
        SQL / "tables",
        SQL / "uniques",
    ]
    parts = []
    for folder in folders:
        rows = []
        for path in sorted(folder.glob("*.sql")):
            head = templates.header(path.relative_to(SQL).as_posix())
            link = f"[{path.stem}]({Path(os.path.relpath(path, STAGES.parent)).as_posix()})"
            rows.append(f"| {link} | {head['grain'].replace('|', '&#124;')} | {head['reads']} |\n")
        parts.append(
            f"## {folder.relative_to(SQL).as_posix()}\n\n| table | a row | reads "
            f"|\n|---|---|---|\n{''.join(rows)}"
        )
    start = "(../README.md#from-files-to-results)).\n\n"
    shown = STAGES.read_text(encoding="utf-8").partition(start)[2]
    snapshots.passage(STAGES, start, shown, "\n".join(parts))


@pytest.mark.parametrize(
    ("shown", "becomes"),
    [
        ("", "one\ntwo\nthree 3\nfour\nfive\n"),
        ("a\nb\n", "one\ntwo\nthree 3\nfour\nfive\n"),
        ("one\n...\n", "one\n...\n"),
        ("...\nthree\nfour\n...\n", "...\nthree 3\nfour\n...\n"),
        ("one\n...\nthree 3\n...\nfive\n", "one\n...\nthree 3\n...\nfive\n"),
        ("uno\n...\nfive 5\n", "one\n...\nfive\n"),
    ],
)
def test_what_is_left_out_of_an_example_stays_so(shown: str, becomes: str) -> None:
    assert snapshots.elided(shown, ["one", "two", "three 3", "four", "five"]) == becomes
