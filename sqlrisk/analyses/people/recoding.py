"""Recode all files of a release in the same way, write them, and measure the risk before and
after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from sqlrisk.analyses import audit
from sqlrisk.analyses.level_names import shown_levels
from sqlrisk.analyses.people import release
from sqlrisk.analyses.people.parquet_copy import kept
from sqlrisk.analyses.preparation.files import lay_out, missing_levels
from sqlrisk.analyses.preparation.opening import AttachArguments, open_files
from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Session, SessionOpener
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import ProblemList
from sqlrisk.engines import duckdb_csv
from sqlrisk.engines.engine import Engine
from sqlrisk.engines.formats.stat_copies import NewColumn, copy, ending_of
from sqlrisk.inputs.fields import ASSESSED, Columns, rows
from sqlrisk.inputs.request import Question, ask
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.sources import Source
from sqlrisk.plan import encoding
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.report.columns import Row
from sqlrisk.report.declared import UNIQUE, headlines, of_targets
from sqlrisk.report.formats.tabular import to_json
from sqlrisk.report.results.protection import Recoding

MANIFEST = "recode.manifest.json"
_SETTINGS = (*rows(Columns), *ASSESSED)  # the other settings are only about scores
Value = TypeVar("Value")


@dataclass(frozen=True)
class RecodeOrder:
    """An order to recode files: write the files of ``question`` under their ``names`` in
    ``folder``.

    ``plain`` is the question without recodes, to measure the risk before.
    """

    question: Question
    plain: Question
    folder: Path
    names: tuple[str, ...]

    @property
    def all_recoded(self) -> Question:
        """The question with every recoded column as a key, and without measures."""
        scenario = self.question.scenario
        asked = replace(scenario, keys=scenario.recoded, targets=(), bins={}, special={})
        return replace(self.question, scenario=asked, measures=())


def order(
    original: object,
    synthetic: object,
    folder: str,
    settings: Mapping[str, object],
    scenario_file: str | None,
) -> RecodeOrder:
    """Check the arguments of `sqlrisk.recode` as far as possible without reading the data, and make
    an order from them.

    Raises InputError with every problem.
    """
    shown = {measure.name: measure.shown for measure in catalog()}
    of_keys = [
        name
        for each in headlines(shown)
        if each.word == UNIQUE
        for name in (each.original, each.name)
    ]
    problems = ProblemList([] if folder else ["Name the folder to write to (-o FOLDER)."])
    waiting: tuple[str, ...] = ()
    with problems:
        found = ask(
            original, synthetic, {**settings, "measures": of_keys}, scenario_file=scenario_file
        )
        waiting = found.unread
        if not found.scenario.recoded and not waiting:
            problems.append(
                "column: no column is recoded; name a recode, as in --column age.bands=0,18,65."
            )
        names = release.names_of(found.sources, folder)
    problems.stop(waiting)
    # Coarser targets make guesses right more often, so add the baseline and what the original
    # itself would reveal.
    of_target = [
        name
        for each in of_targets(shown)
        for name in (each.original, each.name, each.baseline)
        if name
    ]
    measures = (*of_keys, *(of_target if found.scenario.targets else ()))
    scenario = read({**found.scenario.settings_of(_SETTINGS), "measures": measures})
    question = replace(
        found,
        scenario=scenario,
        original=kept(found.original),
        syntheses=tuple(replace(each, source=kept(each.source)) for each in found.syntheses),
        control=found.control and kept(found.control),
        measures=found.catalog.select(measures),
    )
    # Without its recode an age is a date, which has no bins.
    aged = [column for column, entry in scenario.column.items() if entry.age_at]
    plain = replace(
        scenario,
        bins=_without(scenario.bins, aged),
        special=_without(scenario.special, aged),
        column={name: each.as_read for name, each in scenario.column.items() if each.as_read},
    )
    return RecodeOrder(question, replace(question, scenario=plain), Path(folder), tuple(names))


def _without(said: Mapping[str, Value], columns: Sequence[str]) -> dict[str, Value]:
    """Return a setting without the entries of these columns."""
    return {column: value for column, value in said.items() if column not in columns}


def recode(
    wanted: RecodeOrder, open_session: SessionOpener, options: Mapping[str, Any]
) -> Recoding:
    """Write the recoded files and a manifest to the folder, all or none. Score the files before and
    after.

    The manifest records ``options`` of the run. Raises InputError as ``release.new_folder``, and
    for problems that only the data show.
    """
    names, read = (*wanted.names, MANIFEST), wanted.question.paths
    with release.new_folder(wanted.folder, names, read) as (*paths, manifest):
        trail = audit.watch([wanted.question], options)
        with open_session() as session:  # first, since it finds the problems of the question
            problems = _lacking(wanted.question, session.engine)
            asked = replace(wanted.question, unread=(*wanted.question.unread, *problems))
            after = replace(scoring.score(asked, session, log=trail.log), trail=trail.end())
        with open_session() as session:
            before = scoring.score(wanted.plain, session)
        with open_session() as session:
            records, not_kept = _write(wanted, paths, session)
            left_out = release.left_out(wanted.question.sources, session.engine)
        Path(manifest).write_text(
            to_json({**after.manifest(), "written": list(wanted.names)}), encoding="utf-8"
        )
    return Recoding(
        assessment=after.assessment,
        folder=str(wanted.folder),
        files=[
            {"source": source.label, "output": name, "records": count}
            for source, name, count in zip(
                wanted.question.sources, wanted.names, records, strict=True
            )
        ],
        scenario=wanted.question.scenario.settings(),
        before=before.results,
        after=after.results,
        not_kept=[
            {"file": name, **row}
            for name, rows in zip(wanted.names, not_kept, strict=True)
            for row in rows
        ],
        left_out=left_out,
        labels=after.labels,
    )


def _lacking(question: Question, engine: Engine) -> list[str]:
    """Return messages about recoded columns, besides keys and targets, that only some files
    have.
    """
    scenario, columns = question.scenario, [engine.columns(each) for each in question.sources]
    return [
        f"column.{name}: {source.name} has no column {name!r}; recode columns that all files have."
        for name in scenario.recoded
        if name not in (*scenario.keys, *scenario.targets)
        and any(name in known for known in columns)
        for source, known in zip(question.sources, columns, strict=True)
        if name not in known
    ]


def _write(
    wanted: RecodeOrder, paths: Sequence[str], session: Session
) -> tuple[list[int], list[list[Row]]]:
    """Write the recoded files. Returns the number of records of each file, and the properties of
    columns that the written file cannot hold.
    """
    for path in paths:
        session.output(path)
    scenario = wanted.question.scenario
    sources = wanted.question.sources
    asked: list[AttachArguments] = []
    for number, source in enumerate(sources):
        every = list(session.engine.columns(source))
        missing_of = tuple((name, tuple(scenario.missing_in(name))) for name in scenario.recoded)
        # All other texts are written unchanged.
        kept = frozenset(every).difference(scenario.recoded)
        own = replace(source.as_texts, missing_of=missing_of, as_stored=kept)
        asked.append((own, every, f"recoded_{number}", {"numbered": True}))
    by_label = [name for name, entry in scenario.column.items() if entry.codes]
    held = open_files(asked, session.engine, by_label)
    opened = [
        (source, list(each[1]), attached)
        for source, each, attached in zip(sources, asked, held, strict=True)
    ]
    books = [
        release.codebook(own, types, session.engine, scenario.recoded)
        for (own, *_), (_, types, _) in zip(asked, held, strict=True)
    ]
    not_kept = [
        release.not_kept(book, own, names, release.form_of(own), session.engine, scenario.recoded)
        for book, (own, names, *_) in zip(books, asked, strict=True)
    ]
    (layout,) = lay_out({"": wanted.all_recoded}, session.engine, every_target=False)
    session.create(encoding.dictionaries(layout))
    ProblemList(missing_levels(layout, session)).stop()
    levels = {column: shown_levels(column, session) for column in layout.keys}
    for path, name, book, (source, names, (relation, types, record)) in zip(
        paths, wanted.names, books, opened, strict=True
    ):
        if source.kind == "csv" and (mark := source.csv.decimal) != ".":
            (kinds,) = session.fetch(duckdb_csv.types(relation, scenario.recoded, mark))
            for column, kind in zip(scenario.recoded, kinds, strict=True):
                if kind == "DOUBLE":  # its levels replace its texts
                    session.fetch(duckdb_csv.with_points(relation, column, mark))
        # A CSV file is text until its types are settled.
        file = File(0, relation, dict.fromkeys(names, "VARCHAR") if source.kind == "csv" else types)
        columns = [
            _written(place, each, levels, file, scenario)
            for place, each in enumerate(names, start=1)
        ]
        recoded = [each for each in columns if each["levels"]]
        shown = recoded if ending_of(source) else columns
        sql = templates.stage(
            "tables/recoded.sql", columns=shown, recoded=recoded, relation=relation, record=record
        )
        if ending_of(source):
            _copy(source, path, len(names), sql, recoded, session)
            continue
        release.export(sql, path, name, release.form_of(source), source, book, session)
    ((counts),) = session.fetch(
        f"SELECT {', '.join(file.count for file in layout.files)} FROM files"
    )
    return [int(count) for count in counts], not_kept


def _copy(
    source: Source,
    path: str,
    width: int,
    sql: str,
    recoded: Sequence[Mapping[str, object]],
    session: Session,
) -> None:
    """Write a recoded file in its own format (SPSS, Stata). The file has ``width`` columns.

    ``sql`` is the query of the recoded columns, which ``recoded`` describes, see `_written`. They
    become numbers from 1 in the order of their levels, with the levels as labels. Ages stay
    numbers.
    """
    import pyarrow.parquet as pq

    levels = session.private_file(f"recoded_{Path(path).name}.parquet")
    session.export("writing", sql, levels, "parquet")
    table = pq.read_table(levels)
    release.require_memory(source, width, table.num_rows, session)
    new = {}
    for name, values, column in zip(table.column_names, table.columns, recoded, strict=True):
        if not column["numbers"]:
            rows = session.fetch(
                f"SELECT level FROM ({column['labels']}) AS labels WHERE level IS NOT NULL ORDER "
                "BY code"
            )
            codes = {
                level: code
                for code, level in enumerate(dict.fromkeys(level for (level,) in rows), start=1)
            }
            new[name] = NewColumn(
                [codes.get(each) for each in values.to_pylist()],
                {code: level for level, code in codes.items()},
            )
        else:
            new[name] = NewColumn(values.to_pandas())
    copy(source, path, new=new)


def _written(
    place: int, name: str, shown: Mapping[Column, str], file: File, scenario: Scenario
) -> dict[str, object]:
    """Describe the SQL that writes a column: unchanged, or with the level of each value.

    ``place`` is the column's position in the file, from 1. ``shown`` maps recoded columns to the
    queries of their levels. Levels are text, except ages.
    """
    quoted = templates.quote(name)
    column = next((each for each in shown if each.name == name), None)
    if column is None or name not in scenario.recoded or column.recode is None:
        return {
            "name": quoted,
            "place": f"c{place}",
            "value": quoted,
            "shown": f"source.c{place}",
            "levels": None,
        }
    levels = table("levels", column)
    level, aged = f"{levels}.level", column.recode.stages == ("aged",)
    return {
        "name": quoted,
        "place": f"c{place}",
        "value": column.value_in(file),
        "shown": f"CAST({level} AS INTEGER)" if aged else level,
        "levels": levels,
        "numbers": aged,
        "labels": shown[column],
    }
