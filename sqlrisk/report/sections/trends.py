"""The regression line of each measure over the number of pooled syntheses, as blocks."""

from collections.abc import Iterator
from functools import partial

from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Number, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import Row, number, or_nothing

LABELS = ("target", "method", "population", "people", "weighted")
NUMBERS = {
    "intercept": {"intercept": "value", "intercept_t": "t", "intercept_p": "p"},
    "slope": {"slope": "value", "slope_error": "std error", "t": "t", "p": "p"},
}
WORDS = (
    "slope: how much the measure, in its own unit, gains with each further synthesis that an "
    "intruder holds."
)


def blocks(report: Findings) -> Iterator[Block]:
    """Yield a table of regression lines, without measures that do not change."""
    yield Heading("Trend: what each further synthesis adds")
    rows = [row for row in report.trends if row["slope"] is not None]
    changing = [row for row in rows if row["slope"] != 0 or row["slope_error"] != 0]
    if not changing:
        missing = (
            "No measure changes with the number of pooled syntheses."
            if rows
            else "A line needs three syntheses or more."
        )
        yield Paragraph(missing)
        return
    named = [
        n
        for n in LABELS
        if len({row[n] for row in changing}) > 1 or (n == "target" and changing[-1][n])
    ]
    yield table(
        [
            (
                GridColumn("measure", label=True),
                lambda row: f"{row['measure']}" + ("" if row["at"] is None else f" at {row['at']}"),
            ),
            *((GridColumn(name, label=True), partial(_label, name)) for name in named),
            *(
                (GridColumn(word, above=end), partial(_number, name))
                for end, numbers in NUMBERS.items()
                for name, word in numbers.items()
            ),
        ],
        changing,
    )
    yield Items([WORDS, *dict.fromkeys(str(row["note"]) for row in changing)], quiet=True)


def _number(name: str, row: Row) -> Number:
    value = row[name]
    small = name in ("p", "intercept_p") and isinstance(value, int | float) and value < 0.001
    return Number(
        "<0.001" if small else number(value, ".2f" if name in ("t", "intercept_t") else ".3f"),
        row,
        name,
    )


def _label(name: str, row: Row) -> str:
    return ("weighted" if row[name] else "counted") if name == "weighted" else or_nothing(row[name])
