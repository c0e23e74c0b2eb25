"""Reports as the tables of papers. Each is a pure function of reports; `published_tables` among the analyses makes the runs."""

from collections.abc import Iterable, Mapping, Sequence

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph
from sqlrisk.report.findings import Findings, of_people
from sqlrisk.report.papers import taub_section4
from sqlrisk.report.result import lines as lines_of
from sqlrisk.report.results.table import Table
from sqlrisk.report.wording import Row, amount, distinct, label_name, left_out, listed, means, names, pooled, shown

Line = tuple[object, ...]

MEASURES = {
    "raab": ("UiO", "repU", "Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd"),
    "taub": ("baseCAPd", "CAPd", "DCAP", "DCAP_matched"),
    "taub4": ("DCAP", "DCAP_matched"),
}
# Whom the measures of a layout are taken over where the question does not say.
POPULATIONS = {"taub": ("all", "uniques", "special")}
EXCLUSIONS = ("exclude_level", "exclude_missing", "exclude_pair", "max_cell", "max_cell_syn", "justification")

UNIT = "percent of original records"
ABOVE = {"Dorig": "original", "DiSCO": "synthetic", "CAPd": "original", "DCAP": "synthetic", "baseCAPd": "baseline"}
RULES = {"DCAP": "as 0", "DCAP_matched": "left out"}  # measure -> what becomes of non-matches; short, to fit three populations
WORDS = (
    (
        "Percent: how often a guess of the target is right. Original: from the original file itself (CAPd). Baseline: from "
        "the target's own shares (baseCAPd)."
    ),
    "Non-matches, people whose keys no synthetic record has, count as 0 (DCAP) or are left out (DCAP_matched).",
)


def differential(report: Findings) -> Table:
    """Return the people in the synthesis against those outside, by the number of pooled syntheses (Taub 2018, section 4.3).

    Raises InputError where the report has no control.
    """
    columns, rows = list(taub_section4.COLUMNS), taub_section4.rows(report)
    blocks = taub_section4.taub4(report)
    return Table("layout", "taub4", taub_section4.TITLE, columns, lines_of(columns, rows), blocks, _runs([report]))


def raab(everybody: Findings, counted: Findings | None = None) -> Table:
    """Return the targets as rows, most DiSCO first: all people, then what exclusions leave; original beside synthetic.

    Several syntheses are shown by their mean. The rows without a target are those of identity.

    Args:
        everybody: the report without exclusions.
        counted: the report of the same question with its exclusions, if there are any.
    """
    own = _own(everybody)
    values = _values(own)
    after = {} if counted is None else _values(_own(counted))
    labels = means(own)
    identity: list[Line] = []
    targets: list[Line] = []
    for label in labels:
        identity.append((None, "all", label, *(values[name, None, label] for name in ("UiO", "repU")), *([None] * len(ABOVE))))
        if counted is not None and (words := _words(counted.scenario, None)):
            numbers = [after[name, None, label] for name in ("UiO", "repU")]
            identity.append((None, words, label, *numbers, *([None] * len(ABOVE))))
    targeted = [target for target in distinct(own, "target") if target is not None]
    for target in sorted(targeted, key=lambda each: -(values["DiSCO", each, labels[0]] or 0)):
        for found, words in ((values, "all"), (after, _words(counted.scenario, target) if counted is not None else "")):
            if words:
                targets += [
                    (target, words, label, None, None, *(found[name, target, label] for name in ABOVE)) for label in labels
                ]
    title = "Original and synthetic side by side, as in Raab 2024"
    several = labels != ["1"]
    blocks: list[Block] = [
        Heading(title, 1),
        Paragraph(f"{_about(everybody)}. Percent of original records.", quiet=True),
        Heading("Identity"),
        _side_by_side(identity, {"UiO": "original", "repU": "synthetic"}, 3, several=several, target=False),
        Heading("Targets"),
        _side_by_side(targets, ABOVE, 5, several=several, target=True),
    ]
    columns = ["target", "counted", "synthesis", "UiO", "repU", *ABOVE]
    runs = _runs([everybody] if counted is None else [everybody, counted])
    return Table("layout", "raab", title, columns, [*identity, *targets], blocks, runs)


def taub(reports: Sequence[Findings]) -> Table:
    """Return original, baseline and the first 1, 2, ... M syntheses pooled as rows, populations and rules as columns.

    Each report is of a key set of its own; each target and each name of syntheses is a block of rows.
    """
    populations = distinct((row for report in reports for row in of_people(report)), "population")
    measured = [(population, measure) for population in populations for measure in RULES]
    rows: list[Line] = []
    title = "Correct attribution by number of pooled syntheses, as in Taub 2018"
    blocks: list[Block] = [Heading(title, 1)]
    columns = [Column("target", label=True), Column("file", label=True)]
    columns += [Column(RULES[measure], above=shown(population)) for population, measure in measured]
    for report in reports:
        keys = ", ".join(map(str, listed(report.scenario["keys"])))
        lines = _taub_lines(report, measured)
        rows += [(keys, *line) for line in lines]
        starts = frozenset(place for place, line in enumerate(lines) if (place and line[1] == "original") or line[2] == 1)
        shown_lines = [[shown(line[0]) if line[1] == "original" else "", _file(line), *map(_amount, line[3:])] for line in lines]
        blocks += [Heading(_about(report)), Grid(columns, shown_lines, starts)]
    blocks.append(Items(WORDS, quiet=True))
    heads = ["keys", "target", "file", "m", *(f"{population}: {measure}" for population, measure in measured)]
    return Table("layout", "taub", title, heads, rows, blocks, _runs(reports))


def _taub_lines(report: Findings, measured: Sequence[tuple[object, str]]) -> list[Line]:
    """Return (target, file, m, numbers) of each row of one key set."""
    own = of_people(report)
    values = {(row["measure"], row["target"], row["population"], row["synthesis"]): row["value"] for row in own}
    labels = distinct(own, "synthesis")
    lines: list[Line] = []
    for target in distinct(own, "target"):
        for file, measure in (("original", "CAPd"), ("baseline", "baseCAPd")):
            numbers = [values.get((measure, target, population, labels[0])) for population, _ in measured]
            lines.append((target, file, None, *numbers))
        for name in dict.fromkeys(map(label_name, labels)):
            of_name = [label for label in labels if label_name(label) == name]
            for m, label in enumerate([of_name[0], *(label for label in of_name if pooled(label))], start=1):
                numbers = [values.get((measure, target, population, label)) for population, measure in measured]
                lines.append((target, name or "synthetic", m, *numbers))
    return lines


def _file(line: Line) -> str:
    """Name the row of a file: ``original``, ``m = 2``, ``cart, m = 2``."""
    if line[2] is None:
        return shown(line[1])
    return f"m = {line[2]}" if line[1] == "synthetic" else f"{shown(line[1])}, m = {line[2]}"


def _side_by_side(rows: Sequence[Line], above: Mapping[str, str], start: int, *, several: bool, target: bool) -> Grid:
    """Draw a grid of some measures; what exclusions leave stands below everybody."""
    columns = [Column("target" if target else "", label=True), *([Column("synthesis", label=True)] if several else [])]
    columns += [Column(name, above=over) for name, over in above.items()]
    lines, starts = [], []
    for number, row in enumerate(rows):
        before = rows[number - 1] if number else (None, None)
        everybody = shown(row[0]) if target else "everybody"
        label = "" if row[:2] == before[:2] else everybody if row[1] == "all" else shown(row[1])
        starts += [number] if row[0] != before[0] else []
        synthesis = [shown(row[2])] if several else []
        lines.append([label, *synthesis, *map(_amount, row[start : start + len(above)])])
    grouped = target and (several or any(row[1] != "all" for row in rows))
    return Grid(columns, lines, frozenset(starts if grouped else ()))


def _words(scenario: Row, target: object) -> str:
    """Say what the exclusions take from a target, or without one from identity: ``without workab is NO``."""
    relevant = {*map(str, listed(scenario["keys"])), *([] if target is None else [str(target)])}
    levels, pairs = scenario.get("exclude_level"), listed(scenario.get("exclude_pair"))
    words = [", ".join(map(shown, listed(levels.get(target))))] if target is not None and isinstance(levels, Mapping) else []
    own: dict[str, object] = {"exclude_missing": [each for each in listed(scenario.get("exclude_missing")) if each in relevant]}
    if target is not None:
        own["exclude_pair"] = [pair for pair in pairs if isinstance(pair, Mapping) and pair["target"] == target]
        own |= {name: scenario.get(name) for name in ("max_cell", "max_cell_syn")}
    said = "; ".join(filter(None, [*words, *left_out(own)]))
    return f"without {said}" if said else ""


def _own(report: Findings) -> list[Row]:
    """Return the rows of the original's people, of the first population, each person counted once."""
    rows = of_people(report)
    return [row for row in rows if row["population"] == rows[0]["population"]]


def _values(rows: Iterable[Row]) -> dict[tuple[object, object, object], float | None]:
    values: dict[tuple[object, object, object], float | None] = {}
    for row in rows:
        value = row["value"]
        values[row["measure"], row["target"], row["synthesis"]] = value if isinstance(value, int | float) else None
    return values


def _about(report: Findings) -> str:
    return f"Keys: {names(report.scenario['keys'])}"


def _runs(reports: Iterable[Findings]) -> list[dict[str, object]]:
    return [{"scenario": each.scenario, "original": each.original, "synthetic": each.synthetic} for each in reports]


def _amount(value: object) -> str:
    return amount(value, UNIT)
