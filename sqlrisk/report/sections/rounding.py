"""The rounding of the figures in an external report, and the results of its audit."""

from collections.abc import Iterator

from sqlrisk.report.blocks import Block, Heading, Items, Paragraph
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import HIDDEN, are, listed, names

NUMBERS = ("threshold", "attacked", "whole", "fractions", "coarser", "hidden")


def blocks(report: Findings) -> Iterator[Block]:
    """Yield how the figures of an external report are rounded, and what its audit proved."""
    least, attacked, whole, fractions, coarser, hidden = (
        int(str(report.rounding[name])) for name in NUMBERS
    )
    yield Heading("Rounding and audit")
    joined = least + (least + 1) // 2  # above the two lowest multiples
    yield Paragraph(
        "Every figure is rounded. Counts of people, and sums over people, are rounded to the "
        f"nearest multiple of {least}, weighted ones to multiples of {least} times the average "
        "weight, rounded up to 1, 2 or 5 and zeros (375 to 500). The two lowest multiples are "
        f"joined, and so are the two highest: <{joined} means 0 to {joined - 1}. A share is "
        "computed from its rounded numerator and denominator. Figures computed from others use "
        f"the rounded ones, so they may be off by more. {HIDDEN} is hidden, or not defined."
    )
    attacks = (
        f"An audit tried to work out {attacked:,} counts of people: all that are published, and "
        "every sum and difference that is a count of people: of two figures, within and between "
        "targets, syntheses and populations, and of three of one population or one measure."
    )
    if several := report.rounding.get("scenarios"):
        attacks += (
            f" They are the counts of all {several} intruders, with sums and differences of a "
            "figure of one and a figure of another, as a reader of all chapters has them."
        )
    proof = (
        f"For each count that may be below {least}, at least {least} values remain possible to a "
        "reader who knows how many records there are, the definitions of all measures, and every "
        "figure here."
    )
    pairs = (
        f"{whole:,} of these small counts {are(whole)} proven by pairs of possible data sets of "
        "whole people that agree with every figure."
    )
    if fractions:
        pairs += (
            f" {fractions:,} more {are(fractions)} proven only with fractions of people, because "
            "of weights, or because no data sets of whole people were found."
        )
    words = (
        "Whether the files can be assessed is judged by the rounded figures, in the worst case: "
        "if a figure may mean that nobody was found, the report says so."
    )
    uncovered = (
        "Not covered: what a reader knows from elsewhere, such as the synthetic files themselves, "
        "a part of the original, or another report on these people."
    )
    told = [attacks, proof, pairs, words, uncovered]
    if coarser:
        told.append(
            f"Rounded to 2 or 4 times {least}, as {least} was too fine: {coarser} of the figures."
        )
    if hidden:
        told.append(f"Hidden, because no rounding was coarse enough: {hidden} of the figures.")
    if by := report.scenario.get("by"):
        told.append(f"Left out, because their names are levels: the groups by {names(by)}.")
    if left_out := listed(report.rounding["left_out"]):
        families = "; ".join(report.family(str(name)).title for name in left_out)
        told.append(f"Left out, because none of their figures can be published: {families}.")
    yield Items(told)
