"""What a policy makes of a report: a verdict for each rule and number, for reading and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from sqlrisk.common.errors import InputError, PolicyError
from sqlrisk.inputs.policy import FAIL, NOT_ASSESSABLE, NUMBERS, PASS, PLACE, UNMET, VERDICTS
from sqlrisk.report.blocks import Block, Column, Grid, table
from sqlrisk.report.prose import said
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import Row, number, or_nothing, precise, shown

COLUMNS = ("rule", "verdict", *PLACE, *NUMBERS, "reason", "exception")
NAMED = 3  # failures that an error names
USUAL = {"at": None, "target": None, "synthesis": "1", "population": "all", "weighted": False}  # what goes without saying


class Judged(Protocol):
    """A result that was judged by a policy."""

    @property
    def policy(self) -> Mapping[str, Any]:
        """What it comes to; empty where nothing judged it."""

    @property
    def version(self) -> str:
        """The sqlrisk that made it."""


@dataclass(frozen=True, repr=False)
class Verdicts(Table):
    """One row per rule and number; ``policy`` is what JSON holds of it, as a report does."""

    policy: dict[str, Any] = field(default_factory=dict)
    version: str = ""

    @classmethod
    def of(cls, result: Judged) -> "Verdicts":
        """Return the verdicts of a result that was judged. Raises InputError for one that was not."""
        policy = dict(result.policy)
        if not policy:
            raise InputError("This report was not judged by a policy: score or check it with --policy (policy=...).")
        rows = lines(COLUMNS, [dict.fromkeys(COLUMNS) | row for row in policy["verdicts"]])  # an older report has fewer
        drawn = blocks(policy)
        title = f"Policy: {shown(policy['name'])}"
        return cls("policy", policy["name"], title, list(COLUMNS), rows, drawn, policy=policy, version=result.version)

    @property
    def verdict(self) -> str:
        """Of the whole the worst: ``not assessable``, ``fail`` where any number fails, ``review`` where any is, or ``pass``."""
        return str(self.policy["verdict"])

    @property
    def failure(self) -> str:
        """Say in one line that the policy is not met, and by what."""
        found = [
            (row["reason"].removesuffix("."), row["rule"]) for row in self.policy["verdicts"] if row["verdict"] == NOT_ASSESSABLE
        ]
        if void := [f"{reason} ({rule})" for reason, rule in found]:
            more = f" and {len(void) - NAMED} more" if len(void) > NAMED else ""
            return f"The policy {self.name!r} is not met, as this cannot be assessed: {'; '.join(void[:NAMED])}{more}."
        broken = [f"{row['rule']} ({_whose(row)})" for row in self.policy["verdicts"] if row["verdict"] == FAIL]
        more = f" and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
        judged = sum(row["measure"] is not None for row in self.policy["verdicts"])
        numbers = f"{len(broken)} of {judged} numbers fail{'s' * (len(broken) == 1)}"
        return f"The policy {self.name!r} is not met: {numbers}: {'; '.join(broken[:NAMED])}{more}."

    def _document(self) -> dict[str, object]:
        return {"sqlrisk": self.version, "policy": self.policy}


def require(result: Judged) -> None:
    """Raise PolicyError, with the result, where its policy is not met."""
    if result.policy.get("verdict") in UNMET:
        raise PolicyError(Verdicts.of(result).failure, result)


def blocks(policy: Row) -> list[Block]:
    """Return what the policy says: one line a rule, then each number that did not pass, then the reasons. Nothing without one."""
    if not policy:
        return []
    rows = policy["verdicts"]
    numbers = [row for row in rows if row["measure"] is not None]
    excluded = [row for row in rows if row.get("excluded") is not None]
    rules: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        rules.setdefault((row["rule"], row["reason"]), []).append(row["verdict"])
    counted = [verdict for verdict in VERDICTS if verdict != NOT_ASSESSABLE or any(row["verdict"] == verdict for row in rows)]
    columns = [Column("verdict", label=True, judges=True), Column("rule", label=True), *(Column(name) for name in counted)]
    lines = [
        [max(found, key=VERDICTS.index), shown(rule), *(str(found.count(verdict)) for verdict in counted)]
        for (rule, _), found in rules.items()
    ]
    told = {
        **policy,
        "reasons": [*rules],
        "exceptions": [*dict.fromkeys((row["rule"], row["exception"]) for row in rows if row["exception"] is not None)],
        "undefined": sum((row["value"] is None or row["limit"] is None) and not row.get("hidden") for row in numbers),
        "numbers": numbers,
        "open": rows if excluded else [row for row in rows if row["verdict"] != PASS],
        "excluded": max((row["excluded"] for row in excluded), default=None),
    }
    return said("policy", told, rules=[Grid(columns, lines)], open=[_open(told["open"])])


def _open(rows: Sequence[Row]) -> Grid:
    """Draw the numbers that do not pass, failures first, and what each was held against."""
    excluding = any(row.get("excluded") is not None for row in rows)
    varying = [name for name, usual in USUAL.items() if any(row[name] not in (usual, None) for row in rows)]
    ordered = sorted(rows, key=lambda row: -VERDICTS.index(row["verdict"]))
    return table(
        [
            (Column("verdict", label=True, judges=True), lambda row: row["verdict"]),
            cells.label("rule"),
            *((Column(name, label=True), partial(_label, name)) for name in varying),
            *((Column(side), partial(precise, field=side)) for side in ("value", "limit")),
            cells.number("excluded", "percent not\ncounted", "percent") if excluding else None,
            *(
                (Column(side, above="without exclusions"), partial(precise, field=f"{side}_without_exclusions"))
                for side in ("value", "limit")
                if excluding
            ),
        ],
        ordered,
    )


def _whose(row: Row) -> str:
    """Say which number failed, in a word or two: a message says no population, whose name may hold a level of the data."""
    parts = [row["target"], f"synthesis {row['synthesis']}"]
    whole = row.get("value_without_exclusions")
    beside = "" if whole is None else f"; {number(whole)} without exclusions"
    return ", ".join(shown(part) for part in parts if part is not None) + f": {number(row['value'])}{beside}"


def _label(name: str, row: Row) -> str:
    if name == "weighted":
        return "by weight" if row[name] else ""
    return or_nothing(row[name])
