"""Two questions to a `sqlrisk.Release` about the census files (5 keys, 3 targets): the second's
time compared with the first's.
"""

from benchmark import jobs
from benchmark.figures import Figure, Findings


def find(settings: jobs.Settings) -> Findings:
    """Ask both questions, and keep the fewest seconds of each."""
    runs = [
        jobs.measure({"two questions": jobs.program("questions")}, 1)["two questions"]
        for _ in range(settings.repeat)
    ]
    first, second = (min(seconds) for seconds in zip(*(run.result for run in runs), strict=True))
    costs = {"two questions": [cost for run in runs for cost in run.costs]}
    return Findings(
        costs,
        figures=[
            Figure(
                "the second question of a Release / its first, wall clock",
                second / first,
                0.33,
                "{:.2f}",
            )
        ],
    )
