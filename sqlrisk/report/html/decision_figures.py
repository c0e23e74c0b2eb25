"""The figure of page one, and those of each finding: a function for each kind of finding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sqlrisk.report.decision.glance import rows_at_a_glance
from sqlrisk.report.decision.page_one import TOLD, Decision, Finding
from sqlrisk.report.decision.sentences import in_words
from sqlrisk.report.findings import Findings
from sqlrisk.report.html import marks
from sqlrisk.report.html.look import Figure
from sqlrisk.report.wording import amount, percent


def first(report: Findings, decision: Decision) -> Iterator[Figure]:
    """Yield the figure of page one: of how many people each of the worst targets is revealed, and would be by the original."""
    values = {(name, target): row["value"] for (name, target, _), row in rows_at_a_glance(report).items()}
    lines, said = [], []
    for target in decision.targets[:TOLD]:
        original, synthetic = (values.get((name, target)) for name in ("Dorig", "DiSCO"))
        if original is None or synthetic is None:
            continue
        name = in_words(report, target)
        lines.append(
            {
                "target": f"{name}\n{amount(original, 'percent')} → {amount(synthetic, 'percent')}",
                "original": original,
                "synthetic": synthetic,
                "baseline": None,
            }
        )
        said.append(f"{name}: {percent(synthetic)}, by the original {percent(original)}")
    if lines:
        title = "Of how many people it is revealed, rightly and for certain"
        told = "the synthetic files reveal, on average" if len(report.synthetic) > 1 else "the synthetic file reveals"
        caption = f"Circle: what the original itself would reveal. Arrow: what {told}."
        chart = marks.arrows(lines, based=False, title="percent of people")
        yield Figure("decision", title, f"{title}. {'; '.join(said)}", chart, caption)


def of(finding: Finding, figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures of a finding, from all that the page has."""
    return DRAWN.get(str(finding.row["measure"]), _none)(finding, figures)


def _revealed(finding: Finding, figures: Sequence[Figure]) -> list[Figure]:
    """Return how sure right guesses of the target are, and how its levels are distributed; the annex names them by the target."""
    own = {f"{kind} {finding.row['target']}": told for kind, told in OF_A_TARGET.items()}
    return [
        replace(figure, title=title, caption=caption)
        for name, (title, caption) in own.items()
        for figure in figures
        if figure.name == name
    ]


def _singled_out(_finding: Finding, figures: Sequence[Figure]) -> list[Figure]:
    """Return how many people share their keys with how many others."""
    return [figure for figure in figures if figure.name == "sizes"]


def _joined(finding: Finding, figures: Sequence[Figure]) -> list[Figure]:
    """Return how many people each way to break ties links."""
    return [figure for figure in figures if figure.name.startswith(f"links {finding.row['target']} ")]


def _none(_finding: Finding, _figures: Sequence[Figure]) -> list[Figure]:
    return []


# The figures of a target -> their titles beside its finding, and what is drawn.
OF_A_TARGET = {
    "curves": (
        "How sure a right guess is",
        "Percent of people guessed right, where at least such a share of the synthetic records with their keys says so.",
    ),
    "shares": ("How common its levels are", "Percent of records. Bars: the original. Lines: each synthetic file."),
}

# Which figures a finding has, by the measure that it is of.
DRAWN: Mapping[str, Callable[[Finding, Sequence[Figure]], list[Figure]]] = {
    "DiSCO": _revealed,
    "repU": _singled_out,
    "linked": _joined,
}
