"""How the figures of an external report are rounded, and what its audit proved."""

from collections.abc import Iterator

from sqlrisk.report.blocks import Block, Heading, Items, Paragraph
from sqlrisk.report.findings import Findings


def blocks(report: Findings) -> Iterator[Block]:
    """Yield the rule and the proof; nothing for a report whose figures are exact."""
    if not report.rounding:
        return
    least, attacked, coarser, hidden = (
        int(str(report.rounding[name])) for name in ("threshold", "attacked", "coarser", "hidden")
    )
    yield Heading("How the figures are rounded, and what was proven")
    yield Paragraph(
        f"Every figure is rounded. Counts of people, and sums over people, are rounded to the nearest multiple of {least}, those by "
        f"weight to a multiple that stands for as many people; a share is that of its two rounded sides. At the ends two roundings "
        f"are one: <{least + (least + 1) // 2} is told of 0 as of {least}. What is worked out from other figures is worked out from "
        "the rounded ones, so that it may be off by more. [c] is hidden."
    )
    further = [
        *([f"{coarser} figures are rounded to a multiple of 2 or 4 times that, as {least} was too fine."] if coarser else []),
        *([f"{hidden} figures are hidden, as no rounding was coarse enough."] if hidden else []),
    ]
    yield Items(
        [
            f"{attacked:,} counts of people were attacked: every published one, and every sum and difference of up to three figures "
            "that is a count of people, in and between targets, syntheses and populations.",
            f"Each of them that may be below {least} may be any of {least} or more different numbers, for a reader who knows how "
            "many records there are, the definitions of all measures, and every figure here.",
            *further,
            "Not covered: what somebody knows who has part of the original, or an earlier report on the same people.",
        ],
    )
