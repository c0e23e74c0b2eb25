"""What a report says and in which order: from its rows to the blocks that text and Markdown draw."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Number, Paragraph, Sentence, Terms

if TYPE_CHECKING:
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report


Row = Mapping[str, object]

MISSING = "(missing)"  # a missing level
NOTHING = "–"  # a number that is not defined
HIDDEN = "[c]"  # a number that is hidden because it is confidential, as official statistics mark it
FLAGGED = 10  # rows of the two-way check that are shown; the other formats hold them all

FAMILIES = {
    "identity": "Identity: who could be singled out",
    "attribute": "Attributes: what could be revealed about a person",
    "cap": "Correct attribution: how well a target could be guessed",
    "protection": "Protection: the difference that the synthesis makes",
    "k_anonymity": "Class sizes: how many people of the original share their keys",
    "l_diversity": "Diversity: how many levels of a target the people of a class have",
    "neighbours": "Nearest records: guessing from the synthetic records closest to each person",
    "bounds": "Bounds: how low correct attribution could be",
    "within": "Within a tolerance: how well a number could be guessed",
    "matches": "Matches: who could be matched to the synthetic record that was made from them",
    "intruder": "Worst-case intruder: who knows all but one target level",
    "population_risk": "Population: who could be found among everybody the sample stands for",
}
ABOVE = {
    **dict.fromkeys(("Dorig", "CAPd", "Dorig_within", "CAPd_within"), "original"),
    **dict.fromkeys(("baseCAPd", "baseCAPd_counted", "baseCAPd_within", "baseCAPd_counted_within"), "baseline"),
    **dict.fromkeys(("iS", "DiS", "DiSCO", "DiSDiO", "DCAP", "DCAP_matched", "TCAP", "TCAP_disclosive"), "synthetic"),
    **dict.fromkeys(("CAP_within", "CAP_within_matched", "DiSCO_within"), "synthetic"),
}
COUNTED = ("baseCAPd_counted", "baseCAPd_counted_within")  # without exclusions, the baseline once more
ASSUMED = (
    "target levels were drawn in each class of the keys from a saturated multinomial, anew for each synthesis, with a Dirichlet "
    "prior of {prior:g} for each level; the intruder knows this, and every record of the original but one target level, of which "
    "all levels were equally probable"
)
SPOKEN = ("repU", "DiSCO")  # the two that are also said in a sentence
PERCENT = "percent of original records"

LISTED = "This listing shows levels and counts of real people. It is disclosive: keep it where the original is kept."
NOTES = [
    (
        "Percentages are of original records unless the unit says otherwise; a higher one means more risk unless the measure "
        "says otherwise."
    ),
    (
        "Original is what the original file itself would reveal, baseline is a guess from the target's shares alone: "
        "compare every number of the synthetic file with these two."
    ),
    "These are numbers for a decision, not the decision: no single one of them says that a file is safe.",
]


def report_blocks(report: "Report") -> list[Block]:
    """Return the whole report: what was compared, a policy's verdicts, numbers by family, sentences, checks, exclusions."""
    return [block for blocks in report_sections(report).values() for block in blocks]


def report_sections(report: "Report") -> dict[str, list[Block]]:
    """Return the same by what each part is about, in order: a family's name, or one of those below."""
    from sqlrisk.report.results import verdicts
    from sqlrisk.report.sections import distributions, trends

    families = list(dict.fromkeys(_text(row["family"]) for row in report.results))
    return {
        "compared": [*_compared(report)],
        "policy": [*verdicts.blocks(report.policy)],
        **{family: [*_family(report, family)] for family in families},
        "added": [*_added(report)],
        "sentences": [*_sentences(report)],
        "one_way": [*_one_way(report)],
        "two_way": [*_two_way(report)],
        "exclusions": [*_exclusions(report)],
        "overlap": [*_overlap(report)],
        "levels": [*_levels(report)],
        "distributions": [*distributions.blocks(report)],
        "trends": [*trends.blocks(report)],
        "notes": [Heading("Notes"), Items([*NOTES, *_undefined(report)], quiet=True)],
    }


COUNTS = ("n_orig", "n_syn", "n_orig_class", "n_syn_class")


def listing_blocks(listing: "Listing") -> list[Block]:
    """Return the risky cells of one measure as a table, marked as disclosive."""
    blocks: list[Block] = [Heading(f"{listing.measure}: {listing.title}" if listing.measure else listing.title, 1)]
    if listing.disclosive:
        blocks.append(Paragraph(LISTED))
    if not listing.rows:
        return [*blocks, Paragraph("No cell is risky." if listing.measure else "No rows.")]
    numbers = [
        name in COUNTS if listing.measure else all(isinstance(row[place], int | float | None) for row in listing.rows)
        for place, name in enumerate(listing.columns)
    ]
    columns = [Column(shown(name), number=n, label=not n) for name, n in zip(listing.columns, numbers, strict=True)]
    return [*blocks, Grid(columns, [[shown(v) if listing.measure else _cell(v) for v in row] for row in listing.rows])]


def _cell(value: object) -> str:
    """A value of a listing; a fraction to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else shown(value)


def shown(value: object) -> str:
    """Return a name or a level as one line of printable text; a missing level is ``(missing)``."""
    if value is None:
        return MISSING
    text = str(value)
    if text == "":
        return '""'
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def amount(value: object, unit: str = "") -> str:
    """Return a number for reading: percentages with two decimals, counts with thousands set apart by commas.

    A percentage that is not 0 never reads 0.00, and one below 100 never reads 100.00.
    """
    if value is None:
        return NOTHING
    if not isinstance(value, int | float):
        return shown(value)
    if not unit.startswith("percent"):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    rounded = f"{value:.2f}"
    if value != 0 and rounded in ("0.00", "-0.00"):
        return "<0.01" if value > 0 else ">-0.01"
    return ">99.99" if value < 100 and rounded == "100.00" else rounded


def number_of(row: Row, field: str, unit: str = "") -> Number:
    """Return a field of a row for reading, as of ``amount``; one that is hidden says so."""
    return Number(HIDDEN if row.get("hidden") else amount(row.get(field), unit), row, field)


def _compared(report: "Report") -> Iterator[Block]:
    yield Heading("Disclosure risk of synthetic data", 1)
    named = any(" " in _text(side.get("synthesis")) for side in report.synthetic)
    rows = [["original", shown(report.original.get("source")), *_sizes(report.original)]]
    for place, side in enumerate(report.synthetic, 1):
        label = _text(side.get("synthesis") or place)
        rows.append([label if named else f"synthesis {label}", shown(side.get("source")), *_sizes(side)])
    if report.control is not None:
        rows.append(["control", shown(report.control.get("source")), *_sizes(report.control)])
    columns = [Column("", label=True), Column("file", label=True), Column("records"), Column("classes")]
    yield Grid(columns, rows)
    yield Terms(list(_settings(report.scenario)))


def _sizes(side: Row) -> list[str]:
    return [number_of(side, "records"), number_of(side, "classes")]


def _settings(scenario: Row) -> Iterator[tuple[str, str]]:
    """Say the scenario's settings in words; what is not set is left out, but for the exclusions."""
    yield "keys", _names(scenario.get("keys"))
    yield "targets", _names(scenario.get("targets"))
    if bins := _pairs(scenario.get("bins")):
        yield "bins", ", ".join(f"{column} in {count} quantile bins" for column, count in bins)
    if special := _pairs(scenario.get("special")):
        yield "special values", ", ".join(f"{column}: {value}" for column, value in special)
    if within := _pairs(scenario.get("within")):
        floors = dict(_pairs(scenario.get("within_floor")))
        texts = ((column, f"{text}, at least {floors[column]}" if column in floors else text) for column, text in within)
        yield "right within", ", ".join(f"{column}: {text}" for column, text in texts)
    if scenario.get("aligned"):
        by = scenario.get("id")
        yield "aligned", "record by record, in the order of the files" if by is None else f"by {shown(by)}"
    if scenario.get("assume"):
        yield "assumed", ASSUMED.format(prior=scenario.get("prior"))
    yield "not counted", "; ".join(left_out(scenario)) or "nothing is excluded"
    if (why := scenario.get("justification")) is not None:
        yield "because", shown(why)


def left_out(scenario: Row) -> Iterator[str]:
    """Say in words who is not counted by the settings of ``scenario``."""
    if levels := _pairs(scenario.get("exclude_level")):
        yield ", ".join(f"{target} is {level}" for target, level in levels)
    if missing := scenario.get("exclude_missing"):
        yield "missing " + _names(missing)
    for pair in _listed(scenario.get("exclude_pair")):
        if isinstance(pair, Mapping):
            target, key = f"{pair['target']} is {pair['target_level']}", f"{pair['key']} is {pair['key_level']}"
            yield shown(f"{target} where {key}")
        else:
            yield shown(pair)
    if (limit := scenario.get("max_cell")) is not None:
        yield f"cells of more than {limit} records"
    if (limit := scenario.get("max_cell_syn")) is not None:
        yield f"cells of more than {limit} synthetic records"


def _family(report: "Report", family: str) -> Iterator[Block]:
    # Control stands beside the original in a table of its own, _added.
    rows = [row for row in report.results if row["family"] == family and row["people"] == "original"]
    if not any(left_out(report.scenario)):  # then it is the baseline once more
        rows = [row for row in rows if row["measure"] not in COUNTED]
    yield Heading(FAMILIES.get(family, shown(family)))
    steps = [row for row in rows if row["at"] is not None]
    whole = [row for row in rows if row["at"] is None and row["target"] is None]
    flat = [row for row in rows if row["at"] is None and row["target"] is not None]
    if whole:
        yield _by_measure(report, whole)
    shares = [row for row in flat if _unit(row).startswith("percent")]
    others = [row for row in flat if not _unit(row).startswith("percent")]
    for part in (shares, others):
        if part:
            yield _by_target(part, [_text(row["measure"]) for row in part])
    for measure in dict.fromkeys(_text(row["measure"]) for row in steps):
        part = [row for row in steps if row["measure"] == measure]
        yield Paragraph(f"{measure}: {report.headers.get(measure, {}).get('title', '')}")
        yield _by_target(part, [f"{row['at']}" for row in part], above="at")
    words = [(measure, _meaning(report, row)) for measure, row in _first(flat).items()]
    if words:
        yield Terms(words, quiet=True)


def _by_measure(report: "Report", rows: Sequence[Row]) -> Grid:
    """One row per measure, one column per synthesis that is shown."""
    labels = _shown_syntheses(rows)
    values = {(row["measure"], *_whose(row), row["synthesis"]): row for row in rows}
    single = len(labels) == 1
    varying = _varying(rows)
    columns = [Column("measure", label=True), Column("in words", label=True)]
    columns += [Column(WHOSE[place], label=True) for place in varying]
    columns += [Column("count")] if single else []
    percent = all(_unit(row).startswith("percent") for row in rows)
    columns += [Column("percent" if percent else "value")] if single else [_synthesis(label) for label in labels]
    lines: list[list[str]] = []
    starts = []
    for measure, row in _first(rows).items():
        starts.append(len(lines))
        for number, whose in enumerate(dict.fromkeys(_whose(each) for each in rows if each["measure"] == measure)):
            cells = [values.get((measure, *whose, label)) for label in labels]
            counts = [number_of(cells[0], "numerator") if cells[0] else NOTHING] if single else []
            words = ["", ""] if number else [measure, _meaning(report, row)]
            lines.append([*words, *(shown(whose[place]) for place in varying), *counts, *(_value(cell) for cell in cells)])
    return Grid(columns, lines, frozenset(starts if varying else ()))


def _by_target(rows: Sequence[Row], heads: Sequence[str], above: str = "") -> Grid:
    """One row per target and synthesis that is shown, one column per measure (or point at which it is taken)."""
    syntheses = _shown_syntheses(rows)
    names = list(dict.fromkeys(heads))
    values = {(row["target"], *_whose(row), row["synthesis"], head): row for row, head in zip(rows, heads, strict=True)}
    whose = list(dict.fromkeys((row["target"], *_whose(row)) for row in rows))
    varying = _varying(rows)
    untargeted = all(row["target"] is None for row in rows)
    columns = [Column("" if untargeted else "target", label=True)]
    columns += [Column(WHOSE[place], label=True) for place in varying]
    columns += [Column("synthesis", label=True)] if len(syntheses) > 1 else []
    columns += [Column(name, above=above or ABOVE.get(name, "")) for name in names]
    lines: list[list[str]] = []
    starts = []
    for who in whose:
        starts.append(len(lines))
        for place, label in enumerate(syntheses):
            first = _unit(rows[0]) if untargeted else shown(who[0])
            line = [first if not place else ""] + [shown(who[1 + v]) if not place else "" for v in varying]
            line += [label] if len(syntheses) > 1 else []
            lines.append(line + [_value(values.get((*who, label, name))) for name in names])
    return Grid(columns, lines, frozenset(starts if len(syntheses) > 1 else ()))


WHOSE = ("population", "counted by")  # what _whose tells of a row


def _whose(row: Row) -> tuple[str, str]:
    return _text(row["population"]), "weight" if row["weighted"] else "people"


def _varying(rows: Sequence[Row]) -> list[int]:
    """Which of the two the rows differ in."""
    return [place for place in range(len(WHOSE)) if len({_whose(row)[place] for row in rows}) > 1]


def _added(report: "Report") -> Iterator[Block]:
    """The people of the original beside those of control; of several syntheses the widest pool of each name."""
    rows = [row for row in report.differences if row["at"] is None and not row["weighted"]]
    labels = list(dict.fromkeys(_text(row["synthesis"]) for row in rows))
    widest = representatives(labels)
    rows = [row for row in rows if row["synthesis"] in widest]
    if not any(left_out(report.scenario)):
        rows = [row for row in rows if row["measure"] not in COUNTED]
    if not rows:
        return
    units = {row["measure"]: _unit(row) for row in report.results if row["people"] == "original"}
    percent = f"{100 * _count(report.scenario.get('confidence')):g} % interval"
    several = [name for name in ("population", "synthesis") if len({row[name] for row in rows}) > 1]
    columns = [Column("target", label=True), Column("measure", label=True), *(Column(name, label=True) for name in several)]
    columns += [Column(name) for name in ("original", "control", "difference")]
    columns += [Column("adjusted"), Column("from", above=percent), Column("to", above=percent), Column("p")]
    lines: list[list[str]] = []
    starts = []
    for target in dict.fromkeys(row["target"] for row in rows):
        starts.append(len(lines))
        for row in (row for row in rows if row["target"] == target):
            unit = units[row["measure"]]
            head = NOTHING if target is None else shown(target)
            line = [head if len(lines) == starts[-1] else "", _text(row["measure"]), *(shown(row[name]) for name in several)]
            line += [number_of(row, name, unit) for name in ("original", "control", "difference")]
            interval = ("adjusted_low", "adjusted_high") if row["adjusted"] is not None else ("adjusted", "adjusted")
            line += [Number(_proportion(row[name]), row, name) for name in ("adjusted", *interval)]
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
        yield Paragraph(_text(note), quiet=True)


def _proportion(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, int | float) else NOTHING


def probability(value: object) -> str:
    """Return a p value for reading; a small one never reads 0."""
    if not isinstance(value, int | float):
        return NOTHING
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _shown_syntheses(rows: Sequence[Row]) -> list[str]:
    """The synthesis labels a reader needs: one alone, else per name the mean, the range and the widest pool."""
    labels = list(dict.fromkeys(_text(row["synthesis"]) for row in rows))
    chosen: list[str] = []
    for name in dict.fromkeys(label_name(label) for label in labels):
        own = [label for label in labels if label_name(label) == name]
        pools = [label for label in own if pooled(label)]
        summary = [label for label in own if label.split(" ")[-1] in ("mean", "min", "max")]
        chosen += summary + pools[-1:] if summary else own
    return chosen


def representatives(labels: Iterable[str], summary: str = "") -> list[str]:
    """Return one label per name: of one synthesis its own, of several the ``summary`` (mean) or else the widest pool."""
    chosen: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        wanted = label.split(" ")[-1] == summary if summary else pooled(label)
        if wanted or label_name(label) not in chosen:
            chosen[label_name(label)] = label
    return list(chosen.values())


def label_name(label: str) -> str:
    """Return the name of the syntheses that a label belongs to: ``cart`` of ``cart 1`` and ``cart pooled 1-2``; else empty."""
    return " ".join(label.split(" ")[: -2 if pooled(label) else -1])


def pooled(label: str) -> bool:
    """Whether a label stands for several syntheses pooled."""
    words = label.split(" ")
    return words[-2:-1] == ["pooled"] and "-" in words[-1]


def _synthesis(label: str) -> Column:
    name = label_name(label)
    return Column(label.removeprefix(name).strip(), above=name)


def _sentences(report: "Report") -> Iterator[Block]:
    measures = list(_first(report.results))
    spoken = [measure for measure in measures if measure in SPOKEN] or measures
    said = []
    for measure in spoken:
        says = report.headers.get(measure, {}).get("says")
        rows = [row for row in report.results if row["measure"] == measure and row["numerator"] is not None]
        rows = [row for row in rows if not pooled(_text(row["synthesis"])) and row["at"] is None]
        rows = [row for row in rows if row["people"] == "original" and _whose(row) == _whose(rows[0])]
        if not isinstance(says, str):
            continue
        several = len({row["synthesis"] for row in rows}) > 1
        for target in dict.fromkeys(row["target"] for row in rows):
            own = [row for row in rows if row["target"] == target and row["value"] is not None]
            if own:
                worst = max(own, key=lambda row: _count(row["value"]))
                lead = f"Synthesis {worst['synthesis']}, where most are: " if several else ""
                said.append(_said(says, worst, report.scenario, lead))
    if said:
        yield Heading("In words")
        yield Items(said)


def _said(says: str, row: Row, scenario: Row, lead: str) -> Sentence:
    words = {
        "numerator": number_of(row, "numerator"),
        "denominator": number_of(row, "denominator"),
        "value": number_of(row, "value", _unit(row)),
        "target": shown(row["target"]),
        "keys": _and(_listed(scenario.get("keys"))),
        "at": f"{row['at']}",
    }
    # Not str.format: a user's own sentence must not reach into objects.
    pieces = re.split(r"(\{\w+\})", says)
    return Sentence(lead, *(words.get(piece[1:-1], piece) if piece.startswith("{") else piece for piece in pieces))


def _one_way(report: "Report") -> Iterator[Block]:
    rows = report.checks.get("one_way") or []
    yield Heading("One-way check: is it one level that everybody could guess?")
    if not rows:
        yield Paragraph("No target has a level that makes up nearly all of its DiSCO records.")
        return
    several = ["population"] if len({row.get("population") for row in rows}) > 1 else []
    shown_rows = _collapsed(
        rows, (*several, "target", "Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
    )
    synthesis_column = _synthesis_column(shown_rows)
    columns = [Column("target", label=True), *(Column(name, label=True) for name in several)]
    columns += [*synthesis_column, Column("level", label=True)]
    columns += [Column("DiSCO\nrecords"), Column("of this\nlevel"), Column("percent\nof them")]
    columns += [Column("percent in\noriginal")]
    lines: list[list[str]] = []
    for row, synthesis in shown_rows:
        line = [shown(row["target"]), *(shown(row[name]) for name in several)]
        line += [*([synthesis] if synthesis_column else []), shown(row["Level"])]
        line += [number_of(row, "totalDisclosive"), number_of(row, "nLevelDis")]
        lines.append(line + [number_of(row, name, "percent") for name in ("PctLevelDis", "PctLevelAll")])
    yield Grid(columns, lines)
    yield Paragraph("If the level is common knowledge, leave it out with --exclude-level target=level and say why.", quiet=True)


def _two_way(report: "Report") -> Iterator[Block]:
    rows = report.checks.get("two_way") or []
    yield Heading("Two-way check: does one key nearly settle the target?")
    if not rows:
        yield Paragraph("No level of a key settles a level of a target.")
        return
    columns = [Column("target", label=True), Column("level", label=True), Column("key", label=True)]
    columns += [Column("key level", label=True), Column("DiSCO\nrecords"), Column("percent\nwith level")]
    rows = [row for row in rows if row.get("population") == rows[0].get("population")]
    pairs: dict[tuple[object, ...], Row] = {}
    for row in rows:  # the same pair in several syntheses: the one with most records
        pair = tuple(_text(row[name]) for name in ("target", "target_level", "key", "key_level"))
        if pair not in pairs or _count(row["npairs"]) > _count(pairs[pair]["npairs"]):
            pairs[pair] = row
    top = sorted(pairs.values(), key=lambda row: -_count(row["npairs"]))
    yield Grid(
        columns,
        [
            [
                *(shown(row[name]) for name in ("target", "target_level", "key", "key_level")),
                number_of(row, "npairs"),
                number_of(row, "PctTargetKeyLevel", "percent"),
            ]
            for row in top[:FLAGGED]
        ],
    )
    if len(top) > FLAGGED:
        yield Paragraph(f"{len(top) - FLAGGED:,} more pairs: --format json lists them all.", quiet=True)
    yield Paragraph(
        "If a pair is common knowledge, leave it out with --exclude-pair target=level,key=level and say why.",
        quiet=True,
    )


def _exclusions(report: "Report") -> Iterator[Block]:
    if not report.exclusions:
        return
    yield Heading("What the exclusions leave out")
    rows = _collapsed(report.exclusions, ("reason", "target", "side", "cells", "records"))
    columns = [Column("reason", label=True), Column("target", label=True), *_synthesis_column(rows)]
    columns += [Column("side", label=True), Column("cells"), Column("records")]
    lines: list[list[str]] = []
    for row, synthesis in rows:
        line = [_text(row["reason"]), NOTHING if row["target"] is None else shown(row["target"])]
        line += [synthesis] if len(columns) == 6 else []
        lines.append([*line, _text(row["side"]), number_of(row, "cells"), number_of(row, "records")])
    yield Grid(columns, lines)


def _overlap(report: "Report") -> Iterator[Block]:
    if not report.overlap:
        return
    labels = [_text(row["synthesis"]) for row in report.overlap]
    widest = {label_name(label): label for label in labels if pooled(label)}  # the last of a name is its widest pool
    rows = [
        row for row, label in zip(report.overlap, labels, strict=True) if not pooled(label) or label == widest[label_name(label)]
    ]
    yield Heading("Classes on both sides")
    columns = [Column("synthesis", label=True)]
    columns += [Column(name, above="classes") for name in ("on both\nsides", "only\noriginal", "only\nsynthetic")]
    columns += [Column("people", above="in classes on both sides")]
    columns += [Column("synthetic\nrecords", above="in classes on both sides")]
    names = (
        "classes_both",
        "classes_only_original",
        "classes_only_synthetic",
        "records_both",
        "synthetic_records_both",
    )
    yield Grid(columns, [[_text(row["synthesis"]), *(number_of(row, name) for name in names)] for row in rows])


def _levels(report: "Report") -> Iterator[Block]:
    rows = [row for row in report.levels if row["only_original"] or row["only_synthetic"]]
    yield Heading("Levels on one side only")
    if not rows:
        yield Paragraph("Every level of the keys and targets occurs on both sides.")
        return
    collapsed = _collapsed(rows, ("column", "only_original", "only_synthetic"))
    columns = [Column("column", label=True), *_synthesis_column(collapsed)]
    columns += [Column("only\noriginal"), Column("only\nsynthetic")]
    lines: list[list[str]] = []
    for row, synthesis in collapsed:
        line = [shown(row["column"])] + ([synthesis] if len(columns) == 4 else [])
        lines.append([*line, number_of(row, "only_original"), number_of(row, "only_synthetic")])
    yield Grid(columns, lines)


def _undefined(report: "Report") -> list[str]:
    empty = any(row["value"] is None for row in report.results)
    return [f"{NOTHING} means not defined: there is nobody to divide by."] if empty else []


def _collapsed(rows: Iterable[Row], same: Sequence[str]) -> list[tuple[Row, str]]:
    """Rows that differ only in their synthesis, as one row and its labels."""
    merged: dict[tuple[str, ...], tuple[Row, list[str]]] = {}
    for row in rows:
        merged.setdefault(tuple(repr(row.get(name)) for name in same), (row, []))[1].append(_text(row["synthesis"]))
    return [(row, _runs(labels)) for row, labels in merged.values()]


def _runs(labels: Sequence[str]) -> str:
    if len(labels) > 2 and [str(n) for n in range(1, len(labels) + 1)] == list(labels):
        return f"1 to {len(labels)}"
    return ", ".join(labels)


def _synthesis_column(rows: Sequence[tuple[Row, str]]) -> list[Column]:
    return [Column("synthesis", label=True)] if any(said != "1" for _, said in rows) else []


def _meaning(report: "Report", row: Row) -> str:
    title = _text(report.headers.get(_text(row["measure"]), {}).get("title", ""))
    unit = _unit(row)
    return title if unit == PERCENT else f"{title} ({unit})" if title else unit


def _first(rows: Iterable[Row]) -> dict[str, Row]:
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(_text(row["measure"]), row)
    return first


def _value(row: Row | None) -> str:
    return NOTHING if row is None else number_of(row, "value", _unit(row))


def _unit(row: Row) -> str:
    return _text(row["unit"])


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _count(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _names(value: object) -> str:
    return ", ".join(shown(name) for name in _listed(value)) or NOTHING


def _and(names: Sequence[object]) -> str:
    words = [shown(name) for name in names]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else ""


def _pairs(value: object) -> list[tuple[str, str]]:
    """Return (name, setting) pairs of a mapping whose settings may be lists."""
    if isinstance(value, Mapping):
        return [(shown(name), shown(item)) for name, items in value.items() for item in _listed(items)]
    return [(name, setting) for name, _, setting in (shown(item).partition("=") for item in _listed(value))]
