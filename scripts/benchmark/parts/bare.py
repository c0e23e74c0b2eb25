"""`sqlrisk score` of two files against DuckDB's SELECT keys, target, count(*) GROUP BY ALL.

This runs with 1 target and with 5. With 5, DuckDB runs five pairs of queries one after the other in
one process. DuckDB may use all the memory it asks for. Its rows are counted as they arrive, neither
kept nor printed. No comparison is harder for sqlrisk.
"""

from benchmark import jobs
from benchmark.children import warm
from benchmark.figures import Bar, Figure, Findings
from benchmark.people import KEYS, TARGETS, make_pair

BARS = {"1 target": Bar("CPU", 1.4, 1.0), "5 targets": Bar("CPU", 0.75, 0.5)}


def find(settings: jobs.Settings) -> Findings:
    """Run sqlrisk and the bare queries, with 1 and with 5 targets."""
    pair, records = make_pair(settings.records), settings.records
    warm(pair)
    wanted: dict[str, jobs.Job] = {}
    for name, targets in (("1 target", TARGETS[:1]), ("5 targets", TARGETS)):
        wanted[f"bare, {name}"] = jobs.bare(pair, KEYS, targets, records, settings.threads)
        wanted[f"sqlrisk, {name}"] = jobs.score(pair, KEYS, targets, records, jobs.limits(settings))
    measured = jobs.measure(wanted, settings.repeat)
    findings = Findings(jobs.costs(measured))
    for name, bar in BARS.items():
        findings.ratios.append(
            jobs.ratio(
                f"bare GROUP BY, {name}", measured, f"sqlrisk, {name}", f"bare, {name}", [bar]
            )
        )
        peak = max(cost.peak for cost in measured[f"sqlrisk, {name}"].costs)
        findings.figures.append(
            Figure(f"greatest peak, {name} / limit", peak / settings.limit, 1.0, "{:.2f}x")
        )
    return findings
