"""Every command writes every form of output that its help offers, and says who may read it."""

import re
import shlex
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import forks
import pandas as pd
import pyreadstat
import pytest
from quickly import some

from sqlrisk.cli.main import cli

KEYS = "--keys town,age --targets ill"
FILES = f"o.csv s.csv {KEYS}"
OF_PEOPLE = [  # what they write is their owner's alone
    f"score {FILES}",
    f"inspect {FILES}",
    f"cells DiSCO {FILES}",
    f"reference o.csv {KEYS}",
    "utility o.csv s.csv",
    "split o.csv -o halves",
    "demo",
    f"attack {FILES}",
    f"sweep {FILES}",
    f"records {FILES} -o people.csv",
    f"explain --record 1 {FILES}",
    "uniques o.csv --keys town,age",
    "lookup s.csv --key town=a",
    f"recode {FILES} --column age.width=5 -o release",
    f"protect s.csv --original o.csv {KEYS} -o kept.csv",
    "check risk.json --policy policy.toml",
    "diff risk.json copy.json",
    "query risk.duckdb 'SELECT * FROM results'",
    "rerun risk.json.manifest.json",
    "init o.csv s.csv",
]
SHARED = [
    f"score many.csv more.csv {KEYS} --report external",
    "explain DiSCO",
    "compile scenario.toml",
    "schema result",
    "list",
    "guide",
]
COMMANDS = [*OF_PEOPLE, *SHARED]
WRITING = ("--output", "--html", "--result", "--save")  # options that say where to write
HEADS = {
    ".html": b"<!DOCTYPE html>",
    ".parquet": b"PAR1",
    ".gz": b"\x1f\x8b",
    ".png": b"\x89PNG",
    ".pdf": b"%PDF",
}  # how a file begins
LABELLED = (".sav", ".dta")
FORM = re.compile(r"(?<=\.)[a-z][a-z.]*")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands read."""
    folder = tmp_path_factory.mktemp("files")
    people = "a,30,yes\na,30,yes\na,30,no\nb,41,no\nb,55,no\n"
    made = "a,30,yes\na,30,yes\na,41,no\nb,41,yes\nb,55,no\n"
    for name, rows in (("o", people), ("s", made), ("many", people * 40), ("more", made * 40)):
        (folder / f"{name}.csv").write_text(f"town,age,ill\n{rows}")
        table = pd.read_csv(folder / f"{name}.csv")
        pyreadstat.write_sav(table, folder / f"{name}.sav")
        pyreadstat.write_dta(table, folder / f"{name}.dta")
    (folder / "policy.toml").write_text(
        'name = "Board"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "An example."\n'
    )
    (folder / "scenario.toml").write_text(
        'original = "o"\nsynthetic = ["s"]\nkeys = ["town", "age"]\ntargets = ["ill"]\n'
    )
    for scored in (f"s.csv {KEYS} --save risk.duckdb -o risk.json", f"o.csv {KEYS} -o copy.json"):
        done = forks.run("score", "o.csv", *scored.split(), cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def outputs(command: str) -> Iterator[tuple[str, ...]]:
    """Yield the options of a command, one by one, that its help offers for what is written, and in
    which form; all forms together where it writes several files at once.
    """
    for option in cli.commands[command.split(maxsplit=1)[0]].params:
        name = option.opts[-1]
        if name == "--format" and isinstance(option.type, click.Choice):
            # printed by what writes files, whose forms are all tried
            yield from [(name, form) for form in option.type.choices][len(command) % 4 :: 4]
        elif name in WRITING:
            assert isinstance(option, click.Option)
            forms = FORM.findall(option.help or "")
            each = [(name, f"made.{form}") for form in dict.fromkeys(forms)] or [(name, "made.")]
            # a callback refuses a second output
            several = option.multiple and option.callback is None
            yield from [tuple(chain(*each))] if several else each


# The demo is a score of larger files, which takes seconds for each form.
RUNS = [
    (command, *output)
    for command in COMMANDS
    for output in [*outputs(command)][:: 7 if command == "demo" else 1]
]


def test_every_command_is_run() -> None:
    assert {command.split()[0] for command in COMMANDS} == {
        name for name in cli.commands if any(outputs(name))
    }


@pytest.mark.parametrize(
    "run", some([run for run in RUNS[1::128] if run[0] != "demo"], RUNS), ids=" ".join
)
def test_a_command_writes_what_its_help_offers_for_its_owner_alone(
    folder: Path, tmp_path: Path, run: tuple[str, ...]
) -> None:
    command, *asked = run
    if asked[0] == "--output":
        command = re.sub(r" -o \S+", "", command)
    form = asked[-1][-4:]
    if form in LABELLED:  # such a file is written from one of its own format
        command = command.replace(" s.csv", f" s{form}").replace(" o.csv", f" o{form}")
    for path in folder.iterdir():
        (tmp_path / path.name).symlink_to(path)
    done = forks.run(*shlex.split(command), *asked, cwd=tmp_path)
    assert (done.returncode, "unexpected" in done.stderr) == (0, False), done.stderr
    for path in tmp_path.rglob("*"):
        if path.is_file() and not path.is_symlink():
            shared = command in SHARED and not path.name.endswith((".manifest.json", ".duckdb"))
            assert oct(path.stat().st_mode & 0o777) == oct(0o644 if shared else 0o600), path.name
    for option, value in zip(asked[::2], asked[1::2], strict=True):
        if option == "--format":
            assert done.stdout
        elif (made := tmp_path / value).is_file():
            assert made.read_bytes().startswith(HEADS.get(made.suffix, b""))
        else:
            assert any(made.iterdir())
