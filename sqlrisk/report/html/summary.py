"""The numbers at a glance: the sentences and the table of the summary, and the three criteria."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlrisk.report.blocks import Block, Column, Grid, Items, Number, Paragraph, Sentence, Terms
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.html import words
from sqlrisk.report.html.rendering import Part, plain_table
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.wording import Row, distinct, left_out, means, number_of, or_nothing, shown, value_of

COMPARED = ("Dorig", "DiSCO", "CAPd", "DCAP")
SINGLING_OUT, INFERENCE, LINKABILITY = ("UiO", "UiOiS", "repU"), ("DiSCO", "DCAP"), ("true_match_rate", "expected_match_risk")


def notebook(report: Findings) -> str:
    """Return the report's numbers at a glance as an HTML table, as a notebook shows it."""
    return plain_table(_glance(report), repr(report))


def summary(report: Findings, sentences: Sequence[Block]) -> Iterator[Part]:
    """Yield the sentences of each target, and the numbers at a glance."""
    values = _rows_at_a_glance(report)
    base = base_of(report)
    said: dict[object, list[str]] = {}
    for text in (text for block in sentences if isinstance(block, Items) for text in block.texts):
        said.setdefault(_target(text), []).append(text)
    for target, label in dict.fromkeys((target, label) for _, target, label in values if target is not None):
        if (
            sentence := _compared({name: values.get((name, target, label)) for name in (base, *COMPARED)}, base, label)
        ) is not None:
            said.setdefault(target, []).append(sentence)
    yield from (Paragraph(text) for text in said.pop(None, []))
    yield Terms([(shown(target), Sentence(*_spaced(texts))) for target, texts in said.items()])
    yield _glance(report)
    yield Paragraph(
        f"Percent of original records. Dorig and CAPd are what the original itself would reveal; {base} is a guess from the "
        "target's shares alone; DiSCO and DCAP are what the synthetic file reveals. Compare them with each other.",
        quiet=True,
    )


def _target(sentence: str) -> object:
    """Return the target of the first number in a sentence."""
    parts = sentence.parts if isinstance(sentence, Sentence) else ()
    return next((part.row.get("target") for part in parts if isinstance(part, Number)), None)


def _spaced(texts: Sequence[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        yield from [" "] if place else []
        yield from text.parts if isinstance(text, Sentence) else [text]


def _compared(rows: Mapping[str, Row | None], base: str, label: str) -> Sentence | None:
    """Say the original, the baseline and the synthetic file of a target in one sentence."""
    number = {name: number_of(row, "value", "percent") for name, row in rows.items() if row is not None}
    if len(number) < len(rows):
        return None
    whom = "" if label == "1" else f"{shown(label).capitalize()}: "
    return Sentence(
        f"{whom}The original itself would reveal it of ",
        *(number["Dorig"], " % of the people, the synthetic file of ", number["DiSCO"], " %. A guess is right for "),
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
    base = base_of(report)
    names = [name for name in (base, *COMPARED) if any(name == measure for measure, _, _ in values)]
    labels = list(dict.fromkeys(label for _, _, label in values))
    flagged = flags(report)
    columns = [Column("target", label=True), *([Column("synthesis", label=True)] if len(labels) > 1 else [])]
    above = {base: "baseline", "Dorig": "certain", "DiSCO": "certain", "CAPd": "guessed", "DCAP": "guessed"}
    columns += [Column(name, above=above[name]) for name in names]
    columns += [Column("flagged", number=False)] if flagged else []
    lines: list[list[str]] = []
    for target in dict.fromkeys(target for _, target, _ in values if target is not None):
        for label in labels:
            line = [shown(target), *([label] if len(labels) > 1 else [])]
            line += [value_of(values.get((name, target, label))) for name in names]
            lines.append(line + ([flagged.get(target, "")] if flagged else []))
    return Grid(columns, lines)


def criteria(report: Findings, uniques: Uniques | None) -> Iterator[Part]:
    """Yield the measures of each of the three criteria of an anonymous file."""
    values = _rows_at_a_glance(report)
    several = len({label for _, _, label in values}) > 1
    columns = [Column(name, label=True) for name in ("criterion", "measure", "target", *(["synthesis"] if several else []))]
    columns += [Column("percent"), Column("in words", label=True)]
    lines: list[list[str]] = []
    starts = []
    for criterion, measures in (("Singling out", SINGLING_OUT), ("Inference", INFERENCE), ("Linkability", LINKABILITY)):
        starts.append(len(lines))
        for measure, target, label in (place for name in measures for place in values if place[0] == name):
            row = values[measure, target, label]
            line = [criterion if len(lines) == starts[-1] else "", measure, or_nothing(target)]
            line += [label] if several else []
            lines.append([*line, value_of(row), str(report.headers.get(measure, {}).get("title", ""))])
    yield Grid(columns, lines, frozenset(starts))
    texts = [words.SUDA if uniques is None else words.SPECIAL.format(special=uniques.special, uniques=uniques.uniques)]
    if not any(measure in LINKABILITY for measure, _, _ in values):
        texts.append(f"Linkability. {words.LINKABILITY}")
    yield Items(texts)
    yield Paragraph(words.CRITERIA_SOURCE, quiet=True)


def base_of(report: Findings) -> str:
    """Return the baseline to compare with: that over the people who are counted, where not all are."""
    return "baseCAPd_counted" if any(left_out(report.scenario)) else "baseCAPd"


def flags(report: Findings) -> dict[Any, str]:
    """Return which checks flag a target: ``one-way``, ``two-way``, or both."""
    found: dict[Any, str] = {}
    for check, word in (("one_way", "one-way"), ("two_way", "two-way")):
        for target in distinct(report.checks.get(check, []), "target"):
            found[target] = f"{found[target]}, {word}" if target in found else word
    return found
