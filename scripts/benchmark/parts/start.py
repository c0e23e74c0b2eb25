"""`sqlrisk --help`, without heavy imports, and `sqlrisk score` of 5,000 records, 1 target."""

import statistics

from benchmark import jobs
from benchmark.figures import Figure, Findings
from benchmark.people import KEYS, TARGETS, make_pair
from benchmark.tables import tell

RECORDS = 5_000
BARS = {"sqlrisk --help": 0.14, "sqlrisk, 5,000 records": 0.6}  # seconds


def find(settings: jobs.Settings) -> Findings:
    """Time `--help` and a score. Print the help's heavy imports."""
    score = jobs.score(make_pair(RECORDS), KEYS, TARGETS[:1], RECORDS, jobs.limits(settings))
    help_text = jobs.Job([jobs.SQLRISK, "--help"], lambda _, printed: printed)
    costs = jobs.costs(
        jobs.measure(dict(zip(BARS, (help_text, score), strict=True)), settings.repeat)
    )
    imported = jobs.measure({"imports of sqlrisk --help": jobs.program("imports")}, 1)[
        "imports of sqlrisk --help"
    ].result
    if imported:
        tell(f"sqlrisk --help imports {', '.join(imported)}")
    walls = {name: statistics.median(cost.wall for cost in each) for name, each in costs.items()}
    return Findings(
        costs,
        figures=[
            *(
                Figure(f"wall clock, {name}", walls[name], bar, "{:.2f} s")
                for name, bar in BARS.items()
            ),
            Figure("heavy imports of sqlrisk --help", len(imported), 0, "{:.0f}"),
        ],
    )
