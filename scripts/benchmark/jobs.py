"""What the benchmark runs: commands of sqlrisk and programs of others, by turns, and that each
counts all of its records.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.children import FOLDER, Cost, Failed, apart, literal, run
from benchmark.figures import Bar, Ratio
from benchmark.tables import tell

SQLRISK = str(Path(sys.executable).parent / "sqlrisk")
PROGRAMS = Path(__file__).resolve().parent / "programs"


@dataclass(frozen=True)
class Settings:
    """What the user chose.

    Attributes:
        records: in each large file; every other size is in proportion.
        repeat: runs of each command.
        limit: memory of sqlrisk, in bytes, where a part has no limit of its own.
    """

    records: int
    repeat: int
    threads: int
    limit: int
    billion: bool = False
    only: str | None = None
    skewed: bool = False


@dataclass(frozen=True)
class Job:
    """One command, and what becomes of it.

    Attributes:
        read: its result, from its private folder and what it printed.
        counted: what the result says how many records there are, in each file.
        records: how many there must be.
        may_fail: its failure ends nothing but itself.
        most: how often it is run at most.
    """

    command: Sequence[str]
    read: Callable[[Path, str], Any]
    counted: Callable[[Any], Sequence[int]] = lambda _: ()
    records: int = 0
    may_fail: bool = False
    most: int = sys.maxsize


@dataclass
class Measured:
    """What the runs of one job cost, and the result of the last one; or why there is none."""

    costs: list[Cost] = field(default_factory=list)
    result: Any = None
    missing: str = ""


def measure(jobs: Mapping[str, Job], repeat: int) -> dict[str, Measured]:
    """Runs every job, by turns, `repeat` times.

    Raises SystemExit where one fails that may not, or did not count all of its records.
    """
    measured = {name: Measured() for name in jobs}
    for turn in range(1, repeat + 1):
        for name, job in jobs.items():
            each = measured[name]
            if turn > job.most or each.missing:
                continue
            try:
                cost, each.result = run(job.command, job.read)
            except Failed as failed:
                if not job.may_fail:
                    raise SystemExit(f"bench: {name} {failed}") from None
                each.missing = f"it {failed}"
                tell(f"{name}: {each.missing}")
                continue
            if set(counts := job.counted(each.result)) - {job.records}:
                raise SystemExit(f"bench: {name} counted {counts} records instead of {job.records}")
            each.costs.append(cost)
            tell(f"{turn}/{repeat} {name}: {cost}")
    return measured


def costs(measured: Mapping[str, Measured]) -> dict[str, list[Cost]]:
    """What each job cost that was run, by its name."""
    return {name: each.costs for name, each in measured.items() if each.costs}


def ratio(
    name: str,
    measured: Mapping[str, Measured],
    ours: str,
    theirs: str,
    bars: Sequence[Bar] = (),
    shares: tuple[float, float] = (1, 1),
    missing: str = "",
) -> Ratio:
    """What one job took over what another did, unless that is missing."""
    other = measured.get(theirs, Measured(missing=missing))
    return Ratio(name, measured[ours].costs, other.costs, bars, shares, other.missing)


# ---- sqlrisk


def limits(settings: Settings, limit: int | None = None) -> list[str]:
    """The options that bound a command; `limit` is the memory in bytes, where it is not that of the
    settings.
    """
    memory = f"{(limit or settings.limit) // 10**6}MB"
    return ["--threads", str(settings.threads), "--memory-limit", memory, "--quiet"]


def score(
    pair: Sequence[Path],
    keys: Sequence[str],
    targets: Sequence[str],
    records: int,
    options: Sequence[str],
    *more: str,
    command: str = "score",
    may_fail: bool = False,
) -> Job:
    """`sqlrisk score` (or `sweep`) of two files of that many records; its result is the report."""
    asked = ["--keys", ",".join(keys), "--targets", ",".join(targets)]
    return of_files(command, pair, records, asked, [*options, *more], may_fail=may_fail)


def of_files(
    command: str,
    pair: Sequence[Path],
    records: int,
    asked: Sequence[str],
    options: Sequence[str],
    *,
    may_fail: bool = False,
) -> Job:
    """A command of sqlrisk that compares two files of that many records; its result is what it
    wrote as JSON.
    """
    return Job(
        [
            SQLRISK,
            command,
            *map(str, pair),
            *asked,
            *options,
            "--temp-directory",
            FOLDER,
            "-o",
            f"{FOLDER}/risk.json",
        ],
        lambda folder, _: json.loads((folder / "risk.json").read_text()),
        lambda report: [
            report["original"]["records"],
            *(each["records"] for each in report["synthetic"]),
        ],
        records,
        may_fail,
    )


def rows_of(command: Sequence[str], form: str, records: int) -> Job:
    """A command of sqlrisk that writes a row for each record, as csv or parquet; its result is
    their number.
    """
    path = f"rows.{form}"

    def read(folder: Path, _: str) -> int:
        return apart(count_rows, folder / path)

    return Job([SQLRISK, *command, "-o", f"{FOLDER}/{path}"], read, lambda found: [found], records)


def count_rows(path: Path) -> int:
    """How many rows a CSV or Parquet file holds."""
    import duckdb

    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT count(*) FROM '{literal(path)}'").fetchone()
    return int(found[0]) if found else 0


# ---- others


def bare(
    pair: Sequence[Path], keys: Sequence[str], targets: Sequence[str], records: int, threads: int
) -> Job:
    """DuckDB's bare counting of the same columns, with all the memory it asks for: the hardest
    comparison for sqlrisk.
    """
    settings = [
        "SET enable_progress_bar = false",
        "SET preserve_insertion_order = false",
        f"SET threads = {threads}",
    ]
    queries = []
    for target in targets:
        for path in pair:
            count = (
                f"SELECT {', '.join(keys)}, {target}, count(*) AS n FROM '{literal(path)}' "
                "GROUP BY ALL"
            )
            queries.append(f"SELECT count(*) AS cells, sum(n)::BIGINT AS records FROM ({count})")
    return program(
        "bare",
        json.dumps(settings),
        json.dumps(queries),
        counted=lambda result: [n for _, n in result],
        records=records,
    )


def program(
    name: str,
    *arguments: str,
    python: Path | str = sys.executable,
    counted: Callable[[Any], Sequence[int]] = lambda _: (),
    records: int = 0,
    may_fail: bool = False,
    most: int = sys.maxsize,
) -> Job:
    """A program of this benchmark; its result is the JSON that it prints."""
    command = [str(python), str(PROGRAMS / f"{name}.py"), *arguments]
    return Job(command, lambda _, printed: json.loads(printed), counted, records, may_fail, most)
