"""Other commands, compared with `sqlrisk score` of 1 target.

  GCAP      `sqlrisk score --measures GCAP`: the nearest synthetic records of each person
  records   `sqlrisk records` under 2 GB: a row of Parquet for each person, in the file's order
  recoded   `sqlrisk score` with a recode of three keys that changes no class: the cost of recoding
  uniques   `sqlrisk uniques` of a tenth of the records: 63 sets of 6 keys, a row for each record

All but the last are of the large files.
"""

import statistics

from benchmark import jobs
from benchmark.children import warm
from benchmark.figures import Bar, Figure, Findings
from benchmark.people import KEYS, TARGETS, make_pair

# Bands of one year. "rare" merges nothing, because each level has at least 2 people.
RECODED = ("age.width=1", "occupation.rare=2", "ward.rare=2")
RECORDS_LIMIT = 2 * 10**9  # memory limit of `sqlrisk records` in bytes


def find(settings: jobs.Settings) -> Findings:
    """Run each command in turn with a score."""
    records, searched = settings.records, max(settings.records // 10, 1)
    pair, (of_uniques, _) = make_pair(records), make_pair(searched)
    warm([*pair, of_uniques])
    keys, limits = ["--keys", ",".join(KEYS)], jobs.limits(settings)
    recoded = [each for entry in RECODED for each in ("--column", entry)]
    people = [
        "records",
        *map(str, pair),
        *keys,
        "--targets",
        TARGETS[0],
        *jobs.limits(settings, RECORDS_LIMIT),
    ]
    measured = jobs.measure(
        {
            "sqlrisk, 1 target": jobs.score(pair, KEYS, TARGETS[:1], records, limits),
            "sqlrisk, GCAP": jobs.score(
                pair, KEYS, TARGETS[:1], records, limits, "--measures", "GCAP"
            ),
            "sqlrisk, 3 keys recoded": jobs.score(
                pair, KEYS, TARGETS[:1], records, limits, *recoded
            ),
            "sqlrisk, records": jobs.rows_of(people, "parquet", records),
            "sqlrisk, uniques": jobs.rows_of(
                ["uniques", str(of_uniques), *keys, *limits], "csv", searched
            ),
        },
        settings.repeat,
    )
    costs = jobs.costs(measured)
    peaks = {name: max(cost.peak for cost in each) for name, each in costs.items()}
    searches = statistics.median(cost.cpu for cost in costs["sqlrisk, uniques"])
    return Findings(
        costs,
        [
            jobs.ratio(
                "GCAP / score, 1 target",
                measured,
                "sqlrisk, GCAP",
                "sqlrisk, 1 target",
                [Bar("CPU", 2.5, 1.5)],
            ),
            jobs.ratio(
                "records / score, 1 target",
                measured,
                "sqlrisk, records",
                "sqlrisk, 1 target",
                [Bar("wall", 1.5)],
            ),
            jobs.ratio(
                "recoded / score, 1 target",
                measured,
                "sqlrisk, 3 keys recoded",
                "sqlrisk, 1 target",
                [Bar("CPU", 1.03)],
            ),
        ],
        [
            Figure(
                "greatest peak, GCAP / limit",
                peaks["sqlrisk, GCAP"] / settings.limit,
                1.0,
                "{:.2f}x",
            ),
            Figure(
                "greatest peak, records / limit",
                peaks["sqlrisk, records"] / RECORDS_LIMIT,
                1.0,
                "{:.2f}x",
            ),
            Figure(f"CPU, uniques of {searched:,}", searches, 30.0, "{:.1f} s"),
            Figure("greatest peak, uniques", peaks["sqlrisk, uniques"] / 1e9, 2.0, "{:.2f} GB"),
        ],
    )
