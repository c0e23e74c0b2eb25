"""Find the set of columns that reveals most about who was in the synthesis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlrisk.report.blocks import Block, Heading, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections import cells
from sqlrisk.report.sections.membership import auc_columns
from sqlrisk.report.wording import (
    Row,
    interval,
    listed,
    names,
    precise,
    representatives,
    shown,
    synthesis_name,
    varying,
)

HEADING = "Membership by set of columns"
ALL_SHARED = "all shared"
AREA = ("synthesis", "population", "columns", "auc", "auc_low", "auc_high")


def worst(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the row with the greatest AUC for each synthesis and population. In a returned row,
    ``sets`` is the number of sets of columns that were compared.

    A given row is about one set of columns. If it has a field ``sets``, it is about the worst of
    that number of sets. If rows tie, return the one with the least ``number``, or the first if they
    have no ``number``.
    """
    found: dict[tuple[object, object], dict[str, Any]] = {}
    for row in rows:
        place = row["synthesis"], row["population"]
        before = found.get(place)
        kept = row if before is None or _rank(row) > _rank(before) else before
        sets = row.get("sets", 1) + (0 if before is None else before["sets"])
        found[place] = {**kept, "sets": sets}
    return [*found.values()]


def _rank(row: Row) -> tuple[float, int]:
    return row["auc"], -row.get("number", 0)


def areas(scenarios: Mapping[str, Findings]) -> list[Row]:
    """Return a row for each scenario, synthesis and population with the AUC (area under the ROC
    curve) of membership that is computed from the scenario's keys.

    Then return the rows that are computed from all shared columns. They are the same for all
    scenarios, so each is returned once.
    """
    rows: list[Row] = []
    shared: dict[tuple[object, object], Row] = {}
    for name, report in scenarios.items():
        keys = listed(report.scenario["keys"])
        for row in (row for row in report.membership if row["score"] == "share"):
            area = {each: row[each] for each in AREA}
            if row["columns"] == ALL_SHARED:
                place = row["synthesis"], row["population"]
                shared.setdefault(place, {"scenario": None, "keys": None, **area})
            else:
                rows.append({"scenario": name, "keys": keys, **area})
    return [*rows, *shared.values()]


def worst_of(scenarios: Mapping[str, Findings]) -> list[Row]:
    """Return the row with the greatest AUC of several scenarios for each synthesis and population.
    Then return the rows that are computed from all shared columns.
    """
    rows = areas(scenarios)
    by_keys = [row for row in rows if row["columns"] != ALL_SHARED]
    return [*worst(by_keys), *worst(row for row in rows if row["columns"] == ALL_SHARED)]


def blocks(scenarios: Mapping[str, Findings]) -> Iterator[Block]:
    """Yield a table with the AUC of each set of columns, and a sentence that names the worst set.
    Yield nothing if no scenario asked for measures of membership.
    """
    rows = _shown(areas(scenarios))
    if not rows:
        return
    level = interval(next(iter(scenarios.values())).scenario)
    columns = [
        cells.text("columns", _name),
        *(cells.text("file", _file) for _ in varying(rows, ("synthesis",))),
        *map(cells.label, varying(rows, ("population",))),
        *auc_columns(level),
    ]
    yield Heading(HEADING)
    yield table(columns, rows)
    for row in _shown(worst_of(scenarios)):
        if row["columns"] != ALL_SHARED:
            keys = f"the keys of {shown(row['scenario'])} ({names(row['keys'])})"
            yield Paragraph(_sentence(row, keys, level))


def of_subsets(rows: Sequence[Row], scenario: Mapping[str, object]) -> Iterator[Block]:
    """Yield a sentence for each synthesis that names the worst subset of the keys."""
    told = _shown(rows)
    if told:
        yield Heading(HEADING)
    for row in told:
        yield Paragraph(_sentence(row, names(row["keys"]), interval(scenario)))


def _sentence(row: Row, keys: str, level: str) -> str:
    chosen = (
        f" It was chosen from {row['sets']:,} sets of keys after seeing the answers. So its number "
        "is too high, and more so with more sets. Its interval is valid only for a set chosen "
        "beforehand. Measure these keys again with other people, or with another draw of the "
        "synthesizer."
    )
    return (
        f"{_file(row)}: membership_AUC is highest by {keys}: {precise(row, 'auc', '.4f')} "
        f"({level} {precise(row, 'auc_low', '.4f')} to "
        f"{precise(row, 'auc_high', '.4f')}).{chosen if row['sets'] > 1 else ''}"
    )


def _shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the first population, for each name of syntheses its widest pool."""
    labels = representatives(str(row["synthesis"]) for row in rows)
    return [
        row
        for row in rows
        if row["population"] == rows[0]["population"] and row["synthesis"] in labels
    ]


def _name(row: Row) -> str:
    return "all shared columns" if row["scenario"] is None else shown(row["scenario"])


def _file(row: Row) -> str:
    return synthesis_name(row["synthesis"])
