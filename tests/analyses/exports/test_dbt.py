"""A compiled scenario as a dbt project: built by dbt on DuckDB, it gives the numbers of a run, and its rules are tests."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import compiled
import duckdb
import pyarrow as pa

import sqlrisk
from sqlrisk.inputs.policy import read_policy

SETTINGS: dict[str, Any] = {
    "keys": ["sex", "age", "{{ town }}"],
    "targets": ["ill", "it's {% income %}"],
    "exclude_level": {"ill": ["{# flu #}", "it's"]},
    "measures": ["identity", "attribute", "DCAP_scaled", "UiO-repU", "GCAP", "accuracy_GCAP"],
}
ADDED = ["DCAP", "CAPd", "CAP_at_least"]  # by the policy
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
DBT = Path(__file__).resolve().parents[3] / ".venv-dbt" / "bin" / "dbt"  # scripts/test makes it
PROFILE = {"sqlrisk": {"target": "dev", "outputs": {"dev": {"type": "duckdb", "path": "people.duckdb", "threads": 2}}}}


def tables() -> list[Any]:
    """The original, two syntheses and control, with names that dbt's templates could take for their own."""
    names = {"sex": "sex", "age": "age", "town": "{{ town }}", "ill": "ill", "income": "it's {% income %}"}
    held = [compiled.people(seed, rows=100).select(list(names)).rename_columns(names) for seed in range(4)]
    ill = [pa.array(["{# flu #}" if each == "flu" else each for each in table["ill"].to_pylist()]) for table in held]
    return [table.set_column(3, "ill", each) for table, each in zip(held, ill, strict=True)]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "profiles.yml").write_text(json.dumps(PROFILE), encoding="utf-8")


def build(folder: Path) -> tuple[int, dict[str, str]]:
    """Run `dbt build`: its exit status, and the status of every model and test."""
    done = subprocess.run(
        [DBT, "--no-send-anonymous-usage-stats", "build", "--profiles-dir", "."],
        cwd=folder,
        env={**os.environ, "DO_NOT_TRACK": "1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    run = json.loads((folder / "target" / "run_results.json").read_text(encoding="utf-8"))
    assert "Deprecation" not in done.stdout
    return done.returncode, {each["unique_id"].split(".")[2]: each["status"] for each in run["results"]}


def test_dbt_builds_the_numbers_of_a_report(tmp_path: Path) -> None:
    held = tables()
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute("CREATE SCHEMA shop")
        for name, table in zip(("original", "syn_1", "syn_2", "control"), held, strict=True):
            connection.register("loaded", table)
            connection.execute(f"CREATE TABLE shop.{name} AS FROM loaded")
            connection.unregister("loaded")
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY, encoding="utf-8")
    limits = ["UiO<=100", "DiSCO:it's {% income %}<=0.5", "Dorig>100"]
    files = sqlrisk.compile_sql("shop.original", ["shop.syn_1", "shop.syn_2"], control="shop.control", dbt=True, limits=limits,
                                policy=policy, **SETTINGS)  # fmt: skip
    write(tmp_path, files)
    status, built = build(tmp_path)
    tests = {name: built.pop(name) for name in list(built) if name.startswith("sqlrisk_rule_")}
    models = {Path(name).stem for name in files if name.startswith("models/") and name.endswith(".sql")}
    assert built == dict.fromkeys(models, "success")
    assert status == 1
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        found = connection.execute(compiled.SELECT)
        names = [each[0] for each in found.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    report = sqlrisk.score(held[0], held[1:3], control=held[3], **{**SETTINGS, "measures": [*SETTINGS["measures"], *ADDED]})
    compiled.assert_same(compiled.found(rows), compiled.reported(report))
    # Each rule comes to what `check` makes of it; what an exception covers is a test of its own.
    judged: Any = sqlrisk.check(report, policy).policy["verdicts"]
    wanted = {"sqlrisk_rule_7": "pass", "sqlrisk_rule_8": "fail", "sqlrisk_rule_9": "fail"}  # the limits
    for number, clause in enumerate(read_policy(policy).clauses, start=1):
        own = [row for row in judged if row["rule"] == clause.rule.text]
        excepted = clause.exception is not None and any(row["exception"] for row in own)
        rest = {row["verdict"] for row in own if row["exception"] is None}
        wanted[f"sqlrisk_rule_{number}"] = "fail" if "fail" in rest else "warn" if "review" in rest else "pass"
        if clause.exception is not None:
            wanted[f"sqlrisk_rule_{number}_excepted"] = "warn" if excepted else "pass"
    assert tests == wanted
    assert set(tests.values()) == {"fail", "warn", "pass"}


def test_a_project_has_a_model_for_each_table_and_a_test_for_each_rule() -> None:
    files = sqlrisk.compile_sql("shop.people", ["shop.syn", "other.syn"], dbt=True, limits=["DCAP:ill<=5.5"],
                                keys=["sex"], targets=["ill"], measures=["DCAP_scaled", "DCAP"], prefix="mine_")  # fmt: skip
    assert {"dbt_project.yml", "README.md", "macros/holds.sql", "models/sources.yml", "models/schema.yml"} < files.keys()
    models = {name: text for name, text in files.items() if name.startswith("models/") and name.endswith(".sql")}
    assert all(Path(name).name.startswith("mine_") for name in models)
    # What is added to a table that was read is a model of its own, which begins with what was there.
    assert "ref('mine_measured')" in models["models/mine_measured__2.sql"]
    assert "ref('mine_measured__2')" in models["models/mine_results.sql"]
    sources = json.loads(files["models/sources.yml"].partition("sources: ")[2])
    assert [(each["schema"], [table["name"] for table in each["tables"]]) for each in sources] == [
        ("shop", ["people", "syn"]),
        ("other", ["syn"]),
    ]
    (model,) = json.loads(files["models/schema.yml"].partition("models: ")[2])
    (test,) = model["data_tests"]
    assert test["holds"] == {
        "name": "mine_rule_1", "description": "A limit that was typed.", "config": {"severity": "error"},
        "arguments": {"measure": "DCAP", "operator": "<=", "people": "original", "bound": 5.5, "targets": ["ill"]},
    }  # fmt: skip
    assert not any("CREATE TABLE" in text or "INSERT INTO" in text for text in models.values())


def test_a_project_of_a_dialect_that_nobody_runs_says_so() -> None:
    files = sqlrisk.compile_sql("a", "b", dialect="snowflake", dbt=True, keys=["k"], targets=["t"], measures=["DiSCO"])
    marked = [name for name, text in files.items() if "generated, parsed, not run" in text]
    assert {"README.md", "dbt_project.yml"} < set(marked)
    assert all(name in marked for name in files if name.startswith("models/") and name.endswith(".sql"))
