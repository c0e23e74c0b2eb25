"""Two questions about the census files, one after the other: python questions.py. Prints the
seconds of each as a JSON list.
"""

import json
import time

import sqlrisk
from sqlrisk.common.resources import demo_folder

KEYS, TARGETS = "age,sex,race,marital_status,education", "income,major_occupation,country_birth"


def main() -> None:
    """Ask a Release for the default measures, and then for others."""
    files = [
        demo_folder() / f"{name}.parquet" for name in ("original", "cart_1", "cart_2", "cart_3")
    ]
    seconds = []
    with sqlrisk.Release(files[0], files[1:], keys=KEYS, targets=TARGETS) as release:
        for measures in (None, "CAP_at_least"):
            started = time.perf_counter()
            found = release.score(measures)
            seconds.append(time.perf_counter() - started)
            if found.original["records"] != 199_523:
                raise SystemExit("not all records were counted")
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
