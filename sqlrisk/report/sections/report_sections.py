"""What a report says and in which order, in text, in Markdown and on a page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report import declared
from sqlrisk.report.blocks import Block, Heading, Items, Paragraph, Terms
from sqlrisk.report.decision import glance, sentences
from sqlrisk.report.decision.page_one import (
    ORDER,
    TOLD,
    Decision,
    brief,
    counted,
    decide_on,
    findings,
    knowing,
    page_one,
)
from sqlrisk.report.decision.sentences import conjoined
from sqlrisk.report.findings import Findings
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
    distributions,
    membership,
    population_uniques,
    result_tables,
    risk_utility,
    rounding,
    trends,
)
from sqlrisk.report.signing import evidence
from sqlrisk.report.wording import (
    NOTHING,
    baselines,
    distinct,
    label_name,
    left_out,
    listed,
    plain_text,
    shown,
    split,
)

# recipe: add a report section, its import

TITLE = "Disclosure risk of synthetic data"
MORE = "All tables: --verbose (in Python: to_text()). A page: -o risk.html."
MORE_FIGURES = (
    "More figures: CAP person by person (--distributions), class sizes (--measures "
    f"{','.join((*DEFAULT_FAMILIES, 'k_anonymity'))})."
)
LEFT_OUT = ("left_out", *EXCLUDED)  # what whoever leaves people out gets beside the usual numbers
SHOWN = 4  # targets whose numbers fit a screen
NOTES = [
    (
        "Percentages are of original records unless the unit says otherwise; a higher one means "
        "more risk unless the measure says otherwise."
    ),
    (
        "Original is what the original file itself would reveal, baseline is a guess from the "
        "target's shares alone: compare every number of the synthetic file with these two."
    ),
    (
        "These are numbers for a decision, not the decision: no single one of them says that a "
        "file is safe."
    ),
]
MANY = (
    f"Of more than {result_tables.FEW} syntheses of a name mean, least and greatest are shown: "
    "--part results has each, and so have CSV, JSON and Parquet."
)
OF_FINDINGS = (
    "All further tables of targets have those of the findings; --part results has all of them."
)
UNDEFINED = f"{NOTHING} means not defined: there is nobody to divide by."
USUAL = "more risk"  # what a higher number means if its measure does not say otherwise
SYMBOLS = (
    ("q, t", "a combination of the keys; a level of the target"),
    ("d, s, p", "people of the original; records of the synthetic file; people of the universe"),
    (
        "d_q, d_tq",
        (
            "people with these keys; those of them with this level of the target (s_q, s_tq, p_q "
            "alike)"
        ),
    ),
    ("d_t, N_d, N_s", "people with this level; all people; all synthetic records"),
    (
        "tau",
        "the least share of the synthetic records with the same keys that a guess has behind it",
    ),
)
# `sqlrisk sign` puts the signatures in.
SIGN_OFF = Section(
    "sign-off",
    "Sign-off",
    [Template("sign_off.html.j2", {"signatures": []})],
    kind="sign-off",
    place="front",
)


@dataclass(frozen=True)
class Beside:
    """What a page shows that the report does not hold.

    Attributes:
        findings: an article for each finding that has one.
        cells: the cells worth looking at.
        others: what other runs found of the same files: sections.
        uniques: the special uniques, if they were looked for.
        run: what ran, where and when.
        to_sign: the place for signatures.
        near: the report of the targets of the findings, of which a page of many has tables.
    """

    findings: Sequence[Part] = ()
    cells: Sequence[Part] = ()
    others: Sequence[Section] = ()
    uniques: Uniques | None = None
    run: Sequence[Part] = field(default_factory=tuple)
    to_sign: Section = SIGN_OFF
    near: Findings | None = None


def report_blocks(report: Findings) -> list[Block]:
    """Return the whole report as text and Markdown show it."""
    return [Heading(TITLE, 1), *text_of(report_sections(report))]


def brief_blocks(report: Findings) -> list[Block]:
    """Return what fits a screen: page one, and the numbers of the worst targets at a glance."""
    decision = decide_on(report)
    numbers = glance.glance(report, decision.targets, SHOWN)
    more = (
        f", of the {SHOWN} worst of {len(decision.targets)} targets"
        if len(decision.targets) > SHOWN
        else ""
    )
    of_keys = glance.of_no_target(report)
    said: list[Block] = [numbers] if numbers.rows else []
    said += [Paragraph(of_keys)] if of_keys else []
    table = [Heading(f"The numbers{more}"), *said] if said else []
    first = in_text(page_one(brief(decision)))
    return [Heading(TITLE, 1), *first, *table, Paragraph(MORE, quiet=True)]


def looks_closer(report: Findings) -> bool:
    """Return whether more than the usual numbers was asked for, so that its tables are wanted."""
    scenario = report.scenario
    closer = any(scenario.get(name) for name in ("distributions", "trend", "sampled"))
    measures = [each for each in listed(scenario.get("measures")) if each not in LEFT_OUT]
    return closer or report.utility is not None or measures != [*DEFAULT_FAMILIES]


def report_sections(report: Findings, beside: Beside | None = None) -> list[Section]:
    """Return the sections of a report that say something, in their order; ``beside``: what a page
    has besides.
    """
    found, decision = beside or Beside(), decide_on(report)
    near = found.near or report
    sections = [
        Section(
            "decision",
            "The decision",
            [*below(page_one(decision))],
            kind=f"verdict {report.policy.get('verdict') or assessment.worst(report.assessment)}",
            place="front",
        ),
        Section(
            "glance",
            "The numbers in words",
            [OnPage([*_in_words(report, decision)])],
            place="front",
        ),
        found.to_sign,
        _findings(decision, found),
        Section("cells", "Cells worth looking at", [OnPage(found.cells)]),
        Section.of("assessment", assessment.blocks(report.assessment, report.copies)),
        Section.of("policy", [*verdicts.blocks(report.policy), Figures(("policy",))]),
        Section("numbers", "The numbers at a glance", [*_numbers(report, decision)]),
        Section("scenario", "What was compared", [*_compared(report)]),
        Section.of("rounding", rounding.blocks(report)),
        Section("criteria", "The three criteria", [*_criteria(near, found.uniques)]),
        *(_family(near, name) for name in _families(near)),
        Section.of("curves", membership.blocks(report)),
        *found.others,
        Section("persons", "Person by person", [*_persons(report, decision)]),
        Section(
            "checks",
            "One-way and two-way checks",
            [*below(checks.one_way(report)), *below(checks.two_way(report))],
        ),
        Section.of("population-uniques", population_uniques.blocks(report)),
        Section.of("pools", sentences.pool_blocks(near)),
        Section.of("added", control.added(report)),
        Section.of("trends", trends.blocks(report)),
        # recipe: add a report section
        Section(
            "sides",
            "What the files have in common",
            [*below(checks.overlap(report)), *below(checks.levels(report))],
        ),
        Section("utility", "Risk and utility", [*_utility(report)]),
        Section("what-if", "What if?", [*_what_if(report)]),
        Section("meaning", "What the numbers mean", [*_meaning(report)]),
        Section("settings", "Settings and versions", [OnPage([*found.run])]),
        Section.of("evidence", evidence.blocks(report) if report.evidence else ()),
    ]
    return [section for section in sections if section.parts]


def _findings(decision: Decision, found: Beside) -> Section:
    """Text has a list of them, a page an article for each."""
    known = (
        Paragraph(knowing(decision), quiet=True)
        if decision.findings
        else Paragraph("Nothing that is said in words was measured.")
    )
    listing, order = InText([findings(decision)]), Paragraph(ORDER, quiet=True)
    parts: list[Part] = [listing, OnPage([known, *found.findings]), order]
    return Section("findings", counted(decision), parts, place="findings")


def _in_words(report: Findings, decision: Decision) -> Iterator[Part]:
    """Say the headlines of the targets of the findings in a table that needs no symbol."""
    numbers = glance.in_words(report, decision.targets[:TOLD])
    if numbers.rows:
        yield numbers
        yield Paragraph(glance.IN_WORDS, quiet=True)


def _numbers(report: Findings, decision: Decision) -> Iterator[Part]:
    """Say the headlines of all targets in one table, and draw them."""
    yield glance.glance(report, decision.targets)
    if len(decision.targets) > TOLD:
        yield OnPage([Paragraph(OF_FINDINGS, quiet=True)])
    headlines = declared.of_targets(report.declared)
    originals, names = (
        " and ".join(getattr(each, of) for each in headlines) for of in ("original", "name")
    )
    yield Paragraph(
        f"Percent of original records. {originals} are what the original itself would reveal; "
        f"{conjoined(baselines(report))} is a guess from the target's shares alone; {names} are "
        "what the synthetic file reveals. Compare them with each other.",
        quiet=True,
    )
    yield Figures(("arrows", "heat", "slopes", "people"))
    if not looks_closer(report) and not report.rounding:
        yield OnPage([Paragraph(MORE_FIGURES, quiet=True)])


def _compared(report: Findings) -> Iterator[Part]:
    """Say which files are compared, how, and who is not counted."""
    yield from compared.blocks(report)
    excluded, why = [*left_out(report.scenario)], report.scenario.get("justification")
    said = "No justification was given (--justification)."
    if why is not None:
        said = f"Justification: {shown(why)}"
    nobody = Paragraph("Nobody: nothing is excluded.")
    told = [Items(excluded), Paragraph(said)] if excluded else [nobody]
    yield OnPage([Heading("Who is not counted", 3), *told])
    yield from below(checks.exclusions(report))


def _criteria(report: Findings, uniques: Uniques | None) -> Iterator[Part]:
    """Say what was measured of singling out, linkability and inference."""
    yield glance.criteria(report)
    said = [
        "Singling out. Special uniques (SUDA) were not looked for; they have a run of their own: "
        "sqlrisk uniques."
        if uniques is None
        else f"Singling out. Of {uniques.uniques:,} uniques {uniques.special:,} are special "
        "(SUDA): few of the keys are enough to find them."
    ]
    measured = {row["measure"] for row in report.results}
    if measured.isdisjoint(declared.criteria(report.declared)[declared.LINKABILITY]):
        said.append(
            "Linkability. Not measured: say which columns someone could know of a person from two "
            "places (--link age,sex/region,income), or which record was made from whom "
            "(--aligned). That it was not measured does not say that records cannot be linked."
        )
    yield Items(said)
    yield Paragraph(
        "The three criteria are those of Article 29 Working Party, Opinion 05/2014 on "
        "anonymisation techniques (WP216). The numbers inform a decision about them; none of them "
        "decides.",
        quiet=True,
    )


def _families(report: Findings) -> list[str]:
    """Return the families that are shown: those of which an external report tells nothing are named
    by it, and left out.
    """
    shown_ones = [
        family
        for family in distinct(report.results, "family")
        if family not in listed(report.rounding.get("left_out"))
    ]
    return sorted(shown_ones, key=lambda name: report.family(name).section)


def _family(report: Findings, name: str) -> Section:
    """Return the tables of a family of measures, what they do not say, and its figures."""
    family = report.family(name)
    parts = result_tables.family(report, name)
    limits = Paragraph(f"What it does not say: {family.limits}", quiet=True)
    return Section.of(
        f"family-{name.replace('_', '-')}", [*parts, OnPage([limits]), Figures(family.figures)]
    )


def _persons(report: Findings, decision: Decision) -> Iterator[Part]:
    """Say how CAP and lift are distributed over people. A page has them of the targets of the
    findings, with figures in the place of bars.
    """
    if not (report.distributions or report.shares):
        return
    if len(decision.targets) > TOLD:
        yield OnPage(
            [
                Paragraph(
                    "The targets of the findings; --part distributions has all of them.", quiet=True
                )
            ]
        )
    first = decision.targets[:TOLD]
    yield Figures(("persons",))
    yield OnPage([*distributions.blocks(report, first, bars=False)])
    yield InText([*distributions.blocks(report)])
    yield Figures(("shares",))


def _utility(report: Findings) -> Iterator[Part]:
    """Say risk beside utility."""
    if report.utility is not None:
        yield Figures(("map",))
        yield from below(risk_utility.blocks(report))
        yield from below(report.utility.section())


def _what_if(report: Findings) -> Iterator[Part]:
    """Give the page what it counts anew from, or say why there is nothing."""
    if report.cube is None:
        return
    if report.cube.left_out:
        yield OnPage([Paragraph(f"Left out: {report.cube.left_out}.", quiet=True)])
    else:
        yield Template("what_if.html.j2", {"cube": report.cube})


def _meaning(report: Findings) -> Iterator[Part]:
    """Define what was measured, and the symbols of formulas."""
    units = {name: str(rows[0]["unit"]) for name, rows in split(report.results, "measure")}
    defined = [(name, _defined(report.headers.get(name, {}), unit)) for name, unit in units.items()]
    used = {word for _, said in defined for word in re.findall(r"\w+", said)}
    symbols = [pair for pair in SYMBOLS if used.intersection(re.findall(r"\w+", pair[0]))]
    yield OnPage([Terms(defined, quiet=True)])
    if symbols:
        yield OnPage([Heading("Symbols", 3), Terms(symbols, quiet=True)])
    yield Items(NOTES + [MANY] * _many(report) + [UNDEFINED] * _undefined(report), quiet=True)


def _defined(header: Mapping[str, object], unit: str) -> str:
    said = [f"{header.get('title', unit)}."]
    said += [f"{header['formula']} ({unit})." if "formula" in header else f"In {unit}."]
    if header.get("higher", USUAL) != USUAL:
        said.append(f"Higher means {header['higher']}.")
    said += [f"Source: {header['source']}."] if "source" in header else []
    return " ".join(said)


def _many(report: Findings) -> bool:
    """Return whether a name has more syntheses than are shown each."""
    names = [label_name(plain_text(side.get("synthesis"))) for side in report.synthetic]
    return any(names.count(name) > result_tables.FEW for name in names)


def _undefined(report: Findings) -> bool:
    """Return whether a number is not defined, rather than hidden."""
    return any(row["value"] is None and not row.get("hidden") for row in report.results)
