"""anonymeter's inference attack: python anonymeter_inference.py ORIGINAL SYNTHETIC KEYS TARGET
ATTACKS, in .venv-peers.

For each person of a sample, the guess is the target level of the nearest synthetic record. For text
columns, Gower's distance is the number of keys that differ. Prints how many guesses were right and
how many seconds the attack took (reading the files excluded).
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator


def read(path: str, columns: list[str]) -> pd.DataFrame:
    """Read columns as text. A missing value becomes the level "missing", because NaN would differ
    from every value, even another NaN.
    """
    frame = pd.read_parquet(path, columns=columns)
    return frame.astype("string").fillna("missing").astype(object)


def main() -> None:
    """Run the attack and print its outcome as JSON."""
    original, synthetic, keys, target, attacks = sys.argv[1:]
    columns = [*keys.split(","), target]
    people, records = read(original, columns), read(synthetic, columns)
    np.random.seed(1)  # pandas draws its sample from numpy's own state
    started = time.perf_counter()
    evaluator = InferenceEvaluator(
        ori=people,
        syn=records,
        aux_cols=columns[:-1],
        secret=target,
        regression=False,
        n_attacks=int(attacks),
    )
    results = evaluator.evaluate(n_jobs=-1).results()
    seconds = time.perf_counter() - started
    print(
        json.dumps(
            {
                "right": int(results.n_success),
                "attacks": int(results.n_attacks_ori),
                "seconds": seconds,
            }
        )
    )


if __name__ == "__main__":
    main()
