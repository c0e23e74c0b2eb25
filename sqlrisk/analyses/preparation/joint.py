"""Several questions about the same files: the files are encoded once, and each question in turn
selects its columns from them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from sqlrisk.analyses.preparation.encoding import fits_in_memory
from sqlrisk.analyses.preparation.files import lay_out, missing_levels, with_class_key
from sqlrisk.analyses.session import Session
from sqlrisk.common.errors import Problems, while_scoring
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.settings import BASELINE
from sqlrisk.plan import encoding
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column
from sqlrisk.plan.counted_measures import own_sql
from sqlrisk.plan.layout import Layout, Population

Found = TypeVar("Found")


def encode(
    questions: Mapping[str, Question], session: Session, *, numbered: bool
) -> tuple[Layout, dict[str, Layout]]:
    """Make the dictionaries of all questions. Return a joint layout with its class key, and the
    layout of each question, which selects from the joint one.

    ``numbered`` is passed to `lay_out`. Raises the errors of `lay_out` and `with_class_key`.
    """
    together, layouts = joined(
        lay_out(questions, session.engine, numbered=numbered, whole_rows=True)
    )
    session.create(encoding.dictionaries(together))
    kept, problems = session.tables, Problems(questions)
    for name, layout in zip(questions, layouts, strict=True):
        if layout.scenario.intruder_prior == BASELINE:
            session.create(encoding.marginals(layout))  # hold the shares to check
        problems[name] += missing_levels(layout, session)
        session.clear(keep=kept)
    problems.stop()
    named = dict(zip(questions, layouts, strict=True))
    return with_class_key(together, session), named


def compares_alike(layouts: Mapping[str, Layout]) -> bool:
    """Return True if all questions compare whole rows in the same columns. A column may be compared
    in one question and not in another, because its role differs.
    """
    return len({layout.shared for layout in layouts.values()}) <= 1


def in_turn(
    questions: Mapping[str, Question],
    layouts: Mapping[str, Layout],
    together: Layout,
    session: Session,
    work: Callable[[str, Question, Layout], Found],
) -> dict[str, Found]:
    """Call ``work`` for each question in turn, and return its results by name.

    ``work`` gets the name, the question and its layout with a class key. The table ``records`` has
    this class key. Tables that ``work`` makes are dropped after each call. ``coded_records`` must
    exist (`record_unpacked`). Errors of ``work`` name the question.
    """
    kept = session.tables
    found: dict[str, Found] = {}
    for number, (name, question) in enumerate(questions.items(), start=1):
        session.turn = (name, number, len(questions))
        with while_scoring(name):
            own = projected(layouts[name], together)
            session.create(
                [
                    *encoding.marginals(own),
                    encoding.project(own, in_memory=fits_in_memory(own, session)),
                ]
            )
            session.engine.use_overrides(partial(own_sql, own.counts, question.measures_from))
            found[name] = work(name, question, own)
            session.clear(keep=kept)
    session.turn = None
    return found


def joined(layouts: list[Layout]) -> tuple[Layout, list[Layout]]:
    """Return a joint layout of several, and the layouts that select from it. The joint layout has
    every column as a key and every population, each once.

    A column has several dictionaries if scenarios bin it differently or give it different
    tolerances. With a universe, targets stay targets, because a universe has only the keys. If one
    layout compares every record, all do.
    """
    shared = _Shared(targets=layouts[0].universe is not None)
    every_record = any(layout.scenario.every_record for layout in layouts)
    over = []
    for layout in layouts:
        keys, targets = (
            tuple(shared.column(each) for each in columns)
            for columns in (layout.keys, layout.targets)
        )
        populations = tuple(shared.population(population) for population in layout.populations)
        scenario = replace(layout.scenario, every_record=every_record)
        over.append(
            replace(layout, scenario=scenario, keys=keys, targets=targets, populations=populations)
        )
    # Recodes, typed levels and baselines are checked in each layout.
    scenario = replace(
        over[0].scenario, exclude_level={}, exclude_pair=(), column={}, intruder_prior=None
    )
    plain = replace(layouts[0], scenario=scenario, targets=shared.of("t"), measures=())
    return replace(plain, keys=shared.of("k"), populations=tuple(shared.populations.values())), over


def projected(layout: Layout, together: Layout) -> Layout:
    """Return a layout from `joined` with a class key of its own. Counts of records and codes,
    and population numbers come from the joint layout ``together``.
    """
    numbered = {_definition(population): population for population in together.populations}
    return replace(
        layout,
        key_columns=pack(layout.keys, [together.codes[key.id] for key in layout.keys]),
        records=together.records,
        codes=together.codes,
        populations=tuple(numbered[_definition(population)] for population in layout.populations),
    )


class _Shared:
    """The columns and populations of several layouts, each once. With ``targets``, targets are
    separate from keys.
    """

    def __init__(self, *, targets: bool) -> None:
        self._apart = ("b", "t") if targets else ("b",)
        self._columns: dict[object, Column] = {}
        self.populations: dict[object, Population] = {}

    def of(self, role: str) -> tuple[Column, ...]:
        """Return the columns of all files (``k``), of all but the universe (``t``), or of only
        people (``b``).
        """
        return tuple(column for column in self._columns.values() if column.role == role)

    def column(self, column: Column) -> Column:
        """Return the shared column that corresponds to this one. A target is encoded as a key,
        unless targets are separate.
        """
        role = column.role if column.role in self._apart else "k"
        alike = (role, replace(column, role=role, number=0))
        return self._columns.setdefault(
            alike, replace(column, role=role, number=len(self.of(role)) + 1)
        )

    def population(self, population: Population) -> Population:
        """Return the shared population that corresponds to this one."""
        if population.column is not None:
            population = replace(population, column=self.column(population.column))
        recoded = tuple(
            (self.column(column), comparison) for column, comparison in population.recoded
        )
        population = replace(population, recoded=recoded)
        return self.populations.setdefault(_definition(population), population)


def _definition(population: Population) -> object:
    """Return everything that defines a population, without its number. Two populations with equal
    definitions are one.
    """
    return (
        population.name,
        population.kind,
        tuple(sorted(population.conditions.items())),
        population.column,
        population.recoded,
    )
