"""The HTML page of a report: its sections, with figures, cells and the results of other runs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import groupby
from typing import Any

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs.release import LOGO, release_of
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.report import declared
from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Paragraph, Sentence
from sqlrisk.report.columns import MOST, THRESHOLD
from sqlrisk.report.decision.intruders import Board, page_one, title
from sqlrisk.report.decision.page_one import TOLD, Decision, Finding, decide_on
from sqlrisk.report.external.release import check, external
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import charts, decision_figures, target_charts
from sqlrisk.report.html.look import Figure, unchecked
from sqlrisk.report.html.rendering import drawn_below, places, render
from sqlrisk.report.listing import Listing, worth
from sqlrisk.report.result import Forms
from sqlrisk.report.results import verdicts
from sqlrisk.report.results.attacks import Attacks
from sqlrisk.report.results.sweeps import Sweep
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.section import Article, Drawn, Figures, Part, Section, below, page_of
from sqlrisk.report.sections import opening, worst_sets
from sqlrisk.report.sections.assessment import worst
from sqlrisk.report.sections.report_sections import PageParts, report_sections
from sqlrisk.report.wording import NOTHING, Row, capitalized, shown, synthesis_name

CELLS = 3  # cells shown with a finding
# fields of a report that hold the rows of its figures
DRAWN = ("results", "distributions", "shares", "membership", "maps", "differences")
LEVELS = ("internal", "external")
BESIDE = {"attackers": "Attackers", "sweep": "Subsets of the keys", "uniques": "Special uniques"}
INSIDE = (
    "Internal report. It names levels and may list counts of real people: it is disclosive. Keep "
    "it where the original is kept. To share results, make an external report."
)
OUTSIDE = (
    "External report. It holds no levels, no cells and no exact figures: every number is rounded. "
    "What an audit could not work out from them is stated below. You can share this report and its "
    "external manifest; keep the other manifest."
)
HASHES = (
    "The manifest has the SHA-256 of every input file and of the SQL of every measure. sqlrisk "
    "score -o writes it beside the result. In Python, manifest() returns it."
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
    """Return the report as one HTML page. ``Report.to_html`` explains arguments and errors."""
    check_level(level, threshold)
    inside = level == "internal" and not report.rounding
    found = {"attackers": attacks, "sweep": sweep, "uniques": uniques}
    if not inside and any(each is not None for each in found.values()):
        raise InputError(
            "Attacks, sweeps and uniques hold small counts that nothing rounds: an external "
            "report is made without them."
        )
    told = report if inside or report.rounding else external(report, threshold or THRESHOLD)
    others = [_beside(name, result) for name, result in found.items() if result is not None]
    run = _run_of(told)
    return render(
        "page.html.j2",
        places(_fields(told)),
        *_scripts(told),
        labels=told.labels,
        **_head(told, run, release_of(told.scenario), inside=inside),
        sections=_sections(told, run, inside=inside, others=others, uniques=uniques),
    )


def _fields(report: Findings) -> dict[str, object]:
    """Return the fields of a report, without properties that are made from them."""
    return {each.name: getattr(report, each.name) for each in fields(report)}


def _scripts(*reports: Findings) -> list[str]:
    """Return the names of the scripts that recompute measures in the browser (what-if). The list is
    empty if no report of the page has a `Cube` with counts.
    """
    cubes = [report.cube for report in reports if report.cube is not None]
    return ["what_if.js"] if any(not cube.left_out for cube in cubes) else []


def _beside(name: str, result: Forms) -> Section:
    """Return the result of another run as a section, with its figures."""
    _, *blocks = drawn_below(result._blocks(), result._figures())  # noqa: SLF001
    return Section(name, BESIDE[name], [*below(blocks)])


def page_of_all(board: Board, labels: Mapping[str, str], run: Row) -> str:
    """Return several reports as one page: page one, which can be signed, then a chapter for each
    report.

    ``labels`` are those of all columns. ``run`` is the manifest, or empty if there is none.
    """
    where = places({"scenarios": [*map(_fields, board.reports.values())]})
    inside = not any(report.rounding for report in board.reports.values())
    worst_of, decision = board.reports[board.worst], board.decisions[board.worst]
    run = {"engine": worst_of.engine, "sqlrisk": worst_of.version, **run}
    first = [
        replace(
            each, title=f"Intruder {shown(board.worst)}: {each.title[:1].lower()}{each.title[1:]}"
        )
        for each in decision_figures.first(worst_of, decision)
    ]
    verdict = board.policy.get("verdict") or worst(
        [row for each in board.reports.values() for row in each.assessment]
    )
    of_policy = Drawn([*target_charts.policy(board.policy, labels)])
    releases = [release_of(report.scenario) for report in board.reports.values()]
    release = {name: text for each in reversed(releases) for name, text in each.items()}
    sections = [
        opening.decision(page_one(board), verdict),
        _to_sign(run),
        Section.of("policy", [*verdicts.blocks(board.policy, chapters=True), Figures(("policy",))]),
        Section.of("membership", worst_sets.blocks(board.reports)),
    ]
    versions = Section("settings", "Versions", [*_run(run, inside=inside)])
    return render(
        "page.html.j2",
        where,
        *_scripts(*board.reports.values()),
        labels=labels,
        **_head(worst_of, run, release, inside=inside),
        title=title(board),
        sections=[*page_of(sections, {"decision": Drawn(first), "policy": of_policy})],
        chapters=[
            *(
                _chapter(number, name, report)
                for number, (name, report) in enumerate(board.reports.items(), start=1)
            ),
            [versions],
        ],
    )


def _chapter(number: int, name: str, report: Findings) -> list[Section]:
    """Return the sections of one of several reports, without the sign-off."""
    first, *rest = (
        replace(section, id=f"intruder-{number}-{section.id}")
        for section in _sections(report, _run_of(report), inside=not report.rounding, scenario=name)
        if section.id != opening.SIGN_OFF.id
    )
    first = replace(first, title=f"Intruder {shown(name)}", kind=f"chapter {first.kind}")
    return [first, *rest]


def _run_of(report: Findings) -> Row:
    """Return the manifest of a report. If the report was read from a file, there is no manifest:
    return only its version and engine.
    """
    run: Row = {"sqlrisk": report.version, "engine": report.engine}
    return run if report.trail is None else {**run, **report.manifest()}


def _head(
    report: Findings, run: Row, release: Mapping[str, str], *, inside: bool
) -> dict[str, str]:
    """Return the head of a page: its subtitle, level, logo, organization and the hashes of its
    manifest. ``release`` has the statements about the release.
    """
    made = [shown(side.get("source")) for side in report.synthetic]
    synthetic = made[0] if len(made) == 1 else f"{len(made)} synthetic files"
    return {
        "subtitle": f"{shown(report.original.get('source'))} and {synthetic}",
        "logo": release.get(LOGO, ""),
        "organisation": shown(release.get("organisation", "")),
        "results": run.get("results_sha256", ""),
        "verdicts": run.get("verdicts_sha256", ""),
        "level": "internal" if inside else "external",
        "banner": INSIDE if inside else OUTSIDE,
    }


def _sections(
    report: Findings,
    run: Row,
    *,
    inside: bool,
    scenario: str = "",
    others: Sequence[Section] = (),
    uniques: Uniques | None = None,
) -> list[Section]:
    """Return the sections of a report's page, with figures and cells.

    ``inside`` is True for an internal page. ``scenario`` is the report's name if the page shows
    several reports. ``others`` are sections with results of other runs.
    """
    decision = decide_on(report)
    beyond = {*decision.targets[TOLD:]}
    near = _without(report, beyond) if beyond else report
    listed = listings(report, decision) if inside else []
    with unchecked():
        every = charts.figures(near)
        first = [*decision_figures.first(report, decision)]
    told = decision.findings[:TOLD]
    articles = [_article(report, each, every, listed, scenario) for each in told]
    # do not draw a figure twice that is already shown with its finding
    placed = {part.name for each in articles for part in each.blocks if isinstance(part, Figure)}
    rest = [figure for figure in every if figure.name not in placed]
    drawn = {
        name: Drawn([*figures], **decision_figures.captions().get(name, {}))
        for name, figures in groupby(rest, key=lambda figure: figure.name.split(" ")[0])
    }
    drawn["decision"] = Drawn(first)
    beside = PageParts(
        decision=decision,
        findings=articles,
        cells=[*_cells(listed, _syntheses(report, decision))],
        others=others,
        uniques=uniques,
        run=[*_run(run, inside=inside), *_settings(report)],
        to_sign=_to_sign(run),
        near=near,
    )
    return [*page_of(report_sections(report, beside), drawn)]


def check_level(level: str, threshold: int | None) -> None:
    """Raise InputError for an unknown level, or for a threshold of an internal report. For an
    external report, raise the errors of `release.check`.
    """
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


def listings(report: Findings, decision: Decision) -> list[Listing]:
    """Return the cells of the measures that identify people, a listing for each measure and
    synthesis. If the run did not list any but can be repeated, list only one synthesis for each
    measure (see `_syntheses`).
    """
    labels = _syntheses(report, decision)
    found = report.listings
    if not found and report.rerun is not None:
        found = [
            report.cells(name, synthesis=labels[name], limit=MOST, worth=True)
            for name in declared.listed(report.declared, labels)
        ]
    # the page shows the assessment already
    return [replace(each, assessment=[]) for each in found if len(each)]


def _syntheses(report: Findings, decision: Decision) -> dict[str, str]:
    """Return the synthesis of each measure's worst finding, or of its first row."""
    rows = [*(each.row for each in decision.findings), *report.results]
    return {str(row["measure"]): str(row["synthesis"]) for row in reversed(rows)}


def _cells(listed: Sequence[Listing], labels: Mapping[str, str]) -> Iterator[Block]:
    """Yield the listed cells, measure by measure: a heading, why they are shown, and a table.
    ``labels`` has the synthesis of each measure.
    """
    for listing in [each for each in listed if each.synthesis == labels[each.measure]]:
        top, why = worth(listing, MOST)
        where = f"{listing.measure}, synthesis {shown(listing.synthesis)}"
        yield Heading(f"{where}: the first {len(top)}")
        yield Paragraph(why)
        # only the table: its paragraph warns that cells are disclosive, as does the head of the
        # page
        yield from (block for block in top._blocks() if isinstance(block, Grid))  # noqa: SLF001


def _without(report: Findings, targets: Collection[object]) -> Findings:
    """Return the report without the rows in figures of these targets."""
    parts: Any = {
        name: [row for row in getattr(report, name) if row.get("target") not in targets]
        for name in DRAWN
    }
    return replace(report, **parts)


def _article(
    report: Findings,
    finding: Finding,
    figures: Sequence[Figure],
    listed: Sequence[Listing],
    scenario: str,
) -> Article:
    """Return a finding as its page shows it: sentences, figures and cells. The cells are those of
    the file in its sentence if they are among ``listed``, otherwise those of another file.
    """
    own = [each for each in listed if each.measure == finding.row["measure"]]
    own.sort(key=lambda each: each.synthesis != finding.row["synthesis"])
    said = [Paragraph(finding.sentence)]
    held_against = Sentence(*finding.original.parts, " ", *finding.guesses.parts)
    if held_against.strip():
        said.append(Paragraph(held_against, quiet=True))
    blocks: list[Part] = [*decision_figures.of(report, finding, figures)]
    if own and (grid := worth(own[0])[0].of(finding.row["target"], CELLS)):
        if len(report.synthetic) > 1:
            blocks.append(Paragraph(f"Cells of {synthesis_name(own[0].synthesis)}:", quiet=True))
        blocks.append(grid)
    name = f"{scenario}/{finding.id}" if scenario else finding.id
    return Article(capitalized(finding.title), said, blocks, name)


def _to_sign(run: Row) -> Section:
    """Return the sign-off section, with the fingerprint (SHA-256) of the numbers if it is known."""
    if "results_sha256" not in run:
        return opening.SIGN_OFF
    fingerprint = Paragraph(f"Fingerprint of the numbers: {run['results_sha256']}", quiet=True)
    return replace(opening.SIGN_OFF, parts=[*opening.SIGN_OFF.parts, fingerprint])


def _settings(report: Findings) -> Iterator[Block]:
    """Yield the settings that differ from their defaults. ``release`` is on page one."""
    usual = Scenario().settings()
    settings = [
        (name, told)
        for name, value in report.scenario.items()
        if name != "release"
        and not _unset(value)
        and (told := _setting(value)) not in ("", _setting(usual.get(name)))
    ]
    yield Grid([GridColumn("setting", label=True), GridColumn("value", label=True)], settings)
    yield Paragraph(
        f"All other settings have the defaults of sqlrisk {report.version}.", quiet=True
    )


def _run(run: Row, *, inside: bool) -> Iterator[Block]:
    """Yield what ran, where and when, and where its hashes are, if it has a manifest. Only an
    internal page shows the command, because it may contain levels that the user typed.
    """
    engine = run["engine"]
    told = {
        "sqlrisk": run["sqlrisk"],
        "database": f"{engine.get('name', NOTHING)} {engine.get('version', '')}".strip(),
    }
    told |= run.get("environment", {}) | {name: run[name] for name in ("started",) if name in run}
    yield Paragraph("; ".join(f"{shown(name)} {shown(value)}" for name, value in told.items()))
    if inside and run.get("command"):
        yield Paragraph(f"Command: {shown(run['command'])}")
    if "results_sha256" in run:
        yield Paragraph(HASHES, quiet=True)


def _unset(value: object) -> bool:
    return value is False or value in (None, [], {})  # 0 is set


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(
            f"{shown(name)}: {_setting(item)}" for name, item in value.items() if not _unset(item)
        )
    if isinstance(value, list | tuple):
        return ", ".join(_setting(item) for item in value)
    return shown(value)
