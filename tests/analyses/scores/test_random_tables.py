"""`sqlrisk reference`: average CAP of random tables, counted again by a slow independent loop."""

import json
import os
import statistics
from fractions import Fraction
from pathlib import Path
from typing import Any

import forks
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quickly import few

import sqlrisk
from sqlrisk.analyses.statistics.random_tables import WORK_LIMIT, _draws

ORACLE = Path(__file__).parents[4] / "shared" / "oracle" / "reference" / "cases.json"

PEOPLE = pa.table(
    {
        "k": ["a", "a", "a", "b", "b", None, None, None],
        "t": ["x", "x", "y", "y", None, "x", "x", "x"],
    }
)
QUESTION: dict[str, Any] = {"keys": ["k"], "targets": ["t"]}


def counts(table: pa.Table) -> list[list[int]]:
    """The cells of a table: classes by levels, the missing level first in both, as its
    codes are.
    """
    rows = table.to_pylist()
    keys, targets = ([None, *sorted({row[c] for row in rows} - {None})] for c in ("k", "t"))
    return [[sum(row == {"k": k, "t": t} for row in rows) for t in targets] for k in keys]


def average(original: list[list[int]], other: list[list[int]]) -> tuple[Fraction, Fraction]:
    """Average CAP in percent: non-matches as zero, and left out."""
    right, matched = Fraction(0), 0
    for mine, theirs in zip(original, other, strict=True):
        if sum(theirs):
            right += Fraction(sum(a * b for a, b in zip(mine, theirs, strict=True)), sum(theirs))
            matched += sum(mine)
    return 100 * right / sum(map(sum, original)), 100 * right / matched


def drawn(
    original: list[list[int]], random: int, seed: int, draw: str
) -> list[tuple[Fraction, Fraction]]:
    """The same random tables, one by one."""
    cells = len(original) * len(original[0])
    generator = np.random.Generator(np.random.PCG64(seed))
    weights = (
        generator.spawn(1)[0].standard_exponential((random, cells))
        if draw == "tables"
        else np.ones((random, cells))
    )
    tables = generator.multinomial(
        sum(map(sum, original)), weights / weights.sum(axis=1, keepdims=True)
    )
    return [average(original, table.reshape(len(original), -1).tolist()) for table in tables]


def released(cells: list[list[int]]) -> pa.Table:
    """The people of a table of counts: classes as lines."""
    people = [
        (str(k), str(t))
        for k, line in enumerate(cells)
        for t, n in enumerate(line)
        for _ in range(n)
    ]
    return pa.table({"k": [k for k, _ in people], "t": [t for _, t in people]})


@pytest.mark.parametrize("draw", ["tables", "records"])
def test_every_number_equals_the_slow_loop(draw: str) -> None:
    rows: list[dict[str, Any]] = sqlrisk.reference(
        PEOPLE, **QUESTION, random=301, seed=5, draw=draw
    ).rows
    original = counts(PEOPLE)
    own, _ = average(original, original)
    for place, (row, measure) in enumerate(zip(rows, ("DCAP", "DCAP_matched"), strict=True)):
        values = [float(each[place]) for each in drawn(original, 301, 5, draw)]
        assert (row["target"], row["measure"], row["classes"], row["levels"]) == (
            "t",
            measure,
            3,
            3,
        )
        cuts = statistics.quantiles(values, n=20, method="inclusive")
        expected = {
            "original": float(own), "mean": statistics.fmean(values),
            "sd": statistics.stdev(values),
            "min": min(values), "max": max(values), "q5": cuts[0], "q25": cuts[4], "q50": cuts[9],
            "q75": cuts[14],
            "q95": cuts[18], "share_below": 100 * row["below"] / 301,
        }  # fmt: skip
        assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-12)
        assert row["below"] == sum(each[place] < own for each in drawn(original, 301, 5, draw))
        assert 0 < row["below"] < 301
        low, high = min(*values, float(own)), max(*values, float(own))
        bins, width = row["histogram"], (high - low) / 20
        assert len(bins) == 20
        assert sum(each["tables"] for each in bins) == 301
        assert sum(each["original"] for each in bins) == 1
        for number, each in enumerate(bins):
            begins, ends = low + number * width, low + (number + 1) * width
            assert (each["from"], each["to"]) == pytest.approx((begins, ends))
            # one on an end may round to either side
            inside = sum(begins + 1e-9 < value < ends - 1e-9 for value in values)
            assert (
                inside
                <= each["tables"]
                <= sum(begins - 1e-9 <= value <= ends + 1e-9 for value in values)
            )
            assert not each["original"] or begins - 1e-9 <= own <= ends + 1e-9


def test_every_table_is_equally_likely() -> None:
    """Six records in four cells: each of the 84 tables is drawn some 1,190 times of 100,000
    (chi-square, 83 degrees).
    """
    generator = np.random.Generator(np.random.PCG64(1))
    counts: dict[tuple[int, ...], int] = {}
    rows = pa.concat_tables(_draws(generator, 6, 4, 100_000, "tables")).to_pydict()
    tables = np.zeros((100_000, 4), dtype=int)
    tables[np.array(rows["draw"]) - 1, np.array(rows["place"]) - 1] = rows["n"]
    for table in map(tuple, tables.tolist()):
        counts[table] = counts.get(table, 0) + 1
    assert len(counts) == 84
    expected = 100_000 / 84
    # 99.8 % of chi-squares are below
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < 124


@pytest.mark.skipif(not ORACLE.is_file(), reason="needs the folder shared")
@pytest.mark.parametrize(
    "name", few(["O3", "O4", "O1", "three_by_three_diagonal", "illustration"], 3)
)
def test_the_distribution_of_the_paper(name: str) -> None:
    """Baillargeon & Charest 2020, section 4: exact moments of the average over all tables, within
    4.5 standard errors.
    """
    case = next(each for each in json.loads(ORACLE.read_text())["tables"] if each["name"] == name)
    # its classes are columns
    people = released([list(line) for line in zip(*case["original"], strict=True)])
    row = sqlrisk.reference(people, **QUESTION, random=50_000).rows[0]
    assert row["original"] == pytest.approx(case["original_average"], abs=1e-9)
    exact = case["exact_as_zero"]
    assert row["mean"] == pytest.approx(exact["mean"], abs=4.5 * exact["sd"] / 50_000**0.5 + 1e-9)
    # each of its classes is like the others, so that only a table without some class differs
    if name != "O1":
        assert row["sd"] == pytest.approx(exact["sd"], rel=4.5 / (2 * 50_000) ** 0.5 * 1.5)
    if simulated := case.get("simulated_as_zero"):
        assert row["share_below"] == pytest.approx(simulated["share_below_original"], abs=0.2)


@pytest.mark.slow
def test_the_original_is_the_measure_capd() -> None:
    result = sqlrisk.reference(PEOPLE, **QUESTION, random=1)
    report = sqlrisk.score(PEOPLE, PEOPLE, **QUESTION, measures=["CAPd"])
    assert [row["original"] for row in result.rows] == [
        pytest.approx(report["CAPd"].rows[0]["value"], rel=1e-12)
    ] * 2
    assert [row["sd"] for row in result.rows] == [None, None]  # one table has no spread
    assert all(row["min"] == row["q50"] == row["max"] == row["mean"] for row in result.rows)


def test_the_same_seed_gives_the_same_tables() -> None:
    first, again, other = (
        sqlrisk.reference(PEOPLE, **QUESTION, random=50, seed=seed).rows for seed in (1, 1, 2)
    )
    assert first == [
        {
            name: v if not isinstance(v, float) else pytest.approx(v, rel=1e-12)
            for name, v in row.items()
        }
        for row in again
    ]
    assert first != other


def test_a_table_that_equals_the_original_is_not_below_it() -> None:
    """One class, one level: every table is the original."""
    result = sqlrisk.reference(pa.table({"k": [1] * 7, "t": [1] * 7}), **QUESTION, random=9)
    assert [(row["original"], row["min"], row["max"], row["below"]) for row in result.rows] == [
        (100, 100, 100, 0)
    ] * 2


@pytest.mark.slow
def test_tables_drawn_in_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sqlrisk.reference(PEOPLE, **QUESTION, random=40, seed=3).rows
    monkeypatch.setattr("sqlrisk.analyses.statistics.random_tables._CHUNK", 60)
    result = sqlrisk.reference(PEOPLE, **QUESTION, random=40, seed=3).rows
    assert result == [
        {n: v if not isinstance(v, float) else pytest.approx(v, rel=1e-12) for n, v in row.items()}
        for row in expected
    ]


@pytest.mark.slow
def test_several_targets_bins_and_a_scenario_file(tmp_path: Path) -> None:
    table = pa.table({"age": [*range(20), -8], "a": [1, 2, 3] * 7, "b": list("xy") * 10 + [None]})
    pq.write_table(table, tmp_path / "people.parquet")
    (tmp_path / "s.toml").write_text(
        'original = "people.parquet"\nkeys = ["age"]\nbins = {age = 4}\nspecial = {age = [-8]}\n'
    )
    result = sqlrisk.reference(scenario=str(tmp_path / "s.toml"), random=10)
    assert [(row["target"], row["classes"], row["levels"]) for row in result.rows] == [
        ("a", 5, 3)
    ] * 2 + [("b", 5, 3)] * 2
    assert result.scenario["bins"] == {"age": 4}
    assert result.original == {"source": str(tmp_path / "people.parquet"), "records": 21}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random": 0}, "random: expected a whole number, 1 or more; got 0"),
        ({"random": 1.5}, "random: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number, 0 or more"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"draw": "table"}, "draw: 'table' is not one of tables, records (did you mean 'tables'?)"),
        (
            {"random": WORK_LIMIT},
            "90,000,000 counts; the limit is 10,000,000: ask for 1,111,111 tables or fewer",
        ),
        ({"keys": None}, "Name the columns that an intruder may know"),
        ({"keys": ["kk"]}, "no file has a column 'kk'"),
        ({"original": "nowhere.parquet"}, "There is no file 'nowhere.parquet'"),
        ({"original": None}, "Name the original file"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.reference(**{"original": PEOPLE, **QUESTION, **options})
    assert words in str(raised.value)


def test_a_table_too_large_for_a_single_one() -> None:
    table = pa.table({"k": list(range(4000)), "t": list(range(4000))})
    with pytest.raises(sqlrisk.InputError, match="name fewer keys"):
        sqlrisk.reference(table, **QUESTION, random=1)


def test_exclusions_of_a_scenario_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'keys = ["k"]\ntargets = ["t"]\nexclude_level = {t = ["x"]}\nmax_cell = 3\n'
    )
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.reference(PEOPLE, scenario=str(tmp_path / "s.toml"))
    assert [problem.partition(":")[0] for problem in raised.value.problems] == [
        "exclude_level",
        "max_cell",
    ]


@pytest.mark.slow
def test_the_forms_of_the_result(tmp_path: Path) -> None:
    result = sqlrisk.reference(PEOPLE, **QUESTION, random=20)
    document = json.loads(result.to_json())
    assert document["scenario"] == {
        "keys": ["k"],
        "targets": ["t"],
        "bins": {},
        "special": {},
        "missing": [],
        "column": {},
        **{name: {} for name in ("encoding", "delimiter", "decimal", "quote")},
        "random": 20,
        "seed": 1,
        "draw": "tables",
    }
    assert document["reference"][0] == result.rows[0]
    assert (
        result.to_csv()
        .splitlines()[0]
        .startswith("target,measure,classes,levels,original,mean,sd,min,q5,")
    )
    assert len(result.to_csv().splitlines()) == 3
    assert "DCAP" in result.to_markdown()
    result.to_parquet(tmp_path / "r.parquet")
    assert pq.read_table(tmp_path / "r.parquet").to_pylist() == [
        {name: value for name, value in row.items() if name != "histogram"} for row in result.rows
    ]
    assert result.to_pandas()["below"].tolist() == [row["below"] for row in result.rows]


def command(folder: Path, *arguments: str) -> forks.Done:
    return forks.run("reference", *arguments, cwd=folder, env={**os.environ, "COLUMNS": "200"})


def test_the_command(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    asked = ["people.parquet", "--keys", "k", "--targets", "t", "--random", "30", "--seed", "4"]
    done = command(tmp_path, *asked, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = sqlrisk.reference(PEOPLE, **QUESTION, random=30, seed=4).rows
    assert [row["below"] for row in json.loads(done.stdout)["reference"]] == [
        row["below"] for row in rows
    ]
    shown = command(tmp_path, *asked)
    assert "random tables  30, seed 4" in shown.stdout
    assert command(tmp_path, *asked, "-o", "r.csv").stdout == ""
    assert (tmp_path / "r.csv").read_text().count("\n") == 3


def test_the_command_refuses_in_one_message(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    done = command(tmp_path, "people.parquet", "--keys", "k", "--random", "9999999", "-o", "r.json")
    assert done.returncode == 2
    assert "the limit is 10,000,000" in done.stderr
    assert not (tmp_path / "r.json").exists()
    same = command(tmp_path, "people.parquet", "--keys", "k", "-o", "people.parquet")
    assert same.returncode == 2
    assert "is the input" in same.stderr
