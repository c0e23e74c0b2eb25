"""The result of a sweep: every number for every subset of the keys, how it is spread over them, and what each key adds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlrisk.common.errors import InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.common.version import __version__
from sqlrisk.report.blocks import Block, Column, Grid, Heading, Items, Paragraph, Terms
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.results.table import Table
from sqlrisk.report.sections.report_sections import NOTHING, amount, label_name, left_out, representatives, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from sqlrisk.report.columns import Row


ORIGINAL = "original"  # the original against itself, in the place of a synthesis
ORDERS = ("key_length", "keys", "nonmatches")  # of the listing of subsets, besides the measures
PARTS = ("subsets", "summary", "contributions")
LAYOUTS = ("hittmeir",)
_WHAT = ("measure", "family", "at", "target", "synthesis", "population", "people", "weighted")
COLUMNS = {
    "subsets": (*_WHAT, "key_length", "keys", "numerator", "denominator", "value", "nonmatches", "unit"),
    "summary": (*_WHAT, "key_length", "subsets", "missing", "mean", "sd", "min", "max", "mean_nonmatches", "unit"),
    "contributions": ("key", *_WHAT, "steps", "mean", "min", "max", "unit"),
}
_TYPES = {
    **dict.fromkeys(("measure", "family", "target", "synthesis", "population", "people", "unit", "key"), "string"),
    **dict.fromkeys(("at", "numerator", "denominator", "value", "nonmatches", "mean", "sd", "min", "max"), "double"),
    **dict.fromkeys(("key_length", "subsets", "missing", "steps"), "int64"),
    "mean_nonmatches": "double",
    "weighted": "bool",
}
_TITLES = {
    "subsets": "Every subset of the keys",
    "summary": "The subsets by number of keys",
    "contributions": "What each key adds",
}
NOTES = (
    (
        "Each subset of the keys is what some intruder knows. Subsets of a size count alike; sd is the standard deviation over "
        "all of them, subsets without a value left out."
    ),
    "Non-matches are people whose levels of the subset's keys no synthetic record has.",
    (
        "What a key adds is the mean change of a number when the key joins a subset, over all subsets of the sweep that are "
        "there with and without it."
    ),
    (
        "Compare each number of the synthetic file with that of the original (Dorig, CAPd, or the original against itself) and "
        "the baseline (baseCAPd). These are numbers for a decision, not the decision."
    ),
)


@dataclass(frozen=True)
class Sweep(Forms):
    """What a sweep found. ``subsets``, ``summary`` and ``contributions`` have one dict per row, with the keys of ``COLUMNS``.

    Attributes:
        scenario: every setting by its TOML name, with ``key_length`` (the sizes) and ``reference``.
        original, synthetic, control: sources and records.
        units: the unit of each measure, by name.
        subsets: a row per subset and number; empty where they were written to a file.
        summary: mean, population standard deviation, least and greatest over the subsets of each size, of those with a value
            (``missing`` have none), and the mean number of non-matches.
        contributions: for each key, the mean change of a number when it is added, over ``steps`` pairs of subsets.
        sort, top: the order and length of the listing of subsets in text and Markdown.
        unfinished: how often a model of scikit-learn did not converge; its guesses count as they are.
    """

    scenario: dict[str, object]
    original: dict[str, object]
    synthetic: list[dict[str, object]]
    control: dict[str, object] | None
    units: dict[str, str]
    subsets: "list[Row]"
    summary: "list[Row]"
    contributions: "list[Row]"
    sort: str
    top: int
    unfinished: int = 0

    def __repr__(self) -> str:
        return f"<Sweep: {self.count:,} subsets of {len(_listed(self.scenario['keys']))} keys, {len(self.units)} measures>"

    @property
    def count(self) -> int:
        """How many subsets there are."""
        sizes = {row["key_length"]: row["subsets"] for row in self.summary}
        return sum(count for count in sizes.values() if isinstance(count, int))

    def table(self, name: str) -> Table:
        """Return ``subsets``, ``summary`` or ``contributions`` as a table of its own; or the layout ``hittmeir``.

        Raises InputError for any other name.
        """
        if name in LAYOUTS:
            from sqlrisk.report.papers.hittmeir import hittmeir

            return hittmeir(self)
        if name not in PARTS:
            known = (*PARTS, *LAYOUTS)
            raise InputError(f"There is no part {name!r} of a sweep{suggestion(name, known)}; there are {', '.join(known)}.")
        columns = COLUMNS[name]
        rows = [tuple(_joined(row[column]) for column in columns) for row in getattr(self, name)]
        return Table("part", name, _TITLES[name], list(columns), rows)

    def to_dict(self) -> dict[str, object]:
        """Return everything in the types of JSON, keys in the documented order."""
        from sqlrisk.report.formats.tabular import plain

        return {
            "sqlrisk": __version__,
            "scenario": plain(self.scenario),
            "original": plain(self.original),
            "synthetic": plain(self.synthetic),
            **({} if self.control is None else {"control": plain(self.control)}),
            **{part: [{name: plain(row[name]) for name in COLUMNS[part]} for row in getattr(self, part)] for part in PARTS},
            **({"unfinished": self.unfinished} if "attackers" in self.scenario else {}),
        }

    def to_arrow(self) -> "pa.Table":
        """Return the rows of the subsets as a pyarrow Table; ``keys`` is a list of names."""
        from sqlrisk.report.formats.tabular import to_arrow

        columns = COLUMNS["subsets"]
        return to_arrow(columns, [[row[name] for name in columns] for row in self.subsets], _TYPES)

    def _table(self) -> Lines:
        subsets = self.table("subsets")
        return subsets.columns, subsets.rows

    def _blocks(self) -> list[Block]:
        notes = [*NOTES]
        if self.unfinished:
            notes.append(f"Models did not converge {self.unfinished:,} times; their guesses count as they are.")
        return [*_about(self), *_by_size(self), *_by_key(self), *_listing(self), Heading("Notes"), Items(notes, quiet=True)]


def own(sweep: Sweep, rows: "Sequence[Row]") -> "list[Row]":
    """Return the rows that a reader is shown: the original's people, of the first population, each counted once.

    Several syntheses of a name are shown by their mean.
    """
    rows = [row for row in rows if row["people"] == "original" and not row["weighted"]]
    labels = files(sweep)
    return [row for row in rows if row["population"] == rows[0]["population"] and row["synthesis"] in labels]


def files(sweep: Sweep) -> list[str]:
    """Return the labels of what is shown beside each other: the original against itself, then one label for each name."""
    labels = list(dict.fromkeys(str(row["synthesis"]) for row in sweep.summary))
    return [*(label for label in labels if label == ORIGINAL), *representatives((x for x in labels if x != ORIGINAL), "mean")]


def file_name(sweep: Sweep, label: str) -> str:
    """Return how a label is shown: the name of its syntheses, or ``synthesis 1``."""
    name = label_name(label)
    several = sum(label_name(str(each["synthesis"])) == name for each in sweep.synthetic) > 1
    if label == ORIGINAL:
        return ORIGINAL
    return shown(label if several else name) if name else f"synthesis {label}" if label.isdecimal() else shown(label)


def named(row: "Row") -> str:
    """Return a row's measure, with the point at which it is taken."""
    return shown(row["measure"]) if row["at"] is None else f"{shown(row['measure'])} {row['at']}"


def targets(rows: "Sequence[Row]") -> list[object]:
    """Return the targets of rows; None where no row has one."""
    found = list(dict.fromkeys(row["target"] for row in rows if row["target"] is not None))
    return found or [None]


def _about(sweep: Sweep) -> Iterator[Block]:
    yield Heading("Sweep over subsets of the keys", 1)
    rows = [["original", shown(sweep.original["source"]), amount(sweep.original["records"])]]
    rows += [
        [f"synthesis {shown(side['synthesis'])}", shown(side["source"]), amount(side["records"])] for side in sweep.synthetic
    ]
    if sweep.control is not None:
        rows.append(["control", shown(sweep.control["source"]), amount(sweep.control["records"])])
    yield Grid([Column("", label=True), Column("file", label=True), Column("records")], rows)
    keys = _listed(sweep.scenario["keys"])
    sizes = ", ".join(map(str, _listed(sweep.scenario["key_length"])))
    yield Terms(
        [
            ("keys", ", ".join(map(shown, keys))),
            ("subsets", f"{sweep.count:,}, of {sizes} of the {len(keys)} keys"),
            ("targets", ", ".join(map(shown, _listed(sweep.scenario["targets"])))),
            ("not counted", "; ".join(left_out(sweep.scenario)) or "nothing is excluded"),
        ]
    )


def _by_size(sweep: Sweep) -> Iterator[Block]:
    """Mean, sd, min and max of each measure, by target and number of keys."""
    rows = own(sweep, sweep.summary)
    measures = list(dict.fromkeys(named(row) for row in rows))
    labels = files(sweep)
    values = {(row["target"], named(row), row["synthesis"], row["key_length"]): row for row in rows}
    yield Heading("By number of keys")
    for target in targets(rows):
        if target is not None:
            yield Paragraph(f"Target: {shown(target)}")
        columns = [Column("keys", label=True), Column("subsets"), *([Column("file", label=True)] if len(labels) > 1 else [])]
        columns += [Column("", label=True), *(Column(measure) for measure in measures), Column("non-\nmatches")]
        lines: list[list[str]] = []
        starts: list[int] = []
        for size in _listed(sweep.scenario["key_length"]):
            for label in labels:
                starts.append(len(lines))
                found = [values.get((target, m, label, size)) or values.get((None, m, label, size)) for m in measures]
                any_row = next(row for row in found if row is not None)
                for word in ("mean", "sd", "min", "max"):
                    first = word == "mean"
                    line = [str(size) if first else "", amount(any_row["subsets"]) if first else ""]
                    line += [file_name(sweep, label) if first else ""] if len(labels) > 1 else []
                    line += [word, *(NOTHING if row is None else amount(row[word], _unit(row)) for row in found)]
                    mean = any_row["mean_nonmatches"]
                    lines.append([*line, f"{mean:,.1f}" if first and isinstance(mean, int | float) else ""])
        yield Grid(columns, lines, frozenset(starts))


def _by_key(sweep: Sweep) -> Iterator[Block]:
    """The mean change of each measure by key and target."""
    yield Heading("What each key adds")
    rows = [row for row in own(sweep, sweep.contributions) if row["synthesis"] != ORIGINAL]
    if not rows:
        yield Paragraph("Nothing can be said of single keys: that takes subsets of at least two sizes that follow each other.")
        return
    measures = list(dict.fromkeys(named(row) for row in rows))
    labels = list(dict.fromkeys(str(row["synthesis"]) for row in rows))
    values = {(row["target"], named(row), row["synthesis"], row["key"]): row for row in rows}
    for target in targets(rows):
        if target is not None:
            yield Paragraph(f"Target: {shown(target)}")
        columns = [Column("key", label=True), *([Column("file", label=True)] if len(labels) > 1 else [])]
        columns += [Column(measure) for measure in measures]
        lines: list[list[str]] = []
        starts: list[int] = []
        for key in dict.fromkeys(row["key"] for row in rows):
            starts.append(len(lines))
            for place, label in enumerate(labels):
                found = [values.get((target, m, label, key)) or values.get((None, m, label, key)) for m in measures]
                line = [shown(key) if not place else "", *([file_name(sweep, label)] if len(labels) > 1 else [])]
                lines.append([*line, *(NOTHING if row is None else _change(row) for row in found)])
        yield Grid(columns, lines, frozenset(starts if len(labels) > 1 else ()))


def _listing(sweep: Sweep) -> Iterator[Block]:
    """The first subsets in the order asked for."""
    rows = own(sweep, sweep.subsets)
    if not rows or not sweep.top:
        return
    measures = list(dict.fromkeys(named(row) for row in rows))
    labels = [label for label in files(sweep) if label != ORIGINAL]
    values: dict[tuple[object, ...], Row] = {}
    subsets: dict[tuple[object, ...], None] = {}
    for row in rows:
        keys = tuple(_listed(row["keys"]))
        values[row["target"], named(row), row["synthesis"], keys] = row
        subsets[keys] = None
    listed = [
        (keys, target, label, [values.get((target, m, label, keys)) or values.get((None, m, label, keys)) for m in measures])
        for keys in subsets
        for target in targets(rows)
        for label in labels
    ]
    if sweep.sort == "nonmatches":
        listed.sort(key=lambda line: -_number(next(row for row in line[3] if row is not None)["nonmatches"]))
    elif sweep.sort not in ORDERS:
        place = next(number for number, name in enumerate(measures) if name.split(" ")[0] == shown(sweep.sort).split(" ")[0])
        listed.sort(key=lambda line: -_number((line[3][place] or {}).get("value")))
    elif sweep.sort == "keys":
        names = _listed(sweep.scenario["keys"])
        listed.sort(key=lambda line: [names.index(key) for key in line[0]])
    words = {"key_length": "fewest keys first", "keys": "by their keys", "nonmatches": "most non-matches first"}
    yield Heading("Subsets")
    several = [len(targets(rows)) > 1, len(labels) > 1]
    columns = [Column("keys", number=False, label=True)]
    columns += [Column(name, label=True) for name, on in zip(("target", "file"), several, strict=True) if on]
    columns += [*(Column(measure) for measure in measures), Column("non-\nmatches")]
    lines = []
    for keys, target, label, found in listed[: sweep.top]:
        who = [text for text, on in zip((shown(target), file_name(sweep, label)), several, strict=True) if on]
        numbers = [NOTHING if row is None else amount(row["value"], _unit(row)) for row in found]
        matched = next(row for row in found if row is not None)["nonmatches"]
        lines.append([", ".join(map(shown, keys)), *who, *numbers, amount(matched)])
    order = words.get(sweep.sort, f"highest {shown(sweep.sort)} first")
    yield Paragraph(f"{len(lines)} of {len(listed):,}, {order}; CSV, JSON and Parquet hold them all.", quiet=True)
    yield Grid(columns, lines)


def _change(row: "Row") -> str:
    value = row["mean"]
    text = amount(value, _unit(row))
    return f"+{text}" if isinstance(value, int | float) and value > 0 and text[0].isdigit() else text


def _unit(row: "Row") -> str:
    return str(row["unit"])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _joined(value: object) -> object:
    """A list of names as one CSV line; anything else as it is."""
    if not isinstance(value, list):
        return value
    return ",".join('"' + each.replace('"', '""') + '"' if set(each) & set(',"=\r\n') else each for each in map(str, value))
