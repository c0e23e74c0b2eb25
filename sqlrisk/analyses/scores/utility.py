"""Utility: compare tables of one, two or three columns of each synthesis with the corresponding
tables of the original.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import comb, prod
from typing import Unpack

import pyarrow as pa

from sqlrisk.analyses import limits, subsets
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import record_unpacked
from sqlrisk.analyses.preparation.files import lay_out, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import utility as catalogue
from sqlrisk.catalogue.utility import UtilityMeasure
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import datatypes, request
from sqlrisk.inputs.columns.dictionary import LEFT_OUT
from sqlrisk.inputs.fields import ONE_COLUMN, SETTINGS, CsvFiles, Recoded, rows
from sqlrisk.inputs.judging import tables_read
from sqlrisk.inputs.policy import Policy
from sqlrisk.inputs.readers import as_list, limit, whole
from sqlrisk.inputs.request import Question, Where
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.settings import read_names
from sqlrisk.plan import encoding, pass_tables
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Layout
from sqlrisk.plan.subsets import utility as plan
from sqlrisk.report.columns import Row
from sqlrisk.report.utility import ORIGINAL, STATISTICS, TOP, Utility, first_of

# Settings for turning values into levels. The others are about risk.
USED = (*rows(Recoded), *rows(CsvFiles))
WAYS = (1, 2, 3)  # possible numbers of columns of a table
GROUPS = 5
LIMIT = 20_000_000_000  # steps
LEAST_RECORDS = 100_000  # For fewer records the number of statements determines the cost.


@dataclass(frozen=True)
class Comparing:
    """A utility question: the tables to compare and the measures to compute.

    Attributes:
        columns: the columns named by the user. Empty for all that the files share.
        left_out: weights, ids, the split, and columns with the role identifier, weight or other.
            They are compared only if ``columns`` names them.
        ways: the numbers of columns of a table, from 1, 2 and 3.
        groups: the number of quantile bins for numeric columns without bins or recodes. 0 for none.
        complete: drop records with a missing value in a column of the table.
        sort: the measure that sorts the tables in the text output.
        top: the number of tables that the text output shows.
        work_limit: the maximum number of steps, one for each table and record.
    """

    question: Question
    columns: tuple[str, ...]
    left_out: tuple[str, ...]
    ways: tuple[int, ...]
    groups: int
    complete: bool
    measures: tuple[UtilityMeasure, ...]
    sort: str
    top: int
    work_limit: int


def ask(
    files: Sequence[object],
    settings: Mapping[str, object],
    *,
    columns: object = None,
    ways: object = None,
    groups: object = None,
    complete: bool = False,
    measures: object = None,
    sort: str | None = None,
    top: object = None,
    work_limit: object = None,
    policy: Policy | None = None,
    risks: Container[str] | None = None,
    **where: Unpack[Where],
) -> Comparing:
    """Return a utility question from the arguments of `sqlrisk.utility`. None stands for the
    default.

    ``files`` are the original and the syntheses. Measures that ``policy`` reads are added.
    ``risks`` are the names of risk measures, if risk is measured too. Raises InputError with every
    problem.
    """
    problems = ProblemList()
    scenario_file = where.pop("scenario_file", None)
    given, (original, synthetic, _) = request.with_file(
        settings, (*files, None), scenario_file, tables=where.get("tables", "")
    )
    own = {name: str(given[name]) for name in ONE_COLUMN if isinstance(given.get(name), str)}
    question: Question | None = None
    with problems:
        used = {name: value for name, value in given.items() if name in USED}
        used |= {"special": _special(given), "targets": ()}
        # The risk question may name files that this question does not read.
        unchecked = request.not_given(settings) if risks is None else [*rows(CsvFiles)]
        question = request.ask(
            original, synthetic, used, keyless=True, unchecked=unchecked, **where
        )
    named: tuple[str, ...] = ()
    with problems:
        named = () if columns is None else read_names(columns, "columns")
        problems += [
            f"columns: the column {name!r} is named twice."
            for name in dict.fromkeys(named)
            if named.count(name) > 1
        ]
    sizes: tuple[int, ...] = ()
    with problems:
        sizes = _ways(ways)
        if named and sizes[-1] > len(named):
            raise InputError(
                f"ways: a table of {sizes[-1]} columns needs more columns; columns names only "
                f"{len(named)}."
            )
    numbers: dict[str, int] = {}
    for name, value, default, unit, least in (
        ("groups", groups, GROUPS, "groups", 0),
        ("top", top, TOP, "tables", 0),
        ("work_limit", work_limit, LIMIT, "steps", 1),
    ):
        with problems:
            numbers[name] = default if value is None else limit(unit, least)(value, name)
    chosen: tuple[UtilityMeasure, ...] = ()
    with problems:
        chosen = catalogue.select(() if measures is None else read_names(measures, "measures"))
        if policy is not None and sizes:
            chosen = catalogue.select(
                [*(each.name for each in chosen), *tables_read(policy, sizes, risks)]
            )
    orders = [each.name for each in chosen]
    sort = sort and catalogue.spelled(sort)
    if sort is not None and chosen and sort not in orders:
        problems.append(
            f"sort: cannot sort by {sort!r}{suggestion(sort, orders)}; measured are "
            f"{', '.join(orders)}."
        )
    problems.stop(question.unread if question else ())
    if question is None:
        raise InputError(problems)
    roles = [name for name, entry in question.scenario.column.items() if entry.role in LEFT_OUT]
    return Comparing(
        replace(question, measures=()), named, (*own.values(), *roles), sizes, complete=complete,
        measures=chosen,
        sort=sort or first_of(orders), **numbers,
    )  # fmt: skip


def _special(given: Mapping[str, object]) -> Mapping[str, object]:
    """Return the special values, but not of columns with a tolerance and no bins, since tolerances
    are about risk.
    """
    special, bins, within = (
        SETTINGS[name].reader(given.get(name, {}), name) for name in ("special", "bins", "within")
    )
    return {
        column: values
        for column, values in special.items()
        if column in bins or column not in within
    }


def _ways(value: object) -> tuple[int, ...]:
    """Parse ``ways``: the sizes (in columns) of the tables to compare, in ascending order without
    repeats. The default is 1 and 2.
    """
    given = as_list(value)
    if given in (None, "", [], ()):
        return WAYS[:2]
    several = given.split(",") if isinstance(given, str) else given
    sizes = {whole(each) or 0 for each in (several if isinstance(several, Sequence) else [several])}
    if not sizes <= {*WAYS}:
        raise InputError(f"ways: a table has 1, 2 or 3 columns, as in 1,2; got {value!r}.")
    return tuple(sorted(sizes))


def compare(asked: Comparing, session: Session) -> Utility:
    """Count the tables and compute the measures.

    Raises InputError above the work limit, and for problems that only the data show, as in
    `sqlrisk.score`.
    """
    layout = _lay_out(asked, session.engine)
    session.create(encoding.dictionaries(layout))
    layout = with_class_key(layout, session)
    _require_work(asked, layout)
    tables = [chosen for size in asked.ways for chosen in combinations(layout.keys, size)]
    _load_names(tables, session)
    record_unpacked(layout, session)
    passes = _passes(layout, tables, session)
    for subset in subsets.each(
        layout, tables, session, [plan.COUNTS], in_passes=passes > 1, merges=passes == 1
    ):
        for key_range in subset.passes:
            if subset.superset is None:
                session.create([pass_tables.classes(subset.layout, key_range)])
            else:
                session.create([pass_tables.merged_classes(subset.layout, subset.superset)])
            session.create([plan.counted(subset.layout, subset.number, complete=asked.complete)])
    compared = _compared(layout)
    pools = {
        number: files for number, (_, files) in compared.items() if number >= len(layout.files)
    }
    session.create(plan.measured(asked.measures, pools))
    return _result(
        asked, layout, tables, {number: label for number, (label, _) in compared.items()}, session
    )


def _lay_out(asked: Comparing, engine: Engine) -> Layout:
    """Lay out the files with the compared columns as keys. Put numbers without bins or recodes into
    quantile bins.
    """
    question = asked.question
    scenario = read({**question.scenario.settings(), "keys": _columns(asked, engine)})
    (layout,) = lay_out({"": replace(question, scenario=scenario)}, engine, every_target=False)
    return replace(layout, keys=tuple(_grouped(key, asked.groups) for key in layout.keys))


def _columns(asked: Comparing, engine: Engine) -> tuple[str, ...]:
    """Return the columns to compare: the named ones, otherwise all that every file has, except
    ``left_out``.

    Raises InputError if a file lacks a named column, or if there are too few columns.
    """
    sources, scenario = asked.question.sources, asked.question.scenario
    engine.typed = [*asked.columns, *asked.left_out, *scenario.bins, *scenario.column]
    names = [[*engine.columns(source)] for source in sources]
    ProblemList(
        f"columns: {source.name} has no column {column!r}{suggestion(column, known)}."
        for column in asked.columns
        for source, known in zip(sources, names, strict=True)
        if column not in known
    ).stop()
    shared = (
        name
        for name in names[0]
        if name not in asked.left_out and all(name in known for known in names)
    )
    found = asked.columns or tuple(shared)
    if len(found) < asked.ways[-1]:
        raise InputError(
            f"ways: a table of {asked.ways[-1]} columns needs more columns; the files have "
            f"only {len(found)} in common."
        )
    return found


def _grouped(column: Column, groups: int) -> Column:
    """Return a numeric column with quantile bins, unless it has bins or recodes of its own."""
    plain = (
        not column.bins
        and column.recode is None
        and column.type is not None
        and datatypes.is_numeric(column.type)
    )
    return replace(column, bins=groups, order=()) if plain and groups else column


def _require_work(asked: Comparing, layout: Layout) -> None:
    """Raise InputError if comparing the tables takes more steps than the work limit."""
    records, columns = max(sum(layout.records), LEAST_RECORDS), len(layout.keys)
    tables = sum(comb(columns, size) for size in asked.ways)
    unit, way = "steps (one for each table and record)", "name fewer --columns, or fewer --ways"
    limits.require(
        asked.work_limit,
        tables * records,
        f"Comparing {tables:,} tables of {columns} columns",
        unit,
        way,
    )


def _passes(layout: Layout, tables: Sequence[Sequence[Column]], session: Session) -> int:
    """Return the number of passes in which to count the tables, from the one with the most possible
    cells.
    """
    records = sum(layout.records)
    most = max(prod(layout.part(key.name).size or 1 for key in chosen) for chosen in tables)
    return session.engine.passes(records, lambda: min(records, most), columns=len(layout.files) + 1)


def _load_names(tables: Sequence[Sequence[Column]], session: Session) -> None:
    """Load the numbers of the tables and of their columns as data, so that they are never part of
    SQL text.
    """
    sizes = [(number, len(chosen)) for number, chosen in enumerate(tables, start=1)]
    pairs = [
        (number, len(chosen), key.number)
        for number, chosen in enumerate(tables, start=1)
        for key in chosen
    ]
    for name, columns, every in (
        ("utility_tables", ("number", "ways"), sizes),
        ("utility_columns", ("number", "ways", "column_number"), pairs),
    ):
        arrays = {
            column: pa.array([row[place] for row in every], pa.int64())
            for place, column in enumerate(columns)
        }
        session.load(name, pa.table(arrays), "the tables of utility")


def _compared(layout: Layout) -> dict[int, tuple[str, tuple[File, ...]]]:
    """Return number -> (label, files) of all that is compared with the original: each synthesis,
    and the mean of each method with several syntheses.
    """
    found: dict[int, tuple[str, tuple[File, ...]]] = {}
    for place, method in enumerate(dict.fromkeys(each.method for each in layout.singles)):
        singles = [each for each in layout.singles if each.method == method]
        found |= {
            file.number: (each.label, each.members) for each in singles for file in each.members
        }
        if len(singles) > 1:
            found[len(layout.files) + place] = (
                f"{method} mean".strip(),
                tuple(file for each in singles for file in each.members),
            )
    return found


def _result(
    asked: Comparing,
    layout: Layout,
    tables: Sequence[Sequence[Column]],
    labels: Mapping[int, str],
    session: Session,
) -> Utility:
    """Read the numbers into a result, with the users' names instead of column and file numbers."""
    of_table, spread, of_column = _Numbers(asked), _Numbers(asked), _Numbers(asked)
    for measure, synthesis, number, value in session.fetch(
        f"SELECT measure, synthesis, table_number, value FROM {plan.RESULTS}"
    ):
        of_table.add(measure, (synthesis, number), value)
    for measure, synthesis, ways, *values in session.fetch(plan.summary()):
        for statistic, value in zip(STATISTICS, values, strict=True):
            spread.add(measure, (synthesis, ways, statistic), value)
    for measure, synthesis, ways, column, mean in session.fetch(plan.by_column()):
        of_column.add(measure, (synthesis, ways, column), mean)
    missing = {
        (int(column), int(file)): numbers
        for column, file, *numbers in session.fetch(plan.missing_shares(layout))
    }
    files = [(file.number, labels.get(file.number, ORIGINAL)) for file in layout.files]
    numbers = [key for key in layout.keys if _has_numbers(key)]
    every = labels.items()
    return Utility(
        labels=column_labels(
            layout.columns, layout.scenario, asked.question.sources, session.engine
        ),
        scenario={
            **layout.scenario.settings_of(USED),
            "columns": [key.name for key in layout.keys],
            "ways": list(asked.ways),
            "groups": asked.groups,
            "grouped": [
                key.name for key in layout.keys if key.bins and key.name not in layout.scenario.bins
            ],
            "complete": asked.complete,
            "work_limit": asked.work_limit,
        },
        original={"source": asked.question.original.label, "records": layout.records[0]},
        synthetic=[
            {"synthesis": each.label, "source": each.source.label, "records": count}
            for each, count in zip(asked.question.syntheses, layout.records[1:], strict=True)
        ],
        measures=[
            {name: getattr(each, name) for name in ("name", "title", "unit", "higher", "says")}
            for each in asked.measures
        ],
        tables=[
            {
                "columns": [key.name for key in chosen],
                "ways": len(chosen),
                "synthesis": label,
                **of_table.at(synthesis, number),
            }
            for number, chosen in enumerate(tables, start=1)
            for synthesis, label in every
        ],
        overall=[
            {
                "ways": ways,
                "synthesis": label,
                "statistic": statistic,
                **spread.at(synthesis, ways, statistic),
            }
            for ways, (synthesis, label), statistic in product(asked.ways, every, STATISTICS)
        ],
        by_column=[
            {
                "column": key.name,
                "ways": ways,
                "synthesis": label,
                **of_column.at(synthesis, ways, key.number),
            }
            for key, ways, (synthesis, label) in product(layout.keys, asked.ways, every)
        ],
        missing=[
            {"column": key.name, "file": label, "records": int(count), "percent": percent}
            for key, (file, label) in product(layout.keys, files)
            for count, percent in [missing[key.number, file]]
        ],
        quantiles=_quantiles(layout, numbers, files, session) if numbers else [],
        correlations=_correlations(layout, numbers, files, session) if asked.ways[-1] > 1 else [],
        sort=asked.sort,
        top=asked.top,
        engine=dict(session.engine.describe()),
    )


def _has_numbers(key: Column) -> bool:
    """Return True if a column's type is numeric, and no recode gives its groups names."""
    return (
        key.type is not None
        and datatypes.is_numeric(key.type)
        and not (key.recode and key.recode.named)
    )


def _quantiles(
    layout: Layout, numbers: Sequence[Column], files: Sequence[tuple[int, str]], session: Session
) -> list[Row]:
    """Read the quantiles of numeric columns in each file, and their differences from the
    original.
    """
    found = {
        tuple(map(int, place)): value
        for *place, value in session.fetch(plan.quantiles(layout, numbers))
    }
    return [
        {
            "column": key.name,
            "percent": percent,
            "file": label,
            "value": value,
            "difference": _apart(value, original),
        }
        for key, percent, (file, label) in product(numbers, plan.PERCENTS, files)
        for value, original in [
            (found.get((key.number, file, percent)), found.get((key.number, 0, percent)))
        ]
    ]


def _correlations(
    layout: Layout, numbers: Sequence[Column], files: Sequence[tuple[int, str]], session: Session
) -> list[Row]:
    """Read the correlation of each pair of numeric columns in each file, and its difference from
    the original.
    """
    found: dict[tuple[int, ...], tuple[int, float | None]] = {}
    for file, step, query in plan.correlations(layout, numbers):
        session.create([step])
        found |= {
            (int(one), int(other), file.number): (int(both), value)
            for one, other, both, value in session.fetch(query)
        }
    return [
        {
            "columns": [one.name, other.name],
            "file": label,
            "records": both,
            "value": value,
            "difference": _apart(value, original),
        }
        for (one, other), (file, label) in product(combinations(numbers, 2), files)
        for (both, value), (_, original) in [
            (found[one.number, other.number, file], found[one.number, other.number, 0])
        ]
    ]


def _apart(value: float | None, original: float | None) -> float | None:
    if value is None or original is None:
        return None
    return 0.0 if value == original else value - original  # two infinities have no difference


class _Numbers:
    """The numbers of all measures, by place: a table, summary or column. A number is None if the
    measure is undefined there.
    """

    def __init__(self, asked: Comparing) -> None:
        self._empty = {each.name: None for each in asked.measures}
        self._found: dict[tuple[object, ...], dict[str, float | None]] = {}

    def add(self, measure: object, place: Sequence[object], value: float | None) -> None:
        """Add one number of a measure. ``place`` says which table, summary or column it is about,
        such as (synthesis, table number).
        """
        self._found.setdefault(tuple(place), {})[str(measure)] = value

    def at(self, *place: object) -> dict[str, float | None]:
        """Return measure -> number for one table, summary or column."""
        return {**self._empty, **self._found.get(place, {})}
