"""The same numbers on every engine: each kind of question is asked of DuckDB and of another database, and must agree."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import portable
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.sql
import pytest
from agreement import agree
from pyarrow import csv
from servers import Server

import sqlrisk

SKIPPED = ("without facts",)  # those variants are of scripts
QUESTIONS = [name for name in portable.VARIANTS if not name.startswith(SKIPPED)]
# Spark takes some hundred milliseconds for a statement, however few the rows: each kind of SQL once, and of one target.
# test_spark.py asks for `within` and for `everything`, which have several targets, every exclusion and bins.
OF_SPARK = (
    "profiles", "three syntheses", "control", "populations", "aligned by id", "a worst case", "two key columns",
    "distributions over a baseline", "recoded", "control, near dates",
)  # fmt: skip
SPARK = [pytest.mark.xdist_group("spark"), pytest.mark.slow]
QUICK = ("plain", "profiles", "within", "everything")
ASKED = [pytest.param("postgresql", name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in QUESTIONS] + [
    pytest.param("spark", name, marks=SPARK) for name in OF_SPARK
]


@pytest.fixture
def on_postgresql(postgres_server: Server) -> dict[str, Any]:
    return {"engine": postgres_server.address()}


@pytest.fixture
def on_spark(spark: pyspark.sql.SparkSession) -> dict[str, Any]:
    return {"engine": spark}


def asked(variant: str, engine: str) -> tuple[tuple[Any, Any], dict[str, Any]]:
    settings = {**portable.EACH, **portable.VARIANTS[variant]}
    if variant.startswith("control"):
        settings["control"] = portable.people(4)
    if engine == "spark":
        settings["targets"] = ["workab"]
        if "by" in settings:  # test_spark.py asks for special uniques
            settings |= {"populations": ["all", "uniques"], "by": ["sex"]}
    return (portable.people(0), portable.nested(portable.syntheses_of(variant))), settings


@pytest.mark.parametrize(("engine", "variant"), ASKED)
def test_a_score(
    engine: str, variant: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(portable.PLACES).write_text("level,group\nF,women\nit's,it's one\n", encoding="utf-8")
    Path(portable.BASELINE).write_text("level,share\nNO,0.75\nYES,0.25\n", encoding="utf-8")
    files, settings = asked(variant, engine)
    expected = sqlrisk.score(*files, **settings).to_dict()
    found = sqlrisk.score(*files, **settings, **request.getfixturevalue(f"on_{engine}")).to_dict()
    assert found.pop("engine") != expected.pop("engine")
    assert expected["results"]
    for row in (*found["columns"], *expected["columns"]):
        del row["type"]  # as each database names it
    assert agree(found, expected)


@pytest.mark.parametrize("engine", ["postgresql", pytest.param("spark", marks=SPARK)])
def test_what_else_is_asked(engine: str, request: pytest.FixtureRequest) -> None:
    files, settings = asked("bins", engine)
    asking = {name: settings[name] for name in ("bins", "special")} | {"keys": portable.KEYS[:2], "targets": portable.TARGETS[:1]}
    where = request.getfixturevalue(f"on_{engine}")
    for call in (
        lambda **more: sqlrisk.cells("DiSCO", *files, **asking, limit=50, **more),
        lambda **more: sqlrisk.cells("UiO", *files, **asking, limit=50, **more),
        lambda **more: sqlrisk.sweep(*files, **asking, key_length="1", **more),
        lambda **more: sqlrisk.attack(*files, **asking, **more),
        lambda **more: sqlrisk.uniques(files[0], keys=portable.KEYS, **more),
    ):
        assert agree(call(**where).to_dict(), call().to_dict())


def odd_people(seed: int, *, upper: bool = False) -> pa.Table:
    """Records of every type, with numbers at the ends of what a double holds; two draws share few rows."""
    draw = random.Random(seed)  # noqa: S311 - test data
    numbers = [None, float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 5e-324, -1e-310, 1.7976931348623157e308, 0.1, -1234.5]
    towns = ["aston ", "bury", "007", "1,5", "2.50", "n/a", "", "01/02/2020", None]
    names = [name and name.upper() if upper else name for name in towns]
    size = range(240)
    return pa.table(
        {
            "town": pa.array([draw.choice(names) for _ in size]),
            "born": pa.array([date(1940, 1, 1) + timedelta(draw.randint(0, 40)) for _ in size]),
            "ill": pa.array([draw.choice([True, False, None]) for _ in size]),
            "x": pa.array([draw.choice(numbers) for _ in size], pa.float64()),
            "pay": pa.array([draw.randint(10_000, 90_000) for _ in size], pa.int64()),
            "none": pa.nulls(240, pa.int32()),
        }
    )


@pytest.mark.parametrize("engine", ["postgresql", pytest.param("spark", marks=SPARK)])
def test_whether_files_can_be_assessed(engine: str, request: pytest.FixtureRequest) -> None:
    where, original = request.getfixturevalue(f"on_{engine}"), odd_people(1)
    pay = pa.array([value + value % 10 * 7 for value in original["pay"].to_pylist()])
    syntheses = [
        original.take(list(range(239, -1, -1))),  # a copy
        original.set_column(4, "pay", pay),  # a near copy
        original.slice(0, 100),  # a sample
        odd_people(2, upper=True),
        odd_people(3),
    ]
    asking: dict[str, Any] = {"control": odd_people(4), "keys": ["town", "ill", "born"], "targets": ["x", "none"]}
    expected: Any = sqlrisk.inspect(original, syntheses, **asking).to_dict()
    found = sqlrisk.inspect(original, syntheses, **asking, **where).to_dict()
    codes = {reason["code"] for row in expected["assessment"] for reason in row["reasons"]}
    assert codes >= {"copy_of_original", "near_copy", "sample_of_original", "written_differently", "few_matches"}
    assert agree(found, expected)


SCENARIO = """
original = "people.parquet"
synthetic = ["made_1.parquet", "made_2.csv"]
keys = ["sex", "county"]
targets = ["income", "workab"]
bins = { income = 3 }
exclude_level = { workab = ["NO"] }
measures = ["identity", "DiSCO", "DCAP"]
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
