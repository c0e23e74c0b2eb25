"""What a policy makes of a report: a verdict for each rule and number, for reading and as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlrisk.inputs.policy import FAIL, PASS, PLACE, REVIEW, VERDICTS
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Number, Paragraph, Terms, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import lines
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections.cells import label
from sqlrisk.report.wording import HIDDEN, Row, number, or_nothing, shown

COLUMNS = ("rule", "verdict", *PLACE, "value", "limit", "unit", "reason", "exception")
NAMED = 3  # failures that an error names
USUAL = {"at": None, "target": None, "synthesis": "1", "population": "all", "weighted": False}  # what goes without saying


@dataclass(frozen=True)
class Verdicts(Table):
    """One row per rule and number; ``policy`` is what JSON holds of it, as a report does."""

    policy: dict[str, Any] = field(default_factory=dict)
    version: str = ""

    @classmethod
    def of(cls, report: Findings) -> "Verdicts":
        """Return the verdicts of a report that was judged."""
        policy: dict[str, Any] = report.policy
        rows, drawn = lines(COLUMNS, policy["verdicts"]), list(blocks(policy))
        title = f"Policy: {shown(policy['name'])}"
        return cls("policy", policy["name"], title, list(COLUMNS), rows, drawn, policy=policy, version=report.version)

    @property
    def verdict(self) -> str:
        """Of the whole: ``fail`` where any number fails, else ``review`` where any is for review, else ``pass``."""
        return str(self.policy["verdict"])

    @property
    def failure(self) -> str:
        """Say in one line that the policy is not met, and by what."""
        broken = [f"{row['rule']} ({_whose(row)})" for row in self.policy["verdicts"] if row["verdict"] == FAIL]
        more = f" and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
        numbers = f"{len(broken)} of {len(self.rows)} numbers fail{'s' * (len(broken) == 1)}"
        return f"The policy {self.name!r} is not met: {numbers}: {'; '.join(broken[:NAMED])}{more}."

    def _document(self) -> dict[str, object]:
        return {"sqlrisk": self.version, "policy": self.policy}


def blocks(policy: Row) -> Iterator[Block]:
    """Yield what the policy says: one line a rule, then each number that did not pass, then the reasons. Nothing without one."""
    if not policy:
        return
    rows = policy["verdicts"]
    grouped: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        grouped.setdefault((row["rule"], row["reason"]), []).append(row["verdict"])
    yield Heading(f"Policy: {shown(policy['name'])}")
    if said := [(name, _prose(policy[name])) for name in ("about", "source") if policy[name]]:
        yield Terms(said, quiet=True)
    yield Paragraph(_summary(str(policy["verdict"]), rows))
    yield Grid(
        [Column("verdict", label=True, judges=True), Column("rule", label=True), *(Column(name) for name in VERDICTS)],
        [
            [max(found, key=VERDICTS.index), shown(rule), *(str(found.count(verdict)) for verdict in VERDICTS)]
            for (rule, _), found in grouped.items()
        ],
    )
    if open_rows := [row for row in rows if row["verdict"] != PASS]:
        yield _open(open_rows)
    yield Terms([(shown(rule), _prose(reason)) for rule, reason in grouped], quiet=True)
    if exceptions := dict.fromkeys((row["rule"], row["exception"]) for row in rows if row["exception"] is not None):
        yield Paragraph("Excepted:", quiet=True)
        yield Terms([(shown(rule), _prose(text)) for rule, text in exceptions], quiet=True)


def _open(rows: Sequence[Row]) -> Grid:
    """Draw the numbers that do not pass, failures first, and what each was held against."""
    varying = [name for name, usual in USUAL.items() if any(row[name] != usual for row in rows)]
    ordered = sorted(rows, key=lambda row: -VERDICTS.index(row["verdict"]))
    return table(
        [
            (Column("verdict", label=True, judges=True), lambda row: row["verdict"]),
            label("rule"),
            *((Column(name, label=True), partial(_label, name)) for name in varying),
            *((Column(side), partial(_side, side)) for side in ("value", "limit")),
        ],
        ordered,
    )


def _side(side: str, row: Row) -> Number:
    return Number(HIDDEN if row.get("hidden") else number(row[side]), row, side)


def _summary(verdict: str, rows: Sequence[Row]) -> str:
    found = [row["verdict"] for row in rows]
    words = {FAIL: "Not met", REVIEW: "Met, but for what is for review", PASS: "Met"}
    numbers = f"Numbers judged: {len(rows)}; {', '.join(f'{each} {found.count(each)}' for each in VERDICTS)}."
    undefined = sum((row["value"] is None or row["limit"] is None) and not row.get("hidden") for row in rows)
    return f"{words[verdict]}. {numbers}" + (f" {undefined} are not defined, so somebody has to look." if undefined else "")


def _whose(row: Row) -> str:
    """Say which number failed, in a word or two: a message says no population, whose name may hold a level of the data."""
    parts = [row["target"], f"synthesis {row['synthesis']}"]
    return ", ".join(shown(part) for part in parts if part is not None) + f": {number(row['value'])}"


def _prose(text: str) -> str:
    """Return sentences of a policy file, whose line breaks are those of the file."""
    return shown(" ".join(text.split()))


def _label(name: str, row: Row) -> str:
    if name == "weighted":
        return "by weight" if row[name] else ""
    return or_nothing(row[name])
