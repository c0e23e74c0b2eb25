"""What an audit asks for: versions, settings, and fingerprints of the inputs and of the SQL."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Paragraph, Terms, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import NOTHING, Row, or_nothing, shown


def audited(report: Findings) -> dict[str, Any]:
    """Return what a run leaves for an audit: versions, hashes of the inputs and of the SQL, how long it took.

    A report that no run in this process made (one read from a file) has its versions and the SQL of its measures alone.
    """
    known: dict[str, Any] = {"sqlrisk": __version__, "engine": report.engine, "inputs": [], "sql": []}
    if report.trail is None:
        return known
    return {**known, **report.manifest()}


def settings(report: Findings, run: Row, *, inside: bool) -> Iterator[Block]:
    """Yield what ``run`` left for an audit; what may hold levels that the user typed is of an internal page alone."""
    engine = run["engine"]
    told = [("sqlrisk", str(run["sqlrisk"])), ("database", f"{engine.get('name', NOTHING)} {engine.get('version', '')}".strip())]
    told += [(shown(name), shown(value)) for name, value in run.get("environment", {}).items()]
    if "started" in run:
        told.append(("started", shown(run["started"])))
    if inside and run.get("command"):
        told.append(("command", shown(run["command"])))
    yield Terms(told)
    yield Heading("Settings")
    given = [(name, _setting(value)) for name, value in report.scenario.items() if value not in (None, [], {}, False)]
    yield _pairs("setting", "value", given)
    yield Heading("Inputs")
    if run["inputs"]:
        yield table(
            [
                (Column("role", label=True), _role),
                (Column("name", label=True), lambda each: Path(str(each["name"])).name),
                (Column("records"), lambda each: _count(each["records"])),
                (Column("bytes"), lambda each: _count(each["bytes"])),
                (Column("SHA-256", label=True), lambda each: or_nothing(each["sha256"])),
            ],
            run["inputs"],
        )
    else:
        yield Paragraph("This report was not made by a run of this program just now, so its inputs have no fingerprint here.")
    yield Heading("SQL of the measures")
    yield _pairs("measure", "SHA-256 of its file", [(name, _sha256(text)) for name, text in report.texts.items()])
    if inside and run["sql"]:
        # Only inside: a statement may hold levels that the user typed.
        yield Heading("SQL that ran")
        yield _pairs("stage", "SHA-256", [(shown(each["name"]), shown(each["sha256"])) for each in run["sql"]])


def _pairs(name: str, value: str, rows: Sequence[tuple[str, str]]) -> Grid:
    return Grid([Column(name, label=True), Column(value, label=True)], rows)


def _role(each: Row) -> str:
    return str(each["role"]) if each["synthesis"] is None else f"synthesis {each['synthesis']}"


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{shown(name)}: {_setting(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return shown(value)


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else NOTHING


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
