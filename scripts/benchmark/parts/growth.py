"""`sqlrisk score`, 1 target, of 1/10, 3/10, all and three times the records, under 2 GB.

Then six times the records under 400 MB, compared with six tenths under 2 GB. The difference is the
cost of a record that does not fit in memory. The files are made by arithmetic, so all figures are
known. The number of classes per record is equal at every size.
"""

from benchmark import jobs, known, results
from benchmark.children import CACHE, warm
from benchmark.figures import Bar, Figure, Findings

LIMIT, LITTLE = 2 * 10**9, 4 * 10**8
# Shares of the records, each with its limit.
SIZES = ((0.1, LIMIT), (0.3, LIMIT), (1, LIMIT), (3, LIMIT), (0.6, LIMIT), (6, LITTLE))
BARS = Bar("wall", 1.3), Bar("CPU", 1.05, 0.9)


def find(settings: jobs.Settings) -> Findings:
    """Run all sizes in turn."""
    shapes, limits, wanted = {}, {}, {}
    for size, limit in SIZES:
        shape = known.Shape(max(round(settings.records * size) // known.RECORDS, 1))
        name = f"growth, {shape.records:,} records at {limit / 10**9:g} GB"
        shapes[name], limits[name] = shape, limit
        pair = known.make_pair(shape, CACHE / f"known-{shape.records}-v{known.VERSION}")
        warm(pair)
        wanted[name] = jobs.score(
            pair, shape.keys, shape.names, shape.records, jobs.limits(settings, limit)
        )
    measured = jobs.measure(wanted, settings.repeat)
    for name, shape in shapes.items():
        results.agree_exactly(name, measured[name].result, shape.names[0], known.expected(shape, 0))
    least, _, _, most, some, many = shapes
    ratios = []
    for bar, ours, theirs in ((BARS[0], most, least), (BARS[1], many, some)):
        per = shapes[ours].records, shapes[theirs].records
        ratios.append(
            jobs.ratio(
                f"growth, per record: {per[0]:,} / {per[1]:,}", measured, ours, theirs, [bar], per
            )
        )
    return Findings(
        jobs.costs(measured),
        ratios,
        [
            Figure(
                f"greatest peak / limit, {name}",
                max(c.peak for c in each.costs) / limits[name],
                1.0,
                "{:.2f}x",
            )
            for name, each in measured.items()
        ],
    )
