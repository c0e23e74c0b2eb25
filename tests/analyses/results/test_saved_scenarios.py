"""Several scenarios saved in one file: each has the tables and views of a run of its own, and is
asked by its name.
"""

import stat
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agreement import agree
from quickly import few

import sqlrisk
from sqlrisk.analyses.saved_scenarios import SavedScenarios
from sqlrisk.analyses.scores import several_scenarios
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from tests.analyses.scores.test_scenarios import CONTROL, ORIGINAL, SYNTHETIC, UNIVERSE
from tests.analyses.scores.test_scenarios import SCENARIOS as TARGETED
from tests.cli.test_cli import fails
from tests.cli.test_cli import sqlrisk as command

# A target of one is a key of another; names of schemas need quotes; a key is in bins only here.
SCENARIOS: dict[str, dict[str, Any]] = {
    **TARGETED,
    'my "aunt"': {"keys": ["sex", "income"], "targets": [], "measures": "identity"},
}
COMMON: dict[str, Any] = {"control": CONTROL, "weights": "weight", "id": "person", "by": ["sex"]}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = str(tmp_path_factory.mktemp("saved") / "all.duckdb")
    sqlrisk.score_all(SCENARIOS, ORIGINAL, SYNTHETIC, save=file)
    return file


@pytest.fixture(scope="module")
def saved_of_control(tmp_path_factory: pytest.TempPathFactory) -> str:
    """With people of control, weights and populations, whose numbers are compared."""
    file = str(tmp_path_factory.mktemp("saved") / "all.duckdb")
    sqlrisk.score_all(SCENARIOS, ORIGINAL, SYNTHETIC, save=file, **COMMON)
    return file


def is_alike(together: str, alone: str) -> None:
    """Each table and view of a saved run has the same rows in another."""
    names = [name for (name,) in sqlrisk.query(alone, "SHOW TABLES").rows]
    assert {"people", "records", "classes", "levels_k1", "columns"} <= set(names)
    assert sqlrisk.query(together, "SHOW TABLES").rows == [
        (name,) for name in sorted([*names, "all_results", "scenarios"])
    ]
    file, _, schema = together.replace('"', '""').partition("#")
    with (
        duckdb.connect(alone, read_only=True) as one,
        duckdb.connect(file, read_only=True) as several,
    ):
        several.execute(f'USE "{schema}"')
        for name in names:
            columns, found = [], []
            for connection in (one, several):
                rows = connection.execute(f"SELECT * FROM {name} ORDER BY ALL")
                columns.append([column[0] for column in rows.description])
                found.append([*map(list, rows.fetchall())])
            if name == "records":  # flags of populations have numbers
                assert len(columns[0]) == len(columns[1])
            else:
                assert columns[0] == columns[1], name
            assert agree(*found), name


@pytest.mark.parametrize("name", few([*SCENARIOS], 4))
@pytest.mark.slow
def test_each_has_the_tables_of_its_own_run(
    saved_of_control: str, name: str, tmp_path: Path
) -> None:
    alone = str(tmp_path / "alone.duckdb")
    sqlrisk.score(ORIGINAL, SYNTHETIC, save=alone, **COMMON, **SCENARIOS[name])
    is_alike(f"{saved_of_control}#{name}", alone)
    found = 0
    for measure in ("repU", *(["DiSCO", "Dsyn"] if SCENARIOS[name]["targets"] else [])):
        for synthesis in ("1", "pooled 1-2"):
            one, other = (
                sqlrisk.cells(measure, each, synthesis=synthesis, limit=50)
                for each in (alone, f"{saved_of_control}#{name}")
            )
            assert (one.columns, one.rows) == (other.columns, other.rows)
            found += len(one.rows)
    assert (found == 0) == (name == "employer")  # whose classes are all large
    if SCENARIOS[name]["targets"]:
        key = SCENARIOS[name]["keys"][-1]
        level = {"age": "30", "sex": "f"}[key]
        assert (
            sqlrisk.lookup(f"{saved_of_control}#{name}", key={key: level}).rows
            == sqlrisk.lookup(alone, key={key: level}).rows
        )


def test_levels_of_targets_of_different_types_are_those_of_the_files(tmp_path: Path) -> None:
    table = pa.table({"sex": ["f"], "id": [2**53 + 1], "hours": [1.5], "day": [date(2020, 1, 2)]})
    saved = str(tmp_path / "run.duckdb")
    sqlrisk.score(table, table, keys="sex", targets="id,hours,day", save=saved)
    found = sqlrisk.lookup(saved, key={"sex": "f"})
    assert [row[3] for row in found.rows] == ["9007199254740993", "1.5", "2020-01-02"]
    assert found.rows == sqlrisk.lookup(table, key={"sex": "f"}, targets="id,hours,day").rows


@pytest.mark.slow
def test_with_a_universe_too(tmp_path: Path) -> None:
    """Where targets are encoded apart from keys."""
    common = {"universe": UNIVERSE, "weights": "weight"}
    both, alone = str(tmp_path / "both.duckdb"), str(tmp_path / "alone.duckdb")
    sqlrisk.score_all(TARGETED, ORIGINAL, SYNTHETIC, save=both, **common)
    for name, own in TARGETED.items():
        sqlrisk.score(ORIGINAL, SYNTHETIC, save=alone, **common, **own)
        is_alike(f"{both}#{name}", alone)


@pytest.mark.slow
def test_passes_save_the_same(saved_of_control: str, tmp_path: Path) -> None:
    class Passes(DuckDB):
        def passes(self, *counts: Any, **named: Any) -> int:
            return 3

    shared = {name: value for name, value in COMMON.items() if name != "control"}
    questions = several_scenarios.ask(SCENARIOS, (ORIGINAL, SYNTHETIC, CONTROL), shared)
    with (tmp_path / "passes.duckdb").open("wb") as file, Passes() as engine:
        together = SavedScenarios(file, [*questions])
        several_scenarios.score(questions, Session(engine), saved=together)
    for name in ("doctor", "employer"):
        for table in ("classes", "cells_t1", "record_risk"):
            one, other = (
                sqlrisk.query(f"{each}#{name}", f"FROM {table} ORDER BY ALL").rows
                for each in (saved_of_control, str(tmp_path / "passes.duckdb"))
            )
            assert agree([*map(list, one)], [*map(list, other)])


def test_one_query_compares_them(saved: str) -> None:
    assert sqlrisk.query(saved, "SHOW TABLES").rows == [("all_results",), ("scenarios",)]
    assert sqlrisk.query(saved, "SELECT name FROM scenarios ORDER BY number").rows == [
        (name,) for name in SCENARIOS
    ]
    counted = sqlrisk.query(saved, "SELECT scenario, COUNT(*) FROM all_results GROUP BY ALL").rows
    assert dict(counted) == {
        name: sqlrisk.query(f"{saved}#{name}", "SELECT COUNT(*) FROM results").rows[0][0]
        for name in SCENARIOS
    }
    joined = 'SELECT COUNT(*) FROM doctor.people JOIN "my ""aunt""".people AS others USING (record)'
    assert sqlrisk.query(saved, joined).rows == [(400,)]
    # whichever is asked, the others are there
    assert sqlrisk.query(f"{saved}#employer", joined).rows == sqlrisk.query(saved, joined).rows
    # any DuckDB opens it, under any name
    with duckdb.connect(saved, read_only=True) as connection:
        found = connection.execute("SELECT DISTINCT scenario FROM all_results").fetchall()
        assert sorted(found) == sorted((name,) for name in SCENARIOS)
        assert connection.execute("SELECT COUNT(*) FROM doctor.people").fetchall() == [(400,)]


def test_its_assessment_names_whose_it_is(saved: str) -> None:
    every = sqlrisk.query(saved, "FROM scenarios").assessment
    own = {name: sqlrisk.query(f"{saved}#{name}", "FROM results").assessment for name in SCENARIOS}
    assert len(every) == sum(map(len, own.values()))
    told = {reason["text"] for row in every for reason in row["reasons"]}
    assert told
    for name, rows in own.items():
        for text in {reason["text"] for row in rows for reason in row["reasons"]}:
            having = [
                other
                for other, others in own.items()
                if text in {reason["text"] for row in others for reason in row["reasons"]}
            ]
            assert (text if having == [*own] else f"{', '.join(having)}: {text}") in told, name


def test_cells_and_lookup_are_of_one(saved: str) -> None:
    asked = 'holds several scenarios: neighbour, doctor, employer, my "aunt". Name one, as in '
    for ask in (
        lambda: sqlrisk.cells("DiSCO", saved),
        lambda: sqlrisk.lookup(saved, key={"sex": "f"}),
    ):
        with pytest.raises(sqlrisk.InputError) as caught:
            ask()
        assert f"{asked}{saved}#neighbour." in str(caught.value)
    for ask in (
        lambda: sqlrisk.query(f"{saved}#doktor", "FROM results"),
        lambda: sqlrisk.cells("DiSCO", f"{saved}#doktor"),
    ):
        with pytest.raises(sqlrisk.InputError, match=r"'doktor' .did you mean 'doctor'"):
            ask()
    with pytest.raises(sqlrisk.InputError, match=r"There is no file 'none\.duckdb'"):
        sqlrisk.query("none.duckdb#doctor", "FROM results")


@pytest.mark.parametrize(
    "statement",
    few(["DROP TABLE classes", "CREATE VIEW doctor.x AS SELECT 1", "DROP SCHEMA doctor CASCADE"]),
)
def test_it_cannot_be_changed(saved: str, statement: str) -> None:
    before = Path(saved).read_bytes()
    with pytest.raises(sqlrisk.InputError, match="it may only read the saved run"):
        sqlrisk.query(f"{saved}#doctor", statement)
    assert Path(saved).read_bytes() == before


NAMES = {
    "one of every database": (["doctor", "Main"], "'Main' cannot be the name of a schema"),
    "one of a database beside it": (["saved", "doctor"], "'saved' cannot be the name of a schema"),
    "nothing": ([" ", "doctor"], "' ' cannot be the name of a schema"),
    "a letter that none sees": (["doc\0tor", "doctor"], "cannot be the name of a schema"),
    "the same in capitals": (["doctor", "Doctor"], "'doctor' and 'Doctor' are one name"),
}


@pytest.mark.parametrize("name", few([*NAMES], 2))
def test_names_that_are_no_schemas(name: str, tmp_path: Path) -> None:
    names, message = NAMES[name]
    with pytest.raises(sqlrisk.InputError, match=message):
        sqlrisk.score_all(
            {each: {"keys": ["sex"], "targets": ["ill"]} for each in names},
            ORIGINAL,
            SYNTHETIC,
            save=str(tmp_path / "all.duckdb"),
        )
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "all.duckdb"
    wrong: dict[str, Any] = {
        **TARGETED,
        "other": {"keys": ["sex"], "exclude_level": {"ill": "maybe"}},
    }
    with pytest.raises(sqlrisk.InputError, match="scenario 'other': exclude_level"):
        sqlrisk.score_all(wrong, ORIGINAL, SYNTHETIC, save=str(file))
    with pytest.raises(sqlrisk.InputError, match=r"'schema' must end in \.duckdb"):
        sqlrisk.score_all(TARGETED, ORIGINAL, SYNTHETIC, save="schema")
    assert list(tmp_path.iterdir()) == []


def test_schemas_of_another_program_are_no_runs(tmp_path: Path) -> None:
    """Tables of our names in schemas, without the view of the scenarios, or with another one."""
    file = str(tmp_path / "other.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute("CREATE SCHEMA doctor")
        for name in ("about", "columns", "records", "classes"):
            connection.execute(f"CREATE TABLE doctor.{name} AS SELECT 1 AS document")
    for made in ("", "CREATE VIEW scenarios AS SELECT 1 AS name"):
        with duckdb.connect(file) as connection:
            connection.execute(made)
        for ask in (
            lambda: sqlrisk.query(file, "SELECT 1"),
            lambda: sqlrisk.query(f"{file}#doctor", "SELECT 1"),
            lambda: sqlrisk.cells("DiSCO", f"{file}#doctor"),
            lambda: sqlrisk.lookup(file, key={"sex": "f"}),
        ):
            with pytest.raises(sqlrisk.InputError, match="The file was not saved by sqlrisk"):
                ask()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(ORIGINAL, tmp_path / "original.parquet")
    pq.write_table(SYNTHETIC[0], tmp_path / "syn.parquet")
    (tmp_path / "scenarios.toml").write_text(
        'original = "original.parquet"\nsynthetic = "syn.parquet"\ntargets = ["ill"]\n'
        '[scenario.neighbour]\nkeys = ["town", "age"]\n[scenario.employer]\nkeys = ["sex", "age"]\n'
    )
    return tmp_path


@pytest.mark.slow
def test_it_is_saved_and_asked_by_commands(folder: Path) -> None:
    score = ["score", "--scenario", "scenarios.toml"]
    (folder / "policy.toml").write_text('name = "B"\n[[rule]]\nrule = "UiO <= 0"\nreason = "R."\n')
    # as of one scenario, the numbers are there where a policy fails
    code, out, err = command(
        *score, "--save", "all.duckdb", "--policy", "policy.toml", "-o", "risk.json", folder=folder
    )
    assert (code, out) == (1, ""), err
    assert stat.S_IMODE((folder / "all.duckdb").stat().st_mode) == 0o600
    for name in ("neighbour", "employer"):
        scored = command("cells", "repU", "--scenario", f"scenarios.toml#{name}", "--format", "csv",
                         folder=folder)  # fmt: skip
        read = command("cells", "repU", f"all.duckdb#{name}", "--format", "csv", folder=folder)
        assert read[:2] == scored[:2]
        assert read[1].count("\n") > 1
    asked = "SELECT scenario, value FROM all_results WHERE measure = 'UiO' ORDER BY scenario"
    code, out, _ = command("query", "all.duckdb", asked, "--format", "csv", folder=folder)
    assert [line.split(",")[0] for line in out.splitlines()] == [
        "scenario",
        "employer",
        "neighbour",
    ]
    found = command("lookup", "all.duckdb#employer", "--key", "sex=f", "--format", "csv",
                    folder=folder)  # fmt: skip
    assert found[1].startswith("target,synthesis,radius,level,records,percent\nill,1,0,")
    for words in (["cells", "DiSCO", "all.duckdb"], ["lookup", "all.duckdb", "--key", "sex=f"]):
        assert "Name one, as in all.duckdb#neighbour" in fails(*words, folder=folder)
    assert (
        command(*score[:2], "scenarios.toml#employer", "--save", "one.duckdb", folder=folder)[0]
        == 0
    )
    message = fails("query", "one.duckdb#employer", "FROM results", folder=folder)
    assert "holds one scenario, without a name; leave #employer out" in message
    assert "is the input" in fails(
        *score, "--save", "original.parquet.duckdb", "-o", "syn.parquet", folder=folder
    )
    for more in (["--steps", "age.width=1,5"], ["--layout", "raab2"]):
        assert "--save" in fails(*score, *more, "--save", "no.duckdb", folder=folder)
    assert "'review' must end in .duckdb" in fails(*score, "--save", "review", folder=folder)
    assert not {"no.duckdb", "review", "original.parquet.duckdb"} & {
        each.name for each in folder.iterdir()
    }
