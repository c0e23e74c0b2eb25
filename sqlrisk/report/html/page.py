"""From a report to its page: what the sections of ``templates/report.html.j2`` draw."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Terms, table
from sqlrisk.report.columns import MOST, OF_A_REPORT
from sqlrisk.report.external.release import THRESHOLD, check, external
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import charts
from sqlrisk.report.html.rendering import places, render
from sqlrisk.report.html.summary import CRITERIA, criteria, summary
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.sections.assessment import worst
from sqlrisk.report.sections.report_sections import report_sections
from sqlrisk.report.wording import FAMILIES, NOTHING, Row, amount, base_of, left_out, number_of, or_nothing, shown, split

LEVELS = ("internal", "external")


def page(
    report: Findings, *, level: str, threshold: int | None, attacks: Attacks | None, sweep: Sweep | None, uniques: Uniques | None
) -> str:
    """Return the report as one HTML page. Arguments and errors are those of ``Report.to_html``."""
    check_level(level, threshold)
    inside = level == "internal" and not report.rounding
    if not inside and (attacks, sweep, uniques) != (None, None, None):
        raise InputError(
            "Attacks, sweeps and uniques hold small counts that nothing rounds: an external report is made without them."
        )
    told = report if inside or report.rounding else external(report, threshold or THRESHOLD)
    blocks = report_sections(told)
    measured = {str(row["family"]) for row in told.results}
    families = [name for name in FAMILIES if name in blocks] + [name for name in blocks if name in measured - {*FAMILIES}]
    drawn = groupby(charts.figures(told, attacks), key=lambda figure: figure.name.split(" ")[0])
    files = [shown(side.get("source")) for side in told.synthetic]
    # A report that no run in this process made (one read from a file) has its versions and the SQL of its measures alone.
    run: Row = {"sqlrisk": __version__, "engine": report.engine, "inputs": [], "sql": []}
    run = run if told.trail is None else {**run, **told.manifest()}
    given = [(name, _setting(value)) for name, value in told.scenario.items() if value not in (None, [], {}, False)]
    texts = [(name, hashlib.sha256(text.encode()).hexdigest()) for name, text in told.texts.items()]
    return render(
        "report.html.j2",
        places(vars(told)),
        subtitle=f"{shown(told.original.get('source'))} and {files[0] if len(files) == 1 else f'{len(files)} synthetic files'}",
        level="internal" if inside else "external",
        inside=inside,
        report=told,
        blocks=blocks,
        state=worst(told.assessment),
        families={name: FAMILIES.get(name, shown(name)) for name in families},
        units={name: rows[0]["unit"] for name, rows in split(told.results, "measure")},
        figures={name: [*figures] for name, figures in drawn},
        summary=[*summary(told, blocks["sentences"])],
        base=base_of(told.scenario),
        left_out=[*left_out(told.scenario)],
        criteria=criteria(told),
        linkable=any(row["measure"] in CRITERIA["Linkability"] for row in told.results),
        persons=[block for block in blocks["distributions"] if not _bars(block)],
        cells=[*_cells(told)] if inside else [],
        run=_run(run, inside=inside),
        settings=_pairs("setting", "value", given),
        inputs=_inputs(run["inputs"]),
        texts=_pairs("measure", "SHA-256 of its file", texts),
        statements=_pairs("stage", "SHA-256", [(shown(each["name"]), shown(each["sha256"])) for each in run["sql"]]),
        attacks=attacks,
        sweep=sweep,
        uniques=uniques,
    )


def check_level(level: str, threshold: int | None) -> None:
    """Raise InputError for a level that is none, and for a threshold that hides nothing."""
    if level not in LEVELS:
        raise InputError(f"There is no report level {level!r}{suggestion(level, LEVELS)}; there are {', '.join(LEVELS)}.")
    if threshold is not None and level == "internal":
        raise InputError("A threshold is what an external report rounds to; an internal one is exact: ask for external.")
    if level == "external":
        check(threshold or THRESHOLD)


def _cells(report: Findings) -> Iterator[Block]:
    """Yield the cells with most people behind the measures that name people, where the run listed them or can be repeated."""
    labels = {str(row["measure"]): str(row["synthesis"]) for row in reversed(report.results)}  # the first of each
    listings = report.listings
    if not listings and report.rerun is not None:
        listings = [report.cells(name, synthesis=labels[name], limit=MOST) for name in OF_A_REPORT if name in labels]
    for listing in filter(len, listings):
        label = shown(labels[listing.measure])
        yield Heading(f"{listing.measure}, synthesis {label}: the {len(listing)} cells with most people")
        alone = replace(listing, assessment=[])  # which the page begins with
        yield from (block for block in alone._blocks() if not isinstance(block, Heading))  # noqa: SLF001


def _bars(block: Block) -> bool:
    """Return whether a block draws its numbers with letters: the page has figures."""
    return isinstance(block, Grid) and any(column.name == "of people" for column in block.columns)


def _run(run: Row, *, inside: bool) -> Terms:
    """Say what ran, where and when; the command may hold levels that the user typed, so it is of an internal page alone."""
    engine = run["engine"]
    told = {"sqlrisk": run["sqlrisk"], "database": f"{engine.get('name', NOTHING)} {engine.get('version', '')}".strip()}
    told |= run.get("environment", {}) | {name: run[name] for name in ("started",) if name in run}
    told |= {"command": run["command"]} if inside and run.get("command") else {}
    return Terms([(shown(name), shown(value)) for name, value in told.items()])


def _inputs(inputs: Sequence[Row]) -> Grid:
    return table(
        [
            (
                Column("role", label=True),
                lambda row: f"{row['role']}" if row["synthesis"] is None else f"synthesis {row['synthesis']}",
            ),
            (Column("name", label=True), lambda row: Path(str(row["name"])).name),
            (Column("records"), lambda row: number_of(row, "records")),
            (Column("bytes"), lambda row: amount(row["bytes"])) if any("bytes" in row for row in inputs) else None,
            (Column("SHA-256", label=True), lambda row: or_nothing(row["sha256"])),
        ],
        inputs,
    )


def _pairs(name: str, value: str, rows: Sequence[tuple[str, str]]) -> Grid:
    return Grid([Column(name, label=True), Column(value, label=True)], rows)


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{shown(name)}: {_setting(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return shown(value)
