"""`sqlrisk score`, 1 target, of a tenth of the records, of three tenths, of all and of three times as many, under 2 GB.

The files are made by arithmetic, with as many classes for each record at every size, and every figure of them is known.
"""

from benchmark import jobs, known, results
from benchmark.children import CACHE, warm
from benchmark.figures import Bar, Figure, Findings

LIMIT = 2 * 10**9
SIZES = (0.1, 0.3, 1, 3)
BAR = Bar("wall", 1.3)


def find(settings: jobs.Settings) -> Findings:
    """Runs all sizes by turns."""
    shapes = {}
    for size in SIZES:
        shape = known.Shape(max(round(settings.records * size) // known.RECORDS, 1))
        shapes[f"growth, {shape.records:,} records"] = shape
    wanted = {}
    for name, shape in shapes.items():
        pair = known.make_pair(shape, CACHE / f"known-{shape.records}-v{known.VERSION}")
        warm(pair)
        wanted[name] = jobs.score(pair, shape.keys, shape.names, shape.records, jobs.limits(settings, LIMIT))
    measured = jobs.measure(wanted, settings.repeat)
    for name, shape in shapes.items():
        results.agree_exactly(name, measured[name].result, shape.names[0], known.expected(shape, 0))
    least, *_, most = shapes
    per = shapes[most].records, shapes[least].records
    return Findings(
        jobs.costs(measured),
        [jobs.ratio(f"growth, per record: {per[0]:,} / {per[1]:,}", measured, most, least, [BAR], per)],
        [
            Figure(
                f"greatest peak, {name.removeprefix('growth, ')} / 2 GB", max(c.peak for c in each.costs) / LIMIT, 1.0, "{:.2f}x"
            )
            for name, each in measured.items()
        ],
    )
