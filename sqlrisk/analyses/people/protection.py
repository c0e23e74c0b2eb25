"""Protection of a file: the records that single people out are left out or flagged; the measures before and after."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from sqlrisk.analyses import result_rows
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine, Opener
from sqlrisk.inputs.request import Question, ask
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.sources import Source, Synthesis, partitions, read_header
from sqlrisk.plan import comparisons, totals
from sqlrisk.plan.class_key import Pass
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.protection import Protection

SIDES = ("synthetic", "original")
FORMS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".csv.gz": "csv"}
# By side: the measure whose risky classes are singled out, the flag's name, what is measured, and of targets.
_SINGLES = {"synthetic": "repU", "original": "UiO"}
_FLAGS = {"synthetic": "replicated_unique", "original": "unique"}
_MEASURES = {"synthetic": ("UiO", "UiOiS", "repU"), "original": ("UiO",)}
_OF_TARGETS = {"synthetic": ("DiSCO", "DCAP"), "original": ("Dorig",)}
# Other settings say who is counted apart from everybody, or what is looked up besides.
_SETTINGS = (
    *("keys", "targets", "bins", "special"),
    *("exclude_level", "exclude_missing", "exclude_pair", "max_cell", "max_cell_syn"),
)
_LABEL = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^"=][^=]*))=(?P<text>.*)', re.DOTALL)


@dataclass(frozen=True)
class Order:
    """What is to be written: ``side``, the file that is protected, and the columns to add (None: none).

    ``path`` is the output as the user named it; ``flag``: all records stay, this column marks those singled out.
    """

    side: str
    question: Question
    source: Source
    path: str
    form: str
    flag: str | None
    label: tuple[str, str] | None


def order(
    synthetic: object,
    original: object,
    path: str,
    settings: Mapping[str, object],
    *,
    side: str,
    flag: bool | str,
    label: object,
    scenario_file: str | None,
) -> Order:
    """What the user asks for, checked as far as the files' names allow.

    Raises:
        InputError: with every problem.
    """
    from sqlrisk.analyses.people.parquet_copy import held

    if side not in SIDES:
        raise InputError(f"side: {side!r} is none of {', '.join(SIDES)}{suggestion(side, SIDES)}.")
    problems: list[str] = []
    if side == "original":
        if synthetic is not None:
            problems.append("With side original only the original is read: leave the synthetic file out.")
        if original is None and scenario_file is not None:
            original = read_file(scenario_file).get("original")
        synthetic = original  # stands in for the file that is not needed
    form = next((form for suffix, form in FORMS.items() if path.lower().endswith(suffix)), "")
    if not path:
        problems.append("Name the file to write (-o FILE).")
    elif not form:
        problems.append(f"The output {path!r} is neither Parquet nor CSV by its name; known endings: {', '.join(FORMS)}.")
    added: tuple[str, str] | None = None
    try:
        added = None if label is None else _read_label(label)
    except InputError as error:
        problems += error.problems
    measures = _MEASURES[side]
    try:
        asked = ask(original, synthetic, {**settings, "measures": list(measures)}, scenario_file=scenario_file)
        if len(asked.syntheses) > 1:
            problems.append(f"One synthetic file is protected at a time; here are {len(asked.syntheses)}.")
    except InputError as error:
        raise InputError(list(dict.fromkeys([*problems, *error.problems]))) from None
    if problems:
        raise InputError(problems)
    if asked.scenario.targets:
        measures += _OF_TARGETS[side]
    scenario = read({**asked.scenario.settings_of(_SETTINGS), "measures": list(measures)})
    source = held(asked.original if side == "original" else asked.syntheses[0].source)
    question = replace(
        _about(asked, side, source), scenario=scenario, measures=catalog().select(measures), catalog=catalog(), control=None
    )
    return Order(side, question, source, path, form, (_FLAGS[side] if flag is True else flag) or None, added)


def protect(
    wanted: Order,
    open_engine: Opener,
    path: str,
    progress: Progress | None = None,
    trace: Tracer | None = None,
) -> Protection:
    """Write the protected file to ``path``, which stands in for the one that the user named, and score it.

    Raises:
        InputError: what only the data shows to be wrong.
        EngineError: the database failed, or the file cannot be written.
    """
    with open_engine() as engine:
        engine.output(path)
        names = _column_names(wanted.source, engine)
        _check_added(wanted, names)
        door = Door(engine, progress, trace)
        # An Arrow copy keeps types that the engine has not; text is the engine's.
        as_it_is = wanted.form == "parquet" and wanted.source.kind != "csv"
        relation, types, record = "", dict[str, str](), None
        if not as_it_is or wanted.source.kind == "parquet":
            relation, kinds, record = engine.attach(wanted.source, names, "protected", numbered=not as_it_is)
            types = dict(kinds)
            if wanted.source.kind == "csv":
                types |= _text_in_original(wanted, names, engine)
        layout = encode(wanted.question, engine, door, numbered=True, every_target=False)
        layout = _alone(layout)
        passes = record_all(layout, engine, door)
        door.make(chain(_singling_out(layout, wanted, passes), totals.collect(layout)))
        before = result_rows.results(wanted.question, layout, door)
        records = layout.records[0 if wanted.side == "original" else 1]
        ((found,),) = door.ask("SELECT COUNT(*) FROM singled_out")
        if as_it_is:
            _copy(wanted, path, types, records, door, progress)
        else:
            types |= layout.files[0 if wanted.side == "original" else 1].types
            delimiter = read_header(wanted.source.paths[0], wanted.source).delimiter if wanted.source.kind == "csv" else ","
            query = _query(wanted, names, types, relation, str(record))
            compressed = wanted.path.lower().endswith(".gz")
            door.export("writing", query, path, wanted.form, delimiter=delimiter, compressed=compressed)
        after, found = None, int(found)
        if not wanted.flag and found < records:
            again = path
            if wanted.form == "csv" and wanted.source.kind != "csv":  # text in place of types cannot always meet the original
                again = engine.scratch("written.parquet")
                door.export("writing", _query(wanted, _asked(layout), {}, relation, str(record)), again, "parquet")
            door.clear()  # two sessions share the memory
            form = wanted.form if again == path else "parquet"
            written = Source(wanted.path, form, (again,), role=wanted.source.role)
            after = _measured(_about(wanted.question, wanted.side, written), open_engine, progress, trace)
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


def _text_in_original(wanted: Order, names: Sequence[str], engine: Engine) -> dict[str, str]:
    """Columns that are text in a Parquet original stay text, whatever they look like."""
    original = wanted.question.original
    if original.kind != "parquet":
        return {}
    both = [name for name in engine.columns(original) if name in names]
    _, types, _ = engine.attach(original, both, "original_types")
    return {name: "VARCHAR" for name, kind in types.items() if kind == "VARCHAR" or kind.startswith("ENUM")}


def _asked(layout: Layout) -> list[str]:
    """The columns that the measures are about."""
    return [column.name for column in layout.columns]


def _about(question: Question, side: str, source: Source) -> Question:
    """The same question of another file on the side that is protected."""
    if side == "original":
        return replace(question, original=source, syntheses=())
    return replace(question, syntheses=(Synthesis("", 1, source),))


def _alone(layout: Layout) -> Layout:
    """An original without syntheses is compared with itself: only what it says of itself is asked."""
    if layout.comparisons:
        return layout
    people = layout.files[0]
    return replace(layout, comparisons=(Comparison(1, "1", "", (people,), True, people),))


def _measured(question: Question, open_engine: Opener, progress: Progress | None, trace: Tracer | None) -> result_rows.Rows:
    """The measures of the written file."""
    with open_engine() as engine:
        door = Door(engine, progress, trace)
        layout = _alone(encode(question, engine, door, every_target=False))
        door.make(chain(totals.measure(layout, record_all(layout, engine, door)), totals.collect(layout)))
        return result_rows.results(question, layout, door)


def _singling_out(layout: Layout, wanted: Order, passes: Sequence[Pass]) -> Iterator[Step]:
    """The steps of the measures, and of each pass the records that its classes single out."""
    comparison = layout.comparisons[0]
    sql = templates.stage(
        "stages/people/singled_out.sql",
        compared=comparisons.compared_classes(layout, comparison),
        limbs=layout.limbs,
        records="records",
        file=comparison.people if wanted.side == "original" else comparison.members[0],
        risky=templates.risky(wanted.question.catalog[_SINGLES[wanted.side]]),
    )
    for step in totals.measure(layout, passes):
        yield step
        if step.table == "classes":
            yield Step("records", "singled_out", sql)


def _query(wanted: Order, names: Iterable[str], types: Mapping[str, str], relation: str, record: str) -> str:
    """The query of the protected file. A CSV file's columns stay text in a CSV file, and have their types in a Parquet one."""
    typed = wanted.form == "parquet"
    columns = [
        {
            "name": templates.quote(name),
            "value": f"CAST({templates.quote(name)} AS {types[name]})"
            if typed and types[name] not in ("VARCHAR", '"NULL"')
            else templates.quote(name),
        }
        for name in names
    ]
    return templates.stage(
        "tables/protected.sql",
        columns=columns,
        relation=relation,
        record=record,
        singled_out="singled_out",
        flag=wanted.flag and templates.quote(wanted.flag),
        label=wanted.label and {"name": templates.quote(wanted.label[0]), "text": templates.literal(wanted.label[1])},
    )


def _copy(wanted: Order, path: str, types: Mapping[str, str], records: int, door: Door, progress: Progress | None) -> None:
    """Copy the file in its own types; the numbers to leave out come from the engine piece by piece, in their order."""
    from sqlrisk.analyses.people.parquet_copy import copy

    door.make([Step("records", "left_out", "SELECT record FROM singled_out ORDER BY record")])

    def left_out(first: int, last: int) -> list[int]:
        return [
            int(number) for (number,) in door.ask(f"SELECT record FROM left_out WHERE record >= {first} AND record <= {last}")
        ]

    def show(read: int) -> None:
        if progress is not None:
            progress("writing", 1, 1, min(read / records, 1.0))

    read = copy(
        wanted.source, path, left_out, folder_types=types, flag=wanted.flag, label=wanted.label, progress=show
    )  # fmt: skip
    if read != records:
        raise EngineError(f"{wanted.source.name} changed during the run: run again.")


def _column_names(source: Source, engine: Engine) -> list[str]:
    """All columns of a source, whose parts must have the same ones: each is part of the one file that is written."""
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
    problems = []
    for setting, name in (("flag", wanted.flag), ("label", wanted.label and wanted.label[0])):
        if name is None:
            continue
        if name.casefold() in known:
            problems.append(
                f"{setting}: {wanted.source.name} has a column {known[name.casefold()]!r} already; choose another name."
            )
        known.setdefault(name.casefold(), name)
    if problems:
        raise InputError(problems)


def _read_label(given: object) -> tuple[str, str]:
    """(column, text) of ``COLUMN=TEXT`` or of a mapping with one column."""
    if isinstance(given, str) and (match := _LABEL.fullmatch(given)):
        return (match["plain"] or match["quoted"].replace('""', '"')), match["text"]
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, text),) = given.items()
        if isinstance(name, str) and name and isinstance(text, str):
            return name, text
    raise InputError(f"label: {given!r} is not COLUMN=TEXT, as in origin=synthetic.")


def inputs(wanted: Order) -> list[str]:
    """The files that the output must not be. Raises InputError for an output among the parts of an input."""
    sources = (wanted.question.original, *(each.source for each in wanted.question.syntheses))
    output = Path(wanted.path).resolve()
    for source in sources:
        with suppress(OSError):
            if source.paths and Path(source.label).is_dir() and Path(source.label).resolve() in output.parents:
                raise InputError(f"The output {wanted.path!r} would be a part of {source.name}; choose another folder.")
    return [path for source in sources for path in source.paths]
