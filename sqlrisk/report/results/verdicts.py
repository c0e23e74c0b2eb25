"""The verdicts of a policy on a report, for each rule and number, as text and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, Protocol

from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.inputs.policy import FAIL, NOT_ASSESSABLE, NUMBERS, PASS, PLACE, UNMET
from sqlrisk.report.blocks import Block, Cell, Grid, GridColumn, table
from sqlrisk.report.decision.margins import (
    UNEXCLUDED,
    as_told,
    by_rule,
    in_parts,
    margin_of,
    margin_told,
    nearest,
    number_told,
    of_limit,
    order,
    place_told,
    worst_of_rules,
)
from sqlrisk.report.prose import said
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import NOTHING, Row, shown, some, synthesis_name

COLUMNS = ("rule", "verdict", *PLACE, *NUMBERS, "reason", "exception")
_RULE: tuple[Cell[Row], ...] = (
    (GridColumn("verdict", label=True, judges=True), itemgetter("verdict")),
    cells.label("rule"),
)
NAMED = 3  # maximum number of failures in an error message
# default values, which are not shown
USUAL = {"at": None, "target": None, "synthesis": "1", "population": "all", "weighted": False}
EVERYBODY = ("population", "all")
_ABOUT = ("rule", "reason", "verdict", *(name for name in PLACE if name != "synthesis"))


class Judged(Protocol):
    """A result that was judged by a policy."""

    @property
    def policy(self) -> Mapping[str, Any]:
        """What `sqlrisk.inputs.judging.judge` returns. Empty if the result was not judged."""

    @property
    def version(self) -> str:
        """The version of sqlrisk that made the result."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of columns by name."""


@dataclass(frozen=True, repr=False)
class Verdicts(Table):
    """One row per rule and number. ``policy`` is as in a Report."""

    _kind: ClassVar = "check"
    _below: ClassVar = {"{self.title}": ()}
    policy: dict[str, Any] = field(default_factory=dict)
    version: str = ""

    @classmethod
    def of(cls, result: Judged) -> "Verdicts":
        """Return the verdicts of a judged result. Raises InputError if it was not judged."""
        policy = dict(result.policy)
        if not policy:
            raise InputError(
                "This report was not judged by a policy: score or check it with --policy "
                "(policy=...)."
            )
        columns = (*_scenario(policy["verdicts"]), *COLUMNS)
        # older reports have fewer columns
        rows = lines(columns, [dict.fromkeys(columns) | row for row in policy["verdicts"]])
        drawn = blocks(policy)
        title = f"Policy: {shown(policy['name'])}"
        return cls(
            "policy",
            policy["name"],
            title,
            list(columns),
            rows,
            drawn,
            labels=result.labels,
            policy=policy,
            version=result.version,
        )

    @property
    def verdict(self) -> str:
        """The worst of all verdicts: ``not assessable``, ``fail``, ``review`` or ``pass``."""
        return str(self.policy["verdict"])

    @property
    def failure(self) -> str:
        """One line: the policy is not met, and which numbers fail."""
        rows = self.policy["verdicts"]
        if void := [
            f"{row['reason'].removesuffix('.')} ({row['rule']})"
            for row in rows
            if row["verdict"] == NOT_ASSESSABLE
        ]:
            return (
                f"The policy {self.name!r} is not met, as this cannot be assessed: "
                f"{some(void, NAMED)}."
            )
        failed = [row for row in rows if row["verdict"] == FAIL]
        failed.sort(key=lambda row: -(of_limit(row) or 0))  # the worst is among those named
        broken = [f"{row['rule']} ({_whose(row)})" for row in failed]
        judged = sum(row["measure"] is not None for row in rows)
        numbers = f"{len(broken)} of {judged} numbers fail{'s' * (len(broken) == 1)}"
        return f"The policy {self.name!r} is not met: {numbers}: {some(broken, NAMED)}."

    @property
    def success(self) -> str:
        """One line: the policy is met, how many numbers need review, and which number decides."""
        verdicts = [row["verdict"] for row in self.policy["verdicts"]]
        passed, of = verdicts.count(PASS), len(verdicts)
        review = f"; {of - passed} for review" * (passed < of)
        near = ""
        if (row := nearest(self.policy)) is not None:
            near = f"; {place_told(row)}: {row['rule']} ({_whose(row)}, {margin_told(row)})"
        return f"Policy met, {passed} of {of}{review}{near}."

    def _document(self) -> dict[str, object]:
        return {"sqlrisk": self.version, **self._present("labels"), "policy": self.policy}


def _scenario(rows: Sequence[Row]) -> list[str]:
    """Return the name of the column for the scenario of each verdict, if there are several."""
    return ["scenario"] if any("scenario" in row for row in rows) else []


def require(result: Judged) -> None:
    """Raise PolicyError, which holds the result, if the result does not meet its policy."""
    if result.policy.get("verdict") in UNMET:
        raise PolicyError(Verdicts.of(result).failure, result)


def blocks(policy: Row, *, chapters: bool = False) -> list[Block]:
    """Return the verdicts as blocks: the worst number of each rule, the numbers that did not pass,
    and the reasons. Empty without a policy.

    With ``chapters``, the numbers that did not pass are left to the chapter of each scenario.
    """
    if not policy:
        return []
    rows = policy["verdicts"]
    numbers = [row for row in rows if row["measure"] is not None]
    excluded = [row for row in rows if row.get("excluded") is not None]
    rules = by_rule(policy)
    met = {
        rule: f"{sum(row['verdict'] == PASS for row in of)} of {len(of)}"
        for rule, of in rules.items()
    }
    excepted = ((row["rule"], row["exception"]) for row in rows if row["exception"] is not None)
    told = {
        **policy,
        "reasons": [*rules],
        "exceptions": [*dict.fromkeys(excepted)],
        "undefined": sum(
            (row["value"] is None or row["limit"] is None) and not row.get("hidden")
            for row in numbers
        ),
        "numbers": numbers,
        "adjusted": any(in_parts(row) for row in rows),
        "open": rows if excluded else [row for row in rows if row["verdict"] != PASS],
        "excluded": max((row["excluded"] for row in excluded), default=None),
        "chapters": chapters,
    }
    return said(
        "policy", told, rules=[_worst(worst_of_rules(policy), met)], open=[_open(told["open"])]
    )


def _worst(rows: Sequence[Row], met: Mapping[tuple[str, str], str]) -> Grid:
    """Draw the worst number of each rule, and how many numbers ``met`` the rule."""
    columns = [
        *_about(rows),
        (GridColumn("worst"), partial(number_told, "value")),
        (GridColumn("limit"), partial(number_told, "limit")),
        (GridColumn("margin"), partial(_margin_told, "")),
    ]
    if _excluding(rows):
        without = GridColumn("margin", above="without exclusions")
        columns.append((without, partial(_margin_told, UNEXCLUDED)))
    columns.append((GridColumn("met"), lambda row: met[row["rule"], row["reason"]]))
    return table(columns, rows)


def _open(numbers: Sequence[Row]) -> Grid:
    """Draw numbers with their limits, the worst first. Of the numbers that differ only in their
    synthesis (single files, pools, their mean) and share a verdict, draw the worst and how many
    there are. The column ``why`` says why a number needs review, or that it is excepted.
    """
    same: dict[tuple[object, ...], list[Row]] = {}
    for row in sorted(numbers, key=order):
        about = (row.get(name) for name in (*_ABOUT, "scenario"))
        same.setdefault((*about, _why(row)), []).append(row)
    rows = [each[0] for each in same.values()]
    counts = {id(each[0]): len(each) for each in same.values()}
    sides = ("value", "limit")
    columns = [*_about(rows), *((GridColumn(side), partial(number_told, side)) for side in sides)]
    if _excluding(rows):
        columns.append(cells.number("excluded", "percent not\ncounted", "percent"))
        columns += [
            (
                GridColumn(side, above="without exclusions"),
                partial(number_told, f"{side}{UNEXCLUDED}"),
            )
            for side in sides
        ]
    if len(rows) < len(numbers):
        columns.append((GridColumn("numbers"), lambda row: f"{counts[id(row)]:,}"))
    if any(map(_why, rows)):
        columns.append(cells.text("why", _why))
    return table(columns, rows)


def _about(rows: Sequence[Row]) -> list[Cell[Row] | None]:
    """Return the columns that say what each row is about: verdict, rule, scenario, number."""
    return [*_RULE, *map(cells.label, _scenario(rows)), _of(rows)]


def _excluding(rows: Sequence[Row]) -> bool:
    return any(row.get("excluded") is not None for row in rows)


def _of(rows: Sequence[Row]) -> Cell[Row] | None:
    """Return one column that describes each number by its fields (target, population and so on)
    that do not have the default value. None if all fields have it.

    A single column needs less width than a column for each field.
    """
    varying = [
        name for name, usual in USUAL.items() if any(row[name] not in (usual, None) for row in rows)
    ]

    def read(row: Row) -> str:
        told = [
            _label(name, row)
            for name in varying
            if row[name] not in (None, False) and (name, row[name]) != EVERYBODY
        ]
        return ", ".join(told) or (
            NOTHING if row["measure"] is None or varying != ["population"] else EVERYBODY[1]
        )

    return cells.text(varying[0] if len(varying) == 1 else "of", read) if varying else None


def _margin_told(side: str, row: Row) -> str:
    margin = margin_of(row, side)
    return NOTHING if margin is None or row.get("words", {}).get("value") else as_told(row, margin)


def _why(row: Row) -> str:
    """Return why a number needs review, or that it is excepted, or an empty text."""
    if row["measure"] is None or row["verdict"] == PASS:
        return ""
    if words := row.get("words", {}).get("verdict"):
        return str(words)
    if row["value"] is None or row["limit"] is None:
        return "not defined"
    return "excepted" if row["exception"] is not None else ""


def _whose(row: Row) -> str:
    """Return a short description of the number that failed. It names no population, because its
    name may contain a level of the data.
    """
    parts = [row.get("scenario"), row["target"], f"synthesis {row['synthesis']}"]
    whole = row.get("value_without_exclusions")
    beside = "" if whole is None else f"; {as_told(row, whole)} without exclusions"
    told = NOTHING if row["value"] is None else as_told(row, row["value"])
    return ", ".join(shown(part) for part in parts if part is not None) + f": {told}{beside}"


def _label(name: str, row: Row) -> str:
    value = row[name]
    words = {"weighted": "by weight", "synthesis": synthesis_name(value), "at": f"at {value}"}
    return words.get(name) or shown(value)
