"""The results of commands that write files: a protected file or a recoded release with measures
before and after, or the halves of a file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from sqlrisk.inputs.columns.dictionary import read_columns
from sqlrisk.report.blocks import Block, Cell, Grid, GridColumn, Paragraph, table
from sqlrisk.report.columns import Row
from sqlrisk.report.declared import declared, having
from sqlrisk.report.prose import said
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import label, word
from sqlrisk.report.wording import NOTHING, amount, names, shown, value_of

NUMBERS = ("numerator", "denominator", "value")
WORDS = ("measure", "target", "unit")
LABELS = {  # sentences about columns, by the ``what`` of their rows in ``not_kept``
    ("labels",): "Labels are not in the file: of {}. Of SPSS and Stata files, a file of their own "
    "format keeps them.",
    ("metadata", "codes"): "Labels of {} are in the metadata of the Parquet file (tableschema), "
    "where sqlrisk reads those of columns.",
    ("codes",): "It does not read the labels of the codes of {} there, and shows codes. Of SPSS "
    "and Stata files, a file of their own format keeps them.",
}
AGAINST = ("baseline", "original")  # what measures of targets are compared with
COLUMNS = (*WORDS, *(f"{when}_{name}" for when in ("before", "after") for name in NUMBERS))
TYPES = {name: "string" if name in WORDS else "double" for name in COLUMNS}


@dataclass(frozen=True, repr=False)
class Protection(ResultKind):
    """A protected file. ``records`` were read, ``singled_out`` of them were taken out, or flagged
    if there is a ``flag``.

    ``before`` and ``after`` are result rows as in a Report. ``after`` is None if records were only
    flagged, or nothing is left. ``not_kept`` lists by column what the written file lacks, or has
    only in metadata: labels, reasons for missing values. ``left_out`` lists parts of files that
    were not read, such as ``empty_rows``.
    """

    assessment: list[Row]
    side: str
    source: str
    output: str
    records: int
    singled_out: int
    flag: str | None
    uniques_in_original: bool
    label: tuple[str, str] | None
    scenario: dict[str, object]
    before: list[Row]
    after: list[Row] | None
    not_kept: list[Row] = field(default_factory=list, kw_only=True)
    left_out: list[Row] = field(default_factory=list, kw_only=True)
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _types: ClassVar = TYPES
    _kind: ClassVar = "protect"
    _below: ClassVar = {"Protected {self.side} file": ()}

    @property
    def written(self) -> int:
        """The number of records in the written file."""
        return self.records if self.flag else self.records - self.singled_out

    @property
    def recoded(self) -> list[str]:
        """The columns that were recoded only for counting."""
        entries = read_columns(self.scenario.get("column") or {}, "column")
        return [name for name, entry in entries.items() if entry.recodes]

    @property
    def measures(self) -> list[Row]:
        """One row per measure and target: unit, and the numerator, denominator and value before and
        after.
        """
        afters: list[Any] = [None] * len(self.before) if self.after is None else [*self.after]
        return [
            {
                **{name: before[name] for name in WORDS},
                "before": {name: before[name] for name in NUMBERS},
                "after": None if after is None else {name: after[name] for name in NUMBERS},
            }
            for before, after in zip(self.before, afters, strict=True)
        ]

    @property
    def risks(self) -> list[Row]:
        """The rows of ``measures`` that a figure shows, here all."""
        return self.measures

    def _line(self) -> str:
        done = "flagged" if self.flag else "taken out"
        return f"<Protection of {self.source}: {self.singled_out} of {self.records} records {done}>"

    def _document(self) -> dict[str, object]:
        return {
            **self._named(
                "assessment",
                "side",
                "source",
                "output",
                "records",
                "singled_out",
                "written",
                "flag",
                "uniques_in_original",
            ),
            "label": None if self.label is None else dict([self.label]),
            **self._named("scenario", "measures", *_if_any(self)),
        }

    def _table(self) -> Lines:
        return _lines(self.measures, WORDS)

    def _blocks(self) -> list[Block]:
        return _told(self, [self])


@dataclass(frozen=True, repr=False)
class Protections(Protection):
    """Several protected synthetic files, in the folder ``output``. ``files`` has a Protection for
    each.
    """

    files: tuple[Protection, ...]
    _types: ClassVar = {"synthesis": "string", **TYPES}
    _below: ClassVar = {"Protected {self.side} files": ()}

    @property
    def measures(self) -> list[Row]:
        """The rows of all files. The column ``synthesis`` has the number of the file."""
        return [
            {"synthesis": str(number), **row}
            for number, each in enumerate(self.files, start=1)
            for row in each.measures
        ]

    def _line(self) -> str:
        return f"<Protections of {len(self.files)} files in {self.output}>"

    def _document(self) -> dict[str, object]:
        files = [each.to_dict() for each in self.files]
        return {
            "output": self.output,
            "files": [{key: each[key] for key in each if key != "sqlrisk"} for each in files],
        }

    def _table(self) -> Lines:
        return _lines(self.measures, ("synthesis", *WORDS))

    def _blocks(self) -> list[Block]:
        return _told(self, self.files, word("synthesis"))


def several(files: Sequence[Protection], folder: str) -> Protections:
    """Return protected files as one result, in the order of the syntheses."""
    about: dict[str, Any] = {
        **vars(files[0]),
        "source": f"{len(files)} synthetic files",
        "output": folder,
    }
    about |= {
        name: sum(getattr(each, name) for each in files) for name in ("records", "singled_out")
    }
    for name in ("assessment", "before", "after"):
        every = (
            (number, row)
            for number, each in enumerate(files, start=1)
            for row in getattr(each, name) or ()
        )
        about[name] = [{**row, "synthesis": str(number)} for number, row in every]
    for name in ("left_out", "not_kept"):
        rows = [row for each in files for row in getattr(each, name)]
        # each file repeats the original's
        about[name] = [row for place, row in enumerate(rows) if row not in rows[:place]]
    return Protections(**{**about, "after": about["after"] or None}, files=tuple(files))


@dataclass(frozen=True, repr=False)
class Recoding(ResultKind):
    """Recoded files in a ``folder``: ``files`` has a row for each, with source, output and records.

    ``before`` and ``after`` are result rows as in a Report.
    """

    assessment: list[Row]
    folder: str
    files: list[Row]
    scenario: dict[str, object]
    before: list[Row]
    after: list[Row]
    not_kept: list[Row] = field(default_factory=list, kw_only=True)
    left_out: list[Row] = field(default_factory=list, kw_only=True)
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _types: ClassVar = {"synthesis": "string", **TYPES}
    _kind: ClassVar = "protect"
    _below: ClassVar = {"Recoded files": ()}

    @property
    def measures(self) -> list[Row]:
        """One row per measure, target and synthesis, with the columns of Protection.measures."""
        return [
            {
                **{name: before[name] for name in ("synthesis", *WORDS)},
                "before": {name: before[name] for name in NUMBERS},
                "after": {name: after[name] for name in NUMBERS},
            }
            for before, after in zip(self.before, self.after, strict=True)
        ]

    @property
    def risks(self) -> list[Row]:
        """The rows of ``measures`` without those of the baseline and of the original."""
        above = having("above", declared({}))
        return [row for row in self.measures if above.get(row["measure"]) not in AGAINST]

    def _line(self) -> str:
        return f"<Recoding: {len(self.files)} files in {self.folder}>"

    def _document(self) -> dict[str, object]:
        return self._named("assessment", "folder", "files", "scenario", "measures", *_if_any(self))

    def _table(self) -> Lines:
        return _lines(self.measures, ("synthesis", *WORDS))

    def _blocks(self) -> list[Block]:
        files: list[Cell[Row] | None] = [
            (GridColumn("file", label=True), lambda row: shown(row["source"])),
            (GridColumn("written to", label=True), lambda row: shown(row["output"])),
            (GridColumn("records"), lambda row: amount(row["records"])),
        ]
        drawn: dict[str, Sequence[Block]] = {
            "assessment": assessment.blocks(self.assessment),
            "files": [table(files, self.files)],
            "measures": [_drawn(self.risks, ["before", "after"], word("synthesis"))],
            "held": [self._held()],
        }
        return said("recoding", self, **drawn, **_lacking(self))

    def _held(self) -> Grid:
        """Draw the measures of targets with the baseline and the original, each before and
        after.
        """
        above = having("above", declared({}))
        sides = (*AGAINST, "synthetic")
        whens = {"before": self.before, "after": self.after}
        values = {
            (when, above[row["measure"]], row["family"], row["target"], row["synthesis"]): row
            for when, rows in whens.items()
            for row in rows
            if row["measure"] in above
        }
        lines = [row for row in self.before if above.get(row["measure"]) == "synthetic"]

        def read(when: str, side: str, row: Row) -> str:
            place = (when, side, row["family"], row["target"], row["synthesis"])
            return value_of(values[place]) if place in values else ""

        return table(
            [
                word("measure"),
                label("target"),
                word("synthesis") if len({row["synthesis"] for row in lines}) > 1 else None,
                *(
                    (GridColumn(when, above=side), partial(read, when, side))
                    for side in sides
                    for when in whens
                ),
            ],
            lines,
        )


@dataclass(frozen=True, repr=False)
class Halves(Forms):
    """A file split at random into a ``folder``: ``files`` has a row for each half, with half,
    output and records.

    The half ``in`` is for the synthesis: ``share`` of the records, drawn with ``seed``.
    """

    folder: str
    source: str
    share: float
    seed: int
    files: list[Row]
    not_kept: list[Row] = field(default_factory=list, kw_only=True)
    left_out: list[Row] = field(default_factory=list, kw_only=True)
    _types: ClassVar = {"half": "string", "output": "string", "records": "int64"}
    _rows: ClassVar = "files"

    def _line(self) -> str:
        return f"<Halves of {self.source} in {self.folder}>"

    def _document(self) -> dict[str, object]:
        return self._named("folder", "source", "share", "seed", "files", *_if_any(self))

    def _blocks(self) -> list[Block]:
        cells: list[Cell[Row] | None] = [
            (GridColumn("half", label=True), lambda row: str(row["half"])),
            (GridColumn("written to", label=True), lambda row: shown(row["output"])),
            (GridColumn("records"), lambda row: amount(row["records"])),
        ]
        return said("halves", self, files=[table(cells, self.files)], **_lacking(self))


def _told(found: Protection, files: Sequence[Protection], *more: Cell[Row]) -> list[Block]:
    taken_out = (
        "uniques whose keys a person has"
        if found.uniques_in_original
        else "replicated uniques"
        if found.side == "synthetic"
        else "uniques"
    )
    cells: list[Cell[Protection] | None] = [
        (GridColumn("file", label=True), lambda each: shown(each.source)),
        (GridColumn("read"), lambda each: amount(each.records)),
        (
            GridColumn(taken_out, above="flagged" if found.flag else "taken out"),
            lambda each: amount(each.singled_out),
        ),
        (GridColumn("written"), lambda each: amount(each.written)),
        (GridColumn("to", label=True), lambda each: shown(each.output)),
    ]
    whens = ["before", *(["after"] if found.after is not None else [])]
    drawn: dict[str, Sequence[Block]] = {
        "assessment": assessment.blocks(found.assessment),
        "files": [table(cells, files)],
        "measures": [_drawn(found.measures, whens, *more)],
    }
    return said("protection", found, **drawn, **_lacking(found))


def _if_any(found: Protection | Recoding | Halves) -> list[str]:
    """Return the fields that JSON has only if they are not empty."""
    return [name for name in ("labels", "not_kept", "left_out") if getattr(found, name, None)]


def _lacking(found: Protection | Recoding | Halves) -> dict[str, list[Block]]:
    """Return paragraphs about what the files read have and the written files lack."""
    return {"left_out": assessment.left_out(found.left_out), "not_kept": _not_kept(found.not_kept)}


def _not_kept(rows: Sequence[Row]) -> list[Block]:
    """Return paragraphs about the labels and missing-value codes that a written file lacks."""
    several: dict[tuple[str, str], list[Row]] = {}  # what the files share is said once
    for row in rows:
        if row["what"] == "reasons":
            alike = shown(row["column"]), ", ".join(row["codes"])
            several.setdefault(alike, []).append(row)
    labels = [
        text.format(", ".join(columns))
        for kinds, text in LABELS.items()
        if (columns := dict.fromkeys(shown(row["column"]) for row in rows if row["what"] in kinds))
    ]
    lost = [
        f"{column}: the reasons of {amount(sum(row['records'] for row in alike))} missing values "
        f"({codes}) are not in "
        + (
            "the file, which is empty there."
            if len(alike) == 1
            else f"the files ({names([row['file'] for row in alike])}), which are empty there."
        )
        for (column, codes), alike in several.items()
    ]
    return [
        *([Paragraph(" ".join(labels))] if labels else []),
        *(Paragraph(each) for each in lost),
    ]


def _lines(measures: list[Row], words: Sequence[str]) -> Lines:
    """Return the columns and rows of a table: the fields ``words``, then the numbers before and
    after.
    """
    nothing = dict.fromkeys(NUMBERS)
    sides = (
        ((row[when] or nothing)[name] for when in ("before", "after") for name in NUMBERS)
        for row in measures
    )
    return (*words, *COLUMNS[len(WORDS) :]), [
        [*(row[word] for word in words), *each] for row, each in zip(measures, sides, strict=True)
    ]


def _drawn(measures: list[Row], whens: Sequence[str], *more: Cell[Row]) -> Block:
    targets = any(row["target"] is not None for row in measures)
    cells: list[Cell[Row] | None] = [
        word("measure"),
        (
            GridColumn("target", label=True),
            lambda row: "" if row["target"] is None else shown(row["target"]),
        )
        if targets
        else None,
        *more,
        *(
            (GridColumn(name, above=when), partial(_side, when, name))
            for when in whens
            for name in ("people", "percent")
        ),
    ]
    return table(cells, measures)


def _side(when: str, name: str, row: Row) -> str:
    if row[when] is None:
        return NOTHING
    return (
        amount(row[when]["numerator"])
        if name == "people"
        else amount(row[when]["value"], row["unit"])
    )
