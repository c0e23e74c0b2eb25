"""The catalogue of measures as a list for reading or for programs."""

from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Column, Grid, Heading, Terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlrisk.catalog import Measure

FIELDS = ("name", "family", "title", "unit", "formula", "source", "scale", "higher", "says")
WIDE = 132  # from here on a table holds a formula beside a title


def listed(measures: "Sequence[Measure]", form: str, *, width: int = 80, colour: bool = False) -> str:
    """Return ``measures`` as text, json, csv or markdown; text is a table on a wide terminal, else entries in lines."""
    if form == "json":
        from sqlrisk.report.formats import to_json

        return to_json([{field: getattr(measure, field) for field in FIELDS} for measure in measures])
    if form == "csv":
        from sqlrisk.report.formats import to_csv

        return to_csv(FIELDS, [[getattr(measure, field) for field in FIELDS] for measure in measures])
    if form == "markdown":
        from sqlrisk.report.markdown import markdown

        return markdown(_tables(measures))
    from sqlrisk.report.text import text

    return text(_tables(measures) if width >= WIDE else _entries(measures), width=width, colour=colour)


def _families(measures: "Sequence[Measure]") -> "dict[str, list[Measure]]":
    families: dict[str, list[Measure]] = {}
    for measure in measures:
        families.setdefault(measure.family, []).append(measure)
    return families


def _tables(measures: "Sequence[Measure]") -> list[Block]:
    columns = [Column(name, number=False, label=True) for name in ("measure", "title", "unit", "formula", "source")]
    blocks: list[Block] = []
    for family, members in _families(measures).items():
        rows = [[m.name, m.title, m.unit, m.formula, m.source] for m in members]
        blocks += [Heading(family), Grid(columns, rows)]
    return blocks


def _entries(measures: "Sequence[Measure]") -> list[Block]:
    blocks: list[Block] = []
    for family, members in _families(measures).items():
        pairs = [(m.name, f"{m.title}\n{m.formula}\n{m.unit}; {m.source}") for m in members]
        blocks += [Heading(family), Terms(pairs)]
    return blocks
