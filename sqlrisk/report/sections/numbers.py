"""The numbers of all targets at a glance."""

from collections.abc import Iterator

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report import declared
from sqlrisk.report.blocks import Paragraph
from sqlrisk.report.decision import glance
from sqlrisk.report.decision.page_one import TOLD, Decision
from sqlrisk.report.decision.sentences import conjoined
from sqlrisk.report.findings import Findings
from sqlrisk.report.section import Figures, OnPage, Part
from sqlrisk.report.wording import baselines, listed

MORE_FIGURES = (
    "More figures: CAP person by person (--distributions), class sizes (--measures "
    f"{','.join((*DEFAULT_FAMILIES, 'k_anonymity'))})."
)
OF_FINDINGS = (
    "All further tables of targets have those of the findings; --part results has all of them."
)
LEFT_OUT = ("left_out", *EXCLUDED)  # measures that exclusions add to the usual ones


def names_measures(report: Findings) -> bool:
    """Return True if the scenario names measures other than the default ones."""
    measures = [each for each in listed(report.scenario.get("measures")) if each not in LEFT_OUT]
    return measures not in ([], [*DEFAULT_FAMILIES])


def in_words(report: Findings, decision: Decision) -> Iterator[Part]:
    """Yield the headline numbers of the findings' targets in a table without symbols."""
    table = glance.in_words(report, decision.targets[:TOLD])
    if table.rows:
        yield table
        yield Paragraph(glance.IN_WORDS, quiet=True)


def numbers(report: Findings, decision: Decision) -> Iterator[Part]:
    """Yield the headline numbers of all targets in one table, and their figures."""
    table = glance.glance(report, decision.targets)
    if not table.rows:
        return
    yield table
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
    if not (names_measures(report) or report.scenario.get("distributions") or report.rounding):
        yield OnPage([Paragraph(MORE_FIGURES, quiet=True)])
