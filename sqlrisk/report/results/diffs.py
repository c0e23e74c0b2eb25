"""A comparison of two results: the numbers that changed, and those that got worse."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar

from sqlrisk.catalogue.reasons import STATES
from sqlrisk.catalogue.utility import LESS, MORE
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.fields import CHOOSING
from sqlrisk.inputs.policy import PLACE
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading
from sqlrisk.report.declared import sense
from sqlrisk.report.findings import Useful, every_number
from sqlrisk.report.prose import said
from sqlrisk.report.report import Report
from sqlrisk.report.results.several_reports import Reports
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections.assessment import worst
from sqlrisk.report.spreads import Spreads
from sqlrisk.report.utility import Utility
from sqlrisk.report.wording import NOTHING, Row, number, or_nothing, shown

COLUMNS = (*PLACE, "unit", "old", "new", "change", "spread", "outcome")
OUTCOMES = ("worse", "better", "changed", "no difference", "equal", "only old", "only new")
WORSE, BETTER, CHANGED, WITHIN, EQUAL, ONLY_OLD, ONLY_NEW = OUTCOMES
HEADINGS = {
    WORSE: "Worse: {worse} than before",
    BETTER: "Better: {better} than before",
    CHANGED: "Changed, neither better nor worse by itself",
    ONLY_OLD: "Only in the old result",
    ONLY_NEW: "Only in the new result",
}
# labels that a row needs to be understood, even if all rows of its grid share them
ALWAYS = ("target", "population")
PARTS = ("scenario", "people")  # labels that have grids of their own
# Labels that tell why one result has more numbers, the most likely cause first.
CAUSES = ("scenario", "synthesis", "people", "population", "weighted", "target", "measure", "at")
NAMED = 6  # maximum number of labels of one kind that a grid names
# meaning of worse and better, for measures of risk and of utility
SENSES = {"worse": ("more risk", "less utility"), "better": ("less risk", "more utility")}
# Settings of utility and of several scenarios, which also only choose numbers.
OF_ONE_KIND = ("ways", "scenarios")
PROGRAMS = ("version of sqlrisk", "engine")  # the same question, run by other programs
# meanings of a higher number: in RISKIER it is worse, in SAFER better
RISKIER = ("more risk", "less protection", LESS)
SAFER = ("less risk", "more protection", MORE)


@dataclass(frozen=True, repr=False)
class Diff(Table):
    """One row per number of the new report, then one per number that only the old report has.

    ``change`` is new - old, None if a number is undefined. ``spread`` is how far numbers of one
    synthesizer differ by chance. It is None without a ``change``, or if neither report has two
    syntheses. ``outcome`` is ``worse``, ``better``, ``equal``, ``only old``, ``only new``, ``no
    difference`` (change within the spread or the tolerance), or ``changed`` if neither number is
    better or only one is defined.

    ``settings`` lists differences of the question as (setting, old, new). ``files`` has a dict for
    each report: its files, the state of their assessment, and the verdict. ``spread_known`` is True
    if any number has a spread. ``confidence`` is the confidence level of the spreads, the lowest of
    all scenarios.
    """

    settings: list[tuple[str, object, object]] = field(default_factory=list)
    spread_known: bool = False
    files: tuple[Row, Row] = ({}, {})
    confidence: float = 0.95
    _kind: ClassVar = "diff"
    _below: ClassVar = {"{self.title}": ()}

    @property
    def worse(self) -> list[dict[str, object]]:
        """The rows that got worse, as dicts."""
        return [row for row in self._objects() if row["outcome"] == WORSE]

    @property
    def less_assessable(self) -> bool:
        """True if the new files can be assessed less well than the old ones."""
        old, new = (STATES.index(str(side.get("assessment") or STATES[0])) for side in self.files)
        return new > old

    @property
    def comparable(self) -> bool:
        """True if no setting that affects a number differs."""
        # a setting of only some scenarios begins with the name of its scenario
        names = (name.rpartition(": ")[2] for name, _, _ in self.settings)
        return all(name in (*CHOOSING, *OF_ONE_KIND, *PROGRAMS) for name in names)

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of rows with each outcome."""
        return {name: sum(row[-1] == name for row in self.rows) for name in OUTCOMES}

    def _document(self) -> dict[str, object]:
        return {
            **self._present("labels"),
            "old": self.files[0],
            "new": self.files[1],
            "settings": [
                dict(zip(("setting", "old", "new"), each, strict=True)) for each in self.settings
            ],
            "outcomes": self.outcomes,
            "rows": self._objects(),
        }


def diff(
    old: Report | Reports | Utility, new: Report | Reports | Utility, tolerance: float = 0.0
) -> Diff:
    """Compare two results number by number. A change of at most ``tolerance``, in the number's
    unit, or within the spread counts as no difference.

    Scenarios are compared by name. Raises InputError if the results are of different kinds.
    """
    if isinstance(old, Utility) != isinstance(new, Utility):
        raise InputError(
            "A result of utility and one of risk have no number in common: compare two of one kind."
        )
    if isinstance(old, Reports) and isinstance(new, Reports):
        return _of_scenarios(old, new, tolerance)
    if isinstance(old, Reports) or isinstance(new, Reports):
        raise InputError(
            "One result is of several scenarios, the other of one: compare two of one kind."
        )
    rows, headers, spreads = _rows(old, new, tolerance)
    return _told(
        COLUMNS,
        rows,
        headers,
        [spreads],
        settings=_settings(old, new),
        files=(_files(old), _files(new)),
        labels={**old.labels, **new.labels},
    )


def _of_scenarios(old: Reports, new: Reports, tolerance: float) -> Diff:
    """Compare two results by scenario. The numbers of a scenario that only one result has are
    listed, too.
    """
    rows: list[tuple[object, ...]] = []
    headers: dict[str, Row] = {}
    settings: dict[str, list[tuple[str, object, object]]] = {}
    spreads: list[Spreads] = []
    for name in {**new, **old}:
        before, after = (side.get(name) for side in (old, new))
        if before is not None and after is not None:
            settings[name] = _settings(before, after)
        there = before or after
        nothing = None if there is None else replace(there, results=[], utility=None)
        found, own, spread = _rows(before or nothing, after or nothing, tolerance)  # type: ignore[arg-type]
        rows += [(name, *row) for row in found]
        headers = {**headers, **own}
        spreads.append(spread)
    shared = [
        each
        for each in next(iter(settings.values()), [])
        if all(each in own for own in settings.values())
    ]
    told: list[tuple[str, object, object]] = (
        [("scenarios", [*old], [*new])] if [*old] != [*new] else []
    )
    told += shared
    told += [
        (f"{name}: {each[0]}", *each[1:])
        for name, own in settings.items()
        for each in own
        if each not in shared
    ]
    files = tuple(
        {
            **_files(next(iter(side.values()))),
            "assessment": worst(assessed) if assessed else None,
            "verdict": side.policy.get("verdict"),
        }
        for side in (old, new)
        for assessed in [[row for report in side.values() for row in report.assessment]]
    )
    return _told(
        ("scenario", *COLUMNS),
        rows,
        headers,
        spreads,
        settings=told,
        files=(files[0], files[1]),
        labels={**old.labels, **new.labels},
    )


def _rows(
    old: Report | Utility, new: Report | Utility, tolerance: float
) -> tuple[list[tuple[object, ...]], dict[str, Row], Spreads]:
    """Return a row of ``COLUMNS`` for each number, the headers, and the spreads."""
    spreads = Spreads(map(_numbers, (old, new)), float(str(new.scenario.get("confidence", 0.95))))
    before, after = (
        {tuple(row[name] for name in PLACE): row for row in _numbers(report)}
        for report in (old, new)
    )
    headers = {**_headers(old), **_headers(new)}
    rows: list[tuple[object, ...]] = []
    for place in {**after, **before}:
        sides = before.get(place, {}), after.get(place, {})
        first, second = (side.get("value") for side in sides)
        change = None if first is None or second is None else second - first
        spread = None if change is None else spreads.between(sides[1])
        outcome = _outcome(*sides, headers, max(tolerance, spread or 0.0))
        rows.append(
            (*place, (sides[1] or sides[0])["unit"], first, second, change, spread, outcome)
        )
    return rows, headers, spreads


def _told(
    columns: Sequence[str],
    rows: list[tuple[object, ...]],
    headers: Mapping[str, Row],
    spreads: Sequence[Spreads],
    **about: Any,
) -> Diff:
    found = Diff(
        "diff",
        "diff",
        "Two releases compared",
        [*columns],
        rows,
        spread_known=any(each.known for each in spreads),
        confidence=min(each.confidence for each in spreads),
        **about,
    )
    heads = [GridColumn(name, label=True) for name in ("setting", "old", "new")]
    lines = [[shown(name), _setting(old), _setting(new)] for name, old, new in found.settings]
    numbers: list[Block] = []
    for outcome, heading in HEADINGS.items():
        if of_outcome := [row for row in rows if row[-1] == outcome]:
            measures = {str(row[columns.index("measure")]) for row in of_outcome}
            useful = {sense(headers.get(each, {})) in (LESS, MORE) for each in measures}
            said_of = {
                worse: " or ".join(words[each] for each in sorted(useful))
                for worse, words in SENSES.items()
            }
            numbers.append(Heading(heading.format_map(said_of)))
            if outcome in (ONLY_OLD, ONLY_NEW):
                other = [row for row in rows if row[-1] != outcome]
                numbers.append(_lacking(columns, of_outcome, other))
            else:
                numbers += _grids(columns, of_outcome, rows)
    settings = [Grid(heads, lines)]
    return replace(found, blocks=said("diff", found, settings=settings, numbers=numbers))


def _numbers(result: Report | Utility) -> Sequence[Row]:
    return result.results if isinstance(result, Utility) else every_number(result)


def _headers(result: Report | Utility) -> dict[str, Row]:
    beside = _beside(result)
    return {**result.headers, **(beside.headers if beside is not None else {})}


def _beside(result: Report | Utility) -> Useful | None:
    """Return the utility result of a report, if it has one."""
    return None if isinstance(result, Utility) else result.utility


def _outcome(old: Row, new: Row, headers: Mapping[str, Row], allowed: float) -> str:
    if not old or not new:
        return ONLY_OLD if old else ONLY_NEW
    before, after = old["value"], new["value"]
    if before is None or after is None:
        return EQUAL if before is after else CHANGED
    # sums of ratios agree to 1e-12 in any order
    if math.isclose(before, after, rel_tol=1e-11, abs_tol=1e-12):
        return EQUAL
    if abs(after - before) <= allowed or math.isclose(abs(after - before), allowed, rel_tol=1e-11):
        return WITHIN
    # No synthesis used the people of control, so none puts them at risk. Their numbers only show
    # how they differ from the people of the original.
    means = "" if new["people"] == "control" else sense(headers.get(new["measure"], {}))
    if means in RISKIER:
        return WORSE if after > before else BETTER
    if means in SAFER:
        return WORSE if after < before else BETTER
    return CHANGED


def _settings(old: Report | Utility, new: Report | Utility) -> list[tuple[str, object, object]]:
    """Return the differences of two questions as (setting, old, new). The files of people are part
    of the question. Of the synthetic files, only their number is.
    """
    same_keys = old.scenario.get("keys") == new.scenario.get("keys")
    counts = ["records", "classes"] if same_keys else ["records"]
    before, after = ({**report.scenario, **_asked(report, counts)} for report in (old, new))
    useful = [each.scenario for each in map(_beside, (old, new)) if each is not None]
    if len(useful) == 2:
        before["utility"], after["utility"] = (
            {name: scenario.get(name) for name in ("columns", "groups", "complete")}
            for scenario in useful
        )
    # What only one result has, such as control, adds numbers but changes none.
    names = {**old.scenario, **new.scenario, **{name: 0 for name in before if name in after}}
    pairs = [(name, before.get(name), after.get(name)) for name in names]
    # a setting that an older version lacks counts as not set
    return [each for each in pairs if (each[1] or None) != (each[2] or None)]


def _asked(report: Report | Utility, counts: Sequence[str]) -> dict[str, object]:
    """Return the ``counts`` of the files of people, the number of synthetic files, and the programs
    used.
    """
    people = {"the original": report.original}
    if isinstance(report, Report):
        people |= {"control": report.control or {}, "the universe": report.universe or {}}
    programs = report.version, f"{report.engine.get('name')} {report.engine.get('version')}"
    return {
        **{
            f"{name} of {whom}": file[name]
            for whom, file in people.items()
            for name in counts
            if name in file
        },
        "synthetic files": len(report.synthetic),
        **dict(zip(PROGRAMS, programs, strict=True)),
    }


def _files(report: Report | Utility) -> dict[str, object]:
    return {
        "original": report.original.get("source"),
        "synthetic": [each.get("source") for each in report.synthetic],
        "assessment": worst(report.assessment) if report.assessment else None,
        "verdict": report.policy.get("verdict"),
    }


def _lacking(
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    other: Sequence[tuple[object, ...]],
) -> Grid:
    """Count the rows that the other result lacks, by the labels that it lacks: a synthesis, a
    target, a measure. One label may be the cause of thousands of rows.
    """
    places = [columns.index(name) for name in CAUSES if name in columns]
    there = {place: {row[place] for row in other} for place in places}
    found: dict[int | None, Counter[str]] = {}
    for row in rows:
        place = next((each for each in places if row[each] not in there[each]), None)
        label = "" if place is None else _label(row[place])
        found.setdefault(place, Counter())[label] += 1
    heads = [GridColumn("label", label=True), GridColumn("which", label=True)]
    lines = []
    for place, own in found.items():
        cause = ("combination", NOTHING) if place is None else (columns[place], _first(own))
        lines.append([*cause, f"{own.total():,}"])
    return Grid([*heads, GridColumn("numbers")], lines)


def _first(labels: Collection[str]) -> str:
    """Return the first labels and the number of others."""
    more = len(labels) - NAMED
    return ", ".join([*islice(labels, NAMED), *([f"{more:,} more"] if more > 0 else [])])


def _grids(
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    every: Sequence[tuple[object, ...]],
) -> Iterator[Block]:
    """Draw a grid for each scenario and group of people, under its name if there are several."""
    heads = [
        columns.index(name)
        for name in PARTS
        if name in columns and len({row[columns.index(name)] for row in every}) > 1
    ]
    parts: dict[str, list[tuple[object, ...]]] = {}
    for row in rows:
        parts.setdefault(", ".join(shown(row[each]) for each in heads), []).append(row)
    for part, own in parts.items():
        yield from [Heading(part, 3)] if part else []
        yield _grid(columns, own, every)


def _grid(
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    every: Sequence[tuple[object, ...]],
) -> Grid:
    """Draw the rows, with only the labels in which they differ and the number columns that are not
    all empty. A label in ``ALWAYS`` is shown if it differs anywhere in the comparison (``every``
    has all its rows). A measure's point (``at``) stands behind its name.
    """
    unit, measure, at = map(columns.index, ("unit", "measure", "at"))
    places = [
        place
        for place in range(unit)
        if columns[place] not in ("measure", "at", *PARTS)
        and len({row[place] for row in (every if columns[place] in ALWAYS else rows)}) > 1
    ]
    numbers = [
        place
        for place in range(unit + 1, len(columns) - 1)
        if any(row[place] is not None for row in rows)
    ]
    heads = [GridColumn(columns[place], label=place in places) for place in (*places, *numbers)]
    return Grid(
        [GridColumn("measure", label=True), *heads],
        [
            [
                " ".join(str(row[place]) for place in (measure, at) if row[place] is not None),
                *(_label(row[place]) for place in places),
                *(_number(row[place], columns[place]) for place in numbers),
            ]
            for row in rows
        ],
    )


def _number(value: object, column: str) -> str:
    """Return a number, short enough for rows that fit a terminal. A large one has no exponent."""
    digits = 5 if column in ("old", "new") else 3
    if isinstance(value, int) or (isinstance(value, float) and abs(value) >= 10**digits):
        return f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"
    return number(value, f".{digits}g")


def _label(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else or_nothing(value)


def _setting(value: object) -> str:
    if value in (None, [], {}, ()):
        return NOTHING
    if isinstance(value, list):
        return ", ".join(_setting(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{shown(name)}: {_setting(each)}" for name, each in value.items())
    return shown(value)
