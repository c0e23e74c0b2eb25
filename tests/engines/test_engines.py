"""The same numbers on every engine: each kind of question is asked of DuckDB and of another
database, and must agree.
"""

import random
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import portable
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import readers
from agreement import agree
from pyarrow import csv
from quickly import marks, some

import sqlrisk
from tests.analyses.preparation import test_recodes
from tests.analyses.scores import test_near_keys, test_steps
from tests.inputs import test_formats

# What no worked case asks (test_conformance.py asks those of every engine): columns of every type,
# ten keys, bins of them, recodes, special uniques, baselines, trends, methods.
QUESTIONS = (
    "everything", "control, everything", "weights", "populations", "by a binned column",
    "three syntheses", "two methods", "distributions over a baseline", "a worst case, a baseline",
    "aligned by id", "two key columns", "pair of another type",
    "within", "control, within", "near keys", "control, near dates",
    "recoded", "recoded otherwise", "recoded, then bins",
)  # fmt: skip
# Spark takes some hundred milliseconds for a statement, however few the rows: of one target, but
# for these. It is asked everything of two targets and one column of bins: test_spark.py has bins
# of a target, and a target that is true or false.
WHOLE = ("everything", "within")
OF_SPARK = (
    *WHOLE, "populations", "three syntheses", "distributions over a baseline", "two key columns",
    "control, near dates", "recoded",
)  # fmt: skip
CONNECT = [pytest.mark.xdist_group("spark_connect"), pytest.mark.slow]
# Reached by a driver of the DB-API; what each of them cannot hold is refused, and is not asked
# (test_dbapi.py has the messages). PostgreSQL is asked every question, and so is one of the quick
# drivers, as they share an engine; all of them are asked some.
ALWAYS = ("everything",)
QUICKLY = ("sqlite", "duckdb", "pg8000", "clickhouse", "mariadb")
DRIVEN = (*QUICKLY, "snowflake")  # an emulator, which takes some hundred milliseconds a statement
# SQLite has no decimals, by which numbers are near, and counts no days; older ones parse no SQL so
# deep as that of many recodes.
LACKING = {
    "sqlite": (
        "within",
        "control, within",
        "near keys",
        "control, near dates",
        "recoded otherwise",
    ),
}
QUICK = (("spark", "everything"), ("clickhouse", "everything"), ("postgresql", "within"))
ASKED = [
    *(("postgresql", name) for name in QUESTIONS),
    *(
        (engine, name)
        for number, name in enumerate(QUESTIONS)
        for able in [[each for each in QUICKLY if name not in LACKING.get(each, ())]]
        for engine in (DRIVEN if name in ALWAYS else [able[number % len(able)]])
    ),
    *(("spark", name) for name in OF_SPARK),
]


def others(quickly: str) -> list[Any]:
    """Return all of them for what else they are asked. A plain run asks one."""
    spark = pytest.param("spark", marks=marks("spark", quick=False))
    return [*some([quickly], ["postgresql", *DRIVEN]), spark]


def asked(variant: str, engine: str) -> tuple[tuple[Any, Any], dict[str, Any]]:
    settings = {**portable.EACH, **portable.VARIANTS[variant]}
    seeds = portable.syntheses_of(variant)
    if engine in DRIVEN:  # the other files hold FLOAT and TIMESTAMP, which not all of them have
        seeds = (
            {name: [2 * each for each in numbers] for name, numbers in seeds.items()}
            if isinstance(seeds, dict)
            else [2 * each for each in seeds]
        )
    if variant.startswith("control"):
        settings["control"] = portable.fewer()
    if engine == "spark" and variant not in WHOLE:
        settings["targets"] = ["workab"]
        if "by" in settings:  # test_spark.py asks for special uniques
            settings |= {"populations": ["all", "uniques"], "by": ["sex"]}
    elif engine == "spark" and variant == "everything":
        settings |= {
            "targets": ["income", "workab"],
            "exclude_level": {"workab": ["NO", "a\nb"]},
            "bins": {"age in years": 4},
            "special": {"age in years": ["-8", "99"]},
        }
    return (portable.people(0), portable.nested(seeds)), settings


@cache
def scored_for_all(variant: str) -> sqlrisk.Report:
    """What DuckDB says of a question that every driver is asked: they have the same files."""
    files, settings = asked(variant, DRIVEN[0])
    return sqlrisk.score(*files, **settings)


@pytest.mark.parametrize(
    ("engine", "variant"),
    [pytest.param(*each, marks=marks(each[0], quick=each in QUICK)) for each in ASKED],
)
def test_a_score(
    engine: str,
    variant: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(portable.PLACES).write_text("level,group\nF,women\nit's,it's one\n", encoding="utf-8")
    Path(portable.BASELINE).write_text("level,share\nNO,0.75\nYES,0.25\n", encoding="utf-8")
    if engine == "spark" or variant not in ALWAYS:
        request.getfixturevalue("unassessed")
    files, settings = asked(variant, engine)
    shared = engine in DRIVEN and variant in ALWAYS
    expected = without_types(
        scored_for_all(variant) if shared else sqlrisk.score(*files, **settings)
    )
    found = without_types(
        sqlrisk.score(*files, **settings, **request.getfixturevalue(f"on_{engine}"))
    )
    assert found.pop("engine") != expected.pop("engine")
    assert expected["results"]
    assert agree(found, expected)


@cache
def else_asked(engine: str | None) -> tuple[Callable[..., Any], ...]:
    """What else is asked of the files of an engine; those of the drivers are the same."""
    files, settings = asked("bins", engine or DRIVEN[0])
    asking = {name: settings[name] for name in ("bins", "special")} | {
        "keys": portable.KEYS[:2],
        "targets": portable.TARGETS[:1],
    }
    return (
        partial(sqlrisk.cells, "DiSCO", *files, **asking, limit=50),
        partial(sqlrisk.cells, "UiO", *files, **asking, limit=50),
        partial(sqlrisk.sweep, *files, **asking, key_length="1", measures="repU,DiSCO,DCAP"),
        partial(sqlrisk.attack, *files, **asking),
        partial(sqlrisk.utility, *files, columns=portable.KEYS[:3], measures="all"),
        partial(sqlrisk.uniques, files[0], keys=portable.KEYS),
    )


@cache
def else_answered(engine: str | None) -> list[dict[str, Any]]:
    """What DuckDB answers to it."""
    return [call().to_dict() | {"engine": None} for call in else_asked(engine)]


@pytest.mark.parametrize("engine", others("mariadb"))
def test_what_else_is_asked(engine: str, request: pytest.FixtureRequest) -> None:
    files = None if engine in DRIVEN else engine
    where = request.getfixturevalue(f"on_{engine}")
    calls = list(zip(else_asked(files), else_answered(files), strict=True))
    for call, expected in [calls[0], calls[-1]] if engine in ("snowflake", "clickhouse") else calls:
        assert agree(call(**where).to_dict() | {"engine": None}, expected)


def odd_people(seed: int, *, upper: bool = False) -> pa.Table:
    """Records of every type, with numbers at the ends of what a double holds; two draws share few
    rows.
    """
    draw = random.Random(seed)  # noqa: S311 - test data
    numbers = [
        None,
        float("nan"),
        float("inf"),
        float("-inf"),
        0.0,
        -0.0,
        5e-324,
        -1e-310,
        1.7976931348623157e308,
        0.1,
        -1234.5,
    ]
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


def with_empty_records(people: pa.Table) -> pa.Table:
    """Twelve records more that say nothing: as all of 240 have a date of birth and pay, no other
    does.
    """
    nothing = pa.table(
        {
            "town": ["", None, " \u00a0\t", "\u3000\r\n"] * 3,
            "x": pa.array([None, float("nan")] * 6, pa.float64()),
        }
    )
    empty = pa.table(
        {
            name: nothing[name] if name in nothing.column_names else pa.nulls(12, people[name].type)
            for name in people.column_names
        }
    )
    return pa.concat_tables([people, empty])


def finite(people: pa.Table) -> pa.Table:
    numbers = [
        value if value is None or abs(value) != float("inf") else None
        for value in people["x"].to_pylist()
    ]
    return people.set_column(3, "x", pa.array(numbers, pa.float64()))


@cache
def doubtful(*, infinite: bool) -> tuple[Callable[..., sqlrisk.Report], dict[str, Any]]:
    """What asks whether files can be assessed that can not, and what DuckDB says of them."""
    original = odd_people(1)
    pay = pa.array([value + value % 10 * 7 for value in original["pay"].to_pylist()])
    files = [
        original,
        original.take(list(range(239, -1, -1))),  # a copy
        original.set_column(4, "pay", pay),  # a near copy
        original.slice(0, 100),  # a sample
        odd_people(2, upper=True),
        with_empty_records(odd_people(3)),
        odd_people(4),
    ]
    first, *syntheses, control = files if infinite else map(finite, files)
    call = partial(
        sqlrisk.inspect,
        first,
        syntheses,
        control=control,
        keys=["town", "ill", "born"],
        targets=["x", "none"],
    )
    return call, without_types(call())


def without_types(report: sqlrisk.Report) -> dict[str, Any]:
    """What a report says, but for the types of columns: each database names them in its own way."""
    told: dict[str, Any] = report.to_dict()
    return told | {"columns": [row | {"type": None} for row in told["columns"]]}


@pytest.mark.parametrize("engine", others("mariadb"))
def test_whether_files_can_be_assessed(engine: str, request: pytest.FixtureRequest) -> None:
    call, expected = doubtful(infinite=engine != "mariadb")  # which holds no infinite number
    codes = {reason["code"] for row in expected["assessment"] for reason in row["reasons"]}
    assert codes >= {
        "copy_of_original",
        "near_copy",
        "sample_of_original",
        "written_differently",
        "few_matches",
        "many_empty_rows",
    }
    assert agree(without_types(call(**request.getfixturevalue(f"on_{engine}"))), expected)


SCENARIO = """
original = "people.parquet"
synthetic = ["made_1.parquet", "made_2.csv"]
keys = ["sex", "county"]
targets = ["income", "workab"]
bins = { income = 3 }
exclude_level = { workab = ["NO"] }
measures = ["identity", "DiSCO", "DCAP"]
"""


@pytest.mark.parametrize(
    "engine", [*others("sqlite"), pytest.param("spark_connect", marks=CONNECT)]
)
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
    found = sqlrisk.score(
        scenario="scenario.toml", **request.getfixturevalue(f"on_{engine}")
    ).to_dict()
    assert found.pop("engine") != expected.pop("engine")
    assert agree(found, expected)


def test_levels_are_listed_in_the_order_of_a_table(on_postgresql: dict[str, Any]) -> None:
    order = ["none", "school", "a degree"]
    table = pd.DataFrame(
        {
            "school": pd.Categorical([order[n % 3] for n in range(9)], order, ordered=True),
            "age": range(9),
            "ill": list("ynn") * 3,
        }
    )
    asked: dict[str, Any] = {
        "keys": ["age", "school"],
        "targets": ["ill"],
        "by": ["school"],
        "measures": ["DiSCO", "repU"],
    }
    found, expected = (
        sqlrisk.score(table, table, **asked, **engine).results for engine in (on_postgresql, {})
    )
    assert found == expected
    assert [*dict.fromkeys(row["population"] for row in found)] == [
        "all",
        *(f"school={level}" for level in order),
    ]


# ---- what is made of values before they are counted


def told(result: Any) -> Any:
    """What a report says, or one of each step, but for the engine and what it calls types; or what
    a listing says.
    """
    if isinstance(result, sqlrisk.Report):
        return {
            name: each
            for name, each in result.to_dict().items()
            if name not in ("engine", "columns")
        }
    return (
        {name: told(each) for name, each in result.items()}
        if hasattr(result, "items")
        else result.to_dict()
    )


def recode(name: str) -> list[Callable[..., Any]]:
    column, _ = test_recodes.RECODES[name]
    asked: dict[str, Any] = {
        "column": column,
        "keys": ["age", "born", "place"],
        "targets": ["job", "income", "ill"],
    }
    files = (test_recodes.ORIGINAL, test_recodes.SYNTHETIC)
    few = {
        "measures": "UiO,repU,DiSCO,DCAP",
        "exclude_missing": ["age", "ill"],
        "by": ["place", "ill"],
    }
    return [
        partial(sqlrisk.score, *files, **asked, **few),
        partial(sqlrisk.cells, "DiSCO", *files, **asked, limit=20),
    ]


def near_key(name: str) -> list[Callable[..., Any]]:
    held, made, text = test_near_keys.AGES[name]
    files = [
        test_near_keys.table(test_near_keys.persons(seed, 70, made), held) for seed in range(2)
    ]
    asked: dict[str, Any] = {
        "keys": test_near_keys.KEYS,
        "targets": ["ill"],
        "within": {"age": text},
    }
    return [
        partial(sqlrisk.score, *files, **asked, measures="near_keys,identity,GCAP"),
        partial(sqlrisk.cells, "DiSCO_near", *files, **asked, limit=50),
    ]


def steps(name: str) -> list[Callable[..., Any]]:
    stepped, beside, more = test_steps.CASES[name]
    asked: dict[str, Any] = {"keys": ["place", "age"], "targets": ["ill", "born"], **more}
    return [
        partial(
            sqlrisk.score_steps,
            stepped,
            test_steps.people(1),
            test_steps.people(2),
            column=beside,
            **asked,
        )
    ]


def a_format(name: str) -> list[Callable[..., Any]]:
    test_formats.WRITERS[name](test_formats.people(1).head(400), name)
    test_formats.parquet(test_formats.people(2).head(400))
    asked: dict[str, Any] = {
        "keys": "sex,income,town,born",
        "targets": "ill,seen",
        "measures": "identity,DiSCO",
    }
    return [
        partial(sqlrisk.score, *files, **asked)
        for files in ((name, "truth.parquet"), ("truth.parquet", name))
    ]


def labels(_name: str) -> list[Callable[..., Any]]:
    """Codes with labels beside the labels as texts, which are merged; and labels that are typed."""
    table = test_formats.labelled("a.sav", {"sex": test_formats.LABELS, "ill": {0: "no", 1: "yes"}})
    table.assign(sex=[test_formats.LABELS.get(code, str(code)) for code in table["sex"]]).to_csv(
        "told.csv", index=False
    )
    asked: dict[str, Any] = {"keys": "sex,town", "targets": "ill"}
    merged = {"sex": {"codes": "labels", "merge": {"Told": ["Male", "Female"]}}}
    return [
        partial(sqlrisk.score, "a.sav", "told.csv", **asked, column=merged),
        partial(sqlrisk.cells, "UiO", "a.sav", "a.sav", **asked, exclude_level="ill=no"),
    ]


# whether Spark is asked of what OF_SPARK lacks
MADE: dict[tuple[Callable[[str], list[Callable[..., Any]]], str], bool] = {
    **{(recode, name): False for name in test_recodes.RECODES},
    **{(near_key, name): False for name in test_near_keys.AGES},
    **{(steps, name): name == "a hierarchy of a key" for name in test_steps.CASES},
    **{(a_format, name): False for name in test_formats.WRITERS},
    (labels, "labels"): True,
}
MADE_QUICKLY = ("date",)


def check(
    asking: Callable[[str], list[Callable[..., Any]]], name: str, where: dict[str, Any]
) -> None:
    Path("places.csv").write_text(test_recodes.PLACES if asking is recode else test_steps.PLACES)
    with readers.forked():
        for call in asking(name):
            expected = told(call())
            assert agree(told(call(**where)), expected)


@pytest.mark.parametrize(
    ("asking", "name"),
    [
        pytest.param(*each, marks=[] if each[1] in MADE_QUICKLY else [pytest.mark.slow], id=each[1])
        for each in MADE
    ],
)
def test_recodes_near_keys_steps_and_formats_on_postgresql(
    asking: Callable[[str], list[Callable[..., Any]]],
    name: str,
    on_postgresql: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    check(asking, name, on_postgresql)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("unassessed")
def test_steps_and_labels_on_spark(
    on_spark: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for (asking, name), asked_of_spark in MADE.items():
        if asked_of_spark:
            check(asking, name, on_spark)


def test_parts_of_a_microsecond_are_not_handed_over(on_postgresql: dict[str, Any]) -> None:
    times = pa.array([0, 1000, 1001], pa.timestamp("ns"))
    files = (pa.table({"at": times, "ill": [1, 0, 1]}), pa.table({"at": times, "ill": [1, 0, 1]}))
    with pytest.raises(
        sqlrisk.InputError,
        match=r"'at' of the original .* holds TIMESTAMP_NS, which cannot be loaded into",
    ):
        sqlrisk.score(*files, keys=["at"], targets=["ill"], **on_postgresql)


def test_recoded_files_are_written_by_duckdb_alone(
    on_postgresql: dict[str, Any], tmp_path: Path
) -> None:
    files, asking = (
        (test_recodes.ORIGINAL, test_recodes.SYNTHETIC),
        {"keys": ["age"], "column": {"age": {"top": 80}}},
    )
    with pytest.raises(sqlrisk.InputError, match="cannot be written by PostgreSQL, only by DuckDB"):
        sqlrisk.recode(*files, **asking, output=str(tmp_path / "release"), **on_postgresql)
    assert list(tmp_path.iterdir()) == []
