"""What an audit asks for: versions, settings, and fingerprints of the inputs and of the SQL."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Column, Grid, Heading, Paragraph, Terms
from sqlrisk.report.findings import Findings
from sqlrisk.report.html.rendering import Part
from sqlrisk.report.wording import NOTHING, Row, or_nothing, shown


def audited(report: Findings) -> dict[str, Any]:
    """Return what a run leaves for an audit: versions, hashes of the inputs and of the SQL, how long it took.

    A report that no run in this process made (one read from a file) has its versions and the SQL of its measures alone.
    """
    known: dict[str, Any] = {"sqlrisk": __version__, "engine": report.engine, "inputs": [], "sql": []}
    if report.trail is None:
        return known
    return {**known, **report.manifest()}


def settings(report: Findings, run: Row, *, inside: bool) -> Iterator[Part]:
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
    yield Grid(
        [Column("setting", label=True), Column("value", label=True)],
        [[name, _setting(value)] for name, value in report.scenario.items() if value not in (None, [], {}, False)],
    )
    yield Heading("Inputs")
    if run["inputs"]:
        columns = [Column(name, label=True) for name in ("role", "name")] + [
            Column("records"),
            Column("bytes"),
            Column("SHA-256", label=True),
        ]
        yield Grid(
            columns,
            [
                [
                    *(_role(each), Path(str(each["name"])).name, _count(each["records"]), _count(each["bytes"])),
                    or_nothing(each["sha256"]),
                ]
                for each in run["inputs"]
            ],
        )
    else:
        yield Paragraph("This report was not made by a run of this program just now, so its inputs have no fingerprint here.")
    yield Heading("SQL of the measures")
    lines = [[name, _sha256(text)] for name, text in report.texts.items()]
    yield Grid([Column("measure", label=True), Column("SHA-256 of its file", label=True)], lines)
    if inside and run["sql"]:
        # Only inside: a statement may hold levels that the user typed.
        yield Heading("SQL that ran")
        yield Grid(
            [Column("stage", label=True), Column("SHA-256", label=True)],
            [[shown(each["name"]), shown(each["sha256"])] for each in run["sql"]],
        )


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
