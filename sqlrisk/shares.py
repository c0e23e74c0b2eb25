"""How the levels of each target are distributed in every file, read back from the engine."""

from typing import Any

from sqlrisk import plan
from sqlrisk.door import Door
from sqlrisk.layout import Layout
from sqlrisk.readout import level_names

Rows = list[dict[str, Any]]
LEVELS = 10  # of a target, those with most people; the others are summed up


def read(layout: Layout, door: Door) -> Rows:
    """One row per target, level and file: ``records`` with the level, and ``percent`` of the file's.

    The last row of a file sums up all other levels where there are more than ``LEVELS``: ``rest`` is true, ``level`` None.
    """
    names = {0: "original"} | {each.members[0].number: each.label for each in layout.singles}
    rows: Rows = []
    for target in layout.targets:
        found = [[int(number) for number in row] for row in door.ask(plan.shares(layout, target, LEVELS))]
        levels = level_names(target, {row[0] for row in found}, door)
        for place, file in enumerate(layout.files):
            counts = [(levels[row[0]], row[1 + 2 * place]) for row in found]
            total = found[0][2 + 2 * place]
            about = {"target": target.name, "file": names.get(file.number, "control")}
            rows += [about | _share(level, records, total) for level, records in counts]
            if others := total - sum(records for _, records in counts):
                rows.append(about | _share(None, others, total) | {"rest": True})
    return rows


def _share(level: str | None, records: int, total: int) -> dict[str, Any]:
    return {"level": level, "rest": False, "records": records, "percent": 100 * records / total if total else None}
