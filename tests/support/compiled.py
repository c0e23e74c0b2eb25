"""Shared by the tests of compiled SQL: people, questions, and comparisons with the rows of a
report.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from quickly import some

import sqlrisk
from sqlrisk.analyses.exports.compiled_sql import PARTS
from sqlrisk.analyses.level_names import level_text
from sqlrisk.analyses.view_columns import ENDS
from sqlrisk.catalogue.measures import catalog

COLUMNS = ("measure", "family", "point", "target", "synthesis", "population", "people", "weighted")
NUMBERS = ("numerator", "denominator", "value", "unit")
SELECT = f"SELECT {', '.join((*COLUMNS, *NUMBERS))} FROM sqlrisk_results"
Place = tuple[Any, ...]

EXCLUSIONS: dict[str, Any] = {
    "exclude_level": {"ill": ["none", "it's", "a\\b", "two\nlines"]},
    "exclude_missing": ["sex", "ill", "income"],
    "exclude_pair": [{"target": "income", "target_level": "2", "key": "age", "key_level": "20"}],
    "max_cell": 6,
    "max_cell_syn": 7,
}
PEOPLE: dict[str, Any] = {
    "weights": "weight",
    "population": {"young women": "sex = f AND age < 30"},
    "populations": ["all", "uniques", "special"],
}
TYPES = "age=INTEGER,income=INTEGER"
# without measures of single records and whole rows
FAMILIES = [family for family in catalog().families if family not in ("matches", "copies")]
QUESTIONS: dict[str, dict[str, Any]] = {
    "every measure": {
        "measures": FAMILIES,
        "within": {"income": "1", "age": "2"},
        "assume": "saturated",
        "prior": 0.5,
    },
    "who is counted": {
        **EXCLUSIONS,
        **PEOPLE,
        "measures": [
            "identity",
            "DiSCO",
            "DiS",
            "DCAP_scaled",
            "CAPd-DCAP",
            "population_risk",
            "DiSCO_within",
            "GCAP",
            "min_DCAP",
        ],
        "within": {"income": "10%"},
        "special": {"income": ["3"]},
        "id": "person",
    },
    "bins": {
        **EXCLUSIONS,
        "id": "person",
        "bins": {"age": 4, "income": 2},
        "special": {"age": ["-8"]},
    },
    "aligned": {
        "measures": ["matches"],
        "aligned": True,
        "id": "person",
        "populations": ["all", "uniques"],
    },
}
KEYS: dict[str, Any] = {"keys": ["sex", "age", "town"], "targets": ["ill", "income"]}
CONTROLLED = ("every measure", "who is counted")
ASKED = some(["bins"], QUESTIONS)

OWN = """/*---
name    = "Odd"
title   = "People whose cell has an odd number of bits"
formula = "an example"
source  = "ours"
scale   = "percent"
kind    = "proportion of people"
unit    = "percent of original records"
higher  = "nothing"
order   = 1
says    = "Of {{denominator}} people, {{numerator}} ({{value}} %) are odd."
raises  = "Nothing."
do      = "Nothing."
---*/
SELECT
    SUM({counted}) AS numerator,
    SUM(people) AS denominator
FROM {{{{ cells }}}}
"""
"""A measure whose SQL is outside the portable subset. ``counted`` is the expression it sums."""


def people(seed: int, rows: int = 160) -> pa.Table:
    """Return a table with a column of every relevant type, with missing values, NaN, and texts that
    look like SQL syntax.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    return pa.table(
        {
            "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
            "age": pa.array(rng.choices([-8, None, *range(16, 40)], k=rows), pa.int32()),
            "town": rng.choices(["a", "A", "a ", "", 'q"', "back\\slash", None], k=rows),
            "ill": rng.choices(
                ["none", "flu", "it's", "a\\b", "two\nlines", "", None],
                [9, 3, 1, 1, 1, 1, 1],
                k=rows,
            ),
            "income": pa.array(
                rng.choices([1, 2, 3, 5, None], [9, 3, 1, 1, 1], k=rows), pa.int64()
            ),
            "size": pa.array(rng.choices([0.5, 1.5, float("nan"), None], k=rows), pa.float64()),
            "weight": pa.array([0.75 + number % 5 for number in range(rows)]),
            "person": pa.array(rng.sample(range(rows), rows), pa.int64()),
        }
    )


def reported(report: sqlrisk.Report) -> dict[Place, tuple[Any, ...]]:
    """Return a report's numbers by place (measure, target, ...). Special uniques are dropped if
    there are none, because compiled SQL then has no rows for this population.
    """
    names = ("measure", "family", "at", *COLUMNS[3:])
    rows = {
        tuple(row[name] for name in names): tuple(row[name] for name in NUMBERS)
        for row in report.results
    }
    alone = rows.get(("UiO", "identity", None, None, "1", "special", "original", False))
    empty = (
        {place[5] for place in rows if place[5] == "special"} if alone and not alone[1] else set()
    )
    return {place: row for place, row in rows.items() if place[5] not in empty}


def found(rows: Sequence[Mapping[str, Any]]) -> dict[Place, tuple[Any, ...]]:
    """Return the rows of the results table in the form of `reported`."""

    def number(value: Any) -> float | None:
        return None if value is None else float(value)

    places = [(*(row[name] for name in COLUMNS[:7]), int(row["weighted"]) == 1) for row in rows]
    numbers = [(*(number(row[name]) for name in NUMBERS[:3]), row["unit"]) for row in rows]
    return {
        (*place[:2], number(place[2]), *place[3:]): each
        for place, each in zip(places, numbers, strict=True)
    }


def assert_same(
    compiled: dict[Place, tuple[Any, ...]], report: dict[Place, tuple[Any, ...]]
) -> None:
    """Assert that compiled SQL and a report have equal rows: whole numbers exactly, others to
    1e-12.
    """
    assert sorted(map(str, compiled.keys() ^ report.keys())) == []
    assert len(report) > 20
    wrong = [
        (place, compiled[place], report[place])
        for place in report
        if any(
            mine
            != (
                theirs
                if theirs is None or isinstance(theirs, str | int)
                else pytest.approx(theirs, rel=1e-12, abs=1e-12)
            )
            for mine, theirs in zip(compiled[place], report[place], strict=True)
        )
    ]
    assert wrong == []


# Texts that database clients or dbt could interpret: variables, templates, parameters,
# commands, ends of statements.
HOSTILE = {
    "sex": "&x <% y %> &{x} && $(X)",
    "age": "${y} ${env:HOME} ${system:user.name} $1 $y",
    "town": "{{ z }} {% w %} {# c #} :n :'n' %s",
    "ill": "it's \\q; -- /* ` ] [",
    "income": 'a "q" @p ?\n.quit\nGO\n\\q',
}
HOSTILE_LEVELS = {
    **dict(zip(("none", "flu"), HOSTILE.values(), strict=False)),
    "": ".quit",
    "it's": ":'n' {{ z }}",
    "a\\b": "{# \\q;",
}
HOSTILE_QUESTION: dict[str, Any] = {
    "keys": [HOSTILE[name] for name in ("sex", "age", "town")],
    "targets": [HOSTILE["ill"], HOSTILE["income"]],
    "exclude_level": {HOSTILE["ill"]: list(HOSTILE_LEVELS.values())[1:]},
    "measures": ["identity", "attribute", "DCAP"],
}


def hostile_tables(count: int) -> list[pa.Table]:
    """Return tables, the original first, with hostile names of columns and hostile levels of a
    target.
    """
    made = []
    for table in (people(seed, rows=100) for seed in range(count)):
        ill = pa.array([HOSTILE_LEVELS.get(each, each) for each in table["ill"].to_pylist()])
        made.append(table.set_column(3, "ill", ill).select(list(HOSTILE)).rename_columns(HOSTILE))
    return made


SYNTHESES = ("syn_1", "syn_2")


def tables(question: str) -> dict[str, pa.Table]:
    """Return the tables of a question by name: the original, two syntheses and perhaps control."""
    names = ["original", *SYNTHESES, *(["control"] if question in CONTROLLED else [])]
    return {name: people(number) for number, name in enumerate(names)}


def compile_question(
    question: str, dialect: str, syntheses: Sequence[str] = SYNTHESES, **more: Any
) -> dict[str, str]:
    """Compile a question and return its files by name."""
    control = "control" if question in CONTROLLED else None
    settings = {**KEYS, **QUESTIONS[question]}
    return sqlrisk.compile_sql(
        "original", [*syntheses], control=control, dialect=dialect,
        **{"types": TYPES, **settings, **more}
    )  # fmt: skip


@cache
def score_question(
    question: str, syntheses: Sequence[str] = SYNTHESES, **more: str
) -> sqlrisk.Report:
    """Score the question in DuckDB, from Python tables."""
    held = tables(question)
    settings = {**KEYS, **QUESTIONS[question], **more}
    return sqlrisk.score(
        held["original"],
        [held[name] for name in syntheses],
        control=held.get("control"),
        **settings,
    )


VIEWED = ("DiSCO", "repU")  # of cells, and of classes
RUN = (*PARTS, "views")  # files that make tables and views, in their order


def assert_views(
    question: str,
    read: Callable[[str], Sequence[Mapping[str, Any]]],
    syntheses: Sequence[str] = SYNTHESES,
) -> None:
    """Assert that the views of a question have the rows of ``sqlrisk cells``, for every single
    synthesis and for all pooled. ``read`` returns the rows of a view.
    """
    expected = _expected(question, tuple(syntheses))
    for measure, cells in expected.cells.items():
        own = [_readable(row) for row in read(f"SELECT * FROM sqlrisk_risky_{measure.lower()}")]
        assert len(cells) > 5
        assert sorted(map(str, own)) == sorted(map(str, cells))
    records, recorded = read("SELECT * FROM sqlrisk_record_risk"), expected.records
    assert len(records) == len(recorded) > 150
    named = "id" in QUESTIONS[question]
    assert ("record" in records[0]) is named
    told = [name for name in records[0] if not name.endswith(tuple(f"_{end}" for end in ENDS))]
    lacking = {*recorded[0]} - {*told} - {"record"}
    # near records and weights are shown by `sqlrisk records`
    beside = (
        "population_risk",
        "n_orig_near",
        "n_syn_near",
        "cap_within_",
        "cap_near_",
        "radius",
        "gcap_",
    )
    of_cells = (*(f"_{target}" for target in KEYS["targets"]), *KEYS["targets"])
    assert all(
        name.startswith(beside) or (question == "aligned" and name.endswith(of_cells))
        for name in lacking
    )

    def in_order(rows: Sequence[Mapping[str, Any]]) -> list[tuple[list[Any], Mapping[str, Any]]]:
        by = ("synthesis", "record") if named else tuple(told)
        made = [([_rounded(row[name]) for name in told], row) for row in rows]
        return sorted(made, key=lambda each: str([_rounded(each[1][name]) for name in by]))

    for (mine, view), (theirs, record) in zip(in_order(records), in_order(recorded), strict=True):
        for name, own, other in zip(told, mine, theirs, strict=True):
            if view.get(f"{name}_{ENDS[0]}") is None:
                assert own == other, name
            else:  # a bin instead of the number
                low, high, closed = (view[f"{name}_{end}"] for end in ENDS)
                assert low <= record[name] < high or (closed and record[name] == high), name


@dataclass(frozen=True)
class Expected:
    """What the views of a question must have: the rows of ``sqlrisk records``, with the label of
    their synthesis or pool and the keys and targets as columns, and those of ``sqlrisk cells`` by
    measure.
    """

    records: list[dict[str, Any]]
    cells: dict[str, list[tuple[Any, ...]]]


@cache
def _expected(question: str, syntheses: tuple[str, ...]) -> Expected:
    held, keys = tables(question), len(KEYS["keys"])
    files = held["original"], [held[name] for name in syntheses]
    labels = [str(number) for number in range(1, len(syntheses) + 1)]
    labels += [f"pooled 1-{label}" for label in labels[1:]]
    columns = [*KEYS["keys"], *KEYS["targets"]]
    with sqlrisk.Release(*files, **KEYS, **QUESTIONS[question]) as release:
        return Expected(
            [
                {"synthesis": label, **row}
                for label in labels
                for row in release.records(synthesis=label, with_columns=columns)
                .to_arrow()
                .to_pylist()
            ],
            {
                # a view has the target before the keys
                measure: [
                    tuple(map(_plain, (label, *row[keys:-5], *row[:keys], *row[-5:])))
                    if measure == "DiSCO"
                    else tuple(map(_plain, (label, *row)))
                    for label in labels
                    for row in release.cells(measure, synthesis=label, limit=10_000).rows
                ]
                # measures of matches have no risky cells
                for measure in (VIEWED if question != "aligned" else ())
            },
        )


def _rounded(value: Any) -> Any:
    """Return a number rounded to ten digits, a truth value as a number, and any other value
    unchanged. So values from different databases can be equal.
    """
    number = _plain(value)
    return float(f"{number:.10g}") if isinstance(number, float) else number


def _readable(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Convert a row of a view to the form of a listing, which has one column for both ends of a
    bin.
    """
    return tuple(
        _plain(level_text(None, *(row[f"{name}_{end}"] for end in ENDS)))
        if row.get(f"{name}_{ENDS[0]}") is not None
        else _plain(value)
        for name, value in row.items()
        if not name.endswith(tuple(f"_{end}" for end in ENDS))
    )


def _plain(value: Any) -> Any:
    """Convert a number to a float if it is text or has another numeric type. Return any other value
    unchanged.
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
