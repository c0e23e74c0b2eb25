"""The page of `sqlrisk score` for 142 targets: 150 columns, 5,000 records, 3 syntheses.

What is measured is the whole command, with its JSON result, and the bytes of the page.
"""

import statistics
from dataclasses import replace
from pathlib import Path

from benchmark import jobs
from benchmark.children import CACHE, FOLDER, warm, write
from benchmark.figures import Figure, Findings

RECORDS, SYNTHESES = 5_000, 3
KEYS = [f"key{place}" for place in range(1, 9)]
TARGETS = [f"target{place}" for place in range(1, 143)]
SECONDS, BYTES = 15.0, 1.5e6  # bars
NAME = "a page of 142 targets"


def find(settings: jobs.Settings) -> Findings:
    """Time the command and measure its page."""
    files = [make_file(number) for number in range(SYNTHESES + 1)]
    warm(files)
    score = jobs.score(
        files, KEYS, TARGETS, RECORDS, jobs.limits(settings), "-o", f"{FOLDER}/page.html"
    )
    sizes = []

    def read(folder: Path, printed: str) -> object:
        sizes.append((folder / "page.html").stat().st_size)
        return score.read(folder, printed)

    costs = jobs.costs(jobs.measure({NAME: replace(score, read=read)}, settings.repeat))
    wall = statistics.median(cost.wall for cost in costs[NAME])
    return Findings(
        costs,
        figures=[
            Figure(f"wall clock, {NAME}", wall, SECONDS, "{:.1f} s"),
            Figure(f"MB, {NAME}", max(sizes) / 1e6, BYTES / 1e6, "{:.2f}"),
        ],
    )


def make_file(number: int) -> Path:
    """Return the path of a file: the original (0) or a synthesis. Make it if it is missing.

    A target of 2 to 30 levels says in four of ten records what the first two keys say.
    """
    path = CACHE / "page-v1" / f"{number}.parquet"
    keys = [f"({_drawn(number, key)} % {2 + place % 3})::INTEGER" for place, key in enumerate(KEYS)]
    targets = []
    for place, target in enumerate(TARGETS):
        levels = 2 + place % 29
        at_random = f"{_drawn(number, target)} % {levels}"
        depends = f"{_drawn(number, 'depends on keys', target)} % 10 < 4"
        told = f"(3 * {KEYS[0]} + {KEYS[1]}) % {levels}"
        targets.append(f"(CASE WHEN {depends} THEN {told} ELSE {at_random} END)::INTEGER")
    columns = [*zip(keys, KEYS, strict=True), *zip(targets, TARGETS, strict=True)]
    drawn = ", ".join(f"{sql} AS {name}" for sql, name in columns)
    write(path, f"SELECT {drawn} FROM range({RECORDS}) AS records(i)")
    return path


def _drawn(number: int, *names: str) -> str:
    """Return an expression that draws a whole number for each record of a file."""
    return f"hash(i, {number}, {', '.join(map(repr, names))})"
