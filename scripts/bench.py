"""sqlrisk against DuckDB's bare counting of the same columns, in one run.

Makes two files of person-level records (6 keys, 5 targets; with 10 million records each, 11 million classes), once,
under .bench. Then runs whole commands as child processes, by turns, and prints what they cost beside the bars that
sqlrisk sets itself:

  1 target     `sqlrisk score` of both files; bare: SELECT keys, target, count(*) GROUP BY ALL of each file
  5 targets    the same with all targets; bare: five such pairs of queries, one after the other, in one process
  5,000        `sqlrisk score` of two files of 5,000 records, 1 target, start-up included
  records      `sqlrisk records` of both files under a limit of 2 GB: a row of Parquet for each person, in the order of the file
  GCAP         `sqlrisk score --measures GCAP` of both files, 1 target: the nearest synthetic records of each person
  uniques      `sqlrisk uniques` of 1 million records: all 63 sets of 6 keys, a row written for each record
  start-up     `sqlrisk --version`

CPU is user and system time of the whole process, start-up included; peak is its largest resident memory. A ratio is
made of the two medians. The bare query's rows are counted as they come, neither kept nor printed, and it has all the
memory it asks for: the hardest comparison for sqlrisk.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import pyarrow.parquet as pq

KEYS = ("sex", "age", "region", "occupation", "marital", "ward")
TARGETS = ("tenure", "income_band", "health", "workabroad", "education")
CACHE = Path(__file__).resolve().parent.parent / ".bench"
RECORDS_LIMIT = 2_000_000_000  # bytes, of `sqlrisk records`
SEARCHED = 1_000_000  # records in the file of `sqlrisk uniques`, at most
SQLRISK = str(Path(sys.executable).parent / "sqlrisk")
VERSION = 1  # of the records: change it with RECORDS_SQL, and cached files are made again

# Keys of 2 to 2,000 levels, skewed and correlated as people are, 2 % without an occupation; targets depend on them.
# The numbers come from a hash of the row, so the same rows come out whatever the number of threads.
RECORDS_SQL = """
WITH draws AS (SELECT {draws} FROM range({records}) AS row(i))
SELECT
    CASE WHEN u1 < 0.5 THEN 'M' ELSE 'F' END AS sex,
    16 + floor(u2 * u2 * 81)::INTEGER AS age,
    'Region ' || lpad(floor(u3 * u3 * 40)::INTEGER::VARCHAR, 2, '0') AS region,
    CASE WHEN u6 >= 0.02 THEN 'Occupation group ' || floor(u4 * u4 * u4 * 61)::INTEGER END AS occupation,
    ['Single', 'Married', 'Divorced', 'Widowed', 'Separated', 'Civil']
        [1 + floor(u5 * sqrt(u2) * 6)::INTEGER] AS marital,
    'Ward ' || (floor(u3 * u3 * 40)::INTEGER * 50 + floor(u6 * u6 * 50)::INTEGER) AS ward,
    'Tenure ' || floor((u5 * 0.7 + u8 * 0.3) * 7)::INTEGER AS tenure,
    'Band ' || floor((u4 * 0.6 + u7 * 0.4) * 21)::INTEGER AS income_band,
    floor(u9 * u4 * 11)::INTEGER AS health,
    CASE WHEN u10 > 0.9 THEN 'YES' ELSE 'NO' END AS workabroad,
    'Edu ' || floor((u2 * 0.5 + u9 * 0.5) * 10)::INTEGER AS education
FROM draws
"""

# A child process of its own: settings, then each query, its rows counted. Prints the counts.
BARE_PYTHON = """
import json, sys, duckdb
settings, queries = json.loads(sys.argv[1])
connection = duckdb.connect()
for setting in settings:
    connection.execute(setting)
print(json.dumps([connection.execute(query).fetchall()[0] for query in queries]))
"""


@dataclass(frozen=True)
class Cost:
    """What one child process took: seconds of wall clock, seconds of CPU, bytes at its peak."""

    wall: float
    cpu: float
    peak: int


@dataclass(frozen=True)
class Figure:
    """One line of the table: a name, the value measured, the bar, and how to print both."""

    name: str
    value: float
    bar: float
    form: str

    @property
    def verdict(self) -> str:
        """Whether the value stays within the bar."""
        return "met" if self.value <= self.bar else "missed"


def write_records(path: Path, records: int, seed: int) -> None:
    """Streams the same `records` rows for the same `seed` to a Parquet file, complete or not there at all."""
    import duckdb

    draws = ", ".join(f"hash((i * 2 + {seed}) * 16 + {n}) / 18446744073709551616.0 AS u{n}" for n in range(1, 11))
    query = RECORDS_SQL.format(draws=draws, records=records)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"COPY ({query}) TO '{literal(part)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 500000)")
    part.rename(path)


def literal(path: Path) -> str:
    """The path as the inside of an SQL text literal."""
    return str(path).replace("'", "''")


def make_pair(records: int) -> tuple[Path, Path]:
    """Paths of an original and a synthetic file of that many records each, made if they are not there yet."""
    folder = CACHE / f"{records}-v{VERSION}-duckdb{version('duckdb')}"
    folder.mkdir(parents=True, exist_ok=True)
    pair = folder / "original.parquet", folder / "synthetic.parquet"
    for seed, path in enumerate(pair):
        if not path.exists():
            tell(f"making {records:,} records: {path.relative_to(CACHE.parent)}")
            # In a process of its own: a child's peak counts from what its parent held, so this one stays small.
            maker = get_context("spawn").Process(target=write_records, args=(path, records, seed))
            maker.start()
            maker.join()
            if maker.exitcode != 0:
                raise SystemExit(f"bench: could not make {path}")
    return pair


def bare_command(pair: Sequence[Path], targets: Sequence[str], threads: int) -> list[str]:
    """The command that counts the same columns with DuckDB alone."""
    settings = ["SET enable_progress_bar = false", "SET preserve_insertion_order = false", f"SET threads = {threads}"]
    queries = []
    for target in targets:
        for path in pair:
            count = f"SELECT {', '.join(KEYS)}, {target}, count(*) AS n FROM '{literal(path)}' GROUP BY ALL"
            queries.append(f"SELECT count(*) AS cells, sum(n)::BIGINT AS records FROM ({count})")
    return [sys.executable, "-c", BARE_PYTHON, json.dumps([settings, queries])]


def score_command(pair: Sequence[Path], targets: Sequence[str], threads: int, memory: str) -> list[str]:
    """The whole `sqlrisk score` command; `{output}` stands for the file it writes."""
    command = [SQLRISK, "score", *map(str, pair)]
    command += ["--keys", ",".join(KEYS), "--targets", ",".join(targets)]
    return [*command, "--threads", str(threads), "--memory-limit", memory, "--no-progress", "-o", "{output}"]


def uniques_command(path: Path, threads: int, memory: str) -> list[str]:
    """The whole `sqlrisk uniques` command; `{rows}` stands for the file it writes."""
    command = [SQLRISK, "uniques", str(path), "--keys", ",".join(KEYS)]
    return [*command, "--threads", str(threads), "--memory-limit", memory, "--quiet", "-o", "{rows}"]


def records_command(pair: Sequence[Path], targets: Sequence[str], threads: int) -> list[str]:
    """The whole `sqlrisk records` command; `{table}` stands for the file it writes."""
    command = [SQLRISK, "records", *map(str, pair), "--keys", ",".join(KEYS), "--targets", ",".join(targets)]
    return [*command, "--threads", str(threads), "--memory-limit", f"{RECORDS_LIMIT // 10**6}MB", "--quiet", "-o", "{table}"]


def run(command: Sequence[str]) -> tuple[Cost, object]:
    """Runs one command to its end; what it cost, and the JSON it printed or wrote (None if neither), or the rows it wrote.

    Raises SystemExit when the command fails: its messages are on stderr already.
    """
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        output, rows, table = (Path(folder) / name for name in ("output.json", "rows.csv", "rows.parquet"))
        places = {"{output}": str(output), "{rows}": str(rows), "{table}": str(table)}
        arguments = [places.get(argument, argument) for argument in command]
        stdout = Path(folder) / "stdout"
        redirect = [(os.POSIX_SPAWN_OPEN, 1, str(stdout), os.O_WRONLY | os.O_CREAT, 0o600)]
        start = time.perf_counter()
        child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=redirect)
        try:
            _, status, usage = os.wait4(child, 0)
        except KeyboardInterrupt:
            os.wait4(child, 0)
            raise
        wall = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"bench: failed: {' '.join(arguments)}")
        text = (output if output.exists() else stdout).read_text()
        result: object = json.loads(text) if text.startswith(("{", "[")) else None
        if rows.exists():
            with rows.open("rb") as file:
                result = sum(1 for _ in file) - 1
        if table.exists():
            result = pq.read_metadata(table).num_rows
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak), result


def check(name: str, result: object, records: int) -> None:
    """Raises SystemExit if a run did not count all records: a fast wrong answer is no benchmark."""
    counts: list[int] = []
    if isinstance(result, dict):
        counts = [result["original"]["records"], *(one["records"] for one in result["synthetic"])]
    elif isinstance(result, list):
        counts = [query[1] for query in result]
    elif isinstance(result, int):
        counts = [result]
    if set(counts) - {records}:
        raise SystemExit(f"bench: {name} counted {counts} records instead of {records}")


def tell(message: str) -> None:
    """Progress goes to stderr; stdout holds the tables."""
    print(f"bench: {message}", file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns, numbers to the right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [("-" * width if n == 0 else "-" * (width - 1) + ":") for n, width in enumerate(widths)]
    return "\n".join(line(cells) for cells in [header, rule, *rows])


def spread(values: Sequence[float], form: str = "{:.2f}") -> str:
    """Median, and in brackets the least and the greatest."""
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}-{form.format(max(values))})"


def parse_options() -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(
        prog="sh scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cores = os.cpu_count() or 1
    parser.add_argument("--records", type=int, default=10_000_000, metavar="N", help="in each large file (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each command (%(default)s)")
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help="of both sides (all: %(default)s)")
    parser.add_argument(
        "--memory-limit", type=float, default=1.0, metavar="GB", help="of sqlrisk, in units of 10^9 bytes (%(default)s)"
    )
    options = parser.parse_args()
    if min(options.records, options.repeat, options.threads, options.memory_limit) <= 0:
        parser.error("every option takes a positive number")
    return options


def measure(commands: dict[str, tuple[list[str], int]], repeat: int) -> dict[str, list[Cost]]:
    """Runs every command, by turns, `repeat` times: {name: costs}. A command comes with the records it must count."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(1, repeat + 1):
        for name, (command, records) in commands.items():
            cost, result = run(command)
            check(name, result, records)
            costs[name].append(cost)
            took = f"{cost.wall:.2f} s, CPU {cost.cpu:.2f} s, peak {cost.peak / 1e9:.2f} GB"
            tell(f"{turn}/{repeat} {name}: {took}")
    return costs


def compare(costs: dict[str, list[Cost]], limit: float) -> list[Figure]:
    """The figures that have a bar; `limit` is the memory limit in bytes."""
    figures = []
    for targets, bar in (("1 target", 1.8), ("5 targets", 1.15)):
        ours, bare = (statistics.median(c.cpu for c in costs[f"{who}, {targets}"]) for who in ("sqlrisk", "bare"))
        figures.append(Figure(f"CPU, {targets}: sqlrisk / bare", ours / bare, bar, "{:.2f}x"))
    small = statistics.median(cost.wall for cost in costs["sqlrisk, 5,000 records"])
    figures.append(Figure("wall clock, 5,000 records", small, 1.0, "{:.2f} s"))
    for targets in ("1 target", "5 targets"):
        peak = max(cost.peak for cost in costs[f"sqlrisk, {targets}"])
        figures.append(Figure(f"greatest peak, {targets} / limit", peak / limit, 1.0, "{:.2f}x"))
    found, scored = costs["sqlrisk, GCAP"], costs["sqlrisk, 1 target"]
    ratio = statistics.median(cost.cpu for cost in found) / statistics.median(cost.cpu for cost in scored)
    figures.append(Figure("CPU, GCAP / score, 1 target", ratio, 5.0, "{:.2f}x"))
    figures.append(Figure("greatest peak, GCAP / limit", max(cost.peak for cost in found) / limit, 1.0, "{:.2f}x"))
    walls = [statistics.median(cost.wall for cost in costs[f"sqlrisk, {name}"]) for name in ("records", "1 target")]
    figures.append(Figure("wall clock, records / score, 1 target", walls[0] / walls[1], 2.0, "{:.2f}x"))
    peak = max(cost.peak for cost in costs["sqlrisk, records"])
    figures.append(Figure("greatest peak, records / limit", peak / RECORDS_LIMIT, 1.0, "{:.2f}x"))
    found = costs["sqlrisk, uniques"]
    figures.append(Figure("CPU, uniques of 1 million", statistics.median(cost.cpu for cost in found), 30.0, "{:.1f} s"))
    figures.append(Figure("greatest peak, uniques", max(cost.peak for cost in found) / 1e9, 2.0, "{:.2f} GB"))
    return figures


def main() -> None:
    """Makes the records, runs the commands by turns, prints two tables: what each took, and the bars."""
    options = parse_options()
    threads, memory = options.threads, f"{round(options.memory_limit * 1000)}MB"
    large, small = make_pair(options.records), make_pair(5000)
    looked_at = min(SEARCHED, options.records)
    searched, _ = make_pair(looked_at)
    for path in (*large, searched):
        with path.open("rb") as file:  # so that the first command does not pay for a cold disk
            while file.read(1 << 20):
                pass
    commands: dict[str, tuple[list[str], int]] = {}
    for name, targets in (("1 target", TARGETS[:1]), ("5 targets", TARGETS)):
        commands[f"bare, {name}"] = bare_command(large, targets, threads), options.records
        commands[f"sqlrisk, {name}"] = score_command(large, targets, threads, memory), options.records
    commands["sqlrisk, GCAP"] = [*score_command(large, TARGETS[:1], threads, memory), "--measures", "GCAP"], options.records
    commands["sqlrisk, records"] = records_command(large, TARGETS[:1], threads), options.records
    commands["sqlrisk, 5,000 records"] = score_command(small, TARGETS[:1], threads, memory), 5000
    commands["sqlrisk, uniques"] = uniques_command(searched, threads, memory), looked_at
    commands["sqlrisk, start-up"] = [SQLRISK, "--version"], 0
    costs = measure(commands, options.repeat)

    versions = f"DuckDB {version('duckdb')}, Python {platform.python_version()}"
    print(f"{options.records:,} + {options.records:,} records; {threads} threads; sqlrisk's limit {memory}; {versions}")
    print(f"median (least-greatest) of {options.repeat}\n")
    rows = [
        [name, spread([c.wall for c in each]), spread([c.cpu for c in each]), spread([c.peak / 1e9 for c in each])]
        for name, each in costs.items()
    ]
    print(table(["command", "wall clock, s", "CPU, s", "peak, GB"], rows), end="\n\n")
    rows = [
        [figure.name, figure.form.format(figure.value), figure.form.format(figure.bar), figure.verdict]
        for figure in compare(costs, options.memory_limit * 1e9)
    ]
    print(table(["figure", "measured", "bar", "verdict"], rows))
    if options.records != 10_000_000:
        print("\nThe bars are set for 10,000,000 records.")


if __name__ == "__main__":
    main()
