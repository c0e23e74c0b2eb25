"""`sqlrisk score`, 1 target, against an analyst's programs in polars (streaming) and pandas.

Each runs with a hundredth of the records, a tenth, and all of them. The programs are
programs/with_polars.py and programs/with_pandas.py. They must give the same numbers as sqlrisk, but
have no checks and no report.
"""

from benchmark import jobs, results
from benchmark.children import warm
from benchmark.figures import Bar, Findings
from benchmark.people import KEYS, TARGETS, make_pair

TARGET = TARGETS[0]
ALWAYS: dict[str, list[Bar]] = {"pandas": [Bar("wall", 1.0)], "polars": []}
OF_ALL = {"pandas": [Bar("wall", 1.0)], "polars": [Bar("CPU", 1.0), Bar("peak", 1 / 3)]}


def find(settings: jobs.Settings) -> Findings:
    """Run the three programs at each size."""
    findings = Findings()
    for part in (100, 10, 1):
        findings.add(
            _at(max(settings.records // part, 1), settings, OF_ALL if part == 1 else ALWAYS)
        )
    return findings


def _at(records: int, settings: jobs.Settings, bars: dict[str, list[Bar]]) -> Findings:
    pair = make_pair(records)
    warm(pair)
    sqlrisk = f"sqlrisk, {records:,} records"
    wanted = {sqlrisk: jobs.score(pair, KEYS, [TARGET], records, jobs.limits(settings))}
    for library in bars:
        arguments = [*map(str, pair), ",".join(KEYS), TARGET]
        wanted[f"{library}, {records:,} records"] = jobs.program(
            f"with_{library}", *arguments, may_fail=True
        )
    measured = jobs.measure(wanted, settings.repeat)
    findings = Findings(jobs.costs(measured))
    known = results.percents(measured[sqlrisk].result, TARGET)
    for library, of in bars.items():
        name = f"{library}, {records:,} records"
        if not measured[name].missing:
            results.agree(name, known, measured[name].result)
        findings.ratios.append(jobs.ratio(name, measured, sqlrisk, name, of))
    return findings
