"""The rounding of the figures in an external report, and the results of its audit."""

from collections.abc import Iterator

from sqlrisk.report.blocks import Block, Heading, Items, Paragraph
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import HIDDEN, listed

NUMBERS = ("threshold", "attacked", "whole", "fractions", "coarser", "hidden")


def blocks(report: Findings) -> Iterator[Block]:
    """Yield how the figures of an external report are rounded, and what its audit proved."""
    least, attacked, whole, fractions, coarser, hidden = (
        int(str(report.rounding[name])) for name in NUMBERS
    )
    yield Heading("How the figures are rounded, and what was proven")
    ends = f"<{least + (least + 1) // 2}"
    yield Paragraph(
        "Every figure is rounded: counts of people, and sums over people, to the nearest multiple "
        f"of {least}; those by weight to a multiple that stands for as many people. At the ends "
        f"two roundings are one: {ends} is none as well as {least}. A share is that of its two "
        "rounded sides, and what is worked out from other figures is worked out from the rounded "
        f"ones, so that it may be off by more. {HIDDEN} is hidden, or not defined."
    )
    attacks = (
        f"{attacked:,} counts of people were attacked: all that are published, and every sum and "
        "difference of up to three figures that is a count of people, within and between targets, "
        "syntheses and populations."
    )
    if several := report.rounding.get("scenarios"):
        attacks += (
            f" They are those of all {several} intruders, with the sums and differences of a "
            "figure of each of two: for a reader of all chapters."
        )
    proof = (
        f"Each of them that may be below {least} may be any of {least} or more numbers, for a "
        "reader who knows how many records there are, the definitions of all measures, and every "
        "figure here."
    )
    pairs = (
        f"{whole:,} of them may be so small, and are proven by pairs of worlds of whole "
        "people that agree with every figure."
    )
    if fractions:
        pairs += (
            f" {fractions:,} more by worlds that may hold fractions of people: by weight, or "
            "as no whole ones were found."
        )
    words = (
        "Whether the files can be assessed is judged by these figures: few is told where they "
        "let it be nobody, and the worst."
    )
    uncovered = (
        "Not covered: what is known beside this, as the synthetic files themselves, a part of the "
        "original, or another report on these people."
    )
    told = [attacks, proof, pairs, words, uncovered]
    told += (
        [f"{coarser} figures are rounded to 2 or 4 times {least}, as {least} was too fine."]
        if coarser
        else []
    )
    told += [f"{hidden} figures are hidden, as no rounding was coarse enough."] if hidden else []
    if left_out := listed(report.rounding["left_out"]):
        families = "; ".join(report.family(str(name)).title for name in left_out)
        told.append(f"Left out, as nothing of them can be told: {families}.")
    yield Items(told)
