"""The sections of a report in order, for text, Markdown and pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlrisk.report.blocks import Block, Heading, Paragraph
from sqlrisk.report.columns import TITLE
from sqlrisk.report.decision import sentences
from sqlrisk.report.decision.page_one import TOLD, Decision, brief, decide_on, page_one
from sqlrisk.report.findings import Findings
from sqlrisk.report.formats.screen import LINES
from sqlrisk.report.formats.text import text
from sqlrisk.report.results import verdicts
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.section import (
    Figures,
    InText,
    OnPage,
    Part,
    Section,
    Template,
    below,
    in_text,
    text_of,
)
from sqlrisk.report.sections import (
    assessment,
    checks,
    compared,
    control,
    criteria,
    distributions,
    meaning,
    membership,
    numbers,
    opening,
    population_uniques,
    result_tables,
    risk_utility,
    rounding,
    trends,
)
from sqlrisk.report.signing import evidence
from sqlrisk.report.wording import distinct, listed

# recipe: add a report section, its import

MORE = Paragraph("All tables: --verbose (in Python: to_text()). A page: -o risk.html.", quiet=True)
NO_FORM = "The form that counts again with other keys and levels is left out"
# Sections that are there only if a setting asked for them.
ASKED_FOR = ("persons", "curves", "population-uniques", "trends", "utility")


@dataclass(frozen=True)
class PageParts:
    """Content of a page that is not part of the report.

    Attributes:
        decision: the content of page one, if it is known.
        findings: an article for each finding that has one.
        cells: the risky cells to show.
        others: sections with results of other runs on these files.
        uniques: the special uniques, if they were searched.
        run: what ran, where and when.
        to_sign: the place for signatures.
        near: the report, limited to the first targets if there are many.
    """

    decision: Decision | None = None
    findings: Sequence[Part] = ()
    cells: Sequence[Part] = ()
    others: Sequence[Section] = ()
    uniques: Uniques | None = None
    run: Sequence[Part] = ()
    to_sign: Section = opening.SIGN_OFF
    near: Findings | None = None


def report_blocks(report: Findings) -> list[Block]:
    """Return the whole report as text and Markdown show it."""
    return [Heading(TITLE, 1), *text_of(report_sections(report))]


def brief_blocks(report: Findings) -> list[Block]:
    """Return page one, the numbers of the worst targets, and the tables that were asked for."""
    decision = brief(report)
    worst = [*numbers.of_the_worst(report, decision)]
    screen = [*_page_one(decision), *worst]
    for kept in range(len(decision.reservations) - 1, 0, -1):
        # Only reservations are cut to fit, so the text may have more lines.
        if len(text([*screen, MORE]).splitlines()) <= LINES:
            break
        some, rest = decision.reservations[:kept], decision.reservations[kept:]
        more = f"{len(rest)} more in the whole report."
        screen = [*_page_one(replace(decision, reservations=[*some, more])), *worst]
    return [*screen, *asked_for(report, decision), MORE]


def _page_one(decision: Decision) -> Iterator[Block]:
    yield Heading(TITLE, 1)
    yield from in_text(page_one(decision))


def asked_for(report: Findings, decision: Decision) -> Iterator[Block]:
    """Yield the tables that the scenario asked for: of populations and weights, of the families of
    the measures that it names, what the synthesis added, and the sections of further settings.
    """
    yield from numbers.by_population(report, decision)
    wanted = {*ASKED_FOR, *map(_anchor, numbers.tables_named(report))}
    if numbers.measures_named(report):
        wanted.add("added")
    yield from text_of(section for section in report_sections(report) if section.id in wanted)


def report_sections(report: Findings, beside: PageParts | None = None) -> list[Section]:
    """Return the nonempty sections of a report in order. ``beside`` is what a page adds."""
    found = beside or PageParts()
    decision = found.decision or decide_on(report)
    near = found.near or report
    verdict = report.policy.get("verdict") or assessment.worst(report.assessment)
    in_words = [*numbers.in_words(report, decision)]
    both_checks = [*below(checks.one_way(report)), *below(checks.two_way(report))]
    both_sides = [*below(checks.overlap(report)), *below(checks.levels(report))]
    models = population_uniques.blocks(report) if report.population_uniques else ()
    sections = [
        opening.decision(page_one(decision), verdict),
        Section("glance", "The numbers in words", [OnPage(in_words)], place="front"),
        found.to_sign,
        opening.told(decision, found.findings),
        Section("cells", "Cells worth looking at", [OnPage(found.cells)]),
        Section.of("assessment", assessment.blocks(report.assessment, report.copies)),
        Section.of("policy", [*verdicts.blocks(report.policy), Figures(("policy",))]),
        Section("numbers", "The numbers at a glance", [*numbers.numbers(report, decision)]),
        Section("scenario", "Scenario", [*compared.compared(report)]),
        Section.of("rounding", rounding.blocks(report) if report.rounding else ()),
        Section("criteria", "The three criteria", [*criteria.criteria(near, found.uniques)]),
        *(_family(near, name) for name in _families(near)),
        Section.of("curves", membership.blocks(report) if report.membership else ()),
        *found.others,
        Section("persons", "Person by person", [*_persons(report, near)]),
        Section("checks", "One-way and two-way checks", both_checks),
        Section.of("population-uniques", models),
        Section.of("pools", sentences.pool_blocks(near)),
        Section.of("added", control.added(report)),
        Section.of("trends", trends.blocks(report) if report.scenario.get("trend") else ()),
        # recipe: add a report section
        Section("sides", "Overlap of the files", both_sides),
        Section("utility", "Risk and utility", [*_utility(report)]),
        Section("what-if", "What if?", [*_what_if(report)]),
        Section("meaning", "Definitions and notes", [*meaning.meaning(report)]),
        Section("settings", "Settings and versions", [OnPage([*found.run])]),
        Section.of("evidence", evidence.blocks(report) if report.evidence else ()),
    ]
    return [section for section in sections if section.parts]


def _families(report: Findings) -> list[str]:
    """Return the families of measures to show, in order. The section about rounding names the
    families that an external report leaves out.
    """
    hidden = listed(report.rounding.get("left_out"))
    shown = [name for name in distinct(report.results, "family") if name not in hidden]
    return sorted(shown, key=lambda name: report.family(name).section)


def _family(report: Findings, name: str) -> Section:
    """Return the tables of a family of measures, its limits and its figures."""
    family = report.family(name)
    parts = result_tables.family(report, name)
    limits = Paragraph(f"Limits: {family.limits}", quiet=True)
    return Section.of(_anchor(name), [*parts, OnPage([limits]), Figures(family.figures)])


def _anchor(family: object) -> str:
    return f"family-{family}".replace("_", "-")


def _persons(report: Findings, near: Findings) -> Iterator[Part]:
    """Yield how CAP and lift are distributed. A page has figures, and only the targets of ``near``
    (see `PageParts`).
    """
    if not (report.distributions or report.shares):
        return
    if near is not report:
        more = f"The first {TOLD} targets; --part distributions has all of them."
        yield OnPage([Paragraph(more, quiet=True)])
    yield Figures(("persons",))
    yield OnPage([*distributions.blocks(near, bars=False)])
    yield InText([*distributions.blocks(report)])
    yield Figures(("shares",))


def _utility(report: Findings) -> Iterator[Part]:
    if report.utility is not None:
        yield Figures(("map",))
        yield from below(risk_utility.blocks(report))
        yield from below(report.utility.section())


def _what_if(report: Findings) -> Iterator[Part]:
    """Yield the counts for what-if on a page, or the reason why there are none."""
    if report.cube is None:
        return
    if report.cube.left_out:
        yield OnPage([Paragraph(f"{NO_FORM}: {report.cube.left_out}.", quiet=True)])
    else:
        yield Template("what_if.html.j2", {"cube": report.cube})
