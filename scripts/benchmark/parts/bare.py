"""`sqlrisk score` of two files against DuckDB's SELECT keys, target, count(*) GROUP BY ALL.

With 1 target, and with 5: then the bare queries are five pairs, one after the other, in one
process. The bare query has all the memory it asks for, and its rows are counted as they come,
neither kept nor printed. That is the hardest comparison for sqlrisk.
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
