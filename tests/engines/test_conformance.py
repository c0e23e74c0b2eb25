"""The worked cases on every engine: each database finds what was worked out by hand.

Cases that share their files and scenario are one question; a failure says the engine, the case, the
place, what was found and what was worked out.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from quickly import marks
from worked import CASES, questions, wrong_answers

QUESTIONS = questions()
# PostgreSQL is asked every case. The others share its engine: each driver is asked the cases of
# REACHING and its share of the rest; the slow ones, on which a statement takes some hundred
# milliseconds, are asked the cases of REACHING.
QUICKLY = ("pg8000", "duckdb", "sqlite")  # a plain run asks the others in test_engines.py
DRIVEN = (*QUICKLY, "clickhouse", "mariadb")
SLOW_ONES = ("snowflake", "spark")
# They reach every template under sql/ that any case reaches.
REACHING = (
    "membership_of_who_is_counted", "control_near_keys", "accuracy_0cap", "copies", "links",
    "basecapd_counted_within", "bins", "intruder_of_one_level", "closeness_ordered",
    "expected_match_risk", "singled_out", "two_way_check", "a_pair_left_out", "accuracy_gcap",
    "copies_of_who_is_counted", "guesses",
)  # fmt: skip
PLAIN = ("who_is_counted",)
LACKING = {"sqlite": "within"}  # no decimals, which it refuses: see test_dialects.py


def asked() -> Iterator[Any]:
    rest = [question for question in QUESTIONS if question not in REACHING]
    shares = {engine: rest[place :: len(DRIVEN)] for place, engine in enumerate(DRIVEN)}
    for engine in ("postgresql", *DRIVEN, *SLOW_ONES):
        own = rest if engine == "postgresql" else shares.get(engine, ())
        for question in dict.fromkeys((*REACHING, *own, *(PLAIN if engine in DRIVEN else ()))):
            if LACKING.get(engine) not in CASES[question]["scenario"]:
                quick = question in PLAIN and engine in QUICKLY
                yield pytest.param(engine, question, marks=marks(engine, quick=quick))


@pytest.mark.parametrize(("engine", "question"), [*asked()])
@pytest.mark.usefixtures("unassessed")
def test_an_engine_finds_what_was_worked_out(
    engine: str, question: str, request: pytest.FixtureRequest
) -> None:
    where = request.getfixturevalue(f"on_{engine}")
    assert [f"{engine}, {each}" for each in wrong_answers(QUESTIONS[question], **where)] == []
