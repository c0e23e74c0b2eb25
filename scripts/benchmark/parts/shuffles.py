"""Data that `sqlrisk.score` moves between Spark's workers, and an estimate for 10 billion records.

The runs use a hundredth of the records, a tenth, and all of them, each with several targets and
syntheses. Spark writes the bytes and rows of all shuffles into its event log, after compression.
Least squares fits three costs, in bytes per record of all files:
  first      one target and one synthesis
  target     each further target
  synthesis  each further synthesis, which has its own records

The extrapolation multiplies these costs by the records. It assumes that the number of classes and
cells per record stays as it is here, and numbers take no more bytes. The files here have 10
million records each and 11 million classes, nearly all of them rare. With fewer classes, workers
sum first and move less. The growth from one size to ten times that size shows if the assumption has
held so far.
"""

import tempfile
from dataclasses import dataclass
from itertools import pairwise
from math import log10
from pathlib import Path

import numpy as np

import sqlrisk
from benchmark import spark
from benchmark.children import CACHE
from benchmark.figures import Findings
from benchmark.jobs import Settings
from benchmark.people import KEYS, TARGETS, make_files
from benchmark.tables import table, tell

QUESTIONS = ((1, 1), (2, 1), (5, 1), (1, 2), (1, 3))  # targets, syntheses
SIZES = (100, 10, 1)  # parts of the records
FAR = 10**10  # records in all
FAR_TARGETS = (1, 5, 20)


@dataclass(frozen=True)
class Moved:
    """The shuffles of one score: its total records, targets and syntheses, and the bytes and rows
    written to shuffles.
    """

    records: int
    targets: int
    syntheses: int
    bytes: int
    rows: int

    @property
    def each(self) -> float:
        """The bytes per record."""
        return self.bytes / self.records


def options(settings: Settings, folder: Path) -> dict[str, str]:
    """Return the options of a session that logs into a folder, with memory for the largest size."""
    return spark.logging(folder) | {
        "spark.driver.memory": f"{max(settings.limit // 10**9, 4)}g",
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": str(4 * settings.threads),
    }


def shuffled(folder: Path) -> list[tuple[int, int]]:
    """Return the bytes and rows that each run of sqlrisk wrote to shuffles, in the order of the
    runs, from the event log in a folder.
    """
    group_of: dict[int, str] = {}
    sums: dict[str, list[int]] = {}
    for event in spark.events(folder):
        if event["Event"] == "SparkListenerJobStart":
            group_of |= dict.fromkeys(event["Stage IDs"], spark.group(event))
        elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            written = event["Task Metrics"]["Shuffle Write Metrics"]
            both = sums.setdefault(group_of[event["Stage ID"]], [0, 0])
            both[0] += written["Shuffle Bytes Written"]
            both[1] += written["Shuffle Records Written"]
    return [(size, rows) for group, (size, rows) in sums.items() if group.startswith("sqlrisk_")]


def measure(settings: Settings) -> list[Moved]:
    """Return the shuffles of each question at each size."""
    asked = [
        (max(settings.records // part, 1), *question) for part in SIZES for question in QUESTIONS
    ]
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="run-") as place:
        folder, master = Path(place), f"local[{settings.threads}]"
        with spark.opened(master, folder, options(settings, folder)) as session:
            for records, targets, syntheses in asked:
                tell(f"shuffles: {records:,} records, {targets} targets, {syntheses} syntheses")
                original, *others = map(str, make_files(records, syntheses))
                sqlrisk.score(
                    original,
                    others,
                    keys=list(KEYS),
                    targets=list(TARGETS[:targets]),
                    engine=session,
                )
        found = shuffled(folder)
    return [
        Moved(records * (1 + syntheses), targets, syntheses, *moved)
        for (records, targets, syntheses), moved in zip(asked, found, strict=True)
    ]


def fit(moved: list[Moved]) -> tuple[float, float, float]:
    """Return the fitted bytes per record: for the first target and synthesis, for each further
    target, and for each further synthesis.
    """
    known = np.array([[1.0, each.targets - 1, each.syntheses - 1] for each in moved])
    first, target, synthesis = np.linalg.lstsq(
        known, np.array([each.each for each in moved]), rcond=None
    )[0]
    return float(first), float(target), float(synthesis)


def find(settings: Settings) -> Findings:
    """Measure the shuffles, fit the bytes per record, and extrapolate."""
    moved = measure(settings)
    rows = [
        [f"{each.records:,}", str(each.targets), str(each.syntheses), f"{each.bytes / 1e6:,.1f}",
            f"{each.each:.1f}",
         f"{each.rows / each.records:.2f}"]
        for each in moved
    ]  # fmt: skip
    measured = table(
        [
            "records in all",
            "targets",
            "syntheses",
            "shuffles, MB",
            "bytes a record",
            "rows a record",
        ],
        rows,
    )
    sizes = [
        moved[start : start + len(QUESTIONS)] for start in range(0, len(moved), len(QUESTIONS))
    ]
    fits = [fit(each) for each in sizes]
    growths = [None, *(log10(more[0].bytes / fewer[0].bytes) for fewer, more in pairwise(sizes))]
    fitted = table(
        ["records in each file", "first", "target", "synthesis", "growth, power of records"],
        [
            [
                f"{each[0].records // 2:,}",
                *(f"{value:.1f}" for value in values),
                "" if power is None else f"{power:.2f}",
            ]
            for each, values, power in zip(sizes, fits, growths, strict=True)
        ],
    )
    first, target, _ = fits[-1]
    far = [
        [str(targets), f"{FAR * (first + target * (targets - 1)) / 1e12:.2f}"]
        for targets in FAR_TARGETS
    ]
    return Findings(
        texts=[measured, fitted, table([f"targets, {FAR:,} records in all", "shuffles, TB"], far)]
    )
