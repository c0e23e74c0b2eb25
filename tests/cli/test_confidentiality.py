"""What may be known outside of a run: who can read its files, what it says, what the database may
reach. No level gets out.
"""

import os
import pty
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from processes import SQLRISK, Done, confined, environment, found, lack, running, sqlrisk
from quickly import few, some

import sqlrisk as package
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.sources import read_source

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="namespaces, terminals and /proc are Linux's"
)

FILES = ("original.parquet", "synthetic.parquet")
QUESTION = ("--keys", "age,region", "--targets", "ill,income")
SAVED = (
    "score",
    *FILES,
    *QUESTION,
    "--temp-directory",
    "spill",
    "--save",
    "risk.duckdb",
    "-o",
    "risk.json",
)
TEXT = "QxKowalska"  # stands in every text of the files
# And so do such numbers; nothing else looks like them, and a hash, a share or the name of a
# temporary file has none of its own.
LEVEL = re.compile(rf"{TEXT}|(?<![\w.])(?:87123[0-9]{{2}}|8700000[0-9]{{2}})(?!\w)", re.IGNORECASE)


def people(seed: int, records: int = 600) -> pa.Table:
    draw = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "person": [870000000 + record for record in range(records)],
            "age": [8712300 + draw.randrange(60) for _ in range(records)],
            "region": [f"{TEXT} {draw.randrange(5)}" for _ in range(records)],
            "ill": [draw.choice([f"{TEXT} of it", f"{TEXT} not", None]) for _ in range(records)],
            "income": [8712300.5 + draw.randrange(99) for _ in range(records)],
            "weight": [1.0 + draw.randrange(3) for _ in range(records)],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, and a run that was saved."""
    folder = tmp_path_factory.mktemp("made")
    for seed, name in enumerate((*FILES, "control.parquet")):
        pq.write_table(people(seed), folder / name)
    (folder / "spill").mkdir()
    assert sqlrisk(*SAVED, folder=folder) == Done(0, "", "")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


# ---- files
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stage", some(["saved.records"], ["levels_k1", "cells_t1", "saved.records"])
)
def test_what_is_temporary_is_its_owners_alone(folder: Path, stage: str) -> None:
    """Whatever the user's mask lets others do; that all of it is gone after any end,
    tests/cli/test_faults.py shows.
    """
    before = found(folder)
    with running(*SAVED, folder=folder, under=("sh", "-c", 'umask 000; exec "$@"', "sh")) as run:
        run.reach(f"TABLE {stage} AS")
        made = [folder / name for name in found(folder) if name not in before]
        modes = {path: path.stat().st_mode & 0o777 for path in made}
        assert run.end().status == 0
    names = {path.name for path in made}
    assert {"stages.duckdb", "saved.duckdb"} <= names
    assert len([name for name in names if name.startswith(".sqlrisk-")]) == 3
    assert {modes[path] for path in modes if path.parent.name == "spill"} == {0o700}
    assert {mode for path, mode in modes.items() if path.suffix or path.name.startswith(".")} == {
        0o600
    }
    assert {oct(mode) for mode in modes.values()} <= {oct(0o700), oct(0o600)}
    assert {(folder / name).stat().st_mode & 0o777 for name in ("risk.duckdb", "risk.json")} == {
        0o600
    }


# ---- what is said
# ------------------------------------------------------------------------------------------

EVERYTHING = (
    *(
        "score",
        *FILES,
        *QUESTION,
        "--control",
        "control.parquet",
        "--weights",
        "weight",
        "--id",
        "person",
        "--by",
        "ill",
    ),
    *(
        "--bins",
        "age=5",
        "--within",
        "income=10",
        "--distributions",
        "--trend",
        "--populations",
        "all,uniques,special",
    ),
    *("--exclude-missing", "ill", "--save", "risk.duckdb", "-o", "risk.json"),
)
COMMANDS = [
    EVERYTHING,
    (
        "score",
        *FILES,
        *QUESTION,
        "--aligned",
        "--assume",
        "saturated",
        "--prior",
        "1",
        "-o",
        "risk.html",
    ),
    ("records", *FILES, *QUESTION, "--gcap", "--suda", "-o", "people.csv"),
    ("cells", "DiSCO", *FILES, *QUESTION, "-o", "cells.csv"),
    ("uniques", FILES[0], "--keys", "age,region", "-o", "uniques.csv"),
    ("sweep", *FILES, *QUESTION, "-o", "sweep.parquet"),
    ("attack", *FILES, *QUESTION, "-o", "attack.json"),
    ("utility", *FILES, "-o", "tables.csv"),
    ("protect", FILES[0], FILES[1], *QUESTION, "-o", "safe.parquet"),
    (
        "recode",
        *FILES,
        *QUESTION,
        "--column",
        "age.width=5",
        "--column",
        "region.rare=2",
        "-o",
        "release",
    ),
    (
        "recode",
        *FILES,
        *QUESTION,
        "--column",
        "age.bands=90",
        "--column",
        "region.date=year",
        "-o",
        "no.folder",
    ),
    ("explain", "--record", "1", *FILES, *QUESTION, "-o", "person.md"),
    ("init", *FILES, "-o", "scenario.toml"),
    ("score", *FILES, "--keys", "age,religion", "-o", "no.json"),
    ("score", *FILES, *QUESTION, "--bins", "region=3", "-o", "no.json"),
    ("score", *FILES, *QUESTION, "--memory-limit", "1MB", "-o", "no.json"),
    ("query", "risk.duckdb", "SELECT CAST(region AS INTEGER) FROM people", "-o", "no.csv"),
    ("query", "risk.duckdb", "SELECT error(region) FROM people", "-o", "no.csv"),
]
# Everything that Python, its libraries and the program have to say.
ALOUD = (
    *(sys.executable, "-X", "dev", "-c"),
    (
        "import logging, sys; logging.basicConfig(level=1); from sqlrisk.cli.main import main; "
        "sys.exit(main())"
    ),
)


@pytest.mark.parametrize("level", some(["--trace"], ["-q", "--no-progress", "--trace"]))
def test_no_level_is_said(folder: Path, level: str) -> None:
    done = sqlrisk(*EVERYTHING, level, folder=folder)
    assert (done.status, done.out) == (0, "")
    assert LEVEL.findall(done.err + (folder / "risk.json.manifest.json").read_text()) == []
    assert ("TABLE cells_t1 AS" in done.err) == (level == "--trace")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    some(COMMANDS[3::12], COMMANDS),
    ids=lambda command: f"{COMMANDS.index(command)}-{command[0]}",
)
def test_no_level_is_said_however_loud(folder: Path, command: tuple[str, ...]) -> None:
    """The last argument is the output; a command that must fail has one that is named ``no``."""
    done = sqlrisk(*command, "--trace", folder=folder, program=ALOUD)
    fails = command[-1].startswith("no.")
    assert (done.status in (2, 3)) == fails, done.err
    assert ((folder / command[-1]).exists(), "sqlrisk: " in done.err) == (not fails, fails)
    assert LEVEL.findall(done.out + done.err) == []
    assert [name for name in found(folder) if LEVEL.search(name)] == []


LABELLED = [
    (
        "score",
        "--by",
        "ill",
        "--one-way",
        "1,1",
        "--two-way",
        "1,1",
        "--distributions",
        "-o",
        "risk.json",
    ),
    (
        "score",
        "--bins",
        "age=2",
        "--special",
        "age=1",
        "--population",
        "one: ill = 1",
        "--by",
        "region",
        "-o",
        "risk.html",
    ),
    ("recode", "--column", "age.width=5", "-o", "release"),
    ("recode", "--column", "ill.merge.sick=1", "-o", "release"),
    ("records", "-o", "people.csv"),
    ("cells", "DiSCO", "-o", "cells.csv"),
    ("explain", "--record", "1", "-o", "person.md"),
    ("sweep", "-o", "sweep.parquet"),
    ("attack", "-o", "attack.json"),
    ("inspect", "-o", "seen.md"),
]


# Labels are read by format, whatever they are for: every command reads those of SPSS, some those of
# another format.
WITH_LABELS = [
    *(("sav", number) for number in range(len(LABELLED))),
    *(("dta", number) for number in range(0, len(LABELLED), 4)),
    *(("xpt", number) for number in range(1, len(LABELLED), 4)),
]


@pytest.mark.parametrize(
    "case",
    some([("sav", 2)], WITH_LABELS),
    ids=lambda case: f"{case[1]}-{LABELLED[case[1]][0]}-{case[0]}",
)
def test_no_label_of_a_file_is_said_or_kept_in_a_manifest(
    tmp_path: Path, case: tuple[str, int]
) -> None:
    form, number = case
    draw = random.Random(7)  # noqa: S311 - no secret
    columns = {name: f"{TEXT}, the {name}" for name in ("age", "region", "ill")}
    values = {name: {code: f"{TEXT} {name} {code}" for code in range(1, 9)} for name in columns}
    for name in ("original", "synthetic"):
        table = pd.DataFrame({each: [draw.randrange(1, 9) for _ in range(600)] for each in columns})
        table["ill"] = [1 if value < 8 else 2 for value in table["age"]]  # which the checks flag
        path = str(tmp_path / f"{name}.{form}")
        if form == "sav":
            pyreadstat.write_sav(table, path, column_labels=columns, variable_value_labels=values)
        elif form == "dta":
            table.to_stata(path, write_index=False, variable_labels=columns, value_labels=values)
        else:
            pyreadstat.write_xport(table, path, column_labels=columns, file_format_version=8)
    verb, *options = LABELLED[number]
    measure = [options.pop(0)] if verb == "cells" else []
    options += ["--verbose"] if verb == "recode" else []  # a screen leaves the labels out
    question = ("--keys", "age,region", "--targets", "ill")
    files = (f"original.{form}", f"synthetic.{form}")
    done = sqlrisk(
        verb, *measure, *files, *question, *options, "--trace", folder=tmp_path, program=ALOUD
    )
    assert done.status in (0, 1), done.err
    manifests = [path.read_text() for path in tmp_path.rglob("*.manifest.json")]
    assert bool(manifests) == (verb in ("score", "recode"))
    out = done.out
    if verb == "recode":  # prints its result, which lists the labels of columns
        for label in columns.values():
            assert label in out
            out = out.replace(label, "")
    assert LEVEL.findall("".join([out, done.err, *manifests])) == []
    if form != "xpt" and verb == "cells":  # where labels have to be, the search does find them
        assert LEVEL.search((tmp_path / "cells.csv").read_text())
    if verb == "score":
        assert sqlrisk("rerun", f"{options[-1]}.manifest.json", folder=tmp_path).status == 0


@pytest.mark.slow
def test_no_level_is_shown_by_the_progress_bar(folder: Path) -> None:
    leader, follower = pty.openpty()
    done = subprocess.Popen(
        [*SQLRISK, *EVERYTHING],
        cwd=folder,
        env=environment(TERM="xterm"),
        stdout=follower,
        stderr=follower,
        stdin=follower,
    )
    os.close(follower)
    shown = b""
    try:
        while more := os.read(leader, 2**16):
            shown += more
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(leader)
    assert done.wait() == 0
    assert "\N{BOX DRAWINGS HEAVY HORIZONTAL}".encode() in shown
    assert LEVEL.findall(shown.decode()) == []


@pytest.mark.parametrize(
    "command", some([SAVED], [SAVED, (*EVERYTHING, "--temp-directory", "spill")]), ids=len
)
def test_no_level_is_in_arguments_or_names(folder: Path, command: tuple[str, ...]) -> None:
    with running(*command, folder=folder, under=("env",)) as run:
        for stage in ("levels_k1", "records", "cells_t1", "saved.labels_k1"):
            run.reach(f"TABLE {stage} AS")
            threads = list(Path(f"/proc/{run.pid}/task").iterdir())
            assert threads
            seen = [
                (thread / name).read_text()
                for thread in threads
                for name in ("cmdline", "comm", "environ", "children")
            ]
            seen += found(folder)
            assert LEVEL.findall("\n".join(seen)) == []
            # it starts no other process
            assert [thread for thread in threads if (thread / "children").read_text()] == []
        assert run.end().status == 0
    stages = {path.name: path.read_bytes() for path in folder.rglob("*.duckdb")}
    # where levels have to be, the search does find them
    assert TEXT.encode() in stages["risk.duckdb"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT error(region) FROM people",
        "SELECT CAST(region AS INTEGER) FROM people",
        "SELECT age FROM people LIMIT ill",
    ],
)
def test_no_traceback_shows_a_level(made: Path, statement: str) -> None:
    with (
        duckdb.connect(made / "risk.duckdb", read_only=True) as connection,
        pytest.raises(duckdb.Error) as told,
    ):
        connection.execute(statement).fetchall()
    with pytest.raises(package.InputError) as caught:
        package.query(str(made / "risk.duckdb"), statement)
    shown = "".join(traceback.format_exception(caught.value))
    assert LEVEL.findall(shown) == []
    assert "LIMIT" in statement or LEVEL.search(str(told.value))  # the database does quote it


def test_an_error_of_the_engine_does_not_quote_it(tmp_path: Path) -> None:
    with (
        DuckDB(temp_directory=str(tmp_path)) as engine,
        pytest.raises(package.EngineError) as caught,
    ):
        engine.run(f"SELECT error('{TEXT}')")
    assert TEXT in str(caught.value.cause)
    assert TEXT not in "".join(traceback.format_exception(caught.value))


# ---- what goes out of the house
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "measures",
    some([("--measures", "identity")], [("--measures", "identity"), ()]),
    ids=["identity", "all"],
)
def test_the_report_for_outsiders_and_the_manifest_hold_no_level(
    folder: Path, measures: tuple[str, ...]
) -> None:
    typed = f"{TEXT} not"
    command = (
        "score",
        *FILES,
        *QUESTION,
        *measures,
        "--by",
        "ill",
        "--exclude-level",
        f"ill={typed}",
        "--one-way",
        "1,1",
        "--two-way",
        "1,1",
    )
    for report in ("internal", "external"):
        assert sqlrisk(
            *command, "--report", report, "-q", "-o", f"{report}.html", folder=folder
        ) == Done(0, "", "")
    pages = {report: (folder / f"{report}.html").read_text() for report in ("internal", "external")}
    assert {*LEVEL.findall(pages["internal"])} >= {TEXT}
    assert LEVEL.findall(pages["external"]) == []
    assert LEVEL.findall((folder / "external.html.external-manifest.json").read_text()) == []
    manifest = (folder / "internal.html.manifest.json").read_text()
    assert LEVEL.findall(manifest) == [TEXT] * manifest.count(typed) != []


# ---- what the database may reach
# ---------------------------------------------------------------------------

REACHES = {
    "another file": "SELECT * FROM read_parquet('{folder}/control.parquet')",
    "another file, by its name": "SELECT * FROM '{folder}/control.parquet'",
    "its text": "SELECT * FROM read_text('{folder}/risk.json')",
    "its bytes": "SELECT * FROM read_blob('{folder}/risk.json')",
    "its schema": "SELECT * FROM parquet_schema('{folder}/control.parquet')",
    "a CSV file": "SELECT * FROM sniff_csv('{folder}/risk.json')",
    "names of files": "SELECT COUNT(*) FROM glob('{folder}/*') HAVING COUNT(*) > 0",
    "a system file": "SELECT * FROM read_text('/etc/passwd')",
    "a new file": "COPY (SELECT 1) TO '{folder}/stolen.csv'",
    "a new folder": "EXPORT DATABASE '{folder}/stolen'",
    "a new database": "ATTACH '{folder}/stolen.duckdb' AS stolen",
    "another database": "ATTACH '{folder}/other.duckdb' AS other (READ_ONLY)",
    "a log": "CALL enable_logging(storage := 'file', storage_path := '{folder}/stolen')",
    "a setting": "SET enable_external_access = true",
    "the lock": "SET lock_configuration = false",
    "another folder": "SET temp_directory = '{folder}/stolen'",
    "a profile": "PRAGMA profiling_output = '{folder}/stolen'",
    "an extension": "INSTALL httpfs",
    "an extension of strangers": "INSTALL h3 FROM community",
    "an extension, loaded": "LOAD httpfs",
    "a library": "LOAD '{folder}/stolen.duckdb_extension'",
    "a secret": "CREATE PERSISTENT SECRET stolen (TYPE http, BEARER_TOKEN 'x')",
    "the network": "SELECT * FROM read_csv('http://127.0.0.1:{port}/x.csv')",
    "a bucket": "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "a variable of Python": "SELECT * FROM variable",
}


@pytest.fixture
def reach(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A function that makes a statement of REACHES about the folder, which holds a database and an
    address that listens.
    """
    duckdb.connect(folder / "other.duckdb").close()
    monkeypatch.setenv("HOME", str(folder))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    before = found(folder)

    def check(statement: str) -> str:
        return statement.format(folder=folder, port=listener.getsockname()[1])

    yield check
    with pytest.raises(BlockingIOError):  # nobody knocked
        listener.accept()
    listener.close()
    assert found(folder) == before


@pytest.mark.parametrize("statement", few(REACHES.values()), ids=REACHES)
def test_a_run_reaches_its_inputs_alone(
    folder: Path, reach: Callable[[str], str], statement: str
) -> None:
    variable = pa.table({"x": [1]})
    with DuckDB(temp_directory=str(folder / "spill")) as engine:
        relation, kinds, _ = engine.attach(
            read_source(folder / FILES[0], "the original"), ["age"], "source_0"
        )
        engine.fix_types({relation: kinds})
        assert engine.run(f"SELECT COUNT(*) FROM {relation}") == [(600,)]
        with pytest.raises(package.SqlriskError):
            engine.run(reach(statement))
    assert variable.num_rows == 1


WRITES = {
    "a row": "INSERT INTO results SELECT * FROM results",
    "a change": "UPDATE files SET n_orig = 0",
    "no rows": "DELETE FROM records",
    "a table": "CREATE TABLE mine AS SELECT 1",
    "a view": "CREATE OR REPLACE VIEW people AS SELECT 1",
    "no view": "DROP VIEW people",
    "no table": "DROP TABLE records",
    "a comment": "COMMENT ON TABLE records IS 'x'",
    "a checkpoint": "INSERT INTO results SELECT * FROM results; FORCE CHECKPOINT saved",
    "again, writable": "DETACH saved; ATTACH '{folder}/risk.duckdb' AS saved",
}


@pytest.mark.parametrize(
    "statement", few([*REACHES.values(), *WRITES.values()], 4), ids=[*REACHES, *WRITES]
)
def test_a_query_of_a_saved_run_reads_it_alone(
    folder: Path, reach: Callable[[str], str], statement: str
) -> None:
    before = (folder / "risk.duckdb").read_bytes()
    variable = pa.table({"x": [1]})
    with pytest.raises(package.InputError) as refused:
        package.query(str(folder / "risk.duckdb"), reach(statement))
    assert "The engine failed" not in str(refused.value)
    assert (folder / "risk.duckdb").read_bytes() == before
    assert variable.num_rows == 1


# ---- no network
# --------------------------------------------------------------------------------------------

OFFLINE = [
    ("score", *FILES, *QUESTION, "-o", "risk.html"),
    ("records", *FILES, *QUESTION, "-o", "people.csv"),
    ("attack", *FILES, *QUESTION, "-o", "attack.json"),
    ("demo",),
]


@pytest.mark.parametrize("command", some(OFFLINE[:1], OFFLINE), ids=lambda command: command[0])
def test_a_run_needs_no_network_and_asks_for_none(folder: Path, command: tuple[str, ...]) -> None:
    """In a network of its own, without any route; and it would be killed for asking for
    a socket.
    """
    alone = ("unshare", "--map-root-user", "--net", "--")
    tried = subprocess.run(
        [*alone, "cat", "/proc/net/route"], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        lack(f"no network namespace can be made: {tried.stderr.strip()}")
    assert tried.stdout.splitlines()[1:] == []  # below the head of the table
    assert (
        sqlrisk(*command, "-q", folder=folder, under=(*alone, *confined("no-network"))).status == 0
    )


def test_who_asks_for_the_network_would_be_killed() -> None:
    ask = [sys.executable, "-c", "import socket; socket.socket()"]
    assert subprocess.run([*confined("no-network"), *ask], check=False).returncode == -signal.SIGSYS
