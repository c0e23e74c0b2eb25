"""The special uniques of one file: from the question to a summary, and to a score for each of its records."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from os import PathLike, fspath

from sqlrisk.analyses.preparation.files import lay_out_file, with_class_key
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import templates
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import format_of, replacing
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs.scenario import WORK_LIMIT, Scenario, read
from sqlrisk.inputs.sources import Source, read_source
from sqlrisk.plan import encoding, minimal_uniques, pass_tables
from sqlrisk.plan.columns import File, table
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.minimal_uniques import Search, Tables
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.uniques import Uniques

Rows = tuple[str, str]  # a file to write rows to, and its form
FORMS = ("parquet", "csv")
TABLES = Tables()


@dataclass(frozen=True)
class Question:
    """What is asked of which file. ``scenario`` holds the keys; ``missing`` are values (as text) that stand for a missing one."""

    source: Source
    scenario: Scenario
    search: Search
    missing: tuple[str, ...]
    work_limit: int


def ask(
    file: object,
    settings: Mapping[str, object],
    *,
    missing_value: object = None,
    max_size: object = None,
    sampling_fraction: object = None,
    scoring: object = None,
    work_limit: object = None,
    tables: bool = False,
) -> Question:
    """A question from what the user gave; None is the default. With ``tables`` a source that is no file is a table.

    Raises:
        InputError: with every problem that can be seen without the data.
    """
    problems: list[str] = []
    scenario = Scenario()
    try:
        scenario = read(settings)
        problems += _key_problems(scenario)
    except InputError as error:
        problems += error.problems
    source = Source("", "parquet")
    try:
        if file is None:
            raise InputError("Name the file.")
        source = read_source(file, "the file", tables=tables)
    except InputError as error:
        problems += error.problems
    missing: tuple[str, ...] = ()
    size = None if max_size is None else whole(max_size)
    if max_size is not None and not size:
        problems.append(f"max_size: expected a whole number of keys, 1 or more; got {max_size!r}.")
    fraction = minimal_uniques.FRACTION if sampling_fraction is None else _fraction(sampling_fraction)
    if fraction is None:
        problems.append(
            "sampling_fraction: expected the share of the population that is in the file, over 0 and up to 1; "
            f"got {sampling_fraction!r}."
        )
    chosen = minimal_uniques.SCORINGS[0] if scoring is None else str(scoring)
    if chosen not in minimal_uniques.SCORINGS:
        near = suggestion(chosen, minimal_uniques.SCORINGS)
        problems.append(f"scoring: there is no scoring {chosen!r}{near}; it is {' or '.join(minimal_uniques.SCORINGS)}.")
    limit = WORK_LIMIT if work_limit is None else whole(work_limit)
    if not limit:
        problems.append(f"work_limit: expected a whole number of class visits, 1 or more; got {work_limit!r}.")
    try:
        missing = _texts(missing_value)
    except InputError as error:
        problems += error.problems
    if problems or fraction is None or not limit:
        raise InputError(list(dict.fromkeys(problems)))
    question = Question(source, scenario, Search(size, fraction, chosen), missing, limit)
    _refuse_work(question, 0)
    return question


@contextmanager
def rows_to(output: str | PathLike[str] | None, question: Question) -> Iterator[Rows | None]:
    """Yield the file that rows go to, readable by its owner alone, and its form; None where rows are not asked for.

    Raises:
        InputError: an output that cannot be written or is the input itself, or that is neither Parquet nor CSV.
    """
    if output is None:
        yield None
        return
    path = fspath(output)
    form = format_of(path)
    if form not in FORMS:
        raise InputError(f"The output {path!r} is {form} by its suffix; rows are written as .parquet or .csv.")
    with replacing(path, question.source.paths, private=True) as file:
        yield file.name, form


def find(
    question: Question,
    engine: Engine,
    *,
    rows: Rows | None = None,
    progress: Progress | None = None,
    trace: Tracer | None = None,
) -> Uniques:
    """Find the special uniques of a file, and write a row for each record where rows are wanted.

    Raises:
        InputError: what only the data shows to be wrong, or more work than the limit.
        EngineError: the database failed.
    """
    door = Door(engine, progress, trace)
    if rows is not None:
        engine.output(rows[0])
    layout = lay_out_file(question.source, question.scenario, question.missing, engine)
    door.make(encoding.encode(layout))
    layout = with_class_key(layout, door.ask, [question.source])
    limbs, records = layout.limbs, layout.records[0]
    width = 12 + 8 * len(limbs)
    numbered = encoding.record(layout, temporary=engine.fits(records * width))
    door.make([*numbered, pass_tables.classes(layout)])
    ((classes, uniques, paired, dis),) = door.ask(minimal_uniques.counts(TABLES, question.search))
    _refuse_work(question, int(classes))
    search = replace(question.search, missing=_keys_with_missing(layout, door))
    door.make(
        [
            *minimal_uniques.score_steps(limbs, TABLES, search),
            minimal_uniques.dis_step(limbs, TABLES, search),
            minimal_uniques.special_step(limbs, TABLES),
        ]
    )
    if rows is not None:
        door.export("writing", minimal_uniques.record_scores(limbs, TABLES), *rows)
    scores = door.ask(f"SELECT suda_score, n_records, dis_suda FROM {TABLES.dis_suda} ORDER BY points DESC")
    ((special, lowest),) = door.ask(f"SELECT COUNT(*), MIN(suda_score) FROM {TABLES.special}")
    (shares,) = door.ask(minimal_uniques.key_shares(limbs, TABLES))
    return Uniques(
        source=question.source.label,
        records=records,
        classes=int(classes),
        uniques=int(uniques),
        paired=int(paired),
        dis=dis,
        special=int(special),
        special_from=lowest,
        settings=_settings(question),
        sizes=[
            {"keys": int(size), "minimal_uniques": int(sets), "records": int(count)}
            for size, sets, count in sorted(door.ask(minimal_uniques.set_sizes(TABLES)))
        ],
        scores=[{"suda_score": score, "records": int(count), "dis_suda": risk} for score, count, risk in scores],
        contributions=[{"key": part.column.name, "percent": share} for part, share in zip(layout.parts, shares, strict=True)],
    )


def population_steps(layout: Layout) -> Iterator[Step]:
    """The steps that find the special uniques of each file of people, where they are one of the populations."""
    if not any(population.kind == "special" for population in layout.populations):
        return
    for file in layout.people_files:
        yield from _search(layout, file)
        yield minimal_uniques.special_step(layout.limbs, _tables(file))


def score_steps(layout: Layout, file: File) -> Iterator[Step]:
    """The steps that score the people of a file, inside another run."""
    yield from _search(layout, file)
    yield minimal_uniques.dis_step(layout.limbs, _tables(file), Search())


def record_scores(layout: Layout, file: File, records: str) -> str:
    """The query of the scores of each of these records, in any order."""
    return minimal_uniques.record_scores(layout.limbs, _tables(file), records, ordered=False)


def _search(layout: Layout, file: File) -> Iterator[Step]:
    class_key = ", ".join(limb.name for limb in layout.limbs)
    sql = templates.stage("uniques/own_classes.sql", class_key=class_key, records="records", file=file)
    yield Step("special uniques", _tables(file).classes, sql)
    yield from minimal_uniques.score_steps(layout.limbs, _tables(file), Search())


def _tables(file: File) -> Tables:
    return Tables(classes=f"classes_of_{file.number}", count="n_records", suffix=f"_{file.number}")


def refuse_work(layout: Layout, classes: int) -> None:
    """Refuse to look for the special uniques of too many classes. Raises InputError."""
    keys = len(layout.keys)
    work = minimal_uniques.work(keys, keys, classes)
    limit = layout.scenario.work_limit
    if work > limit:
        raise InputError(
            f"Finding the special uniques of {keys} keys takes about {work:,} class visits; the limit is "
            f"{limit:,}. Name fewer keys, leave special uniques out, or raise --work-limit."
        )


def _refuse_work(question: Question, classes: int) -> None:
    """Refuse more class visits than the limit, with the estimate and the way out. Raises InputError."""
    keys = len(question.scenario.keys)
    size = minimal_uniques.largest(keys, question.search)
    work = minimal_uniques.work(keys, size, classes)
    if work <= question.work_limit:
        return
    most = minimal_uniques.most_keys(keys, classes, question.work_limit)
    way = f"--max-size {most} stays within it" if most else "name fewer keys"
    sets = work // max(classes, minimal_uniques.LEAST_WORK)
    raise InputError(
        f"Looking at {sets:,} sets of up to {size} of the {keys} keys takes about {work:,} class visits; the limit is "
        f"{question.work_limit:,}: {way}, or raise --work-limit."
    )


def _keys_with_missing(layout: Layout, door: Door) -> tuple[str, ...]:
    """The keys that have missing values; only those have to be looked at for them."""
    counts = ", ".join(f"(SELECT COUNT(*) FROM {table('levels', key)} WHERE code = 0)" for key in layout.keys)
    (found,) = door.ask(f"SELECT {counts}")
    return tuple(key.name for key, count in zip(layout.keys, found, strict=True) if count)


def _settings(question: Question) -> dict[str, object]:
    """Every setting as plain values, defaults included."""
    given = question.scenario.settings()
    return {
        **{name: given[name] for name in ("keys", "bins", "special")},
        "missing_value": list(question.missing),
        "max_size": question.search.max_size,
        "sampling_fraction": question.search.sampling_fraction,
        "scoring": question.search.scoring,
        "work_limit": question.work_limit,
    }


def _key_problems(scenario: Scenario) -> list[str]:
    if not scenario.keys:
        return ["Name the columns that an intruder may know: --keys a,b,c (keys=[...])."]
    return [
        f"{name}: {column!r} is no key{suggestion(column, scenario.keys)}."
        for name in ("bins", "special")
        for column in getattr(scenario, name)
        if column not in scenario.keys
    ]


def _texts(value: object) -> tuple[str, ...]:
    """Values as text; they are read in the type of each key later."""
    several = value if isinstance(value, Sequence) and not isinstance(value, str) else () if value is None else (value,)
    if not all(isinstance(each, str | int | float) for each in several):
        raise InputError("missing_value: expected a value, or a list of values; a value that is missing already needs none.")
    return tuple(dict.fromkeys(str(each).lower() if isinstance(each, bool) else str(each) for each in several))


def whole(value: object) -> int | None:
    """A whole number that is not negative, also as text; else None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return int(value) if re.fullmatch(r"\s*\d{1,18}\s*", str(value)) else None


def _fraction(value: object) -> float | None:
    """A number over 0 and up to 1, also as text; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) and 0 < number <= 1 else None
