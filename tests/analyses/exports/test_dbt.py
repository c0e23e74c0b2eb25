"""A compiled scenario as a dbt project: dbt builds the numbers of a run of it, alone or as a
package; its rules are tests.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import compiled
import duckdb
import psycopg
import pyarrow as pa
import pytest
from quickly import some

import sqlrisk
from sqlrisk.analyses.exports import dbt_project
from sqlrisk.catalogue import templates
from sqlrisk.inputs.policy import read_policy
from tests.engines.test_postgresql import database, fill

__all__ = ["database"]  # a fixture
SETTINGS: dict[str, Any] = {
    "keys": ["sex", "age", "{{ town }}"],
    "targets": ["ill", "it's {% income %}"],
    "exclude_level": {"ill": ["{# flu #}", "it's"]},
    "measures": ["identity", "attribute", "DCAP_scaled", "UiO-repU"],
}
ADDED = ["DCAP", "CAPd", "CAP_at_least"]  # by the policy
NEIGHBORS = ["GCAP", "accuracy_GCAP"]  # two thirds of the models
POLICY = """
name = "of {{ every }} kind"
[[rule]]
rule = "DCAP <= CAPd"
reason = "{% raw %}"
[[rule]]
rule = "DiSCO > Dorig"
reason = "never so for all"
[[rule]]
rule = "CAP_at_least[0.9] <= CAP_at_least[0.5]"
reason = "always so"
[[rule]]
rule = "DiSCO <= 0.5"
reason = "but for one"
syntheses = ["1", "max"]
exception = { text = "it's known", targets = ["it's {% income %}"] }
[[rule]]
rule = "control_adjusted(DiSCO) <= -1"
reason = "for review"
verdict = "review"
[[rule]]
rule = "repU <= UiO"
reason = "always so"
exception = { text = "not needed" }
"""
PROGRAMS = Path(__file__).resolve().parents[3] / ".venv-dbt" / "bin"  # scripts/test makes it
SCHEMAS = {"duckdb": "main", "postgres": "public"}  # of each, by default
DUCKDB = {"type": "duckdb", "path": "people.duckdb", "threads": 2}


def tables() -> list[Any]:
    """The original, two syntheses and control, with names that dbt's templates could take for their
    own.
    """
    names = {
        "sex": "sex",
        "age": "age",
        "town": "{{ town }}",
        "ill": "ill",
        "income": "it's {% income %}",
    }
    held = [
        compiled.people(seed, rows=100).select(list(names)).rename_columns(names)
        for seed in range(4)
    ]
    ill = [
        pa.array(["{# flu #}" if each == "flu" else each for each in table["ill"].to_pylist()])
        for table in held
    ]
    return [table.set_column(3, "ill", each) for table, each in zip(held, ill, strict=True)]


def write(folder: Path, files: dict[str, str], profile: dict[str, Any] = DUCKDB) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    profiles = {"sqlrisk": {"target": "dev", "outputs": {"dev": profile}}}
    (folder / "profiles.yml").write_text(json.dumps(profiles), encoding="utf-8")


def read_yaml(text: str) -> Any:
    """What the library makes of it that dbt reads YAML with."""
    code = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin.buffer), sys.stdout)"
    done = subprocess.run(
        [PROGRAMS / "python", "-c", code], input=text.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def dbt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAMS / "dbt", "--no-send-anonymous-usage-stats", *arguments, "--profiles-dir", "."],
        cwd=folder,
        env={**os.environ, "DO_NOT_TRACK": "1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        check=False,
    )


def build(folder: Path, *arguments: str) -> tuple[int, dict[str, str]]:
    """Run `dbt build`: its exit status, and the status of every model and test."""
    done = dbt(folder, "build", *arguments)
    run = json.loads((folder / "target" / "run_results.json").read_text(encoding="utf-8"))
    assert "Deprecation" not in done.stdout
    found = {each["unique_id"]: each["status"] for each in run["results"]}
    hooks = [found.pop(name) for name in list(found) if name.startswith("operation.")]
    assert set(hooks) == {"success"}, done.stdout
    return done.returncode, {name.split(".")[2]: status for name, status in found.items()}


@pytest.mark.parametrize("more", some([[]], [[], NEIGHBORS]), ids=" ".join)
def test_dbt_builds_the_numbers_of_a_report(more: list[str], tmp_path: Path) -> None:
    held, asked = tables(), {**SETTINGS, "measures": [*SETTINGS["measures"], *more]}
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute("CREATE SCHEMA shop")
        for name, table in zip(("original", "syn_1", "syn_2", "control"), held, strict=True):
            connection.register("loaded", table)
            connection.execute(f"CREATE TABLE shop.{name} AS FROM loaded")
            connection.unregister("loaded")
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY, encoding="utf-8")
    limits = ["UiO<=100", "DiSCO:it's {% income %}<=0.5", "Dorig>100"]
    files = sqlrisk.compile_sql("shop.original", ["shop.syn_1", "shop.syn_2"],
        control="shop.control", dbt=True, limits=limits,
                                policy=policy, **asked)  # fmt: skip
    write(tmp_path, files)
    status, built = build(tmp_path)
    tests = {name: built.pop(name) for name in list(built) if name.startswith("sqlrisk_rule_")}
    models = built_models(files)
    assert built == dict.fromkeys(models, "success")
    assert status == 1
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        left = {
            name
            for (name,) in connection.execute(
                "SELECT table_name FROM duckdb_tables WHERE schema_name = 'main'"
            ).fetchall()
        }
        assert left == models - disclosive(files)
        found = connection.execute(compiled.SELECT)
        names = [each[0] for each in found.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    report = sqlrisk.score(
        held[0],
        held[1:3],
        control=held[3],
        **{**asked, "measures": [*asked["measures"], *ADDED]},
    )
    compiled.assert_same(compiled.found(rows), compiled.reported(report))
    # Each rule comes to what `check` makes of it; what an exception covers is a test of its own.
    judged: Any = sqlrisk.check(report, policy).policy["verdicts"]
    # the limits
    wanted = {"sqlrisk_rule_7": "pass", "sqlrisk_rule_8": "fail", "sqlrisk_rule_9": "fail"}
    for number, clause in enumerate(read_policy(policy).clauses, start=1):
        own = [row for row in judged if row["rule"] == clause.rule.text]
        excepted = clause.exception is not None and any(row["exception"] for row in own)
        rest = {row["verdict"] for row in own if row["exception"] is None}
        wanted[f"sqlrisk_rule_{number}"] = (
            "fail" if "fail" in rest else "warn" if "review" in rest else "pass"
        )
        if clause.exception is not None:
            wanted[f"sqlrisk_rule_{number}_excepted"] = "warn" if excepted else "pass"
    assert tests == wanted
    assert set(tests.values()) == {"fail", "warn", "pass"}


def built_models(files: dict[str, str]) -> set[str]:
    """The models that are made without being asked for."""
    models = read_yaml(files["models/schema.yml"])["models"]
    kept = {
        each["name"] for each in models if {"enabled", "materialized"} & {*each.get("config", {})}
    }
    named = {
        Path(name).stem for name in files if name.startswith("models/") and name.endswith(".sql")
    }
    assert kept < named
    return named - kept


def disclosive(files: dict[str, str]) -> set[str]:
    """The models that say so of themselves."""
    models = read_yaml(files["models/schema.yml"])["models"]
    found = {each["name"]: each["config"] for each in models if "config" in each}
    assert all(
        (config["tags"], config["meta"]) == (["disclosive"], {"disclosive": True})
        for config in found.values()
    )
    assert not any("result" in name or "measured" in name or "parts" in name for name in found)
    return set(found)


PROJECT = {
    "dbt_project.yml": """
        {name: shop, version: "1.0", config-version: 2, profile: sqlrisk,
         flags: {send_anonymous_usage_stats: false}}""",
    "packages.yml": "packages: [{local: risk}]",
    "models/decision.sql": (
        "select * from {{ ref('sqlrisk_results') }} where measure in ('DiSCO', 'repU')"
    ),
    "models/decision.yml": """
models:
  - name: decision
    data_tests:
      - sqlrisk.sqlrisk_max: {name: met, arguments: {measure: DiSCO, bound: 100}}
      - sqlrisk.sqlrisk_max:
          {name: met_to_the_end, arguments: {measure: DiSCO, bound: BOUND, target: TARGET}}
      - sqlrisk.sqlrisk_max:
          {name: broken, arguments: {measure: DiSCO, bound: BELOW, target: TARGET}}
      - sqlrisk.sqlrisk_max: {name: mistyped, arguments: {measure: DISCO, bound: 100}}
      - sqlrisk.sqlrisk_max:
          {name: no_target, arguments: {measure: repU, bound: 100, target: TARGET}}
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_a_package_gives_the_numbers_and_leaves_no_record(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In the project of somebody else, with names and levels that a template or a client could take
    for its own.
    """
    tables, names = compiled.hostile_tables(2), ("data.original", "data.syn")
    report = sqlrisk.score(*tables, **compiled.HOSTILE_QUESTION)
    profile: dict[str, Any] = DUCKDB
    if kind == "postgres":
        at = psycopg.conninfo.conninfo_to_dict(request.getfixturevalue("database"))
        profile = {
            "type": "postgres",
            "schema": "public",
            "threads": 2,
            "password": "",
            **at,
            "port": int(at["port"]),
        }
        connection: Any = psycopg.connect(**at, autocommit=True)
        columns = ", ".join(f"{templates.quote(name)} text" for name in tables[0].column_names)
        for name, table in zip(names, tables, strict=True):
            fill(connection, name, table, f"({columns})")
    else:
        connection = duckdb.connect(str(tmp_path / "people.duckdb"))
        connection.execute("CREATE SCHEMA data")
        for name, table in zip(names, tables, strict=True):
            connection.register("loaded", table)
            connection.execute(f"CREATE TABLE {name} AS FROM loaded")
        connection.close()
    target = compiled.HOSTILE_QUESTION["targets"][0]
    (disco,) = [row["value"] for row in report["DiSCO"].rows if row["target"] == target]
    files = sqlrisk.compile_sql(*names, dialect=kind, dbt=True, **compiled.HOSTILE_QUESTION)
    more = {
        "BOUND": repr(disco),
        "BELOW": repr(disco * 0.999),
        "TARGET": json.dumps(dbt_project._escaped(target)),
    }
    project = dict(PROJECT)
    for word, text in more.items():
        project["models/decision.yml"] = project["models/decision.yml"].replace(word, text)
    write(tmp_path, {**project, **{f"risk/{name}": text for name, text in files.items()}}, profile)
    installed = dbt(tmp_path, "deps")
    assert installed.returncode == 0, installed.stdout
    status, built = build(
        tmp_path,
        "--vars",
        "{sqlrisk_keep: [sqlrisk_classes, sqlrisk_risky_disco, sqlrisk_record_risk]}",
    )
    tests = {
        name: built.pop(name)
        for name in ("met", "met_to_the_end", "broken", "mistyped", "no_target")
    }
    assert tests == {
        "met": "pass",
        "met_to_the_end": "pass",
        "broken": "fail",
        "mistyped": "fail",
        "no_target": "fail",
    }
    models = built_models(files) | {"sqlrisk_risky_disco", "sqlrisk_record_risk"}
    assert (status, built) == (1, dict.fromkeys([*models, "decision"], "success"))
    if kind == "duckdb":
        connection = duckdb.connect(str(tmp_path / "people.duckdb"))
    with connection:
        cursor = connection.execute(compiled.SELECT)
        named = [each[0] for each in cursor.description]
        rows = [dict(zip(named, row, strict=True)) for row in cursor.fetchall()]
        left = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = "
            f"'{SCHEMAS[kind]}'"
        )
        assert {name for (name,) in left.fetchall()} == models - disclosive(files) | {
            "sqlrisk_classes",
            "sqlrisk_risky_disco",
            "sqlrisk_record_risk",
            "decision",
        }
        risky = connection.execute("SELECT * FROM sqlrisk_risky_disco").fetchall()
        cursor = connection.execute("SELECT * FROM sqlrisk_record_risk ORDER BY synthesis")
        headers = [each[0] for each in cursor.description]
        people = cursor.fetchall()
    compiled.assert_same(compiled.found(rows), compiled.reported(report))
    asked = {name: each for name, each in compiled.HOSTILE_QUESTION.items() if name != "measures"}
    known = [each for name in ("keys", "targets") for each in asked[name]]
    records = sqlrisk.records(*tables, with_columns=known, **asked).to_arrow()
    assert {*headers} == {*records.column_names, "synthesis"} - {"record"}
    shared = [name for name in records.column_names if name in headers]
    places = [headers.index(name) for name in shared]
    assert sorted(str([compiled._rounded(row[place]) for place in places]) for row in people) == (
        sorted(
            str([compiled._rounded(row[name]) for name in shared]) for row in records.to_pylist()
        )
    )
    listed = sqlrisk.cells("DiSCO", *tables, limit=1000, **asked).rows
    assert len(listed) > 5
    assert sorted(str([*map(str, row)]) for row in risky) == sorted(
        str([*map(str, ("1", row[3], *row[:3], *row[4:]))]) for row in listed
    )


def test_a_project_has_a_model_for_each_table_and_a_test_for_each_rule() -> None:
    files = sqlrisk.compile_sql("shop.people", ["shop.syn", "other.syn"], dbt=True,
        limits=["DCAP:ill<=5.5"],
                                keys=["sex"], targets=["ill"], measures=["DCAP_scaled", "DCAP"],
                                prefix="mine_")  # fmt: skip
    assert {
        "dbt_project.yml",
        "README.md",
        "macros/holds.sql",
        "models/sources.yml",
        "models/schema.yml",
    } < files.keys()
    assert read_yaml(files["dbt_project.yml"])["name"] == "mine"
    models = {
        name: text
        for name, text in files.items()
        if name.startswith("models/") and name.endswith(".sql")
    }
    assert all(Path(name).name.startswith("mine_") for name in models)
    # What is added to a table that was read is a model of its own, which begins with what was
    # there.
    assert "ref('mine_measured')" in models["models/mine_measured__2.sql"]
    assert "ref('mine_measured__2')" in models["models/mine_results.sql"]
    sources = read_yaml(files["models/sources.yml"])["sources"]
    assert [(each["schema"], [table["name"] for table in each["tables"]]) for each in sources] == [
        ("shop", ["people", "syn"]),
        ("other", ["syn"]),
    ]
    described = read_yaml(files["models/schema.yml"])["models"]
    assert [each["name"] for each in described] == [Path(name).stem for name in models]
    assert all(each["description"].startswith(("one row", "{{ doc(")) for each in described)
    results = next(each for each in described if each["name"] == "mine_results")
    columns = results["columns"]
    assert tuple(each["name"] for each in columns) == (*compiled.COLUMNS, *compiled.NUMBERS)
    assert all(
        "{% docs sqlrisk_" + each["name"] + " %}" in files["models/docs.md"] for each in columns
    )
    (test,) = results["data_tests"]
    assert test["holds"] == {
        "name": "mine_rule_1", "description": "A limit that was typed.",
        "config": {"severity": "error"},
        "arguments": {"measure": "DCAP", "operator": "<=", "people": "original", "bound": 5.5,
            "targets": ["ill"]},
    }  # fmt: skip
    assert not any("CREATE TABLE" in text or "INSERT INTO" in text for text in models.values())
    assert all(text.startswith("-- one row") for text in models.values())


def test_sources_keep_schemas_apart_and_names_as_they_are_typed() -> None:
    """A source that dbt took for another would compare a table with itself."""
    names = ["people", "sqlrisk.people", 'Survey."People"', "a.b_c.People", "a_b.c.People"]
    files = sqlrisk.compile_sql(names[0], names[1:], dialect="postgres", dbt=True, keys="k",
        targets="t", measures="DiSCO")  # fmt: skip
    plain = {"schema": False, "identifier": False}
    found = read_yaml(files["models/sources.yml"])["sources"]
    assert found == [
        {"name": "sqlrisk", "schema": "{{ target.schema }}",
            "quoting": {"identifier": False}, "tables": [{"name": "people"}]},
        {"name": "sqlrisk_2", "schema": "sqlrisk",
            "quoting": plain, "tables": [{"name": "people"}]},
        {"name": "Survey", "schema": "Survey",
            "quoting": {"schema": False, "identifier": True}, "tables": [{"name": "People"}]},
        {"name": "a_b_c", "schema": "b_c", "database": "a",
            "quoting": {"database": False, **plain}, "tables": [{"name": "People"}]},
        {"name": "a_b_c_2", "schema": "c", "database": "a_b",
            "quoting": {"database": False, **plain}, "tables": [{"name": "People"}]},
    ]  # fmt: skip
    read = re.findall(r"source\('(\w+)', '(\w+)'\)", files["models/sqlrisk_levels_k1.sql"])
    assert read == [(each["name"], each["tables"][0]["name"]) for each in found]


@pytest.mark.parametrize("excludes", [False, True])
def test_a_project_says_that_it_tests_only_numbers_with_exclusions(
    excludes: bool, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    rule = '[[rule]]\nrule = "DiSCO <= 5"\nreason = "agreed"\n'
    policy.write_text(f'name = "ours"\n{rule}{rule}exclusions = "with"\n', encoding="utf-8")
    asked: dict[str, Any] = {"keys": "k", "targets": "t", "measures": "DiSCO", "policy": policy}
    asked |= {"exclude_missing": "t"} if excludes else {}
    files = sqlrisk.compile_sql("a", "b", dbt=True, **asked)
    models = read_yaml(files["models/schema.yml"])["models"]
    tests = [test["holds"] for model in models for test in model.get("data_tests", ())]
    said = " (tests only the numbers with exclusions)" if excludes else ""
    assert [test["description"] for test in tests] == [f"agreed{said}", "agreed"]
    assert ("know only the numbers with exclusions" in files["README.md"]) is excludes


def test_a_project_of_a_dialect_that_nobody_runs_says_so() -> None:
    files = sqlrisk.compile_sql(
        "a", "b", dialect="snowflake", dbt=True, keys=["k"], targets=["t"], measures=["DiSCO"]
    )
    marked = [name for name, text in files.items() if "generated, parsed, not run" in text]
    assert {"README.md", "dbt_project.yml"} < set(marked)
    assert all(
        name in marked for name in files if name.startswith("models/") and name.endswith(".sql")
    )


def test_yaml_means_what_was_written() -> None:
    """In blocks, a line a value, so that it merges line by line; whatever the texts are."""
    odd = [
        "yes",
        "NO",
        "null",
        "on",
        "y",
        "~",
        "1e3",
        "0x1",
        "12:30",
        "- a",
        "a: b",
        "a #b",
        "",
        " ",
        "{a}",
        "[b]",
        "*c",
        "&d",
        "!e",
        "%f",
        "@g",
    ]
    texts = [
        *odd,
        *map(chr, range(1, 0x300)),
        "\u2028",
        "\u2029",
        "\ufeff",
        "\ufffe",
        "😀",
        "two\nlines",
        "tab\t",
        *compiled.HOSTILE,
    ]
    document = {
        "texts": texts,
        "inside": [{"one": {"two": texts, "+three": None}, "four": [1, 0.5, True]}, "five", {}],
        "six": [],
    }
    written = dbt_project._yaml(document)
    assert read_yaml(written) == document
    assert len(written.splitlines()) > 2 * len(texts)
