"""The verdicts of a policy on a report, for each rule and number, as text and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol

from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.inputs.policy import FAIL, NOT_ASSESSABLE, NUMBERS, PASS, PLACE, UNMET, VERDICTS
from sqlrisk.report.blocks import Block, Cell, Grid, GridColumn, table
from sqlrisk.report.decision.margins import (
    WITHOUT,
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
from sqlrisk.report.wording import (
    NOTHING,
    Row,
    shown,
    synthesis_name,
)

COLUMNS = ("rule", "verdict", *PLACE, *NUMBERS, "reason", "exception")
_RULE: tuple[Cell[Row], ...] = (
    (GridColumn("verdict", label=True, judges=True), lambda row: row["verdict"]),
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
        """What `judge` returns. Empty if the result was not judged."""

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
        columns = (*(each.name for each in _scenario(policy["verdicts"])), *COLUMNS)
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
        found = [
            (row["reason"].removesuffix("."), row["rule"])
            for row in self.policy["verdicts"]
            if row["verdict"] == NOT_ASSESSABLE
        ]
        if void := [f"{reason} ({rule})" for reason, rule in found]:
            more = f" and {len(void) - NAMED} more" if len(void) > NAMED else ""
            return (
                f"The policy {self.name!r} is not met, as this cannot be assessed: "
                f"{'; '.join(void[:NAMED])}{more}."
            )
        failed = [row for row in self.policy["verdicts"] if row["verdict"] == FAIL]
        failed.sort(key=lambda row: -(of_limit(row) or 0))  # the worst is among those named
        broken = [f"{row['rule']} ({_whose(row)})" for row in failed]
        more = f" and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
        judged = sum(row["measure"] is not None for row in self.policy["verdicts"])
        numbers = f"{len(broken)} of {judged} numbers fail{'s' * (len(broken) == 1)}"
        return f"The policy {self.name!r} is not met: {numbers}: {'; '.join(broken[:NAMED])}{more}."

    @property
    def success(self) -> str:
        """One line: the policy is met, how many numbers need review, and which number decides."""
        passed, of = (
            sum(row["verdict"] in wanted for row in self.policy["verdicts"])
            for wanted in ((PASS,), VERDICTS)
        )
        review = f"; {of - passed} for review" * (passed < of)
        row = nearest(self.policy)
        near = (
            ""
            if row is None
            else f"; {place_told(row)}: {row['rule']} ({_whose(row)}, {margin_told(row)})"
        )
        return f"Policy met, {passed} of {of}{review}{near}."

    def _document(self) -> dict[str, object]:
        return {"sqlrisk": self.version, **self._labelled(), "policy": self.policy}


def _scenario(rows: Sequence[Row]) -> list[GridColumn]:
    """Return a column for the scenario of each verdict, if there are several scenarios."""
    return [GridColumn("scenario", label=True)] if any("scenario" in row for row in rows) else []


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
    told = {
        **policy,
        "reasons": [*rules],
        "exceptions": [
            *dict.fromkeys(
                (row["rule"], row["exception"]) for row in rows if row["exception"] is not None
            )
        ],
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
    worst = _worst(worst_of_rules(policy), met)
    return said("policy", told, rules=[worst], open=[_open(told["open"])])


def _worst(rows: Sequence[Row], met: Mapping[tuple[str, str], str]) -> Grid:
    """Draw the worst number of each rule, and how many numbers ``met`` the rule."""
    excluding = _excluding(rows)
    return table(
        [
            *_RULE,
            *((column, lambda row: shown(row["scenario"])) for column in _scenario(rows)),
            _of(rows),
            (GridColumn("worst"), partial(number_told, "value")),
            (GridColumn("limit"), partial(number_told, "limit")),
            (GridColumn("margin"), partial(_margin_told, "")),
            (GridColumn("margin", above="without exclusions"), partial(_margin_told, WITHOUT))
            if excluding
            else None,
            (GridColumn("met"), lambda row: met[row["rule"], row["reason"]]),
        ],
        rows,
    )


def _open(numbers: Sequence[Row]) -> Grid:
    """Draw numbers with their limits, the worst first. Of the numbers that differ only in their
    synthesis (single files, pools, their mean) and share a verdict, draw the worst and how many
    there are. If a number needs review although it keeps its limit, the column ``why`` says why.
    """
    same: dict[tuple[object, ...], list[Row]] = {}
    for row in sorted(numbers, key=order):
        about = (row.get(name) for name in (*_ABOUT, "scenario"))
        same.setdefault((*about, _why(row)), []).append(row)
    rows = [each[0] for each in same.values()]
    counts = {id(each[0]): len(each) for each in same.values()}
    excluding = _excluding(rows)
    return table(
        [
            *_RULE,
            *((column, lambda row: shown(row["scenario"])) for column in _scenario(rows)),
            _of(rows),
            *((GridColumn(side), partial(number_told, side)) for side in ("value", "limit")),
            cells.number("excluded", "percent not\ncounted", "percent") if excluding else None,
            *(
                (
                    GridColumn(side, above="without exclusions"),
                    partial(number_told, f"{side}{WITHOUT}"),
                )
                for side in ("value", "limit")
                if excluding
            ),
            (GridColumn("numbers"), lambda row: f"{counts[id(row)]:,}")
            if len(rows) < len(numbers)
            else None,
            (GridColumn("why", label=True), _why) if any(map(_why, rows)) else None,
        ],
        rows,
    )


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

    return (
        (GridColumn(varying[0] if len(varying) == 1 else "of", label=True), read)
        if varying
        else None
    )


def _margin_told(side: str, row: Row) -> str:
    margin = margin_of(row, side)
    return NOTHING if margin is None or row.get("words", {}).get("value") else as_told(row, margin)


def _why(row: Row) -> str:
    """Return why a number is for review although it keeps its limit."""
    if row["measure"] is None or row["verdict"] == PASS:
        return ""
    undefined = "not defined" if row["value"] is None or row["limit"] is None else ""
    return str(
        row.get("words", {}).get("verdict")
        or undefined
        or ("excepted" if row["exception"] is not None else "")
    )


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
    return {"weighted": "by weight", "synthesis": synthesis_name(value), "at": f"at {value}"}.get(
        name
    ) or shown(value)
