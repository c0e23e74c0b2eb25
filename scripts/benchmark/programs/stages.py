"""Each stage of a score under EXPLAIN ANALYZE: python stages.py ORIGINAL SYNTHETIC KEYS TARGETS
MEMORY THREADS PLANS.

Writes the plans to the file PLANS, and prints the stages with their seconds of wall clock and CPU
as JSON.
"""

import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TextIO

from sqlrisk.analyses.scores.scoring import score
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.engines.engine import SqlRow
from sqlrisk.inputs.request import ask

MADE = re.compile(r"\A(?:CREATE (?:TEMPORARY )?TABLE|INSERT INTO) ([a-z]+(?:_[a-z]+)*)")


class Explained(DuckDB):
    """A session that runs each statement that makes a table under EXPLAIN ANALYZE."""

    def __init__(self, plans: TextIO, memory: str, threads: int) -> None:
        super().__init__(memory_limit=memory, threads=threads)
        self._plans = plans
        self.seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def run(self, sql: str) -> list[SqlRow]:
        """Run a statement. A statement that makes a table returns its plan, since nothing reads its
        rows.
        """
        made = MADE.match(sql)
        wall, cpu = time.perf_counter(), time.process_time()
        rows = super().run(f"EXPLAIN ANALYZE {sql}" if made else sql)
        took = time.perf_counter() - wall, time.process_time() - cpu
        if made:
            self._plans.write(f"{sql}\n\n{rows[0][1]}\n{took[0]:.3f} s, CPU {took[1]:.3f} s\n\n")
        if hasattr(self, "seconds"):  # not while it is being opened
            each = self.seconds[made[1] if made else "other statements"]
            each[0] += took[0]
            each[1] += took[1]
        return rows


def main() -> None:
    """Score, and print the seconds of each stage."""
    original, synthetic, keys, targets, memory, threads, plans = sys.argv[1:]
    question = ask(original, synthetic, {"keys": keys, "targets": targets})
    with Path(plans).open("w") as file, Explained(file, memory, int(threads)) as engine:
        score(question, Session(engine))
    print(json.dumps([[name, *took] for name, took in engine.seconds.items()]))


if __name__ == "__main__":
    main()
