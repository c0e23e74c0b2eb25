"""The same numbers on every engine: each kind of question is asked of DuckDB and of another database, and must agree."""

from pathlib import Path
from typing import Any

import portable
import pyarrow.parquet as pq
import pyspark.sql
import pytest
from agreement import agree
from pyarrow import csv
from servers import Server

import sqlrisk

SKIPPED = ("without facts",)  # those variants are of scripts
QUESTIONS = [name for name in portable.VARIANTS if not name.startswith(SKIPPED)]
# Spark takes some hundred milliseconds for a statement, however few the rows: each kind of SQL once. test_spark.py asks for
# `within` and for `everything`, which has every exclusion and bins.
OF_SPARK = (
    "profiles", "three syntheses", "control", "populations", "aligned by id", "a worst case", "two key columns",
    "distributions over a baseline",
)  # fmt: skip
SPARK = [pytest.mark.xdist_group("spark"), pytest.mark.slow]
QUICK = (
    "plain", "one target", "profiles", "within", "everything", "an id", "populations", "weights", "control", "aligned by id",
    "a worst case",
)  # fmt: skip
ASKED = [pytest.param("postgresql", name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in QUESTIONS] + [
    pytest.param("spark", name, marks=SPARK) for name in OF_SPARK
]


@pytest.fixture
def on_postgresql(postgres_server: Server) -> dict[str, Any]:
    return {"engine": postgres_server.address()}


@pytest.fixture
def on_spark(spark: pyspark.sql.SparkSession) -> dict[str, Any]:
    return {"engine": spark}


def asked(variant: str) -> tuple[tuple[Any, Any], dict[str, Any]]:
    settings = {**portable.EACH, **portable.VARIANTS[variant]}
    if variant.startswith("control"):
        settings["control"] = portable.people(4)
    return (portable.people(0), portable.nested(portable.syntheses_of(variant))), settings


@pytest.mark.parametrize(("engine", "variant"), ASKED)
def test_a_score(
    engine: str, variant: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(portable.BASELINE).write_text("level,share\nNO,0.75\nYES,0.25\n", encoding="utf-8")
    files, settings = asked(variant)
    expected = sqlrisk.score(*files, **settings).to_dict()
    found = sqlrisk.score(*files, **settings, **request.getfixturevalue(f"on_{engine}")).to_dict()
    assert found.pop("engine") != expected.pop("engine")
    assert expected["results"]
    assert agree(found, expected)


@pytest.mark.parametrize("engine", ["postgresql", pytest.param("spark", marks=SPARK)])
def test_what_else_is_asked(engine: str, request: pytest.FixtureRequest) -> None:
    files, settings = asked("bins")
    asking = {name: settings[name] for name in ("bins", "special")} | {"keys": portable.KEYS[:2], "targets": portable.TARGETS[:2]}
    where = request.getfixturevalue(f"on_{engine}")
    for call in (
        lambda **more: sqlrisk.cells("DiSCO", *files, **asking, limit=50, **more),
        lambda **more: sqlrisk.cells("UiO", *files, **asking, limit=50, **more),
        lambda **more: sqlrisk.sweep(*files, **asking, key_length="1", **more),
        lambda **more: sqlrisk.attack(*files, **asking, **more),
        lambda **more: sqlrisk.uniques(files[0], keys=portable.KEYS, **more),
    ):
        assert agree(call(**where).to_dict(), call().to_dict())


SCENARIO = """
original = "people.parquet"
synthetic = ["made_1.parquet", "made_2.csv"]
keys = ["sex", "county"]
targets = ["income", "workab"]
bins = { income = 3 }
exclude_level = { workab = ["NO"] }
measures = ["identity", "attribute", "cap", "GCAP"]
"""


@pytest.mark.parametrize("engine", ["postgresql", pytest.param("spark", marks=SPARK)])
def test_the_same_scenario_file_runs_on_each(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = ["sex", "county", "income", "workab"]
    pq.write_table(portable.people(0).select(columns), "people.parquet")
    pq.write_table(portable.people(2).select(columns), "made_1.parquet")
    csv.write_csv(portable.people(4).select(columns), "made_2.csv")
    Path("scenario.toml").write_text(SCENARIO, encoding="utf-8")
    expected = sqlrisk.score(scenario="scenario.toml").to_dict()
    found = sqlrisk.score(scenario="scenario.toml", **request.getfixturevalue(f"on_{engine}")).to_dict()
    assert found.pop("engine") != expected.pop("engine")
    assert agree(found, expected)
