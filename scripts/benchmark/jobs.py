"""The jobs of the benchmark: commands of sqlrisk and other programs. They run in turn, and each
must count all records.
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
    """The user's settings of a benchmark.

    Attributes:
        records: the number of records in each large file. All other sizes are in proportion.
        repeat: the number of runs of each command.
        threads: the number of threads of sqlrisk and of the other programs.
        limit: the memory limit of sqlrisk in bytes, unless a part has its own limit.
        billion: True if the part `scale` runs only files of a billion records.
        only: the only pair of files of `scale`, or engine of `engines`, to run. None for all.
        skewed: True if one class holds half of the records in the part `engines`.
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
    """One command, and how to read its result.

    Attributes:
        read: returns the result, given the private folder and what was printed.
        counted: returns the number of records in each file, given the result.
        records: the number of records that each file must have.
        may_fail: True if the benchmark goes on after a failure.
        most: the maximum number of runs.
    """

    command: Sequence[str]
    read: Callable[[Path, str], Any]
    counted: Callable[[Any], Sequence[int]] = lambda _: ()
    records: int = 0
    may_fail: bool = False
    most: int = sys.maxsize


@dataclass
class Measured:
    """The costs of a job's runs and the last result. If the job could not run, ``missing`` holds
    the reason.
    """

    costs: list[Cost] = field(default_factory=list)
    result: Any = None
    missing: str = ""


def measure(jobs: Mapping[str, Job], repeat: int) -> dict[str, Measured]:
    """Run the jobs in turn, ``repeat`` times each, or fewer if a job's ``most`` says so.

    Raises SystemExit if a job fails without ``may_fail``, or if a job did not count all of its
    records.
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
    """Return the costs of each job that ran, by name."""
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
    """Return the ratio of two jobs. If the second job did not run, the ratio's ``missing`` has the
    reason.
    """
    other = measured.get(theirs, Measured(missing=missing))
    return Ratio(name, measured[ours].costs, other.costs, bars, shares, other.missing)


# ---- sqlrisk


def limits(settings: Settings, limit: int | None = None) -> list[str]:
    """Return the options that limit a command. ``limit`` is memory in bytes, by default the limit
    in the settings.
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
    """Return the job of `sqlrisk score` or `sweep` for two files. Its result is the report."""
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
    """Return the job of a command of sqlrisk that compares two files of ``records`` records. The
    job's result is the command's JSON output.
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
    """Return the job of a command of sqlrisk that writes a row for each record (``form``: csv or
    parquet). The job's result is the number of rows.
    """
    path = f"rows.{form}"

    def read(folder: Path, _: str) -> int:
        return apart(count_rows, folder / path)

    return Job([SQLRISK, *command, "-o", f"{FOLDER}/{path}"], read, lambda found: [found], records)


def count_rows(path: Path) -> int:
    """Return the number of rows in a CSV or Parquet file."""
    import duckdb

    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT count(*) FROM '{literal(path)}'").fetchone()
    return int(found[0]) if found else 0


# ---- others


def bare(
    pair: Sequence[Path], keys: Sequence[str], targets: Sequence[str], records: int, threads: int
) -> Job:
    """Return the job in which DuckDB only counts the same columns, without a memory limit. No
    comparison is harder for sqlrisk.
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
    """Return the job of a program in ``programs/``. The job's result is the JSON that the program
    prints.
    """
    command = [str(python), str(PROGRAMS / f"{name}.py"), *arguments]
    return Job(command, lambda _, printed: json.loads(printed), counted, records, may_fail, most)
