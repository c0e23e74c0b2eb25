"""What a report says and in which order: from its rows to the blocks that text and Markdown draw."""

import re
from collections.abc import Iterator, Sequence

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Sentence, Terms
from sqlrisk.report.findings import Findings
from sqlrisk.report.results import verdicts
from sqlrisk.report.sections import checks, distributions, result_tables, rounding, trends
from sqlrisk.report.wording import (
    NOTHING,
    Row,
    count,
    distinct,
    left_out,
    listed,
    names,
    number_of,
    pairs,
    plain_text,
    pooled,
    shown,
    split,
    spoken,
    unit_of,
)

ASSUMED = (
    "target levels were drawn in each class of the keys from a saturated multinomial, anew for each synthesis, with a Dirichlet "
    "prior of {prior:g} for each level; the intruder knows this, and every record of the original but one target level, of which "
    "all levels were equally probable"
)
SPOKEN = ("repU", "DiSCO")  # the measures that are also said in a sentence
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
UNDEFINED = f"{NOTHING} means not defined: there is nobody to divide by."


def report_blocks(report: Findings) -> list[Block]:
    """Return the whole report: what was compared, a policy's verdicts, numbers by family, sentences, checks, exclusions."""
    return [block for blocks in report_sections(report).values() for block in blocks]


def report_sections(report: Findings) -> dict[str, list[Block]]:
    """Return the blocks of the report by part, in order; a part is a family of measures, or one of the names below."""
    return {
        "compared": [*_compared(report)],
        "rounding": [*rounding.blocks(report)],
        "policy": [*verdicts.blocks(report.policy)],
        **{family: [*result_tables.family(report, family)] for family in distinct(report.results, "family")},
        "added": [*result_tables.added(report)],
        "sentences": [*_sentences(report)],
        "one_way": [*checks.one_way(report)],
        "two_way": [*checks.two_way(report)],
        "exclusions": [*checks.exclusions(report)],
        "overlap": [*checks.overlap(report)],
        "levels": [*checks.levels(report)],
        "distributions": [*distributions.blocks(report)],
        "trends": [*trends.blocks(report)],
        "notes": [Heading("Notes"), Items(NOTES + [UNDEFINED] * _undefined(report), quiet=True)],
    }


def _undefined(report: Findings) -> bool:
    """Whether a number is not defined, rather than hidden."""
    return any(row["value"] is None and not row.get("hidden") for row in report.results)


def _compared(report: Findings) -> Iterator[Block]:
    yield Heading("Disclosure risk of synthetic data", 1)
    named = any(" " in plain_text(side.get("synthesis")) for side in report.synthetic)
    sides = [("original", report.original)]
    for place, side in enumerate(report.synthetic, 1):
        label = plain_text(side.get("synthesis") or place)
        sides.append((label if named else f"synthesis {label}", side))
    sides += [("control", report.control)] if report.control is not None else []
    lines = [[name, shown(side.get("source")), number_of(side, "records"), number_of(side, "classes")] for name, side in sides]
    yield Grid([Column("", label=True), Column("file", label=True), Column("records"), Column("classes")], lines)
    yield Terms(list(_settings(report.scenario)))


def _settings(scenario: Row) -> Iterator[tuple[str, str]]:
    """Say the scenario's settings in words; what is not set is left out, but for the exclusions."""
    yield "keys", names(scenario.get("keys"))
    yield "targets", names(scenario.get("targets"))
    if bins := pairs(scenario.get("bins")):
        yield "bins", ", ".join(f"{column} in {count} quantile bins" for column, count in bins)
    if special := pairs(scenario.get("special")):
        yield "special values", ", ".join(f"{column}: {value}" for column, value in special)
    if within := pairs(scenario.get("within")):
        floors = dict(pairs(scenario.get("within_floor")))
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


def _sentences(report: Findings) -> Iterator[Block]:
    measures = distinct(report.results, "measure")
    spoken = [measure for measure in measures if measure in SPOKEN] or measures
    said = []
    for measure in spoken:
        says = report.headers.get(measure, {}).get("says")
        rows = [row for row in report.results if row["measure"] == measure and row["numerator"] is not None]
        rows = [row for row in rows if not pooled(plain_text(row["synthesis"])) and row["at"] is None]
        first = [(row["population"], row["weighted"], "original") for row in rows[:1]]
        rows = [row for row in rows if (row["population"], row["weighted"], row["people"]) in first]
        several = len({row["synthesis"] for row in rows}) > 1
        for _, every in split(rows, "target"):
            own = [row for row in every if row["value"] is not None]
            if own and isinstance(says, str):
                worst = max(own, key=lambda row: count(row["value"]))
                lead = f"Synthesis {worst['synthesis']}, where most are: " if several else ""
                said.append(_said(says, worst, report.scenario, lead))
    if said:
        yield Heading("In words")
        yield Items(said)


def _said(says: str, row: Row, scenario: Row, lead: str) -> Sentence:
    words = {
        "numerator": spoken(row, "numerator"),
        "denominator": spoken(row, "denominator"),
        "value": number_of(row, "value", unit_of(row)),
        "target": shown(row["target"]),
        "keys": _conjoined(listed(scenario.get("keys"))),
        "at": f"{row['at']}",
    }
    # Not str.format: a user's own sentence must not reach into objects.
    pieces = re.split(r"(\{\w+\})", says)
    return Sentence(lead, *(words.get(piece[1:-1], piece) if piece.startswith("{") else piece for piece in pieces))


def _conjoined(items: Sequence[object]) -> str:
    *most, last = [*map(shown, items)] or [""]
    return f"{', '.join(most)} and {last}" if most else last
