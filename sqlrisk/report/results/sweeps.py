"""The result of a sweep: every number for every subset of the keys, and what each key adds."""

from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.report.blocks import Block
from sqlrisk.report.formats.tabular import csv_line
from sqlrisk.report.result import Path, amount_of, objects
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.results.subset_rows import SubsetRows
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections import sweep as section
from sqlrisk.report.wording import listed

PARTS = ("subsets", "summary", "contributions")
LAYOUTS = ("hittmeir",)
_WHAT = ("measure", "family", "at", "target", "synthesis", "population", "people", "weighted")
COLUMNS = {
    "subsets": (
        *_WHAT,
        "key_length",
        "keys",
        "numerator",
        "denominator",
        "value",
        "nonmatches",
        "unit",
    ),
    "summary": (
        *_WHAT,
        "key_length",
        "subsets",
        "missing",
        "mean",
        "sd",
        "min",
        "max",
        "mean_nonmatches",
        "unit",
    ),
    "contributions": ("key", *_WHAT, "steps", "mean", "min", "max", "unit"),
}
_TYPES = {
    **dict.fromkeys(
        ("measure", "family", "target", "synthesis", "population", "people", "unit"), "string"
    ),
    **dict.fromkeys(("at", "numerator", "denominator", "value", "nonmatches"), "double"),
    "key_length": "int64",
    "weighted": "bool",
}
_TITLES = {
    "subsets": "Every subset of the keys",
    "summary": "The subsets by number of keys",
    "contributions": "What each key adds",
}


@dataclass(frozen=True, repr=False)
class Sweep(SubsetRows, ResultKind):
    """The results of a sweep. ``subsets``, ``summary`` and ``contributions`` have one dict per row,
    keyed as in ``table``.

    Attributes:
        assessment: as in a Report. Combinations of keys are assessed only if a subset has all keys.
        scenario: every setting by its TOML name, with ``key_length`` (the sizes of subsets) and
            ``reference``.
        original, synthetic, control: sources and records.
        units: the unit of each measure, by name.
        subsets: a row per subset and number. Empty if the rows were written to a file.
        summary: for each size, the mean, population standard deviation, minimum and maximum over
            the subsets with a value (``missing`` counts those without), and the mean number of
            non-matches.
        contributions: for each key, the mean change of a number when the key is added, over
            ``steps`` pairs of subsets.
        sort, top: the order and length of the listing of subsets in text and Markdown.
        membership_worst: for each synthesis, pool and population the subset with the greatest AUC
            of membership, its interval, and the number of ``sets``. Empty without measures of
            membership.
        labels: as in a Report.
        unfinished: how often a model of scikit-learn did not converge. Its guesses count.
    """

    _kind: ClassVar = "sweep"
    _below: ClassVar = {
        section.BY_SIZE: ("lattice", "sizes", "files"),
        section.BY_KEY: ("adds", "heat"),
    }
    _types: ClassVar = {name: _TYPES.get(name) for name in COLUMNS["subsets"]}
    _rows: ClassVar = "subsets"
    _first: ClassVar = (section.SUBSETS,)

    def _line(self) -> str:
        subsets, keys = amount_of(self.count, "subset"), len(listed(self.scenario["keys"]))
        measures = amount_of(len(self.units), "measure")
        return f"<Sweep: {subsets} of {amount_of(keys, 'key')}, {measures}>"

    def table(self, name: str) -> Table:
        """Return ``subsets``, ``summary`` or ``contributions`` as a table, or the sweep in the
        layout ``hittmeir``.

        Raises InputError for any other name.
        """
        if name in LAYOUTS:
            from sqlrisk.report.papers.hittmeir import hittmeir

            return hittmeir(self)
        if name not in PARTS:
            known = (*PARTS, *LAYOUTS)
            raise InputError(
                f"There is no part {name!r} of a sweep{suggestion(name, known)}; there are "
                f"{', '.join(known)}."
            )
        columns = COLUMNS[name]
        rows = [tuple(csv_line(row[column]) for column in columns) for row in getattr(self, name)]
        return Table(
            "part",
            name,
            _TITLES[name],
            list(columns),
            rows,
            assessment=self.assessment,
            labels=self.labels,
        )

    def _document(self) -> dict[str, object]:
        return {
            **self._named("assessment"),
            **self._present("labels"),
            **self._named("scenario", "original", "synthetic"),
            **self._present("control"),
            **{part: objects(COLUMNS[part], getattr(self, part)) for part in PARTS},
            **self._present("membership_worst"),
            **({"unfinished": self.unfinished} if "attackers" in self.scenario else {}),
        }

    def to_csv(self, path: Path | None = None) -> str:
        """Return the rows of the subsets as CSV text. The column ``keys`` is a CSV line of names
        here, and a list in Arrow and Parquet.
        """
        return self.table("subsets").to_csv(path)

    def _blocks(self) -> list[Block]:
        return section.blocks(self)
