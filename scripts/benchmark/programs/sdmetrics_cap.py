"""A measure of SDMetrics: python sdmetrics_cap.py ORIGINAL SYNTHETIC KEYS TARGET NAME, in
.venv-peers.

NAME is CategoricalCAP or CategoricalGeneralizedCAP. Prints its score, and the seconds of the
measure, without its imports.
"""

import json
import sys
import time

import pandas as pd
from sdmetrics import single_table


def read(path: str, columns: list[str]) -> pd.DataFrame:
    """Read columns as text. A missing value becomes a level, since SDMetrics treats NaN as equal to
    nothing.
    """
    frame = pd.read_parquet(path, columns=columns)
    return frame.astype("string").fillna("missing").astype(object)


def main() -> None:
    """Compute the measure, and print it as JSON."""
    original, synthetic, keys, target, name = sys.argv[1:]
    columns = [*keys.split(","), target]
    people, records = read(original, columns), read(synthetic, columns)
    started = time.perf_counter()
    score = getattr(single_table, name).compute(
        real_data=people, synthetic_data=records, key_fields=columns[:-1], sensitive_fields=[target]
    )
    print(json.dumps({"score": score, "seconds": time.perf_counter() - started}))


if __name__ == "__main__":
    main()
