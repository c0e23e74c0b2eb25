"""The time of each statement of `sqlrisk score`, 1 target and 5, by EXPLAIN ANALYZE in one run.

The plans, with each operator's time, stay in .bench/stages-1.txt and .bench/stages-5.txt.
Measuring them takes time, too.
"""

from benchmark import jobs
from benchmark.children import CACHE, warm
from benchmark.figures import Findings
from benchmark.people import KEYS, TARGETS, make_pair
from benchmark.tables import table

SHOWN = 12  # stages in the table, one line for the others


def find(settings: jobs.Settings) -> Findings:
    """Score 1 target, then all. Show the stages that take most time."""
    pair = make_pair(settings.records)
    warm(pair)
    rows = []
    for targets in (TARGETS[:1], TARGETS):
        plans = CACHE / f"stages-{len(targets)}.txt"
        memory = f"{settings.limit // 10**6}MB"
        arguments = [
            *map(str, pair),
            ",".join(KEYS),
            ",".join(targets),
            memory,
            str(settings.threads),
            str(plans),
        ]
        name = f"stages, {len(targets)} target{'s' * (len(targets) > 1)}"
        found = jobs.measure({name: jobs.program("stages", *arguments)}, 1)[name].result
        whole = sum(cpu for _, _, cpu in found)
        found.sort(key=lambda each: -each[2])
        rest = [sum(each[n] for each in found[SHOWN:]) for n in (1, 2)]
        for stage, wall, cpu in [*found[:SHOWN], ["all others", *rest]]:
            rows.append(
                [f"{name}: {stage}", f"{wall:.2f}", f"{cpu:.2f}", f"{100 * cpu / whole:.0f}"]
            )
    return Findings(texts=[table(["stage", "wall clock, s", "CPU, s", "% of CPU"], rows)])
