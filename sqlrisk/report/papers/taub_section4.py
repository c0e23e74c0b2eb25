"""Differential confidentiality, Taub, Elliot, Pampaka & Smith 2018, section 4.3: those in the synthesis against those outside.

Of the record-level CAP the two means, Welch's t, its degrees of freedom and p, by the number of pooled syntheses, with
non-matches as zero and left out.
"""

from collections.abc import Iterator

from sqlrisk.common.errors import InputError
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import amount, distinct, plain_text, probability, shown, varying

RULES = {"DCAP": "zero", "DCAP_matched": "left_out"}  # measure -> how a non-match counts, the start of its columns
SPOKEN = {"zero": "non-matches as zero", "left_out": "non-matches left out"}
# This table's word for a number -> the report's.
NUMBERS = {"in": "original", "out": "control", "difference": "difference", "t": "t", "df": "df", "p": "p"}
COLUMNS = ("target", "population", "method", "m", *(f"{rule}_{name}" for rule in RULES.values() for name in NUMBERS))
TITLE = "Differential confidentiality: record-level CAP of those in the synthesis and outside"
HALVES = ("half", "source", "N_d", "classes")


def halves(report: Findings) -> list[dict[str, object]]:
    """Return the people in the synthesis and those outside: source, number of people, number of classes."""
    _check(report)
    sides = (("in", report.original), ("out", report.control or {}))
    return [
        dict(zip(HALVES, (half, *(side[name] for name in ("source", "records", "classes"))), strict=True)) for half, side in sides
    ]


def rows(report: Findings) -> list[dict[str, object]]:
    """Return one row for each target, population, method (name of a synthesis, or None) and number m of pooled syntheses.

    The means are percentages; numbers that are not defined are None.
    """
    _check(report)
    found = {
        (row["target"], row["population"], row["synthesis"], row["measure"]): row
        for row in report.differences
        if row["at"] is None and not row["weighted"] and row["measure"] in RULES
    }
    told: list[dict[str, object]] = []
    for target, population in dict.fromkeys((key[0], key[1]) for key in found):
        for method, m, label in _pools(report):
            row: dict[str, object] = {"target": target, "population": population, "method": method, "m": m}
            for measure, rule in RULES.items():
                own = found.get((target, population, label, measure), {})
                row |= {f"{rule}_{name}": own.get(of) for name, of in NUMBERS.items()}
            told.append(row)
    return told


def taub4(report: Findings) -> list[Block]:
    """Return the two halves, then a table for each target."""
    sides = [
        (Column("", label=True), lambda side: plain_text(side["half"])),
        (Column("file", label=True), lambda side: shown(side["source"])),
        (Column("N_d"), lambda side: amount(side["N_d"])),
        (Column("classes"), lambda side: amount(side["classes"])),
    ]
    blocks: list[Block] = [Heading(TITLE, 1), table(sides, halves(report))]
    found = rows(report)
    named = varying(found, ("population", "method"))
    columns = [*(Column(name, label=True) for name in named), Column("m", label=True)]
    columns += [Column(name, above=SPOKEN[rule]) for rule in RULES.values() for name in NUMBERS]
    for target in distinct(found, "target"):
        own = [row for row in found if row["target"] == target]
        starts = frozenset(place for place, row in enumerate(own) if row["m"] == 1)
        lines = [
            [
                *(shown(row[name]) if row["m"] == 1 else "" for name in named),
                plain_text(row["m"]),
                *(_number(name, row[f"{rule}_{name}"]) for rule in RULES.values() for name in NUMBERS),
            ]
            for row in own
        ]
        blocks += [Heading(shown(target)), Grid(columns, lines, starts)]
    blocks.append(
        Paragraph(
            "in and out are means in percent, m is the number of pooled syntheses, t is Welch's. If those outside are guessed as "
            "well as those in the synthesis, the synthesis did not add the risk.",
            quiet=True,
        )
    )
    if note := next((row["note"] for row in report.differences if row["note"]), None):
        blocks.append(Paragraph(plain_text(note), quiet=True))
    return blocks


def _pools(report: Findings) -> Iterator[tuple[str | None, int, str]]:
    """Yield (method, m, synthesis): the first synthesis of a method alone, then the first 2, 3 ... pooled."""
    singles: dict[str, list[str]] = {}
    for side in report.synthetic:
        label = plain_text(side["synthesis"])
        singles.setdefault(label.rpartition(" ")[0], []).append(label)
    for method, labels in singles.items():
        for m in range(1, len(labels) + 1):
            yield method or None, m, labels[0] if m == 1 else f"{method} pooled 1-{m}".strip()


def _check(report: Findings) -> None:
    measures = {row["measure"] for row in report.differences}
    if report.control is None or not measures.issuperset(RULES):
        raise InputError(
            "taub4 compares people in the synthesis with people outside, by the measures DCAP and DCAP_matched: give the others "
            "as --control FILE, or as a half of the original with --split COLUMN --split-in LEVEL."
        )


def _number(name: str, value: object) -> str:
    if name == "p":
        return probability(value)
    return amount(value, "percent" if name in ("in", "out", "difference") else "")
