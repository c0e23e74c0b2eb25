"""The numbers at a glance: the sentences and the table of the summary, and the three criteria."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sqlrisk.report.blocks import Block, Column, Grid, Items, Number, Paragraph, Sentence, Terms, table
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.html.rendering import plain_table
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import Row, base_of, distinct, means, number_of, or_nothing, shown, value_of

COMPARED = ("Dorig", "DiSCO", "CAPd", "DCAP")
CRITERIA = {
    "Singling out": ("UiO", "UiOiS", "repU"),
    "Inference": ("DiSCO", "DCAP"),
    "Linkability": ("true_match_rate", "expected_match_risk"),
}


def notebook(report: Findings) -> str:
    """Return the report's numbers at a glance as an HTML table, as a notebook shows it."""
    return plain_table(_glance(report) if report.scenario.get("targets") else criteria(report), repr(report))


def summary(report: Findings, sentences: Sequence[Block]) -> Iterator[Block]:
    """Yield the sentences of each target, and the numbers at a glance."""
    values = _rows_at_a_glance(report)
    base = base_of(report.scenario)
    said: dict[object, list[str]] = {}
    for text in (text for block in sentences if isinstance(block, Items) for text in block.texts):
        said.setdefault(_target(text), []).append(text)
    for target, label in dict.fromkeys((target, label) for _, target, label in values if target is not None):
        rows = {name: values.get((name, target, label)) for name in (base, *COMPARED)}
        if (sentence := _compared(rows, base, target, label)) is not None:
            said.setdefault(target, []).append(sentence)
    yield from (Paragraph(text) for text in said.pop(None, []))
    if report.scenario.get("targets"):
        yield Terms([(shown(target), Sentence(*_spaced(texts))) for target, texts in said.items()])
        yield _glance(report)


def _target(sentence: str) -> object:
    """Return the target of the first number in a sentence."""
    parts = sentence.parts if isinstance(sentence, Sentence) else ()
    return next((part.row.get("target") for part in parts if isinstance(part, Number)), None)


def _spaced(texts: Sequence[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield from [" "] if place else []
        yield from text.parts if isinstance(text, Sentence) else [text]


def _compared(rows: Mapping[str, Row | None], base: str, target: object, label: str) -> Sentence | None:
    """Say the original, the baseline and the synthetic file of a target in one sentence."""
    number = {name: number_of(row, "value", "percent") for name, row in rows.items() if row is not None}
    if len(number) < len(rows):
        return None
    whom = "" if label == "1" else f"{shown(label).capitalize()}: "
    return Sentence(
        f"{whom}Publishing the original would reveal {shown(target)} for ",
        *(number["Dorig"], " % of the people. The synthetic file reveals it for ", number["DiSCO"], " %. A guess is right for "),
        *(number[base], " % from the target's shares alone, for ", number["DCAP"], " % from the synthetic file and for "),
        *(number["CAPd"], " % from the original."),
    )


def _rows_at_a_glance(report: Findings) -> dict[tuple[str, Any, str], Row]:
    """Return the rows of everybody, counted, by measure, target and synthesis; of several syntheses the mean."""
    rows = [row for row in of_everybody(report) if row["at"] is None]
    labels = means(rows)
    return {(str(row["measure"]), row["target"], str(row["synthesis"])): row for row in rows if row["synthesis"] in labels}


def _glance(report: Findings) -> Grid:
    """Draw a row per target and synthesis: baseline, original, synthetic, and which checks flag it."""
    values = _rows_at_a_glance(report)
    above = {base_of(report.scenario): "baseline", "Dorig": "certain", "DiSCO": "certain", "CAPd": "guessed", "DCAP": "guessed"}
    measures = {measure for measure, _, _ in values}
    targets = dict.fromkeys(target for _, target, _ in values if target is not None)
    labels = dict.fromkeys(label for _, _, label in values)
    flagged = flags(report)
    return table(
        [
            (Column("target", label=True), lambda line: shown(line[0])),
            (Column("synthesis", label=True), lambda line: line[1]) if len(labels) > 1 else None,
            *(cells.value(values, name, Column(name, above=above[name])) for name in above if name in measures),
            (Column("flagged", label=True), lambda line: flagged.get(line[0], "")) if flagged else None,
        ],
        [*product(targets, labels)],
    )


def criteria(report: Findings) -> Grid:
    """Draw the measures of each of the three criteria of an anonymous file."""
    values = _rows_at_a_glance(report)
    lines = [(name, *place) for name, measures in CRITERIA.items() for each in measures for place in values if place[0] == each]
    several = len({label for _, _, label in values}) > 1
    return table(
        [
            (Column("criterion", label=True, once=True), lambda line: line[0]),
            (Column("measure", label=True), lambda line: line[1]),
            (Column("target", label=True), lambda line: or_nothing(line[2])),
            (Column("synthesis", label=True), lambda line: line[3]) if several else None,
            (Column("percent"), lambda line: value_of(values[line[1:]])),
            (Column("in words", label=True), lambda line: str(report.headers.get(line[1], {}).get("title", ""))),
        ],
        lines,
        lambda line: line[0],
    )


def flags(report: Findings) -> dict[Any, str]:
    """Return which checks flag a target: ``one-way``, ``two-way``, or both."""
    found: dict[Any, str] = {}
    for check, word in (("one_way", "one-way"), ("two_way", "two-way")):
        for target in distinct(report.checks.get(check, []), "target"):
            found[target] = f"{found[target]}, {word}" if target in found else word
    return found
