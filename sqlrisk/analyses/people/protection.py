"""Protection of a file: the records that single people out are left out or flagged; the measures before and after."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sqlrisk.analyses import result_rows
from sqlrisk.analyses.people.protection_request import Order, about
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.session import Opener, Session
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import EngineError, InputError, ProblemList
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.sources import Source, partitions, read_header
from sqlrisk.plan import comparisons, totals
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.protection import Protection

# By side: the measure whose risky classes are singled out.
_SINGLES = {"synthetic": "repU", "original": "UiO"}


@dataclass(frozen=True)
class _Opened:
    """The file to protect: all its columns, what FROM reads, their types, and the record's number where the engine writes it."""

    names: list[str]
    relation: str
    types: Mapping[str, str]
    record: str | None


def protect(wanted: Order, open_session: Opener, path: str) -> Protection:
    """Write the protected file to ``path``, which stands in for the one that the user named, and score it.

    Raises InputError for what only the data shows to be wrong, and EngineError.
    """
    with open_session() as session:
        session.output(path)
        opened = _opened(wanted, session.engine)
        layout = _alone(encode(wanted.question, session, numbered=True, every_target=False))
        passes = record_all(layout, session)
        session.create(chain(_singling_out(layout, wanted, passes), totals.collect(layout)))
        before = result_rows.results(wanted.question, layout, session)
        records = layout.records[wanted.number]
        found = session.number("SELECT COUNT(*) FROM singled_out")
        if wanted.keeps_types:
            _copy(wanted, path, opened.types, records, session)
        else:
            _export(wanted, path, opened, layout, session)
        after = None
        if not wanted.flag and found < records:
            written = _written(wanted, path, opened, layout, session)
            session.clear()  # two sessions share the memory
            after = _measured(about(wanted.question, wanted.side, written), open_session)
    return Protection(
        side=wanted.side,
        source=wanted.source.label,
        output=wanted.path,
        records=records,
        singled_out=found,
        flag=wanted.flag,
        label=wanted.label,
        scenario=wanted.question.scenario.settings(),
        before=before,
        after=after,
    )


def _opened(wanted: Order, engine: Engine) -> _Opened:
    """Open the file to protect with all its columns. Raises InputError for a column to add that it has already."""
    names = _column_names(wanted.source, engine)
    _check_added(wanted, names)
    if wanted.keeps_types and wanted.source.kind != "parquet":
        return _Opened(names, "", {}, None)
    relation, types, record = engine.attach(wanted.source, names, "protected", numbered=not wanted.keeps_types)
    texts = _texts_of_original(wanted.question.original, names, engine) if wanted.source.kind == "csv" else {}
    return _Opened(names, relation, {**types, **texts}, record)


def _texts_of_original(original: Source, names: Sequence[str], engine: Engine) -> dict[str, str]:
    """Columns that are text in a Parquet original, and stay text whatever they look like."""
    if original.kind != "parquet":
        return {}
    both = [name for name in engine.columns(original) if name in names]
    _, types, _ = engine.attach(original, both, "original_types")
    return {name: "VARCHAR" for name, kind in types.items() if kind == "VARCHAR" or kind.startswith("ENUM")}


def _export(wanted: Order, path: str, opened: _Opened, layout: Layout, session: Session) -> None:
    """Write the file by the engine, a CSV file as it was separated."""
    source = wanted.source
    delimiter = read_header(source.paths[0], source).delimiter if source.kind == "csv" else ","
    query = _query(wanted, opened, opened.names, {**opened.types, **layout.files[wanted.number].types})
    compressed = wanted.path.lower().endswith(".gz")
    session.export("writing", query, path, wanted.form, delimiter=delimiter, compressed=compressed)


def _written(wanted: Order, path: str, opened: _Opened, layout: Layout, session: Session) -> Source:
    """Return the written file to measure, or another with its types: text in their place cannot always meet the original."""
    form = wanted.form
    if form == "csv" and wanted.source.kind != "csv":
        path, form = session.private_file("written.parquet"), "parquet"
        session.export("writing", _query(wanted, opened, [column.name for column in layout.columns], {}), path, form)
    return Source(wanted.path, form, (path,), role=wanted.source.role)


def _alone(layout: Layout) -> Layout:
    """Compare an original without syntheses with itself: only what it says of itself is asked."""
    if layout.comparisons:
        return layout
    people = layout.files[0]
    return replace(layout, comparisons=(Comparison(1, "1", "", (people,), True, people),))


def _measured(question: Question, open_session: Opener) -> result_rows.Rows:
    """Return the measures of the written file."""
    with open_session() as session:
        layout = _alone(encode(question, session, every_target=False))
        session.create(chain(totals.measure(layout, record_all(layout, session)), totals.collect(layout)))
        return result_rows.results(question, layout, session)


def _singling_out(layout: Layout, wanted: Order, passes: Sequence[KeyRange]) -> Iterator[Step]:
    """Yield the steps of the measures, and of each pass the records that its classes single out."""
    comparison = layout.comparisons[0]
    sql = templates.stage(
        "stages/people/singled_out.sql",
        compared=comparisons.compared_classes(layout, comparison),
        key_columns=layout.key_columns,
        records="records",
        file=comparison.people if wanted.side == "original" else comparison.members[0],
        risky=templates.risky(wanted.question.catalog[_SINGLES[wanted.side]]),
    )
    for step in totals.measure(layout, passes):
        yield step
        if step.table == "classes":
            yield Step("records", "singled_out", sql)


def _query(wanted: Order, opened: _Opened, names: Iterable[str], types: Mapping[str, str]) -> str:
    """The query of the protected file. A CSV file's columns stay text in a CSV file, and have their types in a Parquet one."""
    typed = wanted.form == "parquet"
    values = {templates.quote(name): types[name] if typed else "VARCHAR" for name in names}
    columns = [
        {"name": name, "value": name if kind in ("VARCHAR", '"NULL"') else f"CAST({name} AS {kind})"}
        for name, kind in values.items()
    ]
    return templates.stage(
        "tables/protected.sql",
        columns=columns,
        relation=opened.relation,
        record=opened.record,
        singled_out="singled_out",
        flag=wanted.flag and templates.quote(wanted.flag),
        label=wanted.label and {"name": templates.quote(wanted.label[0]), "text": templates.literal(wanted.label[1])},
    )


def _copy(wanted: Order, path: str, types: Mapping[str, str], records: int, session: Session) -> None:
    """Copy the file in its own types; the numbers to leave out come from the engine piece by piece, in their order."""
    from sqlrisk.analyses.people.parquet_copy import copy

    session.create([Step("records", "left_out", "SELECT record FROM singled_out ORDER BY record")])

    def left_out(first: int, last: int) -> list[int]:
        rows = session.fetch(f"SELECT record FROM left_out WHERE record >= {first} AND record <= {last}")
        return [int(number) for (number,) in rows]

    def show(read: int) -> None:
        session.show("writing", 1, 1, min(read / records, 1.0))

    read = copy(wanted.source, path, left_out, folder_types=types, flag=wanted.flag, label=wanted.label, progress=show)
    if read != records:
        raise EngineError(f"{wanted.source.name} changed during the run: run again.")


def _column_names(source: Source, engine: Engine) -> list[str]:
    """Return all columns of a source, whose parts must have the same ones: each is part of the one file that is written."""
    names = list(engine.columns(source))
    if len(source.paths) > 1:
        if source.kind == "csv":
            parts = [set(read_header(path, source).names) for path in source.paths]
        else:
            import pyarrow.parquet as pq

            parts = [{*pq.read_schema(path).names, *partitions(source)} for path in source.paths]
        if any(part != set(names) for part in parts):
            raise InputError(f"The parts of {source.name} have different columns; protect parts that have the same ones.")
    return names


def _check_added(wanted: Order, names: Iterable[str]) -> None:
    known = {name.casefold(): name for name in names}
    problems = ProblemList()
    for setting, name in (("flag", wanted.flag), ("label", wanted.label and wanted.label[0])):
        if name and name.casefold() in known:
            taken = known[name.casefold()]
            problems.append(f"{setting}: {wanted.source.name} has a column {taken!r} already; choose another name.")
        elif name:
            known[name.casefold()] = name
    problems.stop()
