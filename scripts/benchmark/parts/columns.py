"""`sqlrisk score` of 50 records with 150, 500, 1,000 and 10,000 columns, under 2 GB.

The keys and the target are 3 of these columns. The other columns are read once, to compare whole
rows. The cost of a column must not grow with the number of columns.
"""

import statistics
from pathlib import Path

from benchmark import jobs
from benchmark.children import CACHE, warm, write
from benchmark.figures import Bar, Figure, Findings

LIMIT = 2 * 10**9
RECORDS = 50
COLUMNS = (150, 500, 1_000, 10_000)
KEYS, TARGET = ("town", "age"), "ill"
BAR = Bar("CPU", 1.5)
SECONDS = {500: 1.0}  # of wall clock, as a bar


def find(settings: jobs.Settings) -> Findings:
    """Run all numbers of columns in turn."""
    names = {columns: f"{columns:,} columns" for columns in COLUMNS}
    wanted = {}
    for columns, name in names.items():
        pair = [make_file(columns, number) for number in (0, 1)]
        warm(pair)
        wanted[name] = jobs.score(pair, KEYS, [TARGET], RECORDS, jobs.limits(settings, LIMIT))
    measured = jobs.measure(wanted, settings.repeat)
    some, most = COLUMNS[-2:]
    ratio = f"columns, per column: {most:,} / {some:,}"
    return Findings(
        jobs.costs(measured),
        [jobs.ratio(ratio, measured, names[most], names[some], [BAR], (most, some))],
        [
            *(
                Figure(
                    f"greatest peak / limit, {name}",
                    max(cost.peak for cost in each.costs) / LIMIT,
                    1.0,
                    "{:.2f}x",
                )
                for name, each in measured.items()
            ),
            *(
                Figure(
                    f"wall clock, {names[columns]}",
                    statistics.median(cost.wall for cost in measured[names[columns]].costs),
                    bar,
                    "{:.2f} s",
                )
                for columns, bar in SECONDS.items()
            ),
        ],
    )


def make_file(columns: int, number: int) -> Path:
    """Return the path of a file with this many columns: the original (0) or a synthetic file. Make
    it if it is missing.
    """
    path = CACHE / "columns-v1" / f"{columns}-{number}.parquet"
    drawn = [f"hash(i, {column}, {number})" for column in range(columns)]
    asked = [
        f"['a', 'b', 'c'][1 + ({drawn[0]} % 3)::INTEGER] AS town",
        f"20 + ({drawn[1]} % 10)::INTEGER AS age",
        f"['y', 'n'][1 + ({drawn[2]} % 2)::INTEGER] AS ill",
    ]
    answers = [
        f"({each} % 3)::INTEGER AS q{place}" for place, each in enumerate(drawn[3:], start=1)
    ]
    write(path, f"SELECT {', '.join([*asked, *answers])} FROM range({RECORDS}) AS records(i)")
    return path
