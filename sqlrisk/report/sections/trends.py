"""The regression line of each measure over the number of pooled syntheses, as blocks."""

from collections.abc import Iterator
from functools import partial

from sqlrisk.report.blocks import Block, GridColumn, Heading, Items, Number, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.sections.cells import text
from sqlrisk.report.wording import Row, number, or_nothing, varying

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
    """Yield a table of the regression lines of measures that change, or why there is none."""
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
    differ = varying(changing, LABELS)
    named = [name for name in LABELS if name in differ or (name == "target" and changing[-1][name])]
    yield table(
        [
            text("measure", _measure),
            *(text(name, partial(_label, name)) for name in named),
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
    text = number(value, ".2f" if name in ("t", "intercept_t") else ".3f")
    if name in ("p", "intercept_p") and isinstance(value, int | float) and value < 0.001:
        text = "<0.001"
    return Number(text, row, name)


def _measure(row: Row) -> str:
    return str(row["measure"]) if row["at"] is None else f"{row['measure']} at {row['at']}"


def _label(name: str, row: Row) -> str:
    return ("weighted" if row[name] else "counted") if name == "weighted" else or_nothing(row[name])
