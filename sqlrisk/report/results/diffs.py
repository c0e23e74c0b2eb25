"""Two reports side by side: which numbers changed, and which of them got worse."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlrisk.inputs.policy import PLACE
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms
from sqlrisk.report.report import Report
from sqlrisk.report.results.table import Table
from sqlrisk.report.wording import NOTHING, number, or_nothing, shown

COLUMNS = (*PLACE, "unit", "old", "new", "change", "outcome")
WORSE, BETTER, CHANGED, EQUAL, ONLY_OLD, ONLY_NEW = OUTCOMES = ("worse", "better", "changed", "equal", "only old", "only new")
HEADINGS = {
    WORSE: "Worse: more risk than before",
    BETTER: "Better: less risk than before",
    CHANGED: "Changed, neither better nor worse by itself",
    ONLY_OLD: "Only in the old result",
    ONLY_NEW: "Only in the new result",
}
# They choose which numbers there are, how far a search may go or what is flagged, and change no number that both results have.
CHOOSING = (
    *("measures", "targets", "populations", "by", "one_way", "two_way"),
    *("distributions", "trend", "work_limit", "confidence"),
)
PROGRAMS = ("version of sqlrisk", "engine")  # the same question, asked of another program
# How a measure's header begins where a higher number is more risk, or less.
RISKIER = ("more risk", "more people can be looked up")
SAFER = ("less risk", "more protection")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Diff(Table):
    """One row per number of either report, in the order of the new one; then what only the old one has.

    ``change`` is new - old. ``outcome`` is one of ``OUTCOMES``: ``changed`` for one that is neither better nor worse by
    itself, or of which one side is not defined. ``settings`` has what differs in the question, as (setting, old, new).
    """

    settings: list[tuple[str, object, object]] = field(default_factory=list)
    files: tuple[Row, Row] = ({}, {})

    @property
    def worse(self) -> list[dict[str, object]]:
        """The rows that got worse, as dicts."""
        return [row for row in (dict(zip(self.columns, each, strict=True)) for each in self.rows) if row["outcome"] == WORSE]

    @property
    def comparable(self) -> bool:
        """Whether the two questions differ in nothing that changes a number."""
        return all(name in (*CHOOSING, *PROGRAMS) for name, _, _ in self.settings)

    def _document(self) -> dict[str, object]:
        outcomes = [row[-1] for row in self.rows]
        return {
            "old": self.files[0],
            "new": self.files[1],
            "settings": [dict(zip(("setting", "old", "new"), each, strict=True)) for each in self.settings],
            "outcomes": {name: outcomes.count(name) for name in OUTCOMES},
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }


def diff(old: Report, new: Report) -> Diff:
    """Compare two reports number by number."""
    before = {_place(row): row for row in old.results}
    after = {_place(row): row for row in new.results}
    headers = {**old.headers, **new.headers}
    rows = [_compared(before.get(place), row, headers) for place, row in after.items()]
    rows += [_compared(row, None, headers) for place, row in before.items() if place not in after]
    settings = list(_settings(old, new))
    files = (_files(old), _files(new))
    found = Diff("diff", "diff", "Two releases compared", list(COLUMNS), rows, settings=settings, files=files)
    return replace(found, blocks=list(_blocks(found)))


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in PLACE)


def _compared(old: Row | None, new: Row | None, headers: Mapping[str, Row]) -> tuple[object, ...]:
    row = new if new is not None else old if old is not None else {}
    before, after = None if old is None else old["value"], None if new is None else new["value"]
    change = None if before is None or after is None else after - before
    return (*_place(row), row["unit"], before, after, change, _outcome(old, new, headers))


def _outcome(old: Row | None, new: Row | None, headers: Mapping[str, Row]) -> str:
    if old is None or new is None:
        return ONLY_NEW if old is None else ONLY_OLD
    before, after = old["value"], new["value"]
    if before is None or after is None:
        return EQUAL if before is after else CHANGED
    # Sums of ratios agree to 1e-12 whatever their order.
    if math.isclose(before, after, rel_tol=1e-11, abs_tol=1e-12):
        return EQUAL
    # Who was in no synthesis is not put at risk by it: a number of control says how the people differ.
    higher = "" if new["people"] == "control" else str(headers.get(new["measure"], {}).get("higher", ""))
    if higher.startswith(RISKIER):
        return WORSE if after > before else BETTER
    if higher.startswith(SAFER):
        return WORSE if after < before else BETTER
    return CHANGED


def _settings(old: Report, new: Report) -> Iterator[tuple[str, object, object]]:
    """Yield what differs in the question; the people themselves are a part of it, the synthetic files are not."""
    for name in dict.fromkeys((*old.scenario, *new.scenario)):
        before, after = old.scenario.get(name), new.scenario.get(name)
        if before != after:
            yield name, before, after
    if old.original.get("records") != new.original.get("records"):
        yield "records of the original", old.original.get("records"), new.original.get("records")
    if old.original.get("classes") != new.original.get("classes") and old.scenario.get("keys") == new.scenario.get("keys"):
        yield "classes of the original", old.original.get("classes"), new.original.get("classes")
    if len(old.synthetic) != len(new.synthetic):
        yield "synthetic files", len(old.synthetic), len(new.synthetic)
    for name, before, after in zip(PROGRAMS, _programs(old), _programs(new), strict=True):
        if before != after:
            yield name, before, after


def _programs(report: Report) -> tuple[str, str]:
    return report.version, f"{report.engine.get('name')} {report.engine.get('version')}"


def _files(report: Report) -> dict[str, object]:
    return {"original": report.original.get("source"), "synthetic": [each.get("source") for each in report.synthetic]}


def _blocks(found: Diff) -> Iterator[Block]:
    yield Heading(found.title, 1)
    sides = zip(("old", "new"), found.files, strict=True)
    yield Terms([(side, f"{shown(files['original'])}; {', '.join(map(shown, files['synthetic']))}") for side, files in sides])
    if found.settings:
        yield Heading("Differences in the question")
        yield Grid(
            [Column(name, label=True) for name in ("setting", "old", "new")],
            [[shown(name), _setting(old), _setting(new)] for name, old, new in found.settings],
        )
    if not found.comparable:
        yield Paragraph("Numbers of different questions do not compare: below, a change may come from the question alone.")
    outcomes = [str(row[-1]) for row in found.rows]
    yield Items([f"{outcomes.count(name):,} {name}" for name in OUTCOMES if name in outcomes])
    for outcome, heading in HEADINGS.items():
        if rows := [row for row in found.rows if row[-1] == outcome]:
            yield Heading(heading)
            yield _grid(rows)
    if not any(outcome == WORSE for outcome in outcomes):
        yield Paragraph("No number that both results have got worse.")


def _grid(rows: Sequence[tuple[object, ...]]) -> Grid:
    """Draw the rows with the labels in which they differ, and the numbers that are there."""
    places = [0, *(place for place in range(1, len(PLACE)) if len({row[place] for row in rows}) > 1)]
    numbers = [place for place in range(len(PLACE) + 1, len(COLUMNS) - 1) if any(row[place] is not None for row in rows)]
    columns = [Column(COLUMNS[place], label=True) for place in places] + [Column(COLUMNS[place]) for place in numbers]
    lines = [[*(_label(row[place]) for place in places), *(number(row[place]) for place in numbers)] for row in rows]
    return Grid(columns, lines)


def _label(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return or_nothing(value)


def _setting(value: object) -> str:
    if value in (None, [], {}, ()):
        return NOTHING
    if isinstance(value, list):
        return ", ".join(_setting(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{shown(name)}: {_setting(each)}" for name, each in value.items())
    return shown(value)
