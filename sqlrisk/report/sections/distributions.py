"""How CAP and lift are distributed over people, as blocks: quantiles and histograms."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlrisk.report.blocks import Block, Grid, GridColumn, Items, Paragraph, Sentence
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import (
    Row,
    amount,
    listed,
    number_of,
    of_population,
    precise,
    representatives,
    shown,
    split,
    synthesis_name,
    varying,
)

BAR = 20  # length of the longest bar, in characters
# percents of the quantiles that fit side by side; other formats have more
SHOWN = (0, 5, 25, 50, 75, 95, 100)
EIGHTHS = " ▏▎▍▌▋▊▉█"
SHORT = {
    "cap_original": "original",
    "cap_synthetic": "synthetic",
    "cap_synthetic_matched": "matched",
    "lift": "lift",
}
WORDS = [
    (
        "CAP is the chance that a guess of a person's level is right. original: if the original "
        "file were published; synthetic: from the synthetic file, 0 for people without a match; "
        "matched: the same, only people with a match."
    ),
    (
        "lift: CAP in the synthetic file, divided by the share that the person's own level has in "
        "the original. Above 1, the file reveals more than this share."
    ),
    (
        "A quantile at p % is the smallest value that at least p % of the people do not exceed. "
        "Excluded people are not counted here."
    ),
]


def blocks(report: Findings, *, bars: bool = True) -> Iterator[Block]:
    """Yield the quantiles of each synthesis (or widest pool) and, with ``bars``, histograms."""
    if not report.distributions:
        return
    labels = representatives([str(row["synthesis"]) for row in report.distributions])
    for target, rows in split(report.distributions, "target"):
        for label in labels:
            own = [row for row in rows if row["synthesis"] == label]
            # all people of the original, or the first population
            of = {str(row["of"]): row for row in own[: len(SHORT)]}
            counted = number_of(of["cap_original"], "counted")
            people = f" people{of_population(own[0]['population'])}"
            yield Paragraph(
                Sentence(f"{shown(target)}, {synthesis_name(label)}: ", counted, people)
            )
            yield _quantiles(own)
            if bars:
                yield _histogram("CAP", of, ("cap_original", "cap_synthetic"))
                yield _histogram("lift", of, ("lift",))
    yield Items(WORDS, quiet=True)


def _quantiles(rows: Sequence[Row]) -> Grid:
    """Draw a row for each population, group of people and quantity."""
    names = varying(rows, ("population", "people", "weighted"))
    ends = {SHOWN[0]: "least", SHOWN[-1]: "most"}
    columns = [GridColumn(name, label=True) for name in (*names, "of")]
    columns += [GridColumn(name) for name in ("mean", *(ends.get(p, f"{p} %") for p in SHOWN))]
    lines = []
    for row in rows:
        told = [each for each in listed(row["quantiles"]) if each["percent"] in SHOWN]
        texts = [*(_whose(row[name]) for name in names), SHORT[str(row["of"])]]
        texts.append(precise(row, "mean", ",.2f"))
        lines.append([*texts, *(precise(each, "value", ",.2f") for each in told)])
    return Grid(columns, lines, frozenset(range(0, len(lines), len(SHORT))))


def _histogram(title: str, of: Mapping[str, Row], names: Sequence[str]) -> Grid:
    """Draw the percent of people in each bin, as a number and as a bar, on one scale."""
    columns = [GridColumn(title, label=True)]
    texts = [[str(each["bin"]) for each in of[names[0]]["histogram"]]]
    percents = {
        name: [_percent(each["counted"], of[name]["counted"]) for each in of[name]["histogram"]]
        for name in names
    }
    longest = max((percent or 0 for each in percents.values() for percent in each), default=0)
    for name, found in percents.items():
        above = SHORT[name] if len(names) > 1 else ""
        columns.append(GridColumn("percent", above=above))
        texts.append([amount(percent, "percent") for percent in found])
        columns.append(GridColumn("of people", above=above, label=True))
        texts.append([bar(percent or 0, longest) for percent in found])
    return Grid(columns, [*zip(*texts, strict=True)])


def bar(value: float, longest: float) -> str:
    """Return a bar as text, for ``longest`` of ``BAR`` characters. Any value above 0 is visible."""
    if value <= 0 or longest <= 0:
        return ""
    eighths = max(round(8 * BAR * value / longest), 1)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _percent(counted: Any, everybody: Any) -> float | None:
    return 100 * counted / everybody if everybody else None


def _whose(value: object) -> str:
    return shown(value) if not isinstance(value, bool) else "weighted" if value else "counted"
