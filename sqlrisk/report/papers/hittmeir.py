"""A sweep in the layout of the tables of Hittmeir, Mayer & Ekelhart 2020: files as rows, mean
(standard deviation) over the subsets.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sqlrisk.report.blocks import Block, Grid, GridColumn, Heading, Items
from sqlrisk.report.columns import Row
from sqlrisk.report.result import amount_of, lines
from sqlrisk.report.results.subset_rows import SubsetRows, file_name, files, named, own, targets
from sqlrisk.report.results.table import Table, paper
from sqlrisk.report.wording import NOTHING, distinct, names, number, shown

if TYPE_CHECKING:
    from sqlrisk.report.html.look import Figure

COLUMNS = (
    "target",
    "file",
    "measure",
    "at",
    "key_length",
    "subsets",
    "mean",
    "sd",
    "mean_nonmatches",
)
TITLE = "Files by number of keys, as in Hittmeir 2020"
NO_RECORD = "people whose keys no record has"
# the baseline, and how often votes are right
MEASURES = ("accuracy_mode_orig", "accuracy_0CAP", "accuracy_ICAP", "accuracy_GCAP")
WORDS = (
    "Mean (standard deviation) over all subsets with this number of keys, equally weighted.",
    (
        "Non-matches: the mean number of people whose levels of the subset's keys no record of the "
        "file has."
    ),
    (
        "Original: the original against itself; accuracy_mode_orig is the baseline, the target's "
        "most frequent level for everybody."
    ),
)


def hittmeir(sweep: SubsetRows) -> Table:
    """Return a table of a sweep: files as rows, and each measure at each number of keys as columns.
    The first file is the original compared with itself.
    """
    rows = own(sweep, sweep.summary)
    heads = list(dict.fromkeys((named(row), row["key_length"]) for row in rows))
    values = {(row["target"], row["synthesis"], named(row), row["key_length"]): row for row in rows}
    columns = [GridColumn("file", label=True)]
    columns += [GridColumn(amount_of(size, "key"), above=measure) for measure, size in heads]
    found: list[tuple[object, ...]] = []
    blocks: list[Block] = [Heading(TITLE, 1)]
    for target in targets(rows):
        shown_lines: list[list[str]] = []
        for label in files(sweep):
            own_rows = [
                values.get((target, label, *head)) or values.get((None, label, *head))
                for head in heads
            ]
            file = file_name(sweep, label)
            present = [row for row in own_rows if row is not None]
            found += [(target, file, *line) for line in lines(COLUMNS[2:], present)]
            shown_lines.append([file, *map(_spread, own_rows)])
        blocks += [Heading(_heading(sweep, target)), Grid(columns, shown_lines)]
    blocks += [Heading("Non-matches"), _nonmatches(sweep, rows), Items(WORDS, quiet=True)]
    table = paper("hittmeir", TITLE, COLUMNS, found, blocks, [sweep])
    return replace(table, draws=partial(_figures, sweep))


def _heading(sweep: SubsetRows, target: object) -> str:
    about = f"Keys: {names(sweep.scenario['keys'])}"
    return about if target is None else f"{shown(target)}. {about}"


def _nonmatches(sweep: SubsetRows, rows: Sequence[Row]) -> Grid:
    """Draw the mean number of people whose keys no record has, by file and key count (table 5)."""
    sizes = distinct(rows, "key_length")
    found = {(row["synthesis"], row["key_length"]): row["mean_nonmatches"] for row in rows}
    columns = [
        GridColumn("file", label=True),
        *(GridColumn(amount_of(size, "key"), above=NO_RECORD) for size in sizes),
    ]
    texts = [
        [file_name(sweep, label), *(number(found.get((label, size)), ",.1f") for size in sizes)]
        for label in files(sweep)
    ]
    return Grid(columns, texts)


def _figures(sweep: SubsetRows) -> "dict[str, list[Figure]]":
    """Return the figures below the heading of each target, one for each number of keys (figures 2
    and 3 of the paper).

    A figure is one line with a mark for each file, and a mark for the guesses without keys.
    """
    from sqlrisk.report.html.result_charts import by_file

    rows = own(sweep, sweep.summary)
    sizes = distinct(rows, "key_length")
    return {
        _heading(sweep, target): [
            figure for size in sizes for figure in by_file(sweep, target, size)
        ]
        for target in targets(rows)
    }


def _spread(row: Row | None) -> str:
    if row is None or None in (row["mean"], row["sd"]):
        return NOTHING
    return f"{row['mean']:.1f} ({row['sd']:.1f})"
