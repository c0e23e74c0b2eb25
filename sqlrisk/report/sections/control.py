"""What the synthesis added to the risk: people in it compared with people of control, who were
never in it. First in words, then in a table.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from sqlrisk.report.blocks import (
    Cell,
    GridColumn,
    Heading,
    Items,
    Number,
    Paragraph,
    Sentence,
    table,
)
from sqlrisk.report.decision.sentences import conjoined, in_words
from sqlrisk.report.declared import CERTAIN, GUESSED, headlines, of_targets
from sqlrisk.report.findings import Findings
from sqlrisk.report.section import Figures, Part
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import (
    Row,
    amount,
    capitalized,
    comparable,
    distinct,
    interval,
    number_of,
    plain_text,
    pooled,
    probability,
    representatives,
    shown,
    split,
    unit_of,
    varying,
)

# Kind of headline -> verb of the sentence that compares people in and out of a synthesis. The first
# kind that was measured is used.
SAID = {CERTAIN: " is revealed for ", GUESSED: " is guessed right for "}
MEANT = (
    "The control group are people who were not in the synthesis. If as much is revealed about "
    "them, the synthesis did not add the risk. Added is original - control, in percentage points. "
    "Adjusted is the added risk in percent of what control leaves, (original - control) / "
    "(100 - control), with its {interval}. {measures} do not read the synthetic file: if they "
    "differ, the two groups differ in size or in kind. p is from Welch's t-test of means."
)


def compared(report: Findings) -> list[Row]:
    """Return the unweighted rows about people in and out of the synthesis. If several syntheses
    share a name, return their widest pool.
    """
    # measures of singling out are compared at each number of keys
    sizes = {
        name for name, header in report.headers.items() if header.get("at_setting") == "set_sizes"
    }
    rows = [
        row
        for row in report.differences
        if (row["at"] is None or row["measure"] in sizes) and not row["weighted"]
    ]
    widest = representatives(distinct(rows, "synthesis"))
    return [row for row in comparable(rows, report) if row["synthesis"] in widest]


def added(report: Findings) -> Iterator[Part]:
    """Yield conclusions in words, their figures, then a table of the original next to control."""
    rows = compared(report)
    if not rows:
        return
    units = {row["measure"]: unit_of(row) for row in report.results if row["people"] == "original"}
    yield Heading("Added risk")
    if said := [*conclusions(report, rows)]:
        yield Items(said)
    yield Figures(("control",))
    columns: list[Cell[Row] | None] = [
        cells.text("measure", _taken),
        *map(cells.label, varying(rows, ("population", "synthesis"))),
        *((GridColumn(name), partial(_in_unit, units, name)) for name in ("original", "control")),
        (GridColumn("added"), partial(_in_unit, units, "difference")),
        (GridColumn("adjusted"), partial(_adjusted, "adjusted")),
        (GridColumn("interval"), _interval),
        (GridColumn("p"), lambda row: Number(probability(row["p"]), row, "p")),
    ]
    # headlines come first
    order = {each.name: place for place, each in enumerate(of_targets(report.declared))}
    for target, own in split(rows, "target"):
        if target is not None or len(own) < len(rows):
            about = "without a target" if target is None else in_words(report, target)
            yield Heading(capitalized(about), 3)
        own.sort(key=lambda row: order.get(row["measure"], len(order)))
        yield table(columns, own)
    known = conjoined(each.baseline or each.original for each in headlines(report.declared))
    yield Paragraph(MEANT.format(interval=interval(report.scenario), measures=known), quiet=True)
    if any(map(pooled, distinct(rows, "synthesis"))):
        yield Paragraph("The syntheses are pooled; --format json has each.", quiet=True)


def conclusions(report: Findings, rows: list[Row]) -> Iterator[Sentence]:
    """Yield a sentence for each target and method: how often the target is revealed (or guessed
    right, if only that was measured), in and out of the synthesis.
    """
    several = len(distinct(rows, "synthesis")) > 1
    told = [
        row
        for row in rows
        if row["population"] == "all" and None not in (row["original"], row["control"])
    ]
    words = {each.name: SAID[each.word] for each in of_targets(report.declared)}
    measure = next((name for name in words if any(row["measure"] == name for row in told)), None)
    for row in (row for row in told if row["measure"] == measure):
        target = in_words(report, row["target"])
        label = plain_text(row["synthesis"])
        by = f", by {shown(label)}," if several else ", by the files pooled," * pooled(label)
        yield Sentence(
            f"{capitalized(target)}{by}{words[str(measure)]}",
            number_of(row, "original", "percent"),
            " % of the people in the synthesis, and for ",
            number_of(row, "control", "percent"),
            f" % of people who were not in it{_by_chance(report, row)}.",
        )


def _by_chance(report: Findings, row: Row) -> str:
    """Return in words whether groups differ by more than chance: means by the test of the table,
    since their interval shrinks to nothing as the original nears 100 %, and shares by their
    interval. Empty without these (external reports, means without variance).
    """
    low, high, p = row["adjusted_low"], row["adjusted_high"], row["p"]
    if "each" in report.headers[row["measure"]]:
        by_chance = None if p is None else p >= 1 - float(str(report.scenario["confidence"]))
    else:
        by_chance = None if low is None else low <= 0 <= high
    if by_chance is None:
        return ""
    if by_chance:
        return ". Chance may explain this difference"
    points, more = amount(abs(row["difference"]), "percent"), row["difference"] > 0
    return f". That is {points} points {'more' if more else 'less'}, which chance does not explain"


def _taken(row: Row) -> str:
    """Return the measure of a row and the point at which it was computed."""
    return plain_text(row["measure"]) if row["at"] is None else f"{row['measure']} {row['at']:g}"


def _in_unit(units: Mapping[str, str], field: str, row: Row) -> str:
    return number_of(row, field, units[row["measure"]])


def _adjusted(field: str, row: Row) -> Number:
    """Return the adjusted risk, (original - control) / (1 - control), or an end of its interval, in
    percent. ``field`` is ``adjusted``, ``adjusted_low`` or ``adjusted_high``. A hidden number is
    shown as hidden.
    """
    if row["adjusted"] is None:
        return number_of(row, "adjusted")
    value = row[field]
    return number_of(row, field) if value is None else Number(f"{100 * value:.2f}", row, field)


def _interval(row: Row) -> str:
    low, high = (_adjusted(f"adjusted_{end}", row) for end in ("low", "high"))
    if row["adjusted_low"] is None or row["adjusted"] is None:
        return low
    return Sentence(low, ", ", high)
