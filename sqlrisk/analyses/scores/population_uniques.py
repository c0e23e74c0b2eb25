"""How many of the population are alone with their keys, of the classes of a sample and its share:
read back from the engine.
"""

from sqlrisk.analyses.result_rows import Rows
from sqlrisk.analyses.session import Session
from sqlrisk.analyses.statistics.uniques_models import pitman, snb, zayatz

SIZES = "SELECT n_records, CAST(SUM(n_classes) AS BIGINT) FROM class_counts GROUP BY n_records"


def read(share: float, session: Session) -> Rows:
    """Read a row for each model; ``share`` of the population is in the original.

    ``population_uniques`` is the estimate, None where the model has none, with a ``note``;
    ``percent`` is how many of the ``sample_uniques`` it expects to be alone in the population, too.
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
            "" if uniques else "Zayatz: nobody of the sample is alone with their keys.",
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
