"""Cases worked by hand: every cases/*.toml, run through the public API, and one at least for every
measure.
"""

import pytest
from quickly import some
from worked import CASES, disagreements, measures, run

import sqlrisk


@pytest.mark.parametrize("name", some([*CASES][::6], CASES))
def test_a_case_worked_by_hand(name: str) -> None:
    assert list(disagreements(CASES[name], run(CASES[name]))) == []


def test_every_measure_has_a_case() -> None:
    worked = {name for case in CASES.values() for name in measures(case)}
    assert {measure.name for measure in sqlrisk.measures()} - worked == set()


@pytest.mark.parametrize(
    "wrong",
    [
        {"results": [{"measure": "DiSCO", "value": 12.5}]},
        {"results": [{"measure": "DiSCO", "synthesis": "2", "value": 12.5}]},
        {"results": [{"measure": "DiSCO"}]},  # says nothing
        {"one_way": [{"target": "nobody"}]},
        {"reasons": [{"code": "constant_key"}]},
    ],
    ids=["value", "no such row", "no field", "no such check", "no such reason"],
)
def test_a_case_that_is_wrong_is_found(wrong: dict[str, object]) -> None:
    case = {**CASES["disco"], **wrong}
    assert len(list(disagreements(case, run(case)))) == 1
