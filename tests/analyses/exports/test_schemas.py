"""The schemas that `sqlrisk schema` prints: what sqlrisk writes holds to them, and slips in files
that people write are found.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_type_hints

import jsonschema
import pytest

import sqlrisk
from sqlrisk.analyses.exports import schemas
from sqlrisk.cli.exports import SCHEMAS
from sqlrisk.inputs.fields import SETTINGS
from tests.inputs.test_policy import SCORE, command, files, policy_of, rule

__all__ = ["files"]  # a fixture
ROOT = Path(__file__).resolve().parents[3]
ALL = [
    *SCORE,
    "--policy",
    "policy.toml",
    "--utility",
    "all",
    "--distributions",
    "--trend",
    "--evidence",
    "--exclude-level",
    "job=a",
]


def valid(kind: str, document: object) -> bool:
    return bool(jsonschema.Draft202012Validator(sqlrisk.schema(kind)).is_valid(document))


def holds(kind: str, document: Any) -> None:
    """It holds to its schema, and the schema names each of its keys."""
    jsonschema.Draft202012Validator(sqlrisk.schema(kind)).validate(document)
    assert set(document) <= set(sqlrisk.schema(kind)["properties"])


def held(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_schema_is_one_and_says_its_form(kind: str, files: Path) -> None:
    found = sqlrisk.schema(kind)
    jsonschema.Draft202012Validator.check_schema(found)
    assert (found["$id"], tuple(schemas.KINDS)) == (f"urn:sqlrisk:{kind}:1", SCHEMAS)
    assert json.loads(command(files, "schema", kind)[1]) == found


@pytest.mark.slow
def test_what_sqlrisk_writes_holds_to_them(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 100"))
    assert command(files, *ALL, "-o", "risk.json")[0] == 0
    holds("result", held(files / "risk.json"))
    holds("manifest", held(files / "risk.json.manifest.json"))
    sqlrisk.sign(files / "risk.json", "refuse", by="B", findings={"DiSCO:job": "c"})
    holds("signature", held(files / "risk.signatures.json"))
    assert (
        command(
            files,
            *SCORE,
            "--control",
            "other.parquet",
            "--report",
            "external",
            "--threshold",
            "3",
            "-o",
            "out.json",
        )[0]
        == 0
    )
    holds("result", held(files / "out.json"))
    holds("manifest", held(files / "out.json.external-manifest.json"))
    wrong = held(files / "risk.json")
    wrong["results"][0]["value"] = "much"
    assert not valid("result", wrong)
    assert not valid("signature", held(files / "risk.json"))
    assert not valid("manifest", held(files / "risk.json"))


SEVERAL = """
original = "orig.parquet"
synthetic = "syn.parquet"
targets = "job"
measures = "DiSCO"
[scenario.neighbor]
keys = "sex,age"
exclude_level = "job=a"
[scenario.employer]
keys = "age"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["score", "--scenario", "two.toml", "--policy", "policy.toml"], ["neighbor", "employer"]),
        ([*SCORE, "--steps", "age.width=1,5"], ["age.width=1", "age.width=5"]),
    ],
)
def test_a_result_of_several_holds_to_it(asked: list[str], names: list[str], files: Path) -> None:
    policy_of(files, rule("DiSCO <= 100"))
    (files / "two.toml").write_text(SEVERAL, encoding="utf-8")
    assert command(files, *asked, "-o", "risk.json")[0] == 0
    result = held(files / "risk.json")
    holds("result", result)
    assert [each["name"] for each in result["scenarios"]] == names
    known = sqlrisk.schema("result")["properties"]["scenarios"]["items"]["properties"]
    assert all(set(each) <= set(known) for each in result["scenarios"])
    if "two.toml" in asked:
        holds("manifest", held(files / "risk.json.manifest.json"))
    del result["scenarios"][1]["results"][0]["value"]
    assert not valid("result", result)


def test_every_setting_is_in_the_schema_of_a_scenario_with_a_type() -> None:
    known = sqlrisk.schema("scenario")["properties"]
    assert set(SETTINGS) < set(known)
    for name, field in SETTINGS.items():
        reader = getattr(field.reader, "func", field.reader)
        assert "return" in get_type_hints(reader), name
        assert known[name].keys() & {"type", "anyOf"}, name


def test_the_scenarios_of_the_guide_hold_to_it_and_slips_do_not(files: Path) -> None:
    blocks = [
        block
        for page in (ROOT / "sqlrisk/guide").glob("*.md")
        for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)
    ]
    asked = [
        tomllib.loads(block)
        for block in blocks
        if re.search(r"^(keys|\[scenario)", block, re.MULTILINE)
    ]
    assert len(asked) > 2
    for each in asked:
        jsonschema.validate(each, sqlrisk.schema("scenario"))
    assert not valid("scenario", {"key": ["age"]})
    assert not valid("scenario", {"keys": ["age"], "max_cell": [5]})
    assert not valid("scenario", {"column": {"age": {"band": [0, 18]}}})
    assert not valid("scenario", {"scenario": {"a": {"keyz": "age"}}})
    assert valid("scenario", {"release": {"purpose": "Teaching", "logo": "logo.png"}})
    assert not valid("scenario", {"release": {"purpos": "Teaching"}})


def test_policies_hold_to_it_and_slips_do_not() -> None:
    for path in (ROOT / "data" / "policies").glob("*.toml"):
        jsonschema.validate(tomllib.loads(path.read_text()), sqlrisk.schema("policy"))
    whole: dict[str, Any] = {
        "rule": "DiSCO <= 5",
        "reason": "r",
        "targets": ["a"],
        "verdict": "review",
        "exclusions": "with",
    }
    whole["exception"] = {"text": "t", "by": "b"}
    assert valid(
        "policy",
        {"name": "p", "rule": [whole], "accept": [{"code": "copied_records", "text": "t"}]},
    )
    assert not valid("policy", {"name": "p", "rule": [whole | {"verdict": "no"}]})
    assert not valid("policy", {"name": "p", "rules": [whole]})


def test_the_policy_of_the_guide_names_the_schema_that_its_page_saves(files: Path) -> None:
    page = (ROOT / "sqlrisk/guide/policy.md").read_text(encoding="utf-8")
    ((policy, name),) = re.findall(r"```toml\n(#:schema \./(\S+)\n.*?)```", page, re.DOTALL)
    (save,) = re.findall(rf"`sqlrisk (schema policy -o {re.escape(name)})`", page)
    assert command(files, *save.split()) == (0, "", "")
    jsonschema.validate(tomllib.loads(policy), held(files / name))


def test_a_draft_names_its_schema_where_that_is_beside_it(files: Path) -> None:
    draft = ["init", "orig.parquet", "syn.parquet", "--yes", "-o"]
    assert command(files, *draft, "plain.toml")[0] == 0
    assert command(files, "schema", "scenario", "-o", "scenario.schema.json") == (0, "", "")
    assert command(files, *draft, "scenario.toml")[0] == 0
    plain, named = (
        (files / name).read_text(encoding="utf-8") for name in ("plain.toml", "scenario.toml")
    )
    assert named.splitlines()[0] == "#:schema ./scenario.schema.json"
    assert named.splitlines()[1] == plain.splitlines()[0]
    jsonschema.validate(tomllib.loads(named), held(files / "scenario.schema.json"))
