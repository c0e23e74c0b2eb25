"""Reports in the layouts of published tables. Each layout is a pure function of reports. The module
`published_tables` of the analyses makes the runs.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items, Paragraph
from sqlrisk.report.columns import Row
from sqlrisk.report.findings import Findings, of_people
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.wording import (
    amount,
    base_of,
    distinct,
    left_out,
    listed,
    means,
    names,
    pools,
    shown,
)

Line = tuple[object, ...]

_SIDES = ("UiO", "repU", "Dorig", "DiSCO", "CAPd", "DCAP", "baseCAPd", "baseCAPd_counted")
MEASURES = {
    "raab": _SIDES,
    "raab2": _SIDES,
    "raab3": ("DiSCO", "DCAP"),
    "taub": ("baseCAPd", "CAPd", "DCAP", "DCAP_matched", "baseCAPd_counted"),
    **dict.fromkeys(("taub2", "taub4"), ("DCAP", "DCAP_matched")),
}
# Populations of a layout if the question names none.
POPULATIONS = dict.fromkeys(("taub", "taub2"), ("all", "uniques", "special"))

UNIT = "percent of original records"
IDENTITY = {"UiO": "original", "repU": "synthetic"}
ABOVE = {
    "Dorig": "original",
    "DiSCO": "synthetic",
    "CAPd": "original",
    "DCAP": "synthetic",
    "baseCAPd": "baseline",
}
# measure -> how it treats non-matches, short enough to fit three populations
RULES = {"DCAP": "as 0", "DCAP_matched": "left out"}
WORDS = (
    (
        "Percent: how often a guess of the target is right. Original: from the original file "
        "itself (CAPd). Baseline: from the target's own shares (baseCAPd)."
    ),
    (
        "Non-matches, people whose keys no synthetic record has, count as 0 (DCAP) or are left out "
        "(DCAP_matched)."
    ),
)


def raab(everybody: Findings, counted: Findings | None = None) -> Table:
    """Return a table in which each target has a row for all people, then one for those left after
    exclusions. Columns show the original next to the synthetic file.

    Targets with the highest DiSCO of all people come first. If syntheses have several names, each
    has its rows, and the first name decides. Several syntheses of a name are shown by their mean.
    Rows without a target are about identity. ``everybody`` is the report without exclusions, and
    ``counted`` the report of the same question with them, if any.
    """
    runs = [everybody, *([] if counted is None else [counted])]
    values = [values_of(report) for report in runs]
    labels = means(own_rows(everybody))
    targets = [target for target in distinct(own_rows(everybody), "target") if target is not None]
    targets.sort(key=lambda target: -(values[0]["DiSCO", target, labels[0]] or 0))
    measures = (*IDENTITY, *ABOVE)

    def lines(target: object) -> list[Line]:
        told = [("all", values[0])]
        if counted is not None:
            told.append((told_without(counted.scenario, target), values[1]))
        if target is None:  # identity: each synthesis, without and with exclusions
            places = [(each, label) for label in labels for each in told]
        else:
            places = [*product(told, labels)]
        return [
            (target, words, label, *(found.get((name, target, label)) for name in measures))
            for (words, found), label in places
            if words
        ]

    identity = lines(None)
    of_targets = [line for target in targets for line in lines(target)]
    title = "Original and synthetic side by side, as in Raab 2024"
    several = labels != ["1"]
    blocks: list[Block] = [
        Heading(title, 1),
        Paragraph(f"{about(everybody)}. Percent of original records.", quiet=True),
        Heading("Identity"),
        _side_by_side(identity, IDENTITY, several=several),
    ]
    if of_targets:
        blocks += [Heading("Targets"), _side_by_side(of_targets, ABOVE, several=several)]
    columns = ("target", "counted", "synthesis", *measures)
    return paper("raab", title, columns, [*identity, *of_targets], blocks, runs)


def taub(reports: Sequence[Findings]) -> Table:
    """Return a table with the original, the baseline and the first 1, 2, ... M pooled syntheses as
    rows. Columns are populations and rules for non-matches.

    Each report has its own key set. Each target and each name of syntheses is a block of rows.
    """
    populations = distinct((row for report in reports for row in of_people(report)), "population")
    measured = list(product(populations, RULES))
    rows: list[Line] = []
    title = "Correct attribution by number of pooled syntheses, as in Taub 2018"
    blocks: list[Block] = [Heading(title, 1)]
    columns = [GridColumn("target", label=True, once=True), GridColumn("file", label=True)]
    columns += [
        GridColumn(RULES[measure], above=shown(population)) for population, measure in measured
    ]
    for report in reports:
        keys = ", ".join(map(str, listed(report.scenario["keys"])))
        lines = _taub_lines(report, measured)
        rows += [(keys, *line) for line in lines]
        starts = frozenset(
            place
            for place, line in enumerate(lines)
            if place and (line[1] == "original" or line[2] == 1)
        )
        shown_lines = []
        for line in lines:
            target = shown(line[0]) if line[1] == "original" else ""
            shown_lines.append([target, _file(line), *map(in_percent, line[3:])])
        blocks += [Heading(about(report)), Grid(columns, shown_lines, starts)]
    blocks.append(Items(WORDS, quiet=True))
    measures = (f"{population}: {measure}" for population, measure in measured)
    return paper("taub", title, ("keys", "target", "file", "m", *measures), rows, blocks, reports)


def _taub_lines(report: Findings, measured: Sequence[tuple[object, str]]) -> list[Line]:
    """Return the rows of one key set: target, file, m, then the numbers."""
    own = of_people(report)
    values = {
        (row["measure"], row["target"], row["population"], row["synthesis"]): row["value"]
        for row in own
    }
    labels = distinct(own, "synthesis")
    files: list[tuple[str, int | None, str | None, str]] = [
        ("original", None, "CAPd", labels[0]),
        ("baseline", None, base_of(report, "baseCAPd"), labels[0]),
        *((name or "synthetic", m, None, label) for name, m, label in pools(labels)),
    ]
    lines: list[Line] = []
    for target, (file, m, one, label) in product(distinct(own, "target"), files):
        numbers = (values.get((one or name, target, whom, label)) for whom, name in measured)
        lines.append((target, file, m, *numbers))
    return lines


def _file(line: Line) -> str:
    """Return the label of a file's row: ``original``, ``m = 2`` or ``cart, m = 2``."""
    if line[2] is None:
        return shown(line[1])
    return f"m = {line[2]}" if line[1] == "synthetic" else f"{shown(line[1])}, m = {line[2]}"


def _side_by_side(rows: Sequence[Line], above: Mapping[str, str], *, several: bool) -> Grid:
    """Draw a column for each measure in ``above``. Rows with exclusions stand below the others."""
    target = above is ABOVE
    start = 3 + len(IDENTITY) * target
    columns = [
        GridColumn("target" if target else "", label=True, once=True),
        *([GridColumn("synthesis", label=True)] if several else []),
    ]
    columns += [GridColumn(name, above=over) for name, over in above.items()]
    lines, starts = [], []
    for place, (before, row) in enumerate(pairwise([(None, None), *rows])):
        everybody = shown(row[0]) if target else "everybody"
        label = "" if row[:2] == before[:2] else everybody if row[1] == "all" else shown(row[1])
        starts += [place] if row[0] != before[0] else []
        synthesis = [shown(row[2])] if several else []
        lines.append([label, *synthesis, *map(in_percent, row[start : start + len(above)])])
    grouped = target and (several or any(row[1] != "all" for row in rows))
    return Grid(columns, lines, frozenset(starts if grouped else ()))


def told_without(scenario: Row, target: object) -> str:
    """Return the exclusions of a target in words, such as ``without NO`` (its level). A ``target``
    of None stands for identity. Empty if nobody is excluded.
    """
    relevant = {*map(str, listed(scenario["keys"])), *([] if target is None else [str(target)])}
    missing = [each for each in listed(scenario.get("exclude_missing")) if each in relevant]
    own: dict[str, object] = {"exclude_missing": missing}
    words = ""
    if target is not None:
        levels, pairs = scenario.get("exclude_level"), listed(scenario.get("exclude_pair"))
        if isinstance(levels, Mapping):
            words = ", ".join(map(shown, listed(levels.get(target))))
        own["exclude_pair"] = [
            pair for pair in pairs if isinstance(pair, Mapping) and pair["target"] == target
        ]
        own |= {name: scenario.get(name) for name in ("max_cell", "max_cell_syn")}
    said = "; ".join(filter(None, [words, *left_out(own)]))
    return f"without {said}" if said else ""


def own_rows(report: Findings) -> list[Row]:
    """Return the unweighted rows of the original's people, of the first population."""
    rows = of_people(report)
    return [row for row in rows if row["population"] == rows[0]["population"]]


def values_of(report: Findings) -> dict[tuple[object, ...], Any]:
    """Return (measure, target, synthesis) -> value, for the rows of `own_rows`. The baseline is
    over the people who are counted.
    """
    found = {
        (row["measure"], row["target"], row["synthesis"]): row["value"] for row in own_rows(report)
    }
    counted = {
        ("baseCAPd", *rest): value
        for (name, *rest), value in found.items()
        if name == base_of(report, "baseCAPd")
    }
    return found | counted


def about(report: Findings) -> str:
    """Return the keys that the intruder knows, in words."""
    return f"Keys: {names(report.scenario['keys'])}"


def in_percent(value: object) -> str:
    """Return a number for a cell of the table, as text."""
    return amount(value, UNIT)
