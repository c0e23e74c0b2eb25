"""Bad input of each kind: one message that names all problems, exit status 2, no value of a record
shown, nothing written.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import forks
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest
from quickly import few, some

SECRET = "QxKowalska"  # stands in every text of the files, and in labels
ROWS = 40
MISSING_PACKAGE = "raise ModuleNotFoundError('not installed', name=__name__)\n"


def people() -> pd.DataFrame:
    """A file whose every text is a secret, or begins with one."""
    return pd.DataFrame(
        {
            "sex": [1, 2] * (ROWS // 2),
            "age": [*range(20, 20 + ROWS)],
            "job": [f"{SECRET} {number % 5}" for number in range(ROWS)],
            "born": [f"{SECRET}", *(f"19{number}-03-21" for number in range(31, 30 + ROWS))],
            "ill": [f"{SECRET} yes", f"{SECRET} no"] * (ROWS // 2),
        }
    )


def csv(_: Path) -> None:
    people().to_csv("a.csv", index=False)


def spss(_: Path, **labels: dict[int, str]) -> None:
    pyreadstat.write_sav(people(), "a.sav", variable_value_labels=labels)


def without_package(folder: Path) -> None:
    spss(folder)
    Path("pyreadstat.py").write_text(MISSING_PACKAGE)


def damaged(folder: Path) -> None:
    spss(folder)
    data = Path("a.sav").read_bytes()
    Path("a.sav").write_bytes(data[: len(data) // 2])


def damaged_parquet(_: Path) -> None:
    people().to_parquet("a.parquet")
    data = bytearray(Path("a.parquet").read_bytes())
    start = pq.ParquetFile("a.parquet").metadata.row_group(0).column(1).data_page_offset
    data[start : start + 30] = b"\xff" * 30
    Path("a.parquet").write_bytes(bytes(data))


def encrypted(_: Path) -> None:
    Path("a.sav").write_bytes(b"ENCRYPTEDSAV" + b"\0" * 4096)


def another_byte(_: Path) -> None:
    Path("a.csv").write_bytes(
        f"sex,age,job,born,ill\n1,20,{SECRET}\x98,1930-01-01,no\n".encode("latin-1")
    )


def labelled(_: Path) -> None:
    spss(_, sex={1: f"{SECRET} a", 2: f"{SECRET} b"})
    # no labels
    people().assign(sex=[f"{SECRET} c", f"{SECRET} d"] * (ROWS // 2)).to_parquet("told.parquet")


def one_label_twice(_: Path) -> None:
    spss(_, sex={1: SECRET, 2: SECRET})


def two_parents(_: Path) -> None:
    csv(_)
    Path("jobs.csv").write_text(f"job,group\n{SECRET} 1,a\n{SECRET} 2,b\n{SECRET} 1,c\n")


# What is read, what is asked of it, and the words of the message, each of a problem of its own
# where they are several.
CASES: dict[str, tuple[Callable[[Path], None], str, list[str], list[str]]] = {
    "a format without its extra": (
        without_package,
        "a.sav b.sav",
        [],
        ["SPSS files, as 'a.sav', need the package pyreadstat: pip install"],
    ),
    "a damaged file": (
        damaged,
        "a.sav b.sav",
        [],
        ["'a.sav' cannot be read: it is damaged, or of another format. Write it again."],
    ),
    "damaged Parquet": (damaged_parquet, "a.parquet b.parquet", [], ["'a.parquet' cannot be"]),
    "an encrypted file": (
        encrypted,
        "a.sav b.sav",
        [],
        ["'a.sav' cannot be read: it is encrypted. Save it without a password."],
    ),
    "an unknown encoding": (
        csv,
        "a.csv b.csv",
        ["--encoding=utf-9"],
        ["encoding: expected the name of an encoding that Python knows"],
    ),
    "a byte that the encoding lacks": (
        another_byte,
        "a.csv b.csv",
        ["--encoding=windows-1250"],
        ["line 2"],
    ),
    "codes without labels": (
        csv,
        "a.csv b.csv",
        ["--column=sex.codes=labels"],
        ["column.sex.codes: no file has labels for the codes of 'sex'"],
    ),
    "codes against texts that are no labels": (
        labelled,
        "a.sav told.parquet",
        [],
        ["The column 'sex' has types that cannot be compared: whole numbers in 'a.sav'"],
    ),
    "two levels with the same label": (
        one_label_twice,
        "a.sav b.sav",
        ["--column=sex.codes=labels"],
        ["The column 'sex' of 'a.sav' holds two codes with the same label"],
    ),
    "descending bands": (
        csv,
        "a.csv b.csv",
        ["--column=age.bands=0,40,20"],
        ["column.age.bands: 20 comes after 40"],
    ),
    "a hierarchy with two parents": (
        two_parents,
        "a.csv b.csv",
        ["--column=job.hierarchy=jobs.csv"],
        ["line 4 of 'jobs.csv' puts a level below a second parent"],
    ),
    "a recode of no column": (
        csv,
        "a.csv b.csv",
        ["--column=aged.top=60"],
        ["column.aged: no file has this column (did you mean 'age'?)"],
    ),
    "a date that is none": (
        csv,
        "a.csv b.csv",
        ["--column=born.date=year"],
        ["column.born: 1 value has no level: they are not dates, as in 2021-03-31"],
    ),
    "mistakes of all kinds": (
        two_parents,
        "a.csv b.csv",
        [
            "--column=age.bands=0,40,20",
            "--column=ill.width=5",
            "--column=aged.top=60",
            "--column=job.hierarchy=jobs.csv",
        ],
        [
            "column.age.bands: 20 comes after 40",
            "column.aged: no file has",
            "column.ill: 'ill' is VARCHAR",
            "line 4 of 'jobs.csv'",
        ],
    ),
}


# They are also among the mistakes of all kinds.
TOGETHER = {"descending bands", "a hierarchy with two parents", "a recode of no column"}


@pytest.mark.parametrize("command", few(["score", "recode"], 2))
@pytest.mark.parametrize("case", some(CASES.keys() - TOGETHER, CASES))
def test_bad_input_is_one_message(
    case: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, files, options, words = CASES[case]
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    one, other = files.split()
    if not Path(other).exists():
        shutil.copy(one, other)
    # a process of its own, that imports it from here
    alone = {"PYTHONHASHSEED": "1"} if Path("pyreadstat.py").exists() else {}
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    asked = ["--keys=age,sex,job,born", "--targets=ill", *options]
    out = (
        ["-o", "risk.json"]
        if command == "score"
        else ["-o", "release", "--column=age.missing=-8", "--column=sex.rare=2"]
    )
    done = forks.run(
        command, one, other, *asked, *out, "-q", cwd=tmp_path, env={**os.environ, **alone}
    )
    told = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, ""), told
    assert [each for each in words if each not in told] == [], told
    assert SECRET not in done.stderr
    after = [
        path for path in tmp_path.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    assert {path: path.read_bytes() for path in after} == before
    assert not (tmp_path / "release").exists()


# What every command says of a dictionary that is wrong, and of what the files do not allow of the
# rest: in one message.
WRONG = {
    "age": {"bands": "0,40,20"},
    "ill": {"width": "5"},
    "aged": {"top": "60"},
    "job": {"hierarchy": "jobs.csv"},
}
TOLD = [
    "column.age.bands: 20 comes after 40",
    "line 4 of 'jobs.csv' puts a level below a second parent",
    "column.aged: no file has this column (did you mean 'age'?)",
    "column.ill: 'ill' is VARCHAR",
    "column.sex: 'sex' is BIGINT",
]
OPTIONS = [
    f"--column={name}.{recode}={value}"
    for name, said in WRONG.items()
    for recode, value in said.items()
]
BOTH = ["a.csv", "b.csv", "--keys=age,sex,job,born", "--targets=ill", "--column=sex.date=year"]
COMMANDS = {
    "score": ["score", *BOTH, "-o", "out.json"],
    "steps": ["score", *BOTH, "--steps=sex.rare=2,3", "-o", "out.json"],
    "scenarios": ["score", "--scenario=several.toml", "-o", "out.json"],
    "layout": ["score", "--layout=raab", *BOTH, "-o", "out.json"],
    "layout of several keys": ["score", "--layout=taub", *BOTH, "--keys=age,sex", "-o", "out.json"],
    "inspect": ["inspect", *BOTH, "-o", "out.json"],
    "cells": ["cells", "DiSCO", *BOTH, "-o", "out.json"],
    "records": ["records", *BOTH, "-o", "out.parquet"],
    "explain": ["explain", "--record=0", *BOTH, "-o", "out.json"],
    "protect": ["protect", *BOTH, "-o", "out.csv"],
    "recode": ["recode", *BOTH, "-o", "out"],
    "attack": ["attack", *BOTH, "-o", "out.json"],
    "sweep": ["sweep", *BOTH, "-o", "out.json"],
    "utility": ["utility", "a.csv", "b.csv", "--column=sex.date=year", "-o", "out.json"],
    "reference": ["reference", "a.csv", *BOTH[2:], "-o", "out.json"],
    "uniques": [
        "uniques",
        "a.csv",
        "--keys=age,sex,job,born,ill",
        "--column=sex.date=year",
        "-o",
        "out.json",
    ],
}


@pytest.mark.parametrize("command", few(COMMANDS, 4))
def test_every_command_names_all_problems_of_a_dictionary(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    two_parents(tmp_path)
    shutil.copy("a.csv", "b.csv")
    tables = "".join(
        f"[column.{name}]\n{recode} = '{value}'\n"
        for name, said in WRONG.items()
        for recode, value in said.items()
    )
    scenarios = "[scenario.x]\nkeys = ['age', 'sex', 'job']\n[scenario.y]\nkeys = ['age', 'sex']\n"
    head = "original = 'a.csv'\nsynthetic = 'b.csv'\ntargets = ['ill']\n"
    Path("several.toml").write_text(f"{head}{tables}[column.sex]\ndate = 'year'\n{scenarios}")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    own = [] if command == "scenarios" else OPTIONS
    done = forks.run(*COMMANDS[command], *own, "-q", cwd=tmp_path)
    told = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, ""), told
    assert [each for each in TOLD if each not in told] == [], told
    assert SECRET not in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_layout_names_the_problems_of_all_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    csv(tmp_path)
    done = forks.run(
        "score",
        "a.csv",
        "a.csv",
        "--layout=taub",
        "--keys=age,sec",
        "--keys=ago,sex",
        "--targets=ill",
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert all(f"keys: no file has a column {column!r}" in done.stderr for column in ("sec", "ago"))
