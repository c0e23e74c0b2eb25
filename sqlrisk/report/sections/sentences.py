"""What the numbers of a report say in words, as blocks."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sqlrisk.inputs.request import EXCLUDED
from sqlrisk.report.blocks import Block, Heading, Items, Sentence
from sqlrisk.report.findings import Findings, of_everybody
from sqlrisk.report.wording import (
    Row,
    comparable,
    count,
    distinct,
    listed,
    number_of,
    plain_text,
    pooled,
    pools,
    shown,
    split,
    spoken,
    unit_of,
)

SPOKEN = ("repU", "DiSCO")  # the measures that are said in a sentence, where there are any
# Those that can fall where files are pooled, since files contradict each other -> what stands beside them, the union last.
POOLED = {"repU": ("repU_union",), "DiSCO": ("TCAP_disclosive", "DCAP", "DiSCO_union")}
UNIONS = {"repU_union": "the people whom at least one of them has as a unique", "DiSCO_union": "those whom at least one reveals"}


def blocks(report: Findings) -> Iterator[Block]:
    """Yield the sentences of the measures that are said in words, each of the synthesis where most people are; then of pools."""
    measures = distinct(comparable(report.results, report.scenario), "measure")
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
                said.append(_said(says, worst, report.scenario, lead, _beside(report, worst)))
    said += _pools(report)
    if said:
        yield Heading("In words")
        yield Items(said)


def _pools(report: Findings) -> Iterator[Sentence]:
    """Say of each number that falls where files are pooled that the release is not safer for it, and what does not fall."""
    rows = {(row["measure"], row["target"], row["synthesis"]): row for row in of_everybody(report) if row["at"] is None}
    labels = list(dict.fromkeys(synthesis for *_, synthesis in rows))
    widest = {name: (count, label) for name, count, label in pools(labels) if pooled(label)}
    for measure, target in dict.fromkeys((measure, target) for measure, target, _ in rows if measure in POOLED):
        for name, (files, label) in widest.items():
            ends = (f"{name} mean".strip(), label)
            alone, together = (rows.get((measure, target, end)) for end in ends)
            if alone and together and _falls(alone["value"], together["value"]):
                about = f"{shown(name)}: p" if name else "P"
                of = "" if target is None else f" of {shown(target)}"
                numbers = [{each: rows.get((each, target, end)) for each in POOLED[measure]} for end in ends]
                falls = [f"{about}ooled, {measure}{of} falls from ", number_of(alone, "value", "percent")]
                falls += [f" % (mean of the {files} files) to ", number_of(together, "value", "percent"), " %: "]
                yield Sentence(*falls, "more files do not make a release safer.", *_not_falling(POOLED[measure], numbers))


def _falls(alone: object, together: object) -> bool:
    """Say whether a number is smaller where files are pooled, by more than the last digits of a sum."""
    return None not in (alone, together) and count(together) < count(alone) * (1 - 1e-11)


def _not_falling(measures: Sequence[str], ends: Sequence[Mapping[str, Row | None]]) -> Iterator[str]:
    """Say, in pieces, what measures are of one file and of all; a union that was not computed is named."""
    lead = " From one file to all of them, "
    for measure in measures:
        alone, together = (end[measure] for end in ends)
        if alone is not None and together is not None and None not in (alone["value"], together["value"]):
            yield from (f"{lead}{measure} goes from ", number_of(alone, "value", "percent"), " % to ")
            yield from (number_of(together, "value", "percent"), f" % ({UNIONS[measure]})" if measure in UNIONS else " %")
            lead = ", "
    yield "." if lead == ", " else f" Ask for {measures[-1]} as well: {UNIONS[measures[-1]]}."


def _beside(report: Findings, row: Row) -> list[str]:
    """Say, in pieces, how many people exclusions leave out of a number, and what it is without them; nothing where nobody is."""

    def same(found: Row, *names: str) -> bool:
        return all(found[name] == row[name] for name in ("target", "synthesis", "population", "people", "weighted", *names))

    out = next((each for each in report.results if each["measure"] in EXCLUDED and same(each)), None)
    whole = next((each for each in report.without_exclusions if same(each, "measure", "at")), None)
    if out is None or whole is None or not out["numerator"]:
        return []
    unit = unit_of(row)
    beside = ["This leaves out ", number_of(out, "numerator"), " people (", number_of(out, "value", "percent"), " %)"]
    beside += [" who are not counted; with them it is ", number_of(whole, "numerator")]
    return [" ", *beside, " (", number_of(whole, "value", unit), " %)." if unit.startswith("percent") else ")."]


def _said(says: str, row: Row, scenario: Row, lead: str, beside: Sequence[str]) -> Sentence:
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
    return Sentence(lead, *(words.get(piece[1:-1], piece) if piece.startswith("{") else piece for piece in pieces), *beside)


def _conjoined(items: Sequence[object]) -> str:
    *most, last = [*map(shown, items)] or [""]
    return f"{', '.join(most)} and {last}" if most else last
