"""Every column is a key: identity alone is asked, as synthpop asks it by default."""

from pathlib import Path
from typing import Any

import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk

# Two of x1p; y2q and z3q alone on both sides; the last has no town, and is alone with that.
ORIGINAL = pa.table(
    {"a": ["x", "x", "y", "z", None], "b": [1, 1, 2, 3, 4], "g": ["p", "p", "q", "q", "q"]}
)
SYNTHETIC = pa.table(
    {"a": ["x", "y", "y", "z", "w"], "b": [1, 2, 2, 3, 9], "g": ["p", "p", "q", "q", "q"]}
)
KEYS: dict[str, Any] = {"keys": "a,b,g"}
ALONE = "[Nn]o column besides the keys is in all files"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(ORIGINAL, "o.parquet")
    pq.write_table(SYNTHETIC, "s.parquet")


def values(report: sqlrisk.Report) -> dict[object, object]:
    return {row["measure"]: row["value"] for row in report.results}


def test_identity_of_keys_alone() -> None:
    report = sqlrisk.score("o.parquet", "s.parquet", **KEYS)
    assert values(report) == {
        "UiO": 60.0,
        "UiS": 100.0,
        "UiOiS": 40.0,
        "repU": 40.0,
        "repU_syn": 40.0,
    }
    assert report.scenario["targets"] == []
    assert {row["target"] for row in report.results} == {None}
    told = report.to_text()
    assert "targets      none: no column besides the keys is in all files" in told
    assert "One-way" not in told
    assert "repU" in report._repr_html_()
    for level in ("internal", "external"):
        page = report.to_html(level=level)
        assert "none: no column besides the keys is in all files" in page
        assert "One-way and two-way checks" not in page
        assert "DiSCO" not in page.partition("<main")[2].partition("Settings")[0]
    assert (
        sqlrisk.score(ORIGINAL, SYNTHETIC.append_column("t", pa.array(range(5))), **KEYS).results
        == report.results
    )


@pytest.mark.slow
def test_nothing_is_said_of_targets_that_no_measure_is_about() -> None:
    t = {"t": ["p", "p", "q", "q", "q"]}
    both = tuple(table.append_column("t", pa.array(t["t"])) for table in (ORIGINAL, SYNTHETIC))
    asked = {"keys": KEYS["keys"], "targets": ["t"], "one_way": (0, 0)}
    alone = sqlrisk.score(*both, **asked, measures="identity")
    every = sqlrisk.score(*both, **asked, measures="identity,attribute")
    assert every.checks["one_way"]
    assert not any(alone.checks.values())
    identity = {row["measure"] for row in alone.results}
    assert [row for row in every.results if row["measure"] in identity] == alone.results
    assert any(row["column"] == "t" for row in alone.levels)


@pytest.mark.slow
def test_everything_else_about_people() -> None:
    more: dict[str, Any] = {
        "control": "o.parquet",
        "populations": "all,uniques,special",
        "exclude_missing": "a",
        "trend": True,
    }
    report = sqlrisk.score(
        "o.parquet", ["s.parquet", "o.parquet", "s.parquet"], **KEYS, **more, listings=True
    )
    assert {row["population"] for row in report.results} == {"all", "uniques", "special"}
    measures = {"UiO", "UiS", "UiOiS", "repU", "repU_syn", "repU_union", "excluded_identity"}
    assert {row["measure"] for row in report.trends} == measures
    assert [(each.measure, each.synthesis) for each in report.listings] == [
        ("repU", synthesis) for synthesis in ("1", "2", "3")
    ]
    assert {row["measure"] for row in report.differences} == {
        "UiO",
        "UiOiS",
        "repU",
        "repU_union",
        "excluded_identity",
    }
    assert report.to_text()
    aligned = sqlrisk.score("o.parquet", "s.parquet", **KEYS, aligned=True)
    assert values(aligned)["true_match_rate"] == 60.0


@pytest.mark.slow
def test_records_sweep_cells_explain_protect_and_sql() -> None:
    asked: tuple[Any, Any] = ("o.parquet", "s.parquet")
    sqlrisk.records(*asked, "rows.csv", **KEYS)
    assert Path("rows.csv").read_text().splitlines() == [
        "record,n_orig_class,n_syn_class,unique,replicated_unique",
        "1,2,1,false,false",
        "2,2,1,false,false",
        "3,1,1,true,true",
        "4,1,1,true,true",
        "5,1,0,true,false",
    ]
    swept = sqlrisk.sweep(*asked, **KEYS, reference=True)
    whole = [
        row for row in swept.subsets if row["keys"] == ["a", "b", "g"] and row["synthesis"] == "1"
    ]
    assert [(row["measure"], row["value"]) for row in whole] == [("UiO", 60.0)]
    assert "highest UiO first" in swept.to_text()
    assert [row[0] for row in sqlrisk.cells("repU", *asked, **KEYS).rows] == ["y", "z"]
    assert "a replicated unique" in sqlrisk.explain(*asked, record=4, **KEYS).to_text()
    protected = sqlrisk.protect("o.parquet", "s.parquet", output="p.parquet", **KEYS)
    assert {row["measure"]: row["value"] for row in protected.before} == {
        "UiO": 60.0,
        "UiOiS": 40.0,
        "repU": 40.0,
    }
    assert "class_parts" in sqlrisk.sql("repU", *asked, **KEYS)
    assert sqlrisk.sql(None, *asked, **KEYS, stages=True)
    assert "40.00" in sqlrisk.tabulate("raab", *asked, **KEYS).to_text()


@pytest.mark.slow
def test_a_saved_run() -> None:
    sqlrisk.score("o.parquet", "s.parquet", **KEYS, save="run.duckdb")
    found = sqlrisk.query(
        "run.duckdb", "SELECT record FROM record_risk WHERE replicated_unique ORDER BY record"
    )
    assert (
        found.rows
        == sqlrisk.query("run.duckdb", "SELECT record FROM replicated_uniques ORDER BY record").rows
        == [(3,), (4,)]
    )
    assert len(sqlrisk.query("run.duckdb", "SELECT * FROM risky_repu").rows) == 2
    assert len(sqlrisk.cells("repU", "run.duckdb").rows) == 2
    with pytest.raises(sqlrisk.InputError, match="no target: there is nothing to look up"):
        sqlrisk.lookup("run.duckdb", key="a=x")


@pytest.mark.slow
def test_beside_a_scenario_with_targets() -> None:
    several = {"all": {"keys": ["a", "b", "g"]}, "some": {"keys": ["a"], "targets": ["g"]}}
    reports = sqlrisk.score_all(several, "o.parquet", "s.parquet")
    assert values(reports["all"]) == values(sqlrisk.score("o.parquet", "s.parquet", **KEYS))
    assert values(reports["some"]) == values(
        sqlrisk.score("o.parquet", "s.parquet", keys="a", targets="g")
    )


def test_compiled_sql_of_measures_of_identity() -> None:
    texts = sqlrisk.compile_sql("o", "s", **KEYS, measures="identity")
    assert "repU" in "".join(texts.values())
    with pytest.raises(sqlrisk.InputError, match="name the targets, too"):
        sqlrisk.compile_sql("o", "s", **KEYS)


@pytest.mark.parametrize(
    "setting",
    [{"exclude_level": {"t": "x"}}, {"within": {"t": 1}}, {"max_cell": 3}, {"distributions": True}],
)
def test_settings_of_targets_are_refused(setting: dict[str, Any]) -> None:
    (name,) = setting
    with pytest.raises(sqlrisk.InputError, match=f"{name}: it needs a target, but {ALONE}"):
        sqlrisk.score("o.parquet", "s.parquet", **KEYS, **setting)


def test_what_needs_a_target_says_so() -> None:
    asked: tuple[Any, Any] = ("o.parquet", "s.parquet")
    for call in (
        lambda: sqlrisk.score(*asked, **KEYS, measures="DiSCO,cap"),
        lambda: sqlrisk.cells("DiSCO", *asked, **KEYS),
        lambda: sqlrisk.sql("DiSCO", *asked, **KEYS),
        lambda: sqlrisk.records(*asked, "rows.csv", **KEYS, gcap=True),
        lambda: sqlrisk.records(*asked, "rows.csv", **KEYS, diversity=True),
        lambda: sqlrisk.attack(*asked, **KEYS),
        lambda: sqlrisk.sweep(*asked, **KEYS, attackers="sql"),
        lambda: sqlrisk.reference("o.parquet", **KEYS),
        lambda: sqlrisk.tabulate("taub", *asked, **KEYS),
    ):
        with pytest.raises(sqlrisk.InputError, match=ALONE):
            call()
    assert not Path("rows.csv").exists()
    Path("policy.toml").write_text(
        'name = "ours"\n[[rule]]\nrule = "DiSCO <= 5"\nreason = "we say so"\n'
    )
    with pytest.raises(sqlrisk.InputError, match="no measure 'DiSCO'"):
        sqlrisk.score(*asked, **KEYS, policy="policy.toml")


@pytest.mark.skipif(not oracle.ORACLE.exists(), reason=oracle.ABSENT)
@pytest.mark.parametrize(
    "case",
    few(["sd_identity_copy", "sd_big_syn", "sd_k6_income", "cmc_k6_method", "sd_k1_age_marital"]),
)
def test_the_numbers_are_those_of_synthpop(case: str) -> None:
    (found,) = [each for each in oracle.shared_cases() if each.name == case]
    keys = list(found.scenario["keys"])
    original = pq.read_table(found.original, columns=keys)
    for path, expected in zip(found.synthetic, found.expected, strict=True):
        synthetic = pq.read_table(path, columns=keys)
        numbers = values(sqlrisk.score(original, synthetic, keys=keys))
        for name in ("UiO", "UiS", "UiOiS", "repU"):
            assert numbers[name] == pytest.approx(expected[name], abs=1e-6)
