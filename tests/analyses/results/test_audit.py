"""The audit trail: a manifest says what was asked of what, and the same run can be made of it
again.
"""

import dataclasses
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.audit import fingerprint_of
from tests.inputs.test_policy import (
    ORIGINAL,
    SCORE,
    SYNTHETIC,
    command,
    files,
    policy_of,
    rule,
    scored,
)

__all__ = ["files"]  # a fixture
KEYS = (
    "sqlrisk", "schema", "command", "started", "seconds", "engine", "environment", "scenario",
    "call", "inputs", "sql",
    "exclusions", "assessment", "verdict", "stages", "peak_memory_bytes", "warnings",
    "results_sha256", "verdicts_sha256",
)  # fmt: skip


def manifest_of(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return held


def fingerprint(report: Any) -> str:
    return fingerprint_of(report.to_dict())


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def own_measure(files: Path) -> Path:
    """A folder with the measure ``mine``, which is DiSCO."""
    folder = files / "own"
    folder.mkdir()
    shipped = next(measure for measure in sqlrisk.measures() if measure.name == "DiSCO").sql
    (folder / "mine.sql").write_text(shipped.replace('"DiSCO"', '"mine"'), encoding="utf-8")
    return folder


# ---- what a manifest says
# --------------------------------------------------------------------------------------------


def test_a_manifest_says_what_was_asked_of_what(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 100"))
    asked = [
        *SCORE,
        "other.parquet",
        "--exclude-level",
        "job=a",
        "--policy",
        "policy.toml",
        "-q",
        "-o",
        "risk.json",
    ]
    assert command(files, *asked) == (0, "", "")
    found = manifest_of(files / "risk.json.manifest.json")
    report = json.loads((files / "risk.json").read_text(encoding="utf-8"))
    assert tuple(found) == KEYS
    assert found["command"] == " ".join(["sqlrisk", *asked])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["started"])
    assert (found["sqlrisk"], found["scenario"], found["engine"]) == (
        sqlrisk.__version__,
        report["scenario"],
        report["engine"],
    )
    assert found["exclusions"] == report["exclusions"] != []
    assert found["verdict"] == "pass"
    assert found["environment"]["duckdb"] == duckdb.__version__
    assert min(found["seconds"], sum(stage["seconds"] for stage in found["stages"])) > 0
    assert found["peak_memory_bytes"] > 10_000_000
    assert [
        (each["role"], each["synthesis"], each["name"], each["records"]) for each in found["inputs"]
    ] == [
        ("original", None, "orig.parquet", 8),
        ("synthetic", "1", "syn.parquet", 6),
        ("synthetic", "2", "other.parquet", 6),
        ("policy", None, "policy.toml", None),
    ]
    for each in found["inputs"]:
        assert each["sha256"] == digest(files / each["name"])
        assert each["bytes"] == (files / each["name"]).stat().st_size
    for each in found["sql"]:
        assert each["sha256"] == hashlib.sha256(each["text"].encode()).hexdigest()
    assert {each["name"] for each in found["sql"]} == {each["name"] for each in found["stages"]}
    assert len({each["text"] for each in found["sql"]}) == len(found["sql"])
    assert any("CREATE TEMPORARY TABLE cells_t1 AS" in each["text"] for each in found["sql"])


@pytest.mark.parametrize(
    "output", few(["risk.csv", "risk.md", "risk.txt", "risk.parquet", "my.risk.json"], 5)
)
def test_a_manifest_stands_beside_each_form(files: Path, output: str) -> None:
    before = {path.name for path in files.iterdir()}
    assert command(files, *SCORE, "-o", output) == (0, "", "")
    assert {path.name for path in files.iterdir()} - before == {output, f"{output}.manifest.json"}


@pytest.mark.slow
def test_manifests_of_one_question_differ_by_no_form(files: Path) -> None:
    """A page also lists cells and has a form. Its numbers and its call are those of the JSON."""
    outputs = ("risk.json", "risk.html", "risk.md")
    for output in outputs:
        assert command(files, *SCORE, "-o", output) == (0, "", "")
    json_, *others = (manifest_of(files / f"{output}.manifest.json") for output in outputs)
    assert json_["call"] == {
        "original": "orig.parquet", "synthetic": ["syn.parquet"], "control": None, "policy": None,
        "measures_from": None, "engine": "duckdb", "scratch": None, "memory_limit": None,
        "threads": None,
    }  # fmt: skip
    for part in ("scenario", "call", "results_sha256"):
        assert [other[part] for other in others] == [json_[part]] * 2


@pytest.mark.slow
def test_each_output_of_one_run_names_its_manifest(files: Path) -> None:
    """Which is named after the .json; with two manifests beside a page, neither is taken for its
    own.
    """
    assert command(files, *SCORE, "-o", "risk.html", "-o", "risk.json", "-o", "risk.pdf") == (
        0,
        "",
        "",
    )
    assert [path.name for path in files.glob("*.manifest.json")] == ["risk.json.manifest.json"]
    for output in ("risk.html", "risk.json", "risk.pdf"):
        assert command(files, "rerun", output, "--result", "again.json", "-q")[0] == 0
    (files / "risk.txt.manifest.json").write_bytes((files / "risk.json.manifest.json").read_bytes())
    code, _, err = command(files, "rerun", "risk.html")
    assert (code, "or the output in the same folder" in err) == (2, True)


@pytest.mark.slow
def test_two_outputs_of_one_name_have_a_manifest_each(files: Path) -> None:
    for output, measure in (("risk.md", "UiO"), ("risk.json", "DiSCO")):
        assert command(files, *SCORE, "--measures", measure, "-o", output) == (0, "", "")
    for output, measure in (("risk.md", "UiO"), ("risk.json", "DiSCO")):
        manifest = files / f"{output}.manifest.json"
        assert manifest_of(manifest)["scenario"]["measures"] == [measure]
        assert command(files, "rerun", manifest.name)[0] == 0


def test_no_manifest_stands_beside_what_is_printed_or_laid_out_for_another_program(
    files: Path,
) -> None:
    assert command(files, *SCORE)[2] == ""
    assert list(files.glob("*.manifest.json")) == []
    assert command(files, *SCORE, "--layout", "raab", "-o", "table.csv") == (0, "", "")
    assert not (files / "table.json.manifest.json").exists()


def test_a_manifest_is_never_written_over_an_input(files: Path) -> None:
    (files / "s.json.manifest.json").mkdir()
    code, _, err = command(files, *SCORE, "-o", "s.json")
    assert (code, (files / "s.json").exists()) == (2, False)
    assert "s.json.manifest.json' is not a file" in err
    (files / "x.json.manifest.json").write_text(
        'name = "x"\n[[rule]]\nrule = "DiSCO <= 100"\nreason = "y"\n', encoding="utf-8"
    )
    code, _, err = command(files, *SCORE, "--policy", "x.json.manifest.json", "-o", "x.json")
    assert code == 2
    assert "is the input" in err


def test_no_level_that_the_user_did_not_type(tmp_path: Path) -> None:
    """Every level of the data is a word or a number of its own; of all of them only the typed ones
    may be there.
    """
    people: dict[str, list[Any]] = {
        "town": [f"Qtown{number % 5}" for number in range(60)],
        "age": [70100.5 + 13 * (number % 20) for number in range(60)],
        "ill": [f"Zill{number % 3}" for number in range(60)],
        "pay": [880000 + 17 * (number % 7) for number in range(60)],
        "area": [f"Xarea{number % 4}" for number in range(60)],
        "who": [f"Wid{number}" for number in range(60)],
    }
    pq.write_table(pa.table(people), tmp_path / "o.parquet")
    pyarrow.csv.write_csv(pa.table(people).slice(0, 50), tmp_path / "s.csv")
    asked = [
        "score",
        "o.parquet",
        "s.csv",
        "--keys",
        "town,age",
        "--targets",
        "ill,pay",
        "--bins",
        "age=4",
        "--by",
        "area",
    ]
    asked += [
        "--id",
        "who",
        "--within",
        "pay=5%",
        "--population",
        "some: area IN (Xarea1)",
        "--populations",
        "special,uniques",
    ]
    asked += [
        "--exclude-level",
        "ill=Zill2",
        "--distributions",
        "--measures",
        "identity,attribute,cap,within,neighbours,bounds",
    ]
    assert command(tmp_path, *asked, "-q", "-o", "risk.json") == (0, "", "")
    result, text = (
        (tmp_path / name).read_text(encoding="utf-8")
        for name in ("risk.json", "risk.json.manifest.json")
    )
    levels = {str(value) for values in people.values() for value in values}
    assert {each for each in levels if each in text} == {"Xarea1", "Zill2"}
    assert "Xarea2" in {each for each in levels if each in result}  # it would have been found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("populations", "who"),
    [
        ("all,men", "50.00 % of the people"),
        ("men", "75.00 % of men"),
    ],
)
def test_it_warns_of_who_is_left_out(files: Path, populations: str, who: str) -> None:
    """Job b are 4 of 8 people, and 3 of 4 men."""
    report = scored(
        files, "syn.parquet", "syn2.parquet", targets="job", exclude_level={"job": ["b"]},
        population="men: sex = M", populations=populations,
    )  # fmt: skip
    told: Any = report.manifest()["warnings"]
    assert [each for each in told if "Exclusions" in each] == [
        f"Exclusions leave {who} out of the numbers of job."
    ]
    told = scored(files).manifest()["warnings"]
    assert not any("Exclusions" in each for each in told)


def test_how_csv_was_read_is_there(files: Path) -> None:
    pyarrow.csv.write_csv(pa.table(SYNTHETIC), files / "syn.csv")
    found: Any = scored(files, "syn.csv").manifest()["sql"]
    assert [each["name"] for each in found[:2]] == ["files", "files"]
    assert found[0]["text"].startswith("CREATE TABLE source_1 AS")
    assert found[1]["text"].startswith('ALTER TABLE source_1 ALTER "age" TYPE BIGINT')
    assert all(each["name"] != "files" for each in scored(files).manifest()["sql"])  # type: ignore[attr-defined]


def test_several_files_have_one_hash_that_others_can_make(files: Path) -> None:
    folder = files / "parts"
    folder.mkdir()
    for number in range(2):
        pq.write_table(pa.table(SYNTHETIC), folder / f"{number}.parquet")
    report = sqlrisk.score(
        str(files / "orig.parquet"), str(folder), keys="sex,age", targets="income"
    )
    given: Any = report.manifest()["inputs"]
    assert given[1]["records"] == 12
    assert given[1]["bytes"] == sum(path.stat().st_size for path in folder.iterdir())
    lines = "".join(f"{digest(path)}  {path}\n" for path in sorted(folder.iterdir()))
    assert given[1]["sha256"] == hashlib.sha256(lines.encode()).hexdigest()
    assert [each["sha256"] for each in given[1]["files"]] == [
        digest(path) for path in sorted(folder.iterdir())
    ]


def test_tables_of_python_have_a_name_alone() -> None:
    report = sqlrisk.score(
        pa.table(ORIGINAL), pa.table(SYNTHETIC), keys="sex,age", targets="income"
    )
    found: Any = report.manifest()
    assert [
        (each["name"], each["sha256"], each["bytes"], each["held"]) for each in found["inputs"]
    ] == [("pyarrow.Table", None, None, "a table held in Python")] * 2
    assert (found["call"], found["command"]) == (None, None)


def test_an_input_that_changed_since_has_no_manifest(files: Path) -> None:
    report = scored(files)
    pq.write_table(pa.table({**SYNTHETIC, "more": ["x"] * 6}), files / "syn.parquet")
    with pytest.raises(sqlrisk.InputError, match=r"syn\.parquet' changed during the run"):
        report.manifest()
    (files / "syn.parquet").unlink()
    with pytest.raises(sqlrisk.InputError, match=r"syn\.parquet' cannot be read"):
        report.manifest()


@pytest.mark.slow
def test_split_baseline_and_own_measures_are_inputs(files: Path) -> None:
    pq.write_table(pa.table({**ORIGINAL, "in": ["y"] * 5 + ["n"] * 3}), files / "orig.parquet")
    pq.write_table(pa.table({"level": ["a", "b"], "share": [0.5, 0.5]}), files / "base.parquet")
    own_measure(files)
    report = scored(files, targets="job", split="in", split_in="y",
        baseline={"job": str(files / "base.parquet")},
                    measures_from=str(files / "own"))  # fmt: skip
    given: Any = report.manifest()["inputs"]
    assert [(each["role"], each["records"]) for each in given] == [
        ("original", 8), ("synthetic", 6), ("baseline", None), ("measures", None),
    ]  # fmt: skip
    assert given[3]["sha256"] == digest(files / "own" / "mine.sql")


def test_a_split_original_of_which_half_is_hidden_has_no_number_of_records(files: Path) -> None:
    """UiS is not about people of control, so no audit covers their number."""
    pq.write_table(pa.table({**ORIGINAL, "in": ["y"] * 5 + ["n"] * 3}), files / "orig.parquet")
    report = scored(files, measures="UiS", split="in", split_in="y")
    told = report.external(3)
    assert [each and each["records"] for each in (told.original, told.control)] == [6, None]
    records = []
    for each in (report, told):
        given: Any = each.manifest()["inputs"]
        records.append(given[0]["records"])
    assert records == [8, None]


def test_warnings_name_checks_and_what_is_not_defined(files: Path) -> None:
    pq.write_table(pa.table({**SYNTHETIC, "age": [1, 2, 3, 4, 5, 6]}), files / "syn.parquet")
    warnings: Any = scored(files).manifest()["warnings"]
    assert any(
        re.fullmatch(r"\d+ numbers are undefined, because their denominator is 0\.", each)
        for each in warnings
    )
    people = pa.table({"k": [str(number) for number in range(200)], "t": ["x"] * 199 + ["y"]})
    flagged: Any = sqlrisk.score(people, people, keys="k", targets="t").manifest()["warnings"]
    assert "One-way check, t: one level makes up nearly all that DiSCO counts." in flagged


# ---- the numbers' fingerprint
# ----------------------------------------------------------------------------------------


def test_the_fingerprint_is_of_the_numbers(files: Path) -> None:
    report = scored(files)
    assert (
        fingerprint(report)
        == fingerprint(scored(files, threads=1))
        == fingerprint(sqlrisk.check(report, policy_of(files, rule("UiO <= 100"))))
    )
    assert fingerprint(report) != fingerprint(scored(files, "syn2.parquet"))

    def changed(name: str, value: object) -> str:
        rows = [{**row, name: value} if row["measure"] == "DCAP" else row for row in report.results]
        return fingerprint(dataclasses.replace(report, results=rows))

    (row, *_) = report["DCAP"].rows
    number: Any = row["value"]
    assert changed("denominator", 9) != fingerprint(report)
    base = changed("value", number)
    assert changed("value", number * (1 + 1e-13)) == base
    assert changed("value", number * (1 + 1e-7)) != base
    # What is left of two equal sums is nothing, whichever sign it has.
    assert (
        changed("value", 0.0)
        == changed("value", -0.0)
        == changed("value", 3e-15)
        == changed("value", -3e-15)
    )
    assert changed("value", 0.0) != changed("value", 1e-8)


@pytest.mark.parametrize(
    ("part", "one", "other"),
    [
        ("population_uniques", {"sampled": 0.5}, {"sampled": 0.01}),
        ("differences", {"confidence": 0.9}, {"confidence": 0.99}),
    ],
    ids=["sampled", "confidence"],
)
def test_numbers_beside_the_results_are_in_the_fingerprint(
    files: Path, part: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {"measures": "repU", "control": str(files / "other.parquet")}
    first, again, second = (scored(files, **asked, **more) for more in (one, one, other))
    assert first.results == second.results
    assert getattr(first, part) != getattr(second, part)
    assert fingerprint(first) == fingerprint(again) != fingerprint(second)
    assert fingerprint_of(json.loads(first.to_json())) == fingerprint(first)
    assert first.manifest()["results_sha256"] == fingerprint(first)


# ---- the run repeated
# ------------------------------------------------------------------------------------------------


def test_a_run_repeated_is_the_same(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 1"))
    asked = [
        *SCORE,
        "--control",
        "other.parquet",
        "--exclude-pair",
        "job=a,sex=F",
        "--population",
        "women: sex = F",
    ]
    asked += ["--bins", "age=2", "--class-sizes", "1,4", "--policy", "policy.toml"]
    assert command(files, *asked, "-o", "risk.json")[0] == 1
    code, out, err = command(files, "rerun", "risk.json.manifest.json", "--result", "again.json")
    assert (code, err) == (0, "")
    assert "The inputs and the numbers are the same." in out
    first, again = (sqlrisk.read_report(files / name) for name in ("risk.json", "again.json"))
    assert fingerprint(again) == fingerprint(first)
    assert (again.scenario, again.policy["verdict"]) == (first.scenario, "fail")
    found = json.loads(command(files, "rerun", "risk.json.manifest.json", "--format", "json")[1])
    assert found["same"] is True
    assert {row["outcome"] for row in found["rows"]} == {"same"}
    assert {row["what"] for row in found["rows"]} == {
        "input",
        "version",
        "sql",
        "results",
        "verdict",
    }
    assert not (files / "again.json.manifest.json").exists()


@pytest.mark.slow
def test_a_run_is_repeated_from_the_output_that_a_manifest_stands_beside(files: Path) -> None:
    assert command(files, *SCORE, "-o", "risk.html")[0] == 0
    by_manifest, by_output = (
        command(files, "rerun", name) for name in ("risk.html.manifest.json", "risk.html")
    )
    assert by_output == by_manifest
    assert by_output[0] == 0
    for name in ("risk.html", "risk.html.manifest.json"):
        code, _, err = command(files, "rerun", "risk.html", "--result", name)
        assert code == 2, err
    (files / "risk.html.manifest.json").unlink()
    code, _, err = command(files, "rerun", "risk.html")
    assert (code, "or the output in the same folder" in err) == (2, True)


@pytest.mark.slow
def test_a_run_of_every_setting_is_repeated(tmp_path: Path) -> None:
    """From a scenario file in another folder, whose paths are its own; the files are CSV, in parts,
    and a baseline.
    """
    folder = tmp_path / "here" / "parts"
    folder.mkdir(parents=True)
    people = {
        "town": ["a,b", "c", "it's", None] * 25, "age": [20 + number % 40 for number in range(100)],
        "ill": ["y", "n", "n", "n"] * 25,
        "pay": [1000.5 + 7 * (number % 30) for number in range(100)],
        "in": ["x" if number % 3 else "z" for number in range(100)],
        "w": [1 + number % 4 for number in range(100)],
        "who": [f"p{number}" for number in range(100)],
    }  # fmt: skip
    table = pa.table(people)
    pq.write_table(table, tmp_path / "here" / "o.parquet")
    for number in range(2):
        pyarrow.csv.write_csv(table.slice(40 * number, 40), folder / f"{number}.csv")
    pq.write_table(
        pa.table({"level": ["y", "n"], "share": [0.25, 0.75]}), tmp_path / "here" / "b.parquet"
    )
    settings = """
original = "o.parquet"
synthetic = ["parts", "parts/1.csv"]
keys = ["town", "age"]
targets = ["ill", "pay"]
bins = { age = 3 }
special = { pay = [1000.5] }
within = { pay = "5%" }
within_floor = { pay = 10 }
exclude_level = { ill = ["n"] }
exclude_missing = ["town"]
exclude_pair = [{ target = "ill", target_level = "y", key = "town", key_level = "a,b" }]
max_cell = 30
max_cell_syn = 40
one_way = [10, 80.5]
two_way = [1, 60]
measures = [
    "identity", "attribute", "cap", "within", "k_anonymity",
    "population_risk", "linkability", "singling_out", "copies", "membership",
]
link = ["town/age"]
set_sizes = [1, 2]
row_radius = 0
base_rates = [5]
membership_ratio = true
membership_epsilon = 0
sampled = 0.5
class_sizes = [1, 4]
populations = ["all", "uniques"]
population = { rich = "pay >= 1100", "a, b" = "town IN ('a,b')" }
by = ["in"]
weights = "w"
baseline = { ill = "b.parquet" }
split = "in"
split_in = "x"
id = "who"
confidence = 0.9
distributions = true
trend = true
work_limit = 1000000
missing = ["?"]
encoding = { all = "utf-8", "1.csv" = "ascii" }
delimiter = ","
decimal = "."
quote = '"'
column = { town = { label = "Town", rare = 2 } }
copied = 60
matched = 10
every_record = true
justification = "Nobody is a, b."
release = { purpose = "Teaching" }
"""
    (tmp_path / "here" / "s.toml").write_text(settings, encoding="utf-8")
    code, _, err = command(tmp_path, "score", "--scenario", "here/s.toml", "-o", "risk.json", "-q")
    assert (code, err) == (0, "")
    found = manifest_of(tmp_path / "risk.json.manifest.json")
    assert {each for each in found["scenario"] if f"\n{each} = " not in settings} == {
        "aligned",
        "assume",
        "prior",
        "intruder_prior",
    }
    assert [len(each.get("files", [])) for each in found["inputs"]] == [0, 2, 0, 0]
    code, out, err = command(
        tmp_path,
        "rerun",
        "risk.json.manifest.json",
        "--result",
        "again.json",
        "--format",
        "json",
        "-q",
    )
    assert (code, err) == (0, "")
    assert {row["outcome"] for row in json.loads(out)["rows"]} == {"same"}
    assert (
        sqlrisk.read_report(tmp_path / "again.json").scenario
        == sqlrisk.read_report(tmp_path / "risk.json").scenario
    )


@pytest.mark.slow
def test_a_rerun_writes_over_no_input(files: Path) -> None:
    policy_of(files, rule("DiSCO <= 100"))
    asked = [
        "score",
        "orig.parquet",
        "syn?.parquet",
        "--keys",
        "sex",
        "--targets",
        "job",
        "--policy",
        "policy.toml",
    ]
    pq.write_table(pa.table(SYNTHETIC), files / "syn2.parquet")
    assert command(files, *asked, "-q", "-o", "risk.json") == (0, "", "")
    before = {path: path.read_bytes() for path in files.iterdir()}
    for name in ("orig.parquet", "syn2.parquet"):  # the second is what the glob finds
        for option in ("-o", "--result"):
            code, _, err = command(files, "rerun", "risk.json.manifest.json", option, name)
            assert (code, "is the input" in err) == (2, True)
    rerun = ("rerun", "risk.json.manifest.json", "-o", "x.json", "--result")
    for name in ("x.json", "./x.json"):
        code, _, err = command(files, *rerun, name)
        assert (code, f"Two outputs are the file {name}" in err) == (2, True)
    assert {path: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.slow
def test_named_syntheses_are_repeated_by_name(files: Path) -> None:
    asked = [
        "score",
        "orig.parquet",
        "--synthesis",
        "a=syn*.parquet",
        "--synthesis",
        "b=other.parquet",
        "--keys",
        "sex",
    ]
    assert command(files, *asked, "-q", "-o", "risk.json") == (0, "", "")
    assert [
        each["synthesis"] for each in manifest_of(files / "risk.json.manifest.json")["inputs"]
    ] == [None, "a 1", "a 2", "b 1"]
    assert command(files, "rerun", "risk.json.manifest.json")[0] == 0


def test_an_input_that_changed_is_named_before_the_run(files: Path) -> None:
    assert command(files, *SCORE, "-o", "risk.json") == (0, "", "")
    pq.write_table(pa.table(ORIGINAL), files / "syn.parquet")
    code, out, err = command(files, "rerun", "risk.json.manifest.json")
    assert (code, err) == (1, "Changed since: synthesis 1: syn.parquet\n")
    assert "Not the same: synthesis 1: syn.parquet; results, checks, exclusions." in out
    (files / "syn.parquet").unlink()
    code, out, err = command(files, "rerun", "risk.json.manifest.json", "-o", "rerun.json")
    assert (code, out) == (2, "")
    assert "There is no file 'syn.parquet'" in err
    assert not (files / "rerun.json").exists()


@pytest.mark.slow
def test_the_same_numbers_of_other_bytes(files: Path) -> None:
    """A file that was written anew, with the same records, is another input with the
    same results.
    """
    assert command(files, *SCORE, "-o", "risk.json") == (0, "", "")
    pq.write_table(pa.table(SYNTHETIC), files / "syn.parquet", compression="zstd")
    code, out, _ = command(files, "rerun", "risk.json.manifest.json", "--format", "json")
    rows = {row["what"]: row["outcome"] for row in json.loads(out)["rows"]}
    assert (code, rows["results"], rows["input"]) == (1, "same", "changed")


@pytest.mark.slow
def test_numbers_that_are_not_the_same_are_told(files: Path) -> None:
    assert command(files, *SCORE, "-o", "risk.json") == (0, "", "")
    path = files / "risk.json.manifest.json"
    path.write_text(json.dumps({**manifest_of(path), "results_sha256": "0" * 64}), encoding="utf-8")
    code, out, _ = command(files, "rerun", "risk.json.manifest.json")
    assert code == 1
    assert "Not the same: results, checks, exclusions." in out


@pytest.mark.slow
def test_tables_of_a_database_are_repeated_but_have_no_hash(files: Path) -> None:
    with duckdb.connect(str(files / "w.duckdb")) as connection:
        for name in ("orig", "syn"):
            connection.execute(f"CREATE TABLE {name} AS FROM '{files / name}.parquet'")
    asked = [
        "score",
        "orig",
        "syn",
        "--engine",
        "w.duckdb",
        "--keys",
        "sex,age",
        "--targets",
        "job",
    ]
    assert command(files, *asked, "-o", "risk.json") == (0, "", "")
    code, out, err = command(files, "rerun", "risk.json.manifest.json")
    assert (code, err) == (0, "")
    assert "A table of a database has no hash: whether it is the same is unknown." in out
    assert (
        manifest_of(files / "risk.json.manifest.json")["inputs"][0]["held"]
        == "a table of a database"
    )


def test_a_manifest_written_from_python_is_repeated(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = scored(files, "syn.parquet", "syn2.parquet", memory_limit="1GB")
    path = files / "m.json"
    path.write_text(json.dumps(report.manifest()), encoding="utf-8")
    found = sqlrisk.rerun(path)
    assert found.same
    assert found.report is not None
    assert fingerprint(found.report) == fingerprint(report)
    assert found.to_pandas()["outcome"].eq("same").all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [str, Path])
def test_own_measures_that_nobody_named_are_repeated(files: Path, kind: Any) -> None:
    folder = own_measure(files)
    report = scored(files, targets="job", measures_from=kind(folder))
    (files / "m.json").write_text(json.dumps(report.manifest()), encoding="utf-8")
    found = sqlrisk.rerun(files / "m.json")
    assert found.report is not None
    assert found.report.value("mine") == report.value("mine")
    assert found.same
    given: Any = report.manifest()["inputs"]
    assert [each["sha256"] for each in given if each["role"] == "measures"] == [
        digest(folder / "mine.sql")
    ]


@pytest.mark.parametrize(
    ("utility", "written"),
    few(
        [
            (pd.Index(["sex", "job"]), ["sex", "job"]),
            (("sex", "job"), ["sex", "job"]),
            (
                {"columns": pd.Index(["sex", "job"]), "ways": (1,)},
                {"columns": ["sex", "job"], "ways": [1]},
            ),
        ]
    ),
    ids=["index", "tuple", "dict"],
)
def test_columns_of_utility_are_written_as_lists(files: Path, utility: Any, written: Any) -> None:
    maps = ("DiSCO,mean(S_pMSE)",)
    manifest: Any = scored(files, targets="job", utility=utility, maps=maps).manifest()
    assert (manifest["call"]["utility"], manifest["call"]["maps"]) == (written, [*maps])
    (files / "m.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert sqlrisk.rerun(files / "m.json").same


def test_a_manifest_of_an_older_version_is_repeated(files: Path) -> None:
    """It may lack settings and options that came later: they are at their defaults. What only
    added to its page is left out.
    """
    found: Any = scored(files).manifest()
    for name in ("control", "scratch", "measures_from", "policy", "engine"):
        del found["call"][name]
    del found["scenario"]["prior"]
    found["call"] |= {"listings": True, "cube": True}
    path = files / "m.json"
    path.write_text(json.dumps({**found, "sqlrisk": "0.0.1"}), encoding="utf-8")
    again = sqlrisk.rerun(path)
    assert again.same
    assert [row[1] for row in again.rows if row[2] == "changed"] == ["sqlrisk"]
    assert "0.0.1" in again.to_text()


@pytest.mark.parametrize(
    ("change", "said"),
    few(
        [
            ({"call": None}, "held in Python"),
            ({"scenario": {"kyes": []}}, "is not a manifest"),
            ({"call": {"original": "x"}}, "is not a manifest"),
            ({"inputs": [{}]}, "is not a manifest"),
            ({"results_sha256": 5}, "is not a manifest"),
            ({"sql": None}, "is not a manifest"),
        ]
    ),
)
def test_what_is_no_manifest_is_refused(files: Path, change: dict[str, Any], said: str) -> None:
    path = files / "m.json"
    path.write_text(json.dumps({**scored(files).manifest(), **change}), encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=said):
        sqlrisk.rerun(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00"])
def test_what_is_not_even_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    with pytest.raises(sqlrisk.InputError, match=r"is not JSON|is not a manifest"):
        sqlrisk.rerun(tmp_path / "m.json")
    for path in (tmp_path / "none.json", Path()):
        with pytest.raises(sqlrisk.InputError, match="cannot be read"):
            sqlrisk.rerun(path)


def test_a_manifest_of_a_saved_run_names_no_level(tmp_path: Path) -> None:
    """The results of a population of `--by` are named by its level, and they are in the
    saved run.
    """
    marked = pa.table(
        {
            "k": [1, 2, 3, 4],
            "t": [1, 1, 2, 2],
            "region": ["marked west", "marked west", "marked east", None],
        }
    )
    report = sqlrisk.score(
        marked, marked, keys=["k"], targets=["t"], by=["region"], save=str(tmp_path / "run.duckdb")
    )
    assert any("marked west" in str(row["population"]) for row in report.results)
    assert "marked" not in json.dumps(report.manifest())
    saved = sqlrisk.query(
        str(tmp_path / "run.duckdb"), "SELECT DISTINCT population FROM results ORDER BY population"
    )
    assert any("marked west" in str(population) for (population,) in saved.rows)
