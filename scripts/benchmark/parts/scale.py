"""Files larger than memory: `sqlrisk score` under a memory limit. The right figures are known.

  records   ten times as many records as usual, 6 keys, 2 targets, 2 GB
  wide      a tenth of the records, 200 columns as targets, 2 GB
  key       enough records for 50 million levels of one key, 2 GB
  target    a target of 100,000 levels, 2 GB
  class     one class that holds half the records, 2 GB
  billion   with --billion, and nothing else: 100 times as many records, 6 keys, 1 target, 4 GB

Each pair of files is made for its run and removed after it. If the disk has no room for a run, the
benchmark skips the run and reports it.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmark import jobs, known, results
from benchmark.children import CACHE, Cost
from benchmark.figures import Findings
from benchmark.tables import table, tell

GB = 10**9
USUAL = 10_000_000  # records in each large file for which these sizes hold
LEVELS = 100_000
PERSONS = 50_000_000
COLUMNS = 200
# Bytes on disk, nearly twice what was measured: a value in a file, and in the run's folder a record
# and each further target of a record.
VALUE_BYTES, RECORD_BYTES, TARGET_BYTES = 0.5, 8, 2
# Bytes for a key with a level for each class: of a value in a file, of a level in the run's folder.
PERSON_BYTES, LEVEL_BYTES = 12, 60

COSTS = ("wall clock, s", "CPU, s", "peak, GB", "limit, GB", "files, GB", "folder, GB")
HEADER = ("case", "records", "classes", *COSTS, "bar, s", "verdict", "command")


@dataclass(frozen=True)
class Case:
    """A pair of files, with the maximum memory in bytes and the maximum seconds of scoring it."""

    shape: known.Shape
    limit: int = 2 * GB
    bar: float | None = None

    @property
    def files(self) -> int:
        """The approximate bytes of disk that the two files take."""
        keys = PERSON_BYTES if self.shape.person else VALUE_BYTES * len(self.shape.keys)
        return round(2 * self.shape.records * (keys + VALUE_BYTES * self.shape.targets))

    @property
    def needed(self) -> int:
        """The approximate bytes of disk that the files and the run take."""
        levels = LEVEL_BYTES * self.shape.classes if self.shape.person else 0
        return (
            self.files
            + levels
            + 2 * self.shape.records * (RECORD_BYTES + TARGET_BYTES * (self.shape.targets - 1))
        )


def cases(settings: jobs.Settings) -> dict[str, Case]:
    """Return the cases by name. Every size is in proportion to the records asked for."""

    def blocks(records: float, of: int = 1) -> int:
        """Return how many blocks have about this number of records: a multiple of ``of``."""
        return max(round(settings.records / USUAL * records / known.RECORDS / of), 1) * of

    if settings.billion:
        return {"billion": Case(known.Shape(blocks(1e9)), 4 * GB, 458)}
    levels = max(LEVELS * settings.records // USUAL, 8)
    levels += levels % len(known.LEVELS) == 0  # must not be a multiple of the block's
    return {
        "records": Case(known.Shape(blocks(1e8), targets=2), bar=120),
        "wide": Case(
            known.Shape(blocks(1e6), targets=max(COLUMNS * settings.records // USUAL, 3)), bar=80
        ),
        "key": Case(
            known.Shape(blocks(PERSONS / len(known.BLOCK) * known.RECORDS), person=True), bar=150
        ),
        "target": Case(known.Shape(blocks(1e7, levels), levels=levels)),
        "class": Case(known.Shape(blocks(1e7 / 2), half=True)),
    }


def find(settings: jobs.Settings) -> Findings:
    """Run each case once."""
    rows = []
    for name, case in cases(settings).items():
        if settings.only not in (None, name):
            continue
        again = "--billion" if settings.billion else f"--only {name}"
        sizes = [f"{case.shape.records:,}", f"{case.shape.classes:,}"]
        rows.append(
            [
                f"scale, {name}",
                *sizes,
                *_run(name, case, settings),
                f"sh scripts/bench scale {again}",
            ]
        )
    return Findings(texts=[table(HEADER, rows)])


def _run(name: str, case: Case, settings: jobs.Settings) -> list[str]:
    """Run a case, and return the rest of its row in the table."""
    CACHE.mkdir(exist_ok=True)
    free = shutil.disk_usage(CACHE).free
    bar = "" if case.bar is None else f"{case.bar:.0f}"
    unknown = ["", "", "", f"{case.limit / GB:.0f}", "", "", bar]
    if free < case.needed:
        why = f"not run: needs {case.needed / GB:.0f} GB of disk, {free / GB:.0f} GB are free"
        tell(f"scale, {name}: {why}")
        return [*unknown, why]
    shape = case.shape
    with _removed(CACHE / "scale") as folder:
        pair = known.make_pair(shape, folder)
        files = sum(path.stat().st_size for path in pair)
        tell(f"scale, {name}: {files / GB:.2f} GB of files")
        limits = jobs.limits(settings, case.limit)
        job = jobs.score(pair, shape.keys, shape.names, shape.records, limits, may_fail=True)
        measured = jobs.measure({f"scale, {name}": job}, 1)[f"scale, {name}"]
    if measured.missing:
        return [*unknown, f"failed: {measured.missing}"]
    for number, target in enumerate(shape.names):
        results.agree_exactly(name, measured.result, target, known.expected(shape, number))
    return [*_row(measured.costs[0], case.limit, files), bar, _verdict(measured.costs[0], case)]


def _row(cost: Cost, limit: int, files: int) -> list[str]:
    peaks = [
        f"{cost.peak / GB:.2f}",
        f"{limit / GB:.0f}",
        f"{files / GB:.2f}",
        f"{cost.disk / GB:.2f}",
    ]
    return [f"{cost.wall:.1f}", f"{cost.cpu:.1f}", *peaks]


def _verdict(cost: Cost, case: Case) -> str:
    """Return the verdict: whether the memory limit and the time bar were kept."""
    return (
        "met"
        if cost.peak <= case.limit and (case.bar is None or cost.wall <= case.bar)
        else "missed"
    )


@contextmanager
def _removed(folder: Path) -> Iterator[Path]:
    """Yield an empty folder and remove it afterwards, with anything that a killed run left in
    it.
    """
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
