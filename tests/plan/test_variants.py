"""The stages that the plan chooses among, in every combination: the rows of SQLite against counts
of the records in Python.
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import log
from typing import Any

import pytest
from quickly import few, some

from sqlrisk.inputs import scenario as scenarios
from sqlrisk.plan import comparisons, pass_tables
from sqlrisk.plan.class_key import pack
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.counted_measures import BY_POPULATION, BY_RECORD, BY_WEIGHT, CountBasis
from sqlrisk.plan.layout import Baseline, Comparison, Layout, Population
from sqlrisk.plan.subsets.nearness import EQUAL

Row = dict[str, Any]
Record = tuple[int, tuple[int, int], int, float]
"""Its file, the codes of its keys, that of its target, its weight."""

KEYS = (Column("k", 1, "town"), Column("k", 2, "age"))
TARGET = Column("t", 1, "ill")
FILES = (File(0, "original"), File(1, "one"), File(2, "two"), File(3, "held_back", control=True))
ORIGINAL, *SYNTHESES, CONTROL = FILES
LEVELS = (None, "a", "b", "c")  # by code
SHARES = (0.1, 0.2, 0.3, 0.4)
MEMBER = 2  # of the population: people whose first key is below this
EXCLUSIONS: dict[str, dict[str, Any]] = {
    "nobody": {},
    "a level": {"exclude_level": {"ill": ["b"]}},
    "a missing target": {"exclude_missing": ["ill"]},
    "missing keys": {"exclude_missing": ["town", "age"]},
    "a pair": {
        "exclude_pair": [{"target": "ill", "target_level": "a", "key": "age", "key_level": "b"}]
    },
    "large cells": {"max_cell": 2},
    "large synthetic cells": {"max_cell_syn": 2},
}
EXCLUSIONS["everything"] = {
    **EXCLUSIONS["a level"],
    "exclude_missing": ["ill", "age"],
    **EXCLUSIONS["a pair"],
    "max_cell": 3,
    "max_cell_syn": 2,
}


def drawn(seed: int) -> list[Record]:
    """Some hundred records of few combinations of keys."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    files = [rng.choice((0, 0, 1, 2, 3)) for _ in range(160)]
    # some classes have no synthetic record
    towns = {file: (0, 1, 2) if file in (1, 2) else (0, 1, 2, 3) for file in files}
    return [
        (
            file,
            (rng.choice(towns[file]), rng.randrange(4)),
            rng.choice((0, 1, 1, 2, 3)),
            1.5 + rng.randrange(4),
        )
        for file in files
    ]


RECORDS = drawn(1)


def layout(
    two_columns: bool,
    exclusions: Mapping[str, Any],
    *,
    baseline: bool = False,
    weights: bool = False,
) -> Layout:
    """The scenario over the files, with the class key in one column or in two."""
    given = {
        "keys": ["town", "age"],
        "targets": ["ill"],
        **exclusions,
        **({"weights": "weight"} if weights else {}),
    }
    return Layout(
        scenario=scenarios.read(given),
        files=FILES,
        keys=KEYS,
        targets=(TARGET,),
        comparisons=tuple(COMPARISONS.values()),
        measures=(),
        populations=(Population(1, "some", "condition"),),
        baselines={"ill": Baseline("given", "value")} if baseline else {},
        key_columns=pack(KEYS, None if two_columns else (4, 4)),
    )


COMPARISONS = {
    (who.number, len(members)): Comparison(number, "", "", tuple(members), len(members) == 1, who)
    for number, (who, members) in enumerate(
        product((ORIGINAL, CONTROL), (SYNTHESES[:1], SYNTHESES)), start=1
    )
}


def key_of(plan: Layout, keys: tuple[int, int]) -> Row:
    """The class key of two codes."""
    values = keys if len(plan.key_columns) > 1 else (keys[0] + 4 * keys[1],)
    return {
        key_column.name: value for key_column, value in zip(plan.key_columns, values, strict=True)
    }


def load(connection: sqlite3.Connection, name: str, rows: Sequence[Row]) -> None:
    """Make a table of these rows."""
    columns = list(rows[0])
    connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {name} VALUES ({marks})",
        [[row[column] for column in columns] for row in rows],
    )


def rows_of(connection: sqlite3.Connection, query: str) -> list[Row]:
    """The rows of a query, by column."""
    found = connection.execute(query)
    return [dict(zip([each[0] for each in found.description], row, strict=True)) for row in found]


def in_order(rows: Iterable[Row]) -> list[list[tuple[str, str]]]:
    """Rows that can be compared whatever their order; shares to ten digits."""
    return sorted(
        sorted(
            (name, f"{value:.10g}" if isinstance(value, float | int) else repr(value))
            for name, value in row.items()
        )
        for row in rows
    )


class Counts:
    """How many records there are in each file: by cell, class and level, and of people by
    population.
    """

    def __init__(self) -> None:
        self.cells = Counter((file, keys, level) for file, keys, level, _ in RECORDS)
        self.classes = Counter((file, keys) for file, keys, _, _ in RECORDS)
        self.levels = Counter((file, level) for file, _, level, _ in RECORDS)
        self.files = Counter(file for file, *_ in RECORDS)
        self.seen = sorted({(keys, level) for _, keys, level, _ in RECORDS})
        self.near = {(keys, level): 1 + (sum(keys) + level) % 3 for keys, level in self.seen}

    def population_counts(
        self, file: int, population: int, keys: tuple[int, int], level: int | None = None
    ) -> tuple[int, float] | None:
        """People of a population in a class or a cell, and their weight; None where
        there are none.
        """
        weights = [
            weight
            for of, own, mine, weight in RECORDS
            if (of, own) == (file, keys)
            and level in (None, mine)
            and (population == 0 or own[0] < MEMBER)
        ]
        return (len(weights), sum(weights)) if weights else None

    def radius(self, keys: tuple[int, int]) -> int:
        """How far the nearest synthetic records of a class are, in the near cells of this test."""
        return 0 if self.classes[1, keys] else 1


COUNTS = Counts()


def tables(plan: Layout) -> sqlite3.Connection:
    """What the stages of a comparison read, in a database."""
    connection = sqlite3.connect(":memory:")
    counted = {
        (keys, level): {
            **key_of(plan, keys),
            "level_code": level,
            **{file.count: COUNTS.cells[file.number, keys, level] for file in FILES},
            **{file.count_class: COUNTS.classes[file.number, keys] for file in FILES},
        }
        for keys, level in COUNTS.seen
    }
    load(connection, "cells_t1", [*counted.values()])
    near = [
        {
            **row,
            "n_near": COUNTS.near[cell],
            "n_near_class": 7,
            "n_same": 0 if COUNTS.radius(cell[0]) else COUNTS.near[cell],
            "radius": COUNTS.radius(cell[0]),
        }
        for cell, row in counted.items()
    ]
    load(connection, "near_cells_t1", near)
    classes = [
        {**key_of(plan, keys), **{f.count: COUNTS.classes[f.number, keys] for f in FILES}}
        for keys in all_keys()
    ]
    load(connection, "classes", classes)
    marginals = [
        {
            "level_code": level,
            **{file.count: COUNTS.levels[file.number, level] for file in FILES},
            **{file.count_all: COUNTS.files[file.number] for file in FILES},
            "share": SHARES[level],
            "excluded_level": int(LEVELS[level] in plan.scenario.exclude_level.get("ill", ())),
        }
        for level in range(4)
    ]
    load(connection, "marginals_t1", marginals)
    for column in (*KEYS, TARGET):
        load(
            connection,
            f"levels_{column.id}",
            [{"value": value, "code": code} for code, value in enumerate(LEVELS)],
        )
    for name, cells in (
        ("population_counts", [(keys, None) for keys in all_keys()]),
        ("population_counts_t1", COUNTS.seen),
    ):
        people = [
            {
                "people_file": file.number,
                "population": population,
                **key_of(plan, keys),
                **({} if level is None else {"level_code": level}),
                "n_people": population_counts[0],
                "weight_people": population_counts[1],
            }
            for file, population, (keys, level) in product((ORIGINAL, CONTROL), (0, 1), cells)
            if (population_counts := COUNTS.population_counts(file.number, population, keys, level))
        ]
        load(connection, name, people)
    return connection


def all_keys() -> list[tuple[int, int]]:
    """The keys of every class."""
    return sorted({keys for keys, _ in COUNTS.seen})


def reason(
    given: Mapping[str, Any], keys: tuple[int, int], level: int, own: int, n_syn: int
) -> tuple[str | None, str | None]:
    """Why the people of a cell, and its synthetic records, are not counted."""
    missing = given.get("exclude_missing", ())
    reasons = {
        "target level": level == 2 and "exclude_level" in given,
        "missing target": level == 0 and "ill" in missing,
        "missing key": any(
            code == 0 and key.name in missing for key, code in zip(KEYS, keys, strict=True)
        ),
        "key-and-target pair": "exclude_pair" in given and level == 1 and keys[1] == 2,
    }
    first = next((name for name, holds in reasons.items() if holds), None)
    most, most_syn = given.get("max_cell", 10**9), given.get("max_cell_syn", 10**9)
    large = "cell over the size limit"
    return first or (large if own > most or n_syn > most_syn else None), first or (
        large if n_syn > most else None
    )


def expected_cells(
    plan: Layout,
    one: Comparison,
    basis: CountBasis,
    given: Mapping[str, Any],
    *,
    baseline: bool,
    nearest: bool,
) -> list[Row]:
    """The rows of compared_cells, cell by cell, from the records."""
    who, members = one.people.number, [file.number for file in one.members]
    rows = []
    for (keys, level), population in product(
        COUNTS.seen, (None,) if basis == BY_RECORD else (0, 1)
    ):
        n_own = COUNTS.cells[who, keys, level]
        in_class = (
            (COUNTS.classes[who, keys],) * 2
            if population is None
            else COUNTS.population_counts(who, population, keys)
        )
        if in_class is None:
            continue  # nobody of the population is in the class
        in_cell = (
            (n_own,) * 2
            if population is None
            else COUNTS.population_counts(who, population, keys, level) or (0, 0)
        )
        n_syn = (
            COUNTS.near[keys, level]
            if nearest
            else sum(COUNTS.cells[file, keys, level] for file in members)
        )
        same_keys = 0 if nearest and COUNTS.radius(keys) else n_syn
        left_out, left_out_syn = reason(given, keys, level, n_own, same_keys)
        row = {
            **key_of(plan, keys),
            "level_code": level,
            "n_orig": n_own,
            "n_syn": n_syn,
            "n_orig_class": COUNTS.classes[who, keys],
            "n_syn_class": 7 if nearest else sum(COUNTS.classes[file, keys] for file in members),
            "n_orig_level": COUNTS.levels[0, level],
            "n_syn_level": sum(COUNTS.levels[file, level] for file in members),
            "n_orig_all": COUNTS.files[0],
            "n_syn_all": sum(COUNTS.files[file] for file in members),
            "n_base": COUNTS.cells[0, keys, level],
            "n_base_class": COUNTS.classes[0, keys],
            **({"share_given": SHARES[level]} if baseline else {}),
            **({"radius": COUNTS.radius(keys)} if nearest else {}),
            **({"n_syn_same": same_keys} if nearest and given else {}),
            **({} if population is None else {"population": population}),
            "people": in_cell[basis.weighted],
            "counted_orig": 0 if left_out else in_cell[basis.weighted],
            "counted_orig_class": in_class[basis.weighted],
            "counted_syn": 0 if left_out_syn else n_syn,
            **({"excluded_orig": left_out, "excluded_syn": left_out_syn} if given else {}),
        }
        rows.append(row)
    if given:
        same = [key_column.name for key_column in plan.key_columns] + (
            [] if basis == BY_RECORD else ["population"]
        )
        counted = Counter[tuple[int, ...]]()
        for row in rows:
            counted[tuple(row[name] for name in same)] += row["counted_orig"]
        for row in rows:
            row["counted_orig_class"] = counted[tuple(row[name] for name in same)]
    return rows


@pytest.mark.parametrize("exclusions", some([*EXCLUSIONS][::3], EXCLUSIONS))
@pytest.mark.parametrize("two_columns", few([False, True], 2), ids=["one column", "two columns"])
def test_cells_of_every_comparison(two_columns: bool, exclusions: str) -> None:
    given = EXCLUSIONS[exclusions]
    connection = tables(layout(two_columns, given))
    bases = (BY_RECORD, BY_POPULATION, BY_WEIGHT)
    for one, basis, baseline, nearest in product(
        COMPARISONS.values(), bases, (False, True), (False, True)
    ):
        plan = layout(two_columns, given, baseline=baseline)
        found = rows_of(
            connection, comparisons.Cells(plan, (one,), (TARGET,), basis, nearest).compared
        )
        expected = expected_cells(plan, one, basis, given, baseline=baseline, nearest=nearest)
        assert found
        assert in_order(found) == in_order(expected), (one, basis, baseline, nearest)


@pytest.mark.parametrize("exclusions", some(["everything"], EXCLUSIONS))
@pytest.mark.parametrize(
    "basis", few([BY_RECORD, BY_POPULATION, BY_WEIGHT]), ids=["records", "populations", "weights"]
)
def test_cells_of_comparisons_together_are_those_of_each(
    basis: CountBasis, exclusions: str
) -> None:
    given = EXCLUSIONS[exclusions]
    plan = layout(True, given)
    connection = tables(plan)
    connection.execute(f"CREATE TABLE comparisons AS {comparisons.listed(plan).sql}")
    second = Column("t", 2, "ill")
    for stage in ("cells", "marginals", "levels", "population_counts"):
        connection.execute(f"CREATE TABLE {stage}_t2 AS SELECT * FROM {stage}_t1")
    every = plan.comparisons
    # populations: of the same people
    groups = [every] if basis == BY_RECORD else [every[:2], every[2:]]
    for group in groups:
        expected = [
            {**row, "target": target.number, "comparison": one.number}
            for one, target in product(group, (TARGET, second))
            for row in expected_cells(plan, one, basis, given, baseline=False, nearest=False)
        ]
        found = rows_of(
            connection, comparisons.Cells(plan, group, (TARGET, second), basis).compared
        )
        assert in_order(found) == in_order(expected)


@pytest.mark.parametrize(
    "basis", few([BY_RECORD, BY_POPULATION], 2), ids=["records", "populations"]
)
def test_classes_of_comparisons_together_are_those_of_each(basis: CountBasis) -> None:
    plan = layout(False, EXCLUSIONS["missing keys"])
    connection = tables(plan)
    connection.execute(f"CREATE TABLE comparisons AS {comparisons.listed(plan).sql}")
    for group in (
        [plan.comparisons] if basis == BY_RECORD else [plan.comparisons[:2], plan.comparisons[2:]]
    ):
        alone = [
            {**row, "comparison": one.number}
            for one in group
            for row in rows_of(connection, comparisons.compared_classes(plan, [one], basis))
        ]
        found = rows_of(connection, comparisons.compared_classes(plan, group, basis))
        assert found
        assert in_order(found) == in_order(alone)


def risk(n: int, weight: float) -> float:
    """The chance that a match with one of n people, who stand for so many, is right; of weights
    that are well above n.
    """
    p = n / weight
    odds = p / (1 - p)
    return {1: -odds * log(p), 2: odds + odds * odds * log(p)}.get(n, p / (n - (1 - p)))


@pytest.mark.parametrize("exclusions", ["nobody", "missing keys"])
@pytest.mark.parametrize("two_columns", few([False, True], 2), ids=["one column", "two columns"])
@pytest.mark.parametrize("weights", [False, True], ids=["no weights", "weights"])
def test_classes_of_every_comparison(weights: bool, two_columns: bool, exclusions: str) -> None:
    plan = layout(two_columns, EXCLUSIONS[exclusions], weights=weights)
    connection = tables(plan)
    connection.create_function("LN", 1, log)
    for one, basis in product(COMPARISONS.values(), (BY_RECORD, BY_POPULATION, BY_WEIGHT)):
        expected = []
        for keys, population in product(all_keys(), (None,) if basis == BY_RECORD else (0, 1)):
            n, who = COUNTS.classes[one.people.number, keys], one.people.number
            people = (
                (n, n) if population is None else COUNTS.population_counts(who, population, keys)
            )
            if people is None:
                continue
            n_syn = sum(COUNTS.classes[file.number, keys] for file in one.members)
            counts = not (exclusions == "missing keys" and 0 in keys)
            everybody = COUNTS.population_counts(who, 0, keys)
            row = {
                **key_of(plan, keys),
                "n_orig": n,
                "n_syn": n_syn,
                **({} if population is None else {"population": population}),
                **(
                    {"population_risk": risk(n, everybody[1])}
                    if population is not None and weights and everybody
                    else {}
                ),
                "people": people[basis.weighted],
                "synthetic": n_syn,
                "counted_orig": people[basis.weighted] * counts,
                "counted_syn": n_syn * counts,
            }
            expected.append(row)
        found = rows_of(connection, comparisons.compared_classes(plan, [one], basis))
        assert found
        assert in_order(found) == in_order(expected), (one, basis)


@pytest.mark.parametrize("every_level", [False, True], ids=["a mean", "a vote"])
@pytest.mark.parametrize("two_columns", few([False, True], 2), ids=["one column", "two columns"])
def test_nearest_cells_of_every_comparison(two_columns: bool, every_level: bool) -> None:
    plan = layout(two_columns, {})
    people_files = (ORIGINAL, CONTROL)
    for one in COMPARISONS.values():
        connection = tables(plan)
        connection.execute("DROP TABLE near_cells_t1")
        alone = [
            keys
            for keys in all_keys()
            if not any(COUNTS.classes[file.number, keys] for file in one.members)
        ]
        alone = [
            keys
            for keys in alone
            if any(COUNTS.classes[file.number, keys] for file in people_files)
        ]
        assert alone
        near = {(keys, level): 2 + level for keys in alone for level in (1, 3)}
        found_at = [
            {**key_of(plan, keys), "level_code": level, "n_near": n, "radius": 1}
            for (keys, level), n in near.items()
        ]
        load(connection, EQUAL.neighbours(plan, one, TARGET), found_at)
        first, second = pass_tables.near_cells(plan, one, TARGET, every_level=every_level)
        connection.execute(f"CREATE TABLE {first.table} AS {first.sql}")
        connection.execute(f"INSERT INTO {second.table} {second.sql}")
        expected = []
        for keys in all_keys():
            own = {
                level: sum(COUNTS.cells[file.number, keys, level] for file in one.members)
                for level in range(4)
            }
            levels = {level for each, level in COUNTS.seen if each == keys}
            if keys in alone:
                own, levels = (
                    {level: near.get((keys, level), 0) for level in range(4)},
                    levels | ({1, 3} if every_level else set()),
                )
            elif not any(COUNTS.classes[file.number, keys] for file in people_files):
                continue
            for level in levels:
                row = {
                    **key_of(plan, keys),
                    "level_code": level,
                    **{file.count: COUNTS.cells[file.number, keys, level] for file in people_files},
                    **{
                        file.count_class: COUNTS.classes[file.number, keys] for file in people_files
                    },
                    "n_near": own[level],
                    "n_near_class": sum(own.values()),
                    "n_same": 0 if keys in alone else own[level],
                    "radius": int(keys in alone),
                }
                expected.append(row)
        assert in_order(rows_of(connection, "SELECT * FROM near_cells_t1")) == in_order(expected), (
            one
        )
