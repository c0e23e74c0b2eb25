"""A scenario as SQL that others run: the same numbers as a run, from tables of any name; refusals;
the command line.
"""

import re
from pathlib import Path
from typing import Any

import compiled
import duckdb
import forks
import pyarrow as pa
import pytest

import sqlrisk

SCENARIO = """original = "shop.people"
synthetic = ["shop.syn_1", 'shop."syn 2"']
keys = ["sex", "age"]
targets = ["ill", "income"]
measures = ["identity", "DiSCO", "DCAP_scaled"]
"""
VIEWS = (
    *("named_cells", "named_classes", "named_records", "record_risk"),
    *("risky_disco", "risky_repu", "risky_uio", "risky_uis"),
)
VIEWED = ("disco", "repu")
TABLES = {"people": 0, "syn_1": 1, "syn 2": 2}


@pytest.fixture
def database() -> duckdb.DuckDBPyConnection:
    """A database with the tables of the scenario file, and a schema for ours."""
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA shop; CREATE SCHEMA work")
    for name, seed in TABLES.items():
        connection.register("loaded", compiled.people(seed))
        connection.execute(f'CREATE TABLE shop."{name}" AS FROM loaded')
    connection.unregister("loaded")
    return connection


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """The scenario file."""
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def rows(
    connection: duckdb.DuckDBPyConnection, select: str = compiled.SELECT
) -> list[dict[str, Any]]:
    found = connection.execute(select)
    names = [each[0] for each in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def made(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {f"{schema}.{name}" for schema, name in connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema <> "
        "'shop'").fetchall()}  # fmt: skip


def command(*arguments: str | Path) -> forks.Done:
    return forks.run(*arguments)


@pytest.mark.parametrize("question", compiled.ASKED)
def test_compiled_sql_gives_the_rows_of_a_report(question: str) -> None:
    connection = duckdb.connect()
    for name, table in compiled.tables(question).items():
        connection.register("loaded", table)
        connection.execute(f"CREATE TABLE {name} AS FROM loaded")
    files = compiled.compile_question(question, "duckdb")
    for name, text in files.items():
        if name.endswith(".sql") and "drop" not in name:
            connection.execute(text)
    report = compiled.score_question(question)
    compiled.assert_same(compiled.found(rows(connection)), compiled.reported(report))
    compiled.assert_views(question, lambda select: rows(connection, select))


def test_the_command_writes_files_that_run(
    scenario: Path, tmp_path: Path, database: duckdb.DuckDBPyConnection
) -> None:
    folder = tmp_path / "out"
    done = command(
        "compile",
        scenario,
        "-o",
        folder,
        "--scratch",
        "work",
        "--prefix",
        "mine_",
        "--types",
        "age=INTEGER",
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "README.md" in done.stderr
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        *(
            "01_dictionaries.sql",
            "02_stages.sql",
            "03_measures.sql",
            "04_results.sql",
            "05_risky_cells.sql",
            "06_views.sql",
            "07_drop.sql",
        ),
        "README.md",
    ]
    for name in names[:4]:
        database.execute((folder / name).read_text(encoding="utf-8"))
    assert {each.partition(".")[0] for each in made(database)} == {"work"}
    assert all(each.startswith("work.mine_") for each in made(database))
    held = [compiled.people(seed) for seed in range(3)]
    settings = {
        "keys": ["sex", "age"],
        "targets": ["ill", "income"],
        "measures": ["identity", "DiSCO", "DCAP_scaled"],
    }
    report = sqlrisk.score(held[0], held[1:], **settings)
    numbers = rows(database, compiled.SELECT.replace("sqlrisk_results", "work.mine_results"))
    compiled.assert_same(compiled.found(numbers), compiled.reported(report))
    listed = database.execute((folder / names[4]).read_text(encoding="utf-8")).fetchall()
    assert 0 < len(listed) <= 20
    database.execute((folder / names[5]).read_text(encoding="utf-8"))
    views = {f"work.mine_{name}" for name in VIEWS}
    assert views <= made(database)
    database.execute((folder / names[6]).read_text(encoding="utf-8"))
    assert made(database) == set()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert all(name in readme for name in (*names[:7], "work.mine_results", "`shop.people`"))
    assert all(f"`{name}`" in readme for name in views)
    assert "The schema `work` must exist" in readme
    database.execute("DROP SCHEMA work CASCADE")
    with pytest.raises(duckdb.Error, match="work"):
        database.execute((folder / names[0]).read_text(encoding="utf-8"))
    again = command("compile", scenario, "-o", folder)
    assert again.returncode == 2
    assert "new or empty folder" in again.stderr


def test_risky_cells_are_those_of_a_listing(database: duckdb.DuckDBPyConnection) -> None:
    settings: dict[str, Any] = {
        "keys": ["sex", "age"],
        "targets": ["income"],
        "measures": ["DiSCO"],
    }
    files = sqlrisk.compile_sql("shop.people", "shop.syn_1", **settings)
    for name in sorted(files)[:5]:
        database.execute(files[name])
    listed = database.fetchall()
    shown = sqlrisk.cells("DiSCO", compiled.people(0), compiled.people(1), **settings)
    assert len(shown.rows) == len(listed) > 3
    # value, low, high, closed of each column; then n_orig, n_syn and those of the class.
    mine = [(row[0], row[4], row[8], *row[12:]) for row in listed]
    places = [
        shown.columns.index(name)
        for name in ("sex", "age", "level", "n_orig", "n_syn", "n_orig_class", "n_syn_class")
    ]
    assert sorted(map(str, mine)) == sorted(
        str(tuple(row[place] for place in places)) for row in shown.rows
    )


@pytest.mark.parametrize(("measure", "listed"), [("DiSCO", True), ("CAPd", False)])
def test_the_readme_names_risky_cells_only_if_a_file_lists_them(measure: str, listed: bool) -> None:
    files = sqlrisk.compile_sql(
        "original", "synthetic", keys="age", targets="ill", measures=measure
    )
    assert any("risky_cells" in name for name in files) == listed
    assert ("`risky_cells`" in files["README.md"]) == listed


@pytest.mark.slow
def test_a_column_with_a_name_that_a_view_needs_is_named_by_its_role() -> None:
    connection = duckdb.connect()
    names = {"sex": "Level", "age": "age", "town": "age_from", "ill": "ill"}
    for seed, name in enumerate(("original", "synthetic")):
        table = compiled.people(seed).select(list(names)).rename_columns(names)
        connection.register("loaded", table)
        connection.execute(f"CREATE TABLE {name} AS FROM loaded")
    files = sqlrisk.compile_sql(
        "original",
        "synthetic",
        keys=["Level", "age", "age_from"],
        targets=["ill"],
        bins={"age": 3},
        measures=["DiSCO", "repU"],
    )
    for name in sorted(files)[:6]:
        connection.execute(files[name])
    keys = ["key_Level", "age", "age_from", "age_to", "age_closed", "key_age_from"]
    of_cells, of_classes = (rows(connection, f"FROM sqlrisk_risky_{each}") for each in VIEWED)
    assert list(of_classes[0]) == ["synthesis", *keys, "n_orig", "n_syn"]
    assert list(of_cells[0])[:9] == ["synthesis", "target", *keys, "level"]
    assert {row["key_Level"] for row in of_cells} <= {"f", "m", None}


@pytest.mark.slow
def test_each_table_is_said_what_a_row_of_it_is() -> None:
    files = compiled.compile_question("every measure", "clickhouse", ["syn_1"])
    text = "".join(text for name, text in files.items() if name.endswith(".sql"))
    made = re.findall(r"((?:^-- .*\n)*)CREATE TABLE", text, re.MULTILINE)
    assert len(made) > 20
    assert all(comment.startswith("-- one row") for comment in made)
    # a client could take it for the end of a statement
    assert not re.search("^-- .*;", text, re.MULTILINE)


@pytest.mark.slow
def test_of_a_table_without_records_there_is_no_number() -> None:
    """A run refuses it; compiled SQL has no value or no row, whatever is counted beside it, and
    tells as much of the others.
    """

    def told(syntheses: int) -> dict[compiled.Place, tuple[Any, ...]]:
        connection = duckdb.connect()
        names = ["nobody", *(f"made_{number}" for number in range(syntheses))]
        for number, name in enumerate(names):
            connection.register("loaded", compiled.people(number).slice(0, 160 if number else 0))
            connection.execute(f"CREATE TABLE {name} AS FROM loaded")
        asked = {
            "measures": ["identity", "attribute", "within"],
            "within": {"income": "1"},
            "types": compiled.TYPES,
        }
        files = sqlrisk.compile_sql(names[0], names[1:], **compiled.KEYS, **asked)
        for part in ("01_dictionaries", "02_stages", "03_measures", "04_results"):
            connection.execute(files[f"{part}.sql"])
        return {
            place: row
            for place, row in compiled.found(rows(connection)).items()
            if place[4] == "1" and row[2] is not None
        }

    assert told(1) == told(2)
    assert {place[0] for place in told(2)} == {"UiS", "repU_syn", "Dsyn"}  # of synthetic records


@pytest.mark.slow
def test_two_prefixes_never_meet(database: duckdb.DuckDBPyConnection) -> None:
    settings: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"], "measures": ["DCAP"]}
    both = [
        sqlrisk.compile_sql("shop.people", synthetic, prefix=prefix, **settings)
        for prefix, synthetic in (("first_", "shop.syn_1"), ("second_", 'shop."syn 2"'))
    ]
    for step in range(4):
        for files in both:
            database.execute(files[sorted(files)[step]])
    values = [
        rows(database, f"SELECT value FROM {name}_results")[0]["value"]
        for name in ("first", "second")
    ]
    expected = [
        sqlrisk.score(compiled.people(0), compiled.people(seed), **settings)["DCAP"].rows[0][
            "value"
        ]
        for seed in (1, 2)
    ]
    assert values == pytest.approx(expected, rel=1e-12)
    assert values[0] != values[1]


def test_universe_and_control_of_aligned_tables_may_lack_the_id() -> None:
    people = pa.table({"person": [1, 2, 3], "k": list("aab"), "t": list("xyx")})
    held = {
        "original": people,
        "synthetic": people,
        "universe": people.select(["k"]),
        "control": people.select(["k", "t"]),
    }
    asked: dict[str, Any] = {"keys": "k", "targets": "t", "id": "person", "aligned": True}
    asked["measures"] = ["true_match_rate", "k_map", "DiSCO"]
    with duckdb.connect() as connection:
        for name, table in held.items():
            connection.register(name, table)
        beside = {name: name for name in ("universe", "control")}
        files = sqlrisk.compile_sql("original", "synthetic", **beside, **asked)
        for name in sorted(files)[:4]:
            connection.execute(files[name])
        found = compiled.found(rows(connection))
    people_of = {(place[0], place[6]): row[:3] for place, row in found.items()}
    for group in ("original", "control"):
        assert people_of["DiSCO", group] == (1, 3, pytest.approx(100 / 3))
        assert people_of["k_map", group] == (None, None, 1)
    assert people_of["true_match_rate", "original"] == (1, 3, pytest.approx(100 / 3))


@pytest.mark.slow
def test_nan_of_a_named_column_is_missing() -> None:
    settings: dict[str, Any] = {
        "keys": ["sex"],
        "targets": ["size"],
        "measures": ["identity", "attribute", "cap"],
    }
    connection = duckdb.connect()
    for seed, name in enumerate(("original", "synthetic")):
        connection.register("loaded", compiled.people(seed))
        connection.execute(f"CREATE TABLE {name} AS FROM loaded")
    files = sqlrisk.compile_sql("original", "synthetic", types="size=DOUBLE", **settings)
    for name in sorted(files)[:4]:
        connection.execute(files[name])
    report = sqlrisk.score(compiled.people(0), compiled.people(1), **settings)
    compiled.assert_same(compiled.found(rows(connection)), compiled.reported(report))


@pytest.mark.slow
def test_an_edge_of_a_bin_is_looked_for_in_numbers_of_any_type() -> None:
    files = compiled.compile_question("bins", "postgres")
    # it is said to be whole
    assert 'CAST("age" AS DOUBLE PRECISION)' not in files["01_dictionaries.sql"]
    files = sqlrisk.compile_sql(
        "a", "b", dialect="postgres", keys=["age"], targets=["ill"], bins={"age": 4}
    )
    assert 'CAST("age" AS DOUBLE PRECISION)' in files["01_dictionaries.sql"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"by": ["town"]}, r"by: .* needs the levels"),
        ({"split": "sex", "split_in": "f"}, "split: "),
        ({"distributions": True}, "distributions: "),
        ({"trend": True}, "trend: "),
        (
            {"membership_epsilon": 0, "measures": ["membership"], "control": "others"},
            "membership_epsilon: SQL .* needs intervals that no database computes",
        ),
        ({"aligned": True, "measures": ["matches"]}, "no order; name the column"),
        ({"prefix": "a b"}, "prefix: 'a b'"),
        ({"types": ["age=FLOAT", "age=INT"]}, "types: the column 'age' is named twice"),
        ({"types": {"age=FLOAT"}}, "types: expected COLUMN=TYPE, or a table of them"),
        ({"types": "age=FLAT"}, r"types: 'FLAT' of 'age' is not a type \(did you mean 'FLOAT'\?\)"),
        (
            {"types": "agee=INTEGER,w=DOUBLE,n=DOUBLE", "population": "old: n > 9", "weights": "w"},
            r"^types: 'agee' is not a column of the scenario \(did you mean 'age'\?\)\.$",
        ),
        ({"bins": {"age": 3}, "types": "age=VARCHAR"}, "only numbers can be binned"),
        ({"targets": None}, "name the targets, too"),
        ({"dialect": "snowflakes"}, r"'snowflakes' \(did you mean 'snowflake'\?\)"),
        ({"limits": ["DiSCO<=5"]}, "become dbt tests: give --dbt"),
        (
            {"dbt": True, "limits": ["DISCOO<=5"]},
            r"no measure or family 'DISCOO' \(did you mean 'DiSCO'",
        ),
        (
            {"dbt": True, "limits": ["DiSCO:il<=5"]},
            r"the scenario has no target 'il' \(did you mean 'ill'\?\)",
        ),
        ({"dbt": True, "limits": ["DiSCO=5"]}, "cannot read the rule 'DiSCO=5'"),
        ({"dbt": True, "limits": ["control_adjusted(DiSCO)<=5"]}, "--control or --split"),
        ({"dbt": True, "limits": ["DiSCO<=repU"]}, "repU has no number for the same target"),
        ({"dbt": True, "limits": ["DiSCO<=CAP_at_least"]}, "give its point"),
        (
            {"keys": list("abcdefghi"), "measures": ["GCAP"]},
            "at most 8 keys, not 9; leave out GCAP",
        ),
        ({"scratch": '"work'}, "not a valid table name"),
    ],
)
def test_what_cannot_be_compiled_is_refused(settings: dict[str, Any], problem: str) -> None:
    given = {"keys": ["age"], "targets": ["ill"], **settings}
    with pytest.raises(sqlrisk.InputError, match=problem):
        sqlrisk.compile_sql("people", "synthetic", **given)


def test_files_are_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=r"people.csv.*reads only tables of the database"):
        sqlrisk.compile_sql(str(path), "synthetic", keys=["a"], targets=["b"])


def test_a_level_or_name_is_never_sql(database: duckdb.DuckDBPyConnection) -> None:
    hostile = 'x"; DROP TABLE shop.people; --'
    database.execute(
        f'ALTER TABLE shop.people RENAME COLUMN town TO "{hostile.replace(chr(34), chr(34) * 2)}"'
    )
    database.execute(
        f'ALTER TABLE shop.syn_1 RENAME COLUMN town TO "{hostile.replace(chr(34), chr(34) * 2)}"'
    )
    settings: dict[str, Any] = {
        "keys": [hostile],
        "targets": ["ill"],
        "exclude_level": {"ill": ["'; DROP TABLE shop.people; --"]},
    }
    files = sqlrisk.compile_sql("shop.people", "shop.syn_1", **settings)
    for name in sorted(files)[:4]:
        database.execute(files[name])
    assert rows(database, "SELECT COUNT(*) AS n FROM shop.people")[0]["n"] == 160
    assert not re.search(r"^DROP", files["02_stages.sql"], re.MULTILINE)


def test_dialects_that_nobody_runs_say_so() -> None:
    for dialect, run in (("snowflake", False), ("postgres", True)):
        files = sqlrisk.compile_sql(
            "people",
            "synthetic",
            dialect=dialect,
            keys=["age"],
            targets=["ill"],
            measures=["DiSCO"],
        )
        assert [("generated, parsed, not run" in text) is not run for text in files.values()] == [
            True
        ] * len(files)


@pytest.mark.slow
def test_the_zone_of_the_session_does_not_matter() -> None:
    """Instants are cut into years, and typed levels read, in UTC: 2020-01-01 00:30 is in 2019
    elsewhere.
    """
    moments = [
        "2019-12-31 23:30:00",
        "2020-01-01 00:30:00",
        "2020-01-01 00:30:00",
        "2020-07-01 12:00:00",
    ]
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    connection.execute("CREATE TABLE people (seen TIMESTAMPTZ, ill VARCHAR, town VARCHAR)")
    for record in zip((f"{moment}+00" for moment in moments), "abbb", "abbc", strict=True):
        connection.execute("INSERT INTO people VALUES (CAST(? AS TIMESTAMPTZ), ?, ?)", record)
    by_year: dict[str, Any] = {
        "keys": ["seen"],
        "targets": ["ill"],
        "column": {"seen": {"date": "year"}},
    }
    typed: dict[str, Any] = {
        "keys": ["town"],
        "targets": ["seen"],
        "exclude_level": {"seen": [moments[1]]},
    }
    for asked, people in ((by_year, 4), (typed, 2)):
        files = sqlrisk.compile_sql(
            "people", "people", measures=["DiSCO"], prefix=f"p{people}_", **asked
        )
        for name in sorted(files)[:4]:
            # each file may be run by a session of its own
            connection.execute("SET TimeZone = 'America/New_York'")
            connection.execute(files[name])
        (row,) = rows(
            connection, f"SELECT numerator FROM p{people}_results WHERE measure = 'DiSCO'"
        )
        assert row["numerator"] == people
    printed = sqlrisk.sql("DiSCO", keys=["seen"], targets=["ill"])
    assert "TimeZone = 'UTC'" not in printed.partition("CREATE")[2]
    assert "SET TimeZone = 'UTC';" in printed.partition("CREATE")[0]
