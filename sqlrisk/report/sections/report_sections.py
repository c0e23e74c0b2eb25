"""What a report says and in which order: from its rows to the blocks that text and
Markdown draw.
"""

from collections.abc import Iterator, Mapping

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms
from sqlrisk.report.decision import glance, sentences
from sqlrisk.report.decision.page_one import brief, decide_on, findings, page_one
from sqlrisk.report.findings import Findings
from sqlrisk.report.results import verdicts
from sqlrisk.report.sections import (
    assessment,
    checks,
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
    Row,
    distinct,
    label_name,
    left_out,
    listed,
    names,
    number_of,
    pairs,
    plain_text,
    shown,
)

# recipe: add a report section, its import

TITLE = "Disclosure risk of synthetic data"
MORE = "All tables: --verbose (in Python: to_text()). A page: -o risk.html."
LEFT_OUT = ("left_out", *EXCLUDED)  # what whoever leaves people out gets beside the usual numbers
SHOWN = 4  # targets whose numbers fit a screen
ASSUMED = (
    "target levels were drawn in each class of the keys from a saturated multinomial, anew for "
    "each synthesis, with a Dirichlet "
    "prior of {prior:g} for each level; the intruder knows this, and every record of the original "
    "but one target level, of which "
    "{thought}"
)
THOUGHT = {
    "uniform": "all levels were equally probable",
    "others": (
        "a level was as probable as the other people of the class have it, {prior:g} added "
        "to each level"
    ),
    "baseline": "a level was as probable as the file of its baseline says",
}
NOTES = [
    (
        "Percentages are of original records unless the unit says otherwise; a higher one means "
        "more risk unless the measure "
        "says otherwise."
    ),
    (
        "Original is what the original file itself would reveal, baseline is a guess from the "
        "target's shares alone: "
        "compare every number of the synthetic file with these two."
    ),
    (
        "These are numbers for a decision, not the decision: no single one of them says that a "
        "file "
        "is safe."
    ),
]
MANY = (
    f"Of more than {result_tables.FEW} syntheses of a name mean, least and greatest are shown: "
    "--part results has each, and so "
    "have CSV, JSON and Parquet."
)
UNDEFINED = f"{NOTHING} means not defined: there is nobody to divide by."


def report_blocks(report: Findings) -> list[Block]:
    """Return the whole report: page one, findings, and all tables."""
    return [block for blocks in report_sections(report).values() for block in blocks]


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
    return [Heading(TITLE, 1), *page_one(brief(decision)), *table, Paragraph(MORE, quiet=True)]


def looks_closer(report: Findings) -> bool:
    """Return whether more than the usual numbers was asked for, so that its tables are wanted."""
    scenario = report.scenario
    closer = any(scenario.get(name) for name in ("distributions", "trend", "sampled"))
    measures = [each for each in listed(scenario.get("measures")) if each not in LEFT_OUT]
    return closer or report.utility is not None or measures != [*DEFAULT_FAMILIES]


def report_sections(report: Findings) -> dict[str, list[Block]]:
    """Return the blocks of the report by part, in order; a part is a family of measures, or one of
    the names below.
    """
    decision = decide_on(report)
    return {
        "title": [Heading(TITLE, 1)],
        "decision": [*page_one(decision)],
        "findings": [*findings(decision)],
        "assessment": assessment.blocks(report.assessment, report.copies),
        "compared": [*_compared(report)],
        "rounding": [*rounding.blocks(report)],
        "policy": [*verdicts.blocks(report.policy)],
        **{family: [*result_tables.family(report, family)] for family in _families(report)},
        "population_uniques": [*population_uniques.blocks(report)],
        "curves": [*membership.blocks(report)],
        "maps": [*risk_utility.blocks(report)],
        "utility": report.utility.section() if report.utility is not None else [],
        "pools": sentences.pool_blocks(report),
        "added": [*control.added(report)],
        "one_way": [*checks.one_way(report)],
        "two_way": [*checks.two_way(report)],
        "exclusions": [*checks.exclusions(report)],
        "overlap": [*checks.overlap(report)],
        "levels": [*checks.levels(report)],
        "distributions": [*distributions.blocks(report)],
        "trends": [*trends.blocks(report)],
        # recipe: add a report section
        "notes": [
            Heading("Notes"),
            Items(NOTES + [MANY] * _many(report) + [UNDEFINED] * _undefined(report), quiet=True),
        ],
        "evidence": [*evidence.blocks(report)] if report.evidence else [],
    }


def _families(report: Findings) -> list[str]:
    """Return the families that are shown: those of which an external report tells nothing are named
    by it, and left out.
    """
    return [
        family
        for family in distinct(report.results, "family")
        if family not in listed(report.rounding.get("left_out"))
    ]


def _many(report: Findings) -> bool:
    """Return whether a name has more syntheses than are shown each."""
    names = [label_name(plain_text(side.get("synthesis"))) for side in report.synthetic]
    return any(names.count(name) > result_tables.FEW for name in names)


def _undefined(report: Findings) -> bool:
    """Return whether a number is not defined, rather than hidden."""
    return any(row["value"] is None and not row.get("hidden") for row in report.results)


def _compared(report: Findings) -> Iterator[Block]:
    named = any(" " in plain_text(side.get("synthesis")) for side in report.synthetic)
    sides = [("original", report.original)]
    for place, side in enumerate(report.synthetic, 1):
        label = plain_text(side.get("synthesis") or place)
        sides.append((label if named else f"synthesis {label}", side))
    sides += [("universe", report.universe)] if report.universe is not None else []
    sides += [("control", report.control)] if report.control is not None else []
    lines = [
        [name, shown(side.get("source")), number_of(side, "records"), number_of(side, "classes")]
        for name, side in sides
    ]
    yield Grid(
        [Column("", label=True), Column("file", label=True), Column("records"), Column("classes")],
        lines,
    )
    yield from assessment.left_out([side for _, side in sides])
    yield Terms(list(_settings(report.scenario, report.labels)))


def _said_of_columns(columns: object) -> Iterator[str]:
    """Say what the dictionary says of each column: ``age: missing -8, bands 0, 18, 65``."""
    for column, said in columns.items() if isinstance(columns, Mapping) else ():
        texts = []
        for name, value in said.items() if isinstance(said, Mapping) else ():
            if name == "label":  # it is said beside those of the files
                continue
            groups = value.items() if isinstance(value, Mapping) else ()
            text = ", ".join(
                f"{shown(group)} ({names(levels)})" for group, levels in groups
            ) or names(value)
            texts.append(f"{name.replace('_', ' ')} {text}")
        if texts:
            yield f"{shown(column)}: {', '.join(texts)}"


def _settings(scenario: Row, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Say the scenario's settings in words; what is not set is left out, but for the exclusions."""
    yield "keys", names(scenario.get("keys"))
    targets = (
        names(scenario.get("targets"))
        if scenario.get("targets")
        else "none: no column besides the keys is in all files"
    )
    yield "targets", targets
    if labels:
        yield (
            "labels",
            "; ".join(f"{shown(column)}: {shown(label)}" for column, label in labels.items()),
        )
    # recipe: add a setting
    if bins := pairs(scenario.get("bins")):
        yield "bins", ", ".join(f"{column} in {count} quantile bins" for column, count in bins)
    if special := pairs(scenario.get("special")):
        yield "special values", ", ".join(f"{column}: {value}" for column, value in special)
    if said := "; ".join(_said_of_columns(scenario.get("column"))):
        yield "columns", said
    if missing := scenario.get("missing"):
        yield "missing values", names(missing)
    if within := pairs(scenario.get("within")):
        floors = dict(pairs(scenario.get("within_floor")))
        texts = {
            column: f"{text}, at least {floors[column]}" if column in floors else text
            for column, text in within
        }
        keys = {shown(key) for key in listed(scenario.get("keys"))}
        for told, of_keys in (("right within", False), ("key within", True)):
            if some := [
                f"{column}: {text}" for column, text in texts.items() if (column in keys) == of_keys
            ]:
                yield told, ", ".join(some)
    if links := listed(scenario.get("link")):
        yield "joined", "; ".join(map(shown, links))
    if scenario.get("aligned"):
        by = scenario.get("id")
        yield (
            "aligned",
            "record by record, in the order of the files" if by is None else f"by {shown(by)}",
        )
    if scenario.get("assume"):
        prior = scenario.get("prior")
        thought = THOUGHT[scenario.get("intruder_prior") or "uniform"].format(prior=prior)
        yield "assumed", ASSUMED.format(prior=prior, thought=thought)
    yield "not counted", "; ".join(left_out(scenario)) or "nothing is excluded"
    if (why := scenario.get("justification")) is not None:
        yield "because", shown(why)
