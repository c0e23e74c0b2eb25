"""What the checks of a report flag, what the exclusions leave out, and what only one of the files has."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlrisk.report.blocks import Block, Column, Heading, Paragraph, table
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import Row, count, label_name, number_of, or_nothing, plain_text, pooled, shown

FLAGGED = 10  # rows of the two-way check that are shown; the other formats hold them all

Cell = tuple[Column, Callable[[Row], str]]


def one_way(report: Findings) -> Iterator[Block]:
    """Yield the targets of which one level makes up nearly all DiSCO records."""
    rows = report.checks.get("one_way") or []
    yield Heading("One-way check: is it one level that everybody could guess?")
    if not rows:
        yield Paragraph("No target has a level that makes up nearly all of its DiSCO records.")
        return
    several = len({row.get("population") for row in rows}) > 1
    told = ("target", "Level", "All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis")
    merged = _Merged(rows, ("population", *told) if several else told)
    yield table(
        [
            _label("target"),
            _label("population") if several else None,
            merged.column(),
            _label("Level", "level"),
            _number("totalDisclosive", "DiSCO\nrecords"),
            _number("nLevelDis", "of this\nlevel"),
            _number("PctLevelDis", "percent\nof them", "percent"),
            _number("PctLevelAll", "percent in\noriginal", "percent"),
        ],
        merged.rows,
    )
    yield Paragraph("If the level is common knowledge, leave it out with --exclude-level target=level and say why.", quiet=True)


def two_way(report: Findings) -> Iterator[Block]:
    """Yield the pairs of levels of which one key nearly settles the target."""
    rows = report.checks.get("two_way") or []
    yield Heading("Two-way check: does one key nearly settle the target?")
    if not rows:
        yield Paragraph("No level of a key settles a level of a target.")
        return
    pairs: dict[tuple[object, ...], Row] = {}
    for row in (row for row in rows if row.get("population") == rows[0].get("population")):
        pair = tuple(plain_text(row[name]) for name in ("target", "target_level", "key", "key_level"))
        if pair not in pairs or count(row["npairs"]) > count(pairs[pair]["npairs"]):  # of several syntheses
            pairs[pair] = row
    top = sorted(pairs.values(), key=lambda row: -count(row["npairs"]))
    yield table(
        [
            _label("target"),
            _label("target_level", "level"),
            _label("key"),
            _label("key_level", "key level"),
            _number("npairs", "DiSCO\nrecords"),
            _number("PctTargetKeyLevel", "percent\nwith level", "percent"),
        ],
        top[:FLAGGED],
    )
    if len(top) > FLAGGED:
        yield Paragraph(f"{len(top) - FLAGGED:,} more pairs: --format json lists them all.", quiet=True)
    yield Paragraph(
        "If a pair is common knowledge, leave it out with --exclude-pair target=level,key=level and say why.", quiet=True
    )


def exclusions(report: Findings) -> Iterator[Block]:
    """Yield how many cells and records each exclusion takes out."""
    if not report.exclusions:
        return
    merged = _Merged(report.exclusions, ("reason", "target", "side", "cells", "records"))
    target = Column("target", label=True), lambda row: or_nothing(row["target"])
    yield Heading("What the exclusions leave out")
    yield table([_word("reason"), target, merged.column(), _word("side"), _number("cells"), _number("records")], merged.rows)


def overlap(report: Findings) -> Iterator[Block]:
    """Yield how many classes and records the files have in common; of several syntheses the widest pool."""
    if not report.overlap:
        return
    labels = [plain_text(row["synthesis"]) for row in report.overlap]
    widest = {label_name(label): label for label in labels if pooled(label)}  # the last of a name is its widest pool
    rows = [row for row, label in zip(report.overlap, labels, strict=True) if not pooled(label) or label in widest.values()]
    yield Heading("Classes on both sides")
    beside = "in classes on both sides"
    yield table(
        [
            _word("synthesis"),
            _number("classes_both", "on both\nsides", above="classes"),
            _number("classes_only_original", "only\noriginal", above="classes"),
            _number("classes_only_synthetic", "only\nsynthetic", above="classes"),
            _number("records_both", "people", above=beside),
            _number("synthetic_records_both", "synthetic\nrecords", above=beside),
        ],
        rows,
    )


def levels(report: Findings) -> Iterator[Block]:
    """Yield how many levels of each column only one side has."""
    rows = [row for row in report.levels if row["only_original"] or row["only_synthetic"]]
    yield Heading("Levels on one side only")
    if not rows:
        yield Paragraph("Every level of the keys and targets occurs on both sides.")
        return
    merged = _Merged(rows, ("column", "only_original", "only_synthetic"))
    numbers = _number("only_original", "only\noriginal"), _number("only_synthetic", "only\nsynthetic")
    yield table([_label("column"), merged.column(), *numbers], merged.rows)


class _Merged:
    """Rows that differ only in their synthesis, as one row each, with the labels of its syntheses."""

    def __init__(self, rows: Iterable[Row], same: Sequence[str]) -> None:
        merged: dict[tuple[str, ...], tuple[Row, list[str]]] = {}
        for row in rows:
            merged.setdefault(tuple(repr(row.get(name)) for name in same), (row, []))[1].append(plain_text(row["synthesis"]))
        self.rows = [row for row, _ in merged.values()]
        self._said = {id(row): _runs(labels) for row, labels in merged.values()}

    def column(self) -> Cell | None:
        """Return the column that names the syntheses; None where every row is of the only one."""
        if all(said == "1" for said in self._said.values()):
            return None
        return Column("synthesis", label=True), lambda row: self._said[id(row)]


def _runs(labels: Sequence[str]) -> str:
    if len(labels) > 2 and [str(n) for n in range(1, len(labels) + 1)] == list(labels):
        return f"1 to {len(labels)}"
    return ", ".join(labels)


def _label(field: str, head: str = "") -> Cell:
    """Return a column of names or levels."""
    return Column(head or field, label=True), lambda row: shown(row[field])


def _word(field: str) -> Cell:
    """Return a column of words of the program."""
    return Column(field, label=True), lambda row: plain_text(row[field])


def _number(field: str, head: str = "", unit: str = "", above: str = "") -> Cell:
    return Column(head or field, above=above), lambda row: number_of(row, field, unit)
