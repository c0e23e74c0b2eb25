"""The stages of a plan, as `sqlrisk sql --stages` lists them, and the picture of the data flow in sql/README.md."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sqlrisk
from sqlrisk.analyses.exports import layout_without_data, stages
from sqlrisk.catalogue.measures import catalog
from sqlrisk.cli.main import main
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.sources import Source, Synthesis

SQL = Path(__file__).resolve().parent.parent / "sql"
PLAIN = {"keys": ["sex", "age"], "targets": ["income"]}
RICH = {
    "keys": ["sex", "age"], "targets": ["income", "ill"], "bins": {"age": 5}, "weights": "weight",
    "population": {"men": "sex=1"}, "populations": ["all", "uniques", "special", "men"], "within": {"income": "5"},
    "exclude_missing": ["ill"], "exclude_pair": ["ill=1,sex=2"], "max_cell": 5, "aligned": True, "id": "id",
    "assume": "saturated", "prior": 1,
}  # fmt: skip


def arrows(settings: dict[str, Any], *, control: bool) -> set[tuple[str, str]]:
    """What the plan of a scenario reads and makes, with every measure that it offers."""
    scenario = read(settings)
    measures = [each for each in catalog() if each.needs is None or scenario.offered[each.needs]]
    syntheses = [Synthesis("", number, Source(f"s{number}", "table", (f"s{number}",))) for number in (1, 2)]
    tables = ["people", "s1", "s2", *(["others"] if control else [])]
    layout = layout_without_data.lay_out(scenario, tables, syntheses, measures, control=control, types={"income": "INTEGER"})
    layout = replace(layout, scenario=replace(layout.scenario, distributions=control))
    return stages.arrows(layout, stages.of_a_run(layout, catalog()))


def drawn() -> Iterator[tuple[str, str]]:
    """The arrows of the picture: lines of the form ``reads, reads --> makes``."""
    section = (SQL / "README.md").read_text(encoding="utf-8").partition("\n## How the data flow\n")[2]
    picture = section.strip("\n").partition("\n\nBeside ")[0]
    for reads, makes in re.findall(r"^    ([\w, ]+) --> (\w+)(?:  .*)?$", picture, re.MULTILINE):
        yield from ((read, makes) for read in reads.split(", "))


def test_the_picture_is_the_plan() -> None:
    by_population = {**PLAIN, "populations": ["all", "uniques"]}
    planned = arrows(PLAIN, control=False) | arrows(RICH, control=True) | arrows(by_population, control=False)
    assert set(drawn()) == planned


def test_an_arrow_is_drawn_once() -> None:
    found = list(drawn())
    assert len(found) == len(set(found))


def test_stages_are_listed_in_their_order() -> None:
    text = sqlrisk.sql(stages=True, **PLAIN)
    lines = text.splitlines()
    assert lines[0] == "  1. original, synthetic_1 --> levels_k1"
    assert re.fullmatch(r" +stages/[\w/]*levels.sql < stages/[\w/]*values.sql", lines[1])
    assert lines[2] == "     one row per value of one column: its code, numbered by sorted value; 0 is the missing level"
    made = re.findall(r"^ *\d+\. .* --> (\w+)", text, re.MULTILINE)
    assert [each for each in made if each in ("records", "classes", "cells_t1", "cell_parts", "results")] == [
        *("records", "classes", "cells_t1", "cell_parts", "results", "results"),
    ]
    for path in re.findall(r"\w+/[\w/]+\.sql", text):
        assert (SQL / path).is_file()


def test_a_stage_is_made_before_it_is_read() -> None:
    made = {"original", "synthetic_1"}
    for reads, makes in re.findall(r"^ *\d+\. (.*) --> (\w+)", sqlrisk.sql(stages=True, **PLAIN), re.MULTILINE):
        assert set(reads.split(", ")) <= made
        made.add(makes)


def test_the_stages_of_a_measure_are_those_of_its_script() -> None:
    listed = sqlrisk.sql("UiO", stages=True, **PLAIN)
    script = sqlrisk.sql("UiO", **PLAIN)
    made = set(re.findall(r" --> (\w+)", listed))
    assert made == set(re.findall(r"CREATE TABLE (\w+)", script))
    assert "cells_t1" not in made


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "--stages", "--keys", "sex,age", "--targets", "income"])
    assert capsys.readouterr().out == sqlrisk.sql(stages=True, **PLAIN)


def test_a_measure_is_needed_for_its_sql() -> None:
    with pytest.raises(sqlrisk.InputError, match="Name the measure"):
        sqlrisk.sql(**PLAIN)
