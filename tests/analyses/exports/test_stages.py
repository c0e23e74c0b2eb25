"""The stages of a plan, as `sqlrisk sql --stages` lists them."""

import re
from pathlib import Path
from typing import Any

import pytest

import sqlrisk
from sqlrisk.cli.main import main

SQL = Path(__file__).resolve().parents[3] / "sql"
PLAIN: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["income"]}


def test_stages_are_listed_in_their_order() -> None:
    text = sqlrisk.sql(stages=True, **PLAIN)
    lines = text.splitlines()
    assert lines[0] == "  1. original, synthetic_1 --> levels_k1"
    assert re.fullmatch(r" +stages/[\w/]*levels.sql < stages/[\w/]*values.sql", lines[1])
    assert lines[2].startswith(
        "     one row per value of one column, with its code in the order of the column's "
        "categories, else by "
    )
    made = re.findall(r"^ *\d+\. .* --> (\w+)", text, re.MULTILINE)
    assert [
        each for each in made if each in ("records", "classes", "cells_t1", "cell_parts", "results")
    ] == [
        *("records", "classes", "cells_t1", "cell_parts", "results", "results"),
    ]
    for path in re.findall(r"\w+/[\w/]+\.sql", text):
        assert (SQL / path).is_file()


def test_a_stage_is_made_before_it_is_read() -> None:
    made = {"original", "synthetic_1"}
    for reads, makes in re.findall(
        r"^ *\d+\. (.*) --> (\w+)", sqlrisk.sql(stages=True, **PLAIN), re.MULTILINE
    ):
        assert set(reads.split(", ")) <= made
        made.add(makes)


def test_the_stages_of_a_measure_are_those_of_its_script() -> None:
    listed = sqlrisk.sql("UiO", stages=True, **PLAIN)
    script = sqlrisk.sql("UiO", **PLAIN)
    made = set(re.findall(r" --> (\w+)", listed))
    assert made == set(re.findall(r"CREATE TABLE (\w+)", script))
    assert "cells_t1" not in made
    (left,) = re.findall(r"It leaves the tables ([^:]*): drop", script.replace("\n-- ", " "))
    dropped = re.findall(r"DROP TABLE (\w+)", script)
    assert {*left.split(", ")} == made - {*dropped}


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "--stages", "--keys", "sex,age", "--targets", "income"])
    assert capsys.readouterr().out == sqlrisk.sql(stages=True, **PLAIN)


@pytest.mark.parametrize(
    ("measure", "asked"),
    [
        ("DiSCO", {}),
        ("DiSCO", {"targets": ["ill"], "exclude_level": {"ill": ["no"]}}),
        ("CAP_within", {"within": "income=10"}),
    ],
)
def test_an_example_stands_only_for_what_is_not_given(measure: str, asked: dict[str, Any]) -> None:
    assert sqlrisk.sql(measure, **asked) == sqlrisk.sql(measure, **{**PLAIN, **asked})


def test_a_measure_is_needed_for_its_sql() -> None:
    with pytest.raises(sqlrisk.InputError, match="Name a measure"):
        sqlrisk.sql(**PLAIN)
