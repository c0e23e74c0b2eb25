"""How the levels of each target are distributed in every file, read back from the engine."""

from typing import Any

from sqlrisk.analyses.level_names import level_names
from sqlrisk.analyses.session import Session
from sqlrisk.plan import result_queries
from sqlrisk.plan.layout import Layout

Rows = list[dict[str, Any]]
LEVELS = 10  # of a target, those with most people; the others are summed up


def read(layout: Layout, session: Session) -> Rows:
    """One row per target, level and file: ``records`` with the level, and ``percent`` of the file's.

    The last row of a file sums up all other levels where there are more than ``LEVELS``: ``rest`` is true, ``level`` None.
    """
    names = {0: "original"} | {each.members[0].number: each.label for each in layout.singles}
    rows: Rows = []
    for target in layout.targets:
        found = sorted(tuple(row) for row in session.fetch(result_queries.shares(layout, target, LEVELS)))
        levels = level_names(target, {code for _, _, code, *_ in found if code is not None}, session)
        for file, _, code, records, percent in found:
            if code is not None or records:
                about = {"target": target.name, "file": names.get(file, "control"), "level": levels.get(code)}
                rows.append({**about, "rest": code is None, "records": records, "percent": percent})
    return rows
