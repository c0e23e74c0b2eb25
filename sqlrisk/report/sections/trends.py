"""The line of each measure over the number of pooled syntheses, as blocks."""

from collections.abc import Iterator
from functools import partial

from sqlrisk.report.blocks import Block, Column, Heading, Items, Number, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import Row, number, or_nothing

LABELS = ("target", "method", "population", "people", "weighted")
NUMBERS = {"intercept": "intercept", "slope": "slope", "slope_error": "std error\nof slope", "t": "t", "p": "p"}
WORDS = "slope: how much the measure, in its own unit, gains with each further synthesis that an intruder holds."


def blocks(report: Findings) -> Iterator[Block]:
    """Yield one table of lines, without the measures that do not change; nothing when no trend was asked for."""
    if not report.scenario.get("trend"):
        return
    yield Heading("Trend: what each further synthesis adds")
    rows = [row for row in report.trends if row["slope"] is not None and not (row["slope"] == 0 and row["slope_error"] == 0)]
    if not any(row["slope"] is not None for row in report.trends):
        yield Paragraph("A line needs three syntheses or more.")
        return
    if not rows:
        yield Paragraph("No measure changes with the number of pooled syntheses.")
        return
    named = [name for name in LABELS if len({row[name] for row in rows}) > 1 or (name == "target" and rows[-1][name])]
    yield table(
        [
            (Column("measure", label=True), _measure),
            *((Column(name, label=True), partial(_label, name)) for name in named),
            *((Column(word), partial(_number, name)) for name, word in NUMBERS.items()),
        ],
        rows,
    )
    yield Items([WORDS, *dict.fromkeys(str(row["note"]) for row in rows)], quiet=True)


def _measure(row: Row) -> str:
    return str(row["measure"]) if row["at"] is None else f"{row['measure']} at {row['at']}"


def _number(name: str, row: Row) -> Number:
    value = row[name]
    small = name == "p" and isinstance(value, int | float) and value < 0.001
    return Number("<0.001" if small else number(value, ".2f" if name == "t" else ".3f"), row, name)


def _label(name: str, row: Row) -> str:
    if name == "weighted":
        return "weighted" if row[name] else "counted"
    return or_nothing(row[name])
