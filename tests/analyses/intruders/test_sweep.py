"""Sweeps: each subset's numbers are those of `score`, means and spreads those of plain Python,
contributions by hand.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracle import ABSENT, ORACLE
from quickly import few

import sqlrisk
from sqlrisk.analyses.intruders import sweep_request, sweeps
from sqlrisk.analyses.session import Session
from sqlrisk.engines.duckdb import DuckDB
from sqlrisk.inputs.scenario import WORK_LIMIT
from sqlrisk.plan import class_key
from sqlrisk.report.results.sweeps import COLUMNS, PARTS
from tests.analyses.scores.test_populations import POPULATIONS, file, rounded
from tests.cli.test_cli import environment, fails, files  # noqa: F401 - files is a fixture
from tests.cli.test_cli import sqlrisk as command_line

KEYS = ["sex", "town", "region"]
QUESTION: dict[str, Any] = {"keys": KEYS, "targets": ["ill", "income"]}
WHAT = ("measure", "at", "target", "synthesis", "population", "people", "weighted")
Rows = Sequence[dict[str, Any]]


def subsets(keys: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    return [list(chosen) for size in sizes for chosen in combinations(keys, size)]


def by_subset(sweep: sqlrisk.Sweep) -> dict[tuple[str, ...], dict[tuple[Any, ...], dict[str, Any]]]:
    """Rows by keys, then by what they say."""
    found: dict[tuple[str, ...], dict[tuple[Any, ...], dict[str, Any]]] = {}
    rows: Any = sweep.subsets
    for row in rows:
        found.setdefault(tuple(row["keys"]), {})[tuple(row[name] for name in WHAT)] = row
    return found


def same_as_score(
    sweep: sqlrisk.Sweep, original: Any, synthetic: Any, keys: Sequence[str], **question: Any
) -> int:
    """Every row of every subset is that of score, but for those of the original against itself; how
    many there are.
    """
    found = by_subset(sweep)
    compared = 0
    for chosen, rows in found.items():
        asked = dict(question)
        gone = set(keys) - set(chosen)
        for name in ("exclude_missing", "exclude_pair"):
            if name in asked:
                asked[name] = [
                    each
                    for each in asked[name]
                    if (each if isinstance(each, str) else each["key"]) not in gone
                ]
        report = sqlrisk.score(original, synthetic, keys=list(chosen), **asked)
        # What the synthesis added to control, and who is left out, is the business of score.
        own = [
            row
            for row in report.results
            if row["people"] in ("original", "control") and row["family"] != "left_out"
        ]
        expected = {tuple(row[name] for name in WHAT): row for row in own}
        mine = {what: row for what, row in rows.items() if what[3] != "original"}
        assert set(expected) <= set(mine)
        # means of a population of nobody
        assert all(mine[what]["value"] is None for what in set(mine) - set(expected))
        for what, row in expected.items():
            assert {name: mine[what][name] for name in row} == rounded(row), what
            compared += 1
    return compared


@pytest.mark.slow
def test_every_row_is_that_of_score() -> None:
    """Two syntheses, missing values, exclusions of every kind, bins, a measure at
    several points.
    """
    original, synthetic = file(1), [file(2), file(3)]
    question: dict[str, Any] = {
        "targets": ["ill", "income"],
        "bins": {"income": 2},
        "exclude_level": {"ill": ["n"]},
        "exclude_missing": ["town", "ill"],
        "exclude_pair": [
            {"target": "income", "target_level": "3", "key": "sex", "key_level": "m"},
            {"target": "ill", "target_level": "y", "key": "town", "key_level": "a"},
        ],
        "max_cell": 20,
        "measures": [
            "UiO",
            "repU",
            "DiS",
            "DiSCO",
            "mean_denom_syn",
            "DCAP_matched",
            "CAP_at_least",
            "accuracy_0CAP",
            "l_entropy",
        ],
    }
    sweep = sqlrisk.sweep(original, synthetic, keys=KEYS, key_length=[2, 3], **question)
    assert [list(keys) for keys in by_subset(sweep)] == subsets(KEYS, [2, 3])
    assert same_as_score(sweep, original, synthetic, KEYS, **question) > 4 * 6 * 2 * 8


@pytest.mark.slow
def test_populations_weights_and_control_too() -> None:
    original, synthetic, control = file(1), [file(2), file(3)], file(4)
    question: dict[str, Any] = {
        "targets": ["ill"],
        "populations": ["all", "uniques", "special"],
        "population": {name: condition for name, (condition, _) in POPULATIONS.items()},
        "by": ["sex", "income"],
        "weights": "weight",
        "control": control,
        "measures": ["UiO", "DiSCO", "DCAP", "max_denom", "DCAP_scaled"],
    }
    sweep = sqlrisk.sweep(
        original, synthetic, keys=["sex", "town"], key_length=[1, 2], reference=True, **question
    )
    assert same_as_score(sweep, original, synthetic, ["sex", "town"], **question) > 1000
    assert sweep.control == {"source": "pyarrow.Table", "records": 150}
    references = [row for row in sweep.subsets if row["synthesis"] == "original"]
    # nobody's control is swept against the original
    assert {row["people"] for row in references} == {"original"}


@pytest.mark.slow
def test_nearest_records_aligned_files_and_the_intruder() -> None:
    """Measures that look beyond equal keys, at record numbers and at the prior; the records have
    ids.
    """
    ids = pa.array(range(1, 151))
    original, synthetic = file(1).append_column("person", ids), file(2).append_column("person", ids)
    question: dict[str, Any] = {
        "targets": ["ill"],
        "id": "person",
        "aligned": True,
        "assume": "saturated",
        "prior": 0.5,
        "weights": "weight",
        "measures": [
            "GCAP",
            "records_by_radius",
            "accuracy_GCAP",
            "accuracy_mode_orig",
            "matches",
            "intruder",
        ],
    }
    sweep = sqlrisk.sweep(original, [synthetic], keys=KEYS, key_length=[1, 2], **question)
    assert same_as_score(sweep, original, [synthetic], KEYS, **question) > 6 * 15
    question |= {"aligned": False, "measures": ["GCAP", "accuracy_GCAP"], "control": file(3)}
    sweep = sqlrisk.sweep(
        original, [synthetic], keys=KEYS, key_length=2, reference=True, **question
    )
    assert same_as_score(sweep, original, [synthetic], KEYS, **question) == 3 * 2 * 2 * 2


@pytest.mark.slow
def test_numbers_within_a_tolerance() -> None:
    question: dict[str, Any] = {
        "targets": ["ill", "AGE_2", "age"],
        "within": {"AGE_2": "1", "age": "5%"},
        "within_floor": {"age": "2"},
        "exclude_level": {"ill": ["n"]},
        "measures": ["within", "DCAP"],
    }
    sweep = sqlrisk.sweep(
        file(1), [file(2), file(3)], keys=KEYS, key_length=[1, 3], reference=True, **question
    )
    assert same_as_score(sweep, file(1), [file(2), file(3)], KEYS, **question) > 4 * 6 * (3 + 2 * 5)


@pytest.mark.slow
def test_several_columns_of_the_class_key_and_several_passes() -> None:
    """Keys whose level counts pass 2^62 together; a subset of them fits one column again."""
    rows = 400
    wide = {
        f"k{number}": [(row * (number + 3)) % (rows - number) for row in range(rows)]
        for number in range(9)
    }
    original = pa.table({**wide, "t": [row % 3 for row in range(rows)]})
    synthetic = pa.table(
        {
            **{name: values[1:] + values[:1] for name, values in wide.items()},
            "t": [row % 3 for row in range(rows)],
        }
    )
    names = ["UiO", "DCAP", "accuracy_0CAP"]

    class Passes(DuckDB):
        """Counts in three passes, or more."""

        def passes(self, *_: Any, **__: Any) -> int:
            return 3

    asked = sweep_request.ask(
        (original, synthetic, None),
        {"keys": list(wide), "targets": ["t"], "measures": names},
        key_length=[1, 8],
    )
    with Passes() as engine:
        sweep = sweeps.sweep(asked, Session(engine))
    assert len(by_subset(sweep)) == 18
    assert (
        same_as_score(sweep, original, synthetic, list(wide), targets=["t"], measures=names)
        == 18 * 3
    )


def many(seed: int) -> pa.Table:
    """People of whom many have the same keys: 400 records of 2 * 4 * 2 * 5 combinations, with
    missing values.
    """
    drawn = np.random.default_rng(seed)
    levels = {
        "sex": "mf",
        "town": "abc-",
        "region": "no",
        "age": "1234-",
        "ill": "yn",
        "income": "123-",
    }
    return pa.table(
        {
            name: [{"-": None}.get(each, each) for each in drawn.choice([*of], 400)]
            for name, of in levels.items()
        }
    )


def traced(
    question: Mapping[str, Any], original: Any, synthetic: Any
) -> tuple[sqlrisk.Sweep, list[str]]:
    statements: list[str] = []
    return sqlrisk.sweep(
        original, synthetic, **question, trace=lambda sql, _: statements.append(sql)
    ), statements


@pytest.mark.slow
def test_subsets_are_counted_from_the_cells_of_wider_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes with a gap, exclusions of every kind, control: where cells are few, records are packed
    for few of the subsets.
    """
    original, synthetic, control, keys = many(1), [many(2)], many(3), ["region", "town", "age"]
    question: dict[str, Any] = {
        "targets": ["ill", "income"],
        "exclude_missing": ["town", "income"],
        "exclude_pair": [{"target": "ill", "target_level": "y", "key": "age", "key_level": "2"}],
        "control": control,
        "measures": ["UiO", "repU", "DiSCO", "DCAP", "accuracy_0CAP", "min_DCAP_cells"],
    }
    swept = {"keys": keys, "key_length": [1, 3], **question}
    sweep, statements = traced(swept, original, synthetic)
    assert [list(chosen) for chosen in by_subset(sweep)] == subsets(keys, [1, 3])
    assert same_as_score(sweep, original, synthetic, keys, **question) == 4 * 2 * (2 + 2 * 4)
    # all keys; the others are of their classes
    assert sum("FROM coded_records" in sql for sql in statements) == 1
    assert (
        sum(
            "CREATE TEMPORARY TABLE classes" in sql and "FROM superset_" in sql
            for sql in statements
        )
        == 3
    )
    assert not any("FROM superset_" in sql and "FROM records" in sql for sql in statements)
    monkeypatch.setattr(class_key, "KEY_COLUMN_LIMIT", 13)
    in_columns, statements = traced(swept, original, synthetic)
    assert any("class_key_2" in sql for sql in statements)
    assert [rounded(row) for row in in_columns.subsets] == [rounded(row) for row in sweep.subsets]


def test_subsets_without_a_target_are_counted_from_the_classes_of_wider_ones() -> None:
    question: dict[str, Any] = {"measures": ["UiO", "repU"], "targets": ["ill"]}
    sweep, statements = traced({"keys": ["region", "town", "sex"], **question}, many(1), [many(2)])
    assert same_as_score(sweep, many(1), [many(2)], ["region", "town", "sex"], **question) == 7 * 2
    assert sum("FROM superset_" in sql for sql in statements) == 6


@pytest.mark.parametrize(
    "more",
    few(
        [
            {"populations": ["all", "uniques"]},
            {"measures": ["GCAP"]},
            {"attackers": ["majority"], "measures": ["UiO"]},
        ]
    ),
    ids=["populations", "nearest records", "attackers"],
)
def test_where_single_records_are_looked_at_every_subset_is_counted_from_them(
    more: dict[str, Any],
) -> None:
    question = {"keys": ["sex", "town"], "targets": ["ill"], "measures": ["UiO", "DCAP"], **more}
    _, statements = traced(question, many(1), [many(2)])
    assert sum("FROM coded_records" in sql for sql in statements) == 3
    assert not any("superset_" in sql for sql in statements)


@pytest.mark.slow
def test_the_original_against_itself() -> None:
    """A further file, which changes no other number: not pooled, not in the breaks of bins."""
    question: dict[str, Any] = {
        **QUESTION,
        "bins": {"income": 2},
        "measures": ["DiSCO", "DCAP", "accuracy_ICAP", "repU"],
    }
    plain = by_subset(sqlrisk.sweep(file(1), [file(2)], **question))
    sweep = sqlrisk.sweep(file(1), [file(2)], reference=True, **question)
    itself = by_subset(sqlrisk.sweep(file(1), [file(1)], **question))
    for keys, rows in by_subset(sweep).items():
        assert {what[3] for what in rows} == {"1", "original"}
        assert [row for what, row in rows.items() if what[3] == "1"] == [
            rounded(row) for row in plain[keys].values()
        ]
        mine = [{**row, "synthesis": "1"} for what, row in rows.items() if what[3] == "original"]
        assert mine == [rounded(row) for row in itself[keys].values()]
        assert {row["nonmatches"] for row in mine} == {0}


@pytest.mark.slow
def test_nonmatches_are_people_without_a_synthetic_record() -> None:
    original, synthetic = file(1), [file(2), file(3)]
    sweep = sqlrisk.sweep(original, synthetic, **QUESTION, measures=["UiO"])
    for keys, rows in by_subset(sweep).items():
        levels = [
            [tuple(row[key] for key in keys) for row in table.to_pylist()]
            for table in (original, *synthetic)
        ]
        alone = [sum(q not in set(other) for q in levels[0]) for other in levels[1:]]
        pooled = sum(q not in {*levels[1], *levels[2]} for q in levels[0])
        expected = {
            "1": alone[0],
            "2": alone[1],
            "mean": sum(alone) / 2,
            "min": min(alone),
            "max": max(alone),
            "pooled 1-2": pooled,
        }
        assert {what[3]: row["nonmatches"] for what, row in rows.items()} == expected
    assert any(row["nonmatches"] for row in sweep.subsets)


def test_the_summary_is_that_of_plain_python() -> None:
    """TCAP_disclosive has no value where nothing is disclosive; such subsets are left out and
    counted.
    """
    sweep = sqlrisk.sweep(
        file(1),
        [file(2), file(3)],
        **QUESTION,
        measures=["UiO", "DCAP", "TCAP_disclosive", "baseCAPd"],
    )
    summary: Any = sweep.summary
    for row in summary:
        own: Any = [
            each
            for each in sweep.subsets
            if all(each[name] == row[name] for name in (*WHAT, "key_length"))
        ]
        values = [each["value"] for each in own if each["value"] is not None]
        near: dict[str, Any] = {"rel": 1e-9, "abs": 1e-12}
        assert (row["subsets"], row["missing"]) == (len(own), len(own) - len(values))
        assert row["mean_nonmatches"] == pytest.approx(
            statistics.fmean(each["nonmatches"] for each in own)
        )
        if not values:
            assert (row["mean"], row["sd"], row["min"], row["max"]) == (None, None, None, None)
            continue
        assert row["mean"] == pytest.approx(statistics.fmean(values), **near)
        assert row["sd"] == pytest.approx(statistics.pstdev(values), **near)
        assert (row["min"], row["max"]) == (pytest.approx(min(values)), pytest.approx(max(values)))
    assert any(row["missing"] for row in summary)
    assert any(row["sd"] for row in summary)
    assert {row["sd"] for row in summary if row["measure"] == "baseCAPd"} == {0.0}
    assert len({tuple(row[name] for name in (*WHAT, "key_length")) for row in summary}) == len(
        summary
    )


def test_what_each_key_adds_by_hand() -> None:
    """Everybody differs on b alone: UiO is 0 without it, 100 with it; a adds 0 to b, and 0 to c."""
    table = pa.table({"a": [1] * 4, "b": [1, 2, 3, 4], "c": [1, 1, 2, 2], "t": [0, 1, 0, 1]})
    sweep = sqlrisk.sweep(
        table, table, keys=["a", "b", "c"], targets=["t"], measures=["UiO", "Dorig"]
    )
    found: Any = {(row["key"], row["measure"]): row for row in sweep.contributions}
    three = {
        key: [found[key, "UiO"][name] for name in ("steps", "mean", "min", "max")] for key in "abc"
    }
    # b joins {a}, {c} and {a,c}; nobody is disclosed without it, everybody with it
    assert three == {
        "a": [3, 0.0, 0.0, 0.0],
        "b": [3, 100.0, 100.0, 100.0],
        "c": [3, 0.0, 0.0, 0.0],
    }
    assert [found["b", "Dorig"][name] for name in ("steps", "mean")] == [3, 100.0]


@pytest.mark.slow
def test_what_each_key_adds_is_the_mean_of_the_changes() -> None:
    sweep = sqlrisk.sweep(
        file(1), [file(2)], **QUESTION, measures=["DCAP", "TCAP_disclosive", "DiSCO"]
    )
    found = by_subset(sweep)
    contributions: Any = sweep.contributions
    for row in contributions:
        what = tuple(row[name] for name in WHAT)
        changes = []
        for keys in found:
            fewer = tuple(key for key in keys if key != row["key"])
            if row["key"] in keys and fewer in found:
                with_key, without = (found[each][what]["value"] for each in (keys, fewer))
                changes += [] if with_key is None or without is None else [with_key - without]
        assert row["steps"] == len(changes) > 0
        assert [row["mean"], row["min"], row["max"]] == pytest.approx(
            [statistics.fmean(changes), min(changes), max(changes)], abs=1e-10
        )
    assert {row["key"] for row in contributions} == set(KEYS)


@pytest.mark.slow
def test_sizes_that_do_not_follow_each_other_say_nothing_of_single_keys() -> None:
    sweep = sqlrisk.sweep(file(1), [file(2)], **QUESTION, key_length="1,3")
    assert [list(keys) for keys in by_subset(sweep)] == subsets(KEYS, [1, 3])
    assert sweep.contributions == []
    assert "Single keys cannot be judged" in sweep.to_text()
    assert sweep.count == 4


@pytest.mark.slow
def test_defaults_stand_beside_the_original_and_the_baseline() -> None:
    sweep = sqlrisk.sweep(file(1), [file(2)], **QUESTION)
    of_one_key = [row for row in sweep.summary if row["key_length"] == 1]
    assert [row["measure"] for row in of_one_key if row["target"] in (None, "ill")] == [
        "UiO", "Dorig", "DiSCO", "baseCAPd", "CAPd", "DCAP", "accuracy_ICAP",
    ]  # fmt: skip
    assert sweep.scenario["key_length"] == [1, 2, 3]
    assert sweep.sort == "DiSCO"


# ---- the forms of the result
# ---------------------------------------------------------------------------------------------


def test_json() -> None:
    sweep = sqlrisk.sweep(
        file(1), {"cart": [file(2)], "r,f": [file(3)]}, **QUESTION, measures=["DCAP"], key_length=2
    )
    document = json.loads(sweep.to_json())
    assert list(document) == [
        "sqlrisk", "schema", "assessment", "scenario", "original", "synthetic", "subsets",
        "summary", "contributions",
    ]  # fmt: skip
    assert document["scenario"]["key_length"] == [2]
    assert [each["synthesis"] for each in document["synthetic"]] == ["cart 1", "r,f 1"]
    assert len(document["subsets"]) == 3 * 2 * 2
    for part in PARTS[:2]:
        assert [list(row) for row in document[part]] == [list(COLUMNS[part])] * len(document[part])
        assert document[part]
    assert document["subsets"] == sweep.subsets
    assert document["subsets"][0]["keys"] == ["sex", "town"]
    numbers = [row["nonmatches"] for row in document["subsets"]]
    assert all(isinstance(number, int) for number in numbers)


@pytest.mark.slow
def test_parquet_by_the_engine_is_that_of_the_rows(tmp_path: Path) -> None:
    question: dict[str, Any] = {
        **QUESTION,
        "by": ["sex"],
        "measures": ["UiO", "DCAP", "CAP_at_least", "DCAP_scaled"],
    }
    sweep = sqlrisk.sweep(file(1), [file(2), file(3)], **question)
    sweep.to_parquet(tmp_path / "rows.parquet")
    streamed = sqlrisk.sweep(
        file(1), [file(2), file(3)], **question, output=tmp_path / "engine.parquet"
    )
    expected, found = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("rows", "engine"))
    assert found.column_names == list(COLUMNS["subsets"])
    assert found.to_pylist() == [rounded(row) for row in expected.to_pylist()]
    assert [str(field.type) for field in found.schema] == [
        str(field.type) for field in expected.schema
    ]
    assert streamed.subsets == []
    assert streamed.summary == [rounded(row) for row in sweep.summary]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["engine.parquet", "rows.parquet"]


@pytest.mark.slow
def test_tables_of_the_parts() -> None:
    sweep = sqlrisk.sweep(
        file(1), [file(2)], **{**QUESTION, "keys": ["sex", "town"]}, measures=["DCAP"]
    )
    for part in PARTS:
        table = sweep.table(part)
        assert table.columns == list(COLUMNS[part])
        assert len(table) == len(getattr(sweep, part)) > 0
    assert "sex,town" in [
        row[COLUMNS["subsets"].index("keys")] for row in sweep.table("subsets").rows
    ]
    assert '"sex,town"' in sweep.to_csv()
    with pytest.raises(
        sqlrisk.InputError, match=r"no part 'summery' of a sweep \(did you mean 'summary'\?\)"
    ):
        sweep.table("summery")


def listed(text: str) -> list[list[str]]:
    """The lines of the listing of subsets, its keys joined."""
    lines = text.split("Subsets ─")[1].split("Notes ─", maxsplit=1)[0].splitlines()
    start = max(number for number, line in enumerate(lines) if line.strip().startswith("──"))
    return [line.replace(", ", ",").split() for line in lines[start + 1 :] if line.strip()]


@pytest.mark.parametrize("sort", few([None, "DCAP", "key_length", "keys", "nonmatches"]))
def test_the_listing_is_sorted_and_cut(sort: str | None) -> None:
    sweep = sqlrisk.sweep(
        file(1), [file(2)], keys=KEYS, targets=["ill"], measures=["DiSCO", "DCAP"], sort=sort, top=5
    )
    rows: Any = sweep.subsets
    order: Any = {
        None: lambda row: -row["value"],
        "DCAP": lambda row: -row["value"],
        "key_length": lambda row: row["key_length"],
        "keys": lambda row: [KEYS.index(key) for key in row["keys"]],
        "nonmatches": lambda row: -row["nonmatches"],
    }[sort]
    own = sorted(
        (row for row in rows if row["measure"] == ("DCAP" if sort == "DCAP" else "DiSCO")),
        key=order,
    )
    assert [line[0] for line in listed(sweep.to_text(width=120))] == [
        ",".join(row["keys"]) for row in own[:5]
    ]


@pytest.mark.parametrize("others", [[], ["CAPd"]])
def test_a_baseline_of_the_people_counted_is_listed_without_that_of_everybody(
    others: list[str],
) -> None:
    measures = ["baseCAPd_counted", *others]
    sweep = sqlrisk.sweep(file(1), [file(2)], keys=["sex"], targets=["ill"], measures=measures)
    *numbers, nonmatches = listed(sweep.to_text(width=120))[0][1:]
    found = {row["measure"]: row for row in sweep.subsets}
    assert numbers == [f"{found[measure]['value']:.2f}" for measure in found]
    assert sorted(found) == sorted(measures)
    assert nonmatches == str(found["baseCAPd_counted"]["nonmatches"])
    report = sqlrisk.score(file(1), [file(2)], keys=["sex"], targets=["ill"], measures=measures)
    assert numbers[0] in report.to_text()


@pytest.mark.slow
def test_text_of_two_syntheses_shows_their_mean_beside_the_original() -> None:
    sweep = sqlrisk.sweep(file(1), [file(2), file(3)], **QUESTION, reference=True, top=0)
    text = sweep.to_text(width=140)
    assert "mean" in text
    assert "synthesis 1" in text  # among the files alone
    assert "original" in text
    assert "Subsets ─" not in text
    assert "| age" not in sweep.to_markdown()
    assert "What each key adds" in sweep.to_markdown()


# ---- hittmeir
# --------------------------------------------------------------------------------------------------


def test_the_layout_has_the_files_as_rows() -> None:
    sweep = sqlrisk.sweep(
        file(1), {"cart": [file(2), file(3)], "rf": [file(4)]}, **QUESTION, reference=True,
        key_length=[1, 2],
        measures=["accuracy_0CAP", "accuracy_ICAP"],
    )  # fmt: skip
    table = sweep.table("hittmeir")
    lines = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert list(dict.fromkeys(line["file"] for line in lines)) == ["original", "cart mean", "rf"]
    expected: Any = {
        (row["target"], row["synthesis"], row["measure"], row["key_length"]): (
            row["mean"],
            row["sd"],
        )
        for row in sweep.summary
    }
    for line in lines:
        label = {"rf": "rf 1"}.get(str(line["file"]), line["file"])
        assert (line["mean"], line["sd"]) == expected[
            line["target"], label, line["measure"], line["key_length"]
        ]
    assert len(lines) == 2 * 3 * 2 * 2
    mean, sd = expected["ill", "original", "accuracy_0CAP", 1]
    page = table.to_text(width=120)
    assert f"{mean:.1f} ({sd:.1f})" in page
    # Table 5 of the paper: people whose keys no record of the file has, on average over the
    # subsets.
    people = file(1).to_pylist()
    unfound = {"original": [0.0, 0.0], "cart mean": [0.0, 0.0], "rf": [0.0, 0.0]}
    for name, seeds in (("cart mean", (2, 3)), ("rf", (4,))):
        for size, seed in product((1, 2), seeds):
            for chosen in subsets(KEYS, [size]):
                held = {tuple(row[key] for key in chosen) for row in file(seed).to_pylist()}
                missed = sum(tuple(row[key] for key in chosen) not in held for row in people)
                # there are three keys, and three pairs
                unfound[name][size - 1] += missed / 3 / len(seeds)
    for line in lines:
        assert line["mean_nonmatches"] == pytest.approx(
            unfound[str(line["file"])][int(str(line["key_length"])) - 1], abs=1e-12
        )
    shown = [line.split() for line in page[page.index("Non-matches ─") :].splitlines()]
    for name, numbers in unfound.items():
        assert [*name.split(), *(f"{number:,.1f}" for number in numbers)] in shown
    assert json.loads(table.to_json())["layout"]["name"] == "hittmeir"


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.is_dir(), reason=ABSENT)
def test_the_published_rows_of_the_original() -> None:
    """Hittmeir, Mayer & Ekelhart 2020: the original against itself, and always guessing the most
    frequent level.
    """
    published = json.loads((ORACLE / "published" / "published.json").read_text())[
        "hittmeir_2020_original_rows"
    ]
    baselines = published["most_frequent_level_baseline"]
    met = set()
    for table in published["tables"]:
        path = str(ORACLE.parent / table["data"])
        sweep = sqlrisk.sweep(
            path, path, keys=table["quasi_identifiers"], targets=[table["target"]],
            key_length=table["key_length"],
            measures=["accuracy_mode_orig", "accuracy_0CAP", "accuracy_ICAP", "accuracy_GCAP"],
            reference=True,
        )  # fmt: skip
        layout = sweep.table("hittmeir")
        rows = [dict(zip(layout.columns, row, strict=True)) for row in layout.rows]
        own = [row for row in rows if row["file"] == "original"]
        assert [row["subsets"] for row in own] == [table["subsets"]] * 4
        *votes, guess = own
        assert [f"{row['mean']:.1f} ({row['sd']:.1f})" for row in votes] == [
            f"{table['mean']:.1f} ({table['sd']:.1f})"
        ] * 3
        printed = str(baselines[table["target"]])
        assert f"{guess['mean']:.{len(printed.partition('.')[2])}f}" == printed
        met.add(table["target"])
    assert met == set(baselines)


# ---- what is refused
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key_length": 0}, "key_length: expected numbers of keys, 1 or more, as in 3,4; got 0"),
        ({"key_length": "2,two"}, "key_length: expected numbers of keys"),
        ({"key_length": [2, 4]}, "there are no subsets of 4 keys; the question has 3 keys"),
        ({"sort": "DISCOS"}, "cannot sort by 'DISCOS' (did you mean 'DiSCO'?)"),
        ({"sort": "Dsyn"}, "cannot sort by 'Dsyn'"),
        ({"top": -1}, "top: expected a whole number of subsets"),
        ({"work_limit": 0}, "work_limit: expected a whole number of steps"),
        ({"measures": ["DiCSO"]}, "no measure or family 'DiCSO' (did you mean 'DiSCO'"),
        ({"keys": ["sex", "twon"]}, "no file has a column 'twon' (did you mean 'town'?)"),
        ({"trend": True}, "trend: a sweep cannot use it"),
        ({"membership_epsilon": 0}, "membership_epsilon: a sweep cannot use it"),
        ({"link": "sex/town"}, "link: a sweep cannot use it"),
        ({"keys": None}, "Name the columns that an intruder may know"),
        (
            {"synthetic": {"original": [file(2)]}, "reference": True},
            "'original' stands for the original against itself",
        ),
        (
            {"aligned": True, "measures": ["matches"], "reference": True},
            "the original cannot be compared with itself by ",
        ),
        (
            {"measures": ["UiS", "CAPs"], "populations": "uniques"},
            "populations: UiS, CAPs cannot be computed for populations; add `all`.",
        ),
        ({"output": "rows.csv"}, "is csv by its suffix; use one of .parquet."),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    question = {"original": file(1), "synthetic": [file(2)], **QUESTION, **options}
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.sweep(**question)
    assert words in str(raised.value)


def test_all_problems_at_once() -> None:
    with pytest.raises(sqlrisk.InputError) as raised:
        sqlrisk.sweep(
            file(1),
            "nowhere.parquet",
            keys=["sex"],
            key_length="x",
            top="y",
            sort="z",
            measures=["DiCSO"],
        )
    assert [problem.partition(":")[0] for problem in raised.value.problems][-2:] == [
        "top",
        "key_length",
    ]
    assert len(raised.value.problems) == 4


def test_more_work_than_the_limit_is_refused() -> None:
    """150 + 150 records count as 100,000, of 5 steps each: a small file costs its statements."""
    words = (
        r"7 subsets of 3 keys takes about 10,500,000 steps \(5 for each subset, record, and "
        r"target \+ 1\); the limit is "
        r"5,000,000: subsets of 1 keys \(--key-length 1\) stay within it, or raise --work-limit"
    )
    with pytest.raises(sqlrisk.InputError, match=words):
        sqlrisk.sweep(file(1), [file(2)], **QUESTION, work_limit=5_000_000)
    with pytest.raises(
        sqlrisk.InputError, match=r"subsets of 1,2 keys \(--key-length 1,2\) stay within it"
    ):
        # 3 and 3 subsets, 1,500,000 steps each
        sqlrisk.sweep(file(1), [file(2)], **QUESTION, work_limit=9_000_000)
    with pytest.raises(
        sqlrisk.InputError, match=r"subsets of 3 keys \(--key-length 3\) stay within it"
    ):
        sqlrisk.sweep(file(1), [file(2)], **QUESTION, key_length=[2, 3], work_limit=2_000_000)
    with pytest.raises(sqlrisk.InputError, match="name fewer keys, or raise --work-limit"):
        sqlrisk.sweep(file(1), [file(2)], **QUESTION, work_limit="1000")
    assert (
        sqlrisk.sweep(file(1), [file(2)], **QUESTION, work_limit=10_500_000, measures=["UiO"]).count
        == 7
    )


def test_the_work_of_many_keys_is_refused_before_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"no Parquet")
    keys = [f"k{number}" for number in range(30)]
    with pytest.raises(sqlrisk.InputError, match="1,073,741,823 subsets of 30 keys"):
        sqlrisk.sweep(
            str(tmp_path / "broken.parquet"),
            str(tmp_path / "broken.parquet"),
            keys=keys,
            targets=["t"],
        )


def test_the_work_of_the_records_and_of_special_uniques() -> None:
    assert sweep_request.work(255, 400_000, 3) == 2_040_000_000 < WORK_LIMIT
    wide = pa.table({f"k{number}": [0, 1] * 3000 for number in range(13)} | {"t": [0, 1] * 3000})
    with pytest.raises(
        sqlrisk.InputError,
        match=r"special uniques of 8,191 subsets of the keys takes about [0-9,]+ class visits",
    ):
        sqlrisk.sweep(
            wide,
            wide,
            keys=wide.column_names[:13],
            targets=["t"],
            populations=["special"],
            work_limit=9 * 10**9,
        )


# ---- the command line
# --------------------------------------------------------------------------------------------------

COMMAND = ["sweep", "orig.parquet", "syn.parquet", "--keys", "age,sex", "--targets", "income"]


@pytest.mark.slow
def test_the_command_prints_what_the_function_returns(files: Path) -> None:  # noqa: F811
    expected = sqlrisk.sweep(
        str(files / "orig.parquet"),
        str(files / "syn.parquet"),
        keys="age,sex",
        targets="income",
        key_length=1,
    )
    code, out, err = command_line(*COMMAND, "--key-length", "1", "--format", "json", folder=files)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["summary"] == [rounded(row) for row in expected.summary]
    assert document["subsets"] == [rounded(row) for row in expected.subsets]
    code, out, _ = command_line(*COMMAND, "--part", "summary", "--format", "csv", folder=files)
    assert code == 0
    assert out.splitlines()[0] == ",".join(COLUMNS["summary"])


def test_the_command_writes_files(files: Path) -> None:  # noqa: F811
    code, out, err = command_line(
        *COMMAND, "--key-length", "1", "--key-length", "2", "-o", "rows.parquet", folder=files
    )
    assert (code, out) == (0, "")
    assert err.strip() == "3 subsets of the keys in rows.parquet."
    assert {tuple(keys) for keys in pq.read_table(files / "rows.parquet")["keys"].to_pylist()} == {
        ("age",),
        ("sex",),
        ("age", "sex"),
    }
    for name in ("sweep.md", "sweep.csv", "sweep.txt", "layout.parquet"):
        more = ["--layout", "hittmeir"] if name.startswith("layout") else []
        code, out, err = command_line(*COMMAND, *more, "-o", name, folder=files)
        assert (code, out, err) == (0, "", "")
        assert (files / name).stat().st_size > 0
    assert pq.read_table(files / "layout.parquet").column_names[:2] == ["target", "file"]


@pytest.mark.slow
def test_the_layout_by_command(files: Path) -> None:  # noqa: F811
    names = ["--synthesis", "cart=syn.parquet", "--synthesis", "rf=syn2.parquet"]
    command = [word for word in COMMAND if word != "syn.parquet"]
    code, out, err = command_line(
        *command, *names, "--layout", "hittmeir", folder=files, COLUMNS="120"
    )
    assert code == 0
    assert err.startswith("Not assessable: Rf 1 (syn2.parquet) is a copy of the original: ")
    assert err.count("\n") == 1
    lines = out.partition("Keys:")[2].splitlines()
    assert [line.split()[0] for line in lines if "(" in line and line.startswith("  ")][:3] == [
        "original",
        "cart",
        "rf",
    ]
    assert "accuracy_ICAP" in out
    (files / "s.toml").write_text('measures = ["DCAP"]\n')
    code, out, _ = command_line(
        *command, *names, "--layout", "hittmeir", "--scenario", "s.toml", folder=files
    )
    assert code == 0
    assert "accuracy_ICAP" not in out
    assert "DCAP" in out


def test_bad_commands(files: Path) -> None:  # noqa: F811
    assert "no subsets of 3 keys" in fails(*COMMAND, "--key-length", "3", folder=files)
    assert "raise --work-limit" in fails(
        *COMMAND, "--work-limit", "7", "-o", "rows.parquet", folder=files
    )
    assert "is the input" in fails(*COMMAND, "-o", "syn.parquet", folder=files)
    assert "--layout prints its own table" in fails(
        *COMMAND, "--layout", "hittmeir", "--part", "summary", folder=files
    )
    assert "not both" in fails(*COMMAND, "--synthesis", "a=syn.parquet", folder=files)
    assert "--format says csv" in fails(
        *COMMAND, "--format", "csv", "-o", "rows.parquet", folder=files
    )


def test_progress_goes_by_subset() -> None:
    seen: list[tuple[str, int, int, float]] = []
    sqlrisk.sweep(file(1), [file(2)], **QUESTION, progress=lambda *step: seen.append(step))
    turns = [step for step in seen if "of 3 keys" in step[0]]
    shown = list(dict.fromkeys(turn[:3] for turn in turns))
    assert [turn[1:] for turn in shown] == [(number, 7) for number in range(1, 8)]
    # wider ones before those that are counted from them
    assert [turn[0][0] for turn in shown] == [*"3221211"]
    assert all(0 <= turn[3] <= 1 for turn in turns)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_interrupted_leaves_nothing_behind(files: Path) -> None:  # noqa: F811
    rows = 300_000
    table = pa.table(
        {f"k{number}": pa.array([row % (number + 2) for row in range(rows)]) for number in range(9)}
    )
    pq.write_table(table, files / "orig.parquet")
    before = sorted(path.name for path in files.iterdir())
    (files / "spill").mkdir()
    keys = ",".join(f"k{number}" for number in range(8))
    more = ["--temp-directory", "spill", "-o", "rows.parquet", "--trace"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlrisk", "sweep", "orig.parquet", "orig.parquet", "--keys", keys,
            *more],
        cwd=files, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    while b"sweep_results" not in process.stderr.readline():  # the first subset is done
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert list((files / "spill").iterdir()) == []
    (files / "spill").rmdir()
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.slow
def test_attackers_beside_measures() -> None:
    """Each number is that of `attack` with these keys; the vote of the nearest records is
    accuracy_GCAP.
    """
    original, synthetic = file(1), [file(2), file(3)]
    names = ["majority", "exact_match", "naive_bayes", "one_rule"]
    question: dict[str, Any] = {"keys": QUESTION["keys"], "targets": QUESTION["targets"]}
    more: dict[str, Any] = {
        "measures": ["accuracy_GCAP"],
        "reference": True,
        "attackers": names,
        "key_length": [1, 3],
    }
    sweep = sqlrisk.sweep(original, synthetic, **question, **more)
    assert [each for each in sweep.units if each != "accuracy_GCAP"] == names
    seen = 0
    for keys in {tuple(row["keys"]) for row in sweep.subsets}:
        attack = sqlrisk.attack(
            original, synthetic, keys=list(keys), targets=question["targets"], attackers=names
        )
        expected = {(row["attacker"], row["target"], row["trained_on"]): row for row in attack.rows}
        own: Any = [row for row in sweep.subsets if tuple(row["keys"]) == keys]
        votes = {
            (row["target"], row["synthesis"]): row["value"]
            for row in own
            if row["measure"] == "accuracy_GCAP"
        }
        for row in own:
            if row["family"] != "attackers" or row["synthesis"] in ("mean", "min", "max"):
                continue
            seen += 1
            mine = expected[row["measure"], row["target"], row["synthesis"]]
            assert (row["numerator"], row["denominator"]) == (
                pytest.approx(mine["correct"]),
                mine["tested"],
            )
            assert row["value"] == pytest.approx(mine["accuracy"], rel=1e-12)
            if row["measure"] == "exact_match":
                assert row["value"] == pytest.approx(
                    votes[row["target"], row["synthesis"]], rel=1e-12
                )
    assert seen == len(names) * 4 * len(question["targets"]) * (len(question["keys"]) + 1)


@pytest.mark.slow
def test_models_of_scikit_learn_beside_measures() -> None:
    question: dict[str, Any] = {
        "keys": QUESTION["keys"],
        "targets": QUESTION["targets"][:1],
        "key_length": 2,
    }
    sweep = sqlrisk.sweep(
        file(1),
        [file(2)],
        **question,
        measures=["DCAP"],
        attackers=["CategoricalNB", "ENS"],
        sample=50,
        seed=3,
    )
    tested = {row["denominator"] for row in sweep.subsets if row["family"] == "attackers"}
    assert tested == {50}
    keys: Any = sweep.subsets[0]["keys"]
    alone = sqlrisk.attack(
        file(1),
        [file(2)],
        keys=keys,
        targets=question["targets"],
        attackers=["CategoricalNB"],
        sample=50,
        seed=3,
    )
    mine = next(
        row for row in sweep.subsets if row["measure"] == "CategoricalNB" and row["keys"] == keys
    )
    theirs = next(row for row in alone.rows if row["trained_on"] == "1")
    assert mine["numerator"] == theirs["correct"]
    assert sweep.to_dict()["unfinished"] == 0


@pytest.mark.slow
def test_models_learn_from_files_that_are_aligned_with_a_half() -> None:
    """Their records have the numbers of the people in the whole file, with gaps."""
    whole = file(1, 60).append_column("person", pa.array(range(60)))
    whole = whole.append_column("half", pa.array(["out", "in", "in"] * 20))
    half = whole.take([row for row in range(60) if row % 3])
    synthetic = [file(seed, 40).append_column("person", half["person"]) for seed in (2, 3)]
    question: dict[str, Any] = {
        "keys": ["sex", "town"],
        "targets": ["ill"],
        "key_length": 2,
        "measures": ["DCAP"],
        "attackers": ["CategoricalNB"],
        "id": "person",
        "aligned": True,
    }
    split = {"split": "half", "split_in": "in"}
    everybody, expected, sample = (
        [
            (row["synthesis"], row["numerator"], row["denominator"])
            for row in sqlrisk.sweep(people, synthetic, **question, **more).subsets
            if (row["measure"], row["people"]) == ("CategoricalNB", "original")
        ]
        for people, more in ((whole, split), (half, {}), (whole, {**split, "sample": 30}))
    )
    assert everybody == expected
    assert {each[2] for each in expected} == {40, None}
    assert {each[2] for each in sample} == {30, None}


def test_attackers_of_a_sweep_take_its_question_without_what_only_measures_use(
    tmp_path: Path,
) -> None:
    (tmp_path / "base.csv").write_text("level;share\n1;0.5\n2;0.25\n3;0.25\n")
    asked: dict[str, Any] = {"keys": ["sex"], "targets": ["income"], "attackers": ["naive_bayes"]}
    attack = sqlrisk.attack(file(1), [file(2)], **asked)
    theirs = next(row for row in attack.rows if row["trained_on"] == "1")
    for more in (
        {"within": {"income": "1"}, "special": {"income": ["3"]}},
        {"baseline": {"income": tmp_path / "base.csv"}, "delimiter": {"base.csv": ";"}},
    ):
        sweep = sqlrisk.sweep(file(1), [file(2)], **asked, **more, measures=["DCAP"])
        mine = next(row for row in sweep.subsets if row["measure"] == "naive_bayes")
        assert (mine["numerator"], mine["denominator"]) == (theirs["correct"], theirs["tested"])


def test_attackers_of_a_sweep_are_refused_where_not_everybody_is_counted() -> None:
    for more, message in (
        ({"exclude_missing": ["ill"]}, "exclude_missing: attackers are tested on all people"),
        ({"populations": ["uniques"]}, "populations: attackers are tested on all people"),
    ):
        given: dict[str, Any] = {
            "keys": QUESTION["keys"],
            "targets": QUESTION["targets"],
            "attackers": ["majority"],
            **more,
        }
        with pytest.raises(sqlrisk.InputError, match=message):
            sqlrisk.sweep(file(1), [file(2)], **given)
    with pytest.raises(sqlrisk.InputError, match="sample, seed and preset are for models"):
        sqlrisk.sweep(
            file(1), [file(2)], keys=QUESTION["keys"], targets=QUESTION["targets"], seed=1
        )
    with pytest.raises(
        sqlrisk.InputError,
        match=r"there is no attacker or group 'majorty' .did you mean 'majority'",
    ):
        sqlrisk.sweep(
            file(1),
            [file(2)],
            keys=QUESTION["keys"],
            targets=QUESTION["targets"],
            attackers=["majorty"],
        )
