"""The numbers of all targets at a glance."""

from collections.abc import Iterator
from dataclasses import replace

from sqlrisk.catalogue.measures import DEFAULT_FAMILIES
from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report import declared
from sqlrisk.report.blocks import Block, Grid, Heading, Paragraph
from sqlrisk.report.decision import glance
from sqlrisk.report.decision.page_one import TOLD, Decision
from sqlrisk.report.decision.sentences import conjoined
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.section import Figures, OnPage, Part
from sqlrisk.report.sections import result_tables
from sqlrisk.report.wording import HIDDEN, are, baselines, comparable, distinct, listed, means

MORE_FIGURES = (
    "More figures: CAP person by person (--distributions), class sizes (--measures "
    f"{','.join((*DEFAULT_FAMILIES, 'k_anonymity'))})."
)
OF_THE_FIRST = (
    f"The tables below have only the first {TOLD} targets; --part results has all targets."
)
MARKED = f"{HIDDEN}: this number is hidden, to protect small groups of people, or not defined."
SHOWN = 4  # number of targets that fit a screen
MOST = 12  # number of populations that fit a screen
LEFT_OUT = ("left_out", *EXCLUDED)  # measures that exclusions add to the usual ones


def measures_named(report: Findings) -> list[object]:
    """Return the measures and families that the scenario names, without the default families if it
    has all of these.
    """
    measures = [each for each in listed(report.scenario.get("measures")) if each not in LEFT_OUT]
    if not {*DEFAULT_FAMILIES} <= {*measures}:
        return measures
    return [each for each in measures if each not in DEFAULT_FAMILIES]


def tables_named(report: Findings) -> set[object]:
    """Return the families whose measures the scenario names, unless the numbers at a glance have
    all their numbers.
    """
    named = measures_named(report)
    return {
        row["family"]
        for row in comparable(glance.not_at_a_glance(report), report)
        if row["people"] == "original" and (row["family"] in named or row["measure"] in named)
    }


def of_the_worst(report: Findings, decision: Decision) -> Iterator[Block]:
    """Yield the numbers at a glance of the worst targets, under a heading."""
    worst = glance.glance(report, decision.targets, SHOWN)
    of_keys = glance.of_no_target(report)
    many = len(decision.targets)
    if worst.rows or of_keys:
        of_several = any(label.split(" ")[-1] == "mean" for label in means(of_everybody(report)))
        mean = ", mean of the files" if of_several else ""
        about_targets = any(each.row["target"] in decision.targets for each in decision.findings)
        some = f"the {SHOWN} worst" if about_targets else f"{SHOWN}"
        more = f", for {some} of {many} targets" if many > SHOWN else ""
        yield Heading(f"Percent of people{mean}{more}")
    if worst.rows:
        yield worst
    if of_keys:
        yield Paragraph(of_keys)
    yield from _hidden(worst, of_keys)


def _hidden(table: Grid, sentence: str = "") -> Iterator[Block]:
    """Yield what the mark of a hidden number means, if the table or the sentence has it."""
    if HIDDEN in sentence or any(HIDDEN in row for row in table.rows):
        yield Paragraph(MARKED, quiet=True)


def by_population(report: Findings, decision: Decision) -> Iterator[Block]:
    """Yield the headline numbers of the worst targets by population, counted by people and by
    weight. Leave out families that have a table of their own. Without populations, yield the
    numbers at a glance counted by weight.
    """
    if not any(row["population"] != "all" for row in report.results):
        weighted = [{**row, "weighted": False} for row in report.results if row["weighted"]]
        yield from _by_weight(replace(report, results=weighted), decision) if weighted else []
        return
    above, targets = glance.headings(report), [*decision.targets[:SHOWN], None]
    for each in declared.headlines(report.declared):
        above |= dict.fromkeys((each.original, each.name), above.get(each.name, ""))
    others, order, labels = tables_named(report), [*above], means(of_everybody(report))
    rows = [
        row
        for row in report.results
        if row["people"] == "original"
        and row["at"] is None
        and row["measure"] in above
        and row["target"] in targets
        and row["family"] not in others
        and row["synthesis"] in labels
    ]
    populations = [each for each in distinct(rows, "population") if each != "all"]
    if len(populations) > MOST:
        yield Paragraph(f"The whole report has the numbers of {len(populations)} populations.")
    elif result_tables.differing(rows):
        rows.sort(key=lambda row: (targets.index(row["target"]), order.index(row["measure"])))
        yield from result_tables.of_populations(report, rows, above)


def _by_weight(weighted: Findings, decision: Decision) -> Iterator[Block]:
    """Yield the numbers at a glance of a report that has only weighted numbers."""
    yield Paragraph("Counted by weight, which estimates the population:")
    yield glance.glance(weighted, decision.targets, SHOWN)
    if of_keys := glance.of_no_target(weighted):
        yield Paragraph(of_keys)


def _legend(report: Findings) -> str:
    """Return a text that explains the measured columns of the numbers at a glance."""
    headlines = declared.of_targets(report.declared)
    measured = {row["measure"] for row in report.results}
    said = [
        f"{conjoined(known)} {are(len(known))} {what}"
        for names, what in (
            ([each.original for each in headlines], "what the original itself would reveal"),
            (baselines(report), "a guess from only the target's shares"),
            ([each.name for each in headlines], "what the synthetic file reveals"),
        )
        if (known := [name for name in names if name in measured])
    ]
    compare = " Compare them with each other." if len(said) > 1 else ""
    return f"Percent of original records. {'; '.join(said)}.{compare}"


def in_words(report: Findings, decision: Decision) -> Iterator[Part]:
    """Yield the headline numbers of the first targets in a table without symbols."""
    table = glance.in_words(report, decision.targets[:TOLD])
    if table.rows:
        yield table
        yield from _hidden(table)
        yield Paragraph(glance.IN_WORDS, quiet=True)


def numbers(report: Findings, decision: Decision) -> Iterator[Part]:
    """Yield the headline numbers of all targets in one table, and their figures."""
    table = glance.glance(report, decision.targets)
    if not table.rows:
        return
    yield table
    if len(decision.targets) > TOLD:
        yield OnPage([Paragraph(OF_THE_FIRST, quiet=True)])
    yield Paragraph(_legend(report), quiet=True)
    yield Figures(("arrows", "heat", "slopes", "people"))
    if not (measures_named(report) or report.scenario.get("distributions") or report.rounding):
        yield OnPage([Paragraph(MORE_FIGURES, quiet=True)])
