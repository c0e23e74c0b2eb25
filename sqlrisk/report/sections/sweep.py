"""The text of a sweep: numbers by number of keys and by key, and the first subsets."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from sqlrisk.report.blocks import (
    Block,
    Cell,
    Grid,
    GridColumn,
    Heading,
    Items,
    Paragraph,
    Terms,
    table,
)
from sqlrisk.report.columns import Row
from sqlrisk.report.declared import GUESSED, leading, of_targets
from sqlrisk.report.result import amount_of
from sqlrisk.report.results.subset_rows import (
    ORIGINAL,
    SubsetRows,
    file_name,
    files,
    named,
    own,
    targets,
)
from sqlrisk.report.sections import assessment, worst_sets
from sqlrisk.report.sections.cells import text
from sqlrisk.report.wording import (
    NOTHING,
    amount,
    base_of,
    distinct,
    left_out,
    listed,
    names,
    shown,
    unit_of,
    value_of,
    with_label,
)

ORDERS = {
    "key_length": "fewest keys first",
    "keys": "by their keys",
    "nonmatches": "most non-matches first",
}
BY_SIZE, BY_KEY, SUBSETS = "By number of keys", "What each key adds", "Subsets"
SPREAD = ("mean", "sd", "min", "max")
NOTES = (
    (
        "Each subset of the keys stands for an intruder who knows only these keys. Subsets of the "
        "same size count equally. sd is the standard deviation over all that have a value."
    ),
    "Non-matches are people whose levels of the subset's keys no synthetic record has.",
    (
        "What a key adds is the mean change of a number when the key joins a subset, over all "
        "subsets that the sweep has both with and without it."
    ),
)
COMPARE = (
    "Compare each number of the synthetic file with the number of the original ({originals}, or "
    "the original against itself) and with the baseline ({baseline}, or {counted} with "
    "exclusions). These are numbers for a decision, not the decision."
)


def blocks(sweep: SubsetRows) -> list[Block]:
    """Return the settings, the numbers by size and by key, the first subsets, and notes."""
    notes = [*NOTES, _compare(sweep)]
    if sweep.unfinished:
        notes.append(
            f"Models did not converge {amount_of(sweep.unfinished, 'time')}; their guesses count "
            "as they are."
        )
    told = [*_about(sweep), *_by_size(sweep), *_by_key(sweep), *_listing(sweep)]
    told += worst_sets.of_subsets(sweep.membership_worst, sweep.scenario)
    return [*told, Heading("Notes"), Items(notes, quiet=True)]


def _compare(sweep: SubsetRows) -> str:
    baseline = str(leading(sweep.declared, GUESSED).baseline)
    return COMPARE.format(
        originals=", ".join(each.original for each in of_targets(sweep.declared)),
        baseline=baseline,
        counted=sweep.declared[baseline]["of_counted"],
    )


def _about(sweep: SubsetRows) -> Iterator[Block]:
    yield Heading("Sweep over subsets of the keys", 1)
    yield from assessment.blocks(sweep.assessment)
    sides = [
        ("original", sweep.original),
        *((f"synthesis {shown(side['synthesis'])}", side) for side in sweep.synthetic),
    ]
    sides += [("control", sweep.control)] if sweep.control is not None else []
    yield table(
        [
            text("", itemgetter(0)),
            text("file", lambda line: shown(line[1]["source"])),
            (GridColumn("records"), lambda line: amount(line[1]["records"])),
        ],
        sides,
    )
    yield from assessment.left_out([side for _, side in sides])
    scenario = sweep.scenario
    sizes = ", ".join(map(str, listed(scenario["key_length"])))
    yield Terms(
        [
            ("keys", names(scenario["keys"])),
            ("subsets", f"{sweep.count:,}, of {sizes} of the {len(listed(scenario['keys']))} keys"),
            ("targets", names(scenario["targets"])),
            ("not counted", "; ".join(left_out(scenario)) or "nothing is excluded"),
        ]
    )


class _RowsByValue:
    """The rows to show, by target, measure, file and one more field: size, key or set of keys."""

    def __init__(self, sweep: SubsetRows, rows: Sequence[Row], field: str) -> None:
        self.rows, self.labels = own(sweep, rows), sweep.labels
        self.measures = list(dict.fromkeys(map(named, self.rows)))
        self.values = list(dict.fromkeys(_hashable(row[field]) for row in self.rows))
        self._found = {
            (row["target"], named(row), row["synthesis"], _hashable(row[field])): row
            for row in self.rows
        }

    def by_target(self) -> Iterator[tuple[Any, list[Block]]]:
        """Yield each target with its heading as blocks. If there are no targets, yield None without
        a heading.
        """
        for target in targets(self.rows):
            name = with_label(target, self.labels)
            yield target, [] if target is None else [Paragraph(f"Target: {name}")]

    def line(self, target: object, label: str, value: object) -> list[Row | None]:
        """Return a row for each measure, or None if there is none. A measure without targets has
        the same row for every target.
        """
        return [
            self._found.get((target, m, label, value)) or self._found.get((None, m, label, value))
            for m in self.measures
        ]


def _by_size(sweep: SubsetRows) -> Iterator[Block]:
    """Draw mean, sd, min and max of each measure, by target and number of keys."""
    numbers, labels = _RowsByValue(sweep, sweep.summary, "key_length"), files(sweep)
    yield Heading(BY_SIZE)
    for target, heading in numbers.by_target():
        columns = [
            GridColumn("keys", label=True, once=True),
            GridColumn("subsets", once=True),
            *_file_column(labels, once=True),
            GridColumn("", label=True),
            *map(GridColumn, numbers.measures),
            GridColumn("non-\nmatches", once=True),
        ]
        lines: list[list[str]] = []
        for size, label in product(listed(sweep.scenario["key_length"]), labels):
            found = numbers.line(target, label, size)
            mean = _common(found, "mean_nonmatches")
            heads = [
                str(size),
                amount(_common(found, "subsets")),
                *([file_name(sweep, label)] if len(labels) > 1 else []),
            ]
            missed = f"{mean:,.1f}" if isinstance(mean, int | float) else ""
            for word in SPREAD:
                told = [
                    NOTHING if row is None else amount(row[word], unit_of(row)) for row in found
                ]
                lines.append([*heads, word, *told, missed])
                heads, missed = [""] * len(heads), ""
        yield from [*heading, Grid(columns, lines, frozenset(range(0, len(lines), len(SPREAD))))]


def _by_key(sweep: SubsetRows) -> Iterator[Block]:
    """Draw the mean change of each measure by key and target."""
    yield Heading(BY_KEY)
    rows = [row for row in own(sweep, sweep.contributions) if row["synthesis"] != ORIGINAL]
    numbers = _RowsByValue(sweep, rows, "key")
    if not rows:
        yield Paragraph(
            "Single keys cannot be judged: this needs subsets of two consecutive sizes, such "
            "as 2 and 3 keys."
        )
        return
    labels = distinct(numbers.rows, "synthesis")
    for target, heading in numbers.by_target():
        columns = [
            GridColumn("key", label=True, once=True),
            *_file_column(labels),
            *map(GridColumn, numbers.measures),
        ]
        lines = [
            [
                shown(key) if label == labels[0] else "",
                *([file_name(sweep, label)] if len(labels) > 1 else []),
                *map(_change, numbers.line(target, label, key)),
            ]
            for key, label in product(numbers.values, labels)
        ]
        starts = range(0, len(lines), len(labels)) if len(labels) > 1 else ()
        yield from [*heading, Grid(columns, lines, frozenset(starts))]


class _Listed(NamedTuple):
    """A line of the listing: a subset of the keys, a target, a file, and a row for each measure."""

    keys: tuple[str, ...]
    target: Any
    file: str
    found: list[Row | None]


def _listing(sweep: SubsetRows) -> Iterator[Block]:
    """Draw the first subsets, in the requested order."""
    numbers = _RowsByValue(sweep, sweep.subsets, "keys")
    if not numbers.rows or not sweep.top:
        return
    labels = [label for label in files(sweep) if label != ORIGINAL]
    found = [
        _Listed(keys, target, file_name(sweep, label), numbers.line(target, label, keys))
        for keys, target, label in product(numbers.values, targets(numbers.rows), labels)
    ]
    top = sorted(found, key=_order(sweep, numbers.measures))[: sweep.top]
    several = len(targets(numbers.rows)) > 1
    columns: list[Cell[_Listed]] = [
        text("keys", lambda line: names(line.keys)),
        *([text("target", lambda line: shown(line.target))] if several else []),
        *([text("file", attrgetter("file"))] if len(labels) > 1 else []),
        *(
            (GridColumn(measure), partial(_value, place))
            for place, measure in enumerate(numbers.measures)
        ),
        (GridColumn("non-\nmatches"), lambda line: amount(_common(line.found, "nonmatches"))),
    ]
    order = ORDERS.get(sweep.sort, f"highest {shown(base_of(sweep, sweep.sort))} first")
    yield Heading(SUBSETS)
    yield Paragraph(
        f"{len(top)} of {len(found):,}, {order}; CSV, JSON and Parquet hold them all.", quiet=True
    )
    yield table(columns, top)


def _value(place: int, line: _Listed) -> str:
    return value_of(line.found[place])


def _order(sweep: SubsetRows, measures: Sequence[str]) -> Callable[[_Listed], Any]:
    """Return the sort key of the listing. Ties stay in order: fewest keys first."""
    keys = listed(sweep.scenario["keys"])
    if sweep.sort == "key_length":
        return lambda line: len(line.keys)
    if sweep.sort == "keys":
        return lambda line: [keys.index(key) for key in line.keys]
    if sweep.sort == "nonmatches":
        return lambda line: -_least(_common(line.found, "nonmatches"))
    wanted = shown(base_of(sweep, sweep.sort)).split(" ")[0]
    place = next(n for n, name in enumerate(measures) if name.split(" ")[0] == wanted)
    return lambda line: -_least((line.found[place] or {}).get("value"))


def _least(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")


def _common(found: Sequence[Row | None], field: str) -> Any:
    """Return a field's value, which is equal in all rows. Raises StopIteration if all are None."""
    return next(row for row in found if row is not None)[field]


def _file_column(labels: Sequence[str], *, once: bool = False) -> list[GridColumn]:
    return [GridColumn("file", label=True, once=once)] if len(labels) > 1 else []


def _hashable(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _change(row: Row | None) -> str:
    if row is None:
        return NOTHING
    value, text = row["mean"], amount(row["mean"], unit_of(row))
    rises = isinstance(value, int | float) and value > 0
    return f"+{text}" if rises and text[0].isdigit() else text
