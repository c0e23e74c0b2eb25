"""Protect a file: remove or flag the records that single people out. Measure the risk before, and
after if records were removed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from sqlrisk.analyses import assessment, result_rows
from sqlrisk.analyses.people import release
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.session import Session, SessionOpener
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import EngineError, InputError, ProblemList, suggestion
from sqlrisk.common.output_files import standing_in
from sqlrisk.engines.engine import Engine
from sqlrisk.engines.formats import stat_copies
from sqlrisk.engines.formats.streams import READERS
from sqlrisk.inputs.codebooks import Field
from sqlrisk.inputs.fields import ASSESSED, EXCLUSIONS, Columns, rows
from sqlrisk.inputs.request import Question, ask, not_given
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.sources import FORMATS, Source, Synthesis, partitions, read_header
from sqlrisk.plan import comparisons, totals
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.columns import Row
from sqlrisk.report.results.protection import Protection, several

SIDES = ("synthetic", "original")
FORMS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".csv.gz": "csv",
    **stat_copies.ENDINGS,
}
# For each side: the measure whose risky classes hold the records to remove or flag, the default
# name of the flag, the measures to report, and further ones to report if there are targets. The
# measures are fixed, because protecting a file means to remove its replicated uniques, which repU
# counts.
_SINGLES = {"synthetic": "repU", "original": "UiO"}
IN_ORIGINAL = "unique_in_original"  # the flag of synthetic uniques whose keys any person has
_FLAGS = {"synthetic": "replicated_unique", "original": "unique"}
_MEASURES = {"synthetic": ("UiO", "UiOiS", "repU"), "original": ("UiO",)}
_OF_TARGETS = {"synthetic": ("DiSCO", "DCAP"), "original": ("Dorig",)}
# Other settings are about subgroups or further results, which protection does not have.
_SETTINGS = (*rows(Columns), *EXCLUSIONS, *ASSESSED)
_LABEL = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^"=][^=]*))=(?P<text>.*)', re.DOTALL)


ORIGINAL_FIRST = (
    "give the original first, as in all commands: ORIGINAL SYNTHETIC... The order with the "
    "synthetic file first ends with the next version."
)


@dataclass(frozen=True)
class ProtectOrder:
    """An order to protect one file.

    Attributes:
        side: the side of the file to protect, original or synthetic.
        source: the file to protect.
        path: the output as the user named it.
        form: the format of the output.
        flag: the name of a new column that marks the records singled out, which then stay. None to
            remove them.
        label: the name and text of a further new column, or None.
        in_original: treat every synthetic unique as singled out if any person has its keys, even a
            person who is not unique.
    """

    side: str
    question: Question
    source: Source
    path: str
    form: str
    flag: str | None
    label: tuple[str, str] | None
    in_original: bool = False

    @property
    def number(self) -> int:
        """The number of the protected file in the layout."""
        return 0 if self.side == "original" else 1

    @property
    def keeps_types(self) -> bool:
        """True if a Python library copies the file. This keeps Arrow types and SPSS labels, which
        the engine would lose.
        """
        return (
            self.form == (self.source.kind if self.source.kind != "frame" else "parquet") != "csv"
        )


def orders(
    original: object,
    synthetic: object,
    path: str,
    settings: Mapping[str, object],
    side: str,
    flag: bool | str,
    label: object,
    scenario_file: str | None,
    *,
    in_original: bool,
) -> list[ProtectOrder]:
    """Check the arguments of `sqlrisk.protect` as far as possible without reading the data. Return
    an order for each file to protect.

    Several synthetic files are written to a folder under their own names. Raises InputError with
    every problem.
    """
    from sqlrisk.analyses.people.parquet_copy import held, kept

    if side not in SIDES:
        raise InputError(
            f"side: {side!r} is not one of {', '.join(SIDES)}{suggestion(side, SIDES)}."
        )
    problems = ProblemList()
    if side == "original":
        if synthetic is not None:
            problems.append(
                "With side original only the original is read: leave the synthetic file out."
            )
        if in_original:
            problems.append(
                "uniques_in_original: it applies to synthetic records; leave it out with side "
                "original."
            )
        if original is None and scenario_file is not None:
            original = read_file(scenario_file).get("original")
        synthetic = original  # `ask` requires a synthetic file, although none is read
    with problems:
        added = None if label is None else _read_label(label)
    measures, sources, waiting = _MEASURES[side], list[Source](), tuple[str, ...]()
    with problems:
        asked = ask(
            original,
            synthetic,
            {**settings, "measures": list(measures)},
            scenario_file=scenario_file,
            unchecked=not_given(settings) if side == "original" else (),
        )
        sources, waiting = (
            [asked.original] if side == "original" else [each.source for each in asked.syntheses],
            asked.unread,
        )
    with problems:
        paths = _paths(path, sources)
    problems += (
        f"{each.name} is not a file on this machine: copy it here, and protect the copy."
        for each in sources
        if each.is_remote
    )
    problems.stop(waiting)
    if asked.scenario.targets:
        measures += _OF_TARGETS[side]
    scenario = read({**asked.scenario.settings_of(_SETTINGS), "measures": list(measures)})
    plain = replace(
        asked,
        scenario=scenario,
        original=kept(asked.original),
        measures=catalog().select(measures),
        catalog=catalog(),
        control=None,
    )
    if side == "original":
        sources = [plain.original]
    flagged = ((IN_ORIGINAL if in_original else _FLAGS[side]) if flag is True else flag) or None
    found = []
    for number, (source, (output, form)) in enumerate(
        zip(map(held, sources), paths, strict=True), start=1
    ):
        question = about(replace(plain, syntheses=(Synthesis("", number, source),)), side, source)
        found.append(
            ProtectOrder(side, question, source, output, form, flagged, added, in_original)
        )
    return found


def _paths(path: str, sources: Sequence[Source]) -> list[tuple[str, str]]:
    """Return the path and format of each output: one file, or the files of a folder. Without
    sources, because they have problems, return nothing. Raises InputError if the path is
    unsuitable, such as a file name for several outputs.
    """
    form = next((form for suffix, form in FORMS.items() if path.lower().endswith(suffix)), "")
    if not path:
        raise InputError("Name the file to write (-o FILE).")
    if not sources:
        return []
    if len(sources) == 1:
        if not form:
            raise InputError(
                f"The output {path!r} has an extension that cannot be written; use one of "
                f"{', '.join(FORMS)}."
            )
        if form in stat_copies.ENDINGS.values() and not stat_copies.is_copied(sources[0], path):
            raise InputError(
                f"The output {path!r} can be written only from one {FORMATS[form]} file, and "
                f"{sources[0].name} is not one: name a .parquet or .csv file."
            )
        return [(path, form)]
    if form:
        raise InputError(
            f"The output {path!r} names one file, but there are {len(sources)} synthetic "
            "files; name a folder."
        )
    names = release.names_of(sources, path)
    return [
        (str(Path(path, name)), release.form_of(source))
        for name, source in zip(names, sources, strict=True)
    ]


@contextmanager
def outputs(wanted: Sequence[ProtectOrder], used: Sequence[str]) -> Iterator[list[str]]:
    """Yield temporary files, which are renamed to the outputs if the block raises no error.

    Raises InputError if an output is a file that the run reads, a part of a folder that it reads,
    or one of the further files ``used``. Also raised if the folder for several outputs has files.
    """
    read = [*used]
    for each in wanted:
        release.require_outside(each.path, each.question.sources)
        read += each.question.paths
    if len(wanted) == 1:
        with standing_in(wanted[0].path, read) as file:
            yield [str(file)]
        return
    with release.new_folder(
        Path(wanted[0].path).parent, [Path(each.path).name for each in wanted], read
    ) as files:
        yield files


def about(question: Question, side: str, source: Source) -> Question:
    """Return the question with another source in place of the protected file. For the original side
    it has no syntheses.
    """
    if side == "original":
        return replace(question, original=source, syntheses=())
    return replace(question, syntheses=(replace(question.syntheses[0], source=source),))


def _read_label(given: object) -> tuple[str, str]:
    """Read (column, text) from ``COLUMN=TEXT`` or from a mapping with one column. Raises InputError
    for anything else.
    """
    if isinstance(given, str) and (match := _LABEL.fullmatch(given)):
        return (match["plain"] or match["quoted"].replace('""', '"')), match["text"]
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, text),) = given.items()
        if isinstance(name, str) and name and isinstance(text, str):
            return name, text
    raise InputError(f"label: {given!r} is not COLUMN=TEXT, as in origin=synthetic.")


@dataclass(frozen=True)
class Opened:
    """The file to protect, opened with all its columns.

    Attributes:
        names: the columns to write.
        relation: the relation that FROM reads. Empty if a Python library copies the file and it is
            not Parquet.
        types: column -> type. Empty if ``relation`` is empty.
        record: the SQL of the record number, or None if a Python library copies the file.
        not_kept: the properties of columns that the written file lacks, as in `release.not_kept`.
        codebook: labels and missing values, for a file of another format than the source.
    """

    names: list[str]
    relation: str
    types: Mapping[str, str]
    record: str | None
    not_kept: Sequence[Row] = ()
    codebook: Sequence[Field] = ()


def protect(
    wanted: Sequence[ProtectOrder], open_session: SessionOpener, paths: Sequence[str]
) -> Protection:
    """Write the protected files to ``paths``, the temporary files of `outputs`, and score each. The
    result for several files holds the results of all.
    """
    done = [_protect(each, open_session, path) for each, path in zip(wanted, paths, strict=True)]
    return done[0] if len(done) == 1 else several(done, str(Path(wanted[0].path).parent))


def _protect(wanted: ProtectOrder, open_session: SessionOpener, path: str) -> Protection:
    with open_session() as session:
        session.output(path)
        opened = open_whole(wanted, session.engine)
        encoded = assessment.begin(wanted.question, session, numbered=True, every_target=False)
        layout = _alone(encoded)
        passes = record_all(layout, session)
        session.create(chain(_singling_out(layout, wanted, passes), totals.collect(layout)))
        before = result_rows.results(wanted.question, layout, session)
        assessed, *_ = assessment.assess(encoded, session)
        sources = wanted.question.sources
        left_out = release.left_out(sources, session.engine)
        labels = column_labels(layout.columns, layout.scenario, sources, session.engine)
        records = layout.records[wanted.number]
        found = session.number("SELECT COUNT(*) FROM singled_out")
        write(wanted, path, opened, layout.files[wanted.number].types, records, session)
        after = None
        if not wanted.flag and found < records:
            written = _written(wanted, path, opened, layout, session)
            session.clear()  # two sessions share the memory
            # Typed levels, and text among numbers, may have gone with the records.
            question = replace(about(wanted.question, wanted.side, written), checked=False)
            after = _measured(question, open_session)
    return Protection(
        labels=labels,
        assessment=assessed,
        side=wanted.side,
        source=wanted.source.label,
        output=wanted.path,
        records=records,
        singled_out=found,
        flag=wanted.flag,
        uniques_in_original=wanted.in_original,
        label=wanted.label,
        scenario=wanted.question.scenario.settings(),
        before=before,
        after=after,
        not_kept=list(opened.not_kept),
        left_out=left_out,
    )


def open_whole(wanted: ProtectOrder, engine: Engine) -> Opened:
    """Open the file to protect with all its columns. Raises InputError if it already has a column
    that would be added.
    """
    names = _column_names(wanted.source, engine)
    _check_added(wanted, names)
    if wanted.keeps_types and wanted.source.kind != "parquet":
        return Opened(names, "", {}, None)
    source = wanted.question.sources[wanted.number]
    source = replace(
        source.as_texts if wanted.form == "csv" else source, as_stored=frozenset(names)
    )
    relation, types, record = engine.attach(
        source, names, "protected", numbered=not wanted.keeps_types
    )
    texts = (
        _texts_of_original(wanted.question.original, names, engine)
        if wanted.source.kind == "csv"
        else {}
    )
    codebook = release.codebook(source, types, engine)
    return Opened(
        names,
        relation,
        {**types, **texts},
        record,
        release.not_kept(codebook, source, names, wanted.form, engine),
        codebook,
    )


def _texts_of_original(original: Source, names: Sequence[str], engine: Engine) -> dict[str, str]:
    """Return the columns of a Parquet original that are text or categories. They stay text even if
    their values look like numbers.
    """
    if original.kind != "parquet":
        return {}
    both = [name for name in engine.columns(original) if name in names]
    _, types, _ = engine.attach(original, both, "original_types")
    return {
        name: "VARCHAR"
        for name, kind in types.items()
        if kind == "VARCHAR" or kind.startswith("ENUM")
    }


def write(
    wanted: ProtectOrder,
    path: str,
    opened: Opened,
    types: Mapping[str, str],
    records: int,
    session: Session,
) -> None:
    """Write the file without the records of the table ``singled_out``, or with a flag on them.

    ``records`` is the number of records in the file. ``types`` are the common types of columns over
    all files. They replace the file's own types. A CSV file keeps its delimiter. Raises EngineError
    if a file that is copied with its types (`keeps_types`) changed during the run.
    """
    if wanted.keeps_types:
        _copy(wanted, path, opened, records, session)
        return
    query = _query(wanted, opened, opened.names, {**opened.types, **types})
    release.export(query, path, wanted.path, wanted.form, wanted.source, opened.codebook, session)


def _written(
    wanted: ProtectOrder, path: str, opened: Opened, layout: Layout, session: Session
) -> Source:
    """Return the written file as a source, to measure its risk.

    Types are lost in a CSV file made from another format, and some formats are only read by a
    Python library. In these cases, write a second, private Parquet file with types, and return
    that. Otherwise return the file itself.
    """
    form = wanted.form
    # As it was counted: by label, without values declared missing.
    if wanted.source.kind in READERS:
        file = layout.files[wanted.number]
        opened = Opened([*file.types], file.relation, file.types, file.record)
    if (form == "csv" and wanted.source.kind != "csv") or wanted.source.kind in READERS:
        path, form = session.private_file("written.parquet"), "parquet"
        names = (
            opened.names
            if wanted.source.kind in READERS
            else [column.name for column in layout.columns]
        )
        session.export(
            "writing", _query(wanted, opened, names, dict.fromkeys(names, "VARCHAR")), path, form
        )
    csv = replace(
        wanted.source.csv, encoding="", delimiter=release.delimiter_of(wanted.source), quote='"'
    )
    return Source(wanted.path, form, (path,), role=wanted.source.role, csv=csv)


def _alone(layout: Layout) -> Layout:
    """Return the layout. If it has no synthesis, compare the original with itself, so that measures
    of the original can be computed.
    """
    if layout.comparisons:
        return layout
    people = layout.files[0]
    return replace(layout, comparisons=(Comparison(1, "1", "", (people,), True, people),))


def _measured(question: Question, open_session: SessionOpener) -> result_rows.Rows:
    with open_session() as session:
        layout = _alone(encode(question, session, every_target=False))
        session.create(
            chain(totals.measure(layout, record_all(layout, session)), totals.collect(layout))
        )
        return result_rows.results(question, layout, session)


def _singling_out(
    layout: Layout, wanted: ProtectOrder, passes: Sequence[KeyRange]
) -> Iterator[Step]:
    """Yield the steps of the measures. After each pass, a further step collects the records that
    are singled out in the table ``singled_out``.
    """
    comparison = layout.comparisons[0]
    sql = templates.stage(
        "stages/people/singled_out.sql",
        compared=comparisons.compared_classes(layout, [comparison]),
        **layout.names,
        file=comparison.people if wanted.side == "original" else comparison.members[0],
        risky=templates.risky(wanted.question.catalog[_SINGLES[wanted.side]]),
        in_original=wanted.in_original,
    )
    for step in totals.measure(layout, passes, overlaps=True):
        yield step
        if step.table == "classes":
            yield Step("records", "singled_out", sql)


def _query(
    wanted: ProtectOrder, opened: Opened, names: Iterable[str], types: Mapping[str, str]
) -> str:
    """Return the query of the rows of the protected file. Columns are text in a CSV output, and
    typed in Parquet. There, whole numbers beyond 64 bits are decimals: DuckDB would write DOUBLE.
    """
    typed = wanted.form == "parquet"
    exact = {"HUGEINT": "DECIMAL(38,0)"}
    values = {
        templates.quote(name): exact.get(types[name], types[name]) if typed else "VARCHAR"
        for name in names
    }
    columns = [
        {
            "name": name,
            "value": name if kind in ("VARCHAR", '"NULL"') else f"CAST({name} AS {kind})",
        }
        for name, kind in values.items()
    ]
    return templates.stage(
        "tables/protected.sql",
        columns=columns,
        relation=opened.relation,
        record=opened.record,
        singled_out="singled_out",
        flag=wanted.flag and templates.quote(wanted.flag),
        label=wanted.label
        and {"name": templates.quote(wanted.label[0]), "text": templates.literal(wanted.label[1])},
    )


def _copy(wanted: ProtectOrder, path: str, opened: Opened, records: int, session: Session) -> None:
    """Copy the file with its own types, without the records of the table ``singled_out`` or with a
    flag on them.

    Raises EngineError if the file changed during the run.
    """
    from sqlrisk.analyses.people import parquet_copy

    session.create([Step("records", "left_out", "SELECT record FROM singled_out ORDER BY record")])

    def left_out(first: int, last: int) -> list[int]:
        rows = session.fetch(
            f"SELECT record FROM left_out WHERE record >= {first} AND record <= {last}"
        )
        return [int(number) for (number,) in rows]

    def folder_value(name: str, text: str) -> object:
        return session.fetch(f"SELECT CAST({templates.literal(text)} AS {opened.types[name]})")[0][
            0
        ]

    def show(read: int) -> None:
        session.show("writing", 1, 1, min(read / records, 1.0))

    added: dict[str, Any] = {"flag": wanted.flag, "progress": show}
    if wanted.form in stat_copies.ENDINGS.values():
        release.require_memory(wanted.source, len(opened.names), records, session)
        new = (
            {}
            if wanted.label is None
            else {wanted.label[0]: stat_copies.NewColumn([wanted.label[1]])}
        )
        read = stat_copies.copy(wanted.source, path, left_out, new=new, **added)
    else:
        folders: dict[str, Any] = {"folder_types": opened.types, "folder_value": folder_value}
        read = parquet_copy.copy(
            wanted.source, path, left_out, label=wanted.label, **folders, **added
        )
    if read != records:
        raise EngineError(f"{wanted.source.name} changed during the run: run again.")


def _column_names(source: Source, engine: Engine) -> list[str]:
    """Return all columns of a source, without an index of pandas that has no name. Raises
    InputError if its parts cannot be written as one file: their format does not allow that, or
    their columns differ.
    """
    names = list(engine.columns(source))
    if source.kind == "frame":
        # Arrow names such an index. It is missing if pandas numbers the rows, as before a shuffle.
        index = (source.frame.schema.pandas_metadata or {}).get("index_columns", ())
        return [
            name for name in names if name not in index or not name.startswith("__index_level_")
        ]
    if len(source.paths) > 1:
        if source.kind not in ("csv", "parquet"):
            raise InputError(
                f"{source.name} has several parts; in this format, protect one file at a time."
            )
        if source.kind == "csv":
            parts = [set(read_header(path, source).columns) for path in source.paths]
        else:
            import pyarrow.parquet as pq

            parts = [{*pq.read_schema(path).names, *partitions(source)} for path in source.paths]
        if any(part != set(names) for part in parts):
            raise InputError(
                f"The parts of {source.name} have different columns; protect parts that have the "
                "same ones."
            )
    return names


def _check_added(wanted: ProtectOrder, names: Iterable[str]) -> None:
    known = {name.casefold(): name for name in names}
    problems = ProblemList()
    for setting, name in (("flag", wanted.flag), ("label", wanted.label and wanted.label[0])):
        if name and name.casefold() in known:
            taken = known[name.casefold()]
            problems.append(
                f"{setting}: {wanted.source.name} has a column {taken!r} already; choose another "
                "name."
            )
        elif name:
            known[name.casefold()] = name
    problems.stop()
