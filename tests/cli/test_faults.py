"""What goes wrong with machines: real processes are killed, disks fill up, files change and break
under a run.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from agreement import agree
from processes import Done, confined, environment, found, running, small_disk, sqlrisk
from quickly import few, some

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="disks, pipes and rules of the kernel are Linux's"
)

RECORDS = 5000
QUESTION = ("--keys", "age,region", "--targets", "ill,income")
FILES = ("original.parquet", "synthetic.parquet")
SCORE = ("score", *FILES, *QUESTION)
MARKER = "Kowalska"  # a level; no message may repeat it


def people(seed: int, records: int = RECORDS) -> pa.Table:
    draw = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "age": [draw.randrange(90) for _ in range(records)],
            "region": [f"{MARKER} {draw.randrange(40)}" for _ in range(records)],
            "ill": [draw.choice(["y", "n", None]) for _ in range(records)],
            "income": [draw.randrange(12) for _ in range(records)],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that no test changes, and ``wanted.json``: the result of SCORE on them."""
    folder = tmp_path_factory.mktemp("made")
    for seed, name in enumerate(FILES):
        pq.write_table(people(seed), folder / name)
    done = sqlrisk(*SCORE, "-o", "wanted.json", folder=folder)
    assert done == Done(0, "", "")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The files, and an empty folder ``spill`` for what is temporary."""
    for name in FILES:
        shutil.copy(made / name, tmp_path)
    (tmp_path / "spill").mkdir()
    return tmp_path


def results(path: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(path.read_text())["results"]
    return rows


def failed(done: Done, status: int, *words: str) -> None:
    """The run ended with one message that has these words, and shows no level."""
    assert (done.status, done.out) == (status, ""), done.err
    said = [line for line in done.err.splitlines() if line.startswith("sqlrisk: ")]
    assert len(said) == 1, done.err
    assert [word for word in words if word not in said[0]] == [], said[0]
    for unwanted in (MARKER, "Traceback", "unexpected"):
        assert unwanted not in done.err


# ---- killed: a later run removes what a dead one left, and nothing else
# ------------------------------------

STAGES = ("levels_k1", "records", "classes", "cells_t1", "saved.records", "saved.results")
SAVED = (*SCORE, "--temp-directory", "spill", "--save", "risk.duckdb", "-o", "risk.json")
COUNT = "SELECT count(*) AS n FROM records"
OUTPUTS = ["risk.duckdb", "risk.json", "risk.json.manifest.json"]


@pytest.mark.parametrize("stage", some(STAGES[-1:], STAGES))
def test_killed_in_any_stage_a_run_is_simply_run_again(
    folder: Path, made: Path, stage: str
) -> None:
    before = found(folder)
    (folder / "risk.json").write_text("old")
    with running(*SAVED, folder=folder) as run:
        run.reach(f"TABLE {stage} AS")
        assert run.stop(signal.SIGKILL).status == -signal.SIGKILL
    left = {name for name in found(folder) if name not in before}
    assert (folder / "risk.json").read_text() == "old"
    assert not {"risk.duckdb", "risk.json.manifest.json"} & left
    # one stands in for each output
    assert len([name for name in left if name.startswith(".sqlrisk-")]) == 3
    assert len(list((folder / "spill").iterdir())) == 1

    assert sqlrisk(*SAVED, folder=folder) == Done(0, "", "")
    assert found(folder) == sorted([*before, *OUTPUTS])
    assert agree(results(folder / "risk.json"), results(made / "wanted.json"))
    asked = sqlrisk("query", "risk.duckdb", COUNT, "--format", "csv", folder=folder)
    assert asked == Done(0, f"n\n{2 * RECORDS}\n", "")


def test_what_a_living_run_uses_stays(folder: Path, made: Path) -> None:
    with running(*SAVED, folder=folder) as run:
        run.reach("TABLE records AS")
        used = found(folder)
        assert sqlrisk(
            *SCORE, "--temp-directory", "spill", "-o", "other.json", folder=folder
        ) == Done(0, "", "")
        assert set(found(folder)) >= {*used, "other.json", "other.json.manifest.json"}
        assert run.end().status == 0
    assert list((folder / "spill").iterdir()) == []
    for name in ("risk.json", "other.json"):
        assert agree(results(folder / name), results(made / "wanted.json"))


def test_what_only_looks_like_ours_stays(folder: Path) -> None:
    spill, precious = folder / "spill", folder / "precious"
    for path in (spill / "sqlrisk-results", spill / "sqlrisk-abcdefgh", precious):
        path.mkdir()
        (path / "kept").touch()
    (precious / "sqlrisk.lock").touch()
    # as somebody may lay in a folder that all write to
    (spill / "sqlrisk-linked__").symlink_to(precious)
    (folder / ".sqlrisk-linked__.tmp.json").symlink_to(precious / "kept")
    (folder / ".sqlrisk-notes.json").touch()
    if os.geteuid() == 0:
        others = spill / "sqlrisk-another1"
        others.mkdir()
        (others / "sqlrisk.lock").touch()
        os.chown(others, 65534, 65534)
    before = found(folder)
    assert sqlrisk(*SCORE, "--temp-directory", "spill", "-o", "risk.json", folder=folder) == Done(
        0, "", ""
    )
    assert found(folder) == sorted([*before, "risk.json", "risk.json.manifest.json"])


@pytest.mark.parametrize("stage", few(["cells_t1", "levels_k1", "saved.records"]))
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_in_any_stage_leaves_nothing(
    folder: Path, number: signal.Signals, status: int, stage: str
) -> None:
    before = found(folder)
    with running(*SAVED, folder=folder) as run:
        run.reach(f"TABLE {stage} AS")
        done = run.stop(number)
    assert (done.status, done.out) == (status, "")
    assert "Traceback" not in done.err
    assert done.err.endswith("Interrupted.\n") == (number == signal.SIGINT)
    assert found(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "table", few(['saved."a b".results', 'saved."employer".records', 'saved."employer".cells_t1'])
)
def test_several_scenarios_are_saved_together_or_not_at_all(folder: Path, table: str) -> None:
    (folder / "scenarios.toml").write_text(
        f"original = {FILES[0]!r}\nsynthetic = {FILES[1]!r}\ntargets = ['ill']\n"
        "[scenario.'a b']\nkeys = ['age']\n[scenario.employer]\nkeys = ['age', 'region']\n"
    )
    before = found(folder)
    several = ("score", "--scenario", "scenarios.toml", *SAVED[len(SCORE) :])
    with running(*several, folder=folder) as run:
        run.reach(f"TABLE {table} AS")
        assert run.stop(signal.SIGINT).status == 130
    assert found(folder) == before
    assert sqlrisk(*several, folder=folder) == Done(0, "", "")
    assert found(folder) == sorted([*before, *OUTPUTS])
    asked = sqlrisk("query", "risk.duckdb#a b", COUNT, "--format", "csv", folder=folder)
    assert asked == Done(0, f"n\n{2 * RECORDS}\n", "")


def test_impatience_leaves_nothing(folder: Path) -> None:
    before = found(folder)
    # it may be interrupted as Python ends
    with running(*SAVED, folder=folder, under=("env",)) as run:
        run.reach("TABLE levels_k2 AS")
        for _ in range(2):
            run.send(signal.SIGINT)
        done = run.end()
    assert done.status in (130, -signal.SIGINT)  # a shell says 130 of both
    assert found(folder) == before


def test_nohup_is_heard(folder: Path) -> None:
    with running(*SAVED, folder=folder, under=("nohup",)) as run:
        run.reach("TABLE levels_k1 AS")
        assert run.stop(signal.SIGHUP).status == 0
    assert set(OUTPUTS) <= set(found(folder))


# ---- disks
# -------------------------------------------------------------------------------------------------


@pytest.fixture
def disk(folder: Path) -> Iterator[Callable[[str], Path]]:
    """A function that makes ``disk``, a disk of so many bytes, beside the files."""
    made = []

    def make(size: str) -> Path:
        made.append(small_disk(folder / "disk", size))
        return made[-1].__enter__()

    yield make
    for each in made:
        each.__exit__(None, None, None)


def write_all(path: Path) -> None:
    """Fill a disk."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(2**12))
        except OSError:
            pass


def test_too_small_a_disk_is_found_before_it_is_written_to(
    folder: Path, disk: Callable[[str], Path]
) -> None:
    disk("256k")
    records = 400_000  # more than may stay in so little memory
    pq.write_table(
        pa.table({"age": [i % 90 for i in range(records)], "ill": [i % 3 for i in range(records)]}),
        folder / "many.parquet",
    )
    limits = ("--memory-limit", "15MB", "--temp-directory", "disk")
    question = ("score", "many.parquet", "many.parquet", "--keys", "age", "--targets", "ill")
    with running(*question, *limits, "-o", "risk.json", folder=folder) as run:
        done = run.end()
    failed(
        done,
        3,
        "The run needs about 7.2 MB of disk in 'disk', where",
        "are free",
        "--temp-directory to a larger disk",
    )
    assert "TABLE levels_k1 AS" in done.err
    assert "TABLE records AS" not in done.err
    assert found(folder / "disk") == []
    assert "risk.json" not in found(folder)


def test_too_small_a_disk_for_a_csv_file(folder: Path, disk: Callable[[str], Path]) -> None:
    disk("64k")
    pa.csv.write_csv(people(1, 40_000), folder / "many.csv")
    done = sqlrisk(
        "score", "many.csv", FILES[1], *QUESTION, "--temp-directory", "disk", folder=folder
    )
    failed(done, 3, "The run needs about", "of disk in 'disk'")
    assert found(folder / "disk") == []


def test_too_small_a_disk_for_a_saved_run(folder: Path, disk: Callable[[str], Path]) -> None:
    """And the estimate is about right: no run is refused that has twice the room that it takes."""
    disk("512k")
    for seed, name in enumerate(FILES):
        pq.write_table(people(seed, 150_000), folder / name)
    done = sqlrisk(*SCORE, "--save", "disk/risk.duckdb", folder=folder)
    failed(done, 3, "The run needs about", "/disk', where", "are free", "save it elsewhere")
    assert found(folder / "disk") == []
    estimate = re.findall(r"about ([0-9.]+) MB", done.err)
    assert sqlrisk(*SCORE, "--save", "risk.duckdb", folder=folder).status == 0
    assert 0.5 < float(estimate[0]) * 10**6 / (folder / "risk.duckdb").stat().st_size < 2


@pytest.mark.slow
def test_a_disk_with_room_for_each_saved_run_and_not_for_all(
    folder: Path, disk: Callable[[str], Path]
) -> None:
    """The second is refused before it begins: the file needs room for both."""
    disk("7m")
    for seed, name in enumerate(FILES):
        pq.write_table(people(seed, 150_000), folder / name)
    (folder / "scenarios.toml").write_text(
        f"original = {FILES[0]!r}\nsynthetic = {FILES[1]!r}\nkeys = ['age', 'region']\n"
        "[scenario.neighbour]\ntargets = ['ill']\n[scenario.employer]\ntargets = ['income']\n"
    )
    one = ("score", "--scenario", "scenarios.toml", "--save", "disk/risk.duckdb")
    done = sqlrisk(*one, "--trace", folder=folder)
    assert done.status == 3, done.err
    assert re.search(r"needs about [0-9.]+ MB of disk in '.*/disk', where [0-9.]+ MB", done.err)
    assert done.err.count('TABLE saved."neighbour".classes AS') == 1
    assert 'TABLE saved."employer".classes AS' not in done.err
    assert found(folder / "disk") == []
    for name in ("neighbour", "employer"):
        alone = (*one[:2], f"scenarios.toml#{name}", *one[3:])
        assert sqlrisk(*alone, folder=folder).status == 0, name
        (folder / "disk/risk.duckdb").unlink()


@pytest.mark.parametrize("stage", few(["cells_t1", "levels_k1", "records", "saved.classes"], 4))
def test_a_disk_that_fills_up(folder: Path, disk: Callable[[str], Path], stage: str) -> None:
    disk("8m")
    before = found(folder)
    command = [{"spill": "disk"}.get(str(each), each) for each in SAVED]
    with running(*command, folder=folder) as run:
        run.reach(f"TABLE {stage} AS")
        write_all(folder / "disk" / "other")
        done = run.end()
    failed(done, 3, "disk", "--temp-directory")
    assert found(folder) == sorted([*before, "disk/other"])


@pytest.mark.parametrize(
    "output", few(["risk.json", "risk.csv", "risk.md", "risk.txt", "risk.html", "risk.parquet"])
)
def test_an_output_on_a_full_disk(folder: Path, disk: Callable[[str], Path], output: str) -> None:
    disk("32k")
    (folder / "disk" / output).write_text("old")
    write_all(folder / "disk" / "other")
    before = found(folder)
    failed(
        sqlrisk(*SCORE, "-o", f"disk/{output}", folder=folder),
        3,
        "The output 'disk/risk.",
        "cannot be written: No space left",
    )
    assert found(folder) == before
    assert (folder / "disk" / output).read_text() == "old"


ROWS_OF = [
    ("records", *FILES, *QUESTION, "-o", "disk/risk.csv"),
    ("records", *FILES, *QUESTION, "-o", "disk/risk.parquet"),
    ("protect", FILES[0], FILES[1], *QUESTION, "-o", "disk/safe.parquet"),
    ("sweep", *FILES, "--keys", "age,region", "--targets", "ill", "-o", "disk/rows.parquet"),
    ("uniques", FILES[0], "--keys", "age,region", "-o", "disk/uniques.csv"),
]


@pytest.mark.parametrize(
    "command",
    some(ROWS_OF[::3], ROWS_OF),
    ids=lambda command: "-".join((command[0], command[-1].partition(".")[2])),
)
def test_rows_on_a_full_disk(
    folder: Path, disk: Callable[[str], Path], command: tuple[str, ...]
) -> None:
    disk("16k")
    write_all(folder / "disk" / "other")
    if command[0] != "sweep":  # whose rows are few
        os.truncate(folder / "disk" / "other", 12 * 2**10)  # room for the beginning
    before = found(folder)
    failed(sqlrisk(*command, folder=folder), 3, "cannot be written")
    assert found(folder) == before


def test_a_temporary_folder_that_is_read_only(folder: Path, disk: Callable[[str], Path]) -> None:
    place = disk("1m")
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    before = found(folder)
    failed(
        sqlrisk(*SCORE, "--temp-directory", "disk", folder=folder),
        2,
        "No temporary folder",
        "'disk'",
        "Read-only",
    )
    failed(
        sqlrisk(*SCORE, "-o", "disk/risk.json", folder=folder),
        2,
        "'disk/risk.json' cannot be written",
        "Read-only",
    )
    assert found(folder) == before


@pytest.mark.slow
def test_a_quota(folder: Path) -> None:
    """No file grows beyond 64 KiB: what a quota does, with no rights of root."""
    before = found(folder)
    failed(
        sqlrisk(*SAVED, folder=folder, under=confined("small-files")), 3, "disk", "--temp-directory"
    )
    assert found(folder) == before


def test_too_little_memory_in_the_machine(folder: Path) -> None:
    before = found(folder)
    with running(*SAVED, folder=folder) as run:
        run.reach("TABLE levels_k1 AS")
        run.leave_memory(2**20)
        done = run.end()
    failed(done, 3, "memory", "--memory-limit")
    assert found(folder) == before


# ---- files that cannot be locked, or are in use
# ------------------------------------------------------------


@pytest.mark.slow
def test_a_folder_without_file_locks(folder: Path) -> None:
    assert sqlrisk(*SCORE, "--save", "risk.duckdb", folder=folder).status == 0
    before = found(folder)
    unlocked = confined("no-locks")
    done = sqlrisk(
        *SCORE, "--temp-directory", "spill", "-o", "risk.json", folder=folder, under=unlocked
    )
    failed(done, 2, "Files cannot be locked in the temporary folder 'spill'", "--temp-directory")
    assert found(folder) == before


HOLDER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "True")
print("open", flush=True)
for _ in sys.stdin:
    print(connection.execute(sys.argv[3]).fetchone()[0], flush=True)
"""


@contextmanager
def holding(path: Path, *, read_only: bool) -> Iterator[Callable[[], str]]:
    """Have another process open a database; the function asks it for COUNT."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(read_only), COUNT],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    asked, answers = process.stdin, process.stdout

    def answer() -> str:
        print(file=asked, flush=True)
        return answers.readline().strip()

    assert answers.readline() == "open\n"
    try:
        yield answer
    finally:
        process.communicate()


@pytest.mark.slow
def test_a_saved_run_is_read_by_several_at_once(folder: Path) -> None:
    assert sqlrisk(*SCORE, "--save", "risk.duckdb", folder=folder).status == 0
    ask = ("query", "risk.duckdb", COUNT, "--format", "csv")
    # The lock that a reader has is its process's: the other one has to be another.
    with holding(folder / "risk.duckdb", read_only=True) as answer:
        assert sqlrisk(*ask, folder=folder) == Done(0, f"n\n{2 * RECORDS}\n", "")
        # Saved once more, it is another file; who reads the old one goes on.
        assert (
            sqlrisk(
                "score", *FILES[:1], FILES[0], *QUESTION, "--save", "risk.duckdb", folder=folder
            ).status
            == 0
        )
        assert answer() == str(2 * RECORDS)
    with holding(folder / "risk.duckdb", read_only=False):
        failed(
            sqlrisk(*ask, folder=folder),
            2,
            "'risk.duckdb' cannot be opened",
            "another program is writing to it",
        )
    assert sqlrisk(*ask, folder=folder).status == 0


# ---- inputs that change under a run, and broken ones
# -------------------------------------------------------


def write_over(path: Path) -> None:
    pq.write_table(people(7, RECORDS + 1), path)


def write_over_unseen(path: Path) -> None:
    """Other records in a file of the same size and time: the footer alone tells."""
    was = path.stat()
    data = path.read_bytes()
    place = data.rindex(b"parquet-cpp-arrow")  # who wrote it, in the footer
    path.write_bytes(data[:place] + data[place : place + 7].upper() + data[place + 7 :])
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


CHANGES = [
    (write_over_unseen, "changed during the run"),
    (write_over, "changed during the run"),
    (cut, "changed during the run"),
    (os.utime, "changed during the run"),
    (os.remove, "was removed since the run began"),
]


@pytest.mark.parametrize(
    ("change", "message"), few(CHANGES, 2), ids=lambda each: getattr(each, "__name__", "")
)
@pytest.mark.parametrize("name", few(FILES))
def test_an_input_that_changes_during_the_run(
    folder: Path, name: str, change: Callable[[Path], None], message: str
) -> None:
    before = found(folder)
    with running(*SAVED, folder=folder) as run:
        run.reach("TABLE levels_k1 AS")
        change(folder / name)
        done = run.end()
    failed(done, 2, f"The input {name!r} {message}")
    assert set(found(folder)) | {name} == set(before)


WATCHING = [
    ("records", *FILES, *QUESTION, "-o", "risk.csv"),
    ("protect", FILES[0], FILES[1], *QUESTION, "-o", "safe.parquet"),
    ("sweep", *FILES, "--keys", "age,region", "--targets", "ill", "-o", "rows.parquet"),
    ("cells", "DiSCO", *FILES, *QUESTION),
    ("explain", "--record", "1", *FILES, *QUESTION),
]


@pytest.mark.parametrize("command", some(WATCHING[::3], WATCHING), ids=lambda command: command[0])
def test_every_command_watches_its_inputs(folder: Path, command: tuple[str, ...]) -> None:
    before = found(folder)
    with running(*command, folder=folder) as run:
        run.reach("levels_k1 AS")
        os.utime(folder / FILES[0])
        os.utime(folder / FILES[1])
        done = run.end()
    assert (done.status, done.out) == (2, "")
    assert "changed during the run" in done.err
    assert found(folder) == before


def test_a_csv_file_that_grows_during_the_run(folder: Path) -> None:
    pa.csv.write_csv(people(3), folder / "original.csv")
    before = found(folder)
    with running(
        "score", "original.csv", FILES[1], *QUESTION, "-o", "risk.json", folder=folder
    ) as run:
        run.reach("TABLE levels_k1 AS")
        with (folder / "original.csv").open("a") as file:
            file.write('1,"a","y",2\n')
        done = run.end()
    failed(done, 2, "The input 'original.csv' changed during the run")
    assert found(folder) == before


@pytest.mark.parametrize("share", [0.0001, 0.5, 0.9999])
@pytest.mark.parametrize("name", few(FILES))
def test_a_truncated_file(folder: Path, name: str, share: float) -> None:
    os.truncate(folder / name, max(1, int((folder / name).stat().st_size * share)))
    before = found(folder)
    failed(sqlrisk(*SAVED, folder=folder), 2, f"The Parquet {name!r} cannot be read: it is broken")
    assert found(folder) == before


FLIPS = """
import sys, traceback
from pathlib import Path
import sqlrisk

whole = Path("original.parquet").read_bytes()
for place in map(int, sys.argv[1:]):
    wrong = bytes([whole[place] ^ 1 << place % 8])
    Path("broken.parquet").write_bytes(whole[:place] + wrong + whole[place + 1:])
    try:
        # reads all columns, in a third of a score's time
        sqlrisk.uniques("broken.parquet", keys=["age", "region", "ill", "income"])
        print("read")
    except sqlrisk.InputError as error:
        print("refused", error)
        traceback.print_exc()
"""


@pytest.mark.slow
def test_flipped_bits(folder: Path) -> None:
    """Broken structure is refused by name; a bit of a value makes another value, which no reader
    can tell (guide, faults).
    """
    pq.write_table(people(0, 30), folder / FILES[0])  # so few that every kind of byte is met
    size = (folder / FILES[0]).stat().st_size
    footer = size - 8 - int.from_bytes((folder / FILES[0]).read_bytes()[-8:-4], "little")
    incomes = pq.ParquetFile(folder / FILES[0]).metadata.row_group(0).column(3)
    places = [
        *range(incomes.dictionary_page_offset + 25, incomes.data_page_offset, 3),
        *range(4, footer, footer // 30),
        *range(footer, size - 8, (size - footer) // 10),
        *range(size - 8, size),
    ]
    done = subprocess.run(
        [sys.executable, "-c", FLIPS, *map(str, places)],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout.splitlines()
    assert len(said) == len(places)
    assert [
        line
        for line in said
        if line != "read" and not ("refused" in line and "'broken.parquet'" in line)
    ] == []
    assert said[-8:].count("read") == 0  # the length of the footer, and the format's name
    assert 0 < said.count("read") < len(places) - 8
    assert [line for line in said if "its statistics do not match its values" in line]
    assert MARKER not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"5,{MARKER},y", ("line 4", "wrong number of fields", "3 instead of 4")),
        (f"5,{MARKER},y,1,{MARKER}", ("line 4", "wrong number of fields", "5 instead of 4")),
        (f'5,"{MARKER},y,1', ("line", "quote")),
        (f"5,{MARKER}\udcff,y,1", ("line 4", "not UTF-8")),
    ],
    ids=["short", "long", "quote", "encoding"],
)
def test_broken_csv(folder: Path, line: str, words: tuple[str, ...]) -> None:
    text = textwrap.dedent(f"""\
        age,region,ill,income
        3,a,y,2
        4,b,n,3
        {line}
        6,c,y,1
        """)
    (folder / "original.csv").write_bytes(text.encode(errors="surrogateescape"))
    before = found(folder)
    command = (
        "score",
        "original.csv",
        FILES[1],
        *QUESTION,
        "--temp-directory",
        "spill",
        "-o",
        "risk.json",
        "--trace",
    )
    failed(sqlrisk(*command, folder=folder), 2, "'original.csv'", *words)
    assert found(folder) == before
