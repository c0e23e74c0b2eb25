"""The numbers of a report: a table for each family of measures, and the people of the original beside those of control."""

from collections.abc import Iterable, Iterator, Sequence

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Number, Paragraph, Terms
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import (
    FAMILIES,
    NOTHING,
    Row,
    count,
    distinct,
    label_name,
    left_out,
    number,
    number_of,
    or_nothing,
    plain_text,
    pooled,
    probability,
    representatives,
    shown,
    unit_of,
    value_of,
    varying,
)

ABOVE = {
    **dict.fromkeys(("Dorig", "CAPd", "Dorig_within", "CAPd_within"), "original"),
    **dict.fromkeys(("baseCAPd", "baseCAPd_counted", "baseCAPd_within", "baseCAPd_counted_within"), "baseline"),
    **dict.fromkeys(("iS", "DiS", "DiSCO", "DiSDiO", "DCAP", "DCAP_matched", "TCAP", "TCAP_disclosive"), "synthetic"),
    **dict.fromkeys(("CAP_within", "CAP_within_matched", "DiSCO_within"), "synthetic"),
}
COUNTED = ("baseCAPd_counted", "baseCAPd_counted_within")  # without exclusions, the baseline once more
PERCENT = "percent of original records"
WHOSE = ("population", "counted by")  # what _whose tells of a row


def family(report: Findings, name: str) -> Iterator[Block]:
    """Yield the tables of one family of measures; control stands beside the original in a table of its own, ``added``."""
    rows = [row for row in report.results if row["family"] == name and row["people"] == "original"]
    if not any(left_out(report.scenario)):  # then it is the baseline once more
        rows = [row for row in rows if row["measure"] not in COUNTED]
    yield Heading(FAMILIES.get(name, shown(name)))
    steps = [row for row in rows if row["at"] is not None]
    whole = [row for row in rows if row["at"] is None and row["target"] is None]
    flat = [row for row in rows if row["at"] is None and row["target"] is not None]
    if whole:
        yield _by_measure(report, whole)
    shares = [row for row in flat if unit_of(row).startswith("percent")]
    others = [row for row in flat if not unit_of(row).startswith("percent")]
    for part in (shares, others):
        if part:
            yield _by_target(part, [plain_text(row["measure"]) for row in part])
    for measure in distinct(steps, "measure"):
        part = [row for row in steps if row["measure"] == measure]
        yield Paragraph(f"{measure}: {report.headers.get(measure, {}).get('title', '')}")
        yield _by_target(part, [f"{row['at']}" for row in part], above="at")
    words = [(measure, _meaning(report, row)) for measure, row in _first(flat).items()]
    if words:
        yield Terms(words, quiet=True)


def _by_measure(report: Findings, rows: Sequence[Row]) -> Grid:
    """Draw a row per measure, one column per synthesis that is shown."""
    labels = _shown_syntheses(rows)
    values = {(row["measure"], *_whose(row), row["synthesis"]): row for row in rows}
    single = len(labels) == 1
    differ = _differing(rows)
    columns = [Column("measure", label=True), Column("in words", label=True)]
    columns += [Column(WHOSE[place], label=True) for place in differ]
    columns += [Column("count")] if single else []
    percent = all(unit_of(row).startswith("percent") for row in rows)
    columns += [Column("percent" if percent else "value")] if single else [_synthesis(label) for label in labels]
    lines: list[list[str]] = []
    starts = []
    for measure, row in _first(rows).items():
        starts.append(len(lines))
        for place, whose in enumerate(dict.fromkeys(_whose(each) for each in rows if each["measure"] == measure)):
            cells = [values.get((measure, *whose, label)) for label in labels]
            counts = [number_of(cells[0], "numerator") if cells[0] else NOTHING] if single else []
            words = ["", ""] if place else [measure, _meaning(report, row)]
            lines.append([*words, *(shown(whose[d]) for d in differ), *counts, *(value_of(cell) for cell in cells)])
    return Grid(columns, lines, frozenset(starts if differ else ()))


def _by_target(rows: Sequence[Row], heads: Sequence[str], above: str = "") -> Grid:
    """Draw a row per target and synthesis that is shown, one column per measure (or point at which it is taken)."""
    syntheses = _shown_syntheses(rows)
    names = list(dict.fromkeys(heads))
    values = {(row["target"], *_whose(row), row["synthesis"], head): row for row, head in zip(rows, heads, strict=True)}
    whose = list(dict.fromkeys((row["target"], *_whose(row)) for row in rows))
    differ = _differing(rows)
    untargeted = all(row["target"] is None for row in rows)
    columns = [Column("" if untargeted else "target", label=True)]
    columns += [Column(WHOSE[place], label=True) for place in differ]
    columns += [Column("synthesis", label=True)] if len(syntheses) > 1 else []
    columns += [Column(name, above=above or ABOVE.get(name, "")) for name in names]
    lines: list[list[str]] = []
    starts = []
    for who in whose:
        starts.append(len(lines))
        for place, label in enumerate(syntheses):
            first = unit_of(rows[0]) if untargeted else shown(who[0])
            line = [first if not place else ""] + [shown(who[1 + v]) if not place else "" for v in differ]
            line += [label] if len(syntheses) > 1 else []
            lines.append(line + [value_of(values.get((*who, label, name))) for name in names])
    return Grid(columns, lines, frozenset(starts if len(syntheses) > 1 else ()))


def _whose(row: Row) -> tuple[str, str]:
    return plain_text(row["population"]), "weight" if row["weighted"] else "people"


def _differing(rows: Sequence[Row]) -> list[int]:
    """Return the places of WHOSE in which the rows differ."""
    return [place for place in range(len(WHOSE)) if len({_whose(row)[place] for row in rows}) > 1]


def added(report: Findings) -> Iterator[Block]:
    """Yield the people of the original beside those of control; of several syntheses the widest pool of each name."""
    rows = [row for row in report.differences if row["at"] is None and not row["weighted"]]
    labels = distinct(rows, "synthesis")
    widest = representatives(labels)
    rows = [row for row in rows if row["synthesis"] in widest]
    if not any(left_out(report.scenario)):
        rows = [row for row in rows if row["measure"] not in COUNTED]
    if not rows:
        return
    units = {row["measure"]: unit_of(row) for row in report.results if row["people"] == "original"}
    percent = f"{100 * count(report.scenario.get('confidence')):g} % interval"
    several = varying(rows, ("population", "synthesis"))
    columns = [Column("target", label=True), Column("measure", label=True), *(Column(name, label=True) for name in several)]
    columns += [Column(name) for name in ("original", "control", "difference")]
    columns += [Column("adjusted"), Column("from", above=percent), Column("to", above=percent), Column("p")]
    lines: list[list[str]] = []
    starts = []
    for target in distinct(rows, "target"):
        starts.append(len(lines))
        for row in (row for row in rows if row["target"] == target):
            unit = units[row["measure"]]
            line = [
                or_nothing(target) if len(lines) == starts[-1] else "",
                plain_text(row["measure"]),
                *(shown(row[name]) for name in several),
            ]
            line += [number_of(row, name, unit) for name in ("original", "control", "difference")]
            interval = ("adjusted_low", "adjusted_high") if row["adjusted"] is not None else ("adjusted", "adjusted")
            line += [Number(number(row[name], ".4f"), row, name) for name in ("adjusted", *interval)]
            lines.append([*line, Number(probability(row["p"]), row, "p")])
    yield Heading("What the synthesis added")
    yield Grid(columns, lines, frozenset(starts))
    yield Paragraph(
        "Control are people who were not in the synthesis: if they are revealed as often, the synthesis did not add the risk. "
        "Adjusted is (original - control) / (1 - control) of the two shares: what was added, of what control leaves. UiO, Dorig "
        "and baseCAPd do not read the synthetic file: where they differ, the two groups differ in size or in kind. p is that of "
        "Welch's t, for means.",
        quiet=True,
    )
    if any(pooled(label) for label in labels):
        yield Paragraph("The syntheses are pooled; --format json has each.", quiet=True)
    if note := next((row["note"] for row in rows if row["note"]), None):
        yield Paragraph(plain_text(note), quiet=True)


def _shown_syntheses(rows: Sequence[Row]) -> list[str]:
    """Return the synthesis labels that a reader needs: one alone, else per name the mean, the range and the widest pool."""
    labels = distinct(rows, "synthesis")
    chosen: list[str] = []
    for name in dict.fromkeys(label_name(label) for label in labels):
        own = [label for label in labels if label_name(label) == name]
        pools = [label for label in own if pooled(label)]
        summary = [label for label in own if label.split(" ")[-1] in ("mean", "min", "max")]
        chosen += summary + pools[-1:] if summary else own
    return chosen


def _synthesis(label: str) -> Column:
    name = label_name(label)
    return Column(label.removeprefix(name).strip(), above=name)


def _meaning(report: Findings, row: Row) -> str:
    title = plain_text(report.headers.get(plain_text(row["measure"]), {}).get("title", ""))
    unit = unit_of(row)
    return title if unit == PERCENT else f"{title} ({unit})" if title else unit


def _first(rows: Iterable[Row]) -> dict[str, Row]:
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(plain_text(row["measure"]), row)
    return first
