"""The SQL that is printed is the SQL that runs: golden scripts, and every measure's script executed
as printed.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import snapshots
from quickly import few, some
from unassessed import unasked

import sqlrisk
from sqlrisk.analyses.exports import layout_without_data
from sqlrisk.analyses.exports.sql_script import statements_of
from sqlrisk.analyses.preparation.encoding import encode
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import templates
from sqlrisk.catalogue.measures import CELL_STAGES, OF_SCORES, UNTARGETED, catalog
from sqlrisk.catalogue.reads import PROFILES
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.request import ask
from sqlrisk.plan import comparisons, encoding, membership, totals
from sqlrisk.plan.subsets import singling_out

MEASURES = [measure.name for measure in catalog()]
# Whole rows: tests/analyses/scores/test_copies.py; no script knows the order of the people of
# control.
OF_KEYS = [
    measure.name for measure in catalog() if not measure.of_rows and measure.needs != "a reference"
]
OF_NUMBERS = ("within", "ordered_classes")  # stages that targets of text have none of
MINUS_8: dict[str, Any] = {"special": {"age": ["-8"]}}
KEYS: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill", "income"]}
EXCLUSIONS: dict[str, Any] = {
    "exclude_level": {"ill": ["none", "it's"]},
    "exclude_missing": ["sex", "ill", "income"],
    "exclude_pair": [{"target": "income", "target_level": "2", "key": "age", "key_level": "20"}],
    "max_cell": 20,
    "max_cell_syn": 25,
}
WEIGHTS: dict[str, Any] = {"weights": "weight"}
WITHIN: dict[str, Any] = {"within": {"income": "1"}}
NEAR: dict[str, Any] = {"within": {"age": "2"}}
BOTH: dict[str, Any] = {"within": WITHIN["within"] | NEAR["within"]}
ALIGNED: dict[str, Any] = {"aligned": True, "id": "long 0"}
LINK: dict[str, Any] = {"link": "sex/age"}
WORST: dict[str, Any] = {"assume": "saturated", "prior": 0.5}
HALVES: dict[str, Any] = {"split": "half", "split_in": "in"}
UNIVERSE = "universe.parquet"
NEEDS: dict[str | None, dict[str, Any]] = {
    None: {},
    "exclusions": {},
    "weights": WEIGHTS,
    "a universe": {"universe": UNIVERSE},
    "a tolerance": WITHIN,
    "a tolerance on a key": NEAR,
    "a link": LINK,
    "aligned files": ALIGNED,
    "a stated synthesizer": WORST,
    "control": HALVES,
}
ORIGINAL, ONE, THREE = (
    "original.parquet",
    "syn_1.parquet",
    ["syn_1.parquet", "syn_2.parquet", "syn_3.parquet"],
)
Rows = dict[tuple[object, object, object], tuple[object, object, object]]
"""(point, target, comparison as it is numbered) to numerator, denominator, value."""


def people(seed: int, rows: int = 400) -> pa.Table:
    """A file with missing values, a special value and columns of many levels."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    columns: dict[str, list[object]] = {
        "sex": rng.choices(["f", "m", None], [5, 5, 1], k=rows),
        "age": rng.choices([-8, None, *range(16, 40)], k=rows),
        "ill": rng.choices(["none", "flu", "it's", None], [9, 3, 1, 1], k=rows),
        "income": rng.choices([1, 2, 3, None], [9, 3, 1, 1], k=rows),
    }
    columns |= {f"long {number}": rng.sample(range(rows), rows) for number in range(8)}
    columns["half"] = [("in", "in", "out")[number % 3] for number in range(rows)]
    return pa.table(columns | {"weight": [0.75 + number % 5 for number in range(rows)]})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an original and three synthetic files."""
    folder = tmp_path_factory.mktemp("files")
    for seed, name in enumerate([ORIGINAL, *THREE]):
        pq.write_table(people(seed), folder / name)
    pq.write_table(people(7, 900).select(KEYS["keys"]), folder / UNIVERSE)
    return folder


@pytest.fixture(autouse=True)
def _here(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths: no script holds a path of the machine that printed it."""
    monkeypatch.chdir(files)


def execute(script: str, connection: duckdb.DuckDBPyConnection | None = None) -> Rows:
    """Run a script statement by statement, as a reader would; the rows of the last one."""
    with connection or duckdb.connect() as fresh:
        rows: list[Any] = []
        for statement in fresh.extract_statements(script):
            rows = fresh.execute(statement).fetchall()
        names = [each[0] for each in fresh.description or []]
    more = ["population", "weighted"] if "weighted" in names else []
    assert names == [
        "measure",
        "point",
        "target",
        "comparison",
        *more,
        "numerator",
        "denominator",
        "value",
    ]
    return {
        tuple(row[1:4]): tuple(row[-3:]) for row in rows if not more or tuple(row[4:6]) == (0, 0)
    }


def scored(report: sqlrisk.Report, measure: str, targets: list[str]) -> Rows:
    """The same rows of a report."""
    labels = [row["synthesis"] for row in report.overlap]
    return {
        (
            row["at"],
            0 if row["target"] is None else [*targets, LINK["link"]].index(str(row["target"])) + 1,
            labels.index(row["synthesis"]) + 1,
        ): (
            row["numerator"],
            row["denominator"],
            row["value"],
        )
        for row in report.results
        if row["measure"] == measure and row["synthesis"] in labels and not row["weighted"]
    }


def agree(printed: Rows, report: Rows) -> bool:
    """The same rows, to 1e-12; whole numbers to the last one."""
    return printed.keys() == report.keys() != set() and all(
        value is None
        if other is None
        else value == (other if isinstance(other, int) else pytest.approx(other, rel=1e-12))
        for key in report
        for value, other in zip(printed[key], report[key], strict=True)
    )


# ---- golden scripts
# --------------------------------------------------------------------------------

SCRIPTS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "plain": ("DiSCO", [], {"keys": ["sex", "age"], "targets": ["ill"]}),
    "example": ("UiO", [], {}),
    "one_target": ("DCAP", [ORIGINAL, ONE], {"keys": ["sex", "age"], "targets": ["ill"]}),
    "bins": ("CAP_at_least", [ORIGINAL, ONE], {**KEYS, "bins": {"age": 4}, **MINUS_8}),
    "exclusions": ("R_known_DiSCO", [ORIGINAL, ONE], {**KEYS, **EXCLUSIONS}),
    "pooled": ("DCAP_scaled", [ORIGINAL, THREE], {"keys": ["sex", "age"], "targets": ["ill"]}),
    "methods": ("repU", [ORIGINAL, {"cart": THREE[:2], "tree's": THREE[2:]}], KEYS),
    "two_key_columns": (
        "iS",
        [ORIGINAL, ONE],
        {"keys": ["sex", *(f"long {n}" for n in range(8))], "targets": ["ill"]},
    ),
}


def script(name: str) -> str:
    measure, sources, settings = SCRIPTS[name]
    return sqlrisk.sql(measure, *sources, **settings)


def test_the_scripts_are_the_golden_ones() -> None:
    scripts = {name: script(name) for name in SCRIPTS}
    for text in scripts.values():
        assert str(Path.cwd().parent) not in text
        assert "/tmp" not in text  # noqa: S108 - the folder of no machine
    snapshots.compare("scripts.sql", snapshots.without_repetition(scripts))


def test_a_line_of_a_stage_stands_in_few_golden_files() -> None:
    """So that who changes it has few to read; DuckDB's files are laid out by another hand than the
    scripts.
    """
    files = [
        {
            "".join(line.split())
            for line in path.read_text(encoding="utf-8").splitlines()
            if re.search(r"\w.* AS \w+,?$", line)
        }
        for path in snapshots.GOLDEN.rglob("*.*")
    ]
    assert {
        line for line in set().union(*files) if sum(line in each for each in files) > 4
    } == set()


@pytest.mark.parametrize("name", few(name for name, (_, sources, _) in SCRIPTS.items() if sources))
def test_a_script_gives_the_numbers_of_the_report(name: str) -> None:
    measure, sources, settings = SCRIPTS[name]
    report = sqlrisk.score(*sources, **settings, measures=[measure])
    printed = execute(script(name))
    assert agree(printed, scored(report, measure, settings["targets"]))


def test_the_large_key_takes_two_columns() -> None:
    assert "AS class_key_2" in script("two_key_columns")
    assert "class_key_2" not in script("one_target")


def test_a_script_has_no_more_than_its_measure_needs() -> None:
    script = sqlrisk.sql("UiO", ORIGINAL, ONE, **KEYS)
    assert "CREATE TABLE cells" not in script
    assert "repu" not in script
    assert "DCAP" not in sqlrisk.sql("DiSCO", ORIGINAL, ONE, **KEYS)


# ---- every measure, as printed
# --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(files: Path, request: pytest.FixtureRequest) -> dict[str, sqlrisk.Report]:
    """The reports that the printed scripts must agree with, of the measures that the run has tests
    of.
    """
    mine = [item for item in request.session.items if item.path == request.path]
    named = {item.callspec.params.get("measure") for item in mine if hasattr(item, "callspec")}
    beside = {**EXCLUSIONS, **WEIGHTS, **ALIGNED, **LINK, **WORST}
    asked: dict[str, dict[str, Any]] = {
        "plain": {},
        "exclusions": {**beside, **WITHIN, "bins": {"age": 4}, **MINUS_8},
        "exclusions, no bins": {**beside, **BOTH},
        "control": {**EXCLUSIONS, **HALVES},
    }

    def measures(report: str) -> list[str]:
        needs = {"plain": {None}, "control": {"control"}}.get(report, {*NEEDS} - {"control"})
        return [name for name in OF_KEYS if name in named and catalog()[name].needs in needs]

    original, synthetic, universe = (str(files / name) for name in (ORIGINAL, ONE, UNIVERSE))
    with unasked():
        return {
            name: sqlrisk.score(
                original, synthetic, universe=universe, measures=["DiSCO", *measures(name)],
                **KEYS, **settings,
            )
            for name, settings in asked.items()
        }  # fmt: skip


@pytest.mark.parametrize("measure", some(OF_KEYS[::40], OF_KEYS))
def test_a_printed_script_runs(measure: str, reports: dict[str, sqlrisk.Report]) -> None:
    """With files; under exclusions, and bins unless the key has a tolerance."""
    needs = catalog()[measure].needs
    bins, report = (
        ({}, report_for(needs))
        if NEEDS[needs] in (NEAR, HALVES)
        else ({"bins": {"age": 4}, **MINUS_8}, "exclusions")
    )
    printed = execute(
        sqlrisk.sql(measure, ORIGINAL, ONE, **KEYS, **bins, **EXCLUSIONS, **NEEDS[needs])
    )
    assert agree(printed, scored(reports[report], measure, KEYS["targets"]))


@pytest.mark.parametrize("measure", some(OF_KEYS[9::16], OF_KEYS))
def test_a_script_without_files_runs_over_tables(
    measure: str, reports: dict[str, sqlrisk.Report]
) -> None:
    """The tables original and synthetic, and control where it is needed; a key in each class key
    column.
    """
    needs = catalog()[measure].needs
    settings, report = (KEYS | EXCLUSIONS, report_for(needs)) if needs else (KEYS, "plain")
    if catalog()[measure].stage == "ordered_classes":
        settings = settings | {"types": "income=BIGINT"}  # which no table tells
    connection = duckdb.connect()
    whose = (
        {"original": "half = 'in'", "control": "half = 'out'"}
        if needs == "control"
        else {"original": "TRUE"}
    )
    for table, people in whose.items():
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{ORIGINAL}' WHERE {people}")
    for table, file in (("synthetic", ONE), ("universe", UNIVERSE)):
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{file}'")
    printed = execute(
        sqlrisk.sql(measure, **settings, **(NEEDS[needs] if needs != "control" else {})), connection
    )
    assert agree(printed, scored(reports[report], measure, KEYS["targets"]))


def test_a_script_holds_hostile_names_and_levels() -> None:
    names = {"sex": 'se"x; --', "age": "{{ age }}", "ill": "classes"}
    original, synthetic = (
        people(seed).select(list(names)).rename_columns(names) for seed in (0, 1)
    )
    settings: dict[str, Any] = {"keys": [names["sex"], names["age"]], "targets": ["classes"]}
    settings["exclude_level"] = {"classes": ["it's", "{% no %}"]}
    connection = duckdb.connect()
    connection.register("original", original)
    connection.register("synthetic", synthetic)
    printed = execute(sqlrisk.sql("DCAP", **settings), connection)
    settings["exclude_level"] = {"classes": ["it's"]}
    report = sqlrisk.score(original, synthetic, **settings)
    assert agree(printed, scored(report, "DCAP", ["classes"]))


Counted = Callable[[str | None], tuple[DuckDB, Any]]


@pytest.fixture(scope="module")
def counted() -> Iterator[Counted]:
    """A session that has counted all measures that need the same, and its layout: one for each
    need, made once.
    """
    with ExitStack() as stack:

        @cache
        def session(needs: str | None) -> tuple[DuckDB, Any]:
            engine = stack.enter_context(DuckDB())
            measures = [name for name in OF_KEYS if catalog()[name].needs == needs]
            given = {**KEYS, **EXCLUSIONS, **NEEDS[needs], "measures": measures}
            question = ask(ORIGINAL, ONE, given, universe=given.pop("universe", None))
            layout = encode(question, Session(engine))
            steps = [*encoding.record(layout), *layout_without_data.looked_up(layout)]
            steps += [*totals.measure(layout), *totals.collect(layout)]
            for statement in statements_of(steps):
                engine.run(statement)
            return engine, layout

        yield session


@pytest.mark.parametrize("measure", some(OF_KEYS[::40], OF_KEYS))
def test_a_measure_s_own_select_runs_over_its_stage(
    measure: str, reports: dict[str, sqlrisk.Report], counted: Counted
) -> None:
    """--one: the SELECT alone, over what its stage is called."""
    each = catalog()[measure]
    # The third is the link.
    target = (
        3
        if each.stage == "linked_classes"
        else 0
        if each.untargeted
        else 2
        if each.stage in OF_NUMBERS
        else 1
    )
    engine, layout = counted(each.needs)
    engine.run("CREATE SCHEMA one")
    # what is made of others has one SELECT at all of its points
    at = each.at[-2:-1] if each.parts else ()
    engine.run(f"CREATE TABLE one.{each.stage} AS\n{stage_rows(engine, layout, each.stage, *at)}")
    engine.run("SET search_path = 'one'")
    try:
        rows = engine.run(sqlrisk.sql(measure, one=True))
    finally:
        engine.run("SET search_path = 'main'")
        engine.run("DROP SCHEMA one CASCADE")
    found = scored(reports[report_for(each.needs)], measure, KEYS["targets"])
    expected = [
        row for key, row in found.items() if key[1] == target and (not at or key[0] == float(*at))
    ]
    sides = [[value for value in row[:2] if value is not None] or [row[2]] for row in expected]
    assert len(rows) == len(expected)
    # behind the point, or what is least
    first_one = 1 if (each.at and not at) or "least" in each.aggregates else 0
    rows = [row[first_one:] for row in rows]
    # The SELECTs of several points stand in a UNION ALL, whose rows come in any order.
    for row, side in zip(
        sorted(rows, key=first), sorted(map(tuple, sides), key=first), strict=True
    ):
        assert row == tuple(
            value if value is None else pytest.approx(value, rel=1e-12) for value in side
        )


def report_for(needs: str | None) -> str:
    """The report, of those without bins, that has what a measure needs."""
    return "control" if needs == "control" else "exclusions, no bins"


def first(row: tuple[Any, ...]) -> float:
    """The numerator, or the value, as what rows are sorted by."""
    return float("-inf") if row[0] is None else float(row[0])


def stage_rows(engine: DuckDB, layout: Any, stage: str, at: str = "point") -> str:
    """What a measure's stage stands for: the rows of the first comparison and the first target, at
    a point.
    """
    comparison, target = layout.comparisons[0], layout.targets[0]
    if stage == "predicate_counts":
        rows = singling_out.predicate_counts(layout, layout.counts.bases[0])
        return (
            f"SELECT * FROM {templates.nested(rows)} AS every WHERE comparison = "
            f"{comparison.number}"
        )
    if stage in OF_SCORES:
        return membership.thresholds(layout, "score_counts")
    if stage in UNTARGETED:
        return comparisons.of_classes(
            layout,
            [comparison],
            layout.counts.bases[-1 if layout.scenario.weights is None else 1],
            stage,
        )
    if stage in (*CELL_STAGES, *PROFILES, *OF_NUMBERS, "posteriors"):
        return comparisons.Cells(
            layout, (comparison,), (layout.targets[1] if stage in OF_NUMBERS else target,)
        ).read_by(stage)
    columns = ", ".join(
        f"MAX(CASE WHEN measure = '{name}' AND COALESCE(point, 0) = COALESCE({at}, 0) "
        f'THEN value END) AS "{name}" '
        for (name,) in engine.run("SELECT DISTINCT measure FROM results")
    )
    return (
        f"SELECT {columns} FROM results WHERE target = {target.number} AND comparison = "
        f"{comparison.number}"
    )


def test_a_wrong_number_would_be_seen(reports: dict[str, sqlrisk.Report]) -> None:
    rows = scored(reports["plain"], "DiSCO", KEYS["targets"])
    assert agree(rows, rows)
    assert not agree({key: (row[0], row[1], 0.0) for key, row in rows.items()}, rows)
    assert not agree({}, {})


def test_a_script_of_a_measure_needs_what_the_measure_needs() -> None:
    with pytest.raises(sqlrisk.InputError, match="population_risk needs weights"):
        sqlrisk.sql("population_risk", **KEYS)
    with pytest.raises(
        sqlrisk.InputError, match="membership_ratio_AUC needs a reference: a script does not"
    ):
        sqlrisk.sql("membership_ratio_AUC", **KEYS)


def test_unknown_measures_and_dialects_are_refused() -> None:
    with pytest.raises(sqlrisk.InputError, match=r"'DISCOS'.*did you mean 'DiSCO'"):
        sqlrisk.sql("DISCOS", one=True)
    with pytest.raises(sqlrisk.InputError, match="dialect 'oracle'"):
        sqlrisk.sql("DiSCO", dialect="oracle")
    with pytest.raises(sqlrisk.InputError, match="targets"):
        sqlrisk.sql("DiSCO", keys=["sex"])
    with pytest.raises(sqlrisk.InputError, match="NUL character; rename"):
        sqlrisk.sql("DiSCO", keys=["a\0"], targets=["t"])
    with pytest.raises(sqlrisk.InputError, match="level holds a NUL character"):
        sqlrisk.sql("DiSCO", keys=["a"], targets=["t"], exclude_level={"t": ["\0"]})


def test_of_files_nothing_is_asked_that_they_tell() -> None:
    files = (ORIGINAL, THREE[0])
    with pytest.raises(sqlrisk.InputError, match="give types only without files"):
        sqlrisk.sql("DiSCO", *files, types="sex=VARCHAR", **KEYS)
    with pytest.raises(sqlrisk.InputError, match="cannot read files"):
        sqlrisk.sql("DiSCO", *files, dialect="spark", **KEYS)
    assert sqlrisk.sql("DiSCO", *files, one=True, **KEYS) == sqlrisk.sql("DiSCO", one=True, **KEYS)


def test_a_script_over_csv_files_loads_them(tmp_path: Path) -> None:
    """Runnable as printed: the copy of each CSV file, with its settled types, comes first."""
    for name in ("original", "synthetic"):
        (tmp_path / f"{name}.csv").write_text(
            'town,"a ""b"",c"\n1.5,x\n1.50,\n2,""\n', encoding="utf-8"
        )
    files = (str(tmp_path / "original.csv"), str(tmp_path / "synthetic.csv"))
    text = sqlrisk.sql("DiSCO", *files, keys=["town"], targets=['a "b",c'])
    rows = duckdb.connect().execute(text).fetchall()
    report = sqlrisk.score(*files, keys=["town"], targets=['a "b",c'], measures=["DiSCO"])
    assert [row[4:] for row in rows] == [(1.0, 3.0, pytest.approx(100 / 3))]
    assert report["DiSCO"].rows[0]["numerator"] == 1
