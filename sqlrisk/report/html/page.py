"""From a report to its page: what the sections of ``templates/report.html.j2`` draw."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.version import __version__
from sqlrisk.inputs.release import LOGO, release_of
from sqlrisk.report import declared
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Paragraph, Sentence, Terms
from sqlrisk.report.columns import MOST
from sqlrisk.report.decision.glance import criteria, glance
from sqlrisk.report.decision.intruders import Board, page_one, title
from sqlrisk.report.decision.page_one import (
    RESERVATIONS,
    TOLD,
    Finding,
    counted,
    decide_on,
    knowing,
)
from sqlrisk.report.decision.sentences import conjoined
from sqlrisk.report.external.release import THRESHOLD, check, external
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import charts, decision_figures
from sqlrisk.report.html.look import Figure
from sqlrisk.report.html.rendering import drawn_below, part, places, render
from sqlrisk.report.listing import Listing, worth
from sqlrisk.report.results import verdicts
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.sections import distributions, worst_sets
from sqlrisk.report.sections.assessment import worst
from sqlrisk.report.sections.report_sections import report_sections
from sqlrisk.report.wording import NOTHING, Row, baselines, left_out, shown, split

CELLS = 3  # of a finding
# the rows that figures are drawn from
DRAWN = ("results", "distributions", "shares", "membership", "maps")
LEVELS = ("internal", "external")
BESIDE = {"attackers": "Attackers", "sweep": "Subsets of the keys", "uniques": "Special uniques"}
INSIDE = (
    "Internal report. It names levels and may list counts of real people: it is disclosive. Keep "
    "it where the original is kept; "
    "an external report is for what leaves the house."
)


def page(
    report: Findings,
    *,
    level: str,
    threshold: int | None,
    attacks: Attacks | None,
    sweep: Sweep | None,
    uniques: Uniques | None,
) -> str:
    """Return the report as one HTML page. Arguments and errors are those of ``Report.to_html``."""
    check_level(level, threshold)
    inside = level == "internal" and not report.rounding
    if not inside and (attacks, sweep, uniques) != (None, None, None):
        raise InputError(
            "Attacks, sweeps and uniques hold small counts that nothing rounds: an external "
            "report is made without them."
        )
    told = report if inside or report.rounding else external(report, threshold or THRESHOLD)
    return render(
        "report.html.j2",
        places(vars(told)),
        *(
            ["what_if.js"]
            if inside and report.cube is not None and not report.cube.left_out
            else []
        ),
        **_names(
            report,
            told,
            inside=inside,
            beside={"attackers": attacks, "sweep": sweep, "uniques": uniques},
        ),
    )


def page_of_all(board: Board, run: Row) -> str:
    """Return reports as one page: page one, which is signed, and a chapter for each; ``run`` is the
    manifest, if there is one.
    """
    where = places({"scenarios": [vars(report) for report in board.reports.values()]})
    chapters = []
    for number, (name, report) in enumerate(board.reports.items(), start=1):
        sections: list[dict[str, str]] = []
        chapter = {
            "layout": "chapter.html.j2",
            "sections": sections,
            "chapter": f"Intruder {shown(name)}",
            "scenario": name,
        }
        names = _names(report, report, inside=True) | chapter | {"prefix": f"intruder-{number}-"}
        body = part("report.html.j2", where, **names)
        chapters.append({"sections": sections, "body": body})
    blocks, worst_of = [*page_one(board)], board.reports[board.worst]
    decision = board.decisions[board.worst]
    first = next(
        iter(decision_figures.first(_of_targets(worst_of, decision.targets[:TOLD]), decision)), None
    )
    return render(
        "intruders.html.j2",
        where,
        title=title(board),
        subtitle=_subtitle(worst_of),
        level="internal",
        banner=INSIDE,
        blocks=blocks,
        reservations=next(place for place, each in enumerate(blocks) if each == RESERVATIONS),
        first=first
        and replace(
            first,
            title=f"Intruder {shown(board.worst)}: {first.title[:1].lower()}{first.title[1:]}",
        ),
        logo=release_of(worst_of.scenario).get(LOGO, ""),
        organisation=shown(release_of(worst_of.scenario).get("organisation", "")),
        verdict=str(
            board.policy.get("verdict")
            or worst([row for each in board.reports.values() for row in each.assessment])
        ),
        policy=board.policy,
        verdicts=verdicts.blocks(board.policy),
        beside=[*worst_sets.blocks(board.reports)],
        chapters=chapters,
        run=_run({"engine": worst_of.engine, "sqlrisk": worst_of.version, **run}, inside=True),
        results=run.get("results_sha256", ""),
        signatures=[],
    )


def _subtitle(report: Findings) -> str:
    files = [shown(side.get("source")) for side in report.synthetic]
    return (
        f"{shown(report.original.get('source'))} and "
        f"{files[0] if len(files) == 1 else f'{len(files)} synthetic files'}"
    )


def _names(
    report: Findings, told: Findings, *, inside: bool, beside: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what the template draws of a report, of which this much is ``told``; ``beside`` are
    what other runs found.
    """
    blocks, decision = report_sections(told), decide_on(told)
    worst_of = _of_targets(told, decision.targets[:TOLD])
    release = release_of(told.scenario)
    listed = listings(told) if inside else []
    measured = {str(row["family"]) for row in told.results}
    families = sorted(
        (told.family(name) for name in blocks if name in measured),
        key=lambda family: family.section,
    )
    every = charts.figures(worst_of)
    drawn = groupby(every, key=lambda figure: figure.name.split(" ")[0])
    # A report that no run in this process made (one read from a file) has its versions and the SQL
    # of its measures alone.
    run: Row = {"sqlrisk": __version__, "engine": report.engine}
    run = run if told.trail is None else {**run, **told.manifest()}
    given = [
        (name, _setting(value))
        for name, value in told.scenario.items()
        if value not in (None, [], {}, False)
    ]
    found = beside or {}
    return {
        "layout": "page.html.j2",
        "sections": [],
        "chapter": "",
        "prefix": "",
        "scenario": "",
        "internal": INSIDE,
        "subtitle": _subtitle(told),
        "level": "internal" if inside else "external",
        "inside": inside,
        "report": told,
        "blocks": blocks,
        "families": families,
        "units": {name: rows[0]["unit"] for name, rows in split(told.results, "measure")},
        "figures": {name: [*figures] for name, figures in drawn},
        "logo": release.get(LOGO, ""),
        "organisation": shown(release.get("organisation", "")),
        "verdict": str(told.policy.get("verdict") or worst(told.assessment)),
        "reservations": next(
            place for place, each in enumerate(blocks["decision"]) if each == RESERVATIONS
        ),
        "first": next(iter(decision_figures.first(worst_of, decision)), None),
        "counted": counted(decision),
        "knowing": knowing(decision),
        "findings": [_part(told, each, every, listed) for each in decision.findings[:TOLD]],
        "glance": glance(told, decision.targets),
        "base": conjoined(baselines(told)),
        "headlines": declared.of_targets(told.declared),
        "left_out": [*left_out(told.scenario)],
        "criteria": criteria(told),
        "linkable": not {row["measure"] for row in told.results}.isdisjoint(
            declared.criteria(told.declared)[declared.LINKABILITY]
        ),
        "persons": [block for block in distributions.blocks(worst_of) if not _bars(block)],
        "fewer": len(decision.targets) > TOLD,
        "cells": [*_cells(told, listed)],
        "cube": report.cube if inside else None,
        "run": _run(run, inside=inside),
        "results": run.get("results_sha256", ""),
        "signatures": [],  # `sqlrisk sign` puts them in
        "settings": Grid([Column("setting", label=True), Column("value", label=True)], given),
        "uniques": found.get("uniques"),
        "beside": [
            (name, heading, [*drawn_below(result._blocks(), result._figures())])  # noqa: SLF001
            for name, heading in BESIDE.items()
            if (result := found.get(name)) is not None
        ],
    }


def check_level(level: str, threshold: int | None) -> None:
    """Raise InputError for a level that is none, and for a threshold that hides nothing."""
    if level not in LEVELS:
        raise InputError(
            f"There is no report level {level!r}{suggestion(level, LEVELS)}; there are "
            f"{', '.join(LEVELS)}."
        )
    if threshold is not None and level == "internal":
        raise InputError(
            "A threshold is what an external report rounds to; an internal one is exact: ask for "
            "external."
        )
    if level == "external":
        check(threshold or THRESHOLD)


def listings(report: Findings) -> list[Listing]:
    """Return the cells worth looking at of the measures that name people, where the run listed them
    or can be repeated.
    """
    labels = _first_syntheses(report)
    found = report.listings
    if not found and report.rerun is not None:
        found = [
            report.cells(name, synthesis=labels[name], limit=MOST, worth=True)
            for name in declared.listed(report.declared, labels)
        ]
    # an assessment that the page has already
    return [replace(each, assessment=[]) for each in found if len(each)]


def _first_syntheses(report: Findings) -> dict[str, str]:
    return {str(row["measure"]): str(row["synthesis"]) for row in reversed(report.results)}


def _cells(report: Findings, listed: Sequence[Listing]) -> Iterator[Block]:
    """Yield what was listed, measure by measure."""
    labels = _first_syntheses(report)
    for listing in listed:
        told, why = worth(listing)
        top = replace(told, rows=told.rows[:MOST])
        yield Heading(
            f"{listing.measure}, synthesis {shown(labels[listing.measure])}: the first {len(top)}"
        )
        yield Paragraph(why)
        yield from (block for block in top._blocks() if not isinstance(block, Heading))  # noqa: SLF001


def _of_targets(report: Findings, targets: Sequence[object]) -> Findings:
    """Return the report of some targets, which its page draws: more than ten of each figure nobody
    looks at.
    """
    kept = (None, *targets)
    parts: Any = {
        name: [row for row in getattr(report, name) if row.get("target") in kept] for name in DRAWN
    }
    return replace(report, **parts)


def _part(
    report: Findings, finding: Finding, figures: Sequence[Figure], listed: Sequence[Listing]
) -> dict[str, object]:
    """Return what the page has of a finding: its sentences, its figures, its cells."""
    target = finding.row["target"]
    own = [listing for listing in listed if listing.measure == finding.row["measure"]]
    return {
        "id": finding.id,
        "heading": f"{finding.title[:1].upper()}{finding.title[1:]}",
        "sentence": Sentence(*finding.sentence.parts),
        "beside": Sentence(*finding.original.parts, " ", *finding.guesses.parts),
        "figures": decision_figures.of(report, finding, figures),
        "cells": [
            block for listing in own if (block := worth(listing)[0].of(target, CELLS)) is not None
        ],
    }


def _bars(block: Block) -> bool:
    """Return whether a block draws its numbers with letters: the page has figures."""
    return isinstance(block, Grid) and any(column.name == "of people" for column in block.columns)


def _run(run: Row, *, inside: bool) -> Terms:
    """Say what ran, where and when; the command may hold levels that the user typed, so it is of an
    internal page alone.
    """
    engine = run["engine"]
    told = {
        "sqlrisk": run["sqlrisk"],
        "database": f"{engine.get('name', NOTHING)} {engine.get('version', '')}".strip(),
    }
    told |= run.get("environment", {}) | {name: run[name] for name in ("started",) if name in run}
    told |= {"command": run["command"]} if inside and run.get("command") else {}
    return Terms([(shown(name), shown(value)) for name, value in told.items()])


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{shown(name)}: {_setting(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return shown(value)
