"""Blocks about one-way and two-way checks, exclusions, and what only one side has."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlrisk.catalogue.measures import CHECKED
from sqlrisk.report.blocks import Block, Cell, Heading, Paragraph, table
from sqlrisk.report.findings import Findings, checked
from sqlrisk.report.result import amount_of
from sqlrisk.report.section import OnPage, Part
from sqlrisk.report.sections.cells import label, number, text, word
from sqlrisk.report.wording import Row, count, distinct, label_name, or_nothing, plain_text, pooled

# What a page says below flagged rows.
OF_EVERYBODY = (
    "To consider: is the level that most of these people have one that everybody would guess? Then "
    "little was learned, and you can exclude the level and state the reason. A sensitive level "
    "should stay counted, however common it is."
)
BY_RULE = (
    "To consider: does the key determine the target by a rule, as a young age determines marital "
    "status? Then the synthetic file revealed nothing, and you can exclude the pair and state the "
    "reason. A pair that only goes together often should stay counted."
)
FLAGGED = 10  # rows of the two-way check that are shown; other formats have all
PAIR = ("target", "target_level", "key", "key_level")


def one_way(report: Findings) -> Iterator[Part]:
    """Yield the targets for which one level makes up nearly all DiSCO records. Yield nothing for a
    rounded report or without targets.
    """
    if report.rounding or not report.scenario.get("targets"):
        return
    rows = report.checks.get("one_way") or []
    yield Heading("One-way check: is it one level that everybody could guess?")
    if not rows:
        yield Paragraph(f"No target has a level that makes up nearly all of its {CHECKED} records.")
        return
    several = len({row.get("population") for row in rows}) > 1
    told = ("target", "Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
    merged, syntheses = _merged(rows, ("population", *told) if several else told)
    yield table(
        [
            label("target"),
            label("population") if several else None,
            syntheses,
            label("Level", "level"),
            number("totalDisclosive", f"{CHECKED}\nrecords"),
            number("nLevelDis", "of this\nlevel"),
            number("PctLevelDis", "percent\nof them", "percent"),
            number("PctLevelAll", "percent of\neverybody", "percent"),
        ],
        merged,
    )
    yield Paragraph(
        "If the level is common knowledge, leave it out with --exclude-level target=level and say "
        "why.",
        quiet=True,
    )
    yield OnPage([Paragraph(OF_EVERYBODY)])


def two_way(report: Findings) -> Iterator[Part]:
    """Yield the pairs of a key's level and a target's level in which the key nearly determines the
    target. Yield nothing for a rounded report or without targets.
    """
    if report.rounding or not report.scenario.get("targets"):
        return
    rows = checked(report, "two_way")
    yield Heading("Two-way check: does one key nearly determine the target?")
    if not rows:
        yield Paragraph("No level of a key nearly determines a level of a target.")
        return
    pairs: dict[tuple[object, ...], Row] = {}
    for row in rows:
        pair = tuple(row[name] for name in PAIR)
        # of several syntheses, the one with the most records
        pairs[pair] = max(pairs.get(pair, row), row, key=lambda each: count(each["npairs"]))
    top = sorted(pairs.values(), key=lambda row: -count(row["npairs"]))
    yield table(
        [
            label("target"),
            label("target_level", "level"),
            label("key"),
            label("key_level", "key level"),
            number("npairs", f"{CHECKED}\nrecords"),
            number("PctTargetKeyLevel", "percent\nwith level", "percent"),
        ],
        top[:FLAGGED],
    )
    if len(top) > FLAGGED:
        more = amount_of(len(top) - FLAGGED, "more pair")
        yield Paragraph(f"{more}: --format json lists all.", quiet=True)
    yield Paragraph(
        "If a pair is common knowledge, leave it out with --exclude-pair target=level,key=level "
        "and say why.",
        quiet=True,
    )
    yield OnPage([Paragraph(BY_RULE)])


def exclusions(report: Findings) -> Iterator[Block]:
    """Yield how many cells and records each exclusion removes."""
    if not report.exclusions:
        return
    merged, syntheses = _merged(report.exclusions, ("reason", "target", "side", "cells", "records"))
    target = text("target", lambda row: or_nothing(row["target"]))
    yield Heading("Excluded records")
    yield table(
        [word("reason"), target, syntheses, word("side"), number("cells"), number("records")],
        merged,
    )


def overlap(report: Findings) -> Iterator[Block]:
    """Yield how many classes and records the files share, for each file and the widest pools."""
    if not report.overlap:
        return
    labels = distinct(report.overlap, "synthesis")
    pools = [label for label in labels if pooled(plain_text(label))]
    widest = {label_name(label): label for label in pools}.values()  # the last pool of a name
    dropped = {*pools} - {*widest}
    rows = [row for row in report.overlap if row["synthesis"] not in dropped]
    yield Heading("Classes on both sides")
    beside = "in classes on both sides"
    yield table(
        [
            word("synthesis"),
            number("classes_both", "on both\nsides", above="classes"),
            number("classes_only_original", "only\noriginal", above="classes"),
            number("classes_only_synthetic", "only\nsynthetic", above="classes"),
            number("records_both", "people", above=beside),
            number("synthetic_records_both", "synthetic\nrecords", above=beside),
        ],
        rows,
    )


def levels(report: Findings) -> Iterator[Block]:
    """Yield how many levels of each column only one side has, or nothing for a rounded report."""
    if report.rounding:
        return
    rows = [row for row in report.levels if row["only_original"] or row["only_synthetic"]]
    yield Heading("Levels on one side only")
    if not rows:
        yield Paragraph("Every level of the keys and targets occurs on both sides.")
        return
    merged, syntheses = _merged(rows, ("column", "only_original", "only_synthetic"))
    numbers = number("only_original", "only\noriginal"), number("only_synthetic", "only\nsynthetic")
    yield table([label("column"), syntheses, *numbers], merged)


def _merged(rows: Iterable[Row], same: Sequence[str]) -> tuple[list[Row], Cell[Any] | None]:
    """Merge the rows that are equal in the fields ``same``. Return the merged rows, and the column
    that names their syntheses, or None if all are of synthesis 1.
    """
    merged: dict[tuple[str, ...], tuple[Row, list[str]]] = {}
    for row in rows:
        alike = tuple(repr(row.get(name)) for name in same)
        _, labels = merged.setdefault(alike, (row, []))
        labels.append(plain_text(row["synthesis"]))
    said = {id(row): _runs(labels) for row, labels in merged.values()}
    column = text("synthesis", lambda row: said[id(row)])
    return [row for row, _ in merged.values()], None if set(said.values()) == {"1"} else column


def _runs(labels: Sequence[str]) -> str:
    if len(labels) > 2 and [str(n) for n in range(1, len(labels) + 1)] == list(labels):
        return f"1 to {len(labels)}"
    return ", ".join(labels)
