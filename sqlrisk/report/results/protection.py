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
from sqlrisk.report.result import Lines, amount_of
from sqlrisk.report.results.kind import ResultKind
from sqlrisk.report.sections import assessment
from sqlrisk.report.sections.cells import label, number, text, word
from sqlrisk.report.wording import NOTHING, amount, names, or_blank, shown, value_of

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
class WrittenFiles(ResultKind):
    """A result of a command that writes files. `Protection` explains the fields."""

    not_kept: list[Row] = field(default_factory=list, kw_only=True)
    left_out: list[Row] = field(default_factory=list, kw_only=True)
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def _if_any(self) -> dict[str, object]:
        """Return the fields of this class for JSON."""
        return self._present("labels", "not_kept", "left_out")

    def _lacking(self) -> dict[str, list[Block]]:
        """Return paragraphs about what the files read have and the written files lack."""
        return {
            "left_out": assessment.left_out(self.left_out),
            "not_kept": _not_kept(self.not_kept),
        }


@dataclass(frozen=True, repr=False)
class Protection(WrittenFiles):
    """A protected file: ``source`` is the file read, ``output`` the file written. Of ``records``
    read, ``singled_out`` were taken out. If ``flag`` names a column, they were flagged in it
    instead.

    ``side`` is ``original`` or ``synthetic``. ``uniques_in_original`` is True if unique records
    whose keys several people share were singled out, too. ``label`` is the name and the text of an
    added column, or None. ``scenario`` has the settings.

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
        return _measures(WORDS, self.before, self.after)

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
            **self._named("scenario", "measures"),
            **self._if_any(),
        }

    def _table(self) -> Lines:
        return _lines(self.measures, WORDS)

    def _blocks(self) -> list[Block]:
        return self._told([self])

    def _told(self, files: Sequence["Protection"], *more: Cell[Row]) -> list[Block]:
        taken_out = (
            "uniques whose keys a person has"
            if self.uniques_in_original
            else "replicated uniques"
            if self.side == "synthetic"
            else "uniques"
        )
        singled_out = GridColumn(taken_out, above="flagged" if self.flag else "taken out")
        columns = (
            text("file", lambda each: shown(each.source)),
            (GridColumn("read"), lambda each: amount(each.records)),
            (singled_out, lambda each: amount(each.singled_out)),
            (GridColumn("written"), lambda each: amount(each.written)),
            text("to", lambda each: shown(each.output)),
        )
        whens = ["before", *(["after"] if self.after is not None else [])]
        return said(
            "protection",
            self,
            assessment=assessment.blocks(self.assessment),
            files=[table(columns, files)],
            measures=[_drawn(self.measures, whens, *more)],
            **self._lacking(),
        )


@dataclass(frozen=True, repr=False)
class Protections(Protection):
    """Several protected synthetic files, as ``files``, in the folder ``output``."""

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
        return f"<Protections of {amount_of(len(self.files), 'file')} in {self.output}>"

    def _document(self) -> dict[str, object]:
        files = [each.to_dict() for each in self.files]
        head = ("sqlrisk", "schema")  # said once, at the top
        return {
            "output": self.output,
            "files": [{key: each[key] for key in each if key not in head} for each in files],
        }

    def _table(self) -> Lines:
        return _lines(self.measures, ("synthesis", *WORDS))

    def _blocks(self) -> list[Block]:
        return self._told(self.files, word("synthesis"))


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
        about[name] = [
            {**row, "synthesis": str(number)}
            for number, each in enumerate(files, start=1)
            for row in getattr(each, name) or ()
        ]
    for name in ("left_out", "not_kept"):
        rows = [row for each in files for row in getattr(each, name)]
        # each file repeats the original's
        about[name] = [row for place, row in enumerate(rows) if row not in rows[:place]]
    return Protections(**{**about, "after": about["after"] or None}, files=tuple(files))


@dataclass(frozen=True, repr=False)
class Recoding(WrittenFiles):
    """Recoded files in a ``folder``: ``files`` has a row for each, with source, output and records.

    ``before`` and ``after`` are result rows as in a Report.
    """

    assessment: list[Row]
    folder: str
    files: list[Row]
    scenario: dict[str, object]
    before: list[Row]
    after: list[Row]
    _types: ClassVar = {"synthesis": "string", **TYPES}
    _kind: ClassVar = "protect"
    _below: ClassVar = {"Recoded files": ()}

    @property
    def measures(self) -> list[Row]:
        """One row per measure, target and synthesis, with the columns of Protection.measures."""
        return _measures(("synthesis", *WORDS), self.before, self.after)

    @property
    def risks(self) -> list[Row]:
        """The rows of ``measures`` without those of the baseline and of the original."""
        above = having("above", declared({}))
        return [row for row in self.measures if above.get(row["measure"]) not in AGAINST]

    def _line(self) -> str:
        return f"<Recoding: {amount_of(len(self.files), 'file')} in {self.folder}>"

    def _document(self) -> dict[str, object]:
        told = self._named("assessment", "folder", "files", "scenario", "measures")
        return {**told, **self._if_any()}

    def _table(self) -> Lines:
        return _lines(self.measures, ("synthesis", *WORDS))

    def _blocks(self) -> list[Block]:
        columns = label("source", "file"), label("output", "written to"), number("records")
        return said(
            "recoding",
            self,
            assessment=assessment.blocks(self.assessment),
            files=[table(columns, self.files)],
            measures=[_drawn(self.risks, ["before", "after"], word("synthesis"))],
            held=[self._held()],
            **self._lacking(),
        )

    def _held(self) -> Grid:
        """Draw the measures of targets, the baseline and the original, each before and after."""
        above = having("above", declared({}))
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
                    for side in (*AGAINST, "synthetic")
                    for when in whens
                ),
            ],
            lines,
        )


@dataclass(frozen=True, repr=False)
class Halves(WrittenFiles):
    """A file split at random into a ``folder``: ``files`` has a row for each half, with half,
    output and records.

    The half ``in`` is for the synthesis: ``share`` of the records, drawn with ``seed``.
    """

    folder: str
    source: str
    share: float
    seed: int
    files: list[Row]
    _types: ClassVar = {"half": "string", "output": "string", "records": "int64"}
    _rows: ClassVar = "files"

    def _line(self) -> str:
        return f"<Halves of {self.source} in {self.folder}>"

    def _document(self) -> dict[str, object]:
        return {**self._named("folder", "source", "share", "seed", "files"), **self._if_any()}

    def _blocks(self) -> list[Block]:
        columns = word("half"), label("output", "written to"), number("records")
        return said("halves", self, files=[table(columns, self.files)], **self._lacking())


def _measures(
    words: Sequence[str], before: Sequence[Row], after: Sequence[Row] | None
) -> list[Row]:
    """Return a row for each row of ``before``: its fields ``words``, and the numbers before and
    after. The latter are None if nothing was measured after.
    """
    afters = [None] * len(before) if after is None else after
    return [
        {
            **{name: old[name] for name in words},
            "before": {name: old[name] for name in NUMBERS},
            "after": None if new is None else {name: new[name] for name in NUMBERS},
        }
        for old, new in zip(before, afters, strict=True)
    ]


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
    return [Paragraph(each) for each in [" ".join(labels), *lost] if each]


def _lines(measures: list[Row], words: Sequence[str]) -> Lines:
    """Return the columns and rows of a table: ``words``, then the numbers before and after."""
    nothing = dict.fromkeys(NUMBERS)
    sides = (
        ((row[when] or nothing)[name] for when in ("before", "after") for name in NUMBERS)
        for row in measures
    )
    return (*words, *COLUMNS[len(WORDS) :]), [
        [*(row[word] for word in words), *each] for row, each in zip(measures, sides, strict=True)
    ]


def _drawn(measures: list[Row], whens: Sequence[str], *more: Cell[Row]) -> Block:
    columns = [word("measure")]
    if any(row["target"] is not None for row in measures):
        columns.append(text("target", lambda row: or_blank(row["target"])))
    numbers = (
        (GridColumn(name, above=when), partial(_side, when, name))
        for when in whens
        for name in ("people", "percent")
    )
    return table([*columns, *more, *numbers], measures)


def _side(when: str, name: str, row: Row) -> str:
    numbers = row[when]
    if numbers is None:
        return NOTHING
    if name == "people":
        return amount(numbers["numerator"])
    return amount(numbers["value"], row["unit"])
