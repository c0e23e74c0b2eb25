"""Estimate the number of population uniques from the class sizes of a sample, read from the
database.
"""

from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.statistics.uniques_models import pitman, snb, zayatz

SIZES = "SELECT n_records, CAST(SUM(n_classes) AS BIGINT) FROM class_counts GROUP BY n_records"


def read(share: float, session: Session) -> Rows:
    """Return a row for each model (Zayatz, Pitman, SNB).

    ``share`` is the sampling fraction: the share of the population that is in the original, above 0
    and at most 1. ``population`` and ``sample`` are numbers of people. ``population_uniques`` is
    the estimate, or None. ``note`` explains None or a special case, and is otherwise None.
    ``percent`` is the expected percentage of the ``sample_uniques`` that are population uniques.
    """
    frequencies = {int(size): int(classes) for size, classes in session.fetch(SIZES)}
    sample, uniques = (
        sum(size * classes for size, classes in frequencies.items()),
        frequencies.get(1, 0),
    )
    population = max(sample, round(sample / share))
    estimates = {
        "Zayatz": (
            zayatz(frequencies, population),
            "" if uniques else "Zayatz: no person of the sample is unique on the keys.",
        ),
        "Pitman": pitman(frequencies, population),
        "SNB": snb(frequencies, population),
    }
    return [
        {
            "model": model,
            "population": population,
            "sample": sample,
            "sample_uniques": uniques,
            "population_uniques": estimate,
        }
        | {
            "percent": 100 * estimate * sample / population / uniques
            if estimate is not None and uniques
            else None
        }
        | {"note": note or None}
        for model, (estimate, note) in estimates.items()
    ]
