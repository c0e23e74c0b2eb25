"""Cases worked by hand: every cases/*.toml, run through the public API, and one at least for every measure.

A case is a TOML file:

    original.town = ["a", "b"]          the people, one list per column; "-" is a missing value
    [[synthetic]]                       one table per synthesis, the same way
    [scenario]                          the arguments of sqlrisk.score
    control.town = ["a", "b"]           the people of control, where there is one
    [[results]]                         rows that the report must hold: measure (target, synthesis, at, population, people,
                                        weighted where they differ from the only target, "1", none, "all", "original",
                                        false) and whatever was worked out: numerator, denominator, value. "1/3" is a
                                        fraction, "-" no value.
    [[differences]]                     rows that this part of the report must hold, the same way, with any of its fields
    [[one_way]] [[two_way]] [[exclusions]] [[levels]] [[overlap]]
                                        all rows of that part of the report, in any order; `one_way = []` is none

Only the measures of [[results]] are asked for, so each is also seen to work alone.
"""

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sqlrisk

CASES = {file.stem: tomllib.loads(file.read_text()) for file in sorted(Path(__file__).parent.glob("cases/*.toml"))}
MISSING = "-"


def table(columns: dict[str, list[object]]) -> pa.Table:
    return pa.table({name: [None if v == MISSING else v for v in values] for name, values in columns.items()})


def number(text: object) -> object:
    """What a case says about a field: no value, a name, a fraction or number to 1e-12 (whole numbers exactly)."""
    if text == MISSING:
        return None
    if isinstance(text, str) and "/" in text:
        return pytest.approx(float(Fraction(text)), rel=1e-12)
    return pytest.approx(text, rel=1e-12) if isinstance(text, float) else text


def run(case: dict[str, Any]) -> sqlrisk.Report:
    measures = list(dict.fromkeys(row["measure"] for row in case.get("results", [])))
    scenario: dict[str, Any] = {"measures": measures} if measures else {}
    if "control" in case:
        scenario["control"] = table(case["control"])
    return sqlrisk.score(
        table(case["original"]), [table(columns) for columns in case["synthetic"]], **scenario, **case["scenario"]
    )


PLACE = ("measure", "at", "target", "synthesis", "population", "weighted")
USUAL = {"at": None, "synthesis": "1", "population": "all", "weighted": False}


@pytest.mark.parametrize("name", CASES)
def test_a_case_worked_by_hand(name: str) -> None:
    case = CASES[name]
    targets = case["scenario"]["targets"]
    report = run(case)
    for part, names in (("results", (*PLACE, "people")), ("differences", PLACE)):
        found = {tuple(row[name] for name in names): row for row in getattr(report, part)}
        for expected in case.get(part, []):
            place = USUAL | {"target": targets[0], "people": "original"} | expected
            key = tuple(place[name] for name in names)
            row = found.get(key) or found[*key[:2], None, *key[3:]]  # identity measures have no target
            fields = expected.keys() - {*names}
            assert fields
            assert {f: row[f] for f in fields} == {f: number(expected[f]) for f in fields}, key
    parts = report.checks | {"exclusions": report.exclusions, "levels": report.levels, "overlap": report.overlap}
    for part in parts.keys() & case.keys():
        rows = list(parts[part])
        for expected in case[part]:
            wanted = {field: number(value) for field, value in expected.items()}
            match = next((row for row in rows if {field: row[field] for field in wanted} == wanted), None)
            assert match is not None, f"{part} has no row {expected}, but {rows}"
            rows.remove(match)
        assert rows == [], f"{part} has rows that the case does not expect"


def test_every_measure_has_a_case() -> None:
    worked = {row["measure"] for case in CASES.values() for row in case.get("results", [])}
    assert {measure.name for measure in sqlrisk.measures()} - worked == set()


def test_a_case_that_is_wrong_fails() -> None:
    case = CASES["disco"] | {"results": [{"measure": "DiSCO", "value": 12.5}]}
    CASES["wrong"] = case
    try:
        with pytest.raises(AssertionError):
            test_a_case_worked_by_hand("wrong")
    finally:
        del CASES["wrong"]
