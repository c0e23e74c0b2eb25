"""The result of random tables: average CAP only by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sqlrisk.report.blocks import Block, Heading, table
from sqlrisk.report.columns import Row
from sqlrisk.report.prose import said
from sqlrisk.report.result import amount_of, objects
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections.cells import label, number, text
from sqlrisk.report.sections.distributions import bar
from sqlrisk.report.wording import shown

if TYPE_CHECKING:
    from sqlrisk.report.html.look import Figure

QUANTILES = (5, 25, 50, 75, 95)
BINS = 20
# columns about the random tables
DRAWN = ("mean", "sd", "min", *(f"q{k}" for k in QUANTILES), "max", "below", "share_below")
COUNTS = ("classes", "levels", "below")


@dataclass(frozen=True, repr=False)
class Reference(ResultKind):
    """Average CAP of random tables. ``rows`` has one dict per target and measure.

    In a row, ``original`` is the average of the original. ``mean``, ``sd``, ``min``, ``q5`` (the
    5 % quantile) to ``q95`` and ``max`` describe the averages of the random tables. All of these
    are in percent. ``below`` counts the random tables below the original, and ``share_below`` is
    their percentage. ``classes`` and ``levels`` count those of the original.

    A row's ``histogram`` has bins of equal width, each with its ends (``from``, ``to``), how many
    random ``tables`` it holds, and ``original``: True if the original's average lies in it.
    ``scenario`` holds the settings. The field ``original`` of the result has its source and number
    of records.
    """

    scenario: dict[str, object]
    original: dict[str, object]
    rows: list[Row]
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _kind: ClassVar = "reference"
    _types: ClassVar = {
        **dict.fromkeys(("target", "measure")),
        **{
            name: "int64" if name in COUNTS else "double"
            for name in ("classes", "levels", "original", *DRAWN)
        },
    }

    def _line(self) -> str:
        rows = amount_of(len(self.rows), "row")
        return f"<Reference: {self.scenario['random']} random tables, {rows}>"

    def _document(self) -> dict[str, object]:
        return {
            **self._present("labels"),
            **self._named("scenario", "original"),
            "reference": objects((*self._types, "histogram"), self.rows),
        }

    def _blocks(self) -> list[Block]:
        columns = [label("target"), label("measure"), number("original", unit="percent")]
        for name in DRAWN:
            unit = "tables" if name == "below" else "percent"
            columns.append(number(name, unit=unit, above="random tables"))
        averages = [table(columns, self.rows)]
        histograms = [block for row in self.rows for block in _histogram(row)]
        return said("reference", self, averages=averages, histograms=histograms)

    def _figures(self) -> "dict[str, list[Figure]]":
        from sqlrisk.report.html.result_charts import random_averages

        return {_heading(row): [random_averages(row, self.labels)] for row in self.rows}


def _heading(row: Row) -> str:
    return f"{shown(row['target'])}, {shown(row['measure'])}: random tables by their average"


def _histogram(row: Row) -> Sequence[Block]:
    """Draw how many random tables have each average, and mark the average of the original."""
    bins: list[Row] = row["histogram"]
    most = max(each["tables"] for each in bins)
    columns = (
        text("average", lambda each: f"{each['from']:.2f} to {each['to']:.2f}"),
        number("tables"),
        text("", lambda each: bar(each["tables"], most)),
        text("", lambda each: "◂ original" if each["original"] else ""),
    )
    return Heading(_heading(row)), table(columns, bins)
