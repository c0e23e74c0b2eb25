"""`sqlrisk sweep` of a fiftieth of the records: all 255 subsets of 8 keys, 3 targets."""

import statistics

from benchmark import jobs
from benchmark.figures import Figure, Findings
from benchmark.people import KEYS, TARGETS, make_pair

SWEPT_KEYS, SWEPT_TARGETS = (*KEYS, *TARGETS[:2]), TARGETS[2:]


def find(settings: jobs.Settings) -> Findings:
    """Run the sweep."""
    records = max(settings.records // 50, 1)
    job = jobs.score(
        make_pair(records),
        SWEPT_KEYS,
        SWEPT_TARGETS,
        records,
        jobs.limits(settings),
        command="sweep",
    )
    costs = jobs.costs(jobs.measure({"sqlrisk, sweep": job}, settings.repeat))
    wall = statistics.median(cost.wall for cost in costs["sqlrisk, sweep"])
    return Findings(
        costs,
        figures=[
            Figure(f"wall clock, sweep of 255 subsets of {records:,}", wall, 60.0, "{:.0f} s")
        ],
    )
