"""Print the catalog of measures for people or programs, and explain single measures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlrisk.catalogue.measures import Measure
from sqlrisk.report.blocks import Block, Heading, Paragraph, Terms
from sqlrisk.report.formats.markdown import markdown
from sqlrisk.report.formats.tabular import to_csv, to_json
from sqlrisk.report.formats.text import text
from sqlrisk.report.prose import plain_grid
from sqlrisk.report.result import Forms, Lines, Path, written

FIELDS = (
    "name",
    "family",
    "title",
    "unit",
    "formula",
    "source",
    "scale",
    "higher",
    "says",
    "raises",
    "do",
)
WIDE = 132  # minimum width of a table with a formula next to a title
SIGNS = {
    "N_d": "people, records of the original",
    "N_s": "synthetic records",
    "d_q": "people with the keys q",
    "s_q": "synthetic records with the keys q",
    "d_t": "people with the target level t",
    "s_t": "synthetic records with the target level t",
    "p_q": "people of the universe with the keys q",
    "N_p": "people of the universe",
    "d_tq": "people with the keys q and the target level t",
    "s_tq": "synthetic records with the keys q and the target level t",
    "d_u": "people with the target level u, which is any level",
    "d_uq": "people with the keys q and the target level u, which is any level",
    "s_uq": "synthetic records with the keys q and the target level u, which is any level",
    "tau": "the least share that a level must have to be guessed",
}
# Words for the numbers and names of a run in the sentence of a measure.
SPOKEN = {
    "denominator": "N",
    "numerator": "n",
    "value": "v",
    "at": "so many",
    "target": "the target",
    "keys": "the keys",
}
_NAME = re.compile(
    r"(?P<before>\b(?:the|same|their|whose|its|own|person's) )?\{(?P<name>\w+)\}", re.IGNORECASE
)


def listed(measures: Sequence[Measure], form: str, *, width: int = 80, colour: bool = False) -> str:
    """Return measures as text, json, csv or markdown.

    Text is a table if ``width``, in characters, is at least ``WIDE``.
    """
    if form == "json":
        return to_json([dict(zip(FIELDS, row, strict=True)) for row in _rows(measures)])
    if form == "csv":
        return to_csv(FIELDS, _rows(measures))
    as_table = form == "markdown" or width >= WIDE
    blocks: list[Block] = []
    for family in dict.fromkeys(measure.family for measure in measures):
        blocks.append(Heading(family, 3 if as_table else 2))
        own = [measure for measure in measures if measure.family == family]
        if as_table:
            columns = ("measure", "title", "unit", "formula", "source")
            rows = [[m.name, m.title, m.unit, m.formula, m.source] for m in own]
            blocks.append(plain_grid(columns, rows, str))
        else:
            blocks.append(
                Terms([(m.name, f"{m.title}\n{m.formula}\n{m.unit}; {m.source}") for m in own])
            )
    return markdown(blocks) if form == "markdown" else text(blocks, width=width, colour=colour)


@dataclass(frozen=True)
class Explanations(Forms):
    """Measures with explanations for readers. JSON, CSV and Parquet hold them as `listed` does."""

    measures: Sequence[Measure]

    @property
    def shared(self) -> bool:
        """True, since nothing here comes from data: files may be readable by all users."""
        return True

    def to_json(self, path: Path | None = None) -> str:
        """Return the measures as a JSON list, or the path that it is written to."""
        return written(listed(self.measures, "json"), path, shared=self.shared)

    def _document(self) -> dict[str, object]:
        return {"measures": [dict(zip(FIELDS, row, strict=True)) for row in self._table()[1]]}

    def _table(self) -> Lines:
        return FIELDS, _rows(self.measures)

    def _blocks(self) -> list[Block]:
        return [block for measure in self.measures for block in _explanation(measure)]


def _rows(measures: Sequence[Measure]) -> list[list[object]]:
    return [[getattr(measure, field) for field in FIELDS] for measure in measures]


def _explanation(measure: Measure) -> list[Block]:
    """Return a measure as blocks: formula, a sentence, causes of high values, and remedies."""
    signs = [
        f"{sign}: {words}"
        for sign, words in SIGNS.items()
        if re.search(rf"\b{sign}\b", measure.formula)
    ]
    facts = {
        "formula": measure.formula,
        "where": "\n".join(signs),
        **{
            field: getattr(measure, field) or ""
            for field in ("unit", "higher", "source", "family", "needs")
        },
    }
    return [
        Heading(f"{measure.name}: {measure.title}", 1),
        Terms([(word, fact) for word, fact in facts.items() if fact]),
        Heading("In words"),
        Paragraph(_NAME.sub(_spoken, measure.says)),
        Heading("What raises it"),
        Paragraph(measure.raises),
        Heading("What to do about it"),
        Paragraph(measure.do),
    ]


def _spoken(name: re.Match[str]) -> str:
    words, before = SPOKEN[name["name"]], name["before"] or ""
    return before + words.removeprefix("the ") if before else words
