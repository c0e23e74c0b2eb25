"""anonymeter's inference attack: python anonymeter_inference.py ORIGINAL SYNTHETIC KEYS TARGET
ATTACKS, in .venv-peers.

For each of a sample of people the nearest synthetic record gives its target level as the guess;
Gower's distance is over text the number of keys that differ. Prints how many guesses were right,
and the seconds of the attack alone.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator


def read(path: str, columns: list[str]) -> pd.DataFrame:
    """The columns as text; a missing value is a level, since NaN is as far from itself as from
    anything.
    """
    frame = pd.read_parquet(path, columns=columns)
    return frame.astype("string").fillna("missing").astype(object)


def main() -> None:
    """Attacks, and prints what came of it as JSON."""
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
