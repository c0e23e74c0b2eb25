"""Cases worked by hand: what a file of cases/ says, how it is run, and where a report disagrees.

A case is a TOML file:

    original.town = ["a", "b"]      the people, one list per column; "-" is a missing value
    original.times = [2, 180]       how often each of these rows is there, if more than once
    [[synthetic]]                   one table per synthesis, the same way
    [scenario]                      the arguments of sqlrisk.score; `baseline` names files of cases/
    control.town = ["a", "b"]       the people of control, if there is one
    universe.town = ["a", "b"]      everybody, if there is a file of them
    passes = 3                      number of passes over the class keys, if several
    [[results]]                     rows that the report must hold: measure (target, synthesis, at,
                                    population, people, weighted, if they differ from the only
                                    target, "1", none, "all", "original", false) and what was worked
                                    out: numerator, denominator, value. "1/3" is a fraction, "-" no
                                    value.
    [[differences]]                 rows that this part of the report must hold, with any fields
    [[one_way]] [[two_way]] [[exclusions]] [[levels]] [[overlap]]
                                    all rows of that part, in any order; `one_way = []` is none
    [[reasons]]                     all reasons of the assessment, the same way: synthesis, target,
                                    state, code, text

Only the measures of [[results]] are computed. So a case also tests that they need no others.
"""

import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sqlrisk
from sqlrisk.engines.duckdb import DuckDB

Case = Mapping[str, Any]


def _read(file: Path) -> Case:
    case = tomllib.loads(file.read_text())
    if "baseline" in (scenario := case["scenario"]):
        files = scenario["baseline"].items()
        scenario["baseline"] = {target: str(file.with_name(name)) for target, name in files}
    return case


CASES = {file.stem: _read(file) for file in sorted(Path(__file__).parents[1].glob("cases/*.toml"))}
MISSING = "-"
PLACE = ("measure", "at", "target", "synthesis", "population", "weighted")
USUAL = {"at": None, "synthesis": "1", "population": "all", "weighted": False, "people": "original"}
# the columns that identify a row of a part
PARTS = {"results": (*PLACE, "people"), "differences": PLACE}
WHOLE = ("one_way", "two_way", "exclusions", "levels", "overlap", "reasons")


def table(columns: Mapping[str, list[Any]]) -> pa.Table:
    times = columns.get("times") or [1] * len(next(iter(columns.values())))
    return pa.table(
        {
            name: [
                None if value == MISSING else value
                for value, often in zip(values, times, strict=True)
                for _ in range(often)
            ]
            for name, values in columns.items()
            if name != "times"
        }
    )


def number(text: object) -> object:
    """Convert a field of a case for comparison: ``-`` to None, and a fraction or a number to a
    number that matches within 1e-12, because rounding may change a sum of shares.
    """
    if text == MISSING:
        return None
    if isinstance(text, str) and "/" in text:
        return pytest.approx(float(Fraction(text)), rel=1e-12)
    if isinstance(text, int | float) and not isinstance(text, bool):
        return pytest.approx(text, rel=1e-12)
    return text


def measures(case: Case) -> list[str]:
    """Return the measures that a case lists."""
    return list(dict.fromkeys(row["measure"] for row in case.get("results", [])))


def questions() -> dict[str, list[str]]:
    """Return the names of the cases in groups. All cases of a group ask about equal files in an
    equal scenario, so one report answers them. The name of a group is its first case.
    """
    alike: dict[str, list[str]] = {}
    for name, case in CASES.items():
        asked = {part: said for part, said in case.items() if part not in (*PARTS, *WHOLE)}
        alike.setdefault(repr(asked), []).append(name)
    return {names[0]: names for names in alike.values()}


def run(case: Case, **options: Any) -> sqlrisk.Report:
    """Return the report of a case, with the case's measures unless ``options`` name others."""
    scenario: dict[str, Any] = {"measures": measures(case)} if measures(case) else {}
    scenario |= {name: table(case[name]) for name in ("control", "universe") if name in case}
    synthetic = [table(columns) for columns in case["synthetic"]]
    with pytest.MonkeyPatch.context() as patch:
        if "passes" in case:
            patch.setattr(DuckDB, "passes", lambda *_, **__: case["passes"])
        return sqlrisk.score(
            table(case["original"]), synthetic, **scenario | dict(case["scenario"]) | options
        )


def wrong_answers(names: list[str], **options: Any) -> list[str]:
    """Return the differences between a shared report and the expected numbers, by case."""
    asked = dict.fromkeys(measure for name in names for measure in measures(CASES[name]))
    report = run(CASES[names[0]], **({"measures": [*asked]} if asked else {}), **options)
    return [f"{name}: {each}" for name in names for each in disagreements(CASES[name], report)]


def disagreements(case: Case, report: sqlrisk.Report) -> Iterator[str]:
    """Yield in words every difference between a report and the expected rows of a case."""
    target = case["scenario"]["targets"][0]
    for part, names in PARTS.items():
        found = {tuple(row[name] for name in names): row for row in getattr(report, part)}
        for expected in case.get(part, []):
            place = USUAL | {"target": target} | expected
            key = tuple(place[name] for name in names)
            # identity measures have no target
            row = found.get(key) or found.get((*key[:2], None, *key[3:]))
            fields = expected.keys() - {*names}
            wanted = {field: number(expected[field]) for field in fields}
            if not fields or row is None or {field: row[field] for field in fields} != wanted:
                yield (
                    f"{part} of {key} is {row and {field: row[field] for field in fields}}, not "
                    f"{wanted}"
                )
    parts = {part: getattr(report, part) for part in ("exclusions", "levels", "overlap")}
    parts |= report.checks
    parts["reasons"] = [{**row, **reason} for row in report.assessment for reason in row["reasons"]]
    for part in parts.keys() & case.keys():
        rows = list(parts[part])
        for expected in case[part]:
            wanted = {field: number(value) for field, value in expected.items()}
            match = next(
                (row for row in rows if {field: row[field] for field in wanted} == wanted), None
            )
            if match is None:
                yield f"{part} has no row {expected}, but {rows}"
            else:
                rows.remove(match)
        if rows:
            yield f"{part} has rows that the case does not expect: {rows}"
