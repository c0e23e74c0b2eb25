"""The result of comparing tables of columns: how far each synthesis is from the original."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.common.version import __version__
from sqlrisk.inputs.judging import judge
from sqlrisk.inputs.policy import Policy
from sqlrisk.inputs.policy_rules import MEAN, WORST, over_tables
from sqlrisk.report.blocks import Block, Cell, Grid, GridColumn, Heading, Terms, table
from sqlrisk.report.columns import Row
from sqlrisk.report.formats import tabular
from sqlrisk.report.formats.tabular import csv_line
from sqlrisk.report.prose import said
from sqlrisk.report.result import Lines, Path, lines, objects
from sqlrisk.report.results import verdicts
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.results.table import Table
from sqlrisk.report.results.verdicts import Verdicts
from sqlrisk.report.sections import cells
from sqlrisk.report.wording import NOTHING, WAYS, distinct, listed, names, number, synthesis_name

if TYPE_CHECKING:
    import pyarrow as pa

PARTS = ("tables", "overall", "by_column", "correlations", "quantiles", "missing")
ORIGINAL = "original"  # name of the original among the files
STATISTICS = ("mean", "min", "max")
SORT, TOP = "S_pMSE", 10  # measure that sorts the tables in text, and maximum number of tables
ABOUT = {  # columns of each part. In OF_MEASURES, a column for each measure follows.
    "tables": ("columns", "ways", "synthesis"),
    "overall": ("ways", "synthesis", "statistic"),
    "by_column": ("column", "ways", "synthesis"),
    "correlations": ("columns", "file", "records", "value", "difference"),
    "quantiles": ("column", "percent", "file", "value", "difference"),
    "missing": ("column", "file", "records", "percent"),
}
OF_MEASURES = ("tables", "overall", "by_column")
_TITLES = {
    "tables": "Every table",
    "overall": "The tables by number of columns",
    "by_column": "The mean over the tables with each column",
    "correlations": "Correlations of columns of numbers",
    "quantiles": "Quantiles of columns of numbers",
    "missing": "Missing values",
}
# meaning of a higher number -> statistic that is the worst over all tables
_WORST = {"less utility": "max", "more utility": "min"}


def first_of(names: Sequence[str]) -> str:
    """Return the measure that sorts tables: ``SORT`` if it was computed, else the first."""
    return SORT if SORT in names else names[0]


@dataclass(frozen=True, repr=False)
class Utility(ResultKind):
    """The utility of syntheses. ``tables``, ``overall``, ``by_column``, ``correlations``,
    ``quantiles`` and ``missing`` have one dict per row.

    Attributes:
        scenario: how values become levels, with ``columns``, ``ways``, ``groups`` (quantile bins of
            the columns ``grouped``), ``complete`` and ``work_limit``.
        original, synthetic: sources and records.
        measures: each measure's name, title, unit, a sentence, and what a higher number means.
        tables: a row per table and synthesis with the number of each measure, or None. Several
            syntheses of a method also have their mean.
        overall: mean, minimum and maximum over all tables with the same number of columns
            (``ways``).
        by_column: the mean over the tables with a column.
        correlations: Pearson's correlation of each two columns of numbers in each file, over the
            ``records`` that have both, and its ``difference`` from the original's. Empty with
            ``ways=[1]``.
        quantiles: quantiles (type 7) of each column of numbers in each file, and the difference
            from the original's.
        missing: records without a value in each column and file, also in percent.
        sort, top: the order and length of the listing of tables in text and Markdown.
        policy: as in a Report.
        engine, version: the database that counted, and the version of sqlrisk.
        labels: as in a Report.
    """

    scenario: dict[str, Any]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    measures: list[Row]
    tables: list[Row]
    overall: list[Row]
    by_column: list[Row]
    correlations: list[Row]
    quantiles: list[Row]
    missing: list[Row]
    sort: str
    top: int
    policy: dict[str, object] = field(default_factory=dict)
    engine: dict[str, object] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__
    _kind: ClassVar = "utility"
    _below: ClassVar = {
        "By column": ("columns",),
        "The tables that are farthest from the original": ("pairs",),
    }

    def _line(self) -> str:
        return (
            f"<Utility: {len({tuple(row['columns']) for row in self.tables}):,} tables, "
            f"{len(self.measures)} measures>"
        )

    @property
    def names(self) -> list[str]:
        """The names of the measures."""
        return [str(each["name"]) for each in self.measures]

    @property
    def results(self) -> list[Row]:
        """The mean and the worst number of each measure over all tables with the same number of
        columns (``at``), as rows of a report.
        """
        rows = {(row["ways"], row["synthesis"], row["statistic"]): row for row in self.overall}
        labels = distinct(self.overall, "synthesis")
        return [
            {
                "measure": over_tables(over, each["name"]),
                "family": "utility",
                "at": ways,
                "target": None,
                "synthesis": label,
                "population": "all",
                "people": "original",
                "weighted": False,
                "value": rows[ways, label, statistic][each["name"]],
                "unit": each["unit"],
            }
            for each in self.measures
            for over, statistic in ((MEAN, "mean"), (WORST, _WORST.get(each["higher"])))
            if statistic is not None
            for ways in self.scenario["ways"]
            for label in labels
        ]

    @property
    def headers(self) -> dict[str, dict[str, Any]]:
        """The header of each measure of ``results``, by measure."""
        return {
            over_tables(over, each["name"]): each
            for each in self.measures
            for over in (MEAN, WORST)
        }

    @property
    def assessment(self) -> list[Row]:
        """Empty: the files are assessed for risk only."""
        return []

    def judged(self, policy: Policy) -> "Utility":
        """Return the result judged by ``policy``. Raises InputError if a rule fits no number."""
        return replace(self, policy=judge(policy, self.results))

    def require(self) -> "Utility":
        """Return the result. If it does not meet its policy, raise PolicyError with it."""
        verdicts.require(self)
        return self

    def verdicts(self) -> Verdicts:
        """Return the verdict on each number as a table. Raises InputError without a policy."""
        return Verdicts.of(self)

    @property
    def ways(self) -> list[str]:
        """The numbers of columns per table, in words."""
        return [WAYS[ways] for ways in self.scenario["ways"]]

    @property
    def worst(self) -> list[Row]:
        """The tables of single files that text shows, farthest from the original first."""
        better = next(
            each["higher"] == "more utility" for each in self.measures if each["name"] == self.sort
        )
        own = {str(each["synthesis"]) for each in self.synthetic}
        found = [
            row for row in self.tables if row["synthesis"] in own and row[self.sort] is not None
        ]
        return sorted(found, key=lambda row: row[self.sort] if better else -row[self.sort])[
            : self.top
        ]

    @property
    def farthest(self) -> list[Row]:
        """The correlations that text shows: first the pair that is farthest from the original."""
        places: dict[tuple[str, ...], list[Row]] = {}
        for row in self.correlations:
            places.setdefault(tuple(row["columns"]), []).append(row)
        found = sorted(
            places.values(), key=lambda rows: -max(abs(row["difference"] or 0) for row in rows)
        )
        return [row for rows in found[: self.top] for row in rows]

    @property
    def lacking(self) -> list[str]:
        """The columns in which at least one record has no value."""
        return distinct([row for row in self.missing if row["records"]], "column")

    def table(self, name: str) -> Table:
        """Return one of the six lists as a table. Raises InputError for another name."""
        if name not in PARTS:
            raise InputError(
                f"There is no part {name!r} of utility{suggestion(name, PARTS)}; there are "
                f"{', '.join(PARTS)}."
            )
        columns = self._columns(name)
        rows = [tuple(csv_line(row[column]) for column in columns) for row in getattr(self, name)]
        types = {column: kind for column, kind in self._kinds(name).items() if column != "columns"}
        return Table("part", name, _TITLES[name], columns, rows, types=types, labels=self.labels)

    def _columns(self, part: str) -> list[str]:
        return [*ABOUT[part], *(self.names if part in OF_MEASURES else [])]

    def _kinds(self, part: str) -> dict[str, str]:
        """Return the Arrow types of numeric columns, fixed by name."""
        kinds = dict.fromkeys((*self.names, "percent", "value", "difference"), "double")
        kinds |= dict.fromkeys(("ways", "records"), "int64")
        return {column: kind for column, kind in kinds.items() if column in self._columns(part)}

    def _table(self) -> Lines:
        columns = self._columns("tables")
        return columns, lines(columns, self.tables)

    def _objects(self) -> list[dict[str, Any]]:
        return objects(self._columns("tables"), self.tables)

    def to_arrow(self) -> "pa.Table":
        """Return the rows of the tables as a pyarrow Table. ``columns`` is a list."""
        return tabular.to_arrow(*self._table(), self._kinds("tables"))

    def to_csv(self, path: Path | None = None) -> str:
        """Return the rows of the tables as CSV text. The column ``columns`` is a CSV line of names
        here, and a list in Arrow and Parquet.
        """
        return self.table("tables").to_csv(path)

    def document(self) -> dict[str, object]:
        """Return the JSON content for a report, which has its own versions and labels."""
        parts = {part: objects(self._columns(part), getattr(self, part)) for part in PARTS}
        return {
            **self._named("scenario", "original", "synthetic", "measures"),
            **parts,
            **self._named("engine"),
            **self._present("policy"),
        }

    def _document(self) -> dict[str, object]:
        return {**self._present("labels"), **self.document()}

    def section(self) -> list[Block]:
        """Return the section of a risk report about utility. Other sections name the files."""
        _, *rest = (
            block for block in self._blocks() if not isinstance(block, Terms) or block.quiet
        )
        asked = [
            ("columns", names(self.scenario["columns"])),
            ("tables", names(self.ways)),
            *(
                [(f"in {self.scenario['groups']} groups", names(grouped))]
                if (grouped := self.scenario["grouped"])
                else []
            ),
        ]
        parts = [
            Heading(f"Utility: {each.text[0].lower()}{each.text[1:]}")
            if isinstance(each, Heading)
            else each
            for each in rest
        ]
        return [Heading("Utility of tables"), Terms(asked), *parts]

    def _blocks(self) -> list[Block]:
        tables = cells.text("tables", lambda row: WAYS[row["ways"]], once=True)
        columns = cells.text("columns", lambda row: names(row["columns"]))
        column = cells.label("column", once=True)
        statistic = cells.text("", itemgetter("statistic"))
        several = len(self.synthetic) > 1
        files = cells.text("file", lambda row: synthesis_name(row["synthesis"]))
        file = [files] if several else []
        overall = [row for row in self.overall if row["statistic"] != "min"]
        by_column = [row for row in self.by_column if row["ways"] == self.scenario["ways"][-1]]
        of_column = itemgetter("column")
        missing = (
            column,
            cells.text("file", lambda row: synthesis_name(row["file"])),
            cells.number("records"),
            cells.number("percent", unit="percent"),
        )
        lacking = [row for row in self.missing if row["column"] in self.lacking]
        return said(
            "utility",
            self,
            overall=[self._grid([tables, *file, statistic], overall, itemgetter("ways"))],
            by_column=[self._grid([column, *file], by_column, of_column if several else None)],
            tables=[self._grid([columns, *file], self.worst)],
            correlations=[self._beside([columns], self.farthest)],
            quantiles=[self._beside([column, cells.number("percent")], self.quantiles)],
            missing=[table(missing, lacking, of_column)],
            policy=verdicts.blocks(self.policy),
        )

    def _beside(self, about: Sequence[Cell[Row]], rows: Sequence[Row]) -> Grid:
        """Draw a column for the original, and for each synthesis its value and the difference."""
        places: dict[object, list[Row]] = {}
        for row in rows:
            places.setdefault(
                (*listed(row.get("columns")), row.get("column"), row.get("percent")), []
            ).append(row)
        original = GridColumn(ORIGINAL), partial(_value_of, 0, "value")
        drawn: list[Cell[Row]] = [*about, original]
        for place, each in enumerate(self.synthetic, start=1):
            above = synthesis_name(each["synthesis"])
            drawn += [
                (GridColumn(name, above=above), partial(_value_of, place, name))
                for name in ("value", "difference")
            ]
        lines: list[Row] = [{**of[0], "files": of} for of in places.values()]
        return table(drawn, lines, lambda line: line.get("column"))

    def _grid(
        self,
        about: Sequence[Cell[Row]],
        rows: Sequence[Row],
        group: Callable[[Row], object] | None = None,
    ) -> Grid:
        measures = ((GridColumn(name), partial(_number, name)) for name in self.names)
        return table([*about, *measures], rows, group)


def _value_of(place: int, field: str, line: Row) -> str:
    return number(line["files"][place][field])


def _number(name: str, row: Row) -> str:
    """Return the number of a measure with four digits, or as an integer from 1,000 on."""
    value = row[name]
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
